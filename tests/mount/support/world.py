# SPDX-License-Identifier: Zlib
"""An independent model of how moving, copying, writing and removing files changes a map (DESIGN section 4;
docs/teeworlds.md).

A World is a base and a tree. The tree has the entries of each directory, their origins, and the written contents.
build() gives the map that follows. Tests apply each change of a mounted tree here as well, with the same path.
"""
import copy
import os

from graph import (CLIPS, KEYS, LISTS, Base, Object, by_name, each_reference, parsed, read, stem_of)

ENDINGS = {"images": (".png", ".json"), "sounds": (".opus", ".json"), "envelopes": (".json",)}
NOUGHT = {3: b"  0", 6: b"     0"}


class Refused(Exception):
    """A close or the save would refuse this."""


class Entry:
    """The file of a medium, or the directory of a group or layer."""

    def __init__(self, origin=None):
        self.origin = origin  # an object of the base
        self.files = {}       # the written contents by name; a medium has the name ""
        self.layers = Directory()

    def put(self, name, data):
        """Write a file; a layer cannot change its kind."""
        had, value = self.origin and self.origin.content.get(name), read(data)
        if name == "layer.json" and had and any(had.get(k) != value.get(k) for k in ("type", "kind")):
            raise Refused("a layer of another kind")
        self.files[name] = data

    def tree(self):
        return self.origin, self.files, self.layers.tree()


class Directory(dict):
    """Entries by name. `home` and `left` say which origin a new file at a name gets."""

    def __init__(self, things=()):
        super().__init__((t.path, Entry(t)) for t in things)
        self.home = {t.path: t for t in things}
        self.left = {}

    def tree(self):
        return {n: e.tree() for n, e in self.items()}, {
            n: o for n, o in self.left.items() if n not in self.home}


def means(sort, name):
    return name[0] != "." and os.path.splitext(name)[1] in ENDINGS[sort]


def cells(plane):
    return [row.split(b",") for row in plane.splitlines()]


def plane_of(rows):
    return b"".join(b",".join(row) + b"\n" for row in rows)


def resized(plane, w, h):
    rows = cells(plane)
    nought = NOUGHT[len(rows[0][0])]
    rows = [(row + [nought] * w)[:w] for row in rows][:h]
    return plane_of(rows + [[nought] * w for _ in range(h - len(rows))])


def size_of(plane):
    return len(cells(plane)[0]), len(cells(plane))


