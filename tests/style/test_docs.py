# SPDX-License-Identifier: Zlib
"""Checks of the documentation: links and named pages exist, and mapfs knows each command line. tests/examples runs
the examples."""
import functools
import glob
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BINARY = os.environ["MAPFS_BINARY"]
sys.path.insert(0, os.path.join(ROOT, "tests", "mount", "support"))
import randommap  # noqa: E402
# Manual pages of other programs, by section, that our pages may name.
OTHERS = {"fusermount3": "1", "grep": "1", "mv": "1", "touch": "1", "xdg-open": "1", "chmod": "1", "git": "1", "diff": "1",
          "mount": "8", "umount": "8", "fstab": "5", "getfattr": "1", "setfattr": "1", "sync": "1", "cp": "1",
          "systemd.automount": "5", "user_caps": "5", "gitattributes": "5", "git-merge-file": "1", "regex": "7"}


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def named(pattern):
    found = sorted(os.path.relpath(p, ROOT) for p in glob.glob(os.path.join(ROOT, pattern), recursive=True))
    assert found
    return found


MARKDOWN = ["README.md"] + named("docs/*.md")
MANUALS = named("docs/*.[1-9]")

# ---- links


def prose(text):
    """Markdown without code blocks, whose brackets are no links."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)


def anchors(text):
    """The anchors that forges make from headings."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", prose(text), re.M):
        name = re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).replace(" ", "-")
        found.add(name if name not in found else next(
            "%s-%d" % (name, i) for i in range(1, 99) if "%s-%d" % (name, i) not in found))
    return found


def links(text):
    return re.findall(r"\]\(([^)\s]+)\)", prose(text))


@pytest.mark.parametrize("page", MARKDOWN)
def test_every_link_has_a_target(page):
    wrong = []
    for link in links(read(page)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        to = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
        if not os.path.exists(os.path.join(ROOT, to)):
            wrong.append(link)
        elif anchor and anchor not in anchors(read(to)):
            wrong.append(link)
    assert wrong == []


def paths_named(page, text):
    """Paths of the project in code or italics."""
    spans = re.findall(r"`([^`\n]+)`", prose(text)) if page.endswith(".md") else re.findall(
        r"^\.I[R]? (\S+)", text, re.M)
    for span in spans:
        for word in span.split():
            if re.fullmatch(r"(docs|tests|contrib|src)/[\w./@-]+|[\w-]+\.md", word) and "NAME" not in word:
                yield word


@pytest.mark.parametrize("page", MARKDOWN + MANUALS)
def test_named_paths_of_the_project_exist(page):
    wrong = [p for p in paths_named(page, read(page))
             if not any(glob.glob(os.path.join(ROOT, at, p + end))
                        for at in (".", os.path.dirname(page), "src", "docs", "tests") for end in ("", ".c", ".py"))]
    assert wrong == []


def test_every_document_is_linked_from_readme():
    todo, seen = ["README.md"], set()
    while todo:
        page = todo.pop()
        if page in seen:
            continue
        seen.add(page)
        text = read(page)
        for other in MARKDOWN:
            if re.search(r"(?<![\w-])%s" % re.escape(os.path.basename(other)), text):
                todo.append(other)
    assert [p for p in MARKDOWN if p not in seen] == []


# ---- manual pages


def pages():
    """{name: section} of all pages, including links that the installation makes."""
    found = {}
    for path in MANUALS:
        name, _, section = os.path.basename(path).rpartition(".")
        for other in names_of(path) | {name}:
            found[other] = section
    return found


def plain(text):
    """The text of a manual page's source, without its macros."""
    out = []
    for line in text.splitlines():
        if line.startswith('.\\"'):
            continue
        macro = re.match(r"\.(BR|RB|BI|IB|IR|RI|B|I|SM|SH|SS|TH)\b ?(.*)", line)
        if macro:
            words = re.findall(r'"([^"]*)"|((?:\\ |\S)+)', macro[2])
            words = [a or b for a, b in words]
            line = (" " if len(macro[1]) == 1 else "").join(words)
        elif line.startswith("."):
            line = ""
        line = re.sub(r"\\f(?:[A-Z]|\(..|\[\w*\])", "", line)
        out.append(line.replace("\\-", "-").replace("\\&", "").replace("\\ ", " ").replace("\\e", "\\"))
    return "\n".join(out)


def names_of(page):
    """The names in the section NAME of a page."""
    name = re.search(r"^\.SH NAME\n(.*?)^\.SH", read(page), re.M | re.S)[1]
    return {n.strip() for n in plain(name).split(" - ")[0].replace("\n", " ").split(",")}


def references(text):
    """The (name, section) pairs of references like "name (1)", set with a macro or with \\fB."""
    return re.findall(r"^\.BR ([\w.\\-]+) \((\d)\)", text, re.M) + re.findall(
        r"\\fB([a-z][\w.\\-]*?)\\fR\((\d)\)", text)


@pytest.mark.parametrize("page", MANUALS)
def test_named_manual_pages_exist(page):
    ours = pages()
    wrong = [(name, section) for name, section in
             ((n.replace("\\", ""), s) for n, s in references(read(page)))
             if ours.get(name) != section and OTHERS.get(name) != section
             and not (name == "mapfs" and os.path.exists(os.path.join(ROOT, "docs/mapfs." + section)))]
    assert wrong == []


def test_manual_pages_refer_to_each_other():
    main = read("docs/mapfs.1")
    for page in MANUALS:
        if page == "docs/mapfs.1":
            continue
        section = page[-1]
        for name in names_of(page):
            if section != "8":
                assert (name, section) in [(n.replace("\\", ""), s) for n, s in references(main)], name
        assert ("mapfs", "1") in references(read(page)), page


@pytest.mark.parametrize("page", MANUALS)
def test_manual_pages_have_no_mistake(page):
    if not shutil.which("mandoc"):
        pytest.skip("not installed: mandoc")
    r = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", os.path.join(ROOT, page)],
                       capture_output=True, text=True)
    assert r.stdout + r.stderr == ""


