# SPDX-License-Identifier: Zlib
"""merge: maps of two files, a PAK and its MAN, become one of two, or nothing is written."""
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
def three(box):
    """The paths of base, ours, theirs and out; nothing stands at the last."""
    for name in "bot":
        for ending, data in zip((".PAK", ".PAK.MAN"), folder.pair()):
            box.add(data, name + ending)
    box.allow("out.*")
    return [os.path.join(box.maps, name + ".PAK") for name in ("b", "o", "t", "out")]


def pair(path):
    return get(path), get(path + ".MAN")


def merge(*paths, code=0, **kw):
    r = run("merge", *paths, **kw)
    assert r.returncode == code, (r.returncode, r.stderr)
    return r.stderr.decode()


def cat(path, name):
    return good("cat", path, name).stdout


def test_both_sides_files_are_in_both_files(three):
    _, o, t, out = three
    good("put", o, "MEDIA/OURS.TXT", input=b"ours\n")
    good("put", t, "MEDIA/THEIRS.TXT", input=b"theirs\n")
    merge(*three)
    assert [cat(out, "MEDIA/%s.TXT" % n) for n in ("OURS", "THEIRS", "README")] == [b"ours\n", b"theirs\n", b"hello\n"]
    assert good("check", out).stdout == b""
    # As another reader finds them.
    assert {"OURS.TXT", "THEIRS.TXT", "README.TXT"} <= {
        e["name"] for _, entries in tlread.manifest(get(out + ".MAN"))["dirs"] for e in entries}
    new = pair(out)
    merge(*three)
    assert pair(out) == new
    merge(*three[:3], o)
    assert pair(o) == new


def test_what_one_side_changed_is_that_side_to_the_byte(three):
    b, o, t, out = three
    good("put", t, "MEDIA/THEIRS.TXT", input=b"theirs\n")
    for args, result in (((b, b, t), t), ((b, t, b), t), ((b, t, t), t), ((b, b, b), b)):
        merge(*args, out)
        assert pair(out) == pair(result)


def test_a_conflict_keeps_ours(three):
    _, o, t, out = three
    good("put", o, README, input=b"ours\n")
    good("put", t, README, input=b"theirs\n")
    assert README + ": changed by both" in merge(*three, code=1)
    assert cat(out, README) == b"ours\n" and get(out + ".mapfs-left/" + README) == b"theirs\n"


def test_the_second_file_keeps_the_name_that_it_has(three):
    _, o, t, out = three
    os.rename(o + ".MAN", o[:-4] + ".man")
    good("put", o, "MEDIA/OURS.TXT", input=b"ours\n")
    good("put", t, "MEDIA/THEIRS.TXT", input=b"theirs\n")
    merge(*three[:3], o)
    assert cat(o, "MEDIA/THEIRS.TXT") == b"theirs\n" and not os.path.exists(o + ".MAN")
    os.rename(o[:-4] + ".man", o + ".MAN")


def test_what_cannot_be_two_files_is_refused_and_nothing_is_written(box, three):
    b, _, t, out = three
    good("put", t, README, input=b"theirs\n")
    assert "no name for a map of two files" in merge(b, b, t, out[:-4] + ".foo", code=130)
    lone = box.add(get(b), "lone.PAK")
    for args in ((lone, b, t), (b, lone, t), (b, b, lone)):
        assert "lone.PAK.MAN is not beside it" in merge(*args, out, code=130)
    box.add(b"not this map's\n", "out.PAK.MAN")
    assert "out.PAK.MAN is there already" in merge(b, b, t, out, code=130)
    assert get(out + ".MAN") == b"not this map's\n" and box.beside() == []


def finish(box, path):
    """What was cut short while both files got their names is finished by whoever writes next; was it?"""
    if not os.path.exists(os.path.join(box.maps, "." + os.path.basename(path) + ".mapfs-pair")):
        return False
    assert "was cut short" in merge(path, path, path, path, code=130)
    good("put", path, README, input=b"hello\n")
    return True


def test_killed_at_any_write_both_files_are_old_or_new(box, three):
    b, o, t, _ = three
    good("put", o, "MEDIA/OURS.TXT", input=b"ours\n")
    good("put", t, "MEDIA/THEIRS.TXT", input=b"theirs\n")
    before, seen = pair(o), set()
    fault = box.shim(shims.Fault)

    def merge_with(action, at=0):
        fault.arm(action, at)
        return run("merge", b, o, t, o, env=box.env(fault.env())), fault.calls()

    def restore():
        for path, data in zip((o, o + ".MAN"), before):
            with open(path, "wb") as f:
                f.write(data)
    r, n = merge_with(fault.COUNT)
    after = pair(o)
    assert r.returncode == 0 and n > 5 and after != before, r.stderr
    for at in range(n):
        restore()
        r, _ = merge_with(fault.KILL, at)
        assert r.returncode < 0, at
        finish(box, o)
        assert pair(o) in (before, after), at
        seen.add(pair(o))
        restore()
        merge(b, o, t, o)
        assert pair(o) == after and box.beside() == [], (at, box.beside())
    assert seen == {before, after}


def test_a_write_that_fails_changes_neither_file(box, three):
    b, o, t, _ = three
    good("put", o, "MEDIA/OURS.TXT", input=b"ours\n")
    good("put", t, "MEDIA/THEIRS.TXT", input=b"theirs\n")
    merge(*three)
    before, after, seen = pair(o), pair(three[3]), set()
    fault = box.shim(shims.Fault)
    for at in range(200):
        fault.arm(fault.FAIL, at, error=errno.ENOSPC)
        r = run("merge", b, o, t, o, env=box.env(fault.env()))
        seen.add(r.returncode)
        stands = finish(box, o)
        assert r.returncode == 0 or r.returncode >= 129 and r.stderr and (stands or pair(o) == before), (at, r)
        assert pair(o) in (before, after)
        for path, data in zip((o, o + ".MAN"), before):
            with open(path, "wb") as f:
                f.write(data)
        if at > fault.calls():
            break
    assert 0 in seen and len(seen) > 1 and box.beside() == ["out.PAK", "out.PAK.MAN"]
