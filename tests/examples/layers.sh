# SPDX-License-Identifier: Zlib
mapfs Tsunami.map
cd Tsunami/groups/12/layers
ls
cp -r 1_top 1_shadow
rm -r 0_bot
mv 3_behindbigti 0_behindbigti
cd ../../../..
mapfs -u Tsunami
mapfs -o ro Tsunami.map
ls Tsunami/groups/12/layers
mapfs -u Tsunami
