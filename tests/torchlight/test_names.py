# SPDX-License-Identifier: Zlib
"""Property names that compiled files do not hold: from the file's list, learnt from texts, or shown as numbers."""
import errno
import os
import pathlib
import re
import struct
import time

import pytest

import tlread
import tlwrite
from archives import Archive, dat
from tlbox import sync


def test_names_that_a_file_lists_are_shown(box):
    unknown = tlwrite.bindat(("FOOBARBAZ", [("QUXQUUX", 1, struct.pack("<i", 1))], []), {})
    path = box.add(tlwrite.mod([("MEDIA/", "U.DAT", unknown, False)]), "S.MOD")
    m = box.mount(path)
    assert b"UNK_%08X" % tlread.name_hash("QUXQUUX") in m.get("MEDIA/U.DAT")
    m.unmount()
    names = pathlib.Path(box.home) / "names.txt"
    names.write_text("foobarbaz\nQUXQUUX\n")
    m = box.mount(path, opts="names=%s" % names)
    assert m.get("MEDIA/U.DAT") == b"[FOOBARBAZ]\n\t<INTEGER>QUXQUUX:1\n[/FOOBARBAZ]\n"
    m.unmount()


def test_names_are_learnt_from_written_texts(box):
    unknown = tlwrite.bindat(("UNIT", [("QUXQUUX", 1, struct.pack("<i", 1))], []), {})
    m = box.mount(box.add(tlwrite.mod([("MEDIA/", "U.DAT", unknown, False),
                                       ("MEDIA/", "V.DAT", dat("v"), False)]), "S.MOD"))
    before = m.get("MEDIA/U.DAT")
    assert b"UNK_" in before
    m.put("MEDIA/V.DAT", b"[UNIT]\n\t<INTEGER>QUXQUUX:2\n[/UNIT]\n")
    assert m.get("MEDIA/V.DAT") == b"[UNIT]\n\t<INTEGER>QUXQUUX:2\n[/UNIT]\n"
    # Names that one text teaches change no other file.
    assert m.get("MEDIA/U.DAT") == before
    sync(m)
    assert m.get("MEDIA/V.DAT") == b"[UNIT]\n\t<INTEGER>QUXQUUX:2\n[/UNIT]\n"
    assert m.get("MEDIA/U.DAT") == before
    m.put("MEDIA/W.OGG", b"", flags=os.O_WRONLY | os.O_CREAT)
    box.kill_worker()
    m = box.mount(m.map)
    assert m.get("MEDIA/V.DAT") == b"[UNIT]\n\t<INTEGER>QUXQUUX:2\n[/UNIT]\n"
    assert m.get("MEDIA/U.DAT") == before
    m.put("MEDIA/U.DAT", before.replace(b":1", b":3"))
    sync(m)
    assert m.get("MEDIA/U.DAT") == b"[UNIT]\n\t<INTEGER>QUXQUUX:3\n[/UNIT]\n"
    m.unmount()


def test_an_unknown_name_is_reported_once_at_the_save(box):
    m = box.mount(box.add(tlwrite.mod([("MEDIA/", "V.DAT", dat("v"), False),
                                       ("MEDIA/", "W.DAT", dat("w"), False)]), "S.MOD"))
    for name in "VW":
        m.put("MEDIA/%s.DAT" % name, b"[UNIT]\n\t<STRING>NAME:x\n\t<INTEGER>LEVLE:2\n"
              b"\t<INTEGER>UNK_0000ABCD:2\n[/UNIT]\n")
    # A name that was corrected before the save is not reported.
    m.put("MEDIA/W.DAT", b"[UNIT]\n\t<STRING>NAEM:x\n[/UNIT]\n")
    m.put("MEDIA/W.DAT", b"[UNIT]\n\t<STRING>NAME:x\n\t<INTEGER>LEVLE:3\n[/UNIT]\n")
    out = m.unmount().out
    assert out.count("LEVLE") == 1 and "MEDIA/V.DAT: the name LEVLE is in no table" in out, out
    assert "NAEM" not in out and "NAME" not in out and "ABCD" not in out


