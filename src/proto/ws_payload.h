/* SPDX-License-Identifier: MIT */
/* The payload of a decoder's unfinished message: where it lies, how it grows, what is done to its
 * bytes. Parts of the message decoder, which owns the state. */
#ifndef PROTO_WS_PAYLOAD_H
#define PROTO_WS_PAYLOAD_H

#include <tusk/ws.h>

/* How many more bytes it may take unasked. */
size_t tusk__payload_room(const tusk_ws_decoder *self);
/* tusk_ws_decoder_wants, inside a data frame. */
size_t tusk__payload_wants(const tusk_ws_decoder *self, size_t *most);
/* Room for `more` bytes that have arrived, no more than tusk__payload_room. Doubles, so that a
 * message in many fragments costs linear time. */
tusk_err tusk__payload_reserve(tusk_ws_decoder *self, size_t more);
/* Raw bytes of the current frame to its end (`in` may be that place, room is reserved). */
tusk_err tusk__payload_append(tusk_ws_decoder *self, const uint8_t *in, size_t n);
/* The payload is somebody else's now. */
void tusk__payload_forget(tusk_ws_decoder *self);
/* Gives back the unfinished message and what inflates it. */
void tusk__payload_release(tusk_ws_decoder *self);

/* Compressed bytes of the current frame, `n` of which are here: how many of them were inflated
 * comes in `used`, the others are as they were. `left` is what may be made, and becomes less by
 * what was, and by more for what was read in vain; when it is used up, `stopped` is set. */
tusk_err tusk__payload_inflate_frame(tusk_ws_decoder *self, uint8_t *in, size_t n, size_t *used,
                                     size_t *left);
/* The same for bytes that are unmasked. `arrived` tells how large the first place may be. */
tusk_err tusk__payload_inflate(tusk_ws_decoder *self, tusk_bytes *piece, size_t arrived,
                               size_t *left);
/* The message's last byte was inflated: what ends it, and what the next may refer back to. */
tusk_err tusk__payload_inflated(tusk_ws_decoder *self);

#endif
