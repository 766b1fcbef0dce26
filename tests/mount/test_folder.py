# SPDX-License-Identifier: Zlib
"""Reading a mounted folder of maps: shown names, opened files, resources."""
import errno
import os
import shutil
import subprocess

import pytest

import box as boxes
import datafile
import folder
import parts
import places
import share
from folder import AUTHOR, SETTINGS, Cost, Opened, soon
from test_user import NOBODY, user  # noqa: F401

SHOWN = ["F.PAK", "deep", "field.tcm", "small.map", "things.mod"]


@pytest.fixture
def mixed_folder(box):
    folder.fill(box)
    return box.mount(box.maps)


def test_every_map_is_a_directory_with_its_name(box, mixed_folder):
    assert sorted(os.listdir(mixed_folder.point)) == SHOWN
    assert os.listdir(mixed_folder / "deep") == ["er"] and os.listdir(mixed_folder / "deep/er") == ["LOW.MAP"]
    assert mixed_folder.get("small.map/" + SETTINGS) == mixed_folder.get("deep/er/LOW.MAP/" + SETTINGS)
    assert b"sv_deepfly" in mixed_folder.get("small.map/" + SETTINGS)
    assert mixed_folder.get("field.tcm/terrain.csv") == b"index,type\n1,2\n"
    assert mixed_folder.get("things.mod/MEDIA/README.TXT") == b"hello\n"
    assert mixed_folder.get("F.PAK/MEDIA/README.TXT") == b"hello\n"
    mixed_folder.unmount()


def test_listings_agree_with_stat(box, mixed_folder):
    for e in list(os.scandir(mixed_folder.point)) + list(os.scandir(mixed_folder / "small.map")):
        st = os.stat(e.path)
        assert e.is_dir() and e.inode() == st.st_ino
    assert len({os.stat(mixed_folder / n).st_ino for n in SHOWN}) == len(SHOWN)
    one = os.stat(os.path.join(box.maps, "small.map"))
    st = os.stat(mixed_folder / "small.map")
    assert (st.st_mtime_ns, st.st_uid, st.st_mode & 0o222) == (
        one.st_mtime_ns, one.st_uid, one.st_mode & 0o222)
    mixed_folder.unmount()


def test_without_a_mount_point_the_mount_is_beside_the_folder(box):
    folder.fill(box)
    assert box.run("maps/", cwd=box.root).code == 0
    point = box.maps + ".mapfs"
    assert boxes.is_mounted(point) and sorted(os.listdir(point)) == SHOWN
    assert box.run("-u", box.maps).code == 0
    assert not os.path.exists(point)


def test_listing_opens_no_map(box):
    folder.fill(box)
    seen = Opened(box.maps)
    m = box.mount(box.maps)
    subprocess.run(["ls", "-la", m.point, m / "deep"], check=True, capture_output=True)
    shutil.disk_usage(m.point)
    assert [n for n in seen.names() if n not in ("deep", ".")] == []
    os.listdir(m / "small.map")
    assert set(seen.names()) == {"small.map"}
    seen.close()
    m.unmount()


def test_the_mount_follows_changes_of_the_folder(box, mixed_folder):
    os.stat(mixed_folder / "small.map")
    shutil.copy(os.path.join(box.maps, "small.map"), os.path.join(box.maps, "deep/new.map"))
    assert soon(lambda: "new.map" in os.listdir(mixed_folder / "deep"))
    assert b"sv_deepfly" in mixed_folder.get("deep/new.map/" + SETTINGS)
    os.rename(os.path.join(box.maps, "deep/new.map"), os.path.join(box.maps, "deep/other.map"))
    assert soon(lambda: os.path.isdir(mixed_folder / "deep/other.map"))
    assert soon(lambda: not os.path.exists(mixed_folder / "deep/new.map"))
    os.remove(os.path.join(box.maps, "deep/other.map"))
    assert soon(lambda: not os.path.exists(mixed_folder / "deep/other.map"))
    os.mkdir(os.path.join(box.maps, "deep/folder.map"))
    assert soon(lambda: os.path.isdir(mixed_folder / "deep/folder.map"))
    assert os.listdir(mixed_folder / "deep/folder.map") == []
    mixed_folder.unmount()


def test_a_replaced_map_has_new_inode_numbers(box, mixed_folder):
    author = mixed_folder / "small.map/info/author"
    before, number = boxes.get(author), os.stat(author).st_ino
    held = os.open(mixed_folder / "small.map/info", os.O_PATH)
    file = open(author, "rb")
    folder.replace(box, "small.map", datafile.small_map(settings=(b"sv_other 1",)))
    assert soon(lambda: folder.shows(mixed_folder / "small.map/" + SETTINGS, b"sv_other 1\n"))
    assert os.stat(author).st_ino != number
    assert file.read() == before  # an open handle reads the old file
    file.close()
    assert boxes.refused(os.listdir, "/proc/self/fd/%d" % held) == errno.ESTALE
    os.close(held)
    mixed_folder.unmount()


