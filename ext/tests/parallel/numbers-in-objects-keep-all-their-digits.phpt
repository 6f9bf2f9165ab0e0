--TEST--
Numbers within objects keep all their digits on both ways, as those outside of them do, whatever serialize_precision says here or was left at in the worker; what the task itself serializes or encodes goes by it
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Parallel\{Pool, Sync};

ini_set('serialize_precision', '5');
$values = [M_PI, 0.1 + 0.2, -0.0, 1e300 / 7, PHP_FLOAT_MIN / 3, INF];
foreach (['Pool' => new Pool(workers: 1, max: 1), 'Sync' => new Sync()] as $name => $engine) {
    $one = static fn (Closure $job, mixed ...$args): mixed => $engine->submit([[$job, ...$args]])[0]->await();
    $same = static fn (stdClass $o): stdClass => $o;
    echo $name, ': ';
    echo json_encode($one($same, (object) ['v' => $values])->v === $values), ' ';
    echo $one(static fn (float $pi): string => ini_get('serialize_precision') . ' ' . json_encode($pi) . ' ' . serialize($pi), M_PI), ' '; // of a constant opcache makes text as it compiles
    $one(static function (): void { ini_set('serialize_precision', '3'); });
    echo json_encode($one($same, (object) ['v' => $values])->v === $values), ' ', $one(static fn (): string => json_encode(M_PI)), "\n";
}
?>
--EXPECT--
Pool: true 5 3.1416 d:3.1416; true 3.14
Sync: true 5 3.1416 d:3.1416; true 3.14
