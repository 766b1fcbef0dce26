# SPDX-License-Identifier: Zlib
"""mapfs put, rm, mv and pack have the effect of the same edit in a mount, or none."""
import glob
import os
import re
import shutil
import socket
import stat
import subprocess

import pytest

import archives
import box as boxes
import datafile
import maps
import places
import shims
from box import get

SETTINGS = "info/settings.cfg"


def run(*args, data=b"", **kw):
    return subprocess.run([places.BINARY, *args], capture_output=True, timeout=120, input=data, **kw)


def choose_edit(map_):
    """A path in a map, and a new content for it."""
    if map_.endswith(".tcm"):
        return "info.json", None
    if map_.lower().endswith((".mod", ".pak")):
        return "MEDIA/NEW.TXT", b"hello\n"
    return SETTINGS, b"sv_new 1\nsv_other 2\n"


def valid_content(mount, path, content):
    return content if content is not None else mount.get(path).replace(b'"name": "', b'"name": "x')


def first_group(map_):
    """Path of the first group of a map, "groups/0_name/"."""
    return "groups/" + sorted(run("ls", map_, "groups", text=True, data="").stdout.split("\n")[:-1])[0] + "/"


def assert_unchanged(box, map_, before):
    assert get(map_) == before and box.beside() == []


@pytest.mark.parametrize("path", maps.each_map())
def test_put_gives_the_map_of_an_edit_in_a_mount(box, path):
    one = maps.add(box, path)
    if run("ls", one).returncode:
        pytest.skip("refused by a mount, too")
    os.mkdir(os.path.join(box.root, "other"))
    two = os.path.join(box.root, "other", os.path.basename(one))
    for end in ("", ".MAN"):
        if os.path.exists(one + end):
            shutil.copy2(one + end, two + end)
    target, content = choose_edit(one)
    mount = box.mount(one)
    content = valid_content(mount, target, content)
    try:
        with open(mount / target, "wb") as f:
            f.write(content)
    except OSError:  # an invalid archive
        mount.unmount("--discard")
        r = run("put", two, target, data=content)
        assert r.returncode in (2, 4)
        return
    mount.unmount()
    names = sorted(os.listdir(os.path.dirname(two)))
    r = run("put", two, target, data=content)
    assert (r.returncode, r.stdout) == (0, b""), r.stderr
    assert sorted(os.listdir(os.path.dirname(two))) == names
    if get(one) != get(two):  # an archive holds the second in which it was written
        assert target == "MEDIA/NEW.TXT"
    assert run("cat", two, target).stdout == content


def test_put_takes_a_file(box, small):
    source = os.path.join(box.root, "cfg")
    with open(source, "wb") as f:
        f.write(b"sv_x 1\n")
    r = run("put", "-v", small, SETTINGS, source)
    assert (r.returncode, r.stdout) == (0, b"saved: info/settings.cfg\n")
    assert run("cat", small, SETTINGS).stdout == b"sv_x 1\n"


def test_removed_bytes_after_the_end_are_reported(box, small):
    reported = "note: 8 bytes after the end of the datafile are not saved"
    whole = get(small)
    with open(small, "ab") as f:
        f.write(b"8 bytes.")
    r = run("put", small, SETTINGS, data=run("cat", small, SETTINGS).stdout)
    assert (r.returncode, r.stderr, get(small)) == (0, b"", whole + b"8 bytes.")
    assert run("put", small, SETTINGS, data=b"sv_x 1\n").stderr.decode() == "mapfs: %s: %s\n" % (small, reported)
    assert b"8 bytes." not in get(small)
    assert run("put", small, SETTINGS, data=b"sv_x 2\n").stderr == b""
    with open(small, "ab") as f:
        f.write(b"8 bytes.")
    m = box.mount(small)
    m.put(SETTINGS, b"sv_x 3\n")
    assert m.unmount().out.split("\n")[:-1] == [reported, "saved: " + SETTINGS]


def test_put_of_the_same_content_writes_nothing(box, small):
    st = os.stat(small)
    assert run("put", small, SETTINGS, data=run("cat", small, SETTINGS).stdout).returncode == 0
    assert os.stat(small).st_ino == st.st_ino and os.stat(small).st_mtime_ns == st.st_mtime_ns


