# SPDX-License-Identifier: Zlib
"""merge: which is which where several are alike, and what stands beside something that changed."""
import os
import random
import shutil
import struct

import pytest

import archives
import datafile
import edits
import maps
import merging
from maps import good
from test_merging import (GAME, GROUND, GROUP, OTHER, as_base, cells, grid, layers_of, left, make_three, merge, merged, put, said,
                          three_of)

LAYERS = GROUP + "/layers/"


@pytest.fixture
def plain(tmp_path):
    return make_three(tmp_path, datafile.small_map())


def pattern(step, height, *changed):
    """Rows of a table, in which a cell of the changed lines is another."""
    rows = [[(x * step + y * (step + 3)) % 200 + 1 for x in range(20)] for y in range(height)]
    for y in changed:
        rows[y][3] = 250
    return rows


def add_layer(where, side, path, rows):
    """A copy of the ground with other cells; its group, too, where it is not there."""
    tree = where / "add"
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(where / "tree" / GROUND, tree / path)
    merging.dump(str(tree / path / "layer.json"), {**merging.load(str(tree / path / "layer.json")), "height": len(rows)})
    os.unlink(tree / path / "flags.csv")
    merging.write(str(tree / path / "id.csv"), edits.text_of(rows))
    group = tree / path.split("/layers/")[0]
    if not (where / "tree" / os.path.relpath(group, tree)).exists():
        shutil.copy(where / "tree" / GROUP / "group.json", group / "group.json")
    good("pack", str(tree), "--onto", str(where / (side + ".map")))


def of_one_name(where, height):
    """Two layers "x" in the game's group, which theirs puts into the other order, each with an edit."""
    add_layer(where, "b", LAYERS + "2_x", pattern(3, height))
    add_layer(where, "b", LAYERS + "3_x", pattern(11, height))
    add_layer(where, "b", OTHER + "/layers/0_far", pattern(17, height))
    as_base(where)
    put(where, "t", LAYERS + "2_x/id.csv", edits.text_of(pattern(11, height, 0)))
    put(where, "t", LAYERS + "3_x/id.csv", edits.text_of(pattern(3, height, 0, 1, 2)))


def test_layers_of_one_name_are_told_apart_by_what_they_hold(plain):
    """What ours did to the one must not be done to the other."""
    of_one_name(plain, 10)
    put(plain, "o", LAYERS + "2_x/id.csv", edits.text_of(pattern(3, 10, 9)))
    merge(plain, code=0)
    assert grid(said(plain, LAYERS + "2_x/id.csv")) == pattern(11, 10, 0)
    assert grid(said(plain, LAYERS + "3_x/id.csv")) == pattern(3, 10, 0, 1, 2, 9)


def test_layers_of_one_name_that_are_as_much_alike_are_in_doubt(plain):
    of_one_name(plain, 60)
    put(plain, "t", LAYERS + "2_x/id.csv", edits.text_of(pattern(3, 60, 0)))
    put(plain, "o", LAYERS + "2_x/id.csv", edits.text_of(pattern(3, 60, 9)))
    assert "in doubt" in merge(plain, code=1).stderr
    assert grid(said(plain, LAYERS + "2_x/id.csv")) == pattern(3, 60, 9)
    assert grid(left(plain, LAYERS + "2_x/id.csv")) == pattern(3, 60, 0)


def test_a_moved_layer_in_doubt_is_named_where_it_stands(plain):
    """Ours moved it and changed it, theirs changed it where it was."""
    of_one_name(plain, 60)
    put(plain, "t", LAYERS + "2_x/id.csv", edits.text_of(pattern(3, 60, 0)))
    good("mv", str(plain / "o.map"), LAYERS + "2_x", OTHER + "/layers/5_x")
    put(plain, "o", OTHER + "/layers/1_x/id.csv", edits.text_of(pattern(3, 60, 9)))
    r = merge(plain, code=1)
    assert "conflict: %s/layers/1_x/id.csv: in doubt" % OTHER in r.stderr
    assert grid(said(plain, OTHER + "/layers/1_x/id.csv")) == pattern(3, 60, 9)
    assert grid(left(plain, OTHER + "/layers/1_x/id.csv")) == pattern(3, 60, 0)
    assert layers_of(plain, OTHER) == ["0_far", "1_x"]


