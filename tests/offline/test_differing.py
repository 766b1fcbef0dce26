# SPDX-License-Identifier: Zlib
"""mapfs diff shows what differs between two maps, and nothing else."""
import io
import json
import os
import random
import re
import shutil
import subprocess

import pytest
from PIL import Image

import archives
import datafile
import maps
import places
import review
import tlwrite
from maps import run


@pytest.fixture
def pair(box, small):
    """A map, a copy of it, and the tree of the copy on disk."""
    other = box.add(small, "other.map")
    tree = os.path.join(box.root, "tree")
    assert run("extract", "-o", "raw=off", small, tree).returncode == 0
    return small, other, tree


def find_files(tree, ending):
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


def apply_hunks(old, hunks):
    """Apply hunks to a text, strictly: each line must be where the hunk says."""
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
def test_hunks_turn_one_text_into_the_other(box, seed):
    """Changes are far apart, at both ends, absent, and with or without a newline at the end."""
    rnd = random.Random(seed)

    def random_lines(of=()):
        lines = list(of) or [b"%d" % rnd.randrange(9) for _ in range(rnd.choice((0, 1, 7, 60, 6000)))]
        for _ in range(rnd.choice((0, 1, 2, 9)) if of else 0):
            at = rnd.randrange(len(lines) + 1)
            lines[at:at + rnd.randrange(3)] = [b"new %d" % rnd.randrange(9)] * rnd.randrange(3)
        return lines

    old = random_lines()
    texts = [b"\n".join(t) + b"\n" * (bool(t) and rnd.random() < 0.7) for t in (old, random_lines(old))]
    mods = [box.add(archives.small_mod(), name) for name in ("a.MOD", "b.MOD")]
    for mod, content in zip(mods, texts):
        assert run("put", mod, "MEDIA/README.TXT", input=content).returncode == 0
    for i, j in ((0, 1), (1, 0)):
        r = run("diff", "--full", mods[i], mods[j])
        head, hunks = r.stdout.split(b"\n", 1) if r.stdout else (b"", b"")
        assert r.returncode == (texts[0] != texts[1]) and head in (b"", b"changed MEDIA/README.TXT")
        assert apply_hunks(texts[i], hunks) == texts[j]
        assert hunks.count(b"\n") < 300 or len(old) < 300
        few = run("diff", mods[i], mods[j]).stdout
        assert few == r.stdout or count_lines(few) == count_lines(r.stdout)


def count_lines(reported):
    """How many lines were removed and added, both shown and counted in the last line."""
    marks = [line[:1] for line in reported.splitlines()[1:]]
    more = re.search(rb"\n\\ (\d+) more lines removed, (\d+) more added \(--full shows them\)\n$", reported)
    assert more or b"more" not in reported
    assert len(marks) < 3000 or not more
    return [marks.count(mark) + (int(more[i]) if more else 0) for i, mark in ((1, b"-"), (2, b"+"))]


@pytest.mark.parametrize("removed, added", [(0, 5000), (5000, 0), (4000, 5000), (201, 0), (200, 200), (5, 250)])
def test_a_long_diff_shows_some_hundred_lines_and_counts_the_rest(pair, removed, added):
    small, other, _ = pair
    for path, word, n in ((small, "old", removed), (other, "new", added)):
        lines = ["sv_a 1"] + ["sv_%s %d" % (word, i) for i in range(n)] + ["sv_z 1"]
        assert run("put", path, "info/settings.cfg", input="\n".join(lines).encode() + b"\n").returncode == 0
    reported = run("diff", small, other).stdout
    assert count_lines(reported) == [removed, added]
    shown = [sum(line.startswith(mark) for line in reported.splitlines()) for mark in (b"-sv_", b"+sv_")]
    assert shown == [min(removed, 200), min(added, 200)]
    assert (b"more lines" in reported) == (removed > 200 or added > 200)
    full = run("diff", "--full", small, other).stdout
    assert b"more lines" not in full and full.count(b"\n-sv_old") == removed and full.count(b"\n+sv_new") == added


