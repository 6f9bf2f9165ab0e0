--TEST--
exit() in a timer or a watch, where the script itself turns the loop, ends the script with its status; nothing of that turn comes after
--FILE--
<?php
use Tusk\{Condition, Timer, Watch};

register_shutdown_function(function () {
    echo "shutdown\n";
});
[$a, $b] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
fwrite($b, 'x');
Watch::onReadable($a, function () {
    try {
        (new Fiber(function () {
            echo "exits\n";
            Timer::defer(fn () => print("not here\n"));
            exit(3);
        }))->start();
    } finally {
        echo "nor here\n";
    }
});
Watch::onWritable($a, fn (string $id) => Watch::cancel($id));
(new Condition())->wait(20.0);
echo "nor here\n";
?>
--EXPECT--
exits
shutdown
