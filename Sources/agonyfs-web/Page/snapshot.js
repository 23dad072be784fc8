// An answer of the server that stays as it is: which photos, in which order and sections, with the geometry of each.
//
// 1. A photo is its place in the answer. No name is kept for it; names of at most 24 sections are in memory.

import * as api from './api.js';
import { lastUpTo } from './layout.js';

// 8 more: it may not be chosen.
export const kinds = { photo: 0, video: 1, live: 2, motion: 3, raw: 4, other: 5 };
const keptSections = 24;

export class Snapshot {
  #bytes;
  #words;
  #loaded = new Map();

  constructor(answer, geometry, question) {
    this.id = answer.snapshot;
    this.question = question;
    this.count = answer.count;
    this.sections = answer.sections;
    this.months = answer.months ?? [];
    this.pending = answer.pending ?? 0;
    this.examining = Boolean(answer.examining);
    this.error = answer.error ?? null;
    this.#bytes = new Uint8Array(geometry);
    this.#words = new Uint16Array(geometry);
    this.groups = Snapshot.#grouped(answer.sections);
  }

  /** Asks the server; a query that is not understood gives an empty answer with `error`. */
  static async open(question, signal) {
    const answer = await api.sections(question, signal);
    const geometry = answer.count > 0 ? await api.geometry(answer.snapshot, signal) : new ArrayBuffer(0);
    if (geometry.byteLength !== answer.count * 8) throw new api.Problem(0, 'geometry', 'The geometry is not whole.');
    return new Snapshot(answer, geometry, question);
  }

  // Sections of one title that follow each other are one group for people.
  static #grouped(sections) {
    const groups = [];
    for (const section of sections) {
      const last = groups[groups.length - 1];
      if (last && last.title === section.title) last.count += section.count;
      else groups.push({ title: section.title, first: section.first, count: section.count });
    }
    return groups;
  }

  /** Width by height; 4:3 if it is not known. */
  aspect(item) { return this.#words[item * 4] / 1000 || 4 / 3; }
  colour(item) {
    const at = item * 8 + 2;
    return `rgb(${this.#bytes[at]} ${this.#bytes[at + 1]} ${this.#bytes[at + 2]})`;
  }
  kind(item) { return this.#bytes[item * 8 + 5] & 7; }
  isRefused(item) { return (this.#bytes[item * 8 + 5] & 8) !== 0; }
  isFavourite(item) { return (this.#bytes[item * 8 + 5] & 16) !== 0; }
  setFavourite(item, favourite) {
    if (favourite) this.#bytes[item * 8 + 5] |= 16;
    else this.#bytes[item * 8 + 5] &= ~16;
  }
  /** Days since 1900-01-01, 0 if it is not known. */
  day(item) { return this.#words[item * 4 + 3]; }
  /** What of that day is known: the year, the month, or all of it. */
  precision(item) {
    const kind = this.#bytes[item * 8 + 5];
    return (kind & 128) !== 0 ? 'year' : (kind & 64) !== 0 ? 'month' : 'day';
  }

  /** The last of `list` (which has `first`) that begins at or before `item`. */
  static at(list, item) { return lastUpTo(list.length, (place) => list[place].first <= item); }

  groupOf(item) { return Snapshot.at(this.groups, item); }

  /** Name, time and the like, if they are here already. */
  known(item) {
    const number = Snapshot.at(this.sections, item);
    const section = this.#loaded.get(number);
    return Array.isArray(section) ? section[item - this.sections[number].first] : undefined;
  }

  /** Name, time and the like. */
  async facts(item) {
    const number = Snapshot.at(this.sections, item);
    let section = this.#loaded.get(number);
    if (!section) {
      section = api.section(this.id, number);
      this.#loaded.set(number, section);
      for (const key of this.#loaded.keys()) {
        if (this.#loaded.size <= keptSections) break;
        this.#loaded.delete(key);
      }
      try {
        const items = await section;
        // What was asked for before it was forgotten is not kept.
        if (this.#loaded.get(number) === section) this.#loaded.set(number, items);
      } catch (error) {
        if (this.#loaded.get(number) === section) this.#loaded.delete(number);
        throw error;
      }
    }
    return (await section)[item - this.sections[number].first];
  }

  /** Names are asked for anew, after something was edited. */
  forget() { this.#loaded.clear(); }
}
