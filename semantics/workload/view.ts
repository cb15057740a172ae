import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { ClaimNaming } from '../claims/naming.ts';
import { deletionCosts } from '../influence/active.ts';
import type { Influences } from '../influence/influence.ts';
import type { Lifecycle } from '../lifecycle/hooks.ts';
import { factsOf } from '../pod/facts.ts';
import {
  type TemplateMetadata,
  metadataFromTemplates,
  withoutTemplateMetadata,
} from '../pod/from-templates.ts';
import { type NodeLabels, noNodes } from '../pod/nodes.ts';
import { isActive } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import { hashesByLabel, type History, parseRevisions } from '../revision/revision.ts';
import { templateHash } from '../template/canonical.ts';
import type { UpdateRules } from '../template/update-policy.ts';
import { type LabelSelector, selectorPredicate } from '../values/selector.ts';

/** What the shared rules read of the spec of a workload, for any kind and version. */
export interface WorkloadSpec extends UpdateRules {
  readonly selector: LabelSelector;
  readonly template: JsonObject;
  /** Templates of the claims that each pod has; empty: none. */
  readonly volumeClaimTemplates: readonly JsonObject[];
  /** Seconds for which a pod must be ready to be available. */
  readonly minReadySeconds: number;
  /** Hooks at which its pods wait for other controllers. */
  readonly lifecycle: Lifecycle;
}

/** A target that owns pods of its template, with everything that the shared rules read, as plain data of one time. */
export interface Workload<Spec extends WorkloadSpec = WorkloadSpec> extends History {
  spec: Spec;
  /** Pods that count: owned, matching the selector, not finished, not being deleted. */
  active: Pod[];
  /** Owned pods whose labels no longer match the selector: they are released (OpenKruise workloads, rule 6.1 step 5). */
  released: Pod[];
  /** Owned pods that have failed or succeeded: they do not count, but their names are in use. */
  ended: Pod[];
  /** Owned pods that are being deleted. */
  terminating: Pod[];
  /** Reserved keys that its pods got from templates. The pods in this view do not have them. */
  fromTemplates: readonly TemplateMetadata[];
  /** Its claims, including those that are being deleted. */
  claims: readonly KubeObject[];
  claimNaming: ClaimNaming;
  /** It has pods, in any state. */
  hasPods: boolean;
  /** Names of all its pods, terminating and finished ones included. */
  podNames: ReadonlySet<string>;
  nodes: NodeLabels;
  /** How its pods are updated in this cluster. */
  rules: UpdateRules;
  /** Running containers can be resized in this cluster. */
  canResize: boolean;
  /** Uids of pods that another target has decided to write, which is not observed yet; undefined: there are none. */
  reserved: ReadonlySet<string> | undefined;
  /** What it costs to delete a pod, where other objects say so in place of its annotation; undefined: none does. */
  deletionCost: ((pod: Pod) => number | undefined) | undefined;
  /** The selector matches these labels. */
  matches(labels: Readonly<Record<string, string>> | undefined): boolean;
  /** Content hash of the revision that a pod is on; undefined: that revision has no object. */
  hashOf(pod: Pod): string | undefined;
}

/** The objects of one time that a `Workload` is built from. */
export interface WorkloadObjects {
  target: KubeObject;
  /** Pods whose controller is this target. */
  pods: readonly Pod[];
  /** ControllerRevisions that the target controls and that hold a template, not an accepted plan. */
  revisions: readonly KubeObject[];
  takenNames?: ReadonlySet<string>;
  /** Undefined where nodes are unknown, as in a forecast. */
  nodes?: NodeLabels | undefined;
  /** Its PersistentVolumeClaims. */
  claims?: readonly KubeObject[] | undefined;
  /** False: the server does not serve `pods/resize`, or not to this runtime. Default: it does. */
  canResize?: boolean | undefined;
  /** Uids of pods that another target has decided to write, which is not observed yet. Default: none. */
  reserved?: ReadonlySet<string> | undefined;
  /** Objects that influence its pods. Default: none. */
  influences?: Influences | undefined;
}

