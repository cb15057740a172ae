import { describe, expect, test } from 'vitest';
import {
  decide,
  type Given,
  hashOf,
  NOW,
  ownStrategy,
  revisionsOf,
  snapshotOf,
  statusOf,
  step,
} from './model.ts';

/** The counts as `desired/current/misscheduled ready/available/unavailable updated`. */
function counts(given: Given): string {
  const status = statusOf(given);
  const nodes = [status.desiredNumberScheduled, status.currentNumberScheduled, status.numberMisscheduled];
  const pods = [status.numberReady, status.numberAvailable, status.numberUnavailable];
  return `${nodes.join('/')} ${pods.join('/')} ${status.updatedNumberScheduled}`;
}

const slow = { minReadySeconds: 10 };

describe('the status (section 3)', () => {
  test.each<[string, Given, string]>([
    ['all is well', { nodes: 'n1 n2 n3', pods: 'n1n n2n n3n' }, '3/3/0 3/3/0 3'],
    ['one is missing', { nodes: 'n1 n2 n3', pods: 'n1n n2n' }, '3/2/0 2/2/1 2'],
    ['one is old', { nodes: 'n1 n2 n3', pods: 'n1 n2n n3n' }, '3/3/0 3/3/0 2'],
    ['one is not ready', { nodes: 'n1 n2', pods: 'n1n! n2n' }, '2/2/0 1/1/1 2'],
    ['one is not ready for long enough', { nodes: 'n1 n2', pods: 'n1n~ n2n', spec: slow }, '2/2/0 2/1/1 2'],
    ['one is drained', { nodes: 'n1 n2', pods: 'n1nd n2n' }, '2/2/0 1/1/1 2'],
    ['a pod that is being deleted counts for its node', { nodes: 'n1', pods: 'n1nt' }, '1/1/0 1/1/0 1'],
    ['and so does a failed one', { nodes: 'n1', pods: 'n1nf' }, '1/1/0 0/0/1 1'],
    ['the older of two counts', { nodes: 'n1', pods: 'n1 n1n!y' }, '1/1/0 1/1/0 0'],
    ['a pod that is bound counts before one that is not', { nodes: 'n1', pods: 'n1u n1ny' }, '1/1/0 1/1/0 1'],
    ['a pod where none should run (DS-15)', { nodes: 'n1 n2!', pods: 'n1n n2n' }, '1/1/1 1/1/0 1'],
    ['a node that is not ready (DS-17)', { nodes: 'n1 n2d', pods: 'n1n n2n' }, '1/1/1 1/1/0 1'],
    ['no node', { nodes: '', pods: '' }, '0/0/0 0/0/0 0'],
  ])('%s', (_what, given, wanted) => {
    expect(counts(given)).toBe(wanted);
  });

  test('it has the generation, and the hash of the live revision alone', () => {
    expect(statusOf({ nodes: '', pods: '' })).toMatchObject({ observedGeneration: 3, updateRevision: 'new' });
  });

  test('it names what holds the target', () => {
    const { status } = snapshotOf({ nodes: 'n1', pods: 'n1' }).decide(
      step(0),
      { reason: 'NoPlan', message: 'no plan' },
      new Set(),
    );
    expect(status).toMatchObject({
      conditions: [{ type: 'plan.kruise.io/Held', status: 'True', reason: 'NoPlan', message: 'no plan' }],
    });
  });

  test('a pod that becomes available with time is observed again then (DS-35)', () => {
    const given: Given = {
      nodes: 'n1',
      pods: 'n1 n1n~y',
      rolling: { maxUnavailable: 0, maxSurge: 1 },
      spec: slow,
    };
    // Ready since one second: available after ten.
    expect(decide(given).requeueAt).toBe(NOW + 9_001);
    expect(decide(given, ownStrategy(), NOW + 9_001).actions.map((each) => each.verb)).toEqual(['delete']);
  });
});

