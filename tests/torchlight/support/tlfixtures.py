# SPDX-License-Identifier: Zlib
"""Small compiled files made by tlwrite, with every feature: {name in an archive: bytes}."""
import struct

from tlwrite import bindat, group_node, layout, layout_object, logic, ss


def _i(v):
    return struct.pack("<I", v & 0xffffffff)


def dats():
    every = [("A", 1, _i(-7)), ("B", 2, struct.pack("<f", 0.1)),
             ("NAME", 3, struct.pack("<d", -0.0)), ("GUID", 4, _i(0xffffffff)), ("LEVEL", 5, _i(0)), ("THEME", 6, _i(9)),
             ("MIN", 7, struct.pack("<q", -2**63)), ("MAX", 8, _i(0xffffffff)), ("", 9, _i(44))]
    strings = {0: "天 \ud800 x", 44: "\ttabs: and colons ", 0xffffffff: ""}
    deep = ("LEAF", [], [])
    for i in range(62):
        deep = ("LEVEL%d" % i, [], [deep])
    return {
        "MEDIA/EVERY.DAT": bindat(("ROOT", every, [("IN", [("A", 5, _i(44))], [])]), strings),
        "MEDIA/DEEP.DAT": bindat(("ROOT", [], [deep]), {}),
        "MEDIA/TWINS.DAT": bindat(("ROOT", [("A", 5, _i(3)), ("A", 5, _i(9)), ("A", 5, _i(3)),
                                            ("B", 5, _i(9))], []), {3: "same", 9: "same"}),
        "MEDIA/NANS.TEMPLATE": bindat(("ROOT", [("A", 2, _i(0x7fc00001)), ("A", 2, _i(0xff800000)),
                                                ("A", 2, _i(1))], []), {}),
        "MEDIA/UNKNOWN.HIE": bindat(("NOBODY KNOWS THIS", [("NOR THAT", 1, _i(1))], []), {}),
    }


def timeline():
    def row(prop, event, points):
        return ss(prop) + ss(event) + bytes([len(points)]) + b"".join(points)
    points = [struct.pack("<fB", 0.5, i) for i in (0, 4, 7, 9)]
    valued = [p + ss("1") for p in points]
    return (bytes([1]) + struct.pack("<q", -9) + bytes([2]) + row("ALPHA", "", valued)
            + row("", "Play", points))


def layouts():
    def plain(kind, oid, name="", props=(), extra=b"", children=()):
        return lambda at: layout_object(at, kind, oid, name, props, extra, children)
    f3 = struct.pack("<fff", 1, -2.5, 0)
    grouped = [plain(1, 77, "outer", [(101, ss("Weight"))], b"",
                     [plain(13, 5, "sound"), plain(1, 78, "inner")]), plain(1, 79)]
    whole = layout(grouped)
    places = [i for i in range(len(whole)) if whole[i:i + 8] in
              (struct.pack("<q", n) for n in (77, 78, 79))]
    nodes = [group_node(oid, at - 5, garbage=g, choice=c, active=a) for oid, at, g, c, a in
             ((78, places[1], 206, 0, (1, -2)), (79, places[2], 48, 2, ()))]
    outer = group_node(77, places[0] - 5, [nodes[0]], garbage=110, choice=1)
    root = group_node(-1, 6, [outer, nodes[1]], root=True)
    return {
        "MEDIA/EMPTY.LAYOUT": layout([]),
        "MEDIA/OLD.LAYOUT": layout([plain(5, 1, "x")], version=4),
        "MEDIA/ODD.LAYOUT": layout([plain(5, 1, "x")], version=17),
        "MEDIA/KINDS.LAYOUT": layout([plain(5, 2**63 - 1, "天", [
            (42, f3), (42, f3), (42, b"short"), (58, struct.pack("<Hff", 2, 0, 1)),
            (58, struct.pack("<H", 0)), (97, _i(3)), (100, _i(1)), (100, _i(5)), (46, ss("Random")),
            (46, ss("two\nlines")), (250, ss("hello")), (251, _i(1)), (252, _i(0x3fc00000)),
            (253, b""), (254, _i(0x7fc00000))])]),
        "MEDIA/LOGIC.LAYOUT": layout([plain(36, 3, extra=logic(
            [(0, 1, 86, 146, [(1, "Activated", "Show")]), (1, -1, 0, 0.5, [])]))]),
        # The record has a wrong end, which must be kept.
        "MEDIA/BADLOGIC.LAYOUT": layout([plain(36, 3, extra=logic([(0, 1, 0, 0, [])])(1000))]),
        "MEDIA/TIME.LAYOUT": layout([plain(35, 4, extra=timeline())]),
        "MEDIA/BADTIME.LAYOUT": layout([plain(35, 4, extra=b"\x01\x02")]),
        "MEDIA/GROUPS.LAYOUT": layout(grouped, datagroup=root),
    }


def raws():
    unit = struct.pack("<q", -1) + ss("N") + ss("MEDIA/F.DAT") + struct.pack(
        "<B5i", 3, 1, 2, 3, -4, 5) + ss("天")
    return {
        "MEDIA/AFFIXES.RAW": struct.pack("<H", 1) + ss("F") + ss("N\t\\") + struct.pack(
            "<4i", 1, 2, 3, -1) + bytes([2]) + ss("A|B") + ss("") + bytes([0]),
        "MEDIA/MISSILES.RAW": struct.pack("<H", 2) + ss("F") + bytes([1]) + ss("") + ss("")
        + bytes([0]),
        "MEDIA/ROOMPIECES.RAW": struct.pack("<I", 2) + ss("A") + ss("B") + struct.pack(
            "<IqqI", 2, 1, -1, 0),
        "MEDIA/SKILLS.RAW": struct.pack("<I", 1) + ss("\n") + ss("\ud800") + struct.pack("<q", 7),
        "MEDIA/TRIGGERABLES.RAW": struct.pack("<H", 1) + ss("") + ss(""),
        "MEDIA/UI.RAW": struct.pack("<I", 2) + ss("A") + ss("B") + struct.pack(
            "<IIBBB", 7, 3, 1, 0, 200) + ss("K") + ss("") + ss("") + struct.pack(
            "<IIBBB", 99, 77, 0, 0, 0) + ss(""),
        "MEDIA/UNITDATA.RAW": struct.pack("<I", 1) + unit + struct.pack("<I", 0)
        + struct.pack("<I", 2) + unit + unit + struct.pack("<I", 0),
    }


def compiled():
    return {**dats(), **layouts(), **raws()}
