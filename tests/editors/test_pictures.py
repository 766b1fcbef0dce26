# SPDX-License-Identifier: Zlib
"""Programs that change pictures, and an office program that makes a table."""
import os

import pytest

import box as boxes
import datafile
import reading
from datafile import IMAGE
from session import pixels

CREDIT = "images/9_tsunamicredit.png"
LOGO = "images/8_tsunami.png"


def finish(s, made, name=CREDIT, changed=True):
    """The map has the picture that the program made of the copy in the ordinary directory."""
    shown = pixels(s.m.get(name))
    assert shown == pixels(made)
    old = s.before.of_type(IMAGE)[int(os.path.basename(name)[0])].ints
    assert (shown != (old[1], old[2], s.before.blob(old[5]))) == changed
    s.end()
    s.image_is(name, pixels(made))


def test_convert_overwrites_its_input(tsunami):
    finish(tsunami, tsunami.both(CREDIT, "convert", "{}", "-negate", "{}"))


def test_convert_changes_the_size(tsunami):
    finish(tsunami, tsunami.both(CREDIT, "convert", "{}", "-resize", "50%", "{}"))


@pytest.mark.parametrize("args", [["-resize", "64x64!"], ["-colors", "16"]], ids=" ".join)
def test_mogrify_changes_an_image(tsunami, args):
    finish(tsunami, tsunami.both(CREDIT, "mogrify", *args))


@pytest.mark.parametrize("args", [["-q"], ["-q", "-force", "-backup"]], ids=" ".join)
def test_optipng_leaves_the_map_unchanged(tsunami, args):
    # optipng changes the encoding of a picture but not its pixels, so the map stays unchanged.
    s = tsunami
    finish(s, s.both(CREDIT, "optipng", *args), changed=False)
    assert s.after.raw == s.raw


def test_pngquant_changes_an_image(tsunami):
    finish(tsunami, tsunami.both(CREDIT, "pngquant", "--ext", ".png", "--force", "16"))


def test_pngquant_into_a_new_name_adds_an_image(tsunami):
    s = tsunami
    s.both(CREDIT, "pngquant", "16")
    quantised = pixels(boxes.get(os.path.join(s.twin, "images/9_tsunamicredit-fs8.png")))
    assert pixels(s.m.get("images/9_tsunamicredit-fs8.png")) == quantised
    s.end(same_names=False)
    # Both have the position 9, and the newer one of two equal positions comes first.
    assert reading.names(s.after, IMAGE)[8:] == ["tsunami", "tsunamicredit-fs8", "tsunamicredit"]
    assert reading.references(s.after) == reading.references(s.before)
    assert pixels(s.extracted("tsunamicredit-fs8.png")) == quantised
    assert pixels(s.extracted("tsunamicredit.png")) == reading.image(s.before, "tsunamicredit")


def test_pillow_changes_an_image(tsunami):
    Image = pytest.importorskip("PIL.Image")
    s = tsunami
    for path in (s.copy(CREDIT), s / CREDIT):
        picture = Image.open(path)
        picture.paste((255, 0, 255, 255), (0, 0, 16, 16))
        picture.save(path)
    finish(s, s.same_as_twin(CREDIT))


def test_pillow_writes_an_image_with_a_palette(tsunami):
    Image = pytest.importorskip("PIL.Image")
    s = tsunami
    for path in (s.copy(CREDIT), s / CREDIT):
        Image.open(path).convert("P").save(path, optimize=True)
    finish(s, s.same_as_twin(CREDIT))


GIMP = """(let* ((image (car (gimp-file-load RUN-NONINTERACTIVE "%s" "%s")))
                 (layer (car (gimp-image-get-active-layer image))))
    (gimp-drawable-invert layer FALSE)
    (gimp-file-save RUN-NONINTERACTIVE image layer "%s" "%s"))"""


def test_gimp_changes_an_image(tsunami):
    s = tsunami
    args = []
    for path in (s.copy(CREDIT), s / CREDIT):
        args += ["-b", GIMP % (path, path, path, path)]
    s.run("gimp", "-n", "-i", "-d", "-f", "-s", *args, "-b", "(gimp-quit 0)")
    finish(s, s.same_as_twin(CREDIT))


CELL = '<table:table-cell office:value-type="float" office:value="%d"><text:p>%d</text:p></table:table-cell>'
TABLE = """<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.2"
 office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet>
<table:table table:name="id">%s</table:table>
</office:spreadsheet></office:body></office:document>
"""


def test_libreoffice_makes_a_table_of_a_spreadsheet(generated):
    s = generated
    name = "groups/0_Game/layers/1_ground/id.csv"
    rows = [[int(c) for c in line.split(b",")] for line in s.m.get(name).splitlines()]
    rows[3][7], rows[0][0], rows[9][19] = 123, 0, 255
    sheet = os.path.join(s.box.root, "id.fods")
    with open(sheet, "w") as f:
        f.write(TABLE % "".join("<table:table-row>%s</table:table-row>" % "".join(
            CELL % (c, c) for c in row) for row in rows))
    s.run("soffice", "--headless", "--norestore", "--convert-to", "csv", "--outdir",
          os.path.dirname(s / name), sheet)
    shown = [[int(c) for c in line.split(b",")] for line in s.m.get(name).splitlines()]
    assert shown == rows
    s.end()
    layer = s.before.of_type(datafile.LAYER)[1]
    s.only(blobs=[layer.ints[14]])
    tiles = s.after.blob(layer.ints[14])
    assert [list(tiles[80 * y:80 * y + 80:4]) for y in range(10)] == rows


def test_an_invalid_picture_is_refused_and_the_image_stays(tsunami):
    s = tsunami
    gif = os.path.join(s.box.root, "x.gif")
    s.run("convert", s / CREDIT, gif)
    old = s.m.get(CREDIT)
    r = s.run("cp", gif, s / CREDIT, code=1)
    assert "Invalid argument" in r.err
    assert "PNG" in s.m.xattr(CREDIT, "user.mapfs.error")
    os.removexattr(s / CREDIT, "user.mapfs.error")
    assert s.m.get(CREDIT) == old
    s.end()
    assert s.after.raw == s.raw


def test_one_program_changes_two_pictures(tsunami):
    s = tsunami
    made = {n: s.copy(n) for n in (CREDIT, LOGO)}
    for paths in (list(made.values()), [s / n for n in made]):
        s.run("mogrify", "-negate", *paths)
    s.end()
    for name, twin in made.items():
        own = os.path.basename(name).split("_", 1)[1]
        assert pixels(s.extracted(own)) == pixels(boxes.get(twin))
