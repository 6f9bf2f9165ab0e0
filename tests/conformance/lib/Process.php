<?php

declare(strict_types=1);

namespace Tusk\Conformance;

/** A child process that holds none of our sockets: a connection we close must end, whoever was started meanwhile. */
final class Process
{
    /** bash, because others know no descriptors above 9. */
    private const CLOSE = 'for f in /proc/self/fd/*; do n=${f##*/}; if [ "$n" -gt 2 ]; then exec {n}>&-; fi; done; exec ';

    /** @return resource */
    public static function start(string $command, string $log, ?string $out = null)
    {
        return self::open($command, [['file', '/dev/null', 'r'], ['file', $out ?? $log, 'a'], ['file', $log, 'a']]);
    }

    /**
     * One that is talked to.
     *
     * @param resource $talk its standard input and output
     *
     * @return resource
     */
    public static function talking(string $command, string $log, $talk)
    {
        return self::open($command, [$talk, $talk, ['file', $log, 'a']]);
    }

    /**
     * @param list<resource|list<string>> $files
     *
     * @return resource
     */
    private static function open(string $command, array $files)
    {
        $process = proc_open(['bash', '-c', self::CLOSE . $command], $files, $pipes);

        return is_resource($process) ? $process : throw new \RuntimeException("cannot start: $command");
    }
}
