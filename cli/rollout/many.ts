import { toYaml } from '../../compiler/render/yaml.ts';
import { forJson, forTerminal } from '../../compiler/text/escape.ts';
import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { countText } from '../../semantics/values/text.ts';
import { connectCluster, durationOf, textOf, type ClusterAccess } from '../cluster/cluster.ts';
import { exitCode, type Options } from '../command/command.ts';
import { parseTarget } from '../command/find-target.ts';
import type { Refusal } from '../command/refusal.ts';
import { reportRefusal } from '../command/report.ts';
import type { Host } from '../host.ts';
import { whatOf } from '../status/tree.ts';
import { watchLeases } from './answer.ts';
import { about, type Approval, named, selected } from './approvals.ts';
import { inputOf, note, SENDER, until } from './input.ts';
import { namedCommand, rolloutCommand } from './rollout-command.ts';
import { answerTo, create, locationText, type Outcome } from './send.ts';
import { withSender } from './sender.ts';
import { committedTarget } from './target.ts';

/** How many requests are under way at a time. */
const AT_A_TIME = 10;

/**
 * `kruise approve` of several targets: those that are named, or those of a selection that wait for an approval. Each is sent and
 * answered for itself.
 *
 * @returns 0 if all were accepted, else 1
 */
export async function approveMany(
  host: Host,
  operands: readonly string[],
  options: Options,
): Promise<number> {
  const refuse = (refusal: Refusal): number => {
    reportRefusal(host, 'approve', refusal);
    return exitCode.error;
  };
  const wrong = optionsProblem(operands, options);
  if (wrong !== undefined) return refuse(wrong);
  if (options['output'] !== undefined) return printAll(host, operands, options);
  const timeout = durationOf(options, 'timeout');
  if (typeof timeout === 'object') return refuse(timeout);
  const reached = await connectCluster(host, options);
  if ('problem' in reached) return refuse(reached);
  try {
    const found =
      operands.length > 0 ? await named(host, reached, operands, options) : await selected(reached, options);
    if ('problem' in found) return refuse(found);
    for (const refusal of found.refusals) refuse(refusal);
    if (found.approvals.length === 0) {
      if (found.nothing !== undefined) host.stderr(`kruise approve: ${forTerminal(found.nothing)}\n`);
      return found.refusals.length > 0 ? exitCode.error : exitCode.done;
    }
    const { approvals } = found;
    for (const each of approvals) note(host, 'approve', each.note);
    const refusal = await confirmed(host, options, approvals);
    if (refusal !== undefined) return refuse(refusal);
    const limitMs = options['no-wait'] === true ? undefined : timeout;
    const outcomes = await sendAll(reached, approvals, limitMs);
    for (const outcome of outcomes)
      if ('problem' in outcome) refuse(outcome);
      else host.stdout(`${forTerminal(outcome.done)}\n`);
    const failed = found.refusals.length + outcomes.filter((outcome) => 'problem' in outcome).length;
    if (failed === 0) return exitCode.done;
    const all = found.refusals.length + outcomes.length;
    host.stderr(`kruise approve: ${failed} of ${all} ${failed === 1 ? 'was' : 'were'} not approved\n`);
    return exitCode.error;
  } catch (error) {
    return refuse(reached.explain(error));
  } finally {
    reached.close();
  }
}

function optionsProblem(operands: readonly string[], options: Options): Refusal | undefined {
  const isAll = options['all-namespaces'] === true;
  const selection = ['all-namespaces', 'selector', 'group'].find((name) => options[name] !== undefined);
  if (operands.length > 0 && selection !== undefined)
    return { problem: `--${selection} chooses targets, and some are named`, help: 'omit one of the two' };
  if (isAll && options['namespace'] !== undefined)
    return { problem: '-A and -n exclude each other', help: 'omit one of the two' };
  if (options['digest'] !== undefined)
    return { problem: '--digest is that of one plan', help: 'name one target, or omit it' };
  if (options['output'] !== undefined && selection !== undefined)
    return {
      problem: `-o asks no cluster, which --${selection} chooses in`,
      help: 'name the targets, or omit -o',
    };
  return undefined;
}

