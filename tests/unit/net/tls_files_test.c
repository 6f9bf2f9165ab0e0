/* SPDX-License-Identifier: MIT */
/* TLS contexts: bad files are named, reloading is all or nothing. */
#define _GNU_SOURCE
#include "net/tls.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "net/listener.h"

#include "tls_pair.h"

static void finish_it(owner *self)
{
    tusk_conn_finish(&self->conn);
}

static void reload_it(owner *self)
{
    char reason[200];
    (void)self;
    assert_err(tusk_tls_reload(p.server_tls, reason, sizeof(reason)), TUSK_OK);
}

/* ---- files ---- */
static tusk_err try_files(const char *certificate, const char *key, const char *passphrase,
                          char reason[600])
{
    tusk_tls *tls;
    tusk_err err = tusk_tls_server_new(&tls,
                                       &(tusk_tls_options){.certificate_file = certificate,
                                                           .key_file = key,
                                                           .passphrase = passphrase},
                                       reason, 600);
    assert_true((tls != NULL) == (err == TUSK_OK));
    tusk_tls_unref(tls);
    return err;
}

static void bad_files_are_named_with_the_reason(void **state)
{
    (void)state;
    char reason[600];
    assert_err(try_files(in_dir("none.crt"), in_dir("main.key"), NULL, reason), TUSK_ENOENT);
    assert_non_null(strstr(reason, "none.crt"));
    assert_non_null(strstr(reason, "No such file"));
    assert_non_null(strstr(reason, "; give the path of a file in PEM form"));
    assert_err(try_files(in_dir("main.crt"), in_dir("none.key"), NULL, reason), TUSK_ENOENT);
    assert_non_null(strstr(reason, "none.key"));
    assert_err(try_files(in_dir("rubbish.pem"), in_dir("main.key"), NULL, reason), TUSK_ETLS);
    assert_non_null(strstr(reason, "rubbish.pem"));
    assert_non_null(strstr(reason, "; it has to hold the certificate"));
    assert_err(try_files(in_dir("main.crt"), in_dir("rubbish.pem"), NULL, reason), TUSK_ETLS);
    assert_non_null(strstr(reason, "rubbish.pem"));
    assert_err(try_files(in_dir("main.crt"), in_dir("exact.key"), NULL, reason), TUSK_ETLS);
    assert_non_null(strstr(reason, "does not belong"));
    assert_non_null(strstr(reason, "main.crt"));
    assert_non_null(strstr(reason, "exact.key"));
    assert_non_null(strstr(reason, "; give the key that this certificate was made for"));
    run("openssl genpkey -algorithm ed25519 -out %s/kind.key", dir); /* not even of its kind */
    assert_err(try_files(in_dir("main.crt"), in_dir("kind.key"), NULL, reason), TUSK_ETLS);
    assert_non_null(strstr(reason, "kind.key': does not belong to certificate file"));
    assert_err(try_files(in_dir("main.crt"), in_dir("locked.key"), NULL, reason), TUSK_ETLS);
    assert_non_null(strstr(reason, "; if it is encrypted, give its passphrase"));
    assert_err(try_files(in_dir("main.crt"), in_dir("locked.key"), "wrong", reason), TUSK_ETLS);
    assert_non_null(strstr(reason, "the passphrase is another one"));
    assert_err(try_files(in_dir("main.crt"), in_dir("locked.key"), "secret", reason), TUSK_OK);
    assert_string_equal(reason, "");
    assert_err(try_files(in_dir("main.crt"), NULL, NULL, reason), TUSK_EINVAL);
    assert_err(try_files(NULL, NULL, NULL, reason), TUSK_EINVAL);
    assert_err(try_files(in_dir(""), in_dir("main.key"), NULL, reason), TUSK_ETLS); /* a folder */
    tusk_tls *tls;
    assert_err(tusk_tls_client_new(
                   &tls, &(tusk_tls_options){.verify_peer = true, .ca_file = in_dir("rubbish.pem")},
                   reason, sizeof(reason)),
               TUSK_ETLS);
    assert_non_null(strstr(reason, "CA file"));
    assert_non_null(strstr(reason, "; it has to hold those of the authorities"));
    assert_err(tusk_tls_client_new(&tls, &(tusk_tls_options){.ciphers = "NO-SUCH"}, reason,
                                   sizeof(reason)),
               TUSK_EINVAL);
    assert_err(tusk_tls_client_new(&tls, &(tusk_tls_options){.min_version = 11}, NULL, 0),
               TUSK_EINVAL);
}