def test_a_name_of_digits_is_a_hash(box):
    """GUTS and RGLib print unknown names as digits, and compile the digits as a name."""
    m = box.mount(box.add(tlwrite.mod([("MEDIA/", "V.DAT", dat("v"), False)]), "S.MOD"))
    text = b"[UNIT]\n\t<BOOL>2770992901:true\n\t<INTEGER>12345:1\n\t[1000000]\n\t[/1000000]\n[/UNIT]\n"
    m.put("MEDIA/V.DAT", text)
    out = m.unmount().out
    assert "note: 2 names in digits are read as hashes (MEDIA/V.DAT: " in out, out
    assert "MEDIA/V.DAT: the name 12345 is in no table (check its spelling)" in out, out
    hashes, fields, blocks = tlread.bindat(Archive(m.map).one("MEDIA/V.DAT"))["root"]
    assert [f[0] for f in fields] == [2770992901, tlread.name_hash("12345")] and blocks[0][0] == 1000000
    m = box.mount(m.map)
    assert b"<BOOL>UNK_A529FF05:true" in m.get("MEDIA/V.DAT")
    m.put("MEDIA/V.DAT", text)
    sync(m)
    assert m.get("MEDIA/V.DAT") == text
    m.unmount()
    assert tlread.bindat(Archive(m.map).one("MEDIA/V.DAT"))["root"] == (hashes, fields, blocks)


def test_a_lowercase_type_is_a_string_with_a_note(box):
    """The kit reads it so, too."""
    m = box.mount(box.add(tlwrite.mod([("MEDIA/", n + ".DAT", dat(n), False) for n in "VW"]), "S.MOD"))
    m.put("MEDIA/V.DAT", b"[UNIT]\n\t<STRING>NAME:v\n\t<integer>LEVEL:2\n\t<Float>RANGE:2\n[/UNIT]\n")
    out = m.unmount().out
    assert "note: 1 file has types in lower case, which turn any value into a STRING (MEDIA/V.DAT: line 3)" in out, out
    m = box.mount(m.map)
    assert m.get("MEDIA/V.DAT") == b"[UNIT]\n\t<STRING>NAME:v\n\t<STRING>LEVEL:2\n\t<STRING>RANGE:2\n[/UNIT]\n"
    m.put("MEDIA/W.DAT", b"[UNIT]\n\t<string>NAME:w\n[/UNIT]\n")
    assert "lower case" not in m.unmount().out


def test_many_unknown_names_are_counted_fast(box):
    m = box.mount(box.add(tlwrite.mod([("MEDIA/", "V.DAT", dat("v"), False)]), "S.MOD"))
    fields = "".join("\t<INTEGER>K%d:1\n" % (i % 320000) for i in range(320100))
    begin = time.monotonic()
    m.put("MEDIA/V.DAT", ("[UNIT]\n%s[/UNIT]\n" % fields).encode())
    wrote = time.monotonic() - begin
    out = m.unmount().out
    assert out.count("(check its spelling)") == 20 and re.search("3199.. more names are in no table", out)
    assert time.monotonic() - begin < 5 * wrote + 60  # quadratic time would be minutes


UNKNOWN = ("[Layout]\n\t<INTEGER>VERSION:4\n\t<UNSIGNED INT>COUNT:1\n\t[OBJECTS]\n\t\t[BASEOBJECT]\n"
           "\t\t\t[PROPERTIES]\n\t\t\t\t<STRING>DESCRIPTOR:Unit Trigger\n"
           "\t\t\t\t<STRING>NAME:Unit Trigger\n\t\t\t\t<INTEGER64>ID:7\n"
           "\t\t\t\t<INTEGER64>PARENTID:-1\n\t\t\t\t<FLOAT>%s:0.25\n\t\t\t[/PROPERTIES]\n"
           "\t\t\t[CHILDREN]\n\t\t\t[/CHILDREN]\n\t\t[/BASEOBJECT]\n\t[/OBJECTS]\n[/Layout]\n")


def layout_mod(*names):
    """A mod of layouts with a property that no table has."""
    one = tlwrite.layout([lambda at: tlwrite.layout_object(
        at, 4, 7, props=[(250, struct.pack("<f", 0.25))])])
    return one, tlwrite.mod([("MEDIA/", n, one, False) for n in names])


