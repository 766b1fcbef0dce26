# SPDX-License-Identifier: Zlib
"""mapfs index writes the indexes that the modding kit would write, from the archive's own files."""
import os
import pathlib
import re
import struct
import subprocess

import pytest

import places
import tlread
import tlwrite
from archives import Archive
from box import get
from tlbox import CORPUS, MODS, add_corpus, run

KINDS = ["AFFIXES", "MISSILES", "ROOMPIECES", "SKILLS", "TRIGGERABLES", "UI", "UNITDATA"]

# Rows of the corpus for which mapfs gives other rows, and the reasons.
# The archive lacks the layouts that two skills name, and the kit's index lacks the skills, too: these are compiled
# files whose texts had been deleted before the kit made the index.
ORPHANS = {"added: MEDIA/SKILLS/STATIC MISSILES/STATIC MISSILES BACKUP.DAT",
           "added: MEDIA/SKILLS/STATIC MISSILES/STATIC MISSILES.DAT"}
DIFFER = {"Commando.mod": {"MEDIA/SKILLS.RAW: " + line for line in ORPHANS}}
ROWS = {"ADVENTURE_MODE.MOD": 2, "CYBER_EDITORMOD_dupname.MOD": 8, "Commando.mod": 38, "XOVER_EDITORMOD.MOD": 16,
        "flasks.mod": 16, "mikuro_packed.MOD": 5, "ref_pet.MOD": 5}
# Cells that depend on files of the game, without the old row: (index, file, cell): (theirs, ours).
OF_THE_GAME = {
    # Its base is PLAYERS/BASE.DAT, which has PLAYER.
    "CYBER_EDITORMOD_dupname.MOD": {
        ("UNITDATA", "MEDIA/UNITS/PLAYERS/CYBER/HUM_CYBER_BASE.DAT", 10): ("PLAYER", "")},
    # The packer lacked the game's ITEMS/BASE.DAT, by which all items are equipment. In the same mod made by the kit
    # (ref_pet.MOD) the value is 1.
    "mikuro_packed.MOD": {
        ("UNITDATA", "MEDIA/UNITS/ITEMS/SCROLLS/TSX_CONTRACT_TIANSHA.DAT", 4): (0, 1)},
}


def run_index(*args):
    return run(places.BINARY, "index", *args).splitlines()


def read_output(*args, code=0):
    """Run mapfs index; returns the lines of stdout and stderr."""
    r = subprocess.run([places.BINARY, "index", *map(str, args)], capture_output=True, text=True, timeout=120)
    assert r.returncode == code, (r.stdout, r.stderr)
    return r.stdout.splitlines(), r.stderr.splitlines()


def read_rows(archive, kind, ours=True):
    body = Archive(archive, ours=ours).files.get("MEDIA/%s.RAW" % kind)
    return tlread.raw(kind, body[0]) if body else []


def file_column(kind, row):
    return row[{"SKILLS": 1, "UI": 1, "UNITDATA": 3}.get(kind, 0)]


def write_sources(box, files):
    """Write a directory of sources {path: text}."""
    top = pathlib.Path(box.root) / "work"
    for path, text in files.items():
        at = top / path
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_bytes(text if isinstance(text, bytes) else text.encode())
    return top


def pack_sources(box, files, name="NEW.MOD", *options):
    made = os.path.join(box.maps, name)
    run(places.BINARY, "pack", *options, write_sources(box, files), made)
    box.allow(name, name + ".MAN")
    return made


def unit(*fields, kind="UNIT"):
    """The text of a unit; lines without a type are STRING."""
    lines = ["\t%s%s\n" % ("" if f.startswith("<") else "<STRING>", f) for f in fields]
    return "[%s]\n%s[/%s]\n" % (kind, "".join(lines), kind)


