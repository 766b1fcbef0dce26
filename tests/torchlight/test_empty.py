# SPDX-License-Identifier: Zlib
"""Directories without files: an archive names a directory by its content, or by an entry for it."""
import os
import shutil

import pytest

import box as boxes
import tlwrite
from archives import Archive
from tlbox import sync

DIR = 7


def mod(records):
    """An archive of records [(directory, [file or "directory/"])]; each file's content is its name."""
    pak = tlwrite.Pak()
    out, total = [], 0
    for path, names in records:
        out.append((path, [tlwrite.entry(n, kind=DIR) if n.endswith("/") else
                           tlwrite.entry(n, pak.add(n.encode()), n.encode(), time=1) for n in names]))
        files = sum(not n.endswith("/") for n in names)
        total += files + (path.count("/") if files else 0)
    section = pak.finish()
    return tlwrite.modheader(len(section)) + section + tlwrite.manifest(out, total=total)


STYLES = {
    "no entries of directories": [("MEDIA/", ["F.TXT"]), ("MEDIA/A/DEEP/", ["G.TXT"]), ("MEDIA/B/", ["H.TXT"])],
    "one of another": [("MEDIA/", ["F.TXT", "HOLLOW/"]), ("MEDIA/A/DEEP/", ["G.TXT"]), ("MEDIA/B/", ["H.TXT"])],
    "the game's": [("", ["MEDIA/"]), ("MEDIA/", ["F.TXT"]), ("MEDIA/A/DEEP/", ["G.TXT"]),
                   ("MEDIA/B/", ["H.TXT"]), ("MEDIA/", ["A/", "B/"]), ("MEDIA/A/", ["DEEP/"])],
}


@pytest.fixture(params=STYLES)
def mount(request, box):
    return box.mount(box.add(mod(STYLES[request.param]), "S.MOD"))


def remount_and_list(box, m):
    """Save the mount and check the archive; returns the directories and files that a new mount shows."""
    m.unmount()
    Archive(m.map)
    m = box.mount(m.map)
    files, all_dirs = m.walk()
    m.unmount()
    return {d.decode() for d in all_dirs} - {"", "MEDIA", ".mod", "MEDIA/HOLLOW"}, {
        f.decode() for f in files} - {".mod/info.json", ".mod/removed.txt"}


def test_a_directory_stays_without_its_last_file(box, mount):
    os.unlink(mount / "MEDIA/B/H.TXT")
    sync(mount)
    os.unlink(mount / "MEDIA/A/DEEP/G.TXT")
    assert remount_and_list(box, mount) == ({"MEDIA/A", "MEDIA/A/DEEP", "MEDIA/B"}, {"MEDIA/F.TXT"})


def test_a_directory_stays_when_its_files_move_away(box, mount):
    os.rename(mount / "MEDIA/B/H.TXT", mount / "MEDIA/A/H.TXT")
    os.rename(mount / "MEDIA/A/DEEP/G.TXT", mount / "MEDIA/A/G.TXT")
    assert remount_and_list(box, mount) == ({"MEDIA/A", "MEDIA/A/DEEP", "MEDIA/B"},
                                {"MEDIA/F.TXT", "MEDIA/A/H.TXT", "MEDIA/A/G.TXT"})


@pytest.mark.parametrize("how", ["moved", "removed"])
def test_a_directory_stays_without_its_subdirectory(box, mount, how):
    if how == "moved":
        os.rename(mount / "MEDIA/A/DEEP", mount / "MEDIA/DEEP")
        assert remount_and_list(box, mount) == ({"MEDIA/A", "MEDIA/B", "MEDIA/DEEP"},
                                    {"MEDIA/F.TXT", "MEDIA/B/H.TXT", "MEDIA/DEEP/G.TXT"})
    else:
        shutil.rmtree(mount / "MEDIA/A/DEEP")
        assert remount_and_list(box, mount) == ({"MEDIA/A", "MEDIA/B"}, {"MEDIA/F.TXT", "MEDIA/B/H.TXT"})


def test_an_empty_directory_moves_with_its_parent(box, mount):
    os.unlink(mount / "MEDIA/A/DEEP/G.TXT")
    os.rename(mount / "MEDIA/A", mount / "MEDIA/B/C")
    assert remount_and_list(box, mount) == ({"MEDIA/B", "MEDIA/B/C", "MEDIA/B/C/DEEP"}, {"MEDIA/F.TXT", "MEDIA/B/H.TXT"})


def test_a_removed_directory_is_not_in_the_archive(box, mount):
    shutil.rmtree(mount / "MEDIA/A")
    shutil.rmtree(mount / "MEDIA/B")
    assert remount_and_list(box, mount) == (set(), {"MEDIA/F.TXT"})


def test_an_archive_without_files_keeps_its_directories(box, mount):
    for name in ("F.TXT", "A/DEEP/G.TXT", "B/H.TXT"):
        os.unlink(mount / ("MEDIA/" + name))
    assert remount_and_list(box, mount) == ({"MEDIA/A", "MEDIA/A/DEEP", "MEDIA/B"}, set())


@pytest.mark.parametrize("empty", [[("MEDIA/", ["F.TXT", "E/"])], [("MEDIA/", ["F.TXT"]), ("MEDIA/E/", [])],
                                   [("MEDIA/", ["F.TXT", "D/E/"])]])
def test_an_empty_directory_of_the_archive_is_kept(box, empty):
    m = box.mount(box.add(mod(empty), "S.MOD"))
    m.put("MEDIA/F.TXT", b"new")
    m.unmount()
    m = box.mount(m.map)
    where = "MEDIA/D" if "D" in os.listdir(m / "MEDIA") else "MEDIA"
    assert os.listdir(m / where + "/E") == []
    os.rename(m / where + "/E", m / where + "/E2")
    m.unmount()
    m = box.mount(m.map)
    assert "E" not in os.listdir(m / where) and os.listdir(m / where + "/E2") == []
    os.rmdir(m / where + "/E2")
    assert m.unmount().out == "removed: %s/E2\n" % where
    m = box.mount(m.map)
    assert not {"E", "E2"} & set(os.listdir(m / where)) and boxes.get(m / "MEDIA/F.TXT") == b"new"
    m.unmount()