def test_an_invalid_map_shows_its_error_and_affects_no_other(box):
    folder.fill(box)
    box.add(b"junk\n" * 20, "bad.map")
    m = box.mount(box.maps)
    assert os.listdir(m / "bad.map") == ["error.txt"]
    assert m.get("bad.map/error.txt").startswith(b"bad.map: ")
    assert os.stat(m / "bad.map/error.txt").st_size == len(m.get("bad.map/error.txt"))
    assert boxes.refused(os.mkdir, m / "bad.map/x") == errno.EROFS
    assert boxes.refused(os.stat, m / "bad.map/info") == errno.ENOENT
    assert b"sv_deepfly" in m.get("small.map/" + SETTINGS)
    folder.replace(box, "bad.map", datafile.small_map())
    assert soon(lambda: os.path.exists(m / "bad.map/info"))
    assert not os.path.exists(m / "bad.map/error.txt")
    m.unmount()


def test_a_folder_mount_hides_a_mount_inside_the_folder(box):
    folder.fill(box)
    point = os.path.join(box.maps, "deep/mnt")
    os.mkdir(point)
    m = box.mount(box.maps, point=point)
    assert os.listdir(m / "deep") == ["er"]
    assert boxes.refused(os.stat, m / "deep/mnt") == errno.ENOENT
    box.run("-r", "sv_", ".", program="grep", cwd=m.point, timeout=60)
    m.unmount()


def test_a_folder_can_be_its_own_mount_point(box):
    folder.fill(box)
    m = box.mount(box.maps, point=box.maps)
    assert sorted(os.listdir(m.point)) == SHOWN
    assert b"sv_deepfly" in m.get("small.map/" + SETTINGS)
    m.unmount()


def test_a_folder_is_mounted_beside_it_once(box):
    folder.fill(box)
    assert box.run(box.maps).code == 0
    r = box.run(box.maps)
    assert r.code == 7 and "already mounted" in r.err
    assert box.run("-u", box.maps).code == 0


def test_find_and_copies_reach_all_maps(box, mixed_folder):
    r = subprocess.run(["find", mixed_folder.point, "-name", "author"], capture_output=True, check=True)
    assert len(r.stdout.splitlines()) == 2
    out = os.path.join(box.root, "out")
    subprocess.run(["cp", "-r", mixed_folder.point, out], check=True)
    r = subprocess.run(["diff", "-r", mixed_folder.point, out], capture_output=True)
    assert (r.returncode, r.stdout, r.stderr) == (0, b"", b"")
    mixed_folder.unmount()


def test_hidden_names_are_not_shown(box, mixed_folder):
    for name in (".hidden.map", "small.map.mapfs-journal-0123", "small.map.mapfs-conflict.map"):
        box.add(datafile.small_map(), "deep/" + name)
        assert boxes.refused(os.stat, mixed_folder / os.path.join("deep", name)) == errno.ENOENT
    assert os.listdir(mixed_folder / "deep") == ["er"]
    mixed_folder.unmount()


def test_links_to_maps_are_followed_within_the_folder(box):
    folder.fill(box)
    for to, name in (("er/LOW.MAP", "rel.map"), (os.path.join(box.maps, "small.map"), "abs.map"),
                     ("er", "dir"), ("../../outside.map", "out.map"), ("rel.map", "twice.map"),
                     ("nowhere.map", "none.map"), ("loop.map", "loop.map"), ("er", "er.map"),
                     ("dir/LOW.MAP", "through.map"), (".././deep//dir/../er/LOW.MAP", "up.map"),
                     ("../..", "up"), ("up/outside.map", "past.map"),
                     ("../../maps/small.map", "around.map"), (box.maps + "x/small.map", "beside.map")):
        os.symlink(to, os.path.join(box.maps, "deep", name))
    with open(os.path.join(box.root, "outside.map"), "wb") as f:
        f.write(datafile.small_map())
    m = box.mount(box.maps)
    assert sorted(os.listdir(m / "deep")) == ["abs.map", "er", "rel.map", "through.map",
                                              "twice.map", "up.map"]
    assert b"sv_deepfly" in m.get("deep/twice.map/" + SETTINGS)
    m.put("deep/abs.map/" + AUTHOR, b"by link\n")
    m.unmount()
    assert parts.author(os.path.join(box.maps, "small.map")) == b"by link\0"
    assert os.path.islink(os.path.join(box.maps, "deep/abs.map"))


def test_a_file_with_two_names_is_one_directory_only(box):
    folder.fill(box)
    os.link(os.path.join(box.maps, "small.map"), os.path.join(box.maps, "deep/same.map"))
    m = box.mount(box.maps)
    with open(m / "small.map/info/author", "rb"):
        assert os.listdir(m / "deep/same.map") == ["error.txt"]
        assert b"small.map" in m.get("deep/same.map/error.txt")
    assert soon(lambda: os.path.exists(m / "deep/same.map/info"))
    m.unmount()


