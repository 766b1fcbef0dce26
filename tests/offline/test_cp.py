# SPDX-License-Identifier: Zlib
"""mapfs cp: parts of a map are copied into another one with all that they refer to. An independent reader
(datafile.py) compares the maps."""
import glob
import json
import os
import random
import re
import signal
import struct
import subprocess
import sys

import pytest

import datafile
import maps
import places
import share
from datafile import ENVELOPE, ENVPOINTS, GROUP, IMAGE, INFO, LAYER, MAP_VERSION, SOUND, UUID_INDEX, Builder, Datafile
from picture import Picture, quad, square
from test_games import loads

AUTOMAPPER = bytes.fromhex("3e1b2716178c39789bd9b11ae0410dd8")
GROUP_EXT = bytes.fromhex("4a26ca1f64bd30e3907a707eacd1f080")
BEZIER = bytes.fromhex("3ab4f84dd9cc3c78b5850d6ccdb2e25c")
CHECKER = os.path.join(places.SHARED, "tools", "twcheck.py")
PAIRS = 320  # of these more than 200 are for one game
EXPECTED = (b"64)", b"use mapfs convert first", b"no sounds", b"at most 127", b"only raw/", b"No such file")


def cp(*args, code=0):
    r = maps.run("cp", *map(str, args))
    assert r.returncode == code, (args, r.returncode, r.stdout[-2000:], r.stderr[-2000:])
    return r.stdout.decode(), r.stderr.decode()


def uuid_items(f, uuid):
    return next((f.of_type(i.id) for i in f.of_type(UUID_INDEX) if struct.pack(">4i", *i.ints[:4]) == uuid), [])


def layers_of(f, g):
    """[(number in the group, layer)] of a group."""
    start, n = g.ints[5:7]
    return list(enumerate(f.of_type(LAYER)[start:start + n]))


def kind(item):
    return item.ints[6] if item.ints[1] == 2 else 0


def name(words):
    """The bytes of a name: each is stored + 128, and the last one never counts."""
    stored = b"".join(struct.pack(">i", v) for v in words)
    return bytes((c + 128) & 0xFF for c in stored[:-1]).split(b"\0")[0] if any(words) else b""


def envelope(f, i):
    """Channels, name, synchronized and points; tangents only with a Bezier curve, because nothing else uses them."""
    all_points = f.of_type(ENVPOINTS)[0].ints if f.of_type(ENVPOINTS) else []
    n = 22 if any(e.ints[0] >= 3 for e in f.of_type(ENVELOPE)) else 6
    count = len(all_points) // n
    begin = min(max(i.ints[2], 0), count)
    end = min(max(i.ints[2] + i.ints[3], begin), count)
    points = [list(all_points[n * k:n * k + n]) for k in range(begin, end)]
    more = next((t.ints for t in uuid_items(f, BEZIER)[:1] if n == 6 and len(t.ints) == 16 * count), [0] * (16 * count))
    if n == 6:
        points = [v + list(more[16 * k:16 * k + 16]) for k, v in zip(range(begin, end), points)]
    if not any(v[1] == 5 for v in points):
        points = [v[:6] for v in points]
    return i.ints[1], name(i.ints[4:12]), i.ints[12:13] or [0], points


def media(f, i):
    """The name and content of an image or sound, which is all that a game uses of it; not the size that a map states
    for an external image."""
    size, external, at, data = (i.ints[1:3], *i.ints[3:6]) if i.type == IMAGE else ([], *i.ints[1:4])
    text = f.blob(at) if f.has_blob(at) else None
    return text if external else (size, text, f.blob(data) if f.has_blob(data) else None)


def named(f, type_, ref):
    of_type = f.of_type(type_)
    if not 0 <= ref < len(of_type):
        return None
    return envelope(f, of_type[ref]) if type_ == ENVELOPE else media(f, of_type[ref])


def unpacked(data):
    return b"".join(data[k:k + 2] + b"\0\0" for k in range(0, len(data), 4) for _ in range(data[k + 2] + 1))


def shown(f, item):
    """What a game shows of a layer, with the content of all that it refers to."""
    v = item.ints
    data = [f.blob(v[k]) if f.has_blob(v[k]) else None for k in datafile.data_fields(item)]
    if v[1] == 2:
        if v[3] >= 4 and data[0]:
            data[0] = unpacked(data[0])
        return (v[1:3], v[4:11], named(f, ENVELOPE, v[11]), v[12], named(f, IMAGE, v[13]), data,
                name(v[15:18]) if v[3] >= 3 else b"")
    words, refs = {3: (38, (34, 36)), 10: (13, (6, 8)), 9: (9, (5, 7))}[v[1]]
    elements = [list(struct.unpack_from("<%di" % words, data[0], at)) for at in range(0, 4 * words * v[4], 4 * words)]
    for e in elements:
        for r in refs:
            e[r] = named(f, ENVELOPE, e[r])
    return v[1:5], elements, named(f, IMAGE if v[1] == 3 else SOUND, v[6]), name(v[7:10])


def first_automapper(f, group, number):
    return next((i.ints[0:1] + i.ints[3:] for i in uuid_items(f, AUTOMAPPER)
                 if len(i.ints) >= 6 and tuple(i.ints[1:3]) == (group, number)), None)


def usual_zoom(f, group):
    return max(0, min(100, max(f.of_type(GROUP)[group].ints[3:5])))


def zoom(f, group):
    ext = uuid_items(f, GROUP_EXT)
    return ext[group].ints[1] if group < len(ext) else usual_zoom(f, group)


