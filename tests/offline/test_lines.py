# SPDX-License-Identifier: Zlib
"""Command lines of the commands without a mount, and the messages about wrong ones."""
import errno
import os
import re
import shutil
import subprocess

import pytest

import archives
import datafile
import folder
import maps
import places
from box import on_a_terminal, wait_for
from maps import good, run
from shims import Fault


def commands():
    """The names of all commands, from the table in src/cli."""
    source = read(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/cli/commands.c"))
    return re.findall(r'^\t\{"([a-z]+)", &cli_', source, re.M)


def read_bytes(path):
    with open(path, "rb") as f:
        return f.read()


def read(path):
    with open(path) as f:
        return f.read()


@pytest.mark.parametrize("args, why", [
    (["ls", "-lZ"], "ls: unknown option -Z"), (["ls", "-Zl"], "ls: unknown option -Z"),
    (["rm", "-rZv", "a", "b"], "rm: unknown option -Z"), (["ls", "--none"], "ls: unknown option --none"),
    (["put", "-vo"], "put: option -o needs an argument"), (["pack", "--onto"], "pack: option --onto needs an argument"),
    (["check", "--json=3", "a"], "check: option --json takes no value"), (["check", "-j", "a"], "check: unknown option -j"),
    (["status", "-Zx"], "status: unknown option -Z"), (["status", "--json=3"], "status: option --json takes no value"),
    (["recover", "-lx"], "recover: unknown option -l"), (["recover", "--list=x"], "recover: option --list takes no value"),
    (["recover", "--extract"], "recover: option --extract needs an argument"),
    (["ls", ""], "ls: empty name"), (["extract", "a.map", "out", ""], "extract: empty name"),
    (["cat", "a.map", ""], "cat: empty name"), (["preview", "a.map", "", "p.png"], "preview: empty name"),
    (["diff", "a.map", ""], "diff: empty name"), (["grep", "a", ""], "grep: empty name"),
    (["recover", ""], "recover: empty name"), (["recover", "a.map", "--extract="], "recover: empty name"),
    (["status", ""], "status: empty name"),
    (["-u", "", "a"], "-u: empty name"),
    (["mv", "a.map", "info/author", ""], "mv: empty name"), (["rm", "-r", "a.map", ""], "rm: empty name"),
    (["put", "-o", "ro", "a.map", "x"], "put: cannot write with -o ro"),
    (["pack", "-o", "ro", "a", "b.map"], "pack: cannot write with -o ro"),
    (["pack", "a", "--onto", "b", "--format=triclon"], "pack: --format needs a new file"),
    (["grep", "-Zi", "a", "b"], "grep: unknown option -Z"), (["grep", "-I", "a"], "grep: unknown option -I"),
    (["diff", "-Zq", "a", "b"], "diff: unknown option -Z")], ids=str)
def test_the_message_names_the_wrong_option(args, why):
    r = run(*args, text=True)
    assert r.stderr == "mapfs: %s (see mapfs %s)\n" % (why, "--help" if args[0] == "-u" else "help " + args[0])
    assert r.returncode == (2 if args[0] in ("grep", "diff") else 1)


def test_the_first_page_fits_on_a_terminal():
    r = good("--help", text=True)
    assert len(r.stdout.splitlines()) < 24, "and the prompt"
    assert all(len(line) <= 80 for line in r.stdout.splitlines())
    assert re.findall("^(?:Usage:|      ) mapfs (-u|--new|FILE|COMMAND)", r.stdout, re.M) == ["FILE", "-u", "--new", "COMMAND"]
    assert re.findall("^  ([a-z]+) ", r.stdout, re.M) == [
        "ls", "cat", "extract", "put", "check", "diff", "tidy", "preview"]
    assert set(commands()) - set(re.findall("[a-z]+", r.stdout)) == {"umount"}, "that is -u"
    for way in (["-h"], ["help"]):
        assert good(*way, text=True).stdout == r.stdout
    assert {"help commands", "help options", "help COMMAND"} <= set(re.findall("mapfs (help [a-zA-Z]+)", r.stdout))


def test_every_command_has_a_help_page():
    page = good("help", "commands", text=True).stdout
    assert sorted(re.findall("^  ([a-z]+) ", page, re.M)) == sorted(commands()) and len(commands()) > 15
    for name in commands():
        own = good("help", name, text=True)
        assert own.stdout.startswith("Usage: mapfs %s " % name) and not own.stderr
        assert run(name, "--help", text=True).stdout == own.stdout
        page += own.stdout
    options = good("help", "options", text=True).stdout
    assert "\n  names=" in options and "\n  raw=" in options and "\n  endian=" in options
    assert [line for line in (page + options).splitlines() if len(line) > 80] == []


@pytest.mark.parametrize("name", [None] + sorted(set(commands()) - {"status", "help"}))
def test_a_command_without_arguments_shows_its_usage(name):
    r = run(*[name] if name else [], text=True)
    code = {"merge": 129, "diff": 2, "grep": 2}.get(name, 1)
    assert (r.returncode, r.stdout) == (code, "")
    assert r.stderr == good("help", *[name] if name else [], text=True).stdout


@pytest.mark.parametrize("args, meant", [
    (["stauts"], "status"), (["exract", "a.map", "out"], "extract"), (["grpe", "-Ei", "x", "maps"], "grep"),
    (["lss", "-lR"], "ls"), (["unmount", "x"], "umount"), (["hlep"], "help"), (["help", "chekc"], "check"),
    (["ct", "-o", "ro", "a.map"], "cat")], ids=lambda a: a[0] if isinstance(a, list) else a)
def test_a_misspelt_command_suggests_the_right_one(tmp_path, args, meant):
    r = run(*args, text=True, cwd=tmp_path)
    assert r.returncode == 1 and r.stderr.count("\n") == 1 and "did you mean %s?" % meant in r.stderr, r


def test_common_mistakes_get_advice(tmp_path):
    """A folder without --in-place, a new map without --new, a default mount point that cannot be made."""
    (tmp_path / "maps").mkdir()
    for args in (["tidy", "maps"], ["convert", "--to", "0.7", "maps"], ["automap", "maps"]):
        r = run(*args, text=True, cwd=tmp_path)
        assert r.returncode == 2 and "maps: is a folder: use --in-place" in r.stderr, r
    r = run("new", "a.map", text=True, cwd=tmp_path)
    assert r.returncode == 2 and "use mapfs --new FILE to create a map" in r.stderr, r
    map_ = tmp_path / "a.map"
    map_.write_bytes(datafile.small_map())
    (tmp_path / "a").symlink_to("nowhere/a")  # mkdir(2) fails here for root, too
    r = run(str(map_), text=True, cwd=tmp_path)
    assert r.returncode == 3 and "mount point" in r.stderr and "name another" in r.stderr, r


def test_no_command_is_suggested_for_existing_or_new_files(tmp_path):
    (tmp_path / "cta").write_bytes(b"none")
    assert run("cta", "mnt", text=True, cwd=tmp_path).stderr.startswith("mapfs: cta: ")
    for args in (["cta", "mnt"], ["stauts", "none", "--new", "--format=teeworlds"], ["none.map"], ["nothing"]):
        r = run(*args, text=True, cwd=tmp_path)
        assert r.returncode in (2, 3) and "did you mean" not in r.stderr, r


def test_an_output_name_after_o_gets_advice():
    for args in (["preview", "x.map", "-o", "y.png"], ["merge", "a", "b", "c", "-o", "d.map"]):
        r = run(*args, text=True)
        assert "; name OUT without -o" in r.stderr and r.returncode in (1, 129), r
    for args in (["preview", "-o", "raw=no"], ["preview", "-o", "raw"], ["ls", "-o", "x.map"]):
        assert "OUT" not in run(*args, text=True).stderr


@pytest.mark.parametrize("source", ["/", "/proc/self/mem"])
def test_an_unreadable_source_is_named(small, source):
    r = run("put", small, "info/author", source, text=True)
    assert r.returncode == 2 and r.stderr.startswith("mapfs: %s: " % source), r


def test_a_dash_is_standard_input(small):
    good("put", small, "info/author", "-", input=b"somebody\n")
    assert good("cat", small, "info/author").stdout == b"somebody\n"


def run_with_input(*args, stdin, code=0, **kw):
    r = run(*args, input=stdin, **kw)
    assert r.returncode == code, r.stderr
    return r.stdout


@pytest.mark.parametrize("args", [
    ["ls", "-R", "MAP"], ["cat", "MAP", "info/author", "images/0_checker.png"], ["text", "MAP"], ["text", "MAP", "info"],
    ["preview", "MAP"], ["grep", "some", "MAP"], ["check", "MAP"], ["diff", "MAP", "OTHER"], ["diff", "OTHER", "MAP"]],
    ids="-".join)
def test_a_map_may_come_from_standard_input(box, small, args):
    names = {"MAP": small, "OTHER": box.add(small, "other.map")}
    good("put", small, "info/author", input=b"somebody\n")
    # Some lines name the map, also when it is standard input.
    want = run(*[names.get(a, a) for a in args], cwd=box.root)
    r = run(*["-" if a == "MAP" else names.get(a, a) for a in args], input=read_bytes(small), cwd=box.root)
    assert want.returncode in (0, 1) and len(want.stdout) + len(want.stderr) >= (0 if args[0] == "check" else 5)
    assert (r.returncode, r.stdout, r.stderr) == (want.returncode, want.stdout.replace(small.encode(), b"-"),
                                                  want.stderr.replace(small.encode(), b"-"))
    assert sorted(os.listdir(box.maps)) == ["other.map", "small.map"]


def test_a_map_from_standard_input_is_extracted(box, small):
    outs = [os.path.join(box.root, name) for name in ("file", "stream")]
    good("extract", small, outs[0])
    run_with_input("extract", "-", outs[1], stdin=read_bytes(small))
    trees = [{k: v[3] for k, v in maps.tree(out).items()} for out in outs]
    assert trees[0] == trees[1] and len(trees[0]) > 20


def test_a_map_from_standard_input_cannot_be_changed(box, small):
    for args in (["put", "-", "info/author"], ["rm", "-", "info/author"], ["pack", box.maps, "--onto", "-"]):
        r = run(*args, input=read_bytes(small), cwd=box.root)
        assert (r.returncode, r.stderr) == (2, b"mapfs: -: cannot write to standard input\n"), args
    r = run("text", "-", input=b"none")
    assert (r.returncode, r.stderr) == (2, b"mapfs: -: not a map of a known format\n")
    for head, kind in ((b"PK\3\4", "a zip archive"), (b"<!doctype HTML>", "an HTML page"), (b"\x89PNG\r\n", "a PNG image"),
                       (b"version https://git-lfs.github.com/spec/v1\n", "a pointer of Git LFS")):
        path = os.path.join(box.root, "other.map")
        with open(path, "wb") as f:
            f.write(head + bytes(100))
        r = run("ls", path, text=True)
        assert (r.returncode, r.stderr) == (2, "mapfs: %s: is %s, not a map\n" % (path, kind))
    # A file named - can be given with its path.
    shutil.copy(small, os.path.join(box.root, "-"))
    assert good("cat", "./-", "info/author", cwd=box.root).stdout == good("cat", small, "info/author").stdout


def test_a_dash_at_the_end_is_standard_output(small):
    for args in (["cat", small, "info/author", "info/license"], ["text", small], ["text", small, "info"]):
        assert good(*args, "-").stdout == good(*args).stdout != b""


@pytest.fixture
def three(box, small):
    """The paths of base, ours and theirs."""
    names = [small, box.add(small, "ours.map"), box.add(small, "theirs.map")]
    good("put", names[1], "info/author", input=b"we\n")
    good("put", names[2], "info/license", input=b"they\n")
    return names


def test_a_merged_map_can_go_to_standard_output(box, three):
    out, files = os.path.join(box.root, "out.map"), sorted(os.listdir(box.maps))
    good("merge", *three, out)
    assert good("merge", *three, "-", cwd=box.root).stdout == read_bytes(out)
    for at in range(3):  # one of the three comes from standard input
        args = [name if i != at else "-" for i, name in enumerate(three)]
        assert run_with_input("merge", *args, "-", stdin=read_bytes(three[at]), cwd=box.root) == read_bytes(out)
    # If only one side was written, there is nothing to merge.
    assert good("merge", three[0], three[0], three[2], "-", cwd=box.root).stdout == read_bytes(three[2])
    assert good("merge", three[0], three[1], three[0], "-", cwd=box.root).stdout == read_bytes(three[1])
    assert sorted(os.listdir(box.maps)) == files
    reported, code = on_a_terminal(box, "merge", *three, "-")
    assert code == 129 and "terminal" in reported and "DATA" not in reported
    r = run_redirected(">/dev/full", "merge", *three, "-", cwd=box.root)
    assert (r.returncode, r.stderr) == (132, "mapfs: -: cannot write: No space left on device\n")


@pytest.mark.parametrize("format", ["teeworlds", "torchlight-mod", "triclon"])
def test_a_new_map_can_go_to_standard_output(box, small, format):
    tree, tmp, out = (os.path.join(box.root, name) for name in ("tree", "tmp", "out.map"))
    os.mkdir(tmp)
    if format == "teeworlds":
        good("extract", "-o", "raw=off", small, tree)
    else:
        os.makedirs(tree + "/.mod")
        with open(tree + "/.mod/info.json" if format == "torchlight-mod" else tree + "/info.json", "w") as f:
            f.write('{"title": "t", "id": 7}' if format == "torchlight-mod" else '{"name": "t"}')
    good("pack", "--format=" + format, tree, out)
    env = box.env({"TMPDIR": tmp})
    for how in ([], ["-v"]):  # messages do not go into the map
        r = run("pack", "--format=" + format, *how, tree, "-", env=env, cwd=box.root)
        assert (r.returncode, r.stdout) == (0, read_bytes(out)) and (b"saved: " in r.stderr) == bool(how)
    reported, code = on_a_terminal(box, "pack", "--format=" + format, tree, "-")
    assert code == 1 and "terminal" in reported
    r = run_redirected(">/dev/full", "pack", "--format=" + format, tree, "-", env=env, cwd=box.root)
    assert (r.returncode, r.stderr.splitlines()[-1]) == (4, "mapfs: -: cannot write: No space left on device")
    assert os.listdir(tmp) == [] and os.listdir(box.root).count("-") == 0


def test_a_new_map_needs_a_format(box, small):
    r = run("pack", box.maps, "-", text=True, cwd=box.root)
    assert (r.returncode, r.stdout) == (2, "") and "name the format with --format=NAME" in r.stderr
    r = run("pack", "--format=torchlight-pak", box.maps, "-", text=True, cwd=box.root)
    assert (r.returncode, r.stderr) == (2, "mapfs: -: cannot write a map of two files to standard output\n")


def test_conflicts_of_a_map_on_standard_output_are_beside_ours(box, three):
    good("put", three[2], "info/author", input=b"they\n")
    tmp = os.path.join(box.root, "tmp")
    os.mkdir(tmp)
    r = run("merge", *three, "-", env=box.env({"TMPDIR": tmp}), cwd=box.root)
    assert r.returncode == 1 and b"theirs is in " + three[1].encode() + b".mapfs-left/info/author" in r.stderr
    assert read(three[1] + ".mapfs-left/info/author") == "they\n"
    assert run_with_input("cat", "-", "info/author", "info/license", stdin=r.stdout) == b"we\nthey\n"
    r = run("merge", "-L", os.path.join(box.root, "named.map"), *three, "-", env=box.env({"TMPDIR": tmp}), cwd=box.root)
    assert r.returncode == 1 and read(os.path.join(box.root, "named.map.mapfs-left/info/author")) == "they\n"
    assert os.listdir(tmp) == []
    box.allow("ours.map.mapfs-left")


def test_a_failed_sync_loses_no_conflict(box, three):
    """Each sync of a merge fails in turn."""
    good("put", three[2], "info/author", input=b"they\n")
    codes = []
    while not codes or hit:
        with open(three[1], "rb") as f:
            out = box.add(f.read(), "out.map")
        shim = box.shim(Fault)
        shim.arm(Fault.FAIL, len(codes), Fault.SYNC, errno.EIO)
        r = run("merge", *three[:3], out, env=box.env(shim.env()))
        hit, copy = shim.calls() > len(codes), out + ".mapfs-left"
        codes.append(r.returncode)
        if os.path.exists(copy):
            assert read(copy + "/info/author") == "they\n"
            shutil.rmtree(copy)
        else:
            assert r.returncode == 132 and read_bytes(out) == read_bytes(three[1]), r.stderr
    assert codes[-1] == 1 and codes.count(132) >= 3, codes


def test_the_copy_of_a_private_map_is_private(box, three):
    """While a merged map for standard output is made, no other user may read the copy."""
    os.chmod(three[1], 0o600)
    tmp = os.path.join(box.root, "tmp")
    os.mkdir(tmp)
    shim = box.shim(Fault)
    shim.arm(Fault.KILL, 0, Fault.SYNC)
    run("merge", *three, "-", env=box.env(dict(shim.env(), TMPDIR=tmp)), cwd=box.root)
    assert [os.stat(os.path.join(tmp, n)).st_mode & 0o077 for n in os.listdir(tmp)] != [] and not any(
        os.stat(os.path.join(tmp, n)).st_mode & 0o077 for n in os.listdir(tmp))


def test_a_map_of_two_files_cannot_be_a_stream(box):
    pak, man = folder.pair()
    p = box.add(pak, "F.PAK")
    box.add(man, "F.PAK.MAN")
    r = run("merge", p, p, p, "-", text=True, cwd=box.root)
    assert (r.returncode, r.stdout, r.stderr) == (130, "", "mapfs: %s: cannot write a map of two files to standard output\n" % p)


def test_a_closed_standard_input_is_an_error(small):
    good("put", small, "info/author", input=b"somebody\n")
    r = subprocess.run(["/bin/sh", "-c", 'exec "$@" <&-', "sh", places.BINARY, "put", small, "info/author"],
                       capture_output=True, timeout=60)
    assert (r.returncode, r.stderr) == (2, b"mapfs: standard input: Bad file descriptor\n")
    assert good("cat", small, "info/author").stdout == b"somebody\n"


def test_a_map_that_changed_meanwhile_is_saved_under_another_name(box, small):
    p = subprocess.Popen([places.BINARY, "put", small, "info/author"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
    inode = ":%d " % os.stat(small).st_ino
    wait_for(lambda: inode in read("/proc/locks"))
    other = box.add(small, "other.map")
    good("put", other, "info/author", input=b"the other\n")
    os.rename(other, small)
    out, err = p.communicate(b"somebody else\n", timeout=60)
    box.allow("*.mapfs-conflict")
    assert p.returncode == 6 and b"saved: as small.map.mapfs-conflict, " in err, (out, err)


def test_recover_reports_a_missing_map(box, small):
    assert good("recover", small).stdout == b"no journal\n"
    for name, why in ((os.path.join(box.maps, "none.map"), "No such file or directory"), (box.maps, "is a folder")):
        for how in ([], ["--extract", os.path.join(box.root, "out")]):
            r = run("recover", name, *how, text=True)
            assert (r.returncode, r.stdout, r.stderr) == (2, "", "mapfs: %s: %s\n" % (name, why))


def test_mv_names_the_missing_path(box):
    mod = box.add(archives.small_mod(), "S.MOD")
    for args, missing in ((["MEDIA/README.TXT", "MEDIA/NONE/X.TXT"], "MEDIA/NONE/X.TXT"),
                          (["MEDIA/NONE.TXT", "MEDIA/X.TXT"], "MEDIA/NONE.TXT")):
        r = run("mv", mod, *args, text=True)
        assert (r.returncode, r.stderr) == (2, "mapfs: %s: %s: No such file or directory\n" % (mod, missing))


def run_redirected(redirection, *args, **kw):
    """Run a command with its standard output redirected by a shell."""
    return subprocess.run(["/bin/sh", "-c", 'exec "$@" %s' % redirection, "sh", places.BINARY, *args],
                          capture_output=True, text=True, timeout=60, **kw)


NO_OUTPUT = pytest.mark.parametrize("redirection, why", [
    (">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")], ids=["full", "closed"])


@NO_OUTPUT
@pytest.mark.parametrize("args", [
    ["cat", "A", "info/author"], ["ls", "A"], ["ls", "-lR", "A"], ["text", "A"], ["grep", "some", "A"], ["check", "NONE"],
    ["grep", "-c", "some", "A"], ["diff", "A", "B"], ["diff", "-q", "A", "B"], ["status", "A"], ["status", "--json", "A"],
    ["recover", "A"], ["recover", "A", "--list"], ["check", "--json", "NONE"], ["--version"], ["ls", "--help"],
    ["--help"], ["merge", "--help"], ["grep", "--help"], ["help", "options"]], ids="-".join)
def test_output_that_cannot_be_written_is_an_error(box, small, args, redirection, why):
    names = {"A": small, "B": box.add(small, "b.map"), "NONE": box.add(b"none", "none.map")}
    good("put", small, "info/author", input=b"somebody\n")
    r = run_redirected(redirection, *[names.get(a, a) for a in args])
    assert (r.returncode, r.stderr) == (2, "mapfs: standard output: %s\n" % why)


@NO_OUTPUT
def test_a_command_that_prints_nothing_needs_no_output(small, redirection, why):
    for args in (["put", small, "info/author", "/dev/null"], ["diff", small, small], ["cat", small, "info/author"]):
        r = run_redirected(redirection, *args)
        assert (r.returncode, r.stderr) == (0, ""), args


def test_a_report_that_cannot_be_printed_goes_to_stderr(box, small):
    m = box.mount(small)
    m.put("info/author", b"somebody\n")
    r = run_redirected(">/dev/full", "-u", m.point)
    assert r.returncode == 5 and not m.mounted()
    first, *report = r.stderr.splitlines()
    assert first == "mapfs: standard output: No space left on device"
    assert report == ["saved: info/author"]
    assert good("cat", small, "info/author").stdout == b"somebody\n"
    r = run_redirected(">/dev/full", "put", "-v", small, "info/author", input="nobody\n")
    assert (r.returncode, r.stderr) == (5, first + "\nsaved: info/author\n")
    assert good("cat", small, "info/author").stdout == b"nobody\n"


def test_a_report_without_a_reader_does_not_stop_the_save(box, small):
    m = box.mount(small)
    m.put("info/author", b"somebody\n")
    p = subprocess.Popen([places.BINARY, "-u", m.point], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    p.stdout.close()
    err = p.stderr.read()
    p.stderr.close()
    assert p.wait(60) == 5 and err == "mapfs: standard output: Broken pipe\nsaved: info/author\n", err
    assert not m.mounted()


@pytest.mark.parametrize("args, code", [
    (["rm", "-r", "A", "sounds/*"], 4), (["mv", "A", "groups/0_Game/layers/0_Game", "groups/0_Game/layers/7"], 4),
    (["put", "A", "info/author", "SOURCE"], 4), (["pack", "DIR", "NEW"], 4), (["pack", "DIR", "--onto", "A"], 4),
    (["pack", "--exact", "DIR", "--onto", "A"], 4), (["merge", "A", "B", "C", "NEW"], 132), (["merge", "A", "B", "C", "A"], 132)],
    ids=lambda a: a[0] if isinstance(a, list) else "")
@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EDQUOT], ids=["full", "quota"])
def test_a_full_disk_fails_the_save(box, small, args, code, error):
    names = {"A": small, "B": box.add(small, "b.map"), "C": box.add(small, "c.map"), "NEW": os.path.join(box.maps, "new.map"),
             "DIR": os.path.join(box.root, "dir"), "SOURCE": os.path.join(box.root, "source")}
    good("extract", "-o", "raw=off", small, names["DIR"])
    with open(names["SOURCE"], "w") as f:
        f.write("somebody\n")
    good("put", names["B"], "info/author", names["SOURCE"])
    good("put", names["C"], "info/credits", names["SOURCE"])
    shutil.copy(names["SOURCE"], os.path.join(names["DIR"], "info/author"))
    before = open(small, "rb").read()
    shim = box.shim(Fault)
    shim.arm(Fault.FAIL_FROM, 0, Fault.WRITE, error)
    r = run(*[names.get(a, a) for a in args], text=True, env=box.env(shim.env()))
    assert r.returncode == code, r.stderr
    # The reason, and perhaps a line that the map is unchanged.
    assert r.stderr.count(os.strerror(error)) == 1, r.stderr
    assert open(small, "rb").read() == before and not os.path.exists(names["NEW"])
    assert sorted(os.listdir(box.maps)) == ["b.map", "c.map", "small.map"]


def test_a_picture_that_cannot_be_written_is_named(box, small):
    out = os.path.join(box.root, "p.png")
    shim = box.shim(Fault)
    shim.arm(Fault.FAIL_FROM, 0, Fault.WRITE, errno.ENOSPC)
    r = run("preview", small, out, text=True, env=box.env(shim.env()))
    assert (r.returncode, r.stderr) == (2, "mapfs: %s: cannot write: No space left on device\n" % out)
    assert not os.path.exists(out)


@pytest.mark.parametrize("args, code, why", [
    # A file that cannot be extracted is only reported under its own name.
    (["mv", "{map}", "info/author", "none"], 4, "{map}: info/author: cannot be removed from the map"),
    (["mv", "{map}", "info/author", "info/version", "none"], 2, "{map}: none: No such file or directory"),
    (["mv", "{map}", "info/author", "info/version", "info/license"], 2, "{map}: info/license: Not a directory"),
    (["mv", "{map}", "groups/0_Game", "images"], 2, "{map}: groups/0_Game: cannot move to images/0_Game: Operation not permitted"),
    # No copy is left anywhere, and the change is refused.
    (["put", "{map}", "images/a.jpg", "/dev/null"], 4, "{map}: images/a.jpg: not part of a map (images/ takes .png and .json)"),
    (["mv", "{map}", "info", "info/x"], 2, "{map}: info: cannot move it into itself"),
    (["mv", "{map}", "info/author", "info/version/x"], 2, "{map}: info/version/x: Not a directory"),
    (["mv", "{map}", "info/author", "x" * 256], 2, "{map}: %s: File name too long" % ("x" * 256)),
    (["nothing"], 2, "nothing: No such file, folder or command (see mapfs --help)"),
    (["none.map"], 2, "none.map: No such file or directory"),
    (["pack", "/", "new.xyz"], 2, "new.xyz: unknown ending; name the format with --format=NAME"),
    (["recover", "{map}/x"], 2, "{map}/x: Not a directory"),
    (["recover", "none/x.map"], 2, "none/x.map: cannot open its directory: No such file or directory")],
    ids=["scratch", "no-directory", "file-at-end", "into", "meaningless", "itself", "file", "long", "no-command", "no-map", "no-format", "recover", "recover-none"])
def test_an_error_is_one_line_with_the_wrong_name(small, args, code, why):
    r = run(*[a.format(map=small) for a in args], text=True)
    assert (r.returncode, r.stderr) == (code, "mapfs: %s\n" % why.format(map=small))


def test_a_failed_extract_leaves_no_empty_directory(box, small):
    out = os.path.join(box.root, "out")
    for args in ([small, out, "none"], [small, out + "/", "images/*.none"], [os.path.join(box.maps, "none.map"), out],
                 [box.add(b"none", "bad.map"), out]):
        assert run("extract", *args).returncode == 2 and not os.path.exists(out)
    # A directory that existed before stays, and so does one with files.
    os.mkdir(out)
    assert run("extract", small, out, "none").returncode == 2 and os.listdir(out) == []
    os.rmdir(out)
    assert run("extract", small, out, "info/author", "none").returncode == 2 and os.listdir(out) == ["info"]
    r = run("extract", small, "below", "none", cwd=out)
    assert r.returncode == 2 and os.listdir(out) == ["info"]


def test_an_unreadable_file_is_one_line_with_the_reason(box, small):
    good("put", small, "info/settings.cfg", input=b"sv_none 1\n" * 99)
    data, f = bytearray(read_bytes(small)), datafile.Datafile.load(small)
    settings, = [i for i in range(f.n_data) if (f.blob(i) or b"").startswith(b"sv_none 1")]
    data[slice(*f.ranges[settings])] = b"\xff" * (f.ranges[settings][1] - f.ranges[settings][0])
    bad, path = box.add(bytes(data), "bad.map"), "info/settings.cfg"
    for args in (["cat", bad, path], ["text", bad, path], ["grep", "x", bad], ["extract", bad, os.path.join(box.root, "out"), path],
                 ["diff", bad, small], ["diff", small, bad]):
        r = run(*args, text=True)
        assert r.returncode == 2 and r.stderr.count("\n") == 1, (args, r)
        assert r.stderr.startswith("mapfs: %s: %s: Input/output error: the zlib stream is damaged after 0 of " % (bad, path)), (args, r)


def test_a_file_that_cannot_be_written_is_named_by_its_target(box, small):
    out = os.path.join(box.root, "out")
    os.mkdir(out)
    for name in ("info", "images"):
        open(os.path.join(out, name), "w").close()
    paths = ["info/author", "images/0_checker.png"]
    r = run("extract", small, out, *paths, text=True)
    assert (r.returncode, r.stderr) == (2, "".join("mapfs: %s/%s: Not a directory\n" % (out, p) for p in paths))
