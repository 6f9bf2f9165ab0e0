<?php

// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Tusk\Tests\Docs;

/** A server that speaks TLS in front of an example, with the configuration that the deployment page prints. */
enum Front: string
{
    private const PAGE = 'docs/guide/deployment.md';

    case Nginx = 'nginx';
    case HaProxy = 'haproxy';

    /** Where it is; it often lies outside of a user's PATH. Null: not installed. */
    public function program(): ?string
    {
        $found = trim((string) shell_exec('PATH="$PATH:/usr/sbin:/usr/local/sbin" command -v ' . $this->value));
        return $found === '' ? null : $found;
    }

    /** @param \Closure(Conversation): void $talk */
    public function of(string $example, \Closure $talk): void
    {
        Conversation::with($example, function (Conversation $behind) use ($talk): void {
            $port = \Tusk\Tests\free_port();
            self::certificate($behind->folder);
            file_put_contents("$behind->folder/front.conf", $this->configuration($behind->folder, $port, $behind->port));
            $process = proc_open($this->command($behind->folder), [['file', '/dev/null', 'r']], $pipes);
            if ($process === false) {
                throw new \RuntimeException("cannot start $this->value");
            }
            try {
                $talk($behind->through($port, "$behind->folder/cert.pem"));
            } finally {
                proc_terminate($process, SIGTERM);
                proc_close($process);
                @unlink("$behind->folder/nginx.pid");
            }
        });
    }

    /** @return list<string> that stays in the foreground */
    private function command(string $folder): array
    {
        return match ($this) {
            self::Nginx => [(string) $this->program(), '-p', $folder, '-c', 'front.conf', '-g', 'daemon off;'],
            self::HaProxy => [(string) $this->program(), '-q', '-db', '-f', "$folder/front.conf"],
        };
    }

    private function configuration(string $folder, int $port, int $upstream): string
    {
        preg_match("~<!-- $this->value -->\n```\w+\n(.*?)\n```~s", (string) file_get_contents(self::PAGE), $m);
        $printed = strtr($m[1] ?? throw new \LogicException('the page has no configuration'), [
            'listen 443 ssl;' => "listen 127.0.0.1:$port ssl;",
            'bind :443 ' => "bind 127.0.0.1:$port ",
            'example.org' => 'localhost',
            '/etc/nginx/' => "$folder/",
            '/etc/haproxy/' => "$folder/",
            '127.0.0.1:8080' => "127.0.0.1:$upstream",
        ]);
        if ($this === self::HaProxy) {
            return "$printed\n";
        }
        $temporary = implode("\n", array_map(
            fn (string $kind): string => "{$kind}_temp_path $folder;",
            ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'],
        ));
        $user = posix_geteuid() === 0 ? 'user root;' : '';
        return "$user\npid nginx.pid;\nerror_log stderr crit;\nworker_processes 1;\nevents { worker_connections 256; }\nhttp {\naccess_log off;\n$temporary\n$printed\n}\n";
    }

    /** For localhost: cert.pem, key.pem and both in one, localhost.pem, in the folder. */
    public static function certificate(string $folder): void
    {
        $command = 'openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost '
            . '-addext subjectAltName=DNS:localhost -keyout ' . escapeshellarg("$folder/key.pem") . ' -out ' . escapeshellarg("$folder/cert.pem") . ' 2>&1';
        exec($command, $output, $status);
        if ($status !== 0) {
            throw new \RuntimeException(implode("\n", $output));
        }
        file_put_contents("$folder/localhost.pem", file_get_contents("$folder/cert.pem") . file_get_contents("$folder/key.pem"));
    }
}
