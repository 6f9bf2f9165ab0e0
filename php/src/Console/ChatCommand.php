<?php

declare(strict_types=1);

namespace Tusk\Console;

use Tusk\Terminal\ExitCode;
use Tusk\Terminal\OneScreen;
use Tusk\Terminal\MissingExtension;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Exception\InvalidOptionException;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/** `tusk chat`: the chat application on a port. */
#[AsCommand('chat', 'Run the chat application')]
final class ChatCommand extends Command implements OneScreen
{
    public function __construct(private readonly Launcher $launcher, private readonly string $server)
    {
        parent::__construct();
    }

    protected function configure(): void
    {
        $this
            ->addOption('port', 'p', InputOption::VALUE_REQUIRED, 'port to listen on (0: a free one)', '8080')
            ->addOption('open', null, InputOption::VALUE_NONE, 'open mode: names need no log-in, loopback only')
            ->addArgument('arguments', InputArgument::IS_ARRAY, 'further options of the chat, after --; -- --help lists them');
    }

    public function screen(): string
    {
        return <<<'HELP'
            usage: tusk chat [options] [-- OPTIONS]

            Runs the chat application: open http://127.0.0.1:8080/ in two windows and write. Ctrl-C ends it.

              -p, --port PORT  to listen on (8080); 0: a free one, which it names
                  --open       names need no log-in; loopback only, for load tests

            Behind -- stand further options of the chat: address, certificate, limits; `tusk chat -- --help` lists them.

              tusk chat --port 8080
              tusk chat --port 8443 -- --host=0.0.0.0 --cert=cert.pem --key=key.pem


            HELP . ExitCode::help();
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        $port = $input->getOption('port');
        if (!is_string($port) || preg_match('~^\d{1,5}$~', $port) !== 1 || (int) $port > 65535) {
            throw new InvalidOptionException(sprintf(
                '--port must be a number from 0 to 65535, not "%s"',
                is_string($port) ? $port : '',
            ));
        }
        if (!is_file($this->server)) {
            throw new InvalidOptionException("the chat application is not here ({$this->server}): it comes with a checkout");
        }
        if (!extension_loaded('tusk')) {
            throw MissingExtension::forCommand('chat');
        }

        $arguments = $input->getArgument('arguments');
        $open = $input->getOption('open') === true ? ['--open'] : [];

        return $this->launcher->launch($this->server, [
            $port,
            ...$open,
            ...array_values(array_filter(is_array($arguments) ? $arguments : [], is_string(...))),
        ]);
    }
}
