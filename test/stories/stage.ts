import { main } from '../../cli/dispatch.ts';
import { injectingWorld } from '../fixtures/injecting-world.ts';
import { createRuntime, type RuntimeOptions } from '../../runtime/runtime.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import type { Policy } from '../../semantics/policy.ts';
import { createVirtualClock, createWorld, type VirtualClock, type World } from 'kruise-sandbox';
import type { GetAnswer } from '../../runtime/check/get.ts';
import type { RolloutPlanStatus } from '../../schemas/generated/types/rolloutplan.ts';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { memoryHost } from '../cli/world/memory-host.ts';
import { planPhase } from '../../examples/demo/demo.ts';
import { createEngine } from '../../examples/demo/engine.ts';
import { type Quota, underQuota } from './quota.ts';
import { createTranscript, planKinds, type Transcript } from './transcript.ts';

/** A git state: every file below the repository's root. */
export type Files = Map<string, string>;

/** Arguments of a command, after the verb. */
export interface CommandArgs {
  target?: string;
  step?: string;
  digest?: string;
  by?: string;
  reason?: string;
  expires?: string;
}

/** The part of a runtime that a stage uses. */
interface Started {
  start(): void;
  stop(): unknown;
}

export interface StageOptions {
  policy?: Policy;
  /** Further options of the runtime. */
  runtime?: Pick<RuntimeOptions, 'maxRunning' | 'config'>;
  /** Creates the runtime. Default: `createRuntime`. */
  start?: (options: RuntimeOptions) => Started;
  /** Sets up the cluster before the runtime is started. */
  prepare?: (stage: Pick<StoryCluster, 'world' | 'user' | 'clock' | 'transcript'>) => Promise<void>;
  /** The cluster runs Deployments, and asks the admission about new pods. */
  sidecars?: boolean;
  /** The controllers of Kubernetes run in the cluster, without an admission. */
  controllers?: boolean;
  /** Files of the first commit, which is planned against an empty repository. */
  files: Record<string, string>;
}

/**
 * A whole rollout in one thread: a repository in memory, the real `kruise plan`, a GitOps engine, the sandbox and the
 * real runtime, all on one virtual clock. The transcript records what happens.
 */
export interface StoryCluster {
  world: World;
  clock: VirtualClock;
  user: Cluster;
  transcript: Transcript;
  /** How many pods the namespace may have; undefined: no limit. */
  quota: Quota;
  /** The responses of web servers to the checks of the runtime. */
  web: { answer: GetAnswer };
  /**
   * Changes files and commits them with what `kruise plan` writes; `plan: false` commits without a plan, `args` are
   * typed after `kruise plan`. `base` is the commit it is planned against, default: the last one.
   */
  commit(
    message: string,
    files: Record<string, string | undefined>,
    options?: { plan?: boolean; args?: readonly string[]; base?: number },
  ): Promise<void>;
  /** A commit whose files are those of an earlier one, plans included: `git revert`. */
  revert(message: string, to: number): void;
  /** Lets the engine apply the last commit; `only` leaves the other kind of file as it is in the cluster. */
  sync(only?: 'plans' | 'manifests'): Promise<void>;
  run(ms: number): Promise<void>;
  /** Sends a command to a rollout with the command line: `kruise approve CloneSet/web …`. */
  command(verb: string, words?: CommandArgs): Promise<void>;
  /** Runs until the plan's phase is this, or fails after a virtual hour. */
  until(phase: string, plan?: string): Promise<void>;
  /** Runs until the plan is at this step, or fails after a virtual hour. */
  untilStep(step: string, plan?: string): Promise<void>;
  pods(): Promise<Pod[]>;
  plan(name?: string): Promise<KubeObject | undefined>;
  target(name?: string): Promise<KubeObject>;
  files(): Files;
  /** Nothing acts from now on. */
  stopRuntime(): Promise<void>;
  startRuntime(): Promise<void>;
  stop(): Promise<void>;
}

const EPOCH = Date.UTC(2026, 0, 1);

