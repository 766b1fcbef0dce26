# SPDX-License-Identifier: Zlib
"""Mounted archives, from outside: what ordinary programs see and do, and what the game would get."""
import errno
import json
import os
import pathlib
import shutil
import struct
import subprocess
import zlib

import pytest

import box as boxes
import places
import shims
import tlread
import tlwrite
from archives import Archive, dat, large_mod, small_mod, text_dat

CORPUS = pathlib.Path(places.SHARED) / "corpus" / "torchlight"
MODS = ["ADVENTURE_MODE.MOD", "CYBER_EDITORMOD_dupname.MOD", "Commando.mod", "XOVER_EDITORMOD.MOD",
        "flasks.mod", "mikuro_packed.MOD", "ref_pet.MOD"]


def corpus(name):
    path = CORPUS / name
    if not path.exists():
        pytest.skip("no shared corpus/torchlight/%s here" % name)
    return path


def run(*argv, code=0, **kw):
    r = subprocess.run([str(a) for a in argv], capture_output=True, text=True, timeout=120, **kw)
    assert r.returncode == code, (argv, r.returncode, r.stdout, r.stderr)
    return r.stdout


def add_corpus(box, name, to=None):
    return box.add(corpus("mods/" + name).read_bytes(), to or name.upper().replace(".MOD", ".MOD"))


def add_pak(box, stem="pak/FLASKS"):
    pak = box.add(corpus(stem + ".PAK").read_bytes(), "F.PAK")
    return pak, box.add(corpus(stem + ".PAK.MAN").read_bytes(), "F.PAK.MAN")


def new(box, name, kind, point="new"):
    path, point = os.path.join(box.maps, name), box.point(point)
    r = box.run("--new", "--format=" + kind, path, point)
    assert r.code == 0, r.err
    box.allow(name, name + ".MAN")
    return boxes.Mount(box, path, point)


@pytest.mark.parametrize("name", MODS)
def test_every_file_of_an_archive_is_there_with_its_bytes_and_time(box, name):
    path = add_corpus(box, name)
    m = box.mount(path)
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
    views = {f for f in files if f.endswith((b".txt", b".tsv"))}
    assert len(files) - len(views) == sum(map(len, want.files.values())) + 1  # info.json
    assert set(m.get(".mod/removed.txt").decode().split("\n")[:-1]) == set(want.removed)
    before = boxes.get(path)
    run("grep", "-r", "no such text in any mod", m.point, code=1)
    m.unmount()
    assert boxes.get(path) == before


@pytest.mark.parametrize("stem", ["pak/FLASKS", "pak/ADVENTURE_MODE", "pak_v0/FLASKS"])
def test_a_pak_shows_what_its_manifest_says(box, stem):
    pak, man = add_pak(box, stem)
    m = box.mount(pak)
    section, table = boxes.get(pak), tlread.manifest(boxes.get(man))
    for path, entries in table["dirs"]:
        for e in entries:
            if e["offset"]:
                assert m.get(path + e["name"]) == tlread.block(section, e["offset"])[0]
    m.unmount()


