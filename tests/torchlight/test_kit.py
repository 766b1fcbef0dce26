# SPDX-License-Identifier: Zlib
"""MOD.DAT, which the modding kit has at the top of a mod's sources: a new mod has its header from it."""
import json
import os
import subprocess

import pytest

import box as boxes
import places
from archives import Archive, small_mod
from tlbox import new, sync
from test_index import work

NEW = os.O_WRONLY | os.O_CREAT
FIELDS = ["<STRING>AUTHOR:Jörg", "<STRING>NAME:Scaling vendors", "<STRING>DESCRIPTION:They scale.",
          "<STRING>LONG_DESCRIPTION:They scale\\nand scale.", "<INTEGER64>MOD_ID:-2500774315",
          "<STRING>WEBSITE:https://example.org/", "<STRING>DOWNLOAD_URL:https://example.org/d",
          "<STRING>MOD_FILE_NAME:Scaling_vendors", "<INTEGER>VERSION:5"]
HEADER = {"title": "Scaling vendors", "author": "Jörg", "description": "They scale.", "website": "https://example.org/",
          "download": "https://example.org/d", "version": 6, "id": -2500774315}


AS_IT_SAYS = "the header (.mod/info.json) was taken from MOD.DAT"
OTHERWISE = "MOD.DAT differs from .mod/info.json, which is used: "


def kit(*fields):
    """As the kit writes it."""
    lines = ["[MOD]", *("\t" + f for f in fields or FIELDS), "[/MOD]", ""]
    return b"\xff\xfe" + "\r\n".join(lines).encode("utf-16-le")


def header(path):
    out = subprocess.run([places.BINARY, "cat", path, ".mod/info.json"], check=True, stdout=subprocess.PIPE, timeout=60)
    return json.loads(out.stdout)


def pack(box, files, name="NEW.MOD", *options):
    """What was made, its exit code, and what was said."""
    made = os.path.join(box.maps, name)
    r = subprocess.run([places.BINARY, "pack", *options, work(box, files), made], capture_output=True, text=True, timeout=60)
    assert "MOD.DAT" not in r.stdout  # it is no file of the mod
    box.allow(name, name + ".MAN")
    return made, r.returncode, r.stderr


def test_a_new_mod_has_its_header_from_it(box):
    made, code, said = pack(box, {"mod.dat": kit(), "MOD.DAT.BINDAT": b"\x02\0\0\0", "media/a.ogg": "a"}, "NEW.MOD", "-v")
    assert code == 0 and said.splitlines() == [
        "mapfs: %s: 1 file ignored: made from other files of the map (MOD.DAT.BINDAT)" % (box.root + "/work"),
        "mapfs: %s: note: %s" % (made, AS_IT_SAYS)]
    assert HEADER.items() <= header(made).items()
    a = Archive(made)
    assert set(a.files) == {"MEDIA/A.OGG"} and (a.head["ver"], a.head["modver"], a.head["modid"]) == (4, 6, HEADER["id"])


def test_what_it_does_not_say_stays(box):
    made, code, _ = pack(box, {"MOD.DAT": kit("<STRING>AUTHOR:x").decode("utf-16").replace("\r\n", "\n")})
    h = header(made)
    assert code == 0 and (h["title"], h["author"], h["version"]) == ("NEW", "x", 1) and h["id"] != 0


def test_where_both_are_info_json_decides(box):
    info = {"format": "mod", **HEADER, "title": "Other", "version": 5}
    made, code, said = pack(box, {"MOD.DAT": kit(), ".mod/info.json": json.dumps(info)})
    assert (code, said) == (0, "mapfs: %s: note: %sNAME, VERSION\n" % (made, OTHERWISE))
    assert info.items() <= header(made).items()


def test_where_both_say_the_same_that_counts(box):
    made, code, said = pack(box, {"MOD.DAT": kit(), ".mod/info.json": json.dumps(HEADER)})
    assert (code, said) == (0, "mapfs: %s: note: %s\n" % (made, AS_IT_SAYS)) and HEADER.items() <= header(made).items()


@pytest.mark.parametrize("text,reason", [
    (kit("<INTEGER>VERSION:65535"), "line 2, column 19: must be a number from 0 to 65534"),
    (kit("<INTEGER64>MOD_ID:many"), "line 2, column 20: must be a number of 64 bits"),
    (kit("<STRING>NAME:" + "x" * 65536), "line 2, column 15: the string has 65536 UTF-16 units (at most 65535)"),
    (b"[UNIT]\n[/UNIT]\n", "line 1, column 1: the root is [UNIT] (must be [MOD])"),
    (b"[MOD]\n", "line 1, column 1: [MOD] is not closed"),
    (b"\x02\0\0\0", "line 1, column 2")], ids=["version", "id", "long", "root", "open", "compiled"])
