# SPDX-License-Identifier: Zlib
"""Trees on disk with other names than the files of a map, and extract onto an existing tree."""
import os
import subprocess

import pytest

import archives
import places
from box import get
from maps import good, run


def write_files(top, files):
    for name, data in files.items():
        os.makedirs(os.path.dirname(os.path.join(top, name)), exist_ok=True)
        with open(os.path.join(top, name), "wb") as f:
            f.write(data)
    return top


@pytest.fixture
def tree(box):
    return os.path.join(box.root, "tree")


def test_exact_keeps_files_whose_names_differ_in_case(box, tree):
    write_files(tree, {"media/readme.txt": b"new\n", "Media/Units/a.dat": archives.text_dat("a")})
    mod = box.add(archives.small_mod(), "S.MOD")
    r = run("pack", "--exact", tree, "--onto", mod)
    assert r.returncode == 5 and b".mod/info.json" in r.stderr, r  # every mod has one
    files = archives.Archive(mod).files
    assert sorted(files) == ["MEDIA/README.TXT", "MEDIA/UNITS/A.DAT"]
    assert files["MEDIA/README.TXT"] == [b"new\n"]


def test_two_files_with_one_folded_name_are_refused(box, tree):
    write_files(tree, {"MEDIA/A.TXT": b"one\n", "media/b.txt": b"two\n", "MEDIA/a.txt": b"three\n"})
    new = os.path.join(box.maps, "new.mod")
    r = run("pack", tree, new)
    assert r.returncode == 4 and not os.path.exists(new)
    assert os.fsdecode(r.stderr) == "mapfs: %s/MEDIA/a.txt: has the same path in the map as MEDIA/A.TXT\n" % tree
    os.unlink(tree + "/MEDIA/a.txt")
    box.allow("new.mod")
    good("pack", tree, new)
    assert archives.Archive(new).files == {"MEDIA/A.TXT": [b"one\n"], "MEDIA/B.TXT": [b"two\n"]}


def test_a_name_that_no_archive_can_hold_is_refused(box, tree):
    write_files(tree, {"MEDIA/A.TXT": b"1\n"})
    with open(os.fsencode(tree) + b"/MEDIA/\xff.TXT", "wb") as f:
        f.write(b"2\n")
    r = run("pack", tree, os.path.join(box.maps, "new.mod"))
    assert (r.returncode, r.stderr) == (
        4, b"mapfs: " + os.fsencode(tree) + b"/MEDIA/?.TXT: name is not UTF-8\n")


def test_every_ignored_file_is_reported(box, tree):
    """Also editors' own files: in a mount they can still be read, after pack they are gone."""
    write_files(tree, {"MEDIA/A.TXT": b"1\n", "MEDIA/A.TXT~": b"2\n", "MEDIA/.A.TXT.Ab3dEf": b"3\n", "MEDIA/old~/x.txt": b"4\n",
                "MEDIA/B.DAT": archives.text_dat("b"), "MEDIA/B.DAT.BINDAT": b"5", "MEDIA/C.DAT.BINDAT": b"6"})
    new = os.path.join(box.maps, "new.mod")
    box.allow("new.mod")
    r = run("pack", tree, new, text=True)
    left = [".A.TXT.Ab3dEf", "A.TXT~", "C.DAT.BINDAT", "old~/x.txt"]
    assert (r.returncode, r.stderr.splitlines()) == (5, [
        "mapfs: %s/MEDIA/%s: ignored: not part of a map" % (tree, name) for name in left] + [
        "mapfs: %s: 1 file ignored: made from other files of the map (MEDIA/B.DAT.BINDAT)" % tree])
    for name in left:
        before = get(new)
        r = run("put", new, "MEDIA/" + name, input=b"x")
        assert r.returncode == 4 and b"MEDIA/" + os.fsencode(name) in r.stderr and get(new) == before, r


def test_the_ignored_form_of_an_image_is_reported(box, small, tree):
    """Of two forms with one name, the later one in the order of names is the image."""
    png = next(n for n in good("ls", small, "images", text=True).stdout.split() if n.endswith(".png"))
    write_files(tree, {"images/77_x.png": good("cat", small, "images/" + png).stdout,
                "images/77_x.json": b'{"external": 1, "width": 8, "height": 8}'})
    r = run("pack", tree, "--onto", small, text=True)
    assert (r.returncode, r.stderr) == (
        5, "mapfs: %s/images/77_x.json: ignored: another file has its place\n" % tree)
    assert good("ls", small, "images", text=True).stdout.split()[-1].endswith("_x.png")


