# SPDX-License-Identifier: Zlib
"""Known ways in which writable archives lose data: one test for each, named after its number.

tests/mount has the tests for unmounting and signals.
"""
import ctypes
import errno
import os
import time

import pytest

import box as boxes
import datafile
import parts
from session import SETTINGS, tree

LONG, SHORT = b"sv_motd a line that is rather long\nx 1\n", b"x 1\n"
AUTHOR, SCRATCH = "info/author", "info/.author.Scratc"
AT_FDCWD = -100
RENAME_NOREPLACE, RENAME_EXCHANGE = 1, 2


@pytest.fixture
def m(box, small):
    m = box.mount(small)
    m.put(SETTINGS, LONG)
    return m


def unmounted_settings(m):
    m.unmount()
    return parts.settings(m.map).rstrip(b"\0").replace(b"\0", b"\n") + b"\n"


def create_file(m, name, data):
    boxes.put(m / name, data, os.O_WRONLY | os.O_CREAT | os.O_EXCL)


def remounted_after_kill(m):
    m.box.kill_worker()
    return m.box.mount(m.map)


def rename2(old, new, flags):
    """The errno of renameat2, or 0."""
    libc = ctypes.CDLL(None, use_errno=True)
    r = libc.renameat2(AT_FDCWD, os.fsencode(old), AT_FDCWD, os.fsencode(new), flags)
    return ctypes.get_errno() if r else 0


@pytest.mark.parametrize("temporary", ["info/sedAbCdEf", "info/.goutputstream-ABCDEF", "t",
                                       "images/.t", "info/author"])
def test_T1_a_temporary_file_renamed_over_a_file_replaces_its_content(m, temporary):
    if temporary == AUTHOR:
        os.unlink(m / temporary)
    create_file(m, temporary, SHORT if temporary != AUTHOR else b"x 1")
    os.rename(m / temporary, m / SETTINGS)
    assert m.get(SETTINGS).strip() == b"x 1"
    assert unmounted_settings(m) == SHORT


@pytest.mark.parametrize("name", [SETTINGS, SCRATCH])
def test_T2_opening_with_truncation_drops_the_old_content(m, name):
    boxes.put(m / name, LONG, os.O_WRONLY | os.O_CREAT)
    fd = os.open(m / name, os.O_WRONLY | os.O_TRUNC)
    assert os.fstat(fd).st_size == 0 and m.get(name) == b""
    os.write(fd, SHORT)
    os.close(fd)
    assert m.get(name) == SHORT
    m.box.run("-c", 'printf "y 2\\n" >"$1"', "sh", m / name, program="sh")
    assert m.get(name) == b"y 2\n"
    assert unmounted_settings(m) == (b"y 2\n" if name == SETTINGS else LONG)


def test_T4_no_save_overwrites_a_backup_beside_the_map(m):
    kept = {m.map + end: b"kept " + end.encode() for end in (".orig", "~", ".bak", ".tmp", ".new")}
    for path, data in kept.items():
        boxes.put(path, data, os.O_WRONLY | os.O_CREAT)
        m.box.allow(os.path.basename(path))
    for text in (SHORT, b"y 2\n", b"z 3\n"):
        m.put(SETTINGS, text)
        m.box.run(m.point, program="sync")
    assert unmounted_settings(m) == b"z 3\n"
    assert {path: boxes.get(path) for path in kept} == kept
    assert m.box.beside() == sorted(map(os.path.basename, kept))


def test_T5_a_save_keeps_mode_owner_and_attributes_of_the_map(box, small):
    os.chmod(small, 0o640)
    os.setxattr(small, "user.from", b"elsewhere")
    if os.geteuid() == 0:
        os.chown(small, 12, 34)
    before = os.stat(small)
    m = box.mount(small)
    m.put(SETTINGS, SHORT)
    assert unmounted_settings(m) == SHORT
    after = os.stat(small)
    assert after.st_ino != before.st_ino  # the save has written a new file
    assert (after.st_mode, after.st_uid, after.st_gid) == (
        before.st_mode, before.st_uid, before.st_gid)
    assert os.getxattr(small, "user.from") == b"elsewhere"


