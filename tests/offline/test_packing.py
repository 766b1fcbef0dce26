# SPDX-License-Identifier: Zlib
"""pack --exact makes the map equal to the tree, also if an object of another type is at a path."""
import glob
import itertools
import json
import os
import random
import re
import shutil

import pytest

import box as boxes
import datafile
import maps
import places
import share
import shims
from box import get
from maps import good, run
from merging import dump, load

MOST = share.of(400_000, 60_000)  # largest map in bytes


def pack_exact(tree, map_, **kw):
    return run("pack", "-o", "raw=off", "--exact", tree, "--onto", map_, **kw)


def read_as_text(path):
    """The text of a map without properties of the map as a whole: tangents, and a zoom that all groups have."""
    text = good("text", path).stdout
    text = re.sub(rb', "(in|out)_tangent_d[xy]": \[[-0-9, ]*\]', b"", text)
    return re.sub(rb',?\n  "parallax_zoom": -?\d+', b"", text)


CHANNELS = {"position_envelope": 3, "color_envelope": 4, "sound_envelope": 1}


def references_fit(tree):
    """Do all references to envelopes by number alone fit their kind? Others do not bind in a map that has envelopes
    (layout rule 20)."""
    for path in glob.glob(glob.escape(tree) + "/groups/*/layers/*/*.json"):
        with open(path, "rb") as f:
            found = re.findall(rb'"(%s)": "(\d+)"' % "|".join(CHANNELS).encode(), f.read())
        for key, stem in set(found):
            with open(os.path.join(tree, "envelopes", stem.decode() + ".json")) as f:
                if json.load(f)["channels"] != CHANNELS[key.decode()]:
                    return False
    return True


@pytest.fixture(scope="module")
def trees(tmp_path_factory):
    """{map: its tree}, for maps whose tree gives an equal new map."""
    top, found = tmp_path_factory.mktemp("trees"), {}
    for i, path in enumerate(share.maps([p for p in places.debian_maps() + glob.glob(places.CORPUS + "/maps/*.map")
                                         if os.path.getsize(p) < MOST])):
        tree, new = str(top / str(i)), str(top / ("%d.map" % i))
        if run("extract", "-o", "raw=off", path, tree).returncode or not os.path.isdir(tree + "/groups"):
            continue
        if run("pack", tree, new).returncode == 0 and read_as_text(new) == read_as_text(path) and references_fit(tree):
            found[path] = tree
    return found


def test_any_map_becomes_any_other(trees, tmp_path):
    if len(trees) < 2:
        pytest.skip(places.NO_MAPS)
    pairs = sorted(itertools.permutations(trees, 2))
    out, unlike = str(tmp_path / "out.map"), 0
    for a, b in random.Random(14).sample(pairs, min(len(pairs), share.of(2000, 30))):
        shutil.copyfile(b, out)
        unlike += run("pack", "-o", "raw=off", trees[a], "--onto", out).returncode != 0
        shutil.copyfile(b, out)
        r = pack_exact(trees[a], out)
        assert maps.saved(r), (a, b, r.stderr)
        assert read_as_text(out) == read_as_text(a), (a, b)
        assert os.listdir(tmp_path) == ["out.map"]
    assert unlike > 5


GROUP, GROUND = "groups/0_Game", "groups/0_Game/layers/1_ground"
POINTS = [{"time": 0, "curve_type": 1, "values": [7, 0, 0, 0]}]
UNKNOWN = 77


def swap_names(tree, a, b):
    for x, y in ((a, "/swap"), (b, a), ("/swap", b)):
        os.rename(os.path.join(tree, x.strip("/")), os.path.join(tree, y.strip("/")))


@pytest.fixture
def map_and_tree(tmp_path):
    """A map with two types of envelopes, a layer that one of them moves, and an item of an unknown type; and its
    tree."""
    path, tree = str(tmp_path / "odd.map"), str(tmp_path / "tree")
    with open(path, "wb") as f:
        f.write(datafile.small_map())
    good("extract", "-o", "raw=off", path, tree)
    os.makedirs(tree + "/envelopes", exist_ok=True)
    for i, channels in enumerate((3, 4)):
        dump(tree + "/envelopes/%d_e%d.json" % (i, i),
             {"version": 2, "channels": channels, "synchronized": 1, "points": POINTS})
    quads = os.path.join(tree, GROUP, "layers", "2_quads")
    os.mkdir(quads)
    dump(quads + "/layer.json", {"type": 3, "detail": 0, "version": 2, "image": None})
    dump(quads + "/quads.json", [{
        "positions": [[0, 0]] * 5, "corner_colors": [[255] * 4] * 4, "texture_coordinates": [[0, 0]] * 4,
        "position_envelope": "0_e0", "position_envelope_offset": 0,
        "color_envelope": "1_e1", "color_envelope_offset": 0}])
    assert pack_exact(tree, path).returncode == 0
    f = datafile.Datafile.load(path)
    with open(path, "wb") as out:
        out.write(datafile.encode([*f.items, datafile.Item(UNKNOWN, 0, [1, 2, 3])], f.blobs()))
    shutil.rmtree(tree)
    good("extract", "-o", "raw=off", path, tree)
    return path, tree


