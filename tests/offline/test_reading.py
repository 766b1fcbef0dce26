# SPDX-License-Identifier: Zlib
"""mapfs ls, cat and extract show what a mount shows."""
import os
import stat
import subprocess

import pytest

import archives
import box as boxes
import maps
import places
from box import get
from maps import run


def mount_or_refuse(box, map_, result, opts=""):
    """A mount; or None if mapfs refuses the map, which the command must have refused with the same message."""
    r = box.run(*(["-o", opts] if opts else []), map_, box.point())
    if r.code == 0:
        return boxes.Mount(box, map_, box.point())
    assert (r.code, r.err) == (2, result[-1] if isinstance(result, tuple) else result.stderr)
    return None


@pytest.mark.parametrize("path", maps.each_map())
def test_extract_writes_what_a_mount_shows(box, path):
    map_ = maps.add(box, path)
    out = os.path.join(box.root, "out")
    r = box.run("extract", "-o", "png=stored", map_, out)
    mount = mount_or_refuse(box, map_, r)
    if not mount:
        return
    expected = maps.tree(mount.point)
    lost = [p for p, (_, _, _, content) in expected.items() if isinstance(content, int)]
    for p in lost:  # the mount cannot read the file, which is not at its end
        expected[p] = maps.tree(out)[p]
    maps.assert_same(expected, maps.tree(out))
    assert r.code == (2 if lost else 0), r.err
    mount.unmount()


def test_extract_writes_what_a_mount_of_the_same_png_form_shows(box, small):
    trees = []
    for form in ("stored", "packed"):
        out = os.path.join(box.root, form)
        assert run("extract", "-o", "png=" + form, small, out).returncode == 0
        mount = box.mount(small, "png=" + form)
        trees.append(maps.tree(mount.point))
        maps.assert_same(trees[-1], maps.tree(out))
        mount.unmount()
    stored, packed = trees
    assert [p for p in stored if stored[p] != packed[p]] == [b"images/0_checker.png"]
    plain = os.path.join(box.root, "plain")
    assert run("extract", small, plain).returncode == 0
    maps.assert_same(maps.tree(plain), packed)  # the smaller one


def test_packing_and_comparing_do_not_depend_on_the_png_form(box, small):
    """pack, put, text, diff and merge give the same for both forms, whatever -o says."""
    raw = get(small)
    for form in ("stored", "packed"):
        option, tree = ("-o", "png=" + form), os.path.join(box.root, form)
        assert run("extract", *option, "-o", "raw=off", small, tree).returncode == 0
        packed = os.path.join(box.root, form + ".map")
        assert run("pack", *option, tree, packed).returncode == 0
        assert run("put", *option, small, "images/0_checker.png",
                   tree + "/images/0_checker.png").returncode == 0
        assert get(small) == raw
        assert run("diff", *option, small, packed).returncode == 0
        assert run("text", *option, small).stdout == run("text", small).stdout
        merged = os.path.join(box.root, form + ".merged.map")
        assert run("merge", *option, small, small, small, merged).returncode == 0
        assert get(merged) == raw
    assert get(os.path.join(box.root, "stored.map")) == get(os.path.join(box.root, "packed.map"))


@pytest.mark.parametrize("path", maps.each_map())
def test_ls_lists_what_a_mount_lists(box, path):
    map_ = maps.add(box, path)
    mount = mount_or_refuse(box, map_, run("ls", map_, text=True), "ro")
    for letters in ("", "R") if mount else ():
        listed = run("ls", *(["-" + letters] if letters else []), map_)
        assert listed.returncode == 0, listed.stderr
        assert listed.stdout == maps.output("ls", "-1A" + letters, cwd=mount.point)
    if mount:
        mount.unmount()


@pytest.mark.parametrize("options, shown", ((("ro",), "-r--r--r--"), ((), "-rw-r--r--")), ids=("ro", "rw"))
def test_ls_shows_sizes_permissions_and_times(box, small, options, shown):
    mount = box.mount(small, *options)
    args = [a for o in options for a in ("-o", o)]
    lines = run("ls", "-l", *args, small, "info", env=dict(os.environ, TZ="UTC")).stdout.decode().splitlines()
    assert len(lines) == len(os.listdir(mount / "info"))
    for line in lines:
        mode, size, day, time, name = line.split()
        st = os.stat(mount / "info/" + name)
        assert (mode, int(size)) == (shown, st.st_size) and stat.filemode(st.st_mode) == shown
        assert (day, time) == ("2017-07-14", "02:40")
    mount.unmount()


