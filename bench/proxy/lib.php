<?php
// SPDX-License-Identifier: MIT
// What the proxy's measurements share: who relays, and what it costs the process and the machine.
declare(strict_types=1);

namespace Tusk\Bench\Suite;

use Tusk\Bench\ProcessTree;

require dirname(__DIR__) . '/lib/autoload.php';
putenv('PATH=' . getenv('PATH') . ':/usr/sbin');

/** Where Debian keeps PostgreSQL's programs out of PATH. */
function program(string $name): ?string
{
    $found = trim((string) shell_exec('command -v ' . escapeshellarg($name)));

    return $found !== '' ? $found : (glob("/usr/lib/postgresql/*/bin/$name")[0] ?? null);
}

/** Seconds that the machine's processors did anything, softirqs and kernel threads included (ticks of 10 ms). */
function machine_cpu(): float
{
    [, $user, $nice, $system, , , $irq, $softirq] = sscanf((string) file_get_contents('/proc/stat'), '%s %d %d %d %d %d %d %d');

    return ($user + $nice + $system + $irq + $softirq) / 100;
}

/** Seconds of a process and of all that it forked. */
function cpu(int $pid): float
{
    return array_sum(ProcessTree::look($pid)?->cpu ?? []);
}

/** Anonymous bytes of a process and of all that it forked. */
function memory(int $pid): int
{
    $sum = 0;
    foreach (array_keys(ProcessTree::look($pid)?->cpu ?? []) as $one) {
        preg_match('~^RssAnon:\s+(\d+)~m', (string) @file_get_contents("/proc/$one/status"), $m);
        $sum += 1024 * (int) ($m[1] ?? 0);
    }

    return $sum;
}

/** The process itself: what prlimit and taskset ran has become it. */
function proxy(string $name, int $backend, string $folder): ?ServerProcess
{
    $port = Ports::free();
    $have = fn (string $program): bool => program($program) !== null;
    [$kind, $engine, $cache, $workers] = explode(' ', $name) + [1 => 'copy', 'cached', '1'];
    if ($engine === 'http') {
        return $have($kind === 'tusk' ? 'env' : $kind) ? http_proxy($kind, $port, $backend, $folder) : null;
    }
    if ($kind === 'haproxy') {
        $splice = $engine === 'splice' ? " option splice-auto\n" : '';
        file_put_contents("$folder/haproxy-$port.cfg", "global\n nbthread 1\n maxconn 9700\n maxpipes 64\ndefaults\n mode tcp\n$splice timeout connect 5s\n"
            . " timeout client 600s\n timeout server 600s\nlisten p\n bind 127.0.0.1:$port\n server s 127.0.0.1:$backend\n");

        return $have('haproxy') ? new ServerProcess(['haproxy', '-db', '-q', '-f', "$folder/haproxy-$port.cfg"], $port, "$folder/log") : null;
    }
    if ($kind === 'nginx') {
        $modules = is_file('/usr/lib/nginx/modules/ngx_stream_module.so') ? "load_module /usr/lib/nginx/modules/ngx_stream_module.so;\n" : '';
        file_put_contents("$folder/nginx-$port.conf", "{$modules}daemon off; master_process off; pid $folder/pid-$port; error_log $folder/log-nginx;\n"
            . "worker_rlimit_nofile 20000;\nevents { worker_connections 19000; }\nstream { server { listen 127.0.0.1:$port backlog=4096; proxy_pass 127.0.0.1:$backend; } }\n");

        return $have('nginx') && $modules !== '' ? new ServerProcess(['nginx', '-p', $folder, '-c', "$folder/nginx-$port.conf"], $port, "$folder/log") : null;
    }

    return new ServerProcess([PHP_BINARY, '-dextension=' . getcwd() . '/build/ext/modules/tusk.so', __DIR__ . '/tusk.php', "127.0.0.1:$port", "127.0.0.1:$backend", $engine, $cache, $workers], $port, "$folder/log");
}

/** Kept connections on both sides as long as anybody wants them, X-Forwarded-For, no log. */
function http_proxy(string $kind, int $port, int $backend, string $folder): ServerProcess
{
    if ($kind === 'haproxy') {
        file_put_contents("$folder/haproxy-$port.cfg", "global\n nbthread 1\n maxconn 9700\ndefaults\n mode http\n option forwardfor\n http-reuse always\n"
            . " timeout connect 5s\n timeout client 600s\n timeout server 600s\nlisten p\n bind 127.0.0.1:$port\n server s 127.0.0.1:$backend\n");

        return new ServerProcess(['haproxy', '-db', '-q', '-f', "$folder/haproxy-$port.cfg"], $port, "$folder/log");
    }
    if ($kind === 'nginx') {
        file_put_contents("$folder/nginx-$port.conf", "daemon off; master_process off; pid $folder/pid-$port; error_log $folder/log-nginx;\nworker_rlimit_nofile 20000;\n"
            . "events { worker_connections 19000; }\nhttp { access_log off; keepalive_requests 1000000000; keepalive_timeout 600s;\n"
            . " client_body_temp_path $folder; proxy_temp_path $folder; fastcgi_temp_path $folder; uwsgi_temp_path $folder; scgi_temp_path $folder;\n"
            . " upstream b { server 127.0.0.1:$backend; keepalive 1024; keepalive_requests 1000000000; }\n server { listen 127.0.0.1:$port backlog=4096;\n"
            . " location / { proxy_pass http://b; proxy_http_version 1.1; proxy_set_header Connection ''; proxy_set_header X-Forwarded-For \$remote_addr; } } }\n");

        return new ServerProcess(['nginx', '-p', $folder, '-c', "$folder/nginx-$port.conf"], $port, "$folder/log");
    }

    return new ServerProcess([PHP_BINARY, '-dextension=' . getcwd() . '/build/ext/modules/tusk.so', __DIR__ . '/tusk.php', "127.0.0.1:$port", "127.0.0.1:$backend", 'http', 'cached'], $port, "$folder/log");
}

/** Three digits where they say something. */
function show(float $value): string
{
    return $value < 10 ? sprintf('%.3f', $value) : number_format($value);
}

/** What runs now, on a terminal: these tables take minutes. */
function progress(string $text): void
{
    if (stream_isatty(STDERR)) {
        fwrite(STDERR, "\r\e[K$text");
    }
}
