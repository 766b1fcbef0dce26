# SPDX-License-Identifier: Zlib
"""mapfs convert and check --for: maps converted between games, compared with DDNet's tool and both servers."""
import collections
import json
import os
import shutil
import signal
import struct

import pytest

import archives
import datafile
import ddnet_reader
import places
import share
from box import get, put
from datafile import ENVELOPE, ENVPOINTS, GROUP, IMAGE, INFO, LAYER, MAP_VERSION, SOUND, words
from maps import run
from racemap import H, W, Race
from test_games import loads

DDNET, TEEWORLDS = (places.GAMES + "/%s/data/mapres" % game for game in ("ddnet", "teeworlds"))
# DDNet's game/client/components/mapimages.cpp.
OTHER = {"grass_main", "grass_doodads", "winter_main", "generic_shadows", "generic_unhookable", "easter"}
BEZIER = bytes.fromhex("3ab4f84dd9cc3c78b5850d6ccdb2e25c")
DESIGN = "groups/0_Game/layers/1_design"


def convert(*args, code=0):
    r = run("convert", *args)
    assert r.returncode == code, (args, r)
    return r.stdout.decode(), r.stderr.decode()


def need_images(*names):
    """Skip the test if folders with images of a game are missing."""
    for path in names:
        if not os.path.exists(path):
            pytest.skip(places.NO_MAPS)


def pixels(path):
    image = pytest.importorskip("PIL.Image").open(path).convert("RGBA")
    return image.size, image.tobytes()


def uuids(f):
    return {i.id: struct.pack(">4i", *i.ints) for i in f.of_type(datafile.UUID_INDEX) if len(i.ints) == 4}


def types_with_equal_ids(f):
    return {kind for (kind, _), n in collections.Counter((i.type, i.id) for i in f.items).items() if n > 1}


def items_with_content(f, without_ids=()):
    """The items, with the content of the data that they name: the tool compresses data differently. UUID items and
    the numbers that they give to types are left out."""
    names, out = uuids(f), []
    for item in f.items:
        ints = list(item.ints)
        for i in datafile.data_fields(item):
            if i < len(ints) and f.has_blob(ints[i]):
                ints[i] = f.blob(ints[i])
        if item.type != datafile.UUID_INDEX:
            out.append((str(names.get(item.type, item.type)), 0 if item.type in without_ids else item.id, ints))
    return sorted(out, key=lambda item: item[:2])


def is_for_07(f):
    return any(i.ints[0] >= 2 for i in f.of_type(IMAGE)) or any(
        i.ints[1] == 2 and i.ints[3] >= 4 for i in f.of_type(LAYER)) or any(
        i.ints[0] >= 3 for i in f.of_type(ENVELOPE))


@pytest.mark.parametrize("path", places.each_debian_map() + places.each_corpus_map())
def test_a_map_for_07_equals_the_one_of_map_convert_07(box, path):
    need_images(DDNET)
    try:
        before = datafile.Datafile.load(path)
    except struct.error:
        pytest.skip("no map for the tests' reader")
    for where in (os.path.join(box.root, "data"), os.path.join(box.home, ".local/share/ddnet")):
        os.makedirs(where)
    os.symlink(DDNET, os.path.join(box.root, "data", "mapres"))
    shutil.copy(path, os.path.join(box.root, "in.map"))
    tool = box.run("in.map", "tool.map", program=places.ddnet_tool("map_convert_07"), cwd=box.root)
    out = os.path.join(box.root, "out.map")
    r = run("convert", "--to", "0.7", "--mapres", DDNET, path, out)
    if is_for_07(before):
        assert r.returncode in (0, 2) and (r.returncode or get(out) == get(path))
        return
    if tool.code < 0:  # the tool crashed on a map that is valid
        assert ddnet_reader.read_map(get(out)) == ddnet_reader.read_map(get(path))
        return
    if tool.code:
        assert r.returncode == 2 and not os.path.exists(out)
        return
    expected, ours = (datafile.Datafile.load(os.path.join(box.root, n)) for n in ("tool.map", "out.map"))
    external = [i for i in expected.of_type(IMAGE) if i.ints[3]]
    assert r.returncode == (5 if external else 0), r
    # mapfs repairs ids that occur twice.
    twice = types_with_equal_ids(expected) - {datafile.UUID_INDEX}
    assert not types_with_equal_ids(ours) - {datafile.UUID_INDEX}
    assert items_with_content(ours, twice) == items_with_content(expected, twice)
    # The data of both maps is equal.
    assert sorted(ours.blobs()) == sorted(expected.blobs())
    assert r.stdout.count(b"embedded images/") == sum(
        a.ints != b.ints for a, b in zip(before.of_type(IMAGE), expected.of_type(IMAGE)) if a.ints[3])


