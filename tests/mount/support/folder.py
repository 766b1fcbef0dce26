# SPDX-License-Identifier: Zlib
"""A mounted folder of maps, and its use of resources: opened files, descriptors, threads and pages."""
import ctypes
import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in ("triclon", "triclon/support", "torchlight", "torchlight/support"):
    sys.path.append(os.path.join(HERE, "..", "..", folder))

import archives  # noqa: E402
import tcgen  # noqa: E402
import tlwrite  # noqa: E402

import datafile  # noqa: E402
from box import get, status_field, wait_for  # noqa: E402

IN_OPEN = 0x20
AUTHOR, SETTINGS = "info/author", "info/settings.cfg"


def pair():
    """A PAK and its manifest."""
    pak = tlwrite.Pak()
    body = b"hello\n"
    records = [("MEDIA/", [tlwrite.entry("README.TXT", pak.add(body), body, 6, 131000000000000000)])]
    return pak.finish(), tlwrite.manifest(records)


def fill(box):
    """Fill a folder with a map of each format, one of them in a subfolder, and a file that is no map."""
    pak, man = pair()
    for name, data in (("small.map", datafile.small_map()), ("deep/er/LOW.MAP", datafile.small_map()),
                       ("field.tcm", tcgen.Map(tcgen.VARIANTS[0], b"F", b"me", [(1, 2)], [(3, 4), (5, 6)]).encode()),
                       ("things.mod", archives.small_mod()), ("F.PAK", pak), ("F.PAK.MAN", man),
                       ("notes.txt", b"none\n")):
        os.makedirs(os.path.dirname(os.path.join(box.maps, name)), exist_ok=True)
        box.add(data, name)
    box.before.add("deep")


def many(box, n, name="m%05d.map"):
    data = datafile.small_map()
    for i in range(n):
        box.add(data, name % i)


class Opened:
    """The names of files in a folder that any process has opened. O_PATH does not count as opening."""

    def __init__(self, folder):
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.fd = self.libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        wd = self.libc.inotify_add_watch(self.fd, os.fsencode(folder), IN_OPEN)
        assert self.fd >= 0 and wd >= 0

    def names(self):
        out = []
        while True:
            try:
                data = os.read(self.fd, 1 << 16)
            except BlockingIOError:
                return out
            at = 0
            while at < len(data):
                _, _, _, n = struct.unpack_from("iIII", data, at)
                name = data[at + 16:at + 16 + n].rstrip(b"\0").decode()
                if name:
                    out.append(name)
                at += 16 + n

    def close(self):
        os.close(self.fd)


# A pool starts its threads when it has work, so some may start late. Their number never exceeds this.
POOL = 3


class Cost:
    """The current resources of the worker."""

    def __init__(self, box):
        pid = box.worker()
        self.descriptors = len(os.listdir("/proc/%d/fd" % pid))
        self.threads = int(status_field(pid, "Threads"))
        self.kib = int(status_field(pid, "VmRSS"))


def soon(condition):
    """Wait for a condition that is normally true within a second; a busy machine gets more time."""
    return wait_for(condition)


def sync(path):
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def replace(box, name, data):
    """Replace a map as most programs save: write a new file and rename it over the old one."""
    path = os.path.join(box.maps, name)
    with open(path + ".tmp", "wb") as f:
        f.write(data)
    os.rename(path + ".tmp", path)


def shows(path, content):
    try:
        return get(path) == content
    except OSError:
        return False
