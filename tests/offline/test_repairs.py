# SPDX-License-Identifier: Zlib
"""A save, convert and tidy repair parts that the newest game refuses or loses."""
import os
import struct

import pytest

import datafile
import ddnet_reader
import places
from datafile import ENVPOINTS, LAYER, MAP_VERSION, Builder, Datafile
from maps import run

GARBAGE = bytes([1, 0, 7, 5])  # a tile: index, flags, skip, reserved
GROUND = "groups/0_Game/layers/1_ground"


def read_bytes(path):
    with open(path, "rb") as f:
        return f.read()


def write_bytes(where, raw, name):
    path = str(where / name)
    with open(path, "wb") as f:
        f.write(raw)
    return path


def add_physics_layer(b, kind, own, data, version=3):
    fields = [-1] * 5
    fields[own] = b.blob(data)
    b.add(LAYER, [0, 2, 0, version, 4, 3, kind, 255, 255, 255, 255, -1, 0, -1, b.blob(bytes(48))]
          + datafile.words("", 3) + fields)


def map_with_garbage():
    """A map in which every layer except the packed one has garbage in unused bytes."""
    b = Builder()
    b.add(MAP_VERSION, [1])
    b.info(b"me", settings=[b"sv_x 1"])
    b.tiles(4, 3, GARBAGE * 12, flags=1, name="Game")
    b.tiles(4, 3, GARBAGE * 12 + b"behind", name="ground")
    add_physics_layer(b, 4, 1, bytes([9, 8, 28, 77, 90, 0]) * 12)
    add_physics_layer(b, 8, 2, GARBAGE * 12)
    add_physics_layer(b, 2, 0, bytes(range(24)))
    b.tiles(4, 3, bytes([1, 0, 11, 5]), name="packed")
    b.items[-1].ints[3] = 4
    b.group(0, 6, "Game")
    b.add(ENVPOINTS, [])
    return b.encode()


CLEAN = [bytes([1, 0, 0, 0]) * 12, bytes([1, 0, 0, 0]) * 12 + b"behind", bytes([9, 8, 28, 0, 90, 0]) * 12,
         bytes([1, 0, 0, 0]) * 12, bytes(range(24)), bytes([1, 0, 11, 5])]


def read_own_data(path):
    f = Datafile.load(path)
    return [f.blob(v.ints[14 if v.ints[6] < 2 else 18 + ddnet_reader.OWN[v.ints[6]]]) for v in f.of_type(LAYER)]


@pytest.fixture
def bad(tmp_path):
    path = write_bytes(tmp_path, map_with_garbage(), "bad.map")
    assert ddnet_reader.read_map(read_bytes(path)).refused == "tiles" and run("check", path).returncode == 2
    return path


@pytest.mark.parametrize("how", [("convert", "--to", "ddnet"), ("tidy",)], ids=lambda h: h[0])
def test_a_whole_map_is_written_without_garbage_in_tiles(bad, how):
    before, out = read_bytes(bad), os.path.dirname(bad) + "/out.map"
    r = run(*how, bad, out)
    assert r.returncode == 0 and not r.stderr, r
    reported = [line for line in r.stdout.decode().splitlines() if line.startswith("repaired ")]
    assert reported == ["repaired groups/0_Game/layers/%s: set unused bytes of its tiles to 0" % name
                    for name in ("0_Game", "1_ground", "2", "3")]
    if how[0] == "tidy":
        assert read_own_data(out) == CLEAN
    else:  # convert unpacks the tiles
        assert read_own_data(out) == CLEAN[:5] + [bytes([1, 0, 0, 0]) * 12]
    assert ddnet_reader.read_map(read_bytes(out)) == (None, [], set()) and run("check", out).stdout == b""
    again = run(*how, out, out + "2")
    assert b"repaired" not in again.stdout and read_bytes(bad) == before
    dry = run(*how, "-n", bad)
    assert dry.stdout == r.stdout and read_bytes(bad) == before


