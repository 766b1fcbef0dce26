# SPDX-License-Identifier: Zlib
"""Random Triclon maps in 24 variants, written from the format's page without code of mapfs."""
import collections
import itertools
import math
import random
import struct

Variant = collections.namedtuple("Variant", "endian lists points objects")
VARIANTS = [Variant(*v) for v in itertools.product(
    ("little", "big"), ("bytes", "count"), ("none", "bytes", "count"), (False, True))]


class Map:
    """name and author are bytes; objects is None if the map has no list."""

    def __init__(self, variant, name=b"", author=b"", terrain=(), points=(), objects=None,
                 tag=b"TCM3", real=False):
        self.variant, self.tag, self.real = variant, tag, real
        self.name, self.author = name, author
        self.terrain, self.points = list(terrain), list(points)
        self.objects = None if objects is None else list(objects)

    def encode(self):
        v = self.variant
        order = "<" if v.endian == "little" else ">"
        xy = "f" if self.real else "i"

        def size(how, n, width):
            return b"" if how == "none" else struct.pack(order + "I",
                                                         n * width if how == "bytes" else n)
        out = [self.tag, bytes([len(self.name)]), self.name, bytes([len(self.author)]), self.author,
               size(v.lists, len(self.terrain), 4)]
        out += [struct.pack(order + "HH", *t) for t in self.terrain]
        out.append(size(v.points, len(self.points), 8))
        out += [struct.pack(order + 2 * xy, *p) for p in self.points]
        if self.objects is not None:
            out.append(size(v.lists, len(self.objects), 8))
            out += [struct.pack(order + xy + "I", *o) for o in self.objects]
        return b"".join(out)

    # ---- the files that a mount must show

    def options(self):
        v = self.variant
        return "endian=%s,lists=%s,points=%s" % (v.endian, v.lists, v.points)

    def files(self):
        """The tables as bytes, by name."""
        out = {"terrain.csv": table("index,type", self.terrain),
               "points.csv": table("x,y", self.points)}
        if self.objects is not None:
            out["objects.csv"] = table("x,type", self.objects)
        return out


def table(header, rows):
    return ("\n".join([header] + ["%d,%d" % r for r in rows]) + "\n").encode()


# ---- content

WORDS = ("Hill", "Valley", "Dunes", "Canyon", "Twin", "Peaks", "Moon", "Base", "Old", "Mine", "River",
         "Castle", "Frost", "Bridge", "Island", "Crater")


def name(rng):
    text = " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 3)))
    if rng.random() < 0.2:
        text += rng.choice((" 2", " (final)", " \u00fcber", " \u0141\u00f3d\u017a", "!"))
    if rng.random() < 0.05:
        return b""
    return text.encode("latin-1" if rng.random() < 0.1 and "\u0141" not in text else "utf-8")


def random_count(rng, top):
    """Random number of records: mostly dozens, sometimes hundreds or hardly any."""
    kind = rng.random()
    if kind < 0.05:
        return rng.randint(1, 3)
    if kind < 0.8:
        return rng.randint(4, max(4, top // 4))
    return rng.randint(4, top)


def ground(rng, n):
    """The line of the ground from left to right."""
    x = rng.choice((0, 0, 0, rng.randint(-500, 500)))
    step = rng.choice((1, 4, 10, 16, 32, 64, 0, 0))
    low, height = rng.choice((0, 50, 100)), rng.choice((50, 200, 480, 600, 1000))
    style, phase, out, y = rng.choice(("walk", "sine", "free")), rng.random() * 6, [], low + height // 2
    for i in range(n):
        if style == "free":
            y = rng.randint(low, low + height)
        elif style == "sine":
            y = low + int(height / 2 * (1 + math.sin(phase + i / 5)))
        else:
            y = min(max(y + rng.randint(-30, 30), low), low + height)
        out.append((x, y))
        x += step or rng.randint(1, 80)
    return out


def content(rng, variant):
    n_points = random_count(rng, 400)
    points = ground(rng, n_points)
    n_terrain = min(n_points, rng.choice((0, 1, 1, 2, 3, 4, 6, 10, 20)))
    kinds = rng.choice((3, 8, 20, 255))
    indices = sorted(rng.sample(range(n_points), n_terrain))
    if indices and rng.random() < 0.7:
        indices[0] = 0
    terrain = [(i, rng.randint(0, kinds)) for i in indices]
    objects = None
    if variant.objects:
        kinds = rng.choice((5, 30, 1000))
        objects = [(rng.randint(points[0][0], points[-1][0]), rng.randint(0, kinds))
                   for _ in range(rng.choice((0, 0, 1, 2, 3, 5, 8, 15, 40)))]
        if rng.random() < 0.5:
            objects.sort()
    return Map(variant, name(rng), name(rng), terrain, points, objects)


def maps(n, seed=1):
    """n maps of all variants in turn."""
    rng = random.Random(seed)
    return [content(rng, VARIANTS[i % len(VARIANTS)]) for i in range(n)]
