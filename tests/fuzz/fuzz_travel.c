/* SPDX-License-Identifier: MIT */
/* What comes back from a worker: values and whole answers from any bytes, inside an embedded PHP
 * (built only where there is one: tools/fuzz.mk). Beyond the sanitizers: no fatal error, every
 * answer ends its task, memory stays within a multiple of the bytes and is given back, and what was
 * decoded packs to bytes that decode to the same. */
#include "fuzz.h"

#include "src/parallel/parallel.h"

#include <malloc.h>
#include <sapi/embed/php_embed.h>

/* A byte may become an element of an array in a full row of them; the rest is for exceptions. */
#define BYTES_PER_BYTE 256
#define BYTES_APART ((size_t)512 * 1024)

/* What PHP keeps to its end is no leak of ours; ours are seen by what is live after each input. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return 1;
}

/* ---- PHP's allocator: malloc, counted ---- */
static size_t live, peak;

static void *count(void *block)
{
    FUZZ_CHECK(block != NULL);
    live += malloc_usable_size(block);
    peak = live > peak ? live : peak;
    return block;
}

static void *take(size_t size)
{
    return count(malloc(size == 0 ? 1 : size));
}

static void give(void *block)
{
    live -= malloc_usable_size(block);
    free(block);
}

static void *resize(void *block, size_t size)
{
    live -= block == NULL ? 0 : malloc_usable_size(block);
    return count(realloc(block, size == 0 ? 1 : size));
}

static int startup(sapi_module_struct *module)
{
#if PHP_VERSION_ID >= 80200
    return php_module_startup(module, &tusk_module_entry);
#else
    return php_module_startup(module, &tusk_module_entry, 1);
#endif
}

static tusk_pool *pool;

/* Beside the dates: typed and readonly properties, and what runs when objects arrive and go. */
static const char classes[] =
    "class Keeps { public int $n = 0; public ?Keeps $k = null; public array $a = []; protected $p; "
    "  private $q; public readonly int $r; public function __wakeup() { $this->n &= 255; } }"
    "class Fresh { public $d; public function __serialize(): array { return $this->d ?? []; } "
    "  public function __unserialize(array $d): void { "
    "    if (isset($d['throw'])) { throw new Exception('no'); } $this->d = $d; } }"
    "class Ends { public $x; public function __destruct() { throw new Exception('gone'); } }"
    "class Own implements Serializable { public $t = ''; "
    "  public function serialize() { return $this->t; } "
    "  public function unserialize($t) { $this->t = $t; } }";

static void begin(void)
{
    static char name[] = "fuzz_travel";
    static char *argv[] = {name, NULL};
    static const char *const names[] = {"Keeps",      "Fresh", "Ends", "Own", "SplObjectStorage",
                                        "ArrayObject"};
    zval sync;
    zval list;
    (void)setenv("USE_ZEND_ALLOC", "0", 1);
    php_embed_module.startup = startup;
    php_embed_module.php_ini_ignore = 1;
    FUZZ_CHECK(php_embed_init(1, argv) == SUCCESS);
    zend_mm_set_custom_handlers(zend_mm_get_heap(), take, give, resize);
    PG(display_errors) = 0;
    PG(log_errors) = 0;
    EG(error_reporting) = 0;
    FUZZ_CHECK(zend_eval_string((char *)(uintptr_t)classes, NULL, name) == SUCCESS);
    array_init(&list);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        add_next_index_string(&list, names[i]);
    }
    FUZZ_CHECK(object_init_ex(&sync, tusk_ce_sync) == SUCCESS);
    zend_call_known_instance_method_with_1_params(tusk_ce_sync->constructor, Z_OBJ(sync), NULL,
                                                  &list);
    zval_ptr_dtor(&list);
    FUZZ_CHECK(EG(exception) == NULL);
    pool = tusk_pool_of(Z_OBJ(sync));
}

