# SPDX-License-Identifier: Zlib
"""Random structural edits, compared with an independent model (world.py, edits.py).

After each sequence and save, a reader without code of mapfs finds the files of the model in the map, a strict check
(../shared/tools/twcheck.py) finds no new anomaly, and map_resave of DDNet writes the same bytes. The sequences run on
the tree without FUSE (core.c), some of them also on real mounts.

MAPFS_TEST_SEED runs one sequence and prints its steps. MAPFS_TEST_SEQUENCES sets the number of sequences.
"""
import importlib.util
import os
import struct
import subprocess

import pytest

import box as boxes
import datafile
import places
import randommap
import share
import told
from core import CoreTree, DirTree
from edits import Editor
from graph import KEYS, Unfit, differences, map_shows, read_map
from expect import AUTOMAPPER  # found by graph
from world import World, content

SEQUENCES = int(os.environ.get("MAPFS_TEST_SEQUENCES", "0"))
SEED = os.environ.get("MAPFS_TEST_SEED")
STEPS, SAVES, RANDOM = 7, 2, 90
SMALL = 15_000
TWCHECK = os.path.join(places.SHARED, "tools", "twcheck.py")
# Anomalies that a requested edit creates: names, and the zero element that the editor of the game also writes for an
# empty list.
ASKED_FOR = {"duplicate_image_name", "duplicate_sound_name", "name_has_slash",
             "external_image_not_in_doc_list", "quads_data_len_mismatch"}
# Anomalies that follow from others in the map: an item of odd length that got a name, and data that an unknown item
# may refer to.
FOLLOWS = {"item_len:tilemap_v3": "item_len:tilemap_v2", "data_unreferenced": "unknown_item_type"}


class Strict:
    """twcheck.py in this process: the classes of anomalies of a map."""

    def __init__(self):
        if not os.path.exists(TWCHECK):
            pytest.skip(places.NO_SHARED)
        spec = importlib.util.spec_from_file_location("twcheck", TWCHECK)
        self.module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.module)

    def __call__(self, path):
        return {a["c"] for a in self.module.Check(path).run()["anomalies"]}

    def new(self, path, before):
        had = set().union(*map(self, before))
        return {c for c in self(path) - had - ASKED_FOR if FOLLOWS.get(c) not in had}


class Rewriter:
    """map_resave of DDNet."""

    def __init__(self, home):
        self.program, self.home = places.ddnet_tool("map_resave"), str(home)
        self.out = os.path.join(self.home, ".local", "share", "ddnet")
        os.makedirs(self.out)

    def __call__(self, path):
        subprocess.run([self.program, path, "again.map"], cwd=self.home, check=True,
                       env=dict(os.environ, HOME=self.home), stdout=subprocess.DEVNULL)
        return boxes.get(os.path.join(self.out, "again.map"))


class Sequence:
    """Edits and saves of one map."""

    def __init__(self, seed, path, tree, other=None):
        self.seed, self.path, self.tree = seed, path, tree
        self.before = datafile.Datafile.load(path)
        self.world = World(read_map(self.before))
        self.editor = Editor(self.world, tree, seed, other)

    def wrong(self, what):
        pytest.fail("seed %d, %s\n%s\n%s" % (
            self.seed, os.path.basename(self.path), "\n".join(self.editor.log), what))

    def steps(self, n):
        for _ in range(n):
            try:
                self.editor.step()
            except OSError as e:
                self.wrong("refused: %s" % e)
            except RuntimeError as e:
                self.wrong(str(e))

    def compare_sizes(self, path=""):
        """The listed sizes equal those of the files, including new files."""
        for name, size in self.tree.sizes(path).items():
            below = path + "/" + name if path else name
            if self.tree.is_dir(below):
                if below != "raw":
                    self.compare_sizes(below)
            elif size != len(self.tree.get(below)):
                self.wrong("%s is listed with %d bytes and has %d" % (
                    below, size, len(self.tree.get(below))))

    def saved_tree(self):
        """The tree as a save makes it: tables may determine the size of a layer."""
        out = told.tree(self.tree)
        for layer in self.editor.layers():
            path, main = layer + "/layer.json", content(self.world.entry(layer))["layer.json"]
            if path in out:
                out[path] = self.editor.text({k: v for k, v in main.items() if k not in KEYS})
        return out

    def check_report(self, report, before, fresh):
        """A new mount shows the saved files and does not show the removed ones."""
        why = told.untrue(report, before, told.tree(fresh))
        if why:
            self.wrong(why)

    def compare(self, data, what):
        want, unmarked = self.world.build().base.shows()
        try:
            got = map_shows(datafile.Datafile(data), unmarked)
        except Exception as e:  # whatever the error is, the log of the steps is needed
            self.wrong("%s cannot be read: %r" % (what, e))
        diff = differences(want, got)
        if diff:
            self.wrong("%s:\n%s" % (what, "\n".join(diff[:8])))


@pytest.fixture(scope="module")
def directory():
    with places.in_memory() as d:
        yield d


@pytest.fixture(scope="module")
def maps(directory):
    """Maps to edit: random ones, and small real ones."""
    out = []
    for seed in range(RANDOM):
        path = os.path.join(directory, "random%d.map" % seed)
        with open(path, "wb") as f:
            f.write(randommap.random_map(seed))
        out.append(path)
    for path in places.debian_maps() + corpus():
        if os.path.getsize(path) <= SMALL:
            try:
                read_map(datafile.Datafile.load(path))
            except (Unfit, ValueError):
                continue
            out.append(path)
    return out