def unknown_items(path):
    return [list(i.ints) for i in datafile.Datafile.load(path).items if i.type == UNKNOWN]


def test_envelopes_of_other_types_swap_places_and_references_follow(map_and_tree):
    path, tree = map_and_tree
    for i, channels in enumerate((4, 3)):
        name = tree + "/envelopes/%d_e%d.json" % (i, i)
        dump(name, {**load(name), "channels": channels})
    quads = os.path.join(tree, GROUP, "layers/2_quads/quads.json")
    dump(quads, [{**load(quads)[0], "position_envelope": "1_e1", "color_envelope": "0_e0"}])
    assert run("pack", "-o", "raw=off", tree, "--onto", path).returncode == 4
    r = pack_exact(tree, path)
    assert (r.returncode, r.stdout, r.stderr) == (0, b"", b"")
    now = good("cat", path, GROUP + "/layers/2_quads/quads.json").stdout
    assert b'"position_envelope": "1_e1"' in now and b'"color_envelope": "0_e0"' in now
    assert b'"channels": 4' in good("cat", path, "envelopes/0_e0.json").stdout
    assert unknown_items(path) == [[1, 2, 3]]


def test_the_map_inside_the_tree_is_not_packed(map_and_tree):
    path, tree = map_and_tree
    inside = os.path.join(tree, "odd.map")
    r = run("pack", ".", "odd.map", cwd=tree)
    assert (r.returncode, r.stdout, r.stderr) == (0, b"", b"")
    os.replace(path, inside)
    # A first save goes to a copy, which is in the directory, too.
    for i, channels in enumerate((4, 3)):
        name = tree + "/envelopes/%d_e%d.json" % (i, i)
        dump(name, {**load(name), "channels": channels})
    quads = os.path.join(tree, GROUP, "layers/2_quads/quads.json")
    dump(quads, [{**load(quads)[0], "position_envelope": "1_e1", "color_envelope": "0_e0"}])
    for how in (["--exact"], []):
        r = run("pack", "-o", "raw=off", ".", *how, "--onto", "odd.map", cwd=tree)
        assert (r.returncode, r.stdout, r.stderr) == (0, b"", b"")
    assert b'"channels": 4' in good("cat", inside, "envelopes/0_e0.json").stdout
    # Another map is left out and reported.
    shutil.copy(inside, tree + "/other.map")
    r = run("pack", "-o", "raw=off", ".", "--onto", "odd.map", cwd=tree)
    assert (r.returncode, r.stderr) == (5, b"mapfs: ./other.map: ignored: not part of a map\n")


def test_layers_of_other_types_swap_places(map_and_tree):
    path, tree = map_and_tree
    swap_names(tree, GROUND, GROUP + "/layers/2_quads")
    assert run("pack", "-o", "raw=off", tree, "--onto", path).returncode == 4
    before = read_as_text(path)
    r = pack_exact(tree, path)
    assert r.returncode == 0 and b"refused" not in r.stderr, r.stderr
    names = good("ls", path, GROUP + "/layers").stdout.split()
    assert [re.sub(rb"^\d_", b"", n) for n in names] == [b"Game", b"ground", b"quads"]
    assert b'"type": "quads"' in good("cat", path, GROUND + "/layer.json").stdout
    assert read_as_text(path) != before and unknown_items(path) == [[1, 2, 3]]


def test_a_tree_without_a_mandatory_part_is_refused(map_and_tree):
    path, tree = map_and_tree
    swap_names(tree, GROUND, GROUP + "/layers/2_quads")
    name = tree + "/envelopes/0_e0.json"
    dump(name, {**load(name), "channels": 4})
    shutil.rmtree(os.path.join(tree, GROUP, "layers/0_Game"))
    before = get(path)
    r = pack_exact(tree, path)
    assert r.returncode == 4 and b"game layer" in r.stderr
    assert get(path) == before and sorted(os.listdir(os.path.dirname(path))) == ["odd.map", "tree"]


@pytest.mark.parametrize("how", ["new", "onto", "exact", "exact, with a layer of another type"])
def test_a_refused_file_is_named_by_its_path_in_the_directory(map_and_tree, how):
    """With --exact, its path in the map may differ."""
    path, tree = map_and_tree
    table = os.path.join(tree, GROUND, "id.csv")
    if "," in how:
        quads = GROUP + "/layers/2_quads"
        swap_names(tree, GROUND, quads)
        table = os.path.join(tree, quads, "id.csv")
    with open(table, "w") as f:
        f.write("1,2,3\n")
    before = get(path)
    if how == "new":
        r = run("pack", tree, os.path.join(os.path.dirname(path), "new.map"))
    else:
        r = run("pack", "-o", "raw=off", *["--exact"] * how.startswith("exact"), tree, "--onto", path)
    assert r.returncode == 4 and get(path) == before
    line, = [x for x in r.stderr.decode().splitlines() if "id.csv" in x]
    assert line.startswith("mapfs: %s: the table has 1 line" % table), line


