# SPDX-License-Identifier: Zlib
"""mapfs preview of textures and of the parts of image sets, compared with the pixels that PIL decodes."""
import io
import os
import random
import struct
import subprocess

import pytest

import places
import tlwrite
from archives import Archive
from box import get
from tlbox import add_corpus

SET = ('<?xml version="1.0"?>\n<!-- <Imageset Imagefile="none.dds"> -->\n'
       '<Imageset Name= "S" Imagefile = "media\\ui\\SHEET.dds" NativeHorzRes="1024">\r\n'
       '\t<Image Name="whole" XPos="0" YPos="0" Width="9" Height="6" />\n'
       "\t<Image Height='3' Width='2' YPos='1' XPos='4' Name='Part: two'/>\n"
       '\t<Image Name="far" XPos="8" YPos="0" Width="2" Height="1" />\n'
       '\t<Image Name="big" XPos="4294967295" YPos="0" Width="4294967295" Height="1" />\n'
       '\t<Image Name="nothing" XPos="1" YPos="1" Width="0" Height="1" />\n'
       '\t<Image Name="odd" XPos="-1" YPos="0" Width="1" Height="1" />\n</Imageset>\n')


def import_pil():
    return pytest.importorskip("PIL.Image", reason="PIL (python3-pil) is not installed")


def make_dds(kind, w, h, seed=0):
    size = (w + 3) // 4 * ((h + 3) // 4) * (8 if kind == b"DXT1" else 16)
    head = struct.pack("<4s7I44x2I4s5I5I", b"DDS ", 124, 0x1007, h, w, size, 0, 0, 32, 4, kind, 0, 0, 0, 0, 0,
                       0x1000, 0, 0, 0, 0)
    assert len(head) == 128
    return head + random.Random(seed).randbytes(size)


def add_archive(box, files, name="S.MOD"):
    return box.add(tlwrite.mod([("MEDIA/UI/", n, b, False) for n, b in files.items()]), name)


def preview(*args, code=0):
    r = subprocess.run([places.BINARY, "preview", *map(str, args)], capture_output=True, text=True, timeout=120)
    assert (r.returncode, r.stdout) == (code, ""), r.stderr
    return r.stderr


def pixels(path):
    image = import_pil().open(path)
    assert image.mode == "RGBA"
    return image.size, image.tobytes()


def read_preview(box, made, path):
    out = os.path.join(box.root, "out.png")
    assert preview(made, path, out) == ""
    return pixels(out)


def decode_by_pil(data):
    image = import_pil().open(io.BytesIO(data))
    return image.size, image.convert("RGBA").tobytes()


@pytest.mark.parametrize("name", ["CYBER_EDITORMOD_dupname.MOD", "Commando.mod", "XOVER_EDITORMOD.MOD"])
def test_textures_of_real_mods_equal_those_of_pil(box, name):
    import_pil()
    made = add_corpus(box, name)
    files = {p: b[0] for p, b in Archive(made, ours=False).files.items() if p.endswith(".DDS")}
    before = get(made)
    for path in sorted(files)[::1 if os.environ.get("MAPFS_TEST_ALL") else 7]:
        assert read_preview(box, made, path) == decode_by_pil(files[path]), path
    assert get(made) == before


@pytest.mark.parametrize("kind", [b"DXT1", b"DXT3", b"DXT5"])
def test_random_blocks_are_decoded_as_by_pil(box, kind):
    files = {"%d.DDS" % i: make_dds(kind, w, h, i) for i, (w, h) in enumerate(
        [(1, 1), (3, 2), (4, 4), (5, 4), (4, 5), (33, 18), (64, 64)])}
    made = add_archive(box, files)
    for name, data in files.items():
        assert read_preview(box, made, "media/ui/" + name) == decode_by_pil(data)


