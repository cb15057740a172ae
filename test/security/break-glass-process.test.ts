import { afterEach, expect, test } from 'vitest';
import { resources } from '../../schemas/wire/resources.ts';
import { createSite, type Site } from '../runtime/process-world.ts';
import { cloneSet } from '../runtime/stage.ts';

let site: Site | undefined;
afterEach(async () => {
  await site?.close();
  site = undefined;
});

/** What a runtime as a process answers to a BreakGlass, in a cluster without the policies. */
async function answered(options: Parameters<Site['start']>[0]): Promise<string> {
  const here = await createSite(20);
  site = here;
  const admin = here.world.cluster('admin');
  await admin.create(resources.CloneSet, cloneSet('web', 'web:1', { replicas: 0 }));
  await here.start(options);
  await here.until('a leader', () => here.lines.some(({ msg }) => msg === 'acquired the lease'));
  await admin.create(resources.RolloutCommand, {
    apiVersion: 'plan.kruise.io/v1alpha1',
    kind: 'RolloutCommand',
    metadata: { name: 'now', namespace: 'shop' },
    spec: {
      target: { kind: 'CloneSet', name: 'web' },
      action: 'BreakGlass',
      expires: new Date(here.clock.now() + 3_600_000).toISOString(),
    },
  });
  let result: string | undefined;
  await here.until('an answer', async () => {
    const { status } = await admin.get(resources.RolloutCommand, { namespace: 'shop', name: 'now' });
    result = (status as { result?: string } | undefined)?.result;
    return result !== undefined;
  });
  return result ?? '';
}

const isOff = /^BreakGlass is off, because nothing checks who sends it: /;

test('security 14: kruise run refuses BreakGlass if the policies are missing, and logs it once', async () => {
  expect(await answered({})).toBe('Refused');
  expect(site?.lines.filter(({ msg }) => isOff.test(msg))).toHaveLength(1);
});

test('security 14: kruise run --allow-break-glass=always obeys it', async () => {
  expect(await answered({ allowBreakGlass: 'always' })).toBe('Accepted');
  expect(site?.lines.filter(({ msg }) => isOff.test(msg))).toEqual([]);
});
