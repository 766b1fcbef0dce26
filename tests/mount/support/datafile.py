# SPDX-License-Identifier: Zlib
"""A small reader and writer of Teeworlds datafiles.

It shares no code with mapfs. It expects sound maps and raises on others. It follows the header order of the format
page and the layout of the reference writer: types ascending, items, then blobs in the order in which they were added,
without padding.
"""
import random
import struct
import zlib

MAP_VERSION, INFO, IMAGE, ENVELOPE, GROUP, LAYER, ENVPOINTS, SOUND = range(8)
UUID_INDEX = 0xFFFF


class Item:
    def __init__(self, type_, id_, ints):
        self.type, self.id, self.ints = type_, id_, list(ints)

    def key(self):
        return self.type, self.id, tuple(self.ints)


class Datafile:
    def __init__(self, raw):
        self.raw = raw
        if raw[:4] not in (b"DATA", b"ATAD"):
            raise ValueError("magic")
        (self.version, self.size, self.swaplen, n_types, n_items, self.n_data, item_size,
         data_size) = struct.unpack_from("<8i", raw, 4)
        if self.version not in (3, 4):
            raise ValueError("version")
        pos = 36
        self.types = [struct.unpack_from("<3i", raw, pos + 12 * i) for i in range(n_types)]
        pos += 12 * n_types
        item_offsets = struct.unpack_from("<%di" % n_items, raw, pos)
        pos += 4 * n_items
        offsets = struct.unpack_from("<%di" % self.n_data, raw, pos)
        pos += 4 * self.n_data
        if self.version == 4:
            self.declared = list(struct.unpack_from("<%di" % self.n_data, raw, pos))
            pos += 4 * self.n_data
        self.items = []
        for off in item_offsets:
            word, size = struct.unpack_from("<Ii", raw, pos + off)
            ints = struct.unpack_from("<%di" % (size // 4), raw, pos + off + 8)
            self.items.append(Item(word >> 16, word & 0xFFFF, ints))
        start = pos + item_size
        ends = list(offsets[1:]) + [data_size]
        self.stored = [raw[start + a:start + b] for a, b in zip(offsets, ends)]
        if self.version == 3:
            self.declared = [len(s) for s in self.stored]
        # offset of each stored blob in the file
        self.ranges = [(start + a, start + b) for a, b in zip(offsets, ends)]

    @classmethod
    def load(cls, path):
        with open(path, "rb") as f:
            return cls(f.read())

    def of_type(self, type_):
        return [i for i in self.items if i.type == type_]

    def has_blob(self, i):
        return 0 <= i < self.n_data

    def blob(self, i):
        """The decoded bytes, or None if they are damaged or do not have the declared length."""
        if self.version == 3:
            return self.stored[i]
        try:
            d = zlib.decompressobj()
            data = d.decompress(self.stored[i], self.declared[i] + 1)
        except zlib.error:
            return None
        whole = d.eof or (len(data) == self.declared[i] and not d.decompress(d.unconsumed_tail, 1)
                          and d.eof)
        return data if whole and len(data) == self.declared[i] else None

    def blobs(self):
        return [self.blob(i) for i in range(self.n_data)]


def same_but(before, after, items=(), blobs=()):
    """The differences between two maps, except in the given items (type, id) and blobs."""
    out = []
    if before.version != after.version:
        out.append("version %d -> %d" % (before.version, after.version))
    if [(i.type, i.id) for i in before.items] != [(i.type, i.id) for i in after.items]:
        out.append("the list of items")
    for a, b in zip(before.items, after.items):
        if a.ints != b.ints and (a.type, a.id) not in items:
            out.append("item %d/%d: %s -> %s" % (a.type, a.id, a.ints, b.ints))
    if before.n_data != after.n_data:
        out.append("%d -> %d blobs" % (before.n_data, after.n_data))
    for n, (a, b) in enumerate(zip(before.stored, after.stored)):
        if a != b and n not in blobs:
            out.append("blob %d" % n)
    return out


def data_fields(item):
    """The indices of the integers of an item that refer to data items. Other integers may look like references."""
    ints = item.ints
    if item.type == INFO:
        return range(1, min(6, len(ints)))
    if item.type == IMAGE:
        return range(4, min(6, len(ints)))
    if item.type == SOUND:
        return range(2, min(4, len(ints)))
    if item.type != LAYER or len(ints) < 4:
        return ()
    if ints[1] in (3, 9, 10):
        return [5]
    if ints[1] != 2 or len(ints) < 15:
        return ()
    own = {2: 0, 4: 1, 8: 2, 16: 3, 32: 4}.get(ints[6])
    if own is None:
        return [14]
    own += 18 if ints[3] >= 3 else 15
    return [14, own] if own < len(ints) else [14]


def resolved(f):
    """All items, with the bytes of their data instead of its index."""
    out = []
    for item in f.items:
        ints = list(item.ints)
        for i in data_fields(item):
            if i < len(ints) and f.has_blob(ints[i]):
                ints[i] = f.stored[ints[i]]
        out.append((item.type, item.id, ints))
    return out


def encode(items, blobs, version=4, level=-1):
    """A datafile in the layout of the reference writer, from a list of Item and a list of bytes."""
    items = sorted(items, key=lambda i: i.type)
    types, packed, item_offsets = [], b"", []
    for n, item in enumerate(items):
        if not types or types[-1][0] != item.type:
            types.append([item.type, n, 0])
        types[-1][2] += 1
        item_offsets.append(len(packed))
        ints = [v - (1 << 32) if v >= 1 << 31 else v for v in item.ints]
        packed += struct.pack("<Ii%di" % len(ints), item.type << 16 | item.id, 4 * len(ints), *ints)
    stored = [zlib.compress(b, level) if version == 4 else b for b in blobs]
    offsets, at = [], 0
    for s in stored:
        offsets.append(at)
        at += len(s)
    tables = b"".join(struct.pack("<3i", *t) for t in types)
    tables += struct.pack("<%di" % len(items), *item_offsets)
    tables += struct.pack("<%di" % len(blobs), *offsets)
    if version == 4:
        tables += struct.pack("<%di" % len(blobs), *map(len, blobs))
    total = 36 + len(tables) + len(packed) + at
    head = b"DATA" + struct.pack("<8i", version, total - 16, total - 16 - at, len(types),
                                 len(items), len(blobs), len(packed), at)
    return head + tables + packed + b"".join(stored)


def words(text, n):
    """A name in an item: n integers of four bytes, each byte + 128, the last byte 0."""
    data = bytearray((b + 128) & 0xFF for b in text.encode().ljust(4 * n, b"\0"))
    data[-1] = 0
    return list(struct.unpack(">%di" % n, data))


class Builder:
    """Builds a small map in the order in which the editor of the game writes it."""

    def __init__(self):
        self.items, self.data = [], []

    def add(self, type_, ints, id_=None):
        n = sum(1 for i in self.items if i.type == type_)
        self.items.append(Item(type_, n if id_ is None else id_, ints))
        return n

    def blob(self, data):
        self.data.append(data)
        return len(self.data) - 1

    def info(self, author=b"", version=b"", credits_=b"", license_=b"", settings=()):
        idx = [self.blob(s + b"\0") if s else -1 for s in (author, version, credits_, license_)]
        text = b"".join(s + b"\0" for s in settings)
        idx.append(self.blob(text) if text else -1)
        self.add(INFO, [1] + idx)

    def image(self, name, width, height, pixels):
        name_at = self.blob(name + b"\0")
        self.add(IMAGE, [1, width, height, 0, name_at, self.blob(pixels)])

    def external(self, name, width=1024, height=1024):
        self.add(IMAGE, [1, width, height, 1, self.blob(name + b"\0"), -1])

    def sound(self, name, data):
        self.add(SOUND, [1, 0, self.blob(name + b"\0"), self.blob(data), len(data)])

    def tiles(self, width, height, tiles, flags=0, image=-1, name=""):
        self.add(LAYER, [0, 2, 0, 3, width, height, flags, 255, 255, 255, 255, -1, 0, image,
                         self.blob(tiles)] + words(name, 3) + [-1] * 5)

    def group(self, start, count, name=""):
        self.add(GROUP, [3, 0, 0, 100, 100, start, count, 0, 0, 0, 0, 0] + words(name, 3))

    def encode(self, **kw):
        return encode(self.items, self.data, **kw)


def opus_head():
    """The smallest input that passes a check for Ogg Opus: one page with OpusHead."""
    head = b"OpusHead" + struct.pack("<BBHIhB", 1, 1, 312, 48000, 0, 0)
    return b"OggS" + struct.pack("<BBqIIIBB", 0, 2, 0, 1, 0, 0, 1, len(head)) + head


def small_map(settings=(b"sv_deepfly 0", b"tune ground_friction 0.5"), image=(16, 16),
              padding=0, sound=b""):
    """A map with every kind of part, small enough for many saves."""
    b = Builder()
    b.add(MAP_VERSION, [1])
    b.info(b"nobody", b"1.0", b"", b"CC0", settings)
    w, h = image
    pixels = bytes((x * 7 + y * 3 + c * 40) & 0xFF for y in range(h) for x in range(w)
                   for c in range(4))
    b.image(b"checker", w, h, pixels)
    b.external(b"grass_main")
    b.sound(b"bell", opus_head() + bytes(range(200)) + sound)
    game = bytearray(4 * 20 * 10)
    for x in range(20):
        game[4 * (9 * 20 + x)] = 1
    game[4 * (8 * 20 + 5)] = 192
    b.tiles(20, 10, bytes(game), flags=1, name="Game")
    b.tiles(20, 10, bytes([1, 0, 0, 0]) * 200, image=0, name="ground")
    b.group(0, 2, "Game")
    b.add(ENVPOINTS, [])
    if padding:
        # An unreferenced blob that does not compress.
        b.blob(random.Random(1).randbytes(padding))
    return b.encode()
