# SPDX-License-Identifier: Zlib
"""mapfs grep finds in many maps what grep -r finds in their mounts."""
import os
import shutil
import subprocess

import pytest

import datafile
import maps
import places
import shims
from maps import run


@pytest.fixture
def folder_of_maps(box):
    """A folder of maps, some in subfolders, and files that must not be read."""
    top = os.path.join(box.root, "maps of all")
    os.makedirs(top + "/below/deep")
    for i, p in enumerate(maps.each_map(200_000)):
        if p.values[0]:
            path = p.values[0]
            for end in ("", ".MAN"):
                if os.path.exists(path + end):
                    shutil.copy(path + end, os.path.join(top, ("", "below", "below/deep")[i % 3],
                                                         "%d_%s" % (i, os.path.basename(path + end))))
    for i in range(6):  # few of Debian's maps have texts
        with open(os.path.join(top, ("", "below", "below/deep")[i % 3], "small%d.map" % i), "wb") as f:
            f.write(datafile.small_map())
    one = box.add(os.path.join(top, sorted(n for n in os.listdir(top) if n.endswith(".map"))[0]))
    os.symlink(one, top + "/link.map")
    shutil.copy(one, top + "/.hidden.map")
    shutil.copy(one, top + "/a.map.mapfs-conflict")
    with open(top + "/notes.txt", "w") as f:
        f.write("sv_ sv_ sv_\n")
    return top


@pytest.mark.parametrize("options, pattern", [
    ((), "sv_"), (("-n",), "a"), (("-i",), "SV_"), (("-l",), "^[a-z]"), (("-c",), "o"), (("-E",), "(tune|sv)_.+"),
    (("-ni",), "no such text anywhere"), (("-n",), ""), (("-n",), "o$")])
def test_grep_finds_what_grep_finds_in_a_tree(box, folder_of_maps, options, pattern):
    tree = os.path.join(box.root, "tree")
    wrong = False
    for base, _, names in os.walk(folder_of_maps):
        for name in names:
            path = os.path.join(base, name)
            if name.lower().endswith((".map", ".mod", ".pak", ".tcm")) and name[0] != "." and not os.path.islink(path):
                out = os.path.join(tree, os.path.relpath(path, box.root))
                os.makedirs(out)
                for p in ("info", "info.json", ".mod"):
                    run("extract", path, out, p)
                wrong |= run("ls", path).returncode != 0
    r = run("grep", *options, pattern, "maps of all", cwd=box.root)
    g = subprocess.run(["grep", "-ra", *options, pattern, "maps of all"], cwd=tree, capture_output=True,
                       env=dict(os.environ, LC_ALL="C"))
    assert sorted(r.stdout.splitlines()) == sorted(g.stdout.splitlines())
    assert r.returncode == (2 if wrong else g.returncode)


def test_output_is_in_the_order_of_the_maps(box, folder_of_maps):
    r = run("grep", "-l", "", "maps of all", cwd=box.root)
    lines = [line.split(b"/info")[0].split(b"/.mod")[0] for line in r.stdout.splitlines()]
    assert len(set(lines)) > 3 and lines == sorted(lines)


def test_paths_after_a_file_are_searched_as_cat_prints_them(box, small):
    r = run("grep", "sv_", small, "info/settings.cfg")
    assert (r.returncode, r.stdout) == (0, small.encode() + b"/info/settings.cfg:sv_deepfly 0\n")
    r = run("grep", "-c", "x_offset", small, "groups/*/group.json", "info/author")
    assert r.returncode == 0 and r.stdout.count(b"group.json:1\n") > 0 and b"info/author:0\n" in r.stdout
    r = run("grep", "sv_", small, "info/none")
    assert r.returncode == 2 and b"info/none: No such file or directory" in r.stderr
    # An existing name is a map; paths are given with --in.
    r = run("grep", "sv_", small, small)
    assert r.stdout.count(b"sv_deepfly 0\n") == 2
    r = run("grep", "sv_", "--in", "info/*", small, "info/settings.cfg")
    assert r.returncode == 2 and b"info/settings.cfg: No such file or directory" in r.stderr


