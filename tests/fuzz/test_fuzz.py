# SPDX-License-Identifier: Zlib
"""Every fuzz target stands its seeds, and small ones with each byte changed and cut everywhere.
(contrib/fuzz lets them run on.)"""
import os
import pathlib
import struct
import subprocess
import sys
import zlib

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "torchlight" / "support"))
import tlwrite  # noqa: E402
from archives import dat  # noqa: E402

HERE = pathlib.Path(os.environ.get("FUZZ_PROGRAMS", "."))
FIXTURES = pathlib.Path(os.environ.get("TW_FIXTURES", "."))
SHARED = pathlib.Path(os.environ.get("MAPFS_SHARED",
                                     pathlib.Path(__file__).resolve().parents[3] / "shared"))

# Of a seed up to so many bytes every byte is changed; the runs that this makes are bounded.
CHANGED = {"json": 300, "csv": 200, "csv_table": 200, "text": 300, "png": 500, "dds": 300, "inflate": 300, "deflate": 400,
           "teeworlds": 600, "triclon": 700, "pak": 700, "new_triclon": 300, "new_mod": 500, "view": 120, "journal": 260, "replay": 40, "automap": 400, "rules": 300}
# A command takes milliseconds, and stands its seeds only.
CHANGED |= dict.fromkeys(["command_" + name for name in ("check", "convert", "cp", "diff", "edit", "fix", "index", "merge", "pack", "preview", "text", "tidy")], 0)
BYTES = {"teeworlds": 3000, "journal": 300, "replay": 60, "rules": 400}



def pair():
    """A PAK, its length before it, and its manifest."""
    p = tlwrite.Pak()
    rows = [tlwrite.entry("A.DAT", p.add(dat("x")), dat("x"), 0),
            tlwrite.entry("B.OGG", p.add(b"b" * 50), b"b" * 50, 6)]
    section = p.finish()
    return struct.pack("<H", len(section)) + section + tlwrite.manifest([("MEDIA/", rows)], total=3)


def texture(letters, bits, body):
    flags, masks = (4, (0, 0, 0, 0)) if bits == 0 else (0x41, (0xF00, 0xF0, 0xF, 0xF000))
    return struct.pack("<4s4I56x8I20x", b"DDS ", 124, 0x1007, 3, 5, 32, flags, letters, bits, *masks) + body


def put(number, content):
    """As command_merge takes it."""
    return struct.pack("<BH", number, len(content)) + content


OWN = {"pak": [pair()],
       "dds": [texture(int.from_bytes(b"DXT%d" % i, "little"), 0, bytes(range(16 if i == 1 else 32))) for i in (1, 3, 5)]
       + [texture(0, 16, bytes(range(30)))],
       "csv_table": [b"x,y,value\n1,-5,0.5\n \"70000\", 2 ,1e3\r\n\n"],
       "inflate": [b"\x05\x00\x78\x9c\xcb\x48\xcd\xc9\xc9\x07\x00\x06\x2c\x02\x15"],
       "deflate": [zlib.compress(b"abcabcabc" * 9)[2:-4], zlib.compress(b"hello", 0)[2:-4],
                   zlib.compress(bytes(i * i % 251 for i in range(300)))[2:-4]],
       "automap": [b"[A]\nIndex 1 XFLIP ROTATE\nPos 0 0 INDEX 0 OR 2 YFLIP OR -1 NONE\nPos -1 1 FULL\nRandom 20%\nNewRun\n"
                 b"NoLayerCopy\nIndex 3\nModulo 2 0 -1 1\nNoDefaultRule\nPos 1 0 NOTINDEX 1 OR 255\nRandom 2.5\n[A]\r\n",
                 b"\xef\xbb\xbf# no rules\n[\n[]\nIndex\nIndex 300 FLIP\nPos 0\nPos 0 0\nPos 0 0 INDEX 1 NONE XFLIP\n"
                 b"Random 0\nRandom 1e99\nRandom 1e-99%\nModulo -2147483648 -1 2147483647 0\nPos 2147483647 -2147483648 EMPTY\n"],
       "text": [b"\xed\xa0\x80%2F/\x00\xf0\x9f\x8c\x8d", b""],
       "command_merge": [put(4, b"somebody\n") + put(0x84, b"somebody else\n"), put(1, b"one\n") + put(0x82, b"two\n"),
                         *[put(n, b"{}") + put(0x80 | n, b"1,2\n3,4\n") for n in range(3, 30, 3)]],
       "command_edit": [line.encode() + b"\n" for line in (
           "shift 1,0", "crop 1,1,3,3", "extend 1,2,3,4", "fill 0,0,2,2 1:XFLIP+ROTATE --layer groups/*/layers/*", "area 0,0,4,4 other.map 1,1",
           "--layer groups/*/layers/* replace 1=2:YFLIP clear 0,0,9,9", "--layer groups/*/layers/* replace number:1=2", "gametiles groups/1/layers/0 3",
           "--front gametiles groups/1/layers/0 3", "shift -99999,99999", "extend 99999,0,0,0", "replace a=b", "area 0,0,1,1", "crop 0,0,0,0", "shift 1")],
       "replay": [b"\x08\x0b\x00info/author\x07\x0b\x00info/author"]}


@pytest.fixture(scope="session")
def seeds(tmp_path_factory):
    folder = tmp_path_factory.mktemp("seeds")
    maps = sorted(FIXTURES.glob("*.map")) + sorted(SHARED.glob("corpus/triclon/*.tcm"))
    env = dict(os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")
    subprocess.run([HERE / "fuzz-seeds", folder, FIXTURES / "full.map", *maps], check=True, env=env)
    for target, all_of in OWN.items():
        (folder / target).mkdir(exist_ok=True)
        for i, data in enumerate(all_of):
            (folder / target / ("own%d" % i)).write_bytes(data)
    return folder


def run(target, tmp, *args):
    done = subprocess.run([HERE / ("fuzz-" + target), *args], capture_output=True, timeout=800,
                          check=False, env=dict(os.environ, TMPDIR=str(tmp)))
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-3000:]


@pytest.mark.parametrize("target", sorted(CHANGED))
def test_a_target_stands_its_seeds(target, seeds, tmp_path):
    if not (HERE / ("fuzz-" + target)).exists():
        pytest.skip("built without what it compares")
    here = seeds / target
    if not here.exists():
        pytest.skip("no seeds for %s at hand" % target)
    run(target, tmp_path, here)
    if not CHANGED[target]:
        return
    small, left = [], BYTES.get(target, 6000)
    for path in sorted(here.iterdir(), key=lambda p: (p.stat().st_size, p.name)):
        left -= path.stat().st_size
        if left >= 0 and path.stat().st_size <= CHANGED[target]:
            small.append(path)
    assert small or target == "triclon"
    run(target, tmp_path, "-m", *small)
