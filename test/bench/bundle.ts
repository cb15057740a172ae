import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

/**
 * Makes a script one file of plain JavaScript, and says where: what runs TypeScript as it is gives every
 * closure a name of its own, which costs.
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
    // Some dependencies are CommonJS and ask for Node's own modules by `require`.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
  return outfile;
}
