import { build } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Writes what is published into `dist/`: one ES module for each export of the package, with what they share in chunks, and the
 * declarations that they reach. Nothing in it imports a file outside of `dist/`.
 */
const own = join(dirname(fileURLToPath(import.meta.url)), '..');
const root = join(own, '..');
const dist = join(own, 'dist');
const entries = {
  index: 'index.ts',
  clock: 'clock/index.ts',
  http: 'http/index.ts',
  remote: 'remote/index.ts',
};
const { dependencies } = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
};

/** Writes the declarations of all modules into `folder`. */
function declare(folder: string): void {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const files = Object.values(entries).map((file) => join(own, file));
  const config = join(dist, 'tsconfig.json');
  const compilerOptions = { noEmit: false, declaration: true, emitDeclarationOnly: true, rootDir: root };
  mkdirSync(dist, { recursive: true });
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(root, 'tsconfig.json'),
      compilerOptions: { ...compilerOptions, outDir: folder },
      files,
      include: [],
    }),
  );
  execFileSync(process.execPath, [tsc, '-p', config], { stdio: 'inherit' });
  rmSync(config);
}

/** Copies the declarations that `file` reaches below `from` to `to`. */
function copyReached(file: string, from: string, to: string, copied = new Set<string>()): void {
  if (copied.has(file)) return;
  copied.add(file);
  const text = readFileSync(file, 'utf8');
  const target = join(to, relative(from, file));
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text.replaceAll(/(?<=(?:from |import\()')(\.[^']+)\.ts(?=')/g, '$1.js'));
  for (const [, path = ''] of text.matchAll(/(?:from |import\()'(\.[^']+)\.ts'/g))
    copyReached(resolve(dirname(file), `${path}.d.ts`), from, to, copied);
}

rmSync(dist, { recursive: true, force: true });
await build({
  absWorkingDir: own,
  entryPoints: entries,
  outdir: 'dist',
  bundle: true,
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  charset: 'utf8',
  minifySyntax: true,
  external: Object.keys(dependencies),
  logLevel: 'warning',
});
const declared = join(dist, 'declared');
declare(declared);
for (const file of Object.values(entries))
  copyReached(join(declared, 'sandbox', file.replace(/\.ts$/, '.d.ts')), declared, join(dist, 'types'));
rmSync(declared, { recursive: true });
