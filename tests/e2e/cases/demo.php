<?php

declare(strict_types=1);

// What everybody runs first: the demo, from its address to Ctrl-C.

namespace Tusk\E2e;

/** A command in a session of its own, as a terminal runs it; its signals reach the whole group. */
final class Terminal
{
    use Child;

    public readonly int $pid;
    private readonly string $out;
    private readonly string $err;
    private readonly string $folder;

    /**
     * @param list<string>          $command
     * @param array<string, string> $environment beside ours
     */
    public function __construct(array $command, array $environment = [])
    {
        static $number = 0;
        $number++;
        needs('setsid');
        $this->out = folder() . "/terminal-$number.out";
        $this->err = folder() . "/terminal-$number.err";
        $this->folder = folder() . "/terminal-$number.var";
        $environment += ['CHAT_VAR' => $this->folder, 'PHP' => PHP_BINARY, 'TUSK_SETUP' => 'no'];
        $process = proc_open(
            ['setsid', ...$command],
            [['file', '/dev/null', 'r'], ['file', $this->out, 'w'], ['file', $this->err, 'w']],
            $pipes,
            dirname(__DIR__, 3),
            $environment + getenv(),
        );
        $this->process = $process !== false ? $process : throw new Failed('cannot start ' . implode(' ', $command));
        $this->pid = $this->look();
    }

    public function __destruct()
    {
        foreach ($this->left() as $pid) {
            posix_kill($pid, SIGKILL);
        }
        proc_close($this->process);
        array_map(unlink(...), glob("$this->folder/*") ?: []);
        @rmdir($this->folder);
    }

    public function out(): string
    {
        return (string) file_get_contents($this->out);
    }

    public function err(): string
    {
        return (string) file_get_contents($this->err);
    }

    /** The port of the address that was printed. */
    public function port(): int
    {
        await(fn (): bool => str_contains($this->out(), "/\n") || $this->ended(), 'an address is printed');
        expect(preg_match('~^Tusk chat: http://127\.0\.0\.1:(\d+)/$~m', $this->out(), $m) === 1, "no address, but {$this->out()} {$this->err()}");

        return (int) $m[1];
    }

    /** Ctrl-C and its like reach every process of the terminal. */
    public function press(int $signal): void
    {
        posix_kill(-$this->pid, $signal);
    }

    /** Exit code, or minus the signal. */
    public function end(): int
    {
        await(fn (): bool => $this->ended(), "it ends: {$this->out()} {$this->err()}");

        return (int) $this->status;
    }

    /**
     * Processes of this session that are still there; a zombie has ended.
     *
     * @return list<int>
     */
    public function left(): array
    {
        $left = [];
        foreach (glob('/proc/[0-9]*/stat') ?: [] as $file) {
            $stat = (string) @file_get_contents($file);
            $fields = explode(' ', substr($stat, (int) strrpos($stat, ')') + 2));
            if (count($fields) > 3 && (int) $fields[3] === $this->pid && $fields[0] !== 'Z') {
                $left[] = (int) $stat;
            }
        }

        return $left;
    }
}

/** One request, as a script makes it: head and body. */
function ask(int $port, string $request, string $fields = '', string $body = ''): string
{
    $peer = new Peer("tcp://127.0.0.1:$port");
    $peer->write("$request HTTP/1.1\r\nHost: 127.0.0.1:$port\r\nConnection: close\r\nContent-Length: " . strlen($body) . "\r\n$fields\r\n$body");

    return $peer->rest();
}

/** Somebody is in the chat, with a stream that is open. */
function guest(int $port): Peer
{
    $answer = ask($port, 'POST /login', "Content-Type: application/x-www-form-urlencoded\r\n", 'name=Anna');
    expect(preg_match('/^Set-Cookie: (tusk_chat=[^;]+)/mi', $answer, $m) === 1, "no cookie: $answer");
    $peer = new Peer("tcp://127.0.0.1:$port");
    $peer->write("GET /events HTTP/1.1\r\nHost: 127.0.0.1:$port\r\nAccept: text/event-stream\r\nCookie: $m[1]\r\n\r\n");
    $peer->until('"type":"ready"');

    return $peer;
}

