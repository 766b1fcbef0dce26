# SPDX-License-Identifier: Zlib
"""expect.files(map) gives the files below groups/ and envelopes/ that a mount must show. Derived from the layout page
(rules 3, 4, 12 to 20) with the reader of datafile.py; it shares no code with mapfs."""
import json
import struct

import layout
import words
from datafile import ENVELOPE, ENVPOINTS, GROUP, IMAGE, LAYER, SOUND, UUID_INDEX

AUTOMAPPER = bytes.fromhex("3e1b2716178c39789bd9b11ae0410dd8")
GROUP_EXT = bytes.fromhex("4a26ca1f64bd30e3907a707eacd1f080")
BEZIER = bytes.fromhex("3ab4f84dd9cc3c78b5850d6ccdb2e25c")

# field of a tile: (byte offset, whether it is 16 signed bits)
DESIGN = (4, (("id", 0, False), ("flags", 1, False)))
PAIR = (2, (("number", 0, False), ("id", 1, False)))
PHYSICS = {
    2: (0, [PAIR]),
    4: (1, [(6, (("force", 0, False), ("max_speed", 1, False), ("id", 2, False), ("angle", 4, True))),
            (4, (("force", 0, False), ("angle", 2, True)))]),
    8: (2, [DESIGN]),
    16: (3, [(4, (("number", 0, False), ("id", 1, False), ("flags", 2, False), ("delay", 3, False))),
             (3, (("number", 0, False), ("id", 1, False), ("flags", 2, False))), PAIR]),
    32: (4, [PAIR]),
}
CLIPS = ("clipping", "clip_x", "clip_y", "clip_width", "clip_height")
TANGENTS = ("in_tangent_dx", "in_tangent_dy", "out_tangent_dx", "out_tangent_dy")


def text_name(ints):
    raw = struct.pack(">%di" % len(ints), *ints)[:-1]
    return b"" if not any(ints) else bytes((b - 128) & 255 for b in raw).split(b"\0")[0]


def dump(value):
    return json.dumps(value, ensure_ascii=False)


def outermost(value):
    """An object or array with one entry a line, and the elements of "points", too."""
    if not value:
        return "[]\n" if isinstance(value, list) else "{}\n"
    value = words.words(value)
    if isinstance(value, list):
        return "[\n" + ",\n".join("  " + dump(v) for v in value) + "\n]\n"
    lines = []
    for key, v in value.items():
        if key == "points" and v:
            lines.append('  "points": [\n' + ",\n".join("    " + dump(p) for p in v) + "\n  ]")
        else:
            lines.append("  %s: %s" % (dump(key), dump(v)))
    return "{\n" + ",\n".join(lines) + "\n}\n"


