/* SPDX-License-Identifier: MIT */
/*
 * PHP values as bytes for another process of the same machine and build: scalars and arrays by a
 * codec of our own, enum cases by name, closures by where they stand, other objects by serialize.
 * docs/internals/work.md has the format.
 */
#ifndef TUSK_EXT_TRAVEL_H
#define TUSK_EXT_TRAVEL_H

#include "php_tusk.h"

enum {
    PACK_SHAPES = 16,
    PACK_SHAPE_KEYS = 32,
    PACK_DEPTH = 256,
    PACK_NAMES = 4096,
    PACK_NAMES_FEW = 8 /* that need no table */
};

/* Of a closure that captures a variable by reference. */
#define TRAVEL_REFERS                                                                              \
    "the closure captures $%s by reference: what a worker changes stays there; "                   \
    "capture the value, and return the new one"

/* From the root to the value that is being packed, for messages. */
typedef struct pack_path {
    const struct pack_path *outer;
    const char *root; /* "$args", "$result"; NULL: a key of an array */
    zend_string *key; /* NULL: `index` */
    zend_ulong index;
} pack_path;

/* Of what is open: a file, a connection. */
#define TRAVEL_OPEN ": what is open stays in its process; open it where it is used"

typedef struct pack_shape {
    uint32_t count;
    zend_string *keys[PACK_SHAPE_KEYS];
} pack_shape;

typedef struct tusk_pack_objects tusk_pack_objects; /* pack_object.c */

typedef struct tusk_packer {
    uint8_t *ptr;
    size_t len, cap;
    bool fixed;         /* room of somebody else's: when it is full, that is the fault */
    bool full;          /* it was */
    bool forkable;      /* the fault is one that a fork of this process does not have */
    HashTable *allowed; /* classes (lower case) that may travel; NULL: all */
    zend_string *fault; /* what cannot travel, and why */
    uint32_t depth;
    uint32_t name_count;
    zend_string *few_names[PACK_NAMES_FEW]; /* keys already sent, by number */
    HashTable names;                        /* those beyond them => number */
    uint32_t shape_count;
    pack_shape shapes[PACK_SHAPES];
    tusk_pack_objects *objects; /* NULL: none yet */
} tusk_packer;

void tusk_packer_init(tusk_packer *self, uint8_t *room, size_t cap); /* NULL: grows by itself */
void tusk_packer_fini(tusk_packer *self);
/* Another message in the same room, in place of what stands there. */
void tusk_packer_again(tusk_packer *self);
/* False: `fault` tells, or an exception was thrown by the value's own code. */
bool tusk_pack(tusk_packer *self, const zval *value, const pack_path *path);
bool tusk_pack_bytes(tusk_packer *self, const void *bytes, size_t len); /* as they are */
bool tusk_pack_number(tusk_packer *self, uint64_t number);
bool tusk_pack_text(tusk_packer *self, const zend_string *text); /* NULL: empty */
bool tusk_pack_key(tusk_packer *self, zend_string *key);         /* key.c */
bool tusk_pack_object(tusk_packer *self, const zval *value, const pack_path *path);
void tusk_pack_objects_free(tusk_packer *self);
bool tusk_pack_objects_end(tusk_packer *self);
/* After the last value of a message: its objects. */
static inline bool tusk_pack_end(tusk_packer *self)
{
    return self->objects == NULL || tusk_pack_objects_end(self);
}
bool tusk_pack_fault(tusk_packer *self, const pack_path *path, const char *format, ...)
    ZEND_ATTRIBUTE_FORMAT(printf, 3, 4);

/* Keys of maps that look alike, and one with these keys and nothing in it, which the others are
 * copies of: a copy needs no lookups. */
typedef struct unpack_shape {
    pack_shape keys;
    zend_array *blank; /* NULL: it came only once so far */
} unpack_shape;

/* ---- moments (moment.c) ---- */
/* By the clock that files are stamped by, and by one that nobody sets; all zero: before everything.
 */
typedef struct tusk_moment {
    uint64_t wall_ns, clock_ns;
} tusk_moment;
tusk_moment tusk_moment_now(void);
/* What tells one state of a file from the next; 0: there is no file. */
uint64_t tusk_moment_of_change(const zend_string *file);
/* Whether the file changed since. */
bool tusk_moment_before_change(const tusk_moment *self, const zend_string *file);

typedef struct tusk_unpacker {
    const uint8_t *at, *end;
    HashTable *allowed;
    const char *fault; /* static */
    uint32_t depth;
    zend_string **names; /* `few_names`, while there is room */
    uint32_t name_count, name_cap;
    zend_string *few_names[PACK_NAMES_FEW];
    uint32_t shape_count;
    unpack_shape shapes[PACK_SHAPES];
    zend_array *objects;  /* those that no value has got yet are among them */
    uint32_t object_next; /* whose turn it is */
    bool alive;           /* the objects were looked for */
    tusk_moment made;     /* files changed after this moment are not what the sender had */
    size_t claims;        /* elements that arrays may still announce: each is a byte at least */
    size_t room;          /* bytes of memory that may still be taken */
    bool prepaid;         /* all that these bytes can become, but objects, is taken off `room` */
    bool too_large;       /* the fault is that there was no such room */
} tusk_unpacker;

