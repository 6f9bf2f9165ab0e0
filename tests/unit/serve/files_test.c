/* SPDX-License-Identifier: MIT */
/* Files that change between two looks at them: what is said of one is true of the bytes that leave.
 */
#define _GNU_SOURCE
#include "serve/session.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "rig.h"

static char folder[TEST_TEMP_MAX];

static const char *in_folder(const char *name)
{
    static char paths[4][128];
    static unsigned next;
    char *path = paths[next++ % 4];
    (void)snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, char with, size_t len)
{
    FILE *file = fopen(in_folder(name), "w");
    assert_non_null(file);
    for (size_t i = 0; i < len; i++) {
        (void)fputc(with, file);
    }
    assert_int_equal(fclose(file), 0);
}

/* The whole answer, as its Content-Length says; returns the length of its body. */
static size_t get(rig *r, int fd, const char *request, char *text, size_t cap)
{
    size_t len = 0;
    rig_write(fd, request, strlen(request));
    for (int turn = 0; turn < 10000; turn++) {
        rig_turn(r, 1);
        len += rig_read(fd, text + len, cap - len);
        const char *end = strstr(text, "\r\n\r\n");
        const char *field = strstr(text, "Content-Length: ");
        if (end == NULL || field == NULL) {
            continue;
        }
        size_t head = (size_t)(end + 4 - text);
        if (len - head >= strtoul(field + 16, NULL, 10)) {
            return len - head;
        }
    }
    fail_msg("no whole answer: %.200s", text);
    return 0;
}

static char text[1 << 20];
static const char request[] = "GET /big HTTP/1.1\r\nHost: x\r\n\r\n";

static void begin(rig *r, int *fd)
{
    rig_init(r, NULL);
    const tusk_files_options options = {.directory = folder};
    assert_err(tusk_server_route_files(r->server, "/", &options), TUSK_OK);
    *fd = rig_connect(r);
    write_file("big", 'a', 200000);
    assert_int_equal(get(r, *fd, request, text, sizeof(text)), 200000);
}

static void end(rig *r, int fd)
{
    close(fd);
    rig_fini(r);
    (void)unlink(in_folder("big"));
}

static void etag_into(char *etag, size_t cap)
{
    const char *at = strstr(text, "ETag: ");
    assert_non_null(at);
    (void)snprintf(etag, cap, "%.*s", (int)strcspn(at, "\r"), at);
}

/* A deployment moves a new file over the old one within the second in which nobody looks again. */
static void a_file_replaced_by_another_has_its_own_length_and_etag(void **state)
{
    static const size_t lens[] = {300000, 150000, 70000, 100, 0};
    (void)state;
    for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
        rig r;
        int fd;
        char old[80];
        char new[80];
        begin(&r, &fd);
        etag_into(old, sizeof(old));
        write_file("next", 'b', lens[i]);
        assert_int_equal(rename(in_folder("next"), in_folder("big")), 0);
        assert_int_equal(get(&r, fd, request, text, sizeof(text)), lens[i]);
        etag_into(new, sizeof(new));
        assert_string_not_equal(old, new);
        const char *body = strstr(text, "\r\n\r\n") + 4;
        assert_int_equal(strspn(body, "b"), lens[i]);
        end(&r, fd);
    }
}

static void a_file_cut_in_place_is_as_long_as_it_is(void **state)
{
    rig r;
    int fd;
    (void)state;
    begin(&r, &fd);
    assert_int_equal(truncate(in_folder("big"), 100000), 0);
    assert_int_equal(get(&r, fd, request, text, sizeof(text)), 100000);
    end(&r, fd);
}

