import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { ClaimNaming } from '../claims/naming.ts';
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
import { type LabelSelector, selectorPredicate } from '../values/selector.ts';

/** What the shared rules read of the spec of a workload, whatever its kind and version. */
export interface WorkloadSpec {
  readonly selector: LabelSelector;
  readonly template: JsonObject;
  /** Of the claims that each pod has of its own; empty: none. */
  readonly volumeClaimTemplates: readonly JsonObject[];
  /** Seconds a pod must have been ready before it is available. */
  readonly minReadySeconds: number;
}

/**
 * A target that owns pods made of its template, and everything that the rules shared by such kinds read of it, as plain data
 * of one moment.
 */
export interface Workload<Spec extends WorkloadSpec = WorkloadSpec> extends History {
  spec: Spec;
  /** Pods that count: owned, matching the selector, not finished, not being deleted. */
  active: Pod[];
  /** Owned pods whose labels no longer match the selector: they are released (OpenKruise workloads, rule 6.1 step 5). */
  released: Pod[];
  /** Owned pods that have failed or succeeded: they do not count, and keep their names. */
  ended: Pod[];
  /** Owned pods that are being deleted, and are still there. */
  going: Pod[];
  /** What its pods have from templates, and do not have in this view. */
  given: readonly TemplateMetadata[];
  /** Its claims, those that are being deleted among them. */
  claims: readonly KubeObject[];
  claimNaming: ClaimNaming;
  /** It has pods, in whatever state. */
  hasPods: boolean;
  /** Names of all its pods, terminating and finished ones included. */
  podNames: ReadonlySet<string>;
  nodes: NodeLabels;
  /** The selector matches these labels. */
  matches(labels: Readonly<Record<string, string>> | undefined): boolean;
  /** Content hash of the revision a pod is on; undefined when no revision object is left of it. */
  hashOf(pod: Pod): string | undefined;
}

/** Objects of one moment, of which a `Workload` is made. */
export interface WorkloadObjects {
  target: KubeObject;
  /** Pods whose controller is this target. */
  pods: readonly Pod[];
  /** ControllerRevisions with the same controller that hold a template (not accepted plans). */
  revisions: readonly KubeObject[];
  takenNames?: ReadonlySet<string>;
  /** Left out where nobody knows of nodes. */
  nodes?: NodeLabels | undefined;
  /** Its PersistentVolumeClaims. */
  claims?: readonly KubeObject[] | undefined;
}

/**
 * Builds the view of one workload. Pods and claims are in it without the reserved keys that they have from a template, so
 * that no rule acts on a control key that came from a template.
 *
 * @param spec of this very target
 */
export function workloadOf<Spec extends WorkloadSpec>(
  objects: WorkloadObjects,
  spec: Spec,
  claimNaming: ClaimNaming,
): Workload<Spec> {
  const { target, takenNames = new Set(), nodes = noNodes, claims: allClaims = [] } = objects;
  const revisions = parseRevisions(objects.revisions);
  const given = metadataFromTemplates(
    revisions.map(({ template }) => template),
    'pod',
  );
  const pods =
    given.length === 0 ? objects.pods : objects.pods.map((pod) => withoutTemplateMetadata(pod, given));
  const matches = selectorPredicate(spec.selector);
  const active: Pod[] = [];
  const released: Pod[] = [];
  for (const pod of pods) if (isActive(pod)) (matches(pod.metadata.labels) ? active : released).push(pod);
  let podNames: ReadonlySet<string> | undefined;
  let ended: Pod[] | undefined;
  const hashByLabel = hashesByLabel(revisions);
  // Pods come in runs of one revision.
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
    get going() {
      return pods.filter((pod) => pod.metadata.deletionTimestamp !== undefined);
    },
    given,
    claims: claimsWithoutGiven(allClaims, [
      spec.volumeClaimTemplates,
      ...revisions.map(({ claimTemplates = [] }) => claimTemplates),
    ]),
    claimNaming,
    hasPods: pods.length > 0,
    // Only a reconcile that makes pods asks for it.
    get podNames() {
      return (podNames ??= new Set(pods.map((pod) => pod.metadata.name)));
    },
    takenNames,
    nodes,
    matches,
    hashOf: (pod) => {
      const label = factsOf(pod).revision;
      if (label !== last.label) last = { label, hash: hashByLabel(label) };
      return last.hash;
    },
  };
}

function claimsWithoutGiven(
  claims: readonly KubeObject[],
  templates: readonly (readonly JsonObject[])[],
): readonly KubeObject[] {
  const given = claims.length === 0 ? [] : metadataFromTemplates(templates.flat(), 'claim');
  return given.length === 0 ? claims : claims.map((claim) => withoutTemplateMetadata(claim, given));
}

/** Objects are immutable once seen, so the hash of one's template holds as long as the object does. */
const hashes = new WeakMap<KubeObject, string>();

function liveHashOf(target: KubeObject, template: JsonObject): string {
  const known = hashes.get(target);
  if (known !== undefined) return known;
  const hash = templateHash(template);
  hashes.set(target, hash);
  return hash;
}
