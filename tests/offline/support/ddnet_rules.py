# SPDX-License-Identifier: Zlib
"""An independent reader for DDNet's rules, written from docs/mapfs-check.1 and DDNet's lists of tiles
(game/mapitems.cpp). It uses datafile.py and shares no code with mapfs. Settings and the game's own images are
compared with the game itself (test_rules.py)."""
import itertools
import struct

from datafile import ENVELOPE, GROUP, IMAGE, INFO, LAYER, SOUND, Datafile

NAMES = {1: "game", 8: "front", 2: "tele", 4: "speedup", 16: "switch", 32: "tune"}
# Bytes of a tile; index of the id, the flags, and the number (or the force).
FORMS = {"design": (4, 0, 1, None), "game": (4, 0, 1, None), "front": (4, 0, 1, None), "tele": (2, 1, None, 0), "speedup": (6, 2, None, 0),
         "switch": (4, 1, 2, 0), "tune": (2, 1, None, 0)}
OWN = {"tele": 0, "speedup": 1, "front": 2, "switch": 3, "tune": 4}


def parse_ranges(text):
    """Parse '1 4-6' to {1, 4, 5, 6}."""
    return {i for part in text.split() for i in range(int(part.split("-")[0]), int(part.split("-")[-1]) + 1)}


ENTITIES = parse_ranges("192-229 233-238 240")
BOTH = parse_ranges("2 4-6 9 11-13 16-22 32-62 64-67 71-76 88-91 96-97 104-107 112-113 128-129 140-145 156-159 190-191") | ENTITIES
KNOWN = {"game": BOTH | {1, 3}, "front": BOTH | {98, 99}, "tele": parse_ranges("10 14-15 26-27 29-31 63"), "speedup": {28, 29}, "tune": {68, 69, 70},
         "switch": parse_ranges("7 9 12-13 19-20 22-25 79 95 98-99 144-145") | {i for i in ENTITIES if i >= 197}}
TURNING = parse_ranges("60-61 64-65 67 190-191 197-202 224-229")


class Layer:
    def __init__(self, f, item, key):
        self.item, self.key = item, key
        ints = item.ints
        self.tiled = ints[1] == 2 and len(ints) >= 15
        self.kind = ("design" if ints[6] == 0 else NAMES.get(ints[6])) if self.tiled else None
        self.cells = None
        if self.kind:
            self.w, self.h = ints[4:6]
            self.read(f)

    def read(self, f):
        ints, (size, at_id, at_flags, at_number) = self.item.ints, FORMS[self.kind]
        field = 14
        if self.kind in OWN:
            field = (18 if ints[3] >= 3 else 15) + OWN[self.kind]
        data = f.blob(ints[field]) if field < len(ints) and f.has_blob(ints[field]) else None
        if data is not None and ints[3] >= 4 and field == 14:
            data = b"".join(data[i:i + 2] * 2 * (data[i + 2] + 1) for i in range(0, len(data), 4))
        n = self.w * self.h
        if data is None or len(data) < n * size:
            return
        data = data[:n * size]
        self.cells = data[at_id::size]
        self.turns = bytes(b & 11 for b in data[at_flags::size]) if at_flags is not None else bytes(n)
        self.numbers = data[at_number::size] if at_number is not None else bytes(n)

    def place(self, hits):
        x, y = hits[0] % self.w, hits[0] // self.w
        return "x %d, y %d%s: " % (x, y, " and %d more" % (len(hits) - 1) if len(hits) > 1 else "")


class Map:
    def __init__(self, path):
        self.f = Datafile.load(path)
        self.layers = []
        items = self.f.of_type(LAYER)
        homes = {}
        for g, group in enumerate(self.f.of_type(GROUP)):
            for i, n in enumerate(range(group.ints[5], group.ints[5] + group.ints[6])):
                homes.setdefault(n, (g, i))
        for n, item in enumerate(items):
            self.layers.append(Layer(self.f, item, homes.get(n, n)))
        self.played = {}
        for n, layer in enumerate(self.layers):
            if layer.kind in KNOWN and n in homes:
                self.played[layer.kind] = layer
        self.whole = all(self.layers[n].cells is not None for n in homes if n < len(items) and self.layers[n].kind in KNOWN)
        self.said = set()

    def say(self, key, text):
        self.said.add((key, text))

    def at(self, layer, hits, text):
        if hits:
            self.say(layer.key, layer.place(hits) + text)

    def text(self, i):
        info = self.f.of_type(INFO)
        v = info[0].ints[i] if info and i < len(info[0].ints) else -1
        return self.f.blob(v) if self.f.has_blob(v) else b""

    def settings(self):
        return [line.split() for line in self.text(5).lower().split(b"\0")]


