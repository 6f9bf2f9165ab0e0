/* SPDX-License-Identifier: MIT */
/* Metrics as text. */
#include <tusk/stats.h>

#include <inttypes.h>
#include <stdio.h>

#include "base/utf8.h"

/* OpenMetrics 1.0: a counter's sample ends in "_total", its family does not, also where our own
 * name has it. */
static size_t family_len(const tusk_metric *self)
{
    static const char total[] = "_total";
    size_t len = strlen(self->name);
    size_t tail = sizeof(total) - 1;
    bool has_it = self->kind == TUSK_METRIC_COUNTER && len > tail &&
                  strcmp(self->name + len - tail, total) == 0;
    return has_it ? len - tail : len;
}

tusk_err tusk_metric_label(tusk_bytes text, tusk_buf *out)
{
    bool plain = tusk_utf8_valid(text.ptr, text.len);
    tusk_err err = TUSK_OK;
    for (size_t i = 0; err == TUSK_OK && i < text.len; i++) {
        uint8_t c = text.ptr[i];
        const char *instead = c == '\n'                    ? "\\n"
                              : c == '\\'                  ? "\\\\"
                              : c == '"'                   ? "\\\""
                              : !plain && (c & 0x80u) != 0 ? "?"
                                                           : NULL;
        err = instead == NULL ? tusk_buf_append(out, &c, 1) : tusk_buf_append_str(out, instead);
    }
    return err;
}

tusk_err tusk_metric_text(const tusk_metric *self, const char *prefix, uint64_t value,
                          tusk_buf *out)
{
    bool counts = self->kind == TUSK_METRIC_COUNTER;
    char number[32];
    char family[64];
    (void)snprintf(family, sizeof(family), "%.*s", (int)family_len(self), self->name);
    (void)snprintf(number, sizeof(number), " %" PRIu64 "\n", value);
    const char *parts[] = {"# TYPE ",
                           prefix,
                           family,
                           counts ? " counter\n" : " gauge\n",
                           "# HELP ",
                           prefix,
                           family,
                           " ",
                           self->help,
                           "\n",
                           prefix,
                           family,
                           counts ? "_total" : "",
                           number};
    tusk_err err = TUSK_OK;
    for (size_t i = 0; err == TUSK_OK && i < sizeof(parts) / sizeof(parts[0]); i++) {
        err = tusk_buf_append_str(out, parts[i]);
    }
    return err;
}

tusk_err tusk_metrics_text(const tusk_metric_table *self, const char *prefix, const void *stats,
                           tusk_buf *out)
{
    tusk_err err = TUSK_OK;
    for (size_t i = 0; err == TUSK_OK && i < self->count; i++) {
        const tusk_metric *row = &self->rows[i];
        if (row->name != NULL) {
            err = tusk_metric_text(row, prefix, tusk_metric_value(row, stats), out);
        }
    }
    return err;
}
