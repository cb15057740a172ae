import { expect, test } from 'vitest';
import { factsOf } from '../../../semantics/pod/facts.ts';
import {
  addNotReadyKey,
  kruiseReadyCondition,
  removeNotReadyKey,
} from '../../../semantics/pod/kruise-ready.ts';
import { IN_PLACE_READY, KRUISE_POD_READY, LIFECYCLE_LABEL } from '../../../semantics/pod/types.ts';
import { AT, no, type Parts, pod, yes } from './pods.ts';

const NOW = Date.parse(AT);
const hook = { userAgent: 'Lifecycle', key: 'preUpdateHook' };
const other = { userAgent: 'ContainerRecreateRequest', key: 'shop/again' };
const closed = (...blockers: object[]) => [{ ...no(KRUISE_POD_READY), message: JSON.stringify(blockers) }];
const open = { type: KRUISE_POD_READY, status: 'True', lastTransitionTime: AT };

test.each<[string, Parts, object | undefined]>([
  ['it has no condition: it is opened', {}, open],
  ['it is open', { conditions: [yes(KRUISE_POD_READY)] }, undefined],
  ['the pod has no such gate', { gates: ['other'] }, undefined],
  [
    'a finished hook is still a holder: it is opened',
    { conditions: closed(hook) },
    { ...open, status: 'True', message: '[]' },
  ],
  [
    'it has other holders, too: they stay',
    { conditions: closed(other, hook) },
    { ...open, status: 'False', message: JSON.stringify([other]) },
  ],
  ['only other holders: nothing is written', { conditions: closed(other) }, undefined],
  ['closed without a holder: it stays', { conditions: closed() }, undefined],
  ['an invalid message stays', { conditions: [{ ...no(KRUISE_POD_READY), message: 'because' }] }, undefined],
  [
    'a message that is no list stays',
    { conditions: [{ ...no(KRUISE_POD_READY), message: '{}' }] },
    undefined,
  ],
  [
    'a hook still holds the pod before its update',
    { conditions: closed(hook), labels: { [LIFECYCLE_LABEL]: 'PreparingUpdate' } },
    undefined,
  ],
  [
    'a hook still holds the pod before its deletion',
    { conditions: closed(hook), labels: { [LIFECYCLE_LABEL]: 'PreparingDelete' } },
    undefined,
  ],
  [
    'a hook still holds the pod in its update (IU-31)',
    { conditions: closed(hook), labels: { [LIFECYCLE_LABEL]: 'Updating' } },
    undefined,
  ],
  [
    'no hook is active any more',
    { conditions: closed(hook), labels: { [LIFECYCLE_LABEL]: 'Updated' } },
    { ...open, message: '[]' },
  ],
])('the gate KruisePodReady (OpenKruise inplace-update, rule 6.8): %s', (_, parts, expected) => {
  const gated = pod({ gates: [KRUISE_POD_READY], ...parts });
  expect(kruiseReadyCondition(gated, factsOf(gated).lifecycle, NOW)).toEqual(expected);
});

test.each<[string, Parts, boolean]>([
  ['the gate KruisePodReady', { gates: [KRUISE_POD_READY] }, false],
  ['a gate of others', { gates: ['other'] }, true],
  ['no gate', { gates: [] }, true],
  ['a gate without a condition', {}, false],
  ['a closed gate', { conditions: [no(IN_PLACE_READY)] }, false],
  ['a gate that is open', { conditions: [yes(IN_PLACE_READY)] }, true],
])('of a pod with %s nothing is left to do: %j', (_, parts, settled) => {
  const labels = { 'pod-template-hash': '6b7c9d58f' };
  expect(factsOf(pod({ ...parts, labels })).settled).toBe(settled);
});

const conditionsOf = (patch: object | undefined): object | undefined =>
  (patch as { status: { conditions: object[] } } | undefined)?.status.conditions;
const written = (status: string, ...holders: object[]): object => ({
  type: KRUISE_POD_READY,
  status,
  lastTransitionTime: AT,
  reason: null,
  message: JSON.stringify(holders),
});

test.each<[string, Parts, object[] | undefined]>([
  ['the gate has no condition', {}, [written('False', hook)]],
  ['an open gate', { conditions: [yes(KRUISE_POD_READY)] }, [written('False', hook)]],
  [
    'another holder: in the order of their names',
    { conditions: closed(other) },
    [written('False', other, hook)],
  ],
  ['it is a holder already', { conditions: closed(hook) }, undefined],
  ['the pod has no such gate', { gates: ['other'] }, undefined],
  [
    'the list of holders is invalid, and stays',
    { conditions: [{ ...no(KRUISE_POD_READY), message: 'because' }] },
    undefined,
  ],
  [
    'endpoints follow at once where the containers are ready',
    { conditions: [yes(KRUISE_POD_READY), yes('ContainersReady'), yes('Ready')] },
    [
      written('False', hook),
      {
        type: 'Ready',
        status: 'False',
        reason: 'ReadinessGatesNotReady',
        message: `the status of pod readiness gate "${KRUISE_POD_READY}" is not "True", but False`,
        lastTransitionTime: AT,
      },
    ],
  ],
])(
  'adding a holder takes a pod out of traffic (OpenKruise inplace-update, rule 6.8; IU-27): %s',
  (_, parts, expected) => {
    expect(conditionsOf(addNotReadyKey(pod({ gates: [KRUISE_POD_READY], ...parts }), hook, NOW))).toEqual(
      expected,
    );
  },
);

test.each<[string, Parts, object[] | undefined]>([
  ['it was the last one: the gate opens', { conditions: closed(hook) }, [written('True')]],
  ['the others stay', { conditions: closed(other, hook) }, [written('False', other)]],
  ['it is no holder', { conditions: closed(other) }, undefined],
  [
    'another key of the same name is another holder',
    { conditions: closed({ ...hook, key: 'other' }) },
    undefined,
  ],
  ['the gate is open', { conditions: [yes(KRUISE_POD_READY)] }, undefined],
  ['the gate has no condition', {}, undefined],
])('a holder removes only its own entry (IU-27): %s', (_, parts, expected) => {
  expect(conditionsOf(removeNotReadyKey(pod({ gates: [KRUISE_POD_READY], ...parts }), hook, NOW))).toEqual(
    expected,
  );
});

test('both writes are bound to the version of the pod, so that a holder added meanwhile is not lost', () => {
  const version = { uid: 'uid-1', resourceVersion: '42' };
  const gates = [KRUISE_POD_READY];
  expect(addNotReadyKey(pod({ gates }), hook, NOW)?.['metadata']).toEqual(version);
  expect(removeNotReadyKey(pod({ gates, conditions: closed(hook) }), hook, NOW)?.['metadata']).toEqual(
    version,
  );
});
