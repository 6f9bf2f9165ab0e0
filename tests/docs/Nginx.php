<?php

// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Tusk\Tests\Docs;

/** nginx with the configuration that the deployment page prints, in front of an example. */
final class Nginx
{
    /** Where it is; it often lies outside of a user's PATH. Null: not installed. */
    public static function program(): ?string
    {
        $found = trim((string) shell_exec('PATH="$PATH:/usr/sbin:/usr/local/sbin" command -v nginx'));
        return $found === '' ? null : $found;
    }

    /** @param \Closure(Conversation): void $talk */
    public static function inFrontOf(string $example, \Closure $talk): void
    {
        Conversation::with($example, function (Conversation $behind) use ($talk): void {
            $port = \Tusk\Tests\free_port();
            self::certificate($behind->folder);
            file_put_contents("$behind->folder/nginx.conf", self::configuration($behind->folder, $port, $behind->port));
            $process = proc_open([(string) self::program(), '-p', $behind->folder, '-c', 'nginx.conf', '-g', 'daemon off;'], [['file', '/dev/null', 'r']], $pipes);
            if ($process === false) {
                throw new \RuntimeException('cannot start nginx');
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

    private static function configuration(string $folder, int $port, int $upstream): string
    {
        preg_match('~<!-- nginx -->\n```nginx\n(.*?)\n```~s', (string) file_get_contents('docs/guide/deployment.md'), $m);
        $printed = strtr($m[1] ?? throw new \LogicException('the page has no configuration'), [
            'listen 443 ssl;' => "listen 127.0.0.1:$port ssl;",
            'example.org' => 'localhost',
            '/etc/nginx/' => "$folder/",
            '127.0.0.1:8080' => "127.0.0.1:$upstream",
        ]);
        $temporary = implode("\n", array_map(
            fn (string $kind): string => "{$kind}_temp_path $folder;",
            ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'],
        ));
        $user = posix_geteuid() === 0 ? 'user root;' : '';
        return "$user\npid nginx.pid;\nerror_log stderr crit;\nworker_processes 1;\nevents { worker_connections 256; }\nhttp {\naccess_log off;\n$temporary\n$printed\n}\n";
    }

    /** For localhost: cert.pem and key.pem in the folder. */
    public static function certificate(string $folder): void
    {
        $command = 'openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost '
            . '-addext subjectAltName=DNS:localhost -keyout ' . escapeshellarg("$folder/key.pem") . ' -out ' . escapeshellarg("$folder/cert.pem") . ' 2>&1';
        exec($command, $output, $status);
        if ($status !== 0) {
            throw new \RuntimeException(implode("\n", $output));
        }
    }
}
