# SPDX-License-Identifier: Zlib
"""Random structural edits of a tree (core.py), applied to the model of world.py at the same time.

Each edit is what a user would do with cp -r, rm -r, mv, mkdir and a text editor. An edit that does not fit the map
raises Nothing, and the editor tries another one.
"""
from edits_base import Nothing
from edits_layers import Layers
from edits_media import Media


class Editor(Media, Layers):
    WEIGHTS = {
        "add_medium": 4, "remove_medium": 4, "make_again": 2, "rename_medium": 5, "rename_back": 1,
        "swap_media": 2, "rename_over": 1, "temporary": 1, "backup": 1, "split": 1, "write_medium": 3,
        "write_other_form": 1, "copy_layer": 6, "copy_group": 3, "copy_from_other": 3, "add_layer": 3,
        "add_group": 2, "remove_layer": 5, "remove_group": 2, "move_layer": 8, "move_group": 5,
        "reorder": 2, "resize": 4, "resize_physics": 2, "resize_by_tables": 2, "write_cells": 3,
        "write_references": 5, "write_group": 2, "make_layer_again": 2, "swap_directories": 2,
    }

    def step(self):
        for _ in range(30):
            kind = self.rng.choices(list(self.WEIGHTS), list(self.WEIGHTS.values()))[0]
            self.log.append("# " + kind)
            try:
                getattr(self, kind)()
                return
            except Nothing:
                self.log.pop()
