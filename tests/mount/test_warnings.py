# SPDX-License-Identifier: Zlib
"""A save prints the warnings of `check` for the files that it wrote, and notes copies of parts that the map already
has."""
import os
import shutil
import sys

import pytest

import picture
from box import get
from editing import create_file

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.join(HERE, "..", folder) for folder in ("torchlight", "torchlight/support")]
import archives  # noqa: E402

GAME = "groups/0_Game/layers/"


@pytest.fixture
def m(box, small):
    return box.mount(small)


def lines(report, *words):
    return [line for line in report.out.splitlines() if line.split(": ")[0] in words]


def checked(m):
    return [line.split(": warning: ")[1] for line in m.box.run("check", m.map).out.splitlines()]


def odd_image(m):
    m.put("images/0_checker.png", picture.png(1000, 777, bytes(4 * 1000 * 777)))
    return [GAME + "1_ground: its image has 1000 x 777 pixels (multiples of 16)"]


def unknown_image(m):
    m.put("images/1_grass_main.json", b'{"width": 64, "height": 64}')
    os.rename(m / "images/1_grass_main.json", m / "images/1_my_grass.json")
    return ["images/1_my_grass.json: is external, but the game has no image my_grass"]


def second_game_layer(m):
    shutil.copytree(m / (GAME + "0_Game"), m / (GAME + "1_Game"))
    return [GAME + "0_Game: kind is 1 like that of " + GAME + "1_Game: a game uses only the last such layer"]


@pytest.mark.parametrize("change", [odd_image, unknown_image, second_game_layer])
def test_a_save_prints_the_warnings_of_check(m, change):
    assert checked(m) == []
    expected = change(m)
    report = m.unmount(code=5)
    assert lines(report, "warning") == ["warning: " + line for line in expected]
    assert report.out.startswith("warning: ")
    assert checked(m) == expected
    # The next save did not write that file.
    again = m.box.mount(m.map)
    again.put("info/author", b"somebody")
    assert lines(again.unmount(), "warning") == []


def test_an_old_warning_with_another_value_is_a_new_one(m):
    odd_image(m)
    m.unmount(code=5)
    again = m.box.mount(m.map)
    again.put("images/0_checker.png", picture.png(1000, 778, bytes(4 * 1000 * 778)))
    assert lines(again.unmount(code=5), "warning") == [
        "warning: " + GAME + "1_ground: its image has 1000 x 778 pixels (multiples of 16)"]


def test_a_save_warns_of_raw_data_that_a_game_does_not_read(box, small):
    m = box.mount(small, "raw=rw")
    names = sorted(os.listdir(m / "raw/data"))
    tiles = next(n for n in names if get(m / ("raw/data/" + n)) == bytes([1, 0, 0, 0]) * 200)
    m.put("raw/data/" + tiles, bytes([1, 0, 7, 0]) * 200)
    report = m.unmount(code=5)
    assert lines(report, "warning") == [
        "warning: %s1_ground: data item %d: skip is 7 (0) at x 0, y 0" % (GAME, int(tiles))]
    again = box.mount(small, "raw=rw")
    again.put(GAME + "1_ground/layer.json", b'{"color": [1, 2, 3, 4]}')
    assert lines(again.unmount(), "warning") == []


def test_put_warns_too(m):
    m.unmount()
    image = m.box.add(picture.png(1000, 777, bytes(4 * 1000 * 777)), "odd.png")
    r = m.box.run("put", m.map, "images/0_checker.png", image)
    assert r.code == 5 and "warning: " + GAME + "1_ground: its image has 1000 x 777 pixels (multiples of 16)" in r.out + r.err


def test_a_copy_of_a_part_that_the_map_has_is_noted(m):
    """A restored backup makes such copies if its parts still exist under other numbers."""
    shutil.copytree(m / "groups/0_Game", m / "groups/1_Game")
    shutil.copy(m / "images/0_checker.png", m / "images/2_checker.png")
    shutil.copy(m / "sounds/0_bell.opus", m / "sounds/1_bell.opus")
    report = m.unmount(code=5)
    assert lines(report, "note", "warning") == [
        "warning: groups/0_Game/layers/0_Game: kind is 1 like that of groups/1_Game/layers/0_Game: "
        "a game uses only the last such layer",
        "note: images/2_checker.png equals images/0_checker.png",
        "note: sounds/1_bell.opus equals sounds/0_bell.opus",
        "note: groups/1_Game equals groups/0_Game"]


def test_a_layer_that_equals_one_of_another_group_is_noted(m):
    os.makedirs(m / "groups/1_Sky/layers")
    shutil.copytree(m / (GAME + "1_ground"), m / "groups/1_Sky/layers/0_ground")
    assert lines(m.unmount(), "note") == ["note: groups/1_Sky/layers/0_ground equals " + GAME + "1_ground"]


def test_a_group_that_equals_another_is_one_note(m):
    os.makedirs(m / "groups/1_Sky/layers")
    shutil.copytree(m / (GAME + "1_ground"), m / "groups/1_Sky/layers/0_ground")
    m.unmount()
    again = m.box.mount(m.map)
    shutil.copytree(again / "groups/1_Sky", again / "groups/2_Sky")
    assert lines(again.unmount(), "note") == ["note: groups/2_Sky equals groups/1_Sky"]


def test_a_difference_of_one_pixel_or_tile_makes_no_copy(m):
    create_file(m, "images/2_checker.png", picture.png(16, 16, bytes(4) + b"".join(picture.Picture(m / "images/0_checker.png").rows)[4:]))
    shutil.copytree(m / (GAME + "1_ground"), m / (GAME + "2_ground"))
    rows = get(m / (GAME + "2_ground/id.csv")).replace(b"1", b"2", 1)
    m.put(GAME + "2_ground/id.csv", rows)
    assert lines(m.unmount(), "note") == []


def unit(guid, *more):
    return ("[UNIT]\n\t<STRING>UNIT_GUID:%d\n%s[/UNIT]\n" % (guid, "".join("\t%s\n" % line for line in more))).encode()


def test_a_save_warns_of_a_new_unit_with_a_duplicate_guid(box):
    path = box.add(archives.small_mod(), "X.MOD")
    m = box.mount(path)
    os.makedirs(m / "MEDIA/UNITS/ITEMS")
    create_file(m, "MEDIA/UNITS/ITEMS/A.DAT", unit(-5))
    create_file(m, "MEDIA/UNITS/ITEMS/B.DAT", unit(6))
    create_file(m, "MEDIA/UNITS/ITEMS/BASE.DAT", unit(-5, "<BOOL>DONTCREATE:true"))
    assert lines(m.unmount(), "warning") == []
    again = box.mount(path)
    shutil.copy(again / "MEDIA/UNITS/ITEMS/A.DAT", again / "MEDIA/UNITS/ITEMS/C.DAT")
    assert lines(again.unmount(code=5), "warning") == [
        "warning: MEDIA/UNITS/ITEMS/C.DAT: UNIT_GUID is -5 (also in MEDIA/UNITS/ITEMS/A.DAT)"]
    third = box.mount(path)
    third.put("MEDIA/UNITS/ITEMS/B.DAT", unit(7))
    assert lines(third.unmount(), "warning") == []  # the map had the duplicates before
