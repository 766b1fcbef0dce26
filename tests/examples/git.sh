# SPDX-License-Identifier: Zlib
git init --quiet
echo '*.map diff=mapfs' > .gitattributes
git config diff.mapfs.textconv 'mapfs text --'
git add .gitattributes dm1.map
git commit --quiet -m 'as it came'
echo '{"x_offset": 64}' | mapfs put dm1.map groups/1/group.json
echo 'sv_deepfly 0' | mapfs put dm1.map info/settings.cfg
git diff | grep '^[-+]'
