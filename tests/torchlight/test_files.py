# SPDX-License-Identifier: Zlib
"""Compiled files and archives, generated and real, compared with an independent reader (tlread.py)."""
import csv
import hashlib
import os
import pathlib
import struct
import subprocess

import pytest

import places
import tlfixtures
import tlread
import tlwrite

HERE = pathlib.Path(__file__).resolve().parent

TOOL = os.environ.get("TL_TOOL", "")
SHARED = pathlib.Path(os.environ.get("MAPFS_SHARED", HERE.parents[1].parent / "shared"))
CORPUS = SHARED / "corpus" / "torchlight"
ENDINGS = (".DAT", ".TEMPLATE", ".ANIMATION", ".HIE", ".LAYOUT")
RAWS = ("AFFIXES", "MISSILES", "ROOMPIECES", "SKILLS", "TRIGGERABLES", "UI", "UNITDATA")
# Made by the game's own tool; another packer with another compression made the others.
GUTS = ("ADVENTURE_MODE.MOD", "CYBER_EDITORMOD_dupname.MOD", "Commando.mod", "XOVER_EDITORMOD.MOD",
        "flasks.mod")


def tool(*args, data=b"", code=0):
    run = subprocess.run([TOOL, *map(str, args)], input=data, capture_output=True, check=False)
    assert run.returncode == code, (args, run.returncode, run.stderr.decode())
    return run.stderr.decode() if code == 1 else run.stdout


def corpus(name):
    path = CORPUS / name
    if not path.exists():
        pytest.skip(places.NO_SHARED)
    return path


def split(path):
    """(header or None, section, manifest) of a MOD, from the independent reader."""
    data = path.read_bytes()
    head = tlread.modheader(data)
    return head, data[head["offdata"]:head["offman"]], data[head["offman"]:]


def kind_of(path):
    name = path.rsplit("/", 1)[-1].upper()
    if name.endswith(".RAW") and name[:-4] in RAWS:
        return name[:-4]
    if name.endswith(".LAYOUT"):
        return "LAYOUT"
    return "DAT" if name.endswith(ENDINGS) else None


def content_of(path, data):
    """The content of a compiled file, without ids and offsets."""
    kind = kind_of(path)
    if kind == "DAT":
        return tlread.bindat(data)["root"]
    if kind != "LAYOUT":
        return tlread.raw(kind, data)

    def objects(found):
        return [(o["type"], o["id"], o["name"], o["props"], o.get("parsed", o["extra"]),
                 objects(o["children"])) for o in found]

    def node(d):
        if d is None:
            return None
        return ([v for k, v in d.items() if k not in ("at", "notag", "children")],
                [node(c) for c in d["children"]])
    layout = tlread.binlayout(data)
    return objects(layout["objects"]), node(layout["datagroup"])


def corpus_files():
    """(name, path in an archive, bytes) of every compiled file in the corpus."""
    corpus("mods")
    for mod in sorted((CORPUS / "mods").iterdir()):
        _, section, man = split(mod)
        for path, entries in tlread.manifest(man)["dirs"]:
            for e in entries:
                if e["offset"] and kind_of(e["name"]):
                    yield mod.name + ":" + path + e["name"], path + e["name"], tlread.block(
                        section, e["offset"])[0]
    for path in sorted((CORPUS / "layouts").iterdir()) + sorted((CORPUS / "raw").iterdir()):
        name = path.name.upper()
        for ending in (".BINDAT", ".BINLAYOUT"):
            name = name.removesuffix(ending)
        if name.endswith(".RAW"):
            name = next(w for w in name[:-4].split("_") if w in RAWS) + ".RAW"
        elif "__" in name and not name.endswith(ENDINGS):
            name = "X.DAT"
        yield path.name, "MEDIA/" + name, path.read_bytes()
    for source, path, binary in corpus_pairs():
        yield str(source), path, binary.read_bytes()


def corpus_pairs():
    """(text file, path in an archive, compiled file) of every pair in the corpus."""
    found = []
    for binary in sorted(corpus("pairs").rglob("*.BIN*")):
        stem = binary.name.upper().rsplit(".", 1)[0]
        for source in binary.parent.iterdir():
            if source.name.upper() == stem:
                at = str(source).upper().find("/MEDIA/")
                found.append((source, str(source).upper()[at + 1:] if at >= 0 else stem, binary))
    return found


