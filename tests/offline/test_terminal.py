# SPDX-License-Identifier: Zlib
"""mapfs text, diff and grep print contents unchanged to a pipe, and without control characters to a terminal."""
import pytest

import archives
import datafile
from box import on_a_terminal
from maps import run

# A title, a bell, a reset in both sets of control characters, and invalid UTF-8.
ODD = "sv_a \x1b]0;x\x07\t\x7fé\u202e\x9bm\u00a0漢\U0001f30d\r".encode()
SHOWN = "sv_a \\x1b]0;x\\x07\t\\x7fé\u202e\\xc2\\x9bm\u00a0漢\U0001f30d\\x0d"
PATH = "info/settings.cfg"


@pytest.fixture
def map_with_controls(box):
    return box.add(datafile.small_map(settings=(b"sv_b 1", ODD)), "odd.map")


def run_on_terminal(box, *args):
    out, code = on_a_terminal(box, *args)
    return out.replace("\r\n", "\n"), code


def test_grep_shows_control_characters(box, map_with_controls):
    line = map_with_controls.encode() + b"/" + PATH.encode() + b":" + ODD + b"\n"
    assert run("grep", "sv_a", map_with_controls).stdout == line
    assert run_on_terminal(box, "grep", "sv_a", map_with_controls) == ("%s/%s:%s\n" % (map_with_controls, PATH, SHOWN), 0)


def test_text_shows_control_characters(box, map_with_controls):
    assert run("text", map_with_controls, PATH).stdout == b"# %s\nsv_b 1\n%s\n" % (PATH.encode(), ODD)
    assert run_on_terminal(box, "text", map_with_controls, PATH) == ("# %s\nsv_b 1\n%s\n" % (PATH, SHOWN), 0)


def test_diff_shows_control_characters(box, map_with_controls):
    small = box.add(datafile.small_map(settings=(b"sv_b 1",)), "small.map")
    reported = "changed %s\n@@ -1 +1,2 @@\n sv_b 1\n+" % PATH
    assert run("diff", small, map_with_controls).stdout == reported.encode() + ODD + b"\n"
    assert run_on_terminal(box, "diff", small, map_with_controls) == (reported + SHOWN + "\n", 1)


def test_bytes_that_are_no_text_are_shown(box):
    """A terminal that is not set to UTF-8 obeys 0x9b alone."""
    odd = box.add(datafile.small_map(settings=(b"sv_a \x9bm\xff\xe9 \xf0\x9f\x8c",)), "odd.map")
    assert run_on_terminal(box, "grep", "sv_a", odd)[0].endswith(":sv_a \\x9bm\\xff\\xe9 \\xf0\\x9f\\x8c\n")


def test_a_line_of_any_length_is_shown_unchanged(box):
    """The line is read in pieces, which may end within a character."""
    for before in range(3):
        line = "x" * before + "漢" * 70000
        mod = box.add(archives.small_mod(), "%d.MOD" % before)
        assert run("put", mod, "MEDIA/README.TXT", input=line.encode() + b"\n").returncode == 0
        assert run_on_terminal(box, "text", mod, "MEDIA/README.TXT") == ("# MEDIA/README.TXT\n%s\n" % line, 0)


def test_cat_prints_bytes_unchanged(box, map_with_controls):
    """As cat(1) does."""
    out, _ = on_a_terminal(box, "cat", map_with_controls, PATH)
    assert out.encode() == b"sv_b 1\r\n" + ODD + b"\r\n"
