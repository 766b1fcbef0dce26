# SPDX-License-Identifier: Zlib
"""-o png=packed shows the same pixels in compressed files, whose sizes are computed on demand."""
import errno
import io
import os

import pytest

import box as boxes
import datafile
import folder
import parts
import places
import shims
import test_png
from editing import sync

Image = pytest.importorskip("PIL.Image")

PNG = test_png.PNG
TSUNAMI = "ddnet/data/maps/Tsunami.map"


def embedded(f):
    """The embedded images of the map in order: (position, width, height, pixels)."""
    return [(i, x.ints[1], x.ints[2], f.blob(x.ints[5]))
            for i, x in enumerate(f.of_type(datafile.IMAGE)) if not x.ints[3]]


def shown_images(m):
    names = [n for n in os.listdir(m / "images") if n.endswith(".png")]
    return sorted(names, key=lambda n: int(n.split("_")[0]))


def test_every_packed_image_has_the_pixels_of_the_map_and_is_small(box):
    copy = box.add(places.debian_map(TSUNAMI))
    raw = boxes.get(copy)
    m = box.mount(copy, "png=packed")
    images = embedded(datafile.Datafile.load(copy))
    names = shown_images(m)
    assert len(names) == len(images) > 1
    total = 0
    for name, (at, width, height, pixels) in zip(names, images):
        data = m.get("images/" + name)
        assert int(name.split("_")[0]) == at and os.stat(m / ("images/" + name)).st_size == len(data)
        picture = Image.open(io.BytesIO(data))
        assert (picture.size, picture.mode) == ((width, height), "RGBA")
        assert picture.tobytes() == pixels
        total += len(data)
    assert 10 * total < sum(len(p) for _, _, _, p in images)
    # Writing the same content is no change.
    for name in names:
        m.put("images/" + name, m.get("images/" + name))
    m.unmount()
    assert boxes.get(copy) == raw


def test_default_and_stored_images_have_a_known_length(box):
    for opts in ("", "png=stored", "png=packed,png=stored"):
        m = box.mount(box.add(datafile.small_map()), opts)
        assert os.stat(m / PNG).st_size == 63 + 16 * 65 + 5
        m.unmount()
    r = box.mount(box.add(datafile.small_map()), "png=large", code=1).result
    assert "stored or packed" in r.err


@pytest.mark.parametrize("kind", test_png.KINDS)
def test_a_written_image_is_shown_packed(box, kind):
    data = test_png.KINDS[kind]()
    want = Image.open(io.BytesIO(data)).convert("RGBA")
    m = box.mount(box.add(datafile.small_map()), "png=packed")
    m.put(PNG, data)
    assert m.get(PNG) == data
    sync(m)
    canonical = m.get(PNG)
    assert os.stat(m / PNG).st_size == len(canonical)
    m.put(PNG, canonical)
    assert m.get(PNG) == canonical
    m.unmount()
    assert parts.image(m.map) == (*want.size, want.tobytes())
    again = box.mount(m.map, "png=packed")
    assert again.get(PNG) == canonical
    again.unmount()


def test_sizes_are_computed_once_and_not_for_names_only(box):
    copy = box.add(places.debian_map(TSUNAMI))
    shim = box.shim(shims.Inflate)
    m = box.mount(copy, "png=packed,cache=256M", shim=shim)
    sizes = sorted(len(p) for _, _, _, p in embedded(datafile.Datafile.load(copy)))

    def inflated():
        return sorted(n for n, _ in shim.streams() if n in sizes)

    assert box.run("-R", m.point, program="ls").code == 0
    assert inflated() == []
    for _ in range(2):
        assert box.run("-lR", m.point, program="ls").code == 0
        assert inflated() == sizes
    for name in shown_images(m):
        m.get("images/" + name)
    assert inflated() == sizes
    m.unmount()


@pytest.mark.parametrize("listed", [False, True])
def test_a_damaged_image_never_reads_as_empty(box, listed):
    raw = bytearray(datafile.small_map())
    f = datafile.Datafile(bytes(raw))
    raw[f.ranges[f.of_type(datafile.IMAGE)[0].ints[5]][0] + 10] ^= 0xFF
    m = box.mount(box.add(bytes(raw)), "png=packed")
    if listed:
        assert os.stat(m / PNG).st_size == 0
    for _ in range(2):
        assert boxes.refused(m.get, PNG) == errno.EIO
    data = test_png.encoded(test_png.gradient("RGBA"))
    m.put(PNG, data)
    assert Image.open(io.BytesIO(m.get(PNG))).size == test_png.SIZE
    m.unmount()


def test_a_folder_and_a_new_map_obey_the_option(box):
    folder.fill(box)
    m = box.mount(box.maps, "png=packed")
    small = m.get("small.map/" + PNG)
    assert len(small) < 63 + 16 * 65 + 5
    assert os.stat(m / ("small.map/" + PNG)).st_size == len(small)
    m.unmount()
    new = os.path.join(box.maps, "new.map")
    box.allow("new.map")
    assert box.run("--new", "-o", "png=packed", new, box.point()).code == 0
    n = boxes.Mount(box, new, box.point())
    with open(n / "images/a.png", "wb") as out:
        out.write(test_png.encoded(Image.new("RGBA", (64, 64), (9, 8, 7, 255))))
    assert len(n.get("images/a.png")) < 1000
    n.unmount()
