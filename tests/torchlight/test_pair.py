# SPDX-License-Identifier: Zlib
"""A PAK and its manifest are saved together: a shim before libc makes the disk fail and the program die at every
step."""
import errno
import os
import random
import struct
import zlib

import pytest

import box as boxes
import tlread
import tlwrite
from archives import Archive, dat, text_dat
from shims import Fault
from tlbox import sync

STEPS_MAX = 200
NAME = "MEDIA/A.DAT"


def pak():
    p = tlwrite.Pak()
    rows = [tlwrite.entry("A.DAT", p.add(dat("old")), dat("old"), 0),
            tlwrite.entry("B.OGG", p.add(b"b" * 500), b"b" * 500, 6)]
    return p.finish(), tlwrite.manifest([("MEDIA/", rows)], total=3)


def add_pair(box):
    section, table = pak()
    return box.add(section, "X.PAK"), box.add(table, "X.PAK.MAN")


def count_steps_of_a_save(box):
    shim = box.shim(Fault)
    path, man = add_pair(box)
    m = box.mount(path, shim=shim)
    m.put(NAME, dat("new"))
    shim.arm(Fault.COUNT)
    m.unmount()
    assert Archive(path, man).one(NAME) == dat("new")
    trace = shim.trace()
    assert trace.count("rename") >= 3, trace  # the marker, and both files
    return shim.calls()


def remove_files(box):
    for name in box.beside():
        os.unlink(os.path.join(box.maps, name))


@pytest.mark.parametrize("action", [Fault.KILL, Fault.KILL_TORN, Fault.FAIL, Fault.FAIL_FROM])
def test_after_a_fault_at_any_step_the_pair_is_old_or_new(box, action):
    steps, seen, mixed = count_steps_of_a_save(box), set(), 0
    assert 10 < steps <= STEPS_MAX
    for step in range(steps):
        what = "%s at %d" % (action, step)
        shim = box.shim(Fault)
        path, man = add_pair(box)
        old = boxes.get(path), boxes.get(man)
        m = box.mount(path, shim=shim)
        m.put(NAME, dat("new"))
        shim.arm(action, step, error=5)
        box.run("-u", "--force", m.point)
        shim.disarm()
        assert boxes.wait_for(lambda: not box.processes()), what
        state = boxes.get(path), boxes.get(man)
        changed = [a != b for a, b in zip(state, old)]
        mixed += changed[0] != changed[1]
        if changed[0] == changed[1]:
            Archive(path, man)
            seen.add(changed[0])
        m = box.mount(path)
        # Closed content is in the archive, or comes back from the journal.
        sync(m)
        assert m.get(NAME) == text_dat("new"), what
        m.unmount()
        assert Archive(path, man).one(NAME) == dat("new"), what
        assert not os.path.exists(os.path.join(box.maps, ".X.PAK.mapfs-pair")), what
        remove_files(box)
    # After a single failure, the save at unmount may succeed.
    assert seen == {False, True} or (action == Fault.FAIL and seen == {True})
    if action in (Fault.KILL, Fault.KILL_TORN):
        assert mixed, "no kill fell between the two renames: the test proves nothing"


def test_a_read_only_mount_of_an_interrupted_pair_gives_advice(box):
    path, _ = add_pair(box)
    with open(os.path.join(box.maps, ".X.PAK.mapfs-pair"), "wb") as f:
        f.write(b"mapfs pair 1\n.a.mapfs-new-1\nX.PAK\n.b.mapfs-new-2\nX.PAK.MAN\n")
    m = box.mount(path, opts="ro", code=2)
    assert "interrupted" in m.result.err
    box.mount(path).unmount()
    assert box.beside() == []


def make_pair(n, version):
    """The lengths of the files show the version."""
    p = tlwrite.Pak()
    bodies = [b"%d" % i * (1 + version * (i % 2)) for i in range(n)]
    rows = [tlwrite.entry("F%03d.OGG" % i, p.add(b, True), b, 6) for i, b in enumerate(bodies)]
    return p.finish(), tlwrite.manifest([("MEDIA/", rows)], total=n + 1)


