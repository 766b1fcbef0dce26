# SPDX-License-Identifier: Zlib
"""mapfs automap on whole maps and on a layer of a mount: which layers it draws, and which it leaves."""
import json
import os
import pty
import random
import shutil
import subprocess

import pytest

import automap_reference
import maps
import places
import racemap
import test_automap_rules
from box import get

GROW = "[Nothing]\n[Grow]\nIndex 5\nPos 0 0 FULL\nPos 0 -1 EMPTY\n"
OTHER = "[Nothing]\n[Grow]\nIndex 9\n"


def run(*args, code=0, text=True, env=None):
    r = subprocess.run([places.BINARY, *args], capture_output=True, timeout=300, stdin=subprocess.DEVNULL,
                       env=dict(os.environ, **(env or {})))
    assert r.returncode == code, (args, r.returncode, r.stdout[-2000:], r.stderr[-2000:])
    return (r.stdout.decode(), r.stderr.decode()) if text else r.stdout


@pytest.fixture
def home_dir(tmp_path, monkeypatch):
    """A working directory; the games' rules come only from `home` inside it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path


def make_map(path, automappers, image="grass"):
    """Make a map with one design layer for each automapper."""
    tree = str(path) + ".tree"
    os.makedirs(tree + "/images")
    with open(tree + "/images/0_%s.json" % image, "w") as f:
        f.write('{"external": true, "width": 1024, "height": 1024}')
    rng = random.Random(str(len(automappers)))
    for i, automapper in enumerate(automappers):
        where = "%s/groups/1_decoration/layers/%d_grass" % (tree, i)
        os.makedirs(where)
        layer = test_automap_rules.random_layer(rng, 12, 7, (0, 1, 1, 2))
        for which, name in enumerate(("id", "flags")):
            with open("%s/%s.csv" % (where, name), "w") as f:
                f.write(test_automap_rules.table(layer, which))
        with open(where + "/layer.json", "w") as f:
            json.dump({"type": "tiles", "kind": "design", "width": 12, "height": 7, "image": "0_" + image,
                       "automapper": automapper}, f)
    with open(tree + "/groups/1_decoration/group.json", "w") as f:
        f.write("{}")
    run("pack", tree, str(path))
    shutil.rmtree(tree)
    return str(path)


def automapper(config=1, seed=1, flags=0):
    return {"version": 1, "config": config, "seed": seed, "flags": flags}


def read_cells(map_, layer):
    planes = [[[int(c) for c in line.split(",")] for line in
               run("cat", "-o", "ro", map_, "%s/%s.csv" % (layer, name))[0].splitlines()] for name in ("id", "flags")]
    return [[list(tile) for tile in zip(*rows)] for rows in zip(*planes)]


def draw_by_reference(before, text, config, seed):
    layer = [[list(tile) for tile in row] for row in before]
    automap_reference.run(automap_reference.parse(text)[config][1], layer, seed)
    return layer


def find_layer(map_, end="0_grass"):
    """The packed map has new numbers."""
    for group in run("ls", map_, "groups")[0].split("\n"):
        if group.endswith("_decoration"):
            return "groups/%s/layers/%s" % (group, end)
    raise AssertionError("no group")


def test_a_map_is_drawn_in_place_to_another_and_to_standard_output(home_dir):
    map_ = make_map(home_dir / "a.map", [automapper()])
    layer = find_layer(map_)
    (home_dir / "grass.rules").write_text(GROW)
    before, was = read_cells(map_, layer), get(map_)
    expected = draw_by_reference(before, GROW, 1, 1)
    n = sum(a != b for x, y in zip(before, expected) for a, b in zip(x, y))
    line = "drawn %s: %d tiles by [Grow] of grass.rules\n" % (layer, n)
    assert n > 5
    assert run("automap", "-n", map_) == (line, "")
    assert run("automap", "-n", map_, str(home_dir / "none.map")) == (line, "")
    assert get(map_) == was and not os.path.exists(home_dir / "none.map")
    assert run("automap", map_, str(home_dir / "b.map")) == (line, "")
    out = subprocess.run([places.BINARY, "automap", map_, "-"], capture_output=True, timeout=60)
    assert out.returncode == 0 and out.stderr.decode() == line
    assert get(map_) == was
    os.chmod(map_, 0o640)
    assert run("automap", map_) == (line, "")
    assert get(map_) == get(home_dir / "b.map") == out.stdout
    assert os.stat(map_).st_mode & 0o777 == 0o640
    assert read_cells(map_, layer) == expected
    assert sorted(os.listdir(home_dir)) == ["a.map", "b.map", "grass.rules"]


def test_a_map_without_changes_is_not_written(home_dir):
    map_ = make_map(home_dir / "a.map", [automapper(config=0), automapper(config=-1), None])
    (home_dir / "grass.rules").write_text(GROW)
    before = os.stat(map_)
    assert run("automap", map_) == ("", "")
    after = os.stat(map_)
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    assert run("automap", map_, "b.map") == ("", "")
    assert get("b.map") == get(map_) == run("automap", map_, "-", text=False)
    assert os.path.samefile(map_, "a.map") and os.stat(map_).st_ino == before.st_ino


def test_several_maps_and_folders_are_drawn_in_place(home_dir):
    os.makedirs("maps/below")
    (home_dir / "grass.rules").write_text(OTHER)
    (home_dir / "maps" / "grass.rules").write_text(GROW)
    names = ["maps/%d.map" % i for i in range(5)]
    for name in names:
        make_map(home_dir / name, [automapper()])
    shutil.copy(names[0], "maps/below/x.map")
    shutil.copy(names[0], "one.map")
    # Only the rules beside each map are used; maps/below has none.
    out, err = run("automap", "--in-place", "maps", "one.map", code=5)
    layer = find_layer("one.map")
    assert [line.split(": ")[0] for line in out.splitlines()] == names + ["one.map"]
    assert err == "mapfs: maps/below/x.map: %s: unchanged: grass.rules not found\n" % layer
    assert len({get(name) for name in names}) == 1 and get("one.map") != get(names[0]) != get("maps/below/x.map")
    assert run("automap", "--in-place", "maps/below", *names, "--rules", "maps/grass.rules")[0].count("\n") == 1
    assert get("maps/below/x.map") == get(names[0])


def test_one_refused_map_does_not_stop_the_others(home_dir):
    (home_dir / "grass.rules").write_text(GROW)
    make_map(home_dir / "good.map", [automapper()])
    (home_dir / "bad.map").write_bytes(b"DATA")
    out, err = run("automap", "--in-place", "bad.map", "good.map", "none.map", code=2)
    assert out.startswith("good.map: drawn ") and "bad.map: " in err and "none.map: No such file" in err
    assert (home_dir / "bad.map").read_bytes() == b"DATA"


def test_maps_are_drawn_although_the_report_cannot_be_printed(home_dir):
    (home_dir / "grass.rules").write_text(GROW)
    names = ["%d.map" % i for i in range(6)]
    for name in names:
        make_map(home_dir / name, [automapper()])
    shutil.copy("0.map", "as it was")
    with open("/dev/full", "w") as full:
        r = subprocess.run([places.BINARY, "automap", "--in-place", *names], stdout=full, stderr=subprocess.PIPE,
                           text=True, timeout=60)
    assert r.returncode == 5 and r.stderr.count(": drawn ") == 6
    assert {get(name) for name in names} == {get("0.map")} != {get("as it was")}


def test_progress_is_shown_only_on_a_terminal(home_dir):
    (home_dir / "grass.rules").write_text(GROW)
    for i in range(3):
        make_map(home_dir / ("%d.map" % i), [automapper()])
    ours, theirs = pty.openpty()
    r = subprocess.run([places.BINARY, "automap", "--in-place", "."], stdout=subprocess.PIPE, stderr=theirs, timeout=60)
    os.close(theirs)
    said = os.read(ours, 1000).decode()
    os.close(ours)
    assert r.returncode == 0 and r.stdout.count(b"drawn") == 3
    assert said == "1 of 3 maps\r2 of 3 maps\r\x1b[K"
    assert run("automap", "--in-place", ".") == ("", "")


def test_the_output_may_be_the_map_itself(home_dir):
    (home_dir / "grass.rules").write_text(GROW)
    map_ = make_map(home_dir / "a.map", [automapper()])
    run("automap", map_, "b.map")
    run("automap", map_, map_)
    assert get(map_) == get("b.map") and sorted(os.listdir(home_dir)) == ["a.map", "b.map", "grass.rules"]


def test_options_choose_the_layers_to_draw(home_dir):
    (home_dir / "grass.rules").write_text(GROW)
    map_ = make_map(home_dir / "a.map", [automapper(flags=1), automapper(), automapper(config=-1), automapper(flags=3), None])
    top = os.path.dirname(find_layer(map_))

    def dry_run(*args, code=0):
        out, err = run("automap", "-n", *args, map_, code=code)
        return [line.split(": ")[0][len("drawn ") + len(top) + 1:] for line in out.splitlines()], err

    assert dry_run() == (["0_grass", "1_grass", "3_grass"], "")
    assert dry_run("--automatic") == (["0_grass", "3_grass"], "")
    assert dry_run("--layer", top + "/1_grass") == (["1_grass"], "")
    assert dry_run("--layer", top + "/1_grass/", "--layer", "groups/*/layers/0_gr*") == (["0_grass", "1_grass"], "")
    assert dry_run("--layer", top + "/4_grass", "--config", "Grow", "--seed", "3") == (["4_grass"], "")
    assert dry_run("--layer", top + "/2_grass", "--config", "1") == (["2_grass"], "")
    named, err = dry_run("--layer", top + "/2_grass", "--layer", top + "/0_grass", code=5)
    assert named == ["0_grass"] and "2_grass: unchanged: config is -1" in err
    assert dry_run("--config", "0") == ([], "")
    assert dry_run("--config", "Grown", code=5)[0] == dry_run("--config", "2", code=5)[0] == []
    assert "no such layer" in dry_run("--layer", "groups/9/layers/0", code=2)[1]
    game = next(g for g in run("ls", map_, "groups")[0].split() if "decoration" not in g)
    physics = "groups/%s/layers/%s" % (game, run("ls", map_, "groups/%s/layers" % game)[0].split()[0])
    assert "no image to find rules for" in dry_run("--layer", physics, "--config", "1", code=5)[1]
    with open(map_ + ".json", "wb") as f:
        f.write(b'{"type": "quads"}')
    assert run("put", map_, top + "/9_quads/layer.json", map_ + ".json") == ("", "")
    assert "not a layer with tiles" in dry_run("--layer", top + "/*_quads", "--config", "1", code=5)[1]


@pytest.mark.parametrize("kind", racemap.KINDS)
def test_physics_layers_are_drawn_if_they_are_named(home_dir, kind):
    race = racemap.Race()
    for layer in racemap.KINDS:
        race.put(layer, 2, 2, 7, 7, *[7] * (layer == "speedup"))
    (home_dir / "a.map").write_bytes(race.encode())
    (home_dir / "any.rules").write_text("[Grow]\nIndex 9 XFLIP\nPos 0 0 INDEX 7\nPos -1 0 EMPTY\n")
    args = ["--rules", "any.rules", "--config", "Grow", "--seed", "1"]
    assert run("automap", *args, "a.map")[0] == ""
    layer = "groups/0_Game/layers/%d_%s" % (list(race.tiles).index(kind), kind)
    old = {p: run("cat", "a.map", layer + "/" + p)[0] for p in run("ls", "a.map", layer)[0].split() if p.endswith(".csv")}
    assert run("automap", *args, "--layer", layer, "a.map") == ("drawn %s: 1 tile by [Grow] of any.rules\n" % layer, "")
    for plane, text in old.items():
        rows = [[int(cell) for cell in row.split(",")] for row in text.splitlines()]
        if plane == "id.csv":
            assert rows[1][1] == 7
            rows[1][1] = 9
        if plane == "flags.csv":
            rows[1][1] = 1
        now = run("cat", "a.map", layer + "/" + plane)[0]
        assert [[int(cell) for cell in row.split(",")] for row in now.splitlines()] == rows, plane
    assert run("automap", *args, "--layer", layer, "a.map") == ("", "")


def test_configurations_are_listed_and_found_in_any_case(home_dir):
    (home_dir / "grass.rules").write_text("[Grass]\nIndex 7\n[Desert]\nIndex 8\n[desert]\nIndex 9\n")
    (home_dir / "none.rules").write_text("# nothing\n")
    map_ = make_map(home_dir / "a.map", [automapper(), None])
    before = get(map_)
    top = os.path.dirname(find_layer(map_))
    listed = ["0 [Grass]", "1 [Desert]", "2 [desert]"]
    out, err = run("automap", "--list", map_)
    assert out.splitlines() == ["%s/%s: grass.rules: %s" % (top, layer, c)
                                for layer in ("0_grass", "1_grass") for c in listed]
    assert err == "" and get(map_) == before
    assert run("automap", "--list", "--layer", top + "/1*", map_)[0].count("\n") == 3
    assert run("automap", "--list", "--rules", "none.rules", map_)[0].splitlines() == [
        "%s/%s: none.rules has no configuration" % (top, layer) for layer in ("0_grass", "1_grass")]
    assert run("automap", "--list", "grass.rules", "none.rules")[0].splitlines() == [
        "grass.rules: " + c for c in listed] + ["none.rules: no configuration"]
    for name, tile in (("GRASS", 7), ("Desert", 8), ("desert", 9), ("DESERT", 8), ("1", 8)):
        run("automap", "--config", name, map_, "out.map")
        assert {t[0] for row in read_cells("out.map", top + "/0_grass") for t in row} == {0, tile}, name
    err = run("automap", "-n", "--config", "Snow", map_, code=5)[1]
    assert "grass.rules has no configuration Snow (it has 0 [Grass], 1 [Desert], 2 [desert])" in err
    os.unlink("grass.rules")
    out, err = run("automap", "--list", map_)
    assert out == "" and err.count("grass.rules not found") == 2


def test_the_seed_comes_from_the_layer_or_an_option(home_dir):
    text = "[Nothing]\n[Some]\nIndex 7\nRandom 50%\n"
    (home_dir / "grass.rules").write_text(text)
    map_ = make_map(home_dir / "a.map", [automapper(seed=77)])
    layer = find_layer(map_)
    before = read_cells(map_, layer)
    for seed, args in ((77, []), (5, ["--seed", "5"]), (-2**31, ["--seed=-2147483648"]), (1, ["--seed", "0"])):
        said = run("automap", *args, map_, "out.map")[1]
        assert ("using 1" in said) == (args[-1:] == ["0"])
        assert read_cells("out.map", layer) == draw_by_reference(before, text, 1, seed)
    for wrong in ("x", "", "1.5", "4294967296", "1 "):
        assert "--seed" in run("automap", "--seed", wrong, map_, code=1)[1]


def test_rules_are_found_in_three_places(home_dir):
    """Beside the map, in --rules, and in the user's folder of the game."""
    map_ = make_map(home_dir / "a.map", [automapper()])
    dirs = [str(home_dir), str(home_dir / "own"), str(home_dir / "home/.local/share/ddnet/editor/automap"),
            str(home_dir / "home/.local/share/ddnet/editor")]
    for i, d in enumerate(dirs):
        os.makedirs(d, exist_ok=True)
        with open(d + "/grass.rules", "w") as f:
            f.write("[Nothing]\n[From %d]\nIndex 200\n" % i)
    (home_dir / "all").write_text("[Nothing]\n[From all]\nIndex 200\n")
    for i, d in enumerate(dirs):
        assert "by [From %d] of grass.rules" % i in run("automap", "-n", "--rules", "own", map_)[0]
        assert "by [From all] of all" in run("automap", "-n", "--rules", "all", map_)[0]
        os.unlink(d + "/grass.rules")
    assert "grass.rules not found" in run("automap", map_, code=5)[1]
    assert run("automap", "--rules", "none", map_, code=2)[1].startswith("mapfs: none: No such file")
    assert "not a regular file" in run("automap", "--rules", "/dev/null", map_, code=2)[1]


