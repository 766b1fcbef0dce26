# SPDX-License-Identifier: Zlib
"""Refused input: truncated or damaged files, and tables that no map can hold."""
import json
import os
import random
import re
import struct

import pytest

import places
import tcgen
from driver import Refused
from test_triclon_maps import SMALL, write_map, small_map  # noqa: F401 (a fixture)


def opens(d, path, options=""):
    try:
        d.open(path, options)
    except Refused as e:
        assert e.errno == 22 and len(e.text) > 20, e.text
        return False
    return True


def is_valid_prefix(m, n):
    """Are the first n bytes a valid map, too? True if only points at the end are missing that nothing counts or
    refers to, and the data after them."""
    begin = 4 + 1 + len(m.name) + 1 + len(m.author) + 4 + 4 * len(m.terrain)
    left = (n - begin) // 8
    return (m.variant.points == "none" and n >= begin and (n - begin) % 8 == 0 and
            left <= len(m.points) and max([i for i, _ in m.terrain], default=-1) < left)


def test_a_truncated_map_is_refused(d, write_map):
    rng, tried, opened = random.Random(5), 0, []
    for m in tcgen.maps(480, seed=9):
        whole = m.encode()
        for n in rng.sample(range(len(whole)), 10):
            if not is_valid_prefix(m, n):
                tried += 1
                if opens(d, write_map(whole[:n])):
                    opened.append((m.variant, len(m.points), len(whole) - n))
    # The rest may be a valid map by chance.
    assert len(opened) <= tried // 50, opened


@pytest.mark.parametrize("variant", tcgen.VARIANTS, ids=str)
def test_a_size_beyond_the_file_is_refused(d, write_map, variant):
    for m in (tcgen.content(random.Random(i), variant) for i in range(10)):
        whole, order = m.encode(), "<" if variant.endian == "little" else ">"
        begin = 4 + 1 + len(m.name) + 1 + len(m.author)
        sizes = [begin]
        if variant.points != "none":
            sizes.append(begin + 4 + 4 * len(m.terrain))
        # Without a size of the points, any of their numbers may by chance look like that of the list.
        if variant.points != "none" and m.objects:
            sizes.append(len(whole) - 8 * len(m.objects) - 4)
        for place in sizes:
            for wrong in (len(whole) + 3, 0xffffffff, 0x7fffffff, 0x80000000):
                damaged = bytearray(whole)
                struct.pack_into(order + "I", damaged, place, wrong)
                assert not opens(d, write_map(bytes(damaged)), m.options()), (place, wrong)


@pytest.mark.parametrize("data, says", [
    (b"TCM3", "length of the name"),
    (b"TCM3\x05Hil", r"length of the name is 5 \(3 bytes remain\)"),
    (b"TCM3\x01H\x09Ann", r"length of the author is 9 \(3 bytes remain\)"),
    (b"TCM3\0\0\0\0", r"terrain list: 2 bytes remain"),
    (b"TCM3\0\0\x08\0\0\0abcd", r"the size of the terrain list is 8 \(4 bytes remain\)"),
    (b"TCM3\0\0\0\0\0\0\1", r"the size of the points: 1 bytes remain \(at least 4\)"),
    (small_map().encode() + b"x", "bytes remain"),
    (b"TCM4" + small_map().encode()[4:], "not a map of a known format"),
])
def test_a_file_is_refused_with_field_value_and_bound(d, write_map, data, says):
    with pytest.raises(Refused, match=says):
        d.open(write_map(data))


def test_a_demanded_size_that_is_missing_is_refused(d, write_map):
    with pytest.raises(Refused, match="the size of the points: 0 bytes remain .at least 4."):
        d.open(write_map(b"TCM3\0\0\0\0\0\0"), "points=bytes")


def test_a_truncated_file_is_refused_although_another_reading_fits(d, write_map):
    m = small_map(tcgen.Variant("little", "bytes", "count", False), points=[(i, 9 - i) for i in range(9)])
    data = m.encode()[:-12]
    with pytest.raises(Refused, match="lists=bytes,points=count, the size of the points is 9 .60 bytes remain"):
        d.open(write_map(data))
    d.open(write_map(data), "endian=little")
    assert d.notes()[0].startswith("read with -o endian=little,lists=bytes,points=none: ")


