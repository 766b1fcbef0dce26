# SPDX-License-Identifier: Zlib
"""Groups, layers and texts of a Teeworlds mount, changed with common tools."""
import errno
import json
import os
import shutil
import struct

import pytest

import datafile
from box import get, needs, put, refused
from datafile import LAYER
from editing import create_file, layer_names, rescued_files, shell, sync, unmount_and_load

GAME = "groups/0_Game/layers/"
AUTOMAPPER = bytes.fromhex("3e1b2716178c39789bd9b11ae0410dd8")


@pytest.fixture
def m(box, small):
    return box.mount(small)


# ---- groups


def test_a_new_group_has_its_layers_directory_at_once(m):
    shell(m, "mkdir groups/9_new && test -d groups/9_new/layers && "
             "cp -r groups/0_Game/layers/1_ground groups/9_new/layers/")
    assert refused(os.mkdir, m / "groups/9_new/layers") == errno.EEXIST
    assert layer_names(unmount_and_load(m)[0]) == [["Game", "ground"], ["ground"]]


def test_the_maker_of_a_group_can_list_or_make_its_layers_directory(m):
    os.mkdir(m / "groups/8_new")
    os.mkdir(m / "groups/9_new")
    assert os.listdir(m / "groups/8_new") == ["layers"]
    assert os.path.isdir(m / "groups/8_new/layers")
    os.mkdir(m / "groups/9_new/layers")
    assert refused(os.mkdir, m / "groups/9_new/layers") == errno.EEXIST
    shutil.copytree(m / (GAME + "1_ground"), m / "groups/8_new/layers/0_a")
    shutil.copytree(m / (GAME + "1_ground"), m / "groups/9_new/layers/0_b")
    shutil.copytree(m / "groups/8_new", m / "groups/9_more")
    assert layer_names(unmount_and_load(m)[0]) == [["Game", "ground"], ["a"], ["a"], ["b"]]


def test_a_removed_layers_directory_is_back_after_the_save(m):
    os.mkdir(m / "groups/9_new")
    put(m / "groups/9_new/group.json", b"{}", os.O_WRONLY | os.O_CREAT)
    shell(m, "rmdir groups/9_new/layers")
    assert os.listdir(m / "groups/9_new") == ["group.json"]
    sync(m)
    assert os.listdir(m / "groups/9_new/layers") == []
    m.unmount()


def test_a_version_without_names_keeps_existing_names(box):
    """As in files that are copied from older groups and layers over those with a name."""
    b = datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    b.tiles(2, 2, bytes(16), flags=1, name="Game")
    b.tiles(2, 2, bytes(16), name="ground")
    b.tiles(2, 2, bytes(16))
    b.add(LAYER, [0, 3, 0, 2, 0, -1, -1] + datafile.words("sky", 3))
    b.group(0, 4, "all")
    m = box.mount(box.add(b.encode()))
    m.put("groups/0_all/group.json", b'{"version": 1, "x_offset": 5}')
    sync(m)
    assert json.loads(m.get("groups/0_all/group.json"))["version"] == 3
    for layer, version in ("1_ground", 2), ("2", 2), ("3_sky", 1):
        m.put("groups/0_all/layers/%s/layer.json" % layer, b'{"version": %d, "detail": 1}' % version)
    f, _ = unmount_and_load(m)
    assert f.of_type(datafile.GROUP)[0].ints[:2] == [3, 5]
    assert [x.ints[2:4] for x in f.of_type(LAYER)] == [[0, 3], [1, 3], [1, 2], [1, 2]]
    again = m.box.mount(m.map)
    assert os.listdir(again / "groups") == ["0_all"]
    assert sorted(os.listdir(again / "groups/0_all/layers")) == ["0_Game", "1_ground", "2", "3_sky"]
    again.unmount()


def test_an_automapper_without_layer_does_not_apply_to_a_new_layer(box):
    b = datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    b.tiles(2, 2, bytes(16), flags=1, name="Game")
    b.tiles(2, 2, bytes(16), name="ground")
    b.group(0, 2, "Game")
    b.add(datafile.UUID_INDEX, struct.unpack(">4i", AUTOMAPPER), 0xFFFE)
    b.add(0xFFFE, [1, 0, 2, 3, 42, 1])  # the third layer of two
    m = box.mount(box.add(b.encode()))
    shutil.copytree(m / (GAME + "1_ground"), m / (GAME + "2_more"))
    before = m.get(GAME + "2_more/layer.json")
    assert b'"automapper": null' in before
    unmount_and_load(m)
    again = m.box.mount(m.map)
    assert again.get(GAME + "2_more/layer.json") == before
    again.unmount()


