# SPDX-License-Identifier: Zlib
"""mapfs automap draws the same tiles as automap_reference.py, for any rules and any layer."""
import glob
import json
import os
import random
import subprocess

import pytest

import automap_reference
import places

GAME = ["/usr/share/games/ddnet/data/editor/automap", "/usr/share/games/ddnet/data/editor"]


def rules_files():
    found = sorted(p for d in GAME for p in glob.glob(d + "/*.rules"))
    return [pytest.param(p, id=os.path.basename(p)) for p in found] or \
        [pytest.param(None, id="none", marks=pytest.mark.skip(reason="not installed: ddnet-data"))]


def table(layer, which):
    return "".join(",".join("%d" % tile[which] for tile in row) + "\n" for row in layer)


class Tree:
    """A map as a tree: groups/0/layers/0 is a design layer, groups/0/layers/1 the game layer."""

    def __init__(self, top):
        self.top = str(top)
        self.layers = os.path.join(self.top, "groups", "0", "layers")
        self.design, self.game = (os.path.join(self.layers, n) for n in "01")
        for d in (self.design, self.game):
            os.makedirs(d)

    def put(self, where, layer, kind, automapper=None, image=None):
        with open(where + "/layer.json", "w") as f:
            json.dump({"type": "tiles", "version": 3, "kind": kind, "width": len(layer[0]), "height": len(layer),
                       "image": image, "automapper": automapper}, f)
        for which, name in enumerate(("id", "flags")):
            with open("%s/%s.csv" % (where, name), "w") as f:
                f.write(table(layer, which))

    def get(self):
        planes = []
        for name in ("id", "flags"):
            with open("%s/%s.csv" % (self.design, name)) as f:
                planes.append([[int(cell) for cell in line.split(",")] for line in f])
        return [[list(tile) for tile in zip(*rows)] for rows in zip(*planes)]


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path)


def automap(*args, code=0):
    r = subprocess.run([places.BINARY, "automap", *args], capture_output=True, timeout=120, text=True,
                       stdin=subprocess.DEVNULL)
    assert r.returncode == code, (args, r.returncode, r.stdout[-2000:], r.stderr[-2000:])
    return r


def random_layer(rng, w, h, tiles=(0, 0, 1, 1, 2, 3, 255)):
    return [[[rng.choice(tiles), rng.choice((0, 0, 0, 1, 2, 3, 8, 9, 4, 15))] for _ in range(w)] for _ in range(h)]


def assert_same_as_reference(tree, path, text, number, layer, seed, reference=None, game=None):
    expected = [[list(tile) for tile in row] for row in layer]
    tree.put(tree.design, layer, "design", {"version": 1, "config": number, "seed": seed, "flags": 0})
    extra = []
    if reference:
        tree.put(tree.game, game, "game")
        extra = ["--reference", reference]
    automap_reference.run(automap_reference.parse(text)[number][1], expected, seed, reference, game)
    automap("--rules", path, *extra, tree.design)
    got = tree.get()
    assert [len(row) for row in got] == [len(row) for row in layer]
    wrong = [(x, y, got[y][x], expected[y][x]) for y in range(len(layer)) for x in range(len(layer[0]))
             if got[y][x] != expected[y][x]]
    assert not wrong, (number, seed, reference, wrong[:3])
    return expected != layer


@pytest.mark.parametrize("path", rules_files())
def test_the_rules_of_the_game_draw_as_the_reference_on_random_layers(tree, path):
    rng = random.Random(os.path.basename(path))
    with open(path) as f:
        text = f.read()
    configs, changed = automap_reference.parse(text), 0
    used = sorted({rule.index for _, runs in configs for run in runs for rule in run.rules} | {0, 1})
    for number in range(len(configs)):
        for tiles in ((0, 1), (0, 0, 0, 1, 1, 1, *used), (0, *used)):
            w, h = rng.choice(((23, 17), (2, 31), (40, 3)))
            changed += assert_same_as_reference(tree, path, text, number, random_layer(rng, w, h, tiles),
                                    rng.choice((1, -1, rng.randrange(-2**31, 2**31) or 1)))
    assert changed >= len(configs)


