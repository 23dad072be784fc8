// A dialog to choose an album on any level, or to create one.

import * as api from './api.js';
import { newAlbum } from './album-names.js';
import { answer, row, show } from './dialogs.js';
import { button, icon, make, plain } from './dom.js';
import { texts } from './texts.js';

/** The chosen album with `path` and `name`, or undefined. With `isRoot` the top level can be chosen as well. */
export function chooseAlbum(title, isRoot = false) {
  return show(title, (close) => {
    const list = make('div', { class: 'choices' });
    const place = make('p', { class: 'place', dir: 'auto' });
    const trail = [];
    const here = answer(texts.chooseHere, () => close(trail[trail.length - 1]), true);

    async function go() {
      const album = trail[trail.length - 1];
      place.textContent = trail.map((each) => plain(each.name)).join(' › ') || texts.allAlbums;
      here.disabled = trail.length === 0 && !isRoot;
      list.replaceChildren(make('p', { class: 'quiet', text: texts.loading }));
      try {
        const albums = await api.albums(album?.path ?? '');
        if (album !== trail[trail.length - 1]) return;
        list.replaceChildren(...albums.map((each) => make('button', { type: 'button', class: 'choice', onclick: () => {
          trail.push(each);
          go();
        } }, icon('album'), make('bdi', { text: plain(each.name) }), icon('forward'))));
        if (trail.length > 0) list.prepend(make('button', { type: 'button', class: 'choice', onclick: () => {
          trail.pop();
          go();
        } }, icon('back'), make('span', { text: texts.back })));
        list.querySelector('button')?.focus();
      } catch (error) {
        list.replaceChildren(make('p', { class: 'problem', text: error.message }));
      }
    }

    if (isRoot) here.addEventListener('click', () => trail.length === 0 && close({ path: '', name: texts.allAlbums }));
    go();
    return [place, list, row(
      button('add', texts.newAlbum, async () => {
        const made = await newAlbum(trail[trail.length - 1]?.path ?? '');
        if (made) close(made);
      }, { label: true }),
      answer(texts.cancel, () => close()), here)];
  });
}
