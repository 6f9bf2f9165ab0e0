<?php

declare(strict_types=1);

namespace Tusk\Bench\Console;

use Symfony\Component\Console\Exception\InvalidArgumentException;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Tusk\Bench\Engines;
use Tusk\Bench\Mode;

/** A mode's options on the command line, made from the engine's own table. */
final readonly class EngineOptions
{
    private const SHORT = [
        'connections' => 'c', 'duration' => 'd', 'size' => 's', 'rate' => 'r', 'workers' => 'w', 'header' => 'H', 'tls-insecure' => 'k',
    ];
    /** One a line in the engine, so repeated on the command line. */
    private const LISTS = ['header', 'urls'];
    /** `@FILE` reads the value from a file. */
    private const FROM_FILE = ['header', 'urls', 'body', 'publish-body', 'subscribe', 'message'];
    /** What means the same in every mode that has it: told once, by `tusk bench options`. */
    private const EVERYWHERE = [
        'warmup', 'drain', 'ramp', 'arrivals', 'seed', 'workers', 'sources', 'opening', 'timeout', 'allow-remote', 'spin', 'pin', 'hiccup',
        'tls-insecure', 'tls-ca', 'tls-server-name', 'tls-resume',
    ];
    /** Set by what people ask for in other words. */
    private const HIDDEN = ['samples'];

    /** @var array<string, array{type: string, default: string, unit: string, help: string}> */
    private array $table;

    public function __construct(Engines $engines, private Mode $mode)
    {
        $this->table = array_diff_key($engines->options($mode), array_flip(self::HIDDEN));
    }

    /** @return array<string, array{type: string, default: string, unit: string, help: string}> */
    public function table(): array
    {
        return $this->table;
    }

    /** @return list<array{string, string}> the mode's own options for help: how each is written, what it does */
    public function rows(): array
    {
        return $this->told(array_diff(array_keys($this->table), self::EVERYWHERE));
    }

    /** @return array<string, array{string, string}> the rest of them, by name */
    public function rowsEverywhere(): array
    {
        $names = array_values(array_intersect(self::EVERYWHERE, array_keys($this->table)));

        return array_combine($names, $this->told($names));
    }

    /**
     * @param array<string> $names
     *
     * @return list<array{string, string}>
     */
    private function told(array $names): array
    {
        return array_map(function (string $name): array {
            $default = $this->default($name);

            return [$this->label($name), (self::words($this->table[$name]) ? strtr($this->table[$name]['type'], '|', ' ') . ': ' : '') . $this->table[$name]['help'] . ($default === '' ? '' : " ($default)")];
        }, array_values($names));
    }

    /** @return list<InputOption> */
    public function definition(): array
    {
        $options = [];
        foreach ($this->table as $name => $row) {
            $kind = match (true) {
                self::on($row) => InputOption::VALUE_NEGATABLE,
                self::switch($row) => InputOption::VALUE_NONE,
                in_array($name, self::LISTS, true) => InputOption::VALUE_REQUIRED | InputOption::VALUE_IS_ARRAY,
                default => InputOption::VALUE_REQUIRED,
            };
            $options[] = new InputOption($name, $this->short($name), $kind, $row['help']);
        }

        return $options;
    }

    private function short(string $name): ?string
    {
        if (str_starts_with($this->mode->value, 'tcp-')) {
            return $name === 'header' ? null : (self::SHORT[$name] ?? null);
        }

        return $name === 'pipeline' ? 'p' : (self::SHORT[$name] ?? null);
    }

    /** How help writes an option: `-c, --connections N`. */
    private function label(string $name): string
    {
        $row = $this->table[$name];
        $short = $this->short($name);
        $value = match (true) {
            self::switch($row) => '',
            self::words($row) => ' NAME',
            str_contains($row['type'], '|') => ' ' . $row['type'],
            $row['type'] === 'seconds' => ' TIME',
            $row['type'] === 'size' => ' BYTES',
            $row['type'] === 'text' => $row['unit'] === 'file' ? ' FILE' : ' TEXT',
            default => ' N',
        };

        return ($short === null ? '    ' : "-$short, ") . (self::on($row) ? '--[no-]' : '--') . $name . $value;
    }

    /** The default as help shows it; empty where it says nothing. */
    private function default(string $name): string
    {
        $row = $this->table[$name];

        if (self::on($row)) {
            return 'yes';
        }

        return self::switch($row) || $row['default'] === '' || str_contains($row['help'], '0:') ? '' : $row['default'] . ($row['type'] === 'seconds' ? 's' : '');
    }

    /**
     * Those that were given.
     *
     * @return array<string, string|bool>
     */
    public function given(InputInterface $input): array
    {
        $given = [];
        foreach ($this->table as $name => $row) {
            $value = $input->getOption($name);
            if (is_array($value)) {
                $lines = array_map(fn (string $line): string => $this->fromFile($name, $line), array_filter($value, is_string(...)));
                $value = $lines === [] ? null : implode("\n", $lines);
            }
            if (is_bool($value)) {
                if ($value !== self::on($row)) {
                    $given[$name] = $value;
                }
            } elseif (is_string($value)) {
                $given[$name] = $this->fromFile($name, $value);
            }
        }

        return $given;
    }

    /** @return array<string, string> */
    public function defaults(): array
    {
        return array_map(static fn (array $row): string => $row['default'], $this->table);
    }

    private function fromFile(string $name, string $value): string
    {
        if (!in_array($name, self::FROM_FILE, true) || !str_starts_with($value, '@')) {
            return $value;
        }
        $file = substr($value, 1);
        $text = is_file($file) ? @file_get_contents($file) : false;
        if ($text === false) {
            throw new InvalidArgumentException("--$name: the file $file cannot be read");
        }

        return in_array($name, self::LISTS, true) ? rtrim($text, "\r\n") : $text;
    }

    /**
     * Whether there are too many words to choose from to stand beside the name.
     *
     * @param array{type: string, default: string, unit: string, help: string} $row
     */
    private static function words(array $row): bool
    {
        return str_contains($row['type'], '|') && strlen($row['type']) > 16;
    }

    /** @param array{type: string, default: string, unit: string, help: string} $row */
    private static function switch(array $row): bool
    {
        return $row['type'] === 'switch';
    }

    /** @param array{type: string, default: string, unit: string, help: string} $row */
    private static function on(array $row): bool
    {
        return self::switch($row) && $row['default'] === 'yes';
    }
}
