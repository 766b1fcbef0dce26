# SPDX-License-Identifier: Zlib
"""Listings that the kernel caches are right after entries are made, renamed, removed, refused or saved, even if other
processes list meanwhile."""
import ctypes
import errno
import json
import os
import random
import struct
import subprocess
import sys
import time

import pytest

import box as boxes
import datafile
import layout

SHARE, ALL = 120, 1500
MAKE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
LISTER = """
import json, os, sys
for line in sys.stdin:
    print(json.dumps(sorted(os.listdir(json.loads(line)))), flush=True)
"""
RESTLESS = """
import os, sys
while True:
    for _ in os.walk(sys.argv[1], onerror=None):
        pass
"""


class Lister:
    """Another process that lists directories."""

    def __init__(self):
        self.process = subprocess.Popen([sys.executable, "-c", LISTER], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def list(self, path):
        self.process.stdin.write(json.dumps(path) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture
def lister():
    one = Lister()
    yield one
    one.close()


@pytest.fixture
def list_continuously():
    """Starts programs that list continuously."""
    running = []

    def start(path):
        running.append(subprocess.Popen([sys.executable, "-c", RESTLESS, path]))

    def stop():
        for p in running:
            p.kill()
            p.wait()

    start.stop = stop
    yield start
    stop()


def uncached_names(path):
    """The current names: a new time of the directory makes the kernel list it again."""
    now = time.time_ns()
    os.utime(path, ns=(now, now))
    return sorted(os.listdir(path))


def check(m, lister, log):
    for path in [p for p, _, _ in os.walk(m.point)]:
        listed = lister.list(path)
        now = uncached_names(path)
        assert listed == now, (path, log)
        for name in now:
            os.lstat(os.path.join(path, name))


PNG = layout.png(4, 4, bytes(range(64)))
JSON = b'{"external": 1, "width": 8, "height": 8}\n'


def is_refused(path):
    return not boxes.refused(os.getxattr, path, "user.mapfs.error")


class Editor:
    """Makes changes of all kinds, some of which are refused."""

    def __init__(self, m, seed):
        self.m, self.rng = m, random.Random(seed)

    def some_image(self):
        return os.path.join("images", self.rng.choice(
            os.listdir(self.m / "images") + ["1_new.png", "1_new.json", "7.json", "t.bak", ".x.swp"]))

    def write(self):
        path = self.some_image()
        data = self.rng.choice((PNG, JSON) if self.rng.random() < 0.3 else
                               (PNG if path.endswith("png") else JSON,)) if self.rng.random() < 0.8 else b"bad"
        boxes.put(self.m / path, data, flags=MAKE)

    def rename(self):
        os.rename(self.m / self.some_image(), self.m / self.some_image())

    def replace(self):
        boxes.put(self.m / "images/.temp", PNG, flags=MAKE)
        os.rename(self.m / "images/.temp", self.m / self.some_image())

    def remove(self):
        os.unlink(self.m / self.rng.choice((self.some_image(), "info/author", "info/settings.cfg")))

    def drop(self):
        drafts = [p for p in os.listdir(self.m / "images") if is_refused(os.path.join(self.m.point, "images", p))]
        if not drafts:
            boxes.put(self.m / "images/9_new.png", b"bad", flags=MAKE)
        os.removexattr(os.path.join(self.m.point, "images", self.rng.choice(drafts)), "user.mapfs.error")

    def directories(self):
        path = self.m / self.rng.choice(("sounds", "envelopes", "images/d", "groups/5_new", "groups/5_new/layers/0"))
        (os.rmdir if self.rng.random() < 0.4 else os.mkdir)(path)

    def layer(self):
        boxes.put(self.m / "groups/5_new/layers/0/layer.json",
                  b'{"type": "tiles", "width": 4, "height": 4}\n', flags=MAKE)

    def share_data(self):
        boxes.put(self.m / "info/author", b"%d\n" % self.rng.randrange(1000),
                  flags=MAKE)

    def save(self):
        fd = os.open(self.m.point, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)

    def step(self):
        work = self.rng.choice((self.write,) * 5 + (self.rename,) * 3 + (
            self.replace, self.remove, self.remove, self.drop, self.drop, self.directories, self.directories,
            self.layer, self.share_data, self.save))
        return "%s: errno %d" % (work.__name__, boxes.refused(work))


@pytest.mark.parametrize("others", [0, 2])
def test_listings_show_the_existing_names(box, lister, list_continuously, others):
    m = box.mount(box.add(datafile.small_map(image=(16, 16))))
    for _ in range(others):
        list_continuously(m.point)
    editor, log = Editor(m, 11 + others), []
    for _ in range(ALL if os.environ.get("MAPFS_TEST_ALL") else SHARE):
        log.append(editor.step())
        check(m, lister, log[-5:])
    for kind in ("write", "rename", "remove", "drop", "directories", "save"):
        assert kind + ": errno 0" in log
    list_continuously.stop()  # they keep the mount busy
    box.allow("*.mapfs-left")
    assert box.run("-u", m.point).code in (0, 5)


def test_the_name_of_a_dropped_refused_file_is_free_at_once(box, list_continuously):
    m = box.mount(box.add(datafile.small_map(image=(16, 16))))
    list_continuously(m.point)
    list_continuously(m.point)
    path = m / "images/9_new.png"
    for _ in range(200):
        assert boxes.refused(boxes.put, path, b"bad", MAKE) == errno.EINVAL
        os.removexattr(path, "user.mapfs.error")
        assert not os.path.exists(path)
    boxes.put(path, PNG, MAKE)
    list_continuously.stop()
    assert m.unmount().out == "saved: images/9_new.png\n"


class Listing:
    """A listing like readdir(3), in separate steps."""

    def __init__(self, path):
        self.fd, self.names = os.open(path, os.O_RDONLY | os.O_DIRECTORY), []

    def read(self, size=32768):
        """Call getdents64 once and return the number of new names."""
        data = ctypes.create_string_buffer(size)
        n = ctypes.CDLL(None, use_errno=True).getdents64(self.fd, data, size)
        assert n >= 0, os.strerror(ctypes.get_errno())
        before, at = len(self.names), 0
        while at < n:
            length = struct.unpack_from("H", data.raw, at + 16)[0]
            self.names.append(data.raw[at + 19:at + length].split(b"\0")[0].decode())
            at += length
        return len(self.names) - before

    def end(self, size=32768):
        """Read to the end and return all names."""
        while self.read(size):
            pass
        os.close(self.fd)
        return sorted(set(self.names) - {".", ".."})


def dropped(path):
    boxes.refused(boxes.put, path, b"bad", MAKE)
    return lambda: os.removexattr(path, "user.mapfs.error")


def removed(path):
    boxes.put(path, JSON, MAKE)
    return lambda: os.unlink(path)


def moved(path):
    boxes.put(path, JSON, MAKE)
    return lambda: os.rename(path, os.path.join(os.path.dirname(path), "..", "info", "x~"))


@pytest.mark.parametrize("size", [4096, 120])
@pytest.mark.parametrize("make_file", [removed, moved, dropped])
def test_an_earlier_listing_adds_no_names_to_a_later_one(box, make_file, size):
    """A kernel with cached listings reads the rest of one listing from the cache that another one has completed
    meanwhile."""
    m = box.mount(box.add(datafile.small_map(image=(16, 16))))
    images = m / "images"
    there = sorted(os.listdir(images))
    for i in range(20):
        remove = make_file(os.path.join(images, "new%d.json" % i))
        earlier = Listing(images)
        assert earlier.read() > 2
        remove()
        later = Listing(images)
        assert later.read(size) > 0
        earlier.end()
        assert later.end(size) == there
        assert sorted(os.listdir(images)) == there
    m.unmount()


def test_a_repeated_listing_comes_from_the_kernel_cache(box):
    m, p = box.foreground(box.add(datafile.small_map(image=(16, 16))), flag="-d")

    def listings(work):
        before = os.path.getsize(p.log)
        work()
        m.get("info/author")
        with open(p.log, "rb") as f:
            f.seek(before)
            return f.read().count(b"opcode: READDIR")

    def all_of_it():
        assert box.run("-R", m.point, program="ls").code == 0

    if not listings(lambda: os.listdir(m / "info")) or listings(lambda: os.listdir(m / "info")):
        pytest.skip("this kernel does not remember listings of itself")
    assert listings(all_of_it) > 0
    assert listings(all_of_it) == 0
    m.put("images/1_new.json", JSON, flags=os.O_WRONLY | os.O_CREAT)
    types = len(os.listdir(m / "raw/items"))
    m.put("images/1_new.json", JSON)
    assert listings(all_of_it) <= (4 + types) * 2  # images/, raw/ and all directories in raw/
    assert listings(all_of_it) == 0
    m.unmount(code=5)  # no game has an image "new"
