<?php

declare(strict_types=1);

namespace Tusk\Bench\Suite;

/** A certificate for 127.0.0.1 and its key, made for one suite and removed with the object. */
final class Certificate
{
    private function __construct(public readonly string $certificate, public readonly string $key) {}

    public function __destruct()
    {
        @unlink($this->certificate);
        @unlink($this->key);
    }

    /** @throws \RuntimeException when PHP has no openssl */
    public static function make(): self
    {
        if (!extension_loaded('openssl')) {
            throw new \RuntimeException('wss needs a certificate and PHP has no openssl extension to make one; use ws');
        }
        $key = openssl_pkey_new(['private_key_type' => OPENSSL_KEYTYPE_EC, 'curve_name' => 'prime256v1']);
        $request = $key === false ? false : openssl_csr_new(['commonName' => 'localhost'], $key);
        if ($key === false || !$request instanceof \OpenSSLCertificateSigningRequest) {
            throw new \RuntimeException('cannot make a key: ' . openssl_error_string());
        }
        $signed = openssl_csr_sign($request, null, $key, 1, ['digest_alg' => 'sha256']);
        [$certificate, $file] = [self::file(), self::file()];
        if ($signed === false || !openssl_x509_export_to_file($signed, $certificate) || !openssl_pkey_export_to_file($key, $file)) {
            throw new \RuntimeException('cannot sign a certificate: ' . openssl_error_string());
        }

        return new self($certificate, $file);
    }

    private static function file(): string
    {
        $file = tempnam(sys_get_temp_dir(), 'tusk-bench-');

        return $file !== false ? $file : throw new \RuntimeException('cannot write to ' . sys_get_temp_dir());
    }
}
