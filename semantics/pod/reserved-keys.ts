import type { JsonObject } from '../../schemas/wire/json.ts';
import { POLICY_ANNOTATION } from '../plan/policy.ts';
import { objectOf } from '../values/read.ts';
import { LAUNCH_PRIORITY_ANNOTATION } from './launch-priority.ts';
import { isInstanceIdLabel, REVISION_LABEL, SHORT_HASH_LABEL } from './types.ts';

/**
 * What a template is of, or the target itself, whose annotations OpenKruise copies onto the revisions that it records: what
 * people may write there differs.
 */
export type Made = 'pod' | 'claim' | 'target';

/** Where a template has a reserved key. */
export interface ReservedKey {
  section: 'labels' | 'annotations' | 'finalizers';
  key: string;
  /** Of a finalizer: its place in the list. */
  index?: number;
}

type Section = 'labels' | 'annotations';

/**
 * What people write into templates although the key looks reserved. No rule here takes one of them for a key of a
 * controller; each is for the reader that is named.
 */
const WRITTEN_BY_PEOPLE: Readonly<Record<Made, Readonly<Record<Section, Readonly<Record<string, string>>>>>> =
  {
    pod: {
      labels: {
        'apps.kruise.io/subset-name': 'UnitedDeployment, which gives it to the template and the selector',
        'apps.kruise.io/controller-revision-hash': 'UnitedDeployment, which gives it to the template',
        'policy.kruise.io/delete-protection':
          'of workloads only; kustomize gives labels of an object to its template, too',
      },
      annotations: {
        [LAUNCH_PRIORITY_ANNOTATION]: 'the order in which containers are updated, here and there',
        'apps.kruise.io/using-enhanced-liveness': 'the pod webhook of OpenKruise',
        'pub.kruise.io/no-protect': 'PodUnavailableBudget',
      },
    },
    target: {
      labels: {},
      annotations: {
        [POLICY_ANNOTATION]: 'whether a change needs a plan',
        'plan.kruise.io/partition-rollback': 'whether a raised partition takes pods back',
      },
    },
    claim: {
      labels: { 'policy.kruise.io/delete-protection': 'of workloads only; kustomize, as above' },
      annotations: {},
    },
  };

/** The keys that look reserved, and that people may write all the same. */
export function writtenByPeople(made: Made, section: Section): string[] {
  return Object.keys(WRITTEN_BY_PEOPLE[made][section]).sort();
}

/**
 * Whether a label, annotation or finalizer is one by which OpenKruise, the plan's rules or the owner of a pod says what it
 * has begun, or finds its own. The API server reads keys of annotations without case, so that case does not count.
 */
function looksReserved(key: string): boolean {
  const name = key.toLowerCase();
  const slash = name.indexOf('/');
  if (slash < 0)
    return name.startsWith('inplace-update-') || name === REVISION_LABEL || name === SHORT_HASH_LABEL;
  const host = name.slice(0, slash);
  return host === 'kruise.io' || host.endsWith('.kruise.io');
}

/** What the plan's rules remember has keys of this prefix. */
const MEMORY = 'plan.kruise.io/';

function isReserved(key: string, section: ReservedKey['section'], made: Made): boolean {
  if (!looksReserved(key)) return false;
  // Many annotations of the object itself are for people to set; only what is remembered on revisions is not.
  if (made === 'target' && !key.toLowerCase().startsWith(MEMORY)) return false;
  return section === 'finalizers' || !Object.hasOwn(WRITTEN_BY_PEOPLE[made][section], key);
}

/** The reserved keys in the metadata of a template, or of a target, in the order in which they are written. */
export function reservedKeys(template: JsonObject, made: Made): ReservedKey[] {
  const metadata = objectOf(template['metadata']);
  const found: ReservedKey[] = [];
  for (const section of ['labels', 'annotations'] as const)
    for (const key of Object.keys(objectOf(metadata[section])))
      if (isReserved(key, section, made)) found.push({ section, key });
  // Claims get none from their template.
  const finalizers = made === 'pod' ? metadata['finalizers'] : undefined;
  if (Array.isArray(finalizers))
    for (const [index, key] of finalizers.entries())
      if (typeof key === 'string' && looksReserved(key)) found.push({ section: 'finalizers', key, index });
  return found;
}

/** What is made of a template gets these of its labels or annotations: all but the reserved ones. */
export function carriedOver(template: JsonObject, section: Section, made: Made): Record<string, string> {
  const all = Object.entries(objectOf(objectOf(template['metadata'])[section]));
  return Object.fromEntries(all.filter(([key]) => !isReserved(key, section, made))) as Record<string, string>;
}

/** Finalizers that pods may get from a template. */
export function carriedFinalizers(finalizers: readonly string[]): string[] {
  return finalizers.filter((each) => !looksReserved(String(each)));
}

/** Every pod has its own from whoever made it, and keeps it: a change of its template says nothing about it. */
function isOfEachPod(key: string): boolean {
  return key === REVISION_LABEL || key === SHORT_HASH_LABEL || isInstanceIdLabel(key);
}

/**
 * A change of the labels or annotations of a running pod that follows from a change of its template, without what no
 * template decides: a reserved key is never given to a pod, and one that an earlier template has given to it is taken away.
 */
export function carriedChange(
  change: Readonly<Record<string, string | null>>,
  section: Section,
): Record<string, string | null> {
  const entries = Object.entries(change).flatMap(([key, value]): [string, string | null][] => {
    if (!isReserved(key, section, 'pod')) return [[key, value]];
    return isOfEachPod(key) ? [] : [[key, null]];
  });
  return Object.fromEntries(entries);
}
