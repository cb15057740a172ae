import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { NodeBaseline } from '../../../semantics/run/harm.ts';
import { newRun, type RunRecord, withBaselines, withNodes } from '../../../semantics/run/run-record.ts';
import {
  createRun,
  deleteOldRuns,
  recordText,
  RUN_ANNOTATION,
  storedRuns,
} from '../../../semantics/run/run-stored.ts';

const job: KubeObject = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'BroadcastJob',
  metadata: { name: 'fix', namespace: 'ops', uid: 'job' },
};
const HASH = 'h1:0123456789abcdef0123456789abcdef';
const well = (at: number): NodeBaseline => ({ at, bad: [], unavailable: [], restarts: {} });
const none = new Set<string>();

const used: RunRecord = {
  ...withBaselines(
    withNodes(newRun(HASH), { started: ['a', 'b'], finished: ['a'] }),
    new Map([
      ['a', well(1000)],
      ['b', { at: 2000, bad: ['Ready'], unavailable: ['uid'], restarts: { other: 3 } }],
    ]),
  ),
  attempt: 2,
  completed: 1,
};

/** The object as the server stores it. */
function objectOf(record: RunRecord, earlier: readonly KubeObject[] = [], taken = none): KubeObject {
  const action = createRun(job, record, storedRuns(earlier), taken);
  if (action.do !== 'create') throw new Error('it is created');
  return action.object;
}

describe('a stored run', () => {
  test('is read as it was', () => {
    expect(storedRuns([objectOf(used)])).toEqual([{ record: used, object: objectOf(used) }]);
  });

  test('has no owner, and names its target by labels', () => {
    const { metadata } = objectOf(used);
    expect(metadata.ownerReferences).toBeUndefined();
    expect([metadata.name, metadata.labels]).toEqual([
      'fix-run-01234567',
      { 'plan.kruise.io/run-kind': 'BroadcastJob.apps.kruise.io', 'plan.kruise.io/run-target': 'fix' },
    ]);
  });

  test('gets another name where another object has its own', () => {
    const taken = new Set(['fix-run-01234567', 'fix-run-01234567-1']);
    expect(objectOf(used, [], taken).metadata.name).toBe('fix-run-01234567-2');
  });

  test.each([
    ['no JSON', '{'],
    ['a number that is none', recordText(used).replace('"attempt":2', '"attempt":"2"')],
    ['marks that are none', recordText({ ...used, started: new Set(['b', 'a']) })],
    ['a baseline without its parts', recordText(used).replace('"bad"', '"worse"')],
  ])('is left out if somebody has edited it: %s', (_what, text) => {
    const object = objectOf(used);
    const annotations = { ...object.metadata.annotations, [RUN_ANNOTATION]: text };
    expect(storedRuns([{ ...object, metadata: { ...object.metadata, annotations } }])).toEqual([]);
  });

  test('of ten thousand nodes fits into an annotation; what was wrong before is left out first', () => {
    const names = Array.from({ length: 10_000 }, (_, n) => `node-${n}`);
    const started = withNodes(newRun(HASH), { started: names });
    const healthy = withBaselines(started, new Map(names.map((name) => [name, well(1000)])));
    const sick = withBaselines(
      started,
      new Map(names.map((name) => [name, { ...well(1000), bad: ['Ready'] }])),
    );
    expect(storedRuns([objectOf(healthy)])[0]?.record.before.size).toBe(10_000);
    const [read] = storedRuns([objectOf(sick)]);
    expect([read?.record.started.size, read?.record.before.size]).toEqual([10_000, 0]);
    for (const record of [healthy, sick]) expect(recordText(record).length).toBeLessThan(240_000);
  });

  test('the newest comes first, and the eleventh goes unless a plan names it', () => {
    const objects: KubeObject[] = [];
    for (let n = 10; n < 22; n++) objects.push(objectOf(newRun(`h1:${n}`), objects));
    const stored = storedRuns(objects);
    expect(stored.map(({ record }) => record.hash).slice(0, 2)).toEqual(['h1:21', 'h1:20']);
    const deleted = deleteOldRuns(stored, new Set(['h1:10'])).map((action) =>
      action.do === 'delete' ? action.name : '',
    );
    expect(deleted).toEqual(['fix-run-11']);
  });
});