@pytest.mark.parametrize("name", ["images", "info"])
def test_removing_a_mandatory_directory_removes_its_content(m, name):
    before = sorted(os.listdir(m / name))
    full = [n for n in before if os.path.getsize(os.path.join(m / name, n))]
    assert full
    shell(m, "rm -r " + name)
    assert not os.path.exists(m / name)
    out = m.unmount().out.splitlines()
    again = m.box.mount(m.map)
    if name == "info":
        assert {n: again.get("info/" + n) for n in os.listdir(again / "info")} == dict.fromkeys(before, b"")
        assert ["note: info/%s was emptied, not removed: the map always has it" % n for n in full] == out
    else:
        assert os.listdir(again / name) == []
        assert [line for line in out if line.startswith("removed: ")] == ["removed: %s/%s" % (name, n) for n in full]
    again.unmount()


MANDATORY = ["images", "sounds", "envelopes", "groups/0_Game/layers"]


@pytest.mark.parametrize("name", MANDATORY)
def test_an_empty_mandatory_directory_can_be_removed_and_recreated(m, name):
    content = os.listdir(m / name)
    if content:
        assert refused(os.rmdir, m / name) == errno.ENOTEMPTY
    shell(m, "cp -r %s ../copy && rm -rf %s/* && rmdir %s" % (name, name, name))
    assert not os.path.exists(m / name)
    assert os.path.basename(name) not in os.listdir(os.path.dirname(m / name))
    assert refused(put, m / name, b"", os.O_WRONLY | os.O_CREAT) == errno.EPERM
    os.mkdir(m / name)
    assert refused(os.mkdir, m / name) == errno.EEXIST
    assert os.listdir(m / name) == []
    shell(m, "cp -r ../copy/. %s && rm -r ../copy" % name)
    assert sorted(os.listdir(m / name)) == sorted(content)
    m.unmount()


def test_a_removed_group_stays_removed_after_kill_9(m):
    shell(m, "rm -r groups/0_Game/layers/1_ground; cp -r groups/0_Game groups/9_new; rm -r groups/9_new/layers/*")
    m.unmount()
    again = m.box.mount(m.map)
    shell(again, "rm -r groups/1_new")
    again.box.kill_worker()
    again = again.box.mount(m.map)
    assert "cannot replay" not in again.result.out + again.result.err
    assert os.listdir(again / "groups") == ["0_Game"]
    assert layer_names(unmount_and_load(again)[0]) == [["Game"]]


def test_a_removed_group_json_is_restored_and_not_reported_as_removed(m):
    os.unlink(m / "groups/0_Game/group.json")
    f, report = unmount_and_load(m, code=5)
    assert "it is required" in report
    assert "removed:" not in report
    assert layer_names(f) == [["Game", "ground"]]


def test_rsync_removes_a_group_with_its_mandatory_directory(m):
    needs("rsync")
    shell(m, "cp -r groups/0_Game groups/9_new; mkdir ../empty; rm -r groups/9_new/layers/0_Game")
    m.unmount()
    again = m.box.mount(m.map)
    shell(again, "rsync -a --delete --exclude=0_Game ../empty/ groups/; rmdir ../empty")
    assert layer_names(unmount_and_load(again)[0]) == [["Game", "ground"]]


def test_a_new_group_comes_back_after_kill_9_with_its_layers(m):
    shell(m, "cp -r groups/0_Game groups/9_new; rm -r groups/9_new/layers/0_Game; mkdir groups/5_e")
    m.box.kill_worker()
    again = m.box.mount(m.map)
    assert "cannot replay" not in again.result.out + again.result.err
    assert os.listdir(again / "groups/5_e/layers") == []
    assert layer_names(unmount_and_load(again)[0]) == [["Game", "ground"], [], ["ground"]]


