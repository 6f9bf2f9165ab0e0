/* SPDX-License-Identifier: MIT */
/* One message to many by single sends: what they get, what it costs, and who keeps what. */
#define _GNU_SOURCE
#include "rig.h"

enum { CROWD = 5, MANY = 200 };

static const char pmce_upgrade[] =
    "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n";

typedef struct crowd {
    rig r;
    tusk_frame_memo memo;
    int fds[CROWD];
    tusk_handle sessions[CROWD];
} crowd;

/* The last `packed` of them agree on permessage-deflate. */
static void crowd_init(crowd *self, int packed)
{
    memset(self, 0, sizeof(*self));
    rig_init(&self->r, NULL);
    for (int i = 0; i < CROWD; i++) {
        char text[2048];
        self->fds[i] = rig_connect(&self->r);
        if (i < CROWD - packed) {
            rig_write(self->fds[i], rig_upgrade, sizeof(rig_upgrade) - 1);
        } else {
            rig_write(self->fds[i], pmce_upgrade, sizeof(pmce_upgrade) - 1);
        }
        rig_turn(&self->r, 3);
        rig_read(self->fds[i], text, sizeof(text));
        assert_non_null(strstr(text, "HTTP/1.1 101 "));
        self->sessions[i] = self->r.last;
    }
}

static void crowd_fini(crowd *self)
{
    for (int i = 0; i < CROWD; i++) {
        close(self->fds[i]);
    }
    rig_turn(&self->r, 3);
    rig_fini(&self->r);
    tusk_frame_memo_fini(&self->memo);
}

static void send_to_all(crowd *self, tusk_bytes payload)
{
    tusk_frame_memo_clear(&self->memo);
    for (int i = 0; i < CROWD; i++) {
        assert_err(tusk_websocket_send(self->r.server, self->sessions[i], TUSK_WS_BINARY, payload,
                                       NULL, &self->memo),
                   TUSK_OK);
    }
}

static void assert_frame(const uint8_t **at, uint8_t first, tusk_bytes payload)
{
    uint8_t head[TUSK_WS_HEAD_MAX];
    size_t head_len = tusk_ws_head_encode(head, first & 0xf0, first & 0x0f, payload.len, NULL);
    assert_memory_equal(*at, head, head_len);
    assert_memory_equal(*at + head_len, payload.ptr, payload.len);
    *at += head_len + payload.len;
}

static uint64_t send_calls(const crowd *self)
{
    tusk_server_stats stats;
    tusk_server_stats_get(self->r.server, &stats);
    return stats.send_calls;
}

static void messages_of_a_turn_leave_each_connection_in_one_piece(void **state)
{
    (void)state;
    static char text[1 << 16];
    uint8_t payload[MANY] = {0};
    crowd c;
    crowd_init(&c, 0);
    uint64_t calls = send_calls(&c);
    for (uint8_t n = 0; n < 20; n++) {
        memset(payload, n, n);
        send_to_all(&c, tusk_bytes_of(payload, n));
    }
    tusk_blob *blob = c.memo.plain.blob;
    assert_int_equal(blob->refs, 1 + CROWD);
    rig_turn(&c.r, 1);
    assert_int_equal(send_calls(&c), calls + CROWD);
    assert_int_equal(blob->refs, 1);
    for (int i = 0; i < CROWD; i++) {
        size_t len = rig_read(c.fds[i], text, sizeof(text));
        const uint8_t *at = (const uint8_t *)text;
        for (uint8_t n = 0; n < 20; n++) {
            memset(payload, n, n);
            assert_frame(&at, 0x82, tusk_bytes_of(payload, n));
        }
        assert_ptr_equal(at, text + len);
    }
    send_to_all(&c, tusk_bytes_of(payload, 1));
    assert_ptr_equal(c.memo.plain.blob, blob); /* begun anew: nobody's queue referred to it */
    assert_int_equal(c.memo.plain.start, 0);
    crowd_fini(&c);
}

static void messages_of_every_size_arrive_in_order(void **state)
{
    (void)state;
    static const size_t sizes[] = {1,     125,  126,  4000, 4200, 9,
                                   60000, 3000, 3000, 3000, 3000, 70000};
    static uint8_t payload[70000];
    static char text[1 << 19];
    crowd c;
    crowd_init(&c, 0);
    size_t lens[CROWD] = {0};
    for (size_t n = 0; n < sizeof(sizes) / sizeof(sizes[0]); n++) {
        memset(payload, 'a' + (int)n, sizes[n]);
        send_to_all(&c, tusk_bytes_of(payload, sizes[n]));
    }
    uint8_t *all[CROWD];
    for (int i = 0; i < CROWD; i++) {
        all[i] = malloc(sizeof(text));
    }
    for (int turn = 0; turn < 200; turn++) {
        rig_turn(&c.r, 1);
        for (int i = 0; i < CROWD; i++) {
            size_t len = rig_read(c.fds[i], text, sizeof(text));
            memcpy(all[i] + lens[i], text, len);
            lens[i] += len;
        }
    }
    for (int i = 0; i < CROWD; i++) {
        const uint8_t *at = all[i];
        for (size_t n = 0; n < sizeof(sizes) / sizeof(sizes[0]); n++) {
            memset(payload, 'a' + (int)n, sizes[n]);
            assert_frame(&at, 0x82, tusk_bytes_of(payload, sizes[n]));
        }
        assert_ptr_equal(at, all[i] + lens[i]);
        free(all[i]);
    }
    crowd_fini(&c);
}

/* The compressed frame is another one than the plain one, and each is made once. */
static void plain_and_compressed_receivers_each_get_their_form(void **state)
{
    (void)state;
    char text[4096];
    uint8_t payload[1000];
    crowd c;
    memset(payload, 'x', sizeof(payload));
    crowd_init(&c, 2);
    send_to_all(&c, tusk_bytes_of(payload, sizeof(payload)));
    assert_int_equal(c.memo.plain.blob->refs, 1 + CROWD - 2);
    assert_int_equal(c.memo.deflated.blob->refs, 1 + 2);
    rig_turn(&c.r, 1);
    for (int i = 0; i < CROWD; i++) {
        size_t len = rig_read(c.fds[i], text, sizeof(text));
        const uint8_t *at = (const uint8_t *)text;
        if (i < CROWD - 2) {
            assert_frame(&at, 0x82, tusk_bytes_of(payload, sizeof(payload)));
            assert_ptr_equal(at, text + len);
        } else {
            assert_int_equal((uint8_t)text[0], 0xc2);
            assert_in_range(len, 4, 100);
        }
    }
    crowd_fini(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_of_a_turn_leave_each_connection_in_one_piece),
        cmocka_unit_test(messages_of_every_size_arrive_in_order),
        cmocka_unit_test(plain_and_compressed_receivers_each_get_their_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
