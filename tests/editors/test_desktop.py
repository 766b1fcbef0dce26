# SPDX-License-Identifier: Zlib
"""A GTK editor and a file manager, controlled with keys as by a user."""
import os

import pytest

import box as boxes
import datafile
import reading
from display import Display
from session import SETTINGS, need, pixels

NEW = b"sv_motd hello\n"


@pytest.fixture
def display(box):
    d = Display(box)
    yield d
    d.close()


def test_mousepad_changes_the_settings(tutorial, display):
    need("mousepad")
    s = tutorial
    old = s.m.get(SETTINGS)
    p = display.start("mousepad", "--disable-server", s / SETTINGS)
    display.window("settings.cfg")
    display.keys("ctrl+Home")
    display.type(NEW.decode().strip())
    assert display.shows("mousepad") > 16
    display.keys("ctrl+s")
    assert boxes.wait_for(lambda: s.m.get(SETTINGS) == NEW + old), s.m.get(SETTINGS)
    display.keys("ctrl+q")
    assert p.wait(90) == 0
    s.end()
    s.settings_are(NEW + old)


def copy_between_windows(display, aside, images, name):
    """Copy a file from one window to another. A window shows its title before its files can be selected, and loses
    keys that come earlier."""
    display.window("aside")
    display.keys("ctrl+a", "ctrl+c", "ctrl+l")
    display.type(images)
    display.window("images")
    display.keys("ctrl+v")
    if boxes.wait_for(lambda: name in os.listdir(images), 5):
        return True
    display.keys("ctrl+l")
    display.type(aside)
    return False


def test_pcmanfm_copies_an_image_into_the_map(tsunami, display):
    need("pcmanfm")
    s = tsunami
    aside = os.path.join(s.box.root, "aside")
    os.mkdir(aside)
    s.run("convert", "-size", "8x8", "xc:red", os.path.join(aside, "4_fresh.png"))
    made = pixels(boxes.get(os.path.join(aside, "4_fresh.png")))
    p = display.start("pcmanfm", "--no-desktop", aside)
    assert any(copy_between_windows(display, aside, s / "images", "4_fresh.png") for _ in range(6))
    assert display.shows("pcmanfm") > 16
    assert boxes.wait_for(lambda: pixels(s.m.get("images/4_fresh.png")) == made)
    display.stop(p)
    s.end(same_names=False)
    before = reading.names(s.before, datafile.IMAGE)
    assert reading.names(s.after, datafile.IMAGE) == before[:4] + ["fresh"] + before[4:]
    assert reading.references(s.after) == reading.references(s.before)
    assert pixels(s.extracted("fresh.png")) == made
