import type { JsonObject } from '../../schemas/wire/json.ts';
import { POLICY_ANNOTATION } from '../policy.ts';
import { RECREATE_FOR_CLAIMS_ANNOTATION, RESIZE_ANNOTATION } from '../template/update-policy.ts';
import { objectOf } from '../values/read.ts';
import { LAUNCH_PRIORITY_ANNOTATION } from './launch-priority.ts';
import { isInstanceIdLabel, REVISION_LABEL, SHORT_HASH_LABEL } from './types.ts';

/**
 * What a template is used for: users may write different keys in each. `target` is the target itself, whose annotations
 * OpenKruise copies to the revisions that it creates.
 */
export type TemplateUse = 'pod' | 'claim' | 'target';

/** A reserved key in a template. */
export interface ReservedKey {
  section: 'labels' | 'annotations' | 'finalizers';
  key: string;
  /** The index of a finalizer in its list. */
  index?: number;
}

type Section = 'labels' | 'annotations';

/** Keys that look reserved, and that users may write all the same. The value names what reads the key. */
const USER_KEYS: Readonly<Record<TemplateUse, Readonly<Record<Section, Readonly<Record<string, string>>>>>> =
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
        'plan.kruise.io/spread-by': 'who places new pods of a workload',
        'plan.kruise.io/image-predownload':
          'whether images are pulled ahead of an update in place without a plan',
        [RESIZE_ANNOTATION]: 'whether changed cpu and memory are resized in place',
        [RECREATE_FOR_CLAIMS_ANNOTATION]: 'whether changed claim templates recreate pods',
        'plan.kruise.io/preparing-update-as-update':
          'whether pods that are prepared for an update count as updated',
      },
    },
    claim: {
      labels: { 'policy.kruise.io/delete-protection': 'of workloads only; kustomize, as above' },
      annotations: {},
    },
  };

/**
 * The records of sidecars in a template: `kruise build` writes them there, as the webhook writes them on pods. They say nothing
 * about the pod of a kind here.
 */
const SIDECAR_RECORD =
  /^(?:kruise\.io\/sidecarset-(?:hash|hash-without-image|injected-list|working-hotupgrade-container)|version(?:alt)?\.sidecarset\.kruise\.io\/[a-z0-9-]+)$/;

/** Whether an annotation of a pod is a record of the sidecars in it. */
function isSidecarRecord(key: string): boolean {
  return SIDECAR_RECORD.test(key);
}

/** The keys that look reserved, and that users may write all the same. */
export function userKeys(use: TemplateUse, section: Section): string[] {
  return Object.keys(USER_KEYS[use][section]).sort();
}

/**
 * The prefixes of keys that controllers obey: those of OpenKruise's API (its packages `apis/apps`, `apis/policy` and `apis/pub`),
 * and that of the rules of plans. Other names below `kruise.io`, such as `hook.example.kruise.io`, are of users.
 */
const RESERVED_PREFIXES: ReadonlySet<string> = new Set([
  'kruise.io',
  'apps.kruise.io',
  'crr.apps.kruise.io',
  'daemonset.kruise.io',
  'imagepulljobs.kruise.io',
  'lifecycle.apps.kruise.io',
  'plan.kruise.io',
  'pod.kruise.io',
  'policy.kruise.io',
  'pub.kruise.io',
  'version.sidecarset.kruise.io',
  'versionalt.sidecarset.kruise.io',
  'workloadspread.kruise.io',
]);

/**
 * Whether a label, annotation or finalizer belongs to OpenKruise, to the rules of plans, or to the owner of a pod. Case is
 * ignored, as the API server ignores it in annotation keys.
 */
function looksReserved(key: string): boolean {
  const name = key.toLowerCase();
  const slash = name.indexOf('/');
  if (slash < 0)
    return name.startsWith('inplace-update-') || name === REVISION_LABEL || name === SHORT_HASH_LABEL;
  return RESERVED_PREFIXES.has(name.slice(0, slash));
}

