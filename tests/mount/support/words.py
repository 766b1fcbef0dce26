# SPDX-License-Identifier: Zlib
"""What the JSON of a map calls by words (rule 16 of the layout): from the numbers of the file, and back."""
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
    """As a mount shows it."""
    return _each(value, lambda table, v: table.get(v, v))


def numbers(value):
    """As the map's file has it."""
    return _each(value, lambda table, v: next((n for n, word in table.items() if word == v and type(word) is type(v)), v))
