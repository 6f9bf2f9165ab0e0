# SPDX-License-Identifier: MIT
# The only entry to building, testing and running Tusk; `make help` prints every target.

ROOT := $(CURDIR)
B := build
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

CC ?= gcc
ifeq ($(origin CC),default)
CC := gcc
endif
PHP ?= php
PHPIZE ?= phpize
PHP_CONFIG ?= php-config
PREFIX ?= /usr/local
JOBS ?= $(or $(shell getconf _NPROCESSORS_ONLN 2>/dev/null),2)
PORT ?= 8080
OPEN ?=
T ?=
S ?= 60

# What is there: each optional library is taken when pkg-config knows it, WITHOUT="openssl zlib" refuses it.
WITHOUT ?=
have = $(if $(filter $(1),$(WITHOUT)),,$(shell pkg-config --exists $(1) 2>/dev/null && echo yes))
HAVE_OPENSSL := $(call have,openssl)
HAVE_ZLIB := $(call have,zlib)
HAVE_LIBURING := $(call have,liburing)
# The kernel's relay: libbpf loads what clang has compiled for the kernel.
BPF_CLANG := $(if $(call have,libbpf),$(shell command -v clang 2>/dev/null))
BPF_INC := $(B)/bpf/relay/sockmap/verdict.bpf.inc

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wswitch-enum -Wconversion -Wstrict-prototypes \
	-Wmissing-prototypes -Wvla -Werror
DEFS := $(if $(HAVE_OPENSSL),-DTUSK_HAVE_OPENSSL $(shell pkg-config --cflags openssl 2>/dev/null)) \
	$(if $(HAVE_ZLIB),-DTUSK_HAVE_ZLIB $(shell pkg-config --cflags zlib 2>/dev/null)) \
	$(if $(HAVE_LIBURING),-DTUSK_HAVE_LIBURING=$(shell pkg-config --modversion liburing 2>/dev/null)) \
	$(if $(BPF_CLANG),-DTUSK_HAVE_LIBBPF -I$(B)/bpf $(shell pkg-config --cflags libbpf 2>/dev/null))
LIBS := $(if $(HAVE_OPENSSL),-lssl -lcrypto) $(if $(HAVE_ZLIB),-lz) $(if $(HAVE_LIBURING),-luring) $(if $(BPF_CLANG),-lbpf) -lpthread $(if $(filter Linux,$(shell uname -s)),-ldl)
BASE := -std=c11 -fvisibility=hidden -Iinclude -Isrc $(WARN) $(DEFS)
# tools/coverage builds with COVERAGE=yes: each line counted, nothing optimized, counts written also where a process leaves by _exit().
COVERAGE ?=
COUNTED := $(if $(COVERAGE),-O0 --coverage -fprofile-abs-path -fprofile-update=atomic)
COUNTING := $(if $(COVERAGE),$(B)/coverage_dump.o)
COUNTING_CALLS := $(if $(COVERAGE),_exit epoll_wait syscall)
RELEASE := $(BASE) -O2 -g -fPIC -fno-plt $(COUNTED)
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
ASAN := $(BASE) -O1 -g1 -fPIC $(SANITIZE) $(COUNTED)
# Three programs that compute nothing: to optimize takes longer than that gives back, and leaves fewer accesses to look at.
TSAN := $(BASE) -O0 -g1 -fPIC -fsanitize=thread -fno-omit-frame-pointer