def test_an_image_name_with_a_path_finds_no_rules(home_dir):
    os.makedirs("maps")
    (home_dir / "x.rules").write_text(GROW)
    (home_dir / "maps" / ".hidden.rules").write_text(GROW)
    for image in ("..%2Fx", ".hidden"):
        map_ = make_map(home_dir / "maps" / "a.map", [automapper()], image)
        assert "the layer has no image to find rules for" in run("automap", map_, code=5)[1]
        os.unlink(map_)
    os.symlink("../x.rules", "maps/grass.rules")
    assert "not found" in run("automap", make_map(home_dir / "maps/a.map", [automapper()]), code=5)[1]


def test_wrong_arguments_are_refused(home_dir, box):
    (home_dir / "grass.rules").write_text(GROW)
    map_ = make_map(home_dir / "a.map", [automapper()])
    before = get(map_)
    assert "is a folder" in run("automap", ".", code=2)[1]
    assert "--in-place" in run("automap", map_, map_, map_, code=1)[1]
    assert "-o ro" in run("automap", "-o", "ro", map_, code=1)[1]
    assert "standard input" in run("automap", "-", code=1)[1]
    assert "--reference" in run("automap", "--reference", "gmae", map_, code=1)[1]
    (home_dir / "note.txt").write_text("no map\n")
    assert "not overwritten" in run("automap", map_, "note.txt", code=2)[1]
    assert (home_dir / "note.txt").read_text() == "no map\n"
    inside = box.add(map_)
    mount = box.mount(inside)
    assert run("automap", inside, code=7)[0] == ""
    mount.unmount("--discard")
    assert get(map_) == before


