import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resources } from '../../schemas/wire/resources.ts';
import { bundleKruise } from '../compiler/world/bundle.ts';
import { leftBehind, NAMESPACE, revisionNames } from '../fixtures/openkruise/objects.ts';
import { stateWith } from '../fixtures/openkruise/world.ts';
import { createSite, type Site } from './process-world.ts';

const folder = mkdtempSync(join(tmpdir(), 'kruise-adopt-'));
const kubeconfig = join(folder, 'kubeconfig');
const three = [{ id: 'bbbbb' }, { id: 'ccccc' }, { id: 'ddddd' }];
const web = { namespace: NAMESPACE, name: 'web' };
let program = '';
let site: Site;
const children = new Set<{ kill(signal: 'SIGKILL'): void }>();

beforeAll(async () => {
  program = await bundleKruise(join(folder, 'program'));
  const restored = await stateWith(leftBehind({ pods: three }));
  site = await createSite(10, { restored, seed: 2, namespaces: ['kruise-system'] });
  const token = (await site.connection.headers())['authorization']?.toString().replace('Bearer ', '') ?? '';
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        { name: 'c', cluster: { server: site.connection.server.replace('//', `//kruise:${token}@`) } },
      ],
      users: [{ name: 'u', user: {} }],
      contexts: [{ name: 'here', context: { cluster: 'c', user: 'u', namespace: NAMESPACE } }],
      'current-context': 'here',
    }),
  );
}, 60_000);

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await site.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Started {
  out: () => string;
  error: () => string;
  /** Ends it with a signal; resolves with its exit code. */
  stop(): Promise<number | null>;
  ended: Promise<number | null>;
}

/** `kruise run` in a process of its own. */
function run(...words: string[]): Started {
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
  const fixed = ['run', '--kubeconfig', kubeconfig, '--port', '0', '--log', 'json'];
  const child = spawn(process.execPath, [program, ...fixed, ...words], { cwd: folder, env });
  children.add(child);
  let [out, error] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (out += piece));
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (error += piece));
  const ended = new Promise<number | null>((resolve) => {
    child.on('close', (code) => {
      children.delete(child);
      resolve(code);
    });
  });
  return {
    out: () => out,
    error: () => error,
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
    ended,
  };
}

/** Every write that came over HTTP since, but those to Leases; kubelets are no clients of it. */
function writesSince(index: number): string[] {
  return site.world.log
    .slice(index)
    .filter(
      ({ user, verb, resource }) =>
        user === 'kruise' && !['get', 'list', 'watch'].includes(verb) && resource !== 'leases',
    )
    .map(({ verb, resource, subresource, name }) =>
      [verb, subresource === undefined ? resource : `${resource}/${subresource}`, name].join(' '),
    );
}

/** Pods with their uid and the restarts of their container. */
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

test('look on, be held, adopt, update: each in a process of its own, and nothing restarts before the update', async () => {
  const before = await identities();
  expect(before).toHaveLength(3);

  let from = site.world.log.length;
  const shadow = run('--shadow');
  const watches = () => site.world.log.slice(from).filter(({ verb }) => verb === 'watch').length;
  await site.until('it looks on', () => shadow.out().includes('writes nothing') && watches() >= 4);
  expect(await shadow.stop()).toBe(0);
  expect(shadow.out()).toMatch(/0 differences in 0 minutes: .*; 1 CloneSets, 0 of them/);
  expect(writesSince(from)).toEqual([]);

  from = site.world.log.length;
  const careful = run();
  await site.until('it is held', async () => (await heldReason()) === 'NotAdopted');
  expect(await careful.stop()).toBe(0);
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
  expect(await adopting.stop()).toBe(0);

  // Who leads from now on needs no word about it; the policy is the one of everybody.
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
  expect(await later.stop()).toBe(0);
}, 90_000);

test('looking on and adopting are two steps', async () => {
  const both = run('--shadow', '--adopt');
  expect(await both.ended).toBe(1);
  expect(both.error()).toMatch(/--shadow and --adopt do not go together/);
});