/* ---- what is done with the bytes ---- */
static void forget_exception(void)
{
    if (EG(exception) != NULL) {
        zend_clear_exception();
    }
}

static void answer(tusk_bytes bytes)
{
    tusk_php_task *task = tusk_task_make(pool, 0);
    tusk_task_answer(task, bytes);
    FUZZ_CHECK(tusk_task_ended(task));
    FUZZ_CHECK((task->state == TASK_DONE) == (task->error == NULL));
    if (task->error != NULL) {
        zval text;
        ZVAL_UNDEF(&text);
        zend_call_method_with_0_params(task->error, task->error->ce, NULL, "__tostring", &text);
        forget_exception();
        zval_ptr_dtor(&text);
    }
    OBJ_RELEASE(&task->std);
    forget_exception(); /* a destructor's of what came */
}

static bool unpack(tusk_bytes bytes, zval *out)
{
    tusk_unpacker in;
    tusk_unpacker_init(&in, bytes);
    in.allowed = pool->allowed;
    bool ok = tusk_unpack(&in, out);
    FUZZ_CHECK(ok || in.fault != NULL || EG(exception) != NULL);
    FUZZ_CHECK(ok || Z_TYPE_P(out) == IS_NULL);
    tusk_unpacker_fini(&in);
    return ok;
}

/* False: objects whose own code does not want to. */
static bool pack(tusk_packer *out, zval *value)
{
    pack_path path = {.root = "$result"};
    tusk_packer_init(out, NULL, 0);
    out->allowed = pool->allowed;
    bool ok = tusk_pack(out, value, &path) && tusk_pack_end(out);
    forget_exception();
    return ok;
}

/* What was packed is taken, and packs to the same. But PHP writes dates that it does not read, such
 * as one whose offset is 62 hours: then an exception of its own says so. */
static void again(tusk_packer *once)
{
    zval second;
    tusk_packer twice;
    if (unpack(tusk_bytes_of(once->ptr, once->len), &second)) {
        FUZZ_CHECK(pack(&twice, &second));
        FUZZ_CHECK(once->len == twice.len && memcmp(once->ptr, twice.ptr, once->len) == 0);
        tusk_packer_fini(&twice);
        zval_ptr_dtor(&second);
    } else {
        FUZZ_CHECK(EG(exception) != NULL);
    }
}

static void value(tusk_bytes bytes)
{
    zval first;
    tusk_packer once;
    if (unpack(bytes, &first)) {
        if (pack(&once, &first)) {
            again(&once);
        }
        tusk_packer_fini(&once);
    }
    zval_ptr_dtor(&first);
    forget_exception();
}

/* Without a frame PHP takes whatever is thrown for uncaught. */
static void once(tusk_bytes bytes)
{
    volatile bool fatal = false;
    zend_execute_data frame = {.func = (zend_function *)(uintptr_t)&zend_pass_function};
    EG(current_execute_data) = &frame;
    zend_try
    {
        if (bytes.ptr[0] == 0) {
            value(tusk_bytes_of(bytes.ptr + 1, bytes.len - 1));
        } else {
            answer(tusk_bytes_of(bytes.ptr + 1, bytes.len - 1));
        }
        gc_collect_cycles();
        forget_exception();
    }
    zend_catch
    {
        fatal = true;
    }
    zend_end_try();
    EG(current_execute_data) = NULL;
    FUZZ_CHECK(!fatal);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (pool == NULL) {
        begin();
    }
    if (size == 0) {
        return 0;
    }
    tusk_bytes bytes = fuzz_copy(data, size);
    size_t before = live;
    peak = live;
    once(bytes);
    FUZZ_CHECK(peak - before <= BYTES_APART + size * BYTES_PER_BYTE);
    for (int i = 0; live > before; i++) { /* the first time something may be remembered for good */
        FUZZ_CHECK(i < 3);
        before = live;
        once(bytes);
    }
    fuzz_drop(bytes);
    return 0;
}
