# SPDX-License-Identifier: Zlib
"""What a map holds, as objects that refer to one another: an independent model of what must become
of a map whose files are moved, copied and removed (DESIGN section 4; docs/teeworlds.md).

Things are images, sounds, envelopes, groups and layers. A reference is the thing that it points at,
whatever its number is; the numbers come back when the model says what the saved map must show.
"""
import json
import math
import os
import re
import sys

import layout
from datafile import IMAGE, SOUND
from words import numbers

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "teeworlds"))
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


class Thing:
    def __init__(self, sort, path, content, parent=None):
        self.sort, self.path, self.content, self.parent = sort, path, content, parent
        self.name, self.position, self.seq = b"", LAST, 0
        self.home = self.home_name = self.home_parent = self.home_position = None
        self.layers = []        # of a group
        self.known = self.stem()  # what files call it until the next mount
        self.gone = False
        self.over = None        # whose file was renamed over this one's since the map was saved
        self.locked = False     # a name that is to be resolved at the save depends on its path
        self.waits = False      # a new layer that came before what it refers to
        self.mounted = None     # where it stood when the map was mounted, and its place there
        self.rank = 0
        self.wrote = set()      # "size", "cells": what was written since it was mounted or saved
        self.repainted = False  # the opaque marks may follow new pixels

    def stem(self):
        if self.sort in ("groups", "layers"):
            return self.path
        return os.path.splitext(self.path)[0]

    def where(self):
        if self.sort == "layers":
            return "%s/layers/%s" % (self.parent.where(), self.path)
        return "%s/%s" % (self.sort, self.path)

    def alive(self):
        return not self.gone and not (self.parent and self.parent.gone)

    def settle_home(self):
        """As the next mount finds it."""
        if self.sort in ("groups", "layers"):
            main = "group.json" if self.sort == "groups" else "layer.json"
            self.content = dict(self.content, **{main: raised(self)})
        self.home, self.home_name, self.home_position = self.path, self.name, self.position
        self.home_parent, self.seq, self.locked, self.waits = self.parent, 0, False, False
        self.known, self.wrote, self.over = self.stem(), set(), None

    def settle_saved(self):
        """The mount goes on over the map that it saved: paths hold still."""
        if self.gone:
            self.home = None
        else:
            self.settle_home()

    def moved(self):
        """A save changes nothing of that: one order, whether the map was saved in between or not."""
        return self.mounted != (self.path, self.parent)

    def goes(self, path, parent, seq):
        """It is moved to, or made at, that path."""
        self.path, self.parent = path, parent
        if path == self.home and parent is self.home_parent:
            self.name, self.position, self.seq = self.home_name, self.home_position, 0
        else:
            self.position, self.name = parsed(self.stem(), self.sort)
            self.seq = seq


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
            for x in re.findall(rb"\d+|\D", path.encode())]


def in_order(things):
    """What was made or moved comes before what stood there; among themselves, and without a position,
    they stand by their names: when they came does not count."""
    alive = [t for t in things if not t.gone]

    def key(t):
        stood = t.position != LAST and not t.moved()
        return t.position, stood, t.rank if stood else 0, by_name(t.path), t.path
    return sorted(alive, key=key)


def each_reference(value, visit):
    """A copy of parsed JSON in which visit(key, value) stands for each reference."""
    if isinstance(value, list):
        return [each_reference(v, visit) for v in value]
    if isinstance(value, dict):
        return {k: visit(k, v) if k in KEYS else each_reference(v, visit)
                for k, v in value.items()}
    return value


def is_json(name):
    return name.endswith(".json")


class Unfit(Exception):
    """The model does not speak of such a map."""


