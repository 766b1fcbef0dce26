# SPDX-License-Identifier: Zlib
"""A small map that keeps DDNet's rules; tests change it to break one rule each."""
import struct

import datafile
from datafile import ENVELOPE, ENVPOINTS, LAYER, words

W, H = 6, 5
KINDS = {"game": 1, "tele": 2, "speedup": 4, "front": 8, "switch": 16, "tune": 32}
SIZES = {"tele": 2, "speedup": 6, "switch": 4, "tune": 2}
# Index of the own field of each kind, after the name of a layer of version 3.
FIELDS = {"tele": 18, "speedup": 19, "front": 20, "switch": 21, "tune": 22}


class Race:
    """`tiles`: {layer: {(column, line) from 1: bytes of the tile}}. The last line of the game layer is solid, and the
    one design layer is full."""

    def __init__(self):
        self.info = [b"Ann", b"1", b"", b"CC0"]
        self.settings = [b"sv_team 1"]
        self.tiles = {"game": {(1, 1): (192, 0), (2, 1): (33, 0), (3, 1): (34, 0), (4, 1): (35, 0)}}
        for x in range(1, W + 1):
            self.put("game", x, H, 1)
        self.images = [(b"grass_main", None)]  # name, and (width, height, pixels) if it is embedded
        self.sounds, self.envelopes = 0, 0
        self.design = [(W, H, bytes([1, 0, 0, 0]) * (W * H), 0, -1)]  # pixels, image, envelope
        self.properties = {}  # integers of the item of a physics layer, by its name and their index
        self.quads = []  # (image, envelope) of each quad

    def put(self, layer, x, y, *tile):
        self.tiles.setdefault(layer, {})[x, y] = tile + (0,) * (SIZES.get(layer, 4) - len(tile))

    def table(self, layer):
        size = SIZES.get(layer, 4)
        cells = bytearray(W * H * size)
        for (x, y), tile in self.tiles[layer].items():
            at = ((y - 1) * W + x - 1) * size
            cells[at:at + len(tile)] = bytes(tile)
        return bytes(cells)

    def encode(self):
        b = datafile.Builder()
        b.add(datafile.MAP_VERSION, [1])
        b.info(*self.info, self.settings)
        for name, content in self.images:
            if content:
                b.image(name, *content)
            else:
                b.external(name)
        for i in range(self.sounds):
            b.sound(b"bell%d" % i, datafile.opus_head())
        for layer in self.tiles:
            b.tiles(W, H, self.table(layer) if layer == "game" else bytes(4 * W * H), KINDS[layer], name=layer)
            if layer in FIELDS:
                b.items[-1].ints[FIELDS[layer]] = b.blob(self.table(layer))
            for field, value in self.properties.get(layer, {}).items():
                b.items[-1].ints[field] = value
        for w, h, cells, image, envelope in self.design:
            b.tiles(w, h, cells, image=image, name="design")
            b.items[-1].ints[11] = envelope
        for image, envelope in self.quads:
            quad = [0] * 34 + [envelope, 0, -1, 0]
            b.add(LAYER, [0, 3, 0, 2, 1, b.blob(struct.pack("<38i", *quad)), image] + words("quads", 3))
        for _ in range(self.envelopes):
            b.add(ENVELOPE, [2, 3, 0, 0] + words("", 8) + [0])
        b.group(0, len(b_layers(b)), "Game")
        b.add(ENVPOINTS, [])
        return b.encode()


def b_layers(b):
    return [i for i in b.items if i.type == LAYER]
