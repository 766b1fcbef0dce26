# SPDX-License-Identifier: Zlib
"""The work that a small file can cause is estimated first, and refused beyond a limit."""
import copy
import json
import os
import re

import pytest

import datafile
from maps import run

REFUSED = r"reading the map takes the work of \d+ bytes \(at most 8589934592; use --no-limit for more\)"


def builder():
    b = datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    b.info()
    b.tiles(4, 4, bytes(64), flags=1, name="Game")
    return b


def add_layers(b, layers):
    b.group(0, layers, "Game")
    b.add(datafile.ENVPOINTS, [])
    return b.encode()


def layers_sharing_a_table():
    """2000 layers that share a table of 4 MB."""
    b = builder()
    b.tiles(1000, 1000, bytes(4_000_000), name="x")
    for i in range(2, 2001):
        b.items.append(copy.deepcopy(b.items[-1]))
        b.items[-1].id = i
    return add_layers(b, 2001)


@pytest.mark.parametrize("args", [["check"], ["tidy", "-n"], ["diff", "-q"]], ids=" ".join)
def test_a_map_that_needs_too_much_work_is_refused(box, small, args):
    path = box.add(layers_sharing_a_table(), "bomb.map")
    r = run(*args, path, *[small] * (args[0] == "diff"))
    assert r.returncode == 2
    assert re.fullmatch(r"(mapfs: )?%s: (error: )?%s\n" % (re.escape(path), REFUSED), (r.stdout + r.stderr).decode())


def make_faulty(n):
    b = builder()
    for _ in range(n):
        b.tiles(1, 1, bytes(4), image=99, name="x")
    return add_layers(b, n + 1)


def test_more_than_a_hundred_faults_of_a_map_are_counted(box):
    path = box.add(make_faulty(103), "faulty.map")
    all_of_them = run("check", "--no-limit", path).stdout.decode().splitlines()
    lines = run("check", path).stdout.decode().splitlines()
    assert len(all_of_them) >= 103 and len(lines) == 101
    assert lines[:100] == all_of_them[:100]
    assert lines[100] == "%s: error: and %d more" % (path, len(all_of_them) - 100)
    last = json.loads(run("check", "--json", path).stdout.splitlines()[100])
    assert (last["level"], last["path"], last["problem"]) == ("error", "", "and %d more" % (len(all_of_them) - 100))


def test_more_than_a_hundred_faults_of_rules_are_counted(tmp_path):
    rules = tmp_path / "bad.rules"
    rules.write_text("[x]\n" + "nonsense\n" * 100_000)
    r = run("automap", "--check", str(rules))
    lines = r.stdout.decode().splitlines()
    assert r.returncode == 2 and len(lines) == 101 and lines[100] == "%s: and 99900 more" % rules
    assert len(run("automap", "--check", "--no-limit", str(rules)).stdout.splitlines()) == 100_000


def test_rules_that_read_too_many_tiles_are_refused(box, tmp_path):
    path = box.add(datafile.small_map(), "a.map")
    layer = os.path.join(box.root, "layer.json")
    name = "groups/0_Game/layers/1_ground"
    text = json.loads(run("cat", path, name + "/layer.json").stdout)
    text.update(width=1000, height=1000)
    with open(layer, "w") as f:
        json.dump(text, f)
    assert run("put", path, name + "/layer.json", layer).returncode in (0, 5)
    rules = tmp_path / "a.rules"
    rules.write_text("[x]\n" + "Index 1\nNoDefaultRule\n" * 9000)
    before = open(path, "rb").read()
    args = ["automap", "--rules", str(rules), "--config", "0", "--layer", name]
    r = run(*args, path)
    assert r.returncode == 2 and open(path, "rb").read() == before
    assert re.search(r"a\.map: .*the rules look at \d+ tiles of the map \(at most 8589934592; use --no-limit for more\)\n$",
                     r.stderr.decode())
