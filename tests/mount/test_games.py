# SPDX-License-Identifier: Zlib
"""Tools and servers of the games read maps that mapfs saved."""
import glob
import io
import os
import shutil
import signal
import socket
import subprocess

import pytest

import box as boxes
import datafile
import places

EXTRACTED = ["ddnet/data/maps/Tsunami.map", "ddnet/data/maps/Sunny Side Up.map",
             "ddnet/data/maps/Tutorial.map", "ddnet/data/maps7/Gold Mine.map",
             "ddnet/data/maps/dm8.map"]
CONFIGURED = ["ddnet/data/maps/LearnToPlay.map", "ddnet/data/maps/Tutorial.map",
              "ddnet/data/maps7/Tutorial.map"]
EDITED = ["ddnet/data/maps/dm1.map", "ddnet/data/maps/Tsunami.map",
          "ddnet/data/maps/Tutorial.map", "ddnet/data/maps7/Gold Mine.map",
          "teeworlds/data/maps/ctf3.map", "teeworlds/data/maps/dm9.map"]


def tool(box, name, *args, cwd=None):
    os.makedirs(os.path.join(box.home, ".local/share/ddnet"), exist_ok=True)
    return box.run(*args, program=places.ddnet_tool(name), cwd=cwd or box.root)


@pytest.mark.parametrize("name", EXTRACTED)
def test_pixels_and_sounds_equal_those_of_map_extract(box, name):
    Image = pytest.importorskip("PIL.Image")
    copy = box.add(places.debian_map(name))
    out = os.path.join(box.root, "extracted")
    os.mkdir(out)
    assert tool(box, "map_extract", copy, out).code == 0
    m = box.mount(copy)
    compared = 0
    for kind, ending in (("images", ".png"), ("sounds", ".opus")):
        for entry in sorted(os.listdir(m / kind)):
            if not entry.endswith(ending):
                continue
            theirs = os.path.join(out, entry.split("_", 1)[1])
            mine = m.get(os.path.join(kind, entry))
            if ending == ".png":
                a, b = Image.open(io.BytesIO(mine)), Image.open(theirs).convert("RGBA")
                assert a.mode == "RGBA" and a.size == b.size and a.tobytes() == b.tobytes(), entry
            else:
                assert mine == boxes.get(theirs), entry
            compared += 1
    assert compared >= len(glob.glob(out + "/*.png") + glob.glob(out + "/*.opus")) > 0
    m.unmount()


@pytest.mark.parametrize("name", CONFIGURED)
def test_settings_equal_those_of_config_retrieve(box, name):
    copy = box.add(places.debian_map(name), "x.map")
    r = tool(box, "config_retrieve", copy)
    assert r.code == 0
    theirs = os.path.join(box.maps, "x.cfg")
    box.allow("x.cfg")
    m = box.mount(copy)
    mine = m.get("info/settings.cfg")
    m.unmount()
    assert mine == (boxes.get(theirs) if os.path.exists(theirs) else b"")


def edit(box, path):
    """Edit pixels of an image, the author and a setting through the mount."""
    Image = pytest.importorskip("PIL.Image")
    m = box.mount(path)
    m.put("info/author", b"mapfs\n")
    m.put("info/settings.cfg", m.get("info/settings.cfg") + b"sv_deepfly 1\n")
    picture, entry = None, None
    for entry in sorted(os.listdir(m / "images")):
        if entry.endswith(".png"):
            picture = Image.open(io.BytesIO(m.get("images/" + entry)))
            picture.paste((255, 0, 255, 255), (0, 0, 16, 16))
            out = io.BytesIO()
            picture.save(out, "PNG")
            m.put("images/" + entry, out.getvalue())
            break
    m.unmount()
    return entry if picture else None, picture


@pytest.mark.parametrize("name", EDITED)
def test_map_resave_does_not_change_an_edited_map(box, name):
    path = box.add(places.debian_map(name), "x.map")
    # A map that the tool itself rewrites is first converted to the form of the tool.
    assert tool(box, "map_resave", path, "first.map").code == 0
    shutil.copy(os.path.join(box.home, ".local/share/ddnet/first.map"), path)
    edit(box, path)
    assert tool(box, "map_resave", path, "again.map").code == 0
    assert boxes.get(os.path.join(box.home, ".local/share/ddnet/again.map")) == boxes.get(path)


