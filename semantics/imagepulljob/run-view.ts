import type { KubeObject } from '../../schemas/wire/object.ts';
import type { ObservedObjects } from '../kinds/kind.ts';
import type { Node } from '../node/node.ts';
import type { PodOnNode } from '../node/pod-on-node.ts';
import type { PodRow } from '../plan/pod-row.ts';
import type { RolloutView } from '../plan/rollout-view.ts';
import { rolloutOfRun, rowOfNode } from '../plan/run-rollout.ts';
import type { FailedUnit, RunUnits } from '../plan/units.ts';
import type { Pod } from '../pod/types.ts';
import { pullOf } from '../pull/pod.ts';
import type { NodePull } from '../pull/work.ts';
import { harmedNode } from '../run/harmed-node.ts';
import {
  hasFinished,
  hasStarted,
  markOf,
  type RunRecord,
  withoutNodes,
  withoutUnfinished,
} from '../run/run-record.ts';
import { type StoredRun, storedRuns } from '../run/run-stored.ts';
import { recordIn } from '../run/run-writes.ts';
import { timeOf } from '../values/timestamp.ts';
import { JOINS_MS } from './nodes.ts';
import { imageOf, type NormalPull, normalizePull } from './normalize.ts';
import { pullLimits } from './run-limits.ts';
import { runHash } from './run-template.ts';
import { chosenIn, keyOf, type ObservedPull, pullsOn } from './work.ts';

/** A job that waits for a plan, with its live run: that of its image. */
export interface PullRunView {
  job: KubeObject;
  spec: NormalPull;
  liveHash: string;
  /** Every node. */
  nodes: readonly Node[];
  /** The nodes that are to have the image, and take part. */
  chosen: readonly Node[];
  /** How many further nodes match, and do not take part yet. */
  joining: number;
  /** When the next of them does by time alone, milliseconds since 1970; undefined: none does. */
  joinsAt: number | undefined;
  podsOnNodes: readonly PodOnNode[];
  takenNames: ReadonlySet<string>;
  stored: readonly StoredRun[];
  /** The record of the live run. */
  record: RunRecord;
  /** How far each chosen node is that the run was started on, and that has no image on record. */
  open: readonly NodePull[];
  /** The last pod of the live run on each node. */
  podOn: ReadonlyMap<string, Pod>;
  observed: ObservedPull;
  now: number;
}

/** Reads what was observed of a job. */
export function pullRunView(objects: ObservedObjects): PullRunView {
  const { target: job, placement = [], podsOnNodes = [], runs = [], takenNames, now } = objects;
  const spec = normalizePull(job);
  const liveHash = runHash(job);
  const stored = storedRuns(runs);
  const { nodes: chosen, joining, nextAt: joinsAt } = chosenIn(objects, spec);
  const record = withoutLost(recordIn(stored, liveHash), placement, chosen);
  const begun = chosen.filter(
    ({ metadata: { name } }) => hasStarted(record, name) && !hasFinished(record, name),
  );
  return {
    job,
    spec,
    liveHash,
    nodes: placement,
    chosen,
    joining: joining.length,
    joinsAt,
    podsOnNodes,
    takenNames,
    stored,
    record,
    open: pullsOn(objects, spec, begun).nodes,
    podOn: lastPods(objects, keyOf(imageOf(job), spec)),
    observed: objects,
    now,
  };
}

/**
 * The record without nodes that were created again since the run began there: such a node has nothing of the one before. Without those,
 * too, that are gone or not chosen any more before they had the image: their wave pulls to others in their place.
 */
function withoutLost(record: RunRecord, nodes: readonly Node[], chosen: readonly Node[]): RunRecord {
  const lost = nodes.flatMap(({ metadata: { name, creationTimestamp } }) => {
    const begunAt = record.before.get(markOf(name))?.at;
    // It takes part no sooner after its creation, so that clocks may differ by as much.
    return begunAt !== undefined && timeOf(creationTimestamp) > begunAt - JOINS_MS ? [name] : [];
  });
  return withoutUnfinished(withoutNodes(record, lost), chosen.map(nameOf));
}

function lastPods({ pulls }: ObservedPull, key: string): Map<string, Pod> {
  const found = new Map<string, Pod>();
  for (const pod of pulls?.pods ?? []) {
    const of = pullOf(pod);
    const before = found.get(of.node);
    if (of.key === key && (before === undefined || pullOf(before).attempt < of.attempt))
      found.set(of.node, pod);
  }
  return found;
}

/** What the rules of plans read of a job: one row for each chosen node that the run was started on. */
export function pullRolloutOf(
  view: PullRunView,
  faults: Pick<RolloutView, 'unsupported' | 'invalid'>,
): RolloutView {
  const { job: target, liveHash, chosen, joining, record, stored } = view;
  return rolloutOfRun({
    ...{ target, liveHash, record, stored, limits: pullLimits, paused: false },
    // Nodes that are about to take part are of the run, so that a percentage is of them, too.
    replicas: chosen.length + joining,
    pods: rowsOf(view),
    units: unitsOf(view),
    origin: { by: 'user' },
    ...faults,
  });
}

function unitsOf(view: PullRunView): RunUnits {
  const { job, spec, nodes, chosen, stored, record, open } = view;
  const onRecord = chosen.map(nameOf).filter((name) => hasStarted(record, name));
  return {
    of: 'run',
    runs: new Map(stored.map((each) => [each.record.hash, each.record.completed])),
    existing: nodes.length,
    started: record.started.size,
    finished: record.finished.size,
    waiting: chosen.length - onRecord.length,
    failed: open.flatMap((row) => failedOn(view, row)),
    // A pod that pulls another image is deleted before this one begins on its node.
    earlier: [],
    toleratesFailure: false,
    isEndless: spec.neverEnds,
    arePulls: true,
    harm: (since, tolerated) =>
      harmedNode({ ...view, namespace: job.metadata.namespace ?? '' }, onRecord, since, tolerated),
  };
}

function nameOf({ metadata }: Node): string {
  return metadata.name;
}

function failedOn({ podOn }: PullRunView, { node, state, problem }: NodePull): FailedUnit[] {
  const pod = podOn.get(node);
  if (state !== 'Failed' || pod === undefined) return [];
  const { uid = '', name } = pod.metadata;
  return [{ unit: node, pod: name, uid, problem: problem ?? 'not pulled' }];
}

function rowsOf({ liveHash, chosen, record, open, podOn, observed }: PullRunView): PodRow[] {
  const finished = chosen.filter(({ metadata }) => hasFinished(record, metadata.name));
  return [
    ...finished.map(({ metadata: { name } }) => ({ ...rowOfNode(name), hash: liveHash, available: true })),
    ...open.map((row): PodRow => {
      const pod = podOn.get(row.node);
      const isRefused = pod === undefined && observed.pulls?.isRefused === true;
      const problem = row.problem ?? (isRefused ? 'the server refuses a pod' : undefined);
      const known = {
        ...rowOfNode(row.node),
        hash: liveHash,
        // What the pod shows is put on record first.
        available: false,
        ...(problem !== undefined && { problem }),
      };
      // One that has ended is nothing to wait for, unless it is the failure itself.
      if (pod === undefined || (row.state !== 'Failed' && pod.status?.phase === 'Failed')) return known;
      const { uid = '', name, creationTimestamp } = pod.metadata;
      return { ...known, uid, name, createdAt: timeOf(creationTimestamp) };
    }),
  ];
}
