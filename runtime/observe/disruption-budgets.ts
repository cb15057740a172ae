import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { type Need, needOf } from '../../semantics/kinds/need.ts';
import { controllerOf, groupKindOf, isOwnedBy } from '../../semantics/owner.ts';
import { kindOf } from '../../semantics/registry/registry.ts';
import { objectOf } from '../../semantics/values/read.ts';
import type { Shown } from './needed.ts';
import { partialMetadata } from './partial-metadata.ts';
import type { Enqueue } from './scheduler.ts';
import type { Sources } from './sources.ts';
import type { TargetKey } from './target-key.ts';

/** The PodDisruptionBudgets, watched from the first target on that changes pods of others or owns one. */
export interface DisruptionBudgets {
  /** Sets the needs of a target. */
  need(key: TargetKey, needs: readonly Need[]): void;
  /** Those of people and of other controllers. What targets own limits evictions alone. */
  shown(): Shown<readonly KubeObject[]>;
  /** All of a namespace. */
  within(namespace: string): Shown<readonly KubeObject[]>;
  /** The one that a target owns; undefined: they are not listed yet. */
  of(target: KubeObject): KubeObject | 'none' | undefined;
}

/**
 * @param enqueueAll enqueues all targets
 * @param onOwned that of a target has changed, by the uid of the target; where its counts alone have, by its own uid
 */
export function createDisruptionBudgets(options: {
  sources: Pick<Sources, 'onDemand'>;
  enqueue: Enqueue<TargetKey>;
  enqueueAll(): void;
  onOwned(uid: string): void;
}): DisruptionBudgets {
  const { enqueue } = options;
  /** Targets that others limit. */
  const limited = new Set<TargetKey>();
  /** Targets that own one, by namespace. */
  const owning = new Map<string, Set<TargetKey>>();
  /** By namespace and name. */
  const namespaces = new Map<string, Map<string, KubeObject>>();
  const foreign = new Map<string, KubeObject>();
  /** By `ownerIn`, then by name. */
  const owned = new Map<string, Map<string, KubeObject>>();

  function file(object: KubeObject, gone: boolean, before: KubeObject | undefined): void {
    const { namespace = '', name } = object.metadata;
    const all = namespaces.get(namespace) ?? new Map<string, KubeObject>();
    if (gone) all.delete(name);
    else all.set(name, object);
    if (all.size === 0) namespaces.delete(namespace);
    else namespaces.set(namespace, all);
    foreign.delete(`${namespace}/${name}`);
    if (before !== undefined && isOfTarget(before)) disown(before);
    if (gone) return;
    if (!isOfTarget(object)) return void foreign.set(`${namespace}/${name}`, object);
    const id = ownerIn(object, controllerOf(object)?.uid);
    owned.set(id, (owned.get(id) ?? new Map<string, KubeObject>()).set(name, object));
  }

  function disown(object: KubeObject): void {
    const id = ownerIn(object, controllerOf(object)?.uid);
    const all = owned.get(id);
    all?.delete(object.metadata.name);
    if (all?.size === 0) owned.delete(id);
  }

  function onChange(object: KubeObject, gone: boolean, before: KubeObject | undefined): void {
    file(object, gone, before);
    const areOfTargets = isOfTarget(object) && (before === undefined || isOfTarget(before));
    const isKnown = !gone && before !== undefined;
    const areSpecsAlike = isKnown && textOf(before) === textOf(object);
    if (!areOfTargets) for (const key of limited) enqueue(key);
    // Few wait for its counts themselves.
    else options.onOwned((areSpecsAlike ? object.metadata : controllerOf(object))?.uid ?? '');
    const { namespace = '' } = object.metadata;
    if (areSpecsAlike && countsOf(before) === countsOf(object)) return;
    // What its own target writes of it is no news for others, unless it selects other pods.
    const isElsewhere = isKnown && areOfTargets && selectorOf(before) === selectorOf(object);
    // The runtime has written that itself: nothing has to be put back.
    const isOurs = isElsewhere && notesOf(before) !== notesOf(object);
    const { kind, name } = controllerOf(object) ?? { kind: '', name: '' };
    for (const key of owning.get(namespace) ?? [])
      if (!isElsewhere || (key.kind === kind && key.name === name))
        enqueue(key, 0, !areSpecsAlike && !isOurs);
  }

  const budgets = options.sources.onDemand(
    resources.PodDisruptionBudget,
    { transform: narrow, onChange },
    options.enqueueAll,
  );

  function ifKnown<Found>(found: () => Found): Shown<Found> {
    const { state } = budgets;
    if (state === 'known') return found();
    return state === 'pending' ? undefined : state;
  }

  return {
    need(key, needs) {
      if (needOf(needs, 'Disruption') === undefined) limited.delete(key);
      else limited.add(key);
      const keys = owning.get(key.namespace) ?? new Set();
      if (needOf(needs, 'Guards') === undefined) keys.delete(key);
      else keys.add(key);
      if (keys.size === 0) owning.delete(key.namespace);
      else owning.set(key.namespace, keys);
    },
    shown: () => ifKnown(() => [...foreign.values()]),
    within: (namespace) => ifKnown(() => [...(namespaces.get(namespace)?.values() ?? [])]),
    of(target) {
      const { state } = budgets;
      if (state === 'pending') return undefined;
      for (const each of owned.get(ownerIn(target, target.metadata.uid))?.values() ?? [])
        if (isOwnedBy(each, target)) return each;
      return 'none';
    },
  };
}

