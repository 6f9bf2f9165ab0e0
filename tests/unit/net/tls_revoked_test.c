/* SPDX-License-Identifier: MIT */
/* Clients whose certificates their authorities have taken back. */
#include <time.h>

#include "tls_pair.h"

#define IN_DIR "cd %s && "

/* `name`, signed by `issuer`. */
static void issue(const char *name, const char *issuer, const char *extension)
{
    run(IN_DIR "openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=%s "
               "-keyout %s.key -out %s.csr 2>/dev/null && echo %s > %s.ext",
        dir, name, name, name, extension, name);
    run(IN_DIR "openssl x509 -req -in %s.csr -CA %s.crt -CAkey %s.key -CAcreateserial -days 3 "
               "-extfile %s.ext -out %s.crt 2>/dev/null",
        dir, name, issuer, issuer, name, name);
}

static void authority(const char *name)
{
    run(IN_DIR "printf '[ca]\\ndefault_ca=d\\n[d]\\ndatabase=%s.index\\ndefault_md=sha256\\n' > "
               "%s.cnf && touch %s.index",
        dir, name, name, name);
}

static void revoke(const char *name, const char *issuer)
{
    run(IN_DIR "openssl ca -config %s.cnf -cert %s.crt -keyfile %s.key -revoke %s.crt 2>/dev/null",
        dir, issuer, issuer, issuer, name);
}

static void list(const char *issuer, const char *dates, const char *out)
{
    run(IN_DIR "openssl ca -config %s.cnf -cert %s.crt -keyfile %s.key -gencrl %s -out %s "
               "2>/dev/null",
        dir, issuer, issuer, issuer, dates, out);
}

static int make_lists(void **state)
{
    static const char ca[] = "basicConstraints=critical,CA:TRUE";
    if (make_files(state) != 0) {
        return -1;
    }
    run(IN_DIR "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes "
               "-days 3 -subj /CN=root -keyout root.key -out root.crt 2>/dev/null",
        dir);
    issue("branch", "root", ca);
    issue("good", "root", "subjectAltName=DNS:good");
    issue("gone", "root", "subjectAltName=DNS:gone");
    issue("below", "branch", "subjectAltName=DNS:below");
    run(IN_DIR "cat below.crt branch.crt > chain.crt && cp below.key chain.key", dir);
    authority("root");
    authority("branch");
    list("root", "-crldays 2", "none.crl");
    list("branch", "-crldays 2", "branch.crl");
    list("root", "-crl_lastupdate 20200101000000Z -crl_nextupdate 20200201000000Z", "old.crl");
    revoke("gone", "root");
    list("root", "-crldays 2", "gone.crl");
    revoke("branch", "root");
    list("root", "-crldays 2", "branch_gone.crl");
    run(IN_DIR "cat gone.crl branch.crl > both.crl && cat branch_gone.crl branch.crl > all.crl",
        dir);
    return 0;
}

static const char *file(const char *name, const char *end)
{
    char text[32];
    (void)snprintf(text, sizeof(text), "%s.%s", name, end);
    return in_dir(text);
}

/* By the contexts that there are. */
static void check_one(const char *what, bool good)
{
    open_pair("main.test");
    RELAY_UNTIL(SIZE_MAX, p.server->readies == 1);
    if (p.server->ready != (good ? TUSK_OK : TUSK_ETLS)) {
        fail_msg("%s: %s", what, p.server_reason);
    }
    end_pair();
}

static void check_shown(const char *trusted, const char *lists, const char *shown, bool good)
{
    char what[96];
    contexts(&(tusk_tls_options){.verify_client = true,
                                 .client_optional = true,
                                 .ca_file = file(trusted, "crt"),
                                 .crl_file = file(lists, "crl")},
             &(tusk_tls_options){.certificate_file = shown == NULL ? NULL : file(shown, "crt"),
                                 .key_file = shown == NULL ? NULL : file(shown, "key")});
    (void)snprintf(what, sizeof(what), "%s by %s and %s", shown, trusted, lists);
    check_one(what, good);
    drop_contexts();
}

static void who_is_on_a_list_is_refused_and_nobody_else(void **state)
{
    (void)state;
    check_shown("root", "none", "gone", true);
    check_shown("root", "gone", "gone", false);
    check_shown("root", "gone", "good", true);
    check_shown("root", "gone", NULL, true);
}

