// Files for the visitor: the browser asks where they go.

export function save(name, blob) {
  const link = document.createElement('a');
  link.download = name;
  link.href = URL.createObjectURL(blob);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

// A name that is fine as that of a file and of a folder.
export function plain(name) {
  const last = String(name ?? '').split(/[/\\]/).pop().replace(/\.\w+$/, '');
  return last.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 40) || 'scene';
}
