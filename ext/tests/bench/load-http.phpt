--TEST--
Load: HTTP requests as asked for: paths in turn, fields, bodies, pipelining, one connection each; bad answers are counted by cause
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
use Tusk\Bench\{EchoServer, Load};

function run(int $port, array $options): Load
{
    $load = new Load('http', "http://127.0.0.1:$port/start?q=1", $options
        + ['warmup' => 0, 'hiccup' => false, 'connections' => 1, 'duration' => '20s', 'timeout' => '5s']);
    $load->start();
    while ($load->poll(5)) {
    }
    return $load;
}

/** Answers $requests requests of each connection by $answer, and gives back what it read. */
function served(callable $answer, array $options): array
{
    $listener = stream_socket_server('tcp://127.0.0.1:0');
    $port = (int) substr(strrchr(stream_socket_get_name($listener, false), ':'), 1);
    $log = tempnam(sys_get_temp_dir(), 'tusk');
    if (($pid = pcntl_fork()) === 0) {
        while ($c = stream_socket_accept($listener, 60)) {
            file_put_contents($log, "#\n", FILE_APPEND);
            $rest = '';
            while (($more = fread($c, 65536)) !== '' && $more !== false) {
                $rest .= $more;
                while (preg_match('~^(.*?\r\n\r\n)~s', $rest, $m)) {
                    $length = preg_match('~content-length: (\d+)~i', $m[1], $l) ? (int) $l[1] : 0;
                    if (strlen($rest) < strlen($m[1]) + $length) {
                        break;
                    }
                    file_put_contents($log, substr($rest, 0, strlen($m[1]) + $length) . "\n", FILE_APPEND);
                    $rest = substr($rest, strlen($m[1]) + $length);
                    $answer($c);
                    if (!is_resource($c)) {
                        continue 3;
                    }
                }
            }
            fclose($c);
        }
        posix_kill(getmypid(), SIGKILL);
    }
    fclose($listener);
    $load = run($port, $options);
    posix_kill($pid, SIGKILL);
    pcntl_waitpid($pid, $status);
    $read = str_replace(["\r", (string) $port], ['', 'PORT'], file_get_contents($log));
    unlink($log);
    return [$load, $read];
}

$ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
[$load, $read] = served(fn ($c) => fwrite($c, $ok), ['count' => 3]);
echo $read;
[$load, $read] = served(fn ($c) => fwrite($c, $ok), ['count' => 3, 'urls' => "/a\n/b?x=y\n", 'header' => "X-One: 1\nAuthorization: Bearer t"]);
echo $read;
[$load, $read] = served(fn ($c) => fwrite($c, $ok), ['count' => 1, 'method' => 'PUT', 'body' => 'a body']);
echo $read;
[$load, $read] = served(fn ($c) => [fwrite($c, str_replace("OK\r\n", "OK\r\nConnection: close\r\n", $ok)), fclose($c)],
    ['count' => 2, 'keep-alive' => false]);
echo $read;
echo json_encode([$load->counters()['connected'], $load->counters()['completed'], $load->histogram('tcp')->count(), $load->histogram('close_end')->count()]), "\n";

foreach ([
    'chunked' => "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    'interim' => "HTTP/1.1 103 Early Hints\r\n\r\n$ok",
    'error' => "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n",
    'garbage' => "what?\r\n\r\n",
    'two' => "$ok$ok",
    'redirect' => "HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n",
] as $name => $answer) {
    [$load] = served(fn ($c) => fwrite($c, $answer), ['count' => 4]);
    $c = array_filter(array_intersect_key($load->counters(), array_flip(['completed', 'failed_status', 'failed_protocol', 'timed_out'])));
    echo "$name: ", json_encode($name === 'garbage' || $name === 'two' ? array_keys($c) : $c), ' ', $load->workers()[0]['error'], "\n";
}
[$load] = served(fn ($c) => [fwrite($c, "HTTP/1.1 200 OK\r\n\r\nuntil the end"), fclose($c)], ['count' => 300]);
// Each end is an answer's: with the pause that follows a lost connection these would take half a minute, and the run has 20 s.
echo 'until close: ', $load->counters()['completed'], ', ', $load->counters()['reconnects'], " reconnects\n";

$server = new EchoServer('http', options: ['size' => 5000]);
foreach ([['pipeline' => 10], ['connections' => 20, 'workers' => 2], ['keep-alive' => false, 'connections' => 5], ['method' => 'HEAD'],
    ['rate' => 1000, 'connections' => 5]] as $options) {
    $load = run($server->port(), $options + ['count' => 500]);
    $c = $load->counters(true);
    printf("%s %d %d %d; bodies %s\n", json_encode($options), $c['sent'], $c['completed'], $load->histogram('response')->count(),
        $load->counters()['bytes_received'] > 500 * 5000 ? 'came' : 'did not come');
}
?>
--EXPECT--
#
GET /start?q=1 HTTP/1.1
Host: 127.0.0.1:PORT


GET /start?q=1 HTTP/1.1
Host: 127.0.0.1:PORT


GET /start?q=1 HTTP/1.1
Host: 127.0.0.1:PORT


#
GET /a HTTP/1.1
Host: 127.0.0.1:PORT
X-One: 1
Authorization: Bearer t


GET /b?x=y HTTP/1.1
Host: 127.0.0.1:PORT
X-One: 1
Authorization: Bearer t


GET /a HTTP/1.1
Host: 127.0.0.1:PORT
X-One: 1
Authorization: Bearer t


#
PUT /start?q=1 HTTP/1.1
Host: 127.0.0.1:PORT
Content-Length: 6

a body
#
GET /start?q=1 HTTP/1.1
Host: 127.0.0.1:PORT
Connection: close


#
GET /start?q=1 HTTP/1.1
Host: 127.0.0.1:PORT
Connection: close


[2,2,2,2]
chunked: {"completed":4} 
interim: {"completed":4} 
error: {"failed_status":4} the server answered 503
garbage: ["failed_protocol"] a connection was lost: the answer is not HTTP: protocol error
two: ["failed_protocol","completed"] a connection was lost: an answer that nobody asked for
redirect: {"completed":4} 
until close: 300, 299 reconnects
{"pipeline":10} 500 500 500; bodies came
{"connections":20,"workers":2} 500 500 500; bodies came
{"keep-alive":false,"connections":5} 500 500 500; bodies came
{"method":"HEAD"} 500 500 500; bodies did not come
{"rate":1000,"connections":5} 500 500 500; bodies came
