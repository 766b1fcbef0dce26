# SPDX-License-Identifier: Zlib
"""Files and directories of mounted archives that are added, removed and copied."""
import errno
import os
import pathlib
import struct

import pytest

import box as boxes
import tlread
import tlwrite
from archives import Archive, dat, small_mod, text_dat
from tlbox import add_corpus, add_pak, mount_new, run, sync

NEW = os.O_WRONLY | os.O_CREAT


def test_undone_edits_leave_the_archive_unchanged(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    before = boxes.get(m.map), os.stat(m.map).st_mtime_ns
    text = m.get("MEDIA/UNITS/A.DAT")
    m.put("MEDIA/UNITS/A.DAT", text.replace(b"LEVEL:1", b"LEVEL:9"))
    m.put("MEDIA/UNITS/A.DAT", text)
    m.put("MEDIA/NEW.OGG", b"x", flags=os.O_WRONLY | os.O_CREAT)
    os.unlink(m / "MEDIA/NEW.OGG")
    os.rename(m / "MEDIA/README.TXT", m / "MEDIA/R2.TXT")
    os.rename(m / "MEDIA/R2.TXT", m / "MEDIA/README.TXT")
    m.unmount()
    assert (boxes.get(m.map), os.stat(m.map).st_mtime_ns) == before


def test_files_and_directories_are_added_and_removed(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    os.makedirs(m / "MEDIA/sounds/deep")
    os.mkdir(m / "MEDIA/hollow")
    m.put("MEDIA/sounds/deep/boom.ogg", b"OggS", flags=os.O_WRONLY | os.O_CREAT)
    m.put("MEDIA/units/new.dat", text_dat("n", 3), flags=os.O_WRONLY | os.O_CREAT)
    os.rename(m / "MEDIA/UNITS/B.DAT", m / "MEDIA/UNITS/C.DAT")
    os.rename(m / "MEDIA/UNITS/PIC.JPG", m / "MEDIA/sounds/pic.jpg")
    os.unlink(m / "MEDIA/README.TXT")
    assert sorted(m.unmount().out.upper().splitlines()) == [
        "REMOVED: MEDIA/README.TXT", "SAVED: MEDIA/HOLLOW", "SAVED: MEDIA/SOUNDS",
        "SAVED: MEDIA/UNITS/C.DAT", "SAVED: MEDIA/UNITS/NEW.DAT"]
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
    assert m.get("MEDIA/UNITS/NEW.DAT") == text_dat("n", 3)
    m.unmount()


def test_a_rename_keeps_the_entry(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    os.rename(m / "MEDIA/UNITS/B.DAT", m / "MEDIA/c.dat")
    m.unmount()
    a = Archive(m.map)
    assert a.one("MEDIA/C.DAT") == dat("b", 2)
    assert "MEDIA/UNITS/B.DAT" not in a.files and len(a.files) == 5


def contents(a):
    """Files of an archive, compiled ones decoded: copies keep their content, not their bytes."""
    return {f: tlread.bindat(b[0])["root"] if f.endswith(".DAT") else b for f, b in a.files.items()}


def test_the_header_of_a_mod_is_copied_to_a_new_one(box):
    one = box.mount(box.add(small_mod(reqs=[("needed", 7, 2)]), "ONE.MOD"), point=box.point("one"))
    made = mount_new(box, "TWO.MOD", "torchlight-mod")
    run("cp", "-r", one.point + "/.", made.point)
    made.unmount()
    one.unmount()
    a, b = Archive(one.map), Archive(made.map)
    assert {k: v for k, v in a.head.items() if not k.startswith(("off", "end"))} == {
        k: v for k, v in b.head.items() if not k.startswith(("off", "end"))}
    assert contents(a) == contents(b) and sorted(a.removed) == sorted(b.removed)


def test_a_directory_moves_with_its_content(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    os.rename(m / "MEDIA/UNITS", m / "MEDIA/things")
    m.put("MEDIA/things/d.dat", dat("d"), flags=os.O_WRONLY | os.O_CREAT)
    m.unmount()
    a = Archive(m.map)
    assert {f for f in a.files if "UNITS" in f} == set()
    assert {"MEDIA/THINGS/A.DAT", "MEDIA/THINGS/D.DAT"} <= set(a.files)
    assert "MEDIA/UNITS/GONE.DAT" in a.head["dels"]


@pytest.mark.parametrize("killed", [False, True])
@pytest.mark.parametrize("where", ["of the archive", "new", "saved since"])
def test_a_directory_replaces_an_empty_one(box, where, killed):
    """As by rename(2), with the same result as if the empty one was removed before. A directory with content stays."""
    m = box.mount(box.add(small_mod(), "S.MOD"))
    if where == "of the archive":
        for name in os.listdir(m / "MEDIA/UNITS"):
            os.rename(m / ("MEDIA/UNITS/" + name), m / ("MEDIA/" + name))
        source, empty = "MEDIA/FROM", "MEDIA/UNITS"
        os.mkdir(m / source)
        os.rename(m / "MEDIA/A.DAT", m / "MEDIA/FROM/A.DAT")
    else:
        source, empty = "MEDIA/UNITS", "MEDIA/EMPTY"
        os.mkdir(m / empty)
    if where == "saved since":
        sync(m)
    content = m.get(source + "/A.DAT")
    os.mkdir(m / "MEDIA/FULL")
    m.put("MEDIA/FULL/F.OGG", b"f", flags=NEW)
    assert boxes.refused(os.rename, m / source, m / "MEDIA/FULL") == errno.ENOTEMPTY
    os.rename(m / source, m / empty)
    assert boxes.refused(os.stat, m / source) == errno.ENOENT
    if killed:
        box.kill_worker()
        m = box.mount(m.map)
    assert m.get(empty + "/A.DAT") == content and m.get("MEDIA/FULL/F.OGG") == b"f"
    m.unmount()
    files = Archive(m.map).files
    assert [p for p in files if p.endswith("/A.DAT")] == [empty + "/A.DAT"] and "MEDIA/FULL/F.OGG" in files


def test_rm_r_removes_a_directory_with_its_content(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    run("rm", "-r", m / "MEDIA/UNITS")
    assert not os.path.exists(m / "MEDIA/UNITS")
    m.unmount()
    assert set(Archive(m.map).files) == {"MEDIA/README.TXT", "MEDIA/EMPTY.OGG"}


def test_a_removed_directory_named_in_the_list_of_removed_files_is_empty(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    run("rm", "-r", m / "MEDIA/UNITS")
    assert m.unmount().out.splitlines() == [
        "note: MEDIA/UNITS was emptied, not removed: the map always has it"]
    m = box.mount(m.map)
    assert os.listdir(m / "MEDIA/UNITS") == []
    m.unmount()


def test_a_recreated_directory_is_a_new_one(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    run("rm", "-r", m / "MEDIA/UNITS")
    os.mkdir(m / "MEDIA/UNITS")
    m.put("MEDIA/UNITS/B.DAT", dat("new b"), flags=os.O_WRONLY | os.O_CREAT)
    m.unmount()
    a = Archive(m.map)
    assert set(a.files) == {"MEDIA/README.TXT", "MEDIA/EMPTY.OGG", "MEDIA/UNITS/B.DAT"}
    assert a.one("MEDIA/UNITS/B.DAT") == dat("new b")


def test_rm_of_a_file_deletes_its_entry(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    os.unlink(m / "MEDIA/UNITS/A.DAT")
    m.unmount()
    assert "MEDIA/UNITS/A.DAT" not in Archive(m.map).files


def test_a_file_removed_and_rewritten_as_text_is_saved(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    os.unlink(m / "MEDIA/UNITS/A.DAT")
    m.put("MEDIA/UNITS/A.DAT", text_dat("again", 4), flags=os.O_WRONLY | os.O_CREAT)
    m.unmount()
    assert tlread.bindat(Archive(m.map).one("MEDIA/UNITS/A.DAT"))["root"] == tlread.bindat(
        dat("again", 4))["root"]


def test_no_entry_is_lost_that_takes_the_place_of_a_directory(box):
    m = box.mount(add_corpus(box, "ADVENTURE_MODE.MOD"))
    path = m / "MEDIA/DUNGEONS/TOWN1.DAT"
    text = m.get("MEDIA/DUNGEONS/TOWN1.DAT")
    old, new = text.split(b":")[1].split(b"\n")[0], b"changed"
    os.unlink(path)
    m.put("MEDIA/DUNGEONS/TOWN1.DAT", text.replace(old, new, 1), flags=os.O_WRONLY | os.O_CREAT)
    assert boxes.refused(os.mkdir, path) == errno.EEXIST
    os.unlink(path)
    os.mkdir(path)
    os.rmdir(path)
    m.put("MEDIA/DUNGEONS/TOWN1.DAT", text.replace(old, new, 1), flags=os.O_WRONLY | os.O_CREAT)
    r = m.unmount()
    assert "saved: MEDIA/DUNGEONS/TOWN1.DAT" in r.out + r.err
    m = box.mount(m.map)
    assert m.get("MEDIA/DUNGEONS/TOWN1.DAT") == text.replace(old, new, 1)
    m.unmount()


@pytest.mark.parametrize("filled", [False, True])
def test_a_directory_replaces_a_removed_file(box, filled):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    os.unlink(m / "MEDIA/README.TXT")
    os.mkdir(m / "MEDIA/README.TXT")
    if filled:
        m.put("MEDIA/README.TXT/IN.OGG", b"x", flags=NEW)
    assert m.unmount().out == "note: the former MEDIA/README.TXT was removed\nsaved: MEDIA/README.TXT\n"
    m = box.mount(m.map)
    assert os.listdir(m / "MEDIA/README.TXT") == ["IN.OGG"] * filled
    m.unmount()


def read_media(mount):
    """{path: bytes} of the files in MEDIA."""
    files, _ = mount.walk()
    return {f: mount.get(f.decode()) for f in map(bytes, files) if f.startswith(b"MEDIA")}


@pytest.mark.parametrize("name", ["flasks.mod", "ADVENTURE_MODE.MOD", "ref_pet.MOD"])
def test_cp_r_converts_a_mod_to_a_pak_and_back(box, name):
    path = add_corpus(box, name, "ORIGINAL.MOD")
    original = Archive(path, ours=False)
    m = box.mount(path, opts="text=off")
    want = read_media(m)
    p = mount_new(box, "COPY.PAK", "torchlight-pak", "pak", "text=off")
    run("cp", "-r", m.point + "/.", p.point)
    p.unmount()
    pak = Archive(p.map, p.map + ".MAN")
    assert pak.files == original.files
    assert sorted(pak.removed) == sorted(original.removed)
    m.unmount()
    p = box.mount(p.map, point=box.point("pak"), opts="text=off")
    assert read_media(p) == want
    back = mount_new(box, "BACK.MOD", "torchlight-mod", "back", "text=off")
    run("cp", "-r", p.point + "/.", back.point)
    back.unmount()
    p.unmount()
    a = Archive(back.map)
    assert a.files == original.files and sorted(a.removed) == sorted(original.removed)


def test_a_mod_is_made_from_a_directory_of_texts(box):
    source = pathlib.Path(box.home) / "source"
    (source / "media" / "units").mkdir(parents=True)
    for i in range(5):
        (source / "media" / "units" / ("u%d.dat" % i)).write_bytes(text_dat("u%d" % i, i))
    (source / "media" / "pic.jpg").write_bytes(b"jpeg")
    m = mount_new(box, "MADE.MOD", "torchlight-mod")
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
    assert "B.DAT" in differ and "Only in" in differ
    run("cp", "-r", two / "MEDIA", one.point)
    two.unmount()
    one.unmount()
    a = Archive(one.map)
    assert set(a.files) == {"MEDIA/UNITS/A.DAT", "MEDIA/UNITS/B.DAT", "MEDIA/UNITS/PIC.JPG",
                            "MEDIA/README.TXT", "MEDIA/EMPTY.OGG", "MEDIA/MORE/Z.DAT"}
    assert contents(a)["MEDIA/UNITS/B.DAT"] == tlread.bindat(dat("other b", 9))["root"]
    assert a.head["modid"] == -5


def test_changes_survive_a_kill(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    m.put("MEDIA/UNITS/A.DAT", text_dat("kept", 8))
    os.mkdir(m / "MEDIA/made")
    m.put("MEDIA/made/f.dat", text_dat("f", 1), flags=os.O_WRONLY | os.O_CREAT)
    os.rename(m / "MEDIA/UNITS/B.DAT", m / "MEDIA/made/b.dat")
    os.unlink(m / "MEDIA/README.TXT")
    box.kill_worker()
    m = box.mount(m.map)
    assert m.get("MEDIA/UNITS/A.DAT") == text_dat("kept", 8)
    assert not os.path.exists(m / "MEDIA/README.TXT")
    m.unmount()
    assert set(Archive(m.map).files) == {"MEDIA/EMPTY.OGG", "MEDIA/UNITS/A.DAT",
                                         "MEDIA/UNITS/PIC.JPG", "MEDIA/MADE/F.DAT",
                                         "MEDIA/MADE/B.DAT"}


def test_a_rename_over_the_only_known_file_of_a_directory_survives_a_kill(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    m.put("MEDIA/UNITS/NEW.TXT", b"new", flags=os.O_WRONLY | os.O_CREAT)
    text = m.get("MEDIA/README.TXT")
    os.rename(m / "MEDIA/README.TXT", m / "MEDIA/UNITS/NEW.TXT")
    box.kill_worker()
    m = box.mount(m.map, env={"MALLOC_PERTURB_": "165"})  # freed memory is overwritten
    assert m.get("MEDIA/UNITS/NEW.TXT") == text
    assert not os.path.exists(m / "MEDIA/README.TXT")
    m.unmount()
    assert Archive(m.map).one("MEDIA/UNITS/NEW.TXT") == text


def test_a_file_that_returns_after_a_save_elsewhere_is_reported(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    text = m.get("MEDIA/README.TXT")
    os.rename(m / "MEDIA/UNITS", m / "MEDIA/U2")
    os.unlink(m / "MEDIA/README.TXT")
    sync(m)
    os.rename(m / "MEDIA/U2", m / "MEDIA/UNITS")
    m.put("MEDIA/README.TXT", text, flags=os.O_WRONLY | os.O_CREAT)
    status = box.run("status", m.point).out.splitlines()
    assert sorted(status[1:]) == ["  new MEDIA/README.TXT", "  renamed MEDIA/UNITS"]
    assert sorted(m.unmount().out.splitlines()) == [
        "saved: MEDIA/README.TXT", "saved: MEDIA/UNITS"]
    a = Archive(m.map)
    assert a.one("MEDIA/README.TXT") == text and "MEDIA/UNITS/A.DAT" in a.files


def test_a_rename_changes_only_the_manifest_of_a_pak(box):
    pak, man = add_pak(box)
    section = boxes.get(pak)
    m = box.mount(pak)
    name = sorted(f for f in Archive(pak, man).files if f.endswith(".DAT"))[0]
    os.rename(m / name, m / "MEDIA/moved.dat")
    m.unmount()
    assert boxes.get(pak) == section
    assert "MEDIA/MOVED.DAT" in Archive(pak, man).files


def test_new_files_without_an_index_are_reported(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    os.makedirs(m / "MEDIA/SKILLS")
    m.put("MEDIA/SKILLS/S.DAT", text_dat("s"), flags=os.O_WRONLY | os.O_CREAT)
    r = m.unmount()
    assert "no index, so the game does not see 1 file (MEDIA/SKILLS/S.DAT): use mapfs index" in r.out + r.err


def index(*files):
    return struct.pack("<I", len(files)) + b"".join(
        tlwrite.ss("N") + tlwrite.ss(f) + struct.pack("<q", 1) for f in files)


def test_files_that_no_index_lists_are_reported_at_each_save(box):
    def mod(name, *skills):
        files = [("MEDIA/SKILLS/", s + ".DAT", dat(s), False) for s in skills]
        return box.add(tlwrite.mod(files + [("MEDIA/", "SKILLS.RAW", index(
            *("media/skills/%s.dat" % s for s in skills)), False)]), name)
    one = box.mount(mod("ONE.MOD", "A", "B"), point=box.point("one"))
    two = box.mount(mod("TWO.MOD", "C"), point=box.point("two"))
    rows = one.get("MEDIA/SKILLS.RAW")
    run("cp", "-r", two / "MEDIA", one.point)
    assert one.get("MEDIA/SKILLS.RAW") == two.get("MEDIA/SKILLS.RAW")  # replaces a file
    r = one.unmount()
    assert "2 files below MEDIA/SKILLS/ are not in SKILLS.RAW (MEDIA/SKILLS/A.DAT)" in r.out + r.err
    one = box.mount(one.map, point=box.point("one"))
    one.put("MEDIA/SKILLS.RAW", rows + two.get("MEDIA/SKILLS.RAW").split(b"\n", 1)[1])
    two.unmount()
    r = one.unmount()
    assert "SKILLS.RAW (" not in r.out + r.err
    assert len(tlread.raw("SKILLS", Archive(one.map).one("MEDIA/SKILLS.RAW"))) == 3



def mod_with_duplicate():
    return tlwrite.mod([("MEDIA/", "SAME.DAT", dat("first"), False),
                        ("MEDIA/", "SAME.DAT", dat("second"), False),
                        ("MEDIA/", "OTHER.DAT", dat("other"), False)])


def decode_bodies(bodies):
    return [tlread.bindat(b)["root"] for b in bodies]


@pytest.mark.parametrize("by", ["MEDIA/SAME~2.DAT", "MEDIA/same~2.dat"])
def test_a_change_of_the_second_file_of_one_name_survives_a_kill(box, by):
    m = box.mount(box.add(mod_with_duplicate(), "S.MOD"))
    m.put(by, dat("changed", 2))
    box.kill_worker()
    m = box.mount(m.map)
    assert m.get("MEDIA/SAME.DAT") == text_dat("first")
    assert m.get("MEDIA/SAME~2.DAT") == dat("changed", 2)
    sync(m)
    assert m.get("MEDIA/SAME~2.DAT") == text_dat("changed", 2)
    m.unmount()
    assert decode_bodies(Archive(m.map).files["MEDIA/SAME.DAT"]) == decode_bodies(
        [dat("first"), dat("changed", 2)])


def test_a_removal_and_rename_of_the_second_file_of_one_name_survive_a_kill(box):
    m = box.mount(box.add(mod_with_duplicate(), "S.MOD"))
    os.rename(m / "MEDIA/SAME~2.DAT", m / "MEDIA/moved.dat")
    os.unlink(m / "MEDIA/SAME.DAT")
    box.kill_worker()
    m = box.mount(m.map)
    m.unmount()
    a = Archive(m.map)
    assert set(a.files) == {"MEDIA/MOVED.DAT", "MEDIA/OTHER.DAT"}
    assert a.one("MEDIA/MOVED.DAT") == dat("second")


def test_a_second_file_that_a_save_made_the_first_survives_a_kill(box):
    m = box.mount(box.add(mod_with_duplicate(), "S.MOD"))
    os.unlink(m / "MEDIA/SAME.DAT")
    sync(m)
    m.put("MEDIA/SAME~2.DAT", dat("changed", 2))
    box.kill_worker()
    m = box.mount(m.map)
    assert "SAME.DAT" not in os.listdir(m / "MEDIA")
    assert m.get("MEDIA/SAME~2.DAT") == dat("changed", 2)
    sync(m)
    assert m.get("MEDIA/SAME~2.DAT") == text_dat("changed", 2)
    m.unmount()
    m = box.mount(m.map)
    assert m.get("MEDIA/SAME.DAT") == text_dat("changed", 2)
    m.unmount()
    a = Archive(m.map)
    assert a.files == {"MEDIA/SAME.DAT": [dat("changed", 2)], "MEDIA/OTHER.DAT": [dat("other")]}


@pytest.mark.parametrize("killed", [False, True])
def test_two_files_of_one_name_keep_their_paths_after_saves(box, killed):
    m = box.mount(box.add(mod_with_duplicate(), "S.MOD"))
    os.unlink(m / "MEDIA/SAME.DAT")
    sync(m)
    m.put("MEDIA/SAME.DAT", text_dat("third"), flags=os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    if killed:
        box.kill_worker()
        m = box.mount(m.map)
    for _ in range(2):
        sync(m)
        assert m.get("MEDIA/SAME~2.DAT") == text_dat("second")
        assert m.get("MEDIA/SAME.DAT") == text_dat("third")
        m.put("MEDIA/OTHER.DAT", text_dat("changed"))
    m.unmount()
    assert sorted(decode_bodies(Archive(m.map).files["MEDIA/SAME.DAT"])) == sorted(decode_bodies([dat("second"), dat("third")]))


def test_names_that_begin_with_a_number_survive_a_save_and_a_kill(box):
    m = box.mount(box.add(mod_with_duplicate(), "S.MOD"))
    os.unlink(m / "MEDIA/OTHER.DAT")
    sync(m)
    os.mkdir(m / "MEDIA/12")
    m.put("MEDIA/12/7_x.ogg", b"x", flags=os.O_WRONLY | os.O_CREAT)
    box.kill_worker()
    m = box.mount(m.map)
    m.unmount()
    assert Archive(m.map).one("MEDIA/12/7_X.OGG") == b"x"


def test_saves_keep_no_deleted_file_open(box):
    """Neither files removed before or after a save, nor old archives."""
    m = box.mount(box.add(small_mod(), "S.MOD"))
    held = []
    there = ["MEDIA/README.TXT", "MEDIA/UNITS/B.DAT", "MEDIA/UNITS/PIC.JPG"]
    for i in range(9):
        for name in ("MEDIA/SAVED%d.OGG" % i, "MEDIA/ADDED%d.OGG" % i):
            m.put(name, b"OggS%d" % i, flags=os.O_WRONLY | os.O_CREAT)
        os.unlink(m / ("MEDIA/ADDED%d.OGG" % i))
        if i >= 2:
            os.unlink(m / ("MEDIA/SAVED%d.OGG" % (i - 2)))
        if 3 <= i < 6:
            os.unlink(m / there[i - 3])
        sync(m)
        held.append(box.held())
    # The last archive is closed after the reply to its save.
    assert boxes.wait_for(lambda: box.held() <= held[2]), held
    m.unmount()
    assert sorted(Archive(m.map).files) == [
        "MEDIA/EMPTY.OGG", "MEDIA/SAVED7.OGG", "MEDIA/SAVED8.OGG", "MEDIA/UNITS/A.DAT"]
