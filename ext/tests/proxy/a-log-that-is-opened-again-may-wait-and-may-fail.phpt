--TEST--
Without workers SIGHUP and reload() open an access log again: opening it may wait, sessions go on meanwhile, and a failure is told to onError
--EXTENSIONS--
posix
--FILE--
<?php
require __DIR__ . '/proxy.inc';
use Tusk\Proxy\{Access, Reopenable, Route, Tcp};
use Tusk\Timer;

final class Log implements Reopenable
{
    public int $begun = 0;
    public int $opened = 0;
    public int $lines = 0;
    public bool $fails = false;

    public function write(Access $access): void
    {
        $this->lines++;
    }

    public function reopen(): void
    {
        $this->begun++;
        Timer::sleep(0.05);
        if ($this->fails) {
            throw new RuntimeException('no such folder');
        }
        $this->opened++;
    }
}

$backend = new Backend('b');
$log = new Log();
$proxy = new Tcp(new Asked(fn () => Route::to($backend->address())), '127.0.0.1:0', validation: local());
$proxy->onAccess($log->write(...));
$told = new ArrayObject();
$proxy->onError(fn (Throwable $e) => $told[] = $e->getMessage());
through($proxy, function () use ($proxy, $log, $told): void {
    posix_kill(getmypid(), SIGHUP);
    until(fn () => $log->begun === 1, 'SIGHUP');
    echo ask(new Peer($proxy->port), 'meanwhile'), "\n"; // its session is over when the peer is
    until(fn () => $log->opened === 1 && $log->lines === 1, 'the log');
    $proxy->reload();
    until(fn () => $log->opened === 2, 'reload()');
    $log->fails = true;
    $proxy->reload();
    until(fn () => count($told) > 0, 'the failure');
    echo implode((array) $told), "\n", ask(new Peer($proxy->port), 'after it'), "\n";
    until(fn () => $log->lines === 2, 'the second line');
});
?>
--EXPECT--
b:meanwhile
no such folder
b:after it
