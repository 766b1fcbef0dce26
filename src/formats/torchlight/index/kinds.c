/* SPDX-License-Identifier: Zlib */
#include "formats/torchlight/index/listed.h"

const struct index_kind index_kinds[INDEX_KINDS + 1] = {
	{"MEDIA/AFFIXES.RAW", "AFFIXES.RAW", "MEDIA/AFFIXES/", ".DAT", derive_affix},
	{"MEDIA/MISSILES.RAW", "MISSILES.RAW", "MEDIA/MISSILES/", ".LAYOUT", derive_missiles},
	{"MEDIA/ROOMPIECES.RAW", "ROOMPIECES.RAW", "MEDIA/LEVELSETS/", ".DAT", derive_roompieces},
	{"MEDIA/SKILLS.RAW", "SKILLS.RAW", "MEDIA/SKILLS/", ".DAT", derive_skill},
	{"MEDIA/TRIGGERABLES.RAW", "TRIGGERABLES.RAW", "MEDIA/TRIGGERABLES/", ".DAT",
		derive_triggerable},
	{"MEDIA/UI.RAW", "UI.RAW", "MEDIA/UI/", ".LAYOUT", derive_menu},
	{"MEDIA/UNITDATA.RAW", "UNITDATA.RAW", "MEDIA/UNITS/", ".DAT", derive_unit},
	{0},
};
