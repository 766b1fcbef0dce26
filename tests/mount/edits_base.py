# SPDX-License-Identifier: Zlib
"""What edits of a tree and of its model have in common (edits.py)."""
import json
import os
import random

from core import remove
from graph import LISTS, MEDIA, Thing, each_reference, is_json, parsed
from words import numbers

NAMES = ["lamp", "a b", "ü", "x%y", "45_z", "dots.a", "Front2", "", "", "same", "%2Fetc"]


class Nothing(Exception):
    """There is nothing to do this with."""


def is_tiles(layer):
    return layer.content["layer.json"].get("type") == 2


def is_physics(layer):
    return is_tiles(layer) and layer.content["layer.json"].get("kind") != 0


class Base:
    def __init__(self, world, tree, seed, other=None):
        """other: (world, tree) of a second mounted map to copy from."""
        self.world, self.tree, self.other = world, tree, other
        self.rng = random.Random(seed)
        self.log = []

    # ---- what there is

    def pick(self, things, fits=lambda t: True):
        things = [t for t in things if t.alive() and not t.locked and fits(t)]
        if not things:
            raise Nothing
        return self.rng.choice(things)

    def medium(self, *sorts):
        # An embedded image that cannot be shown has a file that no new image may have.
        return self.pick([t for s in sorts or LISTS[:3] for t in getattr(self.world, s)],
                         self.is_plain)

    @staticmethod
    def is_plain(t):
        return (t.sort == "envelopes" or not is_json(t.path)
                or numbers(json.loads(t.content)).get("external") == 1)

    def layer(self, fits=lambda t: True):
        return self.pick(self.world.all_layers(), fits)

    def group(self, fits=lambda t: True):
        return self.pick(self.world.groups, fits)

    def is_game(self, group):
        return any(is_physics(x) and x.alive() for x in group.layers)

    def next(self):
        self.world.seq += 1
        return self.world.seq

    # ---- names

    def taken(self, sort, parent, path):
        """Something stands there, or did since the mount, under either ending."""
        stem = path if sort in ("groups", "layers") else os.path.splitext(path)[0]
        here = parent.layers if sort == "layers" else getattr(self.world, sort)
        known = [t.stem() for t in here]
        known += [os.path.splitext(t.home)[0] if sort not in ("groups", "layers") else t.home
                  for t in self.everything() if t.home and t.sort == sort
                  and (sort != "layers" or t.home_parent is parent)]
        return stem in known or (sort, id(parent), stem) in self.world.used

    def everything(self):
        return [t for s in LISTS for t in getattr(self.world, s)] + self.world.all_layers() + \
            self.world.left

    def fresh(self, sort, parent=None, ending=""):
        """A path at which nothing stands or stood."""
        count = len(parent.layers if sort == "layers" else getattr(self.world, sort))
        for _ in range(50):
            name = self.rng.choice(NAMES)
            number = self.rng.choice(("", "%d" % self.rng.randrange(count + 2),
                                      "%02d" % self.rng.randrange(count + 2)))
            stem = number + "_" + name if number and name else number + name
            if not stem or (sort in MEDIA and not name):
                continue
            if len(parsed(stem, sort)[1]) > 11 or self.taken(sort, parent, stem + ending):
                continue
            return stem + ending
        raise Nothing

    def make(self, sort, path, content, parent=None):
        t = Thing(sort, path, content, parent)
        t.goes(path, parent, self.next())
        (parent.layers if sort == "layers" else getattr(self.world, sort)).append(t)
        self.use(t)
        return t

    def use(self, t):
        self.world.used.add((t.sort, id(t.parent), t.stem()))

    # ---- the tree

    def tell(self, *words):
        self.log.append(" ".join(str(w) for w in words))

    def put(self, path, data):
        self.tell("put", path, "(%d bytes)" % len(data))
        self.tree.put(path, data)

    def text(self, value):
        """JSON as the mount takes it, with the stems that its own files show."""
        def stem(_, v):
            return v.known if isinstance(v, Thing) else v
        return json.dumps(each_reference(value, stem), ensure_ascii=False).encode()

    def rename(self, old, new):
        self.tell("mv", old, new)
        self.tree.rename(old, new)

    def remove(self, path):
        self.tell("rm -r", path)
        remove(self.tree, path)

    def mkdir(self, path):
        self.tell("mkdir", path)
        self.tree.mkdir(path)

    def mkdir_group(self, path):
        """What stands in it from the begin may not be there for the process that makes it."""
        self.mkdir(path)
        try:
            self.tree.mkdir(path + "/layers")
        except FileExistsError:
            pass

    def has_lost(self, things):
        """A file of theirs names something that is gone: what a copy of it means is not settled."""
        lost = []

        def look(_, v):
            if isinstance(v, Thing) and not v.alive():
                lost.append(v)
            return v
        for t in things:
            each_reference([v for k, v in t.content.items() if is_json(k)], look)
        return bool(lost)

