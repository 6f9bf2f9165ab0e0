--TEST--
Failures of all workers eject a target for all; health() tells every worker, also one that never saw it; a probe of one brings it back for all
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
require __DIR__ . '/workers.inc';
use Tusk\Http\Response;
use Tusk\Proxy\{Http, Limits, Lookup, Resolver, Route};

final class Sick implements Resolver
{
    public Http $proxy;

    public function __construct(private string $target) {}

    public function resolve(Lookup $lookup): Route
    {
        return $lookup->path === '/dead' ? Route::to($this->target, ttl: 600)
            : Route::respond(Response::json(['worker' => $this->proxy->worker(), 'health' => $this->proxy->health($this->target), 'ejected' => $this->proxy->stats()['ejected']]), ttl: 0);
    }
}

$probe = stream_socket_server('tcp://127.0.0.1:0');
$target = stream_socket_get_name($probe, false);
fclose($probe); // nobody listens there
$sick = new Sick($target);
$sick->proxy = $proxy = new Http($sick, validation: local(), workers: 3, limits: new Limits(ejectFailures: 3, ejectMs: 600_000, checkMs: 20, checkRise: 2, checkFall: 1000));
beside($proxy, function (int $port) use ($target): void {
    $all = function () use ($port): array {
        $found = [];
        until(function () use ($port, &$found): bool {
            $is = get($port, '/health');
            $found[$is['worker']] = $is;
            return count($found) === 3;
        }, 'an answer of every worker');
        ksort($found);
        return $found;
    };
    echo json_encode(array_column($all(), 'health')), "\n";
    for ($i = 0; $i < 3; $i++) {
        get($port, '/dead');
    }
    echo json_encode([array_column($all(), 'health'), array_unique(array_column($all(), 'ejected'))]), "\n";
    $server = stream_socket_server("tcp://$target");
    until(fn () => array_unique(array_column($all(), 'health')) === [true], 'every worker believes the probes');
    echo json_encode(array_unique(array_column($all(), 'ejected'))), "\n";
});
?>
--EXPECT--
[null,null,null]
[[false,false,false],[1]]
[0]
run: 0
the application waits for its own child: found
