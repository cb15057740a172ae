import { describe, expect, test } from 'vitest';
import { firstBatch } from '../../../semantics/pod/launch-priority.ts';
import { projectPod } from '../../../semantics/pod/project.ts';
import { createIntern } from '../../../runtime/observe/intern.ts';
import type { Container, Pod } from '../../../semantics/pod/types.ts';
import { pod } from './pods.ts';

const barrier = (key: string) => ({
  name: 'KRUISE_CONTAINER_BARRIER',
  valueFrom: { configMapKeyRef: { name: 'web-barrier', key } },
});
const priority = (value: string) => ({ name: 'KRUISE_CONTAINER_PRIORITY', value });

/** `a=barrier p_10` … by container; a container without an entry has none. */
function podWith(env: Record<string, object[]>, annotations: Record<string, string> = {}): Pod {
  const plain = pod();
  const containers: Container[] = Object.entries(env).map(([name, variables]) => ({
    name,
    image: `${name}:1`,
    env: [{ name: 'OTHER', value: '99' }, ...variables],
  }));
  const whole = {
    ...plain,
    metadata: { ...plain.metadata, annotations },
    spec: { ...plain.spec, containers },
  };
  const kept = projectPod(whole, createIntern());
  expect(firstBatch(kept, ['a', 'b', 'c'])).toEqual(firstBatch(whole, ['a', 'b', 'c']));
  return whole;
}

describe('which containers change first (OpenKruise inplace-update, rule 6.4 step 2)', () => {
  test.each([
    ['no priority: all', { a: [], b: [], c: [] }, 'a b c'],
    ['the highest barrier', { a: [barrier('p_0')], b: [barrier('p_10')], c: [barrier('p_10')] }, 'b c'],
    [
      'all without a barrier, and the highest (IU-16)',
      { a: [], b: [barrier('p_10')], c: [barrier('p_3')] },
      'a b',
    ],
    ['below zero', { a: [barrier('p_-3')], b: [barrier('p_-1')], c: [barrier('p_-2')] }, 'b'],
    ['an invalid one is 0', { a: [barrier('p_-1')], b: [barrier('odd')], c: [barrier('p_x')] }, 'b c'],
    [
      'the last of several',
      { a: [barrier('p_9'), barrier('p_1')], b: [barrier('p_2')], c: [barrier('p_0')] },
      'b',
    ],
    ['as the user wrote it, without the webhook', { a: [priority('1')], b: [priority('2')], c: [] }, 'b'],
    ['none is 0', { a: [], b: [priority('-1')], c: [priority('-2')] }, 'a'],
    ['all the same is none', { a: [priority('5')], b: [priority('5')], c: [priority('5')] }, 'a b c'],
    ['a barrier wins', { a: [priority('9'), barrier('p_1')], b: [barrier('p_2')], c: [barrier('p_0')] }, 'b'],
  ])('%s', (_, env, expected) => {
    expect(firstBatch(podWith(env), ['a', 'b', 'c']).join(' ')).toBe(expected);
  });

  test('Ordered: by position, whatever the numbers', () => {
    const ordered = podWith(
      { a: [], b: [priority('9')], c: [] },
      { 'apps.kruise.io/container-launch-priority': 'Ordered' },
    );
    expect(firstBatch(ordered, ['b', 'c'])).toEqual(['b']);
  });

  test('only what changes is compared', () => {
    const two = podWith({ a: [barrier('p_10')], b: [barrier('p_0')], c: [barrier('p_0')] });
    expect(firstBatch(two, ['b', 'c'])).toEqual(['b', 'c']);
    expect(firstBatch(two, [])).toEqual([]);
  });
});
