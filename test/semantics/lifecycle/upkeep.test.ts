import { describe, expect, test } from 'vitest';
import { noHooks } from '../../../semantics/lifecycle/hooks.ts';
import { graceEndsAt, updateInPlace } from '../../../semantics/pod/update-in-place.ts';
import { upkeep } from '../../../semantics/lifecycle/upkeep.ts';
import { IN_PLACE_READY, LIFECYCLE_LABEL, type Pod, SHORT_HASH_LABEL } from '../../../semantics/pod/types.ts';
import { inSequence } from '../../../semantics/decision.ts';
import { AT, no, type Parts, pod, yes } from '../pod/pods.ts';

const NOW = Date.parse(AT);
const HASH = '6b7c9d58f';

function onNode(parts: Parts): Pod {
  const made = pod(parts);
  return { ...made, spec: { ...made.spec, nodeName: 'node-1' } };
}

function verbs(
  parts: Parts,
  ask: Partial<Parameters<typeof upkeep>[1]> = {},
  made = onNode(parts),
): string[] {
  const whole = {
    lifecycle: noHooks,
    waitsForUpdate: () => false,
    isLeaving: () => false,
    shortHashOf: () => HASH,
    canResize: true,
    now: NOW,
    ...ask,
  };
  return inSequence(upkeep([made], whole)).map(({ verb }) => verb);
}

const labels = (state?: string, hash: string | undefined = HASH): Record<string, string> => ({
  ...(state === undefined ? {} : { [LIFECYCLE_LABEL]: state }),
  [SHORT_HASH_LABEL]: hash,
});
const open = [yes(IN_PLACE_READY)];
const drained = [no(IN_PLACE_READY, 'StartInPlaceUpdate')];

describe('the upkeep of a pod of any owner (OpenKruise workloads, rule 6.5 step 1)', () => {
  test.each<[string, Parts, string[]]>([
    ['nothing to do', { conditions: open, labels: labels('Normal') }, []],
    ['a new pod: its gate opens', { labels: labels('Normal') }, ['set InPlaceUpdateReady=True']],
    [
      'one that OpenKruise created: its gate opens, and it is Normal at once',
      { labels: labels('PreparingNormal') },
      ['set InPlaceUpdateReady=True', 'set lifecycle Normal'],
    ],
    ['only its state is left', { conditions: open, labels: labels('Updated') }, ['set lifecycle Normal']],
    [
      'drained and complete',
      { conditions: drained, labels: labels('Normal') },
      ['set InPlaceUpdateReady=True'],
    ],
    ['it lacks the hash of its revision', { conditions: open }, ['label']],
    [
      'its deletion was started, and it stays',
      { conditions: open, labels: labels('PreparingDelete') },
      ['set lifecycle Normal'],
    ],
  ])('%s', (_, parts, expected) => {
    expect(verbs(parts)).toEqual(expected);
  });

  test('its deletion was started, and it is deleted: nothing', () => {
    const parts = { conditions: open, labels: labels('PreparingDelete') };
    expect(verbs(parts, { isLeaving: () => true })).toEqual([]);
  });

  test('it is drained and still to be updated: its gate stays closed', () => {
    const parts = { conditions: drained, labels: labels('Normal') };
    expect(verbs(parts, { waitsForUpdate: () => true })).toEqual([]);
  });

  test('it has no node yet: its gate waits', () => {
    expect(verbs({}, {}, pod({ labels: labels('PreparingNormal') }))).toEqual([]);
  });

  test('its revision has no object: no hash is added', () => {
    expect(verbs({ conditions: open }, { shortHashOf: () => undefined })).toEqual([]);
  });
});

describe('an update in place is two writes (OpenKruise inplace-update, rule 6.3)', () => {
  const goal = { name: 'web-7c', shortHash: '7c' };
  const update = (parts: Parts, images: Record<string, string>, gracePeriodSeconds = 0): string | undefined =>
    updateInPlace(
      pod(parts),
      {
        change: { images, metadata: { labels: {}, annotations: {} } },
        goal,
        gracePeriodSeconds,
        reason: 'it is its turn',
      },
      NOW,
    )?.verb;
  const image = { main: 'web:2' };

  test.each<[string, string | undefined, Parts, Record<string, string>, number?]>([
    ['the pod is drained first', 'drain', { conditions: open }, image],
    ['then the image changes', 'update in place', { conditions: drained }, image],
    ['without the gate there is nothing to drain', 'update in place', { gates: [] }, image],
    ['labels alone need no drain', 'update in place', { conditions: open }, {}],
    ['its grace period is not over', undefined, { conditions: drained }, image, 600_000],
  ])('%s: %s', (_, verb, parts, images, grace) => {
    expect(update(parts, images, grace)).toBe(verb);
  });

  test('the grace period counts from the drain', () => {
    const since = Date.parse(drained[0]?.lastTransitionTime ?? '');
    expect(graceEndsAt(pod({ conditions: drained }), 30)).toBe(since + 30_000);
    expect(graceEndsAt(pod({ conditions: open }), 30)).toBeUndefined();
  });
});
