import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { nextIdentities } from '../../../semantics/cloneset/pods.ts';
import { cloneSetView } from '../../../semantics/cloneset/view.ts';
import { inSequence } from '../../../semantics/decision.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import { mark } from './midway.ts';
import {
  MINUTE,
  claim,
  off,
  withClaims,
  settle,
  namesOf,
  idOf,
  setSpec,
  lose,
  refusePods,
} from './claimed.ts';
import { actionText, createModel, template } from './model.ts';

describe('the claims of a new pod', () => {
  test('a claim of its own, created before it, with the same id and the labels of both', () => {
    const model = createModel({
      spec: {
        replicas: 1,
        volumeClaimTemplates: [
          claim('data', '1Gi', { labels: { tier: 'db' }, annotations: { note: 'kept' } }),
          claim('logs'),
        ],
      },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          containers: [{ name: 'main', image: 'web:1' }],
          volumes: [
            { name: 'data', emptyDir: {} },
            { name: 'tmp', emptyDir: {} },
          ],
        },
      },
    });
    const [data, logs, pod, ...more] = inSequence(model.decide().actions);
    expect(more).toEqual([]);
    if (data?.do !== 'create' || logs?.do !== 'create' || pod?.do !== 'create') throw new Error('creates');
    const id = idOf(pod.object);
    expect([data, logs, pod].map(actionText)).toEqual([
      `create claim data-web-${id}`,
      `create claim logs-web-${id}`,
      `create web-${id} web:1`,
    ]);
    expect(data.object).toMatchObject({
      kind: 'PersistentVolumeClaim',
      metadata: {
        namespace: 'shop',
        labels: { app: 'web', tier: 'db', 'apps.kruise.io/cloneset-instance-id': id },
        annotations: { note: 'kept' },
        ownerReferences: [{ uid: 'uid-web', controller: true, blockOwnerDeletion: true }],
      },
      spec: claim('data')['spec'],
    });
    expect((pod.object['spec'] as JsonObject)['volumes']).toEqual([
      { name: 'data', persistentVolumeClaim: { claimName: `data-web-${id}` } },
      { name: 'logs', persistentVolumeClaim: { claimName: `logs-web-${id}` } },
      { name: 'tmp', emptyDir: {} },
    ]);
    expect(data.reason).toBe('its pod needs it');
  });

  test.each([
    ['reuse on', {}],
    ['reuse off', off],
  ])('%s: the claim of a refused pod is used for the next one, for hours', (_, spec) => {
    const model = createModel({
      spec: { replicas: 1, volumeClaimTemplates: [claim('data'), claim('logs')], ...spec },
    });
    refusePods(model, 3);
    const left = namesOf(model.claims);
    expect(left).toHaveLength(2);
    model.now += 60 * MINUTE;
    refusePods(model, 3);
    settle(model);
    expect(namesOf(model.claims)).toEqual(left);
    expect(idOf(model.pods[0])).toBe(idOf(model.claims[0]));
    model.now += MINUTE;
    expect(settle(model)).toEqual([]);
    const lost = lose(model);
    settle(model);
    expect(namesOf(model.pods)).toEqual(
      spec === off ? [expect.not.stringMatching(lost.metadata.name)] : [lost.metadata.name],
    );
  });

  test('reuse off: claims of refused pods are deleted when the pods are not wanted any more', () => {
    const model = withClaims({ spec: off });
    const before = namesOf(model.claims);
    model.now += MINUTE;
    setSpec(model, { replicas: 4 });
    refusePods(model, 2);
    expect(model.claims).toHaveLength(4);
    setSpec(model, { replicas: 2 });
    model.now += MINUTE;
    settle(model);
    expect(namesOf(model.claims)).toEqual(before);
  });

  test('reuse off: a young claim is not counted before its pod, which may exist and not be observed yet', () => {
    const model = withClaims({ spec: off });
    model.now += MINUTE;
    setSpec(model, { replicas: 3 });
    refusePods(model, 1);
    setSpec(model, { replicas: 2 });
    const young = model.decide();
    expect(young.actions).toEqual([]);
    const created = model.claims.map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? ''));
    expect(young.requeueAt).toBe(Math.max(...created) + MINUTE);
    model.now += MINUTE;
    expect(model.decide().actions.map(({ verb }) => verb)).toEqual(['annotate revision']);
  });

  test('reuse off: the claim of a pod that was created and lost between two reconciles is found by its name', () => {
    const model = withClaims({ spec: off });
    model.now += MINUTE;
    setSpec(model, { replicas: 3 });
    for (const action of model.decide().actions) model.apply(action);
    const made = model.pods.at(-1)?.metadata.name ?? '';
    // It is terminating: its name and its claim are not reused.
    model.pods = model.pods.map((pod) =>
      pod.metadata.name === made
        ? { ...pod, metadata: { ...pod.metadata, deletionTimestamp: timestamp(model.now) } }
        : pod,
    );
    refusePods(model, 3);
    model.pods = model.pods.filter(({ metadata }) => metadata.name !== made);
    settle(model);
    expect(namesOf(model.pods)).not.toContain(made);
    expect(namesOf(model.claims)).toEqual(namesOf(model.pods).map((name) => `data-${name}`));
  });

  test('an id whose claims belong to another object is skipped', () => {
    const model = createModel({ spec: { replicas: 1, volumeClaimTemplates: [claim('data')] } });
    const [first = ''] = inSequence(model.decide().actions).map(actionText);
    const { target, revisions } = model;
    const taken = new Set([first.replace('create claim ', '')]);
    const [next] = nextIdentities(cloneSetView({ target, pods: [], revisions, takenNames: taken }), 1);
    expect(first.endsWith(`-${next?.id}`)).toBe(false);
  });
});

