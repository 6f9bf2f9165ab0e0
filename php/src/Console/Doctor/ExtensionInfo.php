<?php

declare(strict_types=1);

namespace Tusk\Console\Doctor;

/** What the loaded extension says about itself in phpinfo(). */
final readonly class ExtensionInfo
{
    /** Libraries that the extension can be built without, and what is then missing. */
    public const LIBRARIES = ['OpenSSL' => 'TLS', 'zlib' => 'permessage-deflate'];

    /** The same, for what few have a use for. */
    public const EXTRAS = ['libbpf' => 'sockmap', 'liburing' => 'io_uring'];

    /**
     * @param string|null           $version null when the extension is not loaded
     * @param array<string, string> $rows    as phpinfo() shows them, names in lower case
     */
    public function __construct(public ?string $version, public array $rows = []) {}

    public static function loaded(): self
    {
        if (!extension_loaded('tusk')) {
            return new self(null);
        }
        $extension = new \ReflectionExtension('tusk');
        ob_start();
        $extension->info();

        return new self($extension->getVersion() ?? 'unknown', self::parse((string) ob_get_clean()));
    }

    /** @return array<string, string> */
    public static function parse(string $info): array
    {
        $rows = [];
        foreach (explode("\n", $info) as $line) {
            $parts = explode(' => ', $line, 2);
            if (count($parts) === 2) {
                $rows[strtolower(trim($parts[0]))] = trim($parts[1]);
            }
        }

        return $rows;
    }

    /** What phpinfo() says about one of LIBRARIES; null when the extension was built without it. */
    public function feature(string $library): ?string
    {
        $row = match ($library) {
            'OpenSSL' => 'tls',
            'zlib' => 'permessage-deflate (zlib)',
            'libbpf' => 'sockmap (libbpf)',
            'liburing' => 'io_uring (liburing)',
            default => strtolower($library),
        };
        $value = $this->rows[$row] ?? '';

        return $value === '' || str_starts_with($value, 'not built in') ? null : $value;
    }
}