def test_a_file_larger_than_any_map_is_refused(d, tmp_path):
    path = tmp_path / "large.tcm"
    with open(path, "wb") as f:
        f.write(b"TCM3")
        f.truncate((16 << 20) + 1)
    with pytest.raises(Refused, match="16777217 bytes .at most 16777216"):
        d.open(path)


def test_an_index_beyond_the_points_is_refused_but_opens_on_demand(d, write_map, tmp_path):
    m = small_map(terrain=[(0, 1), (7, 2)], objects=None)
    with pytest.raises(Refused, match="refers to point 7 .the map has 5.*-o endian=little,lists=bytes,points=none"):
        d.open(write_map(m))
    d.open(write_map(m), "points=none")
    # An existing fault may stay, a new one is refused.
    assert d.put("terrain.csv", b"index,type\n0,5\n7,2\n")
    with pytest.raises(Refused, match="line 3, column 1: no point 8 "):
        d.put("terrain.csv", b"index,type\n0,5\n8,2\n")
    d.save(tmp_path / "b.tcm")


def test_garbage_is_read_or_refused(d, write_map):
    rng = random.Random(11)
    for i in range(1000):
        if i % 2:
            data = b"TCM3" + rng.randbytes(rng.randint(0, 200))
        else:
            data = bytearray(small_map(rng.choice(tcgen.VARIANTS)).encode())
            for _ in range(rng.randint(1, 4)):
                data[rng.randrange(4, len(data))] = rng.choice((0, 1, 127, 128, 255, 8))
        if opens(d, write_map(bytes(data))):
            for name, content in d.files().items():
                assert not d.put(name, content)


def test_a_file_with_many_possible_readings_is_read_fast(d, write_map):
    # Every place in it holds the size that an objects list would have there.
    n = 60000
    points = [(n - i, 8 * (n - i)) for i in range(n)]
    m = small_map(points=points, terrain=[])
    data = m.encode()[:17] + b"".join(struct.pack("<II", 8 * (n - 1 - i), 1) for i in range(n))
    assert opens(d, write_map(data[:-4]))


LONG = "x" * 200


@pytest.mark.parametrize("name, text, says", [
    ("terrain.csv", "index,type\n0,1\n5,2\n", "line 3, column 1: no point 5 "),
    ("terrain.csv", "index,type\n65536,1\n", r"line 2, column 1: 65536 is not 0..65535"),
    ("terrain.csv", "index,type\n0,65536\n", r"line 2, column 2: 65536 is not 0..65535"),
    ("terrain.csv", "index,type\n0,-1\n", r"line 2, column 2: -1 is not 0..65535"),
    ("points.csv", "x,y\n1,2147483648\n", "line 2, column 2: 2147483648 is not -2147483648..21474836"),
    ("points.csv", "x,y\n-2147483649,1\n", "line 2, column 1: -2147483649 is not"),
    ("points.csv", "x,y\n99999999999999999999,1\n", "line 2, column 1: 99999999999999999999 is not"),
    ("objects.csv", "x,type\n1,4294967296\n", r"line 2, column 2: 4294967296 is not 0..4294967295"),
    ("objects.csv", "x,type\n1,1\n\n1,-1\n", r"line 4, column 2: -1 is not"),
    ("points.csv", "x,y\n1,2.5\n", "line 2, column 2: 2.5 is not an integer"),
    ("points.csv", "x,y\n1,0x10\n", "line 2, column 2: 0x10 is not an integer"),
    ("points.csv", "x,y\n1,\n", "line 2, column 2: missing number"),
    ("points.csv", "x,y\n1\n", "line 2, column 2: missing cell"),
    ("points.csv", "x,y\n1,2,3\n", "line 2, column 3: too many cells"),
    ("points.csv", "1,2\n", 'line 1, column 1: 1 is not the name of this column \(must be x\)'),
    ("points.csv", "x,type\n1,2\n", 'line 1, column 2: type is not the name of this column \(must be y\)'),
    ("points.csv", "x,y\n1;2\n", "line 2, column 1: 1;2 is not an integer"),
    ("points.csv", "x,y\n1,2\0\n", r"line 2, column 2: 2\? is not an integer"),
    ("points.csv", "x,y\n1," + LONG, r"line 2, column 2: x+\.\.\. is not an integer"),
    ("info.json", '{\n "name": "%s"\n}' % (2 * LONG), "line 2, column 10: name is .*400 bytes, at most 255"),
    ("info.json", '{\n "author": "%s"\n}' % (128 * "\u00fc"), "line 2, column 12: author .*256 bytes"),
    ("info.json", '{"name": 5}', "line 1, column 10: name is 5"),
    ("info.json", '{"nam": ""}', "line 1, column 9: nam is not a known key"),
    ("info.json", '{"variant": {"endian": "middle"}}', "line 1, column 24: variant.endian is .middle. .must be little or big"),
    ("info.json", '{"variant": {"lists": "none"}}', "line 1, column 23: .*must be bytes or count"),
    ("info.json", '{"variant": {"points": "x"}}', "line 1, column 24: .*must be none, bytes or count"),
    ("info.json", '{"variant": {"tag": "TCM2"}}', "line 1, column 21: .*must stay TCM3"),
    ("info.json", "{", "line 1, column 1: "),
    ("info.json", "", "line 1, column 1: "),
    ("info.json", '{"name": "%s"}' % (400 * LONG), "line 1, column 1: the file has "),
])
def test_content_that_no_map_can_hold_is_refused_and_changes_nothing(d, write_map, name, text, says):
    d.open(write_map(small_map(tcgen.VARIANTS[1])))
    before = d.files()
    with pytest.raises(Refused, match=says) as e:
        d.put(name, text.encode())
    assert e.value.errno == 22 and d.files() == before