def info(m):
    for i, name in ((1, "author"), (4, "license")):
        if m.text(i)[:1] in (b"", b"\0"):
            m.say("info/" + name, "the map has no " + name)


def race(m):
    there = set(m.played["game"].cells) | set(m.played["front"].cells if "front" in m.played else b"")
    for name, ids, words in (("spawn", "192-194", "192, 193 or 194"), ("start", "33", "33"), ("finish", "34", "34"),
                             ("time checkpoint", "35-59", "35 to 59")):
        if not there & parse_ranges(ids):
            m.say(m.played["game"].key, "the map has no %s (%s in the game or front layer)" % (name, words))


def tiles(m):
    for kind, layer in m.played.items():
        if layer.cells is None:
            continue
        hits, turned = {}, {}
        for i, cell in enumerate(layer.cells):
            if cell:
                hits.setdefault(cell, []).append(i)
                if layer.turns[i]:
                    turned.setdefault(cell, []).append(i)
        for cell, where in hits.items():
            if cell not in KNOWN[kind]:
                m.at(layer, where, "tile %d is unknown to DDNet in the %s layer" % (cell, kind))
        for cell, where in turned.items():
            if cell in KNOWN[kind] and cell not in TURNING:
                m.at(layer, where, "tile %d is rotated or mirrored, which has no effect" % cell)
        if not hits and kind != "game" and m.whole:
            m.say(layer.key, "is empty")


def through(m):
    game = m.played["game"]

    def solid(x, y):
        return game.cells[min(max(y, 0), game.h - 1) * game.w + min(max(x, 0), game.w - 1)] in (1, 3)

    for layer in (game, m.played.get("front")):
        if not layer or (layer.w, layer.h) != (game.w, game.h):
            continue
        hits = {}
        for i, cell in enumerate(layer.cells):
            x, y = i % layer.w, i // layer.w
            if cell in (5, 66, 67) and not solid(x, y) or cell == 6 and not any(
                    solid(x + dx, y + dy) for dx, dy in ((0, 1), (0, -1), (1, 0), (-1, 0))):
                hits.setdefault(cell, []).append(i)
        for cell, where in hits.items():
            m.at(layer, where, "hook-through (%d) is %s no solid tile%s" % (
                cell, "beside" if cell == 6 else "over", ": it stops hooks there" if cell > 60 else ""))


def numbered(layer):
    """(id, number) -> places, and a function that finds all places of several ids."""
    found = {}
    for i, cell in enumerate(layer and layer.cells or b""):
        if cell:
            found.setdefault((cell, layer.numbers[i]), []).append(i)
    return lambda ids, number: sorted(itertools.chain(*(found.get((i, number), []) for i in ids)))


def tele(m):
    layer = m.played.get("tele")
    find = numbered(layer)
    out = {n for n in range(256) if find([30], n)}
    taken = {max((o for o in out if o <= n and o), default=0) for n in range(1, 256) if find([29], n)}
    for n in range(1, 256):
        entrances, exits = find([10, 14, 15, 26], n), find([27], n)
        if not exits:
            m.at(layer, entrances, "entrance %d has no exit" % n)
        if not entrances:
            m.at(layer, exits, "exit %d has no entrance" % n)
        if n not in out:
            m.at(layer, find([29], n), "checkpoint %d has no exit" % n)
        elif n not in taken:
            m.at(layer, find([30], n), "checkpoint exit %d has no checkpoint" % n)
    if layer and 30 not in layer.cells:
        m.at(layer, [i for i, c in enumerate(layer.cells) if c in (31, 63)], "it leads to checkpoints, but the map has no checkpoint exit")


def doors(m):
    layer = m.played.get("switch")
    find = numbered(layer)
    opened = {words[1] for words in m.settings() if words[:1] == [b"switch_open"] and len(words) > 1}
    for n in range(1, 256):
        if not find([22, 23, 24, 25], n) and b"%d" % n not in opened:
            m.at(layer, find([240], n), "door %d has no switch" % n)
    if not (layer and any(cell and n for cell, n in zip(layer.cells, layer.numbers))):
        for kind in ("game", "front"):
            place = m.played.get(kind)
            m.at(place, [i for i, c in enumerate(place.cells) if c == 240] if place else [],
                 "the door is always open, because no switch tile has a number")


