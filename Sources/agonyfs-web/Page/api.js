// Requests to the server. Every request of the page to a space is in this file.
//
// 1. A write carries a header that other sites cannot send.
// 2. Status 401 locks the page, and 410 notifies the view that its snapshot is gone; every other error is a `Problem`
//    for the caller. The word `unpaired` means that the server does not know this browser any more.

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
/** Sets the callback for when the server has locked the space (`locked`), or has dropped a snapshot (`gone`). */
export function listen(name, call) { listeners[name] = call; }

// The number of writes. A cover may change with each, so it becomes part of the address, which browsers cache by.
let writes = 0;

/** The response to a request; throws a `Problem` if its status is an error. */
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
  // These addresses exist for every paired browser, so a 404 means that this browser is not paired.
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

/** `used`: whether the page was used since the last call. `busy`: whether the page is uploading files. */
export const state = (used = false, busy = false) => {
  const said = [used && 'used=1', busy && 'busy=1'].filter(Boolean).join('&');
  return json(said ? `/api/state?${said}` : '/api/state');
};
/** Reports that the page is left: the server stops waiting for a choice, unless it gets another request soon. */
export const left = () => ask('GET', '/api/state?left=1', { keepalive: true }).catch(() => {});
export const login = (password) => ask('POST', '/login', { body: password });
/**
 * Reports that another list replaces `before`, where `items` were chosen. Returns the chosen `items` of the new list,
 * and the number of `others`.
 */
export const chooseIn = (snapshot, before, items) => send('POST', '/api/choice/list', { snapshot, before, items });
/** Ends a choice with these photos and those of other lists, or with none. */
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

/** The address of an item's bytes; `form` is preview, full, original or motion. */
export const address = (snapshot, item, form, download = false) =>
  `/api/item/${snapshot}/${item}/${form}${download ? '?download=1' : ''}`;
export const cover = (path) => `/api/cover?${new URLSearchParams({ path, after: writes })}`;

/** Calls `arrived(item, Uint8Array)` for each thumbnail in the order of arrival; without bytes if there is none. */
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
      // Making blobs can take long while the browser is busy, so it gets a turn in between.
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
/** The contents of the trash: `files`, of which `shared` stay elsewhere, and `bytes`; `listing` is its identifier. */
export const listTrash = () => send('POST', '/api/trash/list', {});
/** Deletes some of a listing's files; returns how many are `left`, and what `failed`. */
export const emptyTrash = (listing) => send('POST', '/api/trash/empty', { listing });
/** The address of an archive, and the first names that Windows does not allow (`refused`, of `refusedCount`). */
export const zip = async (snapshot, items) => {
  const answer = await send('POST', '/api/zip', { snapshot, items });
  return { ...answer, address: `/api/zip/${answer.ticket}` };
};

/** The state of an archive: `state` is waiting, reading or ended; `reason` says why it is not complete. */
export const zipProgress = (address) => json(`${address}/progress`);

/** For uploaded files, how many photos have no position (`missing`), and which are not examined yet (`pending`). */
export async function positions(paths, signal) {
  const all = { missing: 0, pending: [] };
  for (let at = 0; at < paths.length; at += most) {
    const answer = await send('POST', '/api/positions', { paths: paths.slice(at, at + most) }, signal);
    all.missing += answer.missing;
    for (const number of answer.pending) all.pending.push(paths[at + number]);
  }
  return all;
}

// The order that people expect: 2 before 10, and without regard to case.
const order = new Intl.Collator(language, { numeric: true });
/** The albums in an album; each refers to it as `parent`. */
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

/** The number of other files in each album of an album (`path`, `files`), without those that have none. */
export const otherFileCounts = (path) =>
  json(path ? `/api/albums/files?${new URLSearchParams({ path })}` : '/api/albums/files');
/**
 * The files that are neither photos nor videos, of an album (`album`) or of the trash (`trash`), and their snapshot.
 */
export async function otherFiles(place, signal) {
  const answer = await json(`/api/files?${new URLSearchParams(place)}`, signal);
  return { ...answer, files: answer.files.sort((one, other) => order.compare(one.name, other.name)) };
}
