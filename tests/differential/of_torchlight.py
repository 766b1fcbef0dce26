# SPDX-License-Identifier: Zlib
"""Archives of Torchlight II, a MOD or a PAK with its manifest, and random edits of their files."""
import json
import re

import randomedits
import tlfixtures
import tlread
import tlwrite
from case import Case
from draw import Draw, Nothing
from randomedits import HIDDEN, RAW
from model import kind

EPOCH = 116444736000000000  # 1970, in 100 ns since 1601
SECOND = 10 ** 7
FORMS = ["", "", "", "text=utf16", "text=off"]
TEXTS = {form: randomedits.texts(form) for form in ("utf8", "utf16", "off")}
DIRS = ["D1", "D2", "D3", "Deep", "UI"]
NAMES = ["A.TXT", "B.TXT", "a.txt", "C.OGG", "U.DAT", "V.DAT", "u.dat", "W.TEMPLATE", "X.ANIMATION", "U.HIE", "L.LAYOUT",
         "M.LAYOUT", "SKILLS.RAW", "TRIGGERABLES.RAW", "FOO", "P.JPG"]


def draw_files(rng):
    made = {sort: list(b.values()) for sort, b in TEXTS["utf8"][1].items()}
    files = {"MEDIA/README.TXT": b"hello\n", "MEDIA/U.DAT": made["DAT"][0], "MEDIA/D1/U.DAT": made["DAT"][1],
             "MEDIA/D1/A.TXT": b"a", "MEDIA/D1/DEEP/B.TXT": b"b", "MEDIA/D2/V.DAT": made["DAT"][2], "MEDIA/D2/C.OGG": b"",
             "MEDIA/L.LAYOUT": made["LAYOUT"][0], "MEDIA/D2/M.LAYOUT": made["LAYOUT"][1],
             "MEDIA/SKILLS.RAW": made["SKILLS.RAW"][0]}
    compiled = tlfixtures.compiled()
    for path in rng.sample(sorted(compiled), 3):
        files[path] = compiled[path]
    return {p: files[p] for p in rng.sample(sorted(files), rng.randrange(3, len(files)))}


def draw_case(rng, seed):
    pak, pair, records = tlwrite.Pak(), rng.random() < 0.4, {"MEDIA/": []}
    for path, data in draw_files(rng).items():
        above, _, name = path.rpartition("/")
        records.setdefault(above + "/", []).append(tlwrite.entry(
            name, pak.add(data, rng.random() < 0.2), data, 0 if name.endswith(".DAT") else 18, EPOCH + 10 ** 9 * SECOND))
    hidden = rng.sample(["MEDIA/D2/GONE.DAT", "MEDIA/HID1/X.DAT"], rng.randrange(3))
    for path in hidden:
        above, _, name = path.rpartition("/")
        records.setdefault(above + "/", []).append(tlwrite.entry(name))
    if rng.random() < 0.3:
        records["MEDIA/"].append(tlwrite.entry("D3/", kind=7))
    total = sum(map(len, records.values())) + sum(p.count("/") for p in records)
    section, table = pak.finish(), tlwrite.manifest(list(records.items()), total=total)
    option = rng.choice(FORMS)
    if pair:
        return Case("torchlight", seed, "A.PAK", {"": section, ".MAN": table}, option)
    head = tlwrite.modheader(len(section), dels=hidden)
    return Case("torchlight", seed, "A.MOD", {"": head + section + table}, option)


# ---- content of an archive, without the times at which the test wrote it

def parts(files):
    """(header, section, manifest)"""
    if ".MAN" in files:
        return None, files[""], tlread.manifest(files[".MAN"])
    data = files[""]
    head = tlread.modheader(data)
    section = data[head["offdata"]:head["offman"]]
    return head, section, tlread.manifest(data[head["offman"]:])


def contents(files, saved):
    head, section, man = parts(files)
    now = EPOCH + 1_600_000_000 * SECOND  # times that the case did not set are older

    def entry(e):
        out = dict(e, time="now" if e["time"] > now else e["time"], crc=0)
        if e["offset"] and e["type"] != 7:
            out["bytes"] = tlread.block(section, e["offset"])[0]
        return dict(out, offset=bool(e["offset"])) if saved else out
    dirs = [(p, [entry(e) for e in entries]) for p, entries in man["dirs"]]
    head = head and dict(head, offdata=0, offman=0, end=0)
    return head, None if saved else section, dict(man, dirs=dirs, mhash=0)


def same(one, two, saved):
    return one == two or bool(one and two and contents(one, saved) == contents(two, saved))


def same_but_for_order(one, two):
    """The type of a file is that of its suffix, or the previous one of its place."""
    def plain(files):
        head, _, man = contents(files, True)
        return head, sorted((p, sorted(dict(e, type=0).items(), key=str)) for p, entries in man["dirs"] for e in entries)
    return bool(one and two) and plain(one) == plain(two)


