# SPDX-License-Identifier: Zlib
"""merge: three maps become one that says what both sides say, or names what cannot be joined."""
import io
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

import pytest

import archives
import box as boxes
import datafile
import edits
import edits_odd
import maps
import merging
import places
import randommap
import share
import shims
from box import get
from maps import good, run, saved

ROUNDS = share.of(1000, 60)


def merge(where, *args, code=None):
    r = subprocess.run([places.BINARY, "merge", *args, "b.map", "o.map", "t.map", "out.map"], cwd=where,
                       capture_output=True, timeout=300, text=True)
    if code is not None:
        assert r.returncode == code, (r.returncode, r.stderr)
    return r


def content(path):
    return good("text", path).stdout


@pytest.fixture
def three(tmp_path):
    """A directory with b.map, o.map and t.map, which are the same, and the map's tree."""
    return tagged(tmp_path, 7)


def make_three(where, data):
    for name in ("b.map", "o.map", "t.map"):
        (where / name).write_bytes(data)
    good("extract", "-o", "raw=off", str(where / "b.map"), str(where / "tree"))
    return where


# ---- laws

def law_maps():
    found = [p for p in maps.each_map(400_000)]
    return found


@pytest.mark.parametrize("path", law_maps())
def test_a_map_that_one_side_changed_is_that_sides_to_the_byte(tmp_path, path):
    end = os.path.splitext(path)[1]
    pair = os.path.exists(path + ".MAN")
    if run("ls", path).returncode or pair:
        pytest.skip("refused by a mount, too" if not pair else "two files")
    other = {".map": ("info/author", b"somebody else\n"), ".tcm": ("points.csv", b"x,y\n5,6\n")}.get(
        end, ("MEDIA/NEW.TXT", b"new\n"))
    names = [str(tmp_path / (n + end)) for n in ("b", "x", "out")]
    b, x, out = names
    shutil.copy(path, b)
    shutil.copy(path, x)
    if run("put", x, other[0], input=other[1]).returncode:
        pytest.skip("it takes no other " + other[0])
    for args, result in (((b, b, x), x), ((b, x, b), x), ((b, x, x), x), ((x, x, x), x)):
        r = run("merge", *args, out)
        assert (r.returncode, r.stdout) == (0, b""), r.stderr
        assert get(out) == get(result)
    assert sorted(os.listdir(tmp_path)) == sorted(os.path.basename(n) for n in names)


def test_what_only_theirs_changed_is_taken_also_where_ours_was_written_anew(three):
    """Not by the bytes: ours says what the base says, in other bytes."""
    good("put", str(three / "o.map"), "info/author", input=b"x\n")
    good("put", str(three / "o.map"), "info/author", input=get(three / "tree/info/author"))
    edit(three, "t", random.Random(3), 2, 6)
    if get(three / "o.map") == get(three / "b.map"):
        with open(three / "o.map", "ab") as f:
            f.write(b"trailing")
    merge(three, code=0)
    assert facts_of(three, "out") == facts_of(three, "t")


# ---- a model

def edit(where, side, rng, number, n, few=None):
    """Random edits of the tree, all or a few kinds of them, go onto the side's map."""
    tree = str(where / ("tree-" + side))
    shutil.copytree(where / "tree", tree)
    made = edits_odd.OddEdits(tree, rng, number, str(where / "tree"))
    made.some(n, few)
    assert saved(run("pack", "-o", "raw=off", "--exact", "--onto", str(where / (side + ".map")), tree))
    return made


def facts_of(where, side, alias=None):
    tree = str(where / ("said-" + side))
    shutil.rmtree(tree, ignore_errors=True)
    good("extract", "-o", "raw=off", str(where / (side + ".map")), tree)
    return merging.facts(tree, alias)


def tagged(where, seed):
    make_three(where, randommap.random_map(seed))
    merging.tag_all(str(where / "tree"))
    assert saved(run("pack", "-o", "raw=off", "--exact", "--onto", str(where / "b.map"), str(where / "tree")))
    shutil.rmtree(where / "tree")
    return make_three(where, get(where / "b.map"))


def judge(b, o, t, out, r, copies):
    """None, or what is wrong. copies: {what a side added: what it is a copy of}."""
    sure, clash = merging.expected(b, o, t)
    clash = {k for k in clash if merging.owner(k) not in copies.values()}  # perhaps it is one of each side
    if r.returncode not in (0, 1) or (r.returncode == 1) != ("conflict: " in r.stderr):
        return "exit code %d" % r.returncode
    if r.returncode == 0 and any(not merging.nameless(b, o, t, merging.owner(k)) for k in clash):
        return "both changed %s, and nothing was said" % sorted(clash, key=str)[:3]
    if r.returncode == 1 and (not clash or "in doubt" in r.stderr):
        return None  # a doubt of its own, named
    if "are no map that can be saved" in r.stderr:
        return None if out == o else "ours is not as it was"
    lost = merging.added_otherwise(b, o, t) - out["twice",]
    if r.returncode == 0 and lost:
        return "both added %s, and one is lost" % lost
    # What is named as a whole need not be joined, and what is there again is it beside another.
    named = {merging.owner(k) for k in clash}
    if ": automapper" in r.stderr:
        sure = {k: v for k, v in sure.items() if k[2:] != ("automapper",)}
        clash = {k for k in clash if k[2:] != ("automapper",)}
    if "and the layer's size by one or both" in r.stderr:  # named as a whole: ours stays
        sure = {k: v for k, v in sure.items() if merging.owner(k) not in merging.resized(b, o, t) or out.get(k) != o.get(k)}
    again = out["twice",] if r.returncode else set()
    wrong = [(k, v, out.get(k)) for k, v in sure.items() if out.get(k) != v and merging.owner(k) not in named | again
             and not (v is None and stays(k, named, b, r)) and not merging.exchanged(k, v, out.get(k), (o, t), copies)]
    lines = merging.lines_joined(*(f["settings",] for f in (b, o, t)))
    if set(out["settings",]) != lines and "settings.cfg" not in r.stderr:
        wrong.append(("settings", lines, out["settings",]))
    if "into another order" not in r.stderr:
        wrong += merging.misplaced(b, o, t, out)
    kept = [(k, o.get(k), out.get(k)) for k in clash
            if len(k) > 2 and out.get(k) != o.get(k) and merging.owner(k) not in again
            and not (k[2:] == ("group",) and (whole_group(r) or merging.exchanged(k, o.get(k), out.get(k), (o, t), copies)))]
    return (wrong + kept)[:3] or None


def stays(key, named, b, r):
    """It was removed, but stays with something that is named."""
    if key[0] in ("group", "layer") and whole_group(r):
        return True
    groups = named | {b.get((*k, "group")) for k in named}
    return key in groups or b.get((*key, "group")) in groups or (key[0] in edits.REFERENCES and " and used by " in r.stderr)


