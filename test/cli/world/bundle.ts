import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Bundles the command line into a folder, so that it starts as fast as the built one. Returns the file to run. */
export async function bundleKruise(outdir: string): Promise<string> {
  await build({
    entryPoints: [fileURLToPath(new URL('../../../cli/main.ts', import.meta.url))],
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
  return join(outdir, 'main.mjs');
}
