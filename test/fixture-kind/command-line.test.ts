import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { readBodyYaml } from '../../cli/files/body-yaml.ts';
import { serve } from 'kruise-sandbox/http';
import { kruise } from '../cli/world/at-sandbox.ts';
import { KUBECONFIG } from '../cli/world/sandbox-client.ts';
import { emptyFolder } from '../cli/world/sandbox-run.ts';
import { aisleKind, rackKind } from './kind.ts';
import { createRackCluster, type RackCluster } from './world.ts';

vi.mock('../../semantics/registry/registered.ts', () => import('./registered.ts'));

let scene: RackCluster | undefined;
let close: (() => Promise<void>) | undefined;
afterEach(async () => {
  await close?.();
  await scene?.stop();
  close = scene = undefined;
});

/** Lets the command line reach a scene: the folder of its kubeconfig. */
async function reachable({ world }: RackCluster): Promise<string> {
  const folder = emptyFolder();
  const tokens = new Map([['secret', 'mona']]);
  const front = await serve(world, { tokens, readYaml: readBodyYaml });
  close = () => front.close();
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: `http://admin:secret@127.0.0.1:${front.port}` } }],
    users: [{ name: 'u', user: {} }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'default' } }],
    'current-context': 'x',
  };
  writeFileSync(join(folder, KUBECONFIG), JSON.stringify(kubeconfig));
  return folder;
}

test.each([
  [rackKind, ['-n', 'shop'], 'Rack/db in shop', 'Rack/db -n shop', 'racks/db'],
  [aisleKind, [], 'Aisle/db in the cluster', 'Aisle/db', 'AISLE/db'],
] as const)('$id.kind: a rollout is looked at and approved', async (kind, place, shown, line, other) => {
  scene = await createRackCluster(kind);
  await scene.change('db:1', 'db:2');
  const folder = await reachable(scene);
  const tree = await kruise(folder, ['status', other, ...place]);
  expect(tree.err.split('\n').filter((text) => text.includes('error'))).toEqual([]);
  expect(tree.out).toContain(`${shown}: AwaitingApproval`);
  expect(tree.out).toContain(`kruise approve ${line} --step agree --digest h1:`);
  expect(tree.out).toMatch(/Pods \(1 updated, 3 old\)/);
  const table = await kruise(folder, ['status', '-A']);
  expect(table.out).toMatch(new RegExp(`${kind.id.kind}/db +AwaitingApproval +2/3 +1/4 +4/4`));
  const approved = await kruise(folder, ['approve', other, ...place, '--no-wait']);
  expect(approved).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^db-approve-\S+ created\n$/) as string,
  });
  await scene.clock.advance(5 * 60_000);
  expect(await scene.images()).toEqual(['db:2', 'db:2', 'db:2', 'db:2']);
  const done = await kruise(folder, ['status', 'db', ...place]);
  expect(done.out).toContain(`${shown}: Succeeded`);
});

test('what is in no namespace is asked for without one', async () => {
  scene = await createRackCluster(aisleKind);
  const folder = await reachable(scene);
  expect(await kruise(folder, ['status', 'aisle/db', '-n', 'shop'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('Aisle is cluster-scoped; omit the namespace shop') as string,
  });
  expect(await kruise(folder, ['abort', 'aisle/other'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('there is no Aisle/other') as string,
  });
});
