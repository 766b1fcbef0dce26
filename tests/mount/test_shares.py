# SPDX-License-Identifier: Zlib
"""Maps on a network share, and mounts that are shared over the network.

All servers run on this machine: sshfs uses a pipe, the others the loopback.
"""
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
    """A directory of a server, and its mount in a client."""

    def __init__(self, box, there, here, settled=lambda: True):
        self.box, self.there, self.here, self.is_settled = box, there, here, settled
        self.map = os.path.join(here, "a.map")
        self.original = os.path.join(there, "a.map")
        with open(self.original, "wb") as f:
            f.write(datafile.small_map(padding=200_000))

    def settings(self):
        """The settings on the server, after the client has written everything."""
        assert boxes.wait_for(self.is_settled)
        return parts.settings(self.original)

    def has_only(self, *names):
        """Wait until the directory of the server has these names. A client keeps a replaced open file under another
        name until the kernel reports the last close, which may come later."""
        return boxes.wait_for(lambda: sorted(os.listdir(self.there)) == sorted(names))


def unmount_client(point):
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
    unmount_client(here)


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
    unmount_client(here)
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


def test_a_map_on_a_share_can_be_edited_and_saved(share):
    m = share.box.mount(share.map)
    m.put(SETTINGS, b"x 1\n")
    os.remove(m / "images/0_checker.png")
    m.unmount()
    assert share.settings() == b"x 1\0"
    assert share.has_only("a.map"), os.listdir(share.there)


def test_a_closed_change_on_a_share_survives_a_kill(share):
    m = share.box.mount(share.map)
    m.put(SETTINGS, b"x 1\n")
    os.kill(share.box.worker(), signal.SIGKILL)
    assert boxes.wait_for(lambda: not share.box.processes() and not m.mounted())
    again = share.box.mount(share.map)
    assert again.get(SETTINGS) == b"x 1\n"
    again.unmount()
    assert share.settings() == b"x 1\0"
    assert share.has_only("a.map"), os.listdir(share.there)


# The rescue renames a directory to an unused name; no share has a call that fails for a used name.
def test_a_refused_file_is_rescued_on_a_share(share):
    m = share.box.mount(share.map)
    assert boxes.refused(m.put, "info/author", b"two\nlines\n") == errno.EINVAL
    share.box.allow("*.mapfs-left")
    assert "rescued: a.map.mapfs-left/info/author: " in m.unmount(code=5).out
    assert boxes.get(os.path.join(share.there, "a.map.mapfs-left/info/author")) == b"two\nlines\n"


# For 20 seconds the client answers from its cache that the map is unchanged.
def test_a_map_replaced_by_another_machine_is_not_overwritten(sshfs):
    m = sshfs.box.mount(sshfs.map)
    m.put(SETTINGS, b"x 1\n")
    other = datafile.small_map(settings=(b"y 1",), padding=200_000)
    with open(sshfs.original + "~", "wb") as f:
        f.write(other)
    os.rename(sshfs.original + "~", sshfs.original)
    # The kernel of the client shares the pages of both files, so the client cannot distinguish them.
    m.unmount(code=4)
    assert boxes.get(sshfs.original) == other
    m.unmount("--discard")


def test_a_map_changed_in_place_by_another_machine_is_not_overwritten(sshfs):
    m = sshfs.box.mount(sshfs.map)
    m.put(SETTINGS, b"x 1\n")
    with open(sshfs.original, "r+b") as f:
        f.seek(150_000)
        f.write(b"!")
    theirs = boxes.get(sshfs.original)
    m.unmount(code=4)
    assert boxes.get(sshfs.original) == theirs
    m.unmount("--discard")


# ---- shared mounts

def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def listens(port):
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def serve():
    """A function that runs a server on a loopback port until the test ends."""
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
def shared_mount(box, small):
    m = box.mount(small, "raw=off")
    yield m
    written = m.get(SETTINGS) == b"from afar 1\n"  # unless the test was skipped
    m.unmount()
    assert not written or parts.settings(small) == b"from afar 1\0"


def test_a_mount_can_be_shared_with_sftp(box, shared_mount):
    needs("sftp", SFTP_SERVER)
    script = os.path.join(box.root, "new.cfg")
    boxes.put(script, b"from afar 1\n", os.O_WRONLY | os.O_CREAT)
    r = subprocess.run(["sftp", "-D", SFTP_SERVER, "-b", "-"], capture_output=True, text=True, cwd=box.root, input="""
        cd %s
        ls images
        get images/0_checker.png
        put new.cfg info/.new.cfg
        rename info/.new.cfg info/settings.cfg
    """ % shared_mount.point)
    assert r.returncode == 0, r
    assert "0_checker.png" in r.stdout
    assert boxes.get(os.path.join(box.root, "0_checker.png")) == shared_mount.get("images/0_checker.png")
    assert shared_mount.get(SETTINGS) == b"from afar 1\n"


