/* SPDX-License-Identifier: MIT */
/* Results: what the workers counted, merged; intervals as they end. */
#include <tusk/load.h>

#include <string.h>

#include "base/mem.h"
#include "load/inner.h"

#define SECOND 1e9
#define SLOTS_MAX ((size_t)1 << 16)

/* ---- intervals ---- */
static bool stands_before(const load_kept *self, const load_slice *slice)
{
    return self->phase != slice->phase ? self->phase < slice->phase : self->index < slice->index;
}

static load_kept *place_for(tusk_load *self, const load_slice *slice)
{
    load_kept **at = &self->first;
    while (*at != NULL && stands_before(*at, slice)) {
        at = &(*at)->next;
    }
    if (*at != NULL && (*at)->phase == slice->phase && (*at)->index == slice->index) {
        return *at;
    }
    load_kept *made = tusk__new(self->mem, sizeof(*made));
    if (made != NULL) {
        made->phase = slice->phase;
        made->index = slice->index;
        made->start_ns = slice->start_ns;
        tusk_buf_init(&made->response, self->mem, SIZE_MAX);
        made->next = *at;
        *at = made;
    }
    return made;
}

/* The encoded histogram of `kept` and `more` together; without memory it stays what it was. */
static void add_response(tusk_load *self, load_kept *kept, tusk_hist *more)
{
    tusk_hist *sum = NULL;
    if (kept->response.len > 0) {
        (void)tusk_hist_decode(&sum, self->mem, tusk_buf_view(&kept->response), SLOTS_MAX);
        if (sum == NULL || tusk_hist_merge(sum, more) != TUSK_OK) {
            tusk_hist_free(sum);
            return;
        }
    }
    tusk_buf_clear(&kept->response);
    (void)tusk_hist_encode(sum == NULL ? more : sum, &kept->response);
    tusk_hist_free(sum);
}

static void take_slice(tusk_load *self, const load_slice *slice)
{
    load_kept *kept = place_for(self, slice);
    if (kept == NULL) {
        return;
    }
    kept->parts++;
    kept->end_ns = slice->end_ns > kept->end_ns ? slice->end_ns : kept->end_ns;
    kept->start_ns = slice->start_ns < kept->start_ns ? slice->start_ns : kept->start_ns;
    for (size_t i = 0; i < LOAD_COUNTER_COUNT; i++) {
        kept->counters[i] += slice->counters[i];
    }
    add_response(self, kept, slice->response);
}

void tusk__load_collect(tusk_load *self)
{
    for (uint32_t i = 0; i < self->board->workers; i++) {
        load_cell *cell = &self->board->cells[i];
        uint64_t read = atomic_load(&cell->slices_read);
        for (; read < atomic_load(&cell->slices_done); read++) {
            take_slice(self, &cell->ring[read % LOAD_RING]);
            atomic_store(&cell->slices_read, read + 1);
        }
    }
}

/* Every worker that could still add to it is past it. */
static bool is_complete(const tusk_load *self, const load_kept *kept)
{
    if (kept->parts == self->board->workers || self->finished) {
        return true;
    }
    for (uint32_t i = 0; i < self->board->workers; i++) {
        const load_cell *cell = &self->board->cells[i];
        uint64_t done = atomic_load(&cell->slices_done);
        if (atomic_load(&cell->phase) > kept->phase || self->ends[i].seen) {
            continue;
        }
        const load_slice *last = &cell->ring[(done + LOAD_RING - 1) % LOAD_RING];
        if (done == 0 || last->phase < kept->phase ||
            (last->phase == kept->phase && last->index < kept->index)) {
            return false;
        }
    }
    return true;
}

static void drop_kept(tusk_load *self, load_kept *kept)
{
    if (kept != NULL) {
        tusk_buf_fini(&kept->response);
        tusk__free(self->mem, kept, sizeof(*kept));
    }
}

bool tusk_load_next_interval(tusk_load *self, tusk_load_interval *out)
{
    drop_kept(self, self->shown);
    tusk_hist_free(self->shown_response);
    self->shown = NULL;
    self->shown_response = NULL;
    if (self->board == NULL || self->first == NULL || !is_complete(self, self->first)) {
        return false;
    }
    self->shown = self->first;
    self->first = self->shown->next;
    tusk_bytes encoded = tusk_buf_view(&self->shown->response);
    if (tusk_hist_decode(&self->shown_response, self->mem, encoded, SLOTS_MAX) != TUSK_OK &&
        tusk_hist_new(&self->shown_response, self->mem, tusk__load_range) != TUSK_OK) {
        return false;
    }
    out->start = (double)(int64_t)(self->shown->start_ns - self->board->start_ns) / SECOND;
    out->length = (double)(self->shown->end_ns - self->shown->start_ns) / SECOND;
    out->phase = tusk__load_phase_name(self->shown->phase);
    out->response = self->shown_response;
    out->counters = self->shown->counters;
    return true;
}

void tusk__load_collect_fini(tusk_load *self)
{
    drop_kept(self, self->shown);
    tusk_hist_free(self->shown_response);
    while (self->first != NULL) {
        load_kept *kept = self->first;
        self->first = kept->next;
        drop_kept(self, kept);
    }
}

/* ---- sums ---- */
const char *tusk_load_counter(const tusk_load *self, size_t i, bool measured, uint64_t *value)
{
    *value = 0;
    for (uint32_t w = 0; self->board != NULL && i < LOAD_COUNTER_COUNT && w < self->board->workers;
         w++) {
        const load_cell *cell = &self->board->cells[w];
        bool total = !measured || tusk__load_is_gauge(i);
        *value += total ? cell->totals[i] : cell->measured[i];
    }
    return tusk__load_counter_name(i);
}

