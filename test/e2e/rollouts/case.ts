import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { main as kruiseIn } from '../../../cli/dispatch.ts';
import { nodeHost } from '../../../cli/machine/node-host.ts';
import { start, words, type Answer } from '../run.ts';
import { withNamespace } from '../rest.ts';
import type { Varying } from '../text.ts';
import { endState } from './end-state.ts';
import {
  type ClusterSnapshot,
  eventsIn,
  snapshotOf,
  type TargetKind,
  targetKinds,
  versionsOf,
} from './snapshot.ts';
import { eventually } from './programs.ts';
import { steadyRollout } from './steady.ts';
import { ENGINE, type World } from './world.ts';

/** What a case has in its hands: a namespace and a git repository of its own, kubectl, kruise, and a record of it all. */
export interface Case {
  world: World;
  namespace: string;
  /** A sentence for the record. */
  note(text: string): void;
  /** In the whole record this text, which differs from world to world, has that name. */
  name(text: string, name: string): void;
  /** Sets the manifests at head, plans them against the former ones, and records the summary of `kruise plan`. */
  commit(manifest: string): Promise<void>;
  /** Applies manifests and plans with the account of a GitOps engine. */
  sync(): Promise<void>;
  /** Runs kubectl as the administrator, and records its output. */
  kubectl(line: string, stdin?: string): Promise<Answer>;
  /** The same of kruise. */
  kruise(line: string): Promise<Answer>;
  /** Records the status of the target `web`; its Events are recorded at the end. */
  status(): Promise<void>;
  snapshot(kinds?: (keyof ClusterSnapshot)[]): Promise<ClusterSnapshot>;
  /** Waits until a condition on the objects of the rollout holds. */
  until(
    what: string,
    holds: (snapshot: ClusterSnapshot) => boolean,
    limitMs?: number,
  ): Promise<ClusterSnapshot>;
  /** Waits until nothing is written any more, and records the output of `kubectl get`. */
  show(): Promise<void>;
  /** Remembers the pods that are there; `kept` records how many of them are there still. */
  mark(): Promise<void>;
  retained(): Promise<void>;
  /** The whole record, and the remaining objects of the namespace. */
  record(): Promise<string>;
}

/** The configuration of plans, unless a case writes its own. */
export interface Setting {
  /** `kruise.yaml`. */
  steps?: string;
  /** Of the target `web`. */
  kind?: TargetKind;
}

const CALM_MS = 1_200;