def whole_group(r):
    return re.search(r"conflict: groups/[^/:]*: (changed|removed) by", r.stderr)


CHECKER = os.path.join(places.SHARED, "tools/twcheck.py")


def anomalies(path):
    """What a reader of its own finds odd in a map."""
    r = subprocess.run([sys.executable, CHECKER, path], capture_output=True, text=True, timeout=60)
    return {str(a) for a in json.loads(r.stdout.splitlines()[0])["anomalies"]} if r.stdout else {r.stderr}


def checked(where):
    """Is nothing odd in the merged map that was in none of the three?"""
    if not os.path.exists(CHECKER):
        return None
    before = set().union(*(anomalies(where / (n + ".map")) for n in "bot"))
    now = anomalies(where / "out.map")
    return None if before or not now else sorted(now)


def one_round(where, seed):
    rng = random.Random(seed)
    tagged(where, seed)
    few = rng.sample(edits_odd.OddEdits.ALL, 5) if seed % 2 else None  # so that both sides' meet
    copies = [edit(where, side, rng, number, rng.randrange(1, 8), few).copies for number, side in ((1, "o"), (2, "t"))]
    r, back = merge(where), merge_back(where)
    assert r.returncode in (0, 1), r
    alias = merging.aliases((facts_of(where, side), c) for side, c in zip("ot", copies))
    b, o, t, out, other = (facts_of(where, side, alias) for side in ("b", "o", "t", "out", "back"))
    both = {**copies[0], **copies[1]}
    problem = judge(b, o, t, out, r, both) or judge(b, t, o, other, back, both) or \
        disagreement(out, other, r, back) or (checked(where) if seed % 10 == 0 else None)
    return problem, r.returncode == 1 and not merging.expected(b, o, t)[1], r


def merge_back(where):
    """The other way round: theirs is ours."""
    return subprocess.run([places.BINARY, "merge", "b.map", "t.map", "o.map", "back.map"], cwd=where,
                          capture_output=True, timeout=300, text=True)


def disagreement(out, other, r, back):
    """What both ways do not agree on, though it is not which side stays: None, or that."""
    if r.returncode != back.returncode:
        return "only one way is in conflict: " + (r.stderr or back.stderr)
    if r.returncode:
        return None
    wrong = [(k, out.get(k), other.get(k)) for k in {*out, *other} - {("orders",), ("settings",)}
             if out.get(k) != other.get(k) and merging.owner(k) not in out["twice",]]
    return wrong[:3] or None


@pytest.fixture
def quick():
    with places.in_memory() as where:
        yield pathlib.Path(where)


# A conflict of several files, which the model does not foresee: it looks at one at a time.
SEVERAL = re.compile("both put it into another order|and used by ")


def test_random_edits_of_two_copies_are_all_in_the_merge_or_named(quick):
    wrong, doubts, unforeseen, conflicts = [], [], 0, 0
    for seed in range(ROUNDS):
        where = quick / str(seed)
        where.mkdir()
        problem, doubt, r = one_round(where, seed)
        conflicts += r.returncode
        if problem:
            wrong.append((seed, problem, r.stderr))
        unforeseen += doubt
        if doubt and not all(SEVERAL.search(line) for line in r.stderr.splitlines() if ": conflict: " in line):
            doubts.append((seed, r.stderr))
        if not problem:
            shutil.rmtree(where)
    print("%d rounds, %d with conflicts, %d of them unforeseen, %d for doubt" % (
        ROUNDS, conflicts, unforeseen, len(doubts)))
    assert wrong == []
    assert len(doubts) <= ROUNDS // 10, doubts
    assert unforeseen <= ROUNDS // 7
    assert 0 < conflicts < ROUNDS


# ---- conflicts, one of each kind

def put(where, side, path, text):
    good("put", str(where / (side + ".map")), path, input=text.encode() if isinstance(text, str) else text)


def said(where, path, side="out"):
    return good("cat", str(where / (side + ".map")), path).stdout.decode()


def left(where, path):
    return boxes.get(where / "out.map.mapfs-left" / path).decode()


@pytest.fixture
def plain(tmp_path):
    """Three copies of a map with a game layer and a layer beside it, in one group."""
    return make_three(tmp_path, datafile.small_map())


ENVELOPE = """{
  "version": 2,
  "channels": %d,
  "synchronized": false,
  "points": [
    {"time": 0, "curve_type": "linear", "values": [%d, 0, 0, 0]},
    {"time": 1000, "curve_type": "linear", "values": [0, %d, 0, 0]}
  ]
}
"""
GAME, GROUND, GROUP = "groups/0_Game/layers/0_Game", "groups/0_Game/layers/1_ground", "groups/0_Game"


def cells(where, *changes, of=GROUND, plane="id"):
    rows = merging.table(str(where / "tree" / of / (plane + ".csv")))
    for x, y, value in changes:
        rows[y][x] = value
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


def grid(text):
    return [[int(c) for c in line.split(",")] for line in text.splitlines()]


def test_cells_that_both_changed_stay_ours_and_their_rectangle_is_named(plain):
    put(plain, "o", GROUND + "/id.csv", cells(plain, (1, 1, 5), (3, 2, 6), (9, 9, 7)))
    put(plain, "t", GROUND + "/id.csv", cells(plain, (1, 1, 8), (3, 2, 9), (0, 0, 4)))
    r = merge(plain, code=1)
    assert grid(said(plain, GROUND + "/id.csv")) == grid(
        cells(plain, (1, 1, 5), (3, 2, 6), (9, 9, 7), (0, 0, 4)))
    assert grid(left(plain, GROUND + "/id.csv")) == grid(said(plain, GROUND + "/id.csv", "t"))
    line, = r.stderr.splitlines()
    assert "2 cells, x 1 to 3, y 1 to 2;" in line and GROUND + "/id.csv" in line
    assert "out.map.mapfs-left/" + GROUND + "/id.csv" in line
    assert not any("CONFLICT" in p for p in said_paths(plain))


@pytest.mark.parametrize("cells_, said_", [
    (((3, 2),), "1 cell, x 3, y 2;"), (((3, 2), (5, 2)), "2 cells, x 3 to 5, y 2;"), (((0, 0), (0, 9)), "2 cells, x 0, y 0 to 9;")])
def test_where_both_changed_cells_is_told_as_the_editor_counts(plain, cells_, said_):
    for side, index in (("o", 5), ("t", 8)):
        put(plain, side, GROUND + "/id.csv", cells(plain, *((x, y, index) for x, y in cells_)))
    assert GROUND + "/id.csv: changed by both: " + said_ in merge(plain, code=1).stderr


def said_paths(where):
    return good("ls", "-R", "-o", "raw=off", str(where / "out.map")).stdout.decode().splitlines()


