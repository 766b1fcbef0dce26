# SPDX-License-Identifier: Zlib
"""A map as facts that do not depend on numbers, and the expected facts of a merge. Every object has a tag in a field
that no edit changes, so that the model finds matching objects without guessing as a merge must."""
import itertools
import json
import os
import re
import struct
import zlib

from words import numbers

GROUP_TAG, TILES_TAG = "clip_height", "color_envelope_offset"
OPAQUE = 4


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def load(path):
    return numbers(json.loads(read(path)))


def dump(path, value):
    write(path, json.dumps(value))


def entries(*where):
    """Names in a directory in the order of the map; of two with one number, the later one first."""
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
    for kind in ("images", "sounds", "envelopes"):
        for name in entries(tree, kind):
            tag_media(os.path.join(tree, kind, name), next(tags))


def tag_media(path, tag):
    """Tag an object: an image by its height or its first pixel, a sound at its end."""
    if path.endswith(".opus"):
        with open(path, "ab") as f:
            f.write(b"=%d=" % tag)
    elif path.endswith(".png"):
        rows = pixels(path)
        rows[0][0] = tag << 8 | 255
        write_png(path, rows)
    else:
        value = load(path)
        if "points" in value:
            value["points"][0]["values"][0] = tag
        else:
            value["height"] = tag
        dump(path, value)


def pixels(path):
    """The pixels of a PNG in mapfs's own form, by rows, each pixel as one number."""
    with open(path, "rb") as f:
        data = f.read()
    w, h = struct.unpack(">2I", data[16:24])
    raw = zlib.decompress(data[41:41 + struct.unpack(">I", data[33:37])[0]])
    return [list(struct.unpack_from(">%dI" % w, raw, y * (4 * w + 1) + 1)) for y in range(h)]


def write_png(path, rows):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    raw = b"".join(b"\0" + struct.pack(">%dI" % len(row), *row) for row in rows)
    with open(path, "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", len(rows[0]), len(rows), 8, 6, 0, 0, 0))
                + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))


def media(kind, path):
    """(key, {fact: value}) of an image, a sound or an envelope, without its tag."""
    if path.endswith(".opus"):
        with open(path, "rb") as f:
            data = f.read()
        return (kind, int(data.rsplit(b"=", 2)[1])), {("data",): re.sub(rb"(=\d+=)+$", b"", data)}
    if path.endswith(".png"):
        rows = pixels(path)
        shown = {("pixel", y, x): c for y, row in enumerate(rows) for x, c in enumerate(row)}
        return (kind, shown.pop(("pixel", 0, 0)) >> 8), {("form",): "png", ("size",): (len(rows[0]), len(rows)), **shown}
    value = load(path)
    if kind == "images":
        return (kind, value["height"]), {("form",): "json", ("width",): value["width"]}
    # Either all points of a map have tangents, or none.
    points = [{k: v for k, v in p.items() if "tangent" not in k or any(v)} for p in value.pop("points")]
    tag, points[0]["values"][0] = points[0]["values"][0], 0
    return (kind, tag), {**flatten((), value), **{("point", p["time"]): json.dumps(p) for p in points}}


def set_tag(layer, tag):
    path = elements(layer)
    if path:
        value = load(path)
        for i, one in enumerate(value):
            one[ELEMENT_TAG[os.path.basename(path)]] = tag + 1000000 * i
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


def facts(tree, alias=None):
    """All content of a map: {key: value}. A key begins with its object, (kind, tag), or with the object of which that
    is an alias."""
    out, alias, all_ = {}, alias or {}, []
    for name in os.listdir(tree + "/info"):
        out["info", name] = read(tree + "/info/" + name)
    out["settings",] = tuple(out.pop(("info", "settings.cfg")).splitlines())
    stems = {}
    for kind in ("images", "sounds", "envelopes"):
        for name in entries(tree, kind):
            key, value = media(kind, os.path.join(tree, kind, name))
            key = alias.get(key, key)
            all_.append(key)
            out[key] = bare(name)
            out.update({key + k: v for k, v in value.items()})
            stems[kind, re.sub(r"\.(png|json|opus)$", "", name)] = key
    orders = {("groups",): []}
    for g in entries(tree, "groups"):
        top = os.path.join(tree, "groups", g)
        value = load(top + "/group.json")
        key = ("group", value.pop(GROUP_TAG))
        key = alias.get(key, key)
        orders["groups",].append(key)
        all_.append(key)
        orders[key] = []
        out[key] = bare(g)
        out.update(flatten(key, value))
        for n in entries(top, "layers"):
            layer = layer_facts(os.path.join(top, "layers", n), key, stems, alias)
            orders[key].append(next(iter(layer)))
            all_.append(next(iter(layer)))
            out.update(layer)
    out["orders",] = orders
    out["twice",] = {x for x in all_ if all_.count(x) > 1}
    return out


