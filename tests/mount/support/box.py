# SPDX-License-Identifier: Zlib
"""A test's own directory with its mounts, and a check that the test leaves nothing behind."""
import collections
import errno
import fnmatch
import os
import pty
import re
import shutil
import signal
import stat
import subprocess
import tempfile
import time

import pytest

import places

Result = collections.namedtuple("Result", "code out err")
MARK = "MAPFS_TEST_BOX"


def _base():
    """A directory on a file system with extended attributes, which a tmpfs may lack."""
    for base in filter(None, (os.environ.get("MAPFS_TEST_DIR"), "/var/tmp", tempfile.gettempdir())):
        try:
            with tempfile.NamedTemporaryFile(dir=base) as f:
                os.setxattr(f.name, "user.test", b"1")
            return base
        except OSError:
            continue
    return tempfile.gettempdir()


def wait_for(condition, seconds=90.0, step=0.01):
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value or time.monotonic() > end:
            return value
        time.sleep(step)
        step = min(step * 1.5, 0.2)


def status_field(pid, field):
    try:
        with open("/proc/%d/status" % pid) as f:
            for line in f:
                if line.startswith(field + ":"):
                    return line.split()[1]
    except OSError:
        pass  # the process has ended
    return None


def mounts_below(path):
    """The mount points at or below a path, as the kernel names them, innermost first."""
    out = []
    with open("/proc/self/mountinfo") as f:
        for line in f:
            point = re.sub(r"\\(\d{3})", lambda m: chr(int(m.group(1), 8)), line.split()[4])
            if point == path or point.startswith(path + "/"):
                out.append(point)
    return out[::-1]


def is_mounted(path):
    # Resolve only the parent: a lookup of the mount point itself would ask a mount that may be dead.
    parent, name = os.path.split(path)
    path = os.path.join(os.path.realpath(parent), name)
    return path in mounts_below(path)


def put(path, data, flags=os.O_WRONLY | os.O_TRUNC):
    """Write a file like a program that checks the result of close()."""
    fd = os.open(path, flags)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view):]
    except BaseException:
        os.close(fd)
        raise
    os.close(fd)


def get(path):
    with open(path, "rb") as f:
        return f.read()


def on_a_terminal(box, *args, seconds=90, **env):
    """The output of mapfs on a terminal, and its exit code."""
    master, slave = pty.openpty()
    p = subprocess.Popen([places.BINARY, *args], stdin=subprocess.DEVNULL, stdout=slave,
                         stderr=slave, env=dict(box.env(), **env))
    os.close(slave)
    out = b""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            some = os.read(master, 4096)
        except OSError:
            break
        if not some:
            break
        out += some
    os.close(master)
    return out.decode(), p.wait(90)


def refused(function, *args):
    """The errno with which a call fails, or 0."""
    try:
        function(*args)
    except OSError as e:
        return e.errno
    return 0


