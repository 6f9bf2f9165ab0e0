/* SPDX-License-Identifier: MIT */
/* Request heads: request line, Host, the user's fields. */
#include "load/head.h"

#include <stdio.h>

#include "load/payload.h"

static tusk_err put(tusk_buf *out, const char *text)
{
    return tusk_buf_append_str(out, text);
}

static tusk_err put_path(tusk_buf *out, const load_target *target, const tusk_bytes *path,
                         tusk_bytes room)
{
    if (path != NULL) {
        return tusk__load_fill(out, *path, "{room}", room);
    }
    tusk_err err = tusk__load_fill(out, target->parts.path, "{room}", room);
    if (err == TUSK_OK && target->parts.query.ptr != NULL) {
        err = put(out, "?");
        err = err != TUSK_OK ? err : tusk__load_fill(out, target->parts.query, "{room}", room);
    }
    return err;
}

static tusk_err put_host(tusk_buf *out, const load_target *target)
{
    char port[16];
    bool is_v6 = memchr(target->parts.host.ptr, ':', target->parts.host.len) != NULL;
    (void)snprintf(port, sizeof(port), "%s:%u\r\n", is_v6 ? "]" : "", target->parts.port);
    tusk_err err = put(out, is_v6 ? "Host: [" : "Host: ");
    err =
        err != TUSK_OK ? err : tusk_buf_append(out, target->parts.host.ptr, target->parts.host.len);
    return err != TUSK_OK ? err : put(out, port);
}

tusk_err tusk__load_head_put(tusk_buf *out, const load_plan *plan, const load_target *target,
                             const char *method, const tusk_bytes *path, uint32_t room)
{
    char room_text[16];
    tusk_bytes name = tusk_bytes_of(
        room_text, (size_t)snprintf(room_text, sizeof(room_text), "%u", (unsigned)room));
    tusk_err err = put(out, method);
    err = err != TUSK_OK ? err : put(out, " ");
    err = err != TUSK_OK ? err : put_path(out, target, path, name);
    err = err != TUSK_OK ? err : put(out, " HTTP/1.1\r\n");
    err = err != TUSK_OK ? err : put_host(out, target);
    tusk_bytes rest = tusk_bytes_of(plan->header.ptr, plan->header.len);
    tusk_bytes line;
    while (err == TUSK_OK && tusk__load_next_line(&rest, &line)) {
        err = tusk__load_fill(out, line, "{room}", name);
        err = err != TUSK_OK ? err : put(out, "\r\n");
    }
    return err;
}
