import { crds } from '../schemas/generated/crds.ts';
import { ApiError, type Cluster, type Resource } from '../schemas/wire/cluster.ts';
import type { KubeObject } from '../schemas/wire/object.ts';
import { resources } from '../schemas/wire/resources.ts';
import { INSTALL_CRDS } from './api/explain.ts';
import { type Problem, waiting } from './problem.ts';

/** The resource of CustomResourceDefinitions. */
export const definitions: Resource = resources.CustomResourceDefinition;

/** `rolloutplans.plan.kruise.io`: the name of the definition of a resource. */
export function definitionName({ plural, group }: Resource): string {
  return `${plural}.${group}`;
}

/** The problem with the definition of a resource, if any: it does not exist, or is older than this program. */
export async function definitionProblem(cluster: Cluster, resource: Resource): Promise<Problem | undefined> {
  const name = definitionName(resource);
  let found: KubeObject | undefined;
  try {
    found = await orMissing(cluster.get(definitions, { name }));
  } catch (error) {
    // Without the right to get definitions, the lists show what is missing.
    if (error instanceof ApiError && error.status.code === 403) return undefined;
    throw error;
  }
  if (found === undefined) return missing(resource);
  const { conversion } = (found['spec'] ?? {}) as { conversion?: { strategy?: string } };
  if (conversion?.strategy === 'Webhook') {
    const patch = '[{"op":"replace","path":"/spec/conversion","value":{"strategy":"None"}}]';
    return waiting(
      `the definition of ${name} still uses the conversion webhook of OpenKruise`,
      `kubectl patch crd ${name} --type=json -p '${patch}'`,
    );
  }
  const wanted = crds.find(({ metadata }) => metadata.name === name);
  const lacks = wanted && lackOf(found, wanted);
  if (lacks === undefined) return undefined;
  return waiting(`the definition of ${name} is older than this program: it lacks ${lacks}`, INSTALL_CRDS);
}

/** Whether the server serves a resource. It is known to be an API server: any 404 means that it does not. */
export async function isServed(cluster: Cluster, resource: Resource): Promise<boolean> {
  try {
    await cluster.list(resource, { limit: 1 });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status.code === 404) return false;
    throw error;
  }
}

/** A name that no pod has: those of pods are in lower case. */
const NO_POD = 'No-Pod';

/**
 * Whether the server serves the subresource `pods/resize`, by a dry run about a pod that cannot exist: if it does, the answer
 * names that pod.
 */
export async function servesResize(cluster: Cluster, namespace = 'default'): Promise<boolean> {
  try {
    const patch = { type: 'merge', body: {} } as const;
    await cluster.patch(resources.Pod, { namespace, name: NO_POD }, patch, {
      subresource: 'resize',
      dryRun: true,
    });
    return true;
  } catch (error) {
    if (!(error instanceof ApiError) || ![403, 404, 405].includes(error.status.code)) throw error;
    return error.status.code === 404 && error.status.details?.name === NO_POD;
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

/** The first version or field that the found definition lacks: the server would drop such a field silently. */
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

/** The cluster has no such definition. */
export function missing(resource: Resource): Problem {
  return waiting(`the cluster does not know ${definitionName(resource)}`, INSTALL_CRDS);
}

/** The answer to a get; undefined: the object does not exist. */
export async function orMissing<Answer>(request: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await request;
  } catch (error) {
    // A server that is no API server answers 404 without details.
    if (error instanceof ApiError && error.status.code === 404 && error.status.details !== undefined)
      return undefined;
    throw error;
  }
}