def layout_text(*objects, inner=()):
    def one(fields, children=""):
        return ("[BASEOBJECT]\n[PROPERTIES]\n%s[/PROPERTIES]\n[CHILDREN]\n%s[/CHILDREN]\n[/BASEOBJECT]\n"
                % ("".join(f + "\n" for f in fields), children))
    group = one(["<STRING>DESCRIPTOR:Group", "<INTEGER64>ID:99"], "".join(map(one, inner))) if inner else ""
    return "[Layout]\n[OBJECTS]\n%s%s[/OBJECTS]\n[/Layout]\n" % ("".join(map(one, objects)), group)


def missile(oid, *name):
    return ["<STRING>DESCRIPTOR:Missile", "<INTEGER64>ID:%d" % oid] + ["<STRING>MISSILE NAME:" + n for n in name]


def menu(oid, *fields):
    return ["<STRING>DESCRIPTOR:Menu Definition", "<INTEGER64>ID:%d" % oid, *fields]


SOURCES = {
    "media/units/items/base.dat": unit("NAME:Base", "<BOOL>DONTCREATE:true", "CREATEAS:EQUIPMENT",
                                       "<INTEGER>RARITY:7", "UNITTYPE:ITEM", "<INTEGER>MAXLEVEL:50"),
    "media/units/items/swords/fire.dat": unit(
        "BASEFILE:media\\units\\items\\base.dat", "NAME:Fire Sword", "UNIT_GUID:-5", "<INTEGER>LEVEL:9",
        "<INTEGER>RARITY:1", "<INTEGER>MINLEVEL:8", "SET:flames"),
    "media/units/items/swords/ice.dat": unit(
        "BASEFILE:units/items/swords/fire.dat", "NAME:Ice", "<INTEGER64>UNIT_GUID:6", "UNITTYPE:sword",
        "<INTEGER>RARITY_HARDCORE:3"),
    "media/units/items/aaa.dat": unit("NAME:last\tof all", "UNIT_GUID:7", "UNITTYPE:X"),
    "media/units/monsters/rat.dat": unit("NAME:rat", "UNIT_GUID:9223372036854775807", "UNITTYPE:BEAST"),
    "media/units/players/hero.dat": unit("NAME:hero", "UNIT_GUID:1", "UNITTYPE:PLAYER"),
    "media/units/props/door.dat": unit("NAME:door", "UNIT_GUID:2", "UNITTYPE:PROP", "<INTEGER>RARITY:0"),
    "media/units/other.dat": unit("NAME:no such list", "UNIT_GUID:3"),
    "media/skills/bolt.dat": unit("NAME:Bolt of x", "<INTEGER64>UNIQUE_GUID:-77", kind="SKILL"),
    "media/skills/arc/arc.dat": unit("NAME:Arc", "<INTEGER64>UNIQUE_GUID:78", kind="SKILL"),
    "media/skills/part.dat": unit("<INTEGER64>UNIQUE_GUID:79", kind="SKILL"),
    "media/affixes/a.dat": "[AFFIX]\n\t<STRING>NAME:of a\n\t<INTEGER>MIN_SPAWN_RANGE:3\n"
                           "\t<INTEGER>WEIGHT:12\n\t<INTEGER>DIFFICULTIES_ALLOWED:6\n\t[UNITTYPES]\n\t\t<STRING>UNITTYPE:SWORD\n"
                           "\t\t<STRING>UNITTYPE:A|B\n\t[/UNITTYPES]\n\t[NOT_UNITTYPES]\n"
                           "\t\t<STRING>UNITTYPE:RING\n\t[/NOT_UNITTYPES]\n[/AFFIX]\n",
    "media/affixes/b.dat": unit(kind="AFFIX"),
    "media/triggerables/t.dat": unit("NAME:Trig", kind="TRIGGERABLEACTION"),
    "media/triggerables/nameless.dat": unit("DESCRIPTION:x", kind="TRIGGERABLEACTION"),
    "media/levelsets/cave.dat": "[TILESET]\n\t<STRING>NAME:Cave\n\t[PIECE]\n\t\t<INTEGER64>GUID:-3\n"
                                "\t[/PIECE]\n\t[EFFECT]\n\t\t<INTEGER64>GUID:4\n\t[/EFFECT]\n\t[PIECE]\n"
                                "\t\t<INTEGER64>GUID:5\n\t[/PIECE]\n[/TILESET]\n",
    "media/levelsets/empty.dat": unit("NAME:Empty", kind="TILESET"),
    "media/missiles/shot.layout": layout_text(missile(1, "Shot"), inner=[missile(2, "Inner"), missile(3)]),
    "media/missiles/none.layout": layout_text(["<STRING>DESCRIPTOR:Group", "<INTEGER64>ID:4"]),
    "media/ui/main.layout": layout_text(menu(
        1, "<STRING>MENU NAME:Main Menu", "<STRING>TYPE:hud menu", "<STRING>GAME STATE:In Game",
        "<BOOL>ALWAYS VISIBLE:true", "<BOOL>SINGLEPLAYER ONLY:true", "<STRING>KEY BINDING:F1")),
    "media/ui/deep/other.layout": layout_text(menu(1, "<STRING>MENU NAME:other", "<BOOL>CREATE ON LOAD:1")),
    "media/ui/hidden.layout": layout_text(menu(1, "<STRING>MENU NAME:h", "<BOOL>DO NOT CREATE:true")),
    "media/ui/nameless.layout": layout_text(menu(1)),
    "media/ui/piece.layout": layout_text(["<STRING>DESCRIPTOR:Group", "<INTEGER64>ID:4"]),
}
NONE, HUD, IN_GAME = 0, 2, 3
UNITS = "MEDIA/UNITS/"
EXPECTED = {
    "UNITDATA": [
        ["ITEMS", 7, "LAST\tOF ALL", UNITS + "ITEMS/AAA.DAT", 0, 1, 0, 0, 1, 1, "X"],
        # RARITY 1 is the default, so the base's 7 counts. The list of the unit comes after other files of its
        # directory.
        ["ITEMS", -5, "FIRE SWORD", UNITS + "ITEMS/SWORDS/FIRE.DAT", 3, 9, 8, 50, 7, 7, "ITEM"],
        ["ITEMS", 6, "ICE", UNITS + "ITEMS/SWORDS/ICE.DAT", 3, 9, 8, 50, 7, 3, "SWORD"],
        ["MONSTERS", 2 ** 63 - 1, "RAT", UNITS + "MONSTERS/RAT.DAT", 0, 1, 0, 0, 1, 1, "BEAST"],
        ["PLAYERS", 1, "HERO", UNITS + "PLAYERS/HERO.DAT", 0, 1, 0, 0, 1, 1, "PLAYER"],
        ["PROPS", 2, "DOOR", UNITS + "PROPS/DOOR.DAT", 0, 1, 0, 0, 0, 0, "PROP"]],
    "SKILLS": [["BOLT OF X", "MEDIA/SKILLS/BOLT.DAT", -77], ["ARC", "MEDIA/SKILLS/ARC/ARC.DAT", 78]],
    "AFFIXES": [["MEDIA/AFFIXES/A.DAT", "OF A", 3, 999999, 12, 6, ["SWORD", "A|B"], ["RING"]],
                ["MEDIA/AFFIXES/B.DAT", "NA", 0, 999999, 1, -1, [], []]],
    "TRIGGERABLES": [["MEDIA/TRIGGERABLES/NAMELESS.DAT", "NAMELESS"], ["MEDIA/TRIGGERABLES/T.DAT", "TRIG"]],
    "ROOMPIECES": [["MEDIA/LEVELSETS/CAVE.DAT", [-3, 5]], ["MEDIA/LEVELSETS/EMPTY.DAT", []]],
    "MISSILES": [["MEDIA/MISSILES/NONE.LAYOUT", []], ["MEDIA/MISSILES/SHOT.LAYOUT", ["SHOT", "INNER", "NA"]]],
    "UI": [["Main Menu", "MEDIA/UI/MAIN.LAYOUT", HUD, IN_GAME, 1, 0, 1, "F1"],
           ["other", "MEDIA/UI/DEEP/OTHER.LAYOUT", NONE, NONE, 1, 0, 0, ""]],
}


