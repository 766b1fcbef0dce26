# SPDX-License-Identifier: Zlib
"""mapfs check reports errors and warnings of the newest game, with their places, and agrees with ddnet_reader.py on
every map."""
import glob
import json
import os
import re
import struct
import subprocess
import zlib

import pytest

import datafile
import ddnet_reader
import places
import share
from datafile import ENVELOPE, ENVPOINTS, GROUP, IMAGE, LAYER, MAP_VERSION, SOUND, UUID_INDEX

MEMBERS = ["file", "level", "path", "field", "value", "bound", "problem", "fixable"]
GIANT = 64 << 20  # largest number of bytes that the reader inflates


def check(*args):
    r = subprocess.run([places.BINARY, "check", "--json", "--no-limit", *args], capture_output=True, timeout=300)
    found = [json.loads(line) for line in r.stdout.splitlines()]
    assert all(list(f) == MEMBERS for f in found)
    return r.returncode, found


def corpus():
    crafted = glob.glob(places.CORPUS + "/crafted/*.map")
    real = places.debian_maps() + glob.glob(places.CORPUS + "/maps/*.map")
    paths = share.maps(real) + sorted(crafted)
    if not paths:
        return [pytest.param(None, id="none", marks=pytest.mark.skip(reason=places.NO_MAPS))]
    return [pytest.param(p, id=os.path.basename(p)) for p in paths]


def is_giant(raw):
    try:
        return sum(datafile.Datafile(raw).declared) > GIANT and not share.ALL
    except (ValueError, IndexError, struct.error, AttributeError):
        return False


def assert_agreement(path, raw):
    verdict = ddnet_reader.read_map(raw)
    code, found = check(path)
    errors = [f["field"] for f in found if f["level"] == "error"]
    warnings = [f for f in found if f["level"] == "warning"]
    assert (code == 2) == bool(errors) == (verdict.refused is not None), (verdict.refused, found)
    if verdict.refused:
        return verdict.refused, errors
    tables = [f["field"] for f in warnings if not f["path"] and f["field"] in ("size", "swaplen")]
    empty = [f["field"] for f in warnings if f["field"].startswith("data_sizes[")]
    assert sorted(tables + empty) == sorted(verdict.warned)
    bad = [re.match(r"data item (\d+): ", f["problem"]) for f in warnings]
    assert {int(m[1]) for m in bad if m} | {int(f[11:-1]) for f in empty} == verdict.erroneous
    return None, errors


@pytest.mark.parametrize("path", corpus())
def test_check_agrees_with_an_independent_reader(path):
    with open(path, "rb") as f:
        raw = f.read()
    if is_giant(raw):
        pytest.skip("takes long: MAPFS_TEST_ALL=1 does it")
    refused, errors = assert_agreement(path, raw)
    # For a file that does not open, check reports the first error in its own order of checks.
    if refused and subprocess.run([places.BINARY, "ls", path], capture_output=True).returncode == 0:
        assert refused in errors


def overwrite(raw, at, fmt, value):
    out = bytearray(raw)
    struct.pack_into(fmt, out, at, value)
    return bytes(out)


def find_tables(raw):
    """Offsets of the tables of data offsets and sizes, and of the items."""
    n_types, n_items, n_data, item_size = struct.unpack_from("<4i", raw, 16)
    at = 36 + 12 * n_types + 4 * n_items
    return at, at + 4 * n_data, at + 8 * n_data, item_size


def shift_data(raw):
    """Let the first data item begin at 4."""
    offsets, _, items, item_size = find_tables(raw)
    n = struct.unpack_from("<i", raw, 24)[0]
    out = bytearray(raw)
    for i in range(n):
        struct.pack_into("<i", out, offsets + 4 * i, struct.unpack_from("<i", raw, offsets + 4 * i)[0] + 4)
    data = items + item_size
    for at, add in ((8, 4), (32, 4)):
        struct.pack_into("<i", out, at, struct.unpack_from("<i", raw, at)[0] + add)
    return bytes(out[:data]) + b"\0\0\0\0" + bytes(out[data:])


FILES = {
    "trailing": (lambda raw: raw + b"x", "error", "file size"),
    "size": (lambda raw: overwrite(raw, 8, "<i", 5), "error", "size"),
    "swaplen": (lambda raw: overwrite(raw, 12, "<i", 5), "error", "swaplen"),
    "first offset": (shift_data, "error", "data_offsets[0]"),
    "empty data": (lambda raw: overwrite(raw, find_tables(raw)[1], "<i", 0), "warning", "data_sizes[0]"),
    "crude": (lambda raw: overwrite(overwrite(
        raw, 8, "<i", len(raw) - 16 - 4 * struct.unpack_from("<i", raw, 24)[0]), 12, "<i",
        struct.unpack_from("<i", raw, 12)[0] - 4 * struct.unpack_from("<i", raw, 24)[0]), "warning", "swaplen"),
}


