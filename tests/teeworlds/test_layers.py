# SPDX-License-Identifier: Zlib
"""Every file below groups/ and envelopes/ of every map at hand equals the one that expect.py computes."""
import os
import pathlib
import subprocess
import zlib

import pytest

import datafile
import expect
import layout
from test_corpus import each

DUMP = os.environ.get("TW_DUMP", "")
# These have too many tiles to compute in Python; the laws and the unit tests read them.
LARGE = ("b10_tile_skip_16m.map", "b08_bomb_1gib_zeros.map")


def dump_maps(maps):
    """{map: {path: (size, crc) or None}}; refused maps are missing."""
    done = subprocess.run([DUMP, "groups", "envelopes", "--", *map(str, maps)],
                          capture_output=True, check=True)
    found, path = {}, None
    for line in done.stdout.split(b"\n")[:-1]:
        if line.startswith(b"map "):
            path = os.fsdecode(line[4:])
            found[path] = {}
        elif line == b"refused":
            del found[path]
        else:
            size, crc, name = line.split(b" ", 2)
            found[path][name] = None if size == b"-" else (int(size), int(crc, 16))
    return found


def expected_files(path):
    f = datafile.Datafile.load(path)
    if not layout.typed(f):
        return {}
    return {name: None if text is None else (len(text), zlib.crc32(text))
            for name, text in expect.files(f).items()}


def compare(maps):
    found = dump_maps(maps)
    for path, files in found.items():
        if os.path.basename(path) in LARGE:
            continue
        want = expected_files(path)
        assert sorted(files) == sorted(want), path
        wrong = [name for name in want if files[name] != want[name]]
        assert wrong == [], path
    return found


@pytest.mark.parametrize("group", ["debian", "maps", "crafted"])
def test_files_of_the_corpus_follow_the_layout(group):
    assert compare(each(group))


def test_files_of_fixtures_follow_the_layout():
    assert compare(sorted(pathlib.Path(os.environ["TW_FIXTURES"]).glob("*.map")))


# Parts of real maps below groups/ that have no view, and why.
WITHOUT = {
    ("adf59707_blmapV3.map", 2): "type 4, which no game knows (rule 16): layer.json alone",
    ("adf59707_blmapV3.map", 3): "type 4, which no game knows (rule 16): layer.json alone",
}
NO_TYPED_VIEW = {
    "05956ff0_dm1_old.map": "older than 0.4 (rule 1): raw/ alone",
    "377555ba_ctf2.map": "older than 0.4 (rule 1): raw/ alone",
    "8c06f751_HeyTux2Saved.map": "holds a version item and nothing else",
    "2338a02b_TestOut.map": "refused: its tables cannot be trusted",
}


@pytest.mark.parametrize("group", ["debian", "maps"])
def test_all_layers_have_a_view_except_the_named_ones(group):
    maps = each(group)
    found, lacking, bare = dump_maps(maps), set(), set()
    for path in maps:
        name = os.path.basename(path)
        files = found.get(str(path))
        if not files:
            bare.add(name)
            continue
        view = expect.View(datafile.Datafile.load(path))
        shown = {p for p, what in files.items() if what and b"/layers/" in p}
        for g, item in enumerate(view.groups):
            top = b"groups/" + layout.stem(g, len(view.groups), view.group_name(g), 255)
            start, count = item.ints[5:7]
            for n in range(count):
                layer = layout.stem(n, count, view.layer_name(start + n), 255)
                here = {p for p in shown if p.startswith(top + b"/layers/" + layer + b"/")}
                if len(here) < 2:
                    lacking.add((name, start + n))
        assert sum(p.startswith(b"envelopes/") for p in files) == len(view.envelopes)
    names = {os.path.basename(path) for path in maps}
    assert lacking == {(name, n) for name, n in WITHOUT if name in names}
    assert bare == set(NO_TYPED_VIEW) & names
