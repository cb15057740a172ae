import { forTerminal } from '../../compiler/text/escape.ts';
import { listed } from '../../semantics/values/listed.ts';
import { countText } from '../../semantics/values/text.ts';
import { timeOf, timestamp } from '../../semantics/values/timestamp.ts';
import { type ClusterAccess, connectCluster, durationOf, textOf } from '../cluster/cluster.ts';
import { exitCode, type Options } from '../command/command.ts';
import { parseObject, type RequestedTarget } from '../command/find-target.ts';
import { exampleTarget } from '../command/kind-names.ts';
import type { Refusal } from '../command/refusal.ts';
import { reportRefusal } from '../command/report.ts';
import type { Host } from '../host.ts';
import { isDateTime } from '../rollout/date-time.ts';
import { batchesOf } from './batches.ts';
import { carryOut } from './carry-out.ts';
import { podsOfRestart, type PodToRestart, toRestart } from './pods.ts';

/** What the options ask for. */
interface Input {
  namespace: string | undefined;
  target: RequestedTarget | undefined;
  selector: string | undefined;
  containers: readonly string[];
  batch: string;
  since: string | undefined;
  timeoutMs: number;
}

/** How many reasons are shown. */
const MOST_SHOWN = 10;

/**
 * `kruise restart`: asks the runtime to restart containers of the pods of a target, a batch at a time. The runtime keeps the limit of
 * the owner and all budgets. What fails ends it before the next batch.
 *
 * @returns 0 all have restarted, 1 an error or a failure, 4 not within the timeout, 130 after a signal
 */
export async function runRestart(host: Host, operands: readonly string[], options: Options): Promise<number> {
  const refuse = (refusal: Refusal): number => {
    reportRefusal(host, 'restart', refusal);
    return exitCode.error;
  };
  const input = inputOf(operands, options);
  if ('problem' in input) return refuse(input);
  const reached = await connectCluster(host, options);
  if ('problem' in reached) return refuse(reached);
  try {
    return await restart(host, reached, input, options, refuse);
  } catch (error) {
    return refuse(reached.explain(error));
  } finally {
    reached.close();
  }
}

async function restart(
  host: Host,
  reached: ClusterAccess,
  input: Input,
  options: Options,
  refuse: (refusal: Refusal) => number,
): Promise<number> {
  const { containers, target, selector } = input;
  const namespace = input.namespace ?? reached.namespace;
  // To the second, as the times of containers are.
  const since = timeOf(input.since ?? timestamp(reached.now()));
  const pods = await podsOfRestart(reached, namespace, target, selector);
  if ('problem' in pods) return refuse(pods);
  const all = pods.map((pod) => toRestart(pod, { containers, since }));
  const chosen = all.filter((each) => each.containers.length > 0);
  reportRefused(host, all);
  const isRefused = all.some(({ refused }) => refused.length > 0);
  const code = isRefused ? exitCode.error : exitCode.done;
  const batches = batchesOf(chosen, input.batch);
  const what = `${namesOf(chosen)} in ${countText(chosen.length, 'pod')} of ${namespace}`;
  if (chosen.length === 0) {
    host.stderr(`kruise restart: ${forTerminal(nothingText(pods.length, isRefused, namespace))}\n`);
    return code;
  }
  const most = Math.max(...batches.map((batch) => batch.length));
  const effect = `restarts ${what}, ${most} at a time: ${countText(batches.length, 'batch', 'batches')}`;
  host.stderr(`  ${forTerminal(effect)}\n`);
  if (options['check'] === true) return code;
  const refusal = await confirmed(host, options, chosen.length);
  if (refusal !== undefined) return refuse(refusal);
  const ended = await carryOut(host, reached, { namespace, since, batches, timeoutMs: input.timeoutMs });
  return ended === exitCode.done ? code : ended;
}

function inputOf(operands: readonly string[], options: Options): Input | Refusal {
  const [text, another] = operands;
  const selector = textOf(options, 'selector');
  const example = `for example kruise restart ${exampleTarget()}`;
  if (another !== undefined) return { problem: 'name one target at a time', help: example };
  if (text === undefined && selector === undefined) return { problem: 'no target is named', help: example };
  const target = text === undefined ? undefined : parseObject(text, textOf(options, 'namespace'));
  if (target !== undefined && 'problem' in target)
    return { ...target, help: `${target.help}; pods of any owner are chosen by their labels, with -l` };
  if (target !== undefined && target.kind === undefined)
    return { problem: `'${target.name}' has no kind`, help: `write ${exampleTarget()}` };
  const batch = textOf(options, 'batch') ?? '';
  if (!/^(?:[1-9]\d{0,8}|(?:100|[1-9]\d?)%)$/.test(batch))
    return { problem: `--batch cannot be '${batch}'`, help: 'write a number of pods or a part, such as 10%' };
  const since = textOf(options, 'since');
  if (since !== undefined && !isDateTime(since))
    return { problem: `--since cannot be '${since}'`, help: 'write a time such as 2026-12-01T18:00:00Z' };
  const timeoutMs = durationOf(options, 'timeout');
  if (typeof timeoutMs === 'object') return timeoutMs;
  const named = options['container'];
  return {
    namespace: target?.namespace ?? textOf(options, 'namespace'),
    containers: Array.isArray(named) ? (named as string[]) : [],
    ...{ target, selector, batch, since, timeoutMs: timeoutMs ?? Infinity },
  };
}

/** Why containers are left as they are: the reasons, with one pod each as an example. */
function reportRefused(host: Host, all: readonly PodToRestart[]): void {
  const reasons = new Map<string, string[]>();
  for (const { pod, refused } of all)
    for (const why of refused) reasons.set(why, [...(reasons.get(why) ?? []), pod.metadata.name]);
  const shown = [...reasons].slice(0, MOST_SHOWN);
  for (const [why, names] of shown) {
    const others = names.length === 1 ? '' : ` and ${countText(names.length - 1, 'more pod')}`;
    host.stderr(`  ${forTerminal(`not restarted in ${names[0] ?? ''}${others}: ${why}`)}\n`);
  }
  if (reasons.size > MOST_SHOWN) host.stderr(`  and ${reasons.size - MOST_SHOWN} more reasons\n`);
}

function namesOf(chosen: readonly PodToRestart[]): string {
  return listed([...new Set(chosen.flatMap(({ containers }) => containers))], 'and');
}

function nothingText(pods: number, isRefused: boolean, namespace: string): string {
  if (pods === 0) return `there are no such pods in ${namespace}`;
  return isRefused
    ? 'no container can be restarted'
    : 'nothing is left to restart: no pod has such a container that began before';
}

/** Undefined: confirmed. */
async function confirmed(host: Host, options: Options, pods: number): Promise<Refusal | undefined> {
  if (options['yes'] === true) return undefined;
  if (host.confirm === undefined)
    return { problem: 'nothing was sent', help: 'add --yes to confirm, or --check to look alone' };
  const isConfirmed = await host.confirm(`Restart containers in ${countText(pods, 'pod')}?`);
  return isConfirmed ? undefined : { problem: 'nothing was sent', help: 'the pods stay as they are' };
}