def test_other_files_are_searched_when_they_are_named(box, small):
    r = run("grep", "-l", "external", "--in", "images/*.json", "--in", "nothing/*", small)
    assert r.returncode in (0, 1)
    assert all(b"/images/" in line for line in r.stdout.splitlines())
    r = run("grep", "-c", "x", "--in", "groups/*/group.json", small)
    assert r.stdout.count(b"group.json:") == len(run("ls", small, "groups").stdout.splitlines())


def test_grep_inflates_only_searched_files(box, small):
    counter = box.shim(shims.Inflate)
    run("cat", small, "info/settings.cfg", env=box.env(counter.env()))
    settings = sum(n for n, _ in counter.streams())
    counter.reset()
    assert run("grep", "sv_", small, env=box.env(counter.env())).returncode == 0
    texts = sum(len(run("cat", small, "info/" + n).stdout) + 1
                for n in ("author", "version", "credits", "license"))
    assert sum(n for n, _ in counter.streams()) <= settings + texts


def test_exit_codes_are_those_of_grep(box, small):
    assert run("grep", "sv_", small).returncode == 0
    assert run("grep", "no such thing", small).returncode == 1
    broken = box.add(b"DATA of nothing", "broken.map")
    r = run("grep", "sv_", broken, small)
    assert r.returncode == 2 and r.stdout and r.stderr.count(b"\n") == 1
    for args in (["grep", "x"], ["grep", "\\(", small], ["grep", "-z", "x", small],
                 ["grep", "x", os.path.join(box.maps, "none.map")]):
        r = run(*args)
        assert r.returncode == 2 and r.stderr.count(b"\n") == 1, (args, r)
    assert run("grep", "--help").returncode == 0


@pytest.mark.parametrize("options, pattern, why", [
    (["-E"], "()(\\1\\1)*", "back references are not supported"),
    ([], "\\(a\\)\\1", "back references are not supported"),
    (["-E"], "(.*)" * 10 + "\\1\\2\\3", "back references are not supported"),
    (["-E"], "(((a{1,255}){1,255}){1,255})", "the expression is too large"),
    (["-E"], "a" * 20_000, "the expression is too large"),
    (["-E"], "(" * 100_000, "too many nested parentheses")],
    ids=["groups", "basic", "many", "counts", "long", "deep"])
def test_a_pattern_that_cannot_be_matched_in_bounds_is_refused(small, options, pattern, why):
    r = run("grep", *options, pattern, small)
    assert (r.returncode, r.stdout) == (2, b"")
    assert r.stderr == f"mapfs: grep: {pattern[:200]}: {why} (see mapfs help grep)\n".encode()


def test_an_unreadable_folder_is_named_with_its_path(box, small, root):
    top, inside = maps.jail(box, small)
    os.makedirs(top + "/data/below/shut")
    os.chmod(top + "/data/below/shut", 0)
    for command in (["grep", "no such thing"], ["check"]):
        r = inside(*command, "/data")
        assert (r.returncode, r.stderr) == (2, b"mapfs: /data/below/shut: Permission denied\n")


@pytest.mark.parametrize("limit", ["-n", "-Sn"])
def test_grep_reads_more_maps_than_it_has_descriptors(box, limit):
    """In one folder always, otherwise up to the hard limit."""
    names = ["%03d.map" % i if limit == "-n" else "%03d/a.map" % i for i in range(100)]
    top = os.path.join(box.root, "many")
    for name in names:
        os.makedirs(os.path.dirname(os.path.join(top, name)), exist_ok=True)
        with open(os.path.join(top, name), "wb") as f:
            f.write(datafile.small_map())
    for args, line in ((["grep", "--in", "info/version", ""], "%s/info/version:1.0\n"), (["check"], "")):
        r = subprocess.run(["/bin/sh", "-c", 'ulimit %s 64; exec "$@"' % limit, "sh", places.BINARY, *args, *names],
                           cwd=top, capture_output=True, text=True, timeout=60)
        assert (r.stderr, r.returncode) == ("", 0)
        assert r.stdout == "".join(line % n for n in names if line)
