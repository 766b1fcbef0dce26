# SPDX-License-Identifier: Zlib
"""How much of the long tests is done: a share that stays the same, or with MAPFS_TEST_ALL=1 all of it."""
import functools
import os

import datafile
from datafile import ENVPOINTS, IMAGE, LAYER
from layout import TYPE_NAMES

ALL = os.environ.get("MAPFS_TEST_ALL") == "1"


def of(everything, share):
    return everything if ALL else share


@functools.lru_cache(maxsize=None)
def forms(path):
    """What a map can have that another has not: items of each type, version, kind and length."""
    try:
        f = datafile.Datafile.load(path)
    except Exception as e:  # whatever this reader finds wrong with a map is a form of it
        return {type(e)}
    found = {f.version}
    for item in f.items:
        v = item.ints
        kind = v[:1]
        if item.type == IMAGE:
            kind = v[:1] + v[3:4]
        elif item.type == LAYER:
            kind = v[1:2] + v[3:4] + (v[6:7] if v[1:2] == [2] else [])
        length = 0 if item.type == ENVPOINTS else len(v)
        found.add((item.type, length, *kind) if item.type in TYPE_NAMES else "unknown type")
    return found


def maps(paths):
    """All of the maps, or the smallest that have among them every form that there is."""
    if ALL:
        return list(paths)
    seen, out = set(), []
    for path in sorted(paths, key=lambda p: (os.path.getsize(p), p)):
        if not forms(path) <= seen:
            out.append(path)
            seen |= forms(path)
    return sorted(out)
