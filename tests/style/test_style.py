# SPDX-License-Identifier: Zlib
"""Checks of the sources as text: dependencies between rooms, and style."""
import ast
import glob
import json
import os
import re
import subprocess

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SRC = os.path.join(ROOT, "src")
# Each room, and the rooms that it may include.
BELOW = {
    "base": {"base"},
    "codec": {"base", "codec"},
    "formats": {"base", "codec", "formats"},
    "vfs": {"base", "codec", "formats", "vfs"},
    "fuse": {"base", "codec", "formats", "vfs", "fuse"},
    "tools": {"base", "codec", "formats", "vfs", "tools"},
    "cli": {"base", "codec", "formats", "vfs", "fuse", "tools", "cli"},
}
# The folders of a room, and the folders that each of them may include. None stands for the files beside the folders.
# Those files may include every folder.
SUBROOMS = {
    "base": {
        # All folders use the files beside them.
        "threads": {None},
        "disk": {"threads", None},
        "durable": {"disk", None},
        "sandbox": {None},
    },
    "codec": {
        "zlib": set(),
        "text": set(),
        "image": {"zlib", None},
    },
    "fuse": {
        "session": {None},
        "lifecycle": {"session", None},
    },
    "tools": {
        # The table of tools (tools.h) is beside the folders.
        "common": {None},
        "automap": {"common", None},
        "convert": {"common", None},
        "edit": {"common", None},
        "fix": set(),
        "tidy": {"common", None},
        "cp": {"common", None},
        "index": {None},
        "rules": {None},
        "compare": {"common", None},
        "join": {"compare", None},
        "merge": {"compare", "join", None},
        "pack": set(),
        "diff": {"common", "compare", "merge", None},
        "teeworlds": {"common", "automap", "convert", "cp", "edit", "fix", "tidy", "rules", "compare", "merge", None},
        "torchlight": {"index", "merge", "pack", None},
        "triclon": {"merge", None},
    },
    "tools/teeworlds": {
        "automap": set(),
        "rules": set(),
        "review": {"rules"},
        "whole": set(),
        "convert": {"whole"},
        "edit": set(),
        "fix": {"rules", "whole"},
        "tidy": {"whole"},
        "cp": set(),
    },
    "cli": {
        # The header that declares what a command is has its place beside the folders.
        "line": {None},
        "unmount": {"line", None},
        "pack": {None},
        "commands": {"line", "pack", None},
    },
    "vfs": {
        "files": set(),
        "journal": {"files"},
        "volume": {"files", "journal"},
        "overlay": {"journal", "volume"},
        "tree": {"files", "journal", "volume", "overlay"},
        "ops": {"files", "journal", "volume", "overlay", "tree"},
        "save": {"files", "journal", "volume", "overlay", "tree", "ops"},
        "offline": {"files", "journal", "volume", "overlay", "tree", "save"},
        # Combines several volumes, which are made by the files beside the folders.
        "folder": {"files", "journal", "volume", "tree", "ops", "save", None},
    },
    "formats/teeworlds": {
        "model": set(),
        "datafile": {"model"},
        "item": {"model"},
        "names": {"model", "item"},
        "preview": {"model", "item", "names"},
        "check": {"model", "datafile", "item", "names"},
        "lens": {"model", "item", "names", "preview"},
        "finalize": {"model", "item", "names", "lens"},
    },
    "formats/torchlight": {
        "wire": set(),
        "text": {"wire"},
        "model": {"wire", "text"},
        "lens": {"wire", "text", "model"},
        "finalize": {"wire", "text", "model"},
        "save": {"wire", "model", "finalize"},
        "picture": {"wire", "text", "model", "lens"},
        "check": {"wire", "text", "model", "lens"},
    },
}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.M)


def sources(*endings):
    found = [p for e in endings or ("c", "h")
             for p in glob.glob(os.path.join(SRC, "**", "*." + e), recursive=True)]
    assert found
    return sorted(os.path.relpath(p, SRC) for p in found)


def text(path):
    with open(os.path.join(SRC, path), encoding="utf-8") as f:
        return f.read()


