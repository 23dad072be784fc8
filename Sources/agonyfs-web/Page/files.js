// The files that people chose or dropped, one after the other.
//
// 1. A folder is read while its files are sent; no more than 1,000 of them are known ahead.
// 2. What cannot be read is among the files all the same, and fails when it is opened: nothing is left out in silence.

const ahead = 1000;

/** Entries of a drop. They must be taken in the moment of the drop. */
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

/** Files in order, each as `{ file(), path, album, isOnce }`; `path` is '' if it was in no folder. */
export class FileQueue {
  #sources = [];
  #known = [];
  #reading = null;
  #others = [];

  /** How many are known to wait. */
  get waiting() { return this.#others.reduce((sum, other) => sum + other.waiting, this.#known.length); }

  /** Whether nothing waits, and nothing is left to be read. */
  get isEmpty() {
    return this.#known.length === 0 && this.#sources.length === 0 && this.#others.every((other) => other.isEmpty);
  }

  /** All are for `album`, the path of one. `isOnce`: not if any album has them. */
  addEntries(entries, album, isOnce) { this.#sources.push({ files: walkAll(entries), album, isOnce }); }

  addFiles(files, album, isOnce) {
    for (const file of files) this.add({ file: async () => file, path: file.webkitRelativePath ?? '', album, isOnce });
  }

  add(next) { this.#known.push(next); }

  /** What is in another comes after what is in this one. A folder of it may be in the middle of being read. */
  follow(other) { this.#others.push(other); }

  /** The next one; undefined if there is none. Who stopped (`signal`) meanwhile takes none away. */
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
