# SPDX-License-Identifier: Zlib
"""Edits of groups and layers (edits.py)."""
import os

import layout
from core import files_below
from edits_base import Base, Nothing
from graph import KEYS, each_reference, is_json, parsed, stem_of
from world import cells, means, plane_of, resized, size_of

SOURCE = {"position": [3, 4], "looping": 1, "panning": 1, "delay": 0, "falloff": 7,
          "position_envelope": None, "position_envelope_offset": 0, "sound_envelope": None,
          "sound_envelope_offset": 0, "shape": [0, 100, 50]}
GROUP = {"version": 3, "x_offset": 0, "y_offset": -1, "x_parallax": 50, "y_parallax": 100, "clipping": 0,
         "clip_x": 0, "clip_y": 0, "clip_width": 0, "clip_height": 0}


def other_content(path):
    """Other content for a file of a new layer, which an edit may write before the right one."""
    return {"layer.json": b'{"type": "quads"}', "quads.json": b"[]", "sources.json": b"[]"}.get(
        os.path.basename(path), b"0,0\n0,0\n")


class Layers(Base):
    def is_whole(self, layer, world=None):
        """Can a copy of the layer's files say everything about it? That depends on its type and version."""
        main, files = self.main(layer, world), self.files(layer, world)
        if main.get("type") == 2:
            return (self.is_settled(layer, world) and main.get("kind") == 0
                    and main.get("version") in (2, 3, 4) and "image" in main
                    and {"id.csv", "flags.csv"} <= set(files)
                    and main["width"] >= 2 and main["height"] >= 2
                    and all(0 <= c <= 255 for c in main["color"]))
        return (main.get("type") in (3, 9, 10) and len(files) == 2
                and (main["type"] == 3 or main["version"] == 2) and main["version"] in (1, 2))

    def is_settled(self, layer, world=None):
        """Do all tables have the size that layer.json says?"""
        main = self.main(layer, world)
        return all(size_of((world or self.world).shows("%s/%s" % (layer, n))) ==
                   (main["width"], main["height"]) for n in self.files(layer, world) if n.endswith(".csv"))

    def can_mean(self, data):
        """Does every reference in the content name an object?"""
        found = []

        def check_reference(key, v):
            if isinstance(v, str):
                found.append(v in self.stems(key) or v in self.lost(key))
            return v
        each_reference(data, check_reference)
        return all(found)

    def lost(self, key):
        """Names of base objects without a file. They resolve to the object that had the name, if it still exists."""
        sort = KEYS[key]
        there = {stem_of(sort, n) for n in self.world.places[sort] if means(sort, n)}
        return {t.stem() for t in self.world.base[sort]} - there

    def readable_files(self, *layers):
        """The files of layers as the mount shows them, if all their references resolve."""
        out = [("%s/%s" % (x, n), self.read("%s/%s" % (x, n))) for x in layers for n in self.tree.list(x)]
        for layer in layers:
            for n in self.files(layer):
                if is_json(n) and not self.can_mean(self.world.shows("%s/%s" % (layer, n))):
                    raise Nothing
        return out

    def write_in_random_order(self, files):
        """Write the files of a new directory in random order, and make directories as they are needed."""
        self.rng.shuffle(files)
        there = set()
        for path, data in files:
            above = os.path.dirname(path)
            missing = []
            while above not in there and not self.tree.is_dir(above):
                missing.append(above)
                above = os.path.dirname(above)
            for directory in reversed(missing):
                self.do("mkdir", directory)
                there.add(directory)
            if data is not None:
                self.do("put", path, data)
            elif not self.tree.is_dir(path):
                self.do("mkdir", path)
                there.add(path)

    def layer(self, fits=lambda x: True):
        return self.pick(x for x in self.layers() if fits(x))

    def group(self, fits=lambda g: True):
        return self.pick(g for g in self.groups() if fits(g))

    def copy_layer(self):
        source = self.layer(self.is_whole)
        files, to = self.readable_files(source), self.fresh(self.group() + "/layers")
        self.do("mkdir", to)
        self.rng.shuffle(files)
        for path, data in files:
            # The mount validates a file of a new object as new, whatever was written to it before.
            if self.rng.random() < 0.3:
                self.do("put", to + path[len(source):], other_content(path))
            self.do("put", to + path[len(source):], data)

    def copy_group(self):
        source = self.group(lambda g: not self.is_game(g) and self.layers(g)
                            and all(map(self.is_whole, self.layers(g))))
        self.readable_files(*self.layers(source))
        files, to = files_below(self.tree, source), self.fresh("groups")
        self.do("mkdir", to)
        self.do("mkdir", to + "/layers")
        self.write_in_random_order([(to + path[len(source):], data) for path, data in files])

    def copy_from_other(self):
        """Copy a layer from the other map. Its images and sounds arrive before it, after it or never."""
        if not self.other:
            raise Nothing
        world, tree = self.other
        source = self.pick(x for x in self.layers(world=world) if self.is_whole(x, world))
        to, wanted, files = self.fresh(self.group() + "/layers"), {}, []

        def import_reference(key, v):
            # A number of the other map could refer to an object here, so the copy has none.
            if not isinstance(v, str):
                return None
            if v in self.stems(key) or v in wanted:
                return v
            if v in self.lost(key) or self.rng.random() < 0.3:
                return None
            path = next(p for p in self.media(KEYS[key], world)
                        if stem_of(KEYS[key], p.split("/")[1]) == v)
            there = self.world.places[KEYS[key]]
            if any(stem_of(KEYS[key], n) == v for n in list(there) + list(there.left)) or \
                    not self.is_plain(path, world) or path.endswith(".json") and key == "sound":
                return None
            wanted[v] = (path, tree.get(path))
            return v
        for n in self.files(source, world):
            value = world.shows("%s/%s" % (source, n))
            files.append(("%s/%s" % (to, n), self.text(each_reference(value, import_reference))
                          if is_json(n) else value))
        self.log.append("from the other map: " + source)
        self.do("mkdir", to)
        self.write_in_random_order(files + list(wanted.values()))

    def add_layer(self):
        """Make a layer from a layer.json alone; missing tables are zeros."""
        to, kind = self.fresh(self.group() + "/layers"), self.rng.choice((2, 3, 10))
        main = {"type": kind, "detail": self.rng.randrange(2), "version": 3 if kind == 2 else 2}
        if kind == 2:
            main.update(width=self.rng.randrange(2, 9), height=self.rng.randrange(2, 9), kind=0,
                        color=[1, 2, 3, 255], color_envelope=None, color_envelope_offset=0,
                        image=self.rng.choice(self.stems("image") + [None]), automapper=None)
        else:
            main["image" if kind == 3 else "sound"] = None
        self.do("mkdir", to)
        self.do("put", to + "/layer.json", self.text(main))
        if kind == 10:
            self.do("put", to + "/sources.json", self.text([SOURCE]))

    def add_group(self):
        to = self.fresh("groups")
        self.do("mkdir", to)
        self.do("mkdir", to + "/layers")
        self.do("put", to + "/group.json", self.text(dict(GROUP, x_offset=self.rng.randrange(99))))

    def remove_layer(self):
        self.do("rm", self.layer(lambda x: not self.is_physics(x) or self.main(x)["kind"] != 1))

    def remove_group(self):
        self.do("rm", self.group(lambda g: not self.is_game(g)))

    def current_name(self, path):
        """The name of the object at a path."""
        entry, sort = self.world.entry(path), path.split("/")[-2]
        name = os.path.basename(path)
        if entry.origin and entry.origin.path == name:
            return layout.escaped(entry.origin.name, 200).decode()
        return layout.escaped(parsed(name, sort)[1], 200).decode()

    def numbered(self, path, number):
        name = self.current_name(path)
        to = "%s/%d%s" % (os.path.dirname(path), number, "_" + name if name else "")
        if os.path.basename(to) in self.world.at(to)[0]:
            raise Nothing
        return to

    def move_layer(self):
        old = self.layer()
        if self.is_physics(old):
            # The game gives physics layers their names.
            to = self.numbered(old, self.rng.randrange(20))
        else:
            to = self.fresh(os.path.dirname(old) if self.rng.random() < 0.5
                            else self.group() + "/layers")
        self.do("mv", old, to)

    def move_group(self):
        old = self.group()
        self.do("mv", old, self.numbered(old, self.rng.randrange(20)) if self.is_game(old)
                else self.fresh("groups"))

    def make_layer_again(self):
        """Make a copy of another layer at the path of a removed one."""
        group = self.group()
        d = self.world.entry(group).layers
        to = "%s/layers/%s" % (group, self.pick(n for n in d.home if n not in d))
        source = self.layer(self.is_whole)
        files = self.readable_files(source)
        self.do("mkdir", to)
        files.sort(key=lambda f: not f[0].endswith("/layer.json"))
        for path, data in files:
            self.do("put", to + path[len(source):], data)

    def swap_directories(self):
        """Exchange two directories through a third valid name."""
        if self.rng.random() < 0.3:
            things = [g for g in self.groups() if not self.is_game(g)]
        else:
            things = [x for x in self.layers(self.group()) if not self.is_physics(x)]
        if len(things) < 2:
            raise Nothing
        a, b = self.rng.sample(things, 2)
        third = self.fresh(os.path.dirname(a))
        self.do("mv", a, third)
        self.do("mv", b, a)
        self.do("mv", third, b)

    def reorder(self):
        """Put all layers of a group, or all groups, into another order, and keep their names."""
        things = self.groups() if self.rng.random() < 0.4 else self.layers(self.group())
        self.rng.shuffle(things)
        for number, old in enumerate(things):
            self.do("mv", old, self.numbered(old, number + self.rng.randrange(100, 900)))

    # ---- contents

    def resize(self):
        layer = self.layer(lambda x: self.is_whole(x) and self.main(x)["type"] == 2
                           and self.is_sizable(x))
        self.resize_all([layer], self.rng.randrange(2, 13), self.rng.randrange(2, 13))

    def is_sizable(self, layer):
        """A table that was written keeps its own size."""
        return not any(n.endswith(".csv") for n in self.world.entry(layer).files)

    def resize_physics(self):
        things = [x for x in self.layers() if self.is_physics(x)]
        sizes = {(self.main(x)["width"], self.main(x)["height"]) for x in things}
        if len(sizes) != 1 or not all(map(self.is_sizable, things)):
            raise Nothing
        (w, h), = sizes
        self.rng.shuffle(things)
        self.resize_all(things, max(2, w + self.rng.randrange(-3, 4)),
                        max(2, h + self.rng.randrange(-3, 4)))

    def resize_all(self, things, w, h):
        files = [dict(self.main(x), width=w, height=h) for x in things]
        if not all(map(self.can_mean, files)):
            raise Nothing
        for layer, main in zip(things, files):
            self.do("put", layer + "/layer.json", self.text(main))

    def resize_by_tables(self):
        """Write every table in a new size, and leave layer.json as it is."""
        layer = self.layer(lambda x: self.is_whole(x) and self.main(x)["type"] == 2
                           and self.world.entry(x).origin and not self.world.entry(x).files)
        w, h = self.rng.randrange(2, 13), self.rng.randrange(2, 13)
        paths = ["%s/%s" % (layer, name) for name in ("id.csv", "flags.csv")]
        for path, table in [(p, self.read(p)) for p in paths]:
            self.do("put", path, resized(table, w, h))

    def write_cells(self):
        layer = self.layer(lambda x: any(n.endswith(".csv") for n in self.files(x)))
        name = self.rng.choice([n for n in self.files(layer) if n.endswith(".csv") and n != "flags.csv"]
                               or ["flags.csv"])
        rows = cells(self.world.shows("%s/%s" % (layer, name)))
        for _ in range(3):
            row = self.rng.choice(rows)
            x = self.rng.randrange(len(row))
            row[x] = b"%*d" % (len(row[x]), self.rng.randrange(100))
        self.do("put", "%s/%s" % (layer, name), plane_of(rows))

    def write_references(self):
        layer = self.layer(lambda x: not self.is_physics(x))
        path = "%s/%s" % (layer, self.rng.choice([n for n in self.files(layer) if is_json(n)]))
        if not self.is_settled(layer):
            raise Nothing
        old = self.world.shows(path)
        value = each_reference(old, lambda k, v: self.rng.choice(self.stems(k) + [None])
                               if self.rng.random() < 0.6 else v)
        if value == old or not self.can_mean(value):
            raise Nothing
        self.do("put", path, self.text(value))

    def write_group(self):
        path = self.group(lambda g: not self.is_game(g)) + "/group.json"
        self.do("put", path, self.text(dict(self.world.shows(path),
                                            x_offset=self.rng.randrange(-999, 999))))