def test_a_map_of_another_format_is_refused(home_dir):
    made = run("pack", copy_to_home(home_dir, "MEDIA/A.TXT"), "X.MOD")
    assert made[1] == ""
    before = get("X.MOD")
    for args in (["X.MOD"], ["X.MOD", "Y.MOD"], ["--in-place", "."]):
        assert "automap is not supported for this format" in run("automap", *args, code=2)[1]
    assert get("X.MOD") == before and sorted(os.listdir(home_dir)) == ["X.MOD", "tree"]


def copy_to_home(home_dir, path):
    file = home_dir / "tree" / path
    os.makedirs(file.parent)
    file.write_text("text\n")
    return str(home_dir / "tree")


def test_a_map_from_standard_input_gives_the_same_result(home_dir):
    (home_dir / "grass.rules").write_text(GROW)
    map_ = make_map(home_dir / "a.map", [automapper()])
    with open(map_, "rb") as f:
        out = subprocess.run([places.BINARY, "automap", "--rules", "grass.rules", "-", "-"], stdin=f,
                             capture_output=True, timeout=60)
    assert out.returncode == 0, out.stderr
    run("automap", map_)
    assert out.stdout == get(map_)


def test_a_layer_of_a_mount_is_drawn_and_saved(home_dir, box):
    map_ = make_map(home_dir / "a.map", [automapper(), automapper()])
    layer = find_layer(map_)
    inside = box.add(map_)
    with open(os.path.join(os.path.dirname(inside), "grass.rules"), "w") as f:
        f.write(GROW)
    (home_dir / "grass.rules").write_text(GROW)
    expected = run("automap", "--layer", layer, map_, "expected.map")[0]
    mount = box.mount(inside)
    where = str(mount / layer)
    before = mount.get(layer + "/id.csv")
    assert run("automap", "-n", where) == (expected, "")
    assert mount.get(layer + "/id.csv") == before
    assert run("automap", where) == (expected, "")
    # The current content of the mount is drawn, not the saved one.
    assert run("automap", where)[1] == ""
    assert "takes no other names" in run("automap", where, where, code=1)[1]
    os.unlink(os.path.join(os.path.dirname(inside), "grass.rules"))
    assert run("automap", where, code=5)[0] == ""
    mount.unmount()
    assert get(inside) == get(home_dir / "expected.map")