def test_directories_of_the_folder_cannot_be_changed_through_the_mount(box, mixed_folder):
    small = mixed_folder / "small.map"
    for refusal, call, *args in (
            (errno.EPERM, os.mkdir, mixed_folder / "folder"), (errno.EPERM, os.mkdir, mixed_folder / "deep/x.txt"),
            (errno.EPERM, os.rmdir, small), (errno.EPERM, os.rmdir, mixed_folder / "deep"),
            (errno.EPERM, os.rename, small, mixed_folder / "other.map"),
            (errno.EPERM, os.rename, mixed_folder / "small.map/info", mixed_folder / "info"),
            (errno.EXDEV, os.rename, mixed_folder / "small.map/info/author",
             mixed_folder / "deep/er/LOW.MAP/info/author"),
            (errno.EPERM, os.symlink, "x", mixed_folder / "y.map"),
            (errno.EPERM, os.open, mixed_folder / "z.map", os.O_CREAT | os.O_WRONLY),
            (errno.EPERM, os.chmod, mixed_folder / "deep", 0o700),
            (errno.EEXIST, os.mkdir, small)):
        assert boxes.refused(call, *args) == refusal, (call, args)
    mixed_folder.unmount()


def test_known_inodes_work_after_their_map_is_closed(box):
    folder.many(box, 100)
    m = box.mount(box.maps)
    os.chdir(m / "m00000.map/info")
    try:
        number = os.stat(".").st_ino
        first = sorted(os.listdir("."))
        assert len(first) == 5
        for i in range(1, 100):
            os.listdir(m / "m%05d.map/info" % i)
        closed = os.readlink("/proc/%d/cwd" % os.getpid())
        assert closed.endswith("m00000.map/info")
        maps = [os.readlink(p.path) for p in os.scandir("/proc/%d/fd" % box.worker())]
        assert not [p for p in maps if p.endswith("m00000.map")]
        assert sorted(os.listdir(".")) == first and os.stat(".").st_ino == number
        assert boxes.get("author") == m.get("m00099.map/" + AUTHOR)
    finally:
        os.chdir("/")
    m.unmount()


def test_cost_does_not_grow_with_the_number_of_maps(box):
    n = share.of(10_000, 1_000)
    folder.many(box, n)
    seen = Opened(box.maps)
    m = box.mount(box.maps)
    begin = Cost(box)
    assert len(os.listdir(m.point)) == n
    assert seen.names() in ([], ["."])
    for i in range(100):
        os.listdir(m / "m%05d.map" % i)
    hundred = Cost(box)
    assert hundred.descriptors - begin.descriptors <= 2 * 34
    for name in os.listdir(m.point):
        os.listdir(m / name)
    all_ = Cost(box)
    assert all_.descriptors == hundred.descriptors
    assert all_.threads - begin.threads <= folder.POOL
    # The limits are for a build without sanitizers.
    if not places.sanitizers():
        assert all_.kib - hundred.kib <= 1024 + n // 4
    opened = seen.names()
    assert len([o for o in opened if o == "m00500.map"]) == 1
    seen.close()
    m.unmount()


def test_grep_finds_a_line_in_each_map(box):
    n = 150
    folder.many(box, n)
    m = box.mount(box.maps)
    r = subprocess.run("grep -r sv_ */%s" % SETTINGS, shell=True, cwd=m.point, capture_output=True)
    assert r.returncode == 0 and len(r.stdout.splitlines()) == n and r.stderr == b""
    m.unmount()


def test_a_map_looks_the_same_in_a_folder_and_alone(box):
    found = [p for p in places.debian_maps() if os.path.getsize(p) < 300_000][::6]
    if not found:
        pytest.skip(places.NO_MAPS)
    for p in found:
        box.add(p)
    m = box.mount(box.maps)
    alone = box.point("alone")
    for p in found:
        one = box.mount(os.path.join(box.maps, os.path.basename(p)), point=alone)
        r = subprocess.run(["diff", "-r", alone, m / os.path.basename(p)], capture_output=True)
        assert (r.returncode, r.stdout, r.stderr) == (0, b"", b"")
        one.unmount()
    m.unmount()


def test_an_ordinary_user_mounts_a_folder(box, user):
    folder.fill(box)
    for name in os.listdir(box.maps):
        os.chown(os.path.join(box.maps, name), *(NOBODY, NOBODY) if name != "things.mod" else (0, 0))
    os.chmod(os.path.join(box.maps, "things.mod"), 0o600)
    os.chmod(os.path.join(box.maps, "field.tcm"), 0o444)
    r = user("""
        "$MAPFS" "$FOLDER" "$POINT" || exit 10
        grep -q "Permission denied" "$POINT/things.mod/error.txt" || exit 11
        echo "x 1" > "$POINT/small.map/info/settings.cfg" || exit 12
        test -w "$POINT/field.tcm" && exit 13
        mkdir "$POINT/new.map" || exit 14
        "$MAPFS" -u "$POINT" || exit 15
    """, FOLDER=box.maps)
    assert r.code == 0, r
    assert parts.settings(os.path.join(box.maps, "small.map")) == b"x 1\0"
    box.allow("new.map")
