# SPDX-License-Identifier: Zlib
"""The servers of both games load a map after structural changes: a copied layer, a removed layer, a new order through
mv, new sizes through layer.json."""
import json
import os
import signal
import subprocess

import pytest

import datafile
import places
from datafile import GROUP, LAYER
from test_games import loads
from words import numbers

MAPS = ["ddnet/data/maps/dm1.map", "ddnet/data/maps/Tsunami.map", "ddnet/data/maps/Tutorial.map"]
VANILLA = ["teeworlds/data/maps/ctf3.map", "teeworlds/data/maps/dm9.map",
           "teeworlds/data/maps/lms1.map"]
GAME, WIDTH, HEIGHT, KIND = 1, 4, 5, 6


def sh(*args):
    done = subprocess.run(args, capture_output=True, text=True, check=False)
    assert done.returncode == 0, "%s\n%s" % (" ".join(args), done.stderr)


def layers_of(m):
    """[(path, layer.json)] of all layers"""
    out = []
    for group in sorted(os.listdir(m / "groups")):
        top = "groups/%s/layers" % group
        for name in sorted(os.listdir(m / top)):
            path = "%s/%s" % (top, name)
            out.append((path, numbers(json.loads(m.get(path + "/layer.json")))))
    return out


def resize(m, path, layer, width, height):
    """Change two numbers of the file, like sed."""
    text = m.get(path + "/layer.json").decode()
    text = text.replace('"width": %d,' % layer["width"], '"width": %d,' % width)
    text = text.replace('"height": %d,' % layer["height"], '"height": %d,' % height)
    m.put(path + "/layer.json", text.encode())


def rearrange(m):
    """Rearrange the map and return the requested size of the game layer."""
    layers = layers_of(m)
    design = [(p, layer) for p, layer in layers if layer.get("kind") == 0]
    physics = [(p, layer) for p, layer in layers if layer.get("kind", 0) != 0]
    game = next(p for p, layer in layers if layer.get("kind") == GAME)
    width, height = physics[0][1]["width"] + 5, physics[0][1]["height"] + 3
    for path, layer in physics:
        resize(m, path, layer, width, height)
    resize(m, *design[0], design[0][1]["width"] + 2, max(2, design[0][1]["height"] - 1))
    # Into the game group, below all other layers.
    sh("cp", "-r", m / design[0][0], m / (os.path.dirname(game) + "/0_copy"))
    sh("rm", "-r", m / design[-1][0])
    sh("mv", m / game, m / (os.path.dirname(game) + "/99_Game"))
    groups = sorted(os.listdir(m / "groups"))
    sh("mv", m / ("groups/" + groups[0]), m / "groups/98_first")
    return width, height


def game_of(path):
    f = datafile.Datafile.load(path)
    return f, next(i.ints for i in f.of_type(LAYER) if i.ints[1] == 2 and i.ints[KIND] == GAME)


def edited(box, name):
    path = box.add(places.debian_map(name), "x.map")
    before = datafile.Datafile.load(path)
    m = box.mount(path)
    size = rearrange(m)
    m.unmount()
    after, game = game_of(path)
    assert tuple(game[WIDTH:HEIGHT + 1]) == size
    assert len(after.of_type(LAYER)) == len(before.of_type(LAYER))
    assert len(after.of_type(GROUP)) == len(before.of_type(GROUP))
    assert after.raw != before.raw
    return path


def repaired(box):
    """The map of a generator, also with tables that a game refuses."""
    with open(places.found_map("ld_generated.map"), "rb") as f:
        raw = f.read()
    path = box.add(raw[:8] + bytes(8) + raw[16:] + b"behind", "x.map")
    r = box.run("check", "--fix", path)
    assert r.code == 0 and r.out.count(": repaired ") == 7
    return path


def test_the_ddnet_server_loads_a_repaired_map(box):
    loads(box, "/usr/games/DDNet-Server", ".local/share/ddnet", repaired(box),
          [b"rcon password"], [b"failed to load map", b"VERY wrong"], signal.SIGINT,
          "sv_ipv4only 1")


def test_the_teeworlds_server_loads_a_repaired_map(box):
    loads(box, "/usr/games/teeworlds-server", ".teeworlds", repaired(box), [b"crc is"],
          [b"failed to load map"], signal.SIGTERM)


@pytest.mark.parametrize("name", MAPS)
def test_the_ddnet_server_loads_a_rearranged_map(box, name):
    loads(box, "/usr/games/DDNet-Server", ".local/share/ddnet", edited(box, name),
          [b"rcon password"], [b"failed to load map", b"VERY wrong"], signal.SIGINT,
          "sv_ipv4only 1")


@pytest.mark.parametrize("name", VANILLA)
def test_the_teeworlds_server_loads_a_rearranged_map(box, name):
    loads(box, "/usr/games/teeworlds-server", ".teeworlds", edited(box, name), [b"crc is"],
          [b"failed to load map"], signal.SIGTERM)