@pytest.mark.parametrize("name", FILES)
def test_odd_tables_are_reported_as_the_game_reads_them(box, name):
    change, level, field = FILES[name]
    raw = change(datafile.small_map())
    path = box.add(raw, "odd.map")
    refused, _ = assert_agreement(path, raw)
    assert (refused is not None) == (level == "error")
    code, found = check(path)
    fault = [f for f in found if f["field"] == field][0]
    assert fault["level"] == level and fault["problem"].startswith(field + " is %s (" % fault["value"])
    # A save repairs the map, and a mere warning does not prevent the save.
    r = subprocess.run([places.BINARY, "put", path, "info/settings.cfg"], input=b"sv_x 1\n", capture_output=True)
    assert r.returncode == 0, r
    if name != "empty data":  # this data item stays
        assert [f for f in check(path)[1] if f["field"] == field] == []


class Maker(datafile.Builder):
    """A valid map that tests damage."""

    def __init__(self):
        super().__init__()
        self.add(MAP_VERSION, [1])
        self.info(settings=[b"sv_x 1"])
        self.tiles(4, 3, bytes(48), flags=1, name="Game")
        self.n = 1
        self.points = 0

    def layer(self, ints):
        self.n += 1
        self.add(LAYER, ints)

    def design(self, image=-1, data=None, kind=0, w=4, h=3):
        self.n += 1
        self.tiles(w, h, bytes(4 * w * h) if data is None else data, flags=kind, image=image)

    def physics(self, kind, data, w=4, h=3):
        own = [-1] * 5
        own[ddnet_reader.OWN[kind]] = self.blob(data)
        self.layer([0, 2, 0, 3, w, h, kind, 255, 255, 255, 255, -1, 0, -1, self.blob(bytes(4 * w * h))]
                   + datafile.words("", 3) + own)

    def finish(self):
        self.group(0, self.n, "Game")
        self.add(ENVPOINTS, [0, 1, 0, 0, 0, 0] * self.points)
        return self.encode()


def image(m, *head, name=b"x", pixels=bytes(1024)):
    m.add(IMAGE, list(head[:4]) + [m.blob(name + b"\0"), m.blob(pixels)] + list(head[4:]))


def add_wide_image(m):
    m.image(b"x", 17, 16, bytes(17 * 16 * 4))
    m.design(image=0)


def leave_out_of_group(m):
    m.design()
    m.n -= 1


def add_physics_twice(m):
    m.physics(2, bytes(24))
    m.physics(2, bytes(24))


def add_65_images(m):
    for i in range(65):
        m.external(b"grass_main")


def text(value):
    def change(m):
        m.items[1].ints[1] = m.blob(value)
    return change


def listing(kind, source):
    return lambda m: m.layer([0, kind, 0, 2, 0, m.blob(bytes(152)), source] + datafile.words("", 3))


def add_counted_item(kind, count, there, version=2):
    size = 152 if kind == 3 else 52
    return lambda m: m.layer([0, kind, 0, version, count, -1 if there is None else m.blob(bytes(size * there)), -1]
                             + datafile.words("", 3))


def envelope(start, count):
    """An envelope of two points."""
    def change(m):
        m.points = 2
        m.add(ENVELOPE, [2, 3, start, count] + datafile.words("e", 8) + [0])
    return change


def add_packed_layer(m, kind, size):
    m.physics(kind, bytes(12 * size))
    m.items[-1].ints[3] = 4


