# SPDX-License-Identifier: Zlib
"""Resident memory of the worker, in a build without sanitizers, after reading everything."""
import errno
import lzma
import os
import random
import struct

import pytest

import box as boxes
import datafile
import places
import share
from test_read import mount_or_refused

MIB = 1 << 20
plain = pytest.mark.skipif(bool(places.sanitizers()), reason="figures are for a plain build")


def read_all(m):
    files, _ = m.walk()
    for path in sorted(files):
        fd = os.open(os.path.join(os.fsencode(m.point), path), os.O_RDONLY)
        try:
            while os.read(fd, MIB):
                pass
        except OSError:
            pass  # a damaged blob, which other tests check
        os.close(fd)


def peak(box):
    return int(boxes.status_field(box.worker(), "VmHWM")) * 1024


def resident(box):
    return int(boxes.status_field(box.worker(), "VmRSS")) * 1024


@plain
@pytest.mark.parametrize("path", places.each_corpus_map())
def test_reading_everything_stays_within_the_budget_and_the_blobs_in_use(box, path):
    m, f = mount_or_refused(box, path, "cache=64M")
    if not m:
        return
    read_all(m)
    bound = max(64 * MIB, max(f.declared, default=0)) + 32 * MIB
    assert resident(box) <= bound
    m.unmount()


@plain
def test_a_small_cache_limits_memory(box):
    m = box.mount(box.add(places.debian_map("ddnet/data/maps/Tutorial.map")), "cache=4M")
    f = datafile.Datafile.load(m.map)
    read_all(m)
    assert resident(box) <= max(4 * MIB, max(f.declared)) + 32 * MIB
    m.unmount()


@plain
def test_the_default_cache_limits_memory(box):
    """The file is a bomb of 640 MiB of zeros. A machine with less than 4 GiB has a smaller default."""
    side = 4096
    b = datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    for n in range(10):
        b.image(b"zeros%d" % n, side, side, bytes(4 * side * side))
    m = box.mount(box.add(b.encode(level=1)))
    read_all(m)
    assert resident(box) <= 256 * MIB + BESIDE
    m.unmount()


@plain
@pytest.mark.parametrize("cache", [1, 64])
def test_a_packed_image_of_any_size_takes_a_few_bands(box, cache):
    """The image is noise, whose packed form is as large as its pixels."""
    side = 4096
    b = datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    b.image(b"noise", side, side, random.Random(1).randbytes(4 * side * side))
    m = box.mount(box.add(b.encode()), "png=packed,cache=%dM" % cache)
    read_all(m)
    assert os.stat(m / "images/0_noise.png").st_size > 4 * side * side
    assert peak(box) < (cache + 32) * MIB
    m.unmount()


@plain
def test_a_drawn_picture_is_in_memory_only_once(box):
    side = 4096
    b = datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    b.tiles(128, 128, bytes([1, 0, 0, 0]) * 128 * 128, flags=1, name="Game")
    b.group(0, 1, "Game")
    m = box.mount(box.add(b.encode()), "preview=%d,cache=1M" % side)
    with open(m / "entities.png", "rb") as f:
        while f.read(MIB):
            pass
    assert os.stat(m / "entities.png").st_size > 4 * side * side
    assert 4 * side * side < peak(box) < 4 * side * side + 32 * MIB
    m.unmount()


@plain
@pytest.mark.parametrize("path", places.each_crafted_map("ok", "quirk", "bad"))
def test_a_crafted_map_takes_under_128_mib(box, path):
    copy = box.add(path)
    r = box.run("-o", "cache=64M", copy, box.point())
    if r.code != 0:
        assert r.code == 2
        return
    m = boxes.Mount(box, copy, box.point())
    read_all(m)
    assert peak(box) < 128 * MIB
    m.unmount()


# A limit for all inputs: the budget, and memory for the process and its work.
BESIDE = 96 * MIB


