# SPDX-License-Identifier: Zlib
"""mapfs status for people and for programs, for mounted and unmounted maps."""
import errno
import json
import os
import re
import signal
import threading

import pytest

import box as boxes
import datafile
import folder
from editing import sync
from shims import Fault

AUTHOR, SETTINGS = folder.AUTHOR, folder.SETTINGS
LISTS = ("changed", "new", "renamed", "removed", "kept")
REASONS = ("refused", "ignored")
CREATE = os.O_WRONLY | os.O_CREAT


def objects(box, *args, code=0):
    r = box.run("status", "--json", *args)
    assert r.code == code, r
    # Without a name, the output includes mounts of others on this machine.
    found = [json.loads(line) for line in r.out.splitlines()]
    return [o for o in found if args or o["file"].startswith(box.root)]


def blank(**kw):
    """The status of a mount without changes, except for `kw`."""
    return dict({"read_only": False, "problem": None, "journal": None, **{k: [] for k in LISTS + REASONS}}, **kw)


# ---- for programs

def test_a_mount_has_a_list_for_each_state(box, small):
    m = box.mount(small)
    assert objects(box, m.point) == [blank(mountpoint=m.point, file=small)]
    m.put(SETTINGS, b"x 1\n")
    m.put("images/7_new.png", m.get("images/0_checker.png"), flags=CREATE)
    os.rename(m / "images/0_checker.png", m / "images/0_board.png")
    assert boxes.refused(m.put, AUTHOR, b"two\nlines\n") == errno.EINVAL
    m.put("images/a: photo\n.jpg", b"JPEG", flags=CREATE)
    found, = objects(box, m.point)
    assert set(found) == {"mountpoint", "file", "read_only", "problem", "journal", *LISTS, *REASONS}
    assert found["changed"] == [SETTINGS] and found["new"] == ["images/7_new.png"]
    assert found["renamed"] == ["images/0_board.png"] and found["removed"] == []
    draft, = found["refused"]
    assert draft == {"file": AUTHOR, "reason": m.xattr(AUTHOR, "user.mapfs.error")}
    left, = found["ignored"]
    assert left["file"] == "images/a: photo\n.jpg" and ".png" in left["reason"]
    assert objects(box) == objects(box, small) == objects(box, m.point) == [found]
    m.unmount("--discard")


def test_an_unresolved_file_has_a_reason(box, small):
    m = box.mount(small)
    text = m.get("groups/0_Game/layers/1_ground/layer.json")
    os.mkdir(m / "groups/0_Game/layers/9_new")
    m.put("groups/0_Game/layers/9_new/layer.json", text.replace(b"0_checker", b"9_later"), flags=CREATE)
    waiting, = objects(box, m.point)[0]["refused"]
    assert waiting["file"] == "groups/0_Game/layers/9_new/layer.json" and "9_later" in waiting["reason"]
    m.unmount("--discard")


def test_tables_are_accepted_after_layer_json_is_renamed_into_place(box, small):
    """rsync and editors rename the file into place. Like a close, the rename gives the tables their size."""
    m = box.mount(small)
    layer = "groups/0_Game/layers/1_ground/"
    text = json.loads(m.get(layer + "layer.json"))
    size = text["width"] + 1, text["height"] + 2
    table = b"1" + b",1" * (size[0] - 1) + b"\n"
    m.put(layer + "id.csv", table * size[1])
    assert [w["file"] for w in objects(box, m.point)[0]["refused"]] == [layer + "id.csv"]
    text["width"], text["height"] = size
    m.put(layer + ".layer.json.X1", json.dumps(text).encode(), flags=CREATE)
    os.rename(m / (layer + ".layer.json.X1"), m / (layer + "layer.json"))
    found, = objects(box, m.point)
    assert found["refused"] == [] and sorted(found["changed"]) == [layer + "id.csv", layer + "layer.json"]
    sync(m, code=0)
    assert m.get(layer + "id.csv") == b",".join([b"  1"] * size[0]).join([b"", b"\n"]) * size[1]
    m.unmount()


