# SPDX-License-Identifier: Zlib
"""Fixture maps for test_faults.c and test_uuid.c: damaged data items, and odd items whose type is a UUID."""
from twgen import (AUTOMAPPER, BEZIER, ENVELOPE, GROUP_EXT, IMAGE, LAYER, OPUS, POINTS, SOUND, Map, Stored,
                   name_ints, rgba)
from twgen_parts import QUAD, SOURCE, words

CUT = 3  # bytes that a stored data item lacks at its end


def damaged_lists():
    """Lists of quads and of sources: a stream that ends early, a longer and a shorter one than declared, a valid
    list, and one without elements whose data is damaged."""
    m = Map()
    m.tiles(2, 2, m.blob(bytes(16)), kind=1)
    for kind, element in ((3, words(QUAD[:34] + [-1, 0, -1, 0])), (10, words(SOURCE))):
        for data in (Stored(element, cut=CUT), Stored(element + bytes(4), len(element)),
                     Stored(element, len(element) + 4), element):
            m.item(LAYER, len(m.types[LAYER]), [0, kind, 0, 2, 1, m.blob(data), -1, *name_ints("", 3)])
    m.item(LAYER, 9, [0, 3, 0, 2, 0, m.blob(Stored(bytes(152), cut=CUT)), -1, *name_ints("", 3)])
    m.group(0, 10)
    return m


NAME_SIZES = (2, 100, 511, 512, 513, 514, 4000, 70000, 17 << 20)


def damaged_names():
    """Images with valid names of several lengths, and with the same names damaged at their end; the same for some
    sounds."""
    m = Map()
    for size in NAME_SIZES:
        name = b"n" * (size - 1) + b"\0"
        for data in (name, Stored(name, cut=CUT)):
            m.item(IMAGE, len(m.types.get(IMAGE, [])), [1, 8, 8, 1, m.blob(data), -1])
    for data in (b"wind\0", Stored(b"wind\0", cut=CUT), Stored(b"w" * 999 + b"\0", cut=CUT)):
        m.item(SOUND, len(m.types.get(SOUND, [])), [1, 0, m.blob(data), m.blob(OPUS), len(OPUS)])
    m.tiles(2, 2, m.blob(bytes(16)), kind=1)
    m.group(0, 1)
    return m


def huge():
    """Data items that declare far more than they hold, and begin correctly."""
    m = Map()
    m.item(IMAGE, 0, [1, 2, 2, 0, m.text("a"), m.blob(Stored(rgba(2, 2, lambda x, y: 9), 2**31 - 1))])
    m.tiles(2, 2, m.blob(Stored(bytes(16), 2**31 - 1)), kind=1)
    m.tiles(2, 2, m.blob(Stored(bytes(16), 17 << 20)))
    m.tiles(2, 2, m.blob(Stored(bytes(16), 20)))
    m.group(0, 3)
    return m


def unshown():
    """Embedded images that cannot be shown: RGB, and too few pixels in shared data."""
    m = Map()
    few = m.blob(bytes(60))
    m.item(IMAGE, 0, [2, 4, 4, 0, m.text("rgb"), m.blob(bytes(48)), 0])
    m.item(IMAGE, 1, [1, 4, 4, 0, m.text("few"), few])
    m.item(IMAGE, 2, [1, 4, 4, 0, m.text("also"), few])
    m.item(IMAGE, 3, [1, 4, 4, 1, m.text("away"), 1])
    m.tiles(2, 2, m.blob(bytes(16)), kind=1)
    m.group(0, 1)
    return m


def bezier_length(extra, version=2):
    """Two points, and tangents for `extra` more points."""
    m = Map()
    m.item(ENVELOPE, 0, [version, 3, 0, 1, *name_ints("a", 8), 0])
    m.item(ENVELOPE, 1, [version, 3, 1, 1, *name_ints("b", 8), 0])
    tangents = [list(range(100, 116)), list(range(200, 216))] if version == 3 else [[], []]
    m.item(POINTS, 0, [0, 0, 1, 2, 3, 4, *tangents[0], 10, 1, 5, 6, 7, 8, *tangents[1]])
    m.uuid(0xFFFE, BEZIER)
    m.item(0xFFFE, 0, list(range(16 * (2 + extra))))
    m.tiles(2, 2, m.blob(bytes(16)), kind=1)
    m.group(0, 1)
    return m


def automappers(*items):
    """Two layers, and automapper items by (id, group, layer, config)."""
    m = Map()
    m.tiles(2, 2, m.blob(bytes(16)), kind=1)
    m.tiles(2, 2, m.blob(bytes(16)))
    m.group(0, 2)
    m.uuid(0x9000, b"\1" * 16)
    m.uuid(0xFFFE, AUTOMAPPER)
    for number, group, layer, config in items:
        m.item(0xFFFE, number, [1, group, layer, config, 0, 0])
    return m


def zooms():
    """More extension items than groups."""
    m = Map()
    m.tiles(2, 2, m.blob(bytes(16)), kind=1)
    m.group(0, 1, "a")
    m.group(1, 0, "b")
    m.uuid(0xFFFD, GROUP_EXT)
    for i in range(4):
        m.item(0xFFFD, i, [1, 10 * i])
    return m


def fixtures():
    yield "damaged_lists.map", damaged_lists().encode()
    yield "damaged_names.map", damaged_names().encode()
    yield "huge.map", huge().encode()
    yield "unshown.map", unshown().encode()
    for extra in (1, -1):
        yield "bezier%+d.map" % extra, bezier_length(extra).encode()
    yield "bezier_beside.map", bezier_length(0, 3).encode()
    yield "automappers.map", automappers((0, 0, 1, 1), (1, 0, 1, 2), (2, 0, 0, 3), (3, 9, 9, 4)).encode()
    yield "automapper.map", automappers((0, 0, 1, 1)).encode()
    yield "automapper_ids.map", automappers((0, 0, 0, 1), (65535, 9, 9, 2)).encode()
    yield "zooms.map", zooms().encode()
