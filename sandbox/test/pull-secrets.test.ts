import { describe, expect, test } from 'vitest';
import type { ContainerStatus } from '../../schemas/pods/pod.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { pod, readPod, stage } from './world.ts';

const IMAGE = 'registry.example/shop/web:1';

function secretOf(name: string, registries: readonly string[], type = 'kubernetes.io/dockerconfigjson') {
  const auths = Object.fromEntries(registries.map((registry) => [registry, { auth: 'bW9uYTpz' }]));
  const isOld = type === 'kubernetes.io/dockercfg';
  const text = JSON.stringify(isOld ? auths : { auths });
  const key = isOld ? '.dockercfg' : '.dockerconfigjson';
  return {
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'default' } },
    ...{ type, data: { [key]: Buffer.from(text).toString('base64') } },
  };
}

async function world(...secrets: ReturnType<typeof secretOf>[]) {
  const set = stage({ nodes: 1, podEvents: true });
  set.world.images.set(IMAGE, { isPrivate: true });
  for (const secret of secrets) await set.alice.create(resources.Secret, secret);
  return set;
}

type Set = Awaited<ReturnType<typeof world>>;

async function started(
  { alice, clock }: Set,
  name: string,
  spec: Record<string, unknown> = {},
): Promise<ContainerStatus> {
  const object = pod(name, IMAGE, spec);
  await alice.create(resources.Pod, object);
  await clock.advance(30_000);
  const [status] = (await readPod(alice, name)).status?.containerStatuses ?? [];
  return status ?? expect.unreachable();
}

const by = (...names: string[]): Record<string, unknown> => ({
  imagePullSecrets: names.map((name) => ({ name })),
});

describe('an image of a registry that asks for credentials', () => {
  test('is pulled by a pod with a Secret that has them, and by no other', async () => {
    const set = await world(secretOf('own', ['registry.example']), secretOf('other', ['elsewhere.example']));
    const denied = await started(set, 'denied');
    expect(denied.state.waiting).toMatchObject({ reason: 'ImagePullBackOff' });
    expect((await started(set, 'elsewhere', by('other', 'nothing'))).ready).toBe(false);
    const { items } = await set.alice.list(resources.Event, { namespace: 'default' });
    expect(items.map((event) => String(event['message']))).toContainEqual(
      expect.stringContaining('may require authorization'),
    );
    expect((await started(set, 'allowed', by('nothing', 'own'))).ready).toBe(true);
  });

  test('on a node that has it needs none, unless the registry is asked', async () => {
    const set = await world(secretOf('own', ['registry.example']));
    expect((await started(set, 'first', by('own'))).ready).toBe(true);
    expect((await started(set, 'second')).ready).toBe(true);
    const always = { containers: [{ name: 'main', image: IMAGE, imagePullPolicy: 'Always' }] };
    expect((await started(set, 'third', always)).ready).toBe(false);
    expect((await started(set, 'fourth', { ...always, ...by('own') })).ready).toBe(true);
  });

  test('is tried again: a Secret that comes later helps', async () => {
    const set = await world();
    expect((await started(set, 'web', by('own'))).ready).toBe(false);
    await set.alice.create(resources.Secret, secretOf('own', ['registry.example']));
    await set.clock.advance(60_000);
    expect((await readPod(set.alice, 'web')).status?.containerStatuses?.[0]?.ready).toBe(true);
  });

  test.each([
    ['https://registry.example/', 'kubernetes.io/dockerconfigjson', true],
    ['registry.example/shop', 'kubernetes.io/dockerconfigjson', true],
    ['registry.example/sho', 'kubernetes.io/dockerconfigjson', false],
    ['registry.example', 'kubernetes.io/dockercfg', true],
    ['https://index.docker.io/v1/', 'kubernetes.io/dockerconfigjson', false],
  ])('%s in a Secret of type %s: %s', async (registry, type, expected) => {
    const set = await world(secretOf('own', [registry], type));
    expect((await started(set, 'web', by('own'))).ready).toBe(expected);
  });
});