def group_content(f, group, physics=True, but=()):
    """A group with all that its layers show, and none of its numbers; without the layers `but`."""
    g = f.of_type(GROUP)[group]
    members = [(shown(f, item), first_automapper(f, group, n)) for n, item in layers_of(f, g)
               if (physics or not kind(item)) and item not in but]
    return g.ints[:5] + g.ints[7:12], zoom(f, group), name(g.ints[12:15]), members


def is_game_group(f, g):
    return any(kind(item) == 1 for _, item in layers_of(f, g))


def objects(f):
    return [[made(f, i) for i in f.of_type(t)] for t, made in ((IMAGE, media), (SOUND, media), (ENVELOPE, envelope))]


def settings(f):
    info = f.of_type(INFO)
    return f.blob(info[0].ints[5]) if info and len(info[0].ints) > 5 and f.has_blob(info[0].ints[5]) else b""


def anomalies(path):
    out = subprocess.run([sys.executable, CHECKER, str(path)], capture_output=True, text=True, check=True).stdout
    # An unused index of a data item is garbage, which has another class in a map of more data items. Two images may
    # have one name if their contents differ.
    return {re.sub("^ext_ptr_.*_on_other", "ext_ptr_on_other", a["c"]) for a in json.loads(out)["anomalies"]} - \
        {"duplicate_image_name"}


def resize_game(path, size):
    """Give the game layers a size, which is what decides the frame of a preview."""
    raw = bytearray(open(path, "rb").read())
    n_types, n_items, n_data = struct.unpack_from("<3i", raw, 16)
    version = struct.unpack_from("<i", raw, 4)[0]
    offsets = 36 + 12 * n_types
    top = offsets + 4 * n_items + (8 if version == 4 else 4) * n_data
    for at in struct.unpack_from("<%di" % n_items, raw, offsets):
        ints = top + at + 8
        if raw[top + at + 2:top + at + 4] == struct.pack("<H", LAYER):
            _, type_, _, _, _, _, flags = struct.unpack_from("<7i", raw, ints)
            if type_ == 2 and flags == 1:
                struct.pack_into("<2i", raw, ints + 16, *size)
    with open(path, "wb") as f:
        f.write(raw)


def game_size(f):
    return next((tuple(i.ints[4:6]) for i in reversed(f.of_type(LAYER)) if i.ints[1] == 2 and i.ints[6] == 1), None)


def draw(path, out, part):
    """With the images of one game, because the same one may have other invisible colors in the other game."""
    r = maps.run("preview", "-o", "mapres=/usr/share/games/ddnet/data/mapres", "--size", "160", "--layer", part, str(path), str(out))
    return r.returncode, Picture(str(out)) if r.returncode == 0 else r.stderr.split(b": ", 2)[2:]


def source_maps():
    return places.debian_maps() + sorted(glob.glob(places.CORPUS + "/maps/*.map"))


def pairs():
    """Random pairs of maps at hand, always the same ones."""
    all_maps = source_maps()
    if not all_maps:
        return [pytest.param(None, id="none", marks=pytest.mark.skip(reason=places.NO_MAPS))]
    r = random.Random(47)
    chosen = [(r.choice(all_maps), r.choice(all_maps)) for _ in range(PAIRS)]
    chosen = [p for p in chosen if share.ALL or sum(map(os.path.getsize, p)) < 1_500_000]
    return [pytest.param(p, id="%s-%s" % tuple(map(os.path.basename, p))) for p in (chosen if share.ALL else chosen[:24])]


def append(from_, to, out):
    """Append a map to another one; skip the test if that is refused for a documented reason."""
    r = maps.run("cp", "--json", from_, "groups/*", "--output", str(out), to)
    if r.returncode == 2:
        if any(maps.run("ls", p).returncode for p in (from_, to)):
            pytest.skip("it does not open")
        assert any(reason in r.stderr for reason in EXPECTED), r.stderr
        pytest.skip(r.stderr.decode().rsplit(": ", 1)[-1].strip())
    assert maps.saved(r), r.stderr
    return [json.loads(line) for line in r.stdout.splitlines()]


@pytest.mark.parametrize("pair", pairs())
def test_appended_groups_show_the_same_and_nothing_else_changes(tmp_path, pair):
    from_, to = pair
    out = tmp_path / "out.map"
    lines = append(from_, to, out)
    a, b, c = (Datafile.load(p) for p in (from_, to, out))
    # All of TO is as it was.
    for was, now in zip(objects(b), objects(c)):
        assert now[:len(was)] == was
    n = len(b.of_type(GROUP))
    for g in range(n):
        assert group_content(c, g) == group_content(b, g)
    assert [c.blob(v) if c.has_blob(v) else v for i in c.of_type(INFO) for v in i.ints] == \
        [b.blob(v) if b.has_blob(v) else v for i in b.of_type(INFO) for v in i.ints]
    # The groups of FROM follow, in their order.
    copied = [g for g, item in enumerate(a.of_type(GROUP)) if not is_game_group(a, item)]
    assert len(c.of_type(GROUP)) == n + len(copied)
    seen = []
    for k, g in enumerate(copied):
        assert group_content(c, n + k) == group_content(a, g, False, seen), g
        seen += [item for _, item in layers_of(a, a.of_type(GROUP)[g])]
    # The report names each new part, and diff says the same.
    added = {line["to"] for line in lines if line["action"] == "added"}
    r = maps.run("diff", "-q", to, str(out))
    said = {line.rstrip("/") for line in r.stdout.decode().splitlines()}
    # Keys that appear in files of TO, with the values that they had without them: groups have a zoom by their
    # positions, so a copy with an unusual zoom gives one to all before it; tangents are in all points or in none.
    appear = []
    if any(zoom(a, g) != usual_zoom(a, g) for g in copied):
        appear.append("groups/[^/]*/group.json")
    if any(point[1] == 5 for e in objects(c)[2][len(b.of_type(ENVELOPE)):] for point in e[3]):
        appear.append("envelopes/.*")
    more = {line for line in said if not line.startswith("added ")}
    assert all(any(re.fullmatch("changed " + p, line) for p in appear) for line in more), more
    assert {line[len("added "):] for line in said - more} == {p for p in added if "/layers/" not in p}
    if os.path.exists(CHECKER):
        assert anomalies(out) <= anomalies(from_) | anomalies(to)
    # The pictures of the groups are equal.
    if not copied or not game_size(a) or not game_size(b) or len(set(map(id, seen))) < len(seen):
        return
    resize_game(out, game_size(a))
    parts = [(line["from"], line["to"]) for line in lines if line["action"] == "added" and "/layers/" not in line["to"]
             and line["to"].startswith("groups/")]
    for before, after in parts if share.ALL else parts[:4]:
        assert draw(from_, tmp_path / "a.png", before) == draw(out, tmp_path / "b.png", after), before


