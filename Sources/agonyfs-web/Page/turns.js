// Lets the browser handle events during long work.

const channel = new MessageChannel();
const turns = [];
channel.port1.onmessage = () => turns.shift()?.();

/** Resolves after the browser handled waiting events; unlike a timer, without a minimum delay. */
export const nextTurn = () => new Promise((resolve) => {
  turns.push(resolve);
  channel.port2.postMessage(null);
});
