# SPDX-License-Identifier: Zlib
"""Edits of images, sounds and envelopes (edits.py)."""
import copy
import os

import layout
from edits_base import Base, Nothing
from graph import stem_of
from randommap import OPUS
from world import ENDINGS


def canonical_png(rng):
    w = rng.choice((16, 16, 32, 5))
    seed, alpha = rng.randrange(256), rng.choice((255, 255, 0, 120))
    return layout.png(w, w, b"".join(bytes(((x * seed) & 255, y * 9 & 255, seed, alpha))
                                     for y in range(w) for x in range(w)))


def ending(path):
    return os.path.splitext(path)[1]


class Media(Base):
    def content(self, path):
        """New content for a file of this name; an envelope keeps its kind."""
        if path.startswith("envelopes/"):
            return self.text(self.points(self.world.shows(path)))
        if path.endswith(".png"):
            return canonical_png(self.rng)
        n = self.rng.randrange(1000)
        if path.startswith("sounds/"):
            return OPUS + b"%d" % n if path.endswith(".opus") else b'{"external": true}'
        return b'{"external": true, "width": %d, "height": 1}' % (n + 1)

    def points(self, envelope):
        value = copy.deepcopy(envelope)
        points = value.get("points", [])
        if not points:
            raise Nothing
        if self.rng.random() < 0.3:
            points.pop(self.rng.randrange(len(points)))
        elif self.rng.random() < 0.5:
            points.append(dict(copy.deepcopy(points[-1]), time=points[-1]["time"] + 7))
        else:
            self.rng.choice(points)["values"][0] += 3
        return value

    def add_medium(self):
        sort = self.rng.choice(list(ENDINGS))
        if sort == "envelopes":
            like = self.medium(sort)
            path, data = self.fresh(sort, ".json", self.kind(like)), self.read(like)
        else:
            path = self.fresh(sort, self.rng.choice((".png", ".png", ".json"))
                              if sort == "images" else ".opus")
            data = self.content(path)
        self.do("put", path, data)

    def unreferenced_medium(self, *sorts):
        path = self.medium(*sorts)
        if not self.is_free(path):
            raise Nothing
        return path

    def remove_medium(self):
        self.do("rm", self.unreferenced_medium())

    def make_again(self):
        """Make a file at the path of a removed object, which gives its identity and its references back."""
        sort = self.rng.choice(list(ENDINGS))
        d = self.world.places[sort]
        stems = {stem_of(sort, n) for n in d}
        name, t = self.pick((n, t) for n, t in d.left.items() if stem_of(sort, n) not in stems)
        path = "%s/%s" % (sort, name)
        if ending(t.path) != ending(name):
            raise Nothing
        self.do("put", path, self.text(self.points(t.content[""])) if sort == "envelopes"
                else self.content(path))

    def rename_medium(self):
        path = self.unreferenced_medium()
        self.do("mv", path, self.fresh(path.split("/")[0], ending(path), self.kind(path)))

    def rename_back(self):
        """Rename a file to the path that its object has in the base."""
        path = self.unreferenced_medium()
        origin = self.world.entry(path).origin
        if not origin:
            raise Nothing
        home = "%s/%s" % (origin.sort, origin.path)
        stems = {stem_of(origin.sort, n) for n in self.world.places[origin.sort]}
        if origin.stem() in stems or ending(home) != ending(path):
            raise Nothing
        self.do("mv", path, home)

    def pick_two(self, *sorts):
        """Two files, one of which may replace the other."""
        a = self.medium(*sorts)
        b = self.pick(p for p in self.media(a.split("/")[0]) if p != a and self.is_plain(p)
                      and ending(p) == ending(a) and self.kind(p) == self.kind(a))
        return a, b

    def swap_media(self):
        """Exchange two files through a third name. References keep their paths."""
        a, b = self.pick_two()
        third = a.split("/")[0] + "/swap.tmp"
        self.do("mv", a, third)
        self.do("mv", b, a)
        self.do("mv", third, b)

    def rename_over(self):
        a, b = self.pick_two()
        if not self.is_free(b):
            raise Nothing
        self.do("mv", b, a)

    def temporary(self):
        path = self.medium()
        data = self.content(path)
        self.do("put", path.split("/")[0] + "/.t", data)
        self.do("mv", path.split("/")[0] + "/.t", path)

    def backup(self):
        path = self.medium()
        data = self.content(path)
        self.do("mv", path, path + "~")
        self.do("put", path, data)
        self.do("rm", path + "~")

    def split(self):
        """Move a file to another valid name, and write a new file at the old one."""
        path = self.medium()
        to, data = self.fresh(path.split("/")[0], ending(path), self.kind(path)), self.content(path)
        self.do("mv", path, to)
        self.do("put", path, data)

    def write_medium(self):
        path = self.medium()
        self.do("put", path, self.content(path))

    def write_other_form(self):
        """Replace an embedded image by an external one, or the reverse."""
        path = self.medium("images")
        to = os.path.splitext(path)[0] + (".json" if path.endswith(".png") else ".png")
        self.do("put", to, self.content(to))
