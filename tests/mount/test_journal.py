# SPDX-License-Identifier: Zlib
"""Closed changes survive: after kill -9 the next mount replays the journal, and recover shows it."""
import errno
import json
import os
import shutil
import signal

import pytest

import box as boxes
import datafile
import parts
import places
from shims import Fault

SETTINGS = "info/settings.cfg"
PNG = "images/0_checker.png"


def journals(box):
    return [n for n in box.beside() if "mapfs-journal" in n]


def killed(box, m):
    """Kill the worker with kill -9; the supervisor cleans up."""
    box.kill_worker()
    assert not m.mounted()


def sync(m):
    fd = os.open(m.point, os.O_RDONLY)
    os.fsync(fd)
    os.close(fd)


def test_a_change_survives_kill_9_of_the_worker(box, small):
    raw = boxes.get(small)
    m = box.mount(small)
    m.put(SETTINGS, b"kept 1\n")
    killed(box, m)
    assert boxes.get(small) == raw
    assert journals(box)
    m = box.mount(small)
    assert "journal" in m.result.out + m.result.err  # a message reports the replay
    assert m.get(SETTINGS) == b"kept 1\n"
    m.unmount()
    assert parts.settings(small) == b"kept 1\0"
    assert box.beside() == []


def test_a_change_survives_kill_9_of_both_processes(box, small):
    m = box.mount(small)
    m.put(SETTINGS, b"kept 1\n")
    for pid in box.processes():
        os.kill(pid, signal.SIGKILL)
    assert boxes.wait_for(lambda: not box.processes())
    # The user must end the mount, because no process is left to do it.
    box.run("-u" if os.geteuid() else "-l", m.point,
            program="fusermount3" if os.geteuid() else "umount")
    m = box.mount(small)
    assert m.get(SETTINGS) == b"kept 1\n"
    m.unmount()
    assert parts.settings(small) == b"kept 1\0"


def test_changes_and_refused_files_are_replayed_in_order(box, small):
    m = box.mount(small)
    m.put(SETTINGS, b"first\n")
    m.put("info/author", b"me\n")
    m.put(SETTINGS, b"second\n")
    assert boxes.refused(m.put, PNG, b"no picture") == errno.EINVAL
    killed(box, m)
    m = box.mount(small)
    assert m.get(SETTINGS) == b"second\n"
    assert m.get("info/author") == b"me\n"
    assert m.get(PNG) == b"no picture"
    assert m.xattr(PNG, "user.mapfs.error")
    os.removexattr(m / PNG, "user.mapfs.error")
    m.unmount()
    assert (parts.settings(small), parts.author(small)) == (b"second\0", b"me\0")
    assert box.beside() == []


def test_dropped_refused_content_does_not_come_back(box, small):
    m = box.mount(small)
    assert boxes.refused(m.put, PNG, b"no picture") == errno.EINVAL
    os.removexattr(m / PNG, "user.mapfs.error")
    killed(box, m)
    m = box.mount(small)
    assert m.get(PNG).startswith(b"\x89PNG")
    m.unmount()


def test_an_unclosed_write_is_not_replayed(box, small):
    m = box.mount(small)
    fd = os.open(m / SETTINGS, os.O_WRONLY | os.O_TRUNC)
    os.write(fd, b"half a li")
    killed(box, m)
    assert boxes.refused(os.close, fd) != 0
    m = box.mount(small)
    assert m.get(SETTINGS) == b"sv_deepfly 0\ntune ground_friction 0.5\n"
    m.unmount()


def test_saved_changes_are_not_replayed(box, small):
    m = box.mount(small)
    m.put(SETTINGS, b"saved 1\n")
    box.run(m.point, program="sync")
    assert parts.settings(small) == b"saved 1\0"
    killed(box, m)
    raw = boxes.get(small)
    m = box.mount(small)
    assert m.get(SETTINGS) == b"saved 1\n"
    m.unmount()
    assert boxes.get(small) == raw
    assert box.beside() == []


