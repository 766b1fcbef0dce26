# SPDX-License-Identifier: Zlib
"""Files of objects that are new since the last save are validated as new, whatever was written to them before."""
import itertools
import json
import os

import pytest

import datafile
import layout
import picture

LAYERS = "groups/0_Game/layers/"
KINDS = ("design", "game", "tele", "speedup", "front", "switch", "tune")
TYPES = ("tiles", "quads", "sounds")


@pytest.fixture
def m(box, small):
    return box.mount(small)


def new_layer(m, number, **values):
    path = "%s%d_n%d" % (LAYERS, number, number)
    os.mkdir(m / path)
    rewrite(m, path, **values)
    return path


def rewrite(m, path, **values):
    m.put(path + "/layer.json", json.dumps(values).encode(), flags=os.O_WRONLY | os.O_CREAT | os.O_TRUNC)


def replace(m, path, **values):
    """Replace a file like sed -i."""
    m.put(path + "/sedAbC", json.dumps(values).encode(), flags=os.O_WRONLY | os.O_CREAT)
    os.rename(m / (path + "/sedAbC"), m / (path + "/layer.json"))


def saved(m):
    """{name: layer.json} of the new layers in a new mount."""
    m.unmount_edited()
    again = m.box.mount(m.map)
    found = {}
    for name in os.listdir(again / LAYERS):
        found[name.split("_", 1)[-1]] = json.loads(again.get(LAYERS + name + "/layer.json"))
    again.unmount()
    return found


@pytest.mark.parametrize("how", [rewrite, replace])
def test_a_new_layer_can_change_its_kind(m, how):
    wanted = {}
    for i, (old, new) in enumerate(itertools.permutations(KINDS, 2)):
        path = new_layer(m, 2 + i, type="tiles", kind=old)
        how(m, path, type="tiles", kind=new)
        wanted["n%d" % (2 + i)] = new
    assert "refused" not in m.xattr("", "user.mapfs.status")
    found = saved(m)
    # The next mount names physics layers after their kind.
    for name, kind in wanted.items():
        if name in found:
            assert found[name]["kind"] == kind
    kinds = [v.get("kind") for v in found.values()]
    for kind in KINDS:
        assert kinds.count(kind) >= 1


@pytest.mark.parametrize("old,new", itertools.permutations(TYPES, 2))
def test_a_new_layer_can_change_its_type(m, old, new):
    path = new_layer(m, 2, type=old)
    rewrite(m, path, type=new)
    assert "refused" not in m.xattr("", "user.mapfs.status")
    assert saved(m)["n2"]["type"] == new


SOURCE = {"position": [3, 4], "looping": True, "delay": 0, "position_envelope": None,
          "position_envelope_offset": 0, "sound_envelope": None, "sound_envelope_offset": 0}


@pytest.mark.parametrize("kind,own", [("sounds", {"panning": False, "falloff": 7, "shape": [0, 5, 5]}),
                                      ("old_sounds", {"radius": 900})])
@pytest.mark.parametrize("first", ["layer.json", "sources.json"])
def test_sources_of_a_new_layer_may_have_either_form(m, kind, own, first):
    path, source = LAYERS + "2_s", dict(SOURCE, **own)
    files = {"layer.json": json.dumps({"type": kind}), "sources.json": json.dumps([source])}
    os.mkdir(m / path)
    for name in sorted(files, key=lambda n: n != first):
        m.put(path + "/" + name, files[name].encode(), flags=os.O_WRONLY | os.O_CREAT)
    assert "refused" not in m.xattr("", "user.mapfs.status")
    m.unmount_edited()
    m = m.box.mount(m.map)
    assert json.loads(m.get(LAYERS + "2_s/sources.json")) == [source]
    m.unmount()


def test_sources_of_the_other_form_are_refused_by_the_save(m):
    m.box.allow("*.mapfs-left")
    path = new_layer(m, 2, type="sounds")
    m.put(path + "/sources.json", json.dumps([dict(SOURCE, radius=9)]).encode(), flags=os.O_WRONLY | os.O_CREAT)
    assert "radius" in m.xattr(path + "/sources.json", "user.mapfs.error")
    m.unmount(code=5)


def test_a_saved_layer_cannot_change_its_kind(m):
    with pytest.raises(OSError):
        rewrite(m, LAYERS + "0_Game", kind="front")
    os.removexattr(m / (LAYERS + "0_Game/layer.json"), "user.mapfs.error")
    m.unmount()


def test_an_image_renamed_over_another_one_replaces_its_pixels(box):
    m = box.mount(box.add(two_images(), "two.map"))
    first, second = m.get("images/0_a.png"), m.get("images/1_b.png")
    m.put("images/1_b.png", second)  # its own pixels: no change
    os.rename(m / "images/1_b.png", m / "images/0_a.png")
    m.unmount()
    m = box.mount(m.map)
    assert first != second and m.get("images/0_a.png") == second
    assert os.listdir(m / "images") == ["0_a.png"]
    m.unmount()


def two_images():
    b = datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    b.info(b"nobody", b"1.0", b"", b"CC0", ())
    b.image(b"a", 16, 16, bytes(range(256)) * 4)
    b.image(b"b", 16, 16, bytes(4 * 256))
    b.tiles(4, 4, bytes(64), flags=1, name="Game")
    b.group(0, 1, "Game")
    b.add(datafile.ENVPOINTS, [])
    return b.encode()


def test_a_table_overrides_raw_data_even_if_unchanged(box, small):
    m = box.mount(small, opts="raw=rw")
    table = m.get(LAYERS + "0_Game/id.csv")
    data = next(n for n in os.listdir(m / "raw/data") if len(m.get("raw/data/" + n)) == 800)
    m.put("raw/data/" + data, bytes([7, 0, 0, 0]) * 200)
    m.put(LAYERS + "0_Game/id.csv", table)
    out = m.unmount_edited()
    assert "saved: " + LAYERS + "0_Game/id.csv" not in out
    m = box.mount(m.map)
    assert m.get(LAYERS + "0_Game/id.csv") == table
    m.unmount()


def test_an_image_can_be_rewritten_before_the_first_save(m):
    m.put("images/5_n.png", picture.png(32, 32, bytes(4 * 32 * 32)), flags=os.O_WRONLY | os.O_CREAT)
    m.put("images/5_n.png", picture.png(16, 48, b"\1\2\3\377" * 16 * 48))
    m.unmount_edited()
    m = m.box.mount(m.map)
    assert m.get("images/2_n.png") == layout.png(16, 48, b"\1\2\3\377" * 16 * 48)
    m.unmount()
