# SPDX-License-Identifier: Zlib
"""The fault matrix reaches every call that changes a disk: strace counts as many calls as the test's hook."""
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


def run_strace(*command):
    """Lines of the calls in CALLS, with the files behind descriptors."""
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    r = subprocess.run(["strace", "-f", "-y", "-qq", "-o", "/dev/stderr", "-e", "signal=none", "-e",
                        "trace=access,faccessat,faccessat2,open,openat,creat," + ",".join(CALLS), *command],
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if "ptrace" in r.stderr and r.returncode:
        pytest.skip("strace may not trace here")
    return r.stdout, r.stderr.splitlines()


def select_calls(lines):
    """The calls between the marks that change a disk; a call that another thread's output splits counts once."""
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
            # Opening a file truncates nothing.
            assert "O_TRUNC" not in args and name != "creat", line
            if "O_CREAT" in args or "TMPFILE" in args:
                out.append(line)
        elif name in CALLS and not re.match(r"\d+<(anon_inode|pipe|socket)", args):
            out.append(line)
    return out


@pytest.mark.parametrize("format", FORMATS)
def test_the_hook_meets_every_call_that_changes_a_disk(format):
    total = 0
    for act in ACTS:
        if act == "pair" and format != "torchlight-pak":
            continue
        out, lines = run_strace(PROGRAM, "--count", format, act)
        found = select_calls(lines)
        assert len(found) == int(out), (act, found)
        total += len(found)
    print("%s: %d calls" % (format, total))
    assert total > 50
