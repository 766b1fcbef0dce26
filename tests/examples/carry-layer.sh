# SPDX-License-Identifier: Zlib
mapfs extract dm1.map work groups/6/layers/4
mapfs ctf1.map
cp -r work/groups/6/layers/4 ctf1/groups/4/layers/0_ground
mapfs -u ctf1
mapfs cat dm1.map groups/6/layers/4/layer.json | grep image
mapfs cat ctf1.map groups/4/layers/0_ground/layer.json | grep image
