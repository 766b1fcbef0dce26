# SPDX-License-Identifier: Zlib
"""The 24 known ways in which writable archives lose data, by number. SHOWN names tests in other files, which must
exist; the remaining tests are here."""
import ast
import fcntl
import os
import shutil
import stat
import subprocess
import time

import pytest

import box as boxes
import datafile
import parts
import places

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EDITORS, SETTINGS = "editors/test_traps.py::", "info/settings.cfg"

SHOWN = {
    1: [EDITORS + "test_T1_a_temporary_file_renamed_over_a_file_replaces_its_content"],
    2: [EDITORS + "test_T2_opening_with_truncation_drops_the_old_content"],
    3: ["mount/test_faults.py::test_a_failed_save_keeps_the_map_the_mount_and_the_change",
        "mount/test_faults.py::test_a_save_on_a_full_disk_keeps_the_old_map"],
    4: [EDITORS + "test_T4_no_save_overwrites_a_backup_beside_the_map"],
    5: [EDITORS + "test_T5_a_save_keeps_mode_owner_and_attributes_of_the_map",
        "mount/test_save.py::test_a_save_keeps_an_acl"],
    6: [EDITORS + "test_T6_synced_content_survives_kill_9",
        EDITORS + "test_T6_syncing_scratch_and_directories_succeeds"],
    7: ["mount/test_cli.py::test_umount_saves_before_it_returns",
        "mount/test_cli.py::test_a_plain_unmount_saves_after_it_returns"],
    8: ["mount/test_signals.py::test_a_signal_with_dirty_mapped_pages_saves_them"],
    9: ["mount/test_signals.py::test_a_signal_to_the_whole_group_saves_as_well"],
    10: [EDITORS + "test_T10_a_removed_file_is_readable_while_it_is_open",
         EDITORS + "test_T10_a_replaced_file_is_readable_while_it_is_open"],
    11: [EDITORS + "test_T11_a_rename_onto_a_nonempty_directory_fails",
         EDITORS + "test_T11_a_rename_with_noreplace_replaces_nothing"],
    12: [EDITORS + "test_T12_the_mount_works_after_every_refusal"],
    13: [EDITORS + "test_T13_truncating_changes_the_time"],
    14: [EDITORS + "test_T14_a_close_keeps_a_time_set_before"],
    15: [EDITORS + "test_T15_writes_and_truncations_through_several_handles_keep_their_order"],
    17: ["mount/test_read.py::test_rewriting_every_file_with_its_own_content_changes_nothing",
         "mount/test_save.py::test_an_edit_changes_no_other_part_of_the_map"],
    18: [EDITORS + "test_T18_a_map_with_a_relative_path_is_saved_in_place"],
    19: [EDITORS + "test_T19_a_save_does_not_overwrite_the_map_of_another_program"],
    20: [EDITORS + "test_T20_files_that_programs_leave_behind_do_not_enter_the_map"],
    21: [EDITORS + "test_T21_a_save_keeps_a_symbolic_link_to_the_map"],
    22: [EDITORS + "test_T22_free_space_equals_that_of_the_maps_directory"],
    23: [EDITORS + "test_T23_without_standard_streams_no_output_goes_into_the_map"],
}


@pytest.mark.parametrize("trap", SHOWN, ids=lambda n: "trap_%02d" % n)
def test_the_named_tests_exist(trap):
    for where in SHOWN[trap]:
        path, name = where.split("::")
        with open(os.path.join(TESTS, path)) as f:
            names = {node.name for node in ast.parse(f.read()).body if isinstance(node, ast.FunctionDef)}
        assert name in names, where


def test_all_24_traps_have_a_test():
    own = {int(name[5:7]) for name in globals() if name.startswith("trap_")}
    assert own | set(SHOWN) == set(range(1, 25))


def shows_trap(trap):
    """The id of a test gives the number of its trap."""
    def mark(function):
        globals()["trap_%02d" % trap] = function
        return pytest.mark.parametrize("trap", [trap], ids=["trap_%02d" % trap])(function)
    return mark


# ---- 9: logout and shutdown stop the service before any unmount


@pytest.fixture
def systemd(root):
    if not os.path.isdir("/run/systemd/system") or not shutil.which("systemd-run"):
        pytest.skip("no systemd runs here")


def unit_of(box):
    return "mapfs-test-%d-%s" % (os.getpid(), os.path.basename(box.root))


@shows_trap(9)
@pytest.mark.parametrize("by", ["the signal", "mapfs -u"])
def test_a_unit_that_stops_saves(box, systemd, small, trap, by):
    unit, point = unit_of(box), box.point()
    stop = ["-p", "ExecStop=%s -u %s" % (places.BINARY, point)] if by == "mapfs -u" else []
    subprocess.run(["systemd-run", "--unit", unit, "-p", "KillMode=control-group", *stop,
                    "--setenv=%s=%s" % (boxes.MARK, box.root), places.BINARY, "-f", small, point], check=True)
    m = boxes.Mount(box, small, point)
    try:
        assert boxes.wait_for(m.mounted)
        m.put(SETTINGS, b"x 1\n")
    finally:
        subprocess.run(["systemctl", "stop", unit], check=True)
    assert parts.settings(small) == b"x 1\0" and not m.mounted()


