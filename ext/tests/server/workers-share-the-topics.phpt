--TEST--
Workers share the topics: what one publishes reaches subscribers of both transports in all of them, once and in one order; a sender is left out; a cursor of one resumes at another
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
require __DIR__ . '/workers.inc';

beside(telling(3), function (int $port): void {
    $all = [...subscribers($port, 3, false), ...subscribers($port, 3, true)];
    $published = [];
    $by = [];
    for ($i = 0; $i < 60 || count($by) < 3; $i++) {
        $done = publish($port, "message $i");
        $by[$done['worker']] = true;
        $published[$i] = $done['position'];
    }
    $got = array_map(fn (Subscriber $s) => $s->take($i), $all);
    var_dump(count(array_unique(array_map(json_encode(...), $got))), $got[0] === array_map(fn ($n) => "message $n", range(0, $i - 1)));
    var_dump(count(array_unique($published)) === $i, end($all)->cursor === end($published));

    $all[0]->send('>left out');
    $all[0]->send('mine');
    $others = array_slice($all, 1);
    echo implode(', ', array_unique(array_map(fn (Subscriber $s) => $s->next(), $others))), '; ', substr($all[0]->next(), 3), "\n";

    foreach (['WebSocket' => false, 'events' => true] as $kind => $stream) {
        $seen = [];
        while (count($seen) < 3) {
            $late = new Subscriber($port, $stream, $published[10]);
            $seen[$late->worker] ??= $late->take($i - 11 + 1);
        }
        echo "$kind resumed everywhere: ", json_encode(array_values(array_unique(array_map(fn (array $s) => [$s[0], end($s)], $seen), SORT_REGULAR))), "\n";
    }
    echo (new Subscriber($port, false, '0:7'))->next(), "\n";
});
?>
--EXPECTF--
int(1)
bool(true)
bool(true)
bool(true)
left out; mine
WebSocket resumed everywhere: [["message 11","left out"]]
events resumed everywhere: [["message 11","left out"]]
{"type":"reset","position":"%s:%d"}
run: 0
the application waits for its own child: found
