# SPDX-License-Identifier: Zlib
"""Maps that lie on another machine's share, and mounts of maps that are shared with other machines. All
of it on this machine: sshfs talks to its server through a pipe, the others over the loopback."""
import errno
import http.client
import os
import signal
import socket
import subprocess

import pytest

import box as boxes
import datafile
import parts
from box import needs

SETTINGS = "info/settings.cfg"
SFTP_SERVER = "/usr/lib/openssh/sftp-server"


class Share:
    """A directory of a server, and where a client has it mounted."""

    def __init__(self, box, there, here, settled=lambda: True):
        self.box, self.there, self.here, self.settled = box, there, here, settled
        self.map = os.path.join(here, "a.map")
        self.original = os.path.join(there, "a.map")
        with open(self.original, "wb") as f:
            f.write(datafile.small_map(padding=200_000))

    def settings(self):
        """As the server has them, once the client has sent all."""
        assert boxes.wait_for(self.settled)
        return parts.settings(self.original)

    def holds(self, *names):
        """A client keeps a file that was replaced while it was open, under a name of its own, until the
        kernel tells it of the last close; which nobody waits for."""
        return boxes.wait_for(lambda: sorted(os.listdir(self.there)) == sorted(names))


def leave(point):
    assert boxes.wait_for(lambda: subprocess.run(["fusermount3", "-u", point], capture_output=True).returncode == 0)


@pytest.fixture
def directories(box):
    paths = [os.path.join(box.root, name) for name in ("there", "here")]
    for path in paths:
        os.mkdir(path)
    return paths


@pytest.fixture
def sshfs(box, directories):
    needs("sshfs", SFTP_SERVER)
    there, here = directories
    ssh = os.path.join(box.root, "ssh")
    with open(ssh, "w") as f:
        f.write("#!/bin/sh\nexec %s\n" % SFTP_SERVER)
    os.chmod(ssh, 0o755)
    r = subprocess.run(["sshfs", "-o", "ssh_command=" + ssh, "nowhere:" + there, here], capture_output=True, text=True)
    assert r.returncode == 0, r.stderr
    yield Share(box, there, here)
    leave(here)


@pytest.fixture
def rclone(box, directories):
    needs("rclone", "fusermount3")
    there, here = directories
    p = subprocess.Popen(["rclone", "mount", ":local:" + there, here, "--config", os.devnull,
                          "--cache-dir", os.path.join(box.root, "cache"), "--vfs-cache-mode", "writes",
                          "--vfs-write-back", "0s", "--dir-cache-time", "0s"], stderr=subprocess.DEVNULL)
    assert boxes.wait_for(lambda: boxes.is_mounted(here))
    same = lambda: boxes.get(os.path.join(there, "a.map")) == boxes.get(os.path.join(here, "a.map"))  # noqa: E731
    yield Share(box, there, here, same)
    leave(here)
    p.wait()


@pytest.fixture
def memory(box, root, directories):
    here = directories[1]
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", here], check=True)
    yield Share(box, here, here)
    subprocess.run(["umount", here], check=True)


@pytest.fixture(params=["sshfs", "rclone", "memory"])
def share(request):
    return request.getfixturevalue(request.param)


def test_a_map_on_a_share_is_edited_and_saved(share):
    m = share.box.mount(share.map)
    m.put(SETTINGS, b"x 1\n")
    os.remove(m / "images/0_checker.png")
    m.unmount()
    assert share.settings() == b"x 1\0"
    assert share.holds("a.map"), os.listdir(share.there)


def test_a_closed_change_on_a_share_survives_a_kill(share):
    m = share.box.mount(share.map)
    m.put(SETTINGS, b"x 1\n")
    os.kill(share.box.worker(), signal.SIGKILL)
    assert boxes.wait_for(lambda: not share.box.processes() and not m.mounted())
    again = share.box.mount(share.map)
    assert again.get(SETTINGS) == b"x 1\n"
    again.unmount()
    assert share.settings() == b"x 1\0"
    assert share.holds("a.map"), os.listdir(share.there)


