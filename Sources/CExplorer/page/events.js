
// What changes, live: server-sent events by fetch, since only so a key can be sent.

const listeningPauses = { least: 500, most: 15000 };

// Waits until the page is seen, or the view is left.
async function seen(signal) {
  while (document.hidden && !signal.aborted) {
    await new Promise((done) => {
      document.addEventListener('visibilitychange', done, { once: true });
      signal.addEventListener('abort', done, { once: true });
    });
  }
}

/**
 * The changes of a feed, as long as the view is there. A hidden page does not listen, since a
 * listener has the server look upstream. Seen again, it goes on after its last event.
 */
async function* events(path) {
  const { signal } = current;
  let last = null;
  let pause = listeningPauses.least;
  while (!signal.aborted) {
    await seen(signal);
    const unseen = new AbortController();
    const leave = () => { if (document.hidden) unseen.abort(); };
    document.addEventListener('visibilitychange', leave);
    try {
      const reply = await request(path, {
        signal: AbortSignal.any([signal, unseen.signal]),
        headers: { Accept: 'text/event-stream', ...last && { 'Last-Event-ID': last } },
      });
      for await (const event of blocks(reply.body)) {
        pause = listeningPauses.least;
        last = event.id ?? last;
        if (event.data) yield JSON.parse(event.data);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (unseen.signal.aborted) continue;
      if (error.code === 'since_expired') last = null;
      else if (error.status >= 400 && error.status < 500 && error.status !== 429) return;
      pause = error.retryAfter
        ? error.retryAfter * 1000 : Math.min(listeningPauses.most, pause * 2);
    } finally {
      document.removeEventListener('visibilitychange', leave);
    }
    await sleep(pause * (0.75 + Math.random() / 2));
  }
}

// The events of a stream: blocks of lines with an empty line between them.
async function* blocks(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split('\n\n');
    rest = parts.pop();
    for (const part of parts) {
      const of = (name) => part.split('\n')
        .filter((line) => line.startsWith(name)).map((line) => line.slice(name.length));
      yield { id: of('id: ')[0], data: of('data: ').join('\n') };
    }
  }
}
