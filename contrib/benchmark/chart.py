# SPDX-License-Identifier: Zlib
"""The table as text, and as a picture."""
import html
import math

TITLES = ["work", "mapfs", "against", "that", "ratio", "goal", ""]


def text(results):
    rows = [TITLES] + [r.columns() for r in results]
    widths = [max(len(row[i]) for row in rows) for i in range(len(TITLES))]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(row, widths)).rstrip() for row in rows)


def svg(results, title):
    """A bar a row: how the time (or count) stands to the goal, which is the line in the middle."""
    shown = [r for r in results if r.ratio and r.goal]
    left, line, width = 430, 22, 300
    height = 60 + line * len(shown)
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" '
           'font-size="12">' % (left + width + 150, height),
           '<rect width="100%" height="100%" fill="white"/>',
           '<text x="10" y="20" font-size="14">%s</text>' % html.escape(title),
           '<text x="%d" y="40" fill="#555">the goal</text>' % (left + width // 2 + 4)]
    for i, r in enumerate(shown):
        # One decade to each side; shorter is better.
        cost = r.goal / r.ratio if r.least else r.ratio / r.goal
        bar = max(2, min(width, width / 2 * (1 + math.log10(max(cost, 0.1)))))
        y = 48 + line * i
        out += ['<text x="%d" y="%d" text-anchor="end">%s</text>' % (left - 8, y + 14, html.escape(r.work)),
                '<rect x="%d" y="%d" width="%.0f" height="15" fill="%s"/>' % (
                    left, y + 2, bar, "#4c956c" if r.met else "#c8553d"),
                '<text x="%d" y="%d">%s (%s)</text>' % (left + width + 6, y + 14, *(
                    html.escape(c) for c in r.columns()[4:6]))]
    out += ['<line x1="%d" y1="30" x2="%d" y2="%d" stroke="#333"/>' % (
        left + width // 2, left + width // 2, height), "</svg>", ""]
    return "\n".join(out)
