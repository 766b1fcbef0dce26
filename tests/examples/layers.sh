# SPDX-License-Identifier: Zlib
mapfs Tsunami.map
cp -r Tsunami/groups/12/layers/1_top Tsunami/groups/12/layers/1_shadow
rm -r Tsunami/groups/12/layers/0_bot
mv Tsunami/groups/12/layers/3_behindbigti Tsunami/groups/12/layers/0_behindbigti
mapfs -u Tsunami
mapfs ls Tsunami.map groups/12/layers
