# SPDX-License-Identifier: Zlib
"""Draws random operations of people and editors on a tree, by paths; the drawers of the formats know the content of
files. Each operation is done on a mount as it is drawn, so that the next one fits the tree. The result is a list that
needs no such mount."""
import os
import random

SCRATCH = ["%s~", "%s.tmp", ".%s.swp", "%s.jpg", ".#%s"]


class Nothing(Exception):
    """There is nothing that the operation could be done with."""


class Draw:
    # Operations that a format adds: {method: weight}.
    WEIGHTS = {"write": 12, "write_bad": 2, "move": 7, "swap": 3, "remove": 5, "remove_again": 2, "copy": 5,
               "make_dir": 2, "scratch": 2, "backup": 3, "cut": 1, "append": 1, "drop": 1, "move_over": 2, "look": 1,
               "aside": 2}

    def __init__(self, rng, side):
        self.rng, self.side, self.ops = rng, side, []
        self.content = side.walk()
        self.removed = {}  # {path: removed content}, to create it again

    # ---- one operation

    def do(self, *op):
        self.ops.append(op)
        result = "0" if op[0] == "look" else self.side.do(op)
        names = self.side.walk(names=True)
        if op[0] == "put":
            self.content.update({p: op[3] for p in names if p.upper() == op[1].upper()})
        elif op[0] == "mv" and result == "0":
            for path in [p for p in self.content if p == op[1] or p.startswith(op[1] + "/")]:
                self.content[op[2] + path[len(op[1]):]] = self.content.pop(path)
        for path in [p for p in self.content if p not in names]:
            self.removed[path] = self.content.pop(path)
        for path, data in names.items():
            if path not in self.content:
                self.content[path] = None if data is None else self.side.read(path)
        return result == "0"

    def put(self, path, data):
        """Write in one of the ways of programs."""
        rng = self.rng
        if path not in self.content:
            return self.do("put", path, rng.choice(("new", "new", "trunc", "shell")), data)
        way = rng.choice(("over", "trunc", "trunc", "shell", "temp", "temp", "backup", "anew"))
        if way in ("over", "trunc", "shell"):
            return self.do("put", path, way, data)
        if way == "temp":
            aside = self.beside(path)
            return self.do("put", aside, "new", data) and self.do("mv", aside, path)
        if way == "anew":
            self.do("rm", path)
            return self.do("put", path, "new", data)
        aside = self.beside(path)
        self.do("mv", path, aside)
        done = self.do("put", path, "new", data)
        if rng.random() < 0.5:
            self.do("rm", aside)
        return done

    # ---- choices

    def pick(self, found):
        found = sorted(found)
        if not found:
            raise Nothing
        return self.rng.choice(found)

    def files(self, below=""):
        return [p for p, d in self.content.items() if isinstance(d, bytes) and p.startswith(below)]

    def dirs(self):
        return [p for p, d in self.content.items() if d is None]

    def is_dir(self, path):
        return self.content.get(path, b"") is None

    def below(self, path):
        return {p: d for p, d in self.content.items() if p.startswith(path + "/")}

    def beside(self, path):
        """A free scratch name."""
        above, name = os.path.split(path)
        for _ in range(20):
            out = os.path.join(above, self.rng.choice(SCRATCH) % name)
            if out not in self.content:
                return out
        raise Nothing

    # ---- methods that a format overrides

    def things(self):
        """Paths of objects that can be moved and removed as a whole."""
        raise NotImplementedError

    def fresh(self, path):
        """A path to which the object at this path can be moved or copied, or where it can be created."""
        raise NotImplementedError

    def text(self, path):
        """Other content for a file, which may be valid."""
        raise NotImplementedError

    def bad(self, path):
        """Invalid content for a file."""
        raise NotImplementedError

    # ---- operations

    def write(self):
        path = self.pick(self.files())
        self.put(path, self.text(path))

    def write_bad(self):
        path = self.pick(self.files())
        self.put(path, self.bad(path))

    def move(self):
        path = self.pick(self.things())
        self.do("mv", path, self.fresh(path))

    def aside(self):
        """Move to a scratch name, and perhaps back."""
        path = self.pick(self.things())
        aside = self.beside(path)
        if self.do("mv", path, aside) and self.rng.random() < 0.5:
            self.do("mv", aside, path if self.rng.random() < 0.7 else self.fresh(path))

    def move_over(self):
        one = self.pick(self.things())
        self.do("mv", one, self.pick([p for p in self.things() if p != one and self.alike(one, p)]))

    def alike(self, one, two):
        """Can one probably replace the other?"""
        return os.path.dirname(one) == os.path.dirname(two) and self.is_dir(one) == self.is_dir(two)

    def swap(self):
        one = self.pick(self.things())
        two = self.pick([p for p in self.things() if self.alike(one, p) and p != one])
        aside = self.beside(one)
        self.do("mv", one, aside) and self.do("mv", two, one) and self.do("mv", aside, two)

    def rm_all(self, path):
        if not self.is_dir(path):
            self.do("rm", path)
            return
        for name in sorted(self.below(path), key=lambda p: (-p.count("/"), p)):
            if name in self.content:
                self.do("rmdir" if self.is_dir(name) else "rm", name)
        self.do("rmdir", path)

    def remove(self):
        self.rm_all(self.pick(self.things()))

    def remove_again(self):
        """Remove something and create it again, equal or changed."""
        path = self.pick(self.things())
        was = self.tree(path)
        self.rm_all(path)
        for _ in range(self.rng.randrange(2)):
            self.step()
        if self.rng.random() < 0.3 and isinstance(was[""], bytes):
            was[""] = self.text(path)
        self.make(path, was)

    def tree(self, path):
        out = {"": self.content[path], **{p[len(path):]: d for p, d in self.below(path).items()}}
        if any(isinstance(d, str) for d in out.values()):
            raise Nothing  # unreadable
        return out

    def make(self, path, tree, part=1.0):
        """Create files in random order, and directories when they are needed."""
        if tree[""] is not None:
            self.put(path, tree[""])
            return
        self.do("mkdir", path)
        todo = [n for n in sorted(tree) if n and isinstance(tree[n], bytes)]
        self.rng.shuffle(todo)
        for name in todo:
            if self.rng.random() > part:
                continue
            above = ""
            for step in name[1:].split("/")[:-1]:
                above += "/" + step
                if path + above not in self.content:
                    self.do("mkdir", path + above)
            self.put(path + name, tree[name])

    def copy(self):
        path = self.pick(self.things())
        tree = self.tree(path)
        if len(tree) > 14:
            raise Nothing
        self.make(self.fresh(path), tree, self.rng.choice((1.0, 1.0, 0.7)))

    def make_dir(self):
        self.do("mkdir", self.fresh(self.pick(self.dirs())))

    def scratch(self):
        above = self.pick(self.dirs() + [""])
        name = self.rng.choice((".swp", "a.jpg", "x~", ".hidden", "#x#", "Thumbs.db", ".git", "4913"))
        path = os.path.join(above, name)
        if path in self.content:
            self.do("rm" if not self.is_dir(path) else "rmdir", path)
        elif self.rng.random() < 0.2:
            self.do("mkdir", path)
        else:
            self.put(path, self.rng.choice((b"", b"scratch", self.pick_bytes())))

    def pick_bytes(self):
        return self.content[self.pick(self.files())]

    def backup(self):
        path = self.pick(self.files())
        aside = self.beside(path)
        if self.rng.random() < 0.5:
            self.put(aside, self.content[path])
        else:
            self.do("mv", path, aside)
        if self.rng.random() < 0.8:
            self.put(path, self.text(path))

    def cut(self):
        path = self.pick(self.files())
        self.do("cut", path, self.rng.choice((0, 0, len(self.content[path]) // 2)))

    def append(self):
        path = self.pick(self.files())
        self.do("put", path, "append", self.rng.choice((b"", b"\n", b"x", self.content[path])))

    def drop(self):
        self.do("drop", self.pick(self.files()))

    def look(self):
        self.do("look")

    def step(self):
        for _ in range(30):
            name = self.rng.choices(list(self.WEIGHTS), list(self.WEIGHTS.values()))[0]
            try:
                return getattr(self, name)()
            except Nothing:
                continue

    def sequence(self, n):
        while len(self.ops) < n:
            self.step()
        return self.ops


def with_events(ops, rng, kinds):
    """Saves of both sides, and kills of one, at random places."""
    out = []
    for op in ops:
        out.append(op)
        while kinds and rng.random() < 0.12:
            out.append((rng.choice(kinds),))
    return out


def generator(seed, *what):
    return random.Random("%s/%s" % (seed, "/".join(map(str, what))))
