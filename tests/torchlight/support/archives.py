# SPDX-License-Identifier: Zlib
"""Checks of archives with the independent reader: everything that must be right in an archive."""
import pathlib
import struct
import zlib

import tlread
import tlwrite


class Archive:
    """Reads a MOD, or a PAK with its manifest, and checks every checksum, offset and counter."""

    def __init__(self, path, man=None, ours=True):
        data = pathlib.Path(path).read_bytes()
        if man is None:
            self.head = tlread.modheader(data)
            assert self.head["offdata"] == self.head["end"]
            self.section = data[self.head["offdata"]:self.head["offman"]]
            table = data[self.head["offman"]:]
        else:
            self.head, self.section, table = None, data, pathlib.Path(man).read_bytes()
        self.man = tlread.manifest(table)
        self.files, self.removed, self.times, self.order = {}, [], {}, []
        largest = 0
        for path_, entries in self.man["dirs"]:
            for e in entries:
                full = path_ + e["name"]
                if e["type"] == 7:
                    continue
                if not e["offset"]:
                    assert (e["crc"], e["usize"], e["time"]) == (0, 0, 0)
                    self.removed.append(full)
                    continue
                body, csize = tlread.block(self.section, e["offset"])
                assert zlib.crc32(body) == e["crc"], full
                assert len(body) == e["usize"], full
                largest = max(largest, csize)
                if e["name"].endswith(".JPG"):
                    assert csize == 0, full
                self.files.setdefault(full, []).append(body)
                self.times[full] = e["time"]
                self.order.append(full)
        self.largest = largest
        self.check_sums(table, ours)

    def check_sums(self, table, ours):
        largest, stored = struct.unpack_from("<II", self.section)
        assert largest == self.largest
        assert stored == tlread.pak_hash(self.section), "the game would take no notice of it"
        if not ours:
            return  # other packers do not set the rest
        zeroed = table[:2] + b"\0\0\0\0" + table[6:]
        if self.man["version"] >= 2:
            assert any(tlread.manifest_hash(zeroed, s) == self.man["mhash"] for s in range(15, 26))
        holding = {p for p, es in self.man["dirs"] if any(e["type"] != 7 for e in es)}
        n = sum(e["type"] != 7 for _, es in self.man["dirs"] for e in es)
        assert self.man["total"] == n + sum(p.count("/") for p in holding)
        if self.head and self.head["ver"] >= 3:
            assert sorted(self.head["dels"]) == sorted(self.removed)

    def one(self, path):
        assert len(self.files[path]) == 1
        return self.files[path][0]


def text_dat(name, level=1):
    return ("[UNIT]\n\t<STRING>NAME:%s\n\t<INTEGER>LEVEL:%d\n\t[CHILD]\n\t\t<FLOAT>WEIGHT:0.5\n"
            "\t[/CHILD]\n[/UNIT]\n" % (name, level)).encode()


def dat(name, level=1):
    child = ("CHILD", [("WEIGHT", 2, struct.pack("<f", 0.5))], [])
    return tlwrite.bindat(("UNIT", [("NAME", 5, struct.pack("<I", 1)),
                                    ("LEVEL", 1, struct.pack("<i", level))], [child]), {1: name})


def small_mod(**header):
    return tlwrite.mod([
        ("MEDIA/UNITS/", "A.DAT", dat("a"), False),
        ("MEDIA/UNITS/", "B.DAT", dat("b", 2), False),
        ("MEDIA/UNITS/", "PIC.JPG", bytes(range(256)) * 9, True),
        ("MEDIA/", "README.TXT", b"hello\n", False),
        ("MEDIA/", "EMPTY.OGG", b"", False),
    ], removed=["MEDIA/UNITS/GONE.DAT", "MEDIA/OLD/X.LAYOUT"], **header)


def large_mod(n, per_dir=250):
    pak = tlwrite.Pak()
    one, two = dat("x"), b"sound" * 20
    at, at2 = pak.add(one), pak.add(two)
    records = []
    for d in range(n // per_dir):
        records.append(("MEDIA/D%04d/" % d, [
            tlwrite.entry("F%05d.DAT" % i, at, one, 0, 131000000000000000) if i % 2 else
            tlwrite.entry("F%05d.OGG" % i, at2, two, 6, 131000000000000000)
            for i in range(per_dir)]))
    section = pak.finish()
    return tlwrite.modheader(len(section)) + section + tlwrite.manifest(records)
