// Keys; help in index.html.

export function bindKeys(actions) {
  const keys = {
    ' ': actions.pause,
    '.': actions.step,
    r: actions.reset,
    '-': () => actions.speed(1),
    '+': () => actions.speed(-1),
    '=': () => actions.speed(-1),
    n: actions.nextScene,
    c: actions.nextColour,
    w: actions.wireframe,
    g: actions.ghost,
    h: actions.holds,
    a: actions.forces,
    x: actions.cut,
    f: actions.frame,
    d: actions.theme,
    p: actions.panel,
    s: actions.picture,
    '?': actions.help,
    ...actions.more,
  };
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // Fields and lists have keys of their own; so do buttons their space.
    if (event.target.matches('input[type=text], select')) return;
    if (event.key === ' ' && event.target.matches('button, summary, input')) return;
    const action = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
