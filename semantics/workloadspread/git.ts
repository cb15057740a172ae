import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../fields/problems.ts';
import type { StandingGit } from '../kinds/standing-git.ts';
import { isSameWorkload } from '../pod/workload.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import { normalizeSpread, type Subset } from './normalize.ts';
import { spreadInGit } from './in-git.ts';
import { ADMITTED, GATED } from './resource.ts';

/** How the compiler compares WorkloadSpreads. */
export const spreadGit: StandingGit = {
  changedForever,
  effect,
  conflict,
  selects: () => undefined,
  copies: () => undefined,
  spreads: spreadInGit,
  spreadsNative: [...GATED, ...ADMITTED].map(({ group, kind }) => ({ group, kind })),
};

/** Whose pods are spread cannot change (OpenKruise workloadspread, section 2): delete it, and create another one. */
function changedForever(before: KubeObject, after: KubeObject): (readonly string[])[] {
  const [from, to] = [normalizeSpread(before).target, normalizeSpread(after).target];
  return isSameWorkload(from, to) ? [] : [['spec', 'targetRef']];
}

/** What other subsets mean for pods. */
function effect(before: KubeObject, after: KubeObject): string | undefined {
  const [from, to] = [normalizeSpread(before).subsets, normalizeSpread(after).subsets];
  const gone = from.filter(({ name }) => !to.some((each) => each.name === name));
  const capped = to.flatMap((subset) => capText(from, subset));
  const others = to.filter((subset) => isPlacedAnew(from, subset));
  const isMoved = canonicalJson(orderIn(from, to)) !== canonicalJson(orderIn(to, from));
  const clauses = [
    ...capped,
    ...(gone.length === 0 ? [] : [`pods of ${namesOf(gone)} are the first that a scale-in deletes`]),
    ...(others.length === 0 ? [] : [`new pods of ${namesOf(others)} get other rules`]),
    ...(isMoved ? ['new pods take the subsets in another order, and a scale-in the reverse'] : []),
  ];
  if (clauses.length === 0) return undefined;
  return `${clauses.join('; ')}; running pods do not move`;
}

function capText(from: readonly Subset[], { name, cap }: Subset): string[] {
  const before = from.find((each) => each.name === name);
  if (before === undefined)
    return [`new pods may go to ${name}${cap === undefined ? '' : `, at most ${cap}`}`];
  if (before.cap === cap) return [];
  if (cap === undefined) return [`${name} has no cap any more`];
  return [`${name} takes at most ${cap}, before ${before.cap ?? 'any number'}`];
}

function isPlacedAnew(from: readonly Subset[], subset: Subset): boolean {
  const before = from.find(({ name }) => name === subset.name);
  if (before === undefined) return false;
  const rules = ({ required, preferred, tolerations, patch }: Subset): string =>
    canonicalJson([required ?? null, preferred, tolerations, patch ?? null]);
  return rules(before) !== rules(subset);
}

/** The names that are in another list, too, in their order. */
function orderIn(subsets: readonly Subset[], others: readonly Subset[]): string[] {
  return subsets.map(({ name }) => name).filter((name) => others.some((each) => each.name === name));
}

function namesOf(subsets: readonly Subset[]): string {
  return subsets.map(({ name }) => name).join(', ');
}

/** Two WorkloadSpreads of one target (OpenKruise workloadspread, section 2): a new pod would be of the first that is observed. */
function conflict(one: KubeObject, other: KubeObject): InvalidField | undefined {
  const [a, b] = [normalizeSpread(one).target, normalizeSpread(other).target];
  if (!isSameWorkload(a, b)) return undefined;
  return { path: ['spec', 'targetRef'], rule: 'names the same workload' };
}
