# SPDX-License-Identifier: Zlib
"""`diff -r` of two mounts finds all differences of two maps.

That includes everything that map_diff of DDNet finds, the physics tables that map_diff ignores, and all other parts
of a map. The changes are made with datafile.py, so that mapfs cannot hide a change that it does not show.
"""
import collections
import functools
import os
import random
import re

import pytest

import datafile
import layout
import places
import randommap
from datafile import ENVELOPE, ENVPOINTS, GROUP, IMAGE, LAYER, SOUND
from graph import expect
from test_games import tool

# kind -> (own field, bytes per tile, plane -> its offset in the tile)
PLANES = {
    0: (None, 4, {"id": 0, "flags": 1}), 1: (None, 4, {"id": 0, "flags": 1}),
    2: (18, 2, {"number": 0, "id": 1}),
    4: (19, 6, {"force": 0, "max_speed": 1, "id": 2, "angle": 4}),
    8: (20, 4, {"id": 0, "flags": 1}),
    16: (21, 4, {"number": 0, "id": 1, "flags": 2, "delay": 3}),
    32: (22, 2, {"number": 0, "id": 1}),
}
SEEN_BY_MAP_DIFF = (0, 1)
TILE_LINE = re.compile(r"map_compare: .*?(\d+)x(\d+): \(index.*!=")


@functools.lru_cache(maxsize=None)
def whole_map_data():
    """A random map with every kind of part and table."""
    for seed in range(10_000):
        data = randommap.random_map(seed)
        f = datafile.Datafile(data)
        layers = f.of_type(LAYER)
        kinds = {i.ints[6] for i in layers if i.ints[1] == 2}
        types = {i.ints[1] for i in layers}
        items = {i.type for i in f.items}
        if (kinds == set(PLANES) and types == {2, 3, 10} and {SOUND, IMAGE} <= items
                and any(i.type == 0xFFFE and len(i.ints) == 6 for i in f.items)
                and any(i.ints[1] == 2 and i.ints[3] == 3 and i.ints[6] == 0 for i in layers)
                and {0, 1} <= {i.ints[3] for i in f.of_type(IMAGE)}
                and len(f.of_type(ENVELOPE)) > 1 and len(f.of_type(GROUP)) > 1):
            return data
    raise AssertionError("no such map")


def whole_map():
    return datafile.Datafile(whole_map_data())


def paths(f):
    """The directory of each layer in a mount."""
    view, out = expect.View(f), []
    for g, group in enumerate(view.groups):
        top = layout.stem(g, len(view.groups), view.group_name(g), 255).decode()
        start, count = group.ints[5:7]
        out += ["groups/%s/layers/%s" % (top, layout.stem(
            n, count, view.layer_name(start + n), 255).decode()) for n in range(count)]
    return out


class Pair:
    """Two maps in a box, mounted side by side."""

    def __init__(self, box, f, items, blobs, **how):
        self.box = box
        self.a = box.add(datafile.encode(f.items, f.blobs()), "a.map")
        self.b = box.add(datafile.encode(items, blobs, **how), "b.map")
        self.left = box.mount(self.a, "ro,raw=off", box.point("a"))
        self.right = box.mount(self.b, "ro,raw=off", box.point("b"))

    def diff(self):
        """The paths in the mounts that diff -r reports as different."""
        r = self.box.run("-rq", self.left.point, self.right.point, program="diff")
        assert r.code in (0, 1) and not r.err, r
        out = set()
        for line in r.out.splitlines():
            only = re.match(r"Only in (.*): (.*)$", line)
            found = os.path.join(*only.groups()) if only else line.split(" ")[1]
            out.add(os.path.relpath(found, self.left.point if found.startswith(self.left.point)
                                    else self.right.point))
        assert bool(out) == (r.code == 1)
        return out

    def cells(self):
        """The (path of the layer, x, y) of each different cell in the files that diff -r reports."""
        out = collections.Counter()
        for path in self.diff():
            if path.endswith(".csv"):
                rows = [[line.split(b",") for line in m.get(path).splitlines()]
                        for m in (self.left, self.right)]
                out.update({(os.path.dirname(path), x, y): 1 for y, both in enumerate(zip(*rows))
                            for x, (p, q) in enumerate(zip(*both)) if p != q})
        return set(out)

    def map_diff(self):
        """(exit code, {(x, y): number of layers with a different cell})"""
        r = tool(self.box, "map_diff", self.a, self.b)
        assert r.code in (0, 1), r
        return r.code, collections.Counter(
            (int(m.group(1)), int(m.group(2))) for m in TILE_LINE.finditer(r.out + r.err))

    def end(self):
        self.left.unmount()
        self.right.unmount()


