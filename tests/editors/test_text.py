# SPDX-License-Identifier: Zlib
"""Text editors on the settings of a real map, used by a person or a script."""
import os

import pytest

from session import SETTINGS, need
from terminal import Terminal

OLD = b"sv_show_others_default 1\nsv_team 0\n"
NEW = OLD.replace(b"sv_team 0", b"sv_team 1")


def finish(s, text=NEW):
    assert s.same_as_twin(SETTINGS) == text
    assert s.m.get(SETTINGS) == text
    s.end()
    s.settings_are(text)


def in_terminal(s, program, args, typed):
    """Edit the file and its twin with a program in a terminal; `typed` is a list of (words to wait for, keys)."""
    need(program)
    for path in (s.copy(SETTINGS), s / SETTINGS):
        t = Terminal([need(program)] + args + [os.path.basename(path)], s.box.env(),
                     os.path.dirname(path))
        for words, keys in typed:
            t.expect(words)
            t.send(keys)
        assert t.end() == 0, t.text()


VIM = ["-N", "-i", "NONE"]
VIM_KEYS = [(b"sv_team", b":%s/sv_team 0/sv_team 1/\r"), (b"sv_team 1", b":wq\r")]


def test_vim_changes_the_settings(tutorial):
    in_terminal(tutorial, "vim", VIM, VIM_KEYS)
    finish(tutorial)


@pytest.mark.parametrize("options", [
    "backup backupcopy=no", "backup backupcopy=yes", "nobackup nowritebackup"])
def test_vim_with_options_changes_the_settings(tutorial, options):
    in_terminal(tutorial, "vim", VIM + ["-c", "set " + options], VIM_KEYS)
    finish(tutorial)


def test_vim_writes_several_times_and_reloads(tutorial):
    in_terminal(tutorial, "vim", VIM + ["-c", "set backupcopy=no"], [
        (b"sv_team", b":%s/sv_team 0/sv_team 9/|w\r"), (b"written", b":e!\r"),
        (b"2L, ", b":%s/sv_team 9/sv_team 1/|w|w|q\r")])
    finish(tutorial)


def test_a_killed_vim_recovers_from_its_swap_file(tutorial):
    s = tutorial
    t = Terminal([need("vim")] + VIM + ["-c", "set updatecount=1", "settings.cfg"], s.box.env(),
                 s / "info")
    t.expect(b"sv_team")
    t.send(b":%s/sv_team 0/sv_team 1/|preserve\r")
    t.expect(b"preserved")
    t.kill()
    assert s.m.get(SETTINGS) == OLD
    s.run("vim", "-N", "-e", "-s", "-i", "NONE", "-u", "NONE", "-r", "settings.cfg", "-c", "wq!",
          cwd=s / "info")
    assert s.m.get(SETTINGS) == NEW
    # as vim recommends; otherwise the unmount rescues the file
    os.unlink(s / "info/.settings.cfg.swp")
    s.end()
    s.settings_are(NEW)


REPLACE = """(progn (goto-char (point-min)) (search-forward "sv_team 0") (replace-match "sv_team 1")
    %s (save-buffer) (kill-emacs 0))"""


@pytest.mark.parametrize("how", [
    "", "(setq backup-by-copying t)", "(setq file-precious-flag t)"],
    ids=["plain", "backup-by-copying", "precious"])
def test_emacs_changes_the_settings(tutorial, how):
    for path in (tutorial.copy(SETTINGS), tutorial / SETTINGS):
        tutorial.run("emacs", "--batch", "-Q", path, "--eval", REPLACE % how)
    finish(tutorial)


@pytest.mark.parametrize("args", [[], ["-B"]], ids=["plain", "backup"])
def test_nano_changes_the_settings(tutorial, args):
    in_terminal(tutorial, "nano", ["-I"] + args, [
        (b"sv_team", b"\x1c"), (b"replace", b"sv_team 0\r"), (b"with", b"sv_team 1\r"),
        (b"this instance", b"a"), (b"Replaced", b"\x13"), (b"Wrote", b"\x18")])
    finish(tutorial)


def test_joe_changes_the_settings(tutorial):
    in_terminal(tutorial, "joe", [], [
        (b"sv_team", b"\x0bfsv_team 0\r"), (b"eplace", b"r\r"), (b"eplace with", b"sv_team 1\r"),
        (b"(Y)es", b"y"), (b"1", b"\x0bx")])
    finish(tutorial)


@pytest.mark.parametrize("args", [["-i"], ["-i.bak"]], ids=" ".join)
def test_sed_changes_the_settings(tutorial, args):
    tutorial.both(SETTINGS, "sed", *args, "s/sv_team 0/sv_team 1/")
    finish(tutorial)


@pytest.mark.parametrize("option", ["-i", "-i.bak"])
def test_perl_changes_the_settings(tutorial, option):
    tutorial.both(SETTINGS, "perl", option, "-pe", "s/sv_team 0/sv_team 1/")
    finish(tutorial)


def test_ed_changes_the_settings(tutorial):
    script = os.path.join(tutorial.box.root, "script")
    with open(script, "wb") as f:
        f.write(b",s/sv_team 0/sv_team 1/\nw\nq\n")
    for path in (tutorial.copy(SETTINGS), tutorial / SETTINGS):
        with open(script, "rb") as f:
            tutorial.run("ed", "-s", path, stdin=f)
    finish(tutorial)
