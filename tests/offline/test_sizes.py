# SPDX-License-Identifier: Zlib
"""Tables of another size than their layer (layout rule 14), without a mount: the written layer.json decides, or all
tables together, never the order of paths. A speedup layer has tables before and after its layer.json."""
import json
import os
import shutil

import pytest

import datafile
from box import get
from maps import good, run

GAME, FAST = ("groups/0_Game/layers/" + name for name in ("0_Game", "2_fast"))
TABLES = {GAME: ["flags", "id"], FAST: ["angle", "force", "id", "max_speed"]}
WIDTH, HEIGHT = 20, 10
LARGER, SMALLER, OTHER = (22, 11), (19, 9), (19, 12)


def resize_rows(rows, width, height):
    """Cut a table to a size, or fill it with zeros."""
    return [[rows[y][x] if y < len(rows) and x < len(rows[y]) else 0 for x in range(width)] for y in range(height)]


def rows_of(name, width=WIDTH, height=HEIGHT):
    """A table whose cells identify table and cell, without any 0."""
    return [[1 + (31 * ord(name[0]) + 7 * y + x) % 90 for x in range(width)] for y in range(height)]


class Tree:
    def __init__(self, top):
        self.map, self.dir = str(top / "a.map"), str(top / "tree")
        with open(self.map, "wb") as f:
            f.write(datafile.small_map())
        good("extract", "-o", "raw=off", self.map, self.dir)
        os.mkdir(self.path(FAST))
        self.json(FAST, {"type": "tiles", "version": 3, "width": WIDTH, "height": HEIGHT, "kind": "speedup"})
        for name in TABLES[FAST]:
            self.table(FAST, name, rows_of(name))
        good("pack", self.dir, "--onto", self.map)
        self.clear_files()
        self.before = get(self.map)
        self.was = {(layer, name): self.read_table(layer, name) for layer in TABLES for name in TABLES[layer]}
        assert self.was[FAST, "force"] == rows_of("force")

    def path(self, *parts):
        return os.path.join(self.dir, *parts)

    def json(self, layer, what):
        os.makedirs(self.path(layer), exist_ok=True)
        with open(self.path(layer, "layer.json"), "w") as f:
            json.dump(what, f)

    def write_size(self, layer, size):
        """Write a layer.json with this size."""
        what = json.loads(good("cat", self.map, layer + "/layer.json").stdout)
        self.json(layer, {**what, "width": size[0], "height": size[1]})

    def table(self, layer, name, rows):
        os.makedirs(self.path(layer), exist_ok=True)
        with open(self.path(layer, name + ".csv"), "w") as f:
            f.write("".join(",".join(map(str, row)) + "\n" for row in rows))

    def clear_files(self):
        """Remove all files that were written so far."""
        shutil.rmtree(self.dir)
        os.mkdir(self.dir)

    def read_table(self, layer, name):
        text = good("cat", self.map, "%s/%s.csv" % (layer, name)).stdout.decode()
        return [[int(v) for v in line.split(",")] for line in text.splitlines()]

    def assert_tables(self, size, written=()):
        """Check that all old tables are cut or filled to the size, and that the written ones are as written."""
        for (layer, name), was in self.was.items():
            assert self.read_table(layer, name) == (rows_of(name, *size) if (layer, name) in written else resize_rows(was, *size))

    def pack(self):
        return run("pack", self.dir, "--onto", self.map)


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path)


def write_all(tree, size, but=()):
    for layer, name in tree.was:
        if (layer, name) not in but:
            tree.table(layer, name, rows_of(name, *size))


def write_json(tree, size):
    for layer in TABLES:
        tree.write_size(layer, size)


def assert_refused(tree, n):
    r = tree.pack()
    lines = [line for line in r.stderr.decode().splitlines() if ".csv: the table has" in line]
    assert (r.returncode, len(lines)) == (4, n), r.stderr
    assert get(tree.map) == tree.before


@pytest.mark.parametrize("size", [LARGER, SMALLER, OTHER])
def test_a_layer_takes_the_size_of_all_its_tables(tree, size):
    write_all(tree, size)
    assert tree.pack().returncode == 0
    tree.assert_tables(size, tree.was)


@pytest.mark.parametrize("size", [LARGER, SMALLER, OTHER])
def test_the_json_that_was_written_decides(tree, size):
    write_all(tree, size)
    write_json(tree, size)
    assert tree.pack().returncode == 0
    tree.assert_tables(size, tree.was)


@pytest.mark.parametrize("size", [LARGER, SMALLER, OTHER])
def test_written_tables_of_the_old_size_are_cut_or_filled(tree, size):
    """As unwritten tables are."""
    for name in TABLES[FAST]:
        tree.table(FAST, name, [[v + 1 for v in row] for row in tree.was[FAST, name]])
        tree.was[FAST, name] = [[v + 1 for v in row] for row in tree.was[FAST, name]]
    write_json(tree, size)
    assert tree.pack().returncode == 0
    tree.assert_tables(size)


def test_a_json_with_the_current_size_decides_too(tree):
    """A new map and an existing one are treated alike."""
    write_all(tree, SMALLER)
    write_json(tree, (WIDTH, HEIGHT))
    assert_refused(tree, 6)


@pytest.mark.parametrize("layer,name", [(layer, name) for layer in TABLES for name in TABLES[layer]])
def test_one_table_that_was_not_written_keeps_the_size(tree, layer, name):
    write_all(tree, LARGER, [(layer, name)])
    assert_refused(tree, len(TABLES[layer]) - 1)


def test_two_different_sizes_are_refused(tree):
    write_all(tree, SMALLER)
    tree.table(FAST, "force", rows_of("force", *OTHER))
    tree.table(GAME, "id", rows_of("id", *OTHER))
    assert_refused(tree, 6)


def test_a_new_map_is_packed_by_the_same_rule(tree, tmp_path):
    shutil.rmtree(tree.dir)
    good("extract", "-o", "raw=off", tree.map, tree.dir)
    write_all(tree, SMALLER)
    assert_refused(tree, 6)
    r = run("pack", tree.dir, str(tmp_path / "new.map"))
    assert r.returncode == 4 and r.stderr.count(b".csv: the table has") == 6
    assert not (tmp_path / "new.map").exists()