class World(Builder):
    """A map of some layers, with a game layer in its first group."""

    def __init__(self, settings=(), game=(4, 3), packed=False):
        super().__init__()
        self.add(MAP_VERSION, [1])
        self.info(settings=settings)
        self.points, self.packed = [], packed
        self.put("Game", self.design("Game", flags=1, size=game))

    def envelope(self, text, *values, curve=1):
        start = len(self.points)
        self.points += [[1000 * k, curve, v, v, v, v] for k, v in enumerate(values)]
        return self.add(ENVELOPE, [2, 4, start, len(values)] + datafile.words(text, 8) + [0])

    def design(self, text="", image=-1, envelope=-1, flags=0, size=(4, 3)):
        n = size[0] * size[1]
        tiles = bytes([7, 0, n - 1, 0]) if self.packed else bytes([7, 0, 0, 0]) * n
        return [0, 2, 0, 4 if self.packed else 3, *size, flags, 255, 255, 255, 255, envelope, 0, image, self.blob(tiles)] + \
            datafile.words(text, 3) + [-1] * 5

    def quads(self, text, *quads, image=-1):
        return [0, 3, 0, 2, len(quads), self.blob(b"".join(quads)), image] + datafile.words(text, 3)

    def sounds(self, text, sound_, *sources):
        return [0, 10, 0, 2, len(sources), self.blob(b"".join(struct.pack("<13i", *s) for s in sources)), sound_] + \
            datafile.words(text, 3)

    def put(self, text, *layers, offset=(0, 0), parallax=(100, 100), clip=None, start=None):
        first = len([i for i in self.items if i.type == LAYER]) if start is None else start
        for ints in layers:
            self.add(LAYER, ints)
        self.add(GROUP, [3, *offset, *parallax, first, max(1, len(layers)), int(clip is not None), *(clip or (0,) * 4)] +
                 datafile.words(text, 3))

    def uuid(self, uuid, *all_ints):
        type_ = 0xFFFE - len([i for i in self.items if i.type == UUID_INDEX])
        self.add(UUID_INDEX, struct.unpack(">4i", uuid), type_)
        for ints in all_ints:
            self.add(type_, ints)

    def write(self, path):
        self.add(ENVPOINTS, [v for p in self.points for v in p])
        path.write_bytes(self.encode())
        return path


def two(tmp_path, from_, to=None):
    """Write the maps; from_ and to are worlds."""
    return from_.write(tmp_path / "from.map"), (to or World()).write(tmp_path / "to.map")


def pixels(seed):
    return bytes([seed]) * (16 * 16 * 4)


def names_of(f, type_):
    return [f.blob(i.ints[4 if type_ == IMAGE else 2])[:-1] for i in f.of_type(type_)]


def parts_of(out, *actions):
    return [line.split(" from ")[0] for line in out.splitlines() if line.startswith(actions)]


def test_what_a_layer_refers_to_comes_along_once(tmp_path):
    w = World()
    w.external(b"unused")
    w.image(b"own", 16, 16, pixels(1))
    env, moves = w.envelope("", 1, 2), w.envelope("", 3)
    w.put("a", w.design("tiles", image=1, envelope=env), w.design("more", image=1, envelope=env))
    w.put("b", w.quads("quads", quad(square(0, 0, 1, 1), position=(moves, 5), color=(env, 6)), image=1))
    from_, to = two(tmp_path, w)
    out, _ = cp(from_, "groups/[12]*", to)
    assert out.splitlines() == [
        "added groups/1_a from groups/1_a", "added images/0_own.png from images/1_own.png",
        "added envelopes/0.json from envelopes/0.json",
        "added groups/1_a/layers/0_tiles from groups/1_a/layers/0_tiles",
        "added groups/1_a/layers/1_more from groups/1_a/layers/1_more", "added groups/2_b from groups/2_b",
        "added envelopes/1.json from envelopes/1.json",
        "added groups/2_b/layers/0_quads from groups/2_b/layers/0_quads"]
    a, b = Datafile.load(from_), Datafile.load(to)
    assert [group_content(b, g) for g in (1, 2)] == [group_content(a, g) for g in (1, 2)]
    assert maps.run("check", str(to)).returncode == 0


def test_an_external_image_is_reused_by_its_name(tmp_path):
    w, x = World(), World()
    for name_ in (b"bg_cloud1", b"bg_cloud2"):
        w.external(name_)
    x.image(b"bg_cloud2", 16, 16, pixels(1))
    x.external(b"bg_cloud1", 2, 2)
    w.put("a", w.design(image=0), w.design(image=1))
    from_, to = two(tmp_path, w, x)
    out, _ = cp(from_, "groups/1_a", to)
    # The name of an embedded image is not enough.
    assert parts_of(out, "reused", "added images") == ["reused images/1_bg_cloud1.json", "added images/2_bg_cloud2.json"]
    assert [i.ints[13] for i in Datafile.load(to).of_type(LAYER)[1:]] == [1, 2]


