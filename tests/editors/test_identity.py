# SPDX-License-Identifier: Zlib
"""Which object of the map a file stands for after renames, copies and removals.

Each scenario runs on a real map and ends in three ways: unmounting, saving with sync first, and kill -9 followed by a
mount that replays the journal. All three must give the same map.
"""
import errno
import json
import os
import shutil
import struct
import zlib

import pytest

import box as boxes
import datafile
import parts
import reading
from session import tree

A, B, C = "images/8_tsunami.png", "images/9_tsunamicredit.png", "images/7_leaaaf.png"
OUT = "images/6_jungle_midground"


def png(width, height, data):
    """A PNG of RGBA pixels, written according to the standard."""
    def chunk(kind, body):
        return (struct.pack(">I", len(body)) + kind + body
                + struct.pack(">I", zlib.crc32(kind + body)))
    rows = b"".join(b"\0" + data[i:i + 4 * width] for i in range(0, len(data), 4 * width))
    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows))
            + chunk(b"IEND", b""))


RED = (16, 8, b"\xff\0\0\xff" * 128)
BLUE = (8, 8, b"\0\0\xff\x80" * 64)


class Parts:
    """The images of a map and the references to them, which a scenario changes in the expected way."""

    def __init__(self, f):
        found = reading.parts(f)
        self.images, self.references = found["images"], found["references"]

    def at(self, name):
        return [i[0] for i in self.images].index(name)

    def set(self, name, picture):
        self.images[self.at(name)] = (name,) + picture

    def get(self, name):
        return self.images[self.at(name)][1:]

    def move(self, name, to, new_name=None):
        picture = self.images.pop(self.at(name))
        self.images.insert(to, (new_name or name,) + picture[1:])
        self.references = [new_name if new_name and r == name else r for r in self.references]

    def add(self, at, name, picture):
        self.images.insert(at, (name,) + picture)

    def remove(self, name):
        del self.images[self.at(name)]
        self.references = [None if r == name else r for r in self.references]


def new(s, name, picture):
    boxes.put(s / name, png(*picture), os.O_WRONLY | os.O_CREAT | os.O_EXCL)


def mv(s, old, new_):
    os.rename(s / old, s / new_)


# Each scenario changes the files (s) and the expected parts (p).

def unlink_and_create(s, p):
    os.unlink(s / A)
    new(s, A, RED)
    p.set("tsunami", RED)


def temp_and_rename(s, p):
    new(s, "images/.goutputstream-ABCDEF", RED)
    mv(s, "images/.goutputstream-ABCDEF", A)
    p.set("tsunami", RED)


def temp_of_a_meaningful_name_and_rename(s, p):
    new(s, "images/new.png", RED)
    mv(s, "images/new.png", A)
    p.set("tsunami", RED)


def backup_by_rename_then_create(s, p):
    mv(s, A, A + "~")
    new(s, A, RED)
    p.set("tsunami", RED)


def backup_of_a_meaningful_name_then_create(s, p):
    mv(s, A, "images/8_old.png")
    new(s, A, RED)
    p.add(p.at("tsunami"), "old", p.get("tsunami"))
    p.set("tsunami", RED)


def backup_then_temp_and_rename(s, p):
    mv(s, A, A + ".bak")
    new(s, "images/tmp1234", RED)
    mv(s, "images/tmp1234", A)
    p.set("tsunami", RED)


def swap_through(temporary):
    def swap(s, p):
        mv(s, A, temporary)
        mv(s, B, A)
        mv(s, temporary, B)
        a, b = p.get("tsunami"), p.get("tsunamicredit")
        p.set("tsunami", b)
        p.set("tsunamicredit", a)
    return swap


def three_in_a_ring(s, p):
    mv(s, A, "t")
    mv(s, B, A)
    mv(s, C, B)
    mv(s, "t", C)
    a, b, c = p.get("tsunami"), p.get("tsunamicredit"), p.get("leaaaf")
    p.set("tsunami", b)
    p.set("tsunamicredit", c)
    p.set("leaaaf", a)


def over_another(s, p):
    # The file at the path of A is now the one from the path of B, where no file is left.
    mv(s, B, A)
    picture = p.get("tsunamicredit")
    p.set("tsunami", picture)
    p.remove("tsunamicredit")


def another_name(s, p):
    mv(s, A, "images/8_wave.png")
    p.move("tsunami", 8, "wave")


def another_number_further_front(s, p):
    mv(s, B, "images/0_tsunamicredit.png")
    p.move("tsunamicredit", 0)


