import type { Refusal } from '../command/refusal.ts';
import type { Host } from '../host.ts';
import { boundaryOf, fromCwd, shownPath, outsideLink } from '../../compiler/load/files.ts';
import { parseDuration } from '../../semantics/values/duration.ts';
import type { Options } from '../command/command.ts';

/** A file: its absolute path, and the path as it is shown. */
export interface NamedPath {
  path: string;
  shown: string;
}

/** The options of `kruise sandbox`. Times are in milliseconds. */
export interface SandboxOptions {
  /** 0: any free port. */
  port: number;
  /** Undefined if not given. */
  nodes: number | undefined;
  load: NamedPath[];
  kubeconfig: NamedPath;
  state: NamedPath | undefined;
  pullMs: number;
  speed: number;
  maxRunning: number;
  runtime: boolean;
  mutatingPolicies: boolean;
  tls: boolean;
  quiet: boolean;
}

const MOST_NODES = 5_000;
const SPEEDS = { least: 0.01, most: 100 };

/** Reads the options. Returns everything that is wrong with them at once. */
export function readSandboxOptions(
  host: Host,
  operands: readonly string[],
  options: Options,
): SandboxOptions | Refusal[] {
  const refusals: Refusal[] = [];
  const refuse = (problem: string, help: string): void => void refusals.push({ problem, help });

  function whole(name: string, least: number, most: number, example: string): number | undefined {
    const text = options[name];
    if (typeof text !== 'string') return undefined;
    const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    refuse(
      `--${name} cannot be '${text}'`,
      `it is a whole number from ${least} to ${most}, for example ${example}`,
    );
    return undefined;
  }

  function file(name: string): NamedPath | undefined {
    const text = options[name];
    if (typeof text !== 'string') return undefined;
    if (text.trim() === '') refuse(`--${name} is empty`, 'name a file');
    const { path, shown } = named(host, text);
    const out = outsideLink(host, path, boundaryOf(host, path, host.cwd));
    if (out !== undefined)
      refuse(
        `${shown} is reached by a link that leads ${out.target}`,
        `remove the link ${shownPath(host, out.link)}, or name the file that it leads to`,
      );
    return { path, shown };
  }

  if (operands.length > 0) refuse(`unexpected argument '${operands[0]}'`, 'name manifests with --load PATH');
  const port = whole('port', 1, 65_535, '6443');
  const nodes = whole('nodes', 0, MOST_NODES, '3');
  const maxRunning = whole('max-running', 1, 1_000, '10');
  const pullMs = simulatedTime(String(options['pull-time']));
  if (pullMs === undefined)
    refuse(`--pull-time cannot be '${String(options['pull-time'])}'`, 'it is a time such as 500ms, 2s or 1m');
  const speed = speedOf(String(options['speed']));
  if (speed === undefined)
    refuse(
      `--speed cannot be '${String(options['speed'])}'`,
      `it is a number from ${SPEEDS.least} to ${SPEEDS.most}; 10 lets a minute pass in 6 seconds`,
    );
  const kubeconfig = file('kubeconfig');
  const state = file('state');
  const load = Array.isArray(options['load']) ? (options['load'] as string[]) : [];
  for (const path of load) refuseLoad(path, refuse);
  if (state !== undefined && state.path === kubeconfig?.path)
    refuse('--state and --kubeconfig are the same file', 'give each its own');
  if (refusals.length > 0 || pullMs === undefined || speed === undefined || kubeconfig === undefined)
    return refusals;
  return {
    port: port ?? 0,
    nodes,
    load: load.map((path) => named(host, path)),
    kubeconfig,
    state,
    pullMs,
    speed,
    maxRunning: maxRunning ?? 10,
    runtime: options['no-runtime'] !== true,
    mutatingPolicies: options['mutating-policies'] === true,
    tls: options['tls'] === true,
    quiet: options['quiet'] === true,
  };
}

/** Refuses values that cannot be paths. Whether the path exists is checked later. */
function refuseLoad(text: string, refuse: (problem: string, help: string) => void): void {
  const once = (command: string): string => `or, after the start: ${command}`;
  if (text.trim() === '') refuse('--load is empty', 'name a file or a folder');
  else if (text === '-')
    refuse('--load does not read standard input', `save it to a file, ${once('kubectl apply -f -')}`);
  else if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text))
    refuse(`--load does not read URLs: ${text}`, `save it to a file, ${once(`kubectl apply -f ${text}`)}`);
}

function named(host: Host, text: string): NamedPath {
  const path = fromCwd(host, text);
  return { path, shown: shownPath(host, path) };
}

/** A duration of the simulation in milliseconds; undefined if the text is none. */
export function simulatedTime(text: string): number | undefined {
  const ms = /^([0-9]{1,7})ms$/.exec(text);
  return ms === null ? parseDuration(text) : Number(ms[1]);
}

function speedOf(text: string): number | undefined {
  const value = /^(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)$/.test(text) ? Number(text) : Number.NaN;
  return value >= SPEEDS.least && value <= SPEEDS.most ? value : undefined;
}
