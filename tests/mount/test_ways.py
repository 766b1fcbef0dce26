# SPDX-License-Identifier: Zlib
"""One tree, one map (DESIGN section 1): all ways to the same tree over the same base give the same map, byte by byte,
and the same report, status and files.

A sequence of edits (edits.py) runs straight, and then in other ways: with a kill -9 after any operation; in another
order with the same result in the model (world.py), with operations that are undone again in between; with saves in
between, and with kills after them. Each map must equal that of the model. Not compared are the opaque marks that a
layer shows before the save if both its image and its references were written. All runs use the tree without FUSE
(core.c).

MAPFS_TEST_SEED runs one sequence and prints its steps. MAPFS_TEST_SEQUENCES sets the number of sequences.
"""
import os
import random

import pytest

import box as boxes
import datafile
import places
import randommap
import share
import told
from core import CoreTree
from edits import Editor
from edits_base import play, run
from edits_media import canonical_png, ending
from graph import differences, map_shows, read_map, without_marks
from randommap import OPUS
from world import ENDINGS, Refused, World, means

SEED = os.environ.get("MAPFS_TEST_SEED")
SEQUENCES = int(os.environ.get("MAPFS_TEST_SEQUENCES", "0"))
STEPS, MAPS = 7, 40
SHUFFLES, DETOURS = 60, 4


class Steps(Editor):
    """Edits that also keep files under scratch names for a while."""
    WEIGHTS = dict(Editor.WEIGHTS, leave_backup=3, move_away=2, come_back=4, setting=1)

    def leave_backup(self):
        path = self.medium()
        data = self.content(path)
        self.do("mv", path, path + "~")
        self.do("put", path, data)

    def move_away(self):
        path = self.unreferenced_medium()
        self.do("mv", path, path + "~")

    def come_back(self):
        path = self.pick("%s/%s" % (sort, n) for sort in ENDINGS for n in self.world.places[sort]
                         if n.endswith("~"))
        sort, home = path.split("/")[0], path[:-1]
        to = self.fresh(sort, ending(home), self.kind(path))
        self.do("mv", path, self.rng.choice((to, home)) if self.may_return(path, home) else to)

    def may_return(self, path, home):
        d = self.world.places[home.split("/")[0]]
        return home.split("/")[1] in d and self.kind(home) == self.kind(path)

    def setting(self):
        self.do("put", "info/settings.cfg", b"sv_x %d\n" % self.rng.randrange(99))


