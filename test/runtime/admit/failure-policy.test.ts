import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { expect, test } from 'vitest';
import { admissionConfiguration } from '../../../runtime/admit/configuration.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';

test.each([
  ['Ignore', 'a pod is created'],
  ['Fail', 'no pod is created, as with OpenKruise'],
])('the webhook of pods does not answer, with failurePolicy: %s %s', async (failurePolicy) => {
  const world = createWorld({
    clock: createVirtualClock(0),
    namespaces: ['shop'],
    webhooks: () => ({ fault: 'nobody answers' }),
  });
  const configuration = admissionConfiguration((path) => ({ url: `https://down.invalid${path}` }), []);
  const written = JSON.parse(
    JSON.stringify(configuration).replaceAll(
      '"failurePolicy":"Ignore"',
      `"failurePolicy":"${failurePolicy}"`,
    ),
  ) as KubeObject;
  const address = {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    plural: 'mutatingwebhookconfigurations',
  };
  world.server.create('admin', address, written);
  const created = world.cluster('user').create(resources.Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { containers: [{ name: 'main', image: 'web:1' }] },
  });
  if (failurePolicy === 'Ignore') expect((await created).metadata.name).toBe('web');
  else await expect(created).rejects.toThrow('nobody answers');
});
