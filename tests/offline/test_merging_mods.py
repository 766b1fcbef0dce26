# SPDX-License-Identifier: Zlib
"""mapfs merge joins two mods of one game: the game's PAK is the ancestor, of which a mod has only a part."""
import json
import struct

import pytest

import folder  # noqa: F401  (finds the writer of Torchlight II files)
import tlread
import tlwrite
from box import get
from maps import good, run

TEXT = "".join("line %d\n" % i for i in range(9))
GAME = {"BOTH.TXT": TEXT, "OURS.TXT": "game\n", "THEIRS.TXT": "game\n", "NEITHER.TXT": "game\n", "SAME.TXT": TEXT}


def encode(content):
    return content if isinstance(content, bytes) else content.encode()


def write_pak(path, files):
    pak = tlwrite.Pak()
    entries = [tlwrite.entry(n, pak.add(encode(b)), encode(b), 6, 131000000000000000) for n, b in files.items()]
    path.write_bytes(pak.finish())
    path.with_name(path.name + ".MAN").write_bytes(tlwrite.manifest([("MEDIA/", entries)]))


def write_mod(path, files, removed=(), **header):
    path.write_bytes(tlwrite.mod([("MEDIA/", n, encode(b), False) for n, b in files.items()], removed, **header))


@pytest.fixture
def mods(tmp_path):
    """A function that merges two mods of the game, each with files and a header."""
    def merge(ours, theirs, code=0, headers=({}, {}), game=GAME):
        write_pak(tmp_path / "DATA.PAK", game)
        for name, files, header in zip(("ours.mod", "theirs.mod"), (ours, theirs), headers):
            write_mod(tmp_path / name, files, **header)
        names = [str(tmp_path / n) for n in ("DATA.PAK", "ours.mod", "theirs.mod", "out.mod")]
        r = run("merge", *names)
        assert r.returncode == code, r.stderr
        return r.stderr.decode(), names[3]
    return merge


def shown(out):
    """The files of a mod: name to content. The names are also in its tables, by an independent reader."""
    data = get(out)
    entries = [e["name"] for _, dir_entries in tlread.manifest(data[tlread.modheader(data)["offman"]:])["dirs"]
               for e in dir_entries]
    names = good("ls", out, "MEDIA").stdout.decode().split()
    assert set(names) <= set(entries)
    return {n: good("cat", out, "MEDIA/" + n).stdout.decode() for n in names}


def test_files_of_the_game_that_a_mod_does_not_have_are_not_removed(mods):
    said, out = mods({"OURS.TXT": "ours\n"}, {"THEIRS.TXT": "theirs\n"})
    assert shown(out) == {"OURS.TXT": "ours\n", "THEIRS.TXT": "theirs\n"}
    assert "conflict" not in said


def test_a_text_that_both_mods_change_is_merged_with_the_text_of_the_game(mods):
    ours, theirs = TEXT.replace("line 1\n", "ours\n"), TEXT.replace("line 7\n", "theirs\n")
    _, out = mods({"BOTH.TXT": ours, "SAME.TXT": TEXT}, {"BOTH.TXT": theirs, "SAME.TXT": theirs})
    assert shown(out) == {"BOTH.TXT": ours.replace("line 7\n", "theirs\n"), "SAME.TXT": theirs}


def test_a_text_that_both_mods_change_at_one_place_is_a_conflict(mods):
    said, out = mods({"BOTH.TXT": TEXT.replace("4", "ours")}, {"BOTH.TXT": TEXT.replace("4", "theirs")}, code=1)
    assert "conflict: MEDIA/BOTH.TXT: " in said and said.count("conflict") == 1
    assert shown(out) == {"BOTH.TXT": TEXT.replace("4", "ours")}


def test_a_text_that_the_game_does_not_have_has_no_ancestor(mods):
    said, out = mods({"NEW.TXT": TEXT}, {"NEW.TXT": "other\n"}, code=1)
    assert "conflict: MEDIA/NEW.TXT: " in said
    assert shown(out) == {"NEW.TXT": TEXT}


def skills(**guids):
    """A SKILLS.RAW as the game has it: a name, a file and a number of each skill."""
    rows = [tlwrite.ss(name) + tlwrite.ss(name + ".DAT") + struct.pack("<q", guid) for name, guid in guids.items()]
    return struct.pack("<I", len(rows)) + b"".join(rows)


