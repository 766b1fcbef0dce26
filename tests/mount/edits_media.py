# SPDX-License-Identifier: Zlib
"""Edits of images, sounds and envelopes (edits.py)."""
import copy
import os

import layout
from edits_base import Base, Nothing
from graph import LISTS


def canonical_png(rng):
    w = rng.choice((16, 16, 32, 5))
    seed, alpha = rng.randrange(256), rng.choice((255, 255, 0, 120))
    return layout.png(w, w, b"".join(bytes(((x * seed) & 255, y * 9 & 255, seed, alpha))
                                     for y in range(w) for x in range(w)))


class Media(Base):
    def add_medium(self):
        sort = self.rng.choice(LISTS[:3])
        if sort == "images":
            path, data = self.fresh(sort, ending=".png"), canonical_png(self.rng)
        else:
            like = self.medium(sort)
            ending = os.path.splitext(like.path)[1]
            path, data = self.fresh(sort, ending=ending), like.content
        if sort == "envelopes":
            data = copy.deepcopy(data)
        t = self.make(sort, path, data)
        self.put(t.where(), self.text(data[""]) if sort == "envelopes" else data)

    def old_medium(self):
        """One that the map has: what no map has yet is known to files by its name alone, until the save."""
        t = self.medium()
        if not t.home:
            raise Nothing
        return t

    def remove_medium(self):
        t = self.old_medium()
        self.remove(t.where())
        t.gone = True

    def make_again(self):
        """What was removed comes back with the file at its path, and what referred to it too."""
        gone = [t for s in LISTS[:3] for t in getattr(self.world, s)
                if t.gone and t.home and t.path == t.home]
        if not gone:
            raise Nothing
        t = self.rng.choice(gone)
        self.put(t.where(), self.text(t.content[""]) if t.sort == "envelopes" else t.content)
        t.gone = False

    def rename_medium(self):
        t = self.old_medium()
        path = self.fresh(t.sort, ending=os.path.splitext(t.path)[1])
        old = t.where()
        t = self.leaves(t)
        t.goes(path, None, self.next())
        self.use(t)
        self.rename(old, t.where())

    def leaves(self, t):
        """A file that was renamed over t's leaves that path: then it is again what it came from."""
        over = t.over
        if not over:
            return t
        if not over.gone:
            raise Nothing
        t.over = over.over = None
        over.content, over.gone, t.gone = t.content, False, True
        self.repaint(over)
        return over

    def rename_back(self):
        moved = [t for s in LISTS[:3] for t in getattr(self.world, s) if t.home != t.path]
        t = self.pick(moved, lambda t: t.home and not any(
            o is not t and o.alive() and o.sort == t.sort and o.path == t.home
            for o in self.everything()))
        old = t.where()
        t.goes(t.home, None, self.next())
        self.rename(old, t.where())

    def swap_media(self):
        """Through a third name: what refers to a path refers to it still."""
        a = self.medium()
        ending = os.path.splitext(a.path)[1]
        at_home = lambda t: (t.path == t.home and not t.over  # noqa: E731
                             and os.path.splitext(t.path)[1] == ending)
        if not at_home(a):
            raise Nothing
        b = self.pick(getattr(self.world, a.sort), lambda t: t is not a and at_home(t)
                      and self.is_plain(t))
        if a.sort == "envelopes" and any(a.content[""][k] != b.content[""][k]
                                         for k in ("channels", "version")):
            raise Nothing  # what an envelope moves is fixed
        scratch = "%s/swap.tmp" % a.sort
        self.rename(a.where(), scratch)
        self.rename(b.where(), a.where())
        self.rename(scratch, b.where())
        a.content, b.content, a.over, b.over = b.content, a.content, b, a
        self.repaint(a)
        self.repaint(b)

    def rename_over(self):
        a = self.medium("images", "sounds")
        b = self.pick(getattr(self.world, a.sort), lambda t: t is not a and self.is_plain(t)
                      and os.path.splitext(t.path)[1] == os.path.splitext(a.path)[1])
        if a.path != a.home or b.path != b.home or a.over or b.over:
            raise Nothing
        self.rename(b.where(), a.where())
        a.content, a.over, b.gone = b.content, b, True
        self.repaint(a)

    def split(self):
        """A backup under a name that means something, and the file made anew."""
        a = self.medium("images", "sounds")
        if a.path != a.home or a.over:
            raise Nothing
        path = self.fresh(a.sort, ending=os.path.splitext(a.path)[1])
        where = a.where()
        backup = self.make(a.sort, path, a.content)
        self.rename(where, backup.where())
        a.content = canonical_png(self.rng) if path.endswith(".png") else a.content
        self.put(where, a.content)
        self.repaint(a)

    def repaint(self, image):
        if image.sort == "images":
            for layer in self.world.all_layers():
                if layer.content["layer.json"].get("image") is image:
                    layer.repainted = True

    def write_medium(self):
        t = self.medium()
        if t.sort == "envelopes":
            value = copy.deepcopy(t.content[""])
            points = value.get("points", [])
            if not points:
                raise Nothing
            if self.rng.random() < 0.3:
                points.pop(self.rng.randrange(len(points)))
            elif self.rng.random() < 0.5:
                points.append(dict(copy.deepcopy(points[-1]), time=points[-1]["time"] + 7))
            else:
                self.rng.choice(points)["values"][0] += 3
            t.content[""] = value
            self.put(t.where(), self.text(value))
        elif t.path.endswith(".png"):
            t.content = canonical_png(self.rng)
            self.put(t.where(), t.content)
            self.repaint(t)
        else:
            raise Nothing

