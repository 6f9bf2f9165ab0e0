/* SPDX-License-Identifier: MIT */
/* Whom workers are: found by name before anything is forked, taken in the worker for good. */
#define _GNU_SOURCE
#include "crew/inner.h"

#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NUMBER_MAX UINT32_C(0xfffffffe)

/* Digits alone are a number. */
static bool number_of(const char *text, uint32_t *out)
{
    uint64_t value = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9' && value <= NUMBER_MAX; at++) {
        value = value * 10 + (uint64_t)(*at - '0');
    }
    *out = (uint32_t)value;
    return *at == '\0' && at != text && value <= NUMBER_MAX;
}

static tusk_err find_user(tusk_identity *out, const char *user)
{
    uint32_t number = 0;
    bool is_number = number_of(user, &number);
    const struct passwd *entry = is_number ? getpwuid(number) : getpwnam(user);
    if (entry == NULL && !is_number) {
        return TUSK_ENOENT;
    }
    out->uid = entry == NULL ? number : (uint32_t)entry->pw_uid;
    out->gid = entry == NULL ? number : (uint32_t)entry->pw_gid;
    int len = entry == NULL ? 0 : snprintf(out->user, sizeof(out->user), "%s", entry->pw_name);
    return len < 0 || (size_t)len >= sizeof(out->user) ? TUSK_EINVAL : TUSK_OK;
}

static tusk_err find_group(tusk_identity *out, const char *group)
{
    uint32_t number;
    if (number_of(group, &number)) {
        out->gid = number;
        return TUSK_OK;
    }
    const struct group *entry = getgrnam(group);
    if (entry == NULL) {
        return TUSK_ENOENT;
    }
    out->gid = (uint32_t)entry->gr_gid;
    return TUSK_OK;
}

tusk_err tusk_identity_find(tusk_identity *out, const char *user, const char *group)
{
    bool has_user = user != NULL && user[0] != '\0';
    bool has_group = group != NULL && group[0] != '\0';
    *out = (tusk_identity){
        .given = has_user || has_group, .uid = (uint32_t)geteuid(), .gid = (uint32_t)getegid()};
    tusk_err err = has_user ? find_user(out, user) : TUSK_OK;
    return err == TUSK_OK && has_group ? find_group(out, group) : err;
}

/* Groups before the user, as nobody but root may change them. What was dropped must not come back:
 * that is tried. */
tusk_err crew_identity_take(const tusk_identity *identity)
{
    if (!identity->given) {
        return TUSK_OK;
    }
    gid_t gid = (gid_t)identity->gid;
    uid_t uid = (uid_t)identity->uid;
    bool root = geteuid() == 0;
    if (root &&
        (identity->user[0] != '\0' ? initgroups(identity->user, gid) : setgroups(1, &gid)) != 0) {
        return TUSK_ESYS;
    }
    if (setgid(gid) != 0 || setuid(uid) != 0) {
        return TUSK_ESYS;
    }
    if (uid != 0 && (setuid(0) == 0 || geteuid() != uid || getegid() != gid)) {
        return TUSK_EACCES;
    }
    return TUSK_OK;
}
