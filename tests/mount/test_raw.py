# SPDX-License-Identifier: Zlib
"""raw/ of a Teeworlds mount: changed in place, and added to."""
import errno
import os

import pytest

import datafile
from box import put, refused
from editing import CREATE, saved, shell, sync


def last_data(m):
    return max(int(n) for n in os.listdir(m / "raw/data") if n.isdigit())


@pytest.fixture
def rw(box, small):
    return box.mount(small, "raw=rw")


@pytest.mark.parametrize("referred", [False, True])
def test_the_next_number_is_a_new_data_item(rw, referred):
    before = datafile.Datafile.load(rw.map)
    name = "raw/data/%05d" % (last_data(rw) + 1)
    put(rw / name, b"more\0", CREATE)
    assert rw.get(name) == b"more\0"
    rw.put(name, b"else\0")
    assert "%05d" % before.n_data in os.listdir(rw / "raw/data")
    if referred:
        text = rw.get("raw/items/00001_info/00000").split(b"\n")
        text[2] = b"%d" % before.n_data
        rw.put("raw/items/00001_info/00000", b"\n".join(text))
        assert rw.get("info/version") == b"else\n"
    f, _ = saved(rw)
    assert f.n_data == before.n_data + 1
    # data is numbered in the order of what refers to it
    at = f.of_type(datafile.INFO)[0].ints[2] if referred else before.n_data
    assert f.blob(at) == b"else\0"


def test_data_items_that_are_added_survive_kill_9(rw):
    first = last_data(rw) + 1
    for i in range(3):
        put(rw / ("raw/data/%05d" % (first + i)), b"%d" % i, CREATE)
    rw.box.kill_worker()
    again = rw.box.mount(rw.map, "raw=rw")
    assert [again.get("raw/data/%05d" % (first + i)) for i in range(3)] == [b"0", b"1", b"2"]
    f, _ = saved(again)
    assert [f.blob(first + i) for i in range(3)] == [b"0", b"1", b"2"]


@pytest.fixture
def zoomed(box, small):
    """A map with items of a type that is known by a UUID."""
    m = box.mount(small)
    m.put("groups/0_Game/group.json", b'{"parallax_zoom": 50}')
    m.unmount()
    return box.mount(small, "raw=rw")


def test_the_next_number_is_a_new_item(zoomed):
    ext, = [n for n in os.listdir(zoomed / "raw/items") if n.startswith("65534_")]
    put(zoomed / ("raw/items/%s/00001" % ext), b"1\n33\n", CREATE)
    put(zoomed / ("raw/items/%s/00002" % ext), b"", CREATE)
    assert zoomed.get("raw/items/%s/00001" % ext) == b"1\n33\n"
    assert refused(put, zoomed / ("raw/items/%s/00004" % ext), b"1\n", CREATE) == errno.EINVAL
    assert refused(os.unlink, zoomed / ("raw/items/%s/00001" % ext)) == errno.EPERM
    for name in ("00002_image/00002", "00004_group/00001", "00005_layer/00002"):
        assert refused(put, zoomed / ("raw/items/" + name), b"1\n", CREATE) == errno.EPERM
    zoomed.box.kill_worker()
    again = zoomed.box.mount(zoomed.map, "raw=rw")
    assert again.get("raw/items/%s/00001" % ext) == b"1\n33\n"
    f, _ = saved(again)
    assert [(i.id, i.ints) for i in f.of_type(65534)] == [(0, [1, 50]), (1, [1, 33]), (2, [])]


def test_an_item_that_cannot_be_read_is_none(zoomed):
    ext, = [n for n in os.listdir(zoomed / "raw/items") if n.startswith("65534_")]
    name = zoomed / ("raw/items/%s/00001" % ext)
    assert refused(put, name, b"one\n", CREATE) == errno.EINVAL
    zoomed.put("info/author", b"somebody\n")
    zoomed.box.allow("small.map.mapfs-left*")
    assert len(saved(zoomed, code=5)[0].of_type(65534)) == 1


def test_a_number_that_is_not_the_next_is_refused(rw):
    next_ = last_data(rw) + 1
    for name in ("%05d" % (next_ + 1), "%d" % next_, "0%05d" % next_, "99999"):
        assert refused(put, rw / ("raw/data/" + name), b"x", CREATE) == errno.EINVAL, name
    rw.unmount()


def test_a_data_item_that_was_begun_and_never_written_is_none(rw):
    before = datafile.Datafile.load(rw.map)
    name = "raw/data/%05d" % (last_data(rw) + 1)
    assert refused(put, rw / name, b"", CREATE) in (0, errno.EINVAL)
    rw.put("info/author", b"somebody\n")
    rw.box.allow("small.map.mapfs-left*")
    f, _ = saved(rw, code=5)
    assert f.n_data == before.n_data


def test_items_and_data_of_raw_are_neither_moved_nor_removed(rw):
    new_ = "raw/data/%05d" % (last_data(rw) + 1)
    put(rw / new_, b"x", CREATE)
    for name in ("raw/data/00000", new_, "raw/items/00001_info/00000"):
        for to in ("raw/data/00001", "raw/data/99999", "raw/data/.x", "info/author", "images/x.png",
                   "raw/items/00001_info/00001"):
            assert refused(os.rename, rw / name, rw / to) == errno.EPERM, (name, to)
        assert refused(os.unlink, rw / name) == errno.EPERM
    assert refused(os.rename, rw / "raw/items/00001_info", rw / "raw/items/x") == errno.EPERM
    f, _ = saved(rw)
    assert f.n_data == datafile.Datafile.load(rw.map).n_data


@pytest.mark.parametrize("script", [
    "sed -i s/^1$/1/ raw/items/00000_version/00000",
    "printf 'other\\0' > raw/data/00000",
    "printf 'temp\\0' > raw/data/.t; mv raw/data/.t raw/data/00000"])
def test_editors_habits_work_in_raw(rw, script):
    shell(rw, script)
    rw.unmount()


def test_what_raw_may_not_hold_is_refused(rw):
    name = "raw/data/00000"
    rw.put(name, b"")  # not written to: judged when it is released
    sync(rw)
    assert "at least 1 byte" in rw.xattr(name, "user.mapfs.error")
    rw.box.allow("small.map.mapfs-left*")
    tiles = next(n for n in range(last_data(rw) + 1) if os.stat(rw / ("raw/data/%05d" % n)).st_size
                 == 20 * 10 * 4)
    # what shows it would break, which is the save's to judge
    rw.put("raw/data/%05d" % tiles, b"too short")
    assert "unreadable" in rw.xattr("raw/data/%05d" % tiles, "user.mapfs.error")
    rw.unmount(code=5)


def test_read_only_raw_says_so_in_one_way(box, small):
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


def test_a_data_item_that_left_the_map_is_not_there(box, small):
    """Its name was looked up before, so the kernel has it; nobody asked for it to go."""
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
    saved(m)


@pytest.mark.parametrize("again", [False, True])
def test_an_item_that_gets_another_number_is_saved_once(rw, again):
    name = "raw/items/00002_image/00001"
    rw.put(name, rw.get(name).replace(b"\n1024\n", b"\n77\n", 1))
    os.unlink(rw / "images/0_checker.png")
    if again:
        sync(rw)
        assert "00001" not in os.listdir(os.path.dirname(rw / name))
    f, report = saved(rw)
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
