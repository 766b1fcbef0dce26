# SPDX-License-Identifier: Zlib
"""Writes as kernels and programs really send them, and their effect on the map."""
import errno
import mmap
import os
import stat
import subprocess
import time

import pytest

import box as boxes
import datafile
import parts
from editing import sync

SETTINGS = "info/settings.cfg"
OLD = b"sv_deepfly 0\ntune ground_friction 0.5\n"
PNG = "images/0_checker.png"


@pytest.fixture
def m(box, small):
    return box.mount(small)


def shell(m, script, code=0):
    r = m.box.run("-c", script, "sh", m / SETTINGS, program="sh")
    assert r.code == code, r
    return r


def unmounted_settings(m, code=0):
    """Unmount and return the settings in the map."""
    m.unmount(code=code)
    return parts.settings(m.map)


def test_a_change_of_one_line_changes_nothing_else_in_the_map(m):
    before = datafile.Datafile.load(m.map)
    m.put(SETTINGS, b"sv_deepfly 1\ntune ground_friction 0.5\n")
    assert m.get(SETTINGS) == b"sv_deepfly 1\ntune ground_friction 0.5\n"
    assert datafile.Datafile.load(m.map).raw == before.raw  # the unmount saves
    m.unmount()
    after = datafile.Datafile.load(m.map)
    blob = parts.info_index(before, 5)
    assert after.blob(blob) == b"sv_deepfly 1\0tune ground_friction 0.5\0"
    assert datafile.same_but(before, after, blobs=[blob]) == []
    assert after.raw == datafile.encode(after.items, after.blobs())


def test_redirecting_nothing_empties_the_file(m):
    shell(m, ': > "$1"')
    assert m.get(SETTINGS) == b""
    m.unmount()
    assert parts.info_index(datafile.Datafile.load(m.map), 5) == -1


def test_two_commands_can_share_one_redirection(m):
    # The children of the shell each flush the shared description when they exit.
    shell(m, '( sh -c "echo one 1"; sh -c "echo two 2" ) > "$1"')
    assert m.get(SETTINGS) == b"one 1\ntwo 2\n"
    assert unmounted_settings(m) == b"one 1\0two 2\0"


def test_a_shorter_redirection_leaves_no_tail(m):
    shell(m, 'echo red > "$1"')
    assert unmounted_settings(m) == b"red\0"


def test_a_shell_can_append(m):
    shell(m, 'echo three 3 >> "$1"; echo four 4 >> "$1"')
    assert unmounted_settings(m) == (OLD + b"three 3\nfour 4\n").replace(b"\n", b"\0")


def test_o_append_writes_behind_the_writes_of_others(m):
    a = os.open(m / SETTINGS, os.O_WRONLY | os.O_APPEND)
    b = os.open(m / SETTINGS, os.O_WRONLY | os.O_APPEND)
    os.write(a, b"aa\n")
    os.write(b, b"bb\n")
    os.write(a, b"cc\n")
    os.close(a)
    os.close(b)
    assert unmounted_settings(m) == (OLD + b"aa\nbb\ncc\n").replace(b"\n", b"\0")


def test_stores_through_a_mapping_work_after_its_descriptor_is_closed(m):
    fd = os.open(m / SETTINGS, os.O_RDWR)
    view = mmap.mmap(fd, len(OLD))
    os.close(fd)
    view[11:12] = b"7"
    view.close()
    assert unmounted_settings(m) == OLD.replace(b"fly 0", b"fly 7").replace(b"\n", b"\0")


def test_a_private_mapping_of_a_file_changes_nothing(m):
    raw = boxes.get(m.map)
    fd = os.open(m / SETTINGS, os.O_RDWR)
    view = mmap.mmap(fd, len(OLD), flags=mmap.MAP_PRIVATE)
    os.close(fd)
    view[:3] = b"xxx"
    view.close()
    m.unmount()
    assert boxes.get(m.map) == raw


def test_a_file_can_be_truncated_by_name(m):
    os.truncate(m / SETTINGS, 13)
    assert os.stat(m / SETTINGS).st_size == 13
    assert m.get(SETTINGS) == b"sv_deepfly 0\n"
    assert unmounted_settings(m) == b"sv_deepfly 0\0"


def test_an_open_file_can_be_truncated(m):
    fd = os.open(m / SETTINGS, os.O_RDWR)
    os.ftruncate(fd, 13)
    assert os.pread(fd, 100, 0) == b"sv_deepfly 0\n"
    os.close(fd)
    assert unmounted_settings(m) == b"sv_deepfly 0\0"


