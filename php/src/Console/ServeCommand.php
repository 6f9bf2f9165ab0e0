<?php

declare(strict_types=1);

namespace Tusk\Console;

use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Exception\InvalidArgumentException;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/** `tusk serve server.php`: runs a server's PHP file with the extension, as `php server.php` does where it is in php.ini. */
#[AsCommand('serve', 'Run a PHP file that starts a server')]
final class ServeCommand extends Command
{
    public function __construct(private readonly Launcher $launcher)
    {
        parent::__construct();
    }

    protected function configure(): void
    {
        $this
            ->addArgument('file', InputArgument::REQUIRED, 'the PHP file')
            ->addArgument('arguments', InputArgument::IS_ARRAY, 'what the file gets as its own arguments (after --)')
            ->setHelp("The process becomes the server: signals reach it, its exit status is the file's.\n\n"
                . '  <info>tusk serve examples/echo.php 9001</info>');
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        $file = $input->getArgument('file');
        $arguments = $input->getArgument('arguments');
        if (!is_string($file) || !is_file($file) || !is_readable($file)) {
            throw new InvalidArgumentException(sprintf(
                'there is no readable file "%s": give the PHP file that starts the server',
                is_string($file) ? $file : '',
            ));
        }
        if (!extension_loaded('tusk')) {
            throw MissingExtension::forCommand('serve');
        }

        return $this->launcher->launch($file, array_values(array_filter((array) $arguments, is_string(...))));
    }
}
