import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Action, EventDraft } from '../decision.ts';
import { budgetSelector } from '../limits/disruption-budgets.ts';
import { controllerOf, controllerReference, groupKindOf, isOwnedBy } from '../owner.ts';
import type { Pod } from '../pod/types.ts';
import { workloadsOf } from '../pod/workload.ts';
import { byAge } from '../values/by-age.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import { isObject } from '../values/json-shape.ts';
import { nameSuffix } from '../values/name-suffix.ts';
import { numberOf, objectOf } from '../values/read.ts';
import { selectorsOverlap } from '../values/selector-overlap.ts';
import { type LabelSelector, selectorPredicate } from '../values/selector.ts';
import { withoutTrailing } from '../values/text.ts';
import { type Entries, type EntryMap, MAPS } from './entries.ts';
import type { NormalBudget } from './normalize.ts';
import { raisedFor, raisedIn } from './raised-for.ts';
import { isHealthy, raisedAfter, restAfter } from './raised.ts';
import { budgetResource } from './resource.ts';
import { evictionSelector, selectsAllOf } from './eviction-selector.ts';
import { sizedResource } from './sizes.ts';

/** What is known of a budget when its PodDisruptionBudget is decided on. */
export interface EvictionInput {
  target: KubeObject;
  budget: NormalBudget;
  /** Its active pods. */
  covered: readonly Pod[];
  /** All that it covers: those that have ended or are being deleted, too. */
  existing: readonly Pod[];
  /** Those of them that count as available. */
  counted: ReadonlySet<Pod>;
  entries: Readonly<Record<EntryMap, Entries>>;
  /** How many pods there are to be, and how many of them must stay available. */
  total: number;
  desired: number;
  /** The workloads that exist. */
  workloads: readonly KubeObject[];
  /** The PodDisruptionBudgets of its namespace, its own included; undefined: they are not observed, and not decided on. */
  guards: readonly KubeObject[] | undefined;
  takenNames: ReadonlySet<string>;
  /** Since when pods are watched without a gap, milliseconds since 1970. */
  watchedSince: number;
  now: number;
}

/** What becomes of the PodDisruptionBudget of a budget. */
export interface Evictions {
  actions: Action[];
  events: EventDraft[];
  /** When the first pod is no longer raised for, milliseconds since 1970; undefined: for none. */
  nextEnd: number | undefined;
}

const NOTHING: Evictions = { actions: [], events: [], nextEnd: undefined };

const { PodDisruptionBudget } = resources;

/**
 * Keeps the PodDisruptionBudget by which API servers let pods of a budget be evicted, as many as the budget allows (OpenKruise
 * podunavailablebudget, rule 12.1). A pod that two of them select cannot be evicted at all: it is deleted as soon as another one selects
 * a pod of the budget, and of those of two budgets the younger one.
 */
export function evictionsOf(input: EvictionInput): Evictions {
  const { target, budget, guards, workloads } = input;
  if (guards === undefined) return NOTHING;
  const [present, ...surplus] = guards.filter((each) => isOwnedBy(each, target));
  const removed = surplus.map((each) => removal(each, 'the budget has another one'));
  const gone = (reason: string, events: EventDraft[] = []): Evictions => ({
    actions: [...removed, ...(present === undefined ? [] : [removal(present, reason)])],
    events,
    nextEnd: undefined,
  });
  if (!budget.operations.has('EVICT')) return gone('the budget does not protect from evictions');
  const selector = evictionSelector(budget, workloads);
  if (selector === undefined) {
    const message =
      'evictions are not limited: the labels of its pods are unknown, as only their workload is named';
    return gone(
      'the labels of its pods are unknown',
      input.covered.length === 0 ? [] : [warning('EvictionsNotLimited', message)],
    );
  }
  const wanted = specFor(input, present, selector);
  const other = otherOf(input, present, selector);
  if (other !== undefined) {
    const which = `PodDisruptionBudget ${other.guard.metadata.name}`;
    const message = `evictions go by ${which}, which selects ${other.what}`;
    return gone(`${which} selects the same pods`, [warning('EvictionsLimitedByAnother', message)]);
  }
  const { nextEnd } = wanted;
  if (present === undefined)
    return { actions: [...removed, creation(input, wanted.spec)], events: [], nextEnd };
  if (present.metadata.deletionTimestamp !== undefined) return { actions: removed, events: [], nextEnd };
  if (!isSame(objectOf(present['spec'])['selector'], wanted.spec['selector']))
    return gone('its pods have other labels');
  const patch = patchTo(input, present, wanted);
  return { actions: [...removed, ...(patch === undefined ? [] : [patch])], events: [], nextEnd };
}