class Ways:
    def __init__(self, core, seed, path, other):
        self.seed, self.path, self.rng = seed, path, random.Random(seed)
        self.tree, second = CoreTree(core, 0), CoreTree(core, 1)
        self.base = read_map(datafile.Datafile.load(path))
        self.tree.open(path)
        second.open(other)
        world = World(self.base)
        edits = Steps(world, self.tree, seed, (World(read_map(datafile.Datafile.load(other))), second))
        self.ends = []  # the end of each step as an index of operations
        try:
            for _ in range(STEPS):
                edits.step()
                self.ends.append(len(edits.done))
        except (OSError, RuntimeError) as e:
            self.fail("refused: %s" % e, edits.done)
        self.ops, self.want = edits.done, world.tree()
        self.straight = self.finish(world, edits.done, "")

    def fail(self, what, ops, how=""):
        pytest.fail("seed %d, %s\n%s\n%s\n%s" % (self.seed, os.path.basename(self.path), how, "\n".join(
            " ".join(w if isinstance(w, str) else repr(w[:40]) for w in words) for words in ops), what))

    def finish(self, world, ops, how):
        """The files, status, report and map at the end. The map must equal that of the model."""
        shown = told.tree(self.tree)
        status = self.tree.ask("status")[1]
        code, report = self.tree.end()
        if code not in (0, 5):
            self.fail("the unmount gives %d\n%s" % (code, report), ops, how)
        data = self.tree.map()
        try:
            built = world.build().base
            want, unmarked = built.shows()
            diff = differences(want, map_shows(datafile.Datafile(data), unmarked))
        except Exception as e:  # whatever the error is, the log of the steps is needed
            self.fail("it cannot be read: %r" % e, ops, how)
        if diff:
            self.fail("\n".join(diff[:8]), ops, how)
        for t in built.layers():
            path = "groups/%s/layers/%s/flags.csv" % (t.group.path, t.path)
            if t.repainted and path in shown:
                shown[path] = without_marks(shown[path])
        return {"files": shown, "status": status, "report": code, "lines": report, "map": data}

    def run_operations(self, ops, saves=(), kills=()):
        """Run the operations, with saves and kills before the given indices."""
        self.tree.open(self.path)
        world, log = World(self.base), []
        for i, words in enumerate(ops + [None]):
            try:
                if i in kills and is_journaled(world):
                    log.append(("# kill -9",))
                    self.tree.kill()
                if i in saves:
                    log.append(("# save",))
                    code, report = self.tree.save()
                    if code not in (0, 5):
                        self.fail("the save gives %d\n%s" % (code, report), log)
                    world.saved()
                if words:
                    log.append(words)
                    run(self.tree, words)
                    play(world, words)
            except OSError as e:
                self.fail("refused: %s" % e, log)
        return self.finish(world, log, ""), log

    def compare(self, want, way, how):
        got, log = way
        for what in want:
            if got[what] != want[what]:
                a, b = want[what], got[what]
                if isinstance(a, dict):
                    a = {p: a.get(p) for p in set(a) | set(b) if a.get(p) != b.get(p)}
                    b = {p: b.get(p) for p in a}
                if what == "map":
                    a, b = ["%r" % map_shows(datafile.Datafile(x)) for x in (a, b)]
                self.fail("%s:\n%.1500s\nand straight\n%.1500s" % (what, b, a), log, how)

    # ---- other ways to the same tree

    def leads_to_same_tree(self, ops):
        world = World(self.base)
        try:
            for words in ops:
                play(world, words)
        except (KeyError, FileExistsError, Refused):
            return False
        return world.tree() == self.want

    def shuffled(self, ops):
        for _ in range(SHUFFLES):
            new = list(ops)
            words = new.pop(self.rng.randrange(len(new)))
            new.insert(self.rng.randrange(len(new) + 1), words)
            if self.leads_to_same_tree(new):
                ops = new
        return ops

    def detour(self, ops):
        """Insert an operation and its reverse."""
        at = self.rng.randrange(len(ops) + 1)
        world = World(self.base)
        for words in ops[:at]:
            play(world, words)
        files = ["%s/%s" % (s, n) for s in ENDINGS for n in world.places[s] if means(s, n)]
        groups = ["groups/" + n for n in world.places["groups"]]
        kind = self.rng.randrange(6)
        more = [("put", "images/detour.png", canonical_png(self.rng)), ("rm", "images/detour.png")]
        if kind == 1:
            more = [("mkdir", "groups/1_detour"), ("rm", "groups/1_detour")]
        elif kind == 2:
            more = [("put", "sounds/detour.tmp", b"x"), ("rm", "sounds/detour.tmp")]
        elif kind == 3 and files:
            path = self.rng.choice(files)
            away = self.rng.choice((path + ".away~", path.split("/")[0] + "/9_detour" + ending(path)))
            more = [("mv", path, away), ("mv", away, path)]
        elif kind == 4:
            path = self.rng.choice([g for g in groups if "Game" not in g] or ["groups/none"])
            more = [("mv", path, "groups/1_detour"), ("mv", "groups/1_detour", path)]
        elif kind == 5 and at < len(ops) and ops[at][0] == "put" and ops[at][1].endswith((".png", ".opus")):
            path = ops[at][1]
            more = [("put", path, canonical_png(self.rng) if path.endswith(".png") else OPUS + b"detour")]
        return ops[:at] + more + ops[at:]

    def compare_ways(self):
        ops, rng = self.ops, self.rng
        self.compare(self.straight, self.run_operations(ops, kills={len(ops)}), "a kill at the end")
        self.compare(self.straight, self.run_operations(ops, kills={rng.randrange(len(ops)) for _ in range(3)}), "kills")
        other = self.shuffled(ops)
        for _ in range(DETOURS):
            new = self.detour(other)
            other = new if self.leads_to_same_tree(new) else other
        self.compare(self.straight, self.run_operations(other), "another way")
        self.compare(self.straight, self.run_operations(other, kills={rng.randrange(len(other) + 1)}),
                     "another way, and a kill")
        saves = set(rng.sample(self.ends[:-1], rng.randrange(1, 3)))
        if self.may_save(saves):
            saved, _ = self.run_operations(ops, saves)
            # A mount without a replay would assign new numbers.
            self.compare(saved, self.run_operations(ops, saves, {i + 1 for i in saves} | {len(ops)}),
                         "saves, and kills")

    def may_save(self, saves):
        """A save must not drop an object to which a later operation refers."""
        world = World(self.base)
        try:
            for i, words in enumerate(self.ops):
                if i in saves:
                    world.saved()
                play(world, words)
            world.build()
        except (KeyError, Refused):
            return False
        return True


def is_journaled(world):
    """The journal has no new files with scratch names."""
    return all(means(sort, n) or e.origin for sort in ENDINGS for n, e in world.places[sort].items())


@pytest.fixture(scope="module")
def maps():
    with places.in_memory() as d:
        out = [os.path.join(d, "random%d.map" % seed) for seed in range(MAPS)]
        for seed, path in enumerate(out):
            boxes.put(path, randommap.random_map(seed), os.O_WRONLY | os.O_CREAT)
        yield out


def test_all_ways_to_a_tree_give_one_map(core, maps):
    seeds = [int(SEED)] if SEED else range(1, (SEQUENCES or share.of(1000, 100)) + 1)
    for seed in seeds:
        Ways(core, seed, maps[seed % MAPS], maps[(seed * 7 + 3) % MAPS]).compare_ways()
