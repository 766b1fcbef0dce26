# SPDX-License-Identifier: Zlib
"""X.MPP holds the walkable area of X.LAYOUT; mapfs cannot make it, and warns if it is stale."""
import os

import pytest

import tlwrite
from archives import Archive
from test_names import layout_mod
from test_pack import pack_dir, run_mapfs
from test_index import write_sources

NEW = os.O_WRONLY | os.O_CREAT
ROOM = "MEDIA/LAYOUTS/TOWN/ROOM"
STALE = ("warning: 1 level changed and its .MPP did not: the player may not be able to walk there until the modding kit "
         "makes a new one (%s.LAYOUT)")
LACKING = "warning: 1 new level has no .MPP: the player cannot walk there until the modding kit makes one (%s.LAYOUT)"
ONE = layout_mod()[0]
OTHER = tlwrite.layout([lambda at: tlwrite.layout_object(at, 4, 8)])


def mod(*more):
    files = [("MEDIA/LAYOUTS/TOWN/", "ROOM.LAYOUT", ONE, False), ("MEDIA/LAYOUTS/TOWN/", "ROOM.MPP", b"walk", False),
             ("MEDIA/LAYOUTS/TOWN/", "HALL.LAYOUT", ONE, False), ("MEDIA/LAYOUTS/TOWN/", "HALL.MPP", b"walk", False),
             ("MEDIA/UI/", "MENU.LAYOUT", ONE, False)]
    return tlwrite.mod(files + list(more))


def unmount_warnings(m, code=5):
    return [line for line in m.unmount(code=code).out.splitlines() if line.startswith("warning: ")]


def test_a_changed_level_with_an_old_path_map_is_a_warning(box):
    m = box.mount(box.add(mod(), "S.MOD"))
    m.put(ROOM + ".LAYOUT", OTHER)
    assert unmount_warnings(m) == [STALE % ROOM]
    # The warning comes once: in the next save the level is unchanged.
    m = box.mount(m.map)
    m.put("MEDIA/UI/MENU.LAYOUT", OTHER)
    m.put("MEDIA/UI/NEW.LAYOUT", OTHER, flags=NEW)
    m.put(ROOM + ".LAYOUT", m.get(ROOM + ".LAYOUT"))
    assert unmount_warnings(m, 0) == []
    assert run_mapfs("put", m.map, ROOM + ".LAYOUT", write_sources(box, {"x": ONE}) / "x", code=5) == [
        "mapfs: %s: %s" % (m.map, STALE % ROOM)]


def test_a_changed_level_with_a_new_path_map_is_no_warning(box):
    m = box.mount(box.add(mod(), "S.MOD"))
    m.put(ROOM + ".LAYOUT", OTHER)
    m.put(ROOM + ".MPP", b"walk here")
    assert unmount_warnings(m, 0) == []


def test_moved_levels_are_compared_with_their_path_maps(box):
    m = box.mount(box.add(mod(), "S.MOD"))
    os.rename(m / "MEDIA/LAYOUTS/TOWN", m / "MEDIA/LAYOUTS/CITY")
    os.rename(m / "MEDIA/LAYOUTS/CITY/ROOM.LAYOUT", m / "MEDIA/LAYOUTS/CITY/DOME.LAYOUT")
    os.rename(m / "MEDIA/LAYOUTS/CITY/ROOM.MPP", m / "MEDIA/LAYOUTS/CITY/DOME.MPP")
    assert unmount_warnings(m, 0) == []
    m = box.mount(m.map)
    # The bytes are equal: the path map was made for this level.
    os.rename(m / "MEDIA/LAYOUTS/CITY/DOME.LAYOUT", m / "MEDIA/LAYOUTS/CITY/HALL.LAYOUT")
    assert unmount_warnings(m, 0) == []


def test_a_level_replaced_by_another_is_a_warning(box):
    m = box.mount(box.add(mod(("MEDIA/LAYOUTS/TOWN/", "SPARE.LAYOUT", OTHER, False)), "S.MOD"))
    os.rename(m / "MEDIA/LAYOUTS/TOWN/SPARE.LAYOUT", m / (ROOM + ".LAYOUT"))
    assert unmount_warnings(m) == [STALE % ROOM]
    m = box.mount(m.map)
    os.rename(m / (ROOM + ".LAYOUT"), m / "MEDIA/LAYOUTS/TOWN/LONE.LAYOUT")
    assert unmount_warnings(m) == [LACKING % "MEDIA/LAYOUTS/TOWN/LONE"]


def test_a_new_level_without_a_path_map_is_a_warning(box):
    m = box.mount(box.add(mod(), "S.MOD"))
    m.put("MEDIA/LAYOUTS/new.layout", ONE, flags=NEW)
    m.put("MEDIA/LAYOUTS/pair.layout", ONE, flags=NEW)
    m.put("MEDIA/LAYOUTS/pair.mpp", b"walk", flags=NEW)
    assert unmount_warnings(m) == [LACKING % "MEDIA/LAYOUTS/NEW"]


@pytest.mark.parametrize("files,code", [({}, 0), ({"MEDIA/LAYOUTS/A.MPP": "walk"}, 0), ({"MEDIA/LAYOUTS/B.LAYOUT": ONE}, 5)])
def test_pack_exits_5_with_the_warning(box, files, code):
    files = {"MEDIA/UI/X.LAYOUT": ONE, **files}
    if "MEDIA/LAYOUTS/A.MPP" in files:
        files["MEDIA/LAYOUTS/A.LAYOUT"] = ONE
    new = pack_dir(box)
    reported = run_mapfs("pack", write_sources(box, files), new, code=code)
    assert [line for line in reported if "warning" in line] == (
        ["mapfs: %s: %s" % (new, LACKING % "MEDIA/LAYOUTS/B")] if code else [])
    assert set(Archive(new).files) == set(files)
