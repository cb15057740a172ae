import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { type Action, inSequence } from '../../../semantics/decision.ts';
import { deleteThroughHook, updateThroughHook } from '../../../semantics/lifecycle/transitions.ts';
import { readLifecycle } from '../../../semantics/lifecycle/hooks.ts';
import { hookWait } from '../../../semantics/lifecycle/wait.ts';
import { IN_PLACE_READY, KRUISE_POD_READY, type Pod } from '../../../semantics/pod/types.ts';
import { deletePod } from '../../../semantics/pod/writes.ts';
import { AT, no, yes } from '../pod/pods.ts';
import { DRAIN, hooks, podIn, READY } from './fixtures.ts';

const NOW = Date.parse(AT);
const marking = hooks({ markPodNotReady: true });
const gated = { gates: [IN_PLACE_READY, KRUISE_POD_READY] };
const event = { type: 'Normal', reason: 'SuccessfulDelete', message: 'gone' } as const;

const textOf = (next: Action | { reason: string }): string =>
  'do' in next
    ? inSequence([next])
        .map(({ verb }) => verb)
        .join(', ')
    : 'waits';

const remove = (pod: Pod, lifecycle = hooks()): Action | { reason: string } =>
  deleteThroughHook(lifecycle, pod, deletePod(pod, 'is too many', event), NOW);

const update = (pod: Pod, lifecycle = hooks(), images: Record<string, string> = { main: 'web:2' }) =>
  updateThroughHook(
    lifecycle,
    pod,
    {
      change: { images, metadata: { labels: {}, annotations: {} } },
      goal: { name: 'web-7c', shortHash: '7c' },
      gracePeriodSeconds: 0,
      reason: 'its turn',
    },
    NOW,
  );

const holders = (...keys: string[]) => ({
  ...no(KRUISE_POD_READY),
  message: JSON.stringify(keys.map((key) => ({ userAgent: 'Lifecycle', key }))),
});

describe('a deletion waits for the hook preDelete (OpenKruise inplace-update, rule 6.9)', () => {
  test.each<[string, Pod, string]>([
    ['a held pod is prepared (AS-37, CS-15)', podIn('Normal', [DRAIN]), 'set lifecycle PreparingDelete'],
    ['so is one in any state', podIn('Updated', [DRAIN]), 'set lifecycle PreparingDelete'],
    ['a prepared pod waits', podIn('PreparingDelete', [DRAIN]), 'waits'],
    ['and is deleted when the hook is gone (AS-37, CS-15)', podIn('PreparingDelete'), 'delete'],
    ['a hook that the pod does not carry holds nothing (IU-34)', podIn('Normal', [READY]), 'delete'],
  ])('%s', (_, pod, next) => {
    expect(textOf(remove(pod))).toBe(next);
  });

  test('a finalizer holds as a label does', () => {
    const lifecycle = readLifecycle({ preDelete: { finalizersHandler: [DRAIN] } });
    expect(textOf(remove(podIn('Normal', [], [DRAIN]), lifecycle))).toBe('set lifecycle PreparingDelete');
    expect(textOf(remove(podIn('PreparingDelete', [DRAIN]), lifecycle))).toBe('delete');
  });

  test.each<[string, Pod, string]>([
    [
      'first out of traffic, then prepared',
      podIn('Normal', [DRAIN], [], gated),
      'set KruisePodReady=False, set lifecycle PreparingDelete',
    ],
    [
      'a crash came in between',
      podIn('Normal', [DRAIN], [], { ...gated, conditions: [holders('preDeleteHook')] }),
      'set lifecycle PreparingDelete',
    ],
    [
      'another controller has let it into traffic again',
      podIn('PreparingDelete', [DRAIN], [], { ...gated, conditions: [yes(KRUISE_POD_READY)] }),
      'set KruisePodReady=False',
    ],
    [
      'it waits',
      podIn('PreparingDelete', [DRAIN], [], { ...gated, conditions: [holders('preDeleteHook')] }),
      'waits',
    ],
    ['a pod without the gate is only prepared', podIn('Normal', [DRAIN]), 'set lifecycle PreparingDelete'],
  ])('markPodNotReady: %s (IU-32)', (_, pod, next) => {
    expect(textOf(remove(pod, marking))).toBe(next);
  });
});