# A directory beside the map is to be renamed to a free name; no share tells the system what is free.
def test_what_was_refused_is_left_on_a_share(share):
    m = share.box.mount(share.map)
    assert boxes.refused(m.put, "info/author", b"two\nlines\n") == errno.EINVAL
    share.box.allow("*.mapfs-left")
    assert "rescued: a.map.mapfs-left/info/author: " in m.unmount(code=5).out
    assert boxes.get(os.path.join(share.there, "a.map.mapfs-left/info/author")) == b"two\nlines\n"


# The client answers from its cache for 20 seconds that the map is as it was.
def test_a_map_that_another_machine_replaced_is_not_overwritten(sshfs):
    m = sshfs.box.mount(sshfs.map)
    m.put(SETTINGS, b"x 1\n")
    other = datafile.small_map(settings=(b"y 1",), padding=200_000)
    with open(sshfs.original + "~", "wb") as f:
        f.write(other)
    os.rename(sshfs.original + "~", sshfs.original)
    # The kernel of the client shares its pages between both, so it cannot tell them apart.
    m.unmount(code=4)
    assert boxes.get(sshfs.original) == other
    m.unmount("--discard")


def test_a_map_that_another_machine_wrote_into_is_not_overwritten(sshfs):
    m = sshfs.box.mount(sshfs.map)
    m.put(SETTINGS, b"x 1\n")
    with open(sshfs.original, "r+b") as f:
        f.seek(150_000)
        f.write(b"!")
    theirs = boxes.get(sshfs.original)
    m.unmount(code=4)
    assert boxes.get(sshfs.original) == theirs
    m.unmount("--discard")


# ---- the other way round

def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def listens(port):
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def serve():
    """Runs a server on a port of the loopback until the test ends."""
    running = []

    def start(port, *command):
        running.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, start_new_session=True))
        assert boxes.wait_for(lambda: listens(port) or running[-1].poll() is not None)
        if running[-1].poll() is not None:
            pytest.skip("%s does not start here" % os.path.basename(command[0]))
    yield start
    for p in running:
        os.killpg(p.pid, signal.SIGTERM)
        p.wait(timeout=20)


@pytest.fixture
def mount(box, small):
    m = box.mount(small, "raw=off")
    yield m
    written = m.get(SETTINGS) == b"from afar 1\n"  # unless the test was skipped
    m.unmount()
    assert not written or parts.settings(small) == b"from afar 1\0"


def test_a_mount_is_shared_by_sftp(box, mount):
    needs("sftp", SFTP_SERVER)
    script = os.path.join(box.root, "new.cfg")
    boxes.put(script, b"from afar 1\n", os.O_WRONLY | os.O_CREAT)
    r = subprocess.run(["sftp", "-D", SFTP_SERVER, "-b", "-"], capture_output=True, text=True, cwd=box.root, input="""
        cd %s
        ls images
        get images/0_checker.png
        put new.cfg info/.new.cfg
        rename info/.new.cfg info/settings.cfg
    """ % mount.point)
    assert r.returncode == 0, r
    assert "0_checker.png" in r.stdout
    assert boxes.get(os.path.join(box.root, "0_checker.png")) == mount.get("images/0_checker.png")
    assert mount.get(SETTINGS) == b"from afar 1\n"


def test_a_mount_is_shared_by_webdav(box, mount, serve):
    needs("rclone")
    port = free_port()
    serve(port, "rclone", "serve", "webdav", mount.point, "--addr", "127.0.0.1:%d" % port, "--config", os.devnull)
    there = ":webdav,url='http://127.0.0.1:%d':" % port
    run = lambda *args: subprocess.run(["rclone", "--config", os.devnull, *args], check=True, capture_output=True,  # noqa: E731
                                       input=b"from afar 1\n").stdout
    assert b"images/0_checker.png" in run("lsf", "-R", there)
    assert run("cat", there + "images/0_checker.png") == mount.get("images/0_checker.png")
    run("rcat", there + SETTINGS)
    assert mount.get(SETTINGS) == b"from afar 1\n"


LOCK = b"""<?xml version="1.0"?><D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope>
<D:locktype><D:write/></D:locktype><D:owner><D:href>me</D:href></D:owner></D:lockinfo>"""


