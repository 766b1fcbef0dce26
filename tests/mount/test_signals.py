# SPDX-License-Identifier: Zlib
"""Being told to stop: everything that was stored is saved first."""
import os
import signal
import subprocess
import sys

import pytest

import box as boxes
import parts

SETTINGS = "info/settings.cfg"

# Stores into a shared map of the file given, says so, and holds it until its input ends.
STORE = """
import mmap, os, sys
fd = os.open(sys.argv[1], os.O_RDWR)
view = mmap.mmap(fd, os.fstat(fd).st_size)
if sys.argv[2] == "closed":
    os.close(fd)
view[11:12] = b"7"
print("stored", flush=True)
sys.stdin.read()
"""


def saved(path):
    return parts.settings(path) == b"sv_deepfly 7\0tune ground_friction 0.5\0"


def ended(p):
    return boxes.wait_for(lambda: p.poll() is not None, 30)


@pytest.mark.parametrize("held", ["closed", "open"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP],
                         ids=["TERM", "INT", "HUP"])
def test_a_signal_with_dirty_mapped_pages_saves_them(box, small, number, held):
    m, p = box.foreground(small)
    child = subprocess.Popen([sys.executable, "-c", STORE, m / SETTINGS, held],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert child.stdout.readline() == b"stored\n"
        p.send_signal(number)
        assert boxes.wait_for(lambda: saved(small))
    finally:
        child.stdin.close()
        child.wait(10)
        child.stdout.close()
    assert ended(p)
    assert not m.mounted()


def test_a_signal_to_the_whole_group_saves_as_well(box, small):
    # A terminal's Ctrl-C and a system that goes down tell every process at once.
    m, p = box.foreground(small)
    m.put(SETTINGS, b"kept 1\n")
    os.killpg(p.pid, signal.SIGTERM)
    assert ended(p) and p.returncode == 0
    assert parts.settings(small) == b"kept 1\0"
    assert not m.mounted()


@pytest.mark.parametrize("who", ["keeper", "worker"])
def test_a_signal_to_either_process_of_a_mount_in_the_background_saves(box, small, who):
    m = box.mount(small)
    m.put(SETTINGS, b"kept 1\n")
    os.kill(getattr(box, who)(), signal.SIGTERM)
    assert boxes.wait_for(lambda: not box.processes(), 30)
    assert parts.settings(small) == b"kept 1\0"
    assert not m.mounted()


def test_a_signal_twice_is_no_harm(box, small):
    m, p = box.foreground(small)
    m.put(SETTINGS, b"kept 1\n")
    p.send_signal(signal.SIGTERM)
    p.send_signal(signal.SIGTERM)
    assert ended(p)
    assert parts.settings(small) == b"kept 1\0"


def test_a_signal_without_a_change_writes_nothing(box, small):
    raw = boxes.get(small)
    m, p = box.foreground(small)
    m.get(SETTINGS)
    p.send_signal(signal.SIGTERM)
    assert ended(p) and p.returncode == 0
    assert boxes.get(small) == raw and os.stat(small).st_mtime_ns == 1_500_000_000_123_456_789


def test_in_the_foreground_unmounting_ends_it_with_the_saves_code(box, small):
    m, p = box.foreground(small)
    m.put(SETTINGS, b"kept 1\n")
    m.unmount()
    assert ended(p) and p.returncode == 0
    assert parts.settings(small) == b"kept 1\0"


def test_in_the_foreground_a_draft_left_shows_in_the_exit_code(box, small):
    m, p = box.foreground(small)
    assert boxes.refused(m.put, "info/author", b"one\ntwo\n") != 0
    p.send_signal(signal.SIGTERM)
    assert ended(p) and p.returncode == 5
    box.allow("*.mapfs-left")
