import type { Action } from '../../semantics/decision.ts';
import type { Advance } from '../../semantics/plan/advance.ts';
import { writeBatch } from '../../semantics/limits/write-batch.ts';
import { objectOf, textOf } from '../../semantics/values/read.ts';
import { statusRefused } from '../../semantics/plan/held-undecided.ts';
import type { Acted } from '../../semantics/reconcile/decided.ts';
import { attempt } from '../act/attempt.ts';
import { isRefusal } from '../act/conflict.ts';
import { sendEvents } from '../report/events.ts';
import { act } from './act.ts';
import { reportHeldOnly } from './publish.ts';
import type { ReconcileTools, Subject } from './tools.ts';

/** While a target has more to do than one reconcile executes, its status is written this often. */
const STATUS_MS = 1_000;
/** How soon a write is tried again that the server refused and that holds nothing else up. */
const ASIDE_RETRY_MS = 30_000;

/** What depends on whether a target changes under plans. */
export interface Execution {
  /** How many objects the decision is about. */
  objects: number;
  /** Undefined: the actions come from no rollout. */
  result: Advance | undefined;
  /** Writes that hold nothing else up where the server refuses them, each list by itself. */
  asides: readonly (readonly Action[])[];
  /** Called before the first write of units. */
  announce(): Promise<void>;
  /** Writes the statuses. Returns when to reconcile again, milliseconds since 1970; undefined: nothing is due. */
  publish(): Promise<number | undefined>;
  /** Called after the statuses were written, if no action was refused. Returns the same. */
  conclude(): Promise<number | undefined>;
}

/** Executes a decision, publishes its result, and enqueues the next reconcile. */
export async function carryOut(
  tools: ReconcileTools,
  subject: Subject,
  decided: Acted,
  execution: Execution,
): Promise<void> {
  const { cluster, clock, caches, contexts, enqueue } = tools;
  const { key, target, state } = subject;
  const { explanations } = decided;
  const { result } = execution;
  const { lastRefused } = state.refusals;
  const actions = writeBatch(asidesLast(decided.actions), execution.objects, lastRefused);
  // At once, before any other decision can be made.
  if (state.isStatusRefused) await publishOrHold(tools, subject, execution);
  tools.reservations.reserve(key, actions);
  caches.influences.await(key, decided.waitsFor, reservedIn(actions));
  state.waitsSince = decided.waitsFor.length === 0 ? undefined : (state.waitsSince ?? clock.now());
  await execution.announce();
  state.refusals.begin();
  // The status is written even if a write was refused.
  const main = actions.filter((action) => action.isAside !== true);
  const failed = await attempt(() => act(tools, subject, { actions: main, explanations, result }));
  const asides = actions.filter((action) => action.isAside === true);
  const failedAside = await attempt(() => act(tools, subject, { actions: asides, result }));
  const areRefused = failedAside !== undefined && isRefusal(failedAside.error);
  const failure = failed ?? (areRefused ? undefined : failedAside);
  let isAsideRefused = areRefused;
  for (const aside of execution.asides)
    if ((await attempt(() => act(tools, subject, { actions: aside, result }))) !== undefined)
      isAsideRefused = true;
  // Last: what they say is derived from what is stored, and a process that ends after each write would send the same one for ever.
  const report = async (): Promise<void> =>
    sendEvents(cluster, target, state.eventLimiter.changed(decided.events), clock.now());
  const isPart = decided.isPart || actions.length < decided.actions.length;
  if (
    isPart &&
    failure === undefined &&
    !areRefused &&
    clock.monotonic() - (state.statusAt ?? 0) < STATUS_MS
  ) {
    await report();
    enqueue(key);
    return;
  }
  const publishedNext = await publishOrHold(tools, subject, execution);
  await report();
  if (failure !== undefined) throw failure.error;
  if (!isPart && !areRefused && contexts.notRefused(key)) enqueue(key);
  const concludedNext = await execution.conclude();
  const next = [decided.requeueAt, concludedNext, publishedNext].filter((at) => at !== undefined);
  // What refuses them may be gone soon, and holds nothing else up.
  if (isAsideRefused) enqueue(key, ASIDE_RETRY_MS);
  if (isPart && !areRefused) enqueue(key);
  else if (next.length > 0) enqueue(key, Math.max(Math.min(...next) - clock.now(), 0));
}

/** The uids of what slots are taken in. */
function reservedIn(actions: readonly Action[]): string[] {
  return actions.flatMap((action) =>
    action.do === 'reserve' ? textOf(objectOf(action.body['metadata'])['uid']) : [],
  );
}

/** The actions with those at the end that hold nothing up. */
function asidesLast(actions: readonly Action[]): readonly Action[] {
  const asides = actions.filter((action) => action.isAside === true);
  if (asides.length === 0) return actions;
  return [...actions.filter((action) => action.isAside !== true), ...asides];
}

/** Publishes a decision. A target whose status the server refuses is held with that reason, without a slot; others go on. */
async function publishOrHold(
  tools: ReconcileTools,
  subject: Subject,
  execution: Execution,
): Promise<number | undefined> {
  const { state } = subject;
  try {
    const next = await execution.publish();
    state.isStatusRefused = false;
    return next;
  } catch (error) {
    if (isRefusal(error) && error.status.code < 500) {
      state.isStatusRefused = true;
      await attempt(() => reportHeldOnly(tools, subject, statusRefused(error.status.message)));
    }
    throw error;
  }
}