class World:
    def __init__(self, base):
        self.take(base)

    def take(self, base):
        """Continue on this base, without changes."""
        self.base = base
        self.places = {sort: Directory(base[sort]) for sort in LISTS}
        for entry in self.places["groups"].values():
            entry.layers = Directory(entry.origin.layers)
        self.others = {}  # files of info/

    def saved(self):
        """Continue after a save: paths do not change, and a scratch file keeps its content."""
        scratch = [(sort, name, entry) for sort in ENDINGS for name, entry in self.places[sort].items()
                   if not means(sort, name)]
        built = self.build()
        self.take(built.base)
        for sort, name, entry in scratch:
            kept = built.now.get(entry.origin) if entry.origin in built.kept else None
            entry.files[""] = entry.files.get("", entry.origin and entry.origin.content[""])
            entry.origin = kept
            self.places[sort][name] = entry
            if kept:
                self.places[sort].pop(kept.path, None)
                self.places[sort].left[kept.path] = kept

    def mounted(self):
        """Continue as the next mount shows the map."""
        self.take(self.build().base.settle())

    def tree(self):
        """Everything that the saved map depends on."""
        return {sort: d.tree() for sort, d in self.places.items()}, self.others

    # ---- operations of programs

    def at(self, path):
        """(directory, name in it, rest of the path)"""
        parts = path.split("/")
        if parts[0] != "groups" or len(parts) < 4:
            return self.places[parts[0]], parts[1], "/".join(parts[2:])
        return self.places["groups"][parts[1]].layers, parts[3], "/".join(parts[4:])

    def entry(self, path):
        d, name, _ = self.at(path)
        return d[name]

    def put(self, path, data):
        if path.startswith("info/"):
            self.others[path] = data
            return
        d, name, file = self.at(path)
        if path.startswith("groups/"):
            d[name].put(file, data)
            return
        if name not in d:
            self.put_entry(path, Entry())
        d[name].files[""] = data
        self.remove_other_form(path)

    def mkdir(self, path):
        d, name, rest = self.at(path)
        if rest:
            d[name]  # a mandatory directory exists if its group does
            return
        if name in d:
            raise FileExistsError(path)
        d[name] = Entry()

    def remove(self, path):
        d, name, _ = self.at(path)
        entry = d.pop(name)
        if not path.startswith("groups/"):
            self.record_origin(d, name, entry.origin if means(path.split("/")[0], name) else None)

    def rename(self, old, new):
        d, name, _ = self.at(old)
        entry, sort = d.pop(name), old.split("/")[0]
        if sort == "groups":
            to, called, _ = self.at(new)
            if called in to:
                raise FileExistsError(new)
            to[called] = entry
            return
        backup = means(sort, name) and not means(sort, os.path.basename(new))
        left = entry.origin if backup else None
        self.put_entry(new, entry)
        self.remove_other_form(new)
        self.record_origin(d, name, left)

    @staticmethod
    def record_origin(d, name, origin):
        origin = d.home.get(name, origin)
        if origin:
            d.left[name] = origin

    def put_entry(self, path, entry):
        """Put an entry at a path. Without an origin, it takes that of the entry that it replaces, or of the last one
        at that path."""
        d, name, _ = self.at(path)
        there = d[name].origin if name in d else None
        left = d.left.pop(name, None)
        if means(path.split("/")[0], name):
            entry.origin = entry.origin or there or left
        d[name] = entry

    def remove_other_form(self, path):
        """Remove the other form of the same object."""
        d, name, _ = self.at(path)
        sort = path.split("/")[0]
        if not means(sort, name):
            return
        for ending in ENDINGS[sort]:
            other = stem_of(sort, name) + ending
            if other != name and other in d:
                d[name].origin = d[name].origin or d[other].origin
                del d[other]
                self.record_origin(d, other, None)

    # ---- the view

    def shows(self, path):
        """The content of a file, with the names of the base."""
        _, _, file = self.at(path)
        entry = self.entry(path)
        value = content(entry, False)[file]
        if file in entry.files or not isinstance(value, (dict, list)):
            return value
        return each_reference(value, lambda _, v: v.stem() if isinstance(v, Object) else v)

    def names(self):
        """All names in written files: {(sort, stem)}."""
        out = set()
        for value in self.written():
            each_reference(value, lambda k, v: out.add((KEYS[k], v)) if isinstance(v, str) else None)
        return out

    def written(self):
        for group in self.places["groups"].values():
            for layer in group.layers.values():
                yield from map(read, layer.files.values())

    def build(self):
        return Build(self)


def content(entry, save=True):
    """The contents of an entry: written ones, and those of its origin. Only a save makes files consistent with each
    other."""
    out = dict(entry.origin.content) if entry.origin else {}
    out.update({n: read(data) for n, data in entry.files.items()})
    if "layer.json" in out:
        fit_sizes(entry, out, save)
    return out


def fit_sizes(entry, out, save):
    """Make layer and tables the same size (DESIGN rule 5), and fill missing ones with zeros or an empty list."""
    main = out["layer.json"]
    if entry.origin is None:
        if main["type"] == 2:
            for name in ("id.csv", "flags.csv"):
                out.setdefault(name, plane_of([[b"  0"] * main["width"]] * main["height"]))
        else:
            out.setdefault("quads.json" if main["type"] == 3 else "sources.json", [])
    tables = [n for n in out if n.endswith(".csv")]
    if not tables:
        return
    size = main["width"], main["height"]
    sizes = {size_of(out[n]) for n in tables}
    if save and "layer.json" not in entry.files and len(sizes) == 1 and all(n in entry.files for n in tables):
        size, = sizes
        out["layer.json"] = dict(main, width=size[0], height=size[1])
    had = entry.origin and (entry.origin.content["layer.json"]["width"],
                            entry.origin.content["layer.json"]["height"])
    for name in tables:
        if save and size_of(out[name]) not in (size, had):
            raise Refused("%s has another size than its layer" % name)
        if save or name not in entry.files:
            out[name] = resized(out[name], *size)


