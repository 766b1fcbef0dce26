# SPDX-License-Identifier: Zlib
git init --quiet
echo '*.map merge=mapfs' > .gitattributes
git config merge.mapfs.driver 'mapfs merge -L %P -- %O %A %B %A || exit 1'
git add .gitattributes Tsunami.map
git commit --quiet -m 'as it came'
git checkout --quiet -b autumn
mapfs cat Tsunami.map images/5_grass_ravie_white.png > grass.png
mogrify -channel RGB +level-colors ,orange grass.png
mapfs put Tsunami.map images/5_grass_ravie_white.png grass.png
git commit --quiet -a -m 'recolor the grass'
git checkout --quiet -
mapfs extract Tsunami.map work groups/12/layers/1_top
mv work/groups/12/layers/1_top work/groups/12/layers/1_shadow
mapfs pack work --onto Tsunami.map
git commit --quiet -a -m 'add a shadow'
git merge --quiet -m 'both' autumn
mapfs ls Tsunami.map groups/12/layers
