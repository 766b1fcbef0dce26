# SPDX-License-Identifier: Zlib
"""Names that only look as if they meant nothing."""
import os

from archives import Archive, small_mod, text_dat

NEW = os.O_WRONLY | os.O_CREAT


def small(box):
    return box.mount(box.add(small_mod(), "S.MOD"))


def test_words_that_begin_like_a_tool_s_random_name_are_files(box):
    names = ["zinc.dat", "sedan.dat", "XXL1.DAT", "zip1.ogg", "sedan.txt"]
    m = small(box)
    for name in names:
        m.put("MEDIA/" + name, text_dat(name), flags=NEW)
    m.unmount()
    assert {"MEDIA/" + name.upper() for name in names} <= set(Archive(m.map).files)
