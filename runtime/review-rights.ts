import { ApiError, type Cluster } from '../schemas/wire/cluster.ts';
import type { KubeObject } from '../schemas/wire/object.ts';
import { resources } from '../schemas/wire/resources.ts';
import { listed } from '../semantics/values/listed.ts';
import type { Right } from './rights.ts';

/** What a server says of rights: those that it would refuse, and those of which it could not find out, with its reason. */
export interface Answer {
  lacking: Right[];
  unclear: { rights: Right[]; why: string } | undefined;
}

/**
 * Asks the server what it would refuse (SelfSubjectAccessReview, which writes nothing). A server that does not answer such
 * questions refuses nothing here: what it refuses later is told then.
 */
export async function reviewRights(cluster: Cluster, rights: readonly Right[]): Promise<Answer> {
  try {
    const said = await Promise.all(rights.map(async (right) => verdictOn(cluster, right)));
    const [why] = said.filter((verdict) => typeof verdict === 'string');
    return {
      lacking: rights.filter((_, index) => said[index] === false),
      unclear:
        why === undefined
          ? undefined
          : { rights: rights.filter((_, index) => typeof said[index] === 'string'), why },
    };
  } catch (error) {
    if (error instanceof ApiError && error.status.code < 500 && error.status.code !== 401)
      return { lacking: [], unclear: undefined };
    throw error;
  }
}

/** Whether it is allowed; a text: why that could not be found out, which is no yes and no no. */
async function verdictOn(cluster: Cluster, right: Right): Promise<boolean | string> {
  const { group, version, kind } = resources.SelfSubjectAccessReview;
  const { verb, resource, subresource, namespace, name } = right;
  const resourceAttributes = {
    verb,
    group: resource.group,
    version: resource.version,
    resource: resource.plural,
    ...(subresource !== undefined && { subresource }),
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
  };
  const question = { apiVersion: `${group}/${version}`, kind, metadata: {}, spec: { resourceAttributes } };
  const answer = await cluster.create(resources.SelfSubjectAccessReview, question as unknown as KubeObject);
  const { allowed, evaluationError } = (answer['status'] ?? {}) as {
    allowed?: boolean;
    evaluationError?: string;
  };
  if (allowed === false && evaluationError) return evaluationError;
  return allowed !== false;
}

/** In words: `get and patch pods; patch pods/status`. */
export function rightsText(rights: readonly Right[]): string {
  const verbs = new Map<string, string[]>();
  for (const { verb, resource, subresource, name } of rights) {
    const group = resource.group === '' || !resource.group.includes('.') ? '' : `.${resource.group}`;
    const about = [`${resource.plural}${group}`, subresource, name].filter((part) => part !== undefined);
    const key = about.join('/');
    verbs.set(key, [...(verbs.get(key) ?? []), verb]);
  }
  return [...verbs].map(([about, all]) => `${listed(all, 'and')} ${about}`).join('; ');
}
