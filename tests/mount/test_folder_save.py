# SPDX-License-Identifier: Zlib
"""Changing a mounted folder of maps: locks, journals, saves, reports, new maps."""
import errno
import mmap
import os
import shutil
import signal
import subprocess
import time

import pytest

import box as boxes
import datafile
import folder
import parts
from folder import AUTHOR, SETTINGS, Cost, soon

NAMES = ["m%05d.map" % i for i in range(4)]


@pytest.fixture
def four_maps(box):
    folder.many(box, 4)
    return box.mount(box.maps)


def path_of(box, i):
    return os.path.join(box.maps, NAMES[i])


def author(box, i):
    return parts.author(path_of(box, i))


def test_changed_maps_are_saved_and_reported_by_map(box, four_maps):
    untouched = boxes.get(path_of(box, 0)), os.stat(path_of(box, 0)).st_ino
    for i in 1, 2, 3:
        assert box.beside() == sorted(n for n in box.beside() if "mapfs-journal" in n)
        four_maps.put(NAMES[i] + "/" + AUTHOR, b"me %d\n" % i)
    assert len(box.beside()) == 3
    r = four_maps.unmount()
    for i in 1, 2, 3:
        assert author(box, i) == b"me %d\0" % i
        assert r.out.count("%s: saved: %s" % (NAMES[i], AUTHOR)) == 1
    lines = [line for line in r.out.splitlines() if ".map: " in line]
    assert [t for t in lines if NAMES[0] in t] == []
    names = [next(n for n in NAMES if n in t) for t in lines]
    assert names == sorted(names)  # the lines of a map are together
    assert (boxes.get(path_of(box, 0)), os.stat(path_of(box, 0)).st_ino) == untouched
    assert box.beside() == []


def test_sync_saves_one_map_or_all(box, four_maps):
    four_maps.put(NAMES[0] + "/" + AUTHOR, b"me\n")
    four_maps.put(NAMES[1] + "/" + AUTHOR, b"me\n")
    folder.sync(four_maps / NAMES[0])
    assert (author(box, 0) == b"me\0", author(box, 1) == b"me\0") == (True, False)
    folder.sync(four_maps.point)
    assert author(box, 1) == b"me\0"
    assert box.beside() == []
    assert four_maps.get(NAMES[1] + "/" + AUTHOR) == b"me\n"
    four_maps.unmount()


def test_a_failed_save_of_one_map_does_not_prevent_others(box, four_maps):
    for i in range(4):
        four_maps.put(NAMES[i] + "/" + AUTHOR, b"me\n")
    folder.replace(box, NAMES[1], datafile.small_map(settings=(b"sv_theirs 1",)))
    with open(path_of(box, 2), "r+b") as f:  # an in-place write makes a save impossible
        f.write(b"\xff" * 200)
    assert four_maps.get(NAMES[1] + "/" + AUTHOR) == b"me\n"  # unsaved changes stay visible
    assert boxes.refused(folder.sync, four_maps.point) != 0
    assert (author(box, 0), author(box, 3)) == (b"me\0", b"me\0")
    assert parts.settings(path_of(box, 1)) == b"sv_theirs 1\0"
    assert parts.author(path_of(box, 1) + ".mapfs-conflict") == b"me\0"
    r = four_maps.unmount(code=4)
    assert NAMES[2] + ": refused: " in r.out and NAMES[1] + ".mapfs-conflict" in r.out
    assert four_maps.mounted()
    four_maps.unmount("--force", code=4)
    assert [n for n in box.beside() if NAMES[2] + ".mapfs-journal" in n]
    box.allow("*.mapfs-journal-*", "*.mapfs-conflict")


def test_a_conflict_decides_the_exit_code_if_all_other_maps_are_saved(box, four_maps):
    for i in 0, 1:
        four_maps.put(NAMES[i] + "/" + AUTHOR, b"me\n")
    folder.replace(box, NAMES[1], datafile.small_map(settings=(b"sv_theirs 1",)))
    assert boxes.refused(folder.sync, four_maps.point) == errno.ESTALE
    four_maps.unmount(code=6)
    assert author(box, 0) == b"me\0"
    box.allow("*.mapfs-conflict")


