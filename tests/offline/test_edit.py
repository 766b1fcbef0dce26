# SPDX-License-Identifier: Zlib
"""mapfs edit. The expected layers are computed from the map by an independent reader (datafile.py)."""
import glob
import importlib.util
import json
import os
import random
import signal
import struct
import subprocess

import pytest

import datafile
import maps
import places
import racemap
import share
from box import get
from datafile import ENVELOPE, GROUP, LAYER, Datafile
from racemap import KINDS
from test_games import loads

TILE = 32 * 1024  # of a quad's coordinates
SIZES = {0: 4, 1: 4, 2: 2, 4: 6, 8: 4, 16: 4, 32: 2}
OPAQUE = 4


def edit(*args, code=0):
    r = maps.run("edit", *map(str, args))
    assert r.returncode == code, (args, r.returncode, r.stdout[-2000:], r.stderr[-2000:])
    return r.stdout.decode(), r.stderr.decode()


def own_field(v):
    return datafile.data_fields(datafile.Item(LAYER, 0, v))[-1]


def unpack(data):
    return b"".join(bytes((data[i], data[i + 1], 0, 0)) * (data[i + 2] + 1) for i in range(0, len(data), 4))


def tiles(f, v):
    """The rows of a tile layer: lists of tiles as bytes, without unused bytes."""
    w, h, kind = v[4:7]
    size, data = SIZES[kind], f.blob(v[own_field(v)])
    if is_packed(v):
        data = unpack(data)
        assert len(data) == w * h * size
    assert len(data) >= w * h * size
    cut = 2 if size == 4 and kind != 16 else size
    return [[data[i * size:i * size + cut] for i in range(y * w, y * w + w)] for y in range(h)]


def elements(f, v):
    """The quads or sources of a layer."""
    n = {3: 38, 9: 9, 10: 13}[v[1]]
    data = f.blob(v[5])
    return [list(struct.unpack_from("<%di" % n, data, 4 * n * i)) for i in range(v[4])]


def is_packed(v):
    return v[1] == 2 and v[3] >= 4 and v[6] in (0, 1)


class World:
    """The layers and groups of a map."""

    def __init__(self, path):
        self.f = Datafile.load(path)
        self.items = [i.ints for i in self.f.of_type(LAYER)]
        self.groups = [i.ints for i in self.f.of_type(GROUP)]
        self.layers = [tiles(self.f, v) if v[1] == 2 else elements(self.f, v) if v[1] in (3, 9, 10) else None
                       for v in self.items]

    def group_of(self, layer):
        return next(g for g in self.groups if g[5] <= layer < g[5] + g[6])

    def kind(self, layer):
        return self.items[layer][6] if self.items[layer][1] == 2 else None

    def game(self):
        return max(i for i in range(len(self.items)) if self.kind(i) == 1)

    def moves_freely(self, layer):
        """Its tiles or elements move in both directions: as physics layers and their group always do."""
        g = self.group_of(layer)
        return g is self.group_of(self.game()) or self.kind(layer) or tuple(g[3:5]) == (100, 100)


def sample():
    """All maps, or the smallest ones and two packed ones."""
    found = places.each_debian_map() + places.each_corpus_map()
    if share.ALL:
        return found
    found = sorted(found, key=lambda p: os.path.getsize(p.values[0]) if p.values[0] else 0)[:12]
    return found + [pytest.param(p, id="packed " + os.path.basename(p)) for p in places.debian_maps()
                    if "teeworlds" in p and "maps/dm" in p][:2]


def read_or_skip(path):
    """Read a map; skip the test if it is damaged, or has no game layer."""
    if maps.run("check", path).returncode:
        pytest.skip("not a valid map")
    try:
        world = World(path)
        world.game()
        return world
    except Exception as e:
        pytest.skip("this reader refuses it: %r" % e)


MAPS = sample()


def decoded(path, without_bits=None):
    """All items, with their data decoded instead of its number, and without tiles' unused bytes; of one layer also
    without OPAQUE bits."""
    f = Datafile.load(path)
    out, n = [], 0
    for item in f.items:
        v = list(item.ints)
        for k in datafile.data_fields(item):
            if k < len(v) and f.has_blob(v[k]):
                v[k] = f.blob(v[k])
        if item.type == LAYER and v[1] == 2:
            v[own_field(v)] = tiles(f, item.ints)
            if n == without_bits:
                v[14] = [[(t[0], t[1] & ~OPAQUE) for t in row] for row in v[14]]
        n += item.type == LAYER
        out.append((item.type, item.id, v))
    return out


def race(tmp_path, name="m.map"):
    """A small map with a layer of each kind."""
    r = racemap.Race()
    for i, layer in enumerate(KINDS):
        for x in range(1, 4):
            r.put(layer, x + 1, 2, i + x, 30 + x)
    r.quads = [(0, -1)]
    path = tmp_path / name
    path.write_bytes(r.encode())
    return path


def paths_of(path):
    """{name of a layer: its path}"""
    out = maps.good("ls", str(path), "groups/*/layers").stdout.decode().split()
    top = out[0].rstrip(":") if out[0].endswith(":") else "groups/0_Game/layers"
    return {p.split("_", 1)[1]: "%s/%s" % (top, p) for p in out if "_" in p and "/" not in p}


# Laws.

def clear_borders(path, n):
    """Clear n tiles at each border of all tile layers, so that they can be shifted."""
    sizes = {}
    for i, v in enumerate(World(path).items):
        if v[1] == 2:
            sizes.setdefault(tuple(v[4:6]), []).extend(["--layer", layer_path(path, i)])
    for (w, h), layers in sizes.items():
        edit(*layers, path, *["clear", "0,0,%d,%d" % (w, n)], "clear", "0,%d,%d,%d" % (max(0, h - n), w, n),
             "clear", "0,0,%d,%d" % (n, h), "clear", "%d,0,%d,%d" % (max(0, w - n), n, h))