def test_changes_after_a_save_are_replayed_onto_the_saved_map(box, small):
    m = box.mount(small)
    m.put(SETTINGS, b"saved 1\n")
    box.run(m.point, program="sync")
    m.put("info/author", b"later\n")
    killed(box, m)
    m = box.mount(small)
    assert (m.get(SETTINGS), m.get("info/author")) == (b"saved 1\n", b"later\n")
    m.unmount()
    assert (parts.settings(small), parts.author(small)) == (b"saved 1\0", b"later\0")
    assert box.beside() == []


@pytest.mark.parametrize("remade", [False, True])
def test_a_bare_number_keeps_its_object_after_a_save(box, small, remade):
    """In the saved map, the next layer without a name has the same number as the moved one before and now."""
    point = b'{"channels": 3, "points": [{"time": %d, "curve_type": 1, "values": [0, 0, 0, 0]}]}'
    m = box.mount(small)
    for name in os.listdir(m / "envelopes"):
        os.unlink(m / ("envelopes/" + name))
    for i in range(3):
        m.put("envelopes/%d_.json" % i, point % i, flags=os.O_WRONLY | os.O_CREAT)
    m.unmount()
    m = box.mount(small)
    assert sorted(os.listdir(m / "envelopes")) == ["0.json", "1.json", "2.json"]
    os.rename(m / "envelopes/0.json", m / "envelopes/9_x.json")
    sync(m)
    if remade:
        os.unlink(m / "envelopes/9_x.json")
        m.put("envelopes/0.json", point % 7, flags=os.O_WRONLY | os.O_CREAT)
    else:
        os.rename(m / "envelopes/9_x.json", m / "envelopes/0.json")
    killed(box, m)
    box.mount(small).unmount()
    m = box.mount(small, "ro")
    times = [json.loads(m.get("envelopes/%d.json" % i))["points"][0]["time"] for i in range(3)]
    assert times == [7 if remade else 0, 1, 2]
    m.unmount()


def test_a_new_bare_number_is_not_confused_with_one_from_a_save(box, small):
    point = b'{"channels": 3, "points": [{"time": %d, "curve_type": 1, "values": [0, 0, 0, 0]}]}'
    m = box.mount(small)
    n = len(os.listdir(m / "envelopes"))
    m.put("envelopes/%d_.json" % (n + 3), point % 801, flags=os.O_WRONLY | os.O_CREAT)
    sync(m)
    m.put("envelopes/%d.json" % n, point % 501, flags=os.O_WRONLY | os.O_CREAT)
    killed(box, m)
    box.mount(small).unmount()
    m = box.mount(small, "ro")
    times = [json.loads(m.get("envelopes/" + name))["points"] for name in sorted(os.listdir(m / "envelopes"))]
    assert [p[0]["time"] for p in times[n:]] in ([501, 801], [801, 501])
    m.unmount()


def test_a_new_name_of_digits_is_not_confused_with_a_number_from_a_save(box, small):
    m = box.mount(small)
    n = len(os.listdir(m / "images"))
    image = m.get(PNG)
    m.put("images/%d_.png" % (n + 3), image, flags=os.O_WRONLY | os.O_CREAT)
    sync(m)
    m.put("images/%d.png" % n, image, flags=os.O_WRONLY | os.O_CREAT)
    killed(box, m)
    box.mount(small).unmount()
    m = box.mount(small, "ro")
    assert sorted(os.listdir(m / "images"))[n:] == ["%d.png" % n, "%d_%d.png" % (n + 1, n)]
    m.unmount()


