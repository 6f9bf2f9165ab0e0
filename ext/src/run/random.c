/* SPDX-License-Identifier: MIT */
/* The generators behind mt_rand(), shuffle() and lcg_value(). Those of random_int() and of
 * Random\Randomizer need nothing: they are the system's, or values of PHP. */
#include "src/run/random.h"

#include "php_tusk.h"

#if PHP_VERSION_ID >= 80200
#include <ext/random/php_random.h>
#else
#include <ext/standard/basic_functions.h>
#include <ext/standard/php_lcg.h>
#include <ext/standard/php_random.h>
#endif

void tusk_random_anew(void)
{
#if PHP_VERSION_ID >= 80200
    RANDOM_G(combined_lcg_seeded) = false;
    RANDOM_G(mt19937_seeded) = false;
#else
    uint16_t passed = 0; /* PHP keeps the seed of its generator to itself: it goes on elsewhere */
    (void)php_random_bytes_silent(&passed, sizeof(passed));
    while (passed-- > 0) {
        (void)php_combined_lcg();
    }
    BG(mt_rand_is_seeded) = 0;
#endif
}
