# SPDX-License-Identifier: Zlib
