# SPDX-License-Identifier: Zlib
"""mapfs check --fix repairs exactly the faults that check marks, and changes nothing else."""
import glob
import json
import lzma
import os
import struct
import subprocess
import sys

import pytest

import archives
import datafile
import ddnet_reader
import places
import share
from datafile import ENVPOINTS, GROUP, IMAGE, INFO, LAYER, MAP_VERSION, Builder, Datafile
from maps import run, tree

GARBAGE = bytes([1, 0, 7, 5])  # a tile: index, flags, skip, reserved


def read_bytes(path):
    with open(path, "rb") as f:
        return f.read()


def check(*args):
    return [json.loads(line) for line in run("check", "--json", "--no-limit", *args).stdout.splitlines()]


def fixable(path):
    return [f for f in check(path) if f["fixable"]]


class Maker(Builder):
    """A valid map that tests damage."""

    def __init__(self, settings=(b"sv_x 1",)):
        super().__init__()
        self.add(MAP_VERSION, [1])
        self.info(b"me", settings=settings)
        self.tiles(4, 3, bytes(48), flags=1, name="Game")
        self.n = 1

    def design(self, data, version=3, name="ground"):
        self.n += 1
        self.tiles(4, 3, data, name=name)
        self.items[-1].ints[3] = version

    def physics(self, kind, data, version=3, unused=bytes(48)):
        self.n += 1
        own = [-1] * 5
        own[ddnet_reader.OWN[kind]] = self.blob(data)
        self.add(LAYER, [0, 2, 0, version, 4, 3, kind, 255, 255, 255, 255, -1, 0, -1, self.blob(unused)]
                 + datafile.words("", 3) + own)

    def finish(self):
        self.group(0, self.n, "Game")
        self.add(ENVPOINTS, [])
        return self.encode()


def made(change, **kw):
    m = Maker(**kw)
    change(m)
    return m.finish()


def pack_tele(m):
    m.physics(2, bytes(range(24)), 4, bytes([0, 0, 11, 0]))


def change_image(w, h, n):
    def change(m):
        m.image(b"x", w, h, bytes(4 * n))
    return change


def set_ids(*ids):
    def change(m):
        for id_ in ids:
            m.add(IMAGE, [1, 1024, 1024, 1, m.blob(b"grass_main\0"), -1], id_)
    return change


def end_settings(m):
    m.data[m.items[1].ints[5]] = b"sv_x 1\0sv_y 2"


def add_group(start, count):
    return lambda m: m.group(start, count, "odd")


def set_size(raw, i, size):
    """Declare another size for data item i."""
    n_types, n_items, n_data = struct.unpack_from("<3i", raw, 16)
    out = bytearray(raw)
    struct.pack_into("<i", out, 36 + 12 * n_types + 4 * n_items + 4 * n_data + 4 * i, size)
    return bytes(out)


def blob_of_author(raw):
    return Datafile(raw).of_type(INFO)[0].ints[1]


def set_author_size(size):
    raw = made(lambda m: None)
    return set_size(raw, blob_of_author(raw), size)


def odd_tables(raw):
    return raw[:8] + struct.pack("<2i", 5, 6) + raw[16:] + b"behind"


def old_tables(raw):
    size, swaplen = struct.unpack_from("<2i", raw, 8)
    n = 4 * struct.unpack_from("<i", raw, 24)[0]
    return raw[:8] + struct.pack("<2i", size - n, swaplen - n) + raw[16:]


def empty_author():
    m = Maker()
    m.data[m.items[1].ints[1]] = b""
    return m.finish()


def layer(i):
    return lambda f: f.of_type(LAYER)[i].ints


def data_of_layer(i, field=14):
    return lambda f: f.blob(f.of_type(LAYER)[i].ints[field])


