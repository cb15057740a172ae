import type { Clock } from '../../schemas/wire/clock.ts';
import { ApiError, type Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { projectClaim } from '../../semantics/claims/unit.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import {
  type Component,
  componentOf,
  copiesOf,
  type Need,
  needOf,
  needsOf,
  type Use,
} from '../../semantics/kinds/need.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import type { NodeLabels } from '../../semantics/pod/nodes.ts';
import { createAwaitedNames } from './awaited-names.ts';
import { claimLabel } from './claim-label.ts';
import { resourceId } from './ids.ts';
import { createIntern } from './intern.ts';
import { createNames, type Named } from './names.ts';
import { createReadyTimes, isSameNode, narrowNode, nodeLabelsOf } from './nodes.ts';
import { createNumbered } from './numbered.ts';
import type { OnDemand } from './on-demand.ts';
import type { Relations } from './relations.ts';
import { plain, type Retention } from './retention.ts';
import type { Sources } from './sources.ts';
import type { Enqueue } from './scheduler.ts';
import type { TargetKey } from './target-key.ts';

/** The objects; an error: the server refuses to list them; undefined: the first list is pending. */
export type Shown<Found> = Found | ApiError | undefined;

type Config = Extract<Need, { of: 'Config' }>;
type Claims = Extract<Need, { of: 'Claims' }>;

/**
 * Objects that only some targets need besides their pods and revisions: claims, children, named objects, nodes. Each
 * resource is watched from its first use on.
 */
export interface Needed {
  /** Sets the needs of a target. */
  need(key: TargetKey, needs: readonly Need[]): void;
  claimsOf(target: KubeObject, need: Claims): Shown<readonly KubeObject[]>;
  childrenOf(target: KubeObject, resource: Resource): Shown<readonly KubeObject[]>;
  named(need: Config): Shown<readonly KubeObject[]>;
  node(name: string): KubeObject | undefined;
  nodes(): Shown<readonly KubeObject[]>;
  readonly nodeLabels: NodeLabels;
  /** An object of an always watched resource has changed: another target may own or name it. */
  changed(resource: Resource, object: KubeObject, gone: boolean): void;
}

export interface NeededOptions {
  clock: Clock;
  sources: Sources;
  relations: Relations;
  retention: Pick<Retention, 'keep' | 'keepOwned'>;
  enqueue: Enqueue<TargetKey>;
  /** Enqueues all targets. */
  enqueueAll(): void;
  /** The kinds whose targets are watched. */
  watched(): readonly Kind[];
  /** Whether the rights of a component are missing: what it is for is not even tried. Default: they are there. */
  isOff?: ((component: Component) => boolean) | undefined;
}

