# SPDX-License-Identifier: Zlib
"""The objects of a map and their references, read without any code of mapfs.

Objects are images, sounds, envelopes, groups and layers. A reference is the object that it points at, independent of
its number. world.py models how objects change.
"""
import json
import math
import os
import re
import sys

import layout
from datafile import IMAGE, SOUND
from words import numbers

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "..", folder) for folder in ("teeworlds", "teeworlds/support")]
import expect  # noqa: E402

MEDIA = ("images", "sounds")
LISTS = ("images", "sounds", "envelopes", "groups")
# key of a reference -> the list that it points into
KEYS = {"image": "images", "sound": "sounds", "color_envelope": "envelopes",
        "position_envelope": "envelopes", "sound_envelope": "envelopes"}
CHANNELS = {"position_envelope": 3, "color_envelope": 4, "sound_envelope": 1}
OPAQUE = 4
TANGENTS = expect.TANGENTS
CLIPS = expect.CLIPS
LAST = math.inf


class Unfit(Exception):
    """The model does not cover this map."""


def stem_of(sort, name):
    return name if sort in ("groups", "layers") else os.path.splitext(name)[0]


def is_json(name):
    return name.endswith(".json")


def read(data):
    """The content of a file: parsed JSON, or bytes."""
    is_text = isinstance(data, bytes) and data.lstrip()[:1] in (b"{", b"[")
    return numbers(json.loads(data)) if is_text else data


def parsed(stem, sort):
    """The (position, name) that a new path gives to an object."""
    found = re.match(r"(\d+)_(.*)$", stem, re.S)
    if found:
        position, name = int(found.group(1)), found.group(2)
    elif stem.isdigit() and sort not in MEDIA:
        position, name = int(stem), ""
    else:
        position, name = LAST, stem
    return position, re.sub(rb"%([0-9A-Fa-f]{2})", lambda m: bytes([int(m.group(1), 16)]),
                            name.encode())


def by_name(path):
    """A sort key: byte order, but with numbers compared by value. A number sorts where a digit does."""
    return [(ord("0"), int(x)) if x.isdigit() else (x[0], 0)
            for x in re.findall(rb"\d+|\D", path.encode())], path


def each_reference(value, visit):
    """Copy parsed JSON, and replace each reference by visit(key, value)."""
    if isinstance(value, list):
        return [each_reference(v, visit) for v in value]
    if isinstance(value, dict):
        return {k: visit(k, v) if k in KEYS else each_reference(v, visit)
                for k, v in value.items()}
    return value


class Object:
    """An object of a map, with the path that a mount shows."""

    def __init__(self, sort, path, name, content, group=None):
        self.sort, self.path, self.name, self.group = sort, path, name, group
        self.content = content  # {name of a file in its directory: bytes or JSON}; a medium has the name ""
        self.position = 0
        self.moved = False      # made or moved since the mount
        self.painted = False    # an image: its pixels have changed since the save
        self.repainted = False  # a layer: its opaque marks may follow new pixels
        self.layers = []        # of a group

    def stem(self):
        return stem_of(self.sort, self.path)

    def order(self):
        """A sort key: made or moved objects come before others at the same position, and sort by name among each
        other, independent of the order of the operations."""
        return self.position, not self.moved, by_name(self.path)


class Base:
    """The objects of a map, in map order."""

    def __init__(self):
        self.lists = {sort: [] for sort in LISTS}

    def __getitem__(self, sort):
        return self.lists[sort]

    def layers(self):
        return [layer for g in self["groups"] for layer in g.layers]

    def assign_names(self):
        """The names with new numbers that the next mount will use: {object: stem}."""
        out = {}
        for things, limit in [(self[s], 250) for s in LISTS[:3]] + [
                (x, 255) for x in [self["groups"]] + [g.layers for g in self["groups"]]]:
            for i, t in enumerate(things):
                out[t] = layout.stem(i, len(things), t.name, limit).decode()
        return out

    def settle(self):
        for t, stem in self.assign_names().items():
            t.path, t.moved = stem + t.path[len(t.stem()):], False
        for things in list(self.lists.values()) + [g.layers for g in self["groups"]]:
            for i, t in enumerate(things):
                t.position = i
        return self

    def shows(self):
        """The files of a new mount, {path: bytes or parsed JSON}, and the paths whose marks are not compared."""
        stems, out, unmarked = self.assign_names(), {}, set()

        def put(top, t):
            for name, value in t.content.items():
                path = top + "/" + name if name else top
                if isinstance(value, (dict, list)):
                    value = each_reference(value, lambda _, v: stems[v] if isinstance(v, Object) else v)
                if t.repainted and name == "flags.csv":
                    unmarked.add(path)
                    value = without_marks(value)
                out[path] = value
        for sort in LISTS[:3]:
            for t in self[sort]:
                put("%s/%s%s" % (sort, stems[t], t.path[len(t.stem()):]), t)
        for g in self["groups"]:
            put("groups/" + stems[g], g)
            for t in g.layers:
                put("groups/%s/layers/%s" % (stems[g], stems[t]), t)
        return out, unmarked


