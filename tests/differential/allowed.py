# SPDX-License-Identifier: Zlib
"""Differences that DESIGN allows, each with its rule. Any other difference is a fault in one of the programs."""
import collections
import re

from context import format_module


def late_verdict(c, d):
    """Rule 2: a file is validated against the base alone; the save refuses content that needs other files."""
    return d.kind == "result" and d.old in ("close EINVAL", "mv EINVAL") and d.new == "0"


def back_after_a_save(c, d):
    """Rule 3, 5: a mandatory entry exists again after the save, so that it cannot be created once more."""
    if d.kind == "result":
        return c.saved and d.new.endswith(("EEXIST", "rmdir ENOTEMPTY", "mv ENOTDIR"))
    return c.saved and d.kind.endswith("-name") and not d.old and c.removed(d.where)


def as_written(c, d):
    """Rule 2: from its close to the next save a file shows the written bytes, then the canonical form."""
    if d.kind not in ("look", "shown", "left") or not isinstance(d.new, bytes) or not isinstance(d.old, bytes):
        return False
    until = d.where[1] if d.kind != "left" else None
    return d.new in c.written(until) or any(
        op[0] == "put" and op[2] == "append" and d.new.endswith(op[3]) for op in c.case.ops[:until])


def as_cut(c, d):
    """Rule 2: a truncated file shows the rest of its bytes."""
    return (d.kind in ("look", "shown", "left") and isinstance(d.new, bytes)
            and any(op[0] == "cut" and op[2] == len(d.new) for op in c.case.ops))


def report_of_a_save(c, d):
    """Rule 6, 12: a report is about one save; an earlier save had its own report."""
    return c.saved and d.kind == "report" and (d.old or d.new).startswith(("@", "saved", "removed", "note", "moved"))


def emptied(c, d):
    """Rule 12: a note reports once that a removed file is empty now."""
    return d.kind == "report" and d.old.startswith("saved: ") and any(
        line.startswith("note: %s was emptied, not removed" % d.old[7:]) for line in c.new.end.report)


def removed_by_two_steps(c, d):
    """One tree, one map: a file that is moved to a scratch name and removed there is removed."""
    return c.aside_and_gone() and d.kind in ("report", "code", "map", "shown", "shown-name", "left", "left-name")


def removed_after_written(c, d):
    """One tree, one map: a removed file is as in the base, or empty, whatever was written to it before."""
    come = {op[2 if op[0] == "mv" else 1] for op in c.case.ops if op[0] in ("put", "mv")}
    gone = [op[1].rpartition("/") for op in c.case.ops if op[0] == "rm" and op[1] in come]
    if d.kind == "report" and d.where.startswith("refused: "):
        return any(above and ": %s: " % above in d.where for above, _, _ in gone)
    if d.kind == "shown" and isinstance(d.old, bytes):  # by another path of the same layer
        return any(above.startswith("groups/") and d.where[0].endswith("/" + name) for above, _, name in gone) and (
            d.old.replace(b" ", b"") in [data.replace(b" ", b"") for data in c.written(None)])
    return d.kind in ("map", "report", "code") and any(
        "info.json was not removed" in line or "was removed, and is empty" in line for line in c.new.end.report) and c.written(None)


def aside_as_it_was(c, d):
    """Rule 4: a file moved to a scratch name stays in the map as in the base, whatever was written to it before."""
    return d.kind in ("map", "report", "code") and any(
        "its file was moved to a name without a meaning" in line for line in c.new.end.report) and c.written(None)


def as_saved(c, d):
    """Section 1, rule 1: after a save a file shows the content of the saved map, with current names and the written
    versions. The old program showed the previous content."""
    if d.kind in ("look-name", "shown-name"):
        return c.saved and not d.old and any(op[0] == "mkdir" for op in c.case.ops)
    return c.saved and d.kind in ("look", "shown") and d.where[0].endswith(".json") and isinstance(d.new, bytes)


def nothing_back(c, d):
    """Rule 6: after a failed save the tree is unchanged, so no entry is restored."""
    return d.kind == "result" and d.old.endswith(("ENOTEMPTY", "EEXIST")) and any(
        i < c.at(d) and c.removed(c.case.ops[c.at(d)][1]) for i in c.new.failed)