class World:
    def __init__(self, f):
        self.images, self.sounds, self.envelopes, self.groups = [], [], [], []
        self.seq = 0
        self.used = set()  # paths that meant something since the mount
        self.left = []     # layers that went to another group
        view = expect.View(f)
        starts = 0
        for g in view.groups:
            if len(g.ints) < 7 or g.ints[5] != starts or g.ints[6] < 0:
                raise Unfit("layers in several groups or in none")
            starts += g.ints[6]
        if starts != len(view.layers):
            raise Unfit("layers in no group")
        self.read_media(f, view)
        self.read_layers(view)
        self.bind()
        self.settle_home()

    def read_media(self, f, view):
        for sort, type_, files in (("images", IMAGE, layout.image_files),
                                   ("sounds", SOUND, layout.sound_files)):
            at = 4 if sort == "images" else 2
            found = list(files(f))
            if len(found) != len(f.of_type(type_)):
                raise Unfit("an item without a file")
            for item, (path, file) in zip(f.of_type(type_), found):
                t = Thing(sort, path.decode().split("/", 1)[1], file.content())
                if t.content is None:
                    raise Unfit("damaged data")
                t.name = layout.named_blob(f, item.ints[at])
                getattr(self, sort).append(t)
        for e in range(len(view.envelopes)):
            v = view.envelopes[e].ints
            t = Thing("envelopes", view.stems["envelope"][e] + ".json",
                      {"": numbers(json.loads(view.envelope(e)))})
            t.name = expect.text_name(v[4:12]) if len(v) >= 12 else b""
            self.envelopes.append(t)

    def read_layers(self, view):
        for g, item in enumerate(view.groups):
            name = view.group_name(g)
            group = Thing("groups", layout.stem(g, len(view.groups), name, 255).decode(),
                          {"group.json": numbers(json.loads(view.group_json(g)))})
            group.name = name
            self.groups.append(group)
            start, count = item.ints[5:7]
            for n in range(count):
                content = {}
                for file, text in view.layer_files(g, start + n, n):
                    if text is None:
                        raise Unfit("damaged data")
                    content[file] = numbers(json.loads(text)) if is_json(file) else text.encode()
                name = view.layer_name(start + n)
                layer = Thing("layers", layout.stem(n, count, name, 255).decode(), content, group)
                layer.name = name
                group.layers.append(layer)

    def bind(self):
        stems = {sort: {t.stem(): t for t in getattr(self, sort)} for sort in LISTS}
        for layer in self.all_layers():
            for name, value in layer.content.items():
                if is_json(name):
                    layer.content[name] = each_reference(
                        value, lambda k, v: stems[KEYS[k]][v] if isinstance(v, str) else v)

    def all_layers(self):
        return [layer for g in self.groups for layer in g.layers]

    def settle_home(self):
        """Numbers are dealt anew, as by the next mount."""
        self.used, self.left = set(), []
        for sort in LISTS:
            setattr(self, sort, self.dealt(getattr(self, sort), 250 if sort != "groups" else 255))
        for group in self.groups:
            group.layers = self.dealt(group.layers, 255)

    def settle_saved(self):
        for t in [t for s in LISTS for t in getattr(self, s)] + self.all_layers():
            t.settle_saved()

    def dealt(self, things, limit):
        things = in_order(things)
        for i, t in enumerate(things):
            ending = os.path.splitext(t.path)[1] if t.sort not in ("groups", "layers") else ""
            t.path, t.position = layout.stem(i, len(things), t.name, limit).decode() + ending, i
            t.settle_home()
            t.mounted, t.rank = (t.path, t.parent), i
        return things

    # ---- what the saved map must show

    def shows(self):
        """{path: bytes or parsed JSON}"""
        out, stems = {}, {}
        for sort in ("images", "sounds", "envelopes"):
            things = in_order(getattr(self, sort))
            for i, t in enumerate(things):
                stems[t] = layout.stem(i, len(things), t.name).decode()
                path = "%s/%s%s" % (sort, stems[t], os.path.splitext(t.path)[1])
                out[path] = t.content if sort in MEDIA else t.content[""]
        counts = {sort: len(in_order(getattr(self, sort))) for sort in LISTS}

        def shown(key, value):
            if isinstance(value, Thing):
                return stems.get(value)
            # What pointed at nothing must not begin to point at something.
            if value is not None and 0 <= value < counts[KEYS[key]]:
                return None
            return value
        groups = in_order(self.groups)
        for g, group in enumerate(groups):
            top = "groups/" + layout.stem(g, len(groups), group.name, 255).decode()
            out[top + "/group.json"] = raised(group)
            layers = in_order(group.layers)
            for n, layer in enumerate(layers):
                below = "%s/layers/%s" % (
                    top, layout.stem(n, len(layers), layer.name, 255).decode())
                for name, value in layer.content.items():
                    if name == "layer.json":
                        value = raised(layer)
                    if is_json(name):
                        value = each_reference(value, shown)
                    elif layer.repainted and name == "flags.csv":
                        value = without_marks(value)
                    out["%s/%s" % (below, name)] = value
        return out

    def repainted(self):
        """Paths in the saved map whose opaque marks do not count."""
        out, groups = set(), in_order(self.groups)
        for g, group in enumerate(groups):
            layers = in_order(group.layers)
            for n, layer in enumerate(layers):
                if layer.repainted:
                    out.add("groups/%s/layers/%s/flags.csv" % (
                        layout.stem(g, len(groups), group.name, 255).decode(),
                        layout.stem(n, len(layers), layer.name, 255).decode()))
        return out


def raised(thing):
    """Its main file; a name is stored where it needs a higher version (layout rule 6)."""
    value = dict(thing.content["group.json" if thing.sort == "groups" else "layer.json"])
    least = {"groups": 3}.get(thing.sort) or {2: 3, 3: 2}.get(value.get("type"))
    if thing.seq and thing.name and least and value.get("version", least) < least:
        value["version"] = least
        if thing.sort == "groups":
            for key in CLIPS:
                value.setdefault(key, 0)
    return value


def without_marks(plane):
    return [[int(c) & ~OPAQUE for c in row.split(b",")] for row in plane.splitlines()]


def map_shows(f, repainted=()):
    """The same of a map, by expect.py's reading."""
    out = {}
    for path, file in list(layout.image_files(f)) + list(layout.sound_files(f)):
        out[path.decode()] = file.content()
    for path, text in expect.files(f).items():
        path = path.decode()
        if text is not None and is_json(path):
            text = numbers(json.loads(text))
        elif path in repainted:
            text = without_marks(text)
        out[path] = text
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
