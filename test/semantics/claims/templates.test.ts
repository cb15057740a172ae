import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { hasClaims } from '../../../semantics/claims/templates.ts';
import { projectClaim } from '../../../semantics/claims/unit.ts';
import { byInstanceId } from '../../../semantics/cloneset/claim-naming.ts';
import { normalizeCloneSet } from '../../../semantics/cloneset/normalize.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import { mark } from '../cloneset/midway.ts';
import { MINUTE, claim, off, withClaims, settle, namesOf, setSpec, lose } from '../cloneset/claimed.ts';
import { actionText, createModel, type Model, template } from '../cloneset/model.ts';

describe('what does not affect claims', () => {
  test('an image changed in place: the same pods on the same claims (CS-31)', () => {
    const model = withClaims();
    const [pods, claims] = [model.pods.map(({ metadata }) => metadata.uid), structuredClone(model.claims)];
    model.setTemplate(template('web:2'));
    settle(model);
    expect(model.pods.map(({ metadata }) => metadata.uid)).toEqual(pods);
    expect(model.pods.map(({ spec }) => spec.containers[0]?.image)).toEqual(['web:2', 'web:2']);
    expect(model.claims).toEqual(claims);
  });

  test.each(['InPlaceIfPossible', 'InPlaceOnly'])(
    '%s: other claim templates make no revision and move no pod, a later image is changed in place (CS-26, CS-27)',
    (type) => {
      const model = withClaims({ strategy: { type } });
      const [pods, claims] = [model.pods.map(({ metadata }) => metadata.uid), namesOf(model.claims)];
      setSpec(model, { volumeClaimTemplates: [claim('data', '5Gi')] });
      expect(settle(model)).toEqual([]);
      expect(model.revisions).toHaveLength(1);
      model.setTemplate(template('web:2'));
      settle(model);
      expect(model.revisions).toHaveLength(2);
      expect(model.pods.map(({ metadata }) => metadata.uid)).toEqual(pods);
      expect(model.pods.map(({ spec }) => spec.containers[0]?.image)).toEqual(['web:2', 'web:2']);
      expect(namesOf(model.claims)).toEqual(claims);
    },
  );

  const recreating = (type: string): Model => {
    const model = withClaims({ strategy: { type } });
    model.target.metadata.annotations = { 'plan.kruise.io/recreate-for-claims': 'true' };
    return model;
  };

  test.each([
    ['InPlaceIfPossible', false],
    ['InPlaceOnly', true],
  ])(
    'behind the annotation, %s: claim templates that change together with the image (CS-26, CS-27)',
    (type, stay) => {
      const model = recreating(type);
      const uids = (): (string | undefined)[] => model.pods.map(({ metadata }) => metadata.uid);
      const pods = uids();
      setSpec(model, { volumeClaimTemplates: [claim('data', '5Gi')] });
      model.setTemplate(template('web:2'));
      const { rollout } = model.snapshot();
      settle(model);
      expect(model.snapshot().rollout.modeTo(rollout.stable, model.goal())).toBe(
        stay ? 'InPlace' : 'Recreate',
      );
      expect(uids().some((uid) => pods.includes(uid))).toBe(stay);
      expect(model.pods.map(({ spec }) => spec.containers[0]?.image)).toEqual(['web:2', 'web:2']);
    },
  );

  test('behind the annotation, claim templates that changed before the image recreate no pod', () => {
    const model = recreating('InPlaceIfPossible');
    const pods = model.pods.map(({ metadata }) => metadata.uid);
    setSpec(model, { volumeClaimTemplates: [claim('data', '5Gi')] });
    settle(model);
    model.setTemplate(template('web:2'));
    settle(model);
    expect(model.pods.map(({ metadata }) => metadata.uid)).toEqual(pods);
  });

  test('a released pod keeps its claims', () => {
    const model = withClaims({ spec: off });
    model.now += MINUTE;
    const free = model.pods[0]?.metadata.name ?? '';
    mark(model, free, { app: 'debug' });
    const actions = model.decide().actions.map(actionText);
    expect(actions).toContain(`release claim data-${free}`);
    expect(actions).not.toContain(`release ${free}`);
    for (const action of model.decide().actions) model.apply(action);
    // Claims without the owner are not observed any more.
    model.claims = model.claims.filter(({ metadata }) => metadata.name !== `data-${free}`);
    expect(model.run({}, 2)).toContain(`release ${free}`);
  });

  test('a target that is being deleted leaves them to the garbage collector (CS-45)', () => {
    const model = withClaims({ spec: off });
    lose(model);
    model.now += 2 * MINUTE;
    model.target = {
      ...model.target,
      metadata: { ...model.target.metadata, deletionTimestamp: timestamp(model.now) },
    };
    expect(model.decide().actions).toEqual([]);
  });
});

