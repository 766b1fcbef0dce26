# SPDX-License-Identifier: Zlib
"""preview.png and entities.png in the root of a mount show the map and are no part of it."""
import errno
import os
import shutil

import pytest

import box as boxes
import datafile
import places
from picture import BLUE, GREEN, RED, Map, Picture, png, tileset

NAMES = ["entities.png", "preview.png"]
PNG = "images/0_checker.png"
LAYER = "groups/0/layers/0/"
ID = LAYER + "id.csv"
GAME = "groups/1/layers/0_Game/"


def two_tiles(color=RED):
    m = Map(2, 1, (1, 0, 0, 0, 0, 0, 0, 0))
    m.design((1, 0, 0, 0, 0, 0, 0, 0), -1, color)
    m.end()
    return m


def draw_preview(box, path, size, *args):
    """The picture of the command, which is compressed; the one in a mount is not."""
    out = os.path.join(box.root, "drawn.png")
    r = box.run("preview", "--size", size, *args, path, out)
    assert r.code == 0, r
    return Picture(out)


@pytest.mark.parametrize("opts", ("", "preview=0", "preview=64,preview=0"))
def test_pictures_are_shown_only_with_the_option(box, opts):
    m = box.mount(box.add(two_tiles().bytes()), opts)
    assert sorted(os.listdir(m.point)) == ["envelopes", "groups", "images", "info", "raw", "sounds"]
    assert not os.path.exists(m / "preview.png")
    m.unmount()


@pytest.mark.parametrize("path", places.each_debian_map()[:3])
def test_the_picture_equals_that_of_mapfs_preview(box, path):
    copy = box.add(path)
    m = box.mount(copy, "preview=300")
    want = {"preview.png": draw_preview(box, copy, 300), "entities.png": draw_preview(box, copy, 300, "--entities")}
    for name, data in want.items():
        assert os.stat(m / name).st_size == len(m.get(name))
        assert Picture(m / name) == data and m.get(name) == m.get(name)
    assert set(NAMES) < set(os.listdir(m.point))
    assert m.unmount().out == ""


def test_a_large_picture_can_be_read_from_its_end(box):
    path = box.add(two_tiles().bytes())
    m = box.mount(path, "preview=4096")
    assert os.stat(m / "preview.png").st_size > 4096 * 2048 * 4
    fd = os.open(m / "preview.png", os.O_RDONLY)
    tail = os.pread(fd, 100, os.fstat(fd).st_size - 12)
    os.close(fd)
    assert tail == b"\0\0\0\0IEND\xaeB`\x82"
    m.unmount()


def test_the_picture_shows_a_change(box):
    path = box.add(two_tiles().bytes())
    m = box.mount(path, "preview=64")
    p = Picture(m / "preview.png")
    assert (p.w, p.h) == (64, 32) and p[8, 8] == RED and p[48, 8] != RED
    m.put(ID, b"  0,  1\n")
    p = Picture(m / "preview.png")
    assert p[8, 8] != RED and p[48, 8] == RED
    layer = m.get(LAYER + "layer.json")
    m.put(LAYER + "layer.json", layer.replace(b"[255, 0, 0, 255]", b"[0, 255, 0, 255]"))
    assert Picture(m / "preview.png")[48, 8] == GREEN
    shown = Picture(m / "preview.png")
    m.unmount()
    assert draw_preview(box, path, 64) == shown


def test_the_picture_follows_the_size_of_the_game_layer(box):
    m = box.mount(box.add(two_tiles().bytes()), "preview=64")
    was = os.stat(m / "entities.png").st_size
    json = m.get(GAME + "layer.json")
    m.put(GAME + "layer.json", json.replace(b'"height": 1', b'"height": 2'))
    p = Picture(m / "entities.png")
    assert (p.w, p.h) == (64, 64) and os.stat(m / "entities.png").st_size > was
    m.unmount()


def truncated(path, data):
    boxes.put(path, data)


def emptied(path, data):
    os.close(os.open(path, os.O_WRONLY | os.O_TRUNC))


def appended(path, data):
    boxes.put(path, data, os.O_WRONLY | os.O_APPEND)


def removed(path, data):
    os.unlink(path)


def recreated(path, data):
    os.unlink(path)
    boxes.put(path, data, os.O_WRONLY | os.O_CREAT | os.O_EXCL)


def replaced(path, data):
    boxes.put(path + ".tmp", data, os.O_WRONLY | os.O_CREAT)
    os.rename(path + ".tmp", path)


def removed_and_replaced(path, data):
    os.unlink(path)
    replaced(path, data)


@pytest.mark.parametrize("way", (truncated, emptied, appended, removed, recreated, replaced, removed_and_replaced),
                         ids=lambda f: f.__name__)
def test_content_written_over_a_picture_is_dropped(box, way):
    path = box.add(two_tiles().bytes())
    before, st = boxes.get(path), os.stat(path)
    m = box.mount(path, "preview=64")
    shown = m.get("preview.png")
    for _ in range(2):
        if os.path.exists(m / "preview.png"):
            way(m / "preview.png", b"something else")
    if way is removed:
        assert not os.path.exists(m / "preview.png") and "preview.png" not in os.listdir(m.point)
    else:
        # The kernel shows the renamed file until it is notified.
        assert boxes.wait_for(lambda: m.get("preview.png") == shown)
    assert m.xattr("", "user.mapfs.status") == "" if way is not removed else True
    assert os.listdir(box.maps) == ["small.map"]
    out = m.unmount().out
    assert out.count("changes of preview.png were dropped") == (0 if way is removed else 1), out
    assert "saved" not in out and "removed" not in out
    after = os.stat(path)
    assert boxes.get(path) == before and (after.st_ino, after.st_mtime_ns) == (st.st_ino, st.st_mtime_ns)


