# SPDX-License-Identifier: Zlib
"""Tables and images larger than the memory that commands may use: the cache, and 32 MiB besides."""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

import pytest

import datafile
import places
import share
from box import get

MIB = 1 << 20
BESIDE = 32 * MIB
CACHES = (8, 64)
WIDTH, HEIGHT = 3000, 2500  # 30 MB a layer when decoded, and as much for each of its tables
LAYER = "groups/0_Game/layers/1_deco/"

pytestmark = pytest.mark.skipif(bool(places.sanitizers()), reason="figures are for a plain build")


# A new process starts with the peak memory of its parent, so the parent must be small.
LAUNCHER = """import os, resource, subprocess, sys
r = subprocess.run(sys.argv[2:])
with open(sys.argv[1], "w") as f:
    f.write("%d %d" % (r.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
"""


def run_measured(*args, code):
    """Run a command; returns its output and its peak memory."""
    with tempfile.NamedTemporaryFile() as reported:
        r = subprocess.run([sys.executable, "-S", "-c", LAUNCHER, reported.name, places.BINARY, *args],
                           capture_output=True, timeout=600, text=True)
        returned, peak = map(int, get(reported.name).split())
    assert returned == code, (args, r.stderr)
    return r.stdout, r.stderr, peak * 1024


def make(path, changes, height=HEIGHT, width=WIDTH):
    rows = bytearray(4 * width * height)
    for x in range(0, width * height, 37):
        rows[4 * x] = x % 200
    b = datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    b.info(settings=[b"sv_x 1"])
    b.tiles(width, height, bytes(rows), flags=1, name="Game")
    for x, y, value in changes:
        rows[4 * (y * width + x)] = value
    b.tiles(width, height, bytes(rows), name="deco")
    b.group(0, 2, "Game")
    b.add(datafile.ENVPOINTS, [])
    path.write_bytes(b.encode())


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    where = tmp_path_factory.mktemp("large")
    for side, changes in (("b", ()), ("o", ((5, 5, 9), (8, 8, 7))), ("t", ((WIDTH - 1, HEIGHT - 1, 9), (8, 8, 6)))):
        make(where / (side + ".map"), changes)
    return where


def read_indexes(path):
    """The indexes of the second layer, without mapfs."""
    f = datafile.Datafile.load(path)
    return f.blob(f.of_type(datafile.LAYER)[1].ints[14])[::4]


@pytest.mark.parametrize("cache", CACHES)
def test_merge_keeps_to_the_budget(large, tmp_path, cache):
    out = str(tmp_path / "out.map")
    _, err, peak = run_measured("merge", "-o", "cache=%dM" % cache, *(str(large / n) for n in ("b.map", "o.map", "t.map")),
                       out, code=1)
    assert "1 cell, x 8, y 8;" in err
    expected = bytearray(read_indexes(large / "o.map"))
    expected[-1] = 9
    assert read_indexes(out) == expected
    left = out + ".mapfs-left/" + LAYER + "id.csv"
    assert open(left).read() == run_measured("cat", str(large / "t.map"), LAYER + "id.csv", code=0)[0]
    assert peak <= cache * MIB + BESIDE, peak / MIB


@pytest.mark.parametrize("cache", CACHES)
def test_diff_keeps_to_the_budget(large, cache):
    out, _, peak = run_measured("diff", "-o", "cache=%dM" % cache, str(large / "b.map"), str(large / "o.map"), code=1)
    assert out.splitlines()[:2] == ["changed " + LAYER + "id.csv", " 2 cells, x 5 to 8, y 5 to 8"]
    assert peak <= cache * MIB + BESIDE, peak / MIB


