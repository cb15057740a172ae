import type { BroadcastJobStatus } from '../../schemas/generated/types/broadcastjob.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action, Decision } from '../decision.ts';
import { isChildOfSchedule } from '../children/waves.ts';
import { problemText } from '../fields/problems.ts';
import type { PlannedKind, ObservedObjects, RolloutSnapshot } from '../kinds/kind.ts';
import type { Need } from '../kinds/need.ts';
import { controllerOf, groupKindOf } from '../owner.ts';
import type { CreationBackoff } from '../plan/creation-backoff.ts';
import type { Envelope } from '../plan/envelope.ts';
import { hasFinished, withNodes } from '../run/run-record.ts';
import type { RunLimit } from '../run/limit.ts';
import { deleteOldRuns, type StoredRun, updateRun } from '../run/run-stored.ts';
import { completeRun, recordIn, storeRun, type StoredRuns } from '../run/run-writes.ts';
import { remembered } from '../values/remembered.ts';
import { classified } from './classify.ts';
import { decideBroadcastJob } from './decide.ts';
import { decideJobRun } from './decide-run.ts';
import { podsOfRun } from '../run/labels.ts';
import { broadcastJobFacts } from './facts.ts';
import { broadcastJobGit } from './git.ts';
import { invalidBroadcastJob } from './invalid.ts';
import { broadcastJobLowering } from './lowering.ts';
import { broadcastJobLimits } from './limits.ts';
import { nodeOfPod } from '../node/placement.ts';
import { broadcastJobResource } from './resource.ts';
import { withHeld } from './status.ts';
import { jobRolloutOf, type JobView, jobViewOf } from './view.ts';

const NEEDS: readonly Need[] = [
  { of: 'OwnedPods' },
  { of: 'Nodes', why: 'Placement' },
  { of: 'PodsOnNodes' },
  { of: 'Runs' },
];

/** The kind BroadcastJob, for the registry. */
export const broadcastJobKind: PlannedKind = {
  id: { group: broadcastJobResource.group, kind: broadcastJobResource.kind },
  resource: broadcastJobResource,
  versions: ['v1beta1', 'v1alpha1'],
  needs: (job) => [...NEEDS, ...creatorNeeds(job)],
  uses: [
    { of: 'OwnedPods' },
    { of: 'Nodes', why: 'Placement' },
    { of: 'PodsOnNodes' },
    { of: 'Runs' },
    { of: 'Creator' },
  ],
  expires: true,
  admission: undefined,
  influence: undefined,
  podTemplates: [['spec', 'template']],
  lowering: broadcastJobLowering,
  validate: invalidBroadcastJob,
  unsupported: () => [],
  budget: () => undefined,
  shape: 'Run',
  observe,
  git: broadcastJobGit,
  limits: broadcastJobLimits,
  facts: broadcastJobFacts,
};

/** The schedule that a job names as its controller: what it has on record decides whether it has created the job. */
function creatorNeeds(job: KubeObject): Need[] {
  const owner = controllerOf(job);
  if (owner === undefined || !isChildOfSchedule(job)) return [];
  const { namespace = '' } = job.metadata;
  return [{ of: 'Creator', controller: groupKindOf(owner), namespace, name: owner.name }];
}

function observe(objects: ObservedObjects): RolloutSnapshot {
  const view = jobViewOf(objects);
  return {
    rollout: jobRolloutOf(view, { unsupported: [], invalid: invalidOf(view.job) }),
    // What OpenKruise has started goes on as it was: there is no revision to recognize.
    isForeign: false,
    revise: () => [],
    complete: (hash, _retained, attempt = 1) => completeRun(runsOf(view), hash, attempt),
    decide: (envelope, held, keep, _refusals, creationBackoff) => {
      const { status, ...decision } = decide(view, envelope, keep, creationBackoff);
      return { ...decision, status: withHeld(status, view.job, held, view.now) };
    },
  };
}

/** Cached by object: an observed target is immutable, and is reconciled after every change of a pod or node. */
const invalidOf = remembered((job: KubeObject): string[] => invalidBroadcastJob(job).map(problemText));

function runsOf({ job, stored, takenNames }: JobView): StoredRuns {
  return { target: job, stored, takenNames };
}

function decide(
  view: JobView,
  envelope: Envelope,
  keep: ReadonlySet<string>,
  creationBackoff: CreationBackoff | undefined,
): Decision<BroadcastJobStatus> {
  const { run } = envelope;
  if (run !== undefined) return decideRun(view, run, keep, deferredNodes(creationBackoff));
  const { expired, ...decision } = decideBroadcastJob(view);
  return expired ? { ...decision, actions: [...decision.actions, expire(view.job)] } : decision;
}

/** Within a plan: first what the pods show is put on record, then pods are created. */
function decideRun(
  view: JobView,
  limit: RunLimit,
  keep: ReadonlySet<string>,
  deferred: ReadonlySet<string>,
): Decision<BroadcastJobStatus> {
  const { stored, liveHash } = view;
  const before = recordIn(stored, limit.hash);
  const { record, ...decision } = decideJobRun({ ...view, deferred }, { ...limit, record: before });
  const writes = [
    ...(record === undefined ? [] : [storeRun(runsOf(view), record)]),
    ...stored.filter((each) => each.record.hash !== limit.hash).flatMap((each) => finishEarlier(view, each)),
  ];
  if (writes.length > 0) return { ...decision, actions: writes };
  if (decision.actions.length > 0) return decision;
  return { ...decision, actions: deleteOldRuns(stored, new Set([...keep, liveHash, limit.hash])) };
}

/** The nodes whose pods are not created again yet. */
function deferredNodes(backoff: CreationBackoff | undefined): ReadonlySet<string> {
  return new Set(backoff?.kind === 'Pod' ? backoff.deferred.keys() : []);
}

/** A pod of an earlier run may end after its plan did: its node is put on record, too. */
function finishEarlier({ pods, spec }: JobView, stored: StoredRun): Action[] {
  const { record } = stored;
  const { succeeded } = classified(podsOfRun(pods, record.hash), spec);
  const finished = succeeded.map(nodeOfPod).filter((node) => !hasFinished(record, node));
  return finished.length === 0 ? [] : [updateRun(stored, withNodes(record, { finished }))];
}

/** OpenKruise broadcastjob, rule 6.1: a job that is over is deleted when its TTL has passed. */
function expire({ metadata }: KubeObject): Action {
  const { name, uid = '', resourceVersion = '' } = metadata;
  return {
    do: 'delete',
    kind: 'Target',
    resource: broadcastJobResource,
    verb: 'delete after its TTL',
    reason: 'the job is over, and ttlSecondsAfterFinished have passed',
    name,
    uid,
    resourceVersion,
  };
}
