// What the page shows, as the part of its address after '#': to be kept, shared, and found again.

export function readAddress() {
  const words = new URLSearchParams(location.hash.slice(1));
  const state = { settings: {} };
  for (const [key, value] of words) {
    if (key.startsWith('set.')) {
      const number = Number(value);
      state.settings[key.slice(4)] = value !== '' && Number.isFinite(number) ? number : value;
    } else if (key === 'camera') {
      const numbers = value.split(',').map(Number);
      if (numbers.length === 6 && numbers.every(Number.isFinite)) state.camera = numbers;
    } else {
      state[key] = value;
    }
  }
  return state;
}

let waiting = null;

// At most a few times a second: browsers refuse more.
export function writeAddress(collect) {
  waiting ??= setTimeout(() => {
    waiting = null;
    const { settings, camera, ...plain } = collect();
    const words = new URLSearchParams();
    for (const [key, value] of Object.entries(plain)) {
      if (value !== undefined && value !== '') words.set(key, value);
    }
    for (const [key, value] of Object.entries(settings ?? {})) words.set(`set.${key}`, value);
    if (camera) words.set('camera', camera.map((n) => Number(n.toFixed(3))).join(','));
    history.replaceState(null, '', `#${words.toString().replaceAll('%2C', ',')}`);
  }, 400);
}
