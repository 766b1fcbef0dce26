# SPDX-License-Identifier: Zlib
"""Crafted maps: a sound one is shown completely, any other fails cleanly."""
import errno
import os
import struct
import subprocess

import pytest

import box as boxes
import datafile
import places
import share
from editing import sync
from test_read import check_contents, expected_tree

MIB = 1 << 20
HUGE = 64 * MIB  # larger files are read, but not compared byte by byte


# These take the kernel minutes; test_memory.py reads them.
GIANTS = ("b08_bomb_1gib_zeros.map", "a27_3000_groups_3000_layers.map")


@pytest.mark.parametrize("path", places.each_crafted_map("ok", but=share.of((), GIANTS)))
def test_a_sound_map_is_completely_readable(box, path):
    copy = box.add(path)
    m = box.mount(copy)
    f = datafile.Datafile.load(copy)
    files, seen = expected_tree(m, f)
    huge = {p for p, x in files.items() if x.size > HUGE}
    check_contents(m, {p: x for p, x in files.items() if p not in huge}, seen)
    for p in huge:
        assert seen[p].st_size == files[p].size
        assert read_through(os.path.join(os.fsencode(m.point), p)) == files[p].size
    m.unmount()
    assert boxes.get(copy) == boxes.get(path)


def read_through(path):
    n = 0
    with open(path, "rb", buffering=0) as f:
        while True:
            piece = f.read(MIB)
            if not piece:
                return n
            n += len(piece)


@pytest.mark.parametrize("path", places.each_crafted_map("quirk", "bad"))
def test_a_broken_map_is_refused_or_its_sound_parts_are_shown(box, path):
    copy = box.add(path)
    r = box.run(copy, box.point(), timeout=60)
    assert r.code in (0, 2), r
    if r.code == 2:
        assert r.err.startswith("mapfs: ") and len(r.err.splitlines()) == 1, r.err
        assert os.path.basename(copy) in r.err
        assert not boxes.is_mounted(box.point())
    else:
        m = boxes.Mount(box, copy, box.point())
        files, _ = m.walk()
        for name, st in files.items():
            full = os.path.join(os.fsencode(m.point), name)
            try:
                assert read_through(full) == st.st_size, name
            except OSError as e:
                assert e.errno == errno.EIO, name
        assert os.path.isdir(m / "raw")  # the mount still answers
        m.unmount()
    assert boxes.get(copy) == boxes.get(path)


# Rule 25 of the layout page refuses these at the mount.
REFUSED = ["c01_num_data_negative", "c01_num_item_types_negative", "c01_item_size_negative",
           "c02_num_items_huge", "c02_num_item_types_huge", "c02_item_size_huge",
           "c03_counts_wrap_32bit", "c08_version_0", "c08_version_5", "c09_magic_datb",
           "c11_item_offsets_overlap", "c13_item_offset_negative", "c15_item_offset_unaligned",
           "c16_item_size_negative", "c20_type_start_wrong", "c22_type_negative",
           "c23_type_duplicate", "c26_item_type_differs", "c29_data_offset_backwards",
           "c31_data_offset_past_end", "c50_trunc_0000_empty", "c50_trunc_0026_mid_header",
           "c50_trunc_0362_mid_items", "c50_trunc_0636_mid_data"]


@pytest.mark.parametrize("name", REFUSED)
def test_inconsistent_tables_are_refused(box, name):
    path = os.path.join(places.CORPUS, "crafted", name + ".map")
    if not os.path.exists(path):
        pytest.skip(places.NO_SHARED)
    r = box.run(box.add(path), box.point())
    assert r.code == 2, r
    assert len(r.err.splitlines()) == 1


def broken_header(field, value):
    raw = bytearray(datafile.small_map())
    raw[4 + 4 * field:8 + 4 * field] = (value & 0xFFFFFFFF).to_bytes(4, "little")
    return bytes(raw)


@pytest.mark.parametrize("field,value,name", [
    (0, 7, "version"), (3, -1, "num_item_types"), (4, -5, "num_items"), (5, -1, "num_data"),
    (6, -4, "item_size"), (7, 1 << 30, "data_size")])
def test_a_refusal_names_the_field_and_its_value(box, field, value, name):
    r = box.run(box.add(broken_header(field, value)), box.point())
    assert r.code == 2
    assert str(value) in r.err
    assert name in r.err or name.replace("_", " ") in r.err, r.err


def test_a_file_that_is_no_map_is_refused(box):
    for name, data in (("text.map", b"hello\n"), ("empty.map", b""), ("zeros.map", bytes(4096))):
        r = box.run(box.add(data, name), box.point())
        assert r.code == 2 and len(r.err.splitlines()) == 1, r


def test_a_damaged_blob_gives_eio_for_its_files_only(box):
    raw = bytearray(datafile.small_map())
    f = datafile.Datafile(bytes(raw))
    image = f.of_type(datafile.IMAGE)[0].ints[5]
    raw[f.ranges[image][0] + 10] ^= 0xFF
    m = box.mount(box.add(bytes(raw)))
    assert boxes.refused(m.get, "images/0_checker.png") == errno.EIO
    assert boxes.refused(m.get, "raw/data/%05d" % image) == errno.EIO
    assert m.get("info/author") == b"nobody\n"
    # The rest can still be changed and saved; the save copies the damaged blob.
    m.put("info/author", b"somebody\n")
    m.unmount()
    after = datafile.Datafile.load(m.map)
    assert after.stored[image] == datafile.Datafile(bytes(raw)).stored[image]
    author = f.of_type(datafile.INFO)[0].ints[1]
    assert after.blob(author) == b"somebody\0"


