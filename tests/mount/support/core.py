# SPDX-License-Identifier: Zlib
"""Trees to edit: a mount without FUSE (core.c), or a directory, which may be a real mount."""
import errno
import os
import subprocess

import places

PROGRAM = os.environ.get("MAPFS_CORE") or os.path.join(
    os.path.dirname(os.path.dirname(places.BINARY)), "tests", "mount", "test-mount-core")


class Core:
    """The program of core.c, which holds several mounts."""

    def __init__(self):
        self.process = subprocess.Popen([PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, command, box=0, a=b"", b=b""):
        """Send one request and return (code, bytes)."""
        a, b = (os.fsencode(t) if isinstance(t, str) else t for t in (a, b))
        pipe = self.process.stdin
        pipe.write(b"%s %d %d %d\n%s%s" % (command.encode(), box, len(a), len(b), a, b))
        pipe.flush()
        head = self.process.stdout.readline().split()
        if len(head) != 2:
            raise RuntimeError("test-mount-core died at %s %r" % (command, a[:200]))
        return int(head[0]), self.process.stdout.read(int(head[1]))

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class CoreTree:
    """One mount of the program."""

    def __init__(self, core, box):
        self.core, self.box = core, box

    def ask(self, command, a=b"", b=b""):
        code, text = self.core.ask(command, self.box, a, b)
        if code < 0:
            why = text.decode() or os.strerror(-code)
            if command == "put":
                why = self.core.ask("error", self.box, a)[1].decode() or why
            raise OSError(-code, why, a if isinstance(a, str) else None)
        return code, text

    def open(self, path, option=""):
        self.ask("open", path, option)

    def new(self):
        self.ask("new")

    def end(self):
        code, report = self.ask("end")
        return code, report.decode()

    def save(self):
        code, report = self.ask("save")
        return code, report.decode()

    def kill(self, option=""):
        return self.ask("kill", option)[1].decode()

    def map(self, ending=""):
        return self.ask("map", ending)[1]

    def get(self, path):
        return self.ask("get", path)[1]

    def put(self, path, data):
        self.ask("put", path, data)

    def mkdir(self, path):
        self.ask("mkdir", path)

    def rmdir(self, path):
        self.ask("rmdir", path)

    def unlink(self, path):
        self.ask("unlink", path)

    def rename(self, old, new):
        self.ask("rename", old, new)

    def touch(self, path, when):
        self.ask("touch", path, str(when))

    def sizes(self, path):
        """{name: listed size} of a directory"""
        words = self.ask("list", path)[1].split(b"\0")[:-1]
        return {os.fsdecode(n): int(size) for n, size in zip(words[::2], words[1::2])}

    def list(self, path):
        return sorted(self.sizes(path))

    def is_dir(self, path):
        code, _ = self.core.ask("list", self.box, path)
        return code == 0


class DirTree:
    """A tree on disk."""

    def __init__(self, root):
        self.root = root

    def at(self, path):
        return os.path.join(self.root, path)

    def get(self, path):
        with open(self.at(path), "rb") as f:
            return f.read()

    def put(self, path, data):
        fd = os.open(self.at(path), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        try:
            if os.write(fd, data) != len(data):
                raise OSError(errno.EIO, "written in part", path)
        finally:
            os.close(fd)

    def mkdir(self, path):
        os.mkdir(self.at(path))

    def rmdir(self, path):
        os.rmdir(self.at(path))

    def unlink(self, path):
        os.unlink(self.at(path))

    def rename(self, old, new):
        os.rename(self.at(old), self.at(new))

    def list(self, path):
        return sorted(os.listdir(self.at(path)))

    def is_dir(self, path):
        return os.path.isdir(self.at(path))


def remove(tree, path):
    """Remove a file or a whole directory, like rm -r."""
    if not tree.is_dir(path):
        tree.unlink(path)
        return
    for name in tree.list(path):
        remove(tree, path + "/" + name)
    tree.rmdir(path)


def files_below(tree, path):
    """[(path of a file or an empty directory, bytes or None)]"""
    names = tree.list(path)
    out = [] if names else [(path, None)]
    for name in names:
        below = path + "/" + name
        if tree.is_dir(below):
            out += files_below(tree, below)
        else:
            out.append((below, tree.get(below)))
    return out
