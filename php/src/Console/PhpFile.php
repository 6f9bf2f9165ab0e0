<?php

declare(strict_types=1);

namespace Tusk\Console;

use Tusk\Terminal\MissingExtension;
use Symfony\Component\Console\Exception\InvalidArgumentException;
use Symfony\Component\Console\Input\InputInterface;

/** The PHP file that a command is given, with the arguments behind it. */
final readonly class PhpFile
{
    public function __construct(private Launcher $launcher) {}

    /**
     * @param string $command as messages have it
     * @param string $wanted  what to give in place of a file that cannot be read
     *
     * @return int the file's exit status, when the process could not be replaced
     */
    public function run(InputInterface $input, string $command, string $wanted): int
    {
        $file = $input->getArgument('file');
        if (!is_string($file) || !is_file($file) || !is_readable($file)) {
            throw new InvalidArgumentException(sprintf('there is no readable file "%s": give %s', is_string($file) ? $file : '', $wanted));
        }
        if (!extension_loaded('tusk')) {
            throw MissingExtension::forCommand($command);
        }

        return $this->launcher->launch($file, array_values(array_filter((array) $input->getArgument('arguments'), is_string(...))));
    }
}