# name: (map, what it is after the repair, how to look at that). The values follow from the rules of the format alone.
FIXABLE = {
    "skip and reserved": (made(lambda m: m.design(GARBAGE * 12)), bytes([1, 0, 0, 0]) * 12, data_of_layer(1)),
    "padding of speedups": (made(lambda m: m.physics(4, bytes([9, 8, 28, 77, 90, 0]) * 12)),
                            bytes([9, 8, 28, 0, 90, 0]) * 12, data_of_layer(1, 19)),
    "header": (odd_tables(made(lambda m: None)), made(lambda m: None), lambda f: f.raw),
    "header before 2010": (old_tables(made(lambda m: None)), made(lambda m: None), lambda f: f.raw),
    "double ids": (made(set_ids(0, 1, 1)), [0, 1, 2], lambda f: [i.id for i in f.of_type(IMAGE)]),
    "sparse ids": (made(set_ids(7, 65535)), [0, 1], lambda f: [i.id for i in f.of_type(IMAGE)]),
    "unsorted ids": (made(set_ids(1, 0)), [0, 1], lambda f: [i.id for i in f.of_type(IMAGE)]),
    "packed tele": (made(pack_tele), (3, bytes(range(24)), bytes(48)),
                    lambda f: (layer(1)(f)[3], data_of_layer(1, 18)(f), data_of_layer(1)(f))),
    "packed front": (made(lambda m: m.physics(8, bytes([5, 0, 0, 0]) * 12, 4)), 3, lambda f: layer(1)(f)[3]),
    "version 0": (made(lambda m: m.design(bytes(48), 0)), 2, lambda f: layer(1)(f)[3]),
    "version 5": (made(lambda m: m.design(bytes(48), 5)), 3, lambda f: layer(1)(f)[3]),
    "version 5, garbage": (made(lambda m: m.design(GARBAGE * 12, 5)), (3, bytes([1, 0, 0, 0]) * 12),
                           lambda f: (layer(1)(f)[3], data_of_layer(1)(f))),
    "version 5, packed": (made(lambda m: m.design(bytes([1, 0, 11, 0]), 5)), (4, bytes([1, 0, 11, 0])),
                          lambda f: (layer(1)(f)[3], data_of_layer(1)(f))),
    "tele of version 5": (made(lambda m: m.physics(2, bytes(range(24)), 5)), 3, lambda f: layer(1)(f)[3]),
    "settings without an end": (made(end_settings), b"sv_x 1\0sv_y 2\0", lambda f: f.blob(f.of_type(INFO)[0].ints[5])),
    "width": (made(change_image(17, 16, 256)), [16, 16], lambda f: f.of_type(IMAGE)[0].ints[1:3]),
    "height": (made(change_image(32, 24, 32 * 7)), [32, 7], lambda f: f.of_type(IMAGE)[0].ints[1:3]),
    "no width": (made(change_image(0, 16, 256)), [16, 16], lambda f: f.of_type(IMAGE)[0].ints[1:3]),
    "too small a size": (set_author_size(1), b"me\0", lambda f: f.blob(blob_of_author(f.raw))),
    "too large a size": (set_author_size(1000), b"me\0", lambda f: f.blob(blob_of_author(f.raw))),
    "size 0": (set_author_size(0), b"me\0", lambda f: f.blob(blob_of_author(f.raw))),
    "empty data": (empty_author(), b"\0", lambda f: f.blob(blob_of_author(f.raw))),
    "group without layers": (made(add_group(99, 0)), [0, 0], lambda f: f.of_type(GROUP)[0].ints[5:7]),
    "group of less than none": (made(add_group(0, -3)), [0, 0], lambda f: f.of_type(GROUP)[0].ints[5:7]),
}


@pytest.mark.parametrize("name", FIXABLE)
def test_a_fault_is_marked_and_repaired(box, name):
    raw, after, look = FIXABLE[name]
    path = box.add(raw, "made.map")
    marked = check(path)
    # In a layer of an odd version the game cannot read the tiles, either.
    assert marked and all(f["fixable"] or name == "version 5, garbage" for f in marked), marked
    plain = run("check", path).stdout.decode().splitlines()
    assert [line.endswith(" (fixable)") for line in plain] == [f["fixable"] for f in marked]
    r = run("check", "--fix", path)
    assert r.returncode == 0 and r.stderr == b""
    assert all(line.startswith(path + ": repaired ") for line in r.stdout.decode().splitlines()) and r.stdout
    assert look(Datafile.load(path)) == after
    assert check(path) == [] and ddnet_reader.read_map(read_bytes(path)) == (None, [], set())
    fixed = read_bytes(path)
    again = run("check", "--fix", path)
    assert (again.returncode, again.stdout, read_bytes(path)) == (0, b"", fixed)


