# SPDX-License-Identifier: Zlib
"""Desktop integration: types of maps, the entries that open them, and notifications."""
import configparser
import os
import pathlib
import shutil
import struct
import subprocess
import xml.etree.ElementTree

import pytest

import box as boxes
import datafile
import parts
import places
from box import needs

HERE = os.path.dirname(os.path.abspath(__file__))
DESKTOP = os.path.join(HERE, "..", "..", "contrib", "desktop")
MODS = os.path.join(places.SHARED, "corpus", "torchlight", "mods")


@pytest.fixture(scope="module")
def types(tmp_path_factory):
    """The environment in which the types of this machine and ours are known."""
    needs("gio", "update-mime-database")
    if not os.path.exists("/usr/share/mime/packages/freedesktop.org.xml"):
        pytest.skip("not installed: shared-mime-info")
    data = tmp_path_factory.mktemp("share")
    (data / "mime/packages").mkdir(parents=True)
    for xml in ("/usr/share/mime/packages/freedesktop.org.xml", DESKTOP + "/mapfs.xml"):
        shutil.copy(xml, data / "mime/packages")
    subprocess.run(["update-mime-database", data / "mime"], check=True, capture_output=True)
    return dict(os.environ, XDG_DATA_HOME=str(data), XDG_DATA_DIRS="/nonexistent")


def type_of(types, path):
    r = subprocess.run(["gio", "info", "-a", "standard::content-type", path], env=types, check=True,
                       capture_output=True, text=True)
    return r.stdout.split("standard::content-type: ")[1].split()[0]


def tracker_module(mark):
    """A tracker module of four channels, whose mark is at offset 1080."""
    return b"a song".ljust(1080, b"\0") + mark + bytes(1024)


@pytest.mark.parametrize("name, content, kind", [
    ("a.map", datafile.small_map(), "application/x-teeworlds-map"),
    ("a map without an ending", datafile.small_map(), "application/x-teeworlds-map"),
    ("quake.map", b'// Game: Quake\n{\n"classname" "worldspawn"\n}\n', "text/"),
    ("a.tcm", b"TCM3" + bytes(64), "application/x-triclon-map"),
    ("song.mod", tracker_module(b"M.K."), "audio/x-mod"),
    ("song.mod", tracker_module(b"FLT4"), "audio/x-mod"),
])
def test_each_map_format_has_its_own_type(types, tmp_path, name, content, kind):
    path = tmp_path / name
    path.write_bytes(content)
    assert type_of(types, path).startswith(kind)


def test_an_archive_named_mod_is_no_music(types):
    if not os.path.isdir(MODS):
        pytest.skip(places.NO_SHARED)
    mods = [os.path.join(MODS, name) for name in os.listdir(MODS) if name.lower().endswith(".mod")]
    assert mods
    for path in mods:
        assert type_of(types, path) == "application/x-torchlight2-mod"


def test_the_entries_are_well_formed():
    needs("desktop-file-validate")
    entries = [os.path.join(DESKTOP, f) for f in os.listdir(DESKTOP) if f.endswith(".desktop")]
    r = subprocess.run(["desktop-file-validate", *entries], capture_output=True, text=True)
    assert len(entries) == 3 and r.returncode == 0 and r.stdout == ""


def test_the_description_is_well_formed():
    needs("appstreamcli")
    r = subprocess.run(["appstreamcli", "validate", "--no-net", "--pedantic", DESKTOP + "/mapfs.metainfo.xml"],
                       capture_output=True, text=True)
    # E, W, I, P: each with the component that it is about
    assert r.returncode == 0 and "org.mapfs.mapfs:" not in r.stdout, r.stdout


def test_the_description_and_the_entries_list_the_same_types():
    root = xml.etree.ElementTree.parse(DESKTOP + "/mapfs.metainfo.xml").getroot()
    types = [e.text for e in root.iter("mediatype")]
    for name in os.listdir(DESKTOP):
        if name.endswith(".desktop"):
            entry = configparser.ConfigParser(interpolation=None)
            entry.read(os.path.join(DESKTOP, name))
            assert entry["Desktop Entry"]["MimeType"].rstrip(";").split(";") == types


def test_the_thumbnailer_writes_a_picture(tmp_path):
    entry = configparser.ConfigParser(interpolation=None)
    entry.optionxform = str
    assert entry.read(DESKTOP + "/mapfs.thumbnailer")
    command = entry["Thumbnailer Entry"]["Exec"].split()
    assert command[0] == "mapfs"
    path, out = tmp_path / "a b.map", tmp_path / "out"
    path.write_bytes(datafile.small_map())
    # tumbler makes an empty file and reads it through its open descriptor.
    made = open(out, "w+b")
    fill = {"%s": "128", "%i": str(path), "%o": str(out)}
    r = subprocess.run([places.BINARY, *(fill.get(word, word) for word in command[1:])], capture_output=True, text=True)
    assert r.returncode == 0 and not r.stderr, r
    width, height = struct.unpack(">II", out.read_bytes()[16:24])
    assert made.read() == out.read_bytes()
    made.close()
    assert out.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n" and max(width, height) == 128


