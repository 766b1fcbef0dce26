# SPDX-License-Identifier: Zlib
"""mapfs merge joins three maps into one with the changes of both sides, or names the conflicts."""
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


def read_as_text(path):
    return good("text", path).stdout


@pytest.fixture
def three_equal_maps(tmp_path):
    """A directory with three equal maps b.map, o.map and t.map, and the tree of the map."""
    return write_tagged_maps(tmp_path, 7)


def write_three_maps(where, data):
    for name in ("b.map", "o.map", "t.map"):
        (where / name).write_bytes(data)
    good("extract", "-o", "raw=off", str(where / "b.map"), str(where / "tree"))
    return where


# ---- laws

def each_law_map():
    found = [p for p in maps.each_map(400_000)]
    return found


@pytest.mark.parametrize("path", each_law_map())
def test_a_map_that_one_side_changed_is_taken_byte_by_byte(tmp_path, path):
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


def test_changes_of_theirs_are_taken_although_ours_was_rewritten(three_equal_maps):
    """Ours has the same content as the base, in other bytes."""
    good("put", str(three_equal_maps / "o.map"), "info/author", input=b"x\n")
    good("put", str(three_equal_maps / "o.map"), "info/author", input=get(three_equal_maps / "tree/info/author"))
    edit_randomly(three_equal_maps, "t", random.Random(3), 2, 6)
    if get(three_equal_maps / "o.map") == get(three_equal_maps / "b.map"):
        with open(three_equal_maps / "o.map", "ab") as f:
            f.write(b"trailing")
    merge(three_equal_maps, code=0)
    assert read_facts(three_equal_maps, "out") == read_facts(three_equal_maps, "t")


# ---- a model

def edit_randomly(where, side, rng, number, n, few=None):
    """Make random edits in the tree, of all kinds or a few, and pack them onto the side's map."""
    tree = str(where / ("tree-" + side))
    shutil.copytree(where / "tree", tree)
    made = edits_odd.OddEdits(tree, rng, number, str(where / "tree"))
    made.run_random(n, few)
    assert saved(run("pack", "-o", "raw=off", "--exact", "--onto", str(where / (side + ".map")), tree))
    return made


def read_facts(where, side, alias=None):
    tree = str(where / ("said-" + side))
    shutil.rmtree(tree, ignore_errors=True)
    good("extract", "-o", "raw=off", str(where / (side + ".map")), tree)
    return merging.facts(tree, alias)


def write_tagged_maps(where, seed):
    write_three_maps(where, randommap.random_map(seed))
    merging.tag_all(str(where / "tree"))
    assert saved(run("pack", "-o", "raw=off", "--exact", "--onto", str(where / "b.map"), str(where / "tree")))
    shutil.rmtree(where / "tree")
    return write_three_maps(where, get(where / "b.map"))


def find_error(b, o, t, out, r, copies):
    """The first error of a merge, or None. copies: {what a side added: the object that it copies}."""
    sure, clash = merging.expected(b, o, t)
    clash = {k for k in clash if merging.owner(k) not in copies.values()}  # each side may have one of them
    if r.returncode not in (0, 1) or (r.returncode == 1) != ("conflict: " in r.stderr):
        return "exit code %d" % r.returncode
    if r.returncode == 0 and any(not merging.is_ambiguous(b, o, t, merging.owner(k)) for k in clash):
        return "both changed %s, and nothing was said" % sorted(clash, key=str)[:3]
    if r.returncode == 1 and (not clash or "ambiguous" in r.stderr):
        return None  # a doubt that the model does not know, named as a conflict
    if "the merged map is invalid" in r.stderr:
        return None if out == o else "ours is not as it was"
    lost = merging.added_otherwise(b, o, t) - out["twice",]
    if r.returncode == 0 and lost:
        return "both added %s, and one is lost" % lost
    # Objects that are named as a whole need not be joined; an object that is there twice stands beside the other
    # version.
    named = {merging.owner(k) for k in clash}
    if ": automapper" in r.stderr:
        sure = {k: v for k, v in sure.items() if k[2:] != ("automapper",)}
        clash = {k for k in clash if k[2:] != ("automapper",)}
    if "and the layer was resized" in r.stderr:  # named as a whole: ours stays
        sure = {k: v for k, v in sure.items() if merging.owner(k) not in merging.resized_layers(b, o, t) or out.get(k) != o.get(k)}
    again = out["twice",] if r.returncode else set()
    wrong = [(k, v, out.get(k)) for k, v in sure.items() if out.get(k) != v and merging.owner(k) not in named | again
             and not (v is None and stays_because_used(k, named, b, r)) and not merging.may_be_copy(k, v, out.get(k), (o, t), copies)]
    lines = merging.lines_joined(*(f["settings",] for f in (b, o, t)))
    if set(out["settings",]) != lines and "settings.cfg" not in r.stderr:
        wrong.append(("settings", lines, out["settings",]))
    if "reordered by both" not in r.stderr:
        wrong += merging.misplaced_pairs(b, o, t, out)
    kept = [(k, o.get(k), out.get(k)) for k in clash
            if len(k) > 2 and out.get(k) != o.get(k) and merging.owner(k) not in again
            and not (k[2:] == ("group",) and (names_a_whole_group(r) or merging.may_be_copy(k, o.get(k), out.get(k), (o, t), copies)))]
    return (wrong + kept)[:3] or None


def stays_because_used(key, named, b, r):
    """Does a removed object stay because a conflict names something that needs it?"""
    if key[0] in ("group", "layer") and names_a_whole_group(r):
        return True
    groups = named | {b.get((*k, "group")) for k in named}
    return key in groups or b.get((*key, "group")) in groups or (key[0] in edits.REFERENCES and " and used by " in r.stderr)


def names_a_whole_group(r):
    return re.search(r"conflict: groups/[^/:]*: (changed|removed) by", r.stderr)


CHECKER = os.path.join(places.SHARED, "tools/twcheck.py")


def anomalies(path):
    """Oddities of a map that an independent reader finds."""
    r = subprocess.run([sys.executable, CHECKER, path], capture_output=True, text=True, timeout=60)
    return {str(a) for a in json.loads(r.stdout.splitlines()[0])["anomalies"]} if r.stdout else {r.stderr}