def test_a_map_with_read_only_permissions_is_written(map_and_tree, root):
    path, tree = map_and_tree
    os.chmod(path, 0o444)
    shutil.rmtree(os.path.join(tree, GROUP, "layers/2_quads"))
    assert pack_exact(tree, path).returncode == 0
    assert b"quads" not in good("ls", path, GROUP + "/layers").stdout
    assert os.stat(path).st_mode & 0o777 == 0o444


def test_after_a_kill_at_any_write_the_map_is_old_or_new(box, map_and_tree):
    path, tree = map_and_tree
    one = box.add(path, "one.map")
    for i, channels in enumerate((4, 3)):
        name = tree + "/envelopes/%d_e%d.json" % (i, i)
        dump(name, {**load(name), "channels": channels})
    swap_names(tree, GROUND, GROUP + "/layers/2_quads")
    before = get(one)
    fault = box.shim(shims.Fault)
    fault.arm(fault.COUNT, 0)
    assert pack_exact(tree, one, env=box.env(fault.env())).returncode == 0
    n, after, seen = fault.calls(), get(one), set()
    assert n > 10 and after != before
    for at in range(n):
        boxes.put(one, before)
        fault.arm(fault.KILL, at)
        r = pack_exact(tree, one, env=box.env(fault.env()))
        assert r.returncode < 0 and get(one) in (before, after), at
        seen.add(get(one))
        # The next pack succeeds.
        boxes.put(one, before)
        assert pack_exact(tree, one).returncode == 0
        assert get(one) == after and box.beside() == [], (at, box.beside())
    assert seen == {before, after}


def test_a_disk_error_leaves_the_old_map(box, map_and_tree):
    path, tree = map_and_tree
    one = box.add(path, "one.map")
    name = tree + "/envelopes/0_e0.json"
    dump(name, {**load(name), "channels": 4})
    before, fault = get(one), box.shim(shims.Fault)
    fault.arm(fault.COUNT, ops=fault.RENAME)
    assert pack_exact(tree, one, env=box.env(fault.env())).returncode == 0
    n, after = fault.calls(), get(one)
    assert n == 1 and after != before
    for at in range(n):
        boxes.put(one, before)
        fault.arm(fault.FAIL, at, fault.RENAME, 28)
        r = pack_exact(tree, one, env=box.env(fault.env()))
        assert r.returncode == 4 and r.stderr, r
        assert get(one) == before and box.beside() == []


@pytest.mark.parametrize("onto", [False, True])
def test_keep_going_packs_the_rest_without_refused_files(tmp_path, onto):
    """A source tree with one or two wrong files."""
    tree, path = tmp_path / "tree", str(tmp_path / "X.MOD")
    (tree / "MEDIA").mkdir(parents=True)
    texts = {"A": "[UNIT]\r\n\t<INTEGER>LEVEL:1\r\n[/UNIT]\r\n", "B": "[UNIT]\r\n\t<INTEGR>LEVEL:1\r\n[/UNIT]\r\n", "C": "[C]\r\n"}
    if onto:
        (tree / "MEDIA/B.DAT").write_text("[UNIT]\r\n\t<INTEGER>LEVEL:7\r\n[/UNIT]\r\n", "utf-16")
        good("pack", tree, path)
    before = get(path) if onto else None
    for name, text in texts.items():
        (tree / ("MEDIA/%s.DAT" % name)).write_text(text, "utf-16")
    (tree / "MEDIA" / os.fsdecode(b"\xff.DAT")).write_text("[D]\r\n[/D]\r\n", "utf-16")
    where = ["--onto", path] if onto else [path]
    r = run("pack", tree, *where)
    assert r.returncode == 4 and (get(path) if onto else os.path.exists(path)) == (before or False)
    r = run("pack", "--skip-refused", tree, *where)
    lines = sorted(line.split(b": ", 3) for line in r.stderr.splitlines())
    named = [os.path.basename(line[1]) for line in lines]
    assert r.returncode == 5 and named == [b"?.DAT", b"B.DAT", b"C.DAT"], r.stderr
    assert [line[2] for line in lines] == [b"name is not UTF-8", b"ignored", b"ignored"]
    assert good("ls", path, "MEDIA").stdout.split() == ([b"A.DAT", b"B.DAT"] if onto else [b"A.DAT"])
    assert b"LEVEL:1" in good("cat", "-o", "text=utf8", path, "MEDIA/A.DAT").stdout
    if onto:
        assert b"LEVEL:7" in good("cat", "-o", "text=utf8", path, "MEDIA/B.DAT").stdout


def test_a_tree_that_is_no_map_is_refused_even_so(map_and_tree):
    path, tree = map_and_tree
    shutil.rmtree(os.path.join(tree, GROUP, "layers/0_Game"))
    before = get(path)
    assert pack_exact(tree, path).returncode == 4
    r = run("pack", "-o", "raw=off", "--skip-refused", "--exact", tree, "--onto", path)
    assert r.returncode == 4 and b"game layer" in r.stderr and get(path) == before
