<?php

declare(strict_types=1);

namespace Tusk\Bench\Wsperf;

/**
 * What a commander sends: `NAME:KEY=VALUE;KEY=VALUE;`. No escapes, no trimming; the last of equal keys wins; an argument
 * ends with its semicolon, and what stands behind the last one is ignored, as wsperf does. (wsperf also looks for the
 * equals sign beyond the semicolon of a bare key; here a bare key has an empty value.)
 */
final readonly class Command
{
    /** @param array<array-key, string> $arguments */
    private function __construct(public string $name, public array $arguments) {}

    public static function parse(string $text): self
    {
        $colon = strpos($text, ':');
        if ($colon === false) {
            return new self('', []);
        }
        $arguments = [];
        $parts = explode(';', substr($text, $colon + 1));
        array_pop($parts);
        foreach ($parts as $part) {
            [$key, $value] = explode('=', $part, 2) + [1 => ''];
            $arguments[$key] = $value;
        }

        return new self(substr($text, 0, $colon), $arguments);
    }

    /**
     * @param array<string, string|int|float|bool> $arguments
     *
     * @throws \ValueError for a value with a semicolon, which the grammar cannot carry
     */
    public static function write(string $name, array $arguments): string
    {
        $text = "$name:";
        foreach ($arguments as $key => $value) {
            $value = is_bool($value) ? ($value ? 'true' : 'false') : (string) $value;
            if (str_contains($value, ';')) {
                throw new \ValueError("$key holds a semicolon, which cannot be sent to an agent");
            }
            $text .= "$key=$value;";
        }

        return $text;
    }

    /** Empty when there is none. */
    public function token(): string
    {
        return $this->arguments['token'] ?? '';
    }

    /** @throws BadCommand when it is missing or empty and no default is given */
    public function text(string $key, ?string $default = null): string
    {
        $value = $this->arguments[$key] ?? '';
        if ($value === '') {
            return $default ?? throw BadCommand::parameter($key);
        }

        return $value;
    }

    /** @throws BadCommand when it is missing without a default, no whole number, or over the maximum */
    public function count(string $key, int $max, ?int $default = null): int
    {
        $value = $this->arguments[$key] ?? null;
        if ($value === null && $default !== null) {
            return $default;
        }
        if ($value === null || preg_match('~^\d{1,18}$~', $value) !== 1 || (int) $value > $max) {
            throw BadCommand::parameter($key);
        }

        return (int) $value;
    }

    /** @throws BadCommand when it is missing, or neither `true` nor `false` */
    public function flag(string $key): bool
    {
        return match ($this->arguments[$key] ?? null) {
            'true' => true,
            'false' => false,
            default => throw BadCommand::parameter($key),
        };
    }
}
