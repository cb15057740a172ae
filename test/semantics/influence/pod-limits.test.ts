import { expect, it } from 'vitest';
import { withinLimits } from '../../../semantics/limits/disruption.ts';
import { podLimits } from '../../../semantics/sidecarset/pod-limits.ts';
import type { SlotLimits } from '../../../semantics/limits/slots.ts';
import type { Pod } from '../../../semantics/pod/types.ts';

const pod = (name: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop', uid: `uid-${name}` },
  spec: { containers: [] },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
});

function slots(left: number, covers: (pod: Pod, how: string) => boolean): SlotLimits {
  const limit = { name: `Cap ${left}`, most: 1, unavailable: [], left };
  return { limitOf: (each, how) => (covers(each, how) ? limit : undefined) };
}

it.each([
  ['has none left', 0, ['b1'], ''],
  ['has one left', 1, ['a1', 'b1'], ', and a1 is changed first'],
])('an object that %s keeps no pod waiting that it does not cover', (_, left, free, why) => {
  const pods = ['a1', 'a2', 'b1'].map(pod);
  const influences = [
    slots(left, ({ metadata }, how) => metadata.name.startsWith('a') && how === 'Update'),
    { limitOf: () => undefined },
  ];
  const limits = podLimits({ pods, owners: [], influences: () => influences, now: 0 });
  if (limits === undefined) throw new Error('limits are observed');
  const found = withinLimits(pods, limits);
  expect(found.free.map(({ metadata }) => metadata.name)).toEqual(free);
  expect(found.waiting.at(-1)?.reason).toBe(`Cap ${left} allows 1 unavailable pod${why}`);
});
