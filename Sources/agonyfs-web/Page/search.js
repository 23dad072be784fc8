// The search field, with suggestions during typing, and with the position of a mistake.

import * as api from './api.js';
import { icon, make, plain } from './dom.js';
import { texts } from './texts.js';

/** The start of a query's last word. Within quotes, a space is part of a word. */
function lastWord(query) {
  let [start, isQuoted] = [0, false];
  for (let at = 0; at < query.length; at += 1) {
    if (isQuoted && query[at] === '\\') at += 1;
    else if (/["\u201c-\u201e]/.test(query[at])) isQuoted = !isQuoted;
    else if (query[at] === ' ' && !isQuoted) start = at + 1;
  }
  return start;
}

/** The text of a word that is quoted, or whose closing quote is missing. */
const unquoted = (word) => (/^["\u201c-\u201e]/.test(word) ? word.slice(1).replace(/\\(.)/g, '$1') : word);

/** A field for queries; `found(query)` is called when one is entered. */
export class Search {
  #asking = null;
  #timer;
  #chosen = -1;

  constructor(query, name, found) {
    this.field = make('input', { type: 'search', value: query, placeholder: name, 'aria-label': name, role: 'combobox',
      'aria-expanded': 'false', 'aria-controls': 'suggestions', 'aria-autocomplete': 'list', autocomplete: 'off',
      autocapitalize: 'off', spellcheck: 'false', enterkeyhint: 'search', dir: 'auto' });
    this.list = make('ul', { id: 'suggestions', class: 'suggestions', role: 'listbox', 'aria-label': texts.suggestions,
      hidden: true });
    this.element = make('div', { class: 'search' }, icon('search'), this.field, this.list);
    this.found = found;
    this.asked = query;
    this.field.addEventListener('input', () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#suggest(), 120);
    });
    this.field.addEventListener('keydown', (event) => this.#key(event));
    this.field.addEventListener('search', () => this.field.value === '' && this.asked !== '' && this.#enter());
    this.field.addEventListener('blur', () => setTimeout(() => this.#close(), 150));
  }

  #enter() {
    this.#close();
    this.asked = this.field.value.trim();
    this.found(this.asked);
  }

  #close() {
    clearTimeout(this.#timer);
    this.#asking?.abort();
    this.#chosen = -1;
    this.list.hidden = true;
    this.field.setAttribute('aria-expanded', 'false');
    this.field.removeAttribute('aria-activedescendant');
  }

  async #suggest() {
    this.#asking?.abort();
    const asking = new AbortController();
    this.#asking = asking;
    const word = unquoted(this.field.value.slice(lastWord(this.field.value)));
    const found = word === '' ? [] : await api.suggestions(word, asking.signal).catch(() => []);
    if (asking.signal.aborted || document.activeElement !== this.field) return;
    this.#chosen = -1;
    this.list.replaceChildren(...found.slice(0, 8).map((each, number) =>
      make('li', { id: `suggestion-${number}`, role: 'option',
      'aria-selected': 'false', onpointerdown: (event) => {
        event.preventDefault();
        this.#take(each);
      } }, make('bdi', { text: plain(each.text) }), make('small', { text: texts.suggested(each) }))));
    this.list.found = found;
    this.list.hidden = found.length === 0;
    this.field.setAttribute('aria-expanded', String(found.length > 0));
  }

  // Suggestions are for the last word, so they replace it.
  #take({ text, query }) {
    this.field.value = `${this.field.value.slice(0, lastWord(this.field.value))}${query ?? text} `;
    this.field.focus();
    this.#enter();
  }

  #key(event) {
    const number = this.list.hidden ? 0 : this.list.childElementCount;
    if (event.key === 'Enter' && !event.isComposing) {
      if (this.#chosen >= 0) this.#take(this.list.found[this.#chosen]);
      else this.#enter();
    } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && number > 0) {
      const step = event.key === 'ArrowDown' ? 1 : -1;
      this.#chosen = (this.#chosen + step + number + (this.#chosen < 0 && step < 0 ? 1 : 0)) % number;
      for (const [place, option] of [...this.list.children].entries()) {
        option.setAttribute('aria-selected', String(place === this.#chosen));
      }
      this.field.setAttribute('aria-activedescendant', `suggestion-${this.#chosen}`);
    } else if (event.key === 'Escape' && !this.list.hidden) this.#close();
    else if (event.key === 'Escape' && this.field.value !== '') {
      this.field.value = '';
      this.#enter();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Shows what is wrong with the query, and where. */
  static mistake(query, error) {
    const at = error.at ?? query.length;
    const end = at + (error.length ?? 0);
    return make('div', { class: 'mistake', role: 'alert' }, make('p', { text: error.message }),
      make('code', { dir: 'auto' }, plain(query.slice(0, at)), make('mark', { text: plain(query.slice(at, end)) || ' ' }),
        plain(query.slice(end))));
  }
}
