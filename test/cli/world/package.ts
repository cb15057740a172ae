import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../../package.json' with { type: 'json' };
import { root } from '../../deploy/cluster.ts';

/** What the bundle and the package are made of. */
const SOURCES = [
  'cli',
  'compiler',
  'deploy',
  'docs',
  'examples',
  'runtime',
  'sandbox',
  'schemas',
  'semantics',
  'LICENSE',
  'README.md',
  'package.json',
  'tsconfig.json',
];

/** The name of the file that `npm run package` makes. */
export const PACKAGE = `kruise-${packageJson.version}.tgz`;

/** Runs a program without network: what it needs is in the package. What npm remembers is kept in `folder`. */
export function runOffline(folder: string, cwd: string, command: string, args: readonly string[]): string {
  const env = { ...process.env, npm_config_offline: 'true', npm_config_cache: join(folder, 'cache') };
  return execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Makes the package from a copy of its sources in `folder`. Returns its path. */
export function packKruise(folder: string): string {
  const source = join(folder, 'source');
  mkdirSync(source, { recursive: true });
  // The lane of the sandbox may be writing what it builds.
  const filter = (path: string): boolean => path !== join(root, 'sandbox', 'dist');
  for (const path of SOURCES) cpSync(join(root, path), join(source, path), { recursive: true, filter });
  symlinkSync(join(root, 'node_modules'), join(source, 'node_modules'));
  runOffline(folder, source, 'npm', ['run', '--silent', 'package']);
  return join(source, PACKAGE);
}
