/* SPDX-License-Identifier: MIT */
/* A message's frame, encoded once for many connections (tusk_frame_memo). */
#ifndef SERVE_FRAME_MEMO_H
#define SERVE_FRAME_MEMO_H

#include <tusk/server.h>

/* The frame becomes the run's current one. TUSK_ENOMEM: it has none then. */
tusk_err tusk__frame_run_encode(tusk_frame_run *self, const tusk_mem *mem, uint8_t flags,
                                uint8_t opcode, tusk_bytes payload);

#endif
