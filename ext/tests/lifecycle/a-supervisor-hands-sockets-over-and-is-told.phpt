--TEST--
A socket that a supervisor has bound is used and kept, in one process and in workers; READY, RELOADING and STOPPING are told to NOTIFY_SOCKET
--EXTENSIONS--
tusk
pcntl
posix
--FILE--
<?php
use Tusk\Http\Response;
use Tusk\Server;

$notify = sys_get_temp_dir() . '/tusk-notify-' . getmypid();
$path = sys_get_temp_dir() . '/tusk-handed-' . getmypid();
$told = stream_socket_server("udg://$notify", $number, $error, STREAM_SERVER_BIND);
stream_set_timeout($told, 20);
$wait = function (string $what) use ($told): string {
    do {
        $said = (string) fread($told, 200);
    } while ($said !== '' && !str_starts_with($said, $what));
    return preg_replace('~\d{4,}~', 'N', strtr($said, "\n", ' '));
};
foreach ([['tcp', 1], ['tcp', 2], ['unix', 1], ['unix', 2]] as [$kind, $workers]) {
    $url = $kind === 'tcp' ? 'tcp://127.0.0.1:0' : "unix://$path";
    $socket = stream_socket_server($url);
    $address = $kind === 'tcp' ? stream_socket_get_name($socket, false) : "unix:$path";
    $url = $kind === 'tcp' ? "tcp://$address" : $url;
    $early = stream_socket_client($url); // before anybody accepts
    fwrite($early, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    $pid = pcntl_fork();
    if ($pid === 0) { // the descriptor's number is anything from 3 on; the others are no listeners
        foreach (['LISTEN_PID' => getmypid(), 'LISTEN_FDS' => 60, 'NOTIFY_SOCKET' => $notify] as $name => $value) {
            putenv("$name=$value");
        }
        $server = new Server($address, workers: $workers);
        $server->get('/', fn () => Response::text("served\n"));
        exit($server->run());
    }
    echo "$kind $workers: ", $wait('READY'), ', ';
    stream_set_timeout($early, 20);
    echo trim(substr(stream_get_contents($early), -7)), ', ';
    posix_kill($pid, SIGHUP);
    echo $wait('RELOADING'), ', ', $wait('READY'), ', ';
    posix_kill($pid, SIGTERM);
    echo $wait('STOPPING'), ', ';
    pcntl_waitpid($pid, $status);
    echo pcntl_wexitstatus($status), ', ', @stream_socket_client($url) === false ? 'gone' : 'kept', "\n";
    fclose($socket);
    @unlink($path);
}
unlink($notify);
?>
--EXPECT--
tcp 1: READY=1, served, RELOADING=1 MONOTONIC_USEC=N, READY=1, STOPPING=1, 0, kept
tcp 2: READY=1, served, RELOADING=1 MONOTONIC_USEC=N, READY=1, STOPPING=1, 0, kept
unix 1: READY=1, served, RELOADING=1 MONOTONIC_USEC=N, READY=1, STOPPING=1, 0, kept
unix 2: READY=1, served, RELOADING=1 MONOTONIC_USEC=N, READY=1, STOPPING=1, 0, kept