def sync_root(point):
    """Sync a mount like sync(1), but raise the errno, which sync(1) hides."""
    fd = os.open(point, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


class Mount:
    def __init__(self, box, map_, point, result=None):
        self.box, self.map, self.point, self.result = box, map_, point, result

    def __truediv__(self, name):
        return os.path.join(self.point, name)

    def get(self, name):
        return get(self / name)

    def put(self, name, data, *args, **kw):
        put(self / name, data, *args, **kw)

    def xattr(self, name, attr):
        return os.getxattr(self / name if name else self.point, attr).decode()

    def unmount(self, *args, code=0):
        """Run mapfs -u, check its exit code and return its output."""
        r = self.box.run("-u", *args, self.point)
        text = "mapfs -u: exit %d instead of %d\n%s%s" % (r.code, code, r.out, r.err)
        assert r.code == code, text
        return r

    def unmount_edited(self):
        """Unmount after edits that may cause warnings, and return the report."""
        r = self.box.run("-u", self.point)
        assert r.code == (5 if "warning: " in r.out else 0), r
        return r.out

    def mounted(self):
        return is_mounted(self.point)

    def walk(self):
        """All files and directories, as bytes paths relative to the root of the mount."""
        files, dirs = {}, set()
        root = os.fsencode(self.point)
        for base, _, names in os.walk(root, onerror=_raise):
            dirs.add(os.path.relpath(base, root) if base != root else b"")
            for name in names:
                path = os.path.join(base, name)
                files[os.path.relpath(path, root)] = os.lstat(path)
        return files, dirs


def _raise(error):
    raise error


class Box:
    def __init__(self):
        self.root = tempfile.mkdtemp(prefix="mapfs-test-", dir=_base())
        os.chmod(self.root, 0o755)
        self.maps, self.points, self.home, self.logs = (
            os.path.join(self.root, d) for d in ("maps", "mnt", "home", "log"))
        for d in (self.maps, self.points, self.home, self.logs):
            os.mkdir(d)
        self.shims, self.children = [], []
        self.before, self.allowed = set(), []
        self.serial = 0

    # ---- maps

    def add(self, source, name=None):
        """Copy a file, or write bytes, as a map in this box, and return its path."""
        if isinstance(source, bytes):
            data = source
        else:
            data = get(source)
            name = name or os.path.basename(source)
        path = os.path.join(self.maps, name or "small.map")
        with open(path, "wb") as f:
            f.write(data)
        # A time in the past makes every write visible, even within the resolution of the clock.
        os.utime(path, ns=(1_500_000_000_000_000_000, 1_500_000_000_123_456_789))
        self.before.add(os.path.basename(path))
        return path

    def point(self, name="m"):
        path = os.path.join(self.points, name)
        try:
            os.mkdir(path)
        except FileExistsError:
            pass  # an existing mount, which this user may not be allowed to enter
        return path

    def beside(self):
        """The names beside the maps that the test has added."""
        return sorted(n for n in os.listdir(self.maps) if n not in self.before)

    def allow(self, *patterns):
        """Allow names beside the map to stay after the test."""
        self.allowed += patterns

    # ---- running

    def env(self, extra=None):
        env = dict(os.environ, **{MARK: self.root, "HOME": self.home, "LC_ALL": "C.UTF-8"})
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
            # The worker may write only beside the map.
            if name in env:
                env[name] += ":log_path=" + os.path.join(self.maps, "sanitizer")
        env.update(extra or {})
        return env

    def run(self, *args, env=None, program=None, timeout=120, cwd=None, stdin=None):
        """Run mapfs or another program. The output goes to files, because a daemon may keep its descriptors open."""
        self.serial += 1
        out, err = (os.path.join(self.logs, "%d.%s" % (self.serial, s)) for s in ("out", "err"))
        argv = ([program] if program else [places.BINARY]) + [str(a) for a in args]
        with open(out, "wb") as o, open(err, "wb") as e:
            code = subprocess.run(argv, stdout=o, stderr=e, stdin=stdin or subprocess.DEVNULL,
                                  env=self.env(env), timeout=timeout, cwd=cwd).returncode
        return Result(code, get(out).decode(errors="replace"), get(err).decode(errors="replace"))

    def mount(self, map_, opts="", point=None, env=None, shim=None, code=0):
        point = point or self.point()
        env = dict(env or {}, **(shim.env() if shim else {}))
        args = (["-o", opts] if opts else []) + [map_, point]
        r = self.run(*args, env=env)
        m = Mount(self, map_, point, r)
        assert r.code == code, "mount: exit %d instead of %d\n%s%s" % (r.code, code, r.out, r.err)
        if code == 0:
            assert m.mounted(), "mapfs returned 0 and nothing is mounted"
        return m

    def foreground(self, map_, opts="", point=None, env=None, shim=None, flag="-f"):
        """Run mapfs -f as a child and return (Mount, Popen) after it has mounted. The attribute `log` of the Popen
        names its output."""
        point = point or self.point()
        env = dict(env or {}, **(shim.env() if shim else {}))
        self.serial += 1
        log = open(os.path.join(self.logs, "%d.fg" % self.serial), "wb")
        args = (["-o", opts] if opts else []) + [flag, map_, point]
        p = subprocess.Popen([places.BINARY] + args, stdin=subprocess.DEVNULL, stdout=log,
                             stderr=log, env=self.env(env), start_new_session=True)
        log.close()
        p.log = log.name
        self.children.append(p)
        m = Mount(self, map_, point)
        up = wait_for(lambda: m.mounted() or p.poll() is not None)
        assert up and p.poll() is None, "mapfs -f did not mount: " + get(log.name).decode()
        # The kernel shows the mount before the worker answers.
        st = os.stat(point).st_dev
        address = "@mapfs/%d:%d" % (os.major(st), os.minor(st))
        wait_for(lambda: p.poll() is not None or self.serves(address), 5)
        return m, p

    def serves(self, address):
        """Does the control socket belong to our worker? An ending mount may have had the same device number."""
        try:
            top = "/proc/%d/fd/" % self.worker()
            own = {os.readlink(top + fd) for fd in os.listdir(top)}
        except (OSError, AssertionError, TypeError):
            return False
        sockets = (line.split() for line in get("/proc/net/unix").decode().splitlines())
        return any(s[-1] == address and "socket:[%s]" % s[6] in own for s in sockets if len(s) > 7)

    def shim(self, kind):
        s = kind(os.path.join(self.root, "shim%d" % len(self.shims)))
        self.shims.append(s)
        return s

    # ---- processes

    def processes(self):
        """The mapfs processes of this box, found by a variable in their environment."""
        mark, out = ("%s=%s" % (MARK, self.root)).encode(), []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if mark in get("/proc/%s/environ" % pid).split(b"\0"):
                    if os.readlink("/proc/%s/exe" % pid) == os.path.realpath(places.BINARY):
                        out.append(int(pid))
            except OSError:
                continue
        return out

    def confined(self, value):
        """The only process whose NoNewPrivs has this value."""
        def find_process():
            found[:] = [p for p in self.processes() if status_field(p, "NoNewPrivs") == value]
            return len(found) == 1
        found = []
        # A process that has sent its last answer may still be about to exit.
        assert wait_for(find_process), "%s of %s" % (found, self.processes())
        return found[0]

    def worker(self):
        return self.confined("1")

    def supervisor(self):
        """The supervisor: in the background a child of the launcher, in the foreground the launcher itself."""
        return self.confined("0")

    def held(self):
        """The number of descriptors of the worker, and the number of them on deleted files."""
        fds, links = "/proc/%d/fd" % self.worker(), []
        for fd in os.listdir(fds):
            try:
                links.append(os.readlink(os.path.join(fds, fd)))
            except FileNotFoundError:
                pass
        return len(links), sum(x.endswith("(deleted)") for x in links)

    def kill_worker(self):
        pid = self.worker()
        os.kill(pid, signal.SIGKILL)
        # The supervisor cleans up: the mount point is usable again, and no process remains.
        assert wait_for(lambda: not self.processes()), "processes remain after the death of the worker"
        assert not mounts_below(self.root), "still mounted after the death of the worker"

    # ---- the end

    def close(self, check=True):
        problems = []
        for point in mounts_below(self.root):
            problems.append("still mounted: " + os.path.relpath(point, self.root))
            tool = ["umount", "-l"] if os.geteuid() == 0 else ["fusermount3", "-uz"]
            subprocess.run(tool + [point], capture_output=True)
        gone = wait_for(lambda: not self.processes(), 90 if check else 2)
        if not gone:
            problems.append("processes remain: %s" % self.processes())
            for pid in self.processes():
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        for p in self.children:
            try:
                p.wait(90 if check else 5)
            except subprocess.TimeoutExpired:
                problems.append("a child did not end")
                p.kill()
                p.wait()
        for name in self.beside():
            path = os.path.join(self.maps, name)
            if name.startswith("sanitizer."):
                problems.append(get(path).decode(errors="replace"))
            elif not any(fnmatch.fnmatch(name, a) for a in self.allowed):
                problems.append("left beside the map: " + name)
        for s in self.shims:
            s.close()
        shutil.rmtree(self.root, ignore_errors=True)
        assert not (check and problems), "; ".join(problems)


def is_file(path):
    return stat.S_ISREG(os.lstat(path).st_mode)


def fuse_problem():
    """The reason why mounts are impossible here, or None."""
    try:
        os.close(os.open("/dev/fuse", os.O_RDWR))
    except OSError as e:
        return "no /dev/fuse for this user: " + errno.errorcode[e.errno]
    return None


USER_MOUNTS = """
exec 3<>/dev/fuse || exit
test -u "$(command -v fusermount3)" || { echo "fusermount3 has no rights of root" >&2; exit 1; }
test -e /etc/mtab || { echo "fusermount3 finds no /etc/mtab" >&2; exit 1; }
"$MAPFS" --version >/dev/null
"""


def needs(*programs):
    for name in programs:
        if not shutil.which(name):
            pytest.skip("not installed: " + name)


def needs_user_mounts(run):
    """Skip if the user as whom `run` runs a shell script cannot mount or unmount."""
    r = run(USER_MOUNTS)
    if r.code:
        pytest.skip("an ordinary user cannot mount here: " + r.err.strip())


def needs_namespaces(*flags):
    """Skip if `unshare` with these flags fails, as in a chroot and in some containers."""
    needs("unshare")
    r = subprocess.run(["unshare", *flags, "true"], capture_output=True, text=True, check=False)
    if r.returncode:
        pytest.skip("no namespace of its own for a test: " + r.stderr.strip())
