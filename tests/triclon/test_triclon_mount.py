# SPDX-License-Identifier: Zlib
"""Mounted Triclon maps obey the rules of the tree."""
import errno
import json
import os
import shutil

import pytest

import tcgen
from box import get, put, refused, sync_root
from test_triclon_maps import SMALL, small_map

EVERY = [tcgen.VARIANTS[i] for i in (0, 7, 12, 23)]


def create_file(m, name, data):
    put(m / name, data, flags=os.O_WRONLY | os.O_CREAT | os.O_EXCL)


def read_error(m, name):
    return m.xattr(name, "user.mapfs.error")


def mount(box, map_, **kw):
    return box.mount(box.add(map_.encode(), "hill.tcm"), **kw)


@pytest.mark.parametrize("variant", EVERY, ids=str)
def test_a_map_is_a_directory_of_tables_and_is_not_written_unchanged(box, variant):
    m = small_map(variant)
    at = mount(box, m)
    files, dirs = at.walk()
    want = m.files()
    assert dirs == {b""} and {os.fsdecode(n) for n in files} == {"info.json", *want}
    for name, content in want.items():
        assert at.get(name) == content
        assert files[os.fsencode(name)].st_size == len(content)
    said = json.loads(at.get("info.json"))
    assert said["name"] == "Hill" and said["variant"]["endian"] == variant.endian
    before = os.stat(at.map)
    for name in files:
        put(os.path.join(os.fsencode(at.point), name), get(os.path.join(os.fsencode(at.point), name)))
    at.unmount()
    after = os.stat(at.map)
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


@pytest.mark.parametrize("variant", EVERY, ids=str)
def test_a_changed_value_is_the_only_change(box, variant):
    m = small_map(variant)
    at = mount(box, m)
    box.run("-i", "s/^32,84$/32,85/", at / "points.csv", program="sed")
    at.unmount()
    m.points[2] = (32, 85)
    assert get(at.map) == m.encode()


def test_records_are_added_by_appending(box):
    m = small_map(tcgen.VARIANTS[1])
    at = mount(box, m)
    put(at / "points.csv", b"80,60\n", flags=os.O_WRONLY | os.O_APPEND)
    put(at / "terrain.csv", b"5,9\n", flags=os.O_WRONLY | os.O_APPEND)
    at.unmount()
    m.points.append((80, 60))
    m.terrain.append((5, 9))
    assert get(at.map) == m.encode()


def test_content_that_no_map_can_hold_is_refused_and_kept(box):
    m = small_map()
    at = mount(box, m)
    for name, text, place in (
            ("terrain.csv", b"index,type\n0,x\n", "line 2, column 2: "),
            ("points.csv", b"x,y\n0,99999999999\n", "line 2, column 2: 99999999999 is not"),
            ("info.json", b'{\n "name": "%s"\n}' % (b"n" * 256), "line 2, column 10: name is")):
        before = at.get(name)
        assert refused(put, at / name, text) == errno.EINVAL
        assert at.get(name) == text and place in read_error(at, name)
        os.removexattr(at / name, "user.mapfs.error")
        assert at.get(name) == before
    at.unmount()
    assert get(at.map) == m.encode()


def test_a_table_refused_for_its_points_is_validated_again_when_they_change(box):
    m = small_map()
    at = mount(box, m)
    put(at / "terrain.csv", b"index,type\n0,1\n5,1\n")
    assert "line 3, column 1: no point 5 " in read_error(at, "terrain.csv")
    sync_root(at.point)
    assert get(at.map) == m.encode() and "column 1: no point " in read_error(at, "terrain.csv")
    put(at / "points.csv", b"1,2\n", flags=os.O_WRONLY | os.O_APPEND)
    assert refused(read_error, at, "terrain.csv") == errno.ENODATA
    at.unmount()
    m.points.append((1, 2))
    m.terrain = [(0, 1), (5, 1)]
    assert get(at.map) == m.encode()


def test_tables_that_do_not_agree_are_not_saved(box):
    m = small_map()
    at = mount(box, m)
    at.put("points.csv", b"x,y\n1,2\n")
    assert "terrain.csv: line 3, column 1: no point 4 " in at.unmount(code=4).out
    assert get(at.map) == m.encode()
    at.put("terrain.csv", b"index,type\n6,1\n")
    assert "refused: terrain.csv: line 2, column 1: no point 6 " in at.unmount(code=4).out  # unlike the map
    at.put("terrain.csv", b"index,type\n0,3\n")
    at.unmount()
    m.points, m.terrain = [(1, 2)], [(0, 3)]
    assert get(at.map) == m.encode()


