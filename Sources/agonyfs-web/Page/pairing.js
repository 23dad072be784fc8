// Sends the secret of the QR code to the server, and opens the page.
//
// 1. The secret is removed from the address bar and the history before anything else happens.

const secret = location.hash.slice(1);
history.replaceState(null, '', location.pathname);
const said = document.getElementById('said');

async function pair() {
  // Loaded from this address, because an unpaired browser can access no other.
  const { texts } = await import(`${location.pathname}?texts.js`).catch(() => ({}));
  if (!texts) return location.reload();
  said.textContent = texts.pairing;
  const response = await fetch('/pair', { method: 'POST', body: secret, cache: 'no-store',
    headers: { 'Content-Type': 'text/plain', 'X-Agonyfs': '1' } }).catch(() => null);
  if (response?.ok) return location.replace('/');
  said.textContent = response ? texts.codeUsed : texts.pairingOffline;
}

pair();
