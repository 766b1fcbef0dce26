# SPDX-License-Identifier: Zlib
"""mapfs preview of a Triclon map: the ground by its types, and the objects on it."""
import os

import pytest

import tcgen
from box import get
from picture import Picture

LITTLE, BIG = tcgen.VARIANTS[1], tcgen.VARIANTS[-1]


def draw(box, m, *args):
    out = os.path.join(box.root, "out.png")
    r = box.run("preview", "--size", 256, *args, box.add(m.encode(), "hill.tcm"), out)
    return r, Picture(out) if r.code == 0 else None


def hill_map(variant, real=False):
    points = [(x * 10, 100 - abs(x - 32)) for x in range(65)]
    return tcgen.Map(variant, b"Hill", b"me", [(0, 0), (32, 1)], points,
                     [(80, 0), (560, 3)] if variant.objects else None, real=real)


@pytest.mark.parametrize("variant, real", ((LITTLE, False), (BIG, False), (BIG, True)))
def test_ground_and_objects_are_drawn(box, variant, real):
    r, p = draw(box, hill_map(variant, real))
    assert r.code == 0, r
    assert p.w == 256 and 64 <= p.h <= 128
    sky, left, right = p[2, 2], p[60, p.h - 2], p[196, p.h - 2]
    assert len({sky, left, right}) == 3
    assert p[128, 2] == sky and p[1, p.h - 2] == sky  # no ground beside the map
    # The first object is at 80 of 640, the second at 560, each above the ground.
    seen = [{p[x, y] for y in range(p.h)} for x in range(p.w)]
    usual = seen[60] | seen[196]
    odd = [x for x in range(p.w) if seen[x] - usual]
    if not variant.objects:
        assert odd == []
        return
    step = 640 * 1.125 / 256
    for x in (80, 560):
        assert any(abs((x + 40) / step - at) <= 2 for at in odd)
    assert all(min(abs((x + 40) / step - at) for x in (80, 560)) <= 4 for at in odd)


def test_equal_maps_give_equal_pictures(box):
    for _ in range(2):
        r, p = draw(box, hill_map(LITTLE))
        assert r.code == 0
    first = get(os.path.join(box.root, "out.png"))
    draw(box, hill_map(LITTLE))
    assert get(os.path.join(box.root, "out.png")) == first


@pytest.mark.parametrize("points", ([(5, 5)], [(0, 0), (0, 9)], [(-2**31, -2**31), (2**31 - 1, 2**31 - 1)],
                                    [(i % 2 * 1000, i % 3) for i in range(60000)]))
def test_extreme_points_are_drawn(box, points):
    r, p = draw(box, tcgen.Map(LITTLE, b"", b"", [(0, 1)] if points else [], points, []),
                "-o", tcgen.Map(LITTLE).options())
    assert r.code == 0 and max(p.w, p.h) == 256, r


def test_a_map_that_cannot_be_drawn_is_reported(box):
    r, p = draw(box, tcgen.Map(LITTLE, b"", b"", [], [], []), "-o", tcgen.Map(LITTLE).options())
    assert r.code == 2 and "no points" in r.err
    r, p = draw(box, hill_map(LITTLE), "--layer", "points.csv")
    assert r.code == 2 and "points.csv" in r.err
