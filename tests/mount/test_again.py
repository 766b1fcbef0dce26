# SPDX-License-Identifier: Zlib
"""What a save would refuse for what other files hold is said before, and judged again as soon as one of them changes."""
import errno
import json
import os

import pytest

import datafile
from box import get, put, refused
from datafile import ENVPOINTS, IMAGE, LAYER, MAP_VERSION
from editing import new, saved, sync

LAYERS = "groups/0_Game/layers/"
EXTERNAL = b'{"external": 1, "width": 64, "height": 64}'
ENVELOPE = b'{"channels": %d, "points": [{"time": 0, "values": [0, 0, 0, 0]}]}'


def map_of_all_layers():
    """Tiles in two groups at once, quads and sources."""
    b = datafile.Builder()
    b.add(MAP_VERSION, [1])
    b.info(b"nobody", b"", b"", b"", [b"sv_deepfly 0"])
    b.image(b"checker", 16, 16, bytes(1024))
    b.external(b"grass_main")
    b.sound(b"bell", datafile.opus_head())
    b.tiles(6, 5, bytes(4 * 30), flags=1, name="Game")
    b.tiles(6, 5, bytes(4 * 30), name="both")
    b.add(LAYER, [0, 3, 0, 2, 1, b.blob(bytes(38 * 4)), -1] + datafile.words("quads", 3))
    b.add(LAYER, [0, 10, 0, 2, 1, b.blob(bytes(13 * 4)), -1] + datafile.words("sounds", 3))
    b.group(0, 4, "Game")
    b.group(1, 1, "Again")
    b.add(ENVPOINTS, [])
    return b.encode()


def listed(m):
    return sorted(os.path.join(above, name) for above, dirs, files in os.walk(m.point) for name in dirs + files)


@pytest.fixture
def m(box):
    return box.mount(box.add(map_of_all_layers(), "small.map"))


def refuse(m, path, data, why):
    """Its close judges it alone, and takes it."""
    m.put(path, data)
    assert why in m.xattr(path, "user.mapfs.error")
    assert "refused %s: " % path in m.xattr("", "user.mapfs.status")


def taken(m, path):
    """It waits no more, and is a change; and nothing had to be saved for that."""
    said = m.xattr("", "user.mapfs.status")
    return refused(m.xattr, path, "user.mapfs.error") == errno.ENODATA and "refused" not in said and \
        "changed %s\n" % path in said


def element(key, value):
    return b"[" + json.dumps({key: value}).encode() + b"]"


@pytest.mark.parametrize("path, data, other, content", [
    (LAYERS + "1_both/layer.json", b'{"image": "7_moon"}', "images/7_moon.json", EXTERNAL),
    (LAYERS + "1_both/layer.json", b'{"color_envelope": "7_c"}', "envelopes/7_c.json", ENVELOPE % 4),
    (LAYERS + "2_quads/layer.json", b'{"image": "moon"}', "images/moon.json", EXTERNAL),
    (LAYERS + "2_quads/quads.json", element("position_envelope", "7_p"), "envelopes/7_p.json", ENVELOPE % 3),
    (LAYERS + "3_sounds/layer.json", b'{"sound": "7_bang"}', "sounds/7_bang.opus", datafile.opus_head()),
    (LAYERS + "3_sounds/sources.json", element("sound_envelope", "7_s"), "envelopes/7_s.json", ENVELOPE % 1),
])
def test_what_names_an_object_that_comes_later(m, path, data, other, content):
    before = m.get(path)
    refuse(m, path, data, "the map has no such ")
    assert m.get(path) == data
    # Something else is no reason.
    m.put("info/author", b"somebody\n")
    assert "the map has no such " in m.xattr(path, "user.mapfs.error")
    new(m, other, content)
    assert taken(m, path)
    assert m.get(path) == data
    report = saved(m)[1]
    assert "saved: " + path in report and "saved: " + other in report
    again = m.box.mount(m.map)
    shown = again.get(path)
    assert shown != before and shown != data and len(shown) == os.stat(again / path).st_size
    again.unmount()


def test_an_object_that_is_renamed_to_the_name(m):
    refuse(m, LAYERS + "1_both/layer.json", b'{"image": "moon"}', "the map has no such image")
    os.rename(m / "images/1_grass_main.json", m / "images/1_moon.json")
    assert taken(m, LAYERS + "1_both/layer.json")
    f, _ = saved(m)
    assert f.of_type(LAYER)[1].ints[13] == 1


