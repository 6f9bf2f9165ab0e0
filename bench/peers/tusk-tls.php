<?php
// SPDX-License-Identifier: MIT
// Tusk for S6 with TLS: a WebSocket route on a TLS listener, its certificate made at start. PORT
declare(strict_types=1);

use Tusk\{Limits, Server, Tls};
use Tusk\WebSocket\Connection;

$key = openssl_pkey_new(['private_key_type' => OPENSSL_KEYTYPE_EC, 'curve_name' => 'prime256v1']);
$request = openssl_csr_new(['commonName' => 'localhost'], $key);
$certificate = openssl_csr_sign($request, null, $key, 1, ['digest_alg' => 'sha256']);
openssl_x509_export_to_file($certificate, $certificateFile = tempnam(sys_get_temp_dir(), 'tusk'));
openssl_pkey_export_to_file($key, $keyFile = tempnam(sys_get_temp_dir(), 'tusk'));
register_shutdown_function(static function () use ($certificateFile, $keyFile): void {
    unlink($certificateFile);
    unlink($keyFile);
});

$server = new Server(
    listen: "127.0.0.1:{$argv[1]}",
    tls: new Tls($certificateFile, $keyFile),
    limits: new Limits(connections: 12000),
);
$server->websocket('/', message: static fn (Connection $connection, string $data) => $connection->send($data));
exit($server->run());
