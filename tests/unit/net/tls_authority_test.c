/* SPDX-License-Identifier: MIT */
/* Whom the authorities of a file vouch for, in either role. */
#include "tls_pair.h"

/* `name`, signed by `issuer`, which signed itself where that is NULL. */
static void sign(const char *name, const char *issuer, const char *extension)
{
    run("openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=%s "
        "-keyout %s/%s.key -out %s/%s.csr 2>/dev/null",
        name, dir, name, dir, name);
    run("echo %s > %s/%s.ext", extension, dir, name);
    if (issuer == NULL) {
        run("openssl x509 -req -in %s/%s.csr -signkey %s/%s.key -days 3 -extfile %s/%s.ext "
            "-out %s/%s.crt 2>/dev/null",
            dir, name, dir, name, dir, name, dir, name);
    } else {
        run("openssl x509 -req -in %s/%s.csr -CA %s/%s.crt -CAkey %s/%s.key -CAcreateserial "
            "-days 3 -extfile %s/%s.ext -out %s/%s.crt 2>/dev/null",
            dir, name, dir, issuer, dir, issuer, dir, name, dir, name);
    }
}

static int make_authorities(void **state)
{
    if (make_files(state) != 0) {
        return -1;
    }
    sign("root", NULL, "basicConstraints=critical,CA:TRUE");
    sign("branch", "root", "basicConstraints=critical,CA:TRUE");
    sign("ofbranch", "branch", "subjectAltName=DNS:ofbranch");
    sign("ofroot", "root", "subjectAltName=DNS:ofroot");
    sign("ofleaf", "ofbranch", "subjectAltName=DNS:ofleaf");
    run("cat %s/ofbranch.crt %s/branch.crt > %s/chain.crt", dir, dir, dir);
    run("cp %s/ofbranch.key %s/chain.key", dir, dir);
    return 0;
}

static const struct {
    const char *trusted, *shown;
    bool good;
} cases[] = {
    {"root", "ofroot", true},       {"root", "chain", true},       {"root", "ofbranch", false},
    {"branch", "ofbranch", true},   {"branch", "chain", true},     {"branch", "ofroot", false},
    {"ofbranch", "ofbranch", true}, {"ofbranch", "ofleaf", false},
};
enum { CASES = sizeof(cases) / sizeof(cases[0]) };

static const char *file(const char *name, const char *end)
{
    char text[32];
    (void)snprintf(text, sizeof(text), "%s.%s", name, end);
    return in_dir(text);
}

static void end_contexts(void)
{
    end_pair();
    tusk_tls_unref(p.server_tls);
    tusk_tls_unref(p.client_tls);
    p.server_tls = NULL;
    p.client_tls = NULL;
}

static void a_client_is_vouched_for_by_any_authority_of_the_file(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        contexts(
            &(tusk_tls_options){.verify_client = true, .ca_file = file(cases[i].trusted, "crt")},
            &(tusk_tls_options){.certificate_file = file(cases[i].shown, "crt"),
                                .key_file = file(cases[i].shown, "key")});
        open_pair("main.test");
        RELAY_UNTIL(SIZE_MAX, p.server->readies == 1);
        if (p.server->ready != (cases[i].good ? TUSK_OK : TUSK_ETLS)) {
            fail_msg("%s by %s: %s", cases[i].shown, cases[i].trusted, p.server_reason);
        }
        end_contexts();
    }
}

static void a_server_is_vouched_for_by_any_authority_of_the_file(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        contexts(
            &(tusk_tls_options){.certificate_file = file(cases[i].shown, "crt"),
                                .key_file = file(cases[i].shown, "key")},
            &(tusk_tls_options){.verify_peer = true, .ca_file = file(cases[i].trusted, "crt")});
        open_pair(strcmp(cases[i].shown, "chain") == 0 ? "ofbranch" : cases[i].shown);
        RELAY_UNTIL(SIZE_MAX, p.client->readies == 1);
        if (p.client->ready != (cases[i].good ? TUSK_OK : TUSK_ETLS)) {
            fail_msg("%s by %s: %s", cases[i].shown, cases[i].trusted, p.client_reason);
        }
        end_contexts();
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    if (tusk_tls_library() == NULL) {
        print_message("1..0 # SKIP this build has no TLS\n");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        TEST(a_client_is_vouched_for_by_any_authority_of_the_file),
        TEST(a_server_is_vouched_for_by_any_authority_of_the_file),
    };
    return cmocka_run_group_tests_name("net/tls_authority", tests, make_authorities, remove_files);
}
