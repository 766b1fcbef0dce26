# SPDX-License-Identifier: Zlib
"""One sequence of edits, saved in several ways, is one map: straight; with a kill -9 in between, or behind
it; with saves in between; and with both.

The edits are chosen on the straight way, and done again on the others, on the tree without FUSE (core.c).
The paths of a mount hold still (DESIGN section 4, rule 1), through a kill too, as long as nothing was saved;
so after a save a kill comes last. What the maps hold is read by expect.py, which shares nothing with mapfs.

Left out, since the ways are known to differ there:
- Objects that are new or moved, and stand between the same two others, may change places by a save and a
  kill: the journal says before which object of the saved map each stands. Where that may be (is_ordered), what
  the map holds is compared without the order.
- What was removed, left out by a save, and made again: the saved map has no reference to it any more, and after
  a kill the new mount knows of none.
- A new file that moves to a scratch name and stays there, or is removed there: of that the journal says
  nothing, and after a kill it is there again.
- A swap through a third name with a save in the middle: no save is there.
- A file that is renamed over one that was made or renamed since the mount: what no saved map has makes room
  for what has a place in one (DESIGN rule 4 speaks of old paths), and after a save it is in one.
- A reference to what has a new number, or became another object (a file at whose old path something else was
  made): after a save and a kill the name is taken for that of the saved map, or is a draft.
- Envelopes keep their channels: what refers to one of others is a draft.

MAPFS_TEST_SEED runs one sequence and tells its steps, MAPFS_TEST_SEQUENCES asks for another number.
"""
import json
import os
import random

import pytest

import box as boxes
import datafile
import places
import randommap
import share
from core import CoreTree, files_below, remove
from graph import differences, each_reference, map_shows
from randommap import OPUS
from told import plain
from words import numbers

SEED = os.environ.get("MAPFS_TEST_SEED")
SEQUENCES = int(os.environ.get("MAPFS_TEST_SEQUENCES", "0"))
STEPS, MAPS = 7, 40
NAMES = ["lamp", "moon", "a b", "ü", "45_z", "same"]
MEDIA = {"images": ".json", "sounds": ".opus", "envelopes": ".json"}


class Nothing(Exception):
    """There is nothing to do this with."""


