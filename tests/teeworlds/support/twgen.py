#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""Writes fixture maps: twgen.py DIR. This writer follows the format's description (libtw2's doc/datafile.md and
doc/map.md) and shares no code with mapfs, so that the tests compare two readings of the format. Each map shows one
version or one oddity of real files."""
import os
import struct
import sys
import zlib

AUTOMAPPER = bytes.fromhex("3e1b2716178c39789bd9b11ae0410dd8")
BEZIER = bytes.fromhex("3ab4f84dd9cc3c78b5850d6ccdb2e25c")
GROUP_EXT = bytes.fromhex("4a26ca1f64bd30e3907a707eacd1f080")
UNKNOWN = bytes(range(16))
INFO, IMAGE, ENVELOPE, GROUP, LAYER, POINTS, SOUND, INDEX = 1, 2, 3, 4, 5, 6, 7, 0xFFFF


def name_ints(text, n):
    """A name as n integers: bytes + 128, big-endian, the last byte 0."""
    raw = [(b + 128) & 255 for b in text.encode() + bytes(4 * n - len(text.encode()))]
    raw[-1] = 0
    return list(struct.unpack(">%di" % n, bytes(raw)))


class Stored:
    """A data item as it is stored in the file, with any declared length."""

    def __init__(self, content, declared=None, cut=0):
        packed = zlib.compress(content)
        self.stored = packed[:len(packed) - cut]
        self.declared = len(content) if declared is None else declared

    def __len__(self):
        return self.declared


class Map:
    """Items by type in the order of addition, and data items."""

    def __init__(self):
        self.types, self.data = {}, []
        self.item(0, 0, [1])

    def item(self, kind, number, ints):
        self.types.setdefault(kind, []).append((number, list(ints)))

    def blob(self, content):
        self.data.append(content)
        return len(self.data) - 1

    def text(self, text):
        return self.blob(text.encode() + b"\0")

    def image(self, name, pixels, w, h, version=1, extra=()):
        self.item(IMAGE, len(self.types.get(IMAGE, [])),
                  [version, w, h, 0, self.text(name), self.blob(pixels), *extra])

    def external(self, name, w=64, h=64):
        self.item(IMAGE, len(self.types.get(IMAGE, [])), [1, w, h, 1, self.text(name), -1])

    def tiles(self, w, h, data, kind=0, image=-1, version=3, alpha=255, name="", own=None):
        ints = [0, 2, 0, version, w, h, kind, 255, 255, 255, alpha, -1, 0, image, data]
        if version >= 3:
            ints += name_ints(name, 3)
        if own is not None:
            ints += own
        self.item(LAYER, len(self.types.get(LAYER, [])), ints)

    def group(self, start, count, name=""):
        self.item(GROUP, len(self.types.get(GROUP, [])),
                  [3, 0, 0, 100, 100, start, count, 0, 0, 0, 0, 0, *name_ints(name, 3)])

    def uuid(self, number, uuid):
        self.item(INDEX, number, struct.unpack(">4i", uuid))

    def encode(self, version=4, magic=b"DATA", level=-1, order=sorted, crude=False, gap=0, tail=b""):
        table, offsets, items = b"", b"", b""
        start = 0
        for kind in order(self.types):
            table += struct.pack("<3i", kind, start, len(self.types[kind]))
            start += len(self.types[kind])
            for number, ints in self.types[kind]:
                offsets += struct.pack("<i", len(items))
                items += struct.pack("<Ii%di" % len(ints), kind << 16 | number, 4 * len(ints),
                                     *ints) + bytes(gap)
        stored = [d.stored if isinstance(d, Stored) else
                  zlib.compress(d, level) if version == 4 else d for d in self.data]
        data_offsets, at = b"", 0
        for blob in stored:
            data_offsets += struct.pack("<i", at)
            at += len(blob)
        sizes = b"".join(struct.pack("<i", len(d)) for d in self.data) if version == 4 else b""
        body = table + offsets + data_offsets + sizes + items
        total = 36 + len(body) + at
        short = 4 * len(self.data) if crude else 0
        head = magic + struct.pack("<8i", version, total - 16 - short, total - at - 16 - short,
                                   len(self.types), start, len(self.data), len(items), at)
        return head + body + b"".join(stored) + tail


def rgba(w, h, alpha):
    """Pixels of irregular colors; alpha(x, y) gives their alpha."""
    return bytes(v for y in range(h) for x in range(w)
                 for v in ((7 * x + y) & 255, (x + 11 * y) & 255, (x * y) & 255, alpha(x, y)))


def tile_rows(ids, flags=0):
    return b"".join(struct.pack("4B", i, flags, 0, 0) for i in ids)


OPUS = b"OggS\0\2" + bytes(20) + b"\1\x13" + b"OpusHead\1\2" + bytes(9) + b"payload"


def full():
    """One object of every type in this format."""
    m = Map()
    m.item(INFO, 0, [1, m.text("Ann"), m.text("1.0"), m.text("Ben, Cid"), -1,
                     m.blob(b"sv_gametype dm\0tune gravity 0.5\0")])
    m.image("grass", rgba(16, 16, lambda x, y: 255), 16, 16)
    m.external("desert", 1024, 512)
    m.image("v2", rgba(32, 32, lambda x, y: 255 if y >= 16 else 0), 32, 32, 2, (1,))
    m.item(SOUND, 0, [1, 0, m.text("wind"), m.blob(OPUS), len(OPUS)])
    m.item(SOUND, 1, [1, 1, m.text("away"), -1, 0])
    game = m.blob(tile_rows(range(12)))
    m.tiles(4, 3, game, kind=1, name="Game")
    # Every id once, mirrored and opaque (flags 1 and 4); the OPAQUE flag is stale or right.
    m.tiles(16, 16, m.blob(tile_rows(range(256), 5)), image=0, name="Ids")
    m.tiles(16, 16, m.blob(tile_rows(range(256), 5)), image=0, name="Clear", alpha=254)
    m.tiles(16, 16, m.blob(tile_rows(range(256), 5)), image=2, name="Other")
    # Version 4: 300 tiles of id 5 in two stored tiles.
    m.tiles(20, 15, m.blob(bytes([5, 4, 255, 0, 5, 4, 43, 0])), image=0, version=4, name="Folded")
    m.tiles(4, 3, m.blob(bytes(48)), kind=2, name="Tele",
            own=[m.blob(bytes(24)), 77, 2035723488, -5, 0])
    # Version 2 has no name, so its own field is earlier.
    m.tiles(4, 3, m.blob(bytes(48)), kind=2, version=2, own=[m.blob(b"old" * 8), 12])
    m.group(0, 7, "Game")
    m.item(ENVELOPE, 0, [2, 4, 0, 1, *name_ints("pulse", 8), 1])
    m.item(POINTS, 0, [0, 1, 1024, 0, 0, 1024])
    m.uuid(0xFFFE, AUTOMAPPER)
    m.item(0xFFFE, 0, [1, 0, 1, 3, 42, 1])
    return m


def shared():
    """Shared data items: of two sounds, and of a layer and the names of two images."""
    m = Map()
    text = m.text("same")
    pixels = m.blob(rgba(16, 16, lambda x, y: 255))
    m.item(INFO, 0, [1, text, text, -1, -1])
    for i in range(2):
        m.item(IMAGE, i, [1, 16, 16, 0, text, pixels])
    sound = m.blob(OPUS)
    for i in range(2):
        m.item(SOUND, i, [1, 0, text, sound, len(OPUS)])
    ids = m.blob(tile_rows(range(256), 4))
    m.tiles(16, 16, ids, image=0)
    m.tiles(16, 16, ids, image=1)
    m.tiles(2, 2, m.blob(bytes(16)), kind=1)
    m.group(0, 3)
    return m


def odd():
    """Contents of real maps that no document allows."""
    m = Map()
    m.item(INFO, 0, [1, m.blob(b"no end"), m.blob(b"st\xfcle\0"), m.blob(b"x" * 200 + b"\0"), 99])
    m.item(INFO, 1, [1, -1, -1, -1, -1])
    m.image("rgb", bytes(12), 2, 2, 2, (0,))
    m.image("tail", rgba(2, 2, lambda x, y: 9) + b"after", 2, 2)
    m.image("small", bytes(15), 2, 2)
    m.image("none", b"", 0, 0)
    m.image("variant", rgba(1, 1, lambda x, y: 0), 1, 1, 2)
    m.image("garbage", rgba(1, 1, lambda x, y: 0), 1, 1, 1, (-77,))
    m.image("../a/b%c", rgba(1, 1, lambda x, y: 0), 1, 1)
    m.item(IMAGE, 9, [1, 1, 1, 0, -1, m.blob(rgba(1, 1, lambda x, y: 0))])
    m.item(IMAGE, 9, [1, 3, 4])
    m.item(IMAGE, 9, [])
    m.item(9, 3, [1, 2, 3])
    m.item(0x8123, 0, [])
    m.uuid(0xFFFD, UNKNOWN)
    m.uuid(0xFFFD, AUTOMAPPER)
    m.item(INDEX, 0xFFFC, [1, 2, 3])
    m.item(0xFFFD, 0, [5])
    m.item(0xFFFC, 0, [5])
    m.blob(b"nobody's")
    m.tiles(2, 2, m.blob(bytes(16)), kind=1)
    m.group(0, 1)
    return m


def eleven():
    """More objects than fit one digit, and no info item."""
    m = Map()
    for i in range(11):
        m.external("abcdefghijk"[i])
    m.tiles(2, 2, m.blob(bytes(16)), kind=1)
    m.group(0, 1)
    return m


def bare(*ints):
    m = Map()
    m.types = {}
    for kind, number, values in ints:
        m.item(kind, number, values)
    return m


def fixtures():
    yield "full.map", full().encode()
    yield "v3.map", full().encode(version=3)
    yield "atad.map", full().encode(magic=b"ATAD")
    yield "crude.map", full().encode(crude=True)
    yield "level9.map", full().encode(level=9)
    yield "descending.map", full().encode(order=lambda t: sorted(t, reverse=True))
    yield "gaps.map", full().encode(gap=8)
    yield "tail.map", full().encode(tail=b"trailing bytes")
    yield "shared.map", shared().encode()
    yield "odd.map", odd().encode()
    yield "eleven.map", eleven().encode()
    yield "empty_v3.map", bare().encode(version=3)
    yield "empty_v4.map", bare().encode()
    yield "untyped.map", bare((0x8001, 0, [1, 2, 3]), (1, 0, [1, 2])).encode()
    yield "version2.map", bare((0, 0, [2])).encode()
    damaged = bytearray(full().encode())
    damaged[-3] ^= 0xFF
    yield "damaged.map", bytes(damaged)


def large(f, w=8192, h=4096):
    """An image of 128 MiB of zeros, made without holding it: its stream's length is written afterwards."""
    m = Map()
    m.image("large", b"", w, h)
    packer = zlib.compressobj()
    row = bytes(4 * w)
    packed = b"".join([packer.compress(row) for _ in range(h)] + [packer.flush()])
    empty = zlib.compress(b"")
    raw = bytearray(m.encode())
    assert raw.endswith(empty)
    sizes = 36 + 12 * len(m.types) + 4 * 2 + 8
    struct.pack_into("<i", raw, sizes + 4, 4 * w * h)
    struct.pack_into("<i", raw, 32, struct.unpack_from("<i", raw, 32)[0] + len(packed) - len(empty))
    f.write(raw[:-len(empty)] + packed)


def main(directory):
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, "large.map"), "wb") as f:
        large(f)
    # That module imports this one, so it can only be imported here.
    sys.dont_write_bytecode = True
    import twgen_faults
    import twgen_parts
    import twgen_structure
    for name, content in (*fixtures(), *twgen_faults.fixtures(), *twgen_parts.fixtures(),
                          *twgen_structure.fixtures()):
        with open(os.path.join(directory, name), "wb") as f:
            f.write(content)


if __name__ == "__main__":
    main(sys.argv[1])