# name: (change of the map, pattern of the reported path, field, value)
WARNINGS = {
    "external image": (lambda m: m.external(b"nobody has it"), "images/0_nobody has it.json", "name", "nobody has it"),
    "variant": (lambda m: image(m, 2, 16, 16, 0, 0), "images/0_x.json", "variant", 0),
    "image without size": (lambda m: image(m, 1, 0, 16, 0), "images/0_x.json", "size", "0 x 16"),
    "image of too few pixels": (lambda m: image(m, 1, 17, 16, 0), "images/0_x.json", "size", "17 x 16"),
    "image that is short": (lambda m: m.add(IMAGE, [1, 2, 3]), "images/0.json", "integers", 3),
    "image for tiles": (add_wide_image, "groups/0_Game/layers/1", "image", "17 x 16"),
    "image that is not there": (lambda m: m.design(image=3), "groups/0_Game/layers/1", "image", 3),
    "quads of an image that is not there": (listing(3, 7), "groups/0_Game/layers/1", "image", 7),
    "sound that is not there": (listing(10, 7), "groups/0_Game/layers/1", "sound", 7),
    "too many images": (add_65_images, "", "images", 65),
    "external sound": (lambda m: m.add(SOUND, [1, 1, m.blob(b"x\0"), -1, 0]), "sounds/0_x.json", "external", 1),
    "sound that is none": (lambda m: m.sound(b"x", b"RIFF...."), "sounds/0_x.opus", "data", ""),
    "channels": (lambda m: m.add(ENVELOPE, [2, 2, 0, 0] + datafile.words("e", 8) + [0]), "envelopes/0_e.json",
                 "channels", 2),
    "unknown layer": (lambda m: m.layer([0, 4, 0]), "groups/0_Game/layers/1", "type", 4),
    "old sounds": (listing(9, -1), "groups/0_Game/layers/1", "type", 9),
    "no group": (leave_out_of_group, "layer 1", "group", ""),
    "a second tele layer": (add_physics_twice, "groups/0_Game/layers/1", "kind", 2),
    "text without end": (text(b"me"), "info/author", "text", ""),
    "text that ends twice": (text(b"m\0e\0"), "info/author", "text", ""),
    "text that is not UTF-8": (text(b"\xff\0"), "info/author", "text", ""),
    "quads that are not all there": (add_counted_item(3, 5, 3), "groups/0_Game/layers/1", "count", 5),
    "quads of no data": (add_counted_item(3, 5, None), "groups/0_Game/layers/1", "count", 5),
    "quads, less than none": (add_counted_item(3, -1, 3), "groups/0_Game/layers/1", "count", -1),
    "sources that are not all there": (add_counted_item(10, 4, 3), "groups/0_Game/layers/1", "count", 4),
    "sounds of a later version": (add_counted_item(10, 1, 1, version=3), "groups/0_Game/layers/1", "version", 3),
    "sounds of version 0": (add_counted_item(10, 1, 1, version=0), "groups/0_Game/layers/1", "version", 0),
    "short quads": (lambda m: m.layer([0, 3, 0, 1, 0, -1]), "groups/0_Game/layers/1", "integers", 6),
    "short name of quads": (lambda m: m.layer([0, 3, 0, 2, 0, -1, -1]), "groups/0_Game/layers/1", "integers", 7),
    "short sounds": (lambda m: m.layer([0, 10, 0, 1, 0, -1]), "groups/0_Game/layers/1", "integers", 6),
    "short info": (lambda m: m.items[1].ints.__delitem__(slice(3, None)), "info", "integers", 3),
    "info of a later version": (lambda m: m.items[1].ints.__setitem__(0, 2), "info", "version", 2),
    "short envelope": (lambda m: m.add(ENVELOPE, [1, 3, 0]), "envelopes/0.json", "integers", 3),
    "short envelope of version 2": (lambda m: m.add(ENVELOPE, [2, 3, 0, 0] + datafile.words("e", 8)),
                                    "envelopes/0_e.json", "integers", 12),
    "image without its variant": (lambda m: image(m, 2, 16, 16, 0), "images/0_x.json", "integers", 6),
    "short sound": (lambda m: m.add(SOUND, [1, 0, -1]), "sounds/0.json", "integers", 3),
    "points that are not there": (envelope(0, 3), "envelopes/0_e.json", "points", None),
    "points from below": (envelope(-1, 1), "envelopes/0_e.json", "points", None),
    "points, less than none": (envelope(1, -1), "envelopes/0_e.json", "points", None),
    "tele of version 4": (lambda m: add_packed_layer(m, 2, 2), "groups/0_Game/layers/1", "version", 4),
    "front of version 4": (lambda m: add_packed_layer(m, 8, 4), "groups/0_Game/layers/1", "version", 4),
    "taller tele": (lambda m: m.physics(2, bytes(32), h=4), "groups/0_Game/layers/1", "size", "4 x 4"),
    "wider tele": (lambda m: m.physics(2, bytes(48), 6, 4), "groups/0_Game/layers/1", "size", "6 x 4"),
    "narrow tele": (lambda m: m.physics(2, bytes(24), 2, 6), "groups/0_Game/layers/1", "size", "2 x 6"),
    "sound of three channels": (lambda m: m.sound(b"x", datafile.opus_head()[:37] + b"\3\0"), "sounds/0_x.opus",
                                "data", ""),
    "sound that is Vorbis": (lambda m: m.sound(b"x", b"OggS" + bytes(24) + b"\x01vorbis..."), "sounds/0_x.opus", "data",
                             ""),
    "skip": (lambda m: m.design(data=bytes([0, 0, 7, 0]) + bytes(44)), "groups/0_Game/layers/1", "skip", 7),
    "reserved": (lambda m: m.design(data=bytes(43) + b"\x05" + bytes(4)), "groups/0_Game/layers/1", "reserved", 5),
    "padding": (lambda m: m.physics(4, bytes([0, 0, 0, 9]) + bytes(68)), "groups/0_Game/layers/1", "padding", 9),
    "old switches": (lambda m: m.physics(16, bytes(24)), "groups/0_Game/layers/1", "data", None),
    "too few tiles": (lambda m: m.design(data=bytes(44)), "groups/0_Game/layers/1", "data", None),
}


