# SPDX-License-Identifier: Zlib
"""diff: what differs between two maps, and nothing else."""
import os
import random
import re
import shutil
import subprocess

import pytest
from PIL import Image

import maps  # first: it says what else can be imported
import archives
import datafile
from maps import run


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


def patched(old, hunks):
    """What patch(1) makes of a text, strictly: each line that is taken stands where the hunk says."""
    lines, out, at = old.splitlines(True), [], 0
    marked = [[m[:1], m[1:] + b"\n"] for m in hunks.split(b"\n")[:-1]]
    for before, after in zip(marked, marked[1:]):
        if after[0] == b"\\":
            before[1] = before[1][:-1]
    left = [0, 0]
    for mark, text in marked:
        if mark == b"@":
            assert left == [0, 0]
            ranges = re.fullmatch(rb"@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n", text).groups()
            (a, left[0]), (b, left[1]) = ((int(at), int(n or 1)) for at, n in (ranges[:2], ranges[2:]))
            a, b = a - (left[0] > 0), b - (left[1] > 0)
            out += lines[at:a]
            at = a
            assert len(out) == b
        elif mark in b" -":
            assert lines[at] == text
            out += [text] * (mark == b" ")
            at += 1
            left = [left[0] - 1, left[1] - (mark == b" ")]
        elif mark == b"+":
            out.append(text)
            left[1] -= 1
    assert left == [0, 0]
    return b"".join(out + lines[at:])


@pytest.mark.parametrize("seed", range(12))
def test_hunks_of_any_two_texts_make_one_of_the_other(box, seed):
    """Far apart, at both ends, of nothing, and with or without an end of the last line."""
    rnd = random.Random(seed)

    def text(of=()):
        lines = list(of) or [b"%d" % rnd.randrange(9) for _ in range(rnd.choice((0, 1, 7, 60, 6000)))]
        for _ in range(rnd.choice((0, 1, 2, 9)) if of else 0):
            at = rnd.randrange(len(lines) + 1)
            lines[at:at + rnd.randrange(3)] = [b"new %d" % rnd.randrange(9)] * rnd.randrange(3)
        return lines

    old = text()
    texts = [b"\n".join(t) + b"\n" * (bool(t) and rnd.random() < 0.7) for t in (old, text(old))]
    mods = [box.add(archives.small_mod(), name) for name in ("a.MOD", "b.MOD")]
    for mod, content in zip(mods, texts):
        assert run("put", mod, "MEDIA/README.TXT", input=content).returncode == 0
    for i, j in ((0, 1), (1, 0)):
        r = run("diff", mods[i], mods[j])
        head, hunks = r.stdout.split(b"\n", 1) if r.stdout else (b"", b"")
        assert r.returncode == (texts[0] != texts[1]) and head in (b"", b"changed MEDIA/README.TXT")
        assert patched(texts[i], hunks) == texts[j]
        assert hunks.count(b"\n") < 300 or len(old) < 300


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


def made(box, name, layers, images=(b"one", b"two"), groups=None):
    """A map of named layers, each (name, tile, image's name or None); groups: how many layers each has."""
    b = datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    b.info(settings=[b"sv_x 1"])
    for image in images:
        b.image(image, 16, 16, image.ljust(4, b".")[:4] * 256)
    b.tiles(4, 3, bytes(48), flags=1, name="Game")
    for layer, tile, image in layers:
        b.tiles(4, 3, bytes([tile, 0, 0, 0]) * 12, image=-1 if image is None else images.index(image), name=layer)
    at = 0
    for group, n in groups or [("Game", len(layers) + 1)]:
        b.group(at, n, group)
        at += n
    b.add(datafile.ENVPOINTS, [])
    return box.add(b.encode(), name)


LAYERS = [("a", 1, b"one"), ("b", 2, b"two"), ("c", 3, None)]
AT = "groups/0_Game/layers/"


def lines(*args):
    r = run("diff", *args)
    assert r.stderr == b"", r.stderr
    assert r.returncode == (1 if r.stdout else 0)
    return r.stdout.decode().splitlines()


def test_a_layer_that_was_inserted_is_all_that_differs(box):
    one = made(box, "one.map", LAYERS)
    two = made(box, "two.map", [("new", 9, None)] + LAYERS)
    assert lines(one, two) == ["added " + AT + "1_new/"]
    assert lines(two, one) == ["removed " + AT + "1_new/"]


def test_an_image_in_front_of_others_changes_no_layer(box):
    """Layers name it by another number, and mean the same."""
    one = made(box, "one.map", LAYERS)
    two = made(box, "two.map", LAYERS, (b"zero", b"one", b"two"))
    assert lines(one, two) == ["added images/0_zero.png"]
    assert lines(two, one) == ["removed images/0_zero.png"]


def test_a_layer_that_moved_is_that_one(box):
    one = made(box, "one.map", LAYERS)
    two = made(box, "two.map", [LAYERS[2], LAYERS[0], LAYERS[1]])
    assert lines(one, two) == ["moved " + AT + "3_c -> " + AT + "1_c"]
    assert lines(two, one) == ["moved " + AT + "1_c -> " + AT + "3_c"]


def test_a_group_that_moved_is_not_removed_and_added(box):
    groups = [("Game", 2), ("x", 1), ("y", 1)]
    one = made(box, "one.map", LAYERS, groups=groups)
    two = made(box, "two.map", [LAYERS[0], LAYERS[2], LAYERS[1]], groups=[groups[0], groups[2], groups[1]])
    assert lines(one, two) in (["moved groups/1_x -> groups/2_x"], ["moved groups/2_y -> groups/1_y"])


