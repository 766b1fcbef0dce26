# SPDX-License-Identifier: Zlib
git init --quiet
echo '*.map diff=mapfs' > .gitattributes
git config diff.mapfs.textconv 'mapfs text --'
git add .gitattributes dm1.map
git commit --quiet -m 'as it came'
mapfs cat dm1.map groups/1/group.json | sed 's/"x_offset": 0/"x_offset": 64/' > group.json
mapfs put dm1.map groups/1/group.json group.json
echo 'sv_deepfly 0' | mapfs put dm1.map info/settings.cfg
git diff | grep '^[-+]'
mapfs check dm1.map && echo sound
