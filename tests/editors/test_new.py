# SPDX-License-Identifier: Zlib
"""New maps, and parts that are copied into them from the mount of another map."""
import os

import pytest

import box as boxes
import datafile
import places
import reading
from datafile import IMAGE, INFO, SOUND
from session import OWN_DATA, tree

FOLDERS = ("info", "images", "sounds")


def make(box, name="new.map"):
    """Run mapfs --new and return the Mount."""
    box.before.add(name)
    path, point = os.path.join(box.maps, name), box.point("new")
    r = box.run("--new", path, point)
    assert r.code == 0, r
    m = boxes.Mount(box, path, point)
    assert m.mounted()
    return m


def tool(box, name, path, *args):
    os.makedirs(os.path.join(box.home, OWN_DATA), exist_ok=True)
    return box.run(path, *args, program=places.ddnet_tool(name), cwd=box.root)


def resaved_as_it_is(box, path):
    assert tool(box, "map_resave", path, "again.map").code == 0
    assert boxes.get(os.path.join(box.home, OWN_DATA, "again.map")) == boxes.get(path)


def extracted(box, path, name):
    """The files that map_extract of DDNet writes: {file name: bytes}."""
    out = os.path.join(box.root, name)
    os.mkdir(out)
    assert tool(box, "map_extract", path, out).code == 0
    return {n: boxes.get(os.path.join(out, n)) for n in os.listdir(out)}


def info(f):
    texts = f.of_type(INFO)[0].ints[1:6]
    return [None if t == -1 else f.blob(t) for t in texts]


def test_the_game_reads_an_empty_new_map(box):
    m = make(box)
    assert set(FOLDERS) <= set(os.listdir(m.point))
    m.unmount()
    resaved_as_it_is(box, m.map)


def test_a_new_map_does_not_replace_a_file(box, small):
    raw = boxes.get(small)
    r = box.run("--new", small, box.point())
    assert r.code == 2 and len(r.err.splitlines()) == 1, r
    assert boxes.get(small) == raw and not boxes.is_mounted(box.point())


@pytest.mark.parametrize("how", ["cp -a", "rsync -a", "one by one, the last first"])
@pytest.mark.parametrize("source", ["Tsunami.map", "Sunny Side Up.map"])
def test_a_new_map_takes_info_images_and_sounds_from_another_mount(box, source, how):
    if "rsync" in how:
        boxes.needs("rsync")
    path = box.add(places.debian_map("ddnet/data/maps/" + source), "source.map")
    old, new = box.mount(path, "ro", point=box.point("old")), make(box)
    if how.startswith("one"):
        for folder in FOLDERS:
            for name in sorted(os.listdir(old / folder), reverse=True):
                boxes.put(os.path.join(new / folder, name), old.get(folder + "/" + name),
                          os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    else:
        args = how.split()
        r = box.run(*args[1:], *[old / f for f in FOLDERS], new.point,
                    program="/usr/bin/" + args[0])
        assert r.code == 0, r
    for folder in FOLDERS:
        assert tree(new / folder) == tree(old / folder)
    old.unmount()
    new.unmount()
    before, after = (datafile.Datafile.load(p) for p in (path, new.map))
    for type_ in (IMAGE, SOUND):
        assert reading.names(after, type_) == reading.names(before, type_)
    a, b = reading.parts(before), reading.parts(after)
    assert (b["images"], b["sounds"]) == (a["images"], a["sounds"])
    # A missing text and an empty one are the same.
    assert [t or b"\0" for t in info(after)] == [t or b"\0" for t in info(before)]
    resaved_as_it_is(box, new.map)
    assert extracted(box, new.map, "after") == extracted(box, path, "before")


def test_a_new_map_survives_kill_9_before_its_first_save(box, small):
    old, m = box.mount(small, "ro", point=box.point("old")), make(box)
    for name in ("info/settings.cfg", "sounds/0_bell.opus"):
        boxes.put(m / name, old.get(name), os.O_WRONLY | os.O_CREAT)
    old.unmount()
    box.kill_worker()
    m = box.mount(m.map)
    m.unmount()
    before, after = (datafile.Datafile.load(p) for p in (small, m.map))
    assert reading.sound(after, "bell") == reading.sound(before, "bell")
    assert info(after)[4] == info(before)[4]
