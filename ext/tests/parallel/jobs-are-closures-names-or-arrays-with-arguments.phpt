--TEST--
Jobs are closures, names, or arrays with arguments; keys and order are kept; errors keep their class
--EXTENSIONS--
tusk
posix
--FILE--
<?php
use Tusk\Parallel\Pool;

class Users
{
    public static function find(int $id): array
    {
        return ['id' => $id, 'here' => getmypid() === $GLOBALS['parent']];
    }
    public function double(int $x): int
    {
        return 2 * $x;
    }
    private function hidden(): void {}
}
final class Odd extends DomainException
{
    public function __construct(public readonly array $context, private int $secret)
    {
        parent::__construct('odd', 7, new LogicException('inner'));
    }
    public function secret(): int
    {
        return $this->secret;
    }
}
function add(int $a, int $b): int
{
    return $a + $b;
}
$parent = getmypid();
$pool = new Pool(workers: 2, classes: [Odd::class]);
$rows = [1, 2, 3];
$tasks = $pool->submit([
    'static' => [Users::class, 'find', 7],
    'name' => ['add', 1, 2],
    'method' => 'Users::find',
    'instance' => [Users::class, 'double', 21],
    9 => fn () => array_sum($rows),
    'with arguments' => [fn ($a, $b) => $a . $b, 'x', 'y'],
    'function' => 'phpversion',
    'inner' => fn () => array_map(fn ($i) => "$i" . count($rows), $rows),
    'first class' => strtoupper(...),
    'none' => 'nothing_of_this_name',
    'private' => [Users::class, 'hidden'],
    'throws' => function () {
        throw new Odd(['a' => 1], 42);
    },
]);
echo implode(' ', array_keys($tasks)), "\n";
foreach ($tasks as $key => $task) {
    $error = $task->error();
    echo $key, ': ', $error === null ? json_encode($key === 'function' ? $task->await() === PHP_VERSION : $task->await()) : get_class($error) . ' ' . preg_replace('~\.php.*~', '', $error->getMessage()), ' ', $task->state()->name, "\n";
}
$error = $tasks['throws']->error();
var_dump($error->getCode(), $error->context, $error->secret(), $error->getPrevious()->getMessage(), basename($error->getFile()) === basename(__FILE__));
var_dump($pool->run('add', 5, 6), $pool->task([Users::class, 'double'], 4)->await());
?>
--EXPECT--
static name method instance 9 with arguments function inner first class none private throws
static: {"id":7,"here":false} Done
name: 3 Done
method: ArgumentCountError Too few arguments to function Users::find(), 0 passed and exactly 1 expected Failed
instance: 42 Done
9: 6 Done
with arguments: "xy" Done
function: true Done
inner: ["13","23","33"] Done
first class: ArgumentCountError strtoupper() expects exactly 1 argument, 0 given Failed
none: Error nothing_of_this_name() does not exist in the worker: let bootstrap: load the file that declares it (or an autoloader that does), or load it before the pool is made Failed
private: Error Users::hidden() cannot be called: it is not public, or abstract Failed
throws: Odd odd Failed
int(7)
array(1) {
  ["a"]=>
  int(1)
}
int(42)
string(5) "inner"
bool(true)
int(11)
int(8)
