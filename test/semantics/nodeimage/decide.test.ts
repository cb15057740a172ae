import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { nodeImageKind } from '../../../semantics/nodeimage/kind.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import { oldNode } from '../imagepulljob/fleet.ts';
import { NOW, SECOND } from '../pull/fleet.ts';
import { presentNamespaces } from '../../../semantics/nodeimage/pull-tag.ts';
import { site } from './site.ts';

const MINUTE = 60 * SECOND;
const web = (tag: JsonObject = {}, entry: JsonObject = {}): JsonObject => ({
  web: { tags: [{ tag: '1', ...tag }], ...entry },
});
const secret = (namespace: string, name: string): JsonObject => ({ namespace, name });

describe('a tag', () => {
  test('is pulled by a pod in the namespace of the daemon, and is on record before the pod goes', () => {
    const own = site(web());
    own.decide();
    expect(own.made).toEqual(['kruise-daemon-config web:1#1']);
    own.end('pulling');
    own.decide();
    expect(own.shown).toBe('web:1 Pulling: 1 desired, 1 pulling');
    own.end('pulled');
    expect(own.decide().actions).toEqual([]);
    expect(own.shown).toBe('web:1 Succeeded: 1 desired, 1 succeeded');
    own.decide();
    expect(own.pods).toEqual([]);
    expect(own.run('pulled')).toBe('web:1 Succeeded: 1 desired, 1 succeeded');
    expect(own.made).toHaveLength(1);
  });

  test('its row has the times, the progress and the version', () => {
    const own = site(web({ version: 3 }));
    own.decide();
    own.end('pulling');
    own.pass(SECOND);
    own.decide();
    own.pass(MINUTE);
    own.end('pulled');
    own.decide();
    expect(own.target['status']).toMatchObject({
      imageStatuses: {
        web: {
          tags: [
            {
              ...{ tag: '1', phase: 'Succeeded', progress: 100, version: 3 },
              startTime: timestamp(NOW + SECOND),
              completionTime: timestamp(NOW + SECOND + MINUTE),
            },
          ],
        },
      },
    });
  });

  test('an image that the node lists is there without a pod; with Always the registry is asked', () => {
    const nodes = [oldNode('a', { images: ['docker.io/library/web:1'] })];
    const [listed, forced] = [site(web(), { nodes }), site(web({ imagePullPolicy: 'Always' }), { nodes })];
    listed.decide();
    forced.decide();
    expect([listed.shown, listed.made]).toEqual(['web:1 Succeeded: 1 desired, 1 succeeded', []]);
    expect(forced.made).toHaveLength(1);
    expect(forced.pods[0]?.spec.containers[0]).toMatchObject({ imagePullPolicy: 'Always' });
  });

  test('a digest is joined by an at sign', () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const own = site({ 'quay.io/a/b': { tags: [{ tag: digest }] } });
    own.decide();
    expect(own.made).toEqual([`kruise-daemon-config quay.io/a/b@${digest}#1`]);
  });

  test('fails after backoffLimit + 1 attempts, with an Event, and is not tried again', () => {
    const own = site(web({ pullPolicy: { backoffLimit: 1 } }));
    own.decide();
    own.end('refused');
    own.pass(10 * SECOND);
    own.decide();
    own.end('refused');
    expect(own.decide().actions).toEqual([]);
    const problem = 'ImagePullBackOff web:1';
    expect(own.shown).toBe(`web:1 Failed (${problem}): 1 desired, 1 failed`);
    const message = `Image web:1: ${problem}`;
    const { actions } = own.decide();
    expect(actions.map(({ do: what }) => what)).toEqual(['delete', 'delete']);
    expect(actions.flatMap(({ event }) => event ?? [])).toEqual([
      { type: 'Warning', reason: 'PullImageFailed', message },
    ]);
    expect(own.run('refused')).toBe(`web:1 Failed (${problem}): 1 desired, 1 failed`);
    expect([own.made.length, own.pods]).toEqual([2, []]);
  });

  test('a negative backoffLimit is three, and an Event says that it is there', () => {
    const own = site(web({ pullPolicy: { backoffLimit: -1 } }));
    expect(own.run('refused', 60)).toContain('1 failed');
    expect(own.made).toHaveLength(4);
    const other = site(web());
    other.decide();
    other.end('pulled');
    other.decide();
    const message = 'Image web:1 is on the node';
    expect(other.decide().actions).toMatchObject([
      { do: 'delete', event: { type: 'Normal', reason: 'PullImageSucceed', message } },
    ]);
  });

  test('another version is pulled anew, the same one is not', () => {
    const own = site(web());
    own.run('pulled');
    own.edit(web({ version: 1 }));
    own.decide();
    expect(own.shown).toBe('web:1 Waiting: 1 desired, 1 waiting');
    expect(own.run('pulled')).toBe('web:1 Succeeded: 1 desired, 1 succeeded');
    expect(own.made).toHaveLength(2);
  });

  test('one that is removed leaves the status, and its pod goes', () => {
    const own = site({ ...web(), db: { tags: [{ tag: '2' }] } });
    own.decide();
    expect(own.made).toEqual(['kruise-daemon-config db:2#1']);
    own.edit(web());
    own.decide();
    expect(own.shown).toBe('web:1 Waiting: 1 desired, 1 waiting');
    expect(own.pods.map(({ spec }) => spec.containers[0]?.image)).toEqual(['web:1']);
  });

  test('PJ-12: one that is there stays on record as long as it is wanted, whatever its TTL', () => {
    const own = site(web({ pullPolicy: { ttlSecondsAfterFinished: 1 } }));
    own.run('pulled');
    own.pass(100 * 24 * 60 * MINUTE);
    expect(own.run('pulled')).toBe('web:1 Succeeded: 1 desired, 1 succeeded');
    expect(own.made).toHaveLength(1);
  });

  test('one with owners is that of a job, which pulls it by itself', () => {
    const own = site({ web: { tags: [{ tag: '1', ownerReferences: [{ name: 'job' }] }, { tag: '2' }] } });
    expect(own.run('pulled')).toBe('web:2 Succeeded: 1 desired, 1 succeeded');
    expect(own.made).toEqual(['kruise-daemon-config web:2#1']);
  });

  test('what OpenKruise has on record is not pulled again', () => {
    const row = { tag: '1', phase: 'Succeeded', version: 4, imageID: 'web@sha256:x', progress: 100 };
    const status = { desired: 1, imageStatuses: { web: { tags: [row] } } };
    const own = site(web({ version: 4 }), { status });
    expect(own.decide().actions).toEqual([]);
    expect(own.target['status']).toMatchObject({ imageStatuses: { web: { tags: [row] } } });
    const later = site(web({ version: 5 }), { status });
    later.decide();
    expect(later.made).toHaveLength(1);
  });

  test('activeDeadlineSeconds end it, from createdAt or else from its start', () => {
    const pullPolicy = { activeDeadlineSeconds: 60 };
    const own = site(web({ pullPolicy }));
    own.decide();
    own.end('pulling');
    own.decide();
    own.pass(59 * SECOND);
    expect(own.decide().requeueAt).toBe(NOW + MINUTE);
    own.pass(SECOND);
    expect(own.decide().actions).toEqual([]);
    const over = 'web:1 Failed (pulling exceeds the activeDeadlineSeconds): 1 desired, 1 failed';
    expect(own.shown).toBe(over);
    own.decide();
    expect(own.pods).toEqual([]);
    const old = site(web({ pullPolicy, createdAt: timestamp(NOW - MINUTE) }));
    old.decide();
    expect([old.shown, old.made]).toEqual([over, []]);
  });
});