describe('an update in place waits for the hook inPlaceUpdate (OpenKruise inplace-update, rule 6.9)', () => {
  const drained = { conditions: [no(IN_PLACE_READY, 'StartInPlaceUpdate')] };
  test.each<[string, Pod, string]>([
    ['a held pod is prepared (AS-38, IU-28)', podIn('Normal', [READY]), 'set lifecycle PreparingUpdate'],
    ['so is one without a state', podIn(undefined, [READY]), 'set lifecycle PreparingUpdate'],
    ['a prepared pod waits (IU-28)', podIn('PreparingUpdate', [READY]), 'waits'],
    ['it is drained when the hook is gone', podIn('PreparingUpdate'), 'drain'],
    ['and updated (AS-38, IU-28)', podIn('PreparingUpdate', [], [], drained), 'update in place'],
    ['what has begun does not wait again', podIn('Updating', [READY], [], drained), 'update in place'],
    ['a pod that does not carry the hook does not wait (IU-34)', podIn('Normal'), 'drain'],
  ])('%s', (_, pod, next) => {
    expect(textOf(update(pod))).toBe(next);
  });

  test('the state goes with the patch of the images', () => {
    const written = update(podIn('PreparingUpdate', [], [], drained)) as { body: JsonObject };
    const metadata = written.body['metadata'] as { labels: object; annotations: object };
    expect(metadata.labels).toMatchObject({
      'lifecycle.apps.kruise.io/state': 'Updating',
      'controller-revision-hash': 'web-7c',
    });
    expect(metadata.annotations).toHaveProperty(['lifecycle.apps.kruise.io/timestamp'], AT);
  });

  test('without the hook the state stays as it is', () => {
    const written = update(podIn('Normal', [], [], drained), {}) as { body: JsonObject };
    expect((written.body['metadata'] as { labels: object }).labels).not.toHaveProperty([
      'lifecycle.apps.kruise.io/state',
    ]);
  });

  test('an updated pod gets all handlers again before its next update', () => {
    const lifecycle = readLifecycle({
      inPlaceUpdate: { labelsHandler: { [READY]: 'true' }, finalizersHandler: [DRAIN] },
    });
    const written = update(podIn('Updated', [READY]), lifecycle) as { body: JsonObject; event: object };
    expect(written.body['metadata']).toMatchObject({
      labels: { [READY]: 'true', 'lifecycle.apps.kruise.io/state': 'PreparingUpdate' },
      finalizers: [DRAIN],
    });
    expect(written.event).toMatchObject({ reason: 'WaitsForHook' });
  });

  test.each<[string, Pod, string]>([
    [
      'first out of traffic, then prepared',
      podIn('Normal', [READY], [], gated),
      'set KruisePodReady=False, set lifecycle PreparingUpdate',
    ],
    [
      'it waits',
      podIn('PreparingUpdate', [READY], [], { ...gated, conditions: [holders('preUpdateHook')] }),
      'waits',
    ],
  ])('markPodNotReady: %s (IU-31)', (_, pod, next) => {
    expect(textOf(update(pod, marking))).toBe(next);
  });
});

describe('what ends a wait', () => {
  const both = readLifecycle({
    preDelete: { labelsHandler: { [DRAIN]: 'true', [READY]: 'true' } },
    inPlaceUpdate: { finalizersHandler: [DRAIN] },
    preNormal: { labelsHandler: { [READY]: 'true' } },
  });
  test.each<[Pod, string | undefined]>([
    [
      podIn('PreparingDelete', [READY]),
      'waits for hook preDelete, label example.com/ready=true: kubectl label pod web-abcde -n shop example.com/ready-',
    ],
    [
      podIn('PreparingDelete', [READY, DRAIN]),
      'waits for hook preDelete, label example.com/drain=true and 1 more: kubectl label pod web-abcde -n shop example.com/drain-',
    ],
    [
      podIn('PreparingUpdate', [], [DRAIN]),
      `waits for hook inPlaceUpdate, finalizer example.com/drain: kubectl patch pod web-abcde -n shop -p '{"metadata":{"$deleteFromPrimitiveList/finalizers":["example.com/drain"]}}'`,
    ],
    [
      podIn('Updated'),
      `waits for hook inPlaceUpdate, finalizer example.com/drain: kubectl patch pod web-abcde -n shop -p '{"metadata":{"finalizers":["example.com/drain"]}}'`,
    ],
    [
      podIn('PreparingNormal'),
      'waits for hook preNormal, label example.com/ready=true: kubectl label pod web-abcde -n shop example.com/ready=true --overwrite',
    ],
    [podIn('PreparingDelete'), undefined],
    [podIn('Normal', [READY, DRAIN]), undefined],
  ])('%#', (pod, text) => {
    expect(hookWait(both, pod)).toBe(text);
  });

  test('its Event says so', () => {
    const { event: sent } = remove(podIn('Normal', [DRAIN])) as { event: object };
    expect(sent).toEqual({
      type: 'Normal',
      reason: 'WaitsForHook',
      message:
        'pod web-abcde waits for hook preDelete, label example.com/drain=true: kubectl label pod web-abcde -n shop example.com/drain-',
    });
  });
});
