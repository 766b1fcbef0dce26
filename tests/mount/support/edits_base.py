# SPDX-License-Identifier: Zlib
"""What edits of a tree and of its model have in common (edits.py)."""
import json
import os
import random

from core import remove
from graph import CHANNELS, KEYS, MEDIA, parsed, read, same, stem_of, without_marks
from world import ENDINGS, means

NAMES = ["moon", "a b", "ü", "x%y", "45_z", "dots.a", "Front2", "", "", "same", "%2Fetc"]


class Nothing(Exception):
    """There is nothing to do this with."""


class Base:
    def __init__(self, world, tree, seed, other=None):
        """other: (world, tree) of a second mounted map to copy from."""
        self.world, self.tree, self.other = world, tree, other
        self.rng = random.Random(seed)
        self.log = []   # for people
        self.done = []  # words of each operation

    # ---- what there is

    def pick(self, things):
        things = list(things)
        if not things:
            raise Nothing
        return self.rng.choice(things)

    def medium(self, *sorts):
        # An embedded image that cannot be shown has a file that no new image may have.
        return self.pick(p for s in sorts or ENDINGS for p in self.media(s) if self.is_plain(p))

    def media(self, sort, world=None):
        return ["%s/%s" % (sort, n) for n in (world or self.world).places[sort] if means(sort, n)]

    def is_plain(self, path, world=None):
        value = (world or self.world).shows(path)
        return not isinstance(value, dict) or path.startswith("envelopes/") or value["external"] == 1

    def is_free(self, path):
        """What no map has yet is known by its name alone: none that was written needs this one."""
        sort, name = path.split("/")
        stem = stem_of(sort, name)
        return any(stem == t.stem() for t in self.world.base[sort]) or \
            (sort, stem) not in self.world.names()

    def kind(self, path):
        """What an envelope is stays."""
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
        """Names of those that it has."""
        entry = (world or self.world).entry(layer)
        return sorted(set(entry.files) | set(entry.origin.content if entry.origin else ()))

    # ---- names

    def fresh(self, folder, ending="", kind=None):
        """A path of a folder at which nothing stands, in any form."""
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
        """Whose place would it take?"""
        for t in [t for n, t in list(there.home.items()) + list(there.left.items())
                  if stem_of(sort, n) == stem]:
            if sort == "sounds" and os.path.splitext(t.path)[1] != ending:
                return False
            if sort == "envelopes" and kind_of(t.content[""]) != kind:
                return False
        return True

    # ---- the tree

    def do(self, *words):
        """On the mount, and in the model."""
        self.log.append(" ".join(w if isinstance(w, str) else "(%d bytes)" % len(w) for w in words))
        self.done.append(words)
        run(self.tree, words)
        play(self.world, words)

    def read(self, path):
        """A file's bytes; they have to say what the model says."""
        data = self.tree.get(path)
        self.log.append("cat " + path)
        why = untrue(self.world, path, data)
        if why:
            raise RuntimeError(why)
        return data

    def text(self, value):
        return json.dumps(value, ensure_ascii=False).encode()

    def fits(self, key, path):
        """May it be referred to so? An envelope without a name is one of these channels."""
        return not path.startswith("envelopes/") or self.world.shows(path)["channels"] == CHANNELS[key]

    def stems(self, key):
        """All that a reference may name."""
        sort = KEYS[key]
        return [stem_of(sort, p.split("/")[1]) for p in self.media(sort) if self.fits(key, p)]


def kind_of(envelope):
    """A text of another version, or without tangents, would leave what it does not say as it was."""
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
        # What is always in a directory may be there for the process that makes it, or not.
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
    return "" if same(path, want, got) else "%s says\n%.600r\nand is meant to say\n%.600r" % (
        path, got, want)
