# SPDX-License-Identifier: Zlib
"""Times that programs set on mounted files are kept in the archive, to 100 ns."""
import errno
import os
import shutil
import time

import pytest

from archives import Archive, dat, small_mod, text_dat
from shims import Fault
from tlbox import require_program, run, sync

EPOCH = 116444736000000000  # 1970, in 100 ns since 1601
WHEN = 1234567890123456700  # ns
STAMP = "2009-02-13T23:31:30.1234567Z"


def filetime(ns):
    return EPOCH + ns // 100


def write_outside(box, content, name="a.dat"):
    path = os.path.join(box.home, name)
    with open(path, "wb") as f:
        f.write(content)
    os.utime(path, ns=(WHEN, WHEN))
    return path


def mount_small(box):
    return box.mount(box.add(small_mod(), "S.MOD"))


def assert_saved(m, full="MEDIA/UNITS/A.DAT", ns=WHEN, content=None):
    """Check time and content in the archive and after a remount."""
    m.unmount()
    a = Archive(m.map)
    assert a.times[full] == filetime(ns)
    if content is not None:
        assert a.one(full) == content
    m = m.box.mount(m.map)
    assert os.stat(m / full).st_mtime_ns == ns
    m.unmount()
    return a


def test_touch_changes_only_the_time(box):
    m = mount_small(box)
    before = Archive(m.map)
    run("touch", "-d", STAMP, m / "MEDIA/UNITS/A.DAT")
    a = assert_saved(m)
    assert a.section == before.section and a.order == before.order
    assert {f for f in a.times if a.times[f] != before.times[f]} == {"MEDIA/UNITS/A.DAT"}


def test_a_changed_time_is_reported(box):
    m = mount_small(box)
    os.utime(m / "MEDIA/UNITS/A.DAT", ns=(WHEN, WHEN))
    status = box.run("status", m.point)
    assert "MEDIA/UNITS/A.DAT" in status.out
    assert "saved: MEDIA/UNITS/A.DAT" in m.unmount().out


def test_the_last_time_counts(box):
    m = mount_small(box)
    os.utime(m / "MEDIA/UNITS/A.DAT", ns=(5, 5))
    os.utime(m / "MEDIA/UNITS/A.DAT", ns=(WHEN, WHEN))
    assert_saved(m)


def test_cp_p_keeps_the_time(box):
    m = mount_small(box)
    run("cp", "-p", write_outside(box, dat("new", 3)), m / "MEDIA/UNITS/A.DAT")
    assert_saved(m, content=dat("new", 3))


def test_cp_p_of_a_new_text_keeps_the_time(box):
    m = mount_small(box)
    run("cp", "-p", write_outside(box, text_dat("new", 3)), m / "MEDIA/UNITS/new.dat")
    assert_saved(m, "MEDIA/UNITS/NEW.DAT")


def test_rsync_keeps_the_time(box):
    m = mount_small(box)
    run(require_program("rsync"), "-a", write_outside(box, dat("new", 3)), m / "MEDIA/UNITS/A.DAT")
    assert_saved(m, content=dat("new", 3))


def test_rsync_of_the_same_bytes_changes_only_the_time(box):
    m = mount_small(box)
    run(require_program("rsync"), "-aI", write_outside(box, dat("a")), m / "MEDIA/UNITS/A.DAT")
    assert_saved(m, content=dat("a"))