def hostile(box, name):
    with lzma.open(places.hostile(name + ".xz")) as packed:
        return box.add(packed.read(), name)


def json_map(quads=1):
    """A quads layer, all but the first quad zero, and an envelope with one point."""
    b = datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    b.info()
    b.tiles(2, 2, bytes(16), flags=1, name="Game")
    first = struct.pack("<38i", *range(34), -1, 0, -1, 0)
    at = b.blob(first + bytes(152 * (quads - 1)))
    b.add(datafile.LAYER, [0, 3, 0, 2, quads, at, -1] + datafile.words("", 3))
    b.group(0, 2)
    b.add(datafile.ENVELOPE, [2, 1, 0, 1] + datafile.words("", 8) + [1])
    b.add(datafile.ENVPOINTS, [0, 0, 1, 2, 3, 4])
    return b.encode()


def read_both_ends(m):
    for path in m.walk()[0]:
        with open(os.path.join(os.fsencode(m.point), path), "rb") as f:
            if path.endswith(b"quads.json"):
                assert f.read(1) == b"["
                f.seek(-1, os.SEEK_END)
                assert f.read() == b"\n"


@plain
def test_a_list_larger_than_memory_takes_little_memory(box):
    m = box.mount(box.add(json_map(120 * MIB // 152)), "cache=16M")
    read_both_ends(m)
    assert peak(box) <= 16 * MIB + BESIDE
    m.unmount()


@plain
@pytest.mark.parametrize("name", ["env_points.map", "all_groups.map", "one_quads_bomb.map"])
def test_claimed_sizes_take_no_memory(box, name):
    copy = hostile(box, name)
    if "bomb" not in name:
        r = box.run(copy, box.point())
        assert r.code == 2 and "at most" in r.err
        return
    if not share.ALL:
        pytest.skip("takes a minute: MAPFS_TEST_ALL")
    m = box.mount(copy, "cache=4M")
    read_both_ends(m)
    assert peak(box) <= 4 * MIB + BESIDE
    m.unmount()


@plain
def test_json_takes_no_more_memory_than_one_element(box):
    m = box.mount(box.add(json_map()), "cache=4M")
    quads, n = "groups/0/layers/1/quads.json", 1 << 20
    line = m.get(quads).split(b"\n")[1]
    layer = "groups/0/layers/1/layer.json"
    assert boxes.refused(boxes.put, m / layer, b"{" + b",{}" * n) == errno.EFBIG
    assert "line 1" in m.xattr(layer, "user.mapfs.error")
    os.removexattr(m / layer, "user.mapfs.error")
    for name, text, why in (
            # JSON of 22 MB, and JSON of elements so small that jansson needs 130 times their size.
            (quads, b"[" + (line + b",\n") * (22 * MIB // len(line)) + b"7]", " column 1: ["),
            (quads, b"[{}" + b",{}" * n + b",7]", "] is 7 (must be an object)"),
            ("envelopes/0.json", b'{"points": [{}' + b",{}" * n + b"]}", "points[262144] is ")):
        assert boxes.refused(boxes.put, m / name, text) == errno.EINVAL
        assert why in m.xattr(name, "user.mapfs.error")
        os.removexattr(m / name, "user.mapfs.error")
    boxes.put(m / quads, b"[{}" + b",{}" * n + b"]")
    assert peak(box) <= 4 * MIB + BESIDE
    m.unmount()
    f = datafile.Datafile.load(m.map)
    ints = f.of_type(datafile.LAYER)[1].ints
    assert ints[4] == n + 1
    data = f.blob(ints[5])
    assert struct.unpack("<38i", data[:152]) == tuple(range(34)) + (-1, 0, -1, 0)
    whole = (0, 0, 1024, 0, 0, 1024, 1024, 1024)  # a new quad covers all of its image
    one = struct.pack("<38i", *[0] * 10, *[255] * 16, *whole, -1, 0, -1, 0)
    assert data[152:] == one * n
