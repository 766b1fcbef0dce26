# SPDX-License-Identifier: Zlib
"""merge: which is which where several are alike."""
import os
import shutil

import pytest

import maps  # first: it says what else can be imported
import datafile
import edits
import merging
from maps import good
from test_merging import GAME, GROUND, GROUP, OTHER, as_base, grid, layers_of, left, make_three, merge, put, said

LAYERS = GROUP + "/layers/"


@pytest.fixture
def plain(tmp_path):
    return make_three(tmp_path, datafile.small_map())


def pattern(step, height, *changed):
    """Rows of a table, in which a cell of the changed lines is another."""
    rows = [[(x * step + y * (step + 3)) % 200 + 1 for x in range(20)] for y in range(height)]
    for y in changed:
        rows[y][3] = 250
    return rows


def add_layer(where, side, path, rows):
    """A copy of the ground with other cells; its group, too, where it is not there."""
    tree = where / "add"
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(where / "tree" / GROUND, tree / path)
    merging.dump(str(tree / path / "layer.json"), {**merging.load(str(tree / path / "layer.json")), "height": len(rows)})
    os.unlink(tree / path / "flags.csv")
    merging.write(str(tree / path / "id.csv"), edits.text_of(rows))
    group = tree / path.split("/layers/")[0]
    if not (where / "tree" / os.path.relpath(group, tree)).exists():
        shutil.copy(where / "tree" / GROUP / "group.json", group / "group.json")
    good("pack", str(tree), "--onto", str(where / (side + ".map")))


def of_one_name(where, height):
    """Two layers "x" in the game's group, which theirs puts into the other order, each with an edit."""
    add_layer(where, "b", LAYERS + "2_x", pattern(3, height))
    add_layer(where, "b", LAYERS + "3_x", pattern(11, height))
    add_layer(where, "b", OTHER + "/layers/0_far", pattern(17, height))
    as_base(where)
    put(where, "t", LAYERS + "2_x/id.csv", edits.text_of(pattern(11, height, 0)))
    put(where, "t", LAYERS + "3_x/id.csv", edits.text_of(pattern(3, height, 0, 1, 2)))


def test_layers_of_one_name_that_are_alike_in_another_order_are_in_doubt(plain):
    """What ours did to the one must not be done to the other."""
    of_one_name(plain, 10)
    put(plain, "o", LAYERS + "2_x/id.csv", edits.text_of(pattern(3, 10, 9)))
    assert "in doubt" in merge(plain, code=1).stderr
    assert grid(said(plain, LAYERS + "2_x/id.csv")) == pattern(3, 10, 9)
    assert grid(left(plain, LAYERS + "2_x/id.csv")) == pattern(11, 10, 0)


def test_a_moved_layer_in_doubt_is_named_where_it_stands(plain):
    """Ours moved it and changed it, theirs changed it where it was."""
    of_one_name(plain, 60)
    good("mv", str(plain / "o.map"), LAYERS + "2_x", OTHER + "/layers/5_x")
    put(plain, "o", OTHER + "/layers/1_x/id.csv", edits.text_of(pattern(3, 60, 9)))
    r = merge(plain, code=1)
    assert "conflict: %s/layers/1_x/id.csv: in doubt" % OTHER in r.stderr
    assert grid(said(plain, OTHER + "/layers/1_x/id.csv")) == pattern(3, 60, 9)
    assert grid(left(plain, OTHER + "/layers/1_x/id.csv")) == pattern(3, 60, 0, 1, 2)
    assert layers_of(plain, GROUP)[2:] == ["2_x"] and layers_of(plain, OTHER) == ["0_far", "1_x"]


def test_the_layer_that_a_map_has_once_was_added_by_both_under_two_names(plain):
    for side, name in (("o", "ours"), ("t", "theirs")):
        new = plain / ("add-" + side) / LAYERS / ("2_" + name)
        os.makedirs(new)
        merging.dump(str(new / "layer.json"), {"type": 2, "version": 3, "width": 20, "height": 10, "kind": 2})
        good("pack", str(plain / ("add-" + side)), "--onto", str(plain / (side + ".map")))
    assert LAYERS + '2_ours: added by both; theirs calls it "theirs"' in merge(plain, code=1).stderr
    assert layers_of(plain, GROUP) == [os.path.basename(GAME), os.path.basename(GROUND), "2_ours"]
