# SPDX-License-Identifier: Zlib
"""Removed files, the list of files that a mod hides, and names with a '%'."""
import os
import shutil

import pytest

from archives import Archive, small_mod, text_dat
from tlbox import sync

NEW = os.O_WRONLY | os.O_CREAT
HIDDEN = "note: .mod/removed.txt: %s in the archive itself and not hidden"


@pytest.mark.parametrize("first", ["list", "file"])
def test_a_new_file_that_the_list_hides_is_saved(box, first):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    os.mkdir(m / "MEDIA/new")
    if first == "file":
        m.put("MEDIA/new/q.txt", b"mine", flags=NEW)
    m.put(".mod/removed.txt", b"MEDIA/NEW/Q.TXT\nMEDIA/GAME.DAT\n")
    if first == "list":
        m.put("MEDIA/new/q.txt", b"mine", flags=NEW)
    assert HIDDEN % "1 of its files is" in m.unmount().out.splitlines()
    a = Archive(m.map)
    assert a.one("MEDIA/NEW/Q.TXT") == b"mine"
    m = box.mount(m.map)
    assert m.get(".mod/removed.txt") == b"MEDIA/GAME.DAT\n"
    m.unmount()


def test_a_directory_that_the_list_names_is_listed_after_the_save(box):
    """Also if its parent was listed before, and the kernel caches the listing."""
    m = box.mount(box.add(small_mod(), "S.MOD"))
    assert "NEW" not in os.listdir(m / "MEDIA") and not os.path.exists(m / "MEDIA/NEW")
    m.put(".mod/removed.txt", b"MEDIA/NEW/Q.TXT\n")
    sync(m)
    assert "NEW" in os.listdir(m / "MEDIA") and os.path.isdir(m / "MEDIA/NEW")
    m.unmount()


