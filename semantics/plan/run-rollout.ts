import type { KubeObject } from '../../schemas/wire/object.ts';
import { targetLimits } from '../limits/target-limits.ts';
import type { KindLimits } from '../limits/window.ts';
import type { RunRecord } from '../run/run-record.ts';
import type { StoredRun } from '../run/run-stored.ts';
import type { PodRow } from './pod-row.ts';
import type { RolloutView } from './rollout-view.ts';
import { runRules } from './run-once.ts';

/** What kinds differ in whose targets are executed once on each node. */
export interface RunOf extends Pick<
  RolloutView,
  'liveHash' | 'paused' | 'replicas' | 'pods' | 'units' | 'origin' | 'unsupported' | 'invalid'
> {
  target: KubeObject;
  limits: KindLimits;
  stored: readonly StoredRun[];
  /** The record of the live run. */
  record: RunRecord;
}

/** What the rules of plans read of a target that is executed once on each node. */
export function rolloutOfRun({ target, limits, stored, record, ...own }: RunOf): RolloutView {
  const { name, namespace = '', deletionTimestamp } = target.metadata;
  return {
    kind: target.kind,
    name,
    namespace,
    deleting: deletionTimestamp !== undefined,
    onDelete: false,
    limits: targetLimits(limits, target, own.replicas),
    partition: 0,
    // A run has no revision to go back to. One that is complete is where its manifest wants it.
    stable: record.completed > 0 ? own.liveHash : '',
    retained: undefined,
    complete: new Set(),
    modeTo: () => undefined,
    nameOf: (hash) => stored.find((each) => each.record.hash === hash)?.object.metadata.name ?? hash,
    liveSince: 0,
    progressDeadlineSeconds: undefined,
    minReadySeconds: 0,
    rules: () => runRules,
    ...own,
  };
}

/** The row of a node without a pod. */
export function rowOfNode(node: string): Omit<PodRow, 'hash' | 'available'> {
  return { uid: '', unit: node, name: node, node, restarts: 0, createdAt: 0, updatedAt: 0, conditions: {} };
}