def copies(f):
    return [datafile.Item(i.type, i.id, i.ints) for i in f.items], f.blobs()


def change_cell(rng, f, blobs, dirs, kind=None, plane=None):
    """Change one byte of a tile in the blobs and return (path of the layer, x, y, kind, plane)."""
    while True:
        n = rng.randrange(len(dirs))
        ints = f.of_type(LAYER)[n].ints
        if ints[1] == 2 and ints[3] == 3 and kind in (None, ints[6]):
            break
    own, size, planes = PLANES[ints[6]]
    x, y = rng.randrange(ints[4]), rng.randrange(ints[5])
    name = plane or rng.choice(sorted(planes))
    index = ints[own or 14]
    data = bytearray(blobs[index])
    data[(y * ints[4] + x) * size + planes[name]] ^= 1 + rng.randrange(7)
    blobs[index] = bytes(data)
    return dirs[n], x, y, ints[6], name


def test_diff_finds_a_changed_cell_in_every_table(box):
    f, made = whole_map(), set()
    items, blobs = copies(f)
    for kind in PLANES:
        for plane in PLANES[kind][2]:
            where, x, y, _, _ = change_cell(random.Random(plane), f, blobs, paths(f), kind, plane)
            made.add(("%s/%s.csv" % (where, plane), (where, x, y)))
    pair = Pair(box, f, items, blobs)
    assert pair.diff() == {path for path, _ in made}
    assert pair.cells() == {cell for _, cell in made}
    pair.end()


@pytest.mark.parametrize("seed", range(4))
def test_diff_finds_every_cell_of_map_diff(box, seed):
    f, rng = whole_map(), random.Random(seed)
    items, blobs = copies(f)
    made = [change_cell(rng, f, blobs, paths(f)) for _ in range(12)]
    pair = Pair(box, f, items, blobs)
    found = pair.cells()
    # A cell may have been changed twice, back to its first value.
    assert found <= {m[:3] for m in made} and found
    code, named = pair.map_diff()
    assert code == 0
    kinds = {m[0]: m[3] for m in made}
    assert named == collections.Counter(
        (x, y) for p, x, y in found if kinds[p] in SEEN_BY_MAP_DIFF)
    pair.end()


def set_int(items, type_, which, at, value):
    of_type = [i for i in items if i.type == type_]
    of_type[which].ints[at] = value


def flip(blobs, index, at=0):
    data = bytearray(blobs[index])
    data[at] ^= 1
    blobs[index] = bytes(data)


def first_item(items, type_, fits):
    return next((n, i) for n, i in enumerate([i for i in items if i.type == type_]) if fits(i.ints))