class Session:
    """A desktop session that logs opened paths and notifications."""

    def __init__(self, box, tmp):
        self.box, self.log = box, tmp / "log"
        bin = tmp / "bin"
        bin.mkdir()
        os.symlink(places.BINARY, bin / "mapfs")
        for name in ("xdg-open", "notify-send"):
            (bin / name).write_text('#!/bin/sh\nprintf "%%s\\n" "%s: $*" >>"%s"\n' % (name, self.log))
            (bin / name).chmod(0o755)
        self.env = dict(box.env(), PATH="%s:%s" % (bin, os.environ["PATH"]), XDG_RUNTIME_DIR=str(tmp))

    def open(self, *args, by=(), **env):
        """Run mapfs-open and return (exit code, log)."""
        self.log.write_text("")
        env = {k: v for k, v in dict(self.env, **env).items() if v is not None}
        r = subprocess.run([*by, "sh", DESKTOP + "/mapfs-open", *args], env=env, capture_output=True, text=True, timeout=60)
        return r.returncode, self.log.read_text()


@pytest.fixture
def session_dir(box):
    """A directory that other users may enter. pytest restricts the parent of tmp_path to root at each start."""
    path = pathlib.Path(box.root) / "session"
    path.mkdir()
    return path


@pytest.fixture
def session(box, session_dir):
    return Session(box, session_dir)


def test_a_map_is_opened_and_saved(session, small):
    point = os.path.splitext(small)[0]
    for _ in range(2):  # opening the map again shows the same folder
        assert session.open(small) == (0, "xdg-open: %s\n" % point)
    with open(point + "/info/settings.cfg", "ab") as f:
        f.write(b"x 1\n")
    code, log = session.open("--save", small)
    assert code == 0 and "is saved saved: info/settings.cfg" in log.replace("\n", " ")
    assert parts.settings(small).endswith(b"x 1\0")
    assert not os.path.exists(point)


def test_discard_drops_the_changes(session, small):
    before = boxes.get(small)
    session.open(small)
    with open(os.path.splitext(small)[0] + "/info/settings.cfg", "ab") as f:
        f.write(b"x 1\n")
    code, log = session.open("--discard", small)
    assert code == 0 and "is as it was" in log and "info/settings.cfg" in log
    assert boxes.get(small) == before


@pytest.mark.parametrize("options, point", [
    ("ro", "m"), ("", 'a "b", "file": \\c\\\\ d'), ("ro", "a: b, read-only")])
def test_a_mounted_map_is_opened_at_its_mount_point(session, box, small, options, point):
    m = box.mount(small, options, point=box.point(point))
    assert session.open(small) == (0, "xdg-open: %s\n" % m.point)
    m.unmount()


NOBODY = 65534


@pytest.fixture
def user(session, box, small, session_dir):
    """A function that opens a map as an ordinary user, with a shared TMPDIR."""
    if os.getuid() != 0:
        pytest.skip("needs root, to run it as another user")
    needs("setpriv", "fusermount3")
    session.log.write_text("")
    session.log.chmod(0o666)
    run = ["setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups"]
    boxes.needs_user_mounts(lambda script: box.run(
        *run[1:], "env", "MAPFS=" + places.BINARY, "sh", "-c", script, program=run[0]))
    shared = session_dir / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    return lambda *args, **env: session.open(*args, by=run, TMPDIR=str(shared), **env)


def test_a_map_in_a_shared_directory_is_mounted_in_a_private_one(user, small, session_dir):
    mine = session_dir / "shared" / ("mapfs-%d" % NOBODY)
    for _ in range(2):
        code, log = user(small, XDG_RUNTIME_DIR=None)
        assert code == 0 and "xdg-open: %s/small.map\n" % mine in log, (code, log)
    assert os.stat(mine).st_uid == NOBODY and os.stat(mine).st_mode & 0o777 == 0o700
    assert user("--save", small)[0] == 0


@pytest.mark.parametrize("made", ["link", "other's", "open", "file", "link beside"])
def test_a_directory_of_another_user_is_not_used(user, small, session_dir, made):
    top = session_dir / ("run" if made == "link beside" else "shared")
    path, victim = top / ("mapfs" if made == "link beside" else "mapfs-%d" % NOBODY), session_dir / "victim"
    top.mkdir(exist_ok=True)
    victim.mkdir()
    os.chown(victim, NOBODY, NOBODY)
    if made.startswith("link"):
        path.symlink_to(victim)
    elif made == "file":
        path.write_text("")
    else:
        path.mkdir()
        path.chmod(0o777)
        os.chown(path, *((NOBODY, NOBODY) if made == "open" else (4321, 4321)))
    code, log = user(small, XDG_RUNTIME_DIR=str(top) if made == "link beside" else None)
    assert code == 3 and "cannot be opened" in log and str(path) in log and "xdg-open" not in log
    assert os.listdir(victim) == [] and (made == "file" or os.listdir(path) == [])


def test_a_notification_escapes_markup(session, box):
    path = box.add(b"no map", "<b>&amp;\\n.map")
    code, log = session.open(path)
    title, _, text = log.partition(" cannot be opened ")
    assert code == 2 and title == "notify-send: -a mapfs -i mapfs -- <b>&amp;\\n.map"
    assert "/&lt;b&gt;&amp;amp;\\\\n.map: " in text and "<" not in text


def test_a_notification_reports_an_invalid_map(session, box):
    path = box.add(b"no map", "not.map")
    code, log = session.open(path)
    assert code == 2 and "not.map cannot be opened" in log
