# SPDX-License-Identifier: Zlib
"""An independent writer of Torchlight II files for fixtures, from plain structures to bytes."""
import struct
import zlib

import tlread


def ss(text):
    units = text.encode("utf-16-le", "surrogatepass")
    return struct.pack("<H", len(units) // 2) + units


class Pak:
    """A section that grows; add() returns a block's offset."""

    def __init__(self, header=8):
        self.data = bytearray(header)
        self.header = header
        self.largest = 0

    def add(self, content, stored=False):
        at = len(self.data)
        body = content if stored else zlib.compress(content, 6)
        self.data += struct.pack("<II", len(content), 0 if stored else len(body)) + body
        if not stored:
            self.largest = max(self.largest, len(body))
        return at

    def finish(self, tail=b""):
        self.data += tail
        struct.pack_into("<I", self.data, 0, self.largest)
        if self.header == 8:
            struct.pack_into("<I", self.data, 4, tlread.pak_hash(bytes(self.data)))
        return bytes(self.data)


def entry(name, offset=0, content=None, kind=18, time=0):
    crc = zlib.crc32(content) if content is not None else 0
    size = len(content) if content is not None else 0
    return struct.pack("<IB", crc, kind) + ss(name) + struct.pack("<IIQ", offset, size, time)


def manifest(records, version=2, root="MEDIA/", total=0, step=20):
    """records: list of (path, list of entry())."""
    out = struct.pack("<H", version) + (b"\0\0\0\0" if version >= 2 else b"")
    out += ss(root) + struct.pack("<II", total, len(records))
    for path, entries in records:
        out += ss(path) + struct.pack("<I", len(entries)) + b"".join(entries)
    if version >= 2:
        out = out[:2] + struct.pack("<I", tlread.manifest_hash(out, step)) + out[6:]
    return out


def modheader(section, ver=4, modver=3, strings=("Title", "", "", "", ""), modid=-5, reqs=(),
              dels=()):
    def make(length):
        out = struct.pack("<HH", ver, modver)
        if ver >= 4:
            out += struct.pack("<4H", 1, 25, 5, 6)
        if ver == 1:
            out += bytes(range(9)) * (modver + 1)
        out += struct.pack("<II", length, length + section)
        out += b"".join(ss(s) for s in strings) + struct.pack("<qIQ", modid, 0, 0)
        out += struct.pack("<H", len(reqs))
        for name, rid, rver in reqs:
            out += ss(name) + struct.pack("<q", rid)
            out += struct.pack("<H", rver) if ver >= 2 else b""
        if ver >= 3:
            out += struct.pack("<H", len(dels)) + b"".join(ss(d) for d in dels)
        return out
    return make(len(make(0)))


def mod(files, removed=(), pak=None, **header):
    """A MOD of files [(directory, name, content, stored)]."""
    pak = pak or Pak()
    records = {}
    for path, name, content, stored in files:
        at = pak.add(content, stored)
        records.setdefault(path, []).append(entry(name, at, content, time=131000000000000000))
    section = pak.finish(b"\0\0\0\0" * len(removed))
    for full in removed:
        path, name = full.rsplit("/", 1)
        records.setdefault(path + "/", []).append(entry(name))
    total = sum(len(v) for v in records.values()) + sum(p.count("/") for p in records)
    return (modheader(len(section), dels=removed, **header) + section
            + manifest(list(records.items()), total=total))


def bindat(root, strings):
    """root: (name, [(key, type, packed value)], [blocks]); strings: {id: text}."""
    def block(b):
        name, fields, blocks = b
        out = struct.pack("<II", tlread.name_hash(name), len(fields))
        for key, kind, value in fields:
            out += struct.pack("<II", tlread.name_hash(key), kind) + value
        return out + struct.pack("<I", len(blocks)) + b"".join(block(x) for x in blocks)
    table = b"".join(struct.pack("<I", i) + ss(s) for i, s in sorted(strings.items()))
    return struct.pack("<II", 2, len(strings)) + table + block(root)


def layout_object(at, kind, oid, name="", props=(), extra=b"", children=()):
    """children: functions that take the offset at which they begin, and return bytes."""
    head = struct.pack("<Bq", kind, oid) + ss(name) + bytes([len(props)])
    for code, value in props:
        head += struct.pack("<HB", len(value) + 1, code) + value
    if callable(extra):
        extra = extra(at + 4 + len(head) + 4)
    body = head + struct.pack("<I", len(extra)) + extra + struct.pack("<H", len(children))
    for child in children:
        body += child(at + 4 + len(body))
    return struct.pack("<I", len(body) + 4) + body


def layout(objects, version=54, datagroup=None):
    out = struct.pack("<BBIH", 11, version, 0, len(objects))
    for make in objects:
        out += make(len(out))
    if datagroup:
        out = out[:2] + struct.pack("<I", len(out)) + out[6:] + datagroup
    return out


def group_node(oid, offset, children=(), root=False, garbage=0, choice=0, active=()):
    out = struct.pack("<qBIBIiBBB", oid, choice, 0 if root else 1, 0 if root else 1, offset, -1,
                      garbage, 0, 0)
    out += struct.pack("<I", len(active)) + b"".join(struct.pack("<q", a) for a in active)
    return out + struct.pack("<IH", 0, len(children)) + b"".join(children)


def logic(records):
    """records: (id, object, x, y, [(to, output, input)]); returns a function of the offset."""
    def make(at):
        out = bytes([len(records)])
        for rid, oid, x, y, links in records:
            body = bytes([len(links)])
            for to, output, inp in links:
                body += bytes([to]) + ss(output) + ss(inp)
            head = struct.pack("<Bqff", rid, oid, x, y)
            end = at + len(out) + len(head) + 4 + len(body)
            out += head + struct.pack("<I", end) + body
        return out
    return make
