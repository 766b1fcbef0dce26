# SPDX-License-Identifier: Zlib
"""What is measured: maps and archives that are the same on every machine."""
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.join(HERE, "..", "..", "tests")
for folder in ("mount", "mount/support", "torchlight", "torchlight/support", "teeworlds", "teeworlds/support"):
    sys.path.append(os.path.join(TESTS, folder))

import datafile  # noqa: E402
import picture  # noqa: E402
import places  # noqa: E402

MIB = 1 << 20


def write(path, data):
    with open(path, "wb", buffering=0) as f:
        view = memoryview(data)
        while view:
            view = view[f.write(view):]
    return path


def tiles(rng, count):
    """As people draw: mostly air, runs of a few tiles, here and there one that is turned."""
    out = bytearray()
    while len(out) < 4 * count:
        kind = rng.choice((0, 0, 0, 1, 1, 5, 17, 203))
        out += bytes((kind, rng.choice((0, 0, 0, 1, 8)) if kind else 0, 0, 0)) * rng.randint(1, 60)
    return bytes(out[:4 * count])


def pixels(rng, side):
    """Flat areas and noise, half of each, which compress about as drawn tilesets do. No row of noise is
    another's, or it would be found again."""
    return b"".join(rng.randbytes(4 * side) if y % 2 else bytes((y & 255, 60, 90, 255)) * side
                    for y in range(side))


def png(path, seed, side=3072):
    """An image of about 8 MB: two rows of nine are noise."""
    rng = random.Random(seed)
    rows = (rng.randbytes(4 * side) if y % 9 < 2 else bytes((y & 255, 60, 90, 255)) * side for y in range(side))
    return write(path, picture.png(side, side, b"".join(rows)))


def map_of(path, size):
    """About so many bytes as a file: images up to nine tenths of it, then layers."""
    rng, b = random.Random(size), datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    b.info(b"nobody", b"1.0", b"", b"CC0", (b"sv_deepfly 0", b"tune ground_friction 0.5"))
    side = 256 if size < 16 * MIB else 1024 if size < 512 * MIB else 2048
    n = max(1, int(0.9 * size / (2 * side * side)))
    for i in range(n):
        b.image(b"image %d" % i, side, side, pixels(rng, side))
    wide = 100 if size < 16 * MIB else 500
    layers = 8
    for i in range(layers):
        b.tiles(wide, wide, tiles(rng, wide * wide), flags=1 if i == 0 else 0, image=-1 if i == 0 else i % n,
                name="layer %d" % i)
    b.group(0, layers, "Game")
    b.add(datafile.ENVPOINTS, [])
    return write(path, b.encode(level=1))


def wide_map(path, size):
    """Layers of so many bytes of tiles each."""
    rng, b = random.Random(size), datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    b.info(b"nobody")
    side = int((size / 4) ** 0.5)
    some = tiles(rng, side * 64)
    for i in range(2):
        b.tiles(side, side, (some * (side // 64 + 1))[4 * i:4 * i + 4 * side * side], flags=1 - i,
                name="layer %d" % i)
    b.group(0, 2, "Game")
    b.add(datafile.ENVPOINTS, [])
    return write(path, b.encode(level=1))


def folder(path, n):
    os.mkdir(path)
    data = datafile.small_map()
    for i in range(n):
        write(os.path.join(path, "map%05d.map" % i), data)
    return path


def compiled(i):
    """A compiled file of the kind that most are: some values, each other than in the next."""
    import archives
    return archives.dat("unit %d" % i)


def archive(path, n, n_compiled):
    """A mod of n entries, n_compiled of which are compiled files."""
    import tlwrite
    pak, sound = tlwrite.Pak(), b"sound" * 20
    at_sound = pak.add(sound)
    dats = [(d, pak.add(d)) for d in (compiled(i) for i in range(n_compiled))]
    step, records, per_dir = max(1, n // max(1, n_compiled)), [], 250
    for d in range(0, n, per_dir):
        entries = []
        for i in range(d, min(n, d + per_dir)):
            k = i // step
            if i % step == 0 and k < n_compiled:
                entries.append(tlwrite.entry("F%05d.DAT" % i, dats[k][1], dats[k][0], 0, 131000000000000000))
            else:
                entries.append(tlwrite.entry("F%05d.OGG" % i, at_sound, sound, 6, 131000000000000000))
        records.append(("MEDIA/D%04d/" % (d // per_dir), entries))
    section = pak.finish()
    return write(path, tlwrite.modheader(len(section)) + section + tlwrite.manifest(records))


def real(name):
    """A map of the corpus or of Debian's games, or None."""
    for path in (os.path.join(places.CORPUS, "maps", name), os.path.join(places.GAMES, name)):
        if os.path.exists(path):
            return path
    return None
