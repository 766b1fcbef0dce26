# SPDX-License-Identifier: Zlib
"""MOD.DAT, which the modding kit writes at the top of a mod's sources, gives a new mod its header."""
import json
import os
import subprocess

import pytest

import box as boxes
import places
from archives import Archive, small_mod
from tlbox import mount_new, sync
from test_index import write_sources

NEW = os.O_WRONLY | os.O_CREAT
FIELDS = ["<STRING>AUTHOR:Jörg", "<STRING>NAME:Scaling vendors", "<STRING>DESCRIPTION:They scale.",
          "<STRING>LONG_DESCRIPTION:They scale\\nand scale.", "<INTEGER64>MOD_ID:-2500774315",
          "<STRING>WEBSITE:https://example.org/", "<STRING>DOWNLOAD_URL:https://example.org/d",
          "<STRING>MOD_FILE_NAME:Scaling_vendors", "<INTEGER>VERSION:5"]
HEADER = {"title": "Scaling vendors", "author": "Jörg", "description": "They scale.", "website": "https://example.org/",
          "download": "https://example.org/d", "version": 6, "id": -2500774315}


AS_IT_SAYS = "the header (.mod/info.json) was taken from MOD.DAT"
OTHERWISE = "MOD.DAT differs from .mod/info.json, which is used: "


def kit_header(*fields):
    """A MOD.DAT as the kit writes it."""
    lines = ["[MOD]", *("\t" + f for f in fields or FIELDS), "[/MOD]", ""]
    return b"\xff\xfe" + "\r\n".join(lines).encode("utf-16-le")


def read_header(path):
    out = subprocess.run([places.BINARY, "cat", path, ".mod/info.json"], check=True, stdout=subprocess.PIPE, timeout=60)
    return json.loads(out.stdout)


def pack_files(box, files, name="NEW.MOD", *options):
    """Pack files; returns the archive, the exit code, and stderr."""
    made = os.path.join(box.maps, name)
    r = subprocess.run([places.BINARY, "pack", *options, write_sources(box, files), made], capture_output=True, text=True, timeout=60)
    assert "MOD.DAT" not in r.stdout  # MOD.DAT is no file of the mod
    box.allow(name, name + ".MAN")
    return made, r.returncode, r.stderr


def test_a_new_mod_gets_its_header_from_mod_dat(box):
    made, code, said = pack_files(box, {"mod.dat": kit_header(), "MOD.DAT.BINDAT": b"\x02\0\0\0", "media/a.ogg": "a"}, "NEW.MOD", "-v")
    assert code == 0 and said.splitlines() == [
        "mapfs: %s: 1 file ignored: made from other files of the map (MOD.DAT.BINDAT)" % (box.root + "/work"),
        "mapfs: %s: note: %s" % (made, AS_IT_SAYS)]
    assert HEADER.items() <= read_header(made).items()
    a = Archive(made)
    assert set(a.files) == {"MEDIA/A.OGG"} and (a.head["ver"], a.head["modver"], a.head["modid"]) == (4, 6, HEADER["id"])


def test_fields_that_mod_dat_lacks_stay(box):
    made, code, _ = pack_files(box, {"MOD.DAT": kit_header("<STRING>AUTHOR:x").decode("utf-16").replace("\r\n", "\n")})
    h = read_header(made)
    assert code == 0 and (h["title"], h["author"], h["version"]) == ("NEW", "x", 1) and h["id"] != 0


def test_info_json_wins_over_mod_dat(box):
    info = {"format": "mod", **HEADER, "title": "Other", "version": 5}
    made, code, said = pack_files(box, {"MOD.DAT": kit_header(), ".mod/info.json": json.dumps(info)})
    assert (code, said) == (0, "mapfs: %s: note: %sNAME, VERSION\n" % (made, OTHERWISE))
    assert info.items() <= read_header(made).items()


def test_equal_info_json_and_mod_dat_are_used(box):
    made, code, said = pack_files(box, {"MOD.DAT": kit_header(), ".mod/info.json": json.dumps(HEADER)})
    assert (code, said) == (0, "mapfs: %s: note: %s\n" % (made, AS_IT_SAYS)) and HEADER.items() <= read_header(made).items()


@pytest.mark.parametrize("text,reason", [
    (kit_header("<INTEGER>VERSION:65535"), "line 2, column 19: must be a number from 0 to 65534"),
    (kit_header("<INTEGER64>MOD_ID:many"), "line 2, column 20: must be a number of 64 bits"),
    (kit_header("<STRING>NAME:" + "x" * 65536), "line 2, column 15: the string has 65536 UTF-16 units (at most 65535)"),
    (b"[UNIT]\n[/UNIT]\n", "line 1, column 1: the root is [UNIT] (must be [MOD])"),
    (b"[MOD]\n", "line 1, column 1: [MOD] is not closed"),
    (b"\x02\0\0\0", "line 1, column 2")], ids=["version", "id", "long", "root", "open", "compiled"])
