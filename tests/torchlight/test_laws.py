# SPDX-License-Identifier: Zlib
"""The laws of a lens and the fuzz targets, over generated archives with every feature and over real ones."""
import os
import pathlib
import struct
import subprocess

import pytest

import places
import tlfixtures
import tlwrite
from archives import dat, small_mod, text_dat

HERE = pathlib.Path(__file__).resolve().parent
SHARED = pathlib.Path(os.environ.get("MAPFS_SHARED", HERE.parents[1].parent / "shared"))
CORPUS = SHARED / "corpus" / "torchlight"
LAWS = os.environ.get("TL_LAWS", "")
FUZZ = os.environ.get("TL_FUZZ", "")
QUESTIONS = os.path.join(FUZZ, "..", "formats", "laws-questions")
GUTS = ("ADVENTURE_MODE.MOD", "CYBER_EDITORMOD_dupname.MOD", "Commando.mod", "XOVER_EDITORMOD.MOD",
        "flasks.mod")


def corpus(name):
    path = CORPUS / name
    if not path.exists():
        pytest.skip(places.NO_SHARED)
    return path


def laws(*args):
    run = subprocess.run([LAWS, *map(str, args)], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr
    return dict((k, int(n)) for n, k in (
        part.split(" ", 1) for part in run.stdout.strip().split("\n")[-1].split(", ")))


@pytest.mark.parametrize("name", ["mods/" + n for n in GUTS] + ["pak/FLASKS.PAK",
                                                               "pak/ADVENTURE_MODE.PAK"])
def test_an_archive_of_the_games_tool_is_rewritten_byte_by_byte(name):
    got = laws("--identical", corpus(name))
    assert got["files"] > 5 and got["unreadable"] == 0 and got["puts"] >= 4
    plain = laws("--plain", "--identical", corpus(name))
    assert plain["files"] == got["files"] and plain["of them texts"] == plain["refused"] == 0


@pytest.mark.parametrize("name", ["mods/mikuro_packed.MOD", "mods/ref_pet.MOD",
                                  "pak_v0/FLASKS.PAK"])
def test_the_laws_hold_for_archives_of_other_packers(name):
    laws("--plain", corpus(name))
    got = laws(corpus(name))
    assert got["files"] > 10 and got["unreadable"] == 0


def generated_archives():
    """{name: bytes or (pak, man)}, with every feature that the corpus lacks."""
    deep = "MEDIA/" + "/".join("D%d" % i for i in range(60)) + "/"
    compiled = [(p.rpartition("/")[0] + "/", p.rpartition("/")[2], d, False)
                for p, d in tlfixtures.compiled().items()]
    out = {"compiled.MOD": tlwrite.mod(compiled), "small.MOD": small_mod(),
           "deep.MOD": tlwrite.mod([(deep, "F.DAT", dat("deep"), False)]),
           "stored.MOD": tlwrite.mod([("MEDIA/", "A.DAT", dat("stored"), True),
                                      ("MEDIA/", "E.PNG", b"", True),
                                      ("MEDIA/", "J.JPG", b"j" * 5000, True)]),
           "odd.MOD": tlwrite.mod([
               ("MEDIA/", "WITH %2F PERCENT.DAT", dat("p"), False), ("MEDIA/", "天.LAYOUT", b"x", False),
               ("MEDIA/", "half\ud800.PNG", b"y", False), ("MEDIA/A/", "SAME.DAT", dat("1"), False),
               ("MEDIA/A/", "SAME.DAT", dat("2"), False), ("media/a/", "same.dat", dat("3"), False),
               ("MEDIA/A/", "SAME.DAT.TXT", b"a file of its own", False)],
               strings=("天\ud800", "a\nb", "", "", "")),
           "written.MOD": tlwrite.mod([("MEDIA/UI/", "W.LAYOUT", b"\xff\xfe[\0]\0", False),
                                       ("MEDIA/", "T.DAT", text_dat("t"), False)])}
    for ver in (1, 2, 3, 4):
        out["v%d.MOD" % ver] = small_mod(ver=ver, reqs=[("r", 5, 2)])
    for header in (4, 8):
        pak = tlwrite.Pak(header)
        rows = [tlwrite.entry(n, pak.add(d), d, 0) for n, d in (("A.DAT", dat("a")),
                                                                ("B.BIN", b"b" * 99))]
        out["early%d.PAK" % header] = pak.finish(), tlwrite.manifest([("MEDIA/", rows)], version=0)
    pak = tlwrite.Pak()
    at = pak.add(dat("shared"))
    pak.data += b"a gap that belongs to nobody"
    one = pak.add(b"one")
    rows = [tlwrite.entry("X.DAT", at, dat("shared"), 0), tlwrite.entry("Y.DAT", at, dat("shared"), 0),
            tlwrite.entry("Z.OGG", one, b"one", 6)]
    out["shared.PAK"] = pak.finish(b"tail"), tlwrite.manifest([("MEDIA/", rows)])
    return out


@pytest.mark.parametrize("name", sorted(generated_archives()))
def test_the_laws_hold_for_every_feature(name, tmp_path):
    made = generated_archives()[name]
    path = tmp_path / name
    if isinstance(made, tuple):
        (tmp_path / (name + ".MAN")).write_bytes(made[1])
        made = made[0]
    path.write_bytes(made)
    laws("--plain", path)
    got = laws(path)
    assert got["files"] >= 3 and got["unreadable"] == 0


def test_pairs_of_text_and_compiled_files_are_read(tmp_path):
    """All compiled files of the corpus are in one archive."""
    files = [(p, p.name.split("__")[-1]) for p in sorted(CORPUS.glob("layouts/*"))]
    files += [(p, p.name) for p in sorted(CORPUS.glob("pairs/**/*.BIN*"))]
    if not files:
        pytest.skip(places.NO_SHARED)
    rows = []
    for i, (path, name) in enumerate(files):
        for ending in (".BINDAT", ".BINLAYOUT"):
            if name.upper().endswith(ending):
                name = name[:-len(ending)]
        if not name.upper().endswith((".DAT", ".LAYOUT", ".TEMPLATE", ".ANIMATION", ".HIE")):
            name += ".DAT" if path.name.endswith("BINDAT") else ".LAYOUT"
        rows.append(("MEDIA/N%04d/" % i, name.upper(), path.read_bytes(), False))
    archive = tmp_path / "ALL.MOD"
    archive.write_bytes(tlwrite.mod(rows))
    got = laws(archive)
    assert got["of them texts"] == len(rows) and got["unreadable"] == 0


@pytest.mark.parametrize("name", ["small.MOD", "compiled.MOD", "early8.PAK"])
def test_queries_change_nothing(name, tmp_path):
    made = generated_archives()[name]
    path = [tmp_path / name]
    if isinstance(made, tuple):
        path.append(tmp_path / (name + ".MAN"))
        path[1].write_bytes(made[1])
        made = made[0]
    path[0].write_bytes(made)
    run = subprocess.run([QUESTIONS, "20", *map(str, path)], capture_output=True, text=True,
                         timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr
    counts = [int(part.split()[0]) for part in run.stdout.split(", ")]
    assert min(counts) >= 20, run.stdout


SEEDS = {"manifest": "manifest", "called": "called", "modheader": "mod", "archive": "mod", "bindat": "dat",
         "binlayout": "layout", "raw": "raw", "text": "text", "removed": "removed",
         "marker": "marker", "imageset": "imageset", "kit": "kit",
         "learn": "learn"}


def seeds(kind):
    mod = small_mod()
    if kind == "mod":
        return [mod, small_mod(ver=1, reqs=[("r", 1, 1)])]
    if kind == "manifest":
        return [mod[struct.unpack_from("<I", mod, 16)[0]:]]
    if kind == "called":
        return [b"name OF A FIELD\nfile 0\ncalled 0 X~3.DAT\ncalled 2 A%2Fb\ncalled 3 x.dat\n"]
    if kind == "dat":
        return list(tlfixtures.dats().values())
    if kind == "layout":
        return list(tlfixtures.layouts().values())
    if kind == "raw":
        return list(tlfixtures.raws().values())
    if kind == "text":
        return [text_dat("x"), b"\xff\xfe" + text_dat("y").decode().encode("utf-16-le")]
    if kind == "learn":
        old = tlwrite.layout([lambda at: tlwrite.layout_object(at, 4, 7, props=[
            (250, struct.pack("<f", 0.25)), (97, struct.pack("<I", 1)), (251, tlwrite.ss("x"))])])
        text = ("[L]\n[OBJECTS]\n[BASEOBJECT]\n[PROPERTIES]\n<STRING>DESCRIPTOR:Unit Trigger\n"
                "<INTEGER64>ID:7\n<FLOAT>ONE:0.25\n<BOOL>ENABLED:true\n<STRING>TWO:x\n"
                "[/PROPERTIES]\n[/BASEOBJECT]\n[/OBJECTS]\n[/L]\n")
        return [struct.pack("<H", len(old)) + old + text.encode()]
    if kind == "imageset":
        return [b'<?x?><!-- <a> --><Imageset Imagefile= "x.dds">\n<Image Name="a"/><Image Name=\'b\' XPos="1" '
                b'YPos="2" Width="3" Height="4" /></Imageset>']
    if kind == "kit":
        text = b"[MOD]\n\t<STRING>NAME:x\n\t<INTEGER>VERSION:7\n\t<INTEGER64>MOD_ID:-5\n[/MOD]\n"
        return [text, b"\xff\xfe" + text.decode().replace("\n", "\r\n").encode("utf-16-le")]
    if kind == "marker":
        return [b"mapfs pair 1\n.X.mapfs-new-1\nX\n.Y.mapfs-new-2\nY\n"]
    return [b"MEDIA/A.DAT\n media\\b.dat\r\n\nMEDIA/A.DAT\n", "\t\ufeffMEDIA/A.DAT\n".encode()]


@pytest.mark.parametrize("target", sorted(SEEDS))
def test_each_fuzz_target_passes_with_changed_and_cut_seeds(target, tmp_path):
    program = os.path.join(FUZZ, "fuzz-torchlight-" + target)
    assert os.path.exists(program)
    paths = []
    for i, data in enumerate(seeds(SEEDS[target])):
        paths.append(tmp_path / str(i))
        paths[-1].write_bytes(data)
    run = subprocess.run([program, "-m", *map(str, paths)], capture_output=True, timeout=300)
    assert run.returncode == 0, run.stderr.decode()


@pytest.mark.parametrize("target,pattern", [("archive", "mods/*"), ("bindat", "layouts/*.BINDAT"),
                                            ("binlayout", "layouts/*.BINLAYOUT"), ("raw", "raw/*")])
def test_each_fuzz_target_passes_with_the_corpus(target, pattern):
    paths = sorted(CORPUS.glob(pattern))
    if not paths:
        pytest.skip(places.NO_SHARED)
    run = subprocess.run([os.path.join(FUZZ, "fuzz-torchlight-" + target), *map(str, paths)],
                         capture_output=True, timeout=300)
    assert run.returncode == 0, run.stderr.decode()
