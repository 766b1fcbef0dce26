# SPDX-License-Identifier: Zlib
"""mapfs merge joins maps of two files (a PAK and its MAN) into two files, or writes nothing."""
import errno
import os

import pytest

import folder
import shims
import tlread
from box import get
from maps import good, run

README = "MEDIA/README.TXT"


@pytest.fixture
def four_paths(box):
    """The paths of base, ours, theirs and out; out does not exist."""
    for name in "bot":
        for ending, data in zip((".PAK", ".PAK.MAN"), folder.pair()):
            box.add(data, name + ending)
    box.allow("out.*")
    return [os.path.join(box.maps, name + ".PAK") for name in ("b", "o", "t", "out")]


def read_pair(path):
    return get(path), get(path + ".MAN")


def merge(*paths, code=0, **kw):
    r = run("merge", *paths, **kw)
    assert r.returncode == code, (r.returncode, r.stderr)
    return r.stderr.decode()


def cat(path, name):
    return good("cat", path, name).stdout


def test_files_of_both_sides_are_in_both_output_files(four_paths):
    _, o, t, out = four_paths
    good("put", o, "MEDIA/OURS.TXT", input=b"ours\n")
    good("put", t, "MEDIA/THEIRS.TXT", input=b"theirs\n")
    merge(*four_paths)
    assert [cat(out, "MEDIA/%s.TXT" % n) for n in ("OURS", "THEIRS", "README")] == [b"ours\n", b"theirs\n", b"hello\n"]
    assert good("check", out).stdout == b""
    # An independent reader finds the same files.
    assert {"OURS.TXT", "THEIRS.TXT", "README.TXT"} <= {
        e["name"] for _, entries in tlread.manifest(get(out + ".MAN"))["dirs"] for e in entries}
    new = read_pair(out)
    merge(*four_paths)
    assert read_pair(out) == new
    merge(*four_paths[:3], o)
    assert read_pair(o) == new


def test_a_map_that_one_side_changed_is_taken_byte_by_byte(four_paths):
    b, o, t, out = four_paths
    good("put", t, "MEDIA/THEIRS.TXT", input=b"theirs\n")
    for args, result in (((b, b, t), t), ((b, t, b), t), ((b, t, t), t), ((b, b, b), b)):
        merge(*args, out)
        assert read_pair(out) == read_pair(result)


def test_a_conflict_keeps_ours(four_paths):
    _, o, t, out = four_paths
    good("put", o, README, input=b"ours\n")
    good("put", t, README, input=b"theirs\n")
    assert README + ": changed by both" in merge(*four_paths, code=1)
    assert cat(out, README) == b"ours\n" and get(out + ".mapfs-left/" + README) == b"theirs\n"


def test_the_companion_keeps_its_name(four_paths):
    _, o, t, out = four_paths
    os.rename(o + ".MAN", o[:-4] + ".man")
    good("put", o, "MEDIA/OURS.TXT", input=b"ours\n")
    good("put", t, "MEDIA/THEIRS.TXT", input=b"theirs\n")
    merge(*four_paths[:3], o)
    assert cat(o, "MEDIA/THEIRS.TXT") == b"theirs\n" and not os.path.exists(o + ".MAN")
    os.rename(o[:-4] + ".man", o + ".MAN")


def test_an_output_without_companion_is_refused_and_nothing_is_written(box, four_paths):
    b, _, t, out = four_paths
    good("put", t, README, input=b"theirs\n")
    assert "invalid name for a map of two files" in merge(b, b, t, out[:-4] + ".foo", code=130)
    lone = box.add(get(b), "lone.PAK")
    for args in ((lone, b, t), (b, lone, t), (b, b, lone)):
        assert "lone.PAK.MAN is missing" in merge(*args, out, code=130)
    box.add(b"not this map's\n", "out.PAK.MAN")
    assert "out.PAK.MAN already exists" in merge(b, b, t, out, code=130)
    assert get(out + ".MAN") == b"not this map's\n" and box.beside() == []


def finish_by_write(box, path):
    """Let the next writer finish an interrupted rename of both files; returns whether there was one."""
    if not os.path.exists(os.path.join(box.maps, "." + os.path.basename(path) + ".mapfs-pair")):
        return False
    assert "was interrupted" in merge(path, path, path, path, code=130)
    good("put", path, README, input=b"hello\n")
    return True


def test_after_a_kill_at_any_write_both_files_are_old_or_new(box, four_paths):
    b, o, t, _ = four_paths
    good("put", o, "MEDIA/OURS.TXT", input=b"ours\n")
    good("put", t, "MEDIA/THEIRS.TXT", input=b"theirs\n")
    before, seen = read_pair(o), set()
    fault = box.shim(shims.Fault)

    def merge_with(action, at=0):
        fault.arm(action, at)
        return run("merge", b, o, t, o, env=box.env(fault.env())), fault.calls()

    def restore():
        for path, data in zip((o, o + ".MAN"), before):
            with open(path, "wb") as f:
                f.write(data)
    r, n = merge_with(fault.COUNT)
    after = read_pair(o)
    assert r.returncode == 0 and n > 5 and after != before, r.stderr
    for at in range(n):
        restore()
        r, _ = merge_with(fault.KILL, at)
        assert r.returncode < 0, at
        finish_by_write(box, o)
        assert read_pair(o) in (before, after), at
        seen.add(read_pair(o))
        restore()
        merge(b, o, t, o)
        assert read_pair(o) == after and box.beside() == [], (at, box.beside())
    assert seen == {before, after}


def test_a_failed_write_changes_neither_file(box, four_paths):
    b, o, t, _ = four_paths
    good("put", o, "MEDIA/OURS.TXT", input=b"ours\n")
    good("put", t, "MEDIA/THEIRS.TXT", input=b"theirs\n")
    merge(*four_paths)
    before, after, seen = read_pair(o), read_pair(four_paths[3]), set()
    fault = box.shim(shims.Fault)
    for at in range(200):
        fault.arm(fault.FAIL, at, error=errno.ENOSPC)
        r = run("merge", b, o, t, o, env=box.env(fault.env()))
        seen.add(r.returncode)
        stands = finish_by_write(box, o)
        assert r.returncode == 0 or r.returncode >= 129 and r.stderr and (stands or read_pair(o) == before), (at, r)
        assert read_pair(o) in (before, after)
        for path, data in zip((o, o + ".MAN"), before):
            with open(path, "wb") as f:
                f.write(data)
        if at > fault.calls():
            break
    assert 0 in seen and len(seen) > 1 and box.beside() == ["out.PAK", "out.PAK.MAN"]
