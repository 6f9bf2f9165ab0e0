<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

// The rows of bench/cost: name, the server's role, the driver's arguments, messages of the short and of the long run, the most that
// one message may cost, and what that consists of. System calls, heap calls and copies are what the design allows; instructions are
// a few percent over what was measured last (system calls over those of a kernel without io_uring, which is the most there are), so that whoever makes a message dearer has to say so here.

namespace Tusk\Bench\Cost;

use Tusk\Bench\Suite\Role;

$echo = ['ws-echo', '--conns', '100', '--size'];
$fan = ['ws-fanout', '--conns', '200', '--size'];
$rw = '1 receive + 1 send + 1/N wait';
$form = "--X\r\nContent-Disposition: form-data; name=title\r\n\r\nA field\r\n--X\r\nContent-Disposition: form-data; name=picture; filename=\"a.txt\"\r\n\r\n"
    . str_repeat("a line of it\r\n", 500) . "\r\n--X--\r\n";

return [
    new Load('echo', Role::Echo, [...$echo, '64'], 2000, 22000, ['calls' => 2.25, 'heap' => 0.05, 'instructions' => 2230.0], "$rw; the payload's string serves the next"),
    new Load('pipelined', Role::Echo, [...$echo, '64', '--depth', '16'], 32000, 352000, ['calls' => 0.14, 'heap' => 0.05, 'instructions' => 1310.0], '1 receive + 1 send for 16; the payload\'s string serves the next'),
    new Load('echo 1k', Role::Echo, [...$echo, '1024'], 2000, 22000, ['calls' => 2.25, 'heap' => 0.05, 'copies' => 1.05, 'instructions' => 2620.0], "$rw; the payload's string serves the next"),
    new Load('pipelined 1k', Role::Echo, [...$echo, '1024', '--depth', '16'], 32000, 352000, ['calls' => 0.14, 'heap' => 0.05, 'instructions' => 2260.0], '1 receive + 1 send for 16; and what a slice of time cuts under callgrind'),
    new Load('echo 1M', Role::Echo, ['ws-echo', '--conns', '4', '--size', '1048576'], 40, 440, ['calls' => 40.0, 'heap' => 6.5, 'copies' => 0.01, 'instructions' => 930000.0], 'a receive for 64 KiB, a send for what the kernel takes; received into its string, sent from it: no copy'),
    new Load('echo TLS', Role::Tls, [...$echo, '64', '--tls'], 2000, 22000, ['calls' => 2.25, 'heap' => 7.2, 'instructions' => 18000.0], "$rw of one record; OpenSSL's buffers, as they are released"),
    new Load('waiting', Role::Waiting, ['ws-echo', '--conns', '16', '--size', '64'], 2000, 12000, ['calls' => 2.7, 'heap' => 2.1, 'instructions' => 4450.0], "$rw; parked and woken without a call: the timer is the loop's, the fiber the pool's"),
    new Load('10 alone', Role::Echo, ['ws-echo', '--conns', '10', '--size', '64'], 2000, 22000, ['calls' => 2.6, 'heap' => 0.05, 'instructions' => 2300.0], 'what the next row is held against'),
    new Load('10 of 5000', Role::Echo, ['ws-echo', '--conns', '10', '--size', '64', '--idle', '4990'], 2000, 22000, ['calls' => 2.6, 'heap' => 0.05, 'instructions' => 2300.0], 'the same beside 4,990 that are idle: an event costs the same however many there are', '10 alone'),
    new Load('idle', Role::Echo, ['ws-echo', '--conns', '1'], 1000, 5000, ['blocks' => 2.02, 'bytes' => 512.0], 'its object, and its target as the route has a parameter; no buffer'),
    new Load('idle TLS', Role::Tls, ['ws-echo', '--conns', '1', '--tls'], 100, 600, ['bytes' => 16384.0], "OpenSSL's, with its buffers released"),
    new Load('turn', Role::Echo, ['ws-echo', '--conns', '4', '--size', '1024', '--depth', '256'], 1000, 8000, ['turn' => 65536.0], 'at most 64 KiB of one connection before others have their turn'),
    new Load('fan-out', Role::Broadcast, [...$fan, '64', '--depth', '8'], 16000, 336000, ['calls' => 0.14, 'heap' => 0.05, 'instructions' => 93.0], 'per delivery: 1 send per receiver and turn of 8; encoded once'),
    new Load('fan-out 1', Role::Broadcast, [...$fan, '64'], 4000, 84000, ['calls' => 1.05, 'heap' => 0.1, 'instructions' => 665.0], 'per delivery: 1 send per receiver and turn'),
    new Load('fan-out 1k', Role::Broadcast, [...$fan, '1024', '--depth', '8'], 16000, 336000, ['calls' => 0.14, 'heap' => 0.05, 'instructions' => 101.0], 'per delivery: 1 send per receiver and turn of 8; encoded once'),
    new Load('foreach', Role::Foreach, [...$fan, '64', '--depth', '8'], 16000, 336000, ['calls' => 0.14, 'heap' => 0.05, 'instructions' => 735.0], 'per delivery: as publish(), and the call from PHP'),
    new Load('foreach 1k', Role::Foreach, [...$fan, '1024', '--depth', '8'], 16000, 336000, ['calls' => 0.14, 'heap' => 0.05, 'instructions' => 735.0], 'per delivery: as publish(), and the call from PHP'),
    new Load('events', Role::Events, ['sse-fanout', '--conns', '200', '--size', '64', '--depth', '8'], 16000, 336000, ['calls' => 0.14, 'heap' => 0.06, 'instructions' => 208.0], 'per delivery: 1 send per stream and turn of 8; encoded once'),
    new Load('handshake', Role::Handshake, ['ws-handshake', '--conns', '32', '--sources', '8', '--subprotocol', 'chat.v1'], 1000, 6000, ['calls' => 8.0, 'heap' => 1.5, 'instructions' => 12100.0], 'accept, watched, 2 receives, 2 sends, close, 1/N wait'),
    new Load('http', Role::Hello, ['http', '--conns', '100'], 2000, 22000, ['calls' => 2.25, 'heap' => 0.05, 'instructions' => 3380.0], "$rw; a target of one byte is no allocation"),
    new Load('page', Role::Answer, ['http', '--conns', '100'], 2000, 22000, ['calls' => 2.25, 'heap' => 1.05, 'instructions' => 4650.0], "$rw; a response that is made once: the reference to the body"),
    new Load('page anew', Role::Answer, ['http', '--conns', '100', '--path', '/anew', '--any-body'], 2000, 22000, ['calls' => 2.25, 'heap' => 8.1, 'instructions' => 12200.0], "$rw; the same, with an array of eight headers for each"),
    new Load('form', Role::Form, ['http', '--conns', '16', '--header', 'Content-Type: multipart/form-data; boundary=X', '--post', $form], 1000, 6000, ['calls' => 2.4, 'heap' => 17.1, 'instructions' => 67000.0], "$rw; a field and a file of 7 KB in 500 lines: walked once, before the handler"),
    new Load('file', Role::File, ['http', '--conns', '100'], 2000, 22000, ['calls' => 2.25, 'heap' => 0.05, 'instructions' => 3950.0], "$rw; from the small-file cache"),
    new Load('empty task', Role::Task, [], 1000, 3000, ['task' => 2330.0], 'a warm run() of a function that does nothing: job, slot, ring and flush, the wait, the answer, the Task object'),
];