def test_a_layer_that_went_to_another_group_moved(box):
    one = made(box, "one.map", LAYERS, groups=[("Game", 3), ("x", 1)])
    two = made(box, "two.map", LAYERS, groups=[("Game", 2), ("x", 2)])
    assert lines(one, two) == ["moved " + AT + "2_b -> groups/1_x/layers/0_b"]
    assert lines(two, one) == ["moved groups/1_x/layers/0_b -> " + AT + "2_b"]
    # And changed: the third of its rows is another one.
    changed = made(box, "changed.map", [LAYERS[0], ("b", 2, b"one"), LAYERS[2]], groups=[("Game", 2), ("x", 2)])
    told = lines(one, changed)
    assert told[:2] == ["moved " + AT + "2_b -> groups/1_x/layers/0_b", "changed groups/1_x/layers/0_b/layer.json"]


def test_of_two_that_went_to_another_group_none_is_guessed(box):
    """Layers of one name might be either."""
    twins = [("b", 1, None), ("b", 1, None), LAYERS[2]]
    one = made(box, "one.map", twins, groups=[("Game", 3), ("x", 1)])
    two = made(box, "two.map", twins, groups=[("Game", 1), ("x", 3)])
    assert sorted(line.split()[0] for line in lines(one, two)) == ["added", "added", "removed", "removed"]


def test_a_layer_with_another_name_was_renamed(box):
    one = made(box, "one.map", LAYERS)
    two = made(box, "two.map", [LAYERS[0], ("other", 2, b"two"), LAYERS[2]])
    assert lines(one, two) == ["renamed " + AT + "2_b -> " + AT + "2_other"]


def test_what_moved_and_changed_is_both(box):
    one = made(box, "one.map", LAYERS)
    two = made(box, "two.map", [("c", 7, None), LAYERS[0], LAYERS[1]])
    assert lines(one, two)[:3] == ["moved " + AT + "3_c -> " + AT + "1_c", "changed " + AT + "1_c/id.csv",
                                   " 12 cells, lines 1 to 3, columns 1 to 4"]


def test_another_image_of_a_layer_is_a_change(box):
    one = made(box, "one.map", LAYERS)
    two = made(box, "two.map", [("a", 1, b"two")] + LAYERS[1:])
    told = lines(one, two)
    assert told[0] == "changed " + AT + "1_a/layer.json"
    assert [line.strip() for line in told if line[0] in "-+"] == ['-  "image": "0_one",', '+  "image": "1_two",']


def test_pictures_show_what_changed(box, pair):
    small, other, tree = pair
    path = find(tree, ".png")[0]
    with Image.open(os.path.join(tree, path)) as f:
        image = f.convert("RGBA")
    old, (w, h) = image.copy(), image.size
    image.putpixel((3, 5), (1, 2, 3, 255))
    image.save(tree + "/new.png")
    assert run("put", other, path, tree + "/new.png").returncode == 0
    into = os.path.join(box.root, "pictures")
    r = run("diff", "--images", into, small, other)
    assert r.returncode == 1 and sorted(os.listdir(into)) == sorted([path.replace("/", "-"), "map.png"])
    with Image.open(os.path.join(into, path.replace("/", "-"))) as f:
        told = f.convert("RGBA")
    step = (told.size[0] - w) // 2
    assert told.size == (3 * w + 2 * (step - w), h)
    panels = [told.crop((k * step, 0, k * step + w, h)) for k in range(3)]
    assert panels[0].tobytes() == old.tobytes() and panels[1].tobytes() == image.tobytes()
    red = [(x, y) for y in range(h) for x in range(w) if panels[2].getpixel((x, y)) == (255, 0, 0, 255)]
    assert red == [(3, 5)]
    # Nothing is written over.
    r = run("diff", "--images", into, small, other)
    assert r.returncode == 2
    assert r.stderr.decode().splitlines() == [
        "mapfs: %s: cannot be written: File exists" % name for name in (path.replace("/", "-"), "map.png")]
    assert run("diff", "--images", os.path.join(box.root, "none", "x"), small, other).returncode == 2
    assert run("diff", "--images", os.path.join(box.root, "empty"), small, small).returncode == 0


def test_images_of_other_sides_are_told_by_them(pair):
    small, other, tree = pair
    path = find(tree, ".png")[0]
    with Image.open(os.path.join(tree, path)) as f:
        size = f.size
    Image.new("RGBA", (32, 48), (1, 2, 3, 255)).save(tree + "/new.png")
    assert run("put", other, path, tree + "/new.png").returncode == 0
    told = lines(small, other)
    assert told[told.index("changed " + path) + 1] == " %d x %d pixels -> 32 x 48" % size


def test_a_fixed_map_shows_that_nothing_else_was_touched(box, small):
    """What differs between two saves is what was edited, whatever numbers objects got."""
    other = box.add(small, "other.map")
    group = run("ls", small, "groups").stdout.decode().split()[0]
    r = run("mv", other, "groups/%s/layers/1_ground" % group, "groups/%s/layers/0_ground" % group)
    assert r.returncode == 0, r
    assert len(lines(small, other)) == 1 and lines(small, other)[0].startswith("moved groups/" + group)
