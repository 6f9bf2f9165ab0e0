// SPDX-License-Identifier: MIT
// Event streams that a page of another origin reads, in Chromium. Ends with "N passed, N failed, N skipped".
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { launch, php, root, run } from './frame.mjs';

const site = createServer((request, answer) => answer.writeHead(200, { 'Content-Type': 'text/html', 'Set-Cookie': 'who=ann; Path=/' }).end('<!doctype html><title>page</title>'));
site.listen(0, '127.0.0.1');
await once(site, 'listening');
const origin = `http://127.0.0.1:${site.address().port}`;
const server = spawn(php[0], [...php.slice(1), join(root, 'tests/browser/streams.php'), origin], { stdio: ['ignore', 'pipe', 'inherit'] });
const [line] = await once(server.stdout, 'data');
const streams = `http://127.0.0.1:${Number(String(line))}`;
const browser = await launch();

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
await run(Object.entries(tests), async () => {
  await browser.close();
  site.close();
  server.kill('SIGTERM');
  await once(server, 'exit');
});
