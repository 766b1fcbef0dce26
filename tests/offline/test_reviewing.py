# SPDX-License-Identifier: Zlib
"""diff --markdown, --images and --json: what somebody reads who judges a change."""
import json
import os
import random
import re

import pytest
from PIL import Image

import maps  # first: it says what else can be imported
import archives
import datafile
import places
import racemap
import review
from maps import run

COLOURS = {"added": (0, 255, 0, 255), "removed": (255, 0, 0, 255), "changed": (0, 255, 255, 255)}
TILE, GAP, LINE = 16, 8, 2


class Map:
    """Tables of bytes by the kind of a layer, and of layers that are only seen by their names."""

    def __init__(self, rnd, w, h, some=0.3):
        self.size = {}
        self.played, self.seen = {}, {}
        for kind in racemap.KINDS:
            self.played[kind] = self.random(rnd, w, h, racemap.SIZES.get(kind, 4), some)
        for name in ("near", "far"):
            self.seen[name] = self.random(rnd, w, h, 4, some)
        self.size = dict.fromkeys((*self.played, *self.seen), (w, h))
        self.settings = [b"sv_team 1"]

    @staticmethod
    def random(rnd, w, h, size, some):
        table = bytearray(w * h * size)
        for at in range(0, len(table), size):
            if rnd.random() < some:
                table[at:at + size] = tile(rnd, size)
        return table

    def edit(self, rnd, n):
        """n places of each layer, in heaps."""
        for key, table in [*self.played.items(), *self.seen.items()]:
            size, (w, h) = racemap.SIZES.get(key, 4), self.size[key]
            x, y = rnd.randrange(w), rnd.randrange(h)
            for _ in range(rnd.randrange(n + 1)):
                if rnd.random() < 0.1:
                    x, y = rnd.randrange(w), rnd.randrange(h)
                x, y = min(max(x + rnd.randrange(-2, 3), 0), w - 1), min(max(y + rnd.randrange(-2, 3), 0), h - 1)
                at = (y * w + x) * size
                table[at:at + size] = tile(rnd, size) if rnd.random() < 0.6 else bytes(size)

    def encode(self):
        b = datafile.Builder()
        b.add(datafile.MAP_VERSION, [1])
        b.info(b"", b"", b"", b"", self.settings)
        for kind, table in self.played.items():
            w, h = self.size[kind]
            b.tiles(w, h, bytes(table) if kind == "game" else bytes(4 * w * h), racemap.KINDS[kind], name=kind)
            if kind in racemap.FIELDS:
                b.items[-1].ints[racemap.FIELDS[kind]] = b.blob(bytes(table))
        b.group(0, len(self.played), "Game")
        for name, table in self.seen.items():
            b.tiles(*self.size[name], bytes(table), name=name)
        b.group(len(self.played), len(self.seen), "Seen")
        b.add(datafile.ENVPOINTS, [])
        return b.encode()


def tile(rnd, size):
    """A speedup has its padding, and a tile its two last bytes, as programs leave them."""
    ids = [1, 9, 26, 27, 60, 192, 255]
    if size == 4:
        return bytes((rnd.choice(ids), rnd.choice((0, 0, 8)), 0, 0))
    return bytes(rnd.choice([0, *ids]) for _ in range(size))


def page(*args):
    r = run("diff", "--markdown", *args)
    assert r.stderr == b"" and r.returncode in (0, 1), r.stderr
    return review.Page(r.stdout.decode())


def tree(box, path, name):
    to = os.path.join(box.root, name)
    assert maps.good("extract", "-o", "raw=off", path, to)
    return to


def layers_of(top):
    """The paths of the directories of layers, without what is before."""
    return sorted(os.path.relpath(base, top) for base, _, files in os.walk(top) if "layer.json" in files)


def assert_layer(page, path, before, after, kind):
    differ = review.compare(before, after)
    if not differ:
        assert path not in page.layers
        return {}
    told = page.layers[path]
    assert told[0] == kind and told[1:3] == review.told(differ), path
    if kind:
        number = "number" in (before or {}) or "number" in (after or {})
        of_rows = review.rows(differ, number)
        assert sorted((m, n, at) for m, _, n, at in told[3]) == of_rows or len(of_rows) > 256, path
        for mark, label, n, at in told[3]:
            ids = [int(x) for x in re.findall(r" \((\d+)\)", label)]
            assert 1 <= len(ids) <= 2 and all(i in {c[0] for _, a, b in differ.values() for c in (a, b)} for i in ids)
    return differ


@pytest.mark.parametrize("seed", range(16))
def test_counts_and_rectangles_are_those_of_the_tables(box, seed):
    rnd = random.Random(seed)
    old = Map(rnd, rnd.choice((1, 30, 130)), rnd.choice((2, 50, 90)), rnd.choice((0, 0.3)))
    one = box.add(old.encode(), "one.map")
    old.edit(rnd, rnd.choice((1, 30, 300)))
    two = box.add(old.encode(), "two.map")
    a, b = tree(box, one, "a"), tree(box, two, "b")
    p = page(one, two)
    assert layers_of(a) == layers_of(b)
    any_of = {True: 0, False: 0}
    for path in layers_of(a):
        with open(os.path.join(a, path, "layer.json")) as f:
            kind = json.load(f)["kind"]
        kind = kind if kind in racemap.KINDS else None
        differ = assert_layer(p, path, review.read_layer(os.path.join(a, path)), review.read_layer(os.path.join(b, path)), kind)
        any_of[bool(kind)] += len(differ)
    total = sum(sum(c.values()) for kind, c, _, _ in p.layers.values() if kind)
    assert any_of[True] == total == sum(review.counts(p.answer).values())
    assert ("is the same" in p.answer) == (not any_of[True] and any_of[False] > 0)


