# SPDX-License-Identifier: Zlib
"""Changes of a mounted Teeworlds map, and what the saved map contains."""
import os
import subprocess

import box as boxes
import datafile
from datafile import GROUP, LAYER

CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL


def shell(m, script, code=0):
    r = subprocess.run(["sh", "-c", script], cwd=m.point, capture_output=True, text=True)
    assert r.returncode == code, r.stdout + r.stderr
    return r


def sync(m, code=0):
    shell(m, "sync .", code)


def unmount_and_load(m, code=0):
    """Unmount, and return the saved map and the report."""
    report = m.unmount(code=code).out
    return datafile.Datafile.load(m.map), report


def layer_names(f):
    """The names of the layers, by group."""
    layers = f.of_type(LAYER)
    return [[name_of(i) for i in layers[g.ints[5]:g.ints[5] + g.ints[6]]] for g in f.of_type(GROUP)]


def name_of(layer):
    at = 15 if layer.ints[1] == 2 else 7
    words = b"".join((v & 0xFFFFFFFF).to_bytes(4, "big") for v in layer.ints[at:at + 3])
    return bytes((c - 128) & 0xFF for c in words[:11]).rstrip(b"\0").decode()


def create_file(m, path, data):
    boxes.put(m / path, data, CREATE)


def rescued_files(m):
    """The rescued files beside the map after the unmount."""
    m.box.allow("small.map.mapfs-left*")
    top = m.map + ".mapfs-left"
    return {os.path.relpath(os.path.join(d, n), top): boxes.get(os.path.join(d, n))
            for d, _, names in os.walk(top) for n in names}
