# SPDX-License-Identifier: Zlib
"""A case and two runs of it, with queries for rules."""
import collections
import importlib
import json

FORMATS = ("teeworlds", "triclon", "torchlight")
Difference = collections.namedtuple("Difference", "kind where old new")


def format_module(format_):
    return importlib.import_module("of_" + format_)


class Context:
    """A case, both runs of it, and queries for rules."""

    def __init__(self, case, old, new):
        self.case, self.old, self.new = case, old, new
        self.saved = any(op[0] == "sync" for op in case.ops)
        self.killed = any(op[0] == "kill" for op in case.ops)

    def at(self, d):
        """The index of the operation of a result."""
        return int(d.where.split(":")[0])

    def written(self, until):
        """All content that was written before a look (None: the last), to any name."""
        return [op[3] for op in self.case.ops[:until] if op[0] == "put"]

    def says_less(self, path):
        """Is the last content written there a JSON without some key of an earlier one?"""
        keys = [self.keys(op[3]) for op in self.case.ops if op[0] == "put"]
        last = [self.keys(op[3]) for op in self.case.ops if op[0] == "put" and op[1] == path][-1:]
        return bool(last and last[0] is not None) and any(k and k - last[0] for k in keys)

    @staticmethod
    def keys(data):
        try:
            value = json.loads(data)
        except ValueError:
            return None
        return value.keys() if isinstance(value, dict) else None

    def map_differs(self):
        return not format_module(self.case.format).same(self.old.end.files, self.new.end.files, self.saved)

    def fails_once(self):
        """Does exactly one of the two saves at the end fail?"""
        return (self.old.end.code == 4) != (self.new.end.code == 4)

    def removed(self, path):
        """Was the path, or its path before a move, removed?"""
        paths = {path}
        for op in reversed(self.case.ops):
            if op[0] == "mv":
                paths |= {op[1] + p[len(op[2]):] for p in paths if (p + "/").startswith(op[2] + "/")}
        return any(op[0] in ("rm", "rmdir", "mv") and (p + "/").startswith(op[1] + "/")
                   for op in self.case.ops for p in paths)

    def aside_and_gone(self):
        """Was a file moved to a scratch name, and then removed, overwritten or moved on?"""
        moved = {}
        for op in self.case.ops:
            if op[0] == "mv" and moved.get(op[1], op[2]) != op[2]:
                return True
            if op[0] in ("rm", "rmdir", "put", "mv") and op[2 if op[0] == "mv" else 1] in moved:
                return True
            if op[0] == "mv" and format_module(self.case.format).is_aside(op[2]):
                moved[op[2]] = op[1]
        return False
