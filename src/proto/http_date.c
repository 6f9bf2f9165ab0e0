/* SPDX-License-Identifier: MIT */
/* Dates of HTTP (RFC 9110, 5.6.7): written in the one form, read in all three. */
#include "proto/ascii.h"

#include <tusk/http.h>

static const char day_names[7][10] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                      "Thursday", "Friday", "Saturday"};
static const char month_names[12][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

enum { DAY_SECONDS = 86400, DATE_LEN = 29 };

struct date {
    int year, month, day; /* month from 1 */
    int hour, minute, second;
};

/* Days from 1970-01-01 of a day in the proleptic Gregorian calendar; years begin in March here, so
 * that a leap day is the last of its year, and an era is 400 of them. */
static int64_t days_of(int year, int month, int day)
{
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t era = (y >= 0 ? y : y - 399) / 400;
    int64_t of_era = y - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static void date_of_days(struct date *date, int64_t days)
{
    int64_t shifted = days + 719468;
    int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    int64_t day_of_era = shifted - era * 146097;
    int64_t of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * of_era + of_era / 4 - of_era / 100);
    int64_t month = (5 * day_of_year + 2) / 153;
    date->day = (int)(day_of_year - (153 * month + 2) / 5 + 1);
    date->month = (int)(month < 10 ? month + 3 : month - 9);
    date->year = (int)(of_era + era * 400 + (date->month <= 2));
}

static void two_digits(char *out, int value)
{
    out[0] = (char)('0' + value / 10 % 10);
    out[1] = (char)('0' + value % 10);
}

void tusk_http_date(char out[29], int64_t unix_seconds)
{
    const int64_t last =
        INT64_C(253402300799); /* the end of the year 9999, the last that has a form */
    const int64_t first = INT64_C(-62167219200);
    int64_t at = unix_seconds > last ? last : unix_seconds < first ? first : unix_seconds;
    int64_t days = (at >= 0 ? at : at - (DAY_SECONDS - 1)) / DAY_SECONDS;
    int seconds = (int)(at - days * DAY_SECONDS);
    struct date date;
    date_of_days(&date, days);
    memcpy(out, "Sun, 06 Nov 1994 08:49:37 GMT", DATE_LEN);
    memcpy(out, day_names[((days + 4) % 7 + 7) % 7], 3);
    two_digits(out + 5, date.day);
    memcpy(out + 8, month_names[date.month - 1], 3);
    two_digits(out + 12, date.year / 100);
    two_digits(out + 14, date.year);
    two_digits(out + 17, seconds / 3600);
    two_digits(out + 20, seconds / 60 % 60);
    two_digits(out + 23, seconds % 60);
}

/* ---- reading ---- */
/* In a pattern: "d" stands for a digit, "_" for a space or digit, "%" for anything, other
 * characters for themselves. */
static bool has_shape(const uint8_t *text, const char *shape)
{
    for (size_t i = 0; shape[i] != '\0'; i++) {
        bool digit = tusk__is(text[i], TUSK__DIGIT);
        bool fine = shape[i] == 'd'   ? digit
                    : shape[i] == '_' ? digit || text[i] == ' '
                                      : text[i] == (uint8_t)shape[i];
        if (shape[i] != '%' && !fine) {
            return false;
        }
    }
    return true;
}

static int number_at(const uint8_t *text, size_t digits)
{
    int value = 0;
    for (size_t i = 0; i < digits; i++) {
        value = value * 10 + (text[i] == ' ' ? 0 : text[i] - '0');
    }
    return value;
}

static int month_at(const uint8_t *text)
{
    for (int i = 0; i < 12; i++) {
        if (memcmp(text, month_names[i], 3) == 0) {
            return i + 1;
        }
    }
    return 0;
}

static void read_clock(struct date *date, const uint8_t *text)
{
    date->hour = number_at(text, 2);
    date->minute = number_at(text + 3, 2);
    date->second = number_at(text + 6, 2);
}

/* Bytes of the day's name, whole or its first three letters; 0 when it is none. */
static size_t day_name_len(tusk_bytes text, bool whole)
{
    for (size_t i = 0; i < 7; i++) {
        size_t len = whole ? strlen(day_names[i]) : 3;
        if (text.len >= len && memcmp(text.ptr, day_names[i], len) == 0) {
            return len;
        }
    }
    return 0;
}

static int64_t seconds_of(const struct date *date)
{
    return days_of(date->year, date->month, date->day) * DAY_SECONDS + date->hour * 3600 +
           date->minute * 60 + date->second;
}

/* Of this century, unless that is more than fifty years ahead or behind (RFC 9110, 5.6.7). */
static void choose_century(struct date *date, int64_t now)
{
    struct date ahead = {0};
    struct date behind;
    int64_t days = (now >= 0 ? now : now - (DAY_SECONDS - 1)) / DAY_SECONDS;
    date_of_days(&ahead, days);
    date->year += ahead.year / 100 * 100;
    ahead.second = (int)(now - days * DAY_SECONDS);
    behind = ahead;
    ahead.year += 50;
    behind.year -= 50;
    if (seconds_of(date) > seconds_of(&ahead)) {
        date->year -= 100;
    } else if (seconds_of(date) <= seconds_of(&behind)) {
        date->year += 100;
    }
}

static bool read_date(struct date *date, tusk_bytes text, int64_t now)
{
    size_t skip = day_name_len(text, false);
    const uint8_t *at = text.ptr + skip;
    if (skip == 0) {
        return false;
    }
    if (text.len == DATE_LEN && has_shape(at, ", dd %%% dddd dd:dd:dd GMT")) {
        *date = (struct date){
            .day = number_at(at + 2, 2), .month = month_at(at + 5), .year = number_at(at + 9, 4)};
        read_clock(date, at + 14);
        return true;
    }
    if (text.len == 24 && has_shape(at, " %%% _d dd:dd:dd dddd")) {
        *date = (struct date){
            .day = number_at(at + 5, 2), .month = month_at(at + 1), .year = number_at(at + 17, 4)};
        read_clock(date, at + 8);
        return true;
    }
    skip = day_name_len(text, true);
    at = text.ptr + skip;
    if (skip > 0 && text.len == skip + 24 && has_shape(at, ", dd-%%%-dd dd:dd:dd GMT")) {
        *date = (struct date){
            .day = number_at(at + 2, 2), .month = month_at(at + 5), .year = number_at(at + 9, 2)};
        read_clock(date, at + 12);
        choose_century(date, now);
        return true;
    }
    return false;
}

static int days_in(int year, int month)
{
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap ? 1 : 0);
}

bool tusk_http_date_parse(tusk_bytes text, int64_t now, int64_t *unix_seconds)
{
    struct date date;
    if (!read_date(&date, text, now) || date.month == 0 || date.day < 1 ||
        date.day > days_in(date.year, date.month) || date.hour > 23 || date.minute > 59 ||
        date.second > 60) {
        return false;
    }
    *unix_seconds = seconds_of(&date);
    return true;
}
