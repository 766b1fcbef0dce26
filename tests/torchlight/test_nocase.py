# SPDX-License-Identifier: Zlib
"""A name is one name in every case of letters, also in the kernel's caches."""
import os

import box as boxes
import tlread
from archives import dat, small_mod, text_dat
from tlbox import sync

MAKE = os.O_WRONLY | os.O_CREAT


def names_exist(m, *names):
    return [os.path.exists(m / ("MEDIA/UNITS/" + n)) for n in names]


def names_disappear(m, *names):
    """The kernel learns of a removed name only after the request."""
    return boxes.wait_for(lambda: not any(names_exist(m, *names)))


def mount_small(box):
    return box.mount(box.add(small_mod(), "S.MOD"))


def test_a_removed_file_is_gone_in_every_case(box):
    m = mount_small(box)
    m.put("MEDIA/UNITS/foo.ogg", b"x", flags=MAKE)
    assert names_exist(m, "FOO.OGG", "foo.OGG", "foo.ogg", "A.DAT", "a.dat") == 5 * [True]
    os.unlink(m / "MEDIA/UNITS/FOO.OGG")
    assert names_disappear(m, "foo.OGG", "FOO.OGG", "foo.ogg")
    os.unlink(m / "MEDIA/UNITS/a.dat")
    assert names_disappear(m, "A.dat", "a.dat", "A.DAT")
    m.unmount()


def test_a_file_removed_by_its_shown_name_is_gone_in_every_case(box):
    m = mount_small(box)
    names = sorted(os.listdir(m / "MEDIA/UNITS"))
    assert names[0] == "A.DAT" and names_exist(m, "a.dat", "A.dat") == [True, True]
    os.unlink(m / "MEDIA/UNITS/A.DAT")
    assert names_disappear(m, "a.dat", "A.dat", "A.DAT")
    m.unmount()


def test_a_renamed_file_loses_its_old_name_in_every_case(box):
    m = mount_small(box)
    assert names_exist(m, "B.DAT", "b.dat") == [True, True]
    os.rename(m / "MEDIA/UNITS/B.DAT", m / "MEDIA/UNITS/C.DAT")
    assert names_exist(m, "b.dat", "B.DAT", "c.dat", "C.DAT") == [False, False, True, True]
    os.rename(m / "MEDIA/UNITS/c.dat", m / "MEDIA/UNITS/d.dat")
    assert names_disappear(m, "c.dat", "C.DAT") and names_exist(m, "D.DAT", "d.dat") == [True, True]
    m.unmount()


def test_a_replacing_file_is_found_in_every_case(box):
    m = mount_small(box)
    m.put("MEDIA/UNITS/new.dat", dat("new"), flags=MAKE)
    assert names_exist(m, "b.dat", "B.DAT", "NEW.DAT") == 3 * [True]
    os.rename(m / "MEDIA/UNITS/new.dat", m / "MEDIA/UNITS/b.dat")
    assert names_disappear(m, "NEW.DAT", "new.dat")
    sync(m)
    assert boxes.wait_for(lambda: m.get("MEDIA/UNITS/B.DAT") == text_dat("new"))
    assert m.get("MEDIA/UNITS/b.DAT") == m.get("MEDIA/UNITS/b.dat") == text_dat("new")
    m.unmount()


def test_a_renamed_directory_is_found_in_every_case(box):
    m = mount_small(box)
    os.mkdir(m / "MEDIA/UNITS/sub")
    m.put("MEDIA/UNITS/sub/x.ogg", b"x", flags=MAKE)
    assert names_exist(m, "SUB", "SUB/X.OGG", "Sub/x.Ogg") == 3 * [True]
    os.rename(m / "MEDIA/UNITS/sub", m / "MEDIA/UNITS/other")
    assert names_disappear(m, "SUB", "SUB/X.OGG", "sub")
    assert names_exist(m, "OTHER/X.OGG", "other/x.ogg") == [True, True]
    os.chdir(m / "MEDIA/UNITS/OTHER")
    try:
        assert os.listdir(".") == ["x.ogg"] and os.path.exists("X.OGG")
        assert os.getcwd().lower().endswith("/other")
    finally:
        os.chdir("/")
    m.unmount()