/**
 * Domains that users have annotations in, too, and how the names begin that a controller or a webhook obeys on a pod.
 */
const NAMES_IN_SHARED: Readonly<Record<string, readonly string[]>> = {
  'kruise.io': [
    'auto-generate-persistent',
    'cloneset-',
    'injected-persistent',
    'node-pod-probe',
    'persistent-pod',
    'podprobe',
    'preferred-persistent',
    'pub-',
    'related-pub',
    'required-persistent',
    'resourcedistribution.',
    'sidecarset-',
    'workloadspread',
  ],
  'apps.kruise.io': [
    'cloneset-',
    'container-launch-',
    'controller-revision-hash',
    'deletion-protection',
    'ephemeralcontainers-',
    'image-predownload-',
    'inplace-',
    'matched-workloadspread',
    'owned-by-asts',
    'pre-predownload-',
    'pulling-image-by',
    'runtime-containers-meta',
    'scheduled-at',
    'sidecarset-',
    'specified-delete',
    'subset-',
    'united-deployment-',
  ],
  'pub.kruise.io': ['protect-', 'related-pub'],
  'policy.kruise.io': ['delete-protection'],
};

/**
 * Whether a controller writes or obeys an annotation of a pod. In the domains that OpenKruise shares with users it is known by its
 * name, elsewhere by its domain.
 */
export function isOfControllers(key: string): boolean {
  if (!looksReserved(key) || Object.hasOwn(USER_KEYS.pod.annotations, key)) return false;
  const name = key.toLowerCase();
  const slash = name.indexOf('/');
  const shared = NAMES_IN_SHARED[name.slice(0, Math.max(slash, 0))];
  return shared === undefined || shared.some((start) => name.startsWith(start, slash + 1));
}

/** The prefix of the keys that the rules of plans write. */
const MEMORY = 'plan.kruise.io/';

function isReserved(key: string, section: ReservedKey['section'], use: TemplateUse): boolean {
  if (!looksReserved(key)) return false;
  // Users set many annotations of the object itself; only the records of plans are reserved there.
  if (use === 'target' && !key.toLowerCase().startsWith(MEMORY)) return false;
  if (use === 'pod' && section === 'annotations' && isSidecarRecord(key)) return false;
  return section === 'finalizers' || !Object.hasOwn(USER_KEYS[use][section], key);
}

/** The reserved keys in the metadata of a template or a target, in their written order. */
export function reservedKeys(template: JsonObject, use: TemplateUse): ReservedKey[] {
  const metadata = objectOf(template['metadata']);
  const found: ReservedKey[] = [];
  for (const section of ['labels', 'annotations'] as const)
    for (const key of Object.keys(objectOf(metadata[section])))
      if (isReserved(key, section, use)) found.push({ section, key });
  // Claims get no finalizers from their template.
  const finalizers = use === 'pod' ? metadata['finalizers'] : undefined;
  if (Array.isArray(finalizers))
    for (const [index, key] of finalizers.entries())
      if (typeof key === 'string' && looksReserved(key)) found.push({ section: 'finalizers', key, index });
  return found;
}

/** The labels or annotations of a template that objects get from it: all but the reserved ones. */
export function carriedOver(
  template: JsonObject,
  section: Section,
  use: TemplateUse,
): Record<string, string> {
  const all = Object.entries(objectOf(objectOf(template['metadata'])[section]));
  return Object.fromEntries(all.filter(([key]) => !isReserved(key, section, use))) as Record<string, string>;
}

/** Finalizers that pods may get from a template. */
export function carriedFinalizers(finalizers: readonly string[]): string[] {
  return finalizers.filter((each) => !looksReserved(String(each)));
}

/** Keys whose value is particular to each pod, whatever its template has. */
function isOfEachPod(key: string): boolean {
  return key === REVISION_LABEL || key === SHORT_HASH_LABEL || isInstanceIdLabel(key);
}

/**
 * The change of a running pod's labels or annotations that follows from a change of its template. Reserved keys are never
 * added, and those from an earlier template are removed, except the keys that are particular to each pod.
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
