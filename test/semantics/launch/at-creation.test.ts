import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { orderedAtCreation } from '../../../semantics/launch/at-creation.ts';
import { withLaunchOrder } from '../../../semantics/launch/barrier.ts';
import { listOf, objectOf, textOf } from '../../../semantics/values/read.ts';

const ORDERED = { 'apps.kruise.io/container-launch-priority': 'Ordered' };

/** A pod with containers `a`, `b`, … of these priorities; undefined: it has no variable. */
function podOf(
  priorities: readonly (JsonObject | string | undefined)[],
  metadata: Partial<KubeObject['metadata']> = {},
): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'shop', ...metadata },
    spec: {
      restartPolicy: 'Always',
      containers: priorities.map((priority, at) => {
        const variable = typeof priority === 'string' ? { value: priority } : priority;
        const env =
          variable === undefined ? {} : { env: [{ name: 'KRUISE_CONTAINER_PRIORITY', ...variable }] };
        return { name: 'abcd'[at] ?? '', image: 'x:1', ...env };
      }),
    },
  };
}

const unnamed = (generateName: string, annotations: Record<string, string> = ORDERED): KubeObject => {
  const pod = podOf([undefined, undefined], { generateName, annotations });
  const { name: _name, ...metadata } = pod.metadata;
  return { ...pod, metadata } as KubeObject;
};

const result = (pod: KubeObject, isOurs = false, requestId = 'u-1') =>
  orderedAtCreation(pod, { requestId, isOurs });

function made(pod: KubeObject, isOurs = false, requestId?: string): KubeObject {
  const found = result(pod, isOurs, requestId);
  if ('refused' in found) throw new Error(found.refused);
  return found.pod;
}

/** The references of the last variables of containers; `-`: none. */
function barriersOf(pod: KubeObject): string {
  return listOf(objectOf(pod['spec'])['containers'])
    .map(({ env }) => {
      const { name, valueFrom } = listOf(env).at(-1) ?? {};
      if (name !== 'KRUISE_CONTAINER_BARRIER') return '-';
      const { name: configMap, key } = objectOf(objectOf(valueFrom)['configMapKeyRef']);
      return `${textOf(configMap)}/${textOf(key)}`;
    })
    .join(' ');
}

