import { afterEach, describe, expect, test } from 'vitest';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { CHILDREN_ANNOTATION, OBSERVED_ANNOTATION } from '../../semantics/protection/contents.ts';
import { grant } from '../deploy/scenario.ts';
import { isRole, permissionsOf, without } from '../deploy/roles.ts';
import {
  createProtectionWorld,
  definition,
  pod,
  type ProtectionWorld,
  widgetReader,
} from '../deploy/protection-world.ts';
import { RUNTIME, shipped, shippedWorld } from './shipped.ts';

const { Namespace, CustomResourceDefinition } = resources;
const COMPONENT = 'components/cascading-protection';
const roles = shipped(COMPONENT).filter(({ kind }) => kind.startsWith('ClusterRole'));

let it: ProtectionWorld | undefined;
afterEach(async () => it?.stop());

test('the component alone gives the runtime all that it needs, and nothing that it does not', async () => {
  it = createProtectionWorld();
  const here = it;
  here.install([widgetReader]);
  await here.pass();
  for (const name of ['shop', 'default']) await here.label(Namespace, name, 'Cascading');
  await here.admin.create(CustomResourceDefinition, definition('Cascading'));
  here.protection.start();
  await here.admin.create(resources.Pod, pod('web'));
  await here.pass(20_000);
  await here.label(Namespace, 'default', null);
  await here.label(CustomResourceDefinition, 'widgets.example.com', null);
  await here.pass();
  expect([here.refused, here.errors]).toEqual([[], []]);
  expect(await here.fact(Namespace, 'default')).toEqual({});
  expect(await here.fact(CustomResourceDefinition, 'widgets.example.com')).toEqual({});

  const unused = permissionsOf(roles).filter((permission) => {
    const world = createWorld({ clock: createVirtualClock(0), nodes: 0, crds: [] });
    grant(world, without(roles, permission));
    // Widgets are granted by a role of the administrator.
    const others = here.asked.filter(({ resource }) => resource !== 'widgets');
    const isMissed = others.some((asked) => !world.server.authorizer.authorize(RUNTIME, asked).allowed);
    world.stop();
    return !isMissed;
  });
  expect(unused).toEqual([]);
  expect(
    permissionsOf(roles)
      .map(({ verb, resource }) => `${verb} ${resource}`)
      .sort(),
  ).toEqual([
    'get customresourcedefinitions',
    'get namespaces',
    'list customresourcedefinitions',
    'list namespaces',
    'list persistentvolumeclaims',
    'list pods',
    'patch customresourcedefinitions',
    'patch namespaces',
    'watch customresourcedefinitions',
    'watch namespaces',
    'watch persistentvolumeclaims',
    'watch pods',
  ]);
});

test('as shipped the runtime may change no Namespace and no definition', () => {
  const { replaces } = shippedWorld();
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
  expect(replaces(RUNTIME, Namespace, object)).toBe('refused by its roles');
});

describe('with the component a stolen token', () => {
  const { world, install, replaces, creates, deletes } = shippedWorld(shipped('rbac', 'policy', COMPONENT));
  install([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'owned', labels: { team: 'shop' } } }]);
  const read = (): KubeObject => structuredClone(world.server.get('admin', Namespace, { name: 'owned' }));
  const changed = (change: (object: KubeObject) => void): KubeObject => {
    const object = read();
    change(object);
    return object;
  };
  const annotated = (annotations: Record<string, string>): KubeObject =>
    changed(({ metadata }) => void (metadata.annotations = { ...metadata.annotations, ...annotations }));
  const refused =
    'refused: system:serviceaccount:kruise-system:kruise-runtime may note on namespaces what is in them, and change nothing else';

  test.each([
    [
      'notes what is in a Namespace',
      annotated({ [OBSERVED_ANNOTATION]: 'x', [CHILDREN_ANNOTATION]: 'pods' }),
      'allowed',
    ],
    ['gives it no other annotation', annotated({ 'plan.kruise.io/policy': 'Auto' }), refused],
    [
      'gives it no label',
      changed(({ metadata }) => void (metadata.labels = { ...metadata.labels, admin: 'true' })),
      refused,
    ],
    ['takes no label away', changed(({ metadata }) => void delete metadata.labels), refused],
    [
      'gives it no finalizer',
      changed(({ metadata }) => void (metadata.finalizers = ['example.com/x'])),
      refused,
    ],
    [
      'gives it no owner',
      changed(
        ({ metadata }) =>
          void (metadata.ownerReferences = [
            { apiVersion: 'v1', kind: 'Namespace', name: 'other', uid: '1' },
          ]),
      ),
      refused,
    ],
  ])('%s', (_what, object, outcome) => {
    expect(replaces(RUNTIME, Namespace, object)).toBe(outcome);
  });

  test('changes no definition', () => {
    const Definition = CustomResourceDefinition;
    const name = 'clonesets.apps.kruise.io';
    const stored = structuredClone(world.server.get('admin', Definition, { name })) as KubeObject & {
      spec: { conversion?: object };
    };
    stored.spec.conversion = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'] } };
    expect(replaces(RUNTIME, Definition, stored)).toContain('may note on customresourcedefinitions');
  });

  test('creates and deletes none', () => {
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'new' } };
    expect(creates(RUNTIME, Namespace, object)).toBe('refused by its roles');
    expect(deletes(RUNTIME, Namespace, { name: 'shop' })).toBe('refused by its roles');
  });
});

test('the roles of the component are of the runtime, and each write of them is confined by a policy', () => {
  const policies = shipped(COMPONENT).filter(
    ({ kind }) => kind === 'ValidatingAdmissionPolicy',
  ) as (KubeObject & {
    spec: {
      matchConditions: { name: string }[];
      matchConstraints: { resourceRules: { operations: string[]; resources: string[] }[] };
    };
  })[];
  const confining = policies.filter(({ spec }) =>
    spec.matchConditions.some(({ name }) => name === 'is-the-runtime'),
  );
  const written = roles
    .filter(isRole)
    .flatMap(({ rules }) => rules)
    .flatMap((rule) => (rule.verbs.includes('patch') ? rule.resources : []));
  expect(written.sort()).toEqual(['customresourcedefinitions', 'namespaces']);
  for (const resource of written)
    expect(
      confining.some(({ spec }) =>
        spec.matchConstraints.resourceRules.some(
          (each) => each.operations.includes('UPDATE') && each.resources.includes(resource),
        ),
      ),
    ).toBe(true);
});
