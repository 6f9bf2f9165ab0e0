<?php

declare(strict_types=1);

namespace Tusk\Proxy;

/**
 * One line of JSON for every session: `$proxy->onAccess(AccessLog::to('/var/log/tusk/proxy.log'))`. A file that was moved away (logrotate)
 * is opened again within a second.
 */
final class AccessLog
{
    /** @var resource */
    private $stream;
    private int $looked = 0;

    private function __construct(private readonly string $path)
    {
        $this->stream = $this->open();
    }

    /**
     * @param string $path a file, or "php://stdout", "php://stderr"
     *
     * @return \Closure(Access): void
     *
     * @throws \RuntimeException when it cannot be written
     */
    public static function to(string $path): \Closure
    {
        $self = new self($path);

        return $self->write(...);
    }

    private function write(Access $access): void
    {
        $now = time();
        if ($now !== $this->looked) {
            $this->looked = $now;
            $this->follow();
        }
        $flags = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_INVALID_UTF8_SUBSTITUTE | JSON_PRESERVE_ZERO_FRACTION;
        $fields = ['time' => self::moment($access->time)] + get_object_vars($access);
        if ($fields['metadata'] === []) {
            unset($fields['metadata']);
        }
        if ($access->method === null) {
            unset($fields['method'], $fields['host'], $fields['path']);
        }
        fwrite($this->stream, json_encode($fields, $flags) . "\n");
    }

    private function follow(): void
    {
        if (str_contains($this->path, '://')) {
            return;
        }
        clearstatcache(true, $this->path);
        $there = @stat($this->path);
        $here = fstat($this->stream);
        if ($there === false || $here === false || [$there['dev'], $there['ino']] !== [$here['dev'], $here['ino']]) {
            fclose($this->stream);
            $this->stream = $this->open();
        }
    }

    /** @return resource */
    private function open()
    {
        $stream = @fopen($this->path, 'a');
        if ($stream === false) {
            throw new \RuntimeException("The access log cannot be written: {$this->path}");
        }

        return $stream;
    }

    /** RFC 3339 with milliseconds, UTC. */
    private static function moment(float $time): string
    {
        $ms = (int) round($time * 1000);

        return gmdate('Y-m-d\TH:i:s', intdiv($ms, 1000)) . sprintf('.%03dZ', $ms % 1000);
    }
}
