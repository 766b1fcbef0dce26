# SPDX-License-Identifier: Zlib
"""A folder of maps, changed: locks, journals, saves, reports, new maps."""
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
def four(box):
    folder.many(box, 4)
    return box.mount(box.maps)


def path_of(box, i):
    return os.path.join(box.maps, NAMES[i])


def author(box, i):
    return parts.author(path_of(box, i))


def test_what_changed_is_saved_and_told_by_map(box, four):
    untouched = boxes.get(path_of(box, 0)), os.stat(path_of(box, 0)).st_ino
    for i in 1, 2, 3:
        assert box.beside() == sorted(n for n in box.beside() if "mapfs-journal" in n)
        four.put(NAMES[i] + "/" + AUTHOR, b"me %d\n" % i)
    assert len(box.beside()) == 3
    r = four.unmount()
    for i in 1, 2, 3:
        assert author(box, i) == b"me %d\0" % i
        assert r.out.count("%s: saved: %s" % (NAMES[i], AUTHOR)) == 1
    told = [line for line in r.out.splitlines() if ".map: " in line]
    assert [t for t in told if NAMES[0] in t] == []
    names = [next(n for n in NAMES if n in t) for t in told]
    assert names == sorted(names)  # each map's lines together
    assert (boxes.get(path_of(box, 0)), os.stat(path_of(box, 0)).st_ino) == untouched
    assert box.beside() == []


def test_sync_of_a_maps_directory_saves_that_map_and_of_the_root_all(box, four):
    four.put(NAMES[0] + "/" + AUTHOR, b"me\n")
    four.put(NAMES[1] + "/" + AUTHOR, b"me\n")
    folder.sync(four / NAMES[0])
    assert (author(box, 0) == b"me\0", author(box, 1) == b"me\0") == (True, False)
    folder.sync(four.point)
    assert author(box, 1) == b"me\0"
    assert box.beside() == []
    assert four.get(NAMES[1] + "/" + AUTHOR) == b"me\n"
    four.unmount()


def test_one_that_cannot_be_saved_keeps_no_other_from_it(box, four):
    for i in range(4):
        four.put(NAMES[i] + "/" + AUTHOR, b"me\n")
    folder.replace(box, NAMES[1], datafile.small_map(settings=(b"sv_theirs 1",)))
    with open(path_of(box, 2), "r+b") as f:  # written into: there is no saving of it
        f.write(b"\xff" * 200)
    assert four.get(NAMES[1] + "/" + AUTHOR) == b"me\n"  # what is changed here stays in sight
    assert boxes.refused(folder.sync, four.point) != 0
    assert (author(box, 0), author(box, 3)) == (b"me\0", b"me\0")
    assert parts.settings(path_of(box, 1)) == b"sv_theirs 1\0"
    assert parts.author(path_of(box, 1) + ".mapfs-conflict") == b"me\0"
    r = four.unmount(code=4)
    assert NAMES[2] + ": refused: " in r.out and NAMES[1] + ".mapfs-conflict" in r.out
    assert four.mounted()
    four.unmount("--force", code=4)
    assert [n for n in box.beside() if NAMES[2] + ".mapfs-journal" in n]
    box.allow("*.mapfs-journal-*", "*.mapfs-conflict")


def test_a_conflict_is_the_exit_code_where_all_else_is_saved(box, four):
    for i in 0, 1:
        four.put(NAMES[i] + "/" + AUTHOR, b"me\n")
    folder.replace(box, NAMES[1], datafile.small_map(settings=(b"sv_theirs 1",)))
    assert boxes.refused(folder.sync, four.point) == errno.ESTALE
    four.unmount(code=6)
    assert author(box, 0) == b"me\0"
    box.allow("*.mapfs-conflict")


