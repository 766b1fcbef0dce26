# SPDX-License-Identifier: Zlib
"""A mounted map, an ordinary directory as its twin, and the proof after a program's work.

What a program should have done is what it does to a copy of the file in the twin, so no test has to
know how a program words its output; what became of it in the map is read by datafile.py and by the
games' own tools.
"""
import io
import os
import shutil

import pytest

import box as boxes
import datafile
import places

SETTINGS = "info/settings.cfg"
OWN_DATA = ".local/share/ddnet"  # where the games' tools put what they write


def need(*names):
    """The paths of programs; the test is skipped by name where one is missing."""
    missing = [n for n in names if not find(n)]
    if missing:
        pytest.skip("not installed: " + ", ".join(missing))
    return find(names[0])


def find(name):
    # Debian's program, whatever stands before it in somebody's PATH.
    path = os.path.join("/usr/bin", name)
    return path if os.path.exists(path) else shutil.which(name)


def tree(path):
    """The names below a directory as they are listed, without the raw view."""
    out = set()
    for base, dirs, names in os.walk(path):
        if base == path and "raw" in dirs:
            dirs.remove("raw")
        out |= {os.path.relpath(os.path.join(base, n), path) for n in dirs + names}
    return out


def pixels(data):
    """(width, height, RGBA) of an image file's bytes."""
    Image = pytest.importorskip("PIL.Image")
    picture = Image.open(io.BytesIO(data))
    picture.load()
    return picture.size + (picture.convert("RGBA").tobytes(),)


def standing_in(path):
    """The processes whose working directory is the path or below it."""
    out = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            cwd = os.readlink("/proc/%s/cwd" % pid)
        except OSError:
            continue
        if cwd == path or cwd.startswith(path + "/"):
            out.append(int(pid))
    return out


class Session:
    def __init__(self, box, path, opts=""):
        self.box, self.path = box, path
        self.raw = boxes.get(path)
        self.before = datafile.Datafile(self.raw)
        self.m = box.mount(path, opts)
        self.names = tree(self.m.point)
        self.twin = os.path.join(box.root, "twin")
        os.mkdir(self.twin)

    def __truediv__(self, name):
        return self.m / name

    # ---- running

    def copy(self, name):
        """A copy of a file of the mount in the twin; its path there."""
        path = os.path.join(self.twin, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        shutil.copyfile(self.m / name, path)
        return path

    def run(self, program, *args, code=0, **kw):
        r = self.box.run(*args, program=need(program), **kw)
        assert code in (None, r.code), "%s gave %d\n%s%s" % (program, r.code, r.out, r.err)
        return r

    def both(self, name, program, *args, **kw):
        """The same command on a file of the mount and on a copy of it ("{}" or the last argument);
        the bytes that it made of the copy."""
        args = list(args) if "{}" in args else list(args) + ["{}"]
        twin = self.copy(name)
        for path in (twin, self.m / name):
            self.run(program, *[path if a == "{}" else a for a in args],
                     cwd=os.path.dirname(path), **kw)
        return self.same_as_twin(name)

    def same_as_twin(self, name):
        """The program left in the mount's directory what it left in an ordinary one."""
        folder = os.path.dirname(name)
        there = set(os.listdir(os.path.join(self.twin, folder))) - {os.path.basename(name)}
        here = {os.path.relpath(n, folder) for n in tree(self.m.point) - self.names
                if os.path.dirname(n) == folder}
        assert here == there, "beside the file: %s, in an ordinary directory: %s" % (here, there)
        return boxes.get(os.path.join(self.twin, name))

    # ---- the end

    def end(self, same_names=True, code=0, said=()):
        """Unmounts. The report says what was saved and what is expected, nothing more; the next
        mount lists what this one did at first; map_resave has nothing to mend."""
        # A program's children may outlive it: those of rsync do after an error.
        boxes.wait_for(lambda: not standing_in(os.path.realpath(self.m.point)))
        r = self.m.unmount(code=code)
        for line in (r.out + r.err).splitlines():
            known = line.startswith("saved") or any(s in line for s in said)
            assert known, "the report says: " + line
        self.after = datafile.Datafile.load(self.path)
        again = self.box.mount(self.path, "ro")
        self.listed = tree(again.point)
        again.unmount()
        if same_names:
            assert self.listed == self.names
        assert self.tool("map_resave", "again.map").code == 0
        assert boxes.get(os.path.join(self.box.home, OWN_DATA, "again.map")) == self.after.raw
        return r

    def tool(self, name, *args):
        os.makedirs(os.path.join(self.box.home, OWN_DATA), exist_ok=True)
        return self.box.run(self.path, *args, program=places.ddnet_tool(name), cwd=self.box.root)

    def only(self, blobs=(), items=()):
        """Nothing differs between the maps before and after but these."""
        assert datafile.same_but(self.before, self.after, items=items, blobs=blobs) == []

    def settings_are(self, text):
        """In the map stand these settings and every other part of it as before."""
        blob = self.before.of_type(datafile.INFO)[0].ints[5]
        assert self.after.blob(blob) == text.replace(b"\n", b"\0")
        self.only(blobs=[blob])
        # config_retrieve writes beside the map
        folder = os.path.join(self.box.root, "retrieved")
        os.mkdir(folder)
        path = shutil.copy(self.path, os.path.join(folder, "x.map"))
        r = self.box.run(path, program=places.ddnet_tool("config_retrieve"), cwd=folder)
        assert r.code == 0 and boxes.get(os.path.join(folder, "x.cfg")) == text

    def image_is(self, name, expected):
        """map_extract and the reader find these pixels in the image, and all else as before."""
        stem = os.path.splitext(os.path.basename(name))[0]
        number, own = stem.split("_", 1)
        ints = self.after.of_type(datafile.IMAGE)[int(number)].ints
        assert (ints[1], ints[2], self.after.blob(ints[5])) == expected
        self.only(blobs=[ints[5]], items=[(datafile.IMAGE, int(number))])
        assert pixels(self.extracted(own + ".png")) == expected

    def extracted(self, name):
        """What map_extract takes out of the map under this name."""
        out = os.path.join(self.box.root, "extracted")
        if not os.path.isdir(out):
            os.mkdir(out)
            assert self.tool("map_extract", out).code == 0
        return boxes.get(os.path.join(out, name))
