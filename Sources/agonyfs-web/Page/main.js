// The page: its views, and the navigation between them.

import { Albums, albumPlace } from './albums.js';
import * as api from './api.js';
import { beginChoice, choiceBar } from './choice.js';
import { empty, icon, make } from './dom.js';
import { showLogin } from './login.js';
import { back, closeAll, opened } from './navigation.js';
import { Photos, trash } from './photos.js';
import * as session from './session.js';
import { texts } from './texts.js';
import { Uploads } from './uploads.js';

const app = document.getElementById('app');
let view = null;
let uploads = null;

session.onForget(() => {
  view?.close();
  const left = uploads?.close();
  view = uploads = null;
  return left;
});

/** Replaces the current view. */
function show(next) {
  view?.close();
  view = next;
  document.getElementById('stage').replaceChildren(next.element);
}

const showPlace = (place) => show(new Photos(place));
const allPhotos = () => showPlace({ title: texts.photos, question: {}, nothing: texts.nothingYet });
const openAlbum = (album) => {
  showPlace(albumPlace(album, showPlace));
  opened(() => select('albums'));
};

const parts = {
  photos: { drawing: 'photos', show: allPhotos },
  albums: { drawing: 'album', show: () => show(new Albums(openAlbum)) },
  favourites: { drawing: 'heart', show: () => showPlace({ title: texts.favourites, question: { q: 'is:favourite' } }) },
  trash: { drawing: 'trash', show: () => showPlace(trash()) },
};

function select(part) {
  for (const entry of document.querySelectorAll('.rail [data-part]')) {
    if (entry.dataset.part === part) entry.setAttribute('aria-current', 'page');
    else entry.removeAttribute('aria-current');
  }
  parts[part].show();
}

function shell({ readOnly: isReadOnly, choice }) {
  empty(app);
  app.className = `open${isReadOnly ? ' readonly' : ''}${choice ? ' choosing' : ''}`;
  const entry = (part) => make('button', { type: 'button', class: 'entry', 'data-part': part, onclick: () => {
    closeAll();
    select(part);
  } }, icon(parts[part].drawing), make('span', { text: texts[part] }));
  if (!choice) uploads = new Uploads({ album: () => view?.place?.album, changed: () => (view?.refresh ?? view?.load)?.call(view) });
  const act = (drawing, name, call, kind = '') =>
    make('button', { type: 'button', class: `entry ${kind}`, onclick: call }, icon(drawing), make('span', { text: name }));
  const shown = Object.keys(parts).filter((part) => !choice || part !== 'trash');
  app.append(make('nav', { class: 'rail', 'aria-label': texts.parts }, ...shown.map(entry),
    make('span', { class: 'space' }), !isReadOnly && act('upload', texts.upload, () => uploads.choose(), 'send'),
    !choice && act('lock', texts.lock, () => session.lock())),
  make('main', { id: 'stage', class: 'stage' }), choice ? choiceBar() : uploads.element);
}

async function start() {
  try {
    const state = await session.opened();
    if (state.locked) return showLogin(start, session.interrupted());
    beginChoice(state.choice);
    shell(state);
    select('photos');
  } catch (problem) {
    empty(app);
    app.className = 'locked';
    app.append(make('main', { class: 'login' }, make('p', { class: 'problem', text: problem.message }),
      make('button', { type: 'button', class: 'button', text: texts.again, onclick: start })));
  }
  return undefined;
}

/**
 * Locks the session again, because the server may not know that this page is locked; only then is the page reloaded.
 */
async function lockAgain() {
  try {
    await api.lock();
  } catch (problem) {
    if (problem.word === 'unpaired') app.querySelector('p').textContent = texts.unpaired;
    if (problem.status !== 401) return;
  }
  location.replace('/');
}

addEventListener('keydown', (event) => {
  if (app.inert || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === '/' && !/^(INPUT|TEXTAREA)$/.test(event.target.tagName) && view?.search) {
    event.preventDefault();
    view.search.field.focus();
  } else if (event.key === 'Escape' && event.target.tagName !== 'INPUT') back();
});
addEventListener('locked', ({ detail: { text, mayTryAgain } }) => {
  app.className = 'locked';
  app.append(make('main', { class: 'login' }, make('p', { text }),
    mayTryAgain && make('button', { type: 'button', class: 'button', text: texts.again, onclick: lockAgain })));
});
api.listen('gone', () => view?.gone?.());

session.start();
start();