def pack_tiles(cells):
    """Tiles as 0.7's editor packs them; a run has at most 256 tiles."""
    out, at = b"", 0
    tiles = [cells[i:i + 4] for i in range(0, len(cells), 4)]
    while at < len(tiles):
        n = 1
        while at + n < len(tiles) and n < 256 and tiles[at + n] == tiles[at]:
            n += 1
        out += tiles[at][:2] + bytes([n - 1]) + tiles[at][3:]
        at += n
    return out


SIDE = 40
CELLS = b"".join(bytes([(x * y) % 7 if y < 20 else 3, x % 2 if y < 4 else 0, 0, 0])
                 for y in range(SIDE) for x in range(SIDE))
PIXELS = bytes(i * 7 & 0xFF for i in range(4 * 32 * 16))


class Map07:
    """A map as Teeworlds 0.7 writes it: packed tiles, images of version 2, points with tangents."""

    def __init__(self):
        self.images = [(b"grass_main", None, 1), (b"bg_cloud1", None, 1), (b"own", (32, 16, PIXELS), 1)]
        self.layers = [pack_tiles(CELLS), pack_tiles(CELLS)]  # game, design
        self.curves = [(1, 5), (2,), (5, 0, 1)]

    def points(self):
        """All 22 integers of each point."""
        return [[10 * i, curve, i, 2 * i, 3 * i, 4 * i] + [100 * i + k if curve == 5 else 0 for k in range(16)]
                for i, curve in enumerate(c for curves in self.curves for c in curves)]

    def encode(self):
        b = datafile.Builder()
        b.add(MAP_VERSION, [1])
        b.info(b"Ann", b"1", b"", b"CC0")
        for name, content, variant in self.images:
            at = b.blob(name + b"\0")
            w, h, data = content or (1024, 1024, None)
            b.add(IMAGE, [2, w, h, int(not content), at, b.blob(data) if data else -1, variant])
        for kind, data in zip((1, 0), self.layers):
            b.tiles(SIDE, SIDE, data, flags=kind, image=-1 if kind else 0, name=("design", "Game")[kind])
            b.items[-1].ints[3] = 4
            del b.items[-1].ints[18:]
        b.group(0, 2, "Game")
        start = 0
        for curves in self.curves:
            b.add(ENVELOPE, [3, 3, start, len(curves)] + words("", 8) + [0])
            start += len(curves)
        b.add(ENVPOINTS, sum(self.points(), []))
        return b.encode()


@pytest.fixture
def map07(box):
    need_images(DDNET, TEEWORLDS)
    return box.add(Map07().encode(), "seven.map")


