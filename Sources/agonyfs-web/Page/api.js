// Asks the server. Every request of the page to a space is in this file.
//
// 1. A write carries the header that other sites cannot send.
// 2. 401 locks the page, 410 tells the view that its snapshot is gone; everything else is a `Problem` for the caller. One
//    with the word `unpaired`: the server knows this browser no more.

import { language, texts } from './texts.js';
import { nextTurn } from './turns.js';

const slice = 6;
const most = 500;

export class Problem extends Error {
  constructor(status, word, detail) {
    super(detail);
    this.status = status;
    this.word = word;
  }
}

const listeners = { locked: () => {}, gone: () => {} };
/** What is called when the server locked the space (`locked`), or forgot a snapshot (`gone`). */
export function listen(name, call) { listeners[name] = call; }

// How often something was written: a cover may be another photo by then, and browsers show again what one address gave.
let writes = 0;

/** The answer to a request, if its status is good. */
export async function ask(method, path, { body, signal, headers = {}, keepalive } = {}) {
  const all = method === 'GET' || method === 'HEAD' ? headers : { 'X-Agonyfs': '1', ...headers };
  let response;
  try {
    response = await fetch(path, { method, body, signal, headers: all, keepalive, cache: 'no-store', redirect: 'error' });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Problem(0, 'offline', texts.noConnection);
  }
  if (method !== 'GET' && !/^\/api\/(thumbs|choice)\b/.test(path)) writes += 1;
  if (response.ok) return response;
  // What is there for everybody who is paired is missing only for who is not.
  if (response.status === 404 && /^\/(api\/state|login|lock)\b/.test(path)) throw new Problem(404, 'unpaired', texts.unpaired);
  const said = await response.json().catch(() => ({}));
  if (response.status === 401) listeners.locked();
  if (response.status === 410 && !path.startsWith('/api/upload')) listeners.gone();
  throw new Problem(response.status, said.error ?? 'unknown',
    said.detail ? texts.problem(said) : texts.unknownProblem(response.status));
}

const json = async (path, signal) => (await ask('GET', path, { signal })).json();

async function send(method, path, value, signal) {
  const response = await ask(method, path, { body: JSON.stringify(value), signal,
    headers: { 'Content-Type': 'application/json' } });
  const answer = await response.text();
  return answer ? JSON.parse(answer) : {};
}

const list = (answer, name) => (Array.isArray(answer) ? answer : answer[name]);
const changed = (answer, items) => ({ done: answer.done ?? items.length, failed: answer.failed ?? [] });

/** `used`: whether somebody used the page since it was asked last. `busy`: whether the page is sending files. */
export const state = (used = false, busy = false) => {
  const said = [used && 'used=1', busy && 'busy=1'].filter(Boolean).join('&');
  return json(said ? `/api/state?${said}` : '/api/state');
};
/** The page is left: the server waits for no choice any more, unless it is asked again soon. */
export const left = () => ask('GET', '/api/state?left=1', { keepalive: true }).catch(() => {});
export const login = (password) => ask('POST', '/login', { body: password });
/** Another list is shown than `before`, where `items` were chosen: those in it (`items`), and how many there are beside. */
export const chooseIn = (snapshot, before, items) => send('POST', '/api/choice/list', { snapshot, before, items });
/** Ends a choice with these photos and those of other lists, or without any. */
export const choose = (snapshot, items) => send('POST', '/api/choice', { snapshot, items });
export const cancelChoice = () => ask('DELETE', '/api/choice');
export const lock = () => ask('POST', '/lock', { keepalive: true });

/** `question`: q, group, sort, album (base64url), trash. */
export function sections(question, signal) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(question)) if (value !== undefined && value !== '') parameters.set(name, value);
  if (question.album === '') parameters.set('album', '');
  return json(`/api/sections?${parameters}`, signal);
}

export const geometry = async (snapshot, signal) =>
  (await ask('GET', `/api/geometry/${snapshot}`, { signal })).arrayBuffer();
export const section = async (snapshot, number) => list(await json(`/api/section/${snapshot}/${number}`), 'items');
export const facts = (snapshot, item) => json(`/api/item/${snapshot}/${item}/facts`);
export const suggestions = async (q, signal) =>
  list(await json(`/api/suggest?${new URLSearchParams({ q })}`, signal), 'suggestions');

/** Where the bytes of an item are: `form` is preview, full, original or motion. */
export const address = (snapshot, item, form, download = false) =>
  `/api/item/${snapshot}/${item}/${form}${download ? '?download=1' : ''}`;