describe('claim templates that change', () => {
  test('a pod of the old revision is created with the claims of that revision', () => {
    const model = withClaims({ strategy: { partition: 2 } });
    model.setTemplate(template('web:2'));
    setSpec(model, { volumeClaimTemplates: [claim('data', '5Gi'), claim('logs')] });
    settle(model);
    setSpec(model, { replicas: 3, updateStrategy: { type: 'InPlaceIfPossible', partition: 3 } });
    const done = settle(model);
    expect(done.map((text) => text.replace(/-\w{5}\b/, ''))).toEqual([
      'create claim data-web',
      'create web web:1',
    ]);
    expect(model.claims.at(-1)?.['spec']).toEqual(claim('data')['spec']);
  });

  test.each<[string, JsonObject, Record<string, string>, number]>([
    ['that had no claims, without any', {}, {}, 0],
    ['that had a volume of that name, with its own', { volumes: [{ name: 'data', emptyDir: {} }] }, {}, 0],
    [
      'that OpenKruise created without a record, with those it mounts',
      {
        containers: [{ name: 'main', image: 'web:1', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      },
      {},
      1,
    ],
    [
      'that OpenKruise created with claims, with them',
      {},
      { 'kruise.io/cloneset-volumeclaimtemplate-hash': '7' },
      1,
    ],
  ])('a pod of an old revision %s', (_, spec, annotations, count) => {
    const before = template();
    const model = createModel({
      strategy: { partition: 2 },
      spec: { replicas: 2 },
      template: { ...before, spec: { ...(before['spec'] as JsonObject), ...spec } },
    });
    settle(model);
    model.revisions = model.revisions.map((each) => ({
      ...each,
      metadata: { ...each.metadata, annotations: { ...each.metadata.annotations, ...annotations } },
    }));
    model.setTemplate(template('web:2'));
    setSpec(model, { volumeClaimTemplates: [claim('data')] });
    lose(model);
    settle(model);
    expect(model.pods.map(({ spec: { containers } }) => containers[0]?.image)).toEqual(['web:1', 'web:1']);
    expect(model.claims).toHaveLength(count);
  });

  test('of the live revision, those of the manifest', () => {
    const model = withClaims();
    setSpec(model, { replicas: 3, volumeClaimTemplates: [claim('data', '5Gi')] });
    settle(model);
    expect(model.claims.map((each) => each['spec'])).toEqual([
      claim('data')['spec'],
      claim('data')['spec'],
      claim('data', '5Gi')['spec'],
    ]);
  });

  test('without any left, the claims of deleted pods are still deleted', () => {
    const model = withClaims();
    setSpec(model, { volumeClaimTemplates: [], replicas: 1 });
    settle(model);
    expect(namesOf(model.claims)).toEqual(namesOf(model.pods).map((name) => `data-${name}`));
    expect(hasClaims(model.target, model.revisions, byInstanceId)).toBe(true);
  });

  test('a target that never had any does not need claims', () => {
    const model = createModel();
    settle(model);
    expect(hasClaims(model.target, model.revisions, byInstanceId)).toBe(false);
  });
});

test('a claim of a template with reserved keys has none of them, also of a recorded template', () => {
  const model = withClaims({ spec: off, strategy: { partition: 3 } });
  const more = {
    labels: { tier: 'db', 'kruise.io/x': 'y' },
    annotations: { note: 'kept', 'plan.kruise.io/goes-with': 'nobody', 'plan.kruise.io/pod-number': '900' },
  };
  const annotations = { 'plan.kruise.io/claim-templates': JSON.stringify([claim('data', '1Gi', more)]) };
  model.revisions = model.revisions.map((each) => ({
    ...each,
    metadata: { ...each.metadata, annotations: { ...each.metadata.annotations, ...annotations } },
  }));
  model.setTemplate(template('web:2'));
  setSpec(model, { replicas: 3 });
  settle(model);
  const { labels, annotations: made } = model.claims.at(-1)?.metadata ?? {};
  expect(labels).toMatchObject({ tier: 'db' });
  expect(labels).not.toHaveProperty(['kruise.io/x']);
  expect(made).toEqual({ note: 'kept', 'plan.kruise.io/pod-number': '2' });
});

describe('whether claims are reused', () => {
  test.each<[JsonObject, boolean]>([
    [{}, true],
    [{ disablePVCReuse: false }, true],
    [{ disablePVCReuse: true }, false],
    [{ enablePVCReuse: true }, true],
    [{ enablePVCReuse: false }, false],
    [{ enablePVCReuse: false, disablePVCReuse: false }, true],
    [{ enablePVCReuse: true, disablePVCReuse: true }, true],
    [{ enablePVCReuse: false, disablePVCReuse: true }, false],
  ])('%j: %s (CS-47)', (scaleStrategy, reuse) => {
    const { target } = createModel({ spec: { scaleStrategy } });
    expect(normalizeCloneSet(target).reuseClaims).toBe(reuse);
  });
});

test('the rules read only what caches hold of a claim', () => {
  const model = withClaims({ spec: off });
  lose(model);
  model.now += 2 * MINUTE;
  const whole = model.decide().actions;
  const bound = { spec: { volumeName: 'disk' }, status: { phase: 'Bound', accessModes: ['ReadWriteOnce'] } };
  model.claims = model.claims.map((each) => projectClaim({ ...each, ...bound }));
  for (const { spec, status } of model.claims)
    expect([Object.keys(spec ?? {}), Object.keys(status ?? {})]).toEqual([
      ['storageClassName', 'accessModes', 'resources'],
      ['phase', 'capacity', 'conditions'],
    ]);
  expect(model.decide().actions).toEqual(whole);
});