@pytest.mark.parametrize("path, data, why", [
    ("groups/*/group.json", b"bad", b"/group.json: line 1"),
    ("info/author", b"two\nlines\n", b"info/author: "),
    ("images/a.jpg", b"", b"images/a.jpg: not part of a map"),
    ("info/.author.swp", b"x", b"not part of a map"),
    ("nowhere/at/all", b"x", b"nowhere/at/all"),
    ("images/new.png", b"no picture", b"images/new.png"),
    ("images/new.json", b'{"external": 0, "width": 1}', b"images/new.json")])
def test_refused_content_exits_with_4_and_writes_nothing(box, small, path, data, why):
    before = get(small)
    path = path.replace("groups/*/", first_group(small))
    r = run("put", small, path, data=data)
    assert r.returncode == 4 and why in r.stderr, r
    assert_unchanged(box, small, before)


def test_content_that_needs_a_missing_file_is_refused(box, small):
    before = get(small)
    r = run("put", small, first_group(small) + "layers/9/layer.json",
            data=b'{"type": "tiles", "width": 5, "height": 5, "image": "no such image"}\n')
    assert r.returncode == 4 and r.stderr, r
    assert_unchanged(box, small, before)


def test_a_wrong_path_exits_with_2(box, small):
    before = get(small)
    for args in (["put", small, "info"], ["put", small, "../x"], ["put", small, "info/author/x"],
                 ["put", small, "raw/data/00000"], ["rm", small, "none"], ["rm", small, "info"],
                 ["mv", small, "none", "info/x"], ["put", small, SETTINGS, "/nonexistent"]):
        assert run(*args).returncode == 2, args
    assert_unchanged(box, small, before)


def test_the_root_cannot_be_removed_or_moved(box, small):
    before = get(small)
    for args in (["rm", "-r", small, "."], ["mv", small, ".", "info"]):
        assert run(*args).returncode == 2, args
        assert_unchanged(box, small, before)


def test_wrong_usage_exits_with_1(small):
    for args in (["put", small], ["rm", small], ["mv", small, "a"], ["pack", small], ["pack", "a", "--exact", "b"]):
        assert run(*args).returncode == 1, args


def test_a_map_with_a_mount_or_a_journal_exits_with_7(box, small):
    before = get(small)
    writing = (["put", small, SETTINGS], ["rm", small, SETTINGS], ["mv", small, SETTINGS, "info/x"],
               ["pack", box.home, "--onto", small])
    base, theirs = box.add(before, "base.map"), box.add(before, "theirs.map")
    assert run("rm", theirs, SETTINGS).returncode == 0
    merge = ["merge", base, base, theirs, small]
    mount = box.mount(small)
    for args in writing:
        assert run(*args).returncode == 7, args
    assert run(*merge).returncode == 128 + 7
    assert run("cat", small, SETTINGS).returncode == 0
    mount.put(SETTINGS, b"sv_kept 1\n")
    box.kill_worker()
    for args in writing:
        r = run(*args)
        assert r.returncode == 7 and b"journal" in r.stderr, args
    r = run(*merge)
    assert r.returncode == 128 + 7 and b"journal" in r.stderr, r
    assert get(small) == before
    mount = box.mount(small)
    assert mount.get(SETTINGS) == b"sv_kept 1\n"
    mount.unmount()


def test_concurrent_writers_follow_one_another_or_exit_with_7(small):
    all_ = [subprocess.Popen([places.BINARY, "put", small, SETTINGS], stdin=subprocess.PIPE,
                             stderr=subprocess.DEVNULL) for _ in range(8)]
    for i, p in enumerate(all_):
        try:
            p.stdin.write(b"sv_n %d\n" % i)
            p.stdin.close()
        except BrokenPipeError:
            pass  # the map was busy, and the command did not wait
    codes = [p.wait(60) for p in all_]
    assert 0 in codes and set(codes) <= {0, 7}
    assert run("cat", small, SETTINGS).stdout.startswith(b"sv_n ")


