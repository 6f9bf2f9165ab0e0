// SPDX-License-Identifier: MIT
// The chat as people meet it: real Chromium, real server, several people. Ends with "N passed, N failed, N skipped".
import { close, tests } from './scene.mjs';
import './talking.mjs';
import './transport.mjs';
import './looks.mjs';

const only = process.argv[2];
let passed = 0;
let failed = 0;
for (const { name, body } of tests) {
  if (only && !name.includes(only)) continue;
  const began = Date.now();
  try {
    await body();
    passed++;
    console.log(`ok   ${name} (${Date.now() - began} ms)`);
  } catch (error) {
    failed++;
    console.log(`FAIL ${name}\n     ${String(error.stack ?? error).replaceAll('\n', '\n     ')}`);
  }
}
await close();
console.log(`${passed} passed, ${failed} failed, 0 skipped`);
process.exit(failed === 0 ? 0 : 1);