static void a_range_is_judged_by_the_file_that_is_there(void **state)
{
    rig r;
    int fd;
    char etag[80];
    char ranged[256];
    (void)state;
    begin(&r, &fd);
    etag_into(etag, sizeof(etag));
    write_file("next", 'b', 300000);
    assert_int_equal(rename(in_folder("next"), in_folder("big")), 0);
    (void)snprintf(ranged, sizeof(ranged),
                   "GET /big HTTP/1.1\r\nHost: x\r\nRange: bytes=199990-\r\nIf-Range: %s\r\n\r\n",
                   etag + 6);
    assert_int_equal(get(&r, fd, ranged, text, sizeof(text)),
                     300000); /* another: the whole of it */
    assert_non_null(strstr(text, " 200 OK\r\n"));
    end(&r, fd);
}

static void a_file_that_became_something_else_is_not_found(void **state)
{
    rig r;
    int fd;
    (void)state;
    begin(&r, &fd);
    assert_int_equal(unlink(in_folder("big")), 0);
    (void)get(&r, fd, request, text, sizeof(text));
    assert_non_null(strstr(text, " 404 "));
    assert_int_equal(mkfifo(in_folder("big"), 0600), 0);
    (void)get(&r, fd, request, text, sizeof(text));
    assert_non_null(strstr(text, " 404 "));
    assert_int_equal(unlink(in_folder("big")), 0);
    write_file("big", 'c', 100000); /* the connection was kept */
    assert_int_equal(get(&r, fd, request, text, sizeof(text)), 100000);
    end(&r, fd);
}

/* More than 32 bits can say, and ranges at the ends of what 64 can: nothing wraps. */
static void ranges_of_a_file_of_five_gib_are_where_they_should_be(void **state)
{
    static const struct {
        const char *range;
        const char *said; /* of the content */
        size_t len;
    } cases[] = {
        {"5368709116-", "bytes 5368709116-5368709119/5368709120", 4},
        {"-4", "bytes 5368709116-5368709119/5368709120", 4},
        {"4294967294-4294967297", "bytes 4294967294-4294967297/5368709120", 4},
        {"5368709116-9223372036854775807", "bytes 5368709116-5368709119/5368709120", 4},
        {"5368709116-18446744073709551615", "bytes 5368709116-5368709119/5368709120", 4},
        {"5368709116-18446744073709551616", "bytes 5368709116-5368709119/5368709120", 4},
        {"5368709120-", "bytes */5368709120", 0},
        {"9223372036854775807-", "bytes */5368709120", 0},
        {"18446744073709551615-18446744073709551615", "bytes */5368709120", 0},
        {"18446744073709551616-", "bytes */5368709120", 0},
        {"18446744078078260732-", "bytes */5368709120", 0}, /* 2^64 + 5 GiB - 4 */
        {"-0", "bytes */5368709120", 0},
    };
    rig r;
    int fd;
    (void)state;
    begin(&r, &fd);
    assert_int_equal(truncate(in_folder("big"), 5368709116), 0);
    FILE *file = fopen(in_folder("big"), "a");
    assert_non_null(file);
    assert_int_equal(fputs("END!", file) >= 0, 1);
    assert_int_equal(fclose(file), 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char ranged[128];
        (void)snprintf(ranged, sizeof(ranged),
                       "GET /big HTTP/1.1\r\nHost: x\r\nRange: bytes=%s\r\n\r\n", cases[i].range);
        assert_int_equal(get(&r, fd, ranged, text, sizeof(text)), cases[i].len);
        assert_non_null(strstr(text, cases[i].said));
        if (cases[i].len == 4 && strstr(cases[i].said, "5368709116-") != NULL) {
            assert_string_equal(strstr(text, "\r\n\r\n") + 4, "END!");
        }
    }
    end(&r, fd);
}

/* It is cut while it leaves: its length was promised, and the end of the connection tells. */
static void a_file_that_is_cut_while_it_leaves_ends_its_connection(void **state)
{
    rig r;
    int fd;
    size_t len = 0;
    (void)state;
    begin(&r, &fd);
    assert_int_equal(truncate(in_folder("big"), 64 << 20), 0);
    rig_write(fd, request, sizeof(request) - 1);
    rig_write(fd, request, sizeof(request) - 1);
    rig_turn(&r, 4);
    assert_int_equal(truncate(in_folder("big"), 100000), 0);
    for (int turn = 0; turn < 1000 && rig_stat(&r, "connections_open") > 0; turn++) {
        len += rig_read(fd, text, sizeof(text));
        rig_turn(&r, 1);
    }
    assert_int_equal(rig_stat(&r, "connections_open"), 0);
    assert_true(len < 32 << 20);
    end(&r, fd);
}

