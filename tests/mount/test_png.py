# SPDX-License-Identifier: Zlib
"""Every kind of PNG becomes the pixels that PIL reads from it."""
import io
import os

import pytest

import box as boxes
import datafile
import parts
import places
from editing import sync

Image = pytest.importorskip("PIL.Image")

PNG = "images/0_checker.png"
SIZE = (32, 16)


def gradient(mode):
    picture = Image.new("RGBA", SIZE)
    picture.putdata([(x * 8, y * 16, (x * y) & 255, 255 - x * 4) for y in range(SIZE[1])
                     for x in range(SIZE[0])])
    return picture if mode == "RGBA" else picture.convert(mode)


def encoded(picture, **kw):
    out = io.BytesIO()
    picture.save(out, "PNG", **kw)
    return out.getvalue()


def gray16():
    picture = Image.new("I;16", SIZE)
    picture.putdata([(x * 2048 + y * 257) & 0xFFFF for y in range(SIZE[1])
                     for x in range(SIZE[0])])
    return picture


def palette_with_transparency():
    return encoded(gradient("RGB").quantize(16), transparency=3)


KINDS = {
    "rgba": lambda: encoded(gradient("RGBA")),
    "rgba stored": lambda: encoded(gradient("RGBA"), compress_level=0),
    "rgb": lambda: encoded(gradient("RGB")),
    "rgb with a transparent colour": lambda: encoded(gradient("RGB"), transparency=(0, 0, 0)),
    "gray": lambda: encoded(gradient("L")),
    "gray and alpha": lambda: encoded(gradient("LA")),
    "one bit": lambda: encoded(gradient("1")),
    "palette of 256": lambda: encoded(gradient("RGB").quantize(256)),
    "palette of 4": lambda: encoded(gradient("RGB").quantize(4)),
    "palette with transparency": palette_with_transparency,
    "with text, resolution and gamma": lambda: encoded(gradient("RGBA"), dpi=(300, 300)),
}


def replaced(box, data):
    m = box.mount(box.add(datafile.small_map()))
    m.put(PNG, data)
    assert m.get(PNG) == data
    sync(m)
    canonical = m.get(PNG)
    assert os.stat(m / PNG).st_size == len(canonical)
    m.put(PNG, canonical)
    m.unmount()
    width, height, pixels = parts.image(m.map)
    assert Image.open(io.BytesIO(canonical)).tobytes() == pixels
    return width, height, pixels


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_png_is_read(box, kind):
    data = KINDS[kind]()
    width, height, pixels = replaced(box, data)
    want = Image.open(io.BytesIO(data)).convert("RGBA")
    assert (width, height) == want.size
    assert pixels == want.tobytes()


def test_sixteen_bits_keep_their_high_byte(box):
    picture = gray16()
    _, _, pixels = replaced(box, encoded(picture))
    for at, value in enumerate(picture.getdata()):
        r, g, b, a = pixels[4 * at:4 * at + 4]
        assert (r == g == b) and a == 255
        # libpng rounds, other readers truncate: both are within one step.
        assert abs(r - value / 257) <= 1


def interlaced(pixels, width, height):
    """An Adam7 PNG, which PIL reads and does not write."""
    import binascii
    import struct
    import zlib
    rows = b""
    for x0, y0, dx, dy in ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4),
                           (1, 0, 2, 2), (0, 1, 1, 2)):
        for y in range(y0, height, dy):
            row = b"".join(pixels[4 * (y * width + x):4 * (y * width + x) + 4]
                           for x in range(x0, width, dx))
            rows += b"\0" + row if row else b""

    def chunk(kind, body):
        return (struct.pack(">I", len(body)) + kind + body
                + struct.pack(">I", binascii.crc32(kind + body)))
    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 1)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows))
            + chunk(b"IEND", b""))


def test_an_interlaced_png_is_read(box):
    want = gradient("RGBA").tobytes()
    data = interlaced(want, *SIZE)
    assert Image.open(io.BytesIO(data)).tobytes() == want
    assert replaced(box, data) == (*SIZE, want)


def test_a_new_size_is_stored_in_the_item(box):
    picture = Image.new("RGBA", (48, 64), (9, 8, 7, 6))
    assert replaced(box, encoded(picture)) == (48, 64, picture.tobytes())


def test_a_damaged_picture_is_refused(box):
    raw = datafile.small_map()
    m = box.mount(box.add(raw))
    good = encoded(gradient("RGBA"))
    flipped = bytearray(good)
    flipped[60] ^= 0xFF
    for bad in (good[:-30], good[:8], good[:40], bytes(flipped), b"GIF89a" + good):
        assert boxes.refused(m.put, PNG, bad) != 0
    os.removexattr(m / PNG, "user.mapfs.error")
    m.unmount()
    assert boxes.get(m.map) == raw


