# SPDX-License-Identifier: Zlib
"""What DESIGN says of an archive under edit, in plain Python: a tree in which no name has two cases.

An entry is its name's: a file of the map that is moved to a name which means nothing is a copy from then on,
and the map keeps it at its place (Kept) until something comes there, the copy comes back to another name, or
its directory goes. What no saved map has had (new) is in none without a file. `data` is what the mount shows.

Where rule 4 leaves open which of two files an object follows, a Kept is `unsure`: it may be there or not.
"""
import errno
import fnmatch

DATS = (".DAT", ".TEMPLATE", ".ANIMATION", ".HIE")
INDEXES = ("SKILLS.RAW", "TRIGGERABLES.RAW")
HIDDEN_DIR = "HID"  # where files are hidden; as a directory it is there as long as they are
HABITS = (".*", "*~", "*.tmp", "*.swp", "4913")


def fold(text):
    return text.upper()


def kind(name):
    """As what a file of the map called so is compiled; None: as nothing."""
    name = fold(name).rpartition("/")[2]
    if name.endswith(DATS):
        return "DAT"
    return "LAYOUT" if name.endswith(".LAYOUT") else name if name in INDEXES else None


class Any:
    """What is not known, or nothing."""

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0


ANY = Any()


class Node:
    def __init__(self, name, scratch):
        self.name, self.scratch, self.up = name, scratch, None


class Dir(Node):
    def __init__(self, name, scratch=False):
        super().__init__(name, scratch)
        self.kids = {}

    def put(self, node, name=None):
        if node.up:
            del node.up.kids[fold(node.name)]
        node.name, node.up = name or node.name, self
        self.kids[fold(node.name)] = node


class File(Node):
    def __init__(self, name, data, scratch, new):
        super().__init__(name, scratch)
        self.data, self.new, self.kept, self.unsure = data, new, None, False
        self.draft = None  # what was refused, and is shown; data is None where nothing was taken before
        self.object = object()  # what rule 4 follows
        self.time = self.saved_time = None  # that the archive must have; None: any

    @property
    def shown(self):
        return self.data if self.draft is None else self.draft


class Kept:
    """A file of the map that has no name now."""

    def __init__(self, file):
        self.dir, self.name, self.data, self.draft = file.up, file.name, file.data, file.draft
        self.object, self.new, self.unsure, self.told = file.object, file.new, file.unsure, False
        self.time = self.saved_time = None


def path_of(node, name=None):
    parts = [name] if name else []
    while node.up:
        parts.insert(0, node.name)
        node = node.up
    return "/".join(parts)


