# SPDX-License-Identifier: Zlib
"""Fixture maps for test_parts.c: the examples of the layout page, and every kind of layer."""
import struct

from twgen import AUTOMAPPER, BEZIER, ENVELOPE, GROUP, GROUP_EXT, LAYER, POINTS, Map, name_ints

QUAD = [-70, 49, 99, 49, -70, 58, 99, 58, 14, 54, 255, 255, 255, 167, 220, 228, 57, 170, 255, 255,
        255, 188, 255, 255, 255, 153, 0, 0, 1024, 0, 0, 1024, 1024, 1024, 17, 3, -2, 0]
SOURCE = [0, 0, 1, 1, 0, 7, -1, 0, -1, 0, 0, 100, 50]
OLD_SOURCE = [64, 64, 1, 0, 500, -1, 0, -1, 0]
TANGENTS = list(range(16))


def words(values):
    return struct.pack("<%di" % len(values), *values)


def list_layer(m, kind, values, tail=b"", refers=-1):
    m.item(LAYER, len(m.types.get(LAYER, [])),
           [0, kind, 0, 2, 1, m.blob(words(values) + tail), refers, *name_ints("", 3)])


def envelope(m, version, channels, start, count, length=13):
    number = len(m.types.get(ENVELOPE, []))
    ints = [version, channels, start, count, *name_ints("", 8), 1]
    m.item(ENVELOPE, number, ints[:length])


def parts():
    """Layers 0 to 10 in group 0, in the order of this code."""
    m = Map()
    for i in range(11):
        m.external("grass_main" if i == 3 else "image%d" % i)
    envelope(m, 2, 3, 0, 2)
    envelope(m, 1, 4, 2, 1, 4)
    envelope(m, 2, 1, 3, 0)
    for _ in range(15):
        envelope(m, 2, 4, 3, 1)
    m.item(POINTS, 0, [0, 2, 0, 0, 0, 0, 1000, 5, 0, 0, 0, 1024, 5, 1, 1, 2, 3, 4, 6, 0, 7, 0, 0, 0])
    design = b"".join(bytes([i, 8, 100 + i, 200 + i]) for i in range(12))
    m.tiles(4, 3, m.blob(design + b"tail"), image=3, own=[7, 8, 9, 10, 11])
    list_layer(m, 3, QUAD, b"more")
    list_layer(m, 10, SOURCE)
    list_layer(m, 9, OLD_SOURCE)
    m.tiles(4, 3, m.blob(bytes(48)), kind=1, name="Game")
    m.tiles(4, 3, m.blob(bytes(48)), kind=2, name="Tele",
            own=[m.blob(bytes(range(24))), 1, 2, 3, 4])
    speedup = b"".join(struct.pack("<BBBBh", i, 2 * i, 28, 99, -30 * i) for i in range(12))
    m.tiles(4, 3, m.blob(bytes(48)), kind=4, name="Speedup", own=[-1, m.blob(speedup)])
    m.tiles(4, 3, m.blob(bytes(48)), kind=16, version=2,
            own=[-1, -1, -1, m.blob(bytes(range(48))), -1])
    m.tiles(20, 15, m.blob(bytes([5, 2, 255, 9, 5, 2, 43, 9])), version=4)
    both = m.blob(bytes(48))
    m.tiles(4, 3, both)
    m.tiles(4, 3, both)
    m.group(0, 11)
    m.item(GROUP, 1, [1, 0, 0, 100, 100, 11, 0])
    m.uuid(0xFFFE, AUTOMAPPER)
    m.uuid(0xFFFD, GROUP_EXT)
    m.item(0xFFFE, 0, [1, 0, 0, 3, 42, 1])
    m.item(0xFFFD, 0, [1, 100])
    return m


def bezier(version, item):
    """Two envelopes of one point each, with tangents in the points or in an item."""
    m = Map()
    envelope(m, version, 3, 0, 1)
    envelope(m, 2, 3, 1, 1)
    point = [1000, 5, 0, 0, 0, 1024]
    m.item(POINTS, 0, 2 * (point + (TANGENTS if version >= 3 else [])))
    if item:
        m.uuid(0xFFFE, BEZIER)
        m.item(0xFFFE, 0, 2 * TANGENTS)
    m.tiles(2, 2, m.blob(bytes(16)), kind=1)
    m.group(0, 1)
    return m


def overlapping():
    """Three envelopes; the first two share points."""
    m = Map()
    envelope(m, 2, 4, 0, 2)
    envelope(m, 2, 4, 1, 1)
    envelope(m, 2, 4, 2, 1)
    m.item(POINTS, 0, [0, 0, 1, 1, 1, 1, 9, 0, 2, 2, 2, 2, 3, 0, 4, 4, 4, 4])
    m.tiles(2, 2, m.blob(bytes(16)), kind=1)
    m.group(0, 1)
    return m


def empties():
    """Envelopes without points, before and between others."""
    m = Map()
    for start, count in ((0, 0), (0, 1), (1, 0), (1, 0), (1, 1)):
        envelope(m, 2, 4, start, count)
    m.item(POINTS, 0, [1, 0, 1, 1, 1, 1, 2, 0, 2, 2, 2, 2])
    m.tiles(2, 2, m.blob(bytes(16)), kind=1)
    m.group(0, 1)
    return m


# All lengths that a number has as text.
NUMBERS = [sign * (10 ** n - less) for n in range(10) for less in (0, 1) for sign in (1, -1)] + [
    2147483647, -2147483648]


def many_quads(count):
    """Two envelopes for references, and references to missing objects."""
    m = Map()
    m.item(ENVELOPE, 0, [2, 3, 0, 0, *name_ints("pos", 8), 0])
    m.item(ENVELOPE, 1, [2, 4, 0, 0, *name_ints("a \"longer\" name", 8), 0])
    data = b"".join(words([i, *(NUMBERS[(i * k + k) % len(NUMBERS)] for k in range(1, 34)),
                           (-1, 0, 7, -1, 1, -5, -2147483648)[i % 7], NUMBERS[i % len(NUMBERS)],
                           (1, -1, 0, 123456)[i % 4], i]) for i in range(count))
    m.item(LAYER, 0, [0, 3, 0, 2, count, m.blob(data), -1, *name_ints("", 3)])
    m.tiles(2, 2, m.blob(bytes(16)), kind=1)
    m.group(0, 2)
    return m


def sizes():
    """Physics layers whose size differs from the game layer's, and unreadable tiles."""
    m = Map()
    m.tiles(4, 3, m.blob(bytes(48)), kind=1)
    m.tiles(6, 2, m.blob(bytes(48)), kind=8, own=[-1, -1, m.blob(bytes(48))])
    m.tiles(20, 15, m.blob(bytes([5, 2, 255, 0, 5, 2, 42, 0])), version=4)
    m.group(0, 3)
    return m


def fixtures():
    yield "parts.map", parts().encode()
    yield "bezier_item.map", bezier(2, True).encode()
    yield "bezier_points.map", bezier(3, False).encode()
    yield "overlapping.map", overlapping().encode()
    yield "sizes.map", sizes().encode()
    yield "empties.map", empties().encode()
    yield "many_quads.map", many_quads(3000).encode()
