import { describe, expect, test } from 'vitest';
import { validateStatefulSet } from '../../../schemas/generated/validate/statefulset.js';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { updateLimits } from '../../../semantics/limits/window.ts';
import { statefulSetKind } from '../../../semantics/statefulset/kind.ts';
import { normalizeStatefulSet } from '../../../semantics/statefulset/normalize.ts';
import { type Given, targetOf } from './model.ts';

const { git } = statefulSetKind;
const RULES = 'spec.updateStrategy.rollingUpdate';
const parallel: Given = { replicas: 3, pods: '' };
const ordered: Given = { ...parallel, policy: 'OrderedReady' };

const withSpec = (spec: JsonObject): KubeObject => {
  const target = targetOf(parallel);
  return { ...target, spec: { ...(target['spec'] as JsonObject), ...spec } };
};

describe('what admission refuses', () => {
  test.each<[what: string, manifest: KubeObject, faults: string[]]>([
    ['nothing', targetOf({ ...parallel, max: '20%' }), []],
    ['one pod with OrderedReady', targetOf({ ...ordered, max: 1 }), []],
    ['two pods with OrderedReady (AS-15)', targetOf({ ...ordered, max: 2 }), [`${RULES}.maxUnavailable`]],
    [
      'all pods with OrderedReady (AS-15)',
      targetOf({ ...ordered, max: '100%' }),
      [`${RULES}.maxUnavailable`],
    ],
    [
      'two creations with OrderedReady (AS-15)',
      targetOf({ ...ordered, scale: 2 }),
      ['spec.scaleStrategy.maxUnavailable'],
    ],
    ['no pod (AS-16)', targetOf({ ...parallel, max: 0 }), [`${RULES}.maxUnavailable`]],
    ['no percentage (AS-16)', targetOf({ ...parallel, max: '0%' }), [`${RULES}.maxUnavailable`]],
    ['no creation (AS-16)', targetOf({ ...parallel, scale: '0%' }), ['spec.scaleStrategy.maxUnavailable']],
    ['an order', targetOf({ ...parallel, rolling: { unorderedUpdate: {} } }), []],
    [
      'an order with OrderedReady (AS-26)',
      targetOf({ ...ordered, rolling: { unorderedUpdate: {} } }),
      [`${RULES}.unorderedUpdate`],
    ],
    [
      'two kinds of priority (AS-29)',
      targetOf({
        ...parallel,
        rolling: {
          unorderedUpdate: {
            priorityStrategy: {
              orderPriority: [{ orderedKey: 'key' }],
              weightPriority: [{ weight: 1, matchSelector: { matchLabels: { app: 'web' } } }],
            },
          },
        },
      }),
      [`${RULES}.unorderedUpdate.priorityStrategy`],
    ],
    ['in place with the gate', targetOf({ ...parallel, rolling: { podUpdatePolicy: 'InPlaceOnly' } }), []],
    [
      'in place without the gate (AS-30)',
      {
        ...targetOf({ ...parallel, rolling: { podUpdatePolicy: 'InPlaceIfPossible' } }),
        spec: {
          ...(targetOf({ ...parallel, rolling: { podUpdatePolicy: 'InPlaceIfPossible' } })[
            'spec'
          ] as JsonObject),
          template: { metadata: { labels: { app: 'web' } }, spec: { containers: [] } },
        },
      },
      ['spec.template.spec.readinessGates'],
    ],
    [
      'settings of a rolling update with OnDelete',
      withSpec({ updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: 1 } } }),
      [RULES],
    ],
  ])('%s', (_what, manifest, faults) => {
    expect(git.lint(manifest, undefined).map(({ path }) => path.join('.'))).toEqual(faults);
  });
});

test.each<[seconds: number, errors: string[]]>([
  [300, []],
  [301, [`${RULES}.minReadySeconds`]],
  [-1, [`${RULES}.minReadySeconds`]],
])('minReadySeconds %i (AS-4)', (seconds, errors) => {
  const found = validateStatefulSet(targetOf({ ...parallel, rolling: { minReadySeconds: seconds } }));
  expect(found.map(({ path }) => path.join('.'))).toEqual(errors);
});

