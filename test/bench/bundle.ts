import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

/**
 * Bundles a script into one file of plain JavaScript, and returns its path: running TypeScript directly names every closure,
 * which is slow.
 */
export function bundled(script: URL, folder: string): string {
  const entry = fileURLToPath(script);
  const outfile = join(folder, `${basename(entry, '.ts')}.mjs`);
  buildSync({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // As the shipped program is.
    charset: 'ascii',
    minifySyntax: true,
    minifyWhitespace: true,
    // Some dependencies are CommonJS and `require` Node's own modules.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
  return outfile;
}
