--TEST--
name(...) of a function, and of what __call() or __callStatic() answers for, arrives as a Closure, as an argument and as what a closure captures; each was a name or an array there
--FILE--
<?php
use Tusk\Parallel\Pool;

final class Answers
{
    public function __construct(private int $own)
    {
    }

    public function __call(string $name, array $given): array
    {
        return [$name, $given, $this->own];
    }

    public static function __callStatic(string $name, array $given): array
    {
        return [$name, $given];
    }
}

function own(int $number): int
{
    return 2 * $number;
}

$pool = new Pool(workers: 1);
foreach ([strlen(...), own(...), (new Answers(9))->anything(...), Answers::some(...)] as $callable) {
    echo json_encode([
        $pool->run(fn (Closure $given): mixed => $given('21'), $callable),
        $pool->run(fn (array $given): mixed => $given['in'] instanceof Closure, ['in' => $callable]),
        $pool->run(fn (): mixed => (fn (Closure $captured): mixed => $captured('3'))($callable)),
        $pool->run($callable, '4'),
    ]), "\n";
}
?>
--EXPECT--
[2,true,1,1]
[42,true,6,8]
[["anything",["21"],9],true,["anything",["3"],9],["anything",["4"],9]]
[["some",["21"]],true,["some",["3"]],["some",["4"]]]
