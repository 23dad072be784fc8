// The life of a session: it opens by the password, and locks by the button, in idleness, and when the page was hidden.
//
// 1. A lock leaves nothing of the space in the document, in blobs and in what modules remember; then the page is loaded
//    anew.
// 2. The page is locked when it was hidden for a minute, and every other tab of this browser as well, unless something is
//    being uploaded or downloaded; whoever comes back later sees nothing first. Tabs have one session: what is seen or used
//    in one keeps it open for all, and the lock of one is that of all.
// 3. What a lock interrupted is said by numbers alone.

import * as api from './api.js';
import { empty } from './dom.js';
import { texts } from './texts.js';

let hiddenLimit = 60_000;
// The server ends a session of which it hears nothing for 90 s.
const signEvery = 25_000;
const servedLimit = 90_000;
// To take a space away takes as long as writing what it holds.
const lockLimit = 30_000;
// A hidden tab that sends files may come to say so once a minute only.
const busyMargin = 90_000;
// As long as tabs take to answer one that was stopped while they said that they are seen.
const answerTime = 200;
const tabs = new BroadcastChannel('agonyfs');
const forgetting = new Set();
let lastWork = () => -Infinity;
/** Whether the server was sending a download when it answered last, or one was just asked for; and when that was. */
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

/** Calls `call` when everything of the space has to be forgotten. It may return a text without names that is shown then. */
export function onForget(call) { forgetting.add(call); }
/** `call` says when work was done last, in milliseconds, that a hidden page must not end. */
export function keepOpenWhile(call) { lastWork = call; }

/** Whether the space is open. */
export const isUnlocked = () => isOpen;
/** Whether nothing can be changed. */
export const readOnly = () => isReadOnly;

export async function opened() {
  const state = await api.state();
  idleLimit = (state.idleSeconds || 600) * 1000;
  isOpen = !state.locked;
  // What is chosen for another window is chosen beside that.
  isChoice = Boolean(state.choice);
  if (isChoice) hiddenLimit = idleLimit;
  isReadOnly = Boolean(state.readOnly);
  lastUse = Date.now();
  return state;
}

// Everything of the space.
function forget() {
  isOpen = isServed = false;
  const said = [];
  for (const call of forgetting) {
    try {
      said.push(call());
    } catch {
      // The others must forget all the same.
    }
  }
  for (const dialog of document.querySelectorAll('dialog')) dialog.remove();
  for (const name of ['app', 'viewer', 'said']) empty(document.getElementById(name));
  document.getElementById('app').className = 'locked';
  // The next page reads it and forgets it; nothing else of this tab's would stay.
  window.name = said.filter(Boolean).join(' ');
}

/** Forgets at once, tells the server if it does not know yet, and loads the page anew. */
export async function lock(serverKnows = false) {
  if (!isOpen) return;
  forget();
  const told = serverKnows || (await Promise.race([
    api.lock().then(() => true, (problem) => problem.status === 401 || problem.word),
    new Promise((resolve) => setTimeout(resolve, lockLimit, false)),
  ]));
  if (!serverKnows && told === true) tabs.postMessage({ isLocked: true });
  // The server of a choice ends with its only session, and without a connection there is nothing to load; the page is empty
  // as it is.
  if (isChoice) end(texts.choiceCancelled, false);
  else if (told === true) location.replace('/');
  else end(told === 'unpaired' ? texts.unpaired : texts.lockedOffline, told !== 'unpaired');
}

/** Forgets everything, for the server ends, and says so. */
export function over(text) {
  forget();
  end(text, false);
}

function end(text, mayTryAgain) {
  dispatchEvent(new CustomEvent('locked', { detail: { text: [text, interrupted()].join(' ').trim(), mayTryAgain } }));
}

/** What the lock before interrupted, once. */
export function interrupted() {
  const text = window.name;
  window.name = '';
  return text;
}

const busy = () => Date.now() - lastWork() < idleLimit;
// Without an answer for as long, the server has ended the session.
const isDownloading = () => isServed && Date.now() - lastServed < servedLimit;

const hiddenTooLong = (since) =>
  since !== null && Date.now() - Math.max(since, seenElsewhere) >= hiddenLimit && !busy();

// Tells the other tabs how long ago this one was seen and used: each has a clock of its own.
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
 * Tells the server that the page is there, whether somebody uses it, and whether it sends files: the server sees requests
 * only, and waits longer for one that was cut off while it sent.
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
    // There is nothing to load for a browser that is not known.
    if (problem.word !== 'unpaired' || !isOpen) return;
    forget();
    end(texts.unpaired, false);
  }
}

// Another tab was left, of which the server may hear later than of this one.
function stay() {
  if (!isOpen) return;
  sign();
  setTimeout(() => isOpen && sign(), 1000);
}

/** A download was begun, which the browser does by itself. */
export function served() {
  isServed = true;
  lastServed = Date.now();
  lastSign = Date.now() - signEvery + 2000;
}

// The page was hidden for long. If another tab was seen meanwhile, or something is downloaded, it goes on, but nothing is
// shown before that is known.
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

/** Looks at the clock, the page's visibility and its use from now on. */
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
  // A program waits for what is chosen.
  addEventListener('pagehide', () => {
    if (!isOpen || !isChoice) return;
    api.left();
    tabs.postMessage({ isLeft: true });
  });
  // A page that the browser kept as it was shows nothing of before.
  addEventListener('pageshow', (event) => { if (event.persisted) lock(); });
  const used = () => { lastUse = Date.now(); };
  for (const name of ['pointerdown', 'keydown', 'wheel', 'touchmove']) {
    addEventListener(name, used, { passive: true, capture: true });
  }
  setInterval(watch, 5000);
}
