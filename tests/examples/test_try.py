# SPDX-License-Identifier: Zlib
"""The first steps of a user: contrib/try, and the session in README."""
import os
import re

import pytest

import datafile
import parts
import picture
import places

TRY = os.path.join(places.SOURCE, "contrib", "try")
BUILD = os.path.dirname(os.path.dirname(places.BINARY))


@pytest.fixture
def run_try(box):
    """Run contrib/try in the box, without building, and return (exit code, output, errors)."""
    env = {"MAPFS_BINARY": places.BINARY, "MAPFS_BUILD": box.home}
    return lambda *args: box.run(*args, program=TRY, env=env)


def commands(text):
    """The lines to paste."""
    return re.findall(r"^    (.*)$", text, re.M)


def test_try_copies_a_map_and_prints_working_commands(box, run_try):
    path = box.add(places.debian_map("ddnet/data/maps/Tutorial.map"), "It's one.map")
    before = open(path, "rb").read()
    r = run_try(path)
    assert r.code == 0 and not r.err, r
    listed = re.findall(r"^\w+/.*$", r.out, re.M)
    assert listed[0].startswith("images/") and not any(p.startswith("raw/") for p in listed)
    point = re.search(r" is mounted at (.*):$", r.out, re.M).group(1)
    files = sum(len(names) for top, _, names in os.walk(point) if "/raw" not in top)
    assert "... and %d more files." % (files - len(listed)) in r.out
    assert run_try(path).out.startswith("It is mounted already.")
    change, save, path_line = commands(r.out)
    assert box.run("-euc", "\n".join((change, path_line, save, "command -v mapfs")), program="sh").code == 0
    assert open(path, "rb").read() == before
    copy = os.path.join(box.home, "build", "try", "It's one.map")
    assert parts.settings(copy) == parts.settings(path) + b"tune gravity 0.25\0"
    assert "from an earlier try" in run_try(path).out
    assert box.run("-euc", save, program="sh").code == 0


def test_try_without_a_map_uses_a_demo(box, run_try):
    if not os.path.exists(os.path.join(BUILD, "contrib", "demo-map")):
        pytest.skip("demo-map is not built")
    r = run_try()
    assert r.code == 0 and "images/0_bricks.png\n" in r.out, r
    assert box.run("-euc", commands(r.out)[1], program="sh").code == 0


@pytest.mark.parametrize("args,code", [(["/"], 2), (["no.map"], 2), (["--help"], 1), (["a", "b"], 1)])
def test_try_refuses_unusable_input_in_one_line(box, run_try, args, code):
    r = run_try(*args)
    assert r.code == code and len(r.err.splitlines()) == 1 and not r.out, r


BLOCK = re.compile(r"^```(sh)?\n(.*?)^```$", re.M | re.S)


def blocks_of(page):
    """The [commands, output or None] of each code block."""
    found = []
    with open(os.path.join(places.SOURCE, page)) as f:
        for kind, text in BLOCK.findall(f.read()):
            if kind:
                found.append([text, None])
            else:
                found[-1][1] = text
    return found


def gimp_path(box):
    """A directory for PATH with a gimp that writes another picture, because no user is here to paint."""
    folder = os.path.join(box.root, "bin")
    os.mkdir(folder)
    with open(os.path.join(folder, "painted.png"), "wb") as f:
        f.write(picture.png(16, 16, bytes((200, 100, 50, 255)) * 256))
    with open(os.path.join(folder, "gimp"), "w") as f:
        f.write('#!/bin/sh\ncat "%s/painted.png" >"$1"\n' % folder)
    os.chmod(f.name, 0o755)
    return folder


def test_the_commands_of_the_tour_work(box):
    places.debian_map("ddnet/data/maps/Gold Mine.map")
    blocks = blocks_of("docs/tour.md")
    script = "\n".join(text + "printf '\\001'" for text, _ in blocks)
    assert len(blocks) > 8
    box.allow("*")
    r = box.run("-euc", script, program="sh", cwd=box.maps,
                env={"PATH": ":".join((gimp_path(box), os.path.dirname(places.BINARY), os.environ["PATH"]))})
    assert r.code == 0, r
    printed = r.out.split("\001")
    assert printed.pop() == "" and len(printed) == len(blocks)
    for (_, expected), out in zip(blocks, printed):
        assert expected is None or out == expected
    assert os.path.getsize(os.path.join(box.maps, "gold.png")) > 1000
    f = datafile.Datafile.load(os.path.join(box.maps, "gold.map"))
    assert f.blob(f.of_type(datafile.INFO)[0].ints[5]) == b"tune gravity 0.45\0sv_hit 0\0"


def test_the_session_in_readme_works(box):
    if not os.path.exists(os.path.join(BUILD, "contrib", "demo-map")):
        pytest.skip("demo-map is not built")
    with open(os.path.join(places.SOURCE, "README.md")) as f:
        session, printed = re.findall(r"^```\n(.*?)^```$", f.read().split("## A session")[1], re.M | re.S)[:2]
    os.symlink(BUILD, os.path.join(box.maps, "build"))
    box.allow("build", "demo.map", "mnt")
    r = box.run("-euc", session, program="sh", cwd=box.maps,
                env={"PATH": gimp_path(box) + ":" + os.environ["PATH"]})
    assert r.code == 0 and not r.err, r
    assert r.out == printed
    f = datafile.Datafile.load(os.path.join(box.maps, "demo.map"))
    assert f.blob(f.of_type(datafile.INFO)[0].ints[5]).endswith(b"\0tune gravity 0.25\0")
