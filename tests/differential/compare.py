# SPDX-License-Identifier: Zlib
"""What differs between two runs of a case, and which of it DESIGN allows."""
import collections
import importlib
import re

import case as cases

FORMATS = ("teeworlds", "triclon", "torchlight")
Difference = collections.namedtuple("Difference", "kind where old new")


def of(format_):
    return importlib.import_module("of_" + format_)


class Context:
    """A case, both runs of it, and what a rule wants to know of them."""

    def __init__(self, case, old, new):
        self.case, self.old, self.new = case, old, new
        self.saved = any(op[0] == "sync" for op in case.ops)
        self.killed = any(op[0] == "kill" for op in case.ops)

    def written(self, path, until):
        """All that was written to a file before a look, under any of its names."""
        return [op[3] for op in self.case.ops[:until] if op[0] == "put"]


# ---- what may differ, each with the rule that says so; what no line names is a fault in one of the two

def late_verdict(c, d):
    """Rule 2: a close judges this file alone, against the base; what needs others is the save's."""
    return d.kind == "result" and d.old == "close EINVAL" and d.new == "0"


def as_written(c, d):
    """Rule 2: from its close to the next save a file shows the bytes that were written, then the canonical form."""
    return (d.kind in ("look", "shown") and isinstance(d.new, bytes) and isinstance(d.old, bytes)
            and d.new in c.written(*d.where))


def report_of_a_save(c, d):
    """Rule 6, 12: a report is of what one save wrote; what an earlier one saved, it said then."""
    return c.saved and d.kind == "report" and (d.old or d.new).startswith(("@", "saved", "removed", "note", "moved"))


ALLOWED = [late_verdict, as_written, report_of_a_save]


# ---- the comparison

def trees(kind, at, old, new):
    for path in sorted(set(old) | set(new)):
        if path not in old or path not in new:
            yield Difference(kind + "-name", path, "there" if path in old else "", "there" if path in new else "")
        elif old[path] != new[path]:
            yield Difference(kind, (path, at), old[path], new[path])


def lines(kind, old, new):
    only = collections.Counter(old)
    only.subtract(new)
    for line, n in sorted(only.items()):
        if n:
            yield Difference(kind, line, line if n > 0 else "", line if n < 0 else "")


def all_differences(c):
    """In the order in which they happen."""
    looks = 0
    for i, op in enumerate(c.case.ops[:min(len(c.old.results), len(c.new.results))]):
        if op[0] == "look" and looks < min(len(c.old.looks), len(c.new.looks)):
            yield from trees("look", i, c.old.looks[looks], c.new.looks[looks])
            looks += 1
        elif c.old.results[i] is not None and c.old.results[i] != c.new.results[i]:
            yield Difference("result", "%d: %s" % (i, cases.line(op)), c.old.results[i], c.new.results[i])
    one, two = c.old.end, c.new.end
    for end in (one, two):
        if end.code in ("failed", "hung"):
            yield Difference(end.code, "", *("; ".join(e.report) if e is end else "" for e in (one, two)))
    if {one.code, two.code} & {"failed", "hung"}:
        return
    yield from trees("shown", len(c.case.ops), one.shown, two.shown)
    if one.code != two.code:
        yield Difference("code", "", one.code, two.code)
    yield from lines("report", one.report, two.report)
    if not of(c.case.format).same(one.files, two.files, c.saved):
        yield Difference("map", "", one.files.get(""), two.files.get(""))
    yield from trees("left", 0, one.left, two.left)


def differences(case, old, new):
    """(those that no rule allows, a count of those that one does)"""
    c, out, allowed = Context(case, old, new), [], collections.Counter()
    for d in all_differences(c):
        rule = next((r for r in ALLOWED if r(c, d)), None)
        if rule:
            allowed[rule.__name__] += 1
        else:
            out.append(d)
    return out, allowed


def words(d):
    """A difference for people."""
    def short(v):
        return repr(v if len(v) <= 600 else v[:600] + b"...") if isinstance(v, bytes) else str(v)
    return "%s %s\n    old: %s\n    new: %s" % (d.kind, d.where, short(d.old), short(d.new))


def signature(d):
    """Of what sort it is: by this differences are counted, and shrinking holds on to it."""
    if d.kind == "result":
        return "result %s: %s / %s" % (d.where.split()[1], d.old, d.new)
    if d.kind == "report":
        line = re.sub(r"'[^']*'|\"[^\"]*\"", "_", d.where)
        line = re.sub(r"(images|sounds|envelopes|groups|info|MEDIA|\.mod|@)\S*( \S+\.(json|png|csv))?", "PATH", line)
        return "report of the %s: %s" % ("old one" if d.old else "new one", re.sub(r"\d+", "N", line)[:110])
    if d.kind in ("code", "failed", "hung"):
        return "%s: %s / %s" % (d.kind, str(d.old)[:60], str(d.new)[:60])
    return d.kind
