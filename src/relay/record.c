/* SPDX-License-Identifier: MIT */
/* The record of a session, told once at its end. */
#include "relay/inner.h"

void tusk_relay_records(tusk_relay *self, bool wanted)
{
    self->unrecorded = !wanted;
}

void relay_record_tell(const relay_session *session, tusk_relay_record *record)
{
    const relay_door *door = session->door;
    const tusk_relay *relay = door->relay;
    if (!relay_record_wanted(relay)) {
        return;
    }
    uint64_t passed_ns = tusk_loop_now_ns(relay->loop) - session->began_ns;
    record->kind = relay->kind;
    record->listener = tusk_bytes_str(door->gate.text);
    record->duration_us = passed_ns / 1000u;
    record->began_wall_ms = tusk_loop_wall_ms() - passed_ns / 1000000u;
    relay->handler->on_access(relay->user, record);
}