def shared_data(m):
    m.design(bytes(48))
    m.design(bytes(48))
    m.items[-1].ints[14] = m.items[-2].ints[14]


def rgb_image(m):
    m.add(IMAGE, [1, 16, 10, 0, m.blob(b"x\0"), m.blob(bytes(3 * 16 * 10))])  # or 12 x 10 of four bytes


def old_game_layer(m):
    m.items[-1].ints[3] = (1 << 16) + 72


def two_infos(m):
    m.add(INFO, [1, -1, -1, -1, -1, -1], 0)
    m.items[1].id = 1


def text(value):
    def change(m):
        m.items[1].ints[1] = m.blob(value)
    return change


# Faults without a repair, or with more than one.
LISTED = {
    "a width or a height": (change_image(32, 32, 512), "size"),
    "neither width nor height": (change_image(31, 29, 100), "size"),
    "pixels of three bytes": (rgb_image, "size"),
    "0 x 0": (change_image(0, 0, 256), "size"),
    "too few tiles": (lambda m: m.design(bytes(44)), "data"),
    "tiles that are no packed ones": (lambda m: m.design(bytes([1, 0, 10, 0]), 5), "version"),
    "the version of an old editor": (old_game_layer, "version"),
    "tiles of two layers": (shared_data, "data"),
    "too many layers": (add_group(0, 7), "layers"),
    "layers before the first": (add_group(-1, 1), "layers"),
    "quads that are not all there": (lambda m: m.add(LAYER, [0, 3, 0, 2, 5, m.blob(bytes(152)), -1]
                                                     + datafile.words("", 3)), None),
    "author without an end": (text(b"me"), "text"),
    "small packed tele": (lambda m: m.physics(2, bytes(2), 4), "version"),
}


@pytest.mark.parametrize("name", LISTED)
def test_other_faults_are_listed(box, name):
    change, field = LISTED[name]
    path = box.add(made(change), "made.map")
    found = check(path)
    assert found and not any(f["fixable"] for f in found) and (field is None or field in [f["field"] for f in found])
    before = read_bytes(path)
    plain = run("check", path)
    r = run("check", "--fix", path)
    assert (r.returncode, r.stdout, read_bytes(path)) == (plain.returncode, plain.stdout, before)
    assert b"(fixable)" not in r.stdout


def test_the_info_that_a_game_finds_stays(box):
    """A game takes the info with id 0, which is the second one here."""
    path = box.add(made(two_infos), "made.map")
    before = read_bytes(path)
    assert run("check", "--fix", path).returncode == 0 and read_bytes(path) == before


def test_the_rest_is_listed_and_decides_the_exit_code(box):
    def change(m):
        m.design(GARBAGE * 12)
        m.design(bytes(48))
        m.items[-1].ints[7] = 300
    path = box.add(made(change), "made.map")
    layers = "groups/0_Game/layers/"
    r = run("check", "--fix", path)
    assert r.returncode == 2 and r.stdout.decode().splitlines() == [
        "%s: repaired %s1_ground: set unused bytes of its tiles to 0" % (path, layers),
        "%s: error: %s2_ground: color[0] is 300 (0 to 255)" % (path, layers)]
    assert run("check", path).stdout.decode() == "%s: error: %s2_ground: color[0] is 300 (0 to 255)\n" % (path, layers)


def test_json_has_the_repairs(box):
    path = box.add(made(lambda m: m.design(GARBAGE * 12)), "made.map")
    before = check(path)
    r = run("check", "--fix", "--json", path)
    assert [json.loads(line) for line in r.stdout.splitlines()] == [{**before[0], "level": "repaired"}]
    assert before[0]["fixable"] is True and len(before) == 1