def new_anomalies(where):
    """Anomalies of the merged map if none of the three maps has any, else None."""
    if not os.path.exists(CHECKER):
        return None
    before = set().union(*(anomalies(where / (n + ".map")) for n in "bot"))
    now = anomalies(where / "out.map")
    return None if before or not now else sorted(now)


def run_round(where, seed):
    rng = random.Random(seed)
    write_tagged_maps(where, seed)
    few = rng.sample(edits_odd.OddEdits.ALL, 5) if seed % 2 else None  # few kinds, so that the edits of both sides meet
    copies = [edit_randomly(where, side, rng, number, rng.randrange(1, 8), few).copies for number, side in ((1, "o"), (2, "t"))]
    r, back = merge(where), merge_back(where)
    assert r.returncode in (0, 1), r
    alias = merging.aliases((read_facts(where, side), c) for side, c in zip("ot", copies))
    b, o, t, out, other = (read_facts(where, side, alias) for side in ("b", "o", "t", "out", "back"))
    both = {**copies[0], **copies[1]}
    problem = find_error(b, o, t, out, r, both) or find_error(b, t, o, other, back, both) or \
        compare_directions(out, other, r, back) or (new_anomalies(where) if seed % 10 == 0 else None)
    return problem, r.returncode == 1 and not merging.expected(b, o, t)[1], r


def merge_back(where):
    """Merge with ours and theirs swapped."""
    return subprocess.run([places.BINARY, "merge", "b.map", "t.map", "o.map", "back.map"], cwd=where,
                          capture_output=True, timeout=300, text=True)


def compare_directions(out, other, r, back):
    """Differences between the merges in both directions, except for which side stays; or None."""
    if r.returncode != back.returncode:
        return "only one way is in conflict: " + (r.stderr or back.stderr)
    if r.returncode:
        return None
    wrong = [(k, out.get(k), other.get(k)) for k in {*out, *other} - {("orders",), ("settings",)}
             if out.get(k) != other.get(k) and merging.owner(k) not in out["twice",]]
    return wrong[:3] or None


@pytest.fixture
def memory_dir():
    with places.in_memory() as where:
        yield pathlib.Path(where)


# A conflict of several files. The model looks at one file at a time and cannot foresee it.
SEVERAL = re.compile("reordered by both|and used by ")


def test_random_edits_of_both_sides_are_merged_or_named(memory_dir):
    wrong, doubts, unforeseen, conflicts = [], [], 0, 0
    for seed in range(ROUNDS):
        where = memory_dir / str(seed)
        where.mkdir()
        problem, doubt, r = run_round(where, seed)
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

def put_file(where, side, path, text):
    good("put", str(where / (side + ".map")), path, input=text.encode() if isinstance(text, str) else text)


def read_file(where, path, side="out"):
    return good("cat", str(where / (side + ".map")), path).stdout.decode()


def read_conflict(where, path):
    return boxes.get(where / "out.map.mapfs-left" / path).decode()


@pytest.fixture
def plain(tmp_path):
    """Three copies of a map with a game layer and a layer above it, in one group."""
    return write_three_maps(tmp_path, datafile.small_map())


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


def edit_cells(where, *changes, of=GROUND, plane="id"):
    rows = merging.table(str(where / "tree" / of / (plane + ".csv")))
    for x, y, value in changes:
        rows[y][x] = value
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


def parse_cells(text):
    return [[int(c) for c in line.split(",")] for line in text.splitlines()]


def test_cells_that_both_changed_stay_ours_and_are_named(plain):
    put_file(plain, "o", GROUND + "/id.csv", edit_cells(plain, (1, 1, 5), (3, 2, 6), (9, 9, 7)))
    put_file(plain, "t", GROUND + "/id.csv", edit_cells(plain, (1, 1, 8), (3, 2, 9), (0, 0, 4)))
    r = merge(plain, code=1)
    assert parse_cells(read_file(plain, GROUND + "/id.csv")) == parse_cells(
        edit_cells(plain, (1, 1, 5), (3, 2, 6), (9, 9, 7), (0, 0, 4)))
    assert parse_cells(read_conflict(plain, GROUND + "/id.csv")) == parse_cells(read_file(plain, GROUND + "/id.csv", "t"))
    line, = r.stderr.splitlines()
    assert "2 cells, x 1 to 3, y 1 to 2;" in line and GROUND + "/id.csv" in line
    assert "out.map.mapfs-left/" + GROUND + "/id.csv" in line
    assert not any("CONFLICT" in p for p in list_paths(plain))


@pytest.mark.parametrize("cells_, said_", [
    (((3, 2),), "1 cell, x 3, y 2;"), (((3, 2), (5, 2)), "2 cells, x 3 to 5, y 2;"), (((0, 0), (0, 9)), "2 cells, x 0, y 0 to 9;")])
def test_conflicting_cells_are_counted_as_in_the_editor(plain, cells_, said_):
    for side, index in (("o", 5), ("t", 8)):
        put_file(plain, side, GROUND + "/id.csv", edit_cells(plain, *((x, y, index) for x, y in cells_)))
    assert GROUND + "/id.csv: changed by both: " + said_ in merge(plain, code=1).stderr


def list_paths(where):
    return good("ls", "-R", "-o", "raw=off", str(where / "out.map")).stdout.decode().splitlines()


def test_all_fields_of_a_tile_are_from_one_side(plain):
    """Never our index with their flags."""
    for side, index, flags in (("o", 5, 0), ("t", 8, 9)):
        put_file(plain, side, GROUND + "/id.csv", edit_cells(plain, (1, 1, index)))
        put_file(plain, side, GROUND + "/flags.csv", edit_cells(plain, (1, 1, flags), plane="flags"))
    r = merge(plain, code=1)
    assert parse_cells(read_file(plain, GROUND + "/flags.csv"))[1][1] == 0
    assert r.stderr.count("conflict: ") == 2


