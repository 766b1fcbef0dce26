# SPDX-License-Identifier: Zlib
mapfs Tsunami.map
mogrify -channel RGB +level-colors ,orange Tsunami/images/*_grass_ravie_*.png
mapfs -u Tsunami
