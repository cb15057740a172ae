import { readFileSync } from 'node:fs';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { afterEach, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { bindings, policies } from '../../runtime/break-glass.ts';
import { refusedByPolicies } from '../../runtime/refused-by-policies.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { stampOf } from '../../semantics/sidecarset/hash.ts';
import { sidecarSets } from '../../semantics/sidecarset/resource.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { createSite, type Site } from './process-world.ts';
import { setWith } from './sidecar-world.ts';

let site: Site | undefined;
afterEach(async () => {
  await site?.close();
  site = undefined;
});

/** The policy of the records, with these accounts as those of runtimes. */
function policyFor(account: string): KubeObject[] {
  const text = readFileSync('deploy/policy/revisions.yaml', 'utf8');
  const own = 'system:serviceaccount:kruise-system:kruise-runtime';
  return parseAllDocuments(text.replace(`"['${own}']"`, `"['${account}']"`)).map(
    (each) => each.toJS() as KubeObject,
  );
}

const warned = (): string[] =>
  (site?.lines ?? []).filter(({ level }) => level === 'warn').map(({ msg }) => msg);

async function startedWith(objects: readonly KubeObject[]): Promise<Site> {
  const here = await createSite(20);
  site = here;
  const admin = here.world.cluster('admin');
  for (const object of objects)
    await admin.create(object.kind === policies.kind ? policies : bindings, object);
  await here.start();
  await here.until('a leader', () => here.lines.some(({ msg }) => msg === 'acquired the lease'));
  await here.start();
  await here.until('a standby', () => here.lines.some(({ msg }) => msg.includes('on standby')));
  return here;
}

test('a process under another account than that of the policies says at its start what will be refused', async () => {
  const { world, until } = await startedWith(policyFor('system:serviceaccount:ops:other'));
  const refused = (): string[] => warned().filter((msg) => msg.includes('the tester is not it'));
  await until('a warning of each process', () => refused().length === 2);
  // The server knows which account asked.
  for (const msg of refused())
    expect(msg).toMatch(/The server says: .*'controllerrevisions\.plan\.kruise\.io'/);
  // The question stores nothing.
  const { items } = await world.cluster('admin').list(resources.ControllerRevision);
  expect(items).toEqual([]);
});

test('a process says which SidecarSets lack the annotations that an admission writes', async () => {
  const here = await createSite(20);
  site = here;
  const admin = here.world.cluster('admin');
  await admin.create(sidecarSets, setWith('log:1'));
  const annotations = stampOf(objectOf(setWith('log:2')['spec']));
  const stamped = { ...setWith('log:2'), metadata: { name: 'stamped', annotations } };
  await admin.create(sidecarSets, stamped);
  await here.start();
  await here.until('a hint', () => here.lines.some(({ msg }) => msg.startsWith('1 SidecarSet lacks')));
});

test.each<[string, KubeObject[], boolean]>([
  ['of that account', policyFor('kruise'), false],
  ['of another account', policyFor('system:serviceaccount:ops:other'), true],
  ['without the policies', [], false],
])('a process asks about policies %s', async (_whose, objects, isRefused) => {
  const world = createWorld({ clock: createVirtualClock(0), namespaces: ['default'] });
  const admin = world.cluster('admin');
  for (const object of objects)
    await admin.create(object.kind === policies.kind ? policies : bindings, object);
  const refused = await refusedByPolicies(world.cluster('kruise'), 'default', 'kruise-system', 'the tester');
  expect(refused !== undefined).toBe(isRefused);
  world.stop();
});

test('a process on standby names the holder', async () => {
  await startedWith([]);
  const standby = site?.lines.map(({ msg }) => msg).filter((msg) => msg.includes('on standby'));
  expect(standby).toEqual(['p1 holds the lease default/kruise; this process is on standby']);
});

test('a process without a namespace for the records of cluster-scoped targets says so, and one for a namespace does not', async () => {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({ clock, namespaces: ['shop'], nodes: 0 });
  const cluster = world.cluster('kruise');
  expect(await refusedByPolicies(cluster, undefined, 'kruise-system', 'u')).toMatch(
    /^there is no namespace kruise-system .*--lease-namespace$/,
  );
  expect(await refusedByPolicies(cluster, 'shop', 'kruise-system', 'u')).toBe(undefined);
  expect(await refusedByPolicies(cluster, undefined, 'shop', 'u')).toBe(undefined);
  world.stop();
});