def test_faults_of_rules_are_reported_with_line_word_and_allowed_values(home_dir):
    wrong = ["Pos 0 0 FULL", "[A]", "Indx 5", "Index", "Index 256", "Index 3 XFILP", "Pos 0 0", "Pos 0 0 FUL", "Pos 0",
             "Pos 1 0 INDEX", "Index 1", "Pos 1 0 INDEX 256", "Pos 1 0 INDEX 1 OR", "Pos 1 0 INDEX 1 2 3",
             "Index 4", "Pos 0 0 INDEX 1", "Pos 0 0 INDEX 2", "Index 4", "Random often", "Random 0%", "Modulo 1 2 3",
             "NewRunning", "NewRun 5", "[B", "[A]", "Index 1", "Pos 1 1 EMPTY", "Pos 1 1 FULL", "Pos 1 1 INDEX -1"]
    reported = ['1: Pos before the first Index', '3: unknown word "Indx" ([Name], NewRun, NoLayerCopy, Index, Pos, Random, '
            'Modulo or NoDefaultRule)', "4: Index without a tile (0 to 255)",
            "5: tile 256 (0 to 255)", '6: "XFILP" is not a flag (XFLIP, YFLIP, ROTATE or NONE)',
            "7: Pos without a value (EMPTY, FULL, INDEX or NOTINDEX)",
            '8: "FUL" is not a value (EMPTY, FULL, INDEX or NOTINDEX)', "9: Pos without a position (Pos X Y)",
            "10: INDEX without a tile (-1 to 255)", "6: the rule can never match: no tile is possible at 1 0",
            "12: tile 256 (-1, outside, to 255)", "13: OR without a tile (-1 to 255)",
            '14: "2" is not a flag (XFLIP, YFLIP, ROTATE or NONE)', '14: "3" and further words are ignored (use OR)',
            "11: the rule can never match: no tile is possible at 1 0", "15: the rule can never match: no tile is possible at 0 0",
            "19: Random without a probability (such as 5, one in five, or 20%)", "20: Random is 0 (must be above 0)",
            "21: Modulo without four numbers (Modulo MX MY OX OY)", '22: "ning" is ignored: the line must end before it',
            '23: "5" is ignored: the line must end before it', '24: "[B" does not end in "]"',
            "26: the rule can never match: no tile is possible at 1 1", "25: [A] already exists (line 2)"]
    (home_dir / "w.rules").write_text("\n".join(wrong) + "\n")
    out, err = run("automap", "--check", "w.rules", code=2)
    assert out.splitlines() == ["w.rules: line " + line for line in reported] and err == ""
    (home_dir / "good.rules").write_text(GROW)
    assert run("automap", "--check", "good.rules") == ("", "")
    assert "No such file" in run("automap", "--check", "good.rules", "none", code=2)[1]


