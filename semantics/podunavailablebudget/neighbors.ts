import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { groupKindOf } from '../owner.ts';
import type { PodWorkload } from '../pod/workload.ts';
import { isObject } from '../values/json-shape.ts';
import { objectOf } from '../values/read.ts';
import { remembered } from '../values/remembered.ts';
import {
  type LabelSelector,
  requirements,
  selectorPredicate,
  wellFormedSelector,
} from '../values/selector.ts';
import { normalizeBudget } from './normalize.ts';
import { budgetResource } from './resource.ts';

const { PodDisruptionBudget } = resources;

/** A manifest with pods, as far as budgets read it. */
export interface Workload extends PodWorkload {
  object: KubeObject;
  /** The metadata of its pods. */
  pod: { labels: Record<string, string>; annotations: Record<string, string> };
}

/** The manifests of one namespace, as its budgets ask about them. */
export interface BudgetNeighbors {
  /** The workloads whose pods have the labels. */
  selectedBy(selector: LabelSelector): readonly Workload[];
  /** Those of one name; more than one if a state has it twice. */
  named(workload: PodWorkload): readonly Workload[];
  /** Whether another manifest limits evictions of some pods of these workloads. */
  isShared(budget: KubeObject, workloads: readonly Workload[]): boolean;
}

/** A manifest that limits evictions. */
interface Limiting {
  object: KubeObject;
  matches(labels: Record<string, string>): boolean;
}

/** What budgets ask about a list of manifests, read once for all of them: each one reads a part, whatever the others are. */
export const budgetNeighbors = remembered(indexed);

function indexed(manifests: readonly KubeObject[]): BudgetNeighbors {
  const workloads = manifests.flatMap(workloadOf);
  const byName = new Map<string, Workload[]>();
  const byLabel = new Map<string, Workload[]>();
  for (const each of workloads) {
    add(byName, idOf(each), each);
    for (const label of labelsOf(each)) add(byLabel, label, each);
  }

  /** The labels of which each selected pod has one, as few workloads as possible; undefined: a selector names none. */
  function anchorsOf(selector: LabelSelector): readonly string[] | undefined {
    let [best, least]: [string[] | undefined, number] = [undefined, Infinity];
    for (const { key, operator, values = [] } of requirements(selector)) {
      if (!['=', 'In', 'Exists'].includes(operator)) continue;
      const labels = operator === 'Exists' ? [labelText(key)] : values.map((value) => labelText(key, value));
      const count = labels.reduce((sum, label) => sum + (byLabel.get(label)?.length ?? 0), 0);
      if (count < least) [best, least] = [labels, count];
    }
    return best;
  }

  const limitingByName = new Map<string, Limiting[]>();
  const limitingByLabel = new Map<string, Limiting[]>();
  const limitingAny: Limiting[] = [];
  let areAllLimited = false;
  for (const object of manifests) {
    const limited = limitedBy(object);
    if (limited === undefined) continue;
    if (limited === 'every pod') areAllLimited = true;
    else if ('group' in limited) add(limitingByName, idOf(limited), { object, matches: () => true });
    else {
      const limiting = { object, matches: selectorPredicate(limited.selector) };
      const anchors = anchorsOf(limited.selector);
      if (anchors === undefined) limitingAny.push(limiting);
      for (const label of new Set(anchors)) add(limitingByLabel, label, limiting);
    }
  }

  return {
    selectedBy(selector) {
      const matches = selectorPredicate(selector);
      const anchors = anchorsOf(selector);
      const some =
        anchors === undefined ? workloads : new Set(anchors.flatMap((each) => byLabel.get(each) ?? []));
      return [...some].filter(({ pod }) => matches(pod.labels));
    },
    named: (workload) => byName.get(idOf(workload)) ?? [],
    isShared: (budget, own) =>
      areAllLimited ||
      own.some((workload) => {
        const limits = ({ object, matches }: Limiting): boolean =>
          object !== budget && matches(workload.pod.labels);
        return (
          (limitingByName.get(idOf(workload)) ?? []).some(limits) ||
          limitingAny.some(limits) ||
          labelsOf(workload).some((label) => (limitingByLabel.get(label) ?? []).some(limits))
        );
      }),
  };
}

function add<Value>(to: Map<string, Value[]>, key: string, value: Value): void {
  const before = to.get(key);
  if (before === undefined) to.set(key, [value]);
  else before.push(value);
}

const idOf = ({ group, kind, name }: PodWorkload): string => JSON.stringify([group, kind, name]);

const labelText = (key: string, value?: string): string => JSON.stringify([key, value]);

/** The labels of the pods of a workload, with their values and without. */
function labelsOf({ pod }: Workload): string[] {
  return Object.entries(pod.labels).flatMap(([key, value]) => [labelText(key), labelText(key, value)]);
}

/** A pod without a controller is its own. Manifests of kinds of others may hold anything, and only what fits counts. */
function workloadOf(object: KubeObject): Workload[] {
  const named = { ...groupKindOf(object), name: object.metadata.name };
  if (named.group === '' && named.kind === 'Pod') return [{ ...named, object, pod: podOf(object.metadata) }];
  const spec = objectOf(object['spec']);
  const { metadata } = podTemplateOf(spec);
  if (!isObject(metadata)) return [];
  const selector = selectorOf(spec['selector']);
  return [
    {
      ...named,
      object: { ...object, spec: { selector: selector ?? {} } },
      pod: podOf(metadata),
    },
  ];
}

/** Of what creates Jobs, the pod template is in that of a Job. */
function podTemplateOf({ template, jobTemplate }: JsonObject): JsonObject {
  const own = objectOf(template);
  const job = jobTemplate ?? own['jobTemplate'] ?? own['broadcastJobTemplate'];
  return isObject(job) ? objectOf(objectOf(job['spec'])['template']) : own;
}

function podOf({ labels, annotations }: { labels?: unknown; annotations?: unknown }): Workload['pod'] {
  return { labels: textsIn(labels), annotations: textsIn(annotations) };
}

function textsIn(value: unknown): Record<string, string> {
  const texts = Object.entries(objectOf(value)).filter(
    (each): each is [string, string] => typeof each[1] === 'string',
  );
  return Object.fromEntries(texts);
}

function selectorOf(value: unknown): LabelSelector | undefined {
  return isObject(value) ? wellFormedSelector(value) : undefined;
}

/** The pods of which a manifest limits evictions; undefined: it limits none. */
function limitedBy(object: KubeObject): PodWorkload | { selector: LabelSelector } | 'every pod' | undefined {
  const { group, kind } = groupKindOf(object);
  if (group === PodDisruptionBudget.group && kind === PodDisruptionBudget.kind) {
    const { selector } = objectOf(object['spec']);
    if (selector === undefined || selector === null) return undefined;
    // One without a term selects every pod; of one that nobody can read, anything may be true.
    const readable = selectorOf(selector);
    return readable === undefined ? 'every pod' : { selector: readable };
  }
  if (group !== budgetResource.group || kind !== budgetResource.kind) return undefined;
  const { coverage, operations } = normalizeBudget(object);
  if (!operations.has('EVICT')) return undefined;
  switch (coverage.by) {
    case 'selector':
      return { selector: coverage.selector };
    case 'workload':
      return coverage.workload;
    case 'nothing':
      return undefined;
  }
}
