// Actions on photos, one or many.
//
// 1. Failures of the server are reported with their number. An action counts as done only after the server confirmed
//    it.

import * as api from './api.js';
import { chooseAlbum } from './album-picker.js';
import { answer, ask, choose, question, row, show, stars } from './dialogs.js';
import { make, plain, say } from './dom.js';
import * as format from './format.js';
import { isUnlocked, served } from './session.js';
import { texts } from './texts.js';

const batch = 500;

/** Calls `call(snapshot, items)` for the photos in batches, and reports the result. Returns how many were done. */
export async function each(snapshot, items, call, done) {
  let number = 0;
  const failed = [];
  try {
    for (let at = 0; at < items.length; at += batch) {
      const outcome = await call(snapshot.id, items.slice(at, at + batch));
      number += outcome.done;
      failed.push(...outcome.failed);
    }
  } catch (problem) {
    if (problem.status !== 401) say(texts.stoppedAfter(number, items.length, problem.message), true);
    return number;
  }
  if (failed.length > 0) say(texts.notAll(failed.length, items.length, plain(texts.problem(failed[0]))), true);
  else say(done(number));
  return number;
}

/** Lets the browser download an address. */
export function follow(address) {
  const link = make('a', { href: address, download: true });
  document.body.append(link);
  link.click();
  link.remove();
  served();
}

// Browsers report only that a download failed, so the server is asked for the reason.
async function sayIfBroken(address) {
  // The user may take a while to choose a place for the file, or cancel.
  for (let waits = 0; waits < 60 && isUnlocked();) {
    await new Promise((resolve) => setTimeout(resolve, 2000));
    let progress;
    try {
      progress = await api.zipProgress(address);
    } catch {
      return;
    }
    if (progress.state === 'waiting') waits += 1;
    if (progress.state !== 'ended') continue;
    if (progress.reason) say(texts.archiveBroke(plain(progress.reason)), true);
    return;
  }
}

/** Downloads original bytes, as separate files or in one archive. */
export async function download(snapshot, items) {
  if (items.length === 1) return follow(api.address(snapshot.id, items[0], 'original', true));
  const way = await choose(texts.downloadMany(items.length), [
    { name: texts.oneArchive, value: 'zip', drawing: 'album' },
    { name: texts.singleFiles, value: 'files', drawing: 'photos' }]);
  try {
    if (way === 'zip') {
      const archive = await api.zip(snapshot.id, items);
      if (archive.refusedCount > 0) say(texts.namesReplaced(archive.refused.map(plain), archive.refusedCount));
      follow(archive.address);
      sayIfBroken(archive.address);
    }
    for (const item of way === 'files' ? items : []) {
      if (!isUnlocked()) return undefined;
      follow(api.address(snapshot.id, item, 'original', true));
      // Browsers drop downloads that begin at the same moment.
      await new Promise((resolve) => setTimeout(resolve, 350));
    }
  } catch (problem) {
    say(problem.message, true);
  }
  return undefined;
}

/** Moves photos to the trash after a confirmation; undefined if the user declined. */
export async function toTrash(snapshot, items) {
  if (!(await question(texts.trashTitle(items.length), texts.trashText, texts.toTrash, true))) return undefined;
  return each(snapshot, items, api.trash, texts.trashed);
}

export const fromTrash = (snapshot, items) => each(snapshot, items, api.restore, texts.restored);

/**
 * Deletes the contents of the trash after a confirmation that states its size. Returns whether files may be deleted.
 */
export async function emptyTrash() {
  try {
    const { listing, count, files, shared, bytes } = await api.listTrash();
    if (count === 0) {
      say(texts.trashEmpty);
      return false;
    }
    const yes = await question(texts.emptyTitle(files), texts.emptyText(format.size(bytes), shared), texts.deleteForGood, true);
    if (!yes) return false;
    const failed = [];
    for (let left = count; left > 0 && isUnlocked();) {
      const outcome = await api.emptyTrash(listing);
      left = outcome.left;
      failed.push(...outcome.failed);
    }
    if (failed.length > 0) say(texts.notEmptied(failed.length, plain(texts.problem(failed[0]))), true);
    else say(texts.trashEmptied);
  } catch (problem) {
    if (problem.status !== 401) say(problem.message, true);
  }
  return isUnlocked();
}

/** Makes a single photo the cover of its album. Returns how many photos became covers. */
export async function makeCover(snapshot, [item]) {
  try {
    const album = await api.makeCover(snapshot.id, item);
    say(texts.coverMade(plain(album.name)));
    return 1;
  } catch (problem) {
    if (problem.status !== 401) say(problem.message, true);
    return 0;
  }
}

export async function addToAlbum(snapshot, items) {
  const album = await chooseAlbum(texts.addTo(items.length));
  if (!album) return 0;
  return each(snapshot, items, (id, some) => api.addToAlbum(id, some, album.path),
    (number) => texts.added(number, plain(album.name)));
}

async function edit(snapshot, items, set, done) {
  const number = await each(snapshot, items, (id, some) => api.edit(id, some, set), done);
  snapshot.forget();
  return number;
}

export async function addTag(snapshot, items) {
  const tag = await ask(texts.tagTitle(items.length), texts.tag, '', texts.add,
    (text) => (text.trim() === '' ? texts.tagMissing : undefined));
  return tag === undefined ? 0 : edit(snapshot, items, { addTags: [tag.trim()] }, texts.tagged);
}

export async function rate(snapshot, items) {
  const rating = await show(texts.rateTitle(items.length), (close) => [stars(0, close),
    row(answer(texts.noRating, () => close(0)), answer(texts.cancel, () => close()))]);
  return rating === undefined ? 0 : edit(snapshot, items, { rating }, texts.rated);
}

/** Marks photos as favourites, or removes the mark if all of them have it. */
export async function favourite(snapshot, items, changed) {
  const isFavourite = !items.every((item) => snapshot.isFavourite(item));
  const number = await edit(snapshot, items, { favourite: isFavourite },
    isFavourite ? texts.nowFavourites : texts.noFavourites);
  if (number !== items.length) return;
  for (const item of items) {
    snapshot.setFavourite(item, isFavourite);
    changed(item);
  }
}
