<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

// Tusk's WebSocket fan-out beside its event streams; a scenario gives it role and driver.
return clone require __DIR__ . '/tusk.php';