def test_what_windows_asks_of_a_web_folder(mount, serve):
    """docs/examples.md: its client locks what it writes; editors write beside a file and move that over it."""
    needs("rclone")
    port = free_port()
    serve(port, "rclone", "serve", "webdav", mount.point, "--addr", "127.0.0.1:%d" % port, "--config", os.devnull)

    def ask(method, path, body=None, **headers):
        c = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        c.request(method, "/" + path, body, headers)
        r = c.getresponse()
        content = r.read()
        c.close()
        return r.status, content, r.headers

    assert "2" in ask("OPTIONS", "")[2]["DAV"].replace(" ", "").split(",")
    assert b"/images/0_checker.png" in ask("PROPFIND", "images/", Depth="1")[1]
    assert ask("GET", "images/0_checker.png")[:2] == (200, mount.get("images/0_checker.png"))
    status, _, told = ask("LOCK", SETTINGS, LOCK, Timeout="Second-3600")
    token = told["Lock-Token"]
    assert status == 200 and token
    assert ask("PUT", SETTINGS, b"not mine 1\n")[0] == 423
    assert ask("PUT", SETTINGS, b"locked 1\n", If="(%s)" % token)[0] in (201, 204)
    assert ask("UNLOCK", SETTINGS, **{"Lock-Token": token})[0] == 204
    assert mount.get(SETTINGS) == b"locked 1\n"
    assert ask("PUT", "info/settings.tmp", b"moved 1\n")[0] == 201
    there = "http://127.0.0.1:%d/%s" % (port, SETTINGS)
    assert ask("MOVE", "info/settings.tmp", Destination=there, Overwrite="T")[0] == 204
    assert mount.get(SETTINGS) == b"moved 1\n" and not os.path.exists(os.path.join(mount.point, "info/settings.tmp"))
    assert ask("PUT", "images/9_none.png", b"no picture")[0] >= 400
    assert not os.path.exists(os.path.join(mount.point, "images/9_none.png"))
    assert ask("DELETE", "images/0_checker.png")[0] == 204
    assert os.listdir(os.path.join(mount.point, "images")) == ["1_grass_main.json"]


CONF = """
[global]
    server role = standalone
    interfaces = lo
    bind interfaces only = yes
    smb ports = {port}
    map to guest = bad user
    guest account = {user}
    load printers = no
    disable spoolss = yes
    log file = {root}/log
    lock directory = {root}
    state directory = {root}
    cache directory = {root}
    pid directory = {root}
    private dir = {root}
    ncalrpc dir = {root}/rpc
[map]
    path = {point}
    guest ok = yes
    read only = no
"""


def test_a_mount_is_shared_by_samba(box, root, mount, serve):
    needs("smbd", "smbclient")
    port, at = free_port(), os.path.join(box.root, "samba")
    os.mkdir(at)
    boxes.put(at + "/conf", CONF.format(port=port, user="root", root=at, point=mount.point).encode(),
              os.O_WRONLY | os.O_CREAT)
    boxes.put(at + "/new.cfg", b"from afar 1\n", os.O_WRONLY | os.O_CREAT)
    serve(port, "smbd", "-F", "--no-process-group", "-s", at + "/conf", "-l", at)

    def client(commands):
        r = subprocess.run(["smbclient", "-N", "-s", at + "/conf", "-p", str(port), "//127.0.0.1/map", "-c", commands],
                           cwd=at, capture_output=True, text=True, timeout=60)
        assert r.returncode == 0 and "NT_STATUS" not in r.stdout, r
        return r.stdout

    assert "0_checker.png" in client("ls images/*")
    client("get images/0_checker.png image.png")
    assert boxes.get(at + "/image.png") == mount.get("images/0_checker.png")
    client("put new.cfg info/.new.cfg; rm info/settings.cfg; rename info/.new.cfg info/settings.cfg")
    assert mount.get(SETTINGS) == b"from afar 1\n"
    # Several at a time.
    clients = [subprocess.Popen(["smbclient", "-N", "-s", at + "/conf", "-p", str(port), "//127.0.0.1/map", "-c",
                                 "get images/0_checker.png %d.png" % i], cwd=at, stdout=subprocess.DEVNULL)
               for i in range(4)]
    assert [p.wait(timeout=60) for p in clients] == [0] * 4
    assert all(boxes.get(at + "/%d.png" % i) == mount.get("images/0_checker.png") for i in range(4))
