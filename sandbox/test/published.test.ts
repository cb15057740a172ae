import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const own = join(dirname(fileURLToPath(import.meta.url)), '..');
const isFull = ['full', 'all'].includes(process.env['KRUISE_TEST'] ?? '');
const { dependencies } = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
};

/** The examples of the README, with what they print as a comment. */
const examples = [...readFileSync(join(own, 'README.md'), 'utf8').matchAll(/^```js\n([^]*?)^```$/gm)].map(
  ([, code = '']) => code,
);

test('comes with the license of the repository', () => {
  const textAt = (folder: string) => readFileSync(join(folder, 'LICENSE'), 'utf8');
  expect(textAt(own)).toBe(textAt(join(own, '..')));
});

test('its documents link to no file that it does not publish', () => {
  const published = readdirSync(join(own, 'docs')).map((name) => join('docs', name));
  const dead = ['README.md', ...published].flatMap((file) => {
    const links = [...readFileSync(join(own, file), 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g)];
    return links
      .map(([, link = '']) => join(dirname(file), link))
      .filter((link) => link !== 'README.md' && !published.includes(link))
      .map((link) => `${file}: ${link}`);
  });
  expect(dead).toEqual([]);
});

/** The full lane runs beside it, so that a compiler of ten seconds can take a minute. */
const PATIENCE_MS = 240_000;

/** Builds and packs the package, which takes half a minute, so the full lane plays it. */
describe.skipIf(!isFull)('the package as it is published', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kruise-published-'));
  const modules = join(folder, 'node_modules');
  const installed = join(modules, 'kruise-sandbox');
  const run = (command: string, args: string[], cwd: string): string =>
    execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

  beforeAll(() => {
    run('npm', ['run', '--silent', 'build'], own);
    run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], own);
    mkdirSync(installed, { recursive: true });
    const archive = join(folder, 'kruise-sandbox-0.1.0.tgz');
    run('tar', ['-xzf', archive, '-C', installed, '--strip-components', '1'], folder);
    // What a registry would install beside it.
    for (const name of [...Object.keys(dependencies), '@kubernetes', '@types', 'undici-types']) {
      const target = join(own, '..', 'node_modules', name);
      symlinkSync(target, join(modules, name));
    }
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  }, PATIENCE_MS);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('each example of the README runs where nothing else is', () => {
    expect(examples.length).toBe(4);
    const printed = examples.map((code, index) => {
      const file = join(folder, `example-${index}.js`);
      // A server would run on.
      writeFileSync(
        file,
        code.includes('serve(world)') ? `${code}await front.close();\nworld.stop();\n` : code,
      );
      return run(process.execPath, [file], folder).trim();
    });
    const address = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string;
    expect(printed).toEqual(['Running', '3', address, '3']);
  });

  test('each example has types, which reach no file out of the package', { timeout: PATIENCE_MS }, () => {
    const compilerOptions = {
      strict: true,
      noEmit: true,
      module: 'nodenext',
      target: 'es2023',
      types: ['node'],
      skipLibCheck: false,
    };
    const files = examples.map((code, index) => {
      // Objects of a cluster have no types of their own.
      const text = code.replace('pod.status.phase', "JSON.stringify(pod['status'])");
      writeFileSync(join(folder, `typed-${index}.ts`), `export {};\n${text}`);
      return `typed-${index}.ts`;
    });
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    const tsc = join(own, '..', 'node_modules', 'typescript', 'bin', 'tsc');
    const listed = run(process.execPath, [tsc, '-p', '.', '--listFiles'], folder);
    const declared = listed.split('\n').filter((path) => path.includes('kruise-sandbox'));
    expect(declared.length).toBeGreaterThan(20);
    expect(declared.filter((path) => !path.startsWith(join(installed, 'dist', 'types')))).toEqual([]);
  });
});
