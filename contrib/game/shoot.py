#!/usr/bin/python3
# SPDX-License-Identifier: Zlib
"""shoot.py [--out DIR] [NAME…]: maps in DDNet's client beside what mapfs preview draws of them.

For each named map of Debian's ddnet-data: a copy whose game layer is so large that the client sees all of it at one
of its steps of zoom, with a single spawn in its middle, is played on a server, and looked at by the client on an X
server without a screen; all of it in a network of its own (unshare -n), so nothing leaves the machine. Then mapfs
draws the copy. What is compared is the rectangle of the map that RECTANGLES names, in which nothing moves: the game
is looked at a second time ten seconds later. For each map it prints how similar (SSIM) mapfs's picture is to the game's,
and the game's to that of later, and writes NAME.jpg, the game on the left. Takes Debian's ddnet, xvfb, imagemagick,
python3-pil, python3-numpy; mapfs is $MAPFS_BINARY or what is on the path.
"""
import argparse
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

MAPFS = os.environ.get("MAPFS_BINARY", "mapfs")
MAPS = "/usr/share/games/ddnet/data/maps/"
STEP, AREA = 0.866025, 1150 * 1000  # of the client: one step of zoom; units that it sees at zoom 1
TEE = 14  # units that a tee's middle is above the ground

# Name: the game layer's size in tiles, whose root of 32 * w * 32 * h / AREA is a power of STEP, w odd; and what is
# compared, in tiles: x, y, w, h.
RECTANGLES = {
    "ctf5": (71, 50, (2, 2, 30, 20)),
    "dm2": (71, 50, (2, 2, 30, 20)),
    "dm6": (71, 50, (2, 2, 30, 20)),
    "dm7": (71, 50, (2, 2, 30, 20)),
    "dm9": (71, 50, (2, 2, 30, 20)),
}
PIXELS = 16  # for a tile


def mapfs(*args, **kw):
    return subprocess.run([MAPFS, *args], check=True, stdout=subprocess.PIPE, **kw).stdout


def prepare(name, place):
    """The copy for the game, and the one for mapfs, seen from where the tee stands."""
    w, h, _ = RECTANGLES[name]
    file, seen = os.path.join(place, "shown.map"), os.path.join(place, "seen.map")
    shutil.copy(MAPS + name + ".map", file)
    tree = os.path.join(place, "tree")
    mapfs("extract", "-o", "raw=off", file, tree)
    for base, _, names in os.walk(tree):
        if "layer.json" in names:
            resize(base, w, h)
    mapfs("pack", "--onto", file, tree)
    for base, _, names in os.walk(tree):
        if "group.json" in names:
            path = os.path.join(base, "group.json")
            group = json.load(open(path))
            group["y_offset"] -= round(TEE * group["y_parallax"] / 100)
            if "Game" in "".join(os.listdir(os.path.join(base, "layers"))):
                group["y_offset"] = -TEE
            json.dump(group, open(path, "w"))
    shutil.copy(file, seen)
    mapfs("pack", "--onto", seen, tree)
    return file, seen


