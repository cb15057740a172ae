import { getHeapStatistics } from 'node:v8';
import type { RuntimeConfig } from '../schemas/generated/types/runtimeconfig.ts';
import type { Clock } from '../schemas/wire/clock.ts';
import type { Connection } from './api/connection.ts';
import { createHttpCluster, type HttpCluster } from './api/http-cluster.ts';
import { type AllowBreakGlass, createBreakGlassRule } from './break-glass.ts';
import { createCompetingControllers } from './lead/competing-controllers.ts';
import { createLeadership } from './lead/leadership.ts';
import { limitsFor } from './observe/retention.ts';
import { inNamespace } from './observe/one-namespace.ts';
import type { Policy } from '../semantics/plan/policy.ts';
import { createLookedAfter } from './looked-after.ts';
import { type Problem, problemOf, sentenceOf } from './problem.ts';
import { type Preflight, preflight } from './preflight.ts';
import { createLog, type LogOptions } from './report/log.ts';
import { createMeters, type HostReadings } from './report/meters.ts';
import { createReconcileLog } from './report/reconcile-log.ts';
import { createLogLimiter } from './report/log-limiter.ts';
import { type Candidacy, transitionTo, notReady, preparing, type ProcessState } from './process-state.ts';
import { type Endpoint, serve } from './serve/serve.ts';
import { createSight } from './sight.ts';
import { createTerm, type Term } from './term.ts';

export interface ProcessOptions {
  connection: Connection;
  clock: Clock;
  /** A number in [0, 1), anew at each call. */
  random: () => number;
  version: string;
  policy: Policy;
  /** Whether what another controller has made is taken over; else it is held. */
  adopt?: boolean | undefined;
  maxRunning?: number | undefined;
  /** When BreakGlass is obeyed. Default: where the server checks who sends it. */
  allowBreakGlass?: AllowBreakGlass | undefined;
  config?: RuntimeConfig | undefined;
  /** The one namespace to look after; undefined: all of them. */
  namespace?: string | undefined;
  /** The Lease that decides who of several works; undefined: nobody else is there. `identity` is this process's alone. */
  election?: { namespace: string; name: string; identity: string } | undefined;
  /** Where health and metrics are asked for; undefined: nowhere. */
  endpoint?: { port: number; address: string } | undefined;
  log: Pick<LogOptions, 'write' | 'format'>;
  host?: (() => HostReadings) | undefined;
}

export interface RuntimeProcess {
  /** Where health and metrics are, if anywhere. */
  readonly port: number | undefined;
  /** Resolves when it ended by itself, with what is in the way for good. */
  readonly failed: Promise<Problem>;
  /**
   * Ends it within five seconds: no new pass starts, the writes under way end, the Lease is handed back. One whose write
   * does not end keeps its Lease until that expires.
   */
  stop(): Promise<void>;
}

const PAUSE_MS = { first: 1_000, most: 30_000 };

/**
 * The runtime as a process: it waits until the server has what it needs, takes part in the election, works while it
 * leads, and tells how it is. Rejects when the port cannot be had.
 */