/* Whose certificate a new connection gets: the client trusts nothing but that one. */
static bool serves(const char *host, const char *file)
{
    char reason[200];
    tusk_tls_unref(p.client_tls);
    assert_err(tusk_tls_client_new(
                   &p.client_tls, &(tusk_tls_options){.verify_peer = true, .ca_file = in_dir(file)},
                   reason, sizeof(reason)),
               TUSK_OK);
    open_pair(host);
    RELAY_UNTIL(SIZE_MAX, p.client->readies == 1);
    bool good = p.client->ready == TUSK_OK;
    end_pair();
    return good;
}

/* Opening a pipe waits for who writes to it, and a device may have no end. */
static void what_is_no_file_is_refused_and_not_opened(void **state)
{
    static const struct {
        const char *name, *kind;
    } cases[] = {{"pipe", "a pipe"}, {"zero", "a device"}, {"folder", "a directory"}};
    char reason[600];
    char expected[64];
    (void)state;
    run("mkfifo %s/pipe; ln -s /dev/zero %s/zero; mkdir %s/folder", dir, dir, dir);
    run("cp %s/main.crt %s/moved.crt", dir, dir);
    contexts(&(tusk_tls_options){.certificate_file = in_dir("moved.crt"),
                                 .key_file = in_dir("main.key")},
             &(tusk_tls_options){0});
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *name = cases[i].name;
        (void)alarm(20); /* of a build that waits */
        (void)snprintf(expected, sizeof(expected), "%s': it is %s", name, cases[i].kind);
        assert_err(try_files(in_dir(name), in_dir("main.key"), NULL, reason), TUSK_ETLS);
        assert_non_null(strstr(reason, expected));
        assert_err(try_files(in_dir("main.crt"), in_dir(name), NULL, reason), TUSK_ETLS);
        assert_non_null(strstr(reason, expected));
        tusk_tls *tls;
        assert_err(tusk_tls_client_new(
                       &tls, &(tusk_tls_options){.verify_peer = true, .ca_file = in_dir(name)},
                       reason, sizeof(reason)),
                   TUSK_ETLS);
        assert_non_null(strstr(reason, expected));

        run("ln -sfn %s %s/moved.crt", name, dir);
        assert_true(tusk_tls_changed(p.server_tls));
        assert_err(tusk_tls_reload(p.server_tls, reason, sizeof(reason)), TUSK_ETLS);
        assert_non_null(strstr(reason, cases[i].kind));
        assert_true(serves("main.test", "main.crt"));
    }
    (void)alarm(0);
}

static void reloading_replaces_all_or_nothing(void **state)
{
    (void)state;
    char reason[200];
    run("cp %s/main.crt %s/live.crt; cp %s/main.key %s/live.key", dir, dir, dir, dir);
    run("cp %s/exact.crt %s/second.crt; cp %s/exact.key %s/second.key", dir, dir, dir, dir);
    contexts(
        &(tusk_tls_options){.certificate_file = in_dir("live.crt"), .key_file = in_dir("live.key")},
        &(tusk_tls_options){0});
    assert_err(tusk_tls_add_certificate(p.server_tls, "exact.test", in_dir("second.crt"),
                                        in_dir("second.key"), NULL, reason, sizeof(reason)),
               TUSK_OK);
    assert_true(serves("main.test", "main.crt"));
    assert_false(tusk_tls_changed(p.server_tls));

    make_certificate("next", "main.test");
    run("cp %s/next.crt %s/live.crt; cp %s/next.key %s/live.key", dir, dir, dir, dir);
    run("cp %s/rubbish.pem %s/second.key", dir, dir);
    assert_true(tusk_tls_changed(p.server_tls));
    assert_err(tusk_tls_reload(p.server_tls, reason, sizeof(reason)), TUSK_ETLS);
    assert_non_null(strstr(reason, "second.key"));
    assert_false(tusk_tls_changed(p.server_tls)); /* not asked for ever about the same fault */
    assert_true(serves("main.test", "main.crt"));
    assert_true(serves("exact.test", "exact.crt"));

    run("cp %s/exact.key %s/second.key", dir, dir);
    assert_true(tusk_tls_changed(p.server_tls));
    open_pair("main.test"); /* a handshake under way while it happens */
    turns(2);
    relay(100);
    assert_err(tusk_tls_reload(p.server_tls, reason, sizeof(reason)), TUSK_OK);
    RELAY_UNTIL(SIZE_MAX, p.client->readies == 1);
    end_pair();
    assert_true(serves("main.test", "next.crt"));
    assert_false(serves("main.test", "main.crt"));
    assert_true(serves("exact.test", "exact.crt"));
    run("rm %s/second.crt", dir);
    assert_true(tusk_tls_changed(p.server_tls));
}

