# SPDX-License-Identifier: Zlib
"""Resident memory of the worker, of a plain build, after all has been read."""
import os

import pytest

import box as boxes
import datafile
import places
from test_read import mount_or_refused

MIB = 1 << 20
plain = pytest.mark.skipif(bool(places.sanitizers()), reason="figures are for a plain build")


def read_all(m):
    files, _ = m.walk()
    for path in sorted(files):
        fd = os.open(os.path.join(os.fsencode(m.point), path), os.O_RDONLY)
        try:
            while os.read(fd, MIB):
                pass
        except OSError:
            pass  # a damaged blob; the other tests look at which
        os.close(fd)


def peak(box):
    return int(boxes.status_field(box.worker(), "VmHWM")) * 1024


def resident(box):
    return int(boxes.status_field(box.worker(), "VmRSS")) * 1024


@plain
@pytest.mark.parametrize("path", places.each_corpus_map())
def test_reading_all_keeps_to_the_budget_and_the_blobs_in_use(box, path):
    m, f = mount_or_refused(box, path, "cache=64M")
    if not m:
        return
    read_all(m)
    bound = max(64 * MIB, max(f.declared, default=0)) + 32 * MIB
    assert resident(box) <= bound
    m.unmount()


@plain
def test_a_small_cache_is_kept_to(box):
    m = box.mount(box.add(places.debian_map("ddnet/data/maps/Tutorial.map")), "cache=4M")
    f = datafile.Datafile.load(m.map)
    read_all(m)
    assert resident(box) <= max(4 * MIB, max(f.declared)) + 32 * MIB
    m.unmount()


@plain
@pytest.mark.parametrize("path", places.each_crafted_map("ok", "quirk", "bad"))
def test_a_crafted_map_takes_under_128_mib(box, path):
    copy = box.add(path)
    r = box.run("-o", "cache=64M", copy, box.point())
    if r.code != 0:
        assert r.code == 2
        return
    m = boxes.Mount(box, copy, box.point())
    read_all(m)
    assert peak(box) < 128 * MIB
    m.unmount()
