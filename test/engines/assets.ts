import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** An engine whose programs somebody has to give. */
interface Engine {
  name: string;
  /** The variable of the environment that names their folder. */
  variable: 'FLUX_ASSETS';
  programs: readonly string[];
}

const FLUX: Engine = { name: 'Flux', variable: 'FLUX_ASSETS', programs: ['kustomize-controller'] };

/** The folder with the programs of an engine; undefined: there is none, and a line says so. */
function assetsOf({ name, variable, programs }: Engine): string | undefined {
  const folder = process.env[variable] ?? '';
  const missing = programs.filter((program) => folder === '' || !existsSync(join(folder, program)));
  if (missing.length === 0) return folder;
  process.stderr.write(
    `NO ${name.toUpperCase()}: nothing was tested with the real ${missing.join(', ')}. Name its folder with ${variable}.\n`,
  );
  return undefined;
}

export const fluxAssets = assetsOf(FLUX);

process.stderr.write(
  'NO ARGO CD: no test runs its real programs. test/deploy/argo-sync.test.ts plays how it syncs.\n',
);
