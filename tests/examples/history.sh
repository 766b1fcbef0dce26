# SPDX-License-Identifier: Zlib
cp dm1.map original.map
mapfs -o raw=off dm1.map
git init --quiet --bare dm1.git
on_map() { git --git-dir=dm1.git --work-tree=dm1 "$@"; }
on_map add .
on_map commit --quiet -m 'as it came'
sed -i 's/"x_offset": 0/"x_offset": 64/' dm1/groups/1/group.json
on_map commit --quiet -a -m 'move the clouds'
on_map show --format=%s
on_map checkout --quiet HEAD~ -- .
mapfs -u dm1
cmp dm1.map original.map && echo 'as it came'
