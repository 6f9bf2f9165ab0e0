--TEST--
Objects that know each other, or stand in several places, arrive as one each: in arguments, captured values, results and exceptions
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Parallel\{CannotTravel, Pool, Sync};

class Company { public array $users = []; }
class User
{
    public function __construct(public readonly int $id, public Company $company) { $company->users[] = $this; }
    public function work(User $other): bool { return $other->company === $this->company && $other !== $this && in_array($this, $other->company->users, true); }
}
class Node
{
    public ?Node $next = null;
    public ?Node $up = null;
    public array $down = [];
}
class Old implements Serializable
{
    public $mate;
    public $many = [];
    public function serialize() { return serialize([$this->mate, $this->many]); }
    public function unserialize($text) { [$this->mate, $this->many] = unserialize($text); }
}
class Fresh
{
    public ?Fresh $mate = null;
    public array $seen = [];
    public function __serialize(): array { return ['mate' => $this->mate]; }
    public function __unserialize(array $data): void { $this->mate = $data['mate']; $this->seen[] = get_class($this->mate); }
}
class Wakes
{
    public ?Wakes $mate = null;
    public $connection = 'live';
    public function __sleep() { return ['mate']; }
    public function __wakeup() { $this->connection = 'anew'; }
}
class Refs
{
    public $one;
    public $two;
}
class Failed extends RuntimeException
{
    public ?object $left = null;
    public ?object $right = null;
}
enum Suit { case Hearts; }

function company(int $count): array
{
    $company = new Company();
    return array_map(fn ($i) => new User($i, $company), range(1, $count));
}
function ring(int $count): array
{
    $nodes = array_map(fn () => new Node(), range(1, $count));
    foreach ($nodes as $i => $node) {
        $node->next = $nodes[($i + 1) % $count];
    }
    return $nodes;
}
function tree(int $levels, ?Node $up = null): Node
{
    $node = new Node();
    $node->up = $up;
    $node->down = $levels === 0 ? [] : [tree($levels - 1, $node), tree($levels - 1, $node)];
    return $node;
}
function pair(string $class): array
{
    [$a, $b] = [new $class(), new $class()];
    [$a->mate, $b->mate] = [$b, $a];
    return ['a' => $a, 'x' => ['b' => $b]];
}
function is_company(array $users): bool
{
    foreach ($users as $i => $user) {
        if ($user->company !== $users[0]->company || $user->company->users[$i] !== $user || $user->id !== $i + 1) {
            return false;
        }
    }
    return count($users) === count($users[0]->company->users);
}
function is_ring(array $nodes): bool
{
    foreach ($nodes as $i => $node) {
        if ($node->next !== $nodes[($i + 1) % count($nodes)]) {
            return false;
        }
    }
    return true;
}
function is_tree(Node $node): int
{
    return 1 + array_sum(array_map(fn ($child) => $child->up === $node ? is_tree($child) : -1000, $node->down));
}
function is_pair(array $pair): bool
{
    return $pair['a']->mate === $pair['x']['b'] && $pair['x']['b']->mate === $pair['a'];
}
function same(mixed ...$values): mixed
{
    return count($values) === 1 ? $values[0] : $values;
}

