# SPDX-License-Identifier: Zlib
"""Saving: attributes that the new file keeps, and files that a save must not overwrite."""
import errno
import os
import random
import shutil
import stat
import subprocess

import pytest

import box as boxes
import datafile
import editing
import layout
import marked_maps
import parts
import places
from test_read import mount_or_refused

SETTINGS = "info/settings.cfg"


def change(m, text=b"changed 1\n"):
    m.put(SETTINGS, text)


def test_a_save_keeps_mode_owner_and_attributes(box, small):
    os.chmod(small, 0o640)
    os.setxattr(small, "user.origin", b"far away")
    if os.geteuid() == 0:
        os.chown(small, 1234, 4321)
    before = os.stat(small)
    m = box.mount(small)
    change(m)
    m.unmount()
    after = os.stat(small)
    assert parts.settings(small) == b"changed 1\0"
    for field in ("st_mode", "st_uid", "st_gid"):
        assert getattr(after, field) == getattr(before, field)
    assert os.getxattr(small, "user.origin") == b"far away"


def test_a_save_keeps_an_acl(box, small):
    if not shutil.which("setfacl"):
        pytest.skip("not installed: acl")
    subprocess.run(["setfacl", "-m", "u:1234:rw,g:4321:r", small], check=True)
    acl = os.getxattr(small, "system.posix_acl_access")
    m = box.mount(small)
    change(m)
    m.unmount()
    assert parts.settings(small) == b"changed 1\0"
    assert os.getxattr(small, "system.posix_acl_access") == acl


def test_a_save_keeps_a_symbolic_link(box, small):
    elsewhere = os.path.join(box.root, "elsewhere")
    os.mkdir(elsewhere)
    link = os.path.join(elsewhere, "link.map")
    os.symlink(os.path.relpath(small, elsewhere), link)
    m = box.mount(link)
    change(m)
    m.unmount()
    assert os.path.islink(link)
    assert parts.settings(small) == b"changed 1\0"
    assert os.listdir(elsewhere) == ["link.map"]


def test_a_relative_path_is_relative_to_the_caller(box, small):
    r = box.run(os.path.basename(small), box.point(), cwd=box.maps)
    m = boxes.Mount(box, small, box.point(), r)
    assert r.code == 0, r
    change(m)
    m.unmount()
    assert parts.settings(small) == b"changed 1\0"


def test_a_save_keeps_version_3(box):
    plain = datafile.Datafile(datafile.small_map())
    m = box.mount(box.add(datafile.encode(plain.items, plain.blobs(), version=3)))
    change(m)
    m.unmount()
    after = datafile.Datafile.load(m.map)
    assert after.version == 3
    assert parts.settings(m.map) == b"changed 1\0"
    assert after.raw == datafile.encode(after.items, after.blobs(), version=3)


def test_unchanged_blobs_are_copied_compressed(box):
    plain = datafile.Datafile(datafile.small_map())
    m = box.mount(box.add(datafile.encode(plain.items, plain.blobs(), level=9)))
    before = datafile.Datafile.load(m.map)
    change(m)
    m.unmount()
    after = datafile.Datafile.load(m.map)
    blob = parts.info_index(before, 5)
    assert datafile.same_but(before, after, blobs=[blob]) == []


def test_a_save_corrects_old_short_headers(box):
    raw = bytearray(datafile.small_map())
    short = 4 * datafile.Datafile(bytes(raw)).n_data
    for at in (8, 12):
        raw[at:at + 4] = (int.from_bytes(raw[at:at + 4], "little") - short).to_bytes(4, "little")
    m = box.mount(box.add(bytes(raw)))
    change(m)
    m.unmount()
    after = datafile.Datafile.load(m.map)
    assert after.size == len(after.raw) - 16
    assert after.raw == datafile.encode(after.items, after.blobs())


def other_program_replaces(path, text=b"from another program"):
    b = datafile.small_map(settings=[text])
    with open(path + ".tmp", "wb") as f:
        f.write(b)
    os.rename(path + ".tmp", path)


def test_the_change_of_another_program_is_not_overwritten(box, small):
    m = box.mount(small)
    change(m)
    other_program_replaces(small)
    r = m.unmount(code=6)
    box.allow("small.map.mapfs-*")
    assert "conflict" in r.out + r.err
    assert parts.settings(small) == b"from another program\0"
    assert parts.settings(small + ".mapfs-conflict") == b"changed 1\0"


