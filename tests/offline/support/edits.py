# SPDX-License-Identifier: Zlib
"""Random edits of a map's tree, as people make them. Added objects get tags as in merging.py."""
import os
import re
import shutil

import merging
from merging import GROUP_TAG, bare, dump, elements, entries, layers, load, read, set_tag, table, write

REFERENCES = {"images": ("image",), "sounds": ("sound",),
              "envelopes": ("position_envelope", "color_envelope", "sound_envelope")}
CELLS = {"id.csv": range(26), "flags.csv": (0, 1, 5, 9), "angle.csv": range(-90, 360), "number.csv": range(1, 20),
         "delay.csv": range(60), "force.csv": range(50), "max_speed.csv": range(99)}


def text_of(rows):
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


def resized(rows, width, height):
    return [[rows[y][x] if y < len(rows) and x < len(rows[y]) else 0 for x in range(width)] for y in range(height)]


def stem(name):
    return re.sub(r"\.(png|json|opus)$", "", name)


def replaced(value, keys, old, new):
    """The same JSON, with references to stem `old` replaced by `new`."""
    if isinstance(value, dict):
        return {k: new if k in keys and v == old else replaced(v, keys, old, new) for k, v in value.items()}
    return [replaced(v, keys, old, new) for v in value] if isinstance(value, list) else value