def keys_in(value):
    """All keys in a JSON value."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from keys_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys_in(inner)


def test_the_manual_has_every_file_and_every_key_of_a_map(tmp_path):
    for seed in range(8):
        (tmp_path / "a.map").write_bytes(randommap.random_map(seed))
        subprocess.run([BINARY, "extract", tmp_path / "a.map", tmp_path / ("out%d" % seed)], check=True)
    page = plain(read("docs/mapfs.5"))
    names, keys = set(), set()
    for at, _, files in os.walk(tmp_path):
        for name in set(files) - {"a.map"}:
            names.add(re.sub(r"^\d+_?[^.]*", "", name) if "raw" not in at else "raw")
            if name.endswith(".json"):
                with open(os.path.join(at, name), encoding="utf-8") as f:
                    keys |= set(keys_in(json.load(f)))
    assert len(names) > 8 and len(keys) > 30
    assert sorted(n for n in names if n not in page and n.replace(".csv", "") not in page) == []
    assert sorted(k for k in keys if not re.search(r"\b%s\b" % k, page)) == []


def test_links_to_manual_pages_are_installed():
    """Each name of a page that differs from its file name has a link."""
    installed = read("docs/meson.build")
    for page in MANUALS:
        assert "'%s'" % os.path.basename(page) in installed
        for name in names_of(page) - {os.path.basename(page)[:-2]}:
            assert re.search(r"'%s'" % re.escape(name.replace("mapfs-", "")), installed) or name in installed, name


# ---- command lines


@functools.lru_cache(None)
def help_of(command="options"):
    """The help page of a command, or of all mount options."""
    r = subprocess.run([BINARY, "help", command], capture_output=True, text=True, timeout=60)
    assert r.returncode == 0 and r.stderr == "", command
    return r.stdout


def commands():
    return re.findall(r"^  (\w[\w-]*)", help_of("commands"), re.M)


def options_in(text):
    """The options on a --help page: the first column, and options in brackets in the usage."""
    found = set()
    for line in re.findall(r"^ +(-.*)$", text, re.M):
        found |= set(re.findall(r"(?:^|[, ])(--?[A-Za-z][\w-]*)", line.split("  ")[0]))
    for group in re.findall(r"\[(-[^]]*)\]", text):
        for option in re.findall(r"--?[A-Za-z][\w-]*", group):
            found |= {option} if option.startswith("--") else {"-" + c for c in option[1:]}
    return found | {"-h", "--help"}


def mount_options():
    text = help_of().split("\nMount options:\n")[1].split("\n\n")[0]
    return set(re.findall(r"(?:^  |,)([a-z_]+)", "\n".join(line[:26] for line in text.splitlines()), re.M))


def code_of(page):
    """The lines of a document that are code."""
    text = read(page)
    if page.endswith(".md"):
        blocks = [code for language, code in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S)
                  if language in ("", "sh")]
        # A code span may continue in the next line.
        spans = re.findall(r"`([^`]+)`", prose(text))
        return "\n".join(blocks).splitlines() + [s.replace("\n", " ") for s in spans]
    examples = re.findall(r"^\.(?:nf|EX)\n(.*?)^\.(?:fi|EE)", text, re.M | re.S)
    bold = re.findall(r'^\.BR? "?(mapfs(?: |\\ )[^"\n]*)', text, re.M)
    return [plain(line) for line in "\n".join(examples).splitlines() + bold]


def command_lines(page):
    """The words of each `mapfs ...` in the code of a document."""
    for line in code_of(page):
        line = re.sub(r"(?:^|\s)#.*", "", line)
        for command in re.findall(r"(?<![\w./@=-])(?:build/src/)?mapfs ((?:'[^']*'|\"[^\"]*\"|\$\([^)]*\)|[^|;&)\n>])+)",
                                  line):
            words = re.findall(r"'[^']*'|\"[^\"]*\"|\S+", command)
            if words:
                yield words


def mistakes(words, known):
    """The words of a command line that no --help page has."""
    first = words[0]
    name = first if re.fullmatch(r"[a-z]+", first) and first in commands() else None
    if name:
        words = words[1:]
        if name not in known:
            known[name] = options_in(help_of(name))
    options = known[name]
    wrong, after = [], False
    for i, word in enumerate(words):
        if after:
            wrong += ["-o " + key for key in re.findall(r"(?:^|,)([a-z_]+)", word) if key not in known["-o"]]
        after = word == "-o"
        if word.startswith("--"):
            wrong += [] if word.split("=")[0] in options or word.strip("'") == "--" else [word]
        elif re.match(r"-[A-Za-z]", word):
            wrong += ["-" + c for c in word[1:] if "-" + c not in options and "-o" != word[:2]]
    # Maps have an ending, and placeholders are in capitals.
    if not name and re.fullmatch(r"[a-z]+", first) and first not in DIRECTORIES:
        wrong.append(first)
    return wrong


# First words in examples that are directory names.
DIRECTORIES = {"maps"}


@pytest.fixture(scope="module")
def known():
    return {None: options_in(help_of()), "-o": mount_options() | {"raw", "text"}}


@pytest.mark.parametrize("page", MARKDOWN + MANUALS)
def test_documented_command_lines_are_valid(page, known):
    wrong = [(" ".join(words), found) for words in command_lines(page) for found in [mistakes(words, known)] if found]
    assert wrong == []


@pytest.mark.parametrize("page", MARKDOWN)
def test_scripts_know_their_documented_options(page):
    wrong = []
    for line in code_of(page):
        for script, rest in re.findall(r"(?:^|\s)(contrib/[a-z]+)((?: [^\s;|&]+)*)", re.sub(r"\s#.*", "", line)):
            if os.path.isfile(os.path.join(ROOT, script)):
                wrong += [(script, o) for o in re.findall(r"--[a-z][\w-]*", rest) if o not in read(script)]
    assert wrong == []


def page_of(command):
    """The manual page of a command: its own, that of its group, or mapfs.1."""
    for page in MANUALS:
        if "mapfs-" + command in names_of(page):
            return page
    return "docs/mapfs.1"


@pytest.mark.parametrize("command", [None] + commands())
def test_the_manual_has_every_option_of_help(command):
    page = plain(read(page_of(command) if command else "docs/mapfs.1"))
    assert not command or re.search(r"\bmapfs %s\b|\b%s\b" % (command, command), page)
    # Each letter of a group is an option.
    written = set(re.findall(r"(?<![\w-])--[a-z][\w-]*", page))
    for letters in re.findall(r"(?<![\w-])-([A-Za-z]+)\b", page):
        written |= {"-" + c for c in letters}
    assert sorted(options_in(help_of(command or "options")) - written - {"--help", "--debug"}) == []


@pytest.mark.parametrize("page", [p for p in MANUALS if p not in ("docs/mapfs-open.1", "docs/mapfs.5")])
def test_the_manual_has_no_option_that_help_lacks(page):
    text = read(page)
    known = options_in(help_of())
    for command in commands():
        if page_of(command) == page:
            known |= options_in(help_of(command))
    part = re.search(r"^\.SH OPTIONS\n(.*?)(?=^\.SH|^\.SS|\Z)", text, re.M | re.S)
    tags = re.findall(r"^\.TP\n(.*)$", part[1], re.M) if part else []
    synopsis = re.search(r"^\.SH SYNOPSIS\n(.*?)^\.SH", text, re.M | re.S)[1]
    shown_there = re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", plain("\n".join(tags) + "\n" + synopsis))
    letters = {"-t", "-l", "-f"}  # mount's and umount's
    wrong = [o for o in shown_there if o not in known | letters
             and not (o[1] != "-" and all("-" + c in known for c in o[1:]))]
    assert wrong == []


# ---- these tests find mistakes


def test_the_checks_find_mistakes(known):
    assert sum(len(list(command_lines(page))) for page in MARKDOWN + MANUALS) > 100
    assert anchors("# A b\n## A b\n## `c` d!\n") == {"a-b", "a-b-1", "c-d"}
    assert links("[a](b.md#c) ```\n") == ["b.md#c"]
    for line, wrong in (("ls -lR dm1.map", []), ("ls -z dm1.map", ["-z"]), ("-u --discart mnt", ["--discart"]),
                        ("-o ro,row=off a.map", ["-o row"]), ("lst dm1.map", ["lst"]),
                        ("diff --brief a b", []), ("cat --brief a b", ["--brief"])):
        assert mistakes(line.split(), known) == wrong, line
