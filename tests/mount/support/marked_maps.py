# SPDX-License-Identifier: Zlib
"""Maps with a mark in every part, and with three texts to write into: a Teeworlds map, and a PAK with its
manifest."""
import os
import sys
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.join(HERE, "..", "..", folder) for folder in ("torchlight", "torchlight/support")]

import tlread  # noqa: E402
import tlwrite  # noqa: E402

import datafile  # noqa: E402


class Map:
    names = ("small.map",)
    texts = ("info/version", "info/credits", "info/license")

    @staticmethod
    def make(n):
        b, mark = datafile.Builder(), b"m%04d" % n
        b.add(datafile.MAP_VERSION, [1])
        b.info(mark)
        b.image(mark, 5, 4, mark * 16)
        b.sound(mark, datafile.opus_head() + mark * 16)
        b.tiles(5, 4, mark * 16, flags=1, name="Game")
        b.group(0, 1, "Game")
        b.add(datafile.ENVPOINTS, [])
        return (b.encode(),)

    @staticmethod
    def read(files):
        f = datafile.Datafile(files[0])
        info, image, sound, layer = (f.of_type(t)[0].ints for t in (
            datafile.INFO, datafile.IMAGE, datafile.SOUND, datafile.LAYER))
        marks = {f.blob(info[1])[:-1], f.blob(image[4])[:-1], f.blob(sound[2])[:-1]}
        marks |= {f.blob(i)[-5:] for i in (image[5], sound[3], layer[14])}
        return marks, {f.blob(i)[:-1] for i in info[2:5] if i >= 0}


class Pair:
    names = ("X.PAK", "X.PAK.MAN")
    texts = ("MEDIA/A.TXT", "MEDIA/B.TXT", "MEDIA/C.TXT")

    @staticmethod
    def make(n):
        mark, pak = b"m%04d" % n, tlwrite.Pak()
        # Each has another length, so that no manifest fits the PAK of another one.
        contents = {"1.OGG": mark * 9, "2.OGG": mark * (20 + n), "A.TXT": b"\n", "B.TXT": b"\n", "C.TXT": b"\n"}
        rows = [tlwrite.entry(name, pak.add(data), data, 6) for name, data in contents.items()]
        return pak.finish(), tlwrite.manifest([("MEDIA/", rows)], total=6)

    @staticmethod
    def read(files):
        marks, written = set(), set()
        for entry in tlread.manifest(files[1])["dirs"][0][1]:
            data, _ = tlread.block(files[0], entry["offset"])
            if len(data) != entry["usize"] or zlib.crc32(data) != entry["crc"]:
                raise ValueError(entry["name"])
            if entry["name"].endswith(".OGG"):
                marks |= {data[:5], data[-5:]}
            else:
                written.add(data[:-1])
        return marks, written


def parts(kind, files):
    """The marks of all parts and the written texts, or None if the files are not a whole map."""
    try:
        return kind.read(files)
    except Exception:  # any error of these readers
        return None
