# SPDX-License-Identifier: Zlib
"""mapfs check --rules: a map that keeps the rules, and for each rule a map that breaks only this one."""
import json
import os
import re
import signal
import subprocess
import time

import pytest

import archives
import datafile
import ddnet_rules
import places
from maps import run
from racemap import W, Race

LINE = re.compile(r"^(?P<file>.*?\.map): warning: (?:(?P<path>(?:info|images|sounds|envelopes|groups)/\S+): )?(?P<text>.*)$")
LAYERS = "groups/0_Game/layers/"


def check_rules(box, race, *rules, name="race.map"):
    """The warnings of a map, each with its path, and the exit code."""
    file = box.add(race.encode() if isinstance(race, Race) else race, name)
    r = run("check", *[a for rule in rules for a in ("--rules", rule)], file)
    assert not r.stderr, r
    found = [LINE.match(line) for line in r.stdout.decode().splitlines()]
    assert all(found), r.stdout
    return [(m["path"] or "", m["text"]) for m in found], r.returncode


def test_a_map_that_keeps_the_rules_has_no_warning(box):
    assert check_rules(box, Race(), "ddnet") == ([], 0)


def remove_tiles(layer, *tiles):
    def change(r):
        for at in tiles:
            del r.tiles[layer][at]
    return change


def set_tiles(layer, *tiles):
    def change(r):
        for x, y, *tile in tiles:
            r.put(layer, x, y, *tile)
    return change


def set_properties(layer, field, value):
    def change(r):
        r.properties[layer] = {field: value}
    return change


def set_settings(*lines):
    def change(r):
        r.settings = list(lines)
    return change


def set_info(i, text):
    def change(r):
        r.info[i] = text
    return change


def add_design(w, h, cells):
    def change(r):
        r.design.append((w, h, cells, 0, -1))
    return change


def add_objects(images=(), sounds=0, envelopes=0):
    def change(r):
        r.images += images
        r.sounds += sounds
        r.envelopes += envelopes
    return change


def combine(*changes):
    def change(r):
        for c in changes:
            c(r)
    return change


def pixels(w, h, tone):
    return w, h, bytes([tone, 1, 2, 255]) * (w * h)


def use_all_images(r):
    """Add a quad for every image, so that all are used."""
    r.quads += [(i, -1) for i in range(len(r.images))]


GAME, DESIGN = LAYERS + "0_game", LAYERS + "1_design"
SECOND = {name: LAYERS + "1_" + name for name in ("front", "tele", "speedup", "switch", "tune")}
FRONT, TELE, SPEEDUP, SWITCH, TUNE = (SECOND[n] for n in ("front", "tele", "speedup", "switch", "tune"))
SETTINGS = "info/settings.cfg"
UNKNOWN = "is not a setting that servers accept from maps"