@pytest.mark.parametrize("new", [False, True])
def test_a_layer_removed_after_a_save_is_removed_with_its_default_table(box, small, new):
    """The table of the new layer was not written; the table of the other layer was removed."""
    layers = "groups/0_Game/layers/"
    m = box.mount(small)
    layer = m / (layers + ("new" if new else "1_ground"))
    if new:
        about, tiles = m.get(layers + "1_ground/layer.json"), m.get(layers + "1_ground/id.csv")
        os.mkdir(layer)
        for name, data in (("layer.json", about), ("id.csv", tiles)):
            boxes.put(os.path.join(layer, name), data, os.O_WRONLY | os.O_CREAT)
    else:
        os.unlink(os.path.join(layer, "flags.csv"))
        m.put("info/author", b"saved\n")
    sync(m)
    shutil.rmtree(layer)
    killed(box, m)
    m = box.mount(small)
    assert sorted(os.listdir(m / layers)) == ["0_Game", "1_ground"][:1 + new]
    m.unmount()
    assert box.beside() == []


def test_a_refused_file_survives_a_save_and_kill_9(box, small):
    m = box.mount(small)
    assert boxes.refused(m.put, PNG, b"no picture") == errno.EINVAL
    m.put(SETTINGS, b"saved 1\n")
    box.run(m.point, program="sync")
    assert parts.settings(small) == b"saved 1\0"
    killed(box, m)
    m = box.mount(small)
    assert m.get(PNG) == b"no picture"
    os.removexattr(m / PNG, "user.mapfs.error")
    m.unmount()
    assert box.beside() == []


def test_fsync_of_a_file_syncs_the_journal(box, small):
    shim = box.shim(Fault)
    m = box.mount(small, shim=shim)
    fd = os.open(m / SETTINGS, os.O_WRONLY | os.O_TRUNC)
    os.write(fd, b"kept 1\n")
    shim.arm(Fault.COUNT)
    os.fsync(fd)
    assert "sync" in shim.trace()
    os.close(fd)
    m.unmount()


def test_the_journal_is_synced_soon_after_a_close(box, small):
    shim = box.shim(Fault)
    m = box.mount(small, shim=shim)
    shim.arm(Fault.COUNT)
    m.put(SETTINGS, b"kept 1\n")
    assert boxes.wait_for(lambda: "sync" in shim.trace())
    m.unmount()


def test_a_synced_write_survives_without_close(box, small):
    m = box.mount(small)
    fd = os.open(m / SETTINGS, os.O_WRONLY | os.O_TRUNC)
    os.write(fd, b"kept 1\n")
    os.fsync(fd)
    killed(box, m)
    boxes.refused(os.close, fd)
    m = box.mount(small)
    assert m.get(SETTINGS) == b"kept 1\n"
    m.unmount()


def remove_journal(box, how):
    """Remove or replace the journal of a mount as other programs do: git clean, mv, rsync, an editor."""
    name, = journals(box)
    path = os.path.join(box.maps, name)
    if how == "removed":
        os.unlink(path)
    elif how == "renamed":
        os.rename(path, path + "~")
    elif how == "copied":
        shutil.copy(path, path + "~")
        os.rename(path + "~", path)
    else:
        os.unlink(path)
        boxes.put(path, b"no journal", os.O_WRONLY | os.O_CREAT)
    box.allow("*~", "*.kept")


@pytest.mark.parametrize("how", ["removed", "renamed", "copied", "overwritten"])
@pytest.mark.parametrize("noticed", ["fsync", "close"])
def test_a_lost_journal_is_rewritten(box, small, how, noticed):
    m = box.mount(small)
    m.put("info/author", b"before\n")
    assert boxes.refused(m.put, PNG, b"no picture") == errno.EINVAL
    remove_journal(box, how)
    if noticed == "fsync":
        sync_file(m, "info/author")
    else:
        m.put(SETTINGS, b"after 1\n")
    killed(box, m)
    m = box.mount(small)
    assert (m.get("info/author"), m.get(PNG)) == (b"before\n", b"no picture")
    if noticed == "close":
        assert m.get(SETTINGS) == b"after 1\n"
    os.removexattr(m / PNG, "user.mapfs.error")
    m.unmount()
    assert parts.author(small) == b"before\0"
    assert not [n for n in journals(box) if n[-1] in "0123456789abcdef"]