@pytest.mark.parametrize("how", ["fsync", "fdatasync", "syncfs of the root"])
def test_T6_synced_content_survives_kill_9(m, how):
    fd = os.open(m / SETTINGS, os.O_WRONLY | os.O_TRUNC)
    os.write(fd, SHORT)
    if how == "syncfs of the root":
        os.close(fd)
        fd = os.open(m.point, os.O_RDONLY)
    (os.fdatasync if how == "fdatasync" else os.fsync)(fd)
    m.box.kill_worker()
    boxes.refused(os.close, fd)  # the mount has ended
    m = m.box.mount(m.map)
    assert m.get(SETTINGS) == SHORT
    assert unmounted_settings(m) == SHORT


def test_T6_syncing_scratch_and_directories_succeeds(m):
    create_file(m, SCRATCH, b"anything")
    os.mkdir(m / ".dir")
    for name in (SCRATCH, ".dir", "info", "images"):
        fd = os.open(m / name, os.O_RDONLY)
        os.fsync(fd)
        os.close(fd)
    assert unmounted_settings(m) == LONG


def test_T10_a_removed_file_is_readable_while_it_is_open(m):
    fd = os.open(m / SETTINGS, os.O_RDWR)
    os.unlink(m / SETTINGS)
    assert os.pread(fd, 100, 0) == LONG
    create_file(m, SETTINGS, SHORT)
    os.pwrite(fd, b"of the old file", 0)
    os.fsync(fd)
    assert os.pread(fd, 15, 0) == b"of the old file"
    os.close(fd)
    assert m.get(SETTINGS) == SHORT
    assert [n for n in os.listdir(m / "info") if n.startswith(".")] == []
    assert unmounted_settings(m) == SHORT


def test_T10_a_replaced_file_is_readable_while_it_is_open(m):
    create_file(m, SCRATCH, SHORT)
    old, new = os.open(m / SETTINGS, os.O_RDWR), os.open(m / SCRATCH, os.O_RDWR)
    os.rename(m / SCRATCH, m / SETTINGS)
    os.pwrite(old, b"lost with its file", 0)
    os.pwrite(new, b"y 2\n", 0)  # through the handle from before the rename
    assert os.pread(old, 18, 0) == b"lost with its file"
    os.close(old)
    os.close(new)
    assert m.get(SETTINGS) == b"y 2\n"
    m = remounted_after_kill(m)
    assert unmounted_settings(m) == b"y 2\n"


def test_T11_a_rename_onto_a_nonempty_directory_fails(m):
    for name in ("a", "b"):
        os.mkdir(m / name)
    create_file(m, "b/file", b"kept")
    assert boxes.refused(os.rename, m / "a", m / "b") == errno.ENOTEMPTY
    assert boxes.refused(os.rename, m / "a", m / "info") in (
        errno.ENOTEMPTY, errno.EPERM, errno.EINVAL)
    assert boxes.refused(os.rename, m / "a", m / "b/file") == errno.ENOTDIR
    assert boxes.refused(os.rename, m / "b/file", m / "a") == errno.EISDIR
    assert boxes.refused(os.rename, m / "b", m / "b/below") == errno.EINVAL
    assert boxes.refused(os.rmdir, m / "b") == errno.ENOTEMPTY
    assert m.get("b/file") == b"kept" and m.get(SETTINGS) == LONG
    os.rename(m / "b", m / "a")  # onto an empty directory
    assert m.get("a/file") == b"kept"
    os.unlink(m / "a/file")
    os.rmdir(m / "a")
    assert unmounted_settings(m) == LONG


def test_T11_a_group_can_replace_an_emptied_group(m):
    """A rename replaces a group whose files were removed. For a directory with mandatory entries it fails with EXDEV,
    and mv(1) copies."""
    group = m / ("groups/" + os.listdir(m / "groups")[0])
    for name in ("group.json", "layers/0_Game/layer.json"):
        where = m / ("groups/7_new/" + os.path.dirname(name))
        os.makedirs(where, exist_ok=True)
        boxes.put(m / ("groups/7_new/" + name), boxes.get(group + "/" + name), os.O_WRONLY | os.O_CREAT)
    assert boxes.refused(os.rename, m / "groups/7_new", group) == errno.ENOTEMPTY
    for base, dirs, files in os.walk(m / "groups/7_new", topdown=False):
        for name in files:
            os.unlink(os.path.join(base, name))
        for name in dirs:
            os.rmdir(os.path.join(base, name))
    content = tree(group)
    assert os.listdir(m / "envelopes") == []
    assert boxes.refused(os.rename, group, m / "envelopes") == errno.EXDEV
    os.rename(group, m / "groups/7_new")
    assert tree(m / "groups/7_new") == content
    m = remounted_after_kill(m)
    assert tree(m / "groups/7_new") == content and not os.path.exists(group)
    m.unmount()
    m = m.box.mount(m.map, "ro")
    assert os.listdir(m / "groups") == ["0_new"] and tree(m / "groups/0_new") == content
    m.unmount()