describe('a pod that is created', () => {
  test.each([
    [
      'by position',
      podOf([undefined, undefined], { annotations: ORDERED }),
      'web-barrier/p_0 web-barrier/p_-1',
    ],
    ['by numbers', podOf([undefined, '10', '-1']), 'web-barrier/p_0 web-barrier/p_10 web-barrier/p_-1'],
    [
      'by position, where a number is none (LP-3)',
      podOf(['abc', undefined], { annotations: ORDERED }),
      'web-barrier/p_0 web-barrier/p_-1',
    ],
    [
      'by numbers, whatever its restartPolicy',
      runningOnce(podOf(['1', '2'])),
      'web-barrier/p_1 web-barrier/p_2',
    ],
    ['by the last of two numbers', twice('1', '5'), 'web-barrier/p_5 web-barrier/p_0'],
  ])('waits %s', (_, pod, expected) => {
    const before = structuredClone(pod);
    expect(barriersOf(made(pod))).toBe(expected);
    expect(pod).toEqual(before);
  });

  test.each([
    ['all priorities are equal', podOf(['5', '5'])],
    ['none has a priority', podOf([undefined, undefined])],
    ['all are 0', podOf(['0', undefined, '-0'])],
    ['there is one container', podOf(['5'], { annotations: ORDERED })],
    ['there is one container, whatever its priority', podOf(['abc'])],
    ['the annotation has another value', podOf([undefined, undefined], { annotations: other('ordered') })],
    ['the annotation is hostile', podOf([undefined, undefined], { annotations: other('Ordered\n') })],
    ['its name is generated, and it has no order', unnamed('web-', {})],
    [
      'it only shows what its node runs already',
      podOf(['1', '2'], { annotations: { 'kubernetes.io/config.mirror': 'x' } }),
    ],
    ['it has no containers', { ...podOf([]), spec: {} }],
  ])('stays as it is where %s', (_, pod) => {
    expect(made(pod)).toEqual(pod);
  });

  test.each([
    ['abc', podOf([undefined, 'abc']), /container b must be an integer/],
    ['an empty one', podOf(['', '1']), /container a must be an integer/],
    ['one that no number can show', podOf(['99999999999', '1']), /container a must be an integer/],
    ['one without a value', podOf([{}, '1']), /container a must be an integer/],
    [
      'one from elsewhere',
      podOf([{ valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }, '1']),
      /container a must not be set/,
    ],
  ])('is refused with the priority %s (LP-6)', (_, pod, expected) => {
    const found = result(pod);
    expect(found).toEqual({ refused: expect.stringMatching(expected) as string });
  });

  test('is not judged again where a kind of ours creates it, and gets the same order', () => {
    const pod = withLaunchOrder(podOf(['abc', '1']));
    expect(made(pod, true)).toEqual(pod);
  });

  test('of a kind of ours gets the order of all its containers, injected ones among them', () => {
    const pod = withLaunchOrder(podOf([undefined, undefined], { annotations: ORDERED }));
    const containers = [{ name: 'proxy', image: 'p:1' }, ...listOf(objectOf(pod['spec'])['containers'])];
    expect(barriersOf(made({ ...pod, spec: { containers } }, true))).toBe(
      'web-barrier/p_0 web-barrier/p_-1 web-barrier/p_-2',
    );
  });

  test('of a kind of ours waits for no key above the one that is there already', () => {
    const pod = withLaunchOrder(podOf(['5', '-3']));
    const env = [{ name: 'KRUISE_CONTAINER_PRIORITY', value: '10' }];
    const containers = [...listOf(objectOf(pod['spec'])['containers']), { name: 'proxy', image: 'p:1', env }];
    const once = made({ ...pod, spec: { containers } }, true);
    expect(barriersOf(once)).toBe('web-barrier/p_0 web-barrier/p_-8 web-barrier/p_5');
    expect(made(once, true)).toEqual(once);
  });

  test('twice has the order once', () => {
    for (const pod of [podOf(['1', '2']), unnamed('web-')]) {
      const once = made(pod);
      expect(made(once, false, 'u-2')).toEqual(once);
    }
  });

  test('with the barrier of another pod gets its own, or none (LP-17)', () => {
    const copied = made(podOf(['1', '2'], { name: 'other' }));
    const renamed: KubeObject = { ...copied, metadata: { ...copied.metadata, name: 'web' } };
    expect(barriersOf(made(renamed))).toBe('web-barrier/p_1 web-barrier/p_2');
    const single = {
      ...renamed,
      spec: { containers: listOf(objectOf(renamed['spec'])['containers']).slice(1) },
    };
    expect(barriersOf(made(single))).toBe('-');
  });

  test('as a copy of one that runs has nothing released', () => {
    const annotations = {
      ...ORDERED,
      'plan.kruise.io/launch-priority': '-1',
      'plan.kruise.io/launch-released': '2026-01-01T00:00:00Z',
      'apps.kruise.io/container-launch-priority-completed': 'true',
    };
    expect(made(podOf([undefined, undefined], { annotations })).metadata.annotations).toEqual(ORDERED);
  });
});

describe('a pod whose name is generated (LP-7)', () => {
  test('gets it here, as Kubernetes would make it, and always the same for one request', () => {
    const pod = made(unnamed('web-7d9f-'));
    expect(pod.metadata.name).toMatch(/^web-7d9f-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(barriersOf(pod)).toBe(`${pod.metadata.name}-barrier/p_0 ${pod.metadata.name}-barrier/p_-1`);
    expect(made(unnamed('web-7d9f-'))).toEqual(pod);
    expect(made(unnamed('web-7d9f-'), false, 'u-2').metadata.name).not.toBe(pod.metadata.name);
  });

  test('with a long beginning has 63 characters', () => {
    const { name } = made(unnamed(`${'x'.repeat(70)}-`)).metadata;
    expect(name).toMatch(/^x{58}[^x]/);
    expect(name).toHaveLength(63);
  });

  test('and is refused where its own name leaves no room for that of the ConfigMap', () => {
    const named = (length: number) => podOf(['1', '2'], { name: 'x'.repeat(length) });
    expect(result(named(245))).toHaveProperty('pod');
    expect(result(named(246))).toEqual({ refused: expect.stringContaining('at most 245') as string });
    expect(result(podOf(['1', '1'], { name: 'x'.repeat(246) }))).toHaveProperty('pod');
  });
});

function other(value: string): Record<string, string> {
  return { 'apps.kruise.io/container-launch-priority': value };
}

function runningOnce(pod: KubeObject): KubeObject {
  return { ...pod, spec: { ...objectOf(pod['spec']), restartPolicy: 'Never' } };
}

/** The first container has the variable twice. */
function twice(...values: string[]): KubeObject {
  const pod = podOf([undefined, undefined]);
  const [first, second] = listOf(objectOf(pod['spec'])['containers']);
  const env = values.map((value) => ({ name: 'KRUISE_CONTAINER_PRIORITY', value }));
  return { ...pod, spec: { containers: [{ ...first, env }, second] } };
}