def random_flags(rng):
    return " ".join(rng.sample(["XFLIP", "YFLIP", "ROTATE"], rng.randrange(1, 4)))


def random_list(rng):
    return " OR ".join("%d%s" % (rng.choice((0, 0, 1, 2, 3, 255, -1)), rng.choice(["", "", "", " NONE", " " + random_flags(rng), " NONE XFLIP"]))
                       for _ in range(rng.choice((1, 1, 2, 3))))


def random_pos(rng):
    value = rng.choice(["EMPTY", "FULL", "INDEX " + random_list(rng), "INDEX " + random_list(rng),
                        "NOTINDEX " + random_list(rng)])
    at = lambda: rng.choice((-2, -1, -1, 0, 0, 0, 1, 1, 3))  # noqa: E731
    return "Pos %d %d %s" % (at(), at(), value)


def random_rule(rng):
    """Lines of one rule, in any order."""
    lines = [random_pos(rng) for _ in range(rng.choice((0, 1, 1, 2, 3)))]
    if rng.random() < 0.3:
        lines.append(rng.choice(["Random %d" % rng.randrange(0, 6), "Random %d%%" % rng.randrange(0, 120),
                                 "Random %.2f" % rng.uniform(0.5, 4), "Random -3"]))
    for _ in range(rng.choice((0, 0, 0, 1, 2))):
        lines.append("Modulo %d %d %d %d" % tuple(rng.randrange(-3, 4) for _ in range(4)))
    if rng.random() < 0.4:
        lines.append("NoDefaultRule")
    if rng.random() < 0.2:
        lines.append(rng.choice(["# a comment", " Pos 0 0 EMPTY", "\tIndex 7", "pos 0 0 EMPTY", "index 9", "", "Noise",
                                 "Pos 0 0 NOTHING"]))
    rng.shuffle(lines)
    return ["Index %d%s" % (rng.choice((0, 1, 2, 3, 255, 300)), rng.choice(["", "", " " + random_flags(rng)]))] + lines


def random_rules(rng):
    lines = ["# made"]
    for number in range(rng.choice((1, 2, 3))):
        lines.append("[config %d]" % number)
        for run in range(rng.choice((1, 2, 3))):
            if run:
                lines.append("NewRun")
            # The last rule of a run stays active in the next run.
            if run and rng.random() < 0.1:
                lines.append(random_pos(rng))
            if rng.random() < 0.3:
                lines.append("NoLayerCopy")
            for _ in range(rng.randrange(0, 5)):
                lines += random_rule(rng)
    return rng.choice(["\n", "\r\n"]).join(lines) + rng.choice(["", "\n"])


@pytest.mark.parametrize("share", range(8))
def test_random_rules_draw_as_the_reference_on_random_layers(tree, tmp_path, share):
    changed, path = 0, str(tmp_path / "made.rules")
    for n in range(50):
        rng = random.Random("%d-%d" % (share, n))
        text = random_rules(rng)
        with open(path, "w", newline="") as f:
            f.write(text)
        layer = random_layer(rng, rng.randrange(2, 12), rng.randrange(2, 12))
        reference = rng.choice([None, None, *automap_reference.REFERENCES])
        game = random_layer(rng, rng.randrange(2, 14), rng.randrange(2, 14), (0, 0, 1, 2, 3, 9, 11, 12, 13, 144, 145))
        changed += assert_same_as_reference(tree, path, text, rng.randrange(text.count("[config")), layer,
                                rng.choice((1, 7, -5, 123456789)), reference, game)
    assert changed > 20


@pytest.mark.parametrize("image, why", [("a" * 256, "must be the name of an image"), ("0_a%00b", "NUL"), ("1_" + "a" * 200, "at most")])
def test_an_invalid_reference_image_is_refused(tree, tmp_path, image, why):
    (tmp_path / "any.rules").write_text("[A]\nIndex 5\n")
    tree.put(tree.design, random_layer(random.Random(1), 3, 3), "design", {"version": 1, "config": 0, "seed": 1, "flags": 0}, image)
    before = tree.get()
    r = automap("--rules", str(tmp_path / "any.rules"), tree.design, code=5)
    assert "unchanged" in r.stderr and why in r.stderr and tree.get() == before
