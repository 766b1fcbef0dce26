# SPDX-License-Identifier: Zlib
"""Triclon maps of all 24 variants: how they are read, and the files that changes give."""
import copy
import glob
import json
import os
import random
import struct
import subprocess

import pytest

import places
import tcgen

MANY = 4000
CORPUS = os.path.join(places.SHARED, "corpus", "triclon")
TABLES = ("terrain.csv", "points.csv", "objects.csv")
SMALL = {"terrain": [(0, 3), (4, 1)], "points": [(0, 90), (16, 80), (32, 84), (48, 70), (64, 99)],
         "objects": [(20, 1), (50, 4)]}


@pytest.fixture
def write_map(tmp_path):
    """A function that writes a map and returns its path."""
    def write(m):
        path = tmp_path / "a.tcm"
        path.write_bytes(m if isinstance(m, bytes) else m.encode())
        return path
    return write


def small_map(variant=tcgen.VARIANTS[0], **changes):
    parts = {**SMALL, **changes}
    if not variant.objects and "objects" not in changes:
        parts["objects"] = None
    return tcgen.Map(variant, b"Hill", b"Ann", **parts)


def read_tables(d):
    return {n: c for n, c in d.files().items() if n != "info.json"}


def read_info(d):
    return json.loads(d.get("info.json"))


def assert_read_as_written(d, m):
    """Check the tables, and the variant as far as the file shows it."""
    v, said = m.variant, read_info(d)["variant"]
    counted = m.terrain or m.objects
    return (read_tables(d) == m.files() and said["endian"] == v.endian and said["points"] == v.points
            and (not counted or said["lists"] == v.lists))


def save_and_read(d, tmp_path):
    out = tmp_path / "saved.tcm"
    d.save(out)
    return out.read_bytes()


def test_at_least_999_of_1000_maps_are_read_as_written(d, write_map):
    wrong = []
    for m in tcgen.maps(MANY):
        d.open(write_map(m))
        if not assert_read_as_written(d, m):
            wrong.append((m.variant, d.notes()))
    assert len(wrong) <= MANY // 1000, wrong


# The note for each sample, and for small_map() in each variant. Recorded from an earlier reader, which chose the
# reading with the shortest description.
SAMPLES = """\
be_bytes_pp-bytes_noobj endian=big,lists=bytes,points=bytes: terrain 3, points 7, no list of objects
be_bytes_pp-count_obj0 endian=big,lists=bytes,points=count: terrain 3, points 7, objects 0
be_bytes_pp-none_obj3 endian=big,lists=bytes,points=none: terrain 3, points 7, objects 3
be_count_pp-count_noobj endian=big,lists=count,points=count: terrain 3, points 7, no list of objects
be_count_pp-none_obj0 endian=big,lists=count,points=none: terrain 3, points 7, objects 0
le_bytes_pp-bytes_noobj endian=little,lists=bytes,points=bytes: terrain 3, points 7, no list of objects
le_bytes_pp-count_obj0 endian=little,lists=bytes,points=count: terrain 3, points 7, objects 0
le_bytes_pp-none_obj0 endian=little,lists=bytes,points=none: terrain 3, points 7, objects 0
le_count_pp-bytes_obj3 endian=little,lists=count,points=bytes: terrain 3, points 7, objects 3
le_count_pp-none_noobj endian=little,lists=count,points=none: terrain 3, points 7, no list of objects
"""
VARIANTS = """\
endian=little,lists=bytes,points=none: terrain 2, points 5, no list of objects
endian=little,lists=bytes,points=none: terrain 2, points 5, objects 2
endian=little,lists=bytes,points=bytes: terrain 2, points 5, no list of objects
endian=little,lists=bytes,points=bytes: terrain 2, points 5, objects 2
endian=little,lists=bytes,points=count: terrain 2, points 5, no list of objects
endian=little,lists=bytes,points=count: terrain 2, points 5, objects 2
endian=little,lists=count,points=none: terrain 2, points 5, no list of objects
endian=little,lists=count,points=none: terrain 2, points 5, objects 2
endian=little,lists=count,points=bytes: terrain 2, points 5, no list of objects
endian=little,lists=count,points=bytes: terrain 2, points 5, objects 2
endian=little,lists=count,points=count: terrain 2, points 5, no list of objects
endian=little,lists=count,points=count: terrain 2, points 5, objects 2
endian=big,lists=bytes,points=none: terrain 2, points 5, no list of objects
endian=big,lists=bytes,points=none: terrain 2, points 5, objects 2
endian=big,lists=bytes,points=bytes: terrain 2, points 5, no list of objects
endian=big,lists=bytes,points=bytes: terrain 2, points 5, objects 2
endian=big,lists=bytes,points=count: terrain 2, points 5, no list of objects
endian=big,lists=bytes,points=count: terrain 2, points 5, objects 2
endian=big,lists=count,points=none: terrain 2, points 5, no list of objects
endian=big,lists=count,points=none: terrain 2, points 5, objects 2
endian=big,lists=count,points=bytes: terrain 2, points 5, no list of objects
endian=big,lists=count,points=bytes: terrain 2, points 5, objects 2
endian=big,lists=count,points=count: terrain 2, points 5, no list of objects
endian=big,lists=count,points=count: terrain 2, points 5, objects 2
"""


