/* SPDX-License-Identifier: Zlib */
/* uuid: add items of UUID types. */
#pragma once

#include "formats/teeworlds/model/change.h"

/* Append an item of a UUID type. Consumes take. Returns the handle, or UINT32_MAX on failure, which
 * sets c->error. If the map does not define the type, add an index item with the highest free
 * number, as the reference writer does. */
uint32_t tw_change_add_uuid(struct tw_change *c, enum tw_uuid what, struct tw_ints *take);
