import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { identity, metric, post, readyz, site } from './site.ts';
import { until } from '../../until.ts';

const set: KubeObject = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'SidecarSet',
  metadata: { name: 'mesh' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    containers: [
      {
        name: 'proxy',
        image: 'proxy:1',
        podInjectPolicy: 'AfterAppContainer',
        shareVolumePolicy: { type: 'disabled' },
      },
    ],
  },
};
const podOf = (name: string, namespace = 'shop'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image: 'web:1' }] },
});
const containersOf = (pod: KubeObject): string[] =>
  (pod['spec'] as { containers: { name: string }[] }).containers.map(({ name }) => name);

describe('the admission over TLS', () => {
  test('gives new pods their sidecars, but for those of its own namespace, and those that no set selects', async () => {
    const own = await identity('one');
    const here = await site({ mounted: own, before: (admin) => admin.create(resources.SidecarSet, set) });
    await until('ready', async () => (await readyz(here)) === '200 ok');
    here.install(own.cert);
    const user = here.world.cluster('user');
    expect(containersOf(await user.create(resources.Pod, podOf('a')))).toEqual(['main', 'proxy']);
    expect(containersOf(await user.create(resources.Pod, podOf('b', 'kruise-system')))).toEqual(['main']);
    const other = podOf('c');
    other.metadata.labels = { app: 'other' };
    expect(containersOf(await user.create(resources.Pod, other))).toEqual(['main']);
    expect(await metric(here, 'kruise_admission_reviews_total{result="injected"}')).toBe(1);
    expect(await metric(here, 'kruise_admission_reviews_total{result="unchanged"}')).toBe(1);
  });

  test('says which set gives new pods nothing, as nothing of it is on record', async () => {
    const own = await identity('one');
    const spec = { updateStrategy: { maxUnavailable: 2 } };
    const here = await site({
      mounted: own,
      policy: 'Required',
      async before(admin) {
        await admin.create(resources.SidecarSet, set);
        await admin.patch(resources.SidecarSet, { name: 'mesh' }, { type: 'merge', body: { spec } });
      },
    });
    await until('ready', async () => (await readyz(here)) === '200 ok');
    here.install(own.cert);
    expect(await metric(here, 'kruise_admission_withheld_total{reason="NotRecorded"}')).toBe(0);
    for (const name of ['a', 'b'])
      expect(containersOf(await here.world.cluster('user').create(resources.Pod, podOf(name)))).toEqual([
        'main',
      ]);
    expect(await metric(here, 'kruise_admission_withheld_total{reason="NotRecorded"}')).toBe(2);
    expect(await metric(here, 'kruise_admission_withheld_total{reason="Unplanned"}')).toBe(0);
    expect(here.lines.filter((line) => line.startsWith('SidecarSet mesh gives'))).toEqual([
      'SidecarSet mesh gives new pods that it selects nothing: the set has changed before it was on record what new pods get, and it needs a plan',
    ]);
  });

  test('a changed set is injected as it is now, without a request to the server', async () => {
    const own = await identity('one');
    const here = await site({ mounted: own });
    const admin = here.world.cluster('admin');
    await admin.create(resources.SidecarSet, set);
    await until('ready', async () => (await readyz(here)) === '200 ok');
    here.install(own.cert);
    const spec = { containers: [{ name: 'proxy', image: 'proxy:2', podInjectPolicy: 'AfterAppContainer' }] };
    await admin.patch(resources.SidecarSet, { name: 'mesh' }, { type: 'merge', body: { spec } });
    let n = 0;
    await until('the new image is injected', async () => {
      const pod = await here.world.cluster('user').create(resources.Pod, podOf(`a-${(n += 1)}`));
      return JSON.stringify(pod['spec']).includes('proxy:2');
    });
  });

  test('waits for its certificate, takes each new one, and keeps the last that fits', async () => {
    const [one, two] = [await identity('one'), await identity('two')];
    const here = await site();
    await until('lists', async () => (await readyz(here)).includes('tls.crt'));
    expect(await readyz(here)).toMatch(/^503 tls.crt and tls.key of .* cannot be read: it does not exist$/);
    here.mount(one);
    await until('ready', async () => (await readyz(here)) === '200 ok');
    expect(await post(here, one.cert, '{}')).toMatch(/^400/);
    here.mount({ cert: two.cert, key: one.key });
    await until('told', () => here.lines.some((line) => line.includes('do not fit each other')));
    expect(await post(here, one.cert, '{}')).toMatch(/^400/);
    here.mount(two);
    await until('renewed', () => here.lines.includes('the certificate was renewed'));
    expect(await post(here, two.cert, '{}')).toMatch(/^400/);
    await expect(post(here, one.cert, '{}')).rejects.toThrow(/certificate/);
  });

  test('refuses what is no review', async () => {
    const own = await identity('one');
    const here = await site({ mounted: own });
    await until('ready', async () => (await readyz(here)) === '200 ok');
    expect(await post(here, own.cert, 'x')).toBe('400 the body is no AdmissionReview');
    expect(await post(here, own.cert, '{"request": 1}')).toBe('400 the body is no AdmissionReview');
    expect(await post(here, own.cert, '{}', { path: '/other' })).toMatch(
      /^404 the path is \/pods( or \/\S+)*$/,
    );
    expect(await post(here, own.cert, '{}', { method: 'PUT' })).toBe('405 only POST');
    expect(await post(here, own.cert, JSON.stringify({ request: 'x'.repeat(4_000_000) }))).toMatch(/^413/);
    expect(await post(here, own.cert, '{"request": {"uid": "u"}}')).toMatch(/^200 .*"allowed":true/);
  });

  test('answers nothing before its caches are complete', async () => {
    const here = await site({ mounted: await identity('one'), server: 'http://127.0.0.1:1' });
    const { cert } = await identity('two');
    expect(await readyz(here)).toBe('503 sidecarsets were not listed yet');
    await expect(post(here, cert, '{"request": {"uid": "u"}}')).rejects.toThrow(/certificate/);
    expect(await post(here, here.own, '{"request": {"uid": "u"}}')).toMatch(/^503/);
  });

  test('while it is down pods are created all the same', async () => {
    const own = await identity('one');
    const here = await site({ mounted: own });
    here.install(own.cert);
    await here.admission.stop();
    expect(containersOf(await here.world.cluster('user').create(resources.Pod, podOf('a')))).toEqual([
      'main',
    ]);
  });
});
