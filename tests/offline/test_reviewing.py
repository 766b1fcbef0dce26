# SPDX-License-Identifier: Zlib
"""mapfs diff --markdown, --images and --json: the output for reviewers of a change."""
import json
import os
import random
import re

import pytest
from PIL import Image

import archives
import datafile
import maps
import places
import racemap
import review
from maps import run

COLOURS = {"added": (0, 255, 0, 255), "removed": (255, 0, 0, 255), "changed": (0, 255, 255, 255)}
TILE, GAP, LINE = 16, 8, 1


class Map:
    """Random tables of bytes for each kind of layer, and layers that differ only in their names."""

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
        """Change n places of each layer, in clusters."""
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
    """A random tile; the padding of a speedup and the last two bytes of a tile are 0, as programs write them."""
    ids = [1, 9, 26, 27, 60, 192, 255]
    if size == 4:
        return bytes((rnd.choice(ids), rnd.choice((0, 0, 8)), 0, 0))
    return bytes(rnd.choice([0, *ids]) for _ in range(size))


def read_page(*args):
    r = run("diff", "--markdown", *args)
    assert r.stderr == b"" and r.returncode in (0, 1), r.stderr
    return review.Page(r.stdout.decode())


def tree(box, path, name):
    to = os.path.join(box.root, name)
    assert maps.good("extract", "-o", "raw=off", path, to)
    return to


def list_layers(top):
    """The paths of the layers' directories, relative to the tree."""
    return sorted(os.path.relpath(base, top) for base, _, files in os.walk(top) if "layer.json" in files)


def assert_layer(page, path, before, after, kind):
    differ = review.compare(before, after)
    if not differ:
        assert path not in page.layers
        return {}
    reported = page.layers[path]
    assert reported[0] == kind and reported[1:3] == review.summary(differ), path
    if kind:
        number = "number" in (before or {}) or "number" in (after or {})
        of_rows = review.group_rows(differ, number)
        assert sorted((m, n, at) for m, _, n, at in reported[3]) == of_rows or len(of_rows) > 256, path
        for mark, label, n, at in reported[3]:
            ids = [int(x) for x in re.findall(r" \((\d+)\)", label)]
            assert 1 <= len(ids) <= 2 and all(i in {c[0] for _, a, b in differ.values() for c in (a, b)} for i in ids)
    return differ


@pytest.mark.parametrize("seed", range(16))
def test_counts_and_rectangles_match_the_tables(box, seed):
    rnd = random.Random(seed)
    old = Map(rnd, rnd.choice((1, 30, 130)), rnd.choice((2, 50, 90)), rnd.choice((0, 0.3)))
    one = box.add(old.encode(), "one.map")
    old.edit(rnd, rnd.choice((1, 30, 300)))
    two = box.add(old.encode(), "two.map")
    a, b = tree(box, one, "a"), tree(box, two, "b")
    p = read_page(one, two)
    assert list_layers(a) == list_layers(b)
    any_of = {True: 0, False: 0}
    for path in list_layers(a):
        with open(os.path.join(a, path, "layer.json")) as f:
            kind = json.load(f)["kind"]
        kind = kind if kind in racemap.KINDS else None
        differ = assert_layer(p, path, review.read_layer(os.path.join(a, path)), review.read_layer(os.path.join(b, path)), kind)
        any_of[bool(kind)] += len(differ)
    total = sum(sum(c.values()) for kind, c, _, _ in p.layers.values() if kind)
    assert any_of[True] == total == sum(review.counts(p.answer).values())
    assert ("is unchanged" in p.answer) == (not any_of[True] and any_of[False] > 0)


def pairs():
    found = [p for p in places.debian_maps() if os.path.getsize(p) < 400_000]
    return [pytest.param(a, b, id="%s-%s" % tuple(os.path.basename(p) for p in (a, b)))
            for a, b in zip(found[::2], found[1::2])][:maps.share.of(99, 4)] or [
        pytest.param(None, None, id="none", marks=pytest.mark.skip(reason=places.NO_MAPS))]


