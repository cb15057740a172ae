import type { Condition } from '../../schemas/wire/object.ts';
import { LEFT_OUT_CONDITION } from '../plan/held-condition.ts';
import { type Revision, revisionOf } from '../revision/revision.ts';
import { remembered } from '../values/remembered.ts';
import { countText } from '../values/text.ts';
import { hasSpace } from './annotation-space.ts';
import type { InjectedRevision } from './injected-revision.ts';
import { areFew } from './namespaces.ts';
import { podsNotBegun } from './not-begun.ts';
import { nameOf, type Unit } from './unit.ts';
import { contentOf, isUpgradable, type SidecarSetView } from './view.ts';

/**
 * Why no rollout can take a pod, by what its annotations are before any write: its record names no revision of the set, or an update has
 * no room among them. A pod that has the present revision is none of these, so that one which the change breaks is judged.
 */
export type WhyLeftOut = 'Unknown' | 'NotWritable';

/** The pods that no rollout changes, counts or judges, by reason: what is written on them is no verdict on a change. */
export interface PodsLeftOut {
  found: ReadonlyMap<Unit, WhyLeftOut>;
  /** Those that a record selects: the others hold up nothing. */
  recorded: ReadonlyMap<Unit, WhyLeftOut>;
  /** The recorded ones are so few that a plan succeeds without them. */
  areFew: boolean;
}

/** The pods of a set that no rollout can take. */
export const podsLeftOut = remembered((view: SidecarSetView): PodsLeftOut => {
  const live = revisionOf(view, view.liveHash);
  const to = live && { revision: live, content: contentOf(view, live) };
  const found = new Map<Unit, WhyLeftOut>();
  for (const unit of view.units) {
    const why = reasonOf(view, unit, to);
    if (why !== undefined) found.set(unit, why);
  }
  const isSelected = (unit: Unit): boolean => !view.unrecorded.has(unit);
  const recorded = new Map([...found].filter(([unit]) => isSelected(unit)));
  const result = { found, recorded, areFew: areFew(view.units.filter(isSelected), [...recorded.keys()]) };
  return result;
});

/** The pods that take part in a plan. */
export interface TakingPart {
  /** Those that its steps change, count and judge: a record selects them, and something has begun in them. They are mostly all. */
  counted: readonly Unit[];
  /** Those that no step counts, and that a way back takes all the same: no record selects them, or nothing has begun in them yet. */
  besides: readonly Unit[];
  isCounted(unit: Unit): boolean;
  isBesides(unit: Unit): boolean;
}

/** The pods of a set that take part in a plan. Each loop over pods asks for it once. */
export const takingPart = remembered((view: SidecarSetView): TakingPart => {
  const { found } = podsLeftOut(view);
  const { units, unrecorded } = view;
  const isRecorded = (unit: Unit): boolean => !unrecorded.has(unit) && !found.has(unit);
  const notBegun = podsNotBegun(view, () => units.filter(isRecorded));
  if (unrecorded.size + found.size + notBegun.size === 0)
    return { counted: units, besides: [], isCounted: () => true, isBesides: () => false };
  const isCounted = (unit: Unit): boolean => isRecorded(unit) && !notBegun.has(unit);
  const isBesides = (unit: Unit): boolean => !isCounted(unit) && !found.has(unit);
  return { counted: units.filter(isCounted), besides: units.filter(isBesides), isCounted, isBesides };
});

/** The pods that are left out, and the first by name and why, where a plan cannot succeed without so many; undefined: they are few. */
export function tooManyLeftOut(view: SidecarSetView): { count: number; first: string } | undefined {
  const { recorded, areFew: are } = podsLeftOut(view);
  if (are) return undefined;
  const reasons = new Map([...recorded].map(([unit, why]) => [nameOf(unit.pod), why]));
  const [name = ''] = [...reasons.keys()].sort();
  return { count: recorded.size, first: `${name}, which ${TEXTS[reasons.get(name) ?? 'Unknown'](true)}` };
}

interface Goal {
  revision: Revision;
  content: InjectedRevision;
}

function reasonOf(view: SidecarSetView, unit: Unit, to: Goal | undefined): WhyLeftOut | undefined {
  const hash = view.hashOf(unit);
  if (hash === undefined) return 'Unknown';
  if (to === undefined || hash === to.revision.hash || isWritable(view, unit, to)) return undefined;
  return isUpgradable(unit, revisionOf(view, hash), to.revision) ? 'NotWritable' : undefined;
}

/**
 * Cached by revision and pod: observed objects are immutable, and a pod that waits is asked about in every reconcile. An update may write
 * the version of the set, so that it takes more space with a further digit.
 */
const writableTo = remembered(
  (_revision: Revision['object']) => new WeakMap<Unit, { digits: number; is: boolean }>(),
);

function isWritable({ target }: SidecarSetView, unit: Unit, to: Goal): boolean {
  const byUnit = writableTo(to.revision.object);
  const { resourceVersion } = target.metadata;
  const digits = resourceVersion?.length ?? 0;
  const known = byUnit.get(unit);
  if (known?.digits === digits) return known.is;
  const is = hasSpace(unit, to.content, resourceVersion);
  byUnit.set(unit, { digits, is });
  return is;
}

/**
 * Whether an update to this revision can be written on a pod. `podsLeftOut` is about the live revision; a rollout also goes back to an
 * earlier one while the manifest is at the one that failed.
 */
export function isWritableTo(view: SidecarSetView, unit: Unit, revision: Revision): boolean {
  return isWritable(view, unit, { revision, content: contentOf(view, revision) });
}

/** The pods with a way to a revision that no write can take there, by uid. */
export function unwritableTo(view: SidecarSetView, hash: string): ReadonlySet<string> {
  const revision = revisionOf(view, hash);
  if (revision === undefined) return new Set();
  const to = { revision, content: contentOf(view, revision) };
  const found = view.units.filter((unit) => {
    const present = view.hashOf(unit);
    if (present === hash || !isUpgradable(unit, revisionOf(view, present), revision)) return false;
    return !isWritable(view, unit, to);
  });
  return new Set(found.map(({ pod }) => pod.metadata.uid ?? ''));
}

const TEXTS: Record<WhyLeftOut, (one: boolean) => string> = {
  Unknown: (one) => `${one ? 'names' : 'name'} a revision that the set does not have`,
  NotWritable: (one) => `${one ? 'has' : 'have'} annotations that cannot be read, or are full`,
};

const REASONS = ['Unknown', 'NotWritable'] as const satisfies readonly WhyLeftOut[];

/** The condition that names one of them for each reason; undefined: there is none. */
export function leftOutCondition({ recorded: found, areFew: are }: PodsLeftOut): Condition | undefined {
  const parts = REASONS.flatMap((reason) => {
    const names = [...found].flatMap(([unit, why]) => (why === reason ? [nameOf(unit.pod)] : [])).sort();
    const [first] = names;
    if (first === undefined) return [];
    const text = `${countText(names.length, 'pod')} ${TEXTS[reason](names.length === 1)}, such as ${first}`;
    return [{ reason, text }];
  });
  const [first] = parts;
  if (first === undefined) return undefined;
  const what = are
    ? 'No rollout changes or awaits them'
    : 'No rollout changes them, and they are too many for a plan to succeed without them';
  return {
    type: LEFT_OUT_CONDITION,
    status: 'True',
    reason: first.reason,
    message: `${parts.map(({ text }) => text).join('. ')}. ${what}: restart their owners`,
  };
}
