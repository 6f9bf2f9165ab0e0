--TEST--
Keys of arrays come as they went, few or many, short or long, in rows and in arrays of mixed keys
--EXTENSIONS--
tusk
--FILE--
<?php
$sync = new Tusk\Parallel\Sync();
$given = [];
foreach ([1, 7, 8, 9, 16, 17, 33, 200, 5000] as $many) {
    $keys = array_map(fn (int $i) => str_repeat("k$i", 1 + $i % 40), range(1, $many));
    $row = array_combine($keys, range(1, $many));
    $given[$many] = [$row, array_reverse($row, true), $row, $row + [7 => 'number', '' => 'empty', "\0" => 'zero']];
}
foreach ($given as $many => $rows) {
    [$task] = $sync->submit([['array_reverse', $rows, true]]);
    echo $many, ': ', array_reverse($task->await(), true) === $rows ? 'equal' : 'DIFFERENT', "\n";
}
[$task] = $sync->submit([['array_reverse', $given, true]]);
echo array_reverse($task->await(), true) === $given ? 'equal' : 'DIFFERENT', "\n";
?>
--EXPECT--
1: equal
7: equal
8: equal
9: equal
16: equal
17: equal
33: equal
200: equal
5000: equal
equal
