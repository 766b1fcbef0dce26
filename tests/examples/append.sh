# SPDX-License-Identifier: Zlib
mapfs cp --at 60,0 dm1.map 'groups/[045]' ctf1.map
