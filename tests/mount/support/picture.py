# SPDX-License-Identifier: Zlib
"""Pictures, read and written without mapfs, and maps of a few tiles and quads to draw."""
import struct
import zlib

import box as boxes
import datafile

RED, GREEN, BLUE, GRAY = (255, 0, 0, 255), (0, 255, 0, 255), (0, 0, 255, 255), (128, 128, 128, 255)
BLACK, NOTHING = (0, 0, 0, 255), (0, 0, 0, 0)


class Picture:
    def __init__(self, path):
        raw = boxes.get(path)
        assert raw[:8] == b"\x89PNG\r\n\x1a\n"
        self.w, self.h, depth, kind = struct.unpack(">IIBB", raw[16:26])
        assert (depth, kind) == (8, 6)
        at, data = 8, b""
        while at < len(raw):
            n, name = struct.unpack(">I4s", raw[at:at + 8])
            data += raw[at + 8:at + 8 + n] if name == b"IDAT" else b""
            at += 12 + n
        rows = zlib.decompress(data)
        stride = 4 * self.w + 1
        assert len(rows) == self.h * stride and not any(rows[::stride])
        self.rows = [rows[y * stride + 1:(y + 1) * stride] for y in range(self.h)]

    def __eq__(self, other):
        return (self.w, self.h, self.rows) == (other.w, other.h, other.rows)

    def __getitem__(self, place):
        x, y = place
        return tuple(self.rows[y][4 * x:4 * x + 4])


def png(w, h, pixels):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    rows = b"".join(b"\0" + pixels[4 * w * y:4 * w * (y + 1)] for y in range(h))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", w, h, 8, 6, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def tileset(side=8):
    """A tileset of 16 x 16 tiles, each with red, green, blue and gray quarters, clockwise from top left."""
    n, half = 16 * side, side // 2
    quarters = {(0, 0): RED, (1, 0): GREEN, (1, 1): BLUE, (0, 1): GRAY}
    return n, b"".join(bytes(quarters[x % side // half, y % side // half]) for y in range(n) for x in range(n))


def quad(corners, colors=(RED,) * 4, position=(-1, 0), color=(-1, 0), texture=((0, 0), (1, 0), (0, 1), (1, 1))):
    """A quad with its corners in the order top left, top right, bottom left, bottom right, in units of 1/32 tile."""
    points = [v * 1024 for p in corners for v in p] + [0, 0]
    return struct.pack("<38i", *points, *(c for rgba in colors for c in rgba),
                       *(round(v * 1024) for t in texture for v in t), *position, *color)


def square(x0, y0, x1, y1):
    return (x0, y0), (x1, y0), (x0, y1), (x1, y1)


class Map(datafile.Builder):
    """A map with a game layer of w x h tiles. Further groups follow the group of the game layer."""

    def __init__(self, w=4, h=2, game=None):
        super().__init__()
        self.groups, self.pending = [], []
        self.w, self.h = w, h
        self.add(datafile.MAP_VERSION, [1])
        self.game = bytes(game or bytes(4 * w * h))

    def layer(self, ints):
        self.pending.append(ints)

    def design(self, tiles, image=-1, color=RED):
        self.layer([0, 2, 0, 3, self.w, self.h, 0, *color, -1, 0, image, self.blob(bytes(tiles))] +
                   datafile.words("", 3) + [-1] * 5)

    def quads(self, *quads, image=-1):
        self.layer([0, 3, 0, 2, len(quads), self.blob(b"".join(quads)), image] + datafile.words("", 3))

    def end(self, offset=(0, 0), parallax=(100, 100), clip=None):
        first = sum(n for n, _ in self.groups)
        n = len(self.pending) - first
        self.groups.append((n, [3, *offset, *parallax, first, n, int(clip is not None),
                                *(clip or (0, 0, 0, 0))] + datafile.words("", 3)))

    def bytes(self):
        self.layer([0, 2, 0, 3, self.w, self.h, 1, 255, 255, 255, 255, -1, 0, -1, self.blob(self.game)] +
                   datafile.words("Game", 3) + [-1] * 5)
        self.end()
        for _, ints in self.groups:
            self.add(datafile.GROUP, ints)
        for ints in self.pending:
            self.add(datafile.LAYER, ints)
        self.items.sort(key=lambda i: i.type)
        return self.encode()
