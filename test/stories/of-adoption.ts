import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { controllerOf } from '../../semantics/owner.ts';
import { revisionData } from '../../semantics/revision/revisions.ts';
import { resourceOf } from '../../examples/demo/engine.ts';
import { makeClass } from '../fixtures/storage-class.ts';
import type { StoryCluster } from './stage.ts';
import { images, MANIFEST, settled, type Story } from './story.ts';

const OLD = 'nginx:1.25-alpine';
const NEW = 'nginx:1.27-alpine';
const NATIVE = 'apps/v1';
const OURS = 'apps.kruise.io/v1beta1';

/** The manifest of StatefulSet `web`, three pods with a claim each, of Kubernetes or of OpenKruise: all else is the same. */
function manifest(apiVersion: typeof NATIVE | typeof OURS, image = OLD): string {
  return [
    `apiVersion: ${apiVersion}`,
    'kind: StatefulSet',
    'metadata:',
    '  name: web',
    '  namespace: shop',
    'spec:',
    '  replicas: 3',
    '  serviceName: web',
    '  selector:',
    '    matchLabels: {app: web}',
    '  volumeClaimTemplates:',
    '  - metadata: {name: data}',
    '    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}',
    '  template:',
    '    metadata:',
    '      labels: {app: web}',
    '    spec:',
    '      containers:',
    '      - name: nginx',
    `        image: ${image}`,
    '        volumeMounts:',
    '        - {name: data, mountPath: /data}',
    '',
  ].join('\n');
}

const REVISION = 'web-6f7c5d9b84';

/** What the StatefulSet controller of Kubernetes makes of the object in the cluster: claims, pods and one revision. */
async function playController({ user, clock, transcript }: StoryCluster): Promise<void> {
  const set = await user.get(nativeResource, { namespace: 'shop', name: 'web' });
  const owner = {
    apiVersion: NATIVE,
    kind: 'StatefulSet',
    name: 'web',
    uid: set.metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
  const { template } = set['spec'] as { template: { spec: JsonObject } & JsonObject };
  const metadata = { namespace: 'shop', labels: { app: 'web' }, ownerReferences: [owner] };
  await user.create(resources.ControllerRevision, {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { ...metadata, name: REVISION },
    data: revisionData(template),
    revision: 1,
  });
  for (let ordinal = 0; ordinal < 3; ordinal++) {
    const name = `web-${ordinal}`;
    await user.create(resources.PersistentVolumeClaim, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { namespace: 'shop', name: `data-${name}`, labels: { app: 'web' } },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    await user.create(resources.Pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...metadata,
        name,
        labels: {
          app: 'web',
          'apps.kubernetes.io/pod-index': String(ordinal),
          'controller-revision-hash': REVISION,
          'statefulset.kubernetes.io/pod-name': name,
        },
      },
      spec: {
        ...template.spec,
        hostname: name,
        subdomain: 'web',
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: `data-${name}` } }],
      },
    });
  }
  transcript.note(
    'the StatefulSet controller of Kubernetes creates web-0, web-1 and web-2, each with a claim',
  );
  await clock.advance(20_000);
}

const nativeResource = resourceOf({ apiVersion: NATIVE, kind: 'StatefulSet', metadata: { name: 'web' } });

/** `kubectl delete --cascade=orphan`. */
async function orphan({ user, clock, transcript }: StoryCluster, apiVersion: string): Promise<void> {
  const at = { namespace: 'shop', name: 'web' };
  const resource = resourceOf({ apiVersion, kind: 'StatefulSet', metadata: { name: 'web' } });
  transcript.note(`kubectl delete ${resource.plural}.${resource.group} web -n shop --cascade=orphan`);
  await user.delete(resource, at, { propagationPolicy: 'Orphan' });
  await clock.advance(5_000);
}

/** What must not change: each pod with its node, containers and restarts, and each claim. */
async function untouched(stage: StoryCluster): Promise<unknown> {
  const claims = await stage.user.list(resources.PersistentVolumeClaim, { namespace: 'shop' });
  return {
    pods: (await stage.pods()).map(({ metadata, spec, status }) => ({
      uid: metadata.uid,
      revision: metadata.labels?.['controller-revision-hash'],
      spec,
      restarts: status?.containerStatuses?.map(({ restartCount }) => restartCount),
    })),
    claims: claims.items.map(({ metadata }) => metadata.uid),
  };
}

const controllers = (pods: readonly KubeObject[]): (string | undefined)[] =>
  pods.map((pod) => controllerOf(pod)?.apiVersion);

export const adoptions: readonly Story[] = [
  {
    file: 'from-apps-v1-and-back',
    title: 'From apps/v1 and back',
    summary:
      'A StatefulSet of Kubernetes runs three pods with a claim each. A commit changes its apiVersion, and a person deletes it with --cascade=orphan. The runtime adopts its revision and its pods; no container is restarted, though Kubernetes filled in another pull policy than OpenKruise. A commit back works in the same way: pods, claims and revision are released, and still name each other. Then the pods are adopted once more, and the next image needs a plan, as always.',
    files: { [MANIFEST]: manifest(NATIVE) },
    async play(stage, expect) {
      makeClass(stage.world);
      await stage.sync();
      await playController(stage);
      const before = await untouched(stage);
      const revisionAt = { namespace: 'shop', name: REVISION };
      const revision = await stage.user.get(resources.ControllerRevision, revisionAt);

      await stage.commit('the StatefulSet of OpenKruise', { [MANIFEST]: manifest(OURS) });
      await orphan(stage, NATIVE);
      expect(controllers(await stage.pods())).toEqual([undefined, undefined, undefined]);
      await settled(stage);
      expect(controllers(await stage.pods())).toEqual([OURS, OURS, OURS]);
      expect(await untouched(stage)).toEqual(before);
      expect((await stage.target())['status']).toMatchObject({
        replicas: 3,
        availableReplicas: 3,
        updatedReplicas: 3,
        currentRevision: REVISION,
        updateRevision: REVISION,
      });

      await stage.commit('the StatefulSet of Kubernetes', { [MANIFEST]: manifest(NATIVE) });
      await orphan(stage, OURS);
      await settled(stage);
      expect(controllers(await stage.pods())).toEqual([undefined, undefined, undefined]);
      expect(await untouched(stage)).toEqual(before);
      const released = await stage.user.get(resources.ControllerRevision, revisionAt);
      expect(released['data']).toEqual(revision['data']);
      expect(controllerOf(released)).toBeUndefined();

      await stage.commit('the StatefulSet of OpenKruise again', { [MANIFEST]: manifest(OURS) });
      await orphan(stage, NATIVE);
      await settled(stage);
      expect(await untouched(stage)).toEqual(before);
      await stage.commit('nginx 1.27', { [MANIFEST]: manifest(OURS, NEW) });
      await stage.sync();
      await stage.until('Succeeded');
      expect(await images(stage)).toEqual({ [NEW]: 3 });
    },
  },
];
