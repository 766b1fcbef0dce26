# SPDX-License-Identifier: Zlib
"""Mounts over and over, many at once, and under the file system stressors of stress-ng: nothing is
left of any. All of it with MAPFS_TEST_ALL=1, else a share."""
import os
import shutil
import subprocess

import pytest

import box as boxes
import datafile
import parts
import share

SETTINGS = "info/settings.cfg"
# Of class filesystem: those that need what a mount of ours refuses (links, device files, quotas,
# namespaces of their own) are left out.
STRESSORS = ("access chdir chmod chown copy-file dentry dir dup eventfd fallocate fcntl fd-race file-ioctl "
             "filename flock fpunch fsize fstat getdent hdd iomix locka lockf lockmix lockofd metamix mmapfiles "
             "null open rename seek sendfile splice sync-file touch truncate utime verity "
             "zero").split()
SHORT = ("access", "dentry", "dir", "flock", "fstat", "hdd", "iomix", "metamix", "rename", "seek", "utime")


def descriptors(pid="self"):
    return len(os.listdir("/proc/%s/fd" % pid))


def test_mounted_edited_and_unmounted_over_and_over(box, small):
    open_before, sizes = descriptors(), set()
    for i in range(share.of(1000, 20)):
        m = box.mount(small, env={"TMPDIR": box.home})
        m.put(SETTINGS, b"x %04d\n" % i)
        if i % 5 == 0:
            with open(m / "images/.t.swp", "wb") as f:
                f.write(bytes(100_000))
            os.unlink(m / "images/.t.swp")
        m.unmount()
        assert box.beside() == [] and not m.mounted()
        sizes.add(os.path.getsize(small))
    assert parts.settings(small) == b"x %04d\0" % i
    assert max(sizes) - min(sizes) < 20  # the packed number alone
    assert boxes.wait_for(lambda: not box.processes())
    # Of a mount there are its processes, its files beside the map, and scratch in TMPDIR.
    assert boxes.mounts_below(box.root) == [] == os.listdir(box.home) and descriptors() == open_before


def test_one_mount_that_is_edited_and_saved_over_and_over(box, small):
    m = box.mount(small)

    def held():
        return descriptors(box.worker()), descriptors(box.guard())

    first = []
    for i in range(share.of(1000, 30)):
        m.put(SETTINGS, b"x %04d\n" % i)
        fd = os.open(m.point, os.O_RDONLY)
        os.fsync(fd)
        os.close(fd)
        first += [held()] if i < 5 else []
    # The map of before is let go a moment after the save, on a thread of its own: so the least of
    # the first rounds is waited for. What leaks is more than those by now.
    least = tuple(map(min, zip(*first)))
    assert boxes.wait_for(lambda: all(now <= then for now, then in zip(held(), least))), (held(), first)
    m.unmount()
    assert parts.settings(small) == b"x %04d\0" % i


def test_many_mounts_at_once(box):
    n, open_before = share.of(200, 20), descriptors()
    mounts = [box.mount(box.add(datafile.small_map(), "m%03d.map" % i), point=box.point("p%03d" % i))
              for i in range(n)]
    assert len(box.processes()) == 2 * n
    for i, m in enumerate(mounts):
        m.put(SETTINGS, b"mount %d\n" % i)
    for i, m in enumerate(mounts):
        assert m.get(SETTINGS) == b"mount %d\n" % i
    r = box.run("-u", *(m.point for m in mounts), timeout=600)
    assert r.code == 0, r
    assert [parts.settings(m.map) for m in mounts] == [b"mount %d\0" % i for i in range(n)]
    assert not any(m.mounted() for m in mounts) and box.beside() == []
    assert boxes.wait_for(lambda: not box.processes()) and descriptors() == open_before


def stressors(wanted):
    """Those of them that this stress-ng has."""
    if not shutil.which("stress-ng"):
        pytest.skip("not installed: stress-ng")
    had = subprocess.run(["stress-ng", "--stressors"], capture_output=True, text=True).stdout.split()
    return [s for s in wanted if s in had]


def test_stress_ngs_file_system_stressors(box, small):
    raw = boxes.get(small)
    m = box.mount(small)
    wanted, seconds = stressors(share.of(STRESSORS, SHORT)), share.of(5, 1)
    os.mkdir(m / "stress.bak")
    failed = {}
    for name in wanted:
        r = box.run("--" + name, 2, "--timeout", "%ds" % seconds, "--temp-path", m / "stress.bak",
                    "--hdd-bytes", "8m", "--iomix-bytes", "8m", program="stress-ng", timeout=120)
        # 4: it says itself that this cannot be tried here.
        if r.code not in (0, 4):
            failed[name] = (r.code, (r.out + r.err)[-600:])
        assert m.get(SETTINGS), name  # it is served still
    assert not failed, failed
    shutil.rmtree(m / "stress.bak")
    m.unmount()
    assert boxes.get(small) == raw