def test_a_tile_is_of_one_side(plain):
    """Not our index with their flags."""
    for side, index, flags in (("o", 5, 0), ("t", 8, 9)):
        put(plain, side, GROUND + "/id.csv", cells(plain, (1, 1, index)))
        put(plain, side, GROUND + "/flags.csv", cells(plain, (1, 1, flags), plane="flags"))
    r = merge(plain, code=1)
    assert grid(said(plain, GROUND + "/flags.csv"))[1][1] == 0
    assert r.stderr.count("conflict: ") == 2


def test_a_mark_shows_the_cells(plain):
    put(plain, "o", GROUND + "/id.csv", cells(plain, (1, 1, 5), (2, 1, 5)))
    put(plain, "t", GROUND + "/id.csv", cells(plain, (1, 1, 8), (2, 1, 8)))
    merge(plain, "--mark", code=1)
    mark = GROUP + "/layers/2_CONFLICT/"
    rows = grid(said(plain, mark + "id.csv"))
    assert [(x, y) for y, row in enumerate(rows) for x, c in enumerate(row) if c] == [(1, 1), (2, 1)]
    assert '"image": null' in said(plain, mark + "layer.json")


def test_lines_that_both_changed(plain):
    base = said(plain, "info/settings.cfg", "b").splitlines()
    put(plain, "o", "info/settings.cfg", "\n".join(["sv_deepfly 1"] + base[1:]) + "\n")
    put(plain, "t", "info/settings.cfg", "\n".join(["sv_deepfly 2"] + base[1:] + ["sv_more 1"]) + "\n")
    r = merge(plain, code=1)
    assert said(plain, "info/settings.cfg").splitlines() == ["sv_deepfly 1"] + base[1:] + ["sv_more 1"]
    assert ": changed by both: 1 line, line 1;" in r.stderr
    assert left(plain, "info/settings.cfg") == said(plain, "info/settings.cfg", "t")


def test_neighbouring_lines_are_not_one(plain):
    for side in "bot":
        put(plain, side, "info/settings.cfg", "sv_a 1\nsv_b 1\nsv_c 1\n")
    put(plain, "o", "info/settings.cfg", "sv_a 2\nsv_b 1\nsv_c 1\n")
    put(plain, "t", "info/settings.cfg", "sv_a 1\nsv_c 1\n")
    merge(plain, code=0)
    assert said(plain, "info/settings.cfg") == "sv_a 2\nsv_c 1\n"


def stack(where, side, *names):
    """Layers of these names, each with a tile of its own, in this order above the two that are there."""
    tree = where / ("stack-" + side)
    shutil.rmtree(tree, ignore_errors=True)
    for i, name in enumerate(names):
        new = tree / GROUP / "layers" / ("%d_%s" % (i + 2, name))
        shutil.copytree(where / "tree" / GROUND, new)
        merging.write(str(new / "id.csv"), cells(where, (len(name), 0, 9)))
    shutil.copy(where / "first.map", where / (side + ".map"))
    good("pack", str(tree), "--onto", str(where / (side + ".map")))


def names_of(where, side="out"):
    found = good("ls", str(where / (side + ".map")), GROUP + "/layers").stdout.decode().split()
    return [merging.bare(n) for n in found]


def test_the_order_is_that_of_whoever_changed_it(plain):
    shutil.copy(plain / "b.map", plain / "first.map")
    base, other = ("a", "bb", "ccc", "dddd"), ("dddd", "bb", "a", "ccc")
    for ours, theirs in ((base, other), (other, base)):
        for side, names in (("b", base), ("o", ours), ("t", theirs)):
            stack(plain, side, *names)
        if ours == base:
            put(plain, "o", GROUP + "/layers/3_bb/id.csv", cells(plain, (5, 5, 5)))
        merge(plain, code=0)
        assert names_of(plain) == ["Game", "ground", *other]
        if ours == base:
            assert grid(said(plain, GROUP + "/layers/3_bb/id.csv"))[5][5] == 5
    stack(plain, "b", *base)
    stack(plain, "o", *other)
    stack(plain, "t", "bb", "a", "ccc", "dddd")
    r = merge(plain, code=1)
    assert names_of(plain) == ["Game", "ground", *other] and "into another order" in r.stderr


def test_settings_that_both_added_at_one_place_are_kept(plain):
    base = said(plain, "info/settings.cfg", "b")
    put(plain, "o", "info/settings.cfg", base + "sv_ours 1\nsv_same 1\n")
    put(plain, "t", "info/settings.cfg", base + "sv_same 1\nsv_theirs 1\n")
    merge(plain, code=0)
    assert said(plain, "info/settings.cfg") == base + "sv_ours 1\nsv_same 1\nsv_theirs 1\n"


def test_one_setting_that_both_added_with_other_values_is_a_conflict(plain):
    base = said(plain, "info/settings.cfg", "b")
    put(plain, "o", "info/settings.cfg", base + "sv_hit 1\n")
    put(plain, "t", "info/settings.cfg", base + "sv_hit 0\n")
    merge(plain, code=1)
    assert said(plain, "info/settings.cfg") == base + "sv_hit 1\n"


def test_fields_that_both_changed(plain):
    text = said(plain, GROUND + "/layer.json", "b")
    put(plain, "o", GROUND + "/layer.json", text.replace("[255, 255, 255, 255]", "[1, 2, 3, 4]"))
    put(plain, "t", GROUND + "/layer.json",
        text.replace("[255, 255, 255, 255]", "[9, 9, 9, 9]").replace('"detail": false', '"detail": true'))
    r = merge(plain, code=1)
    now = said(plain, GROUND + "/layer.json")
    assert "[1, 2, 3, 4]" in now and '"detail": true' in now
    assert "layer.json: changed by both: color;" in r.stderr


IMAGE = "images/0_checker.png"


def image_of(where, side):
    """The pixels that a map shows, by rows."""
    pil = pytest.importorskip("PIL.Image")
    with pil.open(io.BytesIO(good("cat", str(where / (side + ".map")), IMAGE).stdout)) as i:
        data = list(i.getdata())
        return [data[y * i.width:(y + 1) * i.width] for y in range(i.height)]


def paint(where, side, *spots, size=None):
    """{side}.map gets these (x, y, shade) as pixels of the image, or another image."""
    rows = image_of(where, "b")
    if size:
        rows = [[(0, 0, 0, 255)] * size for _ in range(size)]
    for x, y, shade in spots:
        rows[y][x] = (shade, 0, 0, 255)
    image = pytest.importorskip("PIL.Image").new("RGBA", (len(rows[0]), len(rows)))
    image.putdata([c for row in rows for c in row])
    out = io.BytesIO()
    image.save(out, "PNG")
    put(where, side, IMAGE, out.getvalue())
    return rows


def test_pixels_that_each_side_changed_are_all_in_the_image(plain):
    rows = paint(plain, "o", (1, 2, 10), (5, 5, 30))
    paint(plain, "t", (0, 15, 20), (5, 5, 30))
    merge(plain, code=0)
    rows[15][0] = (20, 0, 0, 255)
    assert image_of(plain, "out") == rows