def make_map(box, change):
    m = Maker()
    change(m)
    return box.add(m.finish(), "made.map")


@pytest.mark.parametrize("name", WARNINGS)
def test_parts_that_a_game_ignores_are_warnings(box, name):
    change, where, field, value = WARNINGS[name]
    path = make_map(box, change)
    code, found = check(path)
    assert code == 0 and {f["level"] for f in found} == {"warning"}, found
    fault = found[0]
    assert (len(found), fault["path"], fault["field"]) == (1, where, field), found
    assert value is None or fault["value"] == value
    assert fault["bound"] or field == "data"
    with open(path, "rb") as f:
        assert ddnet_reader.read_map(f.read()).refused is None
    plain = subprocess.run([places.BINARY, "check", "--no-limit", path], capture_output=True, text=True).stdout
    assert plain == "%s: warning: %s%s%s\n" % (path, where and where + ": ", fault["problem"],
                                               " (fixable)" if fault["fixable"] else "")
    r = subprocess.run([places.BINARY, "put", path, "info/settings.cfg"], input=b"sv_x 2\n", capture_output=True)
    assert r.returncode == 0, r


def test_a_place_is_counted_as_in_the_editor(box):
    """x and y, starting at 0."""
    tiles = bytearray(48)
    tiles[4 * (2 * 4 + 3) + 2] = 9
    _, found = check(make_map(box, lambda m: m.design(data=bytes(tiles))))
    assert [f["problem"] for f in found] == ["data item 2: skip is 9 (0) at x 3, y 2"]


def test_a_valid_map_has_no_fault(box):
    assert check(make_map(box, lambda m: None)) == (0, [])


def test_a_fault_is_reported_once(box):
    """A damaged layer is one line, although several of its files are unreadable."""
    m = Maker()
    m.design()
    raw = m.finish()
    at = raw.rindex(zlib.compress(bytes(48)))
    code, found = check(box.add(raw[:at + 2] + b"\xff" + raw[at + 3:], "made.map"))
    assert code == 0 and [(f["path"], f["field"]) for f in found] == [("groups/0_Game/layers/1", "data")]


def test_a_game_layer_that_cannot_be_read_is_an_error(box):
    m = Maker()
    raw = m.finish()
    at = raw.rindex(zlib.compress(bytes(48)))
    bad = raw[:at + 2] + b"\xff" + raw[at + 3:]
    assert assert_agreement(box.add(bad, "made.map"), bad) == ("tiles", ["data"])


@pytest.mark.parametrize("name, tail", [("taller tele", "the other rows are not used"),
                                        ("wider tele", "the game moves its tiles to other places"),
                                        ("narrow tele", "the game moves its tiles to other places")])
def test_too_large_physics_layers_are_reported_with_their_effect(box, name, tail):
    _, found = check(make_map(box, WARNINGS[name][0]))
    assert found[0]["problem"].endswith(": " + tail) and found[0]["bound"] == "4 x 3"


def test_too_small_physics_layers_are_refused(box):
    path = make_map(box, lambda m: m.physics(2, bytes(16), 4, 2))
    code, found = check(path)
    assert code == 2 and [(f["field"], f["value"], f["bound"]) for f in found] == [("size", "4 x 2", "4 x 3")]