export function createCase(world: World, namespace: string, title: string, setting: Setting): Case {
  const { steps, kind = 'CloneSet' } = setting;
  const { rest, kubeconfig, url } = world.server;
  const dir = join(world.folder, namespace);
  const tree = join(dir, 'shop');
  mkdirSync(join(tree, 'manifests'), { recursive: true });
  const config = join(dir, '.kubeconfig');
  writeFileSync(config, withNamespace(kubeconfig, namespace), { mode: 0o600 });
  if (steps !== undefined) writeFileSync(join(tree, 'kruise.yaml'), steps);
  const varying: Varying = { namespace, url, dir };
  // What kubectl learns of a server it keeps there, for all cases.
  const env = { HOME: world.folder, PATH: process.env['PATH'] ?? '', KUBECONFIG: config };
  const lines: string[] = [`# ${title}`];
  let marked: string[] = [];

  const run = (path: string, args: readonly string[], stdin?: string): Promise<Answer> =>
    start({ path, args, env, cwd: tree, stdin }).done;

  // Whatever the administrator is called there, in the record it has one name.
  const administrator = new RegExp(
    `(?<![-\\w])${world.user.replaceAll(/\W/g, String.raw`\$&`)}(?![-\\w])`,
    'g',
  );
  const names = new Map<string, string>();
  const steady = (text: string): string => {
    const named = [...names].reduce((result, [each, name]) => result.replaceAll(each, name), text);
    return steadyRollout(named.replaceAll(administrator, 'kubernetes-admin'), varying);
  };

  function note(command: string, { code, out, err }: Answer): void {
    const said = [out, err].map(steady).filter((text) => text !== '');
    lines.push(`\n$ ${steady(command)}`, ...said, ...(code === 0 ? [] : [`[exit ${code}]`]));
  }

  const look = (kinds?: (keyof ClusterSnapshot)[]): Promise<ClusterSnapshot> =>
    snapshotOf(rest, { namespace, kind }, kinds);

  async function calm(): Promise<void> {
    let observed = '';
    let since = Date.now();
    await eventually('calm', async () => {
      const versions = versionsOf(await look());
      if (versions !== observed) since = Date.now();
      observed = versions;
      return Date.now() - since >= CALM_MS;
    });
  }

  const kruise = (line: string): Promise<Answer> => run(process.execPath, [world.kruise, ...words(line)]);

  async function kubectl(line: string, stdin?: string): Promise<Answer> {
    const answer = await run(world.kubectl.path, words(line), stdin);
    note(`kubectl ${line}`, answer);
    return answer;
  }

  return {
    world,
    namespace,
    note: (text) => void lines.push(`\n${text}`),
    name: (text, name) => void names.set(text, name),
    async commit(manifest) {
      const base = join(dir, 'base');
      rmSync(base, { recursive: true, force: true });
      cpSync(tree, base, { recursive: true });
      writeFileSync(join(tree, 'manifests', 'web.yaml'), manifest);
      const answer = await planned(tree, ['plan', '--base-dir', '../base']);
      const summary = answer.out.split('\n').filter((each) => /^(?: {2}\S|-\/\+ |Plan: )/.test(each));
      note('kruise plan --base-dir ../base', { ...answer, out: summary.join('\n') });
      if (answer.code !== 0) throw new Error(`kruise plan: ${answer.err}`);
    },
    async sync() {
      const line = `apply -R -f manifests -f plans --as ${ENGINE}`;
      mkdirSync(join(tree, 'plans'), { recursive: true });
      const { code, err } = await kubectl(line);
      if (code !== 0) throw new Error(err);
    },
    kubectl,
    async kruise(line) {
      const answer = await kruise(line);
      note(`kruise ${line}`, answer);
      return answer;
    },
    async status() {
      await calm();
      const answer = await kruise(`status ${kind}/web`);
      note(`kruise status ${kind}/web`, {
        ...answer,
        out: answer.out.replace(/\nEvents, newest first[^]*/, ''),
      });
    },
    snapshot: look,
    until: (what, holds, limitMs = 60_000) => {
      let last: ClusterSnapshot | undefined;
      const ask = async (): Promise<ClusterSnapshot | undefined> => {
        last = await look(['targets', 'plans', 'pods', 'commands']);
        return holds(last) ? last : undefined;
      };
      const context = (): string =>
        JSON.stringify([last?.targets, last?.plans].map((all) => all?.map(({ status }) => status)));
      return eventually(what, ask, { limitMs, context });
    },
    async show() {
      await calm();
      await kubectl(`get ${targetKinds[kind].resource},rolloutplans,pods`);
    },
    async mark() {
      marked = (await look(['pods'])).pods.map(({ metadata }) => metadata.uid);
    },
    async retained() {
      const now = (await look(['pods'])).pods.map(({ metadata }) => metadata.uid);
      const kept = now.filter((uid) => marked.includes(uid)).length;
      lines.push(`\n${kept} of ${marked.length} pods are the same ones, ${now.length - kept} are others.`);
    },
    async record() {
      await calm();
      const events = await eventsIn(rest, namespace);
      return `${lines.join('\n')}\n\n${endState(await look(), events, steady).trimEnd()}\n`;
    },
  };
}

/** Runs a command that uses no cluster in this process, which saves the start of a process. */
async function planned(cwd: string, args: string[]): Promise<Answer> {
  const said = { out: '', err: '' };
  const machine = nodeHost();
  const code = await kruiseIn(
    {
      ...machine,
      cwd,
      env: { ...machine.env, CI: undefined },
      stdout: (text) => void (said.out += text),
      stderr: (text) => void (said.err += text),
    },
    args,
  );
  return { code, ...said };
}
