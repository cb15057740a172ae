import { expect, it, test } from 'vitest';
import { changingUntil } from '../../../semantics/lifecycle/planned-changes.ts';
import { hasForeignCause } from '../../../semantics/pod/foreign-cause.ts';
import { nextAvailableAt } from '../../../semantics/pod/next-change.ts';
import { isSound } from '../../../semantics/podunavailablebudget/sound.ts';
import { isInPlaceUpdateComplete, unexplainedOf } from '../../../semantics/pod/in-place.ts';
import { isAvailable } from '../../../semantics/pod/readiness.ts';
import {
  declaredImageOf,
  isBeingRecreated,
  RECREATED_ANNOTATION,
  recreatedIn,
  withRecreated,
} from '../../../semantics/pod/recreated.ts';
import { isImageChanged } from '../../../semantics/pod/sidecar-changes.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { DIGEST, podWith, restarted, T0 } from '../containerrecreaterequest/requests.ts';

const SPELLED = `main:1@${DIGEST}`;
const stopped = { spelled: SPELLED, by: 'a', containerID: 'containerd://main-0' };

/** A pod whose container was asked to restart, by another spelling. */
function respelledPod(pod: Pod, restartCount: number): Pod {
  const text = withRecreated(pod, { main: { ...stopped, restartCount } });
  const annotations = { ...pod.metadata.annotations, 'plan.kruise.io/recreated-containers': text };
  const containers = pod.spec.containers.map((each) =>
    each.name === 'main' ? { ...each, image: SPELLED } : each,
  );
  return { ...pod, metadata: { ...pod.metadata, annotations }, spec: { ...pod.spec, containers } };
}

const asked = respelledPod(podWith(['main', 'side']), 0);

it('the owner still reads the image that it wrote', () => {
  expect(declaredImageOf(asked, 'main')).toBe('main:1');
  expect(declaredImageOf(asked, 'side')).toBe('side:1');
  expect(declaredImageOf(asked, 'none')).toBeUndefined();
});

it('and after a second request, too', () => {
  const again = respelledPod(restarted(asked, 'main', T0), 1);
  expect(declaredImageOf(again, 'main')).toBe('main:1');
  expect(recreatedIn(again)['main']?.restarts).toEqual([0, 1]);
});

it('an image that the owner has written since counts', () => {
  const containers = asked.spec.containers.map((each) => ({ ...each, image: 'main:2' }));
  expect(declaredImageOf({ ...asked, spec: { ...asked.spec, containers } }, 'main')).toBe('main:2');
});

it('a pod that was asked is not available until it has restarted', () => {
  expect([isBeingRecreated(asked, T0), isAvailable(asked, 0, T0)]).toEqual([true, false]);
  const back = restarted(asked, 'main', T0);
  expect([isBeingRecreated(back, T0), isAvailable(back, 0, T0)]).toEqual([false, true]);
});

it('another instance is one that has restarted, though its node has lost count', () => {
  const again = respelledPod(restarted(asked, 'main', T0), 1);
  const containerStatuses = (again.status?.containerStatuses ?? []).map((each) =>
    each.name === 'main' ? { ...each, restartCount: 0, containerID: 'containerd://main-new' } : each,
  );
  const anew = { ...again, status: { ...again.status, containerStatuses } };
  expect([isBeingRecreated(anew, T0), isAvailable(anew, 0, T0)]).toEqual([false, true]);
});

it.each([0, 60])(
  'nothing is expected of a signal once its time is over, ready for %d s at least',
  (minReady) => {
    const pod = podWith(['main']);
    const end = T0 + 40_000;
    const record = {
      spelled: 'main:1',
      by: 'a',
      containerID: 'containerd://main-0',
      restartCount: 0,
      until: end,
    };
    const text = withRecreated(pod, { main: record });
    const signalled = {
      ...pod,
      metadata: { ...pod.metadata, annotations: { [RECREATED_ANNOTATION]: text } },
    };
    const at = (now: number): unknown[] => [
      isAvailable(signalled, minReady, now),
      isSound(signalled, now),
      hasForeignCause(signalled, undefined, now),
      nextAvailableAt([signalled], minReady, now),
    ];
    expect(at(end - 1)).toEqual([false, false, true, end]);
    expect(at(end)).toEqual([true, true, false, undefined]);
    expect(changingUntil(signalled)).toBe(end);
  },
);

