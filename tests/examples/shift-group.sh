# SPDX-License-Identifier: Zlib
mapfs Tsunami.map
group=Tsunami/groups/02_logo/group.json
jq '.x_offset += 640 | .y_offset -= 64' $group > shifted.json
cp shifted.json $group
cat $group
mapfs -u Tsunami
