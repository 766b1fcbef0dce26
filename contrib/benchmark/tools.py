# SPDX-License-Identifier: Zlib
"""How it is measured: two ways of doing the same, in turns, in one run."""
import os
import shutil
import statistics
import subprocess
import time


class Result:
    """One row of the table: the medians of both, and the goal for their ratio."""

    def __init__(self, work, against, goal, ours, theirs, unit="ms", least=False):
        self.work, self.against, self.goal, self.unit, self.least = work, against, goal, unit, least
        self.ours, self.theirs = ours, theirs
        self.ratio = (theirs / ours if least else ours / theirs) if ours and theirs else None

    @property
    def met(self):
        if self.ratio is None or self.goal is None:
            return None
        return self.ratio >= self.goal if self.least else self.ratio <= self.goal

    def columns(self):
        """Times are in ms, which is not repeated in each row."""
        def figure(v):
            return "-" if v is None else "%.1f%s" % (v, "" if self.unit == "ms" else " " + self.unit)
        ratio = "-" if self.ratio is None else "%.2f" % self.ratio
        goal = "-" if self.goal is None else ("%s%g" % (">=" if self.least else "<=", self.goal))
        return [self.work, figure(self.ours), self.against, figure(self.theirs), ratio, goal,
                "MISSED" if self.met is False else ""]


def run(*args, **kw):
    kw.setdefault("stdout", subprocess.DEVNULL)
    return subprocess.run([str(a) for a in args], check=True, stdin=subprocess.DEVNULL, **kw)


def timed(function, *args, **kw):
    start = time.perf_counter()
    function(*args, **kw)
    return (time.perf_counter() - start) * 1000


def fresh(path):
    """An empty directory of that name."""
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    return path


def copy(sources, to):
    run("cp", "-r", *sources, fresh(to))


def read_all(paths):
    for path in paths:
        fd = os.open(path, os.O_RDONLY)
        while os.read(fd, 1 << 20):
            pass
        os.close(fd)


def files_below(top, ending=""):
    return sorted(os.path.join(d, n) for d, _, names in os.walk(top) for n in names if n.endswith(ending))


def in_turns(rounds, *ways):
    """Each way gives milliseconds; the medians of all."""
    samples = [[] for _ in ways]
    for _ in range(rounds):
        for way, out in zip(ways, samples):
            out.append(way())
    return [statistics.median(s) for s in samples]


class Mounts:
    """mapfs, of one build, with one mount point."""

    def __init__(self, binary, point):
        self.binary, self.point = binary, point
        os.makedirs(point, exist_ok=True)

    def mount(self, path, *options, env=None):
        run(self.binary, *options, path, self.point, env=env)

    def unmount(self):
        run(self.binary, "-u", self.point)

    def processes(self):
        """Those of this program, of which one serves the mount."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.path.samefile("/proc/%s/exe" % pid, self.binary):
                    found.append(int(pid))
            except OSError:
                continue
        return found

    def inside(self, *names):
        """What there is of those names at the top, or of all."""
        return [os.path.join(self.point, n) for n in names or os.listdir(self.point)
                if os.path.exists(os.path.join(self.point, n))]

    def cold(self, path, work, env=None):
        """How long work takes on a mount that nobody has used."""
        self.mount(path, env=env)
        try:
            return timed(work)
        finally:
            self.unmount()

    def worker_memory(self):
        """Resident KiB of the process that holds the map."""
        most = 0
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/cmdline" % pid, "rb") as f:
                    if os.fsencode(self.point) not in f.read().split(b"\0"):
                        continue
                with open("/proc/%s/status" % pid) as f:
                    most = max([most] + [int(line.split()[1]) for line in f if line.startswith("VmHWM")])
            except OSError:
                continue
        return most


class OtherMounts(Mounts):
    """Another program that is called like mapfs, of libfuse."""

    def unmount(self):
        run("fusermount3", "-u", self.point)
