import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { main as kruise } from '../../cli/dispatch.ts';
import { nodeHost } from '../../cli/machine/node-host.ts';
import { createRuntime } from '../../runtime/runtime.ts';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { createEngine } from './engine.ts';
import { kubectlFor } from './kubectl.ts';
import { actionLines } from '../../cli/sandbox/action-lines.ts';
import { type Claim, prove } from './proof.ts';
import { createRepository } from './repository.ts';
import { podTable, type Screen } from './screen.ts';

/** One git state of the demo: a title, and its manifests by path. */
export interface State {
  title: string;
  files: Readonly<Record<string, string>>;
}

export interface DemoOptions {
  states: readonly State[];
  screen: Screen;
  /** An empty folder for the repository. */
  folder: string;
  /** Real milliseconds per virtual one; 0 = as fast as it goes. */
  pace: number;
  /** The kubectl that applies the states over HTTP and prints the result; undefined: skipped. */
  kubectl: string | undefined;
}

const START = Date.UTC(2026, 0, 1);
const SHOP = 'shop';

/**
 * Plays a git history against an in-memory cluster: each state is planned with the real command, committed with its
 * plans, synced and rolled out. Returns the verified claims about the pods.
 */
export async function playDemo({ states, screen, folder, pace, kubectl }: DemoOptions): Promise<Claim[]> {
  const repository = createRepository(folder);
  const clock = createVirtualClock(START, { pace });
  const world = createWorld({ clock, namespaces: ['default', SHOP] });
  const reader = world.cluster('demo');
  const engine = createEngine(world.cluster('engine'));
  const client = kubectl === undefined ? undefined : await kubectlFor(kubectl, world, join(folder, 'home'));

  /** Runs a kubectl command and prints its output; does nothing without kubectl. */
  async function show(line: string): Promise<void> {
    if (client === undefined) return;
    screen.text(`$ kubectl ${line}`);
    screen.text(`${(await client.run(line.split(' '), repository.folder)).trimEnd()}\n`);
  }

  async function sync(): Promise<void> {
    if (client === undefined) {
      screen.text('Committed. The GitOps engine syncs manifests and plans:\n');
      return engine.sync(manifestsAndPlans(repository.folder));
    }
    screen.text('Committed. What a GitOps engine would sync is applied with kubectl:\n');
    const isPlanned = existsSync(join(repository.folder, 'plans'));
    await show(`apply -R -f manifests${isPlanned ? ' -f plans' : ''}`);
  }

  const runtime = createRuntime({
    cluster: world.cluster('kruise'),
    clock,
    policy: 'Required',
    onReconcile: (report) => {
      for (const text of actionLines(report)) screen.event((clock.now() - START) / 1000, text);
    },
    onError: (key, error) => screen.text(`reconciling ${String(key)} failed: ${String(error)}`),
  });
  const pods = async (): Promise<Pod[]> =>
    (await reader.list(resources.Pod, { namespace: SHOP })).items as Pod[];
  const live = new Map<string, Pod>();
  world.onCommit(({ resource, type, object }) => {
    if (resource !== 'pods') return;
    if (type === 'DELETED') live.delete(object.metadata.name);
    else live.set(object.metadata.name, object as Pod);
    screen.live([...live.values()].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)));
  });
  let phase = '';
  let isAvailable = false;
  world.onCommit(({ object }) => {
    if (object.kind === 'RolloutPlan') phase = planPhase(object);
    if (object.kind === 'CloneSet') isAvailable = areAllAvailable(object);
  });
  try {
    runtime.start();

    let before: Pod[] = [];
    let logged = 0;
    for (const [index, { title, files }] of states.entries()) {
      screen.heading(`${index + 1}. ${title}`);
      repository.write(files);
      const planned = await plan(repository.folder, repository.base, screen);
      if (!planned) throw new Error('kruise plan refused the state');
      showPlans(repository.folder, screen);
      repository.commit(title);
      phase = '';
      await sync();
      if (index === 0) {
        await clock.runUntil(() => isAvailable, { limitMs: 120_000, what: 'available pods' });
        screen.settle();
        await clock.settle();
        before = await pods();
        logged = world.log.length;
      } else {
        await clock.runUntil(() => phase === 'Succeeded' || phase === 'Halted' || phase === 'Reverted', {
          limitMs: 600_000,
          what: 'completion of the rollout',
        });
        screen.settle();
        await clock.settle();
      }
      screen.text('');
      await show('get clonesets,rolloutplans,pods');
    }
    const after = await pods();
    screen.heading('The proof');
    screen.text(`Before:\n${podTable(before).join('\n')}\n\nAfter:\n${podTable(after).join('\n')}\n`);
    const claims = prove(before, after, world.log.slice(logged));
    screen.claims(claims);
    await runtime.stop();
    world.stop();
    await clock.settle();
    return claims;
  } finally {
    await client?.close();
  }
}

/** The phase in a plan's status; '' while the status is of an earlier generation. */
export function planPhase(object: KubeObject): string {
  const status = (object['status'] ?? {}) as { phase?: string; observedGeneration?: number };
  return status.observedGeneration === object.metadata.generation ? (status.phase ?? '') : '';
}

/** Whether the status of a CloneSet counts every replica as available. */
function areAllAvailable(object: KubeObject): boolean {
  const { replicas } = object['spec'] as { replicas: number };
  const { availableReplicas } = (object['status'] ?? {}) as { availableReplicas?: number };
  return availableReplicas === replicas;
}

/** Runs `kruise plan` in the working tree and prints the output for reviewers. */
async function plan(folder: string, base: string, screen: Screen): Promise<boolean> {
  const machine = nodeHost();
  screen.text('$ kruise plan --base-dir ../base');
  const code = await kruise(
    {
      ...machine,
      cwd: folder,
      env: { ...machine.env, CI: undefined },
      stdout: (text) => screen.text(text.trimEnd()),
      stderr: (text) => screen.text(text.trimEnd()),
    },
    ['plan', '--base-dir', base],
  );
  screen.text('');
  return code === 0;
}

/** The plan file in the pull request. */
function showPlans(folder: string, screen: Screen): void {
  for (const [path, text] of Object.entries(readTree(folder, ''))) {
    if (path.endsWith('/plan.yaml')) screen.text(`${path}:\n\n${text.trimEnd().replaceAll(/^/gm, '    ')}\n`);
  }
}

function manifestsAndPlans(folder: string): Map<string, string> {
  return new Map(
    Object.entries(readTree(folder, '')).filter(([path]) => /^(manifests|plans)\/.*\.yaml$/.test(path)),
  );
}

/** Every file below `folder/at` by its path relative to `folder`; without hidden folders. */
export function readTree(folder: string, at: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const entry of readdirSync(join(folder, at), { withFileTypes: true })) {
    if (entry.name.startsWith('.')) continue;
    const path = at === '' ? entry.name : `${at}/${entry.name}`;
    if (entry.isDirectory()) Object.assign(files, readTree(folder, path));
    else files[path] = readFileSync(join(folder, path), 'utf8');
  }
  return files;
}
