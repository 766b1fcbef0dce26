# SPDX-License-Identifier: Zlib
"""mapfs pack of a directory on disk into an archive; and names with backslashes, which old zip programs write."""
import errno
import os
import subprocess

import pytest

import box as boxes
import places
import tlwrite
from archives import Archive, dat, small_mod, text_dat
from test_index import write_sources

NEW = os.O_WRONLY | os.O_CREAT
WHY = "the game cannot find a name with a backslash"


def run_mapfs(*args, code=0):
    """Run mapfs; returns the lines of stderr."""
    r = subprocess.run([places.BINARY, *map(str, args)], capture_output=True, text=True, timeout=60)
    assert r.returncode == code, (r.stdout, r.stderr)
    return r.stderr.splitlines()


def pack_dir(box, name="NEW.MOD"):
    box.allow(name, name + ".MAN")
    return os.path.join(box.maps, name)


ZIPPED = {"MEDIA/UNITS\\ITEMS\\S.DAT": text_dat("s"), "media\\units\\items\\t.dat": text_dat("t"), "MEDIA/A\\B/X.OGG": "x",
          "MEDIA\\EMPTY\\": "", "MEDIA/PLAIN.OGG": "p"}
PATHS = {"MEDIA/UNITS/ITEMS/S.DAT", "MEDIA/UNITS/ITEMS/T.DAT", "MEDIA/A/B/X.OGG", "MEDIA/PLAIN.OGG"}


@pytest.mark.parametrize("name", ["NEW.MOD", "NEW.PAK"])
def test_pack_turns_backslashes_into_paths(box, name):
    top, new = write_sources(box, ZIPPED), pack_dir(box, name)
    assert "mapfs: %s: 4 names with backslashes are paths in the map (MEDIA/A\\B)" % top in run_mapfs("pack", top, new)
    a = Archive(new, new + ".MAN" if name.endswith("PAK") else None)
    assert set(a.files) == PATHS and ("MEDIA/", "EMPTY/") in {
        (p, e["name"]) for p, es in a.man["dirs"] for e in es if e["type"] == 7}


def test_pack_exact_keeps_files_named_with_backslashes(box):
    top, new = write_sources(box, ZIPPED), pack_dir(box)
    run_mapfs("pack", top, new)
    for path in ("MEDIA/EMPTY/GONE.OGG", "MEDIA/UNITS/GONE.OGG", "MEDIA/OLD/GONE.OGG"):
        run_mapfs("put", new, path, top / "MEDIA/PLAIN.OGG")
    before = Archive(new).files
    assert len(before) == len(PATHS) + 3
    run_mapfs("pack", "--exact", top, "--onto", new, code=5)  # the directory lacks .mod/info.json
    assert Archive(new).files == {p: before[p] for p in PATHS}
    assert b"EMPTY\n" in subprocess.check_output([places.BINARY, "ls", new, "MEDIA"])


def test_backslashes_that_make_no_path_are_refused(box):
    for name, why in (("MEDIA/..\\..\\X.OGG", "name is not a valid path in a map"), ("MEDIA/X\\", "Is a directory")):
        top, new = write_sources(box, {name: "x"}), pack_dir(box)
        reported = run_mapfs("pack", top, new, code=4)
        assert "mapfs: %s/%s: %s" % (top, name, why) in reported and not os.path.exists(new)
        os.unlink(top / name)


def test_two_names_of_one_path_are_refused(box):
    top = write_sources(box, {"MEDIA/A/X.OGG": "1", "MEDIA/A\\X.OGG": "2"})
    assert "mapfs: %s/MEDIA/A\\X.OGG: has the same path in the map as MEDIA/A/X.OGG" % top in run_mapfs("pack", top, pack_dir(box), code=4)


