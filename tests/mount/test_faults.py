# SPDX-License-Identifier: Zlib
"""A failing disk, or a killed worker, at every step of a save, simulated by a shim for libc."""
import errno
import os
import re
import time

import pytest

import box as boxes
import datafile
import parts
import shims
from shims import Fault

SETTINGS = "info/settings.cfg"
NEW = b"changed 1\n"
STEPS_MAX = 200


def reference_save(box):
    """(old bytes, new bytes, calls of the close, calls of the save) of a run without faults."""
    shim = box.shim(Fault)
    path = box.add(datafile.small_map(), "reference.map")
    old = boxes.get(path)
    m = box.mount(path, shim=shim)
    shim.arm(Fault.COUNT)
    m.put(SETTINGS, NEW)
    closing = shim.calls()
    shim.arm(Fault.COUNT)
    m.unmount()
    saving, trace = shim.calls(), shim.trace()
    assert {"write", "sync", "rename"} <= set(trace), trace
    # Write, sync, rename, and sync of the directory.
    at = len(trace) - 1 - trace[::-1].index("rename")
    assert "sync" in trace[:at] and "sync" in trace[at:], trace
    return old, boxes.get(path), closing, saving


def test_a_save_killed_at_any_step_leaves_the_old_or_the_new_map(box):
    old, new, _, steps = reference_save(box)
    assert 4 <= steps <= STEPS_MAX
    seen = set()
    for action in (Fault.KILL, Fault.KILL_TORN):
        for step in range(steps):
            what = "%s at %d" % (action, step)
            shim = box.shim(Fault)
            path = box.add(old, "small.map")
            m = box.mount(path, shim=shim)
            m.put(SETTINGS, NEW)
            shim.arm(action, step)
            r = box.run("-u", m.point)
            shim.disarm()
            assert boxes.wait_for(lambda: not box.processes()), what
            assert not m.mounted(), what
            state = boxes.get(path)
            assert state in (old, new), what
            seen.add(state == new)
            # mapfs -u reports success only if the save succeeded.
            assert r.code != 0 or state == new, what
            m = box.mount(path)
            assert m.get(SETTINGS) == NEW, what
            m.unmount()
            assert boxes.get(path) == new, what
            clear(box)
    assert seen == {False, True}


def clear(box):
    for name in box.beside():
        os.unlink(os.path.join(box.maps, name))


def test_the_next_mount_removes_the_files_of_a_killed_save(box, small):
    old, new, _, steps = reference_save(box)
    for step in range(steps):
        shim = box.shim(Fault)
        path = box.add(old, "small.map")
        m = box.mount(path, shim=shim)
        m.put(SETTINGS, NEW)
        shim.arm(Fault.KILL, step)
        box.run("-u", m.point)
        assert boxes.wait_for(lambda: not box.processes()), step
        m = box.mount(path)
        m.unmount()
        assert box.beside() == [], step


def test_a_confirmed_close_survives_a_kill_at_any_step(box):
    old, new, steps, _ = reference_save(box)
    assert 1 <= steps <= STEPS_MAX
    for action in (Fault.KILL, Fault.KILL_TORN):
        for step in range(steps):
            what = "%s at %d" % (action, step)
            shim = box.shim(Fault)
            path = box.add(old, "small.map")
            m = box.mount(path, shim=shim)
            shim.arm(action, step)
            failed = boxes.refused(m.put, SETTINGS, NEW)
            boxes.wait_for(lambda: not box.processes(), 2)
            shim.disarm()
            if box.processes():  # the step comes later than the close
                box.kill_worker()
            assert boxes.get(path) == old, what
            m = box.mount(path)
            now = m.get(SETTINGS)
            assert now == NEW or (failed and now == b"sv_deepfly 0\ntune ground_friction 0.5\n")
            m.put(SETTINGS, NEW)
            m.unmount()
            assert boxes.get(path) == new, what
            clear(box)


@pytest.mark.parametrize("ops,error", [
    (Fault.WRITE, errno.ENOSPC), (Fault.SYNC, errno.EIO), (Fault.RENAME, errno.EIO),
    (Fault.OPEN, errno.ENOSPC), (Fault.OPEN, errno.EACCES)],
    ids=["disk full", "sync fails", "rename fails", "no new file", "directory unwritable"])
