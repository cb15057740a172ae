import type { JsonObject } from '../../schemas/wire/json.ts';
import { type Revision, revisionOf, stableRevision } from '../revision/revision.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import { compareQuantities, parseQuantity } from '../values/quantity.ts';
import { listOf, objectOf, textOf } from '../values/read.ts';
import { remembered } from '../values/remembered.ts';
import type { InjectedRevision } from './injected-revision.ts';
import type { Sidecar } from './normalize.ts';
import { contentOf, type SidecarSetView } from './view.ts';

/** Volumes of these types keep no pod from a node. */
const ON_ANY_NODE = ['emptyDir', 'downwardAPI', 'configMap', 'secret', 'projected', 'hostPath'];

/**
 * Whether the live revision may be why no node has room for its pods: it adds containers, requests, ports or volumes to what pods had
 * before. Where it adds none, they have reasons of their own.
 */
export const mayNotFit = remembered((view: SidecarSetView): boolean => {
  const live = revisionOf(view, view.liveHash);
  const before = live && revisionBefore(view, live);
  const may =
    live !== undefined && before !== undefined && addsNeeds(contentOf(view, live), contentOf(view, before));
  return may;
});

/** The revision of the pods that a rollout moves: the stable one, or what a bound has retained where the live one is stable. */
function revisionBefore(view: SidecarSetView, live: Revision): Revision | undefined {
  const stable = stableRevision(view);
  return stable?.hash === live.hash ? revisionOf(view, stable.retained?.hash) : stable;
}

function addsNeeds(to: InjectedRevision, from: InjectedRevision): boolean {
  const volumes = new Set(from.volumes.map(canonicalJson));
  return (
    to.containers.some((each) => needsMore(each, from.containers)) ||
    to.initContainers.some((each) => needsMore(each, from.initContainers)) ||
    to.volumes.some(
      (each) => !ON_ANY_NODE.some((type) => each[type] !== undefined) && !volumes.has(canonicalJson(each)),
    )
  );
}

/** A container without requests needs more, too: a LimitRange may give it some. A hot pair is two containers. */
function needsMore(to: Sidecar, all: readonly Sidecar[]): boolean {
  const from = all.find(({ name }) => name === to.name);
  if (from === undefined || (from.emptyImage === undefined && to.emptyImage !== undefined)) return true;
  if (to.isNative && !from.isNative) return true;
  const ports = new Set(portsOf(from));
  return (
    portsOf(to).some((port) => !ports.has(port)) ||
    requestsMore(to.container, from.container) ||
    (to.resourcesPolicy !== undefined &&
      canonicalJson(to.resourcesPolicy) !== canonicalJson(from.resourcesPolicy ?? {}))
  );
}

/** In the network of the node each port is one of the node. */
function portsOf({ container }: Sidecar): string[] {
  return listOf(container['ports']).map(({ hostPort, containerPort, protocol, hostIP }) =>
    canonicalJson([hostPort ?? containerPort ?? 0, textOf(protocol) || 'TCP', textOf(hostIP)]),
  );
}

function requestsMore(to: JsonObject, from: JsonObject): boolean {
  const [wanted, had] = [requestsOf(to), requestsOf(from)];
  return Object.entries(wanted).some(([name, amount]) => {
    const [more, less] = [quantityOf(amount), quantityOf(had[name] ?? 0)];
    return more === undefined || less === undefined || compareQuantities(more, less) > 0;
  });
}

/** Without a request, Kubernetes uses the limit. */
function requestsOf(container: JsonObject): JsonObject {
  const { limits, requests } = objectOf(container['resources']);
  return { ...objectOf(limits), ...objectOf(requests) };
}

function quantityOf(amount: unknown): ReturnType<typeof parseQuantity> {
  return typeof amount === 'string' || typeof amount === 'number' ? parseQuantity(amount) : undefined;
}