/**
 * Builds the view of one workload. Reserved keys that pods and claims got from a template are removed, so that no rule acts
 * on them.
 *
 * @param spec the spec of this target
 */
export function workloadOf<Spec extends WorkloadSpec>(
  objects: WorkloadObjects,
  spec: Spec,
  claimNaming: ClaimNaming,
): Workload<Spec> {
  const {
    target,
    takenNames = new Set(),
    nodes = noNodes,
    claims: allClaims = [],
    canResize = true,
    reserved,
  } = objects;
  const revisions = parseRevisions(objects.revisions);
  const fromTemplates = metadataFromTemplates(
    revisions.map(({ template }) => template),
    'pod',
  );
  const pods =
    fromTemplates.length === 0
      ? objects.pods
      : objects.pods.map((pod) => withoutTemplateMetadata(pod, fromTemplates));
  const matches = selectorPredicate(spec.selector);
  const active: Pod[] = [];
  const released: Pod[] = [];
  for (const pod of pods) if (isActive(pod)) (matches(pod.metadata.labels) ? active : released).push(pod);
  let podNames: ReadonlySet<string> | undefined;
  let ended: Pod[] | undefined;
  const hashByLabel = hashesByLabel(revisions);
  // For speed: neighboring pods often have the same label.
  let last: { label: string; hash: string | undefined } = { label: '', hash: undefined };
  return {
    target,
    spec,
    liveHash: liveHashOf(target, spec.template),
    revisions,
    active,
    released,
    get ended() {
      return (ended ??= pods.filter((pod) => !isActive(pod) && pod.metadata.deletionTimestamp === undefined));
    },
    get terminating() {
      return pods.filter((pod) => pod.metadata.deletionTimestamp !== undefined);
    },
    fromTemplates,
    claims: claimsWithoutTemplateKeys(allClaims, [
      spec.volumeClaimTemplates,
      ...revisions.map(({ claimTemplates = [] }) => claimTemplates),
    ]),
    claimNaming,
    hasPods: pods.length > 0,
    // Computed on demand: only a reconcile that creates pods needs it.
    get podNames() {
      return (podNames ??= new Set(pods.map((pod) => pod.metadata.name)));
    },
    takenNames,
    nodes,
    rules: {
      policy: spec.policy,
      resizes: spec.resizes === true && canResize,
      recreatesForClaims: spec.recreatesForClaims === true,
    },
    canResize,
    reserved,
    deletionCost: deletionCosts(objects.influences, target, { pods, nodes }),
    matches,
    hashOf: (pod) => {
      const label = factsOf(pod).revision;
      if (label !== last.label) last = { label, hash: hashByLabel(label) };
      return last.hash;
    },
  };
}

/** The test of availability for a decision: a pod that another target is about to write counts as unavailable. */
export function unlessReserved(
  { reserved }: Pick<Workload, 'reserved'>,
  isAvailable: (pod: Pod) => boolean,
): (pod: Pod) => boolean {
  if (reserved === undefined || reserved.size === 0) return isAvailable;
  return (pod) => isAvailable(pod) && !reserved.has(pod.metadata.uid ?? '');
}

function claimsWithoutTemplateKeys(
  claims: readonly KubeObject[],
  templates: readonly (readonly JsonObject[])[],
): readonly KubeObject[] {
  const fromTemplates = claims.length === 0 ? [] : metadataFromTemplates(templates.flat(), 'claim');
  return fromTemplates.length === 0
    ? claims
    : claims.map((claim) => withoutTemplateMetadata(claim, fromTemplates));
}

/** Cached by object: observed objects are immutable. */
const hashes = new WeakMap<KubeObject, string>();

function liveHashOf(target: KubeObject, template: JsonObject): string {
  const known = hashes.get(target);
  if (known !== undefined) return known;
  const hash = templateHash(template);
  hashes.set(target, hash);
  return hash;
}
