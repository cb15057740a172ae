import type { Resource } from '../schemas/wire/cluster.ts';
import { resources } from '../schemas/wire/resources.ts';
import type { Kind } from '../semantics/kinds/kind.ts';
import type { Use } from '../semantics/kinds/need.ts';

/** One verb on one resource, as a role grants it. */
export interface Right {
  verb: string;
  resource: Resource;
  subresource?: string;
  /** Where; undefined: in every namespace, or of what has none. */
  namespace?: string;
  /** Of this one object only. */
  name?: string;
}

type Wanted = readonly [resource: Resource, subresource: string | undefined, verbs: readonly string[]];

const { RolloutPlan, RolloutCommand, ClusterRolloutPlan, ClusterRolloutCommand } = resources;
const { Pod, ControllerRevision, Event, Namespace, Lease, Node, PersistentVolumeClaim } = resources;

const SEEN = ['list', 'watch'];
const OWNED = ['get', 'list', 'watch', 'create', 'patch', 'delete'];

const plansAndCommands = (plan: Resource, command: Resource): Wanted[] => [
  [plan, undefined, SEEN],
  [plan, 'status', ['patch']],
  [command, undefined, [...SEEN, 'delete']],
  [command, 'status', ['patch']],
];
const PLANS = plansAndCommands(RolloutPlan, RolloutCommand);
const CLUSTER_PLANS = plansAndCommands(ClusterRolloutPlan, ClusterRolloutCommand);
const MEMORY: readonly Wanted[] = [[ControllerRevision, undefined, OWNED]];
/** Without these everything goes on, and less is told. */
const WELCOME: readonly Wanted[] = [[Event, undefined, ['get', 'create', 'patch']]];
/** Without these no target whose pods have claims is looked after. */
const FOR_CLAIMS: readonly Wanted[] = [[PersistentVolumeClaim, undefined, OWNED]];
const FOR_NODES: readonly Wanted[] = [[Node, undefined, SEEN]];

/** Where the runtime works: in one namespace or in all, with the Lease that decides who leads. */
export interface RuntimeScope {
  namespace: string | undefined;
  lease: { namespace: string; name: string } | undefined;
}

/** The kinds that can be looked after there: a target without a namespace is in none. */
export function kindsWithin(kinds: readonly Kind[], { namespace }: RuntimeScope): Kind[] {
  return kinds.filter(({ resource }) => namespace === undefined || resource.namespaced);
}

/** What the runtime cannot do without, of whatever kind its targets are. */
export function commonRights(where: RuntimeScope): Right[] {
  return neededRights([], where);
}

/** What it cannot do without to look after targets of these kinds, with what it needs in any case. */
export function neededRights(kinds: readonly Kind[], { namespace, lease }: RuntimeScope): Right[] {
  const own: Right[] =
    namespace === undefined
      ? SEEN.map((verb) => ({ verb, resource: Namespace }))
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
  const targets = kinds.flatMap(({ resource }): Wanted[] => [
    [resource, undefined, SEEN],
    [resource, 'status', ['patch']],
  ]);
  const clusterPlans = kinds.some(({ resource }) => !resource.namespaced) ? CLUSTER_PLANS : [];
  const units = kinds.flatMap(({ uses }) => uses.flatMap(neededFor));
  const sole = kinds.flatMap(({ uses }) => uses.flatMap(soleObject));
  return distinct([
    ...each([...targets, ...PLANS, ...clusterPlans, ...units, ...MEMORY], namespace),
    ...sole,
    ...own,
    ...leading,
  ]);
}

/** What a kind cannot be looked after without. What it does less well without is asked for elsewhere. */
function neededFor(use: Use): Wanted[] {
  switch (use.of) {
    case 'OwnedPods':
      return [
        [Pod, undefined, OWNED],
        [Pod, 'status', ['patch']],
      ];
    case 'SelectedPods':
      return [
        [Pod, undefined, [...SEEN, 'patch']],
        [Pod, 'status', ['patch']],
      ];
    case 'Claims':
      return [];
    case 'Nodes':
      return use.why === 'Placement' ? [...FOR_NODES] : [];
    case 'Children':
      return [[use.resource, undefined, OWNED]];
    case 'Config':
      return use.object === undefined ? [[use.resource, undefined, SEEN]] : [];
  }
}

/** The one object that all targets of a kind name: nothing else of its resource is seen. */
function soleObject(use: Use): Right[] {
  if (use.of !== 'Config' || use.object === undefined) return [];
  const { namespace, name } = use.object;
  const { resource } = use;
  return SEEN.map((verb) => ({ verb, resource, name, ...(namespace !== '' && { namespace }) }));
}

/** What it uses where it may. */
export function optionalRights({ namespace }: RuntimeScope): Right[] {
  return each(WELCOME, namespace);
}

/** What it needs for targets that have claims; none where no kind has any. */
export function claimRights(kinds: readonly Kind[], { namespace }: RuntimeScope): Right[] {
  return kinds.some(({ uses }) => uses.some(({ of }) => of === 'Claims')) ? each(FOR_CLAIMS, namespace) : [];
}

/** What it needs for the check `nodes`, and where pods are spread over more than nodes; nodes are in no namespace. */
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

/** Of rights that several kinds need, one each. */
function distinct(rights: readonly Right[]): Right[] {
  const known = new Map(rights.map((right) => [textOf(right), right]));
  return [...known.values()];
}

/** Equal for equal rights. */
export function textOf({ verb, resource, subresource, namespace, name }: Right): string {
  return JSON.stringify([verb, resource.group, resource.plural, subresource, namespace, name]);
}