def test_the_layer_that_a_map_has_once_was_added_by_both_under_two_names(plain):
    for side, name in (("o", "ours"), ("t", "theirs")):
        new = plain / ("add-" + side) / LAYERS / ("2_" + name)
        os.makedirs(new)
        merging.dump(str(new / "layer.json"), {"type": 2, "version": 3, "width": 20, "height": 10, "kind": 2})
        good("pack", str(plain / ("add-" + side)), "--onto", str(plain / (side + ".map")))
    assert LAYERS + '2_ours: added by both; theirs calls it "theirs"' in merge(plain, code=1).stderr
    assert layers_of(plain, GROUP) == [os.path.basename(GAME), os.path.basename(GROUND), "2_ours"]


EXTERNAL = '{"external": true, "width": %d, "height": 1024}'


@pytest.mark.parametrize("user, replacer", ("ot", "to"))
def test_an_image_outside_of_the_map_that_got_another_name_is_another_one(plain, user, replacer):
    """Who drew with the old one meanwhile has it still, though nothing but the names tells them apart."""
    put(plain, user, GROUND + "/layer.json", said(plain, GROUND + "/layer.json", "b").replace("0_checker", "1_grass_main"))
    old = said(plain, "images/1_grass_main.json", "b")
    good("rm", str(plain / (replacer + ".map")), "images/1_grass_main.json")
    put(plain, replacer, "images/1_winter_main.json", old)
    removed = "removed by theirs and used by ours; it stays" if user == "o" else "removed by ours and used by theirs; it is there again"
    assert "_grass_main.json: " + removed in merge(plain, code=1).stderr
    assert '_grass_main"' in said(plain, GROUND + "/layer.json")
    assert names_of(plain, "images") == {"checker.png", "grass_main.json", "winter_main.json"}


def test_an_image_outside_of_the_map_that_both_added_is_one(plain):
    for side, width in (("o", 512), ("t", 1024)):
        put(plain, side, "images/2_sun.json", EXTERNAL % width)
    assert "images/2_sun.json: changed by both: width;" in merge(plain, code=1).stderr
    assert names_of(plain, "images") == {"checker.png", "grass_main.json", "sun.json"}


@pytest.mark.parametrize("mover, other", ("ot", "to"))
def test_a_layer_of_another_name_and_another_image_is_another_one(plain, mover, other):
    """Who edited the one that went has it still, and nothing of it is drawn with the image of the new one."""
    text = said(plain, GROUND + "/layer.json", "b")
    good("mv", str(plain / (mover + ".map")), GROUND, LAYERS + "1_snow")
    put(plain, mover, LAYERS + "1_snow/layer.json", text.replace("0_checker", "1_grass_main"))
    put(plain, other, GROUND + "/id.csv", cells(plain, (1, 1, 5)))
    assert "_ground: changed by" in merge(plain, code=1).stderr or "_ground: removed by" in merge(plain, code=1).stderr
    assert names_of(plain, GROUP + "/layers") == {"Game", "ground", "snow"}
    snow, ground = (next(n for n in layers_of(plain, GROUP) if n.endswith(x)) for x in ("snow", "ground"))
    assert grid(said(plain, LAYERS + snow + "/id.csv"))[1][1] != 5 == grid(said(plain, LAYERS + ground + "/id.csv"))[1][1]


@pytest.mark.parametrize("painter, other", ("ot", "to"))
def test_a_layer_without_a_name_that_got_another_image_and_edits_is_joined(plain, painter, other):
    for k, step in ((2, 3), (3, 11)):
        add_layer(plain, "b", LAYERS + str(k), pattern(step, 60))
    as_base(plain)
    put(plain, painter, LAYERS + "2/layer.json", said(plain, LAYERS + "2/layer.json", "b").replace("0_checker", "1_grass_main"))
    put(plain, other, LAYERS + "2/id.csv", edits.text_of(pattern(3, 60, 9)))
    merge(plain, code=0)
    assert grid(said(plain, LAYERS + "2/id.csv")) == pattern(3, 60, 9) and '"1_grass_main"' in said(plain, LAYERS + "2/layer.json")


@pytest.mark.parametrize("user, replacer", ("ot", "to"))
def test_an_envelope_of_another_name_is_another_one_however_alike(plain, user, replacer):
    """Or the layer that names the one would move as the other."""
    points = [(10 * i, i) for i in range(40)]
    put(plain, "b", "envelopes/0_one.json", merging.json.dumps(envelope(*points)))
    as_base(plain)
    good("rm", str(plain / (replacer + ".map")), "envelopes/0_one.json")
    put(plain, replacer, "envelopes/0_two.json", merging.json.dumps(envelope(*points[:7], (70, 99), *points[8:])))
    text = said(plain, GROUND + "/layer.json", "b")
    put(plain, user, GROUND + "/layer.json", text.replace('"color_envelope": null', '"color_envelope": "0_one"'))
    assert "_one.json: removed by" in merge(plain, code=1).stderr
    assert '_one"' in said(plain, GROUND + "/layer.json") and names_of(plain, "envelopes") == {"one.json", "two.json"}


