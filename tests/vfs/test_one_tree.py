# SPDX-License-Identifier: Zlib
"""The same tree, built in five ways, gives the same map and the same messages (tests/formats/one_tree.c). With
MAPFS_TEST_ALL=1, two thousand trees of each format."""
import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / d) for d in (
    "mount", "mount/support", "torchlight", "torchlight/support", "triclon/support")]

import archives
import places
import share
import tcgen
import test_kit
import test_pair

PROGRAM, DEMO, FIXTURES = (os.environ.get("ONE_TREE_" + n, "") for n in ("PROGRAM", "DEMO", "FIXTURES"))


def run_trees(n, *files):
    """Run n random trees. At least half must be maps: a tree that is refused as a whole shows little."""
    run = subprocess.run([PROGRAM, str(n), *map(str, files)], capture_output=True, text=True, timeout=900)
    assert run.returncode == 0, run.stdout + run.stderr
    asked, _, built, _, _ = (int(part.split()[0]) for part in run.stdout.split(", "))
    assert asked == n and built >= n // 2, run.stdout


def test_trees_of_a_map_with_all_kinds_of_layers(tmp_path):
    subprocess.run([DEMO, tmp_path / "demo.map"], check=True, timeout=60)
    run_trees(share.of(2000, 200), tmp_path / "demo.map")


@pytest.mark.parametrize("name", ["structure", "parts", "full", "shared", "eleven"])
def test_trees_of_odd_maps(name):
    run_trees(share.of(2000, 100), os.path.join(FIXTURES, name + ".map"))


@pytest.mark.parametrize("path", places.each_debian_map())
def test_trees_of_maps_of_the_game(path):
    run_trees(share.of(100, 5), path)


@pytest.mark.parametrize("number", range(4))
def test_trees_of_triclon_maps(tmp_path, number):
    path = tmp_path / "a.tcm"
    path.write_bytes(tcgen.maps(4)[number].encode())
    run_trees(share.of(2000, 100), path)


def test_trees_of_mods(tmp_path):
    path = tmp_path / "a.mod"
    path.write_bytes(archives.small_mod())
    run_trees(share.of(2000, 300), path)
    path.write_bytes(archives.large_mod(2000))
    run_trees(share.of(200, 10), path)


def test_trees_of_a_new_mod_with_two_headers_in_its_sources(tmp_path):
    info = '{"title": "%s", "author": "Jörg", "version": 6}'
    files = [("MOD.DAT", test_kit.kit_header()), ("MOD.DAT", test_kit.kit_header("<STRING>NAME:b")), ("MOD.DAT", b"[MOD]\n"),
             (".mod/info.json", info % "Scaling vendors"), (".mod/info.json", info % "b"), (".mod/info.json", "{"),
             ("MOD.DAT.BINDAT", b"x"), ("MEDIA/A.OGG", b"a")]
    given = []
    for i, (path, content) in enumerate(files):
        (tmp_path / str(i)).write_bytes(content if isinstance(content, bytes) else content.encode())
        given += [path, tmp_path / str(i)]
    run_trees(share.of(2000, 300), "torchlight-mod", *given)


def test_trees_of_pairs(tmp_path):
    section, table = test_pair.pak()
    (tmp_path / "X.PAK").write_bytes(section)
    (tmp_path / "X.PAK.MAN").write_bytes(table)
    run_trees(share.of(2000, 300), tmp_path / "X.PAK", tmp_path / "X.PAK.MAN")