@pytest.mark.parametrize("word, tile", [("7XFLIP", 7), ("7.5", 7), ("seven", 0)])
def test_an_invalid_tile_number_is_read_as_the_editor_reads_it(home_dir, word, tile):
    """The editor reads the leading digits (sscanf) without a warning."""
    (home_dir / "grass.rules").write_text(f"[Grow]\nIndex {word}\nPos 0 0 FULL\n")
    assert run("automap", "--check", "grass.rules", code=2)[0].count("\n") == 1
    map_ = make_map(home_dir / "a.map", [automapper(), automapper()])
    layer = find_layer(map_)
    before = maps.good("cat", map_, layer + "/id.csv").stdout.replace(b"\n", b",").split(b",")
    assert "faults" not in run("automap", "--config", "0", "--layer", layer, map_, "b.map")[0]
    after = maps.good("cat", "b.map", layer + "/id.csv").stdout.replace(b"\n", b",").split(b",")
    assert [int(c) for c in after if c] == [tile if int(c) else 0 for c in before if c]


def test_rules_with_faults_are_used_and_reported_once(home_dir):
    (home_dir / "grass.rules").write_text(GROW + "Noise\n")
    out, err = run("automap", make_map(home_dir / "a.map", [automapper(), automapper()]))
    assert out.count("drawn") == 2 and err.count("Noise") == 1 and "grass.rules: line 6: " in err


