# SPDX-License-Identifier: Zlib
"""Being told to stop, or killed: everything that was stored is saved first."""
import concurrent.futures
import contextlib
import errno
import fcntl
import os
import resource
import signal
import subprocess
import sys
import time

import pytest

import box as boxes
import datafile
import parts
import places
import share

SETTINGS = "info/settings.cfg"

# Stores into a shared map of the file given, says so, and holds it until its input ends.
STORE = """
import mmap, os, sys
fd = os.open(sys.argv[1], os.O_RDWR)
view = mmap.mmap(fd, os.fstat(fd).st_size)
if sys.argv[2] == "closed":
    os.close(fd)
view[11:12] = b"7"
print("stored", flush=True)
sys.stdin.read()
"""


def saved(path):
    return parts.settings(path) == b"sv_deepfly 7\0tune ground_friction 0.5\0"


def ended(p):
    return boxes.wait_for(lambda: p.poll() is not None)


@contextlib.contextmanager
def storing(path, held):
    """A program that has stored into a map of the file, and holds it."""
    child = subprocess.Popen([sys.executable, "-c", STORE, path, held],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert child.stdout.readline() == b"stored\n"
        yield
    finally:
        child.stdin.close()
        child.wait(90)
        child.stdout.close()


@pytest.mark.parametrize("held", ["closed", "open"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP],
                         ids=["TERM", "INT", "HUP"])
def test_a_signal_with_dirty_mapped_pages_saves_them(box, small, number, held):
    m, p = box.foreground(small)
    with storing(m / SETTINGS, held):
        p.send_signal(number)
        assert boxes.wait_for(lambda: saved(small)), boxes.get(p.log)
    assert ended(p)
    assert not m.mounted()


@pytest.fixture
def notes(root):
    """The lock of what mount(8) remembers: a launcher waits for it while its worker serves."""
    os.makedirs("/run/mount", exist_ok=True)
    with open("/run/mount/utab.lock", "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock


def waits_for_a_lock(pid):
    return any(line[1] == "->" and line[5] == str(pid)
               for line in map(str.split, boxes.get("/proc/locks").decode().splitlines()))


def tell_while_it_notes(pid, notes):
    if not boxes.wait_for(lambda: waits_for_a_lock(pid), 5):
        pytest.skip("libmount takes no lock for what mount(8) remembers")
    os.kill(pid, signal.SIGTERM)
    notes.close()


def test_a_signal_to_a_launcher_that_has_not_heard_yet_of_the_worker_saves(box, small, notes):
    m, p = box.foreground(small)
    with storing(m / SETTINGS, "open"):
        tell_while_it_notes(p.pid, notes)
        assert ended(p) and p.returncode == 0, boxes.get(p.log)
    assert saved(small)
    assert not m.mounted()


def test_in_the_background_such_a_signal_saves_and_ends_the_start(box, small, notes):
    m = boxes.Mount(box, small, box.point())
    p = subprocess.Popen([places.BINARY, small, m.point], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE, env=box.env())
    assert boxes.wait_for(m.mounted)
    with storing(m / SETTINGS, "open"):
        tell_while_it_notes(p.pid, notes)
        assert p.communicate(timeout=90)[1].endswith(b": interrupted\n") and p.returncode == 3
    assert saved(small)
    assert not m.mounted()


def test_a_signal_to_the_whole_group_saves_as_well(box, small):
    # A terminal's Ctrl-C and a system that goes down tell every process at once.
    m, p = box.foreground(small)
    m.put(SETTINGS, b"kept 1\n")
    os.killpg(p.pid, signal.SIGTERM)
    assert ended(p) and p.returncode == 0
    assert parts.settings(small) == b"kept 1\0"
    assert not m.mounted()


@pytest.mark.parametrize("who", ["guard", "worker"])
def test_a_signal_to_either_process_of_a_mount_in_the_background_saves(box, small, who):
    m = box.mount(small)
    m.put(SETTINGS, b"kept 1\n")
    os.kill(getattr(box, who)(), signal.SIGTERM)
    assert boxes.wait_for(lambda: not box.processes())
    assert parts.settings(small) == b"kept 1\0"
    assert not m.mounted()


def full_pipe():
    """Its two ends; not a byte more can be written."""
    r, w = os.pipe()
    os.set_blocking(w, False)
    try:
        while True:
            os.write(w, b"." * 4096)
    except BlockingIOError:
        pass
    os.set_blocking(w, True)
    return r, w


def read_until(fd, word):
    got = b""
    while word not in got:
        some = os.read(fd, 65536)
        assert some, got
        got += some
    return got


@pytest.mark.parametrize("flag", ["-f", "-d"])
@pytest.mark.parametrize("read", [False, True])
def test_in_the_foreground_messages_that_nobody_reads_do_not_stop_the_end(box, small, flag, read):
    m = boxes.Mount(box, small, box.point())
    boxes.put(m / "covered", b"", os.O_WRONLY | os.O_CREAT)  # which is the first message
    r, w = full_pipe()
    p = subprocess.Popen([places.BINARY, flag, small, m.point], stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL, stderr=w, env=box.env())
    box.children.append(p)
    os.close(w)
    assert boxes.wait_for(m.mounted)
    assert boxes.refused(m.put, "info/author", b"one\ntwo\n") == errno.EINVAL
    m.put(SETTINGS, b"kept 1\n")
    if read:
        assert b"hidden by the mount\n" in read_until(r, b"refused: info/author: ")
    p.send_signal(signal.SIGTERM)
    assert ended(p) and p.returncode == 5
    assert parts.settings(small) == b"kept 1\0"
    assert not m.mounted()
    os.close(r)
    box.allow("*.mapfs-left")


def test_a_signal_twice_is_no_harm(box, small):
    m, p = box.foreground(small)
    m.put(SETTINGS, b"kept 1\n")
    p.send_signal(signal.SIGTERM)
    p.send_signal(signal.SIGTERM)
    assert ended(p)
    assert parts.settings(small) == b"kept 1\0"


def test_a_signal_without_a_change_writes_nothing(box, small):
    raw = boxes.get(small)
    m, p = box.foreground(small)
    m.get(SETTINGS)
    p.send_signal(signal.SIGTERM)
    assert ended(p) and p.returncode == 0
    assert boxes.get(small) == raw and os.stat(small).st_mtime_ns == 1_500_000_000_123_456_789


def test_in_the_foreground_unmounting_ends_it_with_the_saves_code(box, small):
    m, p = box.foreground(small)
    m.put(SETTINGS, b"kept 1\n")
    m.unmount()
    assert ended(p) and p.returncode == 0
    assert parts.settings(small) == b"kept 1\0"


def test_in_the_foreground_a_draft_left_shows_in_the_exit_code(box, small):
    m, p = box.foreground(small)
    assert boxes.refused(m.put, "info/author", b"one\ntwo\n") != 0
    p.send_signal(signal.SIGTERM)
    assert ended(p) and p.returncode == 5
    box.allow("*.mapfs-left")


def test_in_the_foreground_a_refused_close_is_told_with_its_reason(box, small):
    m, p = box.foreground(small)
    assert boxes.refused(m.put, "info/author", b"one\ntwo\n") != 0
    assert boxes.wait_for(lambda: boxes.get(p.log))
    line, = boxes.get(p.log).decode().splitlines()
    assert line.startswith("mapfs: %s: refused: info/author: " % small) and len(line) > 60
    m.unmount(code=5)
    box.allow("*.mapfs-left")


@pytest.mark.parametrize("name, endings", [
    ("sounds/bell.wav", ".opus and .json"), ("images/photo.jpg", ".png and .json")])
def test_of_another_ending_it_is_told_when_it_is_closed_which_are_taken(box, small, name, endings):
    m, p = box.foreground(small)
    for _ in range(2):
        m.put(name, b"RIFF", flags=os.O_WRONLY | os.O_CREAT)
    assert boxes.wait_for(lambda: boxes.get(p.log))
    line, = boxes.get(p.log).decode().splitlines()
    words = "%s: not part of a map (%s/ takes %s)" % (name, name.split("/")[0], endings)
    assert line.endswith("ignored: " + words), line
    assert "  ignored " + words in box.run("status", m.point).out
    m.put(name[:-3] + "tmp", b"x", flags=os.O_WRONLY | os.O_CREAT)  # explained
    assert words in m.unmount(code=5).out
    assert len([i for i in boxes.get(p.log).splitlines() if b"ignored" in i]) == 1
    box.allow("*.mapfs-left")


@pytest.mark.parametrize("changed", [True, False])
def test_of_a_dead_worker_a_journal_is_told_only_where_there_is_one(box, small, changed):
    m, p = box.foreground(small)
    if changed:
        m.put(SETTINGS, b"kept 1\n")
    os.kill(box.worker(), signal.SIGKILL)
    assert ended(p) and p.returncode == 4
    log = boxes.get(p.log)
    assert b"the worker died" in log and (b"journal is kept" in log) == changed, log
    box.allow("*mapfs-journal*")


def device(point):
    with open("/proc/self/mountinfo") as f:
        return [line.split()[2] for line in f if line.split()[4] == point][-1]


@pytest.fixture
def same_number(box, small):
    """A mount that has the device number of an earlier one, whose worker has not noticed its end:
    (the mount, the earlier one's launcher, its worker, which is stopped)."""
    old, launcher = box.foreground(small)
    number, worker = device(old.point), box.worker()
    os.kill(worker, signal.SIGSTOP)
    # Some other program on this machine may be waiting for an answer of this mount: df looks at all.
    if subprocess.run(["fusermount3", "-u", old.point]).returncode:
        subprocess.run(["fusermount3", "-u", "-z", old.point], check=True)
    other = box.add(boxes.get(small), "other.map")
    m = None
    for i in range(20):
        m = box.mount(other, point=box.point("other"))
        if device(m.point) == number:
            break
        # The number is free once the kernel has put the last of it away.
        m.unmount()
        m = None
    if not m:
        os.kill(worker, signal.SIGCONT)
        pytest.skip("the number of the device was not given to the next mount")
    yield m, launcher, worker
    if launcher.poll() is None:
        os.kill(worker, signal.SIGCONT)


def test_a_mount_with_the_device_number_of_an_earlier_one_is_left_alone(box, same_number):
    m, launcher, worker = same_number
    os.kill(worker, signal.SIGCONT)
    assert ended(launcher) and launcher.returncode == 0
    assert m.mounted()
    m.put(SETTINGS, b"kept 1\n")
    m.unmount()
    assert parts.settings(m.map) == b"kept 1\0"


def test_a_dead_mount_with_the_device_number_of_an_earlier_one_is_left_to_who_asks(box, same_number):
    m, launcher, worker = same_number
    m.put(SETTINGS, b"kept 1\n")
    pids = [pid for pid in box.processes() if pid not in (launcher.pid, worker)]
    # The guard first, which unmounts where it sees its worker dead.
    pids.sort(key=lambda pid: boxes.status_field(pid, "NoNewPrivs"))
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    assert len(pids) == 2 and boxes.wait_for(lambda: not set(pids) & set(box.processes()))
    os.kill(worker, signal.SIGCONT)
    assert ended(launcher)
    assert "killed" in m.unmount(code=4).err
    box.allow("*mapfs-journal*")


def test_unmounting_it_waits_for_its_own_worker(box, same_number):
    m, _, worker = same_number
    m.put(SETTINGS, b"kept 1\n")
    p = subprocess.Popen([places.BINARY, "-u", m.point], stdout=subprocess.PIPE, env=box.env())
    assert not boxes.wait_for(lambda: p.poll() is not None, 0.5)  # it stands at the wrong door
    os.kill(worker, signal.SIGCONT)
    out = p.communicate(timeout=90)[0].decode()
    assert p.returncode == 0 and "saved: " + SETTINGS in out
    assert not m.mounted()
    assert parts.settings(m.map) == b"kept 1\0"


@pytest.fixture
def orphan(box, small):
    """A mount whose guard was killed."""
    m = box.mount(small)
    guard = box.guard()
    os.kill(guard, signal.SIGKILL)
    assert boxes.wait_for(lambda: guard not in box.processes())
    return m


def test_without_its_guard_unmounting_saves_and_reports(box, orphan):
    orphan.put(SETTINGS, b"kept 1\n")
    r = orphan.unmount()
    assert "saved: " + SETTINGS in r.out
    assert not r.err
    assert parts.settings(orphan.map) == b"kept 1\0"
    assert not orphan.mounted() and not box.processes()


def test_without_its_guard_a_draft_is_told(box, orphan):
    assert boxes.refused(orphan.put, "info/author", b"one\ntwo\n") != 0
    r = orphan.unmount(code=5)
    assert "info/author" in r.out and ".mapfs-left" in r.out
    assert boxes.get(orphan.map + ".mapfs-left/info/author") == b"one\ntwo\n"
    box.allow("*.mapfs-left")


def test_without_its_guard_a_conflict_is_told(box, orphan):
    orphan.put(SETTINGS, b"mine 1\n")
    other = box.add(datafile.small_map([b"theirs 1"]), "new")
    os.replace(other, orphan.map)
    r = orphan.unmount(code=6)
    assert "mapfs-conflict" in r.out
    box.allow("*.mapfs-conflict")


def test_without_its_guard_a_busy_mount_stays_and_can_be_ended_later(box, orphan):
    orphan.put(SETTINGS, b"kept 1\n")
    with open(orphan / SETTINGS):
        orphan.unmount(code=7)
        assert orphan.mounted() and orphan.get(SETTINGS) == b"kept 1\n"
    orphan.unmount()
    assert parts.settings(orphan.map) == b"kept 1\0"


def test_without_its_guard_force_ends_it_with_files_open(box, orphan):
    orphan.put(SETTINGS, b"kept 1\n")
    held = os.open(orphan / SETTINGS, os.O_RDONLY)
    orphan.unmount("--force")
    assert not orphan.mounted()
    assert boxes.wait_for(lambda: not box.processes())
    assert boxes.refused(os.close, held) in (0, errno.ENOTCONN)
    assert parts.settings(orphan.map) == b"kept 1\0"


def test_without_its_guard_the_mount_point_that_was_made_goes(box, small):
    point = small[:-len(".map")]
    m = boxes.Mount(box, small, point, box.run(small))
    os.kill(box.guard(), signal.SIGKILL)
    assert boxes.wait_for(lambda: len(box.processes()) == 1)
    m.unmount()
    assert not os.path.exists(point)


def test_without_its_guard_a_signal_to_the_worker_saves_and_the_dead_mount_says_so(box, orphan):
    orphan.put(SETTINGS, b"kept 1\n")
    os.kill(box.worker(), signal.SIGTERM)
    assert boxes.wait_for(lambda: not box.processes())
    assert parts.settings(orphan.map) == b"kept 1\0" and orphan.mounted()
    r = orphan.unmount()
    assert "all closed files are saved" in r.err and not orphan.mounted(), r


def test_with_guard_and_worker_killed_the_journal_is_told(box, small):
    m = box.mount(small)
    m.put(SETTINGS, b"kept 1\n")
    guard, worker = box.guard(), box.worker()
    os.kill(guard, signal.SIGKILL)
    assert boxes.wait_for(lambda: box.processes() == [worker])
    os.kill(worker, signal.SIGKILL)
    assert boxes.wait_for(lambda: not box.processes())
    r = m.unmount(code=4)
    assert "journal" in r.err
    box.mount(small)
    assert m.get(SETTINGS) == b"kept 1\n"
    m.unmount()


def test_who_asks_a_dead_mount_does_not_end_the_next_one_of_its_device_number(box, small):
    m = box.mount(small)
    number, pids = device(m.point), (box.guard(), box.worker())
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    assert boxes.wait_for(lambda: not box.processes())
    p = subprocess.Popen([places.BINARY, "-u", m.point], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         env=box.env())
    time.sleep(0.2)  # it knocks, for a second; where it looks later than that, it finds nothing mounted
    subprocess.run(["umount", "-i", "-l", m.point], check=True)
    other = box.mount(box.add(boxes.get(small), "other.map"), point=box.point("other"))
    same = device(other.point) == number
    said = p.communicate(timeout=90)[0].decode()
    assert p.returncode == 1 and "is not a mount" in said, said
    assert other.mounted()
    other.put(SETTINGS, b"kept 1\n")
    other.unmount()
    assert parts.settings(other.map) == b"kept 1\0"
    if not same:
        pytest.skip("the number of the device was not given to the next mount")


# Calls that wait while the processes are killed fail otherwise than those that come later.
@pytest.mark.parametrize("command, code", [("status", 0), ("-u", 4)])
def test_killed_while_it_was_asked_it_is_said_to_be_killed(box, small, command, code):
    m = box.mount(small)
    m.put(SETTINGS, b"kept 1\n")
    guard, worker = box.guard(), box.worker()
    os.kill(worker, signal.SIGSTOP)
    if command == "-u":
        os.kill(guard, signal.SIGKILL)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        asked = pool.submit(box.run, command, m.point)
        time.sleep(0.5)  # where it asks later than that, this is the test before
        for pid in (guard, worker):
            if boxes.status_field(pid, "Pid"):
                os.kill(pid, signal.SIGKILL)
        r = asked.result()
    assert r.code == code and "killed" in r.out + r.err, r
    if command == "status":
        m.unmount(code=4)
    box.mount(small).unmount()
    assert parts.settings(small) == b"kept 1\0"


def is_dead(point):
    """A process is gone before the kernel has closed all that it had open."""
    try:
        os.statvfs(point)
    except OSError as e:
        return e.errno == errno.ENOTCONN
    return False


def test_a_dead_mount_where_a_mount_point_is_to_be_made_is_named_so(box, small):
    point = small[:-len(".map")]
    m = boxes.Mount(box, small, point, box.run(small))
    for pid in (box.guard(), box.worker()):
        os.kill(pid, signal.SIGKILL)
    assert boxes.wait_for(lambda: not box.processes() and is_dead(point))
    r = box.run(small)
    assert r.code == 3 and os.strerror(errno.ENOTCONN) in r.err, r
    m.unmount()
    os.rmdir(point)


@pytest.fixture
def limited(box, small):
    """A mount in the foreground whose worker can write no file of more than 512 bytes: the journal of
    one line fits in, the map does not."""
    m, p = box.foreground(small)
    assert os.stat(small).st_size > 512
    resource.prlimit(box.worker(), resource.RLIMIT_FSIZE, (512, resource.RLIM_INFINITY))
    m.put(SETTINGS, b"kept 1\n")
    return m, p


def test_a_limit_of_file_sizes_fails_the_save_and_not_the_mount(box, limited):
    m, p = limited
    m.unmount(code=4)
    assert m.mounted()
    resource.prlimit(box.worker(), resource.RLIMIT_FSIZE,
                     (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    m.unmount()
    assert parts.settings(m.map) == b"kept 1\0"


def test_a_limit_of_file_sizes_does_not_kill_the_worker_at_the_end(box, limited):
    m, p = limited
    # A draft that is larger, which is copied out at the end.
    assert boxes.refused(m.put, "info/author", b"one\ntwo\n" * 100) != 0
    subprocess.run(["fusermount3", "-u", m.point], check=True)
    assert ended(p) and p.returncode == 4
    assert b"(signal" not in boxes.get(p.log)
    box.allow("*.mapfs-*")


def below(pid):
    """Its children, and theirs."""
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
            own = [int(n) for n in f.read().split()]
    except OSError:
        return []
    return own + [n for child in own for n in below(child)]


def test_a_start_that_lost_a_process_leaves_no_dead_mount(box, small, root):
    """Whichever of its processes is killed, and whenever: who typed the command is still there to unmount."""
    point = box.point()
    before = time.monotonic()
    m = box.mount(small)
    whole = time.monotonic() - before
    m.unmount()
    killed = 0
    for i in range(90):
        p = subprocess.Popen([places.BINARY, small, point], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
        until = time.monotonic() + whole * i / 90
        while time.monotonic() < until and p.poll() is None:
            pass
        for pid in below(p.pid)[-1:]:
            killed += 1
            os.kill(pid, signal.SIGKILL)
        code = p.wait(60)
        assert code == 0 or not is_dead(point), i
        box.run("-u", "--force", point)
        if boxes.is_mounted(point):
            subprocess.run(["umount", "-l", point], check=False)
    assert killed > 10


@pytest.mark.parametrize("who", [["worker"], ["guard"], ["guard", "worker"]], ids="+".join)
def test_whoever_is_killed_while_it_is_unmounted_what_became_of_the_map_is_said(box, small, who):
    for i in range(share.of(60, 12)):
        path = box.add(boxes.get(small), "%d.map" % i)
        m = box.mount(path)
        m.put(SETTINGS, b"kept 1\n")
        pids = [getattr(box, name)() for name in who]
        p = subprocess.Popen([places.BINARY, "-u", m.point], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             env=box.env())
        time.sleep(i % 12 * 0.0007)
        for pid in pids:
            if boxes.status_field(pid, "Pid"):
                os.kill(pid, signal.SIGKILL)
        said = p.communicate(timeout=60)[0].decode()
        left = [name for name in box.beside() if name.lstrip(".").startswith("%d.map.mapfs-journal-" % i)]
        if parts.settings(path) == b"kept 1\0":
            assert "saved: " in said or p.returncode in (1, 4), (i, said)
        else:
            # Where the mount was gone before it was looked up, nobody knows of which map it was.
            assert left and (left[0] in said or said.endswith(" is not a mount of mapfs\n")), (i, left, said, p.returncode)
            assert p.returncode in (1, 4), (i, said)
        assert boxes.wait_for(lambda: not box.processes()), (i, said)
        if m.mounted():
            m.unmount(code=4)
        assert not m.mounted(), (i, said)
    box.allow("*mapfs-journal*", "*.mapfs-new-*")
