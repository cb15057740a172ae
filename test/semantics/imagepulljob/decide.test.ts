import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { decidePullJob, releasedPullJob } from '../../../semantics/imagepulljob/decide.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import { pullJob } from '../../fixtures/pull-jobs.ts';
import { NOW, SECOND } from '../pull/fleet.ts';
import { type End, fleet, HOUR, oldNode } from './fleet.ts';

const MINUTE = 60 * SECOND;
const three = () => ['a', 'b', 'c'].map((name) => oldNode(name));

/** Decides until nothing is left to do, and all pods end so. */
function run(site: ReturnType<typeof fleet>, end: End = 'pulled', rounds = 12): string {
  for (let round = 0; round < rounds; round++) {
    site.decide();
    site.end(end);
    site.pass(10 * SECOND);
  }
  return site.shown;
}

describe('which nodes get the image', () => {
  const pod = (name: string, nodeName: string, parts: JsonObject = {}): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'shop' },
    spec: { containers: [], nodeName },
    status: { phase: 'Running' },
    ...parts,
  });
  const pods = [
    pod('one', 'a'),
    pod('two', 'a'),
    pod('over', 'b', { status: { phase: 'Succeeded' } }),
    pod('pulls', 'c', { metadata: { name: 'pulls', labels: { 'plan.kruise.io/pull': 'x' } } }),
  ];
  test.each<[string, JsonObject, number]>([
    ['PJ-1: every one without a selector', {}, 3],
    ['PJ-1: every one with an empty one', { selector: {} }, 3],
    ['PJ-2: those that are named, as far as there are any', { selector: { names: ['b', 'nowhere'] } }, 1],
    ['those with labels', { selector: { matchLabels: { pool: 'x' } } }, 1],
    ['those with a label', { selector: { matchExpressions: [{ key: 'pool', operator: 'Exists' }] } }, 1],
    ['PJ-3: those of active pods, each once', { podSelector: {} }, 1],
  ])('%s', (_what, spec, desired) => {
    const nodes = [oldNode('a', { labels: { pool: 'x' } }), oldNode('b'), oldNode('c')];
    expect(fleet(spec, nodes, pods).decide().status.desired).toBe(desired);
  });

  test('PJ-32: a tainted or cordoned one, too; PJ-23: none of a virtual kubelet', () => {
    const tainted = {
      ...oldNode('a'),
      spec: { unschedulable: true, taints: [{ key: 'x', effect: 'NoExecute' }] },
    };
    const site = fleet({}, [tainted, oldNode('b', { labels: { type: 'virtual-kubelet' } })]);
    expect(run(site)).toBe('1 desired, 0 active, 1 succeeded, 0 failed: job has completed');
  });

  test('PJ-22: a new one 30 seconds after it was created, if it is ready', () => {
    const site = fleet({ completionPolicy: { type: 'Never' } }, [
      oldNode('a', { ageMs: 20 * SECOND }),
      oldNode('b', { ageMs: 9 * MINUTE, ready: false }),
    ]);
    expect(site.decide()).toMatchObject({ status: { desired: 0 }, requeueAt: NOW + 10 * SECOND });
    site.pass(10 * SECOND);
    expect(site.decide().status.desired).toBe(1);
  });

  test('PJ-21: one that is deleted counts no more', () => {
    const site = fleet({ parallelism: 0 }, three());
    site.decide();
    site.nodes.pop();
    expect(site.decide().status.desired).toBe(2);
  });

  test('PJ-21: one that gets the labels is pulled to, and the pod of one that loses them goes', () => {
    const selector = { matchLabels: { pool: 'x' } };
    const site = fleet({ selector, parallelism: 2 }, [oldNode('a', { labels: { pool: 'x' } }), oldNode('b')]);
    site.decide();
    site.nodes.splice(0, 2, oldNode('a'), oldNode('b', { labels: { pool: 'x' } }));
    site.decide();
    expect([site.made, site.pods.length]).toEqual([['a#1', 'b#1'], 1]);
  });
});