def test_the_rules_of_the_game_have_only_known_faults():
    """The known faults are lines of jungle_midground.rules without the word INDEX."""
    found = [p.values[0] for p in test_automap_rules.rules_files()]
    if found == [None]:
        pytest.skip("not installed: ddnet-data")
    for path in found:
        reported = subprocess.run([places.BINARY, "automap", "--check", path], capture_output=True, text=True, timeout=60)
        lines = reported.stdout.splitlines()
        assert reported.stderr == "" and all('"233" is not a value' in line for line in lines)
        assert bool(lines) == (os.path.basename(path) == "jungle_midground.rules") == (reported.returncode == 2)


MOST = 60000  # the reference implementation draws at most this many tiles


def sample_layers(map_):
    """Up to three design layers of a map."""
    found = []
    at = subprocess.run([places.BINARY, "grep", "-l", "--in", "groups/*/layers/*/layer.json", '"kind": "design"', map_],
                        capture_output=True, text=True, timeout=60).stdout
    for line in at.splitlines():
        path = os.path.dirname(line[len(map_) + 1:])
        layer = json.loads(run("cat", map_, path + "/layer.json")[0])
        if layer["width"] * layer["height"] <= MOST:
            found.append(path)
    return random.Random(os.path.basename(map_)).sample(found, min(len(found), 3))


