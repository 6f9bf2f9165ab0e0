/* SPDX-License-Identifier: MIT */
/* A zend_extension for tools/coverage-php: which lines of PHP below ROOT were ever run, by any
 * process. Each source has a file of marks in MARKS, one byte a line, that all processes map: what
 * a worker did stands there although it was forked, left by _exit() or was killed, and nothing is
 * left to merge. (pcov and xdebug keep their counts in the process and tell at its end.) */
#include "php.h"

#include "zend_extensions.h"
#include "zend_vm_opcodes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LINES = 1 << 14, HAS_CODE = 1, RAN = 2 };

/* Where a source is not ours, or its marks cannot be mapped, slot has NULL. */
static int slot;

/* What stands on a line of its own although nobody wrote it, or is not run where its line is: a
 * switch jumps past its cases. */
static bool is_silent(const zend_op *op)
{
    switch (op->opcode) {
    case ZEND_NOP:
    case ZEND_OP_DATA:
    case ZEND_RECV:
    case ZEND_RECV_INIT:
    case ZEND_RECV_VARIADIC:
    case ZEND_JMP: /* of break and continue it is made later */
    case ZEND_CASE:
    case ZEND_CASE_STRICT:
    case ZEND_FREE:
    case ZEND_FE_FREE:
    case ZEND_FAST_CALL:
    case ZEND_FAST_RET:
    case ZEND_DISCARD_EXCEPTION:
    case ZEND_TICKS:
    case ZEND_EXT_STMT:
    case ZEND_EXT_NOP:
    case ZEND_HANDLE_EXCEPTION:
    case ZEND_USER_OPCODE:
    case ZEND_DECLARE_CLASS: /* a source that was loaded is no source that was run */
    case ZEND_DECLARE_CLASS_DELAYED:
    case ZEND_VERIFY_NEVER_TYPE: return true;
    case ZEND_VERIFY_RETURN_TYPE: return is_silent(op + 1);
    case ZEND_RETURN:
    case ZEND_RETURN_BY_REF:
    case ZEND_GENERATOR_RETURN:
        return op->extended_value == (uint32_t)-1; /* the compiler's own, at the closing brace */
    default: return false;
    }
}

static unsigned char *map_marks(const char *source)
{
    char name[MAXPATHLEN];
    int len = snprintf(name, sizeof(name), "%s/%s", MARKS, source);
    if (len < 0 || (size_t)len >= sizeof(name)) {
        return NULL;
    }
    for (char *at = name + sizeof(MARKS); *at != '\0'; at++) {
        *at = *at == '/' ? '%' : *at;
    }
    int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    void *marks = MAP_FAILED;
    if (fd >= 0 && ftruncate(fd, LINES) == 0) {
        marks = mmap(NULL, LINES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return marks == MAP_FAILED ? NULL : marks;
}

/* A source has many functions, one after another as the compiler comes to their ends. */
static unsigned char *marks_of(const zend_string *source)
{
    static char last[MAXPATHLEN];
    static unsigned char *marks;
    const size_t root = sizeof(ROOT) - 1;
    if (source == NULL || ZSTR_LEN(source) >= sizeof(last) ||
        strncmp(ZSTR_VAL(source), ROOT "/", root + 1) != 0) {
        return NULL;
    }
    if (strcmp(last, ZSTR_VAL(source)) != 0) {
        strcpy(last, ZSTR_VAL(source));
        const char *inside = last + root + 1;
        bool ours = strstr(inside, "src/") != NULL || strncmp(inside, "bench/lib/", 10) == 0;
        marks = ours && strstr(inside, "vendor/") == NULL ? map_marks(inside) : NULL;
    }
    return marks;
}

static void on_compiled(zend_op_array *code)
{
    unsigned char *marks = marks_of(code->filename);
    code->reserved[slot] = marks;
    for (uint32_t i = 0; marks != NULL && i < code->last; i++) {
        if (!is_silent(&code->opcodes[i]) && code->opcodes[i].lineno < LINES) {
            marks[code->opcodes[i].lineno] |= HAS_CODE;
        }
    }
}

static int on_opcode(zend_execute_data *frame)
{
    unsigned char *marks = frame->func->op_array.reserved[slot];
    if (marks != NULL && frame->opline->lineno < LINES) {
        marks[frame->opline->lineno] |= RAN;
    }
    return ZEND_USER_OPCODE_DISPATCH;
}

static int startup(zend_extension *self)
{
    slot = zend_get_resource_handle(self->name);
    for (int code = 0; code <= ZEND_VM_LAST_OPCODE; code++) {
        if (code != ZEND_HANDLE_EXCEPTION && code != ZEND_USER_OPCODE) {
            zend_set_user_opcode_handler((uint8_t)code, on_opcode);
        }
    }
    return slot >= 0 ? SUCCESS : FAILURE;
}

ZEND_DLEXPORT zend_extension_version_info extension_version_info = {ZEND_EXTENSION_API_NO,
                                                                    ZEND_EXTENSION_BUILD_ID};
ZEND_DLEXPORT zend_extension zend_extension_entry = {
    .name = "tusk coverage",
    .version = "1",
    .author = "Tusk",
    .URL = "",
    .copyright = "",
    .startup = startup,
    .op_array_handler = on_compiled,
    .resource_number = -1,
};
