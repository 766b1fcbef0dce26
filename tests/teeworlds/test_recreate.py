# SPDX-License-Identifier: Zlib
"""Debian's maps, recreated from their files in several orders, are equal to the originals."""
import json
import os
import pathlib
import subprocess
import sys

import pytest

import expect
import places
from datafile import IMAGE, INFO, SOUND, Datafile, Item, encode

RECREATE = os.environ.get("TW_RECREATE", "")
TWCHECK = pathlib.Path(places.SHARED, "tools", "twcheck.py")
each_map = pytest.mark.parametrize("path", places.each_debian_map())


def blob(f, ints, i):
    return f.blob(ints[i]) if i < len(ints) and f.has_blob(ints[i]) else None


def media(f):
    """Content of images, sounds and info, without properties of their storage."""
    images = [(v[1:4], blob(f, v, 4), blob(f, v, 5) if v[3] == 0 else None)
              for v in (i.ints for i in f.of_type(IMAGE))]
    sounds = [(v[1], blob(f, v, 2), blob(f, v, 3)) for v in (i.ints for i in f.of_type(SOUND))]
    info = [blob(f, v, i) for v in (i.ints for i in f.of_type(INFO)[:1]) for i in range(1, 6)]
    return images, sounds, info if any(info) else []


def anomalies(path):
    done = subprocess.run([sys.executable, TWCHECK, path], capture_output=True, text=True, check=True)
    return {a["c"]: a["n"] for a in json.loads(done.stdout.splitlines()[0])["anomalies"]}


def recreate(path, out, seed):
    done = subprocess.run([RECREATE, path, out, str(seed)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return Datafile.load(path), Datafile.load(out)


@pytest.mark.parametrize("seed", [0, 1, 2])
@each_map
def test_a_recreated_map_shows_the_same_files(path, seed, tmp_path):
    before, after = recreate(path, tmp_path / "new.map", seed)
    assert media(after) == media(before)
    assert expect.files(after) == expect.files(before)


@each_map
def test_a_recreated_map_has_no_new_anomaly(path, tmp_path):
    if not TWCHECK.exists():
        pytest.skip(places.NO_SHARED)
    recreate(path, tmp_path / "new.map", 3)
    had = anomalies(path)
    assert {c: n for c, n in anomalies(tmp_path / "new.map").items() if n > had.get(c, 0)} == {}


def assert_rewritten_equally(tmp_path):
    tool = places.ddnet_tool("map_resave")
    (tmp_path / ".local/share/ddnet").mkdir(parents=True)
    subprocess.run([tool, tmp_path / "new.map", "again.map"], cwd=tmp_path, check=True,
                   env={**os.environ, "HOME": str(tmp_path)}, stdout=subprocess.DEVNULL)
    assert (tmp_path / ".local/share/ddnet/again.map").read_bytes() == (
        tmp_path / "new.map").read_bytes()


@each_map
def test_the_reference_writer_writes_the_same_bytes(path, tmp_path):
    recreate(path, tmp_path / "new.map", 4)
    assert_rewritten_equally(tmp_path)


def test_an_empty_new_map_is_valid(tmp_path):
    (tmp_path / "bare.map").write_bytes(encode([Item(0, 0, [1])], []))
    recreate(tmp_path / "bare.map", tmp_path / "new.map", 0)
    if TWCHECK.exists():
        assert anomalies(tmp_path / "new.map") == {}
    assert_rewritten_equally(tmp_path)
