// Small pictures for buttons.

const svg = (body) => `<svg viewBox="0 0 24 24" aria-hidden="true">${body}</svg>`;

export const ICONS = {
  pause: svg('<path d="M7 5h4v14H7zM13 5h4v14h-4z"/>'),
  play: svg('<path d="M8 5l11 7-11 7z"/>'),
  step: svg('<path d="M6 5l9 7-9 7zM16 5h3v14h-3z"/>'),
  reset: svg('<path d="M12 5a7 7 0 1 1-6.7 5h2.2A5 5 0 1 0 12 7v3L7 6l5-4z"/>'),
  theme: svg('<path d="M12 4a8 8 0 0 1 0 16z"/><circle cx="12" cy="12" r="8" fill="none" stroke="currentColor" stroke-width="1.8"/>'),
  panel: svg('<path d="M4 6h16v2H4zM4 11h16v2H4zM4 16h16v2H4z"/>'),
};
