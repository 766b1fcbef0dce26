# SPDX-License-Identifier: Zlib
"""contrib/git: git shows and merges maps."""
import os
import re
import shutil
import subprocess

import pytest

import datafile
import places
from box import get
from maps import good, run
from test_merging import damage_blobs, write_three_maps

GIT = os.path.join(places.SOURCE, "contrib/git/")


class Repository:
    def __init__(self, top):
        self.top, self.map = top / "repo", str(top / "repo/maps/a b.map")
        self.env = dict(os.environ, HOME=str(top), GIT_CONFIG_NOSYSTEM="1", LC_ALL="C",
                        PATH=os.path.dirname(places.BINARY) + ":" + os.environ["PATH"],
                        **{"GIT_%s_%s" % (a, b): "x@example.org" for a in ("AUTHOR", "COMMITTER") for b in ("NAME", "EMAIL")})
        os.makedirs(self.top / "maps")
        self("init", "-q", ".")
        self("config", "include.path", GIT + "config")
        shutil.copy(GIT + "attributes", self.top / ".gitattributes")

    def __call__(self, *args, code=0):
        r = subprocess.run(["git", *args], cwd=self.top, env=self.env, capture_output=True, text=True)
        assert r.returncode == code, r
        return r.stdout + r.stderr

    def commit(self, message, **texts):
        """Write these files of info/ and commit the map."""
        for name, text in texts.items():
            good("put", self.map, "info/" + name, input=text.encode() + b"\n")
        self("add", ".")
        self("commit", "-qm", message)


@pytest.fixture
def plain(tmp_path):
    return write_three_maps(tmp_path, datafile.small_map())


@pytest.fixture
def git(plain):
    """A repository with a map and two branches that change it."""
    if not shutil.which("git"):
        pytest.skip("not installed: git")
    git = Repository(plain)
    shutil.copy(plain / "b.map", git.map)
    git.commit("base")
    git("branch", "other")
    return git


def test_git_merges_maps_and_names_conflicts(git):
    git.commit("ours", author="ours", version="2")
    git("checkout", "-q", "other")
    git.commit("theirs", license="other")
    git("merge", "-qm", "both", "@{-1}")
    assert [run("cat", git.map, "info/" + n).stdout for n in ("author", "version", "license")] == [
        b"ours\n", b"2\n", b"other\n"]
    assert git("status", "--porcelain") == ""
    git("checkout", "-q", "-b", "third", "HEAD~")
    git.commit("third", author="third")
    said = git("merge", "-qm", "all", "other", code=1)
    assert "maps/a b.map: conflict: info/author: changed by both: 1 line, line 1;" in said
    assert run("cat", git.map, "info/author").stdout == b"third\n"
    assert get(git.map + ".mapfs-left/info/author") == b"ours\n"
    assert sorted(git("status", "--porcelain").splitlines()) == ["?? \"maps/a b.map.mapfs-left/\"", "UU \"maps/a b.map\""]


def test_a_hunk_header_names_the_file_in_the_map(git):
    """Even if the line with the path is further up."""
    table = good("cat", git.map, "groups/0_Game/layers/1_ground/id.csv").stdout.splitlines(True)
    table[8] = b"7" + table[8][3:] if table[8][:3].strip() == b"7" else b"  7" + table[8][3:]
    good("put", git.map, "groups/0_Game/layers/1_ground/id.csv", input=b"".join(table))
    hunks = [line for line in git("diff").splitlines() if line.startswith("@@")]
    assert len(hunks) == 1 and hunks[0].endswith("@@ groups/0_Game/layers/1_ground/id.csv")