@pytest.mark.parametrize("options", [[], ["-o", "text=off"]], ids=["compiled", "texts"])
@pytest.mark.parametrize("name", ["NEW.MOD", "NEW.PAK"])
def test_a_mod_is_indexed_without_the_kit(box, name, options):
    made = pack_sources(box, SOURCES, name, *options)
    before = get(made)
    lines = run_index("-n", made)
    assert get(made) == before
    assert sorted(lines) == sorted("MEDIA/%s.RAW: added: %s" % (kind, file_column(kind, row))
                                   for kind, rows in EXPECTED.items() for row in rows)
    assert read_output(made) == ([], [])  # nothing is missing in the index
    a = Archive(made, made + ".MAN" if name.endswith("PAK") else None)
    for kind in KINDS:
        assert tlread.raw(kind, a.one("MEDIA/%s.RAW" % kind)) == EXPECTED[kind], kind
    before = get(made), os.stat(made).st_mtime_ns, os.stat(made).st_ino
    assert run_index("-n", made) == run_index("-v", made) == []
    assert (get(made), os.stat(made).st_mtime_ns, os.stat(made).st_ino) == before


def pack(box, *args):
    r = subprocess.run([places.BINARY, "pack", *args], capture_output=True, text=True, timeout=120)
    assert r.returncode == 0, r.stderr
    return r.stderr.splitlines()