def test_mark_shows_the_conflicting_cells(plain):
    put_file(plain, "o", GROUND + "/id.csv", edit_cells(plain, (1, 1, 5), (2, 1, 5)))
    put_file(plain, "t", GROUND + "/id.csv", edit_cells(plain, (1, 1, 8), (2, 1, 8)))
    merge(plain, "--mark", code=1)
    mark = GROUP + "/layers/2_CONFLICT/"
    rows = parse_cells(read_file(plain, mark + "id.csv"))
    assert [(x, y) for y, row in enumerate(rows) for x, c in enumerate(row) if c] == [(1, 1), (2, 1)]
    assert '"image": null' in read_file(plain, mark + "layer.json")


def test_lines_that_both_changed_are_a_conflict(plain):
    base = read_file(plain, "info/settings.cfg", "b").splitlines()
    put_file(plain, "o", "info/settings.cfg", "\n".join(["sv_deepfly 1"] + base[1:]) + "\n")
    put_file(plain, "t", "info/settings.cfg", "\n".join(["sv_deepfly 2"] + base[1:] + ["sv_more 1"]) + "\n")
    r = merge(plain, code=1)
    assert read_file(plain, "info/settings.cfg").splitlines() == ["sv_deepfly 1"] + base[1:] + ["sv_more 1"]
    assert ": changed by both: 1 line, line 1;" in r.stderr
    assert read_conflict(plain, "info/settings.cfg") == read_file(plain, "info/settings.cfg", "t")


def test_changes_of_adjacent_lines_are_joined(plain):
    for side in "bot":
        put_file(plain, side, "info/settings.cfg", "sv_a 1\nsv_b 1\nsv_c 1\n")
    put_file(plain, "o", "info/settings.cfg", "sv_a 2\nsv_b 1\nsv_c 1\n")
    put_file(plain, "t", "info/settings.cfg", "sv_a 1\nsv_c 1\n")
    merge(plain, code=0)
    assert read_file(plain, "info/settings.cfg") == "sv_a 2\nsv_c 1\n"


def pack_layers(where, side, *names):
    """Pack layers of these names, each with a tile of its own, in this order above the two layers of the map."""
    tree = where / ("stack-" + side)
    shutil.rmtree(tree, ignore_errors=True)
    for i, name in enumerate(names):
        new = tree / GROUP / "layers" / ("%d_%s" % (i + 2, name))
        shutil.copytree(where / "tree" / GROUND, new)
        merging.write(str(new / "id.csv"), edit_cells(where, (len(name), 0, 9)))
    shutil.copy(where / "first.map", where / (side + ".map"))
    good("pack", str(tree), "--onto", str(where / (side + ".map")))


def layer_names(where, side="out"):
    found = good("ls", str(where / (side + ".map")), GROUP + "/layers").stdout.decode().split()
    return [merging.bare(n) for n in found]


def test_the_order_is_from_the_side_that_changed_it(plain):
    shutil.copy(plain / "b.map", plain / "first.map")
    base, other = ("a", "bb", "ccc", "dddd"), ("dddd", "bb", "a", "ccc")
    for ours, theirs in ((base, other), (other, base)):
        for side, names in (("b", base), ("o", ours), ("t", theirs)):
            pack_layers(plain, side, *names)
        if ours == base:
            put_file(plain, "o", GROUP + "/layers/3_bb/id.csv", edit_cells(plain, (5, 5, 5)))
        merge(plain, code=0)
        assert layer_names(plain) == ["Game", "ground", *other]
        if ours == base:
            assert parse_cells(read_file(plain, GROUP + "/layers/3_bb/id.csv"))[5][5] == 5
    pack_layers(plain, "b", *base)
    pack_layers(plain, "o", *other)
    pack_layers(plain, "t", "bb", "a", "ccc", "dddd")
    r = merge(plain, code=1)
    assert layer_names(plain) == ["Game", "ground", *other] and "reordered by both" in r.stderr


def test_settings_that_both_added_in_one_place_are_kept(plain):
    base = read_file(plain, "info/settings.cfg", "b")
    put_file(plain, "o", "info/settings.cfg", base + "sv_ours 1\nsv_same 1\n")
    put_file(plain, "t", "info/settings.cfg", base + "sv_same 1\nsv_theirs 1\n")
    merge(plain, code=0)
    assert read_file(plain, "info/settings.cfg") == base + "sv_ours 1\nsv_same 1\nsv_theirs 1\n"


def test_a_setting_that_both_added_with_different_values_is_a_conflict(plain):
    base = read_file(plain, "info/settings.cfg", "b")
    put_file(plain, "o", "info/settings.cfg", base + "sv_hit 1\n")
    put_file(plain, "t", "info/settings.cfg", base + "sv_hit 0\n")
    merge(plain, code=1)
    assert read_file(plain, "info/settings.cfg") == base + "sv_hit 1\n"


def test_a_field_that_both_changed_is_a_conflict(plain):
    text = read_file(plain, GROUND + "/layer.json", "b")
    put_file(plain, "o", GROUND + "/layer.json", text.replace("[255, 255, 255, 255]", "[1, 2, 3, 4]"))
    put_file(plain, "t", GROUND + "/layer.json",
        text.replace("[255, 255, 255, 255]", "[9, 9, 9, 9]").replace('"detail": false', '"detail": true'))
    r = merge(plain, code=1)
    now = read_file(plain, GROUND + "/layer.json")
    assert "[1, 2, 3, 4]" in now and '"detail": true' in now
    assert "layer.json: changed by both: color;" in r.stderr


IMAGE = "images/0_checker.png"


def read_image(where, side):
    """The pixels that a map shows, by rows."""
    pil = pytest.importorskip("PIL.Image")
    with pil.open(io.BytesIO(good("cat", str(where / (side + ".map")), IMAGE).stdout)) as i:
        data = list(i.getdata())
        return [data[y * i.width:(y + 1) * i.width] for y in range(i.height)]


def paint_image(where, side, *spots, size=None):
    """Set these (x, y, shade) pixels of the image in {side}.map, or replace the image."""
    rows = read_image(where, "b")
    if size:
        rows = [[(0, 0, 0, 255)] * size for _ in range(size)]
    for x, y, shade in spots:
        rows[y][x] = (shade, 0, 0, 255)
    image = pytest.importorskip("PIL.Image").new("RGBA", (len(rows[0]), len(rows)))
    image.putdata([c for row in rows for c in row])
    out = io.BytesIO()
    image.save(out, "PNG")
    put_file(where, side, IMAGE, out.getvalue())
    return rows