/** The namespace of an object, and the uid that it names as its controller's. Each target asks for its own in each reconcile. */
function ownerIn({ metadata: { namespace = '' } }: KubeObject, uid = ''): string {
  return `${namespace}/${uid}`;
}

/** Whether a target owns it of a kind that writes some. Whoever lets another object own one, as its garbage is, has written it. */
function isOfTarget(budget: KubeObject): boolean {
  const controller = controllerOf(budget);
  const kind = controller && kindOf(groupKindOf(controller));
  return kind?.uses.some(({ of }) => of === 'Guards') === true;
}

/** What its target reads of it beside the counts, as a text. */
function textOf({ metadata, spec }: KubeObject): string {
  const { annotations, deletionTimestamp, ownerReferences, uid } = metadata;
  return JSON.stringify([annotations, deletionTimestamp, ownerReferences, uid, spec]);
}

/** What its target reads of the counts, as a text: nothing while it is raised for no pod. */
function countsOf({ metadata: { annotations }, status }: KubeObject): string {
  if (annotations === undefined) return '';
  const { observedGeneration, currentHealthy, disruptedPods } = objectOf(status);
  return JSON.stringify([observedGeneration, currentHealthy, disruptedPods]);
}

/** What targets note on it, as a text. */
function notesOf({ metadata: { annotations } }: KubeObject): string {
  return JSON.stringify(annotations);
}

function selectorOf({ spec }: KubeObject): string {
  return JSON.stringify((spec as { selector?: unknown } | undefined)?.selector);
}

/** How the annotations begin that targets write. */
const OWN_PREFIX = 'plan.kruise.io/';

/** A budget reduced to what the rules read. */
function narrow({ apiVersion, kind, metadata, ...rest }: KubeObject): KubeObject {
  const { generation, creationTimestamp, deletionTimestamp, ownerReferences, annotations } = metadata;
  const own = Object.entries(annotations ?? {}).filter(([key]) => key.startsWith(OWN_PREFIX));
  return {
    apiVersion,
    kind,
    metadata: partialMetadata(metadata, {
      ...(generation !== undefined && { generation }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      ...(ownerReferences !== undefined && { ownerReferences }),
      ...(own.length > 0 && { annotations: Object.fromEntries(own) }),
    }),
    spec: rest['spec'] ?? {},
    status: rest['status'] ?? {},
  };
}
