/* SPDX-License-Identifier: MIT */
/* Until when certificates are good, and what is said of it while they are served: each thing once.
 */
#define _GNU_SOURCE
#include "net/tls.h"

#if defined(TUSK_HAVE_OPENSSL)

#include <stdio.h>
#include <time.h>

#include "net/tls_context.h"

#define DAY INT64_C(86400)
#define SOON (14 * DAY)
#define SOON_PART 4 /* of its life, for those that live for weeks or days */

enum { VALID, EXPIRES_SOON, EXPIRES_IN_A_DAY, NOT_YET, EXPIRED };

static int stage_of(const certificate *self, int64_t now)
{
    int64_t quarter = (self->not_after - self->not_before) / SOON_PART;
    int64_t soon = quarter < SOON ? quarter : SOON;
    int64_t left = self->not_after - now;
    if (now < self->not_before) {
        return NOT_YET;
    }
    return left < 0                   ? EXPIRED
           : left < DAY && soon > DAY ? EXPIRES_IN_A_DAY
           : left < soon              ? EXPIRES_SOON
                                      : VALID;
}

enum { DAY_MAX = 32 };
static void show_day(char day[DAY_MAX], int64_t at)
{
    time_t bound = (time_t)at;
    struct tm when;
    if (gmtime_r(&bound, &when) == NULL || strftime(day, DAY_MAX, "%Y-%m-%d", &when) == 0) {
        (void)snprintf(day, DAY_MAX, "?");
    }
}

static void say(const certificate *self, int stage, int64_t now, const reason_text *text)
{
    char day[DAY_MAX];
    show_day(day, stage == NOT_YET ? self->not_before : self->not_after);
    if (stage == NOT_YET) {
        tusk__tls_explain(text,
                          "certificate file '%s' is not valid before %s, so clients refuse it: "
                          "is the clock right?",
                          self->certificate_file, day);
    } else if (stage == EXPIRED) {
        tusk__tls_explain(text,
                          "certificate file '%s' has expired on %s, so clients refuse it: renew "
                          "it, then send SIGHUP",
                          self->certificate_file, day);
    } else {
        int64_t hours = (self->not_after - now) / 3600;
        tusk__tls_explain(text,
                          "warning: certificate file '%s' expires on %s, in %d %s: renew it; a "
                          "changed file is read by itself, or at SIGHUP",
                          self->certificate_file, day, (int)(hours < 48 ? hours : hours / 24),
                          hours < 48 ? "hours" : "days");
    }
}

static bool crl_warns(tusk_tls *self, int64_t now, const reason_text *text)
{
    bool is_old = self->crl_file != NULL && now > self->crl_until;
    bool news = is_old && !self->crl_told;
    self->crl_told = is_old;
    if (news) {
        char day[DAY_MAX];
        show_day(day, self->crl_until);
        tusk__tls_explain(text,
                          "CRL file '%s' has a list that was to be followed by another one on %s, "
                          "so clients of its authority are refused: renew it; a changed file is "
                          "read by itself, or at SIGHUP",
                          self->crl_file, day);
    }
    return news;
}

/* A clock that is set back takes back what was said, so that it is said in its time. */
bool tusk_tls_warns(tusk_tls *self, int64_t now, char *text, size_t cap)
{
    for (certificate *each = self->first; each != NULL; each = each->next) {
        int stage = each->certificate_file == NULL ? VALID : stage_of(each, now);
        bool news = stage > each->told;
        each->told = (uint8_t)stage;
        if (news) {
            say(each, stage, now, &(reason_text){text, cap});
            return true;
        }
    }
    return crl_warns(self, now, &(reason_text){text, cap});
}

bool tusk_tls_validity_at(const tusk_tls *self, size_t index, tusk_tls_validity *out)
{
    const certificate *at = self->first;
    while (at != NULL && index-- > 0) {
        at = at->next;
    }
    if (at == NULL || at->certificate_file == NULL) {
        return false;
    }
    *out = (tusk_tls_validity){.file = at->certificate_file,
                               .server_name = at->server_name,
                               .not_before = at->not_before,
                               .not_after = at->not_after};
    return true;
}

#else

typedef int tusk__tls_validity_is_not_built; /* an empty file would not be C */

#endif
