import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { diagnosticsOf } from './world/manifests.ts';

const object = (
  apiVersion: string,
  kind: string,
  name: string,
  spec: JsonObject,
  namespace = 'shop',
): string =>
  stringify({ apiVersion, kind, metadata: { name, ...(namespace !== '' && { namespace }) }, spec });

const budget = (spec: JsonObject, namespace?: string): string =>
  object(
    'policy.kruise.io/v1beta1',
    'PodUnavailableBudget',
    'web',
    { maxUnavailable: 1, ...spec },
    namespace,
  );

const deployment = (app: string, namespace?: string, name = app): string =>
  object(
    'apps/v1',
    'Deployment',
    name,
    {
      selector: { matchLabels: { app } },
      template: { metadata: { labels: { app } }, spec: { containers: [{ name: 'main', image: 'a:1' }] } },
    },
    namespace,
  );

const pull = (app: string): string =>
  object('apps.kruise.io/v1beta1', 'ImagePullJob', 'warm', {
    image: 'nginx:1.27',
    podSelector: { matchLabels: { app } },
    completionPolicy: { type: 'Always' },
  });

const bySelector = budget({ selector: { matchLabels: { app: 'web' } } });
const byName = (kind: string, name: string, apiVersion = 'apps/v1'): string =>
  budget({ targetRef: { apiVersion, kind, name } });

const spread = object('apps.kruise.io/v1beta1', 'WorkloadSpread', 'web', {
  targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
  subsets: [{ name: 'a', maxReplicas: 1, patch: { metadata: { labels: { tier: 'gold' } } } }, { name: 'b' }],
});

const positionsOf = async (...run: Parameters<typeof diagnosticsOf>): Promise<string[]> =>
  (await diagnosticsOf(...run)).positions;

describe('an object that is reconciled at once and selects pods', () => {
  test.each<[string, string, string, string[]]>([
    ['selects some', bySelector, deployment('web'), []],
    ['selects none by labels', bySelector, deployment('api'), ['KR2193 head/web.yaml:8:3']],
    ['selects none in its namespace', bySelector, deployment('web', 'pay'), ['KR2193 head/web.yaml:8:3']],
    [
      'may get the namespace of the pods',
      budget({ selector: { matchLabels: { app: 'web' } } }, ''),
      deployment('web'),
      [],
    ],
    ['may be beside pods that get its namespace', bySelector, deployment('web', ''), []],
    [
      'is beside no pods at all',
      bySelector,
      stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }),
      [],
    ],
    ['names its workload', byName('Deployment', 'web'), deployment('web'), []],
    [
      'names no workload in git',
      byName('Deployment', 'wbe'),
      deployment('web'),
      ['KR2193 head/web.yaml:8:3'],
    ],
    [
      'names one of another kind',
      byName('ReplicaSet', 'web'),
      deployment('web'),
      ['KR2193 head/web.yaml:8:3'],
    ],
    [
      'selects by a label of a controller',
      budget({ selector: { matchLabels: { app: 'web', 'apps.kruise.io/subset-name': 'a' } } }),
      deployment('web'),
      [],
    ],
    [
      'selects by such a label and a wrong one',
      budget({ selector: { matchLabels: { app: 'api', 'apps.kruise.io/subset-name': 'a' } } }),
      deployment('web'),
      ['KR2193 head/web.yaml:8:3'],
    ],
    [
      'selects by a label that a subset patches',
      `${budget({ selector: { matchLabels: { app: 'web', tier: 'gold' } } })}---\n${spread}`,
      deployment('web'),
      // Its pods have no gate.
      ['KR2236 head/web.yaml:22:11'],
    ],
    [
      'selects by a label that nobody patches',
      budget({ selector: { matchLabels: { app: 'web', tier: 'gold' } } }),
      deployment('web'),
      ['KR2193 head/web.yaml:8:3'],
    ],
    [
      'names a workload of an operator',
      byName('Cluster', 'db', 'postgresql.cnpg.io/v1'),
      deployment('web'),
      [],
    ],
    [
      'has a selector that is none',
      budget({ selector: { matchLabels: { app: 'api' }, matchExpressions: ' ' } }),
      deployment('web'),
      ['KR2002 head/web.yaml:11:23'],
    ],
    ['names what may be a child', byName('Deployment', 'web-zone-a'), deployment('web'), []],
    ['pulls to nodes of some', pull('web'), deployment('web'), []],
    ['pulls to nodes of none', pull('web'), deployment('api'), ['KR2193 head/web.yaml:8:3']],
  ])('%s', async (_what, head, other, expected) => {
    for (const args of [['validate', 'head'], undefined])
      expect(
        await positionsOf(
          { 'head/web.yaml': head, 'head/pods.yaml': other, 'base/none.txt': '' },
          args && { args },
        ),
      ).toEqual(expected);
  });

  test('selects pods of another root', async () => {
    const roots = {
      'head/kruise.yaml': stringify({
        roots: [
          { name: 'a', path: 'a' },
          { name: 'b', path: 'b' },
        ],
      }),
    };
    const run = async (app: string): Promise<string[]> =>
      positionsOf(
        {
          ...roots,
          'head/a/budget.yaml': bySelector,
          'head/a/c.yaml': deployment('c'),
          'head/b/pods.yaml': deployment(app),
        },
        { args: ['validate', 'head'] },
      );
    expect([await run('web'), await run('api')]).toEqual([[], ['KR2193 head/a/budget.yaml:8:3']]);
  });
});
