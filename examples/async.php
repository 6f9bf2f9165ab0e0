<?php

// What waits, side by side in one process, without a server: php examples/async.php

declare(strict_types=1);

const ANY_ARGUMENTS = true;
require __DIR__ . '/load.php';

use Tusk\Parallel\Async;
use Tusk\{Timer, Wait};

[$left, $right] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
$tasks = (new Async())->submit([
    'sleeps' => function (): string {
        Timer::sleep(0.02);
        return 'rested';
    },
    'reads' => function () use ($left): string {
        Wait::readable($left, 5.0);
        return trim(fgets($left));
    },
    'writes' => fn () => fwrite($right, "from the other task\n"),
    'fails' => fn () => throw new DomainException('one failed, the others go on'),
], deadline: 5.0);
foreach ($tasks as $name => $task) {
    echo $name, ': ', $task->error()?->getMessage() ?? $task->await(), "\n";
}