def test_a_scratch_file_that_is_renamed_to_the_name(m):
    refuse(m, LAYERS + "1_both/layer.json", b'{"image": "moon"}', "the map has no such image")
    new(m, "images/.moon.tmp", EXTERNAL)
    assert "the map has no such" in m.xattr(LAYERS + "1_both/layer.json", "user.mapfs.error")
    os.rename(m / "images/.moon.tmp", m / "images/moon.json")
    assert taken(m, LAYERS + "1_both/layer.json")
    assert saved(m)[0].of_type(LAYER)[1].ints[13] == 2


def test_a_name_without_its_number_is_found_after_others_moved_and_went(m):
    os.rename(m / "images/1_grass_main.json", m / "images/5_grass_main.json")
    new(m, "images/6_gone.json", EXTERNAL)
    os.unlink(m / "images/6_gone.json")
    new(m, "images/8_moon.json", EXTERNAL)
    m.put(LAYERS + "1_both/layer.json", b'{"image": "moon"}')
    m.put(LAYERS + "2_quads/layer.json", b'{"image": "grass_main"}')
    refuse(m, LAYERS + "0_Game/layer.json", b'{"image": "gone"}', "the map has no such image")
    os.removexattr(m / (LAYERS + "0_Game/layer.json"), "user.mapfs.error")
    f, _ = saved(m)
    layers = f.of_type(LAYER)
    assert (layers[1].ints[13], layers[2].ints[6]) == (2, 1)


def test_of_two_of_a_name_the_one_that_stays_is_meant(m):
    new(m, "images/5_checker.json", EXTERNAL)
    saved(m, code=5)  # no game has an image of that name
    m = m.box.mount(m.map)
    os.unlink(m / "images/0_checker.png")
    m.put(LAYERS + "1_both/layer.json", b'{"image": "checker"}')
    f, _ = saved(m)
    assert f.of_type(LAYER)[1].ints[13] == 1 and f.of_type(IMAGE)[1].ints[3] == 1


def test_a_name_that_several_had_until_one_went(m):
    new(m, "images/5_checker.json", EXTERNAL)
    refuse(m, LAYERS + "1_both/layer.json", b'{"image": "checker"}', "several images have this name")
    os.unlink(m / "images/5_checker.json")
    assert taken(m, LAYERS + "1_both/layer.json")
    f, _ = saved(m)
    assert f.of_type(LAYER)[1].ints[13] == 0 and len(f.of_type(IMAGE)) == 2


def plane(width, height, value=1):
    return (b",".join([b"%d" % value] * width) + b"\n") * height


def test_a_table_of_a_layer_whose_layer_json_is_in_another_group(m):
    m.put(LAYERS + "1_both/id.csv", plane(3, 2, 7))
    sync(m, code=0)
    assert "the layer has height 5" in m.xattr(LAYERS + "1_both/id.csv", "user.mapfs.error")
    m.put("groups/1_Again/layers/0_both/layer.json", b'{"width": 3, "height": 2}')
    assert taken(m, LAYERS + "1_both/id.csv")
    assert m.get("groups/1_Again/layers/0_both/id.csv") == plane(3, 2, 7).replace(b"7", b"  7")
    f, _ = saved(m)
    ints = f.of_type(LAYER)[1].ints
    assert ints[4:6] == [3, 2] and f.blob(ints[14]) == bytes([7, 0, 0, 0]) * 6


def test_a_new_layer_that_a_sync_found_wanting(m):
    os.mkdir(m / (LAYERS + "8_new"))
    new(m, LAYERS + "8_new/layer.json", b'{"type": 2, "width": 3, "height": 2, "image": "7_moon"}')
    new(m, LAYERS + "8_new/id.csv", plane(3, 2, 5))
    sync(m)
    for name in ("layer.json", "id.csv"):
        assert m.xattr(LAYERS + "8_new/" + name, "user.mapfs.error")
    new(m, "images/7_moon.json", EXTERNAL)
    assert "refused" not in m.xattr("", "user.mapfs.status")
    f, report = saved(m)
    ints = f.of_type(LAYER)[4].ints
    assert ints[13] == 2 and f.blob(ints[14]) == bytes([5, 0, 0, 0]) * 6
    assert "saved: " + LAYERS + "8_new" in report


