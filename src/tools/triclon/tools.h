/* SPDX-License-Identifier: Zlib */
#pragma once

#include "tools/tools.h"

extern const struct toolset tools_triclon;