describe('its node', () => {
  test('PJ-21, PJ-23: where there is none, or a virtual one, the images wait, and say so', () => {
    for (const nodes of [[], [oldNode('b')], [oldNode('a', { labels: { type: 'virtual-kubelet' } })]]) {
      const own = site(web(), { nodes });
      own.decide();
      expect(own.shown).toBe(
        'web:1 Waiting (there is no node of this name, or it is a virtual one): 1 desired, 1 waiting',
      );
    }
  });

  test('PJ-21: once it is gone, its pods go', () => {
    const own = site(web());
    own.decide();
    own.end('pulling');
    own.nodes = [];
    own.decide();
    expect(own.pods).toEqual([]);
  });

  test('PJ-22: a new one gets them 30 seconds after it was created', () => {
    const own = site(web(), { nodes: [oldNode('a', { ageMs: 10 * SECOND })] });
    expect(own.decide().requeueAt).toBe(NOW + 20 * SECOND);
    expect([own.shown, own.made]).toEqual(['web:1 Waiting: 1 desired, 1 waiting', []]);
    own.pass(20 * SECOND);
    own.decide();
    expect(own.made).toHaveLength(1);
  });

  test('while another target pulls to it, nothing begins', () => {
    const own = site(web());
    own.busy.add('a');
    expect(own.decide().requeueAt).toBe(NOW + 5 * SECOND);
    expect(own.made).toEqual([]);
  });

  test('gets one image after the other, by name and tag', () => {
    const own = site({ web: { tags: [{ tag: '2' }, { tag: '1' }] }, db: { tags: [{ tag: '9' }] } });
    own.decide();
    own.end('pulling');
    own.decide();
    expect(own.shown).toBe('db:9 Pulling, web:1 Waiting, web:2 Waiting: 3 desired, 1 pulling, 2 waiting');
    // One that comes before it in the list does not begin beside it.
    own.edit({ app: { tags: [{ tag: '1' }] }, db: { tags: [{ tag: '9' }] } });
    own.decide();
    expect(own.made).toHaveLength(1);
    expect(own.run('pulled')).toBe('app:1 Succeeded, db:9 Succeeded: 2 desired, 2 succeeded');
  });

  test('what has ended is on record before the next one begins', () => {
    const own = site({ web: { tags: [{ tag: '1' }, { tag: '2' }] } });
    own.decide();
    own.end('pulled');
    expect(own.decide().actions).toEqual([]);
    own.decide();
    expect(own.made).toEqual(['kruise-daemon-config web:1#1', 'kruise-daemon-config web:2#1']);
  });

  test('one that finds no place lets the others go on, ten at most', () => {
    const tags = Array.from({ length: 12 }, (_, index) => ({ tag: `${index + 10}` }));
    const own = site({ web: { tags } });
    own.decide();
    own.end('unplaced');
    own.pass(30 * SECOND);
    own.decide();
    expect(own.made).toHaveLength(1);
    own.run('unplaced', 120);
    expect(own.made).toHaveLength(10);
    expect(own.shown).toContain('web:10 Waiting (the scheduler has not placed the pod)');
    expect(own.run('pulled', 40)).toContain('12 desired, 12 succeeded');
  });
});

