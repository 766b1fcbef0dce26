# SPDX-License-Identifier: Zlib
"""The table as text, as part of a page, and as a picture."""
import html
import math

TITLES = ["work", "mapfs", "other way", "other", "ratio", "goal", ""]
BEGIN, END = "<!-- contrib/bench --docs writes from here -->\n", "<!-- to here -->\n"


def text(results):
    rows = [TITLES] + [r.columns() for r in results]
    widths = [max(len(row[i]) for row in rows) for i in range(len(TITLES))]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(row, widths)).rstrip() for row in rows)


def markdown(results, about, left_out):
    """The part of the page between BEGIN and END."""
    lines = [about, "", "```text", text(results), "```", ""]
    lines += ["Left out: " + line + "." for line in left_out] + [""] * bool(left_out)
    return "\n".join(lines)


def insert(page, part):
    """The page with its generated part replaced."""
    before, _, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise SystemExit("the page has no place for the table")
    return before + BEGIN + "\n" + part + "\n" + END + after


def bar(r, y, left, width):
    # One decade to each side of the goal; shorter is better.
    cost = r.goal / r.ratio if r.least else r.ratio / r.goal
    long = max(2, min(width, width / 2 * (1 + math.log10(max(cost, 0.1)))))
    ratio, goal = r.columns()[4:6]
    return ['<text x="%d" y="%d" text-anchor="end">%s</text>' % (left - 8, y + 14, html.escape(r.work)),
            '<rect x="%d" y="%d" width="%.0f" height="15" fill="%s"/>' % (
                left, y + 2, long, "#4c956c" if r.met else "#c8553d"),
            '<text x="%d" y="%d">%s <tspan fill="#777">%s, against %s</tspan></text>' % (
                left + width + 6, y + 14, ratio, html.escape(goal), html.escape(r.against))]


def svg(results, about):
    """A bar for each row: the cost relative to the goal, which is the line in the middle."""
    shown = [r for r in results if r.ratio and r.goal]
    left, line, width, right = 360, 22, 240, 400
    height = 76 + line * len(shown)
    middle = left + width // 2
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" '
           'font-family="sans-serif" font-size="12">' % ((left + width + right, height) * 2),
           '<rect width="100%" height="100%" fill="white"/>',
           '<text x="10" y="20" font-size="14">mapfs: the cost of each work, and its goal</text>',
           '<text x="10" y="38" fill="#777">%s</text>' % html.escape(about),
           '<text x="%d" y="58" text-anchor="middle" fill="#333">the goal</text>' % middle,
           '<text x="%d" y="58" fill="#777">a tenth</text>' % left,
           '<text x="%d" y="58" text-anchor="end" fill="#777">ten times</text>' % (left + width)]
    for i, r in enumerate(shown):
        out += bar(r, 64 + line * i, left, width)
    out += ['<line x1="%d" y1="62" x2="%d" y2="%d" stroke="#333"/>' % (middle, middle, height - 8), "</svg>", ""]
    return "\n".join(out)
