# SPDX-License-Identifier: Zlib
"""The examples of docs/examples.md: the page quotes each script, running it prints the output on the page, and the
tools of DDNet and datafile.py find the described changes in the map."""
import csv
import os
import re
import shutil
import signal
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", folder) for folder in ("mount", "mount/support")]
import box as boxes  # noqa: E402
import datafile  # noqa: E402
import places  # noqa: E402
import test_games  # noqa: E402
from datafile import GROUP, IMAGE, LAYER  # noqa: E402

PAGE = os.path.join(HERE, "..", "..", "docs", "examples.md")
LICENCE = "# SPDX-License-Identifier: Zlib\n"
NEEDS = {"recolor": ["mogrify"], "spreadsheet": ["soffice"], "automap": ["git"], "git": ["git"],
         "makefile": ["make"],
         "merge": ["git", "mogrify"]}
MAPS = ["LearnToPlay", "Tsunami", "Tutorial", "coverage", "ctf1", "dm1"]
MORE = {"repair": ["dm7"]}
# The output of these examples depends on maps that DDNet 19.1 changed; these are the sizes of 16.4.
SIZES = {"compare": {"coverage": 2148}, "house": {"Tutorial": 1082711}}
SECTION = re.compile(r"^## .*?(?=^## |\Z)", re.M | re.S)
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


def quoted():
    """{name: (script, output)} of the examples on the page"""
    with open(PAGE) as f:
        page = f.read()
    found = {}
    for section in SECTION.findall(page):
        name = re.search(r"`tests/examples/([\w-]+)\.sh`", section)
        if name:
            blocks = BLOCK.findall(section)
            assert blocks and blocks[0][0] == "sh", section.splitlines()[0]
            prints = blocks[1][1] if len(blocks) > 1 and not blocks[1][0] else ""
            found[name.group(1)] = blocks[0][1], prints
    return found


def scripts():
    return sorted(n[:-3] for n in os.listdir(HERE) if n.endswith(".sh"))


@pytest.fixture
def example():
    """Runs an example and returns its (directory, output)."""
    problem = boxes.fuse_problem()
    if problem:
        pytest.skip(problem)
    box = boxes.Box()
    box.allow("*")
    ran = []

    def start(name):
        ran.append(run(box, name))
        return ran[-1]
    start.box = box
    try:
        yield start
    finally:
        # Only a test that passed must leave nothing behind.
        box.close(check=bool(ran))


def run(box, name):
    """Run an example in a directory of its own and return (directory, output)."""
    for program in NEEDS.get(name, []):
        if not shutil.which(program):
            pytest.skip("not installed: " + program)
    for map_ in MAPS + MORE.get(name, []):
        shutil.copy(original(map_), box.maps)
    env = {"PATH": os.path.dirname(places.BINARY) + ":" + os.environ["PATH"], "TZ": "UTC"}
    for who in ("AUTHOR", "COMMITTER"):
        env["GIT_%s_NAME" % who], env["GIT_%s_EMAIL" % who] = "A Mapper", "mapper@example.org"
    r = box.run("-eu", os.path.join(HERE, name + ".sh"), program="sh", cwd=box.maps, env=env,
                timeout=300)
    assert r.code == 0, "%s: exit %d\n%s%s" % (name, r.code, r.out, r.err)
    assert r.err == ""
    assert not boxes.mounts_below(box.root)
    return box.maps, r.out


def original(name):
    return places.debian_map("ddnet/data/maps/%s.map" % name)


def skip_with_other_maps(name):
    for map_, size in SIZES.get(name, {}).items():
        if os.path.getsize(original(map_)) != size:
            pytest.skip("%s.map differs from that of DDNet 16.4, which the page shows" % map_)


def before_and_after(where, name):
    return (datafile.Datafile.load(original(name)),
            datafile.Datafile.load(os.path.join(where, name + ".map")))


