# SPDX-License-Identifier: Zlib
"""mapfs tidy and mapfs du, compared with an independent reader (datafile.py) and DDNet's own tool."""
import collections
import glob
import hashlib
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess

import pytest

import datafile
import maps
import picture
import places
import share
from datafile import ENVELOPE, ENVPOINTS, GROUP, IMAGE, INFO, LAYER, MAP_VERSION, SOUND, UUID_INDEX, Builder, Datafile
from test_games import loads

BEZIER = bytes.fromhex("3ab4f84dd9cc3c78b5850d6ccdb2e25c")
UNUSED = "nothing uses it"


def run(*args, code=0):
    r = maps.run(*map(str, args))
    assert r.returncode == code, (args, r.returncode, r.stdout[-2000:], r.stderr[-2000:])
    return r.stdout.decode(), r.stderr.decode()


def size(path):
    return os.path.getsize(path)


def read_bytes(path):
    with open(path, "rb") as f:
        return f.read()


# The visible content of a map, without any numbers.

def stride(f):
    return 22 if any(e.ints[0] >= 3 for e in f.of_type(ENVELOPE)) else 6


def tangents(f, n):
    for index in f.of_type(UUID_INDEX):
        if struct.pack(">4i", *index.ints[:4]) == BEZIER:
            return next((i.ints for i in f.of_type(index.id) if len(i.ints) == 16 * n), None)
    return None


def image(f, i):
    ints = i.ints
    return (f.blob(ints[4]), *ints[1:4], *ints[6:], f.blob(ints[5]) if ints[3] == 0 and f.has_blob(ints[5]) else None)


def sound(f, i):
    return f.blob(i.ints[2]), i.ints[1], f.blob(i.ints[3]) if i.ints[1] == 0 and f.has_blob(i.ints[3]) else None