def room(path):
    return path.split(os.sep)[0]


def includes(path):
    return INCLUDE.findall(text(path))


def test_includes_point_down():
    wrong = [(p, name) for p in sources() if room(p) in BELOW
             for kind, name in includes(p)
             if kind == '"' and "/" in name and name.split("/")[0] not in BELOW[room(p)]]
    assert wrong == []


def subroom(outer, path):
    """The folder of a room that contains a path, or None."""
    inner = path[len(outer) + 1:].split("/")
    return inner[0] if path.startswith(outer + "/") and len(inner) > 1 else None


@pytest.mark.parametrize("outer", sorted(SUBROOMS))
def test_includes_between_folders_of_a_room_point_down(outer):
    below = SUBROOMS[outer]
    inside = [p for p in sources() if subroom(outer, p)]
    assert {subroom(outer, p) for p in inside} == set(below)
    wrong = [(p, name) for p in inside for _, name in includes(p)
             if name.startswith(outer + "/")
             and subroom(outer, name) not in below[subroom(outer, p)] | {subroom(outer, p)}]
    assert wrong == []


# Cycles of modules that call each other. None of them may grow, and no new one may appear.
CIRCLES = {
    "tools": [],
    "vfs": [],
    "formats": [
        {"torchlight_text_layout_schema", "torchlight_text_names"},
    ],
    "base": [],
    "codec": [],
}


def calls(library):
    """For each module of a static library, the other modules whose functions or data it uses."""
    listing = subprocess.run(["nm", "-A", library], check=True, stdout=subprocess.PIPE, text=True).stdout
    defined, wanted = {}, {}
    for line in listing.splitlines():
        where, _, what = line.rpartition(":")
        module = re.sub(r"\.c\.o$", "", re.split("[:/]", where)[-1])
        kind, name = what.split()[-2:]
        if kind == "U":
            wanted.setdefault(module, set()).add(name)
        elif kind.isupper():
            defined[name] = module
    return {m: {defined[n] for n in names if n in defined} - {m} for m, names in wanted.items()}


def reachable(graph, start):
    seen, todo = set(), [start]
    while todo:
        for module in graph.get(todo.pop(), set()) - seen:
            seen.add(module)
            todo.append(module)
    return seen


@pytest.mark.parametrize("name", sorted(CIRCLES))
def test_modules_have_no_call_cycles(name):
    library = os.path.join(os.path.dirname(os.environ["MAPFS_BINARY"]), name, "lib%s.a" % name)
    graph = calls(library)
    assert len(graph) > 10
    reach = {m: reachable(graph, m) for m in graph}
    circles = {frozenset(o for o in reach[m] if m in reach.get(o, set())) for m in graph if m in reach[m]}
    assert [sorted(c) for c in circles if not any(c <= known for known in CIRCLES[name])] == []


def test_includes_are_from_the_top_of_the_sources():
    wrong = [(p, name) for p in sources() for kind, name in includes(p)
             if kind == '"' and not os.path.exists(os.path.join(SRC, name))
             and not os.path.exists(os.path.join(SRC, os.path.dirname(p), name))]
    assert wrong == []
    assert [(p, n) for p in sources() for _, n in includes(p) if n.startswith(".")] == []


def test_only_the_fuse_room_includes_libfuse():
    wrong = [(p, n) for p in sources() if room(p) != "fuse"
             for kind, n in includes(p) if kind == "<" and n.startswith("fuse")]
    assert wrong == []


def formats():
    return sorted(d for d in os.listdir(os.path.join(SRC, "formats"))
                  if os.path.isdir(os.path.join(SRC, "formats", d)))


def may_name(path, name):
    """Only the table of formats and the folders of a format may name it; the table of tools names its tools."""
    return path == "formats/formats.c" or path.startswith(("formats/%s/" % name, "tools/%s/" % name))


