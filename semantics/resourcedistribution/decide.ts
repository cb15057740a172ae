import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import { heldCondition, timed } from '../conditions/times.ts';
import type { Action, Decision } from '../decision.ts';
import type { ObservedObjects, RefusedCopy } from '../kinds/kind.ts';
import { listOf, objectOf } from '../values/read.ts';
import {
  conditionsOf,
  type DistributionCondition,
  type Failure,
  FAILURES,
  reportedFailures,
} from './conditions.ts';
import { copyPatch, newCopy, type Wanted, wantedCopy } from './copies.ts';
import { isClosed, targetNamespaces } from './namespaces.ts';
import { normalizeDistribution } from './normalize.ts';
import { COPIED } from './resource.ts';

/** How often it is asked whether the object of another owner is still there that has the name of a copy. */
export const ASK_AGAIN_MS = 60_000;

/**
 * So many copies one decision writes: the next one follows at once, and thousands of copies that wait for their turn take as much memory
 * as those that are cached.
 */
export const MOST_WRITES = 100;

/** The status of a ResourceDistribution. */
export interface DistributionStatus {
  observedGeneration: number;
  desired: number;
  succeeded: number;
  failed: number;
  conditions: Condition[];
}

type Observed = Pick<
  ObservedObjects,
  | 'target'
  | 'children'
  | 'namespaces'
  | 'occupied'
  | 'refusedCopies'
  | 'deferredCopies'
  | 'hasFailed'
  | 'largeChildren'
  | 'now'
>;

/** Of each failure, the namespaces with their reasons. */
type Failed = Map<Failure, Map<string, string>>;

/** One decision in the making. */
interface Pass {
  observed: Observed;
  wanted: Wanted;
  copies: ReadonlyMap<string, KubeObject>;
  failed: Failed;
  /** Messages of the server by write and namespace. */
  refusals: ReadonlyMap<string, string>;
  /** What the status has reported before. */
  reported: ReadonlyMap<Failure, ReadonlyMap<string, string>>;
  actions: Action[];
  /** Copies are left to the next decisions. */
  isPart: boolean;
  /** When to ask again about objects of others, milliseconds since 1970. */
  asks: number[];
}

/**
 * Makes one copy for each namespace that is to have one, and deletes those in others (OpenKruise resourcedistribution, rules 6.4 and
 * 6.5). A namespace that is missing or being deleted, or that has an object of another owner in the way, holds no other one up.
 *
 * @param held why the target is held, for its condition
 */
export function decideDistribution(
  observed: Observed,
  held: { reason: string; message: string } | undefined,
): Decision<DistributionStatus> {
  const { target, children = [], namespaces = [], now } = observed;
  const { targets } = normalizeDistribution(target);
  const wanted = wantedCopy(target);
  const copies = new Map(
    children
      .filter(({ metadata }) => metadata.name === wanted.name)
      .map((copy) => [copy.metadata.namespace ?? '', copy]),
  );
  const pass: Pass = {
    ...{ observed, wanted, copies, failed: new Map(), actions: [], isPart: false, asks: [] },
    refusals: new Map(
      (observed.refusedCopies ?? []).map(({ what, namespace, message }) => [`${what} ${namespace}`, message]),
    ),
    reported: new Map(FAILURES.map((type) => [type, reportedFailures(target, type)])),
  };
  const all = targetNamespaces(targets, namespaces);
  let succeeded = 0;
  for (const { name, is } of all) {
    if (is === 'closed') fail(pass, 'CreateResourceFailed', name, `the runtime writes nothing in ${name}`);
    else if (is === 'gone') fail(pass, 'NamespaceNotExists', name, GONE);
    else if (distribute(pass, name)) succeeded += 1;
  }
  const kept = new Set(all.map(({ name }) => name));
  for (const { metadata } of namespaces)
    if (!kept.has(metadata.name) && metadata.deletionTimestamp === undefined && !isClosed(metadata.name))
      clean(pass, metadata.name);
  const failures = new Set([...pass.failed].flatMap(([, each]) => [...each.keys()]));
  const before = listOf(objectOf(target['status'])['conditions']) as unknown as Condition[];
  const conditions: DistributionCondition[] = conditionsOf(target, pass.failed, now);
  return {
    actions: pass.actions,
    explanations: [],
    status: {
      observedGeneration: target.metadata.generation ?? 0,
      desired: all.length,
      succeeded,
      failed: [...kept].filter((name) => failures.has(name)).length,
      conditions: [...conditions, ...timed([heldCondition(held)], before, now)],
    },
    ...(pass.asks.length > 0 && { requeueAt: Math.min(...pass.asks) }),
    ...(pass.isPart && { isPart: true }),
  };
}

/**
 * Whether a copy that is to be written is so by this decision. What fails does so again first: after that, each one is tried, so that it
 * holds no other one up.
 */
