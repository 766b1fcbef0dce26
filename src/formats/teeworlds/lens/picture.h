/* SPDX-License-Identifier: Zlib */
/* picture: the map as preview.png and entities.png in the root, where -o preview=N asks for them.
 */
#ifndef FORMATS_TEEWORLDS_LENS_PICTURE_H
#define FORMATS_TEEWORLDS_LENS_PICTURE_H

#include "formats/teeworlds/model/map.h"

/* The picture that a name in the root means, shown or not; TW_PICTURES: none (root.c). */
enum tw_picture tw_picture_named(const char *name);

#endif
