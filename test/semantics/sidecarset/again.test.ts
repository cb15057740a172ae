import { expect, test } from 'vitest';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { isFull } from '../../lanes.ts';
import { randomOf } from '../../random.ts';
import { anySet, some } from './arbitrary.ts';
import {
  containerIn,
  injectedPod,
  injection,
  mountsOf,
  namesIn,
  NOW,
  nginx,
  podOf,
  setOf,
  sidecar,
} from './model.ts';

const COUNT = isFull ? 2_000 : 200;

test(`injecting once more, a day later, changes nothing: ${COUNT} random pods`, () => {
  for (let seed = 0; seed < COUNT; seed++) {
    const random = randomOf(seed);
    const sets = [anySet(random, 'p'), anySet(random, 'q')];
    const app = nginx(some(random, { resources: { limits: { cpu: '1' } }, volumeDevices: [] }));
    const pod = podOf({ containers: [app] }, some(random, { annotations: { k: '{"y":2}' } }));
    const once = injectedPod(sets, { pod });
    const twice = injectedPod(sets, { pod: once, now: NOW + 86_400_000, requestId: 'another' });
    expect(twice, `seed ${seed}`).toEqual(once);
    expect(namesIn(once, 'containers').split(',').length).toBeGreaterThanOrEqual(5);
  }
});

test('a changed set gives another image and another time, and nothing else', () => {
  const [before, after] = ['a:1', 'a:2'].map((image) =>
    setOf('s', { containers: [sidecar('a', { image })] }),
  );
  if (before === undefined || after === undefined) throw new Error('two sets');
  const once = injectedPod([before]);
  const twice = injectedPod([after], { pod: once, now: NOW + 60_000 });
  expect(containerIn(twice, 'a')['image']).toBe('a:2');
  const hash = twice.metadata.annotations?.['kruise.io/sidecarset-hash'];
  expect(hash).toContain('"updateTimestamp":"2026-01-02T03:05:05Z"');
  const imageless = 'kruise.io/sidecarset-hash-without-image';
  expect(twice.metadata.annotations?.[imageless]).toBe(once.metadata.annotations?.[imageless]);
});

test('the record of changes in a pod that this one is a copy of does not count for it', () => {
  const key = 'kruise.io/sidecarset-inplace-update-state';
  const annotations = { [key]: '{"s":{"restartCounts":{"s":100}}}', mine: 'x' };
  const copy = injectedPod([setOf('s')], { pod: podOf({}, { annotations }) });
  expect(copy.metadata.annotations).toMatchObject({ mine: 'x' });
  expect(copy.metadata.annotations).not.toHaveProperty([key]);
});

test('sets do not see the containers of each other', () => {
  const shares = (name: string): KubeObject =>
    setOf(name, {
      containers: [
        sidecar(name, {
          shareVolumePolicy: { type: 'enabled' },
          volumeMounts: [{ name: 'v', mountPath: `/${name}` }],
        }),
      ],
    });
  const pod = injectedPod([shares('a'), shares('b')]);
  expect(mountsOf(containerIn(pod, 'b'))).toBe('/b<v,/a<va');
});

test('two sets with one container refuse the pod, and are named', () => {
  const same = (name: string): KubeObject => setOf(name, { containers: [sidecar('log')] });
  expect(injection([same('b'), same('a')])).toEqual({
    refused: 'SidecarSet b cannot be injected: SidecarSet a has a container log, too',
  });
});

test('the pod that came in is not changed', () => {
  const pod = podOf();
  const text = JSON.stringify(pod);
  injectedPod([setOf('s', { containers: [sidecar('log')], volumes: [{ name: 'v' }] })], { pod });
  expect(JSON.stringify(pod)).toBe(text);
});
