# SPDX-License-Identifier: Zlib
"""Thumbnails from the desktop service tumbler, on a private bus."""
import glob
import hashlib
import os
import pathlib
import shutil
import struct
import subprocess

import pytest

import box as boxes
import datafile
import places
from box import needs

DESKTOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "contrib", "desktop")
NAME = "org.freedesktop.thumbnails.Thumbnailer1"
# The bus starts no service on demand, so no service of this machine's desktop takes part.
BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:dir=%s</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>
"""


def tumblerd():
    found = glob.glob("/usr/lib/*/tumbler-1/tumblerd") + glob.glob("/usr/lib*/tumbler-1/tumblerd")
    if not found:
        pytest.skip("not installed: tumbler")
    return found[0]


class Desktop:
    """A session with mapfs as thumbnailer, which logs the calls of mapfs."""

    def __init__(self, box, tmp):
        self.tmp, self.calls, self.children = tmp, tmp / "calls", []
        for d in "bin", "share/thumbnailers", "share/mime/packages", "cache":
            (tmp / d).mkdir(parents=True)
        (tmp / "bin/mapfs").write_text('#!/bin/sh\nprintf "%%s\\n" "$1" >>"%s"\nexec "%s" "$@"\n'
                                       % (self.calls, places.BINARY))
        (tmp / "bin/mapfs").chmod(0o755)
        shutil.copy(DESKTOP + "/mapfs.thumbnailer", tmp / "share/thumbnailers")
        shutil.copy(DESKTOP + "/mapfs.xml", tmp / "share/mime/packages")
        subprocess.run(["update-mime-database", tmp / "share/mime"], check=True, capture_output=True)
        (tmp / "bus.conf").write_text(BUS % tmp)
        self.env = dict(box.env(), PATH="%s:%s" % (tmp / "bin", os.environ["PATH"]), XDG_RUNTIME_DIR=str(tmp),
                        XDG_DATA_HOME=str(tmp / "share"), XDG_CACHE_HOME=str(tmp / "cache"), GIO_USE_VFS="local",
                        GIO_USE_VOLUME_MONITOR="unix", GSETTINGS_BACKEND="memory")
        bus = self.start("dbus-daemon", "--config-file=%s" % (tmp / "bus.conf"), "--print-address", "--nofork",
                         stdout=subprocess.PIPE)
        self.env["DBUS_SESSION_BUS_ADDRESS"] = bus.stdout.readline().decode().strip()

    def start(self, *argv, **kw):
        p = subprocess.Popen(argv, env=self.env, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             **{"stdout": subprocess.DEVNULL, **kw})
        self.children.append(p)
        return p

    def ask(self, method, *args):
        """The answer of the service, or None while it is not running."""
        r = subprocess.run(["gdbus", "call", "--session", "-d", NAME, "-o", "/" + NAME.replace(".", "/"),
                            "-m", NAME + "." + method, *args], env=self.env, capture_output=True, text=True)
        return r.stdout if r.returncode == 0 else None

    def thumbnail(self, uri):
        name = hashlib.md5(uri.encode()).hexdigest() + ".png"
        path = self.tmp / "cache/thumbnails/normal" / name
        return path.read_bytes() if path.exists() else None

    def end(self):
        for p in reversed(self.children):
            p.terminate()
            p.wait(90)


@pytest.fixture
def desktop(box, tmp_path):
    needs("dbus-daemon", "gdbus", "update-mime-database")
    program = tumblerd()
    d = Desktop(box, tmp_path)
    d.start(program)
    yield d
    d.end()


def test_tumbler_makes_thumbnails_without_any_mount(box, desktop):
    names = ["first.map", "a second.map", "mounted.map"]
    for i, name in enumerate(names):
        box.add(datafile.small_map(image=(16, 16 + i)), name)
    # One map is mounted: the thumbnail shows the file, and tumbler does not enter the mount.
    m, p = box.foreground(os.path.join(box.maps, "mounted.map"), flag="-d")
    m.get("info/author")
    before = os.path.getsize(p.log)
    uris = [pathlib.Path(box.maps, name).as_uri() for name in names]
    supported = boxes.wait_for(lambda: desktop.ask("GetSupported"))
    assert supported and "'application/x-teeworlds-map'" in supported
    assert desktop.ask("Queue", str(uris), str(["application/x-teeworlds-map"] * len(uris)), "normal", "default", "0")
    assert boxes.wait_for(lambda: all(desktop.thumbnail(u) for u in uris)), os.listdir(desktop.tmp / "cache")
    for uri in uris:
        picture = desktop.thumbnail(uri)
        assert picture[:8] == b"\x89PNG\r\n\x1a\n" and uri.encode() in picture
        assert 0 < max(struct.unpack(">II", picture[16:24])) <= 128
    assert desktop.calls.read_text().split() == ["preview"] * len(names)
    with open(p.log, "rb") as f:
        f.seek(before)
        assert b"READ" not in f.read()
    m.unmount()