void tusk_unpacker_init(tusk_unpacker *self, tusk_bytes bytes);
/* So much memory may be taken, which is counted; without this, or with SIZE_MAX, any. */
void tusk_unpacker_limit(tusk_unpacker *self, size_t room);
void tusk_unpacker_fini(tusk_unpacker *self);
/* False: `fault` tells (bytes that mean nothing), or an exception was thrown. `out` is null then.
 */
bool tusk_unpack(tusk_unpacker *self, zval *out);
bool tusk_unpack_number(tusk_unpacker *self, uint64_t *out);
/* Borrowed from the bytes. */
bool tusk_unpack_view(tusk_unpacker *self, tusk_bytes *out);
zend_string *tusk_unpack_text(tusk_unpacker *self); /* NULL: it means nothing */
/* A string key of the caller's to release, or NULL: `*index`, or a fault (key.c). */
zend_string *tusk_unpack_key(tusk_unpacker *self, zend_ulong *index);
/* Notes what is wrong, unless something was; false. */
bool tusk_unpack_broken(tusk_unpacker *self, const char *fault);
/* Counts memory that is about to be taken. False: it is not there, which is noted. */
bool tusk_unpack_spend(tusk_unpacker *self, size_t bytes);
/* Behind their tags (object.c). */
bool tusk_unpack_object(tusk_unpacker *self, zval *out);
bool tusk_unpack_enum(tusk_unpacker *self, zval *out);
/* What a memory limit leaves to this process; SIZE_MAX without one. */
size_t tusk_memory_left(void);

/* ---- closures (closure.c) ---- */
bool tusk_pack_closure(tusk_packer *self, zend_object *closure, const pack_path *path);
bool tusk_unpack_closure(tusk_unpacker *self, zval *out);
const zend_function *tusk_closure_parts(zend_object *closure, zend_class_entry **called,
                                        zend_object **bound);

/* The first variable that it captures by reference (`use (&$x)`); NULL: none. */
const zend_string *tusk_closure_refers(zend_object *closure);
/* What is live in what a closure captures, or in an argument, which a fork would share; `root` is
 * what it is called. The caller releases the sentence, NULL: nothing (live.c). */
zend_string *tusk_find_live(const zval *value, const char *root);
/* A closure that captures by reference in what a closure captures, or in an argument: in closures
 * and arrays. What objects know is theirs, as their properties are. */
zend_string *tusk_find_referring(const zval *value, const char *root);
/* Both of all that a job is called with. */
zend_string *tusk_job_unshareable(zval *job, uint32_t argc, zval *argv);

/* What tells closures on the same lines apart: their code, which is the same number wherever the
 * file is compiled, and the names of arguments in calls, which are not: where the function is
 * known, the compiler drops one that stands in its place. */
typedef struct tusk_print {
    uint64_t code, names;
} tusk_print;
tusk_print tusk_fingerprint(const zend_op_array *code);

/* ---- their code (find.c) ---- */
/* What tells two closures on the same lines apart, and an edited file from the one it was. */
typedef struct tusk_declared {
    zend_string *file;
    uint32_t first, last;
    tusk_print print;
} tusk_declared;
/* Of a closure that was declared as `made` was. NULL: an exception was thrown. */
zend_op_array *tusk_closure_find(const tusk_declared *wanted, zend_class_entry *scope,
                                 const tusk_moment *made);

/* ---- jobs (job.c): what is called with what ---- */
bool tusk_pack_job(tusk_packer *self, zval *job, uint32_t argc, zval *argv);
/* Runs it. False: `fault` tells, or an exception was thrown. */
bool tusk_run_job(tusk_unpacker *self, zval *result);
/* The same with the caller's own values. False: an exception was thrown. */
bool tusk_call_job(zval *job, uint32_t argc, zval *argv, zval *result);
/* Why it is no job ("is neither …"); NULL: it is one. */
const char *tusk_job_fault(zval *job);

/* ['strlen', 'abc'] is a function and its argument, unless there is such a class. */
bool tusk_job_is_function(zend_string *name);

/* ---- what a job is called (job_name.c) ---- */
/* All zero: nothing is known of it. */
typedef struct tusk_job_name {
    zend_string *text;   /* a function or class, or a closure's file */
    zend_string *method; /* or the first argument, where `text` turns out to be a function */
    zend_string *key;    /* of several jobs; NULL: `index` */
    zend_ulong index;
    uint32_t line; /* of a closure */
    bool keyed;
} tusk_job_name;
void tusk_job_name_take(tusk_job_name *self, zval *job);
/* It is one of several, under that key. */
void tusk_job_name_key(tusk_job_name *self, zend_string *key, zend_ulong index);
void tusk_job_name_drop(tusk_job_name *self);
/* The message, which is taken over, with the task's name behind it. */
zend_string *tusk_job_name_add(const tusk_job_name *self, zend_string *message);

/* ---- exceptions (error.c) ---- */
bool tusk_pack_error(tusk_packer *self, zend_object *error);
/* NULL: the bytes mean nothing. */
zend_object *tusk_unpack_error(tusk_unpacker *self);

/* What was remembered of names and code goes with the request. */
void tusk_travel_shutdown(void);

#endif