/* Links that lead to each other, and a small file, kept in memory, in whose place a pipe is. */
static void what_cannot_be_opened_holds_nobody_up(void **state)
{
    static const char loop[] = "GET /loop HTTP/1.1\r\nHost: x\r\n\r\n";
    static const char small[] = "GET /small HTTP/1.1\r\nHost: x\r\n\r\n";
    rig r;
    int fd;
    (void)state;
    still_begin();
    begin(&r, &fd);
    assert_int_equal(symlink("loop", in_folder("loop")), 0);
    (void)get(&r, fd, loop, text, sizeof(text));
    assert_non_null(strstr(text, " 403 "));
    write_file("small", 's', 10);
    assert_int_equal(get(&r, fd, small, text, sizeof(text)), 10);
    assert_int_equal(unlink(in_folder("small")), 0);
    assert_int_equal(mkfifo(in_folder("small"), 0600), 0);
    still_pass_ms(1100); /* it is looked at once a second */
    (void)get(&r, fd, small, text, sizeof(text));
    assert_non_null(strstr(text, " 404 "));
    assert_int_equal(unlink(in_folder("small")) | unlink(in_folder("loop")), 0);
    end(&r, fd);
    still_end();
}

static void a_file_that_no_descriptor_is_left_for_is_not_called_missing(void **state)
{
    static const char small[] = "GET /small HTTP/1.1\r\nHost: x\r\n\r\n";
    struct rlimit before;
    rig r;
    int fd;
    (void)state;
    begin(&r, &fd);
    write_file("small", 'a', 10);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    int next = dup(0);
    (void)close(next);
    const struct rlimit none = {.rlim_cur = (rlim_t)next, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    (void)get(&r, fd, small, text, sizeof(text));
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_memory_equal(text, "HTTP/1.1 503 ", 13);
    assert_non_null(strstr(text, "\r\nRetry-After: 1\r\n"));
    memset(text, 0, sizeof(text));
    assert_int_equal(get(&r, fd, small, text, sizeof(text)), 10);
    (void)unlink(in_folder("small"));
    end(&r, fd);
}

/* What many ask for is put together once a second: nobody can tell, and a part, a head alone and a
 * new file are what they were. */
static void a_file_that_many_want_is_the_same_for_each(void **state)
{
    static const char small[] = "GET /small HTTP/1.1\r\nHost: x\r\n\r\n";
    static const char part[] = "GET /small HTTP/1.1\r\nHost: x\r\nRange: bytes=0-99\r\n\r\n";
    static const char last[] = "GET /small HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    rig r;
    int fd;
    char etag[80];
    char now[80];
    (void)state;
    begin(&r, &fd);
    write_file("small", 's', 10240);
    for (int i = 0; i < 3 * READY_AFTER; i++) {
        memset(text, 0, 11000);
        assert_int_equal(get(&r, fd, small, text, sizeof(text)), 10240);
        assert_int_equal(strspn(strstr(text, "\r\n\r\n") + 4, "s"), 10240);
        etag_into(now, sizeof(now));
        assert_true(i == 0 || strcmp(etag, now) == 0);
        (void)snprintf(etag, sizeof(etag), "%s", now);
    }
    unsigned made = 0;
    for (unsigned i = 0; i < READY_MAX; i++) {
        made += r.server->files.ready.made[i] != NULL;
    }
    assert_int_equal(made, 1);
    memset(text, 0, 11000);
    assert_int_equal(get(&r, fd, part, text, sizeof(text)), 100);
    assert_non_null(strstr(text, " 206 "));
    write_file("next", 'n', 10240);
    assert_int_equal(rename(in_folder("next"), in_folder("small")), 0);
    for (;;) { /* until the cache looks again */
        memset(text, 0, 11000);
        assert_int_equal(get(&r, fd, small, text, sizeof(text)), 10240);
        if (*(strstr(text, "\r\n\r\n") + 4) == 'n') {
            break;
        }
    }
    etag_into(now, sizeof(now));
    assert_string_not_equal(etag, now);
    memset(text, 0, 11000);
    assert_int_equal(get(&r, fd, last, text, sizeof(text)), 10240);
    assert_non_null(strstr(text, "Connection: close\r\n"));
    end(&r, fd);
    (void)unlink(in_folder("small"));
}

/* The ready answer of the one is none of the other's, though file and place in the cache are one.
 */
static void two_routes_of_one_file_have_each_their_fields(void **state)
{
    static const char own[] = "X-Frame-Options: DENY\r\n";
    static const struct {
        const char *request;
        bool fields;
        const char *line;
    } asked[] = {
        {"GET /a/one HTTP/1.1\r\nHost: x\r\n\r\n", true, " 200 "},
        {"GET /b/one HTTP/1.1\r\nHost: x\r\n\r\n", false, " 200 "},
        {"GET /a/one HTTP/1.1\r\nHost: x\r\nRange: bytes=0-9\r\n\r\n", true, " 206 "},
        {"GET /a/one HTTP/1.1\r\nHost: x\r\nRange: bytes=9999999-\r\n\r\n", true, " 416 "},
        {"GET /a/one HTTP/1.1\r\nHost: x\r\nIf-Match: \"none\"\r\n\r\n", true, " 412 "},
        {"GET /a HTTP/1.1\r\nHost: x\r\n\r\n", true, " 301 "},
        {"GET /b HTTP/1.1\r\nHost: x\r\n\r\n", false, " 301 "},
        {"GET /a/none HTTP/1.1\r\nHost: x\r\n\r\n", false, " 404 "},
    };
    tusk_files_options options = {.directory = folder, .follow_symlinks = true};
    rig r;
    (void)state;
    rig_init(&r, NULL);
    options.cache_control = "private";
    assert_err(tusk_server_route_files(r.server, "/b", &options), TUSK_OK);
    options.cache_control = "no-\ncache";
    assert_err(tusk_server_route_files(r.server, "/a", &options), TUSK_EINVAL);
    options.cache_control = "max-age=5";
    options.fields = tusk_bytes_str(own);
    assert_err(tusk_server_route_files(r.server, "/a", &options), TUSK_OK);
    int fd = rig_connect(&r);
    write_file("one", 's', 1024);
    for (unsigned i = 0; i < 8 * 4 * READY_AFTER; i++) {
        unsigned which = i % 32 < 24 ? i / 64 % 2 : i % 8; /* many in a row, and by turns */
        memset(text, 0, 4096);
        (void)get(&r, fd, asked[which].request, text, sizeof(text));
        const char *at = strstr(text, own);
        const char *cache = strstr(text, "Cache-Control: max-age=5\r\n");
        assert_non_null(strstr(text, asked[which].line));
        assert_int_equal(at != NULL, asked[which].fields);
        assert_true(at == NULL || strstr(at + 1, own) == NULL);
        assert_int_equal(cache != NULL, asked[which].fields && which < 5);
    }
    close(fd);
    rig_fini(&r);
    (void)unlink(in_folder("one"));
}

static void the_server_knows_its_own_fields(void **state)
{
    (void)state;
    assert_true(tusk_files_field_own(tusk_bytes_str("etag")));
    assert_true(tusk_files_field_own(tusk_bytes_str("Content-Type")));
    assert_true(tusk_files_field_own(tusk_bytes_str("CACHE-CONTROL")));
    assert_false(tusk_files_field_own(tusk_bytes_str("Content-Security-Policy")));
    assert_false(tusk_files_field_own(tusk_bytes_str("")));
}

static void a_compressed_neighbour_is_for_who_takes_its_coding(void **state)
{
    static const struct {
        const char *accepted;
        size_t len;
    } cases[] = {{"gzip", 10},
                 {"GZIP", 10},
                 {"br, gzip", 10},
                 {"gzip;q=0.001", 10},
                 {"gzip ; q=1.0", 10},
                 {"x-gzip", 10},
                 {"gzip;q=0", 200000},
                 {"gzip;Q=0.0", 200000},
                 {"gzip; q=0.000", 200000},
                 {"gzip;q=0., br", 200000},
                 {"gzip2, xgzip", 200000},
                 {"identity", 200000}};
    rig r;
    int fd;
    char asked[256];
    (void)state;
    write_file("big.gz", 'z', 10);
    begin(&r, &fd);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        (void)snprintf(asked, sizeof(asked),
                       "GET /big HTTP/1.1\r\nHost: x\r\nAccept-Encoding: %s\r\n\r\n",
                       cases[i].accepted);
        memset(text, 0, 1024);
        assert_int_equal(get(&r, fd, asked, text, sizeof(text)), cases[i].len);
        assert_int_equal(strstr(text, "Content-Encoding: gzip\r\n") != NULL, cases[i].len == 10);
    }
    end(&r, fd);
    (void)unlink(in_folder("big.gz"));
}

