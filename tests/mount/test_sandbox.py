# SPDX-License-Identifier: Zlib
"""The sandbox of the worker: operations that a map could try after taking the worker over."""
import errno
import os
import stat
import subprocess

import pytest

import box as boxes
import parts
import places
import shims

(OPEN, CREATE, CHMOD, FCHMOD, SETXATTR, CONNECT, FORK, EXEC, PTRACE, KILL, UNMOUNT,
 OPENAT, OPENAT2, TMPFILE, MKDIR, MKNOD, CHMODAT, WRITE, SHARE) = range(19)
SETTINGS = "info/settings.cfg"


@pytest.fixture
def inside(box):
    if places.sanitizers():
        pytest.skip("a build with a sanitizer filters less")
    return box.shim(shims.Inside)


@pytest.fixture
def victim():
    p = subprocess.Popen(["sleep", "1000"])
    yield p
    assert p.poll() is None, "the worker reached another process"
    p.kill()
    p.wait()


def outside_file(box, name="outside"):
    path = os.path.join(box.root, name)
    boxes.put(path, b"secret\n", os.O_WRONLY | os.O_CREAT)
    os.chmod(path, 0o600)
    return path


def attempt(m, inside, what, path="/", number=0):
    inside.ask(what, os.fsencode(path), number)

    def attempted():
        boxes.refused(os.listxattr, m / SETTINGS)  # wakes the worker
        return inside.answer() is not None or len(m.box.processes()) < 2
    assert boxes.wait_for(attempted)
    return inside.answer()


@pytest.mark.parametrize("what", [OPEN, CREATE, FCHMOD, UNMOUNT])
def test_the_worker_cannot_reach_files_outside_and_survives_the_attempt(box, small, inside, what):
    path = outside_file(box)
    m = box.mount(small, shim=inside)
    r = attempt(m, inside, what, m.point if what == UNMOUNT else path)
    if what == UNMOUNT:
        assert r == errno.ENOSYS and m.mounted()
    else:
        assert r == errno.EACCES
    assert os.stat(path).st_mode & 0o777 == 0o600
    m.unmount()


@pytest.mark.parametrize("what", [CHMOD, SETXATTR, CONNECT, FORK, EXEC, PTRACE, KILL])
def test_a_forbidden_call_kills_the_worker_and_is_reported(box, small, inside, victim, what):
    path = "/bin/true" if what == EXEC else outside_file(box)
    m, p = box.foreground(small, shim=inside)
    m.put(SETTINGS, b"x 1\n")
    assert attempt(m, inside, what, path, victim.pid) is None
    assert p.wait(90) == 4
    log = boxes.get(p.log).decode()
    assert "killed for a forbidden system call" in log and "journal is kept" in log, log
    assert path == "/bin/true" or os.stat(path).st_mode & 0o777 == 0o600
    assert not m.mounted()
    # Closed changes are replayed.
    m = box.mount(small)
    assert m.get(SETTINGS) == b"x 1\n"
    m.unmount()


def special(directory):
    """Files with set-user-ID or set-group-ID, and directories that pass the latter on."""
    return [name for name in os.listdir(directory)
            if os.lstat(os.path.join(directory, name)).st_mode & (stat.S_ISUID | stat.S_ISGID)]


@pytest.mark.parametrize("mode", [0o4755, 0o2755, 0o6711])
def test_the_worker_cannot_make_setuid_files(box, small, inside, mode):
    """The worker may make files beside the map, and these modes need no capability."""
    path = os.path.join(os.path.dirname(small), "program")
    m = box.mount(small, shim=inside)
    for what, why in ((OPENAT, errno.EPERM), (OPENAT2, errno.ENOSYS), (TMPFILE, errno.EPERM),
                      (MKDIR, errno.EPERM), (MKNOD, errno.ENOSYS)):
        assert attempt(m, inside, what, path, mode) == why, what
        assert not os.path.lexists(path)
    # Files without these bits are allowed, so the refusals above are due to the bits. Adding them later fails, too.
    assert attempt(m, inside, OPENAT, path, mode & 0o1777) == 0
    assert attempt(m, inside, FCHMOD, path, mode) == errno.EPERM
    assert attempt(m, inside, FCHMOD, path, mode & 0o1777) == 0
    assert special(os.path.dirname(small)) == []
    assert attempt(m, inside, CHMODAT, path, mode) is None
    assert boxes.wait_for(lambda: not box.processes())
    assert special(os.path.dirname(small)) == []
    os.unlink(path)


def test_a_write_clears_setuid_bits(box, small, inside):
    """Without the capability FSETID a write clears these bits, but shared memory would bypass that."""
    path = os.path.join(os.path.dirname(small), "program")
    m = box.mount(small, shim=inside)
    boxes.put(path, b"true\n", os.O_WRONLY | os.O_CREAT)
    os.chmod(path, 0o6755)
    assert attempt(m, inside, SHARE, path) == errno.ENOSYS
    assert boxes.get(path) == b"true\n" and os.stat(path).st_mode & 0o7777 == 0o6755
    assert attempt(m, inside, WRITE, path) == 0
    assert boxes.get(path) == b"!rue\n" and os.stat(path).st_mode & 0o7777 == 0o755
    m.unmount()
    os.unlink(path)


@pytest.mark.parametrize("mode", [0o4755, 0o2750, 0o6644])
def test_a_map_with_setuid_bits_is_saved_without_them_and_reported(box, small, mode):
    os.chmod(small, mode)
    m = box.mount(small)
    for bit, name in ((stat.S_ISUID, "set-user-ID"), (stat.S_ISGID, "set-group-ID")):
        assert (name in m.result.err) == bool(mode & bit), m.result.err
    m.put(SETTINGS, b"x 1\n")
    m.unmount()
    assert parts.settings(small) == b"x 1\0"
    assert os.stat(small).st_mode & 0o7777 == mode & 0o777


def capabilities(pid):
    return [int(boxes.status_field(pid, f), 16) for f in ("CapEff", "CapPrm", "CapBnd")]


def test_the_worker_keeps_no_capability_for_files_of_root(box, root, small):
    m = box.mount(small)
    assert capabilities(box.worker()) == [0, 0, 0]
    m.put(SETTINGS, b"x 1\n")
    m.unmount()


def test_roots_worker_keeps_three_capabilities_for_files_of_a_user(box, root, small):
    chown, dac_override, fowner = 1 << 0, 1 << 1, 1 << 3
    os.chown(small, 65534, 65534)
    m = box.mount(small)
    assert all(c & ~(chown | dac_override | fowner) == 0 for c in capabilities(box.worker()))
    m.put(SETTINGS, b"x 1\n")
    m.unmount()
    assert os.stat(small).st_uid == 65534 and os.stat(small).st_gid == 65534


def test_a_save_by_root_keeps_a_foreign_group(box, root, small):
    os.chown(small, 0, 4321)
    m = box.mount(small)
    m.put(SETTINGS, b"x 1\n")
    m.unmount()
    assert os.stat(small).st_gid == 4321


DAC_OVERRIDE, SYS_ADMIN = 1 << 1, 1 << 21


def test_roots_supervisor_keeps_only_the_capabilities_for_unmounting(box, root, small):
    m = box.mount(small)
    assert all(c & ~(DAC_OVERRIDE | SYS_ADMIN) == 0 for c in capabilities(box.supervisor()))
    m.unmount()
