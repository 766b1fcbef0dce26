# SPDX-License-Identifier: Zlib
"""Ending mounts: busy mounts, discarded changes, killed processes, progress and status."""
import os
import re
import signal
import subprocess
import sys
import threading
import time

import pytest

import box as boxes
import datafile
import parts
import places
from shims import Fault

SETTINGS = "info/settings.cfg"
NEW = b"x 1\n"
# Time limit in seconds for calls that would otherwise hang; a busy machine needs only a part of it.
HANGS = 60
HOLD = "import os, sys; fd = os.open(sys.argv[1], os.O_RDONLY); print(flush=True); sys.stdin.read()"

MAP = ("import mmap, os, sys; fd = os.open(sys.argv[1], os.O_RDONLY); "
       "m = mmap.mmap(fd, 0, prot=mmap.PROT_READ); os.closerange(3, 64); print(flush=True); "
       "sys.stdin.read()")


class Holder:
    """Another process that has a file of the mount open, maps it, or has its working directory there."""

    def __init__(self, path, cwd=None, code=HOLD):
        self.p = subprocess.Popen([sys.executable, "-c", code, path], cwd=cwd,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.p.stdout.readline()

    def end(self):
        self.p.stdin.close()
        self.p.wait(90)
        self.p.stdout.close()

    def __enter__(self):
        return self.p

    def __exit__(self, *_):
        if not self.p.stdin.closed:
            self.end()


def is_saved(path):
    return parts.settings(path) == b"x 1\0"


def sync_file(m, name):
    fd = os.open(m / name, os.O_RDONLY)
    os.fsync(fd)
    os.close(fd)


def journals(box):
    return [n for n in box.beside() if ".mapfs-journal-" in n]


# ---- busy

def test_an_unmount_waits_for_a_brief_use(box, small):
    m = box.mount(small)
    m.put(SETTINGS, NEW)
    holder = Holder(m / SETTINGS)
    p = subprocess.Popen([places.BINARY, "-u", m.point], stdout=subprocess.PIPE, env=box.env())
    assert p.stdout.readline() == b"saved: %s\n" % SETTINGS.encode()
    time.sleep(0.3)  # mapfs -u retries; if it has not started yet, the mount is simply unused
    holder.end()
    assert p.communicate(timeout=HANGS)[0] == b"" and p.returncode == 0
    assert is_saved(small)


class Lookers(threading.Thread):
    """Programs that open a file of the mount in turn, each one before the last one closes it."""

    def __init__(self, path, most):
        super().__init__()
        self.path, self.most, self.n = path, most, 0
        self.last = Holder(path)
        self.start()

    def run(self):
        while self.n < self.most:
            time.sleep(0.2)
            another = Holder(self.path)
            self.last.end()
            self.last, self.n = another, self.n + 1
        self.last.end()


def test_a_sequence_of_brief_uses_does_not_delay_the_end(box, small):
    m = box.mount(small)
    m.put(SETTINGS, NEW)
    lookers = Lookers(m / SETTINGS, 1000)
    r = m.unmount(code=7)
    assert lookers.n < 1000 and r.out == "saved: %s\n" % SETTINGS, r
    assert r.err.count("cannot unmount") == 1 and re.search(r"\(process \d+\) has .* open", r.err), r
    lookers.most = 0
    lookers.join()
    m.unmount()


# Opens, reads or writes, and closes a file as fast as possible until the mount has ended.
USE = """
import os, sys
print(flush=True)
while True:
    try:
        fd = os.open(sys.argv[1], os.O_WRONLY | os.O_TRUNC if sys.argv[2] == "write" else os.O_RDONLY)
        try:
            os.write(fd, b"x 1\\n") if sys.argv[2] == "write" else os.read(fd, 65536)
        finally:
            os.close(fd)
    except OSError:
        if not os.path.exists(sys.argv[1]):
            break
"""


def test_steady_use_does_not_delay_the_end(box, small):
    m = box.mount(small)
    users = [subprocess.Popen([sys.executable, "-c", USE, m / name, how], stdout=subprocess.PIPE)
             for name in (SETTINGS, "info/author", "info/version") for how in ("write", "read")]
    try:
        for p in users:
            p.stdout.readline()
        for _ in range(4):
            r = box.run("-u", m.point)
            if r.code == 0:
                break  # no program had a file open at that moment
            assert r.code == 7 and all(p.poll() is None for p in users), r
            assert any("(process %d)" % p.pid in r.err for p in users), r
    finally:
        for p in users:
            p.kill()
            p.wait()
            p.stdout.close()
    if m.mounted():
        m.put(SETTINGS, NEW)  # a writer may have been killed before its write
        m.unmount()
    assert is_saved(small)


def test_a_lasting_user_is_named_among_brief_ones(box, small):
    m = box.mount(small)
    lookers = Lookers(m / SETTINGS, 1000)
    with Holder(m / "info/author") as p:
        r = m.unmount(code=7)
        assert "process %d" % p.pid in r.err and r.err.count("cannot unmount") == 1
        lookers.most = 0
        lookers.join()
    m.unmount()


@pytest.mark.parametrize("how, words", [
    ("opens", SETTINGS + " open"), ("works in", "has its working directory there"), ("maps", "mapped")])
def test_the_process_that_uses_the_mount_is_named(box, small, how, words):
    m = box.mount(small)
    with Holder(small if how == "works in" else m / SETTINGS,
                cwd=m / "info" if how == "works in" else None,
                code=MAP if how == "maps" else HOLD) as p:
        r = m.unmount(code=7)
        assert "process %d" % p.pid in r.err and words in r.err and "saved" not in r.err, r
        m.put(SETTINGS, NEW)
        assert "saved, but cannot unmount" in m.unmount(code=7).err
    assert is_saved(small)
    m.unmount()


def test_a_caller_inside_the_mount_is_asked_to_leave(box, small):
    m = box.mount(small)
    r = box.run("-c", 'cd "$0/info" && "$1" -u ..; echo "gave $?"', m.point, places.BINARY,
                program="sh")
    assert "leave it first" in r.err and "gave 7" in r.out, r
    r = box.run("-c", 'cd "$0" && exec "$1" -u .', m.point, places.BINARY, program="sh")
    assert r.code == 0, r


def test_a_failed_unmount_is_reported_if_sigchld_is_ignored(box, small):
    m = box.mount(small)
    ignore = "import os, signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])"
    r = box.run("-c", 'cd "$0/info" && "$1" -c "$2" "$3" -u ..; echo "gave $?"', m.point, sys.executable, ignore,
                places.BINARY, program="sh")
    assert "leave it first" in r.err and "gave 7" in r.out, r
    m.unmount()


# ---- discarding changes

def write_refused(m):
    assert boxes.refused(m.put, "info/author", b"one\ntwo\n") != 0


def test_discard_lists_the_dropped_changes_and_writes_nothing(box, small):
    raw = boxes.get(small)
    m = box.mount(small)
    m.put(SETTINGS, NEW)
    m.put("images/photo.jpg", b"JPEG", flags=os.O_WRONLY | os.O_CREAT)
    write_refused(m)
    r = m.unmount("--discard")
    lines = r.out.splitlines()
    assert all(line.startswith("discarded: ") for line in lines), r
    assert {" ".join(line.split(":")[1].split()) for line in lines} == {
        "changed info/settings.cfg", "ignored images/photo.jpg", "refused info/author"}, r
    assert not m.mounted() and boxes.get(small) == raw and box.beside() == []
    assert os.stat(small).st_mtime_ns == 1_500_000_000_123_456_789


def test_discard_keeps_synced_changes(box, small):
    m = box.mount(small)
    m.put(SETTINGS, NEW)
    box.run(m.point, program="sync")
    m.put(SETTINGS, b"y 2\n")
    m.unmount("--discard")
    assert is_saved(small) and box.beside() == []


def test_a_failed_save_mentions_discard(box, small):
    shim = box.shim(Fault)
    m = box.mount(small, shim=shim)
    m.put(SETTINGS, NEW)
    write_refused(m)
    shim.arm(shim.FAIL_FROM, 0, shim.RENAME, 5)
    assert "--discard" in m.unmount(code=4).err
    shim.disarm()
    raw = boxes.get(small)
    m.unmount("--discard")
    assert boxes.get(small) == raw and box.beside() == []


def test_a_mount_in_use_is_not_discarded(box, small):
    m = box.mount(small)
    m.put(SETTINGS, NEW)
    with Holder(m / SETTINGS):
        m.unmount("--discard", code=7)
        assert m.get(SETTINGS) == NEW
    # The discard was cancelled.
    subprocess.run(["fusermount3", "-u", m.point], check=True)
    assert boxes.wait_for(lambda: is_saved(small)) and boxes.wait_for(lambda: not box.processes())


def test_a_mount_in_use_is_discarded_by_force(box, small):
    raw = boxes.get(small)
    m = box.mount(small)
    m.put(SETTINGS, NEW)
    with Holder(m / SETTINGS):
        m.unmount("--discard", "--force")
    assert boxes.get(small) == raw and box.beside() == []


def kill(box, *who):
    for pid in [getattr(box, name)() for name in who]:
        os.kill(pid, signal.SIGKILL)
    assert boxes.wait_for(lambda: len(box.processes()) == 2 - len(who))


def test_discard_works_without_supervisor(box, small):
    raw = boxes.get(small)
    m = box.mount(small)
    m.put(SETTINGS, NEW)
    kill(box, "supervisor")
    assert "discarded: changed info/settings.cfg" in m.unmount("--discard").out
    assert boxes.get(small) == raw and box.beside() == []


def test_discard_works_after_both_processes_were_killed(box, small):
    raw = boxes.get(small)
    m = box.mount(small)
    m.put(SETTINGS, NEW)
    kill(box, "supervisor", "worker")
    r = m.unmount("--discard")
    assert "discarded: info/settings.cfg" in r.out, r
    assert boxes.get(small) == raw and box.beside() == []


def test_the_journal_of_a_file_that_is_not_mounted_is_discarded(box, small):
    raw = boxes.get(small)
    m = box.mount(small)
    m.put(SETTINGS, NEW)
    box.kill_worker()
    other = box.add(datafile.small_map(settings=[b"other"]), "small2.map")
    assert box.run("-u", "--discard", other).code == 0 and len(journals(box)) == 1
    r = box.run("-u", "--discard", small)
    assert r.code == 0 and "discarded: info/settings.cfg" in r.out, r
    assert journals(box) == []
    m = box.mount(small)
    assert not m.result.err
    m.unmount()
    assert boxes.get(small) == raw


# ---- which mounts

def test_several_mounts_end_and_the_most_serious_code_is_returned(box):
    paths = [box.add(datafile.small_map(), "%d.map" % i) for i in range(3)]
    ms = [box.mount(path, point=box.point(str(i))) for i, path in enumerate(paths)]
    for m in ms:
        m.put(SETTINGS, NEW)
    write_refused(ms[1])
    with Holder(ms[2] / SETTINGS):
        r = box.run("-u", *[m.point for m in ms], os.path.join(box.root, "none"))
    assert r.code == 7 and "none: is not a mount" in r.err, r
    for m in ms[:2]:
        assert "%s: saved: %s\n" % (m.point, SETTINGS) in r.out, r
    assert [m.mounted() for m in ms] == [False, False, True]
    assert all(map(is_saved, paths))
    write_refused(ms[2])
    assert box.run("-u", ms[2].point, box.root).code == 5
    box.allow("*.mapfs-left")


def test_the_path_of_the_map_ends_its_mount(box, small):
    m = box.mount(small)
    m.put(SETTINGS, NEW)
    r = box.run("-u", "small.map", cwd=box.maps)
    assert r.code == 0 and "saved: " + SETTINGS in r.out, r
    assert not m.mounted() and is_saved(small)
    r = box.run("-u", small)
    assert r.code == 1 and "is not mounted" in r.err, r


def test_a_second_mount_is_refused_with_the_place_of_the_first(box, small):
    m = box.mount(small)
    r = box.run(small, box.point("other"))
    assert r.code == 7 and m.point in r.err, r
    m.unmount()


def test_a_mount_over_files_notes_what_it_covers(box, small):
    with open(os.path.join(box.point(), "file"), "w"):
        pass
    m = box.mount(small)
    assert "hidden" in m.result.err and len(m.result.err.splitlines()) == 1
    m.unmount()
    m = box.mount(small, point=box.point("empty"))
    assert not m.result.err
    m.unmount()


# ---- stopped, killed, elsewhere

@pytest.fixture
def helper(box):
    path = os.path.join(box.root, "umount.fuse.mapfs")
    os.symlink(places.BINARY, path)
    return path


@pytest.mark.parametrize("how, who", [
    ("--force", ["supervisor"]), ("-l", ["worker"]), ("-f", ["supervisor", "worker"])], ids=str)
def test_a_forced_end_of_stopped_processes_takes_seconds(box, small, helper, how, who):
    m = box.mount(small)
    m.put(SETTINGS, NEW)
    pids = [getattr(box, name)() for name in who]
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    start = time.monotonic()
    try:
        if how == "--force":
            r = box.run("-u", how, m.point)
        else:
            r = box.run(m.point, how, program=helper)
        assert time.monotonic() - start < HANGS
        assert not m.mounted()
        if "worker" in who:
            assert r.code == 4 and "unsaved changes are in the journal" in r.err and len(journals(box)) == 1, r
        else:
            assert r.code == 0 and is_saved(small), r
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)
    assert boxes.wait_for(lambda: not box.processes())
    assert is_saved(small)


