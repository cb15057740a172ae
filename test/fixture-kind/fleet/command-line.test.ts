import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { serve } from 'kruise-sandbox/http';
import { readBodyYaml } from '../../../cli/files/body-yaml.ts';
import { kruise } from '../../cli/world/at-sandbox.ts';
import { KUBECONFIG } from '../../cli/world/sandbox-client.ts';
import { emptyFolder } from '../../cli/world/sandbox-run.ts';
import { createFleetCluster, type FleetCluster } from './world.ts';

vi.mock('../../../semantics/registry/registered.ts', () => import('./registered.ts'));

let scene: FleetCluster | undefined;
let close: (() => Promise<void>) | undefined;
afterEach(async () => {
  await close?.();
  await scene?.stop();
  close = scene = undefined;
});

const AT = ['-n', 'shop'] as const;

test('the status of a root and of its children', async () => {
  scene = await createFleetCluster();
  await scene.change('db:2', 'db:1');
  const folder = emptyFolder();
  const tokens = new Map([['secret', 'mona']]);
  const front = await serve(scene.world, { tokens, readYaml: readBodyYaml });
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
  const tree = await kruise(folder, ['status', 'fleet/db', ...AT]);
  expect(tree.out).toContain('Fleet/db in shop: AwaitingApproval');
  expect(tree.out).toContain('kruise approve Fleet/db -n shop --step one --digest h1:');
  const table = await kruise(folder, ['status', '-A']);
  expect(table.out).toMatch(/Fleet\/db +AwaitingApproval +2\/5 +2\/10 +10\/10/);
  expect(table.out).toMatch(
    /Rack\/db-a +2\/5 +5\/5 +FollowsRoot .*its share of Fleet db retains 3 of 5 slots on the old revision; the plan of that continues it/,
  );
  const approved = await kruise(folder, ['approve', 'fleet/db', ...AT, '--no-wait']);
  expect(approved.code).toBe(0);
  await scene.clock.advance(5 * 60_000);
  expect(await scene.pods()).toMatchObject({ a: { 'db:2': 5 }, b: { 'db:1': 3 } });
});
