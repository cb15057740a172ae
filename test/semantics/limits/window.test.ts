import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { plannedKindOf, plannedKinds } from '../../../semantics/registry/registry.ts';

import { lowerOf, type Window, widestOf } from '../../../semantics/limits/window.ts';

const group = 'apps.kruise.io';

function limitsOf(kind: string) {
  const found = plannedKindOf({ group, kind });
  if (found === undefined) throw new Error(`no kind ${kind}`);
  return found.limits;
}

function manifest(kind: string, spec: JsonObject, version = 'v1beta1'): KubeObject {
  return { apiVersion: `${group}/${version}`, kind, metadata: { name: 'x' }, spec };
}

const rolling = (fields: JsonObject): JsonObject => ({ updateStrategy: { rollingUpdate: fields } });

describe('the limits that a step of a plan states', () => {
  test.each<[string, JsonObject, Window]>([
    ['CloneSet', {}, { maxUnavailable: '20%', maxSurge: 0 }],
    ['CloneSet', rolling({ maxUnavailable: 3, maxSurge: '10%' }), { maxUnavailable: 3, maxSurge: '10%' }],
    ['CloneSet', { updateStrategy: { maxUnavailable: 2 } }, { maxUnavailable: 2, maxSurge: 0 }],
    ['StatefulSet', { podManagementPolicy: 'Parallel' }, { maxUnavailable: 1 }],
    [
      'StatefulSet',
      { podManagementPolicy: 'Parallel', ...rolling({ maxUnavailable: '30%' }) },
      { maxUnavailable: '30%' },
    ],
    ['StatefulSet', rolling({ maxUnavailable: 4 }), { maxUnavailable: 1 }],
    ['SidecarSet', { updateStrategy: { maxUnavailable: '7%' } }, { maxUnavailable: '7%' }],
    ['SidecarSet', {}, { maxUnavailable: 1 }],
    ['BroadcastJob', { parallelism: '10%' }, { parallelism: '10%' }],
    ['BroadcastJob', {}, { parallelism: 2147483647 }],
    ['AdvancedCronJob', {}, {}],
  ])('%s %j: %j', (kind, spec, window) => {
    expect(limitsOf(kind).windowFields(manifest(kind, spec))).toEqual(window);
  });

  test.each(plannedKinds.map((kind) => [kind.id.kind, kind] as const))(
    '%s: those that are counted are those that are read',
    (kind, { limits }) => {
      const window = limits.windowFields(manifest(kind, {}));
      expect(Object.keys(limits.inUnits(window, 10))).toEqual(Object.keys(window));
      expect(limits.inUnits({}, 10)).toEqual({});
    },
  );
});

describe('the lower of the own limits and those of a window', () => {
  test.each<[string, own: Window, window: Window | undefined, units: number, lower: object]>([
    ['CloneSet', { maxUnavailable: 3, maxSurge: 0 }, undefined, 10, { maxUnavailable: 3, maxSurge: 0 }],
    [
      'CloneSet',
      { maxUnavailable: 3, maxSurge: 2 },
      { maxUnavailable: 1 },
      10,
      { maxUnavailable: 1, maxSurge: 2 },
    ],
    [
      'CloneSet',
      { maxUnavailable: '100%', maxSurge: 0 },
      { maxUnavailable: 1, maxSurge: 0 },
      10,
      { maxUnavailable: 1, maxSurge: 0 },
    ],
    [
      'CloneSet',
      { maxUnavailable: '25%', maxSurge: 0 },
      { maxUnavailable: '21%', maxSurge: 0 },
      10,
      { maxUnavailable: 3, maxSurge: 0 },
    ],
    // Each side is rounded by its own surge: the other side's does not make up for its own missing pods.
    [
      'CloneSet',
      { maxUnavailable: '25%', maxSurge: 1 },
      { maxUnavailable: '25%', maxSurge: 0 },
      10,
      { maxUnavailable: 2, maxSurge: 0 },
    ],
    [
      'CloneSet',
      { maxUnavailable: 0, maxSurge: 1 },
      { maxUnavailable: 1, maxSurge: 0 },
      10,
      { maxUnavailable: 0, maxSurge: 0 },
    ],
    ['StatefulSet', { maxUnavailable: '30%' }, { maxUnavailable: '9%' }, 10, { maxUnavailable: 1 }],
    ['StatefulSet', { maxUnavailable: '29%' }, { maxUnavailable: 3 }, 10, { maxUnavailable: 2 }],
    ['SidecarSet', { maxUnavailable: '21%' }, { maxUnavailable: 5 }, 10, { maxUnavailable: 3 }],
    ['SidecarSet', { maxUnavailable: 4 }, { maxUnavailable: '0%' }, 10, { maxUnavailable: 0 }],
    ['BroadcastJob', { parallelism: 2147483647 }, { parallelism: '21%' }, 10, { parallelism: 3 }],
  ])('%s %j, window %j, %i units: %j', (kind, own, window, units, lower) => {
    const found = lowerOf(limitsOf(kind), own, window, units);
    expect(Object.fromEntries(Object.entries(found).map(([field, { count }]) => [field, count]))).toEqual(
      lower,
    );
  });
});

test('the widest of several windows is taken field by field, at the live number of units', () => {
  const windows = [
    { maxUnavailable: '25%', maxSurge: 1 },
    { maxUnavailable: 2, maxSurge: '30%' },
  ];
  expect(widestOf(limitsOf('CloneSet'), windows, 10)).toEqual({ maxUnavailable: 2, maxSurge: 3 });
  expect(widestOf(limitsOf('CloneSet'), windows, 100)).toEqual({ maxUnavailable: 25, maxSurge: 30 });
});

test.each(plannedKinds.map((kind) => [kind.id.kind, kind] as const))(
  '%s: whatever both sides say, neither is exceeded, nor is a window by a loosened manifest',
  (kind, { limits }) => {
    const values = [0, 1, 3, '0%', '10%', '34%', '100%'];
    const fields = Object.keys(limits.windowFields(manifest(kind, {}))) as (keyof Window)[];
    const sides = fields.reduce<Window[]>(
      (all, field) => all.flatMap((side) => values.map((value) => ({ ...side, [field]: value }))),
      [{}],
    );
    for (const units of [0, 1, 3, 10])
      for (const own of sides)
        for (const window of sides) {
          const lower = lowerOf(limits, own, window, units);
          const [a, b] = [own, window].map((side) => limits.inUnits(side, units));
          const isLowest = fields.every(
            (field) => lower[field]?.count === Math.min(a?.[field]?.count ?? NaN, b?.[field]?.count ?? NaN),
          );
          if (!isLowest) expect([own, window, units, lower]).toEqual('the lower of both');
        }
  },
);
