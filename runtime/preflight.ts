import type { Cluster, Resource } from '../schemas/wire/cluster.ts';
import { resources } from '../schemas/wire/resources.ts';
import type { Kind } from '../semantics/kinds/kind.ts';
import type { Component } from '../semantics/kinds/need.ts';
import { kinds as registered } from '../semantics/registry/registry.ts';
import type { Connection } from './api/connection.ts';
import { offComponents, type OffComponent } from './components.ts';
import { reviewRights, rightsText } from './review-rights.ts';
import { definitionProblem, isServed, missing, orMissing, servesResize } from './definitions.ts';
import { isForbidden, notAllowed, type Problem, problemOf, waiting } from './problem.ts';
import {
  claimRights,
  clusterWideRights,
  commonRights,
  kindsWithin,
  neededRights,
  nodeRights,
  type Right,
  textOf,
  optionalRights,
  resizeRights,
  type RuntimeScope,
} from './rights.ts';
import { missingPolicies } from './pod-policies.ts';
import { nodesForbiddenText } from './nodes-forbidden.ts';

/** A kind that is not managed here, and why. */
export interface DisabledKind {
  kind: Kind;
  problem: Problem;
}

/** The result of the preflight. */
export interface Preflight {
  /** What prevents the runtime from working at all; undefined: nothing. */
  problem: Problem | undefined;
  /** The kinds that can be managed; none if there is a problem. */
  kinds: readonly Kind[];
  /** Kinds that lack their definition or rights: these do not prevent the others from being managed. */
  disabled: readonly DisabledKind[];
  /** Running containers can be resized: the server serves `pods/resize`, and the runtime may patch it. */
  canResize: boolean;
  /** The components whose rights are missing: what needs them is off, and nothing else. */
  off: readonly OffComponent[];
}

/**
 * Checks whether a server has what the runtime needs: it answers, the definitions exist and are as new as this program,
 * all rights are granted, and the watched resources are served. Writes nothing.
 *
 * @param where the only managed namespace, if there is one, and the Lease of the election, if there is one
 * @param warn receives what is missing without being a problem
 */
export async function preflight(
  cluster: Cluster,
  where: RuntimeScope & { connection: Connection },
  warn: (text: string) => void = () => {},
): Promise<Preflight> {
  try {
    const found = await check(cluster, where, warn);
    if (found.problem === undefined) {
      const within = kindsWithin(registered, where);
      for (const { id } of registered.filter((kind) => !within.includes(kind)))
        warn(
          `no ${id.kind} is managed: its kind is cluster-scoped, and this runtime manages only namespace ${where.namespace ?? ''}; run another one without --namespace`,
        );
      for (const { kind, problem } of found.disabled)
        warn(`no ${kind.id.kind} is managed: ${problem.problem}; ${problem.help}`);
    }
    return found;
  } catch (error) {
    return blocked(problemOf(error, where.connection, where.namespace));
  }
}

function blocked(problem: Problem, disabled: readonly DisabledKind[] = []): Preflight {
  return { problem, kinds: [], disabled, canResize: false, off: [] };
}