def test_a_refused_rename_keeps_its_reason(box, small):
    """The file stays at its path, the target is unchanged, and neither has an error attribute."""
    m = box.mount(small)
    boxes.put(m / "info/.new", b"two\nlines\n", CREATE)
    assert boxes.refused(os.rename, m / "info/.new", m / AUTHOR) == errno.EPERM
    assert boxes.refused(m.xattr, AUTHOR, "user.mapfs.error") == errno.ENODATA
    assert m.get(AUTHOR) == b"nobody\n" and m.get("info/.new") == b"two\nlines\n"
    o, = objects(box, m.point)
    assert o["refused"] == [{"file": AUTHOR, "reason": "line 2: too many lines (at most 1)"}]
    assert [o[k] for k in LISTS] == [[]] * len(LISTS)
    # The reason is not part of a save and disappears when the file is valid.
    sync(m)
    assert len(objects(box, m.point)[0]["refused"]) == 1
    boxes.put(m / "info/.new", b"one\n", os.O_WRONLY | os.O_TRUNC)
    os.rename(m / "info/.new", m / AUTHOR)
    assert objects(box, m.point)[0]["refused"] == []
    boxes.put(m / "info/.new", b"two\nlines\n", CREATE)
    assert boxes.refused(os.rename, m / "info/.new", m / AUTHOR) == errno.EPERM
    m.put(AUTHOR, b"three\n")
    assert objects(box, m.point)[0]["refused"] == []
    assert boxes.refused(os.rename, m / "info/.new", m / AUTHOR) == errno.EPERM
    os.unlink(m / "info/.new")
    assert m.unmount().out == "saved: info/author\n"


def test_an_unmounted_map_has_its_journal_in_the_status(box, small):
    none = dict(blank(), mountpoint=None, file=small)
    assert objects(box) == [] and objects(box, small) == [none]
    m = box.mount(small, "ro")
    assert objects(box, small) == [blank(mountpoint=m.point, file=small, read_only=True)]
    m.unmount()
    m = box.mount(small)
    m.put(SETTINGS, b"x 1\n")
    os.kill(box.worker(), signal.SIGSTOP)
    assert objects(box, small)[0]["problem"] == "does not answer"
    os.kill(box.worker(), signal.SIGCONT)
    box.kill_worker()
    journal, = [n for n in box.beside() if ".mapfs-journal-" in n]
    assert objects(box, small) == [dict(none, journal=journal)]
    box.allow("*mapfs-journal*")


def test_paths_of_a_folder_begin_with_the_map(box):
    folder.many(box, 2)
    names = sorted(os.listdir(box.maps))
    m = box.mount(box.maps)
    m.put(names[1] + "/" + AUTHOR, b"me\n")
    assert boxes.refused(m.put, names[0] + "/" + AUTHOR, b"two\nlines\n") == errno.EINVAL
    found, = objects(box, box.maps)
    assert found["file"] == box.maps and found["changed"] == [names[1] + "/" + AUTHOR]
    assert [d["file"] for d in found["refused"]] == [names[0] + "/" + AUTHOR]
    m.unmount("--discard")


def test_a_missing_path_is_an_error_in_both_forms(box):
    for form in ([], ["--json"]):
        r = box.run("status", *form, os.path.join(box.root, "none"))
        assert r.code == 1 and "none" in r.err and r.out == "", r
    assert box.run("status", "--jsn").code == 1


MANY = 1500  # names of 90 bytes: more than an attribute can hold


@pytest.mark.parametrize("whole", (False, True), ids=("map", "folder"))
def test_a_long_status_is_complete(box, small, whole):
    m = box.mount(box.maps if whole else small)
    at = os.path.basename(small) + "/" if whole else ""
    names = ["%simages/%s%04d.jpg" % (at, "a_name_that_is_rather_long_for_a_picture_" * 2, i) for i in range(MANY)]
    for name in names:
        m.put(name, b"JPEG", flags=CREATE)
    m.put(at + SETTINGS, b"x 1\n")
    r = box.run("status", m.point)
    lines = r.out.splitlines()[1:]
    assert r.code == 0 and lines[0] == "  changed " + at + SETTINGS and len(lines) == 1 + MANY
    found, = objects(box, m.point)
    assert [e["file"] for e in found["ignored"]] == [line.split()[1][:-1] for line in lines[1:]]
    assert sorted(e["file"] for e in found["ignored"]) == names
    # The attribute is cut and counts the missing lines.
    text = m.xattr("", "user.mapfs.status").splitlines()
    word, more = text[-1].split()
    assert word == "more" and len(text) - 1 + int(more) == 1 + MANY
    m.unmount("--discard")