@pytest.mark.parametrize("path", [p for p in maps.each_map() if str(p.values[0]).endswith((".map", "None"))])
def test_layers_of_real_maps_are_drawn_as_the_reference_draws_them(tmp_path, path):
    texts = [p.values[0] for p in test_automap_rules.rules_files() if p.values[0]]
    if not texts:
        pytest.skip("not installed: ddnet-data")
    map_, out = shutil.copy(path, tmp_path), str(tmp_path / "out.map")
    if subprocess.run([places.BINARY, "ls", map_, "groups"], capture_output=True, timeout=60).returncode:
        pytest.skip("refused by a mount, too")
    rng = random.Random(os.path.basename(path))
    for layer in sample_layers(map_):
        one = rng.choice(texts)
        with open(one) as f:
            text = f.read()
        config = rng.randrange(len(automap_reference.parse(text)))
        expected = draw_by_reference(read_cells(map_, layer), text, config, 9)
        line = run("automap", "--rules", one, "--config", str(config), "--seed", "9", "--layer", layer, map_, out)[0]
        assert read_cells(out, layer) == expected
        assert bool(line) == (expected != read_cells(map_, layer))
        changed = subprocess.run([places.BINARY, "diff", "-q", map_, out], capture_output=True, text=True, timeout=60)
        assert all(line.startswith("changed %s/" % layer) for line in changed.stdout.splitlines())
