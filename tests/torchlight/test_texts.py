# SPDX-License-Identifier: Zlib
"""An entry has one name: compiled files are shown as text under it, and may be written as text or compiled."""
import errno
import json
import os
import pathlib
import struct

import pytest

import box as boxes
import shims
import tlfixtures
import tlread
import tlwrite
from archives import Archive, dat, small_mod, text_dat
from tlbox import CORPUS, MODS, add_corpus, corpus, mount_new, require_program, run, sync

MAKE = os.O_WRONLY | os.O_CREAT
NOTE = "user.mapfs.note"


def utf16(text):
    return b"\xff\xfe" + text.decode().replace("\n", "\r\n").encode("utf-16-le")


def mount_file(box, name, data, **kw):
    path, _, base = name.rpartition("/")
    return box.mount(box.add(tlwrite.mod([(path + "/", base, data, False)]), "S.MOD"), **kw)


def read_note(m, path):
    try:
        return os.getxattr(m / path, NOTE).decode()
    except OSError as e:
        assert e.errno == errno.ENODATA
        return None


def is_same_dat(data, want):
    return tlread.bindat(data)["root"] == tlread.bindat(want)["root"]


@pytest.mark.parametrize("text,shown", [("utf8", text_dat("a")), ("utf16", utf16(text_dat("a"))),
                                        ("off", dat("a"))])
def test_how_compiled_files_are_shown(box, text, shown):
    m = box.mount(box.add(small_mod(), "S.MOD"), opts="text=" + text)
    assert m.get("MEDIA/UNITS/A.DAT") == shown
    assert os.stat(m / "MEDIA/UNITS/A.DAT").st_size == len(shown)
    assert sorted(os.listdir(m / "MEDIA/UNITS")) == ["A.DAT", "B.DAT", "PIC.JPG"]
    assert not os.path.exists(m / "MEDIA/UNITS/A.DAT.txt")
    assert read_note(m, "MEDIA/UNITS/A.DAT") is None
    m.unmount()


@pytest.mark.parametrize("name", MODS)
def test_every_entry_is_shown_once_and_can_be_written_back(box, name):
    path = add_corpus(box, name)
    want = Archive(path, ours=False)
    before = boxes.get(path)
    m = box.mount(path)
    files, _ = m.walk()
    assert len(files) == sum(map(len, want.files.values())) + 2  # .mod
    for f in map(bytes.decode, files):
        shown = m.get(f)
        assert len(shown) == os.stat(m / f).st_size
        m.put(f, shown)
        assert m.get(f) == shown
        compiled = f.endswith((".DAT", ".LAYOUT", ".TEMPLATE", ".HIE", ".ANIMATION"))
        assert not compiled or shown.startswith(b"[") or read_note(m, f), f
    m.unmount()
    assert boxes.get(path) == before


def test_a_raw_index_is_a_table_with_every_text_option(box):
    raw = tlfixtures.raws()["MEDIA/SKILLS.RAW"]
    for text in ("utf8", "utf16"):
        m = mount_file(box, "MEDIA/SKILLS.RAW", raw, opts="text=" + text)
        table = m.get("MEDIA/SKILLS.RAW")
        assert table.startswith(b"name\tfile\tguid\n")
        m.put("MEDIA/SKILLS.RAW", table + b"Added\tMEDIA/SKILLS/A.DAT\t9\n")
        m.unmount()
        assert len(tlread.raw("SKILLS", Archive(m.map).one("MEDIA/SKILLS.RAW"))) == 2
        m = box.mount(m.map)
        m.put("MEDIA/SKILLS.RAW", raw)
        assert m.get("MEDIA/SKILLS.RAW") == raw
        sync(m)
        assert m.get("MEDIA/SKILLS.RAW") == table
        m.unmount()
        assert Archive(m.map).one("MEDIA/SKILLS.RAW") == raw


HALVES = [(p, d) for p, d in tlfixtures.compiled().items()
          if p in ("MEDIA/EVERY.DAT", "MEDIA/KINDS.LAYOUT", "MEDIA/GROUPS.LAYOUT",
                   "MEDIA/AFFIXES.RAW", "MEDIA/UNITDATA.RAW")]


