import type { Clock } from '../schemas/wire/clock.ts';
import { ApiError, type Cluster, type Resource } from '../schemas/wire/cluster.ts';
import type { KubeObject } from '../schemas/wire/object.ts';
import { resources } from '../schemas/wire/resources.ts';
import type { Action, Because, EventDraft } from '../semantics/decision.ts';
import { advance, type Advance } from '../semantics/plan/advance.ts';
import { type Accepted, forgettable, isSnapshot, parseSnapshot } from '../semantics/plan/memory.ts';
import { heldReason, orphanStatus, planStatus } from '../semantics/plan/plan-status.ts';
import type { PlanObject, Ticker } from '../semantics/plan/rollout-view.ts';
import { type Look, type WorkloadKind, workloads } from '../semantics/workload.ts';
import { execute } from './act/executor.ts';
import { movedOn } from './act/moved-on.ts';
import { createOwnWrites } from './act/versions.ts';
import { type Caches, createCaches, type TargetKey } from './observe/caches.ts';
import { createScheduler } from './observe/scheduler.ts';
import { remember } from './plan/memory.ts';
import { type Policy, policyOf } from './plan/policy.ts';
import { openCommands, readPlan } from './plan/read.ts';
import { sendEvents } from './report/events.ts';
import { writeStatus } from './report/status.ts';

export interface RuntimeOptions {
  cluster: Cluster;
  clock: Clock;
  /** What holds where neither object nor namespace says more. */
  policy: Policy;
  /** Told of every pass that had something to say, for logs and stories. */
  onPass?(report: PassReport): void;
  /** An error that ended a pass; the target is looked at again by itself. */
  onError?(key: string, error: unknown): void;
}

export interface PassReport {
  key: TargetKey;
  at: number;
  actions: readonly Action[];
  because: readonly Because[];
  result: Advance | undefined;
}

export interface Runtime {
  start(): void;
  stop(): void;
}

const FIELD_MANAGER = 'kruise';
/** A cache that has not shown our own write after this long is not waited for in silence: the target is asked again. */
const BEHIND_MS = 1_000;
/** After this long it is listed live. */
const LIVE_LIST_MS = 5_000;

/**
 * The controller: one pass a target, whenever something about it changed. A pass observes, writes what must be
 * remembered, and acts only in a pass after that; it holds nothing in memory that it cannot do without.
 */
