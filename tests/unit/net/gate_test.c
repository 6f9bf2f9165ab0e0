/* SPDX-License-Identifier: MIT */
/* Gates: places, who waits for one, and what is said of it; alone and as one of two processes. */
#define _GNU_SOURCE
#include "net/gate.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../test.h"

enum { A, B, OWNERS, GATES = 2, MANY = 16, TURNS_MAX = 4000 };

typedef struct owner {
    net_gates gates;
    net_gate gate[GATES];
    int fds[MANY]; /* of clients that came in */
    const net_gate *of[MANY];
    int count;
    int waited;     /* of them */
    int admitted;   /* asked */
    int forgotten;  /* given back */
    int waits;      /* accepting began to wait at all gates */
    int gate_waits; /* at one */
    bool admits;
    bool fails; /* nothing comes of a client */
} owner;

static struct {
    tusk_loop *loop;
    net_seats seats;
    net_gates_shared shared;
    owner owner[OWNERS];
    int clients[MANY];
    int client_count;
} t;

static owner *owner_of(net_gates *gates)
{
    return TUSK_OWNER(gates, owner, gates);
}

static bool admit(net_gate *gate, net_client *client)
{
    owner *self = owner_of(gate->all);
    self->admitted++;
    client->counted = self;
    if (!self->admits) {
        close(client->fd);
    }
    return self->admits;
}

static bool on_client(net_gate *gate, const net_client *client)
{
    owner *self = owner_of(gate->all);
    assert_ptr_equal(client->counted, self);
    assert_int_equal(tusk_addr_family(client->peer), AF_INET);
    if (self->fails) {
        close(client->fd);
        return false;
    }
    self->of[self->count] = gate;
    self->fds[self->count++] = client->fd;
    self->waited += client->waited;
    return true;
}

static void forget(net_gate *gate, void *counted)
{
    assert_ptr_equal(counted, owner_of(gate->all));
    owner_of(gate->all)->forgotten++;
}

static void on_wait(net_gates *gates, const net_gate *gate)
{
    owner_of(gates)->waits += gate == NULL;
    owner_of(gates)->gate_waits += gate != NULL;
}

static void on_exhausted(net_gates *gates, int error)
{
    (void)error;
    (void)gates;
}

static void on_log(net_gates *gates, const char *text)
{
    (void)gates;
    fail_msg("%s", text);
}

static const net_gates_ops ops = {.admit = admit,
                                  .on_client = on_client,
                                  .forget = forget,
                                  .on_wait = on_wait,
                                  .on_exhausted = on_exhausted,
                                  .on_log = on_log};

static int set_up(void **state)
{
    tusk_addr addr;
    (void)state;
    memset(&t, 0, sizeof(t));
    assert_err(tusk_loop_new(&t.loop, NULL), TUSK_OK);
    assert_err(tusk_addr_parse(&addr, "127.0.0.1:0"), TUSK_OK);
    for (int i = 0; i < OWNERS; i++) {
        owner *self = &t.owner[i];
        self->admits = true;
        net_gates_init(&self->gates, t.loop, &ops);
        self->gates.limit = MANY;
        for (int g = 0; g < GATES; g++) {
            net_gate_add(&self->gate[g], &self->gates, &addr, "127.0.0.1:0", -1);
        }
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < OWNERS; i++) {
        net_gates_fini(&t.owner[i].gates);
        for (int k = 0; k < t.owner[i].count; k++) {
            close(t.owner[i].fds[k]);
        }
    }
    for (int i = 0; i < t.client_count; i++) {
        close(t.clients[i]);
    }
    net_seats_close(&t.seats);
    tusk_loop_free(t.loop);
    return 0;
}

static void begin(int i)
{
    char reason[256];
    assert_err(net_gates_open(&t.owner[i].gates, reason, sizeof(reason)), TUSK_OK);
    net_gates_settle(&t.owner[i].gates);
}

