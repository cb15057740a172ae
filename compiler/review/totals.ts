import { formatDuration } from '../../semantics/values/duration.ts';
import { countText } from '../../semantics/values/text.ts';
import { sum } from '../forecast/gates.ts';
import type { ShownGroup } from './groups.ts';
import { EFFECTS, type Effect, type Risk } from './order.ts';

/** What all groups come to. */
export interface Totals {
  /** How many targets there are of each effect, in the order of `EFFECTS`; none of 0. */
  effects: readonly { effect: Effect; targets: number }[];
  /** How many times a person has to agree, over all targets. */
  approvals: number;
  /** How long the longest rollout takes at least, approvals aside, milliseconds. */
  leastMs: number;
}

/** Adds up groups. */
export function totalsOf(groups: readonly ShownGroup[]): Totals {
  return {
    effects: EFFECTS.flatMap((effect) => {
      const targets = membersOf(groups.filter((group) => group.effect === effect));
      return targets === 0 ? [] : [{ effect, targets }];
    }),
    approvals: sum(groups.map(({ plan, members }) => (plan?.approvals ?? 0) * members.length)),
    leastMs: groups.reduce((most, { plan }) => Math.max(most, plan?.leastMs ?? 0), 0),
  };
}

/** Risks that the effects do not show, as clauses about a number of targets. */
const COUNTED_RISKS: readonly (readonly [Risk, string])[] = [
  ['LosesData', 'deleting volume claims'],
  ['MayLoseData', 'no longer retaining volume claims'],
  ['NeedsNoPlan', 'no longer in need of plans'],
  ['NoAvailability', 'without an available pod at times'],
  ['HostAccess', 'reaching their nodes'],
  ['NotReversible', 'not reversible'],
  ['NoGate', 'without a gate'],
];

/** `39 in place, 1 recreated; 1 without a gate; 20 approvals; the longest takes at least 3h, approvals aside.` */
export function totalsText(groups: readonly ShownGroup[]): string {
  const { approvals, leastMs } = totalsOf(groups);
  const risks = COUNTED_RISKS.flatMap(([risk, words]) => {
    const targets = membersOf(groups.filter((group) => group.risks.includes(risk)));
    return targets === 0 ? [] : [`${targets} ${words}`];
  });
  const naming = membersOf(groups.filter(namesPods));
  if (naming > 0) risks.unshift(`${naming} deleting pods by name`);
  const parts = [
    effectsText(groups),
    ...(risks.length === 0 ? [] : [risks.join(', ')]),
    countText(approvals, 'approval'),
    ...(leastMs === 0 ? [] : [`the longest takes at least ${formatDuration(leastMs)}, approvals aside`]),
  ];
  return `${parts.join('; ')}.`;
}

/** Whether pods are deleted by name: a target that is deleted is removed, and counted as that. */
function namesPods({ risks, effect }: ShownGroup): boolean {
  return risks.includes('Deletes') && effect !== 'removed';
}

/** `39 in place, 1 recreated` */
export function effectsText(groups: readonly ShownGroup[]): string {
  return totalsOf(groups)
    .effects.map(({ effect, targets }) => `${targets} ${effect}`)
    .join(', ');
}

/** How many targets the groups have. */
export function membersOf(groups: readonly ShownGroup[]): number {
  return sum(groups.map(({ members }) => members.length));
}
