# SPDX-License-Identifier: Zlib
"""Edits of groups and layers (edits.py)."""
import copy
import os

import layout
from core import files_below
from edits_base import Base, Nothing, is_physics, is_tiles
from graph import CHANNELS, KEYS, Thing, each_reference, is_json

SOURCE = {"position": [3, 4], "looping": 1, "panning": 1, "delay": 0, "falloff": 7,
          "position_envelope": None, "position_envelope_offset": 0, "sound_envelope": None,
          "sound_envelope_offset": 0, "shape": [0, 100, 50]}
PLANE_CELLS = {3: b"  0", 6: b"     0"}


def cells(plane):
    return [row.split(b",") for row in plane.splitlines()]


def plane_of(rows):
    return b"".join(b",".join(row) + b"\n" for row in rows)


def resized(plane, w, h):
    rows = cells(plane)
    nought = PLANE_CELLS[len(rows[0][0])]
    rows = [(row + [nought] * w)[:w] for row in rows][:h]
    return plane_of(rows + [[nought] * w for _ in range(h - len(rows))])


def is_whole(layer):
    """Of a type and version whose files say all of it, so that it can be copied."""
    main = layer.content["layer.json"]
    if main.get("type") == 2:
        return (main.get("kind") == 0 and main.get("version") in (2, 3, 4) and "image" in main
                and {"id.csv", "flags.csv"} <= set(layer.content)
                and main["width"] >= 2 and main["height"] >= 2
                and all(0 <= c <= 255 for c in main["color"]))
    return (main.get("type") in (3, 9, 10) and len(layer.content) == 2
            and (main["type"] == 3 or main["version"] == 2) and main["version"] in (1, 2))


def copied(thing):
    """Its content, with the same references."""
    return {n: each_reference(v, lambda _, r: r) if is_json(n) else v
            for n, v in thing.content.items()}


def version(layer):
    main = layer.content["layer.json"]
    return main.get("type"), main.get("version")


