/* SPDX-License-Identifier: MIT */
/* The log. Its lines go where error_log() has them; where that is a pipe that nobody reads, they
 * are lost rather than that all connections wait for its reader. What a full disk does not take is
 * lost as well, and both are counted. */
#include "src/run/call.h"

#include <SAPI.h>
#include <ext/date/php_date.h>
#include <errno.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a pipe that is writable takes without waiting: of Linux a page, PIPE_BUF of POSIX is less.
 */
enum { PART = 4096, PART_ELSEWHERE = 512 };

static bool is_pipe(int fd)
{
    struct stat about;
    return fstat(fd, &about) == 0 && (S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode));
}

static bool is_file(int fd)
{
    struct stat about;
    return fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
}

static bool is_told_to_stderr(void)
{
    const char *log = tusk_error_log();
    return log != NULL && strcmp(log, "/dev/stderr") == 0;
}

/* Where nothing of PHP's stands between. */
static bool goes_to_stderr(void)
{
    const char *log = tusk_error_log();
    return strcmp(sapi_module.name, "cli") == 0 &&
           (log == NULL || *log == '\0' || is_told_to_stderr());
}

/* Of a file that PHP opens by its name (/dev/stderr) only PHP knows where its end is. */
static bool is_written_here(void)
{
    return goes_to_stderr() &&
           (is_pipe(STDERR_FILENO) || (is_file(STDERR_FILENO) && !is_told_to_stderr()));
}

static bool takes_more(int fd)
{
    struct pollfd one = {.fd = fd, .events = POLLOUT};
    return poll(&one, 1, 0) == 1 && (one.revents & (POLLOUT | POLLERR | POLLHUP | POLLNVAL)) != 0;
}

/* Space may be made again; of a pipe's other errors nobody will ever read it. */
static bool is_full(int number)
{
    return number == ENOSPC || number == EDQUOT || number == EFBIG;
}

/* How much of it went: less than all where it takes no more, for now. */
static size_t write_parts(int fd, const char *text, size_t len)
{
#ifdef __linux__
    const size_t most = PART;
#else
    const size_t most = PART_ELSEWHERE;
#endif
    size_t went = 0;
    while (went < len && takes_more(fd)) {
        ssize_t n = write(fd, text + went, len - went < most ? len - went : most);
        if (n < 0 && is_full(errno)) {
            return went;
        }
        if (n < 0 && errno != EINTR) {
            return len; /* nobody will ever read it: as lost as with PHP's own */
        }
        went += n > 0 ? (size_t)n : 0;
    }
    return went;
}

/* As PHP writes it, who puts the time before a line of a file it was told. */
static zend_string *line_of(const char *text)
{
    zend_string *line;
    if (!is_told_to_stderr()) {
        return zend_strpprintf(0, "%s\n", text);
    }
    zend_string *now = php_format_date(ZEND_STRL("d-M-Y H:i:s e"), time(NULL), true);
    line = zend_strpprintf(0, "[%s] %s\n", ZSTR_VAL(now), text);
    zend_string_release(now);
    return line;
}

static zend_string *with_loss(zend_string *line)
{
    char text[96];
    (void)snprintf(text, sizeof(text), "Tusk: " ZEND_LONG_FMT " lines of this log are lost: %s",
                   TUSK_G(log_lost),
                   is_pipe(STDERR_FILENO) ? "nobody read it" : "the disk, or the file, was full");
    zend_string *loss = line_of(text);
    zend_string *both =
        zend_strpprintf(0, "%s%s%s", TUSK_G(log_cut) ? "\n" : "", ZSTR_VAL(loss), ZSTR_VAL(line));
    zend_string_release(loss);
    zend_string_release(line);
    return both;
}

static void write_line(const char *text)
{
    zend_string *line = line_of(text);
    if (TUSK_G(log_lost) > 0) {
        line = with_loss(line);
    }
    size_t went = write_parts(STDERR_FILENO, ZSTR_VAL(line), ZSTR_LEN(line));
    bool whole = went == ZSTR_LEN(line);
    TUSK_G(log_lost) = whole ? 0 : TUSK_G(log_lost) + 1;
    TUSK_G(log_cut) = !whole && (went > 0 || TUSK_G(log_cut));
    zend_string_release(line);
}

void tusk_log_line(const char *text)
{
    if (is_written_here()) {
        write_line(text);
    } else {
        php_log_err(text);
    }
}

void tusk_log(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    zend_string *text = zend_vstrpprintf(0, format, args);
    va_end(args);
    zend_string *line = zend_strpprintf(0, "Tusk: %s", ZSTR_VAL(text));
    tusk_log_line(ZSTR_VAL(line));
    zend_string_release(line);
    zend_string_release(text);
}