@pytest.mark.parametrize("line", SAMPLES.splitlines(), ids=lambda line: line.split()[0])
def test_a_sample_is_read_as_before(d, line):
    name, said = line.split(" ", 1)
    path = os.path.join(CORPUS, name + ".tcm")
    if not os.path.exists(path):
        pytest.skip(places.NO_SHARED)
    d.open(path)
    assert d.notes() == ["read with -o " + said]


@pytest.mark.parametrize("variant, said", zip(tcgen.VARIANTS, VARIANTS.splitlines()), ids=str)
def test_a_map_of_each_variant_is_read_as_before(d, write_map, variant, said):
    d.open(write_map(small_map(variant)))
    assert d.notes() == ["read with -o " + said]
    d.open(write_map(small_map(variant)), small_map(variant).options())
    assert d.notes() == ["read with -o " + said]


# ---- several readings that end at the end of the file

@pytest.mark.parametrize("data, said", [
    (b"TCM3\0\0" + bytes(4), "endian=little,lists=bytes,points=none: terrain 0, points 0, no list of objects"),
    (b"TCM3\0\0" + bytes(8), "endian=little,lists=bytes,points=none: terrain 0, points 0, objects 0"),
    (b"TCM3\0\0" + bytes(12), "endian=little,lists=bytes,points=none: terrain 0, points 1, no list of objects"),
    (b"3MCT\0\0" + bytes(12), "endian=big,lists=bytes,points=none: terrain 0, points 1, no list of objects"),
])
def test_the_first_plausible_reading_is_taken_and_named(d, write_map, data, said):
    d.open(write_map(data))
    assert d.notes() == ["read with -o " + said]


def test_a_size_before_the_points_comes_first(d, write_map):
    m = tcgen.Map(tcgen.Variant("little", "count", "count", False), terrain=[(0, 1)], points=[(1, 1), (2, 5)])
    other = tcgen.Map(tcgen.Variant("little", "count", "none", True), terrain=[(0, 1)], points=[(2, 1)], objects=[(2, 5)])
    assert m.encode() == other.encode()
    d.open(write_map(m))
    assert assert_read_as_written(d, m)
    d.open(write_map(m), other.options())
    assert assert_read_as_written(d, other)


def test_integers_come_before_floats(d, write_map):
    """In the other byte order the point is (0, 2.5)."""
    m = tcgen.Map(tcgen.Variant("big", "bytes", "none", False), points=[(0, 0x2040)])
    d.open(write_map(m))
    assert assert_read_as_written(d, m) and read_info(d)["variant"]["coordinates"] == "integer"


def test_a_size_far_from_the_points_is_no_size_of_objects(d, write_map):
    m = tcgen.Map(tcgen.Variant("little", "count", "none", True), terrain=[(0, 1)],
                  points=[(-435, 294), (-419, 235)], objects=[(-426, 3), (-421, 0)])
    d.open(write_map(m))
    assert assert_read_as_written(d, m)


@pytest.mark.parametrize("variant", tcgen.VARIANTS, ids=str)
@pytest.mark.parametrize("points", [
    [(0, 90), (16, 80), (32, 84), (24, 70), (40, 99), (36, 50)],
    [(i, 90 - i) for i in range(40)] + [(30, 1)],
    [(0, 90), (16, 1 << 21), (32, 84), (48, 70), (64, 3)],
], ids=["turning", "long", "high"])
def test_unusual_ground_is_read_by_the_first_reading_that_fits(d, write_map, variant, points):
    m = small_map(variant, points=points)
    d.open(write_map(m))
    assert assert_read_as_written(d, m) and read_info(d)["variant"]["coordinates"] == "integer"


def test_all_maps_are_read_as_written_with_options(d, write_map):
    wrong = []
    for m in tcgen.maps(MANY):
        d.open(write_map(m), m.options())
        if read_tables(d) != m.files() or read_info(d)["variant"]["lists"] != m.variant.lists:
            wrong.append((m.variant, d.notes()))
    assert wrong == []


