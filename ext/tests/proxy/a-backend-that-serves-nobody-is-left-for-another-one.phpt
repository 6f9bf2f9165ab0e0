--TEST--
Several targets: a mail server that hangs up or refuses instead of greeting is left for another one, counted and ejected; the session is one
--FILE--
<?php
require __DIR__ . '/proxy.inc';
use Tusk\Proxy\{Access, Limits, Route, Smtp, Target};
use Tusk\Timer;

$listen = function (): array {
    $server = stream_socket_server('tcp://127.0.0.1:0');
    stream_set_blocking($server, false);
    return [$server, stream_socket_get_name($server, false)];
};
[$bad, $badly] = $listen();
[$good, $well] = $listen();
$route = Route::to([new Target($badly, 1_000_000), $well], ttl: 60);
$proxy = new Smtp(new Asked(fn () => $route), '127.0.0.1:0', validation: local(), limits: new Limits(ejectFailures: 2));
$ends = [];
$proxy->onAccess(function (Access $a) use (&$ends, $well): void {
    $ends[] = "$a->end at " . ($a->target === $well ? 'the good one' : 'the bad one');
});
$accept = function ($server) {
    until(function () use ($server, &$one): bool {
        return ($one = @stream_socket_accept($server, 0)) !== false;
    }, 'a connection');
    Timer::sleep(0.02); // connected: before that it would be one that cannot be reached
    return $one;
};
$serve = function ($backend): void {
    fwrite($backend, "220 mail.example ready\r\n");
    foreach (['EHLO a.example' => '250 mail.example', 'QUIT' => '221 bye'] as $command => $answer) {
        stream_set_blocking($backend, false);
        until(function () use ($backend, $command): bool {
            return rtrim((string) fgets($backend)) === $command;
        }, $command);
        fwrite($backend, "$answer\r\n");
    }
};
through($proxy, function (int $port) use ($proxy, $bad, $good, $badly, $well, $accept, $serve, &$ends): void {
    foreach (['hangs up' => '', 'refuses' => "554 no service here\r\n"] as $how => $words) {
        $peer = new Peer($port);
        $peer->write("EHLO a.example\r\nQUIT\r\n");
        $one = $accept($bad);
        stream_set_blocking($one, false);
        fwrite($one, $words);
        if ($words !== '') {
            until(fn () => fgets($one) === "QUIT\r\n", 'QUIT');
        }
        fclose($one);
        $serve($accept($good));
        while ($peer->fill()) {
        }
        fclose($peer->stream);
        echo $how, ': ', implode(' | ', array_map(fn (string $line): string => substr($line, 0, 3), explode("\r\n", rtrim($peer->in)))), "\n";
        until(function () use (&$ends, $how): bool {
            return count($ends) === ($how === 'hangs up' ? 1 : 2);
        }, 'the record');
    }
    print_r($ends);
    var_dump($proxy->health($badly), $proxy->health($well));
    $stats = $proxy->stats();
    echo "$stats[dials] dials, $stats[dial_failures] failures, $stats[retries] retries, $stats[ejections] ejected\n";
});
?>
--EXPECT--
hangs up: 220 | 250 | 221
refuses: 220 | 250 | 221
Array
(
    [0] => done at the good one
    [1] => done at the good one
)
bool(false)
bool(true)
4 dials, 2 failures, 2 retries, 1 ejected