def test_a_file_can_be_truncated_written_and_truncated_again(m):
    fd = os.open(m / SETTINGS, os.O_RDWR)
    os.ftruncate(fd, 0)
    os.pwrite(fd, b"one 1\ntwo 2\n", 0)
    os.ftruncate(fd, 6)
    os.close(fd)
    assert unmounted_settings(m) == b"one 1\0"


def test_two_handles_of_one_file_share_its_content(m):
    a = os.open(m / SETTINGS, os.O_RDWR)
    b = os.open(m / SETTINGS, os.O_RDWR)
    os.pwrite(a, b"9", 11)
    assert os.pread(b, 13, 0) == b"sv_deepfly 9\n"
    os.close(a)
    os.pwrite(b, b"8", 11)
    assert os.pread(b, 13, 0) == b"sv_deepfly 8\n"
    os.close(b)
    assert unmounted_settings(m).startswith(b"sv_deepfly 8\0")


def test_a_reader_sees_the_content_of_a_writer(m):
    reader = os.open(m / SETTINGS, os.O_RDONLY)
    assert os.pread(reader, 13, 0) == b"sv_deepfly 0\n"
    m.put(SETTINGS, b"short\n")
    assert os.fstat(reader).st_size == 6
    assert os.pread(reader, 100, 0) == b"short\n"
    os.close(reader)
    assert unmounted_settings(m) == b"short\0"


def test_a_file_shows_its_written_form_until_the_save_and_then_the_canonical_form(m):
    fd = os.open(m / SETTINGS, os.O_RDWR | os.O_TRUNC)
    os.write(fd, b"no newline")
    assert os.fstat(fd).st_size == 10 and os.pread(fd, 100, 0) == b"no newline"
    os.close(fd)
    assert os.stat(m / SETTINGS).st_size == 10 and m.get(SETTINGS) == b"no newline"
    sync(m, code=0)
    assert os.stat(m / SETTINGS).st_size == 11
    assert m.get(SETTINGS) == b"no newline\n"
    assert unmounted_settings(m) == b"no newline\0"


def test_an_open_after_the_last_close_of_a_truncated_file_sees_the_rest(m):
    for _ in range(200):
        m.put(SETTINGS, b"abcdef\n")
        fd = os.open(m / SETTINGS, os.O_RDWR)
        os.ftruncate(fd, 3)
        os.close(fd)  # validated at the release by the kernel
        assert m.get(SETTINGS) == b"abc"
    assert unmounted_settings(m) == b"abc\0"


def test_a_write_beyond_the_end_is_refused_for_its_nuls_and_can_be_corrected(m):
    fd = os.open(m / SETTINGS, os.O_RDWR)
    os.pwrite(fd, b"x\n", 100)
    assert boxes.refused(os.close, fd) == errno.EINVAL
    m.put(SETTINGS, b"fine\n")
    assert unmounted_settings(m) == b"fine\0"


@pytest.mark.parametrize("name,data", [
    ("info/author", b"one\ntwo\n"), ("info/author", b"x" * 32 + b"\n"), ("info/author", b"a\0b\n"),
    ("info/author", b"\xff\n"), ("info/version", b"v" * 16 + b"\n"),
    ("info/credits", b"c" * 128 + b"\n"), ("info/license", b"l" * 32 + b"\n"),
    (SETTINGS, b"s" * 256 + b"\n"), (SETTINGS, b"nul\0\n"), (SETTINGS, b"\xc3(\n"),
    (PNG, b"no picture"), (PNG, b"\n"), ("sounds/0_bell.opus", b"RIFFxxxxWAVE")])
def test_invalid_content_fails_at_close_and_changes_nothing(m, name, data):
    raw = boxes.get(m.map)
    assert boxes.refused(m.put, name, data) == errno.EINVAL
    assert m.get(name) == data  # the refused content
    why = m.xattr(name, "user.mapfs.error")
    assert why.strip() and "\n" not in why.strip()
    os.removexattr(m / name, "user.mapfs.error")
    assert m.get(name) != data
    assert boxes.refused(os.getxattr, m / name, "user.mapfs.error") == errno.ENODATA
    m.unmount()
    assert boxes.get(m.map) == raw


