import { afterAll, beforeAll, expect, test } from 'vitest';
import { resources } from '../../schemas/wire/resources.ts';
import { openKruiseObjects, NAMESPACE, revisionNames } from '../fixtures/openkruise/objects.ts';
import { stateWith } from '../fixtures/openkruise/world.ts';
import { createSite, type Site } from './process-world.ts';
import { createProgram, type Program, type Started } from './program.ts';

const three = [{ id: 'bbbbb' }, { id: 'ccccc' }, { id: 'ddddd' }];
const web = { namespace: NAMESPACE, name: 'web' };
let program: Program;
let site: Site;

beforeAll(async () => {
  const restored = await stateWith(openKruiseObjects({ pods: three }));
  site = await createSite(10, { restored, seed: 2, namespaces: ['kruise-system'] });
  program = await createProgram(site.connection, NAMESPACE);
}, 60_000);

afterAll(async () => {
  program.close();
  await site.close();
});

function run(...args: string[]): Started {
  return program.start('run', '--kubeconfig', 'kubeconfig', '--port', '0', '--log', 'json', ...args);
}

async function codeOf({ stop, ended }: Started): Promise<number | null> {
  stop();
  return (await ended).code;
}

/** Writes that every process makes: they are not compared. */
const COMMON = new Set(['leases', 'selfsubjectaccessreviews']);

/** All other writes over HTTP since then; the kubelets of the sandbox do not use HTTP. */
function writesSince(index: number): string[] {
  return site.world.log
    .slice(index)
    .filter(
      // Whether pods are resized, and what policies refuse, is asked by dry runs.
      ({ user, verb, resource, subresource, name }) =>
        user === 'kruise' &&
        !['get', 'list', 'watch'].includes(verb) &&
        !COMMON.has(resource) &&
        subresource !== 'resize' &&
        name !== 'kruise-start',
    )
    .map(({ verb, resource, subresource, name }) =>
      [verb, subresource === undefined ? resource : `${resource}/${subresource}`, name].join(' '),
    );
}

/** Pods with their uids and the restarts of their containers. */
async function identities(): Promise<string[]> {
  const { items } = await site.world.cluster('user').list(resources.Pod, { namespace: NAMESPACE });
  return items
    .map(({ metadata: { name, uid }, ...pod }) => {
      const { containerStatuses } = pod['status'] as { containerStatuses: { restartCount: number }[] };
      return `${name} ${uid} ${containerStatuses[0]?.restartCount}`;
    })
    .sort();
}

async function heldReason(): Promise<string | undefined> {
  const { status } = (await site.world.cluster('user').get(resources.CloneSet, web)) as unknown as {
    status: { conditions?: { type: string; reason: string }[] };
  };
  return status.conditions?.find(({ type }) => type === 'plan.kruise.io/Held')?.reason;
}

test('shadow, hold, adopt, update: each in a process of its own, and nothing restarts before the update', async () => {
  const before = await identities();
  expect(before).toHaveLength(3);

  let from = site.world.log.length;
  const shadow = run('--shadow');
  const watches = () => site.world.log.slice(from).filter(({ verb }) => verb === 'watch').length;
  await site.until('it watches', () => shadow.out().includes('writes nothing') && watches() >= 4);
  expect(await codeOf(shadow)).toBe(0);
  expect(shadow.out()).toMatch(/0 differences in 0 minutes: .*\. 1 target, of which 0/);
  expect(writesSince(from)).toEqual([]);

  from = site.world.log.length;
  const careful = run();
  await site.until('it is held', async () => (await heldReason()) === 'NotAdopted');
  expect(await codeOf(careful)).toBe(0);
  expect(writesSince(from)).toEqual([
    'patch clonesets/status web',
    expect.stringMatching(/^create events web\./),
  ]);

  from = site.world.log.length;
  const adopting = run('--adopt');
  await site.until('it is not held', async () => (await heldReason()) === undefined);
  expect(writesSince(from)).toEqual([
    `patch controllerrevisions ${revisionNames[0]}`,
    'patch clonesets/status web',
  ]);
  expect(await identities()).toEqual(before);
  expect(await codeOf(adopting)).toBe(0);

  // A later process needs no --adopt.
  const later = run('--policy', 'Auto');
  const containers = [{ name: 'main', image: 'web:2' }];
  const body = { spec: { template: { spec: { containers } } } };
  await site.world.cluster('user').patch(resources.CloneSet, web, { type: 'merge', body });
  const updated = before.map((each) => each.replace(/0$/, '1'));
  await site.until(
    'it is updated in place',
    async () => String(await identities()) === String(updated),
    30_000,
  );
  expect(await codeOf(later)).toBe(0);
}, 90_000);

test('shadow mode and adoption are separate steps', async () => {
  const both = run('--shadow', '--adopt');
  expect((await both.ended).code).toBe(1);
  expect(both.error()).toMatch(/--shadow and --adopt exclude each other/);
});
