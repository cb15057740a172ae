import { afterEach, expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { isReady } from '../../semantics/pod/readiness.ts';
import { at, budget, endSite, SHOP, site, web } from './budget-site.ts';

afterEach(endSite);

const { Pod } = resources;
const SECOND = 1_000;

const evictionOf = (name: string): KubeObject => ({
  apiVersion: 'policy/v1',
  kind: 'Eviction',
  metadata: { name, namespace: SHOP },
});
/** It lets no pod be updated or deleted, and says nothing of evictions. */
const other: KubeObject = {
  ...budget({ maxUnavailable: 0, protectOperations: ['UPDATE', 'DELETE'] }),
  metadata: at('other'),
};

test('a rollout that waits for another budget keeps no eviction out, while a finalizer keeps the first pod', async () => {
  const { user, pods, update, clock, errors } = await site([web(6), budget(), other]);
  const first = (await pods())[0]?.metadata.name ?? '';
  const finalizers = ['example.com/kept'];
  await user.patch(Pod, at(first), { type: 'merge', body: { metadata: { finalizers } } });
  await update('web:2');
  let granted = 0;
  for (let turn = 0; turn < 18; turn++) {
    await clock.advance(5 * SECOND);
    const name = turn === 0 ? first : (await pods()).filter(isReady)[0]?.metadata.name;
    const sent = user.create(Pod, evictionOf(name ?? ''), { subresource: 'eviction' });
    granted += await sent.then(
      () => 1,
      () => 0,
    );
  }
  // A replacement takes about as long to be ready as it is until the next one.
  expect(granted).toBeGreaterThan(7);
  expect(errors).toEqual([]);
});
