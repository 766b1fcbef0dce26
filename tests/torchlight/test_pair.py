# SPDX-License-Identifier: Zlib
"""A PAK and its manifest are one: a disk that fails and a program that dies at every step of their
save, by a shim before libc."""
import os

import pytest

import box as boxes
import shims
import tlwrite
from archives import Archive, dat
from shims import Fault

STEPS_MAX = 200
NAME = "MEDIA/A.DAT"


def pak():
    p = tlwrite.Pak()
    rows = [tlwrite.entry("A.DAT", p.add(dat("old")), dat("old"), 0),
            tlwrite.entry("B.OGG", p.add(b"b" * 500), b"b" * 500, 6)]
    return p.finish(), tlwrite.manifest([("MEDIA/", rows)], total=3)


def add(box):
    section, table = pak()
    return box.add(section, "X.PAK"), box.add(table, "X.PAK.MAN")


def steps_of_a_save(box):
    shim = box.shim(Fault)
    path, man = add(box)
    m = box.mount(path, shim=shim)
    m.put(NAME, dat("new"))
    shim.arm(Fault.COUNT)
    m.unmount()
    assert Archive(path, man).one(NAME) == dat("new")
    trace = shim.trace()
    assert trace.count("rename") >= 3, trace  # the marker, and both files
    return shim.calls()


def clear(box):
    for name in box.beside():
        os.unlink(os.path.join(box.maps, name))


@pytest.mark.parametrize("action", [Fault.KILL, Fault.KILL_TORN, Fault.FAIL, Fault.FAIL_FROM])
def test_at_every_step_the_pair_is_old_or_new_or_made_so_by_the_next_mount(box, action):
    steps, seen, mixed = steps_of_a_save(box), set(), 0
    assert 10 < steps <= STEPS_MAX
    for step in range(steps):
        what = "%s at %d" % (action, step)
        shim = box.shim(Fault)
        path, man = add(box)
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
        # What close promised is in the archive or came back from the journal.
        assert m.get(NAME) == dat("new"), what
        m.unmount()
        assert Archive(path, man).one(NAME) == dat("new"), what
        assert not os.path.exists(os.path.join(box.maps, ".X.PAK.mapfs-pair")), what
        clear(box)
    # One failure alone may be made up for by the save that ends the mount.
    assert seen == {False, True} or (action == Fault.FAIL and seen == {True})
    if action in (Fault.KILL, Fault.KILL_TORN):
        assert mixed, "no kill fell between the two renames: the test proves nothing"


def test_a_read_only_mount_of_a_pair_that_was_cut_short_says_what_to_do(box):
    path, _ = add(box)
    with open(os.path.join(box.maps, ".X.PAK.mapfs-pair"), "wb") as f:
        f.write(b"mapfs pair 1\n.a.mapfs-new-1\nX.PAK\n.b.mapfs-new-2\nX.PAK.MAN\n")
    m = box.mount(path, opts="ro", code=2)
    assert "cut short" in m.result.err
    box.mount(path).unmount()
    assert box.beside() == []
