# SPDX-License-Identifier: Zlib
mapfs extract -o raw=off Tsunami.map tree
mapfs pack tree copy.map
mapfs diff Tsunami.map copy.map && echo equal