def test_a_diff_of_many_changes_counts_the_last_ones(pair):
    """The changes are near to each other and form one hunk, or far apart and form one hunk each."""
    small, other, _ = pair
    for step in (3, 9):
        lines = ["sv_a %d" % i for i in range(9000)]
        for path, word in ((small, "old"), (other, "new")):
            lines[::step] = ["sv_%s %d" % (word, i) for i in range(len(lines[::step]))]
            assert run("put", path, "info/settings.cfg", input="\n".join(lines).encode() + b"\n").returncode == 0
        reported = run("diff", small, other).stdout
        n = len(lines[::step])
        assert count_lines(reported) == [n, n] and reported.count(b"\n-sv_") == reported.count(b"\n+sv_") == 200


def test_a_table_is_shown_as_cells_with_their_rectangle(pair):
    small, other, tree = pair
    path = find_files(tree, "id.csv")[0]
    with open(os.path.join(tree, path)) as f:
        rows = [line.split(",") for line in f.read().splitlines()]
    cells = [(1, 1), (1, 3), (2, 2)]
    for y, x in cells:
        rows[y][x] = "7" if rows[y][x].strip() != "7" else "8"
    r = run("put", other, path, input="".join(",".join(row) + "\n" for row in rows).encode())
    assert r.returncode == 0, r.stderr
    lines = run("diff", small, other).stdout.decode().splitlines()
    at = lines.index("changed " + path)
    assert lines[at + 1] == " 3 cells, x 1 to 3, y 1 to 2"
    for (y, x), line in zip(cells, lines[at + 2:]):
        assert line.startswith(" x %d, y %d (line %d, column %d): " % (x, y, y + 1, x + 1)) and line.endswith(" -> " + rows[y][x])
    assert [line for line in lines if line.startswith(("added", "removed"))] == []


def grid_map(box, name, rows):
    """A map with a layer of these tiles above the game layer; other fields of the tiles are zero."""
    b = datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    b.info(settings=[b"sv_x 1"])
    b.tiles(4, 3, bytes(48), flags=1, name="Game")
    b.tiles(len(rows[0]), len(rows), b"".join(bytes((c, 0, 0, 0)) for row in rows for c in row), name="deco")
    b.group(0, 2, "Game")
    b.add(datafile.ENVPOINTS, [])
    return box.add(b.encode(), name)


def cells_of(rows):
    return {(y, x): c for y, row in enumerate(rows) for x, c in enumerate(row)}


@pytest.mark.parametrize("seed", range(12))
def test_tables_of_two_sizes_are_compared_where_both_have_cells(box, seed):
    rnd = random.Random(seed)
    (w, h), (v, k) = rnd.sample([(x, y) for x in (1, 5, 60) for y in (1, 4, 50)], 2)
    some = rnd.choice((0.0, 0.001, 0.3))  # share of the cells that differ
    old = [[rnd.randrange(3) for _ in range(w)] for _ in range(h)]
    new = [[rnd.randrange(1, 200) if rnd.random() < some else old[y][x] if y < h and x < w else rnd.randrange(2)
            for x in range(v)] for y in range(k)]
    a, b = cells_of(old), cells_of(new)
    differ = sorted(at for at in a if at in b and a[at] != b[at])
    outer = sorted(at for at in {*a} ^ {*b} if a.get(at, b.get(at)))
    maps_ = [grid_map(box, "%s.map" % n, rows) for n, rows in (("one", old), ("two", new))]

    def output(*args):
        out = lines(*args, *maps_)
        at = out.index("changed groups/0_Game/layers/1_deco/id.csv")
        return out[at + 1:next(i for i in range(at + 1, len(out)) if not out[i].startswith(" "))]

    def line(at):
        y, x = at
        return " x %d, y %d (line %d, column %d): %s -> %s" % (x, y, y + 1, x + 1, a.get(at, "-"), b.get(at, "-"))
    sizes = " %d x %d cells -> %d x %d cells, " % (w, h, v, k)
    head = [sizes + "equal in the common area"]
    if differ:
        n, ys, xs = len(differ), [y for y, _ in differ], [x for _, x in differ]
        head = [sizes + "in the common area:", " %d cell%s, %s" % (n, "s" * (n > 1), review.place(xs, ys))]
    more = [" and %d more" % (len(differ) - 10)] * (len(differ) > 10)
    one = len(outer) == 1
    rest = [" %d cell%s outside the common area %s not 0" % (len(outer), "s" * (not one), "is" if one else "are")] * bool(outer)
    assert output() == head + [line(at) for at in differ[:10]] + more + rest
    assert output("--full") == head + [line(at) for at in sorted(differ + outer)]
    assert [x for x in lines("-q", *maps_) if "id.csv" in x] == ["changed groups/0_Game/layers/1_deco/id.csv"]


