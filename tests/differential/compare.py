# SPDX-License-Identifier: Zlib
"""Differences between two runs of a case, without those that DESIGN allows."""
import collections
import re

import case as cases
from allowed import ALLOWED
from context import Context, Difference


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
    """Differences in the order of operations. After a call with two different results the trees differ, so later ones
    are not compared."""
    looks = 0
    for i, op in enumerate(c.case.ops[:min(len(c.old.results), len(c.new.results))]):
        if op[0] == "look" and looks < min(len(c.old.looks), len(c.new.looks)):
            yield from trees("look", i, c.old.looks[looks], c.new.looks[looks])
            looks += 1
        elif c.old.results[i] is not None and c.old.results[i] != c.new.results[i]:
            yield Difference("result", "%d: %s" % (i, cases.line(op)), c.old.results[i], c.new.results[i])
            return
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
    if c.map_differs():
        yield Difference("map", "", one.files.get(""), two.files.get(""))
    yield from trees("left", 0, one.left, two.left)


def differences(case, old, new):
    """(differences that no rule allows, number of allowed ones by rule)"""
    c, out, allowed = Context(case, old, new), [], collections.Counter()
    for d in all_differences(c):
        rule = next((r for r in ALLOWED if r(c, d)), None)
        if rule:
            allowed[rule.__name__] += 1
        else:
            out.append(d)
    return out, allowed


def describe(d):
    """A difference as text for people."""
    def short(v):
        return repr(v if len(v) <= 600 else v[:600] + b"...") if isinstance(v, bytes) else str(v)
    return "%s %s\n    old: %s\n    new: %s" % (d.kind, d.where, short(d.old), short(d.new))


def signature(d):
    """The type of a difference, by which differences are counted, and which shrinking keeps."""
    if d.kind == "result":
        return "result %s: %s / %s" % (d.where.split()[1], d.old, d.new)
    if d.kind == "report":
        line = re.sub(r"'[^']*'|\"[^\"]*\"", "_", d.where)
        line = re.sub(r"(images|sounds|envelopes|groups|info|MEDIA|\.mod|@)\S*( \S+\.(json|png|csv))?", "PATH", line)
        return "report of the %s: %s" % ("old one" if d.old else "new one", re.sub(r"\d+", "N", line)[:110])
    if d.kind in ("code", "failed", "hung"):
        return "%s: %s / %s" % (d.kind, str(d.old)[:60], str(d.new)[:60])
    return d.kind
