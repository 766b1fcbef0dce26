# SPDX-License-Identifier: Zlib
"""Reading: every name, size and byte follows the layout page, and the map stays unchanged."""
import errno
import json
import os
import stat
import subprocess

import pytest

import box as boxes
import datafile
import layout
import places
import words

REAL_MAPS = places.each_debian_map() + places.each_corpus_map()


def expected_tree(m, f):
    """Compare names and kinds in the mount with the layout page, except inside groups and envelopes, and return the
    expected files and the stats of the existing ones."""
    files, dirs = layout.tree(f)
    seen, seen_dirs = m.walk()
    loose = (b"groups/", b"envelopes/")
    seen = {p: st for p, st in seen.items() if not p.startswith(loose)}
    seen_dirs = {p for p in seen_dirs if not p.startswith(loose)}
    assert seen_dirs == dirs
    assert set(seen) == set(files)
    return files, seen


def read_or_errno(path):
    try:
        return boxes.get(path)
    except OSError as e:
        return e.errno


def check_contents(m, files, seen):
    root = os.fsencode(m.point)
    for path, file in files.items():
        st = seen[path]
        assert stat.S_ISREG(st.st_mode), path
        assert st.st_size == file.size, "st_size of %s" % path
        got, want = read_or_errno(os.path.join(root, path)), file.content()
        if want is None:
            assert got == errno.EIO, path
        else:
            assert not isinstance(got, int), (path, os.strerror(got))
            assert got == want, "content of %s" % path


# Real maps that mapfs refuses, and the word that the message must contain.
REFUSED = {
    "2338a02b_TestOut.map": "data_size",  # cut: its sections end 224 bytes behind the end of the file
}


def mount_or_refused(box, path, opts=""):
    """Mount a copy, or check that it is refused with the listed reason; return (Mount, Datafile)."""
    copy = box.add(path)
    if os.path.basename(path) in REFUSED:
        r = box.run(copy, box.point())
        assert r.code == 2 and len(r.err.splitlines()) == 1, r
        assert REFUSED[os.path.basename(path)] in r.err
        assert boxes.get(copy) == boxes.get(path)
        return None, None
    return box.mount(copy, opts), datafile.Datafile.load(copy)


@pytest.mark.parametrize("path", REAL_MAPS)
def test_names_sizes_and_bytes_follow_the_layout_and_reading_changes_nothing(box, path):
    m, f = mount_or_refused(box, path)
    if not m:
        return
    before = os.stat(m.map)
    files, seen = expected_tree(m, f)
    check_contents(m, files, seen)
    m.unmount()
    after = os.stat(m.map)
    assert boxes.get(m.map) == f.raw
    assert (after.st_mtime_ns, after.st_ino) == (before.st_mtime_ns, before.st_ino)


def rewrite_by_cat(path, data):
    boxes.put(path, data)


def rewrite_in_pieces(path, data):
    """Write without truncation, in pieces that match no boundary."""
    fd = os.open(path, os.O_WRONLY)
    try:
        for at in range(0, len(data), 100_003):
            os.pwrite(fd, data[at:at + 100_003], at)
    except BaseException:
        os.close(fd)
        raise
    os.close(fd)


# Tables only up to a size, because a large map has gigabytes of similar ones. (tests/teeworlds checks every file of
# every map, without the kernel.)
@pytest.mark.parametrize("rewrite,most", [(rewrite_by_cat, 4 << 20), (rewrite_in_pieces, 1 << 20)],
                         ids=["at once", "in pieces"])
@pytest.mark.parametrize("path", REAL_MAPS)
def test_rewriting_every_file_with_its_own_content_changes_nothing(box, path, rewrite, most):
    m, f = mount_or_refused(box, path)
    if not m:
        return
    before = os.stat(m.map)
    written, refused = 0, []
    files, _ = m.walk()
    for name, st in sorted(files.items()):
        if not st.st_mode & stat.S_IWUSR or name.startswith(b"raw/"):
            continue
        if name.endswith(b".csv") and st.st_size > most:
            continue
        full = os.path.join(os.fsencode(m.point), name)
        data = read_or_errno(full)
        if isinstance(data, int):
            continue
        try:
            rewrite(full, data)
            written += 1
        except OSError as e:
            refused.append((name, os.strerror(e.errno)))
    assert not refused
    # Files of info can be written, unless the mount has only raw/.
    assert written >= (5 if layout.typed(f) else 0)
    m.unmount()
    after = os.stat(m.map)
    assert boxes.get(m.map) == f.raw
    assert (after.st_mtime_ns, after.st_ino) == (before.st_mtime_ns, before.st_ino)


