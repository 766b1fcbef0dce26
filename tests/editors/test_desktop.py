# SPDX-License-Identifier: Zlib
"""A GTK editor and a file manager, as a person sits before them."""
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


def test_mousepad(tutorial, display):
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
    assert p.wait(20) == 0
    s.end()
    s.settings_are(NEW + old)


def test_pcmanfm_copies_an_image_in(tsunami, display):
    need("pcmanfm")
    s = tsunami
    aside = os.path.join(s.box.root, "aside")
    os.mkdir(aside)
    s.run("convert", "-size", "8x8", "xc:red", os.path.join(aside, "4_fresh.png"))
    made = pixels(boxes.get(os.path.join(aside, "4_fresh.png")))
    p = display.start("pcmanfm", "--no-desktop", aside)
    display.window("aside")
    display.keys("ctrl+a", "ctrl+c", "ctrl+l")
    display.type(s / "images")
    display.window("images")
    display.keys("ctrl+v")
    assert boxes.wait_for(lambda: "4_fresh.png" in os.listdir(s / "images"))
    assert display.shows("pcmanfm") > 16
    assert boxes.wait_for(lambda: pixels(s.m.get("images/4_fresh.png")) == made)
    display.stop(p)
    s.end(same_names=False)
    before = reading.names(s.before, datafile.IMAGE)
    assert reading.names(s.after, datafile.IMAGE) == before[:4] + ["fresh"] + before[4:]
    assert reading.references(s.after) == reading.references(s.before)
    assert pixels(s.extracted("fresh.png")) == made
