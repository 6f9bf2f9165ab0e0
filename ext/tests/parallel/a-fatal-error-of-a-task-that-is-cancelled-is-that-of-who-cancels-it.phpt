--TEST--
A fatal error of an Async task's last words is that of who cancelled it, in the script, in another task and in a server: no code of either goes on, nor of others that wait
--EXTENSIONS--
tusk
pcntl
--SKIPIF--
<?php if (getenv('USE_ZEND_ALLOC') === '0') die('skip a fatal error leaves a fiber by longjmp: ASan takes that for an overflow, and what lay on it is lost'); ?>
--INI--
display_errors=0
error_log=/dev/null
--FILE--
<?php
use Tusk\{Condition, Server};
use Tusk\Parallel\Async;

function cancel(): void
{
    $never = new Condition();
    [$broken, , $quick] = (new Async())->submit([
        function () use ($never): void {
            try {
                $never->wait();
            } finally {
                echo "last words\n";
                trigger_error('enough', E_USER_ERROR);
            }
        },
        function () use ($never): void {
            $never->wait();
            echo "another task went on\n";
        },
        fn () => null,
    ]);
    $quick->await();
    $never->notify(2); // both are due as the first one fails
    $broken->cancel();
    echo "who cancels went on\n";
}

$ways = [
    'a script' => cancel(...),
    'a task' => fn () => (new Async())->submit([cancel(...)])[0]->await(),
    'a server' => function (): void {
        $server = new Server('127.0.0.1:0');
        $server->onStart(cancel(...));
        $server->run();
    },
];
foreach ($ways as $way => $go) {
    echo "$way:\n";
    $pid = pcntl_fork();
    if ($pid === 0) {
        register_shutdown_function(fn () => (new Condition())->wait(0.05)); // turns the loop
        $go();
        echo "the script went on\n";
        exit(7);
    }
    pcntl_waitpid($pid, $status);
    echo pcntl_wexitstatus($status), "\n";
}
?>
--EXPECT--
a script:
last words
255
a task:
last words
255
a server:
last words
255