@pytest.mark.parametrize("name,data", [
    ("info/author", b"x" * 31 + b"\n"), ("info/version", b"v" * 15 + b"\n"),
    ("info/credits", "ü".encode() * 63 + b"\n"), ("info/license", b"l" * 31 + b"\n"),
    (SETTINGS, b"s" * 255 + b"\n"), (SETTINGS, b"a\rb\n\n\nb\n"), (SETTINGS, b"\n")])
def test_content_of_the_maximum_size_is_accepted(m, name, data):
    m.put(name, data)
    assert m.get(name) == data
    m.unmount()
    n = ["author", "version", "credits", "license", "settings.cfg"].index(name[5:]) + 1
    assert parts.info_text(m.map, n) == data.replace(b"\n", b"\0")


@pytest.mark.parametrize("name", [PNG, "images/1_grass_main.json", "sounds/0_bell.opus",
                                  "raw/data/00000"])
def test_truncating_a_file_that_cannot_be_empty_is_refused(box, small, name):
    # A truncation is validated at the release, whose result reaches no caller.
    raw = boxes.get(small)
    m = box.mount(small, "raw=rw")
    shell(m, ': > "${1%info/settings.cfg}' + name + '"')
    assert boxes.wait_for(lambda: not boxes.refused(m.xattr, name, "user.mapfs.error"))
    assert m.get(name) == b""
    os.removexattr(m / name, "user.mapfs.error")
    m.unmount()
    assert boxes.get(small) == raw


def test_every_flush_of_a_refused_file_fails(m):
    fd = os.open(m / "info/author", os.O_WRONLY | os.O_TRUNC)
    os.write(fd, b"one\ntwo\n")
    again = os.dup(fd)
    assert boxes.refused(os.close, again) == errno.EINVAL
    assert boxes.refused(os.close, fd) == errno.EINVAL
    m.put("info/author", b"one\n")
    m.unmount()
    assert parts.author(m.map) == b"one\0"


def test_a_refused_file_corrected_in_place_is_accepted(m):
    assert boxes.refused(m.put, "info/author", b"one\ntwo\n") == errno.EINVAL
    shell(m, 'echo one > "${1%settings.cfg}author"')
    assert boxes.refused(os.getxattr, m / "info/author", "user.mapfs.error") == errno.ENODATA
    m.unmount()
    assert parts.author(m.map) == b"one\0"


def test_a_refused_file_is_rescued_and_does_not_enter_the_map(box, m):
    before = datafile.Datafile.load(m.map)
    assert boxes.refused(m.put, PNG, b"no picture") == errno.EINVAL
    m.put("info/author", b"somebody\n")
    r = m.unmount(code=5)
    assert not m.mounted()
    assert "0_checker.png" in r.out + r.err
    left = m.map + ".mapfs-left"
    assert boxes.get(os.path.join(left, PNG)) == b"no picture"
    box.allow("*.mapfs-left")
    after = datafile.Datafile.load(m.map)
    assert datafile.same_but(before, after, blobs=[parts.info_index(before, 1)]) == []
    assert parts.author(m.map) == b"somebody\0"


def test_a_refused_file_alone_is_rescued_without_a_save(box, m):
    raw = boxes.get(m.map)
    assert boxes.refused(m.put, "info/author", b"one\ntwo\n") == errno.EINVAL
    m.unmount(code=5)
    assert boxes.get(m.map) == raw
    assert boxes.get(m.map + ".mapfs-left/info/author") == b"one\ntwo\n"
    box.allow("*.mapfs-left")


def test_the_status_names_changed_and_refused_files(m):
    idle = m.xattr("", "user.mapfs.status")
    assert "settings.cfg" not in idle
    m.put(SETTINGS, b"x 1\n")
    assert boxes.refused(m.put, PNG, b"no picture") == errno.EINVAL
    busy = m.xattr("", "user.mapfs.status")
    assert SETTINGS in busy and PNG in busy and busy != idle
    os.removexattr(m / PNG, "user.mapfs.error")
    assert PNG not in m.xattr("", "user.mapfs.status")
    m.unmount()


def test_restoring_the_old_text_leaves_the_map_unwritten(m):
    raw = boxes.get(m.map)
    m.put(SETTINGS, b"other\n")
    m.put(SETTINGS, OLD)
    m.unmount()
    assert boxes.get(m.map) == raw
    assert os.stat(m.map).st_mtime_ns == 1_500_000_000_123_456_789


