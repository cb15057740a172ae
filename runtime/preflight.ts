import type { Cluster, Resource } from '../schemas/wire/cluster.ts';
import { resources } from '../schemas/wire/resources.ts';
import type { Kind } from '../semantics/kinds/kind.ts';
import { kinds as registered } from '../semantics/kinds/registry.ts';
import type { Connection } from './api/connection.ts';
import { reviewRights, rightsText } from './review-rights.ts';
import { definitionProblem, isServed, missing, orMissing } from './definitions.ts';
import { isForbidden, notAllowed, type Problem, problemOf, waiting } from './problem.ts';
import {
  claimRights,
  commonRights,
  kindsWithin,
  neededRights,
  nodeRights,
  type Right,
  textOf,
  optionalRights,
  type RuntimeScope,
} from './rights.ts';
import { nodesForbiddenText } from './nodes-forbidden.ts';

/** A kind that is not looked after here, and why. */
export interface DisabledKind {
  kind: Kind;
  problem: Problem;
}

/** What a look at a server found. */
export interface Preflight {
  /** Undefined: nothing is in the way. */
  problem: Problem | undefined;
  /** The kinds that can be looked after; none where something is in the way. */
  kinds: readonly Kind[];
  /** The others: one that lacks its definition or its rights keeps no other from being looked after. */
  disabled: readonly DisabledKind[];
}

/**
 * Looks whether a server has what the runtime needs: it answers, the definitions are there and as new as this program,
 * everything that is to be done may be done, and what is watched can be listed. Writes nothing.
 *
 * @param where the namespace: the only one that is looked after, if it is one; the Lease: whose decides who leads, if one does
 * @param tell hears of what is missing and not in the way
 */
export async function preflight(
  cluster: Cluster,
  where: RuntimeScope & { connection: Connection },
  tell: (text: string) => void = () => {},
): Promise<Preflight> {
  try {
    const found = await look(cluster, where, tell);
    if (found.problem === undefined) {
      const within = kindsWithin(registered, where);
      for (const { id } of registered.filter((kind) => !within.includes(kind)))
        tell(
          `every ${id.kind} is left alone: it is in no namespace, and only namespace ${where.namespace ?? ''} is looked after; run one without --namespace for it`,
        );
      for (const { kind, problem } of found.disabled)
        tell(`every ${kind.id.kind} is left alone: ${problem.problem}; ${problem.help}`);
    }
    return found;
  } catch (error) {
    return blocked(problemOf(error, where.connection, where.namespace));
  }
}

function blocked(problem: Problem, disabled: readonly DisabledKind[] = []): Preflight {
  return { problem, kinds: [], disabled };
}

async function look(
  cluster: Cluster,
  where: RuntimeScope & { connection: Connection },
  tell: (text: string) => void,
): Promise<Preflight> {
  const { namespace, lease, connection } = where;
  if (namespace !== undefined) {
    const self = cluster.get(resources.Namespace, { name: namespace });
    // Whoever may not see it learns with everything else what it may not.
    const known = await orMissing(self).catch((error: unknown) => {
      if (!isForbidden(error)) throw error;
      return 'hidden';
    });
    if (known === undefined)
      return blocked(waiting(`there is no namespace ${namespace}`, 'create it, or name another one'));
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
      tell(`the server could not find out whether it may ${rightsText(unclear.rights)}: ${unclear.why}`);
    return lacking;
  };
  const lacking = await lackingOf(neededRights(defined.kinds, where));
  const place = namespace === undefined ? 'in the cluster' : `in namespace ${namespace}`;
  const refused = (rights: readonly Right[]): Problem =>
    notAllowed(`${connection.user} may not do all it has to ${place}: ${rightsText(rights)}`, namespace);
  if (among(commonRights(where), lacking).length > 0) return blocked(refused(lacking));
  const permitted = await sorted(defined.kinds, async (kind) => {
    const own = among(neededRights([kind], where), lacking);
    return own.length === 0 ? undefined : refused(own);
  });
  if (permitted.kinds.length === 0)
    return blocked(refused(lacking), [...defined.disabled, ...permitted.disabled]);

  const silent = await lackingOf(optionalRights(where));
  if (silent.length > 0) tell(`fewer Events are written: it may not ${rightsText(silent)}`);
  const claims = await lackingOf(claimRights(permitted.kinds, where));
  if (claims.length > 0)
    for (const { id } of permitted.kinds.filter(({ uses }) => uses.some(({ of }) => of === 'Claims')))
      tell(`${id.kind}s with claim templates are left alone: it may not ${rightsText(claims)}`);

  const served = await sorted(permitted.kinds, async (kind) =>
    firstOf([...definedFor(kind), ...neededBy(kind)], (resource) => unserved(cluster, resource, where)),
  );
  const { RolloutPlan, RolloutCommand, Pod, ControllerRevision, Namespace } = resources;
  const unservedAll = noKind(served);
  if (unservedAll !== undefined) return unservedAll;
  const asked = neededRights(served.kinds, where);
  for (const resource of [RolloutPlan, RolloutCommand, Pod, ControllerRevision, Namespace]) {
    const isWatched = asked.some((right) => right.resource === resource);
    if (isWatched && !(await isServed(cluster, resource))) return blocked(missing(resource));
  }
  const nodes = await lackingOf(nodeRights());
  const unseen = nodes.length === 0 ? undefined : await nodesForbiddenText(cluster, served.kinds);
  if (unseen !== undefined) tell(`${unseen}: it may not ${rightsText(nodes)}`);
  if (lease !== undefined) await orMissing(cluster.get(resources.Lease, lease));
  return {
    problem: undefined,
    kinds: served.kinds,
    disabled: [...defined.disabled, ...permitted.disabled, ...served.disabled],
  };
}

type Sorted = Pick<Preflight, 'kinds' | 'disabled'>;

/** The kinds that nothing is in the way of, and the others with what is. */
async function sorted(
  kinds: readonly Kind[],
  obstacleTo: (kind: Kind) => Promise<Problem | undefined>,
): Promise<Sorted> {
  const found = { kinds: [] as Kind[], disabled: [] as DisabledKind[] };
  for (const kind of kinds) {
    const problem = await obstacleTo(kind);
    if (problem === undefined) found.kinds.push(kind);
    else found.disabled.push({ kind, problem });
  }
  return found;
}

/** What has to be defined for the sake of a kind. */
function definedFor({ resource }: Kind): Resource[] {
  return resource.namespaced
    ? [resource]
    : [resource, resources.ClusterRolloutPlan, resources.ClusterRolloutCommand];
}

/** What its targets own or name, whatever it is; of a single object the rest may be hidden, and it need not be there. */
function neededBy({ uses }: Kind): Resource[] {
  return uses.flatMap((use) =>
    use.of === 'Children' || (use.of === 'Config' && use.object === undefined) ? [use.resource] : [],
  );
}

/** The definition may be hidden, and the server answer no question about rights. */
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