def test_a_save_reports_files_that_an_index_does_not_list(box):
    made = pack_sources(box, {**SOURCES, "MEDIA/SKILLS.RAW": run(places.BINARY, "cat", pack_sources(box, SOURCES, "X.MOD", "--index"),
                                                           "MEDIA/SKILLS.RAW")})
    below = {"UNITDATA": "UNITS", "ROOMPIECES": "LEVELSETS"}
    reported = []
    for kind, rows in sorted(EXPECTED.items()):
        what = (below.get(kind, kind), kind, file_column(kind, rows[0]))
        if kind == "SKILLS":
            continue
        if len(rows) == 1:
            reported.append("1 file below MEDIA/%s/ is not in %s.RAW (%s), so the game does not see it "
                        "(use mapfs index to list it)" % what)
        else:
            reported.append("%d files below MEDIA/%s/ are not in %s.RAW (%s), so the game does not see them "
                        "(use mapfs index to list them)" % (len(rows), *what))
    again = pack(box, write_sources(box, {"MEDIA/SOUNDS/A.DAT": unit("NAME:a")}), "--onto", made)
    assert again == ["mapfs: %s: note: %s" % (made, line) for line in reported]


def test_a_missing_index_is_one_line(box):
    made = os.path.join(box.maps, "NEW.MOD")
    box.allow("NEW.MOD")
    files = sum(map(len, EXPECTED.values()))
    first = file_column("AFFIXES", EXPECTED["AFFIXES"][0])
    assert pack(box, write_sources(box, SOURCES), made) == [
        "mapfs: %s: note: no index, so the game does not see %d files (%s): use mapfs index or mapfs pack --index"
        % (made, files, first)]


@pytest.mark.parametrize("name", ["NEW.MOD", "NEW.PAK"])
def test_pack_with_indexes_equals_index_after_pack(box, name):
    after, at_once = pack_sources(box, SOURCES, name), os.path.join(box.maps, "AT_ONCE" + name[3:])
    box.allow(os.path.basename(at_once), os.path.basename(at_once) + ".MAN")
    _, stderr = read_output(after)
    assert [re.sub("AT_ONCE", "NEW", line) for line in pack(box, "--index", write_sources(box, SOURCES), at_once)] == stderr
    assert run_index("-n", at_once) == []
    for kind in KINDS:
        a = Archive(at_once, at_once + ".MAN" if name.endswith("PAK") else None)
        assert tlread.raw(kind, a.one("MEDIA/%s.RAW" % kind)) == EXPECTED[kind], kind