class Edits:
    """Random edits of a tree, and what they were: [[words of an operation, ...], ...]."""

    def __init__(self, seed, tree):
        self.rng, self.tree = random.Random(seed), tree
        self.steps, self.step = [], None
        self.contents = seed * 1000
        self.backups = {}   # path: the step that made it
        self.needed = []    # (step that made a backup, step that uses it): no kill in between
        self.refused = []
        self.homes = {}     # stem of a path: that of the same object at the mount
        self.channels = {}  # stem of an envelope's path that was left: they cannot be changed
        self.split = set()  # stems of renamed files that became other objects
        self.removed = {}   # stem of a path: the step
        self.made_again = []  # (step that removed it, step that made it): no save in between
        self.placed = []    # (step, directory, path): new or moved to there

    # ---- operations

    def do(self, *words):
        self.step.append(words)
        self.note(*words)
        try:
            run(self.tree, words)
        except OSError as e:
            self.refused.append((len(self.steps), len(self.step), e.errno))

    def note(self, what, path, *rest):
        """Which objects get a place by it."""
        if what == "mv":
            for p in (path, rest[0]):
                if not p.endswith(("~", "/.t")):
                    self.placed.append((len(self.steps), os.path.dirname(p), p))
        elif what == "mkdir" or what == "put" and os.path.dirname(path) in MEDIA and \
                os.path.basename(path) not in self.tree.list(os.path.dirname(path)):
            self.placed.append((len(self.steps), os.path.dirname(path), path))

    def one(self):
        self.step = []
        while not self.step:
            try:
                self.rng.choice(self.KINDS)(self)
            except Nothing:
                pass
        self.steps.append(self.step)

    # ---- what there is

    def files(self, sort):
        return [n for n in self.tree.list(sort) if n.endswith((".json", ".opus", ".png"))
                and n[0] != "."]

    def pick(self, things):
        if not things:
            raise Nothing
        return self.rng.choice(things)

    def medium(self):
        sort = self.pick(list(MEDIA))
        return sort, "%s/%s" % (sort, self.pick(self.files(sort)))

    def groups(self):
        return ["groups/" + n for n in self.tree.list("groups")]

    def layers(self):
        return [g + "/layers/" + n for g in self.groups() if self.tree.is_dir(g + "/layers")
                for n in self.tree.list(g + "/layers")]

    def plain(self, layer):
        """Is it none that the game needs?"""
        try:
            value = numbers(json.loads(self.tree.get(layer + "/layer.json")))
        except (OSError, ValueError):
            return False
        return not value.get("kind")

    def layer(self):
        return self.pick([x for x in self.layers() if self.plain(x)])

    def leave(self, stem):
        """Something stands there no more."""
        self.used.add(stem)
        for file in (stem + ".json",) if stem.startswith("envelopes/") else ():
            try:
                self.channels[stem] = json.loads(self.tree.get(file))["channels"]
            except (OSError, ValueError):
                pass

    def content(self, sort, path=None):
        self.contents += 1
        n = self.contents % 1_000_000
        if sort == "images":
            return b'{"external": 1, "width": %d, "height": 1}' % (n + 1)
        if sort == "sounds":
            return OPUS + b"%d" % n
        channels = self.channels.get(path and os.path.splitext(path)[0], 3)
        if path and os.path.basename(path) in self.tree.list(sort):
            try:
                channels = json.loads(self.tree.get(path))["channels"]
            except (OSError, ValueError, KeyError):
                raise Nothing from None
        return (b'{"channels": %d, "points": [{"time": %d, "curve_type": 1, '
                b'"values": [0, 0, 0, 0]}]}' % (channels, n))

    def fresh(self, folder, ending=""):
        """A name that nothing has, or had under either ending."""
        there = self.tree.list(folder)
        for _ in range(20):
            number = self.rng.choice(("", "%d_" % self.rng.randrange(len(there) + 3)))
            stem = number + self.rng.choice(NAMES)
            path = "%s/%s" % (folder, stem)
            if path not in self.used and not any(os.path.splitext(n)[0] == stem for n in there):
                self.used.add(path)
                return path + ending
        raise Nothing

    # ---- edits

    used = mounted = frozenset()

    def old(self, sort, ending):
        """A file at a path of the mount."""
        return self.pick([p for p in ("%s/%s" % (sort, n) for n in self.files(sort))
                          if os.path.splitext(p)[1] == ending and os.path.splitext(p)[0] in self.mounted])

    def make(self):
        sort = self.pick(list(MEDIA))
        self.do("put", self.fresh(sort, MEDIA[sort]), self.content(sort))

    def write(self):
        sort, path = self.medium()
        if path.endswith(".png"):
            raise Nothing
        self.do("put", path, self.content(sort, path))

    def setting(self):
        self.contents += 1
        self.do("put", "info/settings.cfg", b"sv_x %d\n" % self.contents)

    def rename(self):
        sort, path = self.medium()
        old, to = os.path.splitext(path)[0], self.fresh(sort, os.path.splitext(path)[1])
        self.leave(old)
        self.homes[os.path.splitext(to)[0]] = self.homes.pop(old, old)
        self.do("mv", path, to)

    def rename_over(self):
        sort, path = self.medium()
        other = self.old(sort, os.path.splitext(path)[1])
        if other == path:
            raise Nothing
        self.do("mv", path, other)

    def again(self):
        """Something new where something was."""
        sort, ending = self.pick(list(MEDIA.items()))
        gone = sorted(p for p in self.used if p.startswith(sort + "/") and
                      not any(os.path.splitext(n)[0] == os.path.basename(p) for n in self.tree.list(sort)))
        path = self.pick(gone)
        if path in self.removed:
            self.made_again.append((self.removed.pop(path), len(self.steps)))
        self.returns(path)
        self.do("put", path + ending, self.content(sort, path + ending))

    def returns(self, home):
        """Something comes there: the file that was renamed from there becomes another object."""
        for stem, was in list(self.homes.items()):
            if was == home:
                del self.homes[stem]
                self.split.add(stem)
                self.placed.append((len(self.steps), os.path.dirname(stem), stem))

    def is_ordered(self, since):
        """At most one object of a directory got a place in these steps."""
        places = {(folder, path) for step, folder, path in self.placed if step >= since}
        return len(places) == len({folder for folder, _ in places})

    def temporary(self):
        sort, path = self.medium()
        if path.endswith(".png"):
            raise Nothing
        content = self.content(sort, path)
        self.do("put", sort + "/.t", content)
        self.do("mv", sort + "/.t", path)

    def backup(self):
        sort, path = self.medium()
        if path.endswith(".png"):
            raise Nothing
        content = self.content(sort, path)
        self.do("mv", path, path + "~")
        self.do("put", path, content)
        self.backups[path + "~"] = len(self.steps)

    def come_back(self):
        path = self.pick(sorted(p for p in self.backups
                                if os.path.basename(p) in self.tree.list(os.path.dirname(p))))
        sort, ending = os.path.dirname(path), os.path.splitext(path[:-1])[1]
        to = self.rng.choice((self.fresh(sort, ending), path[:-1]))
        self.returns(os.path.splitext(to)[0])
        self.needed.append((self.backups.pop(path), len(self.steps)))
        self.do("mv", path, to)

    def swap(self):
        sort, a = self.medium()
        ending = os.path.splitext(a)[1]
        b = self.old(sort, ending)
        if a == b or os.path.splitext(a)[0] not in self.mounted or ending == ".png":
            raise Nothing
        third = self.rng.choice((sort + "/.t", a + "~", self.fresh(sort, ending)))
        self.do("mv", a, third)
        self.do("mv", b, a)
        self.do("mv", third, b)

    def remove(self):
        path = self.medium()[1]
        stem = os.path.splitext(path)[0]
        self.leave(stem)
        for p in (stem, self.homes.pop(stem, stem)):
            self.removed[p] = len(self.steps)
        self.do("rm", path)

    def remove_layer(self):
        self.do("rm", self.layer())

    def move_layer(self):
        group = self.pick([g for g in self.groups() if self.tree.is_dir(g + "/layers")])
        self.do("mv", self.layer(), self.fresh(group + "/layers"))

    def move_group(self):
        self.do("mv", self.pick(self.groups()), self.fresh("groups"))

    def copy(self, path, to):
        self.do("mkdir", to)
        made = {to}
        for file, data in files_below(self.tree, path):
            inner = file[len(path) + 1:]
            parts = inner.split("/")
            for i in range(1, len(parts)):
                above = to + "/" + "/".join(parts[:i])
                if above not in made:
                    made.add(above)
                    if not self.tree.is_dir(above):
                        self.do("mkdir", above)
            if data is not None:
                self.do("put", to + "/" + inner, data)

    def copy_layer(self):
        layer = self.layer()
        self.copy(layer, self.fresh(os.path.dirname(layer)))

    def copy_group(self):
        group = self.pick([g for g in self.groups() if all(
            self.plain(x) for x in self.layers() if x.startswith(g + "/"))])
        self.copy(group, self.fresh("groups"))

    def refer(self):
        layer = self.layer()
        try:
            value = numbers(json.loads(self.tree.get(layer + "/layer.json")))
        except (OSError, ValueError):
            raise Nothing from None
        if "image" not in value:
            raise Nothing
        stems = ["images/" + os.path.splitext(n)[0] for n in self.files("images")]
        value["image"] = self.pick([s for s in stems if s in self.mounted or not (
            s in self.split or s[7].isdigit())])[7:]
        self.do("put", layer + "/layer.json", json.dumps(value, ensure_ascii=False).encode())

    KINDS = [make, make, write, setting, rename, rename, rename_over, again, again, temporary, backup,
             backup, come_back, swap, remove, remove_layer, move_layer, move_layer, move_group,
             copy_layer, copy_group, refer]


