# SPDX-License-Identifier: Zlib
"""Maps of Teeworlds, and random edits of their files."""
import functools
import glob
import json
import os
import re
import zlib

import datafile
import layout
import randommap
import twgen
import twgen_parts
import twgen_structure
from case import Case
from draw import Draw, Nothing

LARGEST = 20_000  # bytes; larger real maps take long
NAMES = ["lamp", "a b", "ü", "x%25y", "45_z", "dots.a", "Front", "same", "same", "sky", "Game", "much too long a name"]
KEYS = {"image": "images", "sound": "sounds", "color_envelope": "envelopes", "position_envelope": "envelopes",
        "sound_envelope": "envelopes"}
ENDINGS = {"images": (".png", ".png", ".json"), "sounds": (".opus",), "envelopes": (".json",)}
EXTERNAL = b'{"external": true, "width": 64, "height": 32}'


@functools.lru_cache(maxsize=None)
def real_maps():
    """Small real maps; none if there is no corpus."""
    shared = os.environ.get("MAPFS_SHARED") or os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                                            "..", "..", "..", "shared")
    found = glob.glob(os.path.join(shared, "corpus", "teeworlds", "maps", "*.map")) + glob.glob(
        "/usr/share/games/*/data/**/*.map", recursive=True)
    return sorted(p for p in found if os.path.getsize(p) <= LARGEST)


MADE = [lambda: twgen_structure.structure().encode(), lambda: twgen_structure.twice().encode(),
        lambda: twgen_structure.version2().encode(), lambda: twgen.eleven().encode(), lambda: twgen.shared().encode(),
        lambda: twgen_parts.parts().encode(), lambda: twgen_parts.bezier(2, True).encode(),
        lambda: twgen_parts.overlapping().encode(), lambda: twgen_parts.sizes().encode()]


def draw_case(rng, seed):
    kind = rng.random()
    if kind < 0.15:
        data = rng.choice(MADE)()
    elif kind < 0.3 and real_maps():
        with open(rng.choice(real_maps()), "rb") as f:
            data = f.read()
    else:
        data = randommap.random_map(rng.randrange(1 << 30))
    return Case("teeworlds", seed, "a.map", {"": data}, rng.choice(("", "", "", "raw=rw", "raw=off")))


def contents(files):
    """The content of a map, independent of compression."""
    f = datafile.Datafile(files[""])
    out, used = [], set()
    types = {i.id: ("uuid", *i.ints) for i in f.items if i.type == 0xffff}
    for item in sorted(f.items, key=lambda i: (str(types.get(i.type, i.type)), i.id)):
        if item.type == 0xffff:
            continue
        ints = list(item.ints)
        for i in datafile.data_fields(item):
            if i < len(ints) and f.has_blob(ints[i]):
                used.add(ints[i])
                ints[i] = zlib.crc32(f.blob(ints[i]) or b"") | 1 << 40
        out.append((types.get(item.type, item.type), item.id, ints))
    return out, sorted(f.blob(i) or b"" for i in range(f.n_data) if i not in used)


def same(one, two, saved):
    """saved: saves happened in between, so that copied and recreated data may be compressed differently."""
    return one == two or bool(saved and one and two and contents(one) == contents(two))


def same_but_for_order(one, two):
    """Equal numbers of items of each type, and equal data."""
    def counts(files):
        items, loose = contents(files)
        return sorted(str((type_, len(ints))) for type_, _, ints in items), loose
    return bool(one and two) and counts(one) == counts(two)


def stem(name):
    return os.path.splitext(name)[0]


def is_aside(path):
    return re.search(r"(~|[.](tmp|swp|jpg))$|(^|/)[.]|/layers/[^/]+/x$", path)


def resized(ops):
    """The directories of layers to which a table or layer.json was written or moved."""
    out = set()
    for op in ops:
        target = op[2] if op[0] == "mv" else op[1] if len(op) > 1 else ""
        if op[0] in ("put", "mv", "cut") and target.endswith((".csv", "layer.json")):
            out.add(os.path.dirname(target))
        if op[0] == "mv":
            out |= {target + p[len(op[1]):] for p in out if (p + "/").startswith(op[1] + "/")}
    return out


