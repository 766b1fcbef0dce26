/* SPDX-License-Identifier: Zlib */
/*
 * uuid: new items of the types that are known by a UUID.
 */
#pragma once

#include "formats/teeworlds/model/change.h"

/*
 * Puts a new item of the type into the change, at the end of its list; and the index item that
 * gives the type its number, where the map has none: the highest that is free, as the reference
 * writer deals them. Takes ints. Returns its handle.
 */
uint32_t tw_change_add_uuid(struct tw_change *c, enum tw_uuid what, struct tw_ints *take);
