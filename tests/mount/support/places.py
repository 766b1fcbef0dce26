# SPDX-License-Identifier: Zlib
"""Paths of the program, its shims, maps and tools of others."""
import csv
import glob
import os
import subprocess
import tempfile

import pytest

import share

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
BINARY = os.environ.get("MAPFS_BINARY") or os.path.join(SOURCE, "build", "src", "mapfs")
SHIMS = os.environ.get("MAPFS_SHIMS") or os.path.join(
    os.path.dirname(os.path.dirname(BINARY)), "tests", "shim")
SHARED = os.environ.get("MAPFS_SHARED") or os.path.join(SOURCE, "..", "shared")
GAMES = "/usr/share/games"
CORPUS = os.path.join(SHARED, "corpus", "teeworlds")
DEBIAN_MAPS = 55
NO_SHARED = "not here: ../shared beside the project"
NO_MAPS = "not installed: ddnet-data or teeworlds-data"


def in_memory():
    """A temporary directory, if possible in memory, for files that a test writes thousands of times."""
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    return tempfile.TemporaryDirectory(prefix="mapfs-test-", dir=base)


def debian_maps():
    return sorted(p for game in ("ddnet", "teeworlds")
                  for p in glob.glob("%s/%s/data/**/*.map" % (GAMES, game), recursive=True))


def debian_map(name):
    path = os.path.join(GAMES, name)
    if not os.path.exists(path):
        pytest.skip(NO_MAPS)
    return path


def _named(paths, base, missing):
    if not paths:
        return [pytest.param(None, id="none", marks=pytest.mark.skip(reason=missing))]
    return [pytest.param(p, id=os.path.relpath(p, base).replace("data/", "")) for p in paths]


def each_debian_map():
    return _named(share.maps(debian_maps()), GAMES, NO_MAPS)


def each_corpus_map():
    return _named(share.maps(glob.glob(CORPUS + "/maps/*.map")), CORPUS + "/maps", NO_SHARED)


def each_crafted_map(*verdicts, but=()):
    manifest = os.path.join(CORPUS, "crafted", "manifest.csv")
    paths = []
    if os.path.exists(manifest):
        with open(manifest, newline="") as f:
            paths = [os.path.join(CORPUS, "crafted", row["file"]) for row in csv.DictReader(f)
                     if row["verdict"] in verdicts and row["file"] not in but]
    return _named(sorted(paths), CORPUS + "/crafted", NO_SHARED)


def corpus_map(name):
    path = os.path.join(CORPUS, "maps", name)
    if not os.path.exists(path):
        pytest.skip(NO_SHARED)
    return path


def hostile(name):
    path = os.path.join(SHARED, "corpus", "hostile", name)
    if not os.path.exists(path):
        pytest.skip(NO_SHARED)
    return path


def found_map(name):
    """A small input that mapfs once handled wrongly; its README says what is right."""
    path = os.path.join(SHARED, "corpus", "found", name)
    if not os.path.exists(path):
        pytest.skip(NO_SHARED)
    return path


def ddnet_tool(name):
    found = glob.glob("/usr/lib/*/ddnet/" + name)
    if not found:
        pytest.skip("not installed: ddnet-tools")
    return found[0]


def is_sanitized():
    """Is mapfs built with sanitizers? The runtimes of clang are in the program itself."""
    with open(BINARY, "rb") as f:
        program = f.read()
    return any(name in program for name in (b"__asan_", b"__tsan_", b"__ubsan_"))


def sanitizers():
    """The sanitizer runtimes that mapfs is linked with, which must be loaded before any shim."""
    out = subprocess.run(["ldd", BINARY], capture_output=True, text=True).stdout
    return [line.split()[2] for line in out.splitlines()
            if line.split()[:1] and line.split()[0].startswith(("libasan", "libubsan", "libtsan"))
            and len(line.split()) > 2]