def test_an_index_of_a_mod_has_its_own_rows_alone(mods):
    index = {"SKILLS.RAW": skills(GAME1=1, GAME2=2, GAME3=3)}
    said, out = mods({"SKILLS.RAW": skills(GAME1=1, OURS=4)}, {"SKILLS.RAW": skills(THEIRS=5, GAME3=3)}, game=index)
    assert said == ""
    rows = [line.split("\t") for line in good("cat", out, "MEDIA/SKILLS.RAW").stdout.decode().splitlines()[1:]]
    assert {name: int(guid) for name, _, guid in rows} == {"GAME1": 1, "OURS": 4, "THEIRS": 5, "GAME3": 3}


def test_the_header_stays_and_the_other_one_is_reported(mods):
    one = {"strings": ("One", "Ann", "same", "", ""), "modver": 3, "modid": 11}
    two = {"strings": ("Two", "Bob", "same", "", ""), "modver": 4, "modid": 22, "reqs": [("Base", 7, 1)]}
    said, out = mods({"OURS.TXT": "ours\n"}, {"THEIRS.TXT": "theirs\n"}, headers=(one, two))
    info = json.loads(good("cat", out, ".mod/info.json").stdout)
    assert [info[k] for k in ("title", "author", "version", "id", "requirements")] == ["One", "Ann", 3, 11, []]
    notes = [line for line in said.splitlines() if ".mod/info.json" in line]
    assert len(notes) == 1 and "note: .mod/info.json: " in notes[0], said
    assert notes[0].split("differs in ")[1].split(", ") == ["title", "author", "version", "id", "requirements"]


def test_equal_headers_are_not_reported(mods):
    said, _ = mods({"OURS.TXT": "ours\n"}, {"THEIRS.TXT": "theirs\n"})
    assert said == ""


def test_removal_lists_are_joined(mods):
    _, out = mods({"OURS.TXT": "ours\n"}, {"THEIRS.TXT": "theirs\n"},
                  headers=({"removed": ["MEDIA/A.TXT", "MEDIA/BOTH.TXT"]}, {"removed": ["MEDIA/B.TXT", "MEDIA/BOTH.TXT"]}))
    assert sorted(good("cat", out, ".mod/removed.txt").stdout.decode().split()) == [
        "MEDIA/A.TXT", "MEDIA/B.TXT", "MEDIA/BOTH.TXT"]


def test_only_the_base_may_be_an_archive(tmp_path):
    write_pak(tmp_path / "DATA.PAK", GAME)
    write_mod(tmp_path / "a.mod", {"OURS.TXT": "ours\n"})
    pak, mod = str(tmp_path / "DATA.PAK"), str(tmp_path / "a.mod")
    for names in ((mod, mod, pak), (mod, pak, mod), (pak, pak, mod)):
        r = run("merge", *names, str(tmp_path / "out.mod"))
        assert r.returncode == 128 + 2 and b"another format" in r.stderr, r.stderr
    assert not (tmp_path / "out.mod").exists()


@pytest.mark.parametrize("remover, words", [("ours", "removed by ours and changed by theirs (restored)"),
                                             ("theirs", "changed by ours and removed by theirs (not removed)")])
def test_a_file_that_one_mod_removes_from_the_game_and_the_other_changes_stays(mods, remover, words):
    sides = [({"OURS.TXT": "ours\n"}, {"removed": ["MEDIA/BOTH.TXT", "MEDIA/NEITHER.TXT"]}), ({"BOTH.TXT": TEXT + "more\n"}, {})]
    if remover == "theirs":
        sides.reverse()
    said, out = mods(sides[0][0], sides[1][0], code=1, headers=(sides[0][1], sides[1][1]))
    assert [line.split("conflict: ")[1] for line in said.splitlines() if "conflict" in line] == ["MEDIA/BOTH.TXT: " + words]
    assert shown(out) == {"OURS.TXT": "ours\n", "BOTH.TXT": TEXT + "more\n"}
    assert good("cat", out, ".mod/removed.txt").stdout == b"MEDIA/NEITHER.TXT\n"