def test_cp_of_a_copy_onto_every_file_changes_nothing(box):
    copy = box.add(places.debian_map("ddnet/data/maps/Sunny Side Up.map"))
    raw = boxes.get(copy)
    m = box.mount(copy)
    script = """
        cp -a "$1" "$2/copy" || exit 1
        for d in info images sounds; do
            for f in "$2/copy/$d"/*; do cp "$f" "$1/$d/" || exit 1; done
            for f in "$2/copy/$d"/*; do cat "$f" > "$1/$d/${f##*/}" || exit 1; done
        done"""
    r = box.run("-c", script, "sh", m.point, box.root, program="sh")
    assert r.code == 0, r.err
    m.unmount()
    assert boxes.get(copy) == raw


@pytest.mark.skipif(len(places.debian_maps()) == 0, reason=places.NO_MAPS)
def test_all_debian_maps_are_found():
    assert len(places.debian_maps()) == places.DEBIAN_MAPS


def test_odd_names_are_escaped_and_cut_at_whole_characters(box):
    b = datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    names = [b"a/b", b"100%", b"tab\there", b"\xff\xfe", "zeile\u2028ende".encode(),
             "\u202etxt".encode(), b"../up", b".hidden", b" blank ", "ü".encode() * 130,
             b"x" * 247, b"\x01" * 100, b"45_unhookable", b"name.png"]
    for n in names:
        b.external(n)
    m = box.mount(box.add(b.encode()))
    f = datafile.Datafile.load(m.map)
    seen = set(os.listdir(os.fsencode(m / "images")))
    assert seen == {p[len(b"images/"):] for p, _ in layout.image_files(f)}
    # Some literal names, independent of the derivation.
    assert {b"00_a%2Fb.json", b"01_100%25.json", b"02_tab%09here.json", b"03_%FF%FE.json",
            b"04_zeile%E2%80%A8ende.json", b"06_..%2Fup.json", b"12_45_unhookable.json",
            b"13_name.png.json", b"09_" + "ü".encode() * 123 + b".json",
            b"10_" + b"x" * 247 + b".json", b"11_" + b"%01" * 82 + b".json"} <= seen
    m.unmount()


def test_a_map_without_version_1_shows_only_raw(box):
    b = datafile.Builder()
    b.info(b"nobody", settings=[b"sv_test 1"])
    for name, version in (("none.map", None), ("two.map", 2)):
        c = datafile.Builder()
        c.items, c.data = list(b.items), list(b.data)
        if version is not None:
            c.add(datafile.MAP_VERSION, [version])
        m = box.mount(box.add(c.encode(), name))
        assert os.listdir(m.point) == ["raw"]
        m.unmount()


def test_empty_directories_exist_as_targets_for_copies(box):
    b = datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    m = box.mount(box.add(b.encode()))
    for d in ("info", "images", "sounds", "envelopes", "groups", "raw/items", "raw/data"):
        assert os.path.isdir(m / d)
        if os.listdir(m / d):
            assert boxes.refused(os.rmdir, m / d) == errno.ENOTEMPTY
        else:
            os.rmdir(m / d)
            os.mkdir(m / d)
    assert sorted(os.listdir(m / "info")) == ["author", "credits", "license", "settings.cfg",
                                              "version"]
    assert m.get("info/settings.cfg") == b""
    m.unmount()


def test_an_image_that_is_not_rgba_is_shown_as_json(box):
    b = datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    pixels = b.blob(bytes(16 * 16 * 4))
    name = b.blob(b"p\0")
    b.add(datafile.IMAGE, [2, 16, 16, 0, name, pixels, 0])  # RGB
    b.add(datafile.IMAGE, [2, 16, 16, 0, name, pixels, 1])
    b.add(datafile.IMAGE, [1, 16, 16, 0, name, pixels, 77])  # garbage: version 1 has no such field
    b.add(datafile.IMAGE, [1, 17, 16, 0, name, pixels])  # too little data
    b.add(datafile.IMAGE, [1, 0, 0, 0, name, pixels])
    m = box.mount(box.add(b.encode()))
    assert sorted(os.listdir(m / "images")) == ["0_p.json", "1_p.png", "2_p.png", "3_p.json",
                                                "4_p.json"]
    assert m.get("images/0_p.json") == b'{\n  "external": false,\n  "width": 16,\n  "height": 16\n}\n'
    assert boxes.refused(boxes.put, m / "images/0_p.json",
                         b'{"external": 1, "width": 16, "height": 16}') == errno.EINVAL
    os.removexattr(m / "images/0_p.json", "user.mapfs.error")
    m.unmount()


