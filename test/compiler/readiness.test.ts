import { expect, test } from 'vitest';
import { cloneSet, diagnosticsOf } from './world/manifests.ts';

interface Parts {
  cpu: string;
  image?: string;
  type?: string;
  resizePolicy?: string;
}

const resizing = ({ cpu, image = 'nginx:1.25', type = 'InPlaceIfPossible', resizePolicy }: Parts): string =>
  cloneSet({
    image,
    type,
    container: `        resources: {requests: {cpu: ${cpu}}}${resizePolicy === undefined ? '' : `\n        ${resizePolicy}`}`,
  }).replace(
    '  namespace: shop',
    '  namespace: shop\n  annotations: {plan.kruise.io/resize-in-place: "true"}',
  );

const RESTARTS = 'resizePolicy: [{resourceName: cpu, restartPolicy: RestartContainer}]';

test.each<[string, boolean, Parts, Parts]>([
  ['a resize', false, { cpu: '1' }, { cpu: '2' }],
  ['an image', true, { cpu: '1' }, { cpu: '1', image: 'nginx:1.27' }],
  ['a resize and an image', true, { cpu: '1' }, { cpu: '2', image: 'nginx:1.27' }],
  [
    'a resize with a restart',
    true,
    { cpu: '1', resizePolicy: RESTARTS },
    { cpu: '2', resizePolicy: RESTARTS },
  ],
  ['a resize that recreates', true, { cpu: '1', type: 'ReCreate' }, { cpu: '2', type: 'ReCreate' }],
])('%s warns of pods that crash after their start: %s (KR2135)', async (_, warns, base, head) => {
  const { all } = await diagnosticsOf({ 'base/web.yaml': resizing(base), 'head/web.yaml': resizing(head) });
  expect(all.some(({ code }) => code === 'KR2135')).toBe(warns);
});
