// Reads a piece of a file and hashes it in a worker. The same buffer is then sent, so the hash matches the sent bytes.

addEventListener('message', async ({ data: { id, file, from, to } }) => {
  try {
    const buffer = await file.slice(from, to).arrayBuffer();
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', buffer));
    postMessage({ id, buffer, digest }, [buffer]);
  } catch (error) {
    postMessage({ id, error: error.name });
  }
});