def test_a_mount_during_a_slow_save_is_busy_and_not_dead(box, small):
    shim = box.shim(Fault)
    m = box.mount(small, shim=shim)
    m.put(SETTINGS, b"x 1\n")
    shim.arm(Fault.DELAY, 0, Fault.RENAME, 10000)
    saving = threading.Thread(target=boxes.sync_root, args=[m.point])
    saving.start()
    assert boxes.wait_for(shim.calls)
    found, = objects(box, m.point)
    if saving.is_alive():  # otherwise this machine is slow, and the save has already ended
        assert found["problem"] == "busy with a long save; try again later"
    saving.join()
    assert objects(box, m.point) == [blank(mountpoint=m.point, file=small)]
    m.unmount()


# ---- for people

def test_colors_are_for_a_terminal(box, small):
    m = box.mount(small)
    m.put(SETTINGS, b"x 1\n")
    assert boxes.refused(m.put, AUTHOR, b"two\nlines\n") == errno.EINVAL
    plain = box.run("status", m.point).out
    assert "\033" not in plain
    seen, _ = boxes.on_a_terminal(box, "status", m.point, TERM="xterm")
    changed, refused = [line for line in seen.splitlines() if SETTINGS in line or AUTHOR in line]
    assert "\033[" in changed and "\033[" in refused and changed.split("changed")[0] != refused.split("refused")[0]
    assert re.sub("\033\\[[0-9;]*m", "", seen).replace("\r\n", "\n") == plain
    for env in ({"TERM": "dumb"}, {"NO_COLOR": "1"}):
        seen, _ = boxes.on_a_terminal(box, "status", m.point, **{"TERM": "xterm", **env})
        assert seen.replace("\r\n", "\n") == plain
    assert "\033" not in boxes.on_a_terminal(box, "status", "--json", m.point, TERM="xterm")[0]
    m.unmount("--discard")


def test_an_unmounted_folder_is_reported_like_a_map(box, small):
    r = box.run("status", box.maps)
    assert r.code == 0 and r.out == "%s: is not mounted\n" % box.maps and r.err == "", r
    assert objects(box, box.maps) == [dict(blank(), mountpoint=None, file=box.maps)]
    # The former mount point is a folder, too.
    m = box.mount(small)
    m.unmount()
    os.makedirs(m.point, exist_ok=True)
    assert box.run("status", m.point).out == "%s: is not mounted\n" % m.point
    box.allow("*")


def test_a_mounted_map_in_a_folder_is_not_reported_as_unmounted(box, small):
    m = box.mount(small)
    m.put(AUTHOR, b"me\n")
    assert box.run("status", box.maps).out == box.run("status", m.point).out
    found, = objects(box, box.maps)
    assert (found["mountpoint"], found["changed"]) == (str(m.point), [AUTHOR])
    m.unmount("--discard")


def test_help_lists_the_options_of_status(box):
    r = box.run("status", "--help")
    assert r.code == 0 and r.out.startswith("Usage: mapfs status") and "--json" in r.out
    assert " -o " not in r.out
    assert box.run("recover", "--help").out.startswith("Usage: mapfs recover")


def test_a_raw_file_that_was_looked_at_is_not_refused(box):
    """A directory of items that exists only after the change."""
    b = datafile.Builder()
    b.add(datafile.MAP_VERSION, [1])
    b.group(0, 1, "Game")
    b.tiles(4, 4, bytes([1, 0, 0, 0]) * 16, flags=1, name="Game")
    b.add(datafile.ENVPOINTS, [])
    m = box.mount(box.add(b.encode(), "bare.map"))
    m.put(AUTHOR, b"me\n")
    assert os.listdir(m / "raw/items/00001_info") == ["00000"]
    found, = objects(box, m.point)
    assert found["changed"] == [AUTHOR] and found["refused"] == []
    m.unmount()