@pytest.mark.parametrize("path", MAPS)
def test_shift_and_back_gives_the_same_map(tmp_path, path):
    read_or_skip(path)
    clear, a, b, c, d = (str(tmp_path / n) for n in ("clear", "a", "b", "c", "d"))
    with open(clear, "wb") as f:
        f.write(get(path))
    clear_borders(clear, 3)
    rng, before = random.Random(os.path.basename(path)), World(clear)
    dx, dy = rng.randint(-3, 3), rng.choice([-3, -2, -1, 1, 2, 3])
    there, back = ["shift", "%d,%d" % (dx, dy)], ["shift", "%d,%d" % (-dx, -dy)]
    r = maps.run("edit", "--output", a, clear, *there)
    assert r.returncode in (0, 5), r.stderr
    after = World(a)
    for i, v in enumerate(before.items):
        if v[1] == 2 and before.moves_freely(i):
            assert after.layers[i] == expected_rows(before, i, -dx, -dy, v[4], v[5], True), layer_path(path, i)
        elif v[1] in (3, 9, 10) and before.moves_freely(i):
            assert after.layers[i] == moved_elements(v, before.layers[i], dx, dy)
    for old, new in zip(before.groups, after.groups):
        check_group(before, old, new, dx, dy, r.returncode == 5)
    assert maps.run("edit", "--output", b, a, *back).returncode == r.returncode
    assert decoded(b) == decoded(clear)
    # That map was written by mapfs, so it comes back byte for byte.
    assert maps.run("edit", "--output", c, b, *there).returncode == r.returncode
    assert maps.run("edit", "--output", d, c, *back).returncode == r.returncode
    assert get(c) == get(a) and get(d) == get(b)


@pytest.mark.parametrize("path", MAPS)
def test_replace_and_back_gives_the_same_map(tmp_path, path):
    a, b = str(tmp_path / "a"), str(tmp_path / "b")
    rng, world = random.Random(os.path.basename(path)), read_or_skip(path)
    candidates = [i for i, v in enumerate(world.items) if world.kind(i) in (0, 1, 8)]
    i = rng.choice(candidates)
    ids = {t[0] for row in world.layers[i] for t in row}
    free = [n for n in range(256) if n not in ids]
    if not free:
        pytest.skip("the layer has all ids")
    old, new = rng.choice(sorted(ids)), rng.choice(free)
    layer = layer_path(path, i)
    out, _ = edit("--layer", layer, "--output", a, path, "replace", "%d=%d" % (old, new))
    n = sum(t[0] == old for row in world.layers[i] for t in row)
    assert out == "changed %s: %d tile%s by replace %d=%d\n" % (layer, n, "s" * (n > 1), old, new)
    after = World(a)
    assert [[t[0] for t in row] for row in after.layers[i]] == \
        [[new if t[0] == old else t[0] for t in row] for row in world.layers[i]]
    edit("--layer", layer, "--output", b, a, "replace", "%d=%d" % (new, old))
    # Maps of other programs have OPAQUE bits that do not follow from the image.
    image = i if world.kind(i) == 0 and world.items[i][13] >= 0 else None
    assert decoded(b, without_bits=image) == decoded(path, without_bits=image)


def listed(path, top):
    out = maps.good("ls", "--json", str(path), top).stdout.decode()
    return [json.loads(line)["path"] for line in out.splitlines()]


def layer_path(path, position):
    """The path of a layer, by its position in the map."""
    at = World(path)
    group = next(n for n, g in enumerate(at.groups) if g[5] <= position < g[5] + g[6])
    return listed(path, listed(path, "groups")[group] + "/layers")[position - at.groups[group][5]]


# Moves.

def moved_elements(v, all_of, dx, dy):
    n = 10 if v[1] == 3 else 2
    return [[c + (dx, dy)[k % 2] * TILE if k < n else c for k, c in enumerate(e)] for e in all_of]


def expected_rows(world, i, x0, y0, w, h, empty_outside=False):
    """The tiles of a layer in a rectangle, as the game shows them and collides with them."""
    rows, kind = world.layers[i], world.kind(i)
    id_at = 0 if SIZES[kind] == 4 and kind != 16 else 2 if kind == 4 else 1
    out = []
    for y in range(y0, y0 + h):
        row = rows[min(max(y, 0), len(rows) - 1)]
        out.append([])
        for x in range(x0, x0 + w):
            t = row[min(max(x, 0), len(row) - 1)]
            outside = not (0 <= x < len(row) and 0 <= y < len(rows))
            if outside and (empty_outside or (kind and t[id_at] >= 192)):
                t = bytes(len(t))
            out[-1].append(t)
    return out


