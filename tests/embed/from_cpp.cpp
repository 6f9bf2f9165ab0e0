/* SPDX-License-Identifier: MIT */
/* A C++ translation unit that uses the installed library: headers, linkage, an allocator of its
 * own. */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <tusk/tusk.h>

namespace
{
int fail(const char *what)
{
    std::fprintf(stderr, "from_cpp: %s\n", what);
    return 1;
}
} // namespace

int main()
{
    if (std::strlen(TUSK_VERSION) == 0 || std::strlen(tusk_err_text(TUSK_EPROTO)) == 0) {
        return fail("no version or error text");
    }
    tusk_buf buf;
    tusk_buf_init(&buf, tusk_mem_default(), 8);
    if (tusk_buf_append_str(&buf, "12345678") != TUSK_OK ||
        tusk_buf_append_str(&buf, "9") != TUSK_ETOOBIG) {
        return fail("a buffer's limit");
    }
    tusk_buf_consume(&buf, 4);
    if (!tusk_bytes_eq(tusk_buf_view(&buf), tusk_bytes_str("5678"))) {
        return fail("a buffer's view");
    }
    tusk_buf_fini(&buf);

    tusk_loop *loop = nullptr;
    if (tusk_loop_new(&loop, nullptr) != TUSK_OK || tusk_loop_turn(loop, 0) != TUSK_OK) {
        return fail("a loop");
    }
    std::printf("from_cpp: %s, driver %s\n", TUSK_VERSION, tusk_loop_driver(loop));
    tusk_loop_free(loop);
    return 0;
}
