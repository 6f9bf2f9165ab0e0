/* SPDX-License-Identifier: MIT */
/* Where a value stands, in words. */
#ifndef TUSK_EXT_TRAVEL_PATH_H
#define TUSK_EXT_TRAVEL_PATH_H

#include "src/travel/travel.h"

#include <Zend/zend_smart_str.h>

void tusk_path_text(smart_str *out, const pack_path *path);
/* A long one loses its middle. */
void tusk_path_shorten(smart_str *path);

#endif