export async function startProcess(options: ProcessOptions): Promise<RuntimeProcess> {
  const { connection, clock, random, namespace, election } = options;
  const log = createLog({ ...options.log, clock });
  const passLog = createReconcileLog(log, clock);
  const meters = createMeters({ clock, version: options.version, host: options.host });
  const where = { connection, namespace, lease: election };
  /** For everything but the work itself: nothing of it waits for leadership. */
  const common = connect(() => {}, slow);
  let state: ProcessState = preparing('it has not reached the server yet');
  const quiet = createLogLimiter(log, clock);
  const sight = createSight({
    connection,
    clock,
    log,
    quiet,
    isSynced: () => (state.is === 'leading' ? state.term.runtime.synced : undefined),
  });
  const lookedAfter = createLookedAfter(
    clock,
    async () => look(),
    (kind) => {
      log.info(`every ${kind.id.kind} is looked after from now on`);
      if (state.is === 'leading') state.term.runtime.lookAfter(kind);
    },
  );
  const others = createCompetingControllers({
    cluster: common,
    clock,
    own: election,
    onHidden: ({ namespace: at, name }) =>
      log.info(`it may not see the lease ${at}/${name}, and takes nobody to lead by it`),
  });
  const breakGlass = createBreakGlassRule({
    cluster: common,
    clock,
    allow: options.allowBreakGlass ?? 'policy',
    onChange: (refusal) => log.info(refusal ?? 'BreakGlass is obeyed: the server checks who sends it'),
  });
  let fail: (obstacle: Problem) => void = () => {};
  const failed = new Promise<Problem>((resolve) => (fail = resolve));

  function connect(beforeWrite: () => void, onSlow?: () => void): HttpCluster {
    return createHttpCluster({
      connection,
      clock,
      random,
      userAgent: `kruise/${options.version}`,
      onCall: meters.onCall,
      beforeWrite,
      ...(onSlow && { onSlow }),
    });
  }

  function slow(): void {
    quiet.warn('answer', `${new URL(connection.server).host} has not answered yet; it is waited for`);
  }

  /** As it is by now: what is awaited may have changed it. */
  const present = (): ProcessState => state;

  async function look(tell?: (text: string) => void): Promise<Preflight> {
    const cluster = namespace === undefined ? common : inNamespace(common, clock, namespace);
    return preflight(cluster, where, tell);
  }

  async function prepare(pauseMs: number): Promise<void> {
    const looked = await look((text) => quiet.warn(`rights: ${text}`, text));
    const found =
      looked.problem ??
      (await others.present().catch((error: unknown) => problemOf(error, connection, namespace)));
    if (found === undefined) await breakGlass.observe();
    if (present().is !== 'preparing') return;
    if (found === undefined) {
      breakGlass.start();
      lookedAfter.found(looked);
      compete();
      return;
    }
    const next = preparing(sentenceOf(found));
    state = transitionTo(state, next);
    if (found.isFinal) {
      giveUp(found);
      return;
    }
    log.warn(`${next.obstacle}; it is tried again`);
    const nextPauseMs = Math.min(pauseMs * 2, PAUSE_MS.most);
    next.cancelRetry = clock.after(pauseMs * (0.75 + random() / 4), () => begin(nextPauseMs));
  }

  /** Who started the process tells a person why it ends; who reads logs by machine sees nothing else. */
  function giveUp(why: Problem): void {
    if (options.log.format === 'json') log.error(sentenceOf(why));
    fail(why);
  }

  function begin(pauseMs: number): void {
    prepare(pauseMs).catch((error: unknown) => {
      const text = error instanceof Error ? error.message : String(error);
      giveUp({ problem: `a mistake of the program: ${text}`, help: 'please report it', isFinal: true });
    });
  }

  /** Another manager has come: the work ends, and begins anew when that one has gone. */
  function stepDown(found: Problem): void {
    const before = state;
    if (before.is !== 'standby' && before.is !== 'leading') return;
    const obstacle = sentenceOf(found);
    log.warn(`${obstacle}; it gives way until then`);
    const stepping = transitionTo(state, { is: 'steppingDown', obstacle, done: Promise.resolve() });
    state = stepping;
    stepping.done = leave(before).then(() => {
      if (present() !== stepping) return;
      state = transitionTo(stepping, preparing(obstacle));
      begin(PAUSE_MS.first);
    });
  }

  /** Ends what such a process has under way, and hands the Lease back. One whose write does not end keeps it. */
  async function leave(before: ProcessState, onBusy = (): void => {}): Promise<void> {
    const atRest = before.is !== 'leading' || (await endTerm(before.term));
    if (!atRest) onBusy();
    if (before.is === 'standby' || before.is === 'leading') await before.candidacy?.leadership.stop(atRest);
  }

  function compete(): void {
    others.watch(stepDown);
    if (election === undefined) {
      work(undefined);
      return;
    }
    const { identity } = election;
    log.info(`it waits for the lease ${election.namespace}/${election.name}`, { identity });
    const leadership = createLeadership({
      cluster: common,
      clock,
      random,
      ...election,
      onLeading() {
        if (state.is !== 'standby') return;
        log.info('it leads', { identity });
        work(candidacy);
        // Who gave the Lease away may have had a reason that is one for this process, too.
        others.readNow();
      },
      onLost(reason) {
        if (state.is !== 'leading') return;
        log.warn(`it leads no more: ${reason}`, { identity });
        const { term } = state;
        state = transitionTo(state, { is: 'standby', candidacy });
        void endTerm(term);
      },
      onError(error) {
        const { problem, help } = problemOf(error, connection);
        candidacy.problem = `the lease could not be had or renewed: ${problem}; ${help}`;
        quiet.warn('lease', `${candidacy.problem}; it is tried again`, { identity });
      },
      onAnswer() {
        candidacy.problem = undefined;
        quiet.over('lease', 'the lease can be had or renewed again', { identity });
      },
    });
    const candidacy: Candidacy = { leadership, problem: undefined };
    state = transitionTo(state, { is: 'standby', candidacy });
    leadership.start();
  }

  function work(candidacy: Candidacy | undefined): void {
    const hooks = meters.hooks();
    const term = createTerm({
      connect,
      narrowed: (http) => (namespace === undefined ? http : inNamespace(http, clock, namespace)),
      mayWrite: () => candidacy === undefined || candidacy.leadership.leading,
      clock,
      random,
      policy: options.policy,
      breakGlassRefusal: breakGlass.refusalOf,
      kinds: lookedAfter.kinds,
      ...(election !== undefined && { stateNamespace: election.namespace }),
      adopt: options.adopt === true,
      retention: limitsFor(getHeapStatistics().heap_size_limit),
      ...(options.maxRunning !== undefined && { maxRunning: options.maxRunning }),
      ...(options.config !== undefined && { config: options.config }),
      onReconcile: passLog.reconciled,
      onAction: passLog.executed,
      onDiscarded: passLog.discarded,
      onForbidden: sight.unseen,
      onError(key, error) {
        meters.reconcileFailed();
        passLog.failed(key, error);
      },
      ...hooks,
      onSnapshot(report) {
        hooks.onSnapshot(report);
        passLog.snapshot(report);
      },
    });
    state = transitionTo(state, { is: 'leading', candidacy, term });
    meters.leads(true);
    term.runtime.start();
  }

  /** True: no write is under way any more. */
  function endTerm(term: Term): Promise<boolean> {
    meters.leads(false);
    return term.end();
  }

  let endpoint: Endpoint | undefined;
  if (options.endpoint !== undefined) {
    const metrics = (): string => meters.render(state.is === 'leading' ? state.term.runtime : undefined);
    endpoint = await serve({ ...options.endpoint, clock, notReady: () => notReady(state), metrics });
  }
  // A server's address may hold a password.
  const { host } = new URL(connection.server);
  log.info(`kruise ${options.version} runs as ${connection.user} on ${host}`, {
    policy: options.policy,
    namespace,
    port: endpoint?.port,
  });
  begin(PAUSE_MS.first);

  return {
    port: endpoint?.port,
    failed,
    async stop() {
      const before = state;
      if (before.is === 'stopped') return;
      state = transitionTo(state, { is: 'stopped' });
      others.stop();
      breakGlass.stop();
      sight.stop();
      lookedAfter.stop();
      if (before.is === 'preparing') before.cancelRetry();
      if (before.is === 'steppingDown') await before.done;
      await leave(before, () => log.warn('a write did not end in time; the lease is left to expire'));
      common.close();
      await endpoint?.close();
      log.info('it has stopped');
    },
  };
}
