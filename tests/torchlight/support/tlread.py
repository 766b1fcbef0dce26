# SPDX-License-Identifier: Zlib
"""An independent reader of Torchlight II files into plain structures; it shares no code with mapfs. Every reader
takes bytes, reads them to the end, and raises ValueError if they are invalid."""
import struct
import zlib


class Reader:
    def __init__(self, data, pos=0):
        self.data = data
        self.pos = pos

    def take(self, n):
        if n < 0 or self.pos + n > len(self.data):
            raise ValueError(f"{n} bytes wanted at {self.pos} of {len(self.data)}")
        self.pos += n
        return self.data[self.pos - n:self.pos]

    def num(self, code):
        return struct.unpack("<" + code, self.take(struct.calcsize("<" + code)))[0]

    def nums(self, code, n):
        return list(struct.unpack("<" + code * n, self.take(struct.calcsize("<" + code) * n)))

    def text(self):
        return self.take(2 * self.num("H")).decode("utf-16-le", "surrogatepass")

    def texts(self, code):
        return [self.text() for _ in range(self.num(code))]

    def end(self):
        if self.pos != len(self.data):
            raise ValueError(f"{len(self.data) - self.pos} bytes left")


# ---- archives

def manifest(data):
    r = Reader(data)
    m = {"version": r.num("H")}
    m["mhash"] = r.num("I") if m["version"] >= 2 else None
    m["root"] = r.text()
    m["total"] = r.num("I")
    m["dirs"] = []
    for _ in range(r.num("I")):
        path = r.text()
        entries = []
        for _ in range(r.num("I")):
            crc, kind = r.num("I"), r.num("B")
            name = r.text()
            offset, usize, filetime = r.num("I"), r.num("I"), r.num("Q")
            entries.append({"crc": crc, "type": kind, "name": name, "offset": offset,
                            "usize": usize, "time": filetime})
        m["dirs"].append((path, entries))
    r.end()
    return m


def modheader(data):
    r = Reader(data)
    h = {"ver": r.num("H"), "modver": r.num("H")}
    if h["ver"] >= 4:
        h["gamever"] = r.nums("H", 4)
    if h["ver"] == 1:
        h["old"] = [(r.num("Q"), r.num("B")) for _ in range(h["modver"] + 1)]
    h["offdata"], h["offman"] = r.num("I"), r.num("I")
    for key in ("title", "author", "descr", "website", "download"):
        h[key] = r.text()
    h["modid"], h["flags"], h["reqhash"] = r.num("q"), r.num("I"), r.num("Q")
    h["reqs"] = [(r.text(), r.num("q"), r.num("H") if h["ver"] >= 2 else None)
                 for _ in range(r.num("H"))]
    h["dels"] = r.texts("H") if h["ver"] >= 3 else []
    h["end"] = r.pos
    return h


def block(section, offset):
    usize, csize = struct.unpack_from("<II", section, offset)
    body = section[offset + 8:offset + 8 + (csize or usize)]
    out = zlib.decompress(body) if csize else body
    if len(out) != usize:
        raise ValueError("block size")
    return out, csize


def _signed(b):
    return b - 256 if b > 127 else b


