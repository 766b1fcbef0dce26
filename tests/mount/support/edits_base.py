# SPDX-License-Identifier: Zlib
"""Functions that all edits of a tree and its model share (edits.py)."""
import json
import os
import random

from core import remove
from graph import CHANNELS, KEYS, MEDIA, parsed, read, same, stem_of, without_marks
from world import ENDINGS, means

NAMES = ["moon", "a b", "ü", "x%y", "45_z", "dots.a", "Front2", "", "", "same", "%2Fetc"]


class Nothing(Exception):
    """The map has no object for this edit."""


class Base:
    def __init__(self, world, tree, seed, other=None):
        """`other` is (world, tree) of a second mounted map to copy from, or None."""
        self.world, self.tree, self.other = world, tree, other
        self.rng = random.Random(seed)
        self.log = []   # for people
        self.done = []  # the words of each operation

    # ---- the objects of the map

    def pick(self, things):
        things = list(things)
        if not things:
            raise Nothing
        return self.rng.choice(things)

    def medium(self, *sorts):
        # An embedded image that mapfs cannot show has a file that a new image may not have.
        return self.pick(p for s in sorts or ENDINGS for p in self.media(s) if self.is_plain(p))

    def media(self, sort, world=None):
        return ["%s/%s" % (sort, n) for n in (world or self.world).places[sort] if means(sort, n)]

    def is_plain(self, path, world=None):
        value = (world or self.world).shows(path)
        return not isinstance(value, dict) or path.startswith("envelopes/") or value["external"] == 1

    def is_free(self, path):
        """May the object move away or disappear? The written references of a new object need its name."""
        sort, name = path.split("/")
        stem = stem_of(sort, name)
        return any(stem == t.stem() for t in self.world.base[sort]) or \
            (sort, stem) not in self.world.names()

    def kind(self, path):
        """The kind of an envelope, which an edit must keep."""
        return kind_of(self.world.shows(path)) if path.startswith("envelopes/") else None

    def groups(self):
        return ["groups/" + n for n in self.world.places["groups"]]

    def layers(self, group=None, world=None):
        groups = [group] if group else ["groups/" + n for n in (world or self.world).places["groups"]]
        return ["%s/layers/%s" % (g, n) for g in groups for n in (world or self.world).entry(g).layers]

    def main(self, layer, world=None):
        return (world or self.world).shows(layer + "/layer.json")

    def is_physics(self, layer):
        main = self.main(layer)
        return main.get("type") == 2 and main.get("kind") != 0

    def is_game(self, group):
        return any(map(self.is_physics, self.layers(group)))

    def files(self, layer, world=None):
        """The names of the files of a layer."""
        entry = (world or self.world).entry(layer)
        return sorted(set(entry.files) | set(entry.origin.content if entry.origin else ()))

    # ---- names

    def fresh(self, folder, ending="", kind=None):
        """An unused path in a folder, unused in every form."""
        sort = os.path.basename(folder)
        there = self.world.at(folder + "/x")[0]
        known = {stem_of(sort, n) for n in there}
        for _ in range(50):
            name = self.rng.choice(NAMES)
            number = self.rng.choice(("", "%d" % self.rng.randrange(len(there) + 2),
                                      "%02d" % self.rng.randrange(len(there) + 2)))
            stem = number + "_" + name if number and name else number + name
            if not stem or (sort in MEDIA and not name) or len(parsed(stem, sort)[1]) > 11:
                continue
            if stem not in known and self.may_stand(sort, there, stem, ending, kind):
                return "%s/%s%s" % (folder, stem, ending)
        raise Nothing

    @staticmethod
    def may_stand(sort, there, stem, ending, kind):
        """May a new file get this name, and so the identity of the object that had it?"""
        for t in [t for n, t in list(there.home.items()) + list(there.left.items())
                  if stem_of(sort, n) == stem]:
            if sort == "sounds" and os.path.splitext(t.path)[1] != ending:
                return False
            if sort == "envelopes" and kind_of(t.content[""]) != kind:
                return False
        return True

    # ---- the tree

    def do(self, *words):
        """Do an operation on the mount and in the model."""
        self.log.append(" ".join(w if isinstance(w, str) else "(%d bytes)" % len(w) for w in words))
        self.done.append(words)
        run(self.tree, words)
        play(self.world, words)

    def read(self, path):
        """Read a file and compare it with the model."""
        data = self.tree.get(path)
        self.log.append("cat " + path)
        why = untrue(self.world, path, data)
        if why:
            raise RuntimeError(why)
        return data

    def text(self, value):
        return json.dumps(value, ensure_ascii=False).encode()

    def fits(self, key, path):
        """May a reference with this key name the file? An envelope without a name fits the key of its channels
        only."""
        return not path.startswith("envelopes/") or self.world.shows(path)["channels"] == CHANNELS[key]

    def stems(self, key):
        """All names that a reference with this key may have."""
        sort = KEYS[key]
        return [stem_of(sort, p.split("/")[1]) for p in self.media(sort) if self.fits(key, p)]


def kind_of(envelope):
    """The properties that a new text must share, because a text of another version, or without tangents, would keep
    old values."""
    return envelope["channels"], envelope["version"], any(
        "in_tangent_dx" in p for p in envelope.get("points", []))


def run(tree, words):
    what, path, *rest = words
    if what == "rm":
        remove(tree, path)
        return
    try:
        {"put": tree.put, "mv": tree.rename, "mkdir": tree.mkdir}[what](path, *rest)
    except FileExistsError:
        # A mandatory directory may or may not exist for the process that makes its parent.
        if not path.endswith("/layers"):
            raise


def play(world, words):
    what, *rest = words
    {"put": world.put, "mv": world.rename, "mkdir": world.mkdir, "rm": world.remove}[what](*rest)


def untrue(world, path, data):
    want, got = world.shows(path), read(data)
    entry = world.entry(path)
    if path.endswith("flags.csv") and "flags.csv" not in entry.files:
        want, got = without_marks(want), without_marks(got)
    return "" if same(path, want, got) else "%s has\n%.600r\nexpected\n%.600r" % (
        path, got, want)