export const cover = (path) => `/api/cover?${new URLSearchParams({ path, after: writes })}`;

/** Calls `arrived(item, Uint8Array)` for each thumbnail, in the order in which they come; no bytes: there is none. */
export async function thumbs(snapshot, items, size, signal, arrived) {
  const response = await ask('POST', '/api/thumbs',
    { body: JSON.stringify({ snapshot, items, size }), signal, headers: { 'Content-Type': 'application/json' } });
  const reader = response.body.getReader();
  let waiting = new Uint8Array(0);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    if (waiting.length === 0) waiting = value;
    else {
      const both = new Uint8Array(waiting.length + value.length);
      both.set(waiting);
      both.set(value, waiting.length);
      waiting = both;
    }
    let at = 0;
    let end = performance.now() + slice;
    while (waiting.length - at >= 8) {
      const head = new DataView(waiting.buffer, waiting.byteOffset + at, 8);
      const length = head.getUint32(4, true);
      if (waiting.length - at < 8 + length) break;
      arrived(head.getUint32(0, true), waiting.slice(at + 8, at + 8 + length));
      at += 8 + length;
      // A busy browser takes its time to make blobs.
      if (performance.now() > end) {
        await nextTurn();
        signal.throwIfAborted();
        end = performance.now() + slice;
      }
    }
    waiting = waiting.subarray(at);
  }
}

export const edit = async (snapshot, items, set) =>
  changed(await send('PATCH', '/api/items', { snapshot, items, set }), items);
export const trash = async (snapshot, items) => changed(await send('POST', '/api/trash', { snapshot, items }), items);
export const restore = async (snapshot, items) => changed(await send('POST', '/api/restore', { snapshot, items }), items);
/** How much is in the trash: `files`, of which `shared` stay elsewhere, and `bytes`; `listing` is its name. */
export const listTrash = () => send('POST', '/api/trash/list', {});
/** Deletes some of what was listed: how much is `left`, and what `failed`. */
export const emptyTrash = (listing) => send('POST', '/api/trash/empty', { listing });
/** The address of an archive, and the first names that Windows refuses (`refused`, of `refusedCount`). */
export const zip = async (snapshot, items) => {
  const answer = await send('POST', '/api/zip', { snapshot, items });
  return { ...answer, address: `/api/zip/${answer.ticket}` };
};

/** How far an archive is: `state` is waiting, reading or ended; `reason` says why it is not whole. */
export const zipProgress = (address) => json(`${address}/progress`);

/** Of files that were uploaded, how many photos have no position (`missing`), and which are not examined (`pending`). */
export async function positions(paths, signal) {
  const all = { missing: 0, pending: [] };
  for (let at = 0; at < paths.length; at += most) {
    const answer = await send('POST', '/api/positions', { paths: paths.slice(at, at + most) }, signal);
    all.missing += answer.missing;
    for (const number of answer.pending) all.pending.push(paths[at + number]);
  }
  return all;
}

// As people sort: 2 before 10, and without regard to capitals.
const order = new Intl.Collator(language, { numeric: true });
/** The albums in one, which they name as `parent`. */
export const albums = async (path) =>
  list(await json(path ? `/api/albums?${new URLSearchParams({ path })}` : '/api/albums'), 'albums')
    .map((album) => ({ ...album, parent: path }))
    .sort((one, other) => order.compare(one.name, other.name));
export const newAlbum = (parent, name) => send('POST', '/api/albums', { parent, name });
export const renameAlbum = (path, name) => send('POST', '/api/albums/rename', { path, name });
export const deleteAlbum = (path) => send('POST', '/api/albums/delete', { path });
/** Makes a photo the cover of its album, which is returned. */
export const makeCover = (snapshot, item) => send('POST', '/api/albums/cover', { snapshot, item });
export const addToAlbum = async (snapshot, items, album) =>
  changed(await send('POST', '/api/albums/add', { snapshot, items, album }), items);
export const moveToAlbum = async (snapshot, items, album) =>
  changed(await send('POST', '/api/albums/move', { snapshot, items, album }), items);

/** How many other files the albums in one have (`path`, `files`), those that have some. */
export const otherFileCounts = (path) =>
  json(path ? `/api/albums/files?${new URLSearchParams({ path })}` : '/api/albums/files');
/** What is neither a photo nor a video, in an album (`album`) or in the trash (`trash`), with its snapshot. */
export async function otherFiles(place, signal) {
  const answer = await json(`/api/files?${new URLSearchParams(place)}`, signal);
  return { ...answer, files: answer.files.sort((one, other) => order.compare(one.name, other.name)) };
}
