import type { UpdateStep } from '../../schemas/generated/types/rolloutplan.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Commit } from 'kruise-sandbox';
import { allowedPods } from '../../semantics/plan/allowed.ts';
import { type Accepted, isSnapshot, parseSnapshot } from '../../semantics/plan/memory.ts';
import { type Pod, REVISION_LABEL } from '../../semantics/pod/types.ts';
import { templateOf } from '../../semantics/revision/revisions.ts';
import { templateHash } from '../../semantics/template/canonical.ts';
import {
  type IntOrPercent,
  partitionValue,
  scaleIntOrPercent,
} from '../../semantics/values/int-or-percent.ts';
import { isAvailableAt, lives, podsOf, pulls } from './serving.ts';
import type { Objects, Leniency, Sizes } from './subject.ts';

/**
 * The limits that a write of the runtime exceeded, for kinds that own their pods. An available pod leaves traffic only while
 * enough others are available, a pod is created only up to replicas and surge, and gets a revision only as far as the records
 * allow. A step ends only once it is done. Computed from the store, not by the rules under test.
 *
 * @param isDisplaced whether a pod is to go because another one is created for it, and so may exist in addition
 */
export function brokenBounds(
  commit: Commit,
  objects: Objects,
  { leniencyMs, sizesOf }: Leniency,
  isDisplaced: (pod: Pod, target: KubeObject) => boolean = () => false,
): string[] {
  if (commit.object.kind === 'ControllerRevision')
    return leniencyMs === 0 ? stepsEndedEarly(commit, objects) : [];
  if (commit.object.kind !== 'Pod') return [];
  const pod = commit.object as Pod;
  const before = commit.previous as Pod | undefined;
  const owner = ownerOf(pod) ?? (before && ownerOf(before));
  const target = [...objects.values()].find((o) => o.metadata.uid === owner);
  if (target === undefined) return [`${pod.metadata.name}, which belongs to no target, is written to`];
  if (pulls(pod)) return commit.type === 'ADDED' && leniencyMs === 0 ? tooManyPulls(pod, objects, owner) : [];
  const sizes = sizesOf(target);
  const pods = ([...objects.values()] as Pod[]).filter(
    (o) => o.kind === 'Pod' && !pulls(o) && ownerOf(o) === owner && lives(o),
  );
  const memory = memoryOf(owned(objects, owner));
  const broken: string[] = [];

  const isAvailable = (each: Pod): boolean => isAvailableAt(each, target, commit.at);
  if (before !== undefined && isAvailable(before) && (commit.type === 'DELETED' || !isAvailable(pod))) {
    const serving = pods.filter(isAvailable).length;
    const limit = maxUnavailable(target, memory.inForce, sizes.most);
    if (serving < sizes.least - limit)
      broken.push(
        `${serving} of ${sizes.least} are available after ${pod.metadata.name} was taken out, at most ${limit} may be missing`,
      );
  }
  if (commit.type === 'ADDED') {
    const most = sizes.most + scaled(strategyOf(target).maxSurge ?? 0, sizes.most, 'up');
    const wanted = pods.filter((each) => !isDisplaced(each, target));
    if (wanted.length > most) broken.push(`${wanted.length} pods, at most ${most} may be`);
  }
  const arrives =
    commit.type === 'ADDED' ||
    (commit.type === 'MODIFIED' && revisionLabel(pod) !== (before && revisionLabel(before)));
  const bad = arrives ? notAllowed(pod, pods, memory, sizes) : undefined;
  return bad === undefined ? broken : [...broken, bad];
}

