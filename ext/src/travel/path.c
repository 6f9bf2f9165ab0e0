/* SPDX-License-Identifier: MIT */
/* Where a value stands, as the one who sends it would write it. */
#include "src/travel/path.h"

void tusk_path_text(smart_str *out, const pack_path *path)
{
    if (path->root != NULL) {
        smart_str_appends(out, path->root);
        return;
    }
    tusk_path_text(out, path->outer);
    smart_str_appendc(out, '[');
    if (path->key != NULL) {
        smart_str_appendc(out, '\'');
        smart_str_append(out, path->key);
        smart_str_appendc(out, '\'');
    } else {
        smart_str_append_long(out, (zend_long)path->index);
    }
    smart_str_appendc(out, ']');
}

/* A path as deep as the codec allows is no message. */
void tusk_path_shorten(smart_str *path)
{
    enum { HEAD = 101, TAIL = 60 };
    if (ZSTR_LEN(path->s) > HEAD + TAIL + 3) {
        char *text = ZSTR_VAL(path->s);
        memcpy(text + HEAD, "...", 3);
        memmove(text + HEAD + 3, text + ZSTR_LEN(path->s) - TAIL, TAIL);
        ZSTR_LEN(path->s) = HEAD + 3 + TAIL;
    }
}
