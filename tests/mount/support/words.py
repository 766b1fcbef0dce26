# SPDX-License-Identifier: Zlib
"""Conversion between the words in the JSON of a map (layout rule 16) and the numbers of the file."""
TYPE = {2: "tiles", 3: "quads", 10: "sounds", 9: "old_sounds"}
KIND = {0: "design", 1: "game", 2: "tele", 4: "speedup", 8: "front", 16: "switch", 32: "tune"}
CURVE = {0: "step", 1: "linear", 2: "slow", 3: "fast", 4: "smooth", 5: "bezier"}
FLAG = {0: False, 1: True}
TABLES = {"type": TYPE, "kind": KIND, "curve_type": CURVE, **dict.fromkeys(
    ("detail", "clipping", "synchronized", "external", "looping", "panning"), FLAG)}


def _each(value, one):
    if isinstance(value, list):
        return [_each(v, one) for v in value]
    if isinstance(value, dict):
        return {k: one(TABLES[k], v) if k in TABLES else _each(v, one) for k, v in value.items()}
    return value


def words(value):
    """The value as a mount shows it."""
    return _each(value, lambda table, v: table.get(v, v))


def numbers(value):
    """The value as the map stores it."""
    return _each(value, lambda table, v: next((n for n, word in table.items() if word == v and type(word) is type(v)), v))