def test_a_dead_mount_is_reported_with_advice(box, small):
    m = box.mount(small)
    m.put(SETTINGS, NEW)
    kill(box, "supervisor", "worker")
    r = box.run(box.add(datafile.small_map(), "second.map"), m.point)
    assert r.code == 3 and "mapfs -u " + m.point in r.err and "restored" not in r.err, r
    r = box.run(small, m.point)
    assert r.code == 3 and "restored" not in r.err, r
    r = m.unmount(code=4)
    assert "killed" in r.err and journals(box)[0] in r.err and small in r.err, r
    m = box.mount(small)
    assert m.get(SETTINGS) == NEW
    m.unmount()


def test_the_report_of_a_dead_mount_says_that_no_journal_exists(box, small):
    m = box.mount(small)
    m.get(SETTINGS)
    kill(box, "supervisor", "worker")
    assert "no journal" in m.unmount().err


def test_a_dead_mount_reports_a_journal_for_another_content(box, small):
    m = box.mount(small)
    m.put(SETTINGS, NEW)
    kill(box, "supervisor", "worker")
    os.replace(box.add(datafile.small_map([b"theirs 1"]), "second.map"), small)
    r = m.unmount(code=4)
    assert journals(box)[0] in r.err and "another version" in r.err, r
    box.allow("*mapfs-journal*")


