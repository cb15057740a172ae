import { crds } from '../schemas/generated/crds.ts';
import { ApiError, type Cluster, type Resource } from '../schemas/wire/cluster.ts';
import type { KubeObject } from '../schemas/wire/object.ts';
import { resources } from '../schemas/wire/resources.ts';
import { type Connection, CredentialsError } from './api/connection.ts';
import { explainFailure, INSTALL_CRDS, wantsHttps } from './api/explain.ts';
import { TransportError } from './api/transport-error.ts';
import {
  askForRights,
  claimRights,
  neededRights,
  nodeRights,
  type Right,
  sayRights,
  welcomeRights,
} from './rights.ts';
import { spreadUnseen } from './spread-unseen.ts';

/** Why the runtime cannot work there. `isFinal`: trying again does not help, somebody has to do something else first. */
export interface Obstacle {
  problem: string;
  help: string;
  isFinal: boolean;
}

const definitions: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};

/** What is listed and watched from the start. */
const needed = [
  resources.CloneSet,
  resources.RolloutPlan,
  resources.RolloutCommand,
  resources.Pod,
  resources.ControllerRevision,
  resources.Namespace,
] as const;

/**
 * Looks whether a server has what the runtime needs: it answers, the definitions are there and as new as this program,
 * everything that is to be done may be done, and what is watched can be listed. Undefined: nothing is in the way. Writes
 * nothing.
 *
 * @param namespace the only one that is looked after, if it is one
 * @param lease whose Lease decides who leads, if one does
 * @param tell hears of what is missing and not in the way
 */
export async function preflight(
  cluster: Cluster,
  where: {
    connection: Connection;
    namespace: string | undefined;
    lease: { namespace: string; name: string } | undefined;
  },
  tell: (text: string) => void = () => {},
): Promise<Obstacle | undefined> {
  try {
    if (where.namespace !== undefined) {
      const self = cluster.get(resources.Namespace, { name: where.namespace });
      // Whoever may not see it learns with everything else what it may not.
      const known = await orMissing(self).catch((error: unknown) => {
        if (!isForbidden(error)) throw error;
        return 'hidden';
      });
      if (known === undefined)
        return waiting(`there is no namespace ${where.namespace}`, 'create it, or name another one');
    }
    for (const definition of crds.filter(isNeeded)) {
      const obstacle = await definitionObstacle(cluster, definition);
      if (obstacle !== undefined) return obstacle;
    }
    const lackingOf = async (rights: readonly Right[]): Promise<Right[]> => {
      const { lacking, unclear } = await askForRights(cluster, rights);
      if (unclear !== undefined)
        tell(`the server could not find out whether it may ${sayRights(unclear.rights)}: ${unclear.why}`);
      return lacking;
    };
    const lacking = await lackingOf(neededRights(where));
    if (lacking.length > 0) {
      const { namespace } = where;
      const place = namespace === undefined ? 'in the cluster' : `in namespace ${namespace}`;
      const problem = `${where.connection.user} may not do all it has to ${place}: ${sayRights(lacking)}`;
      return { problem, help: roleFor(namespace), isFinal: true };
    }
    const silent = await lackingOf(welcomeRights(where));
    if (silent.length > 0) tell(`fewer Events are written: it may not ${sayRights(silent)}`);
    const claims = await lackingOf(claimRights(where));
    if (claims.length > 0)
      tell(`CloneSets with claim templates are left alone: it may not ${sayRights(claims)}`);
    for (const resource of needed) {
      if (!(await isServed(cluster, resource))) return missing(`${resource.plural}.${resource.group}`);
    }
    const nodes = await lackingOf(nodeRights());
    const unseen = nodes.length === 0 ? undefined : await spreadUnseen(cluster);
    if (unseen !== undefined) tell(`${unseen}: it may not ${sayRights(nodes)}`);
    const { lease } = where;
    if (lease !== undefined) await orMissing(cluster.get(resources.Lease, lease));
    return undefined;
  } catch (error) {
    return obstacleOf(error, where.connection, where.namespace);
  }
}

/** Definitions of kinds that nothing is done with may be missing. */
function isNeeded({ metadata }: KubeObject): boolean {
  return needed.some(({ group, plural }) => metadata.name === `${plural}.${group}`);
}