def read_map(f):
    """The Base of a freshly mounted map."""
    base, view = Base(), expect.View(f)
    starts = 0
    for g in view.groups:
        if len(g.ints) < 7 or g.ints[5] != starts or g.ints[6] < 0:
            raise Unfit("layers in several groups or in none")
        starts += g.ints[6]
    if starts != len(view.layers):
        raise Unfit("layers in no group")
    read_media(base, f, view)
    for g, item in enumerate(view.groups):
        group = Object("groups", "", view.group_name(g),
                       {"group.json": read(view.group_json(g).encode())})
        base["groups"].append(group)
        for n in range(item.ints[6]):
            content = {}
            for file, text in view.layer_files(g, item.ints[5] + n, n):
                if text is None:
                    raise Unfit("damaged data")
                content[file] = read(text.encode())
            group.layers.append(
                Object("layers", "", view.layer_name(item.ints[5] + n), content, group))
    base.settle()
    stems = {sort: {t.stem(): t for t in base[sort]} for sort in LISTS}
    for layer in base.layers():
        layer.content = {name: each_reference(value, lambda k, v: stems[KEYS[k]][v]
                                              if isinstance(v, str) else v)
                         for name, value in layer.content.items()}
    return base


def read_media(base, f, view):
    for sort, type_, files, at in (("images", IMAGE, layout.image_files, 4),
                                   ("sounds", SOUND, layout.sound_files, 2)):
        found = list(files(f))
        if len(found) != len(f.of_type(type_)):
            raise Unfit("an item without a file")
        for item, (path, file) in zip(f.of_type(type_), found):
            content = file.content()
            if content is None:
                raise Unfit("damaged data")
            path = "x" + os.path.splitext(path.decode())[1]
            base[sort].append(Object(sort, path, layout.named_blob(f, item.ints[at]),
                                     {"": read(content)}))
    for e, item in enumerate(view.envelopes):
        v = item.ints
        base["envelopes"].append(Object(
            "envelopes", "x.json", expect.text_name(v[4:12]) if len(v) >= 12 else b"",
            {"": read(view.envelope(e).encode())}))


def without_marks(plane):
    return [[int(c) & ~OPAQUE for c in row.split(b",")] for row in plane.splitlines()]


def map_shows(f, unmarked=()):
    """The files of a map, {path: bytes or parsed JSON}, as expect.py reads them."""
    out = {}
    for path, file in list(layout.image_files(f)) + list(layout.sound_files(f)):
        out[path.decode()] = read(file.content())
    for path, text in expect.files(f).items():
        path = path.decode()
        out[path] = without_marks(text) if path in unmarked else read(text)
    return out


def full_points(envelope):
    """An envelope with zero tangents where it has none. A save adds these to the map."""
    return dict(envelope, points=[{**{k: [0] * 4 for k in TANGENTS}, **p}
                                  for p in envelope.get("points", [])])


def same(path, want, got):
    if want == got:
        return True
    if path.startswith("envelopes/") and isinstance(want, dict) and isinstance(got, dict):
        return full_points(want) == full_points(got)
    if path.endswith("/group.json") and "parallax_zoom" not in want and isinstance(got, dict):
        # The items with zooms are stored by position: a group without a zoom gets the default of DDNet.
        got = dict(got)
        zoom = got.pop("parallax_zoom", None)
        return want == got and zoom == min(max(got["x_parallax"], got["y_parallax"], 0), 100)
    return False


def differences(want, got):
    out = ["%s: missing" % p for p in sorted(set(want) - set(got))]
    out += ["%s: unexpected" % p for p in sorted(set(got) - set(want))]
    for path in sorted(set(want) & set(got)):
        if not same(path, want[path], got[path]):
            out.append("%s: %.600r\n    expected: %.600r" % (path, got[path], want[path]))
    return out
