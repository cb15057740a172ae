import type { Resource } from '../schemas/wire/cluster.ts';
import { resources } from '../schemas/wire/resources.ts';
import type { Kind } from '../semantics/kinds/kind.ts';
import type { Component, Use } from '../semantics/kinds/need.ts';
import { COUNTED, PARENTS } from '../semantics/protection/contents.ts';

/** One verb on one resource, as a role grants it. */
export interface Right {
  verb: string;
  resource: Resource;
  subresource?: string;
  /** Undefined: all namespaces, or a cluster-scoped resource. */
  namespace?: string;
  /** Only for the object of this name. */
  name?: string;
}

type Wanted = readonly [resource: Resource, subresource: string | undefined, verbs: readonly string[]];

const { RolloutPlan, RolloutCommand, ClusterRolloutPlan, ClusterRolloutCommand } = resources;
const { Pod, ConfigMap, ControllerRevision, Event, Namespace, Lease, Node, PersistentVolumeClaim } =
  resources;
const { PodDisruptionBudget } = resources;

const WATCHED = ['list', 'watch'];
const OWNED = ['get', 'list', 'watch', 'create', 'patch', 'delete'];

const plansAndCommands = (plan: Resource, command: Resource): Wanted[] => [
  [plan, undefined, WATCHED],
  [plan, 'status', ['patch']],
  [command, undefined, [...WATCHED, 'delete']],
  [command, 'status', ['patch']],
];
const PLANS = plansAndCommands(RolloutPlan, RolloutCommand);
const CLUSTER_PLANS = plansAndCommands(ClusterRolloutPlan, ClusterRolloutCommand);
const MEMORY: readonly Wanted[] = [[ControllerRevision, undefined, OWNED]];
/** Without these the runtime works, with fewer Events. */
const OPTIONAL: readonly Wanted[] = [[Event, undefined, ['get', 'create', 'patch']]];
/** Without these no target whose pods have claims is managed. */
const FOR_CLAIMS: readonly Wanted[] = [[PersistentVolumeClaim, undefined, OWNED]];
/** Without this no running container is resized. */
const FOR_RESIZE: readonly Wanted[] = [[Pod, 'resize', ['patch']]];
/** Without these no pod is created whose containers start in an order. */
const FOR_LAUNCH: readonly Wanted[] = [[ConfigMap, undefined, ['get', 'create', 'update']]];
/** Without these no signal is sent to a container. A web socket is opened by a GET, for which servers ask for either verb. */
const FOR_SIGNALS: readonly Wanted[] = [[Pod, 'exec', ['get', 'create']]];
const FOR_NODES: readonly Wanted[] = [[Node, undefined, WATCHED]];

/** The scope of the runtime: one namespace or all, and the Lease of its election. */
export interface RuntimeScope {
  namespace: string | undefined;
  lease: { namespace: string; name: string } | undefined;
}

/** The kinds that can be managed in this scope: cluster-scoped ones only without a namespace. */
export function kindsWithin(kinds: readonly Kind[], { namespace }: RuntimeScope): Kind[] {
  return kinds.filter(({ resource }) => namespace === undefined || resource.namespaced);
}

/** The rights that the runtime requires for targets of any kind. */
export function commonRights(where: RuntimeScope): Right[] {
  return neededRights([], where);
}