def test_a_layer_of_one_name_that_was_made_anew_with_another_image_is_in_doubt(plain):
    """Perhaps it is another one: nothing is joined."""
    add_layer(plain, "b", LAYERS + "2_x", pattern(3, 60))
    as_base(plain)
    put(plain, "t", LAYERS + "2_x/layer.json", said(plain, LAYERS + "2_x/layer.json", "b").replace("0_checker", "1_grass_main"))
    put(plain, "t", LAYERS + "2_x/id.csv", edits.text_of(pattern(19, 60)))
    put(plain, "o", LAYERS + "2_x/id.csv", edits.text_of(pattern(3, 60, 9)))
    assert "in doubt" in merge(plain, code=1).stderr
    assert grid(said(plain, LAYERS + "2_x/id.csv")) == pattern(3, 60, 9) and '"0_checker"' in said(plain, LAYERS + "2_x/layer.json")
    assert grid(left(plain, LAYERS + "2_x/id.csv")) == pattern(19, 60) and "_grass_main" in left(plain, LAYERS + "2_x/layer.json")


def names_of(where, what):
    return {n.split("_", 1)[1] for n in good("ls", str(where / "out.map"), what).stdout.decode().split()}


def envelope(*points):
    return {"version": 2, "channels": 3, "synchronized": 0, "points": [
        {"time": time, "curve_type": 1, "values": [value, 0, 0, 0]} for time, value in points]}


def times(where, side="out"):
    return [(p["time"], p["values"][0]) for p in merging.json.loads(said(where, "envelopes/0_way.json", side))["points"]]


@pytest.mark.parametrize("ours, theirs, joined", [
    # Both went on at the end, and one changed the last point, too.
    (((0, 1), (10, 2), (20, 5)), ((0, 1), (10, 3), (20, 6)), ((0, 1), (10, 3), (20, 5))),
    (((0, 1), (10, 3), (20, 6)), ((0, 1), (10, 2), (20, 5)), ((0, 1), (10, 3), (20, 6))),
    # And at the beginning.
    (((-9, 5), (0, 1), (10, 2)), ((-9, 6), (0, 4), (10, 2)), ((-9, 5), (0, 4), (10, 2))),
])
def test_a_course_that_both_lengthened_is_not_both(plain, ours, theirs, joined):
    for side, points in (("b", ((0, 1), (10, 2))), ("o", ours), ("t", theirs)):
        put(plain, side, "envelopes/0_way.json", merging.json.dumps(envelope(*points)))
    assert "envelopes/0_way.json: changed by both: points;" in merge(plain, code=1).stderr
    assert times(plain) == list(joined)


def test_points_on_two_sides_of_one_that_changed_are_both_there(plain):
    for side, points in (("b", ((0, 100), (1000, 200))), ("o", ((-9, 5), (0, 100), (1000, 200))),
                         ("t", ((0, 101), (7, 6), (1000, 200)))):
        put(plain, side, "envelopes/0_way.json", merging.json.dumps(envelope(*points)))
    merge(plain, code=0)
    assert times(plain) == [(-9, 5), (0, 101), (7, 6), (1000, 200)]


@pytest.mark.parametrize("list_, code", [(False, 1), (True, 0)])
def test_lines_that_both_added_behind_one_that_changed(tmp_path, list_, code):
    """Of a list both are kept."""
    base = b"one 1\ntwo 2\n"
    ours, theirs = base + b"ours 1\n", b"one 1\ntwo 3\ntheirs 1\n"
    if list_:
        names, path = {n: str(tmp_path / (n + ".map")) for n in ("b", "o", "t", "out")}, "info/settings.cfg"
        make_three(tmp_path, datafile.small_map())
    else:
        names, path = three_of(tmp_path, archives.tlwrite.mod([("MEDIA/", "A.TXT", base, False)]), ".mod"), "MEDIA/A.TXT"
    for side, text in (("b", base), ("o", ours), ("t", theirs)):
        good("put", names[side], path, input=text)
    assert (path + ": changed by both: 1 line, line 3;" in merged(names, code)) == bool(code)
    both = b"one 1\ntwo 3\nours 1\n" + (b"theirs 1\n" if list_ else b"")
    assert good("cat", names["out"], path).stdout == both