/* ---- dates and tags as validators (RFC 9110, 8.8) ---- */
static void change_at(const char *name, int64_t second)
{
    const struct timespec times[2] = {{.tv_sec = (time_t)second}, {.tv_sec = (time_t)second}};
    assert_int_equal(utimensat(AT_FDCWD, in_folder(name), times, 0), 0);
}

static size_t ask(rig *r, int fd, const char *name, const char *fields)
{
    char asked[512];
    (void)snprintf(asked, sizeof(asked), "GET /%s HTTP/1.1\r\nHost: x\r\n%s\r\n", name, fields);
    memset(text, 0, 1024);
    return get(r, fd, asked, text, sizeof(text));
}

static int64_t date_in(const char *field)
{
    int64_t date = 0;
    const char *at = strstr(text, field);
    assert_non_null(at);
    at += strlen(field);
    assert_true(tusk_http_date_parse(tusk_bytes_of(at, strcspn(at, "\r")), 0, &date));
    return date;
}

static void no_file_was_modified_later_than_it_is_sent(void **state)
{
    static const struct {
        const char *name;
        size_t len;
    } ahead[] = {{"small", 10}, {"large", 200000}};
    rig r;
    int fd;
    (void)state;
    begin(&r, &fd);
    for (size_t i = 0; i < sizeof(ahead) / sizeof(ahead[0]); i++) {
        write_file(ahead[i].name, 'a', ahead[i].len);
        change_at(ahead[i].name, time(NULL) + 86400);
        for (int again = 0; again < 2; again++) {
            assert_int_equal(ask(&r, fd, ahead[i].name, ""), ahead[i].len);
            assert_int_equal(date_in("Last-Modified: "), date_in("Date: "));
        }
        (void)unlink(in_folder(ahead[i].name));
    }
    change_at("big", 1000000000);
    assert_int_equal(ask(&r, fd, "big", ""), 200000);
    assert_int_equal(date_in("Last-Modified: "), 1000000000);
    end(&r, fd);
}