def round_trip(path, data, tmp_path):
    old = tmp_path / "old"
    old.write_bytes(data)
    text = tool("decode", path, data=data)
    assert tool("encode", path, old, data=text) == data
    wide = tool("decode", path, "utf16", data=data)
    if kind_of(path) in ("DAT", "LAYOUT"):
        assert wide[:2] == b"\xff\xfe"
        assert wide[2:].decode("utf-16-le", "surrogatepass").replace("\r\n", "\n") == text.decode(
            "utf-8", "surrogatepass")
    assert tool("encode", path, old, data=wide) == data
    fresh = tool("encode", path, data=text)
    assert tool("decode", path, data=fresh) == text
    return text, fresh


@pytest.mark.parametrize("path", sorted(tlfixtures.compiled()))
def test_generated_file_survives_a_round_trip(path, tmp_path):
    data = tlfixtures.compiled()[path]
    before = content_of(path, data)
    _, fresh = round_trip(path, data, tmp_path)
    assert content_of(path, fresh) == before


@pytest.mark.parametrize("path", sorted(tlfixtures.compiled()))
def test_damaged_file_is_read_or_refused(path):
    tool("damage", path, data=tlfixtures.compiled()[path])


def test_equal_strings_keep_their_different_ids(tmp_path):
    data = tlfixtures.compiled()["MEDIA/TWINS.DAT"]
    old = tmp_path / "old"
    old.write_bytes(data)
    text = tool("decode", "MEDIA/TWINS.DAT", data=data).replace(b"[ROOT]", b"[ROOT]", 1)
    assert tool("encode", "MEDIA/TWINS.DAT", old, data=text) == data


def test_text_instead_of_a_compiled_file_is_refused():
    assert "the first byte" in tool("decode", "MEDIA/X.LAYOUT", data=b"\xff\xfe[\0", code=1)


def test_every_compiled_corpus_file_survives_a_round_trip_bit_by_bit(tmp_path):
    count = 0
    for name, path, data in corpus_files():
        if data[:2] == b"\xff\xfe":
            continue  # a text that one packer stored under the name of a compiled file
        print(name)
        text, fresh = round_trip(path, data, tmp_path)
        assert content_of(path, fresh) == content_of(path, data)
        if kind_of(path) == "LAYOUT":
            assert b">P_" not in text and b"DESCRIPTOR:TYPE_" not in text
        count += 1
    assert count == 260


def _same_number(a, b):
    """The modding kit prints six digits, mapfs prints all."""
    try:
        return "%.6g" % float(a) == "%.6g" % float(b)
    except ValueError:
        return False


def _same_line(kit, ours):
    if kit == ours:
        return True
    head, value = kit.split(":", 1)
    our_head, our_value = ours.split(":", 1)
    if head.upper().replace("<TRANSLATE>", "<STRING>") == our_head.upper() and value == our_value:
        return True
    if head != our_head:
        return False
    if "<BOOL>" in head:
        return {"0": "false", "1": "true"}.get(value) == our_value
    return "<FLOAT>" in head and _same_number(value, our_value)


def test_text_equals_the_kits_except_for_bool_words_and_digits():
    found = corpus_pairs()
    assert len(found) == 60
    for source, path, binary in found:
        ours = tool("decode", path, data=binary.read_bytes()).decode().split("\n")
        raw = source.read_bytes()
        kit = raw.decode("utf-16" if raw[:2] == b"\xff\xfe" else "utf-8").replace("\r\n", "\n")
        kit = [x for x in kit.split("\n") if x.strip() and "<STRING>ALLOWED:" not in x]
        ours = [x for x in ours if x]
        assert len(kit) == len(ours), source
        for a, b in zip(kit, ours):
            assert _same_line(a.strip(), b.strip()), (source, a, b)


def test_compiled_text_of_the_kit_equals_the_kits_file():
    different = []
    for source, path, binary in corpus_pairs():
        if tool("encode", path, binary, data=source.read_bytes()) != binary.read_bytes():
            different.append(binary.name)
    # The kit's text has six digits, and some numbers need more.
    assert sorted(different) == ["COMMANDO_CHARGE_BAR_TOOLTIP.LAYOUT.BINLAYOUT",
                                 "SKILL_TREE_COMMANDO.layout.BINLAYOUT",
                                 "missile_proc.layout.BINLAYOUT",
                                 "pistol_charge.layout.BINLAYOUT"]


# ---- archives

def write(tmp_path, *parts):
    paths = [tmp_path / name for name in ("X.PAK", "X.PAK.MAN")]
    for path, data in zip(paths, parts):
        path.write_bytes(data)
    return paths[:len(parts)]


def dump_archive(*archive):
    data, out, at = tool("dump", *archive), [], 0
    while at < len(data):
        n = struct.unpack_from("<Q", data, at)[0]
        out.append(data[at + 8:at + 8 + n])
        at += 8 + n
    return out


