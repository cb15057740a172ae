import { createRuntime } from '../../runtime/runtime.ts';
import { behaviorByTag, createWallClock, createWorld, guarded, idsFrom, type World } from 'kruise-sandbox';
import { type Front, httpWebhooks, type Identity, makeIdentity, serve } from 'kruise-sandbox/http';
import type { Clock } from '../../schemas/wire/clock.ts';
import type { Refusal } from '../command/refusal.ts';
import { hasErrors } from '../../compiler/diagnostics/diagnostic.ts';
import type { Host, Machine } from '../host.ts';
import { forTerminal, shorten } from '../../compiler/text/escape.ts';
import { exitCode, type Run } from '../command/command.ts';
import { readBodyYaml } from '../files/body-yaml.ts';
import { createStateNamespace } from './state-namespace.ts';
import { createAdmission, RUNTIME_USER, withOwnAdmission } from './admission.ts';
import { kubeconfigRefusal, writeKubeconfig } from './kubeconfig.ts';
import { actionLines } from './action-lines.ts';
import { reportDiagnostics, reportRefusal } from '../command/report.ts';
import { readLoadables, type Loadable } from './files.ts';
import { applyLoadables } from './load.ts';
import { createNotices } from './notices.ts';
import { readSandboxOptions, type SandboxOptions } from './options.ts';
import { readyScreen } from './screen.ts';
import { withFile, openState, Refused, textOf, type Undo } from './state.ts';

/** The user of kubectl, and of the objects applied by `--load`. */
const ADMIN = 'kubernetes-admin';
/** The number of requests in the log. */
const LOG_SIZE = 1_000;
/** How long to wait for clients that keep their connection open. */
const CLOSE_MS = 500;
/** The most refused objects that are printed; the others are counted. */
const MOST_SHOWN = 50;
const NODES = { group: '', version: 'v1', plural: 'nodes' };

/** `kruise sandbox`: starts a cluster in memory, prints how to connect to it, and stops at a signal. */
export const runSandbox: Run = async (host, operands, values) => {
  const options = readSandboxOptions(host, operands, values);
  if (Array.isArray(options)) return refuse(host, options);
  const machine = host.machine ?? (await import('../machine/node-machine.ts')).nodeMachine();
  const loaded = readLoadables(host, options.load);
  reportDiagnostics(host, loaded.diagnostics);
  for (const refusal of loaded.refusals) reportRefusal(host, 'sandbox', refusal);
  if (hasErrors(loaded.diagnostics) || loaded.refusals.length > 0) {
    host.stderr('nothing was loaded, and nothing was started\n');
    return exitCode.error;
  }
  for (const note of loaded.notes) host.stderr(`kruise sandbox: ${forTerminal(note)}\n`);
  machine.collectEarly();
  const undo: Undo = [];
  try {
    return await runWorld({ host, machine, options, loaded, undo });
  } catch (error) {
    if (error instanceof Refused) return refuse(host, error.refusals);
    throw error;
  } finally {
    for (const step of undo.reverse()) await step();
  }
};

interface Start {
  host: Host;
  machine: Machine;
  options: SandboxOptions;
  loaded: ReturnType<typeof readLoadables>;
  undo: Undo;
}

async function runWorld({ host, machine, options, loaded, undo }: Start): Promise<number> {
  let stop: () => void = () => {};
  const stopped = new Promise<undefined>((resolve) => (stop = () => resolve(undefined)));
  let fail: (problem: string) => void = () => {};
  const failed = new Promise<string>((resolve) => (fail = resolve));
  undo.push(machine.onSignal(stop));

  const { kubeconfig } = options;
  const inUse = withFile('kubeconfig', kubeconfig, () => kubeconfigRefusal(host, machine, kubeconfig));
  if (inUse !== undefined) throw new Refused(inUse);
  const state = options.state && openState(host, machine, options.state, undo, fail);
  const clock = guarded(createWallClock(options.speed, state?.journal.restored?.time), (error) =>
    host.stderr(`kruise sandbox: internal error: ${forTerminal(textOf(error))}\n`),
  );
  const world: World = createWorld({
    clock,
    ids: idsFrom(machine.random, machine.random),
    timings: { pullMs: options.pullMs },
    logSize: LOG_SIZE,
    podEvents: true,
    bootstrapped: true,
    workloads: true,
    nodeLeases: true,
    mutatingPolicies: options.mutatingPolicies,
    images: behaviorByTag,
    webhooks: options.runtime ? withOwnAdmission(httpWebhooks, () => world, clock, 'Auto') : httpWebhooks,
    ...(options.nodes === undefined ? {} : { nodes: options.nodes }),
    restored: state?.journal.restored,
    ...(state === undefined ? {} : { persist: state.journal.persist }),
  });
  undo.push(() => world.stop());
  if (state !== undefined)
    undo.push(() =>
      withFile('state', state.named, () => state.journal.close({ ...world.state(), time: clock.now() })),
    );
  if (options.runtime) {
    createStateNamespace(world.server, ADMIN);
    createAdmission(world.server);
  }
  applyAll(host, world, loaded.objects);
  const token = tokenOf(machine);
  const identity = options.tls ? await makeIdentity() : undefined;
  const front = await listening({ world, token, identity, options, host });
  undo.push(() => Promise.race([front.close(), pause(CLOSE_MS)]));
  const access = { url: front.url, token, certificate: identity?.certificate };
  const written = withFile('kubeconfig', kubeconfig, () =>
    writeKubeconfig(host, machine, kubeconfig, access),
  );
  if ('problem' in written) throw new Refused(written);
  undo.push(() => written.remove());
  if (state !== undefined) withFile('state', state.named, () => state.journal.start(world.state()));
  if (options.runtime) undo.push(runRuntime(host, world, clock, options));

  const nodes = world.server.list(ADMIN, NODES).items.length;
  const { objects, files } = loaded;
  const restored = state?.journal.restored;
  host.stdout(readyScreen({ options, url: front.url, nodes, objects: objects.length, files, restored }));
  const problem = await Promise.race([stopped, failed]);
  if (problem === undefined) return exitCode.done;
  const help = 'the sandbox stops; all answered requests are stored, so free some space and start it again';
  reportRefusal(host, 'sandbox', { problem, help });
  return exitCode.error;
}

