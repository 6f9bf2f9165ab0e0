--TEST--
Under opcache, too, a closure runs in a fresh worker that has a function of the closure's file from elsewhere, where the bootstrap that loaded it is of that file and was looked for before
--EXTENSIONS--
tusk
opcache
--INI--
opcache.enable=1
opcache.enable_cli=1
opcache.file_update_protection=0
--FILE--
<?php
use Tusk\Parallel\{Pool, Template};

class Priced
{
    public static function of(int $net): int { return $net; }
}
$code = tempnam(sys_get_temp_dir(), 'tusk') . '.php';
file_put_contents($code, '<?php class Priced { public static function of(int $net): int { return 3 * $net; } } function price(int $net): int { return 3 * $net; }');
$pool = new Pool(workers: 1, max: 1, bootstrap: function () use ($code): void { require_once $code; }, template: Template::Fresh);
$tell = static function (callable $do): void {
    try {
        echo json_encode($do()), "\n";
    } catch (Throwable $e) {
        echo get_class($e), ': ', preg_replace('~ at \S+~', '', $e->getMessage()), "\n";
    }
};
$tell(fn () => $pool->run(
    function (int $n): array {
        $unused = 1 + 2 * 3; // opcache folds it
        return [strlen('abc') . ':' . PHP_VERSION_ID * 0, price($n), Priced::of($n)];
    },
    4,
));
$tell(fn () => $pool->run(fn (int $n) => $n * 2 + strlen('a'), 4)); // two on one line, and rewritten: which is it?
unlink($code);

function price(int $net): int
{
    return $net === 0 ? 0 : 1 + array_sum([price($net - 1)]);
}
?>
--EXPECT--
["3:0",12,12]
Tusk\Parallel\CannotTravel: the closure is one of several on its lines, and opcache has rewritten it, or it declares a class: give it lines of its own