# A layer's files and those of its rooms; io_uring's relay needs liburing, sockmap libbpf, whose program for the kernel (*.bpf.c) is not
# compiled with the rest.
CORE := $(wildcard src/*/*.c) $(filter-out src/relay/uring/% src/relay/sockmap/%,$(wildcard src/*/*/*.c)) \
	$(if $(HAVE_LIBURING),$(wildcard src/relay/uring/*.c))
ifneq ($(BPF_CLANG),)
CORE += $(filter-out %.bpf.c,$(wildcard src/relay/sockmap/*.c))
endif
HEADERS := $(wildcard include/tusk/*.h)
UNITS := $(wildcard tests/unit/*/*_test.c)
UNIT_BINS := $(UNITS:tests/unit/%.c=$(B)/unit/%)
# Where there are threads; and the layers that these tests need.
TSAN_BINS := $(patsubst %,$(B)/tsan/unit/%_test,loop/wakeup net/resolver client/lookup)
TSAN_CORE := $(filter src/base/% src/proto/% src/stats/% src/loop/% src/net/% src/client/%,$(wildcard src/*/*.c))
EXT_FILES := $(wildcard ext/*.c ext/*.h ext/config.m4 $(foreach d,ext/src ext/src/*,$(d)/*.c $(d)/*.h))
TUSK_SO := $(B)/ext/modules/tusk.so
PHP_EXT := $(PHP) -d extension=$(ROOT)/$(TUSK_SO)

.PHONY: all ready lib ext ext-asan demo setup-demo setup-test vendor test test-build test-checks test-unit test-survey survey test-tsan test-one test-phpt \
	test-phpt-valgrind test-phpt-asan test-jit test-phpize test-php coverage-php test-chat test-dashboard stan test-examples test-e2e test-browser \
	test-conformance test-client test-broken test-soak test-docs test-embed test-php84 test-php85 test-php86 test-zts fuzz fuzz-api fuzz-build fuzz-smoke coverage soak bench check check-format check-headers tidy format \
	arginfo docs install clean help

all: ready lib ext ## library, extension, PHP packages
	@if [ -f php/composer.json ]; then $(MAKE) vendor; fi

lib: $(B)/libtusk.a ## build/libtusk.a only

ext: ready $(TUSK_SO) ## build/ext/modules/tusk.so only

# First of all, and with -j beside the first files: what is missing is said before a minute of compiling, not after it.
ready:
	@$(EXT_ENV) PHP='$(PHP)' tools/can-build

# ---- core: release for the extension, sanitized for the unit tests ----
# A flags file is rewritten only when its text changes, so that other flags or another set of files rebuild.
define flags_file
$(B)/$(1)/flags: FORCE
	@mkdir -p $$(@D); printf '%s\n' '$(CC) $($(2)) $(3)' >$$@.new; \
	cmp -s $$@.new $$@ && rm $$@.new || mv $$@.new $$@
endef
$(eval $(call flags_file,release,RELEASE))
$(eval $(call flags_file,asan,ASAN))
$(eval $(call flags_file,tsan,TSAN))
$(eval $(call flags_file,list,CORE))

$(B)/release/%.o: src/%.c $(B)/release/flags
	@mkdir -p $(@D)
	@echo "cc   $<"
	@$(CC) $(RELEASE) -MMD -MP -c $< -o $@

$(B)/asan/%.o: src/%.c $(B)/asan/flags
	@mkdir -p $(@D)
	@echo "asan $<"
	@$(CC) $(ASAN) -MMD -MP -c $< -o $@

$(B)/release/relay/sockmap/load.o $(B)/asan/relay/sockmap/load.o: $(BPF_INC)
$(BPF_INC): src/relay/sockmap/verdict.bpf.c src/relay/sockmap/flow.h src/relay/sockmap/embed
	@echo "bpf  $<"
	@src/relay/sockmap/embed $(BPF_CLANG) $@

$(B)/coverage_dump.o: tools/coverage_dump.c
	@mkdir -p $(@D)
	@$(CC) $(filter-out $(WARN),$(BASE)) -O2 -fPIC -c $< -o $@

$(B)/libtusk.a: $(CORE:src/%.c=$(B)/release/%.o) $(COUNTING) $(B)/list/flags
	@rm -f $@; ar rcs $@ $(filter %.o,$^); echo "ar   $@"

$(B)/asan/libtusk.a: $(CORE:src/%.c=$(B)/asan/%.o) $(COUNTING) $(B)/list/flags
	@rm -f $@; ar rcs $@ $(filter %.o,$^); echo "ar   $@"

$(B)/unit/%.o: tests/unit/%.c $(B)/asan/flags
	@mkdir -p $(@D)
	@$(CC) $(ASAN) -MMD -MP -c $< -o $@

# The survey of failing allocations stands between every unit test and the core; the GNU linker puts it there.
SURVEYED := $(if $(filter Linux,$(shell uname -s)),malloc calloc tusk__new tusk__resize tusk__free tusk_loop_turn tusk_loop_turn_until tusk_lane_wait waitpid __assert_fail _cmocka_run_group_tests)
UNIT_HELP := $(B)/unit/test.o $(if $(SURVEYED),$(B)/unit/survey.o $(B)/unit/survey_child.o $(B)/unit/left_open.o)

# Some 150 programs are linked against all of the core, which gold does in half the time.
UNIT_LINK := $(if $(shell command -v ld.gold),-fuse-ld=gold)

# The programs themselves compute little and are many: to optimize them takes longer than that gives back.
$(B)/unit/%_test.o: tests/unit/%_test.c $(B)/asan/flags
	@mkdir -p $(@D)
	@echo "unit $<"
	@$(CC) $(ASAN) -O0 -Itests/unit -Wno-unused-parameter -MMD -MP -c $< -o $@

$(B)/unit/%_test: $(B)/unit/%_test.o $(UNIT_HELP) $(B)/asan/libtusk.a
	@$(CC) $(ASAN) $< $(UNIT_HELP) $(UNIT_LINK) $(SURVEYED:%=-Wl,--wrap=%) $(COUNTING_CALLS:%=-Wl,--wrap=%) $(B)/asan/libtusk.a $(LIBS) -lcmocka -lpthread -lm -o $@

$(B)/tsan/%.o: src/%.c $(B)/tsan/flags
	@mkdir -p $(@D)
	@$(CC) $(TSAN) -MMD -MP -c $< -o $@

$(B)/tsan/unit/%_test: tests/unit/%_test.c tests/unit/test.c $(TSAN_CORE:src/%.c=$(B)/tsan/%.o)
	@mkdir -p $(@D)
	@echo "tsan $<"
	@$(CC) $(TSAN) -Itests/unit -Wno-unused-parameter -MMD -MP -MF $@.d $(filter %.c %.o,$^) $(LIBS) -lcmocka -lm -o $@

.PRECIOUS: $(B)/tsan/%.o $(B)/unit/%.o $(B)/unit/%_test.o
-include $(TSAN_CORE:src/%.c=$(B)/tsan/%.d) $(TSAN_BINS:=.d)
-include $(CORE:src/%.c=$(B)/release/%.d) $(CORE:src/%.c=$(B)/asan/%.d) $(UNIT_BINS:=.d) $(UNIT_HELP:.o=.d)

# ---- extension: a link copy of ext/ in build/, phpized there ----
EXT_ENV = CC='$(CC)' COVERAGE='$(COVERAGE)' PHPIZE='$(PHPIZE)' PHP_CONFIG='$(PHP_CONFIG)' JOBS='$(JOBS)' WITHOUT='$(WITHOUT)'

$(TUSK_SO): $(B)/libtusk.a $(EXT_FILES) $(HEADERS) tools/build-ext
	@$(EXT_ENV) tools/build-ext $(B)/ext

$(B)/ext-asan/modules/tusk.so: $(B)/asan/libtusk.a $(EXT_FILES) $(HEADERS) tools/build-ext
	@$(EXT_ENV) tools/build-ext --asan $(B)/ext-asan

ext-asan: $(B)/ext-asan/modules/tusk.so ## the extension and its core under ASan and UBSan

# ---- set-up and demo ----
setup-demo: ## install what `make demo` needs
	@tools/setup demo

setup-test: ## install what `make test` needs
	@tools/setup test

vendor: $(B)/vendor-php ## Composer packages of php/
$(B)/vendor-php: php/composer.json
	@mkdir -p $(B); tools/setup vendor

demo: ## build, start the chat on PORT=8080 (OPEN=1: without log-in, loopback only), print its address
	@tools/run-demo --check $(PORT)
	@$(MAKE) setup-demo
	@$(MAKE) -j$(JOBS) ext
	@tools/run-demo $(PORT) $(OPEN)

# ---- tests; every suite ends with "N passed, N failed, N skipped" ----
# The suites of tools/test-all run side by side. Each is a make of its own, and two that build at once would trip over each other: all is
# built before, and BUILT=yes takes it as it is.
BUILT ?=
built = $(if $(BUILT),,$(1))

test: setup-test ## everything, with one summary line at the end (some seventeen minutes of two processors)
	@tools/test-all

test-checks: $(call built,lib) ## format, headers, layers, names, style, length, argument info and reference up to date (make check without clang-tidy and PHPStan)
	@tools/suite checks tools/check-layers -- tools/test-checks

test-build: ## what the suites run, without running it
	@$(MAKE) -j$(JOBS) lib ext ext-asan $(UNIT_BINS) $(TSAN_BINS)

test-unit: $(call built,$(UNIT_BINS)) ## C unit tests (cmocka) under ASan and UBSan
	@tools/suite unit tests/unit -- tools/run-units $(UNIT_BINS)

test-survey: $(call built,$(UNIT_BINS)) ## every C unit test with its n-th allocation failing, a sample of them
	@tools/suite survey tests/unit/survey.c -- tools/run-units --survey 700 $(UNIT_BINS)

survey: $(UNIT_BINS) ## the same with every n-th allocation of every test (hours; T=proto/ws_frame for one program)
	@TUSK_UNIT_SECONDS=36000 tools/run-units --survey all $(if $(T),$(B)/unit/$(T:_test=)_test,$(UNIT_BINS))

# A test forks to take a limit away for good, while threads of those before may be ending: ThreadSanitizer would end the child for that.
test-tsan: ## what runs in threads (name look-ups, wake-ups) under ThreadSanitizer
	@$(if $(BUILT),:,$(MAKE) -j$(JOBS) $(TSAN_BINS))
	@TSAN_OPTIONS=die_after_fork=0 tools/suite tsan tests/unit -- tools/run-units $(TSAN_BINS)

test-one: ## one test: T=proto/ws_frame (C), T=ext/server/echo-works (phpt), T=php/tests/XTest.php (PHPUnit)
	@case '$(T)' in \
	'') echo "make test-one T=proto/ws_frame | T=ext/topic/name | T=php/tests/Name.php"; exit 2;; \
	ext/*) $(MAKE) ext && tools/run-phpt 'ext/tests/$(patsubst ext/%,%,$(patsubst ext/tests/%,ext/%,$(T:.phpt=))).phpt';; \
	*.php) $(MAKE) ext && tools/run-phpunit '$(T)';; \
	*) $(MAKE) '$(B)/unit/$(T:_test=)_test' && tools/run-units --verbose '$(B)/unit/$(T:_test=)_test';; \
	esac

test-phpt: $(call built,$(TUSK_SO)) ## the extension's phpt tests
	@tools/suite phpt ext/tests -- tools/run-phpt

test-phpt-valgrind: $(call built,$(TUSK_SO)) ## phpt under valgrind (slow; T=topic for one folder)
	@tools/suite phpt-valgrind ext/tests -- tools/run-phpt --valgrind $(if $(T),ext/tests/$(T))

test-jit: $(call built,$(TUSK_SO)) ## phpt under opcache and its JIT (JIT=tracing|function|1205)
	@tools/suite jit ext/tests -- tools/run-phpt --jit $(or $(JIT),tracing)

test-phpt-asan: $(call built,$(B)/ext-asan/modules/tusk.so) ## phpt with the extension and the core under ASan and UBSan
	@tools/suite phpt-asan ext/tests -- tools/run-phpt --asan $(if $(T),ext/tests/$(T))

test-phpize: ## phpize, ./configure and make, in a bare copy of ext/, as PIE does it; what the module exports
	@tools/suite phpize ext/tusk.c -- tools/test-phpize

test-php: $(call built,$(TUSK_SO)) ## PHPUnit of php/
	@tools/suite phpunit php/tests -- tools/run-phpunit php

coverage-php: $(TUSK_SO) ## which lines of PHP no suite runs, in workers and servers too: a table, and build/coverage-php/uncovered (T="phpunit chat" for some suites)
	@tools/coverage-php $(T)

test-chat: $(call built,$(TUSK_SO)) ## PHPUnit of apps/chat/
	@tools/suite chat apps/chat/tests -- tools/run-phpunit apps/chat

test-dashboard: $(call built,$(TUSK_SO)) ## PHPUnit of apps/dashboard/, and its benchmark in short form
	@tools/suite dashboard apps/dashboard/tests -- tools/run-phpunit apps/dashboard

stan: $(call built,$(TUSK_SO)) ## PHPStan at its highest level
	@tools/suite phpstan php/composer.json -- tools/run-phpstan

test-examples: $(call built,$(TUSK_SO)) ## the examples, run and talked to
	@tools/suite examples tests/e2e/examples.php -- $(PHP_EXT) tests/e2e/examples.php

test-e2e: $(call built,$(TUSK_SO)) ## faults, TLS, proxies and limits from outside (T=part of a name)
	@tools/suite e2e tests/e2e/run.php -- $(PHP) tests/e2e/run.php $(T)

test-docs: $(call built,$(TUSK_SO)) ## the documents: their programs and commands run, their links and names checked
	@tools/suite docs tests/docs/run.php -- $(PHP_EXT) tests/docs/run.php

test-browser: $(call built,$(TUSK_SO)) ## the chat in headless Chromium
	@tools/suite browser apps/chat/tests/browser -- tools/run-browser

# TLS for the player of the cases, which is plain PHP.
BRIDGE := $(if $(HAVE_OPENSSL),$(B)/conformance/tls-bridge)
$(B)/conformance/tls-bridge: tests/conformance/tls/bridge.c $(B)/release/flags
	@mkdir -p $(@D)
	@$(CC) -std=c11 -O2 -g $(WARN) $(DEFS) $< -lssl -lcrypto -o $@

test-conformance: $(call built,$(TUSK_SO)) $(BRIDGE) ## RFC 6455, 7692, 9112 and EventSource cases and attacks against the examples
	@tools/suite conformance tests/conformance/run.php -- $(PHP) tests/conformance/run.php --php "$(PHP_EXT)"

test-client: $(call built,$(TUSK_SO)) $(BRIDGE) ## the clients as the subject: WebSocket, HTTP, event streams
	@tools/suite conformance-client tests/conformance/client.php -- $(PHP) tests/conformance/client.php --php "$(PHP) -n -d extension=$(ROOT)/$(TUSK_SO)"

test-broken: $(BRIDGE) ## deliberately broken servers and clients: the conformance cases can fail
	@tools/suite broken tests/conformance/broken.php -- $(PHP) tests/conformance/broken.php

test-embed: $(call built,$(B)/libtusk.a) ## public headers alone in C11 and C++, install and link from outside
	@CC='$(CC)' LIBS='$(LIBS)' tools/suite embed tests/embed -- tools/test-embed

test-php84: ## build against PHP 8.4 in a Debian trixie root, run phpt and PHPUnit there (root, network once)
	@tools/suite php84 ext/tusk.c -- tools/test-php-root --php 8.4

test-php85: ## the same with PHP 8.5, of Debian experimental
	@tools/suite php85 ext/tusk.c -- tools/test-php-root --php 8.5

test-php86: ## the same with PHP 8.6, of Debian experimental
	@tools/suite php86 ext/tusk.c -- tools/test-php-root --php 8.6

ZTS ?= 8.2
test-zts: ## build a thread-safe debug PHP (ZTS=8.2|8.4) and run the phpt tests on it (slow and network, once)
	@tools/suite zts ext/tusk.c -- tools/test-zts --php $(ZTS)

fuzz: $(if $(filter api,$(T)),$(B)/ext-asan/modules/tusk.so) ## fuzz one target for long, with random seeds: T=ws_frame S=3600 ENGINE=clang|afl|gcc; T=api: the extension's classes
	@$(if $(filter api,$(T)),tools/run-fuzz-api --seconds $(S) --seed $$(date +%s),tools/run-fuzz --seconds $(S) $(if $(ENGINE),--engine $(ENGINE)) $(T))

fuzz-api: $(call built,$(B)/ext-asan/modules/tusk.so) ## odd calls of the extension's classes under ASan, the same seeds each time; planted faults are found
	@tools/suite fuzz-api tests/fuzz/api -- tools/run-fuzz-api --prove --seed 1 --seeds 24 --jobs 3

fuzz-build: ## every fuzz target, built and not run
	@tools/suite fuzz-build tests/fuzz -- tools/run-fuzz --build

fuzz-smoke: ## every fuzz target for 20 s, sessions on a processor of their own, parsers two to one, coverage printed; the same inputs each time
	@tools/suite fuzz tests/fuzz -- tools/run-fuzz --jobs $(JOBS) --parsers $$((2 * $(JOBS))) --seconds 20 --seed 1

coverage: ## which lines of the core and the extension no test runs: build/coverage/lines.txt and index.html (an hour; T="unit phpt" for some suites; gcovr)
	@tools/coverage $(T)

soak: $(call built,$(TUSK_SO)) ## a million connections, ten million messages, flat memory at the end (SCALE=1)
	@tools/suite soak tests/soak/soak.php -- $(PHP) tests/soak/soak.php --scale $(or $(SCALE),1) \
		--server "$(PHP_EXT) examples/echo.php {port}"

test-soak: ## the soak's short form
	@$(MAKE) soak SCALE=0.03

-include bench/bench.mk

# ---- checks ----
check: lib ## format, headers, layers, names, style, length, clang-tidy, arginfo and docs up to date, PHPStan; all of them, then the verdict
	@bad=; for step in check-format check-headers tools/check-layers tools/check-calls tools/check-packages tools/check-names tools/check-style tools/check-length tidy \
		"tools/gen-arginfo --check" "tools/gen-docs --check" stan; do \
		case $$step in tools/*) $$step || bad="$$bad $$step";; *) $(MAKE) $$step || bad="$$bad $$step";; esac; \
	done; [ -z "$$bad" ] && echo "check: all holds" || { echo "check: failed:$$bad"; exit 1; }

C_FILES = $(filter-out %_arginfo.h,$(shell find src include ext tests bench tools -name '*.[ch]' -not -path '*/libtusk/*'))
check-format:
	@echo "check: format"
	@if command -v clang-format >/dev/null; then clang-format --dry-run -Werror $(C_FILES); \
	else echo "skipped: format (no clang-format)"; fi
	@if [ -f php/vendor/bin/php-cs-fixer ]; then $(PHP) php/vendor/bin/php-cs-fixer check -q \
		|| { echo "check: php-cs-fixer would change files: make format"; exit 1; }; \
	else echo "skipped: format of PHP (no php-cs-fixer: tools/setup vendor)"; fi

format: ## clang-format and php-cs-fixer over the tree
	@clang-format -i $(C_FILES)
	@[ ! -f php/vendor/bin/php-cs-fixer ] || $(PHP) php/vendor/bin/php-cs-fixer fix -q

check-headers:
	@echo "check: public headers compile alone"
	@for h in $(HEADERS); do \
		$(CC) $(BASE) -xc -fsyntax-only -Wno-pedantic $$h; \
		if command -v g++ >/dev/null; then g++ -std=c++11 -Wall -Wextra -Werror -Iinclude -xc++ -fsyntax-only $$h; fi; \
	done

tidy: $(if $(BPF_CLANG),$(BPF_INC))
	@if command -v clang-tidy >/dev/null; then echo "check: clang-tidy (a minute)"; \
		printf '%s\n' $(CORE) | xargs -r -P$(JOBS) -n4 tools/run-tidy $(filter-out -W%,$(BASE)); \
	else echo "skipped: clang-tidy (not installed)"; fi

arginfo: ## ext/tusk_arginfo.h from ext/tusk.stub.php
	@tools/gen-arginfo

docs: ## docs/reference/php.md and php/stubs/tusk.php from the stub, library.md from php/src; with the built extension docs/reference/bench.md from the commands
	@tools/gen-docs
	@[ ! -f $(TUSK_SO) ] || [ ! -f php/vendor/autoload.php ] || tools/gen-cli-docs

# ---- the rest ----
VERSION = $(shell sed -n 's/^#define TUSK_VERSION "\(.*\)"/\1/p' include/tusk/version.h)
install: install-lib ext ## headers, libtusk.a and tusk.pc under PREFIX=/usr/local, the extension where PHP looks (DESTDIR=)
	@$(MAKE) -C $(B)/ext install INSTALL_ROOT=$(DESTDIR) >/dev/null
	@echo "installed under $(DESTDIR)$(PREFIX) and $(DESTDIR)$$($(PHP_CONFIG) --extension-dir)"

install-lib: $(call built,lib) ## headers, libtusk.a and tusk.pc only
	@install -d $(DESTDIR)$(PREFIX)/include/tusk $(DESTDIR)$(PREFIX)/lib/pkgconfig
	@install -m 644 $(HEADERS) $(DESTDIR)$(PREFIX)/include/tusk/
	@install -m 644 $(B)/libtusk.a $(DESTDIR)$(PREFIX)/lib/
	@printf '%s\n' 'prefix=$(PREFIX)' 'Name: tusk' 'Description: realtime core: WebSocket, SSE, HTTP' \
		'Version: $(or $(VERSION),0)' 'Cflags: -I$${prefix}/include' 'Libs: -L$${prefix}/lib -ltusk $(LIBS)' \
		>$(DESTDIR)$(PREFIX)/lib/pkgconfig/tusk.pc

clean: ## remove what was built (keeps downloaded tools and packages)
	@rm -rf $(B)/release $(B)/bpf $(B)/asan $(B)/tsan $(B)/list $(B)/unit $(B)/ext $(B)/ext-asan $(B)/phpize $(B)/fuzz $(B)/embed $(B)/*.a $(B)/results

help: ## this list
	@echo "Tusk: make <target>"; awk -F':.*## ' '/^[a-z0-9-]+:.*## /{printf "  %-20s %s\n", $$1, $$2}' Makefile $(wildcard bench/bench.mk)

FORCE:
