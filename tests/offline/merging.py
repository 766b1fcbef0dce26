# SPDX-License-Identifier: Zlib
"""A map as facts that do not depend on numbers, edits of its tree, and what two edits give together.

Every group, layer and envelope has a number of its own (a tag) in a field that nothing changes, so
that the model knows which is which without guessing as a merge must."""
import json
import os
import re
import shutil

GROUP_TAG, TILES_TAG = "clip_height", "color_envelope_offset"
PLANES = ("id", "flags", "number", "force", "max_speed", "angle", "delay")


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def load(path):
    return json.loads(read(path))


def dump(path, value):
    write(path, json.dumps(value))


def entries(*where):
    """Names in a directory in the order of the map, later ones of the same number first."""
    path = os.path.join(*where)
    return sorted(os.listdir(path), key=lambda n: (int(re.match(r"\d+", n).group()), n)) if os.path.isdir(path) else []


def bare(name):
    return re.sub(r"^\d+_?", "", re.sub(r"\.(png|json|opus)$", "", name))


def layers(tree):
    return [os.path.join(tree, "groups", g, "layers", n) for g in entries(tree, "groups")
            for n in entries(tree, "groups", g, "layers")]


def elements(layer):
    """The file of a layer that has a list, or None."""
    for name in ("quads.json", "sources.json"):
        if os.path.exists(os.path.join(layer, name)):
            return os.path.join(layer, name)
    return None


ELEMENT_TAG = {"quads.json": "color_envelope_offset", "sources.json": "position_envelope_offset"}


def tag_all(tree, first=1000):
    tags = iter(range(first, 1 << 30))
    for g in entries(tree, "groups"):
        path = os.path.join(tree, "groups", g, "group.json")
        dump(path, {**load(path), GROUP_TAG: next(tags)})
    for layer in layers(tree):
        set_tag(layer, next(tags))
    for e in entries(tree, "envelopes"):
        path = os.path.join(tree, "envelopes", e)
        value = load(path)
        value["points"][0]["values"][0] = next(tags)
        dump(path, value)


def set_tag(layer, tag):
    path = elements(layer)
    if path:
        value = load(path)
        value[0][ELEMENT_TAG[os.path.basename(path)]] = tag
    else:
        path = layer + "/layer.json"
        value = {**load(path), TILES_TAG: tag}
    dump(path, value)


def tag_of(layer):
    path = elements(layer)
    if path:
        value = load(path)
        return value[0][ELEMENT_TAG[os.path.basename(path)]] if value else 0
    return load(layer + "/layer.json").get(TILES_TAG, 0)


def table(path):
    return [[int(c) for c in line.split(",")] for line in read(path).splitlines()]


def facts(tree):
    """{key: value} of all that the map says; a key begins with the object that it is of."""
    out = {}
    for name in os.listdir(tree + "/info"):
        out["info", name] = read(tree + "/info/" + name)
    out["settings",] = tuple(out.pop(("info", "settings.cfg")).splitlines())
    stems = {}
    for kind in ("images", "sounds", "envelopes"):
        for name in entries(tree, kind):
            path = os.path.join(tree, kind, name)
            if kind == "envelopes":
                value = load(path)
                key = ("envelope", value["points"][0]["values"][0])
                out[key] = bare(name)
                out.update(flat(key, value))
            else:
                key = (kind, bare(name))
                with open(path, "rb") as f:
                    out[key] = f.read()
            stems[kind, re.sub(r"\.(png|json|opus)$", "", name)] = key
    for g in entries(tree, "groups"):
        top = os.path.join(tree, "groups", g)
        value = load(top + "/group.json")
        key = ("group", value[GROUP_TAG])
        out[key] = bare(g)
        out.update(flat(key, value))
        for n in entries(top, "layers"):
            out.update(layer_facts(os.path.join(top, "layers", n), key, stems))
    return out


def flat(key, value):
    return {key + (k,): json.dumps(v) for k, v in value.items()}


def named(value, stems):
    """References by what they mean."""
    if isinstance(value, dict):
        return {k: stems.get((kind_of(k), v), v) if isinstance(v, str) else named(v, stems)
                for k, v in value.items()}
    return [named(v, stems) for v in value] if isinstance(value, list) else value


def kind_of(key):
    return {"image": "images", "sound": "sounds"}.get(key, "envelopes")