def dir_at_a_files_place(c, d):
    """Rule 3, 4: a directory may replace a removed file; the old program treated it as a scratch directory."""
    if c.case.format != "torchlight" or d.kind != "result" or (d.old, d.new) not in (("mv EPERM", "0"), ("0", "mv EPERM")):
        return False
    gone = {op[1].upper() for op in c.case.ops[:c.at(d)] if op[0] in ("rm", "mv")}
    return any(p.upper() in gone for p in c.case.ops[c.at(d)][1:3])


def compiled_over(c, d):
    """One tree, one map: a text is compiled over the base's content, not over what was written or moved there
    before."""
    if c.case.format != "torchlight" or d.kind != "map":
        return False
    targets = [op[2 if op[0] == "mv" else 1].upper() for op in c.case.ops if op[0] in ("put", "mv")]
    return format_module("torchlight").same_but_for_bytes_of(
        {t for t in targets if targets.count(t) > 1}, c.old.end.files, c.new.end.files)


def over_what_was_made(c, d):
    """Rule 3: a new directory without content is empty, also for a rename over it."""
    return d.kind == "result" and (d.old, d.new) == ("mv ENOTEMPTY", "0") and (
        "mkdir", c.case.ops[c.at(d)][2]) in c.case.ops[:c.at(d)]


def standing_after_a_kill(c, d):
    """Rule 3: mandatory directories exist, also in objects that were created before a kill."""
    if d.kind != "result" or not d.old.endswith(" ENOENT"):
        return False
    ops = c.case.ops[:c.at(d)]
    made = [op[1] + "/layers" for op in ops if op[0] == "mkdir"] + [op[2] + "/layers" for op in ops if op[0] == "mv"]
    return ("kill",) in ops and any(isinstance(p, str) and (p + "/").startswith(above + "/") for above in made
                                    for p in c.case.ops[c.at(d)][1:3])


def made_and_emptied(c, d):
    """One tree, one map: a created directory that became empty again is a created directory."""
    made = [op[1] for op in c.case.ops if op[0] == "mkdir"]
    return d.kind in ("report", "code", "map") and any(
        "not removed from %s: it is required" % path in line for line in c.old.end.report for path in made)


def name_of_the_tree(c, d):
    """Rule 5: a name refers to the file with this name, else to the object of the base, which a save recreates."""
    return (d.kind in ("report", "code", "map", "left-name")
            and any("(the map has no such " in line for line in c.new.end.report + c.old.end.report)
            and (c.saved or any(op[0] in ("mv", "rm", "mkdir") for op in c.case.ops)))


def is_true(end, line):
    """Does the table have this value there?"""
    said = re.match(r"refused: terrain.csv: line (\d+), column 1: no point (\d+) ", line)
    rows = end.shown.get("terrain.csv", b"").splitlines()
    return bool(said) and rows[int(said[1]) - 1:][:1] != [] and int(
        rows[int(said[1]) - 1].split(b",")[0]) == int(said[2])


def reason(c, d):
    """The same file is rescued or refused; the reason depends on the order of checks."""
    if d.kind != "report":
        return False

    def left(report):
        return any(line.startswith(d.where.partition(": ")[0] + ": " + d.where.split(": ")[1] + ": ") for line in report)
    if "beyond the points" in d.where:
        return all(any(is_true(end, line) for line in end.report) for end in (c.old.end, c.new.end))
    return d.where.startswith("rescued: ") and left(c.old.end.report) and left(c.new.end.report)


def replaced(c, d):
    """Rule 12: a removed and recreated directory is reported by one line, without its content."""
    notes = [line[len("note: the former "):-len(" was removed")] for line in c.new.end.report
             if line.startswith("note: the former ")]
    return d.kind == "code" and bool(notes) or d.kind == "report" and any(path in d.where for path in notes)


def layer_decides(c, d):
    """Rule 5: if layer.json was written, its size counts, not that of the tables."""
    return d.kind in ("code", "report", "map", "left-name", "shown") and any(
        "(the layer has" in line for line in c.new.end.report) and not any(
            "(the layer has" in line for line in c.old.end.report)


def base_path(c, d):
    """Rule 12: a removed file is reported by its path in the base."""
    return d.kind == "report" and (d.old or d.new).startswith(("removed: ", "note: ")) and c.old.end.code == c.new.end.code


def first_lines(c, d):
    """A report names some files and the number of the others, in the order of current paths."""
    return d.kind == "report" and d.where.startswith("saved: ") and any(
        re.fullmatch(r"saved: and \d+ more", line) for line in c.new.end.report)


def failed_save(c, d):
    """Rule 6: after a failed save the journal has everything; content that an earlier save refused is also rescued."""
    return d.kind == "left-name" and c.new.end.code == c.old.end.code == 4


