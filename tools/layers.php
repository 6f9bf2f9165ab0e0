<?php

// SPDX-License-Identifier: MIT
// The layers, for tools/check-layers and tools/check-calls.
declare(strict_types=1);

/** A layer sees itself and every lower tier; never a sibling, never upwards. `whole` is only in tests: tier 3's siblings together. */
const TIERS = ['base' => 0, 'proto' => 1, 'stats' => 1, 'loop' => 1, 'net' => 2, 'serve' => 3, 'relay' => 3, 'work' => 3, 'crew' => 3, 'client' => 3, 'load' => 3, 'whole' => 4];
/** What rooms of one folder see of each other; all see what lies in the folder itself, and that sees all rooms. */
const ROOMS = ['src/serve' => ['hub' => [], 'ws' => ['hub'], 'stream' => ['hub'], 'http' => ['ws', 'stream']],
    'src/relay' => ['move' => ['route', 'sockmap'], 'uring' => ['move'], 'tcp' => ['route', 'move'], 'http' => ['route', 'move'], 'smtp' => ['route', 'move']],
    'ext/src' => ['process' => ['run'], 'serve' => ['run', 'process'], 'proxy' => ['run', 'process', 'serve'], 'client' => ['run', 'serve'], 'parallel' => ['run', 'travel'], 'testing' => ['run', 'serve', 'client']]];
/** Folders whose files call each other one way: no ring of files that are one noun in several places. */
const ONE_WAY = ['src/base', 'src/proto', 'src/stats', 'src/loop', 'src/crew', 'src/client', 'src/relay/sockmap', 'src/relay/uring', 'ext/src/client', 'ext/src/codec', 'ext/src/parallel', 'ext/src/process', 'ext/src/proxy', 'ext/src/run', 'ext/src/testing'];
