#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""Compares two programs by the same random operations on their mounts: one before a large change, one after it.

    run.py --format teeworlds --seed 1 --count 1000       one sequence for each seed
    run.py ... --events sync,kill | none                  saves of both, and kills of the new one
    run.py --replay FILE                                  a case of an earlier run

MAPFS_BEFORE is the old program (contrib/before makes it), MAPFS_AFTER the new one (build/src/mapfs). Cases that
differ are shrunk, printed with their seeds, and saved in the directory --keep. The exit code is 1 if any differ.
"""
import argparse
import collections
import multiprocessing
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", d) for d in (
    "mount", "mount/support", "teeworlds/support", "torchlight/support", "triclon/support")]
sys.dont_write_bytecode = True

import compare  # noqa: E402
import context  # noqa: E402
import draw  # noqa: E402
from case import Case, line  # noqa: E402
from places import in_memory  # noqa: E402
from side import Failed, Side, run  # noqa: E402
from shrink import shrink  # noqa: E402

BEFORE = os.environ.get("MAPFS_BEFORE", "")
AFTER = os.environ.get("MAPFS_AFTER") or os.environ.get("MAPFS_BINARY") or os.path.join(
    HERE, "..", "..", "build", "src", "mapfs")
Finding = collections.namedtuple("Finding", "seed case found signature allowed")


def draw_case(format_, seed, events, room):
    """Draw a case; the old program runs each operation as it is drawn."""
    module, rng = context.format_module(format_), draw.generator(seed, format_)
    case = module.draw_case(rng, seed)
    with Side(BEFORE, room, "draw", case) as side:
        ops = module.Drawer(rng, side).sequence(rng.randrange(5, 26))
        side.run("-u", "--force", "--discard", side.point)
    return case.but(draw.with_events(ops, draw.generator(seed, "events"), events) if events else ops)


def compare_runs(case, room):
    return compare.differences(case, run(BEFORE, room, "old", case), run(AFTER, room, "new", case, alone=True))


def run_seed(format_, seed, events, room, patience=60):
    try:
        case = draw_case(format_, seed, events, room)
    except Failed:  # a random map need not be valid
        return Finding(seed, None, [], "", {})
    found, allowed = compare_runs(case, room)
    if not found:
        return Finding(seed, None, [], "", allowed)
    wanted = compare.signature(found[0])

    def fails(ops):
        return any(compare.signature(d) == wanted for d in compare_runs(case.but(ops), room)[0])
    small = case.but(shrink(case.ops, fails, patience))
    again = compare_runs(small, room)[0]
    return Finding(seed, small, again or found, wanted if again else "only once: " + wanted, allowed)


def run_job(job):
    format_, seed, events, patience = job
    with in_memory() as room:
        return run_seed(format_, seed, events, room, patience)


def print_finding(finding, keep):
    print("\nseed %d: %s" % (finding.seed, finding.signature))
    if finding.case:
        for op in finding.case.ops:
            print("    " + line(op))
        path = os.path.join(keep, "%s-%d.json" % (finding.case.format, finding.seed))
        finding.case.save(path)
        print("  kept as " + path)
    for d in finding.found[:8]:
        print("  " + compare.describe(d))
    sys.stdout.flush()


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--format", choices=context.FORMATS, default="teeworlds")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--count", type=int, default=100)
    p.add_argument("--events", default="sync,kill")
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--each", type=int, default=3, help="number of printed cases of one type")
    p.add_argument("--patience", type=int, default=60, help="seconds to shrink a case")
    p.add_argument("--keep", default=".")
    p.add_argument("--replay")
    return p.parse_args()


def main():
    args = arguments()
    if args.replay:
        with in_memory() as room:
            found, allowed = compare_runs(Case.load(args.replay), room)
        print("\n".join(map(compare.describe, found)), dict(allowed))
        return bool(found)
    events = [e for e in args.events.split(",") if e in ("sync", "kill")]
    jobs = [(args.format, seed, events, args.patience) for seed in range(args.seed, args.seed + args.count)]
    sorts, first, allowed, start = collections.Counter(), {}, collections.Counter(), time.monotonic()
    os.makedirs(args.keep, exist_ok=True)
    with multiprocessing.Pool(args.jobs, maxtasksperchild=500) as pool:
        for f in pool.imap(run_job, jobs):
            allowed.update(f.allowed)
            if f.found:
                sorts[f.signature] += 1
                first.setdefault(f.signature, f.seed)
                if sorts[f.signature] <= args.each:
                    print_finding(f, args.keep)
    took = time.monotonic() - start
    print("\n%s: %d of %d differ; %.1f a second" % (args.format, sum(sorts.values()), args.count, args.count / took))
    for sort, n in sorts.most_common():
        print("%6d  %s (first: seed %d)" % (n, sort, first[sort]))
    for rule, n in allowed.most_common():
        print("%6d  allowed: %s" % (n, rule))
    return bool(sorts)


if __name__ == "__main__":
    sys.exit(main())
