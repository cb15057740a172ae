import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isKubectlShipped } from '../../../examples/demo/kubectl-binary.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { findBinaries } from '../binaries.ts';
import { eventually, type Program } from './programs.ts';
import { startWebhook, type Webhook } from './webhook.ts';
import { startWorld, type World } from './world.ts';

const patience = 240_000;
const kubectl = findBinaries().at(-1);

interface FoundPod {
  metadata: {
    name: string;
    annotations?: Record<string, string>;
    labels?: Record<string, string>;
    deletionTimestamp?: string;
  };
  spec: { schedulingGates?: unknown[]; affinity?: JsonObject; tolerations?: { key?: string }[] };
}

const GATE = { name: 'kruise.io/workloadspread' };
const paths = {
  CloneSet: '/apis/apps.kruise.io/v1beta1',
  Deployment: '/apis/apps/v1',
  StatefulSet: '/apis/apps/v1',
  Job: '/apis/batch/v1',
};
const byWebhook = { 'plan.kruise.io/spread-by': 'webhook' };

const zone = (name: string): JsonObject => ({
  matchExpressions: [{ key: 'zone', operator: 'In', values: [name] }],
});

describe.skipIf(kubectl === undefined && !isKubectlShipped)('pods in subsets', () => {
  let [world, runtime]: [World | undefined, Program | undefined] = [undefined, undefined];
  let webhook: Webhook | undefined;
  const namespaces: string[] = [];

  beforeAll(async () => {
    if (kubectl === undefined) throw new Error('there is no kubectl');
    world = await startWorld(kubectl, ['admission', 'admission-spreads']);
    runtime = await world.startRuntime({ args: ['--policy', 'Auto'] });
    webhook = await startWebhook(world, 2, ['--spreads']);
  }, patience);

  afterAll(async () => {
    for (const namespace of namespaces)
      await world?.server.rest('DELETE', `/api/v1/namespaces/${namespace}`).catch(() => undefined);
    await webhook?.close();
    await world?.close();
  }, patience);

  test.each([
    ['CloneSet', 'the runtime that creates them'],
    ['Deployment', 'a gate'],
    ['Job', 'a gate'],
    ['Deployment', 'a webhook'],
    ['StatefulSet', 'a webhook'],
  ] as const)(
    'of a %s, by %s: two in a and the rest in b, from six pods to two',
    { timeout: patience },
    async (kind, way) => {
      if (world === undefined) throw new Error('there is no server');
      const { rest } = world.server;
      const namespace = `e2e-spreads-${kind.toLowerCase()}-${way.split(' ').at(-1)}-${process.pid}`;
      const [isGated, isAsked] = [way === 'a gate', way === 'a webhook'];
      const isJob = kind === 'Job';
      namespaces.push(namespace);
      await rest('POST', '/api/v1/namespaces', {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace },
      });
      const spreads = `/apis/apps.kruise.io/v1beta1/namespaces/${namespace}/workloadspreads`;
      const apiVersion = paths[kind].slice('/apis/'.length);
      await rest('POST', spreads, {
        apiVersion: 'apps.kruise.io/v1beta1',
        kind: 'WorkloadSpread',
        metadata: { name: 'web', ...(isAsked && { annotations: byWebhook }) },
        spec: {
          targetRef: { apiVersion, kind, name: 'web' },
          subsets: [
            { name: 'a', maxReplicas: isJob ? '30%' : 2, requiredNodeSelector: zone('a') },
            {
              name: 'b',
              requiredNodeSelector: zone('b'),
              tolerations: [{ key: 'spot', operator: 'Exists' }],
              patch: { metadata: { labels: { place: 'b' } } },
            },
          ],
        },
      });
      const counts = async (): Promise<unknown> => {
        const { status } = (await rest('GET', `${spreads}/web`)) as {
          status?: { subsetStatuses?: { name: string; replicas: number }[] };
        };
        return status?.subsetStatuses?.map(({ name, replicas }) => `${name} ${replicas}`);
      };
      const missed = async (): Promise<string | undefined> => {
        const { status } = (await rest('GET', `${spreads}/web`)) as {
          status?: { conditions?: { type: string; reason: string; message: string }[] };
        };
        const found = status?.conditions?.find(({ type }) => type === 'plan.kruise.io/PodsMissed');
        return found && `${found.reason} ${found.message.split(' ').slice(0, 2).join(' ')}`;
      };
      const until = async (what: string, expected: unknown, found: () => Promise<unknown>): Promise<void> => {
        let last: unknown;
        const isThere = async (): Promise<boolean> => {
          last = await found();
          return JSON.stringify(last) === JSON.stringify(expected);
        };
        const context = (): string =>
          `${JSON.stringify(last)}\n${runtime?.output() ?? ''}\n${webhook?.output() ?? ''}`;
        await eventually(what, isThere, { limitMs: 90_000, context });
      };
      await until('it is observed', ['a 0', 'b 0'], counts);
      // A pod that is not created shows whether the webhook has observed it, too.
      const controller = { apiVersion, kind, name: 'web', uid: 'none', controller: true };
      const tried = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'web-0', ownerReferences: [controller] },
        spec: { containers: [{ name: 'main', image: 'example.com/web:1' }] },
      };
      const all = `/api/v1/namespaces/${namespace}/pods`;
      if (isAsked)
        await until('the webhook answers', true, async () => {
          const { metadata } = (await rest('POST', `${all}?dryRun=All`, tried)) as FoundPod;
          return metadata.annotations?.['apps.kruise.io/matched-workloadspread'] !== undefined;
        });
      if (isAsked)
        expect(await webhook?.check(namespace)).toContain('; it places a pod of WorkloadSpread web');

      const affinity = {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'Exists' }] }],
          },
        },
      };
      const workloads = `${paths[kind]}/namespaces/${namespace}/${kind.toLowerCase()}s`;
      const pod = { containers: [{ name: 'main', image: 'example.com/web:1' }], affinity };
      await rest('POST', workloads, {
        apiVersion,
        kind,
        metadata: { name: 'web' },
        spec: {
          ...(isJob
            ? { parallelism: 6, completions: 100 }
            : { replicas: 6, selector: { matchLabels: { app: 'web' } } }),
          ...(kind === 'StatefulSet' && { serviceName: 'web', podManagementPolicy: 'Parallel' }),
          template: {
            metadata: { labels: { app: 'web' } },
            spec: {
              ...pod,
              ...(isGated && { schedulingGates: [GATE] }),
              ...(isJob && { restartPolicy: 'Never' }),
            },
          },
        },
      });
      const pods = async (): Promise<FoundPod[]> => {
        const { items } = (await rest('GET', all)) as {
          items: FoundPod[];
        };
        return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      };
      const placed = async (): Promise<string[]> =>
        (await pods())
          .map(({ metadata, spec }) => {
            const text = metadata.annotations?.['apps.kruise.io/matched-workloadspread'] ?? '{}';
            const { subset = 'none' } = JSON.parse(text) as { subset?: string };
            return `${subset}${metadata.labels?.['place'] === 'b' ? ' place b' : ''}${(spec.schedulingGates ?? []).length > 0 ? ' gated' : ''}`;
          })
          .sort();
      const rest4 = Array<string>(4).fill('b place b');
      await until('six pods have their places', ['a', 'a', ...rest4], placed);
      await until('they are counted', ['a 2', 'b 4'], counts);
      for (const { metadata, spec } of await pods()) {
        const subset = metadata.labels?.['place'] ?? 'a';
        expect(spec.affinity).toEqual({
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                {
                  matchExpressions: [
                    { key: 'disk', operator: 'Exists' },
                    { key: 'zone', operator: 'In', values: [subset] },
                  ],
                },
              ],
            },
          },
        });
        expect(spec.tolerations?.some(({ key }) => key === 'spot')).toBe(subset === 'b');
      }

      // Its controller reads no deletion cost.
      if (isJob) return;
      await world.administer(`scale ${kind.toLowerCase()} web -n ${namespace} --replicas 2`);
      await until('two pods are left, in a', ['a', 'a'], placed);
      await until('those are counted', ['a 2', 'b 0'], counts);
      if (kind !== 'Deployment' || !isAsked) return;

      // The pod that replaces one of a has its place, whoever is faster.
      const [one] = await pods();
      await rest('DELETE', `${all}/${one?.metadata.name ?? ''}`);
      await until('a pod replaces it', true, async () => {
        const names = (await pods()).map(({ metadata }) => metadata.name);
        return names.length === 2 && !names.includes(one?.metadata.name ?? '');
      });
      expect(await placed()).toEqual(['a', 'a']);
      await until('it is counted', ['a 2', 'b 0'], counts);

      await webhook?.kill();
      await world.administer(`scale deployment web -n ${namespace} --replicas 4`);
      await until('two pods are created all the same', ['a', 'a', 'none', 'none'], placed);
      await until('those are missed', 'NotPlaced 2 pods', missed);
      webhook = await startWebhook(world, 1, ['--spreads']);
      await world.administer(`scale deployment web -n ${namespace} --replicas 6`);
      await until('two more are placed', ['a', 'a', 'b place b', 'b place b', 'none', 'none'], placed);
      await world.administer(`scale deployment web -n ${namespace} --replicas 4`);
      await until('those without a place go first', ['a', 'a', 'b place b', 'b place b'], placed);
      await until('none is missed', undefined, missed);
    },
  );
});
