# SPDX-License-Identifier: Zlib
mapfs dm1.map
cp -r dm1/groups/6/layers/4 ground
mapfs -u dm1
grep '"image"' ground/layer.json
mapfs ctf1.map
cp -r ground ctf1/groups/4/layers/0_ground
mapfs -u ctf1
mapfs -o ro ctf1.map
grep '"image"' ctf1/groups/4/layers/0_ground/layer.json
mapfs -u ctf1
