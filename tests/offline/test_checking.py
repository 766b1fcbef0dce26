# SPDX-License-Identifier: Zlib
"""mapfs check and text: what a game refuses, and a map as one text."""
import json
import os
import re
import shutil
import subprocess
import zlib

import pytest

import archives
import datafile
import maps
import places
import shims
from datafile import LAYER
from maps import run


@pytest.mark.parametrize("path", [pytest.param(p, id=os.path.basename(p)) for p in places.debian_maps()])
def test_maps_of_the_games_are_valid(path):
    r = run("check", path)
    assert r.returncode == 0, r
    # dm7 has a header from before 2010; ctf4 names an image that both games no longer have.
    old = {"dm7.map": ["size", "swaplen"], "ctf4.map": ["images/3_jungle_doodads_old.json"]}
    words = [line.split(": warning: ")[1].split(": ")[0].split(" is ")[0] for line in r.stdout.decode().splitlines()]
    assert words in ([], old.get(os.path.basename(path))), r


@pytest.mark.parametrize("path", places.each_crafted_map("bad"))
def test_maps_that_cannot_be_loaded_are_invalid(path):
    """A map with one unreadable part is valid: it only loses that part."""
    r = run("check", path)
    assert r.stdout.startswith(os.fsencode(path) + b": ")
    assert r.returncode == 2 or b": warning: " in r.stdout


def test_a_list_too_large_for_memory_is_not_written(box, small):
    """A megabyte may hold a thousand such lists, and their text is twice as long."""
    f = datafile.Datafile(open(small, "rb").read())
    quads = bytes(152 * 100000)
    layers, groups = f.of_type(LAYER), f.of_type(datafile.GROUP)
    f.items.append(datafile.Item(LAYER, len(layers), [0, 3, 0, 2, 100000, len(f.blobs()), -1, 0, 0, 0]))
    groups[-1].ints[6] += 1
    file = box.add(datafile.encode(f.items, f.blobs() + [quads]), "many.map")
    counter = box.shim(shims.Inflate)
    assert run("ls", "-lR", "-o", "cache=4M", file, env=box.env(counter.env())).returncode == 0
    listed = len(counter.streams())  # each piece of the list is one compressed stream
    counter.reset()
    assert run("check", "-o", "cache=4M", file, env=box.env(counter.env())).returncode == 0
    assert 5 < listed and len(counter.streams()) < 1.5 * listed


def change_map(small, change):
    f = datafile.Datafile(open(small, "rb").read())
    blobs = f.blobs()
    change(f, blobs)
    return datafile.encode(f.items, blobs)


def remove_game_layer(f, blobs):
    for item in f.of_type(LAYER):
        if item.ints[1] == 2:
            item.ints[6] = 0


def make_one_tile_wide(f, blobs):
    for item in f.of_type(LAYER):
        if item.ints[1] == 2 and not item.ints[6]:
            item.ints[4] = 1
            return


@pytest.mark.parametrize("change, words", [(remove_game_layer, b"the map has no game layer"), (make_one_tile_wide, b"at least 2 x 2")])
def test_faults_are_reported_with_value_and_bound(box, small, change, words):
    file = box.add(change_map(small, change), "bad.map")
    r = run("check", file)
    assert r.returncode == 2 and words in r.stdout, r
    assert all(line.startswith(os.fsencode(file) + b": error: ") for line in r.stdout.splitlines())
    found = [json.loads(line) for line in run("check", "--json", small, file).stdout.splitlines()]
    assert found and all(f["file"] == file and f["level"] == "error" for f in found)
    assert words.decode() in " ".join(f["problem"] for f in found)


def test_all_maps_of_a_folder_are_checked(box, small):
    top = os.path.join(box.root, "folder")
    os.makedirs(top + "/below")
    shutil.copy(small, top + "/below/a.map")
    assert run("check", top).returncode == 0
    with open(top + "/b.map", "wb") as f:
        f.write(b"no map")
    r = run("check", top)
    assert r.returncode == 2 and r.stdout.startswith(os.fsencode(top) + b"/b.map: error: ")
    twice = run("check", top, top)
    assert twice.returncode == 2 and twice.stdout == 2 * r.stdout and twice.stderr == b""
    assert run("check").returncode == 1


PIECE = re.compile(rb"line (\d+), column (\d+): ((?:[ \d-]+,)*[ \d-]+)\n")


