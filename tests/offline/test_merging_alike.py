# SPDX-License-Identifier: Zlib
"""mapfs merge finds matching objects among similar ones, and places additions beside changed parts."""
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
from test_merging import (GAME, GROUND, GROUP, OTHER, edit_cells, list_layers, merge, merge_contents,
                          parse_cells, put_file, read_conflict, read_file, reset_sides, write_three,
                          write_three_maps)

LAYERS = GROUP + "/layers/"


@pytest.fixture
def plain(tmp_path):
    return write_three_maps(tmp_path, datafile.small_map())


def pattern(step, height, *changed):
    """Rows of a table; a cell of each changed line differs."""
    rows = [[(x * step + y * (step + 3)) % 200 + 1 for x in range(20)] for y in range(height)]
    for y in changed:
        rows[y][3] = 250
    return rows


def add_layer(where, side, path, rows):
    """Add a copy of the ground with other cells, and its group if it is missing."""
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


def add_layers_of_one_name(where, height):
    """Two layers "x" in the game's group; theirs swaps them and edits both."""
    add_layer(where, "b", LAYERS + "2_x", pattern(3, height))
    add_layer(where, "b", LAYERS + "3_x", pattern(11, height))
    add_layer(where, "b", OTHER + "/layers/0_far", pattern(17, height))
    reset_sides(where)
    put_file(where, "t", LAYERS + "2_x/id.csv", edits.text_of(pattern(11, height, 0)))
    put_file(where, "t", LAYERS + "3_x/id.csv", edits.text_of(pattern(3, height, 0, 1, 2)))


def test_layers_of_one_name_are_matched_by_content(plain):
    """Changes of ours to one layer must not reach the other."""
    add_layers_of_one_name(plain, 10)
    put_file(plain, "o", LAYERS + "2_x/id.csv", edits.text_of(pattern(3, 10, 9)))
    merge(plain, code=0)
    assert parse_cells(read_file(plain, LAYERS + "2_x/id.csv")) == pattern(11, 10, 0)
    assert parse_cells(read_file(plain, LAYERS + "3_x/id.csv")) == pattern(3, 10, 0, 1, 2, 9)


def test_layers_of_one_name_with_equal_similarity_are_in_doubt(plain):
    add_layers_of_one_name(plain, 60)
    put_file(plain, "t", LAYERS + "2_x/id.csv", edits.text_of(pattern(3, 60, 0)))
    put_file(plain, "o", LAYERS + "2_x/id.csv", edits.text_of(pattern(3, 60, 9)))
    assert "ambiguous" in merge(plain, code=1).stderr
    assert parse_cells(read_file(plain, LAYERS + "2_x/id.csv")) == pattern(3, 60, 9)
    assert parse_cells(read_conflict(plain, LAYERS + "2_x/id.csv")) == pattern(3, 60, 0)


def test_a_moved_layer_in_doubt_is_named_by_its_new_path(plain):
    """Ours moved and changed the layer, theirs changed it in its old place."""
    add_layers_of_one_name(plain, 60)
    put_file(plain, "t", LAYERS + "2_x/id.csv", edits.text_of(pattern(3, 60, 0)))
    good("mv", str(plain / "o.map"), LAYERS + "2_x", OTHER + "/layers/5_x")
    put_file(plain, "o", OTHER + "/layers/1_x/id.csv", edits.text_of(pattern(3, 60, 9)))
    r = merge(plain, code=1)
    assert "conflict: %s/layers/1_x/id.csv: in an object whose match is ambiguous" % OTHER in r.stderr
    assert parse_cells(read_file(plain, OTHER + "/layers/1_x/id.csv")) == pattern(3, 60, 9)
    assert parse_cells(read_conflict(plain, OTHER + "/layers/1_x/id.csv")) == pattern(3, 60, 0)
    assert list_layers(plain, OTHER) == ["0_far", "1_x"]


def test_a_physics_layer_that_both_added_under_two_names_is_one(plain):
    for side, name in (("o", "ours"), ("t", "theirs")):
        new = plain / ("add-" + side) / LAYERS / ("2_" + name)
        os.makedirs(new)
        merging.dump(str(new / "layer.json"), {"type": 2, "version": 3, "width": 20, "height": 10, "kind": 2})
        good("pack", str(plain / ("add-" + side)), "--onto", str(plain / (side + ".map")))
    assert LAYERS + '2_ours: added by both (theirs: "theirs")' in merge(plain, code=1).stderr
    assert list_layers(plain, GROUP) == [os.path.basename(GAME), os.path.basename(GROUND), "2_ours"]


