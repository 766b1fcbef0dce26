# SPDX-License-Identifier: Zlib
"""A mounted map with an ordinary directory as its twin, and checks after a program has worked on both.

The expected result of a program is what it does to a copy of the file in the twin, so tests do not depend on the
output format of a program. datafile.py and the tools of the games read the result from the map.
"""
import io
import os
import shutil

import pytest

import box as boxes
import datafile
import places

SETTINGS = "info/settings.cfg"
OWN_DATA = ".local/share/ddnet"  # the directories into which the tools of the games write


def need(*names):
    """The paths of programs. Skips the test and names the missing ones."""
    missing = [n for n in names if not find(n)]
    if missing:
        pytest.skip("not installed: " + ", ".join(missing))
    return find(names[0])


def find(name):
    # The program of Debian, whatever comes before it in PATH.
    path = os.path.join("/usr/bin", name)
    return path if os.path.exists(path) else shutil.which(name)


def tree(path):
    """The listed names below a directory, without raw/."""
    out = set()
    for base, dirs, names in os.walk(path):
        if base == path and "raw" in dirs:
            dirs.remove("raw")
        out |= {os.path.relpath(os.path.join(base, n), path) for n in dirs + names}
    return out


def pixels(data):
    """(width, height, RGBA) of the bytes of an image file"""
    Image = pytest.importorskip("PIL.Image")
    picture = Image.open(io.BytesIO(data))
    picture.load()
    return picture.size + (picture.convert("RGBA").tobytes(),)


def processes_in(path):
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
        """Copy a file of the mount into the twin and return its path there."""
        path = os.path.join(self.twin, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        shutil.copyfile(self.m / name, path)
        return path

    def run(self, program, *args, code=0, **kw):
        r = self.box.run(*args, program=need(program), **kw)
        assert code in (None, r.code), "%s: exit %d\n%s%s" % (program, r.code, r.out, r.err)
        return r

    def both(self, name, program, *args, **kw):
        """Run a command on a file of the mount and on a copy of it (at "{}" or as last argument), and return the
        bytes of the copy."""
        args = list(args) if "{}" in args else list(args) + ["{}"]
        twin = self.copy(name)
        for path in (twin, self.m / name):
            self.run(program, *[path if a == "{}" else a for a in args],
                     cwd=os.path.dirname(path), **kw)
        return self.same_as_twin(name)

    def same_as_twin(self, name):
        """The program left the same names in the mount's directory and in the ordinary one."""
        folder = os.path.dirname(name)
        there = set(os.listdir(os.path.join(self.twin, folder))) - {os.path.basename(name)}
        here = {os.path.relpath(n, folder) for n in tree(self.m.point) - self.names
                if os.path.dirname(n) == folder}
        assert here == there, "beside the file: %s, in an ordinary directory: %s" % (here, there)
        return boxes.get(os.path.join(self.twin, name))

    # ---- the end

    def end(self, same_names=True, code=0, said=()):
        """Unmount. The report has the expected lines only, the next mount lists the same names as this one at first,
        and map_resave changes nothing."""
        # Children of a program may outlive it, as those of rsync do after an error.
        boxes.wait_for(lambda: not processes_in(os.path.realpath(self.m.point)))
        r = self.m.unmount(code=code)
        for line in (r.out + r.err).splitlines():
            known = line.startswith("saved") or any(s in line for s in said)
            assert known, "unexpected report line: " + line
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
        """The maps before and after differ in these parts only."""
        assert datafile.same_but(self.before, self.after, items=items, blobs=blobs) == []

    def settings_are(self, text):
        """The map has these settings, and all other parts are unchanged."""
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
        """map_extract and datafile.py find these pixels in the image, and all other parts are unchanged."""
        stem = os.path.splitext(os.path.basename(name))[0]
        number, own = stem.split("_", 1)
        ints = self.after.of_type(datafile.IMAGE)[int(number)].ints
        assert (ints[1], ints[2], self.after.blob(ints[5])) == expected
        self.only(blobs=[ints[5]], items=[(datafile.IMAGE, int(number))])
        assert pixels(self.extracted(own + ".png")) == expected

    def extracted(self, name):
        """The file of this name that map_extract writes."""
        out = os.path.join(self.box.root, "extracted")
        if not os.path.isdir(out):
            os.mkdir(out)
            assert self.tool("map_extract", out).code == 0
        return boxes.get(os.path.join(out, name))
