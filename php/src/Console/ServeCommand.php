<?php

declare(strict_types=1);

namespace Tusk\Console;

use Tusk\Terminal\OneScreen;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/** `tusk serve server.php`: runs a server's PHP file with the extension, as `php server.php` does where it is in php.ini. */
#[AsCommand('serve', 'Run a PHP file that starts a server')]
final class ServeCommand extends Command implements OneScreen
{
    public function __construct(private readonly Launcher $launcher)
    {
        parent::__construct();
    }

    protected function configure(): void
    {
        $this
            ->addArgument('file', InputArgument::REQUIRED, 'the PHP file that starts the server')
            ->addArgument('arguments', InputArgument::IS_ARRAY, 'what the file gets as its own arguments (after --)');
    }

    public function screen(): string
    {
        return <<<'HELP'
            usage: tusk serve FILE [ARGUMENTS] [-- ARGUMENTS]

            Runs a PHP file that starts a server, as `php FILE` does where php.ini loads the extension. It finds the
            extension that was built in a checkout, and Tusk's classes without Composer. The process becomes the
            server: SIGTERM drains it, SIGHUP reads certificates again. Arguments that begin with "-" go behind --.

              tusk serve examples/echo.php 9001

            Exit status: the file's own: 0 after a drain where it ends with exit($server->run()). 2 without a readable
              file, 3 where the extension is missing or the port is taken.

            HELP;
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        return (new PhpFile($this->launcher))->run($input, 'serve', 'the PHP file that starts the server');
    }
}
