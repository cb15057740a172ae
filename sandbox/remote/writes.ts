import type { Cluster, ObjectKey, Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { ComponentWrites } from '../controllers/context.ts';
import type { Node } from '../kinds/node.ts';
import type { Pod } from '../../schemas/pods/pod.ts';
import { mergePatch } from '../patch/merge.ts';
import type { Store } from '../store/store.ts';
import type { EventSender } from './eventSender.ts';
import type { NodeMirror } from './nodeMirror.ts';
import type { Outbox } from './outbox.ts';
import type { PodMirror } from './podMirror.ts';

export interface RemoteWrites {
  cluster: Cluster;
  store: Store;
  outbox: Outbox;
  pods: PodMirror;
  nodes: NodeMirror;
  events: EventSender;
}

type Address = Pick<Resource, 'group' | 'plural'>;

/**
 * The writes of kubelets and the scheduler for a remote server: each is applied locally at once and remotely as
 * soon as possible. Supports only the writes that these components make.
 */
export function createRemoteWrites({
  cluster,
  store,
  outbox,
  pods,
  nodes,
  events,
}: RemoteWrites): ComponentWrites {
  function unknown(verb: string, { plural }: Address): never {
    throw new Error(`no component does this to another server: ${verb} ${plural}`);
  }

  function locationOf({ metadata }: KubeObject): { namespace: string; name: string } {
    return { namespace: metadata.namespace ?? '', name: metadata.name };
  }

  function patchClaim(at: ObjectKey, body: JsonObject): KubeObject {
    const claims = resources.PersistentVolumeClaim;
    const claim = store.read(claims.plural, at.namespace ?? '', at.name);
    const key = `claim ${at.namespace}/${at.name}`;
    outbox.enqueue(key, async () => {
      await cluster.patch(claims, at, { type: 'merge', body }, { fieldManager: 'kube-scheduler' });
    });
    return claim ?? { apiVersion: 'v1', kind: claims.kind, metadata: { name: at.name } };
  }

  return {
    create(user, resource, body, options) {
      const object = body as KubeObject;
      if (resource.plural === 'events') return events.create(object);
      if (resource.plural === 'leases') return nodes.renew(user, object);
      if (options?.subresource !== 'binding') return unknown('create', resource);
      return pods.bind(locationOf(object), (object['target'] as { name: string }).name);
    },
    replace(user, resource, body) {
      if (resource.plural === 'pods') return pods.writeStatus(user, body as Pod);
      if (resource.plural === 'nodes') return nodes.writeStatus(user, body as Node);
      return unknown('replace', resource);
    },
    patch(user, resource, at, patch) {
      if (patch.type !== 'merge') return unknown(patch.type, resource);
      if (resource.plural === 'events') return events.count(at, patch.body);
      if (resource.plural === 'persistentvolumeclaims') return patchClaim(at, patch.body);
      const lease = store.read('leases.coordination.k8s.io', at.namespace ?? '', at.name);
      if (resource.plural !== 'leases' || lease === undefined) return unknown('patch', resource);
      return nodes.renew(user, mergePatch(lease, patch.body) as KubeObject);
    },
    delete(_user, resource, _at, options) {
      if (resource.plural !== 'pods') return unknown('delete', resource);
      pods.release(options?.uid ?? '');
      return undefined;
    },
  };
}
