import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { pod, type Stage } from '../world.ts';

const core = (plural: string, kind: string) => ({ group: '', version: 'v1', plural, kind, namespaced: true });

export const quotas = core('resourcequotas', 'ResourceQuota');
export const limitRanges = core('limitranges', 'LimitRange');
export const claims = core('persistentvolumeclaims', 'PersistentVolumeClaim');
export const secrets = core('secrets', 'Secret');
export const services = core('services', 'Service');

export function object(kind: string, name: string, fields: object): KubeObject {
  return { apiVersion: 'v1', kind, metadata: { name, namespace: 'default' }, ...fields };
}

/** A pod with one container of these resources. */
export function sized(name: string, list: object | undefined, spec: object = {}): KubeObject {
  const container = { name: 'c', image: 'a', ...(list === undefined ? {} : { resources: list }) };
  return pod(name, 'a', { containers: [container], ...spec });
}

export const limited = (cpu: string, memory = '64Mi') => ({ limits: { cpu, memory } });

export function claim(name: string, storage: string, storageClassName = 'none'): KubeObject {
  const spec = { storageClassName, accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } };
  return object('PersistentVolumeClaim', name, { spec });
}

/** Creates a quota and waits for its status. */
export async function withQuota({ alice, clock }: Stage, name: string, spec: object): Promise<void> {
  await alice.create(quotas, object('ResourceQuota', name, { spec }));
  await clock.advance(100);
}

export async function usedOf({ alice }: Stage, name = 'q'): Promise<unknown> {
  const quota = await alice.get(quotas, { namespace: 'default', name });
  return (quota['status'] as { used?: unknown }).used;
}

export function resize({ alice }: Stage, name: string, list: object): Promise<KubeObject> {
  const body = { spec: { containers: [{ name: 'c', resources: list }] } } as never;
  return alice.patch(
    resources.Pod,
    { namespace: 'default', name },
    { type: 'strategic', body },
    { subresource: 'resize' },
  );
}