static void begin_both(void)
{
    size_t beside = net_gates_shared_size(&t.owner[A].gates, OWNERS);
    assert_err(net_seats_open(&t.seats, OWNERS, 0, beside), TUSK_OK);
    t.shared = (net_gates_shared){.seats = &t.seats,
                                  .taken = (_Atomic uint64_t *)(void *)net_seats_beside(&t.seats),
                                  .number = GATES};
    for (uint32_t i = 0; i < OWNERS; i++) {
        net_gates_share(&t.owner[i].gates, &t.shared, i);
        begin((int)i);
    }
}

static int dial(int i, size_t gate)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(net_gates_port(&t.owner[i].gates, gate)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
    t.clients[t.client_count++] = fd;
    return fd;
}

static void turns(int count)
{
    while (count-- > 0) {
        assert_err(tusk_loop_turn(t.loop, 0), TUSK_OK);
    }
}

#define UNTIL(condition)                                                                           \
    for (int turn_ = 0; !(condition); turn_++) {                                                   \
        assert_true(turn_ < TURNS_MAX);                                                            \
        assert_err(tusk_loop_turn(t.loop, 5), TUSK_OK);                                            \
    }

static bool ended(int fd)
{
    char byte;
    ssize_t n = recv(fd, &byte, 1, MSG_DONTWAIT);
    return n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK);
}

/* ---- alone ---- */
static void past_the_limit_accepting_waits_at_all_gates_until_somebody_leaves(void **state)
{
    owner *a = &t.owner[A];
    (void)state;
    a->gates.limit = 2;
    begin(A);
    for (int i = 0; i < 4; i++) {
        (void)dial(A, (size_t)i % GATES);
    }
    UNTIL(a->count == 2);
    turns(3);
    assert_int_equal(a->count, 2);
    assert_int_equal(a->admitted, 2); /* the others are in the kernel's queue */
    assert_int_equal(a->waits, 1);
    net_gates_leave(&a->gates, &a->gate[0]);
    UNTIL(a->count == 3);
    assert_int_equal(a->waits, 2);
    assert_int_equal(a->gate_waits, 0);
    turns(3);
    assert_int_equal(a->count, 3);
    assert_int_equal(a->forgotten + a->waited, 0);
}

static void a_gate_at_its_own_limit_keeps_no_other_one_waiting(void **state)
{
    owner *a = &t.owner[A];
    (void)state;
    a->gate[0].limit = 1;
    begin(A);
    (void)dial(A, 0);
    (void)dial(A, 0);
    UNTIL(a->count == 1);
    (void)dial(A, 1);
    (void)dial(A, 1);
    UNTIL(a->count == 3);
    turns(3);
    assert_int_equal(a->count, 3);
    assert_int_equal(a->waits, 0);
    assert_int_equal(a->gate_waits, 1);
    net_gates_leave(&a->gates, &a->gate[1]);
    turns(3);
    assert_int_equal(a->count, 3);
    net_gates_leave(&a->gates, &a->gate[0]);
    UNTIL(a->count == 4);
    assert_ptr_equal(a->of[3], &a->gate[0]);
}

static void while_the_owner_is_busy_accepting_waits_though_there_are_places(void **state)
{
    owner *a = &t.owner[A];
    (void)state;
    begin(A);
    net_gates_set_busy(&a->gates, true);
    (void)dial(A, 0);
    turns(3);
    assert_int_equal(a->count, 0);
    assert_int_equal(a->waits, 1);
    net_gates_set_busy(&a->gates, true);
    assert_int_equal(a->waits, 1);
    net_gates_set_busy(&a->gates, false);
    UNTIL(a->count == 1);
}

static void the_heap_is_looked_at_until_all_have_gone_and_once_more(void **state)
{
    owner *a = &t.owner[A];
    tusk_timer *timer = &a->gates.heap.timer;
    (void)state;
    begin(A);
    assert_false(tusk_timer_running(timer));
    (void)dial(A, 0);
    UNTIL(a->count == 1);
    assert_true(tusk_timer_running(timer));
    tusk_timer_stop(t.loop, timer);
    timer->on_due(timer);
    assert_true(tusk_timer_running(timer));
    net_gates_leave(&a->gates, &a->gate[0]);
    assert_true(tusk_timer_running(timer)); /* for what the last one left */
    tusk_timer_stop(t.loop, timer);
    timer->on_due(timer);
    assert_false(tusk_timer_running(timer));
    net_gates_add(&a->gates);
    net_gates_close(&a->gates);
    assert_true(tusk_timer_running(timer));
    net_gates_leave(&a->gates, NULL);
    assert_false(tusk_timer_running(timer)); /* a loop that ends is not kept */
}