class Drawer(Draw):
    WEIGHTS = dict(Draw.WEIGHTS, references=8, resize=4, add_layer=2, add_group=1, other_form=2, retype=1, raw=2)

    def __init__(self, rng, side):
        super().__init__(rng, side)
        self.raw_items = []
        if side.case.option == "raw=rw":
            for above, _, names in os.walk(side.at("raw")):
                self.raw_items += [os.path.relpath(os.path.join(above, n), side.point) for n in names]
            self.raw_items.sort()

    def things(self):
        out = []
        for path in self.content:
            parts = path.split("/")
            if parts[0] in ENDINGS and len(parts) == 2 or parts[0] == "groups" and len(parts) in (2, 4):
                out.append(path)
            elif len(parts) == 5 and parts[0] == "groups" and self.rng.random() < 0.1:
                out.append(path)  # one file of a layer
        return out

    def sort(self, path):
        """(the list that it belongs to, the rest of its path)"""
        parts = path.split("/")
        if parts[0] in ENDINGS and len(parts) > 1:
            return parts[0]
        return "layers" if len(parts) >= 4 else "groups"

    def name(self, count):
        rng = self.rng
        number = rng.choice(("", "%d", "%d", "%02d"))
        number = number and number % rng.randrange(count + 2)
        name = rng.choice(NAMES + [""])
        return number + "_" + name if number and name else number + name or "new"

    def fresh(self, path):
        parts = path.split("/")
        groups = [p for p in self.dirs() if p.startswith("groups/") and p.count("/") == 1]
        if parts[0] in ENDINGS:
            ending = os.path.splitext(path)[1] if len(parts) == 2 else self.rng.choice(ENDINGS[parts[0]])
            if self.rng.random() < 0.05:
                ending = ending.upper()
            return "%s/%s%s" % (parts[0], self.name(len(self.side_of(parts[0]))), ending)
        if parts[0] != "groups":
            return os.path.join(os.path.dirname(path), self.rng.choice(("new", "author", "settings.cfg", "x~")))
        if len(parts) == 5:
            return os.path.join(os.path.dirname(path), self.rng.choice(("id.csv", "layer.json", "number.csv", "x")))
        if len(parts) >= 3:
            group = "/".join(parts[:2]) if self.rng.random() < 0.6 or not groups else self.pick(groups)
            above = group + "/layers"
            return "%s/%s" % (above, self.name(len(self.side_of(above))))
        return "groups/" + self.name(len(self.side_of("groups")))

    def side_of(self, above):
        return [p for p in self.content if os.path.dirname(p) == above]

    # ---- contents

    def text(self, path):
        data, name = self.content.get(path, b""), os.path.basename(path)
        ending = os.path.splitext(name)[1].lower()
        if path.startswith("info"):
            return self.rng.choice((b"", b"one\n", b"no end", "ü\n".encode(), b"sv_a 1\nsv_b 2\n", data))
        if ending == ".png":
            return self.png()
        if ending == ".opus":
            return twgen.OPUS + b"%d" % self.rng.randrange(9)
        if ending == ".csv":
            return self.table(data)
        if ending == ".json":
            return self.json(data)
        return data or b"scratch"

    def png(self):
        rng = self.rng
        w, h = rng.choice(((16, 16), (16, 16), (32, 16), (5, 3)))
        tone, alpha = rng.randrange(256), rng.choice((255, 255, 0, 120))
        return layout.png(w, h, b"".join(bytes((x * tone & 255, y * 9 & 255, tone, alpha)) for y in range(h)
                                         for x in range(w)))

    def table(self, data):
        rows = [r.split(b",") for r in data.splitlines()]
        if not rows:
            raise Nothing
        for _ in range(self.rng.randrange(3)):
            row = self.rng.choice(rows)
            row[self.rng.randrange(len(row))] = b"%d" % self.rng.choice((0, 1, 9, 200, self.rng.randrange(256)))
        return b"".join(b",".join(r) + b"\n" for r in rows)

    def sized(self, data, w, h):
        rows = [r.split(b",") for r in data.splitlines()] or [[b"0"]]
        rows = [(r + [b"3"] * w)[:w] for r in (rows * h)[:h]]
        return b"".join(b",".join(r) + b"\n" for r in rows)

    def json(self, data):
        try:
            value = json.loads(data or b"{}")
        except ValueError:
            raise Nothing from None
        one = self.rng.choice(value) if isinstance(value, list) and value else value
        if isinstance(value, list) and self.rng.random() < 0.4:
            value.append(dict(one)) if value and self.rng.random() < 0.7 else value[:1].clear()
        elif isinstance(one, dict) and one.get("points") and self.rng.random() < 0.5:
            one["points"].append(dict(one["points"][-1], time=one["points"][-1]["time"] + 7))
        elif isinstance(one, dict) and one:
            self.change(one)
        indent = self.rng.choice((None, 2))
        return json.dumps(value, ensure_ascii=False, indent=indent).encode() + b"\n"

    def change(self, one):
        key = self.rng.choice(sorted(one))
        if key in KEYS:
            one[key] = self.reference(key)
        elif key in ("detail", "clipping", "synchronized", "external"):
            one[key] = self.rng.random() < 0.5
        elif isinstance(one[key], bool) or not isinstance(one[key], int):
            del one[key]
        else:
            one[key] = self.rng.choice((0, 1, one[key] + 1, 100, -5))

    def reference(self, key):
        """A reference by a name that exists, existed, may exist later, or never."""
        there = [stem(os.path.basename(p)) for p in self.side_of(KEYS[key])]
        was = [stem(os.path.basename(p)) for p in self.removed if p.startswith(KEYS[key] + "/")]
        return self.rng.choice(sorted(there) * 2 + sorted(was)[:4] + NAMES[:4] + [None, 0, 1, 77, "nobody"])

    def bad(self, path):
        data = self.content.get(path, b"")
        return self.rng.choice((b"", b"\0", b"{", b"x,y\n", data[:len(data) // 2], data + b"1,2,3\n", b"\xff\xfe",
                                data.replace(b"0", b"99999999999", 1), data.replace(b'"', b"'", 2), b"{}", b"[]",
                                data.replace(b"version", b"unheard-of", 1)))

    # ---- operations on these maps only

    def references(self):
        """Change a reference in a file."""
        names = ("layer.json", "quads.json", "sources.json")
        path = self.pick([p for p in self.files("groups/") if os.path.basename(p) in names])
        try:
            value = json.loads(self.content[path])
        except ValueError:
            raise Nothing from None
        ones = [v for v in (value if isinstance(value, list) else [value]) if isinstance(v, dict) and KEYS.keys() & v.keys()]
        if not ones:
            raise Nothing
        one = self.rng.choice(ones)
        key = self.rng.choice(sorted(KEYS.keys() & one.keys()))
        one[key] = self.reference(key)
        self.put(path, json.dumps(value, ensure_ascii=False).encode())
        if isinstance(one[key], str) and self.rng.random() < 0.3:  # create the referenced object
            new = "%s/%s%s" % (KEYS[key], one[key], self.rng.choice(ENDINGS[KEYS[key]]))
            like = [p for p in self.side_of(KEYS[key]) if isinstance(self.content[p], bytes)
                    and p.endswith(os.path.splitext(new)[1])]
            self.put(new, self.content[self.pick(like)])

    def resize(self):
        """Change the layer's size, its tables' sizes, or some of both."""
        path = self.pick([p for p in self.dirs() if p.startswith("groups/") and p.count("/") == 3])
        tables = [p for p in self.below(path) if p.endswith(".csv") and isinstance(self.content[p], bytes)]
        main = self.content.get(path + "/layer.json")
        if not tables or not isinstance(main, bytes):
            raise Nothing
        w, h = self.rng.randrange(2, 9), self.rng.randrange(2, 9)
        parts, part = [], self.rng.choice((0.5, 1, 1))
        if self.rng.random() < 0.7:
            try:
                value = json.loads(main)
                value.update(width=w, height=h)
            except (ValueError, AttributeError):
                raise Nothing from None
            parts.append((path + "/layer.json", json.dumps(value).encode()))
        if self.rng.random() < 0.7:
            parts += [(p, self.sized(self.content[p], w, h)) for p in tables if self.rng.random() < part]
        self.rng.shuffle(parts)
        for name, data in parts:
            self.put(name, data)

    def add_layer(self):
        """Add a layer by its layer.json alone; missing tables are zeros."""
        above = self.pick([p for p in self.dirs() if p.startswith("groups/") and p.endswith("/layers")])
        path = "%s/%s" % (above, self.name(len(self.side_of(above))))
        kind = self.rng.choice(("tiles", "tiles", "quads", "sounds"))
        main = {"type": kind, "detail": False, "version": 3 if kind == "tiles" else 2}
        if kind == "tiles":
            main.update(width=self.rng.randrange(2, 7), height=3, kind="design", color=[1, 2, 3, 255], color_envelope=None,
                        color_envelope_offset=0, image=self.reference("image"), automapper=None)
        else:
            key = "image" if kind == "quads" else "sound"
            main[key] = self.reference(key)
        if self.do("mkdir", path):
            self.put(path + "/layer.json", json.dumps(main).encode())
            if kind == "quads" and self.rng.random() < 0.5:
                self.put(path + "/quads.json", b"[]")

    def add_group(self):
        path = "groups/" + self.name(len(self.side_of("groups")))
        if self.do("mkdir", path) and self.rng.random() < 0.8:
            self.put(path + "/group.json", json.dumps({"version": 3, "x_offset": self.rng.randrange(99)}).encode())

    def other_form(self):
        """Make an image external, or embed it."""
        path = self.pick([p for p in self.side_of("images") if p.endswith((".png", ".json"))])
        self.put(stem(path) + (".json" if path.endswith(".png") else ".png"),
                 EXTERNAL if path.endswith(".png") else self.png())

    def retype(self):
        """Write the content of another file to a file."""
        one = self.pick(self.files())
        self.put(one, self.content[self.pick([p for p in self.files() if os.path.splitext(p)[1] == os.path.splitext(one)[1]])])

    def raw(self):
        """Change a number of an item, if raw/ is writable."""
        path = self.pick([p for p in self.raw_items if "/items/" in p])
        data = self.side.read(path)
        lines = data.split(b"\n") if isinstance(data, bytes) else []
        if len(lines) < 3:
            raise Nothing
        at = self.rng.randrange(len(lines) - 1)
        lines[at] = b"%d" % self.rng.choice((0, 1, 2, -1, 100, self.rng.randrange(9)))
        self.do("put", path, "trunc", b"\n".join(lines))
