# SPDX-License-Identifier: Zlib
"""Helpers for tests that mount archives."""
import os
import pathlib
import shutil
import subprocess

import pytest

import box as boxes
import places

CORPUS = pathlib.Path(places.SHARED) / "corpus" / "torchlight"
MODS = ["ADVENTURE_MODE.MOD", "CYBER_EDITORMOD_dupname.MOD", "Commando.mod", "XOVER_EDITORMOD.MOD",
        "flasks.mod", "mikuro_packed.MOD", "ref_pet.MOD"]


def corpus(name):
    path = CORPUS / name
    if not path.exists():
        pytest.skip(places.NO_SHARED)
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


def mount_new(box, name, kind, point="new", opts=None):
    path, point = os.path.join(box.maps, name), box.point(point)
    r = box.run("--new", "--format=" + kind, *(["-o", opts] if opts else []), path, point)
    assert r.code == 0, r.err
    box.allow(name, name + ".MAN")
    return boxes.Mount(box, path, point)


def require_program(name):
    path = shutil.which(name)
    if not path:
        pytest.skip("not installed: " + name)
    return path


def sync(m):
    """Save the mount now."""
    fd = os.open(m.point, os.O_RDONLY)
    os.fsync(fd)
    os.close(fd)
