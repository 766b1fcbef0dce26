# SPDX-License-Identifier: Zlib
"""An archive under edit, in plain Python: a base, and a tree over it with folded names. Each node knows its `origin`
(an object or directory of the base) and its bytes, if they differ. If an object of the base was removed or moved to a
scratch name, `gone` keeps it for its old place."""
import errno
import fnmatch

DATS = (".DAT", ".TEMPLATE", ".ANIMATION", ".HIE")
INDEXES = ("SKILLS.RAW", "TRIGGERABLES.RAW")
HIDDEN_DIR = "HID"  # directory with hidden files
EPOCH = 116444736000000000  # 1970, in 100 ns since 1601, as all times
HABITS = (".*", "*~", "*.tmp", "*.swp", "4913")


def fold(text):
    return text.upper()


def kind(name):
    """The kind of compiled file for a name; None if files of this name are not compiled."""
    name = fold(name).rpartition("/")[2]
    if name.endswith(DATS):
        return "DAT"
    return "LAYOUT" if name.endswith(".LAYOUT") else name if name in INDEXES else None


class Object:
    """A file of the base."""

    def __init__(self, home, name, data, time):
        self.home, self.name, self.data, self.time = home, name, data, time


class Home:
    """A directory of the base."""

    def __init__(self, up=None, name=""):
        self.up, self.name, self.has = up, name, {}  # has: {folded name: (name, Home or Object)}


class Node:
    def __init__(self, name, scratch, origin):
        self.name, self.scratch, self.origin, self.up = name, scratch, origin, None


class Dir(Node):
    def __init__(self, name, scratch=False, origin=None):
        super().__init__(name, scratch, origin)
        self.kids, self.gone = {}, {}  # gone: {folded name: origin of a file that is created there}

    def put(self, node, name=None):
        if node.up:
            del node.up.kids[fold(node.name)]
        node.name, node.up = name or node.name, self
        self.kids[fold(node.name)] = node
        self.gone.pop(fold(node.name), None)


class File(Node):
    def __init__(self, name, scratch, origin):
        super().__init__(name, scratch, origin)
        self.data = None  # closed here, as a file of the map
        self.was = None  # accepted before, if `data` is refused
        self.refused = False
        self.own = None  # written to a scratch file
        self.frozen = None  # shown by a scratch file since a save
        self.time = None  # time that was set; None: not set

    @property
    def shown(self):
        origin = self.origin.data if self.origin else None
        return next((d for d in (self.own, self.data, self.frozen) if d is not None), origin)


def path_of(node, name=None):
    parts = [name] if name else []
    while node.up:
        parts.insert(0, node.name)
        node = node.up
    return "/".join(parts)