def test_T11_a_rename_with_noreplace_replaces_nothing(m):
    create_file(m, SCRATCH, SHORT)
    found = rename2(m / SCRATCH, m / SETTINGS, RENAME_NOREPLACE)
    assert found in (errno.EEXIST, errno.EINVAL)
    assert (m.get(SCRATCH), m.get(SETTINGS)) == (SHORT, LONG)
    found = rename2(m / SCRATCH, m / SETTINGS, RENAME_EXCHANGE)
    assert found in (0, errno.EINVAL)
    expected = LONG if found else SHORT
    assert m.get(SETTINGS) == expected
    os.unlink(m / SCRATCH)
    assert unmounted_settings(m) == expected


def test_T12_the_mount_works_after_every_refusal(m):
    os.mkdir(m / "a")
    create_file(m, "a/file", b"")
    refusals = [
        (os.rename, m / "nothing", m / "x"), (os.rename, m / "a", m / "a/b"),
        (os.rename, m / SETTINGS, m / "a"), (os.rename, m / "images", m / "x"),
        (os.rmdir, m / "a"), (os.rmdir, m / SETTINGS), (os.unlink, m / "a"),
        (os.unlink, m / "nothing"), (os.mkdir, m / "info"), (os.mkdir, m / ".git"),
        (os.link, m / SETTINGS, m / "x"), (os.symlink, "x", m / "x"), (os.mkfifo, m / "x"),
        (os.truncate, m / "a", 0), (os.open, m / SETTINGS, os.O_RDONLY | os.O_DIRECTORY),
        (os.setxattr, m / SETTINGS, "user.mapfs.error", b"x"),
        (os.removexattr, m / SETTINGS, "user.nothing"),
        (boxes.put, m / AUTHOR, b"two\nlines\n")]
    for n, (call, *args) in enumerate(refusals):
        text = b"n %d\n" % n
        assert boxes.refused(call, *args), (call, args)
        create_file(m, "t", text)
        os.rename(m / "t", m / SETTINGS)
        assert m.get(SETTINGS) == text
    os.removexattr(m / AUTHOR, "user.mapfs.error")
    m.box.run("-rf", m / "a", program="rm")
    assert unmounted_settings(m) == b"n %d\n" % (len(refusals) - 1)


@pytest.mark.parametrize("name", [SETTINGS, SCRATCH])
def test_T13_truncating_changes_the_time(m, name):
    boxes.put(m / name, LONG, os.O_WRONLY | os.O_CREAT)
    fd = os.open(m / name, os.O_RDWR)
    for cut in (lambda: os.truncate(m / name, 35), lambda: os.ftruncate(fd, 0)):
        os.utime(m / name, ns=(1, 1))
        cut()
        assert os.stat(m / name).st_mtime > time.time() - 1000
    os.close(fd)
    m.unmount()


@pytest.mark.parametrize("name", [SETTINGS, SCRATCH])
def test_T14_a_close_keeps_a_time_set_before(m, name):
    then = 1_234_567_890_123_456_789
    fd = os.open(m / name, os.O_WRONLY | os.O_TRUNC | os.O_CREAT)
    os.write(fd, SHORT)
    os.utime(fd, ns=(then, then + 1))
    os.close(fd)
    found = os.stat(m / name)
    assert (found.st_atime_ns, found.st_mtime_ns) == (then, then + 1)
    # touch -m sets no access time, touch -a no modification time (UTIME_OMIT).
    for option, seconds in (("-m", 1_100_000_000), ("-a", 1_200_000_000)):
        r = m.box.run(option, "-d", "@%d" % seconds, m / name, program="touch")
        assert r.code == 0, r
    found = os.stat(m / name)
    assert (found.st_mtime, found.st_atime) == (1_100_000_000, 1_200_000_000)
    m.unmount()


