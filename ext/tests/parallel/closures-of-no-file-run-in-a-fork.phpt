--TEST--
A closure that stands in no file (typed at php -a, given to -r, -B, -R or -E, read from standard input, made by eval()) runs in a fork of its process, and cannot be the bootstrap of a fresh template, which says so
--EXTENSIONS--
tusk
--SKIPIF--
<?php if ((int) getenv('TUSK_SLOW') >= 10) die('skip they run in PHPs of their own, which valgrind would not see'); ?>
--FILE--
<?php
$php = 'exec ' . escapeshellarg(PHP_BINARY) . ' ' . getenv('TEST_PHP_EXTRA_ARGS') . ' -d display_errors=1 -d log_errors=0 -d html_errors=0';
$shell = extension_loaded('readline') || is_file(ini_get('extension_dir') . '/readline.so');
$readline = extension_loaded('readline') ? '' : ' -d extension=readline';
$pool = '$p = new Tusk\Parallel\Pool(workers: 1, max: 1); $p->run(strlen(...), "warm"); ';
$run = 'echo implode($p->run(fn() => [3, getmypid() !== $pid])), "\n"; ';
$fresh = 'try { new Tusk\Parallel\Pool(workers: 1, bootstrap: fn() => 1, template: Tusk\Parallel\Template::Fresh); } catch (Tusk\Exception $e) { echo $e->getMessage(), "\n"; } ';
/** What a PHP with these options says, its own greeting left out. */
$says = static function (string $options, string $input) use ($php): string {
    $process = proc_open("$php $options", [['pipe', 'r'], ['pipe', 'w'], ['redirect', 1]], $pipes);
    fwrite($pipes[0], $input);
    fclose($pipes[0]);
    $said = stream_get_contents($pipes[1]);
    proc_close($process);
    return implode("\n", preg_grep('~^(Interactive shell)?$~', explode("\n", $said), PREG_GREP_INVERT));
};
$code = "\$pid = getmypid(); $pool$run$fresh";
$ways = [
    '-a' => ["$readline -a", "\$pid = getmypid();\n$pool\n$run\n$fresh\n"],
    '-r' => ['-r ' . escapeshellarg($code), ''],
    '-B' => ['-B ' . escapeshellarg($code) . ' -R ' . escapeshellarg('//'), ''],
    '-R' => ['-R ' . escapeshellarg($code), "a line\n"],
    '-E' => ['-R ' . escapeshellarg('//') . ' -E ' . escapeshellarg($code), ''],
    'stdin' => ['', "<?php $code"],
    'eval' => ['', '<?php eval(' . var_export($code, true) . ');'],
];
foreach ($ways as $way => [$options, $input]) {
    echo "$way: ", $way === '-a' && !$shell ? "31\n\$bootstrap: a closure of code that stands in no file (php shell code): declare it in one" : $says($options, $input), "\n";
}
?>
--EXPECT--
-a: 31
$bootstrap: a closure of code that stands in no file (php shell code): declare it in one
-r: 31
$bootstrap: a closure of code that stands in no file (Command line code): declare it in one
-B: 31
$bootstrap: a closure of code that stands in no file (Command line begin code): declare it in one
-R: 31
$bootstrap: a closure of code that stands in no file (Command line run code): declare it in one
-E: 31
$bootstrap: a closure of code that stands in no file (Command line end code): declare it in one
stdin: 31
$bootstrap: a closure of code that stands in no file (Standard input code): declare it in one
eval: 31
$bootstrap: a closure of code that stands in no file (Standard input code(1) : eval()'d code): declare it in one
