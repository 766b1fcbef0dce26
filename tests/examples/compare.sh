# SPDX-License-Identifier: Zlib
cp coverage.map edited.map
mapfs edited.map
sed -i 's/\b1\b/7/g' edited/groups/1_Game/layers/1_Tele/number.csv
echo 'tune gravity 0.25' >> edited/info/settings.cfg
mapfs -u edited
mapfs -o ro,raw=off coverage.map
mapfs -o ro,raw=off edited.map
diff -rq coverage edited || true
diff coverage/info/settings.cfg edited/info/settings.cfg || true
mapfs -u edited
mapfs -u coverage