def test_pixels_that_both_changed_stay_ours_and_their_rectangle_is_named(plain):
    rows = paint(plain, "o", (1, 2, 10), (4, 3, 10), (7, 7, 10))
    paint(plain, "t", (1, 2, 20), (4, 3, 20), (9, 9, 20))
    r = merge(plain, code=1)
    rows[9][9] = (20, 0, 0, 255)
    assert image_of(plain, "out") == rows
    line, = r.stderr.splitlines()
    assert IMAGE + ": changed by both: 2 pixels, x 1 to 4, y 2 to 3;" in line
    assert boxes.get(plain / "out.map.mapfs-left" / IMAGE) == good("cat", str(plain / "t.map"), IMAGE).stdout


def damage(where, side, changed_since):
    """What of a side's blobs another side has not inflates no more. Returns how many."""
    path = where / (side + ".map")
    f, before = datafile.Datafile.load(path), datafile.Datafile.load(where / (changed_since + ".map")).blobs()
    data = bytearray(f.raw)
    wrong = [i for i in range(f.n_data) if f.blob(i) not in before]
    for i in wrong:
        data[slice(*f.ranges[i])] = b"\xff" * (f.ranges[i][1] - f.ranges[i][0])
    path.write_bytes(data)
    return len(wrong)


@pytest.mark.parametrize("file", [GROUND + "/id.csv", "info/settings.cfg", IMAGE])
def test_what_of_theirs_cannot_be_read_is_a_conflict_and_the_rest_is_taken(plain, file):
    if file.endswith(".csv"):
        put(plain, "t", file, cells(plain, (1, 1, 5)))
    elif file.endswith(".cfg"):
        put(plain, "t", file, "sv_deepfly 1\n")
    else:
        paint(plain, "t", (1, 1, 9))
    assert damage(plain, "t", "b") == 1
    put(plain, "t", "info/author", "theirs\n")
    put(plain, "o", "info/credits", "ours\n")
    r = merge(plain, code=1)
    lines = r.stderr.splitlines()
    assert "mapfs: out.map: conflict: %s: theirs cannot be read: Input/output error: the zlib stream is damaged" % file in r.stderr, r.stderr
    assert all("theirs cannot be read" in line for line in lines)
    assert said(plain, "info/author") == "theirs\n" and said(plain, "info/credits") == "ours\n"
    assert good("cat", str(plain / "out.map"), file).stdout == good("cat", str(plain / "b.map"), file).stdout
    assert not (plain / "out.map.mapfs-left").exists()


def test_theirs_is_left_over_where_ours_cannot_be_read(plain):
    put(plain, "t", "info/settings.cfg", "sv_deepfly 1\n")
    put(plain, "o", "info/settings.cfg", "sv_deepfly 2\n")
    assert damage(plain, "o", "b") == 1
    r = merge(plain, code=1)
    assert "conflict: info/settings.cfg: changed by both, and ours cannot be read: Input/output error: the zlib stream is damaged" in r.stderr and r.stderr.count("\n") == 1
    assert left(plain, "info/settings.cfg") == "sv_deepfly 1\n"


def test_an_image_that_got_another_size_is_of_one_side(plain):
    paint(plain, "o", (1, 2, 10))
    paint(plain, "t", size=32)
    merge(plain, code=1)
    assert image_of(plain, "out") == image_of(plain, "o")
    assert os.path.exists(plain / "out.map.mapfs-left" / IMAGE)


def as_base(where):
    """Both sides are what the base is."""
    for side in "ot":
        shutil.copy(where / "b.map", where / (side + ".map"))


def test_removed_by_one_and_changed_by_the_other_stays_changed(plain):
    for ours, theirs in (("o", "t"), ("t", "o")):
        as_base(plain)
        good("rm", "-r", str(plain / (ours + ".map")), GROUND)
        put(plain, theirs, GROUND + "/id.csv", cells(plain, (1, 1, 5)))
        r = merge(plain, code=1)
        assert "removed by" in r.stderr and GROUND in r.stderr
        assert grid(said(plain, GROUND + "/id.csv"))[1][1] == 5
        assert '"image": "0_checker"' in said(plain, GROUND + "/layer.json")


def test_what_one_removed_and_the_other_uses_stays(plain):
    text = said(plain, GROUND + "/layer.json", "b")
    for user, remover in (("o", "t"), ("t", "o")):
        as_base(plain)
        put(plain, user, GROUND + "/layer.json", text.replace('"0_checker"', '"1_grass_main"'))
        good("rm", str(plain / (remover + ".map")), "images/1_grass_main.json")
        r = merge(plain, code=1)
        assert "images/1_grass_main.json" in r.stderr
        assert '"1_grass_main"' in said(plain, GROUND + "/layer.json")


@pytest.mark.parametrize("remover, user", ("ot", "to"))
def test_what_was_removed_is_not_what_was_added_under_another_name(plain, remover, user):
    """Both are short, and so somewhat alike; a layer that names the one must not get the other."""
    for side in "bot":
        put(plain, side, "envelopes/0_one.json", ENVELOPE % (3, 7, 7))
    good("rm", str(plain / (remover + ".map")), "envelopes/0_one.json")
    put(plain, remover, "envelopes/0_two.json", ENVELOPE % (3, 8, 9))
    new = plain / "add" / GROUP / "layers" / "2_swings"
    os.makedirs(new)
    merging.dump(str(new / "layer.json"), {"type": 3, "version": 2})
    merging.dump(str(new / "quads.json"), [{"positions": [[1, 2]] * 5, "position_envelope": "0_one"}])
    good("pack", str(plain / "add"), "--onto", str(plain / (user + ".map")))
    assert "_one.json: removed by" in merge(plain, code=1).stderr
    assert '_one"' in said(plain, GROUP + "/layers/2_swings/quads.json")


def test_renamed_by_both(plain):
    for side, name in (("o", "ours"), ("t", "theirs")):
        good("mv", str(plain / (side + ".map")), GROUND, GROUP + "/layers/1_" + name)
    r = merge(plain, code=1)
    assert "1_ours" in said_paths(plain)
    assert '"theirs"' in r.stderr


@pytest.mark.parametrize("mover, other", ("ot", "to"))
def test_an_image_that_one_embedded_is_embedded(plain, mover, other):
    """Whose bytes are no JSON then, though it was a .json."""
    data = good("cat", str(plain / "b.map"), IMAGE).stdout
    put(plain, mover, "images/1_grass_main.png", data)
    put(plain, other, "info/author", "else\n")
    merge(plain, code=0)
    assert good("cat", str(plain / "out.map"), "images/1_grass_main.png").stdout == data