LISTS = {"quads.json": (3, [0] * 34 + [-1, 0, -1, 0]),
         "sources.json": (10, [0] * 6 + [-1, 0, -1, 0, 0, 100, 50])}


@pytest.mark.parametrize("asked", ["cat %s", "ls -l $(dirname %s); cat %s", "stat %s; cat %s",
                                   "find . -size 0; grep -c . %s", "cp %s /dev/null"])
@pytest.mark.parametrize("name", LISTS)
def test_a_damaged_list_never_reads_as_empty(box, name, asked):
    """The kernel reads no bytes from a file of size 0, so the error must show earlier."""
    kind, element = LISTS[name]
    b = datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    b.info(b"nobody")
    b.tiles(2, 2, bytes(16), flags=1, name="Game")
    data = b.blob(struct.pack("<%di" % len(element), *element))
    b.add(datafile.LAYER, [0, kind, 0, 2, 1, data, -1] + datafile.words("list", 3))
    b.group(0, 2)
    raw = bytearray(b.encode())
    raw[datafile.Datafile(bytes(raw)).ranges[data][1] - 1] ^= 0xFF
    copy = box.add(bytes(raw), "small.map")
    m = box.mount(copy)
    path = "groups/0/layers/1_list/" + name
    for round_ in range(2):
        r = subprocess.run(["sh", "-c", asked.replace("%s", path)], cwd=m.point, capture_output=True,
                           text=True)
        assert r.returncode != 0 and "Input/output error" in r.stderr, (round_, r)
        # A save keeps the knowledge about data that it did not write.
        m.put("info/author", b"somebody %d\n" % round_)
        subprocess.run(["sync", m.point], check=True)
    m.put(path, b"[]")
    assert m.get(path) == b"[]"
    sync(m)
    assert m.get(path) == b"[]\n"
    m.unmount()


HIDDEN = {"quads": ("quads.json", [0, 3, 0, 2, 5, 2, -1], "count is 5, and its data holds 3"),
          "sources": ("sources.json", [0, 10, 0, 2, -1, 2, -1], "count is -1, and its data holds 8"),
          "short": ("quads.json", [0, 3, 0, 1, 3, 2], "has 6 integers (at least 7)"),
          "tiles": ("id.csv", [0, 2, 0, 2, 20, 20, 0, 255, 255, 255, 255, -1, 0, -1, 2],
                    "456 bytes are too few for 20 x 20 tiles")}


@pytest.mark.parametrize("name", HIDDEN)
def test_a_layer_explains_its_missing_file(box, name):
    file, ints, why = HIDDEN[name]
    b = datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    b.info(b"nobody")
    b.tiles(2, 2, bytes(16), flags=1, name="Game")
    b.blob(bytes(3 * 152))
    b.add(datafile.LAYER, ints)
    b.group(0, 2)
    copy = box.add(b.encode(), "small.map")
    r = subprocess.run([places.BINARY, "put", copy, "groups/0/layers/1/" + file], input=b"[]", capture_output=True)
    assert r.returncode == 4 and r.stderr.decode().endswith("groups/0/layers/1/%s: not part of a map (%s)\n" % (file, why)), r
    m = box.mount(copy)
    layer = m / "groups/0/layers/1"
    assert os.listdir(layer) == ["layer.json"]
    assert os.getxattr(layer + "/layer.json", "user.mapfs.note").decode() == why
    with pytest.raises(OSError):
        os.getxattr(m / "groups/0/layers/0_Game/layer.json", "user.mapfs.note")
    with open(os.path.join(layer, file), "wb") as f:
        f.write(b"scratch, as ever")
    assert "left/groups/0/layers/1/%s: not part of a map (%s)\n" % (file, why) in m.unmount(code=5).out
    box.allow("small.map.mapfs-left")


@pytest.mark.parametrize("name,data", [("layer.json", b'{"width": 30}'), ("id.csv", (b"1" + b",1" * 19 + b"\n") * 10)])
def test_a_change_that_needs_damaged_tiles_is_refused_and_kept(box, name, data):
    f = datafile.Datafile(datafile.small_map())
    raw = bytearray(f.raw)
    raw[f.ranges[f.of_type(datafile.LAYER)[0].ints[14]][1] - 1] ^= 0xFF
    copy = box.add(bytes(raw), "small.map")
    m = box.mount(copy)
    path = "groups/0_Game/layers/0_Game/" + name
    assert boxes.refused(m.put, path, data) == errno.EINVAL
    box.kill_worker()
    m = box.mount(copy)
    assert m.get(path) == data
    why = m.xattr(path, "user.mapfs.error")
    assert "rescued: small.map.mapfs-left/%s: %s" % (path, why) in m.unmount(code=5).out
    assert boxes.get(copy) == bytes(raw)
    assert boxes.get(copy + ".mapfs-left/" + path) == data
    box.allow("small.map.mapfs-left*")