static void who_is_not_admitted_or_comes_to_nothing_takes_no_place(void **state)
{
    owner *a = &t.owner[A];
    (void)state;
    a->gates.limit = 1;
    begin(A);
    a->admits = false;
    int refused = dial(A, 0);
    UNTIL(ended(refused));
    assert_int_equal(a->gates.taken, 0);
    a->admits = true;
    a->fails = true;
    int nothing = dial(A, 0);
    UNTIL(ended(nothing));
    assert_int_equal(a->gates.taken + a->gate[0].taken, 0);
    a->fails = false;
    (void)dial(A, 1);
    UNTIL(a->count == 1);
}

static void a_place_of_no_gate_is_one_of_all(void **state)
{
    owner *a = &t.owner[A];
    (void)state;
    a->gates.limit = 1;
    begin(A);
    net_gates_add(&a->gates);
    assert_int_equal(a->gates.taken, 1);
    net_gates_settle(&a->gates);
    (void)dial(A, 0);
    turns(3);
    assert_int_equal(a->count, 0);
    net_gates_leave(&a->gates, NULL);
    UNTIL(a->count == 1);
}

/* ---- several processes ---- */
static void one_waits_here_when_the_last_place_went_elsewhere(void **state)
{
    owner *a = &t.owner[A];
    owner *b = &t.owner[B];
    (void)state;
    a->gates.limit = b->gates.limit = 1;
    begin_both();
    (void)dial(A, 0);
    UNTIL(a->count == 1);
    int held = dial(B, 0);
    int queued = dial(B, 0);
    UNTIL(b->gate[0].held.fd >= 0);
    assert_true(b->gate[0].paused);
    assert_int_equal(b->waits, 1);
    turns(3);
    assert_int_equal(b->admitted, 1);
    net_gates_leave(&a->gates, &a->gate[0]);
    UNTIL(b->count == 1); /* looks by itself */
    assert_int_equal(b->waited, 1);
    assert_int_equal(b->gate[0].held.fd, -1);
    assert_false(ended(held) || ended(queued));
    assert_int_equal(net_seats_held_by_all(&t.seats), 1);
}

/* Were two accepted in one turn, one would be lost: whoever comes meanwhile waits in its queue. */
static void one_at_most_waits_without_a_place_however_many_come(void **state)
{
    owner *b = &t.owner[B];
    enum { COMERS = 12 };
    int fds[COMERS];
    (void)state;
    b->gates.limit = 1;
    begin_both();
    net_gates_add(&t.owner[A].gates);
    for (int i = 0; i < COMERS; i++) {
        fds[i] = dial(B, 0);
    }
    UNTIL(b->gate[0].held.fd >= 0);
    turns(3);
    assert_int_equal(b->admitted, 1);
    assert_int_equal(b->forgotten, 0);
    for (int i = 0; i < COMERS; i++) {
        assert_false(ended(fds[i]));
    }
}

static void who_waits_goes_with_the_gates(void **state)
{
    owner *b = &t.owner[B];
    (void)state;
    b->gates.limit = 1;
    begin_both();
    net_gates_add(&t.owner[A].gates);
    int held = dial(B, 1);
    UNTIL(b->gate[1].held.fd >= 0);
    net_gates_close(&b->gates);
    assert_int_equal(b->forgotten, 1);
    UNTIL(ended(held));
    assert_int_equal(net_seats_held_by_all(&t.seats), 1);
}

