--TEST--
What a task flushes out of its own buffer (ob_flush(), ob_end_flush(), ob_get_flush()) is its output all the same, in order, and goes neither to the caller nor past all buffers; what it cleans is gone
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Parallel\{Pool, Sync};

$jobs = [
    'progress' => static function (): int { foreach ([1, 2, 3] as $i) { echo $i; ob_flush(); flush(); } return 4; },
    'rest' => static function (): string { echo 'a'; ob_flush(); echo 'b'; return ob_get_contents(); },
    'cleaned' => static function (): string { echo 'a'; ob_flush(); echo 'b'; ob_clean(); echo 'c'; return ob_get_contents(); },
    'got' => static function (): string { echo 'a'; return ob_get_flush(); },
    'ended' => static function (): string { echo 'a'; ob_end_flush(); return 'ended'; },
    'inner' => static function (): string { echo 'a'; ob_start(); echo 'b'; ob_end_flush(); ob_flush(); ob_start(); echo 'c'; return 'left open'; },
    'callback' => static function (): string { ob_start(static fn (string $s): string => strtoupper($s)); echo 'x'; ob_flush(); echo 'y'; return 'left open'; },
    'thrown' => static function (): never { echo 'a'; ob_flush(); echo 'b'; throw new DomainException(); },
    'exit' => static function (): never { echo 'a'; ob_flush(); exit('b'); },
    'nested' => static function (): string {
        echo 'outer ';
        [$inner] = (new Sync())->submit([static function (): int { echo 'in'; ob_flush(); echo 'ner'; return 1; }]);
        $inner->await();
        ob_flush();
        echo 'and out';
        return $inner->output();
    },
    'next' => static fn (): int => 5,
];
$told = [];
foreach (['Pool' => new Pool(workers: 1, max: 1), 'Sync' => new Sync()] as $name => $engine) {
    ob_start();
    foreach ($engine->submit($jobs) as $key => $task) {
        $error = $task->error();
        $told[$name][] = "$key: " . json_encode([$task->output(), $error === null ? $task->await() : get_class($error)]);
    }
    $told[$name][] = 'the caller: ' . json_encode(ob_get_clean());
}
echo implode("\n", $told['Pool']), "\n";
var_dump($told['Pool'] === $told['Sync'] ?: $told['Sync']);
?>
--EXPECT--
progress: ["123",4]
rest: ["ab","b"]
cleaned: ["ac","c"]
got: ["a","a"]
ended: ["a","ended"]
inner: ["abc","left open"]
callback: ["XY","left open"]
thrown: ["ab","DomainException"]
exit: ["ab","Tusk\\Parallel\\TaskExited"]
nested: ["outer and out","inner"]
next: ["",5]
the caller: ""
bool(true)
