<?php

declare(strict_types=1);

namespace Tusk\Console\Doctor;

/** What a proxy can have of this kernel beside copying: low ports, sockmap, io_uring. None of it is needed, so what lacks is a note. */
final readonly class KernelPaths
{
    private const CAP_NET_BIND_SERVICE = 10;
    private const CAP_NET_ADMIN = 12;
    private const CAP_SYS_ADMIN = 21;
    private const CAP_PERFMON = 38;
    private const CAP_BPF = 39;

    /** Ring buffers, verdicts without a parser and taking an entry out of a hash are there from 5.14 on; workers without privileges from 5.19 on. */
    private const SOCKMAP_KERNEL = '5.14';
    /** Rings of provided buffers are there from 5.19 on, deferred completions from 6.1 on, multishot receives that end by themselves from 6.17 on. */
    private const URING_KERNEL = '5.19';
    private const URING_BEST_KERNEL = '6.17';

    public function __construct(private Machine $machine, private ExtensionInfo $extension) {}

    /** @return list<Finding> */
    public function examine(): array
    {
        $release = $this->machine->linuxRelease();
        if ($release === null) {
            return [];
        }

        // What an extension was built with is known once it is loaded.
        return $this->extension->version === null
            ? [$this->lowPorts()]
            : [$this->lowPorts(), $this->libbpf(), $this->sockmap($release), $this->uring($release)];
    }

    private function lowPorts(): Finding
    {
        $first = (int) ($this->machine->kernelSetting('net/ipv4/ip_unprivileged_port_start') ?? '1024');

        return $first <= 1 || $this->may(self::CAP_NET_BIND_SERVICE)
            ? Finding::good('low ports', 'may be listened on')
            : Finding::note('low ports', "below $first they are not this user's", 'run `setcap cap_net_bind_service+ep ' . PHP_BINARY
                . "`, or `sysctl -w net.ipv4.ip_unprivileged_port_start=80`, or AmbientCapabilities=CAP_NET_BIND_SERVICE in the unit");
    }

    private function libbpf(): Finding
    {
        $version = $this->extension->feature('libbpf');

        return $version !== null
            ? Finding::good('libbpf', $version)
            : Finding::note('libbpf', 'not built in', 'for sockmap: `apt install libbpf-dev clang`, then build the extension again');
    }

    private function sockmap(string $release): Finding
    {
        $lacks = [];
        if (version_compare($release, self::SOCKMAP_KERNEL, '<')) {
            $lacks[] = 'a kernel from ' . self::SOCKMAP_KERNEL . " on (this is $release)";
        }
        if (!$this->machine->hasKernelTypes()) {
            $lacks[] = 'a kernel with CONFIG_DEBUG_INFO_BTF (/sys/kernel/btf/vmlinux)';
        }
        if ($this->extension->feature('libbpf') === null) {
            $lacks[] = 'libbpf in the extension';
        }
        $names = [self::CAP_BPF => 'CAP_BPF', self::CAP_NET_ADMIN => 'CAP_NET_ADMIN', self::CAP_PERFMON => 'CAP_PERFMON'];
        $missing = array_filter($names, fn (int $bit): bool => !$this->may($bit), ARRAY_FILTER_USE_KEY);
        if ($missing !== []) {
            $lacks[] = implode(', ', $missing);
        }
        if ($lacks === []) {
            return Finding::good('sockmap', 'possible (off until a proxy asks for it)');
        }

        return Finding::note('sockmap', 'not possible: it lacks ' . implode(' and ', $lacks), $missing === []
            ? 'proxies copy in user space, which is as fast under load'
            : 'run as root, or `setcap cap_bpf,cap_net_admin,cap_perfmon+ep ' . PHP_BINARY . '`; without it proxies copy in user space');
    }

    private function uring(string $release): Finding
    {
        $disabled = $this->machine->kernelSetting('kernel/io_uring_disabled') ?? '0';

        return match (true) {
            version_compare($release, self::URING_KERNEL, '<') => Finding::note(
                'io_uring',
                "not possible with kernel $release",
                'a kernel from ' . self::URING_KERNEL . ' on has what it needs; epoll serves',
            ),
            $disabled !== '0' => Finding::note('io_uring', "switched off (kernel.io_uring_disabled = $disabled)", 'run `sysctl -w kernel.io_uring_disabled=0`; epoll serves'),
            $this->extension->feature('liburing') === null => Finding::note('io_uring', 'not possible: liburing is not built in', '`apt install liburing-dev`, then build the extension again'),
            default => Finding::good('io_uring', 'possible (servers send by it, a proxy relays by it when asked)'
                . (version_compare($release, self::URING_BEST_KERNEL, '<') ? ', with single receives: a kernel from ' . self::URING_BEST_KERNEL . ' on spares some' : '')),
        };
    }

    /** A user with CAP_SYS_ADMIN may what BPF and performance events ask for, too. */
    private function may(int $capability): bool
    {
        $held = $this->machine->capabilities() ?? 0;
        $admin = in_array($capability, [self::CAP_BPF, self::CAP_PERFMON], true) && ($held >> self::CAP_SYS_ADMIN & 1) === 1;

        return $admin || ($held >> $capability & 1) === 1;
    }
}