def test_a_changed_layer_is_saved_without_garbage(bad):
    """Other layers keep their garbage: a save leaves unchanged layers as they are."""
    ids = run("cat", bad, GROUND + "/id.csv").stdout
    before = read_bytes(bad)
    assert run("put", bad, GROUND + "/id.csv", input=ids).returncode == 0
    assert read_bytes(bad) == before
    assert run("put", bad, "info/author", input=b"you").returncode == 0
    assert read_own_data(bad)[1] == GARBAGE * 12 + b"behind"
    assert run("put", bad, GROUND + "/id.csv", input=ids.replace(b"1", b"2", 1)).returncode == 0
    assert read_own_data(bad)[1] == bytes([2, 0, 0, 0]) + bytes([1, 0, 0, 0]) * 11 + b"behind"
    assert read_own_data(bad)[0] == GARBAGE * 12


def test_pack_onto_writes_changed_layers_without_garbage(bad):
    top = os.path.dirname(bad) + "/tree"
    assert run("extract", bad, top).returncode == 0
    before = read_bytes(bad)
    assert run("pack", top, "--onto", bad).returncode == 0 and read_bytes(bad) == before
    flags = os.path.join(top, GROUND, "flags.csv")
    with open(flags, "rb+") as f:
        f.write(b"  9")
    assert run("pack", top, "--onto", bad).returncode == 0
    assert read_own_data(bad)[1] == bytes([1, 9, 0, 0]) + bytes([1, 0, 0, 0]) * 11 + b"behind"
    new = os.path.dirname(bad) + "/new.map"
    assert run("pack", top, new).returncode == 0
    assert ddnet_reader.read_map(read_bytes(new)) == (None, [], set())


def test_layers_that_share_garbage_get_separate_tiles(tmp_path):
    """The game refuses tiles that two layers share."""
    b = Builder()
    b.add(MAP_VERSION, [1])
    b.tiles(4, 3, bytes(48), flags=1, name="Game")
    for name in "xy":
        b.tiles(4, 3, GARBAGE * 12, name=name)
    b.items[-1].ints[14] = b.items[-2].ints[14]
    b.group(0, 3, "Game")
    path = write_bytes(tmp_path, b.encode(), "shared.map")
    assert ddnet_reader.read_map(read_bytes(path)).refused == "data"
    assert run("tidy", path, path + "2").returncode == 0
    assert ddnet_reader.read_map(read_bytes(path + "2")) == (None, [], set())


def offsets_of(raw):
    n_types, n_items, n_data = struct.unpack_from("<3i", raw, 16)
    return 36 + 12 * n_types + 4 * n_items, n_data


def without_bytes(last_size, version=4):
    """A map whose last data item has no stored byte, and last_size as its size."""
    b = Builder()
    b.add(MAP_VERSION, [1])
    b.info(b"me")
    b.items[-1].ints[3] = b.blob(b"")
    b.tiles(4, 3, bytes(48), flags=1, name="Game")
    b.group(0, 1, "Game")
    b.add(ENVPOINTS, [])
    b.items[1].ints[3], b.items[2].ints[14] = 2, 1
    b.data[1], b.data[2] = b.data[2], b.data[1]
    raw = bytearray(b.encode(version=version))
    at, n = offsets_of(raw)
    if version == 4:
        stored = struct.unpack_from("<i", raw, 32)[0] - struct.unpack_from("<i", raw, at + 4 * (n - 1))[0]
        del raw[-stored:]
        struct.pack_into("<i", raw, 32, struct.unpack_from("<i", raw, 32)[0] - stored)
        struct.pack_into("<i", raw, 8, len(raw) - 16)
        struct.pack_into("<i", raw, at + 4 * (2 * n - 1), last_size)
    return bytes(raw)


@pytest.mark.parametrize("how", [("put",), ("convert", "--to", "ddnet"), ("convert", "--to", "0.6"), ("tidy",)],
                         ids=lambda h: "-".join(h))