def test_rescued_files_are_beside_their_map(box, four_maps):
    with open(four_maps / (NAMES[2] + "/images/photo.jpg"),
              "wb") as f:
        f.write(b"photo")
    left = NAMES[2] + ".mapfs-left"
    r = four_maps.unmount(code=5)
    assert "%s: rescued: %s/images/photo.jpg: " % (NAMES[2], left) in r.out
    assert boxes.get(os.path.join(box.maps, left, "images/photo.jpg")) == b"photo"
    box.allow(left)


def test_closed_changes_survive_kill_9_and_return_at_first_access(box, four_maps):
    for i in 0, 1:
        four_maps.put(NAMES[i] + "/" + AUTHOR, b"me\n")
    box.kill_worker()
    m = box.mount(box.maps)
    os.listdir(m.point)
    other = box.mount(path_of(box, 0), "ro", point=box.point("other"))
    other.unmount()
    assert m.get(NAMES[0] + "/" + AUTHOR) == b"me\n"
    assert box.mount(path_of(box, 0), point=box.point("other"), code=7)
    m.unmount()
    assert author(box, 0) == b"me\0" and author(box, 1) != b"me\0"
    assert len(box.beside()) == 1  # no other map was opened
    m = box.mount(box.maps)
    assert m.get(NAMES[1] + "/" + AUTHOR) == b"me\n"
    m.unmount()
    assert author(box, 1) == b"me\0"


def test_a_map_is_locked_at_its_first_change(box, four_maps):
    assert four_maps.get(NAMES[0] + "/" + AUTHOR)
    alone = box.mount(path_of(box, 0), point=box.point("alone"))
    alone.put(AUTHOR, b"alone\n")
    assert boxes.refused(four_maps.put, NAMES[0] + "/" + AUTHOR, b"me\n") == errno.EBUSY
    assert boxes.refused(os.mkdir, four_maps / (NAMES[0] + "/groups/x")) == errno.EBUSY
    alone.unmount()
    assert soon(lambda: folder.shows(four_maps / (NAMES[0] + "/" + AUTHOR), b"alone\n"))
    four_maps.put(NAMES[0] + "/" + AUTHOR, b"me\n")
    box.mount(path_of(box, 0), point=box.point("alone"), code=7)
    four_maps.unmount()
    assert author(box, 0) == b"me\0"


def test_a_write_by_path_goes_into_the_current_map(box, four_maps):
    settings = four_maps / (NAMES[0] + "/" + SETTINGS)
    assert boxes.get(settings)
    folder.replace(box, NAMES[0], datafile.small_map(settings=(b"sv_theirs 1",)))
    four_maps.put(NAMES[0] + "/" + AUTHOR, b"me\n")
    assert boxes.get(settings) == b"sv_theirs 1\n"
    four_maps.unmount()
    assert author(box, 0) == b"me\0" and parts.settings(path_of(box, 0)) == b"sv_theirs 1\0"


def test_known_inodes_of_a_map_outlive_a_save(box):
    folder.many(box, 60)
    m = box.mount(box.maps)
    held = os.open(m / "m00000.map/info", os.O_PATH)
    m.put("m00000.map/" + AUTHOR, b"me\n")
    folder.sync(m.point)
    time = os.stat(os.path.join(box.maps, "m00000.map")).st_mtime_ns
    assert soon(lambda: os.stat(m / "m00000.map").st_mtime_ns == time)
    for i in range(1, 60):
        os.listdir(m / ("m%05d.map/info" % i))
    assert boxes.get("/proc/self/fd/%d/author" % held) == b"me\n"
    os.close(held)
    m.unmount()


def test_a_set_time_is_kept(box, four_maps):
    for name in NAMES[0], NAMES[0] + "/" + AUTHOR:
        os.utime(four_maps / name, (5, 1_000_000_000))
    assert os.stat(four_maps / NAMES[0]).st_mtime == 1_000_000_000
    assert soon(lambda: os.stat(four_maps / NAMES[0]).st_mtime == 1_000_000_000)
    assert os.stat(four_maps / (NAMES[0] + "/" + AUTHOR)).st_mtime == 1_000_000_000
    four_maps.unmount()


