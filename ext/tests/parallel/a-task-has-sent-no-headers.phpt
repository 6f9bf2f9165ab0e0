--TEST--
A task may set headers (and so begin a session) as a script may that has echoed nothing, whatever its maker, the bootstrap or the task before echoed
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Parallel\{Pool, Sync, Template};

$do = static function (): array {
    error_clear_last();
    @header('X-Task: 1');
    echo 'captured';
    flush();
    return [headers_sent(), error_get_last()['message'] ?? 'taken'];
};
$told = [json_encode((new Sync())->submit([$do])[0]->await())];
$early = new Pool(workers: 1);
echo "its maker echoes\n";
flush();
$bootstrap = static function (): void { echo 'heard by nobody'; };
foreach ([$early, new Pool(workers: 1, bootstrap: $bootstrap), new Pool(workers: 1, bootstrap: $bootstrap, template: Template::Fresh)] as $pool) {
    $told[] = json_encode($pool->run($do));
    $told[] = json_encode($pool->run($do));
}
$no_bytes = (static fn () => yield 1)();
$told[] = json_encode($early->run(static fn () => [$do(), $no_bytes->current()][0]));
echo implode("\n", array_unique($told)), "\n";
?>
--EXPECT--
its maker echoes
[false,"taken"]