it('what the kubelet stops for certain is expected without end', () => {
  const at = T0 + 365 * 86_400_000;
  expect([isBeingRecreated(asked, at), nextAvailableAt([asked], 0, at)]).toEqual([true, undefined]);
});

it('the restart that was asked for is none of the pod itself, and any other is', () => {
  const restarts = (pod: Pod): number =>
    unexplainedOf(pod, pod.status?.containerStatuses?.[0] ?? { name: 'main' });
  expect(restarts(restarted(asked, 'main', T0))).toBe(0);
  expect(restarts(restarted(restarted(asked, 'main', T0), 'main', T0))).toBe(1);
  expect(restarts(restarted(podWith(['main']), 'main', T0))).toBe(1);
});

it('an update in place whose container was restarted by request is complete', () => {
  const state = JSON.stringify({
    revision: 'a',
    updateTimestamp: '2026-01-01T00:00:00Z',
    lastContainerStatuses: { main: { imageID: `docker.io/library/main@${DIGEST}` } },
    restartCounts: { main: 0 },
  });
  const annotations = { ...asked.metadata.annotations, 'apps.kruise.io/inplace-update-state': state };
  const pod = { ...asked, metadata: { ...asked.metadata, annotations } };
  expect(isInPlaceUpdateComplete(pod, T0)).toBe(true);
  expect(isImageChanged(SPELLED, { image: 'main:1', imageID: `main@${DIGEST}` }, `main@${DIGEST}`)).toBe(
    true,
  );
});

test.each(['', '[]', '{"main":1}', '{"main":{"image":[],"restarts":["x",-1]}}', '{'.repeat(70_000)])(
  'a record that somebody has broken says nothing: %.20s',
  (text) => {
    const pod = podWith(['main']);
    const annotations = { 'plan.kruise.io/recreated-containers': text };
    const broken = { ...pod, metadata: { ...pod.metadata, annotations } };
    expect([declaredImageOf(broken, 'main'), isBeingRecreated(broken, T0)]).toEqual(['main:1', false]);
  },
);

const forged = (record: object): Pod => {
  const annotations = { 'plan.kruise.io/recreated-containers': JSON.stringify(record) };
  return { ...asked, metadata: { ...asked.metadata, annotations } };
};

test.each<[string, string, string, boolean]>([
  ['the digest behind the tag', `main:1@${DIGEST}`, 'main:1', true],
  ['the digest without the tag', `main@${DIGEST}`, 'main:1', true],
  ['another host name of the same hub', `docker.io/library/main@${DIGEST}`, 'main:1', true],
  ['any tag before the digest of the image', `main:restarted@${DIGEST}`, `main@${DIGEST}`, true],
  ['another tag', `main:2@${DIGEST}`, 'main:1', false],
  ['another repository', `evil@${DIGEST}`, 'main:1', false],
  ['no digest', 'docker.io/library/main:1', 'main:1', false],
  ['another digest', `main@${DIGEST}`, `main@sha256:${'b'.repeat(64)}`, false],
  ['no image', `main:1@${DIGEST}`, '', false],
])('a record hides no other image from the owner: %s', (_what, spelled, image, isHonored) => {
  const pod = forged({ main: { spelled, image, by: 'a', containerID: '', restarts: [] } });
  const containers = pod.spec.containers.map((each) => ({ ...each, image: spelled }));
  const declared = declaredImageOf({ ...pod, spec: { ...pod.spec, containers } }, 'main');
  expect(declared).toBe(isHonored ? image : spelled);
});

it('forgives as many restarts as the runtime writes, whatever the record says', () => {
  const restarts = Array.from({ length: 1000 }, (_, index) => index);
  const pod = forged({ main: { image: 'main:1', ...stopped, restarts } });
  expect(unexplainedOf(pod, { name: 'main', restartCount: 1000 })).toBe(990);
});

it('the record grows with the containers of the pod, and not with what others wrote into it', () => {
  const text = withRecreated(forged({ gone: { image: 'x'.repeat(1000) }, side: { image: 'side:1' } }), {
    main: { ...stopped, restartCount: 0 },
  });
  expect(Object.keys(JSON.parse(text) as object)).toEqual(['main', 'side']);
});
