<?php

declare(strict_types=1);

namespace Tusk\Bench\Console;

use Tusk\Terminal\Screen;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Exception\InvalidArgumentException;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;
use Tusk\Bench\Engines;
use Tusk\Bench\Wsperf\Master;
use Tusk\Bench\Wsperf\Targets;
use Tusk\Terminal\ExitCode;
use Tusk\Terminal\OneScreen;
use Tusk\Server;

/** `tusk bench master`: agents connect to it, people start and watch tests on its page. */
#[AsCommand('bench:master', 'Spread one plan over agents; a page to start and watch it')]
final class MasterCommand extends Command implements OneScreen
{
    public function __construct(private readonly Engines $engines)
    {
        parent::__construct();
    }

    protected function configure(): void
    {
        $this
            ->addOption('listen', 'l', InputOption::VALUE_REQUIRED, 'page and agents', '127.0.0.1:9090')
            ->addOption('token', null, InputOption::VALUE_REQUIRED, 'shared secret, demanded of agents and of the page (?token=…)')
            ->addOption('allow', null, InputOption::VALUE_REQUIRED | InputOption::VALUE_IS_ARRAY, 'a target that is not on this machine: host or host:port');
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        $text = static fn (string $name): ?string => is_string($value = $input->getOption($name)) && $value !== '' ? $value : null;
        $allowed = $input->getOption('allow');
        $listen = $text('listen') ?? '127.0.0.1:9090';
        Exposure::check($listen, $text('token'));
        try {
            $master = new Master($this->engines, new Targets(is_array($allowed) ? array_values(array_filter($allowed, is_string(...))) : []), $listen, $text('token'));
        } catch (\ValueError $fault) {
            throw new InvalidArgumentException($fault->getMessage());
        }
        $master->server->onStart(static function (Server $server) use ($listen, $output): void {
            $at = (string) preg_replace('~:0$~', ":{$server->port}", $listen);
            $output->writeln("page http://$at/, agents ws://$at/agents (Ctrl-C ends it)");
        });

        return $master->server->run() === 0 ? ExitCode::Done->value : ExitCode::TargetFailed->value;
    }

    public function screen(): string
    {
        return "tusk bench master [options]\n{$this->getDescription()}\n\n"
            . "  tusk bench master\n"
            . "  tusk bench agent --master ws://127.0.0.1:9090/agents     # in other terminals\n\n"
            . "Then http://127.0.0.1:9090/ in a browser: a plan's totals are cut into shares,\n"
            . "all agents begin at one instant, and their histograms are merged whole.\n\n"
            . Screen::rows([
                ['-l, --listen HOST:PORT', 'page and agents (127.0.0.1:9090)'],
                ['    --token SECRET', 'demanded of agents and of the page (?token=…)'],
                ['    --allow HOST[:PORT]', 'a target that is not on this machine, repeatable'],
            ]) . "\n" . ExitCode::help([0 => 'ended by Ctrl-C']);
    }
}