IN_A_NAMESPACE = """
mount --make-rprivate / || exit 90
%s
"""


def run_in_namespace(box, script, *flags, **env):
    boxes.needs_namespaces("-m", *flags)
    return box.run("-m", *flags, "sh", "-c", IN_A_NAMESPACE % script, program="unshare",
                   env=dict(env, MAPFS=places.BINARY, POINT=box.point()), timeout=60)


def test_a_copy_in_another_namespace_does_not_delay_the_end(box, root, small):
    boxes.needs_namespaces("-m")
    m = box.mount(small)
    m.put(SETTINGS, NEW)
    p = subprocess.Popen(["unshare", "-m", "sh", "-c",
                          "mount --make-rprivate / && echo && exec sleep 600"],
                         stdout=subprocess.PIPE)
    try:
        p.stdout.readline()
        start = time.monotonic()
        m.unmount()
        assert time.monotonic() - start < HANGS
        assert is_saved(small)
    finally:
        p.kill()
        p.wait()
        p.stdout.close()


@pytest.mark.parametrize("flags", [[], ["-n"]], ids=["mount", "mount+net"])
@pytest.mark.parametrize("how", ["-u", "-u --force"])
@pytest.mark.parametrize("where", ["same", "bound"])
def test_a_mount_can_be_ended_from_another_namespace(box, root, small, how, where, flags):
    m = box.mount(small)
    m.put(SETTINGS, NEW)
    start = time.monotonic()
    r = run_in_namespace(box, """
        if [ "$WHERE" = bound ]; then
            mkdir -p "$OTHER" && mount --move "$POINT" "$OTHER" && POINT="$OTHER" || exit 91
        fi
        "$MAPFS" $HOW "$POINT"
        code=$?
        grep -q " $POINT " /proc/self/mountinfo && exit 92
        exit $code
    """, *flags, HOW=how, WHERE=where, OTHER=os.path.join(box.root, "other"))
    assert time.monotonic() - start < HANGS
    assert r.code == 0, r
    assert is_saved(small)
    if flags:
        m.unmount()  # the worker is unreachable from the namespace and still runs here
    else:
        assert boxes.wait_for(lambda: not m.mounted())  # the supervisor removes the mount here


