import { getHeapStatistics } from 'node:v8';
import { createHttpCluster, type HttpCluster } from './api/http-cluster.ts';
import { createBreakGlassRule } from './break-glass.ts';
import { createComponents } from './components.ts';
import { createCompetingControllers } from './lead/competing-controllers.ts';
import { createLeadership } from './lead/leadership.ts';
import { limitsFor } from './observe/retention.ts';
import { inNamespace } from './observe/one-namespace.ts';
import { createManagedKinds } from './managed-kinds.ts';
import { STATE_NAMESPACE } from '../semantics/values/system-namespaces.ts';
import type { ProcessOptions, RuntimeProcess } from './process-options.ts';
import { type Problem, problemOf, sentenceOf } from './problem.ts';
import { type Preflight, preflight } from './preflight.ts';
import { recordsElsewhere } from './records-elsewhere.ts';
import { refusedByPolicies } from './refused-by-policies.ts';
import { createLog } from './report/log.ts';
import { createMeters } from './report/meters.ts';
import { createReconcileLog } from './report/reconcile-log.ts';
import { createLogLimiter } from './report/log-limiter.ts';
import { type Candidacy, transitionTo, readiness, preparing, type ProcessState } from './process-state.ts';
import type { Endpoint } from './serve/listen.ts';
import { createPage } from './serve/page.ts';
import { serve } from './serve/serve.ts';
import { unstampedTexts } from './unstamped.ts';
import { createWatchReport } from './watch-report.ts';
import { createResizeRight } from './resize-right.ts';
import { createTerm, type Term } from './term.ts';

export type { ProcessOptions, RuntimeProcess } from './process-options.ts';

const PAUSE_MS = { first: 1_000, most: 30_000 };

/**
 * The runtime as a process: it waits until the server has what it needs, takes part in the election, reconciles while it
 * leads, and serves health and metrics. Rejects if the port cannot be opened.
 */