@pytest.mark.parametrize("cache", CACHES)
def test_pictures_of_images_keep_to_the_budget(tmp_path, cache):
    """The images have different sizes, and the picture of both has three times their pixels."""
    Image = pytest.importorskip("PIL.Image")
    sides = {"one": (2500, 3000), "two": (3000, 2500)}
    for name, (w, h) in sides.items():
        b = datafile.Builder()
        b.add(datafile.MAP_VERSION, [1])
        pixels = bytearray(bytes((9, 0, 0, 255)) * (w * h))
        pixels[4 * (7 * w + 5)] = 9 + (name == "two")
        b.image(b"x", w, h, bytes(pixels))
        b.tiles(2, 2, bytes(16), flags=1, name="Game")
        b.group(0, 1, "Game")
        b.add(datafile.ENVPOINTS, [])
        (tmp_path / (name + ".map")).write_bytes(b.encode())
    _, _, peak = run_measured("diff", "-q", "--images", str(tmp_path / "p"), "-o", "cache=%dM" % cache,
                     str(tmp_path / "one.map"), str(tmp_path / "two.map"), code=1)
    with Image.open(tmp_path / "p" / "images-0_x.png") as f:
        assert f.size == (3 * 3000 + 16, 3000)
        assert f.getpixel((7, 5)) == (9, 0, 0, 255) and f.getpixel((3008, 2499)) == (9, 0, 0, 255)
        third = 2 * 3008
        assert [f.getpixel((third + x, y)) for x, y in ((0, 0), (5, 7), (2600, 0), (0, 2600))] == [
            (171, 171, 171, 255), (0, 255, 255, 255), (0, 255, 0, 255), (255, 0, 0, 255)]
    # map.png is drawn in memory, with up to 1024 pixels a side, five times.
    assert peak <= cache * MIB + BESIDE + 5 * 4 * MIB, peak / MIB


@pytest.mark.parametrize("cache", CACHES)
@pytest.mark.parametrize("how", [[], ["--full"]], ids=["", "full"])
def test_diff_of_tables_of_two_sizes_keeps_to_the_budget(large, tmp_path, cache, how):
    """No line is equal, or some lines are new; the output does not grow with them."""
    for size in ((HEIGHT + 1, WIDTH), (HEIGHT, WIDTH + 1)):
        make(tmp_path / "other.map", (), *size)
        out, _, peak = run_measured("diff", *how, "-o", "cache=%dM" % cache, str(large / "b.map"), str(tmp_path / "other.map"), code=1)
        lines = out.splitlines()
        at = lines.index("changed " + LAYER + "id.csv")
        sizes = " %d x %d cells -> %d x %d cells, " % (WIDTH, HEIGHT, *size[::-1])
        assert lines[at + 1].startswith(sizes)
        assert (len(out) > MIB) == (size[1] > WIDTH and how != []), len(out)
        assert peak <= cache * MIB + BESIDE, peak / MIB


@pytest.mark.parametrize("cache", CACHES)
@pytest.mark.parametrize("how, n", [([], 400), (["--full"], 600000)], ids=["", "full"])
def test_diff_of_two_different_texts_keeps_to_the_budget(tmp_path, cache, how, n):
    """Beyond 262144 lines only two sizes are shown, unless --full is given."""
    for name, count in (("one", 100000), ("two", 100000), ("three", 300000), ("four", 300000)):
        b = datafile.Builder()
        b.add(datafile.MAP_VERSION, [1])
        b.info(settings=[b"%s %d" % (name.encode(), i) for i in range(count)])
        b.tiles(4, 3, bytes(48), flags=1, name="Game")
        b.group(0, 1, "Game")
        b.add(datafile.ENVPOINTS, [])
        (tmp_path / (name + ".map")).write_bytes(b.encode(level=1))
    names = [str(tmp_path / (n + ".map")) for n in ("one", "two", "three", "four")]
    out, _, peak = run_measured("diff", *how, "-o", "cache=%dM" % cache, *names[:2], code=1)
    marked = sum(line[0] in "+-" for line in out.splitlines())
    assert marked == min(n, 200000) and ("\\ 99800 more lines removed, 99800 more added" in out) == (not how)
    assert peak <= cache * MIB + BESIDE, peak / MIB
    out = run_measured("diff", *how, *names[2:], code=1)[0]
    assert sum(line[0] in "+-" for line in out.splitlines()) == (n if how else 0)
    assert how or re.search(r" \d+ bytes -> \d+ bytes\n$", out)


SIDE = 8192