def test_raw_off_hides_raw(small, box):
    m = box.mount(small, "raw=off")
    assert sorted(os.listdir(m.point)) == sorted(layout.TYPED_DIRS)
    m.unmount()


def test_raw_is_read_only_by_default(small, box):
    m = box.mount(small)
    for name in ("raw/data/00000", "raw/items/00001_info/00000"):
        assert boxes.refused(boxes.put, m / name, b"x\n") in (errno.EACCES, errno.EPERM,
                                                              errno.EROFS)
    assert boxes.refused(boxes.put, m / "raw/data/00099", b"x", os.O_WRONLY | os.O_CREAT) in (
        errno.EACCES, errno.EPERM, errno.EROFS)
    m.unmount()


def test_any_range_of_a_png_equals_that_part_of_the_whole(box):
    m = box.mount(box.add(datafile.small_map(image=(333, 222))))
    whole = m.get("images/0_checker.png")
    fd = os.open(m / "images/0_checker.png", os.O_RDONLY)
    # Bypass the page cache, so that mapfs answers each read.
    for at in [0, 7, 8, 32, 33, 41, 43, 48, 65535, 65570, 65583, 131_000, len(whole) - 20]:
        for n in (1, 5, 4096, 70_000):
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            assert os.pread(fd, n, at) == whole[at:at + n]
    os.close(fd)
    m.unmount()


def test_a_long_text_is_shown_completely(box):
    """A file whose size is computed without writing its text: an envelope with more than 256 points, and an item with
    more than 65536 integers."""
    many, few = 11000, 257
    numbers = [n for i in range(many + few) for n in (i, 1, 7 * i, -i, 0, 0)]
    b = datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    b.add(datafile.ENVELOPE, [2, 4, 0, many, *datafile.words("many", 8), 0])
    b.add(datafile.ENVELOPE, [2, 4, many, few, *datafile.words("few", 8), 0])
    b.group(0, 0)
    b.add(datafile.ENVPOINTS, numbers)
    m = box.mount(box.add(b.encode(), "long.map"))
    for path, points in (("envelopes/0_many.json", numbers[:6 * many]), ("envelopes/1_few.json", numbers[6 * many:])):
        size = os.stat(m / path).st_size
        text = m.get(path)
        assert len(text) == size
        got = [n for p in words.numbers(json.loads(text))["points"] for n in (p["time"], p["curve_type"], *p["values"])]
        assert got == points
    raw = "raw/items/00006_envpoints/00000"
    want = b"".join(b"%d\n" % n for n in numbers)
    assert os.stat(m / raw).st_size == len(want)
    assert m.get(raw) == want
    out = os.path.join(box.root, "out")
    subprocess.run(["cp", "-r", m.point, out], check=True)
    assert boxes.get(os.path.join(out, raw)) == want
    m.unmount()


def test_times_modes_and_owner_equal_those_of_the_map(small, box):
    os.chmod(small, 0o640)
    m = box.mount(small)
    for name in ("info/settings.cfg", "images/0_checker.png"):
        st = os.stat(m / name)
        assert stat.S_IMODE(st.st_mode) == 0o640
        assert st.st_mtime_ns == os.stat(small).st_mtime_ns
        assert (st.st_uid, st.st_gid) == (os.stat(small).st_uid, os.stat(small).st_gid)
    st = os.stat(m.point)
    assert stat.S_ISDIR(st.st_mode) and stat.S_IMODE(st.st_mode) == 0o750
    m.unmount()


def test_inode_numbers_are_stable_between_mounts(small, box):
    def numbers():
        m = box.mount(small)
        files, _ = m.walk()
        m.unmount()
        return {p: st.st_ino for p, st in files.items()}
    first = numbers()
    assert first == numbers()
    assert len(set(first.values())) == len(first)


def test_the_control_attributes_are_not_listed(small, box):
    m = box.mount(small)
    assert os.listxattr(m.point) == []
    assert os.listxattr(m / "info/settings.cfg") == []
    m.xattr("", "user.mapfs.status")
    assert boxes.refused(os.getxattr, m / "info/author", "user.mapfs.error") == errno.ENODATA
    m.unmount()


def test_free_space_equals_that_of_the_host(small, box):
    m = box.mount(small)
    there, here = os.statvfs(m.point), os.statvfs(box.maps)
    assert there.f_blocks * there.f_frsize == here.f_blocks * here.f_frsize
    assert there.f_bavail > 0
    assert there.f_namemax == 255
    m.unmount()
