import { main } from '../../compiler/cli/dispatch.ts';
import { createRuntime, type Runtime } from '../../runtime/runtime.ts';
import type { Policy } from '../../runtime/plan/policy.ts';
import { createVirtualClock, type VirtualClock } from '../../sandbox/clock/virtual.ts';
import { createWorld, type World } from '../../sandbox/world.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { memoryHost } from '../compiler/world/memory-host.ts';
import { planPhase } from '../../examples/demo/demo.ts';
import { createEngine } from '../../examples/demo/engine.ts';
import { createTranscript, type Transcript } from './transcript.ts';

/** A git state: every file below the repository's root. */
export type Files = Map<string, string>;

export interface StageOptions {
  policy?: Policy;
  /** Files of the first commit, which is planned against an empty repository. */
  files: Record<string, string>;
}

/**
 * A whole roll-out in one thread: a repository in memory, the real `kruise plan`, a GitOps engine, the sandbox and the
 * real runtime, all on one virtual clock. What happens is told in the transcript.
 */
export interface Stage {
  world: World;
  clock: VirtualClock;
  user: Cluster;
  transcript: Transcript;
  /** Changes files and commits them with what `kruise plan` writes; `plan: false` commits without a plan. */
  commit(
    message: string,
    files: Record<string, string | undefined>,
    options?: { plan?: boolean },
  ): Promise<void>;
  /** A commit whose files are those of an earlier one, plans included: `git revert`. */
  revert(message: string, to: number): void;
  /** Lets the engine apply the last commit; `only` leaves the other kind of file as it is in the cluster. */
  sync(only?: 'plans' | 'manifests'): Promise<void>;
  run(ms: number): Promise<void>;
  /** Runs until the plan's phase is this, or fails after a virtual hour. */
  until(phase: string): Promise<void>;
  pods(): Promise<Pod[]>;
  plan(): Promise<KubeObject | undefined>;
  target(): Promise<KubeObject>;
  files(): Files;
  stop(): Promise<void>;
}

const EPOCH = Date.UTC(2026, 0, 1);

export async function createStage(options: StageOptions): Promise<Stage> {
  const clock = createVirtualClock(EPOCH);
  const world = createWorld({ clock, namespaces: ['default', 'shop'] });
  const transcript = createTranscript(clock, world);
  const user = world.cluster('user');
  const runtime: Runtime = createRuntime({
    cluster: world.cluster('kruise'),
    clock,
    policy: options.policy ?? 'Required',
    onPass: (report) => transcript.pass(report),
    onError: (_key, error) => {
      throw error;
    },
  });
  const engine = createEngine(world.cluster('engine'));
  const commits: Files[] = [new Map()];
  let inCluster: Files = new Map();
  const head = (): Files => new Map(commits.at(-1));

  const stage: Stage = {
    world,
    clock,
    user,
    transcript,
    async commit(message, changed, { plan = true } = {}) {
      const base = head();
      const next = head();
      for (const [path, text] of Object.entries(changed)) {
        if (text === undefined) next.delete(path);
        else next.set(path, text);
      }
      transcript.commit(message, commits.length, changed);
      if (plan) await planInto(next, base, transcript);
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
      transcript.say(
        `the engine syncs ${only === undefined ? '' : `the ${only} of `}commit ${commits.length - 1}`,
      );
      await engine.sync(new Map([...merged].filter(([path]) => /^(manifests|plans)\/.*\.yaml$/.test(path))));
      await clock.settle();
    },
    run: (ms) => clock.advance(ms),
    async until(phase) {
      let seen: string | undefined;
      const stop = world.onCommit(({ object }) => {
        if (object.kind === 'RolloutPlan') seen = planPhase(object);
      });
      const plan = await stage.plan();
      seen = plan === undefined ? undefined : planPhase(plan);
      await clock.runUntil(() => seen === phase, { what: `phase ${phase}` });
      stop();
    },
    pods: async () => (await user.list(resources.Pod, { namespace: 'shop' })).items as Pod[],
    plan: async () => (await user.list(resources.RolloutPlan, { namespace: 'shop' })).items[0],
    target: () => user.get(resources.CloneSet, { namespace: 'shop', name: 'web' }),
    files: head,
    async stop() {
      runtime.stop();
      world.stop();
      await clock.settle();
    },
  };
  runtime.start();
  await clock.settle();
  await stage.commit('the first state', options.files);
  return stage;
}

/** Runs the real command over both states and keeps what it printed and wrote. */
async function planInto(next: Files, base: Files, transcript: Transcript): Promise<void> {
  const files: Record<string, string> = {};
  for (const [path, text] of next) files[`/repo/${path}`] = text;
  for (const [path, text] of base) files[`/base/${path}`] = text;
  files['/repo/.git/HEAD'] = '';
  files['/base/.git/HEAD'] = '';
  const host = memoryHost(files, { cwd: '/repo', env: { NO_COLOR: '1' } });
  const code = await main(host, ['plan', '--base-dir', '/base']);
  transcript.planned(code, host.out, host.err);
  for (const [path, text] of host.files) {
    const own = path.startsWith('/repo/plans/') ? path.slice('/repo/'.length) : undefined;
    if (own === undefined || typeof text !== 'string') continue;
    if (next.get(own) !== text) transcript.wrote(own, text);
    next.set(own, text);
  }
  for (const path of next.keys()) {
    if (path.startsWith('plans/') && !host.files.has(`/repo/${path}`)) next.delete(path);
  }
}