@pytest.mark.parametrize("objects, action, result", [
    (None, lambda at: create_file(at, "objects.csv", b"x,type\n"), []),
    (None, lambda at: create_file(at, "objects.csv", b"x,type\n5,6\n"), [(5, 6)]),
    (None, lambda at: create_file(at, "objects.csv", b""), []),
    ([], lambda at: os.unlink(at / "objects.csv"), None),
    ([(5, 6)], lambda at: os.unlink(at / "objects.csv"), None),
    ([(5, 6)], lambda at: at.put("objects.csv", b"x,type\n"), []),
    ([(5, 6)], lambda at: os.rename(at / "objects.csv", at / "objects.csv~"), [(5, 6)]),
])
def test_an_objects_list_exists_if_its_file_exists(box, objects, action, result):
    m = small_map(tcgen.VARIANTS[2], objects=objects)
    at = mount(box, m)
    action(at)
    at.unmount()
    m.objects = result
    assert get(at.map) == m.encode()


def test_a_list_added_and_removed_or_the_reverse_changes_nothing(box):
    for objects in (None, [(5, 6)]):
        m = small_map(objects=objects)
        at = mount(box, m)
        if objects is None:
            create_file(at, "objects.csv", b"x,type\n1,2\n")
            os.unlink(at / "objects.csv")
        else:
            os.unlink(at / "objects.csv")
            create_file(at, "objects.csv", b"x,type\n5,6\n")
        ino = os.stat(at.map).st_ino
        at.unmount()
        assert get(at.map) == m.encode() and os.stat(at.map).st_ino == ino


def test_a_refused_objects_list_is_not_added(box):
    m = small_map(tcgen.VARIANTS[2], objects=None)
    at = mount(box, m)
    assert refused(create_file, at, "objects.csv", b"x,type\n1\n") == errno.EINVAL
    at.put("points.csv", tcgen.table("x,y", m.points + [(70, 7)]))
    assert box.run("-u", at.point).code == 5
    m.points.append((70, 7))
    assert get(at.map) == m.encode()
    shutil.rmtree(at.map + ".mapfs-left")


def test_several_saves_in_one_mount(box):
    m = small_map(objects=None)
    at = mount(box, m)
    for objects in ([(1, 2)], None, [], None, [(3, 4)]):
        if objects is None:
            os.unlink(at / "objects.csv")
        else:
            create_file(at, "objects.csv", tcgen.table("x,type", objects))
        assert box.run(at.point, program="sync").code == 0
        m.objects = objects
        assert get(at.map) == m.encode()
    at.unmount()


def test_closed_files_survive_a_kill(box):
    m = small_map(tcgen.VARIANTS[3], objects=[(1, 1)])
    at = mount(box, m)
    os.unlink(at / "objects.csv")
    at.put("points.csv", tcgen.table("x,y", m.points + [(70, 7)]))
    box.kill_worker()
    at = box.mount(at.map)
    assert not os.path.exists(at / "objects.csv")
    create_file(at, "objects.csv", b"x,type\n8,9\n")
    box.kill_worker()
    box.mount(at.map).unmount()
    m.points.append((70, 7))
    m.objects = [(8, 9)]
    assert get(at.map) == m.encode()


@pytest.mark.parametrize("variant", EVERY, ids=str)
def test_a_new_map_is_filled_from_another_mount(box, variant):
    source = mount(box, small_map(variant), point=box.point("a"))
    new = os.path.join(box.maps, "new.tcm")
    box.before.add("new.tcm")
    point = box.point("b")
    r = box.run("--new", "--format=triclon", "-o", small_map(variant).options(), new, point)
    assert r.code == 0, r
    assert get(new)[:4] == b"TCM3"
    for name in os.listdir(source.point):
        shutil.copy(source / name, point)
    for p in (source.point, point):
        r = box.run("-u", p)
        assert r.code == 0, r
    assert get(new) == get(source.map)


def test_the_suffix_determines_the_format_of_a_new_map(box):
    box.before.add("new.tcm")
    new = os.path.join(box.maps, "new.tcm")
    assert box.run("--new", new, box.point()).code == 0
    box.run("-u", box.point())
    assert get(new) == b"TCM3\0\0\0\0\0\0"


