--TEST--
One task may close a WebSocket\Client while another one waits for its messages
--FILE--
<?php
use Tusk\Parallel\Async;
use Tusk\WebSocket\{Client, Connection};

$server = new Tusk\Server(listen: '127.0.0.1:0');
$server->websocket('/', message: static fn (Connection $c, string $text) => $c->send((string) strlen($text)));
$server->onStart(static function (Tusk\Server $server): void {
    $client = new Client("ws://127.0.0.1:$server->port/");
    $async = new Async();
    $tasks = $async->submit([
        static function () use ($client): array {
            for ($got = []; ($text = $client->receive(20.0)) !== null; $got[] = $text);
            return $got;
        },
        static function () use ($client): string {
            $client->close(4000, 'enough');
            return 'closed';
        },
    ]);
    echo json_encode([$tasks[1]->await(), $tasks[0]->await(), $client->closeCode]), "\n";
    $server->stop();
});
$server->run();
?>
--EXPECT--
["closed",[],4000]