def make_images(path, side, changes, names=(b"sky",)):
    """A map of images that are all equal."""
    pixels = bytearray(b"".join(bytes((y & 255, 60, 90, 255)) * side for y in range(side)))
    for x, y in changes:
        pixels[4 * (y * side + x)] ^= 1
    b = datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    b.info(settings=[b"sv_x 1"])
    for name in names:
        b.image(name, side, side, bytes(pixels))
    b.tiles(4, 3, bytes(48), flags=1, name="Game")
    b.group(0, 1, "Game")
    b.add(datafile.ENVPOINTS, [])
    path.write_bytes(b.encode(level=1))


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    where = tmp_path_factory.mktemp("images")
    make_images(where / "one.map", SIDE, ())
    make_images(where / "two.map", SIDE, ((5, 6), (SIDE - 1, SIDE - 1)))
    return where


@pytest.mark.parametrize("cache", CACHES)
def test_diff_of_images_keeps_to_the_budget(images, cache):
    out, _, peak = run_measured("diff", "-o", "cache=%dM" % cache, *(str(images / n) for n in ("one.map", "two.map")), code=1)
    assert out.splitlines() == ["changed images/0_sky.png",
                                " 2 pixels of %d x %d, x 5 to %d, y 6 to %d" % (SIDE, SIDE, SIDE - 1, SIDE - 1)]
    assert peak <= cache * MIB + BESIDE, peak / MIB


QUADS, QUAD = 60000, 38 * 4  # 26 MB as JSON


def make_quads(path, changes, author=b"me"):
    """A map with a layer of quads; changes: new first numbers for some of them."""
    data = bytearray(b"".join(struct.pack("<34i", *range(i, i + 34)) + struct.pack("<4i", -1, 0, 0, 0) for i in range(QUADS)))
    for i, value in changes:
        struct.pack_into("<i", data, QUAD * i, value)
    b = datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    b.info(author=author, settings=[b"sv_x 1"])
    b.tiles(4, 3, bytes(48), flags=1, name="Game")
    b.add(datafile.LAYER, [0, 3, 0, 2, QUADS, b.blob(bytes(data)), -1] + datafile.words("q", 3))
    b.group(0, 2, "Game")
    b.add(datafile.ENVELOPE, [1, 4, 0, 1] + datafile.words("pulse", 8))
    b.add(datafile.ENVPOINTS, [0] * 6)
    path.write_bytes(b.encode(level=1))


@pytest.mark.parametrize("cache", CACHES)
def test_large_lists_keep_to_the_budget(tmp_path, cache):
    """A list that one side changed is taken; a list that both changed is too large to be joined, and both versions
    are kept."""
    changes = {"b": (), "o": ((7, -1),), "t": ((9, -2), (QUADS - 1, -3)), "u": ()}
    for side, of in changes.items():
        make_quads(tmp_path / (side + ".map"), of, b"you" if side == "u" else b"me")
    names = {side: str(tmp_path / (side + ".map")) for side in (*changes, "out")}

    def run_within_budget(*args, code):
        out, err, peak = run_measured(args[0], "-o", "cache=%dM" % cache, *(names[n] for n in args[1:]), code=code)
        assert peak <= cache * MIB + BESIDE, (args, peak / MIB)
        return out, err

    def first_numbers(path):
        f = datafile.Datafile.load(path)
        data = f.blob(f.of_type(datafile.LAYER)[1].ints[5])
        return [(i, v) for i in range(QUADS) for v in struct.unpack_from("<i", data, QUAD * i) if v != i]
    assert run_within_budget("diff", "b", "t", code=1)[0].count("\n+  {") == 2
    for ours, theirs in (("u", "t"), ("t", "u")):
        run_within_budget("merge", "b", ours, theirs, "out", code=0)
        assert first_numbers(names["out"]) == list(changes["t"])
    assert "quads.json: changed by both, but too large to merge" in run_within_budget("merge", "b", "o", "t", "out", code=1)[1]
    assert first_numbers(names["out"]) == list(changes["o"])
    with open(names["out"] + ".mapfs-left/groups/0_Game/layers/1_q/quads.json", "rb") as f:
        left = [line for line in f if b"[-2, " in line or b"[-3, " in line]
    assert len(left) == 2 and b'"color_envelope": "0_pulse"' in left[0]