@pytest.mark.parametrize("mover, other", ("ot", "to"))
def test_a_layer_that_one_renamed_and_changed_a_little_is_joined(plain, mover, other):
    good("mv", str(plain / (mover + ".map")), GROUND, GROUP + "/layers/1_named")
    put(plain, mover, GROUP + "/layers/1_named/id.csv", cells(plain, (5, 5, 7)))
    put(plain, other, GROUND + "/id.csv", cells(plain, (1, 1, 5)))
    merge(plain, code=0)
    assert grid(said(plain, GROUP + "/layers/1_named/id.csv")) == grid(cells(plain, (1, 1, 5), (5, 5, 7)))


def test_a_layer_that_both_renamed_and_one_made_wider_is_one_layer(plain):
    rows = [[x + 20 * y + 1 for x in range(20)] for y in range(10)]
    for side in "bot":
        put(plain, side, GROUND + "/id.csv", edits.text_of(rows))
    text = said(plain, GROUND + "/layer.json", "b")
    put(plain, "t", GROUND + "/layer.json", text.replace('"width": 20', '"width": 24'))
    for side, name in (("o", "ours"), ("t", "theirs")):
        good("mv", str(plain / (side + ".map")), GROUND, GROUP + "/layers/1_" + name)
    assert "renamed by both" in merge(plain, code=1).stderr
    assert layers_of(plain, GROUP) == ["0_Game", "1_ours"]


@pytest.mark.parametrize("mover, other", ("ot", "to"))
def test_a_layer_whose_name_another_one_has_now_is_not_taken_for_it(plain, mover, other):
    """Renamed, and another one added under the old name: who changes the old one means the renamed."""
    good("mv", str(plain / (mover + ".map")), GROUND, GROUP + "/layers/1_old")
    new = plain / "add" / GROUP / "layers" / "2_ground"
    shutil.copytree(plain / "tree" / GROUND, new)
    merging.write(str(new / "id.csv"), edits.text_of([[x + 20 * y for x in range(20)] for y in range(10)]))
    good("pack", str(plain / "add"), "--onto", str(plain / (mover + ".map")))
    put(plain, other, GROUND + "/id.csv", cells(plain, (1, 1, 5)))
    r = merge(plain)
    found = [grid(said(plain, "%s/layers/%s/id.csv" % (GROUP, n))) for n in layers_of(plain, GROUP)[1:]]
    assert grid(cells(plain, (1, 1, 5))) in found or "in doubt" in r.stderr
    assert any(rows[1][1] == 21 for rows in found) and len(found) == 2


OTHER = "groups/1_other"


@pytest.fixture
def grouped(plain):
    """And a second group with a layer of its own."""
    new = plain / "add" / OTHER / "layers" / "0_far"
    shutil.copytree(plain / "tree" / GROUND, new)
    merging.write(str(new / "id.csv"), cells(plain, (0, 0, 9), (0, 1, 9)))
    shutil.copy(plain / "tree" / GROUP / "group.json", plain / "add" / OTHER / "group.json")
    good("pack", str(plain / "add"), "--onto", str(plain / "b.map"))
    as_base(plain)
    return plain


def layers_of(where, group, side="out"):
    return good("ls", str(where / (side + ".map")), group + "/layers").stdout.decode().split()


@pytest.mark.parametrize("mover, other", ("ot", "to"))
def test_a_layer_that_one_moved_to_another_group_and_the_other_changed_is_both(grouped, mover, other):
    good("mv", str(grouped / (mover + ".map")), GROUND, OTHER + "/layers/0_ground")
    put(grouped, other, GROUND + "/id.csv", cells(grouped, (1, 1, 5)))
    merge(grouped, code=0)
    assert layers_of(grouped, OTHER) == ["0_ground", "1_far"] and layers_of(grouped, GROUP) == ["0_Game"]
    assert grid(said(grouped, OTHER + "/layers/0_ground/id.csv")) == grid(cells(grouped, (1, 1, 5)))


def test_two_layers_of_one_name_that_changed_places_are_in_doubt(grouped):
    """Each stands where the other did: by their names they would only have been drawn anew."""
    far = OTHER + "/layers/0_far"
    for side in "bot":
        good("mv", str(grouped / (side + ".map")), far, OTHER + "/layers/0_ground")
    far = OTHER + "/layers/0_ground"
    one, other = (said(grouped, p + "/id.csv", "b") for p in (GROUND, far))
    put(grouped, "o", GROUND + "/id.csv", other)
    put(grouped, "o", far + "/id.csv", one)
    put(grouped, "t", GROUND + "/id.csv", cells(grouped, (1, 1, 5)))
    assert "in doubt" in merge(grouped, code=1).stderr
    assert said(grouped, GROUND + "/id.csv") == other and said(grouped, far + "/id.csv") == one
    assert grid(left(grouped, GROUND + "/id.csv"))[1][1] == 5


@pytest.mark.parametrize("mover, other", ("ot", "to"))
def test_a_layer_that_got_another_name_in_another_group_is_found(grouped, mover, other):
    good("mv", str(grouped / (mover + ".map")), GROUND, OTHER + "/layers/0_renamed")
    good("rm", "-r", str(grouped / (other + ".map")), GROUND)
    assert "removed by" in merge(grouped, code=1).stderr
    assert layers_of(grouped, OTHER) == ["0_renamed", "1_far"] and layers_of(grouped, GROUP) == ["0_Game"]


def test_a_name_that_a_layer_of_another_kind_has_now_is_another_layer(grouped):
    """Theirs has quads under the name of the tiles, which ours changed."""
    good("rm", "-r", str(grouped / "t.map"), GROUND)
    new = grouped / "quads" / GROUND
    os.makedirs(new)
    merging.dump(str(new / "layer.json"), {"type": 3, "version": 2})
    merging.dump(str(new / "quads.json"), [{"positions": [[1, 2]] * 5}])
    good("pack", str(grouped / "quads"), "--onto", str(grouped / "t.map"))
    put(grouped, "o", GROUND + "/id.csv", cells(grouped, (1, 1, 5)))
    assert "changed by ours and removed by theirs" in merge(grouped, code=1).stderr
    found = [set(good("ls", str(grouped / "out.map"), GROUP + "/layers/" + n).stdout.decode().split())
             for n in layers_of(grouped, GROUP)]
    assert {"id.csv", "flags.csv", "layer.json"} in found[1:] and {"layer.json", "quads.json"} in found


def test_a_layer_that_went_to_a_group_which_theirs_added(grouped):
    # The group has more than that layer to be known by.
    walls = "".join(",".join(str(x * y % 7) for x in range(20)) + "\n" for y in range(1, 11))
    for side in "bot":
        put(grouped, side, GROUP + "/layers/0_Game/id.csv", walls)
    good("mv", str(grouped / "t.map"), OTHER, "groups/0_first")
    new = grouped / "more" / "groups" / "7_new"
    os.makedirs(new / "layers")
    shutil.copy(grouped / "tree" / GROUP / "group.json", new / "group.json")
    good("pack", str(grouped / "more"), "--onto", str(grouped / "t.map"))
    good("mv", str(grouped / "t.map"), "groups/1_Game/layers/1_ground", "groups/2_new/layers/0_ground")
    put(grouped, "o", GROUND + "/id.csv", cells(grouped, (1, 1, 5)))
    merge(grouped, code=0)
    assert layers_of(grouped, "groups/2_new") == ["0_ground"] and layers_of(grouped, "groups/1_Game") == ["0_Game"]
    assert grid(said(grouped, "groups/2_new/layers/0_ground/id.csv"))[1][1] == 5
    assert layers_of(grouped, "groups/0_first") == ["0_far"]


