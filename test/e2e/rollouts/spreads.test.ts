import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isKubectlShipped } from '../../../examples/demo/kubectl-binary.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { findBinaries } from '../binaries.ts';
import { eventually, type Program } from './programs.ts';
import { startWorld, type World } from './world.ts';

const patience = 240_000;
const kubectl = findBinaries().at(-1);

interface FoundPod {
  metadata: {
    annotations?: Record<string, string>;
    labels?: Record<string, string>;
    deletionTimestamp?: string;
  };
  spec: { schedulingGates?: unknown[]; affinity?: JsonObject; tolerations?: { key?: string }[] };
}

const GATE = { name: 'kruise.io/workloadspread' };
const paths = { CloneSet: '/apis/apps.kruise.io/v1beta1', Deployment: '/apis/apps/v1' };

const zone = (name: string): JsonObject => ({
  matchExpressions: [{ key: 'zone', operator: 'In', values: [name] }],
});

describe.skipIf(kubectl === undefined && !isKubectlShipped)('pods in subsets', () => {
  let [world, runtime]: [World | undefined, Program | undefined] = [undefined, undefined];
  const namespaces: string[] = [];

  beforeAll(async () => {
    if (kubectl === undefined) throw new Error('there is no kubectl');
    world = await startWorld(kubectl);
    runtime = await world.startRuntime({ args: ['--policy', 'Auto'] });
  }, patience);

  afterAll(async () => {
    for (const namespace of namespaces)
      await world?.server.rest('DELETE', `/api/v1/namespaces/${namespace}`).catch(() => undefined);
    await world?.close();
  }, patience);

  test.each(['CloneSet', 'Deployment'] as const)(
    'of a %s: two in a and the rest in b, from six pods to two',
    { timeout: patience },
    async (kind) => {
      if (world === undefined) throw new Error('there is no server');
      const { rest } = world.server;
      const namespace = `e2e-spreads-${kind.toLowerCase()}-${process.pid}`;
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
        metadata: { name: 'web' },
        spec: {
          targetRef: { apiVersion, kind, name: 'web' },
          subsets: [
            { name: 'a', maxReplicas: 2, requiredNodeSelector: zone('a') },
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
      const until = async (what: string, expected: unknown, found: () => Promise<unknown>): Promise<void> => {
        let last: unknown;
        const isThere = async (): Promise<boolean> => {
          last = await found();
          return JSON.stringify(last) === JSON.stringify(expected);
        };
        const context = (): string => `${JSON.stringify(last)}\n${runtime?.output() ?? ''}`;
        await eventually(what, isThere, { limitMs: 90_000, context });
      };
      await until('it is observed', ['a 0', 'b 0'], counts);

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
          replicas: 6,
          selector: { matchLabels: { app: 'web' } },
          template: {
            metadata: { labels: { app: 'web' } },
            spec: { ...pod, ...(kind === 'Deployment' && { schedulingGates: [GATE] }) },
          },
        },
      });
      const pods = async (): Promise<FoundPod[]> => {
        const { items } = (await rest('GET', `/api/v1/namespaces/${namespace}/pods`)) as {
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

      await world.administer(`scale ${kind.toLowerCase()} web -n ${namespace} --replicas 2`);
      await until('two pods are left, in a', ['a', 'a'], placed);
      await until('those are counted', ['a 2', 'b 0'], counts);
    },
  );
});
