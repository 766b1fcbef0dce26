/* SPDX-License-Identifier: Zlib */
/*
 * xml: read the elements of an XML document with libexpat. A document type declaration is refused,
 * so a document defines no entities, and the reader opens no other files.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { XML_BYTES_MAX = 16 << 20, XML_DEPTH_MAX = 1000 };

/* Receives a start tag. attributes: names and values in turn, NULL-ended. false: stop reading. */
typedef bool (*xml_element)(void *arg, const char *name, const char *const *attributes);

/* Call element (may be NULL) for each start tag, in document order. The document is UTF-8, UTF-16
 * or Latin-1. Returns 0 at the end or if element stopped. -EINVAL: the part that was read is not
 * well-formed, too deep, or has a document type; or there are more than XML_BYTES_MAX bytes. */
int xml_read(const void *data, size_t n, xml_element element, void *arg, struct error *e);