EXTERNAL = '{"external": true, "width": %d, "height": 1024}'


@pytest.mark.parametrize("user, replacer", ("ot", "to"))
def test_an_external_image_with_another_name_is_another_image(plain, user, replacer):
    """New uses of the old image keep it, although only the names differ."""
    put_file(plain, user, GROUND + "/layer.json", read_file(plain, GROUND + "/layer.json", "b").replace("0_checker", "1_grass_main"))
    old = read_file(plain, "images/1_grass_main.json", "b")
    good("rm", str(plain / (replacer + ".map")), "images/1_grass_main.json")
    put_file(plain, replacer, "images/1_winter_main.json", old)
    removed = "removed by theirs and used by ours (not removed)" if user == "o" else "removed by ours and used by theirs (restored)"
    assert "_grass_main.json: " + removed in merge(plain, code=1).stderr
    assert '_grass_main"' in read_file(plain, GROUND + "/layer.json")
    assert list_names(plain, "images") == {"checker.png", "grass_main.json", "winter_main.json"}


def test_an_external_image_that_both_added_is_one(plain):
    for side, width in (("o", 512), ("t", 1024)):
        put_file(plain, side, "images/2_sun.json", EXTERNAL % width)
    assert "images/2_sun.json: changed by both: width;" in merge(plain, code=1).stderr
    assert list_names(plain, "images") == {"checker.png", "grass_main.json", "sun.json"}


@pytest.mark.parametrize("mover, other", ("ot", "to"))
def test_a_layer_with_another_name_and_image_is_another_layer(plain, mover, other):
    """The edited layer stays, and none of its cells are drawn with the image of the new one."""
    text = read_file(plain, GROUND + "/layer.json", "b")
    good("mv", str(plain / (mover + ".map")), GROUND, LAYERS + "1_snow")
    put_file(plain, mover, LAYERS + "1_snow/layer.json", text.replace("0_checker", "1_grass_main"))
    put_file(plain, other, GROUND + "/id.csv", edit_cells(plain, (1, 1, 5)))
    assert "_ground: changed by" in merge(plain, code=1).stderr or "_ground: removed by" in merge(plain, code=1).stderr
    assert list_names(plain, GROUP + "/layers") == {"Game", "ground", "snow"}
    snow, ground = (next(n for n in list_layers(plain, GROUP) if n.endswith(x)) for x in ("snow", "ground"))
    assert parse_cells(read_file(plain, LAYERS + snow + "/id.csv"))[1][1] != 5 == parse_cells(read_file(plain, LAYERS + ground + "/id.csv"))[1][1]


@pytest.mark.parametrize("painter, other", ("ot", "to"))
def test_an_unnamed_layer_with_another_image_and_edits_is_joined(plain, painter, other):
    for k, step in ((2, 3), (3, 11)):
        add_layer(plain, "b", LAYERS + str(k), pattern(step, 60))
    reset_sides(plain)
    put_file(plain, painter, LAYERS + "2/layer.json", read_file(plain, LAYERS + "2/layer.json", "b").replace("0_checker", "1_grass_main"))
    put_file(plain, other, LAYERS + "2/id.csv", edits.text_of(pattern(3, 60, 9)))
    merge(plain, code=0)
    assert parse_cells(read_file(plain, LAYERS + "2/id.csv")) == pattern(3, 60, 9) and '"1_grass_main"' in read_file(plain, LAYERS + "2/layer.json")


@pytest.mark.parametrize("user, replacer", ("ot", "to"))
def test_an_envelope_with_another_name_is_another_envelope(plain, user, replacer):
    """However similar; else the layer that names the one would move as the other."""
    points = [(10 * i, i) for i in range(40)]
    put_file(plain, "b", "envelopes/0_one.json", merging.json.dumps(envelope(*points)))
    reset_sides(plain)
    good("rm", str(plain / (replacer + ".map")), "envelopes/0_one.json")
    put_file(plain, replacer, "envelopes/0_two.json", merging.json.dumps(envelope(*points[:7], (70, 99), *points[8:])))
    text = read_file(plain, GROUND + "/layer.json", "b")
    put_file(plain, user, GROUND + "/layer.json", text.replace('"color_envelope": null', '"color_envelope": "0_one"'))
    assert "_one.json: removed by" in merge(plain, code=1).stderr
    assert '_one"' in read_file(plain, GROUND + "/layer.json") and list_names(plain, "envelopes") == {"one.json", "two.json"}


