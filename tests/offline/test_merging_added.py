# SPDX-License-Identifier: Zlib
"""mapfs merge without a base, as git runs it for a map that both sides added: the result has the layers of both."""
import collections
import glob
import hashlib
import json
import os
import random
import re
import shutil

import pytest

import datafile
import edits
import merging
import places
import randommap
import share
from maps import good, run, saved

FOUND = os.path.join(places.SHARED, "corpus", "found")
PAIRS = share.of(400, 16)


def name_and_content(tree, kind, stem):
    """Name and content of an image or sound in a tree; an external image is known by its name alone."""
    if stem is None:
        return None
    path, = glob.glob(os.path.join(glob.escape(os.path.join(tree, kind, stem)) + ".*"))
    if path.endswith(".json"):
        return merging.bare(stem), None
    with open(path, "rb") as f:
        return merging.bare(stem), hashlib.sha256(f.read()).hexdigest()


def count_elements(path):
    """The rows of a table, or how often a list has each element, with the numbers of references removed."""
    if path.endswith(".csv"):
        return merging.table(path)
    return collections.Counter(json.dumps({k: merging.bare(v) if isinstance(v, str) else v for k, v in one.items()})
                               for one in merging.load(path))


class Layer:
    def __init__(self, tree, path):
        value = merging.load(path + "/layer.json")
        self.path = os.path.relpath(path, tree)
        self.files = {n: count_elements(os.path.join(path, n)) for n in os.listdir(path) if n != "layer.json"}
        # A map has one physics layer of each kind, whatever its name.
        self.key = ("played", value["kind"], None) if value.get("kind") else (
            merging.bare(os.path.basename(path)), value["type"],
            name_and_content(tree, "images", value.get("image")), name_and_content(tree, "sounds", value.get("sound")))

    def has_file(self, side, name):
        """Does the layer have all cells or elements of a file of a side's layer? Unset cells of the side may be set."""
        mine, other = self.files.get(name), side.files[name]
        if mine is None or isinstance(other, collections.Counter):
            return mine is not None and not other - mine
        ids = side.files.get("id.csv", other)
        return (len(mine), len(mine[0])) == (len(other), len(other[0])) and all(
            a == b or all(c == d or not i for c, d, i in zip(a, b, row)) for a, b, row in zip(mine, other, ids))


def read_layers(tree):
    return [Layer(tree, path) for path in merging.layers(tree)]


def is_kept_as_conflict(out, side, name, where, stderr):
    """Is a file of theirs named as a conflict, and kept beside the map?"""
    path = os.path.join(out.path, name)
    beside = os.path.join(str(where), "out.map.mapfs-left", path)
    return ": conflict: %s: " % path in stderr and os.path.exists(beside) and count_elements(beside) == side.files[name]


def find_lost_layers(side, out, is_told):
    """The layers of a side that the result lacks; each layer of the result counts once."""
    free = list(out)
    for fits in (lambda x, y: x.files == y.files,
                 lambda x, y: all(x.has_file(y, n) or is_told(x, y, n) for n in y.files)):
        missing = []
        for one in side:
            found = next((x for x in free if x.key == one.key and fits(x, one)), None)
            if found:
                free.remove(found)
            else:
                missing.append(one)
        side = missing
    return [(one.path, one.key) for one in side]


def merge(where, *names):
    """Merge two sides without a base; returns (exit code, stderr)."""
    (where / "empty.map").write_bytes(b"")
    r = run("merge", "empty.map", *names, "out.map", cwd=where)
    assert r.returncode in (0, 1) and (r.returncode == 1) == (b": conflict: " in r.stderr), r
    return r.returncode, r.stderr.decode()


def find_error(where):
    """None, or the parts of o.map and t.map that out.map lacks."""
    _, stderr = merge(where, "o.map", "t.map")
    if "the merged map is invalid" in stderr:
        same = [(where / x).read_bytes() == (where / y).read_bytes() for x, y in (
            ("o.map", "out.map"), ("t.map", "out.map.mapfs-left/out.map"))]
        return None if all(same) else "ours or theirs is not as it was"
    trees = {}
    for side in ("o", "t", "out"):
        trees[side] = str(where / ("tree-" + side))
        good("extract", "-o", "raw=off,png=stored", str(where / (side + ".map")), trees[side])
    out = read_layers(trees["out"])
    # An image of the merged map may be shown by no file; that is a conflict, too.
    refused = set(re.findall(r": conflict: images/\d+_(.*)\.json: theirs is refused: .*; ours stays, theirs is ", stderr))
    theirs = [x for x in read_layers(trees["t"]) if not (x.key[2] and x.key[2][0] in refused)]
    return find_lost_layers(read_layers(trees["o"]), out, lambda *_: False) or find_lost_layers(
        theirs, out, lambda *args: is_kept_as_conflict(*args, where, stderr)) or None


