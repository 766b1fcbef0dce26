# SPDX-License-Identifier: Zlib
"""Random changes of archives and Triclon maps: after each save, a fresh mount shows what the mounted tree showed and
the report said.

test_structure.py does the same for Teeworlds maps. MAPFS_TEST_SEED runs one sequence and prints its steps.
"""
import errno
import json
import os
import random
import re
import sys

import pytest

import share
import told
from box import put
from core import CoreTree, remove
from graph import is_json
from words import numbers

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "..", folder)
                 for folder in ("torchlight", "torchlight/support", "triclon", "triclon/support")]
import archives  # noqa: E402
import tcgen  # noqa: E402

SEED = os.environ.get("MAPFS_TEST_SEED")
STEPS = 25


class Sequence:
    """Random operations on a tree. An impossible operation gives an allowed errno."""

    ALLOWED = {errno.ENOENT, errno.EEXIST, errno.ENOTEMPTY, errno.EPERM, errno.ENOTDIR, errno.EISDIR,
               errno.EINVAL, errno.EXDEV, errno.EACCES}

    def __init__(self, seed, tree, fresh, path):
        self.rng, self.seed, self.tree, self.fresh = random.Random(seed), seed, tree, fresh
        self.log, self.scratch = [], str(path)
        self.refused, self.kept = set(), set()

    def fail(self, what):
        pytest.fail("seed %d\n%s\n%s" % (self.seed, "\n".join(self.log), what))

    def do(self, name, *args):
        self.log.append(" ".join([name] + [repr(a)[:60] for a in args]))
        try:
            getattr(self.tree, name)(*args)
        except OSError as e:
            self.log.append("    " + str(e))
            if e.errno not in self.ALLOWED:
                self.fail(str(e))
            return e.errno
        return 0

    @staticmethod
    def same(path, data, old):
        return data == old

    def shown(self):
        """{path: content} of the map, without scratch files and refused content"""
        return {p: d for p, d in told.tree(self.tree).items()
                if p not in self.refused and not self.is_scratch(p)}

    def saved(self, code, report, before):
        self.log += ["# save"] + report.splitlines()
        self.kept |= {self.name(os.path.basename(p)) for p in re.findall(r"^note: (.*) is kept: its file was moved", report, re.M)}
        if code not in (0, 5):
            self.fail("the save gives %d" % code)
        put(self.scratch, self.tree.map(), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        self.fresh.open(self.scratch)
        after = told.tree(self.fresh)
        why = told.untrue(report, before, after, self.name, self.same)
        if why:
            self.fail(why)
        return {self.name(p): d for p, d in before.items()}, {self.name(p): d for p, d in after.items()}

    def run(self):
        for at in range(STEPS):
            if self.rng.random() < 0.12:
                code, report = self.tree.save()
                self.compare(*self.saved(code, report, self.shown()))
            elif self.rng.random() < 0.04:
                self.log.append("# kill -9")
                self.tree.kill()
            else:
                self.step()
        before = self.shown()
        code, report = self.tree.end()
        self.compare(*self.saved(code, report, before))

    def compare(self, before, after):
        for path in sorted(set(before) | set(after)):
            both = path in before and path in after
            if not (both and self.same(path, after[path], before[path])) and (
                    path in before or os.path.basename(path) not in self.kept):
                self.fail("%s was %r, and is %r" % (path, before.get(path, 0), after.get(path, 0)))


class Archive(Sequence):
    """Files come and go. Refused texts are written only under names of their own."""
    DIRS = ["MEDIA", "MEDIA/UNITS", "MEDIA/MORE", "MEDIA/UNITS/DEEP"]
    COMPILED = {archives.dat("n", level): archives.text_dat("n", level) for level in range(4)}
    NAMES = ["A.DAT", "B.DAT", "C.DAT", "new.dat", "PIC.JPG", "README.TXT", "x.ogg", ".B.DAT.swp", "B.DAT~"]

    @staticmethod
    def name(path):
        return path.upper()

    @staticmethod
    def is_scratch(path):
        return path.endswith("~") or any(p.startswith(".") and p != ".mod" for p in path.split("/"))

    @classmethod
    def same(cls, path, data, old):
        # A mount shows a compiled file as written until it is saved.
        return data == (cls.COMPILED.get(old, old) if path.lower().endswith(".dat") else old)

    def any_path(self):
        return self.rng.choice(self.DIRS) + "/" + self.rng.choice(self.NAMES)

    def step(self):
        rng, path = self.rng, self.any_path()
        what = rng.randrange(10)
        if what < 4:
            text = archives.text_dat("n%d" % rng.randrange(4), rng.randrange(4))
            if not path.lower().endswith(".dat"):
                text = bytes([rng.randrange(256)]) * rng.randrange(5)
            elif rng.random() < 0.3:
                text = archives.dat("n", rng.randrange(4))
            self.do("put", path, text)
        elif what < 6:
            self.do("rename", path, self.any_path())
        elif what < 8:
            self.do("unlink", path)
        elif what == 8:
            self.do(rng.choice(["mkdir", "mkdir", "rmdir"]), rng.choice(self.DIRS))
        elif rng.random() < 0.5:
            self.do("rename", *rng.sample(self.DIRS, 2))
        else:
            bad = rng.choice(self.DIRS) + "/BAD.DAT"
            if self.do("put", bad, b"[UNIT]\n") == errno.EINVAL:
                self.refused.add(bad)

    def shown(self):
        # A directory with a refused file may have been moved.
        return {p: d for p, d in super().shown().items() if not p.endswith("BAD.DAT")}

    def compare(self, before, after):
        # An archive need not have an entry for a directory, so an empty directory may disappear.
        super().compare(*({p: d for p, d in t.items() if d is not None} for t in (before, after)))


class Hill(Sequence):
    """Four files that depend on each other."""
    NAMES = ["info.json", "terrain.csv", "points.csv", "objects.csv", "points.csv~", ".points.swp", "note.txt"]

    @staticmethod
    def name(path):
        return path

    @classmethod
    def is_scratch(cls, path):
        return path not in cls.NAMES[:4]

    @staticmethod
    def same(path, data, old):
        if not is_json(path):
            return data == old
        # An empty list may be read in another form; a written file may omit values.
        data, old = numbers(json.loads(data)), numbers(json.loads(old))
        return all(data[key] == old[key] for key in ("name", "author") if key in old)

    def content(self, path):
        rng, n = self.rng, self.rng.randrange(6)
        if is_json(path):
            return b'{"name": "n%d"%s}' % (n, b", 7" * (n == 0))
        head = b"index,type\n" if "terrain" in path else b"x,type\n" if "objects" in path else b"x,y\n"
        bad = b"x,1\n" if rng.random() < 0.1 else b""
        rows = [(rng.randrange(7), rng.randrange(4)) for _ in range(n)]
        return head + bad + b"".join(b"%d,%d\n" % r for r in rows)

    def step(self):
        path = self.rng.choice(self.NAMES)
        what = self.rng.randrange(8)
        if what < 5:
            if self.do("put", path, self.content(path)) == errno.EINVAL:
                self.refused.add(path)
        elif what < 7:
            self.do("rename", path, self.rng.choice(self.NAMES))
        else:
            self.do("unlink", path)

    def shown(self):
        out = {}
        for path, data in told.tree(self.tree).items():
            # A refused file may be accepted when another file changes.
            if not self.is_scratch(path) and not self.tree.core.ask("error", self.tree.box, path)[1]:
                out[path] = data
        return out

    def saved(self, code, report, before):
        if "can be mistaken for another variant" in report:
            pytest.skip("it takes an option to read it")
        if code != 4:
            return super().saved(code, report, before)
        # The tables contradict each other: nothing is reported as saved, and nothing is saved.
        self.log += ["# refused"] + report.splitlines()
        if "saved:" in report or "removed:" in report:
            self.fail("a failed save reports a saved file")
        return {}, {}

    def compare(self, before, after):
        # The map has the old content of refused files.
        super().compare(before, {p: before[p] if self.same(p, d, before[p]) else d
                                 for p, d in after.items() if p in before})


@pytest.mark.parametrize("saved", [False, True])
def test_changes_in_a_directory_that_moved_and_returned_are_reported(core, small, saved):
    tree = CoreTree(core, 0)
    tree.open(small)
    group, layer = "groups/0_Game", "layers/1_ground"
    if saved:
        tree.put("info/author", b"saved\n")
        tree.save()
    tree.rename(group, "groups/9_away")
    changed = ["groups/9_away/group.json", "groups/9_away/layers/9_away/id.csv"]
    tree.rename("groups/9_away/" + layer, "groups/9_away/layers/9_away")
    for path, old, new in zip(changed, (b'"x_offset": 0', b"  1"), (b'"x_offset": 9', b"  7")):
        tree.put(path, tree.get(path).replace(old, new))
    assert {"changed " + path for path in changed} <= set(status(tree))
    tree.rename("groups/9_away/layers/9_away", "groups/9_away/" + layer)
    tree.rename("groups/9_away", group)
    home = ["%s/group.json" % group, "%s/%s/id.csv" % (group, layer)]
    assert sorted(status(tree)) == ["changed " + path for path in home]
    assert tree.end() == (0, "".join("saved: %s\n" % path for path in home))


def layer_like(tree, path, like):
    tree.mkdir(path)
    tree.put(path + "/layer.json", tree.get(like + "/layer.json"))


def test_a_new_layer_without_its_layer_json_is_not_saved(core, small):
    tree = CoreTree(core, 0)
    tree.open(small)
    layer_like(tree, "groups/0_Game/layers/9_new", "groups/0_Game/layers/1_ground")
    tree.unlink("groups/0_Game/layers/9_new/layer.json")
    assert tree.end() == (0, "note: groups/0_Game/layers/9_new is not saved: it has no valid layer.json\n")


def test_a_new_layer_that_was_removed_again_is_not_reported(core, small):
    tree = CoreTree(core, 0)
    tree.open(small)
    layer_like(tree, "groups/0_Game/layers/9_new", "groups/0_Game/layers/1_ground")
    tree.unlink("groups/0_Game/layers/9_new/layer.json")
    tree.rmdir("groups/0_Game/layers/9_new")
    assert tree.end() == (0, "")


def test_notes_use_the_new_path_of_moved_objects(core, small):
    tree = CoreTree(core, 0)
    tree.open(small)
    tree.rename("groups/0_Game", "groups/4_away")
    layers = "groups/4_away/layers/"
    layer_like(tree, layers + "0_new", layers + "1_ground")
    tree.rename(layers + "0_new", layers + "7_newer")
    tree.rename(layers + "1_ground", layers + "0_soil")
    tree.unlink(layers + "0_soil/layer.json")
    tree.unlink("groups/4_away/group.json")
    tree.unlink("images/0_checker.png")
    code, report = tree.end()
    notes = [line for line in report.splitlines() if line.startswith("note: ")]
    assert code == 5 and sorted(notes) == [
        "note: group.json was not removed from groups/4_away: it is required",
        "note: groups/4_away/layers/0_soil lost its image: images/0_checker.png was removed",
        "note: groups/4_away/layers/7_newer lost its image: images/0_checker.png was removed",
        "note: layer.json was not removed from groups/4_away/layers/0_soil: it is required"]


def test_a_note_is_repeated_if_it_was_untrue_in_between(core, small):
    image, layer = "images/0_checker.png", "groups/0_Game/layers/1_ground/layer.json"
    gone = "note: groups/0_Game/layers/1_ground lost its image: %s was removed\nremoved: %s\n" % (image, image)
    tree = CoreTree(core, 0)
    tree.open(small)
    pixels, about = tree.get(image), tree.get(layer)
    tree.unlink(image)
    assert tree.save() == (0, gone)
    tree.put("info/author", b"me\n")
    assert tree.save() == (0, "saved: info/author\n")
    tree.put(image, pixels)
    tree.put(layer, about)
    assert tree.save() == (0, "saved: %s\nsaved: %s\n" % (layer, image))
    tree.unlink(image)
    assert tree.end() == (0, gone)


def test_a_refused_save_reports_nothing_about_the_unwritten_map(core, small):
    tree = CoreTree(core, 0)
    tree.open(small)
    tree.unlink("images/0_checker.png")
    remove(tree, "groups/0_Game/layers/0_Game")
    code, report = tree.end()
    assert code == 4 and "the map has no game layer" in report and "lost its image" not in report


@pytest.mark.parametrize("kind", ["tiles", "quads"])
def test_the_removed_content_of_a_recreated_directory_is_one_note(core, small, kind):
    layer = "groups/0_Game/layers/1_ground"
    tree = CoreTree(core, 0)
    tree.open(small)
    about = tree.get(layer + "/layer.json") if kind == "tiles" else b'{"type": 3}'
    remove(tree, layer)
    tree.mkdir(layer)
    tree.put(layer + "/layer.json", about)
    assert tree.end() == (0, "note: the former %s was removed\nsaved: %s\n" % (layer, layer))


def test_an_image_with_a_refused_other_form_is_reported_once(core, small):
    tree = CoreTree(core, 0)
    tree.open(small)
    tree.rename("images/0_checker.png", "images/5_away.png")
    assert tree.save() == (0, "saved: images/5_away.png\n")
    with pytest.raises(OSError):
        tree.put("images/0_checker.json", b"{")
    refused, = status(tree)
    assert refused.startswith("refused images/0_checker.json: ")
    assert tree.list("images") == ["0_checker.json", "1_grass_main.json", "5_away.png"]
    code, report = tree.end()
    line, = report.splitlines()
    assert code == 5 and "images/0_checker.json" in line and line.startswith("rescued: ")


def test_a_form_that_was_accepted_and_then_refused_is_rescued_alone(core, small):
    tree = CoreTree(core, 0)
    tree.open(small)
    png = tree.get("images/0_checker.png")
    tree.put("images/0_checker.json", b'{"external": true, "width": 64, "height": 64}')
    with pytest.raises(OSError):
        tree.put("images/0_checker.json", b"{")
    tree.put("images/0_checker.png", png)
    refused, = status(tree)
    assert refused.startswith("refused images/0_checker.json: ")
    code, report = tree.end()
    line, = report.splitlines()
    assert code == 5 and line.startswith("rescued: ")


@pytest.mark.parametrize("again", [False, True])
def test_a_layer_removed_from_a_moved_group_is_reported_once(core, small, again):
    tree = CoreTree(core, 0)
    tree.open(small)
    remove(tree, "groups/0_Game/layers/1_ground")
    tree.rename("groups/0_Game", "groups/4_away")
    assert status(tree) == ["renamed groups/4_away", "removed groups/4_away/layers/1_ground"]
    if again:
        layer_like(tree, "groups/4_away/layers/1_ground", "groups/4_away/layers/0_Game")
        assert tree.end()[1].splitlines()[1:] == [
            "note: the former groups/4_away/layers/1_ground was removed", "saved: groups/4_away",
            "saved: groups/4_away/layers/1_ground"]
    else:
        assert tree.end() == (0, "removed: groups/4_away/layers/1_ground\nsaved: groups/4_away\n")


def status(tree):
    return tree.ask("status")[1].decode().splitlines()


def seeds(many, few):
    return [int(SEED)] if SEED else range(1, share.of(many, few) + 1)


def test_reports_of_random_changes_of_archives_are_true(core, tmp_path):
    path = tmp_path / "S.MOD"
    path.write_bytes(archives.small_mod())
    tree, fresh = CoreTree(core, 0), CoreTree(core, 2)
    for seed in seeds(2000, 150):
        tree.open(str(path))
        Archive(seed, tree, fresh, tmp_path / "again.MOD").run()


def test_reports_of_random_changes_of_triclon_maps_are_true(core, tmp_path):
    path = tmp_path / "hill.tcm"
    tree, fresh = CoreTree(core, 0), CoreTree(core, 2)
    for seed in seeds(2000, 150):
        rng = random.Random(seed)
        path.write_bytes(tcgen.content(rng, tcgen.VARIANTS[seed % len(tcgen.VARIANTS)]).encode())
        tree.open(str(path))
        try:
            Hill(seed, tree, fresh, tmp_path / "again.tcm").run()
        except pytest.skip.Exception:
            assert not SEED