@pytest.mark.parametrize("one, two", pairs())
def test_counts_match_the_tables_of_different_maps(box, one, two):
    """Which layers belong together is taken from --json."""
    a, b = tree(box, one, "a"), tree(box, two, "b")
    p = read_page(one, two)
    met, seen_in = {}, [set(), set()]
    for line in run("diff", "--json", one, two).stdout.splitlines():
        x = json.loads(line)
        ends = [os.path.dirname(s["path"]) if s and s["kind"] == "file" else s and s["path"]
                for s in (x["before"], x["after"])]
        if x["kind"] == "changed" and x["path"].endswith(".csv"):
            met[ends[1]] = (ends[0], ends[1])
        for top, path in ((0, ends[0]), (1, ends[1])):
            if x["kind"] in ("added", "removed") and path and not x["path"].count("."):
                for layer in list_layers(os.path.join((a, b)[top], path)):
                    full = os.path.normpath(os.path.join(path, layer))
                    met[full, top] = (full, None) if top == 0 else (None, full)
    assert met
    for before, after in met.values():
        layers = [path and review.read_layer(os.path.join(top, path)) for top, path in ((a, before), (b, after))]
        if any(layers):
            path = after or before
            # A removed and an added layer may have one path.
            if len([m for m in met.values() if path in m]) == 1:
                assert_layer(p, path, *layers, p.layers.get(path, (None,))[0])


def count_marked_pixels(image, at, w, h):
    """Number of pixels of each color in both halves of a picture."""
    half = w * TILE
    assert image.size == (2 * half + GAP, h * TILE)
    out = []
    for left in (0, half + GAP):
        pixels = image.crop((left, 0, left + half, h * TILE)).getdata()
        out.append({m: sum(p == c for p in pixels) for m, c in COLOURS.items()})
    return out


def lines_around(marks, window):
    """The same numbers computed from the tiles: each marked tile has a line around it."""
    x0, y0, w, h = window
    out = [dict.fromkeys(COLOURS, 0) for _ in range(2)]
    for (x, y), m in marks.items():
        if x0 <= x < x0 + w and y0 <= y < y0 + h:
            for half in {"added": [1], "removed": [0], "changed": [0, 1]}[m]:
                out[half][m] += TILE ** 2 - (TILE - 2 * LINE) ** 2
    return out


def window(columns, rows):
    """A place with 8 tiles around it on each side."""
    return max(0, columns[0] - 8), max(0, rows[0] - 8), columns[1] - columns[0] + 17, rows[1] - rows[0] + 17


@pytest.mark.parametrize("seed", range(6))
def test_pictures_mark_the_tiles_that_differ(box, seed):
    rnd = random.Random(seed)
    old = Map(rnd, 130, 90, rnd.choice((0, 0.3)))
    one = box.add(old.encode(), "one.map")
    old.edit(rnd, 60)
    two = box.add(old.encode(), "two.map")
    a, b = tree(box, one, "a"), tree(box, two, "b")
    into = os.path.join(box.root, "pictures")
    p = read_page("--images", into, one, two)
    everything = {True: {}, False: {}}
    for path in list_layers(a):
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
        here = {(x, y) for x, y in everything[played] if columns[0] <= x <= columns[1] and rows[0] <= y <= rows[1]}
        assert here and not here & shown[played] and review.rectangle(here) == (columns, rows)
        shown[played] |= here
        with Image.open(name) as f:
            at = window(columns, rows)
            assert count_marked_pixels(f.convert("RGBA"), at, *at[2:]) == lines_around(everything[played], at), base
    left = sum(int(n) for n in re.findall(r"^Places without a picture: (\d+)", p.text, re.M))
    for played in (True, False):
        n = sum(os.path.basename(x).startswith("game-") == played for x in p.pictures)
        assert n <= 16 and (left or shown[played] == set(everything[played]))