def replaced_content(c, d):
    """One tree, one map: content that a second close replaced is in no tree, also if a save refuses the second one."""
    puts = [op[2 if op[0] == "mv" else 1] for op in c.case.ops if op[0] in ("put", "mv")]
    again = {p for p in puts if puts.count(p) > 1}
    if c.fails_once():
        return d.kind in ("report", "code", "map", "left-name") and any(
            line.startswith("rescued: ") and p + ": " in line for p in again for line in c.old.end.report)
    return d.kind in ("report", "code", "map", "left-name") and again and any(
        "no valid" in line for line in c.new.end.report)


def aside_shows_the_base(c, d):
    """Rule 2, 4: a file moved to a scratch name shows the base's content, whatever other files have now."""
    return d.kind in ("shown", "look", "left") and is_aside(c, d.where[0])


def is_aside(c, path):
    return format_module(c.case.format).is_aside(path)


def gone_with_a_save(c, d):
    """Rule 4: references to a removed object become none at the save; an object created later is another one."""
    return c.saved and d.kind == "map" and any(op[0] == "rm" for op in c.case.ops)


def order_among_equals(c, d):
    """The layout's rule: of objects with one number, those of the base come first, then names in order, not calls."""
    places = collections.Counter()
    for op in c.case.ops:
        if op[0] in ("mv", "mkdir") or (op[0] == "put" and op[2] in ("new", "trunc", "shell")):
            above, _, name = op[2 if op[0] == "mv" else 1].rpartition("/")
            places[above, int((re.match(r"\d+", name) or [-1])[0])] += 1
    return d.kind == "map" and max(places.values(), default=0) > 1 and format_module(c.case.format).same_but_for_order(
        c.old.end.files, c.new.end.files)


def base_of_the_file(c, d):
    """Section 1: the base is the map as saved, with the content of its file."""
    return c.saved and c.case.format == "triclon" and (
        d.kind in ("look", "shown") and d.where[0] == "info.json" or d.where == "objects.csv")


def made_after_a_save(c, d):
    """Section 1: an object that a save moved or removed is in no base; a file created there is new: after the others,
    with the type of its suffix."""
    return d.kind == "map" and c.saved and format_module(c.case.format).same_but_for_order(c.old.end.files, c.new.end.files)


def moved_as_shown(c, d):
    """Section 3, rule 2: a file renamed to or from a compiled suffix has the shown content; until the save that is
    the written content."""
    if c.case.format != "torchlight":
        return False
    moved, written = format_module("torchlight").kinds_changed(c.case.ops)
    if d.kind in ("look", "shown", "left"):
        return d.where[0].upper() in moved
    if d.kind == "result":
        return d.where.split()[1] == "mv" and d.old == "0" and d.new == "mv EINVAL" and bool(written or moved)
    return d.kind in ("map", "report", "code") and written


def time_before_a_kill(c, d):
    """Rule 8: the journal holds no times."""
    kill = max((i for i, op in enumerate(c.case.ops) if op[0] == "kill"), default=0)
    return d.kind in ("map", "report", "code") and any(op[0] == "utime" for op in c.case.ops[:kill])


def letters(c, d):
    """Rule 1: a name has the case in which it was written, created or renamed. The old program reported it in the
    case of the last write, and kept that of before a rename."""
    if c.case.format != "torchlight" or d.kind not in ("look-name", "shown-name", "left-name", "report"):
        return False
    if d.kind == "report":
        other = c.new.end.report if d.old else c.old.end.report
        return d.where.lower() in [line.lower() for line in other]
    if d.kind == "left-name":
        return d.where.lower() in [path.lower() for path in (c.new if d.old else c.old).end.left]
    names = [op[2 if op[0] == "mv" else 1].rpartition("/")[2] for op in c.case.ops if op[0] in ("mv", "mkdir") or (
        op[0] == "put" and op[2] in ("new", "trunc", "shell"))]
    return any(n.lower() in d.where.lower().split("/") and (d.old or n in d.where.split("/")) for n in names)


def time_of_moved(c, d):
    """Rule 2: a moved file has its own time, also if another file has its old name."""
    return d.kind == "map" and any(op[0] == "mv" for op in c.case.ops) and c.case.format == "torchlight" and format_module(
        "torchlight").same_but_for_times(c.old.end.files, c.new.end.files)


