<?php

// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Tusk\Tests\Docs;

use Tusk\Tests\Docs\Conversation as Talk;

/** The units for systemd that the deployment page prints: systemd reads them, and the socket is handed over as it would. */
final readonly class Units
{
    private const PAGE = 'docs/guide/deployment.md';
    private const PATIENCE_S = 30.0;

    /** @param array<string, string> $units by their names */
    private function __construct(private array $units) {}

    public static function printed(): self
    {
        preg_match_all('~`/etc/systemd/system/([\w.@-]+)`:\n```ini\n(.*?)```~s', (string) file_get_contents(self::PAGE), $m);
        $units = array_combine($m[1], $m[2]);
        if (!isset($units['chat.service'], $units['chat.socket'])) {
            throw new \LogicException(self::PAGE . ' has only ' . implode(', ', array_keys($units)));
        }
        return new self($units);
    }

    /** What systemd says of an unknown key, a value that is none, a program that is not there. Its status is 0 even then. */
    public function verify(): void
    {
        self::inFolder(function (string $folder): void {
            foreach ($this->units as $name => $text) {
                file_put_contents("$folder/$name", str_replace('/usr/bin/php ', PHP_BINARY . ' ', $text));
            }
            $files = implode(' ', array_map(fn (string $name): string => escapeshellarg("$folder/$name"), array_keys($this->units)));
            exec("SYSTEMD_LOG_LEVEL=warning systemd-analyze verify --man=no $files 2>&1", $said, $status);
            if ($status !== 0 || $said !== []) {
                throw new \LogicException("systemd-analyze verify ends with $status\n" . implode("\n", $said));
            }
        });
    }

    /** Two processes, one after the other, get the socket that stays open; who connects between them is served. */
    public function activate(): void
    {
        self::inFolder(function (string $folder): void {
            preg_match('~^ListenStream=0\.0\.0\.0:(\d+)$~m', $this->units['chat.socket'], $listen);
            preg_match('~^ExecStart=(.*)$~m', $this->units['chat.service'], $start);
            $socket = stream_socket_server('tcp://127.0.0.1:0') ?: throw new \RuntimeException('no socket');
            $address = (string) stream_socket_get_name($socket, false);
            $port = substr($address, (int) strrpos($address, ':') + 1);
            $command = strtr($start[1] ?? '', [
                '/usr/bin/php ' => escapeshellarg(PHP_BINARY) . ' -d log_errors=1 -d error_log=' . escapeshellarg("$folder/log") . ' ',
                'extension=tusk.so' => 'extension=' . escapeshellarg(Script::module()),
                '/srv/chat/server.php' => 'examples/hello.php ' . $port,
            ]);
            Talk::same('8080', $listen[1] ?? '');
            foreach (['first', 'second'] as $which) {
                $early = stream_socket_client("tcp://$address", $code, $text, self::PATIENCE_S); // before anybody accepts
                fwrite($early ?: throw new \LogicException($text), "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
                $process = proc_open(['sh', '-c', "LISTEN_PID=\$\$ LISTEN_FDS=1 exec $command"], [['file', '/dev/null', 'r'], 3 => $socket], $pipes);
                stream_set_timeout($early, (int) self::PATIENCE_S);
                $answer = (string) stream_get_contents($early);
                if ($process !== false) {
                    proc_terminate($process);
                    Talk::same(0, proc_close($process));
                }
                Talk::holds('HTTP/1.1 200 OK', "$which: $answer" . @file_get_contents("$folder/log"));
            }
        });
    }

    /** @param \Closure(string): void $do */
    private static function inFolder(\Closure $do): void
    {
        $folder = sys_get_temp_dir() . '/tusk-units-' . getmypid();
        mkdir($folder, 0o700);
        try {
            $do($folder);
        } finally {
            array_map(unlink(...), glob("$folder/*") ?: []);
            rmdir($folder);
        }
    }
}
