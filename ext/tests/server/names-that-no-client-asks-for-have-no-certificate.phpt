--TEST--
sni: names that no client asks for are refused with what to write instead; null bytes too, and a name that is there already
--SKIPIF--
<?php if (!is_executable('/usr/bin/openssl')) die('skip the openssl command is needed'); ob_start(); phpinfo(INFO_MODULES); if (preg_match('/^TLS => not built in/m', ob_get_clean())) die('skip built without OpenSSL'); ?>
--FILE--
<?php
$dir = __DIR__ . '/names.tmp';
@mkdir($dir);
exec("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=a -keyout $dir/a.key -out $dir/a.pem 2>/dev/null");
foreach ([
    'exämple.net' => ["$dir/a.pem", "$dir/a.key"],
    'https://example.net' => ["$dir/a.pem", "$dir/a.key"],
    "example.net\0" => ["$dir/a.pem", "$dir/a.key"],
    'example.net' => ["$dir/a.pem\0", "$dir/a.key"],
    'Example.NET.' => ["$dir/a.pem", "$dir/a.key"],
    '*.Example.NET.' => ["$dir/a.pem", "$dir/a.key"],
] as $name => $pair) {
    try {
        new Tusk\Tls("$dir/a.pem", "$dir/a.key", sni: [$name => $pair]);
        echo "fine\n";
    } catch (ValueError $e) {
        echo $e->getMessage(), "\n";
    }
}
try {
    new Tusk\Tls("$dir/a.pem", "$dir/a.key", sni: ['a.net' => ["$dir/a.pem", "$dir/a.key"], 'A.net' => ["$dir/a.pem", "$dir/a.key"]]);
} catch (ValueError $e) {
    echo $e->getMessage(), "\n";
}
array_map(unlink(...), glob("$dir/*"));
rmdir($dir);
?>
--EXPECT--
Tusk\Tls::__construct(): Argument #4 ($sni) has no usable certificate for "exämple.net": no client asks for such a name; give it as DNS has it (letters, digits, hyphens and dots; xn--... for others), or *. and a name
Tusk\Tls::__construct(): Argument #4 ($sni) has no usable certificate for "https://example.net": no client asks for such a name; give it as DNS has it (letters, digits, hyphens and dots; xn--... for others), or *. and a name
Tusk\Tls::__construct(): Argument #4 ($sni) must be of the form name => [certificate, key]
Tusk\Tls::__construct(): Argument #4 ($sni) must be of the form name => [certificate, key]
fine
fine
Tusk\Tls::__construct(): Argument #4 ($sni) has no usable certificate for "A.net": that name has one already, and case makes no other name
