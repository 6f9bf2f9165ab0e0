// SPDX-License-Identifier: MIT
// The chat as people meet it: real Chromium, real server, several people. Ends with "N passed, N failed, N skipped".
import { run } from '../../../../tests/browser/frame.mjs';
import { close, tests } from './scene.mjs';
import './talking.mjs';
import './transport.mjs';
import './looks.mjs';

await run(tests.map(({ name, body }) => [name, body]), close, process.argv[2]);
