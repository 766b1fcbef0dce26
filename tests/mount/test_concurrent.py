# SPDX-License-Identifier: Zlib
"""Programs save files of their own in all ways of editors, beside programs that read everything.

Each program finds its files as it left them after every step, and no call fails except the close of refused content.
"""
import errno
import json
import os
import random
import subprocess
import sys

import pytest

# Each program is a process that runs this file.
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
import box as boxes  # noqa: E402
import datafile  # noqa: E402

SHARE, ALL = 60, 1000
PROGRAMS = 4
LOOK = """
import os, sys
while True:
    for base, _, names in os.walk(sys.argv[1]):
        for name in names:
            try:
                with open(os.path.join(base, name), "rb") as f:
                    f.read()
            except OSError:
                pass
"""
MAKE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC


class Program:
    """Number k writes the k-th text of info, which always exists, and three images, which come and go."""

    def __init__(self, point, k, seed):
        self.point, self.rng = point, random.Random(seed)
        self.text = os.path.join(point, "info", ("author", "version", "credits", "license")[k])
        self.images = [os.path.join(point, "images", "p%d_%s.json" % (k, c)) for c in "abc"]
        self.files, self.log = {}, []

    def content(self, path):
        if path == self.text:
            return b"%d\n" % self.rng.randrange(10 ** 6)
        return b'{\n  "external": true,\n  "width": %d,\n  "height": 8\n}\n' % self.rng.randrange(1, 1000)

    def put(self, path, data):
        boxes.put(path, data, flags=MAKE)
        self.files[path] = data

    def remove(self, path):
        if self.files.pop(path, None) is not None:
            os.unlink(path)

    def write(self, path):
        self.put(path, self.content(path))

    def write_beside_and_rename(self, path):
        beside = os.path.join(os.path.dirname(path), ".%s.new" % os.path.basename(path))
        data = self.content(path)
        boxes.put(beside, data, flags=MAKE)
        os.rename(beside, path)
        self.files[path] = data

    def write_after_a_backup(self, path):
        if path in self.files:
            os.rename(path, path + "~")
        self.write(path)
        if os.path.exists(path + "~"):
            os.unlink(path + "~")

    def write_after_a_removal(self, path):
        self.remove(path)
        self.write(path)

    def write_twice(self, path):
        """Write refused content first, then correct it."""
        assert boxes.refused(boxes.put, path, b"{\n\n", MAKE) == errno.EINVAL
        assert boxes.get(path) == b"{\n\n"
        self.write(path)

    def leave(self, path):
        if path != self.text:
            self.remove(path)

    def move(self, path):
        to = self.rng.choice(self.images)
        if path in self.files and path not in (self.text, to):
            os.rename(path, to)
            self.files[to] = self.files.pop(path)

    def save(self, path):
        fd = os.open(self.point, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)

    def step(self):
        path = self.rng.choice([self.text] + self.images)
        work = self.rng.choice((
            self.write, self.write_beside_and_rename, self.write_after_a_backup, self.write_after_a_removal,
            self.write_twice, self.leave, self.move, self.move, self.save))
        self.log.append("%s %s" % (work.__name__, os.path.basename(path)))
        work(path)
        listed = os.listdir(os.path.join(self.point, "images"))
        for path in self.images:
            assert (os.path.basename(path) in listed) == (path in self.files), path
        for path, data in self.files.items():
            assert boxes.get(path) == data, path


def run(point, k, seed, steps):
    p = Program(point, k, seed)
    try:
        for _ in range(steps):
            p.step()
    except Exception as e:
        e.add_note("after " + ", ".join(p.log[-8:]))
        raise
    print(json.dumps({os.path.basename(path): data.decode() for path, data in p.files.items()}))


@pytest.fixture
def started():
    running = []

    def start(*argv):
        running.append(subprocess.Popen([sys.executable, *map(str, argv)], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True))
        return running[-1]

    yield start
    for p in running:
        p.kill()
        p.communicate()


@pytest.mark.parametrize("seed", [1, 2])
def test_each_program_finds_its_files_unchanged(box, started, seed):
    m = box.mount(box.add(datafile.small_map(image=(16, 16))))
    steps = ALL if os.environ.get("MAPFS_TEST_ALL") else SHARE
    lookers = [started("-c", LOOK, m.point) for _ in range(2)]
    programs = [started(__file__, m.point, k, seed * 100 + k, steps) for k in range(PROGRAMS)]
    want = {}
    for p in programs:
        out, err = p.communicate(timeout=600)
        assert p.returncode == 0, err
        want.update(json.loads(out))
    for p in lookers:
        p.kill()
        p.wait()
    m.unmount_edited()
    out = os.path.join(box.root, "out")
    assert box.run("extract", m.map, out).code == 0
    images = {name.split("_", 1)[-1]: name for name in os.listdir(os.path.join(out, "images"))}
    for name, text in want.items():
        path = "images/" + images[name] if name.endswith(".json") else "info/" + name
        assert boxes.get(os.path.join(out, path)).decode() == text, name
    assert len(images) == 2 + sum(name.endswith(".json") for name in want)


GROUP = {"group.json": b'{"x_offset": 3}\n', "layers/0_a/layer.json": b'{"type": 2, "width": 2, "height": 2}\n',
         "layers/0_a/id.csv": b"  1,  2\n  3,  4\n", "layers/1_b/layer.json": b'{"type": 2, "width": 3, "height": 2}\n'}


@pytest.mark.parametrize("copy", [["cp", "-r"], [sys.executable, "-c", "import shutil, sys; shutil.copytree(*sys.argv[1:])"]],
                         ids=["cp", "python"])
def test_a_group_is_copied_completely_while_others_read(box, started, copy):
    """The mandatory directory of a new group exists at once for all processes but its maker, which can make it
    itself."""
    group = os.path.join(box.root, "group")
    for name, data in GROUP.items():
        path = os.path.join(group, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        boxes.put(path, data, flags=MAKE)
    m = box.mount(box.add(datafile.small_map(image=(16, 16))))
    lookers = [started("-c", LOOK, m / "groups") for _ in range(2)]
    for i in range(12):
        to = m / ("groups/%d_new" % (20 + i))
        r = subprocess.run(copy + [group, to], capture_output=True, text=True)
        assert r.returncode == 0, r.stderr
        assert boxes.get(os.path.join(to, "layers/0_a/id.csv")) == b"  1,  2\n  3,  4\n"
        assert sorted(os.listdir(os.path.join(to, "layers"))) == ["0_a", "1_b"]
    for p in lookers:
        p.kill()
        p.wait()
    m.unmount()


if __name__ == "__main__":
    run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
