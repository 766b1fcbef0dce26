# SPDX-License-Identifier: Zlib
"""A folder of maps, looked at: what is shown, what is opened, what it costs."""
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
def mixed(box):
    folder.fill(box)
    return box.mount(box.maps)


def test_every_map_is_a_directory_of_its_name(box, mixed):
    assert sorted(os.listdir(mixed.point)) == SHOWN
    assert os.listdir(mixed / "deep") == ["er"] and os.listdir(mixed / "deep/er") == ["LOW.MAP"]
    assert mixed.get("small.map/" + SETTINGS) == mixed.get("deep/er/LOW.MAP/" + SETTINGS)
    assert b"sv_deepfly" in mixed.get("small.map/" + SETTINGS)
    assert mixed.get("field.tcm/terrain.csv") == b"index,type\n1,2\n"
    assert mixed.get("things.mod/MEDIA/README.TXT") == b"hello\n"
    assert mixed.get("F.PAK/MEDIA/README.TXT") == b"hello\n"
    mixed.unmount()


def test_what_is_listed_is_what_stat_says(box, mixed):
    for e in list(os.scandir(mixed.point)) + list(os.scandir(mixed / "small.map")):
        st = os.stat(e.path)
        assert e.is_dir() and e.inode() == st.st_ino
    assert len({os.stat(mixed / n).st_ino for n in SHOWN}) == len(SHOWN)
    one = os.stat(os.path.join(box.maps, "small.map"))
    st = os.stat(mixed / "small.map")
    assert (st.st_mtime_ns, st.st_uid, st.st_mode & 0o222) == (
        one.st_mtime_ns, one.st_uid, one.st_mode & 0o222)
    mixed.unmount()


def test_without_a_mount_point_it_stands_beside_the_folder(box):
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


def test_what_is_shown_follows_the_folder(box, mixed):
    os.stat(mixed / "small.map")
    shutil.copy(os.path.join(box.maps, "small.map"), os.path.join(box.maps, "deep/new.map"))
    assert soon(lambda: "new.map" in os.listdir(mixed / "deep"))
    assert b"sv_deepfly" in mixed.get("deep/new.map/" + SETTINGS)
    os.rename(os.path.join(box.maps, "deep/new.map"), os.path.join(box.maps, "deep/other.map"))
    assert soon(lambda: os.path.isdir(mixed / "deep/other.map"))
    assert soon(lambda: not os.path.exists(mixed / "deep/new.map"))
    os.remove(os.path.join(box.maps, "deep/other.map"))
    assert soon(lambda: not os.path.exists(mixed / "deep/other.map"))
    os.mkdir(os.path.join(box.maps, "deep/folder.map"))
    assert soon(lambda: os.path.isdir(mixed / "deep/folder.map"))
    assert os.listdir(mixed / "deep/folder.map") == []
    mixed.unmount()


def test_a_map_that_was_replaced_has_new_numbers(box, mixed):
    author = mixed / "small.map/info/author"
    before, number = boxes.get(author), os.stat(author).st_ino
    held = os.open(mixed / "small.map/info", os.O_PATH)
    file = open(author, "rb")
    folder.replace(box, "small.map", datafile.small_map(settings=(b"sv_other 1",)))
    assert soon(lambda: folder.shows(mixed / "small.map/" + SETTINGS, b"sv_other 1\n"))
    assert os.stat(author).st_ino != number
    assert file.read() == before  # who has it open reads on
    file.close()
    assert boxes.refused(os.listdir, "/proc/self/fd/%d" % held) == errno.ESTALE
    os.close(held)
    mixed.unmount()


def test_a_map_that_cannot_be_opened_says_why_and_disturbs_no_other(box):
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


def test_mapfs_does_not_look_into_its_own_mount(box):
    folder.fill(box)
    point = os.path.join(box.maps, "deep/mnt")
    os.mkdir(point)
    m = box.mount(box.maps, point=point)
    assert os.listdir(m / "deep") == ["er"]
    assert boxes.refused(os.stat, m / "deep/mnt") == errno.ENOENT
    box.run("-r", "sv_", ".", program="grep", cwd=m.point, timeout=60)
    m.unmount()


def test_a_folder_can_be_covered_by_its_own_mount(box):
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


def test_find_and_copies_reach_all(box, mixed):
    r = subprocess.run(["find", mixed.point, "-name", "author"], capture_output=True, check=True)
    assert len(r.stdout.splitlines()) == 2
    out = os.path.join(box.root, "out")
    subprocess.run(["cp", "-r", mixed.point, out], check=True)
    r = subprocess.run(["diff", "-r", mixed.point, out], capture_output=True)
    assert (r.returncode, r.stdout, r.stderr) == (0, b"", b"")
    mixed.unmount()


def test_hidden_names_are_not_shown(box, mixed):
    for name in (".hidden.map", "small.map.mapfs-journal-0123", "small.map.mapfs-conflict.map"):
        box.add(datafile.small_map(), "deep/" + name)
        assert boxes.refused(os.stat, mixed / os.path.join("deep", name)) == errno.ENOENT
    assert os.listdir(mixed / "deep") == ["er"]
    mixed.unmount()


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


def test_one_file_is_one_directorys(box):
    folder.fill(box)
    os.link(os.path.join(box.maps, "small.map"), os.path.join(box.maps, "deep/same.map"))
    m = box.mount(box.maps)
    with open(m / "small.map/info/author", "rb"):
        assert os.listdir(m / "deep/same.map") == ["error.txt"]
        assert b"small.map" in m.get("deep/same.map/error.txt")
    assert soon(lambda: os.path.exists(m / "deep/same.map/info"))
    m.unmount()


def test_the_folders_directories_are_not_changed_from_within(box, mixed):
    small = mixed / "small.map"
    for refusal, call, *args in (
            (errno.EPERM, os.mkdir, mixed / "folder"), (errno.EPERM, os.mkdir, mixed / "deep/x.txt"),
            (errno.EPERM, os.rmdir, small), (errno.EPERM, os.rmdir, mixed / "deep"),
            (errno.EPERM, os.rename, small, mixed / "other.map"),
            (errno.EPERM, os.rename, mixed / "small.map/info", mixed / "info"),
            (errno.EXDEV, os.rename, mixed / "small.map/info/author",
             mixed / "deep/er/LOW.MAP/info/author"),
            (errno.EPERM, os.symlink, "x", mixed / "y.map"),
            (errno.EPERM, os.open, mixed / "z.map", os.O_CREAT | os.O_WRONLY),
            (errno.EPERM, os.chmod, mixed / "deep", 0o700),
            (errno.EEXIST, os.mkdir, small)):
        assert boxes.refused(call, *args) == refusal, (call, args)
    mixed.unmount()


def test_names_that_the_kernel_knows_outlive_the_maps_that_are_closed(box):
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
    # The figures are those of a plain build.
    if not places.sanitizers():
        assert all_.kib - hundred.kib <= 1024 + n // 4
    opened = seen.names()
    assert len([o for o in opened if o == "m00500.map"]) == 1
    seen.close()
    m.unmount()


def test_grep_finds_all(box):
    n = 150
    folder.many(box, n)
    m = box.mount(box.maps)
    r = subprocess.run("grep -r sv_ */%s" % SETTINGS, shell=True, cwd=m.point, capture_output=True)
    assert r.returncode == 0 and len(r.stdout.splitlines()) == n and r.stderr == b""
    m.unmount()


def test_real_maps_show_what_they_show_alone(box):
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
