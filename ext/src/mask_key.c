/* SPDX-License-Identifier: MIT */
/* Masking keys: many are taken from the system at once. */
#include "php_tusk.h"
#include "src/mask_key.h"

#include <sys/random.h>

void tusk_mask_key(uint8_t key[4])
{
    if (TUSK_G(mask_left) < 4) {
        uint8_t *pool = TUSK_G(mask_pool);
        size_t have = 0;
        while (have < sizeof(TUSK_G(mask_pool))) {
            ssize_t got = getrandom(pool + have, sizeof(TUSK_G(mask_pool)) - have, 0);
            if (got > 0) {
                have += (size_t)got;
            }
        }
        TUSK_G(mask_left) = sizeof(TUSK_G(mask_pool));
    }
    TUSK_G(mask_left) -= 4;
    memcpy(key, TUSK_G(mask_pool) + TUSK_G(mask_left), 4);
}
