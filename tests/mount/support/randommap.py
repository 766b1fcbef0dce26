# SPDX-License-Identifier: Zlib
"""Small random maps with every part and version that structural edits must handle."""
import os
import random
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "..", folder) for folder in ("teeworlds", "teeworlds/support")]
import twgen  # noqa: E402
from twgen import (AUTOMAPPER, BEZIER, ENVELOPE, GROUP, GROUP_EXT, INFO, LAYER, OPUS,  # noqa: E402
                   POINTS, SOUND, name_ints)

PHYSICS = {2: ("Tele", 2), 4: ("Speedup", 6), 8: ("Front", 4), 16: ("Switch", 4), 32: ("Tune", 2)}
NAMES = ["", "", "sky", "far", "near", "doodads", "a/b", "ä"]


def words(values):
    return struct.pack("<%di" % len(values), *values)


class Maker:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.m = twgen.Map()
        self.layers = 0
        self.mappers = []
        self.version = self.rng.choice((3, 3, 4))
        self.names = []

    def some(self, n):
        return range(self.rng.randrange(n + 1))

    def info(self):
        m = self.m
        m.item(INFO, 0, [1, m.text("Ann"), -1, -1, m.text("CC0"), m.blob(b"sv_gametype dm\0")])

    def media(self):
        rng, m = self.rng, self.m
        self.n_images = rng.randrange(6)
        for i in range(self.n_images):
            name = rng.choice(("grass", "sun", "45_rock", "q%")) + str(i)
            if rng.random() < 0.4:
                m.external(name, 256, 128)
            else:
                tone = rng.randrange(256)
                m.image(name, twgen.rgba(16, 16, lambda x, y, t=tone: 255 if t & 1 else t), 16, 16)
        self.n_sounds = rng.randrange(3)
        for i in range(self.n_sounds):
            data = OPUS + b"%d" % rng.randrange(1000)
            m.item(SOUND, i, [1, 0, m.text("wind%d" % i), m.blob(data), len(data)])

    def envelopes(self):
        """Envelopes are added last, because their items follow those of the layers."""
        rng, m = self.rng, self.m
        form = rng.choice((1, 2, 2, 3))
        start, points = 0, []
        for i, channels in enumerate(self.channels):
            count = rng.randrange(1, 4)
            name = rng.choice(("", "", "pulse%d" % i))
            ints = [form, channels, start, count, *name_ints(name, 8)]
            m.item(ENVELOPE, i, ints + ([1] if form > 1 else []))
            start += count
            for n in range(count):
                points += [n, rng.randrange(6), *[rng.randrange(-999, 999) for _ in range(4)]]
                if form == 3:
                    points += [rng.randrange(99) for _ in range(16)]
        m.item(POINTS, 0, points)
        if form == 2 and start and rng.random() < 0.4:
            self.extra = [rng.randrange(99) for _ in range(16 * start)]

    def image(self):
        return self.rng.randrange(-1, self.n_images)

    def envelope(self, channels):
        fitting = [i for i, c in enumerate(self.channels) if c == channels]
        return self.rng.choice(fitting + [-1])

    def tiles(self, w, h):
        return b"".join(struct.pack("4B", self.rng.randrange(30), self.rng.choice((0, 1, 9)), 0, 0)
                        for _ in range(w * h))

    def packed(self, w, h):
        out, left = b"", w * h
        while left:
            n = min(left, self.rng.randrange(1, 9))
            out += struct.pack("4B", self.rng.randrange(30), 0, n - 1, 0)
            left -= n
        return out

    def name(self, group):
        return self.rng.choice(NAMES)

    def design(self, group):
        rng, m = self.rng, self.m
        w, h = rng.randrange(2, 8), rng.randrange(2, 8)
        version = rng.choice((2, self.version)) if self.version == 3 else 4
        data = m.blob(self.packed(w, h) if version == 4 else self.tiles(w, h))
        ints = [0, 2, rng.randrange(2), version, w, h, 0, 255, 200, rng.randrange(256), 255,
                self.envelope(4), 0, self.image(), data]
        if version >= 3:
            ints += name_ints(self.name(group), 3)
        if version == 3:
            ints += [-1] * 5
        m.item(LAYER, self.layers, ints)
        self.layers += 1
        return version > 2 or True

    def physics(self, kind, w, h):
        m, name = self.m, "Game"
        own = [-1] * 5
        if kind == 1:
            data = m.blob(self.packed(w, h) if self.version == 4 else self.tiles(w, h))
        else:
            name, size = PHYSICS[kind]
            data = m.blob(bytes(4 * w * h))
            cells = bytearray(self.rng.randrange(20) for _ in range(size * w * h))
            if kind == 8:
                cells = self.tiles(w, h)
            elif kind == 4:
                cells[3::6] = bytes(w * h)
            own[list(PHYSICS).index(kind)] = m.blob(bytes(cells))
        version = self.version if kind == 1 else 3
        ints = [0, 2, 0, version, w, h, kind, 255, 255, 255, 255, -1, 0, -1, data,
                *name_ints(name, 3)]
        m.item(LAYER, self.layers, ints + (own if version == 3 else []))
        self.layers += 1

    def quads(self, group):
        rng = self.rng
        items = [[*[rng.randrange(999) for _ in range(34)], self.envelope(3), 0, self.envelope(4), 0]
                 for _ in range(rng.randrange(1, 4))]
        ints = [0, 3, 0, 2, len(items), self.m.blob(words(sum(items, []))), self.image(),
                *name_ints(self.name(group), 3)]
        self.m.item(LAYER, self.layers, ints)
        self.layers += 1

    def sounds(self, group):
        rng = self.rng
        items = [[rng.randrange(999), 0, 1, 1, 0, 7, self.envelope(3), 0, self.envelope(1), 0,
                  0, 100, 50] for _ in range(rng.randrange(1, 3))]
        ints = [0, 10, 0, 2, len(items), self.m.blob(words(sum(items, []))),
                rng.randrange(-1, self.n_sounds), *name_ints(self.name(group), 3)]
        self.m.item(LAYER, self.layers, ints)
        self.layers += 1

    def group(self, number, game):
        rng, start = self.rng, self.layers
        if game:
            w, h = rng.randrange(3, 9), rng.randrange(3, 9)
            kinds = [1] + [k for k in PHYSICS if self.version == 3 and rng.random() < 0.4]
            rng.shuffle(kinds)
            for kind in kinds:
                self.physics(kind, w, h)
        for _ in self.some(4):
            at = self.layers
            rng.choice((self.design, self.design, self.quads, self.sounds))(number)
            if self.m.types[LAYER][at][1][1] == 2 and rng.random() < 0.4:
                self.mappers.append([1, number, at - start, rng.randrange(5), rng.randrange(99), 1])
        ints = [3, 0, 0, 100, 100, start, self.layers - start, 0, 0, 0, 0, 0]
        if not game:
            ints[1:5] = [rng.randrange(-99, 99) for _ in range(4)]
        name = "Game" if game else rng.choice(NAMES)
        if not game and rng.random() < 0.2:
            ints[0] = 2
            self.m.item(GROUP, number, ints)
        else:
            self.m.item(GROUP, number, ints + name_ints(name, 3))

    def make(self):
        rng, m = self.rng, self.m
        self.info()
        self.media()
        self.channels = [rng.choice((1, 3, 4)) for _ in self.some(5)]
        count = rng.randrange(1, 5)
        game = rng.randrange(count)
        self.extra = None
        for number in range(count):
            self.group(number, number == game)
        self.envelopes()
        types = [(AUTOMAPPER, self.mappers)]
        if rng.random() < 0.3:
            types.append((GROUP_EXT, [[1, rng.randrange(100)] for _ in range(count)]))
        if self.extra:
            types.append((BEZIER, [self.extra]))
        number = 0xFFFE
        for uuid, items in types:
            if items:
                m.uuid(number, uuid)
                for i, ints in enumerate(items):
                    m.item(number, i, ints)
                number -= 1
        return m.encode()


def random_map(seed):
    return Maker(seed).make()
