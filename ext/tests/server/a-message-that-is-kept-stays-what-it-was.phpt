--TEST--
A message that is kept, hashed or changed by its handler stays what it was, and the next one is what came
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\WebSocket\{Connection, MessageType, Server};

$server = new Server();
$server->listen('127.0.0.1', 0);
$kept = $keys = $wrong = [];
$server->onMessage(function (Connection $c, string $m, MessageType $t) use (&$kept, &$keys, &$wrong) {
    static $number = 0;
    $number++;
    $c->send($m, $t);
    switch ($number % 4) {
        case 0: $kept[$number] = $m; break;
        case 1: $keys[$m] = $number; break;                  // its hash is known from here on
        case 2: $m .= '?'; $m[0] = 'X'; break;
        case 3: if ($t === MessageType::Binary && preg_match('//u', $m)) { $wrong[] = $number; } break;
    }
});
talk($server, function (int $port) use ($server, &$kept, &$keys, &$wrong): void {
    $peer = Peer::open($port);
    $sent = [];
    $lengths = [64, 64, 63, 64, 40, 31, 1, 0, 2, 64, 200, 511, 512, 513, 300, 64, 65, 66, 67, 68, 71, 72, 120, 33, 600, 64];
    for ($i = 1; $i <= 400; $i++) {
        $text = substr(str_repeat("$i.", 300), 0, $lengths[$i % count($lengths)]);
        if ($i % 4 === 3) {
            $text .= "\xff";
        }
        $sent[$i] = $text;
    }
    foreach (array_chunk($sent, 7, true) as $some) {         // several of them in one receive
        $bytes = '';
        foreach ($some as $i => $text) {
            $bytes .= Tusk\WebSocket\Protocol::encode($text, $i % 4 === 3 ? MessageType::Binary : MessageType::Text, true);
        }
        $peer->write($bytes);
        foreach ($some as $text) {
            if (($got = $peer->receive()->payload) !== $text) {
                echo strlen($text), ' bytes came back as ', strlen($got), "\n";
            }
        }
    }
    foreach ($kept as $i => $text) {
        if ($text !== $sent[$i]) {
            echo "kept $i changed\n";
        }
    }
    foreach ($keys as $text => $i) {
        if ((string) $text !== $sent[$i] || !isset($keys[$sent[$i]])) {
            echo "key $i changed\n";
        }
    }
    echo count($kept), ' kept, ', count($keys) > 50 ? 'many' : count($keys), ' keys, ', count($wrong), " wrong\n";
    $peer->goodbye();
});
?>
--EXPECT--
100 kept, many keys, 0 wrong
