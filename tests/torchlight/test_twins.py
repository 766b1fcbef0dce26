# SPDX-License-Identifier: Zlib
"""A file that is made has both of its names at once: X.DAT and X.DAT.txt."""
import errno
import os

import pytest

import box as boxes
import tlread
import tlwrite
from archives import Archive, dat, small_mod, text_dat
from tlbox import program, run, sync

MAKE = os.O_WRONLY | os.O_CREAT
BEFORE = {"MEDIA/UNITS/A.DAT", "MEDIA/UNITS/B.DAT", "MEDIA/UNITS/PIC.JPG", "MEDIA/README.TXT",
          "MEDIA/EMPTY.OGG"}


@pytest.fixture
def place(box):
    """A mount, and a directory that was in it."""
    return box.mount(box.add(small_mod(), "S.MOD")), "MEDIA/UNITS"


def shown(m, where):
    """The names that readdir gives; lookup agrees on each, and on those that are not there."""
    names = {n for n in os.listdir(m / where) if n.upper().startswith(("X.", "Y."))}
    for stem in ("x", "y"):
        for name in (stem + ".dat", stem + ".dat.txt"):
            there = name.upper() in {n.upper() for n in names}
            assert os.path.exists(os.path.join(m / where, name)) == there, name
    return {n.lower() for n in names}


def saved(m):
    """What the archive has more than before, {path: bytes}."""
    m.unmount()
    a = Archive(m.map)
    assert BEFORE <= set(a.files)
    return {f: a.one(f) for f in a.files if f not in BEFORE}


def same_dat(data, name, level=1):
    return tlread.bindat(data)["root"] == tlread.bindat(dat(name, level))["root"]


def full(where, name="X.DAT"):
    return (where + "/" + name).upper()


def test_a_new_text_has_its_compiled_file(place):
    m, where = place
    m.put(where + "/x.dat.txt", text_dat("x"), flags=MAKE)
    assert shown(m, where) == {"x.dat", "x.dat.txt"}
    assert same_dat(m.get(where + "/x.dat"), "x")
    assert os.stat(m / (where + "/X.DAT")).st_size == len(m.get(where + "/x.dat"))
    got = saved(m)
    assert set(got) == {full(where)} and same_dat(got[full(where)], "x")


def test_a_new_file_has_its_text(place):
    m, where = place
    m.put(where + "/x.dat", dat("x"), flags=MAKE)
    assert shown(m, where) == {"x.dat", "x.dat.txt"}
    assert m.get(where + "/x.dat.txt") == text_dat("x")
    m.put(where + "/x.dat.txt", text_dat("changed", 3))
    assert same_dat(m.get(where + "/x.dat"), "changed", 3)
    got = saved(m)
    assert set(got) == {full(where)} and same_dat(got[full(where)], "changed", 3)


def test_a_new_index_has_its_table(place):
    m, where = place
    m.put(where + "/triggerables.raw", b"\1\0" + tlwrite.ss("F") + tlwrite.ss("N"), flags=MAKE)
    assert m.get(where + "/TRIGGERABLES.RAW.tsv").count(b"\n") == 2
    m.unmount()


def test_what_is_refused_has_no_other_name(place):
    m, where = place
    m.box.allow("*.mapfs-left")
    assert boxes.refused(lambda: m.put(where + "/x.dat.txt", b"[A]\n[/B]\n",
                                       flags=MAKE)) == errno.EINVAL
    assert shown(m, where) == {"x.dat.txt"}
    m.unmount(code=5)
    assert set(Archive(m.map).files) == BEFORE


def test_what_was_made_and_removed_leaves_nothing(place):
    m, where = place
    m.put(where + "/x.dat", dat("x"), flags=MAKE)
    m.put(where + "/y.dat.txt", text_dat("y"), flags=MAKE)
    run("rm", *(m / (where + "/" + n) for n in sorted(shown(m, where))))
    assert shown(m, where) == set()
    assert saved(m) == {}


@pytest.fixture
def made(box):
    """A directory that was made, with two files in it."""
    m = box.mount(box.add(small_mod(), "S.MOD"))
    os.mkdir(m / "MEDIA/made")
    m.put("MEDIA/made/x.dat", dat("x"), flags=MAKE)
    m.put("MEDIA/made/y.dat.txt", text_dat("y"), flags=MAKE)
    return m


def test_in_a_made_directory_the_other_names_come_with_the_save(made):
    assert shown(made, "MEDIA/made") == {"x.dat", "y.dat.txt"}
    sync(made)
    assert shown(made, "MEDIA/made") == {"x.dat", "x.dat.txt", "y.dat", "y.dat.txt"}
    assert made.get("MEDIA/made/x.dat.txt") == text_dat("x")
    assert set(saved(made)) == {"MEDIA/MADE/X.DAT", "MEDIA/MADE/Y.DAT"}


@pytest.mark.parametrize("after_save", [False, True])
def test_a_made_directory_goes_with_all_names(made, after_save):
    if after_save:
        sync(made)
    run("rm", "-r", made / "MEDIA/made")
    assert not os.path.exists(made / "MEDIA/made")
    assert saved(made) == {}


