# SPDX-License-Identifier: Zlib
"""Shows a map with DDNet's client: stage.py HOME MAP OUT.png RRGGBB

Run this in a network namespace of its own (unshare -n), so that no packet reaches a network. The server and the
client play the map on a screen without a device (Xvfb). When the color covers a tenth of the window, or after a
minute, the script copies the window to OUT.png. It ends everything that it started.
"""
import fcntl
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time

from PIL import Image

SERVER, CLIENT = "/usr/games/DDNet-Server", "/usr/games/DDNet"
NEEDS = (SERVER, CLIENT, "Xvfb", "import", "unshare")
SIZE, PORT, SECONDS, SETTLE = (640, 480), 8399, 60, 2
START_SECONDS, STARTS = 30, 3
NEAR = 24
SETTINGS = """gfx_fullscreen 0
gfx_screen_width %d
gfx_screen_height %d
gfx_borderless 1
gfx_backend OpenGL
gfx_gl_major 3
gfx_gl_minor 3
gfx_vsync 0
snd_enable 0
cl_show_welcome 0
cl_showhud 0
cl_nameplates 0
cl_motd_time 0
cl_save_settings 0
cl_skip_start_menu 1
br_filter_connecting_players 0
player_name nobody
""" % SIZE


def missing():
    return [os.path.basename(n) for n in NEEDS if not shutil.which(n)]


def share(picture, colour):
    """The share of a picture, 0 to 1, that nearly has this color."""
    pixels = picture.convert("RGB").getdata()
    hits = sum(1 for p in pixels if all(abs(a - b) <= NEAR for a, b in zip(p, colour)))
    return hits / len(pixels)


def loopback_up():
    """Enable the loopback device with SIOCSIFFLAGS and IFF_UP."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        fcntl.ioctl(s, 0x8914, struct.pack("16sh14x", b"lo", 1))


class Stage:
    def __init__(self, home, map_):
        self.home, self.children = home, []
        data = os.path.join(home, ".local", "share", "ddnet")
        os.makedirs(os.path.join(data, "maps"), exist_ok=True)
        shutil.copy(map_, os.path.join(data, "maps", "shown.map"))
        for name, text in (("settings_ddnet.cfg", SETTINGS), ("autoexec_server.cfg", "")):
            with open(os.path.join(data, name), "w") as f:
                f.write(text)
        self.env = dict(os.environ, HOME=home, LIBGL_ALWAYS_SOFTWARE="1", SDL_AUDIODRIVER="dummy",
                        XDG_RUNTIME_DIR=home)

    def log(self, program):
        return os.path.join(self.home, os.path.basename(program) + ".log")

    def start(self, *args, pass_fds=()):
        log = open(self.log(args[0]), "wb")
        with log:
            p = subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                 cwd=self.home, env=self.env, pass_fds=pass_fds)
        self.children.append(p)
        return p

    def screen(self):
        r, w = os.pipe()
        self.start("Xvfb", "-displayfd", str(w), "-screen", "0", "%dx%dx24" % SIZE,
                   "+extension", "GLX", "-nolisten", "tcp", pass_fds=[w])
        os.close(w)
        with os.fdopen(r) as f:
            self.env["DISPLAY"] = ":" + f.readline().strip()

    def picture(self, out):
        done = subprocess.run(["import", "-window", "root", out], env=self.env, check=False,
                              capture_output=True)
        return Image.open(out) if done.returncode == 0 else None

    def client(self):
        """Start a client. A client sometimes hangs while it loads its menu, before it has seen a map; then another
        one is started."""
        for _ in range(STARTS):
            client = self.start(CLIENT, "connect 127.0.0.1:%d" % PORT)
            end = time.monotonic() + START_SECONDS
            while time.monotonic() < end and client.poll() is None:
                time.sleep(0.5)
                with open(self.log(CLIENT), "rb") as f:
                    if b"client: connecting to" in f.read():
                        return True
            self.children.remove(client)
            client.kill()
            client.wait()
        return False

    def show(self, out, colour):
        self.screen()
        self.start(SERVER, "bindaddr 127.0.0.1", "sv_ipv4only 1", "sv_port %d" % PORT,
                   "sv_register 0", "sv_map shown")
        if not self.client():
            return False
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            time.sleep(1)
            if any(p.poll() is not None for p in self.children):
                return False
            picture = self.picture(out)
            if picture and share(picture, colour) > 0.1:
                time.sleep(SETTLE)  # wait for objects that fade in
                return self.picture(out) is not None
        return False

    def end(self):
        for p in reversed(self.children):
            if p.poll() is None:
                p.send_signal(signal.SIGINT if p.args[0] == SERVER else signal.SIGTERM)
            try:
                p.wait(10)
            except subprocess.TimeoutExpired:
                p.kill()
                p.wait()


def main(home, map_, out, colour):
    loopback_up()
    stage = Stage(home, map_)
    try:
        return 0 if stage.show(out, tuple(bytes.fromhex(colour))) else 1
    finally:
        stage.end()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
