# SPDX-License-Identifier: Zlib
"""What text, diff and grep print of contents: bytes as they are to a pipe, and nothing that a terminal obeys to one."""
import pytest

import archives
import datafile
from box import on_a_terminal
from maps import run

# A title, a bell, a reset in both rows of control characters, and what is none of them.
ODD = "sv_a \x1b]0;x\x07\t\x7fé\u202e\x9bm\u00a0漢\U0001f30d\r".encode()
SHOWN = "sv_a \\x1b]0;x\\x07\t\\x7fé\u202e\\xc2\\x9bm\u00a0漢\U0001f30d\\x0d"
PATH = "info/settings.cfg"


@pytest.fixture
def odd(box):
    return box.add(datafile.small_map(settings=(b"sv_b 1", ODD)), "odd.map")


def seen(box, *args):
    out, code = on_a_terminal(box, *args)
    return out.replace("\r\n", "\n"), code


def test_grep_shows_control_characters(box, odd):
    line = odd.encode() + b"/" + PATH.encode() + b":" + ODD + b"\n"
    assert run("grep", "sv_a", odd).stdout == line
    assert seen(box, "grep", "sv_a", odd) == ("%s/%s:%s\n" % (odd, PATH, SHOWN), 0)


def test_text_shows_control_characters(box, odd):
    assert run("text", odd, PATH).stdout == b"# %s\nsv_b 1\n%s\n" % (PATH.encode(), ODD)
    assert seen(box, "text", odd, PATH) == ("# %s\nsv_b 1\n%s\n" % (PATH, SHOWN), 0)


def test_diff_shows_control_characters(box, odd):
    small = box.add(datafile.small_map(settings=(b"sv_b 1",)), "small.map")
    told = "changed %s\n@@ -1 +1,2 @@\n sv_b 1\n+" % PATH
    assert run("diff", small, odd).stdout == told.encode() + ODD + b"\n"
    assert seen(box, "diff", small, odd) == (told + SHOWN + "\n", 1)


def test_bytes_that_are_no_text_are_shown(box):
    """0x9b alone is obeyed by a terminal that is not set to UTF-8."""
    odd = box.add(datafile.small_map(settings=(b"sv_a \x9bm\xff\xe9 \xf0\x9f\x8c",)), "odd.map")
    assert seen(box, "grep", "sv_a", odd)[0].endswith(":sv_a \\x9bm\\xff\\xe9 \\xf0\\x9f\\x8c\n")


def test_a_line_of_any_length_is_shown_as_it_is(box):
    """It is read in pieces, which may end within a character."""
    for before in range(3):
        line = "x" * before + "漢" * 70000
        mod = box.add(archives.small_mod(), "%d.MOD" % before)
        assert run("put", mod, "MEDIA/README.TXT", input=line.encode() + b"\n").returncode == 0
        assert seen(box, "text", mod, "MEDIA/README.TXT") == ("# MEDIA/README.TXT\n%s\n" % line, 0)


def test_cat_is_of_the_bytes(box, odd):
    """As its namesake."""
    out, _ = on_a_terminal(box, "cat", odd, PATH)
    assert out.encode() == b"sv_b 1\r\n" + ODD + b"\r\n"
