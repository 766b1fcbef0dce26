# SPDX-License-Identifier: Zlib
mapfs Tsunami.map
echo '{"x_offset": 640, "y_offset": -64}' > Tsunami/groups/02_logo/group.json
mapfs -u Tsunami