def test_T15_writes_and_truncations_through_several_handles_keep_their_order(m):
    a, b = (os.open(m / SETTINGS, os.O_RDWR) for _ in range(2))
    os.pwrite(a, b"y 2\nz 3\nlonger than the others\n", 0)
    os.ftruncate(b, 8)
    os.pwrite(a, b"a 4\n", 8)
    os.truncate(m / SETTINGS, 4)
    os.pwrite(b, b"x", 0)
    assert os.pread(a, 100, 0) == b"x 2\n" == os.pread(b, 100, 0)
    os.close(b)
    assert os.fstat(a).st_size == 4
    os.close(a)
    assert m.get(SETTINGS) == b"x 2\n"
    assert unmounted_settings(m) == b"x 2\n"


def test_T18_a_map_with_a_relative_path_is_saved_in_place(box, small):
    point = box.point()
    name = os.path.basename(small)
    r = box.run(name, os.path.relpath(point, box.maps), cwd=box.maps)
    assert r.code == 0, r
    m = boxes.Mount(box, small, point)
    m.put(SETTINGS, SHORT)
    # Another directory now has the path. The mount keeps the directory of the opened map.
    moved = box.maps + " moved"
    os.rename(box.maps, moved)
    os.mkdir(box.maps)
    try:
        m.unmount()
        assert os.listdir(box.maps) == []
    finally:
        os.rmdir(box.maps)
        os.rename(moved, box.maps)
    assert parts.settings(small) == b"x 1\0"


def test_T19_a_save_does_not_overwrite_the_map_of_another_program(m):
    m.box.allow("*.mapfs-conflict")
    other = datafile.small_map(settings=[b"of another program"])
    boxes.put(m.map + ".other", other, os.O_WRONLY | os.O_CREAT)
    os.rename(m.map + ".other", m.map)
    r = m.unmount(code=6)
    assert "conflict" in r.out + r.err
    assert boxes.get(m.map) == other
    assert parts.settings(m.map + ".mapfs-conflict") == LONG[:-1].replace(b"\n", b"\0") + b"\0"


JUNK = [".DS_Store", "._0_bg.png", ".directory", ".xdg-volume-info", ".~lock.settings.cfg#",
        ".#settings.cfg", "settings.cfg~", "4913",
        ".nfs000001", ".goutputstream-ABCDEF"]


def test_T20_files_that_programs_leave_behind_do_not_enter_the_map(box, small):
    raw, m = boxes.get(small), box.mount(small)
    names = tree(m.point)
    for folder in (".", "info", "images"):
        for name in JUNK:
            create_file(m, os.path.join(folder, name), b"junk")
    for folder in ("", "images/"):
        for name in (".Trash", ".Trash-1000", ".git"):
            assert boxes.refused(os.mkdir, m / (folder + name)) == errno.EPERM
            assert boxes.refused(create_file, m, folder + name, b"") == errno.EPERM
    r = m.unmount()
    assert r.out + r.err == ""
    assert boxes.get(small) == raw
    m = box.mount(small)
    assert tree(m.point) == names
    m.unmount()


@pytest.mark.parametrize("target", ["absolute", "relative"])
def test_T21_a_save_keeps_a_symbolic_link_to_the_map(box, small, target):
    folder = os.path.join(box.root, "links")
    os.mkdir(folder)
    link = os.path.join(folder, "link.map")
    os.symlink(small if target == "absolute" else os.path.relpath(small, folder), link)
    m = box.mount(link)
    m.put(SETTINGS, SHORT)
    m.unmount()
    assert os.path.islink(link) and os.listdir(folder) == ["link.map"]
    assert parts.settings(small) == b"x 1\0"


def test_T22_free_space_equals_that_of_the_maps_directory(m):
    host, here = os.statvfs(m.box.maps), os.statvfs(m.point)
    assert here.f_bavail > 0
    assert here.f_blocks * here.f_frsize == host.f_blocks * host.f_frsize
    r = m.box.run("--output=avail", m.point, program="df")
    assert r.code == 0 and int(r.out.split()[-1]) > 0
    m.unmount()


def test_T23_without_standard_streams_no_output_goes_into_the_map(box, small):
    point = box.point()
    r = box.run("-c", 'exec "$@" <&- >&- 2>&-', "sh", boxes.places.BINARY, small, point,
                program="sh")
    assert r.code == 0, r
    m = boxes.Mount(box, small, point)
    m.put(SETTINGS, SHORT)
    r = box.run("-c", 'exec "$@" <&- >&- 2>&-', "sh", boxes.places.BINARY, "-u", point,
                program="sh")
    assert r.code == 0, r
    f = datafile.Datafile.load(small)
    assert parts.settings(small) == b"x 1\0" and f.size == len(f.raw) - 16