/** What a failure of a call means for the runtime: in words, and whether trying again helps. */
export function obstacleOf(error: unknown, connection: Connection, namespace?: string): Obstacle {
  const { problem, help } = explainFailure(error, connection);
  if (isForbidden(error)) {
    return { problem, help: roleFor(namespace), isFinal: true };
  }
  return { problem, help, isFinal: isFinal(error) };
}

function isForbidden(error: unknown): boolean {
  return error instanceof ApiError && error.status.code === 403;
}

function roleFor(namespace: string | undefined): string {
  return namespace === undefined
    ? 'give it the ClusterRole of deploy/, or let it look after one namespace with --namespace'
    : `give it the Role of deploy/ in namespace ${namespace}`;
}

function isFinal(error: unknown): boolean {
  if (error instanceof CredentialsError) return true;
  if (error instanceof TransportError) return error.kind === 'tls' || error.kind === 'garbled';
  if (!(error instanceof ApiError)) return false;
  const { code } = error.status;
  return wantsHttps(error) || code === 401 || code === 403 || code === 404;
}

async function definitionObstacle(cluster: Cluster, wanted: KubeObject): Promise<Obstacle | undefined> {
  const { name } = wanted.metadata;
  let found: KubeObject | undefined;
  try {
    found = await orMissing(cluster.get(definitions, { name }));
  } catch (error) {
    // Whoever may see no definitions learns from the lists what is missing.
    if (isForbidden(error)) return undefined;
    throw error;
  }
  if (found === undefined) return missing(name);
  const { conversion } = (found['spec'] ?? {}) as { conversion?: { strategy?: string } };
  if (conversion?.strategy === 'Webhook') {
    const patch = '[{"op":"replace","path":"/spec/conversion","value":{"strategy":"None"}}]';
    return waiting(
      `the definition of ${name} still has its objects converted by a webhook, OpenKruise's`,
      `kubectl patch crd ${name} --type=json -p '${patch}'`,
    );
  }
  const lacks = lackOf(found, wanted);
  if (lacks === undefined) return undefined;
  return waiting(`the definition of ${name} is older than this program: it lacks ${lacks}`, INSTALL_CRDS);
}

/** By now it is known to be an API server: whatever 404 it says, it does not serve this. */
async function isServed(cluster: Cluster, resource: Resource): Promise<boolean> {
  try {
    await cluster.list(resource, { limit: 1 });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status.code === 404) return false;
    throw error;
  }
}

interface Version {
  name: string;
  served?: boolean;
  schema?: { openAPIV3Schema?: Schema };
}

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
}

/** The first version or field that one definition has and the other lacks: what is not there would be dropped in silence. */
function lackOf(found: KubeObject, wanted: KubeObject): string | undefined {
  const served = versionsOf(found).filter((version) => version.served !== false);
  for (const version of versionsOf(wanted)) {
    const there = served.find(({ name }) => name === version.name);
    if (there === undefined) return `version ${version.name}`;
    const path = lackingPath(there.schema?.openAPIV3Schema, version.schema?.openAPIV3Schema, '');
    if (path !== undefined) return `the field ${path} in version ${version.name}`;
  }
  return undefined;
}

function versionsOf(definition: KubeObject): Version[] {
  return (definition['spec'] as { versions?: Version[] } | undefined)?.versions ?? [];
}

function lackingPath(
  found: Schema | undefined,
  wanted: Schema | undefined,
  path: string,
): string | undefined {
  for (const [name, schema] of Object.entries(wanted?.properties ?? {})) {
    const there = found?.properties !== undefined && Object.hasOwn(found.properties, name);
    const below = path === '' ? name : `${path}.${name}`;
    const lacking = there ? lackingPath(found.properties?.[name], schema, below) : below;
    if (lacking !== undefined) return lacking;
  }
  if (wanted?.items === undefined) return undefined;
  return lackingPath(found?.items, wanted.items, `${path}[]`);
}

function missing(name: string): Obstacle {
  return waiting(`the cluster does not know ${name}`, INSTALL_CRDS);
}

function waiting(problem: string, help: string): Obstacle {
  return { problem, help, isFinal: false };
}

async function orMissing<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked;
  } catch (error) {
    // What is no API server says 404 as well, in other words.
    if (error instanceof ApiError && error.status.code === 404 && error.status.details !== undefined)
      return undefined;
    throw error;
  }
}