def test_what_is_left_lies_beside_its_map(box, four):
    with open(four / (NAMES[2] + "/images/photo.jpg"),
              "wb") as f:
        f.write(b"photo")
    left = NAMES[2] + ".mapfs-left"
    r = four.unmount(code=5)
    assert "%s: rescued: %s/images/photo.jpg: " % (NAMES[2], left) in r.out
    assert boxes.get(os.path.join(box.maps, left, "images/photo.jpg")) == b"photo"
    box.allow(left)


def test_what_was_closed_survives_the_worker_and_comes_back_with_a_look(box, four):
    for i in 0, 1:
        four.put(NAMES[i] + "/" + AUTHOR, b"me\n")
    box.kill_worker()
    m = box.mount(box.maps)
    os.listdir(m.point)
    other = box.mount(path_of(box, 0), "ro", point=box.point("other"))
    other.unmount()
    assert m.get(NAMES[0] + "/" + AUTHOR) == b"me\n"
    assert box.mount(path_of(box, 0), point=box.point("other"), code=7)
    m.unmount()
    assert author(box, 0) == b"me\0" and author(box, 1) != b"me\0"
    assert len(box.beside()) == 1  # nobody looked into the other
    m = box.mount(box.maps)
    assert m.get(NAMES[1] + "/" + AUTHOR) == b"me\n"
    m.unmount()
    assert author(box, 1) == b"me\0"


def test_a_map_is_locked_at_its_first_change(box, four):
    assert four.get(NAMES[0] + "/" + AUTHOR)
    alone = box.mount(path_of(box, 0), point=box.point("alone"))
    alone.put(AUTHOR, b"alone\n")
    assert boxes.refused(four.put, NAMES[0] + "/" + AUTHOR, b"me\n") == errno.EBUSY
    assert boxes.refused(os.mkdir, four / (NAMES[0] + "/groups/x")) == errno.EBUSY
    alone.unmount()
    assert soon(lambda: folder.shows(four / (NAMES[0] + "/" + AUTHOR), b"alone\n"))
    four.put(NAMES[0] + "/" + AUTHOR, b"me\n")
    box.mount(path_of(box, 0), point=box.point("alone"), code=7)
    four.unmount()
    assert author(box, 0) == b"me\0"


def test_who_writes_by_path_writes_into_what_is_there_now(box, four):
    settings = four / (NAMES[0] + "/" + SETTINGS)
    assert boxes.get(settings)
    folder.replace(box, NAMES[0], datafile.small_map(settings=(b"sv_theirs 1",)))
    four.put(NAMES[0] + "/" + AUTHOR, b"me\n")
    assert boxes.get(settings) == b"sv_theirs 1\n"
    four.unmount()
    assert author(box, 0) == b"me\0" and parts.settings(path_of(box, 0)) == b"sv_theirs 1\0"


def test_what_the_kernel_knows_of_a_map_outlives_a_save(box):
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


def test_times_that_are_set_hold(box, four):
    for name in NAMES[0], NAMES[0] + "/" + AUTHOR:
        os.utime(four / name, (5, 1_000_000_000))
    assert os.stat(four / NAMES[0]).st_mtime == 1_000_000_000
    assert soon(lambda: os.stat(four / NAMES[0]).st_mtime == 1_000_000_000)
    assert os.stat(four / (NAMES[0] + "/" + AUTHOR)).st_mtime == 1_000_000_000
    four.unmount()


def test_status_names_map_and_file(box, four):
    assert four.xattr("", "user.mapfs.status") == ""
    four.put(NAMES[2] + "/" + AUTHOR, b"me\n")
    assert four.xattr("", "user.mapfs.status") == "changed %s/%s\n" % (NAMES[2], AUTHOR)
    assert four.xattr(NAMES[2], "user.mapfs.status") == "changed %s\n" % AUTHOR
    for name in four.point, box.maps:
        r = box.run("status", name)
        assert r.code == 0 and "changed %s/%s" % (NAMES[2], AUTHOR) in r.out
    four.unmount()


