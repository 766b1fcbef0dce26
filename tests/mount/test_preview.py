# SPDX-License-Identifier: Zlib
"""mapfs preview draws maps according to the known camera of the game."""
import os
import subprocess

import pytest

import box as boxes
import datafile
import places
from picture import BLACK, BLUE, GRAY, GREEN, NOTHING, RED, Map, Picture, png, quad, square, tileset


def draw(box, m, *args, size=64, message=""):
    path = box.add(m if isinstance(m, bytes) else m.bytes(), "small.map")
    out = os.path.join(box.root, "out.png")
    r = box.run("preview", "--size", size, *args, path, out)
    assert r.code == 0 and (message in r.err if message else not r.err), r
    return Picture(out)


def test_flags_turn_tiles(box):
    m = Map(4, 1)
    n, pixels = tileset()
    m.image(b"tiles", n, n, pixels)
    m.design(b"".join(bytes((17, flags, 0, 0)) for flags in (0, 1, 2, 8)), 0, (255,) * 4)
    m.end()
    p = draw(box, m)
    assert (p.w, p.h) == (64, 16)

    def corners(tile):
        return [p[16 * tile + x, y] for x, y in ((3, 3), (12, 3), (12, 12), (3, 12))]
    assert corners(0) == [RED, GREEN, BLUE, GRAY]
    assert corners(1) == [GREEN, RED, GRAY, BLUE]
    assert corners(2) == [GRAY, BLUE, GREEN, RED]
    assert corners(3) == [GRAY, RED, GREEN, BLUE]  # a quarter turn clockwise


def test_a_layer_has_its_color_and_empty_tiles_show_the_background(box):
    m = Map(2, 1)
    m.design(bytes((1, 0, 0, 0, 0, 0, 0, 0)), -1, (200, 100, 50, 255))
    m.end()
    m.design(bytes((0, 0, 0, 0, 1, 0, 0, 0)), -1, (255, 255, 255, 128))
    m.end()
    p = draw(box, m)
    assert p[16, 16] == (200, 100, 50, 255)
    assert p[48, 16] == (128, 128, 128, 255)


def test_colors_are_interpolated_between_the_corners_of_a_quad(box):
    m = Map(2, 2)
    m.quads(quad(square(0, 0, 64, 64), (RED, GREEN, RED, GREEN)))
    m.end()
    p = draw(box, m)
    for x in (0, 20, 32, 63):
        for y in (1, 33, 62):
            want = 255 * (x + 0.5) / 64
            assert abs(p[x, y][0] - (255 - want)) <= 1 and abs(p[x, y][1] - want) <= 1, (x, y)


def test_a_quad_shows_its_image_in_the_order_of_layers(box):
    m = Map(2, 2)
    n, pixels = tileset(128)
    m.image(b"big", 128, 128, b"".join(pixels[4 * n * y:4 * n * y + 512] for y in range(128)))
    m.quads(quad(square(0, 0, 64, 64), ((255,) * 4,) * 4), image=0)
    m.design(bytes((1, 0, 0, 0)) + bytes(12), -1, BLUE)
    m.end()
    p = draw(box, m)
    assert [p[x, y] for x, y in ((8, 8), (40, 8), (60, 60), (8, 60))] == [BLUE, GREEN, BLUE, GRAY]


def test_an_image_that_is_too_small_for_tiles_is_drawn_in_quads(box):
    m = Map(2, 1)
    m.image(b"small", 8, 8, bytes(GREEN) * 64)
    m.design((1, 0, 0, 0) * 2, 0, (255,) * 4)
    m.quads(quad(square(32, 0, 64, 32), ((255,) * 4,) * 4), image=0)
    m.end()
    p = draw(box, m, message="image 0 (small) is not drawn")
    assert p[8, 8] == BLACK and p[40, 8] == GREEN


def test_an_image_is_drawn_in_several_sizes(box):
    m = Map(4, 2)
    m.image(b"stripes", 256, 64, (bytes(RED) * 8 + bytes(GREEN) * 8) * 16 * 64)
    white, half = ((255,) * 4,) * 4, ((0, 0), (.5, 0), (0, .5), (.5, .5))
    off = (4 / 256, 0), (1 + 4 / 256, 0), (4 / 256, 1), (1 + 4 / 256, 1)
    m.quads(quad(square(0, 0, 2, 2), white, texture=off), quad(square(0, 32, 128, 64), white, texture=half),
            quad(square(64, 0, 96, 32), white), quad(square(4, 0, 8, 4), white, texture=off), image=0)
    m.end()
    p = draw(box, m, size=256)
    # 128 pixels of the image on 256 of the picture; all of it on 64; on 4 and on 8.
    assert [p[x, 96] for x in (2, 14, 18, 30, 34, 226, 242)] == [RED, RED, GREEN, GREEN, RED, RED, GREEN]
    colors = [p[128 + x, 40][:2] for x in range(64)]
    assert all(r > 150 and g < 100 for r, g in colors[1::4]) and all(g > 150 for _, g in colors[3::4])
    for x in (1, 2, 9, 14):
        assert all(abs(part - 127) <= 2 for part in p[x, 1][:2]), p[x, 1]


