# SPDX-License-Identifier: Zlib
"""Random reads, writes, truncations, mapped writes and reopenings of mounted files, compared with a model.

MAPFS_TEST_ALL=1 runs 100 000 operations. MAPFS_TEST_SEED starts with another seed. A scratch file shows its written
bytes. A text of the map shows them too, and after a save its canonical form, or the refused content if it has a NUL.
"""
import errno
import mmap
import os
import random

import pytest

import share
from editing import sync

OPERATIONS = (100_000, 6_000)
SEED = int(os.environ.get("MAPFS_TEST_SEED", "1"))
LINE_MAX = 255


class Model:
    """The content of a file, and its open descriptors by their flags."""

    def __init__(self, path, alphabet, most, canonical):
        self.path, self.alphabet, self.most, self.canonical = path, alphabet, most, canonical
        self.data, self.open, self.log = bytearray(), [], []
        self.verdicts = {True: 0, False: 0}

    def write(self, off, data):
        if off > len(self.data):
            self.data.extend(bytes(off - len(self.data)))
        self.data[off:off + len(data)] = data

    def truncate(self, size):
        self.data.extend(bytes(max(0, size - len(self.data))))
        del self.data[size:]

    def close(self, fd):
        """True if the close refuses the content."""
        self.open.remove(fd)
        refused = False
        try:
            os.close(fd)
        except OSError as e:
            assert e.errno == errno.EINVAL, e
            refused = True
        if not self.open:
            self.verdicts[self.canonical(bytes(self.data)) is None] += 1
        return refused

    def save(self):
        canonical = self.canonical(bytes(self.data))
        if canonical is not None:
            self.data = bytearray(canonical)


def unchanged(data):
    return data


def text(data):
    """layout-teeworlds.md, rule 9; None: the content is refused."""
    if 0 in data or any(len(line) > LINE_MAX for line in data.split(b"\n")):
        return None
    return data if not data or data.endswith(b"\n") else data + b"\n"


class Run:
    def __init__(self, seed, model, mount):
        self.rng, self.m, self.seed, self.mount = random.Random(seed), model, seed, mount
        self.n = 0

    def fd(self):
        if not self.m.open:
            self.do_open()
        return self.rng.choice(self.m.open)

    def check(self, what, got, want):
        if got != want:
            at = next((i for i in range(min(len(got), len(want))) if got[i] != want[i]), min(len(got), len(want)))
            pytest.fail("seed %d, operation %d, %s: %d bytes instead of %d, other from %d on\n%s" % (
                self.seed, self.n, what, len(got), len(want), at, "\n".join(self.m.log[-25:])))

    def random_bytes(self):
        return bytes(self.rng.choices(self.m.alphabet, k=self.rng.choice((1, 7, 100, 4096, 5000))))

    def random_offset(self):
        size = len(self.m.data)
        beyond = self.rng.randint(1, 300) if self.rng.random() < 0.03 else 0  # the hole is NULs
        return min(self.rng.choice((0, size, self.rng.randint(0, size))) + beyond, self.m.most)

    def do_open(self):
        flags = os.O_RDWR | self.rng.choice((0, 0, 0, os.O_TRUNC))
        if len(self.m.open) == 3:
            return self.do_close()
        self.m.open.append(os.open(self.m.path, flags))
        if flags & os.O_TRUNC:
            self.m.truncate(0)
        self.m.log.append("open %o: %d" % (flags, self.m.open[-1]))

    def do_close(self):
        fd = self.fd()
        self.m.log.append("close %d" % fd)
        self.m.close(fd)

    def do_write(self):
        fd, off, data = self.fd(), self.random_offset(), self.random_bytes()
        self.m.log.append("write %d at %d: %d bytes" % (fd, off, len(data)))
        assert os.pwrite(fd, data, off) == len(data)
        self.m.write(off, data)

    def do_append(self):
        data = self.random_bytes()[:64]
        self.m.log.append("append %d bytes" % len(data))
        fd = os.open(self.m.path, os.O_WRONLY | os.O_APPEND)
        self.m.open.append(fd)
        # Another handle may have cut the file since this one last read its size.
        assert os.write(fd, data) == len(data)
        self.m.write(len(self.m.data), data)
        self.m.close(fd)

    def do_truncate(self):
        size = self.random_offset()
        if self.rng.random() < 0.5:
            fd = self.fd()
            os.ftruncate(fd, size)
        else:
            if not self.m.open:
                self.do_open()
            os.truncate(self.m.path, size)
        self.m.log.append("truncate to %d" % size)
        self.m.truncate(size)

    def do_mapped(self):
        fd, size = self.fd(), len(self.m.data)
        if not size:
            return
        self.check("size", b" " * os.fstat(fd).st_size, b" " * size)
        with mmap.mmap(fd, size) as pages:
            self.check("mapped", pages[:], bytes(self.m.data))
            off = self.rng.randrange(size)
            data = self.random_bytes()[:size - off]
            pages[off:off + len(data)] = data
            self.m.write(off, data)
            self.m.log.append("mapped %d at %d: %d bytes" % (fd, off, len(data)))
            if self.rng.random() < 0.7:
                pages.flush()
        os.fsync(fd)  # writes through other descriptors come later

    def do_read(self):
        fd, off, n = self.fd(), self.random_offset(), self.rng.choice((1, 100, 4096, 70_000))
        self.check("read", os.pread(fd, n, off), bytes(self.m.data[off:off + n]))

    def do_stat(self):
        # Open the file first: after a last close, the kernel shows the old size for a moment.
        with open(self.m.path, "rb") as f:
            self.check("size", b" " * os.fstat(f.fileno()).st_size, b" " * len(self.m.data))
            self.check("whole", f.read(), bytes(self.m.data))

    def do_sync(self):
        os.fsync(self.fd())

    def do_save(self):
        if self.m.open:
            return self.do_close()
        self.m.log.append("save")
        sync(self.mount)
        self.m.save()

    def run_operations(self, n):
        steps = [self.do_write] * 5 + [self.do_read] * 4 + [self.do_truncate, self.do_append] * 2 + \
            [self.do_mapped] * 2 + [self.do_close] * 2 + \
            [self.do_open, self.do_stat, self.do_sync, self.do_save]
        for self.n in range(n):
            self.rng.choice(steps)()
        while self.m.open:
            self.m.close(self.m.open[-1])
        self.do_stat()
        self.do_save()
        self.do_stat()


def test_a_scratch_file_behaves_like_the_model(box, small):
    m = box.mount(small)
    os.close(os.open(m / "images/.scratch.swp", os.O_CREAT | os.O_WRONLY))
    box.allow("small.map.mapfs-left")
    model = Model(m / "images/.scratch.swp", range(256), 600_000, unchanged)
    Run(SEED, model, m).run_operations(share.of(*OPERATIONS) // 2)
    os.unlink(m / "images/.scratch.swp")
    m.unmount()


def test_a_text_behaves_like_the_model_and_becomes_canonical_or_refused(box, small):
    m = box.mount(small)
    path = m / "info/settings.cfg"
    os.truncate(path, 0)
    model = Model(path, b"ab\n" * 20_000 + b"\0", 40_000, text)
    Run(SEED, model, m).run_operations(share.of(*OPERATIONS) // 2)
    assert min(model.verdicts.values()) > 10, model.verdicts
    draft = text(bytes(model.data)) is None
    box.allow(*["small.map.mapfs-left"] * draft)
    m.unmount(code=5 if draft else 0)
