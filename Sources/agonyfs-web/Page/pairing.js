// Gives the secret of the QR code to the server, and goes to the page.
//
// 1. The secret leaves the address bar and the history before anything else happens.

const secret = location.hash.slice(1);
history.replaceState(null, '', location.pathname);
const said = document.getElementById('said');

async function pair() {
  // Beside this page; there is nothing else for who is not paired.
  const { texts } = await import(`${location.pathname}?texts.js`).catch(() => ({}));
  if (!texts) return location.reload();
  said.textContent = texts.pairing;
  const response = await fetch('/pair', { method: 'POST', body: secret, cache: 'no-store',
    headers: { 'Content-Type': 'text/plain', 'X-Agonyfs': '1' } }).catch(() => null);
  if (response?.ok) return location.replace('/');
  said.textContent = response ? texts.codeUsed : texts.pairingOffline;
}

pair();