def test_an_image_repeats_beyond_its_end(box):
    m = Map(2, 1)
    n, pixels = tileset(4)
    m.image(b"four", n, n, pixels)
    quarters = [tuple(pixels[4 * (n * y + x):][:4]) for x, y in ((0, 0), (2, 0), (2, 2), (0, 2))]
    assert quarters == [RED, GREEN, BLUE, GRAY]
    # Two tiles of the image's sixteen, beginning with the last one, on 64 x 32 pixels.
    at = (15 / 16, -1 / 16), (17 / 16, -1 / 16), (15 / 16, 0), (17 / 16, 0)
    m.quads(quad(square(0, 0, 64, 32), ((255,) * 4,) * 4, texture=at), image=0)
    m.end()
    p = draw(box, m)
    assert [p[x, 8] for x in (8, 24, 40, 56)] == [RED, GREEN] * 2
    assert [p[x, 24] for x in (8, 24, 40, 56)] == [GRAY, BLUE] * 2


def test_a_group_is_clipped_as_in_the_game(box):
    m = Map(4, 4)
    m.quads(quad(square(-999, -999, 999, 999)))
    m.end(clip=(32, 32, 64, 32))
    p = draw(box, m)
    inside = {(x, y) for x in range(64) for y in range(64) if p[x, y] == RED}
    assert inside == {(x, y) for x in range(16, 48) for y in range(16, 32)}


def test_parallax_uses_the_middle_of_the_map(box):
    # 200 x 100 tiles: the middle is (3200, 1600). With parallax 50, the middle of the group is (1600 + 7, 800).
    m = Map(200, 100)
    m.quads(quad(square(1600 - 93, 700, 1600 + 107, 900)))
    m.end(offset=(7, 0), parallax=(50, 50))
    p = draw(box, m, size=400)
    red = [(x, y) for x in range(p.w) for y in range(p.h) if p[x, y] == RED]
    xs, ys = [x for x, _ in red], [y for _, y in red]
    assert abs((min(xs) + max(xs) + 1) / 2 - 200) <= 1 and abs((min(ys) + max(ys) + 1) / 2 - 100) <= 1
    # The screen at zoom 1 is 1150000 units large, here 1500 wide; the group has half the zoom.
    width = 200 * 400 / (1500 * (50 * (6400 / 1500 - 1) + 100) / 100)
    assert abs(len(set(xs)) - width) <= 1.5


def test_envelopes_are_drawn_at_time_zero_plus_offset(box):
    m = Map(4, 1)
    move = [0, 1, 0, 0, 0, 0, 1000, 1, 96 * 1024, 0, 0, 0]
    fade = [0, 1, 1024, 1024, 1024, 0, 1000, 1, 1024, 1024, 1024, 1024]
    m.add(datafile.ENVELOPE, [2, 3, 0, 2] + datafile.words("", 8) + [0])
    m.add(datafile.ENVELOPE, [2, 4, 2, 2] + datafile.words("", 8) + [0])
    m.add(datafile.ENVPOINTS, move + fade)
    m.quads(quad(square(0, 0, 32, 32), position=(0, 333)),
            quad(square(96, 0, 128, 32), color=(1, 500)), quad(square(0, 0, 32, 16), (GREEN,) * 4, (0, 0)),
            quad(square(64, 0, 96, 32), color=(1, 0)))
    m.end()
    p = draw(box, m)
    assert p[24, 8] == RED and p[8, 2] == GREEN and p[8, 14] == BLACK
    assert p[40, 8] == BLACK and abs(p[56, 8][0] - 128) <= 1


def test_only_images_of_the_game_are_used(box):
    mapres = os.path.join(box.root, "mapres")
    os.mkdir(mapres)
    n, pixels = tileset()
    boxes.put(mapres + "/own_tiles.png", png(n, n, pixels), os.O_WRONLY | os.O_CREAT)
    boxes.put(box.root + "/secret.png", png(n, n, pixels), os.O_WRONLY | os.O_CREAT)
    os.symlink("../secret.png", mapres + "/link.png")
    for name, drawn in ((b"own_tiles", True), (b"../secret", False), (b"link", False), (b"none", False)):
        m = Map(1, 1)
        m.external(name)
        m.design((1, 0, 0, 0), 0, (255,) * 4)
        m.end()
        message = "" if drawn else "image 0 (%s) is not drawn" % name.decode()
        p = draw(box, m, "-o", "mapres=" + mapres, message=message)
        assert (p[10, 10] == RED) == drawn


