import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { emptyContext } from '../../../semantics/plan/rollout-context.ts';
import { reconcile, type Reconciled } from '../../../semantics/reconcile/reconcile.ts';
import { COMPLETE_ANNOTATION } from '../../../semantics/revision/revision.ts';
import { revisionData } from '../../../semantics/revision/revisions.ts';
import { type Given, NOW, revisionsOf, snapshotOf, templateOf } from './model.ts';

/** Revisions of templates that were rolled out before all others: web-a is the oldest. */
function earlier(names: readonly string[]): KubeObject[] {
  return names.map((name, index) => ({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name: `web-${name}`, uid: `uid-${name}`, resourceVersion: '1' },
    data: revisionData(templateOf(`web:${name}`)),
    revision: index - names.length,
  }));
}

/** What is done in mode Auto without a plan. */
function auto(given: Given, revisions?: readonly KubeObject[]): Reconciled {
  const side = {
    plans: [],
    commands: [],
    memory: [],
    progressClock: undefined,
    inSyncSince: 0,
    policy: 'Auto',
    context: emptyContext,
  } as const;
  return reconcile(snapshotOf(given, revisions), side, NOW);
}

/** The writes of revisions, as `make newest web-old`. */
function writes(decided: Reconciled): string[] {
  const actions =
    decided.do === 'record'
      ? decided.writes.flatMap((write) => (write.do === 'actions' ? write.actions : []))
      : decided.do === 'act'
        ? decided.actions
        : [];
  return actions.flatMap((action) =>
    action.kind !== 'ControllerRevision' || action.do === 'create' ? [] : [`${action.verb} ${action.name}`],
  );
}

/** The same, with `new` as the stable revision. */
function complete(given: Given): KubeObject[] {
  return revisionsOf(given).map((object) =>
    object.metadata.name === 'web-new'
      ? { ...object, metadata: { ...object.metadata, annotations: { [COMPLETE_ANNOTATION]: '2' } } }
      : object,
  );
}

describe('the revisions of a StatefulSet (OpenKruise advanced-statefulset, rule 6.12)', () => {
  test.each<[history: number, deleted: string[]]>([
    [5, []],
    [4, ['web-a']],
    [2, ['web-a', 'web-b', 'web-c']],
    [0, ['web-a', 'web-b', 'web-c', 'web-old', 'web-mid']],
  ])('of those out of use %i remain, the newest (AS-47)', (history, deleted) => {
    const given: Given = { replicas: 2, pods: '0n 1n', history };
    const revisions = [...earlier(['a', 'b', 'c']), ...complete(given)];
    expect(writes(auto(given, revisions))).toEqual(deleted.map((name) => `delete revision ${name}`));
  });

  test('one that a pod is on remains, whatever the limit (AS-47)', () => {
    const given: Given = { replicas: 2, pods: '0m! 1n', history: 0, rolling: { paused: true } };
    expect(writes(auto(given, complete(given)))).toEqual(['delete revision web-old']);
  });

  test('going back takes the earlier one again, with the highest number (AS-48)', () => {
    const decided = auto({ replicas: 2, pods: '0n 1n', live: 'old' });
    expect(writes(decided)).toEqual(['make newest web-old']);
    const [write] = decided.do === 'record' ? decided.writes : [];
    const [action] = write?.do === 'actions' ? write.actions : [];
    expect(action?.do === 'patch' ? action.body['revision'] : undefined).toBe(4);
  });

  test.each<[pods: string, current: string | undefined, written: string[]]>([
    ['0n 1n', undefined, ['mark stable web-new']],
    ['0n 1n!', 'web-old', []],
    ['0n 1', 'web-old', []],
  ])('`currentRevision` follows when all are updated and available: %s (AS-49)', (pods, current, written) => {
    const decided = auto({ replicas: 2, pods });
    expect(writes(decided)).toEqual(written);
    if (decided.do === 'act') expect(decided.status).toMatchObject({ currentRevision: current });
    else expect(current).toBeUndefined();
  });

  test('and is the updated one once that is on record (AS-49)', () => {
    const given: Given = { replicas: 2, pods: '0n 1n' };
    const decided = auto(given, complete(given));
    expect(decided).toMatchObject({
      status: { currentRevision: 'web-new', updateRevision: 'web-new', currentReplicas: 2 },
    });
  });
});
