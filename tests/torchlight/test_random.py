# SPDX-License-Identifier: Zlib
"""Random edits of small archives, compared with a plain model of a tree with folded names (model.py). After each save
an independent reader finds in the archive what the model holds, and the report names added, removed and kept files;
after a kill, the next mount shows all closed content. The sequences run on the tree without FUSE (mount/core.c).
MAPFS_TEST_SEED=N runs one sequence and prints its steps; MAPFS_TEST_ALL=1 runs more."""
import contextlib
import os

import pytest

import archives
import places
import tlread
import told
import tlwrite
from core import CoreTree
from model import Model
from modeltree import EPOCH, HIDDEN_DIR, Dir, File, fold, kind, path_of
from randomedits import Edits, texts

SEED = os.environ.get("MAPFS_TEST_SEED")
MORE = bool(os.environ.get("MAPFS_TEST_ALL"))
ROUNDS, STEPS = 4, 9
WHEN = EPOCH + 10 ** 16  # older than any edit
FORMS = ["utf8", "utf16", "utf8", "utf8", "off"]
TEXTS = {form: texts(form) for form in FORMS}


def make_archive(seed):
    """An archive in one of three styles: (file, manifest or None, {path: content}, hidden, directories)."""
    made = {sort: list(b.values()) for sort, b in TEXTS["utf8"][1].items()}
    dat = made["DAT"]
    files = {"MEDIA/README.TXT": b"hello\n", "MEDIA/U.DAT": dat[0], "MEDIA/D1/U.DAT": dat[1],
             "MEDIA/D1/A.TXT": b"a", "MEDIA/D1/DEEP/B.TXT": b"b", "MEDIA/D2/V.DAT": dat[2], "MEDIA/D2/C.OGG": b"",
             "MEDIA/L.LAYOUT": made["LAYOUT"][0], "MEDIA/D2/M.LAYOUT": made["LAYOUT"][1],
             "MEDIA/SKILLS.RAW": made["SKILLS.RAW"][0]}
    hidden = ["MEDIA/D2/GONE.DAT", "MEDIA/HID1/X.DAT"] if seed % 3 else []
    section, records = tlwrite.Pak(), {}
    for path, data in files.items():
        above, _, name = path.rpartition("/")
        records.setdefault(above + "/", []).append(
            tlwrite.entry(name, section.add(data), data, 0 if name.endswith(".DAT") else 18, WHEN))
    for path in hidden:
        above, _, name = path.rpartition("/")
        records.setdefault(above + "/", []).append(tlwrite.entry(name))
    total = sum(map(len, records.values())) + sum(p.count("/") for p in records)
    section, empty = section.finish(), []
    if seed % 4 >= 2:
        records["MEDIA/"].append(tlwrite.entry("D3/", kind=7))
        empty = ["MEDIA/D3"]
    table = tlwrite.manifest(list(records.items()), total=total)
    if seed % 2:
        return section, table, files, hidden, empty
    return tlwrite.modheader(len(section), dels=hidden) + section + table, None, files, hidden, empty


def decode_content(path, data):
    sort = kind(path)
    if sort == "DAT":
        return tlread.bindat(data)["root"]
    if sort == "LAYOUT":
        return tlread.binlayout(data)["objects"]
    return tlread.raw(sort.removesuffix(".RAW"), data) if sort else data


