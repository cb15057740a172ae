import type { Diff } from '../../../semantics/cloneset/diff.ts';
import type { IntOrPercent } from '../../../semantics/values/int-or-percent.ts';

/**
 * An example of OpenKruise cloneset, rule 6.3, by its number. Pods are written as there: `9o` nine old ones, `2n!` two
 * new ones that are not available, `pd` preparing delete, `sd` marked for deletion.
 */
export interface Case {
  n: number;
  replicas: number;
  partition: IntOrPercent;
  maxUnavailable: IntOrPercent;
  maxSurge: IntOrPercent;
  pods: string;
  /** Missing numbers are 0. */
  diff: Diff;
  /** What one reconcile does with these pods. */
  decided: Decided;
  scaleMaxUnavailable?: IntOrPercent;
  paused?: boolean;
  rollback?: boolean;
  /** The pods that are not available are ready, and younger than minReadySeconds. */
  young?: boolean;
  /** OnDelete, without other fields. */
  onDelete?: boolean;
}

/** Old and new ones: how many pods are created on either revision, deleted of either, updated to the other one. */
export interface Decided {
  make: [old: number, fresh: number];
  delete: [old: number, fresh: number];
  update: number;
}

type Limits = readonly [
  replicas: number,
  partition: IntOrPercent,
  maxUnavailable: IntOrPercent,
  maxSurge: IntOrPercent,
];

function c(
  n: number,
  [replicas, partition, maxUnavailable, maxSurge]: Limits,
  pods: string,
  diff: Partial<Diff>,
  look: Partial<Decided>,
  more: Partial<Case> = {},
): Case {
  const zero: Diff = {
    ...surge(0, 0),
    ...up(0, 0, 0),
    ...down(0, 0),
    ...ready(0),
    ...upd(0, 0),
  };
  return {
    n,
    replicas,
    partition,
    maxUnavailable,
    maxSurge,
    pods,
    diff: { ...zero, ...diff },
    decided: { make: [0, 0], delete: [0, 0], update: 0, ...look },
    ...more,
  };
}

function surge(useSurge: number, useSurgeOld = 0) {
  return { useSurge, useSurgeOld };
}

function up(scaleUp: number, scaleUpOld: number, scaleUpLimit: number) {
  return { scaleUp, scaleUpOld, scaleUpLimit };
}

function down(scaleDown: number, scaleDownOld: number) {
  return { scaleDown, scaleDownOld };
}

function ready(deleteReadyLimit: number) {
  return { deleteReadyLimit, recreateReadyLimit: deleteReadyLimit };
}

function upd(update: number, updateMaxUnavailable: number) {
  return { update, updateMaxUnavailable };
}

const none = {};

