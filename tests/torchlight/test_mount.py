# SPDX-License-Identifier: Zlib
"""Mounted archives as ordinary programs see and change them, and the archives that the game would get."""
import errno
import json
import os
import pathlib
import shutil
import struct
import zlib

import pytest

import box as boxes
import shims
import tlread
import tlwrite
from archives import Archive, dat, large_mod, small_mod, text_dat
from tlbox import MODS, add_corpus, add_pak, corpus, require_program, run, sync


@pytest.mark.parametrize("name", MODS)
def test_every_file_has_its_bytes_and_time(box, name):
    path = add_corpus(box, name)
    m = box.mount(path, opts="text=off")
    want = Archive(path, ours=False)
    for full, bodies in want.files.items():
        stem, dot, ending = full.rpartition(".")
        for i, body in enumerate(bodies):
            shown = full if i == 0 else "%s~%d%s%s" % (stem, i + 1, dot, ending)
            assert m.get(shown) == body
            assert os.stat(m / shown).st_size == len(body)
        time = want.times[full]
        if time and len(bodies) == 1:
            assert os.stat(m / full).st_mtime_ns == (time - 116444736000000000) * 100
    files, _ = m.walk()
    assert len(files) == sum(map(len, want.files.values())) + 2  # .mod
    assert set(m.get(".mod/removed.txt").decode().split("\n")[:-1]) == set(want.removed)
    before = boxes.get(path)
    run("grep", "-r", "no such text in any mod", m.point, code=1)
    m.unmount()
    assert boxes.get(path) == before


@pytest.mark.parametrize("stem", ["pak/FLASKS", "pak/ADVENTURE_MODE", "pak_v0/FLASKS"])
def test_a_pak_shows_the_files_of_its_manifest(box, stem):
    pak, man = add_pak(box, stem)
    m = box.mount(pak, opts="text=off")
    section, table = boxes.get(pak), tlread.manifest(boxes.get(man))
    for path, entries in table["dirs"]:
        for e in entries:
            if e["offset"]:
                assert m.get(path + e["name"]) == tlread.block(section, e["offset"])[0]
    m.unmount()


