--TEST--
Rows that look alike are arrays of their own
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Parallel\{Pool, Sync};

function rows(): array
{
    return array_map(fn (int $i): array => ['i' => $i, 'long name' => "row $i", 'on' => $i % 2 === 0], range(1, 5));
}
function tree(int $depth): array
{
    return ['depth' => $depth, 'left' => $depth === 0 ? null : tree($depth - 1), 'right' => $depth === 0 ? 'end' : tree($depth - 1)];
}
function wide(int $keys): array
{
    $row = array_combine(array_map(fn (int $i): string => "k$i", range(1, $keys)), range(1, $keys));
    return [$row, $row, array_reverse($row), $row];
}
foreach ([new Pool(workers: 1), new Sync()] as $engine) {
    $run = fn (mixed ...$job): mixed => $engine->submit([$job])[0]->await();
    $rows = $run('rows');
    $rows[1]['i'] = 'changed';
    $rows[2]['new'] = [1];
    $rows[3][] = 'appended';
    unset($rows[4]['i']);
    $rows[4]['i'] = 'last';
    foreach ($rows as $row) {
        echo json_encode($row), "\n";
    }
    var_dump($rows[4]['long name'], isset($rows[4]['missing']), array_key_last($rows[2]), count($rows[4]));
    $bad = (int) ($run('rows') !== rows());
    for ($depth = 0; $depth < 6; $depth++) {
        $bad += $run('tree', $depth) !== tree($depth);
    }
    foreach ([1, 2, 7, 8, 9, 31, 32, 33] as $keys) {
        $bad += $run('wide', $keys) !== wide($keys);
    }
    $copy = $run('rows');
    $other = $copy;
    $other[3]['i'] = 0;
    var_dump($bad, $copy === rows(), gc_collect_cycles());
}
?>
--EXPECT--
{"i":1,"long name":"row 1","on":false}
{"i":"changed","long name":"row 2","on":true}
{"i":3,"long name":"row 3","on":false,"new":[1]}
{"i":4,"long name":"row 4","on":true,"0":"appended"}
{"long name":"row 5","on":false,"i":"last"}
string(5) "row 5"
bool(false)
string(3) "new"
int(3)
int(0)
bool(true)
int(0)
{"i":1,"long name":"row 1","on":false}
{"i":"changed","long name":"row 2","on":true}
{"i":3,"long name":"row 3","on":false,"new":[1]}
{"i":4,"long name":"row 4","on":true,"0":"appended"}
{"long name":"row 5","on":false,"i":"last"}
string(5) "row 5"
bool(false)
string(3) "new"
int(3)
int(0)
bool(true)
int(0)