/** Pods that pull are created in a pull step only, one a node, and no more at a time than it says. */
function tooManyPulls(pod: Pod, objects: Objects, owner: string | undefined): string[] {
  const { inForce } = memoryOf(owned(objects, owner));
  const pull = inForce?.spec.steps[inForce.progress.step]?.pull;
  const { name } = pod.metadata;
  if (pull === undefined || inForce?.progress.phase !== 'Running')
    return [`${name} pulls images, and no step asks for them`];
  const all = ([...objects.values()] as Pod[]).filter(
    (each) =>
      each.kind === 'Pod' &&
      pulls(each) &&
      ownerOf(each) === owner &&
      each.metadata.deletionTimestamp === undefined,
  );
  const nodes = all.map(({ metadata }) => metadata.annotations?.['plan.kruise.io/pull-node']);
  const active = all.filter(lives).length;
  const most = pull.parallelism ?? 1;
  return [
    ...(new Set(nodes).size === nodes.length ? [] : [`${name} is not the only pod that pulls to its node`]),
    ...(active <= most ? [] : [`${name} pulls as number ${active}, at most ${most} may`]),
  ];
}

/** Steps that were recorded as done, and of which a pod is missing or not available. */
function stepsEndedEarly({ object, previous, at }: Commit, objects: Objects): string[] {
  const [before, now] = [previous && parseSnapshot(previous), parseSnapshot(object)];
  const target = [...objects.values()].find((o) => o.metadata.uid === ownerOf(object));
  if (before === undefined || now === undefined || target === undefined) return [];
  const { spec, progress } = now;
  const next = progress.phase === 'Succeeded' ? spec.steps.length : progress.step;
  if (!isUnderWay(before) || !(isUnderWay(now) || progress.phase === 'Succeeded')) return [];
  const ended = spec.steps.slice(before.progress.step, next).findLast((step) => step.update);
  if (ended?.update === undefined) return [];
  const { hashes } = memoryOf(owned(objects, target.metadata.uid));
  const pods = podsOf(objects, target).filter(
    (pod) => lives(pod) && hashes.get(revisionLabel(pod)) === spec.to.hash,
  );
  const excused = new Set([...progress.baseline.unavailable, ...(progress.excused ?? [])]);
  const missing = pods.filter((pod) => !isAvailableAt(pod, target, at) && !isIn(excused, pod));
  const { frozenN } = before.progress;
  const wanted = Math.min(
    sizeOf(ended.update, frozenN),
    frozenN - partitionValue(spec.to.bound.partition ?? 0, frozenN),
  );
  if (missing.length === 0 && pods.length >= wanted) return [];
  return [`${ended.id} ended with ${pods.length} of ${wanted}, and ${missing.length} of them not available`];
}

/** Whether these units include a pod: by its uid, or by its name if its kind has pods of the same name. */
function isIn(units: ReadonlySet<string>, { metadata: { uid = '', name } }: Pod): boolean {
  return units.has(uid) || units.has(name);
}

function isUnderWay({ progress: { phase } }: Accepted): boolean {
  return ['Running', 'Soaking', 'Checking', 'AwaitingApproval'].includes(phase);
}

/** How many pods a step lets onto the new revision. A number says so itself. */
function sizeOf(update: UpdateStep, replicas: number): number {
  const { to, atLeast = 0 } = update;
  return typeof to === 'number' ? Math.min(Math.max(to, atLeast), replicas) : allowedPods(update, replicas);
}

interface Memory {
  inForce: Accepted | undefined;
  stable: string | undefined;
  held: string | undefined;
  hashes: ReadonlyMap<string, string>;
}

/** The recorded hash of the stable revision of a target. */
export function stableHash(objects: Objects, target: KubeObject | undefined): string | undefined {
  return target && memoryOf(owned(objects, target.metadata.uid)).stable;
}

