# The measuring apparatus; included by the main Makefile. BENCH_ARGS go to bench/suite.
BENCH_CFLAGS = -std=c11 -O2 -g $(WARN) -Iinclude -Isrc
BENCH_BASE = src/base/mem.c src/base/buf.c src/base/bytes.c src/base/err.c src/base/utf8.c
BENCH_STATS = $(wildcard src/stats/*.c) $(BENCH_BASE)

$(B)/bench/driver: $(wildcard bench/driver/*.[ch]) $(BENCH_STATS) include/tusk/stats.h
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) $(if $(HAVE_ZLIB),-DTUSK_HAVE_ZLIB) bench/driver/*.c $(BENCH_STATS) -o $@ \
		-lssl -lcrypto $(if $(HAVE_ZLIB),-lz) -lm

$(B)/bench/floor: bench/peers/floor.c
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) $< -o $@ -lcrypto

$(B)/bench/core: bench/peers/core.c $(B)/libtusk.a
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) $< $(B)/libtusk.a $(LIBS) -lm -o $@

SHIMS := alloc_count copy_count user_time
$(SHIMS:%=$(B)/bench/micro/%.so): $(B)/bench/micro/%.so: bench/micro/%.c bench/micro/shim.h
	@mkdir -p $(@D)
	$(CC) $(filter-out -Wpedantic,$(BENCH_CFLAGS)) -fPIC -shared $< -o $@ -ldl

$(B)/bench/micro/beside: BENCH_LINK = -Wl,--wrap=send
$(B)/bench/micro/%: bench/micro/%.c $(B)/libtusk.a
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) $< $(BENCH_LINK) $(B)/libtusk.a $(LIBS) -lm -o $@

MICRO := $(filter-out $(SHIMS),$(patsubst bench/micro/%.c,%,$(wildcard bench/micro/*.c)))

.PHONY: bench-tools bench-micro bench-cost bench-all figures
bench-micro: $(MICRO:%=$(B)/bench/micro/%) ## nanoseconds of the core's inner loops; fails when one is over its budget
	@failed=0; for m in $(MICRO); do echo "$$m:"; $(B)/bench/micro/$$m || failed=1; done; exit $$failed

bench-tools: $(B)/bench/driver $(B)/bench/floor $(B)/bench/core $(SHIMS:%=$(B)/bench/micro/%.so)

bench: bench-tools $(TUSK_SO) ## measure against the floor and the peers that are here; BENCH_ARGS='--scenario S1 --pairs 10'
	@bench/suite $(BENCH_ARGS)

bench-cost: bench-tools $(TUSK_SO) ## system calls, allocations, copies and instructions per message; fails when one is over its budget
	@bench/cost $(BENCH_ARGS)

bench-all: bench-tools $(TUSK_SO) ## every target's figure in at most 25 minutes: bench/results/DATE.json and .md, as docs/performance.md has it
	@bench/suite --plan bench/plan.php --warmup 0.15 --save bench/results/$$(date +%F).json --markdown $(B)/bench/$$(date +%F).md $(BENCH_ARGS)
	@echo "results: bench/results/$$(date +%F).json, table: $(B)/bench/$$(date +%F).md"

figures: ## the tables and drawings of docs/performance*.md from the results that bench/figures.php names
	@bench/figures
