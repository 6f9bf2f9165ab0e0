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
use Tusk\Bench\Interrupt;
use Tusk\Bench\Wsperf\Agent;
use Tusk\Bench\Wsperf\AgentClient;
use Tusk\Bench\Wsperf\AgentServer;
use Tusk\Bench\Wsperf\Targets;
use Tusk\Terminal\ExitCode;
use Tusk\Terminal\OneScreen;
use Tusk\Server;

/** `tusk bench agent`: runs tests that a commander sends, as wsperf's command server does. */
#[AsCommand('bench:agent', 'Run tests that a commander (wsperf\'s) or a master sends')]
final class AgentCommand extends Command implements OneScreen
{
    public function __construct(private readonly Engines $engines)
    {
        parent::__construct();
    }

    protected function configure(): void
    {
        $this
            ->addOption('listen', 'l', InputOption::VALUE_REQUIRED, 'commanders connect here', '127.0.0.1:9050')
            ->addOption('master', 'm', InputOption::VALUE_REQUIRED, 'connect to this master instead, ws://host:9090/agents')
            ->addOption('reconnect', 'r', InputOption::VALUE_REQUIRED, 'seconds until the master is tried again; 0: end', '0')
            ->addOption('workers', null, InputOption::VALUE_REQUIRED, 'tests at once; 0: one, told as blocking mode', '2')
            ->addOption('ident', 'i', InputOption::VALUE_REQUIRED, 'what commanders call this agent', self::hostname())
            ->addOption('token', null, InputOption::VALUE_REQUIRED, 'shared secret; demanded of commanders, shown to the master')
            ->addOption('allow', null, InputOption::VALUE_REQUIRED | InputOption::VALUE_IS_ARRAY, 'a target that is not on this machine: host or host:port');
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        $text = static fn (string $name): ?string => is_string($value = $input->getOption($name)) && $value !== '' ? $value : null;
        $allowed = $input->getOption('allow');
        try {
            $targets = new Targets(is_array($allowed) ? array_values(array_filter($allowed, is_string(...))) : []);
            $agent = new Agent($this->engines, $targets, $text('ident') ?? 'Unspecified', self::number('workers', $text('workers'), 256));
            $master = $text('master');
            if ($master !== null) {
                return $this->follow(new AgentClient($agent, $master, $text('token'), self::number('reconnect', $text('reconnect'), 86400), $output->writeln(...)));
            }
            $server = new AgentServer($agent, $listen = $text('listen') ?? '127.0.0.1:9050', $text('token'));
        } catch (\ValueError $fault) {
            throw new InvalidArgumentException($fault->getMessage());
        }
        Exposure::check($listen, $text('token'));
        $server->server->onStart(static fn (Server $bound) => $output->writeln(
            'agent listens on ws://' . preg_replace('~:0$~', ":{$bound->port}", $listen) . '/ (Ctrl-C ends it)',
        ));

        return $server->server->run() === 0 ? ExitCode::Done->value : ExitCode::TargetFailed->value;
    }

    private function follow(AgentClient $client): int
    {
        return ((new Interrupt())->during($client->stop(...), $client->run(...)) ? ExitCode::Done : ExitCode::TargetFailed)->value;
    }

    /** Every command lists this one's options: a function that is disabled must not end them all. */
    private static function hostname(): string
    {
        return (function_exists('gethostname') ? gethostname() : false) ?: 'Unspecified';
    }

    private static function number(string $name, ?string $text, int $max): int
    {
        $number = filter_var($text, FILTER_VALIDATE_INT, ['options' => ['min_range' => 0, 'max_range' => $max]]);

        return $number !== false ? $number : throw new InvalidArgumentException("--$name is \"$text\"; a whole number from 0 to $max is wanted");
    }

    public function screen(): string
    {
        return "tusk bench agent [options]\n{$this->getDescription()}\n\n"
            . "  tusk bench agent --listen 127.0.0.1:9050\n"
            . "  tusk bench agent --master ws://127.0.0.1:9090/agents --reconnect 5\n\n"
            . "Speaks wsperf's protocol (message_test, stress_test) and our own command for\n"
            . "shares of a plan. Loads nothing but this machine unless --allow names it;\n"
            . "listens beyond loopback only with a --token.\n\n"
            . Screen::rows([
                ['-l, --listen HOST:PORT', 'commanders connect here (127.0.0.1:9050)'],
                ['-m, --master URL', 'connect to this master instead'],
                ['-r, --reconnect SECONDS', 'until the master is tried again; 0: end (0)'],
                ['    --workers N', 'tests at once; 0: one, told as blocking mode (2)'],
                ['-i, --ident TEXT', "what commanders call this agent (the host's name)"],
                ['    --token SECRET', 'demanded of commanders, shown to the master'],
                ['    --allow HOST[:PORT]', 'a target that is not on this machine, repeatable'],
            ]) . "\n" . ExitCode::help([0 => 'ended by Ctrl-C', 1 => 'the master is not to be had']);
    }
}
