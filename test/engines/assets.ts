import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** An engine of which somebody has to give the programs, or the scripts that they run. */
interface Engine {
  name: string;
  /** The variable of the environment that names their folder. */
  variable: 'FLUX_ASSETS' | 'ARGOCD_ASSETS';
  programs: readonly string[];
}

const FLUX: Engine = { name: 'Flux', variable: 'FLUX_ASSETS', programs: ['kustomize-controller'] };
const ARGO_CD: Engine = {
  name: 'Argo CD',
  variable: 'ARGOCD_ASSETS',
  programs: ['resource_customizations'],
};

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
export const argoAssets = assetsOf(ARGO_CD);

process.stderr.write(
  'NO CONTROLLER OF ARGO CD: no test runs one. test/deploy/argo-sync.test.ts plays how it syncs.\n',
);
