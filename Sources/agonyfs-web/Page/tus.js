// Sends one file by tus 1.0.0, piece by piece, each with its hash.
//
// 1. A file is done only when the server says that it read back and compared what it stored, and when all that it has is
//    what was sent from here: another browser may send another file that is called the same.
// 2. What was sent before an interruption is not sent again, if it is the same file still.

import { Problem, ask } from './api.js';
import { base64, piece } from './hasher.js';
import { texts } from './texts.js';

export const pieceSize = 8 << 20;
const longestWait = 30_000;
const tus = { 'Tus-Resumable': '1.0.0' };

/** Has the server forget what it has of a file that is not whole. */
export const giveUp = (place) => ask('DELETE', place, { headers: tus });

const encoded = (text) => base64(new TextEncoder().encode(text));

/** Waits, but not for what is aborted, or was before. */
export const wait = (milliseconds, signal) => new Promise((resolve, reject) => {
  signal.throwIfAborted();
  const stop = () => {
    clearTimeout(timer);
    reject(signal.reason);
  };
  const timer = setTimeout(() => {
    signal.removeEventListener('abort', stop);
    resolve();
  }, milliseconds);
  signal.addEventListener('abort', stop, { once: true });
});

// Gone, elsewhere, or damaged on the way: asking where the upload is mends it.
const mends = [404, 409, 410, 460];

/** Whether to try again: no connection, a server that starts anew, a busy one. */
const passes = (problem) => [0, 408, 423, 429, 500, 502, 503, 504].includes(problem.status);

export class Transfer {
  #place = null;
  #offset = 0;
  #digests = [];

  /**
   * `facts`: filename, album, modified, relativePath; skipDuplicates if it is not to be stored where any album has it.
   * `on.progress(bytes)`, `on.waiting(isWaiting)`. `place` is that of one of before: the server may be at its end still, and
   * would take another one for another file.
   */
  constructor(file, facts, on, place = null) {
    Object.assign(this, { file, facts, on });
    this.#place = place;
  }

  /** Where the server keeps what was sent; null if it does not. */
  get place() { return this.#place; }

  /**
   * Sends everything. Returns the `name` that it got, and its `path` as other requests name it, if that was said; `there`
   * says where it was already, if it was.
   */
  async run(signal) {
    let tries = 0;
    let failures = 0;
    for (;;) {
      try {
        return await this.#once(signal, () => { tries = 0; });
      } catch (problem) {
        if (!(problem instanceof Problem)) throw problem;
        // A storage that does not keep what is written would have it sent for ever.
        if (problem.word === 'failed' && (failures += 1) > 2) throw problem;
        tries += 1;
        if (!(mends.includes(problem.status) && tries < 4) && !passes(problem)) throw problem;
        this.on.waiting(true);
        await wait(Math.min(longestWait, 500 * 2 ** tries), signal);
      }
    }
  }

  async #once(signal, went) {
    const begun = await this.#begin(signal);
    this.on.waiting(false);
    // The answer to the last piece may have been lost on its way.
    if (begun.headers.get('Agonyfs-Verified') === '1') {
      this.on.progress(this.file.size);
      return Transfer.#finished(begun);
    }
    this.on.progress(this.#offset);
    for (;;) {
      const end = Math.min(this.file.size, this.#offset + pieceSize);
      const { buffer, digest } = await piece(this.file, this.#offset, end);
      if (buffer.byteLength !== end - this.#offset) throw new Error('changed');
      const response = await ask('PATCH', this.#place, { signal, body: buffer, headers: { ...tus,
        'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': String(this.#offset),
        'Upload-Checksum': `sha256 ${base64(digest)}` } });
      went();
      // When everything is there and only the end has to be done again, nothing is sent.
      if (end > this.#offset) this.#digests[Math.floor(this.#offset / pieceSize)] = digest;
      this.#offset = end;
      this.on.progress(end);
      if (end < this.file.size) continue;
      if (!(await this.#isSame(response.headers.get('Agonyfs-Checksum')))) throw Transfer.#unverified();
      return Transfer.#finished(response);
    }
  }

  static #finished(response) {
    if (response.headers.get('Agonyfs-Verified') !== '1') throw Transfer.#unverified();
    return { name: decodeURIComponent(response.headers.get('Agonyfs-Name') ?? ''),
      path: response.headers.get('Agonyfs-Path'),
      there: decodeURIComponent(response.headers.get('Agonyfs-There') ?? '') };
  }

  static #unverified() { return new Problem(-1, 'not-verified', texts.notVerified); }

  // Where the server is: in an upload of before, or at the beginning of a new one.
  async #begin(signal) {
    if (this.#place === null) {
      const metadata = Object.entries(this.facts).map(([name, value]) => `${name} ${encoded(String(value))}`)
        .concat('resume').join(',');
      const response = await ask('POST', '/api/upload', { signal,
        headers: { ...tus, 'Upload-Length': String(this.file.size), 'Upload-Metadata': metadata } });
      this.#place = new URL(response.headers.get('Location'), location.href).pathname;
    }
    let head;
    try {
      head = await ask('HEAD', this.#place, { signal, headers: tus });
    } catch (problem) {
      if ([404, 410].includes(problem.status)) this.#place = null;
      throw problem;
    }
    this.#offset = Number(head.headers.get('Upload-Offset') ?? 0);
    if (await this.#isSame(head.headers.get('Agonyfs-Checksum'))) return head;
    await ask('DELETE', this.#place, { signal, headers: tus });
    this.#place = null;
    return this.#begin(signal);
  }

  // Whether what the server has is the beginning of this file.
  async #isSame(checksum) {
    if (this.#offset === 0) return true;
    if ((this.#offset % pieceSize !== 0 && this.#offset !== this.file.size) || this.#offset > this.file.size) return false;
    if (!checksum) return false;
    const pieces = Math.ceil(this.#offset / pieceSize);
    for (let number = 0; number < pieces; number += 1) {
      this.#digests[number] ??= (await piece(this.file, number * pieceSize,
        Math.min(this.file.size, (number + 1) * pieceSize))).digest;
    }
    const all = new Uint8Array(pieces * 32);
    for (let number = 0; number < pieces; number += 1) all.set(this.#digests[number], number * 32);
    return base64(new Uint8Array(await crypto.subtle.digest('SHA-256', all))) === checksum;
  }
}