def test_pack_makes_no_indexes_for_other_formats(box):
    path = os.path.join(box.maps, "x.tcm")
    r = subprocess.run([places.BINARY, "pack", "--index", write_sources(box, {"info.json": "{}"}), path], capture_output=True, text=True, timeout=120)
    assert (r.returncode, os.path.exists(path)) == (2, False)
    assert r.stderr == "mapfs: %s: index is not supported for this format\n" % path


def test_index_reads_texts_of_the_kit(box):
    text = unit("NAME:é", "UNIT_GUID:5", "UNITTYPE:X").replace("\n", "\r\n")
    made = pack_sources(box, {"media/units/items/a.dat": b"\xff\xfe" + text.encode("utf-16-le")}, "NEW.MOD",
                  "-o", "text=off")
    run_index(made)
    assert read_rows(made, "UNITDATA") == [
        ["ITEMS", 5, "é", UNITS + "ITEMS/A.DAT", 0, 1, 0, 0, 1, 1, "X"]]


@pytest.mark.parametrize("name", MODS)
def test_the_indexes_of_real_mods_stay(box, name):
    made = add_corpus(box, name)
    before = get(made)
    assert set(run_index("-n", made)) == DIFFER.get(name, set())
    assert get(made) == before


@pytest.mark.parametrize("name", MODS)
def test_the_indexes_of_real_mods_are_made_from_nothing(box, name):
    made = add_corpus(box, name)
    theirs = {kind: read_rows(made, kind, ours=False) for kind in KINDS}
    assert sum(map(len, theirs.values())) == ROWS[name]
    run(places.BINARY, "rm", made, "MEDIA/*.RAW")
    assert not any(read_rows(made, kind) for kind in KINDS)
    run_index(made)
    more = {re.sub(".*: added: ", "", line) for line in DIFFER.get(name, set())}
    differ = {}
    for kind, rows in theirs.items():
        ours = [r for r in read_rows(made, kind) if file_column(kind, r) not in more]
        assert [file_column(kind, r) for r in ours] == [file_column(kind, r) for r in rows]
        for a, b in zip(rows, ours):
            for cell, (x, y) in enumerate(zip(a, b)):
                if x != y:
                    differ[kind, file_column(kind, a), cell] = x, y
    assert differ == OF_THE_GAME.get(name, {})


def replace_index(box, made, kind, rows):
    """Put a table into the archive: cells that are not texts are numbers."""
    head = run(places.BINARY, "cat", made, "MEDIA/%s.RAW" % kind).split("\n")[0]
    table = os.path.join(box.root, "table")
    with open(table, "w") as f:
        f.write(head + "\n" + "".join("\t".join(map(str, r)) + "\n" for r in rows))
    run(places.BINARY, "put", made, "MEDIA/%s.RAW" % kind, table)


def test_rows_without_a_source_stay(box):
    made = pack_sources(box, {"media/skills/b.dat": unit("NAME:b", "<INTEGER64>UNIQUE_GUID:2", kind="SKILL")})
    run_index(made)
    replace_index(box, made, "SKILLS", [["Z", "MEDIA/SKILLS/Z.DAT", 9], ["OLD", "MEDIA/SKILLS/B.DAT", 2],
                                    ["A", "MEDIA/SKILLS/A.DAT", 1], ["B", "media/skills/b.dat", 2]])
    assert run_index("-nv", made) == [
        "MEDIA/SKILLS.RAW: kept: MEDIA/SKILLS/Z.DAT: not in the archive",
        "MEDIA/SKILLS.RAW: changed: MEDIA/SKILLS/B.DAT: name OLD -> B",
        "MEDIA/SKILLS.RAW: kept: MEDIA/SKILLS/A.DAT: not in the archive",
        "MEDIA/SKILLS.RAW: removed: media/skills/b.dat: listed twice"]
    run_index(made)
    assert read_rows(made, "SKILLS") == [
        ["Z", "MEDIA/SKILLS/Z.DAT", 9], ["B", "MEDIA/SKILLS/B.DAT", 2], ["A", "MEDIA/SKILLS/A.DAT", 1]]
    run_index("--exact", made)
    assert read_rows(made, "SKILLS") == [["B", "MEDIA/SKILLS/B.DAT", 2]]
    run(places.BINARY, "rm", made, "MEDIA/SKILLS/B.DAT")
    run_index("--exact", made)
    assert read_rows(made, "SKILLS") == []


