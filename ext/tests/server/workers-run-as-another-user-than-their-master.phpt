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
use Tusk\Server;

attempt(fn () => new Server(user: 'nobody-is-called-so'));
attempt(fn () => new Server(user: 'root', group: 'nobody-is-called-so'));
attempt(fn () => new Server(user: "root\0"));
foreach ([1, 2] as $workers) {
    $server = new Server(workers: $workers, user: '61234', group: '61235');
    $server->get('/', fn () => Response::json([
        posix_geteuid(), posix_getegid(), posix_getuid(), posix_getgroups(), @posix_setuid(0), @file_get_contents('/etc/shadow') === false,
    ]));
    beside($server, function (int $port): void {
        echo json_encode(get($port, '/')), "\n";
    });
}
echo 'the master is ', posix_geteuid(), "\n";
?>
--EXPECT--
ValueError: Tusk\Server::__construct(): Argument #7 ($user) must be a user of this system, "nobody-is-called-so" given
ValueError: Tusk\Server::__construct(): Argument #8 ($group) must be a group of this system, "nobody-is-called-so" given
ValueError: Tusk\Server::__construct(): Argument #7 ($user) must not contain any null bytes
[61234,61235,61234,[61235],false,true]
run: 0
the application waits for its own child: found
[61234,61235,61234,[61235],false,true]
run: 0
the application waits for its own child: found
the master is 0