class Tree:
    def __init__(self, texts, plain, base, hidden):
        """texts: {kind: {bytes that can be written to a compiled file: what it shows then}}
        base: {path: (content, time), or None of a directory}"""
        self.texts, self.plain = texts, plain
        self.journal, self.replaying = [], False
        self.begin(base, hidden)

    def begin(self, base, hidden):
        """Start a fresh tree."""
        self.set_base(base, hidden)
        self.root = self.tree_of(self.base, "")

    def set_base(self, base, hidden):
        self.base, self.hidden, self.listed = Home(), list(hidden), list(hidden)
        for path in sorted([*base, *(h.rpartition("/")[0] for h in hidden)]):
            at, parts = self.base, path.split("/")
            for i, part in enumerate(parts):
                last = i == len(parts) - 1 and base.get(path) is not None
                if fold(part) not in at.has:
                    at.has[fold(part)] = (part, Object(at, part, *base[path]) if last else Home(at, part))
                at = at.has[fold(part)][1]

    def tree_of(self, home, name):
        d = Dir(name, False, home)
        for name, what in home.has.values():
            d.put(self.tree_of(what, name) if isinstance(what, Home) else File(name, False, what))
        return d

    # ---- lookups

    def find(self, path):
        node = self.root
        for part in filter(None, path.split("/")):
            node = node.kids.get(fold(part)) if isinstance(node, Dir) else None
        return node

    def nodes(self, scratch=True, top=None):
        for node in list((top or self.root).kids.values()):
            if scratch or not node.scratch:
                yield node
                if isinstance(node, Dir):
                    yield from self.nodes(scratch, node)

    def shown(self):
        return {fold(path_of(n)): None if isinstance(n, Dir) else n.shown for n in self.nodes()}

    def is_scratch_name(self, up, name, is_dir):
        if up.scratch or any(fnmatch.fnmatchcase(name, h) for h in HABITS):
            return True
        return up is self.root and not (is_dir and fold(name) == "MEDIA")

    def parse(self, name, data):
        """The content that a file of this name shows after this was written; None if it is refused."""
        if self.plain or not kind(name):
            return data
        return self.texts[kind(name)].get(data)

    def alike(self, one, other):
        return self.plain or kind(one) == kind(other)

    def split(self, path):
        above, _, name = path.rpartition("/")
        return self.find(above), name

    def path_now(self, what, homes=None):
        """Current path of an object or directory of the base, after renames of its directories."""
        if homes is None:
            homes = {n.origin: path_of(n) for n in self.nodes(False) if isinstance(n, Dir) and n.origin}
        if what in homes or not what:
            return homes.get(what, "")
        up = what.up if isinstance(what, Home) else what.home
        return (self.path_now(up, homes) + "/" + what.name).lstrip("/")

    def find_object(self, up, name):
        """The object of the base with this name."""
        return up.origin.has.get(fold(name), (None, None))[1] if up.origin else None

    # ---- calls: return 0 or an errno; after an errno nothing has changed except for refused content

    def log(self, *op):
        if not self.replaying:
            self.journal.append(op)

    @staticmethod
    def is_journaled(node):
        return isinstance(node, Dir) or node.origin is not None or node.data is not None

    @staticmethod
    def write(file, data, refused):
        if not refused:
            file.was = None
        elif file.data is not None and not file.refused:
            file.was = file.data
        file.data, file.refused, file.frozen, file.own = data, refused, None, None

    def put(self, path, data, refused=None):
        up, name = self.split(path)
        file = up.kids.get(fold(name))
        if not file:
            scratch = self.is_scratch_name(up, name, False)
            file = File(name, scratch, None if scratch else up.gone.get(fold(name)))
            up.put(file)
        file.time = None
        if file.scratch:
            file.own = data
            return 0
        if refused is None:
            refused = self.parse(name, data) is None
        self.write(file, data, refused)
        self.log("put", path, data, refused)
        return errno.EINVAL if refused else 0

    def drop(self, path):
        file = self.find(path)
        self.log("drop", path)
        if file.was is None and not file.origin:
            self.remove(file)
            return 0
        file.data, file.was, file.refused, file.time = file.was, None, False, None
        return 0

    def touch(self, path, when):
        self.find(path).time = EPOCH + when * 10 ** 7
        return 0

    def mkdir(self, path):
        up, name = self.split(path)
        if fold(name) in up.kids:
            return errno.EEXIST
        up.put(Dir(name, self.is_scratch_name(up, name, True)))
        self.log("mkdir", path)
        return 0

    def vacate(self, up, name, left):
        there = self.find_object(up, name)
        if there or left:
            up.gone[fold(name)] = left if not there else there if isinstance(there, Object) else None

    def remove(self, node):
        up, left = node.up, None if isinstance(node, Dir) or node.scratch else node.origin
        del up.kids[fold(node.name)]
        node.up = None
        self.vacate(up, node.name, left)

    def unlink(self, path):
        node = self.find(path)
        if self.is_journaled(node):
            self.log("remove", path)
        self.remove(node)
        return 0

    def rmdir(self, path):
        return errno.ENOTEMPTY if self.find(path).kids else self.unlink(path)

    def rename(self, old, new):
        node = self.find(old)
        up, name = self.split(new)
        target = up.kids.get(fold(name))
        if target is node:
            return 0
        if target and isinstance(target, Dir) != isinstance(node, Dir):
            return errno.EISDIR if isinstance(target, Dir) else errno.ENOTDIR
        nothing = self.is_scratch_name(up, name, isinstance(node, Dir))
        if isinstance(node, Dir) and target and target.kids:
            return errno.ENOTEMPTY
        if isinstance(node, Dir) and nothing != node.scratch:
            return errno.EPERM if nothing else errno.EXDEV
        put = not isinstance(node, Dir) and not nothing and self.check_rename(node, up, name)
        if put is None:
            return errno.EPERM
        if self.is_journaled(node):
            self.log("rename", old, new)
        elif target and nothing and self.is_journaled(target):
            self.log("remove", new)
        self.move(node, up, name, target, nothing)
        if put:
            self.write(node, node.shown, False)
            self.log("put", new, node.data, False)
        return 0

    def check_rename(self, node, up, name):
        """None if the shown content is invalid under the new name; else whether the rename writes the file."""
        home = self.find_object(up, name)
        own = node.scratch and (node.own is not None or node.frozen is not None or not node.origin)
        fits = home is node.origin if home else node.origin and self.alike(node.origin.name, name)
        if node.origin and fits and not own:
            return False
        return None if self.parse(name, node.shown) is None else own or node.refused

    def move(self, node, up, name, target, nothing):
        is_file = isinstance(node, File)
        left = node.origin if is_file and not node.scratch and nothing else None
        if is_file and not nothing and not node.origin:
            node.origin = target.origin if target else up.gone.get(fold(name))
        old = node.up, node.name
        if target:
            target.up = None
            del up.kids[fold(name)]
        up.put(node, name)
        if is_file:
            node.scratch = nothing
            away = node.origin and self.find_object(up, name) is not node.origin
            if away and node.data is None and node.own is None and node.time is None:
                node.time = node.origin.time
        self.vacate(*old, left)

    def hide(self, paths):
        self.listed = list(paths)
        self.log("hide", paths)
