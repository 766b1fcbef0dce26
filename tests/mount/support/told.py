# SPDX-License-Identifier: Zlib
"""Compares the `saved` and `removed` lines of a report with a fresh mount of the new map.

Both mounts are {path: bytes, or None for a directory}. A new Teeworlds mount renumbers the names, so the comparison
drops numbers from paths (plain) and references from JSON (same_content). The model in world.py checks references.
"""
import collections
import json
import os
import re

from graph import KEYS
from words import numbers

MEDIA = ("images", "sounds")


def tree(t, path=""):
    """All files of a tree of core.py, except raw/."""
    out = {}
    for name in t.list(path):
        below = path + "/" + name if path else name
        if below == "raw":
            continue
        if t.is_dir(below):
            out[below] = None
            out.update(tree(t, below))
        else:
            out[below] = t.get(below)
    return out


def plain_name(name, sort):
    found = re.match(r"\d+_(.*)$", name, re.S)
    if found:
        return found.group(1)
    stem, ending = os.path.splitext(name)
    return ending if sort not in MEDIA and stem.isdigit() else name


def plain(path):
    """images/03_grass.png -> images/grass.png"""
    parts = path.split("/")
    for i in range(1, len(parts)):
        if parts[i - 1] in ("images", "sounds", "envelopes", "groups", "layers"):
            parts[i] = plain_name(parts[i], parts[i - 1])
    if parts[0] in MEDIA and len(parts) == 2:
        stem, ending = os.path.splitext(parts[1])
        parts[1] = stem + ending.lower()
    return re.sub("%([0-9A-Fa-f]{2})", lambda m: chr(int(m.group(1), 16)), "/".join(parts))


def json_equals(value, old):
    """Is JSON equal, apart from references and versions? A group without a zoom, and points without tangents, get
    these at a save."""
    if type(value) is not type(old):
        return False
    if isinstance(old, dict):
        return all(key in KEYS or key == "version" or json_equals(value[key], old[key]) if key in value
                   else "tangent" in key and not any(old[key]) for key in old)
    if isinstance(old, list):
        return len(value) == len(old) and all(map(json_equals, value, old))
    return value == old


def unmarked(table):
    """The rows of flags.csv without OPAQUE bits, which also follow from written images."""
    return [[int(v) & ~4 for v in line.split(b",")] for line in table.splitlines()]


def same_content(path, data, old):
    if path.endswith("/flags.csv") and old and data:
        return unmarked(data) == unmarked(old)
    if not path.endswith(".json") or old is None or data is None:
        return data == old
    return json_equals(numbers(json.loads(data)), numbers(json.loads(old)))


def untrue(report, before, after, name=plain, content=same_content):
    """The first report line that the new map contradicts, with the reason, or None."""
    shown, had = collections.defaultdict(list), collections.Counter(map(name, before))
    for path, data in after.items():
        shown[name(path)].append((path, data))
    for line in report.splitlines():
        kind, _, path = line.partition(": ")
        if kind == "removed" and (path in before or len(shown[name(path)]) > had[name(path)]):
            return line + ": it still exists"
        if kind != "saved" or re.match(r"and \d+ more$", path):
            continue
        # A removed mandatory file is shown, too: it is empty.
        if not shown[name(path)]:
            return line + ": a new mount does not show it"
        left = {k: list(v) for k, v in shown.items()}
        for below in before:
            if below != path and not below.startswith(path + "/"):
                continue
            them = left.get(name(below), [])
            found = next((x for x in them if content(*x, before[below])), None)
            if found is None:
                return "%s: a new mount shows %s as %r, and it was\n%r" % (
                    line, below, [d for _, d in them], before[below])
            them.remove(found)
    return None
