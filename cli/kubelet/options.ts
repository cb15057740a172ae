import type { Refusal } from '../command/refusal.ts';
import type { Host } from '../host.ts';
import { fromCwd } from '../../compiler/load/files.ts';
import type { Options } from '../command/command.ts';
import { simulatedTime } from '../sandbox/options.ts';
import { createOptionReader } from '../command/option-reader.ts';

/** The options of `kruise kubelet`; undefined if not given. Times are in milliseconds. */
export interface KubeletOptions {
  kubeconfig: string | undefined;
  context: string | undefined;
  /** The names of the nodes, in order. */
  names: string[];
  pullMs: number;
  readyMs: number;
  schedules: boolean;
  events: boolean;
  allowRealNodes: boolean;
  cleanup: boolean;
}

const MOST_NODES = 5_000;
/** A prefix that is a valid name together with a hyphen and a number. */
const PREFIX = /^[a-z0-9]([-a-z0-9.]{0,50}[a-z0-9])?$/;

/** Reads the options. Returns everything that is wrong with them at once. */
export function readKubeletOptions(
  host: Host,
  operands: readonly string[],
  options: Options,
): KubeletOptions | Refusal[] {
  const { refusals, refuse, text } = createOptionReader(options);

  if (operands.length > 0)
    refuse(`unexpected argument '${operands[0]}'`, 'kruise kubelet takes options only');
  const kubeconfig = text('kubeconfig');
  const context = text('context');
  const count = String(options['nodes']);
  const nodes = /^[0-9]{1,9}$/.test(count) ? Number(count) : Number.NaN;
  if (!(nodes >= 1 && nodes <= MOST_NODES))
    refuse(`--nodes cannot be '${count}'`, `it is a whole number from 1 to ${MOST_NODES}`);
  const prefix = String(options['node-prefix']);
  if (!PREFIX.test(prefix))
    refuse(
      `--node-prefix cannot be '${prefix}'`,
      'it is the beginning of a name: lower case letters, digits and hyphens',
    );
  function time(name: string): number {
    const ms = simulatedTime(String(options[name]));
    if (ms === undefined)
      refuse(`--${name} cannot be '${String(options[name])}'`, 'it is a time such as 500ms, 2s or 1m');
    return ms ?? 0;
  }
  const pullMs = time('pull-time');
  const readyMs = time('ready-time');
  if (refusals.length > 0) return refusals;
  return {
    kubeconfig: kubeconfig === undefined ? undefined : fromCwd(host, kubeconfig),
    context,
    names: Array.from({ length: nodes }, (_, index) => `${prefix}-${index + 1}`),
    pullMs,
    readyMs,
    schedules: options['no-scheduler'] !== true,
    events: options['no-events'] !== true,
    allowRealNodes: options['beside-machines'] === true,
    cleanup: options['cleanup'] === true,
  };
}
