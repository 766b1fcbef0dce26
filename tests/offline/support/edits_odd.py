# SPDX-License-Identifier: Zlib
"""Edits that conflict in unusual ways: references, kinds that a map has once, and equal additions of both sides."""
import os
import re
import shutil

import merging
from edits import Edits, resized, stem, text_of
from merging import GROUP_TAG, bare, dump, elements, entries, layers, load, read, set_tag, table, write

PHYSICS = {2: ("Tele", "number", "id"), 4: ("Speedup", "force", "max_speed", "id", "angle"), 8: ("Front", "id", "flags"),
           16: ("Switch", "number", "id", "flags", "delay"), 32: ("Tune", "number", "id")}
OPUS = b"OggS\0\2" + bytes(20) + b"\1\x13OpusHead\1\2" + bytes(9)
SAME = 900000  # tags of objects that both sides add


class OddEdits(Edits):
    def kind(self, layer):
        return load(layer + "/layer.json").get("kind", 0)

    # ---- additions that both sides may make

    def add_same_layer(self):
        """Copy the map's first layer of tiles that has an image field."""
        first = [p for p in layers(self.first) if self.kind(p) == 0 and self.planes(p)]
        here = [p for p in layers(self.tree) if merging.tag_of(p) == SAME]
        if not first or here:
            return
        where = os.path.join(self.tree, os.path.relpath(os.path.dirname(first[0]), self.first))
        if not os.path.isdir(where):
            return
        new = self.free_path(os.path.join(where, "%d_same" % self.rng.randrange(4)))
        shutil.copytree(first[0], new)
        self.change(new + "/layer.json", image=None, color_envelope=None, automapper=None)
        path = os.path.join(new, self.planes(new)[0])
        write(path, text_of([[i * j % 200 + 3 for i, _ in enumerate(row)] for j, row in enumerate(table(path))]))
        set_tag(new, SAME)

    def add_same_media(self):
        kind = self.rng.choice(("images", "sounds", "envelopes"))
        if any(merging.media(kind, self.path(kind, n))[0][1] == SAME + 1 for n in entries(self.tree, kind)):
            return
        os.makedirs(self.path(kind), exist_ok=True)
        new = self.path(kind, "%d_same" % self.rng.randrange(4))
        if kind == "images":
            merging.write_png(new + ".png", [[SAME + 1 << 8 | 255] * 16] * 16)
        elif kind == "sounds":
            with open(new + ".opus", "wb") as f:
                f.write(OPUS + b"same=%d=" % (SAME + 1))
        else:
            dump(new + ".json", {"version": 2, "channels": 3, "synchronized": 0, "points": [
                {"time": 0, "curve_type": 1, "values": [SAME + 1, 5, 6, 7]}]})

    def same_setting(self):
        path = self.path("info/settings.cfg")
        lines = read(path).splitlines()
        if "sv_same 1" not in lines:
            lines.insert(self.rng.randrange(len(lines) + 1), "sv_same 1")
            write(path, "".join(line + "\n" for line in lines))

    # ---- physics

    def game(self):
        return next(p for p in layers(self.tree) if self.kind(p) == 1)

    def shrink_game(self):
        value = load(self.game() + "/layer.json")
        physics = [p for p in layers(self.tree) if self.kind(p)]
        self.resize(physics, max(2, value["width"] - self.rng.randrange(2)), max(2, value["height"] - self.rng.randrange(3)))

    def rename_physics(self):
        layer = self.pick(p for p in layers(self.tree) if self.kind(p))
        number = re.match(r"\d+", os.path.basename(layer)).group()
        os.rename(layer, self.free_path(os.path.join(os.path.dirname(layer), "%s_p%d" % (number, self.unique() % 1000))))

    def repaint_game(self):
        """Repaint the game layer completely; it is still the same layer."""
        value, path = load(self.game() + "/layer.json"), self.game() + "/id.csv"
        write(path, text_of([[self.rng.randrange(5) for _ in range(value["width"])] for _ in range(value["height"])]))

    def remove_physics(self):
        layer = self.pick(p for p in layers(self.tree) if self.kind(p) > 1)
        if layer:
            shutil.rmtree(layer)

    def add_physics(self):
        here = {self.kind(p) for p in layers(self.tree)}
        there = {self.kind(p) for p in layers(self.first)}
        kind = self.pick(k for k in PHYSICS if k not in here | there)
        if not kind:
            return
        game = load(self.game() + "/layer.json")
        if game["version"] > 3:
            return
        name, *planes = PHYSICS[kind]
        new = self.free_path(os.path.join(os.path.dirname(self.game()), "%d_%s" % (self.rng.randrange(6), name)))
        os.mkdir(new)
        w, h = game["width"], game["height"]
        dump(new + "/layer.json", {"type": 2, "version": 3, "width": w, "height": h, "kind": kind})
        for plane in planes:
            cells = [[0] * w for _ in range(h)]
            cells[self.rng.randrange(h)][self.rng.randrange(w)] = self.rng.choice((1, 5))
            write(os.path.join(new, plane + ".csv"), text_of(cells))
        set_tag(new, SAME + 2 + kind)

    # ---- references in elements of lists

    def element_envelope(self):
        layer = self.pick(p for p in layers(self.tree) if elements(p) and load(elements(p)))
        if not layer:
            return
        value = load(elements(layer))
        key, channels = ("position_envelope", 3) if self.rng.randrange(2) else (
            ("color_envelope", 4) if elements(layer).endswith("quads.json") else ("sound_envelope", 1))
        fit = [e for e in entries(self.tree, "envelopes") if load(self.path("envelopes", e))["channels"] == channels]
        self.rng.choice(value)[key] = stem(self.rng.choice(fit)) if fit and self.rng.randrange(3) else None
        dump(elements(layer), value)

    def source_sound(self):
        layer, sound = self.pick(p for p in layers(self.tree) if p and "sound" in load(p + "/layer.json")), self.pick(
            entries(self.tree, "sounds"))
        if layer and sound:
            self.change(layer + "/layer.json", sound=stem(sound))

    def reverse_elements(self):
        layer = self.pick(p for p in layers(self.tree) if elements(p) and len(load(elements(p))) > 2)
        if layer:
            value = load(elements(layer))
            dump(elements(layer), value[:1] + value[:0:-1])

    # ---- images, sounds, envelopes

    def move_media(self):
        kind, name = self.one_of("images", "sounds", "envelopes")
        if name:
            new = self.free_path(self.path(kind, "%02d_%s" % (self.rng.randrange(6), bare(name))))
            new = os.path.basename(new)
            ending = os.path.splitext(name)[1]
            if not bare(name):
                new = re.match(r"\d+", new).group()
            if not os.path.exists(self.path(kind, new + ending)):
                os.rename(self.path(kind, name), self.path(kind, new + ending))
                self.replace_references(kind, stem(name), new)

    def swap_media(self):
        """Swap the names of two objects; references follow."""
        kind, one = self.one_of("images", "sounds", "envelopes")
        other = self.pick(n for n in entries(self.tree, kind) if one and n != one and
                          os.path.splitext(n)[1] == os.path.splitext(one)[1])
        if not other or not bare(one) or not bare(other):
            return
        numbers = [re.match(r"\d+", n).group() for n in (one, other)]
        new = [numbers[0] + "_" + bare(other), numbers[1] + "_" + bare(one)]
        ending = os.path.splitext(one)[1]
        if any(os.path.exists(self.path(kind, n + ending)) for n in new):
            return
        for old in (one, other):
            os.rename(self.path(kind, old), self.path(kind, old + "~"))
            self.replace_references(kind, stem(old), stem(old) + "~")
        for old, name in ((one, new[0]), (other, new[1])):
            os.rename(self.path(kind, old + "~"), self.path(kind, name + ending))
            self.replace_references(kind, stem(old) + "~", name)

    def resize_image(self):
        name = self.pick(n for n in entries(self.tree, "images") if n.endswith(".png"))
        if name:
            rows = merging.pixels(self.path("images", name))
            n = self.rng.choice((8, 16, 32))
            merging.write_png(self.path("images", name), resized(rows, n, n))

    def points(self):
        """Add or remove the last point."""
        name = self.pick(entries(self.tree, "envelopes"))
        if not name:
            return
        value = load(self.path("envelopes", name))
        if self.rng.randrange(2) and len(value["points"]) > 1:
            value["points"].pop()
        else:
            last = value["points"][-1]
            value["points"].append({**last, "time": last["time"] + 9, "values": [self.unique()] * 4})
        dump(self.path("envelopes", name), value)

    # ---- groups

    def dissolve_group(self):
        """Move all layers of a group to another one."""
        g = self.group()
        other = self.pick(n for n in entries(self.tree, "groups") if n != g)
        if not g or not other:
            return
        where = self.path("groups", other, "layers")
        os.makedirs(where, exist_ok=True)
        for n in entries(self.tree, "groups", g, "layers"):
            os.rename(self.path("groups", g, "layers", n), self.free_path(os.path.join(where, n)))
        shutil.rmtree(self.path("groups", g))

    def split_group(self):
        """Move some layers of a group to a new one."""
        g = self.pick(entries(self.tree, "groups"))
        new = self.path("groups", "%d_s%d" % (self.rng.randrange(5), self.unique() % 1000))
        os.makedirs(new + "/layers")
        tag = self.unique()
        shutil.copy(self.path("groups", g, "group.json"), new)
        self.change(new + "/group.json", **{GROUP_TAG: tag, "version": 3})
        self.copies["group", tag] = ("group", load(self.path("groups", g, "group.json"))[GROUP_TAG])
        for n in entries(self.tree, "groups", g, "layers"):
            if self.kind(self.path("groups", g, "layers", n)) == 0 and self.rng.randrange(2):
                os.rename(self.path("groups", g, "layers", n), os.path.join(new, "layers", n))

    def replace_layer(self):
        """Replace a layer by another one with its name and place."""
        layer = self.pick(p for p in layers(self.tree) if self.kind(p) == 0 and not elements(p) and self.planes(p))
        if not layer:
            return
        shutil.rmtree(layer)
        os.mkdir(layer)
        tag = self.unique()
        dump(layer + "/layer.json", {"type": 3, "version": 2})
        dump(layer + "/quads.json", [{"positions": [[self.rng.randrange(999), i] for i in range(5)]} for _ in range(2)])
        set_tag(layer, tag)

    ODD = (add_same_layer, add_same_media, same_setting, shrink_game, rename_physics, repaint_game, remove_physics, add_physics,
           element_envelope, element_envelope, source_sound, reverse_elements, move_media, swap_media, resize_image, points,
           dissolve_group, split_group, replace_layer)
    ALL = Edits.ALL + ODD

    def run_random(self, n, few=None):
        """few: use only these kinds of edits, so that the edits of both sides meet."""
        for _ in range(n):
            edit = self.rng.choice(few or self.ALL)
            self.done.append(edit.__name__)
            edit(self)