def test_all_concurrent_unmounts_report_the_save(box, small):
    shim = box.shim(Fault)
    m = box.mount(small, shim=shim)
    m.put(SETTINGS, NEW)
    sync_file(m, SETTINGS)
    shim.arm(Fault.DELAY, 0, Fault.SYNC, 1000)
    processes = [subprocess.Popen([places.BINARY, "-u", m.point], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               env=box.env()) for _ in range(3)]
    for p in processes:
        output = p.communicate(timeout=HANGS)[0].decode()
        assert (p.returncode, output) == (0, "saved: %s\n" % SETTINGS)
    assert is_saved(small) and not m.mounted()


# ---- progress

@pytest.mark.parametrize("step, words", [("SYNC", "syncing"), ("WRITE", "saving")])
def test_a_long_save_shows_its_progress(box, small, step, words):
    shim = box.shim(Fault)
    m = box.mount(small, shim=shim)
    m.put(SETTINGS, NEW)
    sync_file(m, SETTINGS)  # otherwise the first sync would be that of the journal
    shim.arm(Fault.DELAY, 0, getattr(Fault, step), 3000)
    out, code = boxes.on_a_terminal(box, "-u", m.point)
    assert code == 0, out
    assert "\rmapfs: %s: saving" % m.point in out and words in out, out
    seconds = set(re.findall(r" (\d+) s\x1b", out))
    assert {"1", "2"} <= seconds, out
    assert is_saved(small)