def test_a_layer_replaced_by_one_with_another_image_is_in_doubt(plain):
    """It may be another layer, so nothing is joined."""
    add_layer(plain, "b", LAYERS + "2_x", pattern(3, 60))
    reset_sides(plain)
    put_file(plain, "t", LAYERS + "2_x/layer.json", read_file(plain, LAYERS + "2_x/layer.json", "b").replace("0_checker", "1_grass_main"))
    put_file(plain, "t", LAYERS + "2_x/id.csv", edits.text_of(pattern(19, 60)))
    put_file(plain, "o", LAYERS + "2_x/id.csv", edits.text_of(pattern(3, 60, 9)))
    assert "ambiguous" in merge(plain, code=1).stderr
    assert parse_cells(read_file(plain, LAYERS + "2_x/id.csv")) == pattern(3, 60, 9) and '"0_checker"' in read_file(plain, LAYERS + "2_x/layer.json")
    assert parse_cells(read_conflict(plain, LAYERS + "2_x/id.csv")) == pattern(19, 60) and "_grass_main" in read_conflict(plain, LAYERS + "2_x/layer.json")


def list_names(where, what):
    return {n.split("_", 1)[1] for n in good("ls", str(where / "out.map"), what).stdout.decode().split()}


def envelope(*points):
    return {"version": 2, "channels": 3, "synchronized": 0, "points": [
        {"time": time, "curve_type": 1, "values": [value, 0, 0, 0]} for time, value in points]}


def read_points(where, side="out"):
    return [(p["time"], p["values"][0]) for p in merging.json.loads(read_file(where, "envelopes/0_way.json", side))["points"]]


@pytest.mark.parametrize("ours, theirs, joined", [
    # Both sides added points at the end, and one also changed the last point.
    (((0, 1), (10, 2), (20, 5)), ((0, 1), (10, 3), (20, 6)), ((0, 1), (10, 3), (20, 5))),
    (((0, 1), (10, 3), (20, 6)), ((0, 1), (10, 2), (20, 5)), ((0, 1), (10, 3), (20, 6))),
    # The same at the beginning.
    (((-9, 5), (0, 1), (10, 2)), ((-9, 6), (0, 4), (10, 2)), ((-9, 5), (0, 4), (10, 2))),
])
def test_an_envelope_that_both_lengthened_is_a_conflict(plain, ours, theirs, joined):
    for side, points in (("b", ((0, 1), (10, 2))), ("o", ours), ("t", theirs)):
        put_file(plain, side, "envelopes/0_way.json", merging.json.dumps(envelope(*points)))
    assert "envelopes/0_way.json: changed by both: points;" in merge(plain, code=1).stderr
    assert read_points(plain) == list(joined)


def test_points_added_before_and_after_a_changed_one_are_kept(plain):
    for side, points in (("b", ((0, 100), (1000, 200))), ("o", ((-9, 5), (0, 100), (1000, 200))),
                         ("t", ((0, 101), (7, 6), (1000, 200)))):
        put_file(plain, side, "envelopes/0_way.json", merging.json.dumps(envelope(*points)))
    merge(plain, code=0)
    assert read_points(plain) == [(-9, 5), (0, 101), (7, 6), (1000, 200)]


@pytest.mark.parametrize("list_, code", [(False, 1), (True, 0)])
def test_lines_that_both_added_after_a_changed_line(tmp_path, list_, code):
    """In a list, both are kept."""
    base = b"one 1\ntwo 2\n"
    ours, theirs = base + b"ours 1\n", b"one 1\ntwo 3\ntheirs 1\n"
    if list_:
        names, path = {n: str(tmp_path / (n + ".map")) for n in ("b", "o", "t", "out")}, "info/settings.cfg"
        write_three_maps(tmp_path, datafile.small_map())
    else:
        names, path = write_three(tmp_path, archives.tlwrite.mod([("MEDIA/", "A.TXT", base, False)]), ".mod"), "MEDIA/A.TXT"
    for side, text in (("b", base), ("o", ours), ("t", theirs)):
        good("put", names[side], path, input=text)
    assert (path + ": changed by both: 1 line, line 3;" in merge_contents(names, code)) == bool(code)
    both = b"one 1\ntwo 3\nours 1\n" + (b"theirs 1\n" if list_ else b"")
    assert good("cat", names["out"], path).stdout == both