@pytest.mark.parametrize("path,data", HALVES, ids=[p for p, _ in HALVES])
def test_content_that_is_neither_text_nor_compiled_is_refused(box, path, data):
    box.allow("*.mapfs-left")
    m = mount_file(box, path, data)
    before = boxes.get(m.map), m.get(path)
    for bad in (data[:len(data) // 2], data[:-1], data + b"\0", b"\0\1\2\3", b"\x89PNG\r\n"):
        assert boxes.refused(m.put, path, bad) == errno.EINVAL, bad
        assert m.xattr(path, "user.mapfs.error")
    os.removexattr(m / path, "user.mapfs.error")
    assert m.get(path) == before[1]
    m.unmount()
    assert boxes.get(m.map) == before[0]


def test_with_text_off_nothing_is_compiled_and_stored_text_gets_a_note(box):
    m = box.mount(box.add(small_mod(), "S.MOD"), opts="text=off")
    half = dat("half")[:20]
    m.put("MEDIA/UNITS/A.DAT", text_dat("plain"))
    m.put("MEDIA/UNITS/B.DAT", half)
    assert m.get("MEDIA/UNITS/A.DAT") == text_dat("plain")
    r = m.unmount()
    assert "1 file is stored as text" in r.out + r.err and "A.DAT" in r.out + r.err
    a = Archive(m.map)
    assert a.one("MEDIA/UNITS/A.DAT") == text_dat("plain") and a.one("MEDIA/UNITS/B.DAT") == half
    m = box.mount(m.map)
    assert m.get("MEDIA/UNITS/A.DAT") == text_dat("plain")
    assert "stored as text" in read_note(m, "MEDIA/UNITS/A.DAT")
    assert m.get("MEDIA/UNITS/B.DAT") == half and "byte" in read_note(m, "MEDIA/UNITS/B.DAT")
    m.unmount()
    assert Archive(m.map).files == a.files


def test_an_entry_stored_as_text_is_compiled_when_changed(box):
    m = mount_file(box, "MEDIA/T.DAT", utf16(text_dat("t")))
    assert m.get("MEDIA/T.DAT") == text_dat("t")
    m.put("MEDIA/T.DAT", text_dat("t"))
    m.unmount()
    assert Archive(m.map).one("MEDIA/T.DAT") == utf16(text_dat("t"))
    m = box.mount(m.map)
    m.put("MEDIA/T.DAT", text_dat("t", 2))
    assert m.get("MEDIA/T.DAT") == text_dat("t", 2)
    assert read_note(m, "MEDIA/T.DAT") is None
    m.unmount()
    assert is_same_dat(Archive(m.map).one("MEDIA/T.DAT"), dat("t", 2))


@pytest.mark.parametrize("data", [b"<?xml version='1.0'?>\n<GUILayout/>\n", utf16(b"<Looknfeel/>\n")])
def test_xml_stays_unchanged(box, data):
    m = mount_file(box, "MEDIA/UI/X.LAYOUT", data)
    assert m.get("MEDIA/UI/X.LAYOUT") == data and "XML" in read_note(m, "MEDIA/UI/X.LAYOUT")
    other = data + (utf16(b"<!---->")[2:] if data[:1] == b"\xff" else b"<!---->")
    m.put("MEDIA/UI/X.LAYOUT", other)
    assert m.get("MEDIA/UI/X.LAYOUT") == other
    m.unmount()
    assert Archive(m.map).one("MEDIA/UI/X.LAYOUT") == other


BROKEN = [b"<STRING>NAME:SWORD\n", b"<STRING>NAME:a\n<INTEGER>LEVEL:3\n[/UNIT]\n", utf16(b"\t<BOOL>A:true\n"), b"<",
          b"<GUILayout><Window></GUILayout>\n", b"<A/><B/>\n", b"<A/>\ntext", b"<A></A", b"<A b=c/>", b"<A>&nbsp;</A>",
          b"\n<?xml version='1.0'?><A/>", b"<!DOCTYPE A [<!ENTITY e 'e'>]><A>&e;</A>",
          b"<!DOCTYPE A SYSTEM 'file:///etc/passwd'><A/>", b"<A>\xff</A>", b"<A>" * 1001 + b"</A>" * 1001]


@pytest.mark.parametrize("data", BROKEN, ids=range(len(BROKEN)))
def test_invalid_xml_is_refused(box, data):
    box.allow("*.mapfs-left")
    m = box.mount(box.add(small_mod(), "S.MOD"))
    before = boxes.get(m.map)
    for path, flags in (("MEDIA/UNITS/A.DAT", os.O_WRONLY | os.O_TRUNC), ("MEDIA/N.LAYOUT", MAKE)):
        assert boxes.refused(m.put, path, data, flags) == errno.EINVAL
        assert "neither text, which begins with [BLOCK], nor well-formed XML (line " in m.xattr(path, "user.mapfs.error")
    m.unmount(code=5)
    assert boxes.get(m.map) == before
    source = pathlib.Path(box.root, "source")
    source.write_bytes(data)
    r = box.run("put", m.map, "MEDIA/UNITS/A.DAT", source)
    assert r.code == 4 and "nor well-formed XML" in r.err and boxes.get(m.map) == before


def test_an_entry_with_invalid_xml_stays_unchanged(box):
    m = mount_file(box, "MEDIA/N.DAT", BROKEN[0])
    before = boxes.get(m.map)
    assert m.get("MEDIA/N.DAT") == BROKEN[0] and "nor well-formed XML" in read_note(m, "MEDIA/N.DAT")
    m.put("MEDIA/N.DAT", BROKEN[0])
    m.unmount()
    assert boxes.get(m.map) == before
    m = box.mount(m.map)
    m.put("MEDIA/N.DAT", text_dat("n"))
    m.unmount()
    assert is_same_dat(Archive(m.map).one("MEDIA/N.DAT"), dat("n"))


def test_a_file_whose_text_is_incomplete_is_shown_compiled(box):
    odd = tlwrite.bindat(("ROOT", [("A", 5, struct.pack("<I", 1))], []), {1: "two\nlines"})
    m = mount_file(box, "MEDIA/O.DAT", odd)
    assert m.get("MEDIA/O.DAT") == odd
    assert "line break" in read_note(m, "MEDIA/O.DAT")
    m.put("MEDIA/O.DAT", text_dat("o"))
    assert m.get("MEDIA/O.DAT") == text_dat("o")
    m.unmount()
    assert is_same_dat(Archive(m.map).one("MEDIA/O.DAT"), dat("o"))


def test_a_rename_to_or_from_a_compiled_suffix_keeps_the_shown_content(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    units = m / "MEDIA/UNITS/"
    os.rename(units + "A.DAT", units + "A.DAT~")
    assert boxes.get(units + "A.DAT~") == text_dat("a")
    os.rename(units + "A.DAT~", units + "A.DAT")
    assert m.get("MEDIA/UNITS/A.DAT") == text_dat("a")
    os.rename(units + "A.DAT", units + "A.OLD")
    assert m.get("MEDIA/UNITS/A.OLD") == text_dat("a")
    os.rename(units + "B.DAT", units + "B.TEMPLATE")
    assert m.get("MEDIA/UNITS/B.TEMPLATE") == text_dat("b", 2)
    m.put("MEDIA/UNITS/C.TXT", text_dat("c"), flags=MAKE)
    os.rename(units + "C.TXT", units + "C.DAT")
    assert m.get("MEDIA/UNITS/C.DAT") == text_dat("c")
    m.put("MEDIA/UNITS/D.TXT", b"no text of a compiled file", flags=MAKE)
    assert boxes.refused(os.rename, units + "D.TXT", units + "D.DAT") == errno.EPERM
    m.unmount()
    a = Archive(m.map)
    assert "MEDIA/UNITS/A.DAT" not in a.files
    assert a.one("MEDIA/UNITS/A.OLD") == text_dat("a")
    assert a.one("MEDIA/UNITS/B.TEMPLATE") == dat("b", 2)
    assert is_same_dat(a.one("MEDIA/UNITS/C.DAT"), dat("c"))
    assert a.one("MEDIA/UNITS/D.TXT") == b"no text of a compiled file"


def test_a_renamed_file_keeps_its_shown_content_after_a_kill(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    os.rename(m / "MEDIA/UNITS/A.DAT", m / "MEDIA/UNITS/A.OLD")
    m.put("MEDIA/UNITS/B.DAT", dat("compiled", 4))
    m.put("MEDIA/UNITS/N.DAT", text_dat("new", 5), flags=MAKE)
    box.kill_worker()
    m = box.mount(m.map)
    assert m.get("MEDIA/UNITS/A.OLD") == text_dat("a")
    assert m.get("MEDIA/UNITS/B.DAT") == dat("compiled", 4)
    assert m.get("MEDIA/UNITS/N.DAT") == text_dat("new", 5)
    sync(m)
    assert m.get("MEDIA/UNITS/B.DAT") == text_dat("compiled", 4)
    m.unmount()
    assert Archive(m.map).one("MEDIA/UNITS/B.DAT") == dat("compiled", 4)


def make_kit_folder(box):
    """A mod as the modding kit leaves it: sources in UTF-16, and compiled files beside them."""
    source = pathlib.Path(box.home) / "source" / "media" / "units"
    source.mkdir(parents=True)
    for i in range(3):
        (source / ("u%d.dat" % i)).write_bytes(utf16(text_dat("u%d" % i, i)))
        (source / ("U%d.DAT.BINDAT" % i)).write_bytes(dat("u%d" % i, i))
    (source / "x.layout").write_bytes(b"[Layout]\n\t<INTEGER>VERSION:4\n\t<UNSIGNED INT>COUNT:0\n"
                                      b"\t[OBJECTS]\n\t[/OBJECTS]\n[/Layout]\n")
    (source / "x.layout.BINLAYOUT").write_bytes(tlwrite.layout([]))
    return source.parent.parent


def test_a_source_folder_of_the_kit_can_be_copied_in(box):
    source = make_kit_folder(box)
    m = mount_new(box, "MADE.MOD", "torchlight-mod", opts="text=utf16")
    run("cp", "-r", str(source) + "/.", m.point)
    run("diff", "-r", source / "media" / "units" / "u1.dat", m / "MEDIA/UNITS/u1.dat")
    r = m.unmount()
    assert "4 files ignored: made from other files" in r.out + r.err
    a = Archive(m.map)
    assert set(a.files) == {"MEDIA/UNITS/U%d.DAT" % i for i in range(3)} | {"MEDIA/UNITS/X.LAYOUT"}
    assert is_same_dat(a.one("MEDIA/UNITS/U2.DAT"), dat("u2", 2))
    assert a.one("MEDIA/UNITS/X.LAYOUT") == tlwrite.layout([])


def test_a_compiled_file_without_source_is_ignored(box):
    box.allow("*.mapfs-left")
    m = box.mount(box.add(small_mod(), "S.MOD"))
    m.put("MEDIA/UNITS/LOST.DAT.BINDAT", dat("lost"), flags=MAKE)
    m.put("MEDIA/UNITS/A.DAT.BINDAT", dat("a"), flags=MAKE)
    r = m.unmount(code=5)
    assert "LOST.DAT.BINDAT" in r.out + r.err and "1 file ignored" in r.out + r.err
    left = pathlib.Path(m.map + ".mapfs-left")
    assert [p.name for p in left.rglob("*.BINDAT")] == ["LOST.DAT.BINDAT"]


def test_a_text_with_the_old_suffix_gets_a_note(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    m.put("MEDIA/UNITS/A.DAT.txt", b"any text", flags=MAKE)
    r = m.unmount()
    assert "A.DAT.TXT" in r.out + r.err and "edit X.DAT" in r.out + r.err
    assert Archive(m.map).one("MEDIA/UNITS/A.DAT.TXT") == b"any text"


def test_two_mounts_of_one_archive_are_equal(box):
    a = box.mount(add_corpus(box, "flasks.mod", "A.MOD"), point=box.point("a"))
    b = box.mount(add_corpus(box, "flasks.mod", "B.MOD"), point=box.point("b"))
    run("diff", "-r", a.point, b.point)
    b.unmount()
    a.unmount()


def test_ls_decodes_nothing_and_sizes_are_computed_once(box):
    shim = box.shim(shims.Inflate)
    m = box.mount(add_corpus(box, "flasks.mod"), shim=shim)
    run("ls", "-R", m.point)
    assert shim.streams() == []
    run("ls", "-lR", m.point)
    first = len(shim.streams())
    assert first > 10
    run("find", m.point, "-size", "+1")
    run("ls", "-lR", m.point)
    assert len(shim.streams()) == first
    m.unmount()


def test_a_long_listing_shows_every_size(box):
    files = [("MEDIA/D/", "F%03d.DAT" % i, dat("n" * (i % 50), i), False) for i in range(300)]
    m = box.mount(box.add(tlwrite.mod(files), "S.MOD"))
    sizes = {e.name: e.stat().st_size for e in os.scandir(m / "MEDIA/D")}
    assert sizes == {"F%03d.DAT" % i: len(text_dat("n" * (i % 50), i)) for i in range(300)}
    m.unmount()


@pytest.mark.parametrize("how", ["cp", "tar", "rsync"])
def test_a_tree_of_texts_can_be_copied_in(box, how):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    source = pathlib.Path(box.home) / "source"
    source.mkdir()
    for i in range(4):
        (source / ("n%d.dat" % i)).write_bytes(text_dat("n%d" % i, i) if i % 2 else dat("n%d" % i, i))
    where = m / "MEDIA/UNITS"
    if how == "cp":
        run("cp", "-rp", str(source) + "/.", where)
    elif how == "rsync":
        run(require_program("rsync"), "-a", str(source) + "/", str(where) + "/")
    else:
        run("sh", "-c", 'tar cf - -C "$1" . | tar xf - -C "$2"', "sh", source, where)
    for i in range(4):
        assert m.get("MEDIA/UNITS/n%d.dat" % i) == (source / ("n%d.dat" % i)).read_bytes()
    sync(m)
    for i in range(4):
        assert m.get("MEDIA/UNITS/n%d.dat" % i) == text_dat("n%d" % i, i)
    m.unmount()
    a = Archive(m.map)
    assert all(is_same_dat(a.one("MEDIA/UNITS/N%d.DAT" % i), dat("n%d" % i, i)) for i in range(4))


def test_pairs_of_the_corpus_survive_a_round_trip(box):
    """Sources that the kit compiled: the shown text has the content of the source."""
    pairs = [(p, p.with_name(p.name[:-len(".BINDAT")])) for p in
             sorted((CORPUS / "pairs").rglob("*.BINDAT"))] if CORPUS.exists() else []
    pairs = [(b, s) for b, s in pairs if s.exists()][:60]
    if not pairs:
        corpus("pairs")
    m = mount_new(box, "PAIRS.MOD", "torchlight-mod")
    os.makedirs(m / "MEDIA/P")
    for i, (binary, source) in enumerate(pairs):
        for kind, path in (("B", binary), ("S", source)):
            m.put("MEDIA/P/%s%d.DAT" % (kind, i), path.read_bytes(), flags=MAKE)
    sync(m)
    equal = sum(m.get("MEDIA/P/B%d.DAT" % i) == m.get("MEDIA/P/S%d.DAT" % i)
                for i in range(len(pairs)))
    assert equal >= 0.9 * len(pairs), (equal, len(pairs))
    m.unmount()


def test_a_second_save_keeps_the_form(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    m.put("MEDIA/UNITS/A.DAT", b"[UNIT]\n<STRING>NOBODYS NAME:1\n[/UNIT]\n")
    sync(m)
    shown = m.get("MEDIA/UNITS/A.DAT")
    assert b"NOBODYS NAME" in shown
    for _ in range(2):
        sync(m)
        assert m.get("MEDIA/UNITS/A.DAT") == shown
        m.put("MEDIA/UNITS/A.DAT", shown)
    m.unmount()


def test_a_table_can_be_written_in_each_form(box):
    m = box.mount(box.add(small_mod(), "S.MOD"))
    table = "name\tfile\tguid\nCAF\u00c9\tMEDIA/X.DAT\t-5\n"
    for text in (table.encode("utf-8-sig"), b"\xff\xfe" + table.replace("\n", "\r\n").encode("utf-16-le")):
        m.put("MEDIA/SKILLS.RAW", text, flags=os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        assert m.get("MEDIA/SKILLS.RAW") == text
        sync(m)
        assert m.get("MEDIA/SKILLS.RAW") == table.encode()
        os.unlink(m / "MEDIA/SKILLS.RAW")
    m.unmount()


def check(box, *args):
    r = box.run("check", *args)
    assert r.err == "", r.err
    return r.code, r.out.splitlines()


def test_check_reports_parts_that_the_game_does_not_read(box):
    files = {"A.DAT": BROKEN[0], "B.DAT": dat("b")[:-1], "C.LAYOUT": b"[Layout]\n", "D.HIE": b"\x89PNG", "SKILLS.RAW": b"name\nx\n"}
    sound = {"E.DAT": dat("e"), "F.DAT": text_dat("f"), "G.LAYOUT": b"<GUILayout/>\n", "H.XML": BROKEN[0],
             "I.DAT": tlwrite.bindat(("ROOT", [("A", 5, struct.pack("<I", 1))], []), {1: "two\nlines"})}
    path = box.add(tlwrite.mod([("MEDIA/", n, b, False) for n, b in {**files, **sound}.items()]), "S.MOD")
    for options in [], ["-o", "text=off"], ["-o", "text=utf16"]:
        code, lines = check(box, *options, path)
        assert code == 0 and [line.split(": ")[:3] for line in lines] == [[path, "warning", "MEDIA/" + n] for n in files], lines
        assert "nor well-formed XML (line 2, column 1" in lines[0]
    assert check(box, box.add(small_mod(), "T.MOD")) == (0, [])


def test_check_reports_units_with_equal_guids(box):
    def unit(guid, *more):
        fields = [("UNIT_GUID", 5, struct.pack("<I", 1))] + [("DONTCREATE", 6, struct.pack("<I", 1))] * bool(more)
        return tlwrite.bindat(("UNIT", fields, []), {1: str(guid)})
    units = [("MEDIA/UNITS/ITEMS/", "B.DAT", unit(-5)), ("MEDIA/UNITS/ITEMS/", "A.DAT", unit(7)),
             ("MEDIA/UNITS/MONSTERS/", "C.DAT", unit(-5)), ("MEDIA/UNITS/PROPS/", "BASE.DAT", unit(-5, True)),
             ("MEDIA/UNITS/ITEMS/", "B.DAT", unit(-5)), ("MEDIA/SKILLS/", "D.DAT", unit(-5)),
             ("MEDIA/UNITS/ITEMS/", "T.DAT", b"[UNIT]\n<STRING>UNIT_GUID:7\n[/UNIT]\n")]
    path = box.add(tlwrite.mod([(d, n, b, False) for d, n, b in units]), "S.MOD")
    lines = ["%s: warning: MEDIA/UNITS/%s: UNIT_GUID is %s (also in MEDIA/UNITS/ITEMS/%s)" % (path, *x) for x in
             [("MONSTERS/C.DAT", -5, "B.DAT"), ("ITEMS/T.DAT", 7, "A.DAT")]]
    for options in [], ["-o", "text=utf16"]:
        assert check(box, *options, path) == (0, lines)
    reported = json.loads(box.run("check", "--json", path).out.splitlines()[0])
    assert (reported["level"], reported["path"], reported["field"], reported["value"], reported["bound"]) == (
        "warning", "MEDIA/UNITS/MONSTERS/C.DAT", "UNIT_GUID", -5, "also in MEDIA/UNITS/ITEMS/B.DAT")
