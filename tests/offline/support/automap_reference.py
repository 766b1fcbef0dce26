# SPDX-License-Identifier: Zlib
"""A slow and simple implementation of automatic mapping, with which tests compare `mapfs automap`. A layer is rows of
[index, flags]."""
import struct

FLAGS = {"XFLIP": 1, "YFLIP": 2, "ROTATE": 8}
TURNS = 1 | 2 | 8
REFERENCES = {"game": None, "hookable": 1, "death": 2, "unhookable": 3, "freeze": 9, "unfreeze": 11,
              "deep-freeze": 12, "deep-unfreeze": 13, "live-freeze": 144, "live-unfreeze": 145}
OUTSIDE = (-1, 0)


class Rule:
    def __init__(self, index, flags):
        self.index, self.flags = index, flags
        self.positions = []  # (x, y, "INDEX" or "NOTINDEX", [(index, flags or None)])
        self.probability, self.modulos, self.default = 1.0, [], True
        self.skips_full = self.skips_empty = False


class Run:
    def __init__(self):
        self.rules, self.copies = [], True


def to_float(x):
    """Round a number to the nearest float of C."""
    try:
        return struct.unpack("f", struct.pack("f", x))[0]
    except OverflowError:
        return float("inf") if x > 0 else -float("inf")


def parse_tiles(words):
    """Parse "5 XFLIP OR 7 OR 9 NONE"."""
    out, rest = [], list(words)
    while rest:
        index, flags = int(rest.pop(0)), None
        turned = []
        while rest and rest[0] != "OR" and len(turned) < 3 and turned != ["NONE"]:
            turned.append(rest.pop(0))
        if turned:
            flags = sum(FLAGS[w] for w in set(turned) - {"NONE"})
        out.append((index, flags))
        if turned == ["NONE"] and rest and rest[0] != "OR":
            break
        if not rest or rest.pop(0) != "OR":
            break
    return out


def parse_position(rule, words):
    x, y, word = int(words[0]), int(words[1]), words[2]
    if word == "EMPTY":
        sort, listed = "INDEX", [(0, None)]
    elif word == "FULL":
        sort, listed = "NOTINDEX", [(0, None)]
    elif word not in ("INDEX", "NOTINDEX"):
        return
    else:
        sort, listed = word, parse_tiles(words[3:])
    rule.positions.append((x, y, sort, listed))
    if (x, y) != (0, 0):
        return
    for index, _ in listed:
        if sort == "INDEX" and index == 0:
            rule.skips_full = True
        if (sort == "INDEX" and index > 0) or (sort == "NOTINDEX" and index == 0):
            rule.skips_empty = True


def finish_rule(rule):
    first = next((p for p in rule.positions if p[:3] == (0, 0, "INDEX")), None)
    if rule.default and not (first and any(index == 0 for index, _ in first[3])):
        rule.positions.append((0, 0, "NOTINDEX", [(0, None)]))
        rule.skips_empty, rule.skips_full = True, False
    if rule.skips_empty and rule.skips_full:
        rule.skips_empty = rule.skips_full = False


def parse(text):
    """Parse a file of rules: [(name, [Run])]."""
    configs, rule = [], None
    for line in text.split("\n"):
        line = line.rstrip("\r")
        if not line or line[0] in "# \t":
            continue
        words = line.split()
        runs = configs[-1][1] if configs else None
        if line[0] == "[":
            configs.append((line[1:-1], [Run()]))
        elif line.startswith("NewRun") and runs:
            runs.append(Run())
        elif line.startswith("Index") and runs:
            rule = Rule(int(words[1]), sum(FLAGS.get(w, 0) for w in set(words[2:5])))
            runs[-1].rules.append(rule)
        elif line.startswith("Pos") and rule:
            parse_position(rule, words[1:])
        elif line.startswith("Random") and rule:
            number = to_float(float(words[1].rstrip("%")))
            if words[1].endswith("%"):
                rule.probability = to_float(number / 100)
            else:
                rule.probability = to_float(1 / number) if number else float("inf")
        elif line.startswith("Modulo") and rule:
            mx, my, ox, oy = map(int, words[1:5])
            rule.modulos.append((mx or 1, my or 1, ox, oy))
        elif line.startswith("NoDefaultRule") and rule:
            rule.default = False
        elif line.startswith("NoLayerCopy") and runs:
            runs[-1].copies = False
    for _, runs in configs:
        for run in runs:
            for rule in run.rules:
                finish_rule(rule)
    return configs


def scramble(h):
    h = (h + 1) & 0xffffffff
    for shift, factor in ((17, 0xed5ad4bb), (11, 0xac4c1b51), (15, 0x31848bab)):
        h ^= h >> shift
        h = h * factor & 0xffffffff
    return h ^ h >> 14


def has_chance(seed, run, rule, x, y):
    h = 1
    for n in (seed, run, rule, x, y):
        h = (31 * h + scramble(n & 0xffffffff)) & 0xffffffff
    return scramble(31 * h & 0xffffffff) % 65536


def matches(tile, listed):
    return any(tile[0] == index and (flags is None or tile[1] & TURNS == flags) for index, flags in listed)


def rule_applies(rule, read, x, y):
    for dx, dy, sort, listed in rule.positions:
        inside = 0 <= y + dy < len(read) and 0 <= x + dx < len(read[0])
        if matches(read[y + dy][x + dx] if inside else OUTSIDE, listed) != (sort == "INDEX"):
            return False
    return not rule.modulos or any((x + ox) % mx == 0 and (y + oy) % my == 0 for mx, my, ox, oy in rule.modulos)


def as_layer(game, only, like):
    """The game layer in the size of the other layer, with only the tiles of one index if it is given."""
    out = [[[0, 0] for _ in row] for row in like]
    for y, row in enumerate(game[:len(like)]):
        for x, tile in enumerate(row[:len(like[0])]):
            out[y][x] = [tile[0] if only in (None, tile[0]) else 0, tile[1]]
    return out


def run(runs, layer, seed, reference=None, game=None):
    """Run the rules; changes the layer."""
    for number, one in enumerate(runs):
        refers = reference is not None and number == 0
        if refers:
            # The game layer is read as it is: what the run writes does not change it.
            read = as_layer(game, REFERENCES[reference] if one.copies else None, layer)
        else:
            read = [[list(tile) for tile in row] for row in layer] if one.copies else layer
        for y, row in enumerate(layer):
            for x, tile in enumerate(row):
                for k, rule in enumerate(one.rules):
                    there = read[y][x]
                    if refers and there[0] == 0 and tile[0] != 0:
                        tile[:] = [0, rule.flags]
                        continue
                    if (rule.skips_empty and there[0] == 0) or (rule.skips_full and there[0] != 0):
                        continue
                    if not rule_applies(rule, read, x, y):
                        continue
                    if rule.probability >= 1 or has_chance(seed, number, k, x, y) < 65536 * rule.probability:
                        tile[:] = [rule.index & 255, rule.flags]