def test_a_shared_layer_is_copied(box):
    def change(m):
        m.design(GARBAGE * 12, name="shared")
        m.group(1, 1, "first")
        m.n = 2
    path = box.add(made(change), "made.map")
    assert [f["field"] for f in fixable(path)] == ["group", "skip"]
    before = picture(path)
    r = run("check", "--fix", path)
    assert r.returncode == 0 and r.stdout.count(b": repaired ") == 2
    f = Datafile.load(path)
    assert [g.ints[5:7] for g in f.of_type(GROUP)] == [[0, 1], [1, 2]]
    first, _, copy = f.of_type(LAYER)
    assert f.blob(first.ints[14]) == f.blob(copy.ints[14]) == bytes([1, 0, 0, 0]) * 12
    assert first.ints[14] != copy.ints[14] and first.ints[15:18] == copy.ints[15:18]
    assert ddnet_reader.read_map(f.raw) == (None, [], set()) and check(path) == [] and picture(path) == before


def share_tele(m):
    m.physics(2, bytes(24))
    m.group(1, 1, "first")


def share_and_exceed(m):
    m.design(bytes(48))
    m.group(1, 1, "first")
    m.group(0, 9, "far")


@pytest.mark.parametrize("change", [share_tele, share_and_exceed])
def test_a_shared_layer_stays_if_nothing_tells_where_it_belongs(box, change):
    path = box.add(made(change), "made.map")
    before = read_bytes(path)
    assert "group" in [f["field"] for f in check(path)] and fixable(path) == []
    assert run("check", "--fix", path).returncode == 2 and read_bytes(path) == before


def test_warnings_that_a_repair_reveals_are_listed_once(box):
    """The tiles of the layer have an image again, which they cannot use."""
    def change(m):
        m.image(b"x", 17, 18, bytes(4 * 17 * 15))
        m.design(bytes(48))
        m.items[-1].ints[13] = 0
    path = box.add(made(change), "made.map")
    r = run("check", "--fix", path)
    assert r.returncode == 0 and r.stdout.decode().splitlines() == [
        path + ": repaired images/0_x.json: its size is 17 x 15 now",
        path + ": warning: groups/0_Game/layers/1_ground: its image has 17 x 15 pixels (multiples of 16)"]


def test_long_reports_end_with_a_number(box):
    def change(m):
        for _ in range(105):
            m.design(GARBAGE * 12)
    path = box.add(made(change), "made.map")
    r = run("check", "--fix", "-n", path)
    assert len(r.stdout.splitlines()) == 101 and r.stdout.endswith(b": repaired faults: and 5 more\n")
    assert len(run("check", "--fix", "--no-limit", path).stdout.splitlines()) == 105 and check(path) == []


def picture(path):
    return run("preview", "--size", "256", path, "-").stdout


def test_n_writes_nothing(box):
    path = box.add(made(lambda m: m.design(GARBAGE * 12)), "made.map")
    before = read_bytes(path)
    dry = run("check", "--fix", "-n", path)
    assert read_bytes(path) == before
    r = run("check", "--fix", path)
    assert (dry.returncode, dry.stdout) == (r.returncode, r.stdout) and read_bytes(path) != before


def test_output_gets_the_repaired_map(box):
    path = box.add(made(lambda m: m.design(GARBAGE * 12)), "made.map")
    out, before = os.path.join(box.root, "out.map"), read_bytes(path)
    r = run("check", "--fix", "--output", out, path)
    assert r.returncode == 0 and b": repaired " in r.stdout and read_bytes(path) == before
    assert check(out) == []
    stream = run("check", "--fix", "--output", "-", path)
    assert stream.stdout == read_bytes(out) and stream.stderr == r.stdout
    assert run("check", "--fix", path).stdout == r.stdout and read_bytes(path) == read_bytes(out)