def test_a_map_of_07_is_converted_for_06(box, map07):
    out = os.path.join(box.root, "six.map")
    reported = convert("--to", "0.6", map07, out)[0].splitlines()
    f = datafile.Datafile.load(out)
    # Tiles and their layers.
    for layer in f.of_type(LAYER):
        assert layer.ints[3] == 3 and f.blob(layer.ints[14]) == CELLS
    # Images: 0.7's own grass is embedded, under DDNet's name for it.
    images = [(i.ints[0], len(i.ints), f.blob(i.ints[4]), bool(i.ints[3])) for i in f.of_type(IMAGE)]
    assert images == [(1, 6, b"grass_main_0.7\0", False), (1, 6, b"bg_cloud1\0", True), (1, 6, b"own\0", False)]
    grass, _, own = f.of_type(IMAGE)
    assert ((grass.ints[1], grass.ints[2]), f.blob(grass.ints[5])) == pixels(DDNET + "/grass_main_0.7.png")
    assert f.blob(own.ints[5]) == PIXELS and own.ints[1:3] == [32, 16]
    # Envelopes: the points, and DDNet's item with their tangents.
    points = Map07().points()
    assert [i.ints[0] for i in f.of_type(ENVELOPE)] == [2, 2, 2]
    assert f.of_type(ENVPOINTS)[0].ints == sum((p[:6] for p in points), [])
    bezier = [t for t, uuid in uuids(f).items() if uuid == BEZIER]
    assert [i.ints for i in f.of_type(bezier[0])] == [sum((p[6:] for p in points), [])]
    assert reported == ["embedded images/0_grass_main.json: 1024 x 1024 pixels",
                    "converted images/1_bg_cloud1.json: 1024 x 1024 pixels",
                    "converted images/2_own.png: 32 x 16 pixels",
                    "unpacked groups/0_Game/layers/0_Game: its version is 3 now",
                    "unpacked %s: its version is 3 now" % DESIGN,
                    "converted envelopes: tangents of 3 are now outside the points, as in DDNet"]
    # 0.6 itself ignores the tangents.
    convert("--to", "0.6", "--strip", map07, out)
    assert not uuids(datafile.Datafile.load(out))
    assert ddnet_reader.read_map(get(out)) == (None, [], set())


def test_a_map_converted_for_06_is_converted_back_for_07(box, map07):
    out, back = (os.path.join(box.root, n) for n in ("six.map", "back.map"))
    convert("--to", "ddnet", map07, out)
    reported = convert("--to", "0.7", out, back)[0].splitlines()
    f = datafile.Datafile.load(back)
    # No point has a Bezier curve; the points are unchanged, and DDNet's item is removed.
    assert [i.ints[0] for i in f.of_type(ENVELOPE)] == [3, 2, 3]
    assert f.of_type(ENVPOINTS)[0].ints == sum(Map07().points(), []) and not uuids(f)
    assert reported == ["embedded images/1_bg_cloud1.json: 2048 x 1024 pixels",
                    "converted envelopes: tangents of 2 are now in the points, as in 0.7"]
    was = get(back)
    for game in ("0.7", "0.7"):
        assert convert("--to", game, back) == ("", "")
    assert get(back) == was


def test_parts_of_a_07_map_that_06_cannot_have_are_refused(box):
    m = Map07()
    m.images[2] = (b"own", (32, 16, PIXELS), 0)
    m.layers[1] = m.layers[1][:-4]
    file, out = box.add(m.encode(), "seven.map"), os.path.join(box.root, "six.map")
    reported = convert("--to", "0.6", file, out, code=2)[1].splitlines()
    assert reported[0] == "mapfs: %s: images/2_own.json: its pixels are not RGBA (required by 0.6)" % file
    assert reported[1].startswith("mapfs: %s: %s: cannot read the tiles of the layer: " % (file, DESIGN))
    assert reported[2:] == ["mapfs: %s: not converted: 0.6 cannot use all parts of the map" % file]
    assert not os.path.exists(out)
    assert convert("-n", "--to", "0.6", file, code=2)[1].count("\n") == 3


def race(*images, tiled=0):
    r = Race()
    r.images = list(images)
    r.design[0] = r.design[0][:3] + (tiled, -1)
    return r.encode()


ODD = (b"odd", (20, 33, bytes(i * 11 & 0xFF for i in range(4 * 20 * 33))))


