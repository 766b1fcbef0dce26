# SPDX-License-Identifier: Zlib
"""Times that programs set on mounted files: they are the archive's, to 100 ns."""
import errno
import os
import shutil
import time

import pytest

from archives import Archive, dat, small_mod, text_dat
from shims import Fault
from tlbox import program, run, sync

EPOCH = 116444736000000000  # 1970, in 100 ns since 1601
WHEN = 1234567890123456700  # ns
STAMP = "2009-02-13T23:31:30.1234567Z"


def filetime(ns):
    return EPOCH + ns // 100


def outside(box, content, name="a.dat"):
    path = os.path.join(box.home, name)
    with open(path, "wb") as f:
        f.write(content)
    os.utime(path, ns=(WHEN, WHEN))
    return path


def small(box):
    return box.mount(box.add(small_mod(), "S.MOD"))


def check(m, full="MEDIA/UNITS/A.DAT", ns=WHEN, content=None):
    """Also after a remount."""
    m.unmount()
    a = Archive(m.map)
    assert a.times[full] == filetime(ns)
    if content is not None:
        assert a.one(full) == content
    m = m.box.mount(m.map)
    assert os.stat(m / full).st_mtime_ns == ns
    m.unmount()
    return a


def test_touch_changes_the_time_and_nothing_else(box):
    m = small(box)
    before = Archive(m.map)
    run("touch", "-d", STAMP, m / "MEDIA/UNITS/A.DAT")
    a = check(m)
    assert a.section == before.section and a.order == before.order
    assert {f for f in a.times if a.times[f] != before.times[f]} == {"MEDIA/UNITS/A.DAT"}


def test_a_time_alone_is_told(box):
    m = small(box)
    os.utime(m / "MEDIA/UNITS/A.DAT", ns=(WHEN, WHEN))
    status = box.run("status", m.point)
    assert "MEDIA/UNITS/A.DAT" in status.out
    assert "saved: MEDIA/UNITS/A.DAT" in m.unmount().out


def test_the_time_that_was_set_last_counts(box):
    m = small(box)
    os.utime(m / "MEDIA/UNITS/A.DAT", ns=(5, 5))
    os.utime(m / "MEDIA/UNITS/A.DAT", ns=(WHEN, WHEN))
    check(m)


def test_cp_p_keeps_the_time(box):
    m = small(box)
    run("cp", "-p", outside(box, dat("new", 3)), m / "MEDIA/UNITS/A.DAT")
    check(m, content=dat("new", 3))


def test_cp_p_of_a_text_that_is_new_keeps_the_time(box):
    m = small(box)
    run("cp", "-p", outside(box, text_dat("new", 3)), m / "MEDIA/UNITS/new.dat")
    check(m, "MEDIA/UNITS/NEW.DAT")


def test_rsync_keeps_the_time(box):
    m = small(box)
    run(program("rsync"), "-a", outside(box, dat("new", 3)), m / "MEDIA/UNITS/A.DAT")
    check(m, content=dat("new", 3))


def test_rsync_of_the_same_bytes_changes_the_time_alone(box):
    m = small(box)
    run(program("rsync"), "-aI", outside(box, dat("a")), m / "MEDIA/UNITS/A.DAT")
    check(m, content=dat("a"))