@pytest.mark.parametrize("size, version", [(0, 4), (100, 4), (0, 3)])
def test_a_data_item_without_a_stored_byte_gets_one(tmp_path, how, size, version):
    path = write_bytes(tmp_path, without_bytes(size, version), "bad.map")
    assert ddnet_reader.read_map(read_bytes(path)).refused == "data_offsets[2]"
    assert run("check", path).returncode == 2
    assert run("put", path, "info/author", input=b"me").returncode == 0  # unchanged
    assert ddnet_reader.read_map(read_bytes(path)).refused == "data_offsets[2]"
    if how[0] == "put":
        out = path
        assert run("put", path, "info/author", input=b"xy").returncode == 0
    else:
        out = path + "2"
        r = run(*how, path, out)
        assert r.returncode == 0 and b"repaired the tables of the file: data_offsets[2] is " in r.stdout, r
        assert run(*how, out, out + "3").stdout.count(b"repaired") == 0
    assert ddnet_reader.read_map(read_bytes(out)) == (None, [], set()) and run("check", out).stdout == b""
    f = Datafile.load(out)
    assert f.blob(f.items[1].ints[3]) == b"\0"


def test_a_real_map_with_equal_offsets_is_repaired(tmp_path):
    path = write_bytes(tmp_path, read_bytes(places.found_map("c52_equal_offsets.map")), "c52.map")
    assert ddnet_reader.read_map(read_bytes(path)).refused == "data_offsets[3]"
    assert run("put", path, "info/author", input=b"hello").returncode == 0
    assert ddnet_reader.read_map(read_bytes(path)) == (None, [], set()) and run("check", path).stdout == b""


@pytest.mark.parametrize("how", [("convert", "--to", "ddnet"), ("tidy",)], ids=lambda h: h[0])
def test_a_map_of_a_generator_is_repaired(tmp_path, how):
    path = write_bytes(tmp_path, read_bytes(places.found_map("ld_generated.map")), "ld.map")
    r = run(*how, path, path + "2")
    assert r.returncode in (0, 5) and r.stdout.count(b"repaired groups/") == 4
    assert ddnet_reader.read_map(read_bytes(path + "2")) == (None, [], set())


def test_a_map_that_ddnet_refuses_is_not_converted_for_it(tmp_path):
    """It is converted for other games, which load such maps."""
    b = Builder()
    b.add(MAP_VERSION, [1])
    b.tiles(4, 3, bytes(48), flags=1, name="Game")
    b.tiles(4, 3, bytes(48), name="ground")
    b.items[-1].ints[7] = 300
    b.group(0, 2, "Game")
    path = write_bytes(tmp_path, b.encode(), "bad.map")
    r = run("convert", "--to", "ddnet", path, path + "2")
    assert r.returncode == 2 and not os.path.exists(path + "2"), r
    assert b"groups/0_Game/layers/1_ground: color[0] is 300 (0 to 255)" in r.stderr
    assert run("convert", "--to", "0.6", path, path + "2").returncode == 0


@pytest.mark.parametrize("how", [("convert", "--to", "ddnet"), ("tidy",)], ids=lambda h: h[0])
def test_duplicate_ids_are_replaced(tmp_path, how):
    """Nothing else changes, since nothing refers to an id."""
    b = Builder()
    b.add(MAP_VERSION, [1])
    for id_ in (3, 0, 3):
        b.add(LAYER, [0, 2, 0, 3, 4, 3, 1, 255, 255, 255, 255, -1, 0, -1, b.blob(bytes([id_, 0, 0, 0]) * 12)]
              + datafile.words(str(id_), 3) + [-1] * 5, id_)
    b.group(0, 3, "Game")
    path = write_bytes(tmp_path, b.encode(), "twice.map")
    assert ddnet_reader.read_map(read_bytes(path)).refused == "id"
    r = run(*how, path, path + "2")
    assert r.returncode == 0 and b"repaired items of type 5: id 3 occurred twice\n" in r.stdout
    before, after = Datafile.load(path), Datafile.load(path + "2")
    assert [i.id for i in after.of_type(LAYER)] == [3, 0, 4]
    assert [i.ints[:14] for i in after.items] == [i.ints[:14] for i in before.items]
    assert after.blobs() == before.blobs() and ddnet_reader.read_map(read_bytes(path + "2")).refused is None
