<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

// Tusk's other way to send to all; a scenario gives it the role broadcast-foreach.
return clone require __DIR__ . '/tusk.php';
