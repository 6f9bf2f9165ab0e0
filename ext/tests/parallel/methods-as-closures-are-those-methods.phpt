--TEST--
$object->method(...) of a private or protected method is that method, of the class that declares it, beside __call() as well
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Parallel\{Pool, Sync};

class One
{
    public function __construct(private string $name = 'one')
    {
    }

    private function own(string $more = ''): string
    {
        return "own of $this->name$more";
    }

    protected function inherited(): string
    {
        return 'inherited of ' . static::class;
    }

    private static function fixed(): string
    {
        return 'fixed of ' . self::class . ' for ' . static::class;
    }

    public function closures(): array
    {
        return [$this->own(...), $this->inherited(...), static::fixed(...), Closure::fromCallable([$this, 'own']), [$this->own(...), ' and more']];
    }
}

class Two extends One
{
    private function own(): string
    {
        return 'not this one';
    }
}

final class Magic extends One
{
    public function __call(string $name, array $arguments): string
    {
        return "__call of $name";
    }

    public static function __callStatic(string $name, array $arguments): string
    {
        return "__callStatic of $name";
    }
}

$magic = new Magic();
$jobs = [...(new One())->closures(), ...(new Two())->closures(), ...$magic->closures(), $magic->anything(...), Magic::some(...), (new DateTime('@7'))->getTimestamp(...)];
$pool = new Pool(workers: 1);
$sync = new Sync();
foreach ($jobs as $job) {
    $here = is_array($job) ? $job[0](...array_slice($job, 1)) : $job();
    [$there, $alone] = [$pool->run($job), $sync->submit([$job])[0]->await()];
    echo $here, $there === $here ? '' : ", but $there in a pool", $alone === $here ? '' : ", but $alone in Sync", "\n";
}
?>
--EXPECT--
own of one
inherited of One
fixed of One for One
own of one
own of one and more
own of one
inherited of Two
fixed of One for Two
own of one
own of one and more
own of one
inherited of Magic
fixed of One for Magic
own of one
own of one and more
__call of anything
__callStatic of some
7