def another_number_further_back(s, p):
    mv(s, "images/0_basic_freeze.png", "images/99_basic_freeze.png")
    p.move("basic_freeze", 9)


def another_number_and_name_twice(s, p):
    mv(s, B, "images/3_first.png")
    mv(s, "images/3_first.png", "images/0_second.png")
    p.move("tsunamicredit", 0, "second")


def renamed_and_written(s, p):
    mv(s, A, "images/8_wave.png")
    s.m.put("images/8_wave.png", png(*RED))
    p.set("tsunami", RED)
    p.move("tsunami", 8, "wave")


def written_and_renamed(s, p):
    s.m.put(A, png(*RED))
    mv(s, A, "images/8_wave.png")
    p.set("tsunami", RED)
    p.move("tsunami", 8, "wave")


def added_last(s, p):
    new(s, "images/fresh.png", RED)
    p.add(10, "fresh", RED)


def added_in_the_middle(s, p):
    new(s, "images/4_fresh.png", RED)
    p.add(4, "fresh", RED)


def added_as_external(s, p):
    boxes.put(s / "images/grass_main.json", b'{"external": 1, "width": 1024, "height": 1024}\n',
              os.O_WRONLY | os.O_CREAT)
    p.add(10, "grass_main", (1024, 1024, None))


def added_and_removed_again(s, p):
    new(s, "images/4_fresh.png", RED)
    os.unlink(s / "images/4_fresh.png")


def embedded(s, p):
    new(s, OUT + ".png", RED)
    assert not os.path.exists(s / OUT + ".json")
    assert os.path.basename(OUT) + ".json" not in os.listdir(s / "images")
    p.set("jungle_midground", RED)


def embedded_by_rename(s, p):
    new(s, "images/tmpfile", RED)
    mv(s, "images/tmpfile", OUT + ".png")
    assert os.path.basename(OUT) + ".json" not in os.listdir(s / "images")
    p.set("jungle_midground", RED)


def externalised(s, p):
    width, height, _ = p.get("tsunami")
    boxes.put(s / A.replace(".png", ".json"), json.dumps(
        {"external": 1, "width": width, "height": height}).encode(), os.O_WRONLY | os.O_CREAT)
    assert os.path.basename(A) not in os.listdir(s / "images")
    p.set("tsunami", (width, height, None))


def removed_with_its_references(s, p):
    # the tiles of most layers
    os.unlink(s / "images/2_ddnet_tiles.png")
    assert "ddnet_tiles" in p.references
    p.remove("ddnet_tiles")


def all_removed(s, p):
    for name in os.listdir(s / "images"):
        os.unlink(s / ("images/" + name))
    p.images = []
    p.references = [None] * len(p.references)


def copied_beside(s, p):
    shutil.copyfile(s / A, s / "images/copy.png")
    p.add(10, "copy", p.get("tsunami"))


SCENARIOS = [
    unlink_and_create, temp_and_rename, temp_of_a_meaningful_name_and_rename,
    backup_by_rename_then_create, backup_of_a_meaningful_name_then_create,
    backup_then_temp_and_rename, swap_through("t"), swap_through("images/.swap"),
    swap_through("images/t.png"), swap_through("sounds/t"),
    three_in_a_ring, over_another, another_name, another_number_further_front,
    another_number_further_back, another_number_and_name_twice, renamed_and_written,
    written_and_renamed, added_last, added_in_the_middle, added_as_external,
    added_and_removed_again, embedded, embedded_by_rename, externalised,
    removed_with_its_references, all_removed, copied_beside]


def names_of(scenarios):
    out = []
    for f in scenarios:
        out.append(f.__name__ + "-%d" % [g.__name__ for g in scenarios].index(f.__name__)
                   if f.__name__ in out else f.__name__)
    return out


def unmounted(s):
    r = s.box.run("-u", s.m.point)
    # No game has the image that the scenario made external.
    assert r.code == (5 if "warning: images/8_tsunami.json" in r.out else 0), r


def synced(s):
    fd = os.open(s.m.point, os.O_RDONLY)
    os.fsync(fd)
    os.close(fd)
    unmounted(s)


def killed(s):
    s.box.kill_worker()
    s.m = s.box.mount(s.path)
    unmounted(s)


# A sync saves like an unmount, so only the most different scenarios continue after a sync.
SYNCED = [unlink_and_create, swap_through("t"), over_another, another_number_and_name_twice,
          embedded, removed_with_its_references]


