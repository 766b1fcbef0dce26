# SPDX-License-Identifier: Zlib
"""Programs that copy, pack and version files, encode sounds, or move files to the trash."""
import io
import math
import os
import shutil
import struct
import wave

import pytest

import box as boxes
import datafile
import reading
from session import SETTINGS, need, pixels, tree

NEW = b"sv_show_others_default 1\nsv_team 1\n"
CREDIT = "images/9_tsunamicredit.png"


@pytest.fixture
def fresh(box):
    """Other settings in a file outside the mount, and so on another file system."""
    path = os.path.join(box.root, "fresh", "settings.cfg")
    os.mkdir(os.path.dirname(path))
    boxes.put(path, NEW, os.O_WRONLY | os.O_CREAT)
    os.utime(path, (1_600_000_000, 1_600_000_000))
    return path


def check_settings(s):
    assert s.m.get(SETTINGS) == NEW
    assert tree(s.m.point) == s.names
    s.end()
    s.settings_are(NEW)


def negated(s, name=CREDIT):
    """Make a negated copy of an image outside the mount and return its path."""
    path = s.copy(name)
    s.run("mogrify", "-negate", path)
    return path


# ---- one file onto another

def test_gio_save_replaces_the_settings(tutorial, fresh):
    with open(fresh, "rb") as f:
        tutorial.run("gio", "save", tutorial / SETTINGS, stdin=f)
    check_settings(tutorial)


def test_gio_save_with_backup_replaces_the_settings(tutorial, fresh):
    s = tutorial
    with open(fresh, "rb") as f:
        s.run("gio", "save", "--backup", s / SETTINGS, stdin=f)
    assert tree(s.m.point) - s.names == {SETTINGS + "~"}
    s.end()
    s.settings_are(NEW)


def test_gio_trash_is_refused_and_the_file_stays(tutorial):
    s = tutorial
    r = s.run("gio", "trash", s / SETTINGS, code=1)
    assert "trash" in r.err.lower() and len(r.err.splitlines()) == 1, r
    assert tree(s.m.point) == s.names
    s.end()
    assert s.after.raw == s.raw


@pytest.mark.parametrize("command", [
    ["rsync", "-a"], ["rsync", "-a", "--inplace"], ["rsync", "-a", "--backup"],
    ["rsync", "-a", "--delay-updates"], ["cp", "-a"], ["cp", "--remove-destination"],
    ["cp", "-b"], ["mv"], ["mv", "-b"], ["install"], ["install", "-b", "-m", "600"],
    ["gio", "copy"], ["gio", "move"]], ids=" ".join)
def test_a_program_replaces_a_text(tutorial, fresh, command):
    s = tutorial
    s.run(*command, fresh, s / SETTINGS)
    assert s.m.get(SETTINGS) == NEW
    backup = "-b" in command or "--backup" in command
    assert tree(s.m.point) - s.names == ({SETTINGS + "~"} if backup else set())
    assert os.path.exists(fresh) == (command[0] != "mv" and command[1:] != ["move"])
    s.end()
    s.settings_are(NEW)


def test_dd_tee_and_truncate_change_the_settings(tutorial, fresh):
    s = tutorial
    s.run("truncate", "-s", "0", s / SETTINGS)
    s.run("dd", "if=" + fresh, "of=" + (s / SETTINGS), "bs=7", "conv=fsync")
    assert s.m.get(SETTINGS) == NEW
    with open(fresh, "rb") as f:
        s.run("tee", s / SETTINGS, stdin=f)
    check_settings(s)


@pytest.mark.parametrize("command", [
    ["rsync", "-a"], ["rsync", "-a", "--inplace"], ["cp", "-a"], ["mv"]], ids=" ".join)
def test_a_program_replaces_an_image(tsunami, command):
    s = tsunami
    made = negated(s)
    expected = pixels(boxes.get(made))
    s.run(*command, made, s / CREDIT)
    s.end()
    s.image_is(CREDIT, expected)


@pytest.mark.parametrize("command", [
    ["rsync", "-a"], ["rsync", "-a", "--inplace"], ["cp", "-a"], ["mv"], ["install"],
    ["gio", "copy"], ["dd", "status=none"]], ids=" ".join)