def test_images_with_a_size_that_07_refuses_are_scaled(box):
    file, out = box.add(race(ODD), "odd.map"), os.path.join(box.root, "out.map")
    wrong = "images/0_odd.png has 20 x 33 pixels (multiples of 16 in 0.7)"
    assert convert("--to", "0.7", file, out, code=2) == ("", "mapfs: %s: %s: %s\nmapfs: %s: not converted: 0.7 cannot use all parts of the map\n" % (file, DESIGN, wrong, file))
    assert not os.path.exists(out)
    assert convert("--to", "0.7", "--scale", file, out) == ("scaled images/0_odd.png: 32 x 48 pixels\n", "")
    f = datafile.Datafile.load(out)
    image = f.of_type(IMAGE)[0].ints
    old = ODD[1][2]
    nearest = b"".join(old[4 * (y * 33 // 48 * 20 + x * 20 // 32):][:4] for y in range(48) for x in range(32))
    assert image[:4] == [1, 32, 48, 0] and f.blob(image[5]) == nearest
    # An image that no layer of tiles uses may have any size.
    file = box.add(race(ODD, tiled=-1), "quads.map")
    assert convert("--to", "0.7", "--scale", file, out) == ("", "")
    assert get(out) == get(file)


def test_an_external_image_is_scaled(box):
    need_images(DDNET)
    out = os.path.join(box.root, "out.map")
    file = box.add(race((b"ddnet_start", None)), "start.map")
    assert "has 512 x 135 pixels" in convert("--to", "0.7", file, out, code=2)[1]
    convert("--to", "0.7", "--scale", file, out)
    f = datafile.Datafile.load(out)
    _, old = pixels(DDNET + "/ddnet_start.png")
    image = f.of_type(IMAGE)[0].ints
    assert image[:4] == [1, 512, 144, 0]
    assert f.blob(image[5]) == b"".join(old[4 * 512 * (y * 135 // 144):][:4 * 512] for y in range(144))


def test_missing_images_are_reported(box):
    out = os.path.join(box.root, "out.map")
    file = box.add(race((b"easter", None), (b"nowhere", None)), "a.map")
    reported = convert("--to", "0.7", file, out, code=2)[1].splitlines()
    assert reported == [
        "mapfs: %s: images/0_easter.json: 0.7 has another image of this name, and easter.png not found "
        "(use --mapres DIR)" % file,
        "mapfs: %s: unchanged: images/1_nowhere.json: 0.7 has no such image, and nowhere.png not found "
        "(use --mapres DIR)" % file, "mapfs: %s: not converted: 0.7 cannot use all parts of the map" % file]
    os.makedirs(os.path.join(box.root, "mine"))
    image = pytest.importorskip("PIL.Image").new("P", (16, 32), 1)
    image.putpalette([9, 8, 7, 1, 2, 3])
    image.save(os.path.join(box.root, "mine", "easter.png"))
    mine = "--mapres=" + os.path.join(box.root, "mine")
    assert "nowhere" in convert("--to", "0.7", mine, file, out, code=5)[1]
    f = datafile.Datafile.load(out)
    assert f.blob(f.of_type(IMAGE)[0].ints[5]) == bytes([1, 2, 3, 255]) * (16 * 32)
    # A file that is no PNG counts as missing.
    put(os.path.join(box.root, "mine", "easter.png"), b"none")
    assert "not a PNG" in convert("--to", "0.7", mine, file, out, code=2)[1]


def test_the_known_images_are_those_of_the_games_packages(box):
    need_images(DDNET, TEEWORLDS)
    of_ddnet, of_07 = ({n[:-4] for n in os.listdir(d) if n.endswith(".png")} for d in (DDNET, TEEWORLDS))
    r = Race()
    names = sorted(n for n in of_ddnet | of_07 if not n.endswith("_0.7"))
    r.images = [(n.encode(), None) for n in names]
    file = box.add(r.encode(), "all.map")
    reported = [line.split(": ", 2)[2] for line in run("check", "--for", "0.7", file).stdout.decode().splitlines()
            if "0.7 " in line and "images/" in line]
    stem = "images/%%0%dd_%%s.json" % len(str(len(names) - 1))
    expected = {stem % (i, n): "0.7 has another image of this name" if n in OTHER else "0.7 has no such image"
                for i, n in enumerate(names) if n in OTHER or n not in of_07}
    assert dict(line.split(": ", 1) for line in reported) == expected


def ddnet_map():
    """A map with everything that Teeworlds ignores."""
    b = datafile.Builder()
    b.add(MAP_VERSION, [1])
    b.info(b"Ann", b"", b"", b"CC0", [b"sv_team 1"])
    b.sound(b"bell", datafile.opus_head())
    b.tiles(W, H, bytes(4 * W * H), 1, name="Game")
    b.tiles(W, H, bytes(4 * W * H), 2, name="Tele")
    b.items[-1].ints[18] = b.blob(bytes(2 * W * H))
    b.tiles(W, H, bytes([1, 0, 0, 0]) * (W * H), name="design")
    source = [0, 0, 0, 0, 0, 0, -1, 0, 1, 0, 1, 5, 0]
    b.add(LAYER, [0, 10, 0, 2, 1, b.blob(struct.pack("<13i", *source)), 0] + words("bells", 3))
    quad = [0] * 34 + [0, 0, -1, 0]
    b.add(LAYER, [0, 3, 0, 2, 1, b.blob(struct.pack("<38i", *quad)), -1] + words("quads", 3))
    b.group(0, 5, "Game")
    b.add(ENVELOPE, [2, 3, 0, 1] + words("turn", 8) + [0])
    b.add(ENVELOPE, [2, 1, 1, 2] + words("loud", 8) + [0])
    b.add(ENVPOINTS, [0, 1, 7, 7, 7, 7] + [0, 1, 8, 8, 8, 8] * 2)
    auto = struct.unpack(">4i", bytes.fromhex("3e1b2716178c39789bd9b11ae0410dd8"))
    b.add(datafile.UUID_INDEX, auto, id_=0xFFFE)
    b.add(0xFFFE, [1, 0, 2, 3, 4, 0])
    return b.encode()


@pytest.mark.parametrize("game", ["0.7", "0.6"])
def test_parts_that_teeworlds_ignores_are_left_out(box, game):
    file, out = box.add(ddnet_map(), "race.map"), os.path.join(box.root, "out.map")
    assert convert("--to", game, file, out) == ("", "") and get(out) == get(file)
    reported = convert("--to", game, "--strip", file, out)[0].splitlines()
    assert reported == ["removed %s: %s ignores it" % (path, game) for path in (
        "info/settings.cfg", "groups/0_Game/layers/1_Tele", "groups/0_Game/layers/3_bells", "sounds/0_bell.opus",
        "envelopes/1_loud.json")]
    f = datafile.Datafile.load(out)
    assert not f.of_type(SOUND) and not uuids(f) and f.of_type(INFO)[0].ints[5] == -1
    assert [(i.ints[1], i.ints[6] if i.ints[1] == 2 else None) for i in f.of_type(LAYER)] == [
        (2, 1), (2, 0), (3, None)]
    assert f.of_type(GROUP)[0].ints[5:7] == [0, 3]
    assert f.of_type(ENVPOINTS)[0].ints == [0, 1, 7, 7, 7, 7]
    quad = next(i for i in f.of_type(LAYER) if i.ints[1] == 3)
    assert struct.unpack("<38i", f.blob(quad.ints[5]))[34] == 0
    assert ddnet_reader.read_map(get(out)) == (None, [], set())
    assert convert("--to", game, "--strip", out) == ("", "")
    assert convert("--to", "ddnet", "--strip", file) == ("", "")


def check_for(game, file, *more, code):
    r = run("check", *more, "--for", game, file)
    assert r.returncode == code and not r.stderr, r
    return [line.split(": warning: ", 1)[1] for line in r.stdout.decode().splitlines()]


def test_check_reports_what_a_game_ignores(box, map07):
    layers = "groups/0_Game/layers/"
    ignored = ["info/settings.cfg: %s ignores settings in maps", layers + "1_Tele: %s has no tele layers",
               layers + "3_bells: %s has no sounds layers"]
    race_ = box.add(ddnet_map(), "race.map")
    for game in ("0.6", "0.7"):
        assert [line for line in check_for(game, race_, code=5) if game in line] == [t % game for t in ignored]
    assert check_for("ddnet", race_, code=0) == []
    assert check_for("0.7", map07, code=0) == []
    seven = ["images/0_grass_main.json: %s has another image of this name",
             layers + "0_Game: its tiles are packed (only in 0.7)",
             layers + "1_design: its tiles are packed (only in 0.7)"]
    tangents = ["envelopes/%d.json: its points have tangents (only in 0.7)" % i for i in range(3)]
    curves = ["envelopes/%d.json: 0.6 draws lines instead of Bezier curves" % i for i in (0, 2)]
    assert check_for("ddnet", map07, code=5) == [t.replace("%s", "DDNet") for t in seven] + tangents
    assert sorted(check_for("0.6", map07, code=5)) == sorted([t.replace("%s", "0.6") for t in seven] + tangents + curves)
    assert run("check", map07).returncode == 0
    six = os.path.join(box.root, "six.map")
    convert("--to", "ddnet", map07, six)
    assert check_for("ddnet", six, code=0) == [] and check_for("0.6", six, code=5) == curves
    assert check_for("0.7", six, code=5) == [
        "envelopes/%d.json: its tangents are outside the points, where 0.7 does not read them" % i for i in (0, 2)]
    odd = box.add(race(ODD), "odd.map")
    r = run("check", "--json", "--for", "0.7", odd)
    fault = [f for f in map(json.loads, r.stdout.splitlines()) if f["path"] == DESIGN][-1]
    assert r.returncode == 5 and fault == {
        "file": odd, "level": "warning", "path": DESIGN, "field": "image", "value": "20 x 33",
        "bound": "multiples of 16",
        "problem": "images/0_odd.png has 20 x 33 pixels (multiples of 16 in 0.7)", "fixable": False}


def test_a_folder_is_converted_to_another_folder(box, map07):
    top = os.path.join(box.root, "all")
    new = os.path.join(box.root, "all7")
    os.makedirs(top + "/below")
    shutil.copy(box.add(race((b"grass_main", None)), "a.map"), top + "/a.map")
    shutil.copy(map07, top + "/below/b.map")
    put(top + "/bad.map", b"DATA", os.O_WRONLY | os.O_CREAT)
    put(top + "/notes.txt", b"", os.O_WRONLY | os.O_CREAT)
    line = "%s/a.map: embedded images/0_grass_main.json: 1024 x 1024 pixels\n" % top
    out, err = convert("-n", "--to", "0.7", top, new, code=2)
    assert out == line and "bad.map: " in err and not os.path.exists(new)
    out, err = convert("--to", "0.7", top + "/", new, code=2)
    assert out == line and "bad.map: " in err
    assert sorted(os.listdir(new)) == ["a.map", "below"] and os.listdir(new + "/below") == ["b.map"]
    assert get(new + "/below/b.map") == get(map07)  # everything was converted before
    os.remove(top + "/bad.map")
    before = {n: os.stat(os.path.join(new, n)).st_ino for n in ("a.map", "below/b.map")}
    assert convert("--to", "0.7", top, new) == ("", "")
    assert {n: os.stat(os.path.join(new, n)).st_ino for n in before} == before
    os.utime(top + "/a.map", (2**31, 2**31))
    assert convert("--to", "0.7", top, new) == (line, "")
    assert os.stat(new + "/a.map").st_ino != before["a.map"]
    assert os.stat(new + "/below/b.map").st_ino == before["below/b.map"]
    # The output must not be inside the folder, nor replace a file that is no map.
    for inside in (top, top + "/new"):
        assert convert("--to", "0.7", top, inside, code=2)[1].endswith(
            "%s: is in the source folder (use --in-place)\n" % inside)
    assert sorted(os.listdir(top)) == ["a.map", "below", "notes.txt"]
    put(new + "/a.map", b"mine")
    os.utime(new + "/a.map", (1, 1))
    assert "already exists and is not a map" in convert("--to", "0.7", top, new, code=2)[1]
    assert get(new + "/a.map") == b"mine"
    os.remove(new + "/a.map")
    os.mkdir(new + "/a.map")
    assert "is not a regular file" in convert("--to", "0.7", top, new, code=2)[1]
    os.rmdir(new + "/a.map")
    os.symlink("nowhere", new + "/a.map")
    os.utime(new + "/a.map", (2**31 + 1, 2**31 + 1), follow_symlinks=False)
    assert "new/a.map" in convert("--to", "0.7", top, new, code=2)[1].replace(new, "new")
    assert os.listdir(new) and not os.path.exists(new + "/nowhere")


def test_maps_are_converted_in_place(box, map07):
    other = box.add(race((b"grass_main", None)), "a.map")
    was = get(map07)
    out, err = convert("--to", "0.7", "--in-place", other, map07)
    assert out == other + ": embedded images/0_grass_main.json: 1024 x 1024 pixels\n" and not err
    assert get(map07) == was and datafile.Datafile.load(other).of_type(IMAGE)[0].ints[3] == 0
    r = run("convert", "--to", "0.6", "-", "-", input=was)
    assert r.returncode == 0 and r.stdout[:4] == b"DATA" and b"unpacked" in r.stderr


def test_wrong_command_lines_are_refused(box, map07):
    for args, why in ((["x.map"], "name the game with --to"), (["--to", "0.5", "x.map"], "unknown game 0.5"),
                      (["--to", "0.6", "a", "b", "c"], "several maps")):
        assert why in convert(*args, code=1)[1]
    assert "unknown game x" in run("check", "--for", "x", map07).stderr.decode()
    archive = box.add(archives.small_mod(), "a.mod")
    for r, why in ((run("convert", "--to", "0.7", archive), b"conversion is not supported for this format"),
                   (run("check", "--for", "0.7", archive), b" this format")):
        assert r.returncode == 2 and why in r.stderr


@pytest.mark.parametrize("path", places.each_crafted_map(
    "ok", "quirk", "bad", but=share.of((), ("b08_bomb_1gib_zeros.map",))))  # check is slow on larger ones
def test_a_converted_odd_map_has_no_new_faults(box, path):
    before = ddnet_reader.read_map(get(path))
    for game in ("0.7", "0.6", "ddnet"):
        out = os.path.join(box.root, game + ".map")
        r = run("convert", "--to", game, "--scale", "--strip", path, out)
        assert r.returncode in (0, 2, 4, 5), r
        assert run("check", "--for", game, path).returncode in (0, 2, 5)
        if before.refused is None and os.path.exists(out):
            assert ddnet_reader.read_map(get(out)).refused is None


SEVEN = ["dm1", "ctf8", "dm9", "lms1"]


def tables(file):
    return run("cat", file, "groups/*/layers/*/*.csv").stdout


@pytest.mark.parametrize("name", SEVEN)
def test_the_ddnet_server_loads_maps_of_07(box, name):
    need_images(DDNET, TEEWORLDS)
    path, out = places.debian_map("teeworlds/data/maps/%s.map" % name), os.path.join(box.root, "x.map")
    convert("--to", "0.6", path, out)
    assert tables(out) == tables(path)
    loads(box, "/usr/games/DDNet-Server", ".local/share/ddnet", out, [b"rcon password"],
          [b"failed to load map", b"VERY wrong"], signal.SIGINT, "sv_ipv4only 1")


@pytest.mark.parametrize("name", ["dm1", "ctf5", "Tutorial"])
def test_the_teeworlds_server_loads_maps_of_ddnet(box, name):
    need_images(DDNET)
    path, out = places.debian_map("ddnet/data/maps/%s.map" % name), os.path.join(box.root, "x.map")
    convert("--to", "0.7", "--strip", path, out)
    loads(box, "/usr/games/teeworlds-server", ".teeworlds", out, [b"crc is"], [b"failed to load map"], signal.SIGTERM)


@pytest.mark.parametrize("command", [["convert", "--to", "0.7"], ["convert", "-n", "--to", "0.7"], ["tidy"], ["automap"]],
                         ids=" ".join)
def test_a_folder_cannot_go_to_standard_output(box, command):
    top = os.path.join(box.root, "maps of all")
    os.mkdir(top)
    with open(top + "/a.map", "wb") as f:
        f.write(datafile.small_map())
    r = run(*command, top, "-", cwd=box.root)
    assert (r.returncode, r.stdout) == (1, b"")
    assert r.stderr == b"mapfs: %s: cannot write a folder to standard output; name a folder as OUT (see mapfs help %s)\n" % (
        (command[0].encode(),) * 2)
    assert not os.path.exists(os.path.join(box.root, "-"))