def time_of_a_draft(c, d):
    """Rule 2: refused content never enters the map, nor does its time."""
    refused = [op[1] for op, r in zip(c.case.ops, c.new.results) if r and r.endswith("EINVAL")]
    return d.kind in ("report", "map") and any(op[0] == "utime" and op[1] in refused for op in c.case.ops)


def judged_as_written(c, d):
    """Rule 2: a truncated or extended file is validated by its written bytes, alone and against the base. Other
    changed files (the type of a new layer) do not count."""
    op = c.case.ops[c.at(d)] if d.kind == "result" else ()
    if op and op[0] == "cut" and (d.old, d.new) == ("cut EINVAL", "0"):
        return op[1] in [o[2 if o[0] == "mv" else 1] for o in c.case.ops[:c.at(d)] if o[0] in ("put", "mv")]
    if not op or d.old != "0" or not d.new.endswith(" EINVAL"):
        return False
    if op[0] == "put" and op[2] == "append":
        return any(o[0] in ("put", "mv") and o[2 if o[0] == "mv" else 1] == op[1] for o in c.case.ops[:c.at(d)])
    return op[0] == "cut" or op[2 if op[0] == "mv" else 1].endswith("layer.json") or (
        op[0] == "mv" and any(r and r.endswith("EINVAL") for r in c.new.results))


def made_is_new(c, d):
    """Rule 2, 10: a new file is validated as new each time it is written."""
    op = c.case.ops[c.at(d)] if d.kind == "result" else ()
    return bool(op) and (d.old, d.new) == ("0", "close EINVAL") and op[1].startswith("envelopes/") and op[1] in [
        o[2 if o[0] == "mv" else 1] for o in c.case.ops[:c.at(d)] if o[0] in ("put", "mv")]


def waiting_is_dropped(c, d):
    """Rule 2: user.mapfs.error of a file has the reason for which the save would refuse it, and can be removed. A
    scratch file has no error."""
    if d.kind == "result" and d.old == "drop of what was said ENODATA":
        return d.new == "drop ENODATA" and is_aside(c, c.case.ops[c.at(d)][1])
    return d.kind == "result" and (d.old, d.new) == ("drop ENODATA", "0")


def damaged(c, d):
    """Rule 2: content that needs damaged data is refused and kept; it is validated against the base."""
    return d.kind == "result" and (d.old, d.new) in (("close EIO", "close EINVAL"), ("mv EIO", "mv EINVAL"))


def draft_of_the_other_form(c, d):
    """Rule 12: refused content is rescued, also if the object's other form was written since."""
    if d.kind not in ("shown-name", "look-name", "left-name", "code", "report"):
        return False
    written = {op[2 if op[0] == "mv" else 1] for op in c.case.ops if op[0] in ("put", "mv", "cut")}
    refused = {p for p in written if any(line.startswith("rescued: ") and p + ": " in line for line in c.new.end.report)}
    forms = [p for p in refused for ending in (".png", ".json") if p.startswith("images/")
             and p.rpartition(".")[0] + ending in written - {p}]
    return bool(forms) and (d.kind == "code" or any(p in d.where for p in forms))


def size_of_a_layer(c, d):
    """Rule 5, 12: a written layer.json or all tables together decide the size. A table of the base's size is cut or
    filled; a file moved over one shows its old content until the save; a resized file was saved."""
    layers = format_module(c.case.format).resized(c.case.ops) if c.case.format == "teeworlds" else ()
    if d.kind in ("look", "shown"):
        return d.where[0].endswith((".csv", "layer.json")) and d.where[0].rpartition("/")[0] in layers
    if d.kind in ("report", "left-name"):
        return any(layer + "/" in d.where for layer in layers) and (".csv" in d.where or any(
            "(the layer has" in line for line in (d.where, *c.old.end.report)))
    return bool(layers) and d.kind in ("code", "map") and any(
        "(the layer has" in line for line in c.old.end.report + c.new.end.report)


def raw_first(c, d):
    """Section 1: contents are applied in the order of their paths, raw/ first; numbers in raw/ are those of the saved
    map."""
    changes = [op for op in c.case.ops if op[0] in ("put", "cut", "mv", "rm", "sync")]
    raw = [op for op in changes if op[0] in ("put", "cut") and op[1].startswith("raw/")]
    if not raw or len(raw) == len(changes):
        return False
    if d.kind == "result":
        return ("sync",) in c.case.ops[:c.at(d)] and c.case.ops[c.at(d)][1].startswith("raw/")
    if d.kind == "left-name":
        return c.saved and "/raw/" in d.where
    return d.kind in ("look", "shown", "map", "code") or d.kind == "report" and (
        "raw/" in d.where or d.where.startswith("refused: ") or c.fails_once())