export function createRuntime(options: RuntimeOptions): Runtime {
  const { cluster, clock } = options;
  const own = createOwnWrites();
  const tickers = new Map<TargetKey, Ticker>();
  const taken = new Map<TargetKey, Set<string>>();
  const behindSince = new Map<TargetKey, number>();
  const scheduler = createScheduler(clock, pass, (key, error) => {
    // What the server refused it answered: the cluster is observed. Otherwise nobody knows what happens there.
    if (!(error instanceof ApiError) || error.status.code >= 500) tickers.delete(key);
    options.onError?.(key, error);
  });
  const caches: Caches = createCaches(cluster, clock, (key) => scheduler.ask(key));

  async function pass(key: TargetKey): Promise<void> {
    if (!caches.synced) return;
    const kind = workloads[key.split('/')[0] ?? ''];
    const target = caches.target(key);
    if (kind === undefined || target === undefined) {
      for (const held of [own, tickers, taken, behindSince]) held.delete(key);
      await reportOrphans(key, kind);
      return;
    }
    if (!catchUp(key)) return;
    await examine(key, kind, target);
  }

  /** Whether the caches show every write of ours; if one does not for long, it is listed live. */
  function catchUp(key: TargetKey): boolean {
    const behind = own.behind(key, caches.versionOf);
    if (behind.length === 0) {
      behindSince.delete(key);
      return true;
    }
    const since = behindSince.get(key) ?? clock.now();
    behindSince.set(key, since);
    if (clock.now() - since >= LIVE_LIST_MS) {
      behindSince.set(key, clock.now());
      for (const resource of behind) caches.relist(resource);
    }
    scheduler.ask(key, BEHIND_MS);
    return false;
  }

  async function examine(key: TargetKey, kind: WorkloadKind, target: KubeObject): Promise<void> {
    const now = clock.now();
    const uid = target.metadata.uid ?? '';
    const owned = caches.revisionsOf(uid);
    const look = kind.look({
      target,
      pods: caches.podsOf(uid),
      revisions: owned.filter((object) => !isSnapshot(object)),
      takenNames: taken.get(key) ?? new Set(),
      now,
    });
    if (look.rollout.deleting) return;
    const revise = look.revise();
    if (revise.length > 0) {
      await act(key, target, revise, [], undefined);
      return;
    }

    const planObjects = caches.plansOf(key);
    const plans = planObjects.map(readPlan);
    const memory = owned.filter(isSnapshot).flatMap((object) => parseSnapshot(object) ?? []);
    const result = advance({
      view: look.rollout,
      plans,
      commands: openCommands(caches.commandsOf(key)),
      memory,
      ticker: tickers.get(key),
      inSyncSince: caches.inSyncSince,
      policy: policyOf(target, caches.namespace(target.metadata.namespace ?? ''), options.policy),
      now,
    });
    if (result.ticker === undefined) tickers.delete(key);
    else tickers.set(key, result.ticker);
    if (result.writes.length > 0 || result.answered.length > 0) {
      await record(key, target, look, result);
      scheduler.ask(key);
      return;
    }

    const held = heldReason(look.rollout, result, plans);
    const { stable, held: behind } = look.rollout;
    const keep = new Set([
      stable,
      result.envelope.goal,
      ...(behind ? [behind.hash] : []),
      ...planned(result),
    ]);
    const decision = look.decide(result.envelope, held, keep);
    // A write that is refused must not keep the status from telling what is there.
    const failure = await attempt(() => act(key, target, decision.actions, decision.because, result));
    await report(key, kind.resource, target, decision.status);
    for (const [index, plan] of plans.entries()) {
      const object = planObjects[index];
      if (object !== undefined) await reportPlan(key, object, plan, look, result);
    }
    if (failure !== undefined) throw failure.error;
    if (decision.actions.length === 0) await act(key, target, forgettable(memory).map(forget), [], undefined);
    const next = [decision.lookAgainAt, result.lookAgainAt].filter((at) => at !== undefined);
    if (next.length > 0) scheduler.ask(key, Math.max(Math.min(...next) - clock.now(), 0));
  }

  /** What was decided goes on record before it is acted on; the next pass acts. */
  async function record(key: TargetKey, target: KubeObject, look: Look, result: Advance): Promise<void> {
    const onWritten = (written: Resource, object: KubeObject | undefined): void =>
      own.note(key, written, object);
    for (const write of result.writes) {
      if (write.do === 'complete') {
        const refused = await act(key, target, look.complete(write.hash, write.held), [], undefined);
        // What comes after says that it is complete: it must not be on record before that is.
        if (refused > 0) return;
      } else await remember(write, { cluster, target, fieldManager: FIELD_MANAGER, onWritten });
    }
    for (const command of result.answered) await answer(target, command);
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
    if (actions.length > 0) options.onPass?.({ key, at: clock.now(), actions, because, result });
    const { events, movedOn: refused } = await execute(actions, {
      cluster,
      namespace: target.metadata.namespace ?? '',
      fieldManager: FIELD_MANAGER,
      onWritten: (written, object) => own.note(key, written, object),
      onNameTaken: (name) => {
        const names = taken.get(key) ?? new Set();
        // A name that is met again brings nothing new, and is no reason to hurry.
        scheduler.ask(key, names.has(name) ? BEHIND_MS : 0);
        taken.set(key, names.add(name));
      },
      onRefused: (action, error) => sendEvents(cluster, target, [refusalEvent(action, error)], clock.now()),
    });
    await sendEvents(cluster, target, events, clock.now());
    return refused;
  }

  async function report(
    key: TargetKey,
    resource: Resource,
    target: KubeObject,
    status: object,
  ): Promise<void> {
    own.note(key, resource, await writeStatus(cluster, resource, target, status, FIELD_MANAGER));
  }

  async function reportPlan(
    key: TargetKey,
    object: KubeObject,
    plan: PlanObject,
    look: Look,
    result: Advance,
  ): Promise<void> {
    const status = planStatus({
      view: look.rollout,
      result,
      plan,
      before: object['status'] as Parameters<typeof planStatus>[0]['before'],
      generation: object.metadata.generation ?? 0,
      now: clock.now(),
    });
    await report(key, resources.RolloutPlan, object, status);
  }

  /** Plans that nobody executes say so, instead of saying nothing. */
  async function reportOrphans(key: TargetKey, kind: WorkloadKind | undefined): Promise<void> {
    const [name, namespace, target] = key.split('/');
    const reason = kind === undefined ? 'UnsupportedSemantics' : 'TargetMissing';
    const message =
      kind === undefined
        ? `this runtime executes no plans of ${name}`
        : `there is no ${name} ${target} in namespace ${namespace}`;
    for (const object of caches.plansOf(key)) {
      const status = orphanStatus(object, { reason, message }, clock.now());
      await writeStatus(cluster, resources.RolloutPlan, object, status, FIELD_MANAGER);
    }
  }

  async function answer(target: KubeObject, command: Advance['answered'][number]): Promise<void> {
    const at = { namespace: target.metadata.namespace ?? '', name: command.name };
    const status = { result: command.accepted ? 'Accepted' : 'Refused', message: command.message };
    try {
      await cluster.patch(
        resources.RolloutCommand,
        at,
        { type: 'merge', body: { metadata: { uid: command.uid }, status } },
        { subresource: 'status', fieldManager: FIELD_MANAGER },
      );
    } catch (error) {
      if (!movedOn(error)) throw error;
    }
  }

  return {
    start: () => caches.start(),
    stop() {
      scheduler.stop();
      caches.stop();
    },
  };
}

/** Runs it, and hands the error over instead of throwing it. */
async function attempt(run: () => Promise<unknown>): Promise<{ error: unknown } | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return { error };
  }
}

function forget({ object }: Accepted): Action {
  const { name, uid, resourceVersion } = object.metadata;
  return {
    do: 'delete',
    kind: 'ControllerRevision',
    verb: 'forget plan',
    name,
    uid: uid ?? '',
    resourceVersion: resourceVersion ?? '',
    because: 'ten later plans were accepted',
  };
}

function planned({ accepted }: Advance): string[] {
  if (accepted === undefined) return [];
  return [accepted.spec.to.hash, ...accepted.spec.from.map((entry) => entry.hash)];
}

function turnEvent(turn: Advance['turns'][number]): EventDraft {
  return { type: turn.warning ? 'Warning' : 'Normal', reason: turn.reason, message: turn.message };
}

function refusalEvent(action: Action, error: ApiError): EventDraft {
  const reason =
    action.do === 'create'
      ? 'FailedCreate'
      : action.do === 'delete'
        ? 'FailedDelete'
        : 'FailedUpdatePodInPlace';
  return { type: 'Warning', reason, message: `${action.verb}: ${error.status.message}` };
}
