import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { root } from '../deploy/cluster.ts';
import { packKruise, runOffline } from './world/package.ts';

const folder = mkdtempSync(join(tmpdir(), 'kruise-package-'));
const shop = join(folder, 'shop');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (cwd: string, command: string, args: readonly string[]): string =>
  runOffline(folder, cwd, command, args);

beforeAll(() => {
  const archive = packKruise(folder);
  mkdirSync(shop);
  cpSync(join(root, 'examples/approval/1-nginx-1.25/manifests'), join(shop, 'manifests'), {
    recursive: true,
  });
  run(shop, 'npm', ['install', '--no-save', archive]);
}, 240_000);

const installed = (): string[] =>
  readdirSync(join(shop, 'node_modules', 'kruise'), { recursive: true, encoding: 'utf8' });

test('the package brings no other, and what it needs', () => {
  expect(readdirSync(join(shop, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['kruise']);
  const files = installed();
  expect(files).toEqual(
    expect.arrayContaining(['LICENSE', 'README.md', 'deploy/kustomization.yaml', 'dist/LICENSES.txt']),
  );
  expect(files.filter((file) => file.endsWith('.ts') || file === 'dist/demo.js')).toEqual([]);
});

test('it has the licenses of what it is made of', () => {
  const text = readFileSync(join(shop, 'node_modules', 'kruise', 'dist', 'LICENSES.txt'), 'utf8');
  for (const name of ['@kubernetes/client-node', 'js-yaml', 're2js', 'yaml', 'croner', 'ws'])
    expect(text).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+$`, 'm'));
});

test('npx kruise plans in an empty folder with a manifest', () => {
  expect(run(shop, 'npx', ['--no-install', 'kruise', '--version'])).toContain(packageJson.version);
  expect(run(shop, 'npx', ['--no-install', 'kruise', 'validate'])).toBe('1 object in 1 file: valid.\n');
  run(shop, 'git', ['init', '--quiet', '--initial-branch=main']);
  run(shop, 'git', [
    '-c',
    'user.name=a',
    '-c',
    'user.email=a@b',
    'commit',
    '--quiet',
    '--allow-empty',
    '--message',
    'empty',
  ]);
  const planned = run(shop, 'npx', ['--no-install', 'kruise', 'plan', '--base', 'HEAD']);
  expect(planned).toContain('CloneSet shop/web');
});
