// Dialogs that ask for an album's name, and show what is wrong with it next to the field.

import * as api from './api.js';
import { ask, question } from './dialogs.js';
import { plain, say } from './dom.js';
import { texts } from './texts.js';

const longest = 255;

/** What is wrong with a name, as far as the page can tell without the server; undefined if nothing is. */
function problem(name) {
  if (name.trim() === '') return texts.nameMissing;
  if (name.includes('/')) return texts.nameWithSlash;
  if (name === '.' || name === '..') return texts.nameOfDots;
  if (new TextEncoder().encode(name).length > longest) return texts.nameTooLong;
  return undefined;
}

async function named(title, name, yes, send) {
  let made;
  await ask(title, texts.albumName, name, yes, async (text) => {
    const wrong = problem(text);
    if (wrong !== undefined) return wrong;
    try {
      made = await send(text);
      return undefined;
    } catch (error) {
      return { 'exists': texts.nameExists, 'empty-name': texts.nameMissing, 'name-too-long': texts.nameTooLong }[error.word]
        ?? error.message;
    }
  });
  return made;
}

/** The new album with `path` and `name`, or undefined. */
export const newAlbum = (parent) => named(texts.newAlbum, '', texts.create, (name) => api.newAlbum(parent, name));

export const renameAlbum = (album) =>
  named(texts.rename, album.name, texts.rename, (name) => (name === album.name ? album : api.renameAlbum(album.path, name)));

/**
 * Whether the album was deleted. The counts are fetched again, because photos may have been added since it was shown.
 */
export async function deleteAlbum(album) {
  try {
    const now = (await api.albums(album.parent ?? '')).find((other) => other.path === album.path) ?? album;
    const yes = await question(texts.deleteAlbum(plain(album.name)), texts.deleteAlbumText(now.all, now.albums),
      texts.toTrash, true);
    if (!yes) return false;
    await api.deleteAlbum(album.path);
    say(texts.albumDeleted(plain(album.name)));
    return true;
  } catch (error) {
    say(error.message, true);
    return false;
  }
}
