# SPDX-License-Identifier: Zlib
"""merge: three maps become one that says what both sides say, or names what cannot be joined."""
import os
import pathlib
import random
import shutil
import subprocess
import tempfile

import pytest

import maps  # first: it says what else can be imported
import merging
import places
import randommap
import share
from box import get

ROUNDS = share.of(1000, 60)


def run(*args, **kw):
    kw = {"input": b"", **kw}
    return subprocess.run([places.BINARY, *args], capture_output=True, timeout=300, **kw)


def good(*args, **kw):
    r = run(*args, **kw)
    assert r.returncode == 0, (args, r.stderr)
    return r


def merge(where, *args, code=None):
    r = subprocess.run([places.BINARY, "merge", *args, "b.map", "o.map", "t.map", "out.map"], cwd=where,
                       capture_output=True, timeout=300, text=True)
    if code is not None:
        assert r.returncode == code, (r.returncode, r.stderr)
    return r


def content(path):
    return good("text", path).stdout


@pytest.fixture
def three(tmp_path):
    """A directory with b.map, o.map and t.map, which are the same, and the map's tree."""
    return make_three(tmp_path, randommap.random_map(7))


def make_three(where, data):
    for name in ("b.map", "o.map", "t.map"):
        (where / name).write_bytes(data)
    good("extract", "-o", "raw=off", str(where / "b.map"), str(where / "tree"))
    return where


# ---- laws

def law_maps():
    found = [p for p in maps.each_map(400_000)]
    return found


@pytest.mark.parametrize("path", law_maps())
def test_a_map_that_one_side_changed_is_that_sides_to_the_byte(tmp_path, path):
    end = os.path.splitext(path)[1]
    pair = os.path.exists(path + ".MAN")
    if run("ls", path).returncode or pair:
        pytest.skip("refused by a mount, too" if not pair else "two files")
    other = {".map": ("info/author", b"somebody else\n"), ".tcm": ("points.csv", b"x,y\n5,6\n")}.get(
        end, ("MEDIA/NEW.TXT", b"new\n"))
    names = [str(tmp_path / (n + end)) for n in ("b", "x", "out")]
    b, x, out = names
    shutil.copy(path, b)
    shutil.copy(path, x)
    if run("put", x, other[0], input=other[1]).returncode:
        pytest.skip("it takes no other " + other[0])
    for args, result in (((b, b, x), x), ((b, x, b), x), ((b, x, x), x), ((x, x, x), x)):
        r = run("merge", *args, out)
        assert (r.returncode, r.stdout) == (0, b""), r.stderr
        assert get(out) == get(result)
    assert sorted(os.listdir(tmp_path)) == sorted(os.path.basename(n) for n in names)


def test_what_only_theirs_changed_is_taken_also_where_ours_was_written_anew(three):
    """Not by the bytes: ours says what the base says, in other bytes."""
    good("put", str(three / "o.map"), "info/author", input=b"x\n")
    good("put", str(three / "o.map"), "info/author", input=get(three / "tree/info/author"))
    edit(three, "t", random.Random(3), 2, 6)
    if get(three / "o.map") == get(three / "b.map"):
        with open(three / "o.map", "ab") as f:
            f.write(b"trailing")
    merge(three, code=0)
    assert facts_of(three, "out") == facts_of(three, "t")


# ---- a model

def edit(where, side, rng, number, n):
    """A random edit of the tree goes onto the side's map."""
    tree = str(where / ("tree-" + side))
    shutil.copytree(where / "tree", tree)
    merging.Edits(tree, rng, number).some(n)
    good("pack", "-o", "raw=off", "--exact", "--onto", str(where / (side + ".map")), tree)


def facts_of(where, side):
    tree = str(where / ("said-" + side))
    shutil.rmtree(tree, ignore_errors=True)
    good("extract", "-o", "raw=off", str(where / (side + ".map")), tree)
    return merging.facts(tree)


def tagged(where, seed):
    make_three(where, randommap.random_map(seed))
    merging.tag_all(str(where / "tree"))
    good("pack", "-o", "raw=off", "--exact", "--onto", str(where / "b.map"), str(where / "tree"))
    shutil.rmtree(where / "tree")
    return make_three(where, get(where / "b.map"))


def judge(b, o, t, out, r):
    """None, or what is wrong."""
    sure, clash = merging.expected(b, o, t)
    if r.returncode not in (0, 1) or (r.returncode == 1) != ("conflict: " in r.stderr):
        return "exit code %d" % r.returncode
    if clash and r.returncode == 0:
        return "both changed %s, and nothing was said" % sorted(clash, key=str)[:3]
    if r.returncode == 1 and not clash:
        return None  # a doubt of its own, named
    wrong = [(k, v, out.get(k)) for k, v in sure.items() if out.get(k) != v]
    lines = merging.lines_joined(*(f["settings",] for f in (b, o, t)))
    if set(out["settings",]) != lines and "settings.cfg" not in r.stderr:
        wrong.append(("settings", lines, out["settings",]))
    kept = [(k, o.get(k), out.get(k)) for k in clash if len(k) > 2 and out.get(k) != o.get(k)]
    return (wrong + kept)[:3] or None


def one_round(where, seed):
    rng = random.Random(seed)
    tagged(where, seed)
    for number, side in ((1, "o"), (2, "t")):
        edit(where, side, rng, number, rng.randrange(1, 6))
    r = merge(where)
    assert r.returncode in (0, 1), r.stderr
    four = [facts_of(where, side) for side in ("b", "o", "t", "out")]
    return judge(*four, r), r.returncode == 1 and not merging.expected(*four[:3])[1], r


@pytest.fixture
def quick():
    """A directory that no disk has to keep: a thousand rounds sync many files."""
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=base) as where:
        yield pathlib.Path(where)


def test_random_edits_of_two_copies_are_all_in_the_merge_or_named(quick):
    wrong, doubts, conflicts = [], [], 0
    for seed in range(ROUNDS):
        where = quick / str(seed)
        where.mkdir()
        problem, doubt, r = one_round(where, seed)
        conflicts += r.returncode
        if problem:
            wrong.append((seed, problem, r.stderr))
        if doubt:
            doubts.append((seed, r.stderr))
        if not problem:
            shutil.rmtree(where)
    print("%d rounds, %d with conflicts, %d of them for doubt" % (ROUNDS, conflicts, len(doubts)))
    assert wrong == []
    assert len(doubts) <= ROUNDS // 10, doubts
    assert 0 < conflicts < ROUNDS