def assert_read_only(m):
    """Every change fails with EROFS."""
    path = m / "MEDIA/F000.OGG"
    for change in (lambda: m.put("MEDIA/F000.OGG", b"x"), lambda: os.unlink(path),
                   lambda: m.put("MEDIA/NEW.OGG", b"x", flags=os.O_WRONLY | os.O_CREAT),
                   lambda: os.mkdir(m / "MEDIA/D"), lambda: os.rename(path, m / "MEDIA/X.OGG"),
                   lambda: os.utime(path, ns=(5, 5)), lambda: os.truncate(path, 0)):
        assert boxes.refused(change) == errno.EROFS


@pytest.mark.parametrize("name", ["X.PAK", "PAK.ZIP"])
def test_a_pak_may_begin_like_a_file_of_another_type(box, name):
    """A PAK begins with the largest compressed size, which can be any number: here the magic bytes of gzip."""
    noise = random.Random(43).randbytes(0x8b1f)
    n = next(n for n in range(len(noise) - 100, len(noise)) if len(zlib.compress(noise[:n], 6)) == 0x8b1f)
    p = tlwrite.Pak()
    rows = [tlwrite.entry("B.OGG", p.add(noise[:n]), noise[:n], 6)]
    section = p.finish()
    assert section[:4] == b"\x1f\x8b\0\0"
    path, man = box.add(section, name), box.add(tlwrite.manifest([("MEDIA/", rows)], total=2), name + ".MAN")
    m = box.mount(path)
    assert m.get("MEDIA/B.OGG") == noise[:n]
    m.put("MEDIA/B.OGG", b"new")
    m.unmount()
    assert Archive(path, man).one("MEDIA/B.OGG") == b"new"


@pytest.mark.parametrize("n", [1, 3, 200])
def test_a_pak_with_the_manifest_of_another_version_cannot_be_changed(box, n):
    path, man = box.add(make_pair(n + 1, 0)[0], "X.PAK"), box.add(make_pair(n + 1, 1)[1], "X.PAK.MAN")
    before = boxes.get(path), boxes.get(man)
    m = box.mount(path)
    assert "read-only" in m.result.err and " bytes (" in m.result.err, m.result.err
    assert m.result.err.count("\n") == 1
    assert_read_only(m)
    m.unmount()
    assert (boxes.get(path), boxes.get(man)) == before and box.beside() == []


def test_all_blocks_are_checked_before_the_first_change(box):
    section, table = make_pair(300, 0)
    at = section.index(b"\1\0\0\0\0\0\0\0" + b"7")  # an entry that the check at mount skips
    section = bytearray(section[:at] + b"\2" + section[at + 1:])
    section[4:8] = struct.pack("<I", tlread.pak_hash(section))
    path = box.add(bytes(section), "X.PAK")
    box.add(table, "X.PAK.MAN")
    m = box.mount(path)
    assert m.result.err == ""
    assert m.get("MEDIA/F000.OGG") == b"0"
    assert_read_only(m)
    m.unmount()
    assert box.beside() == []


@pytest.mark.parametrize("offset", [2, 0xfffffff0])
def test_an_entry_outside_of_the_file_is_eio_and_the_archive_read_only(box, offset):
    section, table = pak()
    table = table.replace(struct.pack("<II", 8, len(dat("old"))), struct.pack("<II", offset, 5))
    path = box.add(section, "X.PAK")
    box.add(table, "X.PAK.MAN")
    m = box.mount(path)
    assert "read-only: MEDIA/A.DAT: its offset is %d (4.." % offset in m.result.err, m.result.err
    assert boxes.refused(m.get, "MEDIA/A.DAT") == errno.EIO
    assert m.get("MEDIA/B.OGG") == b"b" * 500
    assert boxes.refused(m.put, "MEDIA/B.OGG", b"x") == errno.EROFS
    m.unmount()


def test_a_manifest_that_is_a_symbolic_link_is_not_replaced(box):
    section, table = pak()
    os.mkdir(os.path.join(box.maps, "store"))
    path = box.add(section, "X.PAK")
    store = box.add(table, "store/X.MAN")
    os.symlink("store/X.MAN", path + ".MAN")
    box.allow("store", "X.PAK.MAN")
    m = box.mount(path)
    assert "mounted read-only: X.PAK.MAN is a symbolic link" in m.result.err, m.result.err
    assert boxes.refused(m.put, "MEDIA/B.OGG", b"x") == errno.EROFS
    m.unmount()
    assert os.path.islink(path + ".MAN") and boxes.get(store) == table
