<?php

declare(strict_types=1);

namespace Tusk\Console\Tune;

use Tusk\Console\Doctor\Machine;

/** Compares a profile with the machine, and writes what it is told to write. */
final readonly class Tuner
{
    /** Later than the distribution's own files, which sysctl reads in the order of their names. */
    public const FILE = '/etc/sysctl.d/90-tusk.conf';

    /** @param string $root where /proc and /etc are: a test has its own */
    public function __construct(private Machine $machine, private string $root = '') {}

    /** @return list<Change> of every setting that this kernel has, also those that hold */
    public function compare(Profile $profile): array
    {
        $changes = [];
        foreach ($profile->settings($this->machine->memory()) as $setting) {
            $now = $this->machine->kernelSetting($setting->path());
            if ($now !== null) {
                $changes[] = new Change($setting->beside($now), trim((string) preg_replace('~\s+~', ' ', $now)));
            }
        }

        return $changes;
    }

    /** @return string|null why it could not be written */
    public function apply(Change $change): ?string
    {
        $fault = $this->write("/proc/sys/{$change->setting->path()}", $change->setting->value . "\n");
        if ($fault !== null) {
            return $fault;
        }
        $now = (string) $this->machine->kernelSetting($change->setting->path());

        return $change->setting->holds($now) ? null : "the kernel kept $now";
    }

    /**
     * What was applied before is written, too.
     *
     * @param list<Change> $changes
     *
     * @return string|null why it could not be written
     */
    public function persist(array $changes, Profile $profile): ?string
    {
        return $this->write(self::FILE, $this->file($changes, $profile));
    }

    /** @param list<Change> $changes */
    public function file(array $changes, Profile $profile): string
    {
        $text = "# Written by `tusk tune --persist`, profile {$profile->value}. Remove this file to undo it.\n";
        foreach ($changes as $change) {
            if (!$change->further) {
                $text .= "# {$change->setting->why}; it was {$change->now}\n{$change->setting->name} = {$change->setting->value}\n";
            }
        }

        return $text;
    }

    private function write(string $name, string $text): ?string
    {
        $file = $this->root . $name;
        error_clear_last();
        if (@file_put_contents($file, $text) === strlen($text)) {
            return null;
        }
        $message = error_get_last()['message'] ?? 'it takes no such value';

        return (string) preg_replace('~^file_put_contents\([^)]*\): (Failed to open stream: )?~', '', $message);
    }
}