def test_rm_and_mv_have_the_effect_of_a_mount(box, small):
    other = box.add(small, "other.map")
    mount = box.mount(small)
    image = sorted(os.listdir(mount / "images"))[0]
    layer = first_group(small) + "layers/" + sorted(os.listdir(mount / (first_group(small) + "layers")))[-1]
    os.unlink(mount / ("images/" + image))
    shutil.rmtree(mount / layer)
    mount.unmount()
    assert run("rm", "-r", other, "images/" + image, layer).returncode == 0
    assert get(small) == get(other)
    mount = box.mount(small)
    image = sorted(os.listdir(mount / "images"))[-1]
    number, rest = image.split("_", 1)
    os.rename(mount / ("images/" + image), mount / ("images/%s_light%s" % (number, os.path.splitext(rest)[1])))
    mount.unmount()
    r = run("mv", other, "images/" + image, "images/%s_light%s" % (number, os.path.splitext(rest)[1]))
    assert r.returncode == 0, r.stderr
    assert get(small) == get(other)


def test_rm_of_a_mandatory_directory_removes_its_content(box, small):
    other = box.add(small, "other.map")
    mount = box.mount(small)
    images = sorted(os.listdir(mount / "images"))
    shutil.rmtree(mount / "images")
    mount.unmount()
    assert images and run("ls", small, "images").stdout == b""
    r = run("rm", "-v", "-r", other, "images")
    assert (r.returncode, r.stdout.decode().splitlines()) == (0, ["removed: images/" + n for n in images])
    assert get(small) == get(other)
    assert run("rm", "-r", other, "info").returncode == 0
    assert run("cat", other, SETTINGS, "info/author").stdout == b""


def test_rm_is_all_or_nothing(box, small):
    before = get(small)
    assert run("rm", small, SETTINGS, "none").returncode == 2
    assert run("rm", small, SETTINGS, first_group(small) + "group.json").returncode == 4
    assert_unchanged(box, small, before)


# ---- killed, and disks that fail

def put_with_fault(box, map_, fault, action, at=0, **kw):
    fault.arm(action, at, **kw)
    r = run("put", map_, SETTINGS, data=b"sv_new 1\n", env=box.env(fault.env()))
    return r, fault.calls()


@pytest.mark.parametrize("torn", [False, True])
def test_after_a_kill_at_any_write_the_map_is_old_or_new(box, small, torn):
    before = get(small)
    fault = box.shim(shims.Fault)
    r, n = put_with_fault(box, small, fault, fault.COUNT)
    after = get(small)
    assert r.returncode == 0 and n > 5 and after != before
    seen = set()
    for at in range(n):
        with open(small, "wb") as f:
            f.write(before)
        r, _ = put_with_fault(box, small, fault, fault.KILL_TORN if torn else fault.KILL, at)
        assert r.returncode < 0, at
        seen.add(get(small))
        assert get(small) in (before, after), at
        assert not [name for name in box.beside() if "journal" in name], at
        # The next put succeeds.
        assert run("put", small, SETTINGS, data=b"sv_new 1\n").returncode == 0
        assert get(small) == after and box.beside() == [], at
    assert seen == {before, after}


def test_a_disk_error_is_reported_and_the_map_is_old_or_new(box, small):
    before = get(small)
    fault = box.shim(shims.Fault)
    _, n = put_with_fault(box, small, fault, fault.COUNT)
    after = get(small)
    for at in range(n):
        with open(small, "wb") as f:
            f.write(before)
        r, _ = put_with_fault(box, small, fault, fault.FAIL, at, error=28)
        assert get(small) == (after if r.returncode == 0 else get(small))
        assert get(small) in (before, after)
        if r.returncode:
            assert r.stderr
        for name in box.beside():
            os.unlink(os.path.join(box.maps, name))


# ---- pack