def expected_table(content):
    """A table as text prints it: pieces of 16 cells that are not all 0, up to the last such piece."""
    out = b""
    for y, row in enumerate(content.splitlines()):
        cells = row.split(b",")
        for x in range(0, len(cells), 16):
            last = max((i for i, c in enumerate(cells[x:x + 16]) if int(c)), default=None)
            if last is not None:
                out += b"line %d, column %d: %s\n" % (y + 1, x + 1, b",".join(cells[x:x + last + 1]))
    return out


def parse_table(reported, width, height):
    """The table that the text describes; missing cells are 0."""
    rows = [[0] * width for _ in range(height)]
    for y, x, cells in PIECE.findall(reported):
        for i, cell in enumerate(cells.split(b",")):
            rows[int(y) - 1][int(x) - 1 + i] = int(cell)
    assert PIECE.sub(b"", reported) == b""
    return rows


@pytest.mark.parametrize("path", maps.each_map(300_000))
def test_text_shows_the_whole_map(box, path):
    out = os.path.join(box.root, "out")
    r = run("text", path)
    if run("extract", "-o", "raw=off,png=stored", path, out).returncode:
        assert r.returncode == 2
        return
    expected = b""
    for name, (kind, _, _, content) in sorted(maps.tree(out).items(), key=lambda f: f[0].split(b"/")):
        if content is None:
            continue
        try:
            text = content.decode() and b"\0" not in content or not content
        except UnicodeDecodeError:
            text = False
        expected += b"# " + name
        if not text:
            expected += b" %d bytes, CRC-32 %08x\n" % (len(content), zlib.crc32(content))
        elif name.endswith(b".csv") and path.endswith(".map"):
            reported = expected_table(content)
            with open(os.path.join(os.fsencode(out), os.path.dirname(name), b"layer.json")) as f:
                layer = json.load(f)
            assert parse_table(reported, layer["width"], layer["height"]) == [
                [int(c) for c in row.split(b",")] for row in content.splitlines()]
            expected += b"\n" + reported
        else:
            expected += b"\n" + content + (b"\n" if content and not content.endswith(b"\n") else b"")
    assert r.stdout == expected and r.returncode == 0


def test_a_table_outside_of_layers_is_printed_unchanged(box):
    """Archives hold tables of people, also with blanks and zeros."""
    mod = box.add(archives.small_mod(), "S.MOD")
    table = b"  1,  0\n  0,  0\n007,  0\n"
    assert run("put", mod, "MEDIA/table.csv", input=table).returncode == 0
    assert table in run("text", mod).stdout


def test_text_is_the_same_after_a_save(small):
    before = run("text", small).stdout
    assert run("put", small, "info/settings.cfg", input=b"sv_x 1\n").returncode == 0
    after = run("text", small).stdout
    assert before != after and b"sv_x 1\n" in after
    a, b = ([part for part in t.split(b"# ") if not part.startswith(b"info/settings.cfg\n")] for t in (before, after))
    assert a == b


def test_the_hook_rejects_a_broken_map(box, small):
    top = os.path.join(box.root, "repo")
    hook = os.path.join(places.SOURCE, "contrib/git/pre-commit")
    env = dict(os.environ, PATH=os.path.dirname(places.BINARY) + ":" + os.environ["PATH"], HOME=box.home,
               GIT_AUTHOR_NAME="a", GIT_AUTHOR_EMAIL="a@b", GIT_COMMITTER_NAME="a", GIT_COMMITTER_EMAIL="a@b")
    if not shutil.which("git"):
        pytest.skip("not installed: git")

    def git(*args):
        return subprocess.run(["git", *args], cwd=top, env=env, capture_output=True)
    os.mkdir(top)
    git("init", "-q")
    shutil.copy(hook, top + "/.git/hooks/pre-commit")
    shutil.copy(small, top + "/a.map")
    git("add", ".")
    assert git("commit", "-m", "good").returncode == 0
    with open(top + "/a.map", "wb") as f:
        f.write(change_map(small, remove_game_layer))
    git("add", ".")
    shutil.copy(small, top + "/a.map")  # the file on disk differs from the staged one
    r = git("commit", "-m", "bad")
    assert r.returncode != 0 and b"no game layer" in r.stdout + r.stderr
