--TEST--
A certificate that has expired, or is not valid yet, is served and said in the log, with its file and day; one that is valid is not
--EXTENSIONS--
tusk
--SKIPIF--
<?php if (!is_executable('/usr/bin/openssl')) die('skip the openssl command is needed'); ob_start(); phpinfo(INFO_MODULES); if (preg_match('/^TLS => not built in/m', ob_get_clean())) die('skip built without OpenSSL'); ?>
--FILE--
<?php
$dir = sys_get_temp_dir() . '/tusk-expired-' . getmypid();
mkdir($dir);
file_put_contents("$dir/ca.cnf", "[ca]\ndefault_ca=d\n[d]\ndatabase=$dir/index.txt\nserial=$dir/serial\nnew_certs_dir=$dir\ndefault_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n");
touch("$dir/index.txt");
file_put_contents("$dir/serial", "01\n");
exec("openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=a -keyout $dir/key.pem -out $dir/csr.pem 2>/dev/null");
foreach (['old' => ['200101000000Z', '210304000000Z'], 'good' => ['200101000000Z', '491231000000Z'], 'early' => ['480506000000Z', '491231000000Z']] as $name => [$from, $to]) {
    file_put_contents("$dir/index.txt", '');
    exec("openssl ca -batch -config $dir/ca.cnf -selfsign -keyfile $dir/key.pem -in $dir/csr.pem -startdate $from -enddate $to -out $dir/$name.pem 2>&1", $said, $status);
    $status === 0 || print(implode("\n", $said));
}
ini_set('error_log', "$dir/log");
foreach (['old', 'good', 'early'] as $name) {
    new Tusk\Tls("$dir/$name.pem", "$dir/key.pem");
}
new Tusk\Tls("$dir/good.pem", "$dir/key.pem", sni: ['b' => ["$dir/old.pem", "$dir/key.pem"]]);
echo str_replace($dir, 'DIR', preg_replace('~^\[.*?\] ~m', '', (string) file_get_contents("$dir/log")));
array_map(unlink(...), glob("$dir/*"));
rmdir($dir);
?>
--EXPECT--
Tusk: certificate file 'DIR/old.pem' has expired on 2021-03-04, so clients refuse it: renew it, then send SIGHUP
Tusk: certificate file 'DIR/early.pem' is not valid before 2048-05-06, so clients refuse it: is the clock right?
Tusk: certificate file 'DIR/old.pem' has expired on 2021-03-04, so clients refuse it: renew it, then send SIGHUP
