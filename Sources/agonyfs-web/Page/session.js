// The session: it is opened with the password, and locked by the button, when idle, and after the page was hidden.
//
// 1. A lock removes everything about the space from the document, from blobs and from the state of modules; then the
//    page is reloaded.
// 2. The page is locked after it was hidden for a minute, as was every other tab of this browser, unless files are
//    being uploaded or downloaded; a user who returns later first sees nothing. All tabs share one session: using or
//    seeing one keeps it open for all, and locking one locks all.
// 3. The message about what a lock interrupted contains only numbers.

import * as api from './api.js';
import { empty } from './dom.js';
import { texts } from './texts.js';

let hiddenLimit = 60_000;
// The server ends a session from which it gets no request for 90 s.
const signEvery = 25_000;
const servedLimit = 90_000;
// Unmounting a space takes as long as flushing it.
const lockLimit = 30_000;
// A hidden tab that is uploading may be able to report that only once a minute.
const busyMargin = 90_000;
// The time in which other tabs answer, even if one was suspended when it was about to.
const answerTime = 200;
const tabs = new BroadcastChannel('agonyfs');
const forgetting = new Set();
let lastWork = () => -Infinity;
/** Whether a download was in progress at the server's last answer, or was just requested; and when that was. */
let isServed = false;
let lastServed = -Infinity;
let idleLimit = 600_000;
let isOpen = false;
let isReadOnly = false;
let isChoice = false;
let hiddenSince = null;
let seenElsewhere = -Infinity;
let lastUse = Date.now();
let lastSign = Date.now();
let lastUseTold = Date.now();

/** Registers `call`, which removes data of the space on a lock. It may return a text without names to be shown then. */
export function onForget(call) { forgetting.add(call); }
/** Registers `call`, which returns the time in milliseconds of the last work that a lock must not interrupt. */
export function keepOpenWhile(call) { lastWork = call; }

/** Whether the space is open. */
export const isUnlocked = () => isOpen;
/** Whether the space is read-only. */
export const readOnly = () => isReadOnly;

export async function opened() {
  const state = await api.state();
  idleLimit = (state.idleSeconds || 600) * 1000;
  isOpen = !state.locked;
  // While choosing, the user may look at the window of the program for a long time.
  isChoice = Boolean(state.choice);
  if (isChoice) hiddenLimit = idleLimit;
  isReadOnly = Boolean(state.readOnly);
  lastUse = Date.now();
  return state;
}

// Removes all data of the space from the page.
function forget() {
  isOpen = isServed = false;
  const said = [];
  for (const call of forgetting) {
    try {
      said.push(call());
    } catch {
      // The other callbacks must still run.
    }
  }
  for (const dialog of document.querySelectorAll('dialog')) dialog.remove();
  for (const name of ['app', 'viewer', 'said']) empty(document.getElementById(name));
  document.getElementById('app').className = 'locked';
  // Only the window's name survives a reload without being stored. The next page reads and clears it.
  window.name = said.filter(Boolean).join(' ');
}

/** Removes all data at once, locks the session at the server unless that is done, and reloads the page. */
export async function lock(serverKnows = false) {
  if (!isOpen) return;
  forget();
  const told = serverKnows || (await Promise.race([
    api.lock().then(() => true, (problem) => problem.status === 401 || problem.word),
    new Promise((resolve) => setTimeout(resolve, lockLimit, false)),
  ]));
  if (!serverKnows && told === true) tabs.postMessage({ isLocked: true });
  // The server of a choice ends with its only session, and without a connection nothing can be loaded; the page is
  // already empty.
  if (isChoice) end(texts.choiceCancelled, false);
  else if (told === true) location.replace('/');
  else end(told === 'unpaired' ? texts.unpaired : texts.lockedOffline, told !== 'unpaired');
}

/** Removes all data because the server ends, and shows a message. */
export function over(text) {
  forget();
  end(text, false);
}

function end(text, mayTryAgain) {
  dispatchEvent(new CustomEvent('locked', { detail: { text: [text, interrupted()].join(' ').trim(), mayTryAgain } }));
}

/** The message about what the last lock interrupted; it is returned once. */
export function interrupted() {
  const text = window.name;
  window.name = '';
  return text;
}