def test_tar_keeps_the_time(box):
    os.makedirs(os.path.join(box.home, "MEDIA/UNITS"))
    for name, content in (("A.DAT", dat("new", 3)), ("NEW.OGG", b"sound")):
        write_outside(box, content, "MEDIA/UNITS/" + name)
    run("tar", "cf", "t.tar", "MEDIA/UNITS/A.DAT", "MEDIA/UNITS/NEW.OGG", cwd=box.home)
    m = mount_small(box)
    # tar stores whole seconds.
    run("tar", "xf", os.path.join(box.home, "t.tar"), "-C", m.point)
    a = assert_saved(m, ns=WHEN // 10**9 * 10**9, content=dat("new", 3))
    assert a.times["MEDIA/UNITS/NEW.OGG"] == filetime(WHEN // 10**9 * 10**9)


def test_a_later_write_sets_the_time(box):
    begin = time.time_ns()
    m = mount_small(box)
    os.utime(m / "MEDIA/UNITS/A.DAT", ns=(WHEN, WHEN))
    m.put("MEDIA/UNITS/A.DAT", dat("later", 4))
    m.unmount()
    assert Archive(m.map).times["MEDIA/UNITS/A.DAT"] >= filetime(begin) - 10**7


def test_a_later_write_of_a_text_sets_the_time(box):
    begin = time.time_ns()
    m = mount_small(box)
    os.utime(m / "MEDIA/UNITS/A.DAT", ns=(WHEN, WHEN))
    m.put("MEDIA/UNITS/A.DAT", text_dat("later", 4))
    m.unmount()
    assert Archive(m.map).times["MEDIA/UNITS/A.DAT"] >= filetime(begin) - 10**7


def test_a_time_set_after_a_save_is_saved_too(box):
    m = mount_small(box)
    os.utime(m / "MEDIA/UNITS/A.DAT", ns=(5, 5))
    sync(m)
    assert Archive(m.map).times["MEDIA/UNITS/A.DAT"] == filetime(0)
    os.utime(m / "MEDIA/UNITS/A.DAT", ns=(WHEN, WHEN))
    assert_saved(m)


def test_setting_the_same_time_changes_nothing(box):
    m = mount_small(box)
    before, ino = open(m.map, "rb").read(), os.stat(m.map).st_ino
    st = os.stat(m / "MEDIA/UNITS/A.DAT")
    os.utime(m / "MEDIA/UNITS/A.DAT", ns=(st.st_atime_ns, st.st_mtime_ns))
    m.put("MEDIA/UNITS/B.DAT", m.get("MEDIA/UNITS/B.DAT"))
    m.unmount()
    assert open(m.map, "rb").read() == before and os.stat(m.map).st_ino == ino


def test_a_finer_time_equals_its_rounded_one(box):
    """Packing an extracted tree onto its archive changes and reports nothing."""
    tree, path = os.path.join(box.home, "tree"), os.path.join(box.maps, "NEW.MOD")
    os.makedirs(tree + "/MEDIA")
    write_outside(box, text_dat("a"), "tree/MEDIA/A.DAT")
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


def test_a_renamed_file_keeps_its_time(box):
    m = mount_small(box)
    os.utime(m / "MEDIA/UNITS/A.DAT", ns=(WHEN, WHEN))
    os.rename(m / "MEDIA/UNITS/A.DAT", m / "MEDIA/moved.dat")
    assert_saved(m, "MEDIA/MOVED.DAT")


def test_a_file_with_a_scratch_name_keeps_its_time_during_a_save(box):
    m = mount_small(box)
    os.utime(m / "MEDIA/UNITS/A.DAT", ns=(WHEN, WHEN))
    os.rename(m / "MEDIA/UNITS/A.DAT", m / "MEDIA/UNITS/A.DAT~")
    sync(m)
    assert os.stat(m / "MEDIA/UNITS/A.DAT~").st_mtime_ns == WHEN
    os.rename(m / "MEDIA/UNITS/A.DAT~", m / "MEDIA/UNITS/C.DAT")
    assert_saved(m, "MEDIA/UNITS/C.DAT")


def test_a_failed_save_names_the_journal_only_if_it_exists(box):
    shim = box.shim(Fault)
    m = box.mount(box.add(small_mod(), "S.MOD"), shim=shim)
    run("touch", "-d", STAMP, m / "MEDIA/UNITS/A.DAT")
    shim.arm(Fault.FAIL_FROM, 0, Fault.RENAME, errno.EIO)
    r = m.unmount(code=4)
    assert "the map is unchanged" in r.out and "journal" not in r.out, r
    shutil.copy(m / "MEDIA/UNITS/A.DAT", m / "MEDIA/UNITS/B.DAT")
    assert "kept in the journal" in m.unmount(code=4).out
    shim.disarm()
    assert_saved(m)


@pytest.mark.parametrize("names", [["MEDIA/README.TXT"], ["MEDIA/UNITS/B.DAT"], ["MEDIA/UNITS/A.OLD"],
                                   ["MEDIA/UNITS/A.DAT~", "MEDIA/UNITS/NEW.TXT"], ["MEDIA/A.DAT~", "MEDIA/NEW.DAT"]])
def test_a_rename_over_any_file_keeps_the_time(box, names):
    m = mount_small(box)
    old = "MEDIA/UNITS/A.DAT"
    os.utime(m / old, ns=(WHEN, WHEN))
    m.unmount()
    m = box.mount(m.map)
    for name in names:
        os.rename(m / old, m / name)
        old = name
    assert os.stat(m / old).st_mtime_ns == WHEN
    assert_saved(m, old)


def test_a_moved_and_written_file_can_get_its_old_time(box):
    m = mount_small(box)
    before = os.stat(m / "MEDIA/README.TXT").st_mtime_ns
    os.rename(m / "MEDIA/README.TXT", m / "MEDIA/R.TXT")
    m.put("MEDIA/R.TXT", b"new")
    os.utime(m / "MEDIA/R.TXT", ns=(before, before))
    assert_saved(m, "MEDIA/R.TXT", before, b"new")