def test_a_name_of_255_bytes_is_not_too_long(d, write_map, tmp_path):
    m = small_map()
    d.open(write_map(m))
    d.put("info.json", json.dumps({"author": "y" * 255}).encode())
    m.author = b"y" * 255
    d.save(tmp_path / "b.tcm")
    assert (tmp_path / "b.tcm").read_bytes() == m.encode()


def test_the_last_point_may_be_referred_to_and_the_one_after_it_not(d, write_map):
    d.open(write_map(small_map(terrain=[(1, 1)])))
    assert d.put("terrain.csv", b"index,type\n4,1\n")
    d.open(write_map(small_map(terrain=[(1, 1)])))
    with pytest.raises(Refused, match="line 2, column 1: no point 5 .*has 5"):
        d.put("terrain.csv", b"index,type\n5,1\n")


def test_a_save_with_fewer_points_than_the_terrain_needs_is_refused(d, write_map, tmp_path):
    d.open(write_map(small_map()))
    d.put("points.csv", b"x,y\n1,1\n2,2\n")
    with pytest.raises(Refused):
        d.save(tmp_path / "b.tcm")
    assert d.notes()[-1].startswith("terrain.csv: line 3, column 1: no point 4 ")
    assert not (tmp_path / "b.tcm").exists()
    d.put("terrain.csv", b"index,type\n0,3\n")
    d.save(tmp_path / "b.tcm")


def test_new_names_are_scratch_files(d, write_map):
    d.open(write_map(small_map()))
    for name in ("objects.csv~", "notes.txt", "Points.csv", ".info.json.swp"):
        with pytest.raises(Refused, match="scratch"):
            d.add(name)


@pytest.mark.parametrize("option", ["endian=middle", "lists=none", "points=all", "endian"])
def test_an_unknown_value_of_an_option_is_refused(d, write_map, option):
    with pytest.raises(Refused, match="option %s has no value" % option.split("=")[0]):
        d.open(write_map(small_map()), option)


def test_only_its_folder_and_the_tables_name_the_format():
    """The tables of formats and tools, the options, and the help text."""
    known = {"formats/formats.c", "formats/meson.build", "cli/usage.c", "tools/tools.c", "tools/meson.build",
             "tools/triclon/tools.c", "tools/triclon/tools.h"}
    src = os.path.join(places.SOURCE, "src")
    found = set()
    for base, _, names in os.walk(src):
        for name in names:
            path = os.path.relpath(os.path.join(base, name), src)
            with open(os.path.join(src, path), encoding="utf-8") as f:
                if re.search("triclon|tcm", f.read(), re.I):
                    found.add(path)
    assert {p for p in found if not p.startswith(("formats/triclon/", "tools/triclon/"))} <= known


@pytest.mark.parametrize("option", ["endian=middle", "lists=none"])
def test_a_new_map_with_an_unknown_value_is_refused(d, option):
    with pytest.raises(Refused, match="option %s has no value" % option.split("=")[0]):
        d.create(option)