def test_a_file_of_the_archive_is_not_hidden(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    text = m.get("MEDIA/README.TXT")
    os.rename(m / "MEDIA/UNITS", m / "MEDIA/U2")
    m.put(".mod/removed.txt", b"MEDIA/README.TXT\nMEDIA/GAME.DAT\nMEDIA/U2/A.DAT\nMEDIA/UNITS/B.DAT\n")
    assert HIDDEN % "2 of its files are" in m.unmount().out.splitlines()
    a = Archive(m.map)
    names = [p + e["name"] for p, es in a.man["dirs"] for e in es if e["type"] != 7]
    assert len(names) == len(set(names))
    assert a.one("MEDIA/README.TXT") == text
    m = box.mount(m.map)
    assert m.get(".mod/removed.txt") == b"MEDIA/GAME.DAT\nMEDIA/UNITS/B.DAT\n"
    m.unmount()


@pytest.mark.parametrize("saved", [False, True])
def test_a_file_that_moves_with_its_directory_is_not_hidden(box, saved):
    """Even if the list had its name since the mount, as for a file that moves alone."""
    m = box.mount(box.add(small_mod(), "S.MOD"))
    os.mkdir(m / "MEDIA/OTHER")
    m.put("MEDIA/OTHER/A.DAT", text_dat("other", 7), flags=NEW)
    m.put(".mod/removed.txt", b"MEDIA/GAME.DAT\nMEDIA/UNITS/A.DAT\n")
    for name in os.listdir(m / "MEDIA/UNITS"):
        os.unlink(m / ("MEDIA/UNITS/" + name))
    m.unmount()
    m = box.mount(m.map)
    assert m.get(".mod/removed.txt") == b"MEDIA/GAME.DAT\nMEDIA/UNITS/A.DAT\n"
    os.rmdir(m / "MEDIA/UNITS")
    if saved:
        sync(m)
    os.rename(m / "MEDIA/OTHER", m / "MEDIA/UNITS")
    m.unmount()
    a = Archive(m.map)
    assert sorted(p for p in a.files if "UNITS" in p) == ["MEDIA/UNITS/A.DAT"]
    names = [p + e["name"] for p, es in a.man["dirs"] for e in es if e["type"] != 7]
    assert len(names) == len(set(names))
    m = box.mount(m.map)
    assert m.get(".mod/removed.txt") == b"MEDIA/GAME.DAT\n"
    assert os.listdir(m / "MEDIA/UNITS") == ["A.DAT"]
    assert m.get("MEDIA/UNITS/A.DAT") == text_dat("other", 7)
    m.unmount()


@pytest.mark.parametrize("saved", [False, True])
def test_a_hidden_and_removed_file_is_hidden(box, saved):
    """A save between the two drops it from the list: there was nothing to hide."""
    m = box.mount(box.add(small_mod(), "S.MOD"))
    m.put(".mod/removed.txt", b"MEDIA/README.TXT\n")
    if saved:
        sync(m)
        assert m.get(".mod/removed.txt") == b""
    os.unlink(m / "MEDIA/README.TXT")
    m.unmount()
    a = Archive(m.map)
    assert "MEDIA/README.TXT" not in a.files
    assert a.removed == ([] if saved else ["MEDIA/README.TXT"])
    m = box.mount(m.map)
    assert m.get(".mod/removed.txt") == (b"" if saved else b"MEDIA/README.TXT\n")
    m.unmount()


def test_names_that_are_equal_in_an_archive_are_one_file(box):
    """As names that differ in case; also after a save, which shows them in one form."""
    files = {"p%q.txt": "MEDIA/p%25q.txt", "pAq.txt": "MEDIA/p%41q.txt", "d%d/x": "MEDIA/d%25d/x"}
    m = box.mount(box.add(small_mod(), "S.MOD"))
    os.mkdir(m / "MEDIA/d%d")
    for name, other in files.items():
        m.put("MEDIA/" + name, name.encode(), flags=NEW | os.O_EXCL)
        assert m.get(other) == name.encode()
        with pytest.raises(FileExistsError):
            m.put(other, b"again", flags=NEW | os.O_EXCL)
    with pytest.raises(FileExistsError):
        os.mkdir(m / "MEDIA/d%25d")
    sync(m)
    for name, other in files.items():
        assert m.get("MEDIA/" + name) == m.get(other) == name.encode()
    m.put("MEDIA/p%25q.txt", b"written")
    box.kill_worker()
    m = box.mount(m.map)
    assert m.get("MEDIA/p%q.txt") == b"written"
    m.unmount()
    a = Archive(m.map)
    assert a.one("MEDIA/P%Q.TXT") == b"written"
    assert a.one("MEDIA/PAQ.TXT") == b"pAq.txt" and a.one("MEDIA/D%D/X") == b"d%d/x"


def test_a_removed_directory_that_the_old_list_named_is_gone(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    m.put(".mod/removed.txt", b"MEDIA/GONE/X.DAT\nMEDIA/OTHER/X.DAT\n")
    m.unmount()
    m = box.mount(m.map)
    os.rmdir(m / "MEDIA/GONE")
    os.rmdir(m / "MEDIA/OTHER")
    m.put(".mod/removed.txt", b"MEDIA/OTHER/X.DAT\n")
    assert sorted(m.unmount().out.splitlines()) == [
        "note: MEDIA/OTHER was emptied, not removed: the map always has it",
        "removed: MEDIA/GONE", "saved: .mod/removed.txt"]
    m = box.mount(m.map)
    assert "GONE" not in os.listdir(m / "MEDIA") and os.listdir(m / "MEDIA/OTHER") == []
    m.unmount()


def test_a_removed_directory_that_a_new_list_names_exists(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    m.put(".mod/removed.txt", b"")
    sync(m)
    m.put(".mod/removed.txt", b"MEDIA/UNITS/GAME.DAT\n")
    shutil.rmtree(m / "MEDIA/UNITS")
    lines = m.unmount().out.splitlines()
    assert "removed: MEDIA/UNITS" not in lines
    assert "note: MEDIA/UNITS was emptied, not removed: the map always has it" in lines
    m = box.mount(m.map)
    assert os.listdir(m / "MEDIA/UNITS") == []
    m.unmount()


def test_a_removed_directory_that_only_the_new_list_names_exists(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    os.mkdir(m / "MEDIA/X")
    m.unmount()
    m = box.mount(m.map)
    m.put(".mod/removed.txt", b"MEDIA/X/GAME.DAT\n")
    os.rmdir(m / "MEDIA/X")
    assert sorted(m.unmount().out.splitlines()) == [
        "note: MEDIA/X was emptied, not removed: the map always has it", "saved: .mod/removed.txt"]
    m = box.mount(m.map)
    assert os.listdir(m / "MEDIA/X") == []
    m.unmount()


def test_files_removed_with_a_recreated_directory_are_reported(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    shutil.rmtree(m / "MEDIA/UNITS")
    os.makedirs(m / "MEDIA/UNITS/SUB")
    m.put("MEDIA/UNITS/B.DAT", text_dat("new"), flags=os.O_WRONLY | os.O_CREAT)
    assert sorted(m.unmount().out.splitlines()) == [
        "note: the former MEDIA/UNITS was removed", "saved: MEDIA/UNITS"]
    assert set(Archive(m.map).files) == {"MEDIA/README.TXT", "MEDIA/EMPTY.OGG", "MEDIA/UNITS/B.DAT"}


@pytest.mark.parametrize("whole", [False, True])
def test_a_removed_list_is_empty_and_the_header_stays(box, whole):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    m.put(".mod/removed.txt", b"MEDIA/GAME.DAT\n")
    m.unmount()
    m = box.mount(m.map)
    header = m.get(".mod/info.json")
    os.unlink(m / ".mod/removed.txt")
    os.unlink(m / ".mod/info.json")
    if whole:
        os.rmdir(m / ".mod")
    m.result = box.run("-u", m.point)
    assert m.result.code == 5
    assert m.result.out.splitlines() == [
        "note: .mod/info.json was not removed: it is required",
        "note: .mod/removed.txt was removed, and is empty now: the map still has one"]
    m = box.mount(m.map)
    assert m.get(".mod/removed.txt") == b"" and m.get(".mod/info.json") == header
    m.unmount()


@pytest.mark.parametrize("listed", ["HID/X.DAT", "HID/SUB/X.DAT"])
def test_a_directory_in_place_of_a_listed_one_survives_a_kill(box, listed):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    m.put(".mod/removed.txt", b"MEDIA/%s\n" % listed.encode())
    sync(m)  # a directory with the subdirectories that the list names
    if "SUB" in listed:
        os.rmdir(m / "MEDIA/HID/SUB")
    os.rename(m / "MEDIA/UNITS", m / "MEDIA/HID")
    os.mkdir(m / "MEDIA/UNITS")
    box.kill_worker()
    m = box.mount(m.map)
    assert "cannot replay" not in m.result.err
    assert sorted(os.listdir(m / "MEDIA/HID")) == ["A.DAT", "B.DAT", "PIC.JPG"]
    assert os.listdir(m / "MEDIA/UNITS") == []
    assert {"saved: MEDIA/HID", "saved: MEDIA/UNITS"} <= set(m.unmount().out.splitlines())
    a = Archive(m.map)
    assert {"MEDIA/HID/A.DAT", "MEDIA/HID/B.DAT", "MEDIA/HID/PIC.JPG"} <= set(a.files)
    assert a.removed == ["MEDIA/" + listed]


@pytest.mark.parametrize("listed", ["OUT/HID/X.DAT", "OUT/HID/SUB/X.DAT"])
def test_a_moved_and_removed_directory_stays_gone_although_the_list_names_a_subdirectory(box, listed):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    os.mkdir(m / "MEDIA/OUT")
    m.put(".mod/removed.txt", b"MEDIA/%s\n" % listed.encode())
    sync(m)
    assert os.listdir(m / "MEDIA/OUT") == ["HID"]
    os.rename(m / "MEDIA/OUT", m / "MEDIA/AWAY")
    shutil.rmtree(m / "MEDIA/AWAY")
    there = sorted(os.listdir(m / "MEDIA"))
    box.kill_worker()
    m = box.mount(m.map)
    assert "cannot replay" not in m.result.err
    assert sorted(os.listdir(m / "MEDIA")) == there
    m.unmount()
    assert Archive(m.map).removed == ["MEDIA/" + listed]
