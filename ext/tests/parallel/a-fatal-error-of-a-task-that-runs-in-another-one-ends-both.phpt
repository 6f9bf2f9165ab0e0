--TEST--
A fatal error of a task that runs within another one, as no worker is free, ends that one too, by its own words; no code of either goes on, other tasks do
--SKIPIF--
<?php if (getenv('USE_ZEND_ALLOC') === '0') { die('skip no memory limit without the Zend allocator'); } ?>
--INI--
display_errors=0
log_errors=0
--FILE--
<?php
require dirname(__DIR__, 3) . '/php/autoload.php';

use Tusk\Parallel;
use Tusk\Parallel\{Async, Pool};

final class Inner
{
    public function __construct(private string $text) {}

    public function __toString(): string
    {
        return $this->text;
    }

    public static function hog(string $log): never
    {
        self::note($log, 'hog');
        for ($all = []; true; $all[] = str_repeat('x', 1 << 20));
    }

    public static function broken(string $log): void
    {
        self::note($log, 'broken');
        eval('class A implements Traversable {}');
    }

    public static function note(string $log, string $text): void
    {
        file_put_contents($log, new self("$text\n"), FILE_APPEND);
    }

    /** @param array<string> $behind */
    public static function outer(string $log, string $fault, array $behind = []): string
    {
        self::note($log, 'outer');
        try {
            $jobs = [[self::class, 'note', $log, 'an elder sibling'], [self::class, $behind[0] ?? $fault, $log, ...($behind === [] ? [] : [$fault])], [self::class, 'note', $log, 'a younger one']];
            return implode(Parallel::all($jobs));
        } catch (Throwable $e) {
            return 'caught ' . $e->getMessage();
        } finally {
            self::note($log, 'behind');
        }
    }

    public static function inFibers(string $log, string $fault): string
    {
        return implode(Parallel::async([fn () => self::outer($log, $fault), fn () => 'b']));
    }

    public static function onlyOnce(string $log): string
    {
        return substr_count(file_get_contents($log), 'outer') > 0 ? 'now' : self::outer($log, 'broken');
    }
}

$log = tempnam(sys_get_temp_dir(), 'tusk');
$pool = new Pool(workers: 1, max: 1, memory: '32M');
function attempt(string $what, array $job, int $retry = 0): void
{
    global $pool, $log;
    file_put_contents($log, '');
    [$task, $other] = $pool->submit([$job, fn () => 'fine'], retry: $retry);
    try {
        $said = $task->await(30);
    } catch (Throwable $e) {
        $said = get_class($e) . ': ' . preg_replace(['~ in \S.*(?= \(worker)~', '~\d{4,}~', '~process \d+~'], ['', 'N', 'process N'], $e->getMessage());
    }
    echo "$what: $said\n    ", str_replace("\n", '; ', trim(file_get_contents($log))), '; another one: ', $other->await(30), "\n";
}
attempt('a class that cannot be', [Inner::class, 'outer', $log, 'broken']);
attempt('the memory limit', [Inner::class, 'outer', $log, 'hog']);
attempt('two levels down', [Inner::class, 'outer', $log, 'broken', ['outer']]);
attempt('in a fiber', [Inner::class, 'inFibers', $log, 'broken']);
attempt('again', [Inner::class, 'onlyOnce', $log], 1);
$stats = $pool->stats();
echo json_encode(['open' => $stats['open'], 'corrupt' => $stats['corrupt'], 'retried' => $stats['retried']]), "\n";
unlink($log);
?>
--EXPECT--
a class that cannot be: Tusk\Parallel\WorkerCrashed: Class A must implement interface Traversable as part of either Iterator or IteratorAggregate (worker 0, process N) (task: $jobs[0], Inner::outer())
    outer; a younger one; broken; another one: fine
the memory limit: Tusk\Parallel\WorkerCrashed: Allowed memory size of N bytes exhausted (tried to allocate N bytes) (worker 0, process N) (task: $jobs[0], Inner::outer())
    outer; a younger one; hog; another one: fine
two levels down: Tusk\Parallel\WorkerCrashed: Class A must implement interface Traversable as part of either Iterator or IteratorAggregate (worker 0, process N) (task: $jobs[0], Inner::outer())
    outer; a younger one; outer; a younger one; broken; another one: fine
in a fiber: Tusk\Parallel\WorkerCrashed: Class A must implement interface Traversable as part of either Iterator or IteratorAggregate (worker 0, process N) (task: $jobs[0], Inner::inFibers())
    outer; a younger one; broken; another one: fine
again: now
    outer; a younger one; broken; another one: fine
{"open":0,"corrupt":0,"retried":1}
