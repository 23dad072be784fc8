// A function that calls the hashing worker.

import { onForget } from './session.js';

let worker = null;
let number = 0;
const waiting = new Map();

// The policy allows this one script address.
const policy = globalThis.trustedTypes?.createPolicy('agonyfs-worker', { createScriptURL: () => '/assets/hash-worker.js' });

/** The bytes (`buffer`) and the `digest` of a piece of a file. Throws if it cannot be read any more. */
export function piece(file, from, to) {
  worker ??= start();
  number += 1;
  const id = number;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    worker.postMessage({ id, file, from, to });
  });
}

function start() {
  const made = new Worker(policy ? policy.createScriptURL('') : '/assets/hash-worker.js', { type: 'module' });
  made.addEventListener('message', ({ data }) => {
    const { resolve, reject } = waiting.get(data.id) ?? {};
    waiting.delete(data.id);
    if (data.error) reject?.(new Error(data.error));
    else resolve?.(data);
  });
  made.addEventListener('error', () => {
    for (const { reject } of waiting.values()) reject(new Error('worker'));
    waiting.clear();
    worker = null;
  });
  return made;
}

onForget(() => {
  worker?.terminate();
  worker = null;
  waiting.clear();
});

export const base64 = (bytes) => btoa(String.fromCharCode(...bytes));