def to_ends(scenarios, synced_too):
    names = {f: n for f, n in zip(scenarios, names_of(scenarios))}
    names.update({f: f.__name__ for f in synced_too})
    return [pytest.param(f, end, id=names[f] + "-" + end.__name__)
            for end, some in ((unmounted, scenarios), (synced, synced_too), (killed, scenarios))
            for f in some]


@pytest.mark.parametrize("scenario, end", to_ends(SCENARIOS, SYNCED))
def test_a_scenario_gives_the_expected_map(tsunami, scenario, end):
    s = tsunami
    expected = Parts(s.before)
    scenario(s, expected)
    shown = tree(s.m.point)
    end(s)
    found = Parts(datafile.Datafile.load(s.path))
    assert [i[:3] for i in found.images] == [i[:3] for i in expected.images]
    assert found.images == expected.images
    assert found.references == expected.references
    assert s.tool("map_resave", "again.map").code == 0
    assert boxes.get(os.path.join(s.box.home, ".local/share/ddnet/again.map")) == boxes.get(s.path)
    assert shown


# ---- done and undone

def undo_unlink(s):
    old = s.m.get(A)
    os.unlink(s / A)
    boxes.put(s / A, old, os.O_WRONLY | os.O_CREAT)


def undo_rename(s):
    mv(s, A, "images/0_wave.png")
    mv(s, "images/0_wave.png", A)


def undo_swap(s):
    for _ in range(2):
        swap_through("t")(s, Parts(s.before))


def undo_backup(s):
    mv(s, A, A + "~")
    new(s, A, RED)
    mv(s, A + "~", A)


def undo_backup_by_copy(s):
    shutil.copy2(s / A, s / (A + ".orig"))
    s.m.put(A, png(*RED))
    mv(s, A + ".orig", A)


def undo_embedding(s):
    new(s, OUT + ".png", RED)
    boxes.put(s / (OUT + ".json"), b'{"external": 1, "width": 1024, "height": 1024}\n',
              os.O_WRONLY | os.O_CREAT)


def undo_externalising(s):
    old = s.m.get(A)
    externalised(s, Parts(s.before))
    boxes.put(s / A, old, os.O_WRONLY | os.O_CREAT)


def undo_adding(s):
    new(s, "images/4_fresh.png", RED)
    mv(s, "images/4_fresh.png", "images/9_x.png")
    os.unlink(s / "images/9_x.png")


def undo_removal_of_what_others_refer_to(s):
    old = s.m.get("images/2_ddnet_tiles.png")
    os.unlink(s / "images/2_ddnet_tiles.png")
    boxes.put(s / "images/2_ddnet_tiles.png", old, os.O_WRONLY | os.O_CREAT)


def undo_through_scratch(s):
    os.mkdir(s / "aside")
    for name in (A, B, C):
        mv(s, name, "aside/" + os.path.basename(name))
    for name in (B, A, C):
        mv(s, "aside/" + os.path.basename(name), name)
    os.rmdir(s / "aside")


def undo_text(s):
    s.m.put("info/settings.cfg", b"x 1\n")
    s.m.put("info/author", b"me\n")
    os.unlink(s / "info/settings.cfg")
    s.m.put("info/author", b"")
    boxes.put(s / "info/settings.cfg", b"", os.O_WRONLY | os.O_CREAT)


UNDONE = [undo_unlink, undo_rename, undo_swap, undo_backup, undo_backup_by_copy, undo_embedding,
          undo_externalising, undo_adding, undo_removal_of_what_others_refer_to,
          undo_through_scratch, undo_text]


@pytest.mark.parametrize("undone, end", to_ends(UNDONE, [undo_unlink, undo_swap]))
def test_changes_undone_before_the_save_leave_the_map_unwritten(tsunami, undone, end):
    s = tsunami
    before = os.stat(s.path)
    undone(s)
    assert tree(s.m.point) == s.names
    end(s)
    after = os.stat(s.path)
    assert boxes.get(s.path) == s.raw
    assert (after.st_mtime_ns, after.st_ino) == (before.st_mtime_ns, before.st_ino)


# ---- reports

def test_a_removal_reports_the_object_and_every_removed_reference(tsunami):
    s = tsunami
    os.unlink(s / "images/2_ddnet_tiles.png")
    assert "images/2_ddnet_tiles.png" in s.m.xattr("", "user.mapfs.status")
    found = s.m.unmount()
    lines = (found.out + found.err).splitlines()
    gone = reading.references(s.before).count("ddnet_tiles")
    assert gone > 0 and sum("lost its image" in line for line in lines) == gone
    assert any(line.startswith("removed: images/2_ddnet_tiles.png") for line in lines)


