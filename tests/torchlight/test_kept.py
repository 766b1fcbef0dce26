# SPDX-License-Identifier: Zlib
"""Files that are moved to scratch names: their fate when their directory moves or is removed, and names that only
look like scratch names."""
import errno
import os
import shutil

import pytest

import box as boxes
import tlread
from archives import Archive, dat, small_mod, text_dat
from tlbox import sync

NEW = os.O_WRONLY | os.O_CREAT
STAYS = "note: MEDIA/%s is kept: its file was moved to a name without a meaning"


def mount_small(box):
    return box.mount(box.add(small_mod(), "S.MOD"))


def report_lines(result):
    return sorted(result.out.splitlines())


def test_names_similar_to_a_tools_random_names_are_files(box):
    names = ["zinc.dat", "sedan.dat", "XXL1.DAT", "zip1.ogg", "sedan.txt"]
    m = mount_small(box)
    for name in names:
        m.put("MEDIA/" + name, text_dat(name), flags=NEW)
    m.unmount()
    assert {"MEDIA/" + name.upper() for name in names} <= set(Archive(m.map).files)


def move_to_scratch_name(m):
    """Rename a file, write it, and move it to a scratch name."""
    os.rename(m / "MEDIA/EMPTY.OGG", m / "MEDIA/e.txt")
    m.put("MEDIA/e.txt", b"kept")
    os.rename(m / "MEDIA/e.txt", m / "MEDIA/e.tmp")


@pytest.mark.parametrize("saved", [False, True])
@pytest.mark.parametrize("name", ["e.txt", "E.TXT"])
def test_a_file_moved_over_a_kept_file_stays_the_moved_file(box, name, saved):
    m = mount_small(box)
    move_to_scratch_name(m)
    if saved:
        sync(m)
    os.rename(m / "MEDIA/README.TXT", m / ("MEDIA/" + name))
    assert report_lines(m.unmount()) == [STAYS % "EMPTY.OGG", "saved: MEDIA/" + name]
    a = Archive(m.map)
    assert (a.one("MEDIA/E.TXT"), a.one("MEDIA/EMPTY.OGG")) == (b"hello\n", b"")
    assert "MEDIA/README.TXT" not in a.files


@pytest.mark.parametrize("name", ["e.txt", "E.TXT"])
def test_a_new_file_in_place_of_a_kept_file_becomes_that_file(box, name):
    m = mount_small(box)
    move_to_scratch_name(m)
    m.put("MEDIA/" + name, b"new", flags=NEW)
    assert report_lines(m.unmount()) == ["saved: MEDIA/" + name]
    a = Archive(m.map)
    assert a.one("MEDIA/E.TXT") == b"new" and "MEDIA/EMPTY.OGG" not in a.files


def test_a_file_moved_over_a_kept_file_survives_a_kill(box):
    m = mount_small(box)
    move_to_scratch_name(m)
    os.rename(m / "MEDIA/README.TXT", m / "MEDIA/E.TXT")
    box.kill_worker()
    m = box.mount(m.map)
    assert m.get("MEDIA/e.txt") == b"hello\n"
    m.unmount()
    a = Archive(m.map)
    assert (a.one("MEDIA/E.TXT"), a.one("MEDIA/EMPTY.OGG")) == (b"hello\n", b"")
    assert "MEDIA/README.TXT" not in a.files


def test_a_scratch_file_that_becomes_a_file_after_a_save_is_in_the_journal(box):
    m = mount_small(box)
    m.put("MEDIA/N.OGG", b"new", flags=NEW)
    os.rename(m / "MEDIA/N.OGG", m / "MEDIA/N.OGG.tmp")
    sync(m)
    os.rename(m / "MEDIA/N.OGG.tmp", m / "MEDIA/O.OGG")
    box.kill_worker()
    m = box.mount(m.map)
    assert m.get("MEDIA/O.OGG") == b"new"
    m.unmount()
    assert Archive(m.map).one("MEDIA/O.OGG") == b"new"


def test_a_kept_file_moves_with_its_directory(box):
    m = mount_small(box)
    os.rename(m / "MEDIA/UNITS/A.DAT", m / "MEDIA/UNITS/A.DAT~")
    os.rename(m / "MEDIA/UNITS", m / "MEDIA/THINGS")
    assert report_lines(m.unmount()) == [STAYS % "THINGS/A.DAT", "saved: MEDIA/THINGS"]
    assert Archive(m.map).one("MEDIA/THINGS/A.DAT") == dat("a")


