<?php

declare(strict_types=1);

namespace Tusk\Bench\Console;

use Tusk\Terminal\Screen;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;
use Symfony\Component\Console\Exception\InvalidArgumentException;
use Tusk\Bench\Mode;
use Tusk\Terminal\ExitCode;

/** `tusk bench`: what there is. */
final class OverviewCommand extends BenchCommand
{
    protected function configure(): void
    {
        $this->setName('bench')->setDescription('Put load on a server and say what it holds');
        $this->addArgument('mode', InputArgument::OPTIONAL, 'see below');
    }

    protected function carryOut(InputInterface $input, OutputInterface $output): ExitCode
    {
        $mode = $input->getArgument('mode');
        if (is_string($mode)) {
            throw new InvalidArgumentException("there is no \"tusk bench $mode\"; there are " . implode(', ', array_map(self::words(...), $this->names())));
        }
        $output->write(Screen::page($this->screen()), false, OutputInterface::OUTPUT_RAW);

        return ExitCode::Done;
    }

    /** @return list<string> */
    private function names(): array
    {
        return [...array_column(Mode::cases(), 'value'), ...array_keys($this->verbs())];
    }

    /** @return array<string, string> what there is beside the modes */
    private function verbs(): array
    {
        $verbs = [];
        foreach ($this->getApplication()?->all('bench') ?? [] as $command) {
            $name = substr((string) $command->getName(), strlen('bench:'));
            if ($name !== '' && Mode::tryFrom($name) === null) {
                $verbs[$name] = $command->getDescription();
            }
        }

        return $verbs;
    }

    private static function words(string $name): string
    {
        return strtr($name, ['tcp-' => 'tcp ']);
    }

    public function screen(): string
    {
        $modes = array_map(static fn (Mode $mode): array => [self::words($mode->value), $mode->summary()], Mode::cases());
        $verbs = array_map(static fn (string $name, string $does): array => [$name, $does], array_keys($this->verbs()), $this->verbs());

        return "tusk bench MODE URL [options]    Put load on a server and say what it holds\n\n"
            . "  tusk bench ws-echo ws://127.0.0.1:9001/ -c 100 -d 10s\n"
            . "  tusk bench http http://127.0.0.1:8080/ --rate 5k --assert 'p99 < 20ms'\n\n"
            . Screen::rows($modes, 14) . Screen::rows($verbs, 14) . "\n"
            . "Each has --help. Every result begins with VALID or NOT VALID and the reason. Targets are on this machine unless --allow-remote is given.\n"
            . Ending::help();
    }
}
