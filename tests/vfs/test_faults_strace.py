# SPDX-License-Identifier: Zlib
"""The fault matrix meets every call that changes a disk: strace counts as many as its seam."""
import os
import re
import shutil
import subprocess

import pytest

PROGRAM = os.environ["FAULTS"]
MARKER = "/mapfs-act"
CALLS = ("write pwrite64 writev pwritev pwritev2 copy_file_range sendfile fsync fdatasync "
         "sync syncfs rename renameat renameat2 link linkat symlink symlinkat unlink unlinkat rmdir "
         "ftruncate truncate fallocate mkdir mkdirat mknod mknodat fchmod fchmodat chmod fchown fchownat "
         "chown fsetxattr setxattr fremovexattr removexattr utimensat").split()
FORMATS = ("teeworlds", "triclon", "torchlight-mod", "torchlight-pak")
ACTS = ("close", "fsync", "save", "replay", "end", "steps", "pair")


def strace(*command):
    """Lines of the calls that CALLS names, with the files of descriptors."""
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    r = subprocess.run(["strace", "-f", "-y", "-qq", "-o", "/dev/stderr", "-e", "signal=none", "-e",
                        "trace=access,faccessat,faccessat2,open,openat,creat," + ",".join(CALLS), *command],
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if "ptrace" in r.stderr and r.returncode:
        pytest.skip("strace may not trace here")
    return r.stdout, r.stderr.splitlines()


def calls(lines):
    """Those between the marks that change a disk; what a call of another thread cuts in two is one."""
    marks = [i for i, line in enumerate(lines) if MARKER in line and " resumed>" not in line]
    assert len(marks) == 2, lines
    out = []
    for line in lines[marks[0] + 1:marks[1]]:
        m = re.match(r"(?:\d+ +)?(\w+)\((.*)", line)
        if not m:
            assert " resumed>" in line, line
            continue
        name, args = m.groups()
        if name in ("open", "openat", "creat"):
            # Nothing is cut by opening it.
            assert "O_TRUNC" not in args and name != "creat", line
            if "O_CREAT" in args or "TMPFILE" in args:
                out.append(line)
        elif name in CALLS and not re.match(r"\d+<(anon_inode|pipe|socket)", args):
            out.append(line)
    return out


@pytest.mark.parametrize("format", FORMATS)
def test_the_seam_meets_every_call_that_changes_a_disk(format):
    total = 0
    for act in ACTS:
        if act == "pair" and format != "torchlight-pak":
            continue
        out, lines = strace(PROGRAM, "--count", format, act)
        found = calls(lines)
        assert len(found) == int(out), (act, found)
        total += len(found)
    print("%s: %d calls" % (format, total))
    assert total > 50
