# SPDX-License-Identifier: Zlib
"""Images and sounds of a map by name, read with datafile.py."""
from datafile import IMAGE, LAYER, SOUND

TILES, QUADS, SOUNDS, OLD_SOUNDS = 2, 3, 10, 9
NAME = {IMAGE: 4, SOUND: 2}  # the index of the integer of an item that refers to its name


def names(f, type_):
    """The names of images or sounds in map order."""
    return [f.blob(i.ints[NAME[type_]]).rstrip(b"\0").decode() for i in f.of_type(type_)]


def references(f):
    """For each layer in map order the name of its image or sound, or None."""
    out = []
    for layer in f.of_type(LAYER):
        kind = layer.ints[1]
        type_, at = {TILES: (IMAGE, 13), QUADS: (IMAGE, 6), SOUNDS: (SOUND, 6),
                     OLD_SOUNDS: (SOUND, 6)}[kind]
        number = layer.ints[at]
        out.append(None if number == -1 else names(f, type_)[number])
    return out


def image(f, name):
    """(width, height, pixels) of an embedded image; the pixels are None for an external one."""
    ints = f.of_type(IMAGE)[names(f, IMAGE).index(name)].ints
    return ints[1], ints[2], None if ints[3] else f.blob(ints[5])


def sound(f, name):
    ints = f.of_type(SOUND)[names(f, SOUND).index(name)].ints
    data = f.blob(ints[3])
    assert ints[4] == len(data)
    return data


def parts(f):
    """All content of a map without blob numbers: equal maps give equal values."""
    return {
        "images": [(n,) + image(f, n) for n in names(f, IMAGE)],
        "sounds": [(n, sound(f, n)) for n in names(f, SOUND)],
        "references": references(f),
    }
