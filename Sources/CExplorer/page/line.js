
// The line: whether the server answers.

// After how long a request is said to be slow, between looks at the line, and for a look.
const lineTimes = { slow: 700, beat: 3000, beatLost: 2000, look: 4000 };

const line = {
  last: Date.now(),
  isLost: false,
  isReady: null,
  slow: 0,
  // Ends what was asked before the line was lost, and is asked again once it is back.
  cut: new AbortController(),

  heard() {
    line.last = Date.now();
    if (!line.isLost) return;
    line.isLost = false;
    line.cut.abort();
    line.cut = new AbortController();
    dispatchEvent(new Event('lineback'));
    line.show();
  },

  lost() {
    line.isLost = true;
    line.show();
  },

  show() {
    const { isLost, isReady, slow } = line;
    $('#lost').hidden = !isLost;
    $('#lost').textContent = t('lostSince', new Date(line.last).toLocaleTimeString(language()));
    $('#ready .dot').className = `dot ${isLost || isReady === false ? 'bad' : isReady ? 'ok' : ''}`;
    $('#ready .text').textContent =
      t(isLost ? 'away' : slow ? 'waiting' : isReady === false ? 'notReady' : 'ready');
  },

  // An answer, marked as slow where it takes long.
  async watch(answer) {
    let own = 0;
    const timer = setTimeout(() => { own = 1; line.slow += 1; line.show(); }, lineTimes.slow);
    try { return await answer; } finally {
      clearTimeout(timer);
      line.slow -= own;
      line.show();
    }
  },

  // Waits until the server answers again, or the view is left.
  back: (signal) => new Promise((done) => {
    addEventListener('lineback', done, { once: true });
    signal.addEventListener('abort', done, { once: true });
  }),

  // Looks again and again whether the server answers, while the page is seen.
  async beat() {
    for (;;) {
      try {
        if (!document.hidden) {
          const signal = AbortSignal.timeout(lineTimes.look);
          line.isReady = (await fetch('/readyz', { cache: 'no-store', signal })).ok;
          line.heard();
          line.show();
        }
      } catch { line.lost(); }
      await sleep(line.isLost ? lineTimes.beatLost : lineTimes.beat, new AbortController());
    }
  },
};
