import { resources } from '../../schemas/wire/resources.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { parseTarget } from '../command/find-target.ts';
import { exampleTarget, namespaceOption, namespaceText } from '../command/kind-names.ts';
import type { Refusal } from '../command/refusal.ts';
import { namedCommand, rolloutCommand } from './rollout-command.ts';
import type { NamedRolloutCommand, NewRolloutCommand, CommandInput } from './rollout-command.ts';
import type { Verb } from './actions.ts';
import type { Host } from '../host.ts';
import { toYaml } from '../../compiler/render/yaml.ts';
import { forJson, forTerminal } from '../../compiler/text/escape.ts';
import { durationOf, connectCluster, textOf, type ClusterAccess } from '../cluster/cluster.ts';
import { exitCode } from '../command/command.ts';
import type { Options, Run } from '../command/command.ts';
import { reportRefusal } from '../command/report.ts';
import { consequenceOf } from './consequence.ts';
import { fromNow } from './date-time.ts';
import { awaitAnswer, noAnswerText, watchLeases } from './answer.ts';
import { helpWithName, withSender } from './sender.ts';
import { committedTarget, targetInCluster, planWaitText } from './target.ts';

const FOR_GIT = 'or print the object with -o yaml, for git or kubectl apply -f -';
const SENDER =
  'the shipped policies want spec.by to be the account that applies it: name that of the GitOps engine, or your own, with --by';

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
    const input = until(typed, (host.clock ?? createHostClock()).now());
    const committed = committedTarget(host, verb, requested, input, String(options['out']));
    if (options['output'] !== undefined) {
      if ('problem' in committed) {
        committed.report?.();
        return refuse(committed);
      }
      const built = rolloutCommand(verb, committed, input);
      if ('problem' in built) return refuse(built);
      note(host, verb, built.note);
      print(host, namedCommand(built.command), options);
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
      const { kind, name, namespace } = target;
      const location = `${kind}/${name} ${namespaceText(namespace)}`;
      const follows = await consequenceOf(reached, target, built.command.spec);
      const refusal =
        follows === undefined ? undefined : await confirmed(host, verb, options, `${location}: ${follows}`);
      if (refusal !== undefined) return refuse(refusal);
      const leases = options['no-wait'] === true ? undefined : watchLeases(reached, target.namespace);
      const sent = await create(reached, await withSender(reached, built.command));
      if ('problem' in sent) return refuse(sent);
      const created = sent.object;
      if (leases === undefined || timeout === undefined) {
        host.stdout(`${forTerminal(created.metadata.name)} created\n`);
        return exitCode.done;
      }
      const answer = await awaitAnswer(reached, created, timeout);
      if (answer.is === 'unknown') return refuse(answer);
      if (answer.is === 'silence') {
        const waits = await planWaitText(reached, target, built.command.spec.digest);
        return refuse(noAnswerText(created, timeout, await leases(), waits));
      }
      if (answer.result === 'Accepted') {
        host.stdout(forTerminal(`${location}: accepted, ${answer.message}`) + '\n');
        return exitCode.done;
      }
      return refuse({
        problem: `${location}: ${answer.result.toLowerCase()}, ${answer.message}`,
        help: `kruise status ${kind}/${name}${namespaceOption(namespace)} shows its state`,
      });
    } catch (error) {
      return refuse(reached.explain(error));
    } finally {
      reached.close();
    }
  };
}

function inputOf(options: Options): CommandInput {
  return {
    digest: textOf(options, 'digest'),
    step: textOf(options, 'step'),
    by: textOf(options, 'by'),
    reason: textOf(options, 'reason'),
    expires: textOf(options, 'expires'),
  };
}

/** The input with an expiry given as a duration converted to a point in time. */
function until(input: CommandInput, now: number): CommandInput {
  return input.expires === undefined ? input : { ...input, expires: fromNow(input.expires, now) };
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

function note(host: Host, verb: Verb, text: string | undefined): void {
  if (text !== undefined) host.stderr(`kruise ${verb}: ${forTerminal(text)}\n`);
}

async function create(
  { cluster, explain }: ClusterAccess,
  command: NewRolloutCommand,
): Promise<{ object: KubeObject } | Refusal> {
  try {
    // The server completes generateName. Strict: an older definition must not silently drop a field.
    const body = command as unknown as KubeObject;
    const resource = resources[command.kind];
    return { object: await cluster.create(resource, body, { fieldValidation: 'Strict' }) };
  } catch (error) {
    const { problem, help } = explain(error);
    if (error instanceof ApiError)
      return { problem: `the cluster refused it: ${problem}`, help: helpWithName(error, command) ?? help };
    return { problem, help: `${help}; check whether the command was created before you repeat it` };
  }
}

function print(host: Host, object: NamedRolloutCommand, options: Options): void {
  const json = options['output'] === 'json';
  host.stdout(json ? forJson(object) : toYaml(object as unknown as JsonObject));
}