def pairs():
    """Pairs of real maps, some similar; first Debian's dm9 and dm8, which have no image in common."""
    found = {os.path.basename(p): p for p in sorted(glob.glob(places.CORPUS + "/maps/*.map") + places.debian_maps())
             if share.ALL or os.path.getsize(p) < 150_000}
    rng = random.Random(43)
    names = [("dm9.map", "dm8.map"), ("dm8.map", "dm9.map")] + [rng.sample(sorted(found), 2) for _ in range(PAIRS if found else 0)]
    out = [pytest.param(found[a], found[b], id=a + "+" + b) for a, b in names if a in found and b in found]
    return out or [pytest.param(None, None, id="none", marks=pytest.mark.skip(reason=places.NO_MAPS))]


@pytest.mark.parametrize("ours, theirs", pairs())
def test_each_layer_of_two_real_maps_is_there_and_drawn_as_it_was(tmp_path, ours, theirs):
    if run("ls", ours).returncode or run("ls", theirs).returncode:
        pytest.skip("refused by a mount, too")
    shutil.copy(ours, tmp_path / "o.map")
    shutil.copy(theirs, tmp_path / "t.map")
    assert find_error(tmp_path) is None


@pytest.mark.parametrize("seed", range(share.of(200, 12)))
def test_each_layer_of_two_random_maps_is_there_and_drawn_as_it_was(tmp_path, seed):
    (tmp_path / "o.map").write_bytes(randommap.random_map(seed))
    (tmp_path / "t.map").write_bytes(randommap.random_map(seed + 10000))
    assert find_error(tmp_path) is None


@pytest.mark.parametrize("seed", range(share.of(200, 12)))
def test_two_versions_of_a_map_lose_nothing_without_their_base(tmp_path, seed):
    rng = random.Random(seed)
    base, tree = str(tmp_path / "b.map"), str(tmp_path / "tree")
    (tmp_path / "b.map").write_bytes(randommap.random_map(seed))
    good("extract", "-o", "raw=off", base, tree)
    merging.tag_all(tree)  # in the form that the edits expect
    for number, side in ((1, "o"), (2, "t")):
        shutil.copytree(tree, tree + side)
        edits.Edits(tree + side, rng, number, tree).run_random(4)
        shutil.copy(base, tmp_path / (side + ".map"))
        assert saved(run("pack", "-o", "raw=off", "--exact", "--onto", str(tmp_path / (side + ".map")), tree + side))
    assert find_error(tmp_path) is None


def two_layer_map(where, side, name, image, flags):
    """A map of two layers: the game layer, and one of this name; image: (name, content), where None is external."""
    b = datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    b.info(settings=[b"sv_x 1"])
    if image[1] is None:
        b.external(image[0], 16, 16)
    else:
        b.image(image[0], 16, 16, bytes([image[1], 0, 0, 255]) * 256)
    b.tiles(4, 3, bytes(48), flags=1, name="Game")
    b.tiles(4, 3, bytes((5, flags, 0, 0)) * 12, image=0, name=name)
    b.group(0, 2, "Game")
    b.add(datafile.ENVPOINTS, [])
    (where / (side + ".map")).write_bytes(b.encode())


@pytest.mark.parametrize("ours, theirs, n", [
    (("x", (b"sun", 7), 0), ("x", (b"sun", 7), 0), 1),
    (("x", (b"sun", 7), 0), ("y", (b"sun", 7), 0), 2),        # another name
    (("x", (b"sun", 7), 0), ("x", (b"sun", 8), 0), 2),        # another picture of one name
    (("x", (b"sun", 7), 0), ("x", (b"moon", 7), 0), 2),       # one picture with another name
    (("x", (b"sun", None), 0), ("x", (b"sun", 7), 0), 2),     # embedded or external
    (("x", (b"sun", None), 0), ("x", (b"moon", None), 0), 2),
    (("x", (b"sun", None), 0), ("x", (b"sun", None), 0), 1)])