def test_status_names_map_and_file(box, four_maps):
    assert four_maps.xattr("", "user.mapfs.status") == ""
    four_maps.put(NAMES[2] + "/" + AUTHOR, b"me\n")
    assert four_maps.xattr("", "user.mapfs.status") == "changed %s/%s\n" % (NAMES[2], AUTHOR)
    assert four_maps.xattr(NAMES[2], "user.mapfs.status") == "changed %s\n" % AUTHOR
    for name in four_maps.point, box.maps:
        r = box.run("status", name)
        assert r.code == 0 and "changed %s/%s" % (NAMES[2], AUTHOR) in r.out
    four_maps.unmount()


@pytest.mark.parametrize("whole", (True, False), ids=("folder", "map"))
def test_a_newline_in_a_name_is_escaped_in_reports(box, whole):
    name = "a\nremoved b.map"
    path = box.add(datafile.small_map(), name)
    mount = box.mount(box.maps if whole else path)
    at = name + "/" if whole else ""
    mount.put(at + AUTHOR, b"me\n")
    mount.put(at + "x\ndraft info", b"scratch\n", flags=os.O_WRONLY | os.O_CREAT)
    before = "a?removed b.map/" if whole else ""
    assert mount.xattr("", "user.mapfs.status").splitlines() == [
        "changed %s%s" % (before, AUTHOR), "ignored %sx?draft info: not part of a map" % before]
    mount.unmount("--discard")


def test_discard_drops_unsaved_changes(box, four_maps):
    four_maps.put(NAMES[0] + "/" + AUTHOR, b"me\n")
    folder.sync(four_maps / NAMES[0])
    four_maps.put(NAMES[1] + "/" + AUTHOR, b"me\n")
    r = four_maps.unmount("--discard")
    assert "%s: discarded: changed %s" % (NAMES[1], AUTHOR) in r.out
    assert author(box, 0) == b"me\0" and author(box, 1) != b"me\0"
    assert box.beside() == []


def test_status_and_discard_work_on_journals_of_an_unmounted_folder(box, four_maps):
    for i in 1, 3:
        four_maps.put(NAMES[i] + "/" + AUTHOR, b"me\n")
    box.kill_worker()
    assert box.run("-u", box.maps).code == 1 and len(box.beside()) == 2
    # --discard looks for journals in the whole folder.
    r = box.run("-u", box.maps)
    assert (r.code, r.err) == (1, "mapfs: %s: is not a mount of mapfs\n" % box.maps)
    r = box.run("status", box.maps)
    assert r.code == 0 and [path_of(box, i) + ": is not mounted" in r.out for i in range(4)] == [
        False, True, False, True]
    r = box.run("-u", "--discard", box.maps)
    assert r.code == 0 and r.out.count("discarded: " + AUTHOR) == 2
    assert box.beside() == [] and box.run("-u", "--discard", box.maps).code == 1
    assert box.run("status", box.maps).out == "%s: is not mounted\n" % box.maps


@pytest.mark.parametrize("discard", (False, True), ids=("kept", "discarded"))
def test_each_journal_is_named_after_both_processes_were_killed(box, four_maps, discard):
    for i in 1, 3:
        four_maps.put(NAMES[i] + "/" + AUTHOR, b"me\n")
    journals = box.beside()
    for pid in [box.supervisor(), box.worker()]:
        os.kill(pid, signal.SIGKILL)
    assert boxes.wait_for(lambda: not box.processes())
    r = box.run("-u", *(["--discard"] if discard else []), four_maps.point)
    text = r.out + r.err
    assert "no journal beside" not in text and box.beside() == ([] if discard else journals)
    assert r.code == (0 if discard else 4), text
    if not discard:
        assert [j in text for j in journals] == [True, True]
        assert box.run("-u", "--discard", box.maps).code == 0


