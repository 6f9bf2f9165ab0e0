<?php

declare(strict_types=1);

namespace Tusk\Bench\Console;

use Symfony\Component\Console\Exception\InvalidArgumentException;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;
use Tusk\Bench\Mode;
use Tusk\Bench\Report\Csv;
use Tusk\Bench\Report\HdrFile;
use Tusk\Bench\Report\Html;
use Tusk\Bench\Report\Markdown;
use Tusk\Bench\Report\Text;
use Tusk\Bench\Report\WsperfJson;
use Tusk\Bench\Report\WsperfRun;
use Tusk\Bench\Result;
use Tusk\Bench\Store;

/** Where a result goes: the options `--json`, `--html` and so on, and what they write. */
final readonly class Faces
{
    private const STDOUT = '-';

    /** @param array<string, string> $files by format; `-` is standard output */
    private function __construct(private array $files) {}

    /** @return list<InputOption> */
    public static function definition(): array
    {
        $file = InputOption::VALUE_REQUIRED;

        return [
            new InputOption('json', null, InputOption::VALUE_OPTIONAL, 'the result as JSON; without a file instead of the text', false),
            new InputOption('csv', null, $file, 'a line for each second'),
            new InputOption('hdr', null, $file, 'histogram log; with a name in .hgrm the percentile text'),
            new InputOption('samples', null, $file, 'every recorded value as CSV; of ws-handshake every connection'),
            new InputOption('markdown', null, $file, 'the report for an issue or a wiki'),
            new InputOption('html', null, $file, 'the report as one page'),
            new InputOption('wsperf', null, $file, 'the result file of wsperf (ws-handshake)'),
            new InputOption('store', null, InputOption::VALUE_OPTIONAL, 'add the result to a store', false),
        ];
    }

    /** @throws InvalidArgumentException when a folder is not there, so that no run is lost */
    public static function of(InputInterface $input, ?Mode $mode): self
    {
        $files = [];
        foreach (self::definition() as $option) {
            $value = $input->getOption($option->getName());
            if ($value === false || ($value === null && $option->isValueRequired())) {
                continue;
            }
            $given = is_string($value) ? $value : ($option->getName() === 'json' ? self::STDOUT : Store::DEFAULT);
            if ($given !== self::STDOUT && (!is_dir(dirname($given)) || is_dir($given))) {
                throw new InvalidArgumentException("--{$option->getName()} $given: there is no folder for it");
            }
            $files[$option->getName()] = $given;
        }
        if (isset($files['wsperf']) && $mode !== null && $mode !== Mode::WsHandshake) {
            throw new InvalidArgumentException('--wsperf: that file holds handshakes, so only ws-handshake can write it');
        }

        return new self($files);
    }

    public function has(string $format): bool
    {
        return isset($this->files[$format]);
    }

    /** Whether nothing but the text is wanted. */
    public function none(): bool
    {
        return $this->files === [];
    }

    /** Whether single connections are wanted. */
    public function wantsSamples(): bool
    {
        return $this->has('samples') || $this->has('wsperf');
    }

    /**
     * @param (\Closure(): iterable<array{start: int, tcp: int, tls: int, upgrade: int, close: int, failed: bool, exchanges: list<array{int, int}>}>)|null $samples
     *                                                                                 single connections, where the engine has them
     *
     * @throws InvalidArgumentException when a file cannot be written
     */
    public function write(Result $result, OutputInterface $output, OutputInterface $errors, ?\Closure $samples = null): void
    {
        try {
            if (!in_array(self::STDOUT, $this->files, true)) {
                $output->write(Text::write($result), false, OutputInterface::OUTPUT_RAW);
            }
        } finally { // files are written also where the terminal's text is lost
            $this->files($result, $output, $errors, $samples);
        }
    }

    /**
     * All of them, also where one cannot be written: a run is not done again for the sake of the others.
     *
     * @param (\Closure(): iterable<array{start: int, tcp: int, tls: int, upgrade: int, close: int, failed: bool, exchanges: list<array{int, int}>}>)|null $samples
     */
    private function files(Result $result, OutputInterface $output, OutputInterface $errors, ?\Closure $samples): void
    {
        $fault = null;
        foreach ($this->files as $format => $file) {
            try {
                $this->file($format, $file, $result, $output, $errors, $samples);
            } catch (\Exception $e) {
                $fault ??= $e;
            }
        }
        if ($fault !== null) {
            throw $fault;
        }
    }

    /** @param (\Closure(): iterable<array{start: int, tcp: int, tls: int, upgrade: int, close: int, failed: bool, exchanges: list<array{int, int}>}>)|null $samples */
    private function file(string $format, string $file, Result $result, OutputInterface $output, OutputInterface $errors, ?\Closure $samples): void
    {
        if ($format === 'store') {
            $id = (new Store($file))->add($result);
            $errors->writeln("stored as $id in $file");

            return;
        }
        $this->put($file, match ($format) {
            'json' => [$result->toJson()],
            'csv' => [Csv::intervals($result)],
            'hdr' => [str_ends_with($file, '.hgrm') ? HdrFile::percentiles($result) : HdrFile::log($result)],
            'samples' => $samples !== null && $result->mode === Mode::WsHandshake ? Csv::connections($samples()) : [Csv::values($result)],
            'markdown' => [Markdown::write($result)],
            'wsperf' => WsperfJson::write(WsperfRun::ofResult($result, $samples === null ? [] : $samples())),
            default => [Html::write($result)],
        }, $output);
        if ($file !== self::STDOUT) {
            $errors->writeln("written: $file");
        }
    }

    /** @param iterable<string> $pieces */
    private function put(string $file, iterable $pieces, OutputInterface $output): void
    {
        $handle = $file === self::STDOUT ? null : @fopen($file, 'wb');
        if ($handle === false) {
            throw new InvalidArgumentException("$file cannot be written");
        }
        foreach ($pieces as $piece) {
            if ($handle === null) {
                $output->write($piece, false, OutputInterface::OUTPUT_RAW);
            } elseif (@fwrite($handle, $piece) !== strlen($piece)) {
                throw new InvalidArgumentException("$file cannot be written whole");
            }
        }
        if ($handle !== null) {
            fclose($handle);
        }
    }
}