export async function startProcess(options: ProcessOptions): Promise<RuntimeProcess> {
  const { connection, clock, random, namespace, election } = options;
  const identity = options.identity ?? election?.identity;
  const stateNamespace = options.stateNamespace ?? election?.namespace ?? STATE_NAMESPACE;
  const log = createLog({ ...options.log, clock });
  const reconcileLog = createReconcileLog(log, clock);
  const meters = createMeters({ clock, version: options.version, host: options.host });
  const where = { connection, namespace, lease: election };
  /** For everything but reconciling: usable without leadership. */
  const common = connect(() => {}, slow);
  let state: ProcessState = preparing('the server has not been reached yet');
  const quiet = createLogLimiter(log, clock);
  const watchReport = createWatchReport({
    connection,
    clock,
    log,
    quiet,
    runtime: () => (state.is === 'leading' ? state.term.runtime : undefined),
  });
  const managedKinds = createManagedKinds(
    clock,
    async () => check(),
    (kind) => {
      log.info(`every ${kind.id.kind} is managed from now on`);
      if (state.is === 'leading') state.term.runtime.manage(kind);
    },
  );
  const resizeRight = createResizeRight(
    clock,
    async () => {
      const { problem, canResize } = await check();
      return problem === undefined ? canResize : undefined;
    },
    (granted) => {
      if (granted) log.info('containers are resized in place from now on');
      else log.warn('no container is resized in place: the runtime cannot patch pods/resize any more');
      if (state.is === 'leading') state.term.runtime.reconcileAll();
    },
  );
  const components = createComponents({
    clock,
    cluster: common,
    where,
    onGranted(component) {
      log.info(`the component ${component} is on from now on`);
      if (state.is === 'leading') state.term.runtime.reconcileAll();
    },
  });
  const competing = createCompetingControllers({
    cluster: common,
    clock,
    own: election,
    onHidden: ({ namespace: at, name }) =>
      log.info(`the lease ${at}/${name} may not be read; its leader is not detected`),
  });
  const breakGlass = createBreakGlassRule({
    cluster: common,
    clock,
    allow: options.allowBreakGlass ?? 'policy',
    onChange: (refusal) => log.info(refusal ?? 'BreakGlass is obeyed: the server checks who sends it'),
  });
  let fail: (problem: Problem) => void = () => {};
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
    quiet.warn('answer', `${new URL(connection.server).host} has not answered yet; still waiting`);
  }

  /** The state after an await, during which it may have changed. */
  const present = (): ProcessState => state;

  async function check(warn?: (text: string) => void): Promise<Preflight> {
    const cluster = namespace === undefined ? common : inNamespace(common, clock, namespace);
    return preflight(cluster, where, warn);
  }

  async function prepare(pauseMs: number): Promise<void> {
    const checked = await check((text) => quiet.warn(`rights: ${text}`, text));
    const found =
      checked.problem ??
      (await competing.present().catch((error: unknown) => problemOf(error, connection, namespace))) ??
      (await misplaced(checked));
    if (found === undefined) await breakGlass.observe();
    if (present().is !== 'preparing') return;
    if (found === undefined) {
      breakGlass.start();
      managedKinds.found(checked);
      void sayWhatWillFail();
      resizeRight.found(checked.canResize);
      for (const { text } of checked.off) log.info(text);
      components.found(checked.off);
      compete();
      return;
    }
    const next = preparing(sentenceOf(found));
    state = transitionTo(state, next);
    if (found.isFinal) {
      giveUp(found);
      return;
    }
    log.warn(`${next.problem}; retrying`);
    const nextPauseMs = Math.min(pauseMs * 2, PAUSE_MS.most);
    next.cancelRetry = clock.after(pauseMs * (0.75 + random() / 4), () => begin(nextPauseMs));
  }

  /**
   * Why this process would begin without what it has recorded. In a pod it begins, as others wait for it: such a set is held until
   * it is adopted.
   */
  async function misplaced(checked: Preflight): Promise<Problem | undefined> {
    if (namespace !== undefined) return undefined;
    const seek = recordsElsewhere(common, checked.kinds, stateNamespace);
    const found = await seek.catch((error: unknown) => problemOf(error, connection, namespace));
    if (found === undefined || !found.isFinal || connection.isOfPod !== true) return found;
    quiet.warn('records', sentenceOf(found));
    return undefined;
  }

  /**
   * The policies of deploy/ may be for another account: nothing else says so before a record is refused. What OpenKruise would miss
   * shows only when it is back.
   */
  async function sayWhatWillFail(): Promise<void> {
    const refused = await refusedByPolicies(common, namespace, stateNamespace, connection.user);
    if (refused !== undefined) log.warn(refused);
    const hints = namespace === undefined ? await unstampedTexts(common, managedKinds.kinds) : [];
    for (const text of hints) log.info(text);
  }

  /** The caller prints the problem for a terminal; a JSON log must contain it as well. */
  function giveUp(why: Problem): void {
    if (options.log.format === 'json') log.error(sentenceOf(why));
    fail(why);
  }

  function begin(pauseMs: number): void {
    prepare(pauseMs).catch((error: unknown) => {
      const text = error instanceof Error ? error.message : String(error);
      giveUp({ problem: `internal error: ${text}`, help: 'please report it', isFinal: true });
    });
  }

  /** Another controller leads: this process stops reconciling until that one is gone. */
  function stepDown(found: Problem): void {
    const before = state;
    if (before.is !== 'standby' && before.is !== 'leading') return;
    const problem = sentenceOf(found);
    log.warn(`${problem}; this process steps down until then`);
    const stepping = transitionTo(state, { is: 'steppingDown', problem, done: Promise.resolve() });
    state = stepping;
    stepping.done = endWork(before).then(() => {
      if (present() !== stepping) return;
      state = transitionTo(stepping, preparing(problem));
      begin(PAUSE_MS.first);
    });
  }

  /** Ends the term and releases the Lease; if a write does not end, the Lease is left to expire. */
  async function endWork(before: ProcessState, onBusy = (): void => {}): Promise<void> {
    const atRest = before.is !== 'leading' || (await endTerm(before.term));
    if (!atRest) onBusy();
    if (before.is === 'standby' || before.is === 'leading') await before.candidacy?.leadership.stop(atRest);
  }

  function compete(): void {
    competing.watch(stepDown);
    if (election === undefined) {
      work(undefined);
      return;
    }
    log.info(`waiting for the lease ${election.namespace}/${election.name}`, { identity });
    const leadership = createLeadership({
      cluster: common,
      clock,
      random,
      ...election,
      onLeading() {
        if (state.is !== 'standby') return;
        log.info('acquired the lease', { identity });
        work(candidacy);
        // The leader before may have stepped down for a competing controller.
        competing.readNow();
      },
      onLost(reason) {
        if (state.is !== 'leading') return;
        log.warn(`lost the lease: ${reason}`, { identity });
        const { term } = state;
        state = transitionTo(state, { is: 'standby', candidacy });
        void endTerm(term);
      },
      onWaiting: (holder) =>
        log.info(
          `${holder} holds the lease ${election.namespace}/${election.name}; this process is on standby`,
        ),
      onError(error) {
        const { problem, help } = problemOf(error, connection);
        candidacy.problem = `the lease could not be acquired or renewed: ${problem}; ${help}`;
        quiet.warn('lease', `${candidacy.problem}; retrying`, { identity });
      },
      onAnswer() {
        candidacy.problem = undefined;
        quiet.over('lease', 'the lease can be acquired or renewed again', { identity });
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
      kinds: managedKinds.kinds,
      canResize: () => resizeRight.granted,
      isOff: components.isOff,
      protects: () => namespace === undefined && !components.isOff('cascading-protection'),
      namespace,
      stateNamespace,
      ...(identity !== undefined && { identity }),
      adopt: options.adopt === true,
      retention: limitsFor(getHeapStatistics().heap_size_limit),
      ...(options.maxRunning !== undefined && { maxRunning: options.maxRunning }),
      ...(options.config !== undefined && { config: options.config }),
      onReconcile: reconcileLog.reconciled,
      onAction: reconcileLog.executed,
      onDiscarded: reconcileLog.discarded,
      onAnotherProcess: reconcileLog.notAlone,
      onForbidden: watchReport.failed,
      onError(key, error) {
        meters.reconcileFailed();
        reconcileLog.failed(key, error);
      },
      ...hooks,
      onNotice(key, event, outcome, problem) {
        hooks.onNotice(key, event, outcome);
        reconcileLog.noticed(key, event, outcome, problem);
      },
      onRefused(action, reason) {
        hooks.onRefused(action, reason);
        resizeRight.refused(action, reason);
      },
      onSnapshot(report) {
        hooks.onSnapshot(report);
        reconcileLog.snapshot(report);
      },
    });
    state = transitionTo(state, { is: 'leading', candidacy, term });
    meters.leads(true);
    term.runtime.start();
  }

  /** True: no write is in flight any more. */
  function endTerm(term: Term): Promise<boolean> {
    meters.leads(false);
    return term.end();
  }

  let endpoint: Endpoint | undefined;
  if (options.endpoint !== undefined) {
    const metrics = (): string => meters.render(state.is === 'leading' ? state.term.runtime : undefined);
    const { port, address, page: read } = options.endpoint;
    const onError = (error: unknown): void => {
      const { problem, help } = problemOf(error, connection, namespace);
      quiet.warn('page', `the page of rollouts cannot be read: ${problem}; ${help}`);
    };
    const page = read && createPage({ cluster: common, clock, namespace, address, read, onError });
    endpoint = await serve({ port, address, clock, readiness: () => readiness(state), metrics, page });
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
      competing.stop();
      breakGlass.stop();
      watchReport.stop();
      managedKinds.stop();
      resizeRight.stop();
      components.stop();
      if (before.is === 'preparing') before.cancelRetry();
      if (before.is === 'steppingDown') await before.done;
      await endWork(before, () => log.warn('a write did not end in time; the lease is left to expire'));
      common.close();
      await endpoint?.close();
      log.info('stopped');
    },
  };
}