/* "Not reloaded: permission denied", and then they may be read: what they hold is as it was. */
static void files_whose_permissions_are_mended_are_read_again(void **state)
{
    (void)state;
    run("cp %s/main.crt %s/live.crt", dir, dir);
    contexts(
        &(tusk_tls_options){.certificate_file = in_dir("live.crt"), .key_file = in_dir("main.key")},
        &(tusk_tls_options){0});
    assert_false(tusk_tls_changed(p.server_tls));
    run("chmod 600 %s/live.crt", dir);
    assert_true(tusk_tls_changed(p.server_tls));
}

/* As "cp -p" over it leaves it: as old and as long as the one before. */
static void a_file_that_says_it_is_as_old_as_the_one_before_has_changed(void **state)
{
    (void)state;
    run("cp %s/main.crt %s/live.crt; cp -p %s/live.crt %s/old.crt", dir, dir, dir, dir);
    contexts(
        &(tusk_tls_options){.certificate_file = in_dir("live.crt"), .key_file = in_dir("main.key")},
        &(tusk_tls_options){0});
    run("tr 'A-M' 'N-Z' < %s/old.crt > %s/live.crt; touch -r %s/old.crt %s/live.crt", dir, dir, dir,
        dir);
    assert_true(tusk_tls_changed(p.server_tls));
}

static void keep_said(void *user, const char *text)
{
    (void)snprintf(user, 1024, "%s", text);
}

static void what_is_done_about_certificates_is_said_once(void **state)
{
    char said[1024] = "";
    (void)state;
    run("cp %s/main.crt %s/live.crt; cp %s/main.key %s/live.key", dir, dir, dir, dir);
    contexts(
        &(tusk_tls_options){.certificate_file = in_dir("live.crt"), .key_file = in_dir("live.key")},
        &(tusk_tls_options){0});
    tusk_tls_tend(p.server_tls, TUSK_TLS_READ_CHANGED, keep_said, said);
    assert_string_equal(said, "");
    tusk_tls_tend(p.server_tls, TUSK_TLS_READ, keep_said, said);
    assert_string_equal(said, "certificates reloaded");
    run("cp %s/rubbish.pem %s/live.key", dir, dir);
    tusk_tls_tend(p.server_tls, TUSK_TLS_WARN, keep_said, said);
    assert_string_equal(said, "certificates reloaded");
    tusk_tls_tend(p.server_tls, TUSK_TLS_READ_CHANGED | TUSK_TLS_WARN, keep_said, said);
    assert_non_null(strstr(said, "certificates not reloaded, the old ones stay: "));
    assert_non_null(strstr(said, "live.key"));
    said[0] = '\0';
    tusk_tls_tend(p.server_tls, TUSK_TLS_READ_CHANGED, keep_said, said);
    assert_string_equal(said, "");
    run("cp %s/main.key %s/live.key", dir, dir); /* another worker says it */
    tusk_tls_tend(p.server_tls, TUSK_TLS_READ_CHANGED, keep_said, said);
    assert_string_equal(said, "");
    assert_false(tusk_tls_changed(p.server_tls));
    run("cp %s/rubbish.pem %s/live.key", dir, dir);
    tusk_tls_tend(p.server_tls, TUSK_TLS_READ_CHANGED, keep_said, said);
    assert_non_null(strstr(said, "certificates not reloaded, the old ones stay: "));
    run("cp %s/main.key %s/live.key", dir, dir);
    tusk_tls_tend(p.server_tls, TUSK_TLS_READ_CHANGED | TUSK_TLS_WARN, keep_said, said);
    assert_string_equal(said, "certificates reloaded");
}

/* ---- until when they are good ---- */
enum { DAY = 24 * 3600 };