ARRIVALS = {
    "cp -r": "cp -r groups/0_Game groups/9_new",
    "cp -a": "cp -a groups/0_Game groups/9_new",
    "mkdir -p": "mkdir -p groups/9_new/layers/1_ground;"
                " cp groups/0_Game/layers/1_ground/* groups/9_new/layers/1_ground",
    "group.json": "mkdir -p groups/9_new/layers; cp groups/0_Game/group.json groups/9_new;"
                  " cp -r groups/0_Game/layers/1_ground groups/9_new/layers",
    "tar": "mkdir groups/9_new; tar -C groups/0_Game -cf - . | tar -C groups/9_new -xf -",
    "rsync": "rsync -a groups/0_Game/ groups/9_new",
}


@pytest.mark.parametrize("how", ARRIVALS)
def test_a_group_can_be_copied_with_each_program(m, how):
    if not shutil.which(ARRIVALS[how].split()[0]):
        pytest.skip("not installed: " + how)
    # a second game layer would duplicate the first, so keep the design layer only
    shell(m, ARRIVALS[how] + "; rm -rf groups/9_new/layers/0_Game")
    assert layer_names(unmount_and_load(m)[0]) == [["Game", "ground"], ["ground"]]


@pytest.mark.parametrize("rewritten", [False, True])
@pytest.mark.parametrize("new", [False, True])
def test_removing_a_group_removes_its_content(m, new, rewritten):
    group = "groups/9_new" if new else "groups/1_more"
    shell(m, "cp -r groups/0_Game groups/9_new; rm -r groups/9_new/layers/0_Game")
    if not new:
        m.unmount()
        m = m.box.mount(m.map)
        os.rename(m / "groups/1_new", m / "groups/1_more")
    if rewritten:
        # as editors write: the file moves to another place in the listing
        text = m.get(group + "/group.json")
        os.unlink(m / (group + "/group.json"))
        put(m / (group + "/group.json"), text, os.O_WRONLY | os.O_CREAT)
    shell(m, "rm -r " + group)
    assert not os.path.exists(m / group)
    assert layer_names(unmount_and_load(m)[0]) == [["Game", "ground"]]


# ---- unresolved files

def layer(image=None, **keys):
    return json.dumps({"type": 2, "width": 20, "height": 10, "image": image, **keys}).encode()


def test_a_layer_directory_without_layer_json_is_reported_by_its_path(m):
    os.makedirs(m / "groups/1_Behind/layers/2_new")
    os.rename(m / "groups/1_Behind/layers/2_new", m / "groups/1_Behind/layers/3_more")
    os.rename(m / "groups/1_Behind", m / "groups/1_Far")
    f, report = unmount_and_load(m)
    assert layer_names(f) == [["Game", "ground"], []]
    assert "groups/1_Far/layers/3_more is not saved: it has no valid layer.json" in report


@pytest.mark.parametrize("planes", [False, True])
def test_a_new_layer_without_its_image_is_rescued_and_other_changes_are_saved(m, planes):
    os.mkdir(m / (GAME + "2_new"))
    create_file(m, GAME + "2_new/layer.json", layer("07_stars"))
    if planes:
        create_file(m, GAME + "2_new/id.csv", b"1" + b",1" * 19 + b"\n" + (b"0" + b",0" * 19 + b"\n") * 9)
    m.put("info/author", b"somebody\n")
    f, report = unmount_and_load(m, code=5)
    assert f.blob(f.of_type(datafile.INFO)[0].ints[1]) == b"somebody\0"
    assert layer_names(f) == [["Game", "ground"]]
    kept = rescued_files(m)
    assert kept[GAME + "2_new/layer.json"] == layer("07_stars")
    assert (GAME + "2_new/id.csv" in kept) == planes
    assert "07_stars" in report
    assert "saved: " + GAME not in report


def test_an_unresolved_new_layer_is_refused_by_a_sync_and_can_be_corrected(m):
    os.mkdir(m / (GAME + "2_new"))
    create_file(m, GAME + "2_new/layer.json", layer("07_stars"))
    m.put("info/author", b"somebody\n")
    sync(m)
    assert "07_stars" in m.xattr(GAME + "2_new/layer.json", "user.mapfs.error")
    assert m.get(GAME + "2_new/layer.json") == layer("07_stars")
    f = datafile.Datafile.load(m.map)
    assert f.blob(f.of_type(datafile.INFO)[0].ints[1]) == b"somebody\0"
    m.put(GAME + "2_new/layer.json", layer("0_checker"))
    f, _ = unmount_and_load(m)
    assert layer_names(f) == [["Game", "ground", "new"]]
    assert f.of_type(LAYER)[2].ints[13] == 0