@pytest.mark.parametrize("name", ["images/8_tsunami.png~", "images/.hidden", "t", "sounds/x.png",
                                  "info/8_tsunami.png", "images/8_tsunami.jpg"])
def test_an_image_moved_to_a_scratch_name_stays_in_the_map(tsunami, name):
    s = tsunami
    s.box.allow("x.map.mapfs-left")
    mv(s, A, name)
    assert os.path.basename(A) not in os.listdir(s / "images")
    r = s.box.run("-u", s.m.point)
    assert r.code in (0, 5)
    assert A in r.out + r.err and "stays" in r.out + r.err
    assert boxes.get(s.path) == s.raw


def test_a_rename_to_an_ending_that_does_not_fit_the_content_is_refused(tsunami):
    s = tsunami
    assert boxes.refused(mv, s, A, "images/8_tsunami.json") == errno.EPERM
    assert tree(s.m.point) == s.names
    s.end()
    assert s.after.raw == s.raw


@pytest.mark.parametrize("old, new_, why", [
    ("images", "pictures", errno.EPERM), ("info", "images", None), ("raw", "x", errno.EPERM),
    ("images/8_tsunami.png", "raw/items/x", None), ("raw/data/00000", "images/0.png", None),
    ("images/8_tsunami.png", "images/8_" + "x" * 128 + ".png", errno.ENAMETOOLONG),
    ("images/8_tsunami.png", "images/" + "x" * 252 + ".png", errno.ENAMETOOLONG)])
def test_an_impossible_rename_is_refused_and_changes_nothing(tsunami, old, new_, why):
    s = tsunami
    found = boxes.refused(mv, s, old, new_)
    assert found == why if why else found
    assert tree(s.m.point) == s.names
    s.end()
    assert s.after.raw == s.raw


def test_a_save_changes_no_path_until_the_next_mount(tsunami):
    s = tsunami
    p = Parts(s.before)
    mv(s, B, "images/0_tsunamicredit.png")
    p.move("tsunamicredit", 0)
    os.unlink(s / C)
    p.remove("leaaaf")
    shown = tree(s.m.point)
    fd = os.open(s.m.point, os.O_RDONLY)
    os.fsync(fd)
    assert tree(s.m.point) == shown
    # The same paths refer to the same objects after the save.
    s.m.put(A, png(*RED))
    p.set("tsunami", RED)
    s.m.put("images/0_tsunamicredit.png", png(*BLUE))
    p.set("tsunamicredit", BLUE)
    os.fsync(fd)
    os.close(fd)
    assert tree(s.m.point) == shown
    s.m.unmount()
    found = Parts(datafile.Datafile.load(s.path))
    assert [i[0] for i in found.images] == [i[0] for i in p.images]
    assert found.images == p.images and found.references == p.references


# ---- sounds and info, by the same rules

def test_sounds_follow_the_same_rules(generated):
    s = generated
    bell = s.m.get("sounds/0_bell.opus")
    other = bell[:-1] + b"\1"
    mv(s, "sounds/0_bell.opus", "sounds/0_bell.opus~")
    boxes.put(s / "sounds/0_bell.opus", other, os.O_WRONLY | os.O_CREAT)
    boxes.put(s / "sounds/gong.opus", bell, os.O_WRONLY | os.O_CREAT)
    mv(s, "sounds/gong.opus", "sounds/0_gong.opus")
    s.m.unmount()
    f = datafile.Datafile.load(s.path)
    assert reading.names(f, datafile.SOUND) == ["gong", "bell"]
    assert (reading.sound(f, "bell"), reading.sound(f, "gong")) == (other, bell)


def test_a_removed_sound_is_not_in_the_map(generated):
    s = generated
    os.unlink(s / "sounds/0_bell.opus")
    s.m.unmount()
    assert datafile.Datafile.load(s.path).of_type(datafile.SOUND) == []


def test_info_files_can_be_swapped_removed_and_recreated(generated):
    s = generated
    mv(s, "info/author", "info/t")
    mv(s, "info/version", "info/author")
    mv(s, "info/t", "info/version")
    os.unlink(s / "info/license")
    os.unlink(s / "info/settings.cfg")
    boxes.put(s / "info/settings.cfg", b"x 1\n", os.O_WRONLY | os.O_CREAT)
    s.m.unmount()
    assert [parts.info_text(s.path, n) for n in (1, 2, 4, 5)] == [
        b"1.0\0", b"nobody\0", None, b"x 1\0"]