def test_sync_fails_after_a_conflict(box, small):
    m = box.mount(small)
    change(m)
    other_program_replaces(small)
    box.allow("small.map.mapfs-*")
    for _ in range(2):  # a second sync does not write the map either
        assert boxes.refused(boxes.sync_root, m.point) == errno.ESTALE
        assert parts.settings(small) == b"from another program\0"
        assert parts.settings(small + ".mapfs-conflict") == b"changed 1\0"
    assert m.unmount(code=6).out.count("mapfs-conflict") >= 1


@pytest.mark.parametrize("text", [b"from another program", b"sv_deepfly 8\0tune ground_friction 0.5"],
                         ids=["of another length", "of the same length"])
def test_the_in_place_change_of_another_program_is_not_overwritten(box, small, text):
    m = box.mount(small)
    change(m)
    other = datafile.small_map(settings=[text])
    with open(small, "r+b") as f:
        f.write(other)
        f.truncate()
    # The blobs to copy are lost with the old content: a conflict, or a failed save.
    r = box.run("-u", m.point)
    assert r.code in (4, 6), r
    assert boxes.get(small) == other
    if r.code == 4:
        m.unmount("--force", code=4)
    box.allow("small.map.mapfs-*")
    assert box.run("recover", small, "--extract", os.path.join(box.root, "out")).code == 0
    assert boxes.get(small) == other


def test_the_change_of_another_program_alone_is_no_conflict(box, small):
    m = box.mount(small)
    m.get(SETTINGS)
    other_program_replaces(small)
    m.unmount()
    assert parts.settings(small) == b"from another program\0"


def test_changes_of_a_removed_map_are_not_lost(box, small):
    m = box.mount(small)
    change(m)
    os.unlink(small)
    m.unmount(code=6)
    box.allow("small.map*")
    assert parts.settings(small + ".mapfs-conflict") == b"changed 1\0"


@pytest.mark.parametrize("how, words", [
    ("replaced", "another program changed the map"), ("removed", "the map was removed or renamed"),
    ("renamed", "the map was removed or renamed"), ("linked", "a symbolic link replaced the map"),
    ("linked to a copy", "a symbolic link replaced the map")])
def test_a_conflict_reports_what_happened_to_the_map(box, small, how, words):
    m = box.mount(small)
    change(m)
    old, real = boxes.get(small), small + "~"
    if how == "replaced":
        other_program_replaces(small)
    elif how == "removed":
        os.unlink(small)
    elif how == "linked to a copy":
        boxes.put(real, old, os.O_WRONLY | os.O_CREAT)
        os.unlink(small)
    else:
        os.rename(small, real)
    if "linked" in how:
        os.symlink(os.path.basename(real), small)
    r = m.unmount(code=6)
    box.allow("small.map~", "small.map.mapfs-conflict")
    assert "saved: as small.map.mapfs-conflict, because %s" % words in r.out
    assert parts.settings(small + ".mapfs-conflict") == b"changed 1\0"
    if "linked" in how:
        assert os.readlink(small) == "small.map~"
    if os.path.exists(real):
        assert boxes.get(real) == old


def test_a_link_in_place_of_the_second_file_is_kept(box):
    pak, man = (box.add(data, name) for data, name in zip(marked_maps.Pair.make(1), marked_maps.Pair.names))
    m = box.mount(pak)
    m.put(marked_maps.Pair.texts[0], b"changed\n")
    os.rename(man, man + "~")
    os.symlink(os.path.basename(man) + "~", man)
    assert "because a symbolic link replaced the map" in m.unmount(code=6).out
    box.allow("X.PAK.MAN~", "*.mapfs-conflict*")
    assert os.readlink(man) == "X.PAK.MAN~"
    assert (boxes.get(pak), boxes.get(man)) == marked_maps.Pair.make(1)


def test_a_save_into_a_removed_directory_claims_neither_map_nor_journal(box):
    folder = os.path.join(box.maps, "gone")
    os.mkdir(folder)
    small = shutil.copy(box.add(datafile.small_map()), folder)
    m = box.mount(small)
    change(m)
    shutil.rmtree(folder)
    r = m.unmount(code=4)
    output = r.out + r.err
    assert "the map is unchanged" not in output and "are kept in the journal" not in output, output
    assert "the map was removed or renamed" in output and "the changes may be missing from the journal" in output, output
    r = m.unmount("--force", code=4)
    assert "journal is kept" not in r.out + r.err and "are kept in the journal" not in r.out + r.err, r


