# SPDX-License-Identifier: Zlib
"""DDNet's newest reader of maps: which maps it refuses, what it warns of, and which data it ignores. Written from the
rules of engine/shared/datafile.cpp and map.cpp of 2026 (reference/teeworlds.md beside the corpus, 2.1 and 2.3). It
shares no code with mapfs, and stops at the first thing that the game refuses."""
import collections
import struct
import zlib

MOST = (1 << 31) - 1
OWN = {2: 0, 4: 1, 8: 2, 16: 3, 32: 4}  # the field of each kind of physics layer
SIZES = {0: 4, 1: 4, 2: 2, 4: 6, 8: 4, 16: 4, 32: 2}


class Refused(Exception):
    """Its argument is the refused field, named as in `mapfs check --json`."""


Verdict = collections.namedtuple("Verdict", "refused warned erroneous")


def read_map(raw):
    """Read a map: Verdict(refused: a field or None, warned: fields, erroneous: numbers of data items)."""
    warned, erroneous = [], set()
    try:
        _Map(raw, warned, erroneous)
    except Refused as e:
        return Verdict(e.args[0], warned, erroneous)
    return Verdict(None, warned, erroneous)


def require(condition, field):
    if not condition:
        raise Refused(field)


class _Map:
    def __init__(self, raw, warned, erroneous):
        self.raw, self.warned, self.erroneous = raw, warned, erroneous
        self.header()
        self.types()
        self.items()
        self.offsets()
        self.map()
        for i in range(self.n_data):
            if self.content(i) is None:
                erroneous.add(i)

    def header(self):
        raw = self.raw
        require(len(raw) >= 36, "file size")
        require(raw[:4] in (b"DATA", b"ATAD"), "magic")
        (self.version, size, swaplen, self.n_types, self.n_items, self.n_data, self.item_size,
         self.data_size) = struct.unpack_from("<8i", raw, 4)
        require(self.version in (3, 4), "version")
        require(0 <= self.n_types <= 65536, "num_item_types")
        require(self.n_items >= 0, "num_items")
        require(self.n_data >= 0, "num_data")
        require(self.item_size >= 0 and self.item_size % 4 == 0, "item_size")
        require(self.data_size >= 0, "data_size")
        self.tables = 36 + 12 * self.n_types + 4 * self.n_items + 4 * self.n_data * (2 if self.version == 4 else 1)
        end = self.tables + self.item_size + self.data_size
        require(end <= len(raw), "section")
        require(end == len(raw), "file size")
        crude = 4 * self.n_data if self.version == 4 else 0
        for field, value, right in (("size", size, end - 16), ("swaplen", swaplen, end - 16 - self.data_size)):
            if value != right:
                require(crude and value == right - crude, field)
                self.warned.append(field)

    def ints(self, at, n):
        return struct.unpack_from("<%di" % n, self.raw, at)

    def types(self):
        flat = self.ints(36, 3 * self.n_types)
        self.by_type, at = {}, 0
        for i, (type_, start, num) in enumerate(zip(flat[::3], flat[1::3], flat[2::3])):
            require(0 <= type_ <= 0xffff and type_ not in self.by_type, "item_types[%d].type" % i)
            require(num > 0, "item_types[%d].num" % i)
            require(start == at, "item_types[%d].start" % i)
            self.by_type[type_] = range(start, start + num)
            at += num
        require(at == self.n_items, "num_items")

    def items(self):
        offsets = self.ints(36 + 12 * self.n_types, self.n_items)
        at, self.item, self.id, seen = 0, [], [], set()
        for i, off in enumerate(offsets):
            require(off == at and off + 8 <= self.item_size, "item_offsets[%d]" % i)
            word, size = struct.unpack_from("<Ii", self.raw, self.tables + off)
            require(i in self.by_type.get(word >> 16, ()), "items[%d].type" % i)
            require(word >> 16 == 0xffff or word not in seen, "id")
            seen.add(word)
            end = offsets[i + 1] if i + 1 < self.n_items else self.item_size
            require(size >= 0 and size % 4 == 0, "items[%d].size" % i)
            require(end == off + 8 + size, "item_offsets[%d]" % (i + 1) if i + 1 < self.n_items else "item_size")
            self.item.append(self.ints(self.tables + off + 8, size // 4))
            self.id.append(word & 0xffff)
            at = end
        require(at == self.item_size, "item_size")

    def offsets(self):
        at = 36 + 12 * self.n_types + 4 * self.n_items
        self.data_at = self.ints(at, self.n_data)
        for i, off in enumerate(self.data_at):
            require(off == 0 if i == 0 else off > self.data_at[i - 1], "data_offsets[%d]" % i)
            require(off < self.data_size, "data_offsets[%d]" % i)
        self.ends = self.data_at[1:] + (self.data_size,)
        self.length = self.ints(at + 4 * self.n_data, self.n_data) if self.version == 4 else \
            [b - a for a, b in zip(self.data_at, self.ends)]
        for i, size in enumerate(self.length):
            require(size >= 0, "data_sizes[%d]" % i)
            if size == 0:
                self.warned.append("data_sizes[%d]" % i)

    def content(self, i):
        start = self.tables + self.item_size
        stored = self.raw[start + self.data_at[i]:start + self.ends[i]]
        if self.version == 3:
            return stored
        if not self.length[i]:
            return None
        try:
            d = zlib.decompressobj()
            data = d.decompress(stored, self.length[i] + 1)
        except zlib.error:
            return None
        if len(data) == self.length[i] and not d.eof:
            try:
                if d.decompress(d.unconsumed_tail, 1):
                    return None
            except zlib.error:
                return None
        return data if d.eof and len(data) == self.length[i] else None

    def of(self, type_):
        return [self.item[i] for i in self.by_type.get(type_, ())]

    def map(self):
        version = [self.item[i] for i in self.by_type.get(0, ()) if self.id[i] == 0]
        require(version and version[0][:1] == (1,), "version")
        groups, layers, tiles, seen = self.of(4), self.of(5), [], set()
        for group in groups:
            require(len(group) >= 7, "integers")
            require(group[5] >= 0 and group[6] >= 0 and group[5] + group[6] <= len(layers), "layers")
            for k in range(group[5], group[5] + group[6]):
                require(k not in seen, "group")
                seen.add(k)
                require(len(layers[k]) >= 3, "integers")
                if layers[k][1] == 2:
                    self.tile_layer(layers[k])
                    tiles.append(layers[k])
        games = [v for v in tiles if v[6] & 63 == 1]
        require(games, "game layer")
        self.tile_data(tiles, games[-1])

    @staticmethod
    def tile_layer(v):
        require(len(v) >= 15, "integers")
        require(2 <= v[3] <= 4, "version")
        require(bin(v[6] & 63).count("1") <= 1, "kind")
        require(v[3] == 2 or len(v) >= 18, "integers")
        require(v[4] >= 2 and v[5] >= 2, "size")
        if v[3] >= 3:
            name = bytes((b + 128) & 255 for b in struct.pack(">3i", *v[15:18])[:-1]).split(b"\0")[0]
            try:
                name.decode()
            except UnicodeDecodeError:
                raise Refused("name") from None
        if not v[6] & 63:
            for i, c in enumerate(v[7:11]):
                require(0 <= c <= 255, "color[%d]" % i)

    def tile_data(self, tiles, game):
        used = set()
        for v in tiles:
            kind = v[6] & 63
            field = 14 if kind < 2 else (15 if v[3] < 3 else 18) + OWN[kind]
            at = v[field] if field < len(v) else -1
            require(0 <= at < self.n_data, "data")
            require(at not in used, "data")
            used.add(at)
            n = v[4] * v[5]
            require(n * SIZES[kind] <= MOST, "size")
            require(kind < 2 or n >= game[4] * game[5], "size")
            if not self.sound(self.content(at), kind, n, v[3]):
                require(v is not game, "tiles")
                self.erroneous.add(at)

    @staticmethod
    def sound(data, kind, n, version):
        if data is None:
            return False
        if version >= 4 and kind >= 2:
            return False
        if version >= 4:
            return len(data) % 4 == 0 and sum(data[2::4]) + len(data) // 4 == n
        if len(data) < n * SIZES[kind]:
            return False
        if kind in (0, 1, 8):
            return not any(data[2:4 * n:4]) and not any(data[3:4 * n:4])
        return kind != 4 or not any(data[3:6 * n:6])