def test_an_invalid_mod_dat_is_refused(box, text, reason):
    made, code, said = pack_files(box, {"MOD.DAT": text, "media/a.ogg": "a"})
    assert code == 4 and reason in said and "MOD.DAT" in said and not os.path.exists(made)
    made, code, said = pack_files(box, {}, "NEW.MOD", "--skip-refused")
    assert code == 5 and reason in said and read_header(made)["title"] == "NEW"


def test_a_pak_takes_no_header(box):
    _, code, said = pack_files(box, {"MOD.DAT": kit_header(), "media/a.ogg": "a"}, "NEW.PAK")
    assert code == 5 and "MOD.DAT: ignored: not part of a map" in said


def test_an_existing_mod_keeps_its_header(box):
    old = box.add(small_mod(), "OLD.MOD")
    before = read_header(old)
    r = subprocess.run([places.BINARY, "pack", write_sources(box, {"MOD.DAT": kit_header(), "media/a.ogg": "a"}), "--onto", old],
                       capture_output=True, text=True, timeout=60)
    assert r.returncode == 5 and "MOD.DAT: ignored: not part of a map" in r.stderr and read_header(old) == before


@pytest.mark.parametrize("when", ["before", "after", "never"])
def test_the_order_of_writes_in_a_mount_does_not_count(box, when):
    m = mount_new(box, "NEW.MOD", "torchlight-mod")
    info = json.dumps({**HEADER, "title": "Other"}).encode()
    if when == "before":
        m.put(".mod/info.json", info)
    m.put("MOD.DAT", kit_header(), flags=NEW)
    m.put("MOD.DAT.BINDAT", b"\x02\0\0\0", flags=NEW)
    assert m.get("MOD.DAT") == kit_header() and "MOD.DAT" in os.listdir(m.point)
    if when == "after":
        m.put(".mod/info.json", info)
    r = m.unmount()
    assert (AS_IT_SAYS if when == "never" else OTHERWISE + "NAME\n") in r.out and "rescued:" not in r.out
    assert {**HEADER, "title": HEADER["title"] if when == "never" else "Other"}.items() <= read_header(m.map).items()


def test_a_removed_mod_dat_has_no_effect(box):
    m = mount_new(box, "NEW.MOD", "torchlight-mod")
    m.put("MOD.DAT", kit_header(), flags=NEW)
    os.unlink(m / "MOD.DAT")
    assert "taken from MOD.DAT" not in m.unmount().out
    assert read_header(m.map)["title"] == "NEW"


def test_mod_dat_survives_a_kill_and_a_save(box):
    m = mount_new(box, "NEW.MOD", "torchlight-mod")
    m.put("MOD.DAT", kit_header(), flags=NEW)
    assert boxes.get(m / "MOD.DAT") == kit_header()
    box.kill_worker()
    m = box.mount(m.map)
    sync(m)
    assert HEADER.items() <= json.loads(m.get(".mod/info.json")).items()
    m.put(".mod/info.json", m.get(".mod/info.json").replace(b"vendors", b"smiths"))
    m.unmount()
    assert read_header(m.map)["title"] == "Scaling smiths" and read_header(m.map)["version"] == 6


@pytest.mark.parametrize("kill", [False, True])
def test_mod_dat_counts_after_a_save(box, kill):
    m = mount_new(box, "NEW.MOD", "torchlight-mod")
    m.put("MOD.DAT", kit_header(), flags=NEW)
    m.put("MOD.DAT.BINDAT", b"\x02\0\0\0", flags=NEW)
    sync(m)
    assert m.get("MOD.DAT") == kit_header() and m.xattr("", "user.mapfs.status") == ""
    m.put("MOD.DAT", kit_header("<STRING>NAME:Elsewhere"))
    if kill:
        box.kill_worker()
        m = box.mount(m.map)
    assert m.get("MOD.DAT") == kit_header("<STRING>NAME:Elsewhere")
    assert "rescued:" not in m.unmount().out and read_header(m.map)["title"] == "Elsewhere"
    # The file is not in the mod, and no other mount shows it.
    m = box.mount(m.map)
    assert sorted(os.listdir(m.point)) == [".mod", "MEDIA"]
    m.unmount()


def test_an_invalid_mod_dat_is_refused_at_close(box):
    m = mount_new(box, "NEW.MOD", "torchlight-mod")
    with pytest.raises(OSError):
        m.put("MOD.DAT", b"[MOD]\n", flags=NEW)
    assert b"[MOD] is not closed" in os.getxattr(m / "MOD.DAT", "user.mapfs.error")
    m.put("MOD.DAT", kit_header(), flags=os.O_WRONLY | os.O_TRUNC)
    m.unmount()
    assert HEADER.items() <= read_header(m.map).items()
