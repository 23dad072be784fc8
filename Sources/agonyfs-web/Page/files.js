// The queue of files that the user chose or dropped.
//
// 1. A folder is read while its files are sent, at most 1,000 files ahead.
// 2. A file that cannot be read is in the queue as well, and fails when it is opened, so that no file is silently left
//    out.

const ahead = 1000;

/** The entries of a drop. They must be taken during the drop event. */
export function entriesOf(transfer) {
  return [...transfer.items].filter((item) => item.kind === 'file')
    .map((item) => item.webkitGetAsEntry?.() ?? item.getAsFile()).filter(Boolean);
}

const readSome = (reader) => new Promise((resolve, reject) => reader.readEntries(resolve, reject));
const fileOf = (entry) => new Promise((resolve, reject) => entry.file(resolve, reject));

async function* walk(entry, path) {
  if (entry instanceof File) yield { file: async () => entry, path: '' };
  else if (entry.isFile) yield { file: () => fileOf(entry), path: path === '' ? '' : `${path}/${entry.name}` };
  else if (entry.isDirectory) {
    const reader = entry.createReader();
    const here = path === '' ? entry.name : `${path}/${entry.name}`;
    try {
      for (let some = await readSome(reader); some.length > 0; some = await readSome(reader)) {
        for (const each of some) yield* walk(each, here);
      }
    } catch (problem) {
      yield { file: async () => { throw problem; }, path: here };
    }
  }
}

async function* walkAll(entries) {
  for (const entry of entries) yield* walk(entry, '');
}

/** Files in order, each as `{ file(), path, album, isOnce }`; `path` is '' if it was not in a folder. */
export class FileQueue {
  #sources = [];
  #known = [];
  #reading = null;
  #others = [];

  /** The number of files known to wait. */
  get waiting() { return this.#others.reduce((sum, other) => sum + other.waiting, this.#known.length); }

  /** Whether no file waits, and no folder is left to be read. */
  get isEmpty() {
    return this.#known.length === 0 && this.#sources.length === 0 && this.#others.every((other) => other.isEmpty);
  }

  /** Adds entries for the album with the path `album`. `isOnce`: skip files that any album has. */
  addEntries(entries, album, isOnce) { this.#sources.push({ files: walkAll(entries), album, isOnce }); }

  addFiles(files, album, isOnce) {
    for (const file of files) this.add({ file: async () => file, path: file.webkitRelativePath ?? '', album, isOnce });
  }

  add(next) { this.#known.push(next); }

  /** Appends another queue, of which a folder may still be being read. */
  follow(other) { this.#others.push(other); }

  /** The next file; undefined if there is none. If `signal` is aborted while waiting, no file is removed. */
  async next(signal) {
    if (this.#known.length < ahead / 2 && this.#sources.length > 0) {
      this.#reading ??= this.#read().finally(() => { this.#reading = null; });
      if (this.#known.length === 0) await this.#reading;
    }
    if (signal?.aborted) return undefined;
    let next = this.#known.shift();
    for (const other of this.#others) next ??= await other.next(signal);
    return next;
  }

  async #read() {
    while (this.#known.length < ahead && this.#sources.length > 0) {
      const { files, album, isOnce } = this.#sources[0];
      const { done, value } = await files.next();
      if (done) this.#sources.shift();
      else this.add({ ...value, album, isOnce });
    }
  }
}