def tool(name, *args, cwd):
    path = places.ddnet_tool(name)
    home = os.path.join(cwd, "home")
    os.makedirs(os.path.join(home, ".local/share/ddnet"), exist_ok=True)
    r = subprocess.run([path, *args], cwd=cwd, env=dict(os.environ, HOME=home),
                       capture_output=True, text=True, timeout=120)
    return r.returncode, r.stdout + r.stderr, os.path.join(home, ".local/share/ddnet")


def layers(f, group):
    start, count = f.of_type(GROUP)[group].ints[5:7]
    return f.of_type(LAYER)[start:start + count]


def indices(f, layer):
    """The tile indices of a design or game layer."""
    return f.blob(layer.ints[14])[::4]


def check_map_resave(where, name):
    """map_resave of DDNet writes the same map."""
    code, text, home = tool("map_resave", name + ".map", "resaved.map", cwd=where)
    assert code == 0, text
    assert boxes.get(os.path.join(home, "resaved.map")) == boxes.get(
        os.path.join(where, name + ".map"))


# ---- the page

def test_the_page_quotes_exactly_the_scripts():
    assert sorted(quoted()) == scripts()


@pytest.mark.parametrize("name", scripts())
def test_the_page_quotes_the_script_exactly(name):
    with open(os.path.join(HERE, name + ".sh")) as f:
        assert f.read() == LICENCE + quoted()[name][0]


@pytest.mark.parametrize("name", scripts())
def test_the_example_prints_the_output_on_the_page(example, name):
    skip_with_other_maps(name)
    _, printed = example(name)
    assert printed == quoted()[name][1]


# ---- their effects

def test_recolor_changes_the_pixels_of_the_two_images_and_nothing_else(example):
    Image = pytest.importorskip("PIL.Image")
    where, _ = example("recolor")
    before, after = before_and_after(where, "Tsunami")
    pictures = [i.ints[5] for i in before.of_type(IMAGE)[4:6]]
    assert not datafile.same_but(before, after, blobs=pictures)
    check_map_resave(where, "Tsunami")
    for at, source in (("new", where), ("old", os.path.dirname(original("Tsunami")))):
        os.mkdir(os.path.join(where, at))
        code, text, _ = tool("map_extract", os.path.join(source, "Tsunami.map"),
                             os.path.join(where, at), cwd=where)
        assert code == 0, text
    for name in ("grass_ravie_white.png", "grass_ravie_top_white.png"):
        old, new = (Image.open(os.path.join(where, d, name)).convert("RGBA").split()
                    for d in ("old", "new"))
        assert new[3].tobytes() == old[3].tobytes()
        assert new[0].tobytes() == old[0].tobytes()  # orange is (255, 165, 0)
        assert not any(new[2].tobytes()) and any(old[2].tobytes())


def test_shift_group_changes_two_integers_of_one_item(example):
    where, _ = example("shift-group")
    before, after = before_and_after(where, "Tsunami")
    assert not datafile.same_but(before, after, items=[(GROUP, 2)])
    was, now = before.of_type(GROUP)[2].ints, after.of_type(GROUP)[2].ints
    # version, x, y, ...: the item stores the negated x and y offsets of the file
    assert [i for i in range(len(was)) if was[i] != now[i]] == [1, 2]
    assert (now[1] - was[1], now[2] - was[2]) == (640, -64)


def test_replace_tile_leaves_no_freeze_tile_and_changes_nothing_else(example):
    where, _ = example("replace-tile")
    before, after = before_and_after(where, "Tutorial")
    for was, now in zip(layers(before, 14), layers(after, 14)):
        if was.ints[6] == 1:  # the game layer; the other physics layers have no tile 9
            assert indices(after, now) == indices(before, was).replace(b"\x09", b"\x0c")
            assert indices(before, was).count(b"\x09") == 1442
            assert not datafile.same_but(before, after, blobs=[was.ints[14]])
    code, text, _ = tool("map_diff", original("Tutorial"), "Tutorial.map", cwd=where)
    assert code == 0 and text.count("!=") == 1442