FILES = [("MEDIA/", "A.TXT", b"hello" * 100, False), ("MEDIA/", "B.JPG", b"stored", True),
         ("MEDIA/", "EMPTY", b"", True), ("MEDIA/D 'x'/", "A B.C.DAT", b"\0" * 5000, False)]


@pytest.mark.parametrize("ver", [1, 2, 3, 4])
def test_every_header_version_is_read_and_written(ver, tmp_path):
    reqs = [("Other", -3, 7)]
    dels = ["MEDIA/GONE.DAT"] if ver >= 3 else []
    mod = tlwrite.mod(FILES, removed=dels, ver=ver, reqs=reqs,
                      strings=("天\ud800", "a", "b", "c", "d"))
    archive = write(tmp_path, mod)
    listing = tool("list", *archive).decode("utf-8", "surrogatepass").split("\n")
    assert "ver\t%d" % ver in listing
    assert "title\t天\ud800" in listing and "download\td" in listing and "modid\t-5" in listing
    assert "req\tOther\t-3\t%d" % (7 if ver >= 2 else 0) in listing
    assert ("del\tMEDIA/GONE.DAT" in listing) == (ver >= 3)
    assert "hash_ok\t1" in listing
    assert dump_archive(*archive) == [f[2] for f in FILES]


@pytest.mark.parametrize("ver", [1, 2, 3, 4])
def test_mod_of_every_version_is_rewritten_unchanged(ver, tmp_path):
    files = [f for f in FILES if not f[3]]
    dels = ["MEDIA/GONE.DAT"] if ver >= 3 else []
    mod = tlwrite.mod(files, removed=dels, ver=ver, reqs=[("Other", -3, 7)])
    assert tool("rewrite", *write(tmp_path, mod)) == mod


@pytest.mark.parametrize("version", [0, 2])
@pytest.mark.parametrize("header", [4, 8])
def test_pak_and_manifest_of_every_form_are_rewritten_unchanged(version, header, tmp_path):
    pak = tlwrite.Pak(header)
    contents = [b"x" * 3000, bytes(range(256)) * 9]
    entries = [tlwrite.entry("F%d" % i, pak.add(c), c, time=i) for i, c in enumerate(contents)]
    section = pak.finish(b"tail")
    man = tlwrite.manifest([("MEDIA/", entries)], version=version, total=3, step=17)
    archive = write(tmp_path, section, man)
    assert dump_archive(*archive) == contents
    assert tool("rewrite", *archive) == section + man
    assert b"hash_ok\t1" in tool("list", *archive)


def test_wrong_hash_is_reported_but_not_refused(tmp_path):
    pak = tlwrite.Pak()
    man = tlwrite.manifest([("MEDIA/", [tlwrite.entry("F", pak.add(b"x"), b"x")])])
    section = bytearray(pak.finish())
    section[4] ^= 1
    assert b"hash_ok\t0" in tool("list", *write(tmp_path, bytes(section), man))


def test_tree_merges_directories_and_keeps_all_names(tmp_path):
    e = tlwrite.entry
    records = [("", [e("MEDIA/", kind=7)]),
               ("MEDIA/", [e("A.X"), e("a.x"), e("A~2.X"), e(".."), e(""), e("sl/ash"), e("b")]),
               ("media/DEEP/ER/", [e("F")]),
               ("MEDIA/", [e("EMPTY/", kind=7), e("DEEP/", kind=7)]),
               ("MEDIA/DEEP/", [e("ER/", kind=7), e("ER")]),
               ("MEDIA/LONG/", [e("N" * 300 + str(i)) for i in range(3)])]
    archive = write(tmp_path, tlwrite.Pak().finish(), tlwrite.manifest(records))
    tree = tool("tree", *archive).decode().split("\n")[:-1]
    long = [x for x in tree if x.startswith("MEDIA/LONG/N")]
    assert sorted(x for x in tree if x not in long) == sorted([
        "MEDIA/", "MEDIA/%", "MEDIA/%2E%2E", "MEDIA/A.X", "MEDIA/a~3.x", "MEDIA/A~2.X", "MEDIA/b",
        "MEDIA/sl%2Fash", "MEDIA/EMPTY/", "MEDIA/LONG/", "MEDIA/DEEP/", "MEDIA/DEEP/ER/",
        "MEDIA/DEEP/ER/F", "MEDIA/DEEP/ER~2"])
    assert sorted(x[11:] for x in long) == ["N" * 255, "N" * 253 + "~2", "N" * 253 + "~3"]


def test_deep_paths_need_no_own_records(tmp_path):
    path = "MEDIA/" + "D/" * 3000
    archive = write(tmp_path, tlwrite.Pak().finish(),
                    tlwrite.manifest([(path, [tlwrite.entry("F")])]))
    assert tool("tree", *archive).decode().split("\n")[-2] == path + "F"