def test_without_a_base_layers_match_by_name_and_image(tmp_path, ours, theirs, n):
    two_layer_map(tmp_path, "o", *ours)
    two_layer_map(tmp_path, "t", *theirs)
    assert find_error(tmp_path) is None and merge(tmp_path, "o.map", "t.map")[1] == ""
    assert len(merging.entries(tmp_path, "tree-out", "groups/0_Game/layers")) == 1 + n
    assert len(merging.entries(tmp_path, "tree-out", "images")) == len({ours[1], theirs[1]})


def test_without_a_base_all_fields_of_a_tile_are_from_one_side(tmp_path):
    """Ours may have removed the flags, so flags of theirs are not added to its tiles."""
    two_layer_map(tmp_path, "o", "x", (b"sun", 7), 0)
    two_layer_map(tmp_path, "t", "x", (b"sun", 7), 1)
    assert find_error(tmp_path) is None
    good("merge", "empty.map", "o.map", "o.map", "same.map", cwd=tmp_path)
    assert (tmp_path / "same.map").read_bytes() == (tmp_path / "o.map").read_bytes()
    flags = "groups/0_Game/layers/1_x/flags.csv"
    assert flags + ": changed by both: 12 cells, x 0 to 3, y 0 to 2;" in merge(tmp_path, "o.map", "t.map")[1]
    assert not any(map(any, merging.table(str(tmp_path / "tree-out" / flags))))
    assert run("merge", "--mark", "empty.map", "o.map", "t.map", "mark.map", cwd=tmp_path).returncode == 1
    assert good("cat", "mark.map", "groups/0_Game/layers/2_CONFLICT/id.csv", cwd=tmp_path).stdout.replace(b" ", b"") == 3 * b"1,1,1,1\n"


def test_without_a_base_referenced_objects_match_only_if_equal(tmp_path):
    """Else a layer of theirs would move with an envelope of ours."""
    for side, value in (("o", 5), ("t", 6)):
        two_layer_map(tmp_path, side, side, (b"sun", 7), 0)
        points = [{"time": i, "curve_type": 1, "values": [value if i == 7 else i, 0, 0, 0]} for i in range(40)]
        good("put", str(tmp_path / (side + ".map")), "envelopes/0_way.json", input=json.dumps(
            {"version": 2, "channels": 4, "synchronized": 0, "points": points}).encode())
        layer = "groups/0_Game/layers/1_%s/layer.json" % side
        text = good("cat", str(tmp_path / (side + ".map")), layer).stdout.replace(b'"color_envelope": null', b'"color_envelope": "0_way"')
        good("put", str(tmp_path / (side + ".map")), layer, input=text)
    assert find_error(tmp_path) is None and merge(tmp_path, "o.map", "t.map")[1] == ""
    envelopes = [str(tmp_path / "tree-out/envelopes" / n) for n in merging.entries(tmp_path, "tree-out/envelopes")]
    assert [merging.load(e)["points"][7]["values"][0] for e in envelopes] == [5, 6]
    for k, layer in ((0, "1_o"), (1, "2_t")):
        value = merging.load(str(tmp_path / "tree-out/groups/0_Game/layers" / layer / "layer.json"))
        assert value["color_envelope"] == os.path.basename(envelopes[k])[:-5]


def test_layers_of_different_images_are_both_there(tmp_path):
    """Only the images differ: tiles and image sizes are equal."""
    if not os.path.exists(FOUND + "/merge_ours.map"):
        pytest.skip("no corpus: " + FOUND)
    for side, name in (("o", "ours"), ("t", "theirs")):
        shutil.copy("%s/merge_%s.map" % (FOUND, name), tmp_path / (side + ".map"))
    assert find_error(tmp_path) is None and "conflict" not in merge(tmp_path, "o.map", "t.map")[1]
    assert os.listdir(tmp_path / "tree-out/groups") == ["0_Game"]
    for what, expected in (("images", ["grass_main", "winter_main"]), ("groups/0_Game/layers", ["Game", "grass", "snow"])):
        assert [merging.bare(n) for n in merging.entries(tmp_path, "tree-out", what)] == expected