def test_groups_that_the_editor_drops_are_warnings(box):
    """The game itself draws these groups."""
    for ints, reported in (([4] + [0] * 4 + [0, 1] + [0] * 8, ("version", 4)), ([2] + [0] * 4 + [0, 1], ("integers", 7)),
                       ([3] + [0] * 4 + [0, 1] + [0] * 5, ("integers", 12)),
                       ([0] + [0] * 4 + [0, 1] + [0] * 8, ("version", 0))):
        m = Maker()
        m.add(GROUP, ints)
        m.add(ENVPOINTS, [])
        code, found = check(box.add(m.encode(), "made.map"))
        assert (code, [(f["level"], f["field"], f["value"]) for f in found]) == (0, [("warning", *reported)])


def test_points_and_tangents_of_an_odd_length_are_warnings(box):
    b = Maker()
    b.add(GROUP, [3] + [0] * 4 + [0, 1] + [0] * 5 + datafile.words("Game", 3))
    b.add(ENVPOINTS, [1, 2, 3])
    b.add(UUID_INDEX, list(struct.unpack(">4i", bytes.fromhex("3ab4f84dd9cc3c78b5850d6ccdb2e25c"))), 0xfffe)
    b.add(0xfffe, [0] * 16)
    code, found = check(box.add(b.encode(), "made.map"))
    assert code == 0 and [(f["path"], f["field"], f["value"], f["bound"]) for f in found] == \
        [("", "points", 3, "a multiple of 6"), ("", "tangents", 16, "0")]


def test_truncated_old_sounds_are_reported(box):
    code, found = check(make_map(box, add_counted_item(9, 3, 1)))
    assert code == 0 and [(f["field"], f["value"]) for f in found] == [("type", 9), ("count", 3)]


def test_a_group_that_is_too_short_is_reported_once(box):
    m = Maker()
    m.add(GROUP, [3, 0, 0])
    m.group(0, 1)
    code, found = check(box.add(m.encode(), "made.map"))
    assert code == 2 and [(f["level"], f["field"], f["value"]) for f in found] == [("error", "integers", 3)]


def test_an_item_without_an_integer_is_reported_once(box):
    path = make_map(box, lambda m: m.layer([]))
    code, found = check(path)
    assert code == 2 and [(f["field"], f["value"]) for f in found] == [("integers", 0)]


@pytest.mark.parametrize("name, reported", [
    ("c04_env_range.map", ["points is 1, count 50 (the map has 2 points)"]),
    ("c10_sound_wv.map", ["not an Opus file (must begin with OggS)"]),
    ("c15_items_short.map", ["has %d integers (at least %d)" % n for n in ((5, 6), (3, 13), (6, 10), (2, 3), (0, 3))]),
    ("c31b.map", ["is 8 x 10 tiles (8 x 6 like the "]),
    ("c41_v4_tele.map", ["loses all teleporters"])])
def test_faults_of_found_maps_are_described(name, reported):
    path = places.found_map(name)
    code, found = check(path)
    problems = [f["problem"] for f in found]
    assert all(any(t in p for p in problems) for t in reported), problems
    assert (code == 2) == (name == "c15_items_short.map")
    with open(path, "rb") as f:
        assert_agreement(path, f.read())


def test_physics_layers_outside_of_the_game_group_are_refused(box):
    """An intended difference from the game (docs/testing.md), which moves them as the game layer, whatever their
    group has."""
    m = Maker()
    m.physics(2, bytes(24))
    m.group(0, 1, "Game")
    m.group(1, 1, "else")
    m.add(ENVPOINTS, [])
    path = box.add(m.encode(), "made.map")
    with open(path, "rb") as f:
        assert ddnet_reader.read_map(f.read()).refused is None
    code, found = check(path)
    assert code == 2 and [(f["path"], f["field"], f["value"]) for f in found] == \
        [("groups/1_else/layers/0", "kind", 2)]


def test_faults_of_a_layer_in_no_group_are_no_errors(box):
    """The game ignores the layer, so its faults are no reason to refuse the map."""
    m = Maker()
    m.tiles(1, 1, b"", flags=0)
    raw = m.finish()
    assert ddnet_reader.read_map(raw).refused is None
    code, found = check(box.add(raw, "made.map"))
    assert code == 0 and "group" in [f["field"] for f in found]


def test_json_of_a_file_that_does_not_open_has_all_members(box, small):
    with open(small, "rb") as f:
        raw = f.read()
    code, found = check(box.add(overwrite(raw, 4, "<i", 5), "bad.map"))
    assert code == 2 and len(found) == 1
    assert {k: found[0][k] for k in MEMBERS[1:]} == {
        "level": "error", "path": "", "field": "version", "value": 5, "bound": "must be 3 or 4",
        "problem": "version is 5 (must be 3 or 4)", "fixable": False}