def test_parts_of_an_image_set_are_drawn(box):
    sheet = make_dds(b"DXT5", 9, 6)
    made = add_archive(box, {"SHEET.DDS": sheet, "S.IMAGESET": SET.encode(),
                         "U.IMAGESET": b"\xff\xfe" + SET.encode("utf-16-le").replace(b"\r\0", b"")})
    size, data = decode_by_pil(sheet)
    assert size == (9, 6)
    rows = [data[36 * y:36 * y + 36] for y in range(6)]
    for s in ("MEDIA/UI/S.IMAGESET", "media/ui/u.imageset"):
        assert read_preview(box, made, s) == read_preview(box, made, s + ":WHOLE") == (size, data)
    part = (2, 3), b"".join(r[16:24] for r in rows[1:4])
    assert read_preview(box, made, "MEDIA/UI/S.IMAGESET:part: TWO") == part
    out = os.path.join(box.root, "part.png")
    preview("--layer", "MEDIA/UI/S.IMAGESET:Part: two", made, out)
    assert pixels(out) == part


@pytest.mark.parametrize("path,words", [
    ("MEDIA/UI/S.IMAGESET:none", "the image set has no part 'none'"), ("MEDIA/UI/S.IMAGESET:odd", "XPos of the part is not a number"),
    ("MEDIA/UI/S.IMAGESET:far", "the part (2 x 1 at 8, 0) reaches past the texture (9 x 6)"),
    ("MEDIA/UI/S.IMAGESET:big", "reaches past the texture"), ("MEDIA/UI/S.IMAGESET:nothing", "reaches past"),
    ("MEDIA/UI/L.IMAGESET", "the texture is not in the archive"), ("MEDIA/UI/N.IMAGESET", "not an image set"),
    ("MEDIA/UI/CUT.DDS", "the texture is cut short"), ("MEDIA/UI/SHEET.DDS:x", "a texture has no parts"),
    ("MEDIA/UI/DIR.IMAGESET", "the texture is not in the archive"), ("MEDIA/UI", "not a picture"),
    ("MEDIA/UI/NONE.DDS", "No such file"), ("MEDIA/UI/NONE.DDS:x", "No such file"), ("", "not a picture")])
def test_files_that_cannot_be_drawn_are_refused(box, path, words):
    sheet = make_dds(b"DXT1", 9, 6)
    made = add_archive(box, {
        "SHEET.DDS": sheet, "CUT.DDS": sheet[:-1], "S.IMAGESET": SET.encode(), "N.IMAGESET": b"<x/>",
        "L.IMAGESET": b'<Imageset Imagefile="media/ui/gone.dds"/>', "DIR.IMAGESET": b'<Imageset Imagefile="media/ui"/>'})
    out = os.path.join(box.root, "out.png")
    err = preview(made, *([path] if path else []), out, code=2)
    assert words in err and err.count("\n") == 1
    assert not os.path.exists(out)


def test_a_picture_can_go_to_standard_output(box):
    made = add_archive(box, {"SHEET.DDS": make_dds(b"DXT1", 9, 6)})
    out = os.path.join(box.root, "out.png")
    preview(made, "MEDIA/UI/SHEET.DDS", out)
    for args in ([made, "MEDIA/UI/SHEET.DDS", "-"], ["--layer", "MEDIA/UI/SHEET.DDS", made]):
        r = subprocess.run([places.BINARY, "preview", *args], capture_output=True, timeout=120)
        with open(out, "rb") as f:
            assert (r.returncode, r.stdout, r.stderr) == (0, f.read(), b"")
    # A path that exists as the output name is refused.
    assert "SHEET.DDS: the name of a picture must end in .png" in preview(made, "MEDIA/UI/SHEET.DDS", code=2)


def test_uncompressed_pixels_are_drawn(box):
    head = struct.pack("<4s7I44x2I4s5I5I", b"DDS ", 124, 0x100F, 2, 3, 12, 0, 0, 32, 0x41, b"\0" * 4, 32, 0xFF0000,
                       0xFF00, 0xFF, 0xFF000000, 0x1000, 0, 0, 0, 0)
    body = bytes(range(24))
    made = add_archive(box, {"P.DDS": head + body})
    assert read_preview(box, made, "MEDIA/UI/P.DDS") == ((3, 2), b"".join(
        body[i + 2:i + 3] + body[i + 1:i + 2] + body[i:i + 1] + body[i + 3:i + 4] for i in range(0, 24, 4)))


@pytest.mark.parametrize("args", [[], ["a", "b", "c", "d"], ["--layer", "x", "a", "b", "c"]])
def test_a_wrong_command_line_is_refused(args):
    preview(*args, code=1)
