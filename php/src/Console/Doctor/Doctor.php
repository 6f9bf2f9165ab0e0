<?php

declare(strict_types=1);

namespace Tusk\Console\Doctor;

/** Looks at what a server needs and says what to do about what is missing. */
final readonly class Doctor
{
    /** Descriptors that a process needs beside its connections: listeners, log, database, poller. */
    private const SPARE_DESCRIPTORS = 64;

    public function __construct(private Machine $machine, private ExtensionInfo $extension) {}

    /** @return list<Finding> */
    public function examine(): array
    {
        return array_values(array_filter([
            $this->php(),
            $this->extension(),
            ...$this->libraries(),
            $this->openFiles(),
            $this->filesOfAll(),
            $this->atLeast('listen queue', 'net/core/somaxconn', 1024, 4096),
            $this->atLeast('half-open queue', 'net/ipv4/tcp_max_syn_backlog', 1024, 4096),
            $this->ports(),
            ...(new KernelPaths($this->machine, $this->extension))->examine(),
            $this->needs('pcntl', 'signals of `php server.php` and `tusk serve`'),
            $this->needs('posix', 'limits shown here'),
            $this->letters(),
            $this->needs('pdo_sqlite', 'history of the chat application'),
            $this->xdebug(),
        ]));
    }

    private function php(): Finding
    {
        $version = $this->machine->phpVersion();

        return version_compare($version, '8.2.0', '>=')
            ? Finding::good('PHP', $version)
            : Finding::bad('PHP', $version, 'the command and the library need 8.2, the extension alone 8.1');
    }

    private function extension(): Finding
    {
        return $this->extension->version !== null
            ? Finding::good('extension tusk', $this->extension->version)
            : Finding::bad('extension tusk', 'not loaded', 'run `make ext`, or put extension=tusk into php.ini');
    }

    /** @return list<Finding> */
    private function libraries(): array
    {
        if ($this->extension->version === null) {
            return [];
        }
        $findings = [];
        foreach (ExtensionInfo::LIBRARIES as $name => $feature) {
            $value = $this->extension->feature($name);
            $findings[] = $value !== null
                ? Finding::good($name, $value)
                : Finding::warning($name, 'built without', "no $feature: install its headers and build the extension again");
        }

        return $findings;
    }

    private function openFiles(): ?Finding
    {
        $limits = $this->machine->openFiles();
        if ($limits === null) {
            return null;
        }
        [$soft, $hard] = $limits;
        $number = static fn (int $limit): string => $limit === PHP_INT_MAX ? 'unlimited' : number_format($limit);
        $room = $soft === PHP_INT_MAX ? '' : sprintf(', room for some %s connections', $number(max(0, $soft - self::SPARE_DESCRIPTORS)));
        $value = "{$number($soft)} (hard {$number($hard)})$room";

        return $soft >= 10_000 + self::SPARE_DESCRIPTORS
            ? Finding::good('open files', $value)
            : Finding::warning('open files', $value, $hard > $soft
                ? 'run `ulimit -n ' . min($hard, 1_048_576) . '` before the server'
                : 'raise the hard limit: LimitNOFILE= in the systemd unit, or /etc/security/limits.conf');
    }

    private function filesOfAll(): ?Finding
    {
        $value = $this->machine->kernelSetting('fs/file-max');
        if ($value === null) {
            return null;
        }
        $name = 'open files of all';

        return (float) $value >= 200_000
            ? Finding::good($name, "$value (fs.file-max)")
            : Finding::warning($name, "$value (fs.file-max)", 'run `sysctl -w fs.file-max=2097152`');
    }

    private function atLeast(string $name, string $setting, int $least, int $better): ?Finding
    {
        $value = $this->machine->kernelSetting($setting);
        if ($value === null) {
            return null;
        }
        $dotted = strtr($setting, '/', '.');

        return (int) $value >= $least
            ? Finding::good($name, "$value ($dotted)")
            : Finding::warning($name, "$value ($dotted)", "run `sysctl -w $dotted=$better`");
    }

    private function ports(): ?Finding
    {
        $value = $this->machine->kernelSetting('net/ipv4/ip_local_port_range');
        $parts = preg_split('~\s+~', (string) $value) ?: [];
        if (count($parts) !== 2) {
            return null;
        }
        $count = (int) $parts[1] - (int) $parts[0] + 1;
        $text = "$parts[0]–$parts[1], " . number_format($count) . ' connections out per address and target';

        return $count >= 20_000
            ? Finding::good('local ports', $text)
            : Finding::warning('local ports', $text, 'run `sysctl -w net.ipv4.ip_local_port_range="10240 65535"`');
    }

    private function needs(string $name, string $what): Finding
    {
        return $this->machine->hasPhpExtension($name)
            ? Finding::good("PHP $name", 'loaded')
            : Finding::warning("PHP $name", 'not loaded', "needed for: $what");
    }

    /** One of the two tells how wide a table's cell is. */
    private function letters(): Finding
    {
        $name = $this->machine->hasPhpExtension('mbstring') || !$this->machine->hasPhpExtension('iconv') ? 'mbstring' : 'iconv';

        return $this->needs($name, 'tables of `tusk bench` and `tusk top`, where iconv is not loaded either');
    }

    private function xdebug(): ?Finding
    {
        return $this->machine->hasPhpExtension('xdebug') && !in_array($this->machine->phpSetting('xdebug.mode'), ['', 'off'], true)
            ? Finding::warning('Xdebug', $this->machine->phpSetting('xdebug.mode'), 'handlers run many times slower: XDEBUG_MODE=off')
            : null;
    }
}