describe('a lost pod (rule 6.7)', () => {
  test.each(['gone', 'terminating', 'Failed'] as const)(
    'reuse on, a pod that is %s: its replacement has its name and its claims (CS-23)',
    (how) => {
      const model = withClaims();
      const [before, claims] = [namesOf(model.pods), namesOf(model.claims)];
      const lost = lose(model, how);
      const meanwhile = settle(model);
      if (how === 'terminating') {
        expect(meanwhile).toEqual([]);
        expect(model.decide().explanations).toContainEqual({
          about: 'web',
          reason: `a pod waits for the deletion of ${lost.metadata.name}: it takes its name and data-${lost.metadata.name}`,
        });
        model.pods = model.pods.filter(({ metadata }) => metadata.uid !== lost.metadata.uid);
        settle(model);
      }
      expect(namesOf(model.pods)).toEqual(before);
      expect(namesOf(model.claims)).toEqual(claims);
      const heir = model.pods.find(({ metadata }) => metadata.name === lost.metadata.name);
      expect(heir?.metadata.uid).not.toBe(lost.metadata.uid);
      expect(heir?.metadata.annotations?.['plan.kruise.io/pod-number']).toBe(
        lost.metadata.annotations?.['plan.kruise.io/pod-number'],
      );
    },
  );

  test('reuse on: the reason names the claims that a pod reuses', () => {
    const model = withClaims();
    const lost = lose(model);
    const [making] = model.decide().actions;
    expect(making?.reason).toMatch(new RegExp(`; reuses data-${lost.metadata.name}$`));
  });

  test('reuse on: unused claims are retained, and reused when they are needed', () => {
    const model = withClaims();
    setSpec(model, { replicas: 1 });
    const lost = lose(model);
    model.now += 2 * MINUTE;
    expect(settle(model)).toEqual([]);
    expect(model.claims).toHaveLength(2);
    setSpec(model, { replicas: 2 });
    expect(settle(model)).toEqual([`create ${lost.metadata.name} web:1`]);
  });

  test('reuse on: a claim that a user deletes meanwhile is waited for, and recreated', () => {
    const model = withClaims({ spec: { volumeClaimTemplates: [claim('data'), claim('logs')] } });
    const lost = lose(model);
    const logs = `logs-${lost.metadata.name}`;
    model.claims = model.claims.map((each) =>
      each.metadata.name === logs
        ? { ...each, metadata: { ...each.metadata, deletionTimestamp: timestamp(model.now) } }
        : each,
    );
    expect(settle(model)).toEqual([]);
    model.claims = model.claims.filter(({ metadata }) => metadata.name !== logs);
    expect(settle(model)).toEqual([`create claim ${logs}`, `create ${lost.metadata.name} web:1`]);
  });

  test.each(['gone', 'terminating', 'Failed'] as const)(
    'reuse off, a pod that is %s: a new id, new claims, and the old ones are deleted after it (CS-24)',
    (how) => {
      const model = withClaims({ spec: off });
      model.now += MINUTE;
      const lost = lose(model, how);
      const done = settle(model);
      expect(model.pods.filter(({ metadata }) => metadata.name === lost.metadata.name)).toHaveLength(
        how === 'gone' ? 0 : 1,
      );
      expect(done.some((text) => text.startsWith('create claim'))).toBe(true);
      if (how !== 'gone') {
        expect(namesOf(model.claims)).toContain(`data-${lost.metadata.name}`);
        model.pods = model.pods.filter(({ metadata }) => metadata.uid !== lost.metadata.uid);
        settle(model);
      }
      expect(namesOf(model.claims)).toEqual(namesOf(model.pods).map((name) => `data-${name}`));
      expect(namesOf(model.pods)).not.toContain(lost.metadata.name);
    },
  );

  test('reuse off: a new claim is deleted as soon as the observed pods are as recent as the count of its pod (CS-24)', () => {
    const model = withClaims({ spec: off });
    const lost = lose(model);
    expect(settle(model)).toContain(`delete claim data-${lost.metadata.name}`);
    expect(namesOf(model.claims)).toEqual(namesOf(model.pods).map((name) => `data-${name}`));
  });
});

