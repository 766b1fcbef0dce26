# SPDX-License-Identifier: Zlib
"""Which blobs are decoded, and when, as counted by a shim for zlib."""
import os
import zlib

import pytest

import datafile
import layout
import places
import shims

MAPS = ["ddnet/data/maps/Tsunami.map", "ddnet/data/maps7/Tutorial.map",
        "ddnet/data/maps/Sunny Side Up.map", "teeworlds/data/maps/ctf3.map"]


def signature(f, blobs):
    return {(len(d), zlib.adler32(d)) for d in (f.blob(i) for i in blobs) if d}


def listed(box, m):
    r = box.run("-lR", m.point, program="ls")
    assert r.code == 0, r.err
    r = box.run("-s", m.point, program="du")
    assert r.code == 0, r.err


@pytest.mark.parametrize("name", MAPS)
def test_listing_inflates_no_tile_image_sound_or_text(box, name):
    copy = box.add(places.debian_map(name))
    shim = box.shim(shims.Inflate)
    m = box.mount(copy, shim=shim)
    f = datafile.Datafile.load(copy)
    listed(box, m)
    may, longest = signature(f, layout.listing_blobs(f)), max(
        [f.declared[i] for i in layout.listing_blobs(f)], default=0)
    for length, adler in shim.streams():
        assert (length, adler) in may or (adler is None and length <= longest)
    shim.reset()
    # The shim counts reads; otherwise the check above would prove nothing.
    largest = max(range(f.n_data), key=lambda i: f.declared[i])
    m.get("raw/data/%05d" % largest)
    assert signature(f, [largest]) <= set(shim.streams())
    m.unmount()


@pytest.mark.parametrize("name", MAPS[:1])
def test_mounting_inflates_at_most_names(box, name):
    copy = box.add(places.debian_map(name))
    shim = box.shim(shims.Inflate)
    m = box.mount(copy, shim=shim)
    f = datafile.Datafile.load(copy)
    may = signature(f, layout.name_blobs(f))
    assert all(s in may or s[1] is None for s in shim.streams())
    m.unmount()


def test_unmounting_without_changes_inflates_nothing(box):
    copy = box.add(places.debian_map(MAPS[0]))
    shim = box.shim(shims.Inflate)
    m = box.mount(copy, shim=shim)
    listed(box, m)
    shim.reset()
    m.unmount()
    assert shim.streams() == []


def test_saving_one_text_inflates_names_and_texts_only(box):
    copy = box.add(places.debian_map(MAPS[0]))
    f = datafile.Datafile.load(copy)
    shim = box.shim(shims.Inflate)
    m = box.mount(copy, shim=shim)
    listed(box, m)
    shim.reset()
    m.put("info/settings.cfg", b"sv_test 1\n")
    m.unmount()
    image_sizes = {f.declared[i.ints[5]] for i in f.of_type(datafile.IMAGE) if not i.ints[3]}
    assert not [s for s in shim.streams() if s[0] in image_sizes]


def distinct(f):
    """The total size of all blobs, which each need decoding only once."""
    return sum(f.declared[i] for i in range(f.n_data))


def copy_out(box, m, what):
    """Copy directories like cp -r: in order, each file once."""
    to = os.path.join(box.root, "copy")
    os.mkdir(to)
    r = box.run("-r", *[os.path.join(m.point, d) for d in what], to, program="cp")
    assert r.code == 0, r.err
    box.run("-r", to, program="rm")


TYPED = ["info", "images", "sounds", "envelopes", "groups"]


def test_copying_everything_out_inflates_each_blob_once(box):
    copy = box.add(places.corpus_map("6fd52307_ChillerDragores6.map"))
    f = datafile.Datafile.load(copy)
    shim = box.shim(shims.Inflate)
    m = box.mount(copy, "cache=64M", shim=shim)
    copy_out(box, m, TYPED)
    assert 0.5 * distinct(f) <= shim.bytes() <= 1.02 * distinct(f)
    copy_out(box, m, ["raw"])
    assert shim.bytes() <= 2.02 * distinct(f)
    m.unmount()


def test_a_blob_larger_than_the_cache_is_inflated_at_most_twice_per_file(box):
    copy = box.add(places.corpus_map("6fd52307_ChillerDragores6.map"))
    shim = box.shim(shims.Inflate)
    m = box.mount(copy, "cache=8M", shim=shim)
    largest = max(datafile.Datafile.load(copy).declared)
    table = max((os.lstat(os.path.join(m.point, os.fsdecode(p))).st_size, p)
                for p in m.walk()[0] if p.endswith(b".csv"))[1]
    shim.reset()
    m.get(os.fsdecode(table))
    assert 1.5 * largest <= shim.bytes() <= 2.02 * largest
    m.unmount()


def test_reading_needs_no_flush_and_reading_again_uses_the_page_cache(box):
    m, p = box.foreground(box.add(datafile.small_map()), flag="-d")

    def requests(work):
        before = os.path.getsize(p.log)
        work()
        m.get("info/author")  # its OPEN is logged after all requests of `work`
        with open(p.log, "rb") as f:
            f.seek(before)
            return [line.split(b"opcode: ")[1].split()[0] for line in f if b"opcode: " in line]

    assert b"READ" in requests(lambda: m.get("info/settings.cfg"))
    again = requests(lambda: m.get("info/settings.cfg"))
    assert b"OPEN" in again and b"READ" not in again and b"FLUSH" not in again
    assert b"FLUSH" in requests(lambda: m.put("info/settings.cfg", b"sv_x 1\n"))
    m.unmount()