@pytest.mark.parametrize("path", MAPS)
def test_extend_repeats_the_border_and_shift_does_not(tmp_path, path):
    rng = random.Random(os.path.basename(path))
    left, top, right, bottom = (rng.randint(0, 4) for _ in range(4))
    out = str(tmp_path / "out")
    before = read_or_skip(path)
    r = maps.run("edit", "--output", out, path, "extend", "%d,%d,%d,%d" % (left, top, right, bottom))
    assert r.returncode in (0, 5), r.stderr
    after = World(out)
    for i, v in enumerate(before.items):
        if v[1] == 2 and before.moves_freely(i):
            w, h = v[4] + left + right, v[5] + top + bottom
            assert after.layers[i] == expected_rows(before, i, -left, -top, w, h), layer_path(path, i)
            # The data that only games of other kinds read has the size of the layer.
            if v[6] not in (0, 1) and before.f.has_blob(v[14]) and len(before.f.blob(v[14])) == v[4] * v[5] * 4:
                assert len(after.f.blob(after.items[i][14])) == w * h * 4
        elif v[1] in (3, 9, 10) and before.moves_freely(i):
            assert after.layers[i] == moved_elements(v, before.layers[i], left, top)
    for old, new in zip(before.groups, after.groups):
        check_group(before, old, new, left, top, r.returncode == 5)
    # Every byte is back after a crop, unless groups have offsets that a crop cuts.
    if all(tuple(g[1:3]) == (0, 0) for g in before.groups) and r.returncode == 0:
        r = maps.run("edit", out, "crop", "%d,%d,%d,%d" % (left, top, *before.items[before.game()][4:6]))
        back = World(out)
        game = before.game()
        assert r.returncode == 0 and back.layers[game] == before.layers[game]
        assert [g[1:5] for g in back.groups] == [g[1:5] for g in before.groups]


def test_extend_repeats_all_kinds_of_tiles_but_no_entities(tmp_path):
    r = racemap.Race()
    for x in range(1, racemap.W + 1):
        for layer, tile in (("tele", (x, 26)), ("switch", (x, 22, 1, 2)), ("speedup", (x, 9, 28, 0, 5, 1)), ("front", (9, x)),
                            ("tune", (x, 68)), ("game", (192 if x % 2 else 3, 0))):
            r.put(layer, x, 1, *tile)
            r.put(layer, x, racemap.H, *tile)
    r.put("switch", 1, 1, 3, 200, 0, 0)
    path = tmp_path / "m.map"
    path.write_bytes(r.encode())
    before = World(path)
    edit(path, "extend", "2,1,3,2")
    after = World(path)
    for i in range(len(before.items)):
        if before.kind(i) is not None:
            assert after.layers[i] == expected_rows(before, i, -2, -1, racemap.W + 5, racemap.H + 3), before.kind(i)
    assert sum(t[0] == 192 for row in after.layers[after.game()] for t in row) == racemap.W


