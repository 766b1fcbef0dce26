# SPDX-License-Identifier: Zlib
"""The share of the long tests that a run does: a constant selection, or everything with MAPFS_TEST_ALL=1."""
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
    """The features of a map that distinguish it from others: items of each type, version, kind and length."""
    try:
        f = datafile.Datafile.load(path)
    except Exception as e:  # an error of this reader counts as a feature
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
    """All maps, or the smallest ones that have every feature between them."""
    if ALL:
        return list(paths)
    seen, out = set(), []
    for path in sorted(paths, key=lambda p: (os.path.getsize(p), p)):
        if not forms(path) <= seen:
            out.append(path)
            seen |= forms(path)
    return sorted(out)
