<?php

declare(strict_types=1);

namespace Tusk\Console;

use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Exception\InvalidOptionException;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/** `tusk chat`: the chat application on a port. */
#[AsCommand('chat', 'Run the chat application')]
final class ChatCommand extends Command
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
            ->addArgument('arguments', InputArgument::IS_ARRAY, 'further options of the chat, after --; -- --help lists them')
            ->setHelp("  <info>tusk chat --port 8080</info>\n  <info>tusk chat --port 8443 -- --host=0.0.0.0 --cert=cert.pem --key=key.pem</info>");
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