/** The rights that the runtime requires to manage targets of these kinds, common ones included. */
export function neededRights(kinds: readonly Kind[], { namespace, lease }: RuntimeScope): Right[] {
  const own: Right[] =
    namespace === undefined
      ? WATCHED.map((verb) => ({ verb, resource: Namespace }))
      : [{ verb: 'get', resource: Namespace, namespace, name: namespace }];
  const { name, ...where } = lease ?? { name: undefined };
  const leading: Right[] =
    name === undefined
      ? []
      : [
          { verb: 'get', resource: Lease, ...where, name },
          { verb: 'update', resource: Lease, ...where, name },
          { verb: 'create', resource: Lease, ...where },
        ];
  const targets = kinds.flatMap(({ resource, uses, expires }): Wanted[] => [
    [
      resource,
      undefined,
      [
        // Before it adopts, the target is read once more.
        ...(uses.some(({ of }) => of === 'Orphans') ? ['get'] : []),
        ...WATCHED,
        ...(uses.some(({ of }) => of === 'Itself') ? ['patch'] : []),
        ...(expires === true ? ['delete'] : []),
      ],
    ],
    [resource, 'status', ['patch']],
  ]);
  const clusterPlans = kinds.some(({ resource }) => !resource.namespaced) ? CLUSTER_PLANS : [];
  const units = kinds.flatMap(({ uses }) => uses.flatMap(neededFor));
  const sole = kinds.flatMap(({ uses }) => uses.flatMap(soleObject));
  // A runtime for one namespace has them by an additional role only; without them, targets of the kind are held.
  const wide = namespace === undefined ? clusterWideRights(kinds) : [];
  return distinct([
    ...each([...targets, ...PLANS, ...clusterPlans, ...units, ...MEMORY], namespace),
    ...wide,
    ...sole,
    ...own,
    ...leading,
  ]);
}

/** The rights that a kind requires. Optional ones are in other functions. */
function neededFor(use: Use): Wanted[] {
  switch (use.of) {
    case 'OwnedPods':
      return [
        [Pod, undefined, OWNED],
        [Pod, 'status', ['patch']],
      ];
    case 'SelectedPods':
      if (use.areRead === true) return [[Pod, undefined, WATCHED]];
      return [
        [Pod, undefined, [...WATCHED, 'patch']],
        [Pod, 'status', ['patch']],
      ];
    case 'Disruption':
    case 'Guards':
      return [[PodDisruptionBudget, undefined, WATCHED]];
    // That is a right to the kind.
    case 'Itself':
    // Pods are adopted with the rights to those that the target owns. Runs are read with the rights to records.
    case 'Orphans':
    case 'Claims':
    case 'Runs':
    // One that is managed is watched with the rights to its kind.
    case 'Creator':
    // Every runtime watches them.
    case 'Namespaces':
    // These are cluster-wide.
    case 'Nodes':
    case 'PodsOnNodes':
      return [];
    case 'Children':
      return use.component === undefined ? childrenRights(use) : [];
    case 'Config':
      return use.object === undefined ? [[use.resource, undefined, WATCHED]] : [];
  }
}

/** What is copied is never read by its name: an object in the way is found by a list, with the right to watch. */
function childrenRights({ resource, areFixed, copies }: Extract<Use, { of: 'Children' }>): Wanted[] {
  const unused = [...(areFixed === true ? ['patch'] : []), ...(copies === undefined ? [] : ['get'])];
  return [[resource, undefined, OWNED.filter((verb) => !unused.includes(verb))]];
}

/** The rights that a component adds; none if no kind uses it. What needs them is off without them, and nothing else. */
export function componentRights(component: Component, kinds: readonly Kind[], where: RuntimeScope): Right[] {
  const uses = kinds.flatMap((kind) => kind.uses);
  const wanted = uses.flatMap((use) =>
    use.of === 'Children' && use.component === component ? childrenRights(use) : [],
  );
  // Another kind may watch such objects in every installation.
  const usual = new Set(neededRights(kinds, where).map(textOf));
  const children = each(wanted, where.namespace).filter((right) => !usual.has(textOf(right)));
  // A Role for one namespace has the rights to its ConfigMaps: it reads no others.
  const launch = component === 'launch-everywhere' ? launchRights(kinds, where) : [];
  const protection = component === 'cascading-protection' ? protectionRights(where) : [];
  const signals = component === 'container-exec' ? signalRights(kinds, where) : [];
  return distinct([...children, ...launch, ...protection, ...signals]);
}