class Model:
    def __init__(self, texts, plain):
        """texts: {kind: {bytes that can be written to a compiled file: what it shows then}}"""
        self.texts, self.plain = texts, plain
        self.root = Dir("")
        self.kept, self.hidden, self.saved_hidden = [], [], []
        self.hidden_written, self.saved = False, False
        self.homes = self.saved_homes = {}  # what the map has where: {(directory, name): object}
        self.gone = []  # files that were removed since the last save: (directory, name, object)
        self.ever = set()  # places at which a map had a file

    # ---- looking

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

    def means_nothing(self, up, name, is_dir):
        if up.scratch or any(fnmatch.fnmatchcase(name, h) for h in HABITS):
            return True
        return up is self.root and not (is_dir and fold(name) == "MEDIA")

    def reads(self, name, data):
        """What a file of the map called so shows once this was written to it; None: it is refused."""
        if self.plain or not kind(name):
            return data
        return self.texts[kind(name)].get(data)

    def alike(self, one, other):
        return self.plain or kind(one) == kind(other)

    def split(self, path):
        above, _, name = path.rpartition("/")
        return self.find(above), name

    # ---- the map's own: what comes and goes at a place of it

    def take(self, up, name, but=None):
        """Something comes to that place. Whose it was is not known for what stands elsewhere."""
        place = up, fold(name)
        self.kept = [k for k in self.kept if (k.dir, fold(k.name)) != place or k is but]
        home = self.homes.get(place)
        self.gone = [g for g in self.gone if g[:2] != place and g[2] is not home]
        for other in [*self.kept, *(n for n in self.nodes(False) if isinstance(n, File))]:
            up_there = other.dir if isinstance(other, Kept) else other.up
            if other.object is home and (up_there, fold(other.name)) != place:
                other.unsure, other.object = True, object()
        return place in self.homes or place in self.ever

    def kept_at(self, up, name):
        return next((k for k in self.kept if (k.dir, fold(k.name)) == (up, fold(name))), None)

    def is_refused_where_saved_away(self, path, data):
        """What is refused at a place that a save of this mount emptied: what was there comes back with it."""
        up, name = self.split(path)
        place = up, fold(name)
        return fold(name) not in up.kids and self.reads(name, data) is None and (
            place in self.homes or place in self.ever) and place not in self.saved_homes

    def settle(self, path, shown):
        """What was not known of a file can be seen now."""
        node = self.find(path)
        if node and node.data is ANY and node.draft is None:
            data = {fold(p): d for p, d in shown.items()}.get(fold(path))
            if data is None:
                self.lose(node)
            else:
                node.data = data

    def is_draft_to_known(self, old, new):
        """What was refused, to where a file of the map was: that may be written by it, or is in its way."""
        node, (up, name) = self.find(old), self.split(new)
        place = up, fold(name)
        return getattr(node, "draft", None) is not None and fold(name) not in up.kids and bool(
            place in self.homes or place in self.ever or self.kept_at(*place))

    def leave(self, file):
        place = file.up, fold(file.name)
        self.ever.add(place)
        if not file.unsure:
            self.gone.append((*place, file.object))

    def lose(self, file):
        if not file.scratch and not file.new:
            self.leave(file)
        del file.up.kids[fold(file.name)]
        file.up = None

    # ---- calls: 0 or an errno, in which case nothing has changed

    def put(self, path, data):
        up, name = self.split(path)
        node = up.kids.get(fold(name))
        scratch = node.scratch if node else self.means_nothing(up, name, False)
        shown = data if scratch else self.reads(name, data)
        refused = errno.EINVAL if shown is None else 0
        file = node or File(name, shown, scratch, True)
        file.draft = data if refused else None
        file.time = file.saved_time = None
        if node:
            if not refused:
                node.data = shown
            return refused
        if not scratch:
            kept = self.kept_at(up, name)
            file.unsure = self.take(up, name)
            file.object = self.homes.get((up, fold(name)), file.object)
            if kept:
                file.object, file.new, file.unsure = kept.object, kept.new, kept.unsure
                file.data = kept.data if refused else shown
            elif refused and file.unsure:
                file.data = ANY
        up.put(file)
        return refused

    def drop(self, path):
        self.find(path).draft = None
        return 0

    def touch(self, path, when):
        self.find(path).time = when
        return 0

    def mkdir(self, path):
        up, name = self.split(path)
        if fold(name) in up.kids:
            return errno.EEXIST
        up.put(Dir(name, self.means_nothing(up, name, True)))
        return 0

    def rmdir(self, path):
        node = self.find(path)
        if node.kids:
            return errno.ENOTEMPTY
        del node.up.kids[fold(node.name)]
        self.kept = [k for k in self.kept if k.dir is not node]
        node.up = None
        return 0

    def unlink(self, path):
        self.lose(self.find(path))
        return 0

    def rename(self, old, new):
        node = self.find(old)
        up, name = self.split(new)
        target = up.kids.get(fold(name))
        if target is node:
            return 0
        if target and isinstance(target, Dir) != isinstance(node, Dir):
            return errno.EISDIR if isinstance(target, Dir) else errno.ENOTDIR
        nothing = self.means_nothing(up, name, isinstance(node, Dir))
        if isinstance(node, Dir):
            return self.rename_dir(node, up, name, target, nothing)
        if nothing:
            self.set_aside(node, up, name, target)
            return 0
        shown, draft = node.data, node.draft
        if node.scratch or kind(name) != kind(node.name) or (draft is not None and target):
            shown, draft = self.reads(name, node.shown), None
            if shown is None:
                return errno.EINVAL
        self.move(node, up, name, target)
        node.data, node.draft, node.saved_time = shown, draft, None
        return 0

    def rename_dir(self, node, up, name, target, nothing):
        if target and (target.kids or any(k.dir is target for k in self.kept)):
            return errno.ENOTEMPTY
        if nothing != node.scratch:
            return errno.EPERM if nothing else errno.EXDEV
        if target:
            del up.kids[fold(name)]
            target.up = None
        up.put(node, name)
        return 0

    def set_aside(self, node, up, name, target):
        """To a name that means nothing."""
        if target:
            self.lose(target)
        if not node.scratch:
            node.kept = Kept(node)
            self.kept.append(node.kept)
            node.scratch = True
            node.data, node.draft = node.shown, None
        up.put(node, name)

    def move(self, node, up, name, target):
        kept = node.kept if node.kept in self.kept and not target and self.alike(node.kept.name, name) else None
        had = None if target else self.kept_at(up, name)
        if not (node.scratch or node.new or self.alike(node.name, name)):
            self.leave(node)
            node.new = True  # it is made of what was shown
        if not node.scratch:
            self.ever.add((node.up, fold(node.name)))
        known = self.take(up, name)
        if kept in self.kept:
            home = self.homes.get((up, fold(name)))
            if home and kept.object is not home:
                kept.unsure = True
            else:
                self.kept.remove(kept)
        if target:
            if node.new or not target.new:
                node.object = target.object
            node.new, node.unsure = node.new and target.new, node.unsure or target.unsure
            target.up = None
            del up.kids[fold(name)]
        elif kept:
            node.object, node.new, node.unsure = kept.object, kept.new, kept.unsure
        elif node.scratch:
            node.object, node.new, node.unsure = object(), True, known
        if not target and (had or known):
            node.unsure = True
            node.object = had.object if had else self.homes.get((up, fold(name)), node.object)
        node.scratch, node.kept = False, None
        up.put(node, name)

    def hide(self, paths):
        self.hidden, self.hidden_written = list(dict.fromkeys(map(fold, paths))), True

    # ---- saves

    def files(self):
        """{path: what the map must have}, {path: what it may have besides}"""
        must = {fold(path_of(n)): n.data for n in self.nodes(False) if isinstance(n, File) and n.data is not None}
        may = {p: ANY for p in must if must[p] is ANY}
        must = {p: d for p, d in must.items() if d is not ANY}
        for k in self.kept:
            if k.data is not None and (not k.new or k.unsure):
                (may if k.unsure else must).setdefault(fold(path_of(k.dir, k.name)), k.data)
        return must, may

    def dirs(self, hidden):
        out = {fold(path_of(n)) for n in self.nodes(False) if isinstance(n, Dir)}
        for path in hidden:
            parts = path.split("/")
            out |= {"/".join(parts[:i]) for i in range(1, len(parts))}
        return out

    def was_saved(self, has, written=True):
        """has: what the new map has. Where nothing was written the journal of before counts still."""
        self.saved_hidden, self.hidden_written, self.saved = [
            h for h in self.hidden if h not in has], False, True
        for n in [*self.nodes(False), *self.kept]:
            if isinstance(n, (File, Kept)):
                n.saved_time = n.time
        for n in self.nodes(False):
            if isinstance(n, File) and n.data is ANY:
                n.data, n.unsure = has.get(fold(path_of(n))), False
        journaled = [] if written else [k for k in self.kept if k.new]
        self.kept = [k for k in self.kept if fold(path_of(k.dir, k.name)) in has and
                     not (k.new and not k.unsure)]
        self.gone = []
        self.saved_homes = {}
        for k in self.kept:
            k.new, k.unsure, k.told = False, False, True
            self.saved_homes[k.dir, fold(k.name)] = k.object
        for k in journaled:
            k.unsure = True
        self.kept += [k for k in journaled if k not in self.kept]
        for n in self.nodes(False):
            if isinstance(n, File) and n.data is not None:
                n.new = False
                self.ever.add((n.up, fold(n.name)))
                self.saved_homes[n.up, fold(n.name)] = n.object

    def ended(self):
        """What was refused has been copied out."""
        for n in list(self.nodes(False)):
            if isinstance(n, File) and n.draft is not None:
                n.draft = None
                if n.data is None:
                    del n.up.kids[fold(n.name)]
                    n.up = None
        for k in self.kept:
            k.draft = None

    def remounted(self, has, texts=None):
        """After a kill or an end; has: what the mount shows now; texts: of another form than before."""
        self.texts = texts or self.texts
        for n in list(self.nodes()):
            if n.scratch and n.up and not n.up.scratch:
                del n.up.kids[fold(n.name)]
        for k in self.kept:
            path = fold(path_of(k.dir, k.name))
            if (k.unsure or k.data is None or k.data is ANY) and path not in has:
                continue
            file = File(k.name, has[path] if k.data is ANY and has[path] != k.draft else k.data, False, k.new)
            file.saved_time = k.saved_time
            if k.draft is not None and has.get(path) == k.draft:
                file.draft = k.draft
            file.unsure = k.unsure
            k.dir.put(file)
            file.object = k.object
        for n in self.nodes(False):
            if isinstance(n, File):
                n.time = n.saved_time
            if texts and isinstance(n, File) and kind(n.name) and n.data is not None and n.data is not ANY:
                n.data = self.reads(n.name, n.data)
        self.kept, self.gone = [], []
        self.homes = dict(self.saved_homes)
        if not self.hidden_written:
            self.hidden = list(self.saved_hidden)
        for path in sorted(has) if self.saved else ():
            listed = any(h.startswith(path + "/") for h in self.saved_hidden) or HIDDEN_DIR in path
            if listed and not self.find(path) and self.find(path.rpartition("/")[0]):
                self.mkdir(path)
        self.saved = False
