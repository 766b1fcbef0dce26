# SPDX-License-Identifier: Zlib
"""The laws over every map at hand, and corpus.list: which maps mount, and why others do not. The maps are Debian's,
the fixtures, and the shared corpus if it exists (beside the project, or at MAPFS_SHARED)."""
import csv
import os
import pathlib
import subprocess

import pytest

import places
import share

HERE = pathlib.Path(__file__).resolve().parent
LAWS = os.environ.get("TW_LAWS", "")
GAMES = pathlib.Path(places.GAMES)
CORPUS = pathlib.Path(places.CORPUS)
# Old writers made its header 4 bytes too short for each data item; a rewrite corrects that.
CRUDE = ("ddnet/data/maps/dm7.map",)


def find_sets():
    return {
        "debian": (GAMES, sorted(map(pathlib.Path, places.debian_maps()))),
        "maps": (CORPUS, sorted((CORPUS / "maps").glob("*.map"))),
        "crafted": (CORPUS, sorted((CORPUS / "crafted").glob("*.map"))),
    }


def require_set(name):
    root, files = find_sets()[name]
    if not files:
        pytest.skip(places.NO_MAPS if name == "debian" else places.NO_SHARED)
    return root, files


def each(name):
    """Paths of the maps to read completely: a share of the real ones."""
    files = require_set(name)[1]
    return files if name == "crafted" else share.maps(files)


def run(*args):
    return subprocess.run([LAWS, *map(str, args)], text=True, capture_output=True, check=False)


def read_corpus_list():
    """Read corpus.list: {set: {file: verdict}}; a verdict is "mounts" or "refused: why"."""
    lines = (HERE / "corpus.list").read_text().splitlines()
    found = {}
    for line in lines:
        if line and not line.startswith("#"):
            group, name, verdict = line.split("\t")
            found.setdefault(group, {})[name] = verdict
    return found


@pytest.mark.parametrize("group", ["debian", "maps", "crafted"])
def test_corpus_list_matches_the_maps_that_mount(group):
    root, files = require_set(group)
    verdicts = {}
    for line in run("--list", *files).stdout.splitlines():
        word, rest = line.split(" ", 1)
        name, why = (rest, "") if word == "mounts" else rest.split(".map: ", 1)
        name = name if word == "mounts" else name + ".map"
        verdicts[str(pathlib.Path(name).relative_to(root))] = "mounts" if not why else "refused: " + why
    assert verdicts == read_corpus_list()[group]


def test_valid_maps_of_the_manifest_mount():
    require_set("crafted")
    with open(CORPUS / "crafted" / "manifest.csv", newline="", encoding="utf-8") as f:
        sound = [row["file"] for row in csv.DictReader(f) if row["verdict"] == "ok"]
    verdicts = read_corpus_list()["crafted"]
    assert [name for name in sound if verdicts["crafted/" + name] != "mounts"] == []


@pytest.mark.parametrize("group", ["debian", "maps", "crafted"])
def test_laws_hold_for_the_corpus(group):
    done = run(*each(group))
    print(done.stdout)
    assert done.stderr == ""
    assert done.returncode == 0


def test_laws_hold_for_fixtures():
    files = sorted(pathlib.Path(os.environ["TW_FIXTURES"]).glob("*.map"))
    done = run(*files)
    print(done.stdout)
    assert files and done.stderr == "" and done.returncode == 0


def test_a_forced_rewrite_of_debians_maps_is_identical():
    root, _ = require_set("debian")
    done = run("--identical", *[p for p in each("debian") if str(p.relative_to(root)) not in CRUDE])
    assert done.stderr == ""
    assert done.returncode == 0