def test_count_tiles_counts_the_tiles_of_the_map(example):
    _, printed = example("count-tiles")
    f = datafile.Datafile.load(original("dm1"))
    tiles = indices(f, layers(f, 6)[2])
    assert ({tuple(map(int, line.split())) for line in printed.splitlines()}
            == {(tiles.count(t), t) for t in tiles})


def test_the_spreadsheet_keeps_the_plane_unchanged(example):
    where, _ = example("spreadsheet")
    assert boxes.get(os.path.join(where, "dm1.map")) == boxes.get(original("dm1"))
    with open(os.path.join(where, "id.csv")) as f:
        cells = bytes(int(c) for row in csv.reader(f) for c in row)
    f = datafile.Datafile.load(original("dm1"))
    assert cells == indices(f, layers(f, 6)[2])


def test_compare_finds_more_than_map_diff(example):
    skip_with_other_maps("compare")
    where, printed = example("compare")
    assert "changed groups/1_Game/layers/1_Tele/number.csv\n" in printed
    code, text, _ = tool("map_diff", "coverage.map", "edited.map", cwd=where)
    assert code == 0 and "!=" not in text


def test_a_merge_in_git_has_both_changes_and_the_server_loads_it(example):
    Image = pytest.importorskip("PIL.Image")
    where, _ = example("merge")
    before, after = before_and_after(where, "Tsunami")
    assert len(after.of_type(IMAGE)) == len(before.of_type(IMAGE))
    was, now = (f.blob(f.of_type(IMAGE)[5].ints[5]) for f in (before, after))
    side = before.of_type(IMAGE)[5].ints[1:3]
    old, new = (Image.frombytes("RGBA", side, p).split() for p in (was, now))
    assert new[3].tobytes() == old[3].tobytes() and any(old[2].tobytes()) and not any(new[2].tobytes())
    _, top, unhookable, tiles = [indices(before, i) for i in layers(before, 12)]
    assert sorted(indices(after, i) for i in layers(after, 12)) == sorted(
        [indices(before, layers(before, 12)[0]), top, top, unhookable, tiles])
    # A save wrote it, so another save would change nothing.
    check_map_resave(where, "Tsunami")
    test_games.loads(example.box, "/usr/games/DDNet-Server", ".local/share/ddnet",
                     os.path.join(where, "Tsunami.map"), [b"rcon password"], [b"failed to load map"],
                     signal.SIGINT, "sv_ipv4only 1")


def test_grass_has_the_shape_of_the_game_layer(example):
    where, _ = example("automap")
    before, after = before_and_after(where, "dm1")
    game, grass = (layers(after, 6)[at] for at in (2, 4))
    solid = [i for i, tile in enumerate(indices(after, game)) if tile == 1]
    assert len(solid) == 15 + indices(before, layers(before, 6)[2]).count(1)
    assert solid == [i for i, tile in enumerate(indices(after, grass)) if tile]
    committed = subprocess.run(["git", "show", "HEAD:dm1.map"], cwd=where, capture_output=True, timeout=60).stdout
    assert committed == boxes.get(os.path.join(where, "dm1.map"))


def test_the_built_map_has_game_tiles_where_the_design_has_grass(example):
    where, _ = example("makefile")
    design, built = (datafile.Datafile.load(os.path.join(where, n + ".map")) for n in ("design", "arena"))
    game, grass = layers(design, 6)[2], layers(design, 6)[4]
    expected = bytes(1 if g else i for i, g in zip(indices(design, game), indices(design, grass)))
    assert indices(built, layers(built, 6)[2]) == expected
    # The next make finds that there is nothing to do.
    assert subprocess.run(["make", "-q"], cwd=where).returncode == 0


def test_settings_equal_those_of_config_retrieve(example):
    where, printed = example("settings")
    for name in ("LearnToPlay", "Tsunami", "Tutorial"):
        tool("config_retrieve", name + ".map", cwd=where)
        path = os.path.join(where, name + ".cfg")
        theirs = boxes.get(path).decode().splitlines() if os.path.exists(path) else []
        prefix = name + ".map/info/settings.cfg:"
        assert [x[len(prefix):] for x in printed.splitlines() if x.startswith(prefix)] == theirs