def test_a_short_save_shows_no_progress(box, small):
    m = box.mount(small)
    m.put(SETTINGS, NEW)
    start = time.monotonic()
    out, code = boxes.on_a_terminal(box, "-u", m.point)
    short = time.monotonic() - start < 1  # a longer save on a busy machine may show progress
    assert code == 0 and not (short and "saving" in out), out


# ---- status

def test_status_lists_changed_refused_and_ignored_files(box, small):
    m = box.mount(small)
    r = box.run("status", m.point)
    assert r.code == 0 and r.out == "%s: %s\n  no changes\n" % (m.point, small), r
    m.put(SETTINGS, NEW)
    os.unlink(m / "images/0_img.png") if os.path.exists(m / "images/0_img.png") else None
    write_refused(m)
    m.put("images/photo.jpg", b"JPEG", flags=os.O_WRONLY | os.O_CREAT)
    for name in (m.point, small, "."):
        r = box.run("status", name, cwd=m.point if name == "." else None)
        lines = r.out.splitlines()
        assert r.code == 0 and lines[0] == "%s: %s" % (m.point, small), r
        assert "  changed " + SETTINGS in lines
        assert any(i.startswith("  refused info/author: ") and len(i) > 40 for i in lines), r
        assert any(i.startswith("  ignored images/photo.jpg: ") for i in lines), r
    assert m.point in box.run("status").out
    # The attribute for programs has the same content.
    assert "changed info/settings.cfg\n" in m.xattr("", "user.mapfs.status")
    m.unmount(code=5)
    box.allow("*.mapfs-left")


def test_status_gives_the_reason_of_an_unresolved_file(box, small):
    m = box.mount(small)
    text = m.get("groups/0_Game/layers/1_ground/layer.json")
    new = "groups/0_Game/layers/9_new"
    os.mkdir(m / new)
    m.put(new + "/layer.json", text.replace(b"0_checker", b"9_later"),
          flags=os.O_WRONLY | os.O_CREAT)
    r = box.run("status", m.point)
    line, = [i for i in r.out.splitlines() if i.startswith("  refused %s/layer.json: " % new)]
    assert "9_later" in line, r
    m.unmount("--discard")


def test_status_reports_missing_stopped_and_dead_mounts(box, small):
    r = box.run("status", os.path.join(box.root, "none"))
    assert r.code == 1 and "none" in r.err, r
    m = box.mount(small, "ro")
    assert "read-only" in box.run("status", m.point).out
    m.unmount()
    assert box.run("status", small).out == "%s: is not mounted\n" % small
    m = box.mount(small)
    m.put(SETTINGS, NEW)
    os.kill(box.worker(), signal.SIGSTOP)
    start = time.monotonic()
    assert "does not answer" in box.run("status", m.point).out
    assert time.monotonic() - start < HANGS
    os.kill(box.worker(), signal.SIGCONT)
    kill(box, "supervisor", "worker")
    assert "mapfs -u " + m.point in box.run("status", small).out
    m.unmount(code=4)
    assert "restores" in box.run("status", small).out
    box.allow("*mapfs-journal*")
