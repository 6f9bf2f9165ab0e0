--TEST--
A number in an exception has a point and no comma, whatever locale the application has set
--EXTENSIONS--
tusk
--SKIPIF--
<?php if (!is_file('/usr/share/i18n/locales/de_DE') || !is_executable('/usr/bin/localedef')) { die('skip no localedef, or no de_DE to be compiled'); } if ((int) getenv('TUSK_SLOW') >= 10) die('skip it runs in a PHP of its own, which valgrind would not see'); ?>
--FILE--
<?php
$folder = sys_get_temp_dir() . '/tusk-locale-' . getmypid();
mkdir($folder);
exec("/usr/bin/localedef -i de_DE -f UTF-8 $folder/de_DE.UTF-8 2>&1", $said);
$code = <<<'CODE'
echo setlocale(LC_ALL, 'de_DE.UTF-8') === 'de_DE.UTF-8' && sprintf('%.1f', 1.5) === '1,5' ? "with commas\n" : "no locale\n";
foreach ([fn () => Tusk\Timer::sleep(-0.5), fn () => Tusk\Timer::sleep(1.5e9), fn () => Tusk\Timer::sleep(NAN), fn () => Tusk\Timer::sleep(-INF),
    fn () => new Tusk\Http\Client(timeout: 0.0005), fn () => new Tusk\Bench\Load('ws-echo', 'ws://127.0.0.1:1/', ['timeout' => 0.0005])] as $wrong) {
    try {
        $wrong();
    } catch (ValueError $e) {
        echo preg_replace('~^.*(?=must)~', '', $e->getMessage()), "\n";
    }
}
CODE;
passthru("LOCPATH=$folder exec " . escapeshellarg(PHP_BINARY) . ' ' . getenv('TEST_PHP_EXTRA_ARGS') . ' -r ' . escapeshellarg($code));
exec("rm -r $folder");
?>
--EXPECT--
with commas
must be between 0 and 1e9 seconds, -0.5 given
must be between 0 and 1e9 seconds, 1.5e+9 given
must be between 0 and 1e9 seconds, NAN given
must be between 0 and 1e9 seconds, -INF given
must be between 0.001 and 1e6 seconds, 0.0005 given
must be from 0.01 to 3600 s, 0.0005 given