def flatten(key, value):
    return {key + (k,): json.dumps(v) for k, v in value.items()}


def resolve_references(value, stems):
    """Replace the numbers in references by the objects' tags."""
    if isinstance(value, dict):
        return {k: stems.get((kind_of(k), v), v) if isinstance(v, str) else resolve_references(v, stems)
                for k, v in value.items()}
    return [resolve_references(v, stems) for v in value] if isinstance(value, list) else value


def kind_of(key):
    return {"image": "images", "sound": "sounds"}.get(key, "envelopes")


def layer_facts(path, group, stems, alias):
    tag = tag_of(path)
    key = alias.get(("layer", tag), ("layer", tag))
    out = {key: bare(os.path.basename(path)), key + ("group",): group}
    value = resolve_references(load(path + "/layer.json"), stems)
    value.pop(TILES_TAG, None)
    (value.get("automapper") or {}).pop("version", None)  # an unset field
    out.update(flatten(key, value))
    for name in os.listdir(path):
        if name.endswith(".csv"):
            # The image determines this field, not the editor of the cell.
            derived = OPAQUE if name == "flags.csv" else 0
            for y, row in enumerate(table(os.path.join(path, name))):
                for x, cell in enumerate(row):
                    out[key + ("cell", y, x, name)] = cell & ~derived
    if elements(path):
        for one in resolve_references(load(elements(path)), stems):
            which = one.pop(ELEMENT_TAG[os.path.basename(elements(path))]) - tag
            out.update(flatten(key + ("element", which), one))
    return out


def owner(key):
    return key[:2]


def lines_joined(b, o, t):
    """Lines of both sides: all lines that one side added, without lines that one side removed."""
    return {x for x in (*b, *o, *t) if (x in o and x in t) or (x not in b and (x in o or x in t))}


def expected(b, o, t):
    """(facts that must hold, keys that both changed in different ways). The value None means that the fact must not
    hold."""
    sure, clash = {}, set()
    present = [{owner(k) for k in f} for f in (b, o, t)]
    both = added_otherwise(b, o, t)
    for key in {*b, *o, *t} - {("settings",), ("orders",), ("twice",)}:
        who, values = owner(key), (b.get(key, unset_value(b, o, t, key)), o.get(key), t.get(key))
        if who in present[0] and (who not in present[1] or who not in present[2]):
            continue  # see removed_objects()
        if who in both:
            continue  # both objects stay
        if values[1] == values[2] or values[0] == values[2]:
            sure[key] = values[1]
        elif values[0] == values[1]:
            sure[key] = values[2]
        else:
            clash.add(key)
    # All fields of a cell are from one side.
    cells = {k[:5] for k in clash if k[2:3] == ("cell",)}
    for key in list(sure):
        if key[:5] in cells and key[2:3] == ("cell",):
            sure[key] = o.get(key)
    for who in {x for x in present[0] & present[1] & present[2] if x[0] == "images"}:
        base, ours, theirs = ({k: v for k, v in facts_of_object(f, who).items() if k != who} for f in (b, o, t))
        # A resized image is taken from one side.
        if len({f.get((*who, "size")) for f in (b, o, t)}) > 1 and base not in (ours, theirs) and ours != theirs:
            for key in [k for k in {*sure} | clash if owner(k) == who and k != who]:
                sure.pop(key, None)
                clash.discard(key)
            clash.add((*who, "size"))
            sure.update(ours)
    removed_objects(b, o, t, present, sure, clash)
    return sure, clash


def is_physics(facts_, who):
    return facts_.get((*who, "kind"), "0") != "0"


def unset_value(b, o, t, key):
    """The value of a cell in the base, for a physics layer that both sides added."""
    both = key[:2] not in b and is_physics(o, key[:2]) and is_physics(t, key[:2])
    return 0 if both and key[2:3] == ("cell",) else None


def added_otherwise(b, o, t):
    """Objects that both sides added with different content."""
    return {k for k in {*o} & {*t} if k not in b and len(k) == 2 and isinstance(k[1], int) and not is_physics(o, k)
            and facts_of_object(o, k) != facts_of_object(t, k)}


