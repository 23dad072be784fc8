// The panel with all facts about a photo, and with fields to edit some of them.
//
// 1. A change is shown as done only after the server accepted it; a refused text stays in the field, with the reason.

import * as api from './api.js';
import { stars } from './dialogs.js';
import { button, empty, icon, make, plain, say } from './dom.js';
import * as format from './format.js';
import { readOnly } from './session.js';
import { texts } from './texts.js';

// Facts that are times; all others are shown unchanged.
const times = new Set(['taken', 'modified']);
const words = ({ name, value }) => (times.has(name) ? format.moment(value) : plain(value));

export class FactsPanel {
  #isOpen = false;
  #shown = null;

  /** `leave()` closes the panel; `changed(item)` is called after an edit. */
  constructor(leave, changed) {
    this.changed = changed;
    this.body = make('div', { class: 'facts-body', tabIndex: 0, role: 'group', 'aria-label': texts.facts });
    this.element = make('aside', { class: 'facts', 'aria-label': texts.facts, hidden: true },
      make('header', {}, make('h2', { text: texts.facts }), button('close', texts.close, leave)), this.body);
  }

  setOpen(isOpen) {
    this.#isOpen = isOpen;
    this.element.hidden = !isOpen;
    if (!isOpen) return empty(this.body);
    this.element.querySelector('button').focus();
    return this.#load();
  }

  show(snapshot, item) {
    this.#shown = { snapshot, item };
    if (this.#isOpen) this.#load();
  }

  async #load() {
    const shown = this.#shown;
    try {
      const facts = await api.facts(shown.snapshot.id, shown.item);
      if (shown !== this.#shown || !this.#isOpen) return;
      const isHere = this.body.contains(document.activeElement) && this.body.item === shown.item;
      const held = isHere ? document.activeElement : null;
      // A field that the user is typing in is not replaced, and the keyboard focus stays where it was.
      if (held && /^(INPUT|TEXTAREA)$/.test(held.tagName)) return;
      this.body.item = shown.item;
      this.body.replaceChildren(...this.#edits(shown, facts.edit ?? {}),
        make('p', { class: 'path', text: plain(facts.path), dir: 'auto' }),
        ...facts.sections.map((section) => make('section', {},
          make('h3', { text: texts.factSections[section.title] ?? section.title }),
          make('dl', {}, ...section.facts.flatMap((fact) => [make('dt', { text: texts.factName(fact.name) }),
            make('dd', {}, make('bdi', { text: words(fact) }),
              fact.source && make('small', { text: texts.factSource(plain(fact.source)) }))])))));
      const name = held?.getAttribute('aria-label');
      const same = [...this.body.querySelectorAll('button')].find((each) => each.getAttribute('aria-label') === name);
      if (held) (same ?? this.body).focus();
    } catch (problem) {
      if (shown !== this.#shown || problem.status === 401) return;
      this.body.replaceChildren(make('p', { class: 'problem', text: problem.message }));
    }
  }

  async #set(shown, set) {
    try {
      const { failed } = await api.edit(shown.snapshot.id, [shown.item], set);
      if (failed.length > 0) throw new api.Problem(0, failed[0].error, plain(texts.problem(failed[0])));
      if (set.favourite !== undefined) shown.snapshot.setFavourite(shown.item, set.favourite);
      this.changed(shown.item);
      return undefined;
    } catch (problem) {
      if (problem.status !== 401) say(problem.message, true);
      return problem.message;
    }
  }

  #edits(shown, edit) {
    if (readOnly()) return [edit.title, edit.caption].filter(Boolean).map((text) =>
      make('p', { text: plain(text), dir: 'auto' }));
    const field = (tag, name, key) => {
      const input = make(tag, { id: `edit-${key}`, value: edit[key] ?? '', dir: 'auto', autocomplete: 'off',
        rows: tag === 'textarea' ? 2 : undefined });
      let before = input.value;
      const save = async () => {
        if (input.value === before) return;
        const wanted = input.value;
        const wrong = await this.#set(shown, { [key]: wanted });
        input.classList.toggle('refused', wrong !== undefined);
        if (wrong === undefined) before = wanted;
      };
      input.addEventListener('change', save);
      input.addEventListener('keydown', (event) => {
        if (event.key === 'Enter' && tag === 'input' && !event.isComposing) save();
      });
      return [make('label', { htmlFor: input.id, text: name }), input];
    };
    return [...field('input', texts.titleField, 'title'), ...field('textarea', texts.caption, 'caption'),
      make('div', { class: 'label', text: texts.rating }),
      stars(Math.max(0, edit.rating ?? 0), (rating) => this.#set(shown, { rating })),
      ...this.#tags(shown, edit.tags ?? [])];
  }

  #tags(shown, tags) {
    const list = make('ul', { class: 'tags', 'aria-label': texts.tags });
    const chip = (tag) => {
      const entry = make('li', { class: 'chip' }, icon('tag'), make('bdi', { text: plain(tag) }),
        button('close', texts.removeTag(plain(tag)), async () => {
          if ((await this.#set(shown, { removeTags: [tag] })) === undefined) entry.remove();
        }));
      return entry;
    };
    list.append(...tags.map(chip));
    const field = make('input', { type: 'text', id: 'edit-tags', dir: 'auto', autocomplete: 'off',
      placeholder: texts.newTag });
    field.addEventListener('keydown', async (event) => {
      const tag = field.value.trim();
      if (event.key !== 'Enter' || event.isComposing || tag === '') return;
      event.preventDefault();
      if ((await this.#set(shown, { addTags: [tag] })) !== undefined) return;
      if (!tags.includes(tag)) list.append(chip(tag));
      tags.push(tag);
      field.value = '';
    });
    return [make('label', { htmlFor: 'edit-tags', text: texts.tags }), list, field];
  }

  close() {
    this.#shown = null;
    this.#isOpen = false;
    empty(this.body);
  }
}
