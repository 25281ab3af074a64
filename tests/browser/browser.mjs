// Chromium without a display, drawing in software.
import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { chromium } from 'playwright-core';

// A name is looked for where the shell would; playwright wants the whole path.
function program(name) {
  if (isAbsolute(name)) return name;
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, name)).find(existsSync) ?? name;
}

export function launch() {
  return chromium.launch({
    executablePath: program(process.env.PLIANT_CHROMIUM ?? 'chromium'),
    args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
  });
}