def envelope(f, i):
    all_points = f.of_type(ENVPOINTS)[0].ints
    n = stride(f)
    more = tangents(f, len(all_points) // n)
    start, end = i.ints[2], i.ints[2] + i.ints[3]
    return (i.ints[:2], i.ints[3:], all_points[n * start:n * end], more and more[16 * start:16 * end])


def named(f, type_, ref):
    all_of = f.of_type(type_)
    return {IMAGE: image, SOUND: sound, ENVELOPE: envelope}[type_](f, all_of[ref]) if 0 <= ref < len(all_of) else None


def layer(f, item):
    v = list(item.ints)
    for k in datafile.data_fields(item):
        v[k] = f.blob(v[k]) if f.has_blob(v[k]) else None
    if v[1] == 2 and len(v) > 14:
        v[13], v[11] = named(f, IMAGE, v[13]), named(f, ENVELOPE, v[11])
    elif v[1] in (3, 9, 10):
        words, refs = {3: (38, (34, 36)), 10: (13, (6, 8)), 9: (9, (5, 7))}[v[1]]
        data, elements = v[5] or b"", []
        for at in range(0, 4 * words * v[4], 4 * words):
            e = list(struct.unpack_from("<%di" % words, data, at))
            for r in refs:
                e[r] = named(f, ENVELOPE, e[r])
            elements.append(e)
        v[5], v[6] = elements, named(f, IMAGE if v[1] == 3 else SOUND, v[6])
    return v


def visible_content(f):
    info = [[f.blob(v) if k and f.has_blob(v) else v for k, v in enumerate(i.ints)] for i in f.of_type(INFO)]
    return info, [g.ints for g in f.of_type(GROUP)], [layer(f, i) for i in f.of_type(LAYER)]


def objects(f):
    return collections.Counter(repr((t, made(f, i))) for t, made in ((IMAGE, image), (SOUND, sound), (ENVELOPE, envelope))
                               for i in f.of_type(t))


def tidy_or_skip(path, out, *options):
    """Tidy a map to out and return the output; skip the test if the map is not valid or only shown in raw/."""
    r = maps.run("tidy", *options, path, str(out))
    if r.returncode == 2:
        assert len(set(r.stderr.splitlines())) <= 2 and not os.path.exists(out)
        if b"only raw/" not in r.stderr:
            assert maps.run("ls", path).returncode == 2
        pytest.skip("it does not open, or there is only raw/")
    assert r.returncode in (0, 5), r.stderr
    return r.stdout.decode().splitlines()


def unnumbered(lines):
    return collections.Counter(re.sub(r"/\d+", "/", re.sub(": (nothing uses it|the same as).*", "", line))
                               for line in lines)


def picture_of(path, *options):
    r = maps.run("preview", "-o", "mapres=/usr/share/games", *options, str(path))
    return r.returncode, r.stdout


@pytest.mark.parametrize("path", places.each_debian_map() + places.each_corpus_map())
def test_a_tidied_map_shows_the_same(tmp_path, path):
    out = tmp_path / "out.map"
    lines = tidy_or_skip(path, out)
    before, after = Datafile.load(path), Datafile.load(out)
    assert size(out) <= size(path)
    if not lines:
        assert read_bytes(out) == read_bytes(path)
        return
    assert visible_content(after) == visible_content(before)
    removed = sum(bool(re.match("removed (images|sounds|envelopes)/", line)) for line in lines)
    assert sum(objects(before).values()) - sum(objects(after).values()) == removed
    assert not objects(after) - objects(before)
    for options in ((), ("--entities",)):
        assert picture_of(out, *options) == picture_of(path, *options)
    # The program's own diff shows only removed parts, and layers that refer by a number alone to an object whose
    # number changed. Among objects without a name it cannot find the right one.
    # has another now. Which of those without a name it is, it cannot know.
    r = maps.run("diff", "-q", "-o", "raw=off", path, str(out))
    reported = [line for line in r.stdout.decode().splitlines()
            if not re.match(r"changed groups/.*/(layer|quads|sources)\.json$|moved envelopes/\d+\.json", line)]
    assert r.returncode in (0, 1) and not unnumbered(reported) - unnumbered(lines), reported
    # A second tidy finds nothing.
    again = tmp_path / "again.map"
    assert run("tidy", out, again)[0] == "" and read_bytes(again) == read_bytes(out)


@pytest.mark.parametrize("path", places.each_debian_map() + places.each_corpus_map())
def test_pixels_are_those_of_map_optimize(tmp_path, monkeypatch, path):
    tool = places.ddnet_tool("map_optimize")
    monkeypatch.chdir(tmp_path)
    tidy_or_skip(path, "tidied.map")
    if size("tidied.map") > 600_000 and not share.ALL:
        pytest.skip("a large one: MAPFS_TEST_ALL=1")
    left = maps.run("tidy", "--pixels", "--hash-names", path, "ours.map").returncode == 5
    r = subprocess.run([tool, "tidied.map", "theirs.map"], capture_output=True, timeout=600,
                       env=dict(os.environ, HOME=str(tmp_path)))
    made = glob.glob("**/theirs.map", recursive=True)
    if r.returncode or not made:
        pytest.skip("map_optimize ends in the middle of it")
    ours, theirs, tidied = Datafile.load("ours.map"), Datafile.load(made[0]), Datafile.load("tidied.map")
    assert len(ours.of_type(IMAGE)) == len(theirs.of_type(IMAGE))
    for a, b, was in zip(ours.of_type(IMAGE), theirs.of_type(IMAGE), tidied.of_type(IMAGE)):
        if left or was.ints[3] or b"entities" in tidied.blob(was.ints[4]):
            continue
        assert ours.blob(a.ints[5]) == theirs.blob(b.ints[5]), was.ints
        assert (a.ints[4] < 0) == (b.ints[4] < 0), was.ints
        if b.ints[4] < 0:
            continue
        name = theirs.blob(b.ints[4]).rstrip(b"\0")
        assert ours.blob(a.ints[4]) == (name + b"\0" if len(name) < 128 else tidied.blob(was.ints[4]))
    again = run("tidy", "--pixels", "--hash-names", "ours.map", "again.map", code=5 if left else 0)
    assert again[0] == "" and read_bytes("again.map") == read_bytes("ours.map")
    if not left:
        assert size("ours.map") <= 1.02 * size(made[0])


def test_a_tidied_corpus_is_no_larger_than_by_map_optimize(tmp_path, monkeypatch):
    tool = places.ddnet_tool("map_optimize")
    monkeypatch.chdir(tmp_path)
    paths = glob.glob(places.CORPUS + "/maps/*.map")
    if not paths:
        pytest.skip(places.NO_SHARED)
    ours = theirs = n = 0
    for path in paths if share.ALL else sorted(paths, key=size)[:25]:
        shutil.rmtree("out", ignore_errors=True)
        r = subprocess.run([tool, path, "theirs.map"], capture_output=True, timeout=600,
                           env=dict(os.environ, HOME=str(tmp_path)))
        made = glob.glob("out/**/theirs.map", recursive=True)
        if r.returncode or not made or maps.run("tidy", "--pixels", path, "ours.map").returncode:
            continue
        ours, theirs, n = ours + size("ours.map"), theirs + size(made[0]), n + 1
    assert n > 10 and ours <= theirs


# ---- maps made for one test each

def point(time, value):
    return [time, 1, value, 0, 0, 0]


def envelope_ints(start, count, name="", channels=4):
    return [2, channels, start, count] + datafile.words(name, 8) + [1]


def quad(envelope=-1):
    return struct.pack("<38i", *[0] * 34, envelope, 0, -1, 0)


def base():
    b = Builder()
    b.add(MAP_VERSION, [1])
    b.info(b"nobody")
    return b


def game(b):
    b.tiles(4, 3, bytes([1, 0, 0, 0]) * 12, flags=1, name="Game")
    return len([i for i in b.items if i.type == LAYER]) - 1


def write(path, b, **kw):
    with open(path, "wb") as f:
        f.write(b.encode(**kw))
    return path


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path


def map_with_duplicates():
    """A map with two images, sounds and envelopes of each kind: used, a used copy, and unused."""
    b = base()
    rng = random.Random(1)
    red, blue = rng.randbytes(16 * 16 * 4), rng.randbytes(16 * 16 * 4)
    for name, pixels in ((b"red", red), (b"red", red), (b"red", blue), (b"blue", red), (b"old", blue),
                         (b"my_entities", red)):
        b.image(name, 16, 16, pixels)
    for name in (b"bell", b"bell", b"old"):
        b.sound(name, datafile.opus_head() + b"x" * 50)
    for i, name in enumerate(("glow", "glow", "glow", "old", "glow")):
        b.add(ENVELOPE, envelope_ints(2 * i, 2, name))
    b.add(ENVPOINTS, [n for i in range(5) for n in point(0, 7) + point(1000, 9 if i == 2 else 8)])
    game(b)
    for i in range(4):
        b.tiles(2, 2, bytes([i + 1, 0, 0, 0]) * 4, image=i)
        b.items[-1].ints[11] = (0, 1, 2, 4)[i]
    b.add(LAYER, [0, 3, 0, 2, 3, b.blob(quad(0) + quad(1) + quad(2)), 1] + datafile.words("q", 3))
    b.add(LAYER, [0, 10, 0, 1, 1, b.blob(struct.pack("<13i", *[0] * 6, 1, 0, -1, 0, 0, 0, 0)), 1] +
          datafile.words("s", 3))
    b.group(0, 7, "Game")
    b.blob(b"nobody knows" * 9)
    return b


def test_duplicate_and_unused_parts_are_removed_and_the_rest_stays(here):
    write("a.map", map_with_duplicates())
    before = read_bytes("a.map")
    out, err = run("tidy", "-n", "a.map")
    assert read_bytes("a.map") == before and not err
    assert run("tidy", "a.map") == (out, "")
    lines = [line for line in out.splitlines() if not line.startswith("compressed")]
    assert lines[:-1] == ["removed images/1_red.png: the same as images/0_red.png",
                          "removed sounds/1_bell.opus: the same as sounds/0_bell.opus",
                          "removed envelopes/1_glow.json: the same as envelopes/0_glow.json",
                          "removed envelopes/4_glow.json: the same as envelopes/0_glow.json",
                          "removed images/4_old.png: nothing uses it",
                          "removed sounds/2_old.opus: nothing uses it",
                          "removed envelopes/3_old.json: nothing uses it"]
    assert lines[-1] == "removed raw/data/%05d: nothing refers to it" % (len(map_with_duplicates().data) - 1)
    f = Datafile.load("a.map")
    assert visible_content(f) == visible_content(Datafile(before))
    assert [len(f.of_type(t)) for t in (IMAGE, SOUND, ENVELOPE)] == [4, 1, 2]
    assert [i.ints[13] for i in f.of_type(LAYER)[1:5]] == [0, 0, 1, 2]
    assert len(f.of_type(ENVPOINTS)[0].ints) == 4 * 6
    assert run("tidy", "a.map") == ("", "")


def test_duplicates_are_reported_in_the_order_of_the_map(here):
    b = base()
    names = ["p%02d" % i for i in range(20)]
    for name in names + names:
        b.image(name.encode(), 16, 16, name.encode() * 341 + b"x")
    game(b)
    for i in range(40):
        b.tiles(2, 2, bytes([1, 0, 0, 0]) * 4, image=i)
    b.group(0, 41, "Game")
    write("a.map", b)
    assert [line for line in run("tidy", "a.map")[0].splitlines() if "the same as" in line] == [
        "removed images/%d_%s.png: the same as images/%02d_%s.png" % (20 + i, name, i, name) for i, name in enumerate(names)]


def test_keep_names_parts_that_stay(here):
    write("a.map", map_with_duplicates())
    out = run("tidy", "-n", "--keep", "sounds/*", "--keep", "images/4_old.png", "a.map")[0]
    assert "sounds/" not in out and "4_old" not in out and "removed images/1_red.png" in out


def assert_only_compressed(path):
    before = Datafile.load(path)
    for options in ((), ("--layers",), ("--pixels", "--in-place"), ("--external",)):
        r = maps.run("tidy", "-n", *options, path)
        assert b"removed" not in r.stdout and b"cut" not in r.stdout, r
    run("tidy", "--layers", path)
    after = Datafile.load(path)
    assert [i.key() for i in before.items] == [i.key() for i in after.items] and before.blobs() == after.blobs()


def test_numbered_parts_stay_if_an_unknown_item_may_refer_to_them(here):
    b = map_with_duplicates()
    b.add(9, [4, 2])
    assert_only_compressed(write("type.map", b))
    b = map_with_duplicates()
    b.add(LAYER, [0, 4, 0, 3, 4, 4, 0, 255, 255, 255, 255, -1, 0, 4, len(b.data) - 1])
    assert_only_compressed(write("layer.map", b))
    b = map_with_duplicates()
    quads = next(i for i in b.items if i.type == LAYER and i.ints[1] == 3)
    quads.ints[4] = 99
    assert_only_compressed(write("short.map", b))


def test_a_layer_that_only_raw_shows_counts_as_a_use(here):
    b = map_with_duplicates()
    b.tiles(2, 2, bytes([1, 0, 0, 0]) * 4, image=4)
    b.items[-1].ints[11] = 3
    out = run("tidy", "-n", write("a.map", b))[0]
    assert "4_old" not in out and "3_old" not in out and "sounds/2_old" in out


def test_invisible_parts_of_layers_are_removed(here):
    b = base()
    b.image(b"set", 16, 16, bytes(range(256)) * 4)
    only = game(b)
    assert only == 0
    some = bytearray(4 * 9 * 8)
    for x, y in ((1, 0), (3, 2)):
        some[4 * (9 * y + x)] = 7
    b.tiles(9, 8, bytes(some), image=0, name="some")
    one = bytearray(4 * 9 * 8)
    one[4 * 8] = 1
    b.tiles(9, 8, bytes(one), image=0, name="edge")
    b.tiles(9, 8, bytes(4 * 9 * 8), image=0, name="none")
    b.group(0, 4, "Game")
    b.add(LAYER, [0, 3, 0, 2, 0, -1, 0] + datafile.words("q", 3))
    b.group(4, 1, "back")
    b.group(5, 0, "void")
    b.tiles(2, 2, bytes(16), image=0, name="air")
    b.tiles(2, 2, bytes([2, 0, 0, 0]) * 4, image=0, name="full")
    b.tiles(2, 2, bytes(16), image=0, name="more")
    b.group(5, 3, "last")
    write("a.map", b)
    before = picture_of("a.map")
    assert "groups" not in run("tidy", "-n", "a.map")[0]
    out = run("tidy", "--layers", "a.map")[0].splitlines()
    assert [line for line in out if not line.startswith("compressed")] == [
        "shrunk groups/0_Game/layers/1_some: 5 x 4 tiles instead of 9 x 8",
        "shrunk groups/0_Game/layers/2_edge: 9 x 2 tiles instead of 9 x 8",
        "removed groups/0_Game/layers/3_none: it has no tiles",
        "removed groups/1_back/layers/0_q: it has no quads",
        "removed groups/3_last/layers/0_air: it has no tiles", "removed groups/3_last/layers/2_more: it has no tiles",
        "removed groups/1_back: it has no layers", "removed groups/2_void: it has no layers"]
    assert picture_of("a.map") == before
    f = Datafile.load("a.map")
    assert [i.ints[4:6] for i in f.of_type(LAYER)] == [[4, 3], [5, 4], [9, 2], [2, 2]]
    assert [g.ints[5:7] for g in f.of_type(GROUP)] == [[0, 3], [3, 1]]
    rows = [f.blob(f.of_type(LAYER)[1].ints[14])[20 * y:20 * y + 20] for y in range(4)]
    assert rows == [bytes(some[36 * y:36 * y + 20]) for y in range(4)]
    assert run("tidy", "--layers", "a.map") == ("", "")


def test_layers_in_two_groups_keep_everything(here):
    """A save makes two copies of each such layer, and no game accepts the map unchanged."""
    b = map_with_duplicates()
    b.group(0, 1, "again")
    b.group(5, 0, "void")
    before = size(write("a.map", b))
    for options in ((), ("--layers",), ("--pixels", "--in-place")):
        assert not re.search("removed (?!raw/data/)", run("tidy", *options, "a.map")[0])
        assert size("a.map") <= before


def test_an_empty_game_layer_stays(here):
    b = base()
    b.tiles(4, 3, bytes(48), flags=1)
    b.tiles(4, 3, bytes(48), flags=8)
    b.items[-1].ints[-3] = b.items[-1].ints[14]
    b.group(0, 2, "Game")
    write("a.map", b)
    assert "groups" not in run("tidy", "--layers", "a.map")[0]


def write_png(path, w, h, pixels):
    with open(path, "wb") as f:
        f.write(picture.png(w, h, pixels))


def test_images_become_external_and_embedded(here):
    rng = random.Random(2)
    pixels = bytearray(rng.randbytes(32 * 32 * 4))
    b = base()
    b.external(b"tiles", 1024, 1024)
    b.external(b"nowhere")
    b.external(b"../tiles")
    game(b)
    for i in range(3):
        b.tiles(4, 3, bytes([1, 0, 0, 0]) * 12, image=i)
    b.group(0, 4, "Game")
    write("a.map", b)
    os.mkdir("mapres")
    write_png("mapres/tiles.png", 32, 32, bytes(pixels))
    write_png("tiles.png", 32, 32, bytes(pixels))
    out, err = run("tidy", "--embed", "--mapres", "mapres", "a.map", "b.map", code=5)
    assert "embedded images/0_tiles.json: from the game\n" in out
    assert ["images/1_nowhere.json" in err, err.count("unchanged")] == [True, 2]
    f = Datafile.load("b.map")
    assert image(f, f.of_type(IMAGE)[0]) == (b"tiles\0", 32, 32, 0, bytes(pixels))
    # A different picture, and one that differs only in invisible pixels.
    assert "external" not in run("tidy", "--external", "b.map", "c.map")[0]
    for i in range(0, len(pixels), 4):
        if pixels[i + 3] <= 10:
            pixels[i] ^= 1
    write_png("mapres/tiles.png", 32, 32, bytes(pixels))
    assert "external images/0_tiles.png: the game has the same\n" in run(
        "tidy", "--external", "--mapres", "mapres", "b.map", "c.map")[0]
    f = Datafile.load("c.map")
    assert image(f, f.of_type(IMAGE)[0]) == (b"tiles\0", 32, 32, 1, None)
    pixels[next(i for i in range(0, len(pixels), 4) if pixels[i + 3] > 10)] ^= 1
    write_png("mapres/tiles.png", 32, 32, bytes(pixels))
    assert "external" not in run("tidy", "--external", "--mapres", "mapres", "b.map", "d.map")[0]


def test_images_of_the_games_are_known(here):
    if not os.path.exists("/usr/share/games/ddnet/data/mapres/grass_main.png"):
        pytest.skip(places.NO_MAPS)
    b = base()
    b.external(b"grass_main")
    game(b)
    b.tiles(4, 3, bytes([1, 0, 0, 0]) * 12, image=0)
    b.group(0, 2, "Game")
    write("a.map", b)
    assert "embedded images/0_grass_main.json" in run("tidy", "--embed", "a.map", "b.map")[0]
    assert size("b.map") > 10 * size("a.map")
    assert "external images/0_grass_main.png" in run("tidy", "--external", "b.map", "c.map")[0]
    f = Datafile.load("c.map")
    assert image(f, f.of_type(IMAGE)[0]) == (b"grass_main\0", 1024, 1024, 1, None) and size("c.map") <= size("a.map")


def test_hash_names_are_hashes_of_the_visible_pixels(here):
    rng = random.Random(3)
    pixels = rng.randbytes(32 * 32 * 4)
    b = base()
    b.image(b"set", 32, 32, pixels)
    b.image(b"n" * 70, 32, 32, pixels)
    game(b)
    for i in range(2):
        b.tiles(4, 3, bytes([17, 0, 0, 0]) * 12, image=i)
    b.group(0, 3, "Game")
    write("a.map", b)
    out, err = run("tidy", "--pixels", "--hash-names", "a.map", "b.map", code=5)
    assert err.splitlines() == ["mapfs: a.map: unchanged: images/1_%s.png: not renamed: with the hash, its name would have 139 bytes "
                                "(at most 127)" % ("n" * 70)]
    out = out.splitlines()
    seen = b"".join(pixels[i:i + 4] if pixels[i + 3] else bytes(4) for i in range(0, len(pixels), 4))
    name = "set_cut_" + hashlib.sha256(seen).hexdigest()
    assert out[0] == "cut images/0_set.png: 255 of 256 cells that no tile shows"
    assert out[1] == "renamed images/0_set.png: " + name
    f = Datafile.load("b.map")
    assert [f.blob(i.ints[4]) for i in f.of_type(IMAGE)] == [name.encode() + b"\0", b"n" * 70 + b"\0"]
    left = f.blob(f.of_type(IMAGE)[0].ints[5])
    for i in range(0, len(pixels), 4):
        x, y = i // 4 % 32, i // 128
        if (x // 2, y // 2) != (1, 1):
            assert left[i:i + 4] == bytes(4)
        elif pixels[i + 3]:
            assert left[i:i + 4] == pixels[i:i + 4]


def test_wrong_arguments_are_refused(here):
    write("a.map", map_with_duplicates())
    for args in (("--pixels", "a.map"), ("--hash-names", "a.map"), ("--external", "--embed", "a.map"),
                 ("a.map", "b.map", "c.map"), ("-o", "ro", "a.map")):
        assert run("tidy", *args, code=1)[1].count("\n") == 1
    assert "none: No such file" in run("tidy", "--embed", "--mapres", "none", "a.map", code=2)[1]
    (here / "bad.map").write_bytes(read_bytes("a.map")[:200])
    assert read_bytes("bad.map") == read_bytes("a.map")[:200]
    for command in ("tidy", "du"):
        assert run(command, "bad.map", code=2)[1].count("\n") == 1
    for path in glob.glob(os.path.join(places.SHARED, "corpus", "triclon", "le_count*.tcm"))[:1] + glob.glob(
            os.path.join(places.SHARED, "corpus", "torchlight", "mods", "*"))[:1]:
        shutil.copy(path, ".")
        for command, why in (("tidy", "tidy is not supported for this format"), ("du", "du is not supported for this format")):
            out, err = run(command, os.path.basename(path), code=2)
            assert not out and why in err.splitlines()[-1]


def test_damaged_data_stays_unchanged(here):
    b = map_with_duplicates()
    raw = bytearray(b.encode())
    f = Datafile(bytes(raw))
    at = f.ranges[f.of_type(IMAGE)[2].ints[5]]
    raw[at[0] + 20:at[1]] = bytes(at[1] - at[0] - 20)
    (here / "a.map").write_bytes(raw)
    assert "removed images/4_old.png" in run("tidy", "a.map")[0]
    after = Datafile.load("a.map")
    image_of = after.of_type(IMAGE)[1]
    assert after.stored[image_of.ints[5]] == bytes(raw[at[0]:at[1]])
    assert "images/1_red.png" in run("tidy", "--pixels", "--in-place", "a.map", code=5)[1]


def test_several_maps_are_tidied_in_place(here):
    os.mkdir("maps")
    for i in range(3):
        write("maps/%d.map" % i, map_with_duplicates())
    (here / "maps" / "bad.map").write_bytes(b"DATA")
    out, err = run("tidy", "--in-place", "maps", code=2)
    assert {line.split(": ")[0] for line in out.splitlines()} == {"maps/%d.map" % i for i in range(3)}
    assert err.count("maps/bad.map") == 1 and len({read_bytes("maps/%d.map" % i) for i in range(3)}) == 1
    write("one.map", map_with_duplicates())
    r = maps.run("tidy", "one.map", "-")
    assert r.returncode == 0 and r.stdout == read_bytes("maps/0.map") and b"removed images/1_red.png" in r.stderr


@pytest.mark.parametrize("path", places.each_crafted_map("ok", "quirk", "bad"))
def test_an_odd_map_is_tidied_or_refused(tmp_path, path):
    lines = tidy_or_skip(path, tmp_path / "out.map", "--layers", "--pixels", "--hash-names", "--external")
    assert maps.run("du", path).returncode == 0
    assert lines or read_bytes(tmp_path / "out.map") == read_bytes(path)
    assert size(tmp_path / "out.map") <= size(path)
    r = maps.run("tidy", "--layers", "--pixels", "--hash-names", "--external", "-n", str(tmp_path / "out.map"))
    assert r.returncode in (0, 5) and not r.stdout


MAPS = ["ddnet/data/maps/dm1.map", "ddnet/data/maps/Tsunami.map"]
VANILLA = ["teeworlds/data/maps/ctf3.map"]


def small(box, name):
    path = box.add(places.debian_map(name), "x.map")
    run("tidy", "--layers", "--pixels", "--in-place", path)
    assert size(path) < size(places.debian_map(name))
    return path


@pytest.mark.parametrize("name", MAPS)
def test_the_ddnet_server_loads_a_tidied_map(box, name):
    loads(box, "/usr/games/DDNet-Server", ".local/share/ddnet", small(box, name),
          [b"rcon password"], [b"failed to load map", b"VERY wrong"], signal.SIGINT, "sv_ipv4only 1")


@pytest.mark.parametrize("name", VANILLA)
def test_the_teeworlds_server_loads_a_tidied_map(box, name):
    loads(box, "/usr/games/teeworlds-server", ".teeworlds", small(box, name), [b"crc is"],
          [b"failed to load map"], signal.SIGTERM)


# du

def read_sizes(path):
    out = [json.loads(line) for line in run("du", "--json", path)[0].splitlines()]
    assert all(set(part) == {"file", "path", "bytes", "used"} and part["file"] == str(path) for part in out)
    return out


@pytest.mark.parametrize("path", places.each_corpus_map())
def test_the_sizes_of_all_parts_add_up_to_the_file(path):
    if maps.run("ls", path).returncode:
        pytest.skip("it does not open")
    parts = read_sizes(path)
    assert [p["bytes"] for p in parts] == sorted((p["bytes"] for p in parts), reverse=True)
    by_path = {p["path"]: p["bytes"] for p in parts}
    assert len(by_path) == len(parts) and by_path[""] == size(path)
    assert sum(n for p, n in by_path.items() if p and not p.endswith("/")) == size(path)
    for top in {p.split("/")[0] + "/" for p in by_path if "/" in p}:
        assert by_path[top] == sum(n for p, n in by_path.items() if p.startswith(top) and p != top)
    f = Datafile.load(path)
    users = collections.Counter(i.ints[k] for i in f.items for k in datafile.data_fields(i) if k < len(i.ints))
    for n, item in enumerate(f.of_type(IMAGE)):
        blobs = {item.ints[k] for k in datafile.data_fields(item)
                 if f.has_blob(item.ints[k]) and (k == 4 or not item.ints[3])}
        found = [v for p, v in by_path.items() if re.match(r"images/0*%d(_|\.)" % n, p)]
        if found and all(users[b] == 1 for b in blobs):
            each = 8 if f.version == 4 else 4
            assert found == [12 + 4 * len(item.ints) + sum(each + len(f.stored[b]) for b in blobs)]


def test_du_reports_unused_parts(here):
    write("a.map", map_with_duplicates())
    unused = {p["path"] for p in read_sizes("a.map") if not p["used"]}
    assert unused == {"images/4_old.png", "images/5_my_entities.png", "sounds/0_bell.opus", "sounds/2_old.opus",
                      "envelopes/3_old.json", "raw/data/%05d" % (len(map_with_duplicates().data) - 1)}
    lines = run("du", "a.map")[0].splitlines()
    assert lines[0].split(None, 1) == [str(size("a.map")), "a.map"]
    assert sum(line.endswith(" (unused)") for line in lines) == len(unused)


def test_bytes_after_the_end_are_removed_once(here):
    b = base()
    b.group(0, 1, "Game")
    game(b)
    b.add(ENVPOINTS, [])
    path = write(here / "m.map", b)
    run("tidy", "--in-place", path)
    sound, said = read_bytes(path), "1 bytes after the end of the datafile are not saved\n"
    with open(path, "ab") as f:
        f.write(b"x")
    # A copy has them, too.
    assert run("automap", path, "copy.map") == ("", "") and read_bytes("copy.map") == sound + b"x"
    assert run("tidy", "-n", path) == (said, "")
    assert run("tidy", path, "out.map") == (said, "")
    assert read_bytes("out.map") == sound and run("tidy", "out.map") == ("", "")
    assert run("tidy", "--in-place", path) == (f"{path}: {said}", "") and read_bytes(path) == sound


def test_a_map_that_is_named_twice_is_written_once(here):
    (here / "sub").mkdir()
    path = write(here / "sub" / "m.map", map_with_duplicates())
    (here / "link.map").symlink_to("sub/m.map")
    again = ("sub/m.map", "sub", str(path), "link.map", "./sub/m.map")
    dry = run("tidy", "-n", "--in-place", *again)
    assert run("tidy", "--in-place", *again) == dry and "sub/m.map: removed" in dry[0]
    assert all(line.startswith("sub/m.map: ") for line in dry[0].splitlines()) and not dry[1]


def test_a_map_name_with_a_newline_is_printed_in_one_line(here):
    name = "a\n\x1b[31m.map"
    write(here / name, map_with_duplicates())
    out, err = run("tidy", "-n", "--in-place", name)
    assert out.startswith("a??[31m.map: removed ") and "\x1b" not in out and not err
    assert all(line.startswith("a??[31m.map: ") for line in out.splitlines())


def test_layers_that_share_tiles_keep_sharing_them(here):
    """The layers keep their size, since two smaller ones would make the map larger."""
    b = base()
    b.group(0, 3, "Game")
    game(b)
    rng = random.Random(1)
    tiles = b"".join(bytes([rng.randrange(256) if i % 60 < 50 else 0, 0, 0, 0]) for i in range(60 * 60))
    for name in "xy":
        b.tiles(60, 60, tiles, name=name)
    b.items[-1].ints[14] = b.items[-2].ints[14]
    b.add(ENVPOINTS, [])
    path = write(here / "m.map", b)
    _, err = run("tidy", "--layers", path, "out.map", code=5)
    assert [line.split(": ")[3:] for line in err.splitlines()] == [
        [f"groups/0_Game/layers/{name}", "another layer uses its tiles, too"] for name in ("1_x", "2_y")]
    assert size("out.map") <= size(path)


def test_a_dry_run_is_refused_if_the_save_would_be(here):
    """A layer after a group's sound range has a fault that no game saw before."""
    b = base()
    b.group(0, 2, "Game")
    b.group(2, 100, "bg")
    game(b)
    b.tiles(4, 4, bytes(64), name="empty")
    b.tiles(1, 1, bytes([1, 0, 0, 0]), name="one")
    b.add(ENVPOINTS, [])
    path = write(here / "m.map", b)
    out, err = run("tidy", "--layers", path, "out.map", code=4)
    assert run("tidy", "-n", "--layers", path, code=4)[1] == err.replace(f"mapfs: {path}: note: the map is unchanged\n", "")
    assert "1 x 1 tiles" in err and not out and not os.path.exists("out.map")
