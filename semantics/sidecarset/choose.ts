import { withinBudget } from '../limits/budget.ts';
import { updateOrder } from '../pod/order.ts';
import { byPriority, type PriorityStrategy } from '../pod/priority.ts';
import { scattered, type ScatterTerm } from '../pod/scatter.ts';
import type { Pod } from '../pod/types.ts';
import { type IntOrPercent, partitionValue, scaleIntOrPercent } from '../values/int-or-percent.ts';
import { compareCodePoints } from '../values/canonical-json.ts';

/** The order in which pods are updated. */
export interface OrderStrategy {
  priorities: PriorityStrategy | undefined;
  scatter: readonly ScatterTerm[];
}

/** What the number of pods follows from. */
export interface RoundInput<Each> {
  /** Every pod that the set matches. */
  matched: number;
  /** Pods that wait for their update, in order. */
  waiting: readonly Each[];
  isReady(each: Each): boolean;
  /** Pods that use up the budget already. */
  unavailable: number;
  partition: IntOrPercent | undefined;
  maxUnavailable: IntOrPercent;
  /** The most that a plan allows in this round. Default: any number. */
  most?: number;
  /** The pods among these that nothing else keeps from being updated now, in the same order. Default: all. */
  free?(inOrder: readonly Each[]): readonly Each[];
  /** Whether no other pod takes the place of one that is not free. Default: any may. */
  isOrdered?(each: Each): boolean;
}

/**
 * The pods that are updated in one round (OpenKruise sidecarset, rule 6.8.3). The partition is taken from the waiting pods:
 * what is busy, not selected, or not upgradable stays old on top of it. A pod that is not ready uses up no budget. Where one is
 * kept from being updated, the next ones are.
 */
export function podsOfRound<Each>(input: RoundInput<Each>): Each[] {
  const {
    matched,
    waiting,
    isReady,
    unavailable,
    partition,
    most = Infinity,
    free = (all) => all,
    isOrdered = () => false,
  } = input;
  const kept = partitionValue(partition, matched);
  const count = Math.min(Math.max(waiting.length - kept, 0), Math.max(most, 0));
  const maxUnavailable = scaleIntOrPercent(input.maxUnavailable, matched, 'up');
  if (count === 0) return [];
  const freeOnes = new Set(free(waiting));
  const inTurn = waiting.filter((each) => freeOnes.has(each) || isOrdered(each)).slice(0, count);
  const round = inTurn.filter((each) => freeOnes.has(each));
  return withinBudget(round, isReady, { unavailable, maxUnavailable });
}

/**
 * Waiting pods in the order of their update (OpenKruise sidecarset, rule 6.8.2): by precedence, then by priority, scattered.
 *
 * @param matched every pod that the set matches: `*` stands for each value of the label among them
 * @param precedence lower first
 */
export function inUpdateOrder(
  waiting: readonly Pod[],
  matched: readonly Pod[],
  { priorities, scatter }: OrderStrategy,
  precedence: (pod: Pod) => number = () => 0,
): Pod[] {
  const preferred = (pods: readonly Pod[]): readonly Pod[] => {
    const prior = priorities === undefined ? pods : byPriority(pods, priorities);
    return scatter.length === 0 ? prior : scattered(prior, matched, expanded(scatter, matched));
  };
  return updateOrder(waiting, precedence, {
    preferred: priorities === undefined && scatter.length === 0 ? undefined : preferred,
  });
}

/** Terms for each value of a label, in place of `*`; each term once. */
function expanded(terms: readonly ScatterTerm[], matched: readonly Pod[]): ScatterTerm[] {
  const found = new Map<string, ScatterTerm>();
  for (const { key, value } of terms) {
    const values = value === '*' ? valuesOf(key, matched) : [value];
    for (const each of values) found.set(JSON.stringify([key, each]), { key, value: each });
  }
  return [...found.values()];
}

function valuesOf(key: string, pods: readonly Pod[]): string[] {
  const values = pods.flatMap(({ metadata: { labels = {} } }) =>
    Object.hasOwn(labels, key) ? [labels[key] ?? ''] : [],
  );
  return [...new Set(values)].sort(compareCodePoints);
}
