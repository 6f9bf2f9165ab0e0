// SPDX-License-Identifier: MIT
// A test: a server and people who come to it; all is gone at the end, whatever happened.
import assert from 'node:assert/strict';
import { Person, Server, openBrowser } from './harness.mjs';

const { browser, close } = await openBrowser();
export { browser, close };

export const tests = [];
export const test = (name, body) => tests.push({ name, body });

/** What the pages complained about. */
export const trouble = [];

export async function scene(body, ...options) {
  const server = new Server(options);
  const people = [];
  try {
    await server.start();
    const come = async (name, how) => {
      const { person, tab } = await Person.come(browser, server, name, trouble, how);
      people.push(person);
      return { person, tab };
    };
    await body({ server, come });
    assert.deepEqual(trouble, [], 'the pages logged errors');
    assert.doesNotMatch(server.log, /Fatal|Warning|Uncaught|chat: /, `the server logged: ${server.log}`);
  } finally {
    trouble.length = 0;
    await Promise.all(people.map((person) => person.leave().catch(() => {})));
    await server.end();
  }
}