@pytest.mark.parametrize("path", maps.each_map(500_000))
def test_pack_gives_the_map_of_a_copy_into_a_new_mount(box, path):
    source = maps.add(box, path)
    tree = os.path.join(box.root, "tree")
    r = run("extract", "-o", "raw=off", source, tree)
    if r.returncode:
        pytest.skip("cannot be read whole")
    ending = os.path.splitext(path)[1].lower()
    one, two = (os.path.join(box.maps, n + ending) for n in ("one", "two"))
    mount = boxes.Mount(box, one, box.point())
    r = box.run("-o", "raw=off", "--new", one, mount.point)
    assert r.code == 0, r.err
    # A name without a position becomes the last object, and cp copies a directory in the order of creation.
    for name in ("images", "sounds"):
        files = sorted(glob.glob(glob.escape(os.path.join(tree, name)) + "/*"))
        if files:
            box.run("-p", *files, mount / name, program="cp")
    copied = box.run("-rp", tree + "/.", mount.point, program="cp")
    reported = box.run("-u", mount.point)
    box.before |= {os.path.basename(one), os.path.basename(one).upper() + ".MAN"}
    r = run("pack", tree, two)
    if copied.code or reported.code:
        assert r.returncode == reported.code or copied.code, (reported, r)
        if reported.code == 4:
            mount.unmount("--force", "--discard")
        for name in box.beside():
            path = os.path.join(box.maps, name)
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
        return
    assert r.returncode == 0, r.stderr
    out = [os.path.join(box.root, n) for n in ("a", "b")]
    for file, to in zip((one, two), out):
        assert run("extract", file, to).returncode == 0
    a, b = (maps.tree(o) for o in out)
    for t in (a, b):  # the second in which it was written, and of a mod its own name
        for p in list(t):
            t[p] = t[p][:2] + t[p][3:]
        t.pop(b".mod/info.json", None)
    maps.assert_same(a, b)
    for name in os.listdir(box.maps):
        if name.startswith(("one", "two")):
            os.unlink(os.path.join(box.maps, name))


def test_pack_onto_changes_an_existing_map(box, small):
    tree = os.path.join(box.root, "tree")
    assert run("extract", "-o", "raw=off", small, tree).returncode == 0
    before = get(small)
    assert run("pack", tree, "--onto", small).returncode == 0
    assert_unchanged(box, small, before)
    assert run("pack", "--exact", tree, "--onto", small).returncode == 0
    assert_unchanged(box, small, before)
    gone = sorted(os.listdir(tree + "/images"))[-1]
    os.unlink(tree + "/images/" + gone)
    with open(tree + "/" + SETTINGS, "wb") as f:
        f.write(b"sv_packed 1\n")
    assert run("pack", tree, "--onto", small).returncode == 0
    assert gone.encode() in run("ls", small, "images").stdout
    assert run("cat", small, SETTINGS).stdout == b"sv_packed 1\n"
    assert run("pack", "--exact", tree, "--onto", small).returncode == 0
    assert gone.encode() not in run("ls", small, "images").stdout


@pytest.mark.parametrize("exact", ([], ["--exact"]), ids=("", "exact"))
def test_pack_onto_takes_a_file_that_needs_a_later_one(box, small, exact):
    """As in a mount, an existing layer takes an image that is added after it."""
    tree = os.path.join(box.root, "tree")
    assert run("extract", "-o", "raw=off", small, tree).returncode == 0
    image = sorted(n for n in os.listdir(tree + "/images") if n.endswith(".png"))[0]
    shutil.copy(tree + "/images/" + image, tree + "/images/77_later.png")
    layers = glob.glob(tree + "/groups/*/layers/*/layer.json")
    path, text = next((p, t) for p, t in ((p, get(p)) for p in sorted(layers)) if b'"image": "' in t)
    with open(path, "wb") as f:
        f.write(re.sub(rb'"image": "[^"]*"', b'"image": "77_later"', text))
    r = run("pack", *exact, tree, "--onto", small)
    assert (r.returncode, r.stderr) == (0, b"")
    assert b'_later"' in run("cat", small, os.path.relpath(path, tree)).stdout


def test_pack_ignores_files_that_no_map_takes(box, small):
    tree = os.path.join(box.root, "tree")
    assert run("extract", small, tree).returncode == 0
    os.symlink("/etc/passwd", tree + "/info/link")
    os.symlink("/etc", tree + "/images/dir")
    os.mkfifo(tree + "/groups/fifo")
    os.mkdir(tree + "/.git")
    for name in ("README", ".git/config"):
        with open(os.path.join(tree, name), "w") as f:
            f.write("x")
    new = os.path.join(box.maps, "new.map")
    box.allow("new.map")
    r = run("pack", tree, new)
    assert r.returncode == 5, r
    for word in (b"info/link", b"images/dir", b"groups/fifo", b"README", b".git"):
        assert word in r.stderr, word
    assert b"root:" not in b"".join(f[3] or b"" for f in maps.tree(tree).values())
    assert sorted(box.beside()) == ["new.map"]


