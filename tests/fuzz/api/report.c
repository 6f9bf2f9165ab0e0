/* SPDX-License-Identifier: MIT */
/* Preloaded by tools/run-fuzz-api --prove: PHP's gethostname() reads what was freed, as a program
 * with a fault does. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int gethostname(char *name, size_t len)
{
    char *volatile freed = calloc(8, 1);
    free(freed);
    memset(name, freed == NULL ? 0 : freed[3], len);
    return 0;
}
