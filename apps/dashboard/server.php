<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

// The dashboard: php -d extension=tusk apps/dashboard/server.php [PORT] [--delay=10] [--dsn="host=/tmp dbname=postgres"]
require __DIR__ . '/autoload.php';

use Tusk\Terminal\{ExitCode, MissingExtension};
use Tusk\Dashboard\{Dashboard, Run, Sheet, Web};
use Tusk\Parallel\Pool;
use Tusk\Server;

$settings = ['port' => '8090', 'delay' => '10', 'dsn' => ''];
foreach (array_slice($argv, 1) as $argument) {
    if (preg_match('~^--(delay|dsn)=(.*)$~s', $argument, $m) === 1) {
        $settings[$m[1]] = $m[2];
    } elseif (preg_match('~^\d+$~', $argument) === 1) {
        $settings['port'] = $argument;
    } else {
        fwrite(STDERR, "usage: server.php [PORT] [--delay=MILLISECONDS] [--dsn=POSTGRESQL]\n");
        exit($argument === '--help' || $argument === '-h' ? ExitCode::Done->value : ExitCode::WrongUsage->value);
    }
}
if (!is_numeric($settings['delay']) || (float) $settings['delay'] < 0) {
    fwrite(STDERR, "dashboard: --delay={$settings['delay']} is no number of milliseconds\n");
    exit(ExitCode::WrongUsage->value);
}
if (!extension_loaded('tusk')) {
    fwrite(STDERR, MissingExtension::forProgram($argv[0])->getMessage() . "\n");
    exit(ExitCode::OurFault->value);
}
putenv("DASHBOARD_DSN={$settings['dsn']}"); // for workers, which begin with what is here now
try {
    $pool = new Pool(workers: 11, max: 22);
    $dashboard = new Dashboard($settings['dsn']);
    $server = new Server(listen: "127.0.0.1:{$settings['port']}");
    $engines = ['sequential' => $dashboard->sequential(), 'fibers' => $dashboard->fibers(), 'workers' => $dashboard->workers($pool)];
    for ($i = 0; $i < 3; $i++) { // workers build the application when they first meet it: before somebody waits for them
        Run::of($engines['workers'], Sheet::Large, 5.0);
    }
    (new Web($engines, (float) $settings['delay'], $dashboard->database))->on($server);
    Tusk\Timer::defer(static function () use ($server): void {
        echo "The dashboard is at http://127.0.0.1:$server->port/\n";
    });
    exit($server->run());
} catch (RuntimeException | ValueError $e) {
    fwrite(STDERR, "dashboard: {$e->getMessage()}\n");
    exit($e instanceof ValueError ? ExitCode::WrongUsage->value : ExitCode::OurFault->value); // a value that none may have, or a port that is not to be had
}
