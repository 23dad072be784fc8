// Uploads one file by tus 1.0.0, in pieces, each with its hash.
//
// 1. A file is done only when the server reports that it read back and compared the stored bytes, and when the hash of
//    everything that it has matches this file: another browser may upload a different file of the same name.
// 2. If the file is unchanged, bytes received before an interruption are not sent again.

import { Problem, ask } from './api.js';
import { base64, piece } from './hasher.js';
import { texts } from './texts.js';

export const pieceSize = 8 << 20;
const longestWait = 30_000;
const tus = { 'Tus-Resumable': '1.0.0' };

/** Lets the server drop the received bytes of an incomplete upload. */
export const giveUp = (place) => ask('DELETE', place, { headers: tus });

const encoded = (text) => base64(new TextEncoder().encode(text));

/** Waits; rejects if the signal is or becomes aborted. */
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

// The upload is gone, has another offset, or was damaged in transit: asking for its state fixes that.
const mends = [404, 409, 410, 460];

/** Whether the problem may pass: no connection, a restarting or busy server. */
const passes = (problem) => [0, 408, 423, 429, 500, 502, 503, 504].includes(problem.status);

export class Transfer {
  #place = null;
  #offset = 0;
  #digests = [];

  /**
   * `facts`: filename, album, modified, relativePath; skipDuplicates to skip a file that any album has.
   * `on.progress(bytes)`, `on.waiting(isWaiting)`. `place` is the address of an earlier attempt: the server may still
   * be finishing that upload, and would treat a new one as another file.
   */
  constructor(file, facts, on, place = null) {
    Object.assign(this, { file, facts, on });
    this.#place = place;
  }

  /** The address of the upload at the server; null if there is none. */
  get place() { return this.#place; }

  /**
   * Uploads the file. Returns the `name` that it got, its `path` in the form of other requests if the server sent it,
   * and `there`, the path at which the space had the file already.
   */
  async run(signal) {
    let tries = 0;
    let failures = 0;
    for (;;) {
      try {
        return await this.#once(signal, () => { tries = 0; });
      } catch (problem) {
        if (!(problem instanceof Problem)) throw problem;
        // If the storage does not keep what is written, the file would be sent for ever.
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
    // The answer to the last piece may have been lost in transit.
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
      // The piece is empty if all bytes were received and only the end has to be repeated.
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

  // The state of the upload at the server: an earlier one, or a new one.
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

  // Whether the bytes at the server are the beginning of this file.
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