# ---- 16: a cache must not answer instead of the file system


@shows_trap(16)
def test_sizes_times_and_appends_do_not_come_from_a_cache(box, small, trap):
    m = box.mount(small)
    path = m / "info/.log.swp"
    a = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    b = os.open(path, os.O_WRONLY | os.O_APPEND)
    for i in range(200):
        os.write(a if i % 2 else b, b"%03d\n" % i)
        assert os.fstat(a).st_size == os.fstat(b).st_size == os.stat(path).st_size == 4 * (i + 1)
    assert boxes.get(path) == b"".join(b"%03d\n" % i for i in range(200))
    os.close(a)
    os.close(b)
    before = os.stat(path).st_mtime_ns
    time.sleep(0.02)
    with open(path, "ab") as f:
        f.write(b"more\n")
    assert os.stat(path).st_mtime_ns > before
    # The kernel must not show the old content of one view after a change through another one.
    raw = "raw/data/%05d" % parts.info_index(datafile.Datafile.load(small), 5)
    old = m.get(raw)
    m.put(SETTINGS, b"another 1\n")
    assert m.get(raw) == b"another 1\0" != old and os.stat(m / raw).st_size == 10
    os.unlink(path)
    m.unmount()
    assert parts.settings(small) == b"another 1\0"


# ---- 24: locks


@shows_trap(24)
@pytest.mark.parametrize("name", [SETTINGS, "images/.scratch.swp"])
def test_programs_can_lock_files(box, small, trap, name):
    m = box.mount(small)
    a, b = (os.open(m / name, os.O_RDWR | os.O_CREAT, 0o644) for _ in range(2))
    fcntl.flock(a, fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert boxes.refused(fcntl.flock, b, fcntl.LOCK_EX | fcntl.LOCK_NB)
    fcntl.flock(a, fcntl.LOCK_UN)
    fcntl.flock(b, fcntl.LOCK_EX | fcntl.LOCK_NB)
    fcntl.lockf(a, fcntl.LOCK_EX | fcntl.LOCK_NB, 4, 0)
    r = box.run("-c", "import fcntl, sys\nf = open(sys.argv[1], 'r+b')\n"
                "fcntl.lockf(f, fcntl.LOCK_EX | fcntl.LOCK_NB, 4, 0)", m / name, program="python3")
    assert r.code == 1 and "BlockingIOError" in r.err
    os.close(a)
    os.close(b)
    if name != SETTINGS:
        os.unlink(m / name)
    m.unmount()


# ---- possible places of mount points


def edit_and_end(box, path, point):
    m = box.mount(path, point=point)
    m.put(SETTINGS, b"x 1\n")
    m.unmount()
    assert parts.settings(path) == b"x 1\0"
    assert os.path.isdir(point) and not m.mounted()


def test_a_mount_point_may_be_on_a_tmpfs(box, root, small):
    point = box.point("tmpfs")
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", point], check=True)
    try:
        os.mkdir(os.path.join(point, "m"))
        edit_and_end(box, small, os.path.join(point, "m"))
    finally:
        subprocess.run(["umount", point], check=True)


def test_a_map_and_its_mount_point_may_be_on_a_tmpfs(box, root):
    base = box.point("tmpfs")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", base], check=True)
    try:
        path = os.path.join(base, "a.map")
        boxes.put(path, datafile.small_map(), os.O_WRONLY | os.O_CREAT)
        os.chmod(path, 0o640)
        os.mkdir(os.path.join(base, "m"))
        edit_and_end(box, path, os.path.join(base, "m"))
        assert sorted(os.listdir(base)) == ["a.map", "m"]
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o640
    finally:
        subprocess.run(["umount", base], check=True)


def test_a_mount_point_may_be_in_another_fuse_mount(box, root, small):
    outer = box.mount(box.add(datafile.small_map(), "outer.map"), point=box.point("outer"))
    os.mkdir(outer / "inner")
    edit_and_end(box, small, outer / "inner")
    # While the inner mount exists, the outer one is busy and names the process.
    inner = box.mount(small, point=outer / "inner")
    r = outer.unmount(code=7)
    assert "busy" in r.out + r.err
    inner.unmount()
    os.rmdir(outer / "inner")
    outer.unmount()


def test_a_map_may_be_in_another_fuse_mount(box, root, small):
    """A scratch file in a mount can be a map. It is saved, although it is no file of the outer map."""
    outer = box.mount(small, point=box.point("outer"))
    os.mkdir(outer / "maps.bak")
    path = outer / "maps.bak/a.map"
    boxes.put(path, datafile.small_map(), os.O_WRONLY | os.O_CREAT)
    edit_and_end(box, path, box.point("inner"))
    shutil.rmtree(outer / "maps.bak")
    outer.unmount()
