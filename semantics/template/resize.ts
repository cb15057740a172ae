import type { JsonObject } from '../../schemas/wire/json.ts';
import { listOf, objectOf, textOf } from '../values/read.ts';
import { type AmountList, AMOUNTS, amountOf, isSameAmount, qosClassOf, RESIZABLE } from './amounts.ts';
import type { ResizableName, Resources } from './amounts.ts';
import type { UpdateRules } from './update-policy.ts';

/** The cpu and memory that running containers are given. */
export interface Resize {
  /** What changes, by container name. */
  resources: Record<string, Resources>;
  /** The containers that it restarts: their resizePolicy asks for that, for a resource that changes. */
  restarts: string[];
}

/**
 * Why no resource of running containers may change from one template to the other; undefined: nothing prevents it
 * (OpenKruise inplace-update, rule 6.1). Kubernetes refuses to resize where the QoS class would change, where resources are
 * set for the whole pod, and on Windows.
 */
export function resizeObstacle(
  from: JsonObject,
  to: JsonObject,
  { resizes }: Pick<UpdateRules, 'resizes'>,
): string | undefined {
  if (!resizes) return 'resources of a running pod are not resized: the pod is recreated';
  const [before, after] = [qosClassOf(from), qosClassOf(to)];
  if (before !== after) return `the QoS class changes from ${before} to ${after}, and a running pod keeps it`;
  const spec = objectOf(to['spec']);
  if (spec['resources'] !== undefined) return 'containers of a pod with resources of its own are not resized';
  if (objectOf(spec['os'])['name'] === 'windows') return 'containers on Windows are not resized';
  return undefined;
}

/**
 * Why one limit or request of a container cannot change while it runs; undefined: it can. An amount that is added or removed
 * makes a new pod.
 *
 * @param from both containers, of canonical templates
 */
export function amountObstacle(
  from: JsonObject,
  to: JsonObject,
  list: string,
  name: string,
): string | undefined {
  if (!isOneOf(AMOUNTS, list) || !isOneOf(RESIZABLE, name))
    return 'of the resources of a running container, only cpu and memory can be changed';
  const [before, after] = [amountOf(from, list, name), amountOf(to, list, name)];
  const what = list === 'limits' ? 'limit' : 'request';
  if (before === undefined || after === undefined)
    return `a ${what} cannot be ${before === undefined ? 'added to' : 'removed from'} a running container`;
  return undefined;
}

/**
 * The resize from one template to another, which `resizeObstacle` and `amountObstacle` allow; undefined: no cpu or memory
 * changes. A request that follows its limit is part of it.
 */
export function resizeOf(from: JsonObject, to: JsonObject): Resize | undefined {
  const before = new Map(containersOf(from).map((each) => [each['name'], each]));
  const resources: Record<string, Resources> = {};
  const restarts: string[] = [];
  for (const container of containersOf(to)) {
    const name = textOf(container['name']);
    const changed = changedAmounts(before.get(name) ?? {}, container);
    if (changed.length === 0) continue;
    const own: Resources = {};
    for (const { list, resource, amount } of changed) own[list] = { ...own[list], [resource]: amount };
    resources[name] = own;
    if (changed.some(({ resource }) => restartsFor(container, resource))) restarts.push(name);
  }
  return Object.keys(resources).length === 0 ? undefined : { resources, restarts: restarts.sort() };
}

function changedAmounts(
  from: JsonObject,
  to: JsonObject,
): { list: AmountList; resource: ResizableName; amount: string }[] {
  return AMOUNTS.flatMap((list) =>
    RESIZABLE.flatMap((resource) => {
      const amount = amountOf(to, list, resource);
      const isSame = isSameAmount(amountOf(from, list, resource), amount);
      return amount === undefined || isSame ? [] : [{ list, resource, amount }];
    }),
  );
}

/** Whether the kubelet restarts a container to change this resource (its `resizePolicy`). */
export function restartsFor(container: Readonly<Record<string, unknown>>, name: ResizableName): boolean {
  return listOf(container['resizePolicy']).some(
    ({ resourceName, restartPolicy }) => resourceName === name && restartPolicy === 'RestartContainer',
  );
}

function containersOf(template: JsonObject): JsonObject[] {
  return listOf(objectOf(template['spec'])['containers']);
}

function isOneOf<Name extends string>(names: readonly Name[], name: string): name is Name {
  return (names as readonly string[]).includes(name);
}