function hasRoom(pass: Pass): boolean {
  if (pass.actions.length < MOST_WRITES || pass.observed.hasFailed === true) return true;
  pass.isPart = true;
  return false;
}

const GONE = 'the namespace does not exist, or is being deleted';

/** Whether the copy in a namespace is as it should be. Otherwise makes it so, or says why not. */
function distribute(pass: Pass, namespace: string): boolean {
  const { wanted, copies, actions } = pass;
  const copy = copies.get(namespace);
  if (copy === undefined) {
    create(pass, namespace);
    return false;
  }
  // What is being deleted is made anew once it is gone.
  if (copy.metadata.deletionTimestamp !== undefined) return false;
  if (pass.observed.largeChildren?.has(copy) === true) {
    fail(pass, 'UpdateResourceFailed', namespace, TOO_LARGE);
    pass.asks.push(pass.observed.now + ASK_AGAIN_MS);
    return false;
  }
  const body = copyPatch(copy, wanted);
  if (body === undefined) return true;
  if (isDeferred(pass, 'UpdateResourceFailed', namespace)) return false;
  const reason = `it differs from the ${wanted.kind} of the ResourceDistribution`;
  if (hasRoom(pass))
    actions.push({
      do: 'patch',
      ...child(wanted, namespace),
      verb: 'update copy',
      name: wanted.name,
      body,
      reason,
    });
  refused(pass, 'patch', 'UpdateResourceFailed', namespace);
  return false;
}

const TOO_LARGE =
  'somebody has made the copy, or what else the runtime keeps of the namespace, too large to be compared: delete the copy';

function create(pass: Pass, namespace: string): void {
  const { observed, wanted, actions, reported } = pass;
  const { target, occupied = NONE, now } = observed;
  const seenAt = occupied.get(namespace);
  if (seenAt === undefined && isDeferred(pass, 'CreateResourceFailed', namespace)) return;
  if (seenAt !== undefined || reported.get('ConflictOccurred')?.has(namespace) === true)
    fail(pass, 'ConflictOccurred', namespace, conflictOf(wanted));
  else refused(pass, 'create', 'CreateResourceFailed', namespace);
  if (seenAt !== undefined && now < seenAt + ASK_AGAIN_MS) {
    pass.asks.push(seenAt + ASK_AGAIN_MS);
    return;
  }
  if (!hasRoom(pass)) return;
  actions.push({
    do: 'create',
    ...child(wanted, namespace),
    verb: 'create copy',
    object: newCopy(target, wanted, namespace),
    reason: `namespace ${namespace} is to have a copy`,
    ...(seenAt !== undefined && { asksFirst: true }),
  });
}

/** Whether the copy in a namespace is not written yet, because of what others do to it. Says so. */
function isDeferred(pass: Pass, type: Failure, namespace: string): boolean {
  const at = pass.observed.deferredCopies?.get(namespace);
  if (at === undefined) return false;
  fail(pass, type, namespace, FOUGHT);
  pass.asks.push(at);
  return true;
}

const FOUGHT =
  'somebody deletes or changes the copy each time, less than a minute after it is written: it is written again after a pause of up to five minutes';

/** Deletes the copy in a namespace that is to have none. */
function clean(pass: Pass, namespace: string): void {
  const { wanted, copies, actions } = pass;
  const copy = copies.get(namespace);
  if (copy === undefined || copy.metadata.deletionTimestamp !== undefined) return;
  const { name, uid = '', resourceVersion = '' } = copy.metadata;
  const reason = `namespace ${namespace} is to have no copy`;
  if (hasRoom(pass))
    actions.push({
      do: 'delete',
      ...child(wanted, namespace),
      ...{ verb: 'delete copy', name, uid, resourceVersion, reason },
    });
  refused(pass, 'delete', 'DeleteResourceFailed', namespace);
}

/** It follows a field: of a literal that begins with a spread, each of a thousand actions has a shape of its own in memory. */
function child({ kind }: Wanted, namespace: string) {
  return { kind: 'Child', resource: COPIED[kind], namespace, isCopy: true } as const;
}

const NONE: ReadonlyMap<string, number> = new Map();

function conflictOf({ kind, name }: Wanted): string {
  return `the ${kind} ${name} is there already, and is not controlled by this ResourceDistribution`;
}

/** Reports a write that is due and that the server refuses, or refused an earlier process. */
function refused(pass: Pass, what: RefusedCopy['what'], type: Failure, namespace: string): void {
  const { failed, refusals, reported } = pass;
  const reason = refusals.get(`${what} ${namespace}`) ?? reported.get(type)?.get(namespace);
  if (reason !== undefined) fail({ failed }, type, namespace, reason);
}

function fail({ failed }: Pick<Pass, 'failed'>, type: Failure, namespace: string, reason: string): void {
  failed.set(type, (failed.get(type) ?? new Map<string, string>()).set(namespace, reason));
}