def test_full_shows_all_cells(box):
    old, new = [[0] * 30] * 20, [[x % 7 for x in range(30)] for _ in range(20)]
    reported = lines("--full", grid_map(box, "one.map", old), grid_map(box, "two.map", new))
    n = 20 * sum(x % 7 > 0 for x in range(30))
    assert reported == ["changed groups/0_Game/layers/1_deco/id.csv", " %d cells, x 1 to 29, y 0 to 19" % n] + [
        " x %d, y %d (line %d, column %d): 0 -> %d" % (x, y, y + 1, x + 1, x % 7) for y in range(20) for x in range(30) if x % 7]


def test_a_table_with_column_names_is_compared_by_lines(box):
    """A new point before others does not change them."""
    name = "triclon/le_count_pp-bytes_obj3.tcm"
    one = os.path.join(places.SHARED, "corpus", name)
    if not os.path.exists(one):
        pytest.skip("no corpus: " + one)
    one, two = box.add(one), box.add(one, "two.tcm")
    points = run("cat", two, "points.csv").stdout.splitlines(True)
    at = len(points) // 2
    assert run("put", two, "points.csv", input=b"".join(points[:at] + [points[at]] + points[at:])).returncode == 0
    reported = run("diff", one, two).stdout.decode().splitlines()
    assert reported[0] == "changed points.csv" and reported[1].startswith("@@ ") and sum(x[0] in "+-" for x in reported) == 1


def test_an_image_is_shown_as_pixels_with_their_rectangle(pair):
    small, other, tree = pair
    path = find_files(tree, ".png")[0]
    with Image.open(os.path.join(tree, path)) as f:
        image = f.convert("RGBA")
    for xy in ((3, 5), (6, 2)):
        r, g, b, a = image.getpixel(xy)
        image.putpixel(xy, (255 - r, g, b, 255))
    image.save(tree + "/new.png")
    assert run("put", other, path, tree + "/new.png").returncode == 0
    lines = run("diff", small, other).stdout.decode().splitlines()
    assert lines[lines.index("changed " + path) + 1] == " 2 pixels of %d x %d, x 3 to 6, y 2 to 5" % image.size


def write_png(pixels, **how):
    file = io.BytesIO()
    Image.frombytes("RGB", (2, 2), pixels).save(file, "PNG", **how)
    return file.getvalue()


def add_mods(box, *mods):
    """Two archives of files {name: content} in MEDIA."""
    return [box.add(tlwrite.mod([("MEDIA/", *f, False) for f in files.items()]), "%d.MOD" % i) for i, files in enumerate(mods)]


def test_names_in_capitals_are_tables_and_images_too(box):
    mods = add_mods(box, {"T.CSV": b"1,2\n3,4\n", "P.PNG": write_png(bytes(12))},
                    {"T.CSV": b"1,2\n3,5\n", "P.PNG": write_png(b"x" * 12)})
    assert run("diff", *mods).stdout.decode().splitlines() == [
        "changed MEDIA/P.PNG", " 4 pixels of 2 x 2, x 0 to 1, y 0 to 1",
        "changed MEDIA/T.CSV", " 1 cell, x 1, y 1", " x 1, y 1 (line 2, column 2): 4 -> 5"]


def test_files_of_equal_cells_or_pixels_differ_in_bytes(box):
    images = [write_png(bytes(12)), write_png(bytes(12), compress_level=0)]
    mods = add_mods(box, {"T.CSV": b"1,2\n", "P.PNG": images[0]}, {"T.CSV": b"1, 2\n", "P.PNG": images[1]})
    sizes = tuple(map(len, images))
    assert run("diff", *mods).stdout.decode().splitlines() == [
        "changed MEDIA/P.PNG", " %d bytes -> %d bytes" % sizes, "changed MEDIA/T.CSV", "@@ -1 +1 @@", "-1,2", "+1, 2"]


