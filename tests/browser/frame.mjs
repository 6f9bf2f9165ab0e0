// SPDX-License-Identifier: MIT
// What every browser test stands on: where PHP, Chromium and puppeteer are, and the loop that runs tests and counts them.
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = process.env.TUSK_ROOT ?? join(dirname(fileURLToPath(import.meta.url)), '../..');
/** PHP with the built extension: the program and its arguments. */
export const php = (process.env.TUSK_PHP ?? `php -d extension=${root}/build/ext/modules/tusk.so`).split(' ');

// Nobody sees a window here, and still each has two pages of Chromium's own for its address bar; and a renderer stands by for every page.
const unseen = 'WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup,SpareRendererForSitePerProcess';

export async function launch(args = [], options = {}) {
  const { default: puppeteer } = await import(pathToFileURL(process.env.TUSK_PUPPETEER ?? `${root}/build/node/node_modules/puppeteer-core/lib/esm/puppeteer/puppeteer-core.js`));
  args = ['--no-sandbox', '--disable-dev-shm-usage', `--disable-features=${unseen}`, ...args];
  return puppeteer.launch({ executablePath: process.env.TUSK_CHROMIUM ?? '/usr/bin/chromium', args, protocolTimeout: 60000, ...options });
}

/**
 * Runs them one after another, then close(); prints "N passed, N failed, N skipped" and ends the process.
 * @param {Iterable<[string, () => Promise<void>]>} tests
 * @param {string} [only] a part of the names that run
 */
export async function run(tests, close, only) {
  let passed = 0;
  let failed = 0;
  for (const [name, body] of tests) {
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
}