class Sequence:
    """A random sequence of edits, saves and kills of one archive."""

    def __init__(self, seed, tree, room, files, hidden, empty):
        self.seed, self.tree, self.room = seed, tree, room
        self.form = FORMS[seed % 5]
        self.pak = bool(seed % 2)
        base = {"MEDIA": None, **dict.fromkeys(empty)}
        self.model = Model(TEXTS[self.form][0], self.form == "off", base, hidden)
        self.model.set_base({**base, **{p: (self.first(p, d), WHEN) for p, d in files.items()}}, hidden)
        self.model.remounted()
        self.edits = Edits(seed, self.model, tree)

    def first(self, path, data):
        return data if self.form == "off" else self.text(path, data)

    def fail(self, what):
        pytest.fail("seed %d\n%s\n%s" % (self.seed, "\n".join(self.edits.log), what))

    # ---- comparisons

    def assert_shown(self, what):
        got = told.tree(self.tree)
        control = [p for p in got if p.startswith(".mod")]
        listed = got.get(".mod/removed.txt", b"").decode().splitlines()
        got = {fold(p): d for p, d in got.items() if p not in control}
        if len(got) + len(control) != len(told.tree(self.tree)):
            self.fail("%s shows a name twice" % what)
        self.assert_equal_files(self.model.shown(), got, what)
        if sorted(listed) != sorted(self.model.listed):
            self.fail("%s lists %s as removed instead of %s" % (what, listed, self.model.listed))

    def assert_equal_files(self, want, got, what):
        lines = ["%s: not there" % p for p in want if p not in got] + [
            "%s: there" % p for p in got if p not in want] + [
            "%s: %r instead of %r" % (p, got[p], want[p]) for p in want if p in got and got[p] != want[p]]
        if lines:
            self.fail("%s:\n%s" % (what, "\n".join(lines)))

    def read_archive(self, a):
        """The archive's files as the mount would show them."""
        if any(len(b) > 1 for b in a.files.values()) or any(p != fold(p) for p in a.files):
            self.fail("names: %s" % {p: len(b) for p, b in a.files.items()})
        return {p: b[0] if self.model.plain else self.text(p, b[0]) for p, b in a.files.items()}

    def text(self, path, data):
        if not kind(path):
            return data
        return next((t for t, b in TEXTS[self.form][1][kind(path)].items() if decode_content(path, b) == decode_content(path, data)),
                    data)

    def check_saved(self, a, code, report, result, shown, fresh):
        was, got = dict(self.model.objects(self.model.base, "")), self.read_archive(a)
        self.assert_equal_files({p: data for p, (data, _) in result.files.items()}, got, "the archive")
        hidden = self.model.canonical(got)
        if sorted(a.removed) != sorted(hidden):
            self.fail("the archive hides %s instead of %s" % (a.removed, hidden))
        self.check_times(a, result)
        self.check_dirs(a, hidden)
        self.check_report(was, result, code, report)
        # A directory stays as long as the list hides a file in it, even if the directory is removed.
        report = "".join(line + "\n" for line in report.splitlines() if not any(
            h.startswith(fold(line).removeprefix("REMOVED: ") + "/") for h in hidden))
        why = told.untrue(report, shown, told.tree(fresh), fold, self.alike)
        if why:
            self.fail(why + "\n" + report)

    @staticmethod
    def alike(path, data, old):
        """The hidden files are compared with the archive; in a PAK their order differs."""
        return data == old or path == ".mod/removed.txt"

    def check_times(self, a, result):
        for path, (_, time) in result.files.items():
            if time is not None and a.times[path] != time:
                self.fail("%s has the time %s instead of %s" % (path, a.times[path], time))

    def check_dirs(self, a, hidden):
        got = set()
        for path, entries in a.man["dirs"]:
            paths = [path] + [path + e["name"] for e in entries if e["type"] == 7]
            for parts in (p.strip("/").split("/") for p in paths):
                got |= {"/".join(parts[:i + 1]) for i in range(len(parts))}
        want = self.model.dirs(hidden)
        self.assert_equal_files({p: 0 for p in want}, {p: 0 for p in got if p and (p in want or HIDDEN_DIR not in p)},
                    "the archive's directories")

    def check_report(self, was, result, code, report):
        lines = [fold(line) for line in report.splitlines()]

        def is_reported(path, kind):
            parts = fold(path).split("/")
            return any("%s: %s" % (kind, "/".join(parts[:i])) in lines for i in range(1, len(parts) + 1))

        def replaced(path):
            parts = path.split("/")
            return any(line % "/".join(parts[:i]) in lines for i in range(1, len(parts) + 1) for line in (
                "NOTE: THE FORMER %s WAS REMOVED",
                "NOTE: %s WAS EMPTIED, NOT REMOVED: THE MAP ALWAYS HAS IT"))
        if code != (5 if any(line.startswith("RESCUED: ") for line in lines) else 0):
            self.fail("exit code %d\n%s" % (code, report))
        for path in result.kept.values():
            if not any(line.startswith("NOTE: %s IS KEPT: ITS FILE WAS MOVED" % path) for line in lines):
                self.fail("not told: %s stays\n%s" % (path, report))
        stays = set(result.of.values())
        for path, obj in was.items():
            paths = path, self.model.path_now(obj)
            if obj not in stays and not any(is_reported(p, "REMOVED") or replaced(fold(p)) for p in paths):
                self.fail("not told: %s went\n%s" % (path, report))
        for path, (data, _) in result.files.items():
            if (path not in was or was[path].data != data) and path not in result.kept.values() and not (
                    is_reported(path, "SAVED") or any(line.startswith("SAVED: AND ") for line in lines)):
                self.fail("not told: %s is new\n%s" % (path, report))

    # ---- a sequence

    def run(self):
        try:
            for at in range(ROUNDS):
                for _ in range(STEPS):
                    self.edits.step()
                self.assert_shown("the mount")
                what = self.edits.rng.choice(["save", "kill", "save, kill", "end"])
                self.edits.log.append("# " + what)
                if what.startswith("save"):
                    self.save(self.tree.save)
                if what == "end":
                    self.save(self.tree.end)
                if what != "save":
                    self.remount_after_kill("the next mount")
            self.edits.log.append("# end")
            self.save(self.tree.end)
        except (AssertionError, OSError, RuntimeError) as e:
            self.fail(str(e))

    def save(self, save):
        result = self.model.build()
        stands = {fold(path_of(n)) for n in self.model.nodes(False) if isinstance(n, Dir)} | result.files.keys()
        shown = {p: result.files.get(fold(p), (d,))[0] for p, d in told.tree(self.tree).items()
                 if p.startswith(".mod") or fold(p) in stands}
        files = self.tree.files()
        code, report = save()
        if save == self.tree.end:
            self.check_left(report)
        a = self.tree.archive(self.room)
        with self.tree.fresh(self.room) as fresh:
            self.check_saved(a, code, report, result, shown, fresh)
        new = {p: (data, a.times[p]) for p, (data, _) in result.files.items()}
        self.model.saved(result, new, files != self.tree.files())
        if save == self.tree.end:
            self.model.ended()

    def check_left(self, report):
        """Refused content is copied out and reported."""
        left = [fold(line.partition(".mapfs-left")[2].partition("/")[2]) for line in report.splitlines() if line.startswith("rescued: ")]
        drafts = {fold(path_of(n)) for n in self.model.nodes(False) if isinstance(n, File) and n.refused}
        for path in drafts:
            if not any(line.startswith(path + ":") for line in left):
                self.fail("not told: %s is left\n%s" % (path, report))

    def remount_after_kill(self, what):
        form = self.form if self.form == "off" else self.edits.rng.choice(["utf8", "utf8", "utf16"])
        notes = self.tree.kill("text=" + form)
        # Content that returns and all other content are unchanged.
        if "with its options: -o text=%s\n" % self.form not in notes:
            self.form = form
        self.tree.option = "text=" + self.form
        self.edits.log.append("# text=" + self.form)
        self.model.remounted(TEXTS[self.form][0])
        self.assert_shown(what)