def test_a_signal_saves(box, four_maps):
    four_maps.put(NAMES[0] + "/" + AUTHOR, b"me\n")
    os.kill(box.supervisor(), signal.SIGTERM)
    assert boxes.wait_for(lambda: not box.processes())
    assert author(box, 0) == b"me\0" and box.beside() == []


def test_dirty_pages_of_mappings_are_saved(box, four_maps):
    with open(four_maps / (NAMES[1] + "/" + SETTINGS), "r+b") as f, mmap.mmap(f.fileno(), 0) as page:
        page[0:2] = b"xy"
        folder.sync(four_maps.point)
    four_maps.unmount()
    assert parts.settings(path_of(box, 1)).startswith(b"xy_deepfly")


def test_mkdir_makes_a_map_and_rmdir_removes_it(box, four_maps):
    for name in "new.map", "new.mod", "new.tcm":
        os.mkdir(four_maps / name)
        assert name in os.listdir(four_maps.point) and os.path.exists(os.path.join(box.maps, name))
    assert sorted(os.listdir(four_maps / "new.map")) == sorted(os.listdir(four_maps / NAMES[0]))
    os.rmdir(four_maps / "new.mod")
    os.rmdir(four_maps / "new.tcm")
    assert not os.path.exists(four_maps / "new.tcm") and box.beside() == ["new.map"]
    four_maps.put("new.map/" + AUTHOR, b"me\n")
    assert boxes.refused(os.rmdir, four_maps / "new.map") == errno.ENOTEMPTY
    folder.sync(four_maps / "new.map")
    assert boxes.refused(os.rmdir, four_maps / "new.map") == errno.EPERM
    four_maps.unmount()
    assert parts.author(os.path.join(box.maps, "new.map")) == b"me\0"
    box.allow("new.map")


def test_a_saved_map_follows_its_replacement(box, four_maps):
    new = folder.archives.small_mod(modid=77)
    box.add(folder.archives.small_mod(), "things.mod")
    os.rename(four_maps / "things.mod/MEDIA/README.TXT", four_maps / "things.mod/MEDIA/MOVED.TXT")
    four_maps.put("things.mod/MEDIA/MADE.TXT", b"x", flags=os.O_WRONLY | os.O_CREAT)
    os.chmod(four_maps / "things.mod/MEDIA/UNITS/A.DAT", 0o600)
    folder.sync(four_maps.point)
    with open(four_maps / "things.mod/MEDIA/MOVED.TXT", "rb") as held:
        folder.replace(box, "things.mod", new)
        assert folder.soon(lambda: b'"id": 77' in four_maps.get("things.mod/.mod/info.json"))
        assert sorted(os.listdir(four_maps / "things.mod/MEDIA")) == ["EMPTY.OGG", "OLD", "README.TXT", "UNITS"]
        assert held.read() == b"hello\n"
    four_maps.put("things.mod/MEDIA/NEW.TXT", b"x", flags=os.O_WRONLY | os.O_CREAT)
    assert four_maps.unmount().out == "things.mod: saved: MEDIA/NEW.TXT\n"
    a = folder.archives.Archive(os.path.join(box.maps, "things.mod"))
    assert a.one("MEDIA/NEW.TXT") == b"x" and a.head["modid"] == 77


def test_a_replaced_map_with_scratch_files_stays_visible(box, four_maps):
    path = box.add(folder.archives.small_mod(), "things.mod")
    os.rename(four_maps / "things.mod/MEDIA/README.TXT", four_maps / "things.mod/MEDIA/MOVED.TXT")
    four_maps.put("things.mod/notes.txt", b"mine", flags=os.O_WRONLY | os.O_CREAT)
    folder.sync(four_maps.point)
    folder.replace(box, "things.mod", folder.archives.small_mod(modid=77))
    time.sleep(1.5)
    assert four_maps.get("things.mod/notes.txt") == b"mine"
    box.allow("things.mod.mapfs-left")
    assert "rescued: things.mod.mapfs-left/notes.txt" in four_maps.unmount(code=5).out
    assert folder.archives.Archive(path).head["modid"] == 77


