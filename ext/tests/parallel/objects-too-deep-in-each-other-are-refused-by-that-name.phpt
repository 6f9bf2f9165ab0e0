--TEST--
Objects that lie in each other too deep are refused with that reason; the pool goes on
--FILE--
<?php
use Tusk\Parallel\{CannotTravel, Pool};

final class Node
{
    public ?Node $next = null;
}

function chain(int $length): Node
{
    $first = new Node();
    for ($i = 1; $i < $length; $i++) {
        $outer = new Node();
        $outer->next = $first;
        $first = $outer;
    }
    return $first;
}

$pool = new Pool(workers: 1, classes: [Node::class]);
$there_and_back = static fn (Node $node): Node => $node;
echo get_class($pool->run($there_and_back, chain(900))), "\n";
try {
    $pool->run($there_and_back, chain(1001));
} catch (CannotTravel $e) {
    echo $e->getMessage(), "\n";
}
echo get_class($pool->run($there_and_back, chain(1))), "\n";
?>
--EXPECTF--
Node
%s: objects that lie in each other more than 1,000 deep (task: closure of %sobjects-too-deep-in-each-other-are-refused-by-that-name.php:21)
Node