def test_pixels_of_both_sides_are_in_the_image(plain):
    rows = paint_image(plain, "o", (1, 2, 10), (5, 5, 30))
    paint_image(plain, "t", (0, 15, 20), (5, 5, 30))
    merge(plain, code=0)
    rows[15][0] = (20, 0, 0, 255)
    assert read_image(plain, "out") == rows


def test_pixels_that_both_changed_stay_ours_and_are_named(plain):
    rows = paint_image(plain, "o", (1, 2, 10), (4, 3, 10), (7, 7, 10))
    paint_image(plain, "t", (1, 2, 20), (4, 3, 20), (9, 9, 20))
    r = merge(plain, code=1)
    rows[9][9] = (20, 0, 0, 255)
    assert read_image(plain, "out") == rows
    line, = r.stderr.splitlines()
    assert IMAGE + ": changed by both: 2 pixels, x 1 to 4, y 2 to 3;" in line
    assert boxes.get(plain / "out.map.mapfs-left" / IMAGE) == good("cat", str(plain / "t.map"), IMAGE).stdout


def damage_blobs(where, side, changed_since):
    """Damage the blobs of a side that differ from another side's, so that they do not inflate; returns their number."""
    path = where / (side + ".map")
    f, before = datafile.Datafile.load(path), datafile.Datafile.load(where / (changed_since + ".map")).blobs()
    data = bytearray(f.raw)
    wrong = [i for i in range(f.n_data) if f.blob(i) not in before]
    for i in wrong:
        data[slice(*f.ranges[i])] = b"\xff" * (f.ranges[i][1] - f.ranges[i][0])
    path.write_bytes(data)
    return len(wrong)


@pytest.mark.parametrize("file", [GROUND + "/id.csv", "info/settings.cfg", IMAGE])
def test_an_unreadable_part_of_theirs_is_a_conflict_and_the_rest_is_taken(plain, file):
    if file.endswith(".csv"):
        put_file(plain, "t", file, edit_cells(plain, (1, 1, 5)))
    elif file.endswith(".cfg"):
        put_file(plain, "t", file, "sv_deepfly 1\n")
    else:
        paint_image(plain, "t", (1, 1, 9))
    assert damage_blobs(plain, "t", "b") == 1
    put_file(plain, "t", "info/author", "theirs\n")
    put_file(plain, "o", "info/credits", "ours\n")
    r = merge(plain, code=1)
    lines = r.stderr.splitlines()
    assert "mapfs: out.map: conflict: %s: cannot read theirs: Input/output error: the zlib stream is damaged" % file in r.stderr, r.stderr
    assert all("cannot read theirs" in line for line in lines)
    assert read_file(plain, "info/author") == "theirs\n" and read_file(plain, "info/credits") == "ours\n"
    assert good("cat", str(plain / "out.map"), file).stdout == good("cat", str(plain / "b.map"), file).stdout
    assert not (plain / "out.map.mapfs-left").exists()


def test_theirs_is_kept_beside_an_unreadable_part_of_ours(plain):
    put_file(plain, "t", "info/settings.cfg", "sv_deepfly 1\n")
    put_file(plain, "o", "info/settings.cfg", "sv_deepfly 2\n")
    assert damage_blobs(plain, "o", "b") == 1
    r = merge(plain, code=1)
    assert "conflict: info/settings.cfg: changed by both, and cannot read ours: Input/output error: the zlib stream is damaged" in r.stderr and r.stderr.count("\n") == 1
    assert read_conflict(plain, "info/settings.cfg") == "sv_deepfly 1\n"


def test_a_resized_image_is_taken_from_one_side(plain):
    paint_image(plain, "o", (1, 2, 10))
    paint_image(plain, "t", size=32)
    merge(plain, code=1)
    assert read_image(plain, "out") == read_image(plain, "o")
    assert os.path.exists(plain / "out.map.mapfs-left" / IMAGE)


def reset_sides(where):
    """Make both sides copies of the base."""
    for side in "ot":
        shutil.copy(where / "b.map", where / (side + ".map"))


def test_an_object_that_one_removed_and_the_other_changed_stays(plain):
    for ours, theirs in (("o", "t"), ("t", "o")):
        reset_sides(plain)
        good("rm", "-r", str(plain / (ours + ".map")), GROUND)
        put_file(plain, theirs, GROUND + "/id.csv", edit_cells(plain, (1, 1, 5)))
        r = merge(plain, code=1)
        assert "removed by" in r.stderr and GROUND in r.stderr
        assert parse_cells(read_file(plain, GROUND + "/id.csv"))[1][1] == 5
        assert '"image": "0_checker"' in read_file(plain, GROUND + "/layer.json")


def test_an_object_that_one_removed_and_the_other_uses_stays(plain):
    text = read_file(plain, GROUND + "/layer.json", "b")
    for user, remover in (("o", "t"), ("t", "o")):
        reset_sides(plain)
        put_file(plain, user, GROUND + "/layer.json", text.replace('"0_checker"', '"1_grass_main"'))
        good("rm", str(plain / (remover + ".map")), "images/1_grass_main.json")
        r = merge(plain, code=1)
        assert "images/1_grass_main.json" in r.stderr
        assert '"1_grass_main"' in read_file(plain, GROUND + "/layer.json")


@pytest.mark.parametrize("remover, user", ("ot", "to"))
def test_a_removed_object_is_not_matched_with_a_new_one(plain, remover, user):
    """Both are short and therefore similar; a layer that names the removed one must not get the new one."""
    for side in "bot":
        put_file(plain, side, "envelopes/0_one.json", ENVELOPE % (3, 7, 7))
    good("rm", str(plain / (remover + ".map")), "envelopes/0_one.json")
    put_file(plain, remover, "envelopes/0_two.json", ENVELOPE % (3, 8, 9))
    new = plain / "add" / GROUP / "layers" / "2_swings"
    os.makedirs(new)
    merging.dump(str(new / "layer.json"), {"type": 3, "version": 2})
    merging.dump(str(new / "quads.json"), [{"positions": [[1, 2]] * 5, "position_envelope": "0_one"}])
    good("pack", str(plain / "add"), "--onto", str(plain / (user + ".map")))
    assert "_one.json: removed by" in merge(plain, code=1).stderr
    assert '_one"' in read_file(plain, GROUP + "/layers/2_swings/quads.json")


