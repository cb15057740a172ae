import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { serve } from 'kruise-sandbox/http';
import { readBodyYaml } from '../../../cli/files/body-yaml.ts';
import { kruise } from '../../cli/world/at-sandbox.ts';
import { KUBECONFIG } from '../../cli/world/sandbox-client.ts';
import { emptyFolder } from '../../cli/world/sandbox-run.ts';
import { shelfKind } from './kind.ts';
import { createShelfCluster, shelf, type ShelfCluster } from './world.ts';

vi.mock('../../../semantics/registry/registered.ts', () => import('./registered.ts'));

let scene: ShelfCluster | undefined;
let close: (() => Promise<void>) | undefined;
afterEach(async () => {
  await close?.();
  await scene?.stop();
  close = scene = undefined;
});

/** A scene with a shelf that is reached by the kubeconfig in a folder. */
async function reachable(): Promise<{ made: ShelfCluster; folder: string }> {
  const made = await createShelfCluster();
  scene = made;
  await made.user.create(shelfKind.resource, shelf());
  await made.clock.advance(60_000);
  const folder = emptyFolder();
  const tokens = new Map([['secret', 'mona']]);
  const front = await serve(made.world, { tokens, readYaml: readBodyYaml });
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
  return { made, folder };
}

const AT = ['-n', 'shop'] as const;

test('its status tells what there is, by itself and in a table', async () => {
  const { folder } = await reachable();
  const tree = await kruise(folder, ['status', 'shelf/poems', ...AT]);
  expect(tree.out).toContain('Shelf/poems in shop: reconciled at once');
  expect(tree.out).toContain('3 of 3 copies');
  expect(tree.code).toBe(0);
  const json = await kruise(folder, ['status', 'shelf/poems', ...AT, '-o', 'json']);
  expect(JSON.parse(json.out)).toMatchObject({ kind: 'Shelf', verdict: 'done', counts: '3 of 3 copies' });
  const table = await kruise(folder, ['status', '-A']);
  expect(table.out).toMatch(/shop +Shelf\/poems/);
});

test('its status tells why it is held', async () => {
  const { made, folder } = await reachable();
  await made.change({ text: '' });
  const tree = await kruise(folder, ['status', 'poems', ...AT]);
  expect(tree.out).toContain('spec.text must not be empty');
  const json = await kruise(folder, ['status', 'shelf/poems', ...AT, '-o', 'json']);
  expect(JSON.parse(json.out)).toMatchObject({ verdict: 'underway', waitingOn: 'InvalidTarget' });
});

test('a watch of it ends when it is done', async () => {
  const { made, folder } = await reachable();
  await made.change({ text: '' });
  const watching = kruise(folder, ['status', 'shelf/poems', ...AT, '-w', '--timeout', '10m']);
  const first = await Promise.race([watching, kruise(folder, ['status', 'shelf/poems', ...AT])]);
  expect(first.out).toContain('reconciled at once');
  await made.change({ text: 'two', copies: 4 });
  const { code, out } = await watching;
  expect(code).toBe(0);
  expect(out).toContain('reconciled at once, 3 of 3 copies; spec.text must not be empty');
  expect(out).toMatch(/4 of 4 copies.*\n$/);
});

test.each([['approve'], ['revert'], ['abort'], ['pause'], ['resume'], ['break-glass', '--reason', 'x']])(
  'the command %s is refused: it has no plan',
  async (verb, ...more) => {
    const { folder } = await reachable();
    const { code, err } = await kruise(folder, [verb, 'shelf/poems', ...AT, ...more]);
    expect(code).toBe(1);
    expect(err).toContain('a Shelf is reconciled at once and has no plan');
    expect(err).toContain('kruise status Shelf/poems -n shop');
  },
);