@pytest.mark.parametrize("whole", (True, False), ids=("folder", "map"))
def test_a_name_with_a_newline_is_no_line_of_its_own(box, whole):
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


def test_discard_throws_away_what_no_save_took(box, four):
    four.put(NAMES[0] + "/" + AUTHOR, b"me\n")
    folder.sync(four / NAMES[0])
    four.put(NAMES[1] + "/" + AUTHOR, b"me\n")
    r = four.unmount("--discard")
    assert "%s: discarded: changed %s" % (NAMES[1], AUTHOR) in r.out
    assert author(box, 0) == b"me\0" and author(box, 1) != b"me\0"
    assert box.beside() == []


def test_of_a_folder_that_is_not_mounted_journals_are_told_and_discarded(box, four):
    for i in 1, 3:
        four.put(NAMES[i] + "/" + AUTHOR, b"me\n")
    box.kill_worker()
    assert box.run("-u", box.maps).code == 1 and len(box.beside()) == 2
    # All below a folder is looked through for what is to be discarded alone.
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
def test_when_both_processes_were_killed_each_journal_is_named(box, four, discard):
    for i in 1, 3:
        four.put(NAMES[i] + "/" + AUTHOR, b"me\n")
    journals = box.beside()
    for pid in [box.guard(), box.worker()]:
        os.kill(pid, signal.SIGKILL)
    assert boxes.wait_for(lambda: not box.processes())
    r = box.run("-u", *(["--discard"] if discard else []), four.point)
    text = r.out + r.err
    assert "no journal beside" not in text and box.beside() == ([] if discard else journals)
    assert r.code == (0 if discard else 4), text
    if not discard:
        assert [j in text for j in journals] == [True, True]
        assert box.run("-u", "--discard", box.maps).code == 0


def test_signals_save(box, four):
    four.put(NAMES[0] + "/" + AUTHOR, b"me\n")
    os.kill(box.guard(), signal.SIGTERM)
    assert boxes.wait_for(lambda: not box.processes())
    assert author(box, 0) == b"me\0" and box.beside() == []


def test_pages_of_mappings_are_saved(box, four):
    with open(four / (NAMES[1] + "/" + SETTINGS), "r+b") as f, mmap.mmap(f.fileno(), 0) as page:
        page[0:2] = b"xy"
        folder.sync(four.point)
    four.unmount()
    assert parts.settings(path_of(box, 1)).startswith(b"xy_deepfly")


def test_mkdir_makes_a_map_and_rmdir_takes_it_back(box, four):
    for name in "new.map", "new.mod", "new.tcm":
        os.mkdir(four / name)
        assert name in os.listdir(four.point) and os.path.exists(os.path.join(box.maps, name))
    assert sorted(os.listdir(four / "new.map")) == sorted(os.listdir(four / NAMES[0]))
    os.rmdir(four / "new.mod")
    os.rmdir(four / "new.tcm")
    assert not os.path.exists(four / "new.tcm") and box.beside() == ["new.map"]
    four.put("new.map/" + AUTHOR, b"me\n")
    assert boxes.refused(os.rmdir, four / "new.map") == errno.ENOTEMPTY
    folder.sync(four / "new.map")
    assert boxes.refused(os.rmdir, four / "new.map") == errno.EPERM
    four.unmount()
    assert parts.author(os.path.join(box.maps, "new.map")) == b"me\0"
    box.allow("new.map")