/** Number 32 is about lifecycle hooks, which are not supported. */
export const cases: readonly Case[] = [
  c(1, [7, 0, '20%', 0], '', up(7, 0, 7), { make: [0, 7] }),
  c(2, [10, 0, 2, 0], '6n 1n!', up(3, 0, 1), { make: [0, 1] }, { scaleMaxUnavailable: 2 }),
  c(3, [10, 0, 2, 0], '6n 3n!', up(1, 0, 0), none, { scaleMaxUnavailable: '20%' }),
  c(4, [6, 4, 2, 0], '2o 2n', up(2, 2, 2), { make: [2, 0] }),
  c(5, [10, '50%', 2, 0], '3o 3n', up(4, 2, 4), { make: [2, 2] }),
  c(6, [9, 0, 2, 0], '9o', upd(9, 2), { update: 2 }),
  c(7, [9, '45%', 2, 0], '9o', upd(4, 2), { update: 2 }),
  c(8, [9, 0, 2, 0], '7o 2n!', upd(7, 2), none),
  c(9, [9, 0, 2, 0], '6o 3o!', upd(9, 2), { update: 2 }),
  c(10, [9, 0, 2, 0], '6o 1o! 2n!', upd(7, 2), none),
  c(11, [10, 2, 3, 0], '4o 4n 2n!', upd(2, 3), { update: 1 }),
  c(12, [6, 0, 0, 2], '6o', { ...surge(2), ...up(2, 0, 2), ...upd(6, 0) }, { make: [0, 2] }),
  c(13, [6, 0, 0, 2], '6o 2n!', { ...surge(2), ...upd(4, 2) }, none),
  c(14, [6, 0, 0, 2], '6o 2n', { ...surge(2), ...upd(4, 2) }, { update: 2 }),
  c(15, [6, 0, 0, 2], '4o 2osd 2n', { ...surge(2), ...ready(2), ...upd(4, 2) }, { delete: [2, 0] }),
  c(16, [6, 0, 0, 2], '2o 6n', { ...down(2, 2), ...ready(2) }, { delete: [2, 0] }),
  c(17, [6, 5, '30%', '40%'], '6o', { ...surge(1), ...up(1, 0, 1), ...upd(1, 1) }, { make: [0, 1] }),
  c(18, [10, 0, '25%', '25%'], '10o', { ...surge(3), ...up(3, 0, 3), ...upd(10, 2) }, { make: [0, 3] }),
  c(19, [3, 0, '20%', 1], '3o', { ...surge(1), ...up(1, 0, 1), ...upd(3, 0) }, { make: [0, 1] }),
  c(20, [6, 0, 1, 3], '6o', upd(6, 1), none, { paused: true }),
  c(21, [6, 0, 1, 1], '5n 1nsd', ready(1), { delete: [0, 1] }),
  c(22, [6, 0, 1, 1], '4n 1n! 1nsd', { ...surge(1), ...up(1, 0, 1) }, { make: [0, 1] }),
  c(23, [6, 0, 1, 1], '5n 1n! 1nsd', { ...surge(1), ...ready(1) }, { delete: [0, 1] }),
  c(24, [8, 6, 2, 0], '3o 5n', upd(-3, 2), { update: 2 }, { rollback: true }),
  c(25, [8, 6, 2, 0], '3o 5n', none, none),
  c(
    26,
    [8, 6, 0, 2],
    '3o 5n',
    { ...surge(2, 2), ...up(2, 5, 2), ...upd(-3, 0) },
    { make: [2, 0] },
    { rollback: true },
  ),
  c(27, [5, 0, 1, 0], '8o', { ...down(3, 8), ...ready(4), ...upd(5, 4) }, { delete: [3, 0] }),
  c(28, [5, 2, 1, 0], '4o 4n', { ...down(3, 2), ...ready(4) }, { delete: [2, 1] }),
  c(29, [8, 6, 2, 0], '6o 4n', { ...down(2, 0), ...ready(4) }, { delete: [0, 2] }),
  // There no pod is deleted. Here they cost no availability: `docs/differences.md` has a row for it.
  c(30, [3, 0, 1, 0], '5n!', down(2, 0), { delete: [0, 2] }, { young: true }),
  c(31, [5, 0, 1, 0], '3n 2npd', none, none),
  // There no pod is deleted. Here a fifth of three is one: `docs/differences.md` has a row for it.
  c(33, [3, 0, 0, 0], '2n 1nsd', none, { delete: [0, 1] }, { onDelete: true }),
  c(34, [4, '99%', 2, 0], '4o', upd(1, 2), { update: 1 }),
  c(35, [4, '100%', 2, 0], '4o', none, none),
  c(36, [2, 0, '33.3%', 0], '2o', upd(2, 0), none),
  c(37, [8, 12, 1, 2], '8o', none, none),
  c(38, [0, 0, 0, 0], '3n', { ...down(3, 0), ...ready(3) }, { delete: [0, 3] }),
];

/** One pod or more of a case. */
export interface PodsOfCase {
  count: number;
  side: 'o' | 'n';
  is: '' | '!' | 'sd' | 'pd';
}

export function podsOf(pods: string): PodsOfCase[] {
  return [...pods.matchAll(/(\d+)([on])(!|sd|pd)?/g)].map(([, count, side, is = '']) => ({
    count: Number(count),
    side: side as PodsOfCase['side'],
    is: is as PodsOfCase['is'],
  }));
}
