// SPDX-License-Identifier: MIT
// The master's page: two agents connect, a plan is started by hand, watched and refused.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const PATIENCE = 30000;

/** A process, and the first group of what its output matches. */
function start(php, args, pattern) {
  const child = spawn(php[0], [...php.slice(1), ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const said = new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => reject(new Error(`${args.join(' ')} said only: ${text}`)), PATIENCE);
    child.stdout.on('data', (data) => {
      text += data;
      const match = pattern.exec(text);
      if (match) {
        clearTimeout(timer);
        resolve(match[1] ?? '');
      }
    });
    child.on('exit', (status) => reject(new Error(`${args.join(' ')} ended with ${status}: ${text}`)));
  });
  said.catch(() => {});
  return { child, said };
}

export async function runsOnAgents({ browser, php, root }) {
  const tusk = join(root, 'bin/tusk');
  const processes = [];
  const run = async (args, pattern) => {
    const process = start(php, args, pattern);
    processes.push(process.child);
    return process.said;
  };
  try {
    const port = await run(['-r', '$s = new Tusk\\Bench\\EchoServer("ws"); echo "port ", $s->port(), "\\n"; sleep(300);'], /port (\d+)/);
    const at = await run([tusk, 'bench', 'master', '--listen', '127.0.0.1:0'], /page http:\/\/([\d.:]+)\//);
    for (const name of ['one', 'two']) {
      await run([tusk, 'bench', 'agent', '--master', `ws://${at}/agents`, '--ident', name], /(connected)/);
    }
    const page = await browser.newPage();
    const trouble = [];
    page.on('pageerror', (error) => trouble.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && !message.text().includes('422') && trouble.push(message.text()));
    await page.setViewport({ width: 1200, height: 900 });
    await page.goto(`http://${at}/`, { waitUntil: 'load' });
    await page.waitForFunction(() => document.querySelectorAll('#agents li small').length === 2, { timeout: PATIENCE });

    const target = (uri) => page.$eval('#uri', (field, value) => { field.value = value; }, uri);
    await target('ws://192.0.2.1/');
    await page.click('#start');
    await page.waitForFunction(() => document.querySelector('#fault').textContent.includes('may not be loaded'), { timeout: PATIENCE });

    await target(`ws://127.0.0.1:${port}/`);
    for (const [name, value] of Object.entries({ connections: '6', duration: '2', warmup: '0.2', rate: '2000' })) {
      await page.type(`[name="option:${name}"]`, value);
    }
    await page.click('#start');
    await page.waitForSelector('article .now', { timeout: PATIENCE });
    await page.waitForFunction(() => document.querySelector('article .good, article .bad') !== null, { timeout: PATIENCE });
    await page.screenshot({ path: join(root, 'build/screenshots/bench-master.png'), fullPage: true });
    const told = await page.evaluate(() => Object.fromEntries([...document.querySelectorAll('article dl div')].map((row) => [row.children[0].textContent, row.children[1].textContent])));
    assert.equal(told.echoes, '4,000');
    const report = await browser.newPage();
    await report.goto(await page.$eval('article a', (link) => link.href), { waitUntil: 'load' });
    assert.match(await report.title(), /VALID: ws-echo/);
    await report.close();
    assert.equal(told.model, 'open');
    assert.equal(told.errors, '0');
    assert.equal(await page.$eval('article small', (line) => line.textContent), '2 agents');
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
    assert.deepEqual(trouble, []);
    await page.close();
  } finally {
    processes.reverse().forEach((child) => child.kill('SIGTERM'));
  }
}