def test_a_map_that_was_saved_follows_what_replaces_it(box, four):
    new = folder.archives.small_mod(modid=77)
    box.add(folder.archives.small_mod(), "things.mod")
    os.rename(four / "things.mod/MEDIA/README.TXT", four / "things.mod/MEDIA/MOVED.TXT")
    four.put("things.mod/MEDIA/MADE.TXT", b"x", flags=os.O_WRONLY | os.O_CREAT)
    os.chmod(four / "things.mod/MEDIA/UNITS/A.DAT", 0o600)
    folder.sync(four.point)
    with open(four / "things.mod/MEDIA/MOVED.TXT", "rb") as held:
        folder.replace(box, "things.mod", new)
        assert folder.soon(lambda: b'"id": 77' in four.get("things.mod/.mod/info.json"))
        assert sorted(os.listdir(four / "things.mod/MEDIA")) == ["EMPTY.OGG", "OLD", "README.TXT", "UNITS"]
        assert held.read() == b"hello\n"
    four.put("things.mod/MEDIA/NEW.TXT", b"x", flags=os.O_WRONLY | os.O_CREAT)
    assert four.unmount().out == "things.mod: saved: MEDIA/NEW.TXT\n"
    a = folder.archives.Archive(os.path.join(box.maps, "things.mod"))
    assert a.one("MEDIA/NEW.TXT") == b"x" and a.head["modid"] == 77


def test_a_saved_map_with_scratch_in_it_is_not_replaced_in_sight(box, four):
    path = box.add(folder.archives.small_mod(), "things.mod")
    os.rename(four / "things.mod/MEDIA/README.TXT", four / "things.mod/MEDIA/MOVED.TXT")
    four.put("things.mod/notes.txt", b"mine", flags=os.O_WRONLY | os.O_CREAT)
    folder.sync(four.point)
    folder.replace(box, "things.mod", folder.archives.small_mod(modid=77))
    time.sleep(1.5)
    assert four.get("things.mod/notes.txt") == b"mine"
    box.allow("things.mod.mapfs-left")
    assert "rescued: things.mod.mapfs-left/notes.txt" in four.unmount(code=5).out
    assert folder.archives.Archive(path).head["modid"] == 77


def test_a_new_map_that_is_emptied_again_is_taken_back(box, four):
    os.mkdir(four / "new.mod")
    four.put("new.mod/MEDIA/X.TXT", b"x", flags=os.O_WRONLY | os.O_CREAT)
    shutil.rmtree(four / "new.mod")
    assert "new.mod" not in os.listdir(four.point)
    assert four.unmount().out == ""
    assert box.beside() == []


@pytest.mark.parametrize("how", ((), ("--discard",)), ids=("saved", "discarded"))
def test_a_new_map_into_which_nothing_was_put_is_told(box, four, how):
    os.mkdir(four / "new.map")
    os.mkdir(four / "gone.map")
    os.rmdir(four / "gone.map")
    r = four.unmount(*how)
    assert [line for line in r.out.splitlines() if "new.map" in line] == [
        "new.map: note: the map is new and empty"], r
    assert "gone.map" not in r.out and box.beside() == ["new.map"]
    # It is an ordinary map then.
    m = box.mount(box.maps)
    m.put("new.map/" + AUTHOR, b"me\n")
    assert "new and empty" not in m.unmount().out
    box.allow("new.map")


def test_a_part_is_copied_from_map_to_map(box, four):
    group = sorted(os.listdir(four / (NAMES[0] + "/groups")))[0]
    subprocess.run(["cp", "-r", four / (NAMES[0] + "/groups/" + group),
                    four / (NAMES[1] + "/groups/9_copy")], check=True)
    four.unmount(code=5)  # a second game layer
    m = box.mount(box.maps)
    count = [len(os.listdir(m / (NAMES[i] + "/groups"))) for i in (0, 1)]
    assert count[1] == count[0] + 1
    m.unmount()


def test_a_folder_that_is_mounted_for_reading_changes_nothing(box):
    folder.many(box, 2)
    m = box.mount(box.maps, "ro")
    assert boxes.refused(m.put, NAMES[0] + "/" + AUTHOR, b"me\n") == errno.EROFS
    assert boxes.refused(os.mkdir, m / "new.map") == errno.EROFS
    m.unmount()


def test_descriptors_follow_what_is_changed(box):
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


def test_maps_of_every_format_are_changed_side_by_side(box):
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
