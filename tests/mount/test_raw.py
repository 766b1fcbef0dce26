# SPDX-License-Identifier: Zlib
"""raw/ of a Teeworlds mount: changing and adding items and data."""
import errno
import os

import pytest

import datafile
from box import put, refused
from editing import CREATE, shell, sync, unmount_and_load


def last_data(m):
    return max(int(n) for n in os.listdir(m / "raw/data") if n.isdigit())


@pytest.fixture
def raw_mount(box, small):
    return box.mount(small, "raw=rw")


@pytest.mark.parametrize("referred", [False, True])
def test_a_file_with_the_next_number_is_a_new_data_item(raw_mount, referred):
    before = datafile.Datafile.load(raw_mount.map)
    name = "raw/data/%05d" % (last_data(raw_mount) + 1)
    put(raw_mount / name, b"more\0", CREATE)
    assert raw_mount.get(name) == b"more\0"
    raw_mount.put(name, b"else\0")
    assert "%05d" % before.n_data in os.listdir(raw_mount / "raw/data")
    if referred:
        text = raw_mount.get("raw/items/00001_info/00000").split(b"\n")
        text[2] = b"%d" % before.n_data
        raw_mount.put("raw/items/00001_info/00000", b"\n".join(text))
        assert raw_mount.get("info/version") == b"else\n"
    f, _ = unmount_and_load(raw_mount)
    assert f.n_data == before.n_data + 1
    # data is numbered by the order of the items that refer to it
    at = f.of_type(datafile.INFO)[0].ints[2] if referred else before.n_data
    assert f.blob(at) == b"else\0"


def test_added_data_items_survive_kill_9(raw_mount):
    first = last_data(raw_mount) + 1
    for i in range(3):
        put(raw_mount / ("raw/data/%05d" % (first + i)), b"%d" % i, CREATE)
    raw_mount.box.kill_worker()
    again = raw_mount.box.mount(raw_mount.map, "raw=rw")
    assert [again.get("raw/data/%05d" % (first + i)) for i in range(3)] == [b"0", b"1", b"2"]
    f, _ = unmount_and_load(again)
    assert [f.blob(first + i) for i in range(3)] == [b"0", b"1", b"2"]


@pytest.fixture
def map_with_uuid_items(box, small):
    """A map with items whose type has a UUID."""
    m = box.mount(small)
    m.put("groups/0_Game/group.json", b'{"parallax_zoom": 50}')
    m.unmount()
    return box.mount(small, "raw=rw")


def test_a_file_with_the_next_number_is_a_new_item(map_with_uuid_items):
    ext, = [n for n in os.listdir(map_with_uuid_items / "raw/items") if n.startswith("65534_")]
    put(map_with_uuid_items / ("raw/items/%s/00001" % ext), b"1\n33\n", CREATE)
    put(map_with_uuid_items / ("raw/items/%s/00002" % ext), b"", CREATE)
    assert map_with_uuid_items.get("raw/items/%s/00001" % ext) == b"1\n33\n"
    assert refused(put, map_with_uuid_items / ("raw/items/%s/00004" % ext), b"1\n", CREATE) == errno.EINVAL
    assert refused(os.unlink, map_with_uuid_items / ("raw/items/%s/00001" % ext)) == errno.EPERM
    for name in ("00002_image/00002", "00004_group/00001", "00005_layer/00002"):
        assert refused(put, map_with_uuid_items / ("raw/items/" + name), b"1\n", CREATE) == errno.EPERM
    map_with_uuid_items.box.kill_worker()
    again = map_with_uuid_items.box.mount(map_with_uuid_items.map, "raw=rw")
    assert again.get("raw/items/%s/00001" % ext) == b"1\n33\n"
    f, _ = unmount_and_load(again)
    assert [(i.id, i.ints) for i in f.of_type(65534)] == [(0, [1, 50]), (1, [1, 33]), (2, [])]


def test_an_invalid_item_is_not_added(map_with_uuid_items):
    ext, = [n for n in os.listdir(map_with_uuid_items / "raw/items") if n.startswith("65534_")]
    name = map_with_uuid_items / ("raw/items/%s/00001" % ext)
    assert refused(put, name, b"one\n", CREATE) == errno.EINVAL
    map_with_uuid_items.put("info/author", b"somebody\n")
    map_with_uuid_items.box.allow("small.map.mapfs-left*")
    assert len(unmount_and_load(map_with_uuid_items, code=5)[0].of_type(65534)) == 1


def test_any_other_number_than_the_next_is_refused(raw_mount):
    next_ = last_data(raw_mount) + 1
    for name in ("%05d" % (next_ + 1), "%d" % next_, "0%05d" % next_, "99999"):
        assert refused(put, raw_mount / ("raw/data/" + name), b"x", CREATE) == errno.EINVAL, name
    raw_mount.unmount()


def test_an_empty_data_item_is_not_added(raw_mount):
    before = datafile.Datafile.load(raw_mount.map)
    name = "raw/data/%05d" % (last_data(raw_mount) + 1)
    assert refused(put, raw_mount / name, b"", CREATE) in (0, errno.EINVAL)
    raw_mount.put("info/author", b"somebody\n")
    raw_mount.box.allow("small.map.mapfs-left*")
    f, _ = unmount_and_load(raw_mount, code=5)
    assert f.n_data == before.n_data