def test_an_object_that_both_renamed_is_a_conflict(plain):
    for side, name in (("o", "ours"), ("t", "theirs")):
        good("mv", str(plain / (side + ".map")), GROUND, GROUP + "/layers/1_" + name)
    r = merge(plain, code=1)
    assert "1_ours" in list_paths(plain)
    assert '"theirs"' in r.stderr


@pytest.mark.parametrize("mover, other", ("ot", "to"))
def test_an_image_that_one_side_embedded_is_embedded(plain, mover, other):
    """The .json of the external image becomes a .png."""
    data = good("cat", str(plain / "b.map"), IMAGE).stdout
    put_file(plain, mover, "images/1_grass_main.png", data)
    put_file(plain, other, "info/author", "else\n")
    merge(plain, code=0)
    assert good("cat", str(plain / "out.map"), "images/1_grass_main.png").stdout == data


@pytest.mark.parametrize("mover, other", ("ot", "to"))
def test_a_layer_that_one_renamed_and_changed_a_little_is_joined(plain, mover, other):
    good("mv", str(plain / (mover + ".map")), GROUND, GROUP + "/layers/1_named")
    put_file(plain, mover, GROUP + "/layers/1_named/id.csv", edit_cells(plain, (5, 5, 7)))
    put_file(plain, other, GROUND + "/id.csv", edit_cells(plain, (1, 1, 5)))
    merge(plain, code=0)
    assert parse_cells(read_file(plain, GROUP + "/layers/1_named/id.csv")) == parse_cells(edit_cells(plain, (1, 1, 5), (5, 5, 7)))


def test_a_layer_that_both_renamed_and_one_widened_is_one_layer(plain):
    rows = [[x + 20 * y + 1 for x in range(20)] for y in range(10)]
    for side in "bot":
        put_file(plain, side, GROUND + "/id.csv", edits.text_of(rows))
    text = read_file(plain, GROUND + "/layer.json", "b")
    put_file(plain, "t", GROUND + "/layer.json", text.replace('"width": 20', '"width": 24'))
    for side, name in (("o", "ours"), ("t", "theirs")):
        good("mv", str(plain / (side + ".map")), GROUND, GROUP + "/layers/1_" + name)
    assert "renamed by both" in merge(plain, code=1).stderr
    assert list_layers(plain, GROUP) == ["0_Game", "1_ours"]


@pytest.mark.parametrize("mover, other", ("ot", "to"))
def test_a_renamed_layer_is_found_although_a_new_one_has_its_name(plain, mover, other):
    """One side renames a layer and adds another under the old name; the other side's edit goes to the renamed one."""
    good("mv", str(plain / (mover + ".map")), GROUND, GROUP + "/layers/1_old")
    new = plain / "add" / GROUP / "layers" / "2_ground"
    shutil.copytree(plain / "tree" / GROUND, new)
    merging.write(str(new / "id.csv"), edits.text_of([[x + 20 * y for x in range(20)] for y in range(10)]))
    good("pack", str(plain / "add"), "--onto", str(plain / (mover + ".map")))
    put_file(plain, other, GROUND + "/id.csv", edit_cells(plain, (1, 1, 5)))
    r = merge(plain)
    found = [parse_cells(read_file(plain, "%s/layers/%s/id.csv" % (GROUP, n))) for n in list_layers(plain, GROUP)[1:]]
    assert parse_cells(edit_cells(plain, (1, 1, 5))) in found or "ambiguous" in r.stderr
    assert any(rows[1][1] == 21 for rows in found) and len(found) == 2


OTHER = "groups/1_other"


@pytest.fixture
def two_groups(plain):
    """The maps of `plain`, with a second group that has a layer."""
    new = plain / "add" / OTHER / "layers" / "0_far"
    shutil.copytree(plain / "tree" / GROUND, new)
    merging.write(str(new / "id.csv"), edit_cells(plain, (0, 0, 9), (0, 1, 9)))
    shutil.copy(plain / "tree" / GROUP / "group.json", plain / "add" / OTHER / "group.json")
    good("pack", str(plain / "add"), "--onto", str(plain / "b.map"))
    reset_sides(plain)
    return plain


def list_layers(where, group, side="out"):
    return good("ls", str(where / (side + ".map")), group + "/layers").stdout.decode().split()


@pytest.mark.parametrize("mover, other", ("ot", "to"))
def test_a_layer_that_one_moved_and_the_other_changed_is_joined(two_groups, mover, other):
    good("mv", str(two_groups / (mover + ".map")), GROUND, OTHER + "/layers/0_ground")
    put_file(two_groups, other, GROUND + "/id.csv", edit_cells(two_groups, (1, 1, 5)))
    merge(two_groups, code=0)
    assert list_layers(two_groups, OTHER) == ["0_ground", "1_far"] and list_layers(two_groups, GROUP) == ["0_Game"]
    assert parse_cells(read_file(two_groups, OTHER + "/layers/0_ground/id.csv")) == parse_cells(edit_cells(two_groups, (1, 1, 5)))


def test_two_layers_of_one_name_that_swapped_places_are_in_doubt(two_groups):
    """By their names alone, each could also be the other one, redrawn."""
    far = OTHER + "/layers/0_far"
    for side in "bot":
        good("mv", str(two_groups / (side + ".map")), far, OTHER + "/layers/0_ground")
    far = OTHER + "/layers/0_ground"
    one, other = (read_file(two_groups, p + "/id.csv", "b") for p in (GROUND, far))
    put_file(two_groups, "o", GROUND + "/id.csv", other)
    put_file(two_groups, "o", far + "/id.csv", one)
    put_file(two_groups, "t", GROUND + "/id.csv", edit_cells(two_groups, (1, 1, 5)))
    assert "ambiguous" in merge(two_groups, code=1).stderr
    assert read_file(two_groups, GROUND + "/id.csv") == other and read_file(two_groups, far + "/id.csv") == one
    assert parse_cells(read_conflict(two_groups, GROUND + "/id.csv"))[1][1] == 5