def test_a_text_that_was_alone_in_a_made_directory_takes_its_file_along(made):
    os.unlink(made / "MEDIA/made/y.dat.txt")
    os.rename(made / "MEDIA/made/x.dat", made / "MEDIA/made/y.dat")
    assert set(saved(made)) == {"MEDIA/MADE/Y.DAT"}


@pytest.mark.parametrize("first", ["x.dat", "x.dat.txt"])
@pytest.mark.parametrize("after_save", [False, True])
def test_who_removes_the_file_removes_it(place, first, after_save):
    m, where = place
    m.put(where + "/" + first, text_dat("x") if first.endswith("txt") else dat("x"), flags=MAKE)
    assert len(shown(m, where)) == 2
    if after_save:
        sync(m)
    os.unlink(m / (where + "/x.dat"))
    assert saved(m) == {}


@pytest.mark.parametrize("first", ["x.dat", "x.dat.txt"])
@pytest.mark.parametrize("after_save", [False, True])
def test_who_removes_the_text_keeps_the_file(place, first, after_save):
    m, where = place
    m.put(where + "/" + first, text_dat("x") if first.endswith("txt") else dat("x"), flags=MAKE)
    if after_save:
        sync(m)
    os.unlink(m / (where + "/x.dat.txt"))
    assert shown(m, where) == {"x.dat"}
    got = saved(m)
    assert set(got) == {full(where)} and same_dat(got[full(where)], "x")


@pytest.mark.parametrize("first", ["x.dat", "x.dat.txt"])
def test_the_text_of_a_removed_file_brings_it_back(place, first):
    m, where = place
    m.put(where + "/" + first, text_dat("x") if first.endswith("txt") else dat("x"), flags=MAKE)
    m.put(where + "/x.dat.txt", text_dat("before", 2))
    os.unlink(m / (where + "/x.dat"))
    m.put(where + "/x.dat.txt", text_dat("after", 3), flags=MAKE)
    got = saved(m)
    assert set(got) == {full(where)} and same_dat(got[full(where)], "after", 3)


@pytest.mark.parametrize("first", ["x.dat", "x.dat.txt"])
@pytest.mark.parametrize("moved", ["x.dat", "x.dat.txt"])
def test_either_name_renames_the_file(place, first, moved):
    m, where = place
    m.put(where + "/" + first, text_dat("x") if first.endswith("txt") else dat("x"), flags=MAKE)
    os.rename(m / (where + "/" + moved), m / (where + "/" + "y" + moved[1:]))
    got = saved(m)
    assert set(got) == {full(where, "Y.DAT")} and same_dat(got[full(where, "Y.DAT")], "x")


@pytest.mark.parametrize("how", ["cp", "tar", "rsync"])
def test_a_tree_with_both_names_is_copied_in(place, how):
    m, where = place
    source = os.path.join(m.box.home, "source")
    os.mkdir(source)
    for name, content in (("x.dat", dat("x")), ("x.dat.txt", text_dat("x")),
                          ("y.dat.txt", text_dat("y", 2)), ("y.dat", dat("y", 2))):
        with open(os.path.join(source, name), "wb") as f:
            f.write(content)
    if how == "cp":
        run("cp", "-rp", source + "/.", m / where)
    elif how == "rsync":
        run(program("rsync"), "-a", source + "/", str(m / where) + "/")
    else:
        run("sh", "-c", 'tar cf - -C "$1" . | tar xf - -C "$2"', "sh", source, m / where)
    assert shown(m, where) == {"x.dat", "x.dat.txt", "y.dat", "y.dat.txt"}
    got = saved(m)
    assert set(got) == {full(where), full(where, "Y.DAT")}
    assert same_dat(got[full(where)], "x") and same_dat(got[full(where, "Y.DAT")], "y", 2)


def test_both_names_come_back_after_a_kill(place):
    m, where = place
    m.put(where + "/x.dat.txt", text_dat("x"), flags=MAKE)
    m.put(where + "/x.dat", dat("second", 2))
    m.put(where + "/y.dat", dat("y"), flags=MAKE)
    m.put(where + "/y.dat.txt", text_dat("changed", 3))
    m.box.kill_worker()
    m = m.box.mount(m.map)
    assert shown(m, where) == {"x.dat", "x.dat.txt", "y.dat", "y.dat.txt"}
    got = saved(m)
    assert same_dat(got[full(where)], "second", 2)
    assert same_dat(got[full(where, "Y.DAT")], "changed", 3)


def test_an_editor_that_renames_works_on_a_new_text(place):
    m, where = place
    path = m / (where + "/x.dat.txt")
    m.put(where + "/x.dat.txt", text_dat("x"), flags=MAKE)
    os.rename(path, path + "~")
    m.put(where + "/x.dat.txt", text_dat("edited", 2), flags=MAKE)
    os.unlink(path + "~")
    run("sed", "-i", "s/LEVEL:2/LEVEL:7/", path)
    got = saved(m)
    assert set(got) == {full(where)} and same_dat(got[full(where)], "edited", 7)
