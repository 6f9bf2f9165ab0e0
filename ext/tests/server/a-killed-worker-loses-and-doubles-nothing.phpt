--TEST--
Subscribers of a worker that is killed come back with their cursors and miss nothing, though it is published meanwhile; whoever takes its place is not taken for it
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
require __DIR__ . '/workers.inc';

ini_set('error_log', '/dev/null');
beside(telling(2), function (int $port): void {
    $subscribers = subscribers($port, 2, true);
    $count = 0;
    $got = array_fill(0, count($subscribers), []);
    for ($round = 0; $round < 3; $round++) {
        for ($i = 0; $i < 20; $i++) {
            publish($port, (string) $count++);
        }
        $victim = $subscribers[$round % count($subscribers)]->pid;
        posix_kill($victim, SIGKILL);
        for ($i = 0; $i < 20; $i++) {
            publish($port, (string) $count++);
        }
        foreach ($subscribers as $n => $subscriber) {
            while (count($got[$n]) < $count) {
                $text = $subscriber->next();
                if ($text === '(end)') {
                    $subscriber = $subscribers[$n] = new Subscriber($port, true, $subscriber->cursor);
                } else {
                    $got[$n][] = $text;
                }
            }
        }
    }
    var_dump(array_unique(array_map(json_encode(...), $got)) === [json_encode(array_map(strval(...), range(0, $count - 1)))]);
});

/* Everybody publishes without himself, and is killed; who comes back in his place is given it all. */
beside(telling(2), function (int $port): void {
    for ($round = 0; $round < 4; $round++) {
        $before = publish($port, 'before')['position'];
        $senders = subscribers($port, 2, false);
        foreach ($senders as $n => $sender) {
            $sender->send(">of $n");
            $sender->send('done');
            while (!str_ends_with($sender->next(), ': done')) {
            }
        }
        $pids = array_unique(array_column($senders, 'pid'));
        foreach ($pids as $pid) {
            posix_kill($pid, SIGKILL);
        }
        until(fn () => array_intersect($pids, array_column(whoAre($port, 2), 'pid')) === [], 'new ones');
        $wanted = array_map(fn (int $n) => "of $n", array_keys($senders));
        foreach (subscribers($port, 2, false) as $_) {
            $late = new Subscriber($port, false, $before);
            $missing = array_diff($wanted, $late->take(count($wanted)));
            echo $missing === [] ? '' : json_encode($missing) . "\n";
        }
    }
    echo "all\n";
});
?>
--EXPECT--
bool(true)
run: 0
the application waits for its own child: found
all
run: 0
the application waits for its own child: found
