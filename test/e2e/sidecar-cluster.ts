import { eventually, type Program } from './rollouts/programs.ts';
import { beginAdmission, type Bundle, mount } from './sidecars.ts';
import type { Kubectl } from './suite.ts';

export const access = ['--kubeconfig', '.kubeconfig'];

/** The namespace of a case, with nodes, in which sidecars are injected and updated by processes of their own. */
export interface SidecarCluster {
  startRuntime(): void;
  /** Starts the admission, applies a set, and waits until the webhook injects it. */
  inject(set: string): Promise<void>;
  /**
   * Waits until this number of pods are counted as updated. A runtime that first sees a changed set would take its pods for
   * those of another controller.
   */
  recorded(count: number): Promise<void>;
  /** These fields of each pod with the label `app: web`, by a template of kubectl; sorted. */
  each(path: string): Promise<string[]>;
  /** Waits for it; on failure the output of the runtime is shown. */
  until(what: string, ask: () => Promise<boolean>): Promise<void>;
  /** Waits until there is this number of pods, and all are ready. */
  ready(count: number): Promise<void>;
  /** Plans the change of the set in git, commits it, and waits until its plan has this phase. Returns what was planned. */
  rollOut(change: SetChange, phase: string): Promise<string>;
  /** A field of the plan of the set. */
  plan(field: string): Promise<string>;
  /** Stops the runtime, and returns its exit code. */
  stopRuntime(): Promise<number | null>;
}

/** A change of the set, with files that are the same before and after it. */
export interface SetChange {
  before: string;
  after: string;
  unchanged?: Readonly<Record<string, string>>;
}

/** Plays in such a cluster, and removes everything that is in no namespace. The set has the name of the namespace. */
export async function inSidecarCluster(
  bundle: Bundle,
  k: Kubectl,
  play: (cluster: SidecarCluster) => Promise<void>,
): Promise<void> {
  const plan = `clusterrolloutplan sidecarset-${k.namespace}`;
  const kubeletArgs = ['--pull-time', '100ms', '--no-events', '--cleanup'];
  // The sandbox has a scheduler of its own.
  if (k.server.name === 'the sandbox') kubeletArgs.push('--no-scheduler');
  // A server without nodes gets those of `kruise kubelet`.
  const kubelet = k.server.hasNodes ? undefined : bundle.start(k, 'kubelet', ...access, ...kubeletArgs);
  let runtime: Program | undefined;
  let admission: Program | undefined;
  const cluster: SidecarCluster = {
    startRuntime() {
      const args = ['--no-leader-election', '--lease-namespace', k.namespace, '--port', '0', '--log', 'text'];
      runtime = bundle.start(k, 'run', ...args, ...access);
    },
    async inject(set) {
      const ca = await mount(k);
      const { program, url } = await beginAdmission(bundle, k);
      admission = program;
      await bundle.run(k, 'admission', 'install', '--ca', ca, '--url', url, ...access);
      await k.run('apply -f -', set);
      await eventually('the webhook', async () =>
        (await bundle.run(k, 'admission', 'check', ...access)).startsWith('the webhook answers'),
      );
    },
    async each(path) {
      const { out } = await k.raw(`get pods -l app=web -o 'jsonpath={range .items[*]}${path}{"\\n"}{end}'`);
      return out.trim().split('\n').sort();
    },
    async until(what, ask) {
      const context = (): string => runtime?.output() ?? '';
      await eventually(what, ask, { limitMs: 90_000, context });
    },
    ready: async (count) =>
      cluster.until(`${count} ready pods`, async () => {
        const all = await cluster.each('{.status.conditions[?(@.type=="Ready")].status}');
        return all.join() === Array(count).fill('True').join();
      }),
    recorded: async (count) =>
      cluster.until('the record of the first content', async () => {
        const path = '{.status.updatedReadyPods}';
        return (await k.raw(`get sidecarset ${k.namespace} -o jsonpath=${path}`)).out === `${count}`;
      }),
    async rollOut({ before, after, unchanged = {} }, phase) {
      for (const [folder, set] of [
        ['before', before],
        ['after', after],
      ] as const) {
        for (const [name, text] of Object.entries({ ...unchanged, 'set.yaml': set }))
          k.file(`${folder}/${name}`, text);
      }
      const planned = await bundle.run(k, 'plan', 'after', '--base-dir', 'before');
      await k.run('apply -f after/set.yaml -f after/plans --recursive');
      await cluster.until(`${phase} of the plan`, async () => (await cluster.plan('phase')) === phase);
      return planned;
    },
    plan: async (field) => (await k.raw(`get ${plan} -o jsonpath={.status.${field}}`)).out,
    stopRuntime: async () => (await runtime?.stop()) ?? null,
  };
  try {
    await play(cluster);
  } finally {
    await runtime?.kill();
    await kubelet?.stop();
    await admission?.kill();
    await k.run('delete mutatingwebhookconfiguration kruise-admission --ignore-not-found');
    await k.run(`delete sidecarset ${k.namespace} --ignore-not-found`);
    await k.run(`delete ${plan} --ignore-not-found`);
  }
}