def pairs():
    found = [p for p in places.debian_maps() if os.path.getsize(p) < 400_000]
    return [pytest.param(a, b, id="%s-%s" % tuple(os.path.basename(p) for p in (a, b)))
            for a, b in zip(found[::2], found[1::2])][:maps.share.of(99, 4)] or [
        pytest.param(None, None, id="none", marks=pytest.mark.skip(reason=places.NO_MAPS))]


@pytest.mark.parametrize("one, two", pairs())
def test_the_same_of_maps_that_have_little_in_common(box, one, two):
    """Which layers are one, what --json says of their tables tells."""
    a, b = tree(box, one, "a"), tree(box, two, "b")
    p = page(one, two)
    met, seen_in = {}, [set(), set()]
    for line in run("diff", "--json", one, two).stdout.splitlines():
        x = json.loads(line)
        ends = [os.path.dirname(s["path"]) if s and s["kind"] == "file" else s and s["path"]
                for s in (x["before"], x["after"])]
        if x["kind"] == "changed" and x["path"].endswith(".csv"):
            met[ends[1]] = (ends[0], ends[1])
        for top, path in ((0, ends[0]), (1, ends[1])):
            if x["kind"] in ("added", "removed") and path and not x["path"].count("."):
                for layer in layers_of(os.path.join((a, b)[top], path)):
                    full = os.path.normpath(os.path.join(path, layer))
                    met[full, top] = (full, None) if top == 0 else (None, full)
    assert met
    for before, after in met.values():
        layers = [path and review.read_layer(os.path.join(top, path)) for top, path in ((a, before), (b, after))]
        if any(layers):
            path = after or before
            # One and the same path may be of a layer that went and of one that came.
            if len([m for m in met.values() if path in m]) == 1:
                assert_layer(p, path, *layers, p.layers.get(path, (None,))[0])


def marked(image, at, w, h):
    """How many pixels of each colour there are in both halves of a picture."""
    half = w * TILE
    assert image.size == (2 * half + GAP, h * TILE)
    out = []
    for left in (0, half + GAP):
        pixels = image.crop((left, 0, left + half, h * TILE)).getdata()
        out.append({m: sum(p == c for p in pixels) for m, c in COLOURS.items()})
    return out


def lines_around(marks, window):
    """The same, from the tiles: a line inside each tile along neighbours, also beyond a corner, of another mark."""
    x0, y0, w, h = window
    out = [dict.fromkeys(COLOURS, 0) for _ in range(2)]

    def mark(x, y):
        return marks.get((x, y)) if x0 <= x < x0 + w and y0 <= y < y0 + h else None
    for (x, y) in marks:
        m = mark(x, y)
        if not m:
            continue
        other = {(dx, dy): mark(x + dx, y + dy) != m for dx in (-1, 0, 1) for dy in (-1, 0, 1)}
        n = 0
        for py in range(TILE):
            for px in range(TILE):
                dx = -1 if px < LINE else 1 if px >= TILE - LINE else 0
                dy = -1 if py < LINE else 1 if py >= TILE - LINE else 0
                n += other[dx, 0] or other[0, dy] or other[dx, dy]
        for half in {"added": [1], "removed": [0], "changed": [0, 1]}[m]:
            out[half][m] += n
    return out


def window(columns, rows):
    """A place with 4 tiles around it, of 24 x 16 at least."""
    out = []
    for (first, last), least in ((columns, 24), (rows, 16)):
        n = max(last - first + 1 + 8, least)
        out.append((max(0, first - 1 - (n - (last - first + 1)) // 2), n))
    return out[0][0], out[1][0], out[0][1], out[1][1]


@pytest.mark.parametrize("seed", range(6))
def test_pictures_mark_the_tiles_that_differ(box, seed):
    rnd = random.Random(seed)
    old = Map(rnd, 130, 90, rnd.choice((0, 0.3)))
    one = box.add(old.encode(), "one.map")
    old.edit(rnd, 60)
    two = box.add(old.encode(), "two.map")
    a, b = tree(box, one, "a"), tree(box, two, "b")
    into = os.path.join(box.root, "pictures")
    p = page("--images", into, one, two)
    everything = {True: {}, False: {}}
    for path in layers_of(a):
        differ = review.compare(*(review.read_layer(os.path.join(top, path)) for top in (a, b)))
        marks = everything["Game" in path]
        for at, (mark, _, _) in differ.items():
            marks[at] = mark if marks.get(at, mark) == mark else "changed"
    drawn = {name for name in os.listdir(into) if name != "map.png"}
    assert {os.path.basename(name) for name in p.pictures} == drawn and drawn
    assert all(os.path.dirname(name) == into for name in p.pictures)
    shown = {True: set(), False: set()}
    for name, (columns, rows) in p.pictures.items():
        base = os.path.basename(name)
        played = base.startswith("game-")
        assert base == "%s-%d-%d.png" % ("game" if played else "design", columns[0], rows[0])
        assert columns[1] - columns[0] < 56 and rows[1] - rows[0] < 40
        here = {(x, y) for x, y in everything[played] if columns[0] <= x + 1 <= columns[1] and rows[0] <= y + 1 <= rows[1]}
        assert here and not here & shown[played] and review.rectangle(here) == (columns, rows)
        shown[played] |= here
        with Image.open(name) as f:
            at = window(columns, rows)
            assert marked(f.convert("RGBA"), at, *at[2:]) == lines_around(everything[played], at), base
    left = sum(int(n) for n in re.findall(r"^(\d+) more places? ha", p.text, re.M))
    for played in (True, False):
        n = sum(os.path.basename(x).startswith("game-") == played for x in p.pictures)
        assert n <= 16 and (left or shown[played] == set(everything[played]))