def properties(m):
    for layer in m.played.values():
        ints = layer.item.ints
        if layer.cells is None:
            continue
        if list(ints[7:11]) != [255] * 4:
            m.say(layer.key, "has a color (a physics layer is white)")
        if ints[13] != -1:
            m.say(layer.key, "has an image (a physics layer has none)")
        if ints[2] & 1:
            m.say(layer.key, "is a detail (a physics layer is always shown)")


def zeros(m):
    layer = m.played.get("tele")
    for cell in (10, 14, 15, 26, 27, 29, 30):
        m.at(layer, numbered(layer)([cell], 0), "tile %d has number 0 and does nothing" % cell)
    layer = m.played.get("speedup")
    m.at(layer, numbered(layer)(range(1, 256), 0), "the speedup has force 0 and does nothing")
    if layer and layer.cells and layer.cells[0]:
        m.at(layer, [0], "a speedup never works here")
    layer = m.played.get("tune")
    m.at(layer, numbered(layer)([68], 0), "the tune zone is 0 (1 to 255)")


def unused(m):
    used = {IMAGE: set(), SOUND: set(), ENVELOPE: set()}
    for layer in m.layers:
        ints = layer.item.ints
        if layer.tiled:
            used[IMAGE].add(ints[13])
            used[ENVELOPE].add(ints[11])
            continue
        size, refs = {3: (38, (34, 36)), 10: (13, (6, 8)), 9: (9, (5, 7))}.get(ints[1], (0, ()))
        if not size:
            continue
        if len(ints) > 6:
            used[IMAGE if ints[1] == 3 else SOUND].add(ints[6])
        data = m.f.blob(ints[5]) if m.f.has_blob(ints[5]) else b""
        if ints[4] == 0:
            m.say(layer.key, "is empty")
        for i in range(min(ints[4], len(data) // (4 * size))):
            values = struct.unpack_from("<%di" % size, data, 4 * size * i)
            used[ENVELOPE] |= {values[r] for r in refs}
    for kind, name in ((IMAGE, "images"), (SOUND, "sounds"), (ENVELOPE, "envelopes")):
        for i in range(len(m.f.of_type(kind))):
            if i not in used[kind]:
                m.say((name, i), "nothing uses it")


def images(m):
    seen = {}
    for i, item in enumerate(m.f.of_type(IMAGE)):
        version, w, h, external, name, data = item.ints[:6]
        good = not external and w > 0 and h > 0 and (version < 2 or item.ints[6:7] == [1]) and m.f.has_blob(data)
        pixels = bytearray(m.f.blob(data) or b"") if good else b""
        if good and len(pixels) >= 4 * w * h:
            del pixels[4 * w * h:]
            for at in range(3, len(pixels), 4):
                if pixels[at] <= 10:
                    pixels[at - 3:at] = b"\0\0\0"
            if max(w, h) > 2048:
                m.say(("images", i), "has %d x %d pixels (at most 2048 x 2048)" % (w, h))
            key = w, h, bytes(pixels)
        else:
            key = m.f.blob(name) if m.f.has_blob(name) else None
        if key in seen:
            m.say(("images", i), ("equals", seen[key]))
        elif key and key != b"\0":
            seen[key] = i


def sizes(m):
    for layer in m.layers:
        if layer.kind != "design" or not layer.cells:
            continue
        rows = [layer.cells[y * layer.w:(y + 1) * layer.w].rstrip(b"\0") for y in range(layer.h)]
        columns = max(map(len, rows))
        last = max((y for y, row in enumerate(rows) if row), default=None)
        if last is None:
            m.say(layer.key, "is empty")
            continue
        w, h = min(layer.w, max(columns + 1, 2)), min(layer.h, max(last + 2, 2))
        if (w, h) != (layer.w, layer.h):
            m.say(layer.key, "is %d x %d tiles (%d x %d are enough)" % (layer.w, layer.h, w, h))


def broken_rules(path):
    """The broken rules of a map: {(key, text)}. The key is (group, layer), the number of a layer in no group,
    ("images", number), or a path."""
    m = Map(path)
    info(m)
    if m.whole and "game" in m.played:
        race(m)
        through(m)
    if m.whole:
        tele(m)
        doors(m)
    tiles(m)
    zeros(m)
    unused(m)
    images(m)
    sizes(m)
    properties(m)
    return m.said
