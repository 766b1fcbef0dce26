# SPDX-License-Identifier: Zlib
"""Fixture maps for test_structure.c: objects of every kind that refer to each other."""
import struct

from twgen import (AUTOMAPPER, ENVELOPE, GROUP, GROUP_EXT, IMAGE, INFO, LAYER, OPUS, POINTS, SOUND, Map,
                   name_ints, rgba, tile_rows)


def words(values):
    return struct.pack("<%di" % len(values), *values)


def quad(position, color):
    return [*range(34), position, 0, color, 0]


def source(position, sound):
    return [1, 2, 1, 1, 0, 7, position, 0, sound, 0, 0, 100, 50]


def list_layer(m, kind, elements, refers, name):
    m.item(LAYER, len(m.types.get(LAYER, [])),
           [0, kind, 0, 2, len(elements), m.blob(words(sum(elements, []))), refers,
            *name_ints(name, 3)])


def envelope(m, name, channels, start, count):
    number = len(m.types.get(ENVELOPE, []))
    m.item(ENVELOPE, number, [2, channels, start, count, *name_ints(name, 8), 0])


def structure():
    """References 77 and -2 have no target."""
    m = Map()
    m.item(INFO, 0, [1, m.text("Ann"), -1, -1, -1, -1])
    m.image("grass", rgba(16, 16, lambda x, y: 255), 16, 16)
    m.external("desert", 256, 128)
    m.image("moon", rgba(16, 32, lambda x, y: 99), 16, 32)
    for i, name in enumerate(("wind", "rain")):
        m.item(SOUND, i, [1, 0, m.text(name), m.blob(OPUS + name.encode()), len(OPUS) + 4])
    envelope(m, "pos", 3, 0, 2)
    envelope(m, "", 4, 2, 1)
    envelope(m, "vol", 1, 3, 1)
    m.item(POINTS, 0, sum(([time, 1, 10 * time, 0, 0, 0] for time in (1, 2, 3, 4)), []))
    none = [-1] * 5
    m.item(LAYER, 0, [7, 2, 1, 3, 4, 3, 0, 1, 2, 3, 255, 1, 0, 0, m.blob(tile_rows(range(12))),
                      *name_ints("bg", 3), 5, 6, 7, 8, 9])
    list_layer(m, 3, [quad(0, 1), quad(77, -2), quad(2, 0)], 2, "quads")
    m.tiles(4, 3, m.blob(tile_rows([0, 1] * 6)), kind=1, name="Game", own=none)
    m.tiles(4, 3, m.blob(bytes(48)), kind=2, name="Tele", own=[m.blob(bytes(range(24))), *none[1:]])
    list_layer(m, 10, [source(0, 2), source(-1, 77)], 0, "snd")
    m.item(LAYER, 5, [0, 2, 0, 3, 2, 2, 0, 255, 255, 255, 255, -2, 0, 77, m.blob(tile_rows(range(4))),
                      *name_ints("fg", 3), *none])
    m.group(0, 2, "Back")
    m.group(2, 2, "Game")
    m.item(GROUP, 2, [2, 0, 0, 50, 80, 4, 2, 0, 0, 0, 0, 0])
    m.uuid(0xFFFE, AUTOMAPPER)
    m.uuid(0xFFFD, GROUP_EXT)
    for i, (group, layer) in enumerate(((0, 0), (2, 1), (9, 9), (1, 2))):
        m.item(0xFFFE, i, [1, group, layer, 3, 40 + i, 1])
    m.item(0xFFFD, 0, [1, 11])
    m.item(0xFFFD, 1, [1, 22])
    return m


def twice():
    """A layer in two groups, one in none, and a range that is partly out of bounds."""
    m = Map()
    for i in range(4):
        m.tiles(2, 2, m.blob(bytes([i] * 16)), kind=1 if i == 0 else 0, name="L%d" % i)
    m.group(0, 2, "A")
    m.group(1, 1, "B")
    m.group(3, 9, "C")
    return m


def version2():
    """All images are of version 2, and items of old versions have no names."""
    m = Map()
    m.image("one", rgba(1, 1, lambda x, y: 1), 1, 1, 2, (1,))
    m.item(IMAGE, 1, [2, 8, 8, 1, m.text("two"), -1, 1])
    m.tiles(2, 2, m.blob(bytes(16)), kind=1, version=2)
    m.tiles(2, 2, m.blob(bytes(16)), kind=2, version=2, own=[m.blob(bytes(8)), 55])
    m.item(LAYER, 2, [0, 3, 0, 1, 0, m.blob(bytes(152)), -1])
    m.item(GROUP, 0, [1, 0, 0, 100, 100, 0, 3])
    m.item(ENVELOPE, 0, [1, 3, 0, 0, -1])
    return m


def fixtures():
    yield "structure.map", structure().encode()
    yield "twice.map", twice().encode()
    yield "old_names.map", version2().encode()