def test_a_kept_file_that_returns_from_a_moved_directory_survives_a_kill(box):
    m = mount_small(box)
    os.rename(m / "MEDIA/UNITS/A.DAT", m / "MEDIA/UNITS/A.tmp")
    os.rename(m / "MEDIA/UNITS", m / "MEDIA/THINGS")
    os.rename(m / "MEDIA/THINGS/A.tmp", m / "MEDIA/OLD/B.DAT")
    box.kill_worker()
    m = box.mount(m.map)
    assert "cannot replay" not in m.result.err
    assert report_lines(m.unmount()) == ["saved: MEDIA/OLD/B.DAT", "saved: MEDIA/THINGS"]
    a = Archive(m.map)
    assert a.one("MEDIA/OLD/B.DAT") == dat("a") and "MEDIA/THINGS/A.DAT" not in a.files


def test_of_two_backups_the_one_that_moves_on_is_the_original(box):
    m = mount_small(box)
    os.rename(m / "MEDIA/README.TXT", m / "MEDIA/README.TXT.~1~")
    m.put("MEDIA/README.TXT", b"second", flags=NEW)
    os.rename(m / "MEDIA/README.TXT", m / "MEDIA/README.TXT.~2~")
    os.rename(m / "MEDIA/README.TXT.~1~", m / "MEDIA/FIRST.TXT")
    assert m.get("MEDIA/FIRST.TXT") == b"hello\n"
    assert m.get("MEDIA/README.TXT.~2~") == b"second"
    assert report_lines(m.unmount()) == ["saved: MEDIA/FIRST.TXT"]
    a = Archive(m.map)
    assert a.one("MEDIA/FIRST.TXT") == b"hello\n" and "MEDIA/README.TXT" not in a.files


def test_a_kept_file_is_reported_below_a_new_directory(box):
    m = mount_small(box)
    os.mkdir(m / "MEDIA/N")
    os.rename(m / "MEDIA/UNITS/A.DAT", m / "MEDIA/UNITS/A.DAT~")
    os.rename(m / "MEDIA/UNITS", m / "MEDIA/N/U")
    assert STAYS % "N/U/A.DAT" in report_lines(m.unmount())
    assert Archive(m.map).one("MEDIA/N/U/A.DAT") == dat("a")


@pytest.mark.parametrize("kill", [False, True])
def test_a_file_moved_out_of_a_removed_directory_is_not_kept(box, kill):
    m = mount_small(box)
    os.rename(m / "MEDIA/UNITS/A.DAT", m / "MEDIA/A.DAT~")
    shutil.rmtree(m / "MEDIA/UNITS")
    os.mkdir(m / "MEDIA/UNITS")
    if kill:
        box.kill_worker()
        m = box.mount(m.map)
        assert "cannot replay" not in m.result.err
    assert report_lines(m.unmount()) == ["note: the former MEDIA/UNITS was removed", "saved: MEDIA/UNITS"]
    assert set(Archive(m.map).files) == {"MEDIA/README.TXT", "MEDIA/EMPTY.OGG"}


def test_a_scratch_file_returns_to_its_recreated_directory(box):
    m = mount_small(box)
    os.rename(m / "MEDIA/UNITS/A.DAT", m / "MEDIA/A.DAT~")
    shutil.rmtree(m / "MEDIA/UNITS")
    os.mkdir(m / "MEDIA/UNITS")
    os.rename(m / "MEDIA/A.DAT~", m / "MEDIA/UNITS/A.DAT")
    box.kill_worker()
    m = box.mount(m.map)
    assert "cannot replay" not in m.result.err
    assert m.get("MEDIA/UNITS/A.DAT") == text_dat("a")
    m.unmount()
    assert tlread.bindat(Archive(m.map).one("MEDIA/UNITS/A.DAT"))["root"] == tlread.bindat(dat("a"))["root"]


def test_a_moved_and_removed_directory_with_hidden_files_is_empty(box):
    m = mount_small(box)
    os.rename(m / "MEDIA/UNITS", m / "MEDIA/X")
    shutil.rmtree(m / "MEDIA/X")
    assert report_lines(m.unmount()) == ["note: MEDIA/UNITS was emptied, not removed: the map always has it"]
    m = box.mount(m.map)
    assert not os.path.exists(m / "MEDIA/X") and os.listdir(m / "MEDIA/UNITS") == []
    m.unmount()