# name: (change of the map, expected warnings)
FAULTS = {
    "no spawn": (remove_tiles("game", (1, 1)), [(GAME, "the map has no spawn (192, 193 or 194 in the game or front layer)")]),
    "no start": (remove_tiles("game", (2, 1)), [(GAME, "the map has no start (33 in the game or front layer)")]),
    "no finish": (remove_tiles("game", (3, 1)), [(GAME, "the map has no finish (34 in the game or front layer)")]),
    "no times": (remove_tiles("game", (4, 1)), [(GAME, "the map has no time checkpoint (35 to 59 in the game or front layer)")]),
    "no author": (set_info(0, b""), [("info/author", "the map has no author")]),
    "no licence": (set_info(3, b""), [("info/license", "the map has no license")]),
    "unknown tile": (set_tiles("game", (5, 2, 8), (1, 3, 8)), [(GAME, "x 4, y 1 and 1 more: tile 8 is unknown to DDNet in the game layer")]),
    "tile of another layer": (set_tiles("front", (5, 2, 1)), [(FRONT, "x 4, y 1: tile 1 is unknown to DDNet in the front layer")]),
    "unknown switch": (set_tiles("switch", (1, 2, 3, 60)), [(SWITCH, "x 0, y 1: tile 60 is unknown to DDNet in the switch layer")]),
    "turned": (set_tiles("game", (2, 3, 9, 8)), [(GAME, "x 1, y 2: tile 9 is rotated or mirrored, which has no effect")]),
    "turned switch": (set_tiles("switch", (2, 3, 4, 24, 1)), [(SWITCH, "x 1, y 2: tile 24 is rotated or mirrored, which has no effect")]),
    "cut over air": (set_tiles("front", (2, 2, 5)), [(FRONT, "x 1, y 1: hook-through (5) is over no solid tile")]),
    "all over air": (set_tiles("front", (2, 2, 66)), [(FRONT, "x 1, y 1: hook-through (66) is over no solid tile: it stops hooks there")]),
    "one side over air": (set_tiles("game", (2, 2, 67)), [(GAME, "x 1, y 1: hook-through (67) is over no solid tile: it stops hooks there")]),
    "beside air": (set_tiles("game", (2, 2, 6)), [(GAME, "x 1, y 1: hook-through (6) is beside no solid tile")]),
    "beside the next line": (combine(set_tiles("front", (6, 2, 6)), set_tiles("game", (1, 3, 3))), [(FRONT, "x 5, y 1: hook-through (6) is beside no solid tile")]),
    "entrance": (set_tiles("tele", (3, 2, 7, 26), (4, 2, 7, 10)), [(TELE, "x 2, y 1 and 1 more: entrance 7 has no exit")]),
    "entrance for weapons": (set_tiles("tele", (3, 2, 7, 14)), [(TELE, "x 2, y 1: entrance 7 has no exit")]),
    "entrance for hooks": (set_tiles("tele", (3, 2, 7, 15), (4, 2, 8, 27), (5, 2, 8, 26)), [(TELE, "x 2, y 1: entrance 7 has no exit")]),
    "exit": (set_tiles("tele", (3, 4, 200, 27)), [(TELE, "x 2, y 3: exit 200 has no entrance")]),
    "checkpoint": (set_tiles("tele", (3, 2, 7, 29), (1, 2, 6, 30), (2, 2, 6, 29)), [(TELE, "x 2, y 1: checkpoint 7 has no exit")]),
    "checkpoint exit": (set_tiles("tele", (3, 2, 7, 30), (1, 2, 6, 30), (2, 2, 6, 29)), [(TELE, "x 2, y 1: checkpoint exit 7 has no checkpoint")]),
    "hidden checkpoint exit": (set_tiles("tele", (3, 2, 6, 30), (1, 2, 7, 30), (2, 2, 7, 29)), [
        (TELE, "x 2, y 1: checkpoint exit 6 has no checkpoint")]),
    "back to no checkpoint": (set_tiles("tele", (3, 2, 0, 63)), [(TELE, "x 2, y 1: it leads to checkpoints, but the map has no checkpoint exit")]),
    "number 0": (set_tiles("tele", (3, 2, 0, 26)), [(TELE, "x 2, y 1: tile 26 has number 0 and does nothing")]),
    "door": (set_tiles("switch", (1, 2, 9, 240), (2, 2, 8, 24)), [(SWITCH, "x 0, y 1: door 9 has no switch")]),
    "speedup": (set_tiles("speedup", (6, 5, 0, 1, 28), (2, 1, 1, 0, 28)), [(SPEEDUP, "x 5, y 4: the speedup has force 0 and does nothing")]),
    "door without a switch": (set_tiles("game", (1, 2, 240)), [(GAME, "x 0, y 1: the door is always open, because no switch tile has a number")]),
    "door of a switch without a number": (combine(set_tiles("front", (2, 2, 240)), set_tiles("switch", (5, 5, 0, 199))), [
        (FRONT, "x 1, y 1: the door is always open, because no switch tile has a number")]),
    "first speedup": (set_tiles("speedup", (1, 1, 5, 0, 28)), [(SPEEDUP, "x 0, y 0: a speedup never works here")]),
    "color": (set_properties("game", 10, 0), [(GAME, "has a color (a physics layer is white)")]),
    "image": (set_properties("game", 13, 0), [(GAME, "has an image (a physics layer has none)")]),
    "detail": (set_properties("game", 2, 1), [(GAME, "is a detail (a physics layer is always shown)")]),
    "tune zone": (set_tiles("tune", (6, 5, 0, 68)), [(TUNE, "x 5, y 4: the tune zone is 0 (1 to 255)")]),
    "misspelt": (set_settings(b"sv_team 1", b"sv_taem 1"), [(SETTINGS, f"line 2: sv_taem {UNKNOWN} (sv_team?)")]),
    "misspelt in upper case": (set_settings(b"SV_HITT 1"), [(SETTINGS, f"line 1: SV_HITT {UNKNOWN} (sv_hit?)")]),
    "swapped": (set_settings(b"swtich_open 3"), [(SETTINGS, f"line 1: swtich_open {UNKNOWN} (switch_open?)")]),
    "left out": (set_settings(b"sv_max_teamsize 3"), [(SETTINGS, f"line 1: sv_max_teamsize {UNKNOWN} (sv_max_team_size?)")]),
    "of no server": (set_settings(b"sv_gametype ctf"), [(SETTINGS, f"line 1: sv_gametype {UNKNOWN}")]),
    "of a server alone": (set_settings(b"sv_team 1; sv_port 7"), [(SETTINGS, f"line 1: sv_port {UNKNOWN}")]),
    "long line": (set_settings(b"sv_team 1 " + b"x" * 300), [(SETTINGS, "line 1: 310 bytes (at most 255)")]),
    "tuning": (set_settings(b"tune gravitiy 0.5"), [(SETTINGS, "line 1: gravitiy is not a tuning (gravity?)")]),
    "tune without words": (set_settings(b"tune"), [(SETTINGS, "line 1: tune needs more words")]),
    "tune zone out of range": (set_settings(b"tune_zone 256 gravity 1"), [(SETTINGS, "line 1: the tune zone is 256 (0 to 255)")]),
    "zone's value": (set_settings(b"tune_zone 1 gravity 0,5"), [(SETTINGS, "line 1: 0,5 is not a number")]),
    "no message": (set_settings(b"tune_zone_enter 1"), [(SETTINGS, "line 1: tune_zone_enter needs more words")]),
    "no zone": (set_settings(b"tune_zone_leave one \"a b\""), [(SETTINGS, "line 1: the tune zone is one (0 to 255)")]),
    "no switch": (set_settings(b"switch_open -1"), [(SETTINGS, "line 1: the switch is -1 (0 to 255)")]),
    "no bug": (set_settings(b"mapbug grenade-doublexplosion@ddnet.tw"), [(SETTINGS, "line 1: grenade-doublexplosion@ddnet.tw is not a map bug known to servers"
               " (grenade-doubleexplosion@ddnet.tw?)")]),
    "unused image": (add_objects(images=[(b"own", pixels(16, 16, 3))]), [("images/1_own.png", "nothing uses it")]),
    "unused sound": (add_objects(sounds=1), [("sounds/0_bell0.opus", "nothing uses it")]),
    "unused envelope": (add_objects(envelopes=1), [("envelopes/0.json", "nothing uses it")]),
    "image twice": (combine(add_objects(images=[(b"a", pixels(16, 16, 3)), (b"b", pixels(16, 16, 3))]), use_all_images), [("images/2_b.png", "equals images/1_a.png")]),
    "external twice": (combine(add_objects(images=[(b"grass_main", None)]), use_all_images), [("images/1_grass_main.json", "equals images/0_grass_main.json")]),
    "large": (combine(add_objects(images=[(b"a", pixels(2049, 2, 3))]), use_all_images), [("images/1_a.png", "has 2049 x 2 pixels (at most 2048 x 2048)")]),
    "empty tiles": (add_design(2, 2, bytes(16)), [(LAYERS + "2_design", "is empty")]),
    "empty front": (lambda r: r.tiles.update(front={}), [(FRONT, "is empty")]),
    "wide": (add_design(5, 2, (bytes([1, 0, 0, 0]) * 3 + bytes(8)) * 2), [(LAYERS + "2_design", "is 5 x 2 tiles (4 x 2 are enough)")]),
    "high": (add_design(2, 9, bytes([1, 0, 0, 0]) * 8 + bytes(40)), [(LAYERS + "2_design", "is 2 x 9 tiles (2 x 5 are enough)")]),
}
# name: a similar change without a warning
SOUND = {
    "spawn in front": combine(remove_tiles("game", (1, 1)), set_tiles("front", (1, 1, 194))),
    "start and finish in front": combine(remove_tiles("game", (2, 1), (3, 1)), set_tiles("front", (1, 1, 33), (2, 1, 34))),
    "last time": combine(remove_tiles("game", (4, 1)), set_tiles("game", (4, 1, 59))),
    "known tiles": combine(set_tiles("game", (5, 2, 9), (1, 3, 144)), set_tiles("front", (5, 2, 98), (1, 2, 2))),
    "turned stopper": set_tiles("game", (2, 3, 60, 8), (3, 3, 67 - 2, 3), (2, 2, 224, 1)),
    "opaque": set_tiles("game", (2, 3, 9, 4)),
    "turned weapon in the switch layer": set_tiles("switch", (2, 3, 0, 199, 9)),
    "through": set_tiles("front", (1, 5, 66), (2, 5, 67, 8), (3, 5, 5), (4, 4, 6)),
    "through at the border": combine(set_tiles("front", (6, 2, 6), (1, 3, 6), (3, 1, 6)), set_tiles("game", (6, 2, 1), (1, 3, 3), (3, 1, 1)), set_tiles("front", (2, 1, 34))),
    "through on each side": combine(set_tiles("front", (2, 3, 6), (4, 3, 6)), set_tiles("game", (3, 3, 1))),
    "through above and below": combine(set_tiles("front", (5, 2, 6), (5, 4, 6)), set_tiles("game", (5, 3, 3))),
    "entrance": set_tiles("tele", (3, 2, 7, 26), (4, 2, 7, 10), (5, 2, 7, 14), (6, 2, 7, 15), (1, 1, 7, 27)),
    "checkpoint": set_tiles("tele", (3, 2, 7, 29), (1, 2, 7, 30), (2, 2, 0, 31), (2, 3, 0, 63)),
    "door": set_tiles("switch", (1, 2, 9, 240), (2, 2, 9, 22), (3, 3, 8, 240), (4, 3, 8, 25)),
    "door that is open": combine(set_tiles("switch", (1, 2, 9, 240)), set_settings(b"sv_team 1", b"Switch_Open 9")),
    "door in the game layer": combine(set_tiles("game", (1, 2, 240)), set_tiles("switch", (5, 5, 9, 199))),
    "speedup": set_tiles("speedup", (6, 5, 1, 0, 28), (2, 1, 1, 0, 28), (1, 2, 1, 0, 28)),
    "tune zone": set_tiles("tune", (6, 5, 1, 68)),
    "settings": set_settings(b"SV_TEAM 1; tune \"gravity\" .5 # sv_taem", b"", b"  # sv_taem 1", b"tune_zone 255 gravity -1.5", b"tune gravity",
                         b"tune_zone_enter 0 \"sv_taem; 1\"", b"tune_zone_leave 1 a b c d e f", b"tune_zone_enter 0 \"a \\\" ; sv_taem\"", b"switch_open 255",
                         b"mapbug grenade-doubleexplosion@ddnet.tw", b"sv_team " + b"x" * 247),
    "image of a quad": lambda r: (add_objects(images=[(b"own", pixels(16, 16, 3))])(r), r.quads.append((1, -1))),
    "envelope of a quad": lambda r: (add_objects(envelopes=1)(r), r.quads.append((0, 0))),
    "envelope of a layer": lambda r: (add_objects(envelopes=1)(r), r.design.append((2, 2, bytes([1, 0, 0, 0]) * 4, 0, 0))),
    "two images": combine(add_objects(images=[(b"a", pixels(16, 16, 3)), (b"b", pixels(16, 16, 4))]), use_all_images),
    "largest image": combine(add_objects(images=[(b"a", pixels(2048, 2, 3))]), use_all_images),
    "one column more": add_design(5, 2, (bytes([1, 0, 0, 0]) * 4 + bytes(4)) * 2),
    "two of each at least": add_design(2, 2, bytes([1, 0, 0, 0]) + bytes(12)),
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_broken_rule_is_reported_with_its_place(box, name):
    change, expected = FAULTS[name]
    race = Race()
    change(race)
    assert check_rules(box, race, "ddnet") == (expected, 5)
    assert check_rules(box, race) == ([], 0)


@pytest.mark.parametrize("name", SOUND)
def test_each_kept_rule_is_not_reported(box, name):
    race = Race()
    SOUND[name](race)
    assert check_rules(box, race, "ddnet") == ([], 0)


def test_an_author_without_letters_counts_as_missing(box):
    f = datafile.Datafile(Race().encode())
    blobs = f.blobs()
    blobs[f.of_type(datafile.INFO)[0].ints[1]] = b"\0"
    assert check_rules(box, datafile.encode(f.items, blobs), "ddnet") == ([("info/author", "the map has no author")], 5)


def test_warnings_of_check_fail_with_rules(box):
    """An external image that the game lacks is a warning without rules, and an error with rules."""
    race = Race()
    race.images = [(b"nowhere", None)]
    expected = [("images/0_nowhere.json", "is external, but the game has no image nowhere")]
    assert check_rules(box, race) == (expected, 0)
    assert check_rules(box, race, "ddnet") == (expected, 5)


def test_images_of_newer_game_versions_are_known(box):
    race = Race()
    race.images = [(name, None) for name in (b"grass_main", b"ddnet_grass", b"generic_shadows_0.7", b"winter_main_0.7")]
    assert check_rules(box, race) == ([], 0)


def test_a_map_that_a_game_refuses_is_an_error(box):
    race = Race()
    race.settings = [b"sv_taem 1"]
    f = datafile.Datafile(race.encode())
    next(i for i in f.of_type(datafile.LAYER) if i.ints[6] == 0).ints[4] = 1
    r = run("check", "--rules", "ddnet", box.add(datafile.encode(f.items, f.blobs()), "bad.map"))
    assert r.returncode == 2 and b"at least 2 x 2" in r.stdout and b"sv_taem" in r.stdout


def test_json_has_the_warnings_of_the_lines(box):
    race = Race()
    set_tiles("tele", (3, 2, 7, 26))(race)
    file = box.add(race.encode(), "race.map")
    r = run("check", "--json", "--rules", "ddnet", file)
    assert [json.loads(line) for line in r.stdout.splitlines()] == [
        {"file": file, "level": "warning", "path": TELE, "field": "number", "value": 7, "bound": "an exit",
         "problem": "x 2, y 1: entrance 7 has no exit", "fixable": False}]
    assert r.returncode == 5


def write_rules(box, text):
    return box.add((text if isinstance(text, str) else json.dumps(text)).encode(), "house.json")


KOG = {
    "size": 10000000,
    "tiles": [
        {"id": 192, "layers": ["game"], "min": 1, "max": 10},
        {"id": 33, "layers": ["game", "front"], "min": 1, "max": None},
        {"id": 34, "layers": ["game", "front"], "min": 1},
    ],
    "info": {"author": ".", "license": "^(CC0|MIT)$"},
    "settings": {"allow": ["sv_kog_map_quests", "tune", "sv_team"]},
}


def test_rules_can_come_from_a_file(box):
    rules = write_rules(box, KOG)
    race = Race()
    assert check_rules(box, race, rules) == ([], 0)
    race.info[3] = b"GPL"
    race.settings += [b"sv_hit 0"]
    remove_tiles("game", (2, 1))(race)
    for x in range(1, W + 1):
        for y in (2, 3):
            race.put("game", x, y, 192)
    assert check_rules(box, race, rules) == ([
        ("", "tile 192 occurs 13 times in game (at most 10)"),
        ("", "tile 33 occurs 0 times in game, front (at least 1)"),
        ("info/license", "is \"GPL\" (must match ^(CC0|MIT)$)"),
        (SETTINGS, "line 2: sv_hit is not an allowed setting")], 5)


def test_the_size_of_the_file_is_checked(box):
    n = len(Race().encode())
    assert check_rules(box, Race(), write_rules(box, {"size": n})) == ([], 0)
    assert check_rules(box, Race(), write_rules(box, {"size": n - 1})) == ([("", f"the file has {n} bytes (at most {n - 1} bytes)")], 5)


def test_several_rules_can_be_checked_together(box):
    race = Race()
    race.settings = [b"sv_kog_map_quests Q_TEAM_15"]
    race.info[3] = b""
    known = [(SETTINGS, f"line 1: sv_kog_map_quests {UNKNOWN}")]
    licence = [("info/license", "the map has no license")]
    assert check_rules(box, race, "ddnet") == (licence + known, 5)
    assert check_rules(box, race, write_rules(box, KOG), "ddnet") == (licence + [("info/license", "is \"\" (must match ^(CC0|MIT)$)")], 5)


@pytest.mark.parametrize("text, why", [
    ("{", "line 1, column"),
    ("[]", "line 1, column 1: the file is an array of 0 (must be an object)"),
    ('{"tile": []}', "line 1, column 10: tile is not a known key"),
    ('{\n "tiles": [{"id": 300, "layers": ["game"]}]}', "line 2, column 19: tiles[0].id is 300 (must be 1 to 255)"),
    ('{"tiles": [{"id": 0, "layers": ["game"], "max": 1}]}', "line 1, column 19: tiles[0].id is 0 (must be 1 to 255)"),
    ('{"tiles": [{"id": 3}]}', "line 1, column 12: tiles[0].layers is missing"),
    ('{"tiles": [{"id": 3, "layers": ["gane"]}]}', 'line 1, column 33: tiles[0].layers[0] is "gane" (must be game, front, tele, speedup, switch or tune)'),
    ('{"tiles": [{"id": 3, "layers": []}]}', "line 1, column 32: tiles[0].layers is an array of 0 (must have at least one layer)"),
    ('{"tiles": [{"id": 3, "layers": ["game"], "min": 4, "max": 3}]}', "line 1, column 59: tiles[0].max is 3 (must be 4 to 2147483647)"),
    ('{"info": {"author": "("}}', 'line 1, column 21: info.author is "(" (not a regular expression: '),
    ('{"info": {"author": "()(\\\\1\\\\1)*"}}', 'line 1, column 21: info.author is "()(\\\\1\\\\1)*" (not a regular expression: back references'),
    ('{"info": {"author": "(((a{1,255}){1,255}){1,255})"}}', "line 1, column 21: info.author is \"(((a{1,255}){1,255}){1,255})\" (not a regular expression: the expression is too large)"),
    ('{"info": {"author": "%s"}}' % ("(" * 200), "line 1, column 21: info.author is \""),
    ('{"info": {"author": "%s"}}' % ("a" * 256), "line 1, column 21: info.author is \""),
    ('{"settings": {"allow": [1]}}', "line 1, column 25: settings.allow[0] is 1 (must be a string)"),
    ('{"size": 0}', "line 1, column 10: size is 0 (must be 1 to 9223372036854775807)"),
])
def test_a_fault_in_rules_is_reported_in_one_line(box, small, text, why):
    rules = write_rules(box, text)
    r = run("check", "--rules", rules, small)
    assert r.returncode == 2 and not r.stdout
    assert r.stderr.decode().startswith(f"mapfs: {rules}: {why}") and r.stderr.count(b"\n") == 1, r.stderr


def test_repetition_counts_in_patterns_of_rules(box):
    race = Race()
    race.info[0] = b"nameless tee"
    assert check_rules(box, race, write_rules(box, {"info": {"author": "^[a-z]{8} (t?e+)++$"}})) == ([], 0)
    pattern = "^[a-z]{9}"
    assert check_rules(box, race, write_rules(box, {"info": {"author": pattern}})) == (
        [("info/author", "is \"nameless tee\" (must match ^[a-z]{9})")], 5)


def test_missing_rules_are_an_error(box, small):
    r = run("check", "--rules", "ddnte", small)
    assert r.returncode == 2 and r.stderr == b"mapfs: ddnte: no such file, and no rules of this name (such as ddnet)\n"


def test_a_fifo_as_rules_is_refused(box, small, tmp_path):
    fifo = str(tmp_path / "fifo")
    os.mkfifo(fifo)
    r = run("check", "--rules", fifo, small)
    assert r.returncode == 2 and r.stderr == f"mapfs: {fifo}: not a regular file\n".encode()


def test_other_formats_have_no_rules(box):
    r = run("check", "--rules", "ddnet", box.add(archives.small_mod(), "S.MOD"))
    assert r.returncode == 2 and r.stderr.endswith(b"S.MOD: rules are not supported for this format\n")


def read_warnings(path, *args):
    r = run("check", "--json", "--no-limit", *args, path)
    assert r.returncode in (0, 2, 5), r
    return {(f["path"] or f["problem"], f["problem"]) for f in map(json.loads, r.stdout.splitlines()) if f["level"] == "warning"}


def key_of(path):
    """The key of a path as ddnet_rules.py builds it."""
    found = re.match(r"groups/(\d+)[^/]*/layers/(\d+)|(images|sounds|envelopes)/(\d+)|layer (\d+)$", path)
    if not found:
        return path
    group, layer, kind, number, alone = found.groups()
    return (int(group), int(layer)) if group else (kind, int(number)) if kind else int(alone)


@pytest.mark.parametrize("path", places.each_debian_map() + places.each_corpus_map())
def test_an_independent_reader_finds_the_same_warnings(path):
    """In real maps: every warning with its place and its number of tiles, and no other."""
    if b"info\n" not in run("ls", path).stdout:
        pytest.skip("it does not open, or there is only raw/")
    ours = set()
    for where, text in read_warnings(path, "--rules", "ddnet") - read_warnings(path):
        same = re.match(r"equals images/(\d+)", text)
        if where != SETTINGS and "but the game has the same image" not in text:
            ours.add((key_of(where), ("equals", int(same[1])) if same else text))
    assert ours == ddnet_rules.broken_rules(path)


def read_server_log(box, settings):
    """Messages of Debian's server about a map's settings as it loads the map."""
    program = "/usr/games/DDNet-Server"
    if not os.path.exists(program):
        pytest.skip("not installed: ddnet-server")
    race = Race()
    race.settings = settings
    home = os.path.join(box.root, "server")
    os.makedirs(home + "/.local/share/ddnet/maps")
    with open(home + "/.local/share/ddnet/maps/race.map", "wb") as f:
        f.write(race.encode())
    with open(home + "/log", "wb") as log:
        p = subprocess.Popen([program, "bindaddr 127.0.0.1", "sv_ipv4only 1", "sv_port 0", "sv_register 0", "sv_map race"],
                             cwd=home, env=dict(os.environ, HOME=home), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        for _ in range(600):
            with open(home + "/log", encoding="utf-8", errors="replace") as f:
                said = f.read()
            if "rcon password" in said or p.poll() is not None:
                break
            time.sleep(0.1)
    finally:
        p.send_signal(signal.SIGINT)
        p.wait(60)
    assert "rcon password" in said, said
    return said


NEWER = {"sv_no_weak_hook"}
NEWER_TUNINGS = {"ground_elasticity_x", "ground_elasticity_y", "ninja_duration", "ninja_movetime", "ninja_velocity"}


def table(name):
    with open(os.path.join(places.SOURCE, "src/tools/teeworlds/rules/known.c"), encoding="utf-8") as f:
        text = re.search(r"tw_%s\[\] = \{(.*?)NULL" % name, f.read(), re.S)[1]
    return [entry.partition(" ")[::2] for entry in re.findall(r'"([^"]+)"', text)]


@pytest.fixture
def words():
    """All words in the server's program."""
    server = "/usr/games/DDNet-Server"
    if not os.path.exists(server):
        pytest.skip("not installed: ddnet-server")
    with open(server, "rb") as f:
        found = {w.decode() for w in re.findall(rb"\0([a-z][a-z0-9_]{2,40})(?=\0)", f.read())} - {"shutdown"}
    if "sv_no_weak_hook" in found:
        pytest.skip("the server is newer than that of DDNet 16.4, whose words these are")
    return found


def test_known_settings_are_those_that_the_server_accepts(box, words):
    """Every word of the server's program is tried, so that the table lacks none."""
    ours = {name for name, _ in table("settings")}
    assert len(words) > 1000 and ours - words == NEWER
    said = read_server_log(box, [w.encode() for w in sorted(words | ours)])
    refused = set(re.findall(r"No such command: (\S+)\.\n", said)) | set(re.findall(r"Command '(\S+)' cannot be executed from a map", said))
    assert (words | ours) - refused == ours - NEWER


REFUSALS = re.compile(r"No such command: \S+|Command '\S+' cannot be executed|Invalid arguments|No such tuning parameter: \S+")


def test_lines_are_split_as_in_the_server(box):
    race = Race()
    SOUND["settings"](race)
    assert REFUSALS.findall(read_server_log(box, race.settings)) == []


@pytest.mark.parametrize("name", ["misspelt", "swapped", "left out", "of no server", "of a server alone", "tuning", "tune without words", "no message"])
def test_settings_that_are_reported_are_refused_by_the_server(box, name):
    race = Race()
    FAULTS[name][0](race)
    assert len(REFUSALS.findall(read_server_log(box, race.settings))) == 1


@pytest.mark.usefixtures("words")
def test_the_arguments_of_settings_are_those_of_the_server(box):
    commands = {name: words for name, words in table("settings") if words}
    said = read_server_log(box, [name.encode() for name in commands])
    usage = dict(re.findall(r"Invalid arguments\.\.\. Usage: (\S+) (.*)\n", said))
    forms = {name: re.findall(r"(\??)([a-z])\[", text) for name, text in usage.items()}
    kinds = {"t": "s", "b": "s", "z": "i", "s": "i", "n": "i", "r": "r"}
    assert {name: "".join(kinds.get(c, c) for c in words) for name, words in commands.items()} == \
        {name: "".join(optional + kind for optional, kind in form) for name, form in forms.items()}


def test_known_tunings_are_those_of_the_server(box):
    names = {name for name, _ in table("tunings")}
    said = read_server_log(box, [b"tune %s 1" % name.encode() for name in sorted(names)] + [b"tune gravitiy 1"])
    unknown = set(re.findall(r"No such tuning parameter: (\S+)", said))
    assert {"gravitiy"} <= unknown <= NEWER_TUNINGS | {"gravitiy"}
    assert set(re.findall(r"(\S+) changed to 1\.00", said)) == names - unknown


def test_known_images_are_those_of_the_game(box):
    """Each image, embedded under its name, is reported; with one pixel changed it is not."""
    top = "/usr/share/games/ddnet/data/mapres"
    if not os.path.isdir(top):
        pytest.skip("not installed: ddnet-data")
    names = sorted(n[:-4] for n in os.listdir(top) if n.endswith(".png"))
    file = box.add(Race().encode(), "race.map")
    for name in names:
        run("put", file, "images/%s.png" % name, os.path.join(top, name + ".png"))

    def reported():
        r = run("check", "--rules", "ddnet", file)
        return re.findall(r"images/\d+_(\S+)\.png: is embedded, but the game has the same image", r.stdout.decode())
    assert sorted(reported()) == names
    f = datafile.Datafile.load(file)
    blobs = f.blobs()
    for image in f.of_type(datafile.IMAGE):
        if not image.ints[3]:
            blobs[image.ints[5]] = bytes([1, 2, 3, 255]) + blobs[image.ints[5]][4:]
    with open(file, "wb") as out:
        out.write(datafile.encode(f.items, blobs))
    assert reported() == []
