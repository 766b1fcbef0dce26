# SPDX-License-Identifier: Zlib
"""Random edits of an archive, done to a mount and to the model, whose results must be equal."""
import errno
import random
import struct

import archives
import tlwrite
from modeltree import Dir, File, fold, kind, path_of

DIRS = ["D1", "D2", "D3", "Deep"]
FILES = ["A.TXT", "B.TXT", "C.OGG", "U.DAT", "V.DAT", "W.TEMPLATE", "X.ANIMATION", "U.HIE", "L.LAYOUT", "M.LAYOUT",
         "SKILLS.RAW", "TRIGGERABLES.RAW"]
LAYOUT = """[Layout]
	<INTEGER>VERSION:4
	<UNSIGNED INT>COUNT:1
	[OBJECTS]
		[BASEOBJECT]
			[PROPERTIES]
				<STRING>DESCRIPTOR:Unit Trigger
				<STRING>NAME:Unit Trigger
				<INTEGER64>ID:%d
				<INTEGER64>PARENTID:-1
				<FLOAT>P_250:0.5
			[/PROPERTIES]
			[CHILDREN]
			[/CHILDREN]
		[/BASEOBJECT]
	[/OBJECTS]
[/Layout]
"""
ASIDE = ["%s~", "%s.tmp", ".%s.swp"]
RAW = [b"", b"one\n", b"two\n", b"\0\1\2", b"three " * 400]
HIDDEN = ["MEDIA/HID1/X.DAT", "MEDIA/HID2/SUB/X.TXT", "MEDIA/D1/U.DAT", "MEDIA/D2/HIDE.TXT", "media/a.txt",
          "MEDIA/README.TXT", "MEDIA/D3/HID3/B.TXT"]


def compiled_files(i):
    """{kind: (text, bytes)}"""
    def unit(at):
        return tlwrite.layout_object(at, 4, i, props=[(250, struct.pack("<f", 0.5))])
    skill = struct.pack("<I", 1) + tlwrite.ss("S%d" % i) + tlwrite.ss("F.DAT") + struct.pack("<q", -i)
    trigger = struct.pack("<H", 1) + tlwrite.ss("F.DAT") + tlwrite.ss("T%d" % i)
    return {"DAT": (archives.text_dat("t%d" % i, i), archives.dat("t%d" % i, i)),
            "LAYOUT": ((LAYOUT % i).encode(), tlwrite.layout([unit])),
            "SKILLS.RAW": (b"name\tfile\tguid\nS%d\tF.DAT\t%d\n" % (i, -i), skill),
            "TRIGGERABLES.RAW": (b"file\tname\nF.DAT\tT%d\n" % i, trigger)}


def wide(text):
    return b"\xff\xfe" + text.decode().replace("\n", "\r\n").encode("utf-16-le")


def texts(form):
    """{kind: {content that can be written to a compiled file: the text shown afterwards}}, {kind: {text: compiled}}."""
    reads, binary = {}, {}
    for i in range(6):
        for sort, (text, made) in compiled_files(i).items():
            shown = wide(text) if form == "utf16" and not sort.endswith(".RAW") else text
            reads.setdefault(sort, {}).update(dict.fromkeys((text, made, wide(text)), shown))
            binary.setdefault(sort, {})[shown] = made
    return reads, binary