$classes = [Company::class, User::class, Node::class, Old::class, Fresh::class, Wakes::class, Refs::class, SplObjectStorage::class, ArrayObject::class];
foreach ([new Pool(workers: 1, classes: $classes), new Sync($classes)] as $engine) {
    $run = fn (mixed ...$job) => $engine->submit([$job])[0]->await();
    $users = company(500);
    var_dump($run('is_company', $users), is_company($run('company', 500)), is_company($run('same', $users)));
    var_dump($run('is_ring', ring(1000)), is_ring($run('ring', 1000)), $run('is_tree', tree(8)), is_tree($run('tree', 8)));
    var_dump($run($users[0], 'work', $users[1]), $run(fn ($user) => $user->company === $users[0]->company && $user === $users[2], $users[2]));

    foreach ([Old::class, Fresh::class, Wakes::class] as $class) {
        var_dump($run('is_pair', pair($class)), is_pair($run('pair', $class)));
    }
    var_dump($run('same', pair(Fresh::class))['a']->seen, $run('same', pair(Wakes::class))['a']->connection);

    // one in two places, in arrays that are values, and in shared arrays
    $shared = [new stdClass()];
    [$left, $right] = $run('same', ['l' => $shared, 'm' => Suit::Hearts], ['r' => [$shared, $shared[0]]]);
    var_dump($left['l'][0] === $right['r'][0][0] && $left['l'][0] === $right['r'][1], $left['m'] === Suit::Hearts);
    $left['l'][] = 1;
    var_dump(count($right['r'][0]));

    // references: within and between objects they are kept, in arrays they become values
    [$one, $two] = [new Refs(), new Refs()];
    $one->one = &$two->one;
    $two->two = &$one->one;
    $array = [&$one->one, 5];
    [$one, $two, $array] = $run('same', $one, $two, $array);
    $one->one = 7;
    var_dump($two->one, $two->two, $array);

    $storage = new SplObjectStorage();
    $storage[$users[0]] = $users[1];
    $all = $run('same', ['users' => [$users[0], $users[1]], 'storage' => $storage, 'object' => new ArrayObject([$users[0], $storage]), 'at' => new DateTimeImmutable('2026-01-02')]);
    var_dump($all['storage'][$all['users'][0]] === $all['users'][1], $all['object'][0] === $all['users'][0], $all['object'][1] === $all['storage'], $all['at']->format('Y-m-d'));

    try {
        $run(function () {
            $error = new Failed('told', 3, new LogicException('before'));
            $error->left = $error->right = (object) ['x' => new DateTime('2026-01-02')];
            throw $error;
        });
    } catch (Failed $e) {
        var_dump($e->left === $e->right, $e->left->x->format('Y'), $e->getMessage(), $e->getPrevious()->getMessage());
    }
    foreach ([new WeakMap(), WeakReference::create($users[0]), (object) ['f' => fn () => 1]] as $object) {
        try {
            $run('same', 1, ['x' => [$object]]);
        } catch (CannotTravel $e) {
            echo $e->getMessage(), "\n";
        }
    }
    // between tasks there is no such bond
    [$a, $b] = array_map(fn ($task) => $task->await(), $engine->submit([['same', $shared], ['same', $shared]]));
    var_dump($a[0] === $b[0]);
}
?>
--EXPECTF--

Deprecated: %s
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
int(511)
int(511)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
array(1) {
  [0]=>
  string(5) "Fresh"
}
string(4) "anew"
bool(true)
bool(true)
int(1)
int(7)
int(7)
array(2) {
  [0]=>
  NULL
  [1]=>
  int(5)
}
bool(true)
bool(true)
bool(true)
string(10) "2026-01-02"
bool(true)
string(4) "2026"
string(4) "told"
string(6) "before"
$args[1]['x'][0]: object of WeakMap, which cannot be serialized: pass what it is made of, and make it where it is used (task: same())
$args[1]['x'][0]: object of WeakReference, which cannot be serialized: pass what it is made of, and make it where it is used (task: same())
$args[1]['x'][0]->f: object of Closure, which cannot be serialized: pass what it is made of, and make it where it is used (task: same())
bool(false)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
int(511)
int(511)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
array(1) {
  [0]=>
  string(5) "Fresh"
}
string(4) "anew"
bool(true)
bool(true)
int(1)
int(7)
int(7)
array(2) {
  [0]=>
  NULL
  [1]=>
  int(5)
}
bool(true)
bool(true)
bool(true)
string(10) "2026-01-02"
bool(true)
string(4) "2026"
string(4) "told"
string(6) "before"
$args[1]['x'][0]: object of WeakMap, which cannot be serialized: pass what it is made of, and make it where it is used (task: same())
$args[1]['x'][0]: object of WeakReference, which cannot be serialized: pass what it is made of, and make it where it is used (task: same())
$args[1]['x'][0]->f: object of Closure, which cannot be serialized: pass what it is made of, and make it where it is used (task: same())
bool(false)