def test_a_layer_that_each_moved_to_another_group_is_where_ours_has_it(grouped):
    third = grouped / "third" / "groups" / "2_third"
    os.makedirs(third / "layers")
    shutil.copy(grouped / "tree" / GROUP / "group.json", third / "group.json")
    for side in "bot":
        good("pack", str(grouped / "third"), "--onto", str(grouped / (side + ".map")))
    good("mv", str(grouped / "o.map"), GROUND, OTHER + "/layers/1_ground")
    good("mv", str(grouped / "t.map"), GROUND, "groups/2_third/layers/0_ground")
    r = merge(grouped, code=1)
    assert "moved by both; theirs has it in groups/2_third/layers" in r.stderr
    assert layers_of(grouped, OTHER) == ["0_far", "1_ground"] and layers_of(grouped, "groups/2_third") == []


@pytest.mark.parametrize("mover, remover", ("ot", "to"))
def test_a_layer_that_one_moved_and_the_other_removed_is_named(grouped, mover, remover):
    good("mv", str(grouped / (mover + ".map")), GROUND, OTHER + "/layers/0_ground")
    good("rm", "-r", str(grouped / (remover + ".map")), GROUND)
    assert "removed by" in merge(grouped, code=1).stderr
    assert layers_of(grouped, OTHER) == ["0_ground", "1_far"]


def test_each_added_a_layer_and_both_are_there(plain):
    for side, value in (("o", 3), ("t", 4)):
        tree = plain / ("add-" + side)
        new = tree / GROUP / "layers" / "1_decor"
        shutil.copytree(plain / "tree" / GROUND, new)
        merging.write(str(new / "id.csv"), cells(plain, (0, 0, value)))
        good("pack", str(tree), "--onto", str(plain / (side + ".map")))
    merge(plain, code=0)
    layers = good("ls", str(plain / "out.map"), GROUP + "/layers").stdout.decode().split()
    assert [merging.bare(n) for n in layers] == ["Game", "decor", "decor", "ground"]
    assert {grid(said(plain, "%s/layers/%s/id.csv" % (GROUP, n)))[0][0] for n in layers[1:3]} == {3, 4}
    for n in layers[1:]:
        assert '"0_checker"' in said(plain, "%s/layers/%s/layer.json" % (GROUP, n))


def test_both_added_the_layer_that_a_map_has_once(plain):
    for side, x in (("o", 2), ("t", 7)):
        tree = plain / ("add-" + side)
        new = tree / GROUP / "layers" / "2_Tele"
        os.makedirs(new)
        merging.dump(str(new / "layer.json"), {"type": 2, "version": 3, "width": 20, "height": 10, "kind": 2})
        table = [[0] * 20 for _ in range(10)]
        table[4][x] = 1
        for plane, one in (("id", 26), ("number", 1)):
            merging.write(str(new / (plane + ".csv")),
                          "".join(",".join(str(c * one) for c in row) + "\n" for row in table))
        good("pack", str(tree), "--onto", str(plain / (side + ".map")))
    merge(plain, code=0)
    row = grid(said(plain, GROUP + "/layers/2_Tele/id.csv"))[4]
    assert (row[2], row[7], sum(map(bool, row))) == (26, 26, 2)


def test_an_empty_base_is_an_empty_map(plain):
    (plain / "b.map").write_bytes(b"")
    put(plain, "t", "info/author", "else\n")
    merge(plain, code=1)
    assert said(plain, "info/author") == said(plain, "info/author", "o")
    shutil.copy(plain / "o.map", plain / "t.map")
    os.unlink(plain / "out.map")
    merge(plain, code=0)
    assert get(plain / "out.map") == get(plain / "o.map")


def test_an_older_left_over_stays(plain):
    os.mkdir(plain / "out.map.mapfs-left")
    put(plain, "o", "info/author", "a\n")
    put(plain, "t", "info/author", "b\n")
    r = merge(plain, code=1)
    assert get(plain / "out.map.mapfs-left.1/info/author") == b"b\n" and "mapfs-left.1/info" in r.stderr


MAPPER = '{"version": %d, "config": %d, "seed": %d, "flags": 1}'


def mapper(where, side, *values):
    """The ground's automapper becomes one of these numbers, or none."""
    text = re.sub('"automapper": [^\\n]*', '"automapper": ' + (MAPPER % values if values else "null"),
                  said(where, GROUND + "/layer.json", "b"))
    put(where, side, GROUND + "/layer.json", text)


def mapper_of(where):
    return json.loads(said(where, GROUND + "/layer.json"))["automapper"]


@pytest.mark.parametrize("b, o, t, expected", [
    ((0, 3, 42), (65792, 3, 42), (7, 3, 42), (65792, 3, 42)),  # both, and nothing else
    ((0, 3, 42), (65792, 4, 42), (7, 3, 43), (65792, 4, 43)),  # and else other things
    ((0, 3, 42), (0, 3, 42), (7, 3, 42), (0, 3, 42)),          # theirs alone
    ((0, 3, 42), (65792, 3, 42), (0, 3, 42), (65792, 3, 42)),  # ours alone
    ((0, 3, 42), (65792, 3, 42), (), ()),                      # removed by the other
    ((0, 3, 42), (), (7, 3, 42), ()),
    ((), (65792, 3, 42), (7, 3, 42), (65792, 3, 42)),          # added by both
    ((0, 3, 42), (65792, 3, 42), (7, 5, 42), (7, 5, 42)),      # the file is theirs
], ids=str)
def test_what_the_game_leaves_unset_is_no_conflict(plain, b, o, t, expected):
    """An automapper's version is what its memory held."""
    for side, values in (("b", b), ("o", o), ("t", t)):
        mapper(plain, side, *values)
    put(plain, "o", "info/author", "ours\n")
    put(plain, "t", "info/version", "theirs\n")
    assert merge(plain, code=0).stderr == ""
    assert mapper_of(plain) == (dict(zip(("version", "config", "seed"), expected), flags=1) if expected else None)
    assert (said(plain, "info/author"), said(plain, "info/version")) == ("ours\n", "theirs\n")


def test_a_layer_that_one_removed_goes_where_the_other_changed_what_says_nothing(plain):
    mapper(plain, "b", 0, 3, 42)
    mapper(plain, "t", 9, 3, 42)
    shutil.copy(plain / "b.map", plain / "o.map")
    good("rm", "-r", str(plain / "o.map"), GROUND)
    merge(plain, code=0)
    assert "ground" not in " ".join(said_paths(plain))


