<?php

declare(strict_types=1);

namespace Tusk\Bench;

use Symfony\Component\Yaml\Exception\ParseException;
use Symfony\Component\Yaml\Yaml;

/** A scenario file: YAML (so JSON too) with `mode`, `url`, and if wanted `name`, `options`, `assert`, `pid`. */
final readonly class Scenario
{
    private const KEYS = ['name', 'mode', 'url', 'options', 'assert', 'pid'];

    /** @param int|null $pid of the server */
    private function __construct(public Plan $plan, public ?int $pid) {}

    /**
     * @param list<string> $arguments for the result
     *
     * @throws BadFile naming file, line and reason
     */
    public static function read(string $file, Engines $engines, array $arguments = []): self
    {
        return self::parse(BadFile::contents($file), $file, $engines, $arguments);
    }

    /**
     * @param list<string> $arguments
     *
     * @throws BadFile
     */
    public static function parse(string $text, string $file, Engines $engines, array $arguments = []): self
    {
        try {
            $values = Yaml::parse($text, Yaml::PARSE_EXCEPTION_ON_INVALID_TYPE);
        } catch (ParseException $fault) {
            $reason = (string) preg_replace('~ at line \d+.*$| \(near .*$~s', '', $fault->getMessage());
            throw BadFile::at($file, $fault->getParsedLine() > 0 ? $fault->getParsedLine() : null, rtrim($reason, '.'));
        }
        $at = static fn (string $key, string $reason): BadFile => BadFile::at($file, self::line($text, $key), $reason);
        if (!is_array($values) || array_is_list($values)) {
            throw BadFile::at($file, 1, 'a scenario has keys: ' . implode(', ', self::KEYS));
        }
        foreach (array_keys($values) as $key) {
            if (!in_array($key, self::KEYS, true)) {
                throw $at((string) $key, "there is no key \"$key\" in a scenario, only " . implode(', ', self::KEYS));
            }
        }
        $url = $values['url'] ?? null;
        if (!is_string($url)) {
            throw $at('url', isset($values['url']) ? 'url is a text' : 'url is missing');
        }
        $mode = self::mode($values['mode'] ?? null, $url) ?? throw $at('mode', 'mode is one of ' . implode(', ', array_column(Mode::cases(), 'value')));
        $name = $values['name'] ?? pathinfo($file, PATHINFO_FILENAME);
        $pid = $values['pid'] ?? null;
        if ($pid !== null && !is_int($pid)) {
            throw $at('pid', 'pid is the number of a process');
        }
        $options = self::options($values['options'] ?? [], $engines->options($mode), $mode, $at);
        $thresholds = self::thresholds($values['assert'] ?? [], $mode, $at);
        $plan = new Plan($mode, $url, $options, $thresholds, is_scalar($name) ? (string) $name : null, $arguments);
        try {
            $engines->create($mode, $url, $options);
        } catch (\ValueError $fault) {
            throw $at(self::named($fault->getMessage(), array_keys($options)) ?? 'url', $fault->getMessage());
        }

        return new self($plan, $pid);
    }

    private static function mode(mixed $given, string $url): ?Mode
    {
        return $given === null ? Mode::ofUrl($url) : (is_string($given) ? Mode::tryFrom(strtr($given, ' ', '-')) : null);
    }

    /**
     * @param array<string, array{type: string, default: string, unit: string, help: string}> $table
     * @param \Closure(string, string): BadFile                                               $at
     *
     * @return array<string, string|int|float|bool>
     */
    private static function options(mixed $given, array $table, Mode $mode, \Closure $at): array
    {
        if (!is_array($given)) {
            throw $at('options', 'options are pairs of name and value');
        }
        $options = [];
        foreach ($given as $name => $value) {
            $name = (string) $name;
            if (!isset($table[$name])) {
                throw $at($name, "{$mode->value} has no option \"$name\"; it has " . implode(', ', array_keys($table)));
            }
            if (is_array($value) && array_is_list($value) && count(array_filter($value, is_string(...))) === count($value)) {
                $value = implode("\n", array_filter($value, is_string(...)));
            }
            $options[$name] = is_scalar($value) ? $value : throw $at($name, "$name has one value, or a list of texts");
        }

        return $options;
    }

    /**
     * @param \Closure(string, string): BadFile $at
     *
     * @return list<string>
     */
    private static function thresholds(mixed $given, Mode $mode, \Closure $at): array
    {
        $thresholds = [];
        foreach (is_array($given) ? $given : [$given] as $text) {
            if (!is_string($text)) {
                throw $at('assert', 'assert is a text such as \'p99 < 20ms\', or a list of them');
            }
            try {
                Threshold::parse($text, $mode);
            } catch (\ValueError $fault) {
                throw $at($text, $fault->getMessage());
            }
            $thresholds[] = $text;
        }

        return $thresholds;
    }

    /**
     * Which of the options a message is about.
     *
     * @param list<string> $names
     */
    private static function named(string $message, array $names): ?string
    {
        foreach ($names as $name) {
            if (preg_match('~(?<![\w-])' . preg_quote($name, '~') . '(?![\w-])~', $message) === 1) {
                return $name;
            }
        }

        return null;
    }

    /** The line where a key, or a text, stands first. */
    private static function line(string $text, string $key): ?int
    {
        foreach (explode("\n", $text) as $i => $line) {
            if (preg_match('~^[\s{,-]*["\']?' . preg_quote($key, '~') . '["\']?\s*(:|$|,|\])~', $line) === 1) {
                return $i + 1;
            }
        }
        foreach (explode("\n", $text) as $i => $line) {        // within a line, as in {connections: 10} and JSON
            if (preg_match('~[{,\[]\s*["\']?' . preg_quote($key, '~') . '["\']?\s*(:|,|\]|$)~', $line) === 1) {
                return $i + 1;
            }
        }

        return null;
    }
}