def test_invalid_content_is_an_error_and_loses_nothing(tutorial, box, command):
    s = tutorial
    bad = os.path.join(box.root, "author")
    boxes.put(bad, b"two\nlines\n", os.O_WRONLY | os.O_CREAT)
    old = s.m.get("info/author")
    dd = command[0] == "dd"
    r = s.run(*command, ("if=" if dd else "") + bad, ("of=" if dd else "") + (s / "info/author"),
              code=None)
    # Two of these commands write a temporary file and rename it.
    renames = command in (["rsync", "-a"], ["gio", "copy"])
    assert r.code != 0 and ("Operation not permitted" if renames else "nvalid argument") in r.err, r
    assert not renames or "refused info/author: line 2" in s.m.xattr("", "user.mapfs.status")
    # The file keeps its old content, or has the refused one.
    shown = s.m.get("info/author")
    assert shown in (old, b"two\nlines\n")
    if shown != old:
        assert "line" in s.m.xattr("info/author", "user.mapfs.error")
        os.removexattr(s / "info/author", "user.mapfs.error")
    if command[0] == "mv":
        assert boxes.get(bad) == b"two\nlines\n"
    assert s.m.get("info/author") == old
    s.end()
    assert s.after.raw == s.raw


# ---- many files

@pytest.mark.parametrize("command", [
    ["tar", "-x", "-f"], ["tar", "-x", "--overwrite", "-f"], ["tar", "-x", "-U", "-f"]],
    ids=" ".join)
def test_tar_replaces_the_settings(tutorial, fresh, command):
    s = tutorial
    os.makedirs(os.path.join(s.twin, "info"))
    shutil.copy(fresh, os.path.join(s.twin, SETTINGS))
    archive = os.path.join(s.box.root, "a.tar")
    # -U removes the old files first, and no tar removes a directory with entries.
    s.run("tar", "-c", "-f", archive, "-C", s.twin, SETTINGS if "-U" in command else "info")
    s.run(*command, archive, "-C", s.m.point)
    check_settings(s)


def test_unzip_replaces_the_settings(tutorial, fresh):
    s = tutorial
    os.makedirs(os.path.join(s.twin, "info"))
    shutil.copy(fresh, os.path.join(s.twin, SETTINGS))
    archive = os.path.join(s.box.root, "a.zip")
    s.run("zip", "-q", "-r", archive, "info", cwd=s.twin)
    s.run("unzip", "-q", "-o", archive, "-d", s.m.point)
    check_settings(s)


ROUNDS = {
    "cp -a": [["cp", "-a", "{mount}/.", "{twin}"], ["cp", "-a", "{twin}/.", "{mount}"]],
    "rsync -a": [["rsync", "-a", "{mount}/", "{twin}"],
                 ["rsync", "-a", "--ignore-times", "--delete", "{twin}/", "{mount}"]],
    "rsync --inplace": [["rsync", "-a", "{mount}/", "{twin}"],
                        ["rsync", "-a", "--ignore-times", "--inplace", "{twin}/", "{mount}"]],
    "tar": [["tar", "-c", "-f", "{twin}/a.tar", "-C", "{mount}", "."],
            ["tar", "-x", "-f", "{twin}/a.tar", "-C", "{mount}"]],
    "zip": [["sh", "-c", "cd {mount} && zip -q -r {twin}/a.zip ."],
            ["unzip", "-q", "-o", "{twin}/a.zip", "-d", "{mount}"]],
}


@pytest.mark.parametrize("how", sorted(ROUNDS))
def test_a_tree_copied_out_and_back_leaves_the_map_unchanged(mounted, how):
    if how == "zip":
        need("zip")
    s = mounted("Sunny Side Up.map", "raw=off")
    for command in ROUNDS[how]:
        s.run(*[a.format(mount=s.m.point, twin=s.twin) for a in command])
    assert tree(s.m.point) == s.names
    s.end()
    assert s.after.raw == s.raw


def test_removing_all_images_and_copying_them_back_leaves_the_map_unchanged(mounted):
    s = mounted("Tsunami.map", "raw=off")
    s.run("cp", "-a", s / "images", s.twin)
    s.run("sh", "-c", 'rm "$1"/*', "sh", s / "images")
    assert os.listdir(s / "images") == []
    s.run("sh", "-c", 'cp -a "$1"/* "$2"', "sh", s.twin + "/images", s / "images")
    s.end()
    assert s.after.raw == s.raw


# ---- versions

