import { build } from 'esbuild';
import type { BuildOptions, Metafile, Plugin } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { guardOutput } from '../machine/output-guard.ts';
import { standaloneSchemas } from '../../schemas/generate/standalone.ts';
import { licensesOf } from './licenses.ts';

/**
 * Bundles the programs into `dist/`: ES modules for Node 20. The entry point, and the commands that pipelines run for every
 * change, are one file each. The other programs are split so that a command loads only what it needs. Skips programs whose
 * source folder does not exist.
 */
const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Leaves the programs in separate files, and loads `kruise plan` with its compiled code. */
const programsApart: Plugin = {
  name: 'programs-apart',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/program\.ts$/ }, () => ({ path: './program.js', external: true }));
    onResolve({ filter: /^\.\/plan-program\.ts$/ }, () => ({
      path: join(root, 'cli', 'compiled-plan-program.ts'),
    }));
  },
};

async function bundle(
  programs: Readonly<Record<string, string>>,
  options: BuildOptions = {},
): Promise<Metafile['outputs']> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(
      Object.entries(programs).filter(([, file]) => existsSync(join(root, file))),
    ),
    outdir: 'dist',
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // One character above Latin-1 doubles the memory of a whole file.
    charset: 'ascii',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'linked',
    metafile: true,
    logLevel: 'warning',
    // Some dependencies are CommonJS and load Node's own modules with `require`.
    banner: {
      js: [
        '#!/usr/bin/env node',
        "import { createRequire as __createRequire } from 'node:module';",
        'const require = __createRequire(import.meta.url);',
      ].join('\n'),
    },
    ...options,
  });
  return metafile?.outputs ?? {};
}

// The list of sizes may be cut, as by head.
guardOutput();
rmSync(join(root, 'dist'), { recursive: true, force: true });
const built = await Promise.all([
  bundle({ kruise: 'cli/main.ts' }, { plugins: [programsApart] }),
  bundle(
    { 'plan-program': 'cli/plan-program.ts' },
    {
      format: 'cjs',
      outExtension: { '.js': '.cjs' },
      banner: {},
      // The loader of the file has only `require`.
      supported: { 'dynamic-import': false },
    },
  ),
  bundle(
    { program: 'cli/program.ts', demo: 'examples/demo/main.ts' },
    { splitting: true, chunkNames: 'chunks/[name]-[hash]' },
  ),
]);
// A regular expression literal stays as it is written, also where the charset is ASCII.
for (const file of built.flatMap(Object.keys)) {
  const found = /[^\0-\x7f]/u.exec(/\.c?js$/.test(file) ? readFileSync(join(root, file), 'utf8') : '');
  if (found !== null)
    throw new Error(
      `${file} holds ${found[0]}: write it as an escape in the regular expression of the source`,
    );
}
const cached = spawnSync(
  process.execPath,
  ['--import', 'tsx', join(root, 'cli', 'build', 'code-cache.ts'), join(root, 'dist', 'plan-program.cjs')],
  {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    // With CI set, `kruise plan` writes nothing, and the code that writes would not be compiled.
    env: { ...process.env, CI: '' },
  },
);
if (cached.status !== 0) throw new Error(`the code cache was not made: ${cached.stderr}`);
const outputs = built.flatMap((each) => Object.entries(each));
const bundled = outputs.flatMap(([, output]) => Object.keys(output.inputs));
mkdirSync(join(root, 'dist', 'schemas'));
for (const [name, schema] of standaloneSchemas())
  writeFileSync(join(root, 'dist', 'schemas', name), `${JSON.stringify(schema, null, 2)}\n`);
writeFileSync(join(root, 'dist', 'LICENSES.txt'), licensesOf(root, bundled));
for (const [file, { entryPoint }] of outputs)
  if (entryPoint !== undefined && basename(entryPoint) === 'main.ts') chmodSync(join(root, file), 0o755);
for (const [file, { bytes }] of outputs) {
  if (!process.argv.includes('--sizes')) break;
  process.stdout.write(`${file} ${String(Math.ceil(bytes / 1024))} KiB\n`);
}
