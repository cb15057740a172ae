import { describe, expect, it, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { normalizeRequest } from '../../../semantics/containerrecreaterequest/normalize.ts';
import { stopOf } from '../../../semantics/containerrecreaterequest/refusal.ts';
import { stoppingOf } from '../../../semantics/containerrecreaterequest/stop.ts';
import { endOf, recreateRequest } from '../../fixtures/recreate-requests.ts';
import { respelled } from '../../../semantics/containerrecreaterequest/respell.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { imageParts } from '../../../semantics/values/image-name.ts';
import { begun, DIGEST, podWith, settledAt, T0 } from './requests.ts';

const OTHER = `sha256:${'b'.repeat(64)}`;
const running = (name: string): string => `${name}@${DIGEST}`;

describe('another spelling of an image', () => {
  test.each([
    ['web:1', 'docker.io/library/web', `web:1@${DIGEST}`],
    ['web', 'docker.io/library/web', `web@${DIGEST}`],
    [
      'registry.example:5000/a/web:1',
      'registry.example:5000/a/web',
      `registry.example:5000/a/web:1@${DIGEST}`,
    ],
    [`web:1@${OTHER}`, 'docker.io/library/web', `web@${OTHER}`],
    [`web@${OTHER}`, 'docker.io/library/web', `web:restarted@${OTHER}`],
  ])('of %s', (image, repository, expected) => {
    const status = { image: image.includes('@') ? 'x' : image, imageID: running(repository) };
    expect(respelled(image, status, 3)).toEqual({ image: expected });
  });

  it('the prefix of older runtimes is left out', () => {
    const status = { image: 'web:1', imageID: `docker-pullable://${running('docker.io/library/web')}` };
    expect(respelled('web:1', status, 2)).toEqual({ image: `web:1@${DIGEST}` });
  });

  it('names the same repository, and never another digest than the one that runs or is written', () => {
    for (const image of ['web:1', 'web', `web:1@${OTHER}`, `web@${OTHER}`]) {
      const found = respelled(image, { image, imageID: running('docker.io/library/web') }, 1);
      const spelled = 'image' in found ? found.image : '';
      expect(spelled).not.toBe(image);
      expect(imageParts(spelled).repository).toBe(imageParts(image).repository);
      expect(imageParts(spelled).digest).toBe(imageParts(image).digest ?? DIGEST);
    }
  });

  test.each([
    [
      'no digest known: an image that was loaded by hand',
      'sha256:abc',
      'web:1',
      'the digest of its image is unknown',
    ],
    ['no digest known: nothing is reported', '', 'web:1', 'the digest of its image is unknown'],
    [
      'a foreign repository',
      running('mirror.example/web'),
      'web:1',
      'another repository, mirror.example/web',
    ],
    [
      'an image that has not started yet',
      running('docker.io/library/web'),
      'web:2',
      'the node reports web:2',
    ],
  ])('%s: none', (_what, imageID, reported, message) => {
    const found = respelled('web:1', { image: reported, imageID }, 2);
    expect('refused' in found ? found.refused : '').toContain(message);
  });

  it('a pod whose spec has never changed runs it, whatever name the node reports', () => {
    const status = { image: 'web:latest', imageID: running('docker.io/library/web') };
    expect(respelled('web:1', status, 1)).toEqual({ image: `web:1@${DIGEST}` });
  });

  it('a digest of another sort is left alone', () => {
    expect(respelled('web@sha512:aa', { image: 'web', imageID: running('web') }, 1)).toHaveProperty(
      'refused',
    );
  });
});

const stopped = (pod: Pod, grace?: number): string => {
  const found = stopOf(pod, 'main', { grace });
  return 'refused' in found ? found.refused : '';
};
const marked = (parts: JsonObject): Pod => {
  const pod = podWith(['main']);
  return { ...pod, metadata: { ...pod.metadata, ...parts } };
};
const owned = {
  ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'rs', controller: true }],
};

describe('a container is left alone', () => {
  test.each([
    [
      'with imagePullPolicy Always',
      podWith(['main'], {}, { imagePullPolicy: 'Always' }),
      'its imagePullPolicy is Always',
    ],
    [
      'in a pod that runs once',
      podWith(['main'], { restartPolicy: 'Never' }),
      'the restart policy of the pod is Never',
    ],
    [
      'in a pod that ends',
      podWith(['main'], { restartPolicy: 'OnFailure' }),
      'the restart policy of the pod is OnFailure',
    ],
    ['in a static pod', marked({ annotations: { 'kubernetes.io/config.mirror': 'x' } }), 'a static one'],
    [
      'in a bare pod of Argo CD',
      marked({ annotations: { 'argocd.argoproj.io/tracking-id': 'x' } }),
      'a GitOps engine',
    ],
    [
      'in a bare pod of Flux',
      marked({ labels: { 'kustomize.toolkit.fluxcd.io/name': 'x' } }),
      'a GitOps engine',
    ],
    [
      'that is to stay down',
      podWith(['main'], {}, { env: [{ name: 'KRUISE_TERMINATE_SIDECAR_WHEN_JOB_EXIT', value: 'true' }] }),
      'a sidecar that is to stay down',
    ],
  ])('%s', (_what, pod, message) => {
    expect(stopped(pod)).toContain(message);
  });

  it('CRR-19: with another grace than that of the pod', () => {
    expect(stopped(podWith(['main']), 3)).toBe('the pod has 30 seconds to terminate, and not 3');
    expect(stopped(podWith(['main']), 30)).toBe('');
    expect(stopped(podWith(['main'], { terminationGracePeriodSeconds: 3 }), 3)).toBe('');
  });

  it('not in a pod that a workload controls, whatever its labels say', () => {
    const labels = { 'kustomize.toolkit.fluxcd.io/name': 'x' };
    expect(stopped(marked({ ...owned, labels }))).toBe('');
  });
});

test.each([
  ['Fail', []],
  ['Ignore', ['side']],
])('in order, with the policy %s, after a container that has failed', (failurePolicy, expected) => {
  const request = normalizeRequest(
    recreateRequest('restart', 'web-0', ['main', 'side'], {
      strategy: { orderedRecreate: true, failurePolicy },
    }),
  );
  const states = [
    { name: 'main', phase: 'Failed' },
    { name: 'side', phase: 'Pending' },
  ] as const;
  const { next } = stoppingOf(podWith(['main', 'side']), request, states, false);
  expect([...next.keys()]).toEqual(expected);
});

it('more than can be put on record are left alone: nobody would know that they were stopped', () => {
  const many = Array.from({ length: 100 }, (_, index) => `c${index}`);
  const image = `${'a'.repeat(250)}:${'v'.repeat(120)}`;
  const pod = podWith(many);
  const reported = (pod.status?.containerStatuses ?? []).map((each) => ({
    ...each,
    ...{ image: `docker.io/library/${image}`, imageID: `docker.io/library/${'a'.repeat(250)}@${DIGEST}` },
  }));
  const containers = pod.spec.containers.map((each) => ({ ...each, image }));
  const long = {
    ...pod,
    ...{ spec: { ...pod.spec, containers }, status: { ...pod.status, containerStatuses: reported } },
  };
  const ended = settledAt(begun({}, long, many), T0);
  expect(ended.done).toEqual(['take up', 'end']);
  expect(endOf(ended.target).slice(0, 2)).toEqual([
    'Completed',
    'c0 Failed kill container error: what is on record about restarts of the pod would be too long',
  ]);
  expect(settledAt(begun({}, long, many.slice(0, 50)), T0).done).toEqual(['take up', 'restart containers']);
});