def shown(world, layer, x, y):
    """The tile that the game draws at a place of the world, in pixels."""
    group, rows = world.group_of(layer), world.layers[layer]
    column, line = ((v + offset) // 32 for v, offset in zip((x, y), group[1:3]))
    return rows[min(max(line, 0), len(rows) - 1)][min(max(column, 0), len(rows[0]) - 1)]


@pytest.mark.parametrize("seed", range(12))
def test_a_crop_shows_the_same_in_groups_with_an_offset(tmp_path, seed):
    rng = random.Random(seed)
    b = datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    b.tiles(20, 16, bytes(4 * 20 * 16), flags=1, name="Game")
    sizes = [(20, 16), (5, 4), (30, 2)]
    for w, h in sizes:
        b.tiles(w, h, b"".join(bytes((rng.randint(0, 9), 0, 0, 0)) for _ in range(w * h)))
    b.add(LAYER, [0, 3, 0, 2, 1, b.blob(struct.pack("<38i", *range(38))), -1] + datafile.words("", 3))
    b.group(0, 1, "Game")
    b.group(1, 4, "more")
    b.items[-1].ints[1:3] = [rng.randint(-200, 500), rng.randint(-200, 500)]
    b.items[-1].ints[7:12] = [1, 10, 20, 30, 40]
    b.add(datafile.ENVPOINTS, [])
    path = tmp_path / "m.map"
    path.write_bytes(b.encode())
    before = World(path)
    x, y = rng.randint(0, 15), rng.randint(0, 12)
    w, h = rng.randint(2, 20 - x), rng.randint(2, 16 - y)
    edit(path, "crop", "%d,%d,%d,%d" % (x, y, w, h), code=0)
    after = World(path)
    for i in range(1, 4):
        for px in range(0, 32 * w, 5):
            for py in range(0, 32 * h, 5):
                assert shown(after, i, px, py) == shown(before, i, px + 32 * x, py + 32 * y)
        assert len(after.layers[i]) <= max(2, len(before.layers[i]))
    old, new = before.groups[1], after.groups[1]
    for k in (0, 1):
        moved = (after.layers[4][0][k] - before.layers[4][0][k]) / 1024 - (new[1 + k] - old[1 + k])
        assert moved == -32 * (x, y)[k]
    assert new[7:12] == [1, 10 - 32 * x, 20 - 32 * y, 30, 40]
    assert edit(path, "crop", "0,0,%d,%d" % (w, h)) == (
        "", "mapfs: %s: crop 0,0,%d,%d: nothing to do\n" % (path, w, h))


def check_group(world, old, new, dx, dy, may_stay):
    if old is world.group_of(world.game()):
        assert new == old
        return
    shares = [(32 * d * old[3 + i] / 100 if old[3 + i] != 100 else 0) for i, d in enumerate((dx, dy))]
    if any(s != int(s) for s in shares):
        assert may_stay and new == old
        return
    assert new[1:3] == [int(o - s) for o, s in zip(old[1:3], shares)]
    if len(old) > 8 and old[7]:
        assert new[8:12] == [old[8] + 32 * dx, old[9] + 32 * dy, *old[10:12]]
    assert (new[0], new[3:8], new[12:]) == (old[0], old[3:8], old[12:])


def flat(path, out):
    """Copy a map without the groups that have another parallax than 100, which a crop shows elsewhere."""
    world = World(path)
    away = [n for n, g in zip(listed(path, "groups"), world.groups)
            if (tuple(g[3:5]) != (100, 100)) and world.group_of(world.game()) is not g]
    with open(out, "wb") as f:
        f.write(get(path))
    if away:
        assert maps.run("rm", "-r", out, *away).returncode in (0, 5)
    return out


@pytest.mark.parametrize("path", MAPS)
def test_the_preview_of_a_crop_is_the_cropped_preview(tmp_path, path):
    Image = pytest.importorskip("PIL.Image")
    read_or_skip(path)
    whole, out = flat(path, str(tmp_path / "whole.map")), str(tmp_path / "out.map")
    world = World(whole)
    width, height = world.items[world.game()][4:6]
    pixels = min(8, 4096 // max(width, height))
    rng = random.Random(os.path.basename(path))
    w, h = rng.randint(2, min(width, 80)), rng.randint(2, min(height, 80))
    if not pixels or pixels * max(w, h) < 16:
        pytest.skip("too large, or too small, for a picture")
    x, y = rng.randint(0, width - w), rng.randint(0, height - h)
    r = maps.run("edit", "--output", out, whole, "crop", "%d,%d,%d,%d" % (x, y, w, h))
    assert r.returncode == 0, r.stderr

    def draw(map_, size, *options):
        png = str(tmp_path / "p.png")
        maps.good("preview", "--size", str(size), *options, map_, png)
        return Image.open(png).convert("RGBA")
    box = (pixels * x, pixels * y, pixels * (x + w), pixels * (y + h))
    for options in ((), ("--entities",)):
        before = draw(whole, pixels * max(width, height), *options).crop(box)
        after = draw(out, pixels * max(w, h), *options)
        assert after.size == before.size
        # The preview computes places from the middle of the map, so mixed colors are rounded differently.
        assert difference(before, after) <= (0 if options else 3), (options, box)


def difference(a, b):
    """The largest difference between the colors of two pixels."""
    return max(abs(p - q) for u, v in zip(a.getdata(), b.getdata()) for p, q in zip(u, v))


# area

@pytest.mark.parametrize("path", MAPS)
def test_area_equals_map_replace_area(tmp_path, path):
    tool = places.ddnet_tool("map_replace_area")
    os.makedirs(tmp_path / "home/.local/share/ddnet")
    rng, world = random.Random(os.path.basename(path)), read_or_skip(path)
    width, height = world.items[world.game()][4:6]
    if any(is_packed(v) for v in world.items):
        pytest.skip("map_replace_area does not unpack tiles")
    if any(len(g) < 12 for g in world.groups):
        pytest.skip("map_replace_area reads past the end of groups of version 1")
    for _ in range(6 if share.ALL else 2):
        w, h = rng.randint(1, width), rng.randint(1, height)
        x, y, x2, y2 = (rng.randint(0, n) for n in (width - w, height - h) * 2)
        ours, theirs = str(tmp_path / "ours"), str(tmp_path / "theirs")
        short = str(tmp_path / "in")  # the tool cuts names
        with open(short, "wb") as f:
            f.write(get(path))
        r = subprocess.run([tool, "in", str(x2), str(y2), "in", *map(str, (x, y, w, h)), "theirs"],
                           capture_output=True, timeout=300, cwd=tmp_path,
                           env=dict(os.environ, HOME=str(tmp_path / "home")))
        if r.returncode or not os.path.exists(theirs):
            pytest.skip("map_replace_area does not read this map")
        edit("--output", ours, path, "area", "%d,%d,%d,%d" % (x, y, w, h), path, "%d,%d" % (x2, y2))
        assert same_areas(World(ours), Datafile.load(theirs)) > 0


def same_areas(ours, f):
    """Compare with the result of map_replace_area, which handles design and game layers and quads."""
    n = 0
    for i, item in enumerate(f.of_type(LAYER)):
        v = item.ints
        if v[1] == 2 and v[6] in (0, 1):
            assert ours.layers[i] == tiles(f, v)
            n += 1
        elif v[1] == 3:
            theirs = elements(f, v) if v[4] else []
            assert len(ours.layers[i]) == len(theirs)
            for a, b in zip(ours.layers[i], theirs):
                # map_replace_area moves pivots to whole pixels.
                assert a[10:] == b[10:] and max(abs(a[k] - b[k]) for k in (8, 9)) <= 1024
                assert [c - a[8 + k % 2] for k, c in enumerate(a[:10])] == \
                    [c - b[8 + k % 2] for k, c in enumerate(b[:10])]
            n += 1
    return n


def test_area_copies_all_physics_layers_and_lists_others(tmp_path):
    source = racemap.Race()
    for layer in KINDS:
        source.put(layer, 3, 3, *(1, 2, 3, 0, 5, 6)[:racemap.SIZES.get(layer, 2)])
    source.design.append((2, 2, bytes(16), 0, -1))
    other, path = tmp_path / "other.map", race(tmp_path)
    other.write_bytes(source.encode())
    before, copied = World(path), World(other)
    _, err = edit(path, "area", "0,1,2,2", other, "2,2", code=5)
    assert "design: only the other map has it" in err and "quads: only this map has such a layer" in err
    assert len(err.splitlines()) == 2
    after = World(path)
    for i in range(len(before.items)):
        kind = before.kind(i)
        if kind is None:
            assert after.layers[i] == before.layers[i]
            continue
        j = next(k for k in range(len(copied.items)) if copied.kind(k) == kind)
        expected = [list(row) for row in before.layers[i]]
        for y in range(2):
            expected[1 + y][:2] = copied.layers[j][2 + y][2:4]
        assert after.layers[i] == expected, kind


def test_area_drops_references_to_other_envelopes(tmp_path):
    def with_quad(envelopes, name):
        r = racemap.Race()
        r.envelopes, r.quads = envelopes, [(0, 0)]
        path = tmp_path / name
        path.write_bytes(r.encode())
        return path
    alike, other, path = with_quad(1, "a.map"), with_quad(1, "b.map"), with_quad(0, "c.map")
    assert World(alike).f.of_type(ENVELOPE)
    quad = [i for i, v in enumerate(World(path).items) if v[1] == 3][0]
    edit(alike, "area", "0,0,2,2", other)
    assert World(alike).layers[quad][0][34] == 0
    _, err = edit(path, "area", "0,0,2,2", other, code=5)
    assert "envelopes" in err and World(path).layers[quad][0][34] == -1


# Tiles.

def test_fields_of_all_kinds_are_replaced(tmp_path):
    path = race(tmp_path)
    paths = paths_of(path)
    for layer, field, at, size in (("tele", "number", 0, 1), ("tele", "id", 1, 1), ("switch", "delay", 3, 1),
                                   ("switch", "number", 0, 1), ("speedup", "max_speed", 1, 1), ("tune", "number", 0, 1),
                                   ("speedup", "angle", 4, 2), ("game", "flags", 1, 1)):
        before = World(path)
        i = next(k for k in range(len(before.items)) if before.kind(k) == KINDS[layer])
        values = [int.from_bytes(t[at:at + size], "little", signed=size == 2) for row in before.layers[i] for t in row]
        old, new = max(values), -200 if size == 2 else 77
        out, _ = edit("--layer", paths[layer], path, "replace", "%s:%d=%d" % (field, old, new))
        n = values.count(old)
        assert out.startswith("changed %s: %d tile%s by" % (paths[layer], n, "s" * (n > 1)))
        after = World(path)
        assert [int.from_bytes(t[at:at + size], "little", signed=size == 2) for row in after.layers[i] for t in row] == \
            [new if v == old else v for v in values]
        for k in range(len(before.items)):
            if k != i:
                assert after.layers[k] == before.layers[k]
    _, err = edit("--layer", paths["tele"], path, "replace", "delay:1=2", code=2)
    assert "no named layer has the field delay" in err
    for wrong in (["replace", "30:XFLIP=1"], ["replace", "30=1:XFLIP"], ["fill", "0,0,1,1", "1:XFLIP"]):
        assert "no named layer has the field id" in edit("--layer", paths["tele"], path, *wrong, code=2)[1]


def test_operations_apply_in_order_to_the_part_in_the_layer(tmp_path):
    path = race(tmp_path)
    game = paths_of(path)["game"]
    before = World(path)
    i = before.game()
    edit("--layer", game, path, "fill", "1,1,100,2", "7:XFLIP+ROTATE", "clear", "2,2,1,9", "replace", "7:9=8",
         "replace", "8:XFLIP+ROTATE=9:NONE", "replace", "9:1=200")
    expected = [list(row) for row in before.layers[i]]
    for y in (1, 2):
        expected[y][1:] = [bytes((9, 0))] * (racemap.W + 1 - 2)
    for y in range(2, racemap.H):
        expected[y][2] = bytes(2)
    assert World(path).layers[i] == expected


def test_patterns_name_layers_as_in_ls(tmp_path):
    path = race(tmp_path)
    before = World(path)
    out, _ = edit("--layer", "groups/*/layers/*e*", "--layer", paths_of(path)["switch"] + "/", path, "clear", "0,0,99,99")
    assert sorted(line.split(": ")[0].split("_")[-1] for line in out.splitlines()) == \
        ["design", "game", "speedup", "switch", "tele", "tune"]
    after = World(path)
    for i in range(len(before.items)):
        if before.kind(i) in (0, 1, 2, 4, 16, 32):
            assert not any(any(t) for row in after.layers[i] for t in row)
        else:
            assert after.layers[i] == before.layers[i]


def tileset(opaque):
    """An image of 16 x 16 tiles of 2 x 2 pixels; those ids are opaque."""
    return bytes(255 if (y // 2 * 16 + x // 2) in opaque or c < 3 else 100
                 for y in range(32) for x in range(32) for c in range(4))


def test_opaque_bits_follow_from_the_image(tmp_path):
    r = racemap.Race()
    r.images = [(b"tiles", (32, 32, tileset({1, 2, 3})))]
    r.design = [(2, 2, bytes([1, 4, 0, 0, 1, 5, 0, 0, 5, 1, 0, 0, 6, 0, 0, 0]), 0, -1)]
    path = tmp_path / "m.map"
    path.write_bytes(r.encode())
    layer = paths_of(path)["design"]

    def after(*operations):
        out = tmp_path / "out.map"
        edit("--layer", layer, "--output", out, path, *operations)
        world = World(out)
        return [tuple(t) for row in next(world.layers[i] for i in range(len(world.items)) if world.kind(i) == 0) for t in row]
    assert after("replace", "1=2") == [(2, 4), (2, 5), (5, 1), (6, 0)]
    assert after("replace", "1=9") == [(9, 0), (9, 1), (5, 1), (6, 0)]
    assert after("replace", "5=3") == [(1, 4), (1, 5), (3, 5), (6, 0)]
    assert after("fill", "0,0,2,2", "3:ROTATE") == [(3, 12)] * 4
    assert after("fill", "0,0,2,2", "8") == [(8, 0)] * 4
    assert after("replace", "6=6:OPAQUE") == [(1, 4), (1, 5), (5, 1), (6, 4)]
    assert after("replace", "5=0:NONE") == [(1, 4), (1, 5), (0, 0), (6, 0)]
    for new in ("2", "9"):
        assert after("replace", "1=" + new, "replace", new + "=1") == after("clear", "9,9,1,1")
    # No tile of a transparent layer is opaque.
    maps.good("put", str(path), layer + "/layer.json", input=b'{"color": [255, 255, 255, 254]}')
    assert after("fill", "0,0,2,2", "3") == [(3, 0)] * 4


def test_an_unknown_image_has_no_opaque_tiles(tmp_path):
    r = racemap.Race()
    r.images = [(b"no_such_image_anywhere", None)]
    r.design = [(2, 2, bytes([1, 5, 0, 0]) * 4, 0, -1)]
    path = tmp_path / "m.map"
    path.write_bytes(r.encode())
    edit("--layer", paths_of(path)["design"], path, "replace", "1=2")
    world = World(path)
    assert world.layers[[world.kind(i) for i in range(len(world.items))].index(0)] == [[bytes((2, 1))] * 2] * 2


@pytest.mark.parametrize("front", [False, True])
def test_gametiles_marks_what_a_design_layer_covers(tmp_path, front):
    r = racemap.Race()
    r.put("front", 1, 1, 5, 3)
    r.put("game", 4, 4, 3, 2)
    drawn = bytearray(3 * 4 * 4)
    for i in (0, 5, 10, 11):
        drawn[4 * i:4 * i + 2] = 50 + i, 1
    r.design = [(3, 4, bytes(drawn), 0, -1)]
    path = tmp_path / "m.map"
    path.write_bytes(r.encode())
    options = ["--front"] if front else []
    target = "front" if front else "game"
    before = World(path)
    out, _ = edit(path, "gametiles", paths_of(path)["design"], 9, *options)
    i = next(k for k in range(len(before.items)) if before.kind(k) == KINDS[target])
    expected = [list(row) for row in before.layers[i]]
    for n in (0, 5, 10, 11):
        expected[n // 3][n % 3] = bytes((9, 0))
    after = World(path)
    assert after.layers[i] == expected and out == "changed %s: 4 tiles by gametiles %s 9\n" % (
        paths_of(path)[target], paths_of(path)["design"])
    assert [after.layers[k] for k in range(len(before.items)) if k != i] == \
        [before.layers[k] for k in range(len(before.items)) if k != i]


def test_a_layer_in_no_group_is_not_edited(tmp_path):
    b = datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    b.tiles(4, 3, bytes(48), flags=1, name="Game")
    b.tiles(4, 3, bytes([5, 0, 0, 0]) * 12, name="rock")
    b.tiles(4, 3, bytes(48), flags=1, name="lost")
    b.group(0, 2, "Game")
    b.add(datafile.ENVPOINTS, [])
    path = tmp_path / "m.map"
    path.write_bytes(b.encode())
    edit(path, "gametiles", "groups/0_Game/layers/1_rock", 9)
    after = World(path)
    assert after.layers[0] == [[bytes((9, 0))] * 4] * 3 and after.layers[2] == [[bytes(2)] * 4] * 3
    assert "no such layer" in edit("--layer", "layer 2", path, "fill", "0,0,1,1", "7", code=2)[1]


def test_gametiles_respects_the_offset_of_the_group(tmp_path):
    r = racemap.Race()
    b = tmp_path / "m.map"
    b.write_bytes(r.encode())
    maps.good("extract", "-o", "raw=off", str(b), str(tmp_path / "tree"))
    top = tmp_path / "tree/groups"
    (top / "1_more").mkdir()
    os.makedirs(top / "1_more/layers")
    os.rename(top / "0_Game/layers/1_design", top / "1_more/layers/0_design")
    (top / "1_more/group.json").write_text('{"x_offset": -64, "y_offset": 32}')
    path = tmp_path / "n.map"
    maps.run("pack", str(tmp_path / "tree"), str(path))
    group = next(n for n in maps.good("ls", str(path), "groups").stdout.decode().split() if "more" in n)
    layer = "groups/%s/layers/0_design" % group
    before = World(path)
    _, err = edit(path, "gametiles", layer, 9, code=5)
    assert "tiles are outside" in err
    expected = [list(row) for row in before.layers[before.game()]]
    for y in range(racemap.H - 1):
        expected[y][2:] = [bytes((9, 0))] * (racemap.W - 0)
    game = World(path).layers[before.game()]
    assert game == expected[:len(game)] or (len(game), len(game[0])) == (racemap.H, racemap.W)
    maps.run("put", str(path), "groups/%s/group.json" % group, input=b'{"x_offset": 5}')
    assert "offset of 5" in edit(path, "gametiles", layer, 9, code=2)[1]


# The command line.

@pytest.mark.parametrize("operation, expected", [
    (["replace", "1=2"], "replace needs --layer"), (["fill", "0,0,1,1", "1"], "fill needs --layer"),
    (["clear", "0,0,1,1"], "clear needs --layer"), (["turn", "1"], "unknown operation turn"),
    (["shift", "1"], "shift expects DX,DY"), (["shift", "1,2,3"], "shift expects DX,DY"),
    (["shift", "-1,x"], "shift expects DX,DY"), (["shift"], "shift expects DX,DY"),
    (["crop", "0,0,1,5"], "crop expects X,Y,W,H with W and H of at least 2"), (["crop", "-1,0,5,5"], "crop expects"),
    (["crop", "0,0,5,99999999999"], "crop expects"), (["extend", "1,1,1"], "extend expects L,T,R,B"),
    (["extend", "1,1,1,-1"], "extend expects"), (["extend", "1,1,1,100001"], "extend expects"),
    (["area", "0,0,0,1", "x"], "area expects X,Y,W,H OTHER"), (["area", "0,0,1,1"], "area expects"),
    (["gametiles", "x"], "gametiles expects LAYER ID"), (["gametiles", "x", "256"], "gametiles expects"),
    (["gametiles", "x", "1:2"], "gametiles expects")])
def test_a_wrong_operation_is_a_usage_error(tmp_path, operation, expected):
    path = race(tmp_path)
    out, err = edit(path, *operation, code=1)
    assert out == "" and err.startswith("mapfs: edit: " + expected) and len(err.splitlines()) == 1


@pytest.mark.parametrize("value", ["1", "1=", "=1", "256=1", "1=-1", "1=2:", "1=2:XFLIP+", "1=2:FLIP", "1=2:256", "1=2=3",
                                   "1:=2", "number:1:3=2", "speed:1=2", "id:1=", "angle:1=40000", "number=2", " 1=2"])
def test_a_wrong_value_is_a_usage_error(tmp_path, value):
    path = race(tmp_path)
    assert "replace expects OLD" in edit("--layer", "x", path, "replace", value, code=1)[1]


def test_options_may_follow_and_negative_numbers_are_no_options(tmp_path):
    path = race(tmp_path)
    before = World(path)
    for args in (["-n", path, "extend", "1,0,0,0", "shift", "-1,0"], [path, "extend", "1,0,0,0", "shift", "-1,0", "-n"],
                 ["-n", "--", path, "extend", "1,0,0,0", "shift", "-1,0"]):
        assert "would leave" in edit(*args, code=2)[1]
    edit(path, "shift", "0,-1", code=2)
    out, _ = edit("-n", path, "extend", "0,0,2,0")
    assert "%d x %d tiles instead of" % (racemap.W + 2, racemap.H) in out
    assert "unknown option -7" in maps.run("tidy", str(path), "-7").stderr.decode()
    assert World(path).layers == before.layers


def test_nothing_to_do_is_said_and_the_map_is_not_written(tmp_path):
    path = race(tmp_path)
    before = os.stat(path)
    layer = paths_of(path)["game"]
    out, err = edit("--layer", layer, path, "replace", "99=98", "clear", "90,90,1,1", "shift", "0,0")
    assert out == "" and [line.split(": ", 2)[2] for line in err.splitlines()] == [
        "replace 99=98: nothing to do", "clear 90,90,1,1: nothing to do", "shift 0,0: nothing to do"]
    out, err = edit("--layer", layer, path, "replace", "1=98", "replace", "98=1")
    assert out == "" and err == "mapfs: %s: the map does not change\n" % path
    after = os.stat(path)
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    edit("--layer", layer, "--output", tmp_path / "b.map", path, "replace", "99=98")
    assert get(tmp_path / "b.map") == get(path)


def test_all_or_nothing_and_dry_runs(tmp_path):
    path = race(tmp_path)
    before = get(path)
    assert "no such layer" in edit(path, "extend", "1,1,1,1", "gametiles", "groups/7", 1, code=2)[1]
    assert "would leave the layer" in edit(path, "extend", "0,0,0,1", "shift", "9,0", code=2)[1]
    assert "is not in " in edit(path, "crop", "1,1,%d,2" % racemap.W, code=2)[1]
    assert "no such layer" in edit("--layer", "groups/9/layers/*", path, "clear", "0,0,1,1", code=2)[1]
    assert "--layer" not in edit("-n", path, "extend", "1,1,1,1")[1]
    edit("-n", "--output", tmp_path / "none.map", path, "extend", "1,1,1,1")
    assert get(path) == before and not os.path.exists(tmp_path / "none.map")
    assert edit(tmp_path, "shift", "0,0", code=2)[1].count("is a folder")
    assert edit(tmp_path / "gone.map", "shift", "0,0", code=2)[1]
    assert "gone.map" in edit(path, "area", "0,0,1,1", tmp_path / "gone.map", code=2)[1]


def test_a_report_has_a_line_for_each_path_or_is_json(tmp_path):
    path = race(tmp_path)
    layer = paths_of(path)["game"]
    args = ["-n", "--layer", layer, path, "fill", "0,0,2,1", "5", "replace", "5=6", "replace", "90=91"]
    out, err = edit(*args)
    assert out == "changed %s: 2 tiles by fill 0,0,2,1 5; 2 tiles by replace 5=6\n" % layer
    assert err == "mapfs: %s: replace 90=91: nothing to do\n" % path
    out, err = edit("--json", *args)
    assert err == "" and [json.loads(line) for line in out.splitlines()] == [
        {"file": str(path), "path": None, "status": "note", "text": "replace 90=91: nothing to do"},
        {"file": str(path), "path": layer, "status": "changed",
         "text": "2 tiles by fill 0,0,2,1 5; 2 tiles by replace 5=6"}]


def test_a_map_on_standard_input_and_output(tmp_path):
    path = race(tmp_path)
    edit("--output", tmp_path / "b.map", path, "extend", "1,1,1,1")
    r = maps.run("edit", "--output", "-", "-", "extend", "1,1,1,1", input=get(path))
    assert r.returncode == 0 and r.stdout == get(tmp_path / "b.map") and b"changed groups/" in r.stderr
    assert maps.run("edit", "-", "extend", "1,1,1,1", input=get(path)).returncode == 1


def test_other_formats_and_mounted_maps_are_refused(tmp_path, box):
    others = glob.glob(os.path.join(places.SHARED, "corpus/triclon/*.tcm"))
    if others:
        assert "edit is not supported for this format" in edit("-n", others[0], "shift", "0,0", code=2)[1]
    path = box.add(race(tmp_path), "x.map")
    m = box.mount(path)
    assert "mounted" in edit(path, "extend", "1,1,1,1", code=7)[1]
    edit("--output", tmp_path / "b.map", path, "extend", "1,1,1,1")
    m.unmount()


def test_a_map_that_claims_too_many_tiles_is_refused(tmp_path):
    path = race(tmp_path)
    assert "too many tiles" in edit(path, "extend", "100000,100000,100000,100000", code=2)[1]


# Judges.

def results(path, tmp_path):
    """Maps edited in several ways."""
    world = World(path)
    w, h = world.items[world.game()][4:6]
    design = [layer_path(path, i) for i in range(len(world.items)) if world.kind(i) == 0 and
              world.group_of(i) is world.group_of(world.game())]
    ways = [["crop", "%d,%d,%d,%d" % (w // 4, h // 4, w // 2, h // 2)], ["extend", "3,2,1,4"],
            ["area", "0,0,%d,%d" % (w // 2, h // 2), path, "%d,%d" % (w // 3, h // 3)],
            ["--layer", "groups/*/layers/*", "clear", "1,1,1,1", "fill", "2,2,3,3", "1"]]
    if design:
        ways.append(["gametiles", design[0], "1"])
    for n, way in enumerate(ways):
        out = str(tmp_path / ("%d.map" % n))
        assert maps.run("edit", "--output", out, path, *way).returncode in (0, 5)
        yield out


def whole_result(path, tmp_path):
    """All ways, one after the other."""
    world = World(path)
    out = str(tmp_path / "all.map")
    w, h = world.items[world.game()][4:6]
    assert maps.run("edit", "--output", out, path, "extend", "3,2,1,4", "crop", "1,1,%d,%d" % (w + 2, h + 4),
                    "area", "0,0,9,9", path, "5,5").returncode in (0, 5)
    design = [layer_path(out, i) for i in range(len(world.items)) if world.kind(i) == 0 and
              world.group_of(i) is world.group_of(world.game())]
    marks = ["gametiles", design[0], "1"] if design else []
    edit("--layer", "groups/*/layers/*", out, "fill", "2,2,3,3", "1", "replace", "1=3", "clear", "2,2,1,1", *marks)
    return out


@pytest.mark.parametrize("name", ["dm1", "Tsunami", "Tutorial"])
def test_the_ddnet_server_loads_the_result(tmp_path, box, name):
    path = places.debian_map("ddnet/data/maps/%s.map" % name)
    loads(box, "/usr/games/DDNet-Server", ".local/share/ddnet", whole_result(path, tmp_path),
          [b"rcon password"], [b"failed to load map", b"VERY wrong"], signal.SIGINT, "sv_ipv4only 1")


@pytest.mark.parametrize("name", ["ctf3", "dm9", "lms1"])
def test_the_teeworlds_server_loads_the_result(tmp_path, box, name):
    path = places.debian_map("teeworlds/data/maps/%s.map" % name)
    loads(box, "/usr/games/teeworlds-server", ".teeworlds", whole_result(path, tmp_path), [b"crc is"], [b"failed to load map"], signal.SIGTERM)


def anomalies(path):
    script = os.path.join(places.SHARED, "tools", "twcheck.py")
    if not os.path.exists(script):
        pytest.skip(places.NO_SHARED)
    spec = importlib.util.spec_from_file_location("twcheck", script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    check = module.Check(path)
    check.run()
    # The editor writes an element of zeros for an empty list, and so does mapfs.
    return set(check.anom) - {"quads_data_len_mismatch", "sounds_data_len_mismatch"}


@pytest.mark.parametrize("path", MAPS)
def test_a_strict_check_finds_no_new_anomaly(tmp_path, path):
    read_or_skip(path)
    before = anomalies(path)
    for out in results(path, tmp_path):
        assert anomalies(out) <= before, out
        assert maps.run("check", out).returncode == maps.run("check", path).returncode


# Wrong input.

CRAFTED = places.each_crafted_map("ok", "quirk", "bad")
ALL_WAYS = ["extend", "1,2,3,4", "shift", "0,-1", "fill", "0,0,3,3", "1", "replace", "1=2", "crop", "1,1,3,3",
            "clear", "0,0,1,1", "gametiles", "groups/*/layers/*", "3"]


@pytest.mark.parametrize("path", share.of(CRAFTED, CRAFTED[::3]))
def test_crafted_maps_end_in_a_result_or_a_message(tmp_path, path):
    for way in (ALL_WAYS[:2], ALL_WAYS[8:10], ALL_WAYS[4:8], ["area", "0,0,5,5", path, "1,1"], ALL_WAYS):
        r = maps.run("edit", "--layer", "groups/*/layers/*", "--output", str(tmp_path / "out"), path, *way)
        assert 0 <= r.returncode <= 7, r.stderr[-3000:]
        assert r.returncode in (0, 5) or r.stderr.startswith(b"mapfs: ")
        r = maps.run("edit", "-n", path, *way)
        assert 0 <= r.returncode <= 7, r.stderr[-3000:]


def test_random_operations_are_parsed_or_refused(tmp_path):
    path, rng = race(tmp_path), random.Random(1)
    words = ["replace", "fill", "clear", "area", "crop", "extend", "shift", "gametiles", "1,1,2,2", "0,0", "1=2", "id:1=2",
             "1:XFLIP", "-1,1", ":", "=", ",", "1", "999999999999", "groups/*/layers/*", str(path), "x\n", "NONE+", "%n"]
    for _ in range(300 if share.ALL else 60):
        args = [rng.choice(words) if rng.random() < 0.8 else "".join(rng.choices("0123,:=+-XFLIPid", k=rng.randint(1, 9)))
                for _ in range(rng.randint(1, 6))]
        r = maps.run("edit", "-n", "--layer", "groups/*/layers/*", "--", str(path), *args)
        assert r.returncode in (0, 1, 2, 4, 5), (args, r.stderr)
        assert r.returncode == 0 or r.stderr