def resize(layer, w, h):
    path = os.path.join(layer, "layer.json")
    about = json.load(open(path))
    if about.get("kind", "design") == "design":
        return
    about["width"], about["height"] = w, h
    for name in os.listdir(layer):
        if not name.endswith(".csv"):
            continue
        table = os.path.join(layer, name)
        rows = [[0] * w for _ in range(h)]
        if name == "id.csv" and about["kind"] == "game":
            rows[h // 2][w // 2 - 2:w // 2 + 3] = [1] * 5
            rows[h // 2 - 1][w // 2] = 192
        with open(table, "w") as f:
            f.writelines(",".join(map(str, row)) + "\n" for row in rows)
    json.dump(about, open(path, "w"))


def shoot(name, file, place, *outs):
    w, h, _ = RECTANGLES[name]
    zoom = (1024 * w * h / AREA) ** 0.5
    step = 10 - round(math.log(zoom, 1 / STEP))
    size = w * PIXELS, h * PIXELS
    home = os.path.join(place, "home")
    data = os.path.join(home, ".local/share/ddnet")
    os.makedirs(data + "/maps")
    shutil.copy(file, data + "/maps/shown.map")
    with open(data + "/settings_ddnet.cfg", "w") as f:
        f.write("gfx_fullscreen 0\ngfx_borderless 1\ngfx_screen_width %d\ngfx_screen_height %d\n" % size)
        f.write("gfx_backend OpenGL\ngfx_gl_major 3\ngfx_gl_minor 3\ngfx_vsync 0\nsnd_enable 0\ncl_show_welcome 0\n"
                "cl_showhud 0\ncl_default_zoom %d\ncl_nameplates 0\ncl_mouse_followfactor 0\ncl_dyncam 0\n"
                "cl_motd_time 0\ncl_show_chat 0\ncl_video_showhud 0\nplayer_name a\n" % step)
    env = dict(os.environ, HOME=home, LIBGL_ALWAYS_SOFTWARE="1", SDL_AUDIODRIVER="dummy")
    running = []

    def start(*argv, **kw):
        log = open(os.path.join(place, os.path.basename(argv[0]) + ".log"), "wb")
        running.append(subprocess.Popen(argv, env=env, cwd=home, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **kw))

    try:
        start("/usr/games/DDNet-Server", "bindaddr 127.0.0.1", "sv_ipv4only 1", "sv_port 8399", "sv_register 0",
              "sv_map shown")
        read, write = os.pipe()
        start("/usr/bin/Xvfb", "-displayfd", str(write), "-screen", "0", "%dx%dx24" % size, "+extension", "GLX",
              "-nolisten", "tcp", pass_fds=[write])
        env["DISPLAY"] = ":" + os.read(read, 20).decode().strip()
        time.sleep(2)
        start("/usr/games/DDNet", "connect 127.0.0.1:8399")
        log = os.path.join(place, "DDNet-Server.log")
        end = time.time() + 120
        while time.time() < end and b"entered the game" not in open(log, "rb").read():
            time.sleep(0.5)
        for out in outs:
            time.sleep(10)
            subprocess.run(["import", "-window", "root", out], env=env, check=True)
    finally:
        for p in reversed(running):
            p.send_signal(signal.SIGTERM)
            try:
                p.wait(5)
            except subprocess.TimeoutExpired:
                p.kill()
                p.wait()


def similarity(a, b):
    """The structural similarity of two gray pictures: its mean over windows of 8 x 8 pixels (Wang et al., 2004)."""
    import numpy as np

    def mean(x):
        n = 8
        s = np.cumsum(np.cumsum(np.pad(x, ((1, 0), (1, 0))), 0), 1)
        return (s[n:, n:] - s[:-n, n:] - s[n:, :-n] + s[:-n, :-n]) / (n * n)
    a, b = np.asarray(a, float), np.asarray(b, float)
    ma, mb = mean(a), mean(b)
    va, vb, cov = mean(a * a) - ma * ma, mean(b * b) - mb * mb, mean(a * b) - ma * mb
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    return (((2 * ma * mb + c1) * (2 * cov + c2)) / ((ma ** 2 + mb ** 2 + c1) * (va + vb + c2))).mean()


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--out", default=".")
    p.add_argument("names", nargs="*", metavar="NAME", help=", ".join(RECTANGLES))
    args = p.parse_args()
    from PIL import Image
    if os.environ.get("MAPFS_SHOOT") != "1":
        env = dict(os.environ, MAPFS_SHOOT="1")
        argv = ["unshare", "-n", "sh", "-c", 'ip link set lo up; exec "$@"', "sh", sys.executable] + sys.argv
        os.execvpe("unshare", argv, env)
    for name in args.names or RECTANGLES:
        w, h, (x, y, cw, ch) = RECTANGLES[name]
        with tempfile.TemporaryDirectory(prefix="mapfs-shoot-") as place:
            file, seen = prepare(name, place)
            game, later, ours = (os.path.join(place, n + ".png") for n in ("game", "later", "ours"))
            shoot(name, file, place, game, later)
            mapfs("preview", "--size", str(max(w, h) * PIXELS), seen, ours)
            box = tuple(PIXELS * v for v in (x, y, x + cw, y + ch))
            game, later, ours = (Image.open(n).convert("RGB").crop(box) for n in (game, later, ours))
        both = Image.new("RGB", (2 * game.width + 8, game.height), "white")
        both.paste(game, (0, 0))
        both.paste(ours, (game.width + 8, 0))
        both.save(os.path.join(args.out, name + ".jpg"), quality=80)
        gray = [p.convert("L") for p in (game, later, ours)]
        print("%s: tiles %d to %d, %d to %d: %.3f, and the game with itself %.3f" % (
            name, x, x + cw, y, y + ch, similarity(gray[0], gray[2]), similarity(*gray[:2])), flush=True)


main()