# ---- what no typed file shows

UNKNOWN, INDEX = 77, 0xFFFF
UUID = (0x01234567, 0x01234567 * 3, 0x01234567 * 5, 0x01234567 * 7)
KNOWN = (0x3E1B2716, 0x178C3978, 0x9BD9B11A, 0xE0410DD8)  # of automappers


def secrets(where, side, *items):
    """Items of types that mapfs does not know, as another program might add them: (type, id, integers)."""
    path = where / (side + ".map")
    f = datafile.Datafile.load(path)
    path.write_bytes(datafile.encode([*f.items, *(datafile.Item(*i) for i in items)], f.blobs()))


def unknown(where, *types, side="out"):
    return [list(i.ints) for i in datafile.Datafile.load(where / (side + ".map")).items if i.type in types]


def test_what_only_raw_shows_is_as_in_ours_and_told(plain):
    for side, ints in (("b", [1]), ("o", [1]), ("t", [2])):
        secrets(plain, side, (UNKNOWN, 0, ints))
    put(plain, "t", "info/author", "theirs\n")
    put(plain, "o", "info/version", "ours\n")
    r = merge(plain, code=0)
    line, = r.stderr.splitlines()
    assert "note: raw/items/00077/00000, which no other file shows, was changed by theirs" in line
    assert unknown(plain, UNKNOWN) == [[1]] and said(plain, "info/author") == "theirs\n"


def test_what_both_changed_and_only_raw_shows_is_a_conflict(plain):
    for side, ints in (("b", [1]), ("o", [2]), ("t", [3])):
        secrets(plain, side, (UNKNOWN, 0, ints))
    r = merge(plain, code=1)
    line, = r.stderr.splitlines()
    assert "conflict: raw/items/00077/00000, which no other file shows, was changed by both" in line
    assert unknown(plain, UNKNOWN) == [[2]]


def test_a_type_of_a_uuid_is_the_same_under_another_number(plain):
    """And of those that typed files show nothing is said."""
    for side, type_, word in (("b", 0x8001, 5), ("o", 0x8003, 5), ("t", 0x8005, 5)):
        secrets(plain, side, (INDEX, type_, UUID), (type_, 0, [word]))
    put(plain, "o", "info/author", "ours\n")
    put(plain, "t", "info/version", "theirs\n")
    assert merge(plain, code=0).stderr == ""
    secrets(plain, "t", (0x8005, 1, [6]))
    assert "00001, which no other file shows, was added by theirs" in merge(plain, code=0).stderr
    text = said(plain, GROUND + "/layer.json", "t")
    put(plain, "t", GROUND + "/layer.json",
        text.replace('"automapper": null', '"automapper": {"version": 1, "config": 1, "seed": 2, "flags": 1}'))
    assert any(i.type == INDEX and tuple(v & 0xFFFFFFFF for v in i.ints) == KNOWN
               for i in datafile.Datafile.load(plain / "t.map").items)
    assert merge(plain, code=0).stderr.count("note: ") == 1
    assert '"config": 1' in said(plain, GROUND + "/layer.json")


# ---- errors, and ends in the middle

def test_errors_are_129_or_more_and_nothing_is_written(plain):
    bad = plain / "bad.map"
    bad.write_bytes(b"no map at all")
    for args in (("b",), ("b", "o", "t"), ("bad", "o", "t", "out"), ("b", "bad", "t", "out"), ("b", "o", "bad", "out"),
                 ("b", "o", "none", "out"), ("b", "o", "t", "none/out")):
        r = run("merge", *(str(plain / (a + ".map")) for a in args))
        assert r.returncode >= 129 and r.stderr.count(b"\n") == 1, (args, r.returncode, r.stderr)
    assert run("merge", "--none", *["x"] * 4).returncode >= 129
    assert run("merge", "--help").returncode == 0
    assert sorted(p for p in os.listdir(plain) if p.startswith((".", "out"))) == []


def test_a_file_that_is_no_map_of_the_game_is_not_written_over(plain):
    """Somebody's text, or another game's map, is named as OUT by mistake."""
    os.mkdir(plain / "nothing")
    good("pack", str(plain / "nothing"), str(plain / "game.tcm"))
    for what, content_ in (("text", b"my notes, which are long enough to be a header\n"), ("short", b"x"),
                           ("game", get(plain / "game.tcm"))):
        (plain / "out.map").write_bytes(content_)
        r = merge(plain, code=130)
        assert r.stderr.count("\n") == 1 and "out.map: is there, and " in r.stderr, (what, r.stderr)
        assert (plain / "out.map").read_bytes() == content_
    (plain / "out.map").write_bytes(b"")  # as of mktemp
    merge(plain, code=0)
    assert content(plain / "out.map") == content(plain / "o.map")
    assert [n for n in os.listdir(plain) if n.startswith(".") or "left" in n] == []


@pytest.mark.parametrize("path", places.each_crafted_map("ok", "bad", "quirk"))
def test_crafted_maps_end_with_a_code(tmp_path, path):
    if "bomb" in path or "3000" in path:
        pytest.skip("takes its time, which is asked of extract")
    good_one = tmp_path / "o.map"
    good_one.write_bytes(datafile.small_map())
    for args in ((path, good_one, path), (good_one, path, good_one), (good_one, good_one, path)):
        r = run("merge", *map(str, args), str(tmp_path / "out.map"))
        assert r.returncode in (0, 1) or r.returncode >= 129, r
        assert [n for n in os.listdir(tmp_path) if n.startswith(".")] == []


def test_killed_at_any_write_the_file_is_old_or_new(box, small):
    before = get(small)
    theirs = box.add(small, "theirs.map")
    base = box.add(small, "base.map")
    good("put", theirs, "info/author", input=b"theirs\n")
    good("put", small, "info/version", input=b"ours\n")
    before = get(small)
    fault = box.shim(shims.Fault)

    def merge_with(action, at=0):
        fault.arm(action, at)
        return run("merge", base, small, theirs, small, env=box.env(fault.env())), fault.calls()
    r, n = merge_with(fault.COUNT)
    after = get(small)
    assert r.returncode == 0 and n > 5 and after != before, r.stderr
    seen = set()
    for at in range(n):
        with open(small, "wb") as f:
            f.write(before)
        r, _ = merge_with(fault.KILL, at)
        assert r.returncode < 0 and get(small) in (before, after), at
        seen.add(get(small))
        # And the next one is as if nothing had been.
        with open(small, "wb") as f:
            f.write(before)
        assert run("merge", base, small, theirs, small).returncode == 0
        assert get(small) == after and box.beside() == [], (at, box.beside())
    assert seen == {before, after}