def change(name, f, items, blobs):
    """Make the change with this name and return a part of the path that diff -r must report."""
    dirs = paths(f)
    tiles = lambda v: v[1] == 2 and v[3] == 3 and v[6] == 0  # noqa: E731
    if name == "author":
        flip(blobs, items[1].ints[1])
        return "info/author"
    if name == "settings":
        flip(blobs, items[1].ints[5])
        return "info/settings.cfg"
    if name in ("pixel", "image name"):
        _, image = first_item(items, IMAGE, lambda v: v[3] == 0)
        flip(blobs, image.ints[5 if name == "pixel" else 4])
        return "images/"
    if name == "image size":
        _, image = first_item(items, IMAGE, lambda v: v[3] == 1)
        image.ints[1] += 1
        return "images/"
    if name == "sound":
        flip(blobs, items_of(items, SOUND)[0].ints[3], -1)
        return "sounds/"
    if name == "point":
        items_of(items, ENVPOINTS)[0].ints[2] += 1
        return "envelopes/"
    if name == "envelope name":
        items_of(items, ENVELOPE)[0].ints[4] += 1 << 24
        return "envelopes/"
    if name == "group":
        items_of(items, GROUP)[-1].ints[1] += 1
        return "group.json"
    if name == "auto-mapper":
        next(i for i in items if i.type == 0xFFFE and len(i.ints) == 6).ints[4] += 1
        return "layer.json"
    if name in ("colour", "image of a layer", "layer name", "detail"):
        n, layer = first_item(items, LAYER, tiles)
        at, by = {"colour": (7, -1), "image of a layer": (13, 0), "layer name": (15, 1 << 24),
                  "detail": (2, 0)}[name]
        layer.ints[at] = layer.ints[at] + by if by else (
            0 if layer.ints[at] != 0 else -1 if name != "detail" else 1)
        return os.path.dirname(dirs[n]) if name == "layer name" else dirs[n] + "/layer.json"
    if name in ("quad", "source"):
        n, layer = first_item(items, LAYER, lambda v: v[1] == (3 if name == "quad" else 10))
        flip(blobs, layer.ints[5], 4)
        return dirs[n] + ("/quads.json" if name == "quad" else "/sources.json")
    if name in ("size", "flags"):
        n, layer = first_item(items, LAYER, tiles)
        if name == "flags":
            layer.ints[6] = 1
            return dirs[n] + "/layer.json"
        layer.ints[4] -= 1
        return dirs[n]
    assert name == "layer gone"
    layers, groups = items_of(items, LAYER), items_of(items, GROUP)
    items.remove(layers[-1])
    last = [g for g in groups if g.ints[6]][-1]
    last.ints[6] -= 1
    return os.path.dirname(dirs[-1])


def items_of(items, type_):
    return [i for i in items if i.type == type_]


CHANGES = ["author", "settings", "pixel", "image name", "image size", "sound", "point",
           "envelope name", "group", "auto-mapper", "colour", "image of a layer", "layer name",
           "detail", "quad", "source", "size", "flags", "layer gone"]


@pytest.mark.parametrize("name", CHANGES)
def test_diff_finds_every_other_change(box, name):
    f = whole_map()
    items, blobs = copies(f)
    part = change(name, f, items, blobs)
    pair = Pair(box, f, items, blobs)
    found = pair.diff()
    assert any(part in path for path in found), found
    pair.end()


def test_equivalent_maps_have_no_difference(box):
    f = whole_map()
    items, blobs = copies(f)
    pair = Pair(box, f, items, blobs, level=1)
    assert places.BINARY and pair.left.map != pair.right.map
    assert datafile.Datafile.load(pair.a).raw != datafile.Datafile.load(pair.b).raw
    assert pair.diff() == set()
    assert pair.map_diff() == (0, {})
    pair.end()


def maps_of_both_games():
    """Names that both games have maps of; some of these pairs are equal."""
    names = [{os.path.basename(p) for p in places.debian_maps() if "/%s/data/maps/" % game in p}
             for game in ("ddnet", "teeworlds")]
    missing = pytest.param(None, marks=pytest.mark.skip(reason=places.NO_MAPS))
    return sorted(names[0] & names[1]) or [missing]


@pytest.mark.parametrize("name", maps_of_both_games())
def test_diff_finds_the_differences_that_map_diff_finds_in_real_maps(box, name):
    maps = [os.path.join(places.GAMES, game, "data", "maps", name) for game in ("ddnet", "teeworlds")]
    a, b = (datafile.Datafile.load(p) for p in maps)
    pair = Pair(box, a, b.items, b.blobs())
    code, named = pair.map_diff()
    found = pair.diff()
    if code or named:
        assert any("groups/" in path for path in found)
    cells = collections.Counter((x, y) for _, x, y in pair.cells())
    if code == 0:
        assert not named - cells
    pair.end()