def test_a_file_written_right_after_a_rename_in_another_case_is_a_new_file(box):
    m = mount_small(box)
    for i in range(100):
        m.put("MEDIA/F%d.OGG" % i, b"one", flags=MAKE)
        os.rename(m / ("MEDIA/f%d.ogg" % i), m / ("MEDIA/g%d.ogg" % i))
        m.put("MEDIA/F%d.OGG" % i, b"two", flags=MAKE | os.O_TRUNC)
    assert [m.get("MEDIA/g%d.ogg" % i) for i in range(100)] == 100 * [b"one"]
    assert [m.get("MEDIA/f%d.ogg" % i) for i in range(100)] == 100 * [b"two"]
    m.unmount()


def test_a_file_written_right_after_a_removal_in_another_case_exists(box):
    m = mount_small(box)
    for i in range(100):
        m.put("MEDIA/F%d.OGG" % i, b"one", flags=MAKE)
        os.unlink(m / ("MEDIA/f%d.ogg" % i))
        m.put("MEDIA/F%d.OGG" % i, b"two", flags=MAKE)
    m.unmount()
    m = box.mount(m.map)
    assert [m.get("MEDIA/F%d.OGG" % i) for i in range(100)] == 100 * [b"two"]
    m.unmount()


def list_tree(m):
    return sorted(os.path.relpath(os.path.join(above, n), m.point) for above, dirs, files in os.walk(m / "MEDIA")
                  for n in dirs + files)


def test_the_case_of_names_survives_saves_and_a_kill(box):
    """Rule 1: no path changes, although an archive has only capital letters."""
    m = mount_small(box)
    os.mkdir(m / "MEDIA/new")
    os.mkdir(m / "MEDIA/new/Deep")
    m.put("MEDIA/new/Deep/u.dat", dat("u"), flags=MAKE)
    m.put("MEDIA/new/x%41.ogg", b"x", flags=MAKE)
    os.rename(m / "MEDIA/UNITS", m / "MEDIA/Units")  # one folded name: nothing happens
    os.rename(m / "MEDIA/UNITS/A.DAT", m / "MEDIA/UNITS/moved.dat")
    os.unlink(m / "MEDIA/UNITS/B.DAT")
    m.put("MEDIA/UNITS/b.dat", dat("b"), flags=MAKE)
    os.rename(m / "MEDIA/EMPTY.OGG", m / "MEDIA/readme.txt")
    before = list_tree(m)
    assert {"MEDIA/new/Deep/u.dat", "MEDIA/UNITS/moved.dat", "MEDIA/UNITS/b.dat", "MEDIA/readme.txt"} <= set(before)
    sync(m)
    again = [p.replace("x%41.ogg", "XA.OGG") for p in before]  # in the one case that its folded name has
    assert list_tree(m) == sorted(again)
    m.put("MEDIA/NEW/deep/v.dat", dat("v"), flags=MAKE)
    again.append("MEDIA/new/Deep/v.dat")
    sync(m)
    assert list_tree(m) == sorted(again)
    m.put("MEDIA/new/w.dat", dat("w"), flags=MAKE)
    again.append("MEDIA/new/w.dat")
    box.kill_worker()
    m = box.mount(m.map)
    assert list_tree(m) == sorted(again)
    os.mkdir(m / "MEDIA/new/deep2")
    os.rename(m / "MEDIA/new/Deep", m / "MEDIA/new/deep2/Deep")
    m.unmount()
    m = box.mount(m.map)
    assert "MEDIA/NEW/DEEP2/DEEP/V.DAT" in list_tree(m)
    m.unmount()
    data = boxes.get(m.map)
    names = [p + e["name"] for p, entries in tlread.manifest(data[tlread.modheader(data)["offman"]:])["dirs"]
             for e in entries]
    assert names == [n.upper() for n in names]


def test_a_lookup_in_another_case_changes_no_name(box):
    m = mount_small(box)
    m.put("media/units/b.dat", dat("b"))
    assert names_exist(m, "a.dat")
    os.rename(m / "MEDIA/readme.txt", m / "media/x.ogg")
    before = {"MEDIA/UNITS/A.DAT", "MEDIA/UNITS/B.DAT", "MEDIA/x.ogg", "MEDIA/UNITS"}
    assert before <= set(list_tree(m))
    sync(m)
    assert before <= set(list_tree(m))
    m.unmount()