class Edits:
    def __init__(self, tree, rng, side, first):
        self.tree, self.rng, self.side = tree, rng, side
        self.first = first  # the tree before the edits
        self.serial = 0
        self.copies = {}  # owner of a copy: owner of the original
        self.done = []

    def unique(self):
        self.serial += 1
        return self.side * 100000 + self.serial

    def pick(self, things):
        things = list(things)
        return self.rng.choice(things) if things else None

    def path(self, *names):
        return os.path.join(self.tree, *names)

    def tiles(self):
        return self.pick(p for p in layers(self.tree) if self.planes(p))

    def planes(self, layer):
        return [n for n in sorted(os.listdir(layer)) if n.endswith(".csv")]

    def design(self):
        """A random layer of a kind that a map can have several times."""
        return self.pick(p for p in layers(self.tree) if load(p + "/layer.json").get("kind", 0) == 0)

    def group(self):
        """A random group without layers that a map can have only once."""
        return self.pick(g for g in entries(self.tree, "groups") if not any(
            load(self.path("groups", g, "layers", n, "layer.json")).get("kind", 0)
            for n in entries(self.tree, "groups", g, "layers")))

    def change(self, path, **fields):
        dump(path, {**load(path), **fields})

    def free_path(self, path):
        """A path whose name and number are unused, now and before; with a later number if necessary."""
        head, tail = os.path.split(path)
        number, name = int(re.match(r"\d+", tail).group()), bare(tail)
        first = os.path.join(self.first, os.path.relpath(head, self.tree))
        taken = {(int(re.match(r"\d+", n).group()), bare(n)) for where in (head, first) if os.path.isdir(where)
                 for n in os.listdir(where) if re.match(r"\d+", n)}
        while (number, name) in taken:
            number += 1
        return os.path.join(head, "%d_%s" % (number, name) if name else str(number))

    def replace_references(self, kind, old, new):
        """Replace references to the stem `old` by `new`."""
        for layer in layers(self.tree):
            for path in (layer + "/layer.json", elements(layer)):
                if path:
                    dump(path, replaced(load(path), REFERENCES[kind], old, new))

    # ---- texts

    def setting(self):
        path = self.path("info/settings.cfg")
        lines = read(path).splitlines()
        at, what = self.rng.randrange(len(lines) + 1), self.rng.randrange(3)
        if what or at == len(lines):
            lines.insert(at, "sv_%d 1" % self.unique())
        else:
            del lines[at]
        write(path, "".join(line + "\n" for line in lines))

    def move_setting(self):
        path = self.path("info/settings.cfg")
        lines = read(path).splitlines()
        if lines:
            lines.insert(self.rng.randrange(len(lines)), lines.pop(self.rng.randrange(len(lines))))
            write(path, "".join(line + "\n" for line in lines))

    def text(self):
        write(self.path("info", self.rng.choice(("author", "credits", "version"))), "by %d\n" % self.unique())

    # ---- cells and fields

    def cells(self):
        layer = self.tiles()
        if not layer:
            return
        name = self.rng.choice(self.planes(layer))
        rows = table(os.path.join(layer, name))
        x, y = self.rng.randrange(len(rows[0])), self.rng.randrange(len(rows))
        for j in range(y, min(len(rows), y + self.rng.randrange(1, 4))):
            for i in range(x, min(len(rows[0]), x + self.rng.randrange(1, 4))):
                rows[j][i] = self.rng.choice(CELLS[name])
        write(os.path.join(layer, name), text_of(rows))

    def resize(self, layers_, width, height):
        for layer in layers_:
            self.change(layer + "/layer.json", width=width, height=height)
            for name in self.planes(layer):
                path = os.path.join(layer, name)
                write(path, text_of(resized(table(path), width, height)))

    def resize_layer(self):
        layer = self.pick(p for p in layers(self.tree) if load(p + "/layer.json").get("kind") == 0 and self.planes(p))
        if layer:
            value = load(layer + "/layer.json")
            self.resize([layer], max(2, value["width"] + self.rng.randrange(-1, 3)),
                        max(2, value["height"] + self.rng.randrange(-1, 3)))

    def resize_game(self):
        physics = [p for p in layers(self.tree) if load(p + "/layer.json").get("kind", 0)]
        value = load(physics[0] + "/layer.json")
        self.resize(physics, value["width"] + self.rng.randrange(0, 3), value["height"] + self.rng.randrange(0, 3))

    def layer_field(self):
        layer = self.tiles()
        if layer:
            value = load(layer + "/layer.json")
            if value["kind"] == 0:
                self.change(layer + "/layer.json", color=[self.rng.randrange(256) for _ in range(4)])
            else:
                self.change(layer + "/layer.json", detail=1 - value.get("detail", 0))

    def automapper(self):
        layer = self.pick(p for p in layers(self.tree) if load(p + "/layer.json").get("kind") == 0)
        if layer:
            self.change(layer + "/layer.json", automapper=self.rng.choice(
                (None, {"version": self.unique(), "config": self.rng.randrange(9), "seed": self.unique(), "flags": 1})))

    def layer_image(self):
        layer, image = self.design(), self.pick(entries(self.tree, "images"))
        if layer and image and "image" in load(layer + "/layer.json"):
            self.change(layer + "/layer.json", image=self.rng.choice((stem(image), None)))

    def layer_envelope(self):
        fit = [e for e in entries(self.tree, "envelopes") if load(self.path("envelopes", e))["channels"] == 4]
        layer, e = self.design(), self.pick(fit)
        if layer and e and "color_envelope" in load(layer + "/layer.json"):
            self.change(layer + "/layer.json", color_envelope=stem(e))

    def group_field(self):
        g = self.group()
        if g:
            self.change(self.path("groups", g, "group.json"),
                        **{self.rng.choice(("x_offset", "y_offset", "x_parallax")): self.rng.randrange(1000)})

    # ---- lists

    def element(self):
        layer = self.pick(p for p in layers(self.tree) if elements(p) and load(elements(p)))
        if not layer:
            return
        value = load(elements(layer))
        at, tag = self.rng.randrange(len(value)), merging.ELEMENT_TAG[os.path.basename(elements(layer))]
        what = self.rng.randrange(4)
        if what == 0:
            value.insert(self.rng.randrange(1, len(value) + 1), {**value[at], tag: merging.tag_of(layer) + self.unique()})
        elif what == 1 and at:
            del value[at]
        elif "positions" in value[at]:
            value[at]["positions"] = [[self.rng.randrange(999), 1] for _ in range(5)]
        else:
            value[at]["position"] = [self.rng.randrange(999), 2]
        dump(elements(layer), value)

    # ---- layers

    def new_layer(self, source, group, name):
        where = self.path("groups", group, "layers")
        os.makedirs(where, exist_ok=True)
        new = self.free_path(os.path.join(where, name))
        shutil.copytree(source, new)
        tag = self.unique()
        self.copies["layer", tag] = ("layer", merging.tag_of(source))
        set_tag(new, tag)

    def add_layer(self):
        source = self.design()
        if source:
            self.new_layer(source, self.pick(entries(self.tree, "groups")),
                           "%d_new%d" % (self.rng.randrange(5), self.unique() % 1000))

    def copy_layer(self):
        """Copy a layer as an editor does: with its name, beside it."""
        source = self.design()
        if source:
            self.new_layer(source, source.split("/")[-3], os.path.basename(source))

    def remove_layer(self):
        layer = self.design()
        if layer:
            shutil.rmtree(layer)

    def rename_layer(self):
        layer = self.design()
        if layer:
            number = re.match(r"\d+", os.path.basename(layer)).group()
            name = self.rng.choice(("n%d" % (self.unique() % 1000), bare(os.path.basename(self.design()))))
            os.rename(layer, self.free_path(os.path.join(os.path.dirname(layer), "%s_%s" % (number, name) if name else number)))

    def swap_layers(self):
        """Swap the names of two layers, which stay in their places."""
        one, other = self.design(), self.design()
        if one and one != other:
            names = [re.match(r"(\d+)(.*)", os.path.basename(p)).groups() for p in (one, other)]
            swapped = [os.path.join(os.path.dirname(p), n[0] + m[1])
                       for p, n, m in ((one, *names), (other, *reversed(names)))]
            for old in (one, other):
                os.rename(old, old + "~")
            for old, new in zip((one, other), swapped):
                os.rename(old + "~", self.free_path(new))

    def move_layer(self):
        layer = self.pick(layers(self.tree))
        if layer:
            os.rename(layer, self.free_path(os.path.join(os.path.dirname(layer), "%03d_%s" % (
                self.rng.randrange(6), bare(os.path.basename(layer))))))

    def regroup_layer(self):
        layer, g = self.design(), self.pick(entries(self.tree, "groups"))
        if layer and g:
            where = self.path("groups", g, "layers")
            os.makedirs(where, exist_ok=True)
            os.rename(layer, self.free_path(os.path.join(where, "%02d_%s" % (
                self.rng.randrange(6), bare(os.path.basename(layer))))))

    # ---- groups

    def add_group(self):
        source = self.group()
        if source:
            new = self.path("groups", "%d_g%d" % (self.rng.randrange(5), self.unique() % 1000))
            shutil.copytree(self.path("groups", source), new)
            tag = self.unique()
            self.copies["group", tag] = ("group", load(new + "/group.json")[GROUP_TAG])
            self.change(new + "/group.json", **{GROUP_TAG: tag})
            for n in entries(new, "layers"):
                layer, tag = os.path.join(new, "layers", n), self.unique()
                self.copies["layer", tag] = ("layer", merging.tag_of(layer))
                set_tag(layer, tag)

    def remove_group(self):
        g = self.group()
        if g:
            shutil.rmtree(self.path("groups", g))

    def rename_group(self):
        g = self.group()
        if g and load(self.path("groups", g, "group.json"))["version"] > 2:
            number = re.match(r"\d+", g).group()
            os.rename(self.path("groups", g), self.path("groups", "%s_r%d" % (number, self.unique() % 1000)))

    def move_group(self):
        g = self.pick(entries(self.tree, "groups"))
        os.rename(self.path("groups", g), self.free_path(self.path("groups", "%03d_%s" % (self.rng.randrange(5), bare(g)))))

    # ---- images, sounds, envelopes

    def one_of(self, *kinds):
        kind = self.rng.choice(kinds)
        return kind, self.pick(entries(self.tree, kind))

    def rename_media(self):
        kind, name = self.one_of("images", "sounds", "envelopes")
        if name:
            number, ending = re.match(r"\d+", name).group(), os.path.splitext(name)[1]
            new = "%s_m%d" % (number, self.unique())
            os.rename(self.path(kind, name), self.path(kind, new + ending))
            self.replace_references(kind, stem(name), new)

    def remove_media(self):
        kind, name = self.one_of("images", "sounds", "envelopes")
        if name:
            os.unlink(self.path(kind, name))
            self.replace_references(kind, stem(name), None)

    def copy_media(self):
        kind, name = self.one_of("images", "sounds", "envelopes")
        if name:
            tag = self.unique()
            new = self.path(kind, "%d_more%d%s" % (self.rng.randrange(9), tag, os.path.splitext(name)[1]))
            shutil.copy(self.path(kind, name), new)
            self.copies[kind, tag] = merging.media(kind, new)[0]
            merging.tag_media(new, tag)

    def image(self):
        name = self.pick(entries(self.tree, "images"))
        if not name:
            return
        path = self.path("images", name)
        if name.endswith(".json"):
            self.change(path, width=64 + self.unique() % 1000)
        else:
            rows = merging.pixels(path)
            rows[self.rng.randrange(len(rows))][1 + self.rng.randrange(len(rows[0]) - 1)] = self.unique()
            merging.write_png(path, rows)

    def embed_image(self):
        """Embed an external image, or make an embedded one external."""
        name = self.pick(entries(self.tree, "images"))
        if not name:
            return
        path = self.path("images", name)
        tag = merging.media("images", path)[0][1]
        os.unlink(path)
        if name.endswith(".json"):
            merging.write_png(path[:-5] + ".png", [[tag << 8 | 255] * 16] * 16)
        else:
            dump(path[:-4] + ".json", {"external": 1, "width": 64, "height": tag})

    def sound(self):
        name = self.pick(entries(self.tree, "sounds"))
        if name:
            path = self.path("sounds", name)
            tag = merging.media("sounds", path)[0][1]
            with open(path, "ab") as f:
                f.write(b"other %d=%d=" % (self.unique(), tag))

    def envelope(self):
        name = self.pick(entries(self.tree, "envelopes"))
        if not name:
            return
        path = self.path("envelopes", name)
        value = load(path)
        at = self.rng.randrange(len(value["points"]))
        if self.rng.randrange(3):
            value["points"][at]["values"][1] = self.unique()
        elif "synchronized" in value:
            value["synchronized"] = 1 - value["synchronized"]
        dump(path, value)

    ALL = (setting, setting, move_setting, text, cells, cells, cells, resize_layer, resize_game, layer_field, automapper,
           layer_image, layer_envelope, group_field, element, element,
           add_layer, copy_layer, remove_layer, rename_layer, swap_layers, move_layer, move_layer, regroup_layer,
           add_group, remove_group, rename_group, move_group,
           rename_media, remove_media, copy_media, image, embed_image, sound, envelope)

    def run_random(self, n):
        for _ in range(n):
            edit = self.rng.choice(self.ALL)
            self.done.append(edit.__name__)
            edit(self)