def change_random_value(rng, files):
    """Change one random cell of one table; returns (file, row, column, value, new content of the file)."""
    name = rng.choice([n for n in TABLES if files.get(n, b"").count(b"\n") > 1])
    rows = [line.split(",") for line in files[name].decode().splitlines()]
    row, column = rng.randrange(1, len(rows)), rng.randrange(2)
    old = int(rows[row][column])
    new = old + rng.choice((1, 3))
    if (name, column) == ("terrain.csv", 0):  # an existing point
        new = rng.randrange(files["points.csv"].count(b"\n") - 1)
    elif name == "terrain.csv" and new > 65535:
        new = old - 1
    rows[row][column] = str(new)
    text = "\n".join(",".join(r) for r in rows) + "\n"
    return name, row - 1, column, new, text.encode()


def change_map(m, name, row, column, value):
    e = copy.deepcopy(m)
    records = {"terrain.csv": e.terrain, "points.csv": e.points, "objects.csv": e.objects}[name]
    record = list(records[row])
    record[column] = value
    records[row] = tuple(record)
    return e


def test_a_changed_value_keeps_all_other_bytes(d, write_map, tmp_path):
    rng = random.Random(7)
    for m in tcgen.maps(MANY, seed=2):
        before = m.encode()
        d.open(write_map(before))
        right, files = read_tables(d) == m.files(), read_tables(d)
        name, row, column, value, text = change_random_value(rng, files)
        changed = d.put(name, text)
        assert changed == (text != files[name])
        after = save_and_read(d, tmp_path)
        assert len(after) == len(before)
        where = [i for i in range(len(before)) if before[i] != after[i]]
        # Whatever the reading was, only one number may differ.
        assert not where or where[-1] - where[0] < 4, m.variant
        assert not right or after == change_map(m, name, row, column, value).encode()


def test_a_changed_name_keeps_all_other_bytes(d, write_map, tmp_path):
    for m in tcgen.maps(240, seed=3):
        d.open(write_map(m))
        said = read_info(d)
        said["author"] = "Somebody Else"
        assert d.put("info.json", json.dumps(said).encode())
        m.author = b"Somebody Else"
        assert save_and_read(d, tmp_path) == m.encode()


# ---- the laws

@pytest.mark.parametrize("variant", tcgen.VARIANTS, ids=str)
def test_the_laws_hold(d, write_map, tmp_path, variant):
    rng = random.Random(str(variant))
    for _ in range(10):
        m = tcgen.content(rng, variant)
        path = write_map(m)
        d.open(path)
        assert d.laws() == ""
        assert d.save(tmp_path / "b.tcm") == "ok same"
        assert (tmp_path / "b.tcm").read_bytes() == m.encode()
        others = d.files()
        name, _, _, _, text = change_random_value(rng, others)
        d.put(name, text)
        assert d.get(name) == text, "PutGet"
        assert not d.put(name, text)
        assert {n: c for n, c in d.files().items() if n != name} == \
            {n: c for n, c in others.items() if n != name}, "Locality"


def test_ranges_of_a_long_table_are_slices_of_it(d, write_map):
    points = [(i * 7, (i * i) % 1000 - 500) for i in range(5000)]
    d.open(write_map(small_map(points=points)))
    whole = d.get("points.csv")
    assert whole == tcgen.table("x,y", points)
    for off in range(0, len(whole), 997):
        assert d.range("points.csv", off, min(1500, len(whole) - off)) == whole[off:off + 1500]


@pytest.mark.parametrize("text, canonical", [
    (b"x,y\r\n1,2\r\n", b"x,y\n1,2\n"),
    (b" x , y\n 1 ,\t2", b"x,y\n1,2\n"),
    (b'"x","y"\n"1","-2"\n\n', b"x,y\n1,-2\n"),
    (b"x,y", b"x,y\n"),
    (b"", b"x,y\n"),
])
def test_other_forms_of_a_table_become_the_canonical_one(d, write_map, text, canonical):
    d.open(write_map(small_map(terrain=[])))
    assert d.put("points.csv", text)
    assert d.get("points.csv") == canonical
    assert not d.put("points.csv", text)


# ---- structure

@pytest.mark.parametrize("variant", tcgen.VARIANTS, ids=str)
def test_records_are_added_and_removed(d, write_map, tmp_path, variant):
    m = small_map(variant)
    d.open(write_map(m), m.options())
    m.points = m.points[1:] + [(100, -5), (120, 7), (130, 8)]
    m.terrain = [(0, 9), (2, 3), (6, 65535)]
    d.put("points.csv", tcgen.table("x,y", m.points))
    d.put("terrain.csv", tcgen.table("index,type", m.terrain))
    if variant.objects:
        m.objects = [(101, 4294967295)]
        d.put("objects.csv", tcgen.table("x,type", m.objects))
    assert save_and_read(d, tmp_path) == m.encode()


@pytest.mark.parametrize("objects", [None, [], [(20, 1)]])
def test_missing_empty_and_full_objects_lists_are_told_apart(d, write_map, tmp_path, objects):
    m = small_map(objects=objects)
    d.open(write_map(m))
    assert ("objects.csv" in d.names()) == (objects is not None)
    assert read_tables(d) == m.files()
    assert save_and_read(d, tmp_path) == m.encode()


def test_an_objects_list_can_be_added_and_removed(d, write_map, tmp_path):
    none, full = small_map(objects=None), small_map(objects=[(20, 1)])
    d.open(write_map(none))
    d.add("objects.csv")
    assert d.put("objects.csv", b"x,type\n20,1\n")
    assert save_and_read(d, tmp_path) == full.encode()
    d.open(write_map(full))
    d.remove("objects.csv")
    assert save_and_read(d, tmp_path) == none.encode()
    d.add("objects.csv")  # undone before the save
    assert save_and_read(d, tmp_path) == full.encode()
    d.open(write_map(none))
    d.add("objects.csv")
    d.remove("objects.csv")
    assert d.save(tmp_path / "b.tcm") == "ok same"


def test_a_removed_table_is_empty_and_info_stays(d, write_map, tmp_path):
    m = small_map()
    d.open(write_map(m))
    d.remove("terrain.csv")
    d.remove("info.json")
    m.terrain = []
    assert save_and_read(d, tmp_path) == m.encode()
    assert [n for n in d.notes() if n.startswith("info.json was not removed")]


@pytest.mark.parametrize("variant", tcgen.VARIANTS, ids=str)
def test_a_new_map_that_is_filled_reads_back_equal(d, write_map, tmp_path, variant):
    m = small_map(variant)
    d.create(m.options())
    assert read_tables(d) == {"terrain.csv": b"index,type\n", "points.csv": b"x,y\n"}
    d.put("info.json", b'{"name": "Hill", "author": "Ann"}')
    if variant.objects:
        d.add("objects.csv")
    for name in ("points.csv", "terrain.csv", "objects.csv")[:2 + variant.objects]:
        d.put(name, m.files()[name])
    assert save_and_read(d, tmp_path) == m.encode()
    d.open(tmp_path / "saved.tcm")
    assert assert_read_as_written(d, m)


def test_a_new_map_is_the_default_variant_and_never_like_the_empty_file(d, tmp_path):
    d.create()
    assert d.save(tmp_path / "new.tcm") == "ok changed"
    assert (tmp_path / "new.tcm").read_bytes() == b"TCM3\0\0\0\0\0\0"


@pytest.mark.parametrize("to", tcgen.VARIANTS, ids=str)
def test_another_variant_in_info_json_converts_the_map(d, write_map, tmp_path, to):
    m = small_map(tcgen.Variant("big", "count", "bytes", to.objects))
    d.open(write_map(m))
    said = read_info(d)
    said["variant"].update(endian=to.endian, lists=to.lists, points=to.points)
    d.put("info.json", json.dumps(said).encode())
    m.variant = to
    assert save_and_read(d, tmp_path) == m.encode()


def test_an_ambiguous_map_is_reported(d, write_map, tmp_path):
    m = tcgen.Map(tcgen.Variant("big", "count", "count", True), points=[(5, 5)], objects=[])
    d.open(write_map(m), m.options())
    d.put("points.csv", b"x,y\n")
    d.save(tmp_path / "b.tcm")
    assert d.notes()[-1] == ("the map can be mistaken for another variant: mount it with -o " +
                             m.options())
    d.open(write_map(small_map()))
    d.put("points.csv", tcgen.table("x,y", SMALL["points"] + [(80, 90)]))
    d.save(tmp_path / "b.tcm")
    assert not [n for n in d.notes() if "mistaken" in n]


# ---- other content

@pytest.mark.parametrize("raw, shown", [
    (b"", ""), ("\u0141\u00f3d\u017a".encode(), "\u0141\u00f3d\u017a"), (b"M\xfcller", "M\u00fcller"),
    (b"Hill\0", "Hill\u2400"), (b'a"\\\n', 'a"\\\n'), (b"x" * 255, "x" * 255),
])
def test_a_name_is_shown_whatever_its_bytes(d, write_map, tmp_path, raw, shown):
    m = small_map()
    m.name = raw
    d.open(write_map(m))
    said = read_info(d)
    assert said["name"] == shown
    assert not d.put("info.json", d.get("info.json"))
    said["author"] = "B"
    d.put("info.json", json.dumps(said).encode())
    m.author = b"B"
    assert save_and_read(d, tmp_path) == m.encode()


@pytest.mark.parametrize("new, stored", [
    ("Jos\u00e9", b"Jos\xe9"), ("\u0141", "\u0141".encode()), ("plain", b"plain"),
    ("\u00c3\u00a9", "\u00c3\u00a9".encode()),  # this byte is another letter in Latin-1
])
def test_a_name_in_latin1_stays_in_latin1_if_possible(d, write_map, tmp_path, new, stored):
    m = small_map()
    m.name = b"M\xfcller"
    d.open(write_map(m))
    d.put("info.json", json.dumps({"name": new}).encode())
    assert read_info(d)["name"] == new
    m.name = stored
    assert save_and_read(d, tmp_path) == m.encode()


def test_coordinates_that_can_only_be_floats_are_shown_as_floats(d, write_map, tmp_path):
    points = [(0.0, 100.5), (16.25, 101.1), (32.0, -7.75)]
    m = tcgen.Map(tcgen.Variant("big", "bytes", "none", True), b"", b"", [(0, 1), (2, 2)], points,
                  [(3.5, 7)], real=True)
    d.open(write_map(m))
    assert read_info(d)["variant"]["coordinates"] == "float"
    shown = [tuple(map(float, r.split(","))) for r in d.get("points.csv").decode().split()[1:]]
    assert [tuple(struct.unpack("f", struct.pack("f", v))[0] for v in p) for p in shown] == \
        [tuple(struct.unpack("f", struct.pack("f", v))[0] for v in p) for p in points]
    assert d.get("objects.csv") == b"x,type\n3.5,7\n"
    assert not d.put("points.csv", d.get("points.csv"))
    m.points[1] = (16.5, 1e-3)
    d.put("points.csv", b"x,y\n0,100.5\n16.5,0.001\n32,-7.75\n")
    assert save_and_read(d, tmp_path) == m.encode()


@pytest.mark.parametrize("tag, variant", [
    (b"TCM2", tcgen.VARIANTS[0]), (b"3MCT", tcgen.VARIANTS[12]), (b"3MCT", tcgen.VARIANTS[0])])
def test_other_tags_are_read_if_they_fit_and_stay(d, write_map, tmp_path, tag, variant):
    m = small_map(variant, objects=None)
    m.tag = tag
    d.open(write_map(m))
    assert read_tables(d) == m.files() and read_info(d)["variant"]["tag"] == tag.decode()
    assert (tag == b"TCM2") == any("TCM2" in n for n in d.notes())
    assert save_and_read(d, tmp_path) == m.encode()


def test_assumptions_about_the_variant_are_noted(d, write_map):
    m = small_map(tcgen.Variant("big", "count", "bytes", True))
    d.open(write_map(m))
    assert d.notes() == ["read with -o endian=big,lists=count,points=bytes: "
                         "terrain 2, points 5, objects 2"]
    d.open(write_map(small_map(objects=None)))
    assert d.notes()[0].endswith("points=none: terrain 2, points 5, no list of objects")


@pytest.mark.parametrize("path", sorted(glob.glob(CORPUS + "/*.tcm")) or [None], ids=lambda p: os.path.basename(p or "none"))
def test_samples_are_read_as_the_variant_in_their_names(d, tmp_path, path):
    if path is None:
        pytest.skip(places.NO_SHARED)
    endian, lists, points, objects = os.path.basename(path)[:-4].split("_")
    d.open(path)
    said = read_info(d)["variant"]
    assert (said["endian"], said["lists"], said["points"]) == (
        {"le": "little", "be": "big"}[endian], lists, points[3:])
    assert d.files().get("objects.csv", b"").count(b"\n") == {"noobj": 0, "obj0": 1, "obj3": 4}[objects]
    assert d.save(tmp_path / "b.tcm") == "ok same"
    with open(path, "rb") as f:
        assert (tmp_path / "b.tcm").read_bytes() == f.read()


def test_queries_change_nothing(write_map):
    run = subprocess.run([os.environ["TCM_QUESTIONS"], "40", write_map(small_map())], capture_output=True,
                         text=True, timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr
    puts, _, _, removed = [int(part.split()[0]) for part in run.stdout.split(", ")]
    assert puts >= 20 and removed >= 20, run.stdout
