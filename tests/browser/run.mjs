// SPDX-License-Identifier: MIT
// Event streams that a page of another origin reads, in Chromium. Ends with "N passed, N failed, N skipped".
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = process.env.TUSK_ROOT ?? join(here, '../..');
const php = (process.env.TUSK_PHP ?? `php -d extension=${root}/build/ext/modules/tusk.so`).split(' ');
const { default: puppeteer } = await import(pathToFileURL(process.env.TUSK_PUPPETEER ?? `${root}/build/node/node_modules/puppeteer-core/lib/esm/puppeteer/puppeteer-core.js`));

const site = createServer((request, answer) => answer.writeHead(200, { 'Content-Type': 'text/html', 'Set-Cookie': 'who=ann; Path=/' }).end('<!doctype html><title>page</title>'));
site.listen(0, '127.0.0.1');
await once(site, 'listening');
const origin = `http://127.0.0.1:${site.address().port}`;
const server = spawn(php[0], [...php.slice(1), join(here, 'streams.php'), origin], { stdio: ['ignore', 'pipe', 'inherit'] });
const [line] = await once(server.stdout, 'data');
const streams = `http://127.0.0.1:${Number(String(line))}`;
const browser = await puppeteer.launch({ executablePath: process.env.TUSK_CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-dev-shm-usage'], protocolTimeout: 60000 });

/** What a page of `origin` hears of a stream: its first events, or that it is refused. */
async function hears(path, withCredentials, events) {
  const page = await browser.newPage();
  await page.goto(`${origin}/`);
  const heard = await page.evaluate((url, withCredentials, events) => new Promise((resolve) => {
    const heard = [];
    const source = new EventSource(url, { withCredentials });
    const end = (last) => { source.close(); resolve(last === undefined ? heard : [...heard, last]); };
    source.onmessage = (event) => { heard.push(event.data); if (heard.length === events) end(); };
    source.onerror = () => { if (source.readyState === EventSource.CLOSED) end('refused'); };
  }), streams + path, withCredentials, events);
  await page.close();
  return heard;
}

const tests = {
  'a listed page reads, with its cookie, and comes back with its id': async () =>
    assert.deepEqual(await hears('/listed', true, 2), ['seen: first, ann', 'seen: again, ann']),
  'without credentials it is nobody': async () =>
    assert.deepEqual(await hears('/listed', false, 1), ['seen: first, nobody']),
  'a page that is not listed is refused': async () => assert.deepEqual(await hears('/others', true, 1), ['refused']),
  'where no origins are given a browser lets no other origin read': async () =>
    assert.deepEqual(await hears('/silent', false, 1), ['refused']),
};
let passed = 0;
let failed = 0;
for (const [name, body] of Object.entries(tests)) {
  try {
    await body();
    passed++;
    console.log(`ok   ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAIL ${name}\n     ${String(error.stack ?? error).replaceAll('\n', '\n     ')}`);
  }
}
await browser.close();
site.close();
server.kill('SIGTERM');
await once(server, 'exit');
console.log(`${passed} passed, ${failed} failed, 0 skipped`);
process.exit(failed === 0 ? 0 : 1);