def opaque_map(alphas):
    """A 256x256 tileset whose cell i has alpha alphas[i], and a layer with one tile of each cell."""
    b = datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    b.image(b"set", 256, 256, tileset(alphas).tobytes())
    b.tiles(16, 16, bytes(4 * 256), flags=1, name="Game")
    tiles = b"".join(bytes((i, 4 if alphas[i] >= 250 and i else 0, 0, 0)) for i in range(256))
    b.tiles(16, 16, tiles, image=0, name="all")
    b.group(0, 2, "Game")
    return b.encode()


def tileset(alphas):
    picture = Image.new("RGBA", (256, 256))
    for i, a in enumerate(alphas):
        picture.paste((10, 20, 30, a), (i % 16 * 16, i // 16 * 16, i % 16 * 16 + 16,
                                        i // 16 * 16 + 16))
    return picture


def test_the_opaque_bit_follows_where_the_opacity_differs(box):
    alphas = [255 if i % 2 else 0 for i in range(256)]
    m = box.mount(box.add(opaque_map(alphas)))
    before = datafile.Datafile.load(m.map)
    changed = list(alphas)
    changed[7], changed[8], changed[9] = 0, 255, 249
    m.put("images/0_set.png", encoded(tileset(changed)))
    m.unmount()
    after = datafile.Datafile.load(m.map)
    layer = after.of_type(datafile.LAYER)[1].ints[14]
    old, new = before.blob(layer), after.blob(layer)
    differ = {i // 4 for i in range(len(old)) if old[i] != new[i]}
    assert differ == {7, 8, 9}
    assert [new[4 * i + 1] for i in (7, 8, 9)] == [0, 4, 0]


@pytest.mark.parametrize("between", [False, True])
def test_the_opaque_bit_follows_in_a_table_that_was_removed(box, between):
    """The removed table counts as one of zeros: where the opacity differs, the image decides the bit."""
    alphas = [255 if i % 2 else 0 for i in range(256)]
    m = box.mount(box.add(opaque_map(alphas)))
    os.unlink(m / "groups/0_Game/layers/1_all/flags.csv")
    if between:
        sync(m)
    changed = list(alphas)
    changed[7], changed[8], changed[9] = 0, 255, 249
    m.put("images/0_set.png", encoded(tileset(changed)))
    m.unmount()
    after = datafile.Datafile.load(m.map)
    flags = after.blob(after.of_type(datafile.LAYER)[1].ints[14])[1::4]
    assert list(flags) == [4 if i == 8 else 0 for i in range(256)]


def test_the_opaque_bit_stays_if_only_colors_change(box):
    alphas = [255] * 256
    raw = bytearray(opaque_map(alphas))
    m = box.mount(box.add(bytes(raw)))
    before = datafile.Datafile.load(m.map)
    picture = tileset(alphas)
    picture.putpixel((40, 40), (0, 0, 0, 251))
    m.put("images/0_set.png", encoded(picture))
    m.unmount()
    after = datafile.Datafile.load(m.map)
    pixels = after.of_type(datafile.IMAGE)[0].ints[5]
    assert datafile.same_but(before, after, blobs=[pixels]) == []


def opaque_cells(m, item):
    """The cells, of 256, whose pixels all have an alpha of at least 250, by PIL; never the first."""
    width, height = item.ints[1:3]
    alpha = Image.frombytes("RGBA", (width, height), m.blob(item.ints[5])).getchannel("A")
    return [0] + [alpha.crop((i % 16 * width // 16, i // 16 * height // 16,
                              (i % 16 + 1) * width // 16, (i // 16 + 1) * height // 16))
                  .getextrema()[0] >= 250 for i in range(1, 256)]


def design_layers(m, image):
    return [x for x in m.of_type(datafile.LAYER)
            if len(x.ints) >= 15 and x.ints[1] == 2 and x.ints[6] == 0 and x.ints[10] == 255 and
            x.ints[3] < 4 and x.ints[13] == image]


# The editor has set the bit in this map, so the test need not know its number.
def test_the_derived_opaque_bit_equals_that_of_the_editor_on_a_real_map(box):
    m = box.mount(box.add(places.debian_map("ddnet/data/maps/Tsunami.map")))
    before = datafile.Datafile.load(m.map)
    image, item = next((i, x) for i, x in enumerate(before.of_type(datafile.IMAGE))
                       if x.ints[3] == 0 and any(flag & 4 for layer in design_layers(before, i)
                                                 for flag in before.blob(layer.ints[14])[1::4]))
    opaque = opaque_cells(before, item)
    name = next(n for n in os.listdir(m / "images") if int(n.split("_")[0]) == image)
    m.put("images/" + name, encoded(Image.new("RGBA", (256, 256))))
    m.unmount()
    after = datafile.Datafile.load(m.map)
    seen = 0
    for layer in design_layers(before, image):
        old, new = before.blob(layer.ints[14]), after.blob(layer.ints[14])
        for at in range(0, len(old), 4):
            cleared = old[at + 1] ^ new[at + 1]
            assert cleared == (old[at + 1] & 4) == (4 if opaque[old[at]] else 0)
            seen |= cleared
    assert seen == 4