def layer_facts(path, group, stems):
    key = ("layer", tag_of(path))
    out = {key: bare(os.path.basename(path)), key + ("group",): group}
    value = named(load(path + "/layer.json"), stems)
    out.update(flat(key, value))
    for name in os.listdir(path):
        if name.endswith(".csv"):
            for y, row in enumerate(table(os.path.join(path, name))):
                for x, cell in enumerate(row):
                    out[key + ("cell", y, x, name)] = cell
    if elements(path):
        for i, one in enumerate(named(load(elements(path)), stems)):
            out.update(flat(key + ("element", i), one))
    return out


def owner(key):
    return key[:2]


class Edits:
    """Random edits of a tree, as somebody would make them."""

    def __init__(self, tree, rng, side):
        self.tree, self.rng, self.side = tree, rng, side
        self.serial = 0

    def unique(self):
        self.serial += 1
        return self.side * 100000 + self.serial

    def pick(self, things):
        things = list(things)
        return self.rng.choice(things) if things else None

    def tiles(self):
        return self.pick(p for p in layers(self.tree) if os.path.exists(p + "/id.csv"))

    def setting(self):
        path = self.tree + "/info/settings.cfg"
        lines = read(path).splitlines()
        at, what = self.rng.randrange(len(lines) + 1), self.rng.randrange(3)
        if what or at == len(lines):
            lines.insert(at, "sv_%d 1" % self.unique())
        else:
            del lines[at]
        write(path, "".join(line + "\n" for line in lines))

    def text(self):
        write(self.tree + "/info/" + self.rng.choice(("author", "credits", "version")),
              "by %d\n" % self.unique())

    def cells(self):
        layer = self.tiles()
        if not layer:
            return
        names = [n for n in sorted(os.listdir(layer)) if n in ("id.csv", "flags.csv")]
        name = self.rng.choice(names)
        rows = table(os.path.join(layer, name))
        x, y = self.rng.randrange(len(rows[0])), self.rng.randrange(len(rows))
        for j in range(y, min(len(rows), y + self.rng.randrange(1, 4))):
            for i in range(x, min(len(rows[0]), x + self.rng.randrange(1, 4))):
                rows[j][i] = self.rng.choice((0, 1, 5, 9)) if name == "flags.csv" else self.rng.randrange(26)
        write(os.path.join(layer, name), "".join(",".join(map(str, r)) + "\n" for r in rows))

    def layer_field(self):
        layer = self.tiles()
        if layer:
            value = load(layer + "/layer.json")
            if value["kind"] == 0:
                value["color"] = [self.rng.randrange(256) for _ in range(4)]
            else:
                value["detail"] = 1 - value["detail"]
            dump(layer + "/layer.json", value)

    def layer_image(self):
        layer, image = self.tiles(), self.pick(entries(self.tree, "images"))
        if layer and image and load(layer + "/layer.json")["kind"] == 0:
            dump(layer + "/layer.json", {**load(layer + "/layer.json"), "image": image.rsplit(".", 1)[0]})

    def group_field(self):
        g = self.pick(g for g in entries(self.tree, "groups") if "Game" not in g)
        if g:
            path = os.path.join(self.tree, "groups", g, "group.json")
            dump(path, {**load(path), self.rng.choice(("x_offset", "y_offset", "x_parallax")):
                        self.rng.randrange(1000)})

    def element(self):
        layer = self.pick(p for p in layers(self.tree) if elements(p))
        if layer:
            value = load(elements(layer))
            one = self.rng.choice(value)
            key = "positions" if "positions" in one else "position"
            one[key] = [[self.rng.randrange(999), 1] for _ in range(5)] if key == "positions" else [1, 2]
            dump(elements(layer), value)

    def add_layer(self):
        source = self.pick(p for p in layers(self.tree)
                           if load(p + "/layer.json").get("kind", 0) == 0)
        if source:
            g = self.pick(entries(self.tree, "groups"))
            where = os.path.join(self.tree, "groups", g, "layers")
            os.makedirs(where, exist_ok=True)
            new = os.path.join(where, "%d_new%d" % (self.rng.randrange(5), self.unique() % 1000))
            shutil.copytree(source, new)
            set_tag(new, self.unique())

    def remove_layer(self):
        layer = self.pick(p for p in layers(self.tree)
                          if load(p + "/layer.json").get("kind", 0) == 0)
        if layer:
            shutil.rmtree(layer)

    def rename_layer(self):
        layer = self.pick(p for p in layers(self.tree)
                          if load(p + "/layer.json").get("kind", 0) == 0)
        if layer:
            number = re.match(r"\d+", os.path.basename(layer)).group()
            os.rename(layer, os.path.join(os.path.dirname(layer), "%s_n%d" % (number, self.unique() % 1000)))

    def move_layer(self):
        layer = self.pick(layers(self.tree))
        if layer:
            new = os.path.join(os.path.dirname(layer), "%03d_%s" % (self.rng.randrange(6), bare(os.path.basename(layer))))
            if not os.path.exists(new):
                os.rename(layer, new)

    def regroup_layer(self):
        layer = self.pick(p for p in layers(self.tree) if load(p + "/layer.json").get("kind", 0) == 0)
        g = self.pick(entries(self.tree, "groups"))
        if layer and g:
            where = os.path.join(self.tree, "groups", g, "layers")
            os.makedirs(where, exist_ok=True)
            new = os.path.join(where, "%02d_%s" % (self.rng.randrange(6), bare(os.path.basename(layer))))
            if not os.path.exists(new):
                os.rename(layer, new)

    def add_group(self):
        source = self.pick(g for g in entries(self.tree, "groups") if "Game" not in g)
        if source:
            new = os.path.join(self.tree, "groups", "%d_g%d" % (self.rng.randrange(5), self.unique() % 1000))
            shutil.copytree(os.path.join(self.tree, "groups", source), new)
            dump(new + "/group.json", {**load(new + "/group.json"), GROUP_TAG: self.unique()})
            for n in entries(new, "layers"):
                set_tag(os.path.join(new, "layers", n), self.unique())

    def remove_group(self):
        g = self.pick(g for g in entries(self.tree, "groups") if "Game" not in g)
        if g:
            shutil.rmtree(os.path.join(self.tree, "groups", g))

    def image(self):
        source = self.pick(n for n in entries(self.tree, "images") if n.endswith(".json"))
        if source:
            path = os.path.join(self.tree, "images", source)
            dump(path, {**load(path), "width": 64 + self.unique() % 1000})

    def add_image(self):
        dump(os.path.join(self.tree, "images", "%d_more%d.json" % (self.rng.randrange(9), self.unique())),
             {"external": 1, "width": 64, "height": 64})

    def envelope(self):
        e = self.pick(entries(self.tree, "envelopes"))
        if e:
            path = os.path.join(self.tree, "envelopes", e)
            value = load(path)
            value["synchronized"] = 1 - value["synchronized"] if "synchronized" in value else 0
            if "synchronized" in load(path):
                dump(path, value)

    ALL = (setting, setting, text, cells, cells, cells, layer_field, layer_image, group_field, element,
           add_layer, remove_layer, rename_layer, move_layer, move_layer, regroup_layer, add_group, remove_group, image, add_image,
           envelope)

    def some(self, n):
        for _ in range(n):
            self.rng.choice(self.ALL)(self)