def sync_file(m, name):
    fd = os.open(m / name, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def test_a_close_fails_if_a_lost_journal_cannot_be_rewritten(box, small):
    shim = box.shim(Fault)
    m = box.mount(small, shim=shim)
    m.put("info/author", b"before\n")
    remove_journal(box, "removed")
    shim.arm(Fault.FAIL_FROM, 0, Fault.OPEN, errno.ENOSPC)
    assert boxes.refused(m.put, SETTINGS, b"after 1\n") == errno.ENOSPC
    assert boxes.refused(sync_file, m, "info/author") == errno.ENOSPC
    shim.disarm()
    sync_file(m, "info/author")
    killed(box, m)
    m = box.mount(small)
    assert m.get("info/author") == b"before\n"
    m.unmount()


def test_a_kill_during_the_rewrite_of_a_journal_keeps_part_or_all_of_it(box, small):
    """The old file has no name any more, so the partial copy is the only journal. It is never reported as damaged."""
    old = boxes.get(small)
    step, killed_in_it = 0, True
    while killed_in_it:
        shim = box.shim(Fault)
        m = box.mount(small, shim=shim)
        m.put("info/author", b"before\n")
        remove_journal(box, "removed")
        shim.arm(Fault.KILL_TORN, step)
        killed_in_it = boxes.refused(m.put, SETTINGS, b"after 1\n") != 0
        shim.disarm()
        if killed_in_it:
            assert boxes.wait_for(lambda: not box.processes()), step
        else:
            box.kill_worker()
        assert boxes.get(small) == old, step
        m = box.mount(small)
        assert "damaged" not in m.result.err, step
        if not killed_in_it:
            assert (m.get("info/author"), m.get(SETTINGS)) == (b"before\n", b"after 1\n")
        m.unmount("--discard")
        assert journals(box) == [], step
        step += 1
    assert step > 3


def test_a_foreign_file_with_the_name_of_the_journal_is_kept(box, small):
    m = box.mount(small)
    m.put("info/author", b"before\n")
    name, = journals(box)
    remove_journal(box, "overwritten")
    m.unmount("--discard")
    assert boxes.get(os.path.join(box.maps, name)) == b"no journal"
    box.allow(name)


def unmatched_journal(box, small):
    """A journal that fits no map, because another program wrote the map after the crash."""
    m = box.mount(small)
    m.put(SETTINGS, b"kept 1\n")
    assert boxes.refused(m.put, PNG, b"no picture") == errno.EINVAL
    killed(box, m)
    with open(small, "wb") as f:
        f.write(datafile.small_map(settings=[b"from another program"]))


def test_a_journal_of_another_content_is_reported_and_not_replayed(box, small):
    unmatched_journal(box, small)
    box.allow("*mapfs-journal*")
    before = journals(box)
    m = box.mount(small)
    assert "journal" in m.result.out + m.result.err
    assert m.get(SETTINGS) == b"from another program\n"
    m.put("info/author", b"me\n")
    m.unmount()
    assert journals(box) == before
    assert parts.settings(small) == b"from another program\0"


@pytest.mark.parametrize("gone", [False, True])
def test_recover_lists_and_extracts_a_journal(box, small, gone):
    unmatched_journal(box, small)
    box.allow("*mapfs-journal*")
    if gone:
        os.unlink(small)
    r = box.run("recover", small, "--list")
    assert r.code == 0, r
    assert "mapfs-journal" in r.out
    out = os.path.join(box.root, "rescued")
    r = box.run("recover", small, "--extract", out)
    assert r.code == 0, r
    found = {}
    for base, _, names in os.walk(out):
        for n in names:
            found[n] = boxes.get(os.path.join(base, n))
    assert found["settings.cfg"] == b"kept 1\n"
    assert found["0_checker.png"] == b"no picture"
    assert journals(box)


def test_recover_reports_a_missing_journal(box, small):
    r = box.run("recover", small, "--list")
    assert r.code == 0 and "mapfs-journal" not in r.out


def test_a_torn_journal_is_replayed_up_to_the_tear(box, small):
    m = box.mount(small)
    m.put("info/author", b"first\n")
    m.put(SETTINGS, b"second\n")
    killed(box, m)
    name, = journals(box)
    path = os.path.join(box.maps, name)
    os.truncate(path, os.stat(path).st_size - 3)
    m = box.mount(small)
    assert m.get("info/author") == b"first\n"
    assert m.get(SETTINGS) in (b"second\n", b"sv_deepfly 0\ntune ground_friction 0.5\n")
    m.put(SETTINGS, b"third\n")
    m.unmount()
    assert (parts.author(small), parts.settings(small)) == (b"first\0", b"third\0")
    assert box.beside() == []


@pytest.mark.parametrize("content", [b"", b"mapfs-journal-1\n", bytes(range(64))],
                         ids=["empty", "head alone", "noise"])
def test_a_file_that_is_no_journal_does_no_harm(box, small, content):
    m = box.mount(small)
    m.put(SETTINGS, b"kept 1\n")
    killed(box, m)
    name, = journals(box)
    with open(os.path.join(box.maps, name), "wb") as f:
        f.write(content)
    r = box.run(small, box.point())
    m = boxes.Mount(box, small, box.point(), r)
    assert r.code == 0, r
    assert m.get(SETTINGS) == b"sv_deepfly 0\ntune ground_friction 0.5\n"
    m.put(SETTINGS, b"new 1\n")
    m.unmount()
    assert parts.settings(small) == b"new 1\0"
    box.allow("*mapfs-journal*")


def test_a_read_only_mount_replays_nothing_and_removes_nothing(box, small):
    m = box.mount(small)
    m.put(SETTINGS, b"kept 1\n")
    killed(box, m)
    before = journals(box)
    m = box.mount(small, "ro")
    m.unmount()
    assert journals(box) == before
    m = box.mount(small)
    assert m.get(SETTINGS) == b"kept 1\n"
    m.unmount()


def test_a_read_fails_when_the_worker_is_killed(box, small):
    m = box.mount(small)
    held = os.open(m / "info/author", os.O_RDONLY)  # not read, so not in the page cache
    pid = box.worker()
    os.kill(pid, signal.SIGKILL)
    assert boxes.wait_for(lambda: boxes.refused(os.pread, held, 100, 0) != 0)
    boxes.refused(os.close, held)  # closes the descriptor even if it fails
    assert boxes.wait_for(lambda: not m.mounted())
    assert boxes.wait_for(lambda: not box.processes())


def test_a_hostile_journal_overwrites_no_file(box):
    folder = places.hostile("journal-parent")
    for name in os.listdir(folder):
        box.add(os.path.join(folder, name))
    m = box.mount(os.path.join(box.maps, "m.map"))
    assert "the journal is damaged" in m.result.err
    m.unmount(code=5)
    for name in ("m.map", "other.txt"):
        assert boxes.get(os.path.join(box.maps, name)) == boxes.get(os.path.join(folder, name))
    assert sorted(os.listdir(box.maps)) == sorted(
        n + ".kept" if "journal" in n else n for n in os.listdir(folder))
    box.allow("*.kept")


@pytest.mark.parametrize("killed", [False, True])
@pytest.mark.parametrize("before", [None, b"accepted\n"])
def test_a_truncation_before_a_refused_write_is_not_accepted_content(box, small, before, killed):
    m = box.mount(small)
    was = before or m.get("info/author")
    if before:
        m.put("info/author", before)
    fd = os.open(m / "info/author", os.O_WRONLY | os.O_TRUNC)
    os.close(os.dup(fd))  # as `> f` in a shell
    os.write(fd, b"two\nlines\n")
    assert boxes.refused(os.close, fd) == errno.EINVAL
    if killed:
        box.kill_worker()
        m = box.mount(small)
    assert m.get("info/author") == b"two\nlines\n"
    os.removexattr(m / "info/author", "user.mapfs.error")
    assert m.get("info/author") == was
    m.unmount()
    m = box.mount(small)
    assert m.get("info/author") == was
    m.unmount()