def test_a_removed_picture_is_back_after_a_save(box):
    m = box.mount(box.add(two_tiles().bytes()), "preview=64")
    os.unlink(m / "preview.png")
    m.put(ID, b"  0,  1\n")
    assert os.system("sync '%s'" % m.point) == 0
    assert boxes.wait_for(lambda: os.path.exists(m / "preview.png"))
    assert Picture(m / "preview.png")[48, 8] == RED
    m.unmount()


def test_a_picture_and_a_part_cannot_be_renamed_to_each_other(box):
    path = box.add(datafile.small_map())
    m = box.mount(path, "preview=64")
    assert boxes.refused(os.rename, m / "preview.png", m / "other.png") == errno.EPERM
    assert boxes.refused(os.rename, m / PNG, m / "preview.png") == errno.EPERM
    assert os.path.exists(m / PNG) and boxes.refused(os.mkdir, m / "preview.png") == errno.EEXIST
    os.unlink(m / "preview.png")
    assert boxes.refused(os.mkdir, m / "preview.png") == errno.EPERM
    m.unmount()


@pytest.mark.parametrize("opts", ("", "preview=128"))
def test_a_tree_copied_with_pictures_is_accepted(box, opts):
    small = box.add(datafile.small_map())
    other = box.add(two_tiles().bytes(), "other.map")
    tree = os.path.join(box.root, "tree")
    m = box.mount(small, "preview=64")
    shutil.copytree(m.point, tree)
    m.unmount()
    shutil.rmtree(os.path.join(tree, "raw"))
    m = box.mount(other, opts)
    r = box.run("-c", 'cp -a "$0"/. "$1"', tree, m.point, program="sh")
    assert r.code == 0, r
    out = m.unmount(code=5).out  # the map now has two game layers
    assert "left" not in [line.split(":")[0] for line in out.splitlines()], out
    assert ("ignored" in out) == (not opts) and ("were dropped" in out) == bool(opts), out
    assert sorted(os.listdir(box.maps)) == ["other.map", "small.map"]
    m = box.mount(other)
    assert m.get(PNG) and sorted(os.listdir(m.point)) == ["envelopes", "groups", "images", "info", "raw", "sounds"]
    m.unmount()


def test_the_worker_reads_only_images_of_the_game(box):
    mapres = os.path.join(box.root, "mapres")
    os.mkdir(mapres)
    n, pixels = tileset()
    boxes.put(mapres + "/own_tiles.png", png(n, n, pixels), os.O_WRONLY | os.O_CREAT)
    boxes.put(box.root + "/secret.png", png(n, n, pixels), os.O_WRONLY | os.O_CREAT)
    for name, seen in ((b"own_tiles", True), (b"../secret", False)):
        b = Map(1, 1)
        b.external(name)
        b.design((1, 0, 0, 0), 0, (255,) * 4)
        b.end()
        m = box.mount(box.add(b.bytes()), "preview=64,mapres=" + mapres)
        assert (Picture(m / "preview.png")[10, 10] == RED) == seen
        m.unmount()


def test_pictures_work_read_only_and_in_a_folder(box):
    for color, name in ((RED, "a.map"), (BLUE, "b.map")):
        box.add(two_tiles(color).bytes(), name)
    m = box.mount(box.maps, "preview=64,ro")
    assert Picture(m / "a.map/preview.png")[8, 8] == RED and Picture(m / "b.map/preview.png")[8, 8] == BLUE
    assert boxes.refused(boxes.put, m / "a.map/preview.png", b"x") == errno.EROFS
    m.unmount()


def test_a_map_without_a_game_layer_has_empty_pictures(box):
    b = datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    m = box.mount(box.add(b.encode()), "preview=64")
    assert [m.get(name) for name in NAMES] == [b"", b""]
    m.unmount()


@pytest.mark.parametrize("value, code", (("x", 1), ("", 1), ("-1", 1), ("4097", 1), ("99999999999", 1), ("15", 1)))
def test_an_invalid_size_is_refused(box, value, code):
    r = box.mount(box.add(two_tiles().bytes()), "preview=" + value, code=code).result
    assert "preview" in r.err


def test_an_invalid_size_is_refused_once_for_a_folder(box):
    """The command refuses the size, instead of each map with an error.txt."""
    box.add(two_tiles().bytes(), "a.map")
    assert 'option preview: invalid value "15" (must be 0, or 16 to 4096)' in box.mount(box.maps, "preview=15", code=1).result.err


def test_replay_ignores_changes_of_pictures(box):
    path = box.add(two_tiles().bytes())
    m = box.mount(path, "preview=64")
    recreated(m / "preview.png", b"x")
    emptied(m / "entities.png", b"")
    replaced(m / "preview.png", b"y")
    m.put(ID, b"  0,  1\n")
    box.kill_worker()
    m = box.mount(path)
    assert m.get(ID) == b"  0,  1\n" and "cannot" not in m.result.err
    m.unmount()
    assert os.listdir(box.maps) == ["small.map"]
