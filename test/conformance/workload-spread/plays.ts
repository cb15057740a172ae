import { resources } from '../../../schemas/wire/resources.ts';
import { workloadSpreadKind } from '../../../semantics/workloadspread/kind.ts';
import type { KindPlay, Start } from '../plays.ts';
import { MINUTE, sizeOf, spread, spreadWorld, type WorkloadKind } from './world.ts';

/** As the ending shows them: so many pods in zone a and in b. */
const pods = (inA: number, inB: number): string =>
  [...Array<string>(inA).fill('node-a'), ...Array<string>(inB).fill('node-b b')].join(', ');

/** A play with what it must end with. */
type Played = readonly [title: string, play: (start: Start) => Promise<unknown>, expected: unknown];

const CAP = 2;

/**
 * A workload that grows from two pods to six, is updated, and shrinks to two, with at most two pods in zone a and the rest in b. Whatever
 * becomes of the runtime, zone a never has more, and every pod stays in the zone that it was made for.
 */
function scaled(kind: WorkloadKind): Played {
  return [
    `a ${kind} of two pods, then six, updated, and two again (WS-3, WS-4)`,
    async (start) => {
      const { begin, create, change, update, located, counts, most, stop } = await spreadWorld(start);
      await begin(spread(kind, [CAP]));
      await create(kind, 2);
      const small = await located();
      await change(kind, { replicas: 6 });
      const large = await located();
      await update(kind);
      const [updated, present] = [await located(), await counts()];
      await change(kind, { replicas: 2 });
      const ending = { small, large, updated, again: await located(), most: most()[0], counts: present };
      await stop();
      return ending;
    },
    {
      ...{ small: pods(2, 0), large: pods(2, 4), updated: pods(2, 4), again: pods(2, 0), most: CAP },
      counts: ['"a" 2 0', '"b" 4 -1'],
    },
  ];
}

/** A workload that grows from two pods to eight, half of them in each zone. No zone ever has more. */
function halved(kind: WorkloadKind): Played {
  const isUpdated = kind !== 'Job';
  return [
    `a ${kind} of two pods, then eight, a half in each zone`,
    async (start) => {
      const { begin, create, change, update, located, counts, most, stop } = await spreadWorld(start);
      await begin(spread(kind, ['50%', '50%']));
      await create(kind, 2);
      const small = await located();
      await change(kind, sizeOf(kind, 8));
      const large = await located();
      if (isUpdated) await update(kind);
      const ending = { small, large, updated: await located(), counts: await counts(), most: most() };
      await stop();
      return ending;
    },
    {
      ...{ small: pods(1, 1), large: pods(4, 4), updated: pods(4, 4), most: [4, 4] },
      counts: ['"a" 4 0', '"b" 4 0'],
    },
  ];
}

/** Six pods that are there before their WorkloadSpread, three in each zone, and three more. */
function older(kind: WorkloadKind): Played {
  return [
    `a ${kind} of six pods that gets a WorkloadSpread, and then three more`,
    async (start) => {
      const { begin, create, change, located, counts, most, stop } = await spreadWorld(start);
      await create(kind, 6);
      await begin(spread(kind, [3]));
      await change(kind, sizeOf(kind, 9));
      // Of pods of others no label changes.
      const ending = { all: (await located()).replaceAll(' b', ''), counts: await counts(), most: most() };
      await stop();
      return ending;
    },
    { all: pods(3, 6).replaceAll(' b', ''), counts: ['"a" 3 0', '"b" 6 -1'], most: [3, 6] },
  ];
}

/** Zone a takes no pods: those of subset a go to b after half a minute. Later it does, and has its own again. */
function closed(kind: WorkloadKind): Played {
  return [
    `a ${kind} whose first zone is full, and is not any more`,
    async (start) => {
      const { clock, user, begin, create, change, located, counts, most, stop } = await spreadWorld(start);
      const cordon = async (unschedulable: boolean): Promise<void> =>
        void (await user.patch(
          resources.Node,
          { name: 'node-a' },
          { type: 'merge', body: { spec: { unschedulable } } },
        ));
      await cordon(true);
      const adaptive = { rescheduleCriticalSeconds: 30 };
      await begin(spread(kind, [CAP], { scheduleStrategy: { type: 'Adaptive', adaptive } }));
      await create(kind, 4);
      await clock.advance(5 * MINUTE);
      const full = await located();
      await cordon(false);
      await clock.advance(10 * MINUTE);
      await change(kind, sizeOf(kind, 8));
      const ending = { full, open: await located(), counts: await counts(), most: most() };
      await stop();
      return ending;
    },
    { full: pods(0, 4), open: pods(2, 6), counts: ['"a" 2 0', '"b" 6 -1'], most: [CAP, 6] },
  ];
}

const played: readonly Played[] = [
  ...(['CloneSet', 'StatefulSet', 'Deployment'] as const).map(scaled),
  ...(['CloneSet', 'Deployment', 'Job'] as const).flatMap((kind) => [
    halved(kind),
    older(kind),
    closed(kind),
  ]),
];

export const plays: readonly KindPlay[] = played.map(([title, play, expected]) => ({
  ...{ kind: workloadSpreadKind, title, play, expected },
  sends: (writes) => writes.some((text) => text.includes('workloadspreads')),
}));