def same_but_for_times(one, two):
    def plain(files):
        head, _, man = contents(files, True)
        return head, [(p, [dict(e, time=0) for e in entries]) for p, entries in man["dirs"]]
    return bool(one and two) and plain(one) == plain(two)


def same_but_for_bytes_of(paths, one, two):
    """Equal except for the compiled bytes of these files."""
    def plain(files):
        head, _, man = contents(files, True)
        return head, [(p, [dict(e, bytes=b"", size=0) if (p + e["name"]).upper() in paths else e for e in entries])
                      for p, entries in man["dirs"]]
    return bool(one and two) and plain(one) == plain(two)


def kinds_changed(ops):
    """Paths of files that were renamed from a name of another kind, and whether any was written or so moved before."""
    moved, written, any_written = set(), set(), False
    for op in ops:
        if op[0] == "put":
            written.add(op[1].upper())
        if op[0] == "mv":
            old, new = op[1].upper(), op[2].upper()
            if kind(old) != kind(new) or old in moved:
                any_written |= old in written or old in moved
                moved.add(new)
            moved |= {new + p[len(old):] for p in moved if p.startswith(old + "/")}
            if old in written:
                written.add(new)
    return moved, any_written


def lists_below(ops, path):
    """Was a file in this directory listed as hidden?"""
    return any(op[0] == "put" and op[1].startswith(".mod/") and any(
        line.upper().startswith(path.upper() + "/") for line in op[3].decode(errors="replace").splitlines()) for op in ops)


def is_aside(path):
    return re.search(r"(~|[.](tmp|swp|jpg))$|(^|/)[.]", path)


class Drawer(Draw):
    WEIGHTS = dict(Draw.WEIGHTS, touch=3, hide=3, head=1, any_case=2, index=1)

    def __init__(self, rng, side):
        super().__init__(rng, side)
        self.form = {"": "utf8", "text=utf16": "utf16", "text=off": "off"}[side.case.option]

    def things(self):
        return [p for p in self.content if p != "MEDIA" and not p.startswith(".mod")]

    def alike(self, one, two):
        return self.is_dir(one) == self.is_dir(two) and not (one + "/").startswith(two + "/") and not (
            two + "/").startswith(one + "/")

    def fresh(self, path):
        above = self.pick([p for p in self.dirs() if p.startswith("MEDIA") and not (p + "/").startswith(path + "/")] or
                          ["MEDIA"])
        name = self.rng.choice(DIRS if self.is_dir(path) and self.rng.random() < 0.8 else NAMES)
        return "%s/%s" % (above, name)

    def text(self, path):
        sort = kind(path)
        if path.startswith(".mod"):
            raise Nothing
        if sort and self.rng.random() < 0.9:
            reads = TEXTS[self.form][0].get(sort)
            if reads:
                return self.rng.choice(sorted(reads))
        data = self.content.get(path) or b""
        if sort and data and self.rng.random() < 0.5:
            return data.replace(b"1", b"2", 1)
        return self.rng.choice(RAW)

    def bad(self, path):
        data = self.content.get(path) or b""
        return self.rng.choice((b"", b"[UNIT]\n", data[:len(data) // 2], data + b"x", b"\2\0\0\0", b"<?xml?>\n",
                                b"\xff\xfe[\0", data.replace(b"INTEGER", b"INTEGRE", 1), b"[A]\n[/B]\n"))

    def touch(self):
        self.do("utime", self.pick(self.files("MEDIA")), self.rng.randrange(10 ** 9))

    def hide(self):
        if ".mod/removed.txt" not in self.content:
            raise Nothing
        listed = self.content[".mod/removed.txt"].decode(errors="replace").splitlines()
        more = HIDDEN + self.files("MEDIA") + self.dirs()[:3]
        lines = self.rng.sample(listed, self.rng.randrange(len(listed) + 1)) + self.rng.sample(more, self.rng.randrange(3))
        self.put(".mod/removed.txt", "".join(x + "\n" for x in lines).encode())

    def head(self):
        if ".mod/info.json" not in self.content:
            raise Nothing
        try:
            value = json.loads(self.content[".mod/info.json"])
        except ValueError:  # refused content
            raise Nothing from None
        key = self.rng.choice(sorted(value))
        if isinstance(value[key], str):
            value[key] = self.rng.choice(("", "Title", "ü" * 9))
        elif isinstance(value[key], int):
            value[key] = self.rng.choice((0, 1, 7, -5, 10 ** 30))
        else:
            value[key] = self.rng.choice((None, [], {}))
        self.put(".mod/info.json", json.dumps(value, ensure_ascii=False).encode())

    def any_case(self):
        """The same file in another case."""
        path = self.pick(self.things())
        if self.rng.random() < 0.5:
            self.do("mv", path, path[:6] + path[6:].swapcase())
        elif not self.is_dir(path):
            self.do("put", path.lower(), "trunc", self.text(path))

    def index(self):
        name = self.rng.choice(("SKILLS.RAW", "TRIGGERABLES.RAW"))
        self.put("MEDIA/" + name, self.rng.choice(sorted(TEXTS[self.form][0][name])))