def test_a_mount_refuses_new_names_with_a_backslash(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    before = boxes.get(m.map)
    for path in ("MEDIA/UNITS\\S.DAT", "MEDIA/A%5CB.OGG", "MEDIA\\UNITS\\S.DAT"):
        assert boxes.refused(os.open, m / path, NEW) == errno.EINVAL
        assert boxes.refused(os.mkdir, m / path) == errno.EINVAL
        # EINVAL of rename(2) would mean that a directory is moved into itself.
        assert boxes.refused(os.rename, m / "MEDIA/UNITS/A.DAT", m / path) == errno.EPERM
        assert boxes.refused(os.rename, m / "MEDIA/UNITS", m / path) == errno.EPERM
    m.unmount()
    for path in ("MEDIA/UNITS\\S.DAT", "MEDIA/A\\B/S.DAT", "MEDIA\\S.DAT"):
        assert run_mapfs("put", m.map, path, write_sources(box, ZIPPED) / "MEDIA/PLAIN.OGG", code=4) == [
            "mapfs: %s: %s: %s" % (m.map, path, WHY)]
        assert run_mapfs("mv", m.map, "MEDIA/UNITS/A.DAT", path, code=2)[-1].endswith(": " + WHY) or "/S.DAT" in path
    assert boxes.get(m.map) == before


def test_entries_with_backslashes_stay_visible_and_writable(box):
    files = [("MEDIA/", "UNITS\\S.DAT", dat("s"), False), ("MEDIA/A\\B/", "X.OGG", b"x", False)]
    m = box.mount(box.add(tlwrite.mod(files), "S.MOD"))
    assert m.get("MEDIA/UNITS\\S.DAT") == text_dat("s") and m.get("MEDIA/A\\B/X.OGG") == b"x"
    m.put("MEDIA/UNITS\\S.DAT", text_dat("s", 2))
    m.put("MEDIA/.X.tmp", b"y", flags=NEW)  # as editors save
    os.rename(m / "MEDIA/.X.tmp", m / "MEDIA/A\\B/X.OGG")
    m.put("MEDIA/A\\B/N.OGG", b"n", flags=NEW)
    m.unmount()
    assert set(Archive(m.map).files) == {"MEDIA/UNITS\\S.DAT", "MEDIA/A\\B/X.OGG", "MEDIA/A\\B/N.OGG"}
    m = box.mount(m.map)
    assert m.get("MEDIA/UNITS\\S.DAT") == text_dat("s", 2) and m.get("MEDIA/A\\B/X.OGG") == b"y"
    os.mkdir(m / "MEDIA/UNITS")
    os.rename(m / "MEDIA/UNITS\\S.DAT", m / "MEDIA/UNITS/S.DAT")
    os.rename(m / "MEDIA/A\\B", m / "MEDIA/B")
    m.unmount()
    assert set(Archive(m.map).files) == {"MEDIA/UNITS/S.DAT", "MEDIA/B/X.OGG", "MEDIA/B/N.OGG"}


KITS = ["a.cmp", "A.Thumbnail.png", "b.xls", "c.xml", "d.max", "e.mpd", "f.lnk", "g.log", "Thumbs.db", "h.psd"]


def test_pack_ignores_files_that_the_kit_ignores(box):
    others = {"MEDIA/A.PNG": "1", "MEDIA/E.MPP": "2", "MEDIA/X.XMLX": "3", "MEDIA/D.DDS": "4"}
    top, new = write_sources(box, {**{"MEDIA/" + n: n for n in KITS}, **others, "MEDIA/UNITS\\i.psd": "5"}), pack_dir(box)
    assert run_mapfs("pack", top, new) == [
        "mapfs: %s: 11 files ignored: the game's own tool does not pack them; use --all to pack them (MEDIA/a.cmp)" % top]
    assert set(Archive(new).files) == set(others)
    run_mapfs("pack", "--exact", "--all", top, "--onto", new, code=5)
    assert set(Archive(new).files) == {"MEDIA/" + n.upper() for n in KITS} | set(others) | {"MEDIA/UNITS/I.PSD"}
    # The archive equals a newly packed one.
    run_mapfs("pack", "--exact", top, "--onto", new, code=5)
    assert set(Archive(new).files) == set(others)
