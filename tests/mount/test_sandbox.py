# SPDX-License-Identifier: Zlib
"""The worker from inside: what a map could do that had taken it over."""
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


def outside(box, name="outside"):
    path = os.path.join(box.root, name)
    boxes.put(path, b"secret\n", os.O_WRONLY | os.O_CREAT)
    os.chmod(path, 0o600)
    return path


def attempt(m, inside, what, path="/", number=0):
    inside.ask(what, os.fsencode(path), number)

    def done():
        boxes.refused(os.listxattr, m / SETTINGS)  # wakes it
        return inside.answer() is not None or len(m.box.processes()) < 2
    assert boxes.wait_for(done)
    return inside.answer()


@pytest.mark.parametrize("what", [OPEN, CREATE, FCHMOD, UNMOUNT])
def test_it_reaches_nothing_outside_and_lives_on(box, small, inside, what):
    path = outside(box)
    m = box.mount(small, shim=inside)
    r = attempt(m, inside, what, m.point if what == UNMOUNT else path)
    if what == UNMOUNT:
        assert r == errno.ENOSYS and m.mounted()
    else:
        assert r == errno.EACCES
    assert os.stat(path).st_mode & 0o777 == 0o600
    m.unmount()


@pytest.mark.parametrize("what", [CHMOD, SETXATTR, CONNECT, FORK, EXEC, PTRACE, KILL])
def test_what_it_has_no_need_of_kills_it_and_that_is_said(box, small, inside, victim, what):
    path = "/bin/true" if what == EXEC else outside(box)
    m, p = box.foreground(small, shim=inside)
    m.put(SETTINGS, b"x 1\n")
    assert attempt(m, inside, what, path, victim.pid) is None
    assert p.wait(90) == 4
    said = boxes.get(p.log).decode()
    assert "killed for a forbidden system call" in said and "journal is kept" in said, said
    assert path == "/bin/true" or os.stat(path).st_mode & 0o777 == 0o600
    assert not m.mounted()
    # And what was closed before comes back.
    m = box.mount(small)
    assert m.get(SETTINGS) == b"x 1\n"
    m.unmount()


def special(directory):
    """What runs with its owner's or its group's rights, and the directories that hand the latter on."""
    return [name for name in os.listdir(directory)
            if os.lstat(os.path.join(directory, name)).st_mode & (stat.S_ISUID | stat.S_ISGID)]


@pytest.mark.parametrize("mode", [0o4755, 0o2755, 0o6711])
def test_it_leaves_nothing_that_runs_with_the_rights_of_its_owner(box, small, inside, mode):
    """Beside the map, where it may make files, and no capability is needed for it."""
    path = os.path.join(os.path.dirname(small), "program")
    m = box.mount(small, shim=inside)
    for what, why in ((OPENAT, errno.EPERM), (OPENAT2, errno.ENOSYS), (TMPFILE, errno.EPERM),
                      (MKDIR, errno.EPERM), (MKNOD, errno.ENOSYS)):
        assert attempt(m, inside, what, path, mode) == why, what
        assert not os.path.lexists(path)
    # Without these bits it may, or the above says nothing; and then add them.
    assert attempt(m, inside, OPENAT, path, mode & 0o1777) == 0
    assert attempt(m, inside, FCHMOD, path, mode) == errno.EPERM
    assert attempt(m, inside, FCHMOD, path, mode & 0o1777) == 0
    assert special(os.path.dirname(small)) == []
    assert attempt(m, inside, CHMODAT, path, mode) is None
    assert boxes.wait_for(lambda: not box.processes())
    assert special(os.path.dirname(small)) == []
    os.unlink(path)


def test_what_has_such_rights_and_is_changed_has_them_no_longer(box, small, inside):
    """Nobody has FSETID; memory that is shared with a file would go round that."""
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
def test_a_map_with_such_rights_is_saved_without_them_and_that_is_said(box, small, mode):
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


def test_of_roots_own_files_the_worker_keeps_no_capability(box, root, small):
    m = box.mount(small)
    assert capabilities(box.worker()) == [0, 0, 0]
    m.put(SETTINGS, b"x 1\n")
    m.unmount()


def test_of_a_users_files_roots_worker_keeps_three(box, root, small):
    chown, dac_override, fowner = 1 << 0, 1 << 1, 1 << 3
    os.chown(small, 65534, 65534)
    m = box.mount(small)
    assert all(c & ~(chown | dac_override | fowner) == 0 for c in capabilities(box.worker()))
    m.put(SETTINGS, b"x 1\n")
    m.unmount()
    assert os.stat(small).st_uid == 65534 and os.stat(small).st_gid == 65534


def test_of_a_foreign_group_or_second_file_the_owner_is_kept_too(box, root, small):
    os.chown(small, 0, 4321)
    m = box.mount(small)
    m.put(SETTINGS, b"x 1\n")
    m.unmount()
    assert os.stat(small).st_gid == 4321


DAC_OVERRIDE, SYS_ADMIN = 1 << 1, 1 << 21


def test_roots_guard_keeps_what_unmounting_needs(box, root, small):
    m = box.mount(small)
    assert all(c & ~(DAC_OVERRIDE | SYS_ADMIN) == 0 for c in capabilities(box.guard()))
    m.unmount()