/* In the closed model an operation begins when it is due: service is response. */
static size_t source_of(const tusk_load *self, size_t which)
{
    return which == LOAD_HIST_SERVICE && self->plan.rate <= 0 ? (size_t)LOAD_HIST_RESPONSE : which;
}

tusk_err tusk_load_histogram(const tusk_load *self, const char *name, tusk_hist **out)
{
    *out = NULL;
    size_t which = 0;
    while (tusk__load_hist_name(which) != NULL && strcmp(tusk__load_hist_name(which), name) != 0) {
        which++;
    }
    if (which == LOAD_HIST_COUNT) {
        return TUSK_ENOENT;
    }
    tusk_err err = tusk_hist_new(out, self->mem, tusk__load_range);
    which = source_of(self, which);
    for (uint32_t i = 0; err == TUSK_OK && self->board != NULL && i <= self->board->workers; i++) {
        err = tusk_hist_merge(*out, self->board->cells[i].hists[which]);
    }
    return err;
}

bool tusk_load_worker_at(const tusk_load *self, size_t i, tusk_load_worker *out)
{
    if (self->board == NULL || i >= self->board->workers) {
        return false;
    }
    const load_cell *cell = &self->board->cells[i];
    out->pid = self->pids[i];
    out->phase = tusk__load_phase_name(atomic_load(&cell->phase));
    out->user = (double)cell->user_ns / SECOND;
    out->system = (double)cell->system_ns / SECOND;
    out->switches = cell->switches;
    out->error = self->ends[i].error[0] != '\0'       ? self->ends[i].error
                 : atomic_load(&cell->has_error) != 0 ? cell->error
                                                      : NULL;
    return true;
}

/* Its place among all workers' samples; false past the last. */
static bool sample_place(const tusk_load *self, size_t i, size_t *place)
{
    for (uint32_t w = 0; self->board != NULL && w < self->board->workers; w++) {
        uint64_t done = atomic_load(&self->board->cells[w].samples_done);
        if (i < done) {
            *place = w * self->board->samples_each + i;
            return true;
        }
        i -= done;
    }
    return false;
}

bool tusk_load_sample_at(const tusk_load *self, size_t i, tusk_load_sample *out)
{
    size_t place;
    if (!sample_place(self, i, &place)) {
        return false;
    }
    *out = self->board->samples[place];
    return true;
}

size_t tusk_load_exchanges_at(const tusk_load *self, size_t i, const uint64_t **times)
{
    size_t place;
    size_t n = 0;
    *times = NULL;
    if (sample_place(self, i, &place)) {
        *times = self->board->exchanges + place * self->board->exchanges_each * 2;
        while (n < self->board->exchanges_each && (*times)[2 * n] != 0) {
            n++;
        }
    }
    return n;
}

/* ---- facts ---- */
static uint64_t window_sum(const tusk_load *self, load_counter which)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < self->board->workers; i++) {
        sum += self->board->cells[i].window[which];
    }
    return sum;
}

static double window_seconds(const tusk_load *self)
{
    uint64_t from = UINT64_MAX;
    uint64_t to = 0;
    for (uint32_t i = 0; i < self->board->workers; i++) {
        const load_cell *cell = &self->board->cells[i];
        if (cell->measure_from_ns != 0) {
            from = cell->measure_from_ns < from ? cell->measure_from_ns : from;
            to = cell->measure_to_ns > to ? cell->measure_to_ns : to;
        }
    }
    return to > from ? (double)(to - from) / SECOND : 0;
}

/* The first cell whose worker made a TLS connection, or the first. */
static const load_cell *secured_cell(const tusk_load *self)
{
    for (uint32_t i = 0; i < self->board->workers; i++) {
        if (self->board->cells[i].tls_version[0] != '\0') {
            return &self->board->cells[i];
        }
    }
    return &self->board->cells[0];
}

bool tusk_load_fact_at(const tusk_load *self, size_t i, tusk_load_fact *out)
{
    static const struct {
        const char *name;
        load_counter which;
    } sums[] = {
        {"window_completed", LOAD_COMPLETED},   {"window_sent", LOAD_SENT},
        {"window_received", LOAD_RECEIVED},     {"window_opened", LOAD_OPENED},
        {"window_bytes_sent", LOAD_BYTES_SENT}, {"window_bytes_received", LOAD_BYTES_RECEIVED}};
    enum { FIRST_SUM = 7 };
    *out = (tusk_load_fact){.whole = true};
    if (self->board == NULL) {
        return false;
    }
    switch (i) {
    case 0:
        out->name = "window";
        out->number = window_seconds(self);
        out->whole = false;
        break;
    case 1:
        out->name = "started";
        out->number = (double)self->board->wall_s;
        break;
    case 2:
        out->name = "workers";
        out->number = (double)self->board->workers;
        break;
    case 3:
        out->name = "sources";
        out->number = (double)self->plan.sources;
        break;
    case 4:
        out->name = "run_id";
        out->number = (double)self->plan.run_id;
        break;
    case 5:
        out->name = "tls_version";
        out->text = secured_cell(self)->tls_version;
        break;
    case 6:
        out->name = "tls_cipher";
        out->text = secured_cell(self)->tls_cipher;
        break;
    default:
        if (i - FIRST_SUM >= sizeof(sums) / sizeof(sums[0])) {
            return false;
        }
        out->name = sums[i - FIRST_SUM].name;
        out->number = (double)window_sum(self, sums[i - FIRST_SUM].which);
    }
    return true;
}