def test_sed_in_place_changes_a_text(m):
    r = m.box.run("-i", "s/deepfly 0/deepfly 5/", m / SETTINGS, program="sed")
    assert r.code == 0, r
    assert sorted(os.listdir(m / "info")) == ["author", "credits", "license", "settings.cfg",
                                              "version"]
    assert unmounted_settings(m) == b"sv_deepfly 5\0tune ground_friction 0.5\0"


def test_a_temporary_file_renamed_over_a_text_replaces_it(m):
    for name, data in (("info/.settings.cfg.tmp1", b"from temp 1\n"),
                       ("info/settings.cfg~", b"from temp 2\n")):
        boxes.put(m / name, data, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        os.rename(m / name, m / SETTINGS)
        assert m.get(SETTINGS) == data
        assert not os.path.exists(m / name)
    assert unmounted_settings(m) == b"from temp 2\0"


def test_a_temporary_file_renamed_over_an_image_replaces_it(m, tmp_path):
    picture = pytest.importorskip("PIL.Image").new("RGBA", (32, 16), (1, 2, 3, 4))
    picture.save(tmp_path / "p.png")
    data = boxes.get(tmp_path / "p.png")
    boxes.put(m / "images/.goutputstream-ABC123", data, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    os.rename(m / "images/.goutputstream-ABC123", m / PNG)
    m.unmount()
    assert parts.image(m.map) == (32, 16, bytes([1, 2, 3, 4]) * (32 * 16))


def test_a_refused_file_renamed_over_another_leaves_the_map_unchanged(box, m):
    raw = boxes.get(m.map)
    boxes.put(m / "images/.goutputstream-REFUSE", b"no picture", os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    code = boxes.refused(os.rename, m / "images/.goutputstream-REFUSE", m / PNG)
    assert code == errno.EPERM
    m.unmount()
    box.allow("*.mapfs-left")
    assert boxes.get(m.map) == raw


def test_typed_and_raw_views_show_the_same_content(box, small):
    m = box.mount(small, "raw=rw")
    f = datafile.Datafile.load(small)
    raw_settings = "raw/data/%05d" % parts.info_index(f, 5)
    m.put(SETTINGS, b"from typed\n")
    assert m.get(raw_settings) == b"from typed\0"
    assert os.stat(m / raw_settings).st_size == 11
    sync(m)
    m.put(raw_settings, b"from raw\0and more\0")
    assert m.get(SETTINGS) == b"from raw\nand more\n"
    assert os.stat(m / SETTINGS).st_size == 18
    item = "raw/items/00001_info/00000"
    ints = m.get(item).split()
    ints[1] = b"-1"
    m.put(item, b"".join(i + b"\n" for i in ints))
    assert m.get("info/author") == b""
    m.unmount()
    assert parts.settings(small) == b"from raw\0and more\0"
    assert parts.author(small) is None


def test_a_view_open_for_reading_follows_a_change_through_another(box, small):
    m = box.mount(small, "raw=rw")
    f = datafile.Datafile.load(small)
    raw_settings = "raw/data/%05d" % parts.info_index(f, 5)
    reader = os.open(m / raw_settings, os.O_RDONLY)
    assert os.pread(reader, 100, 0) == OLD.replace(b"\n", b"\0")
    m.put(SETTINGS, b"from typed\n")
    assert os.pread(reader, 100, 0) == b"from typed\0"
    os.close(reader)
    m.unmount()


@pytest.mark.parametrize("name,data", [
    ("raw/items/00001_info/00000", b"1\nx\n"), ("raw/items/00001_info/00000", b"1\n99999999999\n"),
    ("raw/items/00001_info/00000", b"1 2\n")])
def test_invalid_raw_items_are_refused(box, small, name, data):
    raw = boxes.get(small)
    m = box.mount(small, "raw=rw")
    assert boxes.refused(m.put, name, data) == errno.EINVAL
    os.removexattr(m / name, "user.mapfs.error")
    m.unmount()
    assert boxes.get(small) == raw


def test_a_blob_shared_by_two_items_is_copied_at_a_write(box):
    b = datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    text = b.blob(b"both\0")
    b.add(datafile.INFO, [1, text, -1, -1, text, -1])
    m = box.mount(box.add(b.encode()))
    m.put("info/author", b"one\n")
    assert m.get("info/license") == b"both\n"
    m.unmount()
    assert (parts.author(m.map), parts.info_text(m.map, 4)) == (b"one\0", b"both\0")


def test_a_missing_info_item_is_created_on_demand(box):
    b = datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    m = box.mount(box.add(b.encode()))
    m.put(SETTINGS, b"sv_test 1\n")
    assert m.get(SETTINGS) == b"sv_test 1\n"
    m.unmount()
    assert parts.settings(m.map) == b"sv_test 1\0"
    info = datafile.Datafile.load(m.map).of_type(datafile.INFO)[0].ints
    assert info[:5] == [1, -1, -1, -1, -1]


def test_a_sound_can_be_replaced_by_one_of_another_size(m):
    data = datafile.opus_head() + bytes(999)
    m.put("sounds/0_bell.opus", data)
    m.unmount()
    assert parts.sound(m.map) == (len(data), data)


def test_the_size_of_an_external_image_can_be_changed(m):
    written = b'{"width": 512, "height": 256, "external": 1}'
    m.put("images/1_grass_main.json", written)
    assert m.get("images/1_grass_main.json") == written
    sync(m, code=0)
    assert m.get("images/1_grass_main.json") == (
        b'{\n  "external": true,\n  "width": 512,\n  "height": 256\n}\n')
    m.unmount()
    ints = datafile.Datafile.load(m.map).of_type(datafile.IMAGE)[1].ints
    assert ints[1:4] == [512, 256, 1]


@pytest.mark.parametrize("text", [
    b" ", b"{", b"[]", b'{"width": 1.5}', b'{"width": 4294967296}', b'{"depth": 1}',
    b'{"width": 1, "width": 2}', b'{"width": "1"}', b'{"width": 1} x', b'{"width": 1e2}'])
def test_invalid_json_is_refused(box, m, text):
    assert boxes.refused(m.put, "images/1_grass_main.json", text) == errno.EINVAL
    os.removexattr(m / "images/1_grass_main.json", "user.mapfs.error")
    m.unmount()


def test_mknod_makes_a_regular_file(box, m):
    """overlayfs, NFS servers and tar --xattrs call mknod(2)."""
    old = m.get(PNG)
    os.mknod(m / "images/new.png", 0o644 | stat.S_IFREG)
    assert os.stat(m / "images/new.png").st_size == 0
    with pytest.raises(FileExistsError):
        os.mknod(m / "images/new.png", 0o644 | stat.S_IFREG)
    m.put("images/new.png", old)
    os.mknod(m / "images/empty.png", 0o644 | stat.S_IFREG)
    assert m.xattr("images/empty.png", "user.mapfs.error")
    os.unlink(m / "images/empty.png")
    for kind in (stat.S_IFCHR, stat.S_IFIFO, stat.S_IFSOCK):
        with pytest.raises(PermissionError):
            os.mknod(m / "images/device", 0o644 | kind)
    tree = os.path.join(box.root, "tree")
    os.makedirs(tree + "/images")
    boxes.put(tree + "/images/tarred.png", old, os.O_WRONLY | os.O_CREAT)
    os.setxattr(tree + "/images/tarred.png", "user.some", b"1")
    r = box.run("-c", 'tar --xattrs -C "$1" -cf - images | tar --xattrs -C "$2" -xf -', "sh", tree, m.point, program="sh")
    assert "Cannot mknod" not in r.err and m.get("images/tarred.png") == old, r
    m.unmount()
    names = box.run("ls", m.map, "images").out.split()
    assert [n.split("_", 1)[1] for n in names if n.endswith(("new.png", "tarred.png"))] == ["new.png", "tarred.png"]


def test_fallocate_extends_a_file(m):
    fd = os.open(m / "notes.txt", os.O_RDWR | os.O_CREAT)
    os.posix_fallocate(fd, 0, 1000)
    assert os.fstat(fd).st_size == 1000 and os.pread(fd, 2000, 0) == bytes(1000)
    os.pwrite(fd, b"abc", 0)
    os.posix_fallocate(fd, 0, 3)
    os.posix_fallocate(fd, 500, 600)
    assert os.fstat(fd).st_size == 1100 and os.pread(fd, 3, 0) == b"abc"
    os.close(fd)
    fd = os.open(m / SETTINGS, os.O_RDONLY)
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.posix_fallocate(fd, 0, 1000)
    os.close(fd)
    fd = os.open(m / SETTINGS, os.O_RDWR)
    os.posix_fallocate(fd, 0, 1)
    os.close(fd)
    assert m.get(SETTINGS) == OLD
    os.unlink(m / "notes.txt")
    m.unmount()


def test_directories_have_one_link(m):
    assert [os.stat(p).st_nlink for p in (m.point, m / "images", m / PNG)] == [1, 1, 1]
    m.unmount()


def test_calls_that_tools_need_succeed(m):
    path = m / SETTINGS
    os.chmod(path, stat.S_IMODE(os.stat(path).st_mode))
    os.chown(path, os.getuid(), os.getgid())
    r = m.box.run("-c", 'cp -a "$1" "$2" && cp -a "$2" "$1" && touch "$1" && tar -C "${1%/*}" '
                  '-cf "$2.tar" . && tar -C "${1%/*}" --overwrite -xf "$2.tar"', "sh", path,
                  os.path.join(m.box.root, "copy"), program="sh")
    assert r.code == 0, r
    assert unmounted_settings(m) == OLD.replace(b"\n", b"\0")


def test_links_are_refused_with_an_errno_that_tools_handle(m):
    assert boxes.refused(os.link, m / SETTINGS, m / "info/hard") == errno.EPERM
    assert boxes.refused(os.symlink, "settings.cfg", m / "info/soft") == errno.EPERM
    m.unmount()


def test_a_set_time_is_kept_until_the_next_write(m):
    path, then = m / SETTINGS, 1_234_567_890_000_000_000
    fd = os.open(path, os.O_WRONLY | os.O_TRUNC)
    os.write(fd, b"x 1\n")
    os.utime(path, ns=(then, then))  # before the close, like cp -a and tar
    os.close(fd)
    assert os.stat(path).st_mtime_ns == then
    os.utime(path, ns=(then + 5, then + 7))
    assert os.stat(path).st_mtime_ns == then + 7
    m.put(SETTINGS, b"y 1\n")
    assert os.stat(path).st_mtime_ns > then + 7
    m.unmount()


def test_writing_and_truncating_change_the_time(m):
    first = os.stat(m / SETTINGS).st_mtime_ns
    os.truncate(m / SETTINGS, 13)
    second = os.stat(m / SETTINGS).st_mtime_ns
    assert second > first
    time.sleep(0.02)
    m.put(SETTINGS, b"x 1\n")
    assert os.stat(m / SETTINGS).st_mtime_ns > second
    m.unmount()


def test_a_read_only_mount_refuses_writes(box, small):
    raw = boxes.get(small)
    m = box.mount(small, "ro")
    path = m / SETTINGS
    assert m.get(SETTINGS) == OLD
    for call, *args in ((os.open, path, os.O_WRONLY), (os.truncate, path, 0),
                        (os.chmod, path, 0o600), (os.unlink, path), (os.utime, path),
                        (os.mkdir, m / "images/x"), (os.rename, path, path + "x")):
        assert boxes.refused(call, *args) == errno.EROFS, call
    m.unmount()
    assert boxes.get(small) == raw


def test_syncing_the_root_saves_and_keeps_the_mount(m):
    m.put(SETTINGS, b"first 1\n")
    subprocess.run(["sync", m.point], check=True)
    assert parts.settings(m.map) == b"first 1\0"
    assert m.get(SETTINGS) == b"first 1\n"
    m.put(SETTINGS, b"second 2\n")
    m.put("info/author", b"me\n")
    subprocess.run(["sync", m.point], check=True)
    assert (parts.settings(m.map), parts.author(m.map)) == (b"second 2\0", b"me\0")
    assert unmounted_settings(m) == b"second 2\0"


def test_syncing_a_file_does_not_write_the_map(m):
    raw = boxes.get(m.map)
    fd = os.open(m / SETTINGS, os.O_WRONLY | os.O_TRUNC)
    os.write(fd, b"kept 1\n")
    os.fsync(fd)
    assert boxes.get(m.map) == raw
    os.close(fd)
    assert unmounted_settings(m) == b"kept 1\0"


def test_many_small_writes_and_a_large_image_are_saved(box):
    Image = pytest.importorskip("PIL.Image")
    m = box.mount(box.add(datafile.small_map()))
    fd = os.open(m / SETTINGS, os.O_WRONLY | os.O_TRUNC)
    for i in range(2000):
        os.write(fd, b"line %d\n" % i)
    os.close(fd)
    picture = Image.frombytes("RGBA", (1024, 512), os.urandom(1024 * 512 * 4))
    picture.save(os.path.join(box.root, "big.png"), compress_level=1)
    m.put(PNG, boxes.get(os.path.join(box.root, "big.png")))
    m.unmount()
    assert parts.image(m.map) == (1024, 512, picture.tobytes())
    assert parts.settings(m.map).count(b"\0") == 2000