def test_added_and_removed_objects_are_named(pair):
    small, other, tree = pair
    image = find_files(tree, ".png")[-1]
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


def make_layers(box, name, layers, images=(b"one", b"two"), groups=None):
    """A map of named layers, each (name, tile, image's name or None); groups: each (name, number of layers)."""
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


def test_an_inserted_layer_is_the_only_difference(box):
    one = make_layers(box, "one.map", LAYERS)
    two = make_layers(box, "two.map", [("new", 9, None)] + LAYERS)
    assert lines(one, two) == ["added " + AT + "1_new/"]
    assert lines(two, one) == ["removed " + AT + "1_new/"]


def test_an_image_inserted_before_others_changes_no_layer(box):
    """The number by which layers name an image changes, the image does not."""
    one = make_layers(box, "one.map", LAYERS)
    two = make_layers(box, "two.map", LAYERS, (b"zero", b"one", b"two"))
    assert lines(one, two) == ["added images/0_zero.png"]
    assert lines(two, one) == ["removed images/0_zero.png"]


def test_a_moved_layer_is_reported_as_moved(box):
    one = make_layers(box, "one.map", LAYERS)
    two = make_layers(box, "two.map", [LAYERS[2], LAYERS[0], LAYERS[1]])
    assert lines(one, two) == ["moved " + AT + "3_c -> " + AT + "1_c"]
    assert lines(two, one) == ["moved " + AT + "1_c -> " + AT + "3_c"]


def test_a_moved_group_is_reported_as_moved(box):
    groups = [("Game", 2), ("x", 1), ("y", 1)]
    one = make_layers(box, "one.map", LAYERS, groups=groups)
    two = make_layers(box, "two.map", [LAYERS[0], LAYERS[2], LAYERS[1]], groups=[groups[0], groups[2], groups[1]])
    assert lines(one, two) in (["moved groups/1_x -> groups/2_x"], ["moved groups/2_y -> groups/1_y"])


def test_a_layer_moved_to_another_group_is_reported_as_moved(box):
    one = make_layers(box, "one.map", LAYERS, groups=[("Game", 3), ("x", 1)])
    two = make_layers(box, "two.map", LAYERS, groups=[("Game", 2), ("x", 2)])
    assert lines(one, two) == ["moved " + AT + "2_b -> groups/1_x/layers/0_b"]
    assert lines(two, one) == ["moved groups/1_x/layers/0_b -> " + AT + "2_b"]
    # A layer that was also changed: one integer of it differs.
    changed = make_layers(box, "changed.map", [LAYERS[0], ("b", 2, b"one"), LAYERS[2]], groups=[("Game", 2), ("x", 2)])
    reported = lines(one, changed)
    assert reported[:2] == ["moved " + AT + "2_b -> groups/1_x/layers/0_b", "changed groups/1_x/layers/0_b/layer.json"]


def test_two_equal_layers_moved_to_another_group_are_reported_as_moved(box):
    """It does not matter which of them is which."""
    twins = [("b", 1, None), ("b", 1, None), LAYERS[2]]
    one = make_layers(box, "one.map", twins, groups=[("Game", 3), ("x", 1)])
    two = make_layers(box, "two.map", twins, groups=[("Game", 1), ("x", 3)])
    assert [line.split()[0] for line in lines(one, two)] == ["moved", "moved"]


def test_a_layer_with_another_name_is_reported_as_renamed(box):
    one = make_layers(box, "one.map", LAYERS)
    two = make_layers(box, "two.map", [LAYERS[0], ("other", 2, b"two"), LAYERS[2]])
    assert lines(one, two) == ["renamed " + AT + "2_b -> " + AT + "2_other"]


def envelope(value):
    points = [{"time": 10 * i, "curve_type": 1, "values": [value + i, 0, 0, 0]} for i in range(20)]
    return json.dumps({"version": 2, "channels": 1, "synchronized": 0, "points": points}).encode()