describe('a pod that the runtime deletes', () => {
  test.each([
    ['reuse on', {}],
    ['reuse off', off],
  ])('recreated, %s: its claims are deleted with it (CS-25)', (_, spec) => {
    const model = withClaims({ spec });
    const before = namesOf(model.claims);
    model.setTemplate(template('web:1', { env: [{ name: 'LEVEL', value: 'debug' }] }));
    const done = settle(model);
    expect(namesOf(model.claims).filter((name) => before.includes(name))).toEqual([]);
    expect(namesOf(model.claims)).toEqual(namesOf(model.pods).map((name) => `data-${name}`));
    expect(
      done
        .filter((text) => text.startsWith('delete claim'))
        .map((text) => text.slice(13))
        .sort(),
    ).toEqual(before);
  });

  test.each([
    ['reuse on', {}],
    ['reuse off', off],
  ])('scaled in, %s: first the mark, then the pod, then its claims', (_, spec) => {
    const model = withClaims({ spec });
    setSpec(model, { replicas: 1 });
    const [, kept] = [model.pods, namesOf(model.pods)];
    const done = settle(model);
    const gone = kept.find((name) => !namesOf(model.pods).includes(name));
    expect(done).toEqual([
      `mark claim for deletion data-${gone}`,
      `delete ${gone}`,
      `delete claim data-${gone}`,
    ]);
  });

  test('named by podsToDelete: its claims are deleted, and a new pod has new ones', () => {
    const model = withClaims();
    const name = model.pods[0]?.metadata.name ?? '';
    setSpec(model, { scaleStrategy: { podsToDelete: [name] } });
    settle(model);
    expect(namesOf(model.pods)).not.toContain(name);
    expect(namesOf(model.claims)).toEqual(namesOf(model.pods).map((each) => `data-${each}`));
  });

  test('after a crash once the pod is deleted, its marked claims are deleted', () => {
    const model = withClaims();
    const name = model.pods[0]?.metadata.name ?? '';
    mark(model, name, { 'apps.kruise.io/specified-delete': 'true' });
    for (const action of model.decide().actions) model.apply(action);
    const [deleting, ...others] = model.decide().actions;
    expect(others).toEqual([]);
    if (deleting === undefined) throw new Error('a delete');
    model.apply(deleting);
    expect(model.decide().actions.map(actionText)).toContain(`delete claim data-${name}`);
  });

  test('claims are unmarked when the pod stays', () => {
    const model = withClaims();
    setSpec(model, { replicas: 1 });
    for (const action of model.decide().actions) model.apply(action);
    setSpec(model, { replicas: 2 });
    const [spared] = model.decide().actions;
    expect(spared?.verb).toBe('unmark claim');
    settle(model);
    expect(model.claims.map(({ metadata }) => metadata.annotations?.['plan.kruise.io/goes-with'])).toEqual([
      undefined,
      undefined,
    ]);
    const lost = lose(model);
    settle(model);
    expect(namesOf(model.pods)).toContain(lost.metadata.name);
  });

  test('a mark without the uid of the claim is ignored: it may come from a template', () => {
    const model = withClaims();
    const before = namesOf(model.claims);
    const notes = ['nobody', 'nobody nobody', 'nobody nobody scale-in', ' ', 'nobody '];
    for (const note of notes) {
      model.claims = model.claims.map((each) => ({
        ...each,
        metadata: { ...each.metadata, annotations: { 'plan.kruise.io/goes-with': note } },
      }));
      expect(settle(model)).toEqual([]);
      expect(namesOf(model.claims)).toEqual(before);
    }
  });

  test('the claim of a pod that was lost during a scale-in is reused when the pod is wanted again', () => {
    const model = withClaims();
    setSpec(model, { replicas: 1 });
    for (const action of model.decide().actions) model.apply(action);
    const condemned = model.claims.find(({ metadata }) => metadata.annotations?.['plan.kruise.io/goes-with']);
    const going = condemned?.metadata.name.slice('data-'.length);
    setSpec(model, { replicas: 2 });
    const before = namesOf(model.claims);
    model.pods = model.pods.filter(({ metadata }) => metadata.name !== going);
    const done = settle(model);
    expect(done).toEqual([`create ${going} web:1`, `unmark claim data-${going}`]);
    expect(namesOf(model.claims)).toEqual(before);
    expect(model.claims.some(({ metadata }) => metadata.annotations?.['plan.kruise.io/goes-with'])).toBe(
      false,
    );
  });

  test('of two free claims the one that was never marked is reused', () => {
    const model = withClaims({ spec: { replicas: 3 } });
    setSpec(model, { replicas: 2 });
    for (const action of model.decide().actions) model.apply(action);
    const condemned = model.claims.find(({ metadata }) => metadata.annotations?.['plan.kruise.io/goes-with']);
    const going = condemned?.metadata.name.slice('data-'.length);
    const other = namesOf(model.pods).find((name) => name !== going);
    model.pods = model.pods.filter(({ metadata }) => ![going, other].includes(metadata.name));
    const done = settle(model);
    expect(done).toContain(`create ${other} web:1`);
    expect(done).toContain(`delete claim data-${going}`);
    expect(namesOf(model.claims)).toEqual(namesOf(model.pods).map((name) => `data-${name}`));
  });

  test('a pod that was lost before all of its claims were marked leaves both', () => {
    const model = withClaims({ spec: { replicas: 1, volumeClaimTemplates: [claim('data'), claim('logs')] } });
    const name = model.pods[0]?.metadata.name ?? '';
    mark(model, name, { 'apps.kruise.io/specified-delete': 'true' });
    const [first] = model.decide().actions;
    if (first === undefined) throw new Error('a claim goes on record');
    model.apply(first);
    const before = namesOf(model.claims);
    lose(model);
    settle(model);
    expect(namesOf(model.claims)).toEqual(before);
    expect(namesOf(model.pods)).toEqual([name]);
    expect(model.claims.some(({ metadata }) => metadata.annotations?.['plan.kruise.io/goes-with'])).toBe(
      false,
    );
  });

  test('every claim is patched and deleted by its observed uid and version', () => {
    const model = withClaims();
    setSpec(model, { replicas: 1 });
    const [condemn] = model.decide().actions;
    if (condemn?.do !== 'patch') throw new Error('a patch');
    const seen = model.claims.find(({ metadata }) => metadata.name === condemn.name)?.metadata;
    expect(condemn.body['metadata']).toMatchObject({
      uid: seen?.uid,
      resourceVersion: seen?.resourceVersion,
    });
    model.apply(condemn);
    for (const action of model.decide().actions) model.apply(action);
    const [deletion] = model.decide().actions;
    const now = model.claims.find(({ metadata }) => metadata.name === condemn.name)?.metadata;
    expect(deletion).toMatchObject({ do: 'delete', uid: now?.uid, resourceVersion: now?.resourceVersion });
  });
});
