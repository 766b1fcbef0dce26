# SPDX-License-Identifier: Zlib
"""A name in any case of letters is one name, and the kernel's memory of one case is no other truth."""
import os

import box as boxes
import tlread
from archives import dat, small_mod, text_dat
from tlbox import sync

MAKE = os.O_WRONLY | os.O_CREAT


def there(m, *names):
    return [os.path.exists(m / ("MEDIA/UNITS/" + n)) for n in names]


def gone(m, *names):
    """The kernel is told of a name after the request that made it go."""
    return boxes.wait_for(lambda: not any(there(m, *names)))


def small(box):
    return box.mount(box.add(small_mod(), "S.MOD"))


def test_a_removed_file_is_gone_in_every_case(box):
    m = small(box)
    m.put("MEDIA/UNITS/foo.ogg", b"x", flags=MAKE)
    assert there(m, "FOO.OGG", "foo.OGG", "foo.ogg", "A.DAT", "a.dat") == 5 * [True]
    os.unlink(m / "MEDIA/UNITS/FOO.OGG")
    assert gone(m, "foo.OGG", "FOO.OGG", "foo.ogg")
    os.unlink(m / "MEDIA/UNITS/a.dat")
    assert gone(m, "A.dat", "a.dat", "A.DAT")
    m.unmount()


def test_who_removes_by_the_name_that_is_shown_leaves_no_other_case(box):
    m = small(box)
    names = sorted(os.listdir(m / "MEDIA/UNITS"))
    assert names[0] == "A.DAT" and there(m, "a.dat", "A.dat") == [True, True]
    os.unlink(m / "MEDIA/UNITS/A.DAT")
    assert gone(m, "a.dat", "A.dat", "A.DAT")
    m.unmount()


def test_a_renamed_file_has_its_old_name_in_no_case(box):
    m = small(box)
    assert there(m, "B.DAT", "b.dat") == [True, True]
    os.rename(m / "MEDIA/UNITS/B.DAT", m / "MEDIA/UNITS/C.DAT")
    assert there(m, "b.dat", "B.DAT", "c.dat", "C.DAT") == [False, False, True, True]
    os.rename(m / "MEDIA/UNITS/c.dat", m / "MEDIA/UNITS/d.dat")
    assert gone(m, "c.dat", "C.DAT") and there(m, "D.DAT", "d.dat") == [True, True]
    m.unmount()


def test_a_replaced_file_is_the_new_one_in_every_case(box):
    m = small(box)
    m.put("MEDIA/UNITS/new.dat", dat("new"), flags=MAKE)
    assert there(m, "b.dat", "B.DAT", "NEW.DAT") == 3 * [True]
    os.rename(m / "MEDIA/UNITS/new.dat", m / "MEDIA/UNITS/b.dat")
    assert gone(m, "NEW.DAT", "new.dat")
    sync(m)
    assert boxes.wait_for(lambda: m.get("MEDIA/UNITS/B.DAT") == text_dat("new"))
    assert m.get("MEDIA/UNITS/b.DAT") == m.get("MEDIA/UNITS/b.dat") == text_dat("new")
    m.unmount()


def test_a_directory_goes_along_in_every_case(box):
    m = small(box)
    os.mkdir(m / "MEDIA/UNITS/sub")
    m.put("MEDIA/UNITS/sub/x.ogg", b"x", flags=MAKE)
    assert there(m, "SUB", "SUB/X.OGG", "Sub/x.Ogg") == 3 * [True]
    os.rename(m / "MEDIA/UNITS/sub", m / "MEDIA/UNITS/other")
    assert gone(m, "SUB", "SUB/X.OGG", "sub")
    assert there(m, "OTHER/X.OGG", "other/x.ogg") == [True, True]
    os.chdir(m / "MEDIA/UNITS/OTHER")
    try:
        assert os.listdir(".") == ["x.ogg"] and os.path.exists("X.OGG")
        assert os.getcwd().lower().endswith("/other")
    finally:
        os.chdir("/")
    m.unmount()