def test_raw_files_cannot_be_moved_or_removed(raw_mount):
    new_ = "raw/data/%05d" % (last_data(raw_mount) + 1)
    put(raw_mount / new_, b"x", CREATE)
    for name in ("raw/data/00000", new_, "raw/items/00001_info/00000"):
        for to in ("raw/data/00001", "raw/data/99999", "raw/data/.x", "info/author", "images/x.png",
                   "raw/items/00001_info/00001"):
            assert refused(os.rename, raw_mount / name, raw_mount / to) == errno.EPERM, (name, to)
        assert refused(os.unlink, raw_mount / name) == errno.EPERM
    assert refused(os.rename, raw_mount / "raw/items/00001_info", raw_mount / "raw/items/x") == errno.EPERM
    f, _ = unmount_and_load(raw_mount)
    assert f.n_data == datafile.Datafile.load(raw_mount.map).n_data


@pytest.mark.parametrize("script", [
    "sed -i s/^1$/1/ raw/items/00000_version/00000",
    "printf 'other\\0' > raw/data/00000",
    "printf 'temp\\0' > raw/data/.t; mv raw/data/.t raw/data/00000"])
def test_editors_can_change_raw_files(raw_mount, script):
    shell(raw_mount, script)
    raw_mount.unmount()


def test_invalid_raw_content_is_refused(raw_mount):
    name = "raw/data/00000"
    raw_mount.put(name, b"")  # not written to: validated at the release
    sync(raw_mount)
    assert "at least 1 byte" in raw_mount.xattr(name, "user.mapfs.error")
    raw_mount.box.allow("small.map.mapfs-left*")
    tiles = next(n for n in range(last_data(raw_mount) + 1) if os.stat(raw_mount / ("raw/data/%05d" % n)).st_size
                 == 20 * 10 * 4)
    # the file that shows it would break, which only the save checks
    raw_mount.put("raw/data/%05d" % tiles, b"too short")
    assert "unreadable" in raw_mount.xattr("raw/data/%05d" % tiles, "user.mapfs.error")
    raw_mount.unmount(code=5)


def test_read_only_raw_always_gives_the_same_errno(box, small):
    m = box.mount(small)
    for name in ("raw/data/00000", "raw/items/00001_info/00000"):
        assert refused(put, m / name, b"x\n") == errno.EACCES
        assert refused(os.truncate, m / name, 0) == errno.EACCES
    for name in ("raw/data/%05d" % (last_data(m) + 1), "raw/data/99999", "raw/new", "raw/data/.x"):
        assert refused(put, m / name, b"x", CREATE) == errno.EACCES
    assert refused(os.mkdir, m / "raw/new") == errno.EACCES
    assert refused(os.rename, m / "info/author", m / "raw/data/00000") == errno.EACCES
    assert refused(os.rename, m / "raw/data/00000", m / "raw/data/99999") == errno.EPERM
    m.unmount()


def number_of(m, content):
    return next(n for n in sorted(os.listdir(m / "raw/data")) if m.get("raw/data/" + n) == content)


def test_a_data_item_that_left_the_map_disappears(box, small):
    """Its name was looked up before, so the kernel has cached it, and no request removes it."""
    m = box.mount(small)
    for i in range(3):
        name = "raw/data/" + number_of(m, m.get("info/author").rstrip(b"\n") + b"\0")
        m.put("info/author", b"")
        for call in (os.stat, os.listdir, lambda path: os.open(path, os.O_RDONLY)):
            assert refused(call, m / name) == errno.ENOENT
        assert os.path.basename(name) not in os.listdir(m / "raw/data")
        m.put("info/author", b"somebody %d\n" % i)
        assert number_of(m, b"somebody %d\0" % i) in os.listdir(m / "raw/data")
        if i == 1:
            sync(m)
    unmount_and_load(m)


@pytest.mark.parametrize("again", [False, True])
def test_an_item_that_gets_another_number_is_saved_once(raw_mount, again):
    name = "raw/items/00002_image/00001"
    raw_mount.put(name, raw_mount.get(name).replace(b"\n1024\n", b"\n77\n", 1))
    os.unlink(raw_mount / "images/0_checker.png")
    if again:
        sync(raw_mount)
        assert "00001" not in os.listdir(os.path.dirname(raw_mount / name))
    f, report = unmount_and_load(raw_mount)
    assert [i.ints[1] for i in f.of_type(datafile.IMAGE)] == [77]
    assert "rescued:" not in report


@pytest.mark.parametrize("content", [b"", b"other\0"])
def test_a_written_data_item_is_not_removed(rw, content):
    rw.box.allow("small.map.mapfs-left*")
    put(rw / "raw/data/00000", content)
    assert refused(os.unlink, rw / "raw/data/00000") == errno.EPERM
    assert refused(os.rename, rw / "raw/data/00000", rw / "t~") == errno.EPERM
    rw.unmount(code=0 if content else 5)


def test_a_data_item_that_left_the_map_cannot_be_made_in_read_only_raw(box, small):
    m = box.mount(small)
    name = "raw/data/" + number_of(m, m.get("info/author").rstrip(b"\n") + b"\0")
    m.put("info/author", b"")
    assert refused(put, m / name, b"x", CREATE) == errno.EACCES
    m.unmount()
