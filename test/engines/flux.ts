import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { repositoryPath } from '../../schemas/generate/schema.ts';
import type { Files } from '../deploy/engines/engine.ts';
import type { Program } from '../e2e/rollouts/programs.ts';
import { eventually, startProgramOf } from '../e2e/rollouts/programs.ts';
import type { World } from '../e2e/rollouts/world.ts';
import { serveArtifacts } from './artifacts.ts';

const NAMESPACE = 'flux-system';
const ACCOUNT = 'kustomize-controller';
const KUSTOMIZATIONS = '/apis/kustomize.toolkit.fluxcd.io/v1';

/** The kustomize controller of Flux, which syncs one repository. */
export interface Flux {
  /** The next commit of the repository. */
  commit(files: Files): Promise<string>;
  /** Waits until the Kustomization has this condition for this commit. */
  until(what: 'Ready' | 'Reconciling', revision: string): Promise<void>;
  /** The condition Ready, with its reason and message. */
  ready(): Promise<{ status?: string; reason?: string; message?: string }>;
  output(): string;
  close(): Promise<void>;
}

interface Condition {
  type: string;
  status: string;
  reason: string;
  message: string;
}
interface Kustomization {
  status?: { conditions?: Condition[]; lastAppliedRevision?: string; lastAttemptedRevision?: string };
}

/**
 * Starts it by the account of its component, with the rights of an administrator as Flux installs it. It heals every two seconds, and waits
 * as the sample does that waits.
 */
export async function startFlux(world: World, assets: string): Promise<Flux> {
  const { rest } = world.server;
  for (const name of readdirSync(assets).filter((each) => each.endsWith('.yaml')))
    await world.administer(`apply --server-side -f ${join(assets, name)}`);
  for (const object of [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: ACCOUNT, namespace: NAMESPACE } },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'flux-of-a-test' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name: ACCOUNT, namespace: NAMESPACE }],
    },
  ])
    await world.administer('apply --server-side -f -', JSON.stringify(object));
  const artifacts = await serveArtifacts(world.folder);
  const kubeconfig = await world.accountIn(NAMESPACE, ACCOUNT);
  const program: Program = startProgramOf({
    path: join(assets, 'kustomize-controller'),
    args: [
      ...['--metrics-addr=0', '--health-addr=0', '--watch-all-namespaces', '--log-encoding=console'],
      '--feature-gates=CancelHealthCheckOnNewRevision=true',
    ],
    cwd: world.folder,
    env: { KUBECONFIG: kubeconfig, RUNTIME_NAMESPACE: NAMESPACE, TMPDIR: world.folder },
  });
  let isThere = false;

  const kustomization = async (): Promise<Kustomization> =>
    (await rest('GET', `${KUSTOMIZATIONS}/namespaces/${NAMESPACE}/kustomizations/shop`)) as Kustomization;

  async function begin(): Promise<void> {
    const { spec } = parse(readFileSync(repositoryPath('deploy/flux/health.yaml'), 'utf8')) as {
      spec: object;
    };
    await rest('POST', `${KUSTOMIZATIONS}/namespaces/${NAMESPACE}/kustomizations`, {
      apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
      kind: 'Kustomization',
      metadata: { name: 'shop', namespace: NAMESPACE },
      spec: {
        ...{ interval: '2s', retryInterval: '2s', timeout: '10m', path: './', prune: true },
        sourceRef: { kind: 'GitRepository', name: 'shop' },
        ...spec,
      },
    });
  }

  return {
    async commit(files) {
      const artifact = artifacts.add(files);
      const url = 'https://git.example/acme/shop.git';
      const metadata = { name: 'shop', namespace: NAMESPACE };
      const source = { apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'GitRepository', metadata };
      if (!isThere)
        await world.administer(
          'apply --server-side -f -',
          JSON.stringify({ ...source, spec: { interval: '1m', url } }),
        );
      const lastTransitionTime = artifact.lastUpdateTime;
      const ready = {
        type: 'Ready',
        status: 'True',
        reason: 'Succeeded',
        message: 'stored',
        lastTransitionTime,
      };
      const status = { observedGeneration: 1, artifact, conditions: [ready] };
      await world.administer(
        `patch gitrepository shop -n ${NAMESPACE} --subresource status --type merge -p '${JSON.stringify({ status })}'`,
      );
      if (!isThere) await begin();
      isThere = true;
      return artifact.revision;
    },
    async until(what, revision) {
      await eventually(
        `${what} for ${revision}`,
        async () => {
          const { status = {} } = await kustomization();
          const at = what === 'Ready' ? status.lastAppliedRevision : status.lastAttemptedRevision;
          const shown = status.conditions?.find(({ type }) => type === what);
          return at === revision && shown?.status === 'True';
        },
        { limitMs: 240_000, context: program.output },
      );
    },
    ready: async () => (await kustomization()).status?.conditions?.find(({ type }) => type === 'Ready') ?? {},
    output: program.output,
    async close() {
      if (program.running()) await program.stop();
      await artifacts.close();
    },
  };
}