def test_a_setting_that_both_added_behind_one_that_changed_has_one_value(plain):
    base = said(plain, "info/settings.cfg", "b")
    put(plain, "o", "info/settings.cfg", base + "sv_hit 1\n")
    put(plain, "t", "info/settings.cfg", base.rstrip("\n") + "9\nsv_hit 0\n")
    merge(plain, code=1)
    assert said(plain, "info/settings.cfg") == base.rstrip("\n") + "9\nsv_hit 1\n"
    assert maps.run("check", str(plain / "out.map")).returncode == 0


@pytest.mark.parametrize("mover, other", ("ot", "to"))
@pytest.mark.parametrize("order", [(0, 1, 2), (0, 3, 1, 2)])
def test_a_quad_that_one_put_elsewhere_and_the_other_removed_stays_and_is_told(plain, mover, other, order):
    """Or that the other put elsewhere, too: then it is there twice."""
    path = LAYERS + "2_q"
    new = plain / "add" / path
    os.makedirs(new)
    merging.dump(str(new / "layer.json"), {"type": 3, "version": 2})
    four = [{"positions": [[i, i + 1]] * 5} for i in range(4)]
    merging.dump(str(new / "quads.json"), four)
    good("pack", str(plain / "add"), "--onto", str(plain / "b.map"))
    as_base(plain)
    put(plain, mover, path + "/quads.json", merging.json.dumps(four[3:] + four[:3]))
    put(plain, other, path + "/quads.json", merging.json.dumps([four[i] for i in order]))
    assert path + "/quads.json: changed by both" in merge(plain, code=1).stderr
    now = [q["positions"][0][0] for q in merging.json.loads(said(plain, path + "/quads.json"))]
    assert set(now) == {0, 1, 2, 3}


def map_of(where, side, tiles, name="Tiles", images=(), red=255):
    """A map whose layers are all called the same, and have not a tile in common; nor have their images a pixel."""
    b = datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    b.info(settings=[b"sv_x 1"])
    for i in images:
        b.image(name.encode(), 1, 1, struct.pack("<I", i << 8 | 255))
    b.tiles(4, 3, bytes(48), flags=1, name="Game")
    for i in tiles:
        b.tiles(4, 3, struct.pack("<H", i + 1).ljust(4, b"\0") * 12, name=name, image=images.index(i) if images else -1)
        b.items[-1].ints[7] = red
    b.group(0, len(tiles) + 1, "Game")
    b.add(datafile.ENVPOINTS, [])
    (where / (side + ".map")).write_bytes(b.encode())


def tiles_of(where):
    """Those of the layers; each has its image, where there are some."""
    f = datafile.Datafile.load(str(where / "out.map"))
    layers = f.of_type(datafile.LAYER)[1:]
    tiles = [struct.unpack_from("<H", f.blob(layer.ints[14]))[0] - 1 for layer in layers]
    images = [struct.unpack("<I", f.blob(i.ints[5]))[0] >> 8 for i in f.of_type(datafile.IMAGE)]
    assert not images or [images[layer.ints[13]] for layer in layers] == tiles
    return tiles


@pytest.mark.parametrize("name", ["Tiles", ""])
def test_thousands_of_one_name_are_added_at_one_place(tmp_path, name):
    """Their names do not grow with them, and each is looked for but once."""
    map_of(tmp_path, "b", [4000, 4001], name)
    map_of(tmp_path, "o", [4000, 4001], name)
    map_of(tmp_path, "t", [4000, *range(3000), 4001], name)
    put(tmp_path, "o", "info/version", "2\n")
    merge(tmp_path, code=0)
    assert tiles_of(tmp_path) == [4000, *range(3000), 4001]
    assert said(tmp_path, "info/version") == "2\n"


@pytest.mark.parametrize("name", ["x", ""])
@pytest.mark.parametrize("seed", range(8))
def test_what_both_add_among_others_of_one_name_stands_where_each_put_it(tmp_path, seed, name):
    rng = random.Random(seed)
    base = list(range(rng.randrange(12)))
    sides = {}
    for side, first in (("o", 100), ("t", 200)):
        sides[side] = list(base)
        for new in range(first, first + rng.randrange(1, 12)):
            sides[side].insert(rng.randrange(len(sides[side]) + 1), new)
    for side, tiles in (("b", base), *sides.items()):
        # All that names an image is written, too.
        map_of(tmp_path, side, tiles, name, tiles, red=77 if side == "t" else 255)
    merge(tmp_path, code=0)
    out = tiles_of(tmp_path)
    assert sorted(out) == sorted({*sides["o"], *sides["t"]})
    for tiles in sides.values():
        assert [i for i in out if i in tiles] == tiles