static void a_gates_own_limit_is_one_for_all_and_a_dead_process_has_no_place(void **state)
{
    owner *a = &t.owner[A];
    owner *b = &t.owner[B];
    (void)state;
    a->gate[0].limit = b->gate[0].limit = 1;
    begin_both();
    (void)dial(A, 0);
    UNTIL(a->count == 1);
    (void)dial(B, 0);
    UNTIL(b->gate[0].held.fd >= 0);
    (void)dial(B, 1);
    UNTIL(b->count == 1);
    assert_int_equal(b->waits, 0);
    assert_int_equal(b->gate_waits, 1);
    net_gates_gone(&t.shared, A);
    UNTIL(b->count == 2);
    assert_ptr_equal(b->of[1], &b->gate[0]);
    assert_int_equal(net_seats_held_by_all(&t.seats), 2);
}

/* ---- opened and closed ---- */
static void when_one_cannot_be_opened_none_is(void **state)
{
    owner *a = &t.owner[A];
    owner *b = &t.owner[B];
    char reason[256];
    (void)state;
    begin(A);
    b->gate[1].addr = a->gate[0].addr;
    (void)snprintf(b->gate[1].text, sizeof(b->gate[1].text), "the second");
    assert_err(net_gates_open(&b->gates, reason, sizeof(reason)), TUSK_EADDRINUSE);
    assert_non_null(strstr(reason, "cannot listen on the second: "));
    assert_null(b->gate[0].listener);
    assert_err(net_gates_add_inlet(&b->gates, 0, 1, 0), TUSK_ESTATE);
}

static void a_gate_has_the_socket_that_it_inherits(void **state)
{
    owner *a = &t.owner[A];
    owner *b = &t.owner[B];
    (void)state;
    begin(A);
    int fd = dup(tusk_listener_fd(a->gate[0].listener));
    assert_err(net_gates_inherit(&b->gates, 1, fd), TUSK_OK);
    assert_err(net_gates_inherit(&b->gates, 1, fd), TUSK_ESTATE);
    assert_err(net_gates_inherit(&b->gates, GATES, fd), TUSK_ESTATE);
    begin(B);
    assert_int_equal(net_gates_port(&b->gates, 1), net_gates_port(&a->gates, 0));
    assert_int_equal(net_gates_port(&b->gates, GATES), 0);
    assert_string_equal(net_gates_address(&b->gates, 1), "127.0.0.1:0");
    assert_null(net_gates_address(&b->gates, GATES));
    net_gates_close(&a->gates);
    (void)dial(B, 1);
    UNTIL(b->count == 1);
}

/* Worker 0 has the first two seats by turns, from one reload to the next. */
static void one_worker_speaks_for_all_whichever_of_its_seats_it_has(void **state)
{
    static const bool speaks[] = {true, true, false, false, false};
    net_gates *gates = &t.owner[A].gates;
    (void)state;
    assert_true(net_gates_speaks(gates)); /* alone */
    for (uint32_t seat = 0; seat < sizeof(speaks); seat++) {
        net_gates_share(gates, &t.shared, seat);
        assert_int_equal(net_gates_speaks(gates), speaks[seat]);
    }
    net_gates_share(gates, NULL, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(past_the_limit_accepting_waits_at_all_gates_until_somebody_leaves),
        TEST(a_gate_at_its_own_limit_keeps_no_other_one_waiting),
        TEST(while_the_owner_is_busy_accepting_waits_though_there_are_places),
        TEST(the_heap_is_looked_at_until_all_have_gone_and_once_more),
        TEST(who_is_not_admitted_or_comes_to_nothing_takes_no_place),
        TEST(a_place_of_no_gate_is_one_of_all),
        TEST(one_waits_here_when_the_last_place_went_elsewhere),
        TEST(one_at_most_waits_without_a_place_however_many_come),
        TEST(who_waits_goes_with_the_gates),
        TEST(a_gates_own_limit_is_one_for_all_and_a_dead_process_has_no_place),
        TEST(when_one_cannot_be_opened_none_is),
        TEST(a_gate_has_the_socket_that_it_inherits),
        TEST(one_worker_speaks_for_all_whichever_of_its_seats_it_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
