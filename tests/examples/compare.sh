# SPDX-License-Identifier: Zlib
cp coverage.map edited.map
mapfs edited.map
sed -i 's/\b1\b/7/g' edited/groups/1_Game/layers/1_Tele/number.csv
echo 'tune gravity 0.25' >> edited/info/settings.cfg
mapfs -u edited
mapfs diff coverage.map edited.map || true
