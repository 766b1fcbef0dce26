# SPDX-License-Identifier: Zlib
"""Unresolved files: a file refused because of other files is validated again when one of them changes."""
import errno
import json
import os

import pytest

import datafile
from box import get, put, refused
from datafile import ENVPOINTS, IMAGE, LAYER, MAP_VERSION
from editing import create_file, sync, unmount_and_load

LAYERS = "groups/0_Game/layers/"
EXTERNAL = b'{"external": 1, "width": 64, "height": 64}'
ENVELOPE = b'{"channels": %d, "points": [{"time": 0, "values": [0, 0, 0, 0]}]}'


def map_of_all_layers():
    """A map with tiles that two groups share, quads and sources."""
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


def write_unresolved(m, path, data, why):
    """Write a file whose close succeeds although a save would refuse it."""
    m.put(path, data)
    assert why in m.xattr(path, "user.mapfs.error")
    assert "refused %s: " % path in m.xattr("", "user.mapfs.status")


def is_accepted(m, path):
    """Is the file accepted and a change, without a save since?"""
    status = m.xattr("", "user.mapfs.status")
    return refused(m.xattr, path, "user.mapfs.error") == errno.ENODATA and "refused" not in status and \
        "changed %s\n" % path in status


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
def test_a_reference_is_accepted_when_its_object_arrives(m, path, data, other, content):
    before = m.get(path)
    write_unresolved(m, path, data, "the map has no such ")
    assert m.get(path) == data
    # An unrelated change does not help.
    m.put("info/author", b"somebody\n")
    assert "the map has no such " in m.xattr(path, "user.mapfs.error")
    create_file(m, other, content)
    assert is_accepted(m, path)
    assert m.get(path) == data
    report = unmount_and_load(m)[1]
    assert "saved: " + path in report and "saved: " + other in report
    again = m.box.mount(m.map)
    shown = again.get(path)
    assert shown != before and shown != data and len(shown) == os.stat(again / path).st_size
    again.unmount()


def test_a_reference_is_accepted_when_an_object_gets_the_name(m):
    write_unresolved(m, LAYERS + "1_both/layer.json", b'{"image": "moon"}', "the map has no such image")
    os.rename(m / "images/1_grass_main.json", m / "images/1_moon.json")
    assert is_accepted(m, LAYERS + "1_both/layer.json")
    f, _ = unmount_and_load(m)
    assert f.of_type(LAYER)[1].ints[13] == 1


def test_a_reference_is_accepted_when_a_scratch_file_gets_the_name(m):
    write_unresolved(m, LAYERS + "1_both/layer.json", b'{"image": "moon"}', "the map has no such image")
    create_file(m, "images/.moon.tmp", EXTERNAL)
    assert "the map has no such" in m.xattr(LAYERS + "1_both/layer.json", "user.mapfs.error")
    os.rename(m / "images/.moon.tmp", m / "images/moon.json")
    assert is_accepted(m, LAYERS + "1_both/layer.json")
    assert unmount_and_load(m)[0].of_type(LAYER)[1].ints[13] == 2


def test_a_name_without_number_is_found_after_other_images_moved_or_disappeared(m):
    os.rename(m / "images/1_grass_main.json", m / "images/5_grass_main.json")
    create_file(m, "images/6_gone.json", EXTERNAL)
    os.unlink(m / "images/6_gone.json")
    create_file(m, "images/8_moon.json", EXTERNAL)
    m.put(LAYERS + "1_both/layer.json", b'{"image": "moon"}')
    m.put(LAYERS + "2_quads/layer.json", b'{"image": "grass_main"}')
    write_unresolved(m, LAYERS + "0_Game/layer.json", b'{"image": "gone"}', "the map has no such image")
    os.removexattr(m / (LAYERS + "0_Game/layer.json"), "user.mapfs.error")
    f, _ = unmount_and_load(m)
    layers = f.of_type(LAYER)
    assert (layers[1].ints[13], layers[2].ints[6]) == (2, 1)


def test_a_reference_to_a_duplicate_name_means_the_remaining_image(m):
    create_file(m, "images/5_checker.json", EXTERNAL)
    unmount_and_load(m, code=5)  # no game has an image of this name
    m = m.box.mount(m.map)
    os.unlink(m / "images/0_checker.png")
    m.put(LAYERS + "1_both/layer.json", b'{"image": "checker"}')
    f, _ = unmount_and_load(m)
    assert f.of_type(LAYER)[1].ints[13] == 1 and f.of_type(IMAGE)[1].ints[3] == 1


def test_an_ambiguous_name_is_accepted_when_one_of_the_images_disappears(m):
    create_file(m, "images/5_checker.json", EXTERNAL)
    write_unresolved(m, LAYERS + "1_both/layer.json", b'{"image": "checker"}', "several images have this name")
    os.unlink(m / "images/5_checker.json")
    assert is_accepted(m, LAYERS + "1_both/layer.json")
    f, _ = unmount_and_load(m)
    assert f.of_type(LAYER)[1].ints[13] == 0 and len(f.of_type(IMAGE)) == 2


def plane(width, height, value=1):
    return (b",".join([b"%d" % value] * width) + b"\n") * height