def plain(color, n=16):
    """A PNG of one color for a tileset of 16 x 16 tiles."""
    return png(n, n, bytes(color) * n * n)


def uses_image(version):
    """A map with one tile of an external image, whose item has this version. Only Teeworlds 0.7 writes 2."""
    m = Map(1, 1)
    m.add(datafile.IMAGE, [version, 64, 64, 1, m.blob(b"own_tiles\0"), -1] + [1] * (version >= 2))
    m.design((1, 0, 0, 0), 0, (255,) * 4)
    m.end()
    return m


def test_a_map_uses_the_images_of_its_own_game(box):
    """Both games have different images with the same name (grass_main), and DDNet has some images of 0.7 as
    NAME_0.7."""
    home = os.path.join(box.root, "home")
    ddnet, teeworlds = home + "/.local/share/ddnet/mapres", home + "/.teeworlds/mapres"
    os.makedirs(ddnet)
    os.makedirs(teeworlds)

    def drawn(version):
        out = os.path.join(box.root, "out.png")
        r = box.run("preview", "--size", "64", box.add(uses_image(version).bytes(), "small.map"), out,
                    env={"HOME": home})
        assert r.code == 0 and not r.err, r
        return Picture(out)[10, 10]

    boxes.put(ddnet + "/own_tiles.png", plain(RED), os.O_WRONLY | os.O_CREAT)
    assert [drawn(1), drawn(2)] == [RED, RED]  # better than no image
    boxes.put(ddnet + "/own_tiles_0.7.png", plain(GREEN), os.O_WRONLY | os.O_CREAT)
    assert [drawn(1), drawn(2)] == [RED, GREEN]
    boxes.put(teeworlds + "/own_tiles.png", plain(BLUE), os.O_WRONLY | os.O_CREAT)
    assert [drawn(1), drawn(2)] == [RED, BLUE]
    os.unlink(ddnet + "/own_tiles.png")
    assert [drawn(1), drawn(2)] == [BLUE, BLUE]
    out = os.path.join(box.root, "embedded.map")
    for version, color in ((1, RED), (2, BLUE)):
        boxes.put(ddnet + "/own_tiles.png", plain(RED), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        r = box.run("tidy", "--embed", box.add(uses_image(version).bytes(), "small.map"), out, env={"HOME": home})
        assert r.code == 0, r
        r = box.run("preview", "--size", "64", out, out + ".png", env={"HOME": "/nowhere"})
        assert r.code == 0 and Picture(out + ".png")[10, 10] == color, r
        os.unlink(out)


def test_a_single_layer_has_a_transparent_background(box):
    m = Map(2, 1)
    m.design((1, 0, 0, 0) * 2, -1, GREEN)
    m.design((1, 0, 0, 0) + (0,) * 4, -1, RED)
    m.end()
    raw = m.bytes()
    p = draw(box, raw, "--layer", "groups/0/layers/1")
    assert p[8, 8] == RED and p[48, 8] == NOTHING
    assert draw(box, raw, "--layer", "groups/0")[48, 8] == GREEN
    path = os.path.join(box.maps, "small.map")
    for bad in ("groups/0/layers/7", "info", "images"):
        r = box.run("preview", "--layer", bad, path, os.path.join(box.root, "no.png"))
        assert r.code == 2 and bad in r.err and not os.path.exists(box.root + "/no.png"), r


def test_each_group_can_be_drawn_alone(box):
    m = Map(2, 1)
    for color in (GREEN, RED, BLUE):
        m.design((1, 0, 0, 0) * 2, -1, color)
        m.end()
    raw = m.bytes()
    assert [draw(box, raw, "--layer", "groups/%d" % g)[8, 8] for g in range(3)] == [GREEN, RED, BLUE]


def test_entities_differ_by_kind(box):
    m = Map(4, 1, (1, 0, 0, 0, 3, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0))
    m.design((1, 0, 0, 0) * 4, -1, RED)
    m.end()
    p = draw(box, m, "--entities")
    colors = [p[x, 8] for x in (8, 24, 40, 56)]
    assert len(set(colors)) == 4 and colors[3] == BLACK and RED not in colors


@pytest.mark.parametrize("path", places.each_debian_map()[:8])
def test_the_same_map_gives_the_same_picture(box, path):
    copy = box.add(path)
    outs = [os.path.join(box.root, "%d.png" % i) for i in range(2)]
    for out in outs:
        r = box.run("preview", copy, out)
        assert r.code == 0 and not r.err, r
    p = Picture(outs[0])
    assert max(p.w, p.h) == 1024 and boxes.get(outs[0]) == boxes.get(outs[1])
    assert len({p[x, y] for x in range(0, p.w, 16) for y in range(0, p.h, 16)}) > 8
    assert box.beside() == []


@pytest.mark.skipif(bool(places.sanitizers()), reason="figures are for a plain build")
@pytest.mark.parametrize("path", places.each_crafted_map("ok", "quirk", "bad"))
def test_a_crafted_map_is_drawn_or_refused_within_bounds(box, path):
    copy, out = box.add(path), os.path.join(box.root, "out.png")
    # The budget and 64 MiB, and the stacks of three threads.
    r = box.run("-c", 'ulimit -d %d && exec "$0" "$@"' % ((64 + 64 + 32) << 10), places.BINARY, "preview", copy, out,
                program="sh")
    assert r.code in (0, 2) and "memory" not in r.err, r
    assert os.path.exists(out) == (r.code == 0)


def test_a_map_too_large_to_draw_is_refused(box):
    m = Map(2, 2)
    m.quads(*[quad(square(0, 0, 64, 64))] * 5000)
    m.end()
    path = box.add(m.bytes(), "small.map")
    r = box.run("preview", "--size", "16", path, os.path.join(box.root, "no.png"))
    assert r.code == 2 and "draws over" in r.err and not os.path.exists(box.root + "/no.png"), r


def hostile(layers, more=(), blobs=()):
    """A map with the game layer of Map(2, 2), and layers with the given integers."""
    m = Map(2, 2)
    for data in blobs:
        m.blob(data)
    for ints in layers:
        m.layer(ints)
    m.end()
    for item in more:
        m.add(*item)
    return m.bytes()


def tiles(w, h, blob, version=3, image=-1):
    return [0, 2, 0, version, w, h, 0, 255, 255, 255, 255, -1, 0, image, blob] + datafile.words("", 3) + [-1] * 5


ROW, WHOLE = 1 << 23, 1 << 22


@pytest.mark.skipif(bool(places.sanitizers()), reason="figures are for a plain build")
@pytest.mark.parametrize("what", ["a long row", "a long packed row", "a long image", "one layer over and over",
                                  "many quads with an envelope"])
def test_a_small_hostile_map_takes_little_memory_and_time(box, what):
    # All maps have some hundred kB, and would take gigabytes or hours.
    if what == "a long row":
        m = hostile([tiles(ROW, 1, 0)], blobs=[b"\1\0\0\0" * ROW])
    elif what == "a long packed row":
        m = hostile([tiles(1 << 28, 1, 0, 4)], blobs=[b"\1\0\xff\0" * (1 << 20)])
    elif what == "a long image":
        m = hostile([tiles(2, 2, 0, image=0)], [(datafile.IMAGE, [1, ROW, 1, 0, 1, 2])],
                    [b"\1\0\0\0" * 4, b"x\0", bytes(4 * ROW)])
    elif what == "one layer over and over":
        m = hostile([tiles(1 << 12, WHOLE >> 12, 0)] * 3000, blobs=[bytes(4 * WHOLE)])
    else:
        n, points = 100000, 200000
        one = quad(square(0, 0, 1, 1), position=(0, points - 2))
        m = hostile([[0, 3, 0, 2, n, 0, -1] + datafile.words("", 3)] * 3,
                    [(datafile.ENVELOPE, [1, 3, 0, points]),
                     (datafile.ENVPOINTS, [v for t in range(points) for v in (t, 1, 0, 0, 0, 0)])], [one * n])
    path, out = box.add(m, "small.map"), os.path.join(box.root, "out.png")
    # The budget and 64 MiB, and the stacks of three threads; and a minute of CPU time.
    r = box.run("-c", 'ulimit -t 60; ulimit -d %d && exec "$0" "$@"' % ((64 + 64 + 32) << 10), places.BINARY,
                "preview", "--size", 64, path, out, program="sh", timeout=600)
    assert r.code in (0, 2) and "memory" not in r.err, r
    assert "too long" in r.err or "more than" in r.err or what.startswith("many"), r


def test_the_last_of_several_points_at_one_time_continues_the_envelope(box):
    m = Map(8, 2)
    # Position by x: at 0 ms 0 and then 32, at 100 ms 96; at 100 ms again 128, at 300 ms 192.
    xs = [(0, 0), (0, 32), (100, 96), (100, 128), (300, 192)]
    m.quads(*[quad(square(0, 0, 16, 64), position=(0, t)) for t in (0, 50, 100, 200)])
    m.end()
    m.add(datafile.ENVELOPE, [1, 3, 0, len(xs)])
    m.add(datafile.ENVPOINTS, [v for t, x in xs for v in (t, 1, x * 1024, 0, 0, 0)])
    p = draw(box, m, size=64)
    # A pixel has four units. At 0 ms 32, at 50 ms 64, at 100 ms 96 and at 200 ms 160.
    assert [x for x in range(64) if p[x, 8] == RED] == [*range(8, 12), *range(16, 20), *range(24, 28), *range(40, 44)]


def test_an_empty_file_of_another_user_is_not_overwritten(box, root):
    path, out = box.add(datafile.small_map(), "small.map"), os.path.join(box.root, "out.png")
    boxes.put(out, b"", os.O_WRONLY | os.O_CREAT)
    os.chown(out, 12345, 12345)
    with open(out, "rb") as theirs:
        assert box.run("preview", path, out).code == 0
        assert theirs.read() == b"" and os.stat(out).st_uid == 0 and Picture(out)


def test_only_a_picture_is_overwritten(box):
    path = box.add(datafile.small_map())
    out = os.path.join(box.root, "out.png")
    for other in path, box.add(datafile.small_map(), "other.map"):
        before = boxes.get(other)
        r = box.run("preview", path, other)
        assert r.code == 2 and "is not a PNG" in r.err and boxes.get(other) == before
    os.mkfifo(out)
    assert box.run("preview", path, out).code == 2
    os.unlink(out)
    os.symlink(path, out)
    assert box.run("preview", path, out).code == 2 and os.path.islink(out)


@pytest.mark.parametrize("args", [[], ["-"]], ids=["none", "dash"])
def test_a_picture_can_go_to_standard_output(box, args):
    path, out = box.add(datafile.small_map(), "small.map"), os.path.join(box.root, "out.png")
    assert box.run("preview", path, out).code == 0
    with open(os.path.join(box.root, "piped.png"), "wb") as f:
        r = subprocess.run([places.BINARY, "preview", path, *args], stdout=f, stderr=subprocess.PIPE, cwd=box.root,
                           timeout=120)
    assert (r.returncode, r.stderr) == (0, b"") and boxes.get(f.name) == boxes.get(out)
    assert not os.path.exists(os.path.join(box.root, "-"))
    # A terminal would interpret the bytes as commands.
    message, code = boxes.on_a_terminal(box, "preview", path, *args)
    assert code == 1 and "terminal" in message and "PNG" not in message


def test_an_error_of_standard_output_is_reported(box):
    path = box.add(datafile.small_map(), "small.map")
    with open("/dev/full", "wb") as full:
        r = subprocess.run([places.BINARY, "preview", path], stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
    assert (r.returncode, r.stderr) == (2, "mapfs: standard output: No space left on device\n")


def test_a_name_with_another_ending_is_refused(box):
    path = box.add(datafile.small_map(), "small.map")
    for name in ("out.jpg", "out.map", "out.png.gif", "out."):
        out = os.path.join(box.root, name)
        r = box.run("preview", path, out)
        assert (r.code, r.err) == (2, "mapfs: %s: the name of a picture must end in .png\n" % out)
        assert not os.path.exists(out)
    picture = os.path.join(box.root, "out.PNG")
    assert box.run("preview", path, picture).code == 0
    # A picture with an unexpected name, and a file made for the picture (mktemp, a thumbnailer), may be overwritten.
    os.rename(picture, os.path.join(box.root, "out.jpg"))
    assert box.run("preview", path, os.path.join(box.root, "out.jpg")).code == 2
    out = os.path.join(box.root, "tmp.aB3dE")
    open(out, "wb").close()
    assert box.run("preview", path, out).code == 0 and Picture(out).w > 0


def test_invalid_numbers_and_maps_without_picture_are_reported(box):
    path = box.add(datafile.small_map(), "small.map")
    for args in (["--size", "15"], ["--size", "x"], ["--size", "4097"], ["--what"]):
        assert box.run("preview", *args, path, "/nowhere/x.png").code == 1
    assert box.run("preview", path, "/nowhere/x.png").code == 2
    b = datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    r = box.run("preview", box.add(b.encode(), "empty.map"), os.path.join(box.root, "no.png"))
    assert r.code == 2 and "no game layer" in r.err
    assert not os.path.exists(box.root + "/no.png")
