# SPDX-License-Identifier: Zlib
"""The expected layers of a page of `mapfs diff --markdown`, computed from extracted tables."""
import collections
import os
import re

MARKS = ("added", "removed", "changed")
FIELDS = ("id", "flags", "number", "force", "max_speed", "angle", "delay")


def read_layer(path):
    """{field: rows} of a layer's directory; None if it is no layer of tiles."""
    out = {}
    for field in FIELDS:
        if os.path.exists(os.path.join(path, field + ".csv")):
            with open(os.path.join(path, field + ".csv")) as f:
                out[field] = [[int(c) for c in line.split(",")] for line in f.read().splitlines()]
    return out or None


def cell(layer, x, y):
    """The fields of a cell; all are 0 outside of the layer."""
    rows = {f: t[y][x] if layer and y < len(t) and x < len(t[0]) else 0 for f, t in (layer or {}).items()}
    return tuple(rows.get(f, 0) for f in FIELDS)


def compare(before, after):
    """{(x, y): (mark, cell before, cell after)} of two layers; either may be None."""
    tables = [t for layer in (before, after) if layer for t in layer.values()]
    out = {}
    for y in range(max(len(t) for t in tables)):
        for x in range(max(len(t[0]) for t in tables)):
            a, b = cell(before, x, y), cell(after, x, y)
            if a == b:
                continue
            there = tuple(bool(c[0] or not has_ids(layer) and c[3]) for c, layer in ((a, before), (b, after)))
            # An added or removed layer does not show cells that have other fields but no tile.
            if not (any(there) or has_cell(before, x, y) and has_cell(after, x, y)):
                continue
            out[x, y] = {(False, True): "added", (True, False): "removed"}.get(there, "changed"), a, b
    return out


def has_cell(layer, x, y):
    return layer and any(y < len(t) and x < len(t[0]) for t in layer.values())


def has_ids(layer):
    return not layer or "id" in layer


def rectangle(places):
    xs, ys = [x for x, _ in places], [y for _, y in places]
    return (min(xs), max(xs)), (min(ys), max(ys))


def place(xs, ys):
    """A rectangle as messages show it; a range of one number is shown as that number."""
    return ", ".join("%s %d" % (word, min(v)) + " to %d" % max(v) * (max(v) > min(v)) for word, v in (("x", xs), ("y", ys)))


def summary(places):
    """The summary of a layer: counts by mark, and the rectangle."""
    counts = collections.Counter(mark for mark, _, _ in places.values())
    return {m: counts[m] for m in MARKS if counts[m]}, rectangle(places)


def group_rows(places, number):
    """The same for each set of similar tiles: equal mark, ids, numbers and differing fields."""
    kinds = collections.defaultdict(list)
    for at, (mark, a, b) in places.items():
        kinds[mark, a[0], b[0], a[2] if number else -1, b[2] if number else -1,
              tuple(f for i, f in enumerate(FIELDS) if a[i] != b[i])].append(at)
    return sorted((k[0], len(v), rectangle(v)) for k, v in kinds.items())


def where(text):
    x, to_x, y, to_y = re.search(r"\bx (\d+)(?: to (\d+))?, y (\d+)(?: to (\d+))?$", text.split("`")[-1]).groups()
    assert x != to_x and y != to_y
    return (int(x), int(to_x or x)), (int(y), int(to_y or y))


def counts(text):
    text = text.split("`")[-1]
    return {m: int(n) for n, m in re.findall(r"(\d+) (added|removed|changed)", text)}


# A code span of CommonMark: a run of backticks up to the next run of the same length.
CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")


def names(text):
    """The names in code spans, without a blank next to both fences."""
    return [m[2][1:-1] if m[2][0] == m[2][-1] == " " and m[2].strip() else m[2] for m in CODE.finditer(text)]


def name(text):
    return names(text)[0]


class Page:
    """A parsed page: layers {path: (kind or None, counts, rectangle, rows)}."""

    def __init__(self, text):
        self.text, self.layers, self.pictures = text, {}, {}
        lines = text.splitlines()
        for i, line in enumerate(lines):
            m = re.match(r"- (\w+) tiles of ", line)
            if m:
                table = []
                for row in lines[i + 1:]:
                    if row.startswith(("### ", "- ")):
                        break
                    r = re.match(r"  \| (added|removed|changed) \| (.*) \| (\d+) \| (.*) \|$", row)
                    if r:
                        table.append((r[1], r[2], int(r[3]), where(r[4])))
                self.layers[name(line)] = m[1] if m[1] != "design" else None, counts(line), where(line), table
            elif line.startswith("![before and after](<"):
                self.pictures[line[len("![before and after](<"):-2]] = where(lines[i - 2])
        self.answer = next(line for line in lines[2:] if line)

    def entries(self):
        """(what, path) for the entries of the lists."""
        return [(m[1], name(line)) for line in self.text.splitlines()
                for m in [re.match(r"- (added|removed|moved|renamed|changed) ", line)] if m]
