/* SPDX-License-Identifier: MIT */
/* What stands behind the chunks of a body, through the HTTP proxy. */
#include "http_rig.h"

static void chunks_and_trailers_are_passed_on(void **state)
{
    (void)state;
    rig_start();
    int client = rig_client();
    rig_send(client, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                     "3;ext=1\r\nabc\r\n0\r\nX-Up: 1\r\nHost: evil\r\n\r\n");
    int backend = rig_accept(h.listener);
    rig_expect(backend, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                        "3\r\nabc\r\n0\r\nX-Up: 1\r\n\r\n");
    rig_send(backend,
             "HTTP/1.1 200 OK\r\nDate: D\r\nTransfer-Encoding: chunked\r\nTrailer: X-Down\r\n\r\n"
             "2\r\nhi\r\n0\r\nX-Down: 2\r\nContent-Length: 9\r\n\r\n");
    rig_expect(client,
               "HTTP/1.1 200 OK\r\nDate: D\r\nTrailer: X-Down\r\nTransfer-Encoding: chunked\r\n\r\n"
               "2\r\nhi\r\n0\r\nX-Down: 2\r\n\r\n");
    http_round(client, backend);
    (void)close(client);
    (void)close(backend);
}

/* RFC 9110, 7.6.1: trailers may be of one hop as well. Who names fields of its own has none passed
 * on, in either direction. */
static void trailers_of_one_hop_end_here(void **state)
{
    (void)state;
    rig_start();
    int client = rig_client();
    rig_send(client, "POST / HTTP/1.1\r\nHost: a\r\nConnection: X-Up\r\n"
                     "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-Up: 1\r\n\r\n");
    int backend = rig_accept(h.listener);
    rig_expect(backend, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                        "3\r\nabc\r\n0\r\n\r\n");
    rig_send(backend, "HTTP/1.1 200 OK\r\nDate: D\r\nTransfer-Encoding: chunked\r\n"
                      "Connection: keep-alive, x-down\r\n\r\n"
                      "2\r\nhi\r\n0\r\nX-Down: 2\r\n\r\n");
    rig_expect(client, "HTTP/1.1 200 OK\r\nDate: D\r\nTransfer-Encoding: chunked\r\n\r\n"
                       "2\r\nhi\r\n0\r\n\r\n");
    http_round(client, backend);
    (void)close(client);
    (void)close(backend);
}

/* RFC 9112, 5.1: removed from an answer before it goes on; in requests it is refused. */
static void white_space_before_a_colon_ends_here(void **state)
{
    (void)state;
    rig_start();
    int client = rig_client();
    rig_send(client, http_get);
    int backend = rig_accept(h.listener);
    rig_expect(backend, http_get);
    rig_send(backend,
             "HTTP/1.1 103 X\r\nLink : </a>\r\n\r\nHTTP/1.1 200 OK\r\nDate\t: D\r\nA: 1\r\n"
             "X-A \t :b\r\nConnection : X-Own\r\nX-Own : 1\r\nB: 2\r\n"
             "Transfer-Encoding : chunked\r\nX-Last  : c\r\n\r\n"
             "2\r\nhi\r\n0\r\nX-Down \t: 2\r\nVia : x\r\n\r\n");
    rig_expect(client, "HTTP/1.1 103 X\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nDate: D\r\nA: 1\r\n"
                       "X-A:b\r\nB: 2\r\nX-Last: c\r\nTransfer-Encoding: chunked\r\n\r\n"
                       "2\r\nhi\r\n0\r\n\r\n");
    http_round(client, backend);
    rig_send(client, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                     "0\r\nX-Up : 1\r\n\r\n");
    http_expect_refusal(client, "400 Bad Request", true);
    (void)close(client);
    (void)close(backend);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        http_test(chunks_and_trailers_are_passed_on),
        http_test(trailers_of_one_hop_end_here),
        http_test(white_space_before_a_colon_ends_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
