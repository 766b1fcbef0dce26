# SPDX-License-Identifier: Zlib
"""Copying all parts of a map into an empty map from `mapfs --new` gives an equal map, in any order of files.

All maps of Debian are copied on the tree without FUSE (core.c), some on real mounts with common programs.
"""
import os
import random
import re
import shutil
import subprocess

import pytest

import box as boxes
import datafile
import layout
import places
import share
from datafile import LAYER
from core import CoreTree, files_below
from graph import expect, map_shows
from test_structure import Strict

LARGE = 300_000
TOP = ("info", "images", "sounds", "envelopes", "groups")
REAL = ["ddnet/data/maps/dm1.map", "ddnet/data/maps/coverage.map", "ddnet/data/maps/Tsunami.map",
        "ddnet/data/maps/LearnToPlay.map", "ddnet/data/maps7/Gold Mine.map",
        "teeworlds/data/maps/ctf4.map"]
HELD = re.compile(r"^(left|refused|note: .* has no )", re.M)


def content_of(data):
    """The content of a map, from a reader without code of mapfs."""
    f = datafile.Datafile(data)
    out = map_shows(f)
    for path, file in layout.info_files(f):
        out[path.decode()] = file.content()
    return out


def assert_equal_maps(a, b):
    """Compare two results of shows()."""
    assert sorted(a) == sorted(b)
    assert [p for p in a if a[p] != b[p]] == []


def plain(path, out):
    """The map with tile layers of version 3. map_diff compares unpacked tiles, and names that version 2 does not
    have."""
    f = datafile.Datafile.load(path)
    if all(i.ints[1] != 2 or i.ints[3] == 3 for i in f.of_type(LAYER)):
        shutil.copy(path, out)
        return
    blobs = f.blobs()
    for item in f.of_type(LAYER):
        v = item.ints
        if v[1] == 2 and v[3] == 4:
            blobs[v[14]] = expect.unpacked(blobs[v[14]], v[4] * v[5])
        if v[1] == 2 and v[3] == 2:
            item.ints = v[:15] + datafile.words("", 3)
        if v[1] == 2:
            item.ints[3] = 3
    with open(out, "wb") as new:
        new.write(datafile.encode(f.items, blobs))


def assert_map_diff_finds_nothing(a, b, home):
    os.makedirs(os.path.join(home, ".local/share/ddnet"), exist_ok=True)
    plain(a, os.path.join(home, "a.map"))
    plain(b, os.path.join(home, "b.map"))
    r = subprocess.run([places.ddnet_tool("map_diff"), "a.map", "b.map"], cwd=home, text=True,
                       env=dict(os.environ, HOME=str(home)), capture_output=True, check=False,
                       errors="replace")
    text = r.stdout + r.stderr
    assert r.returncode == 0 and "!=" not in text and "different" not in text, text[-3000:]


# ---- without FUSE

ORDERS = {
    "as listed": lambda files, rng: files,
    "by name": lambda files, rng: sorted(files, key=lambda f: os.path.basename(f[0])),
    "reversed": lambda files, rng: files[::-1],
    "any": lambda files, rng: rng.sample(files, len(files)),
}


def orders(path):
    """All orders for most maps; for large maps the two that differ most from a plain copy."""
    few = os.path.getsize(path) > LARGE
    return list(ORDERS.items())[share.of(2 if few else 0, 3 if few else 2):]


def write_files(tree, files):
    there = set(TOP)
    for path, data in files:
        above = os.path.dirname(path) if data is not None else path
        missing = []
        while above not in there:
            missing.append(above)
            above = os.path.dirname(above)
        for directory in reversed(missing):
            # This directory exists when its group exists.
            if os.path.basename(directory) != "layers":
                tree.mkdir(directory)
            there.add(directory)
        if data is not None:
            tree.put(path, data)


@pytest.mark.parametrize("path", places.each_debian_map())
def test_files_written_in_any_order_give_an_equal_map(core, tmp_path, path):
    source, target = CoreTree(core, 1), CoreTree(core, 0)
    source.open(path)
    files = [f for top in TOP for f in files_below(source, top) if f[0] not in TOP]
    before, equal = content_of(boxes.get(path)), set()
    for name, order in orders(path):
        target.new()
        write_files(target, order(files, random.Random(path)))
        code, report = target.end()
        assert code == 0 and not HELD.search(report), "%s\n%s" % (name, report)
        after = target.map()
        if after not in equal:
            assert_equal_maps(before, content_of(after))
            equal.add(after)
    new = tmp_path / "new.map"
    new.write_bytes(after)
    assert_map_diff_finds_nothing(path, str(new), tmp_path)
    if os.path.exists(os.path.join(places.SHARED, "tools", "twcheck.py")):
        strict = Strict()
        assert strict(new) <= strict(path)


# ---- real mounts

def cp(a, b):
    return [["cp", "-r", a + "/.", b]]


def cp_reversed(a, b):
    """Copy part by part in reverse order, so that references come before their targets."""
    return [["cp", "-r", "%s/%s" % (a, top), b + "/"] for top in reversed(TOP)]


def layer_by_layer(a, b):
    out = []
    for group in sorted(os.listdir(a + "/groups"), reverse=True):
        new = "%s/groups/%s" % (b, group)
        out += [["mkdir", new]]
        for layer in sorted(os.listdir("%s/groups/%s/layers" % (a, group)), reverse=True):
            out += [["cp", "-r", "%s/groups/%s/layers/%s" % (a, group, layer), new + "/layers/"]]
        out += [["cp", "%s/groups/%s/group.json" % (a, group), new]]
    return out + [["cp", "-r", "%s/%s" % (a, top), b + "/"] for top in TOP[:4]]


def tar(a, b):
    return [["sh", "-c", 'tar -C "$1" -cf - . | tar -C "$2" -xf -', "sh", a, b]]


def tar_reversed(a, b):
    return [["sh", "-c", 'cd "$1" && find . -type f | sort -r | tar -cf - -T - | tar -C "$2" -xf -',
             "sh", a, b]]


def rsync(a, b):
    return [["rsync", "-a", a + "/", b + "/"]]


@pytest.mark.parametrize("how", [cp, cp_reversed, layer_by_layer, tar, tar_reversed, rsync],
                         ids=lambda h: h.__name__)
@pytest.mark.parametrize("name", REAL)
def test_a_map_copied_into_a_new_mount_gives_an_equal_map(box, name, how):
    path = box.add(places.debian_map(name), "a.map")
    new = os.path.join(box.maps, "b.map")
    box.before.add("b.map")
    source = box.mount(path, "ro,raw=off", box.point("a"))
    assert box.run("--new", new, box.point("b")).code == 0
    target = boxes.Mount(box, new, box.point("b"))
    for command in how(source.point, target.point):
        if not shutil.which(command[0]):
            pytest.skip("not installed: " + command[0])
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0 and not done.stderr, (command, done.stderr)
    r = target.unmount()
    assert not HELD.search(r.out), r.out
    source.unmount()
    assert_equal_maps(content_of(boxes.get(path)), content_of(boxes.get(new)))
    assert_map_diff_finds_nothing(path, new, box.home)
