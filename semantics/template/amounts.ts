import type { JsonObject } from '../../schemas/wire/json.ts';
import { parseQuantity } from '../values/quantity.ts';
import { listOf, objectOf } from '../values/read.ts';

/** The resources that Kubernetes can change in a running container. */
export const RESIZABLE = ['cpu', 'memory'] as const;
export type ResizableName = (typeof RESIZABLE)[number];

/** The lists of a container's resources. */
export const AMOUNTS = ['limits', 'requests'] as const;
export type AmountList = (typeof AMOUNTS)[number];

/** Cpu and memory of a container, as written. */
export type Resources = Partial<Record<AmountList, Partial<Record<ResizableName, string>>>>;

/** A limit or request that applies to a container, as written: without a request, Kubernetes uses the limit. */
export function amountOf(container: unknown, list: AmountList, name: ResizableName): string | undefined {
  const resources = objectOf(objectOf(container)['resources']);
  const value = objectOf(resources[list])[name];
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  return list === 'requests' ? amountOf(container, 'limits', name) : undefined;
}

/** Whether two amounts are equal, however they are written. */
export function isSameAmount(a: string | undefined, b: string | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a === b || parseQuantity(a)?.nanos === parseQuantity(b)?.nanos;
}

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

/** The QoS class of the pods of a template, from cpu and memory of all its containers. */
export function qosClassOf(template: JsonObject): QosClass {
  const spec = objectOf(template['spec']);
  const all = [...listOf(spec['initContainers']), ...listOf(spec['containers'])];
  const isSet = (container: JsonObject, list: AmountList, name: ResizableName): boolean => {
    const nanos = parseQuantity(amountOf(container, list, name) ?? '')?.nanos ?? 0n;
    return nanos !== 0n;
  };
  const isGuaranteed = all.every((container) =>
    RESIZABLE.every(
      (name) =>
        isSet(container, 'limits', name) &&
        isSameAmount(amountOf(container, 'limits', name), amountOf(container, 'requests', name)),
    ),
  );
  if (isGuaranteed) return 'Guaranteed';
  const isAny = all.some((container) =>
    RESIZABLE.some((name) => AMOUNTS.some((list) => isSet(container, list, name))),
  );
  return isAny ? 'Burstable' : 'BestEffort';
}
