// The password field, which is all that a locked page shows.
//
// 1. The field is not in a form, is not recognized by password managers, and is emptied before the password is sent.

import * as api from './api.js';
import { button, empty, icon, make } from './dom.js';
import { texts } from './texts.js';

/** Shows the field, and a message about what was interrupted; `done` is called when the space is open. */
export function showLogin(done, interrupted = '') {
  const app = document.getElementById('app');
  empty(app);
  app.className = 'locked';
  const field = make('input', { type: 'password', id: 'password', autocomplete: 'one-time-code', autocapitalize: 'off',
    spellcheck: 'false', 'aria-describedby': 'login-problem', enterkeyhint: 'go' });
  const problem = make('p', { id: 'login-problem', class: 'problem', role: 'alert', text: interrupted });
  let isAsking = false;

  async function open() {
    if (isAsking) return;
    if (field.value === '') {
      problem.textContent = texts.passwordMissing;
      return field.focus();
    }
    isAsking = true;
    const password = new TextEncoder().encode(field.value);
    field.value = '';
    field.disabled = go.disabled = true;
    problem.textContent = '';
    box.classList.add('waiting');
    try {
      await api.login(password).finally(() => password.fill(0));
      done();
    } catch (error) {
      problem.textContent = error.status === 403 ? texts.wrongPassword : error.message;
      field.disabled = go.disabled = false;
      box.classList.remove('waiting');
      field.focus();
    }
    isAsking = false;
  }

  const go = button('forward', texts.open, open, { class: 'button round main' });
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') {
      event.preventDefault();
      open();
    }
  });
  const box = make('main', { class: 'login' }, make('div', { class: 'mark' }, icon('lock')),
    make('h1', { text: texts.loginTitle }), make('label', { htmlFor: 'password', text: texts.password }),
    make('div', { class: 'field' }, field, go), problem);
  app.append(box);
  field.focus();
}
