<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

// Tusk once more, with guests and without attackers.
return clone require __DIR__ . '/tusk.php';