export async function createStoryCluster(options: StageOptions): Promise<StoryCluster> {
  const clock = createVirtualClock(EPOCH);
  const world: World =
    options.sidecars === true
      ? injectingWorld(clock)
      : createWorld({ clock, namespaces: ['default', 'shop'], workloads: options.controllers === true });
  const transcript = createTranscript(clock, world);
  const user = world.cluster('user');
  const quota: Quota = { pods: undefined };
  const web: StoryCluster['web'] = { answer: { error: 'nobody listens there' } };
  const create = (): Started =>
    (options.start ?? createRuntime)({
      cluster: underQuota(world.cluster('kruise'), world, quota),
      clock,
      policy: options.policy ?? 'Required',
      get: async () => web.answer,
      ...options.runtime,
      onReconcile: (report) => transcript.reconcile(report),
      onError: (_key, error) => {
        // An Event reports what a quota refuses.
        if (error instanceof ApiError && error.status.code === 403) return;
        throw error;
      },
    });
  let runtime = create();
  const engine = createEngine(world.cluster('engine'));
  const commits: Files[] = [new Map()];
  let inCluster: Files = new Map();
  const head = (): Files => new Map(commits.at(-1));

  /** The plan of `web`, whatever its kind is, or of a set. */
  const defaultPlan = (): string =>
    [...head().keys()]
      .flatMap((path) => /^plans\/(?:shop\/(.+-web)|_cluster\/(.+))\/plan\.yaml$/.exec(path)?.slice(1) ?? [])
      .find((name) => name !== undefined) ?? 'cloneset-web';

  async function waitFor(
    what: string,
    holds: (plan: KubeObject) => boolean,
    name = defaultPlan(),
  ): Promise<void> {
    const plan = await stage.plan(name);
    let there = plan !== undefined && holds(plan);
    const stop = world.onCommit(({ object }) => {
      if (planKinds.has(object.kind) && object.metadata.name === name) there = holds(object);
    });
    await clock.runUntil(() => there, { what: `${what} of ${name}` });
    stop();
  }

  const stage: StoryCluster = {
    world,
    clock,
    user,
    transcript,
    quota,
    web,
    async commit(message, changed, { plan = true, args = [], base: number } = {}) {
      const base: Files = number === undefined ? head() : new Map(commits[number]);
      const next = head();
      for (const [path, text] of Object.entries(changed)) {
        if (text === undefined) next.delete(path);
        else next.set(path, text);
      }
      transcript.commit(message, commits.length, changed);
      if (plan) await planInto(next, base, transcript, args);
      commits.push(next);
    },
    revert(message, to) {
      commits.push(new Map(commits[to]));
      transcript.revert(message, commits.length - 1, to);
    },
    async sync(only) {
      const wanted = head();
      const merged: Files = new Map();
      const isPlan = (path: string): boolean => path.startsWith('plans/');
      for (const [path, text] of only === 'plans' ? inCluster : wanted)
        if (!isPlan(path)) merged.set(path, text);
      for (const [path, text] of only === 'manifests' ? inCluster : wanted)
        if (isPlan(path)) merged.set(path, text);
      inCluster = merged;
      transcript.note(
        `the engine syncs ${only === undefined ? '' : `the ${only} of `}commit ${commits.length - 1}`,
      );
      await engine.sync(new Map([...merged].filter(([path]) => /^(manifests|plans)\/.*\.yaml$/.test(path))));
      await clock.settle();
    },
    run: (ms) => clock.advance(ms),
    async command(verb, { target = 'CloneSet/web', by = 'mona', ...words } = {}) {
      const flags = Object.entries({ ...words, by }).flatMap(([name, value]) => [`--${name}`, value]);
      const isOfCluster = kinds.some(
        ({ resource: { kind, namespaced } }) => !namespaced && target.startsWith(`${kind}/`),
      );
      const args = [verb, target, ...(isOfCluster ? [] : ['-n', 'shop']), ...flags];
      const files = Object.fromEntries([...head()].map(([path, text]) => [`/repo/${path}`, text]));
      files['/repo/.git/HEAD'] = '';
      const host = memoryHost(files, { cwd: '/repo', env: { NO_COLOR: '1' } });
      // The command is answered when the clock advances.
      const person = { cluster: user, confirm: () => Promise.resolve(true) };
      await main(Object.assign(host, person), [...args, '--no-wait']);
      transcript.note(
        `kruise ${args.map(typed).join(' ')}: ${`${host.err}${host.out}`.trim().replaceAll('\n', '; ')}`,
      );
      await clock.settle();
    },
    until: (phase, name) => waitFor(`phase ${phase}`, (plan) => planPhase(plan) === phase, name),
    untilStep: (step, name) =>
      waitFor(
        `step ${step}`,
        (plan) => (plan['status'] as RolloutPlanStatus | undefined)?.step === step,
        name,
      ),
    pods: async () => (await user.list(resources.Pod, { namespace: 'shop' })).items as Pod[],
    async plan(name = defaultPlan()) {
      const [own, ofCluster] = await Promise.all([
        user.list(resources.RolloutPlan, { namespace: 'shop' }),
        user.list(resources.ClusterRolloutPlan, {}),
      ]);
      return [...own.items, ...ofCluster.items].find((object) => object.metadata.name === name);
    },
    async target(name = 'web') {
      for (const { resource } of kinds) {
        const { items } = await user.list(resource, resource.namespaced ? { namespace: 'shop' } : {});
        const found = items.find(({ metadata }) => metadata.name === name);
        if (found !== undefined) return found;
      }
      throw new Error(`there is no target ${name}`);
    },
    files: head,
    async stopRuntime() {
      transcript.note('the runtime stops');
      await Promise.all([runtime.stop(), clock.settle()]);
    },
    async startRuntime() {
      transcript.note('a runtime starts');
      runtime = create();
      runtime.start();
      await clock.settle();
    },
    async stop() {
      void runtime.stop();
      world.stop();
      await clock.settle();
    },
  };
  await options.prepare?.(stage);
  runtime.start();
  await clock.settle();
  await stage.commit('the first state', options.files);
  return stage;
}

/** Runs the real command on both states, and records its output and files. */
async function planInto(
  next: Files,
  base: Files,
  transcript: Transcript,
  args: readonly string[],
): Promise<void> {
  const files: Record<string, string> = {};
  for (const [path, text] of next) files[`/repo/${path}`] = text;
  for (const [path, text] of base) files[`/base/${path}`] = text;
  files['/repo/.git/HEAD'] = '';
  files['/base/.git/HEAD'] = '';
  const host = memoryHost(files, { cwd: '/repo', env: { NO_COLOR: '1' } });
  const code = await main(host, ['plan', ...args, '--base-dir', '/base']);
  transcript.planned(['kruise', 'plan', ...args].join(' '), code, host.out, host.err);
  for (const [path, text] of host.files) {
    const own = path.startsWith('/repo/plans/') ? path.slice('/repo/'.length) : undefined;
    if (own === undefined || typeof text !== 'string') continue;
    if (next.get(own) !== text) transcript.written(own, text);
    next.set(own, text);
  }
  for (const path of next.keys()) {
    if (path.startsWith('plans/') && !host.files.has(`/repo/${path}`)) next.delete(path);
  }
}

/** An argument, quoted for a shell. */
function typed(argument: string): string {
  return /^[\w/:.=-]+$/.test(argument) ? argument : `'${argument}'`;
}
