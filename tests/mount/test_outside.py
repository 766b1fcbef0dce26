# SPDX-License-Identifier: Zlib
"""Another program replaces, damages and restores a mounted map, beside edits, saves and kills.

A save overwrites no other map (rule 7 of the design) and mixes no two maps. The content of each close is shown or in
a file: the map, a file beside it, a journal.
"""
import errno
import os
import random
import shutil

import pytest

import box as boxes
import marked_maps
import share

STEPS = 40
MAKE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC


class Round:
    def __init__(self, box, seed, kind, folder):
        self.box, self.rng, self.kind, self.folder, self.m = box, random.Random(seed), kind, folder, None
        self.other_maps, self.made = [kind.make(0)], 1
        self.paths = [box.add(data, name) for data, name in zip(self.other_maps[0], kind.names)]
        self.closed, self.unsaved, self.count = set(), set(), 0
        box.allow(*(name + ".*" for name in kind.names))

    # ---- present content

    def files(self, added=""):
        """The files of the map, or of a conflict. The manifest of a conflict has the ending last."""
        first, out = self.paths[0], []
        for path in self.paths:
            path = first + added + path[len(first):]
            out.append(boxes.get(path) if os.path.exists(path) else b"")
        return tuple(out)

    def whole(self):
        return marked_maps.parts(self.kind, self.files())

    def in_map(self):
        return (self.whole() or (None, set()))[1]

    def beside(self):
        """The texts of the conflict files beside the map. Each conflict file is a whole map from one original."""
        out, added, i = set(), ".mapfs-conflict", 1
        while os.path.exists(self.paths[0] + added):
            marks, written = marked_maps.parts(self.kind, self.files(added))
            assert len(marks) == 1, "%s is mixed of %s" % (added, marks)
            out |= written
            added, i = ".mapfs-conflict.%d" % i, i + 1
        return out

    def in_journals(self):
        to = os.path.join(self.box.root, "out")
        self.box.run("recover", self.paths[0], "--extract", to)
        files = [os.path.join(base, name) for base, _, names in os.walk(to) for name in names]
        out = {boxes.get(path)[:-1] for path in files}
        shutil.rmtree(to, ignore_errors=True)
        return out

    def shown(self):
        out = set()
        for text in self.kind.texts if self.m else ():
            try:
                out.add(boxes.get(self.path(text))[:-1])
            except OSError:
                pass  # in a damaged or missing map
        return out

    def nothing_is_lost(self):
        lost = self.closed - self.in_map() - self.beside() - self.in_journals()
        assert not lost - self.shown()

    # ---- mapfs

    def path(self, text):
        return os.path.join(self.m.point, self.kind.names[0] if self.folder else "", text)

    def check_map(self, work, *args):
        """Run an operation. Afterwards the map is unchanged, or a save has replaced the map that its base came
        from."""
        files, before = self.files(), self.whole()
        result = work(*args)
        if self.files() != files:
            after = self.whole()
            assert before and after, "a map was made of none, or none of it"
            assert before[0] == after[0], "another's map was overwritten"
        return result

    def mount(self):
        if self.m:
            return
        args = self.box.maps if self.folder else self.paths[0], self.box.point()
        r = self.check_map(self.box.run, *args)
        assert r.code == 0 or not self.whole(), r.err
        if r.code == 0:
            self.m = boxes.Mount(self.box, *args)

    def in_place(self, path, new):
        fd = os.open(path, os.O_RDWR)
        try:
            old = os.read(fd, 4096)
            os.ftruncate(fd, 0)
            os.pwrite(fd, new, 0)
        finally:
            os.close(fd)
        return old

    def renamed_over(self, path, new):
        old = boxes.get(path)
        boxes.put(path + "~", new, flags=MAKE)
        os.rename(path + "~", path)
        return old

    def anew(self, path, new):
        old = boxes.get(path)
        os.unlink(path)
        boxes.put(path, new, flags=MAKE)
        return old

    def may_fail(self, error):
        """A write may fail with these errors. Content that was not read before an in-place write is lost. In a
        folder, the replacement of a map has other inodes. A pair with unrelated files is read-only, in a folder also
        through the modes of its files, which root ignores."""
        allowed = [errno.EIO] + [errno.ESTALE, errno.ENOENT] * self.folder
        if len(self.paths) > 1:
            allowed += [errno.EROFS] + [errno.EACCES] * (self.folder and os.geteuid() != 0)
        return error in allowed

    def write(self):
        self.mount()
        if not self.m:
            return
        self.count += 1
        # In a folder, the path may belong to a replacement by now.
        way = self.in_place if self.folder else self.rng.choice((self.in_place, self.renamed_over, self.anew))
        new = b"%d" % self.count + b"." * (self.count % 8 if len(self.paths) == 1 else 9 * self.count)
        try:
            old = way(self.path(self.rng.choice(self.kind.texts)), new + b"\n")[:-1]
        except OSError as e:
            assert self.may_fail(e.errno), e
            return
        for those in self.closed, self.unsaved:
            those.discard(old)
            those.add(new)

    def ended(self, code):
        if code in (0, 6):
            assert self.unsaved <= self.in_map() | self.beside()
            self.unsaved = set()

    def sync(self):
        if self.m:
            r = self.check_map(boxes.refused, boxes.sync_root, self.m.point)
            # ESTALE: the content is in a conflict file, or lost with an in-place write into that.
            if r != errno.ESTALE:
                self.ended(r)

    def unmount(self):
        if not self.m:
            return
        code = self.check_map(self.box.run, "-u", self.m.point).code
        self.ended(code)
        assert code in (0, 4, 6) and self.m.mounted() == (code == 4)
        if code == 4:
            self.check_map(self.box.run, "-u", "--force", self.m.point)
            assert not self.m.mounted()
        self.m, self.unsaved = None, set()

    def kill(self):
        if self.m:
            self.check_map(self.box.kill_worker)
            self.m, self.unsaved = None, set()
            self.nothing_is_lost()

    # ---- the other program

    def put(self, files):
        """Write one or all files. Texts that only the old map had are lost."""
        self.closed -= self.in_map() - self.unsaved
        way = self.rng.choice(("renamed over", "written into", "and its times put back"))
        both = list(zip(self.paths, files))
        for path, data in self.rng.sample(both, self.rng.randint(1, len(both))):
            if way == "renamed over":
                boxes.put(path + ".new", data, flags=MAKE)
                os.rename(path + ".new", path)
                continue
            times = os.stat(path) if os.path.exists(path) else None
            boxes.put(path, data, flags=MAKE)
            if times and way == "and its times put back":
                os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    def replace(self):
        self.other_maps.append(self.kind.make(self.made))
        self.made += 1
        self.put(self.other_maps[-1])

    def restore(self):
        self.put(self.rng.choice(self.other_maps))

    def keep(self):
        if self.whole():
            self.other_maps.append(self.files())

    def touch(self):
        path = self.rng.choice(self.paths)
        if os.path.exists(path):
            self.rng.choice((lambda: os.utime(path), lambda: os.chmod(path, 0o640), lambda: self.put(self.files()),
                             lambda: (os.rename(path, path + ".aside"), os.rename(path + ".aside", path))))()

    def damage(self):
        left = self.rng.choice((0, 30))
        self.put([data[:left] for data in self.files()])
        path = self.rng.choice(self.paths)
        if self.rng.randrange(2) and os.path.exists(path):
            os.unlink(path)

    def run(self):
        works = [self.write] * 10 + [self.mount, self.sync, self.unmount] * 3 + [self.kill, self.replace] * 2
        works += [self.restore, self.touch] * 2 + [self.keep, self.damage]
        for _ in range(STEPS):
            wanted = works if self.whole() or self.rng.randrange(2) else (self.replace, self.restore)
            self.rng.choice(wanted)()
            if self.rng.randrange(4) == 0:
                self.nothing_is_lost()
        self.unmount()
        self.nothing_is_lost()


@pytest.mark.parametrize("seed", share.of(range(500), range(20)))
@pytest.mark.parametrize("folder", (False, True), ids=("alone", "folder"))
@pytest.mark.parametrize("kind", (marked_maps.Map, marked_maps.Pair), ids=("map", "pair"))
def test_no_map_is_overwritten_and_no_text_is_lost(box, seed, kind, folder):
    Round(box, seed, kind, folder).run()
