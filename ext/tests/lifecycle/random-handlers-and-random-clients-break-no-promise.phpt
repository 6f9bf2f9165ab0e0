--TEST--
Handlers that do anything to anybody at any time, and clients that do, too: every open has its close, and nothing crashes
--EXTENSIONS--
tusk
pcntl
posix
sockets
--FILE--
<?php
// TUSK_CHAOS="SEED COUNT SECONDS" plays more, or one again.
require __DIR__ . '/chaos.inc';
ini_set('error_log', '/dev/null');
[$first, $count, $seconds] = explode(' ', getenv('TUSK_CHAOS') ?: random_int(1, 1_000_000) . ((int) getenv('TUSK_SLOW') >= 10 ? ' 16 1' : ' 16 0.25'));
$folder = sys_get_temp_dir() . '/tusk-chaos-' . getmypid();
mkdir($folder);
file_put_contents("$folder/file", str_repeat('f', 200_000));
$acts = $opens = 0;
echo "$count seeds from $first\n";
for ($seed = (int) $first; $seed < $first + $count; $seed++) {
    foreach (chaos($seed, (float) $seconds, $folder, $did) as $fault) {
        echo "seed $seed: $fault\n";
    }
    $acts += $did[0];
    $opens += $did[1];
}
echo $acts > 100 && $opens > 10 ? "played\n" : "nothing happened: $acts acts, $opens connections\n";
array_map(unlink(...), glob("$folder/*"));
rmdir($folder);
while (gc_collect_cycles() > 0); // PHP shows those of its end as leaks
?>
--EXPECTF--
%d seeds from %d
played