def test_pack_with_one_bad_file_makes_nothing(box, small):
    tree = os.path.join(box.root, "tree")
    assert run("extract", "-o", "raw=off", small, tree).returncode == 0
    for name in (first_group(small) + "group.json", "info/author"):
        with open(os.path.join(tree, name), "wb") as f:
            f.write(b"bad\nbad\n")
    before = get(small)
    for args in ([os.path.join(box.maps, "new.map")], ["--onto", small]):
        r = run("pack", tree, *args)
        assert r.returncode == 4 and r.stderr.count(b"tree/") == 2, r
        assert_unchanged(box, small, before)


def test_pack_does_not_overwrite_a_file(box, small):
    before = get(small)
    assert run("pack", box.home, small).returncode == 2
    assert run("pack", box.home, os.path.join(box.maps, "x.none")).returncode == 2
    assert run("pack", os.path.join(box.root, "none"), os.path.join(box.maps, "x.map")).returncode == 2
    assert_unchanged(box, small, before)


def test_by_products_of_the_kit_are_left_out(box):
    tree = os.path.join(box.root, "tree")
    os.makedirs(tree + "/MEDIA/UNITS")
    for name, data in (("A.DAT", archives.text_dat("a")), ("A.DAT.BINDAT", b"compiled")):
        with open(tree + "/MEDIA/UNITS/" + name, "wb") as f:
            f.write(data)
    new = os.path.join(box.maps, "new.mod")
    box.allow("new.mod")
    r = run("pack", tree, new)
    assert r.returncode == 0, r.stderr
    assert run("ls", new, "MEDIA/UNITS").stdout == b"A.DAT\n"


def test_a_new_map_is_complete_or_missing(box, small):
    """After a kill at any call that changes the disk, and after an error of any."""
    tree = os.path.join(box.root, "tree")
    assert run("extract", "-o", "raw=off", small, tree).returncode == 0
    new = os.path.join(box.maps, "new.map")
    fault = box.shim(shims.Fault)
    fault.arm(fault.COUNT, 0)
    assert run("pack", tree, new, env=box.env(fault.env())).returncode == 0
    n, whole = fault.calls(), get(new)
    seen = set()
    for at in range(n):
        for action, ops in ((fault.KILL, fault.ALL), (fault.FAIL, fault.ALL & ~fault.UNLINK)):
            os.path.exists(new) and os.unlink(new)
            fault.arm(action, at, ops, 28)
            r = run("pack", tree, new, env=box.env(fault.env()))
            seen.add((action, os.path.exists(new)))
            assert not os.path.exists(new) or get(new) == whole, (at, action)
            # A failed sync of the directory is reported, and the map exists.
            assert r.returncode in (-9, 0, 2, 4), (at, r)
            for name in box.beside():
                assert name == "new.map" or (action == fault.KILL and name.startswith(".") and ".mapfs-new-" in name), (at, r, fault.trace())
                name == "new.map" or os.unlink(os.path.join(box.maps, name))
    assert len(seen) >= 3 and (fault.KILL, False) in seen
    os.path.exists(new) and os.unlink(new)


def test_a_file_created_meanwhile_is_not_overwritten(box, small):
    tree = os.path.join(box.root, "tree")
    assert run("extract", "-o", "raw=off", small, tree).returncode == 0
    new = os.path.join(box.maps, "new.map")
    box.allow("new.map")
    fault = box.shim(shims.Fault)
    fault.arm(fault.COUNT, ops=fault.RENAME)
    assert run("pack", tree, new, env=box.env(fault.env())).returncode == 0
    n = fault.calls()
    os.unlink(new)
    fault.arm(fault.FAIL, n - 1, fault.RENAME, 17)
    r = run("pack", tree, new, env=box.env(fault.env()))
    assert r.returncode == 2 and b"new.map: cannot be made: File exists\n" in r.stderr, r
    assert box.beside() == []


