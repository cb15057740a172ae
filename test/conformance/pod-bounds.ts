import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Commit } from 'kruise-sandbox';
import { isNodeDown } from '../../semantics/daemonset/eligibility.ts';
import type { Node } from '../../semantics/node/node.ts';
import { nodeOfPod } from '../../semantics/node/placement.ts';
import { parseSnapshot } from '../../semantics/plan/memory.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { partitionValue, scaleIntOrPercent } from '../../semantics/values/int-or-percent.ts';
import { selectorPredicate } from '../../semantics/values/selector.ts';
import {
  isUnderWay,
  limitOfPlan,
  limitsOf,
  type Memory,
  memoryOf,
  notAllowed,
  ownerOf,
  revisionLabel,
  sizeOfStep,
} from './records.ts';
import { isAvailableAt, lives, podsOf, pulls } from './serving.ts';
import type { Leniency, Objects, Sizes } from './subject.ts';

/** A commit of the runtime to a pod of a target. */
export interface PodCommit {
  commit: Commit;
  pod: Pod;
  target: KubeObject;
  objects: Objects;
  /** The pods of the target that count, after the commit. */
  pods: readonly Pod[];
  memory: Memory;
  sizes: Sizes;
  isAvailable(pod: Pod): boolean;
  /** The same by data as old as those of a decision may be. */
  wasAvailable(pod: Pod): boolean;
}

/** The limits that differ between kinds: each names what a commit exceeded, as sentences. */
export interface UnitLimits {
  /** A pod was available, and is not any more. */
  takenOut(commit: PodCommit): string[];
  /** A pod is new. */
  created(commit: PodCommit): string[];
  /** The nodes, where these are the units: a step waits for none that is not Ready, or has joined since. */
  nodesIn(objects: Objects): readonly Node[];
}

/**
 * The limits that a write of the runtime exceeded, for kinds that own their pods. An available pod leaves traffic only while
 * enough others are available, a pod is created only where one is missing, and gets a revision only as far as the records
 * allow. A step ends only once it is done. Computed from the store, not by the rules under test.
 */
export function boundsBy(
  { takenOut, created, nodesIn }: UnitLimits,
  commit: Commit,
  objects: Objects,
  { leniencyMs, sizesOf }: Leniency,
): string[] {
  if (commit.object.kind === 'ControllerRevision')
    return leniencyMs === 0 ? stepsEndedEarly(commit, objects, nodesIn(objects)) : [];
  if (commit.object.kind !== 'Pod') return [];
  const pod = commit.object as Pod;
  const before = commit.previous as Pod | undefined;
  const owner = ownerOf(pod) ?? (before && ownerOf(before));
  const target = [...objects.values()].find((o) => o.metadata.uid === owner);
  if (target === undefined) return [`${pod.metadata.name}, which belongs to no target, is written to`];
  if (pulls(pod)) return commit.type === 'ADDED' && leniencyMs === 0 ? tooManyPulls(pod, objects, owner) : [];
  const sizes = sizesOf(target);
  const nodes = new Set(nodesIn(objects).map(({ metadata }) => metadata.name));
  // A pod on a node that is gone is no unit any more.
  const isUnit = (o: Pod): boolean => nodes.size === 0 || nodes.has(nodeOfPod(o));
  const pods = ([...objects.values()] as Pod[]).filter(
    (o) => o.kind === 'Pod' && !pulls(o) && ownerOf(o) === owner && lives(o) && isUnit(o),
  );
  const memory = memoryOf(objects, owner);
  const isAvailable = (each: Pod): boolean => isAvailableAt(each, target, commit.at);
  const wasAvailable = (each: Pod): boolean => isAvailableAt(each, target, commit.at - leniencyMs);
  const here: PodCommit = { commit, pod, target, objects, pods, memory, sizes, isAvailable, wasAvailable };
  const isTakenOut =
    before !== undefined && isAvailable(before) && (commit.type === 'DELETED' || !isAvailable(pod));
  const arrives =
    commit.type === 'ADDED' ||
    (commit.type === 'MODIFIED' && revisionLabel(pod) !== (before && revisionLabel(before)));
  const bad = arrives ? notAllowed(pod, pods, memory, sizes) : undefined;
  return [
    ...(isTakenOut ? takenOut(here) : []),
    ...(commit.type === 'ADDED' ? created(here) : []),
    ...(bad === undefined ? [] : [bad]),
  ];
}

/**
 * The same for kinds with so many pods as their manifest says.
 *
 * @param isDisplaced whether a pod is to go because another one is created for it, and so may exist in addition
 */
