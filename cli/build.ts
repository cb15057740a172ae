import { build } from 'esbuild';
import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Bundles the programs into `dist/`: ES modules for Node 20, split so that a command loads only what it needs.
 * The programs of rooms that are not there are left out.
 */
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const programs = { kruise: 'cli/main.ts', demo: 'examples/demo/main.ts' };
const entryPoints = Object.fromEntries(
  Object.entries(programs).filter(([, file]) => existsSync(join(root, file))),
);
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

rmSync(join(root, 'dist'), { recursive: true, force: true });
const result = await build({
  absWorkingDir: root,
  entryPoints,
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  charset: 'utf8',
  chunkNames: 'chunks/[name]-[hash]',
  define: { 'process.env.KRUISE_VERSION': JSON.stringify(version) },
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'linked',
  metafile: true,
  logLevel: 'warning',
  // Some dependencies are CommonJS and ask for Node's own modules by `require`.
  banner: {
    js: [
      '#!/usr/bin/env node',
      "import { createRequire as __createRequire } from 'node:module';",
      'const require = __createRequire(import.meta.url);',
    ].join('\n'),
  },
});
for (const name of Object.keys(entryPoints)) chmodSync(join(root, 'dist', `${name}.js`), 0o755);
for (const [file, { bytes }] of Object.entries(result.metafile.outputs)) {
  if (!process.argv.includes('--sizes')) break;
  process.stdout.write(`${file} ${String(Math.ceil(bytes / 1024))} KiB\n`);
}
