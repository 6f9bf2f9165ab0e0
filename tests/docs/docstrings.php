<?php

// SPDX-License-Identifier: MIT
// What examples in comments of PHP files are tried with: file => the example, word for word => a closure that gets it. One in PHP, and every block, has to be here
// (Docstring::checkAllTried()); others are words that a class of ours reads.

declare(strict_types=1);

use Tusk\Bench\{Metric, Mode, Percentiles, Threshold};
use Tusk\Bench\Wsperf\{BadCommand, Targets};
use Tusk\Console\Argv;
use Tusk\Proxy\{Field, Kind, LimitWords, ListenerWords, Lookup, Map, Refused, Resolver, Route, Target, Tcp, Weighted};

require_once __DIR__ . '/../../php/vendor/autoload.php';

$same = static function (mixed $expected, mixed $found): void {
    if ($expected !== $found) {
        throw new LogicException('expected ' . json_encode($expected) . ', found ' . json_encode($found));
    }
};
$in = static function (string $content, callable $test): void {
    $file = (string) tempnam(sys_get_temp_dir(), 'tusk-docs-');
    try {
        file_put_contents($file, $content);
        $test($file);
    } finally {
        unlink($file);
    }
};
$lint = static fn (string $example) => $in("<?php $example", static function (string $file) use ($same): void {
    exec(escapeshellarg(PHP_BINARY) . ' -n -l ' . escapeshellarg($file) . ' 2>&1', $said, $status);
    $same([0, ''], [$status, $status === 0 ? '' : implode("\n", $said)]);
});
$nowhere = new class () implements Resolver {
    public function resolve(Lookup $lookup): Route
    {
        throw new Refused(404);
    }
};
$proxy = static fn (): Tcp => new Tcp($nowhere);
$shown = static fn (Route $route): array => array_map(static fn (Target $target): array => [$target->address, $target->weight], $route->targets);
$routes = <<<'MAP'
    shop.example.org    10.0.0.7:443 10.0.0.8:443*3     # a weight after the star
    *.example.org       10.0.0.9:443                    # any one label or more before it
    *                   [fd00::1]:443                   # whatever is not named
MAP;

return [
    'php/src/Proxy/Map.php' => [
        $routes => static fn (string $map) => $in($map, static function (string $file) use ($same, $shown): void {
            $map = new Map($file, Field::ServerName);
            $to = static fn (string $name): array => $shown($map->resolve(Lookup::of(serverName: $name)));
            $same([['10.0.0.7:443', 1], ['10.0.0.8:443', 3]], $to('shop.example.org'));
            $same([['10.0.0.9:443', 1]], $to('www.example.org'));
            $same([['10.0.0.9:443', 1]], $to('a.b.example.org'));
            $same([['[fd00::1]:443', 1]], $to('example.org'));
        }),
    ],
    'php/src/Proxy/AccessLog.php' => [
        "\$proxy->onAccess(AccessLog::to('/var/log/tusk/proxy.log'))" => static fn (string $code) => $in('', static function (string $file) use ($code, $proxy): void {
            $proxy = $proxy();
            eval('use Tusk\Proxy\AccessLog; ' . str_replace('/var/log/tusk/proxy.log', $file, $code) . ';');
        }),
    ],
    'php/src/Proxy/LimitWords.php' => [
        'checkMs=2s ejectFailures=5 http.poolSize=100' => static function (string $words) use ($same): void {
            $limits = LimitWords::of(explode(' ', $words), '--limit', Kind::Http);
            $same([['checkMs' => 2000, 'ejectFailures' => 5], ['poolSize' => 100]], [$limits->limits, $limits->http]);
        },
    ],
    'php/src/Proxy/ListenerWords.php' => [
        '0.0.0.0:3306?first=server&connections=100' => static function (string $words) use ($same, $proxy): void {
            $listener = ListenerWords::of($words, '--listen', Kind::Tcp);
            $same('0.0.0.0:3306', $listener->address);
            $proxy()->listen('127.0.0.1:0', ...$listener->options);
        },
    ],
    'php/src/Proxy/Weighted.php' => [
        '10.0.0.7:443' => static fn (string $word) => $same(1, Weighted::target($word)->weight),
        '10.0.0.8:443*3' => static fn (string $word) => $same(3, Weighted::target($word)->weight),
    ],
    'php/src/Bench/Threshold.php' => [
        'p99 < 20ms' => static fn (string $text) => $same('<', Threshold::parse($text, Mode::WsEcho)->comparison),
    ],
    'php/src/Bench/Metric.php' => [
        '`rate`, `p99`, `upgrade.p95`, `errors`, `server.rss`' => static fn (string $names) => array_map(static fn (string $name) => Metric::parse($name, Mode::WsEcho), explode(', ', str_replace('`', '', $names))),
    ],
    'php/src/Bench/Percentiles.php' => [
        '`p99.9` gives 99.9' => static fn () => $same(99.9, Percentiles::parse('p99.9')),
    ],
    'php/src/Bench/Wsperf/Targets.php' => [
        '`bench.example.org`, `10.0.0.7:9001`, `[2001:db8::1]:9001`' => static function (string $hosts) use ($same): void {
            $targets = new Targets(explode(', ', str_replace('`', '', $hosts)));
            foreach (['ws://bench.example.org/', 'ws://10.0.0.7:9001/', 'ws://[2001:db8::1]:9001/'] as $uri) {
                $targets->check($uri);
            }
            try {
                $targets->check('ws://10.0.0.7:9002/');
            } catch (BadCommand) {
                return;
            }
            throw new LogicException('another port is allowed, too');
        },
    ],
    'php/src/Console/Argv.php' => [
        '`bench ws-echo URL` to `bench:ws-echo URL`' => static fn () => $same(['tusk', 'bench:ws-echo', 'URL'], Argv::join(['tusk', 'bench', 'ws-echo', 'URL'], ['bench:ws-echo'])),
    ],
    'php/src/Bridge/Psr/Factories.php' => [
        'Factories::of(new Nyholm\Psr7\Factory\Psr17Factory())' => static fn (string $code) => class_exists('Nyholm\Psr7\Factory\Psr17Factory') ? eval("use Tusk\\Bridge\\Psr\\Factories; $code;") : $lint("$code;"),
    ],
    // Of an application that is not here.
    'php/src/Resource/Engine/Parallel.php' => ["\$shop = Shop\\application(); \$shop = \$shop->withEngine(new Parallel(\$pool, 'Shop\\application'));" => $lint],
    'php/src/Bridge/Revolt/Driver.php' => [
        'EventLoop::setDriver(new Driver())' => static fn (string $code) => $lint("$code;"),
        'EventLoop::run()' => static fn (string $code) => $lint("$code;"),
    ],
    'php/src/Bridge/Bear/ParallelModule.php' => ["\$this->override(new ParallelModule('Shop\\Workers::application', new HalModule()));" => $lint],
];