@pytest.mark.parametrize("name_, seed, size, reused", [
    (b"a", 1, 16, True), (b"b", 1, 16, False), (b"a", 2, 16, False), (b"a", 1, 8, False)])
def test_an_embedded_image_is_reused_if_name_and_content_are_equal(tmp_path, name_, seed, size, reused):
    w, x = World(), World()
    w.image(b"a", 16, 16, pixels(1))
    # The same bytes, in another shape.
    x.image(name_, size, 256 // size, pixels(seed))
    w.put("a", w.design(image=0))
    from_, to = two(tmp_path, w, x)
    out, _ = cp(from_, "groups/1_a", to)
    assert parts_of(out, "reused") == (["reused images/0_a.png"] if reused else [])
    assert len(Datafile.load(to).of_type(IMAGE)) == (1 if reused else 2)


def test_an_image_without_a_name_is_never_reused(tmp_path):
    w, x = World(), World()
    for world in (w, x):
        world.external(b"")
        world.put("a", world.design(image=0))
    from_, to = two(tmp_path, w, x)
    assert parts_of(cp(from_, "images/0.json", to, code=5)[0], "added") == ["added images/1.json"]


def test_a_named_envelope_is_reused_if_it_is_equal_and_others_are_copied(tmp_path):
    w, x = World(), World()
    for world, third in ((w, 3), (x, 4)):
        world.envelope("equal", 1, 2)
        world.envelope("", 1, 2)
        world.envelope("other", third)
    w.put("a", *(w.design(envelope=k) for k in range(3)))
    from_, to = two(tmp_path, w, x)
    out, _ = cp(from_, "groups/1_a", to)
    assert parts_of(out, "reused", "added envelopes") == ["reused envelopes/0_equal.json", "added envelopes/3.json",
                                                          "added envelopes/4_other.json"]
    b = Datafile.load(to)
    assert [i.ints[11] for i in b.of_type(LAYER)[1:]] == [0, 3, 4]
    assert objects(b)[2][3:] == objects(Datafile.load(from_))[2][1:]


def test_a_number_that_refers_to_nothing_refers_to_nothing_afterwards(tmp_path):
    w, x = World(), World()
    for k in range(9):
        x.external(b"bg_cloud%d" % k)
        x.envelope("e%d" % k, k)
    w.envelope("own", 1)
    made = -1532713819  # how mapfs marks created objects in memory
    w.put("a", w.design(image=5, envelope=5), w.design(image=-2, envelope=-3), w.design(image=made, envelope=made),
          w.quads("q", *(quad(square(0, 0, 1, 1), position=(ref, 0), color=(-2, 0)) for ref in (0, 5, -7, made, made + 1))))
    from_, to = two(tmp_path, w, x)
    cp(from_, "groups/1_a", to, code=5)
    f = Datafile.load(to)
    layers = f.of_type(LAYER)[1:]
    assert [(v.ints[13], v.ints[11]) for v in layers[:3]] == [(-1, -1), (-2, -3), (-1, -1)]
    data = f.blob(layers[3].ints[5])
    assert [struct.unpack_from("<3i", data, 152 * k + 136)[::2] for k in range(5)] == \
        [(9, -2), (-1, -2), (-7, -2), (-1, -2), (-1, -2)]


def test_references_can_be_left_out(tmp_path):
    w = World()
    w.image(b"own", 16, 16, pixels(1))
    w.envelope("e", 1)
    w.sound(b"bell", datafile.opus_head())
    w.put("a", w.design(image=0, envelope=0), w.quads("", quad(square(0, 0, 1, 1), color=(0, 0)), image=0),
          w.sounds("", 0, [0, 0, 1, 1, 0, 7, 0, 0, 0, 0, 0, 100, 50]))
    from_, to = two(tmp_path, w)
    out, _ = cp("--no-references", from_, "groups/1_a", to)
    assert len(parts_of(out, "added")) == 4
    f = Datafile.load(to)
    assert not f.of_type(IMAGE) + f.of_type(SOUND) + f.of_type(ENVELOPE)
    tiles, quads, sounds = (i.ints for i in f.of_type(LAYER)[1:])
    assert (tiles[13], tiles[11], quads[6], sounds[6]) == (-1, -1, -1, -1)
    assert struct.unpack_from("<3i", f.blob(quads[5]), 136)[2] == -1
    assert struct.unpack_from("<i", f.blob(sounds[5]), 24) == (-1,)


def test_sounds_come_along(tmp_path):
    w, x = World(), World()
    for world in (w, x):
        world.sound(b"bell", datafile.opus_head() + bytes(world is w))
    volume = w.envelope("", 5)
    w.put("s", w.sounds("hum", 0, [0, 0, 1, 1, 0, 7, -1, 0, volume, 0, 0, 100, 50]))
    from_, to = two(tmp_path, w, x)
    cp(from_, "groups/1_s", to)
    a, b = Datafile.load(from_), Datafile.load(to)
    assert names_of(b, SOUND) == [b"bell", b"bell"] and group_content(b, 1) == group_content(a, 1)


def test_layers_go_to_the_end_of_a_group(tmp_path):
    w, x = World(), World()
    w.put("deco", w.design("one"), w.design("two"))
    x.put("deco", x.design("old"))
    x.put("last", x.design("after"))
    from_, to = two(tmp_path, w, x)
    # The group of the same name, the named group, its directory of layers, and the group of the game layer.
    for target, group in (((), 1), (("-t", "groups/2_last"), 2), (("--target", "groups/2_last/layers"), 2),
                          (("-t", "groups/0_Game"), 0)):
        out = tmp_path / "out.map"
        cp(from_, *target, "groups/1_deco/layers/*", to, "--output", out)
        f = Datafile.load(out)
        texts = [[name(item.ints[15:18]) for _, item in layers_of(f, g)] for g in f.of_type(GROUP)]
        expected = [[b"Game"], [b"old"], [b"after"]]
        expected[group] += [b"one", b"two"]
        assert texts == expected
        out.unlink()


def test_a_layer_needs_a_target_unless_one_group_has_the_name(tmp_path):
    w, x = World(), World()
    for text in ("none", "", "twice"):
        w.put(text, w.design())
    for text in ("", "twice", "twice"):
        x.put(text, x.design())
    from_, to = two(tmp_path, w, x)
    before = to.read_bytes()
    for group, n in ((b"1_none", 0), (b"2", 0), (b"3_twice", 2)):
        path = "groups/%s/layers/0" % group.decode()
        _, err = cp(from_, path, to, code=2)
        assert err == "mapfs: %s: %s: %d groups have the name of its group (use -t)\n" % (from_, path, n)
    assert to.read_bytes() == before


def test_a_target_takes_objects_of_its_kind(tmp_path):
    w = World()
    w.envelope("e", 1)
    w.put("a", w.design())
    from_, to = two(tmp_path, w)
    for target, path, message in (("groups/0_Game", "groups/1_a", "the directory of -t does not take a group"),
                                  ("groups", "groups/1_a/layers/0", "the directory of -t does not take a layer"),
                                  ("info", "envelopes/0_e.json", "the directory of -t does not take an envelope")):
        assert cp(from_, "-t", target, path, to, code=2)[1] == "mapfs: %s: %s: %s\n" % (from_, path, message)
    assert "groups/9: No such file" in cp(from_, "-t", "groups/9", "groups/1_a/layers/0", to, code=2)[1]
    cp(from_, "-t", "groups", "groups/1_a", to)
    cp(from_, "-t", "envelopes", "envelopes/0_e.json", to)


def test_physics_are_refused_by_path_and_left_out_of_a_pattern(tmp_path):
    w = World()
    w.put("mixed", w.design("deco"), w.design("Front", flags=8))
    from_, to = two(tmp_path, w)
    before = to.read_bytes()
    for path, why in (("groups/0_Game", "has the game layer"), ("groups/0_Game/layers/0_Game", "is a physics layer"),
                      ("groups/1_mixed/layers/1_Front", "is a physics layer")):
        assert cp(from_, "-t", "groups/0_Game" if "layers" in path else "groups", path, to, code=2)[1] == \
            "mapfs: %s: %s: %s\n" % (from_, path, why)
    assert to.read_bytes() == before
    out, _ = cp(from_, "groups/*", to)
    assert out.splitlines() == [
        "left out groups/0_Game: has the game layer", "added groups/1_mixed from groups/1_mixed",
        "added groups/1_mixed/layers/0_deco from groups/1_mixed/layers/0_deco",
        "left out groups/1_mixed/layers/1_Front: is a physics layer"]
    out, _ = cp(from_, "-t", "groups/1_mixed", "groups/*/layers/*", to)
    assert parts_of(out, "left", "added") == ["left out groups/0_Game/layers/0_Game: is a physics layer",
                                              "added groups/1_mixed/layers/1_deco",
                                              "left out groups/1_mixed/layers/1_Front: is a physics layer"]
    out, _ = cp(from_, "groups/0*", "groups/*", to)
    assert parts_of(out, "left") == ["left out groups/0_Game: has the game layer",
                                     "left out groups/1_mixed/layers/1_Front: is a physics layer"]


def test_other_files_are_refused(tmp_path):
    from_, to = two(tmp_path, World((b"sv_deepfly 1",)))
    for path in ("info/settings.cfg", "info", ".", "groups/0_Game/group.json", "groups/0_Game/layers"):
        assert cp(from_, path, to, code=2)[1].endswith(": is no group, layer, image, sound or envelope\n")
    assert cp(from_, "images/*", to, code=2)[1] == "mapfs: %s: images/*: No such file or directory\n" % from_


def test_copied_groups_can_be_moved(tmp_path):
    w = World(game=(8, 4))
    w.put("near", w.quads("", quad(square(0, 0, 32, 32))), offset=(5, 6), clip=(32, 64, 96, 128))
    w.put("far", w.quads("", quad(square(0, 0, 32, 32))), parallax=(50, -20))
    from_, to = two(tmp_path, w, World(game=(8, 4)))
    cp(from_, "--at", "3,-1", "groups/*", to)
    near, far = (i.ints for i in Datafile.load(to).of_type(GROUP)[1:])
    assert near[1:3] + near[8:12] == [5 - 96, 6 + 32, 32 + 96, 64 - 32, 96, 128]
    # 3 tiles at half speed, and -1 tile at -0.2 of the speed.
    assert far[1:3] == [-48, -6]


def test_a_moved_group_is_drawn_that_far(tmp_path):
    w = World(game=(8, 4))
    w.put("square", w.quads("", quad(square(0, 0, 32, 32))))
    from_, to = two(tmp_path, w, World(game=(8, 4)))
    _, still = draw(from_, tmp_path / "a.png", "groups/1_square")
    cp(from_, "--at", "3,1", "groups/1_square", to)
    _, moved = draw(to, tmp_path / "b.png", "groups/1_square")
    assert still[10, 10] == (255, 0, 0, 255) and moved[10, 10] == (0, 0, 0, 0)
    assert [moved[x + 60, y + 20] for x in range(20) for y in range(20)] == [still[x, y] for x in range(20) for y in range(20)]


def test_a_move_out_of_range_and_of_a_layer_is_refused(tmp_path):
    w = World()
    w.put("a", w.design(), offset=(-2**31 + 10, 0))
    w.put("b", w.design(), parallax=(2**31 - 1, 100))
    from_, to = two(tmp_path, w)
    for path in ("groups/1_a", "groups/2_b"):
        assert cp(from_, "--at", "10000,0", path, to, code=2)[1].endswith("%s: --at moves it too far (32 bits)\n" % path)
    assert "moves groups, not layers" in cp(from_, "--at", "1,1", "-t", "groups/0_Game", "groups/1_a/layers/0", to, code=2)[1]
    for wrong in ("1", "1,", "1,2,3", "1000001,0", "x,1", "1,1.5", ""):
        assert "--at takes X,Y" in cp(from_, "--at", wrong, "groups/1_a", to, code=1)[1]


@pytest.mark.parametrize("ours, theirs, joined", [
    (b"a 1\0b 2\0", b"b 2\0c 3\0c 3\0", b"a 1\0b 2\0c 3\0"), (b"a 1", b"c 3", b"a 1\0c 3\0"),
    (b"\0a\0", b"\0b\0", b"\0a\0b\0"), (b"", b"c 3\0", b"c 3\0"), (b"a 1", b"a 1\0", b"a 1"), (b"a 1", b"", b"a 1"),
    (b"a 10\0", b"a 1\0", b"a 10\0a 1\0")])
def test_settings_that_are_missing_are_appended(tmp_path, ours, theirs, joined):
    worlds = []
    for text in (theirs, ours):
        w = World()
        if text:
            w.items[1].ints[5] = w.blob(text)
        worlds.append(w)
    from_, to = two(tmp_path, *worlds)
    before = to.read_bytes()
    out, _ = cp("--settings", from_, to)
    assert settings(Datafile.load(to)) == joined
    assert (to.read_bytes() == before) == (joined == ours)
    n = joined.count(b"\0") - (ours + b"\0" * (bool(ours) and not ours.endswith(b"\0"))).count(b"\0")
    assert out == ("" if joined == ours else "added info/settings.cfg from info/settings.cfg: %d line\n" % n)


def test_settings_are_appended_to_a_map_without_info(tmp_path):
    x = World()
    x.items = [i for i in x.items if i.type != INFO]
    from_, to = two(tmp_path, World((b"a 1", b"b 2")), x)
    assert cp("--settings", from_, to)[0].endswith(": 2 lines\n")
    assert settings(Datafile.load(to)) == b"a 1\0b 2\0"


def test_curves_keep_their_tangents(tmp_path):
    w, x = World(), World()
    w.envelope("line", 1, 2)
    w.envelope("curve", 3, 4, curve=5)
    w.uuid(BEZIER, range(64))
    x.envelope("old", 9)
    from_, to = two(tmp_path, w, x)
    old = maps.good("cat", str(to), "envelopes/0_old.json").stdout
    # Without a curve nothing uses the tangents, so the other envelopes of the map do not get any either.
    cp(from_, "envelopes/0_line.json", to)
    assert not uuid_items(Datafile.load(to), BEZIER)
    assert maps.good("cat", str(to), "envelopes/0_old.json").stdout == old
    cp(from_, "envelopes/1_curve.json", to)
    a, b = Datafile.load(from_), Datafile.load(to)
    assert objects(b)[2][1:] == objects(a)[2] and objects(b)[2][2][3][0][6:] == list(range(32, 48))


def test_items_of_ddnet_that_belong_to_a_copy_come_along(tmp_path):
    w, x = World(), World()
    w.put("a", w.design("plain"), w.design("auto"))
    w.put("b", w.design("auto"), parallax=(40, 40))
    w.uuid(AUTOMAPPER, [1, 1, 1, 5, 6, 1], [1, 2, 0, 7, 8, 0], [1, 2, 0, 9, 9, 9])
    w.uuid(GROUP_EXT, [1, 100], [1, 30], [1, 70])
    x.put("x", x.design("ours"), parallax=(20, 20))
    x.uuid(AUTOMAPPER, [1, 1, 0, 1, 1, 1])
    from_, to = two(tmp_path, w, x)
    cp(from_, "groups/*", to)
    a, b = Datafile.load(from_), Datafile.load(to)
    assert [group_content(b, g) for g in (2, 3)] == [group_content(a, g) for g in (1, 2)]
    assert (zoom(b, 1), zoom(b, 2), zoom(b, 3)) == (20, 30, 70)
    assert sorted(tuple(i.ints) for i in uuid_items(b, AUTOMAPPER)) == \
        [(1, 1, 0, 1, 1, 1), (1, 2, 1, 5, 6, 1), (1, 3, 0, 7, 8, 0)]


def test_the_usual_zoom_needs_no_item(tmp_path):
    w = World()
    w.put("a", w.design(), parallax=(40, 70))
    w.uuid(GROUP_EXT, [1, 100], [1, 70])
    from_, to = two(tmp_path, w)
    cp(from_, "groups/1_a", to)
    f = Datafile.load(to)
    assert not uuid_items(f, GROUP_EXT) and zoom(f, 1) == 70


def test_a_layer_of_two_groups_is_copied_once(tmp_path):
    w = World()
    w.put("a", w.design("shared"))
    w.put("b", start=1)
    from_, to = two(tmp_path, w)
    out, _ = cp(from_, "groups/*", to)
    assert out.splitlines()[1:] == [
        "added groups/1_a from groups/1_a", "added groups/1_a/layers/0_shared from groups/1_a/layers/0_shared",
        "added groups/2_b from groups/2_b", "left out groups/1_a/layers/0_shared: was copied before"]
    assert len(Datafile.load(to).of_type(LAYER)) == 2


@pytest.mark.parametrize("there, code", [(62, 0), (63, 2)])
def test_a_map_has_at_most_64_images(tmp_path, there, code):
    w, x = World(), World()
    for k in range(3):
        w.external(b"new%d" % k)
    for k in range(there):
        x.external(b"old%d" % k)
    x.external(b"new0")
    w.put("a", w.design(image=0), w.design(image=1))
    from_, to = two(tmp_path, w, x)
    r = maps.run("cp", str(from_), "groups/1_a", str(to))
    if code:
        assert r.returncode == 2 and r.stderr.decode() == \
            "mapfs: %s: images/1_new1.json: the map would have 65 images (at most 64)\n" % from_
    else:
        assert maps.saved(r) and len(Datafile.load(to).of_type(IMAGE)) == 64


@pytest.mark.parametrize("there, code", [(262143, 0), (262144, 2)])
def test_a_map_has_at_most_262144_envelope_points(tmp_path, there, code):
    w, x = World(), World()
    w.envelope("one", 1)
    x.envelope("many", *[0] * there)
    from_, to = two(tmp_path, w, x)
    _, err = cp(from_, "envelopes/0_one.json", to, code=code)
    assert code == 0 or "envelopes/0_one.json: the map would have 262145 envelope points (at most 262144)" in err


@pytest.mark.parametrize("there, code", [(65534, 0), (65535, 2)])
def test_a_map_has_at_most_65535_items_of_a_type(tmp_path, there, code):
    w, x = World(), World()
    w.envelope("one", 1)
    x.items += [datafile.Item(ENVELOPE, k, []) for k in range(there)]
    from_, to = two(tmp_path, w, x)
    _, err = cp(from_, "envelopes/0_one.json", to, code=code)
    assert code == 0 or "envelopes/0_one.json: the map would have 65536 envelopes (at most 65535)" in err


def test_a_name_that_no_path_can_store_is_refused(tmp_path):
    w = World()
    w.external(b"x" * 128)
    from_, to = two(tmp_path, w)
    assert cp(from_, "images/*", to, code=2)[1].endswith(": its name has 128 bytes (at most 127)\n")


def test_odd_names_are_kept(tmp_path):
    w = World()
    texts = [b"45_unhookable", b"7", b"a/b%", b"\xff" * 127, b".hidden", b"x.png"]
    for text in texts:
        w.external(text)
    w.put("12_x", w.design("3", image=0))
    w.put("5", w.design("a/b"))
    from_, to = two(tmp_path, w)
    r = maps.run("cp", str(from_), "images/*", "groups/*", str(to))
    assert maps.saved(r)
    f = Datafile.load(to)
    assert names_of(f, IMAGE) == texts
    assert [name(g.ints[12:15]) for g in f.of_type(GROUP)] == [b"Game", b"12_x", b"5"]
    assert [name(v.ints[15:18]) for v in f.of_type(LAYER)] == [b"Game", b"3", b"a/b"]


def world07(packed=True):
    w = World(packed=packed)
    w.image(b"own", 16, 16, pixels(3))
    if packed:
        w.items[-1].ints = [2] + w.items[-1].ints[1:] + [1]
        w.items[-1].ints[0] = 2
    return w


def test_copies_from_a_map_of_07_leave_a_map_of_06_one(tmp_path):
    w = world07()
    w.points = [[0, 5, 1, 2, 3, 4] + list(range(16))]
    w.add(ENVELOPE, [3, 4, 0, 1] + datafile.words("curve", 8) + [0])
    w.put("a", w.design("tiles", image=0, envelope=0))
    from_, to = two(tmp_path, w)
    cp(from_, "groups/1_a", to)
    a, b = Datafile.load(from_), Datafile.load(to)
    assert group_content(b, 1) == group_content(a, 1)
    assert b.of_type(IMAGE)[0].ints[0] == 1 and len(b.of_type(IMAGE)[0].ints) == 6
    assert b.of_type(LAYER)[1].ints[3] == 3 and b.of_type(ENVELOPE)[0].ints[0] == 2
    assert len(b.of_type(ENVPOINTS)[0].ints) == 6


def test_curves_go_into_the_points_of_a_map_of_07(tmp_path):
    w, x = World(), World(packed=True)
    w.envelope("curve", 3, 4, curve=5)
    w.envelope("line", 3, 4)
    w.uuid(BEZIER, range(64))
    x.envelope("old", 9)
    from_, to = two(tmp_path, w, x)
    cp(from_, "envelopes/*", to)
    a, b = Datafile.load(from_), Datafile.load(to)
    assert [i.ints[0] for i in b.of_type(ENVELOPE)] == [2, 3, 2] and not uuid_items(b, BEZIER)
    assert len(b.of_type(ENVPOINTS)[0].ints) == 5 * 22
    assert objects(b)[2] == objects(Datafile(x.encode()))[2] + objects(a)[2]


def test_images_that_differ_between_the_games_are_not_mixed(tmp_path):
    for packed in (True, False):
        w, x = World(packed=packed), World(packed=not packed)
        w.external(b"grass_main")
        w.external(b"bg_cloud1")
        from_, to = two(tmp_path, w, x)
        assert cp(from_, "images/0_*", to, code=2)[1] == \
            "mapfs: %s: images/0_grass_main.json: 0.6 and 0.7 have different images of this name (use mapfs convert " \
            "first)\n" % from_
        cp(from_, "images/1_*", to)


def test_sounds_do_not_go_into_a_map_of_07(tmp_path):
    w = World()
    w.sound(b"bell", datafile.opus_head())
    w.put("s", w.sounds("hum", -1))
    from_, to = two(tmp_path, w, World(packed=True))
    for path in ("sounds/*", "groups/1_s"):
        assert cp(from_, path, to, code=2)[1].endswith(": Teeworlds 0.7 has no sounds\n")


def test_damaged_data_is_refused_with_its_path(tmp_path):
    w = World()
    w.put("a", w.design("torn"))
    w.put("b", w.quads("torn", quad(square(0, 0, 1, 1))))
    from_, to = two(tmp_path, w)
    before = to.read_bytes()
    raw = bytearray(from_.read_bytes())
    f = Datafile(bytes(raw))
    for item in f.of_type(LAYER)[1:]:
        begin, end = f.ranges[item.ints[14 if item.ints[1] == 2 else 5]]
        raw[begin + 4:end] = b"\xff" * (end - begin - 4)
    from_.write_bytes(raw)
    for path in ("groups/1_a/layers/0_torn", "groups/2_b/layers/0_torn"):
        err = cp(from_, os.path.dirname(os.path.dirname(path)), to, code=2)[1]
        assert err.startswith("mapfs: %s: %s: " % (from_, path)), err
    assert to.read_bytes() == before


def test_dry_run_json_output_and_the_map_itself(tmp_path):
    w = World()
    w.put("a", w.design("tiles"))
    from_, to = two(tmp_path, w)
    before, out = to.read_bytes(), tmp_path / "out.map"
    lines = [json.loads(line) for line in cp("-n", "--json", from_, "groups/*", to)[0].splitlines()]
    assert lines[:2] == [{"action": "left out", "from": "groups/0_Game", "to": None, "detail": "has the game layer"},
                         {"action": "added", "from": "groups/1_a", "to": "groups/1_a", "detail": None}]
    assert to.read_bytes() == before
    cp(from_, "groups/*", to, "--output", out)
    r = maps.run("cp", str(from_), "groups/*", str(to), "--output", "-")
    assert to.read_bytes() == before and r.stdout == out.read_bytes() and r.stderr.startswith(b"left out ")
    cp(from_, "groups/*", to)
    assert to.read_bytes() == out.read_bytes()
    # A group is copied within its map, and a part that is named twice only once.
    cp(to, "groups/1_a", "groups/1*", to)
    assert [name(g.ints[12:15]) for g in Datafile.load(to).of_type(GROUP)] == [b"Game", b"a", b"a"]
    before = to.read_bytes()
    cp(from_, "groups/0*", to)
    assert to.read_bytes() == before


def test_wrong_command_lines(tmp_path):
    from_, to = two(tmp_path, World())
    assert "cp takes" in cp(from_, to, code=1)[1]
    assert "standard input" in cp("-", "groups/*", to, code=1)[1]
    assert "standard input" in cp(from_, "groups/*", "-", code=1)[1]
    assert cp(from_, "groups/*", tmp_path, code=2)[1] == "mapfs: %s: is a folder\n" % tmp_path
    assert "none.map: No such file" in cp(tmp_path / "none.map", "groups/*", to, code=2)[1]
    assert "none.map" in cp(from_, "groups/*", tmp_path / "none.map", code=2)[1]
    assert not (tmp_path / "none.map").exists()


def test_other_formats_are_refused(tmp_path):
    from_, _ = two(tmp_path, World())
    path = tmp_path / "x.tcm"
    maps.good("pack", "--format=triclon", str(maps_dir(tmp_path)), str(path))
    assert cp(from_, "groups/*", path, code=2)[1].splitlines()[-1] == "mapfs: %s: cp is not supported for this format" % path
    to = World().write(tmp_path / "second.map")
    assert cp(path, "info.json", to, code=2)[1].splitlines()[-1] == "mapfs: %s: has another format than %s" % (path, to)


def maps_dir(tmp_path):
    d = tmp_path / "dir"
    d.mkdir()
    return d


def test_a_mounted_map_is_busy(box, tmp_path):
    from_, to = two(tmp_path, World())
    with open(to, "rb") as f:
        path = box.add(f.read(), "x.map")
    m = box.mount(path)
    assert cp(from_, "groups/0_Game", path, code=7)[1].startswith("mapfs: %s: " % path)
    m.unmount()


DDNET = [("ddnet/data/maps/Tutorial.map", "ddnet/data/maps/dm1.map"),
         ("ddnet/data/maps/Tsunami.map", "ddnet/data/maps/Sunny Side Up.map"),
         ("ddnet/data/maps7/Gold Mine.map", "ddnet/data/maps7/Gold Mine.map")]
TEEWORLDS = [("teeworlds/data/maps/ctf3.map", "teeworlds/data/maps/dm9.map"),
             ("teeworlds/data/maps/lms1.map", "teeworlds/data/maps/ctf1.map")]


def appended(box, pair):
    from_, to = map(places.debian_map, pair)
    out = os.path.join(box.maps, "x.map")
    r = maps.run("cp", from_, "groups/*", to, "--output", out)
    assert maps.saved(r) and os.path.getsize(out) > os.path.getsize(to)
    box.allow("x.map")
    return out


@pytest.mark.parametrize("pair", DDNET)
def test_the_ddnet_server_loads_an_appended_map(box, pair):
    loads(box, "/usr/games/DDNet-Server", ".local/share/ddnet", appended(box, pair), [b"rcon password"],
          [b"failed to load map"], signal.SIGINT, "sv_ipv4only 1")


@pytest.mark.parametrize("pair", TEEWORLDS)
def test_the_teeworlds_server_loads_an_appended_map(box, pair):
    loads(box, "/usr/games/teeworlds-server", ".teeworlds", appended(box, pair), [b"crc is"], [b"failed to load map"],
          signal.SIGTERM)
