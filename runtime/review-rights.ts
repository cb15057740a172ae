import { ApiError, type Cluster } from '../schemas/wire/cluster.ts';
import type { KubeObject } from '../schemas/wire/object.ts';
import { resources } from '../schemas/wire/resources.ts';
import { listed } from '../semantics/values/listed.ts';
import type { Right } from './rights.ts';

/** The review of rights: those that are not granted, and those that the server could not decide, with its reason. */
export interface Answer {
  lacking: Right[];
  unclear: { rights: Right[]; why: string } | undefined;
}

/**
 * Asks the server which rights are granted (SelfSubjectAccessReview, which writes nothing). If the server does not support
 * reviews, all count as granted: a later refusal is reported then.
 */
export async function reviewRights(cluster: Cluster, rights: readonly Right[]): Promise<Answer> {
  try {
    const results = await Promise.all(rights.map(async (right) => review(cluster, right)));
    const [why] = results.filter((result) => typeof result === 'string');
    return {
      lacking: rights.filter((_, index) => results[index] === false),
      unclear:
        why === undefined
          ? undefined
          : { rights: rights.filter((_, index) => typeof results[index] === 'string'), why },
    };
  } catch (error) {
    if (error instanceof ApiError && error.status.code < 500 && error.status.code !== 401)
      return { lacking: [], unclear: undefined };
    throw error;
  }
}

/** Whether a right is granted; a text: why the server could not decide. */
async function review(cluster: Cluster, right: Right): Promise<boolean | string> {
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
  const request = { apiVersion: `${group}/${version}`, kind, metadata: {}, spec: { resourceAttributes } };
  const answer = await cluster.create(resources.SelfSubjectAccessReview, request as unknown as KubeObject);
  const { allowed, evaluationError } = (answer['status'] ?? {}) as {
    allowed?: boolean;
    evaluationError?: string;
  };
  if (allowed === false && evaluationError) return evaluationError;
  return allowed !== false;
}

/** Rights as text: `get and patch pods; patch pods/status`. */
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