@pytest.mark.parametrize("mover, other", ("ot", "to"))
def test_a_layer_renamed_and_moved_to_another_group_is_found(two_groups, mover, other):
    good("mv", str(two_groups / (mover + ".map")), GROUND, OTHER + "/layers/0_renamed")
    good("rm", "-r", str(two_groups / (other + ".map")), GROUND)
    assert "removed by" in merge(two_groups, code=1).stderr
    assert list_layers(two_groups, OTHER) == ["0_renamed", "1_far"] and list_layers(two_groups, GROUP) == ["0_Game"]


def test_a_layer_of_another_kind_with_the_same_name_is_another_layer(two_groups):
    """Theirs has quads under the name of the tiles that ours changed."""
    good("rm", "-r", str(two_groups / "t.map"), GROUND)
    new = two_groups / "quads" / GROUND
    os.makedirs(new)
    merging.dump(str(new / "layer.json"), {"type": 3, "version": 2})
    merging.dump(str(new / "quads.json"), [{"positions": [[1, 2]] * 5}])
    good("pack", str(two_groups / "quads"), "--onto", str(two_groups / "t.map"))
    put_file(two_groups, "o", GROUND + "/id.csv", edit_cells(two_groups, (1, 1, 5)))
    assert "changed by ours and removed by theirs" in merge(two_groups, code=1).stderr
    found = [set(good("ls", str(two_groups / "out.map"), GROUP + "/layers/" + n).stdout.decode().split())
             for n in list_layers(two_groups, GROUP)]
    assert {"id.csv", "flags.csv", "layer.json"} in found[1:] and {"layer.json", "quads.json"} in found


def test_a_layer_moves_to_a_group_that_theirs_added(two_groups):
    # The group has more layers, by which it is found.
    walls = "".join(",".join(str(x * y % 7) for x in range(20)) + "\n" for y in range(1, 11))
    for side in "bot":
        put_file(two_groups, side, GROUP + "/layers/0_Game/id.csv", walls)
    good("mv", str(two_groups / "t.map"), OTHER, "groups/0_first")
    new = two_groups / "more" / "groups" / "7_new"
    os.makedirs(new / "layers")
    shutil.copy(two_groups / "tree" / GROUP / "group.json", new / "group.json")
    good("pack", str(two_groups / "more"), "--onto", str(two_groups / "t.map"))
    good("mv", str(two_groups / "t.map"), "groups/1_Game/layers/1_ground", "groups/2_new/layers/0_ground")
    put_file(two_groups, "o", GROUND + "/id.csv", edit_cells(two_groups, (1, 1, 5)))
    merge(two_groups, code=0)
    assert list_layers(two_groups, "groups/2_new") == ["0_ground"] and list_layers(two_groups, "groups/1_Game") == ["0_Game"]
    assert parse_cells(read_file(two_groups, "groups/2_new/layers/0_ground/id.csv"))[1][1] == 5
    assert list_layers(two_groups, "groups/0_first") == ["0_far"]


def test_a_layer_that_both_moved_is_where_ours_has_it(two_groups):
    third = two_groups / "third" / "groups" / "2_third"
    os.makedirs(third / "layers")
    shutil.copy(two_groups / "tree" / GROUP / "group.json", third / "group.json")
    for side in "bot":
        good("pack", str(two_groups / "third"), "--onto", str(two_groups / (side + ".map")))
    good("mv", str(two_groups / "o.map"), GROUND, OTHER + "/layers/1_ground")
    good("mv", str(two_groups / "t.map"), GROUND, "groups/2_third/layers/0_ground")
    r = merge(two_groups, code=1)
    assert "moved by both (theirs: groups/2_third/layers)" in r.stderr
    assert list_layers(two_groups, OTHER) == ["0_far", "1_ground"] and list_layers(two_groups, "groups/2_third") == []


@pytest.mark.parametrize("mover, remover", ("ot", "to"))
def test_a_layer_that_one_moved_and_the_other_removed_is_a_conflict(two_groups, mover, remover):
    good("mv", str(two_groups / (mover + ".map")), GROUND, OTHER + "/layers/0_ground")
    good("rm", "-r", str(two_groups / (remover + ".map")), GROUND)
    assert "removed by" in merge(two_groups, code=1).stderr
    assert list_layers(two_groups, OTHER) == ["0_ground", "1_far"]


def test_layers_that_each_side_added_are_both_there(plain):
    for side, value in (("o", 3), ("t", 4)):
        tree = plain / ("add-" + side)
        new = tree / GROUP / "layers" / "1_decor"
        shutil.copytree(plain / "tree" / GROUND, new)
        merging.write(str(new / "id.csv"), edit_cells(plain, (0, 0, value)))
        good("pack", str(tree), "--onto", str(plain / (side + ".map")))
    merge(plain, code=0)
    layers = good("ls", str(plain / "out.map"), GROUP + "/layers").stdout.decode().split()
    assert [merging.bare(n) for n in layers] == ["Game", "decor", "decor", "ground"]
    assert {parse_cells(read_file(plain, "%s/layers/%s/id.csv" % (GROUP, n)))[0][0] for n in layers[1:3]} == {3, 4}
    for n in layers[1:]:
        assert '"0_checker"' in read_file(plain, "%s/layers/%s/layer.json" % (GROUP, n))


def test_physics_layers_of_one_kind_that_both_added_are_joined(plain):
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
    row = parse_cells(read_file(plain, GROUP + "/layers/2_Tele/id.csv"))[4]
    assert (row[2], row[7], sum(map(bool, row))) == (26, 26, 2)


def test_an_empty_base_is_an_empty_map(plain):
    (plain / "b.map").write_bytes(b"")
    put_file(plain, "t", "info/author", "else\n")
    merge(plain, code=1)
    assert read_file(plain, "info/author") == read_file(plain, "info/author", "o")
    shutil.copy(plain / "o.map", plain / "t.map")
    os.unlink(plain / "out.map")
    merge(plain, code=0)
    assert get(plain / "out.map") == get(plain / "o.map")


