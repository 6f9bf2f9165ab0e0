<?php

declare(strict_types=1);

namespace Tusk\Bench\Console;

use Tusk\Terminal\Screen;
use Symfony\Component\Console\Exception\InvalidArgumentException;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;
use Tusk\Bench\Engines;
use Tusk\Bench\Mode;
use Tusk\Bench\Plan;
use Tusk\Terminal\ExitCode;

/** `tusk bench ws-echo URL` and its like: one mode, one target, one result. */
final class ModeCommand extends BenchCommand
{
    use RunsPlans;

    private readonly EngineOptions $options;

    /** @param list<string> $typed */
    public function __construct(Engines $engines, private readonly Mode $mode, array $typed = [])
    {
        $this->options = new EngineOptions($engines, $mode);
        parent::__construct($engines, $typed);
    }

    public static function nameOf(Mode $mode): string
    {
        return "bench:{$mode->value}";
    }

    private function tcp(): bool
    {
        return str_starts_with($this->mode->value, 'tcp-');
    }

    protected function configure(): void
    {
        $this->setName(self::nameOf($this->mode))->setDescription($this->mode->summary());
        $this->addArgument('url', $this->tcp() ? InputArgument::OPTIONAL : InputArgument::REQUIRED, 'such as ' . $this->mode->example());
        if ($this->tcp()) {
            $this->addOption('host', null, InputOption::VALUE_REQUIRED, 'in place of the address (also -h)', '127.0.0.1');
            $this->addOption('port', 'p', InputOption::VALUE_REQUIRED, 'in place of the address');
        }
        $definition = $this->getDefinition();
        foreach ([...$this->options->definition(), ...self::runOptions()] as $option) {
            $definition->addOption($option);
        }
    }

    protected function carryOut(InputInterface $input, OutputInterface $output): ExitCode
    {
        $plan = new Plan(
            $this->mode,
            $this->url($input),
            $this->options->given($input),
            self::texts($input, 'assert'),
            arguments: $this->typed,
        );

        return $this->runPlan($plan, self::whole($input, 'pid'), $input, $output);
    }

    private function url(InputInterface $input): string
    {
        $url = $input->getArgument('url');
        if (!$this->tcp()) {
            return is_string($url) ? $url : '';
        }
        $port = self::text($input, 'port');
        if (($url === null) === ($port === null)) {
            throw new InvalidArgumentException("give either an address such as {$this->mode->example()}, or -p PORT (and -h HOST)");
        }
        if (is_string($url)) {
            return str_contains($url, '://') ? $url : "tcp://$url";
        }
        $host = (string) self::text($input, 'host');

        return 'tcp://' . (str_contains($host, ':') ? "[$host]" : $host) . ":$port";
    }

    public function screen(): string
    {
        $rows = $this->options->rows();
        if ($this->tcp()) {
            $rows = [['-h, --host HOST', 'in place of the address (127.0.0.1)'], ['-p, --port PORT', 'in place of the address'], ...$rows];
        }
        $verb = 'tusk bench ' . strtr($this->mode->value, ['tcp-' => 'tcp ']);

        return "$verb " . ($this->tcp() ? '[URL]' : 'URL') . " [options]\n{$this->mode->summary()}\n\n"
            . "  $verb {$this->mode->example()} -c 100 -d 10s --html report.html\n\n"
            . Screen::rows($rows, 27) . "\n"
            . wordwrap('As in every mode (tusk bench options): exit status; --warmup, --timeout, --workers, --tls-ca and other conditions; --json, --html'
                . ($this->mode === Mode::WsHandshake ? ', --wsperf' : '') . ' and more reports; --assert, --pid', 80) . "\n";
    }
}
