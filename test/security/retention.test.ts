import { describe, expect, test } from 'vitest';
import { memoryOf } from '../../semantics/values/memory.ts';
import { createRetention, limitsFor } from '../../runtime/observe/retention.ts';
import type { Json } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';

const KIB = 1024;
const limits = { object: 100 * KIB, namespace: 200 * KIB, total: 400 * KIB, reserve: 160 * KIB };

function object(name: string, namespace: string, kib: number, kind = 'CloneSet'): KubeObject {
  const text = 'x'.repeat((kib * KIB) / 2);
  return { apiVersion: 'apps.kruise.io/v1beta1', kind, metadata: { name, namespace }, data: { text } };
}

function open() {
  const retention = createRetention(() => true, limits);
  const keep = (name: string, namespace: string, kib = 90): KubeObject =>
    retention.keep(object(name, namespace, kib));
  const limitOf = (of: KubeObject): unknown => retention.oversized(of)?.limit;
  return { retention, keep, limitOf };
}

describe('security 5: the memory limits of the caches', () => {
  test('a namespace has a limit, and an oversized object is cached once the limit allows it', () => {
    const { retention, keep, limitOf } = open();
    const [a, b, c] = [keep('a', 'one'), keep('b', 'one'), keep('c', 'one')];
    expect([limitOf(a), limitOf(b), limitOf(c)]).toEqual([undefined, undefined, 'namespace']);
    expect(limitOf(keep('c', 'two'))).toBeUndefined();
    expect(retention.fits(c)).toBe(false);
    // Seen again, it costs nothing more.
    expect(limitOf(keep('b', 'one'))).toBeUndefined();
    retention.release(a);
    expect([retention.fits(c), limitOf(keep('c', 'one'))]).toEqual([true, undefined]);
  });

  test('all namespaces have a common limit, and each has a reserved part', () => {
    const { keep, limitOf } = open();
    for (const name of ['a', 'b', 'c', 'd']) keep(name, name === 'a' || name === 'b' ? 'one' : 'two');
    expect(limitOf(keep('e', 'three', 60))).toBe('namespace');
    expect(limitOf(keep('z', 'three', 36))).toBeUndefined();
    expect([limitOf(keep('f', 'four', 5)), limitOf(keep('g', 'four', 5))]).toEqual([undefined, 'namespace']);
  });

  test('commands have an account of their own', () => {
    const { retention, keep, limitOf } = open();
    const commands = Array.from({ length: 50 }, (_, n) =>
      retention.keepCommand(object(`c-${n}`, 'one', 20, 'RolloutCommand')),
    );
    expect(commands.filter((each) => limitOf(each) === undefined)).toHaveLength(1);
    expect([limitOf(keep('a', 'one')), limitOf(keep('b', 'one'))]).toEqual([undefined, undefined]);
  });

  test('objects cached while a list failed cost nothing after a complete list', () => {
    const { retention, keep, limitOf } = open();
    for (const name of ['a', 'b', 'c']) keep(name, 'one');
    expect(retention.hasStubs).toBe(true);
    retention.settle({ group: 'apps.kruise.io', kind: 'CloneSet' }, () => false);
    expect(retention.hasStubs).toBe(false);
    expect([limitOf(keep('d', 'one')), limitOf(keep('e', 'one'))]).toEqual([undefined, undefined]);
  });

  test('the shipped heap is larger than the limit of all caches', () => {
    const heap = 384 * KIB * KIB;
    const { total, reserve } = limitsFor(heap);
    expect(total + reserve).toBeLessThan(0.65 * heap);
  });
});

describe('security 5: the estimated memory of a value', () => {
  const nested = (depth: number): Json => {
    let value: Json = [];
    for (let n = 0; n < depth; n += 1) value = [value];
    return value;
  };
  test.each<[string, Json, number]>([
    ['a text', 'x'.repeat(1_000), 2_016],
    ['an empty list', [], 64],
    ['fields', { a: 1, b: null }, 64 + 2 * (16 + 2) + 2 * 16],
    ['nested, as objects are', nested(90), 64 * 91 + 16 * 90],
    ['nested too deeply', nested(200), Infinity],
    ['nested without end', nested(100_000), Infinity],
    ['more than asked for', Array.from({ length: 100_000 }, () => []), Infinity],
  ])('%s', (_, value, bytes) => expect(memoryOf(value, 1024 * KIB)).toBe(bytes));
});