export function brokenBounds(
  commit: Commit,
  objects: Objects,
  leniency: Leniency,
  isDisplaced: (pod: Pod, target: KubeObject) => boolean = () => false,
): string[] {
  const limits: UnitLimits = {
    nodesIn: () => [],
    takenOut({ pod, pods, target, memory, sizes: { least, most }, isAvailable }) {
      const serving = pods.filter(isAvailable).length;
      const limit = maxUnavailable(target, memory, most);
      return serving >= least - limit
        ? []
        : [
            `${serving} of ${least} are available after ${pod.metadata.name} was taken out, at most ${limit} may be missing`,
          ];
    },
    created({ pods, target, sizes }) {
      const most = sizes.most + scaleIntOrPercent(limitsOf(target).maxSurge ?? 0, sizes.most, 'up');
      const wanted = pods.filter((each) => !isDisplaced(each, target));
      return wanted.length > most ? [`${wanted.length} pods, at most ${most} may be`] : [];
    },
  };
  return boundsBy(limits, commit, objects, leniency);
}

/** The lower of the target's own number and that of the plan. */
function maxUnavailable(target: KubeObject, { active }: Memory, replicas: number): number {
  const limits = limitsOf(target);
  const round = scaleIntOrPercent(limits.maxSurge ?? 0, replicas, 'up') > 0 ? 'down' : 'up';
  const own = scaleIntOrPercent(limits.maxUnavailable ?? '20%', replicas, round);
  const most = limitOfPlan(active, 'maxUnavailable');
  return most === undefined ? own : Math.min(own, scaleIntOrPercent(most, replicas, round));
}

/** Pods that pull are created in a pull step only, one a node, and no more at a time than it says. */
function tooManyPulls(pod: Pod, objects: Objects, owner: string | undefined): string[] {
  const { active } = memoryOf(objects, owner);
  const pull = active?.spec.steps[active.progress.step]?.pull;
  const { name } = pod.metadata;
  if (pull === undefined || active?.progress.phase !== 'Running')
    return [`${name} pulls images, and no step asks for them`];
  const all = ([...objects.values()] as Pod[]).filter(
    (each) =>
      each.kind === 'Pod' &&
      pulls(each) &&
      ownerOf(each) === owner &&
      each.metadata.deletionTimestamp === undefined,
  );
  const nodes = all.map(({ metadata }) => metadata.annotations?.['plan.kruise.io/pull-node']);
  const pulling = all.filter(lives).length;
  const most = pull.parallelism ?? 1;
  return [
    ...(new Set(nodes).size === nodes.length ? [] : [`${name} is not the only pod that pulls to its node`]),
    ...(pulling <= most ? [] : [`${name} pulls as number ${pulling}, at most ${most} may`]),
  ];
}

/** Steps that were recorded as done, and of which a pod is missing or not available. */
function stepsEndedEarly(
  { object, previous, at }: Commit,
  objects: Objects,
  nodes: readonly Node[],
): string[] {
  const [before, now] = [previous && parseSnapshot(previous), parseSnapshot(object)];
  const target = [...objects.values()].find((o) => o.metadata.uid === ownerOf(object));
  if (before === undefined || now === undefined || target === undefined) return [];
  const { spec, progress } = now;
  const next = progress.phase === 'Succeeded' ? spec.steps.length : progress.step;
  if (!isUnderWay(before) || !(isUnderWay(now) || progress.phase === 'Succeeded')) return [];
  const ended = spec.steps.slice(before.progress.step, next).findLast((step) => step.update);
  if (ended?.update === undefined) return [];
  const { hashes } = memoryOf(objects, target.metadata.uid);
  const pods = podsOf(objects, target).filter(
    (pod) => lives(pod) && hashes.get(revisionLabel(pod)) === spec.to.hash,
  );
  const { frozenN, stepSince } = before.progress;
  const isOut = (node: Node): boolean =>
    isNodeDown(node) || Date.parse(node.metadata.creationTimestamp ?? '') > stepSince;
  const out = new Set(nodes.filter(isOut).map(({ metadata }) => metadata.name));
  const untaken = [...out].filter((name) => !pods.some((pod) => nodeOfPod(pod) === name));
  const excused = new Set([...progress.baseline.unavailable, ...(progress.excused ?? []), ...out]);
  const missing = pods.filter((pod) => !isAvailableAt(pod, target, at) && !isIn(excused, pod));
  const { partition = 0, selector } = spec.to.bound;
  const isSelected = selectorPredicate(selector ?? {});
  const within = nodes.filter(({ metadata }) => isSelected(metadata.labels ?? {})).length;
  const wanted = Math.min(
    sizeOfStep(ended.update, frozenN),
    frozenN - partitionValue(partition, frozenN),
    ...(nodes.length === 0 ? [] : [within, nodes.length - untaken.length]),
  );
  if (missing.length === 0 && pods.length >= wanted) return [];
  return [`${ended.id} ended with ${pods.length} of ${wanted}, and ${missing.length} of them not available`];
}

/** Whether these units include a pod: by its uid, by its name if its kind has pods of the same name, or by its node. */
function isIn(units: ReadonlySet<string>, pod: Pod): boolean {
  const { uid = '', name } = pod.metadata;
  return units.has(uid) || units.has(name) || units.has(nodeOfPod(pod));
}
