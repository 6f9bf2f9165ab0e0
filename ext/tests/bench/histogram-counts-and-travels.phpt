--TEST--
Tusk\Bench\Histogram counts, merges, and comes back from its binary form
--FILE--
<?php
use Tusk\Bench\Histogram;

$h = new Histogram(1, 3_600_000_000, 3);
foreach ([1, 1000, 1000, 2047, 2048, 4096, 123456, 1000000] as $value) {
    $h->record($value);
}
echo bin2hex($h->encode()), "\n";
$back = Histogram::decode($h->encode());
printf("%d %d %d %d\n", $back->count(), $back->percentile(50), $back->percentile(90), $back->percentile(99));
$twice = clone $h;
$twice->merge($h);
$twice->record(2047, 3);
printf("%d %d %d %d %.1f\n", $h->count(), $twice->count(), $twice->min(), $twice->max(), $twice->mean());
echo json_encode(array_slice($twice->slots(), 0, 3)), "\n";
var_dump($h->supports(50), $h->saturated());
foreach ([
    fn () => new Histogram(0),
    fn () => new Histogram(10, 15),
    fn () => new Histogram(1, 100, 6),
    fn () => $h->percentile(100.5),
    fn () => $h->percentile(NAN),
    fn () => $h->record(-1),
    fn () => $h->merge(new Histogram()),
    fn () => Histogram::decode('HIST'),
    fn () => $h->__construct(),
] as $bad) {
    try {
        $bad();
        echo "taken\n";
    } catch (Error $e) {
        echo get_class($e), ': ', $e->getMessage(), "\n";
    }
}
?>
--EXPECT--
1c849313000000120000000000000003000000000000000100000000d693a4003ff00000000000000102cb0f04ab100202fd0f028f4e02ad3002
8 2047 1000447 1000447
8 19 1 1000000 119654.6
[[1,2],[1000,4],[2047,5]]
bool(false)
int(0)
ValueError: Tusk\Bench\Histogram::__construct(): Argument #1 ($lowest) must be greater than 0, 0 given
ValueError: Tusk\Bench\Histogram::__construct(): Argument #2 ($highest) must be at least twice the lowest value and at most 2 ** 62, 15 given
ValueError: Tusk\Bench\Histogram::__construct(): Argument #3 ($digits) must be between 1 and 5, 6 given
ValueError: Tusk\Bench\Histogram::percentile(): Argument #1 ($percentile) must be between 0 and 100
ValueError: Tusk\Bench\Histogram::percentile(): Argument #1 ($percentile) must be between 0 and 100
ValueError: Tusk\Bench\Histogram::record(): Argument #1 ($value) must not be negative
ValueError: Tusk\Bench\Histogram::merge(): Argument #1 ($other) must have the same range and digits
ValueError: Tusk\Bench\Histogram::decode(): Argument #1 ($bytes) must be a histogram in version 2 of the binary form: protocol error
Error: Tusk\Bench\Histogram is constructed once