def equal_pair(box, kind):
    """A map with two objects of a kind that are equal except for their names, the paths of both, and the bytes in the
    file to replace by others."""
    path = make_layers(box, "equal.map", [("one", 1, None), ("two", 1, None)])
    if kind == "layer":
        return path, AT + "1_one", AT + "2_two", "/id.csv", b"7,8,9,1\n" * 3
    ending, names = {"image": (".png", ("images/0_one", "images/1_two")), "envelope": (".json", ("envelopes/0_one", "envelopes/1_two"))}[kind]
    data, new = envelope(3), envelope(777)
    if kind == "image":
        data = run("cat", path, "images/0_one.png").stdout
        with Image.open(io.BytesIO(data)) as image:
            image.putpixel((10, 0), (1, 2, 3, 255))
            buffer = io.BytesIO()
            image.save(buffer, "png")
            new = buffer.getvalue()
    for name in names:
        assert run("put", path, name + ending, input=data).returncode == 0
    return path, *(name + ending for name in names), "", new


@pytest.mark.parametrize("kind", ["image", "envelope", "layer"])
@pytest.mark.parametrize("first", [True, False])
def test_of_two_equal_objects_one_is_changed_and_the_other_renamed(box, kind, first):
    """Their names tell them apart, even if the changed one has little in common with its old content."""
    one, *names, inside, new = equal_pair(box, kind)
    two = box.add(one, "two.map")
    changed, renamed = names if first else reversed(names)
    to = renamed.replace("one", "new").replace("two", "new")
    assert run("put", two, changed + inside, input=new).returncode == 0
    assert run("mv", two, renamed, to).returncode == 0
    expected = ["changed " + changed + inside, "renamed %s -> %s" % (renamed, to)]
    assert sorted(lines("-q", one, two)) == expected


def test_an_external_image_with_another_name_is_another_image(box, small):
    one, two = box.add(small, "one.map"), box.add(small, "two.map")
    for path, name in ((one, "moon"), (two, "snow")):
        text = b'{"external": true, "width": 64, "height": 64}'
        assert run("put", path, "images/9_%s.json" % name, input=text).returncode == 0
    assert [re.sub(r"\d+_", "", line) for line in lines(one, two)] == ["removed images/moon.json", "added images/snow.json"]


def test_a_moved_and_changed_layer_is_reported_as_both(box):
    one = make_layers(box, "one.map", LAYERS)
    two = make_layers(box, "two.map", [("c", 7, None), LAYERS[0], LAYERS[1]])
    assert lines(one, two)[:3] == ["moved " + AT + "3_c -> " + AT + "1_c", "changed " + AT + "1_c/id.csv",
                                   " 12 cells, x 0 to 3, y 0 to 2"]


def test_a_layer_with_another_image_is_changed(box):
    one = make_layers(box, "one.map", LAYERS)
    two = make_layers(box, "two.map", [("a", 1, b"two")] + LAYERS[1:])
    reported = lines(one, two)
    assert reported[0] == "changed " + AT + "1_a/layer.json"
    assert [line.strip() for line in reported if line[0] in "-+"] == ['-  "image": "0_one",', '+  "image": "1_two",']


def test_pictures_show_what_changed(box, pair):
    small, other, tree = pair
    path = find_files(tree, ".png")[0]
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
        reported = f.convert("RGBA")
    step = (reported.size[0] - w) // 2
    assert reported.size == (3 * w + 2 * (step - w), h)
    panels = [reported.crop((k * step, 0, k * step + w, h)) for k in range(3)]
    assert panels[0].tobytes() == old.tobytes() and panels[1].tobytes() == image.tobytes()
    changed = [(x, y) for y in range(h) for x in range(w) if panels[2].getpixel((x, y)) == (0, 255, 255, 255)]
    assert changed == [(3, 5)]
    # Existing files are not overwritten.
    r = run("diff", "--images", into, small, other)
    assert r.returncode == 2
    assert r.stderr.decode().splitlines() == [
        "mapfs: %s: cannot write: File exists" % name for name in (path.replace("/", "-"), "map.png")]
    assert run("diff", "--images", os.path.join(box.root, "none", "x"), small, other).returncode == 2
    assert run("diff", "--images", os.path.join(box.root, "empty"), small, small).returncode == 0