def test_an_unresolved_new_layer_survives_kill_9(m):
    os.mkdir(m / (GAME + "2_new"))
    create_file(m, GAME + "2_new/layer.json", layer("07_stars"))
    m.put("info/author", b"somebody\n")
    sync(m)
    m.box.kill_worker()
    again = m.box.mount(m.map)
    # the number differs from those of all objects in the saved map
    made, = [n for n in os.listdir(again / GAME) if n.endswith("2_new")]
    assert again.get(GAME + made + "/layer.json") == layer("07_stars")
    create_file(again, "images/07_stars.json", b'{"external": 1, "width": 64, "height": 64}')
    again.put(GAME + made + "/layer.json", layer("07_stars"))
    f, _ = unmount_and_load(again)
    assert layer_names(f) == [["Game", "ground", "new"]]
    assert f.of_type(LAYER)[2].ints[13] == 2


def plane(width, height, value=1):
    return (b",".join([b"%d" % value] * width) + b"\n") * height


EXTERNAL = b'{"external": 1, "width": 64, "height": 64}'


@pytest.mark.parametrize("known", [False, True])
def test_planes_are_validated_with_the_newest_layer_json_even_if_unresolved(m, known):
    os.mkdir(m / (GAME + "2_new"))
    create_file(m, GAME + "2_new/layer.json", layer("0_checker" if known else "07_moon"))
    if known:
        create_file(m, GAME + "2_new/id.csv", plane(20, 10))
    m.put(GAME + "2_new/layer.json", layer("07_moon", width=30, height=4))
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    put(m / (GAME + "2_new/id.csv"), plane(30, 4, 7), flags)
    create_file(m, "images/07_moon.json", EXTERNAL)
    f, _ = unmount_and_load(m)
    ints = f.of_type(LAYER)[2].ints
    assert (ints[4:6], ints[13]) == ([30, 4], 2)
    assert f.blob(ints[14]) == bytes([7, 0, 0, 0]) * 120


@pytest.mark.parametrize("comes", [False, True])
def test_a_plane_of_the_old_size_is_rescued(m, comes):
    os.mkdir(m / (GAME + "2_new"))
    create_file(m, GAME + "2_new/layer.json", layer("0_checker"))
    m.put(GAME + "2_new/layer.json", layer("07_moon", width=30, height=4))
    create_file(m, GAME + "2_new/id.csv", plane(30 if not comes else 20, 4, 7))
    if comes:
        create_file(m, "images/07_moon.json", EXTERNAL)
    f, _ = unmount_and_load(m, code=5)
    assert set(rescued_files(m)) == {GAME + "2_new/id.csv"} | ({GAME + "2_new/layer.json"} if not comes else set())
    if not comes:
        # The new layer.json has an unresolved reference; the old one was never saved.
        assert len(f.of_type(LAYER)) == 2
        return
    ints = f.of_type(LAYER)[2].ints
    assert ints[4:6] == [30, 4]
    assert not any(f.blob(ints[14]))
    again = m.box.mount(m.map)
    again.put(GAME + "2_new/id.csv", plane(21, 4))
    again.put(GAME + "2_new/id.csv", plane(*ints[4:6]))
    again.unmount(code=0)


# ---- maps that a game would refuse

SPECIAL = b'{"type": 2, "kind": 2, "width": 20, "height": 10}'


@pytest.fixture
def tele_map(m):
    """A map with a tele layer beside its game layer, and a group behind."""
    os.mkdir(m / (GAME + "2_Tele"))
    create_file(m, GAME + "2_Tele/layer.json", SPECIAL)
    os.makedirs(m / "groups/1_Behind/layers/0_sky")
    create_file(m, "groups/1_Behind/layers/0_sky/layer.json", layer())
    m.unmount()
    return m.box.mount(m.map)


def refused_lines(m):
    """The lines of a refused save. The mount ends without a save."""
    report = m.unmount(code=4)
    lines = [line for line in report.out.splitlines() if line.startswith("refused: ")]
    m.box.allow("small.map.mapfs-journal-*")
    m.box.run("-u", "--force", m.point)
    return lines