static void a_certificate_is_warned_of_before_and_when_it_expires(void **state)
{
    static const struct {
        int days;
        int left[4]; /* seconds before its end; so much before it says nothing, then it does */
    } lives[] = {
        {365, {14 * DAY + 60, 14 * DAY - 60, DAY - 60, -60}},
        {40, {10 * DAY + 60, 10 * DAY - 60, DAY - 60, -60}},
        {2, {DAY / 2 + 60, DAY / 2 - 60, -60, -60}},
    };
    static const char *const says[] = {"", "warning: ", "warning: ", "has expired on "};
    char text[300];
    tusk_tls_validity of;
    (void)state;
    for (size_t i = 0; i < sizeof(lives) / sizeof(lives[0]); i++) {
        run("openssl req -x509 -key %s/main.key -days %d -subj /CN=a -out %s/life.crt", dir,
            lives[i].days, dir);
        contexts(&(tusk_tls_options){.certificate_file = in_dir("life.crt"),
                                     .key_file = in_dir("main.key")},
                 &(tusk_tls_options){0});
        assert_true(tusk_tls_validity_at(p.server_tls, 0, &of));
        assert_string_equal(of.file, in_dir("life.crt"));
        assert_int_equal(of.not_after - of.not_before, lives[i].days * DAY);
        assert_false(tusk_tls_validity_at(p.server_tls, 1, &of));
        for (int at = 0; at < 4; at++) {
            int64_t now = of.not_after - lives[i].left[at];
            const char *expected = lives[i].left[at] < 0 ? says[3] : says[at];
            bool same = at > 0 && lives[i].left[at] == lives[i].left[at - 1];
            assert_int_equal(tusk_tls_warns(p.server_tls, now, text, sizeof(text)),
                             at > 0 && !same);
            assert_true(at == 0 || strstr(text, expected) != NULL);
            assert_false(tusk_tls_warns(p.server_tls, now, text, sizeof(text)));
        }
        /* Another one is told of, too; the same one is not. */
        run("openssl req -x509 -key %s/main.key -days %d -subj /CN=b -out %s/life.crt", dir,
            lives[i].days + 1, dir);
        for (int read = 0; read < 2; read++) {
            assert_err(tusk_tls_reload(p.server_tls, text, sizeof(text)), TUSK_OK);
            assert_true(tusk_tls_validity_at(p.server_tls, 0, &of));
            assert_int_equal(tusk_tls_warns(p.server_tls, of.not_after + 60, text, sizeof(text)),
                             read == 0);
        }
        /* A clock that was wrong takes it back; a renewed one is another. */
        assert_false(tusk_tls_warns(p.server_tls, of.not_before, text, sizeof(text)));
        assert_true(tusk_tls_warns(p.server_tls, of.not_after, text, sizeof(text)));
        run("cp %s/main.crt %s/life.crt", dir, dir);
        assert_err(tusk_tls_reload(p.server_tls, text, sizeof(text)), TUSK_OK);
        assert_false(tusk_tls_warns(p.server_tls, of.not_before + 60, text, sizeof(text)));
        drop_contexts();
    }
}

static void files_that_no_descriptor_was_left_for_are_read_when_there_is_one(void **state)
{
    struct rlimit before;
    char reason[300];
    (void)state;
    run("cp %s/main.crt %s/live.crt", dir, dir);
    contexts(
        &(tusk_tls_options){.certificate_file = in_dir("live.crt"), .key_file = in_dir("main.key")},
        &(tusk_tls_options){0});
    run("openssl req -x509 -key %s/main.key -days 9 -subj /CN=b -out %s/live.crt", dir, dir);
    assert_true(tusk_tls_changed(p.server_tls));
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    int next = dup(0);
    close(next);
    const struct rlimit none = {.rlim_cur = (rlim_t)next, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    tusk_err first = tusk_tls_reload(p.server_tls, reason, sizeof(reason));
    tusk_err second = tusk_tls_reload(p.server_tls, NULL, 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_err(first, TUSK_EEXHAUSTED);
    assert_non_null(strstr(reason, "no descriptor is left to read"));
    assert_non_null(strstr(reason, "live.crt"));
    assert_err(second, TUSK_EAGAIN);
    assert_true(tusk_tls_changed(p.server_tls));
    assert_err(tusk_tls_reload(p.server_tls, reason, sizeof(reason)), TUSK_OK);
    assert_false(tusk_tls_changed(p.server_tls));
    drop_contexts();
}

/* ---- sessions, with another client than ours ---- */
static void accept_tls(void *user, int fd, const tusk_addr *peer)
{
    const bool *reloads = user;
    tusk_filter *filter;
    (void)peer;
    owner *self = owner_new();
    self->in_eof = finish_it;
    self->in_close = *reloads ? reload_it : NULL;
    assert_err(tusk_tls_filter_new(&filter, p.server_tls, NULL), TUSK_OK);
    assert_err(tusk_conn_init(&self->conn, t.net, fd, filter, &owner_ops), TUSK_OK);
}

/* Serves until the parent kills it; with `reloads` the files are loaded again after every
 * connection. */
static void serve_for_ever(tusk_addr *addr, int tell, bool reloads)
{
    tusk_listener *listener;
    assert_err(tusk_addr_parse(addr, "127.0.0.1:0"), TUSK_OK);
    assert_err(tusk_listener_open(&listener, t.loop, addr, NULL, accept_tls, &reloads), TUSK_OK);
    tusk_listener_resume(listener);
    int port = tusk_addr_port(tusk_listener_addr(listener));
    assert_int_equal(write(tell, &port, sizeof(port)), sizeof(port));
    (void)tusk_loop_run(t.loop);
}

/* A server of its own process, for a client that is none of ours; the caller ends both. */
static pid_t serve_aside(int *port, bool reloads)
{
    int tell[2];
    tusk_addr addr;
    assert_int_equal(pipe(tell), 0);
    pid_t child = fork();
    if (child == 0) {
        (void)net_set_up(NULL);
        serve_for_ever(&addr, tell[1], reloads);
        _exit(0);
    }
    assert_int_equal(read(tell[0], port, sizeof(*port)), sizeof(*port));
    close(tell[0]);
    close(tell[1]);
    return child;
}

static void a_session_resumes_also_after_a_reload(void **state)
{
    (void)state;
    int port = 0;
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){0});
    pid_t child = serve_aside(&port, true);
    run("openssl s_client -connect 127.0.0.1:%d -tls1_2 -sess_out %s/session </dev/null "
        ">%s/first.log 2>&1",
        port, dir, dir);
    run("openssl s_client -connect 127.0.0.1:%d -tls1_2 -sess_in %s/session </dev/null "
        ">%s/second.log 2>&1",
        port, dir, dir);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    run("grep -q '^New, TLSv1.2' %s/first.log", dir);
    run("grep -q '^Reused, TLSv1.2' %s/second.log", dir);
}