def test_exact_empties_a_missing_list_of_removed_files(box, tree):
    mod = box.add(archives.small_mod(), "S.MOD")
    good("put", mod, ".mod/removed.txt", input=b"MEDIA/GAME.DAT\n")
    good("extract", mod, tree)
    os.unlink(tree + "/.mod/removed.txt")
    good("pack", tree, "--onto", mod)
    assert good("cat", mod, ".mod/removed.txt").stdout == b"MEDIA/GAME.DAT\n"
    r = good("pack", "-v", "--exact", tree, "--onto", mod)
    assert r.stdout == b"" and b"note: .mod/removed.txt was emptied, not removed" in r.stderr, r
    assert good("cat", mod, ".mod/removed.txt").stdout == b""


@pytest.mark.parametrize("exact", ([], ["--exact"]), ids=("", "exact"))
def test_an_extracted_tree_packs_without_changes(box, tree, exact):
    """Also if files have no time of their own, and are extracted with the archive's."""
    mod = box.add(archives.small_mod(), "S.MOD")
    before = get(mod)
    good("extract", mod, tree)
    r = good("pack", "-v", *exact, tree, "--onto", mod)
    assert (r.stdout, r.stderr) == (b"", b"") and get(mod) == before
    os.utime(tree + "/MEDIA/README.TXT", (1600000000, 1600000000))
    assert good("pack", "-v", *exact, tree, "--onto", mod).stdout == b"saved: MEDIA/README.TXT\n"


def test_extract_does_not_overwrite_its_map(box, tree):
    mod = box.add(archives.small_mod(), "S.MOD")
    before = get(mod)
    os.makedirs(tree + "/MEDIA")
    os.link(mod, tree + "/MEDIA/README.TXT")
    r = run("extract", mod, tree)
    assert r.returncode == 2 and b"MEDIA/README.TXT: is the map itself" in r.stderr, r
    assert get(mod) == before
    assert get(tree + "/MEDIA/UNITS/A.DAT") == good("cat", mod, "MEDIA/UNITS/A.DAT").stdout


@pytest.mark.skipif(not os.path.isdir(places.CORPUS + "/crafted"), reason=places.NO_SHARED)
def test_an_unreadable_file_leaves_the_existing_one(box, tree):
    damaged = box.add(places.CORPUS + "/crafted/b05_data_size_too_big.map")
    r = run("extract", "-o", "raw=off", damaged, tree)
    assert r.returncode == 2 and b"images/0_p.png: Input/output error" in r.stderr
    assert os.listdir(tree + "/images") == []
    write_files(tree, {"images/0_p.png": b"an earlier one"})
    assert run("extract", "-o", "raw=off", damaged, tree).returncode == 2
    assert get(tree + "/images/0_p.png") == b"an earlier one"


def test_a_map_with_read_only_permissions_is_extracted_again(box, small, tree):
    os.chmod(small, 0o444)
    good("extract", small, tree)
    mode = os.stat(tree + "/info").st_mode
    assert mode & 0o222 == 0
    os.chmod(tree + "/info", 0o755)
    os.chmod(tree + "/info/author", 0o644)
    write_files(tree, {"info/author": b"other"})
    os.chmod(tree + "/info", mode)
    r = run("extract", small, tree)
    assert (r.returncode, r.stderr) == (0, b"")
    assert get(tree + "/info/author") == good("cat", small, "info/author").stdout
    assert os.stat(tree + "/info").st_mode == mode


def test_extract_continues_after_a_directory_that_cannot_be_made(box, tree):
    mod = box.add(archives.small_mod(), "S.MOD")
    write_files(tree, {"MEDIA/zz/z.txt": b"z"})
    good("pack", tree, "--onto", mod)
    out = write_files(tree + "/out", {"MEDIA/UNITS": b"stands in the way"})
    r = run("extract", mod, out)
    assert r.returncode == 2 and b"MEDIA/UNITS" in r.stderr
    assert get(out + "/MEDIA/ZZ/Z.TXT") == b"z"


def test_a_full_disk_is_reported_once(box, tree, root):
    write_files(tree, {"MEDIA/%03d.TXT" % i: os.urandom(4000) for i in range(100)})
    disk = os.path.join(box.root, "disk")
    os.mkdir(disk)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "none", disk], check=True)
    try:
        r = run("pack", tree, disk + "/new.mod", text=True)
        assert (r.returncode, r.stderr) == (4, "mapfs: %s/new.mod: No space left on device\n" % disk)
        assert os.listdir(disk) == []
    finally:
        subprocess.run(["umount", "-l", disk], check=True)