def test_a_failed_save_keeps_the_map_the_mount_and_the_change(box, small, ops, error):
    raw = boxes.get(small)
    shim = box.shim(Fault)
    m = box.mount(small, shim=shim)
    m.put(SETTINGS, NEW)
    shim.arm(Fault.FAIL_FROM, 0, ops, error)
    r = m.unmount(code=4)
    assert (r.out + r.err).strip()
    assert m.mounted()
    assert boxes.get(small) == raw
    assert m.get(SETTINGS) == NEW
    top = os.open(m.point, os.O_RDONLY)
    assert boxes.refused(os.fsync, top) != 0
    os.close(top)
    shim.disarm()
    m.unmount()
    assert parts.settings(small) == b"changed 1\0"


def test_a_save_that_fails_at_any_step_can_be_repeated(box):
    old, new, _, steps = reference_save(box)
    for step in range(steps):
        shim = box.shim(Fault)
        path = box.add(old, "small.map")
        m = box.mount(path, shim=shim)
        m.put(SETTINGS, NEW)
        shim.arm(Fault.FAIL, step, error=errno.EIO)
        r = box.run("-u", m.point)
        shim.disarm()
        assert r.code in (0, 4), (step, r)
        assert boxes.get(path) in (old, new), step
        if r.code == 0:
            # The failed call was not needed for the save (metadata, cleanup).
            assert not m.mounted() and boxes.get(path) == new, step
        else:
            assert m.mounted(), (step, r)
            m.unmount()
        assert boxes.get(path) == new, step
        clear(box)


def test_a_forced_unmount_after_a_failed_save_keeps_the_journal(box, small):
    raw = boxes.get(small)
    shim = box.shim(Fault)
    m = box.mount(small, shim=shim)
    m.put(SETTINGS, NEW)
    shim.arm(Fault.FAIL_FROM, 0, Fault.RENAME, errno.EIO)
    m.unmount("--force", code=4)
    assert not m.mounted()
    assert boxes.wait_for(lambda: not box.processes())
    assert boxes.get(small) == raw
    r = box.run("recover", small, "--list")
    assert r.code == 0 and "mapfs-journal" in r.out
    m = box.mount(small)
    assert m.get(SETTINGS) == NEW
    m.unmount()
    assert parts.settings(small) == b"changed 1\0"
    assert box.beside() == []


def test_a_close_that_cannot_be_journalled_fails(box, small):
    raw = boxes.get(small)
    shim = box.shim(Fault)
    m = box.mount(small, shim=shim)
    shim.arm(Fault.FAIL_FROM, 0, Fault.WRITE | Fault.OPEN, errno.ENOSPC)
    assert boxes.refused(m.put, SETTINGS, NEW) in (errno.ENOSPC, errno.EIO)
    shim.disarm()
    m.put(SETTINGS, NEW)
    m.unmount()
    assert parts.settings(small) == b"changed 1\0"
    assert boxes.get(small) != raw


@pytest.mark.parametrize("then", ["unmount", "sync"])
def test_a_save_retries_content_refused_because_of_a_full_disk(box, small, then):
    shim = box.shim(Fault)
    m = box.mount(small, shim=shim)
    shim.arm(Fault.FAIL_FROM, 0, Fault.WRITE | Fault.OPEN, errno.ENOSPC)
    assert boxes.refused(m.put, SETTINGS, NEW) in (errno.ENOSPC, errno.EIO)
    time.sleep(0.1)  # the release has tried again, too
    assert "refused %s: No space left on device" % SETTINGS in m.xattr("", "user.mapfs.status")
    assert "refused %s: No space left on device" % SETTINGS in box.run("status", m.point).out
    shim.disarm()
    if then == "sync":
        top = os.open(m.point, os.O_RDONLY)
        os.fsync(top)
        os.close(top)
        assert parts.settings(small) == b"changed 1\0"
        assert "refused" not in m.xattr("", "user.mapfs.status")
    m.unmount()
    assert parts.settings(small) == b"changed 1\0"
    assert box.beside() == []


@pytest.fixture
def disk(box, root):
    """A directory with a disk of 3 MiB."""
    disk = os.path.join(box.root, "disk")
    os.mkdir(disk)
    r = box.run("-t", "tmpfs", "-o", "size=3m", "none", disk, program="mount")
    if r.code:
        pytest.skip("no tmpfs can be mounted: " + r.err.strip())
    yield disk
    assert boxes.wait_for(lambda: box.run(disk, program="umount").code == 0)