def pak_hash(d):
    n = len(d)
    if n <= 8:
        return 0
    div = 25 + ((0x29777B41 * n) & 0xffffffff) % 51
    step = max(n // div, 2)
    h = n
    for k in range(8, n, step):
        h = (h * 33 + _signed(d[k])) & 0xffffffff
    return (h * 33 + _signed(d[n - 1])) & 0xffffffff


def manifest_hash(m, step):
    h = 0x202A
    for k in range(0, len(m), step):
        h = (h * 33 + _signed(m[k])) & 0xffffffff
    return h


# ---- BINDAT

def name_hash(name):
    units = name.encode("utf-16-le", "surrogatepass")
    units = struct.unpack(f"<{len(units) // 2}H", units)
    h = len(units)
    for c in units:
        if 97 <= c <= 122:
            c -= 32
        h = (((h << 5) | (h >> 27)) ^ c) & 0xffffffff
    return h


FIELD = {1: "i", 2: "f", 3: "d", 4: "I", 5: "I", 6: "I", 7: "q", 8: "I", 9: "I"}


def _dat_block(r, table):
    name = r.num("I")
    fields = []
    for _ in range(r.num("I")):
        key, kind = r.num("I"), r.num("I")
        if kind not in FIELD:
            raise ValueError(f"field type {kind}")
        raw = r.take(struct.calcsize("<" + FIELD[kind]))
        value = raw
        if kind in (5, 8, 9):
            value = table.get(struct.unpack("<I", raw)[0])
        fields.append((key, kind, value))
    return name, fields, [_dat_block(r, table) for _ in range(r.num("I"))]


def bindat(data):
    for skip in (0, 4):
        try:
            r = Reader(data)
            if r.num("I") != 2:
                raise ValueError("version")
            table = {r.num("I"): r.text() for _ in range(r.num("I"))}
            order = list(table)
            table.setdefault(0xFFFFFFFF, "")
            if skip and order:
                break
            r.take(skip)
            tree = _dat_block(r, table)
            r.end()
            return {"ids": order, "table": table, "root": tree}
        except ValueError:
            if skip:
                raise
    raise ValueError("no BINDAT")


# ---- BINLAYOUT

def _timeline(r):
    out = []
    for _ in range(r.num("B")):
        oid = r.num("q")
        rows = []
        for _ in range(r.num("B")):
            prop, event = r.text(), r.text()
            points = []
            for _ in range(r.num("B")):
                percent, interp = r.take(4), r.num("B")
                points.append((percent, interp, r.text() if prop else None))
            rows.append((prop, event, points))
        out.append((oid, rows))
    return out


def _logic(r, base):
    out = []
    for _ in range(r.num("B")):
        rec = {"id": r.num("B"), "object": r.num("q"), "x": r.take(4), "y": r.take(4)}
        end = r.num("I")
        rec["links"] = [(r.num("B"), r.text(), r.text()) for _ in range(r.num("B"))]
        if end != base + r.pos:
            raise ValueError("logic end")
        out.append(rec)
    return out


def _object(r):
    at = r.pos
    length = r.num("I")
    o = {"at": at, "type": r.num("B"), "id": r.num("q"), "name": r.text(), "props": []}
    for _ in range(r.num("B")):
        n = r.num("H")
        o["props"].append((r.num("B"), r.take(n - 1)))
    n = r.num("I")
    base = r.pos
    o["extra"] = r.take(n)
    if n and o["type"] in (35, 36):
        x = Reader(o["extra"])
        try:
            o["parsed"] = _timeline(x) if o["type"] == 35 else _logic(x, base)
            x.end()
        except ValueError:
            o["parsed"] = o["extra"]
    o["children"] = [_object(r) for _ in range(r.num("H"))]
    if r.pos - at != length:
        raise ValueError("object length")
    return o


def _datagroup(r):
    d = {"id": r.num("q"), "choice": r.num("B"), "randomization": r.num("I"),
         "number": r.num("B"), "at": r.num("I"), "tag": r.num("i"), "notag": r.num("B"),
         "unique": r.num("B"), "mode": r.num("B")}
    d["active"] = r.nums("q", r.num("I"))
    d["deactive"] = r.nums("q", r.num("I"))
    d["children"] = [_datagroup(r) for _ in range(r.num("H"))]
    return d


def binlayout(data):
    r = Reader(data)
    if r.num("B") != 11:
        raise ValueError("first byte")
    out = {"version": r.num("B")}
    dg = r.num("I")
    out["objects"] = [_object(r) for _ in range(r.num("H"))]
    out["datagroup"] = None
    if dg:
        if dg != r.pos:
            raise ValueError("datagroup offset")
        out["datagroup"] = _datagroup(r)
    r.end()
    return out


# ---- RAW

def _affix(r):
    return [r.text(), r.text(), *r.nums("i", 4), r.texts("B"), r.texts("B")]


def _unit(r):
    return [r.num("q"), r.text(), r.text(), r.num("B"), *r.nums("i", 5), r.text()]


def raw(kind, data):
    r = Reader(data)
    if kind == "AFFIXES":
        out = [_affix(r) for _ in range(r.num("H"))]
    elif kind == "MISSILES":
        out = [[r.text(), r.texts("B")] for _ in range(r.num("H"))]
    elif kind == "ROOMPIECES":
        files = r.texts("I")
        out = [[f, r.nums("q", r.num("I"))] for f in files]
    elif kind == "SKILLS":
        out = [[r.text(), r.text(), r.num("q")] for _ in range(r.num("I"))]
    elif kind == "TRIGGERABLES":
        out = [[r.text(), r.text()] for _ in range(r.num("H"))]
    elif kind == "UI":
        out = [[r.text(), r.text(), *r.nums("I", 2), *r.nums("B", 3), r.text()]
               for _ in range(r.num("I"))]
    elif kind == "UNITDATA":
        out = [[name] + _unit(r) for name in ("ITEMS", "MONSTERS", "PLAYERS", "PROPS")
               for _ in range(r.num("I"))]
    else:
        raise ValueError(kind)
    r.end()
    return out
