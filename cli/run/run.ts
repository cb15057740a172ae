import { hostname } from 'node:os';
import packageJson from '../../package.json' with { type: 'json' };
import { loadConnection } from '../../runtime/api/load-connection.ts';
import { createHostClock } from '../../runtime/host-clock.ts';
import { serviceHost } from '../../runtime/admit/configuration.ts';
import { startAdmission } from '../../runtime/admit/process.ts';
import { startProcess, type RuntimeProcess } from '../../runtime/process.ts';
import { startShadowProcess } from '../../runtime/shadow/process.ts';
import { watchHost } from '../../runtime/report/host-readings.ts';
import { admittingBy } from '../../semantics/kinds/admitting.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import type { Refusal } from '../command/refusal.ts';
import type { Host, Machine } from '../host.ts';
import { exitCode, type Run } from '../command/command.ts';
import { reportRefusal } from '../command/report.ts';
import { namespacesOf } from './namespaces.ts';
import { readRunOptions, type RunOptions } from './options.ts';

/** `kruise run`: reconciles a cluster until a signal arrives. */
export const runRuntime: Run = async (host, operands, values) => {
  const options = readRunOptions(host, operands, values);
  if (Array.isArray(options)) return refuse(host, ...options);
  const machine = host.machine ?? (await import('../machine/node-machine.ts')).nodeMachine();
  let signaled = (): void => {};
  const signal = new Promise<undefined>((resolve) => (signaled = () => resolve(undefined)));
  const removeListener = machine.onSignal(signaled);
  try {
    const running = await start(host, machine, options);
    if ('problem' in running) return refuse(host, running);
    const problem = await Promise.race([signal, running.failed]);
    await running.stop();
    return problem === undefined ? exitCode.done : refuse(host, problem);
  } finally {
    removeListener();
  }
};

async function start(host: Host, machine: Machine, options: RunOptions): Promise<RuntimeProcess | Refusal> {
  const { kubeconfig, context, namespace, port } = options;
  const connection = await loadConnection({
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(context !== undefined && { context }),
    env: host.env,
    cwd: host.cwd,
  });
  if ('problem' in connection) return connection;
  const inCluster = kubeconfig === undefined && host.env['KUBERNETES_SERVICE_HOST'] !== undefined;
  const address = options.address ?? (inCluster ? '0.0.0.0' : '127.0.0.1');
  // Runtimes of different namespaces use different Leases.
  const name = namespace === undefined ? 'kruise' : `kruise-${namespace}`;
  const identity = `${hostname()}_${[machine.random(), machine.random()].map((n) => n.toString(36)).join('')}`;
  const { lease, records } = namespacesOf(options, connection);
  const election = { namespace: lease, name, identity };
  try {
    const log = { format: options.log, write: (line: string) => host.stdout(line) };
    if (options.admission !== undefined)
      return await startAdmission({
        connection,
        clock: createHostClock(),
        random: () => machine.random() / 2 ** 32,
        version: packageJson.version,
        endpoint: port === 0 ? undefined : { port, address },
        reviews: {
          ...options.admission,
          address,
          // Only in a cluster it is known by which name API servers ask.
          host:
            options.admission.host ?? (inCluster ? serviceHost(connection.namespace ?? lease) : undefined),
        },
        stateNamespace: records,
        policy: options.policy,
        kinds: admittingBy(kinds, options.admission.asked),
        log,
      });
    const clock = createHostClock();
    const page = options.page ? (await import('./page.ts')).rolloutsReader(clock) : undefined;
    const begin = options.shadow ? startShadowProcess : startProcess;
    return await begin({
      connection,
      clock,
      random: () => machine.random() / 2 ** 32,
      version: packageJson.version,
      policy: options.policy,
      adopt: options.adopt,
      maxRunning: options.maxRunning,
      allowBreakGlass: options.allowBreakGlass,
      config: options.config,
      namespace,
      identity,
      election: options.election ? election : undefined,
      stateNamespace: records,
      endpoint: port === 0 ? undefined : { port, address, page },
      log,
      host: watchHost(),
    });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // The port of reviews is the other one that is opened; an error that says no port is about the first.
    const refused = error instanceof Error && 'port' in error ? error.port : port;
    const help =
      refused === options.admission?.port
        ? 'choose another one with --admission-port N'
        : 'choose another one with --port N, or --port 0 for no health and metrics endpoints';
    if (code === 'EADDRINUSE') return { problem: `port ${String(refused)} of ${address} is in use`, help };
    if (code === 'EACCES') return { problem: `port ${String(refused)} needs more privileges`, help };
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
      return {
        problem: `${address} is not an address of this machine`,
        help: 'set --address to one of its addresses',
      };
    throw error;
  }
}

function refuse(host: Host, ...refusals: readonly Refusal[]): number {
  for (const refusal of refusals) reportRefusal(host, 'run', refusal);
  return exitCode.error;
}