describe('Secrets', () => {
  const both = web(
    { pullPolicy: { backoffLimit: 0 } },
    {
      pullSecrets: [
        secret('shop', 'one'),
        secret('bank', 'key'),
        secret('shop', 'two'),
        secret('shop', 'one'),
      ],
    },
  );

  test('each namespace pulls by its own ones, until one has pulled it', () => {
    const own = site(both);
    own.decide();
    expect(own.made).toEqual(['shop web:1#1 by one, two']);
    own.end('refused');
    own.decide();
    expect(own.made).toEqual(['shop web:1#1 by one, two', 'bank web:1#1 by key']);
    own.end('pulled', 'bank');
    own.decide();
    expect(own.shown).toBe('web:1 Succeeded: 1 desired, 1 succeeded');
    own.decide();
    expect(own.pods).toEqual([]);
  });

  test('all of them fail: the last one says why', () => {
    expect(site(both).run('refused')).toBe(
      'web:1 Failed (bank: ImagePullBackOff web:1): 1 desired, 1 failed',
    );
  });

  test('one that has pulled it asks no other namespace', () => {
    const own = site(both);
    own.run('pulled');
    expect(own.made).toHaveLength(1);
  });

  test('a namespace that is not there is left out; without any the tag waits', () => {
    const own = site(both);
    own.namespaces = ['bank'];
    own.run('pulled');
    expect(own.made).toEqual(['bank web:1#1 by key']);
    const none = site(web());
    none.namespaces = [];
    none.decide();
    expect(none.shown).toBe(
      'web:1 Waiting (there is no namespace kruise-daemon-config to pull it in): 1 desired, 1 waiting',
    );
  });

  test('other ones are another pull', () => {
    const own = site(web({}, { pullSecrets: [secret('shop', 'one')] }));
    own.decide();
    own.end('pulling');
    own.edit(web({}, { pullSecrets: [secret('shop', 'two')] }));
    own.decide();
    expect(own.made).toEqual(['shop web:1#1 by one', 'shop web:1#1 by two']);
    expect(own.pods).toHaveLength(1);
  });

  test('a namespace that refuses pods does not keep those of others from theirs', () => {
    const own = site({
      db: { tags: [{ tag: '1' }], pullSecrets: [secret('shop', 'one')] },
      web: { tags: [{ tag: '1' }], pullSecrets: [secret('bank', 'key')] },
    });
    own.refused = 'shop';
    expect(own.run('pulled')).toBe('db:1 Waiting, web:1 Succeeded: 2 desired, 1 succeeded, 1 waiting');
  });

  test('a pod that somebody has made elsewhere counts for nothing, and goes', () => {
    const own = site(web());
    own.decide();
    const [pod] = own.pods as [Pod];
    own.add({ ...pod, metadata: { ...pod.metadata, namespace: 'shop' }, status: { phase: 'Failed' } });
    own.decide();
    expect(own.pods.map(({ metadata }) => metadata.namespace)).toEqual(['kruise-daemon-config']);
  });
});