def test_what_is_none_is_refused(box, text, reason):
    made, code, said = pack(box, {"MOD.DAT": text, "media/a.ogg": "a"})
    assert code == 4 and reason in said and "MOD.DAT" in said and not os.path.exists(made)
    made, code, said = pack(box, {}, "NEW.MOD", "--skip-refused")
    assert code == 5 and reason in said and header(made)["title"] == "NEW"


def test_a_pak_has_no_header_to_take(box):
    _, code, said = pack(box, {"MOD.DAT": kit(), "media/a.ogg": "a"}, "NEW.PAK")
    assert code == 5 and "MOD.DAT: ignored: not part of a map" in said


def test_a_mod_that_is_there_has_its_own(box):
    old = box.add(small_mod(), "OLD.MOD")
    before = header(old)
    r = subprocess.run([places.BINARY, "pack", work(box, {"MOD.DAT": kit(), "media/a.ogg": "a"}), "--onto", old],
                       capture_output=True, text=True, timeout=60)
    assert r.returncode == 5 and "MOD.DAT: ignored: not part of a map" in r.stderr and header(old) == before


@pytest.mark.parametrize("when", ["before", "after", "never"])
def test_in_a_mount_the_order_does_not_count(box, when):
    m = new(box, "NEW.MOD", "torchlight-mod")
    info = json.dumps({**HEADER, "title": "Other"}).encode()
    if when == "before":
        m.put(".mod/info.json", info)
    m.put("MOD.DAT", kit(), flags=NEW)
    m.put("MOD.DAT.BINDAT", b"\x02\0\0\0", flags=NEW)
    assert m.get("MOD.DAT") == kit() and "MOD.DAT" in os.listdir(m.point)
    if when == "after":
        m.put(".mod/info.json", info)
    r = m.unmount()
    assert (AS_IT_SAYS if when == "never" else OTHERWISE + "NAME\n") in r.out and "rescued:" not in r.out
    assert {**HEADER, "title": HEADER["title"] if when == "never" else "Other"}.items() <= header(m.map).items()


def test_removed_it_says_nothing(box):
    m = new(box, "NEW.MOD", "torchlight-mod")
    m.put("MOD.DAT", kit(), flags=NEW)
    os.unlink(m / "MOD.DAT")
    assert "taken from MOD.DAT" not in m.unmount().out
    assert header(m.map)["title"] == "NEW"


def test_it_survives_a_kill_and_a_save(box):
    m = new(box, "NEW.MOD", "torchlight-mod")
    m.put("MOD.DAT", kit(), flags=NEW)
    assert boxes.get(m / "MOD.DAT") == kit()
    box.kill_worker()
    m = box.mount(m.map)
    sync(m)
    assert HEADER.items() <= json.loads(m.get(".mod/info.json")).items()
    m.put(".mod/info.json", m.get(".mod/info.json").replace(b"vendors", b"smiths"))
    m.unmount()
    assert header(m.map)["title"] == "Scaling smiths" and header(m.map)["version"] == 6


@pytest.mark.parametrize("kill", [False, True])
def test_after_a_save_it_counts_as_before(box, kill):
    m = new(box, "NEW.MOD", "torchlight-mod")
    m.put("MOD.DAT", kit(), flags=NEW)
    m.put("MOD.DAT.BINDAT", b"\x02\0\0\0", flags=NEW)
    sync(m)
    assert m.get("MOD.DAT") == kit() and m.xattr("", "user.mapfs.status") == ""
    m.put("MOD.DAT", kit("<STRING>NAME:Elsewhere"))
    if kill:
        box.kill_worker()
        m = box.mount(m.map)
    assert m.get("MOD.DAT") == kit("<STRING>NAME:Elsewhere")
    assert "rescued:" not in m.unmount().out and header(m.map)["title"] == "Elsewhere"
    # It is no file of the mod, and no other mount has it.
    m = box.mount(m.map)
    assert sorted(os.listdir(m.point)) == [".mod", "MEDIA"]
    m.unmount()


def test_in_a_mount_what_is_none_is_refused_at_close(box):
    m = new(box, "NEW.MOD", "torchlight-mod")
    with pytest.raises(OSError):
        m.put("MOD.DAT", b"[MOD]\n", flags=NEW)
    assert b"[MOD] is not closed" in os.getxattr(m / "MOD.DAT", "user.mapfs.error")
    m.put("MOD.DAT", kit(), flags=os.O_WRONLY | os.O_TRUNC)
    m.unmount()
    assert HEADER.items() <= header(m.map).items()
