# SPDX-License-Identifier: Zlib
"""What a map says of its images and sounds by their names, by the reader of datafile.py."""
from datafile import IMAGE, LAYER, SOUND

TILES, QUADS, SOUNDS, OLD_SOUNDS = 2, 3, 10, 9
NAME = {IMAGE: 4, SOUND: 2}  # which integer of an item names the blob of its name


def names(f, type_):
    """The names of images or sounds in the map's order."""
    return [f.blob(i.ints[NAME[type_]]).rstrip(b"\0").decode() for i in f.of_type(type_)]


def references(f):
    """For each layer what it shows or plays: a name, or None, in the map's order."""
    out = []
    for layer in f.of_type(LAYER):
        kind = layer.ints[1]
        type_, at = {TILES: (IMAGE, 13), QUADS: (IMAGE, 6), SOUNDS: (SOUND, 6),
                     OLD_SOUNDS: (SOUND, 6)}[kind]
        number = layer.ints[at]
        out.append(None if number == -1 else names(f, type_)[number])
    return out


def image(f, name):
    """(width, height, pixels) of an embedded image; the pixels are None where it is external."""
    ints = f.of_type(IMAGE)[names(f, IMAGE).index(name)].ints
    return ints[1], ints[2], None if ints[3] else f.blob(ints[5])


def sound(f, name):
    ints = f.of_type(SOUND)[names(f, SOUND).index(name)].ints
    data = f.blob(ints[3])
    assert ints[4] == len(data)
    return data


def parts(f):
    """All that a map says, without the numbers of blobs: equal maps say the same."""
    return {
        "images": [(n,) + image(f, n) for n in names(f, IMAGE)],
        "sounds": [(n, sound(f, n)) for n in names(f, SOUND)],
        "references": references(f),
    }