/** Shows what each approval does, and asks for confirmation. Undefined: confirmed. */
async function confirmed(
  host: Host,
  options: Options,
  approvals: readonly Approval[],
): Promise<Refusal | undefined> {
  host.stderr(approvals.map((each) => `  ${forTerminal(effectText(each))}\n`).join(''));
  if (options['yes'] === true) return undefined;
  const count = countText(approvals.length, 'rollout');
  if (host.confirm === undefined)
    return { problem: `this approves ${count}, and nothing was sent`, help: 'add --yes to confirm' };
  const isConfirmed = await host.confirm(`Approve ${count}?`);
  return isConfirmed ? undefined : { problem: 'nothing was sent', help: 'the rollouts stay as they are' };
}

/** `KIND/NAME in NAMESPACE: approves approve-1; batch-2 follows: update to 100%` */
function effectText({ target, command }: Approval): string {
  const { step = '' } = command.spec;
  return `${locationText(target)}: approves ${step}${nextText(target.plan, step)}`;
}

function nextText(plan: RolloutPlan | undefined, step: string): string {
  if (plan === undefined) return '';
  const { steps } = plan.spec;
  const next = steps[steps.findIndex(({ id }) => id === step) + 1];
  return next === undefined ? ', its last step' : `; ${next.id} follows: ${whatOf(next)}`;
}

/** Creates all commands, then waits for all answers. What becomes of one changes nothing of another. */
async function sendAll(
  reached: ClusterAccess,
  approvals: readonly Approval[],
  limitMs: number | undefined,
): Promise<Outcome[]> {
  const [first] = approvals;
  // The server is asked once who sends them.
  const by = first && (await withSender(reached, first.command)).spec.by;
  const namespaces = [...new Set(approvals.map(({ target }) => target.namespace))];
  const leases = new Map(
    limitMs === undefined ? [] : namespaces.map((each) => [each, watchLeases(reached, each)] as const),
  );
  const created = await inTurn(approvals, ({ command }) =>
    create(reached, by === undefined ? command : { ...command, spec: { ...command.spec, by } }),
  );
  const end = reached.clock.monotonic() + (limitMs ?? 0);
  return inTurn(approvals, async ({ target }, index): Promise<Outcome> => {
    const sent = created[index];
    if (sent === undefined || 'problem' in sent)
      return about(locationText(target), sent ?? { problem: 'nothing was sent', help: 'send it again' });
    const evidence = leases.get(target.namespace);
    if (limitMs === undefined || evidence === undefined)
      return { done: `${sent.object.metadata.name} created` };
    const timeoutMs = Math.max(0, end - reached.clock.monotonic());
    try {
      return await answerTo(reached, target, sent.object, { timeoutMs, limitMs }, evidence);
    } catch (error) {
      return about(locationText(target), reached.explain(error));
    }
  });
}

/** Does something with each item, a few at a time. The results have the order of the items. */
async function inTurn<Item, Result>(
  items: readonly Item[],
  each: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += AT_A_TIME) {
    const batch = items.slice(at, at + AT_A_TIME);
    results.push(...(await Promise.all(batch.map((item, index) => each(item, at + index)))));
  }
  return results;
}

/** `-o`: prints the objects of targets that are named, by their committed plans. */
async function printAll(host: Host, operands: readonly string[], options: Options): Promise<number> {
  const { createHostClock } = await import('../../runtime/host-clock.ts');
  const now = (host.clock ?? createHostClock()).now();
  const input = until(inputOf(options), now);
  const objects: JsonObject[] = [];
  let isWhole = true;
  for (const text of operands) {
    const requested = parseTarget(text, textOf(options, 'namespace'));
    const committed =
      'problem' in requested
        ? requested
        : committedTarget(host, 'approve', requested, input, String(options['out']));
    const built = 'problem' in committed ? committed : rolloutCommand('approve', committed, input);
    if ('problem' in built) {
      reportRefusal(host, 'approve', about(text, built));
      isWhole = false;
      continue;
    }
    note(host, 'approve', built.note);
    objects.push(namedCommand(built.command, now) as unknown as JsonObject);
  }
  if (objects.length > 0 && input.by === undefined) note(host, 'approve', SENDER);
  const isJson = options['output'] === 'json';
  if (isJson) host.stdout(forJson({ apiVersion: 'v1', kind: 'List', items: objects }));
  else host.stdout(objects.map(toYaml).join('---\n'));
  return isWhole ? exitCode.done : exitCode.error;
}