def test_values_from_the_games_files_stay(box):
    """The base is not in the archive: fields that neither file has are taken from the old row."""
    base = "BASEFILE:media/units/monsters/base.dat"
    sources = {"media/units/monsters/m.dat": unit(base, "NAME:m", "UNIT_GUID:4"),
               "media/units/items/i.dat": unit(base, "NAME:i", "UNIT_GUID:5", "UNITTYPE:X")}
    made = pack_sources(box, sources)
    out, err = read_output(made)
    assert out == []
    assert err == ["mapfs: %s: %sMONSTERS/M.DAT: no UNITTYPE: media/units/monsters/base.dat is not in "
                   "the archive" % (made, UNITS)]
    item = ["ITEMS", 5, "I", UNITS + "ITEMS/I.DAT", 1, 1, 0, 0, 1, 1, "X"]
    assert read_rows(made, "UNITDATA") == [
        item, ["MONSTERS", 4, "M", UNITS + "MONSTERS/M.DAT", 0, 1, 0, 0, 1, 1, ""]]
    reported = ["MONSTERS", 4, "M", UNITS + "MONSTERS/M.DAT", 2, 5, 6, 7, 8, 9, "BEAST"]
    replace_index(box, made, "UNITDATA", [item, reported])
    assert read_output(made) == ([], [])
    assert read_rows(made, "UNITDATA") == [item, reported]
    # Fields of the unit itself count, also with the default value.
    sources["media/units/monsters/m.dat"] = unit(
        base, "NAME:m", "UNIT_GUID:4", "<INTEGER>LEVEL:1", "<INTEGER>RARITY:3", "UNITTYPE:rat", "SET:s")
    run(places.BINARY, "pack", write_sources(box, sources), "--onto", made)
    assert run_index("-v", made)[0] == ("MEDIA/UNITDATA.RAW: changed: " + UNITS + "MONSTERS/M.DAT: level 5 -> 1, "
                                    "rarity 8 -> 3, unittype BEAST -> RAT")
    assert read_rows(made, "UNITDATA") == [
        item, ["MONSTERS", 4, "M", UNITS + "MONSTERS/M.DAT", 2, 1, 6, 7, 3, 9, "RAT"]]


def test_a_rarity_of_all_game_modes_stays(box):
    sources = {"media/units/items/i.dat": unit("BASEFILE:x.dat", "NAME:i", "UNIT_GUID:5", "UNITTYPE:X",
                                               "<INTEGER>RARITY:4")}
    made = pack_sources(box, sources)
    run_index(made)
    sources["media/units/items/i.dat"] = sources["media/units/items/i.dat"].replace(":4", ":6")
    run(places.BINARY, "pack", write_sources(box, sources), "--onto", made)
    run_index(made)
    assert read_rows(made, "UNITDATA")[0][8:10] == [6, 6]