class Build:
    """The map that follows from a base and a tree, as a new base."""

    def __init__(self, world):
        self.world, self.base = world, Base()
        self.now, self.was = {}, {}  # object of the old base -> object of the new base, and the reverse
        self.kept = set()  # objects of the old base whose file has a name without a meaning
        self.stands = {}   # (sort, stem) -> object of the new base
        self.entries = {}  # object of the new base -> its entry
        for sort in ENDINGS:
            self.identify(sort, world.places[sort])
        for name, entry in in_order(world.places["groups"]):
            group = self.place("groups", name, entry, entry.origin, None)
            for below, layer in in_order(entry.layers):
                self.place("layers", below, layer, layer.origin, group)
        for sort in LISTS:
            self.base[sort].sort(key=Object.order)
        for group in self.base["groups"]:
            group.layers.sort(key=Object.order)
        for t, entry in self.entries.items():
            self.fill(t, entry)

    def identify(self, sort, d):
        """Find the object for each file: the one at its path in the base, or else its origin."""
        home = {t.stem(): t for t in self.world.base[sort]}
        files = [(n, e) for n, e in in_order(d) if means(sort, n)]
        taken = {home[stem_of(sort, n)] for n, _ in files if stem_of(sort, n) in home}
        for name, entry in files:
            t = home.get(stem_of(sort, name))
            if not t and entry.origin not in taken:
                t = entry.origin
                taken.add(t)
            self.place(sort, name, entry, t, None)
        for name, entry in in_order(d):
            if entry.origin and not means(sort, name) and entry.origin not in taken:
                taken.add(entry.origin)
                self.kept.add(entry.origin)
                self.place(sort, entry.origin.path, Entry(entry.origin), entry.origin, None)

    def place(self, sort, name, entry, old, group):
        """Add an object for an entry; `old` is None for a new one."""
        new = copy.copy(old) if old else Object(sort, name, b"", {})
        at_home = old and stem_of(sort, name) == old.stem() and (
            self.now.get(old.group) is group)
        new.path, new.group, new.layers = name, group, []
        if not at_home:
            new.position, new.name = parsed(new.stem(), sort)
            new.moved = True
        self.entries[new] = entry
        self.stands[sort, new.stem()] = new
        (group.layers if group else self.base[sort]).append(new)
        if old:
            self.now[old], self.was[new] = new, old
        return new

    # ---- contents

    def fill(self, t, entry):
        contents = content(entry)
        t.content = {n: each_reference(v, self.points_at) if isinstance(v, (dict, list)) else v
                     for n, v in contents.items()}
        if t.name:
            raise_version(t)
        t.painted = t.sort == "images" and t in self.was and t.content != self.was[t].content
        # A layer whose image or pixels changed may follow either image with its marks.
        for main in (t.content.get("layer.json", {}), self.was[t].content.get("layer.json", {})
                     if t in self.was else {}):
            image = main.get("image")
            image = self.now.get(image, image)
            t.repainted = t.repainted or isinstance(image, Object) and image.painted

    def points_at(self, key, value):
        if isinstance(value, Object):
            return self.now.get(value)
        if isinstance(value, str):
            return self.named(KEYS[key], value)
        # An invalid number must stay invalid: it is dropped if it would now refer to an object.
        return None if value is not None and 0 <= value < len(self.base[KEYS[key]]) else value

    def named(self, sort, stem):
        """The object with this name, or else the object that had it in the base."""
        if (sort, stem) in self.stands:
            return self.stands[sort, stem]
        for t in self.world.base[sort]:
            if t.stem() == stem:
                return self.now.get(t)
        raise Refused("%s names nothing in %s" % (stem, sort))


def in_order(d):
    return sorted(d.items(), key=lambda item: by_name(item[0]))


def raise_version(t):
    """Raise the version of an object with a name to one that stores names (layout rule 6)."""
    main = {"groups": "group.json", "layers": "layer.json"}.get(t.sort)
    value = dict(t.content.get(main, {}))
    least = 3 if t.sort == "groups" else {2: 3, 3: 2}.get(value.get("type"))
    if least and value.get("version", least) < least:
        value["version"] = least
        if t.sort == "groups":
            value.update({key: value.get(key, 0) for key in CLIPS})
        t.content[main] = value
