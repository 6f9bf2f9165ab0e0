--TEST--
The master binds and keeps its rights, workers give theirs up for good, one worker too; unknown users and groups are ValueErrors
--EXTENSIONS--
pcntl
posix
--SKIPIF--
<?php if (posix_geteuid() !== 0) echo 'skip only root can be somebody else'; ?>
--FILE--
<?php
require __DIR__ . '/workers.inc';
use Tusk\Http\Response;
use Tusk\Proxy\{Http, Lookup, Resolver, Route, Smtp, Tcp};

final class Rights implements Resolver
{
    public function resolve(Lookup $lookup): Route
    {
        return Route::respond(Response::json([
            posix_geteuid(), posix_getegid(), posix_getuid(), posix_getgroups(), @posix_setuid(0), @file_get_contents('/etc/shadow') === false,
        ]));
    }
}

attempt(fn () => new Tcp(new Rights(), user: 'nobody-is-called-so'));
attempt(fn () => new Http(new Rights(), group: 'nobody-is-called-so'));
attempt(fn () => new Smtp(new Rights(), user: "root\0"));
foreach ([1, 2] as $workers) {
    $proxy = new Http(new Rights(), workers: $workers, user: '61234', group: '61235');
    beside($proxy, function (int $port): void {
        echo json_encode(get($port, '/')), "\n";
    });
}
echo 'the master is ', posix_geteuid(), "\n";
?>
--EXPECT--
ValueError: Tusk\Proxy\Tcp::__construct(): Argument #17 ($user) must be a user of this system, "nobody-is-called-so" given
ValueError: Tusk\Proxy\Http::__construct(): Argument #13 ($group) must be a group of this system, "nobody-is-called-so" given
ValueError: Tusk\Proxy\Smtp::__construct(): Argument #11 ($user) must not contain any null bytes
[61234,61235,61234,[61235],false,true]
run: 0
the application waits for its own child: found
[61234,61235,61234,[61235],false,true]
run: 0
the application waits for its own child: found
the master is 0