describe('how far a job is', () => {
  test('PJ-5: with parallelism 1 one node pulls at a time', () => {
    const site = fleet({}, three());
    site.decide();
    site.decide();
    expect(site.made).toEqual(['a#1']);
    expect(site.shown).toBe('3 desired, 1 active, 0 succeeded, 0 failed: job is running, progress 0.0%');
    site.end('pulled');
    site.decide();
    expect(site.made).toEqual(['a#1', 'b#1']);
    site.decide();
    expect(site.shown).toBe('3 desired, 1 active, 1 succeeded, 0 failed: job is running, progress 33.3%');
  });

  test('PJ-6: with parallelism 0 none does, until it is raised', () => {
    const site = fleet({ parallelism: 0 }, three());
    expect(run(site)).toBe('3 desired, 0 active, 0 succeeded, 0 failed: job is running, progress 0.0%');
    expect(site.made).toEqual([]);
    Object.assign(site.job['spec'] as object, { parallelism: '3' });
    expect(run(site)).toContain('job has completed');
  });

  test('PJ-7: of no node it ends at once', () => {
    const site = fleet({ selector: { names: ['nowhere'] } }, three());
    expect(site.decide().status).toMatchObject({ desired: 0, completionTime: timestamp(NOW) });
  });

  test('PJ-8: at the end its pods are deleted, once it is on record what they were for', () => {
    const site = fleet({ parallelism: 3 }, three());
    site.decide();
    site.end('pulled');
    expect(site.decide()).toMatchObject({
      actions: [],
      status: { message: 'job has completed', succeeded: 3 },
    });
    expect(site.pods).toHaveLength(3);
    site.decide();
    expect([site.pods, site.shown]).toEqual([
      [],
      '3 desired, 0 active, 3 succeeded, 0 failed: job has completed',
    ]);
    expect(site.decide()).toMatchObject({ actions: [] });
  });

  test('PJ-9, PJ-30: a node fails in backoffLimit + 1 attempts, and the job ends', () => {
    const site = fleet(
      { parallelism: 3, pullPolicy: { backoffLimit: 1 } },
      ['c', 'a', 'b'].map((name) => oldNode(name)),
    );
    site.decide();
    site.end('refused', 'b');
    site.end('refused', 'c');
    site.end('pulled', 'a');
    const shown = run(site, 'refused');
    expect(shown).toBe('3 desired, 0 active, 1 succeeded, 2 failed (b, c): job has completed');
    expect(site.made).toEqual(['a#1', 'b#1', 'c#1', 'b#2', 'c#2']);
  });

  test('an Event names what has failed, once', () => {
    const site = fleet({ parallelism: 3, pullPolicy: { backoffLimit: 0 } }, three());
    site.decide();
    site.end('refused', 'a');
    site.end('refused', 'b');
    const message = 'a: ImagePullBackOff web:1, and 1 more nodes';
    expect(site.decide().events).toEqual([{ type: 'Warning', reason: 'PullImageFailed', message }]);
    expect(site.decide().events).toEqual([]);
  });

  test('PJ-10: at its deadline the rest has failed', () => {
    const site = fleet(
      { imagePullPolicy: 'Always', completionPolicy: { activeDeadlineSeconds: 600 } },
      three(),
    );
    site.decide();
    site.end('pulled');
    expect(site.decide().requeueAt).toBe(NOW + 600 * SECOND);
    site.pass(600 * SECOND);
    site.decide();
    expect(site.shown).toBe(
      '3 desired, 0 active, 1 succeeded, 2 failed (b, c): job exceeds activeDeadlineSeconds',
    );
    site.decide();
    expect(site.pods).toEqual([]);
  });

  test('PJ-11: after its TTL it is deleted', () => {
    const site = fleet({ completionPolicy: { ttlSecondsAfterFinished: 20 } }, []);
    site.decide();
    expect(site.decide()).toMatchObject({ actions: [], requeueAt: NOW + 20 * SECOND });
    site.pass(20 * SECOND);
    expect(site.decide().actions).toMatchObject([{ do: 'delete', kind: 'Target' }]);
  });

  test('PJ-28: a node that lists the image succeeds without a pod; PJ-29: with Always it gets one', () => {
    const listing = () => [oldNode('a', { images: ['docker.io/library/web:1'] })];
    const site = fleet({}, listing());
    expect(run(site)).toContain('1 succeeded');
    expect(site.made).toEqual([]);
    const forced = fleet({ imagePullPolicy: 'Always' }, listing());
    expect(run(forced)).toContain('1 succeeded');
    expect(forced.made).toEqual(['a#1']);
  });

  test('another image is another pull', () => {
    const site = fleet({}, [oldNode('a')]);
    site.decide();
    Object.assign(site.job['spec'] as object, { image: 'web:2' });
    site.decide();
    expect(site.pods.map(({ spec }) => spec.containers[0]?.image)).toEqual(['web:2']);
  });

  test('PJ-15, PJ-16, PJ-17, PJ-18: pods name the Secrets of the namespace, and nothing is copied', () => {
    const image = `registry.example/web@sha256:${'a'.repeat(64)}`;
    const site = fleet({ image, pullSecrets: ['one', 'two'] }, [oldNode('a')]);
    const { actions } = site.decide();
    expect(actions.map(({ kind }) => kind)).toEqual(['Pod']);
    const [pod] = site.pods;
    expect(pod?.spec['imagePullSecrets']).toEqual([{ name: 'one' }, { name: 'two' }]);
    // PJ-27: a digest is joined by the kubelet itself.
    expect(pod?.spec.containers[0]?.image).toBe(image);
  });

  test('sandboxConfig is no metadata of pods: no selector and no webhook takes one for a pod of the application', () => {
    const metadata = { app: 'web', 'sidecar.istio.io/inject': 'true' };
    const site = fleet({ sandboxConfig: { labels: metadata, annotations: metadata } }, [oldNode('a')]);
    site.decide();
    const [pod] = site.pods;
    const keys = [pod?.metadata.labels, pod?.metadata.annotations].flatMap((each) => Object.keys(each ?? {}));
    expect(keys.filter((key) => !key.startsWith('plan.kruise.io/pull'))).toEqual([]);
    // Nor is another one another pull.
    Object.assign(site.job['spec'] as object, { sandboxConfig: {} });
    site.pass(SECOND);
    expect(site.decide().actions).toEqual([]);
  });

  test('PJ-27: a digest is pulled as it is written', () => {
    const image = `web@sha256:${'b'.repeat(64)}`;
    const site = fleet({ image }, [oldNode('a')]);
    expect(run(site)).toContain('1 succeeded');
  });

  test('PJ-14: whose finalizer OpenKruise has left, it is released from it', () => {
    const target = pullJob('ahead');
    target.metadata.finalizers = ['apps.kruise.io/deletion-protection', 'other'];
    expect(releasedPullJob({ target })).toMatchObject([{ body: { metadata: { finalizers: ['other'] } } }]);
    expect(releasedPullJob({ target: pullJob('ahead') })).toEqual([]);
  });
});

