// Gives the secret of the QR code to the server, and goes to the page.
//
// 1. The secret leaves the address bar and the history before anything else happens.

const secret = location.hash.slice(1);
history.replaceState(null, '', location.pathname);
const said = document.getElementById('said');

async function pair() {
  const response = await fetch('/pair', { method: 'POST', body: secret, cache: 'no-store',
    headers: { 'Content-Type': 'text/plain', 'X-Agonyfs': '1' } }).catch(() => null);
  if (response?.ok) return location.replace('/');
  said.textContent = said.dataset[response ? 'used' : 'offline'];
}

pair();
