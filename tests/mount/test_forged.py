# SPDX-License-Identifier: Zlib
"""Files that another user put beside a map are not trusted and stay unchanged."""
import ctypes
import os
import signal
import stat
import subprocess
import sys

import pytest

import box as boxes
import datafile
import parts
import places

NOBODY, OTHER = 65534, 12345
pytestmark = pytest.mark.usefixtures("root")

# The mounting user and the forging user.
PAIRS = pytest.mark.parametrize("victim, forger", [(0, OTHER), (NOBODY, 0), (NOBODY, OTHER)],
                                ids=["root-user", "user-root", "user-user"])
SAVE = """
    "$MAPFS" "$MAP" "$POINT" || exit 10
    echo "x 1" > "$POINT/info/settings.cfg" || exit 11
    "$MAPFS" -u "$POINT" || exit 12
"""
CLOSED = """
    "$MAPFS" "$MAP" "$POINT" || exit 10
    echo "x 1" > "$POINT/info/settings.cfg" || exit 11
"""
LOOK = """
    "$MAPFS" "$MAP" "$POINT" || exit 10
    cat "$POINT/info/settings.cfg" || exit 11
    "$MAPFS" -u "$POINT" || exit 12
"""


class Scene:
    """A directory that everyone may write to, like /tmp, with a map of the victim."""

    def __init__(self, box, victim, forger):
        self.box, self.victim, self.forger = box, victim, forger
        self.map = box.add(datafile.small_map())
        self.name = os.path.basename(self.map)
        os.chown(self.map, victim, victim)
        os.chmod(box.maps, 0o1777)
        for path in (box.point(), box.home, box.logs):
            os.chown(path, victim, victim)
        boxes.needs("setpriv")
        if victim:
            boxes.needs_user_mounts(self.run)

    def run(self, script):
        drop = ["--reuid", self.victim, "--regid", self.victim, "--clear-groups"]
        return self.box.run(*drop, "sh", "-c", script, program="setpriv",
                            env={"MAPFS": places.BINARY, "MAP": self.map, "POINT": self.box.point()})

    def forge(self, name, data=b"", mode=0o644, uid=None, gid=None):
        path = os.path.join(self.box.maps, name)
        boxes.put(path, data, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        return self.give_to_forger(path, mode, uid)

    def give_to_forger(self, path, mode, uid=None):
        uid = self.forger if uid is None else uid
        os.lchown(path, uid, uid)
        if not os.path.islink(path):
            os.chmod(path, mode)
        self.box.allow(os.path.basename(path))
        return path

    def journal(self):
        """Return name and bytes of a journal that a mount of the victim left, and remove the file."""
        r = self.run(CLOSED)
        assert r.code == 0, r
        self.box.kill_worker()
        path, = [os.path.join(self.box.maps, n) for n in self.box.beside()]
        data = boxes.get(path)
        os.unlink(path)
        return os.path.basename(path), data


def state(path):
    st = os.lstat(path)
    content = boxes.get(path) if stat.S_ISREG(st.st_mode) else None
    return st.st_ino, st.st_uid, st.st_mode, st.st_nlink, content


@pytest.fixture
def scene(box, victim, forger):
    return Scene(box, victim, forger)


def check_left_alone(r, path):
    line, = [x for x in r.err.splitlines() if os.path.basename(path) + " " in x]
    assert "is not used" in line, r.err
    return line


@PAIRS
def test_a_forged_journal_is_not_replayed_and_ours_has_another_name(box, scene):
    name, data = scene.journal()
    for mode in (0o644, 0o666):
        path = scene.forge(name, data, mode)
        before = state(path)
        r = scene.run(LOOK)
        assert r.code == 0 and "x 1" not in r.out, r
        check_left_alone(r, path)
        # New changes go into another journal, and are replayed from there.
        assert scene.run(CLOSED).code == 0
        box.kill_worker()
        assert os.path.exists(path + "-2") and os.stat(path + "-2").st_uid == scene.victim
        r = scene.run(LOOK)
        assert r.code == 0 and "x 1" in r.out, r
        assert parts.settings(scene.map) == b"x 1\0"
        assert state(path) == before
        os.unlink(path)
        scene.map = box.add(datafile.small_map())
        os.chown(scene.map, scene.victim, scene.victim)


@PAIRS
@pytest.mark.parametrize("kind", ["fifo", "link", "directory", "second name"])
def test_a_foreign_file_with_a_journals_name_does_not_prevent_a_mount(box, scene, kind):
    name, data = scene.journal()
    path = os.path.join(box.maps, name)
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "link":
        os.symlink(scene.map, path)
    elif kind == "directory":
        os.mkdir(path)
    else:
        os.link(scene.forge("original", data, 0o600, scene.victim), path)
    if kind != "second name":
        scene.give_to_forger(path, 0o666)
    box.allow(name)
    before = state(path)
    r = scene.run(SAVE)
    assert r.code == 0, r
    check_left_alone(r, path)
    assert parts.settings(scene.map) == b"x 1\0"
    assert state(path) == before


@PAIRS
def test_a_forged_marker_of_a_pair_replaces_nothing(box, scene):
    private = scene.forge("private", b"secret", 0o600, scene.victim)
    new = scene.forge(".small.map.mapfs-new-abcdef", b"forged")
    marker = scene.forge("." + scene.name + ".mapfs-pair", b"mapfs pair 1\n.small.map.mapfs-new-abcdef\n"
                         b"private\n.small.map.mapfs-new-abcdef\nother\n")
    before = [state(p) for p in (private, new, marker)]
    r = scene.run(SAVE)
    assert r.code == 0, r
    check_left_alone(r, marker)
    assert [state(p) for p in (private, new, marker)] == before
    assert parts.settings(scene.map) == b"x 1\0"


@PAIRS
def test_a_marker_is_used_for_formats_of_two_files_only(box, scene):
    private = scene.forge("private", b"secret", 0o600, scene.victim)
    new = scene.forge(".x.mapfs-new-abcdef", b"forged", 0o600, scene.victim)
    marker = scene.forge("." + scene.name + ".mapfs-pair", b"mapfs pair 1\n.x.mapfs-new-abcdef\n"
                         b"private\n.x.mapfs-new-abcdef\nother\n", 0o600, scene.victim)
    before = [state(p) for p in (private, new, marker)]
    r = scene.run(SAVE)
    assert r.code == 0, r
    check_left_alone(r, marker)
    assert [state(p) for p in (private, new, marker)] == before


@PAIRS
def test_no_file_is_rescued_into_a_forged_directory(box, scene):
    path = os.path.join(box.maps, scene.name + ".mapfs-left")
    os.mkdir(path)
    os.symlink("/tmp", os.path.join(path, "info"))
    scene.give_to_forger(path, 0o777)
    r = scene.run(SAVE.replace("-u", "-u --force").replace("> \"$POINT/info/settings.cfg\"",
                                                          "> \"$POINT/info/draft.cfg\""))
    box.allow(scene.name + ".mapfs-left*")
    assert r.code in (12, 11), r
    assert "rescued: %s.mapfs-left.1/info/draft.cfg" % scene.name in r.out
    assert os.listdir(path) == ["info"]
    left = path + ".1"
    assert boxes.get(os.path.join(left, "info/draft.cfg")) == b"x 1\n"
    assert os.stat(left).st_uid == scene.victim


def test_root_trusts_files_of_the_maps_owner(box, root):
    s = Scene(box, NOBODY, NOBODY)
    s.victim = 0
    os.chown(box.point(), 0, 0)
    name, data = s.journal()
    s.forge(name, data, 0o600)
    r = s.run(LOOK)
    assert r.code == 0 and "x 1" in r.out, r
    assert os.stat(s.map).st_uid == NOBODY and box.beside() == []


HOLD = """
import fcntl, os, sys, time
if sys.argv[2] == "mapfs":
    with open("/proc/self/comm", "w") as f:
        f.write("mapfs")
fd = os.open(sys.argv[1], os.O_RDONLY)
fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
if sys.argv[3] == "records":
    fcntl.lockf(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
print("held", flush=True)
time.sleep(1000)
"""


@pytest.fixture
def hold_lock():
    held = []

    def hold(uid, path, called="python3", records=""):
        p = subprocess.Popen(["setpriv", "--reuid", str(uid), "--regid", str(uid), "--clear-groups",
                              sys.executable, "-c", HOLD, path, called, records],
                             stdout=subprocess.PIPE)
        held.append(p)
        assert p.stdout.readline() == b"held\n"
    yield hold
    for p in held:
        p.kill()
        p.wait()
        p.stdout.close()


TWICE = """
    mkdir -p "$HOME/second" && "$MAPFS" "$MAP" "$POINT" || exit 10
    "$MAPFS" "$MAP" "$HOME/second"
    test $? = 7 || exit 11
    "$MAPFS" -u "$POINT" || exit 12
"""


@PAIRS
@pytest.mark.parametrize("called", ["python3", "mapfs"])
def test_a_lock_of_a_foreign_process_is_ignored(box, scene, hold_lock, called):
    if scene.forger == 0 and called == "mapfs":
        called = "python3"  # a process of root named mapfs is trusted
    hold_lock(scene.forger, scene.map, called)
    r = scene.run(SAVE)
    assert r.code == 0 and "locked" in r.err, r
    assert parts.settings(scene.map) == b"x 1\0"


@PAIRS
def test_only_one_mount_writes_despite_a_forged_lock(box, scene, hold_lock):
    hold_lock(scene.forger, scene.map)
    r = scene.run(TWICE)
    assert r.code == 0, r


def test_a_record_lock_of_a_reader_is_ignored_too(box, root, hold_lock):
    s = Scene(box, 0, OTHER)
    hold_lock(OTHER, s.map, "mapfs", "records")
    assert s.run(SAVE).code == 0


def test_a_lock_by_a_program_of_the_same_user_is_reported(box, root, hold_lock):
    s = Scene(box, 0, 0)
    hold_lock(0, s.map)
    r = s.run(SAVE)
    assert r.code == 0 and "locked" in r.err, r


def test_a_lock_of_a_process_named_mapfs_with_write_access_is_trusted(box, root, hold_lock):
    s = Scene(box, 0, OTHER)
    os.chmod(s.map, 0o666)
    hold_lock(OTHER, s.map, "mapfs")
    r = s.run('"$MAPFS" "$MAP" "$POINT"')
    assert r.code == 7, r


CONFLICT = """
    "$MAPFS" "$MAP" "$POINT" || exit 10
    echo "x 1" > "$POINT/info/settings.cfg" || exit 11
    cp "$MAP" "$HOME/other" && echo >> "$HOME/other" && mv "$HOME/other" "$MAP"
    "$MAPFS" -u "$POINT"
    test $? = 6
"""
LEFT = """
    "$MAPFS" "$MAP" "$POINT" || exit 10
    printf "two\\nlines\\n" > "$POINT/info/author"
    "$MAPFS" -u "$POINT"
    test $? = 5
"""


@PAIRS
@pytest.mark.parametrize("kind", ["file", "directory", "link", "dangling", "fifo"])
@pytest.mark.parametrize("ending, script", [("conflict", CONFLICT), ("left", LEFT)], ids=["conflict", "left"])
def test_a_foreign_file_with_the_name_of_a_result_is_kept(box, scene, ending, script, kind):
    private = os.path.join(box.home, "private")
    os.mkdir(private)
    os.chown(private, scene.victim, scene.victim)
    path = os.path.join(box.maps, scene.name + ".mapfs-" + ending)
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "directory":
        os.mkdir(path)
    elif kind == "file":
        scene.forge(os.path.basename(path), b"forged")
    else:
        os.symlink(private if kind == "link" else private + "/new", path)
    scene.give_to_forger(path, 0o777)
    before = state(path)
    box.allow(os.path.basename(path) + ".1")
    r = scene.run(script)
    assert r.code == 0, r
    assert "%s.1" % os.path.basename(path) in r.out
    assert state(path) == before and os.listdir(private) == []
    if kind == "directory":
        assert os.listdir(path) == []
    assert os.stat(path + ".1").st_uid == scene.victim


KNOCK = """
import socket, struct, sys
SAVE, QUIT = 9, 13
for what, code in [(SAVE, code) for code in range(4)] + [(QUIT, 0)]:
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.connect("\\0mapfs/" + sys.argv[1])
    try:
        s.send(struct.pack("<IiIiQQ", what, code, 0, -1, 0, 0))
        assert not s.recv(10000)
    except ConnectionError:
        pass
"""


def as_other(*argv):
    return subprocess.run(["setpriv", "--reuid", str(OTHER), "--regid", str(OTHER), "--clear-groups", *argv],
                          capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("victim", [0, NOBODY])
def test_another_user_cannot_end_a_mount(box, root, victim):
    s = Scene(box, victim, OTHER)
    assert s.run(CLOSED).code == 0
    number = device(box.point())
    r = as_other(sys.executable, "-c", KNOCK, number)
    assert r.returncode == 0, r
    for how in ([], ["--force"], ["--discard"]):
        for name in (box.point(), s.map):
            r = as_other(places.BINARY, "-u", *how, name)
            assert r.returncode == 3 and "another user" in r.stderr, r
    assert boxes.is_mounted(box.point())
    r = box.run("-u", box.point())
    assert r.code == 0 and "saved: info/settings.cfg" in r.out, r


def device(point):
    with open("/proc/self/mountinfo") as f:
        return [line.split()[2] for line in f if line.split()[4] == point][-1]


TRIES = ["echo x > info/author", "rm info/author", "mv info/author info/x", "mkdir groups/n", "echo > .scratch",
         "truncate -s 0 info/author", "chmod 777 info/author", "touch info/author", "ln info/author info/b",
         "setfattr -n user.x -v y info/author", "setfattr -x user.mapfs.error info/author"]


def test_allowed_users_have_the_permissions_of_the_map(box, root):
    s = Scene(box, 0, OTHER)
    os.chmod(s.map, 0o644)
    m = box.mount(s.map, "allow_other,raw=rw")
    for script in TRIES:
        assert as_other("sh", "-c", 'cd "$0" && ' + script, m.point).returncode != 0, script
    assert as_other("cat", m / "info/author").stdout == "nobody\n"
    before = boxes.get(s.map)
    m.unmount()
    assert boxes.get(s.map) == before
    os.chmod(s.map, 0o600)
    m = box.mount(s.map, "allow_other")
    for argv in (["cat", m / "info/author"], ["ls", m.point], ["sync", m.point],
                 ["getfattr", "-n", "user.mapfs.status", m.point]):
        assert as_other(*argv).returncode != 0, argv
    m.unmount()


def test_allow_root_admits_no_other_user(box, root):
    s = Scene(box, 0, OTHER)
    os.chmod(s.map, 0o644)
    m = box.mount(s.map, "allow_root,raw=rw")
    assert [os.stat(p).st_mode & 0o777 for p in (m.point, m / "info/author")] == [0o700, 0o600]
    assert m.get("info/author") == b"nobody\n"  # root's lookups are in the kernel's caches now
    os.listdir(m / "images")
    for argv in (["cat", m / "info/author"], ["ls", m.point], ["ls", m / "images"], ["stat", m / "info/author"],
                 ["getfattr", "-n", "user.mapfs.status", m.point]):
        assert as_other(*argv).returncode != 0, argv
    m.unmount()


SQUAT = """
import socket, sys, time
held = []
for minor in range(int(sys.argv[1]), int(sys.argv[2])):
    for name in ("", ".0123456789abcdef"):
        s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            s.bind("\\0mapfs/0:%d%s" % (minor, name))
        except OSError:
            continue
        s.listen(0)
        held.append(s)
        if minor % 2:  # a client would wait in a full queue forever
            c = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            c.connect(s.getsockname())
            held.append(c)
print("held", flush=True)
time.sleep(1000)
"""


LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNET = 0x40000000


@pytest.fixture
def private_network(root):
    """Gives the test a network namespace of its own, because abstract sockets belong to one."""
    with open("/proc/thread-self/ns/net", "rb") as before:
        if LIBC.unshare(CLONE_NEWNET):
            pytest.skip("no network namespace can be made here: " + os.strerror(ctypes.get_errno()))
        yield
        assert LIBC.setns(before.fileno(), CLONE_NEWNET) == 0


@pytest.fixture
def occupied_names(private_network):
    """Another user owns every socket name that the next mounts can use."""
    first = os.minor(os.stat("/proc").st_dev)
    held = []
    for at in range(0, 320, 80):
        held.append(subprocess.Popen(
            ["setpriv", "--reuid", str(OTHER), "--regid", str(OTHER), "--clear-groups",
             sys.executable, "-c", SQUAT, str(at), str(at + 80)], stdout=subprocess.PIPE))
        assert held[-1].stdout.readline() == b"held\n"
    assert first < 320
    yield
    for p in held:
        p.kill()
        p.wait()
        p.stdout.close()


@pytest.mark.parametrize("victim", [0, NOBODY])
def test_occupied_socket_names_do_not_prevent_the_report(box, occupied_names, victim):
    r = Scene(box, victim, OTHER).run(SAVE)
    assert r.code == 0 and "saved: info/settings.cfg" in r.out and not r.err, r


def test_root_ends_a_users_mount_despite_occupied_names(box, occupied_names):
    s = Scene(box, NOBODY, OTHER)
    assert s.run(CLOSED).code == 0
    r = box.run("-u", box.point())
    assert r.code == 0 and "saved: info/settings.cfg" in r.out and not r.err, r


def test_a_mount_without_supervisor_is_found_despite_occupied_names(box, occupied_names):
    s = Scene(box, 0, OTHER)
    assert s.run(CLOSED).code == 0
    supervisor = box.supervisor()
    os.kill(supervisor, signal.SIGKILL)
    assert boxes.wait_for(lambda: supervisor not in box.processes())
    r = box.run("-u", box.point())
    assert r.code == 0 and "saved: info/settings.cfg" in r.out and not r.err, r
