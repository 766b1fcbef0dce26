# SPDX-License-Identifier: Zlib
"""The random edits of test_structure.py on a real mount, done by common programs in their ways of writing: in place,
in pieces, with a temporary file, with a backup and a new file. There is a kill -9 and a save between them.

MAPFS_TEST_SEED runs one sequence and prints its steps.
"""
import os
import random
import shutil
import subprocess

import pytest

import box as boxes
import randommap
import share
from core import DirTree
from test_structure import SEED, Sequence

STEPS = 5
# $1: a file with the new content, $2: the file to write, $3: its path in the mount, $4: the mount.
WRITE = {
    "cp": 'cp "$1" "$2"',
    "cp -a": 'cp -a "$1" "$2"',
    "cp --remove-destination": 'cp --remove-destination "$1" "$2"',
    "shell": 'cat "$1" > "$2"',
    "shell in pieces": ': > "$2"; head -c 20 "$1" >> "$2"; tail -c +21 "$1" >> "$2"',
    "dd": 'dd if="$1" of="$2" bs=100 conv=fsync status=none',
    "dd conv=notrunc": 'truncate -s "$(stat -c %s "$1")" "$2"; '
                       'dd if="$1" of="$2" conv=notrunc,fsync status=none',
    "temporary": 'cp "$1" "$2.tmp" && mv -T "$2.tmp" "$2"',
    "backup": '[ ! -e "$2" ] || mv "$2" "$2~" && cp "$1" "$2" && rm -f "$2~"',
    "mv": 'mv "$1" "$2"',
    "install": 'install -m644 "$1" "$2"',
    "rsync": 'rsync -aI "$1" "$2"',
    "rsync --inplace": 'rsync -I --inplace --no-whole-file "$1" "$2"',
    "rsync --delay-updates": 'rsync -aI --delay-updates "$1" "$2"',
    "tar": 'mkdir -p "$1.d/${3%/*}" && cp "$1" "$1.d/$3" && tar -C "$1.d" -cf "$1.tar" "./$3" && '
           'tar -C "$4" -xf "$1.tar"',
    "git": 'git init -q "$1.git" && cd "$1.git" && '
           'git update-index --add --cacheinfo "100644,$(git hash-object -w "$1"),$3" && '
           'git --work-tree="$4" checkout -f -- "$3"',
}
# Programs that change lines of an existing file.
EDIT = {
    "sed -i": 'sed -i -n "1r $1" "$2"',
    "perl -i": 'FROM=$1 perl -i -0777 -ne \'open F, "<", $ENV{FROM}; print <F>\' "$2"',
    "patch": 'diff -u "$2" "$1" > "$1.patch"; [ ! -s "$1.patch" ] || patch -s --binary "$2" "$1.patch"',
    "vim": 'vim -N -u NONE -i NONE -es "$2" -c "silent %d _" -c "silent 0r $1" '
           '-c "if getline(\'$\') == \'\' | silent \\$d _ | endif" -c w -c q!',
}
MAYBE = {"rsync", "git", "perl", "patch", "vim"}
LINES = (".csv", ".json")
MOVE = {"mv": 'mv "$1" "$2"', "mv -T": 'mv -T "$1" "$2"'}


class ToolTree(DirTree):
    """A directory that programs change; the log names the programs."""

    def __init__(self, root, stage, seed):
        super().__init__(root)
        self.stage, self.rng, self.log, self.n = stage, random.Random(seed), [], 0
        os.mkdir(stage)

    def run(self, ways, *args):
        way = self.rng.choice([w for w in ways if w.split()[0] not in MAYBE or shutil.which(w.split()[0])])
        self.log.append("  by " + way)
        r = subprocess.run(["sh", "-c", ways[way], "sh", *args], stdin=subprocess.DEVNULL,
                           capture_output=True, check=False, timeout=90,
                           env=dict(os.environ, HOME=self.stage, LC_ALL="C.UTF-8"))
        if r.returncode:
            raise RuntimeError("%s gives %d: %s" % (way, r.returncode, r.stderr.decode()))

    def put(self, path, data):
        self.n += 1
        new = os.path.join(self.stage, str(self.n))
        boxes.put(new, data, os.O_WRONLY | os.O_CREAT)
        to, ways = self.at(path), WRITE
        if path.endswith(LINES) and os.path.exists(to) and os.path.getsize(to) and data.endswith(b"\n"):
            ways = self.rng.choice((WRITE, EDIT))
        self.run(ways, new, to, path, self.root)

    def rename(self, old, new):
        self.run(MOVE, self.at(old), self.at(new))


def sync(m):
    subprocess.run(["sync", m.point], check=True, timeout=90)


@pytest.mark.parametrize("seed", [int(SEED)] if SEED else range(40_001, 40_001 + share.of(60, 8)))
def test_edits_by_programs_give_the_map_of_the_model(box, seed):
    path = box.add(randommap.random_map(seed), "a.map")
    m = box.mount(path, "raw=rw" if seed % 2 else "cache=1M")
    tree = ToolTree(m.point, os.path.join(box.root, "stage"), seed)
    s = Sequence(seed, path, tree)
    tree.log = s.editor.log
    s.steps(STEPS)
    if seed % 3:
        s.editor.log.append("# kill -9")
        box.kill_worker()
        m = box.mount(path)
        s.steps(STEPS)
    before = s.saved_tree()
    if seed % 4:
        sync(m)
        s.compare(boxes.get(path), "the saved map")
        s.world.saved()
        s.steps(STEPS)
    report = m.unmount_edited()
    s.compare(boxes.get(path), "the map")
    if seed % 4:
        return
    m = box.mount(path)
    s.check_report(report, before, tree)
    m.unmount()
