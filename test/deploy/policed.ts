import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinaries } from '../e2e/binaries.ts';
import { start, words, type Answer } from '../e2e/run.ts';
import { root, startCluster } from './cluster.ts';
import { until } from '../until.ts';

/** KRUISE_E2E_KUBECONFIG names the kubeconfig of an administrator of another server; default: a sandbox. */
const kubeconfig = process.env['KRUISE_E2E_KUBECONFIG'];
const binary = findBinaries().at(-1)?.path;
export const isSandbox: boolean = kubeconfig === undefined;
export const canPolice: boolean = binary !== undefined;

/** What is added to the shipped policies. */
export interface Additions {
  /** Folders below `deploy/components`. */
  components?: readonly string[];
  patches?: readonly object[];
}

/** A server with definitions, roles and policies; the policies are in force in some namespaces only. */
export interface Policed {
  kubectl(line: string, stdin?: string): Promise<Answer>;
  /** The output; throws when it is refused. */
  done(line: string, stdin?: string): Promise<string>;
  /** Installs roles and policies, or changes them. */
  install(additions?: Additions): Promise<void>;
  /** Tries something until it is as it should be: a policy is in force a moment after it is stored. */
  until(what: string, holds: () => Promise<boolean>): Promise<void>;
  close(): Promise<void>;
}

/** @param namespaces where the policies are in force: whoever else uses the server is not concerned */
export function police(namespaces: readonly string[]): Policed {
  const folder = mkdtempSync(join(tmpdir(), 'kruise-policies-'));
  const env = { HOME: folder, PATH: process.env['PATH'] ?? '', KUBECONFIG: kubeconfig ?? '' };
  const sandbox = kubeconfig === undefined ? startCluster(binary ?? '') : undefined;
  const kubectl = async (line: string, stdin?: string): Promise<Answer> =>
    sandbox === undefined
      ? start({ path: binary ?? '', args: words(line), env, cwd: folder, stdin }).done
      : (await sandbox).kubectl(line, stdin, folder);
  async function done(line: string, stdin?: string): Promise<string> {
    const { code, out, err } = await kubectl(line, stdin);
    if (code !== 0) throw new Error(`${line}: ${err}`);
    return out;
  }
  const own = [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: namespaces }];
  const narrowed = {
    target: { kind: 'ValidatingAdmissionPolicyBinding' },
    patch: JSON.stringify([
      {
        op: 'add',
        path: '/spec/matchResources',
        value: { namespaceSelector: { matchExpressions: own } },
      },
    ]),
  };
  cpSync(join(root, 'deploy'), join(folder, 'deploy'), { recursive: true });
  return {
    until,
    kubectl,
    done,
    async install({ components = [], patches = [] } = {}) {
      // What was installed there before may still be on its way out.
      const leaving =
        'get namespace kruise-system --ignore-not-found -o jsonpath={.metadata.deletionTimestamp}';
      await until('no namespace is being deleted', async () => (await done(leaving)) === '');
      await done('apply --server-side --force-conflicts -f deploy/crds');
      await done('wait --for=condition=Established --timeout=30s -f deploy/crds');
      const resources = ['deploy/namespace', 'deploy/rbac', 'deploy/policy'];
      const added = components.map((name) => `deploy/components/${name}`);
      writeFileSync(
        join(folder, 'kustomization.yaml'),
        JSON.stringify({ resources, components: added, patches: [narrowed, ...patches] }),
      );
      await done('apply --server-side --force-conflicts -k .');
    },
    async close() {
      // Without the policies first: they guard what is deleted with the namespaces.
      await kubectl('delete --ignore-not-found --wait=false -k .');
      await (await sandbox)?.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