static void each_authority_of_a_chain_needs_a_list_but_the_one_that_is_trusted(void **state)
{
    (void)state;
    check_shown("root", "both", "chain", true);
    check_shown("root", "gone", "chain", false); /* the branch's is missing */
    check_shown("root", "all", "chain", false);  /* the branch is gone itself */
    check_shown("branch", "branch", "below", true);
    check_shown("branch", "gone", "below", false);
}

static void a_list_whose_time_is_over_refuses_all_and_that_is_said_once(void **state)
{
    (void)state;
    char text[400];
    check_shown("root", "old", "good", false);
    contexts(&(tusk_tls_options){.verify_client = true,
                                 .ca_file = in_dir("root.crt"),
                                 .crl_file = in_dir("old.crl")},
             &(tusk_tls_options){0});
    assert_true(tusk_tls_warns(p.server_tls, time(NULL), text, sizeof(text)));
    assert_non_null(strstr(text, "old.crl' has a list that was to be followed by another one on "
                                 "2020-02-01, so clients of its authority are refused"));
    assert_false(tusk_tls_warns(p.server_tls, time(NULL), text, sizeof(text)));
    drop_contexts();
}

static void a_list_that_changes_is_read_again_and_one_that_is_broken_is_not(void **state)
{
    (void)state;
    char reason[300];
    run(IN_DIR "cp none.crl now.crl", dir);
    contexts(&(tusk_tls_options){.verify_client = true,
                                 .ca_file = in_dir("root.crt"),
                                 .crl_file = in_dir("now.crl")},
             &(tusk_tls_options){.certificate_file = in_dir("gone.crt"),
                                 .key_file = in_dir("gone.key")});
    check_one("before", true);
    assert_false(tusk_tls_changed(p.server_tls));
    run(IN_DIR "cp rubbish.pem now.crl", dir);
    assert_true(tusk_tls_changed(p.server_tls));
    assert_err(tusk_tls_reload(p.server_tls, reason, sizeof(reason)), TUSK_ETLS);
    assert_non_null(strstr(reason, "now.crl': no usable PEM list ("));
    check_one("with rubbish", true);
    run(IN_DIR "head -c 200 gone.crl > now.crl", dir);
    assert_err(tusk_tls_reload(p.server_tls, reason, sizeof(reason)), TUSK_ETLS);
    run(IN_DIR "cp gone.crl now.crl", dir);
    assert_true(tusk_tls_changed(p.server_tls));
    assert_err(tusk_tls_reload(p.server_tls, reason, sizeof(reason)), TUSK_OK);
    check_one("after", false);
    drop_contexts();
}

static void a_list_without_a_file_or_an_authority_is_refused(void **state)
{
    (void)state;
    char reason[300];
    tusk_tls *tls;
    tusk_tls_options options = {.certificate_file = in_dir("main.crt"),
                                .key_file = in_dir("main.key"),
                                .crl_file = in_dir("gone.crl")};
    assert_err(tusk_tls_server_new(&tls, &options, reason, sizeof(reason)), TUSK_EINVAL);
    assert_string_equal(reason, "lists of revoked certificates, but nobody asks for any");
    options.verify_client = true;
    options.ca_file = in_dir("root.crt");
    options.crl_file = in_dir("nowhere.crl");
    assert_err(tusk_tls_server_new(&tls, &options, reason, sizeof(reason)), TUSK_ENOENT);
    assert_non_null(strstr(reason, "CRL file '"));
}

int main(void)
{
    if (tusk_tls_library() == NULL) {
        print_message("1..0 # SKIP this build has no TLS\n");
        return 0;
    }
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(who_is_on_a_list_is_refused_and_nobody_else),
        TEST(each_authority_of_a_chain_needs_a_list_but_the_one_that_is_trusted),
        TEST(a_list_whose_time_is_over_refuses_all_and_that_is_said_once),
        TEST(a_list_that_changes_is_read_again_and_one_that_is_broken_is_not),
        TEST(a_list_without_a_file_or_an_authority_is_refused),
    };
#undef TEST
    return cmocka_run_group_tests_name("net/tls_revoked", tests, make_lists, remove_files);
}
