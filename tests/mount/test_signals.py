# SPDX-License-Identifier: Zlib
"""Signals and killed processes: everything that was stored is saved first."""
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

# Stores into a shared mapping of a file, prints a line, and keeps the mapping until its input ends.
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


def is_saved(path):
    return parts.settings(path) == b"sv_deepfly 7\0tune ground_friction 0.5\0"


def has_ended(p):
    return boxes.wait_for(lambda: p.poll() is not None)


@contextlib.contextmanager
def storing(path, held):
    """A program that has stored into a mapping of the file and keeps the mapping."""
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
        assert boxes.wait_for(lambda: is_saved(small)), boxes.get(p.log)
    assert has_ended(p)
    assert not m.mounted()


@pytest.fixture
def utab_lock(root):
    """The lock of the data of mount(8): a launcher waits for it while its worker already serves."""
    os.makedirs("/run/mount", exist_ok=True)
    with open("/run/mount/utab.lock", "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock


def waits_for_a_lock(pid):
    return any(line[1] == "->" and line[5] == str(pid)
               for line in map(str.split, boxes.get("/proc/locks").decode().splitlines()))


def signal_while_it_waits(pid, utab_lock):
    if not boxes.wait_for(lambda: waits_for_a_lock(pid), 5):
        pytest.skip("libmount takes no lock for what mount(8) remembers")
    os.kill(pid, signal.SIGTERM)
    utab_lock.close()


def test_a_signal_to_a_launcher_that_waits_for_utab_saves(box, small, utab_lock):
    m, p = box.foreground(small)
    with storing(m / SETTINGS, "open"):
        signal_while_it_waits(p.pid, utab_lock)
        assert has_ended(p) and p.returncode == 0, boxes.get(p.log)
    assert is_saved(small)
    assert not m.mounted()


def test_a_signal_to_a_starting_background_mount_saves_and_ends_it(box, small, utab_lock):
    m = boxes.Mount(box, small, box.point())
    p = subprocess.Popen([places.BINARY, small, m.point], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE, env=box.env())
    assert boxes.wait_for(m.mounted)
    with storing(m / SETTINGS, "open"):
        signal_while_it_waits(p.pid, utab_lock)
        assert p.communicate(timeout=90)[1].endswith(b": interrupted\n") and p.returncode == 3
    assert is_saved(small)
    assert not m.mounted()


def test_a_signal_to_the_whole_group_saves_as_well(box, small):
    # Ctrl-C in a terminal and a shutdown signal all processes at once.
    m, p = box.foreground(small)
    m.put(SETTINGS, b"kept 1\n")
    os.killpg(p.pid, signal.SIGTERM)
    assert has_ended(p) and p.returncode == 0
    assert parts.settings(small) == b"kept 1\0"
    assert not m.mounted()


@pytest.mark.parametrize("who", ["supervisor", "worker"])
def test_a_signal_to_either_process_of_a_mount_in_the_background_saves(box, small, who):
    m = box.mount(small)
    m.put(SETTINGS, b"kept 1\n")
    os.kill(getattr(box, who)(), signal.SIGTERM)
    assert boxes.wait_for(lambda: not box.processes())
    assert parts.settings(small) == b"kept 1\0"
    assert not m.mounted()


def full_pipe():
    """Both ends of a full pipe."""
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
def test_a_full_pipe_of_messages_does_not_delay_the_end(box, small, flag, read):
    m = boxes.Mount(box, small, box.point())
    boxes.put(m / "covered", b"", os.O_WRONLY | os.O_CREAT)  # the first message
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
    assert has_ended(p) and p.returncode == 5
    assert parts.settings(small) == b"kept 1\0"
    assert not m.mounted()
    os.close(r)
    box.allow("*.mapfs-left")


def test_a_repeated_signal_does_no_harm(box, small):
    m, p = box.foreground(small)
    m.put(SETTINGS, b"kept 1\n")
    p.send_signal(signal.SIGTERM)
    p.send_signal(signal.SIGTERM)
    assert has_ended(p)
    assert parts.settings(small) == b"kept 1\0"


def test_a_signal_without_changes_writes_nothing(box, small):
    raw = boxes.get(small)
    m, p = box.foreground(small)
    m.get(SETTINGS)
    p.send_signal(signal.SIGTERM)
    assert has_ended(p) and p.returncode == 0
    assert boxes.get(small) == raw and os.stat(small).st_mtime_ns == 1_500_000_000_123_456_789


def test_a_foreground_mount_exits_with_the_code_of_the_save(box, small):
    m, p = box.foreground(small)
    m.put(SETTINGS, b"kept 1\n")
    m.unmount()
    assert has_ended(p) and p.returncode == 0
    assert parts.settings(small) == b"kept 1\0"


def test_a_foreground_mount_with_a_rescued_file_exits_with_5(box, small):
    m, p = box.foreground(small)
    assert boxes.refused(m.put, "info/author", b"one\ntwo\n") != 0
    p.send_signal(signal.SIGTERM)
    assert has_ended(p) and p.returncode == 5
    box.allow("*.mapfs-left")


def test_a_foreground_mount_prints_the_reason_of_a_refused_close(box, small):
    m, p = box.foreground(small)
    assert boxes.refused(m.put, "info/author", b"one\ntwo\n") != 0
    assert boxes.wait_for(lambda: boxes.get(p.log))
    line, = boxes.get(p.log).decode().splitlines()
    assert line.startswith("mapfs: %s: refused: info/author: " % small) and len(line) > 60
    m.unmount(code=5)
    box.allow("*.mapfs-left")


@pytest.mark.parametrize("name, endings", [
    ("sounds/bell.wav", ".opus and .json"), ("images/photo.jpg", ".png and .json")])
def test_a_file_with_a_wrong_ending_is_reported_once_with_the_valid_endings(box, small, name, endings):
    m, p = box.foreground(small)
    for _ in range(2):
        m.put(name, b"RIFF", flags=os.O_WRONLY | os.O_CREAT)
    assert boxes.wait_for(lambda: boxes.get(p.log))
    line, = boxes.get(p.log).decode().splitlines()
    words = "%s: not part of a map (%s/ takes %s)" % (name, name.split("/")[0], endings)
    assert line.endswith("ignored: " + words), line
    assert "  ignored " + words in box.run("status", m.point).out
    m.put(name[:-3] + "tmp", b"x", flags=os.O_WRONLY | os.O_CREAT)  # already explained
    assert words in m.unmount(code=5).out
    assert len([i for i in boxes.get(p.log).splitlines() if b"ignored" in i]) == 1
    box.allow("*.mapfs-left")


@pytest.mark.parametrize("changed", [True, False])
def test_a_killed_worker_is_reported_with_its_journal_if_any(box, small, changed):
    m, p = box.foreground(small)
    if changed:
        m.put(SETTINGS, b"kept 1\n")
    os.kill(box.worker(), signal.SIGKILL)
    assert has_ended(p) and p.returncode == 4
    log = boxes.get(p.log)
    assert b"the worker died" in log and (b"journal is kept" in log) == changed, log
    box.allow("*mapfs-journal*")


def device(point):
    with open("/proc/self/mountinfo") as f:
        return [line.split()[2] for line in f if line.split()[4] == point][-1]


@pytest.fixture
def reused_number(box, small):
    """A mount with the device number of an earlier one, whose worker has not noticed its end: (mount, launcher of the
    earlier one, its stopped worker)."""
    old, launcher = box.foreground(small)
    number, worker = device(old.point), box.worker()
    os.kill(worker, signal.SIGSTOP)
    # Another program on this machine, such as df, may wait for an answer of this mount.
    if subprocess.run(["fusermount3", "-u", old.point]).returncode:
        subprocess.run(["fusermount3", "-u", "-z", old.point], check=True)
    other = box.add(boxes.get(small), "other.map")
    m = None
    for i in range(20):
        m = box.mount(other, point=box.point("other"))
        if device(m.point) == number:
            break
        # The number is free when the kernel has freed the superblock.
        m.unmount()
        m = None
    if not m:
        os.kill(worker, signal.SIGCONT)
        pytest.skip("the number of the device was not given to the next mount")
    yield m, launcher, worker
    if launcher.poll() is None:
        os.kill(worker, signal.SIGCONT)


def test_the_end_of_a_mount_does_not_affect_the_next_one_with_its_device_number(box, reused_number):
    m, launcher, worker = reused_number
    os.kill(worker, signal.SIGCONT)
    assert has_ended(launcher) and launcher.returncode == 0
    assert m.mounted()
    m.put(SETTINGS, b"kept 1\n")
    m.unmount()
    assert parts.settings(m.map) == b"kept 1\0"


def test_an_earlier_launcher_does_not_remove_a_dead_mount_with_its_device_number(box, reused_number):
    m, launcher, worker = reused_number
    m.put(SETTINGS, b"kept 1\n")
    pids = [pid for pid in box.processes() if pid not in (launcher.pid, worker)]
    # Kill the supervisor first, because it unmounts after the death of its worker.
    pids.sort(key=lambda pid: boxes.status_field(pid, "NoNewPrivs"))
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    assert len(pids) == 2 and boxes.wait_for(lambda: not set(pids) & set(box.processes()))
    os.kill(worker, signal.SIGCONT)
    assert has_ended(launcher)
    assert "killed" in m.unmount(code=4).err
    box.allow("*mapfs-journal*")


def test_unmounting_waits_for_the_right_worker(box, reused_number):
    m, _, worker = reused_number
    m.put(SETTINGS, b"kept 1\n")
    p = subprocess.Popen([places.BINARY, "-u", m.point], stdout=subprocess.PIPE, env=box.env())
    assert not boxes.wait_for(lambda: p.poll() is not None, 0.5)  # the control socket is still that of the earlier mount
    os.kill(worker, signal.SIGCONT)
    out = p.communicate(timeout=90)[0].decode()
    assert p.returncode == 0 and "saved: " + SETTINGS in out
    assert not m.mounted()
    assert parts.settings(m.map) == b"kept 1\0"


@pytest.fixture
def unsupervised(box, small):
    """A mount whose supervisor was killed."""
    m = box.mount(small)
    supervisor = box.supervisor()
    os.kill(supervisor, signal.SIGKILL)
    assert boxes.wait_for(lambda: supervisor not in box.processes())
    return m


def test_without_supervisor_unmounting_saves_and_reports(box, unsupervised):
    unsupervised.put(SETTINGS, b"kept 1\n")
    r = unsupervised.unmount()
    assert "saved: " + SETTINGS in r.out
    assert not r.err
    assert parts.settings(unsupervised.map) == b"kept 1\0"
    assert not unsupervised.mounted() and not box.processes()


def test_without_supervisor_a_rescued_file_is_reported(box, unsupervised):
    assert boxes.refused(unsupervised.put, "info/author", b"one\ntwo\n") != 0
    r = unsupervised.unmount(code=5)
    assert "info/author" in r.out and ".mapfs-left" in r.out
    assert boxes.get(unsupervised.map + ".mapfs-left/info/author") == b"one\ntwo\n"
    box.allow("*.mapfs-left")


def test_without_supervisor_a_conflict_is_reported(box, unsupervised):
    unsupervised.put(SETTINGS, b"mine 1\n")
    other = box.add(datafile.small_map([b"theirs 1"]), "new")
    os.replace(other, unsupervised.map)
    r = unsupervised.unmount(code=6)
    assert "mapfs-conflict" in r.out
    box.allow("*.mapfs-conflict")


def test_without_supervisor_a_busy_mount_stays_and_can_be_ended_later(box, unsupervised):
    unsupervised.put(SETTINGS, b"kept 1\n")
    with open(unsupervised / SETTINGS):
        unsupervised.unmount(code=7)
        assert unsupervised.mounted() and unsupervised.get(SETTINGS) == b"kept 1\n"
    unsupervised.unmount()
    assert parts.settings(unsupervised.map) == b"kept 1\0"


def test_without_supervisor_force_ends_a_mount_with_open_files(box, unsupervised):
    unsupervised.put(SETTINGS, b"kept 1\n")
    held = os.open(unsupervised / SETTINGS, os.O_RDONLY)
    unsupervised.unmount("--force")
    assert not unsupervised.mounted()
    assert boxes.wait_for(lambda: not box.processes())
    assert boxes.refused(os.close, held) in (0, errno.ENOTCONN)
    assert parts.settings(unsupervised.map) == b"kept 1\0"


def test_without_supervisor_the_created_mount_point_is_removed(box, small):
    point = small[:-len(".map")]
    m = boxes.Mount(box, small, point, box.run(small))
    os.kill(box.supervisor(), signal.SIGKILL)
    assert boxes.wait_for(lambda: len(box.processes()) == 1)
    m.unmount()
    assert not os.path.exists(point)


def test_without_supervisor_a_signal_to_the_worker_saves(box, unsupervised):
    unsupervised.put(SETTINGS, b"kept 1\n")
    os.kill(box.worker(), signal.SIGTERM)
    assert boxes.wait_for(lambda: not box.processes())
    assert parts.settings(unsupervised.map) == b"kept 1\0" and unsupervised.mounted()
    r = unsupervised.unmount()
    assert "all closed files are saved" in r.err and not unsupervised.mounted(), r


def test_the_journal_is_reported_after_both_processes_were_killed(box, small):
    m = box.mount(small)
    m.put(SETTINGS, b"kept 1\n")
    supervisor, worker = box.supervisor(), box.worker()
    os.kill(supervisor, signal.SIGKILL)
    assert boxes.wait_for(lambda: box.processes() == [worker])
    os.kill(worker, signal.SIGKILL)
    assert boxes.wait_for(lambda: not box.processes())
    r = m.unmount(code=4)
    assert "journal" in r.err
    box.mount(small)
    assert m.get(SETTINGS) == b"kept 1\n"
    m.unmount()


def test_unmounting_a_dead_mount_does_not_end_the_next_one_with_its_device_number(box, small):
    m = box.mount(small)
    number, pids = device(m.point), (box.supervisor(), box.worker())
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    assert boxes.wait_for(lambda: not box.processes())
    p = subprocess.Popen([places.BINARY, "-u", m.point], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         env=box.env())
    time.sleep(0.2)  # It tries to connect for a second. If it starts later, it finds no mount.
    subprocess.run(["umount", "-i", "-l", m.point], check=True)
    other = box.mount(box.add(boxes.get(small), "other.map"), point=box.point("other"))
    same = device(other.point) == number
    output = p.communicate(timeout=90)[0].decode()
    assert p.returncode == 1 and "is not a mount" in output, output
    assert other.mounted()
    other.put(SETTINGS, b"kept 1\n")
    other.unmount()
    assert parts.settings(other.map) == b"kept 1\0"
    if not same:
        pytest.skip("the number of the device was not given to the next mount")


# Requests that wait while the processes are killed fail differently from later ones.
@pytest.mark.parametrize("command, code", [("status", 0), ("-u", 4)])
def test_a_kill_during_a_request_is_reported(box, small, command, code):
    m = box.mount(small)
    m.put(SETTINGS, b"kept 1\n")
    supervisor, worker = box.supervisor(), box.worker()
    os.kill(worker, signal.SIGSTOP)
    if command == "-u":
        os.kill(supervisor, signal.SIGKILL)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        asked = pool.submit(box.run, command, m.point)
        time.sleep(0.5)  # if the request comes later, this equals the test before
        for pid in (supervisor, worker):
            if boxes.status_field(pid, "Pid"):
                os.kill(pid, signal.SIGKILL)
        r = asked.result()
    assert r.code == code and "killed" in r.out + r.err, r
    if command == "status":
        m.unmount(code=4)
    box.mount(small).unmount()
    assert parts.settings(small) == b"kept 1\0"


def is_dead(point):
    """A process disappears before the kernel has closed its files, so test the mount itself."""
    try:
        os.statvfs(point)
    except OSError as e:
        return e.errno == errno.ENOTCONN
    return False


def test_a_dead_mount_in_place_of_a_new_mount_point_is_reported(box, small):
    point = small[:-len(".map")]
    m = boxes.Mount(box, small, point, box.run(small))
    for pid in (box.supervisor(), box.worker()):
        os.kill(pid, signal.SIGKILL)
    assert boxes.wait_for(lambda: not box.processes() and is_dead(point))
    r = box.run(small)
    assert r.code == 3 and os.strerror(errno.ENOTCONN) in r.err, r
    m.unmount()
    os.rmdir(point)


@pytest.fixture
def limited(box, small):
    """A mount in the foreground whose worker can only write files up to 512 bytes: a journal of one line fits, the
    map does not."""
    m, p = box.foreground(small)
    assert os.stat(small).st_size > 512
    resource.prlimit(box.worker(), resource.RLIMIT_FSIZE, (512, resource.RLIM_INFINITY))
    m.put(SETTINGS, b"kept 1\n")
    return m, p


def test_a_file_size_limit_fails_the_save_and_not_the_mount(box, limited):
    m, p = limited
    m.unmount(code=4)
    assert m.mounted()
    resource.prlimit(box.worker(), resource.RLIMIT_FSIZE,
                     (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    m.unmount()
    assert parts.settings(m.map) == b"kept 1\0"


def test_a_file_size_limit_does_not_kill_the_worker_at_the_end(box, limited):
    m, p = limited
    # A larger refused file, which the unmount rescues.
    assert boxes.refused(m.put, "info/author", b"one\ntwo\n" * 100) != 0
    subprocess.run(["fusermount3", "-u", m.point], check=True)
    assert has_ended(p) and p.returncode == 4
    assert b"(signal" not in boxes.get(p.log)
    box.allow("*.mapfs-*")


def descendants(pid):
    """The children of a process, and their children."""
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
            own = [int(n) for n in f.read().split()]
    except OSError:
        return []
    return own + [n for child in own for n in descendants(child)]


def test_a_process_killed_at_start_leaves_no_dead_mount(box, small, root):
    """Whichever process is killed, and whenever, the launcher still unmounts."""
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
        for pid in descendants(p.pid)[-1:]:
            killed += 1
            os.kill(pid, signal.SIGKILL)
        code = p.wait(60)
        assert code == 0 or not is_dead(point), i
        box.run("-u", "--force", point)
        if boxes.is_mounted(point):
            subprocess.run(["umount", "-l", point], check=False)
    assert killed > 10


@pytest.mark.parametrize("who", [["worker"], ["supervisor"], ["supervisor", "worker"]], ids="+".join)
def test_the_report_of_a_killed_unmount_is_true(box, small, who):
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
        output = p.communicate(timeout=60)[0].decode()
        left = [name for name in box.beside() if name.lstrip(".").startswith("%d.map.mapfs-journal-" % i)]
        if parts.settings(path) == b"kept 1\0":
            assert "saved: " in output or p.returncode in (1, 4), (i, output)
        else:
            # If the mount ended before its lookup, mapfs -u does not know the map.
            assert left and (left[0] in output or output.endswith(" is not a mount of mapfs\n")), (i, left, output, p.returncode)
            assert p.returncode in (1, 4), (i, output)
        assert boxes.wait_for(lambda: not box.processes()), (i, output)
        if m.mounted():
            m.unmount(code=4)
        assert not m.mounted(), (i, output)
    box.allow("*mapfs-journal*", "*.mapfs-new-*")