def test_tar_keeps_the_time(box):
    os.makedirs(os.path.join(box.home, "MEDIA/UNITS"))
    for name, content in (("A.DAT", dat("new", 3)), ("NEW.OGG", b"sound")):
        outside(box, content, "MEDIA/UNITS/" + name)
    run("tar", "cf", "t.tar", "MEDIA/UNITS/A.DAT", "MEDIA/UNITS/NEW.OGG", cwd=box.home)
    m = small(box)
    # What tar has to whole seconds is whole seconds.
    run("tar", "xf", os.path.join(box.home, "t.tar"), "-C", m.point)
    a = check(m, ns=WHEN // 10**9 * 10**9, content=dat("new", 3))
    assert a.times["MEDIA/UNITS/NEW.OGG"] == filetime(WHEN // 10**9 * 10**9)


def test_a_later_write_has_its_own_time(box):
    begin = time.time_ns()
    m = small(box)
    os.utime(m / "MEDIA/UNITS/A.DAT", ns=(WHEN, WHEN))
    m.put("MEDIA/UNITS/A.DAT", dat("later", 4))
    m.unmount()
    assert Archive(m.map).times["MEDIA/UNITS/A.DAT"] >= filetime(begin) - 10**7


def test_a_later_write_of_a_text_has_its_own_time(box):
    begin = time.time_ns()
    m = small(box)
    os.utime(m / "MEDIA/UNITS/A.DAT", ns=(WHEN, WHEN))
    m.put("MEDIA/UNITS/A.DAT", text_dat("later", 4))
    m.unmount()
    assert Archive(m.map).times["MEDIA/UNITS/A.DAT"] >= filetime(begin) - 10**7


def test_a_time_set_after_a_save_is_saved_too(box):
    m = small(box)
    os.utime(m / "MEDIA/UNITS/A.DAT", ns=(5, 5))
    sync(m)
    assert Archive(m.map).times["MEDIA/UNITS/A.DAT"] == filetime(0)
    os.utime(m / "MEDIA/UNITS/A.DAT", ns=(WHEN, WHEN))
    check(m)


def test_the_time_that_a_file_has_already_changes_nothing(box):
    m = small(box)
    before, ino = open(m.map, "rb").read(), os.stat(m.map).st_ino
    st = os.stat(m / "MEDIA/UNITS/A.DAT")
    os.utime(m / "MEDIA/UNITS/A.DAT", ns=(st.st_atime_ns, st.st_mtime_ns))
    m.put("MEDIA/UNITS/B.DAT", m.get("MEDIA/UNITS/B.DAT"))
    m.unmount()
    assert open(m.map, "rb").read() == before and os.stat(m.map).st_ino == ino


def test_what_an_archive_keeps_of_a_finer_time_is_the_same_time(box):
    """A tree that is packed onto what was made of it changes nothing, and is not said to."""
    tree, path = os.path.join(box.home, "tree"), os.path.join(box.maps, "NEW.MOD")
    os.makedirs(tree + "/MEDIA")
    outside(box, text_dat("a"), "tree/MEDIA/A.DAT")
    os.utime(tree + "/MEDIA/A.DAT", ns=(WHEN + 89, WHEN + 89))
    assert box.run("pack", tree, path).code == 0
    box.allow("NEW.MOD")
    before = os.stat(path).st_ino
    r = box.run("pack", "-v", tree, "--onto", path)
    assert (r.code, r.out, os.stat(path).st_ino) == (0, "", before)
    m = box.mount(path)
    os.utime(m / "MEDIA/A.DAT", ns=(WHEN + 89, WHEN + 89))
    assert m.unmount().out == ""
    assert Archive(path).times["MEDIA/A.DAT"] == filetime(WHEN)


def test_the_time_goes_with_a_renamed_file(box):
    m = small(box)
    os.utime(m / "MEDIA/UNITS/A.DAT", ns=(WHEN, WHEN))
    os.rename(m / "MEDIA/UNITS/A.DAT", m / "MEDIA/moved.dat")
    check(m, "MEDIA/MOVED.DAT")


def test_a_save_that_fails_tells_of_a_journal_only_where_there_is_one(box):
    shim = box.shim(Fault)
    m = box.mount(box.add(small_mod(), "S.MOD"), shim=shim)
    run("touch", "-d", STAMP, m / "MEDIA/UNITS/A.DAT")
    shim.arm(Fault.FAIL_FROM, 0, Fault.RENAME, errno.EIO)
    r = m.unmount(code=4)
    assert "the map is unchanged" in r.out and "journal" not in r.out, r
    shutil.copy(m / "MEDIA/UNITS/A.DAT", m / "MEDIA/UNITS/B.DAT")
    assert "kept in the journal" in m.unmount(code=4).out
    shim.disarm()
    check(m)


@pytest.mark.parametrize("names", [["MEDIA/README.TXT"], ["MEDIA/UNITS/B.DAT"], ["MEDIA/UNITS/A.OLD"],
                                   ["MEDIA/UNITS/A.DAT~", "MEDIA/UNITS/NEW.TXT"], ["MEDIA/A.DAT~", "MEDIA/NEW.DAT"]])
def test_a_rename_keeps_the_time_whatever_was_there(box, names):
    m = small(box)
    old = "MEDIA/UNITS/A.DAT"
    os.utime(m / old, ns=(WHEN, WHEN))
    m.unmount()
    m = box.mount(m.map)
    for name in names:
        os.rename(m / old, m / name)
        old = name
    assert os.stat(m / old).st_mtime_ns == WHEN
    check(m, old)


def test_a_file_that_was_moved_and_written_may_have_the_time_that_it_had(box):
    m = small(box)
    before = os.stat(m / "MEDIA/README.TXT").st_mtime_ns
    os.rename(m / "MEDIA/README.TXT", m / "MEDIA/R.TXT")
    m.put("MEDIA/R.TXT", b"new")
    os.utime(m / "MEDIA/R.TXT", ns=(before, before))
    check(m, "MEDIA/R.TXT", before, b"new")
