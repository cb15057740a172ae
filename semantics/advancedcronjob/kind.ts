import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { problemText } from '../fields/problems.ts';
import { OPENKRUISE_GROUP } from '../kinds/openkruise.ts';
import type { PlannedKind, ObservedObjects, RolloutSnapshot } from '../kinds/kind.ts';
import type { Need, Use } from '../kinds/need.ts';
import { targetLimits } from '../limits/target-limits.ts';
import { noLimits } from '../limits/window.ts';
import { tickRules } from '../plan/on-ticks.ts';
import type { PodRow } from '../plan/pod-row.ts';
import type { RolloutView } from '../plan/rollout-view.ts';
import { modeOfChange } from '../revision/change.ts';
import { markComplete } from '../revision/complete.ts';
import { parseRevisions, revisionOf, stableRevision } from '../revision/revision.ts';
import { objectOf } from '../values/read.ts';
import { remembered } from '../values/remembered.ts';
import { timeOf, timestamp } from '../values/timestamp.ts';
import { childName } from '../children/tick.ts';
import type { Child } from './child.ts';
import { decideCronJob } from './decide.ts';
import { advancedCronJobFacts } from './facts.ts';
import { advancedCronJobGit } from './git.ts';
import { invalidCronJob, unsupportedCronJob } from './invalid.ts';
import { cronJobLowering } from './lowering.ts';
import { childOf, TEMPLATE_FIELDS, templateField } from './normalize.ts';
import { type ChildKind, childResources } from './resource.ts';
import { reviseCronJob } from './revise.ts';
import { countedTicks, type Tick } from './ticks.ts';
import { type CronJobView, cronJobView } from './view.ts';

const resource: Resource = {
  group: OPENKRUISE_GROUP,
  version: 'v1beta1',
  kind: 'AdvancedCronJob',
  plural: 'advancedcronjobs',
  namespaced: true,
};

const USES: readonly Use[] = [
  { of: 'Children', resource: childResources.Job, areFixed: true, component: 'native-workloads' },
  { of: 'Children', resource: childResources.BroadcastJob, areFixed: true },
  { of: 'Children', resource: childResources.ImageListPullJob, areFixed: true },
];

const POD_TEMPLATES = TEMPLATE_FIELDS.flatMap(({ field, kind }) =>
  kind === 'ImageListPullJob' ? [] : [['spec', 'template', field, 'spec', 'template']],
);

/** The kind AdvancedCronJob, for the registry. */
export const advancedCronJobKind: PlannedKind = {
  id: { group: resource.group, kind: resource.kind },
  resource,
  versions: ['v1beta1', 'v1alpha1'],
  needs,
  uses: USES,
  expires: false,
  admission: undefined,
  influence: undefined,
  podTemplates: POD_TEMPLATES,
  lowering: cronJobLowering,
  validate: invalidCronJob,
  unsupported: unsupportedCronJob,
  budget: () => undefined,
  shape: 'Rollout',
  observe,
  git: advancedCronJobGit,
  limits: noLimits,
  facts: advancedCronJobFacts,
};

/**
 * After a change of its template the children of the other kind stay, so both are watched. It creates those of its template,
 * or while that is held, of the stable one.
 */
function needs(target: KubeObject, revisions: readonly KubeObject[]): Need[] {
  const live = templateField(objectOf(objectOf(target['spec'])['template']))?.kind;
  const stable = stableRevision({ revisions: parseRevisions(revisions) });
  const created = [live, stable && childOf(stable.template)?.kind];
  return Object.entries(childResources).map(([kind, child]) => ({
    of: 'Children',
    resource: child,
    ...(!created.includes(kind as ChildKind) && { arePast: true }),
  }));
}

function observe(objects: ObservedObjects): RolloutSnapshot {
  const view = cronJobView(objects);
  const rollout = rolloutView(view);
  return {
    rollout,
    isForeign: view.revisions.length === 0 && view.children.length > 0,
    // The template of an invalid target must not become a revision.
    revise: () => (rollout.invalid.length > 0 ? [] : reviseCronJob(view)),
    complete: (hash, retained) => markComplete(view, hash, retained),
    decide: (envelope, held, keep) => decideCronJob({ view, bound: envelope, held, keep }),
  };
}

function rolloutView(view: CronJobView): RolloutView {
  const { target, spec, liveHash, revisions } = view;
  const live = revisionOf(view, liveHash);
  const rows = countedTicks(view.ticks.now).map((tick) => rowOf(view, tick));
  return {
    kind: target.kind,
    name: target.metadata.name,
    namespace: target.metadata.namespace ?? '',
    deleting: target.metadata.deletionTimestamp !== undefined,
    paused: spec.paused,
    onDelete: false,
    // As many as there are: without a plan the template is stable when none of them has failed, and at least one is over.
    replicas: Math.max(rows.length, 1),
    liveHash,
    limits: targetLimits(noLimits, target, rows.length),
    partition: 0,
    // Where no template is stable yet, none runs before its plan.
    stable: stableRevision(view)?.hash ?? '',
    retained: undefined,
    complete: new Set(revisions.filter((each) => each.complete !== undefined).map(({ hash }) => hash)),
    pods: rows,
    rules: () => tickRules,
    units: { of: 'ticks', nextAt: isAtRest(view) ? view.due.next : undefined },
    origin: { by: 'user' },
    modeTo: (from, to) => {
      const [a, b] = [revisionOf(view, from), revisionOf(view, to)];
      return a && b ? modeOfChange(a, b, { policy: 'ReCreate' }) : undefined;
    },
    nameOf: (hash) => revisionOf(view, hash)?.name ?? hash,
    liveSince: timeOf(live?.object.metadata.creationTimestamp),
    progressDeadlineSeconds: undefined,
    minReadySeconds: 0,
    unsupported: unsupportedCronJob(target).map(({ path }) => path.join('.')),
    invalid: invalidOf(target),
  };
}

function rowOf({ target, liveHash, children }: CronJobView, { at, outcome }: Tick): PodRow {
  return {
    uid: timestamp(at),
    unit: timestamp(at),
    name: childName(target, at),
    hash: liveHash,
    available: outcome === 'succeeded',
    restarts: 0,
    createdAt: at,
    updatedAt: 0,
    conditions: {},
    ...(outcome === 'failed' ? { problem: failedText(children.find(({ tick }) => tick === at)) } : {}),
  };
}

/**
 * How the child of a tick has failed: a verdict keeps it after history limits have deleted the child. Of one that is gone the record says
 * that it has not succeeded, and not whether anybody saw it fail.
 */
function failedText(child: Child | undefined): string {
  if (child === undefined) return 'has failed, or was deleted before its end was observed';
  return child.failure === undefined ? 'has failed' : `has failed: ${child.failure}`;
}

/** Cached by object: an observed target is immutable, and is reconciled after every change of a child. */
const invalidOf = remembered((target: KubeObject): string[] => invalidCronJob(target).map(problemText));

/** Nothing is under way, due or paused: what comes next is the next time of the schedule. */
function isAtRest({ spec, active, due }: CronJobView): boolean {
  return !spec.paused && active.length === 0 && due.last === undefined;
}
