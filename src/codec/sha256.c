/* SPDX-License-Identifier: Zlib */
#include "codec/sha256.h"

#include <endian.h>
#include <stdio.h>
#include <string.h>

enum { WORDS = 8, ROUNDS = 64, BLOCK = 64 };

static const uint32_t first[WORDS] = {
	0x6a09e667,
	0xbb67ae85,
	0x3c6ef372,
	0xa54ff53a,
	0x510e527f,
	0x9b05688c,
	0x1f83d9ab,
	0x5be0cd19,
};
static const uint32_t constants[ROUNDS] = {
	0x428a2f98,
	0x71374491,
	0xb5c0fbcf,
	0xe9b5dba5,
	0x3956c25b,
	0x59f111f1,
	0x923f82a4,
	0xab1c5ed5,
	0xd807aa98,
	0x12835b01,
	0x243185be,
	0x550c7dc3,
	0x72be5d74,
	0x80deb1fe,
	0x9bdc06a7,
	0xc19bf174,
	0xe49b69c1,
	0xefbe4786,
	0x0fc19dc6,
	0x240ca1cc,
	0x2de92c6f,
	0x4a7484aa,
	0x5cb0a9dc,
	0x76f988da,
	0x983e5152,
	0xa831c66d,
	0xb00327c8,
	0xbf597fc7,
	0xc6e00bf3,
	0xd5a79147,
	0x06ca6351,
	0x14292967,
	0x27b70a85,
	0x2e1b2138,
	0x4d2c6dfc,
	0x53380d13,
	0x650a7354,
	0x766a0abb,
	0x81c2c92e,
	0x92722c85,
	0xa2bfe8a1,
	0xa81a664b,
	0xc24b8b70,
	0xc76c51a3,
	0xd192e819,
	0xd6990624,
	0xf40e3585,
	0x106aa070,
	0x19a4c116,
	0x1e376c08,
	0x2748774c,
	0x34b0bcb5,
	0x391c0cb3,
	0x4ed8aa4a,
	0x5b9cca4f,
	0x682e6ff3,
	0x748f82ee,
	0x78a5636f,
	0x84c87814,
	0x8cc70208,
	0x90befffa,
	0xa4506ceb,
	0xbef9a3f7,
	0xc67178f2,
};

static uint32_t turn(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

static void add_block(uint32_t h[WORDS], const uint8_t block[BLOCK])
{
	uint32_t w[ROUNDS], s[WORDS];

	memcpy(w, block, BLOCK);
	memcpy(s, h, sizeof(s));
	for (int i = 0; i < BLOCK / 4; i++)
		w[i] = be32toh(w[i]);
	for (int i = BLOCK / 4; i < ROUNDS; i++)
		w[i] = w[i - 16] + w[i - 7] +
		       (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3) +
		       (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10);
	for (int i = 0; i < ROUNDS; i++) {
		uint32_t a = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) +
			     ((s[4] & s[5]) ^ (~s[4] & s[6])) + constants[i] + w[i];
		uint32_t b = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) +
			     ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));

		memmove(s + 1, s, sizeof(s) - sizeof(*s));
		s[4] += a;
		s[0] = a + b;
	}
	for (int i = 0; i < WORDS; i++)
		h[i] += s[i];
}

void sha256_hex(const uint8_t *data, size_t n, char ret[SHA256_HEX])
{
	uint64_t bits = htobe64((uint64_t)n * 8);
	uint8_t end[2 * BLOCK] = {0};
	size_t rest = n % BLOCK, n_end = rest < BLOCK - sizeof(bits) ? BLOCK : 2 * BLOCK;
	uint32_t h[WORDS];

	memcpy(h, first, sizeof(h));
	for (size_t at = 0; at + BLOCK <= n; at += BLOCK)
		add_block(h, data + at);
	memcpy(end, data + n - rest, rest);
	end[rest] = 0x80;
	memcpy(end + n_end - sizeof(bits), &bits, sizeof(bits));
	for (size_t at = 0; at < n_end; at += BLOCK)
		add_block(h, end + at);
	for (int i = 0; i < WORDS; i++)
		snprintf(ret + 8 * i, 9, "%08x", h[i]);
}