def test_older_conflict_files_stay(plain):
    os.mkdir(plain / "out.map.mapfs-left")
    put_file(plain, "o", "info/author", "a\n")
    put_file(plain, "t", "info/author", "b\n")
    r = merge(plain, code=1)
    assert get(plain / "out.map.mapfs-left.1/info/author") == b"b\n" and "mapfs-left.1/info" in r.stderr


MAPPER = '{"version": %d, "config": %d, "seed": %d, "flags": 1}'


def set_automapper(where, side, *values):
    """Set the version, config and seed of the ground's automapper, or remove it."""
    text = re.sub('"automapper": [^\\n]*', '"automapper": ' + (MAPPER % values if values else "null"),
                  read_file(where, GROUND + "/layer.json", "b"))
    put_file(where, side, GROUND + "/layer.json", text)


def read_automapper(where):
    return json.loads(read_file(where, GROUND + "/layer.json"))["automapper"]


@pytest.mark.parametrize("b, o, t, expected", [
    ((0, 3, 42), (65792, 3, 42), (7, 3, 42), (65792, 3, 42)),  # both, and nothing else
    ((0, 3, 42), (65792, 4, 42), (7, 3, 43), (65792, 4, 43)),  # both, and other fields
    ((0, 3, 42), (0, 3, 42), (7, 3, 42), (0, 3, 42)),          # only theirs
    ((0, 3, 42), (65792, 3, 42), (0, 3, 42), (65792, 3, 42)),  # only ours
    ((0, 3, 42), (65792, 3, 42), (), ()),                      # the other side removed it
    ((0, 3, 42), (), (7, 3, 42), ()),
    ((), (65792, 3, 42), (7, 3, 42), (65792, 3, 42)),          # both added it
    ((0, 3, 42), (65792, 3, 42), (7, 5, 42), (7, 5, 42)),      # the file is taken from theirs
], ids=str)
def test_a_field_that_the_game_leaves_unset_is_no_conflict(plain, b, o, t, expected):
    """The game writes an automapper's version from uninitialized memory."""
    for side, values in (("b", b), ("o", o), ("t", t)):
        set_automapper(plain, side, *values)
    put_file(plain, "o", "info/author", "ours\n")
    put_file(plain, "t", "info/version", "theirs\n")
    assert merge(plain, code=0).stderr == ""
    assert read_automapper(plain) == (dict(zip(("version", "config", "seed"), expected), flags=1) if expected else None)
    assert (read_file(plain, "info/author"), read_file(plain, "info/version")) == ("ours\n", "theirs\n")


def test_a_layer_is_removed_if_the_other_changed_only_an_unset_field(plain):
    set_automapper(plain, "b", 0, 3, 42)
    set_automapper(plain, "t", 9, 3, 42)
    shutil.copy(plain / "b.map", plain / "o.map")
    good("rm", "-r", str(plain / "o.map"), GROUND)
    merge(plain, code=0)
    assert "ground" not in " ".join(list_paths(plain))


# ---- parts that only raw/ shows

UNKNOWN, INDEX = 77, 0xFFFF
UUID = (0x01234567, 0x01234567 * 3, 0x01234567 * 5, 0x01234567 * 7)
KNOWN = (0x3E1B2716, 0x178C3978, 0x9BD9B11A, 0xE0410DD8)  # version of automappers


def add_unknown_items(where, side, *items):
    """Add items of types that mapfs does not know, as another program might: (type, id, integers)."""
    path = where / (side + ".map")
    f = datafile.Datafile.load(path)
    path.write_bytes(datafile.encode([*f.items, *(datafile.Item(*i) for i in items)], f.blobs()))


def unknown_items(where, *types, side="out"):
    return [list(i.ints) for i in datafile.Datafile.load(where / (side + ".map")).items if i.type in types]


def test_items_that_only_raw_shows_are_taken_from_ours_and_reported(plain):
    for side, ints in (("b", [1]), ("o", [1]), ("t", [2])):
        add_unknown_items(plain, side, (UNKNOWN, 0, ints))
    put_file(plain, "t", "info/author", "theirs\n")
    put_file(plain, "o", "info/version", "ours\n")
    r = merge(plain, code=0)
    line, = r.stderr.splitlines()
    assert "note: raw/items/00077/00000 was changed by theirs, and no other file shows it" in line
    assert unknown_items(plain, UNKNOWN) == [[1]] and read_file(plain, "info/author") == "theirs\n"


def test_items_that_only_raw_shows_and_both_changed_are_a_conflict(plain):
    for side, ints in (("b", [1]), ("o", [2]), ("t", [3])):
        add_unknown_items(plain, side, (UNKNOWN, 0, ints))
    r = merge(plain, code=1)
    line, = r.stderr.splitlines()
    assert "conflict: raw/items/00077/00000 was changed by both, and no other file shows it" in line
    assert unknown_items(plain, UNKNOWN) == [[2]]


def test_a_uuid_type_is_the_same_under_another_number(plain):
    """Types that typed files show are not reported."""
    for side, type_, word in (("b", 0x8001, 5), ("o", 0x8003, 5), ("t", 0x8005, 5)):
        add_unknown_items(plain, side, (INDEX, type_, UUID), (type_, 0, [word]))
    put_file(plain, "o", "info/author", "ours\n")
    put_file(plain, "t", "info/version", "theirs\n")
    assert merge(plain, code=0).stderr == ""
    add_unknown_items(plain, "t", (0x8005, 1, [6]))
    assert "00001 was added by theirs, and no other file shows it" in merge(plain, code=0).stderr
    text = read_file(plain, GROUND + "/layer.json", "t")
    put_file(plain, "t", GROUND + "/layer.json",
        text.replace('"automapper": null', '"automapper": {"version": 1, "config": 1, "seed": 2, "flags": 1}'))
    assert any(i.type == INDEX and tuple(v & 0xFFFFFFFF for v in i.ints) == KNOWN
               for i in datafile.Datafile.load(plain / "t.map").items)
    assert merge(plain, code=0).stderr.count("note: ") == 1
    assert '"config": 1' in read_file(plain, GROUND + "/layer.json")


# ---- errors and interruptions

