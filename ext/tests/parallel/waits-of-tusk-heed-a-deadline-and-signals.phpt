--TEST--
Tusk's own waits in a worker end at a deadline and by cancel(), and the worker stays; outside of a server handlers of signals run amid them
--EXTENSIONS--
tusk
pcntl
posix
--SKIPIF--
<?php if (PHP_OS_FAMILY !== 'Linux') die('skip Linux only'); if ((int) getenv('TUSK_SLOW') >= 10) die('skip a quarter of a second is short here');
--FILE--
<?php
use Tusk\Parallel\Pool;
use Tusk\Timer;

$server = stream_socket_server('tcp://127.0.0.1:0'); // never answers
$address = stream_socket_get_name($server, false);
$pool = new Pool(workers: 1, max: 1);
$pid = $pool->run('getmypid');
foreach ([
    'Timer::sleep' => fn () => Timer::sleep(20),
    'Http\Client' => fn () => (new Tusk\Http\Client(timeout: 20))->get("http://$address/"),
    'WebSocket\Client' => fn () => new Tusk\WebSocket\Client("ws://$address/"),
    'Sse\Client' => fn () => iterator_to_array(new Tusk\Sse\Client("http://$address/")),
    'Wait::readable' => fn () => [$pair = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0), Tusk\Wait::readable($pair[0], 20)],
    'Condition' => fn () => (new Tusk\Condition())->wait(20.0),
] as $what => $job) {
    $late = $pool->submit([$job], deadline: 0.2)[0]->error();
    $task = $pool->task($job);
    while ($task->state()->name === 'Queued') {
        usleep(100);
    }
    usleep(20000);
    $task->cancel();
    echo $what, ': ', $late->getMessage(), ', ', $task->error()->getMessage(), "\n";
}
var_dump($pool->run('getmypid') === $pid);

pcntl_async_signals(true);
$heard = 0;
pcntl_signal(SIGUSR1, function () use (&$heard): void {
    $heard = hrtime(true);
});
$me = getmypid();
$pool->task(function () use ($me): void {
    usleep(20000);
    posix_kill($me, SIGUSR1);
});
$began = hrtime(true);
Timer::sleep(0.4);
$slept = hrtime(true) - $began;
var_dump($heard > $began && $heard - $began < $slept - 1e8, $slept >= 4e8);
pcntl_signal(SIGUSR1, function (): never {
    throw new DomainException('amid');
});
$pool->task(function () use ($me): void {
    usleep(20000);
    posix_kill($me, SIGUSR1);
});
try {
    Timer::sleep(20);
} catch (DomainException $e) {
    echo $e->getMessage(), "\n";
}
?>
--EXPECT--
Timer::sleep: The deadline passed while the task ran, The task was cancelled while it ran
Http\Client: The deadline passed while the task ran, The task was cancelled while it ran
WebSocket\Client: The deadline passed while the task ran, The task was cancelled while it ran
Sse\Client: The deadline passed while the task ran, The task was cancelled while it ran
Wait::readable: The deadline passed while the task ran, The task was cancelled while it ran
Condition: The deadline passed while the task ran, The task was cancelled while it ran
bool(true)
bool(true)
bool(true)
amid