/* RFC 6066, 3: by ticket, and by the number of a session that is kept here. */
static void a_session_goes_on_under_its_own_name_alone(void **state)
{
    static const char *const ways[] = {"-tls1_2", "-tls1_2 -no_ticket"};
    static const struct {
        const char *name, *kind;
    } cases[] = {
        {"-servername a.test", "Reused"},
        {"-servername b.test", "New"},
        {"-noservername", "New"},
        {"-servername a.test", "Reused"},
    };
    (void)state;
    int port = 0;
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){0});
    pid_t child = serve_aside(&port, false);
    for (size_t way = 0; way < sizeof(ways) / sizeof(ways[0]); way++) {
        run("openssl s_client -connect 127.0.0.1:%d %s -servername a.test -sess_out %s/session "
            "</dev/null >%s/first.log 2>&1",
            port, ways[way], dir, dir);
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
            run("openssl s_client -connect 127.0.0.1:%d %s %s -sess_in %s/session </dev/null "
                ">%s/second.log 2>&1",
                port, ways[way], cases[i].name, dir, dir);
            run("grep -q '^%s, TLSv1.2' %s/second.log", cases[i].kind, dir);
        }
    }
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void a_context_outlives_its_owner_as_long_as_connections_use_it(void **state)
{
    (void)state;
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){0});
    open_pair("main.test");
    tusk_tls_unref(p.server_tls);
    tusk_tls_unref(p.client_tls);
    p.server_tls = NULL;
    p.client_tls = NULL;
    p.server->in_data = echo;
    assert_err(tusk_conn_append(&p.client->conn, "still", 5), TUSK_OK);
    RELAY_UNTIL(SIZE_MAX, p.client->got_len == 5);
}

static void the_library_has_a_name(void **state)
{
    (void)state;
    assert_non_null(strstr(tusk_tls_library(), "SSL"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    if (tusk_tls_library() == NULL) {
        print_message("1..0 # SKIP this build has no TLS\n");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        TEST(bad_files_are_named_with_the_reason),
        TEST(what_is_no_file_is_refused_and_not_opened),
        TEST(reloading_replaces_all_or_nothing),
        TEST(files_whose_permissions_are_mended_are_read_again),
        TEST(a_file_that_says_it_is_as_old_as_the_one_before_has_changed),
        TEST(what_is_done_about_certificates_is_said_once),
        TEST(a_certificate_is_warned_of_before_and_when_it_expires),
        TEST(files_that_no_descriptor_was_left_for_are_read_when_there_is_one),
        TEST(a_session_resumes_also_after_a_reload),
        TEST(a_session_goes_on_under_its_own_name_alone),
        TEST(a_context_outlives_its_owner_as_long_as_connections_use_it),
        TEST(the_library_has_a_name),
    };
    return cmocka_run_group_tests_name("net/tls_files", tests, make_files, remove_files);
}