def corpus():
    top = os.path.join(places.CORPUS, "maps")
    return sorted(os.path.join(top, n) for n in os.listdir(top) if n.endswith(".map")) \
        if os.path.isdir(top) else []


def run(core, maps, seed, directory, check=None):
    path, second = maps[seed % len(maps)], maps[(seed * 7 + 3) % len(maps)]
    tree, other, fresh = (CoreTree(core, i) for i in range(3))
    tree.open(path)
    other.open(second)
    s = Sequence(seed, path, tree, (World(read_map(datafile.Datafile.load(second))), other))
    for at in range(SAVES):
        s.steps(STEPS)
        if (at + seed // 2) % 2 == 0:
            before = s.saved_tree()
            code, report = tree.save()
            if code != (5 if "warning: " in report else 0):
                s.wrong("the save gives %d\n%s" % (code, report))
            s.compare(tree.map(), "the saved map")
            remount(fresh, tree.map(), directory)
            s.check_report(report, before, fresh)
            s.world.saved()
            s.steps(2)
        elif seed % 2:
            # A kill keeps closed changes under the same paths, because there was no save since the mount.
            s.editor.log.append("# kill -9")
            try:
                tree.kill()
            except OSError as e:
                s.wrong("the journal cannot be replayed: %s" % e)
            s.steps(2)
        if seed % 10 == 0:
            s.compare_sizes()
        before = s.saved_tree()
        code, report = tree.end()
        if code != (5 if "warning: " in report else 0):
            s.wrong("the end gives %d\n%s" % (code, report))
        s.editor.log.append("# end")
        data = tree.map()
        s.compare(data, "the map")
        remount(fresh, data, directory)
        s.check_report(report, before, fresh)
        if check:
            check(s, data, second)
        if at + 1 < SAVES:
            s.world.mounted()
            remount(tree, data, directory)


def remount(tree, data, directory):
    name = os.path.join(directory, "again.map")
    boxes.put(name, data, os.O_WRONLY | os.O_TRUNC | os.O_CREAT)
    tree.open(name)


def sequences(usual):
    return [int(SEED)] if SEED else range(1, (SEQUENCES or share.of(usual, usual // 5)) + 1)


def test_random_edits_keep_references(core, maps, directory):
    for seed in sequences(1500):
        run(core, maps, seed, directory)


@pytest.mark.parametrize("seed", [int(SEED)] if SEED else range(30_001, 30_001 + (SEQUENCES or share.of(12, 4))))
def test_random_edits_of_a_real_mount_keep_references(box, seed):
    path = box.add(randommap.random_map(seed), "a.map")
    second = box.add(randommap.random_map(seed + 1), "b.map")
    other = box.mount(second, "ro", box.point("other"))
    m = box.mount(path)
    s = Sequence(seed, path, DirTree(m.point),
                 (World(read_map(datafile.Datafile.load(second))), DirTree(other.point)))
    for at in range(SAVES):
        s.steps(STEPS)
        fd = os.open(m.point, os.O_RDONLY)
        os.fsync(fd)
        os.close(fd)
        s.compare(boxes.get(path), "the saved map")
        s.world.saved()
        s.steps(STEPS)
        before = s.saved_tree()
        report = m.unmount_edited()
        s.compare(boxes.get(path), "the map")
        m = box.mount(path)
        s.check_report(report, before, s.tree)
        s.world.mounted()
    m.unmount()
    other.unmount()


def test_random_edits_cause_no_anomaly(core, maps, directory):
    strict, path = Strict(), os.path.join(directory, "saved.map")

    def check(s, data, second):
        boxes.put(path, data, os.O_WRONLY | os.O_TRUNC | os.O_CREAT)
        new = strict.new(path, (s.path, second))
        if new:
            s.wrong("anomalies that the map did not have: %s" % sorted(new))
    for seed in sequences(300):
        run(core, maps, 10_000 + seed if not SEED else seed, directory, check)


def is_simple(data):
    """map_resave of DDNet 16.4 exchanges the numbers of two UUID types each time, crashes on an unknown one, and
    removes an index item whose type has no items."""
    f = datafile.Datafile(data)
    index = f.of_type(datafile.UUID_INDEX)
    known = [AUTOMAPPER] if index and f.of_type(index[0].id) else []
    return known == [struct.pack(">4i", *i.ints) for i in index]


def test_map_resave_does_not_change_a_map_after_random_edits(core, maps, directory, tmp_path):
    rewritten, path = Rewriter(tmp_path), os.path.join(directory, "saved.map")
    # Unchanged parts are copied as they are, so only maps that the tool does not change can be used.
    own = [m for m in maps if is_simple(boxes.get(m)) and rewritten(m) == boxes.get(m)]
    assert len(own) > 10

    def check(s, data, second):
        boxes.put(path, data, os.O_WRONLY | os.O_TRUNC | os.O_CREAT)
        if is_simple(data) and rewritten(path) != data:
            s.wrong("map_resave writes another map")
    for seed in sequences(150):
        run(core, own, 20_000 + seed if not SEED else seed, directory, check)