class Layers(Base):
    def arrive(self, files):
        """Files of a new directory, in some order; directories are made when they are needed."""
        self.rng.shuffle(files)
        there = set()
        for path, data in files:
            above = os.path.dirname(path)
            missing = []
            while above not in there and not self.tree.is_dir(above):
                missing.append(above)
                above = os.path.dirname(above)
            for directory in reversed(missing):
                self.mkdir(directory)
                there.add(directory)
            if data is not None:
                self.put(path, data)
            elif not self.tree.is_dir(path):
                self.mkdir(path)
                there.add(path)

    def copy_layer(self):
        source = self.layer(is_whole)
        if self.has_lost([source]):
            raise Nothing
        group = self.group()
        files = [(n, self.tree.get("%s/%s" % (source.where(), n)))
                 for n in self.tree.list(source.where())]
        t = self.make("layers", self.fresh("layers", group), copied(source), group)
        t.repainted = source.repainted
        self.tell("copy of", source.where())
        self.mkdir(t.where())
        self.rng.shuffle(files)
        for name, data in files:
            self.put("%s/%s" % (t.where(), name), data)

    def copy_group(self):
        source = self.group(lambda g: not self.is_game(g) and g.layers)
        layers = [x for x in source.layers if x.alive()]
        if not all(map(is_whole, layers)) or self.has_lost(layers):
            raise Nothing
        files = files_below(self.tree, source.where())
        t = self.make("groups", self.fresh("groups"), copied(source))
        self.tell("copy of", source.where())
        self.mkdir_group(t.where())
        for layer in self.rng.sample(layers, len(layers)):
            new = self.make("layers", layer.path, copied(layer), t)
            new.repainted = layer.repainted
            self.mkdir(new.where())
        before = len(source.where())
        self.arrive([(t.where() + path[before:], data) for path, data in files])

    def copy_from_other(self):
        """A layer of another map; then what it refers to, or before, or never."""
        if not self.other:
            raise Nothing
        world, tree = self.other
        fitting = [x for x in world.all_layers() if is_whole(x)]
        if not fitting:
            raise Nothing
        source, group = self.rng.choice(fitting), self.group()
        wanted, content = {}, {}

        def bound(key, v):
            if not isinstance(v, Thing):
                # A number that may mean something here is no reference there.
                return None if v is not None else v
            here = self.named(KEYS[key], v.known)
            if here and here[0].alive() and here[0].known == here[0].stem() and \
                    self.fits(key, here[0]):
                here[0].locked = True
                return here[0]
            if here or v.sort == "images" and v.path.endswith(".json") or \
                    self.taken(v.sort, None, v.path) or self.rng.random() < 0.3:
                return None
            if v not in wanted:
                if v.sort == "envelopes" and not self.fits(key, v):
                    return None
                new = self.make(v.sort, v.path, copy.deepcopy(v.content))
                new.locked = True
                wanted[v] = new
            return wanted[v] if v.sort != "envelopes" or self.fits(key, v) else None
        for name, value in source.content.items():
            content[name] = each_reference(value, bound) if is_json(name) else value
        t = self.make("layers", self.fresh("layers", group), content, group)
        t.waits = bool(wanted)
        files = [("%s/%s" % (t.where(), n), self.text(v) if is_json(n) else v)
                 for n, v in content.items()]
        files += [(new.where(), tree.get(old.where())) for old, new in wanted.items()]
        self.tell("from the other map:", source.where())
        self.mkdir(t.where())
        self.arrive(files)

    def named(self, sort, stem):
        """What a stem in a new file means: what files call so, else what stands there."""
        things = getattr(self.world, sort)
        return [t for t in things if stem in (t.known, t.stem())]

    def fits(self, key, envelope):
        return (envelope.sort != "envelopes"
                or envelope.content[""].get("channels") == CHANNELS[key])

    def add_layer(self):
        """From nothing but a layer.json; missing tables are zeros."""
        group = self.group()
        w, h = self.rng.randrange(2, 9), self.rng.randrange(2, 9)
        kind = self.rng.choice((2, 3, 10))
        main = {"type": kind, "detail": self.rng.randrange(2), "version": 3 if kind == 2 else 2}
        content = {"layer.json": main}
        if kind == 2:
            main.update(width=w, height=h, kind=0, color=[1, 2, 3, 255], color_envelope=None,
                        color_envelope_offset=0, image=None, automapper=None)
            images = [t for t in self.world.images if t.alive()]
            main["image"] = self.rng.choice(images + [None])
            for name in ("id.csv", "flags.csv"):
                content[name] = plane_of([[b"  0"] * w] * h)
        else:
            main["image" if kind == 3 else "sound"] = None
            content["quads.json" if kind == 3 else "sources.json"] = [] if kind == 3 else [SOURCE]
        t = self.make("layers", self.fresh("layers", group), content, group)
        self.mkdir(t.where())
        self.put(t.where() + "/layer.json", self.text(main))
        if kind == 10:
            self.put(t.where() + "/sources.json", self.text([SOURCE]))

    def add_group(self):
        main = {"version": 3, "x_offset": self.rng.randrange(99), "y_offset": -1, "x_parallax": 50,
                "y_parallax": 100, "clipping": 0, "clip_x": 0, "clip_y": 0, "clip_width": 0,
                "clip_height": 0}
        t = self.make("groups", self.fresh("groups"), {"group.json": main})
        self.mkdir_group(t.where())
        self.put(t.where() + "/group.json", self.text(main))

    def remove_layer(self):
        t = self.layer(lambda x: not is_physics(x)
                       or x.content["layer.json"]["kind"] not in (1,))
        self.remove(t.where())
        t.gone = True

    def remove_group(self):
        t = self.group(lambda g: not self.is_game(g))
        self.remove(t.where())
        t.gone = True

    def move_layer(self):
        t = self.layer()
        group = t.parent if is_physics(t) or self.rng.random() < 0.5 else self.group()
        old = t.where()
        path = self.fresh("layers", group)
        if is_physics(t):
            # Their names are the game's.
            path = "%d_%s" % (self.rng.randrange(9), t.name.decode()) if t.name else str(
                self.rng.randrange(20))
            if self.taken("layers", group, path):
                raise Nothing
        if group is not t.parent:
            t.parent.layers.remove(t)
            group.layers.append(t)
            self.world.left.append(t)
        t.goes(path, group, self.next())
        self.use(t)
        self.rename(old, t.where())

    def move_group(self):
        t = self.group()
        path = self.fresh("groups")
        if self.is_game(t):
            path = "%d_%s" % (self.rng.randrange(9), t.name.decode()) if t.name else str(
                self.rng.randrange(20))
            if self.taken("groups", None, path):
                raise Nothing
        old = t.where()
        t.goes(path, None, self.next())
        self.use(t)
        self.rename(old, t.where())

    def make_layer_again(self):
        """What was removed comes back at its path, as another layer."""
        gone = [t for t in self.world.all_layers() if t.gone and t.parent.alive()
                and t.path == t.home and t.parent is t.home_parent and not is_physics(t)]
        source = self.layer(lambda x: is_whole(x) and x.home)
        if not gone or self.has_lost([source]):
            raise Nothing
        t = self.rng.choice(gone)
        # With something else moved to its number, the rules leave open which comes first.
        if version(t) != version(source) or any(
                x.seq and x.position == t.home_position for x in t.parent.layers):
            raise Nothing
        files = [(n, self.tree.get("%s/%s" % (source.where(), n)))
                 for n in self.tree.list(source.where())]
        self.tell("copy of", source.where())
        self.mkdir(t.where())
        files.sort(key=lambda f: f[0] != "layer.json")
        for name, data in files:
            self.put("%s/%s" % (t.where(), name), data)
        t.gone, t.content, t.repainted = False, copied(source), source.repainted

    def swap_directories(self):
        """Through a third name that means something."""
        def at_home(x):
            return (x.path == x.home and x.parent is x.home_parent and not (
                self.is_game(x) if x.sort == "groups" else is_physics(x)))

        if self.rng.random() < 0.3:
            a = self.group(at_home)
            b = self.group(lambda g: at_home(g) and g is not a)
        else:
            a = self.layer(at_home)
            b = self.layer(lambda x: at_home(x) and x is not a and x.parent is a.parent)
        here, there, third = a.path, b.path, self.fresh(a.sort, a.parent)
        for t, path in ((a, third), (b, here), (a, there)):
            old = t.where()
            t.goes(path, t.parent, self.next())
            self.use(t)
            self.rename(old, t.where())

    def reorder(self):
        """All layers of a group, or all groups, in another order, the names kept."""
        if self.rng.random() < 0.4:
            things = [g for g in self.world.groups if g.alive()]
        else:
            things = [x for x in self.group().layers if x.alive()]
        if len(things) < 2 or any(t.locked for t in things):
            raise Nothing
        self.rng.shuffle(things)
        for number, t in enumerate(things):
            name = layout.escaped(t.name, 200).decode()
            path = "%d%s" % (number + 100, "_" + name if name else "")
            if self.taken(t.sort, t.parent, path):
                continue
            old = t.where()
            t.goes(path, t.parent, self.next())
            self.use(t)
            self.rename(old, t.where())

    # ---- contents

    def write_layer(self, t, name, value):
        t.content[name] = value
        self.put("%s/%s" % (t.where(), name), self.text(value) if is_json(name) else value)

    def resize(self):
        # Left out: tables of a layer whose layer.json waits for a name wait too, in the size that they
        # have, until the save; and those that were written have to have the size that it has then.
        t = self.layer(lambda x: is_whole(x) and is_tiles(x) and not x.waits and self.is_sizable(x))
        self.resize_all([t], self.rng.randrange(2, 13), self.rng.randrange(2, 13))

    @staticmethod
    def is_sizable(t):
        return t.home and not t.wrote

    def resize_physics(self):
        things = [x for x in self.world.all_layers() if is_physics(x) and x.alive()]
        if not things or not all(map(self.is_sizable, things)):
            raise Nothing
        main = things[0].content["layer.json"]
        if any(x.content["layer.json"]["width"] != main["width"]
               or x.content["layer.json"]["height"] != main["height"] for x in things):
            raise Nothing
        self.rng.shuffle(things)
        self.resize_all(things, max(2, main["width"] + self.rng.randrange(-3, 4)),
                        max(2, main["height"] + self.rng.randrange(-3, 4)))

    def resize_all(self, things, w, h):
        if self.has_lost(things):
            raise Nothing
        for t in things:
            self.write_layer(t, "layer.json", dict(t.content["layer.json"], width=w, height=h))
            t.wrote.add("size")
            for name in t.content:
                if name.endswith(".csv"):
                    t.content[name] = resized(t.content[name], w, h)

    def write_cells(self):
        t = self.layer(lambda x: "size" not in x.wrote and any(n.endswith(".csv") for n in x.content))
        t.wrote.add("cells")
        name = self.rng.choice([n for n in t.content if n.endswith(".csv") and n != "flags.csv"]
                               or ["flags.csv"])
        rows = cells(t.content[name])
        for _ in range(3):
            row = self.rng.choice(rows)
            x = self.rng.randrange(len(row))
            row[x] = b"%*d" % (len(row[x]), self.rng.randrange(100))
        self.write_layer(t, name, plane_of(rows))

    def write_references(self):
        t = self.layer()
        name = self.rng.choice([n for n in t.content if is_json(n)])
        if is_physics(t) or self.has_lost([t]):
            raise Nothing

        def other(key, v):
            things = [x for x in getattr(self.world, KEYS[key]) if x.alive() and self.fits(key, x)]
            return self.rng.choice(things + [None]) if self.rng.random() < 0.6 else v
        value = each_reference(t.content[name], other)
        if value == t.content[name]:
            raise Nothing
        self.write_layer(t, name, value)

    def write_group(self):
        t = self.group(lambda g: not self.is_game(g))
        value = dict(t.content["group.json"])
        value["x_offset"] = self.rng.randrange(-999, 999)
        t.content["group.json"] = value
        self.put(t.where() + "/group.json", self.text(value))