def run(tree, words):
    what, *rest = words
    if what == "put":
        tree.put(*rest)
    elif what == "mv":
        tree.rename(*rest)
    elif what == "mkdir":
        # What is always in a directory may be there for the process that makes it, or not.
        try:
            tree.mkdir(*rest)
        except FileExistsError:
            pass
    else:
        remove(tree, *rest)


def plain_envelopes(shown):
    """Whether they have tangents is the map's, and a save may settle it: zeros are none."""
    def points(envelope):
        return [{k: v for k, v in p.items() if "tangent" not in k or any(v)}
                for p in envelope["points"]]
    return {path: dict(value, points=points(value), version=0) if path.startswith("envelopes/") else value
            for path, value in shown.items()}


def unordered(shown):
    """What a map shows, without the order of its objects: {path without numbers: contents}."""
    names = {}

    def name(_, value):
        if isinstance(value, int) or value is None:
            return value
        return "" if value.isdigit() else plain("groups/" + value)[7:]
    for path, value in shown.items():
        names.setdefault(plain(path), []).append(repr(each_reference(value, name)))
    return {path: sorted(values) for path, values in names.items()}


def line(words):
    return " ".join(w if isinstance(w, str) else repr(w)[:60] for w in words)


class Ways:
    def __init__(self, core, seed, path):
        self.core, self.seed, self.path = core, seed, path
        self.tree = CoreTree(core, 0)
        self.tree.open(path)
        self.edits = Edits(seed, self.tree)
        self.edits.used = set()
        self.edits.mounted = {"%s/%s" % (s, os.path.splitext(n)[0])
                              for s in MEDIA for n in self.tree.list(s)}
        for _ in range(STEPS):
            self.edits.one()
        self.straight = self.end()

    def end(self):
        code, report = self.tree.end()
        if code not in (0, 5):
            self.wrong("the end gives %d\n%s" % (code, report), [], [])
        data = self.tree.map()
        try:
            return map_shows(datafile.Datafile(data))
        except Exception as e:  # whatever is wrong with it, the steps are what one needs to know
            self.wrong("it cannot be read: %r" % e, [], [])

    def log(self, saves, kills):
        out = []
        for i, step in enumerate(self.edits.steps + [[]]):
            out += ["# save"] * (i in saves) + ["# kill -9"] * (i in kills) + [line(w) for w in step]
        return out

    def wrong(self, what, saves, kills):
        pytest.fail("seed %d, %s\n%s\n%s" % (
            self.seed, os.path.basename(self.path), "\n".join(self.log(saves, kills)), what))

    def compare(self, saves=(), kills=()):
        """saves, kills: before which steps."""
        self.tree.open(self.path)
        refused = []
        for i, step in enumerate(self.edits.steps + [[]]):
            if i in saves:
                code, report = self.tree.save()
                if code not in (0, 5):
                    self.wrong("the save gives %d\n%s" % (code, report), saves, kills)
            if i in kills:
                try:
                    self.tree.kill()
                except OSError as e:
                    self.wrong("the journal cannot be replayed: %s" % e, saves, kills)
            for at, words in enumerate(step):
                try:
                    run(self.tree, words)
                except OSError as e:
                    refused.append((i, at + 1, e.errno))
        if refused != self.edits.refused:
            self.wrong("refused is %s, and straight %s" % (refused, self.edits.refused), saves, kills)
        want, got = plain_envelopes(self.straight), plain_envelopes(self.end())
        if saves and kills and not self.edits.is_ordered(saves[-1]):
            want, got = unordered(want), unordered(got)
        diff = differences(want, got)
        if diff:
            self.wrong("\n".join(diff[:8]), saves, kills)

    def all(self):
        rng, steps = random.Random(self.seed), len(self.edits.steps)
        self.compare(kills=[steps])
        at = rng.randrange(1, steps)
        if not any(a < at <= b for a, b in self.edits.needed):
            self.compare(kills=[at])
        saves = sorted((rng.randrange(1, steps), rng.randrange(1, steps)))
        self.compare(saves=saves[:1])
        if not any(a < at <= b for a, b in self.edits.made_again for at in saves):
            self.compare(saves=saves[:1], kills=[steps])
            self.compare(saves=saves, kills=[steps])


@pytest.fixture(scope="module")
def maps():
    with places.in_memory() as d:
        out = [os.path.join(d, "random%d.map" % seed) for seed in range(MAPS)]
        for seed, path in enumerate(out):
            boxes.put(path, randommap.random_map(seed), os.O_WRONLY | os.O_CREAT)
        yield out


def test_all_ways_to_save_lead_to_one_map(core, maps):
    seeds = [int(SEED)] if SEED else range(1, (SEQUENCES or share.of(3000, 200)) + 1)
    for seed in seeds:
        Ways(core, seed, maps[seed % MAPS]).all()
