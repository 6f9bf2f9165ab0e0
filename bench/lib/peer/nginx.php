<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Suite;

return new class extends Peer {
    public function version(): ?string
    {
        return self::ask('nginx', '-v');
    }

    public function command(string $role, int $port, string $static): ?array
    {
        if (!in_array($role, ['http', 'file'], true)) {
            return null;
        }
        $scratch = (realpath(self::ROOT . '/build') ?: '') . '/bench/nginx';
        if (!is_dir($scratch)) {
            mkdir($scratch, 0777, true);
        }
        $text = strtr((string) file_get_contents(self::file('nginx.conf')), [
            'PORT' => (string) $port, 'DIR' => $static, 'SCRATCH' => $scratch,
        ]);
        file_put_contents("$scratch/nginx.conf", $text);

        return ['nginx', '-c', "$scratch/nginx.conf", '-p', $scratch, '-e', "$scratch/nginx.log"];
    }
};
