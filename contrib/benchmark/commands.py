# SPDX-License-Identifier: Zlib
"""The works of the commands that need no mount."""
import glob
import os
import resource
import shutil
import subprocess

import inputs
from inputs import MIB
from tools import Result, copy, fresh, in_turns, run, timed
from works import DRAGORES, TUTORIAL, TYPED, Missing, retrieve_and_grep, title, tool

SETTING = "info/settings.cfg"


def cpu_of(*argv):
    """Milliseconds of a program's own, user and system."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(*argv)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def peak_of(*argv):
    """Its largest memory in MiB; asked by a small process, as a child begins with the memory of its parent."""
    code = "import resource, subprocess, sys\nsubprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)\n" \
           "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    out = subprocess.run(["/usr/bin/python3", "-c", code, *argv], capture_output=True, check=True).stdout
    return int(out) / 1024


def command_cat(b):
    map_ = b.real(TUTORIAL)
    ours, = in_turns(20 * b.rounds, lambda: cpu_of(b.mapfs.binary, "cat", map_, SETTING))
    return [Result("mapfs cat, CPU", "3 ms", 1, ours, 3.0)]


def command_grep(b):
    n, program = (100 if b.quick else 1000), tool("config_retrieve")
    folder, other = inputs.folder(b.path("maps"), n), inputs.folder(b.path("others"), n)

    a, t = in_turns(min(3, b.rounds), lambda: timed(run, b.mapfs.binary, "grep", "sv_", folder),
                    lambda: timed(retrieve_and_grep, b, program, other))
    return [Result("mapfs grep, %d maps" % n, "config_retrieve", 20, a, t, least=True)]


def command_extract(b):
    out, map_, program = [], b.real(TUTORIAL), tool("map_extract")

    def ours(*paths):
        shutil.rmtree(b.path("out"), ignore_errors=True)
        return timed(run, b.mapfs.binary, "extract", "-o", "raw=off,png=stored", map_, b.path("out"), *paths)

    a, t = in_turns(b.rounds, lambda: ours("images"),
                    lambda: timed(run, program, map_, fresh(b.path("extracted")), env=b.game()))
    out.append(Result("mapfs extract, images", "map_extract", 6, a, t, least=True))
    map_ = b.real(DRAGORES)
    tree = b.reference(map_, *TYPED)
    a, t = in_turns(b.rounds, ours, lambda: b.limit("inflate", map_) + timed(copy, tree, fresh(b.path("copied"))))
    out.append(Result("mapfs extract, " + title(map_), "inflate+cp", 1.3, a, t))
    return out


def command_automap(b):
    """The slowest configuration of the rules that the game has most of."""
    found = glob.glob("/usr/share/games/ddnet/data/editor/**/*.rules", recursive=True)
    if not found:
        raise Missing("the game's rules are not installed")
    rules, side = max(found, key=os.path.getsize), 200 if b.quick else 1000
    with open(rules) as f:
        configs = sum(line.startswith("[") for line in f)
    map_ = inputs.wide_map(b.path("wide.map"), 4 * side * side)
    ways = [lambda n=n: cpu_of(b.mapfs.binary, "automap", "--rules", rules, "--config", str(n), "--seed", "1",
                               "--layer", "groups/*/layers/1*", map_, b.path("drawn.map")) for n in range(configs)]
    return [Result("mapfs automap, %dx%d, CPU" % (side, side), "1 s", 1, max(in_turns(b.rounds, *ways)), 1000.0)]


def command_memory(b):
    map_ = b.map_of(100 if b.quick else 1024)
    size = sum(inputs.datafile.Datafile.load(map_).declared) // MIB
    other, tree = shutil.copyfile(map_, b.path("other.map")), b.path("tree")
    program, cache = b.mapfs.binary, ("-o", "cache=64M")
    run(program, "extract", "-o", "raw=off,png=stored", map_, tree)
    run(program, "put", other, SETTING, os.path.join(tree, "info", "author"))
    works = {"cat": ("cat", map_, SETTING), "check": ("check", map_), "diff": ("diff", map_, other),
             "extract": ("extract", "-o", "png=stored", map_, b.path("out")), "grep": ("grep", "sv_", map_), "ls": ("ls", "-lR", map_),
             "pack": ("pack", tree, b.path("new.map")), "put": ("put", other, SETTING, os.path.join(tree, SETTING)),
             "text": ("text", map_)}
    return [Result("memory, mapfs %s, %d MB" % (name, size), "limit", 1,
                   peak_of(program, argv[0], *cache, *argv[1:]), 64 + 32, "MiB")
            for name, argv in works.items()]


ALL = [command_cat, command_grep, command_extract, command_automap, command_memory]