def test_an_error_is_129_or_more_and_writes_nothing(plain):
    bad = plain / "bad.map"
    bad.write_bytes(b"no map at all")
    for args in (("b",), ("b", "o", "t"), ("bad", "o", "t", "out"), ("b", "bad", "t", "out"), ("b", "o", "bad", "out"),
                 ("b", "o", "none", "out"), ("b", "o", "t", "none/out")):
        r = run("merge", *(str(plain / (a + ".map")) for a in args))
        assert r.returncode >= 129 and r.stderr.count(b"\n") == 1, (args, r.returncode, r.stderr)
    assert run("merge", "--none", *["x"] * 4).returncode >= 129
    assert run("merge", "--help").returncode == 0
    assert sorted(p for p in os.listdir(plain) if p.startswith((".", "out"))) == []


def test_a_file_that_is_no_map_of_the_game_is_not_overwritten(plain):
    """A text or another game's map was given as OUT by mistake."""
    os.mkdir(plain / "nothing")
    good("pack", str(plain / "nothing"), str(plain / "game.tcm"))
    for what, content_ in (("text", b"my notes, which are long enough to be a header\n"), ("short", b"x"),
                           ("game", get(plain / "game.tcm"))):
        (plain / "out.map").write_bytes(content_)
        r = merge(plain, code=130)
        assert r.stderr.count("\n") == 1 and "out.map: already exists " in r.stderr, (what, r.stderr)
        assert (plain / "out.map").read_bytes() == content_
    (plain / "out.map").write_bytes(b"")  # an empty file, as mktemp makes it
    merge(plain, code=0)
    assert read_as_text(plain / "out.map") == read_as_text(plain / "o.map")
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


def test_after_a_kill_at_any_write_the_file_is_old_or_new(box, small):
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
        # The next merge succeeds.
        with open(small, "wb") as f:
            f.write(before)
        assert run("merge", base, small, theirs, small).returncode == 0
        assert get(small) == after and box.beside() == [], (at, box.beside())
    assert seen == {before, after}


def test_merge_works_in_a_chroot_without_dev_and_proc(box, small, root):
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

def write_three(tmp_path, data, ending):
    names = {n: str(tmp_path / (n + ending)) for n in ("b", "o", "t", "out")}
    for n in "bot":
        with open(names[n], "wb") as f:
            f.write(data)
    return names


def merge_contents(names, code=0):
    r = run("merge", *(names[n] for n in ("b", "o", "t", "out")))
    assert r.returncode == code, r.stderr
    return r.stderr.decode()


def test_entries_of_an_archive_are_merged_by_path(tmp_path):
    text = "".join("line %d\n" % i for i in range(9)).encode()
    n = write_three(tmp_path, archives.tlwrite.mod([("MEDIA/", name, data, False) for name, data in (
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
    said_ = merge_contents(n, code=1)
    assert sorted(line.split("conflict: ")[1].split(":")[0] for line in said_.splitlines()) == [
        "MEDIA/C.TXT", "MEDIA/D.TXT"]

    def cat(path):
        return good("cat", n["out"], path).stdout
    assert cat("MEDIA/A.TXT") == text.replace(b"line 1\n", b"ours\n").replace(b"line 2\n", b"theirs\n")
    assert [cat("MEDIA/%s" % p) for p in ("OURS/NEW.TXT", "THEIRS/NEW.TXT", "C.TXT", "D.TXT")] == [
        b"1\n", b"2\n", b"changed\n", b"ours\n"]
    assert run("cat", n["out"], "MEDIA/B.TXT").returncode == 2
    assert get(n["out"] + ".mapfs-left/MEDIA/D.TXT") == b"theirs\n"


def test_rows_of_an_index_are_merged_by_guid(tmp_path):
    source = os.path.join(places.SHARED, "corpus/torchlight/mods/flasks.mod")
    if not os.path.exists(source):
        pytest.skip("no corpus: " + source)
    n, path = write_three(tmp_path, get(source), ".mod"), "MEDIA/UNITDATA.RAW"
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
    merge_contents(n)
    expected = [lines[0], lines[1], "\t".join(both), *lines[3:-1], new("111", "OURS"), new("222", "THEIRS")]
    assert sorted(good("cat", n["out"], path).stdout.decode().splitlines()) == sorted(expected)


def test_tables_of_a_triclon_map_are_merged_by_rows(tmp_path):
    source = os.path.join(places.SHARED, "corpus/triclon/le_count_pp-bytes_obj3.tcm")
    if not os.path.exists(source):
        pytest.skip("no corpus: " + source)
    n = write_three(tmp_path, get(source), ".tcm")
    info = good("cat", source, "info.json").stdout.decode()
    lines = good("cat", source, "points.csv").stdout.decode()
    good("put", n["o"], "info.json", input=info.replace('"name": "', '"name": "X').encode())
    good("put", n["t"], "info.json", input=info.replace('"author": "', '"author": "Y').encode())
    good("put", n["o"], "points.csv", input=(lines + "7,8\n").encode())
    good("put", n["t"], "points.csv", input=(lines + "9,10\n").encode())
    merge_contents(n)
    assert good("cat", n["out"], "points.csv").stdout.decode() == lines + "7,8\n9,10\n"
    now = good("cat", n["out"], "info.json").stdout.decode()
    assert now == info.replace('"name": "', '"name": "X').replace('"author": "', '"author": "Y')


def test_a_map_that_a_game_refuses_is_not_made(plain):
    """Ours enlarges the game layer, theirs adds a physics layer of the old size."""
    text = read_file(plain, GAME + "/layer.json", "b")
    put_file(plain, "o", GAME + "/layer.json", text.replace('"width": 20', '"width": 22'))
    new = plain / "tele" / GROUP / "layers" / "2_Tele"
    os.makedirs(new)
    merging.dump(str(new / "layer.json"), {"type": 2, "version": 3, "width": 20, "height": 10, "kind": 2})
    good("pack", str(plain / "tele"), "--onto", str(plain / "t.map"))
    r = merge(plain, code=1)
    assert "conflict: the merged map is invalid" in r.stderr and "20 x 10" in r.stderr
    assert get(plain / "out.map") == get(plain / "o.map")
    assert get(plain / "out.map.mapfs-left/out.map") == get(plain / "t.map")
