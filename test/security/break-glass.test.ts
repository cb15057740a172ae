import { afterEach, expect, test } from 'vitest';
import { type AllowBreakGlass, createBreakGlassRule } from '../../runtime/break-glass.ts';
import { createRuntime } from '../../runtime/runtime.ts';
import { createVirtualClock, createWorld, type VirtualClock, type World } from 'kruise-sandbox';
import { ApiError, type Cluster, type Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { commandPolicy } from '../deploy/roles.ts';
import { cloneSet, templateOf } from '../runtime/stage.ts';

const START = Date.UTC(2026, 0, 1);
const SHOP = 'shop';
const admission = { group: 'admissionregistration.k8s.io', version: 'v1', namespaced: false } as const;
const [policies, bindings]: [Resource, Resource] = [
  { ...admission, plural: 'validatingadmissionpolicies', kind: 'ValidatingAdmissionPolicy' },
  { ...admission, plural: 'validatingadmissionpolicybindings', kind: 'ValidatingAdmissionPolicyBinding' },
];
const resourceOf = ({ kind }: KubeObject): Resource => (kind.endsWith('Binding') ? bindings : policies);

let world: World | undefined;
afterEach(() => {
  world?.stop();
  world = undefined;
});

interface Setup {
  clock: VirtualClock;
  admin: Cluster;
  changes: (string | undefined)[];
  /** What is answered to a BreakGlass that is sent now. */
  breakGlass(name: string): Promise<{ result?: string; message?: string }>;
  images(): Promise<(string | undefined)[]>;
  events(): Promise<string[]>;
}

/** CloneSet web with one pod at web:1 and a manifest at web:2 without a plan, with policy Required. */
async function setUp(
  allow: AllowBreakGlass,
  objects: readonly KubeObject[],
  see: (cluster: Cluster) => Cluster = (cluster) => cluster,
): Promise<Setup> {
  const clock = createVirtualClock(START);
  const here = createWorld({ clock, namespaces: ['default', SHOP] });
  world = here;
  const admin = here.cluster('admin');
  for (const object of objects) await admin.create(resourceOf(object), object);
  const cluster = see(here.cluster('kruise'));
  const changes: (string | undefined)[] = [];
  const rule = createBreakGlassRule({ cluster, clock, allow, onChange: (refusal) => changes.push(refusal) });
  await rule.observe();
  rule.start();
  const runtime = createRuntime({
    cluster,
    clock,
    policy: 'Required',
    breakGlassRefusal: rule.refusalOf,
  });
  runtime.start();
  await clock.settle();
  await admin.create(resources.CloneSet, cloneSet('web', 'web:1', { replicas: 1 }));
  await clock.advance(60_000);
  const body = { spec: { template: templateOf('web', 'web:2') } };
  await admin.patch(resources.CloneSet, { namespace: SHOP, name: 'web' }, { type: 'merge', body });
  await clock.advance(60_000);
  const at = (name: string) => ({ namespace: SHOP, name });
  return {
    clock,
    admin,
    changes,
    async breakGlass(name) {
      const spec: JsonObject = {
        target: { kind: 'CloneSet', name: 'web' },
        action: 'BreakGlass',
        by: 'mona',
        expires: new Date(clock.now() + 3_600_000).toISOString(),
      };
      await here.cluster('mona').create(resources.RolloutCommand, {
        apiVersion: 'plan.kruise.io/v1alpha1',
        kind: 'RolloutCommand',
        metadata: { name, namespace: SHOP },
        spec,
      });
      await clock.advance(60_000);
      const { status } = await admin.get(resources.RolloutCommand, at(name));
      return status ?? {};
    },
    images: async () =>
      (await admin.list(resources.Pod, { namespace: SHOP })).items.map(
        (pod) => (pod['spec'] as { containers: { image: string }[] }).containers[0]?.image,
      ),
    events: async () =>
      (await admin.list(resources.Event, { namespace: SHOP })).items
        .filter((event) => event['reason'] === 'CommandRefused')
        .map((event) => String(event['message'])),
  };
}

const [policy, binding] = commandPolicy();
if (policy === undefined || binding === undefined) throw new Error('the policy of commands is not shipped');
const changed = (object: KubeObject, spec: JsonObject): KubeObject => ({
  ...object,
  spec: { ...(object['spec'] as JsonObject), ...spec },
});

/** The policy with further match constraints. */
const constrained = (more: JsonObject): KubeObject => {
  const { matchConstraints } = policy['spec'] as { matchConstraints: JsonObject };
  return changed(policy, { matchConstraints: { ...matchConstraints, ...more } });
};

test('security 14: without the policies BreakGlass is refused, with an Event that has the reason and the remedy', async () => {
  const { breakGlass, images, events } = await setUp('policy', []);
  const { result, message } = await breakGlass('now');
  expect([result, await images()]).toEqual(['Refused', ['web:1']]);
  expect(message).toBe(
    'BreakGlass by mona: BreakGlass is off, because nothing checks who sends it: the server has no ValidatingAdmissionPolicy rolloutcommands.plan.kruise.io. Install deploy/policy (Kubernetes 1.30 or later), or let an administrator start the runtime with --allow-break-glass=always',
  );
  expect(await events()).toEqual([message]);
});

test.each([
  ['the policies are installed', 'policy', [policy, binding], 'Accepted'],
  ['only the policy is, and nothing binds it', 'policy', [policy], 'Refused'],
  [
    'its binding only warns',
    'policy',
    [policy, changed(binding, { validationActions: ['Warn'] })],
    'Refused',
  ],
  [
    'its binding is for some namespaces',
    'policy',
    [policy, changed(binding, { matchResources: { namespaceSelector: { matchLabels: { a: 'b' } } } })],
    'Refused',
  ],
  ['it ignores its failures', 'policy', [changed(policy, { failurePolicy: 'Ignore' }), binding], 'Refused'],
  [
    'it checks something else',
    'policy',
    [changed(policy, { validations: [{ expression: 'true' }] }), binding],
    'Refused',
  ],
  ['an administrator allows it without them', 'always', [], 'Accepted'],
  ['an administrator never allows it', 'never', [policy, binding], 'Refused'],
  [
    'it has matchConditions',
    'policy',
    [changed(policy, { matchConditions: [{ name: 'none', expression: 'false' }] }), binding],
    'Refused',
  ],
  [
    'it is for some namespaces',
    'policy',
    [constrained({ namespaceSelector: { matchLabels: { a: 'b' } } }), binding],
    'Refused',
  ],
  [
    'it is for some commands',
    'policy',
    [constrained({ objectSelector: { matchLabels: { a: 'b' } } }), binding],
    'Refused',
  ],
  [
    'it excludes commands',
    'policy',
    [
      constrained({
        excludeResourceRules: [
          { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['rolloutcommands'] },
        ],
      }),
      binding,
    ],
    'Refused',
  ],
  [
    'it is for other objects',
    'policy',
    [
      constrained({
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['secrets'] }],
      }),
      binding,
    ],
    'Refused',
  ],
  [
    'it depends on parameters',
    'policy',
    [changed(policy, { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } }), binding],
    'Refused',
  ],
  [
    'it has what the server fills in',
    'policy',
    [constrained({ matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} }), binding],
    'Accepted',
  ],
] as const)('security 14: BreakGlass if %s', async (_, allow, objects, expected) => {
  const { breakGlass, images } = await setUp(allow, objects);
  expect((await breakGlass('now')).result).toBe(expected);
  expect(await images()).toEqual([expected === 'Accepted' ? 'web:2' : 'web:1']);
});

