import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { admissionConfiguration } from '../../../runtime/admit/configuration.ts';
import { reviewChangedPod, reviewPod } from '../../../runtime/admit/review.ts';
import { podInjectors } from '../../../semantics/registry/pod-injectors.ts';
import { listOf, objectOf, textOf } from '../../../semantics/values/read.ts';
import { NEW_PODS_ANNOTATION } from '../../../semantics/sidecarset/resource.ts';
import {
  after,
  containerIn,
  injectedPod,
  nginx,
  NOW,
  podOf,
  setOf,
  sidecar,
} from '../../semantics/sidecarset/model.ts';
import { rolling } from '../../semantics/sidecarset/rolling.ts';

const labels = { 'kubernetes.io/metadata.name': 'shop' };

/** The request for a pod that is created, as an API server sends it. */
function reviewOf(pod: KubeObject, request: JsonObject = {}): unknown {
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'u-1',
      operation: 'CREATE',
      resource: { group: '', version: 'v1', resource: 'pods' },
      namespace: 'shop',
      object: pod as unknown as JsonObject,
      ...request,
    },
  };
}

const asked: string[] = [];

function responseTo(
  review: unknown,
  sets: readonly KubeObject[],
  revisions: readonly KubeObject[] = [],
): JsonObject {
  const answer = reviewPod(review, {
    sets: () => sets,
    revisions: () => revisions,
    namespace(name) {
      asked.push(name);
      return { name, labels };
    },
    injectors: podInjectors,
    isRequired: () => false,
    now: NOW,
  });
  expect(answer).toMatchObject({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' });
  return objectOf(answer['response']);
}

/** The pod after the patch of a response. */
function patched(pod: KubeObject, response: JsonObject): unknown {
  const copy = structuredClone(pod) as unknown as Record<string, Record<string, unknown>>;
  const operations = JSON.parse(Buffer.from(textOf(response['patch']), 'base64').toString()) as {
    op: string;
    path: string;
    value: unknown;
  }[];
  for (const { op, path, value } of operations) {
    const [, part = '', field = ''] = path.split('/');
    const owner = copy[part] ?? {};
    // Each operation must fit what is there: `add` would be wrong for what exists in some servers, `replace` elsewhere.
    expect(Object.hasOwn(owner, field)).toBe(op === 'replace');
    owner[field] = value;
  }
  return copy;
}

describe('the review of a new pod', () => {
  const set = setOf('s', {
    containers: [sidecar('a', { volumeMounts: [{ name: 'v', mountPath: '/v' }] })],
    initContainers: [sidecar('i')],
    volumes: [{ name: 'v', emptyDir: {} }],
    imagePullSecrets: [{ name: 'secret' }],
  });

  test.each<[what: string, pod: KubeObject]>([
    ['with all lists', podOf({}, { annotations: { own: 'x' } })],
    ['with a container alone', { ...podOf(), spec: { containers: [{ name: 'x', image: 'x:1' }] } }],
  ])('a pod %s gets what its sets give', (_what, pod) => {
    const response = responseTo(reviewOf(pod), [set]);
    expect(response).toMatchObject({ uid: 'u-1', allowed: true, patchType: 'JSONPatch' });
    expect(patched(pod, response)).toEqual(injectedPod([set], { pod }));
  });

  test('a pod without sets is allowed, without a patch', () => {
    expect(responseTo(reviewOf(podOf()), [])).toEqual({ uid: 'u-1', allowed: true });
    const other = setOf('s', { selector: { matchLabels: { app: 'db' } } });
    expect(responseTo(reviewOf(podOf()), [other])).toEqual({ uid: 'u-1', allowed: true });
  });

  test('a pod that has the sidecars gets no patch', () => {
    expect(responseTo(reviewOf(injectedPod([set])), [set])).toEqual({ uid: 'u-1', allowed: true });
  });

  test('a pod that no set can be injected into is refused, with the set', () => {
    const policy = { targetContainersMode: 'sum', targetContainersNameRegex: '^x$', resourcesExpr: {} };
    const response = responseTo(reviewOf(podOf()), [
      setOf('s', { containers: [sidecar('a', { resourcesPolicy: policy })] }),
    ]);
    expect(response).toMatchObject({
      uid: 'u-1',
      allowed: false,
      status: { code: 422, message: expect.stringContaining('SidecarSet s cannot be injected') as string },
    });
  });

  test.each<[what: string, request: JsonObject]>([
    ['an update', { operation: 'UPDATE' }],
    ['a subresource', { subResource: 'eviction' }],
    ['another resource', { resource: { group: '', version: 'v1', resource: 'services' } }],
    ['pods of another group', { resource: { group: 'x.io', version: 'v1', resource: 'pods' } }],
    ['no object', { object: null }],
  ])('%s is allowed as it is', (_what, request) => {
    expect(responseTo(reviewOf(podOf(), request), [set])).toEqual({ uid: 'u-1', allowed: true });
  });

  test('text that is no review is answered', () => {
    expect(responseTo('nonsense', [set])).toEqual({ uid: '', allowed: true });
  });

  test('a new pod gets the revision that is published, not the present content of its set', () => {
    const world = rolling();
    for (const image of ['log:1', 'log:2']) {
      world.set('log', { containers: [sidecar('log', { image })] });
      world.reconcile();
    }
    const imageBy = (published: string): unknown => {
      const revisions = [...world.revisions.values()].map((revision) => {
        const isPublished = JSON.stringify(revision['data']).includes(published);
        const annotations = { ...revision.metadata.annotations, [NEW_PODS_ANNOTATION]: String(isPublished) };
        return { ...revision, metadata: { ...revision.metadata, annotations } };
      });
      const pod = podOf();
      const response = responseTo(reviewOf(pod), [...world.sets.values()], revisions);
      return containerIn(patched(pod, response) as KubeObject, 'log')['image'];
    };
    expect([imageBy('log:1'), imageBy('log:2')]).toEqual(['log:1', 'log:2']);
  });

  describe('whose containers start in an order', () => {
    const ordered = { 'apps.kruise.io/container-launch-priority': 'Ordered' };
    const keysOf = (pod: unknown): string[] =>
      listOf(objectOf((pod as KubeObject)['spec'])['containers']).map(({ name, env }) => {
        const { valueFrom } = listOf(env).at(-1) ?? {};
        return `${textOf(name)} ${textOf(objectOf(objectOf(valueFrom)['configMapKeyRef'])['key'])}`;
      });

    test('injected ones take part by their position (LP-18)', () => {
      const pod = podOf({}, { annotations: ordered });
      const sets = [setOf('s', { containers: [sidecar('first'), after('last')] })];
      expect(keysOf(patched(pod, responseTo(reviewOf(pod), sets)))).toEqual([
        'first p_0',
        'nginx p_-1',
        'last p_-2',
      ]);
    });

    test('an injected one takes part by its own number (LP-18)', () => {
      const env = [{ name: 'KRUISE_CONTAINER_PRIORITY', value: '10' }];
      const pod = podOf();
      const response = responseTo(reviewOf(pod), [setOf('s', { containers: [after('proxy', { env })] })]);
      expect(keysOf(patched(pod, response))).toEqual(['nginx p_0', 'proxy p_10']);
    });

    test('its generated name is fixed, and is that of the request', () => {
      const { name: _name, ...metadata } = podOf().metadata;
      const pod = podOf({ containers: [nginx(), sidecar('b')] });
      const unnamed = {
        ...pod,
        metadata: { ...metadata, generateName: 'web-', annotations: ordered },
      } as unknown as KubeObject;
      const change = patched(unnamed, responseTo(reviewOf(unnamed), [])) as KubeObject;
      expect(change.metadata.name).toMatch(/^web-.{5}$/);
      expect(change.metadata.annotations).toEqual(ordered);
      expect(patched(unnamed, responseTo(reviewOf(unnamed), []))).toEqual(change);
    });

    test('a priority that is no number is refused, but not of a pod that a kind of ours creates', () => {
      const env = [{ name: 'KRUISE_CONTAINER_PRIORITY', value: 'high' }];
      const pod = podOf({ containers: [nginx(), sidecar('b', { env })] });
      expect(responseTo(reviewOf(pod), [])).toMatchObject({
        allowed: false,
        status: { code: 422, message: expect.stringContaining('container b') as string },
      });
      const owner = (apiVersion: string) => [
        { apiVersion, kind: 'StatefulSet', name: 'web', uid: '1', controller: true },
      ];
      const ownedBy = (apiVersion: string): KubeObject => ({
        ...pod,
        metadata: { ...pod.metadata, ownerReferences: owner(apiVersion) },
      });
      expect(responseTo(reviewOf(ownedBy('apps.kruise.io/v1beta1')), [])).toMatchObject({ allowed: true });
      expect(responseTo(reviewOf(ownedBy('apps/v1')), [])).toMatchObject({ allowed: false });
    });
  });

  /** The image that each of 40 requests gets for a pod. */
  function imagesOf(
    pod: KubeObject,
    sets: readonly KubeObject[],
    revisions: readonly KubeObject[],
  ): string[] {
    return Array.from({ length: 40 }, (_, n) => {
      const response = responseTo(reviewOf(pod, { uid: `request-${n}` }), sets, revisions);
      return textOf(containerIn(patched(pod, response) as KubeObject, 'log')['image']);
    });
  }

  /** Requests draw both images, and what their creator has written about revisions decides nothing. */
  function expectDrawn(sets: readonly KubeObject[], revisions: readonly KubeObject[]): void {
    const drawn = imagesOf(podOf(), sets, revisions);
    expect([...new Set(drawn)].sort()).toEqual(['log:1', 'log:2']);
    for (const revision of revisions) {
      const log = {
        hash: revision.metadata.annotations?.['kruise.io/sidecarset-hash'] ?? '',
        controllerRevision: revision.metadata.name,
      };
      const named = podOf(
        {},
        {
          annotations: {
            'kruise.io/sidecarset-injected-list': 'log',
            'kruise.io/sidecarset-hash': JSON.stringify({ log }),
          },
        },
      );
      expect(imagesOf(named, sets, revisions)).toEqual(drawn);
    }
  }

  test('a share of new pods is drawn by the request, whatever revision its template names', () => {
    const world = rolling();
    for (const image of ['log:1', 'log:2']) {
      world.set('log', { containers: [sidecar('log', { image })] });
      world.reconcile();
    }
    const revisions = [...world.revisions.values()].map((revision) => {
      const { 'plan.kruise.io/complete': complete, ...rest } = revision.metadata.annotations ?? {};
      const isNew = JSON.stringify(revision['data']).includes('log:2');
      const annotations = isNew
        ? { ...rest, [NEW_PODS_ANNOTATION]: '50%' }
        : { ...rest, 'plan.kruise.io/complete': complete ?? '1' };
      return { ...revision, metadata: { ...revision.metadata, annotations } };
    });
    expectDrawn([...world.sets.values()], revisions);
  });

  test('so is the share of a pinned revision', () => {
    const world = rolling();
    world.set('log', { containers: [sidecar('log', { image: 'log:1' })] });
    world.reconcile();
    const [first] = [...world.revisions.keys()];
    world.set('log', {
      containers: [sidecar('log', { image: 'log:2' })],
      updateStrategy: { partition: '50%' },
      injectionStrategy: { revision: { revisionName: first ?? '', policy: 'Partial' } },
    });
    world.reconcile();
    expectDrawn([...world.sets.values()], [...world.revisions.values()]);
  });

  test('the namespace is that of the pod, else of the request, else default', () => {
    asked.length = 0;
    const bare = podOf();
    delete bare.metadata.namespace;
    responseTo(reviewOf(podOf({}, { namespace: 'own' })), [set]);
    responseTo(reviewOf(bare), [set]);
    responseTo(reviewOf(bare, { namespace: '' }), [set]);
    expect(asked).toEqual(['own', 'shop', 'default']);
  });
});

test('the configuration asks about new pods, never of its own namespaces, and does without an answer', () => {
  const { webhooks } = admissionConfiguration(
    (path) => ({ url: `https://x${path}` }),
    ['kruise-system'],
  ) as unknown as {
    webhooks: unknown[];
  };
  expect(webhooks).toMatchObject([
    {
      failurePolicy: 'Ignore',
      timeoutSeconds: 3,
      sideEffects: 'None',
      reinvocationPolicy: 'Never',
      namespaceSelector: {
        matchExpressions: [
          { operator: 'NotIn', values: ['kube-system', 'argocd', 'flux-system', 'kruise-system'] },
        ],
      },
      rules: [{ operations: ['CREATE'], resources: ['pods'] }],
    },
    {
      clientConfig: { url: 'https://x/objects/sidecarsets.apps.kruise.io' },
      failurePolicy: 'Ignore',
      rules: [{ operations: ['CREATE', 'UPDATE'], resources: ['sidecarsets'], scope: 'Cluster' }],
    },
  ]);
});

test('rules before the sets may change anything of a pod, and may refuse it', async () => {
  const { spec, ...rest } = podOf();
  const before: KubeObject = { ...rest, spec: { ...objectOf(spec), priority: 1 } };
  const changedPod = {
    ...rest,
    metadata: { ...before.metadata, labels: { app: 'other' } },
    spec: { ...objectOf(spec), 'a~/b': 1, tolerations: [{ key: 'a' }] },
  };
  const changed = await reviewChangedPod(reviewOf(before), async ({ pod }) => {
    expect(pod).toEqual(before);
    return { pod: changedPod };
  });
  const patch = textOf(objectOf(changed['response'])['patch']);
  expect(JSON.parse(Buffer.from(patch, 'base64').toString())).toEqual([
    {
      op: 'replace',
      path: '/metadata/labels',
      value: { app: 'other' },
    },
    { op: 'add', path: '/spec/a~0~1b', value: 1 },
    { op: 'remove', path: '/spec/priority' },
    { op: 'add', path: '/spec/tolerations', value: [{ key: 'a' }] },
  ]);
  const refused = await reviewChangedPod(reviewOf(before), async () => ({
    refused: 'no place',
    code: 403,
    reason: 'Forbidden',
  }));
  expect(refused['response']).toEqual({
    uid: expect.any(String) as string,
    allowed: false,
    status: { status: 'Failure', code: 403, reason: 'Forbidden', message: 'no place' },
  });
});