return static function (Suite $s): void {
    foreach (['make demo' => ['make', 'demo', 'PORT=0'], 'run-demo' => ['tools/run-demo', '0']] as $name => $command) {
        $s->test("$name prints its address, serves the page, and Ctrl-C leaves nothing behind", static function () use ($command): void {
            needs('make');
            $demo = new Terminal($command);
            $port = $demo->port();
            contains($page = ask($port, 'GET /'), 'HTTP/1.1 200 ', 'the page');
            contains($page, '<title>Tusk</title>', 'the page');
            expect(preg_match_all('~(?:src|href)="(/assets/[^"#]+)"~', $page, $m) > 2, "no assets: $page");
            foreach (array_unique($m[1]) as $asset) {
                contains(ask($port, "GET $asset"), 'HTTP/1.1 200 ', $asset);
            }
            $guest = guest($port);
            expect(count($demo->left()) >= 2, 'the server and the process that writes');
            $demo->press(SIGINT);
            $guest->rest();
            // make itself ends by the signal that it was sent, as it should; what it ran has ended well. GNU make 4.3 may be amid its wait() for
            // that when the signal comes, waits once more, and says that there is nobody.
            $status = $demo->end();
            $well = match (true) {
                $command[0] !== 'make' => $status === 0,
                str_contains($demo->err(), 'wait: No child processes') => $status === 2,
                default => $status === -SIGINT,
            };
            expect($well, "it ended with $status: {$demo->err()}");
            await(fn (): bool => $demo->left() === [], 'no process is left');
            expect(!str_contains($demo->err(), 'Error') && !str_contains($demo->err(), 'Warning'), $demo->err());
        });
    }
    $s->test('a demo that is asked to stop as a service drains and ends with 0', static function (): void {
        $demo = new Terminal(['tools/run-demo', '0']);
        $guest = guest($demo->port());
        posix_kill($demo->pid, SIGTERM); // to the script alone
        $guest->rest();
        expect($demo->end() === 0, "it did not end with 0: {$demo->err()}");
        await(fn (): bool => $demo->left() === [], 'no process is left');
    });
    $s->test('a demo whose port is in use names it and the remedy, and leaves nothing behind', static function (): void {
        $taken = stream_socket_server('tcp://127.0.0.1:0') ?: throw new Failed('no port');
        $address = (string) stream_socket_get_name($taken, false);
        $demo = new Terminal(['tools/run-demo', substr($address, 10)]);
        expect($demo->end() === 3, "it ended with {$demo->end()}: {$demo->err()}");
        contains($demo->err(), "cannot listen on $address: address already in use; choose another port, or 0 for any that is free", 'what it says');
        expect($demo->out() === '', "it printed an address: {$demo->out()}");
        await(fn (): bool => $demo->left() === [], 'no process is left');
    });
    $s->test('a demo with a port that is none says what is one', static function (): void {
        foreach (['http', '65536', '-1'] as $port) {
            $demo = new Terminal(['tools/run-demo', $port]);
            expect($demo->end() === 2, "it ended with {$demo->end()}: {$demo->err()}");
            contains($demo->err(), 'PORT must be a number from 0 to 65535, not ', 'what it says');
            contains($demo->err(), $port, 'what it says');
        }
    });
    $s->test('make demo in an archive, which has no applications, says so before it installs or compiles', static function (): void {
        needs('make');
        $folder = folder() . '/archive';
        mkdir("$folder/tools", recursive: true);
        foreach (['Makefile', 'tools/run-demo'] as $file) {
            copy(dirname(__DIR__, 3) . "/$file", "$folder/$file");
            chmod("$folder/$file", 0o755);
        }
        $demo = new Terminal(['make', '--no-print-directory', '-C', $folder, 'demo']);
        $status = $demo->end();
        contains($demo->err(), 'demo: this is an archive, which has no chat application (apps/chat): a clone of the repository has it', 'what it says');
        expect($status === 2 && $demo->out() === '', "it ended with $status: {$demo->out()}");
        exec('rm -rf ' . escapeshellarg($folder));
    });
};
