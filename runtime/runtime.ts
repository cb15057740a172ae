import { ApiError, type Resource } from '../schemas/wire/cluster.ts';
import type { KubeObject } from '../schemas/wire/object.ts';
import { resources } from '../schemas/wire/resources.ts';
import { type Action, type Because, inSequence } from '../semantics/decision.ts';
import type { Advance } from '../semantics/plan/advance.ts';
import { claimsUnseen, internalError, recordRefused, tooLarge } from '../semantics/plan/held.ts';
import { isSnapshot, parseSnapshot } from '../semantics/plan/memory.ts';
import type { Ticker } from '../semantics/plan/rollout-view.ts';
import { type PlanSide, reconcile, type Reconciled, rolledOf } from '../semantics/reconcile/reconcile.ts';
import type { Kind, RolloutSnapshot } from '../semantics/kinds/kind.ts';
import { needOf } from '../semantics/kinds/need.ts';
import { kinds, kindOf } from '../semantics/kinds/registry.ts';
import { attempt } from './act/attempt.ts';
import { BEHIND_MS, createCatchUp, LIVE_LIST_MS } from './act/catch-up.ts';
import { isCurrent } from './act/current.ts';
import { isRefusal } from './act/moved-on.ts';
import { withErrorOrigin } from './act/error-origin.ts';
import { execute } from './act/executor.ts';
import { portion } from './act/portion.ts';
import type { Runtime, RuntimeOptions } from './options.ts';
import { seenOf } from './act/seen.ts';
import { createOwnWrites } from './act/versions.ts';
import { fenced, NotLeading } from './lead/fence.ts';
import { type Caches, createCaches } from './observe/caches.ts';
import type { TargetKey } from './observe/target-key.ts';
import { createScheduler } from './observe/scheduler.ts';
import { createAddressRules } from './check/addresses.ts';
import { createChecks } from './check/checks.ts';
import { createHttpGet } from './check/http-get.ts';
import { createSurroundings } from './plan/around.ts';
import { answerCommand, readCommands, tidyCommands } from './plan/commands.ts';
import { remember } from './plan/memory.ts';
import { reportOrphans } from './plan/orphans.ts';
import { policyOf } from '../semantics/plan/policy.ts';
import { refusalEvent, turnEvent } from './report/drafts.ts';
import { sendEvents } from './report/events.ts';
import { heldStatus, lookReport } from './report/look.ts';
import { createStatuses } from './report/statuses.ts';
import { createHeldNews } from './report/held-news.ts';
import { createTalk } from './report/talk.ts';

export type { PassReport, Runtime, RuntimeOptions } from './options.ts';

const FIELD_MANAGER = 'kruise';
const MAX_RUNNING = 10;
/** A write that the server does not answer is not waited for longer when the runtime stops. */
const STOP_MS = 2_500;
/** While a target has more to do than one pass carries out, its status is written this often. */
const STATUS_MS = 1_000;
/** How often a target that was too large is looked at again: what takes the room may have gone. */
const OVERSIZED_MS = 60_000;

/**
 * The controller: one pass a target, whenever something about it changed. A pass observes, writes what must be
 * remembered, and acts only in a pass after that; it holds nothing in memory that it cannot do without.
 */