def test_places_without_a_picture_are_counted(box):
    """Clusters of tiles that are too far apart to be one place; the larger ones have pictures."""
    old = Map(random.Random(1), 1200, 30, 0)
    one = box.add(old.encode(), "one.map")
    for i in range(20):
        for x in range(1 + i):
            at = (15 * 1200 + i * 60 + x % 10 + x // 10 * 1200) * 4
            old.played["game"][at:at + 4] = bytes((9, 0, 0, 0))
    two = box.add(old.encode(), "two.map")
    into = os.path.join(box.root, "pictures")
    p = read_page("--images", into, one, two)
    assert len(p.pictures) == 16 and "Places without a picture: 4." in p.text
    assert min(columns[0] for columns, _ in p.pictures.values()) == 4 * 60
    assert sum(os.path.getsize(os.path.join(into, x)) for x in os.listdir(into)) < 1_000_000
    r = run("diff", "-q", "--images", into + "2", one, two)
    assert r.returncode == 1 and r.stderr.decode() == "mapfs: %s2: places without a picture: 4\n" % into


def test_tiles_have_the_games_names(box):
    old = racemap.Race()
    one = box.add(old.encode(), "one.map")
    old.put("game", 2, 2, 9)
    old.put("game", 3, 2, 2)
    old.put("game", 3, 1, 60, 8)
    old.put("tele", 4, 2, 3, 26)
    two = box.add(old.encode(), "two.map")
    old.put("game", 3, 2, 3)
    old.put("game", 3, 1, 60, 0)
    old.put("game", 2, 2, 8)
    old.put("tele", 4, 2, 5, 26)
    three = box.add(old.encode(), "three.map")

    def rows(a, b):
        return sorted(row[:3] for layer in read_page(a, b).layers.values() for row in layer[3])
    assert rows(one, two) == [("added", "death (2)", 1), ("added", "entrance (26) 3", 1), ("added", "freeze (9)", 1),
                              ("changed", "finish (34) → stopper (60): flags", 1)]
    assert rows(two, three) == [("changed", "death (2) → unhookable (3)", 1), ("changed", "entrance (26) 3 → entrance (26) 5: number", 1),
                                ("changed", "freeze (9) → unknown (8)", 1), ("changed", "stopper (60) → stopper (60): flags", 1)]
    assert rows(three, three) == []


def test_an_added_or_removed_group_shows_its_layers(box):
    """Also a layer in a group that only one of the maps has, where it could be hidden."""
    def build(second):
        b = datafile.Builder()
        b.add(datafile.MAP_VERSION, [1])
        b.info(settings=[b"sv_x 1"])
        b.tiles(4, 3, bytes(48), flags=1, name="Game")
        b.group(0, 1, "Game")
        if second:
            b.tiles(4, 3, bytes(44) + bytes((16, 0, 0, 0)), flags=8, name="Front")
            b.items[-1].ints[racemap.FIELDS["front"]] = b.blob(bytes(44) + bytes((16, 0, 0, 0)))
            b.group(1, 1, "other")
        b.add(datafile.ENVPOINTS, [])
        return b.encode()
    one, two = box.add(build(False), "one.map"), box.add(build(True), "two.map")
    for args, mark in (((one, two), "added"), ((two, one), "removed")):
        p = read_page(*args)
        assert p.answer == "**The gameplay changed**: tiles: 1 %s." % mark
        ((path, (kind, counts, where, rows)),) = p.layers.items()
        assert (path, kind, counts, where) == ("groups/1_other/layers/0_Front", "front", {mark: 1}, ((3, 3), (2, 2)))
        assert rows[0][1] == "wall jump (16)" and (mark, "groups/1_other") in p.entries()


@pytest.mark.parametrize("kind", ["game", "seen"])
def test_an_added_or_removed_layer_is_counted_once_with_its_tiles(box, kind):
    """A cell of id 0 that kept its flags when its tile was erased is no tile, also if the layer gets wider."""
    def build(name, width):
        b = datafile.Builder()
        b.add(datafile.MAP_VERSION, [1])
        b.info(settings=[b"sv_x 1"])
        b.tiles(4, 3, bytes(48), flags=1, name="Game")
        if width:
            table = b"".join(bytes((9 * (x == 3), 8, 0, 0)) for _ in range(3) for x in range(width))
            b.tiles(width, 3, table if kind == "seen" else bytes(12 * width), flags=0 if kind == "seen" else 8, name="new")
            if kind == "game":
                b.items[-1].ints[racemap.FIELDS["front"]] = b.blob(table)
        b.group(0, 1 + bool(width), "Game")
        b.add(datafile.ENVPOINTS, [])
        return box.add(b.encode(), name + ".map")
    none, four, nine = build("none", 0), build("four", 4), build("nine", 9)
    path, part = "groups/0_Game/layers/1_new", "Layers" if kind == "seen" else "Gameplay"
    for a, b, mark in ((none, four, "added"), (four, none, "removed")):
        p = read_page(a, b)
        assert p.layers[path][1:3] == ({mark: 3}, ((3, 3), (0, 2)))
        assert "### %s (1 %s)\n" % (part, mark) in p.text and p.entries() == [(mark, path)]
    assert path not in read_page(four, nine).layers and path not in read_page(nine, four).layers


def test_design_parts_are_reported(box):
    old = racemap.Race()
    one = box.add(old.encode(), "one.map")
    assert read_page(one, one).answer == "No differences." and run("diff", "--markdown", one, one).returncode == 0
    old.info[0] = b"Bob"
    old.design[0] = (racemap.W, racemap.H, bytes([2, 0, 0, 0]) * (racemap.W * racemap.H), 0, -1)
    two = box.add(old.encode(), "two.map")
    p = read_page(one, two)
    assert p.answer.startswith("**The gameplay is unchanged**") and "Gameplay (" not in p.text
    assert p.entries() == [("changed", "info/author")] and list(p.layers) == ["groups/0_Game/layers/1_design"]
    old.settings.append(b"sv_hit 0")
    p = read_page(two, box.add(old.encode(), "three.map"))
    assert p.answer == "**The gameplay changed**." and "+sv_hit 0\n" in p.text


NASTY = ["a`b*c_d _e_ [f](g) <b> & | # @you ~~s~~ \\ !", "www.e.io", "a@b.c", "``", " #1 ", "``` `x`"]


def test_names_and_texts_of_a_map_are_no_markup(box, small):
    one, two = box.add(small, "one.map"), box.add(small, "two_*x*.map")
    image = tree(box, one, "tree") + "/images/0_checker.png"
    text = "```\n</details>\n  ````` x\n\x1b[31m" + "x" * 200 + "\n\u202e\n"
    assert run("put", one, "info/settings.cfg", input=b"```\n").returncode == 0
    assert run("put", two, "info/settings.cfg", input=text.encode()).returncode == 0
    for name in NASTY:
        assert run("put", two, "images/5_%s.png" % name, image).returncode == 0
    p = read_page(one, two)
    # No part of a name is outside of a code span: GitHub turns even escaped text into links.
    added = {review.name(line).partition("_")[2]: review.CODE.sub("", line) for line in p.text.splitlines() if line.startswith("- added ")}
    assert added == {name + ".png": "- added " for name in NASTY}
    assert p.text.splitlines()[0] == "## `two_*x*.map`"
    fence = re.search(r"^     (```)diff\n(.*?)^ {,5}\1$", p.text, re.M | re.S)
    assert "+  ````` x" in fence[2] and "</details>" in fence[2] and "\x1b" not in p.text and "\\x1b" in fence[2]
    assert max(map(len, p.text.splitlines())) < 500
    assert all(line.startswith("     ") for line in fence[2].splitlines())


def test_long_lists_are_folded(box, small):
    one, two = box.add(small, "one.map"), box.add(small, "two.map")
    image = tree(box, one, "tree") + "/images/0_checker.png"
    with Image.open(image) as f:
        for i in range(30):
            f.convert("RGBA").resize((16, 16 + i)).save(os.path.join(box.root, "tree", "images", "%d_n%d.png" % (i + 5, i)))
    assert run("pack", os.path.join(box.root, "tree"), "--onto", two).returncode == 0
    text = read_page(one, two).text
    images = text.split("### Images (30 added)\n")[1]
    assert images.startswith("\n<details><summary>Show all</summary>\n\n- added ") and "\n\n</details>\n" in images


def test_a_map_of_another_format_is_shown_as_files(box):
    one, two = (box.add(archives.small_mod(), name) for name in ("a.MOD", "b.MOD"))
    assert run("put", two, "MEDIA/README.TXT", input=b"other\n" + "\u00e4".encode() * 5000 + b"\nx").returncode == 0
    p = read_page(one, two)
    assert "\n     +" + "\u00e4" * 200 + " ...\n     +x\n     \\ No newline at end of file\n" in p.text
    assert "### Files (1 " in p.text and "plays" not in p.text and [path for _, path in p.entries()] == ["MEDIA/README.TXT"]
    r = run("diff", "--markdown", one, box.add(racemap.Race().encode(), "c.map"))
    assert r.returncode == 1 and b"### Files (" in r.stdout


def test_markdown_excludes_other_output_forms(box, small):
    for args in (["--json"], ["--full"]):
        r = run("diff", "--markdown", *args, small, small)
        assert r.returncode == 2 and r.stdout == b"" and r.stderr.count(b"\n") == 1
    assert run("diff", "--markdown", small, box.maps + "/none").returncode == 2


def test_json_of_diff_does_not_change(box):
    """Programs read it, so every byte counts."""
    old = racemap.Race()
    one = box.add(old.encode(), "one.map")
    old.info[0] = b"Bobby"
    old.images.append((b"new", (16, 16, bytes(1024))))
    two = box.add(old.encode(), "two.map")
    assert run("mv", two, "groups/0_Game/layers/1_design", "groups/0_Game/layers/0_x").returncode == 0
    assert run("diff", "--json", one, two).stdout.decode().splitlines() == [
        '{"path": "groups/0_Game/layers/0_x", "kind": "moved", "before": {"path": "groups/0_Game/layers/1_design", '
        '"kind": "directory", "size": null}, "after": {"path": "groups/0_Game/layers/0_x", "kind": "directory", "size": null}}',
        '{"path": "images/1_new.png", "kind": "added", "before": null, '
        '"after": {"path": "images/1_new.png", "kind": "file", "size": %d}}' % len(run("cat", two, "images/1_new.png").stdout),
        '{"path": "info/author", "kind": "changed", "before": {"path": "info/author", "kind": "file", "size": 4}, '
        '"after": {"path": "info/author", "kind": "file", "size": 6}}']
    (gone,) = [x for x in map(json.loads, run("diff", "--json", two, one).stdout.splitlines()) if x["kind"] == "removed"]
    assert gone["path"] == gone["before"]["path"] and gone["after"] is None
    assert run("diff", "--json", one, one).stdout == b"" and run("diff", "--json", one, one).returncode == 0


def test_json_of_ls_does_not_change(box):
    path = box.add(racemap.Race().encode(), "one.map")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    assert run("ls", "--json", path, "info", "groups/0_Game").stdout.decode().splitlines() == [
        '{"path": "info/%s", "kind": "file", "size": %d, "mode": "0644", "mtime": 1700000000}' % (name, size)
        for name, size in (("author", 4), ("credits", 0), ("license", 4), ("settings.cfg", 10), ("version", 2))] + [
        '{"path": "groups/0_Game/group.json", "kind": "file", "size": %d, "mode": "0644", "mtime": 1700000000}'
        % len(run("cat", path, "groups/0_Game/group.json").stdout),
        '{"path": "groups/0_Game/layers", "kind": "directory", "size": null, "mode": "0755", "mtime": 1700000000}']
    below = [json.loads(line) for line in run("ls", "-R", "--json", path).stdout.splitlines()]
    top = tree(box, path, "tree")
    expected = {os.path.relpath(os.path.join(b, n), top) for b, ds, fs in os.walk(top) for n in ds + fs}
    assert {x["path"] for x in below if not x["path"].startswith("raw")} == expected
    assert len(below) == len({x["path"] for x in below})
    assert [json.loads(line)["path"] for line in run("ls", "--json", path, "info/a*").stdout.splitlines()] == ["info/author"]