const busy = () => Date.now() - lastWork() < idleLimit;
// After this time without an answer, the server has ended the session.
const isDownloading = () => isServed && Date.now() - lastServed < servedLimit;

const hiddenTooLong = (since) =>
  since !== null && Date.now() - Math.max(since, seenElsewhere) >= hiddenLimit && !busy();

// Broadcasts how long ago this tab was seen and used. Durations are sent, because each tab has its own clock.
function tell() {
  if (!isOpen) return;
  const isWorking = busy() || isDownloading();
  const seen = isWorking ? -busyMargin : hiddenSince === null ? 0 : Date.now() - hiddenSince;
  tabs.postMessage({ seen, used: Date.now() - lastUse });
}

function heard({ data }) {
  if (data.isAsking) tell();
  else if (data.isLocked) lock(true);
  else if (data.isLeft) stay();
  else {
    seenElsewhere = Math.max(seenElsewhere, Date.now() - data.seen);
    lastUse = Math.max(lastUse, Date.now() - data.used);
  }
}

const isPlaying = () => !document.hidden && [...document.querySelectorAll('video')].some((video) =>
  !video.paused && video.readyState >= HTMLMediaElement.HAVE_FUTURE_DATA);

function watch() {
  if (!isOpen) return;
  lastUse = isDownloading() || isPlaying() ? Date.now() : Math.max(lastUse, lastWork());
  tell();
  if ((hiddenTooLong(hiddenSince) && !isDownloading()) || Date.now() - lastUse >= idleLimit) lock();
  else if (Date.now() - lastSign >= signEvery) sign();
}

/**
 * Reports to the server that the page is open, whether it is used, and whether it is uploading: the server sees only
 * requests, and waits longer for a page that was cut off during an upload.
 */
export async function sign() {
  lastSign = Date.now();
  const used = lastUse > lastUseTold;
  lastUseTold = lastUse;
  try {
    const state = await api.state(used, busy());
    isServed = state.downloads > 0;
    lastServed = Date.now();
    if (state.locked) await lock(true);
  } catch (problem) {
    // The page cannot be reloaded if the browser is not paired any more.
    if (problem.word !== 'unpaired' || !isOpen) return;
    forget();
    end(texts.unpaired, false);
  }
}

// Another tab was left. The server may learn of that after the last request of this tab, so this tab reports again.
function stay() {
  if (!isOpen) return;
  sign();
  setTimeout(() => isOpen && sign(), 1000);
}

/** Records that a download was started, which the browser does by itself. */
export function served() {
  isServed = true;
  lastServed = Date.now();
  lastSign = Date.now() - signEvery + 2000;
}

// The page was hidden for long. It stays open if another tab was seen in the same time, or during a download; until
// that is known, it shows nothing.
async function comeBack(since) {
  document.body.hidden = true;
  tabs.postMessage({ isAsking: true });
  await new Promise((resolve) => setTimeout(resolve, answerTime));
  if (!hiddenTooLong(since)) {
    document.body.hidden = false;
    return undefined;
  }
  if (!isServed) {
    const locking = lock();
    document.body.hidden = false;
    return locking;
  }
  isServed = false;
  await sign();
  document.body.hidden = false;
  return isServed ? undefined : lock();
}

/** Starts to watch the time, the page's visibility and its use. */
export function start() {
  api.listen('locked', () => lock(true));
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) hiddenSince = Date.now();
    else {
      const since = hiddenSince;
      hiddenSince = null;
      if (isOpen && hiddenTooLong(since)) comeBack(since);
    }
    tell();
  });
  tabs.onmessage = heard;
  // The program is waiting for the choice.
  addEventListener('pagehide', () => {
    if (!isOpen || !isChoice) return;
    api.left();
    tabs.postMessage({ isLeft: true });
  });
  // A page that the browser restores from its cache must not show its old contents.
  addEventListener('pageshow', (event) => { if (event.persisted) lock(); });
  const used = () => { lastUse = Date.now(); };
  for (const name of ['pointerdown', 'keydown', 'wheel', 'touchmove']) {
    addEventListener(name, used, { passive: true, capture: true });
  }
  setInterval(watch, 5000);
}