describe('what is no failure of the image', () => {
  const one = (spec: JsonObject = {}) => fleet({ pullPolicy: { backoffLimit: 0 }, ...spec }, [oldNode('a')]);

  test.each<End>(['full', 'queued'])('a pod that is %s: another one follows, until it is pulled', (end) => {
    const site = one();
    expect(run(site, end, 40)).toContain('0 failed: job is running');
    expect(site.made.length).toBeGreaterThan(2);
    site.pass(5 * MINUTE);
    site.decide();
    expect(run(site)).toContain('job has completed');
  });

  test('a pod that finds no place stays, and lets other nodes go on after a minute', () => {
    const site = fleet({}, [oldNode('a'), oldNode('b')]);
    site.decide();
    site.end('unplaced');
    expect(site.decide().requeueAt).toBe(NOW + MINUTE);
    site.pass(MINUTE);
    site.decide();
    expect(site.made).toEqual(['a#1', 'b#1']);
    site.end('pulled', 'b');
    site.pass(HOUR);
    site.decide();
    expect(site.shown).toContain('1 active, 1 succeeded, 0 failed');
  });

  test('a kubelet that does not take its pod up has failed after ten minutes', () => {
    const site = one();
    site.decide();
    site.end('unseen');
    site.pass(9 * MINUTE);
    expect(site.decide().requeueAt).toBe(NOW + 10 * MINUTE);
    site.pass(MINUTE);
    expect(site.decide().events).toMatchObject([{ message: 'a: node has not responded for a long time' }]);
    expect(site.shown).toContain('1 failed (a): job has completed');
  });

  test('an attempt takes timeoutSeconds from when the kubelet has taken it up', () => {
    const site = one({ pullPolicy: { backoffLimit: 0, timeoutSeconds: 30 } });
    site.decide();
    site.end('unplaced');
    site.pass(29 * SECOND);
    site.decide();
    site.end('pulling');
    expect(site.decide().requeueAt).toBe(NOW + 30 * SECOND);
    site.pass(SECOND);
    site.decide();
    expect(site.shown).toContain('1 failed (a)');
  });

  test('PJ-20: while another job pulls to a node, none begins there', () => {
    const site = fleet({}, [oldNode('a'), oldNode('b')]);
    site.busy.add('a');
    expect(site.decide().actions).toHaveLength(1);
    site.end('pulled');
    expect(site.decide().requeueAt).toBe(NOW + 5 * SECOND);
    expect(site.made).toEqual(['b#1']);
    site.busy.clear();
    site.decide();
    expect(site.made).toEqual(['b#1', 'a#1']);
  });

  test('a registry that is asked too often is asked on no further node until the pause is over', () => {
    const site = fleet({ parallelism: 2, imagePullPolicy: 'Always' }, three());
    site.decide();
    site.end('throttled', 'a');
    site.end('pulled', 'b');
    expect(site.decide().requeueAt).toBe(NOW + MINUTE);
    expect(site.made).toEqual(['a#1', 'b#1']);
    site.pass(MINUTE);
    site.decide();
    expect(site.made).toEqual(['a#1', 'b#1', 'a#2', 'c#1']);
  });
});

