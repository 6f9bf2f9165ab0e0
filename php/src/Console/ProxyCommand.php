<?php

declare(strict_types=1);

namespace Tusk\Console;

use Tusk\Terminal\ExitCode;
use Tusk\Terminal\OneScreen;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/** `tusk proxy proxy.php`: runs a PHP file that makes a proxy, as `php proxy.php` does where the extension is in php.ini. */
#[AsCommand('proxy', 'Run a PHP file that starts a proxy, or a proxy made of options')]
final class ProxyCommand extends Command implements OneScreen
{
    public function __construct(private readonly Launcher $launcher)
    {
        parent::__construct();
    }

    protected function configure(): void
    {
        $this
            ->addArgument('file', InputArgument::REQUIRED, 'the PHP file that makes the proxy; or tcp, http, smtp and options')
            ->addArgument('arguments', InputArgument::IS_ARRAY, 'what the file gets as its own arguments (after --)');
    }

    public function screen(): string
    {
        return <<<'HELP'
            usage: tusk proxy FILE [-- ARGUMENTS]
                   tusk proxy tcp|http|smtp --listen ADDRESS --to TARGET [options]

            FILE makes a proxy whose resolver is written in PHP, and runs it. The process becomes the proxy: SIGTERM drains it,
            SIGHUP forgets remembered routes and reads certificates and route files again.

            Without a file, all clients go to fixed targets, or where a file of routes says:

              tusk proxy tcp --listen 127.0.0.1:5432 --to 10.0.0.7:5432
              tusk proxy tcp --listen 0.0.0.0:443 --map routes.txt --by serverName --allow 10.0.0.0/8

            `tusk proxy tcp --help` lists the options.


            HELP . ExitCode::help([0 => 'drained']) . "  A file has its own: what it ends with.\n";
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        return (new PhpFile($this->launcher))->run($input, 'proxy', 'the PHP file that starts the proxy, or tcp, http or smtp');
    }
}
