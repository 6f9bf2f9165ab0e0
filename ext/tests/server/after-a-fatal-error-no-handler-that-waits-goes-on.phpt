--TEST--
After a handler's fatal error no other one goes on, whatever it waited for comes during the drain or in a shutdown function: neither its code, nor onStop, nor what an answer brings to life
--EXTENSIONS--
tusk
pcntl
--SKIPIF--
<?php if (getenv('USE_ZEND_ALLOC') === '0') die('skip a fatal error leaves a fiber by longjmp: ASan takes that for an overflow, and what lay on it is lost'); ?>
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Condition, Server, Wait};
use Tusk\Http\{Client, Request, Response};
use Tusk\Parallel\{Async, Pool};
use Tusk\WebSocket\Connection;

final class Answer
{
    public static bool $mayCome = false;

    public function __construct(private string $log) {}

    public function __serialize(): array
    {
        return [$this->log];
    }

    public function __unserialize(array $data): void
    {
        self::$mayCome || file_put_contents($data[0], "the answer of a task came to life\n", FILE_APPEND);
    }

    public static function after(string $pipe, string $log): self
    {
        fgetc(fopen($pipe, 'r')); // until the test writes there
        return new self($log);
    }
}

$log = tempnam(sys_get_temp_dir(), 'tusk');
$pipe = "$log.pipe";
posix_mkfifo($pipe, 0600);
[$mine, $its] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
$upstream = stream_socket_server('tcp://127.0.0.1:0');
$address = stream_socket_get_name($upstream, false);
$note = fn (string $text) => file_put_contents($log, "$text\n", FILE_APPEND);

$pid = pcntl_fork();
if ($pid === 0) {
    ini_set('display_errors', '0');
    $server = new Server('127.0.0.1:0');
    $condition = new Condition();
    $pool = new Pool(workers: 1, classes: [Answer::class]);
    $chunks = (function () use ($note): Generator {
        try {
            $note('stream');
            for (;;) {
                yield str_repeat('x', 1 << 20);
            }
        } finally {
            $note('the stream went on');
        }
    })();
    $wait = fn (string $for) => match ($for) {
        'condition' => $condition->wait(),
        'descriptor' => Wait::readable($its),
        'client' => (new Client())->get("http://$address/"),
        'task' => $pool->run([Answer::class, 'after'], $pipe, $log),
        'async' => (new Async())->submit([fn () => Wait::readable($its)])[0]->await(),
        'fiber' => (new Fiber(fn () => Wait::readable($its)))->start(),
        'fatal' => [$condition->notify(9), $server->stop(), trigger_error('enough', E_USER_ERROR)],
    };
    $server->get('/stream', fn () => Response::stream($chunks));
    $server->get('/{for}', function (Request $r) use ($note, $wait): Response {
        try {
            $note($r->params['for']);
            $wait($r->params['for']);
        } finally {
            $note("{$r->params['for']} went on");
        }
        return Response::text('');
    });
    $server->websocket('/ws', open: function (Connection $c) use ($note): void {
        $note('messages');
        foreach ($c as $text) {
        }
        $note('messages went on');
    });
    $server->onStop(fn () => $note('onStop'));
    $server->onStart(fn () => fwrite($its, "$server->port\n"));
    register_shutdown_function(function () use ($note): void {
        Answer::$mayCome = true; // this is PHP's own way to end
        $note('the script ends: ' . var_export((new Condition())->wait(0.1), true));
    });
    $server->run();
    exit(7);
}

$port = (int) fgets($mine);
$peers = [];
function ask(string $path): Peer
{
    global $port, $log;
    $peer = new Peer($port);
    $peer->write("GET /$path HTTP/1.1\r\nHost: h\r\n\r\n");
    until(fn () => str_contains(file_get_contents($log), "$path\n"), $path, 60);
    return $peer;
}
foreach (['condition', 'descriptor', 'client', 'task', 'async', 'fiber', 'stream'] as $for) {
    $peers[$for] = ask($for);
}
$peers['messages'] = Peer::open($port, '/ws');
until(fn () => str_contains(file_get_contents($log), 'messages'), 'messages', 60);
$asked = stream_socket_accept($upstream, 60);

$last = ask('fatal');
echo substr($last->readHead(), 9, 3), "\n";
// What each of them waits for comes now.
fwrite($mine, 'x');
@fwrite($asked, "HTTP/1.1 204 No Content\r\n\r\n");
$peers['messages']->send('x');
fwrite(fopen($pipe, 'r+'), 'x'); // which waits for no reader
$peers['stream']->fill(0);
pcntl_waitpid($pid, $status);
echo pcntl_wexitstatus($status), "\n";
echo file_get_contents($log);
unlink($log);
unlink($pipe);
?>
--EXPECT--
503
255
condition
descriptor
client
task
async
fiber
stream
messages
fatal
the script ends: false