def test_a_refusal_names_the_path_and_is_reported_once(m):
    os.mkdir(m / (GAME + "7_Tele"))
    create_file(m, GAME + "7_Tele/layer.json", SPECIAL.replace(b"20", b"5"))
    os.rename(m / "groups/0_Game", m / "groups/0_World")
    m.put("groups/0_World/layers/0_Game/layer.json", b'{"height": 9}')
    assert refused_lines(m) == [
        "refused: groups/0_World/layers/7_Tele: is 5 x 10 tiles (20 x 9 like the game layer "
        "groups/0_World/layers/0_Game)",
        "refused: a game would refuse the map"]


def test_a_save_warns_of_a_physics_layer_with_unused_rows(tele_map):
    tele_map.put(GAME + "2_Tele/layer.json", b'{"height": 12}')
    report = tele_map.unmount(code=5).out
    assert "warning: groups/0_Game/layers/2_Tele: is 20 x 12 tiles (20 x 10 like the game layer " \
        "groups/0_Game/layers/0_Game): the other rows are not used\n" in report and "refused" not in report
    again = tele_map.box.mount(tele_map.map)
    again.put("info/author", b"x")
    assert "warning" not in again.unmount().out  # the map had this before


def test_a_physics_layer_outside_the_game_group_is_refused(tele_map):
    os.rename(tele_map / (GAME + "2_Tele"), tele_map / "groups/1_Behind/layers/0_Tele")
    assert refused_lines(tele_map) == [
        "refused: groups/1_Behind/layers/0_Tele: kind is 2 (must be in the group of the game layer)",
        "refused: a game would refuse the map"]


def test_moving_the_game_layer_away_from_physics_layers_is_refused(tele_map):
    os.rename(tele_map / (GAME + "0_Game"), tele_map / "groups/1_Behind/layers/0_Game")
    assert refused_lines(tele_map) == [
        "refused: groups/0_Game/layers/2_Tele: kind is 2 (must be in the group of the game layer)",
        "refused: a game would refuse the map"]


def test_physics_layers_can_move_together_with_the_game_layer(tele_map):
    for name in ("0_Game", "2_Tele"):
        os.rename(tele_map / (GAME + name), tele_map / ("groups/1_Behind/layers/" + name))
    assert layer_names(unmount_and_load(tele_map)[0]) == [["ground"], ["Game", "sky", "Tele"]]


def test_a_physics_layer_that_was_elsewhere_before_is_accepted(box):
    b = datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    b.info(b"nobody")
    b.tiles(4, 4, bytes(64), flags=1, name="Game")
    b.tiles(4, 4, bytes(64), flags=8, name="Front")
    front = b.items[-1]
    front.ints[20] = b.blob(bytes(64))
    b.group(0, 1, "Game")
    b.group(1, 1, "Else")
    m = box.mount(box.add(b.encode()))
    m.put("info/author", b"somebody\n")
    os.rename(m / "groups/1_Else", m / "groups/1_Still")
    assert layer_names(unmount_and_load(m)[0]) == [["Game"], ["Front"]]


# ---- mandatory files

INFO = ("author", "credits", "license", "settings.cfg", "version")


@pytest.mark.parametrize("name", INFO)
def test_a_removed_text_is_empty_after_the_next_save(m, name):
    os.unlink(m / ("info/" + name))
    sync(m)
    assert sorted(os.listdir(m / "info")) == sorted(INFO)
    assert m.get("info/" + name) == b""
    at = ("author", "version", "credits", "license", "settings.cfg").index(name) + 1
    assert datafile.Datafile.load(m.map).of_type(datafile.INFO)[0].ints[at] == -1
    m.put("info/" + name, b"again\n")
    f, _ = unmount_and_load(m)
    assert f.blob(f.of_type(datafile.INFO)[0].ints[at]) == b"again\0"


def test_all_texts_can_be_removed(m):
    shell(m, "rm info/*; sync .; cat info/*; echo new > info/author")
    f, _ = unmount_and_load(m)
    assert f.of_type(datafile.INFO)[0].ints[2:6] == [-1] * 4