def test_a_directory_moved_and_removed_after_a_save_is_not_reported_as_empty(box):
    m = mount_small(box)
    os.rename(m / "MEDIA/UNITS", m / "MEDIA/X")
    sync(m)
    shutil.rmtree(m / "MEDIA/X")
    assert report_lines(m.unmount()) == ["removed: MEDIA/X"]
    m = box.mount(m.map)
    assert not os.path.exists(m / "MEDIA/X")
    m.unmount()


def test_a_new_file_at_the_old_path_of_a_renamed_one_survives_a_kill(box):
    m = mount_small(box)
    os.rename(m / "MEDIA/README.TXT", m / "MEDIA/R.OLD")
    sync(m)
    m.put("MEDIA/README.TXT", b"new", flags=NEW)
    box.kill_worker()
    m = box.mount(m.map)
    assert sorted(os.listdir(m / "MEDIA")) == ["EMPTY.OGG", "OLD", "R.OLD", "README.TXT", "UNITS"]
    assert (m.get("MEDIA/README.TXT"), m.get("MEDIA/R.OLD")) == (b"new", b"hello\n")
    m.unmount()


@pytest.mark.parametrize("saved", [False, True])
def test_a_file_refused_twice_is_not_reported_as_saved(box, saved):
    box.allow("*.mapfs-left")
    m = mount_small(box)
    new = "MEDIA/N.DAT"
    assert boxes.refused(lambda: m.put(new, b"no text", flags=NEW)) == errno.EINVAL
    if saved:
        sync(m)
    os.rename(m / new, m / (new + "~"))
    assert boxes.refused(lambda: m.put(new, b"nor this", flags=NEW)) == errno.EINVAL
    m.put("MEDIA/README.TXT", b"other")
    assert "new " not in m.xattr("", "user.mapfs.status")
    sync(m)
    os.unlink(m / new)
    m.put("MEDIA/README.TXT", b"once more")
    assert report_lines(m.unmount()) == ["saved: MEDIA/README.TXT"]
    assert new not in Archive(m.map).files


@pytest.mark.parametrize("by", ["new", "rename"])
@pytest.mark.parametrize("between", ["nothing", "save", "kill"])
def test_accepted_content_of_a_moved_file_stays_when_another_takes_its_old_name(box, between, by):
    box.allow("*.mapfs-left")
    m = mount_small(box)
    old, moved = "MEDIA/UNITS/A.DAT", "MEDIA/MOVED.DAT"
    os.rename(m / old, m / moved)
    assert boxes.refused(m.put, moved, b"no text") == errno.EINVAL
    if between == "save":
        sync(m)
    if between == "kill":
        box.kill_worker()
        m = box.mount(m.map)
    if by == "new":
        m.put(old, text_dat("new"), flags=NEW)
    else:
        os.rename(m / "MEDIA/UNITS/B.DAT", m / old)
    box.kill_worker()
    m = box.mount(m.map)
    assert m.get(moved) == b"no text"
    m.unmount(code=5)
    a = Archive(m.map)
    # A file that is no object of the base keeps its content, not its bytes.
    assert tlread.bindat(a.one(moved))["root"] == tlread.bindat(dat("a"))["root"]
    want = dat("new") if by == "new" else dat("b", 2)
    assert tlread.bindat(a.one(old))["root"] == tlread.bindat(want)["root"]


def test_a_text_moved_to_a_name_without_text_form_survives_a_kill(box):
    """Rule 8: the journal holds the form in which texts were shown."""
    m = mount_small(box)
    text = m.get("MEDIA/UNITS/A.DAT")
    os.rename(m / "MEDIA/UNITS/A.DAT", m / "MEDIA/UNITS/A.OGG")
    assert m.get("MEDIA/UNITS/A.OGG") == text
    box.kill_worker()
    m = box.mount(m.map, "text=utf16")
    assert "with its options: none\n" in m.result.err
    assert m.get("MEDIA/UNITS/A.OGG") == text and not m.get("MEDIA/UNITS/B.DAT").startswith(b"\xff\xfe")
    m.unmount()
    m = box.mount(m.map, "text=utf16")
    assert m.get("MEDIA/UNITS/A.OGG") == text and m.get("MEDIA/UNITS/B.DAT").startswith(b"\xff\xfe")
    m.unmount()