test('security 14: a runtime that may not read the policies does not rely on them', async () => {
  const { breakGlass } = await setUp('policy', [policy, binding], (cluster) => ({
    ...cluster,
    async get(resource, where) {
      if (resource.plural === policies.plural)
        throw new ApiError({ code: 403, reason: 'Forbidden', message: 'forbidden' });
      return cluster.get(resource, where);
    },
  }));
  expect((await breakGlass('now')).message).toMatch(
    /cannot read whether .*: the runtime may not get validatingadmissionpolicies. Give the runtime the ClusterRole/,
  );
});

test('security 14: installed and removed policies are noticed; accepted commands remain effective', async () => {
  const { breakGlass, admin, clock, changes, images } = await setUp('policy', []);
  expect((await breakGlass('first')).result).toBe('Refused');
  for (const object of [policy, binding]) await admin.create(resourceOf(object), object);
  await clock.advance(31_000);
  expect((await breakGlass('second')).result).toBe('Accepted');
  expect(await images()).toEqual(['web:2']);
  await admin.delete(bindings, { name: binding.metadata.name });
  await clock.advance(31_000);
  expect((await breakGlass('third')).result).toBe('Refused');
  const body = { spec: { template: templateOf('web', 'web:3') } };
  await admin.patch(resources.CloneSet, { namespace: SHOP, name: 'web' }, { type: 'merge', body });
  await clock.advance(60_000);
  expect(await images()).toEqual(['web:3']);
  expect(changes.map((refusal) => refusal === undefined)).toEqual([false, true, false]);
});

