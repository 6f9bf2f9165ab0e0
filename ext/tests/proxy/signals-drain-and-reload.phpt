--TEST--
SIGHUP forgets routes and reloads the resolver, SIGTERM drains, a second one cuts; a Reloadable is asked every second
--EXTENSIONS--
posix
--FILE--
<?php
require __DIR__ . '/proxy.inc';
use Tusk\Proxy\{Lookup, Reloadable, Route, Tcp};
use Tusk\Timer;

final class Table implements Reloadable
{
    public array $asked = [];
    public int $times = 0;
    public bool $changed = false;

    public function __construct(public Backend $to) {}

    public function resolve(Lookup $lookup): Route
    {
        $this->times++;
        return Route::to($this->to->address());
    }

    public function reload(bool $asked): bool
    {
        $this->asked[] = $asked;
        return $this->changed;
    }
}

$a = new Backend('a');
$b = new Backend('b');
$table = new Table($a);
$proxy = new Tcp($table, '127.0.0.1:0', validation: local());
$first = null;
$proxy->onStart(function () use ($proxy, $table, $b, &$first): void {
    $first = new Peer($proxy->port);
    echo ask($first, '1'), "\n";
    $table->to = $b;
    echo ask(new Peer($proxy->port), '2'), " is remembered\n";
    posix_kill(getmypid(), SIGHUP);
    until(fn () => in_array(true, $table->asked, true), 'SIGHUP');
    echo ask(new Peer($proxy->port), '3'), " after SIGHUP\n";
    until(fn () => in_array(false, $table->asked, true), 'the second');
    $times = $table->times;
    echo ask(new Peer($proxy->port), '4'), $table->times === $times ? " nothing changed\n" : " asked\n";
    $table->changed = true;
    until(function () use ($table, $proxy, $times): bool {
        ask(new Peer($proxy->port), '5');
        return $table->times > $times;
    }, 'the change');
    posix_kill(getmypid(), SIGTERM);
    until(fn () => @stream_socket_client("tcp://127.0.0.1:$proxy->port") === false, 'the listener to close');
    echo ask($first, '6'), " after SIGTERM\n";
    posix_kill(getmypid(), SIGTERM);
});
var_dump($proxy->run(), $first->fill());
?>
--EXPECT--
a:1
a:2 is remembered
b:3 after SIGHUP
b:4 nothing changed
a:6 after SIGTERM
int(0)
bool(false)
