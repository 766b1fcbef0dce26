# SPDX-License-Identifier: Zlib
"""The rules of DESIGN for an archive under edit, in plain Python. The archive follows from a base and a tree over it
(modeltree.py), and a save makes it the new base. The journal holds the operations on the tree; after a kill they are
replayed on a fresh tree."""
from modeltree import Dir, File, Home, Tree, fold, kind, path_of


class Result:
    """The archive that follows from a tree."""

    def __init__(self):
        self.files = {}  # {path: (content, time)}; time is None if unknown
        self.of = {}  # {path: object of the base, or None}
        self.refused = {}  # {file: whether its accepted content is in the archive}
        self.kept = {}  # {file: path of its object}
        self.moves = False  # does it have new content or moved objects?


class Model(Tree):
    # ---- the archive

    def in_order(self, top=None):
        """All nodes of the tree in the order of paths, directories before their content. If two files came from one
        object, the first claims it."""
        for n in sorted((top or self.root).kids.values(), key=lambda n: n.name.encode()):
            yield n
            if isinstance(n, Dir):
                yield from self.in_order(n)

    def build(self):
        out, claimed = Result(), set()
        nodes = list(self.in_order())
        files = [n for n in nodes if isinstance(n, File) and not n.scratch]
        found = {f: self.find_object(f.up, f.name) for f in files}
        claimed |= {o for o in found.values() if o}
        for f in files:
            if not found[f] and f.origin and f.origin not in claimed and self.alike(f.origin.name, f.name):
                found[f] = f.origin
                claimed.add(f.origin)
        for f in files:
            self.build_file(out, f, found[f])
        homes = {n.origin: n for n in nodes if isinstance(n, Dir) and n.origin}
        for f in nodes:
            if isinstance(f, File) and f.scratch and f.origin and f.origin not in claimed and f.origin.home in homes:
                claimed.add(f.origin)
                path = fold(path_of(homes[f.origin.home], f.origin.name))
                out.kept[f] = path
                out.files[path], out.of[path] = (f.origin.data, f.origin.time), f.origin
        out.moves |= any(isinstance(n, Dir) and not n.scratch and self.find_object(n.up, n.name) is not n.origin
                         or isinstance(n, Dir) and not n.scratch and not n.origin for n in nodes)
        return out

    def build_file(self, out, f, found):
        path, data, time = fold(path_of(f)), found.data if found else None, found.time if found else None
        made = None if f.data is None else self.parse(f.name, f.data)
        if f.data is not None and made is None:
            out.refused[f] = True
            if f.was is not None:
                made = self.parse(f.name, f.was)
        if made is None and f.origin and f.origin is not found:
            made = self.parse(f.name, f.origin.data)
        if made is not None:
            data, time = made, None
        out.moves |= found is None or self.find_object(f.up, f.name) is not found
        if data is not None:
            out.files[path], out.of[path] = (data, f.time if f.time is not None else time), found

    def dirs(self, hidden):
        out = {fold(path_of(n)) for n in self.nodes(False) if isinstance(n, Dir)}
        for path in hidden:
            parts = path.split("/")
            out |= {"/".join(parts[:i]) for i in range(1, len(parts))}
        return out

    def canonical(self, files):
        return [h for h in dict.fromkeys(map(fold, self.listed)) if h not in files]

    # ---- saves

    def saved(self, result, files, written):
        """files: content of the new archive, in the form of the base."""
        if not written and result.moves:
            return
        hidden = self.canonical(files)
        if written:
            self.journal = self.carry_over(result)
        dirs = dict.fromkeys(self.dirs(hidden))
        self.set_base({**dirs, **files}, hidden)
        for n in list(self.nodes()):
            if isinstance(n, File):
                self.rebase_file(n, result)
        self.rebase_dir(self.root, self.base, {self.find_in_base(p): p for p in result.kept.values()})

    def find_in_base(self, path):
        at = self.base
        for part in path.split("/"):
            at = at.has[fold(part)][1]
        return at

    def rebase_file(self, f, result):
        path = fold(path_of(f))
        if f.scratch:
            f.frozen = f.shown if f.data is None else None
            f.origin = self.find_in_base(result.kept[f]) if f in result.kept else None
            return
        f.origin = self.find_in_base(path) if path in result.files else None
        if f in result.refused:
            f.was = None
        else:
            f.data, f.was, f.time = None, None, None

    def rebase_dir(self, d, home, kept):
        d.origin, d.gone = home, {}
        for node in list(d.kids.values()):
            if isinstance(node, Dir):
                there = home.has.get(fold(node.name), (None, None))[1] if home and not node.scratch else None
                self.rebase_dir(node, there, kept)
        for key, (name, what) in (home.has.items() if home else ()):
            if key in d.kids:
                continue
            if what in kept:
                d.gone[key] = what
            else:
                d.put(self.tree_of(what, name) if isinstance(what, Home) else File(name, False, what))

    def carry_over(self, result):
        """The content of the journal after a save."""
        ops, holds = [], set()
        nodes = list(self.in_order())
        for f in nodes:
            if f in result.kept or f in result.refused:
                up = f.up
                while up:
                    holds.add(up)
                    up = up.up
        for d in nodes:
            if d in holds and not d.origin:
                ops.append(("mkdir", path_of(d)))
        for f in nodes:
            if f in result.kept:
                path = result.kept[f]
                if f.was is not None:
                    ops.append(("put", path, f.was, False))
                if f.data is not None:
                    ops.append(("put", path, f.data, f.refused))
                ops.append(("rename", path, path_of(f)))
            elif f in result.refused:
                ops.append(("put", path_of(f), f.data, True))
        return ops

    def remounted(self, texts=None):
        """After a kill, replay the journal; texts: the form of texts, if it changed."""
        files = {}
        for path, obj in self.objects(self.base, ""):
            data = obj.data
            if texts and not self.plain and kind(path):
                data = texts[kind(path)].get(data, data)
            files[path] = (data, obj.time)
        dirs = dict.fromkeys(self.homes(self.base, ""))
        self.texts = texts or self.texts
        self.begin({**dirs, **files}, self.hidden)
        self.replaying = True
        for op, *args in self.journal:
            self.replay(op, args)
        self.replaying = False

    def replay(self, op, args):
        if op == "hide":
            self.hide(*args)
            return
        if op in ("put", "rename"):
            parts = args[op == "rename"].split("/")[:-1]
            for i in range(1, len(parts) + 1):
                if not self.find("/".join(parts[:i])):
                    self.mkdir("/".join(parts[:i]))
        if op == "rename":
            node, (up, name) = self.find(args[0]), self.split(args[1])
            target = up.kids.get(fold(name))
            if node and target is not node:
                self.move(node, up, name, target, self.is_scratch_name(up, name, isinstance(node, Dir)))
        elif op == "mkdir":
            if self.split(args[0])[0] and not self.find(args[0]):
                self.mkdir(*args)
        elif op == "put" or self.find(args[0]):
            {"put": self.put, "remove": self.unlink, "drop": self.drop}[op](*args)

    def objects(self, home, above):
        for name, what in home.has.values():
            path = above + name
            if isinstance(what, Home):
                yield from self.objects(what, path + "/")
            else:
                yield path, what

    def homes(self, home, above):
        for name, what in home.has.values():
            if isinstance(what, Home):
                yield above + name
                yield from self.homes(what, above + name + "/")

    def ended(self):
        """Refused content has been copied out."""
        self.journal = []
