# SPDX-License-Identifier: Zlib
"""Many mounts in sequence, at once, and under the file system stressors of stress-ng leave nothing behind.
MAPFS_TEST_ALL=1 runs all rounds, otherwise a share."""
import os
import shutil
import subprocess

import pytest

import box as boxes
import datafile
import parts
import share

SETTINGS = "info/settings.cfg"
# The class filesystem, without stressors that need operations that a mount refuses: links, device files, quotas,
# namespaces of their own.
STRESSORS = ("access chdir chmod chown copy-file dentry dir dup eventfd fallocate fcntl fd-race file-ioctl "
             "filename flock fpunch fsize fstat getdent hdd iomix locka lockf lockmix lockofd metamix mmapfiles "
             "null open rename seek sendfile splice sync-file touch truncate utime verity "
             "zero").split()
SHORT = ("access", "dentry", "dir", "flock", "fstat", "hdd", "iomix", "metamix", "rename", "seek", "utime")


def descriptors(pid="self"):
    return len(os.listdir("/proc/%s/fd" % pid))


def test_repeated_mounts_and_edits_leave_nothing(box, small):
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
    assert max(sizes) - min(sizes) < 20  # the packed number only
    assert boxes.wait_for(lambda: not box.processes())
    # A mount has its processes, its files beside the map, and scratch files in TMPDIR.
    assert boxes.mounts_below(box.root) == [] == os.listdir(box.home) and descriptors() == open_before


def test_repeated_saves_of_one_mount_leak_no_descriptor(box, small):
    m = box.mount(small)

    def held():
        return descriptors(box.worker()), descriptors(box.supervisor())

    first = []
    for i in range(share.of(1000, 30)):
        m.put(SETTINGS, b"x %04d\n" % i)
        fd = os.open(m.point, os.O_RDONLY)
        os.fsync(fd)
        os.close(fd)
        first += [held()] if i < 5 else []
    # A thread drops the old map shortly after the save, so wait for the smallest count of the first rounds. A leak
    # gives more than those.
    least = tuple(map(min, zip(*first)))
    assert boxes.wait_for(lambda: all(now <= then for now, then in zip(held(), least))), (held(), first)
    m.unmount()
    assert parts.settings(small) == b"x %04d\0" % i


def test_many_mounts_at_once_save_their_edits(box):
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
    """The wanted stressors that this version of stress-ng has."""
    if not shutil.which("stress-ng"):
        pytest.skip("not installed: stress-ng")
    had = subprocess.run(["stress-ng", "--stressors"], capture_output=True, text=True).stdout.split()
    return [s for s in wanted if s in had]


def test_a_mount_survives_the_stressors_of_stress_ng(box, small):
    raw = boxes.get(small)
    m = box.mount(small)
    wanted, seconds = stressors(share.of(STRESSORS, SHORT)), share.of(5, 1)
    os.mkdir(m / "stress.bak")
    failed = {}
    for name in wanted:
        r = box.run("--" + name, 2, "--timeout", "%ds" % seconds, "--temp-path", m / "stress.bak",
                    "--hdd-bytes", "8m", "--iomix-bytes", "8m", program="stress-ng", timeout=120)
        # 4: stress-ng reports that it cannot run this stressor here
        if r.code not in (0, 4):
            failed[name] = (r.code, (r.out + r.err)[-600:])
        assert m.get(SETTINGS), name  # the mount still works
    assert not failed, failed
    shutil.rmtree(m / "stress.bak")
    m.unmount()
    assert boxes.get(small) == raw
