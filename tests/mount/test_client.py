# SPDX-License-Identifier: Zlib
"""DDNet's client shows edits: a repainted tileset, a removed layer, a copied group.

Each layer of the map has a color of its own and covers a good part of the window around the only spawn point. So the
test counts pixels by color, whatever else moves. MAPFS_SCREENSHOTS names a folder for copies of the pictures.
"""
import os
import shutil
import subprocess
import sys

import pytest

import box as boxes
import datafile

stage = pytest.importorskip("stage", reason="not installed: python3-pil")
Image = pytest.importorskip("PIL.Image")

WIDTH, HEIGHT, SPAWN = 60, 40, 192
GROUND, STRIPE, BLOCK, AGAIN = (200, 40, 40), (40, 200, 60), (40, 60, 200), (210, 190, 30)
CELL = 16


def tileset(*colours):
    """Tile 1 has the first color, and so on."""
    picture = Image.new("RGBA", (16 * CELL, 16 * CELL), (0, 0, 0, 0))
    for i, colour in enumerate(colours, 1):
        picture.paste((*colour, 255), (i * CELL, 0, (i + 1) * CELL, CELL))
    return picture


def tiles(id_, inside):
    return b"".join(bytes((id_ if inside(x, y) else 0, 0, 0, 0))
                    for y in range(HEIGHT) for x in range(WIDTH))


def painted_map():
    """The tee spawns at (30, 20), with a stripe on its left and a block on its right."""
    b = datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    b.info(b"nobody")
    b.image(b"paint", 16 * CELL, 16 * CELL, tileset(GROUND, STRIPE, BLOCK).tobytes())
    game = bytearray(tiles(1, lambda x, y: y == 21))
    game[4 * (20 * WIDTH + 30)] = SPAWN
    b.tiles(WIDTH, HEIGHT, tiles(1, lambda x, y: True), image=0, name="ground")
    b.tiles(WIDTH, HEIGHT, tiles(2, lambda x, y: 22 <= x < 26), image=0, name="stripe")
    b.tiles(WIDTH, HEIGHT, bytes(game), flags=1, name="Game")
    b.tiles(WIDTH, HEIGHT, tiles(3, lambda x, y: 32 <= x < 35 and 14 <= y < 18), image=0,
            name="block")
    b.group(0, 2, "Back")
    b.group(2, 1, "Game")
    b.group(3, 1, "Fore")
    b.add(datafile.ENVPOINTS, [])
    return b.encode()


def color_shares(box, path, name, expect):
    """The shares of the map's colors in the window, in the order of the constants."""
    out = os.path.join(box.root, name + ".png")
    home = os.path.join(box.root, "stage-" + name)
    os.mkdir(home)
    flags = ["-n"] if os.geteuid() == 0 else ["-rn"]
    r = box.run(*flags, sys.executable, stage.__file__, home, path, out, "%02x%02x%02x" % expect,
                program=shutil.which("unshare"), timeout=180)
    folder = os.environ.get("MAPFS_SCREENSHOTS")
    if folder and os.path.exists(out):
        shutil.copy(out, folder)
    logs = "".join("== %s\n%s" % (n, open(os.path.join(home, n), errors="replace").read()[-3000:])
                   for n in sorted(os.listdir(home)) if n.endswith(".log"))
    assert r.code == 0, "the client does not show the map\n%s%s%s" % (r.out, r.err, logs)
    picture = Image.open(out)
    return [stage.share(picture, c) for c in (GROUND, STRIPE, BLOCK, AGAIN)]


@pytest.fixture
def client():
    lacking = stage.missing()
    if lacking:
        pytest.skip("not installed: " + ", ".join(lacking))
    boxes.needs_namespaces("-n" if os.geteuid() == 0 else "-rn")


def test_the_client_shows_the_edits(box, client):
    path = box.add(painted_map(), "x.map")
    ground, stripe, block, again = color_shares(box, path, "before", GROUND)
    assert ground > 0.3 and stripe > 0.02 and block > 0.01 and again == 0
    m = box.mount(path)
    tileset(AGAIN, STRIPE, BLOCK).save(m / "images/0_paint.png", "PNG")
    subprocess.run(["rm", "-r", m / "groups/0_Back/layers/1_stripe"], check=True)
    subprocess.run(["cp", "-r", m / "groups/2_Fore", m / "groups/3_Copy"], check=True)
    group = m.get("groups/3_Copy/group.json")
    m.put("groups/3_Copy/group.json", group.replace(b'"y_offset": 0', b'"y_offset": -192'))
    m.unmount()
    ground, stripe, twice, again = color_shares(box, path, "after", AGAIN)
    assert again > 0.3 and ground < 0.01 and stripe < 0.01
    assert 1.7 * block < twice < 2.3 * block