describe('PJ-13: a job that never ends', () => {
  const DAY = 24 * HOUR;

  test('pulls again a day after it has pulled to every node, and has no pods between', () => {
    const site = fleet(
      { parallelism: 3, imagePullPolicy: 'Always', completionPolicy: { type: 'Never' } },
      three(),
    );
    expect(run(site)).toBe('3 desired, 0 active, 3 succeeded, 0 failed: job is running, progress 100.0%');
    expect([site.pods, site.job['status']]).toMatchObject([[], {}]);
    expect((site.job['status'] as JsonObject)['completionTime']).toBeUndefined();
    expect(site.made).toHaveLength(3);
    site.pass(DAY);
    run(site);
    expect(site.made).toHaveLength(6);
    expect(site.pods).toEqual([]);
  });

  test('pulls to a node that joins, and to that alone', () => {
    const site = fleet({ parallelism: 3, completionPolicy: { type: 'Never' } }, three());
    run(site);
    site.nodes.push(oldNode('late', { ageMs: -3 * MINUTE }));
    site.pass(3 * MINUTE);
    expect(run(site)).toBe('4 desired, 0 active, 4 succeeded, 0 failed: job is running, progress 100.0%');
    expect(site.made.slice(3)).toEqual(['late#1']);
    expect(site.pods).toEqual([]);
    run(site);
    expect(site.made).toHaveLength(4);
  });

  test('pulls to a node that is chosen later, though it is an old one', () => {
    const selector = { matchLabels: { pool: 'x' } };
    const [a, b] = [oldNode('a', { labels: { pool: 'x' } }), oldNode('b')];
    const site = fleet({ selector, completionPolicy: { type: 'Never' } }, [a, b]);
    expect(run(site)).toContain('1 succeeded');
    site.nodes[1] = oldNode('b', { labels: { pool: 'x' } });
    expect(run(site)).toContain('2 desired, 0 active, 2 succeeded');
    expect(site.made).toEqual(['a#1', 'b#1']);
    expect(site.pods).toEqual([]);
  });

  test('pulls another image at once', () => {
    const site = fleet({ completionPolicy: { type: 'Never' } }, [oldNode('a')]);
    run(site);
    Object.assign(site.job['spec'] as object, { image: 'web:2' });
    site.decide();
    expect(site.pods.map(({ spec }) => spec.containers[0]?.image)).toEqual(['web:2']);
  });

  test('does not wait for a node without a place before the next day', () => {
    const site = fleet({ parallelism: 2, completionPolicy: { type: 'Never' } }, [oldNode('a'), oldNode('b')]);
    site.decide();
    site.end('unplaced', 'a');
    site.end('pulled', 'b');
    site.pass(MINUTE);
    for (const _ of [1, 2, 3]) site.decide();
    expect(site.shown).toBe('2 desired, 1 active, 1 succeeded, 0 failed: job is running, progress 50.0%');
    expect(site.pods).toHaveLength(1);
    site.end('pulled', 'a');
    for (const _ of [1, 2]) site.decide();
    expect([site.shown.slice(0, 32), site.pods]).toEqual(['2 desired, 0 active, 2 succeeded', []]);
  });

  test('remembers which nodes have failed until the next day', () => {
    const site = fleet(
      { parallelism: 3, pullPolicy: { backoffLimit: 0 }, completionPolicy: { type: 'Never' } },
      three(),
    );
    site.decide();
    site.end('refused', 'b');
    site.end('pulled', 'a');
    site.end('pulled', 'c');
    expect(run(site)).toContain('2 succeeded, 1 failed (b)');
    expect(run(site)).toContain('2 succeeded, 1 failed (b)');
    site.pass(DAY);
    expect(run(site)).toContain('3 succeeded, 0 failed');
  });
});

test('PJ-31: what is decided follows from its objects alone, so that a restart changes nothing', () => {
  const site = fleet({ parallelism: 2 }, three());
  site.decide();
  site.end('pulled', 'a');
  const again = { target: site.job, pods: [], placement: site.nodes, pulls: { pods: site.pods }, now: NOW };
  expect(decidePullJob(again, undefined)).toEqual(decidePullJob(again, undefined));
  const created = decidePullJob(again, undefined).actions.map(
    (action) => action.do === 'create' && action.object.metadata.name,
  );
  expect(new Set([...created, ...site.pods.map(({ metadata }) => metadata.name)]).size).toBe(3);
});
