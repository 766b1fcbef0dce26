# SPDX-License-Identifier: Zlib
"""Parts of a saved map, read with datafile.py."""
import datafile
from datafile import IMAGE, INFO, SOUND


def info_index(f, n):
    """The index of a text in the info item: n is 1 author, 2 version, 3 credits, 4 license, 5 settings."""
    return f.of_type(INFO)[0].ints[n]


def info_text(path, n):
    f = datafile.Datafile.load(path)
    i = info_index(f, n)
    return None if i == -1 else f.blob(i)


def settings(path):
    return info_text(path, 5)


def author(path):
    return info_text(path, 1)


def image(path, n=0):
    """(width, height, pixels) of an embedded image"""
    f = datafile.Datafile.load(path)
    ints = f.of_type(IMAGE)[n].ints
    return ints[1], ints[2], f.blob(ints[5])


def sound(path, n=0):
    f = datafile.Datafile.load(path)
    ints = f.of_type(SOUND)[n].ints
    return ints[4], f.blob(ints[3])