def lines_joined(b, o, t):
    """What two sides' lines say together, each line that one of them added, and none that one removed."""
    return {x for x in (*b, *o, *t) if (x in o and x in t) or (x not in b and (x in o or x in t))}


def expected(b, o, t):
    """(facts that must hold, keys that both changed in different ways)."""
    sure, clash = {}, set()
    present = [{owner(k) for k in f} for f in (b, o, t)]
    for key in {*b, *o, *t}:
        who, values = owner(key), (b.get(key), o.get(key), t.get(key))
        if who in present[0] and (who not in present[1] or who not in present[2]):
            continue  # below
        if key == ("settings",):
            continue
        if values[1] == values[2] or values[0] == values[2]:
            sure[key] = values[1]
        elif values[0] == values[1]:
            sure[key] = values[2]
        else:
            clash.add(key)
    # All of a cell is of one side.
    cells = {k[:5] for k in clash if k[2:3] == ("cell",)}
    for key in list(sure):
        if key[:5] in cells and key[2:3] == ("cell",):
            sure[key] = o.get(key)
    removed(b, o, t, present, sure, clash)
    return {k: v for k, v in sure.items() if v is not None}, clash


def of(facts_, who):
    return {k: v for k, v in facts_.items() if owner(k) == who}


def removed(b, o, t, present, sure, clash):
    for who in present[0]:
        sides = [f for f, there in ((o, present[1]), (t, present[2])) if who in there]
        if len(sides) == 1 and of(sides[0], who) != of(b, who):
            clash.add(who)
            sure.update(of(sides[0], who))