def test_a_name_is_found_in_any_case(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    assert m.get("media/units/a.dat") == dat("a")
    assert m.get("Media/Units/b.Dat.TXT") == m.get("MEDIA/UNITS/B.DAT.txt")
    os.unlink(m / "media/units/a.dat")
    assert not os.path.exists(m / "MEDIA/UNITS/A.DAT")
    m.put("MEDIA/readme.txt", b"changed\n")
    m.unmount()
    a = Archive(m.map)
    assert "MEDIA/UNITS/A.DAT" not in a.files
    assert a.one("MEDIA/README.TXT") == b"changed\n"


def test_texts_are_those_of_the_pairs(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    assert m.get("MEDIA/UNITS/A.DAT.txt") == text_dat("a")
    assert sorted(os.listdir(m / "MEDIA/UNITS")) == [
        "A.DAT", "A.DAT.txt", "B.DAT", "B.DAT.txt", "PIC.JPG"]
    m.unmount()
    m = box.mount(m.map, opts="text=utf16")
    assert m.get("MEDIA/UNITS/A.DAT.txt") == b"\xff\xfe" + text_dat("a").decode().replace(
        "\n", "\r\n").encode("utf-16-le")
    m.unmount()


def test_sed_on_a_text_recompiles_the_file_and_all_sums_are_right(box):
    m = box.mount(add_corpus(box, "flasks.mod"))
    before = Archive(m.map)
    texts = sorted(pathlib.Path(m.point).rglob("*FLASK*.DAT.txt"))
    assert len(texts) > 3
    run("sed", "-i", "s/LEVEL:.*/LEVEL:7/", texts[0])
    changed = str(texts[0].relative_to(m.point))[:-4]
    assert tlread.bindat(m.get(changed))
    m.unmount()
    after = Archive(m.map)
    assert set(after.files) == set(before.files) and after.order == before.order
    assert [f for f in after.files if after.files[f] != before.files[f]] == [changed]
    assert before.head["reqs"] == after.head["reqs"] and before.head["modid"] == after.head["modid"]
    m = box.mount(m.map)
    assert b"LEVEL:7" in m.get(changed + ".txt")
    m.unmount()


def test_writing_either_name_changes_both(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    assert os.stat(m / "MEDIA/UNITS/A.DAT.txt").st_size == len(text_dat("a"))
    m.put("MEDIA/UNITS/A.DAT", dat("longer name", 77))
    assert m.get("MEDIA/UNITS/A.DAT.txt") == text_dat("longer name", 77)
    assert os.stat(m / "MEDIA/UNITS/A.DAT.txt").st_size == len(text_dat("longer name", 77))
    m.put("MEDIA/UNITS/B.DAT.txt", text_dat("ü", 5))
    assert tlread.bindat(m.get("MEDIA/UNITS/B.DAT"))["root"] == tlread.bindat(dat("ü", 5))["root"]
    m.unmount()
    a = Archive(m.map)
    assert a.one("MEDIA/UNITS/A.DAT") == dat("longer name", 77)
    assert tlread.bindat(a.one("MEDIA/UNITS/B.DAT"))["root"] == tlread.bindat(dat("ü", 5))["root"]


def test_a_text_that_does_not_compile_is_refused_where_it_is_wrong(box):
    box.allow("*.mapfs-left")
    m = box.mount(box.add(small_mod(), "S.MOD"))
    before = boxes.get(m.map)
    assert boxes.refused(m.put, "MEDIA/UNITS/A.DAT.txt", b"[UNIT]\n[/OTHER]\n") == errno.EINVAL
    assert "line 2" in m.xattr("MEDIA/UNITS/A.DAT.txt", "user.mapfs.error")
    m.unmount(code=5)
    assert boxes.get(m.map) == before


def test_what_is_undone_leaves_the_archive_untouched(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    before = boxes.get(m.map), os.stat(m.map).st_mtime_ns
    text = m.get("MEDIA/UNITS/A.DAT.txt")
    m.put("MEDIA/UNITS/A.DAT.txt", text.replace(b"LEVEL:1", b"LEVEL:9"))
    m.put("MEDIA/UNITS/A.DAT.txt", text)
    m.put("MEDIA/NEW.OGG", b"x", flags=os.O_WRONLY | os.O_CREAT)
    os.unlink(m / "MEDIA/NEW.OGG")
    os.rename(m / "MEDIA/README.TXT", m / "MEDIA/R2.TXT")
    os.rename(m / "MEDIA/R2.TXT", m / "MEDIA/README.TXT")
    m.unmount()
    assert (boxes.get(m.map), os.stat(m.map).st_mtime_ns) == before


def test_files_and_directories_come_and_go(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    os.makedirs(m / "MEDIA/sounds/deep")
    os.mkdir(m / "MEDIA/hollow")
    m.put("MEDIA/sounds/deep/boom.ogg", b"OggS", flags=os.O_WRONLY | os.O_CREAT)
    m.put("MEDIA/units/new.dat.txt", text_dat("n", 3), flags=os.O_WRONLY | os.O_CREAT)
    os.rename(m / "MEDIA/UNITS/B.DAT", m / "MEDIA/UNITS/C.DAT")
    os.rename(m / "MEDIA/UNITS/PIC.JPG", m / "MEDIA/sounds/pic.jpg")
    os.unlink(m / "MEDIA/README.TXT")
    m.unmount()
    a = Archive(m.map)
    assert set(a.files) == {"MEDIA/EMPTY.OGG", "MEDIA/UNITS/A.DAT", "MEDIA/UNITS/C.DAT",
                            "MEDIA/UNITS/NEW.DAT", "MEDIA/SOUNDS/PIC.JPG",
                            "MEDIA/SOUNDS/DEEP/BOOM.OGG"}
    assert a.one("MEDIA/UNITS/C.DAT") == dat("b", 2)
    assert tlread.bindat(a.one("MEDIA/UNITS/NEW.DAT"))["root"] == tlread.bindat(
        dat("n", 3))["root"]
    named = {(p, e["name"]) for p, es in a.man["dirs"] for e in es if e["type"] == 7}
    assert {("MEDIA/", "SOUNDS/"), ("MEDIA/SOUNDS/", "DEEP/"), ("MEDIA/", "HOLLOW/")} <= named
    m = box.mount(m.map)
    assert os.listdir(m / "MEDIA/HOLLOW") == []
    assert m.get("MEDIA/UNITS/NEW.DAT.txt") == text_dat("n", 3)
    m.unmount()


@pytest.mark.parametrize("moved", [("B.DAT",), ("B.DAT.txt",), ("B.DAT", "B.DAT.txt"),
                                   ("B.DAT.txt", "B.DAT")])
def test_either_name_renames_the_file(box, moved):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    for name in moved:
        os.rename(m / ("MEDIA/UNITS/" + name), m / ("MEDIA/" + name.replace("B.", "c.")))
    m.unmount()
    a = Archive(m.map)
    assert a.one("MEDIA/C.DAT") == dat("b", 2)
    assert "MEDIA/UNITS/B.DAT" not in a.files and len(a.files) == 5


def test_the_header_of_one_mod_is_taken_over_into_a_new_one(box):
    one = box.mount(box.add(small_mod(reqs=[("needed", 7, 2)]), "ONE.MOD"), point=box.point("one"))
    made = new(box, "TWO.MOD", "torchlight-mod")
    run("cp", "-r", one.point + "/.", made.point)
    made.unmount()
    one.unmount()
    a, b = Archive(one.map), Archive(made.map)
    assert {k: v for k, v in a.head.items() if not k.startswith(("off", "end"))} == {
        k: v for k, v in b.head.items() if not k.startswith(("off", "end"))}
    assert a.files == b.files and sorted(a.removed) == sorted(b.removed)


def test_a_directory_goes_along_with_all_that_is_in_it(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    os.rename(m / "MEDIA/UNITS", m / "MEDIA/things")
    m.put("MEDIA/things/d.dat", dat("d"), flags=os.O_WRONLY | os.O_CREAT)
    m.unmount()
    a = Archive(m.map)
    assert {f for f in a.files if "UNITS" in f} == set()
    assert {"MEDIA/THINGS/A.DAT", "MEDIA/THINGS/D.DAT"} <= set(a.files)
    assert "MEDIA/UNITS/GONE.DAT" in a.head["dels"]


def test_rm_r_takes_a_directory_and_what_is_in_it(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    run("rm", "-r", m / "MEDIA/UNITS")
    assert not os.path.exists(m / "MEDIA/UNITS")
    m.unmount()
    assert set(Archive(m.map).files) == {"MEDIA/README.TXT", "MEDIA/EMPTY.OGG"}


def test_a_directory_that_is_made_again_is_a_new_one(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    run("rm", "-r", m / "MEDIA/UNITS")
    os.mkdir(m / "MEDIA/UNITS")
    m.put("MEDIA/UNITS/B.DAT", dat("new b"), flags=os.O_WRONLY | os.O_CREAT)
    m.unmount()
    a = Archive(m.map)
    assert set(a.files) == {"MEDIA/README.TXT", "MEDIA/EMPTY.OGG", "MEDIA/UNITS/B.DAT"}
    assert a.one("MEDIA/UNITS/B.DAT") == dat("new b")


@pytest.mark.parametrize("order", [("A.DAT", "A.DAT.txt"), ("A.DAT.txt", "A.DAT"), ("A.DAT",)])
def test_rm_of_a_file_deletes_its_entry(box, order):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    for name in order:
        os.unlink(m / ("MEDIA/UNITS/" + name))
    m.unmount()
    assert "MEDIA/UNITS/A.DAT" not in Archive(m.map).files


def test_a_file_that_is_removed_and_written_again_as_text_stands(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    for name in ("A.DAT", "A.DAT.txt"):
        os.unlink(m / ("MEDIA/UNITS/" + name))
    m.put("MEDIA/UNITS/A.DAT.txt", text_dat("again", 4), flags=os.O_WRONLY | os.O_CREAT)
    m.unmount()
    assert tlread.bindat(Archive(m.map).one("MEDIA/UNITS/A.DAT"))["root"] == tlread.bindat(
        dat("again", 4))["root"]


def test_removed_files_are_edited_in_one_list(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    assert m.get(".mod/removed.txt") == b"MEDIA/UNITS/GONE.DAT\nMEDIA/OLD/X.LAYOUT\n"
    m.put(".mod/removed.txt", b"MEDIA/UNITS/GONE.DAT\n\nmedia\\skills\\s.dat\r\n")
    assert m.get(".mod/removed.txt") == b"MEDIA/UNITS/GONE.DAT\nMEDIA/SKILLS/S.DAT\n"
    assert boxes.refused(m.put, ".mod/removed.txt", b"nothing\n") == errno.EINVAL
    os.removexattr(m / ".mod/removed.txt", "user.mapfs.error")
    m.unmount()
    a = Archive(m.map)
    assert a.head["dels"] == ["MEDIA/UNITS/GONE.DAT", "MEDIA/SKILLS/S.DAT"]
    assert a.section.endswith(b"\0" * 8)


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


def tree(mount):
    """{path: bytes} of the files of MEDIA, without their texts."""
    files, _ = mount.walk()
    return {f: mount.get(f.decode()) for f in map(bytes, files)
            if f.startswith(b"MEDIA") and not f.endswith((b".txt", b".tsv"))}


@pytest.mark.parametrize("name", ["flasks.mod", "ADVENTURE_MODE.MOD", "ref_pet.MOD"])
def test_cp_r_converts_a_mod_to_a_pak_and_back(box, name):
    path = add_corpus(box, name, "ORIGINAL.MOD")
    original = Archive(path, ours=False)
    m = box.mount(path)
    want = tree(m)
    p = new(box, "COPY.PAK", "torchlight-pak", "pak")
    run("cp", "-r", m.point + "/.", p.point)
    p.unmount()
    pak = Archive(p.map, p.map + ".MAN")
    assert pak.files == original.files
    assert sorted(pak.removed) == sorted(original.removed)
    m.unmount()
    p = box.mount(p.map, point=box.point("pak"))
    assert tree(p) == want
    back = new(box, "BACK.MOD", "torchlight-mod", "back")
    run("cp", "-r", p.point + "/.", back.point)
    back.unmount()
    p.unmount()
    a = Archive(back.map)
    assert a.files == original.files and sorted(a.removed) == sorted(original.removed)


def test_a_mod_is_made_of_a_directory_of_texts(box):
    source = pathlib.Path(box.home) / "source"
    (source / "media" / "units").mkdir(parents=True)
    for i in range(5):
        (source / "media" / "units" / ("u%d.dat.txt" % i)).write_bytes(text_dat("u%d" % i, i))
    (source / "media" / "pic.jpg").write_bytes(b"jpeg")
    m = new(box, "MADE.MOD", "torchlight-mod")
    run("cp", "-r", str(source) + "/.", m.point)
    m.unmount()
    a = Archive(m.map)
    assert set(a.files) == {"MEDIA/PIC.JPG"} | {"MEDIA/UNITS/U%d.DAT" % i for i in range(5)}
    assert a.head["ver"] == 4 and a.head["title"] == "MADE" and a.head["modid"]
    assert tlread.bindat(a.one("MEDIA/UNITS/U3.DAT"))["root"] == tlread.bindat(
        dat("u3", 3))["root"]


def test_two_mods_are_merged_by_copying_one_onto_the_other(box):
    one = box.mount(box.add(small_mod(), "ONE.MOD"), point=box.point("one"))
    other = tlwrite.mod([("MEDIA/UNITS/", "B.DAT", dat("other b", 9), False),
                         ("MEDIA/MORE/", "Z.DAT", dat("z"), False)], modid=77)
    two = box.mount(box.add(other, "TWO.MOD"), point=box.point("two"))
    differ = run("diff", "-rq", one / "MEDIA", two / "MEDIA", code=1)
    assert "B.DAT.txt" in differ and "Only in" in differ
    run("cp", "-r", two / "MEDIA", one.point)
    two.unmount()
    one.unmount()
    a = Archive(one.map)
    assert set(a.files) == {"MEDIA/UNITS/A.DAT", "MEDIA/UNITS/B.DAT", "MEDIA/UNITS/PIC.JPG",
                            "MEDIA/README.TXT", "MEDIA/EMPTY.OGG", "MEDIA/MORE/Z.DAT"}
    assert a.one("MEDIA/UNITS/B.DAT") == dat("other b", 9)
    assert a.head["modid"] == -5


def test_git_works_beside_a_mounted_mod(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    repo = os.path.join(box.home, "repo.git")

    def git(*args):
        return run("git", "--git-dir=" + repo, "--work-tree=" + m.point, "-c", "user.name=t",
                   "-c", "user.email=t@t", *args, cwd=m.point)
    git("init", "-q")
    git("add", "MEDIA/UNITS/A.DAT.txt")
    git("commit", "-qm", "one")
    m.put("MEDIA/UNITS/A.DAT.txt", text_dat("second", 2))
    assert "+\t<STRING>NAME:second" in git("diff")
    git("commit", "-qam", "two")
    git("checkout", "-q", "HEAD~1", "--", "MEDIA/UNITS/A.DAT.txt")
    assert tlread.bindat(m.get("MEDIA/UNITS/A.DAT"))["root"] == tlread.bindat(dat("a"))["root"]
    m.unmount()


def test_a_wrong_crc_is_eio_for_that_file_alone(box):
    data = bytearray(small_mod())
    sum_ = struct.pack("<I", zlib.crc32(dat("a")))
    at = data.index(sum_)
    data[at] ^= 1
    m = box.mount(box.add(bytes(data), "S.MOD"))
    assert boxes.refused(m.get, "MEDIA/UNITS/A.DAT") == errno.EIO
    assert boxes.refused(m.get, "MEDIA/UNITS/A.DAT.txt") == errno.EIO
    assert m.get("MEDIA/UNITS/B.DAT") == dat("b", 2)
    m.put("MEDIA/README.TXT", b"other\n")
    r = m.unmount()
    assert "MEDIA/UNITS/A.DAT is damaged" in r.out + r.err
    m = box.mount(m.map)
    assert boxes.refused(m.get, "MEDIA/UNITS/A.DAT") == errno.EIO
    m.put("MEDIA/UNITS/A.DAT", dat("repaired"))
    assert m.get("MEDIA/UNITS/A.DAT.txt") == text_dat("repaired")
    m.unmount()
    assert Archive(m.map).one("MEDIA/UNITS/A.DAT") == dat("repaired")


def test_a_save_copies_what_it_did_not_change_and_keeps_going(box):
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
        assert m.get(f) == before.one(f)
    os.unlink(m / "MEDIA/NOTE.TXT")
    m.unmount()
    after = Archive(path)
    assert after.files == before.files and after.order == before.order
    assert after.section == before.section


def test_names_that_a_file_lists_are_shown(box):
    unknown = tlwrite.bindat(("FOOBARBAZ", [("QUXQUUX", 1, struct.pack("<i", 1))], []), {})
    path = box.add(tlwrite.mod([("MEDIA/", "U.DAT", unknown, False)]), "S.MOD")
    m = box.mount(path)
    assert b"UNK_%08X" % tlread.name_hash("QUXQUUX") in m.get("MEDIA/U.DAT.txt")
    m.unmount()
    names = pathlib.Path(box.home) / "names.txt"
    names.write_text("foobarbaz\nQUXQUUX\n")
    m = box.mount(path, opts="names=%s" % names)
    assert m.get("MEDIA/U.DAT.txt") == b"[FOOBARBAZ]\n\t<INTEGER>QUXQUUX:1\n[/FOOBARBAZ]\n"
    m.unmount()


def test_names_are_learnt_from_what_is_written(box):
    unknown = tlwrite.bindat(("UNIT", [("QUXQUUX", 1, struct.pack("<i", 1))], []), {})
    m = box.mount(box.add(tlwrite.mod([("MEDIA/", "U.DAT", unknown, False),
                                       ("MEDIA/", "V.DAT", dat("v"), False)]), "S.MOD"))
    assert b"UNK_" in m.get("MEDIA/U.DAT.txt")
    m.put("MEDIA/V.DAT.txt", b"[UNIT]\n\t<INTEGER>QUXQUUX:2\n[/UNIT]\n")
    assert b"<INTEGER>QUXQUUX:1" in m.get("MEDIA/U.DAT.txt")
    assert os.stat(m / "MEDIA/U.DAT.txt").st_size == len(m.get("MEDIA/U.DAT.txt"))
    m.unmount()


def test_changes_survive_a_kill(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    m.put("MEDIA/UNITS/A.DAT.txt", text_dat("kept", 8))
    os.mkdir(m / "MEDIA/made")
    m.put("MEDIA/made/f.dat.txt", text_dat("f", 1), flags=os.O_WRONLY | os.O_CREAT)
    os.rename(m / "MEDIA/UNITS/B.DAT", m / "MEDIA/made/b.dat")
    os.unlink(m / "MEDIA/README.TXT")
    box.kill_worker()
    m = box.mount(m.map)
    assert m.get("MEDIA/UNITS/A.DAT.txt") == text_dat("kept", 8)
    assert not os.path.exists(m / "MEDIA/README.TXT")
    m.unmount()
    assert set(Archive(m.map).files) == {"MEDIA/EMPTY.OGG", "MEDIA/UNITS/A.DAT",
                                         "MEDIA/UNITS/PIC.JPG", "MEDIA/MADE/F.DAT",
                                         "MEDIA/MADE/B.DAT"}


def test_both_files_of_a_pak_are_replaced(box):
    pak, man = add_pak(box)
    before = Archive(pak, man)
    m = box.mount(pak)
    name = sorted(f for f in before.files if f.endswith(".DAT"))[0]
    m.put(name + ".txt", text_dat("new", 1))
    m.unmount()
    after = Archive(pak, man)
    assert [f for f in after.files if after.files[f] != before.files[f]] == [name]
    assert box.beside() == []


def test_only_the_manifest_of_a_pak_changes_when_a_file_is_renamed(box):
    pak, man = add_pak(box)
    section = boxes.get(pak)
    m = box.mount(pak)
    name = sorted(Archive(pak, man).files)[0]
    os.rename(m / name, m / "MEDIA/moved.dat")
    m.unmount()
    assert boxes.get(pak) == section
    assert "MEDIA/MOVED.DAT" in Archive(pak, man).files


@pytest.mark.parametrize("which", [0, 1])
def test_a_change_of_either_file_from_outside_is_a_conflict(box, which):
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


def test_a_manifest_is_found_in_any_case_and_its_lack_is_told(box):
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
def test_what_is_none_of_the_games_is_refused_by_name(box, name, data, word):
    r = box.run(box.add(data, name), box.point())
    assert r.code == 2 and word.lower() in r.err.lower(), r.err


def test_75000_entries_are_listed_without_inflating_anything(box):
    shim = box.shim(shims.Inflate)
    m = box.mount(box.add(large_mod(75000), "BIG.MOD"), shim=shim)
    names = sum(len(f) for _, _, f in os.walk(m.point))
    assert names == 75000 + 37500 + 2
    assert shim.streams() == []
    assert m.get("MEDIA/D0299/F00249.DAT") == dat("x")
    assert {n for n, _ in shim.streams()} == {len(dat("x"))}
    m.unmount()


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
    assert m.get("MEDIA/F.DAT") == one and m.get("MEDIA/F.DAT.txt") == text_dat("far")
    m.unmount()
    assert os.stat(path).st_blocks * 512 < 1 << 20


def test_new_files_without_an_index_are_told(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    os.makedirs(m / "MEDIA/SKILLS")
    m.put("MEDIA/SKILLS/S.DAT.txt", text_dat("s"), flags=os.O_WRONLY | os.O_CREAT)
    r = m.unmount()
    assert "SKILLS.RAW" in r.out + r.err


def test_an_editors_habits_work_on_a_text(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    path = m / "MEDIA/UNITS/A.DAT.txt"
    os.rename(path, path + "~")  # a backup by renaming, then a new file
    with open(path, "wb") as f:
        f.write(text_dat("edited", 2))
    os.unlink(path + "~")
    shutil.copy(path, m / "MEDIA/UNITS/.A.swp")
    m.unmount()
    a = Archive(m.map)
    assert tlread.bindat(a.one("MEDIA/UNITS/A.DAT"))["root"] == tlread.bindat(
        dat("edited", 2))["root"]
    assert len(a.files) == 5
