# SPDX-License-Identifier: Zlib
"""Completions of `mapfs` in bash, zsh and fish."""
import os
import shutil
import subprocess

import pytest

import datafile
import places

COMPLETIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "contrib", "completions")

BASH = """
. "$COMPLETIONS/mapfs.bash"
compopt() { :; }
eval "COMP_WORDS=($LINE)"
[ "${LINE% }" = "$LINE" ] || COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_mapfs
printf '%s\\n' "${COMPREPLY[@]}"
"""
# The environment of a zsh completion function, as far as ours uses it. compadd takes the name of an array.
ZSH = """
compadd() { print -l -- "${(@P)@[-1]}" }
_files() { print -l -- *(N) }
words=(${(z)LINE})
[[ $LINE == *' ' ]] && words+=('')
CURRENT=$#words PREFIX=$words[-1]
source "$COMPLETIONS/_mapfs"
"""


def run(*args, **env):
    """The lines that a shell prints; it must print no error."""
    r = subprocess.run(args, env=env, capture_output=True, text=True, timeout=60)
    assert r.stderr == "", r
    return r.stdout.split("\n")


def bash(line, env):
    return run("bash", "-c", BASH, **dict(env, LINE=line))


def fish(line, env):
    script = 'source "$COMPLETIONS/mapfs.fish"; complete -C "$LINE"'
    return [found.split("\t")[0] for found in run("fish", "-N", "-c", script, **dict(env, LINE=line))]


def zsh(line, env):
    return run("zsh", "-f", "-c", ZSH, **dict(env, LINE=line))


@pytest.fixture(params=[bash, fish, zsh])
def complete(request, tmp_path):
    shell = request.param
    if not shutil.which(shell.__name__):
        pytest.skip("not installed: " + shell.__name__)
    (tmp_path / "bin").mkdir()
    os.symlink(os.path.abspath(places.BINARY), tmp_path / "bin/mapfs")
    (tmp_path / "a b.map").write_bytes(datafile.small_map())
    env = dict(os.environ, PATH="%s:%s" % (tmp_path / "bin", os.environ["PATH"]), COMPLETIONS=COMPLETIONS,
               HOME=str(tmp_path), LC_ALL="C.UTF-8", TERM="xterm")
    here = os.getcwd()
    os.chdir(tmp_path)
    yield lambda line: shell(line, env)
    os.chdir(here)


def test_the_first_word_completes_commands_and_files(complete):
    found = complete("mapfs ")
    assert {"ls", "cat", "extract", "status", "mount", "umount", "recover", "help"} <= set(found)
    assert any("map" in name for name in found)
    assert "status" in complete("mapfs st")


def test_help_completes_its_topics(complete):
    found = complete("mapfs help ")
    assert {"ls", "umount", "commands", "options"} <= set(found) and "a b.map" not in found
    assert "options" in complete("mapfs help op") and "options" not in complete("mapfs op")
    assert "ls" not in complete("mapfs help ls ")


def test_paths_inside_a_map_are_completed(complete):
    found = complete("mapfs cat a\\ b.map im")
    assert "images/" in found and "0_checker.png" not in found
    found = complete("mapfs cat a\\ b.map images/")
    assert "images/0_checker.png" in found


def test_a_path_or_a_picture_is_completed(complete):
    found = complete("mapfs preview a\\ b.map ")
    assert "images/" in found and any("b.map" in name for name in found)
    assert "images/" not in complete("mapfs preview a\\ b.map images ")


def test_options_are_completed(complete):
    assert "--discard" in complete("mapfs --di")
    found = complete("mapfs check --j")
    assert "--json" in found and "--discard" not in found
    # Mount options may follow the file.
    assert "--foreground" in complete("mapfs a\\ b.map --f") and "--force" in complete("mapfs umount --f")


def test_rules_are_completed(complete):
    found = complete("mapfs check --rules ")
    assert "ddnet" in found and any("b.map" in name for name in found)
    assert "ddnet" not in complete("mapfs check ")


@pytest.mark.parametrize("line", [
    "mapfs -", "mapfs -o ", "mapfs -o ro ", "mapfs none.map ", "mapfs a\\ b.map ", "mapfs ls ", "mapfs ls none.map ",
    "mapfs put a\\ b.map x ", "mapfs preview ", "mapfs extract a\\ b.map none ", "mapfs convert ", "mapfs none x "])
def test_no_error_is_printed(complete, line):
    complete(line)


def test_games_are_completed(complete):
    for line in ("mapfs convert --to ", "mapfs check --for "):
        assert {"0.6", "0.7", "ddnet"} <= set(complete(line))
    assert "0.7" not in complete("mapfs convert ")