def test_rows_that_the_kit_does_not_list_are_removed(box):
    sources = {"media/units/items/i.dat": unit("NAME:i", "UNIT_GUID:5", "UNITTYPE:X")}
    made = pack_sources(box, sources)
    run_index(made)
    sources["media/units/items/i.dat"] = unit("NAME:i", "UNIT_GUID:5", "UNITTYPE:X", "<BOOL>DONTCREATE:true")
    run(places.BINARY, "pack", write_sources(box, sources), "--onto", made)
    assert run_index("-n", made) == [
        "MEDIA/UNITDATA.RAW: removed: %sITEMS/I.DAT: DONTCREATE is set" % UNITS]


def test_a_cycle_of_bases_ends(box):
    made = pack_sources(box, {
        "media/units/items/a.dat": unit("BASEFILE:media/units/items/b.dat", "NAME:a", "UNIT_GUID:1", "UNITTYPE:T"),
        "media/units/items/b.dat": unit("BASEFILE:media/units/items/a.dat", "NAME:b", "UNIT_GUID:2")})
    run_index(made)
    assert [r[-1] for r in read_rows(made, "UNITDATA")] == ["T", "T"]


def test_a_file_that_cannot_be_read_keeps_its_row(box):
    body = {"A": b"neither", "B": b"no text either"}
    rows = struct.pack("<I", 1) + tlwrite.ss("A") + tlwrite.ss("MEDIA/SKILLS/A.DAT") + struct.pack("<q", 7)
    made = box.add(tlwrite.mod([("MEDIA/SKILLS/", k + ".DAT", v, False) for k, v in body.items()]
                               + [("MEDIA/", "SKILLS.RAW", rows, False)]), "S.MOD")
    before = get(made)
    out, err = read_output("-v", made, code=5)
    assert out == [] and len(err) == 2
    assert all(re.match(r"mapfs: .*S.MOD: MEDIA/SKILLS/[AB].DAT: ", line) for line in err)
    assert get(made) == before


def test_an_invalid_index_is_refused(box):
    skill = unit("NAME:b", "<INTEGER64>UNIQUE_GUID:2", kind="SKILL").encode()
    made = box.add(tlwrite.mod([("MEDIA/SKILLS/", "B.DAT", skill, False), ("MEDIA/AFFIXES/", "B.DAT", skill, False),
                                ("MEDIA/", "SKILLS.RAW", b"\1\0\0\0\0", False)]), "S.MOD")
    before = get(made)
    out, err = read_output(made, code=4)
    assert out == [] and "MEDIA/SKILLS.RAW is not an index: " in err[0]
    assert get(made) == before


def test_the_first_of_two_files_of_one_name_counts(box):
    one, two = (unit("NAME:" + n, "<INTEGER64>UNIQUE_GUID:2", kind="SKILL").encode() for n in "ab")
    made = box.add(tlwrite.mod([("MEDIA/SKILLS/", "X.DAT", one, False), ("MEDIA/SKILLS/", "X.DAT", two, False)]),
                   "S.MOD")
    run_index(made)
    assert read_rows(made, "SKILLS") == [["A", "MEDIA/SKILLS/X.DAT", 2]]


def test_maps_of_other_formats_have_no_index(box):
    made = os.path.join(box.maps, "a.tcm")
    path = CORPUS.parent / "triclon"
    maps = sorted(path.glob("*.tcm"))
    if not maps:
        pytest.skip(places.NO_SHARED)
    box.add(maps[0].read_bytes(), "a.tcm")
    assert read_output(made, code=2)[1][-1:] == ["mapfs: %s: index is not supported for this format" % made]


def test_a_mounted_archive_is_busy_only_for_changes(box):
    made = pack_sources(box, {"media/skills/b.dat": unit("NAME:b", "<INTEGER64>UNIQUE_GUID:2", kind="SKILL")})
    m = box.mount(made)
    assert run_index("-n", made) == ["MEDIA/SKILLS.RAW: added: MEDIA/SKILLS/B.DAT"]
    read_output(made, code=7)
    m.unmount()


@pytest.mark.parametrize("args", [[], ["a", "b"], ["--no", "a"], ["-n"]])
def test_a_wrong_command_line_is_refused(args):
    read_output(*args, code=1)
