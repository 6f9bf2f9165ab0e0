--TEST--
A reload lets a bootstrap that runs end, and the server goes on meanwhile; one that takes too long is cut
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Parallel\{Pool, Template};
use Tusk\{Server, Timer};

$folder = sys_get_temp_dir() . '/tusk-' . bin2hex(random_bytes(6));
mkdir($folder);
$bootstrap = static function () use ($folder): void {
    $number = count(glob("$folder/begun*")) + 1;
    touch("$folder/begun$number");
    while (!file_exists("$folder/let$number")) {
        usleep(1000);
    }
    touch("$folder/ended$number");
};
$server = new Server('127.0.0.1:0');
$server->onStart(function () use ($server, $folder, $bootstrap): void {
    $until = static function (string $file) use ($folder): void {
        $end = hrtime(true) + 60_000_000_000;
        while (!file_exists("$folder/$file") && hrtime(true) < $end) {
            Timer::sleep(0.005);
        }
    };
    $pool = new Pool(workers: 1, max: 1, bootstrap: $bootstrap, template: Template::Fresh);
    $until('begun1');
    Timer::delay(0.02, fn () => touch("$folder/let1"));
    $pool->reload();
    echo 'the first ', file_exists("$folder/ended1") ? 'ended' : 'was cut', "\n";
    $until('begun2');
    touch("$folder/let3");
    $pool->reload();
    echo 'the second ', file_exists("$folder/ended2") ? 'ended' : 'was cut', "\n";
    echo $pool->run('strrev', 'krow ta'), "\n";
    $server->stop();
});
$server->run();
array_map('unlink', glob("$folder/*"));
rmdir($folder);
?>
--EXPECT--
the first ended
the second was cut
at work