def written_over(c, d):
    """One tree, one map: replaced content is in no tree and leaves nothing behind: fields that a JSON lacks are as in
    the base."""
    targets = [op[2 if op[0] == "mv" else 1] for op in c.case.ops if op[0] in ("put", "mv")]
    if d.kind == "report":
        return d.where.startswith("saved: ") and targets.count(d.where[7:]) > 1 and c.says_less(d.where[7:])
    return d.kind == "map" and any(t.startswith("info/") and targets.count(t) > 1 for t in targets) or (
        d.kind in ("map", "code") and any(targets.count(t) > 1 and c.says_less(t) for t in targets)) or (
        d.kind == "map" and any(
            t.startswith("images/") and t.endswith(".png") and t[:-3] + "json" in targets for t in targets))


def made_anew(c, d):
    """One tree, one map: a removed file, or one moved to a scratch name, is no content of a new file in its place. If
    the new content is refused, the map has the base's content."""
    gone = {op[1]: i for i, op in enumerate(c.case.ops) if op[0] in ("rm", "mv")}
    last = {op[2 if op[0] == "mv" else 1]: r for op, r in zip(c.case.ops, c.new.results) if op[0] in ("put", "mv")}
    written = {op[1] for op in c.case.ops if op[0] == "put"}
    paths = [p for p in gone if p in written or any(op[0] == "mv" and op[2] == p for op in c.case.ops)]
    paths = [p for p in paths if (last.get(p) or "").endswith("EINVAL") or c.aside_and_gone() or any(
        op[0] == "mv" and op[1] == p and is_aside(c, op[2]) for op in c.case.ops)]
    if d.kind in ("report", "left-name"):
        return any(p in d.where for p in paths) or bool(paths) and c.fails_once()
    return d.kind in ("map", "code") and bool(paths)


def empty_as_before(c, d):
    """Rule 12: a file that has the content of the base again was not saved."""
    return d.kind == "report" and d.old.startswith("saved: ") and not d.new and not c.map_differs()


def dirs_of_hidden(c, d):
    """Section 1: after a save, the directories of hidden files exist as in the saved archive."""
    if c.case.format != "torchlight" or not c.saved:
        return False
    if d.kind == "result":
        return d.new.endswith(" ENOTEMPTY") and any(
            format_module("torchlight").lists_below(c.case.ops, p) for p in c.case.ops[c.at(d)][1:3])
    return d.kind in ("look-name", "shown-name") and not d.old and format_module("torchlight").lists_below(c.case.ops, d.where)


def refused_rename(c, d):
    """Rule 2: a rename that would write invalid content fails with EPERM."""
    return d.kind == "result" and (d.old, d.new) == ("mv EINVAL", "mv EPERM")


def validated_alone(c, d):
    """Rule 2: a file is validated by its close, alone and against the base, whatever was written to others before."""
    return d.kind == "result" and (d.old, d.new) == ("0", "close EINVAL")


def validated_as_new(c, d):
    """Rule 2: a file of an object that is new since the base is validated as new, whatever was written to it before."""
    if d.kind != "result" or {d.old, d.new} != {"0", "mv EPERM"}:
        return False
    at = c.at(d)
    target = c.case.ops[at][2]
    return any(op[0] == "mkdir" and target.startswith(op[1] + "/") for op in c.case.ops[:at])


ALLOWED = [late_verdict, refused_rename, validated_alone, validated_as_new, back_after_a_save, as_written, as_cut, report_of_a_save, emptied, removed_by_two_steps,
           removed_after_written, aside_as_it_was, as_saved,
           standing_after_a_kill, made_and_emptied, name_of_the_tree, reason, replaced, layer_decides,
           base_path, first_lines, failed_save, replaced_content, aside_shows_the_base, gone_with_a_save,
           order_among_equals, base_of_the_file, made_after_a_save, moved_as_shown, time_before_a_kill, letters,
           dirs_of_hidden, time_of_moved, time_of_a_draft, judged_as_written, size_of_a_layer, raw_first, written_over,
           made_anew, empty_as_before, nothing_back, over_what_was_made, dir_at_a_files_place,
           compiled_over, made_is_new, waiting_is_dropped, damaged,
           draft_of_the_other_form]
