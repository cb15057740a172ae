import type { LabelSelector } from '../../schemas/pods/pod.ts';
import { fieldAt, sameValue } from '../../schemas/pods/fields.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import { attempt } from '../api/attempt.ts';
import type { ControllerContext } from '../controllers/context.ts';
import { createWorkQueue } from '../controllers/workQueue.ts';
import { selects } from '../kinds/selectors.ts';
import type { Commit } from '../store/history.ts';
import { Waiting } from '../webhooks/answers.ts';
import { controllerOf, createChildren } from './children.ts';
import { createWorkloadContext, type Controller, type WorkloadContext } from './context.ts';
import { createCronJobController } from './cronJob.ts';
import { createDaemonSetController } from './daemonSet.ts';
import { createDeploymentController } from './deployment.ts';
import { createJobController } from './job.ts';
import { createReplicaSetController } from './replicaSet.ts';
import { createRetries, defaultPauses } from './retries.ts';
import { createStatefulSetController } from './statefulSet.ts';

const factories: Readonly<Record<string, (context: WorkloadContext) => Controller>> = {
  'replicaset-controller': createReplicaSetController,
  'deployment-controller': createDeploymentController,
  'statefulset-controller': createStatefulSetController,
  'daemon-set-controller': createDaemonSetController,
  'job-controller': createJobController,
  'cronjob-controller': createCronJobController,
};

/** Starts the controllers of the built-in workload kinds. */
export function startWorkloads(context: ControllerContext): () => void {
  const { store, clock, timings } = context;
  const enqueue = createWorkQueue(clock);
  const owned = new Set<string>();
  const children = createChildren(store, owned);
  const controllers = new Map<string, Controller>();
  const retries = createRetries(clock);
  const refused = new Set<string>();
  for (const [name, create] of Object.entries(factories)) {
    const controller = create(
      createWorkloadContext(context, children, name, (object) => refused.add(object.metadata.uid ?? '')),
    );
    controllers.set(controller.resource.id, controller);
    for (const id of controller.owns) owned.add(id);
  }

  function work(controller: Controller, uid: string): void {
    refused.delete(uid);
    const object = store.byUid(uid);
    if (object === undefined) {
      retries.forget(uid);
      return;
    }
    const again = () => work(controller, uid);
    try {
      const at = controller.sync(object);
      if (at !== undefined) enqueue(`${uid} at ${at}`, Math.max(0, at - clock.now()), again);
    } catch (error) {
      if (error instanceof Waiting) {
        void error.answered.then(again);
        return;
      }
      if (!(error instanceof ApiError)) throw error;
      refused.add(uid);
    }
    if (refused.has(uid)) retries.again(uid, controller.pauses ?? defaultPauses, again);
    else retries.forget(uid);
  }

  function soon(controller: Controller, { metadata: { uid = '' } }: KubeObject): void {
    enqueue(uid, timings.collectMs, () => work(controller, uid));
  }

  function seeOwnerOf(child: KubeObject | undefined): void {
    const owner = store.byUid(controllerOf(child)?.uid ?? '');
    if (owner === undefined) return;
    for (const controller of controllers.values())
      if (store.read(controller.resource.id, owner.metadata.namespace ?? '', owner.metadata.name) === owner)
        soon(controller, owner);
  }

  /** A finalizer of a controller whose object is gone would keep its children for ever. */
  function seeStray(resource: string, { metadata: { uid = '', finalizers = [] } }: KubeObject): void {
    if (finalizers.length === 0) return;
    enqueue(`${uid} strayed`, timings.collectMs, () => {
      const child = store.byUid(uid);
      if (child === undefined || store.byUid(controllerOf(child)?.uid ?? '') !== undefined) return;
      for (const { owns, strayed } of controllers.values())
        if (owns.includes(resource)) attempt(() => strayed?.(child));
    });
  }

  /** An object without a controller can be adopted. */
  function seeOrphan(resource: string, { metadata }: KubeObject): void {
    for (const controller of controllers.values()) {
      if (!controller.owns.includes(resource)) continue;
      for (const owner of store.list(controller.resource.id, metadata.namespace ?? ''))
        if (selects(fieldAt(owner, ['spec', 'selector']) as LabelSelector | undefined, metadata.labels))
          soon(controller, owner);
    }
  }

  function seeNode({ type, object, previous }: Commit): void {
    const isSame =
      object['spec'] === previous?.['spec'] && sameValue(object.metadata.labels, previous?.metadata.labels);
    if (type === 'MODIFIED' && isSame) return;
    for (const controller of controllers.values())
      if (controller.followsNodes === true)
        for (const each of store.list(controller.resource.id)) soon(controller, each);
  }

  function see(commit: Commit): void {
    children.see(commit);
    const { type, resource, object, previous } = commit;
    const controller = controllers.get(resource);
    if (controller !== undefined && type !== 'DELETED') soon(controller, object);
    if (resource === 'nodes') seeNode(commit);
    if (!owned.has(resource)) return;
    seeOwnerOf(object);
    if (!sameValue(controllerOf(previous), controllerOf(object))) seeOwnerOf(previous);
    if (type === 'DELETED') return;
    const owner = controllerOf(object);
    if (owner === undefined) seeOrphan(resource, object);
    if (store.byUid(owner?.uid ?? '') === undefined) seeStray(resource, object);
  }

  return store.followAll(see);
}
