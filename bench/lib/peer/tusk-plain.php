<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

// Tusk once more, driven by clients that offer no extension.
return clone require __DIR__ . '/tusk.php';
