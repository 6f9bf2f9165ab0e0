// SPDX-License-Identifier: MIT
// Requests to the server. A refusal becomes a Refusal with the server's sentence; no answer becomes an Unreachable.

export class Refusal extends Error {
  constructor(status, reason, message, retryAfter = 0) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.retryAfter = retryAfter;
  }
}

export class Unreachable extends Error {}

async function ask(path, options) {
  let response;
  let body;
  try {
    response = await fetch(path, { credentials: 'same-origin', cache: 'no-store', signal: AbortSignal.timeout(15000), ...options });
    body = await response.json();
  } catch (error) {
    throw new Unreachable(String(error));
  }
  if (!response.ok) {
    throw new Refusal(response.status, body.error ?? 'failed', body.message ?? response.statusText, Number(response.headers.get('Retry-After') ?? 0));
  }
  return body;
}

export function get(path, query = {}) {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== null && value !== undefined));
  return ask(search.size > 0 ? `${path}?${search}` : path, {});
}

export function post(path, fields = {}) {
  return ask(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(fields) });
}