describe('the rows for plans', () => {
  const rowsOf = (given: Given): string[] =>
    snapshotOf(given).rollout.pods.map(
      ({ unit, name, hash, available }) =>
        `${unit} ${name} ${hash === hashOf('new') ? 'new' : 'old'}${available ? '' : '!'}`,
    );

  test.each<[string, Given, string[]]>([
    ['one for each node that has a pod', { nodes: 'n1 n2 n3', pods: 'n1 n2n!' }, ['n1 n1 old', 'n2 n2 new!']],
    [
      'of two pods the younger, not available before the older is gone',
      { nodes: 'n1', pods: 'n1 n1ny' },
      ['n1 n1b new!'],
    ],
    ['the older is being deleted', { nodes: 'n1', pods: 'n1t n1ny' }, ['n1 n1b new']],
    ['none for pods that have ended or wait for their deletion', { nodes: 'n1 n2', pods: 'n1nf n2np' }, []],
    ['none for nodes that do not exist', { nodes: 'n1', pods: 'n1n n2n' }, ['n1 n1 new']],
  ])('%s', (_what, given, wanted) => {
    expect(rowsOf(given)).toEqual(wanted);
  });

  test('the units are the nodes that the live template fits, and those that have a pod', () => {
    const given: Given = { nodes: 'n1l n2 n3 n4l', pods: 'n1 n2', pool: 'gpu' };
    const { units, replicas, pods, selector, onDelete } = snapshotOf(given).rollout;
    expect(replicas).toBe(3);
    expect(units.of === 'nodes' && [...units.nodes.keys()]).toEqual(['n1', 'n2', 'n4']);
    expect(units.of === 'nodes' && units.joins.length).toBe(4);
    expect(pods.map(({ labels }) => labels)).toEqual([{ pool: 'gpu' }, {}]);
    expect([selector, onDelete]).toEqual([undefined, false]);
  });

  test('a node that is not ready says so', () => {
    const { units } = snapshotOf({ nodes: 'n1 n2d', pods: 'n1 n2' }).rollout;
    const isReady = units.of === 'nodes' ? [...units.nodes.values()].map((each) => each.isReady) : [];
    expect(isReady).toEqual([true, false]);
  });

  test('a change is as disruptive as its pods need: those without the gate are recreated (DS-39)', () => {
    const rolling = { rollingUpdateType: 'InPlaceIfPossible' };
    const modeOf = (pods: string) =>
      snapshotOf({ nodes: 'n1 n2', pods, rolling }).rollout.modeTo(hashOf('old'), hashOf('new'));
    expect(modeOf('n1g n2g')).toBe('InPlace');
    expect(modeOf('n1g n2')).toBe('Recreate');
  });

  test('a target with pods that nobody has recorded is adopted, one without any is at its first contact', () => {
    const bare = revisionsOf().map((each) => ({ ...each, metadata: { ...each.metadata, annotations: {} } }));
    expect(snapshotOf({ nodes: 'n1', pods: 'n1' }, bare).isForeign).toBe(true);
    expect(snapshotOf({ nodes: 'n1', pods: '' }, bare).isForeign).toBe(false);
  });
});

describe('pre-download (rule 6.10)', () => {
  const of = (given: Partial<Given>) => {
    const annotations = { 'plan.kruise.io/image-predownload': 'true', ...given.annotations };
    const { units } = snapshotOf({
      nodes: 'n1 n2 n3 n4 n5',
      pods: 'n1 n2 n3 n4 n5',
      ...given,
      annotations,
    }).rollout;
    return units.of === 'nodes' ? units.preDownload : undefined;
  };

  test('each changed image, with the settings of the annotations (DS-53)', () => {
    expect(of({})).toEqual({ images: ['agent:2'], parallelism: 1, attemptMs: 300_000, minUpdatedReady: 0 });
    const annotations = {
      'apps.kruise.io/image-predownload-parallelism': '4',
      'apps.kruise.io/image-predownload-timeout-seconds': '60',
      'apps.kruise.io/image-predownload-min-updated-ready-pods': '3',
    };
    expect(of({ annotations })).toMatchObject({ parallelism: 4, attemptMs: 60_000, minUpdatedReady: 0 });
  });

  test('nothing where all may change at once (DS-52)', () => {
    expect(of({ rolling: { maxUnavailable: '100%' } })).toBeUndefined();
    expect(of({ rolling: { maxUnavailable: '100%', partition: 1 } })).toBeDefined();
    // A partition that rounds down to none retains none.
    expect(of({ rolling: { maxUnavailable: '100%', partition: '10%' } })).toBeUndefined();
  });

  test('nothing with OnDelete, and nothing that no annotation asks for', () => {
    expect(of({ onDelete: true })).toBeUndefined();
    const { units } = snapshotOf({ nodes: 'n1', pods: 'n1' }).rollout;
    expect(units.of === 'nodes' && units.preDownload).toBeUndefined();
  });
});
