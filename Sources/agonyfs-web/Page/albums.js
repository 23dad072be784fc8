// Albums as tiles with covers, and the photos of an album.

import * as api from './api.js';
import { deleteAlbum, newAlbum, renameAlbum } from './album-names.js';
import { choose } from './dialogs.js';
import { button, icon, make, plain } from './dom.js';
import { back, opened } from './navigation.js';
import { OtherFiles } from './other-files.js';
import { texts } from './texts.js';

const longPress = 500;

const entries = [{ name: texts.rename, value: 'rename', drawing: 'edit' },
  { name: texts.deleteTheAlbum, value: 'delete', drawing: 'trash', isDanger: true }];

async function menu(album, changed) {
  const chosen = await choose(plain(album.name), entries);
  if (chosen === 'rename' && (await renameAlbum(album))) changed();
  if (chosen === 'delete' && (await deleteAlbum(album))) changed();
}

function tile(album, open, changed) {
  let timer;
  // Whether the menu is open. A long press ends with a click, and on phones it is a right-click as well.
  let isHeld = false;
  const openMenu = async () => {
    if (isHeld) return;
    isHeld = true;
    try {
      await menu(album, changed);
    } finally {
      isHeld = false;
    }
  };
  const hold = (event) => {
    if (event.button === 0) timer = setTimeout(openMenu, longPress);
  };
  const stop = () => clearTimeout(timer);
  const image = album.cover && make('img', { src: api.cover(album.path), alt: '', loading: 'lazy', decoding: 'async',
    draggable: 'false' });
  return make('li', { class: 'tile' },
    make('button', { type: 'button', class: 'picture',
      onpointerdown: hold, onpointerup: stop, onpointerleave: stop, onpointercancel: stop,
      oncontextmenu: (event) => {
        event.preventDefault();
        stop();
        openMenu();
      },
      onclick: () => !isHeld && open(album),
      onkeydown: (event) => {
        if (event.key === 'Delete') deleteAlbum(album).then((isDone) => isDone && changed());
        else if (event.key === 'F2') renameAlbum(album).then((made) => made && changed());
      } },
    make('span', { class: 'cover' }, image || icon('album')),
    make('span', { class: 'name', text: plain(album.name), dir: 'auto' }),
    make('span', { class: 'numbers', text: texts.albumCounts(album.count, album.albums) })),
    button('more', texts.more(plain(album.name)), () => menu(album, changed), { class: 'button round more' }));
}

function tiles(albums, open, changed, facts) {
  const shown = albums.map((album) => tile(album, open, changed));
  // Counting other files takes longer, so the albums are shown before.
  api.otherFileCounts(albums[0].parent).then((counts) => {
    const files = new Map(counts.map((each) => [each.path, each.files]));
    for (const [place, { path, count, albums: inside }] of albums.entries()) {
      if (files.has(path)) {
        shown[place].querySelector('.numbers').textContent = texts.albumCounts(count, inside, files.get(path));
      }
    }
  }, () => {});
  return make('ul', { class: 'tiles', 'aria-label': texts.albums, ...facts }, ...shown);
}

/** The albums of the top level. */
export class Albums {
  #asked = 0;

  constructor(open) {
    this.open = open;
    this.body = make('div', { class: 'body' });
    this.element = make('section', { class: 'view', 'aria-label': texts.albums }, this.body);
    this.load();
  }

  async load() {
    this.#asked += 1;
    const asked = this.#asked;
    const scroller = make('div', { class: 'scroller' });
    const head = make('div', { class: 'about' }, make('h1', { text: texts.albums }),
      button('add', texts.newAlbum, async () => (await newAlbum('')) && this.load(), { label: true }));
    scroller.append(make('div', { class: 'lead' }, head));
    try {
      const albums = await api.albums('');
      scroller.append(albums.length > 0 ? tiles(albums, this.open, () => this.load())
        : make('div', { class: 'nothing' }, make('p', { text: texts.noAlbums })));
    } catch (problem) {
      if (problem.status === 401) return;
      scroller.append(make('div', { class: 'nothing', role: 'alert' }, make('p', { text: problem.message })));
    }
    // A late answer must not replace a newer one.
    if (asked !== this.#asked) return;
    this.body.replaceChildren(scroller);
    const others = new OtherFiles({ album: '' }, () => this.load());
    scroller.append(others.element);
    others.load();
  }

  close() {}
  gone() { this.load(); }
}

/** The description of an album for `Photos`; `show(place)` shows another one. */
export function albumPlace(album, show) {
  const open = (other) => {
    show(albumPlace(other, show));
    opened(() => show(albumPlace(album, show)));
  };
  return {
    title: album.name, album, back, nothing: texts.albumEmpty, question: { album: album.path },
    async lead() {
      const albums = await api.albums(album.path);
      return albums.length > 0 ? [tiles(albums, open, () => show(albumPlace(album, show)), { class: 'tiles strip' })] : [];
    },
    others: (changed, counted) => new OtherFiles({ album: album.path }, changed, counted),
    buttons: () => [button('more', texts.more(plain(album.name)), async () => {
      const chosen = await choose(plain(album.name),
        [{ name: texts.newAlbumHere, value: 'new', drawing: 'add' }, ...entries]);
      if (chosen === 'new' && (await newAlbum(album.path))) show(albumPlace(album, show));
      if (chosen === 'rename') {
        const made = await renameAlbum(album);
        if (made) show(albumPlace({ ...album, ...made }, show));
      }
      if (chosen === 'delete' && (await deleteAlbum(album))) back();
    })],
  };
}
