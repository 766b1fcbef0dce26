# SPDX-License-Identifier: Zlib
"""Maps of Triclon, and random edits of their files."""
import json

import tcgen
from case import Case
from draw import Draw, Nothing

TABLES = ["terrain.csv", "points.csv", "objects.csv"]


def draw_case(rng, seed):
    m = tcgen.content(rng, rng.choice(tcgen.VARIANTS))
    if rng.random() < 0.7:
        m.points = m.points[:rng.randrange(2, 9)]
        m.terrain = [t for t in m.terrain if t[0] < len(m.points)][:4]
        m.objects = m.objects and m.objects[:4]
    option = m.options() if rng.random() < 0.5 else ""
    return Case("triclon", seed, "a.tcm", {"": m.encode()}, option)


def same(one, two, saved):
    return one == two


def same_but_for_order(one, two):
    return False


def is_aside(path):
    return path not in ("info.json", *TABLES)


class Drawer(Draw):
    WEIGHTS = dict(Draw.WEIGHTS, look=2, tables=6)

    def things(self):
        return [p for p in self.content if "/" not in p]

    def fresh(self, path):
        return self.rng.choice(TABLES + ["info.json", "new", "a.txt", "b.csv", "dir/x"])

    def text(self, path):
        data = self.content.get(path, b"")
        return self.info(data) if path.endswith(".json") else self.table(data)

    def info(self, data):
        try:
            value = json.loads(data)
        except ValueError:
            value = {}
        if not isinstance(value, dict):
            raise Nothing
        value[self.rng.choice(("name", "author"))] = self.rng.choice(("", "Hill", "ü", "n" * 255, "n" * 256))
        if isinstance(value.get("variant"), dict) and self.rng.random() < 0.2:
            key = self.rng.choice(sorted(value["variant"]))
            value["variant"][key] = self.rng.choice(("little", "big", "bytes", "count", "none"))
        return json.dumps(value, ensure_ascii=False, indent=self.rng.choice((None, 1))).encode()

    def table(self, data):
        rows = data.splitlines() or [b"x,y"]
        for _ in range(self.rng.randrange(1, 4)):
            kind, at = self.rng.random(), self.rng.randrange(len(rows))
            if kind < 0.4:
                rows.append(b"%d,%d" % (self.rng.randrange(12), self.rng.randrange(9)))
            elif kind < 0.7 and at:
                del rows[at]
            elif at:
                rows[at] = b"%d, %d" % (self.rng.randrange(9), self.rng.randrange(99))
        return b"\n".join(rows) + self.rng.choice((b"\n", b""))

    def tables(self):
        """Write two tables that must agree, in either order."""
        for path in self.rng.sample(TABLES[:2], 2):
            if path in self.content and isinstance(self.content[path], bytes):
                self.put(path, self.table(self.content[path]))

    def bad(self, path):
        return self.rng.choice((b"", b"x", b"index,type\n99,1\n", b"x,y\n1,99999999999\n", b"x,y\n1\n", b"{", b"{}",
                                b'{"unheard-of": 1}', b"x,y\na,b\n", b"index,type\n0,1\n0,1\n"))