class ArchiveTree(CoreTree):
    def __init__(self, core, pak, option):
        super().__init__(core, 0)
        self.pak, self.option = pak, option

    def drop(self, path):
        self.ask("drop", path)

    def write(self, room, name, files):
        path = os.path.join(room, name + (".PAK" if self.pak else ".MOD"))
        for ending, data in zip(("", ".MAN"), files):
            if data is not None:
                with open(path + ending, "wb") as f:
                    f.write(data)
        return path

    def files(self):
        return self.map(), self.map(".MAN") if self.pak else None

    def archive(self, room):
        path = self.write(room, "saved", self.files())
        return archives.Archive(path, path + ".MAN" if self.pak else None)

    @contextlib.contextmanager
    def fresh(self, room):
        tree = CoreTree(self.core, 1)
        tree.open(self.write(room, "fresh", self.files()), self.option)
        yield tree


@pytest.fixture(scope="module")
def room():
    with places.in_memory() as d:
        yield d


def run(core, room, seed):
    main, man, *rest = make_archive(seed)
    option = "text=" + FORMS[seed % 5]
    tree = ArchiveTree(core, man is not None, option)
    tree.open(tree.write(room, "new", (main, man)), option)
    s = Sequence(seed, tree, room, *rest)
    s.run()
    return s


@pytest.mark.parametrize("share", range(4))
def test_random_edits(core, room, share):
    if SEED:
        if share == 0:
            print("\n".join(run(core, room, int(SEED)).edits.log))
        return
    for seed in range(share, 4000 if MORE else 80, 4):
        run(core, room, seed)