def test_75000_entries_are_listed_without_reading_a_block(tmp_path):
    records = [("MEDIA/D%03d/" % d, [tlwrite.entry("FILE NUMBER %d.DAT" % i, 8, b"", kind=0)
                                     for i in range(250)]) for d in range(300)]
    # All blocks are 0xFF bytes: reading one would fail.
    archive = write(tmp_path, b"\xff" * 4096, tlwrite.manifest(records))
    assert len(tool("tree", *archive).split(b"\n")) == 75000 + 300 + 2


def test_damaged_archive_is_read_or_refused(tmp_path):
    files = [("MEDIA/", "A", b"aaaaaaaa", False), ("MEDIA/B/", "C", b"c", True)]
    for ver in (1, 4):
        tool("damage-archive", *write(tmp_path, tlwrite.mod(files, ver=ver, modver=1, reqs=[
            ("R", 1, 1)], removed=["MEDIA/D"] if ver == 4 else [])))
    pak = tlwrite.Pak(4)
    man = tlwrite.manifest([("MEDIA/", [tlwrite.entry("A", pak.add(b"aa"), b"aa")])], version=0)
    tool("damage-archive", *write(tmp_path, pak.finish(), man))


@pytest.mark.parametrize("change,why", [
    (lambda m: m[:-1], "an entry at byte"),
    (lambda m: m + b"\0", "manifest: 1 bytes follow the last directory"),
    (lambda m: b"\x01" + m[1:], "manifest: version is 1 (must be 0 or 2)"),
    (lambda m: m.replace(b"/\0\0\0\0\0", b"x\0\0\0\0\0", 1),
     "manifest: the root does not end in '/'"),
])
def test_wrong_manifest_is_refused_with_its_field(change, why, tmp_path):
    pak = tlwrite.Pak()
    man = tlwrite.manifest([("MEDIA/", [tlwrite.entry("A", pak.add(b"a"), b"a")])])
    section = pak.finish()
    assert why in tool("list", *write(tmp_path, section, change(man)), code=1)


def test_offset_past_the_section_is_refused_by_name(tmp_path):
    man = tlwrite.manifest([("MEDIA/", [tlwrite.entry("A", 9, b"a")])])
    assert "its offset is 9 (4..8)" in tool("list", *write(tmp_path, bytes(16), man), code=1)


@pytest.mark.parametrize("name", GUTS + ("ref_pet.MOD",))
def test_listing_equals_that_of_the_independent_reader(name):
    path = corpus("mods") / name
    want = list(csv.reader((CORPUS / "listings" / (name + ".list.tsv")).read_text().split("\n"),
                           delimiter="\t", quoting=csv.QUOTE_NONE))
    ours = [x.split("\t") for x in tool("list", path).decode().split("\n")]
    head = {r[0]: r[1:] for r in want if r and len(r) == 2}
    for key in ("ver", "modver", "gamever", "offdata", "offman", "modid", "flags", "reqhash"):
        assert [head[key][0]] == next(r[1:] for r in ours if r[0] == key), key
    for key in ("title", "author", "descr", "website", "download"):
        assert head[key][0] == repr(next(r[1] for r in ours if r[0] == key)), key
    assert head["dels"][0] == repr([r[1] for r in ours if r[0] == "del"])
    rows = [r for r in want if len(r) == 9 and r[0] != "dir"]
    entries = [r[1:] for r in ours if r[0] == "entry"]
    assert [r[:7] for r in entries] == [[*r[:6], "0" if r[6] == "-" else r[6]] for r in rows]
    assert [r[7] for r in entries] == [r[7] for r in rows]
    sums = [hashlib.sha1(b).hexdigest() for b in dump_archive(path)]
    assert sums == [r[8] for r in rows if r[8] != "-"]
    total = next(r for r in want if r and r[0] == "man")[1]
    assert "total %s dirs %s" % tuple(next(r for r in ours if r[0] == "man")[4:6]) in total


@pytest.mark.parametrize("name", GUTS)
def test_archive_of_the_games_tool_is_rewritten_unchanged(name):
    path = corpus("mods") / name
    assert tool("rewrite", path) == path.read_bytes()


@pytest.mark.parametrize("name", ["pak/ADVENTURE_MODE", "pak/FLASKS", "pak_v0/FLASKS"])
def test_real_pak_and_manifest_are_rewritten_unchanged(name):
    pak, man = corpus(name + ".PAK"), corpus(name + ".PAK.MAN")
    assert tool("rewrite", pak, man) == pak.read_bytes() + man.read_bytes()
