// Bundles the page into dist/, which is committed: building Pliant needs no Node.
import { build } from 'esbuild';

await build({
  entryPoints: { page: 'src/main.js' },
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  legalComments: 'inline',
  outdir: 'dist',
});
await build({ entryPoints: { page: 'src/style.css' }, bundle: true, minify: true, outdir: 'dist' });