@pytest.mark.parametrize("habit", [
    "rm info/settings.cfg; set -C; printf 'new 1\\n' > info/settings.cfg",
    "printf 'new 1\\n' > .t; cp --remove-destination .t info/settings.cfg; rm .t",
    "sed -i 's/.*/new 1/;1q' info/settings.cfg",
    "mv info/settings.cfg info/t~; printf 'new 1\\n' > info/settings.cfg; rm info/t~",
    "rm info/settings.cfg; printf 'new 1\\n' > info/.t; mv info/.t info/settings.cfg",
    "rm info/settings.cfg; sync .; printf 'new 1\\n' > info/settings.cfg"])
def test_a_text_can_be_removed_and_recreated(m, habit):
    shell(m, habit)
    f, _ = unmount_and_load(m)
    assert f.blob(f.of_type(datafile.INFO)[0].ints[5]) == b"new 1\0"


def test_a_removed_text_stays_removed_after_kill_9(m):
    os.unlink(m / "info/author")
    sync(m)
    os.unlink(m / "info/version")
    m.box.kill_worker()
    again = m.box.mount(m.map)
    assert again.get("info/author") == b""
    assert not os.path.exists(again / "info/version")
    f, _ = unmount_and_load(again)
    assert f.of_type(datafile.INFO)[0].ints[1:3] == [-1, -1]


# ---- the zoom of groups

def test_a_group_without_a_zoom_gets_the_default_of_ddnet(m):
    """game/mapitems_ex.cpp: the larger of both parallaxes, limited to 0 and 100."""
    for n, text in enumerate((b'{"x_parallax": 30, "y_parallax": 70}', b'{"x_parallax": 900}',
                              b'{"x_parallax": -5, "y_parallax": -9}', b'{"parallax_zoom": 55}')):
        os.mkdir(m / ("groups/%d_g%d" % (n + 1, n)))
        create_file(m, "groups/%d_g%d/group.json" % (n + 1, n), text)
    f, _ = unmount_and_load(m)
    zooms = [i.ints[1] for i in f.items if i.type not in range(8) and len(i.ints) == 2]
    assert zooms == [100, 70, 100, 0, 55]


@pytest.mark.parametrize("order", [("id.csv", "flags.csv", "layer.json"),
                                   ("layer.json", "flags.csv", "id.csv"),
                                   ("flags.csv", "layer.json", "id.csv")])
def test_a_layer_of_another_size_can_be_copied_over_one_in_any_order(m, order):
    content = {"id.csv": plane(30, 4, 7), "flags.csv": plane(30, 4, 1), "layer.json": layer(width=30, height=4)}
    for name in order:
        m.put(GAME + "0_Game/" + name, content[name])
    f, _ = unmount_and_load(m)
    ints = f.of_type(LAYER)[0].ints
    assert ints[4:6] == [30, 4]
    assert f.blob(ints[14]) == bytes([7, 1, 0, 0]) * 120


def test_a_layer_takes_the_common_size_of_its_tables(m):
    m.put(GAME + "0_Game/id.csv", plane(30, 4, 7))
    m.put(GAME + "0_Game/flags.csv", plane(30, 4, 1))
    f, _ = unmount_and_load(m)
    ints = f.of_type(LAYER)[0].ints
    assert ints[4:6] == [30, 4]
    assert f.blob(ints[14]) == bytes([7, 1, 0, 0]) * 120


@pytest.mark.parametrize("w, h", [(2, 2), (25, 17)])
def test_tables_alone_can_crop_or_extend_a_layer(m, w, h):
    """Only the size changes: each table has the content that a layer of that size would show."""
    for name in "id.csv", "flags.csv":
        rows = [line.split(",") for line in m.get(GAME + "0_Game/" + name).decode().splitlines()]
        rows = [(row + ["  0"] * w)[:w] for row in rows + [["  0"] * w] * h][:h]
        m.put(GAME + "0_Game/" + name, "".join(",".join(row) + "\n" for row in rows).encode())
    old = datafile.Datafile(get(m.map))
    f, report = unmount_and_load(m)
    width, height = old.of_type(LAYER)[0].ints[4:6]
    was, now = (x.blob(x.of_type(LAYER)[0].ints[14]) for x in (old, f))
    assert f.of_type(LAYER)[0].ints[4:6] == [w, h] != [width, height]
    for y in range(h):
        for x in range(w):
            i = 4 * (y * width + x)
            there = was[i:i + 4] if x < width and y < height else bytes(4)
            assert now[4 * (y * w + x):][:4] == there, (x, y)
    for name in "id.csv", "flags.csv":
        assert "saved: " + GAME + "0_Game/" + name in report