describe('one that is held or deleted', () => {
  const begun = () => {
    const own = site(web());
    own.decide();
    own.end('pulling');
    own.decide();
    return own;
  };
  const observed = (own: ReturnType<typeof site>, finalizers: string[] = []) =>
    nodeImageKind.observe({
      target: { ...own.target, metadata: { ...own.target.metadata, finalizers } },
      ...{ pods: [], revisions: [], takenNames: new Set<string>(), now: NOW, pulls: { pods: own.pods } },
    });

  test('held, its pods go, each in its namespace, and what was pulled waits', () => {
    const { actions, status } = observed(begun()).whileHeld();
    expect(actions).toMatchObject([{ do: 'delete', namespace: 'kruise-daemon-config' }]);
    expect(status).toMatchObject({
      ...{ pulling: 0, waiting: 1 },
      imageStatuses: { web: { tags: [{ tag: '1', phase: 'Waiting' }] } },
    });
    expect(observed(site(web())).whileHeld().status).toEqual({});
  });

  test('deleted, its pods go with it; with orphans they are deleted', () => {
    const own = begun();
    expect(observed(own).release()).toEqual([]);
    expect(observed(own, ['orphan']).release()).toMatchObject([
      { do: 'delete', namespace: 'kruise-daemon-config' },
    ]);
  });

  test('it looks at nodes and namespaces as long as something is to be pulled', () => {
    const own = site(web());
    const needs = () => nodeImageKind.needs(own.target, [], []).map(({ of }) => of);
    expect(needs()).toEqual(['OwnedPods', 'Nodes', 'Namespaces']);
    own.run('pulled');
    expect(needs()).toEqual(['OwnedPods']);
  });
});

test('a namespace that is about to go is none to pull in', () => {
  const of = (name: string, metadata = {}) => ({
    ...{ apiVersion: 'v1', kind: 'Namespace', metadata: { name, ...metadata } },
  });
  const leaving = of('bank', { deletionTimestamp: '2026-01-01T00:00:00Z' });
  expect(presentNamespaces({ namespaces: [of('shop'), leaving] })).toEqual(new Set(['shop']));
});

test('where a namespace refuses pods, it is asked for one of them at a time', () => {
  const tags = [{ tag: '1' }, { tag: '2' }];
  const own = site({ web: { tags, pullSecrets: [{ namespace: 'shop', name: 'key' }] } });
  own.refused = 'shop';
  const { actions } = own.decide();
  expect(actions.map(({ do: what }) => what)).toEqual(['create']);
});