def test_maps_of_a_folder_are_repaired(box):
    top = os.path.join(box.root, "all")
    os.makedirs(top + "/below")
    good, bad = made(lambda m: None), made(lambda m: m.design(GARBAGE * 12))
    for name, raw in (("a.map", bad), ("below/b.map", good), ("c.map", b"no map"), ("d.map", good + b"x")):
        with open(os.path.join(top, name), "wb") as f:
            f.write(raw)
    r = run("check", "--fix", top)
    assert r.returncode == 2
    lines = r.stdout.decode().splitlines()
    assert [line.split(": ")[0][len(top) + 1:] for line in lines] == ["a.map", "c.map", "d.map"]
    assert lines[1].startswith(top + "/c.map: error: ")
    assert r.stderr.decode() == "mapfs: %s/c.map: cannot be fixed: its tables cannot be read\n" % top
    assert read_bytes(top + "/below/b.map") == good and read_bytes(top + "/d.map") == good
    assert read_bytes(top + "/c.map") == b"no map" and check(top + "/a.map") == []


def test_a_map_that_is_mounted_for_writing_is_busy(box):
    path = box.add(made(lambda m: m.design(GARBAGE * 12)), "made.map")
    m = box.mount(path)
    before = read_bytes(path)
    r = run("check", "--fix", path)
    assert r.returncode == 7 and r.stdout == b"" and read_bytes(path) == before
    assert len(fixable(path)) == 1
    m.unmount()
    assert run("check", "--fix", path).returncode == 0


def test_other_formats_have_no_repairs(box):
    path = box.add(archives.small_mod(), "S.MOD")
    r = run("check", "--fix", path)
    assert r.returncode == 2 and r.stderr.decode() == "mapfs: %s: fix is not supported for this format\n" % path
    assert all(f["fixable"] is False for f in check(path))


@pytest.mark.parametrize("args", [("--output", "x"), ("-n",), ("--fix=all",), ("--fix", "--output", "x", "y"),
                                  ("--fix", "-o", "ro")], ids=" ".join)
def test_wrong_options_are_refused(box, small, args):
    before = read_bytes(small)
    r = run("check", *args, small, cwd=box.root)
    assert r.returncode == 1 and r.stderr.startswith(b"mapfs: ") and read_bytes(small) == before
    assert not os.path.exists(os.path.join(box.root, "x"))


SETTINGS = [b"sv_deepfli 0", b"sv_taem 1; sv_team 1 # sv_x", b'"sv_hti" 1', b"tune gravty 0.5", b"tune_zone 1 hook_lenght 2",
            b"sv_hot_team 1", b"motd sv_hitt sv_hitt", b"sv_hit 1", b"", b"sv_te 1", b"sv_hiit sv_hiit", b"tune ground_elasticity_z 1"]
REPAIRED = [b"sv_deepfly 0", b"sv_team 1; sv_team 1 # sv_x", b'"sv_hit" 1', b"tune gravity 0.5",
            b"tune_zone 1 hook_length 2", b"sv_hot_team 1", b"motd sv_hitt sv_hitt", b"sv_hit 1", b"", b"sv_te 1",
            b"sv_hiit sv_hiit", b"tune ground_elasticity_z 1"]


def test_misspelt_settings_are_repaired_on_request(box):
    path = box.add(made(lambda m: None, settings=SETTINGS), "made.map")
    before = read_bytes(path)
    assert check(path) == [] and run("check", "--fix", path).stdout == b"" and read_bytes(path) == before
    r = run("check", "--fix=settings", path)
    where = path + ": repaired info/settings.cfg: line "
    assert r.returncode == 0 and r.stdout.decode().splitlines() == [
        where + line for line in ("1: sv_deepfli is sv_deepfly now", "2: sv_taem is sv_team now",
                                  "3: sv_hti is sv_hit now", "4: gravty is gravity now",
                                  "5: hook_lenght is hook_length now")]
    f = Datafile.load(path)
    assert f.blob(f.of_type(INFO)[0].ints[5]) == b"".join(s + b"\0" for s in REPAIRED)
    after = read_bytes(path)
    assert run("check", "--fix=settings", path).stdout == b"" and read_bytes(path) == after


def test_misspelt_settings_without_an_end_are_repaired_too(box):
    def change(m):
        m.data[m.items[1].ints[5]] = b"sv_hti 1\0sv_taem 2"
    path = box.add(made(change), "made.map")
    assert run("check", "--fix=settings", path).stdout.count(b": repaired ") == 3
    f = Datafile.load(path)
    assert f.blob(f.of_type(INFO)[0].ints[5]) == b"sv_hit 1\0sv_team 2\0"


