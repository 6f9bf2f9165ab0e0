// SPDX-License-Identifier: MIT
// Which kind of connection the page takes: by itself, by choice, and where one of them does not come through.
import assert from 'node:assert/strict';
import { scene, test } from './scene.mjs';

/** Event streams of a page, each passed on, or met by something on the way. */
function onTheWay(obstacle) {
  const way = { obstacle, asked: 0 };
  way.before = async (page) => {
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      if (new URL(request.url()).pathname !== '/events') return void request.continue();
      way.asked++;
      if (way.obstacle === 'nothing') request.continue();
      else if (way.obstacle === 'an error page') request.respond({ status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' });
      else if (way.obstacle === 'an extension') request.abort('blockedbyclient');
      else if (way.obstacle !== 'silence') throw new Error(way.obstacle);
    });
  };
  return way;
}

/** WebSockets of a page that end before they are open, until it is told otherwise; how many were tried. */
const withoutSockets = (page) => page.evaluateOnNewDocument(() => {
  window.sockets = { blocked: true, tried: 0 };
  const Real = window.WebSocket;
  window.WebSocket = class extends Real {
    constructor(address) {
      super(window.sockets.blocked ? address.replace('/ws', '/assets/nothing') : address);
      window.sockets.tried++;
    }
  };
});

const both = (...all) => async (page) => { for (const one of all) await one(page); };

/** What is said goes both ways. */
async function talks(tab, script, word) {
  await tab.say(`${word} there`);
  await tab.has(`${word} there`);
  await tab.sees('it is sent', () => document.querySelector('.pending') === null);
  await script.say('all', `${word} back`);
  await tab.has(`${word} back`);
  const said = (await tab.texts()).filter((text) => text.startsWith(word));
  assert.deepEqual(said, [`${word} there`, `${word} back`]);
}

test('automatic is an event stream; a choice is kept; what is stored and no choice is automatic', () => scene(async ({ server, come }) => {
  const script = await server.script('robot');
  const { tab } = await come('Anna');
  await tab.isLive('sse');
  await talks(tab, script, 'stream');
  await tab.choose('ws');
  await talks(tab, script, 'socket');
  await tab.page.reload();
  await tab.isLive('ws');
  await tab.page.evaluate(() => localStorage.setItem('tusk-transport', 'pigeon'));
  await tab.page.reload();
  await tab.isLive('sse');
  await tab.page.click('#me');
  assert.equal(await tab.page.$eval('#settings [name=transport]:checked', (input) => input.value), 'auto');
}));

test('a browser without EventSource gets a WebSocket', () => scene(async ({ server, come }) => {
  const { tab } = await come('Anna', { before: (page) => page.evaluateOnNewDocument(() => { delete window.EventSource; }) });
  await tab.isLive('ws');
  await talks(tab, await server.script('robot'), 'socket');
}));

for (const obstacle of ['an error page', 'an extension', 'silence']) {
  test(`where ${obstacle} meets event streams, a WebSocket is taken, and stays`, () => scene(async ({ server, come }) => {
    const way = onTheWay(obstacle);
    // Eight seconds of patience are one here.
    const impatient = (page) => page.evaluateOnNewDocument(() => {
      const real = window.setTimeout;
      window.setTimeout = (body, ms, ...rest) => real(body, ms === 8000 ? 1000 : ms, ...rest);
    });
    const { tab } = await come('Anna', { before: both(way.before, impatient) });
    await tab.isLive('ws');
    const asked = way.asked;
    assert.ok(asked >= 1 && asked <= 3, `${asked} streams were tried`);
    await talks(tab, await server.script('robot'), 'socket');
    await server.kill();
    await tab.sees('a quiet state', () => document.querySelector('#state').dataset.state === 'waiting');
    await server.start();
    await tab.isLive('ws');
    assert.equal(way.asked, asked, 'what did not come through is left alone');
  }));
}

test('with three streams in other tabs a WebSocket is taken, and an event stream where that does not come through', () => scene(async ({ server, come }) => {
  const { person, tab: first } = await come('Anna');
  await first.isLive('sse');
  for (let i = 0; i < 2; i++) await (await person.tab()).isLive('sse');
  const fourth = await person.tab();
  await fourth.isLive('ws');
  const fifth = await person.tab({ before: withoutSockets });
  await fifth.isLive('sse');
  assert.equal(await fifth.page.evaluate(() => window.sockets.tried), 2);
  await talks(fifth, await server.script('robot'), 'stream');
  // Its own stream is not another tab's.
  await first.page.evaluate(() => dispatchEvent(new Event('offline')));
  await fifth.page.close();
  await first.sees('its place is free', async () => (await navigator.locks.query()).held.filter(({ name }) => name.startsWith('chat-stream-')).length === 3);
  await first.page.evaluate(() => dispatchEvent(new Event('online')));
  await first.isLive('sse');
}));

test('a kind that was chosen is tried until it comes through, and no other', () => scene(async ({ server, come }) => {
  const { person } = await come('Anna');
  const way = onTheWay('nothing');
  const tab = await person.tab({ transport: 'ws', before: both(way.before, withoutSockets) });
  await tab.sees('three tries', () => window.sockets?.tried >= 3 && document.querySelector('#state').dataset.state !== 'live');
  assert.equal(way.asked, 0, 'no stream was opened');
  await tab.page.evaluate(() => { window.sockets.blocked = false; });
  await tab.isLive('ws');
  await talks(tab, await server.script('robot'), 'socket');
}));

test('where neither comes through the page goes on trying, as a state and not as an alert', () => scene(async ({ server, come }) => {
  const { person } = await come('Anna');
  const way = onTheWay('an error page');
  const tab = await person.tab({ before: both(way.before, withoutSockets) });
  await tab.sees('both were tried', () => window.sockets?.tried >= 2 && document.querySelector('#state').dataset.state === 'waiting');
  assert.equal(await tab.page.$('dialog[open]'), null);
  const here = () => tab.page.evaluate(() => [document.querySelector('#here-count').textContent, document.querySelector('#here').textContent]);
  assert.deepEqual(await here(), ['', ''], 'nobody has said who is here');
  way.obstacle = 'nothing';
  await tab.isLive('sse');
  await tab.sees('who is here', () => document.querySelector('#here-count').textContent === '1');
  assert.deepEqual(await here(), ['1', 'Only you, so far.']);
  await talks(tab, await server.script('robot'), 'stream');
}));

test('a server that is away is no reason to take another kind', () => scene(async ({ server, come }) => {
  const { tab } = await come('Anna');
  await tab.isLive('sse');
  let failed = 0;
  tab.page.on('requestfailed', () => { failed++; });
  await server.kill();
  await tab.sees('a quiet state', () => document.querySelector('#state').dataset.state === 'waiting');
  while (failed < 5) await new Promise((resolve) => tab.page.once('requestfailed', resolve));
  await server.start();
  await tab.isLive('sse');
  await talks(tab, await server.script('robot'), 'stream');
}));