def test_the_kits_text_over_its_compiled_file_teaches_names(box):
    one, mod = layout_mod("A.LAYOUT", "B.LAYOUT")
    path = box.add(mod, "S.MOD")
    m = box.mount(path)
    assert m.get("MEDIA/A.LAYOUT").decode() == UNKNOWN % "P_250"
    kits = b"\xff\xfe" + (UNKNOWN % "QUARTER").replace("\n", "\r\n").encode("utf-16-le")
    m.put("MEDIA/A.LAYOUT", kits)
    sync(m)
    assert m.get("MEDIA/A.LAYOUT").decode() == UNKNOWN % "QUARTER"
    assert m.get("MEDIA/B.LAYOUT").decode() == UNKNOWN % "P_250"
    m.put("MEDIA/B.LAYOUT", kits)
    m.put("MEDIA/NEW.LAYOUT", kits, flags=os.O_WRONLY | os.O_CREAT)
    sync(m)
    assert m.get("MEDIA/B.LAYOUT").decode() == UNKNOWN % "QUARTER"
    assert m.get("MEDIA/NEW.LAYOUT").decode() == UNKNOWN % "QUARTER"
    m.unmount()
    assert Archive(path).files["MEDIA/NEW.LAYOUT"] == [one]
    assert Archive(path).files["MEDIA/A.LAYOUT"] == [one]


def test_a_wrong_value_of_a_learnt_name_is_refused_at_close(box):
    m = box.mount(box.add(layout_mod("A.LAYOUT")[1], "S.MOD"))
    with pytest.raises(OSError) as e:
        m.put("MEDIA/A.LAYOUT", (UNKNOWN % "QUARTER").replace("0.25", "x").encode())
    assert e.value.errno == errno.EINVAL
    assert "line 11" in m.xattr("MEDIA/A.LAYOUT", "user.mapfs.error")
    m.put("MEDIA/A.LAYOUT", (UNKNOWN % "QUARTER").encode())
    m.unmount()


def test_a_layout_text_with_an_unknown_name_is_refused(box):
    box.allow("*.mapfs-left")
    m = box.mount(box.add(layout_mod("A.LAYOUT")[1], "S.MOD"))
    # Another file could teach the name, so only the save refuses it.
    m.put("MEDIA/NEW.LAYOUT", (UNKNOWN % "QUARTER").encode(), flags=os.O_WRONLY | os.O_CREAT)
    why = m.xattr("MEDIA/NEW.LAYOUT", "user.mapfs.error")
    assert "line 11" in str(why) and "QUARTER" in str(why) and "DESCRIPTOR Unit Trigger" in str(why)
    assert "NEW.LAYOUT" in m.xattr("", "user.mapfs.status")
    m.unmount(code=5)
    assert "MEDIA/NEW.LAYOUT" not in Archive(m.map).files


def test_a_text_refused_for_a_name_is_accepted_after_the_name_is_learnt(box):
    one, mod = layout_mod("A.LAYOUT")
    m = box.mount(box.add(mod, "S.MOD"))
    text = (UNKNOWN % "QUARTER").encode()
    os.mkdir(m / "MEDIA/DEEP")
    m.put("MEDIA/DEEP/NEW.LAYOUT", text, flags=os.O_WRONLY | os.O_CREAT)
    assert "QUARTER" in m.xattr("MEDIA/DEEP/NEW.LAYOUT", "user.mapfs.error")
    m.put("MEDIA/A.LAYOUT", text)  # over its compiled file
    # Names from a text count from the next save on.
    assert "QUARTER" in m.xattr("MEDIA/DEEP/NEW.LAYOUT", "user.mapfs.error")
    sync(m)
    assert "refused" not in m.xattr("", "user.mapfs.status")
    m.unmount()
    assert Archive(m.map).files["MEDIA/DEEP/NEW.LAYOUT"] == [one]


def test_a_table_of_layouts_in_the_list_of_names_is_used(box):
    names = pathlib.Path(box.home) / "names.txt"
    names.write_text("4\tUnit Trigger\t250\tQUARTER\tFLOAT\n")
    one, mod = layout_mod("A.LAYOUT")
    m = box.mount(box.add(mod, "S.MOD"), opts="names=%s" % names)
    assert m.get("MEDIA/A.LAYOUT").decode() == UNKNOWN % "QUARTER"
    m.put("MEDIA/NEW.LAYOUT", (UNKNOWN % "QUARTER").encode(), flags=os.O_WRONLY | os.O_CREAT)
    m.unmount()
    assert Archive(m.map).files["MEDIA/NEW.LAYOUT"] == [one]