def test_the_house_rules_report_tile_33_and_large_maps(example):
    where, printed = example("house")
    for name in ("Tsunami", "Tutorial", "ctf1"):
        f = datafile.Datafile.load(original(name))
        there = {i for layer in f.of_type(LAYER) if layer.ints[1] == 2 and layer.ints[6] == 1 for i in indices(f, layer)}
        assert (33 in there) == ("%s.map: warning: tile 33" % name not in printed)
        assert (len(f.raw) > 1000000) == ("%s.map: warning: the file has %d bytes" % (name, len(f.raw)) in printed)
    assert b"sv_taem 2\0" in datafile.Datafile.load(os.path.join(where, "ctf1.map")).blobs()


def test_a_repaired_map_is_what_the_tool_of_the_game_writes(example):
    where, _ = example("repair")
    fixed, old = (datafile.Datafile.load(p) for p in (os.path.join(where, "maps", "dm7.map"), original("dm7")))
    assert fixed.raw[:16] != old.raw[:16] and fixed.raw[16:] == old.raw[16:]
    check_map_resave(os.path.join(where, "maps"), "dm7")


def test_a_carried_layer_has_its_tiles_and_the_image_of_the_same_name(example):
    where, _ = example("carry-layer")
    source = datafile.Datafile.load(original("dm1"))
    before, after = before_and_after(where, "ctf1")
    theirs, ours = layers(source, 6)[4], layers(after, 4)[0]
    assert after.blob(ours.ints[14]) == source.blob(theirs.ints[14])
    name = after.blob(after.of_type(IMAGE)[ours.ints[13]].ints[4])
    assert name == source.blob(source.of_type(IMAGE)[theirs.ints[13]].ints[4])
    assert len(layers(after, 4)) == len(layers(before, 4)) + 1
    check_map_resave(where, "ctf1")


def test_appended_groups_are_60_tiles_to_the_right(example):
    where, _ = example("append")
    source = datafile.Datafile.load(original("dm1"))
    before, after = before_and_after(where, "ctf1")
    n = len(before.of_type(GROUP))

    def shape(layer):
        return layer.ints[1:11 if layer.ints[1] == 2 else 5]
    for k, g in enumerate((0, 4, 5)):
        theirs, ours = source.of_type(GROUP)[g].ints, after.of_type(GROUP)[n + k].ints
        assert ours[1:5] == [theirs[1] - 60 * 32 * theirs[3] // 100, *theirs[2:5]]
        assert [shape(i) for i in layers(after, n + k)] == [shape(i) for i in layers(source, g)]
    check_map_resave(where, "ctf1")


def test_layers_are_copied_removed_and_reordered(example):
    where, _ = example("layers")
    before, after = before_and_after(where, "Tsunami")
    _, top, unhookable, tiles = [indices(before, i) for i in layers(before, 12)]
    assert [indices(after, i) for i in layers(after, 12)] == [tiles, top, top, unhookable]
    # DDNet refuses two layers with one blob
    assert len({i.ints[14] for i in layers(after, 12)}) == 4
    check_map_resave(where, "Tsunami")


def test_resize_crops_and_extends(example):
    where, _ = example("resize")
    before, after = before_and_after(where, "dm1")
    for was, now in zip(layers(before, 6), layers(after, 6)):
        assert was.ints[4:6] == [60, 50] and now.ints[4:6] == [64, 40]
        old, new = before.blob(was.ints[14]), after.blob(now.ints[14])
        assert new == b"".join(old[y * 240:y * 240 + 240] + bytes(16) for y in range(40))
    check_map_resave(where, "dm1")


def test_a_copied_tree_makes_the_same_map(example):
    where, _ = example("new-map")
    f, copy = (datafile.Datafile.load(os.path.join(where, n)) for n in ("Tsunami.map", "copy.map"))
    assert sorted(f.blobs()) == sorted(copy.blobs())
    code, text, _ = tool("map_diff", "Tsunami.map", "copy.map", cwd=where)
    assert code == 0 and "!=" not in text
    check_map_resave(where, "copy")