def test_images_of_other_sizes_are_reported_by_size(pair):
    small, other, tree = pair
    path = find_files(tree, ".png")[0]
    with Image.open(os.path.join(tree, path)) as f:
        size = f.size
    Image.new("RGBA", (32, 48), (1, 2, 3, 255)).save(tree + "/new.png")
    assert run("put", other, path, tree + "/new.png").returncode == 0
    reported = lines(small, other)
    assert reported[reported.index("changed " + path) + 1] == " %d x %d pixels -> 32 x 48" % size


def test_a_fixed_map_differs_only_in_the_fix(box, small):
    """The difference between two saves is the edit, even if objects got new numbers."""
    other = box.add(small, "other.map")
    group = run("ls", small, "groups").stdout.decode().split()[0]
    r = run("mv", other, "groups/%s/layers/1_ground" % group, "groups/%s/layers/0_ground" % group)
    assert r.returncode == 0, r
    assert len(lines(small, other)) == 1 and lines(small, other)[0].startswith("moved groups/" + group)


def set_automapper(path, layer, mapper, old="null"):
    """Replace the automapper of a layer."""
    text = run("cat", path, layer + "/layer.json").stdout.decode()
    assert '"automapper": ' + old in text
    new = text.replace('"automapper": ' + old, '"automapper": ' + mapper)
    r = run("put", path, layer + "/layer.json", input=new.encode())
    assert r.returncode == 0, r.stderr


MAPPER = '{"version": %d, "config": 3, "seed": 42, "flags": 1}'


def test_a_field_that_the_game_leaves_unset_is_no_difference(box):
    """The game writes an automapper's version from uninitialized memory."""
    one, two = (make_layers(box, name, LAYERS) for name in ("one.map", "two.map"))
    for path, version in ((one, 0), (two, 65792)):
        set_automapper(path, AT + "1_a", MAPPER % version)
    assert run("cat", one, AT + "1_a/layer.json").stdout != run("cat", two, AT + "1_a/layer.json").stdout
    assert lines(one, two) == lines("-q", one, two) == lines("--full", two, one) == []
    # Other fields of the file count, and so does the existence of an automapper.
    set_automapper(two, AT + "1_a", (MAPPER % 65792).replace("42", "43"), MAPPER % 65792)
    assert lines(one, two)[0] == "changed " + AT + "1_a/layer.json"
    set_automapper(two, AT + "2_b", MAPPER % -7)
    assert "changed " + AT + "2_b/layer.json" in lines(one, two)
    # A moved layer is still found, also by its automapper.
    renamed = box.add(one, "renamed.map")
    set_automapper(renamed, AT + "1_a", MAPPER % -1, MAPPER % 0)
    assert run("mv", renamed, AT + "1_a", AT + "1_z").returncode == 0
    assert lines(one, renamed) == ["renamed %s1_a -> %s1_z" % (AT, AT)]


def test_external_images_are_told_apart_by_their_names(box, small):
    """Such a file holds only a size, which another image may have had before."""
    def sized(**sizes):
        path = box.add(small, "sized%d.map" % sum(sizes.values()))
        for name, size in sizes.items():
            text = '{"external": true, "width": %d, "height": %d}' % (size, size)
            assert run("put", path, "images/" + name + ".json", input=text.encode()).returncode == 0
        return path
    a, b = sized(sun=512, moon=1024), sized(sun=1024, moon=256)
    r = run("diff", "-q", a, b)
    assert sorted(re.findall(rb"changed images/\d+_(\w+).json\n", r.stdout)) == [b"moon", b"sun"]
    assert r.stdout.count(b"\n") == 2
    out = os.path.join(box.maps, "out.map")
    box.allow("out.map*")
    ours = sized(sun=2048, moon=1024)
    assert run("merge", a, ours, b, out).returncode == 1
    texts = {n: run("cat", out, "images/*_" + n + ".json").stdout for n in ("sun", "moon")}
    assert b" 2048" in texts["sun"] and b" 256" in texts["moon"]