def test_the_hunks_of_a_resized_layer_are_readable(git):
    """A map with many rows shows only its changes, in lines that fit the screen."""
    layer = "groups/0_Game/layers/1_ground/"
    text = good("cat", git.map, layer + "layer.json").stdout.decode()
    rows = [[(x * y) % 7 for x in range(300)] for y in range(200)]

    def commit(message):
        tree = git.top / "tree" / layer
        os.makedirs(tree, exist_ok=True)
        (tree / "layer.json").write_text(re.sub(r'"(width|height)": \d+', lambda m: '"%s": %d' % (
            m[1], len(rows[0]) if m[1] == "width" else len(rows)), text))
        for plane in ("id", "flags"):
            (tree / (plane + ".csv")).write_text("".join(",".join(str(c if plane == "id" else 0) for c in row) + "\n" for row in rows))
        good("pack", str(git.top / "tree"), "--onto", git.map)
        shutil.rmtree(git.top / "tree")
        git.commit(message)
        shown = git("show").splitlines()
        changed = [line for line in shown if re.match(r"[-+][^-+]", line)]
        assert max(map(len, shown)) < 100
        return [line for line in changed if "line" in line], [line for line in changed if "line" not in line]
    commit("large")
    rows = [row + [0] * 40 for row in rows] + [[0] * 340] * 30
    assert commit("grown") == ([], ['-  "width": 300,', '-  "height": 200,', '+  "width": 340,', '+  "height": 230,'])
    rows[210] = [0] * 330 + [5, 6] + [0] * 8
    assert commit("drawn") == (["+line 211, column 321:   0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  5,  6"], [])
    rows = [row[:150] for row in rows[:100]]
    lines, fields = commit("cut")
    assert all(line[0] == "-" for line in lines if "column 145" not in line) and len(fields) == 4
    assert sum(line[0] == "+" for line in lines) <= 100


def test_git_shows_the_rest_beside_a_damaged_map(git, plain):
    """An error of the filter would end git before later files and earlier commits."""
    old = get(git.map)
    (git.top / "maps/notes.map").write_text("a text\n")
    (git.top / "maps/other.map").write_bytes(b"\0\1\2")
    good("put", str(plain / "t.map"), "info/settings.cfg", input=b"sv_deepfly 1\n")
    assert damage_blobs(plain, "t", "b") == 1
    shutil.copy(plain / "t.map", git.map)
    git("add", ".")
    git("commit", "-qm", "odd ones")
    with open(git.map, "wb") as f:
        f.write(old)
    git.commit("as it was", author="else")
    said = git("log", "-p", "--reverse")
    assert said.count("\ncommit ") == 2 and "\n+a text\n" in said and "\n+else\n" in said
    assert said.count("\n+# not all of it can be shown\n") == 3 and "\n-# not all of it can be shown\n" in said
    (git.top / "maps/other.map").write_bytes(b"\0\1\3")
    assert "-# not all" not in git("diff") and git("diff").count("\n-") == 2


@pytest.mark.parametrize("name", ["-u.map", "--force.map", "$x 'y'.map"])
def test_a_file_name_is_not_taken_as_an_option(git, name):
    git("mv", git.map, "./" + name)
    git.map = str(git.top / name)
    git.commit("moved")
    git("checkout", "-qb", "third")
    good("put", git.map, "info/author", input=b"one\n")
    said = git("diff")
    assert "\n+one\n" in said and "cannot be shown" not in said
    git.commit("third")
    (git.top / name).write_text("no map")
    assert "\n+no map\n" in git("diff", "HEAD")
    git("reset", "-q", "--hard")
    git("checkout", "-q", "-")
    git.commit("ours", version="2")
    git("merge", "-qm", "both", "third")
    assert [run("cat", "--", git.map, "info/" + n).stdout for n in ("author", "version")] == [b"one\n", b"2\n"]


def test_a_file_that_is_no_map_is_named_by_its_path_in_git(git):
    (git.top / "maps/notes.map").write_text("ours")
    git.commit("ours")
    git("checkout", "-q", "other")
    (git.top / "maps/notes.map").write_text("theirs")
    git.commit("theirs")
    git("checkout", "-q", "-")
    said = git("merge", "-qm", "both", "other", code=1)
    assert "mapfs: maps/notes.map: theirs (.merge_file_" in said and "): not a map of a known format" in said
    assert (git.top / "maps/notes.map").read_text() == "ours"


def test_git_ignores_sidecar_files(git):
    shutil.copy(GIT + "ignore", git.top / ".gitignore")
    git("add", ".")
    git("commit", "-qm", "ignored")
    left = git.map + ".mapfs-left"
    os.makedirs(left + "/images")
    for path in (left + "/images/a.jpg", left + ".1", git.map + ".mapfs-journal-0123456789abcdef"):
        with open(path, "w") as f:
            f.write("x")
    assert git("status", "--short") == ""
    with open(git.map + ".mapfs-conflict", "w") as f:  # for people to look at
        f.write("x")
    assert "mapfs-conflict" in git("status", "--short")