def test_ls_takes_files_and_patterns(small):
    assert run("ls", small, "info/author", "info/lic*").stdout == b"info/author\ninfo/license\n"
    for path in ("/info/./author", "./inf*/author", "info//./auth*", "inf*/./author"):
        assert run("ls", small, path).stdout == b"info/author\n"
    assert run("ls", small, "info/../info/author").returncode == run("ls", small, "inf*/../info").returncode == 2
    assert run("ls", small, "inf*/author/").returncode == 2
    assert run("ls", small, "./inf*/.").stdout == run("ls", small, "inf*").stdout
    assert run("ls", small, "info/nothing").returncode == 2


def test_cat_prints_files_and_patterns(box, small):
    mount = box.mount(small, "ro")
    both = mount.get("info/author") + mount.get("info/version")
    assert run("cat", small, "info/author", "info/ver?ion").stdout == both
    assert run("cat", small, "inf*/*r*").stdout == b"".join(
        mount.get("info/" + n) for n in sorted(os.listdir(mount / "info")) if "r" in n)
    mount.unmount()


@pytest.mark.parametrize("path, why", [
    ("info", b"info: Is a directory"), ("info/none", b"info/none: No such file"),
    ("../x", b"../x: No such file"), ("info/author/x", b"Not a directory"), ("no*", b"no*: No such file")])
def test_cat_reports_errors(small, path, why):
    r = run("cat", small, path)
    assert (r.returncode, r.stdout) == (2, b"")
    assert r.stderr.startswith(b"mapfs: " + os.fsencode(small) + b": ") and why in r.stderr


def test_cat_continues_after_a_missing_path(small):
    r = run("cat", small, "info/none", "info/author")
    assert r.returncode == 2 and r.stdout == run("cat", small, "info/author").stdout


