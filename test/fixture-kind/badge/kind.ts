import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { podNouns } from '../../../semantics/kinds/nouns.ts';
import type { ObservedObjects, PlannedKind, RolloutSnapshot } from '../../../semantics/kinds/kind.ts';
import type { StatusFacts, UnitCounts } from '../../../semantics/kinds/status-facts.ts';
import { targetLimits } from '../../../semantics/limits/target-limits.ts';
import { NEW_PODS_CONDITION } from '../../../semantics/plan/held-condition.ts';
import type { PodRow } from '../../../semantics/plan/pod-row.ts';
import type { RolloutView } from '../../../semantics/plan/rollout-view.ts';
import { selectedRules } from '../../../semantics/plan/selected-units.ts';
import type { SelectedUnits } from '../../../semantics/plan/units.ts';
import { locationOf } from '../../../semantics/pod/location.ts';
import { INJECTED_ENV } from '../../../semantics/pod/own-parts.ts';
import { leftAt, markComplete } from '../../../semantics/revision/complete.ts';
import { revise } from '../../../semantics/revision/revise.ts';
import { revisionOf, stableRevision } from '../../../semantics/revision/revision.ts';
import { outcomeOfUnits, updatedAtOnce } from '../../../semantics/status/units.ts';
import { objectOf } from '../../../semantics/values/read.ts';
import { timeOf } from '../../../semantics/values/timestamp.ts';
import { decide } from './decide.ts';
import { badgeGit } from './git.ts';
import { badgeInjector } from './injector.ts';
import { badgeLimits } from './limits.ts';
import { badgeResource, specOf, WORN_ANNOTATION } from './spec.ts';
import { type BadgeView, badgeView } from './view.ts';

const observed = { by: 'generation' } as const;

const status: StatusFacts = {
  observed,
  uncounted: {},
  counts,
  outcome: (target) => outcomeOfUnits(counts(target)),
  health: {
    by: 'numbers',
    wanted: { of: 'status', field: 'pods' },
    updated: 'updatedReady',
    available: 'ready',
  },
  strategy: (target) => ({ is: specOf(target).paused ? 'paused' : 'active' }),
  breakGlass: (target) =>
    updatedAtOnce(target, { observed }, podNouns, counts(target), status.strategy(target)),
  refusals: { in: 'Held alone' },
  problems: () => [],
  compared: numbersIn,
  revisions: () => ({ update: undefined, stable: undefined }),
  podSelector: () => undefined,
};

function numbersIn(shown: JsonObject): Record<'pods' | 'updated' | 'ready' | 'updatedReady', number> {
  const of = (field: string): number => Number(shown[field] ?? 0);
  return { pods: of('pods'), updated: of('updated'), ready: of('ready'), updatedReady: of('updatedReady') };
}

function counts(target: KubeObject): UnitCounts {
  const { pods, updated, ready, updatedReady } = numbersIn(objectOf(target['status']));
  return {
    of: 'units',
    wanted: pods,
    due: pods - Math.min(specOf(target).partition, pods),
    updated,
    ready,
    available: ready,
    updatedAvailable: updatedReady,
  };
}

/** A kind that exists for tests only: containers in pods of any owner, which new pods get and running ones change to in place. */
export const badgeKind: PlannedKind = {
  id: { group: badgeResource.group, kind: badgeResource.kind },
  resource: badgeResource,
  versions: ['v1'],
  needs: (target) => [{ of: 'SelectedPods', selector: specOf(target).selector, namespaces: undefined }],
  uses: [
    {
      of: 'SelectedPods',
      mark: {
        of: 'containers',
        annotation: WORN_ANNOTATION,
        variable: INJECTED_ENV,
        records: [WORN_ANNOTATION],
        prefixes: [],
        conditions: [],
      },
    },
  ],
  podTemplates: [],
  lowering: { of: 'nothing', why: 'a fixture has no plain form' },
  validate: () => [],
  unsupported: () => [],
  expires: false,
  admission: {
    option: undefined,
    create: { of: 'injection', injector: badgeInjector },
    review: { of: 'none' },
    policy: undefined,
  },
  influence: undefined,
  budget: () => undefined,
  shape: 'Rollout',
  observe,
  git: badgeGit,
  limits: badgeLimits,
  facts: {
    nouns: podNouns,
    removal: () => 'its pods keep their badges',
    noUpdates: undefined,
    status,
  },
};

function observe(objects: ObservedObjects): RolloutSnapshot {
  const view = badgeView(objects);
  const rollout = rolloutView(view);
  const exist = view.worn.length > 0;
  return {
    rollout,
    isForeign: stableRevision(view) === undefined && exist,
    revise: () => revise(view, { exist, counted: () => rollout.pods }),
    complete: (hash, retained) => markComplete(view, hash, retained),
    decide: (envelope, held) => decide(view, envelope, held, objects.now),
  };
}

function rolloutView(view: BadgeView): RolloutView<SelectedUnits> {
  const { target, spec, liveHash, revisions, worn, missed } = view;
  return {
    kind: target.kind,
    name: target.metadata.name,
    namespace: '',
    deleting: target.metadata.deletionTimestamp !== undefined,
    paused: spec.paused,
    onDelete: false,
    replicas: worn.length,
    liveHash,
    limits: targetLimits(badgeLimits, target, worn.length),
    partition: spec.partition,
    stable: stableRevision(view)?.hash ?? liveHash,
    retained: stableRevision(view)?.retained,
    complete: new Set(revisions.filter((each) => each.complete !== undefined).map(({ hash }) => hash)),
    pods: worn.map((each) => rowOf(view, each)),
    modeTo: (from, to) => (from === to ? 'MetadataOnly' : 'InPlace'),
    nameOf: (hash) => revisionOf(view, hash)?.name ?? hash,
    liveSince: timeOf(revisionOf(view, liveHash)?.object.metadata.creationTimestamp),
    progressDeadlineSeconds: undefined,
    minReadySeconds: 0,
    unsupported: [],
    invalid: [],
    origin: { by: 'user' },
    rules: () => selectedRules,
    units: {
      of: 'selected',
      newPodsWithin: undefined,
      live: { selector: spec.selector },
      recorded: { selector: spec.selector },
      unrecorded: () => ({
        type: NEW_PODS_CONDITION,
        status: 'True',
        reason: 'PresentContent',
        message: 'new pods get what the badge has now',
      }),
      leftAt: (hash) => leftAt(view, hash),
      outdated: { count: 0, wayTo: () => [] },
      missed: missed.length,
      unwritableTo: () => new Set(),
      tooManyLeftOut: undefined,
      limitedBy: () => undefined,
      blockedBy: () => undefined,
    },
  };
}

function rowOf(view: BadgeView, { pod, hash, isAvailable }: BadgeView['worn'][number]): PodRow {
  const { metadata } = pod;
  const { uid = '', name, labels } = metadata;
  return {
    uid,
    unit: uid,
    name,
    labels,
    hash: revisionOf(view, hash)?.hash,
    available: isAvailable,
    restarts: 0,
    createdAt: timeOf(metadata.creationTimestamp),
    updatedAt: 0,
    ...locationOf(pod),
  };
}
