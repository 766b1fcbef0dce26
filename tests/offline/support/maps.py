# SPDX-License-Identifier: Zlib
"""Maps of every format at hand, runs of mapfs, and the content of a directory tree."""
import glob
import os
import shutil
import stat
import subprocess

import pytest

import places
import share

LARGE = 3_000_000  # bytes; larger maps are only used with MAPFS_TEST_ALL=1


def _others():
    corpus = os.path.join(places.SHARED, "corpus")
    return sorted(p for pattern in ("torchlight/mods/*", "torchlight/pak/*.PAK", "triclon/*.tcm")
                  for p in glob.glob(os.path.join(corpus, pattern)))


def run(*args, **kw):
    if "input" not in kw:
        kw["stdin"] = subprocess.DEVNULL
    return subprocess.run([places.BINARY, *args], capture_output=True, timeout=300, **kw)


def good(*args, **kw):
    r = run(*args, **kw)
    assert r.returncode == 0, (args, r.stderr)
    return r


def saved(r):
    """Did the save succeed, perhaps with warnings? A game need not accept a random map."""
    said = r.stderr.decode().splitlines()
    return r.returncode == 0 or (r.returncode == 5 and all(": warning: " in x or ": note: " in x for x in said))


def each_map(most=LARGE):
    """A share of the Teeworlds maps, and all maps of other formats in the corpus."""
    corpus = glob.glob(places.CORPUS + "/maps/*.map")
    some = share.maps([p for p in places.debian_maps() + corpus
                       if share.ALL or os.path.getsize(p) < most])
    others = _others() if share.ALL else _others()[::3]
    if not some + others:
        return [pytest.param(None, id="none", marks=pytest.mark.skip(reason=places.NO_MAPS))]
    return [pytest.param(p, id=os.path.basename(p)) for p in some + others]


def add(box, path):
    """Copy a map into the box, with the companion of an archive that has one."""
    if os.path.exists(path + ".MAN"):
        box.add(path + ".MAN")
    return box.add(path)


def tree(top):
    """The content of a directory tree: {path: (kind, permissions, time, content)}."""
    out = {}
    for base, dirs, files in os.walk(os.fsencode(top)):
        for name in dirs + files:
            path = os.path.join(base, name)
            st = os.lstat(path)
            content = None
            if stat.S_ISREG(st.st_mode):
                try:
                    with open(path, "rb") as f:
                        content = f.read()
                except OSError as e:
                    content = e.errno
            out[os.path.relpath(path, os.fsencode(top))] = (
                stat.S_IFMT(st.st_mode), stat.S_IMODE(st.st_mode), st.st_mtime_ns, content)
    return out


def assert_same(a, b):
    other = sorted(set(a) ^ set(b)) or sorted(p for p in a if a[p] != b[p])
    assert not other, other


def output(*argv, **kw):
    return subprocess.run(argv, capture_output=True, check=True,
                          env=dict(os.environ, LC_ALL="C"), **kw).stdout


def jail(box, *files):
    """Make a root directory with mapfs and copies of these files in /data, which belong to a user; returns its path
    and a function that runs mapfs in it."""
    if places.is_sanitized():
        pytest.skip("the sanitizers read their options from /proc")
    top = os.path.join(box.root, "jail")
    libs = output("ldd", places.BINARY).decode().split()
    for lib in [p for p in libs if p.startswith("/")] + [places.BINARY]:
        os.makedirs(top + os.path.dirname(lib), exist_ok=True)
        shutil.copyfile(lib, top + lib)
        os.chmod(top + lib, 0o755)
    os.mkdir(top + "/data")
    for path in files:
        os.chown(shutil.copyfile(path, os.path.join(top, "data", os.path.basename(path))), 1234, 1234)
    os.chown(top + "/data", 1234, 1234)
    return top, lambda *args: subprocess.run(["chroot", "--userspec=1234:1234", top, places.BINARY, *args],
                                             capture_output=True, timeout=60)
