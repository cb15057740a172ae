import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { controllerOf } from '../../semantics/owner.ts';
import { type Call, callText, intercepting, isWrite } from 'kruise-sandbox';

/** Each write names the object that it was decided on: what changed since, or has its name, is not written to (I09). */
export function naming(cluster: Cluster, errors: unknown[]): Cluster {
  return intercepting(cluster, {
    async request(call, send) {
      const missing = missingPrecondition(call);
      if (missing !== undefined) errors.push(new Error(`${callText(call)} does not name the ${missing}`));
      return send();
    },
    watch: (_call, open, sink) => open(sink),
  });
}

/**
 * The cluster of a runtime that is alone, and lives: it never makes what it has made, nor writes to a record of its own as
 * that was before. Either shows that it decided before its caches had shown what it wrote, and for a name that is not taken
 * there would be one unit too many.
 */
export function alone(cluster: Cluster, errors: unknown[]): Cluster {
  return intercepting(cluster, {
    async request(call, send) {
      try {
        return await send();
      } catch (error) {
        if (isOfItsOwn(call, error) && !(await isOrphan(cluster, call)))
          errors.push(new Error(`${callText(call)} repeats: ${String(error)}`));
        throw error;
      }
    },
    watch: (_call, open, sink) => open(sink),
  });
}

function isOfItsOwn({ verb, resource }: Call, error: unknown): boolean {
  if (!(error instanceof ApiError) || error.status.code !== 409) return false;
  // The name of an Event follows from what it says.
  return (verb === 'create' && resource.kind !== 'Event') || resource.kind === 'ControllerRevision';
}

/** What a target left without controller, as its deletion with `--cascade=orphan` does, is not of the runtime any more. */
async function isOrphan(cluster: Cluster, { verb, resource, sends }: Call): Promise<boolean> {
  if (verb !== 'create') return false;
  const { namespace = '', name } = (sends as KubeObject).metadata;
  return controllerOf(await cluster.get(resource, { namespace, name })) === undefined;
}

function missingPrecondition(call: Call): 'uid' | 'version' | undefined {
  if (!isWrite(call) || call.verb === 'create' || call.resource.kind === 'Event') return undefined;
  const sends = (call.sends ?? {}) as { uid?: unknown; resourceVersion?: unknown; metadata?: object };
  const { uid, resourceVersion }: typeof sends = call.verb === 'delete' ? sends : (sends.metadata ?? {});
  if (typeof uid !== 'string' || uid === '') return 'uid';
  if (typeof resourceVersion === 'string' && resourceVersion !== '') return undefined;
  return opensGate(call) || answersCommand(call) ? undefined : 'version';
}

/** The spec of a command never changes. */
function answersCommand({ resource: { kind }, subresource }: Call): boolean {
  return ['RolloutCommand', 'ClusterRolloutCommand'].includes(kind) && subresource === 'status';
}

/** The gates of a new pod are opened whatever scheduler and kubelet wrote meanwhile. */
function opensGate({ resource, subresource, sends }: Call): boolean {
  if (resource.kind !== 'Pod' || subresource !== 'status') return false;
  const { status, metadata } = sends as { status: { conditions: { status: string }[] }; metadata: object };
  return (
    Object.keys(metadata).join() === 'uid' &&
    Object.keys(status).join() === 'conditions' &&
    status.conditions.every((condition) => condition.status === 'True')
  );
}