/** The spec of a PodDisruptionBudget, and whom it is raised for. */
interface Wanted {
  spec: JsonObject;
  raised: Entries;
  nextEnd: number | undefined;
}

/**
 * As many must be available as the budget says, and those beside that it does not count. While there are none of these, it is the limit of
 * the budget itself where every controller has a scale: it holds without a runtime.
 */
function specFor(input: EvictionInput, present: KubeObject | undefined, selector: LabelSelector): Wanted {
  const { budget, covered, counted, entries, total, desired } = input;
  const isSelected = selecting(selector);
  // Pods of other workloads are not observed.
  const areAll = budget.coverage.by === 'selector';
  const { raised, unobserved, nextEnd } = raisedAfter(input, present, {
    selected: covered.filter(isSelected),
    areAll,
  });
  // A slot in exact mode may be that of an eviction: it must find the place that it has taken.
  const isEvicted = ({ metadata: { name } }: Pod): boolean =>
    Object.hasOwn(entries.disruptedPods, name) &&
    !Object.hasOwn(entries.unavailablePods, name) &&
    !Object.hasOwn(raised, name);
  // Pods that the budget does not count, or not for long, and that evictions count; and the other way round.
  let [surplus, leftOut] = [unobserved.size, 0];
  for (const pod of covered) {
    const isCounted = counted.has(pod);
    const { name } = pod.metadata;
    const isRaised = Object.hasOwn(raised, name) && !unobserved.has(name);
    if (!isSelected(pod)) leftOut += isCounted ? 1 : 0;
    else if (isHealthy(pod) && (isRaised || (!isCounted && !isEvicted(pod)))) surplus += 1;
  }
  const isWhole = surplus === 0 && leftOut === 0 && isScaled(input) && (total > 0 || covered.length === 0);
  const own = isWhole ? budget.limit : undefined;
  const limit: JsonObject =
    own === undefined
      ? { minAvailable: desired === 0 ? 0 : Math.max(desired + surplus - leftOut, 0) }
      : { [own.field]: own.value };
  const spec = { selector: selector as JsonObject, unhealthyPodEvictionPolicy: 'AlwaysAllow', ...limit };
  return { spec, raised, nextEnd };
}

/**
 * Whether the disruption controller finds out how many pods there are to be: each has a controller with a scale. It looks at pods that have
 * ended, too, and allows no eviction where one has another controller, as a Job.
 */
function isScaled({ budget, existing }: EvictionInput): boolean {
  if (budget.total !== undefined) return false;
  return workloadsOf(existing).every(
    (workload) => workload !== undefined && sizedResource(workload) !== undefined,
  );
}

function patchTo(input: EvictionInput, present: KubeObject, wanted: Wanted): Action | undefined {
  const [spec, own] = [wanted.spec, objectOf(present['spec'])];
  if (keepsRaised(input, own, wanted)) return undefined;
  const limits: JsonObject = {};
  for (const field of ['minAvailable', 'maxUnavailable'])
    if (!isSame(own[field], spec[field])) limits[field] = spec[field] ?? null;
  const policy = 'unhealthyPodEvictionPolicy';
  if (own[policy] !== spec[policy]) limits[policy] = spec[policy] ?? null;
  const isRaised = Object.keys(wanted.raised).length > 0;
  const areForgotten = !isRaised && Object.keys(raisedIn(present)).length > 0;
  if (Object.keys(limits).length === 0 && !areForgotten) return undefined;
  const { name, uid = '', resourceVersion = '' } = present.metadata;
  const annotations = { ...raisedFor(wanted.raised), ...restAfter(present, wanted.raised, input.now) };
  return {
    ...CHILD,
    do: 'patch',
    verb: 'limit evictions',
    name,
    body: { metadata: { uid, resourceVersion, annotations }, spec: limits },
    reason: `${input.counted.size} pods are available, and ${input.desired} must stay so`,
  };
}

