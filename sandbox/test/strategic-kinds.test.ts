import { describe, expect, test } from 'vitest';
import { resources } from '../../schemas/wire/resources.ts';
import { shapeOf } from '../kinds/shapes.ts';
import { strategicPatch } from '../patch/strategic.ts';
import { pod, refusal, stage, widget, widgets } from './world.ts';

describe('strategic merge patch depends on the kind', () => {
  const rows: [
    what: string,
    shape: [string, string, string],
    target: unknown,
    patch: unknown,
    result: unknown,
  ][] = [
    [
      'ports of a Service go by port',
      ['', 'v1', 'Service'],
      { spec: { ports: [{ port: 1, targetPort: 2 }] } },
      { spec: { ports: [{ port: 1, name: 'a' }] } },
      { spec: { ports: [{ port: 1, targetPort: 2, name: 'a' }] } },
    ],
    [
      'ports of Endpoints are atomic',
      ['', 'v1', 'Endpoints'],
      { subsets: [{ ports: [{ port: 1 }] }] },
      { subsets: [{ ports: [{ port: 2 }] }] },
      { subsets: [{ ports: [{ port: 2 }] }] },
    ],
    [
      'conditions of a Deployment go by type',
      ['apps', 'v1', 'Deployment'],
      { status: { conditions: [{ type: 'A', status: 'True' }] } },
      { status: { conditions: [{ type: 'A', reason: 'x' }] } },
      { status: { conditions: [{ type: 'A', status: 'True', reason: 'x' }] } },
    ],
    [
      'conditions of a CustomResourceDefinition are replaced',
      ['apiextensions.k8s.io', 'v1', 'CustomResourceDefinition'],
      { status: { conditions: [{ type: 'A', status: 'True' }] } },
      { status: { conditions: [{ type: 'A', reason: 'x' }] } },
      { status: { conditions: [{ type: 'A', reason: 'x' }] } },
    ],
    [
      'the selector of a PodDisruptionBudget is replaced',
      ['policy', 'v1', 'PodDisruptionBudget'],
      { spec: { selector: { matchLabels: { a: '1' } } } },
      { spec: { selector: { matchLabels: { b: '1' } } } },
      { spec: { selector: { matchLabels: { b: '1' } } } },
    ],
    [
      'the selector of a Deployment is merged',
      ['apps', 'v1', 'Deployment'],
      { spec: { selector: { matchLabels: { a: '1' } } } },
      { spec: { selector: { matchLabels: { b: '1' } } } },
      { spec: { selector: { matchLabels: { a: '1', b: '1' } } } },
    ],
    [
      'the strategy of a Deployment retains keys',
      ['apps', 'v1', 'Deployment'],
      { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } },
      { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } },
      { spec: { strategy: { type: 'Recreate' } } },
    ],
    [
      'secrets of a ServiceAccount go by name, its pull secrets are atomic',
      ['', 'v1', 'ServiceAccount'],
      { secrets: [{ name: 'a' }], imagePullSecrets: [{ name: 'a' }] },
      { secrets: [{ name: 'b' }], imagePullSecrets: [{ name: 'b' }] },
      { secrets: [{ name: 'b' }, { name: 'a' }], imagePullSecrets: [{ name: 'b' }] },
    ],
  ];
  test.each(rows)('%s', (_what, [group, version, kind], target, patch, result) => {
    expect(strategicPatch(shapeOf(group, version, kind), target, patch)).toEqual(result);
  });

  test('custom resources do not support it', async () => {
    const { alice } = stage({ nodes: 0 });
    await alice.create(widgets, widget('a'));
    const key = { namespace: 'default', name: 'a' };
    expect((await refusal(alice.patch(widgets, key, { type: 'strategic', body: {} }))).code).toBe(415);
    await alice.create(resources.Pod, pod('a'));
    expect(await alice.patch(resources.Pod, key, { type: 'strategic', body: {} })).toBeDefined();
  });
});
