import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { expect, test, vi } from 'vitest';
import { main } from '../../../cli/dispatch.ts';
import { reviewPod } from '../../../runtime/admit/review.ts';
import { crds } from '../../../schemas/generated/crds.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { podInjectors } from '../../../semantics/registry/pod-injectors.ts';
import { memoryHost } from '../../cli/world/memory-host.ts';
import { hasty } from '../../fixtures/hasty-clock.ts';
import { injectingWorld } from '../../fixtures/injecting-world.ts';
import { keepDefinitions } from './definitions.ts';
import { keepKind } from './kind.ts';
import { SEAT_ANNOTATION } from './spec.ts';
import { keep, pod, SHOP } from './world.ts';

vi.mock('../../../semantics/registry/registered.ts', () => import('./registered.ts'));

const CA = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const VALIDATING = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural: 'validatingwebhookconfigurations',
};
const definitions = [...crds, ...keepDefinitions];
const NO_SETS = {
  injectors: podInjectors,
  now: 0,
  sets: () => [],
  revisions: () => [],
  isRequired: () => false,
  namespace: (name: string) => ({ name, labels: {} }),
};
test('kruise admission install writes both configurations, and check misses either', async () => {
  const world = createWorld({
    clock: createVirtualClock(0),
    namespaces: ['default'],
    nodes: 0,
    crds: definitions,
    webhooks: (_target, review) => ({ body: reviewPod(review, NO_SETS) }),
  });
  const kruise = async (...args: string[]): Promise<string> => {
    const host = Object.assign(memoryHost({ 'ca.crt': CA }, { cluster: world.cluster('admin') }), {
      clock: hasty,
    });
    return `${await main(host, ['admission', ...args])} ${host.out}${host.err}`.trim();
  };
  const clients = (): unknown[] => {
    const { webhooks } = world.server.get('admin', VALIDATING, { name: 'kruise-admission' }) as KubeObject & {
      webhooks: { clientConfig: object }[];
    };
    return webhooks.map(({ clientConfig }) => clientConfig);
  };
  const path = '/disruptions/keeps.test.plan.kruise.io';
  for (const base of ['https://10.0.0.4:9443', 'https://10.0.0.5:9443']) {
    expect(await kruise('install', '--ca', 'ca.crt', '--url', `${base}/pods`)).toMatch(/^0 /);
    const url = `${base}${path}`;
    expect(clients()).toMatchObject([{ url }, { url }]);
  }
  world.server.delete('admin', VALIDATING, { name: 'kruise-admission' });
  expect(await kruise('check')).toMatch(/^1 .*there is no ValidatingWebhookConfiguration kruise-admission/s);
  world.stop();
});

test('the admission of kruise sandbox links, counts and refuses, too', async () => {
  const clock = createVirtualClock(0);
  const world = injectingWorld(clock, { nodes: 0, crds: definitions });
  const user = world.cluster('user');
  await user.create(keepKind.resource, keep('doors', { allowed: 1, seats: 2 }));
  for (const [name, seat] of [
    ['a', '0'],
    ['b', '1'],
  ] as const) {
    const { metadata } = await user.create(resources.Pod, pod(name));
    expect(metadata.annotations?.[SEAT_ANNOTATION]).toBe(seat);
  }
  await expect(user.create(resources.Pod, pod('c'))).rejects.toThrow('Keep doors: all 2 seats are given');
  await user.delete(resources.Pod, { namespace: SHOP, name: 'a' });
  await expect(user.delete(resources.Pod, { namespace: SHOP, name: 'b' })).rejects.toThrow(
    'Keep doors: 1 of 1 pods have gone: a',
  );
  world.stop();
});