/** The rights to send signals to containers; none if no kind restarts containers. */
function signalRights(kinds: readonly Kind[], { namespace }: RuntimeScope): Right[] {
  const isUsed = kinds.some(({ uses }) =>
    uses.some((use) => use.of === 'SelectedPods' && use.mark?.of === 'spellings'),
  );
  return isUsed ? each(FOR_SIGNALS, namespace) : [];
}

/**
 * The rights to note what protected Namespaces and definitions have in them; none in one namespace. Which custom resources may be
 * listed the administrator says.
 */
export function protectionRights({ namespace }: RuntimeScope): Right[] {
  if (namespace !== undefined) return [];
  const noted = PARENTS.map(({ resource }): Wanted => [resource, undefined, ['get', ...WATCHED, 'patch']]);
  const counted = COUNTED.map((resource): Wanted => [resource, undefined, WATCHED]);
  return distinct(each([...noted, ...counted], undefined));
}

/** The rights that a kind requires in the whole cluster, whatever namespace is managed. */
function clusterWideFor(use: Use): Wanted[] {
  if (use.of === 'PodsOnNodes') return [[Pod, undefined, WATCHED]];
  return use.of === 'Nodes' && use.why === 'Placement' ? [...FOR_NODES] : [];
}

/** The rights to the one object that all targets of a kind name, and to no other object of its resource. */
function soleObject(use: Use): Right[] {
  if (use.of !== 'Config' || use.object === undefined) return [];
  const { namespace, name } = use.object;
  const { resource } = use;
  return WATCHED.map((verb) => ({ verb, resource, name, ...(namespace !== '' && { namespace }) }));
}

/** The rights that are used if they are granted. */
export function optionalRights({ namespace }: RuntimeScope): Right[] {
  return each(OPTIONAL, namespace);
}

/** The rights for targets with claims; none if no kind has claims. */
export function claimRights(kinds: readonly Kind[], { namespace }: RuntimeScope): Right[] {
  return kinds.some(({ uses }) => uses.some(({ of }) => of === 'Claims')) ? each(FOR_CLAIMS, namespace) : [];
}

/** The rights to resize running containers; none if no kind does so. */
export function resizeRights(kinds: readonly Kind[], { namespace }: RuntimeScope): Right[] {
  const isUsed = kinds.some(({ uses }) =>
    uses.some((use) => use.of === 'OwnedPods' && use.areResized === true),
  );
  return isUsed ? each(FOR_RESIZE, namespace) : [];
}

/** The rights for pods whose containers start in an order; none if no kind has pods of its own. */
export function launchRights(kinds: readonly Kind[], { namespace }: RuntimeScope): Right[] {
  const hasPods = kinds.some(({ uses }) => uses.some(({ of }) => of === 'OwnedPods'));
  return hasPods ? each(FOR_LAUNCH, namespace) : [];
}

/** The rights that these kinds require in the whole cluster. */
export function clusterWideRights(kinds: readonly Kind[]): Right[] {
  return distinct(
    each(
      kinds.flatMap(({ uses }) => uses.flatMap(clusterWideFor)),
      undefined,
    ),
  );
}

/** The rights for the check `nodes`, and for pods spread over zones. */
export function nodeRights(): Right[] {
  return each(FOR_NODES, undefined);
}

function each(wanted: readonly Wanted[], within: string | undefined): Right[] {
  return wanted.flatMap(([resource, subresource, verbs]) => {
    const namespace = resource.namespaced ? within : undefined;
    return verbs.map((verb) => ({
      verb,
      resource,
      ...(subresource !== undefined && { subresource }),
      ...(namespace !== undefined && { namespace }),
    }));
  });
}

/** Rights without duplicates. */
function distinct(rights: readonly Right[]): Right[] {
  const known = new Map(rights.map((right) => [textOf(right), right]));
  return [...known.values()];
}

/** Equal for equal rights. */
export function textOf({ verb, resource, subresource, namespace, name }: Right): string {
  return JSON.stringify([verb, resource.group, resource.plural, subresource, namespace, name]);
}