class Edits:
    def __init__(self, seed, model, tree):
        self.rng, self.model, self.tree, self.log = random.Random(seed), model, tree, []

    # ---- one call to both

    def call(self, name, *args):
        if name in ("put", "rename") and kind(args[-1] if name == "rename" else args[0]) == "DAT":
            data = args[1] if name == "put" else getattr(self.model.find(args[0]), "shown", b"")
            # The file is also a text of data, but the next mount knows few of its names.
            if data in self.model.texts["LAYOUT"]:
                return errno.EINVAL
        self.log.append("%s %s" % (name, " ".join(
            repr(a[:40]) if isinstance(a, bytes) else str(a) for a in args)))
        want = getattr(self.model, name)(*args)
        try:
            getattr(self.tree, name)(*args)
            got = 0
        except OSError as e:
            got = e.errno
        if got != want:
            raise AssertionError("%s: %s instead of %s" % (
                self.log[-1], errno.errorcode.get(got, got), errno.errorcode.get(want, want)))
        return got

    def put(self, path, data):
        before = len(self.log)
        if self.call("put", path, data) and len(self.log) > before:
            self.log.append("... refused")
            if self.rng.random() < 0.5:
                self.call("drop", path)

    # ---- choices

    def pick_path(self, kind, scratch=True):
        found = [path_of(n) for n in self.model.nodes(scratch) if isinstance(n, kind)]
        found = [p for p in found if p != "MEDIA" and not p.startswith(".mod")]
        return self.random_case(self.rng.choice(found)) if found else None

    def random_case(self, path):
        """The path in a random case, except for the control files."""
        if self.rng.random() < 0.8:
            return path
        return path.lower() if self.rng.random() < 0.5 else path.upper()

    def parent(self):
        if self.rng.random() < 0.35:
            return "MEDIA"
        path = self.pick_path(Dir)
        return path if path and path.count("/") < 4 else "MEDIA"

    def aside(self, path):
        above, _, name = path.rpartition("/")
        return above + "/" + self.rng.choice(ASIDE) % name

    def name(self, names, scratch=0.15):
        path = self.parent() + "/" + self.random_case(self.rng.choice(names))
        return self.aside(path) if self.rng.random() < scratch else path

    def data(self, path):
        sort = kind(path)
        if sort and self.rng.random() < 0.85:
            return self.rng.choice(sorted(self.model.texts[sort]))
        some = sort or self.rng.choice(sorted(self.model.texts))
        # Only the close of an empty file validates it, which no call reports.
        return self.rng.choice([d for d in RAW if d or not sort] + sorted(self.model.texts[some])[:2])

    def new_file(self):
        """A name that no directory has."""
        path = self.name(FILES)
        return None if isinstance(self.model.find(path), Dir) else path

    # ---- edits

    def write(self):
        path = self.pick_path(File)
        if path:
            self.put(path, self.data(path))

    def create(self):
        path = self.new_file()
        if path:
            self.put(path, self.data(path))

    def copy(self):
        source, path = self.pick_path(File), self.new_file()
        data = self.tree.get(source) if source else b""
        if path and (data or not kind(path)):
            self.put(path, data)

    def mkdir(self):
        path = self.name(DIRS, 0.1)
        if not isinstance(self.model.find(path), File):
            self.call("mkdir", path)

    def rmdir(self):
        path = self.pick_path(Dir)
        if path:
            self.call("rmdir", path)

    def remove(self):
        path = self.pick_path(File)
        if path:
            self.call("unlink", path)

    def remove_all(self, path=None):
        path = path or self.pick_path(Dir)
        if path:
            for node in list(self.model.find(path).kids.values()):
                below = path + "/" + node.name
                if isinstance(node, Dir):
                    self.remove_all(below)
                else:
                    self.call("unlink", below)
            self.call("rmdir", path)

    def rename(self):
        source, path = self.pick_path(File), self.new_file()
        if source and path:
            self.call("rename", source, path)

    def rename_dir(self):
        source, path = self.pick_path(Dir), self.name(DIRS, 0.1)
        if not source or isinstance(self.model.find(path), File):
            return
        node, up = self.model.find(source), self.model.find(path.rpartition("/")[0])
        while up and up is not node:
            up = up.up
        if not up:
            self.call("rename", source, path)

    def copy_tree(self, source, path):
        """Copy a tree as `cp -r`."""
        there = self.model.find(path)
        if isinstance(there, File) or there is None and self.call("mkdir", path):
            return
        for node in list(self.model.find(source).kids.values()):
            below, to = source + "/" + node.name, path + "/" + (
                node.name if node.scratch else self.random_case(node.name))
            if isinstance(node, Dir):
                self.copy_tree(below, to)
            elif not isinstance(self.model.find(to), Dir):
                data = self.tree.get(below)
                if data or not kind(to):
                    self.put(to, data)

    def copy_dir(self):
        source, path = self.pick_path(Dir), self.name(DIRS, 0.1)
        if source and not (fold(path) + "/").startswith(fold(source) + "/") and path.count("/") < 5:
            self.copy_tree(source, path)

    def copy_back(self):
        """Move a directory away, copy it to its old place, and remove it."""
        source, path = self.pick_path(Dir, False), "MEDIA/AWAY%d" % self.rng.randrange(2)
        if source and not self.model.find(path) and self.call("rename", source, path) == 0:
            self.copy_tree(path, source)
            if self.rng.random() < 0.7:
                self.remove_all(path)

    def case_only(self):
        path = self.pick_path(File if self.rng.random() < 0.7 else Dir)
        if path:
            above, _, name = path.rpartition("/")
            self.call("rename", path, above + "/" + name.swapcase())

    def backup(self):
        """Save as editors do: rename the old file to a backup, then move the new one to its place."""
        path = self.pick_path(File, False)
        if path:
            aside = self.aside(path)
            if not isinstance(self.model.find(aside), Dir):
                self.call("rename", path, aside)
                if self.rng.random() < 0.6:
                    self.put(path, self.data(path))
                if self.rng.random() < 0.5:
                    self.call("unlink", aside)

    def replace(self):
        path = self.pick_path(File, False)
        if path:
            aside = self.aside(path)
            if not isinstance(self.model.find(aside), Dir):
                self.put(aside, self.data(path))
                if self.call("rename", aside, path) == 0 and self.rng.random() < 0.2:
                    self.put(path, self.data(path))

    def swap(self):
        one, two = self.pick_path(File, False), self.pick_path(File, False)
        if one and two and fold(one) != fold(two):
            aside = self.aside(one)
            if self.model.find(aside) is None:
                for call in ((one, aside), (two, one), (aside, two)):
                    if self.call("rename", *call):
                        break

    def touch(self):
        path = self.pick_path(File)
        if path:
            self.call("touch", path, self.rng.randrange(10 ** 9))

    def hide(self):
        paths = self.rng.sample(HIDDEN, self.rng.randrange(4))
        self.log.append("hide %s" % paths)
        self.model.hide(paths)
        self.tree.put(".mod/removed.txt", "".join(p + "\n" for p in paths).encode())

    def step(self):
        edits = {self.write: 4, self.create: 5, self.copy: 2, self.mkdir: 3, self.rmdir: 1, self.remove: 2,
                 self.remove_all: 1, self.rename: 6, self.rename_dir: 3, self.case_only: 1, self.backup: 3,
                 self.replace: 2, self.swap: 2, self.hide: 1, self.touch: 3, self.copy_dir: 1,
                 self.copy_back: 1}
        self.rng.choices(list(edits), list(edits.values()))[0]()