def test_a_table_is_accepted_when_layer_json_changes_in_another_group(m):
    m.put(LAYERS + "1_both/id.csv", plane(3, 2, 7))
    sync(m, code=0)
    assert "the layer has height 5" in m.xattr(LAYERS + "1_both/id.csv", "user.mapfs.error")
    m.put("groups/1_Again/layers/0_both/layer.json", b'{"width": 3, "height": 2}')
    assert is_accepted(m, LAYERS + "1_both/id.csv")
    assert m.get("groups/1_Again/layers/0_both/id.csv") == plane(3, 2, 7).replace(b"7", b"  7")
    f, _ = unmount_and_load(m)
    ints = f.of_type(LAYER)[1].ints
    assert ints[4:6] == [3, 2] and f.blob(ints[14]) == bytes([7, 0, 0, 0]) * 6


def test_a_new_layer_refused_by_a_sync_is_accepted_later(m):
    os.mkdir(m / (LAYERS + "8_new"))
    create_file(m, LAYERS + "8_new/layer.json", b'{"type": 2, "width": 3, "height": 2, "image": "7_moon"}')
    create_file(m, LAYERS + "8_new/id.csv", plane(3, 2, 5))
    sync(m)
    for name in ("layer.json", "id.csv"):
        assert m.xattr(LAYERS + "8_new/" + name, "user.mapfs.error")
    create_file(m, "images/7_moon.json", EXTERNAL)
    assert "refused" not in m.xattr("", "user.mapfs.status")
    f, report = unmount_and_load(m)
    ints = f.of_type(LAYER)[4].ints
    assert ints[13] == 2 and f.blob(ints[14]) == bytes([5, 0, 0, 0]) * 6
    assert "saved: " + LAYERS + "8_new" in report


def test_raw_data_is_accepted_when_no_layer_shows_it_any_more(box):
    m = box.mount(box.add(datafile.small_map(), "small.map"), "raw=rw")
    f = datafile.Datafile.load(m.map)
    tiles = f.of_type(LAYER)[1].ints[14]
    more = "raw/data/%05d" % f.n_data
    item = "raw/items/00005_layer/00001"
    ints = m.get(item).split()
    assert int(ints[14]) == tiles
    write_unresolved(m, "raw/data/%05d" % tiles, b"short", "unreadable")
    create_file(m, more, bytes(800))
    ints[14] = b"%d" % f.n_data
    m.put(item, b"\n".join(ints) + b"\n")  # the layer shows other data from now on
    assert is_accepted(m, "raw/data/%05d" % tiles)
    m.unmount()
    assert b"short" in datafile.Datafile.load(m.map).blobs()


def test_a_replayed_refused_file_is_accepted_later(m):
    path = LAYERS + "1_both/layer.json"
    write_unresolved(m, path, b'{"image": "7_moon"}', "the map has no such image")
    m.box.kill_worker()
    again = m.box.mount(m.map)
    assert "the map has no such image" in again.xattr(path, "user.mapfs.error")
    create_file(again, "images/7_moon.json", EXTERNAL)
    assert is_accepted(again, path)
    # The journal keeps the acceptance, too.
    again.box.kill_worker()
    last = m.box.mount(m.map)
    assert is_accepted(last, path)
    assert unmount_and_load(last)[0].of_type(LAYER)[1].ints[13] == 2


def remove(m):
    os.unlink(m / "info/license")


def rename(m):
    os.rename(m / "images/0_checker.png", m / "images/.old")


def write_back(m):
    m.put("groups/0_Game/group.json", m.get("groups/0_Game/group.json"))


@pytest.mark.parametrize("act", [remove, rename, write_back])
def test_a_save_without_changes_keeps_only_the_refused_file(m, act):
    """A crash after that save restores the same state, and the map is not written."""
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


def test_an_invalid_file_is_not_validated_again(m):
    """A change of other files costs nothing for a file that is invalid by itself, however large it is."""
    assert refused(m.put, "images/0_checker.png", b"no picture") == errno.EINVAL
    create_file(m, "images/7_moon.json", EXTERNAL)
    assert "PNG" in m.xattr("images/0_checker.png", "user.mapfs.error")
    os.removexattr(m / "images/0_checker.png", "user.mapfs.error")
    m.unmount()


def test_an_accepted_file_stays_usable_through_an_open_handle(m):
    path = LAYERS + "1_both/layer.json"
    write_unresolved(m, path, b'{"image": "7_moon"}', "the map has no such image")
    with open(m / path, "r+b", buffering=0) as f:
        create_file(m, "images/7_moon.json", EXTERNAL)
        assert f.read() == b'{"image": "7_moon"}'
    assert is_accepted(m, path)
    put(m / path, b'{"image": null}')
    m.unmount()


def test_an_accepted_file_has_no_refused_content_to_drop(m):
    table = LAYERS + "0_Game/flags.csv"
    m.put(table, b"1,0\n" * 2)
    m.put("info/author", b"somebody\n")
    sync(m)
    assert "the table has 2 lines of 2 columns" in m.xattr(table, "user.mapfs.error")
    m.put(LAYERS + "0_Game/layer.json", b'{"width": 2, "height": 2}')
    assert is_accepted(m, table)
    assert refused(os.removexattr, m / table, "user.mapfs.error") == errno.ENODATA
    assert m.get(table) == b"1,0\n" * 2
    assert "saved: " + table in unmount_and_load(m)[1]
