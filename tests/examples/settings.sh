# SPDX-License-Identifier: Zlib
mapfs grep --in info/settings.cfg . *.map
