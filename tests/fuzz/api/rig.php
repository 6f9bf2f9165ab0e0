<?php

declare(strict_types=1);

// What a child of the API fuzzer has: open objects, the trace of its calls, and its bounds.

final class Rig
{
    public const KEEP = 40;
    /** Calls within calls; and frames of PHP on one stack, as each fiber has a small one. */
    public const DEPTH = 6;
    public const FRAMES = 120;
    /** Each forks: how many of them a child makes. */
    public const FORKS = ['Tusk\Parallel\Pool' => 2, 'Tusk\Bench\EchoServer' => 2, 'Tusk\Bench\Load' => 2];

    /** @var list<object> */
    public static array $objects = [];
    /** @var list<string> of timers that may be cancelled */
    public static array $ids = ['1'];
    /** @var list<resource> that may be closed */
    public static array $streams = [];
    /** @var array<string, ReflectionClass<object>> */
    public static array $classes = [];
    /** @var array<string, int> how many may still be made */
    public static array $forks = self::FORKS;
    /** @var WeakMap<Iterator, object> whose they are, of those that wait for what comes */
    public static WeakMap $walked;
    public static int $depth = 0;
    /** Servers and proxies whose run() is on the stack. */
    public static int $running = 0;
    /** Of a server that takes connections; 1: nobody does. */
    public static int $port = 1;
    /** Where proxies may send their clients; 1: nobody listens. */
    public static int $backend = 1;
    private static string $end = '';
    private static bool $compares = false;
    private static int $pid;
    /** @var resource */
    private static $trace;

    public static function start(string $trace): void
    {
        self::$trace = fopen($trace, 'w');
        self::$pid = getmypid();
        self::$walked = new WeakMap();
        register_shutdown_function(self::end(...));
        set_error_handler(self::onError(...));
        set_exception_handler(self::uncaught(...));
        foreach ((new ReflectionExtension('tusk'))->getClasses() as $name => $class) {
            if (!$class->isInterface()) {
                self::$classes[$name] = $class;
            }
        }
    }

    public static function say(string $line): void
    {
        fwrite(self::$trace, str_repeat('  ', self::$depth) . strtr(substr($line, 0, 200), "\r\n", '  ') . "\n");
    }

    /** Objects that hold themselves end PHP there. */
    public static function compare(object $object, mixed $other): void
    {
        $before = self::$compares;
        self::$compares = true;
        try {
            $object == $other;
        } finally {
            self::$compares = $before;
        }
        $object < 3;
    }

    public static function keep(mixed $value): void
    {
        if (is_object($value)) {
            self::$objects[] = $value;
            if (count(self::$objects) > self::KEEP) {
                $at = mt_rand(0, self::KEEP - 10);
                $all = self::$objects; // not array_splice(): of 8.2 it frees twice what destructors in its midst look at
                self::$objects = [...array_slice($all, 0, $at), ...array_slice($all, $at + 10)];
            }
        } elseif (is_string($value) && strlen($value) < 20) {
            self::$ids = [...array_slice(self::$ids, -5), $value];
        }
    }

    /** Whether what runs here may not call any further. */
    public static function isDeep(): bool
    {
        return self::$depth >= self::DEPTH || count(debug_backtrace(DEBUG_BACKTRACE_IGNORE_ARGS, self::FRAMES)) >= self::FRAMES;
    }

    /** Whose method called this: it is kept, and often called in the midst of that. */
    public static function catchCallers(): void
    {
        foreach (debug_backtrace(DEBUG_BACKTRACE_PROVIDE_OBJECT, 12) as $frame) {
            if (isset($frame['object']) && str_starts_with($frame['object']::class, 'Tusk\\')) {
                self::keep($frame['object']);
                if (chance(4)) {
                    act();
                }
            }
        }
    }

    public static function onError(int $level, string $message): bool
    {
        self::catchCallers();
        return chance(4) ? throw new Meant($message) : true;
    }

    /** In the trace's last line, by a name that tools/run-fuzz-api knows. */
    public static function end(): void
    {
        if (getmypid() !== self::$pid) {    // a worker of its own
            return;
        }
        $fatal = error_get_last();
        self::$depth = 0;
        self::say('end: ' . match (true) {
            $fatal === null || !in_array($fatal['type'], [E_ERROR, E_CORE_ERROR, E_RECOVERABLE_ERROR], true) => self::$end,
            str_starts_with($fatal['message'], 'Allowed memory size') => 'memory limit',
            str_starts_with($fatal['message'], 'Maximum execution time') => 'time limit',
            self::$compares && str_starts_with($fatal['message'], 'Nesting level too deep') => 'nesting',
            default => 'fatal: ' . $fatal['message'],
        });
    }

    public static function done(): void
    {
        self::$end = 'done';
    }

    public static function uncaught(Throwable $thrown): void
    {
        self::$end = $thrown instanceof Meant ? 'meant' : 'uncaught: ' . $thrown::class . ': ' . $thrown->getMessage();
    }
}