def corpus():
    """All small and odd maps, and a share of the real ones."""
    odd = [p for kind in ("teeworlds/crafted", "found") for p in glob.glob("%s/corpus/%s/*.map" % (places.SHARED, kind))]
    if share.ALL:  # these take minutes
        odd += glob.glob(places.SHARED + "/corpus/hostile/*.map.xz")
    real = glob.glob(places.CORPUS + "/maps/*.map") + places.debian_maps()
    paths = sorted(odd) + (real if share.ALL else [p for p in real if os.path.getsize(p) < 300_000][::6])
    if not paths:
        return [pytest.param(None, id="none", marks=pytest.mark.skip(reason=places.NO_MAPS))]
    return [pytest.param(p, id=os.path.basename(p)) for p in paths]


def put_copy(box, path):
    if not path.endswith(".xz"):
        return box.add(read_bytes(path), os.path.basename(path))
    with lzma.open(path) as f:
        return box.add(f.read(), os.path.basename(path)[:-3])


def planes(path, top):
    """The cells of all layers."""
    run("extract", "-o", "raw=off", path, top, "groups/*/layers/*/*.csv")
    return {p: v[3] for p, v in tree(top).items() if v[3] is not None}


# What comes back: an image, and the tiles of a layer with a wrong size.
SHOWN_AGAIN = {"b02_image_overflow_dims.map", "b04_data_size_too_small.map", "b05_data_size_too_big.map",
               "b07_bomb_claims_2g.map"}


@pytest.mark.parametrize("path", corpus())
def test_after_a_repair_nothing_is_fixable(box, path):
    copy = put_copy(box, path)
    before, marked = read_bytes(copy), fixable(copy)
    seen, cells = (picture(copy), planes(copy, os.path.join(box.root, "before"))) if marked else (None, None)
    r = run("check", "--fix", "--no-limit", copy)
    fixed, rest = read_bytes(copy), run("check", "--no-limit", copy)
    assert (fixed != before) == bool(marked) and r.returncode == rest.returncode
    assert [line for line in r.stdout.splitlines() if b": repaired " not in line] == rest.stdout.splitlines()
    assert b"(fixable)" not in rest.stdout
    assert run("check", "--fix", "--no-limit", copy).stdout == rest.stdout and read_bytes(copy) == fixed
    if fixed != before:
        assert planes(copy, os.path.join(box.root, "after")) == cells
        assert picture(copy) == seen or os.path.basename(path) in SHOWN_AGAIN
        refused = ddnet_reader.read_map(fixed).refused
        assert (refused is None) == (run("check", copy).returncode == 0)


# What the checker says of the tables that a repair writes.
TABLES = ("header_size", "swaplen", "item_ids_not_0_up", "duplicate_item_id", "item_gap", "item_size_differs",
          "data_size_zero", "data_offset", "type_num", "trailing")


@pytest.mark.parametrize("path", corpus())
def test_a_strict_checker_finds_sound_tables(box, path):
    checker = os.path.join(places.SHARED, "tools", "twcheck.py")
    if not os.path.exists(checker):
        pytest.skip(places.NO_SHARED)
    copy = put_copy(box, path)
    run("check", "--fix", copy)
    if read_bytes(copy) == read_bytes(path):
        return
    r = subprocess.run([sys.executable, checker, copy], capture_output=True, text=True, timeout=100)
    assert [a for a in json.loads(r.stdout)["anomalies"] if a["c"].startswith(TABLES)] == []


def test_a_map_of_a_generator_is_repaired(box):
    path = box.add(read_bytes(places.found_map("ld_generated.map")), "ld.map")
    assert ddnet_reader.read_map(read_bytes(path)).refused == "tiles"
    r = run("check", "--fix", path)
    assert r.returncode == 0 and r.stdout.count(b": repaired groups/") == 4
    assert ddnet_reader.read_map(read_bytes(path)) == (None, [], set())
