--TEST--
Event streams of random lines are read as the grammar of the standard (WHATWG HTML, 9.2.6) says, however they are cut
--SKIPIF--
<?php if (!function_exists('pcntl_fork')) die('skip pcntl is needed'); ?>
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Sse\Client;

/** The standard's steps, line by line: [type, data, last event id] of each event, and the last event id at the end. */
function reference(string $stream): array
{
    if (str_starts_with($stream, "\xEF\xBB\xBF")) {
        $stream = substr($stream, 3);
    }
    $events = [];
    [$data, $type, $id, $last] = ['', '', '', ''];
    $lines = preg_split('~\r\n|\r|\n~', $stream);
    array_pop($lines); // without its end it is no line, and what is not followed by an empty one is no event
    foreach ($lines as $line) {
        if ($line === '') {
            $last = $id;
            if ($data !== '') {
                $events[] = [$type === '' ? 'message' : $type, substr($data, 0, -1), $last];
            }
            [$data, $type] = ['', ''];
            continue;
        }
        [$field, $value] = explode(':', $line, 2) + ['', ''];
        $value = str_starts_with($value, ' ') ? substr($value, 1) : $value;
        match ($field) {
            'event' => $type = $value,
            'data' => $data .= "$value\n",
            'id' => $id = str_contains($value, "\0") ? $id : $value,
            default => null,
        };
    }
    return [$events, $last];
}

function stream(): string
{
    $fields = ['data', 'data', 'data', 'event', 'id', 'retry', 'Data', 'date', '', 'data ', "\xEF\xBB\xBFdata"];
    $values = ['', 'x', ' x', '  x', ':', 'a:b', "a\0b", 'é€𝄞', '17', "\t", '1e3'];
    $stream = mt_rand(0, 3) ? '' : "\xEF\xBB\xBF";
    for ($lines = mt_rand(1, 15); $lines > 0; $lines--) {
        $end = ["\n", "\n", "\r\n", "\r"][mt_rand(0, 3)];
        $field = $fields[array_rand($fields)];
        $stream .= match (mt_rand(0, 5)) {
            0, 1 => $end,
            2 => $field === 'retry' ? '' : $field . $end,
            default => $field . ':' . (mt_rand(0, 1) ? ' ' : '') . ($field === 'retry' ? 'never' : $values[array_rand($values)]) . $end,
        };
    }
    return mt_rand(0, 2) ? "$stream\n" : $stream;
}

$seed = (int) (getenv('TUSK_SEED') ?: mt_rand());
mt_srand($seed);
$streams = [];
for ($i = 0; $i < 150; $i++) {
    $streams[] = stream();
}
$listener = stream_socket_server('tcp://127.0.0.1:0');
$name = stream_socket_get_name($listener, false);
$pid = pcntl_fork();
if ($pid === 0) { // the path says which
    $open = [];
    while ($socket = @stream_socket_accept($listener, 60)) {
        $which = (int) substr(fgets($socket), 5);
        while (trim(fgets($socket)) !== '');
        stream_set_write_buffer($socket, 0);
        fwrite($socket, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
        foreach (mt_rand(0, 2) ? str_split($streams[$which], mt_rand(1, 9)) : [$streams[$which]] as $part) {
            fwrite($socket, $part);
            mt_rand(0, 3) || usleep(50);
        }
        // All of it has come; what was unfinished ends here, and the connection stays, so that nobody comes back.
        fwrite($socket, "\n\nevent: end\ndata: end\n\n");
        $open = [...array_slice($open, -5), $socket];
    }
    exit(0);
}
$wrong = 0;
foreach ($streams as $i => $stream) {
    $client = new Client("http://$name/$i");
    $got = [];
    while (($event = $client->receive(20 * slow())) !== null && $event->type !== 'end') {
        $got[] = [$event->type, $event->data, $event->lastEventId];
    }
    $client->close();
    [$events] = reference("$stream\n\nevent: end\ndata: end\n\n");
    $end = array_pop($events);
    if ($event === null || $got !== $events || $event->lastEventId !== $end[2]) {
        $wrong++ < 3 && print "seed $seed: " . json_encode($stream) . "\n got " . json_encode([$got, $event?->lastEventId]) . "\n should be " . json_encode([$events, $end[2]]) . "\n";
    }
}
echo "$wrong wrong\n";
posix_kill($pid, SIGTERM);
pcntl_waitpid($pid, $status);
?>
--EXPECT--
0 wrong
