--TEST--
A child that a task or the bootstrap forks answers nothing and takes no tasks, whether it returns, calls exit() or throws; its parent hears its status
--EXTENSIONS--
tusk
pcntl
--FILE--
<?php
use Tusk\Parallel\Pool;

final class Forks
{
    private static Pool $pool;

    /** @return array{string, int|string} */
    public static function one(string $how): mixed
    {
        self::$pool = Pool::current() ?? throw new LogicException('a task without a pool');
        $pid = pcntl_fork();
        if ($pid === 0) {
            return match ($how) {
                'returns' => 'of the child',
                'exits' => exit(7),
                'throws' => throw new RuntimeException('of the child'),
                'submits' => self::$pool->run('getmypid'),
                'asks' => exit(Pool::current() === null ? 5 : 6),
            };
        }
        pcntl_waitpid($pid, $status);
        return [$how, pcntl_wifexited($status) ? pcntl_wexitstatus($status) : 'signal'];
    }
}
$pool = new Pool(workers: 1, max: 1);
foreach (['returns', 'exits', 'throws', 'submits', 'asks'] as $how) {
    try {
        echo json_encode($pool->run([Forks::class, 'one'], $how)), ' ', $pool->run('strrev', 'eno txen'), "\n";
    } catch (Throwable $e) {
        echo get_class($e), ': ', $e->getMessage(), "\n";
    }
}
$tasks = $pool->submit([[Forks::class, 'one', 'returns'], [Forks::class, 'one', 'exits'], 'a' => ['abs', -5]]);
echo json_encode(array_map(fn ($task) => $task->await(), $tasks)), ' ', $pool->stats()['died'], "\n";

foreach (Tusk\Parallel\Template::cases() as $template) {
    foreach (['returns', 'exits', 'throws'] as $how) {
        $booted = new Pool(workers: 1, max: 1, template: $template, bootstrap: function () use ($how) {
            $pid = pcntl_fork();
            if ($pid === 0) {
                return match ($how) {
                    'returns' => true,
                    'exits' => exit(7),
                    'throws' => throw new RuntimeException('of the child'),
                };
            }
            pcntl_waitpid($pid, $status);
            define('HEARD', pcntl_wexitstatus($status));
        });
        try {
            echo "$template->name $how ", $booted->run(fn () => HEARD), "\n";
        } catch (Throwable $e) {
            echo get_class($e), ': ', $e->getMessage(), "\n";
        }
    }
}
?>
--EXPECT--
["returns",0] next one
["exits",7] next one
["throws",255] next one
["submits",255] next one
["asks",5] next one
{"0":["returns",0],"1":["exits",7],"a":5} 0
Fork returns 0
Fork exits 7
Fork throws 255
Fresh returns 0
Fresh exits 7
Fresh throws 255