def test_a_setting_that_both_added_after_a_changed_line_has_one_value(plain):
    base = read_file(plain, "info/settings.cfg", "b")
    put_file(plain, "o", "info/settings.cfg", base + "sv_hit 1\n")
    put_file(plain, "t", "info/settings.cfg", base.rstrip("\n") + "9\nsv_hit 0\n")
    merge(plain, code=1)
    assert read_file(plain, "info/settings.cfg") == base.rstrip("\n") + "9\nsv_hit 1\n"
    assert maps.run("check", str(plain / "out.map")).returncode == 0


@pytest.mark.parametrize("mover, other", ("ot", "to"))
@pytest.mark.parametrize("order", [(0, 1, 2), (0, 3, 1, 2)])
def test_a_quad_that_one_moved_and_the_other_removed_stays_and_is_reported(plain, mover, other, order):
    """If the other side moved it, too, the quad is there twice."""
    path = LAYERS + "2_q"
    new = plain / "add" / path
    os.makedirs(new)
    merging.dump(str(new / "layer.json"), {"type": 3, "version": 2})
    four = [{"positions": [[i, i + 1]] * 5} for i in range(4)]
    merging.dump(str(new / "quads.json"), four)
    good("pack", str(plain / "add"), "--onto", str(plain / "b.map"))
    reset_sides(plain)
    put_file(plain, mover, path + "/quads.json", merging.json.dumps(four[3:] + four[:3]))
    put_file(plain, other, path + "/quads.json", merging.json.dumps([four[i] for i in order]))
    assert path + "/quads.json: changed by both" in merge(plain, code=1).stderr
    now = [q["positions"][0][0] for q in merging.json.loads(read_file(plain, path + "/quads.json"))]
    assert set(now) == {0, 1, 2, 3}


def make_map(where, side, tiles, name="Tiles", images=(), red=255):
    """Make a map whose layers all have one name and no tile in common; their images have no pixel in common."""
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


def read_tiles(where):
    """The tiles of the layers, each with its image if it has one."""
    f = datafile.Datafile.load(str(where / "out.map"))
    layers = f.of_type(datafile.LAYER)[1:]
    tiles = [struct.unpack_from("<H", f.blob(layer.ints[14]))[0] - 1 for layer in layers]
    images = [struct.unpack("<I", f.blob(i.ints[5]))[0] >> 8 for i in f.of_type(datafile.IMAGE)]
    assert not images or [images[layer.ints[13]] for layer in layers] == tiles
    return tiles


@pytest.mark.parametrize("name", ["Tiles", ""])
def test_thousands_of_layers_of_one_name_are_added_in_one_place(tmp_path, name):
    """Names do not grow with the number of layers, and each layer is matched only once."""
    make_map(tmp_path, "b", [4000, 4001], name)
    make_map(tmp_path, "o", [4000, 4001], name)
    make_map(tmp_path, "t", [4000, *range(3000), 4001], name)
    put_file(tmp_path, "o", "info/version", "2\n")
    merge(tmp_path, code=0)
    assert read_tiles(tmp_path) == [4000, *range(3000), 4001]
    assert read_file(tmp_path, "info/version") == "2\n"


@pytest.mark.parametrize("name", ["x", ""])
@pytest.mark.parametrize("seed", range(8))
def test_layers_that_both_add_among_others_of_one_name_keep_their_places(tmp_path, seed, name):
    rng = random.Random(seed)
    base = list(range(rng.randrange(12)))
    sides = {}
    for side, first in (("o", 100), ("t", 200)):
        sides[side] = list(base)
        for new in range(first, first + rng.randrange(1, 12)):
            sides[side].insert(rng.randrange(len(sides[side]) + 1), new)
    for side, tiles in (("b", base), *sides.items()):
        # Files that name an image are written, too.
        make_map(tmp_path, side, tiles, name, tiles, red=77 if side == "t" else 255)
    merge(tmp_path, code=0)
    out = read_tiles(tmp_path)
    assert sorted(out) == sorted({*sides["o"], *sides["t"]})
    for tiles in sides.values():
        assert [i for i in out if i in tiles] == tiles