@pytest.mark.parametrize("name", EDITED)
def test_map_extract_finds_the_edited_image(box, name):
    Image = pytest.importorskip("PIL.Image")
    path = box.add(places.debian_map(name), "x.map")
    entry, picture = edit(box, path)
    if not entry:
        return  # this map embeds no image
    out = os.path.join(box.root, "extracted")
    os.mkdir(out)
    assert tool(box, "map_extract", path, out).code == 0
    theirs = Image.open(os.path.join(out, entry.split("_", 1)[1])).convert("RGBA")
    assert theirs.size == picture.size and theirs.tobytes() == picture.tobytes()


@pytest.mark.parametrize("name", EDITED)
def test_map_diff_finds_no_changed_tile_after_an_edit(box, name):
    path = box.add(places.debian_map(name), "x.map")
    edit(box, path)
    r = tool(box, "map_diff", places.debian_map(name), path)
    assert r.code == 0
    assert "!=" not in r.out + r.err


@pytest.mark.parametrize("name", EDITED)
def test_a_strict_check_finds_no_new_anomaly_after_an_edit(box, name):
    import json
    import sys
    script = os.path.join(places.SHARED, "tools", "twcheck.py")
    if not os.path.exists(script):
        pytest.skip(places.NO_SHARED)
    path = box.add(places.debian_map(name), "x.map")
    edit(box, path)

    def anomalies(p):
        out = subprocess.run([sys.executable, script, p], capture_output=True, text=True,
                             check=True).stdout
        return {a["c"] for a in json.loads(out)["anomalies"]}
    assert anomalies(path) <= anomalies(places.debian_map(name))


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def loads(box, program, home, map_path, good, bad, stop, *args):
    """Start a server on the loopback with the map and wait for its result in the log."""
    if not os.path.exists(program):
        pytest.skip("not installed: " + os.path.basename(program))
    maps = os.path.join(box.home, home, "maps")
    os.makedirs(maps)
    shutil.copy(map_path, os.path.join(maps, "edited.map"))
    with open(os.path.join(box.home, home, "autoexec_server.cfg"), "w"):
        pass
    log = os.path.join(box.logs, "server")
    with open(log, "wb") as f:
        p = subprocess.Popen([program, "bindaddr 127.0.0.1", "sv_port %d" % free_port(),
                              "sv_register 0", "sv_map edited", *args], stdout=f, stderr=f,
                             stdin=subprocess.DEVNULL, cwd=box.root, env=box.env())
    try:
        boxes.wait_for(lambda: p.poll() is not None or any(w in boxes.get(log)
                                                           for w in good + bad), 180)
        text = boxes.get(log)
        assert p.poll() is None and not any(w in text for w in bad), text.decode(errors="replace")
        assert any(w in text for w in good), text.decode(errors="replace")
    finally:
        if p.poll() is None:
            p.send_signal(stop)
        try:
            p.wait(20)
        except subprocess.TimeoutExpired:
            p.kill()
            p.wait()


@pytest.mark.parametrize("name", EDITED[:3])
def test_the_ddnet_server_loads_an_edited_map(box, name):
    path = box.add(places.debian_map(name), "x.map")
    edit(box, path)
    loads(box, "/usr/games/DDNet-Server", ".local/share/ddnet", path, [b"rcon password"],
          [b"failed to load map"], signal.SIGINT, "sv_ipv4only 1")


@pytest.mark.parametrize("name", EDITED[4:])
def test_the_teeworlds_server_loads_an_edited_map(box, name):
    path = box.add(places.debian_map(name), "x.map")
    edit(box, path)
    loads(box, "/usr/games/teeworlds-server", ".teeworlds", path, [b"crc is"],
          [b"failed to load map"], signal.SIGTERM)


def test_a_server_does_not_load_an_invalid_map(box):
    """Without this test the others could pass whatever the server logs."""
    path = box.add(b"nothing", "x.map")
    with pytest.raises(AssertionError):
        loads(box, "/usr/games/teeworlds-server", ".teeworlds", path, [b"crc is"],
              [b"failed to load map"], signal.SIGTERM)


def test_a_mount_shows_the_settings_of_config_store(box):
    path = box.add(places.debian_map("ddnet/data/maps/Tsunami.map"), "x.map")
    with open(os.path.join(box.maps, "x.cfg"), "w") as f:
        f.write("sv_one 1\nsv_two 2\n")
    box.allow("x.cfg")
    r = tool(box, "config_store", "x.map", cwd=box.maps)
    assert r.code == 0
    m = box.mount(path)
    assert m.get("info/settings.cfg") == b"sv_one 1\nsv_two 2\n"
    m.unmount()
    assert datafile.Datafile.load(path).of_type(datafile.INFO)