/** Applies the objects of `--load`. If the server refuses any, the sandbox does not start. */
function applyAll(host: Host, world: World, objects: readonly Loadable[]): void {
  const { applied, problems } = applyLoadables(world.server, ADMIN, objects);
  if (problems.length === 0) return;
  for (const { location, subject, message } of problems.slice(0, MOST_SHOWN))
    host.stderr(`${forTerminal(shorten(`${location}: ${subject}: ${message}`, 600))}\n`);
  if (problems.length > MOST_SHOWN) host.stderr(`… and ${problems.length - MOST_SHOWN} more\n`);
  const refused = objects.length - applied;
  const count = refused === 1 ? '1 object was refused' : `${refused} objects were refused`;
  throw new Refused({ problem: count, help: 'nothing was loaded, and nothing was started' });
}

interface Opening {
  world: World;
  token: string;
  identity: Identity | undefined;
  options: SandboxOptions;
  host: Host;
}

/** Opens the port. A random token keeps other users of the machine out. */
async function listening({ world, token, identity, options, host }: Opening): Promise<Front> {
  try {
    return await serve(world, {
      port: options.port,
      tokens: new Map([[token, ADMIN]]),
      ...(identity === undefined ? {} : { tls: identity }),
      readYaml: readBodyYaml,
      onError: (error) => host.stderr(`kruise sandbox: internal error: ${forTerminal(textOf(error))}\n`),
    });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE')
      throw new Refused({
        problem: `port ${options.port} is in use`,
        help: 'omit --port to use a free port',
      });
    if (code === 'EACCES')
      throw new Refused({
        problem: `port ${options.port} cannot be used: permission denied`,
        help: 'ports below 1024 need privileges; omit --port to use a free port',
      });
    throw error;
  }
}

/** Starts the runtime and prints its actions. */
function runRuntime(host: Host, world: World, clock: Clock, options: SandboxOptions): () => void {
  const print = ({ namespace, name }: { namespace: string; name: string }, text: string): void => {
    if (options.quiet) return;
    const time = new Date(clock.now()).toISOString().slice(11, 19);
    host.stderr(
      `${time}  ${forTerminal(shorten(`${namespace === '' ? '' : `${namespace}/`}${name}  ${text}`, 400))}\n`,
    );
  };
  const notice = createNotices();
  const unfollow = world.onCommit((commit) => {
    const text = notice(commit);
    const { namespace = '', name } = commit.object.metadata;
    if (text !== undefined) print({ namespace, name }, text);
  });
  const runtime = createRuntime({
    cluster: world.cluster(RUNTIME_USER),
    clock,
    policy: 'Auto',
    maxRunning: options.maxRunning,
    onReconcile(report) {
      for (const line of actionLines(report)) print(report.key, line);
    },
    onError: (key, error) => print(key, `reconcile failed, retrying: ${textOf(error)}`),
  });
  runtime.start();
  return () => {
    unfollow();
    void runtime.stop();
  };
}

function tokenOf(machine: Machine): string {
  return Array.from({ length: 4 }, () => machine.random().toString(16).padStart(8, '0')).join('');
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref());
}

function refuse(host: Host, refusals: readonly Refusal[]): number {
  for (const refusal of refusals) reportRefusal(host, 'sandbox', refusal);
  return exitCode.error;
}
