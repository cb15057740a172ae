import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { SCHEDULED_AT_ANNOTATION } from '../../../semantics/children/tick.ts';
import { childDigest, CHILDREN_ANNOTATION, childrenText } from '../../../semantics/children/records.ts';
import { WAVES_ANNOTATION, wavesText } from '../../../semantics/children/waves.ts';
import { JOB_DEFAULTS } from '../../../semantics/broadcastjob/defaults.ts';
import { lintBroadcastJob } from '../../../semantics/broadcastjob/git-lint.ts';
import { invalidBroadcastJob } from '../../../semantics/broadcastjob/invalid.ts';
import { jobRolloutOf, jobViewOf } from '../../../semantics/broadcastjob/view.ts';
import type { Creator } from '../../../semantics/kinds/kind.ts';
import { sideOfCreated } from '../../../semantics/plan/created.ts';
import { newRun } from '../../../semantics/run/run-record.ts';
import { createRun } from '../../../semantics/run/run-stored.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import { cronJobOf } from './model.ts';

const WAVES: readonly Step[] = [
  { id: 'one', run: { to: 1 } },
  { id: 'rest', run: { to: '100%' } },
];

const TICK = 1_767_225_660_000;

/** A BroadcastJob, as an AdvancedCronJob of this kind and group has created it. */
function child(waves?: string, kind = 'AdvancedCronJob', apiVersion = 'apps.kruise.io/v1beta1'): KubeObject {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'BroadcastJob',
    metadata: {
      name: 'tidy-1767225660',
      namespace: 'ops',
      uid: 'child-uid',
      annotations: {
        [SCHEDULED_AT_ANNOTATION]: timestamp(TICK),
        ...(waves === undefined ? {} : { [WAVES_ANNOTATION]: waves }),
      },
      ownerReferences: [{ apiVersion, kind, name: 'tidy', uid: 'cron-uid', controller: true }],
    },
    spec: {
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'tidy:1' }] } },
    },
  };
}

/** The schedule of a child, which has it on record. */
function creatorOf(target: KubeObject): Creator {
  const annotations = {
    [CHILDREN_ANNOTATION]: childrenText(new Map([[TICK, childDigest(target, JOB_DEFAULTS)]])),
  };
  const revision: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name: 'tidy-1', annotations },
  };
  return { target: cronJobOf(), revisions: [revision] };
}

function rolloutOf(target: KubeObject) {
  const creator = creatorOf(target);
  const view = jobViewOf({ target, creator, pods: [], revisions: [], takenNames: new Set(), now: 0 });
  return jobRolloutOf(view, { unsupported: [], invalid: [] });
}

const sideOf = (target: KubeObject) => {
  const rollout = rolloutOf(target);
  const { plans, policy } = sideOfCreated(rollout, { plans: [], policy: 'Required' });
  return {
    policy,
    plans: plans.map(({ spec, refused }) => [spec.to.hash === rollout.liveHash, spec.steps, refused]),
  };
};

describe('a BroadcastJob that a schedule has created', () => {
  test('needs no plan of its own', () => {
    expect(sideOf(child())).toEqual({ policy: 'Auto', plans: [] });
  });

  test('has its waves as its plan, in Auto, too', () => {
    expect(sideOf(child(wavesText(WAVES)))).toEqual({
      policy: 'Required',
      plans: [[true, WAVES, undefined]],
    });
  });

  test.each([
    ['another kind', child(wavesText(WAVES), 'CloneSet')],
    ['another group', child(wavesText(WAVES), 'AdvancedCronJob', 'batch/v1')],
  ])('is not one that %s controls', (_what, object) => {
    expect(sideOf(object)).toEqual({ policy: 'Required', plans: [] });
    expect(invalidBroadcastJob(object)).toMatchObject([{ path: ['metadata', 'annotations'] }]);
  });

  test('is invalid where somebody has edited its waves', () => {
    expect(invalidBroadcastJob(child(wavesText(WAVES)))).toEqual([]);
    expect(invalidBroadcastJob(child('[]'))).toMatchObject([
      { path: ['metadata', 'annotations', WAVES_ANNOTATION] },
    ]);
  });

  test('is not in git', () => {
    expect(lintBroadcastJob(child())).toMatchObject([{ path: ['metadata', 'ownerReferences'] }]);
  });

  test('takes the record of its run with it', () => {
    const { object } = createRun(child(), newRun('h1:0123456789abcdef'), [], new Set()) as {
      object: KubeObject;
    };
    expect(object.metadata.ownerReferences).toMatchObject([
      { kind: 'BroadcastJob', name: 'tidy-1767225660', uid: 'child-uid', controller: false },
    ]);
  });
});