@pytest.mark.parametrize("last", ["id.csv", "flags.csv"])
def test_a_table_back_in_the_size_of_the_layer_is_not_cropped(m, last):
    """All tables had another size for a while, but no longer."""
    old = get(m.map)
    whole = m.get(GAME + "0_Game/" + last)
    for _ in range(2):
        m.put(GAME + "0_Game/id.csv", plane(3, 2, 7))
        m.put(GAME + "0_Game/flags.csv", plane(3, 2, 1))
        m.put(GAME + "0_Game/" + last, whole)
    assert m.get(GAME + "0_Game/" + last) == whole
    report = m.unmount(code=5)
    assert "saved" not in report.out and "the table has 2 lines of 3 columns" in report.out
    assert get(m.map) == old
    m.box.allow("small.map.mapfs-left")


def test_tables_may_change_their_size_several_times(m):
    whole = m.get(GAME + "0_Game/id.csv")
    m.put(GAME + "0_Game/id.csv", plane(3, 2, 7))
    m.put(GAME + "0_Game/flags.csv", plane(3, 2, 1))
    m.put(GAME + "0_Game/id.csv", whole)
    m.put(GAME + "0_Game/id.csv", plane(3, 2, 9))
    f, _ = unmount_and_load(m)
    ints = f.of_type(LAYER)[0].ints
    assert ints[4:6] == [3, 2]
    assert f.blob(ints[14]) == bytes([9, 1, 0, 0]) * 6


@pytest.mark.parametrize("order", [("id.csv", "flags.csv", "layer.json"), ("layer.json", "id.csv", "flags.csv")])
@pytest.mark.parametrize("text", [layer(width=30, height=4), layer(detail=1)], ids=["size", "detail"])
@pytest.mark.parametrize("then", ["", "sync", "kill"])
def test_a_written_layer_json_overrides_the_size_of_tables(m, order, text, then):
    """Also at the second save, which checks the tables again, and after a kill."""
    old = datafile.Datafile(get(m.map)).of_type(LAYER)[0].ints
    content = {"id.csv": plane(6, 5, 7), "flags.csv": plane(6, 5, 1), "layer.json": text}
    for name in order:
        m.put(GAME + "0_Game/" + name, content[name])
    if then:
        sync(m)
    if then == "kill":
        m.box.kill_worker()
        m = m.box.mount(m.map)
    report = m.unmount(code=5)
    table_lines = [line for line in report.out.splitlines() if ".csv" in line]
    assert len(table_lines) == 2 and all("rescued: " in line for line in table_lines), report.out
    assert ("saved: %s0_Game/layer.json" % GAME in report.out) == (not then)
    ints = datafile.Datafile(get(m.map)).of_type(LAYER)[0].ints
    assert ints[4:6] == ([30, 4] if text == layer(width=30, height=4) else old[4:6])
    assert ints[2] == (text == layer(detail=1))
    m.box.allow("small.map.mapfs-left")


def test_a_table_refused_by_a_save_is_accepted_with_the_next_table(m):
    m.put(GAME + "0_Game/id.csv", plane(3, 2, 7))
    sync(m)
    m.put(GAME + "0_Game/flags.csv", plane(3, 2, 1))
    f, _ = unmount_and_load(m)
    ints = f.of_type(LAYER)[0].ints
    assert ints[4:6] == [3, 2] and f.blob(ints[14]) == bytes([7, 1, 0, 0]) * 6


@pytest.mark.parametrize("how", ["drop", "garbage", "remove"])
def test_a_dropped_table_does_not_determine_the_size(m, how):
    """First one table has another size, then another one. Together they would crop the layer, and cells of the first
    would be lost."""
    old = datafile.Datafile(get(m.map))
    m.put(GAME + "0_Game/id.csv", plane(3, 2, 7))
    sync(m)
    if how == "drop":
        os.removexattr(m / (GAME + "0_Game/id.csv"), "user.mapfs.error")
    elif how == "remove":
        os.unlink(m / (GAME + "0_Game/id.csv"))
    else:
        assert refused(m.put, GAME + "0_Game/id.csv", b"x") == errno.EINVAL
    m.put(GAME + "0_Game/flags.csv", plane(3, 2, 1))
    report = m.unmount(code=5)
    assert "rescued: small.map.mapfs-left/%s0_Game/flags.csv" % GAME in report.out
    f = datafile.Datafile(get(m.map))
    was, now = (x.of_type(LAYER)[0].ints for x in (old, f))
    assert now[4:6] == was[4:6]
    if how != "remove":
        assert f.blob(now[14]) == old.blob(was[14])
    m.box.allow("small.map.mapfs-left")


