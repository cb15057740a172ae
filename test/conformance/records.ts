import type { UpdateStep } from '../../schemas/generated/types/rolloutplan.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { allowedPods } from '../../semantics/plan/allowed.ts';
import { type Accepted, isSnapshot, parseSnapshot } from '../../semantics/plan/memory.ts';
import { type Pod, REVISION_LABEL } from '../../semantics/pod/types.ts';
import { templateOf } from '../../semantics/revision/revisions.ts';
import { templateHash } from '../../semantics/template/canonical.ts';
import { type IntOrPercent, partitionValue } from '../../semantics/values/int-or-percent.ts';
import type { Objects, Sizes } from './subject.ts';

/** The records of a target. */
export interface Memory {
  active: Accepted | undefined;
  stable: string | undefined;
  held: string | undefined;
  /** The hash of the template of each revision, by its name, and by its short hash, which some kinds give to pods instead. */
  hashes: ReadonlyMap<string, string>;
}

/** The recorded hash of the stable revision of a target. */
export function stableHash(objects: Objects, target: KubeObject | undefined): string | undefined {
  return target && memoryOf(objects, target.metadata.uid).stable;
}

/** The records of a target, by its uid, read without the rules under test. */
export function memoryOf(objects: Objects, owner: string | undefined): Memory {
  const revisions = [...objects.values()].filter(
    (o) => o.kind === 'ControllerRevision' && ownerOf(o) === owner,
  );
  const active = revisions
    .flatMap((object) => (isSnapshot(object) ? (parseSnapshot(object) ?? []) : []))
    .filter(({ progress }) => progress.phase !== 'Superseded')
    .sort((a, b) => b.progress.seq - a.progress.seq)[0];
  const hashes = new Map<string, string>();
  let stable: KubeObject | undefined;
  const complete = (object: KubeObject | undefined): number =>
    Number(object?.metadata.annotations?.['plan.kruise.io/complete'] ?? -1);
  for (const object of revisions.filter((o) => !isSnapshot(o))) {
    const { name, labels } = object.metadata;
    hashes.set(name, contentOf(object));
    hashes.set(labels?.['controller.kubernetes.io/hash'] ?? name, contentOf(object));
    if (complete(object) > complete(stable)) stable = object;
  }
  return {
    active,
    stable: stable && hashes.get(stable.metadata.name),
    held: stable?.metadata.annotations?.['plan.kruise.io/held']?.split(' at ')[1],
    hashes,
  };
}

/** Cached by object: objects of a store are immutable. */
const contents = new WeakMap<KubeObject, string>();

function contentOf(revision: KubeObject): string {
  const known = contents.get(revision) ?? templateHash(templateOf(revision));
  contents.set(revision, known);
  return known;
}

/** Why a pod may not be on its present revision; undefined: it may. `pods`: all that count. */
export function notAllowed(pod: Pod, pods: readonly Pod[], memory: Memory, sizes: Sizes): string | undefined {
  const { active, stable, held, hashes } = memory;
  const hash = hashes.get(revisionLabel(pod));
  const at = `${pod.metadata.name} comes to ${pod.spec.containers[0]?.image ?? ''}`;
  if (hash === undefined) return `${at}, of which no revision is on record`;
  if (hash === stable || hash === held) return undefined;
  if (active === undefined) return `${at}, which no accepted plan leads to`;
  const { spec, progress } = active;
  const { phase } = progress;
  if (phase === 'Reverting' || phase === 'Reverted')
    return hash === progress.goal ? undefined : `${at}, while the plan is ${phase}`;
  if (hash !== spec.to.hash) return `${at}, where the plan in force does not lead`;
  const update = spec.steps.slice(0, progress.step + 1).findLast((step) => step.update)?.update;
  const size = update?.to === '100%' ? Math.max(sizes.most, progress.frozenN) : progress.frozenN;
  const bound = sizes.most - partitionValue(spec.to.bound.partition ?? 0, sizes.most);
  const allowed = update === undefined ? 0 : Math.min(sizeOfStep(update, size), bound);
  const there = pods.filter((p) => hashes.get(revisionLabel(p)) === hash).length;
  const step = spec.steps[progress.step]?.id ?? 'the end';
  return there > allowed ? `${at} as number ${there}, and ${step} allows ${allowed}` : undefined;
}

/** How many pods a step lets onto the new revision. A number says so itself. */
export function sizeOfStep(update: UpdateStep, replicas: number): number {
  const { to, atLeast = 0 } = update;
  return typeof to === 'number' ? Math.min(Math.max(to, atLeast), replicas) : allowedPods(update, replicas);
}

/** Whether a plan is in one of its steps. */
export function isUnderWay({ progress: { phase } }: Accepted): boolean {
  return ['Running', 'Soaking', 'Checking', 'AwaitingApproval'].includes(phase);
}

/** The limits of units that change at once. */
export interface Limits {
  maxUnavailable?: IntOrPercent;
  maxSurge?: IntOrPercent;
}

/** The limits of a target itself. */
export function limitsOf(target: KubeObject): Limits {
  const { updateStrategy } = target['spec'] as { updateStrategy?: { rollingUpdate?: Limits } };
  return updateStrategy?.rollingUpdate ?? {};
}

/**
 * A limit of the step in force, or what was recorded where the step states none. Undefined: there is none but that of the target, as
 * during a revert.
 */
export function limitOfPlan(active: Accepted | undefined, limit: keyof Limits): IntOrPercent | undefined {
  if (active === undefined || !isUnderWay(active)) return undefined;
  const { spec, progress } = active;
  const { update } = spec.steps.slice(0, progress.step + 1).findLast((step) => step.update) ?? {};
  return update?.window?.[limit] ?? progress.recorded?.limits[limit];
}

export function revisionLabel(pod: Pod): string {
  return pod.metadata.labels?.[REVISION_LABEL] ?? '';
}

export function ownerOf(object: KubeObject): string | undefined {
  return object.metadata.ownerReferences?.find((ref) => ref.controller === true)?.uid;
}
