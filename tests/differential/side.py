# SPDX-License-Identifier: Zlib
"""A mount of a copy of a map by one program, and operations on it. An operation is a tuple of its name and texts,
bytes or numbers; its result is a text: "0", or the failed call and its errno ("close EINVAL"). This module does not
depend on the program's internals."""
import collections
import errno
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import threading
import time

from box import sync_root

MARK = "MAPFS_DIFFERENTIAL"
ALONE = ("kill",)  # events of one of the two mounts
PATIENCE = 60  # seconds for one run; a longer run counts as hung
End = collections.namedtuple("End", "code report files left shown")


class Failed(Exception):
    """A program did not mount a map that it must mount."""


class Step:
    """The current call of an operation, for its result."""

    def __init__(self, name):
        self.name = name

    def __call__(self, name, call, *args, **kw):
        self.name = name
        return call(*args, **kw)


class Side:
    def __init__(self, program, room, name, case):
        self.program, self.case = program, case
        self.root = os.path.join(room, name)
        self.maps, self.point = os.path.join(self.root, "maps"), os.path.join(self.root, "mnt")
        os.makedirs(self.maps)
        os.mkdir(self.point)
        self.env = dict(os.environ, **{MARK: self.root, "LC_ALL": "C.UTF-8", "HOME": self.root})
        for ending, data in case.files.items():
            with open(os.path.join(self.maps, case.name + ending), "wb") as f:
                f.write(data)
        self.map = os.path.join(self.maps, case.name)
        self.hung, self.synced, self.start = False, False, time.time()
        self.watch = threading.Timer(PATIENCE, self.hang)
        self.watch.daemon = True

    # ---- the mount

    def __enter__(self):
        self.mount()
        self.watch.start()
        return self

    def __exit__(self, *_):
        self.watch.cancel()
        if os.path.ismount(self.point) or self.processes():
            self.destroy()
        shutil.rmtree(self.root, ignore_errors=True)

    def run(self, *args):
        """Run the program: exit code and output. The output goes into a file, which a daemon may keep open."""
        with open(os.path.join(self.root, "out"), "w+b") as out:
            code = subprocess.run([self.program, *args], stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=self.env,
                                  timeout=2 * PATIENCE).returncode
            out.seek(0)
            return code, out.read().decode(errors="replace")

    def mount(self):
        option = ["-o", self.case.option] if self.case.option else []
        for _ in range(100):
            code, text = self.run(*option, self.map, self.point)
            if code != 7:  # a killed process may still be exiting
                break
            time.sleep(0.02)
        if code:
            raise Failed("mount gave %d: %s" % (code, self.plain(text)))
        return text

    def processes(self):
        """Processes of this mount, found by a mark in their environment."""
        mark, out = ("%s=%s" % (MARK, self.root)).encode(), []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/environ" % pid, "rb") as f:
                    if mark in f.read().split(b"\0"):
                        out.append(int(pid))
            except OSError:
                continue
        return out

    def destroy(self):
        """Kill all processes of the mount with SIGKILL, and clean the mount point."""
        while True:
            found = self.processes()
            for pid in found:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            if not found:
                break
            time.sleep(0.002)
        subprocess.run(["umount", "-l", self.point] if os.geteuid() == 0 else ["fusermount3", "-uzq", self.point],
                       stdin=subprocess.DEVNULL, capture_output=True)

    def hang(self):
        self.hung = True
        self.destroy()

    # ---- operations

    def at(self, path):
        return os.path.join(self.point, path)

    def do(self, op):
        step = Step(op[0])
        try:
            return getattr(self, "op_" + op[0])(step, *op[1:]) or "0"
        except OSError as e:
            return "%s %s" % (step.name, errno.errorcode.get(e.errno, e.errno))

    def op_put(self, step, path, way, data):
        """way: "over" keeps the old bytes until new ones replace them, "shell" flushes before it writes."""
        flags = {"over": 0, "new": os.O_CREAT | os.O_EXCL, "trunc": os.O_CREAT | os.O_TRUNC,
                 "shell": os.O_CREAT | os.O_TRUNC, "append": os.O_APPEND}[way]
        fd = step("open", os.open, self.at(path), os.O_WRONLY | flags, 0o644)
        try:
            if way == "shell":
                step("flush", os.close, os.dup(fd))
            view = memoryview(data)
            while view:
                view = view[step("write", os.write, fd, view):]
            if way == "over":
                step("truncate", os.ftruncate, fd, len(data))
        except OSError:
            os.close(fd)
            raise
        step("close", os.close, fd)

    def op_cut(self, step, path, size):
        os.truncate(self.at(path), size)

    def op_mv(self, step, old, new):
        os.rename(self.at(old), self.at(new))

    def op_rm(self, step, path):
        os.unlink(self.at(path))

    def op_rmdir(self, step, path):
        os.rmdir(self.at(path))

    def op_mkdir(self, step, path):
        os.mkdir(self.at(path))

    def op_utime(self, step, path, seconds):
        os.utime(self.at(path), (seconds, seconds))

    def op_drop(self, step, path):
        """Remove the attribute with the error, if there is one."""
        step("drop", os.getxattr, self.at(path), "user.mapfs.error")
        step("drop of what was said", os.removexattr, self.at(path), "user.mapfs.error")

    # ---- events of one mount

    def sync(self):
        """Save; returns whether the save succeeded. That is not compared, since later operations may repair what a
        save refuses."""
        self.synced = True
        try:
            sync_root(self.point)
        except OSError:
            return False
        return True

    def journal(self):
        return glob.glob(glob.escape(self.map) + ".mapfs-journal*")

    def read_status(self):
        """Paths that status reports as changed or refused."""
        value = json.loads(self.run("status", "--json", self.point)[1])
        lines = [v for key in ("changed", "new", "moved", "renamed", "kept", "drafts", "waiting", "refused")
                 for v in value.get(key, ())]
        return {v["file"] if isinstance(v, dict) else v for v in lines}

    def kill(self):
        """Kill and mount again. Scratch files are in no journal, so they are created again; after a complete save,
        the next mount may renumber entries."""
        if self.synced and not self.journal():
            return
        before, told = self.walk(), self.read_status()
        self.destroy()
        self.mount()
        now = self.walk()
        for path in [p for p in before if p not in now and p not in told]:
            if before[path] is None:
                os.mkdir(self.at(path))
        for path in [p for p in before if isinstance(before[p], bytes) and p not in told and before[p] != now.get(p)]:
            with open(self.at(path), "wb") as f:
                f.write(before[path])

    # ---- results

    def walk(self, names=False):
        """{path: bytes, None for a directory, or an errno}, without raw/. names: read no file."""
        out, todo = {}, [""]
        while todo:
            above = todo.pop()
            for entry in sorted(os.scandir(self.at(above)), key=lambda e: e.name):
                path = above + "/" + entry.name if above else entry.name
                if path == "raw":
                    continue
                if entry.is_dir(follow_symlinks=False):
                    out[path] = None
                    todo.append(path)
                else:
                    out[path] = b"" if names else self.read(path)
        return out

    def read(self, path):
        try:
            with open(self.at(path), "rb") as f:
                return f.read()
        except OSError as e:
            return errno.errorcode[e.errno]

    def plain(self, text):
        """Remove text that differs between runs, and translate report words of c0b7461f to those of DESIGN rule 12."""
        text = text.replace(self.root, "@")
        text = re.sub(r"(?m)^left(?=: .*: what could not be read)", "note", text)
        text = re.sub(r"(?m)^left(?=: )", "rescued", text)
        text = re.sub(r"left out(?= that )", "ignored", text)
        text = re.sub(r"(?m)^(discarded: )(draft|waiting|left)(?= )", r"\1refused", text)
        return re.sub(r"(mapfs-\w+-)[0-9a-f]{6,}", r"\1@", text)

    def end(self):
        """The last look, and mapfs -u."""
        shown = self.walk()
        code, text = self.run("-u", self.point)
        if os.path.ismount(self.point):
            self.run("-u", "--force", self.point)
        files, left = {}, {}
        for above, _, names in os.walk(self.maps):
            for name in names:
                path = os.path.join(above, name)
                with open(path, "rb") as f:
                    data = f.read()
                ending = os.path.relpath(path, self.maps)[len(self.case.name):]
                if ending in self.case.files:
                    files[ending] = data
                else:
                    left[self.plain(ending)] = None if "journal" in ending else data
        return End(code, sorted(self.plain(text).splitlines()), files, left, shown)


Run = collections.namedtuple("Run", "results looks end start failed")


def run(program, room, name, case, alone=False):
    """Run a whole case, with or without the events of one side."""
    results, looks, failed = [], [], []  # failed: operations at which a save failed
    with Side(program, room, name, case) as side:
        try:
            for op in case.ops:
                if op[0] == "look":
                    looks.append(side.walk())
                elif op[0] == "sync":
                    failed += [] if side.sync() else [len(results)]
                elif op[0] in ALONE and alone:
                    getattr(side, op[0])()
                results.append(None if op[0] in ("look", "sync", *ALONE) else side.do(op))
            end = side.end()
        except (Failed, OSError) as e:
            end = End("hung" if side.hung else "failed", [side.plain(str(e))], {}, {}, {})
        if side.hung:
            end = end._replace(code="hung")
        return Run(results, looks, end, side.start, failed)