def test_a_removed_table_is_all_zeros_and_not_reported_as_removed(m):
    path = GAME + "0_Game/id.csv"
    os.unlink(m / path)
    f, report = unmount_and_load(m)
    assert report == "note: %s was emptied, not removed: the map always has it\n" % path
    assert set(f.blob(f.of_type(LAYER)[0].ints[14])[::4]) == {0}
    again = m.box.mount(m.map)
    assert set(again.get(path)) == set(b" 0,\n")
    assert again.unmount().out == ""


def test_one_table_of_another_size_is_refused_by_the_save(m):
    before = m.get(GAME + "0_Game/layer.json")
    m.put(GAME + "0_Game/id.csv", plane(30, 4, 7))
    assert m.get(GAME + "0_Game/layer.json") == before
    report = m.unmount(code=5)
    assert "the table has 4 lines of 30 columns (the layer has height" in report.out
    m.box.allow("small.map.mapfs-left")


def test_a_refused_file_is_validated_again_by_the_save(m):
    """An image arrives later, which resolves the reference of the layer."""
    m.put(GAME + "0_Game/layer.json", b'{"image": "07_moon"}')
    sync(m)
    assert "07_moon" in m.xattr(GAME + "0_Game/layer.json", "user.mapfs.error")
    create_file(m, "images/07_moon.json", EXTERNAL)
    f, report = unmount_and_load(m)
    assert f.of_type(LAYER)[0].ints[13] == len(f.of_type(2)) - 1


def test_removed_data_that_unknown_items_may_refer_to_is_reported(box):
    b = datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    b.image(b"gone", 2, 2, bytes(16))
    b.tiles(2, 2, bytes(16), flags=1, name="Game")
    b.group(0, 1, "Game")
    b.add(77, [1])
    m = box.mount(box.add(b.encode()))
    os.unlink(m / "images/0_gone.png")
    f, report = unmount_and_load(m)
    assert "2 removed data items become one byte each" in report
    assert [f.blob(i) for i in range(3)] == [b"\0", b"\0", bytes(16)]


def test_a_small_file_that_claims_millions_of_entries_is_refused(box):
    """Work is limited by the size of the map: a listing of these entries would take too long."""
    groups, points = datafile.Builder(), datafile.Builder()
    for b in groups, points:
        b.add(datafile.MAP_VERSION, [1])
    for _ in range(300):
        groups.add(LAYER, [0, 3, 0, 2, 0, -1, -1])
        groups.group(0, 300)
    for _ in range(100):
        points.add(datafile.ENVELOPE, [2, 4, 0, 1000] + [0] * 8 + [0])
    points.add(datafile.ENVPOINTS, [0] * 6000)
    for b, why in ((groups, "groups have 90000 layers in total (at most 70336)"),
                   (points, "envelopes have 100000 points in total (at most 81536)")):
        refused = box.run(box.add(b.encode(), "claims%d.map" % len(why)), box.point())
        assert refused.code == 2
        assert why in refused.err


def test_endings_are_recognized_in_any_case(m, tmp_path):
    png = m.get("images/0_checker.png")
    create_file(m, "images/0_checker.PNG", png)
    create_file(m, "images/5_sign.Png", png)
    create_file(m, "images/far.JSON", EXTERNAL)
    assert {"0_checker.png", "0_checker.PNG", "5_sign.Png", "far.JSON"} <= set(os.listdir(m / "images"))
    sync(m)
    m.put("images/5_sign.Png", png + b"trailing")
    m.box.kill_worker()
    again = m.box.mount(m.map)
    assert sorted(os.listdir(again / "images")) == [
        "0_checker.PNG", "0_checker.png", "1_grass_main.json", "5_sign.Png", "far.JSON"]
    again.unmount()
    again = m.box.mount(m.map)
    assert sorted(os.listdir(again / "images")) == [
        "0_checker.png", "1_checker.png", "2_grass_main.json", "3_sign.png", "4_far.json"]
    again.unmount()
