// Gives the browser its turn in the middle of long work.

const channel = new MessageChannel();
const turns = [];
channel.port1.onmessage = () => turns.shift()?.();

/** Comes back when the browser did what waited; unlike a timer without a least time. */
export const nextTurn = () => new Promise((resolve) => {
  turns.push(resolve);
  channel.port2.postMessage(null);
});
