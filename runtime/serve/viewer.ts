import { createHash } from 'node:crypto';
import type { Clock } from '../../schemas/wire/clock.ts';
import type { Cluster, Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { isObject } from '../../semantics/values/json-shape.ts';

/** Who asks for a page, as the server knows them. */
interface User {
  name: string;
  /** Username, groups, uid and extra, as a review of access takes them. */
  spec: Readonly<Record<string, unknown>>;
}

/** Somebody whose token the server has accepted. */
export interface Viewer {
  /** Those of the namespaces in which they may list rollout plans; '': the plans of the cluster. */
  mayList(namespaces: readonly string[]): Promise<Allowed>;
}

export interface Allowed {
  allowed: ReadonlySet<string>;
  /** Whether the server was not asked about some of the namespaces. */
  isCut: boolean;
}

export interface ViewersOptions {
  cluster: Cluster;
  clock: Clock;
}

/** How long an answer of the server counts, milliseconds: longer than it takes until a page loads itself anew. */
const COUNTS_MS = 60_000;
/** The most namespaces about which the server is asked one by one. */
const MOST_NAMESPACES = 200;
/** All namespaces, and not the cluster itself. */
const EVERYWHERE = '*';
/** The most tokens that are remembered. */
const MOST_TOKENS = 100;
/** The most reviews that are asked at a time. */
const AT_ONCE = 10;

interface Known {
  at: number;
  user: Promise<User | undefined>;
  mayList: Map<string, Promise<boolean>>;
}

/**
 * Who a bearer token is, and what they may list, as the API server says (TokenReview and SubjectAccessReview, which write nothing).
 * Returns undefined for a token that it does not accept. An answer counts for a minute, so that a flood asks it little.
 */
export function createViewers({
  cluster,
  clock,
}: ViewersOptions): (token: string) => Promise<Viewer | undefined> {
  const known = new Map<string, Known>();

  function entryOf(token: string): Known {
    const key = createHash('sha256').update(token).digest('hex');
    const now = clock.monotonic();
    for (const [each, { at }] of known) if (now - at >= COUNTS_MS) known.delete(each);
    const found = known.get(key);
    if (found !== undefined) return found;
    const [oldest] = known.keys();
    if (known.size >= MOST_TOKENS && oldest !== undefined) known.delete(oldest);
    const entry: Known = { at: now, user: userOf(cluster, token), mayList: new Map() };
    known.set(key, entry);
    // An error is not an answer.
    entry.user.catch(() => known.delete(key));
    return entry;
  }

  return async (token) => {
    const { user: found, mayList } = entryOf(token);
    const user = await found;
    if (user === undefined) return undefined;
    const review = (namespace: string): Promise<boolean> => {
      const before = mayList.get(namespace);
      if (before !== undefined) return before;
      const answer = isAllowed(cluster, user, namespace);
      mayList.set(namespace, answer);
      answer.catch(() => mayList.delete(namespace));
      return answer;
    };
    return {
      async mayList(namespaces) {
        const isEverywhere = namespaces.length > 1 && (await review(EVERYWHERE));
        const allowed = new Set<string>(isEverywhere ? namespaces.filter((each) => each !== '') : []);
        const open = namespaces.filter((each) => !allowed.has(each));
        const asked = open.slice(0, MOST_NAMESPACES);
        for (let from = 0; from < asked.length; from += AT_ONCE) {
          const part = asked.slice(from, from + AT_ONCE);
          const answers = await Promise.all(part.map(review));
          for (const [index, each] of part.entries()) if (answers[index] === true) allowed.add(each);
        }
        return { allowed, isCut: asked.length < open.length };
      },
    };
  };
}

async function userOf(cluster: Cluster, token: string): Promise<User | undefined> {
  const status = await ask(cluster, resources.TokenReview, { token });
  const user = status['user'];
  if (status['authenticated'] !== true || !isObject(user)) return undefined;
  const { username, groups, uid, extra } = user;
  if (typeof username !== 'string' || username === '') return undefined;
  return { name: username, spec: { user: username, groups, uid, extra } };
}

async function isAllowed(cluster: Cluster, { spec }: User, namespace: string): Promise<boolean> {
  const { group, version, plural } = namespace === '' ? resources.ClusterRolloutPlan : resources.RolloutPlan;
  const resourceAttributes = {
    verb: 'list',
    group,
    version,
    resource: plural,
    ...(namespace !== '' && namespace !== EVERYWHERE && { namespace }),
  };
  const status = await ask(cluster, resources.SubjectAccessReview, { ...spec, resourceAttributes });
  return status['allowed'] === true && status['denied'] !== true;
}

/** The status of a review. */
async function ask(cluster: Cluster, resource: Resource, spec: object): Promise<Record<string, unknown>> {
  const { group, version, kind } = resource;
  const question = { apiVersion: `${group}/${version}`, kind, metadata: {}, spec };
  const answer: unknown = (await cluster.create(resource, question as unknown as KubeObject))['status'];
  return isObject(answer) ? answer : {};
}
