--TEST--
A deadline that comes while an argument of a call, or a part of a string, is being made ends the task and not its worker: PHP frees all that stands where these would have come to stand
--EXTENSIONS--
tusk
posix
--FILE--
<?php
require __DIR__ . '/../peer.inc';

use Tusk\Parallel\Pool;

function twice(mixed $x, mixed $y): array
{
    return [$x, $y];
}

$long = 5_000_000 * slow(); // microseconds; the signal of the deadline ends this sleep
$sleep = usleep(...);
$pool = new Pool(workers: 1, max: 1);
$pid = $pool->run(posix_getpid(...));
$ways = [
    'one argument' => static fn (): string => md5((string) usleep($long)),
    'one of many' => static fn (): string => sprintf('%s %s %s', str_repeat('a', 9), usleep($long), str_repeat('b', 9)),
    'of what is not known yet' => static fn (): array => array_keys(twice('x', usleep($long))),
    'by its name' => static fn (): array => twice(y: usleep($long), x: 1),
    'of a callable' => static fn (): array => call_user_func('twice', 1, usleep($long)),
    'many at once' => static fn (): array => twice(...array_slice([1, 2, usleep($long)], 1)),
    'a part of a string' => static fn (): string => "a{$long}b{$sleep($long)}c{$long}d{$sleep($long)}e",
    'its first part' => static fn (): string => "{$sleep($long)}c{$long}d{$sleep($long)}e",
];
foreach ($ways as $way => $job) {
    // What it calls had its own values where the arguments will stand.
    $after_others = static function () use ($job): mixed {
        $junk = array_map(static fn (string $x): string => "x{$x}y" . strrev(strtoupper($x)), ['abc', 'def']);
        return twice($junk, $job());
    };
    $error = $pool->submit([$after_others], deadline: 0.1 * slow())[0]->error();
    echo $way, ': ', $error === null ? 'none' : $error->getMessage(), "\n";
}
echo $pool->run(posix_getpid(...)) === $pid ? 'the same worker' : 'another worker', "\n";
?>
--EXPECT--
one argument: The deadline passed while the task ran
one of many: The deadline passed while the task ran
of what is not known yet: The deadline passed while the task ran
by its name: The deadline passed while the task ran
of a callable: The deadline passed while the task ran
many at once: The deadline passed while the task ran
a part of a string: The deadline passed while the task ran
its first part: The deadline passed while the task ran
the same worker