def test_a_save_on_a_full_disk_keeps_the_old_map(box, disk):
    path = os.path.join(disk, "big.map")
    raw = datafile.small_map(padding=1800 << 10)
    with open(path, "wb") as f:
        f.write(raw)
    m = box.mount(path)
    m.put(SETTINGS, NEW)
    r = m.unmount(code=4)
    assert "No space left on device" in r.out
    assert re.search("free at least [1-3] MB in %s/ and run mapfs -u again" % re.escape(disk), r.err), r
    assert boxes.get(path) == raw
    assert m.mounted() and m.get(SETTINGS) == NEW
    m.unmount("--force", code=4)
    assert boxes.get(path) == raw
    assert any("mapfs-journal" in n for n in os.listdir(disk))
    assert not any("mapfs-new" in n for n in os.listdir(disk))


@pytest.fixture
def full_disk(box, disk):
    """A mount of a map on the full disk with a scratch file, and the path of the file that fills the disk."""
    path = os.path.join(disk, "small.map")
    with open(path, "wb") as f:
        f.write(datafile.small_map())
    m = box.mount(path)
    boxes.put(m / "images/photo.jpg", b"JPEG" * 1000, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    fill = os.path.join(disk, "fill")
    with open(fill, "wb") as f, pytest.raises(OSError):
        f.write(bytes(4 << 20))
    return m, fill


def test_the_mount_stays_if_a_file_cannot_be_rescued(full_disk):
    m, fill = full_disk
    r = m.unmount(code=5)
    assert m.mounted() and m.get("images/photo.jpg") == b"JPEG" * 1000
    assert "cannot rescue images/photo.jpg" in r.out
    assert "still mounted: free at least 1 MB in " in r.err
    os.unlink(fill)
    m.unmount(code=5)
    assert boxes.get(m.map + ".mapfs-left/images/photo.jpg") == b"JPEG" * 1000


def test_a_forced_unmount_reports_lost_files(full_disk):
    m, _ = full_disk
    r = m.unmount("--force", code=5)
    assert "cannot rescue images/photo.jpg" in r.out
    assert "journal" not in r.out + r.err


def test_many_files_are_rescued_by_few_syncs(box, disk):
    path = os.path.join(disk, "small.map")
    with open(path, "wb") as f:
        f.write(datafile.small_map())
    shim = box.shim(Fault)
    m = box.mount(path, shim=shim)
    names = ["images/%d.jpg" % i for i in range(500)]
    for name in names:
        boxes.put(m / name, name.encode(), os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    shim.arm(Fault.COUNT, ops=Fault.SYNC)
    m.unmount(code=5)
    assert 1 <= shim.calls() <= 4
    assert all(boxes.get(m.map + ".mapfs-left/" + name) == name.encode() for name in names)


@pytest.mark.parametrize("with_point", [False, True])
def test_a_new_map_on_a_full_disk_fails_to_mount(box, disk, with_point):
    """A message about the file would be useless, because the file does not exist."""
    with open(os.path.join(disk, "fill"), "wb") as f, pytest.raises(OSError):
        while True:
            os.write(f.fileno(), bytes(4096))
    path = os.path.join(disk, "new.map")
    r = box.run("--new", path, *[box.point()][:with_point])
    assert r.code == 3, r
    assert re.fullmatch(re.escape(f"mapfs: {path}: cannot ") + ".*: No space left on device\n", r.err), r
    assert os.listdir(disk) == ["fill"] and not boxes.is_mounted(box.point())


def test_the_shim_kills_the_worker(box, small):
    """Without this test the others could pass without any fault."""
    shim = box.shim(shims.Fault)
    m = box.mount(small, shim=shim)
    worker = box.worker()
    shim.arm(Fault.KILL, 0)
    boxes.refused(m.put, SETTINGS, NEW)
    assert boxes.wait_for(lambda: worker not in box.processes())
    assert boxes.wait_for(lambda: not box.processes())
    shim.disarm()
    assert not m.mounted()
    box.allow("*mapfs-journal*")


def test_the_shim_ignores_syncs_through_the_mount(box, small):
    """The save syncs an open file for the kernel, which is no step of the save."""
    shim = box.shim(shims.Fault)
    m = box.mount(small, shim=shim)
    m.put(SETTINGS, NEW)
    held = os.open(m / SETTINGS, os.O_WRONLY)
    shim.arm(Fault.KILL, 0, Fault.SYNC)
    assert box.run("-u", m.point).code != 0
    boxes.refused(os.close, held)
    # Only the worker was killed; the other processes exit.
    assert boxes.wait_for(lambda: not box.processes())
    shim.disarm()
    m = box.mount(small)
    assert m.get(SETTINGS) == NEW
    m.unmount()