def test_only_the_tables_include_a_format():
    assert "teeworlds" in formats()
    outside = [(p, n) for p in sources() for kind, n in includes(p) if kind == '"'
               for f in formats()
               if n.startswith("formats/%s/" % f) and not may_name(p, f)]
    outside += [(p, n) for p in sources() for kind, n in includes(p) if kind == '"'
                for f in formats()
                if n.startswith("tools/%s/" % f) and not may_name(p, f) and p != "tools/tools.c"]
    assert outside == []


@pytest.mark.parametrize("name", ["formats/format.h", "vfs", "fuse", "tools", "cli", "main.c"])
def test_code_outside_the_tables_names_no_format(name):
    wrong = [p for p in sources() if p == name or p.startswith(name + os.sep)
             for f in formats() if re.search(r'"%s"|\b%s_' % (f, f), code(p))
             and not may_name(p, f) and p != "tools/tools.c"]
    assert wrong == []


def test_no_folder_has_more_than_25_files():
    held = {}
    for p in sources():
        held.setdefault(os.path.dirname(p), []).append(p)
    assert {d: len(n) for d, n in held.items() if len(n) > 25} == {}


def code(path):
    return re.sub(r"/\*.*?\*/", "", text(path), flags=re.S)


def test_every_file_begins_with_its_license():
    assert [p for p in sources() if not text(p).startswith("/* SPDX-License-Identifier: Zlib */\n")
            ] == []


def test_no_line_ends_in_blanks():
    assert [(p, n) for p in sources() for n, line in enumerate(text(p).splitlines(), 1)
            if line != line.rstrip()] == []


def imported(tree):
    """The (line, name) pairs of imports of a module."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                yield node.lineno, alias.asname or alias.name.split(".")[0]


def test_python_imports_what_it_uses():
    """An import for a side effect, or of a fixture, has a comment noqa: F401."""
    unused, paths = [], glob.glob(os.path.join(ROOT, "tests", "**", "*.py"), recursive=True)
    for path in paths:
        with open(path, encoding="utf-8") as f:
            text = f.read()
        tree, lines = ast.parse(text), text.split("\n")
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        unused += ["%s:%d: %s" % (os.path.relpath(path, ROOT), line, name) for line, name in imported(tree)
                   if name not in used and "noqa: F401" not in lines[line - 1]]
    assert len(paths) > 100 and unused == []


def test_the_top_level_has_only_allowed_names():
    allowed = {"meson.build", "src", "tests", "docs", "contrib", "README.md", "COPYING"}
    odd = [n for n in os.listdir(ROOT) if n not in allowed and not n.startswith((".", "build"))]
    assert odd == []


def test_every_test_is_built_and_run():
    """A test that no meson.build names would never fail."""
    build = os.path.dirname(os.path.dirname(os.environ["MAPFS_BINARY"]))

    def introspection(about):
        with open(os.path.join(build, "meson-info", "intro-%s.json" % about), encoding="utf-8") as f:
            return json.load(f)

    def missing_tests(ending, known):
        known = {os.path.realpath(os.path.join(build, path)) for path in known}
        here = os.path.realpath(os.path.join(ROOT, "tests"))
        return [p for p in glob.glob(os.path.join(here, "**", ending), recursive=True) if p not in known]

    if any(o["name"] == "b_sanitize" and o["value"] != "none" for o in introspection("buildoptions")):
        pytest.skip("a build with sanitizers leaves some out")
    groups = [group for target in introspection("targets") for group in target["target_sources"]]
    assert missing_tests("test_*.py", [word for test in introspection("tests") for word in test["cmd"]]) == []
    unbuilt = missing_tests("*.c", [path for group in groups for path in group.get("sources", [])])
    assert unbuilt == []


def test_the_guide_quotes_the_example_of_a_format():
    with open(os.path.join(ROOT, "tests/formats/quake_pak.c"), encoding="utf-8") as f:
        example = f.read()
    with open(os.path.join(ROOT, "docs/developing.md"), encoding="utf-8") as f:
        quoted = re.findall(r"^```c\n(.*?)^```$", f.read(), flags=re.M | re.S)
    assert quoted and [q for q in quoted if q not in example] == []
    assert example.count("\n") < 200