/* Within the second of a change the file may change once more, and its date would be the same. */
static void a_date_is_no_strong_validator_within_its_second(void **state)
{
    static const int64_t past[] = {0, -5}; /* now, and to come */
    rig r;
    int fd;
    char fields[128];
    char date[30] = "";
    (void)state;
    begin(&r, &fd);
    for (size_t i = 0; i < sizeof(past) / sizeof(past[0]); i++) {
        int64_t now = 0;
        do { /* until one second holds it all */
            now = time(NULL);
            change_at("big", now - past[i]);
            tusk_http_date(date, now - past[i]);
            (void)snprintf(fields, sizeof(fields), "Range: bytes=0-9\r\nIf-Range: %s\r\n", date);
            (void)ask(&r, fd, "big", fields);
        } while (time(NULL) != now);
        assert_non_null(strstr(text, " 200 OK\r\n"));
    }
    change_at("big", 1000000000);
    tusk_http_date(date, 1000000000);
    (void)snprintf(fields, sizeof(fields), "Range: bytes=0-9\r\nIf-Range: %s\r\n", date);
    assert_int_equal(ask(&r, fd, "big", fields), 10);
    end(&r, fd);
}

/* What is no list and said twice is not said (RFC 9110, 13.1.3 and 13.1.4). */
static void a_condition_said_twice_is_none(void **state)
{
    static const char *const twice[] = {
        "If-Modified-Since: Sun, 09 Sep 2001 01:46:40 GMT\r\n"
        "If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT\r\n",
        "If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
        "if-unmodified-since: Sun, 09 Sep 2001 01:46:40 GMT\r\n",
        "Range: bytes=0-1\r\nX: y\r\nRange: bytes=2-3\r\n",
        "Range: bytes=0-1\r\nIf-Range: Sun, 09 Sep 2001 01:46:40 GMT\r\nIf-Range: \"x\"\r\n",
    };
    rig r;
    int fd;
    (void)state;
    begin(&r, &fd);
    change_at("big", 1000000000);
    for (size_t i = 0; i < sizeof(twice) / sizeof(twice[0]); i++) {
        assert_int_equal(ask(&r, fd, "big", twice[i]), 200000);
        assert_non_null(strstr(text, " 200 OK\r\n"));
    }
    end(&r, fd);
}