def test_what_is_written_at_once_after_a_rename_in_another_case_is_a_file_of_its_own(box):
    m = small(box)
    for i in range(100):
        m.put("MEDIA/F%d.OGG" % i, b"one", flags=MAKE)
        os.rename(m / ("MEDIA/f%d.ogg" % i), m / ("MEDIA/g%d.ogg" % i))
        m.put("MEDIA/F%d.OGG" % i, b"two", flags=MAKE | os.O_TRUNC)
    assert [m.get("MEDIA/g%d.ogg" % i) for i in range(100)] == 100 * [b"one"]
    assert [m.get("MEDIA/f%d.ogg" % i) for i in range(100)] == 100 * [b"two"]
    m.unmount()


def test_what_is_written_at_once_after_a_removal_in_another_case_is_there(box):
    m = small(box)
    for i in range(100):
        m.put("MEDIA/F%d.OGG" % i, b"one", flags=MAKE)
        os.unlink(m / ("MEDIA/f%d.ogg" % i))
        m.put("MEDIA/F%d.OGG" % i, b"two", flags=MAKE)
    m.unmount()
    m = box.mount(m.map)
    assert [m.get("MEDIA/F%d.OGG" % i) for i in range(100)] == 100 * [b"two"]
    m.unmount()


def shown(m):
    return sorted(os.path.relpath(os.path.join(above, n), m.point) for above, dirs, files in os.walk(m / "MEDIA")
                  for n in dirs + files)


def test_letters_stay_through_saves_and_a_kill(box):
    """Rule 1: no path changes, though an archive has no small letters."""
    m = small(box)
    os.mkdir(m / "MEDIA/new")
    os.mkdir(m / "MEDIA/new/Deep")
    m.put("MEDIA/new/Deep/u.dat", dat("u"), flags=MAKE)
    m.put("MEDIA/new/x%41.ogg", b"x", flags=MAKE)
    os.rename(m / "MEDIA/UNITS", m / "MEDIA/Units")  # one name: nothing happens
    os.rename(m / "MEDIA/UNITS/A.DAT", m / "MEDIA/UNITS/moved.dat")
    os.unlink(m / "MEDIA/UNITS/B.DAT")
    m.put("MEDIA/UNITS/b.dat", dat("b"), flags=MAKE)
    os.rename(m / "MEDIA/EMPTY.OGG", m / "MEDIA/readme.txt")
    before = shown(m)
    assert {"MEDIA/new/Deep/u.dat", "MEDIA/UNITS/moved.dat", "MEDIA/UNITS/b.dat", "MEDIA/readme.txt"} <= set(before)
    sync(m)
    again = [p.replace("x%41.ogg", "XA.OGG") for p in before]  # in the one form of its name
    assert shown(m) == sorted(again)
    m.put("MEDIA/NEW/deep/v.dat", dat("v"), flags=MAKE)
    again.append("MEDIA/new/Deep/v.dat")
    sync(m)
    assert shown(m) == sorted(again)
    m.put("MEDIA/new/w.dat", dat("w"), flags=MAKE)
    again.append("MEDIA/new/w.dat")
    box.kill_worker()
    m = box.mount(m.map)
    assert shown(m) == sorted(again)
    os.mkdir(m / "MEDIA/new/deep2")
    os.rename(m / "MEDIA/new/Deep", m / "MEDIA/new/deep2/Deep")
    m.unmount()
    m = box.mount(m.map)
    assert "MEDIA/NEW/DEEP2/DEEP/V.DAT" in shown(m)
    m.unmount()
    data = boxes.get(m.map)
    names = [p + e["name"] for p, entries in tlread.manifest(data[tlread.modheader(data)["offman"]:])["dirs"]
             for e in entries]
    assert names == [n.upper() for n in names]


def test_who_looks_by_other_letters_changes_no_name(box):
    m = small(box)
    m.put("media/units/b.dat", dat("b"))
    assert there(m, "a.dat")
    os.rename(m / "MEDIA/readme.txt", m / "media/x.ogg")
    before = {"MEDIA/UNITS/A.DAT", "MEDIA/UNITS/B.DAT", "MEDIA/x.ogg", "MEDIA/UNITS"}
    assert before <= set(shown(m))
    sync(m)
    assert before <= set(shown(m))
    m.unmount()