def aliases(sides):
    """For (facts, copies) of each side: a copy replaces its original if that is gone."""
    found = {}
    for there, copies in sides:
        for new in copies:
            of_ = copies[new]
            while of_ in copies and of_ not in there:
                of_ = copies[of_]
            if new in there and of_ not in there and of_ not in found.values():
                found[new] = of_
    return found


def find_original(who, copies):
    while who in copies:
        who = copies[who]
    return who


def may_be_copy(key, wanted, value, sides, copies):
    """Is the value a side's value for a copy or the original of the object? Only their places tell them apart."""
    if key[2:] == ("group",) and find_original(wanted, copies) == find_original(value, copies):
        return True
    partners = [new for new, of_ in copies.items() if of_ == key[:2]] + [of_ for new, of_ in copies.items() if new == key[:2]]
    return any(f.get((*who, *key[2:])) == value for who in partners for f in sides)


def facts_of_object(facts_, who):
    return {k: v for k, v in facts_.items() if owner(k) == who}


def removed_objects(b, o, t, present, sure, clash):
    for who in present[0]:
        sides = [f for f, there in ((o, present[1]), (t, present[2])) if who in there]
        if len(sides) == 1 and facts_of_object(sides[0], who) != facts_of_object(b, who):
            clash.add(who)
            sure.update(facts_of_object(sides[0], who))
        elif len(sides) < 2 and not (sides and got_layers(b, sides[0], who)):
            sure[who] = None


def got_layers(before, now, who):
    """Did the group get layers of another one? Then it may also be matched with that group."""
    return any(k[2:] == ("group",) and v == who and before.get(k) != who for k, v in now.items())


def reordered_pairs(a, b):
    """Pairs that both lists have in different order."""
    places = [{x: i for i, x in enumerate(of_)} for of_ in (a, b)]
    both = [x for x in a if x in places[1]]
    return {(x, y) for x, y in itertools.combinations(both, 2) if places[1][x] > places[1][y]}


def misplaced_pairs(b, o, t, out):
    """Pairs of objects whose order is that of neither side that moved them."""
    wrong = []
    for where, now in out["orders",].items():
        lists = [f["orders",].get(where, []) for f in (b, o, t)]
        now = [x for x in now if x not in out["twice",] and not is_ambiguous(b, o, t, x)]
        stayed = [x for x in now if all(x in of_ for of_ in lists)]
        moved = [reordered_pairs([x for x in lists[0] if x in stayed], of_) for of_ in lists[1:]]
        if moved[0] and moved[1]:
            continue
        wanted = [x for x in lists[1 if moved[0] else 2] if x in stayed]
        wrong += [(where, pair) for pair in reordered_pairs(wanted, now) if not any(may_be_another(b, o, t, x) for x in pair)]
        names = [b[x] for x in lists[0]]
        if len(set(names)) < len(names) or any(is_ambiguous(b, o, t, x) for x in lists[0]):
            continue  # objects with equal names, or without any, are matched by their places
        wrong += [(where, x) for of_ in lists[1:] for x in of_
                  if x in now and x not in lists[0] and out[x] not in names and not any(keeps_place(x, y, now, stayed) for y in lists[1:] if x in y)]
    return wrong


def resized_layers(b, o, t):
    """Layers whose width or height both sides changed."""
    def size(f, who):
        return [f.get((*who, side)) for side in ("width", "height")]
    return {k for k in b if len(k) == 2 and k[0] == "layer" and all(size(f, k) != size(b, k) for f in (o, t))}


def may_be_another(b, o, t, who):
    """Were a group and one of its layers renamed? Then the group may be another one."""
    inside = [k for k in b if len(k) == 2 and b.get((*k, "group")) == who]
    return who[0] == "group" and any(f.get(who) != b.get(who) and any(f.get(k) != b.get(k) for k in inside) for f in (o, t))


def is_ambiguous(b, o, t, who):
    """Is the object without a name, and did a side change it, or take layers out of it? Then only its neighbors and
    those layers identify it."""
    inside = [k for k in b if len(k) == 2 and b.get((*k, "group")) == who]
    return b.get(who) == "" and any(facts_of_object(f, who) != facts_of_object(b, who) or
                                    any(f.get((*k, "group"), who) != who for k in inside) for f in (o, t))


def keeps_place(x, side, now, stayed):
    """Does an object that a side added stand after its predecessor there, or before its successor?"""
    at = side.index(x)
    before = [y for y in side[:at] if y in stayed][-1:]
    after = [y for y in side[at:] if y in stayed][:1]
    if before and after and now.index(before[0]) > now.index(after[0]):
        return True
    return all(now.index(y) < now.index(x) for y in before) and all(now.index(y) > now.index(x) for y in after)
