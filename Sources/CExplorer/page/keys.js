
// Keys: what the keyboard does, and the card that says it.

const keyHelp = { 'j ↓ PageDown': 'nextRow', 'k ↑ PageUp': 'previousRow', Enter: 'json',
  'Ctrl+Home': 'firstRow', 'Ctrl+End': 'outOfList', '/': 'search', Escape: 'close', '?': 'keys' };

const openHelp = () => openDialog('help-dialog', t('keys'),
  h('dl', Object.entries(keyHelp).map(([keys, name]) =>
    [h('dt', keys.split(' ').map((text) => h('kbd', text))), h('dd', t(name))])));

addEventListener('keydown', (event) => {
  const { target, key: pressed } = event;
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey
    || target.closest('input, select, textarea, dialog')) return;
  const input = $('main input[type=search]') ?? $('main input');
  if (pressed === '?') openHelp();
  else if (pressed === '/' && input) {
    input.closest('details')?.setAttribute('open', '');
    input.focus();
  } else if (/^[jk]$/.test(pressed) && reader) {
    (reader.lastRow ?? reader.firstVisible())?.focus({ preventScroll: true });
  } else return;
  event.preventDefault();
});