def test_a_hostile_tree_is_packed_safely_or_refused(box, small):
    """Names and kinds of files that no map has, files larger than any, and endless directories."""
    tree = os.path.join(box.root, "tree")
    assert run("extract", "-o", "raw=off", small, tree).returncode == 0
    deep = os.path.join(tree, "groups", *["d"] * 300)
    os.makedirs(deep)
    with socket.socket(socket.AF_UNIX) as s:
        os.chdir(tree)
        s.bind("images/s.png")
        os.chdir("/")
    if os.geteuid() == 0:
        os.mknod(tree + "/images/zero.png", 0o666 | stat.S_IFCHR, os.makedev(1, 5))
    for name in (b"..x", b"%2e%2e", b"%2e%2e%2fx", b"new\nline", b"-rf", b"$(id)", b"\xff\xfe", b"a" * 255):
        with open(os.path.join(os.fsencode(tree), b"info", name), "wb") as f:
            f.write(b"x")
    before = maps.tree(tree)
    new = os.path.join(box.maps, "new.map")
    box.allow("new.map")
    r = run("pack", tree, new)
    assert r.returncode == 5 and b"images/s.png: ignored" in r.stderr, r
    assert r.stderr.count(b"\n") == r.stderr.count(b"mapfs: ")
    out = os.path.join(box.root, "out")
    assert run("extract", "-o", "raw=off", new, out).returncode == 0
    assert sorted(os.listdir(out + "/info")) == ["author", "credits", "license", "settings.cfg", "version"]
    assert maps.tree(tree) == before and box.beside() == ["new.map"]
    os.unlink(new)
    os.truncate(tree + "/info/settings.cfg", 1 << 40)
    r = run("pack", tree, new)
    assert r.returncode == 4 and b"info/settings.cfg: File too large" in r.stderr, r
    assert box.beside() == []


def test_many_files_are_packed(box):
    tree = os.path.join(box.root, "tree")
    os.makedirs(tree + "/MEDIA")
    for i in range(3000):
        with open(tree + "/MEDIA/%05d.TXT" % i, "w") as f:
            f.write("%d" % i)
    new = os.path.join(box.maps, "new.mod")
    box.allow("new.mod")
    assert run("pack", tree, new).returncode == 0
    assert len(run("ls", new, "MEDIA").stdout.split()) == 3000


def test_objects_named_by_a_layer_of_unknown_type_keep_their_numbers(box):
    b = datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    b.image(b"a", 1, 1, b"\1\2\3\4")
    b.image(b"b", 1, 1, b"\5\6\7\10")
    b.tiles(2, 2, bytes([1, 0, 0, 0]) * 4, flags=1, name="Game")
    b.add(datafile.LAYER, [0, 4, 0, 3, 2, 2, 0, 255, 255, 255, 255, -1, 0, -1, b.blob(b"a mod's own")])
    b.group(0, 2)
    path = box.add(b.encode(), "mod.map")
    r = run("rm", path, "images/0_a.png", text=True, data="")
    assert r.returncode == 0 and "become one byte each" in r.stderr, r
    f = datafile.Datafile.load(path)
    layer = [i for i in f.items if i.type == datafile.LAYER][1]
    assert f.blob(layer.ints[-1]) == b"a mod's own"
    assert [i.ints[1] for i in f.items if i.type == datafile.IMAGE] == [1]


def test_layers_that_share_tiles_are_swapped(box):
    """The swap is possible although `check` reports the shared tiles."""
    b = datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    b.info(b"nobody")
    b.group(0, 3, "Game")
    b.tiles(4, 4, bytes([1, 0, 0, 0]) * 16, flags=1, name="Game")
    for name in "xy":
        b.tiles(4, 4, bytes([2, 0, 0, 0]) * 16, name=name)
    b.items[-1].ints[14] = b.items[-2].ints[14]
    b.add(datafile.ENVPOINTS, [])
    path = box.add(b.encode(), "shared.map")
    layers = "groups/0_Game/layers/"
    assert b"2_y: data item" in run("check", path).stdout
    r = run("mv", path, layers + "2_y", layers + "1_y")
    assert (r.returncode, r.stderr) == (0, b"")
    assert run("ls", path, layers).stdout == b"0_Game\n1_y\n2_x\n"