export function createNeeded({
  clock,
  sources,
  relations,
  retention,
  enqueue,
  enqueueAll,
  watched,
  isOff = () => false,
}: NeededOptions): Needed {
  const names = createNames();
  /** Names that may be made up. */
  const hinted = createNames();
  const numbered = createNumbered();
  /** The ordinal of the list that contains all numbered claims. */
  let numberedShownBy = 0;
  /** Targets that place units on nodes. */
  const placed = new Set<TargetKey>();
  /** By `resourceId`. */
  const demands = new Map<string, OnDemand>();
  const awaited = createAwaitedNames();

  function onOwned(object: KubeObject, gone: boolean): void {
    for (const key of relations.part(object, gone).keys) enqueue(key);
  }

  const claims = sources.onDemand(
    resources.PersistentVolumeClaim,
    {
      // Numbered claims may have any labels.
      labelSelector: () => (numbered.isEmpty ? claimLabel() : undefined),
      transform: (object) =>
        numbered.isNeeded(object)
          ? retention.keep(projectClaim(object))
          : retention.keepOwned(object, projectClaim),
      onChange(object, gone) {
        onOwned(object, gone);
        for (const key of numbered.file(object, gone)) enqueue(key);
      },
    },
    enqueueAll,
  );

  const images = createIntern();
  const ofCopies = createIntern();
  const readyTimes = createReadyTimes(clock);
  const nodes = sources.onDemand(
    resources.Node,
    {
      transform: (object) => narrowNode(object, images, readyTimes.see(object)),
      onChange(object, gone, before) {
        if (gone) readyTimes.forget(object.metadata.name);
        if (!gone && before !== undefined && isSameNode(before, object)) return;
        for (const key of placed) enqueue(key);
      },
    },
    enqueueAll,
  );

  /** An object of a resource that some target may own or name. */
  function related(resource: Resource, object: KubeObject, gone: boolean): void {
    onOwned(object, gone);
    for (const key of names.keysOf(namedAs(resource, object))) enqueue(key);
  }

  function isNamed(resource: Resource, object: KubeObject): boolean {
    return [...names.keysOf(namedAs(resource, object))].length > 0;
  }

  /** What is cached of an object that a target owns. */
  function projectOf(resource: Resource): (object: KubeObject) => KubeObject {
    const copies = copiesOf(usesOf(), resource);
    return copies === undefined ? plain : (object) => copies.project(object, ofCopies);
  }

  /** A resource of which all objects are listed, and only those that a target owns or names are cached. */
  function demandOf(resource: Resource): OnDemand {
    const id = resourceId(resource);
    const known = demands.get(id);
    if (known !== undefined) return known;
    const demand = sources.onDemand(
      resource,
      {
        labelSelector: () => copiesOf(usesOf(), resource)?.label,
        transform: (object) =>
          isNamed(resource, object)
            ? retention.keep(object)
            : retention.keepOwned(object, projectOf(resource)),
        onChange: (object, gone) => related(resource, object, gone),
      },
      enqueueAll,
    );
    demands.set(id, demand);
    return demand;
  }

  /** An object that every target of some kind names: no other object of its resource is watched. */
  function soleDemandOf({ resource, namespace, name }: Config): OnDemand | undefined {
    const isSole = watched().some(({ uses }) =>
      uses.some(
        (use) =>
          use.of === 'Config' &&
          resourceId(use.resource) === resourceId(resource) &&
          use.object?.namespace === namespace &&
          use.object.name === name,
      ),
    );
    if (!isSole) return undefined;
    const id = JSON.stringify([resourceId(resource), namespace, name]);
    const known = demands.get(id);
    if (known !== undefined) return known;
    const demand = sources.onDemand(
      resource,
      {
        name,
        ...(namespace === '' ? {} : { namespace }),
        transform: retention.keep,
        onChange: (object, gone) => related(resource, object, gone),
      },
      enqueueAll,
    );
    demands.set(id, demand);
    return demand;
  }

  /** All objects of a resource, as far as hints read them; undefined: no hint is of it. */
  function hintDemandOf(resource: Resource): OnDemand | undefined {
    const id = resourceId(resource);
    const known = demands.get(`hints ${id}`);
    if (known !== undefined) return known;
    const hint = usesOf().find((use) => use.of === 'Config' && resourceId(use.resource) === id && use.hint);
    if (hint?.of !== 'Config' || hint.hint === undefined) return undefined;
    const demand = sources.onDemand(
      resource,
      {
        isNarrow: true,
        transform: hint.hint,
        onChange(object, gone, before) {
          if (gone || before === undefined || !isSameHint(before, object)) onHinted(resource, object);
        },
      },
      enqueueAll,
    );
    demands.set(`hints ${id}`, demand);
    return demand;
  }

  function onHinted(resource: Resource, object: KubeObject): void {
    for (const key of hinted.keysOf(namedAs(resource, object))) enqueue(key);
  }

  /** What targets of any kind may need. */
  function usesOf(): Use[] {
    return [...kinds, ...watched()].flatMap(({ uses }) => uses);
  }

  /** Whether targets of some kind own or name objects of this resource. */
  function isUsed(resource: Resource): boolean {
    const id = resourceId(resource);
    return usesOf().some((use) => 'resource' in use && resourceId(use.resource) === id);
  }

  /** Why children of a resource are not listed at all; undefined: they are. */
  function offOf(resource: Resource): ApiError | undefined {
    const component = componentOf(usesOf(), resource);
    if (component === undefined || !isOff(component)) return undefined;
    const message = `the rights to ${resource.plural} are in the component ${component}`;
    return new ApiError({ code: 403, reason: 'Forbidden', message });
  }

  /** The objects of a resource that is watched on demand. */
  function shown<Found>({ state }: OnDemand, found: () => Found): Shown<Found> {
    if (state === 'known') return found();
    return state === 'pending' ? undefined : state;
  }

  return {
    need(key, needs) {
      const configs = needsOf(needs, 'Config');
      hinted.target(
        key,
        configs.filter(({ isHint }) => isHint),
      );
      const fresh = names.target(
        key,
        configs.filter(({ isHint }) => !isHint),
      );
      for (const need of fresh) {
        if (sources.isAlways(need.resource) || soleDemandOf(need) !== undefined) continue;
        const { reflector } = demandOf(need.resource);
        // What is cached already is up to date: that an object is no longer named removes it with its next change.
        if (reflector === undefined || reflector.get(namespacedName(need)) !== undefined) continue;
        awaited.add(need, reflector.listAgain(), reflector.listed);
      }
      const isFresh = numbered.target(key, needOf(needs, 'Claims')?.numbered ?? []);
      if (isFresh && claims.reflector !== undefined) {
        // A list reports no claim that was cached before and has not changed: those of a target that is created anew.
        for (const claim of claims.reflector.values()) numbered.file(claim, false);
        numberedShownBy = claims.reflector.listAgain();
      }
      if (needOf(needs, 'Nodes')?.why === 'Placement') placed.add(key);
      else placed.delete(key);
    },
    claimsOf: (target, { numbered: prefixes = [] }) =>
      shown(claims, () => {
        const owned = relations.partsOf(target, resources.PersistentVolumeClaim);
        if (prefixes.length === 0) return owned;
        if (claims.started().listed < numberedShownBy) return undefined;
        const own = new Set(owned);
        const found = numbered.of(target.metadata.namespace ?? '', prefixes);
        return [...owned, ...found.filter((claim) => !own.has(claim))];
      }),
    childrenOf(target, resource) {
      const found = (): readonly KubeObject[] => relations.partsOf(target, resource);
      if (sources.isAlways(resource)) return found();
      return offOf(resource) ?? shown(demandOf(resource), found);
    },
    named(need) {
      const { resource } = need;
      const at = namespacedName(need);
      const always = sources.isAlways(resource) ? sources.of(resource) : undefined;
      // Whoever took what is not listed yet for what does not exist would let a budget go by no pods at all.
      if (always !== undefined) return sources.awaitsFirst(resource) ? undefined : listOf(always.get(at));
      const hints = need.isHint === true ? hintDemandOf(resource) : undefined;
      if (hints !== undefined) return shown(hints, () => listOf(hints.started().get(at)));
      const demand = soleDemandOf(need) ?? demandOf(resource);
      return shown(demand, () => {
        const { listed, get } = demand.started();
        const isWhole = demand === demands.get(resourceId(resource));
        return isWhole && awaited.has(need, listed) ? undefined : listOf(get(at));
      });
    },
    node: (name) => nodes.started().get(name),
    nodes: () => shown(nodes, () => [...nodes.started().values()]),
    nodeLabels: nodeLabelsOf(nodes, clock),
    changed(resource, object, gone) {
      if (isUsed(resource)) related(resource, object, gone);
      onHinted(resource, object);
    },
  };
}

function namedAs(resource: Resource, { metadata: { namespace = '', name } }: KubeObject): Named {
  return { resource, namespace, name };
}

/** Whether nothing has changed that hints read. */
function isSameHint(one: KubeObject, other: KubeObject): boolean {
  return textOf(one) === textOf(other);
}

function textOf({ metadata, ...object }: KubeObject): string {
  return JSON.stringify([{ ...metadata, resourceVersion: undefined }, object]);
}

/** As the caches have it: `keyOf` of the object. */
function namespacedName({ namespace, name }: Pick<Config, 'namespace' | 'name'>): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

function listOf(object: KubeObject | undefined): readonly KubeObject[] {
  return object === undefined ? [] : [object];
}