test('security 14: a server that does not respond for a while has not removed its policies', async () => {
  let down = false;
  const { breakGlass, clock } = await setUp('policy', [policy, binding], (cluster) => ({
    ...cluster,
    async get(resource, where) {
      if (down && resource.group === admission.group) throw new Error('timeout');
      return cluster.get(resource, where);
    },
  }));
  down = true;
  await clock.advance(120_000);
  expect((await breakGlass('now')).result).toBe('Accepted');
});

test.each([
  ['long before', 'Refused', -3_600_000],
  ['in the same second as', 'Refused', 0],
  ['some seconds after, while servers may not enforce it yet,', 'Refused', 9_000],
  ['later than', 'Accepted', 11_000],
] as const)(
  'security 14: a BreakGlass that was sent while no runtime was running, %s the policy and its binding, is %s',
  async (_, expected, afterMs) => {
    const clock = createVirtualClock(START);
    const here = createWorld({ clock, namespaces: ['default', SHOP] });
    world = here;
    const admin = here.cluster('admin');
    const install = async () => {
      // The binding is the younger one.
      await admin.create(policies, policy);
      await clock.advance(60_000);
      await admin.create(bindings, binding);
    };
    if (afterMs >= 0) await install();
    await clock.advance(Math.max(afterMs, 0));
    await admin.create(resources.CloneSet, cloneSet('web', 'web:1', { replicas: 1 }));
    await admin.create(resources.RolloutCommand, {
      apiVersion: 'plan.kruise.io/v1alpha1',
      kind: 'RolloutCommand',
      metadata: { name: 'early', namespace: SHOP },
      spec: {
        target: { kind: 'CloneSet', name: 'web' },
        action: 'BreakGlass',
        by: 'admin',
        expires: new Date(clock.now() + 24 * 3_600_000).toISOString(),
      },
    });
    await clock.advance(Math.max(-afterMs, 0));
    if (afterMs < 0) await install();
    const cluster = here.cluster('kruise');
    const rule = createBreakGlassRule({ cluster, clock, allow: 'policy' });
    await rule.observe();
    createRuntime({ cluster, clock, policy: 'Required', breakGlassRefusal: rule.refusalOf }).start();
    await clock.advance(60_000);
    const { status } = await admin.get(resources.RolloutCommand, { namespace: SHOP, name: 'early' });
    const { result, message } = (status ?? {}) as { result?: string; message?: string };
    expect(result).toBe(expected);
    if (expected === 'Refused')
      expect(message).toMatch(
        /^BreakGlass by admin: nothing checked who sent it: it was created before the policy rolloutcommands\.plan\.kruise\.io and its binding were both there for 10 seconds, since .+Z. Send it again$/,
      );
  },
);
