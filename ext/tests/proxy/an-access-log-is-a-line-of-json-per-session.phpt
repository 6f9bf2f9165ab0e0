--TEST--
onAccess is told once per session what happened; AccessLog writes it as JSON and follows a file that was moved
--FILE--
<?php
require __DIR__ . '/proxy.inc';
require __DIR__ . '/../../../php/src/Proxy/AccessLog.php';
use Tusk\Proxy\{AccessLog, Lookup, Refused, Route, Tcp};
use Tusk\Timer;

$backend = new Backend('b');
$file = tempnam(sys_get_temp_dir(), 'tusk');
$resolver = new Asked(fn (Lookup $l) => $l->peer === '127.0.0.9' ? throw new Refused(403, 'no') : Route::to($backend->address(), ['tenant' => 'ä/7']));
$proxy = new Tcp($resolver, '127.0.0.1:0', validation: local());
$proxy->onAccess(AccessLog::to($file));
$lines = fn (string $file) => is_file($file) ? array_map(fn ($line) => json_decode($line, true, flags: JSON_THROW_ON_ERROR), file($file)) : [];
through($proxy, function (int $port) use ($file, $lines, $backend): void {
    foreach (['127.0.0.7', '127.0.0.7', '127.0.0.9'] as $i => $from) {
        $peer = new Peer($port, from: "$from:0");
        ask($peer, 'hello');
        fclose($peer->stream);
        until(fn () => count($lines($file)) === $i + 1, 'its line');
    }
    foreach ($lines($file) as $i => $line) {
        echo implode(' ', [$line['kind'], $line['listener'], explode(':', $line['peer'])[0], $line['target'] === $backend->address() ? 'backend' : json_encode($line['target']),
            $line['status'], $line['end'], $line['cached'] ? 'cached' : 'asked', $line['bytesUp'], $line['bytesDown'], json_encode($line['metadata'] ?? null, 320)]), "\n";
        echo preg_match('~^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$~', $line['time']) ? '' : "time $line[time]\n";
        foreach (['resolve', 'connect', 'firstByte', 'duration'] as $name) {
            echo is_float($line[$name]) && $line[$name] >= 0 && $line[$name] < 60 ? '' : "$name $line[$name]\n";
        }
    }
    rename($file, "$file.1");
    until(function () use ($port, $file, $lines): bool {
        fclose((new Peer($port, from: '127.0.0.7:0'))->stream);
        Timer::sleep(0.05);
        return $lines($file) !== [];
    }, 'the new file');
    echo "followed\n";
});
unlink($file);
unlink("$file.1");
try {
    AccessLog::to('/no/such/folder/log');
} catch (RuntimeException $e) {
    echo $e->getMessage(), "\n";
}
?>
--EXPECTF--
tcp 127.0.0.1:0 127.0.0.7 backend 0 done asked 6 8 {"tenant":"ä/7"}
tcp 127.0.0.1:0 127.0.0.7 backend 0 done cached 6 8 {"tenant":"ä/7"}
tcp 127.0.0.1:0 127.0.0.9 null 403 refused asked %d 0 null
followed
The access log cannot be written: /no/such/folder/log
