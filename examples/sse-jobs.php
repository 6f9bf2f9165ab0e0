<?php

// Streams of single jobs, each only for who may see it: php examples/sse-jobs.php 8080
// curl -N -H 'Cookie: session=ann' http://127.0.0.1:8080/jobs/7/events
// curl -d 'half done' http://127.0.0.1:8080/jobs/7

declare(strict_types=1);

require __DIR__ . '/load.php';

use Tusk\Server;
use Tusk\Http\{Request, Response};
use Tusk\Sse\EventStream;

$names = ['ann' => 'Ann', 'bob' => 'Bob']; // sessions and whose they are

$server = new Server(listen: "127.0.0.1:$argv[1]");
$server->events(
    '/jobs/{job}/events',
    function (EventStream $s): void {
        $s->retry(5000);                                                  // how long a browser waits before it comes back
        $name = is_string($s->identity) ? $s->identity : 'stranger';
        $s->send("Hello $name", event: 'greeting');                       // to this one only
        $s->subscribe("job.{$s->params['job']}", since: $s->lastEventId); // what was missed, then live
    },
    authorize: fn (Request $r) => $names[$r->cookie('session') ?? ''] ?? null, // null: 401; a Response: that; else the identity
);
$server->post('/jobs/{job}', function (Request $r) use ($server): Response {
    $position = $server->publish("job.{$r->params['job']}", $r->body, event: 'progress');
    return Response::json(['position' => (string) $position]);
});
$server->onListen(fn (Server $s) => print("Listen: curl -N -H 'Cookie: session=ann' http://127.0.0.1:$s->port/jobs/7/events; in another terminal: curl -d 'half done' http://127.0.0.1:$s->port/jobs/7\n"));
exit($server->run());
