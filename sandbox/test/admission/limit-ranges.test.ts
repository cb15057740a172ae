import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { refusal, stage, type Stage } from '../world.ts';
import { claim, claims, limitRanges, limited, object, resize, sized } from './objects.ts';

const sizes = [
  {
    type: 'Container',
    default: { cpu: '500m', memory: '128Mi' },
    defaultRequest: { cpu: '250m' },
    max: { cpu: '1' },
    min: { cpu: '100m' },
    maxLimitRequestRatio: { cpu: '3' },
  },
  { type: 'Pod', max: { cpu: '1200m', memory: '1Gi' }, min: { memory: '10Mi' } },
  { type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '2Gi' } },
];

async function ranged(limits: object[]): Promise<Stage> {
  const set = stage({ nodes: 0 });
  await set.alice.create(limitRanges, object('LimitRange', 'l', { spec: { limits } }));
  return set;
}

const two = (first: object, second: object, init?: object): KubeObject =>
  sized('p', undefined, {
    containers: [
      { name: 'c', image: 'a', resources: first },
      { name: 'd', image: 'a', resources: second },
    ],
    ...(init === undefined ? {} : { initContainers: [{ name: 'i', image: 'a', ...init }] }),
  });

describe('a limit range', () => {
  test('applies defaults to containers, and records it in an annotation', async () => {
    const { alice } = await ranged(sizes);
    const { metadata, spec } = await alice.create(
      resources.Pod,
      two({ requests: { cpu: '300m' } }, limited('200m'), {}),
    );
    expect(metadata.annotations).toEqual({
      'kubernetes.io/limit-ranger':
        'LimitRanger plugin set: memory request for container c; cpu, memory limit for container c; cpu, memory request for init container i; cpu, memory limit for init container i',
    });
    expect(spec).toMatchObject({
      containers: [
        {
          resources: { limits: { cpu: '500m', memory: '128Mi' }, requests: { cpu: '300m', memory: '128Mi' } },
        },
        { resources: { limits: { cpu: '200m', memory: '64Mi' }, requests: { cpu: '200m', memory: '64Mi' } } },
      ],
      initContainers: [
        {
          resources: { limits: { cpu: '500m', memory: '128Mi' }, requests: { cpu: '250m', memory: '128Mi' } },
        },
      ],
    });
  });

  test.each<[object[], KubeObject, string]>([
    [
      sizes,
      two({ requests: { cpu: '50m' } }, { limits: { cpu: '2' } }),
      '[minimum cpu usage per Container is 100m, but request is 50m, cpu max limit to request ratio per Container is 3, but provided ratio is 10.000000, maximum cpu usage per Container is 1, but limit is 2, maximum cpu usage per Pod is 1200m, but limit is 2500m]',
    ],
    [
      sizes,
      two({ requests: { cpu: '100m' }, limits: { cpu: '0.45' } }, {}),
      'cpu max limit to request ratio per Container is 3, but provided ratio is 4.500000',
    ],
    [
      sizes,
      two({ requests: { cpu: '0' }, limits: { cpu: '500m' } }, {}),
      '[minimum cpu usage per Container is 100m, but request is 0, cpu max limit to request ratio per Container is 3, but no request is specified or request is 0]',
    ],
    [
      sizes,
      two(limited('0.8', '0.7Gi'), { requests: { cpu: '700m' }, limits: { cpu: '0.8', memory: '700Mi' } }),
      '[maximum cpu usage per Pod is 1200m, but limit is 1600m, maximum memory usage per Pod is 1Gi, but limit is 1485622476800m]',
    ],
    [
      sizes,
      two({}, {}, { resources: { limits: { cpu: '3' } } }),
      '[maximum cpu usage per Container is 1, but limit is 3, maximum cpu usage per Pod is 1200m, but limit is 3]',
    ],
    [
      [{ type: 'Pod', max: { cpu: '300m' }, min: { memory: '5Mi' } }],
      two({}, {}),
      '[minimum memory usage per Pod is 5Mi.  No request is specified, maximum cpu usage per Pod is 300m.  No limit is specified]',
    ],
  ])('%j refuses', async (limits, body, why) => {
    const { alice } = await ranged(limits);
    expect(await refusal(alice.create(resources.Pod, body))).toEqual({
      code: 403,
      reason: 'Forbidden',
      message: `pods "p" is forbidden: ${why}`,
      details: { name: 'p', kind: 'pods' },
    });
  });

  test.each([
    ['512Mi', 'minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 512Mi'],
    ['3Gi', 'maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi'],
  ])('refuses a claim of %s', async (size, why) => {
    const { alice } = await ranged(sizes);
    await alice.create(claims, claim('good', '1Gi'));
    expect((await refusal(alice.create(claims, claim('v', size)))).message).toBe(
      `persistentvolumeclaims "v" is forbidden: ${why}`,
    );
  });

  test('holds for a resize, and for no other update of a pod', async () => {
    const set = await ranged([{ type: 'Container', max: { cpu: '1' } }]);
    await set.alice.create(resources.Pod, sized('p', { requests: { cpu: '500m' }, limits: { cpu: '1' } }));
    expect((await refusal(resize(set, 'p', { limits: { cpu: '2' } }))).message).toBe(
      'pods "p" is forbidden: maximum cpu usage per Container is 1, but limit is 2',
    );
    await set.alice.replace(
      limitRanges,
      object('LimitRange', 'l', { spec: { limits: [{ type: 'Container', max: { cpu: '100m' } }] } }),
    );
    await set.alice.patch(
      resources.Pod,
      { namespace: 'default', name: 'p' },
      { type: 'merge', body: { metadata: { labels: { a: 'b' } } } },
    );
  });
});