describe('what is held', () => {
  test.each<[reserve: (number | string)[], paths: string[]]>([
    [[1, '2-5'], []],
    [['5-2'], ['spec.reserveOrdinals.0']],
    [
      [0, '3', -1],
      ['spec.reserveOrdinals.1', 'spec.reserveOrdinals.2'],
    ],
  ])('the reservations %j (AS-7)', (reserve, paths) => {
    const found = statefulSetKind.validate(targetOf({ ...parallel, reserve }));
    expect(found.map(({ path }) => path.join('.'))).toEqual(paths);
  });

  test('a template that the selector does not match', () => {
    const template = { metadata: { labels: { app: 'db' } }, spec: { containers: [] } };
    const found = statefulSetKind.validate(withSpec({ template }));
    expect(found.map(({ path }) => path.join('.'))).toEqual(['spec.selector']);
  });
});

describe('how git is read', () => {
  test('both versions alike, with the defaults of OpenKruise', () => {
    const { selector, template } = targetOf(parallel)['spec'] as JsonObject;
    const bare = { ...targetOf(parallel), spec: { selector: selector ?? {}, template: template ?? {} } };
    const read = normalizeStatefulSet(bare);
    expect(read).toMatchObject({
      replicas: 1,
      isOrdered: true,
      start: 0,
      policy: 'ReCreate',
      partition: 0,
      maxUnavailable: 1,
      minReadySeconds: 0,
      revisionHistoryLimit: 10,
    });
    expect(normalizeStatefulSet({ ...bare, apiVersion: 'apps.kruise.io/v1alpha1' })).toEqual(read);
  });

  test('OnDelete has no rolling update', () => {
    const updateStrategy = { type: 'OnDelete', rollingUpdate: { partition: 2, minReadySeconds: 9 } };
    expect(git.read(withSpec({ updateStrategy }))).toMatchObject({
      units: { updates: { onDelete: true, partition: 0 }, pods: { minReadySeconds: 0 } },
    });
  });

  test.each<[max: number | string, step: number | undefined, units: number, count: number]>([
    [3, undefined, 10, 3],
    ['25%', undefined, 10, 2],
    ['20%', undefined, 3, 1],
    ['50%', 2, 10, 2],
    [2, 5, 10, 2],
    [9, undefined, 4, 4],
    ['50%', undefined, 0, 0],
  ])('%j of a step of %j at %i pods: %i at a time', (max, step, units, count) => {
    const limits = updateLimits(
      statefulSetKind.limits,
      { maxUnavailable: max, maxSurge: 0 },
      step === undefined ? undefined : { maxUnavailable: step },
      units,
    );
    expect([limits.maxUnavailable, limits.maxSurge]).toEqual([count, 0]);
  });

  test('fields are found where they are written', () => {
    const manifest = targetOf(parallel);
    expect(git.fieldPath(manifest, 'partition').join('.')).toBe(`${RULES}.partition`);
    expect(git.fieldPath(manifest, 'policy').join('.')).toBe(`${RULES}.podUpdatePolicy`);
    expect(git.fieldPath(manifest, 'type').join('.')).toBe('spec.updateStrategy.type');
    expect(git.fieldPath(manifest, 'replicas').join('.')).toBe('spec.replicas');
  });

  test('a reservation or a first ordinal moves pods', () => {
    const settings = git.read(targetOf({ ...parallel, reserve: ['2-3', 7] })).settings();
    expect(settings.find(({ name }) => name === 'reserveOrdinals')).toEqual({
      name: 'reserveOrdinals',
      value: ['2-3', 7],
      movesUnits: true,
      namesUnits: true,
    });
    const immutable = settings.filter(({ isImmutable }) => isImmutable === true).map(({ name }) => name);
    expect(immutable).toEqual(['serviceName', 'podManagementPolicy']);
    const moving = settings.filter(({ movesUnits }) => movesUnits).map(({ name }) => name);
    expect(moving).toEqual(['ordinals.start', 'reserveOrdinals', 'updateStrategy.type', 'paused']);
  });
});
