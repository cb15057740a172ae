import { expect, test } from 'vitest';
import { isSound } from '../../../semantics/podunavailablebudget/sound.ts';
import { ago, NOW, pod } from './budgets.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const OTHER = `sha256:${'b'.repeat(64)}`;
const updating = {
  'apps.kruise.io/inplace-update-state': JSON.stringify({
    revision: 'web-2',
    updateTimestamp: ago(5),
    lastContainerStatuses: { main: { imageID: 'registry/web:1' } },
    containerBatchesRecord: [{ timestamp: ago(5), containers: ['main'] }],
  }),
};

test.each<[string, Parameters<typeof pod>[1], boolean]>([
  ['a pod that receives traffic', {}, true],
  ['one that is not ready', { isReady: false }, false],
  ['one that does not run', { phase: 'Pending' }, false],
  ['one that is being deleted', { metadata: { deletionTimestamp: ago(1) } }, false],
  ['one with a label that takes it out', { labels: { 'unavailable-pod.kruise.io/drain': '' } }, false],
  ['one with another label', { labels: { 'available-pod.kruise.io/drain': '' } }, true],
  [
    'one whose update in place is under way',
    { image: 'web:2', running: 'web:1', imageID: 'registry/web:1', annotations: updating },
    false,
  ],
  [
    'one whose update in place is complete',
    { image: 'web:2', imageID: 'registry/web:2', annotations: updating },
    true,
  ],
  ['one that runs its digest', { image: `web@${DIGEST}`, imageID: `registry/web@${DIGEST}` }, true],
  ['one whose runtime names the digest alone', { image: `web@${DIGEST}`, imageID: DIGEST }, true],
  ['one that runs another digest', { image: `web@${DIGEST}`, imageID: `registry/web@${OTHER}` }, false],
  [
    'one of digests alone, whatever its record says',
    { image: `web@${DIGEST}`, imageID: `registry/web@${DIGEST}`, annotations: updating },
    true,
  ],
  [
    'one that waits for the end of a grace period',
    {
      labels: { 'controller-revision-hash': 'web-2' },
      annotations: { 'apps.kruise.io/inplace-update-grace': '{"revision":"web-2","graceSeconds":10}' },
    },
    false,
  ],
])('%s', (_what, parts, expected) => {
  expect(isSound(pod('a', parts), NOW)).toBe(expected);
});