def test_a_killed_worker_does_not_claim_the_journal_of_a_removed_directory(box):
    folder = os.path.join(box.maps, "gone")
    os.mkdir(folder)
    small = shutil.copy(box.add(datafile.small_map()), folder)
    m, p = box.foreground(small)
    change(m)
    shutil.rmtree(folder)
    box.kill_worker()
    assert p.wait(90) == 4
    assert "the worker died" in boxes.get(p.log).decode() and b"journal" not in boxes.get(p.log)


def test_a_second_conflict_does_not_overwrite_the_first(box, small):
    for n in (1, 2):
        m = box.mount(small, point=box.point("m%d" % n))
        change(m, b"changed %d\n" % n)
        other_program_replaces(small, b"from another program, time %d" % n)
        m.unmount(code=6)
    box.allow("small.map.mapfs-*")
    found = {parts.settings(os.path.join(box.maps, n)) for n in box.beside()
             if "mapfs-conflict" in n}
    assert found == {b"changed 1\0", b"changed 2\0"}


def test_a_second_writer_is_refused(box, small):
    m = box.mount(small)
    r = box.run(small, box.point("second"))
    assert r.code == 7 and len(r.err.splitlines()) == 1, r
    assert not boxes.is_mounted(box.point("second"))
    change(m)
    m.unmount()
    # After a save that replaced the file, the lock is on the new file.
    m = box.mount(small)
    change(m, b"again 1\n")
    subprocess.run(["sync", m.point], check=True)
    assert box.run(small, box.point("second")).code == 7
    m.unmount()


def test_two_maps_in_one_directory_can_be_mounted_at_once(box):
    a, b = (box.mount(box.add(datafile.small_map(), n + ".map"), point=box.point(n))
            for n in "ab")
    change(a, b"for a\n")
    change(b, b"for b\n")
    a.unmount()
    b.unmount()
    assert parts.settings(a.map) == b"for a\0"
    assert parts.settings(b.map) == b"for b\0"


def test_unmounting_with_an_open_file_fails_and_can_be_repeated(box, small):
    m = box.mount(small)
    change(m)
    held = os.open(m / "info/author", os.O_RDONLY)
    m.unmount(code=7)
    assert m.mounted()
    assert m.get(SETTINGS) == b"changed 1\n"
    os.close(held)
    m.unmount()
    assert parts.settings(small) == b"changed 1\0"


def test_a_forced_unmount_with_an_open_file_saves(box, small):
    m = box.mount(small)
    change(m)
    held = os.open(m / "info/author", os.O_RDONLY)
    r = box.run("-u", "--force", m.point)
    assert r.code in (0, 7), r
    assert not m.mounted()
    assert parts.settings(small) == b"changed 1\0"
    boxes.refused(os.close, held)
    assert boxes.wait_for(lambda: not box.processes())


def test_an_unwritable_map_is_mounted_read_only_with_a_message(box, root, small):
    at = os.path.join(box.root, "ro")
    os.mkdir(at)
    subprocess.run(["mount", "--bind", box.maps, at], check=True)
    subprocess.run(["mount", "-o", "remount,bind,ro", at], check=True)
    try:
        m = box.mount(os.path.join(at, "small.map"))
        assert "read-only" in m.result.err + m.result.out
        assert m.get("info/author") == b"nobody\n"
        assert boxes.refused(m.put, SETTINGS, b"x\n") == errno.EROFS
        m.unmount()
    finally:
        subprocess.run(["umount", at], check=True)


def test_a_save_of_a_large_map_changes_no_other_blob(box):
    m = box.mount(box.add(datafile.small_map(padding=5 << 20)))
    before = datafile.Datafile.load(m.map)
    change(m)
    m.unmount()
    after = datafile.Datafile.load(m.map)
    assert datafile.same_but(before, after, blobs=[parts.info_index(before, 5)]) == []


