dnl SPDX-License-Identifier: MIT
dnl Two ways to build: --with-tusk-core=DIR links DIR/build/libtusk.a (our Makefile does this); without it
dnl the core's sources are linked in as ext/libtusk and compiled into the extension (phpize by hand, PIE).

PHP_ARG_ENABLE([tusk],
  [whether to enable the Tusk extension],
  [AS_HELP_STRING([--enable-tusk], [Enable the Tusk realtime runtime])],
  [yes])
PHP_ARG_WITH([tusk-core],
  [for a built core of Tusk],
  [AS_HELP_STRING([--with-tusk-core=DIR], [Link DIR/build/libtusk.a instead of compiling the core in])],
  [no], [no])
PHP_ARG_WITH([tusk-openssl],
  [for OpenSSL in Tusk],
  [AS_HELP_STRING([--without-tusk-openssl], [Build Tusk without TLS])],
  [auto], [no])
PHP_ARG_WITH([tusk-libbpf],
  [for libbpf in Tusk],
  [AS_HELP_STRING([--without-tusk-libbpf], [Build Tusk without the kernel's relay (sockmap; needs clang as well)])],
  [auto], [no])
PHP_ARG_WITH([tusk-zlib],
  [for zlib in Tusk],
  [AS_HELP_STRING([--without-tusk-zlib], [Build Tusk without permessage-deflate and gzip])],
  [auto], [no])

PHP_ARG_WITH([tusk-liburing],
  [for liburing in Tusk],
  [AS_HELP_STRING([--without-tusk-liburing], [Build Tusk without its io_uring relay])],
  [auto], [no])

if test "$PHP_TUSK" != "no"; then
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [[char wide[sizeof(void *) >= 8 ? 1 : -1]; (void)wide]])], [],
    [AC_MSG_ERROR([Tusk wants a 64-bit system, and $CC compiles for 32 bits])])
  tusk_source_dir=`cd "$srcdir" && pwd`
  tusk_defines=""

  dnl TUSK_LIBRARY(pkg-config name, libraries, define, option's value)
  AC_DEFUN([TUSK_LIBRARY], [
    AC_MSG_CHECKING([for $1 in Tusk])
    if test "$4" != "no" && pkg-config --exists $1 2>/dev/null; then
      PHP_EVAL_INCLINE(`pkg-config --cflags $1`)
      PHP_EVAL_LIBLINE(`pkg-config --libs $1`, TUSK_SHARED_LIBADD)
      tusk_defines="$tusk_defines -D$3"
      AC_MSG_RESULT([yes])
    else
      AC_MSG_RESULT([no])
      if test "$4" = "yes"; then
        AC_MSG_ERROR([$1 was asked for, but pkg-config does not know it])
      fi
    fi
  ])

  tusk_sources="tusk.c `cd "$tusk_source_dir" && ls src/*.c src/*/*.c 2>/dev/null | tr '\n' ' '`"
  if test "$PHP_TUSK_CORE" != "no"; then
    if test ! -f "$PHP_TUSK_CORE/build/libtusk.a"; then
      AC_MSG_ERROR([$PHP_TUSK_CORE/build/libtusk.a is not there: run make lib first])
    fi
    tusk_include="$PHP_TUSK_CORE/include"
    TUSK_SHARED_LIBADD="$PHP_TUSK_CORE/build/libtusk.a $TUSK_SHARED_LIBADD"
  else
    dnl The link must not be called "core": autoconf removes files of that name.
    if test ! -d "$tusk_source_dir/../src/base"; then
      AC_MSG_ERROR([the core's sources are not beside ext/ (../src): use --with-tusk-core=DIR])
    fi
    if test ! -e "$tusk_source_dir/libtusk"; then
      ln -s ../src "$tusk_source_dir/libtusk" || AC_MSG_ERROR([cannot link ../src to ext/libtusk])
    fi
    tusk_include="$tusk_source_dir/../include"
    tusk_core_sources=`cd "$tusk_source_dir" && ls libtusk/*/*.c libtusk/*/*/*.c | grep -Ev '^libtusk/relay/(uring|sockmap)/' | tr '\n' ' '`
    tusk_sources="$tusk_sources $tusk_core_sources"
    dnl The core's files define _GNU_SOURCE themselves, those that need it.
    tusk_defines="$tusk_defines -U_GNU_SOURCE -I$tusk_source_dir/libtusk"
  fi

  dnl The kernel's relay: clang compiles its program for the kernel, libbpf loads it.
  AC_PATH_PROG([TUSK_CLANG], [clang])
  if test -z "$TUSK_CLANG"; then
    if test "$PHP_TUSK_LIBBPF" = "yes"; then
      AC_MSG_ERROR([libbpf was asked for, but there is no clang to compile the program for the kernel])
    fi
    AC_MSG_WARN([no clang: Tusk is built without sockmap])
    PHP_TUSK_LIBBPF=no
  elif test "$PHP_TUSK_CORE" = "no" && test "$PHP_TUSK_LIBBPF" != "no" && pkg-config --exists libbpf 2>/dev/null; then
    tusk_bpf="`pwd`/tusk-bpf"
    if sh "$tusk_source_dir/libtusk/relay/sockmap/embed" "$TUSK_CLANG" "$tusk_bpf/relay/sockmap/verdict.bpf.inc" >&AS_MESSAGE_LOG_FD 2>&1; then
      tusk_defines="$tusk_defines -I$tusk_bpf"
      tusk_sources="$tusk_sources `cd "$tusk_source_dir" && ls libtusk/relay/sockmap/*.c | grep -v '\.bpf\.c$' | tr '\n' ' '`"
    else
      AC_MSG_WARN([clang does not compile for the kernel: Tusk is built without sockmap])
      PHP_TUSK_LIBBPF=no
    fi
  fi
  TUSK_LIBRARY([libbpf], [], [TUSK_HAVE_LIBBPF], [$PHP_TUSK_LIBBPF])
  TUSK_LIBRARY([openssl], [], [TUSK_HAVE_OPENSSL], [$PHP_TUSK_OPENSSL])
  TUSK_LIBRARY([zlib], [], [TUSK_HAVE_ZLIB], [$PHP_TUSK_ZLIB])
  TUSK_LIBRARY([liburing], [], [TUSK_HAVE_LIBURING=`pkg-config --modversion liburing`], [$PHP_TUSK_LIBURING])
  dnl Sources that only this library can compile.
  case "$tusk_defines" in
    *TUSK_HAVE_LIBURING*)
      if test "$PHP_TUSK_CORE" = "no"; then
        tusk_sources="$tusk_sources `cd "$tusk_source_dir" && ls libtusk/relay/uring/*.c | tr '\n' ' '`"
      fi;;
  esac

  PHP_NEW_EXTENSION([tusk], [$tusk_sources], [$ext_shared],,
    [-std=gnu11 -fvisibility=hidden -I$tusk_include $tusk_defines -DZEND_ENABLE_STATIC_TSRMLS_CACHE=1])
  PHP_ADD_BUILD_DIR([$ext_builddir/src])
  for tusk_room in `cd "$tusk_source_dir" && ls -d src/*/`; do
    PHP_ADD_BUILD_DIR([$ext_builddir/$tusk_room])
  done
  if test "$PHP_TUSK_CORE" = "no"; then
    for tusk_layer in `cd "$tusk_source_dir" && ls -d libtusk/*/ libtusk/*/*/`; do
      PHP_ADD_BUILD_DIR([$ext_builddir/$tusk_layer])
    done
  fi
  dnl The core marks its public functions as exports; the module shows get_module and nothing else.
  TUSK_SHARED_LIBADD="-export-symbols-regex ^get_module $TUSK_SHARED_LIBADD"
  PHP_SUBST([TUSK_SHARED_LIBADD])
fi