def test_a_name_is_found_in_any_case(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    assert m.get("media/units/a.dat") == text_dat("a")
    assert m.get("Media/Units/b.Dat") == m.get("MEDIA/UNITS/B.DAT")
    os.unlink(m / "media/units/a.dat")
    assert not os.path.exists(m / "MEDIA/UNITS/A.DAT")
    m.put("MEDIA/readme.txt", b"changed\n")
    m.unmount()
    a = Archive(m.map)
    assert "MEDIA/UNITS/A.DAT" not in a.files
    assert a.one("MEDIA/README.TXT") == b"changed\n"


def test_texts_equal_those_of_the_corpus_pairs(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    assert m.get("MEDIA/UNITS/A.DAT") == text_dat("a")
    assert sorted(os.listdir(m / "MEDIA/UNITS")) == [
        "A.DAT", "B.DAT", "PIC.JPG"]
    m.unmount()
    m = box.mount(m.map, opts="text=utf16")
    assert m.get("MEDIA/UNITS/A.DAT") == b"\xff\xfe" + text_dat("a").decode().replace(
        "\n", "\r\n").encode("utf-16-le")
    m.unmount()


def test_sed_on_a_text_recompiles_the_file_with_right_checksums(box):
    m = box.mount(add_corpus(box, "flasks.mod"))
    before = Archive(m.map)
    texts = sorted(pathlib.Path(m.point).rglob("*FLASK*.DAT"))
    assert len(texts) > 3
    run("sed", "-i", "s/LEVEL:.*/LEVEL:7/", texts[0])
    changed = str(texts[0].relative_to(m.point))
    m.unmount()
    after = Archive(m.map)
    assert set(after.files) == set(before.files) and after.order == before.order
    assert [f for f in after.files if after.files[f] != before.files[f]] == [changed]
    assert before.head["reqs"] == after.head["reqs"] and before.head["modid"] == after.head["modid"]
    m = box.mount(m.map)
    assert b"LEVEL:7" in m.get(changed)
    m.unmount()


def test_text_and_compiled_content_can_be_written(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    assert os.stat(m / "MEDIA/UNITS/A.DAT").st_size == len(text_dat("a"))
    m.put("MEDIA/UNITS/A.DAT", dat("longer name", 77))
    assert m.get("MEDIA/UNITS/A.DAT") == dat("longer name", 77)
    assert os.stat(m / "MEDIA/UNITS/A.DAT").st_size == len(dat("longer name", 77))
    sync(m)
    assert m.get("MEDIA/UNITS/A.DAT") == text_dat("longer name", 77)
    assert os.stat(m / "MEDIA/UNITS/A.DAT").st_size == len(text_dat("longer name", 77))
    m.put("MEDIA/UNITS/B.DAT", text_dat("ü", 5))
    assert m.get("MEDIA/UNITS/B.DAT") == text_dat("ü", 5)
    m.unmount()
    a = Archive(m.map)
    assert a.one("MEDIA/UNITS/A.DAT") == dat("longer name", 77)
    assert tlread.bindat(a.one("MEDIA/UNITS/B.DAT"))["root"] == tlread.bindat(dat("ü", 5))["root"]


def test_a_refused_text_names_the_wrong_line(box):
    box.allow("*.mapfs-left")
    m = box.mount(box.add(small_mod(), "S.MOD"))
    before = boxes.get(m.map)
    assert boxes.refused(m.put, "MEDIA/UNITS/A.DAT", b"[UNIT]\n[/OTHER]\n") == errno.EINVAL
    assert "line 2" in m.xattr("MEDIA/UNITS/A.DAT", "user.mapfs.error")
    m.unmount(code=5)
    assert boxes.get(m.map) == before


def test_removed_files_are_listed_in_one_file(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    assert m.get(".mod/removed.txt") == b"MEDIA/UNITS/GONE.DAT\nMEDIA/OLD/X.LAYOUT\n"
    written = b"MEDIA/UNITS/GONE.DAT\n\nmedia\\skills\\s.dat\r\n"
    m.put(".mod/removed.txt", written)
    assert m.get(".mod/removed.txt") == written
    sync(m)
    assert m.get(".mod/removed.txt") == b"MEDIA/UNITS/GONE.DAT\nMEDIA/SKILLS/S.DAT\n"
    assert boxes.refused(m.put, ".mod/removed.txt", b"nothing\n") == errno.EINVAL
    os.removexattr(m / ".mod/removed.txt", "user.mapfs.error")
    m.unmount()
    a = Archive(m.map)
    assert a.head["dels"] == ["MEDIA/UNITS/GONE.DAT", "MEDIA/SKILLS/S.DAT"]
    assert a.section.endswith(b"\0" * 8)


def test_a_title_that_json_cannot_hold_stays_until_it_is_changed(box):
    m = box.mount(box.add(small_mod(strings=("A\ud800B", "me", "", "", "")), "S.MOD"))
    info = json.loads(m.get(".mod/info.json"))
    m.put(".mod/info.json", json.dumps(dict(info, author="you")).encode())
    sync(m)
    assert Archive(m.map).head["title"] == "A\ud800B" and Archive(m.map).head["author"] == "you"
    m.put(".mod/info.json", b'{"title": "new"}')
    assert m.unmount().out == "saved: .mod/info.json\n"
    assert Archive(m.map).head["title"] == "new"


def test_the_header_is_edited_as_json(box):
    path = add_corpus(box, "flasks.mod")
    old = tlread.modheader(boxes.get(path))
    m = box.mount(path)
    info = json.loads(m.get(".mod/info.json"))
    assert (info["title"], info["id"]) == (old["title"], old["modid"])
    info.update(title="天 a longer title than before", version=info["version"] + 1)
    m.put(".mod/info.json", json.dumps(info).encode())
    assert json.loads(m.get(".mod/info.json")) == info
    m.unmount()
    a = Archive(path)
    assert (a.head["title"], a.head["modver"]) == (info["title"], info["version"])
    assert a.head["modid"] == old["modid"] and a.head["gamever"] == old["gamever"]
    m = box.mount(path)
    info["requirements"] = [{"name": "x", "id": 1, "version": 1}]
    assert boxes.refused(m.put, ".mod/info.json", json.dumps(info).encode()) == errno.EINVAL
    os.removexattr(m / ".mod/info.json", "user.mapfs.error")
    m.unmount()


def test_git_works_beside_a_mounted_mod(box):
    installed = require_program("git")
    m = box.mount(box.add(small_mod(), "S.MOD"))
    repo = os.path.join(box.home, "repo.git")

    def git(*args):
        return run(installed, "--git-dir=" + repo, "--work-tree=" + m.point, "-c", "user.name=t",
                   "-c", "user.email=t@t", *args, cwd=m.point)
    git("init", "-q")
    git("add", "MEDIA/UNITS/A.DAT")
    git("commit", "-qm", "one")
    m.put("MEDIA/UNITS/A.DAT", text_dat("second", 2))
    assert "+\t<STRING>NAME:second" in git("diff")
    git("commit", "-qam", "two")
    git("checkout", "-q", "HEAD~1", "--", "MEDIA/UNITS/A.DAT")
    assert m.get("MEDIA/UNITS/A.DAT") == text_dat("a")
    m.unmount()


def test_a_wrong_crc_is_eio_for_that_file_only(box):
    data = bytearray(small_mod())
    sum_ = struct.pack("<I", zlib.crc32(dat("a")))
    at = data.index(sum_)
    data[at] ^= 1
    m = box.mount(box.add(bytes(data), "S.MOD"))
    assert boxes.refused(m.get, "MEDIA/UNITS/A.DAT") == errno.EIO
    assert m.get("MEDIA/UNITS/B.DAT") == text_dat("b", 2)
    m.put("MEDIA/README.TXT", b"other\n")
    r = m.unmount()
    assert "MEDIA/UNITS/A.DAT is damaged" in r.out + r.err
    m = box.mount(m.map)
    assert boxes.refused(m.get, "MEDIA/UNITS/A.DAT") == errno.EIO
    m.put("MEDIA/UNITS/A.DAT", dat("repaired"))
    sync(m)
    assert m.get("MEDIA/UNITS/A.DAT") == text_dat("repaired")
    m.unmount()
    assert Archive(m.map).one("MEDIA/UNITS/A.DAT") == dat("repaired")


def test_an_archive_without_checksums_is_read_and_keeps_none(box):
    data = bytearray(small_mod())
    for body in (dat("a"), dat("b", 2)):
        at = data.index(struct.pack("<I", zlib.crc32(body)))
        data[at:at + 4] = bytes(4)  # RGLib writes 0 for each file
    m = box.mount(box.add(bytes(data), "S.MOD"))
    assert m.get("MEDIA/UNITS/A.DAT") == text_dat("a")
    before = m.get("MEDIA/UNITS/B.DAT")
    m.put("MEDIA/UNITS/B.DAT", text_dat("b", 7))
    m.put("MEDIA/UNITS/B.DAT", before)
    assert m.unmount().out == ""
    assert boxes.get(m.map) == bytes(data)
    m = box.mount(m.map)
    m.put("MEDIA/UNITS/A.DAT", dat("new"))
    assert m.unmount().out.splitlines() == ["saved: MEDIA/UNITS/A.DAT"]
    data = boxes.get(m.map)
    dirs = tlread.manifest(data[tlread.modheader(data)["offman"]:])["dirs"]
    crcs = {e["name"]: e["crc"] for _, es in dirs for e in es}
    assert (crcs["A.DAT"], crcs["B.DAT"]) == (zlib.crc32(dat("new")), 0)


def test_a_save_copies_unchanged_blocks(box):
    path = add_corpus(box, "Commando.mod")
    before = Archive(path)
    m = box.mount(path)
    m.put("MEDIA/NOTE.TXT", b"one\n", flags=os.O_WRONLY | os.O_CREAT)
    fd = os.open(m.point, os.O_RDONLY)
    os.fsync(fd)
    assert Archive(path).one("MEDIA/NOTE.TXT") == b"one\n"
    m.put("MEDIA/NOTE.TXT", b"two\n")
    os.fsync(fd)
    os.close(fd)
    names = [f for f in before.files if f.endswith(".DAT")][:3]
    for f in names:
        assert len(m.get(f)) == os.stat(m / f).st_size
    os.unlink(m / "MEDIA/NOTE.TXT")
    m.unmount()
    after = Archive(path)
    assert after.files == before.files and after.order == before.order
    assert after.section == before.section


def test_both_files_of_a_pak_are_replaced(box):
    pak, man = add_pak(box)
    before = Archive(pak, man)
    m = box.mount(pak)
    name = sorted(f for f in before.files if f.endswith(".DAT"))[0]
    m.put(name, text_dat("new", 1))
    m.unmount()
    after = Archive(pak, man)
    assert [f for f in after.files if after.files[f] != before.files[f]] == [name]
    assert box.beside() == []


@pytest.mark.parametrize("which", [0, 1])
def test_an_external_change_of_either_file_is_a_conflict(box, which):
    files = add_pak(box)
    m = box.mount(files[0])
    m.put("MEDIA/NEW.OGG", b"new", flags=os.O_WRONLY | os.O_CREAT)
    other = boxes.get(files[which]) + b"x"
    with open(files[which], "wb") as f:
        f.write(other)
    box.allow("F.PAK.mapfs-conflict", "F.PAK.mapfs-conflict.MAN")
    m.unmount(code=6)
    assert boxes.get(files[which]) == other
    conflict = os.path.join(box.maps, "F.PAK.mapfs-conflict")
    assert Archive(conflict, conflict + ".MAN").one("MEDIA/NEW.OGG") == b"new"
    m = box.mount(conflict)
    assert m.get("MEDIA/NEW.OGG") == b"new"
    m.unmount()


def test_a_manifest_is_found_in_any_case_and_a_missing_one_is_reported(box):
    pak = box.add(corpus("pak/FLASKS.PAK").read_bytes(), "f.pak")
    m = box.mount(pak, code=2)
    assert "manifest" in m.result.err and "MAN" in m.result.err
    box.add(corpus("pak/FLASKS.PAK.MAN").read_bytes(), "F.MAN")
    m = box.mount(pak)
    assert os.path.exists(m / "MEDIA/UNITDATA.RAW")
    m.unmount()


@pytest.mark.parametrize("name,data,word", [
    ("HOB.PAK", struct.pack("<HII", 5, 0, 64) + bytes(100), "Hob"),
    ("TL1.PAK", b"PK\3\4" + bytes(100), "ZIP"),
    ("NONE.MOD", bytes(200), "version"),
    ("SHORT.MOD", b"\4\0", "header"),
])
def test_an_archive_of_another_game_is_refused_by_name(box, name, data, word):
    r = box.run(box.add(data, name), box.point())
    assert r.code == 2 and word.lower() in r.err.lower(), r.err


def test_a_wrong_crc_is_reported_when_it_is_found(box):
    data = bytearray(small_mod())
    data[data.index(struct.pack("<I", zlib.crc32(dat("a"))))] ^= 1
    m, p = box.foreground(box.add(bytes(data), "S.MOD"))
    assert boxes.get(p.log) == b""
    assert boxes.refused(m.get, "MEDIA/UNITS/A.DAT") == errno.EIO
    reported = boxes.wait_for(lambda: boxes.get(p.log)).decode()
    assert "MEDIA/UNITS/A.DAT" in reported and "CRC-32" in reported, reported
    m.unmount()
    p.wait(90)


def test_75000_entries_are_listed_without_inflating_anything(box):
    shim = box.shim(shims.Inflate)
    m = box.mount(box.add(large_mod(75000), "BIG.MOD"), shim=shim)
    names = sum(len(f) for _, _, f in os.walk(m.point))
    assert names == 75000 + 2
    assert shim.streams() == []
    assert m.get("MEDIA/D0299/F00249.DAT") == text_dat("x")
    assert {n for n, _ in shim.streams()} == {len(dat("x"))}
    m.unmount()


def test_a_long_listing_gets_sizes_with_the_names(box):
    mod = box.add(large_mod(2500), "BIG.MOD")

    def count_lookups(how):
        m, p = box.foreground(mod, flag="-d")
        assert box.run(how, m.point, program="ls").code == 0
        m.unmount()
        p.wait(90)
        return boxes.get(p.log).count(b"opcode: LOOKUP")

    assert count_lookups("-R") < 10
    # Ten directories have 125 compiled files each; only those of the first are looked up.
    assert 10 < count_lookups("-lR") < 250


def test_an_archive_of_four_gigabytes_mounts(box):
    one = dat("far")
    body = zlib.compress(one, 6)
    far = 0xFFFF0000
    path = os.path.join(box.maps, "HUGE.PAK")
    with open(path, "wb") as f:
        f.write(struct.pack("<II", len(body), 0))
        f.seek(far)
        f.write(struct.pack("<II", len(one), len(body)) + body)
    box.before |= {"HUGE.PAK", "HUGE.PAK.MAN"}
    with open(path + ".MAN", "wb") as f:
        f.write(tlwrite.manifest([("MEDIA/", [tlwrite.entry("F.DAT", far, one, 0)])]))
    m = box.mount(path)
    assert m.get("MEDIA/F.DAT") == text_dat("far")
    m.unmount()
    assert os.stat(path).st_blocks * 512 < 1 << 20


def test_an_editor_can_save_a_text(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    path = m / "MEDIA/UNITS/A.DAT"
    os.rename(path, path + "~")  # a backup by rename, then a new file
    with open(path, "wb") as f:
        f.write(text_dat("edited", 2))
    os.unlink(path + "~")
    shutil.copy(path, m / "MEDIA/UNITS/.A.swp")
    os.unlink(m / "MEDIA/UNITS/.A.swp")
    m.unmount()
    a = Archive(m.map)
    assert tlread.bindat(a.one("MEDIA/UNITS/A.DAT"))["root"] == tlread.bindat(
        dat("edited", 2))["root"]
    assert len(a.files) == 5
