# SPDX-License-Identifier: Zlib
"""diff: what differs between two maps, and nothing else."""
import os
import shutil
import subprocess

import pytest
from PIL import Image

import maps  # first: it says what else can be imported
import places


def run(*args, **kw):
    return subprocess.run([places.BINARY, *args], capture_output=True, timeout=300, **kw)


@pytest.fixture
def pair(box, small):
    """A map, a copy of it, and the copy's tree on disk."""
    other = box.add(small, "other.map")
    tree = os.path.join(box.root, "tree")
    assert run("extract", "-o", "raw=off", small, tree).returncode == 0
    return small, other, tree


def find(tree, ending):
    return sorted(os.path.relpath(os.path.join(b, f), tree) for b, _, fs in os.walk(tree)
                  for f in fs if f.endswith(ending))


@pytest.mark.parametrize("path", maps.each_map(200_000))
def test_a_map_does_not_differ_from_itself(box, path):
    r = run("diff", path, path)
    assert (r.returncode, r.stdout) == (run("ls", path).returncode, b"") or b"cannot" in r.stderr \
        or b"Input/output" in r.stderr


def test_a_text_is_a_unified_diff(pair):
    small, other, tree = pair
    with open(tree + "/info/settings.cfg") as f:
        lines = f.read().splitlines()
    new = ["sv_first 1"] + lines[:-1] + ["sv_last 1"]
    assert run("put", other, "info/settings.cfg", input="\n".join(new).encode() + b"\n").returncode == 0
    r = run("diff", small, other)
    a, b = (os.path.join(tree, n) for n in "ab")
    for name, text in ((a, lines), (b, new)):
        with open(name, "w") as f:
            f.write("\n".join(text) + "\n")
    expected = subprocess.run(["diff", "-U", "3", a, b], capture_output=True).stdout.split(b"\n", 2)[2]
    marked = [line for line in r.stdout.splitlines()[2:]]
    assert r.returncode == 1 and r.stdout.startswith(b"changed info/settings.cfg\n@@ ")
    assert sorted(marked) == sorted(expected.splitlines()[1:])
    assert run("diff", "-q", small, other).stdout == b"changed info/settings.cfg\n"


def test_a_table_is_cells_with_their_rectangle(pair):
    small, other, tree = pair
    path = find(tree, "id.csv")[0]
    with open(os.path.join(tree, path)) as f:
        rows = [line.split(",") for line in f.read().splitlines()]
    cells = [(1, 1), (1, 3), (2, 2)]
    for y, x in cells:
        rows[y][x] = "7" if rows[y][x].strip() != "7" else "8"
    r = run("put", other, path, input="".join(",".join(row) + "\n" for row in rows).encode())
    assert r.returncode == 0, r.stderr
    lines = run("diff", small, other).stdout.decode().splitlines()
    at = lines.index("changed " + path)
    assert lines[at + 1] == " 3 cells, lines 2 to 3, columns 2 to 4"
    for (y, x), line in zip(cells, lines[at + 2:]):
        assert line.startswith(" line %d, column %d: " % (y + 1, x + 1)) and line.endswith(" -> " + rows[y][x])
    assert [line for line in lines if line.startswith(("added", "removed"))] == []


def test_an_image_is_pixels_with_their_rectangle(pair):
    small, other, tree = pair
    path = find(tree, ".png")[0]
    with Image.open(os.path.join(tree, path)) as f:
        image = f.convert("RGBA")
    for xy in ((3, 5), (6, 2)):
        r, g, b, a = image.getpixel(xy)
        image.putpixel(xy, (255 - r, g, b, 255))
    image.save(tree + "/new.png")
    assert run("put", other, path, tree + "/new.png").returncode == 0
    lines = run("diff", small, other).stdout.decode().splitlines()
    assert lines[lines.index("changed " + path) + 1] == " 2 pixels of %d x %d, x 3 to 6, y 2 to 5" % image.size


def test_what_was_added_and_removed_is_named(pair):
    small, other, tree = pair
    image = find(tree, ".png")[-1]
    shutil.copy(os.path.join(tree, image), tree + "/copy.png")
    assert run("put", other, "images/zz_new.png", tree + "/copy.png").returncode == 0
    lines = run("diff", small, other).stdout.decode().splitlines()
    added = [line for line in lines if line.startswith("added images/")]
    assert len(added) == 1 and added[0].endswith("zz_new.png")
    assert [line for line in run("diff", other, small).stdout.decode().splitlines()
            if line.startswith("removed images/")] == [added[0].replace("added", "removed")]


def test_exit_codes_are_those_of_diff(box, small):
    assert run("diff", small, small).returncode == 0
    for args in (["diff", small], ["diff", small, box.add(b"no map", "n.map")],
                 ["diff", small, box.maps + "/none"], ["diff", "-z", small, small]):
        r = run(*args)
        assert r.returncode == 2 and r.stderr.count(b"\n") == 1, args
    assert run("diff", "--help").returncode == 0