/** While slots are taken and the budget lets no pod go, a number that is too high refuses nothing that it allows. */
function keepsRaised(
  { counted, desired, entries }: EvictionInput,
  own: JsonObject,
  { spec }: Wanted,
): boolean {
  const [before, after] = [numberOf(own['minAvailable']), numberOf(spec['minAvailable']) ?? desired];
  const areTaken = MAPS.some((map) => Object.keys(entries[map]).length > 0);
  return before !== undefined && before > after && areTaken && counted.size <= desired;
}

/**
 * Another PodDisruptionBudget that selects a pod with these labels, and what it selects. That of another budget counts if it was there
 * before. Pods of other workloads are not observed: of these with the labels of a workload, some are taken for granted.
 */
function otherOf(
  { target, budget, covered, guards = [] }: EvictionInput,
  present: KubeObject | undefined,
  selector: LabelSelector,
): { guard: KubeObject; what: string } | undefined {
  const isSelected = selecting(selector);
  const isOfWorkload = budget.coverage.by === 'workload';
  for (const guard of guards) {
    if (isOwnedBy(guard, target) || (isOfBudget(guard) && present !== undefined && byAge(present, guard) < 0))
      continue;
    const { selector: other } = objectOf(guard['spec']);
    if (isObject(other) && !selectorsOverlap(selector, other)) continue;
    const isOther = budgetSelector(guard);
    const pod = covered.find((each) => isSelected(each) && isOther(each));
    if (pod !== undefined) return { guard, what: `pod ${pod.metadata.name}` };
    if (isOfWorkload && isObject(other) && selectsAllOf(selector, other))
      return { guard, what: 'pods of others with the labels of its workload' };
  }
  return undefined;
}

function selecting(selector: LabelSelector): (pod: Pod) => boolean {
  const matches = selectorPredicate(selector);
  return ({ metadata }) => matches(metadata.labels);
}

function isOfBudget(guard: KubeObject): boolean {
  const controller = controllerOf(guard);
  if (controller === undefined) return false;
  const { group, kind } = groupKindOf(controller);
  return group === budgetResource.group && kind === budgetResource.kind;
}

function isSame(one: unknown, other: unknown): boolean {
  return canonicalJson(one ?? null) === canonicalJson(other ?? null);
}

/** Counting goes on where the server refuses it. */
const CHILD = { kind: 'Child', resource: PodDisruptionBudget, isAside: true } as const;
const ENDING = '-evictions';
const LONGEST = 253 - ENDING.length - '-12345'.length;

function creation({ target, takenNames }: EvictionInput, spec: JsonObject): Action {
  const { name, uid = '' } = target.metadata;
  const base = `${withoutTrailing(name.slice(0, LONGEST), '-.')}${ENDING}`;
  const derived = name.length > LONGEST || takenNames.has(base) ? `${base}-${nameSuffix(uid)}` : base;
  return {
    ...CHILD,
    do: 'create',
    verb: 'limit evictions',
    object: {
      apiVersion: 'policy/v1',
      kind: PodDisruptionBudget.kind,
      metadata: { name: derived, ownerReferences: [controllerReference(target)] },
      spec,
    },
    reason: 'the budget protects from evictions',
  };
}

function removal({ metadata }: KubeObject, reason: string): Action {
  const { name, uid = '', resourceVersion = '' } = metadata;
  return { ...CHILD, do: 'delete', verb: 'leave evictions', name, uid, resourceVersion, reason };
}

const warning = (reason: string, message: string): EventDraft => ({ type: 'Warning', reason, message });