def test_an_emptied_new_map_is_removed(box, four_maps):
    os.mkdir(four_maps / "new.mod")
    four_maps.put("new.mod/MEDIA/X.TXT", b"x", flags=os.O_WRONLY | os.O_CREAT)
    shutil.rmtree(four_maps / "new.mod")
    assert "new.mod" not in os.listdir(four_maps.point)
    assert four_maps.unmount().out == ""
    assert box.beside() == []


@pytest.mark.parametrize("how", ((), ("--discard",)), ids=("saved", "discarded"))
def test_an_empty_new_map_is_reported(box, four_maps, how):
    os.mkdir(four_maps / "new.map")
    os.mkdir(four_maps / "gone.map")
    os.rmdir(four_maps / "gone.map")
    r = four_maps.unmount(*how)
    assert [line for line in r.out.splitlines() if "new.map" in line] == [
        "new.map: note: the map is new and empty"], r
    assert "gone.map" not in r.out and box.beside() == ["new.map"]
    # It is an ordinary map from here on.
    m = box.mount(box.maps)
    m.put("new.map/" + AUTHOR, b"me\n")
    assert "new and empty" not in m.unmount().out
    box.allow("new.map")


def test_a_part_can_be_copied_from_map_to_map(box, four_maps):
    group = sorted(os.listdir(four_maps / (NAMES[0] + "/groups")))[0]
    subprocess.run(["cp", "-r", four_maps / (NAMES[0] + "/groups/" + group),
                    four_maps / (NAMES[1] + "/groups/9_copy")], check=True)
    four_maps.unmount(code=5)  # a second game layer
    m = box.mount(box.maps)
    count = [len(os.listdir(m / (NAMES[i] + "/groups"))) for i in (0, 1)]
    assert count[1] == count[0] + 1
    m.unmount()


def test_a_read_only_folder_changes_nothing(box):
    folder.many(box, 2)
    m = box.mount(box.maps, "ro")
    assert boxes.refused(m.put, NAMES[0] + "/" + AUTHOR, b"me\n") == errno.EROFS
    assert boxes.refused(os.mkdir, m / "new.map") == errno.EROFS
    m.unmount()


def test_only_changed_maps_hold_descriptors(box):
    n = 120
    folder.many(box, n)
    m = box.mount(box.maps)
    begin = Cost(box)
    for i in range(n):
        m.put("m%05d.map/%s" % (i, AUTHOR), b"me\n")
    changed = Cost(box)
    assert changed.descriptors - begin.descriptors <= 2 * n + 2
    assert changed.threads - begin.threads <= folder.POOL
    r = m.unmount()
    assert r.out.count(": saved: " + AUTHOR) == n
    assert all(parts.author(os.path.join(box.maps, "m%05d.map" % i)) == b"me\0" for i in range(n))
    assert box.beside() == []


def test_maps_of_every_format_can_be_changed_together(box):
    folder.fill(box)
    m = box.mount(box.maps)
    m.put("F.PAK/MEDIA/README.TXT", b"pair\n")
    m.put("things.mod/MEDIA/README.TXT", b"mod\n")
    m.put("field.tcm/points.csv", b"x,y\n7,8\n5,6\n")
    m.put("deep/er/LOW.MAP/" + AUTHOR, b"low\n")
    for name in "F.PAK", "deep/er/LOW.MAP":
        assert m.xattr(name, "user.mapfs.status").count("\n") == 1
    r = m.unmount()
    assert [line.split(": ")[0] for line in r.out.splitlines() if ": saved: " in line] == [
        "F.PAK", "deep/er/LOW.MAP", "field.tcm", "things.mod"]
    m = box.mount(box.maps)
    assert m.get("F.PAK/MEDIA/README.TXT") == b"pair\n"
    assert m.get("things.mod/MEDIA/README.TXT") == b"mod\n"
    assert m.get("field.tcm/points.csv") == b"x,y\n7,8\n5,6\n"
    assert m.get("deep/er/LOW.MAP/" + AUTHOR) == b"low\n"
    m.unmount()
    assert box.beside() == [] and sorted(os.listdir(os.path.join(box.maps, "deep/er"))) == ["LOW.MAP"]