/** The records of a target, read without the rules under test. */
function memoryOf(revisions: readonly KubeObject[]): Memory {
  const inForce = revisions
    .flatMap((object) => (isSnapshot(object) ? (parseSnapshot(object) ?? []) : []))
    .filter(({ progress }) => progress.phase !== 'Superseded')
    .sort((a, b) => b.progress.seq - a.progress.seq)[0];
  const hashes = new Map<string, string>();
  let stable: KubeObject | undefined;
  const complete = (object: KubeObject | undefined): number =>
    Number(object?.metadata.annotations?.['plan.kruise.io/complete'] ?? -1);
  for (const object of revisions.filter((o) => !isSnapshot(o))) {
    hashes.set(object.metadata.name, contentOf(object));
    if (complete(object) > complete(stable)) stable = object;
  }
  return {
    inForce,
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

/** Why a pod may not be on its present revision; undefined: it may. */
function notAllowed(pod: Pod, pods: readonly Pod[], memory: Memory, sizes: Sizes): string | undefined {
  const { inForce, stable, held, hashes } = memory;
  const hash = hashes.get(revisionLabel(pod));
  const at = `${pod.metadata.name} comes to ${pod.spec.containers[0]?.image ?? ''}`;
  if (hash === undefined) return `${at}, of which no revision is on record`;
  if (hash === stable || hash === held) return undefined;
  if (inForce === undefined) return `${at}, which no accepted plan leads to`;
  const { spec, progress } = inForce;
  const { phase } = progress;
  if (phase === 'Reverting' || phase === 'Reverted')
    return hash === progress.goal ? undefined : `${at}, while the plan is ${phase}`;
  if (hash !== spec.to.hash) return `${at}, where the plan in force does not lead`;
  const update = spec.steps.slice(0, progress.step + 1).findLast((step) => step.update)?.update;
  const size = update?.to === '100%' ? Math.max(sizes.most, progress.frozenN) : progress.frozenN;
  const bound = sizes.most - partitionValue(spec.to.bound.partition ?? 0, sizes.most);
  const allowed = update === undefined ? 0 : Math.min(sizeOf(update, size), bound);
  const there = pods.filter((p) => hashes.get(revisionLabel(p)) === hash).length;
  const step = spec.steps[progress.step]?.id ?? 'the end';
  return there > allowed ? `${at} as number ${there}, and ${step} allows ${allowed}` : undefined;
}

interface Strategy {
  maxUnavailable?: IntOrPercent;
  maxSurge?: IntOrPercent;
}

function strategyOf(target: KubeObject): Strategy {
  const { updateStrategy } = target['spec'] as { updateStrategy?: { rollingUpdate?: Strategy } };
  return updateStrategy?.rollingUpdate ?? {};
}

/**
 * The lower of the target's own number and that of the step, or of what was recorded where the step says none; during a revert,
 * the target's own.
 */
function maxUnavailable(target: KubeObject, inForce: Accepted | undefined, replicas: number): number {
  const strategy = strategyOf(target);
  const round = scaled(strategy.maxSurge ?? 0, replicas, 'up') > 0 ? 'down' : 'up';
  const own = scaled(strategy.maxUnavailable ?? '20%', replicas, round);
  if (inForce === undefined || !isUnderWay(inForce)) return own;
  const most = windowAt(inForce)?.maxUnavailable ?? inForce.progress.recorded?.limits.maxUnavailable;
  return most === undefined ? own : Math.min(own, scaled(most, replicas, round));
}

function windowAt({ spec, progress }: Accepted): UpdateStep['window'] {
  return spec.steps.slice(0, progress.step + 1).findLast((step) => step.update)?.update?.window;
}

function scaled(value: IntOrPercent, replicas: number, round: 'up' | 'down'): number {
  return scaleIntOrPercent(value, replicas, round);
}

function revisionLabel(pod: Pod): string {
  return pod.metadata.labels?.[REVISION_LABEL] ?? '';
}

function ownerOf(object: KubeObject): string | undefined {
  return object.metadata.ownerReferences?.find((ref) => ref.controller === true)?.uid;
}

function owned(objects: Objects, owner: string | undefined): KubeObject[] {
  return [...objects.values()].filter((o) => o.kind === 'ControllerRevision' && ownerOf(o) === owner);
}