def test_a_closed_pipe_ends_cat(small):
    p = subprocess.Popen([places.BINARY, "cat", small] + ["info/author"] * 50000, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
    p.stdout.close()
    assert p.wait(60) != 0 and p.stderr.read() == b""
    p.stderr.close()


@pytest.mark.parametrize("args", (["ls", "-R"], ["cat"], ["text"]), ids=lambda a: a[0])
def test_output_that_cannot_be_written_exits_with_2(small, args):
    with open("/dev/full", "wb") as full:
        r = subprocess.run([places.BINARY, *args, small, *(["info/version"] if args == ["cat"] else [])],
                           stdout=full, stderr=subprocess.PIPE, timeout=60)
    assert (r.returncode, r.stderr) == (2, b"mapfs: standard output: No space left on device\n")


def test_wrong_usage_exits_with_1(small):
    for args in (["ls", "-l"], ["cat", small], ["extract", small], ["ls", "-x", small], ["cat", "-o"],
                 ["ls", "-o", "nonsense", small]):
        r = run(*args)
        assert r.returncode == 1 and r.stderr.startswith(b"mapfs: " + args[0].encode()), args
    for name in ("ls", "cat", "extract"):
        r = run(name, "--help")
        assert r.returncode == 0 and r.stdout.startswith(b"Usage: mapfs " + name.encode())


def test_a_file_that_is_no_map_exits_with_2(box):
    for file in (box.add(b"nothing", "a.map"), box.maps, os.path.join(box.maps, "missing.map")):
        for args in (["ls", file], ["cat", file, "x"], ["extract", file, os.path.join(box.root, "o")]):
            r = run(*args)
            assert r.returncode == 2 and r.stderr.count(b"\n") == 1, (args, r.stderr)


def test_commands_take_the_options_of_a_mount(small):
    assert b"raw\n" in run("ls", small).stdout
    assert b"raw\n" not in run("ls", "-o", "raw=off", small).stdout


def test_a_journal_is_reported_and_the_saved_map_is_shown(box, small):
    before = run("cat", small, "info/author").stdout
    mount = box.mount(small)
    mount.put("info/author", b"somebody else\n")
    assert run("cat", small, "info/author").stdout == before
    mount.unmount("--force", "--discard")
    mount = box.mount(small)
    mount.put("info/author", b"somebody else\n")
    box.kill_worker()
    r = run("cat", small, "info/author")
    assert r.stdout == before and b"journal" in r.stderr
    box.allow("*.mapfs-journal-*")


# ---- extract

def test_extract_takes_paths_and_patterns(box, small):
    out = os.path.join(box.root, "out")
    assert run("extract", small, out, "info/a*", "images").returncode == 0
    found = sorted(os.path.relpath(os.path.join(b, f), out) for b, _, fs in os.walk(out) for f in fs)
    assert "info/author" in found
    assert all(f == "info/author" or f.startswith("images/") for f in found)


def test_extract_overwrites_existing_files(box, small):
    out = os.path.join(box.root, "out")
    os.makedirs(out + "/info")
    with open(out + "/info/author", "wb") as f:
        f.write(b"x" * 1000)
    assert run("extract", small, out).returncode == 0
    assert get(out + "/info/author") == run("cat", small, "info/author").stdout
    raw = out + "/raw/items/00000_version/00000"
    assert os.stat(raw).st_mode & 0o222 == 0
    os.chmod(raw, 0o644)
    with open(raw, "wb") as f:
        f.write(b"other")
    os.chmod(raw, 0o444)
    r = run("extract", small, out)
    assert (r.returncode, r.stderr) == (0, b"")
    assert get(raw) == b"1\n" and os.stat(raw).st_mode & 0o222 == 0


@pytest.mark.parametrize("link", ["info", "info/author"])
def test_extract_follows_no_link_out_of_the_directory(box, small, link):
    out, outside = os.path.join(box.root, "out"), os.path.join(box.root, "outside")
    os.makedirs(os.path.dirname(os.path.join(out, link)))
    os.mkdir(outside)
    target = outside if link == "info" else outside + "/file"
    os.symlink(target, os.path.join(out, link))
    r = run("extract", small, out)
    assert r.returncode == 2 and os.fsencode(link) in r.stderr
    assert os.listdir(outside) == []
    assert os.path.isdir(out + "/groups")  # other files are extracted


def test_extract_does_not_wait_for_a_pipe(box, small):
    out = os.path.join(box.root, "out")
    os.makedirs(out + "/info")
    os.mkfifo(out + "/info/author")
    assert run("extract", small, out).returncode == 2


def test_extract_obeys_the_umask(box, small):
    out = os.path.join(box.root, "out")
    subprocess.run(["sh", "-c", 'umask 027; exec "$@"', "sh", places.BINARY, "extract", small, out], check=True)
    assert os.stat(out + "/info/author").st_mode & 0o777 == 0o640
    assert os.stat(out + "/info").st_mode & 0o777 == 0o750


@pytest.mark.parametrize("name", ["../EVIL.TXT", "../../EVIL.TXT", "/EVIL.TXT"])
def test_names_that_lead_out_of_the_directory_are_not_extracted(box, name):
    """An archive with ".." or an absolute path."""
    file = box.add(archives.tlwrite.mod([("MEDIA/", "A.TXT", b"good", False), ("MEDIA/", name, b"evil", False)]), "evil.mod")
    run("extract", file, os.path.join(box.root, "out"))
    assert "EVIL.TXT" not in os.listdir(box.root) + os.listdir("/")


# ---- hostile maps and missing system folders

@pytest.mark.parametrize("path", places.each_crafted_map("ok", "bad", "quirk"))
def test_crafted_maps_end_with_a_code(box, path):
    out = os.path.join(box.root, "out")
    costly = "bomb" in path or "3000_groups" in path
    for args in (["ls", "-lR", path], ["extract", path, out, *(["info"] if costly else [])]):
        assert run(*args).returncode in (0, 2), args


def test_extract_works_in_a_chroot_without_dev_and_proc(box, small, root):
    top, jailed = maps.jail(box, small)
    assert jailed("cat", "/data/small.map", "info/author").stdout == run("cat", small, "info/author").stdout
    r = jailed("extract", "/data/small.map", "/data/out")
    assert (r.returncode, r.stderr) == (0, b"")
    assert os.path.isfile(top + "/data/out/info/author")


def test_a_large_directory_is_extracted_completely(box):
    names = ["%05d.TXT" % i for i in range(10000)]
    file = box.add(archives.tlwrite.mod([("MEDIA/", n, b"", False) for n in names]), "many.mod")
    assert run("ls", file, "MEDIA").stdout.decode().split() == names