def git(s, *args, code=0):
    who = ["-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "advice.detachedHead=false"]
    return s.run("git", *who, "--git-dir=" + os.path.join(s.box.root, "versions"),
                 "--work-tree=" + s.m.point, *args, cwd=s.m.point, code=code).out


def test_git_with_its_repository_elsewhere_restores_a_version(mounted):
    s = mounted("Tutorial.map", "raw=off")
    git(s, "init", "-q")
    git(s, "add", ".")
    git(s, "commit", "-q", "-m", "as it was")
    assert git(s, "status", "--porcelain") == ""
    s.m.put(SETTINGS, NEW)
    os.unlink(s / "images/38_sgn_warning_triangle.png")
    assert git(s, "status", "--porcelain").split() == [
        "D", "images/38_sgn_warning_triangle.png", "M", SETTINGS]
    git(s, "commit", "-q", "-a", "-m", "changed")
    git(s, "checkout", "-q", "HEAD~1")
    assert git(s, "status", "--porcelain") == ""
    assert tree(s.m.point) == s.names
    git(s, "checkout", "-q", "-")
    git(s, "stash", "list")
    git(s, "checkout", "-q", "HEAD~1")
    s.end()
    assert s.after.raw == s.raw


def test_git_brings_a_change_into_the_map(tutorial):
    s = tutorial
    git(s, "init", "-q")
    git(s, "add", "info")
    git(s, "commit", "-q", "-m", "as it was")
    s.m.put(SETTINGS, NEW)
    git(s, "commit", "-q", "-a", "-m", "changed")
    git(s, "checkout", "-q", "HEAD~1")
    git(s, "checkout", "-q", "-")
    check_settings(s)


def test_git_init_in_the_mount_is_refused(tutorial):
    s = tutorial
    r = s.run("git", "init", s.m.point, code=None)
    assert r.code != 0 and "Operation not permitted" in r.err
    assert tree(s.m.point) == s.names
    s.end()
    assert s.after.raw == s.raw


# ---- sounds

def wav(path, seconds=0.2):
    samples = [int(9000 * math.sin(i / 15)) for i in range(int(48000 * seconds))]
    with wave.open(path, "wb") as f:
        f.setnchannels(1)
        f.setsampwidth(2)
        f.setframerate(48000)
        f.writeframes(struct.pack("<%dh" % len(samples), *samples))
    return path


def encoded(s, name, *args):
    """Encode a tone into the mount and into the twin, and return the bytes in the twin."""
    tone = wav(os.path.join(s.box.root, "tone.wav"))
    os.makedirs(os.path.join(s.twin, "sounds"), exist_ok=True)
    for path in (os.path.join(s.twin, name), s / name):
        s.run("opusenc", "--quiet", "--serial", "1", *args, tone, path)
    return boxes.get(os.path.join(s.twin, name))


def test_opusenc_replaces_a_sound(sunny):
    s = sunny
    made = encoded(s, "sounds/0_sunny.opus")
    s.end()
    item = s.before.of_type(datafile.SOUND)[0]
    s.only(blobs=[item.ints[3]], items=[(datafile.SOUND, 0)])
    assert reading.sound(s.after, "sunny") == made == s.extracted("sunny.opus")
    assert reading.references(s.after) == reading.references(s.before)


def test_opusenc_adds_a_sound(generated):
    s = generated
    made = encoded(s, "sounds/tone.opus")
    s.end(same_names=False)
    assert s.listed == s.names | {"sounds/1_tone.opus"}
    assert reading.sound(s.after, "tone") == made == s.extracted("tone.opus")
    assert reading.sound(s.after, "bell") == reading.sound(s.before, "bell")


def test_opusdec_reads_a_sound_and_a_wave_file_is_refused(sunny):
    s = sunny
    out = os.path.join(s.box.root, "out.wav")
    s.run("opusdec", "--quiet", s / "sounds/0_sunny.opus", out)
    assert os.path.getsize(out) > 44
    r = s.run("cp", out, s / "sounds/0_sunny.opus", code=1)
    assert "Invalid argument" in r.err
    os.removexattr(s / "sounds/0_sunny.opus", "user.mapfs.error")
    s.end()
    assert s.after.raw == s.raw


def test_a_file_that_is_no_part_of_a_map_is_rescued_beside_it(tsunami):
    s = tsunami
    s.box.allow("x.map.mapfs-left")
    boxes.put(s / "images/photo.jpg", b"not an image of ours", os.O_WRONLY | os.O_CREAT)
    r = s.end(code=5, said=["photo.jpg"])
    left = tree(os.path.join(s.box.maps, "x.map.mapfs-left"))
    kept = [n for n in left if n.endswith("photo.jpg")]
    assert kept and "photo.jpg" in r.out + r.err
    assert boxes.get(os.path.join(s.box.maps, "x.map.mapfs-left", kept[0])) == b"not an image of ours"
    assert s.after.raw == s.raw


def test_reading_programs_see_ordinary_files(tsunami):
    s = tsunami
    assert need("file") and "PNG image data, 344 x 69" in s.run("file", s / CREDIT).out
    Image = pytest.importorskip("PIL.Image")
    assert Image.open(io.BytesIO(s.m.get(CREDIT))).size == (344, 69)
    s.run("sh", "-c", 'find "$1" -type f -print0 | xargs -0 cat | wc -c', "sh", s.m.point)
    s.run("du", "-s", s.m.point)
    s.run("grep", "-r", "nothing like it", s / "info", code=1)
    s.end()
    assert s.after.raw == s.raw
