# SPDX-License-Identifier: Zlib
"""What a map holds, as objects that refer to one another; and what a reader that shares nothing with
mapfs finds in a map's file.

Objects are images, sounds, envelopes, groups and layers. A reference is the object that it points at,
whatever its number is. world.py says what becomes of them.
"""
import json
import math
import os
import re
import sys

import layout
from datafile import IMAGE, SOUND
from words import numbers

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "teeworlds", "support"))
import expect  # noqa: E402

MEDIA = ("images", "sounds")
LISTS = ("images", "sounds", "envelopes", "groups")
# key of a reference -> where it points
KEYS = {"image": "images", "sound": "sounds", "color_envelope": "envelopes",
        "position_envelope": "envelopes", "sound_envelope": "envelopes"}
CHANNELS = {"position_envelope": 3, "color_envelope": 4, "sound_envelope": 1}
OPAQUE = 4
TANGENTS = expect.TANGENTS
CLIPS = expect.CLIPS
LAST = math.inf


class Unfit(Exception):
    """The model does not speak of such a map."""


def stem_of(sort, name):
    return name if sort in ("groups", "layers") else os.path.splitext(name)[0]


def is_json(name):
    return name.endswith(".json")


def read(data):
    """What a file says: JSON, or its bytes."""
    is_text = isinstance(data, bytes) and data.lstrip()[:1] in (b"{", b"[")
    return numbers(json.loads(data)) if is_text else data


def parsed(stem, sort):
    """(position, name) that a new path says."""
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
    """Byte by byte, but numbers by their value; a number stands where its digits do among bytes."""
    return [(ord("0"), int(x)) if x.isdigit() else (x[0], 0)
            for x in re.findall(rb"\d+|\D", path.encode())], path


def each_reference(value, visit):
    """A copy of parsed JSON in which visit(key, value) stands for each reference."""
    if isinstance(value, list):
        return [each_reference(v, visit) for v in value]
    if isinstance(value, dict):
        return {k: visit(k, v) if k in KEYS else each_reference(v, visit)
                for k, v in value.items()}
    return value


class Object:
    """One of a map, under the path by which a mount shows it."""

    def __init__(self, sort, path, name, content, group=None):
        self.sort, self.path, self.name, self.group = sort, path, name, group
        self.content = content  # {name of a file in its directory; of a medium "": bytes or JSON}
        self.position = 0
        self.moved = False      # it was made or moved since the mount
        self.painted = False    # an image: its pixels are others than before the save
        self.repainted = False  # a layer: its opaque marks may follow new pixels
        self.layers = []        # of a group

    def stem(self):
        return stem_of(self.sort, self.path)

    def order(self):
        """What was made or moved comes before what stood there; among themselves they stand by their
        names: when they came does not count."""
        return self.position, not self.moved, by_name(self.path)


class Base:
    """The objects of a map, in its order."""

    def __init__(self):
        self.lists = {sort: [] for sort in LISTS}

    def __getitem__(self, sort):
        return self.lists[sort]

    def layers(self):
        return [layer for g in self["groups"] for layer in g.layers]

    def deal(self):
        """Numbers are dealt anew, as by the next mount; {object: stem}."""
        out = {}
        for things, limit in [(self[s], 250) for s in LISTS[:3]] + [
                (x, 255) for x in [self["groups"]] + [g.layers for g in self["groups"]]]:
            for i, t in enumerate(things):
                out[t] = layout.stem(i, len(things), t.name, limit).decode()
        return out

    def settle(self):
        for t, stem in self.deal().items():
            t.path, t.moved = stem + t.path[len(t.stem()):], False
        for things in list(self.lists.values()) + [g.layers for g in self["groups"]]:
            for i, t in enumerate(things):
                t.position = i
        return self

    def shows(self):
        """{path: bytes or parsed JSON} of a new mount, and the paths whose marks do not count."""
        stems, out, unmarked = self.deal(), {}, set()

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
    """The Base of a map that was just mounted."""
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
    """The same of a map, by expect.py's reading."""
    out = {}
    for path, file in list(layout.image_files(f)) + list(layout.sound_files(f)):
        out[path.decode()] = read(file.content())
    for path, text in expect.files(f).items():
        path = path.decode()
        out[path] = without_marks(text) if path in unmarked else read(text)
    return out


def full_points(envelope):
    """Tangents that an envelope did not have are zeros where the map has them now."""
    return dict(envelope, points=[{**{k: [0] * 4 for k in TANGENTS}, **p}
                                  for p in envelope.get("points", [])])


def same(path, want, got):
    if want == got:
        return True
    if path.startswith("envelopes/") and isinstance(want, dict) and isinstance(got, dict):
        return full_points(want) == full_points(got)
    if path.endswith("/group.json") and "parallax_zoom" not in want and isinstance(got, dict):
        # Items of zooms are by position: a group without one gets the one that DDNet takes then.
        got = dict(got)
        zoom = got.pop("parallax_zoom", None)
        return want == got and zoom == min(max(got["x_parallax"], got["y_parallax"], 0), 100)
    return False


def differences(want, got):
    out = ["%s: missing" % p for p in sorted(set(want) - set(got))]
    out += ["%s: not meant to be there" % p for p in sorted(set(got) - set(want))]
    for path in sorted(set(want) & set(got)):
        if not same(path, want[path], got[path]):
            out.append("%s: %.600r\n    is meant to be: %.600r" % (path, got[path], want[path]))
    return out