export function createRuntime(options: RuntimeOptions): Runtime {
  const { clock } = options;
  let stopping = false;
  const origin = withErrorOrigin(options.cluster);
  const cluster = fenced(origin.cluster, () => !stopping);
  const own = createOwnWrites<TargetKey>();
  const tickers = new Map<TargetKey, Ticker>();
  const taken = new Map<TargetKey, Set<string>>();
  /** When the status was last written, by the steady clock. */
  const toldAt = new Map<TargetKey, number>();
  const talk = createTalk(clock);
  const heldNews = createHeldNews(cluster, clock);
  const statuses = createStatuses({ cluster, clock, own, fieldManager: FIELD_MANAGER });
  const looksAfter = options.kinds ?? kinds;
  const scheduler = createScheduler(clock, pass, onFailure, options.queue);
  const caches: Caches = createCaches(cluster, clock, (key) => scheduler.ask(key), {
    ...(options.random !== undefined && { random: options.random }),
    onError: (plural, error) => options.onUnseen?.(plural, error),
    limits: options.retention,
    kinds: looksAfter,
  });
  const catchUp = createCatchUp({ caches, clock, own });
  const ask = (key: TargetKey, delayMs?: number): void => scheduler.ask(key, delayMs);
  const config = options.config ?? { checks: [] };
  const addresses = createAddressRules(config.addresses ?? []);
  const get = options.get ?? createHttpGet({ clock, addresses });
  const checks = createChecks({ config, clock, get, onResult: (key: TargetKey) => ask(key) });
  const maxRunning = options.maxRunning ?? MAX_RUNNING;
  const surroundings = createSurroundings({ caches, checks, clock, maxRunning, ask });

  function onFailure(key: TargetKey, error: unknown): void {
    // What the server refused it answered: the cluster is observed. Otherwise nobody knows what happens there.
    if (!(error instanceof ApiError) || error.status.code >= 500) tickers.delete(key);
    // A write that this process may not send is nobody's mistake.
    if (!(error instanceof NotLeading)) options.onError?.(key, error);
  }

  /** True: the target was looked at to the end. */
  async function pass(key: TargetKey): Promise<boolean> {
    if (!caches.synced) return false;
    const kind = looksAfter.find((each) => each === kindOf(key));
    const target = caches.target(key);
    if (kind === undefined || target === undefined) {
      for (const held of [own, tickers, taken, catchUp, toldAt, heldNews, talk]) held.delete(key);
      surroundings.forget(key);
      options.onLook?.({ key, gone: true, plan: undefined, held: undefined });
      const next = await reportOrphans({
        cluster,
        caches,
        key,
        isKnown: kind !== undefined,
        now: clock.now(),
        fieldManager: FIELD_MANAGER,
      });
      if (next !== undefined) scheduler.ask(key, Math.max(next - clock.now(), 0));
      return true;
    }
    const basis = [kind.resource, resources.Pod, resources.RolloutPlan];
    const { waits, held, discarded } = catchUp.check(key, target, basis);
    if (waits) scheduler.ask(key, BEHIND_MS);
    if (discarded !== undefined) {
      options.onDiscarded?.(key, discarded.message);
      await sendEvents(cluster, target, [{ type: 'Warning', ...discarded }], clock.now());
    }
    if (waits) {
      if (held !== undefined) await leave(key, kind, target, held, clock.now());
      return false;
    }
    try {
      return await examine(key, kind, target);
    } catch (error) {
      // Where that cannot be shown either, the error itself is what the log is about.
      if (origin.isOwn(error))
        await attempt(() => leave(key, kind, target, internalError(error), clock.now()));
      throw error;
    } finally {
      surroundings.ended(key);
    }
  }

  async function examine(key: TargetKey, kind: Kind, target: KubeObject): Promise<boolean> {
    const now = clock.now();
    const oversized = caches.oversized(target);
    if (oversized !== undefined) {
      const held = tooLarge(target, oversized);
      if (oversized.kind === target.kind && oversized.hidesStatus) {
        surroundings.leftAlone(key);
        options.onLook?.(lookReport(key, target, { accepted: undefined }, held, now));
      } else await leave(key, kind, target, held, now);
      scheduler.ask(key, OVERSIZED_MS);
      return true;
    }
    const owned = caches.revisionsOf(target);
    const claims = needOf(kind.needs(target, owned), 'Claims') ? caches.claimsOf(target) : [];
    if (claims instanceof ApiError) await leave(key, kind, target, claimsUnseen(claims.status.message), now);
    if (claims === undefined || claims instanceof ApiError) return false;
    const pods = caches.podsOf(target);
    const look = kind.work.observe({
      target,
      pods,
      revisions: owned.filter((object) => !isSnapshot(object)),
      takenNames: taken.get(key) ?? new Set(),
      nodes: caches.nodes.labels,
      claims,
      now,
    });
    await scheduler.room(pods.length);
    const objects = surroundings.plans(key);
    const memory = owned.filter(isSnapshot).flatMap((object) => parseSnapshot(object) ?? []);
    const side = {
      plans: objects.map(({ plan }) => plan),
      commands: readCommands(caches.commandsOf(key)),
      memory,
      ticker: tickers.get(key),
      inSyncSince: caches.inSyncSince,
      policy: policyOf(target, caches.namespace(target.metadata.namespace ?? ''), options.policy),
      breakGlassRefusal: options.breakGlassRefusal,
      around: surroundings.around(key, look.rollout),
      liveSince: surroundings.liveSince(key, look.rollout),
      adopt: options.adopt,
    };
    const decided = consider(key, look, side, now);
    switch (decided.do) {
      case 'nothing':
        surroundings.forget(key);
        return true;
      case 'hold':
        await leave(key, kind, target, decided.held, now);
        return true;
      case 'record': {
        if (await defer(key, kind, target, decided.makes, now)) return true;
        const whole = await onRecord(key, kind, target, () => record(key, target, decided));
        // What was refused is not tried again before the cache had its time to show why.
        if (decided.rolled !== undefined) scheduler.ask(key, whole ? 0 : BEHIND_MS);
        return false;
      }
      case 'act':
    }
    const { view, result } = decided.rolled;
    await tell(key, target, result);
    options.onLook?.(lookReport(key, target, result, decided.held, now));
    // A write that is refused must not keep the status from telling what is there.
    const actions = portion(decided.actions);
    const failure = await attempt(() => act(key, target, actions, decided.because, result));
    await sendEvents(cluster, target, talk.news(key, decided.events), clock.now());
    const isPart = actions.length < decided.actions.length;
    if (isPart && failure === undefined && clock.monotonic() - (toldAt.get(key) ?? 0) < STATUS_MS) {
      scheduler.ask(key);
      return true;
    }
    toldAt.set(key, clock.monotonic());
    const isTold = await statuses.write(key, kind.resource, target, decided.status);
    const heldAt = await heldNews.tell(key, target, decided.held, isTold);
    await statuses.writePlans(key, objects, { view, memory, result });
    if (failure !== undefined) throw failure.error;
    if (!isPart && surroundings.notRefused(key)) scheduler.ask(key);
    const forgetAt = await tidyCommands({ cluster, caches, key, now, fieldManager: FIELD_MANAGER });
    await act(key, target, decided.afterwards, [], undefined);
    const next = [decided.lookAgainAt, forgetAt, heldAt].filter((at) => at !== undefined);
    if (isPart) scheduler.ask(key);
    else if (next.length > 0) scheduler.ask(key, Math.max(Math.min(...next) - clock.now(), 0));
    return true;
  }

  /** Nothing is done about a target of another controller, or one that is not seen whole, but that it says so. */
  async function leave(
    key: TargetKey,
    kind: Kind,
    target: KubeObject,
    held: { reason: string; message: string },
    now: number,
  ): Promise<void> {
    surroundings.leftAlone(key);
    options.onLook?.(lookReport(key, target, { accepted: undefined }, held, now));
    const isTold = await statuses.write(key, kind.resource, target, heldStatus(target, held, now));
    await heldNews.tell(key, target, held, isTold);
  }

  /** Whether revisions that are lost as fast as they are made are not made now; then the target says so. */
  async function defer(
    key: TargetKey,
    kind: Kind,
    target: KubeObject,
    revisions: readonly string[],
    now: number,
  ): Promise<boolean> {
    const deferral = revisions.length === 0 ? undefined : surroundings.deferral(key, target, revisions);
    if (deferral === undefined) return false;
    await leave(key, kind, target, deferral.held, now);
    scheduler.ask(key, Math.max(deferral.until - clock.now(), 0));
    return true;
  }

  /** What is to be done; a plan that waits for nothing but a slot takes one, if there is one. */
  function consider(key: TargetKey, look: RolloutSnapshot, side: PlanSide, now: number): Reconciled {
    let decided = reconcile(look, side, now);
    const first = rolledOf(decided);
    if (first !== undefined && surroundings.enterQueue(key, first.result))
      decided = reconcile(look, { ...side, around: { ...side.around, queued: undefined } }, now);
    const rolled = rolledOf(decided);
    if (rolled === undefined) return decided;
    surroundings.settle(key, rolled.view, rolled.result);
    if (rolled.result.ticker === undefined) tickers.delete(key);
    else tickers.set(key, rolled.result.ticker);
    return decided;
  }

  /** Writes what must be there before anything else is done: a target of which the server refuses that says so, and holds no slot. */
  async function onRecord<Answer>(
    key: TargetKey,
    kind: Kind,
    target: KubeObject,
    write: () => Promise<Answer>,
  ): Promise<Answer> {
    try {
      return await write();
    } catch (error) {
      if (isRefusal(error))
        await attempt(() => leave(key, kind, target, recordRefused(error.status.message), clock.now()));
      throw error;
    }
  }

  /** What was decided goes on record before it is acted on; the next pass acts. False: the world has moved on. */
  async function record(
    key: TargetKey,
    target: KubeObject,
    { writes, rolled }: Extract<Reconciled, { do: 'record' }>,
  ): Promise<boolean> {
    const onWritten = (written: Resource, object: KubeObject | undefined): void =>
      own.note(key, written, object);
    const seen = seenOf(caches, key, target);
    for (const write of writes) {
      if (write.do === 'actions') {
        const refused = await act(key, target, write.actions, [], undefined);
        // What comes after says that it is there: it must not be on record before that is.
        if (refused > 0) return false;
        continue;
      }
      const made = await remember(write, { cluster, target, fieldManager: FIELD_MANAGER, seen, onWritten });
      if (made !== undefined) surroundings.recorded(key, made.name, made.usual);
    }
    if (rolled !== undefined) await tell(key, target, rolled.result);
    return true;
  }

  /**
   * Answers commands and sends Events. What a command did is on record: an answer that the server refuses is reported and
   * tried again later, and must not keep the target from being looked after.
   */
  async function tell(key: TargetKey, target: KubeObject, result: Advance): Promise<void> {
    if (result.answered.length === 0 && result.turns.length === 0) return;
    const namespace = target.metadata.namespace ?? '';
    for (const command of result.answered) {
      const failure = await attempt(async () =>
        own.note(
          key,
          resources.RolloutCommand,
          await answerCommand(cluster, namespace, command, clock.now(), FIELD_MANAGER),
        ),
      );
      if (failure === undefined) continue;
      options.onError?.(key, failure.error);
      scheduler.ask(key, LIVE_LIST_MS);
    }
    options.onPass?.({ key, at: clock.now(), actions: [], because: [], result });
    await sendEvents(cluster, target, result.turns.map(turnEvent), clock.now());
  }

  async function act(
    key: TargetKey,
    target: KubeObject,
    actions: readonly Action[],
    because: readonly Because[],
    result: Advance | undefined,
  ): Promise<number> {
    const all = inSequence(actions);
    if (all.length > 0) options.onPass?.({ key, at: clock.now(), actions: all, because, result });
    const done: Action[] = [];
    const { events, movedOn: refused } = await execute(actions, {
      cluster,
      namespace: target.metadata.namespace ?? '',
      fieldManager: FIELD_MANAGER,
      seen: seenOf(caches, key, target),
      onWritten: (written, object) => own.note(key, written, object),
      onNameTaken: (name) => {
        const names = taken.get(key) ?? new Set();
        // A name that is met again brings nothing new, and is no reason to hurry.
        scheduler.ask(key, names.has(name) ? BEHIND_MS : 0);
        taken.set(key, names.add(name));
      },
      isCurrent: (action) => isCurrent(caches, target, action),
      onDone(action) {
        done.push(action);
        surroundings.taken(key, action);
        options.onDone?.(action);
      },
      onMovedOn: (action) => options.onRefused?.(action, 'MovedOn'),
      onRefused(action, error) {
        options.onRefused?.(action, error.status.reason);
        surroundings.refused(key, action, error);
        return sendEvents(cluster, target, [refusalEvent(action, error)], clock.now());
      },
    }).finally(() => {
      if (done.length > 0) options.onDid?.({ key, at: clock.now(), actions: done, because, result });
    });
    await sendEvents(cluster, target, talk.worthSaying(key, events), clock.now());
    return refused;
  }

  return {
    start: () => caches.start(),
    stop() {
      stopping = true;
      caches.stop();
      checks.stop();
      return scheduler.stop(STOP_MS);
    },
    get synced() {
      return caches.synced;
    },
    get queued() {
      return scheduler.depth;
    },
    holdings: () => caches.holdings(),
  };
}