def test_a_mount_can_be_shared_with_webdav(box, shared_mount, serve):
    needs("rclone")
    port = free_port()
    serve(port, "rclone", "serve", "webdav", shared_mount.point, "--addr", "127.0.0.1:%d" % port, "--config", os.devnull)
    there = ":webdav,url='http://127.0.0.1:%d':" % port
    run = lambda *args: subprocess.run(["rclone", "--config", os.devnull, *args], check=True, capture_output=True,  # noqa: E731
                                       input=b"from afar 1\n").stdout
    assert b"images/0_checker.png" in run("lsf", "-R", there)
    assert run("cat", there + "images/0_checker.png") == shared_mount.get("images/0_checker.png")
    run("rcat", there + SETTINGS)
    assert shared_mount.get(SETTINGS) == b"from afar 1\n"


LOCK = b"""<?xml version="1.0"?><D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope>
<D:locktype><D:write/></D:locktype><D:owner><D:href>me</D:href></D:owner></D:lockinfo>"""


def test_a_webdav_share_answers_the_requests_of_windows(shared_mount, serve):
    """docs/examples.md: the client of Windows locks a file before writing, and editors write a new file and move it
    over the old one."""
    needs("rclone")
    port = free_port()
    serve(port, "rclone", "serve", "webdav", shared_mount.point, "--addr", "127.0.0.1:%d" % port, "--config", os.devnull)

    def ask(method, path, body=None, **headers):
        c = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        c.request(method, "/" + path, body, headers)
        r = c.getresponse()
        content = r.read()
        c.close()
        return r.status, content, r.headers

    assert "2" in ask("OPTIONS", "")[2]["DAV"].replace(" ", "").split(",")
    assert b"/images/0_checker.png" in ask("PROPFIND", "images/", Depth="1")[1]
    assert ask("GET", "images/0_checker.png")[:2] == (200, shared_mount.get("images/0_checker.png"))
    status, _, headers = ask("LOCK", SETTINGS, LOCK, Timeout="Second-3600")
    token = headers["Lock-Token"]
    assert status == 200 and token
    assert ask("PUT", SETTINGS, b"not mine 1\n")[0] == 423
    assert ask("PUT", SETTINGS, b"locked 1\n", If="(%s)" % token)[0] in (201, 204)
    assert ask("UNLOCK", SETTINGS, **{"Lock-Token": token})[0] == 204
    assert shared_mount.get(SETTINGS) == b"locked 1\n"
    assert ask("PUT", "info/settings.tmp", b"moved 1\n")[0] == 201
    there = "http://127.0.0.1:%d/%s" % (port, SETTINGS)
    assert ask("MOVE", "info/settings.tmp", Destination=there, Overwrite="T")[0] == 204
    assert shared_mount.get(SETTINGS) == b"moved 1\n" and not os.path.exists(os.path.join(shared_mount.point, "info/settings.tmp"))
    assert ask("PUT", "images/9_none.png", b"no picture")[0] >= 400
    assert not os.path.exists(os.path.join(shared_mount.point, "images/9_none.png"))
    assert ask("DELETE", "images/0_checker.png")[0] == 204
    assert os.listdir(os.path.join(shared_mount.point, "images")) == ["1_grass_main.json"]


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


def test_a_mount_can_be_shared_with_samba(box, root, shared_mount, serve):
    needs("smbd", "smbclient")
    port, at = free_port(), os.path.join(box.root, "samba")
    os.mkdir(at)
    boxes.put(at + "/conf", CONF.format(port=port, user="root", root=at, point=shared_mount.point).encode(),
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
    assert boxes.get(at + "/image.png") == shared_mount.get("images/0_checker.png")
    client("put new.cfg info/.new.cfg; rm info/settings.cfg; rename info/.new.cfg info/settings.cfg")
    assert shared_mount.get(SETTINGS) == b"from afar 1\n"
    # several at a time
    clients = [subprocess.Popen(["smbclient", "-N", "-s", at + "/conf", "-p", str(port), "//127.0.0.1/map", "-c",
                                 "get images/0_checker.png %d.png" % i], cwd=at, stdout=subprocess.DEVNULL)
               for i in range(4)]
    assert [p.wait(timeout=60) for p in clients] == [0] * 4
    assert all(boxes.get(at + "/%d.png" % i) == shared_mount.get("images/0_checker.png") for i in range(4))
