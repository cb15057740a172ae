import { ApiError, type Cluster, type Resource } from '../schemas/wire/cluster.ts';
import type { KubeObject } from '../schemas/wire/object.ts';
import { resources } from '../schemas/wire/resources.ts';

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

const { CloneSet, RolloutPlan, RolloutCommand, Pod, ControllerRevision, Event, Namespace, Lease } = resources;
const { Node, PersistentVolumeClaim } = resources;

/** Without one of these some roll-out stops half-way, or never begins. */
const NEEDED: readonly Wanted[] = [
  [CloneSet, undefined, ['list', 'watch']],
  [CloneSet, 'status', ['patch']],
  [RolloutPlan, undefined, ['list', 'watch']],
  [RolloutPlan, 'status', ['patch']],
  [RolloutCommand, undefined, ['list', 'watch', 'delete']],
  [RolloutCommand, 'status', ['patch']],
  [Pod, undefined, ['get', 'list', 'watch', 'create', 'patch', 'delete']],
  [Pod, 'status', ['patch']],
  [ControllerRevision, undefined, ['get', 'list', 'watch', 'create', 'patch', 'delete']],
];
/** Without these everything goes on, and less is told. */
const WELCOME: readonly Wanted[] = [[Event, undefined, ['get', 'create', 'patch']]];

/** Without these no target whose pods have claims is looked after. */
const FOR_CLAIMS: readonly Wanted[] = [
  [PersistentVolumeClaim, undefined, ['get', 'list', 'watch', 'create', 'patch', 'delete']],
];

/** Without these pods that are spread over zones are scaled in by node alone, and the check `nodes` has no answer. */
const FOR_NODES: readonly Wanted[] = [[Node, undefined, ['list', 'watch']]];

/** Where the runtime works: in one namespace or in all, with the Lease that decides who leads. */
export interface Workplace {
  namespace: string | undefined;
  lease: { namespace: string; name: string } | undefined;
}

/** What the runtime cannot do without. */
export function neededRights({ namespace, lease }: Workplace): Right[] {
  const own: Right[] =
    namespace === undefined
      ? ['list', 'watch'].map((verb) => ({ verb, resource: Namespace }))
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
  return [...each(NEEDED, namespace), ...own, ...leading];
}

/** What it uses where it may. */
export function welcomeRights({ namespace }: Workplace): Right[] {
  return each(WELCOME, namespace);
}

/** What it needs for CloneSets that have claim templates. */
export function claimRights({ namespace }: Workplace): Right[] {
  return each(FOR_CLAIMS, namespace);
}

/** What it needs where pods are spread over more than nodes; nodes are in no namespace. */
export function nodeRights(): Right[] {
  return each(FOR_NODES, undefined);
}

function each(wanted: readonly Wanted[], namespace: string | undefined): Right[] {
  return wanted.flatMap(([resource, subresource, verbs]) =>
    verbs.map((verb) => ({
      verb,
      resource,
      ...(subresource !== undefined && { subresource }),
      ...(namespace !== undefined && { namespace }),
    })),
  );
}

/** What a server says of rights: those that it would refuse, and those of which it could not find out, with its reason. */
export interface Answer {
  lacking: Right[];
  unclear: { rights: Right[]; why: string } | undefined;
}

/**
 * Asks the server what it would refuse (SelfSubjectAccessReview, which writes nothing). A server that does not answer such
 * questions refuses nothing here: what it refuses later is told then.
 */
export async function askForRights(cluster: Cluster, rights: readonly Right[]): Promise<Answer> {
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
export function sayRights(rights: readonly Right[]): string {
  const verbs = new Map<string, string[]>();
  for (const { verb, resource, subresource, name } of rights) {
    const group = resource.group === '' || !resource.group.includes('.') ? '' : `.${resource.group}`;
    const about = [`${resource.plural}${group}`, subresource, name].filter((part) => part !== undefined);
    const key = about.join('/');
    verbs.set(key, [...(verbs.get(key) ?? []), verb]);
  }
  return [...verbs]
    .map(([about, all]) => {
      const last = all.at(-1) ?? '';
      return `${all.length === 1 ? last : `${all.slice(0, -1).join(', ')} and ${last}`} ${about}`;
    })
    .join('; ');
}
