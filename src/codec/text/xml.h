/* SPDX-License-Identifier: Zlib */
/*
 * xml: the elements of an XML document, as libexpat reads them. A document type is refused, so a
 * document has no entities of its own, and nothing outside of it is read.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { XML_BYTES_MAX = 16 << 20, XML_DEPTH_MAX = 1000 };

/* A start tag; attributes are a name and a value each, and then NULL. false: read no further. */
typedef bool (*xml_element)(void *arg, const char *name, const char *const *attributes);

/* Call element (may be NULL) for each start tag, in the order of the document, which is UTF-8,
 * UTF-16 or Latin-1. -EINVAL with line and column: what was read of it is not well-formed. */
int xml_read(const void *data, size_t n, xml_element element, void *arg, struct error *e);
