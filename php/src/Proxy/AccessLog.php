<?php

declare(strict_types=1);

namespace Tusk\Proxy;

use Tusk\Wait;

/**
 * One line of JSON for every session: `$proxy->onAccess(AccessLog::to('/var/log/tusk/proxy.log'))`. A file that was moved away (logrotate)
 * is opened again within a second, and at SIGHUP. Records that a full disk, or a pipe at once, does not take are lost; `{"lost":N}` tells of them. Workers that may not open it (`user:`) go on with the one that was moved until SIGHUP,
 * when the master opens the new one for those that follow.
 */
final class AccessLog implements Reopenable
{
    /** What a pipe that takes more takes without waiting. */
    private const PAGE = 4096;

    /** @var resource */
    private $stream;
    private int $looked = 0;
    /** Where the file is that could not be opened, as stat() told it: it is said once. */
    private ?string $refused = null;
    private bool $writable = true;
    /** A pipe or a socket: its reader may stand still. */
    private bool $waits;
    /** The last record is not whole. */
    private bool $cut = false;
    private int $lost = 0;

    private function __construct(private readonly string $path)
    {
        $this->stream = $this->open() ?? throw new \RuntimeException("The access log cannot be written: $path");
        $this->waits = self::mayWait($this->stream);
    }

    /**
     * @param string $path a file, or "php://stdout", "php://stderr"
     *
     * @return \Closure(Access): void
     *
     * @throws \RuntimeException when it cannot be written
     */
    public static function to(string $path): \Closure
    {
        $self = new self($path);

        return $self->write(...);
    }

    public function reopen(): void
    {
        $this->refused = null;
        $this->follow();
    }

    private function write(Access $access): void
    {
        $now = intdiv(hrtime(true), 1_000_000_000);
        if ($now !== $this->looked) {
            $this->looked = $now;
            $this->follow();
        }
        $flags = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_INVALID_UTF8_SUBSTITUTE | JSON_PRESERVE_ZERO_FRACTION;
        $fields = ['time' => self::moment($access->time)] + get_object_vars($access);
        if ($fields['metadata'] === []) {
            unset($fields['metadata']);
        }
        foreach (['reason', 'route'] as $name) {
            if ($fields[$name] === null) {
                unset($fields[$name]);
            }
        }
        if ($access->method === null) {
            unset($fields['method'], $fields['host'], $fields['path']);
        }
        $this->put(json_encode($fields, $flags) . "\n");
    }

    private function put(string $line): void
    {
        if ($this->waits) {
            $this->offer($this->behindLoss(), $line);
        } else {
            $this->append($this->behindLoss(), $line);
        }
    }

    /** What goes before a record: the end of one that was cut, and how many were lost. */
    private function behindLoss(): string
    {
        return ($this->cut ? "\n" : '') . ($this->lost > 0 ? json_encode(['time' => self::moment(microtime(true)), 'lost' => $this->lost]) . "\n" : ''); // a date
    }

    /** A full disk takes a part of a record, or nothing. That is told when it begins, and when it is over. */
    private function append(string $loss, string $line): void
    {
        $whole = $loss . $line;
        $written = (int) @fwrite($this->stream, $whole);
        if ($written === strlen($whole)) {
            if (!$this->writable) {
                error_log("Tusk: the access log {$this->path} is written again, $this->lost records are lost");
            }
            [$this->writable, $this->cut, $this->lost] = [true, false, 0];

            return;
        }
        if ($this->writable) {
            error_log("Tusk: the access log {$this->path} cannot be written, records are lost: " . (error_get_last()['message'] ?? 'it takes no more'));
        }
        $this->writable = false;
        $this->cut = $written > 0 ? $whole[$written - 1] !== "\n" : $this->cut;
        $told = $loss !== '' && $written >= strlen($loss); // in the file
        $this->lost = ($told ? 0 : $this->lost) + 1;
    }

    /** No session waits for who reads the log: what a pipe does not take at once is lost, and counted when it takes more. */
    private function offer(string $loss, string $line): void
    {
        if ($loss !== '' && $this->takes($loss)) { // for itself: it stands there, also where the record behind it does not fit
            [$this->cut, $this->lost] = [false, 0];
        } elseif ($loss !== '') {
            $this->lost++;

            return;
        }
        $begun = false;
        foreach (str_split($line, self::PAGE) as $part) {
            if (!$this->takes($part)) {
                $this->lost++;
                $this->cut = $begun;

                return;
            }
            $begun = true;
        }
    }

    /** @param string $part a page at most */
    private function takes(string $part): bool
    {
        return Wait::writable($this->stream, 0.0) && @fwrite($this->stream, $part) === strlen($part);
    }

    /** @param resource $stream */
    private static function mayWait($stream): bool
    {
        return in_array((fstat($stream)['mode'] ?? 0) & 0170000, [0010000, 0140000], true);
    }

    /** What is open is let go only when there is another one: no record is lost to a folder that may not be written to. */
    private function follow(): void
    {
        if (str_contains($this->path, '://')) {
            return;
        }
        clearstatcache(true, $this->path);
        if (!is_executable(dirname($this->path))) {
            return; // who may not look into the folder does not know whether the file was moved
        }
        $there = self::place(@stat($this->path));
        if ($there !== '' && $there === self::place(fstat($this->stream))) {
            $this->refused = null;

            return;
        }
        $stream = $this->open();
        if ($stream !== null) {
            fclose($this->stream);
            $this->stream = $stream;
            $this->waits = self::mayWait($stream);
            $this->refused = null;
            $this->cut = false; // of the one before
        } elseif ($this->refused !== $there) {
            $this->refused = $there;
            error_log("Tusk: the access log {$this->path} cannot be opened again, the one that was moved goes on until SIGHUP");
        }
    }

    /** @param array<array-key, int>|false $stat */
    private static function place(array|false $stat): string
    {
        return $stat === false ? '' : "{$stat['dev']}:{$stat['ino']}";
    }

    /** @return resource|null */
    private function open()
    {
        $stream = @fopen($this->path, 'a');

        return $stream === false ? null : $stream;
    }

    /** RFC 3339 with milliseconds, UTC. */
    private static function moment(float $time): string
    {
        $ms = (int) round($time * 1000);

        return gmdate('Y-m-d\TH:i:s', intdiv($ms, 1000)) . sprintf('.%03dZ', $ms % 1000);
    }
}
