import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import {
  apply,
  approve,
  commit,
  deletePlan,
  phase,
  ready,
  replacePlan,
  tamperWithPlan,
  unitsAt,
  type PlanOptions,
} from './actions.ts';
import { all, type Change, type Subject, type World } from './subject.ts';

const canary: Step[] = [{ id: 'one', update: { to: 1 } }, { id: 'ok', approve: {} }, all];
const gated: Step[] = [
  { id: 'one', update: { to: 1 } },
  { id: 'soak', soak: { for: '1m' } },
  ...canary.slice(1),
];

/** The worlds of a change, for any kind: what may happen between its start and its end. */
export function historiesOf(subject: Subject, { title, mode, states, surges = false }: Change): World[] {
  const [first, second, third] = states;
  const target = first.manifest;
  const size = subject.sizeOf(target);
  const way: PlanOptions = { mode, from: [target] };
  const onTop: PlanOptions = { mode, from: [second.manifest, target] };
  const to = (phaseAtEnd: string, { manifest, revision }: Change['states'][number]): World['end'] => ({
    phase: phaseAtEnd,
    units: { [revision]: size },
    stable: subject.hashOf(manifest),
  });
  // Recreated units may exist or not when the goal changes; units that are updated in place are updated again.
  const mayBeMissed = mode !== 'InPlace';
  const begun = [commit(second.manifest, way), unitsAt(second.revision, 2)];
  const atTheGate = [commit(second.manifest, { ...way, steps: canary }), phase('AwaitingApproval')];
  const world = (what: string, parts: Omit<World, 'title' | 'target'>): World => ({
    title: `${title}: ${what}`,
    target,
    ...parts,
  });
  return [
    world('all at once', { script: [commit(second.manifest, way)], end: to('Succeeded', second) }),
    world('one, a soak, an approval, all', {
      everyCall: true,
      script: [
        commit(second.manifest, { ...way, steps: gated }),
        phase('AwaitingApproval'),
        ready(size),
        approve('ok'),
      ],
      end: to('Succeeded', second),
    }),
    world('a hotfix takes over at the approval', {
      hangsOnMoments: surges,
      script: [...atTheGate, commit(third.manifest, onTop)],
      end: to('Succeeded', third),
    }),
    world('a hotfix takes over in the middle of a batch', {
      everyCall: true,
      hangsOnMoments: true,
      mayBeMissed,
      script: [...begun, commit(third.manifest, onTop)],
      end: to('Succeeded', third),
    }),
    world('git revert at the approval', {
      hangsOnMoments: surges,
      script: [...atTheGate, apply(target)],
      end: to('Reverted', first),
    }),
    world('git revert in the middle of a batch', {
      everyCall: true,
      hangsOnMoments: true,
      mayBeMissed,
      script: [...begun, apply(target)],
      end: to('Reverted', first),
    }),
    world('there and back again, and a hotfix, before anybody looks', {
      hangsOnMoments: true,
      mayBeMissed: true,
      script: [
        commit(second.manifest, way),
        apply(target),
        apply(second.manifest),
        apply(target),
        commit(third.manifest, onTop),
      ],
      end: to('Succeeded', third),
    }),
    world('the plan is deleted in the middle of a batch, and comes back', {
      hangsOnMoments: true,
      script: [...begun, ...deletePlan()],
      end: to('Succeeded', second),
    }),
    world('the plan is edited by hand in the middle of a batch, and put back', {
      hangsOnMoments: true,
      script: [...begun, ...tamperWithPlan()],
      end: to('Succeeded', second),
    }),
    world('the plan is replaced by one that does not list it, and put back', {
      hangsOnMoments: true,
      script: [...begun, ...replacePlan(third.manifest, way)],
      end: to('Succeeded', second),
    }),
  ];
}

/** The histories of `fewHistoriesOf`. */
const FEW = [
  'all at once',
  'one, a soak, an approval, all',
  'a hotfix takes over in the middle of a batch',
  'git revert in the middle of a batch',
];

/** Some of these worlds, for changes of which a kind has many. */
export function fewHistoriesOf(subject: Subject, change: Change): World[] {
  return historiesOf(subject, change).filter(({ title }) => FEW.some((few) => title.endsWith(`: ${few}`)));
}
