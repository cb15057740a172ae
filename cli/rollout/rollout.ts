import type { JsonObject } from '../../schemas/wire/json.ts';
import { parseTarget } from '../command/find-target.ts';
import { exampleTarget } from '../command/kind-names.ts';
import type { Refusal } from '../command/refusal.ts';
import { namedCommand, rolloutCommand } from './rollout-command.ts';
import type { NamedRolloutCommand } from './rollout-command.ts';
import type { Verb } from './actions.ts';
import type { Host } from '../host.ts';
import { toYaml } from '../../compiler/render/yaml.ts';
import { forJson, forTerminal } from '../../compiler/text/escape.ts';
import { durationOf, connectCluster, textOf } from '../cluster/cluster.ts';
import { exitCode } from '../command/command.ts';
import type { Options, Run } from '../command/command.ts';
import { reportRefusal } from '../command/report.ts';
import { consequenceOf } from './consequence.ts';
import { inputOf, note, SENDER, until } from './input.ts';
import { watchLeases } from './answer.ts';
import { answerTo, create, locationText } from './send.ts';
import { withSender } from './sender.ts';
import { committedTarget, targetInCluster } from './target.ts';

const FOR_GIT = 'or print the object with -o yaml, for git or kubectl apply -f -';
/**
 * `kruise approve` and its siblings: creates a RolloutCommand and waits for the answer of the runtime. Without `--by` it
 * sets the name under which the server knows the sender. With `-o` it prints the object and contacts no cluster.
 */
export function runRollout(verb: Verb): Run {
  return async (host, operands, options) => {
    const refuse = (refusal: Refusal): number => {
      reportRefusal(host, verb, refusal);
      return exitCode.error;
    };
    if (verb === 'approve' && areMany(operands, options)) {
      const { approveMany } = await import('./many.ts');
      return approveMany(host, operands, options);
    }
    const [text] = operands;
    if (text === undefined || operands.length > 1) {
      const help = `for example kruise ${verb} ${exampleTarget()}`;
      return refuse({
        problem: text === undefined ? 'no target is named' : 'name one target at a time',
        help,
      });
    }
    const requested = parseTarget(text, textOf(options, 'namespace'));
    if ('problem' in requested) return refuse(requested);
    const typed = inputOf(options);
    const { createHostClock } = await import('../../runtime/host-clock.ts');
    const clock = host.clock ?? createHostClock();
    const input = until(typed, clock.now());
    const committed = committedTarget(host, verb, requested, input, String(options['out']));
    if (options['output'] !== undefined) {
      if ('problem' in committed) {
        committed.report?.();
        return refuse(committed);
      }
      const built = rolloutCommand(verb, committed, input);
      if ('problem' in built) return refuse(built);
      note(host, verb, built.note);
      print(host, namedCommand(built.command, clock.now()), options);
      if (built.command.spec.by === undefined) note(host, verb, SENDER);
      if (host.stdoutIsTTY)
        host.stderr('nothing was sent: commit this object, or pipe it into kubectl apply -f -\n');
      return exitCode.done;
    }
    const timeout = durationOf(options, 'timeout');
    if (typeof timeout === 'object') return refuse(timeout);
    const reached = await connectCluster(host, options);
    if ('problem' in reached) return refuse({ ...reached, help: `${reached.help}; ${FOR_GIT}` });
    try {
      const resolved = await targetInCluster(
        reached,
        requested,
        until(typed, reached.now()),
        verb,
        committed,
      );
      if ('problem' in resolved) {
        if ('problem' in committed && !committed.elsewhere) committed.report?.();
        return refuse(resolved);
      }
      const { target } = resolved;
      const built = rolloutCommand(verb, target, resolved.input);
      if ('problem' in built) return refuse(built);
      if (resolved.isCommitted) note(host, verb, built.note);
      const follows = await consequenceOf(reached, target, built.command.spec);
      const refusal =
        follows === undefined
          ? undefined
          : await confirmed(host, verb, options, `${locationText(target)}: ${follows}`);
      if (refusal !== undefined) return refuse(refusal);
      const leases = options['no-wait'] === true ? undefined : watchLeases(reached, target.namespace);
      const sent = await create(reached, await withSender(reached, built.command));
      if ('problem' in sent) return refuse(sent);
      const created = sent.object;
      const outcome =
        leases === undefined || timeout === undefined
          ? { done: `${created.metadata.name} created` }
          : await answerTo(reached, target, created, { timeoutMs: timeout }, leases);
      if ('problem' in outcome) return refuse(outcome);
      host.stdout(`${forTerminal(outcome.done)}\n`);
      return exitCode.done;
    } catch (error) {
      return refuse(reached.explain(error));
    } finally {
      reached.close();
    }
  };
}

/** Whether a command is for several targets, which are named or selected. */
function areMany(operands: readonly string[], options: Options): boolean {
  return (
    operands.length > 1 || ['all-namespaces', 'selector', 'group'].some((name) => options[name] !== undefined)
  );
}

/** Shows the effect of a command and asks for confirmation. Undefined: confirmed. */
async function confirmed(
  host: Host,
  verb: Verb,
  options: Options,
  text: string,
): Promise<Refusal | undefined> {
  if (options['yes'] === true) {
    note(host, verb, text);
    return undefined;
  }
  if (host.confirm === undefined) return { problem: text, help: 'add --yes to confirm' };
  const isConfirmed = await host.confirm(forTerminal(`${text}. Continue?`));
  return isConfirmed ? undefined : { problem: 'nothing was sent', help: 'the rollout stays as it is' };
}

function print(host: Host, object: NamedRolloutCommand, options: Options): void {
  const json = options['output'] === 'json';
  host.stdout(json ? forJson(object) : toYaml(object as unknown as JsonObject));
}