def test_an_item_that_would_have_made_a_file_unreadable(box):
    m = box.mount(box.add(datafile.small_map(), "small.map"), "raw=rw")
    f = datafile.Datafile.load(m.map)
    tiles = f.of_type(LAYER)[1].ints[14]
    more = "raw/data/%05d" % f.n_data
    item = "raw/items/00005_layer/00001"
    ints = m.get(item).split()
    assert int(ints[14]) == tiles
    refuse(m, "raw/data/%05d" % tiles, b"short", "unreadable")
    new(m, more, bytes(800))
    ints[14] = b"%d" % f.n_data
    m.put(item, b"\n".join(ints) + b"\n")  # the layer shows other data from now on
    assert taken(m, "raw/data/%05d" % tiles)
    m.unmount()
    assert b"short" in datafile.Datafile.load(m.map).blobs()


def test_a_draft_of_an_earlier_mount(m):
    path = LAYERS + "1_both/layer.json"
    refuse(m, path, b'{"image": "7_moon"}', "the map has no such image")
    m.box.kill_worker()
    again = m.box.mount(m.map)
    assert "the map has no such image" in again.xattr(path, "user.mapfs.error")
    new(again, "images/7_moon.json", EXTERNAL)
    assert taken(again, path)
    # ... and that is kept, too.
    again.box.kill_worker()
    last = m.box.mount(m.map)
    assert taken(last, path)
    assert saved(last)[0].of_type(LAYER)[1].ints[13] == 2


def remove(m):
    os.unlink(m / "info/license")


def rename(m):
    os.rename(m / "images/0_checker.png", m / "images/.old")


def write_back(m):
    m.put("groups/0_Game/group.json", m.get("groups/0_Game/group.json"))


@pytest.mark.parametrize("act", [remove, rename, write_back])
def test_a_save_that_changes_nothing_keeps_the_refused_file_alone(m, act):
    """After a crash the mount is as it was after that save; the map was not written."""
    map_before = get(m.map)
    assert refused(m.put, "info/author", b"two\nlines\n") == errno.EINVAL
    act(m)
    sync(m)
    before = listed(m), m.xattr("", "user.mapfs.status")
    m.box.kill_worker()
    again = m.box.mount(m.map)
    assert (listed(again), again.xattr("", "user.mapfs.status")) == before
    assert again.get("info/author") == b"two\nlines\n"
    again.unmount("--discard")
    assert get(m.map) == map_before


def test_what_is_refused_for_itself_is_not_judged_again(m):
    """A file that is wrong by itself costs nothing when others change, however large it is."""
    assert refused(m.put, "images/0_checker.png", b"no picture") == errno.EINVAL
    new(m, "images/7_moon.json", EXTERNAL)
    assert "PNG" in m.xattr("images/0_checker.png", "user.mapfs.error")
    os.removexattr(m / "images/0_checker.png", "user.mapfs.error")
    m.unmount()


def test_a_writer_that_holds_the_file_open_is_not_disturbed(m):
    path = LAYERS + "1_both/layer.json"
    refuse(m, path, b'{"image": "7_moon"}', "the map has no such image")
    with open(m / path, "r+b", buffering=0) as f:
        new(m, "images/7_moon.json", EXTERNAL)
        assert f.read() == b'{"image": "7_moon"}'
    assert taken(m, path)
    put(m / path, b'{"image": null}')
    m.unmount()


def test_what_a_save_refused_and_is_right_now_cannot_be_dropped(m):
    table = LAYERS + "0_Game/flags.csv"
    m.put(table, b"1,0\n" * 2)
    m.put("info/author", b"somebody\n")
    sync(m)
    assert "the table has 2 lines of 2 columns" in m.xattr(table, "user.mapfs.error")
    m.put(LAYERS + "0_Game/layer.json", b'{"width": 2, "height": 2}')
    assert taken(m, table)
    assert refused(os.removexattr, m / table, "user.mapfs.error") == errno.ENODATA
    assert m.get(table) == b"1,0\n" * 2
    assert "saved: " + table in saved(m)[1]