@pytest.mark.parametrize("cache", CACHES)
def test_text_keeps_to_the_budget(large, images, cache):
    out, _, peak = run_measured("text", "-o", "cache=%dM" % cache, str(images / "one.map"), code=0)
    png = subprocess.run([places.BINARY, "cat", str(images / "one.map"), "images/0_sky.png"], capture_output=True).stdout
    assert "# images/0_sky.png %d bytes, CRC-32 %08x\n" % (len(png), zlib.crc32(png)) in out
    assert peak <= cache * MIB + BESIDE, peak / MIB
    out, _, peak = run_measured("text", "-o", "cache=%dM" % cache, str(large / "b.map"), LAYER + "id.csv", code=0)
    reported = bytearray(WIDTH * HEIGHT)
    for y, x, some in re.findall(r"^line (\d+), column (\d+): (.*)$", out, re.MULTILINE):
        at = (int(y) - 1) * WIDTH + int(x) - 1
        reported[at:at + some.count(",") + 1] = map(int, some.split(","))
    assert len(reported) == WIDTH * HEIGHT and reported == read_indexes(large / "b.map")
    assert peak <= cache * MIB + BESIDE, peak / MIB


@pytest.mark.parametrize("cache", CACHES)
def test_pack_keeps_to_the_budget(large, tmp_path, cache):
    """Memory for the packed files, and for reading the new map back."""
    tree, new = str(tmp_path / "tree"), str(tmp_path / "new.map")
    make_images(tmp_path / "images.map", 2048, (), [b"image %d" % i for i in range(6)])
    run_measured("extract", "-o", "raw=off", str(tmp_path / "images.map"), tree, code=0)
    run_measured("extract", "-o", "raw=off", str(large / "b.map"), tree, "groups", code=0)
    shutil.copytree(os.path.join(tree, LAYER), os.path.join(tree, os.path.dirname(LAYER[:-1]), "2_further"))
    _, _, peak = run_measured("pack", "-o", "cache=%dM" % cache, tree, new, code=0)
    made, was, images = (datafile.Datafile.load(p) for p in (new, large / "b.map", tmp_path / "images.map"))
    layers = [f.of_type(datafile.LAYER)[1:] for f in (made, was)]
    assert len(layers[0]) == 2
    assert all(made.blob(x.ints[14]) == was.blob(layers[1][0].ints[14]) for x in layers[0])
    pixels = [[f.blob(x.ints[5]) for x in f.of_type(datafile.IMAGE)] for f in (made, images)]
    assert len(pixels[0]) == 6 and pixels[0] == pixels[1]
    assert peak <= cache * MIB + BESIDE, peak / MIB


@pytest.mark.skipif(not share.ALL, reason="takes its time")
def test_a_large_foreign_map_keeps_to_the_budget(tmp_path):
    source = os.path.join(places.CORPUS, "maps", "6fd52307_ChillerDragores6.map")
    if not os.path.exists(source):
        pytest.skip("no corpus: " + source)
    one, two, out = (str(tmp_path / (n + ".map")) for n in ("one", "two", "out"))
    layer = "groups/%s/layers/" % next(
        g for g in run_measured("ls", source, "groups", code=0)[0].split() if "Game" in g)
    layer += next(n for n in run_measured("ls", source, layer, code=0)[0].split() if "Game" in n)
    text = run_measured("cat", source, layer + "/id.csv", code=0)[0]
    first, last = text.index("  0,"), text.rindex("  0,")
    for path, at in ((one, first), (two, last)):
        shutil.copyfile(source, path)
        (tmp_path / "table").write_text(text[:at] + "  1," + text[at + 4:])
        run_measured("put", path, layer + "/id.csv", str(tmp_path / "table"), code=0)
    reported, _, peak = run_measured("diff", "-o", "cache=8M", one, two, code=1)
    assert " 2 cells, " in reported and peak <= 8 * MIB + BESIDE, peak / MIB
    _, _, peak = run_measured("merge", "-o", "cache=8M", source, one, two, out, code=0)
    both = text[:first] + "  1," + text[first + 4:last] + "  1," + text[last + 4:]
    assert run_measured("cat", out, layer + "/id.csv", code=0)[0] == both
    assert peak <= 8 * MIB + BESIDE, peak / MIB