/* gzip leaves its file the time of the other, and noise its length: other bytes, so another tag. */
static void a_compressed_neighbour_has_a_tag_of_its_own(void **state)
{
    rig r;
    int fd;
    char plain[80];
    char packed[80];
    (void)state;
    begin(&r, &fd);
    write_file("same", 'a', 10);
    write_file("same.gz", 'z', 10);
    change_at("same", 1000000000);
    change_at("same.gz", 1000000000);
    assert_int_equal(ask(&r, fd, "same", ""), 10);
    etag_into(plain, sizeof(plain));
    assert_int_equal(ask(&r, fd, "same", "Accept-Encoding: gzip\r\n"), 10);
    assert_non_null(strstr(text, "Content-Encoding: gzip\r\n"));
    etag_into(packed, sizeof(packed));
    assert_string_not_equal(plain, packed);
    end(&r, fd);
    (void)unlink(in_folder("same"));
    (void)unlink(in_folder("same.gz"));
}

static int make_folder(void **state)
{
    (void)state;
    test_temp_dir(folder, "files");
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_replaced_by_another_has_its_own_length_and_etag),
        cmocka_unit_test(a_file_cut_in_place_is_as_long_as_it_is),
        cmocka_unit_test(a_range_is_judged_by_the_file_that_is_there),
        cmocka_unit_test(a_file_that_became_something_else_is_not_found),
        cmocka_unit_test(ranges_of_a_file_of_five_gib_are_where_they_should_be),
        cmocka_unit_test(a_file_that_is_cut_while_it_leaves_ends_its_connection),
        cmocka_unit_test(what_cannot_be_opened_holds_nobody_up),
        cmocka_unit_test(a_file_that_no_descriptor_is_left_for_is_not_called_missing),
        cmocka_unit_test(a_file_that_many_want_is_the_same_for_each),
        cmocka_unit_test(two_routes_of_one_file_have_each_their_fields),
        cmocka_unit_test(the_server_knows_its_own_fields),
        cmocka_unit_test(a_compressed_neighbour_is_for_who_takes_its_coding),
        cmocka_unit_test(no_file_was_modified_later_than_it_is_sent),
        cmocka_unit_test(a_date_is_no_strong_validator_within_its_second),
        cmocka_unit_test(a_condition_said_twice_is_none),
        cmocka_unit_test(a_compressed_neighbour_has_a_tag_of_its_own),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
