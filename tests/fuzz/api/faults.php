<?php

declare(strict_types=1);

// What tools/run-fuzz-api must find: it is asked for one in the midst of the calls (TUSK_FUZZ_FAULT), by --prove.

match (getenv('TUSK_FUZZ_FAULT')) {
    'signal' => posix_kill(getmypid(), 11),
    'exception' => throw new LogicException('nobody means this one'),
    'wait' => sleep(1000),
    'compute' => (function (): never {
        while (true);
    })(),
    'time' => set_time_limit(1) && (function (): never {
        while (true);
    })(),
    'exit' => exit(3),
    'report' => gethostname(), // of a library that is preloaded
};