class View:
    def __init__(self, f):
        self.f = f
        self.groups, self.layers = f.of_type(GROUP), f.of_type(LAYER)
        self.envelopes = f.of_type(ENVELOPE)
        self.stems = {
            "image": self.stems_of(IMAGE, lambda v: layout.named_blob(f, v[4]) if len(v) > 4 else b""),
            "sound": self.stems_of(SOUND, lambda v: layout.named_blob(f, v[2]) if len(v) > 2 else b""),
            "envelope": self.stems_of(
                ENVELOPE, lambda v: text_name(v[4:12]) if len(v) >= 12 else b""),
        }

    def stems_of(self, kind, name):
        items = self.f.of_type(kind)
        return [layout.stem(i, len(items), name(it.ints)).decode() for i, it in enumerate(items)]

    def uuid_items(self, uuid):
        seen = set()
        for item in self.f.of_type(UUID_INDEX):
            if len(item.ints) == 4 and item.id not in seen and 0x8000 <= item.id < 0xFFFF:
                seen.add(item.id)
                if struct.pack(">4i", *item.ints) == uuid:
                    return self.f.of_type(item.id)
        return []

    def ref(self, kind, value):
        if value == -1:
            return None
        return self.stems[kind][value] if 0 <= value < len(self.stems[kind]) else value

    def group_json(self, g):
        v, out = self.groups[g].ints, {}
        for key, at in zip(("version", "x_offset", "y_offset", "x_parallax", "y_parallax"), range(5)):
            if at < len(v):
                out[key] = v[at]
        for key, at in zip(CLIPS, range(7, 12)):
            if at < len(v) and v[0] >= 2:
                out[key] = v[at]
        ext = self.uuid_items(GROUP_EXT)
        if g < len(ext) and len(ext[g].ints) >= 2:
            out["parallax_zoom"] = ext[g].ints[1]
        return outermost(out)

    def automapper(self, g, number):
        for item in self.uuid_items(AUTOMAPPER):
            if len(item.ints) >= 6 and item.ints[1:3] == [g, number]:
                return dict(zip(("version", "config", "seed", "flags"),
                                (item.ints[i] for i in (0, 3, 4, 5))))
        return None

    def layer_json(self, g, layer, number):
        v, out = self.layers[layer].ints, {}

        def put(key, at, ref=None):
            if at < len(v):
                out[key] = self.ref(ref, v[at]) if ref else v[at]

        put("type", 1)
        put("detail", 2)
        kind = v[1] if len(v) > 1 else None
        if kind in (2, 3, 9, 10):
            put("version", 3)
        if kind == 2:
            put("width", 4)
            put("height", 5)
            put("kind", 6)
            if len(v) > 10:
                out["color"] = v[7:11]
            put("color_envelope", 11, "envelope")
            put("color_envelope_offset", 12)
            put("image", 13, "image")
            out["automapper"] = self.automapper(g, number)
        elif kind == 3:
            put("image", 6, "image")
        elif kind in (9, 10):
            put("sound", 6, "sound")
        return outermost(out)

    def quad(self, q):
        pairs = lambda at, n, by: [list(q[i:i + by]) for i in range(at, at + n, by)]
        return {"positions": pairs(0, 10, 2), "corner_colors": pairs(10, 16, 4),
                "texture_coordinates": pairs(26, 8, 2),
                "position_envelope": self.ref("envelope", q[34]), "position_envelope_offset": q[35],
                "color_envelope": self.ref("envelope", q[36]), "color_envelope_offset": q[37]}

    def source(self, s):
        return {"position": list(s[:2]), "looping": s[2], "panning": s[3], "delay": s[4],
                "falloff": s[5], "position_envelope": self.ref("envelope", s[6]),
                "position_envelope_offset": s[7], "sound_envelope": self.ref("envelope", s[8]),
                "sound_envelope_offset": s[9], "shape": list(s[10:13])}

    def old_source(self, s):
        return {"position": list(s[:2]), "looping": s[2], "delay": s[3], "radius": s[4],
                "position_envelope": self.ref("envelope", s[5]), "position_envelope_offset": s[6],
                "sound_envelope": self.ref("envelope", s[7]), "sound_envelope_offset": s[8]}

    def elements(self, v, ints, show):
        """The text of a list; None if there is no file; raises ValueError if it cannot be read."""
        if len(v) < 7 or v[4] < 0:
            return None
        if v[4] == 0:
            return "[]\n"
        if not self.f.has_blob(v[5]) or self.f.declared[v[5]] < v[4] * 4 * ints:
            return None
        data = self.f.blob(v[5])
        if data is None:
            raise ValueError
        return outermost([show(struct.unpack_from("<%di" % ints, data, 4 * ints * i))
                          for i in range(v[4])])

    def planes(self, v):
        """(name, text) of each plane; the text is None if it cannot be read."""
        if len(v) < 15 or v[4] <= 0 or v[5] <= 0:
            return
        w, h, kind, field, forms = v[4], v[5], v[6], 14, [DESIGN]
        if kind in PHYSICS:
            own = PHYSICS[kind][0] + (15 if v[3] < 3 else 18)
            if own < len(v):
                field, forms = own, PHYSICS[kind][1]
        elif kind not in (0, 1):
            return
        if not self.f.has_blob(v[field]):
            return
        packed = field == 14 and v[3] >= 4
        need = -(-w * h // 256) if packed else w * h
        fit = [form for form in forms if self.f.declared[v[field]] >= need * form[0]]
        if not fit:
            return
        size, fields = fit[0]
        data = self.f.blob(v[field])
        if packed and data is not None:
            data = unpacked(data, w * h)
        for name, at, wide in fields:
            yield name, None if data is None else table(data, w, h, size, at, wide)

    def envelope(self, e):
        v, out = self.envelopes[e].ints, {}
        if len(v) > 0:
            out["version"] = v[0]
        if len(v) > 1:
            out["channels"] = v[1]
        if len(v) > 12 and v[0] >= 2:
            out["synchronized"] = v[12]
        if len(v) > 3:
            out["points"] = self.points(v[2], v[3])
        return outermost(out)

    def points(self, start, count):
        full = any(it.ints and it.ints[0] >= 3 for it in self.envelopes)
        items = self.f.of_type(ENVPOINTS)
        ints, size = items[0].ints if items else [], 22 if full else 6
        n, out = len(ints) // size, []
        bezier = self.uuid_items(BEZIER)
        more = bezier[0].ints if not full and bezier and len(bezier[0].ints) == 16 * n else None
        for i in range(max(start, 0), min(start + count, n)):
            p = ints[size * i:size * i + size] + (more[16 * i:16 * i + 16] if more is not None else [])
            point = {"time": p[0], "curve_type": p[1], "values": p[2:6]}
            for k, key in enumerate(TANGENTS):
                if len(p) > 6:
                    point[key] = p[6 + 4 * k:10 + 4 * k]
            out.append(point)
        return out

    def group_name(self, g):
        v = self.groups[g].ints
        return text_name(v[12:15]) if len(v) >= 15 and v[0] >= 3 else b""

    def layer_name(self, layer):
        v = self.layers[layer].ints
        kind, version = (v + [None] * 4)[1], (v + [0] * 4)[3]
        if kind == 2:
            return text_name(v[15:18]) if version >= 3 and len(v) >= 18 else b""
        if kind in (9, 10) or (kind == 3 and version >= 2):
            return text_name(v[7:10]) if len(v) >= 10 else b""
        return b""

    def layer_files(self, g, layer, number):
        v = self.layers[layer].ints
        yield "layer.json", self.layer_json(g, layer, number)
        kind = v[1] if len(v) > 1 else None
        if kind == 2:
            for name, text in self.planes(v):
                yield name + ".csv", text
        lists = {3: ("quads.json", 38, self.quad), 10: ("sources.json", 13, self.source),
                 9: ("sources.json", 9, self.old_source)}
        if kind in lists:
            name, ints, show = lists[kind]
            try:
                text = self.elements(v, ints, show)
            except ValueError:
                yield name, None
            else:
                if text is not None:
                    yield name, text

    def files(self):
        for e in range(len(self.envelopes)):
            yield "envelopes/%s.json" % self.stems["envelope"][e], self.envelope(e)
        for g, group in enumerate(self.groups):
            path = "groups/" + layout.stem(g, len(self.groups), self.group_name(g), 255).decode()
            yield path + "/group.json", self.group_json(g)
            start, count = (group.ints[5:7] + [0, 0])[:2] if len(group.ints) > 6 else (0, 0)
            here = range(max(start, 0), min(start + count, len(self.layers)))
            for n, layer in enumerate(here):
                name = layout.stem(n, len(here), self.layer_name(layer), 255).decode()
                for file, text in self.layer_files(g, layer, layer - start):
                    yield "%s/layers/%s/%s" % (path, name, file), text


def unpacked(data, count):
    if len(data) % 4:
        return None
    out = bytearray()
    for i in range(0, len(data), 4):
        out += (data[i:i + 2] + b"\0" + data[i + 3:i + 4]) * (data[i + 2] + 1)
        if len(out) > 4 * count:
            return None
    return bytes(out) if len(out) == 4 * count else None


BYTES = [b"%3d" % i for i in range(256)]


def table(data, w, h, size, at, wide):
    rows = []
    for y in range(h):
        row = data[y * w * size:(y + 1) * w * size]
        if wide:
            cells = [b"%6d" % v[0] for v in struct.iter_unpack("<h", b"".join(
                row[i + at:i + at + 2] for i in range(0, len(row), size)))]
        else:
            cells = [BYTES[b] for b in row[at::size]]
        rows.append(b",".join(cells) + b"\n")
    return b"".join(rows).decode()


def files(f):
    """{path: bytes, or None if the file cannot be read}."""
    return {path.encode(): None if text is None else text.encode()
            for path, text in View(f).files()}
