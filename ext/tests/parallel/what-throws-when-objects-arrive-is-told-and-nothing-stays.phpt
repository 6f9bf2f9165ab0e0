--TEST--
What an object throws when it arrives is told, nothing of the message stays, and what came is held by the value alone
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Parallel\{Pool, Sync};

class Mine
{
    public static int $alive = 0;
    public ?object $mate = null;
    public function __construct(public bool $throws = false) { self::$alive++; }
    public function __serialize(): array { return [$this->throws, $this->mate]; }
    public function __unserialize(array $data): void
    {
        [$this->throws, $this->mate] = $data;
        if ($this->throws) {
            throw new DomainException('not like this', 7); // it never lived, and its destructor does not run
        }
        self::$alive++;
    }
    public function __destruct() { self::$alive--; }
}
class Loud
{
    public bool $loud = false;
    public function __wakeup() { $this->loud = true; }
    public function __destruct()
    {
        if ($this->loud) {
            echo "gone, ";
        }
    }
}
class Gone extends Exception {}
class Pupil
{
    public function __serialize(): array { throw new Gone('stays at home'); }
}

$classes = [Mine::class, Loud::class];
foreach ([new Pool(workers: 1, classes: $classes), new Sync($classes)] as $engine) {
    $run = function (mixed ...$job) use ($engine): mixed {
        try {
            return $engine->submit([$job])[0]->await();
        } catch (Throwable $e) {
            return get_class($e) . ': ' . $e->getMessage();
        }
    };
    $make = function (bool $throws): array {
        $list = [new Mine(), new Mine($throws), new Mine()];
        $list[0]->mate = $list[2];
        $list[2]->mate = $list[0];
        return ['rows' => $list];
    };
    $before = Mine::$alive;
    $list = $make(true);
    var_dump($run('count', $list), $run($make, true), count($run($make, false)['rows']));
    unset($list);
    gc_collect_cycles();
    var_dump(Mine::$alive - $before);

    // nothing but the value holds what came
    $value = $run(fn () => [new Loud(), 1, ['x' => new Loud()]]);
    $value[2] = null;
    echo "then ";
    $value = null;
    echo "and all\n";
    var_dump($run('count', [1, [new stdClass(), new Pupil()]]), $run(fn () => ['x' => new Pupil()]));

}
?>
--EXPECTF--
string(30) "DomainException: not like this"
string(30) "DomainException: not like this"
int(3)
int(0)
gone, then gone, and all
string(90) "Tusk\Parallel\CannotTravel: $args[0][1][1]: object of Pupil: stays at home (task: count())"
string(%d) "Tusk\Parallel\CannotTravel: $result['x']: object of Pupil is not allowed on the way back: name it in the pool's classes:, or return an array (task: closure of %swhat-throws-when-objects-arrive-is-told-and-nothing-stays.php:65)"
string(30) "DomainException: not like this"
string(30) "DomainException: not like this"
int(3)
int(0)
gone, then gone, and all
string(90) "Tusk\Parallel\CannotTravel: $args[0][1][1]: object of Pupil: stays at home (task: count())"
string(%d) "Tusk\Parallel\CannotTravel: $result['x']: object of Pupil is not allowed on the way back: name it in the pool's classes:, or return an array (task: closure of %swhat-throws-when-objects-arrive-is-told-and-nothing-stays.php:65)"