@pytest.mark.parametrize("path", places.each_debian_map() + places.each_corpus_map())
def test_an_edit_changes_no_other_part_of_the_map(box, path):
    m, before = mount_or_refused(box, path)
    if not m:
        return
    copy = m.map
    if not os.path.isdir(m / "info"):
        m.unmount()
        return
    infos = before.of_type(datafile.INFO)
    had = infos and infos[0].ints[5:6] not in ([], [-1])
    m.put(SETTINGS, b"sv_test 1\n")
    m.unmount()
    after = datafile.Datafile.load(copy)
    assert parts.settings(copy) == b"sv_test 1\0"
    if had and infos[0].ints.count(infos[0].ints[5]) == 1:
        assert datafile.same_but(before, after, blobs=[infos[0].ints[5]]) == []
    # All old blobs are still there, in their order, with new ones between them; data may have new numbers.
    assert ([i for i in datafile.resolved(after) if i[0] != datafile.INFO]
            == [i for i in datafile.resolved(before) if i[0] != datafile.INFO])
    assert all(b in after.stored for n, b in enumerate(before.stored)
               if not infos or n not in infos[0].ints[1:])
    assert stat.S_ISREG(os.lstat(copy).st_mode)


def test_a_map_with_a_second_name_is_reported(box, small):
    other = os.path.join(box.maps, "other.map")
    os.link(small, other)
    box.allow("other.map")
    old = boxes.get(small)
    m = box.mount(small)
    assert "2 hard links" in m.result.err
    m.put("info/settings.cfg", b"x 1\n")
    m.unmount()
    assert parts.settings(small) == b"x 1\0" and boxes.get(other) == old
    assert "names" not in box.mount(small).result.err
    m.unmount()


def test_a_rescued_file_keeps_a_large_hole(box, small):
    m = box.mount(small)
    with open(m / "images/hole.jpg", "wb") as f:
        f.write(b"begin")
        f.truncate(1 << 30)
        f.seek((1 << 30) - 3)
        f.write(b"end")
    m.unmount(code=5)
    box.allow("small.map.mapfs-left")
    path = os.path.join(box.maps, "small.map.mapfs-left/images/hole.jpg")
    st = os.stat(path)
    assert st.st_size == 1 << 30 and st.st_blocks * 512 < 1 << 20
    with open(path, "rb") as f:
        assert f.read(6) == b"begin\0"
        f.seek(-4, os.SEEK_END)
        assert f.read() == b"\0end"


def test_control_characters_in_names_are_escaped(box, small):
    m = box.mount(small)
    name = "images/\x1b]0;gotcha\x07\x9b.jpg"
    with open(os.fsencode(m / name), "wb") as f:
        f.write(b"x")
    r = m.unmount(code=5)
    box.allow("small.map.mapfs-left")
    assert "gotcha" in r.out and not any(ord(c) < 32 and c != "\n" for c in r.out + r.err)
    evil = box.add(b"no map", "\x1b[2J.map")
    for args in ([evil, box.point()], ["recover", evil], ["-o", "\x1b[2J", small]):
        r = box.run(*args)
        assert not any(ord(c) < 32 and c != "\n" for c in r.out + r.err), (args, r)


def test_damage_of_a_large_map_is_found_despite_a_chmod(box):
    small = box.add(datafile.small_map(sound=random.Random(1).randbytes(20 << 20)))
    m = box.mount(small)
    change(m)
    st = os.stat(small)
    at = st.st_size // 2
    with open(small, "r+b") as f:
        f.seek(at)
        was = f.read(1)
        f.seek(at)
        f.write(bytes([was[0] ^ 1]))
    os.utime(small, ns=(st.st_atime_ns, st.st_mtime_ns))
    os.chmod(small, 0o640)
    r = m.unmount(code=4)
    assert "data item" in r.out, r
    # The original content is back.
    with open(small, "r+b") as f:
        f.seek(at)
        f.write(was)
    os.utime(small, ns=(st.st_atime_ns, st.st_mtime_ns))
    m.unmount()
    assert parts.settings(small) == b"changed 1\0"


def test_saves_do_not_accumulate_open_files(box, small):
    m = box.mount(small)
    image = layout.png(4, 4, bytes(64))
    held = []
    for i in range(9):
        for name in ("1_saved%d.png" % i, "2_added%d.png" % i):
            m.put("images/" + name, image, flags=os.O_WRONLY | os.O_CREAT)
        os.unlink(m / ("images/2_added%d.png" % i))
        if i >= 2:
            os.unlink(m / ("images/1_saved%d.png" % (i - 2)))
        change(m, b"changed %d\n" % i)
        editing.sync(m)
        held.append(box.held())
    # The worker drops the last map after it has answered the save.
    assert boxes.wait_for(lambda: box.held() <= held[2]), held
    m.unmount()
