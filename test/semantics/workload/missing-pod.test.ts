import { describe, expect, test } from 'vitest';
import { inSequence } from '../../../semantics/decision.ts';
import {
  createPod,
  type MissingPod,
  waitingFor,
  waitExplanation,
} from '../../../semantics/workload/missing-pod.ts';
import { podOf } from '../../../semantics/workload/new-pod.ts';
import type { Workload } from '../../../semantics/workload/view.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import { NOON } from '../cloneset/model.ts';
import { claim, pod, workload } from './ordered.ts';

const MINUTE = 60_000;

function missing(view: Workload, id: string): MissingPod {
  return {
    id,
    podOf: (revision) => podOf(view, revision, { id, labels: {}, annotations: {} }, NOON),
    claimAnnotations: { made: 'here' },
    reason: ({ name }) => `is missing; at ${name}`,
    event: (name) => ({ type: 'Normal', reason: 'SuccessfulCreate', message: name }),
  };
}

describe('a missing pod of a kind with ordinals', () => {
  test('is created after its missing claims, with the volumes of all of them', () => {
    const view = workload([], []);
    const made = createPod(view, view.liveHash, missing(view, '4'));
    if (!('do' in made)) throw new Error(made.reason);
    expect(inSequence([made]).map((each) => each.do === 'create' && each.object.metadata.name)).toEqual([
      'data-db-4',
      'db-4',
    ]);
    expect(made.next?.do === 'create' && made.next.object).toMatchObject({
      metadata: {
        name: 'db-4',
        namespace: 'shop',
        labels: { app: 'web', 'controller-revision-hash': 'db-7c' },
      },
      spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data-db-4' } }] },
    });
  });

  test('is not created on a revision without an object, nor with labels that the selector does not match', () => {
    const view = workload([], []);
    const gone = createPod(view, 'h1:00', missing(view, '4'));
    expect(gone).toEqual({ about: 'db', reason: 'no pod at h1:00: its revision object is gone' });
    const other = { ...missing(view, '4'), podOf: () => ({ ...pod(4), metadata: { name: 'db-4' } }) };
    expect(createPod(view, view.liveHash, other)).toEqual({
      about: 'db',
      reason: 'no pod at db-7c: its labels do not match the selector',
    });
  });

  test('waits for the deletion of the pod before it, and reports a delay', () => {
    const leaving = pod(4);
    leaving.metadata.deletionTimestamp = timestamp(NOON);
    const view = workload([leaving], [claim(4)]);
    const waiting = waitingFor(view, '4');
    if (waiting === undefined) throw new Error('it waits');
    expect(waiting.waits).toBe('a pod waits for the deletion of db-4: it takes its name and data-db-4');
    expect(waitExplanation(view, waiting, NOON)).toEqual({
      explanation: { about: 'db', reason: waiting.waits },
      requeueAt: NOON + MINUTE,
    });
    const { explanation, requeueAt } = waitExplanation(view, waiting, NOON + MINUTE);
    expect([explanation.delay, requeueAt]).toEqual([
      `${waiting.waits}. Find out what blocks the deletion, such as a finalizer or a missing node`,
      undefined,
    ]);
  });

  test('waits for a claim of its name that is being deleted, and without claims for the name alone', () => {
    const leaving = claim(4);
    leaving.metadata.deletionTimestamp = timestamp(NOON);
    const ended = pod(3);
    ended.status = { phase: 'Failed' };
    const view = workload([ended], [leaving]);
    expect(waitingFor(view, '4')?.waits).toBe(
      'a pod waits for the deletion of claim data-db-4: it needs one of that name',
    );
    expect(waitingFor(view, '3')).toMatchObject({
      waits: 'a pod waits for the deletion of db-3: it takes its name',
      ended,
    });
    expect(waitingFor(view, '2')).toBeUndefined();
  });
});