async function check(
  cluster: Cluster,
  where: RuntimeScope & { connection: Connection },
  warn: (text: string) => void,
): Promise<Preflight> {
  const { namespace, lease, connection } = where;
  if (namespace !== undefined) {
    const self = cluster.get(resources.Namespace, { name: namespace });
    // A missing right to get it is reported together with the other rights below.
    const known = await orMissing(self).catch((error: unknown) => {
      if (!isForbidden(error)) throw error;
      return 'hidden';
    });
    if (known === undefined)
      return blocked(waiting(`namespace ${namespace} does not exist`, 'create it, or name another one'));
  }
  const defined = await sorted(kindsWithin(registered, where), async (kind) =>
    firstOf(definedFor(kind), (resource) => definitionProblem(cluster, resource)),
  );
  const noKind = ({ kinds, disabled }: Sorted): Preflight | undefined => {
    const [first] = disabled;
    return kinds.length === 0 && first !== undefined ? blocked(first.problem, disabled) : undefined;
  };
  const undefinedAll = noKind(defined);
  if (undefinedAll !== undefined) return undefinedAll;
  for (const resource of [resources.RolloutCommand, resources.RolloutPlan]) {
    const problem = await definitionProblem(cluster, resource);
    if (problem !== undefined) return blocked(problem);
  }

  const lackingOf = async (rights: readonly Right[]): Promise<Right[]> => {
    const { lacking, unclear } = await reviewRights(cluster, rights);
    if (unclear !== undefined)
      warn(
        `the server could not decide whether the runtime may ${rightsText(unclear.rights)}: ${unclear.why}`,
      );
    return lacking;
  };
  const lacking = await lackingOf(neededRights(defined.kinds, where));
  const scope = namespace === undefined ? 'in the cluster' : `in namespace ${namespace}`;
  const refused = (rights: readonly Right[]): Problem =>
    notAllowed(
      `${connection.user} lacks rights that the runtime needs ${scope}: ${rightsText(rights)}`,
      namespace,
    );
  if (among(commonRights(where), lacking).length > 0) return blocked(refused(lacking));
  const permitted = await sorted(defined.kinds, async (kind) => {
    const own = among(neededRights([kind], where), lacking);
    return own.length === 0 ? undefined : refused(own);
  });
  if (permitted.kinds.length === 0)
    return blocked(refused(lacking), [...defined.disabled, ...permitted.disabled]);

  const optional = await lackingOf(optionalRights(where));
  if (optional.length > 0) warn(`some Events are not written: the runtime may not ${rightsText(optional)}`);
  const claims = await lackingOf(claimRights(permitted.kinds, where));
  if (claims.length > 0)
    for (const { id } of permitted.kinds.filter(({ uses }) => uses.some(({ of }) => of === 'Claims')))
      warn(`no ${id.kind} with claim templates is managed: the runtime may not ${rightsText(claims)}`);

  const off = await offComponents(where, lackingOf);
  const isOff = (component: Component): boolean => off.some((each) => each.component === component);

  if (namespace !== undefined)
    for (const kind of permitted.kinds) {
      const unseen = await lackingOf(clusterWideRights([kind]));
      if (unseen.length > 0)
        warn(
          `every ${kind.id.kind} is held: the runtime may not ${rightsText(unseen)} in the whole cluster; bind a ClusterRole with these rights to it`,
        );
    }

  const served = await sorted(permitted.kinds, async (kind) =>
    firstOf([...definedFor(kind), ...neededBy(kind, isOff)], (resource) =>
      unserved(cluster, resource, where),
    ),
  );
  const { RolloutPlan, RolloutCommand, Pod, ControllerRevision, Namespace } = resources;
  const unservedAll = noKind(served);
  if (unservedAll !== undefined) return unservedAll;
  const needed = neededRights(served.kinds, where);
  for (const resource of [RolloutPlan, RolloutCommand, Pod, ControllerRevision, Namespace]) {
    const isWatched = needed.some((right) => right.resource === resource);
    if (isWatched && !(await isServed(cluster, resource))) return blocked(missing(resource));
  }
  for (const text of await missingPolicies(cluster, served.kinds, namespace)) warn(text);
  const resize = resizeRights(served.kinds, where);
  const unresized =
    resize.length === 0 ? undefined : await lackOfResize(cluster, namespace, await lackingOf(resize));
  if (unresized !== undefined)
    warn(`no container is resized in place: ${unresized}; the runtime looks again every five minutes`);
  const nodes = await lackingOf(nodeRights());
  const ignored = nodes.length === 0 ? undefined : await nodesForbiddenText(cluster, served.kinds);
  if (ignored !== undefined) warn(`${ignored}: the runtime may not ${rightsText(nodes)}`);
  if (lease !== undefined) await orMissing(cluster.get(resources.Lease, lease));
  return {
    problem: undefined,
    kinds: served.kinds,
    disabled: [...defined.disabled, ...permitted.disabled, ...served.disabled],
    canResize: resize.length > 0 && unresized === undefined,
    off,
  };
}

/** Why no container can be resized in place; undefined: it can. */
async function lackOfResize(
  cluster: Cluster,
  namespace: string | undefined,
  lacking: readonly Right[],
): Promise<string | undefined> {
  if (lacking.length > 0) return `the runtime may not ${rightsText(lacking)}`;
  return (await servesResize(cluster, namespace))
    ? undefined
    : 'the server does not serve pods/resize, which Kubernetes has from 1.33 on';
}

type Sorted = Pick<Preflight, 'kinds' | 'disabled'>;

/** Separates the kinds without a problem from the others. */
async function sorted(
  kinds: readonly Kind[],
  problemFor: (kind: Kind) => Promise<Problem | undefined>,
): Promise<Sorted> {
  const found = { kinds: [] as Kind[], disabled: [] as DisabledKind[] };
  for (const kind of kinds) {
    const problem = await problemFor(kind);
    if (problem === undefined) found.kinds.push(kind);
    else found.disabled.push({ kind, problem });
  }
  return found;
}

/** The resources that must be defined to manage a kind. */
function definedFor({ resource }: Kind): Resource[] {
  return resource.namespaced
    ? [resource]
    : [resource, resources.ClusterRolloutPlan, resources.ClusterRolloutCommand];
}

/** The resources that its targets own or refer to. Those of missing components are excluded, and a single named object: it is optional. */
function neededBy({ uses }: Kind, isOff: (component: Component) => boolean): Resource[] {
  return uses.flatMap((use) => {
    if (use.of === 'Children')
      return use.component !== undefined && isOff(use.component) ? [] : [use.resource];
    return use.of === 'Config' && use.object === undefined ? [use.resource] : [];
  });
}

/** Checks by a list: the definition may be forbidden, and the server may not review rights. */
async function unserved(
  cluster: Cluster,
  resource: Resource,
  { connection, namespace }: RuntimeScope & { connection: Connection },
): Promise<Problem | undefined> {
  try {
    return (await isServed(cluster, resource)) ? undefined : missing(resource);
  } catch (error) {
    if (isForbidden(error)) return problemOf(error, connection, namespace);
    throw error;
  }
}

async function firstOf<Item, Found>(
  items: readonly Item[],
  find: (item: Item) => Promise<Found | undefined>,
): Promise<Found | undefined> {
  for (const item of items) {
    const found = await find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function among(wanted: readonly Right[], lacking: readonly Right[]): Right[] {
  const texts = new Set(wanted.map(textOf));
  return lacking.filter((right) => texts.has(textOf(right)));
}
