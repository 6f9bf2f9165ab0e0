# SPDX-License-Identifier: MIT
# Builds the fuzz targets; called by tools/run-fuzz with ENGINE=clang|afl|gcc, TARGETS="noun ..." and PHP_LIB, the embedded PHP.
D := build/fuzz/$(ENGINE)
comma := ,
have = $(shell pkg-config --exists $(1) 2>/dev/null && echo yes)
DEFS := $(if $(call have,openssl),-DTUSK_HAVE_OPENSSL) $(if $(call have,zlib),-DTUSK_HAVE_ZLIB)
LIBS := $(if $(call have,openssl),-lssl -lcrypto) $(if $(call have,zlib),-lz) -lpthread -lm
COMMON := -std=c11 -g1 -O1 -fno-omit-frame-pointer -Iinclude -Isrc -Itests/fuzz $(DEFS) -DTUSK_FUZZ
ifeq ($(ENGINE),clang)
CC := clang
CORE_FLAGS := $(COMMON) -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
LINK := -fsanitize=fuzzer,address,undefined
DRIVER :=
# How deep the stack was is no coverage: it differs from run to run with where the stack begins.
CORE_FLAGS += -fno-sanitize-coverage=stack-depth
else ifeq ($(ENGINE),afl)
CC := afl-clang-fast
CORE_FLAGS := $(COMMON) -fsanitize=address,undefined -fno-sanitize-recover=all
LINK := -fsanitize=fuzzer,address,undefined
DRIVER :=
else
CC := gcc
CORE_FLAGS := $(COMMON) -fsanitize=address,undefined -fno-sanitize-recover=all -fsanitize-coverage=trace-pc
LINK := -fsanitize=address,undefined
DRIVER := $(D)/driver.o
endif
CORE := $(filter-out src/load/% src/crew/%,$(wildcard src/*/*.c)) $(filter-out src/relay/uring/% src/relay/sockmap/%,$(wildcard src/*/*/*.c))
OBJECTS := $(CORE:src/%.c=$(D)/core/%.o)
LIBRARY := $(D)/core.a
# These stand in the extension: compiled with it, linked with an embedded PHP.
IN_PHP := travel
PHP_FLAGS := -std=gnu11 -Iext $(subst -I,-isystem ,$(shell $(or $(PHP_CONFIG),php-config) --includes 2>/dev/null))
EXT := $(filter-out ext/tusk_arginfo.c,$(wildcard ext/*.c ext/src/*.c ext/src/*/*.c))
# What no input reaches (fuzz_travel -print_coverage=1) is there to be linked, and nothing looks into it: the extension's own objects, and
# build/libtusk.a behind the library for what that leaves out.
LOOKED_INTO := $(filter ext/src/travel/% ext/src/parallel/%,$(EXT))
$(foreach d,travel parallel,$(if $(filter ext/src/$(d)/%,$(EXT)),,$(error fuzz.mk: ext/src/$(d) is not there, and fuzz_travel would be blind)))
EXT_OBJECTS := $(LOOKED_INTO:ext/%.c=$(D)/ext/%.o) $(foreach c,$(filter-out $(LOOKED_INTO),$(EXT)),build/$(dir $(c)).libs/$(notdir $(c:.c=.o)))
# tests/fuzz/still.h has the wall clock of these.
STILL := client http_session relay_http stream_session ws_session

all: $(TARGETS:%=$(D)/fuzz_%)

$(D)/core/%.o: src/%.c tools/fuzz.mk
	@mkdir -p $(@D)
	$(CC) $(CORE_FLAGS) -MMD -MP -c $< -o $@

$(D)/driver.o: tests/fuzz/driver.c tools/fuzz.mk
	@mkdir -p $(@D)
	$(CC) $(COMMON) -fsanitize=address,undefined -c $< -o $@

$(LIBRARY): $(OBJECTS)
	@rm -f $@; ar rcs $@ $^

$(D)/ext/%.o: ext/%.c tools/fuzz.mk
	@mkdir -p $(@D)
	$(CC) $(CORE_FLAGS) $(PHP_FLAGS) -MMD -MP -c $< -o $@

$(IN_PHP:%=$(D)/fuzz_%): $(D)/fuzz_%: tests/fuzz/fuzz_%.c $(LIBRARY) $(EXT_OBJECTS) build/libtusk.a $(DRIVER)
	@mkdir -p $(@D)
	$(CC) $(CORE_FLAGS) $(PHP_FLAGS) -MMD -MP -MF $@.d $< $(DRIVER) $(EXT_OBJECTS) $(LIBRARY) build/libtusk.a $(LINK) $(PHP_LIB) $(LIBS) -o $@

$(D)/fuzz_%: tests/fuzz/fuzz_%.c $(LIBRARY) $(DRIVER)
	@mkdir -p $(@D)
	$(CC) $(CORE_FLAGS) -MMD -MP -MF $@.d $< $(DRIVER) $(LIBRARY) $(LINK) \
		$(if $(filter $*,$(STILL)),-Wl$(comma)--wrap=tusk_loop_wall_s) $(LIBS) -o $@

.PHONY: all
.SECONDARY:
-include $(OBJECTS:.o=.d) $(EXT_OBJECTS:.o=.d) $(TARGETS:%=$(D)/fuzz_%.d)