def test_options_force_a_reading(box):
    m = tcgen.Map(tcgen.Variant("big", "count", "count", True), b"", b"", objects=[])
    at = mount(box, m, opts=m.options())
    assert json.loads(at.get("info.json"))["variant"]["lists"] == "count"
    at.put("points.csv", b"x,y\n9,9\n")
    at.unmount()
    m.points = [(9, 9)]
    assert get(at.map) == m.encode()


def test_a_map_named_dot_map_is_recognized_by_its_tag(box):
    at = box.mount(box.add(small_map().encode(), "hill.map"))
    assert at.get("points.csv") == tcgen.table("x,y", SMALL["points"])
    at.unmount()


def test_a_damaged_map_is_not_mounted(box):
    at = box.mount(box.add(small_map().encode()[:-3], "bad.tcm"), code=2)
    assert "bad.tcm" in at.result.err and "bytes remain" in at.result.err
    assert not at.mounted()


def test_a_read_only_mount_refuses_changes(box):
    at = mount(box, small_map(), opts="ro")
    assert refused(put, at / "points.csv", b"x,y\n") == errno.EROFS
    assert refused(os.unlink, at / "terrain.csv") == errno.EROFS
    at.unmount()


def test_a_mount_keeps_its_variant_although_the_next_mount_reads_another(box):
    """Files do not hold their variant; the points written here are more plausible in another one."""
    points = [(0, 50), (50, 60), (100, 70)]
    m = tcgen.Map(tcgen.Variant("little", "count", "bytes", True), b"Castle", b"Dunes Island", terrain=[(0, 97)],
                  points=points, objects=[(80, 22), (85, 3), (90, 1), (95, 19)])
    at = mount(box, m)
    assert at.get("points.csv") == tcgen.table("x,y", points)
    m.points = [(50, 50), (0, 60), (100, 70)]
    at.put("points.csv", tcgen.table("x,y", m.points))
    sync_root(at.point)
    assert get(at.map) == m.encode() and at.get("points.csv") == tcgen.table("x,y", m.points)
    other = box.mount(box.add(get(at.map), "copy.tcm"), point=box.point("other"))
    assert other.get("points.csv") != at.get("points.csv")
    other.unmount()
    at.put("objects.csv", tcgen.table("x,type", m.objects[:3]))
    m.objects.pop()
    at.unmount()
    assert get(at.map) == m.encode()


def test_a_mount_keeps_its_number_of_points_although_the_file_lacks_it(box):
    """The points continue to the left, where x equals a possible size of the objects."""
    m = tcgen.Map(tcgen.Variant("big", "count", "none", False), b"Old Peaks Frost", b"Valley",
                  terrain=[(0, 0), (1, 1), (2, 2), (3, 0)], objects=[(8, 3), (24, 0), (48, 6), (52, 9)],
                  points=[(0, 86), (64, 70), (128, 56), (192, 35), (256, 35), (320, 13)])
    options = "endian=big,lists=count,points=none"
    at = mount(box, m, opts=options)
    m.points = m.points[:5] + [(6, 6), (3, 3)]
    at.put("points.csv", tcgen.table("x,y", m.points))
    m.terrain = m.terrain + [(3, 1)]
    at.put("terrain.csv", tcgen.table("index,type", m.terrain))
    sync_root(at.point)
    assert get(at.map) == m.encode() and at.get("points.csv") == tcgen.table("x,y", m.points)
    other = box.mount(box.add(get(at.map), "copy.tcm"), options, point=box.point("other"))
    assert other.get("points.csv") != at.get("points.csv")  # else the test shows nothing
    other.unmount()
    m.objects = m.objects[:3]
    at.put("objects.csv", tcgen.table("x,type", m.objects))
    at.unmount()
    assert get(at.map) == m.encode()


def test_a_mount_keeps_floats_although_zeros_are_integers_too(box):
    m = tcgen.Map(tcgen.VARIANTS[0], terrain=[(0, 1)], points=[(0.5, 1.25), (2.5, 4.5)], real=True)
    at = mount(box, m)
    at.put("points.csv", b"x,y\n0,0\n")
    sync_root(at.point)
    assert json.loads(at.get("info.json"))["variant"]["coordinates"] == "float"
    at.put("points.csv", b"x,y\n0,0\n1.5,2.5\n")
    at.unmount()
    m.points = [(0, 0), (1.5, 2.5)]
    assert get(at.map) == m.encode()