def test_in_a_chroot_without_dev_and_proc(box, small, root):
    ours, theirs = box.add(small, "ours.map"), box.add(small, "theirs.map")
    good("put", ours, "info/author", input=b"ours\n")
    good("put", theirs, "info/author", input=b"theirs\n")
    good("put", theirs, "info/version", input=b"7\n")
    top, jailed = maps.jail(box, small, ours, theirs)
    r = jailed("merge", *("/data/%s.map" % n for n in ("small", "ours", "theirs", "ours")))
    assert r.returncode == 1 and r.stderr.count(b"\n") == 1, r.stderr
    assert run("cat", top + "/data/ours.map", "info/version").stdout == b"7\n"
    assert get(top + "/data/ours.map.mapfs-left/info/author") == b"theirs\n"


def test_a_map_that_is_mounted_for_writing_is_busy(box, small):
    other = box.add(small, "other.map")
    mount = box.mount(small)
    r = run("merge", other, other, other, small)
    assert r.returncode == 128 + 7, r.stderr
    mount.unmount()


# ---- other formats

def three_of(tmp_path, data, ending):
    names = {n: str(tmp_path / (n + ending)) for n in ("b", "o", "t", "out")}
    for n in "bot":
        with open(names[n], "wb") as f:
            f.write(data)
    return names


def merged(names, code=0):
    r = run("merge", *(names[n] for n in ("b", "o", "t", "out")))
    assert r.returncode == code, r.stderr
    return r.stderr.decode()


def test_entries_of_an_archive_are_merged_by_their_paths(tmp_path):
    text = "".join("line %d\n" % i for i in range(9)).encode()
    n = three_of(tmp_path, archives.tlwrite.mod([("MEDIA/", name, data, False) for name, data in (
        ("A.TXT", text), ("B.TXT", b"b\n"), ("C.TXT", b"c\n"), ("D.TXT", b"d\n"))]), ".mod")
    good("put", n["o"], "MEDIA/A.TXT", input=text.replace(b"line 1\n", b"ours\n"))
    good("put", n["t"], "MEDIA/a.txt", input=text.replace(b"line 2\n", b"theirs\n"))
    good("put", n["o"], "MEDIA/OURS/NEW.TXT", input=b"1\n")
    good("put", n["t"], "MEDIA/THEIRS/NEW.TXT", input=b"2\n")
    good("rm", n["t"], "MEDIA/B.TXT")
    good("rm", n["t"], "MEDIA/C.TXT")
    good("put", n["o"], "MEDIA/C.TXT", input=b"changed\n")
    good("put", n["o"], "MEDIA/D.TXT", input=b"ours\n")
    good("put", n["t"], "MEDIA/D.TXT", input=b"theirs\n")
    said_ = merged(n, code=1)
    assert sorted(line.split("conflict: ")[1].split(":")[0] for line in said_.splitlines()) == [
        "MEDIA/C.TXT", "MEDIA/D.TXT"]

    def cat(path):
        return good("cat", n["out"], path).stdout
    assert cat("MEDIA/A.TXT") == text.replace(b"line 1\n", b"ours\n").replace(b"line 2\n", b"theirs\n")
    assert [cat("MEDIA/%s" % p) for p in ("OURS/NEW.TXT", "THEIRS/NEW.TXT", "C.TXT", "D.TXT")] == [
        b"1\n", b"2\n", b"changed\n", b"ours\n"]
    assert run("cat", n["out"], "MEDIA/B.TXT").returncode == 2
    assert get(n["out"] + ".mapfs-left/MEDIA/D.TXT") == b"theirs\n"


def test_rows_of_an_index_are_united_by_their_guid(tmp_path):
    source = os.path.join(places.SHARED, "corpus/torchlight/mods/flasks.mod")
    if not os.path.exists(source):
        pytest.skip("no corpus: " + source)
    n, path = three_of(tmp_path, get(source), ".mod"), "MEDIA/UNITDATA.RAW"
    lines = good("cat", source, path).stdout.decode().splitlines()
    row = lines[-1].split("\t")

    def new(guid, name):
        return "\t".join([row[0], guid, name, "MEDIA/UNITS/ITEMS/%s.DAT" % name, *row[4:]])
    flag = lines[2].split("\t")
    level = lines[2].split("\t")
    flag[4], level[5] = "9", "77"
    ours = lines[:2] + ["\t".join(flag)] + lines[3:] + [new("111", "OURS")]
    theirs = lines[:2] + ["\t".join(level)] + lines[3:-1] + [new("222", "THEIRS")]
    both = lines[2].split("\t")
    both[4], both[5] = "9", "77"
    for side, rows in (("o", ours), ("t", theirs)):
        good("put", n[side], path, input="".join(r + "\n" for r in rows).encode())
    merged(n)
    expected = [lines[0], lines[1], "\t".join(both), *lines[3:-1], new("111", "OURS"), new("222", "THEIRS")]
    assert sorted(good("cat", n["out"], path).stdout.decode().splitlines()) == sorted(expected)


def test_tables_of_a_triclon_map_are_merged_by_rows(tmp_path):
    source = os.path.join(places.SHARED, "corpus/triclon/le_count_pp-bytes_obj3.tcm")
    if not os.path.exists(source):
        pytest.skip("no corpus: " + source)
    n = three_of(tmp_path, get(source), ".tcm")
    info = good("cat", source, "info.json").stdout.decode()
    lines = good("cat", source, "points.csv").stdout.decode()
    good("put", n["o"], "info.json", input=info.replace('"name": "', '"name": "X').encode())
    good("put", n["t"], "info.json", input=info.replace('"author": "', '"author": "Y').encode())
    good("put", n["o"], "points.csv", input=(lines + "7,8\n").encode())
    good("put", n["t"], "points.csv", input=(lines + "9,10\n").encode())
    merged(n)
    assert good("cat", n["out"], "points.csv").stdout.decode() == lines + "7,8\n9,10\n"
    now = good("cat", n["out"], "info.json").stdout.decode()
    assert now == info.replace('"name": "', '"name": "X').replace('"author": "', '"author": "Y')


def test_what_a_game_would_refuse_is_not_made(plain):
    """Ours makes the game layer larger, theirs adds a physics layer of the size that it had."""
    text = said(plain, GAME + "/layer.json", "b")
    put(plain, "o", GAME + "/layer.json", text.replace('"width": 20', '"width": 22'))
    new = plain / "tele" / GROUP / "layers" / "2_Tele"
    os.makedirs(new)
    merging.dump(str(new / "layer.json"), {"type": 2, "version": 3, "width": 20, "height": 10, "kind": 2})
    good("pack", str(plain / "tele"), "--onto", str(plain / "t.map"))
    r = merge(plain, code=1)
    assert "conflict: both together are no map" in r.stderr and "20 x 10" in r.stderr
    assert get(plain / "out.map") == get(plain / "o.map")
    assert get(plain / "out.map.mapfs-left/out.map") == get(plain / "t.map")
