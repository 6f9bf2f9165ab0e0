--TEST--
files(): a symbolic link that leads out of the folder is 404, as file, folder, index and range, and the log says so once; with followSymlinks it is served
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
use Tusk\{Server, Timer};
use Tusk\Http\Client;

ini_set('error_log', $log = tempnam(sys_get_temp_dir(), 'tusk'));
$top = sys_get_temp_dir() . '/tusk-links-' . getmypid();
foreach (['', '/in', '/in/sub', '/in/sub2', '/out'] as $folder) {
    mkdir("$top$folder");
}
file_put_contents("$top/in/page.html", 'inside');
file_put_contents("$top/out/page.html", 'outside');
file_put_contents("$top/out/large.bin", str_repeat('o', 100000));
symlink('../page.html', "$top/in/sub/index.html");
symlink('../../out/page.html', "$top/in/sub2/index.html");
symlink("$top/in/page.html", "$top/in/absolute.html");
symlink('../out', "$top/in/out");
symlink('../out/large.bin', "$top/in/large.bin");
symlink('../out/page.html', "$top/in/page.html.br"); // its compressed neighbour

$server = new Server('127.0.0.1:0');
$server->files('/safe', "$top/in");
$server->files('/any', "$top/in", followSymlinks: true);
$server->onStart(function (Server $s): void {
    Timer::defer(function () use ($s): void {
        $client = new Client(timeout: 10.0);
        foreach (['safe', 'any'] as $prefix) {
            $ask = fn (string $path, array $fields = [], string $method = 'GET') => $client->request($method, "http://127.0.0.1:$s->port/$prefix$path", $fields);
            foreach (['/page.html', '/absolute.html', '/sub/', '/sub2/', '/out/page.html', '/out', '/large.bin'] as $path) {
                $answer = $ask($path);
                echo "/$prefix$path $answer->status ", $answer->status === 200 ? substr($answer->body, 0, 7) : '', "\n";
            }
            echo $ask('/large.bin', ['Range' => 'bytes=0-3'])->status, ' ', $ask('/large.bin', [], 'HEAD')->status, ' ',
                $ask('/page.html', ['Accept-Encoding' => 'br'])->header('content-encoding') ?? 'plain', "\n";
        }
        $s->stop();
    });
});
$server->run();
echo preg_replace(['~^\[.*?\] ~m', '~/\S*/in/~', '~.*a handler held the loop for.*\n~'], ['', '…/in/', ''], file_get_contents($log));
exec('rm -r ' . escapeshellarg($top));
unlink($log);
?>
--EXPECT--
/safe/page.html 200 inside
/safe/absolute.html 200 inside
/safe/sub/ 200 inside
/safe/sub2/ 404 
/safe/out/page.html 404 
/safe/out 404 
/safe/large.bin 404 
404 404 plain
/any/page.html 200 inside
/any/absolute.html 200 inside
/any/sub/ 200 inside
/any/sub2/ 200 outside
/any/out/page.html 200 outside
/any/out 301 
/any/large.bin 200 ooooooo
206 200 br
Tusk: …/in/sub2/index.html leads out of its folder and is not served (followSymlinks permits it)
